//! What a CRI has, and how often it asks the kernel. Its progress is in `progress`.
//!
//! A CRI has an epoll set with the sockets of its links; the first one has the listeners and
//! pending connections, too. Sockets are edge-triggered: the kernel tells
//! once that there is something, and what is left over after a turn is noted in `again`.
//!
//! **How often the kernel is asked.** A look costs a system call, which a process that talks through
//! shared memory should not pay in each pass. Passes without an event are counted; sending and
//! arming begin anew. The first [`EAGER`] look every time, so that an answer is found at once, and
//! the later ones every `poll_interval`th time. A CRI that never had traffic waits for
//! nothing but connections. The first one hears of those and looks every [`UNUSED`] at most; the
//! others sleep until it hands them a connection: they may be many, and cost a load each.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use cairn_descriptors::Private;
use cairn_framework::author::Mutex;
use cairn_framework::frameworks::btl::OwnCri;
use cairn_transport::life::look_interval;
use rustix::event::epoll::EventFlags;
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd};
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, timerfd_create, timerfd_settime,
};

use crate::acceptor::Acceptor;
use crate::event::{LinkId, Note, Token};
use crate::input::Buffers;
use crate::output::Finished;
use crate::params::Config;
use crate::sys;

/// Passes without an event before the kernel is asked seldom.
const EAGER: u32 = 256;
/// Time between looks at the first CRI while it never had traffic. A look takes nearly a
/// microsecond on some machines, which at every 32nd pass is a tenth of the latency of shared memory.
const UNUSED: Duration = Duration::from_micros(100);
/// Files of a CRI besides its sockets.
const FILES: u64 = 3;
/// A CRI of this transport.
pub type TcpCri = OwnCri<Context>;

/// What any thread may use of a CRI. On cache lines of its own: CRIs are used by different threads.
#[repr(align(128))]
pub struct Shared {
    /// The sockets. The descriptor a sleeper waits for.
    pub epoll: Private,
    pub wake: OwnedFd,
    pub inbox: Mutex<Vec<Note>>,
    /// The CRI was not used, and no connection came to it. Never of the first one, at which
    /// connections arrive.
    pub sleeps: AtomicBool,
}

impl Shared {
    /// Puts something into the inbox of this CRI, from any thread.
    pub fn post(&self, note: Note) {
        self.inbox.lock().push(note);
        self.sleeps.store(false, Ordering::Relaxed);
        // It may fail only when it would overflow, and then it is readable anyway.
        let _ = rustix::io::write(&self.wake, &1u64.to_ne_bytes());
    }
}

/// What stands behind a CRI.
pub struct Context {
    pub shared: Arc<Shared>,
    pub timer: OwnedFd,
    /// Of the connections that receive.
    pub buffers: Buffers,
    /// Of the first CRI: what takes connections.
    pub acceptor: RefCell<Option<Acceptor>>,
    /// Links that had more to receive or to send than fitted into their turn.
    pub again: RefCell<VecDeque<LinkId>>,
    /// Links with a socket that was full.
    pub full: RefCell<VecDeque<LinkId>>,
    /// Links that are to end.
    pub broken: RefCell<VecDeque<LinkId>>,
    /// Links that are being connected.
    pub dialing: RefCell<VecDeque<LinkId>>,
    /// Operations that are over; their completion is to be called.
    pub finished: RefCell<VecDeque<Finished>>,
    /// Passes in which the kernel is asked every time.
    eager: Cell<u32>,
    /// Passes that do not ask it before the next one that does.
    skip: Cell<u32>,
    /// Until there is traffic: when to look next.
    unused: Cell<Option<Instant>>,
    /// When to look whether the peers are there, if there is a connection.
    pub watch: Cell<Option<Instant>>,
    /// When the timer expires.
    pub alarm: Cell<Option<Instant>>,
}

impl Context {
    pub fn new(index: u32) -> io::Result<Self> {
        let epoll = sys::epoll()?;
        let wake = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        let flags = TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK;
        let timer = timerfd_create(TimerfdClockId::Monotonic, flags)?;
        sys::watch(&epoll, &wake, Token::Wake.encode(), EventFlags::IN)?;
        sys::watch(&epoll, &timer, Token::Timer.encode(), EventFlags::IN)?;
        Ok(Self {
            shared: Arc::new(Shared {
                epoll,
                wake,
                inbox: Mutex::default(),
                sleeps: AtomicBool::new(index != 0),
            }),
            timer,
            buffers: Buffers::default(),
            acceptor: RefCell::default(),
            again: RefCell::default(),
            full: RefCell::default(),
            broken: RefCell::default(),
            dialing: RefCell::default(),
            finished: RefCell::default(),
            eager: Cell::new(EAGER),
            skip: Cell::new(0),
            unused: Cell::new(Some(Instant::now())),
            watch: Cell::default(),
            alarm: Cell::default(),
        })
    }

    /// Something was sent or happened: the kernel is to be asked in each pass for a while.
    #[inline]
    pub fn traffic(&self) {
        self.look_often();
        self.unused.set(None);
        // Relaxed: what comes over the inbox is found by its lock and the kernel.
        self.shared.sleeps.store(false, Ordering::Relaxed);
    }

    #[inline]
    pub fn look_often(&self) {
        self.eager.set(EAGER);
        self.skip.set(0);
    }

