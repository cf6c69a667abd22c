//! Whether the processes of the node live.
//!
//! The way of a message does not look at that: a seldom progress callback asks, some times a second.
//!
//! * Peers that we send to or that have sent to us are watched. The kernel tells of their end by a
//!   descriptor (pidfd) as soon as it is over with them, however they end. Where there is none (an older
//!   kernel, a filter of system calls, no descriptor left, ids that mean nothing here), each look asks
//!   for them one by one ([`Owner`]).
//! * Of the others each look asks for the next ones: a receive may wait for a process that has died
//!   before its first message.
//!
//! A peer that computes for hours lives; no time is a sign of death. Where processes have no ids for each
//! other and share files, one that dies before its first message may die unnoticed: its file tells, but the
//! next job to start removes it.

use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use cairn_framework::abi::peer::{PEER_LOCAL, PEER_SELF};
use cairn_framework::abi::status::ERR_NOT_FOUND;
use cairn_framework::author::HostHandle;
use cairn_framework::author::Mutex;
use cairn_segment::{Life, Owner};
use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

/// How long processes without messages to or from us are not asked for. Each costs its card, and a job
/// that starts has more urgent questions.
const EARLY: Duration = Duration::from_secs(1);

/// The processes that are watched.
pub struct Lives {
    /// Whose card a transport's card is.
    owner_of: fn(&[u8]) -> Option<Owner>,
    watched: Mutex<Watched>,
    /// Ranks that have sent to us and were not looked at since.
    met: Mutex<Vec<u32>>,
    /// A thread reaps.
    reaping: AtomicBool,
}

struct Watched {
    /// With the descriptors of all that have one and live.
    epoll: Option<OwnedFd>,
    /// By rank.
    processes: Vec<(u32, Watch)>,
    /// Ranks that have ended, which was not reported yet.
    ended: Vec<u32>,
    /// Ranks that are not asked for any more.
    over: Vec<u32>,
    /// The other processes of the node, and which is the next to be asked for.
    others: Option<Vec<u32>>,
    next: usize,
    began: Instant,
    looked: Instant,
    /// How long at least between two looks; not zero.
    interval: Duration,
}

/// How the end of a process is noticed.
enum Watch {
    /// By a descriptor in the set.
    Notified(#[expect(dead_code, reason = "closed with it")] OwnedFd),
    /// By asking.
    Polled(Box<Owner>),
}

impl Watch {
    /// The best way there is.
    fn of(rank: u32, owner: Owner, epoll: Option<&OwnedFd>) -> Self {
        let descriptor = epoll.and_then(|epoll| {
            let id = Pid::from_raw(i32::try_from(owner.id()?).ok()?)?;
            let descriptor = pidfd_open(id, PidfdFlags::empty()).ok()?;
            // Only now it is clear that the id was still that of the owner.
            if owner.life() != Life::Lives {
                return None;
            }
            let once = EventFlags::IN | EventFlags::ONESHOT;
            let data = EventData::new_u64(rank.into());
            epoll::add(epoll, &descriptor, data, once).ok().map(|()| descriptor)
        });
        match descriptor {
            Some(descriptor) => Self::Notified(descriptor),
            None => Self::Polled(Box::new(owner.keep())),
        }
    }
}

impl Lives {
    /// No process is watched. So long, which is not zero, is at least between two looks. `owner_of` finds
    /// the process in a card of the transport.
    pub fn new(interval: Duration, owner_of: fn(&[u8]) -> Option<Owner>) -> Self {
        Self::with(epoll::create(CreateFlags::CLOEXEC).ok(), interval, owner_of)
    }

    fn with(
        epoll: Option<OwnedFd>,
        interval: Duration,
        owner_of: fn(&[u8]) -> Option<Owner>,
    ) -> Self {
        let watched = Watched {
            epoll,
            processes: Vec::new(),
            ended: Vec::new(),
            over: Vec::new(),
            others: None,
            next: 0,
            began: Instant::now(),
            looked: Instant::now(),
            interval,
        };
        let (met, reaping) = (Mutex::default(), AtomicBool::new(false));
        Self { owner_of, watched: Mutex::new(watched), met, reaping }
    }

    /// A rank has sent to us. Any thread, also with a CRI's lock held.
    pub fn met(&self, rank: u32) {
        self.met.lock().push(rank);
    }

    /// Watches the process of a rank.
    pub fn watch(&self, rank: u32, owner: Owner) {
        self.watched.lock().watch(rank, owner);
    }

    /// The process of a rank was found to have ended.
    pub fn has_ended(&self, rank: u32) {
        self.watched.lock().ended(rank);
    }

