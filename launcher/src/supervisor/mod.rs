//! The supervisor: the process between mpirun and the ranks, which sees to it that nothing survives.
//!
//! ```text
//!   mpirun ──fork──► supervisor ──► rank 0 ──► whatever it starts
//!      ▲     socket        │    └─► rank 1
//!      └───────────────────┘
//! ```
//!
//! | what dies | what ends the others |
//! |---|---|
//! | mpirun | the supervisor sees the end of the socket, and kills all its descendants |
//! | the supervisor | each rank is killed by its parent-death signal; what ranks had started becomes mpirun's, which kills it |
//! | a rank | mpirun decides; the supervisor ends the others when told |
//!
//! Both are *subreapers*: a descendant that loses its own parent becomes their child, even if it
//! left its process group or session. A process of the job survives only if mpirun and the supervisor
//! are killed in one moment, and if it is not a rank itself.
//!
//! Files of shared memory that still have a name go with the last process: the supervisor sweeps, or
//! mpirun if the supervisor is dead, or the next mpirun if both are.
//!
//! The supervisor is a copy of mpirun with one thread, in a process group of its own, so that a
//! terminal's signals go to mpirun alone, which passes them on.

pub mod descendants;
mod spawn;
pub mod wire;

use std::collections::HashMap;
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, Timespec, epoll, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, WaitStatus, kill_process_group, pidfd_open,
};

use crate::job::Job;
use crate::sys::{self, SignalSet};
pub use spawn::PMI_FD;
use spawn::{Prepared, Spawner};
use wire::{Channel, End, Order, Report};

/// How long processes that ranks have left behind may take to end.
const LEFT_BEHIND_GRACE: Duration = Duration::from_secs(1);

/// The descriptors of a rank. What is not there it shares with mpirun.
pub struct Ends {
    /// Standard input. Ranks other than 0 without it have an empty one.
    pub input: Option<OwnedFd>,
    /// Standard output and error.
    pub output: Option<(OwnedFd, OwnedFd)>,
    /// The socket to the process manager.
    pub pmi: OwnedFd,
}

struct Supervisor {
    channel: Channel,
    /// Ranks that run, by process id.
    ranks: HashMap<Pid, RunningRank>,
    /// Where the descriptors of the ranks' processes become ready, in the order in which those end.
    ends: OwnedFd,
    /// Whether mpirun wants to know when every rank that has ended was reported.
    census: bool,
    /// Whether every process has been told to end.
    notified: bool,
    /// When those that are left are killed.
    deadline: Option<Instant>,
    killing: bool,
    /// Whether processes that ranks have left behind have been looked for.
    swept: bool,
}

/// A rank that runs.
struct RunningRank {
    rank: u32,
    started: Instant,
    /// Ready when the process has ended. Without it, the order of this end among others is unknown.
    _process: Option<OwnedFd>,
}

/// Does the supervisor's work and ends the process. `mask` and `descriptors` are the signals and the
/// limits that ranks begin with.
pub fn run(
    channel: OwnedFd,
    job: &Job,
    ends: Vec<Ends>,
    mask: SignalSet,
    descriptors: rustix::process::Rlimit,
) -> ! {
    let _ = rustix::process::setpgid(None, None);
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
    let _ = rustix::thread::set_name(c"supervisor");
    let Ok(order) = epoll::create(epoll::CreateFlags::CLOEXEC) else { sys::exit_copy(1) };
    let mut supervisor = Supervisor {
        channel: channel.into(),
        ranks: HashMap::new(),
        ends: order,
        census: false,
        notified: false,
        deadline: None,
        killing: false,
        swept: false,
    };
    let signals = SignalSet::all().block().and_then(|_| SignalSet::all().descriptor());
    let Ok(signals) = signals else { sys::exit_copy(1) };
    let spawner = Spawner::new(mask, (descriptors.current, descriptors.maximum));
    supervisor.start(job, &ends, spawner);
    supervisor.flush();
    drop(ends);
    supervisor.watch(&signals);
    // No process of the job is left, so neither is a use for files that it named.
    cairn_segment::sweep();
    sys::exit_copy(0)
}

impl Supervisor {
    /// Starts the ranks, unless it is told to end meanwhile.
    fn start(&mut self, job: &Job, ends: &[Ends], mut spawner: Spawner) {
        let mut apps: Vec<Prepared> = job.apps.iter().map(Prepared::new).collect();
        let (stdin, stdout, stderr) =
            (rustix::stdio::stdin(), rustix::stdio::stdout(), rustix::stdio::stderr());
        // mpirun has opened it before.
        let null = std::fs::File::open("/dev/null").ok();
        for (number, (rank, ends)) in job.ranks.iter().zip(ends).enumerate() {
            self.take_orders();
            if self.notified {
                return;
            }
            let (output, error) = match &ends.output {
                Some((output, error)) => (output.as_fd(), error.as_fd()),
                None => (stdout, stderr),
            };
            let input = match (&ends.input, &null) {
                (Some(input), _) => input.as_fd(),
                (None, Some(null)) if number > 0 => null.as_fd(),
                (None, _) => stdin,
            };
            let started = Instant::now();
            let number = number as u32;
            let stdio = [input, output, error];
            match spawner.spawn(&mut apps[rank.app], rank, stdio, ends.pmi.as_fd()) {
                Ok(pid) => {
                    if let Some(pid) = Pid::from_raw(pid) {
                        let process = pidfd_open(pid, PidfdFlags::empty()).ok();
                        if let Some(process) = &process {
                            let data = epoll::EventData::new_u64(pid.as_raw_nonzero().get() as u64);
                            let _ = epoll::add(&self.ends, process, data, epoll::EventFlags::IN);
                        }
                        let running = RunningRank { rank: number, started, _process: process };
                        self.ranks.insert(pid, running);
                    }
                    self.report(Report::Started { rank: number, pid });
                }
                Err((step, errno)) => {
                    self.report(Report::NotStarted { rank: number, step, errno });
                    return;
                }
            }
        }
    }

