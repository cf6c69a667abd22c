//! What is said at the end of a job that did not go well.

#![forbid(unsafe_code)]

use std::fmt::Write;
use std::time::Duration;

use cairn_framework::host::problem::Problem;

use crate::cli::Timeout;
use crate::program;
use crate::supervisor::wire::End;

/// Exit status after `--timeout`, as that of timeout(1).
pub const TIMED_OUT: u8 = 124;

/// Why a job ended otherwise than by all ranks ending well.
#[derive(Debug)]
pub enum Cause {
    /// A rank died or failed.
    Failed(u32),
    /// A rank asked for it: with this status, saying this.
    Aborted(u32, i32, String),
    /// A rank ended without taking leave.
    NotFinalized(u32),
    /// A rank waits for one that has ended; it had joined or not.
    Stuck {
        /// The one that has ended.
        ended: u32,
        /// One that waits.
        waits: u32,
        /// Whether it had ever joined.
        joined: bool,
    },
    /// A rank does not speak PMI.
    Violation(u32, String),
    /// A rank could not be started: mpirun's exit status, and why.
    NotStarted(u8, Problem),
    /// It took too long.
    TimedOut(Timeout),
    /// mpirun was told to end, by this signal.
    Signal(i32),
    /// The supervisor died.
    SupervisorDied(String),
}

impl Cause {
    /// The rank that said it, if one did.
    pub fn speaker(&self) -> Option<u32> {
        match self {
            Self::Aborted(rank, ..) | Self::Violation(rank, _) => Some(*rank),
            _ => None,
        }
    }
}

/// What is known of a rank.
#[derive(Debug, Clone, Default)]
pub struct RankStatus {
    /// Its process id, once it was started.
    pub pid: Option<i32>,
    /// How it ended, once it has.
    pub end: Option<End>,
    /// How long it lived, until now or its end.
    pub lived: Duration,
    /// Whether it ended because it was told to.
    pub notified: bool,
    /// Its program.
    pub program: String,
}

/// The exit status of mpirun.
pub fn status(cause: &Cause, statuses: &[RankStatus]) -> u8 {
    match cause {
        Cause::Failed(rank) => match statuses[*rank as usize].end {
            Some(End::Exit(code)) => code.to_le_bytes()[0],
            Some(End::Signal(signal, _)) => 128 + signal as u8,
            None => 1,
        },
        // A job that was aborted has not done well, whatever it says.
        Cause::Aborted(_, code, _) => match code.to_le_bytes()[0] {
            0 => 1,
            code => code,
        },
        Cause::Signal(signal) => 128 + *signal as u8,
        Cause::TimedOut(_) => TIMED_OUT,
        Cause::NotStarted(status, _) => *status,
        Cause::NotFinalized(_)
        | Cause::Stuck { .. }
        | Cause::Violation(..)
        | Cause::SupervisorDied(_) => 1,
    }
}

