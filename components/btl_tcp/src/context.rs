//! What stands behind an instance, and its progress.
//!
//! An instance has an epoll set with the sockets of its links; the first one has the listeners and
//! those who connected and are not known yet, too. Sockets are edge-triggered: the kernel tells
//! once that there is something, and what is left over after a turn is noted in `again`.
//!
//! **How often the kernel is asked.** A look costs a system call, which a process that talks through
//! shared memory should not pay in each pass. Passes without an event are counted; sending and
//! arming begin anew. The first [`EAGER`] look every time, so that an answer is found at once, and
//! the later ones every `poll_interval`th time. An instance that never had traffic waits for nothing
//! but somebody who connects. The first one hears of that and looks every [`UNUSED`] at most; the
//! others sleep until it hands them a connection: they may be many, and cost a load each.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::ffi::c_void;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use cairn_descriptors::Private;
use cairn_framework::abi::pool::Cri;
use parking_lot::Mutex;
use rustix::event::epoll::{self, Event, EventFlags};
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd};
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, timerfd_create, timerfd_settime,
};

use crate::link::{At, Link};
use crate::lobby::{Arrival, Lobby};
use crate::module::Module;
use crate::output::Finished;
use crate::params::Config;
use crate::sys;

/// Passes without an event before the kernel is asked seldom.
const EAGER: u32 = 256;
/// Time between looks at the first instance while it never had traffic. A look takes nearly a
/// microsecond on some machines, which at every 32nd pass is a tenth of the latency of shared memory.
const UNUSED: Duration = Duration::from_micros(100);
/// Files of an instance besides its sockets.
pub const FILES: u64 = 3;
/// Links whose socket was full that are tried in a pass.
const FULL: usize = 4;
/// Events taken from the kernel at a time.
const EVENTS: usize = 64;

/// How link sockets are watched.
pub const LINK_FLAGS: EventFlags =
    EventFlags::IN.union(EventFlags::OUT).union(EventFlags::RDHUP).union(EventFlags::ET);

/// Names a link of the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkId {
    /// The peer.
    pub rank: u32,
    /// Which of the links to it.
    pub index: u16,
}

/// What an event is about, in the eight bytes that epoll keeps for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token {
    /// Another thread has put something into the inbox.
    Wake,
    /// The timer that was set before sleeping.
    Timer,
    /// A listening socket, by its place.
    Listener(u32),
    /// Somebody who is not known yet, by place.
    Guest(u32),
    /// An open link.
    Link(LinkId),
    /// An attempt to connect, by number.
    Attempt(LinkId, u8),
}

impl Token {
    /// The eight bytes: kind, attempt, rank (4), index (2).
    pub fn encode(self) -> u64 {
        let pack = |kind: u64, attempt: u8, rank: u32, index: u16| {
            kind << 56 | u64::from(attempt) << 48 | u64::from(rank) << 16 | u64::from(index)
        };
        match self {
            Self::Wake => pack(0, 0, 0, 0),
            Self::Timer => pack(1, 0, 0, 0),
            Self::Listener(place) => pack(2, 0, place, 0),
            Self::Guest(place) => pack(3, 0, place, 0),
            Self::Link(id) => pack(4, 0, id.rank, id.index),
            Self::Attempt(id, attempt) => pack(5, attempt, id.rank, id.index),
        }
    }

    fn decode(bytes: u64) -> Self {
        let id = LinkId { rank: (bytes >> 16) as u32, index: bytes as u16 };
        match bytes >> 56 {
            0 => Self::Wake,
            1 => Self::Timer,
            2 => Self::Listener(id.rank),
            3 => Self::Guest(id.rank),
            4 => Self::Link(id),
            _ => Self::Attempt(id, (bytes >> 48) as u8),
        }
    }
}

/// What others put into the inbox of an instance.
pub enum Note {
    /// A connection that the lobby has let in, for this instance.
    Arrival(Arrival),
    /// Another link to the same peer is lost, so this one is to end.
    Lost(LinkId),
}

/// What stands behind an instance. On cache lines of its own: instances are used by different
/// threads.
#[repr(align(128))]
pub struct Context {
    /// The instance's.
    pub index: u32,
    /// The sockets. The descriptor a sleeper waits for.
    pub epoll: Private,
    wake: OwnedFd,
    timer: OwnedFd,
    /// By any thread.
    inbox: Mutex<Vec<Note>>,
    /// Nobody has used the instance, and nobody has come to it. Never of the first one, at which
    /// others arrive. Cleared by any thread.
    sleeps: AtomicBool,