    /// Reaps and ends processes until none is left.
    fn watch(&mut self, signals: &OwnedFd) {
        loop {
            let left = self.reap();
            if std::mem::take(&mut self.census) {
                self.report(Report::Census);
            }
            self.flush();
            if !left {
                return;
            }
            if self.deadline.is_some_and(|deadline| deadline <= Instant::now()) {
                self.kill();
            }
            let timeout = self.deadline.map(|deadline| {
                let left = deadline.saturating_duration_since(Instant::now());
                Timespec { tv_sec: left.as_secs() as i64, tv_nsec: left.subsec_nanos().into() }
            });
            let mut places = [
                PollFd::from_borrowed_fd(self.channel.as_fd(), PollFlags::IN),
                PollFd::from_borrowed_fd(signals.as_fd(), PollFlags::IN),
            ];
            // Without mpirun no orders come, and the descriptor would always be ready.
            let first = usize::from(self.killing);
            let _ = poll(&mut places[first..], timeout.as_ref());
            while let Ok(Some(_)) = sys::next_signal(signals) {}
            if !self.killing {
                self.take_orders();
            }
        }
    }

    /// Takes the exit status of every process that has ended, and reports ranks in the order in which
    /// they ended: the first is the cause, and others may have noticed it. False when no process is left.
    fn reap(&mut self) -> bool {
        // `wait` tells of children in the order in which they were started.
        let mut unordered = Vec::new();
        let left = loop {
            match rustix::process::wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if self.ranks.contains_key(&pid) => {
                    unordered.push((pid, status));
                }
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => break true,
                Err(_) => break false,
            }
        };
        let mut ready = Vec::with_capacity(self.ranks.len().max(1));
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        let _ = epoll::wait(&self.ends, spare_capacity(&mut ready), Some(&now));
        for event in ready {
            let Some(pid) = Pid::from_raw(event.data.u64() as i32) else { continue };
            let known = unordered.iter().position(|(other, _)| *other == pid);
            let status = match known {
                Some(place) => Some(unordered.remove(place).1),
                // It has ended since.
                None => rustix::process::waitpid(Some(pid), WaitOptions::NOHANG)
                    .ok()
                    .flatten()
                    .map(|(_, status)| status),
            };
            if let Some(status) = status {
                self.ended(pid, status);
            }
        }
        for (pid, status) in unordered {
            self.ended(pid, status);
        }
        if !left {
            return false;
        }
        if self.killing {
            // Killing a process may have given its children to the supervisor.
            self.kill();
        } else if self.ranks.is_empty() && !self.swept {
            self.swept = true;
            let orphans = descendants::children();
            if !orphans.is_empty() && !self.notified {
                self.report(Report::LeftBehind(orphans.len() as u32));
            }
            descendants::signal(&orphans, Signal::TERM);
            let deadline = Instant::now() + LEFT_BEHIND_GRACE;
            self.deadline = Some(self.deadline.map_or(deadline, |before| before.min(deadline)));
        }
        true
    }

    /// Reports a rank that has ended.
    fn ended(&mut self, pid: Pid, status: WaitStatus) {
        if let Some(RunningRank { rank, started, .. }) = self.ranks.remove(&pid) {
            let lived = started.elapsed().as_micros() as u64;
            self.report(Report::Exited {
                rank,
                end: end_of(status),
                lived,
                notified: self.notified,
            });
        }
    }

    fn take_orders(&mut self) {
        let (orders, there) = self.channel.receive();
        for order in orders {
            match order {
                Order::Signal(signal) => self.signal(signal, None),
                Order::Census => self.census = true,
                Order::End { signal, grace, except } => {
                    self.notified = true;
                    self.signal(signal, except);
                    self.signal(libc::SIGCONT, None);
                    let deadline = Instant::now() + Duration::from_millis(grace.into());
                    self.deadline =
                        Some(self.deadline.map_or(deadline, |before| before.min(deadline)));
                }
            }
        }
        if !there {
            self.notified = true;
            self.kill();
        }
    }

    /// Sends a signal to the ranks' groups, except that of one. A rank that is not waited for yet keeps its number.
    fn signal(&self, signal: i32, except: Option<u32>) {
        let Some(signal) = Signal::from_named_raw(signal) else { return };
        for (pid, _) in self.ranks.iter().filter(|(_, running)| Some(running.rank) != except) {
            let _ = kill_process_group(*pid, signal);
        }
    }

    /// Kills all there are. Descendants of those come to the supervisor, and are killed then.
    fn kill(&mut self) {
        self.killing = true;
        self.deadline = None;
        self.signal(libc::SIGKILL, None);
        descendants::signal(&descendants::children(), Signal::KILL);
    }

    /// Tells mpirun, with the next flush.
    fn report(&mut self, report: Report) {
        self.channel.queue(&report);
    }

    /// Tells mpirun at once. When it is gone, the next look at the channel shows it.
    fn flush(&mut self) {
        let _ = self.channel.flush();
    }
}

fn end_of(status: WaitStatus) -> End {
    match status.terminating_signal() {
        Some(signal) => End::Signal(signal, status.as_raw() & 0x80 != 0),
        None => End::Exit(status.exit_status().unwrap_or(1)),
    }
}