    /// Whether this pass is one of those between looks.
    #[inline]
    pub fn is_skipped(&self) -> bool {
        let left = self.skip.get();
        self.skip.set(left.saturating_sub(1));
        left > 0
    }

    /// Whether a pass that is not skipped asks the kernel.
    pub fn is_due(&self, interval: u32) -> bool {
        if let Some(left) = self.eager.get().checked_sub(1) {
            self.eager.set(left);
            return true;
        }
        self.skip.set(interval - 1);
        self.is_time()
    }

    /// False for a first CRI that never had traffic and was looked at a moment ago.
    fn is_time(&self) -> bool {
        let Some(next) = self.unused.get() else { return true };
        let now = Instant::now();
        if now < next {
            return false;
        }
        self.unused.set(Some(now + UNUSED));
        true
    }

    /// Makes the epoll descriptor readable then, or before. False when it can't.
    pub fn wake_at(&self, deadline: Instant) -> bool {
        if self.alarm.get().is_some_and(|alarm| alarm <= deadline) {
            return true;
        }
        // Zero would switch the timer off.
        let left = deadline.saturating_duration_since(Instant::now()).as_nanos().max(1);
        let value = Timespec {
            tv_sec: (left / 1_000_000_000) as i64,
            tv_nsec: (left % 1_000_000_000) as i64,
        };
        let spec = Itimerspec { it_interval: Timespec { tv_sec: 0, tv_nsec: 0 }, it_value: value };
        let set = timerfd_settime(&self.timer, TimerfdTimerFlags::empty(), &spec).is_ok();
        self.alarm.set(set.then_some(deadline));
        set
    }

    /// There is a connection, and its peer is to be watched from now on.
    pub fn watch_from(&self, now: Instant, config: &Config) {
        if self.watch.get().is_none() {
            let next = now + look_interval(config.peer_timeout);
            self.watch.set(Some(next));
            self.wake_at(next);
        }
    }
}

/// The connections of a CRI to a peer, of `links` that are wanted, and the CRIs, that need no more than half of the
/// files that a process may open: each CRI has some files of its own. One connection at least, whatever it needs.
pub fn affordable(files: Option<u64>, processes: u32, links: u16) -> (u16, u32) {
    let Some(files) = files else { return (links, u32::MAX) };
    let (half, peers) = (files / 2, u64::from(processes.max(1)) - 1);
    let most = half.saturating_sub(FILES).checked_div(peers).unwrap_or(u64::MAX).max(1);
    let lanes = u16::try_from(most).unwrap_or(u16::MAX).min(links);
    let each = FILES + peers * u64::from(lanes);
    (lanes, u32::try_from(half / each).unwrap_or(u32::MAX))
}

/// Waits for the sockets of all CRIs, less than a second.
pub fn sleep(all: &[Arc<Shared>], time: Duration) {
    let time = Timespec { tv_sec: 0, tv_nsec: i64::from(time.subsec_nanos()) };
    let fds = all.iter().map(|shared| PollFd::new(&shared.epoll, PollFlags::IN));
    let _ = rustix::event::poll(&mut fds.collect::<Vec<_>>(), Some(&time));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instances_share_no_lines() {
        let (size, align) = (size_of::<Shared>(), align_of::<Shared>());
        cairn_framework::layout::check_elements("what instances of btl_tcp share", size, align);
    }

    #[test]
    fn all_but_the_first_sleep_until_they_are_used() {
        let sleeps = |context: &Context| context.shared.sleeps.load(Ordering::Relaxed);
        let contexts = [0, 1, 2].map(|index| Context::new(index).unwrap());
        assert_eq!(contexts.each_ref().map(sleeps), [false, true, true]);
        contexts[2].traffic();
        assert_eq!(contexts.each_ref().map(sleeps), [false, true, false]);
    }

    #[test]
    fn an_idle_instance_asks_the_kernel_seldom() {
        let context = Context::new(0).unwrap();
        let looks = |passes: u32| {
            (0..passes).filter(|_| !context.is_skipped() && context.is_due(32)).count()
        };
        assert_eq!(looks(EAGER), EAGER as usize);
        // Never used: by the clock.
        context.unused.set(Some(Instant::now() + Duration::from_secs(3600)));
        assert_eq!(looks(320), 0);
        context.unused.set(Some(Instant::now()));
        assert_eq!(looks(32), 1);
        context.traffic();
        assert_eq!(looks(EAGER), EAGER as usize);
        assert_eq!(looks(320), 10);
        context.traffic();
        assert_eq!(looks(3), 3);
    }

    #[test]
    fn half_of_the_files_suffice_for_all_connections() {
        assert_eq!(affordable(Some(1024), 2, 1), (1, 128));
        assert_eq!(affordable(Some(1024), 1, 4), (4, 170));
        assert_eq!(affordable(Some(1024), 100, 1), (1, 5));
        assert_eq!(affordable(Some(1024), 10_000, 1), (1, 0));
        assert_eq!(affordable(Some(u64::MAX), 2, 1), (1, u32::MAX));
        assert_eq!(affordable(None, u32::MAX, 2), (2, u32::MAX));
        assert_eq!(affordable(Some(1024), 100, 5), (5, 1));
        // More connections than there are files for.
        assert_eq!(affordable(Some(1024), 256, 8), (1, 1));
        assert_eq!(affordable(Some(1024), 128, 8), (4, 1));
        assert_eq!(affordable(Some(2), 128, 8), (1, 0));
    }
}
