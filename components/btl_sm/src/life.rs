//! Whether the peers live.
//!
//! A peer whose segment is reached through its descriptors in `/proc` has a process id that is valid
//! here. The kernel tells of its end by a descriptor (pidfd), however it ends. Nobody looks at that on the
//! way of a message: a seldom progress callback asks the kernel, some times a second.
//!
//! Where files are in the place of memfds, processes may not know each other's ids, and nobody is
//! watched.

use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use cairn_segment::Segment;
use parking_lot::Mutex;
use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

/// How long at least between two looks.
const INTERVAL: Duration = Duration::from_millis(50);

/// The processes that are watched.
pub struct Lives(Mutex<Watched>);

struct Watched {
    /// With the descriptors of all that live. Without one, as when no file can be opened, nobody is
    /// watched.
    epoll: Option<OwnedFd>,
    /// By rank.
    processes: Vec<(u32, Process)>,
    /// Who had ended at the last look.
    ended: Vec<u32>,
    looked: Instant,
}

/// A process that may end.
pub struct Process(OwnedFd);

impl Process {
    /// The process that a card leads to; none if that can't be said. Its segment has to be attached
    /// afterwards: only then it is clear that the id was still that of the card's owner.
    pub fn of(card: &[u8]) -> Option<Self> {
        Self::with_id(Segment::owner(card)?)
    }

    fn with_id(id: u32) -> Option<Self> {
        let id = Pid::from_raw(i32::try_from(id).ok()?)?;
        pidfd_open(id, PidfdFlags::empty()).ok().map(Self)
    }
}

impl Lives {
    /// Nobody is watched.
    pub fn new() -> Self {
        let epoll = epoll::create(CreateFlags::CLOEXEC).ok();
        let (processes, ended) = Default::default();
        Self(Mutex::new(Watched { epoll, processes, ended, looked: Instant::now() }))
    }

    /// Watches the process of a rank.
    pub fn watch(&self, rank: u32, process: Process) {
        let watched = &mut *self.0.lock();
        let Some(epoll) = &watched.epoll else { return };
        let known = watched.processes.iter().any(|(other, _)| *other == rank);
        let once = EventFlags::IN | EventFlags::ONESHOT;
        let data = EventData::new_u64(rank.into());
        if !known && epoll::add(epoll, &process.0, data, once).is_ok() {
            watched.processes.push((rank, process));
        }
    }

    /// Whether the process of a rank is watched.
    pub fn watches(&self, rank: u32) -> bool {
        let watched = self.0.lock();
        watched.processes.iter().any(|(other, _)| *other == rank)
    }

    /// Watches it no more.
    pub fn forget(&self, rank: u32) {
        let mut watched = self.0.lock();
        watched.processes.retain(|(other, _)| *other != rank);
        watched.ended.retain(|other| *other != rank);
    }

    /// The ranks whose process had ended when somebody looked before: everything that they had sent
    /// was polled since.
    pub fn ended(&self) -> Vec<u32> {
        let Some(mut watched) = self.0.try_lock() else { return Vec::new() };
        if watched.processes.is_empty() || watched.looked.elapsed() < INTERVAL {
            return Vec::new();
        }
        let ended = std::mem::take(&mut watched.ended);
        watched.processes.retain(|(rank, _)| !ended.contains(rank));
        watched.ended = watched.epoll.as_ref().map_or_else(Vec::new, readable);
        watched.looked = Instant::now();
        ended
    }
}

/// What the kernel tells, now.
fn readable(epoll: &OwnedFd) -> Vec<u32> {
    let mut events = [MaybeUninit::<Event>::uninit(); 64];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    // An error is an interruption by a signal: the next look sees more.
    let Ok((ready, _)) = epoll::wait(epoll, &mut events[..], Some(&now)) else { return Vec::new() };
    ready.iter().map(|event| event.data.u64() as u32).collect()
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use cairn_segment::{Backing, Options};

    use super::*;

    #[test]
    fn the_end_of_a_process_is_told_once_and_with_the_second_look() {
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let lives = Lives::new();
        lives.watch(7, Process::with_id(child.id()).unwrap());
        assert!(lives.watches(7) && !lives.watches(8));
        let look = || {
            lives.0.lock().looked -= INTERVAL;
            lives.ended()
        };
        assert!(look().is_empty() && look().is_empty());
        // It ends with its input.
        drop(child.stdin.take());
        child.wait().unwrap();
        assert!(lives.ended().is_empty(), "too early to look");
        assert!(look().is_empty());
        assert_eq!(look(), [7]);
        assert!(look().is_empty() && !lives.watches(7));
    }

    #[test]
    fn processes_are_found_by_their_cards() {
        let segment = |backing| {
            let options = Options { name: "life", len: 1 << 16, backing, peers: 0 };
            Segment::create(&options).unwrap()
        };
        assert_eq!(Segment::owner(segment(Backing::Memory).card()), Some(std::process::id()));
        assert!(Process::of(segment(Backing::Memory).card()).is_some());
        assert!(Process::of(b"no card").is_none());
    }
}
