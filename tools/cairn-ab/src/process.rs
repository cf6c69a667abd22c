//! Running a program for at most so long, so that nothing of it is left.
//!
//! This process adopts whatever its descendants leave behind (`PR_SET_CHILD_SUBREAPER`), so that also
//! what has left the process group, as the daemons of some launchers do, is found and ended. One
//! program runs at a time.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use cairn_framework::host::problem::Problem;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, kill_process, kill_process_group, pidfd_open,
    set_child_subreaper, wait as wait_any,
};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// How long a launcher may take to end its processes when it is asked to, before all are killed.
const GRACE: Duration = Duration::from_secs(3);

/// More of what a program writes is not read.
const MOST_OUTPUT: u64 = 16 << 20;

/// The wish of the user to stop. Once it was said, it stays.
pub struct Interrupt {
    wish: UnixStream,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// By itself.
    Exited(ExitStatus),
    /// It was ended at its limit.
    TooLong,
    /// It was ended because the user wants to stop.
    Interrupted,
}

/// A program that has ended.
#[derive(Debug)]
pub struct Finished {
    /// How.
    pub end: End,
    /// What it wrote to standard output.
    pub stdout: String,
    /// What it wrote to standard error.
    pub stderr: String,
    /// How long it took.
    pub time: Duration,
}

impl Interrupt {
    /// Catches SIGINT, SIGTERM and SIGHUP from now on, and adopts what descendants leave behind.
    ///
    /// # Errors
    /// The system does not let it.
    pub fn catch() -> Result<Self, Problem> {
        let set_up = || -> io::Result<Self> {
            let (wish, writer) = UnixStream::pair()?;
            for signal in [SIGINT, SIGTERM, SIGHUP] {
                signal_hook::low_level::pipe::register(signal, writer.try_clone()?)?;
            }
            set_child_subreaper(Some(rustix::process::getpid()))?;
            Ok(Self { wish })
        };
        set_up().map_err(|error| Problem::new(format!("can't catch signals: {error}")))
    }

    /// Whether the user wants to stop.
    pub fn wished(&self) -> bool {
        let mut fds = [PollFd::new(&self.wish, PollFlags::IN)];
        poll(&mut fds, Some(&Timespec::default())).is_ok_and(|ready| ready > 0)
    }
}

/// Runs a program to its end, or to its limit. When this returns, no descendant of this process is
/// left.
///
/// # Errors
/// It can't be started, or the system refuses what it takes to wait for it.
pub fn run(command: &mut Command, limit: Duration, interrupt: &Interrupt) -> io::Result<Finished> {
    let (mut stdout, mut stderr) = (tempfile::tempfile()?, tempfile::tempfile()?);
    command.stdin(Stdio::null()).stdout(stdout.try_clone()?).stderr(stderr.try_clone()?);
    let start = Instant::now();
    let mut child = command.process_group(0).spawn()?;
    let pid = Pid::from_child(&child);
    let waited = wait(pid, start + limit, interrupt);
    let time = start.elapsed();
    if !matches!(waited, Ok(None)) {
        // The launcher first, which knows what it has started and cleans up.
        let _ = kill_process_group(pid, Signal::TERM);
        let _ = wait_only(pid, Instant::now() + GRACE);
        let _ = kill_process_group(pid, Signal::KILL);
    }
    let status = child.wait()?;
    end_descendants();
    let end = waited?.unwrap_or(End::Exited(status));
    Ok(Finished { end, stdout: text(&mut stdout)?, stderr: text(&mut stderr)?, time })
}

/// A program's exit status in words.
pub fn shown(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit status {code}"),
        (None, Some(signal)) => {
            let name = signal_hook::low_level::signal_name(signal).unwrap_or("a signal");
            format!("killed by {name} ({signal})")
        }
        (None, None) => status.to_string(),
    }
}

/// Waits for the end of a child, which is `None`, or for something else.
fn wait(pid: Pid, deadline: Instant, interrupt: &Interrupt) -> io::Result<Option<End>> {
    let child = pidfd_open(pid, PidfdFlags::empty())?;
    loop {
        let mut fds =
            [PollFd::new(&child, PollFlags::IN), PollFd::new(&interrupt.wish, PollFlags::IN)];
        let left = deadline.saturating_duration_since(Instant::now());
        match poll(&mut fds, Some(&timespec(left))) {
            Ok(_) if !fds[0].revents().is_empty() => return Ok(None),
            Ok(_) if !fds[1].revents().is_empty() => return Ok(Some(End::Interrupted)),
            Ok(_) if Instant::now() >= deadline => return Ok(Some(End::TooLong)),
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

fn wait_only(pid: Pid, deadline: Instant) -> io::Result<()> {
    let child = pidfd_open(pid, PidfdFlags::empty())?;
    loop {
        let mut fds = [PollFd::new(&child, PollFlags::IN)];
        let left = deadline.saturating_duration_since(Instant::now());
        match poll(&mut fds, Some(&timespec(left))) {
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
            Ok(_) => return Ok(()),
        }
    }
}

fn timespec(time: Duration) -> Timespec {
    // A millisecond more, so that a deadline has passed when the wait ends.
    let time = time + Duration::from_millis(1);
    Timespec { tv_sec: time.as_secs() as i64, tv_nsec: i64::from(time.subsec_nanos()) }
}

/// Kills all descendants, and waits for them: also for their children, who become ours.
fn end_descendants() {
    loop {
        for pid in descendants() {
            let _ = kill_process(pid, Signal::KILL);
        }
        // Without children this is ECHILD.
        match wait_any(WaitOptions::empty()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
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

fn text(file: &mut File) -> io::Result<String> {
    file.seek(SeekFrom::Start(0))?;
    let mut bytes = Vec::new();
    file.take(MOST_OUTPUT).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
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
    fn statuses_in_words() {
        assert_eq!(shown(ExitStatus::from_raw(3 << 8)), "exit status 3");
        assert_eq!(shown(ExitStatus::from_raw(9)), "killed by SIGKILL (9)");
    }
}