/// The block on standard error.
pub fn text(cause: &Cause, statuses: &[RankStatus], host: &str) -> String {
    let (what, rank) = match cause {
        Cause::Failed(rank) => {
            let how = match statuses[*rank as usize].end {
                Some(End::Signal(signal, _)) => format!("was killed by {}", signal_name(signal)),
                Some(End::Exit(code)) => format!("exited with status {code}"),
                None => "failed".into(),
            };
            (format!("rank {rank} {how}"), Some(*rank))
        }
        Cause::Aborted(rank, code, message) => {
            let colon = if message.is_empty() { "" } else { ": " };
            (format!("rank {rank} aborted the job with code {code}{colon}{message}"), Some(*rank))
        }
        Cause::NotFinalized(rank) => {
            let what = format!("rank {rank} ended without MPI_Finalize, after MPI_Init");
            (what, Some(*rank))
        }
        Cause::Stuck { ended, waits, joined } => {
            let how = if *joined { "after MPI_Finalize" } else { "without MPI_Init" };
            let what = format!("rank {ended} ended {how}, and rank {waits} waits for it for ever");
            (what, Some(*ended))
        }
        Cause::Violation(rank, what) => {
            let what = format!(
                "rank {rank} sent over PMI_FD what is no request of PMI-1: {what:?}; does its \
                 program use the descriptor for something else?"
            );
            (what, Some(*rank))
        }
        Cause::TimedOut(limit) => {
            let running: Vec<String> = (0..statuses.len())
                .filter(|rank| statuses[*rank].end.is_none() || statuses[*rank].notified)
                .map(|rank| rank.to_string())
                .collect();
            let running = shortened(&running);
            let Timeout { after, said } = limit;
            (format!("the job took longer than {} ({said})", seconds(*after)) + &running, None)
        }
        Cause::Signal(signal) => (format!("ended by {}", signal_name(*signal)), None),
        Cause::SupervisorDied(how) => {
            let what = "the process that watched over the ranks".to_owned();
            (format!("{what} {how}"), None)
        }
        Cause::NotStarted(_, problem) => {
            return format!("{problem}\n");
        }
    };
    let mut text = format!("mpirun: {what}");
    // Ranks without a report were killed with the supervisor.
    let was_ended =
        |status: &RankStatus| status.notified || (status.pid.is_some() && status.end.is_none());
    let others = (0..).zip(statuses).filter(|(other, _)| Some(*other) != rank);
    let ended = others.filter(|(_, status)| was_ended(status)).count();
    if ended > 0 {
        let other = if rank.is_some() { "other " } else { "" };
        let (es, were) = if ended == 1 { ("", "was") } else { ("es", "were") };
        let number = if ended == 1 { String::new() } else { format!("{ended} ") };
        let _ = write!(text, "; the {number}{other}process{es} {were} ended");
    }
    text.push('\n');
    if let Some(rank) = rank {
        let status = &statuses[rank as usize];
        let mut line = |label: &str, value: String| {
            let _ = writeln!(text, "  {label:9}{value}");
        };
        line("rank:", format!("{rank} of {}", statuses.len()));
        line("program:", status.program.clone());
        line("host:", host.to_owned());
        if let Some(pid) = status.pid {
            line("process:", pid.to_string());
        }
        match status.end {
            Some(End::Exit(code)) => line("end:", format!("exit status {code}")),
            // It was on its way out.
            Some(End::Signal(..)) if status.notified => {
                line("end:", "ended with the others".into())
            }
            Some(End::Signal(signal, dumped)) => {
                let core = if dumped { ", memory dumped" } else { "" };
                line("end:", format!("signal {signal}, {}{core}", signal_name(signal)));
            }
            None => {}
        }
        line("lived:", seconds(status.lived));
    }
    text
}

/// For a timeout: the ranks that still ran.
fn shortened(ranks: &[String]) -> String {
    match ranks {
        [] => String::new(),
        [one] => format!("; rank {one} still ran"),
        some if some.len() <= 8 => format!("; ranks {} still ran", some.join(", ")),
        many => format!("; {} ranks still ran", many.len()),
    }
}

fn seconds(duration: Duration) -> String {
    let digits = if duration < Duration::from_secs(1) { 3 } else { 1 };
    format!("{:.digits$} s", duration.as_secs_f64())
}

