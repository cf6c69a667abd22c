//! The process between this program and what it runs. It ends everything that was started: when the
//! program has ended, when it is told to, and when the process that could tell it was killed.
//!
//! ```text
//!   cairn-ab ──socket── supervisor ──> launcher ──> daemons, ranks
//! ```
//!
//! The supervisor is this program once more. The socket is its standard input: where it ends, which it
//! also does when the other side is killed, the run is to be stopped; into it the supervisor writes how
//! the program ended. It adopts whatever the program leaves behind (`PR_SET_CHILD_SUBREAPER`), so that
//! also what has left the process group, as the daemons of some launchers do, is found. If it is killed
//! itself, its descendants fall to `cairn-ab`, which has set the same.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::{AsFd, BorrowedFd};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, kill_process, kill_process_group, pidfd_open,
    set_child_subreaper, wait as wait_any,
};

/// The subcommand that makes a process a supervisor.
pub const SUBCOMMAND: &str = "supervise";

/// How long a launcher may take to end its processes when it is asked to, before all are killed.
const GRACE: Duration = Duration::from_secs(3);

/// What is said when the program was started and has ended, with its status as `wait` gives it, and the
/// processor time of everything that ran, in microseconds.
const ENDED: &str = "ended";
/// What is said when it could not be started, with the error's number.
const FAILED: &str = "failed";

/// The command that runs a command under a supervisor.
pub fn over(command: &Command) -> Command {
    // The file of this program may have been replaced; the process still is what it was.
    let mut supervisor = Command::new("/proc/self/exe");
    supervisor.arg0(env!("CARGO_PKG_NAME")).arg(SUBCOMMAND).arg("--");
    supervisor.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => supervisor.env(name, value),
            None => supervisor.env_remove(name),
        };
    }
    if let Some(dir) = command.get_current_dir() {
        supervisor.current_dir(dir);
    }
    // What a terminal or `kill` sends to this program's group is not meant for the run: the run is
    // ended in order.
    supervisor.process_group(0);
    supervisor
}

/// Understands what the supervisor has said. None if it was killed before it could.
///
/// # Errors
/// The program could not be started.
pub fn heard(text: &str) -> io::Result<Option<(ExitStatus, Duration)>> {
    // A line that has no end was cut off.
    let line = text.strip_suffix('\n').unwrap_or_default();
    match line.split(' ').collect::<Vec<_>>()[..] {
        [ENDED, status, cpu] => Ok(status
            .parse()
            .ok()
            .zip(cpu.parse().ok())
            .map(|(status, cpu)| (ExitStatus::from_raw(status), Duration::from_micros(cpu)))),
        [FAILED, error] => {
            let number = error.parse().ok();
            Err(number.map_or_else(|| io::Error::other("?"), io::Error::from_raw_os_error))
        }
        _ => Ok(None),
    }
}

/// What a supervisor does.
pub fn supervise(words: &[OsString]) {
    let line = io::stdin();
    let said = match run(words, line.as_fd()) {
        Ok(status) => format!("{ENDED} {} {}\n", status.into_raw(), used().as_micros()),
        Err(error) => {
            let number = error.raw_os_error().unwrap_or(Errno::INVAL.raw_os_error());
            format!("{FAILED} {number}\n")
        }
    };
    // There is no listener if the other side was killed.
    let _ = rustix::io::write(&line, said.as_bytes());
}

/// Runs a program to its end, or to that of the line. When this returns, no descendant is left.
fn run(words: &[OsString], line: BorrowedFd<'_>) -> io::Result<ExitStatus> {
    adopt()?;
    let (program, args) = words.split_first().ok_or(Errno::INVAL)?;
    let mut command = Command::new(program);
    let mut child = command.args(args).stdin(Stdio::null()).process_group(0).spawn()?;
    let pid = Pid::from_child(&child);
    let ended = ended(pid, Some(line), None);
    if !matches!(ended, Ok(true)) {
        // The launcher first, which knows what it has started and cleans up.
        let _ = kill_process_group(pid, Signal::TERM);
        let _ = self::ended(pid, None, Some(Instant::now() + GRACE));
        let _ = kill_process_group(pid, Signal::KILL);
    }
    let status = child.wait();
    end_descendants();
    status
}

