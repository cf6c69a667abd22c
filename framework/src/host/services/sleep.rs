//! Sleeping until there is something to do.
//!
//! A thread that waits sleeps on many things at once: on its sync object, which other threads
//! signal, on a futex word of the shared-memory instances, and on file descriptors of networks.
//! Linux waits for several words in one call (`futex_waitv`) and for several descriptors in another,
//! but not for both. So a thread that only has descriptors and no other thread beside it waits for
//! these; otherwise one thread of the process, the *watcher*, waits for the descriptors and turns
//! what it sees into a word.
//!
//! ```text
//!   shm instances ─ word ──────────────────┐
//!   other processes ─ WaitSync::word ──────┤
//!   other threads ─ WaitSync::sleeping ────┼─► futex_waitv
//!   tcp instance ── fd ─► watcher ── word ─┘
//! ```
//!
//! **No wake-up is lost**: an instance is armed first, under its lock, and says if something came
//! meanwhile; what comes later changes its word, and the kernel compares the words before it puts
//! the thread to sleep. Of a word that several instances share it is compared with what that said when
//! the first of them was armed: so it has changed if something came for any of them since.

use std::cell::RefCell;
use std::os::fd::RawFd;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering, fence};

use super::threads;
use crate::abi::request::{SYNC_POLLING, SYNC_SLEEPING, WaitSync};
use crate::abi::status::{DONE, ERR_UNSUPPORTED, NO_RESOURCES, OutcomeCode};
use crate::frameworks::btl::{BTL_CAN_WAKE, BtlModule, BtlWake};
use crate::sys::{self, Sleeping};

/// Longest sleep in microseconds when not everything can wake the thread.
const PARTLY: u32 = 100;

/// What the process sleeps with. One for each system.
#[derive(Default)]
pub(crate) struct Sleeper {
    watcher: OnceLock<Option<Watcher>>,
}

/// Where a sleep's lists are collected; a thread's own, so that no sleep allocates.
#[derive(Default)]
struct Lists {
    words: Vec<Sleeping>,
    fds: Vec<RawFd>,
}

impl Lists {
    /// To sleep on a word, too; of one that is there already the first value counts.
    fn add(&mut self, word: Sleeping) {
        if !self.words.iter().any(|other| other.is_on(&word)) {
            self.words.push(word);
        }
    }
}

thread_local! {
    static LISTS: RefCell<Lists> = RefCell::default();
}

impl Sleeper {
    /// Sleeps until `sync` is signalled, one of `modules` has something, or so many microseconds
    /// have passed; 0 is without limit.
    pub fn sleep(
        &self,
        modules: impl Iterator<Item = *const BtlModule>,
        threaded: bool,
        sync: &WaitSync,
        microseconds: u32,
    ) -> OutcomeCode {
        // Acquire and Release: the completer's exchange to SIGNALLED comes before or after this one.
        let (release, acquire) = (Ordering::AcqRel, Ordering::Acquire);
        let announced =
            sync.sleeping.compare_exchange(SYNC_POLLING, SYNC_SLEEPING, release, acquire);
        if announced.is_err() {
            return NO_RESOURCES;
        }
        let mut modules = Some(modules);
        let mut sleep = |lists: &mut Lists| {
            let modules = modules.take().into_iter().flatten();
            self.sleep_with(lists, modules, threaded, sync, microseconds)
        };
        // In a handler of `exit` the thread's storage is gone.
        let outcome = LISTS
            .try_with(|lists| sleep(&mut lists.borrow_mut()))
            .unwrap_or_else(|_| sleep(&mut Lists::default()));
        let _ = sync.sleeping.compare_exchange(SYNC_SLEEPING, SYNC_POLLING, release, acquire);
        outcome
    }