    // Everything below is touched under the instance's lock only.
    /// Where others connect: at the first instance.
    pub lobby: RefCell<Option<Lobby>>,
    /// Links that had more to receive or to send than fitted into their turn.
    pub again: RefCell<VecDeque<LinkId>>,
    /// Links whose socket was full.
    pub full: RefCell<VecDeque<LinkId>>,
    /// Links that are to end.
    pub broken: RefCell<VecDeque<LinkId>>,
    /// Links that are being connected.
    pub dialing: RefCell<VecDeque<LinkId>>,
    /// Operations that are over and whose completion is to be called.
    pub finished: RefCell<VecDeque<Finished>>,
    /// Passes in which the kernel is asked every time.
    eager: Cell<u32>,
    /// Passes that do not ask it before the next one that does.
    skip: Cell<u32>,
    /// Until there is traffic: when to look next.
    unused: Cell<Option<Instant>>,
    /// When to look whether the peers are there, if there is a connection.
    watch: Cell<Option<Instant>>,
    /// When the timer expires.
    alarm: Cell<Option<Instant>>,
}

// SAFETY: see the fields.
unsafe impl Sync for Context {}
// SAFETY: see `Sync`; the pointers in `finished` belong to callers who allow any thread.
unsafe impl Send for Context {}

impl Context {
    pub fn new(index: u32) -> io::Result<Self> {
        let epoll = sys::epoll()?;
        let wake = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        let flags = TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK;
        let timer = timerfd_create(TimerfdClockId::Monotonic, flags)?;
        sys::watch(&epoll, &wake, Token::Wake.encode(), EventFlags::IN)?;
        sys::watch(&epoll, &timer, Token::Timer.encode(), EventFlags::IN)?;
        Ok(Self {
            index,
            epoll,
            wake,
            timer,
            inbox: Mutex::default(),
            sleeps: AtomicBool::new(index != 0),
            lobby: RefCell::default(),
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
        // Relaxed: who comes over the inbox is found by its lock and the kernel.
        self.sleeps.store(false, Ordering::Relaxed);
    }

    #[inline]
    fn look_often(&self) {
        self.eager.set(EAGER);
        self.skip.set(0);
    }

    /// Whether this pass is one of those between looks.
    #[inline]
    fn is_skipped(&self) -> bool {
        let left = self.skip.get();
        self.skip.set(left.saturating_sub(1));
        left > 0
    }

    /// Whether a pass that is not skipped asks the kernel.
    fn is_due(&self, interval: u32) -> bool {
        if let Some(left) = self.eager.get().checked_sub(1) {
            self.eager.set(left);
            return true;
        }
        self.skip.set(interval - 1);
        self.is_time()
    }

    /// False for a first instance that never had traffic and was looked at a moment ago.
    fn is_time(&self) -> bool {
        let Some(next) = self.unused.get() else { return true };
        let now = Instant::now();
        if now < next {
            return false;
        }
        self.unused.set(Some(now + UNUSED));
        true
    }

    /// Puts something into the inbox of this instance, from any thread.
    pub fn tell(&self, note: Note) {
        self.inbox.lock().push(note);
        self.sleeps.store(false, Ordering::Relaxed);
        // It may fail only when it would overflow, and then it is readable anyway.
        let _ = rustix::io::write(&self.wake, &1u64.to_ne_bytes());
    }

    /// Makes ready for sleeping until the epoll descriptor is readable. False when there is
    /// something to do.
    pub fn arm(&self, module: &Module) -> bool {
        self.look_often();
        let idle = self.again.borrow().is_empty()
            && self.broken.borrow().is_empty()
            && self.finished.borrow().is_empty();
        self.deadline(module).is_none_or(|deadline| self.wake_at(deadline)) && idle
    }

    /// Makes the epoll descriptor readable then, or before. False when it can't.
    fn wake_at(&self, deadline: Instant) -> bool {
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

    /// There is a connection whose peer is to be watched from now on.
    pub fn watch_from(&self, now: Instant, config: &Config) {
        if self.watch.get().is_none() {
            let next = now + config.look_interval();
            self.watch.set(Some(next));
            self.wake_at(next);
        }
    }

    /// The timer has expired: looks whether the peers are there, if it is time for that. By the timer
    /// and not by the clock, so that a pass costs nothing, and a sleeper is woken.
    fn timer_expired(&self, module: &Module) {
        let mut value = [0; 8];
        let _ = rustix::io::read(&self.timer, &mut value);
        self.alarm.set(None);
        let now = Instant::now();
        if self.watch.get().is_some_and(|time| now >= time) {
            let mut watched = false;
            for endpoint in module.all_endpoints().filter(|endpoint| endpoint.is_used()) {
                let own = endpoint.links.iter().skip(self.index as usize);
                for link in own.step_by(module.contexts.len()) {
                    let at = At { module, context: self, endpoint };
                    watched |= link.look_whether_alive(at, now);
                }
            }
            self.watch.set(watched.then(|| now + module.config.look_interval()));
        }
        if let Some(deadline) = self.deadline(module) {
            self.wake_at(deadline);
        }
    }

    /// When something is to be done even if nothing happens.
    fn deadline(&self, module: &Module) -> Option<Instant> {
        let lobby = self.lobby.borrow();
        let lobby = lobby.as_ref().and_then(Lobby::deadline);
        let dialing = self.dialing.borrow();
        let dials = dialing.iter().filter_map(|id| {
            let endpoint = module.endpoint(id.rank)?;
            endpoint.links[usize::from(id.index)].dial_deadline(&module.config)
        });
        dials.chain(lobby).chain(self.watch.get()).min()
    }

    /// What a link's functions need, if there is the link.
    fn at<'a>(&'a self, module: &'a Module, id: LinkId) -> Option<(At<'a>, &'a Link)> {
        let endpoint = module.endpoint(id.rank)?;
        let link = endpoint.links.get(usize::from(id.index))?;
        Some((At { module, context: self, endpoint }, link))
    }

    /// A pass that is not skipped.
    #[inline(never)]
    fn poll_if_due(&self, module: &Module) -> u32 {
        if self.is_due(module.config.poll_interval) { self.poll(module) } else { 0 }
    }

    /// Looks for events and handles them. With the instance's lock held.
    pub fn poll(&self, module: &Module) -> u32 {
        let mut events = [MaybeUninit::<Event>::uninit(); EVENTS];
        let none = Timespec { tv_sec: 0, tv_nsec: 0 };
        let mut count = self.leftovers(module);
        let ready = match epoll::wait(&self.epoll, &mut events[..], Some(&none)) {
            Ok((ready, _)) => &*ready,
            // Interrupted by a signal.
            Err(_) => &[],
        };
        for event in ready {
            let flags = event.flags;
            count += self.dispatch(module, Token::decode(event.data.u64()), flags);
        }
        count += self.timers(module);
        count += self.endings(module);
        if count > 0 {
            self.traffic();
        }
        count
    }

    /// What an earlier pass has left.
    fn leftovers(&self, module: &Module) -> u32 {
        let mut count = 0;
        let waiting = self.again.borrow().len();
        for _ in 0..waiting {
            let Some(id) = self.again.borrow_mut().pop_front() else { break };
            if let Some((at, link)) = self.at(module, id) {
                count += link.push(at) + link.receive(at, false);
            }
        }
        // The kernel tells that a socket has room when most of it is free. Whoever polls need not
        // wait until then: a large message flows better.
        let waiting = self.full.borrow().len().min(FULL);
        for _ in 0..waiting {
            let Some(id) = self.full.borrow_mut().pop_front() else { break };
            if let Some((at, link)) = self.at(module, id) {
                count += link.push_again(at);
            }
        }
        count
    }

    fn dispatch(&self, module: &Module, token: Token, flags: EventFlags) -> u32 {
        match token {
            Token::Wake => {
                let mut value = [0; 8];
                let _ = rustix::io::read(&self.wake, &mut value);
                let notes = std::mem::take(&mut *self.inbox.lock());
                let count = notes.len();
                for note in notes {
                    match note {
                        Note::Arrival(arrival) => self.arrive(module, arrival),
                        Note::Lost(id) => {
                            if let Some((at, link)) = self.at(module, id) {
                                link.lose(at);
                            }
                        }
                    }
                }
                count as u32
            }
            Token::Timer => {
                self.timer_expired(module);
                0
            }
            Token::Listener(place) => self
                .lobby
                .borrow_mut()
                .as_mut()
                .map_or(0, |lobby| lobby.accept(module, &self.epoll, place as usize)),
            Token::Guest(place) => {
                if let Some(lobby) = &mut *self.lobby.borrow_mut() {
                    lobby.hear(module, &self.epoll, place as usize);
                }
                1
            }
            Token::Attempt(id, attempt) => match self.at(module, id) {
                Some((at, link)) => link.attempt_ready(at, attempt),
                None => 0,
            },
            Token::Link(id) => {
                let Some((at, link)) = self.at(module, id) else { return 0 };
                let mut count = 0;
                if flags.contains(EventFlags::OUT) {
                    count += link.push(at);
                }
                let over = EventFlags::RDHUP | EventFlags::HUP | EventFlags::ERR;
                if flags.intersects(over | EventFlags::IN) {
                    count += link.receive(at, flags.intersects(over));
                }
                count
            }
        }
    }

    /// A connection whose other side knows the secret.
    fn arrive(&self, module: &Module, arrival: Arrival) {
        let id = LinkId { rank: arrival.hello.source, index: arrival.hello.link };
        if module.make_endpoint(id.rank, arrival.hello.cris).is_some()
            && let Some((at, link)) = self.at(module, id)
        {
            link.arrive(at, arrival);
        }
    }

    fn timers(&self, module: &Module) -> u32 {
        if let Some(lobby) = &mut *self.lobby.borrow_mut() {
            lobby.look_at_the_clock(module, &self.epoll);
        }
        let dialing = self.dialing.borrow().len();
        if dialing == 0 {
            return 0;
        }
        let now = Instant::now();
        let mut count = 0;
        for _ in 0..dialing {
            let Some(id) = self.dialing.borrow_mut().pop_front() else { break };
            if let Some((at, link)) = self.at(module, id) {
                let (is_dialing, events) = link.look_at_the_clock(at, now);
                count += events;
                if is_dialing {
                    self.dialing.borrow_mut().push_back(id);
                }
            }
        }
        count
    }

    /// Ends what is to end and calls completions.
    fn endings(&self, module: &Module) -> u32 {
        let mut count = 0;
        loop {
            let broken = self.broken.borrow_mut().pop_front();
            let Some((at, link)) = broken.and_then(|id| self.at(module, id)) else { break };
            count += link.end(at);
        }
        loop {
            let next = self.finished.borrow_mut().pop_front();
            let Some((completion, status)) = next else { break };
            if module.is_closing() {
                continue;
            }
            count += 1;
            // SAFETY: the caller keeps the completion until it is called, which is once.
            unsafe {
                if let Some(done) = (*completion).done {
                    done(completion, status);
                }
            }
        }
        count
    }
}

/// The pool's progress function.
///
/// # Safety
/// `module` is the device's state, `cri` an instance of it whose lock is held.
pub unsafe extern "C" fn progress(module: *mut c_void, cri: *mut Cri) -> u32 {
    // SAFETY: promised by the caller.
    let (module, cri) = unsafe { (&*module.cast::<Module>(), &*cri) };
    let context = &module.contexts[cri.index as usize];
    if context.sleeps.load(Ordering::Relaxed) || context.is_skipped() {
        return 0;
    }
    context.poll_if_due(module)
}

/// Waits for the sockets of all instances, less than a second.
pub fn nap(contexts: &[Context], time: Duration) {
    let time = Timespec { tv_sec: 0, tv_nsec: i64::from(time.subsec_nanos()) };
    let fds = contexts.iter().map(|context| PollFd::new(&context.epoll, PollFlags::IN));
    let _ = rustix::event::poll(&mut fds.collect::<Vec<_>>(), Some(&time));
}

/// For `arm`.
pub fn descriptor(context: &Context) -> i32 {
    context.epoll.as_raw_fd()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instances_share_no_lines() {
        let (size, align) = (size_of::<Context>(), align_of::<Context>());
        cairn_framework::layout::check_elements("contexts of btl_tcp", size, align);
    }

    #[test]
    fn tokens_come_back_as_they_were() {
        let id = LinkId { rank: u32::MAX, index: u16::MAX };
        for token in [
            Token::Wake,
            Token::Timer,
            Token::Listener(3),
            Token::Guest(u32::MAX),
            Token::Link(id),
            Token::Attempt(id, 255),
        ] {
            assert_eq!(Token::decode(token.encode()), token);
        }
    }

    #[test]
    fn all_but_the_first_sleep_until_they_are_used() {
        let sleeps = |context: &Context| context.sleeps.load(Ordering::Relaxed);
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
}
