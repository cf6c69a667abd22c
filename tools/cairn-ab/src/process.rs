//! Running a program for at most so long, so that nothing of it is left: not when it ends, nor when it
//! takes too long or the user stops it, nor when this process is killed. One program runs at a time,
//! under a [`supervisor`].

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use cairn_framework::host::problem::Problem;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::supervisor::{self, timespec};

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
    /// It was ended because its supervisor was killed.
    Lost,
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
    /// The processor time of it and of all that it started, if its supervisor could say it.
    pub cpu: Option<Duration>,
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
            // What is left where a supervisor is killed.
            supervisor::adopt()?;
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

/// Why something ends before it is done.
#[derive(Debug)]
pub enum Stop {
    /// The user wants it.
    Interrupted,
    /// It can't be done.
    Problem(Problem),
}

impl From<Problem> for Stop {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

impl From<String> for Stop {
    fn from(reason: String) -> Self {
        Self::Problem(Problem::new(reason))
    }
}

/// As it is told before anything was measured.
impl From<Stop> for Problem {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Interrupted => Self::new("stopped before anything was measured"),
            Stop::Problem(problem) => problem,
        }
    }
}

/// Runs a program that must end by itself; in messages it is called `what`.
///
/// # Errors
/// It can't be run, or does not end.
pub fn asked(
    what: &str,
    command: &Command,
    limit: Duration,
    interrupt: &Interrupt,
) -> Result<Finished, Stop> {
    let finished =
        run(command, limit, interrupt).map_err(|error| format!("{what} can't be run: {error}"))?;
    match finished.end {
        End::Exited(_) => Ok(finished),
        End::TooLong => {
            Err(format!("{what} took longer than {} minutes", limit.as_secs() / 60).into())
        }
        End::Interrupted => Err(Stop::Interrupted),
        End::Lost => Err(format!("{what} was killed").into()),
    }
}

/// Runs a program to its end, or to its limit. When this returns, no descendant of this process is
/// left.
///
/// # Errors
/// It can't be started, or the system refuses what it takes to wait for it.
pub fn run(command: &Command, limit: Duration, interrupt: &Interrupt) -> io::Result<Finished> {
    let (mut stdout, mut stderr) = (tempfile::tempfile()?, tempfile::tempfile()?);
    let (mut line, theirs) = UnixStream::pair()?;
    let mut supervisor = supervisor::over(command);
    supervisor.stdin(OwnedFd::from(theirs));
    supervisor.stdout(stdout.try_clone()?).stderr(stderr.try_clone()?);
    let start = Instant::now();
    let mut child = supervisor.spawn()?;
    // It has their end of the line, which must be the supervisor's alone.
    drop(supervisor);
    let waited = wait(&line, start + limit, interrupt);
    let time = start.elapsed();
    // If it has not ended yet, it is ended now.
    let _ = line.shutdown(Shutdown::Write);
    let mut said = String::new();
    let read = line.read_to_string(&mut said);
    child.wait()?;
    supervisor::end_descendants();
    read?;
    let (end, cpu) = match (waited?, supervisor::heard(&said)) {
        (Some(end), _) => (end, None),
        (None, heard) => match heard? {
            Some((status, cpu)) => (End::Exited(status), Some(cpu)),
            None => (End::Lost, None),
        },
    };
    Ok(Finished { end, stdout: text(&mut stdout)?, stderr: text(&mut stderr)?, time, cpu })
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

/// Waits until the supervisor says something or is killed, which is `None`, or for something else.
fn wait(line: &UnixStream, deadline: Instant, interrupt: &Interrupt) -> io::Result<Option<End>> {
    loop {
        let mut fds =
            [PollFd::new(line, PollFlags::IN), PollFd::new(&interrupt.wish, PollFlags::IN)];
        let left = deadline.saturating_duration_since(Instant::now());
        match poll(&mut fds, Some(&timespec(left))) {
            Ok(_) if !fds[0].revents().is_empty() => return Ok(None),
            Ok(_) if !fds[1].revents().is_empty() => return Ok(Some(End::Interrupted)),
            Ok(_) if Instant::now() >= deadline => return Ok(Some(End::TooLong)),
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
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
    fn statuses_in_words() {
        assert_eq!(shown(ExitStatus::from_raw(3 << 8)), "exit status 3");
        assert_eq!(shown(ExitStatus::from_raw(9)), "killed by SIGKILL (9)");
    }
}