    /// Watches it no more.
    pub fn forget(&self, rank: u32) {
        let mut watched = self.watched.lock();
        watched.processes.retain(|(other, _)| *other != rank);
        watched.ended.retain(|other| *other != rank);
        watched.over.push(rank);
    }

    /// Looks, if it is time, and calls `settle` for each rank that has ended, with no lock held:
    /// again and again, until it says that nothing of the process is left to be done. Returns those.
    pub fn reap(&self, host: HostHandle, mut settle: impl FnMut(u32) -> bool) -> Vec<u32> {
        let passed = {
            let Some(mut watched) = self.watched.try_lock() else { return Vec::new() };
            let passed = watched.begin();
            if passed.is_none() && watched.ended.is_empty() {
                return Vec::new();
            }
            passed
        };
        if self.reaping.swap(true, Ordering::Acquire) {
            return Vec::new();
        }
        if let Some(passed) = passed {
            self.look(host, passed);
        }
        let mut ended = self.watched.lock().ended.clone();
        ended.retain(|rank| settle(*rank));
        if !ended.is_empty() {
            let mut watched = self.watched.lock();
            // `forget` may have been faster.
            ended.retain(|rank| watched.ended.contains(rank));
            watched.ended.retain(|rank| !ended.contains(rank));
            watched.over.extend(&ended);
        }
        self.reaping.store(false, Ordering::Release);
        ended
    }

    fn look(&self, host: HostHandle, passed: Duration) {
        let met = std::mem::take(&mut *self.met.lock());
        for rank in met {
            // Fetching a card may take its time, so without the lock.
            match host.card_get(rank) {
                Ok(card) => {
                    (self.owner_of)(card).into_iter().for_each(|owner| self.watch(rank, owner))
                }
                Err(failure) if failure.status == ERR_NOT_FOUND => {}
                Err(_) => self.met(rank),
            }
        }
        for rank in self.others(host, passed) {
            if let Ok(card) = host.card_get(rank)
                && (self.owner_of)(card).is_some_and(|owner| owner.life() == Life::Ended)
            {
                self.watched.lock().ended(rank);
            }
        }
        self.watched.lock().look();
    }

    /// The next processes of the node that are not watched: one for each interval that has passed, as a
    /// thread that sleeps looks seldom. The host is asked without the lock: it may call whoever wants that.
    fn others(&self, host: HostHandle, passed: Duration) -> Vec<u32> {
        let (began, asked) = {
            let watched = self.watched.lock();
            (watched.began, watched.others.is_some())
        };
        if began.elapsed() < EARLY {
            return Vec::new();
        }
        let found = (!asked).then(|| others(host));
        let mut watched = self.watched.lock();
        if let Some(found) = found {
            watched.others = Some(found);
        }
        watched.others(passed)
    }
}

/// The other processes of the node.
fn others(host: HostHandle) -> Vec<u32> {
    let job = host.job();
    let is_other = |rank: &u32| {
        host.peer(*rank).is_some_and(|peer| peer.is(PEER_LOCAL) && !peer.is(PEER_SELF))
    };
    match job.local_size {
        0 | 1 => Vec::new(),
        _ => (0..job.size).filter(is_other).collect(),
    }
}

impl Watched {
    /// The time since the last look, if it is time for another one.
    fn begin(&mut self) -> Option<Duration> {
        let passed = self.looked.elapsed();
        (passed >= self.interval).then(|| {
            self.looked = Instant::now();
            passed
        })
    }

    fn watch(&mut self, rank: u32, owner: Owner) {
        if !self.is_known(rank) {
            self.processes.push((rank, Watch::of(rank, owner, self.epoll.as_ref())));
        }
    }

    fn is_known(&self, rank: u32) -> bool {
        let watched = self.processes.iter().any(|(other, _)| *other == rank);
        watched || self.ended.contains(&rank) || self.over.contains(&rank)
    }

    /// The next of the others.
    fn others(&mut self, passed: Duration) -> Vec<u32> {
        let Some(others) = &self.others else { return Vec::new() };
        let number =
            (passed.as_millis() / self.interval.as_millis()).min(others.len() as u128) as usize;
        let first = self.next;
        self.next = (first + number) % others.len().max(1);
        let next: Vec<u32> = others.iter().cycle().skip(first).take(number).copied().collect();
        next.into_iter().filter(|rank| !self.is_known(*rank)).collect()
    }

    fn ended(&mut self, rank: u32) {
        if !self.ended.contains(&rank) && !self.over.contains(&rank) {
            self.ended.push(rank);
        }
    }