    fn sleep_with(
        &self,
        lists: &mut Lists,
        modules: impl Iterator<Item = *const BtlModule>,
        threaded: bool,
        sync: &WaitSync,
        microseconds: u32,
    ) -> OutcomeCode {
        lists.words.clear();
        lists.fds.clear();
        lists.words.push(Sleeping::private(&sync.sleeping, SYNC_SLEEPING));
        // SAFETY: null or a word that stays as long as the thread waits.
        if let Some(word) = unsafe { sync.word.as_ref() } {
            lists.words.push(Sleeping::shared(word, sync.expected));
        }
        let mut complete = true;
        for module in modules {
            // SAFETY: modules stay while their transport is open, and no thread waits when it closes.
            let module = unsafe { &*module };
            if module.capabilities & BTL_CAN_WAKE == 0 {
                complete = false;
                continue;
            }
            match arm(module, threaded, lists) {
                DONE => {}
                NO_RESOURCES => return NO_RESOURCES,
                _ => complete = false,
            }
        }
        if sync.is_complete() {
            return NO_RESOURCES;
        }
        // Alone with descriptors: no thread signals the sync object while this one sleeps.
        if complete && !threaded && lists.words.len() == 1 && !lists.fds.is_empty() {
            count(sys::poll_readable(&lists.fds, microseconds));
            return DONE;
        }
        if !lists.fds.is_empty() {
            match self.watcher.get_or_init(Watcher::start) {
                Some(watcher) => lists.words.push(watcher.watch(&lists.fds)),
                None => complete = false,
            }
        }
        complete &= lists.words.len() <= sys::MAX_SLEEPING;
        if !complete && microseconds == 0 {
            return ERR_UNSUPPORTED;
        }
        lists.words.truncate(sys::MAX_SLEEPING);
        let limit = if complete { microseconds } else { PARTLY.min(microseconds) };
        // An older kernel: what is left is the sync object.
        match sys::sleep_on(&lists.words, limit) {
            Some(woken) => count(woken),
            None if microseconds == 0 => return ERR_UNSUPPORTED,
            None => {
                sys::futex_wait_for(&sync.sleeping, SYNC_SLEEPING, PARTLY.min(microseconds));
                count(sync.is_complete());
            }
        }
        DONE
    }
}

/// Sleeps until `sync` is signalled or roused, for a thread that others poll for: no transport wakes it.
/// `idle` is asked once a waker would find it asleep, and says whether it may sleep.
pub(crate) fn until_roused(sync: &WaitSync, idle: impl FnOnce() -> bool) {
    let (release, acquire) = (Ordering::AcqRel, Ordering::Acquire);
    if sync.sleeping.compare_exchange(SYNC_POLLING, SYNC_SLEEPING, release, acquire).is_err() {
        return;
    }
    // Pairs with the fence in `rouse`: what the other thread did before is seen by `idle`, or it sees that
    // this one sleeps.
    fence(Ordering::SeqCst);
    if idle() && !sync.is_complete() {
        // SAFETY: null or a word that stays as long as the thread waits.
        match unsafe { sync.word.as_ref() } {
            None => sys::futex_wait_for(&sync.sleeping, SYNC_SLEEPING, 0),
            Some(word) => {
                let own = Sleeping::private(&sync.sleeping, SYNC_SLEEPING);
                if sys::sleep_on(&[own, Sleeping::shared(word, sync.expected)], 0).is_none() {
                    sys::futex_wait_for(&sync.sleeping, SYNC_SLEEPING, PARTLY);
                }
            }
        }
        count(true);
    }
    let _ = sync.sleeping.compare_exchange(SYNC_SLEEPING, SYNC_POLLING, release, acquire);
}

/// Counts a sleep that has ended.
fn count(woken: bool) {
    let counts = &threads::current().counts;
    counts.sleeps.add(1);
    counts.wake_ups.add(u64::from(woken));
}

/// Arms every instance of a device, in order: `NO_RESOURCES` when one has something, an error when one
/// can't wake.
fn arm(module: &BtlModule, threaded: bool, lists: &mut Lists) -> OutcomeCode {
    // SAFETY: a module's pool and table are there as long as the module.
    let (pool, ops) = unsafe { (&*module.pool, &*module.ops) };
    for index in 0..pool.count {
        let cri = pool.cri(index);
        let mut wake = BtlWake { fd: -1, reserved: 0, word: std::ptr::null(), expected: 0 };
        let status = {
            let _held = threaded.then(|| cri.guard());
            // SAFETY: the table is complete, and the instance's lock is held.
            unsafe { (ops.arm.unwrap_unchecked())(module, cri, &mut wake) }
        };
        match status {
            DONE => {}
            other => return other,
        }
        if wake.fd >= 0 {
            lists.fds.push(wake.fd);
        }
        if !wake.word.is_null() {
            // SAFETY: the transport keeps the word as long as the instance.
            lists.add(Sleeping::shared(unsafe { &*wake.word }, wake.expected));
        }
    }
    DONE
}

/// The thread that waits for descriptors. It lives as long as the process and sleeps but for the
/// moments when a descriptor that a sleeper waits for turns readable.
struct Watcher {
    epoll: RawFd,
    /// Changes when a watched descriptor was found readable.
    word: &'static AtomicU32,
}