/// A signal's name, and what it means where the name does not say it.
pub fn signal_name(signal: i32) -> String {
    let (name, meaning) = match signal {
        libc::SIGHUP => ("SIGHUP", ""),
        libc::SIGINT => ("SIGINT", ""),
        libc::SIGQUIT => ("SIGQUIT", ""),
        libc::SIGILL => ("SIGILL", "an instruction this processor does not know"),
        libc::SIGTRAP => ("SIGTRAP", "a breakpoint"),
        libc::SIGABRT => ("SIGABRT", "it called abort"),
        libc::SIGBUS => ("SIGBUS", "memory that can't be accessed"),
        libc::SIGFPE => ("SIGFPE", "an arithmetic error"),
        libc::SIGKILL => ("SIGKILL", "killed from outside, or the machine was out of memory"),
        libc::SIGSEGV => ("SIGSEGV", "an invalid address"),
        libc::SIGPIPE => ("SIGPIPE", "the reader of its output is gone"),
        libc::SIGALRM => ("SIGALRM", ""),
        libc::SIGTERM => ("SIGTERM", ""),
        libc::SIGUSR1 => ("SIGUSR1", ""),
        libc::SIGUSR2 => ("SIGUSR2", ""),
        libc::SIGXCPU => ("SIGXCPU", "its limit of processor time"),
        libc::SIGXFSZ => ("SIGXFSZ", "its limit of file size"),
        libc::SIGSYS => ("SIGSYS", "a forbidden system call"),
        other => return format!("signal {other}"),
    };
    if meaning.is_empty() { name.into() } else { format!("{name} ({meaning})") }
}

/// Why a rank could not be started.
pub fn not_started(
    rank: u32,
    step: crate::supervisor::wire::Step,
    errno: i32,
    app: &crate::job::App,
    cpus: &[u32],
) -> Cause {
    use crate::supervisor::wire::Step;
    let error = std::io::Error::from_raw_os_error(errno);
    let (status, problem) = match step {
        Step::Program => program::refused(&app.program, &error),
        Step::Directory => {
            let dir = app.dir.clone().unwrap_or_default();
            let problem = Problem::new(format!("can't run in {}: {error}", dir.display()))
                .at("--wdir")
                .fix("look at its rights");
            (1, problem)
        }
        Step::Bind => {
            let cpus = crate::topology::cpu_ranges(cpus);
            let problem =
                Problem::new(format!("can't bind rank {rank} to processors {cpus}: {error}"))
                    .at("--bind-to")
                    .fix("the processors were taken away meanwhile; try again, or --bind-to none");
            (1, problem)
        }
        Step::Process => {
            let problem = Problem::new(format!("can't start rank {rank}: {error}"))
                .at("making the process")
                .fix("raise the limit on processes (ulimit -u, or pids.max of the control group)");
            (1, problem)
        }
    };
    Cause::NotStarted(status, problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statuses() -> Vec<RankStatus> {
        let status = |end| RankStatus {
            pid: Some(77),
            end,
            notified: end.is_none(),
            lived: Duration::from_millis(1520),
            program: "./app".into(),
        };
        vec![status(None), status(Some(End::Signal(11, true))), status(Some(End::Exit(3)))]
    }

    #[test]
    fn one_block_with_everything() {
        assert_eq!(
            text(&Cause::Failed(1), &statuses(), "vm"),
            "mpirun: rank 1 was killed by SIGSEGV (an invalid address); the other process was \
             ended\n  rank:    1 of 3\n  program: ./app\n  host:    vm\n  process: 77\n  end:     \
             signal 11, SIGSEGV (an invalid address), memory dumped\n  lived:   1.5 s\n"
        );
        let timeout = Timeout { after: Duration::from_millis(50), said: "--timeout" };
        let timed_out = text(&Cause::TimedOut(timeout), &statuses(), "vm");
        assert_eq!(
            timed_out,
            "mpirun: the job took longer than 0.050 s (--timeout); rank 0 still ran; the process \
             was ended\n"
        );
    }

    #[test]
    fn exit_statuses() {
        for (cause, wanted) in [
            (Cause::Failed(1), 139),
            (Cause::Failed(2), 3),
            (Cause::Aborted(0, 7, String::new()), 7),
            (Cause::Aborted(0, 0, String::new()), 1),
            (Cause::Aborted(0, 256, String::new()), 1),
            (Cause::Aborted(0, -1, String::new()), 255),
            (Cause::Signal(15), 143),
            (Cause::TimedOut(Timeout { after: Duration::ZERO, said: "--timeout" }), 124),
            (Cause::NotFinalized(0), 1),
        ] {
            assert_eq!(status(&cause, &statuses()), wanted, "{cause:?}");
        }
    }
}