/// The processor time of all processes that this one has waited for, and of all that these had waited
/// for: when no descendant is left, of everything that ran, whatever its parent was.
fn used() -> Duration {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).map(|it| [it.user_time(), it.system_time()]);
    let times = usage.into_iter().flatten();
    let part = |number: i64| u64::try_from(number).unwrap_or_default();
    let one = |time: TimeVal| {
        Duration::from_secs(part(time.tv_sec())) + Duration::from_micros(part(time.tv_usec()))
    };
    times.map(one).sum()
}

/// Makes this process the parent of whatever its descendants leave behind.
///
/// # Errors
/// The system does not let it.
pub fn adopt() -> io::Result<()> {
    Ok(set_child_subreaper(Some(rustix::process::getpid()))?)
}

/// Waits for a child. False if the line ended before, or the time was over.
fn ended(pid: Pid, line: Option<BorrowedFd<'_>>, deadline: Option<Instant>) -> io::Result<bool> {
    let child = pidfd_open(pid, PidfdFlags::empty())?;
    let mut fds = vec![PollFd::new(&child, PollFlags::IN)];
    // Nothing is written into it, so what there is to read is its end.
    fds.extend(line.map(|line| PollFd::from_borrowed_fd(line, PollFlags::IN)));
    loop {
        let left = deadline.map(|it| timespec(it.saturating_duration_since(Instant::now())));
        match poll(&mut fds, left.as_ref()) {
            Ok(_) if !fds[0].revents().is_empty() => return Ok(true),
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let over = deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if over || fds[1..].iter().any(|line| !line.revents().is_empty()) {
            return Ok(false);
        }
    }
}

/// A time to wait for. A millisecond more, so that a deadline has passed when the wait ends.
pub fn timespec(time: Duration) -> Timespec {
    let time = time + Duration::from_millis(1);
    Timespec { tv_sec: time.as_secs() as i64, tv_nsec: i64::from(time.subsec_nanos()) }
}

/// Kills all descendants, and waits for them: also for their children, who become ours.
pub fn end_descendants() {
    loop {
        for pid in descendants() {
            let _ = kill_process(pid, Signal::KILL);
        }
        // Without children this is ECHILD.
        match wait_any(WaitOptions::empty()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return,
        }
    }
}

/// All processes that descend from this one.
fn descendants() -> Vec<Pid> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let parents: Vec<(i32, i32)> = entries
        .filter_map(|entry| {
            let pid = entry.file_name().to_str()?.parse().ok()?;
            let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
            Some((pid, fields(&stat).nth(1)?.parse().ok()?))
        })
        .collect();
    let mut found = vec![rustix::process::getpid().as_raw_nonzero().get()];
    let mut next = 0;
    while let Some(&parent) = found.get(next) {
        found.extend(parents.iter().filter(|(_, of)| *of == parent).map(|(pid, _)| *pid));
        next += 1;
    }
    found[1..].iter().filter_map(|pid| Pid::from_raw(*pid)).collect()
}

/// The fields of /proc/PID/stat behind the program's name, in which anything may stand.
pub fn fields(stat: &str) -> impl Iterator<Item = &str> {
    stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_brackets_do_not_confuse() {
        let all: Vec<&str> = fields("12 (a) b (c) S 7 12 0").collect();
        assert_eq!(all, ["S", "7", "12", "0"]);
        assert_eq!(fields("").count(), 0);
    }

    #[test]
    fn what_is_said_is_heard() {
        let (status, cpu) = heard("ended 256 1500000\n").unwrap().unwrap();
        assert_eq!((status.code(), cpu), (Some(1), Duration::from_millis(1500)));
        assert_eq!(heard("ended 9 0\n").unwrap().unwrap().0.signal(), Some(9));
        let missing = heard(&format!("failed {}\n", Errno::NOENT.raw_os_error())).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
        // It was killed, perhaps while it spoke.
        for text in ["", "ended", "ended ", "ended 9", "ended 9 15"] {
            assert_eq!(heard(text).unwrap(), None);
        }
    }

    #[test]
    fn the_supervisor_gets_what_the_program_needs() {
        let mut program = Command::new("/p/mpirun");
        program.args(["-n", "2"]).env("A", "1").env_remove("B").current_dir("/");
        let it = over(&program);
        let args: Vec<_> = it.get_args().collect();
        assert_eq!(args, [SUBCOMMAND, "--", "/p/mpirun", "-n", "2"]);
        let envs: Vec<_> = it.get_envs().map(|(_, value)| value.is_some()).collect();
        assert_eq!(envs, [true, false]);
        assert_eq!(it.get_current_dir(), Some("/".as_ref()));
    }
}