impl Watcher {
    fn start() -> Option<Self> {
        // SAFETY: a system call that takes a number.
        let epoll = unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) };
        if epoll < 0 {
            return None;
        }
        let word: &'static AtomicU32 = Box::leak(Box::default());
        match sys::spawn_quiet("cairn-watcher", move || Self::run(epoll, word)) {
            Ok(_) => Some(Self { epoll, word }),
            Err(_) => {
                // SAFETY: made above, and used nowhere else.
                unsafe { libc::close(epoll) };
                None
            }
        }
    }

    fn run(epoll: RawFd, word: &AtomicU32) -> ! {
        let mut events = [libc::epoll_event { events: 0, u64: 0 }; 64];
        loop {
            // SAFETY: there is room for as many events as it says.
            let count = unsafe { libc::epoll_wait(epoll, events.as_mut_ptr(), 64, -1) };
            if count > 0 {
                word.fetch_add(1, Ordering::Release);
                sys::futex_wake_all(word);
            }
        }
    }

    /// Watches descriptors until one of them is readable, and says what to sleep on.
    fn watch(&self, fds: &[RawFd]) -> Sleeping {
        // Read before the descriptors are watched: what is seen later makes another value.
        let expected = self.word.load(Ordering::Acquire);
        for &fd in fds {
            // Once for each time it is armed: a descriptor that stays readable because no thread polls
            // would keep the watcher running.
            let mut event = libc::epoll_event {
                events: (libc::EPOLLIN | libc::EPOLLONESHOT) as u32,
                u64: fd as u64,
            };
            // SAFETY: the event lives during the calls. A closed descriptor leaves the set itself.
            unsafe {
                if libc::epoll_ctl(self.epoll, libc::EPOLL_CTL_MOD, fd, &mut event) != 0 {
                    libc::epoll_ctl(self.epoll, libc::EPOLL_CTL_ADD, fd, &mut event);
                }
            }
        }
        Sleeping::private(self.word, expected)
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd;
    use std::time::{Duration, Instant};

    use super::*;

    /// Longer than any test waits for something that happens.
    const LONG: u32 = 60_000_000;

    fn waiting() -> WaitSync {
        WaitSync::of(1)
    }

    #[test]
    fn a_signal_ends_a_sleep() {
        let (sleeper, sync) = (Sleeper::default(), waiting());
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while sync.sleeping.load(Ordering::Acquire) != SYNC_SLEEPING {
                    std::hint::spin_loop();
                }
                sync.complete_one();
            });
            let begin = Instant::now();
            while !sync.is_complete() {
                sleeper.sleep(std::iter::empty(), true, &sync, LONG);
            }
            assert!(begin.elapsed() < Duration::from_micros(LONG.into()));
        });
        // Signalled already: there is no sleep.
        assert_eq!(sleeper.sleep(std::iter::empty(), true, &sync, 0), NO_RESOURCES);
    }

    #[test]
    fn a_sleep_has_an_end_if_nothing_happens() {
        let (sleeper, sync) = (Sleeper::default(), waiting());
        assert_eq!(sleeper.sleep(std::iter::empty(), false, &sync, 1000), DONE);
        assert_eq!(sync.sleeping.load(Ordering::Relaxed), SYNC_POLLING);
    }

    #[test]
    fn instances_may_share_a_word_and_the_first_says_what_it_was() {
        let (words, mut lists) = ([AtomicU32::new(1), AtomicU32::new(1)], Lists::default());
        for (index, expected) in [(0, 1), (0, 2), (1, 1), (0, 3), (1, 0)] {
            lists.add(Sleeping::shared(&words[index], expected));
        }
        assert_eq!(lists.words, [0, 1].map(|index| Sleeping::shared(&words[index], 1)));
    }

    #[test]
    fn the_watcher_turns_descriptors_into_a_word() {
        let (mut reader, writer) = std::os::unix::net::UnixStream::pair().unwrap();
        let watcher = Watcher::start().unwrap();
        for round in 0..3 {
            let sleeping = watcher.watch(&[reader.as_raw_fd()]);
            let before = watcher.word.load(Ordering::Acquire);
            std::io::Write::write_all(&mut &writer, b"x").unwrap();
            assert!(sys::sleep_on(&[sleeping], LONG).is_some(), "round {round}");
            while watcher.word.load(Ordering::Acquire) == before {
                std::hint::spin_loop();
            }
            std::io::Read::read_exact(&mut reader, &mut [0]).unwrap();
        }
    }
}