    /// Asks for all that are watched.
    fn look(&mut self) {
        let mut ended = self.epoll.as_ref().map_or_else(Vec::new, readable);
        for (rank, watch) in &self.processes {
            if let Watch::Polled(owner) = watch
                && owner.life() == Life::Ended
            {
                ended.push(*rank);
            }
        }
        for rank in ended {
            self.processes.retain(|(other, _)| *other != rank);
            self.ended(rank);
        }
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
    use std::io::Read;
    use std::process::{Child, Command, Stdio};

    use cairn_framework::mock::MockHost;
    use cairn_segment::{Backing, Options, Segment};

    use super::*;

    const INTERVAL: Duration = Duration::from_millis(50);

    const ROLE: &str = "CAIRN_TEST_ROLE";

    /// Prints the card of a segment, and lives as long as its input; on its own it has nothing to do.
    #[test]
    fn as_a_peer() {
        if std::env::var_os(ROLE).is_none() {
            return;
        }
        let backing = Backing::Memory;
        let options = Options { name: "lives", len: 4096, front: 4096, backing, peers: 1 };
        let segment = Segment::create(&options).unwrap();
        let card: String = segment.card().iter().map(|byte| format!("{byte:02x}")).collect();
        println!("\ncard {card}.");
        let _ = std::io::stdin().read(&mut [0]);
    }

    /// A process, and the owner that its card names.
    fn peer() -> (Child, Owner) {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "lives::tests::as_a_peer", "--nocapture"])
            .env(ROLE, "peer")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (output, mut said) = (child.stdout.as_mut().unwrap(), Vec::new());
        while !said.ends_with(b".\n") {
            let mut byte = [0];
            assert_eq!(output.read(&mut byte).unwrap(), 1, "it ended");
            said.push(byte[0]);
        }
        let said = String::from_utf8(said).unwrap();
        let (_, card) = said.split_once("\ncard ").unwrap();
        let byte = |at| u8::from_str_radix(&card[at..at + 2], 16).unwrap();
        let card: Vec<u8> = (0..card.len() - 2).step_by(2).map(byte).collect();
        (child, Owner::of(&card).unwrap())
    }

    /// A look, as if the time had come.
    fn look(lives: &Lives, settle: impl FnMut(u32) -> bool) -> Vec<u32> {
        lives.watched.lock().looked -= INTERVAL;
        lives.reap(MockHost::leak("btl_sm").handle(), settle)
    }

    #[test]
    fn the_end_of_a_process_is_told_once_when_all_that_it_left_is_settled() {
        // By the kernel, and by asking.
        for epoll in [epoll::create(CreateFlags::CLOEXEC).ok(), None] {
            let told = epoll.is_some();
            let lives = Lives::with(epoll, INTERVAL, Owner::of);
            let ((mut child, owner), (other, other_owner)) = (peer(), peer());
            lives.watch(7, owner);
            lives.watch(8, other_owner);
            let watches = |kind: fn(&Watch) -> bool| {
                lives.watched.lock().processes.iter().filter(|(_, watch)| kind(watch)).count()
            };
            assert_eq!(watches(|watch| matches!(watch, Watch::Notified(_))), usize::from(told) * 2);
            assert!(look(&lives, |_| true).is_empty());
            // It ends with its input.
            drop(child.stdin.take());
            child.wait().unwrap();
            lives.watched.lock().looked = Instant::now();
            let reap = |settled| {
                lives.reap(MockHost::leak("btl_sm").handle(), |rank| {
                    assert_eq!(rank, 7);
                    settled
                })
            };
            assert!(reap(true).is_empty(), "too early to look");
            // Asked for again and again, whatever the time, until it is settled.
            assert!(look(&lives, |_| false).is_empty());
            assert!(reap(false).is_empty() && reap(false).is_empty());
            assert_eq!(reap(true), [7]);
            assert!(reap(true).is_empty() && look(&lives, |_| true).is_empty());
            // A late word of it changes nothing.
            lives.watch(7, peer_that_ended());
            assert!(look(&lives, |_| true).is_empty());
            assert_eq!(watches(|_| true), 1);
            end(other);
        }
    }

    fn end(mut child: Child) {
        drop(child.stdin.take());
        child.wait().unwrap();
    }

    fn peer_that_ended() -> Owner {
        let (child, owner) = peer();
        end(child);
        owner
    }

    #[test]
    fn a_process_that_was_dead_before_it_was_watched_is_noticed_and_one_that_is_forgotten_is_not() {
        let lives = Lives::new(INTERVAL, Owner::of);
        lives.watch(3, peer_that_ended());
        lives.watch(4, peer_that_ended());
        lives.forget(4);
        assert_eq!(look(&lives, |_| true), [3]);
        lives.watch(4, peer_that_ended());
        assert!(look(&lives, |_| true).is_empty());
    }
}
