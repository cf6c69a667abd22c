//! Nothing survives: whichever process is killed, at whatever moment, no process of the job is left. And
//! signals to mpirun reach the ranks.
//!
//! The processes of a job are known by a variable in their environment, which they all inherit,
//! whatever group or session they move to.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use cairn_tests::dist;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};

/// No job of these tests takes longer to end, however busy the machine.
const DEADLINE: Duration = Duration::from_secs(60);

/// A rank that starts a child in its own group, and another in a session of its own whose parent is
/// gone, and says when all run. None of them ends by itself, or by a signal that can be handled.
const FAMILY: &str = "trap '' TERM INT HUP; sleep 1000 & \
    (setsid sh -c 'sleep 1000 & echo ready $PMI_RANK; wait' &); wait; wait";

/// A job with a mark of its own.
struct Marked {
    mpirun: Child,
    mark: String,
}

impl Marked {
    fn start(name: &str, options: &str, script: &str) -> (Self, BufReader<ChildStdout>) {
        let mark = format!("CAIRN_TEST_MARK={name}-{}", std::process::id());
        let mut command = Command::new(dist().join("bin/mpirun"));
        command.args(options.split_whitespace()).args(["--oversubscribe", "-x", &mark]);
        command.args(["/bin/sh", "-c", script]);
        // Tests that run in the background, or by nohup, have them ignored.
        // SAFETY: the call is one of those that are allowed in a new process.
        unsafe {
            command.pre_exec(|| {
                for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM] {
                    libc::signal(signal, libc::SIG_DFL);
                }
                Ok(())
            });
        }
        let mut mpirun = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(mpirun.stdout.take().unwrap());
        (Self { mpirun, mark }, output)
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.mpirun)
    }

    /// The processes of the job, without mpirun and the supervisor.
    fn members(&self) -> Vec<Pid> {
        let has_mark = |pid: &Pid| {
            // A process between fork and exec has mpirun's, without the mark, for a moment.
            let environ = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environ.split(|byte| *byte == 0).any(|one| one == self.mark.as_bytes())
        };
        processes().filter(has_mark).collect()
    }

    /// The supervisor, mpirun's only child.
    fn supervisor(&self) -> Option<Pid> {
        let pid = self.pid();
        let list = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).ok()?;
        Pid::from_raw(list.split_whitespace().next()?.parse().ok()?)
    }

    /// Waits for the end of mpirun, and then for that of everything else.
    fn end(mut self) -> (ExitStatus, String) {
        let start = Instant::now();
        let supervisor = self.supervisor();
        wait_for(self.pid(), start);
        let status = self.mpirun.wait().unwrap();
        let mut said = String::new();
        if status.signal().is_none() {
            // Who kept this open would be a survivor.
            self.mpirun.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        }
        // Not killed by us: whatever kills the rest does so without being asked.
        supervisor.into_iter().for_each(|supervisor| wait_for(supervisor, start));
        loop {
            let members = self.members();
            if members.is_empty() {
                return (status, said);
            }
            members.into_iter().for_each(|member| wait_for(member, start));
        }
    }
}

impl Drop for Marked {
    fn drop(&mut self) {
        // Only a test that failed leaves anything to do.
        let _ = self.mpirun.kill();
        let _ = self.mpirun.wait();
        self.members().into_iter().for_each(kill);
    }
}

fn processes() -> impl Iterator<Item = Pid> {
    let entries = fs::read_dir("/proc").expect("procfs").flatten();
    entries.filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?))
}

/// Kills a process, which may have gone.
fn kill(pid: Pid) {
    let _ = kill_process(pid, Signal::KILL);
}

/// Waits for the end of a process.
fn wait_for(pid: Pid, start: Instant) {
    let Ok(fd) = pidfd_open(pid, PidfdFlags::empty()) else { return };
    let left = DEADLINE.saturating_sub(start.elapsed());
    let left = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: left.subsec_nanos().into() };
    let mut place = [PollFd::new(&fd, PollFlags::IN)];
    let ready = poll(&mut place, Some(&left)).unwrap();
    let command = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    assert_eq!(ready, 1, "{pid} survives: {}", String::from_utf8_lossy(&command));
}

/// Waits until so many ranks have said that they are ready.
fn ready(output: &mut BufReader<ChildStdout>, ranks: usize) {
    for _ in 0..ranks {
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        assert!(line.starts_with("ready"), "{line}");
    }
}

#[test]
fn mpirun_is_killed() {
    let (job, mut output) = Marked::start("mpirun", "-n 3", FAMILY);
    ready(&mut output, 3);
    assert!(job.members().len() >= 9);
    kill_process(job.pid(), Signal::KILL).unwrap();
    let (status, _) = job.end();
    assert_eq!(status.signal(), Some(9));
}

#[test]
fn the_supervisor_is_killed() {
    let (job, mut output) = Marked::start("supervisor", "-n 3", FAMILY);
    ready(&mut output, 3);
    kill_process(job.supervisor().unwrap(), Signal::KILL).unwrap();
    let (status, said) = job.end();
    assert_eq!(status.code(), Some(1), "{said}");
    assert!(
        said.contains("the process that watched over the ranks was killed by SIGKILL"),
        "{said}"
    );
    assert!(said.contains("the 3 processes were ended"), "{said}");
}

#[test]
fn a_rank_is_killed() {
    // Each says its process: while one executes its program it has no environment to be known by.
    let script = "echo $PMI_RANK $$; exec sleep 1000";
    let (job, mut output) = Marked::start("rank", "-n 3 --tag-output", script);
    let mut pids = [None; 3];
    for _ in 0..3 {
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        let said: Vec<i32> = line.split_whitespace().rev().flat_map(str::parse).collect();
        pids[said[1] as usize] = Pid::from_raw(said[0]);
    }
    kill_process(pids[1].unwrap(), Signal::KILL).unwrap();
    let (status, said) = job.end();
    assert_eq!(status.code(), Some(137), "{said}");
    assert!(said.contains("rank 1 was killed by SIGKILL"), "{said}");
    assert!(said.contains("the 2 other processes were ended"), "{said}");
}

#[test]
fn ranks_that_resist_are_killed_with_their_families() {
    let script = format!("if [ $PMI_RANK = 1 ]; then read go; exit 9; fi; {FAMILY}");
    // Rank 1 reads the end of /dev/null at once; rank 0's family may be anywhere in its start.
    let (job, _output) = Marked::start("resist", "-n 2", &script);
    let (status, said) = job.end();
    assert_eq!(status.code(), Some(9), "{said}");
}

#[test]
fn what_ranks_leave_behind_is_ended() {
    let script = "(setsid sleep 1000 > /dev/null 2>&1 &); exit 0";
    let (job, _output) = Marked::start("left", "-n 2", script);
    let (status, said) = job.end();
    assert!(status.success(), "{said}");
}

#[test]
fn anybody_is_killed_at_any_moment() {
    // A generator of pseudo-random numbers (Knuth's MMIX constants); the moments are whatever they
    // come to on this machine.
    let mut random = 42u64;
    let mut next = |below: u64| {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (random >> 33) % below
    };
    for round in 0..40 {
        let (job, _output) = Marked::start(&format!("any{round}"), "-n 8", FAMILY);
        let (start, moment) = (Instant::now(), Duration::from_micros(next(12_000)));
        while start.elapsed() < moment {
            std::hint::spin_loop();
        }
        let members = job.members();
        match next(3) {
            // Not both mpirun and the supervisor: then no process is left that knows of all the others.
            0 if job.supervisor().is_some() => {
                job.supervisor().into_iter().for_each(kill);
            }
            1 if !members.is_empty() => {
                let victim = members[next(members.len() as u64) as usize];
                kill(victim);
                wait_for(victim, start);
                // One that was no rank leaves the job running, unless its rank waited for it.
                kill(job.pid());
            }
            _ => kill_process(job.pid(), Signal::KILL).unwrap(),
        }
        job.end();
    }
}

#[test]
fn signals_reach_the_ranks() {
    // Rank 0 says what comes; the shell handles a signal when the sleep is over, so `wait` it is.
    let script = "trap 'echo usr1' USR1; trap 'echo term; exit 0' TERM; \
                  sleep 1000 & echo ready; while :; do wait; done";
    let (job, mut output) = Marked::start("signals", "-n 1", script);
    ready(&mut output, 1);
    let line = |output: &mut BufReader<ChildStdout>| {
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        line.trim().to_owned()
    };
    kill_process(job.pid(), Signal::USR1).unwrap();
    assert_eq!(line(&mut output), "usr1");
    kill_process(job.pid(), Signal::TERM).unwrap();
    assert_eq!(line(&mut output), "term");
    let (status, said) = job.end();
    // Who handles the signal and ends well has done what was asked.
    assert!(status.success(), "{said}");
}

#[test]
fn a_signal_ends_the_job() {
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)] {
        let (job, mut output) = Marked::start("ends", "-n 2", "echo ready; exec sleep 1000");
        ready(&mut output, 2);
        kill_process(job.pid(), signal).unwrap();
        let (status, said) = job.end();
        assert_eq!(status.code(), Some(code), "{said}");
        assert!(said.contains("ended by SIG"), "{said}");
    }
}

#[test]
fn the_second_signal_ends_who_ignores_the_first() {
    let script = "trap 'echo ready again' INT; echo ready; while :; do sleep 1000 & wait; done";
    let (job, mut output) = Marked::start("twice", "-n 1", script);
    ready(&mut output, 1);
    kill_process(job.pid(), Signal::INT).unwrap();
    ready(&mut output, 1);
    kill_process(job.pid(), Signal::INT).unwrap();
    let (status, said) = job.end();
    assert_eq!(status.code(), Some(130), "{said}");
}
