//! Serial: one thread at a time polls, for all (dissertation §4.2, the progress of one owner).
//!
//! ```text
//!   thread A (owner) ──► every instance, every callback ──► completes requests of A, B, C
//!   thread B, C      ──► sleep on their sync objects, which A signals
//! ```
//!
//! A thread that finds no owner becomes it. One that waits stays the owner from pass to pass until
//! what it waits for has happened, so the instances stay in its cache; then it hands on to the thread
//! that has waited longest, and wakes that thread and no other. A thread that only tests owns for one
//! pass. How the owner spends the time is the `wait` component's choice; the others sleep, each on its own
//! sync object, and no transport wakes them.
//!
//! **No wait begins anonymously**: a pass that does not name the waiter would own for a moment and pass on at
//! once, and threads would race for that.
//!
//! **No thread is left alone**: one that waits enters the queue and then tries once more to become the
//! owner; an owner gives up and then looks at the queue. Both are sequentially consistent, so one of them
//! sees the other. And a thread says that it sleeps before it looks for the last time whether it owns,
//! where the one that hands on makes it the owner before it looks whether it sleeps.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

use cairn_framework::abi::host::{PROGRESS_EVERY_PASS, PROGRESS_SELDOM};
use cairn_framework::abi::param::IntegerParam;
use cairn_framework::abi::request::WaitSync;
use cairn_framework::abi::scope::Scope;
use cairn_framework::abi::thread::Thread;
use cairn_framework::audit::Counted;
use cairn_framework::author::Mutex;
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Registrar};
use cairn_framework::frameworks::progress::{
    PROGRESS_BY_OTHERS, Progress, ProgressAsk, ProgressEngine,
};

/// Behind those that let several threads poll.
const PRIORITY: i64 = 10;

/// Passes between calls of the callbacks that are rarely called.
const SELDOM: u32 = 64;

/// No owner; threads count from 1.
const NO_OWNER: u64 = 0;

struct Serial {
    priority: i32,
    owner: Owner,
    queue: Queue,
}

/// Waits of threads, those that have waited longest first: each from its first pass without ownership
/// until it ends. A thread that calls MPI while it waits, when it tells a tool of an event, may be in it
/// with several.
#[repr(align(128))]
struct Queue {
    /// Entries; to be read without the lock.
    length: AtomicUsize,
    entries: Mutex<VecDeque<Waiter>>,
}

struct Waiter {
    thread: u64,
    sync: *const WaitSync,
}

// SAFETY: a sync object stays until its thread has left the queue.
unsafe impl Send for Waiter {}

/// On cache lines of its own, because every waiting thread looks at it.
#[repr(align(128))]
#[derive(Default)]
struct Owner {
    /// The serial number of the thread that polls.
    thread: AtomicU64,
    /// Passes. Written by the owner.
    passes: AtomicU32,
}

impl Owner {
    /// Makes a thread the owner if there is no other.
    fn take(&self, thread: u64) -> bool {
        // Acquire: what the owner before did is seen.
        let found = self.thread.load(Ordering::Acquire);
        found == thread
            || (found == NO_OWNER
                && self
                    .thread
                    .rmw()
                    .compare_exchange(NO_OWNER, thread, Ordering::Acquire, Ordering::Relaxed)
                    .is_ok())
    }

    /// The next thread may own. False if this thread is not the owner.
    fn give_up(&self, thread: u64) -> bool {
        let owns = self.thread.load(Ordering::Relaxed) == thread;
        if owns {
            // SeqCst: the look at the queue that follows does not come before; see above.
            self.thread.store(NO_OWNER, Ordering::SeqCst);
        }
        owns
    }

    /// Whether this thread is the owner: by itself or because another one has handed on to it.
    fn is(&self, thread: u64) -> bool {
        // Acquire: what the owner before did is seen.
        self.thread.load(Ordering::Acquire) == thread
    }

    /// Makes a thread the owner if there is no other, for one that has entered the queue.
    fn take_at_last(&self, thread: u64) -> bool {
        // SeqCst, also where there is an owner: that one gives up later, and sees the queue then.
        let seq = Ordering::SeqCst;
        self.thread.rmw().compare_exchange(NO_OWNER, thread, seq, seq).is_ok()
    }
}

impl Queue {
    fn new() -> Self {
        let entries = Mutex::new(VecDeque::new());
        Self { length: AtomicUsize::new(0), entries }
    }

    /// A thread waits with a sync object, which may be in already.
    fn enter(&self, thread: u64, sync: *const WaitSync) {
        self.entries.with(|entries| {
            if entries.iter().all(|waiter| waiter.sync != sync) {
                entries.push_back(Waiter { thread, sync });
                self.length.rmw().fetch_add(1, Ordering::SeqCst);
            }
        });
    }

    fn is_empty(&self) -> bool {
        self.length.load(Ordering::SeqCst) == 0
    }

    /// A wait has ended.
    fn leave(&self, sync: *const WaitSync) {
        self.entries.with(|entries| {
            let before = entries.len();
            entries.retain(|waiter| waiter.sync != sync);
            self.length.rmw().fetch_sub(before - entries.len(), Ordering::SeqCst);
        });
    }

    /// Makes the first thread the owner, if there is none, and wakes it from the wait that it sleeps in.
    fn hand_on(&self, owner: &Owner) {
        self.entries.with(|entries| {
            let Some(thread) = entries.front().map(|first| first.thread) else { return };
            if owner.take_at_last(thread) {
                for waiter in entries.iter().filter(|waiter| waiter.thread == thread) {
                    // SAFETY: a wait leaves the queue, for which it needs the lock, before its sync
                    // object goes.
                    unsafe { &*waiter.sync }.rouse();
                }
            }
        });
    }
}

impl Component for Serial {
    type Params = IntegerParam;

    fn register(registrar: &Registrar<'_>) -> Result<IntegerParam, Failure> {
        registrar.priority(PRIORITY)
    }

    fn open(_host: HostHandle, priority: IntegerParam) -> Result<Self, Failure> {
        let (owner, queue) = (Owner::default(), Queue::new());
        Ok(Self { priority: priority.get() as i32, owner, queue })
    }

    fn query(&self, _scope: &Scope) -> Answer {
        Answer::Priority(self.priority)
    }
}

impl Progress for Serial {
    fn run(&self, engine: &ProgressEngine, ask: &ProgressAsk) -> u32 {
        let thread = ask.thread_serial();
        if !self.owner.take(thread) {
            if ask.sync.is_null() {
                return 0;
            }
            self.queue.enter(thread, ask.sync);
            if !self.owner.take_at_last(thread) && !self.owner.is(thread) {
                return PROGRESS_BY_OTHERS;
            }
        }
        let mut events = engine.poll_all();
        events += engine.callbacks(PROGRESS_EVERY_PASS);
        let pass = self.owner.passes.load(Ordering::Relaxed);
        self.owner.passes.store(pass.wrapping_add(1), Ordering::Relaxed);
        if pass.is_multiple_of(SELDOM) {
            events += engine.callbacks(PROGRESS_SELDOM);
        }
        if ask.sync.is_null() {
            self.pass_on(thread);
        }
        events
    }

    fn leave(&self, thread: &Thread, sync: *const WaitSync) {
        if !self.queue.is_empty() {
            self.queue.leave(sync);
        }
        self.pass_on(thread.serial);
    }

    fn anonymous_passes(&self) -> u32 {
        0
    }
}

impl Serial {
    /// A thread owns no more; the next does.
    fn pass_on(&self, thread: u64) {
        if self.owner.give_up(thread) && !self.queue.is_empty() {
            self.queue.hand_on(&self.owner);
        }
    }
}

cairn_framework::component! {
    framework: progress,
    component: Serial,
    name: "serial",
    description: "one thread at a time polls for all",
}

#[cfg(test)]
mod tests {
    use cairn_framework::abi::request::SYNC_SLEEPING;

    use super::*;

    #[test]
    fn one_thread_owns_until_it_leaves() {
        let owner = Owner::default();
        assert!(owner.take(7) && owner.take(7));
        assert!(!owner.take(8));
        assert!(!owner.give_up(8) && !owner.take(8), "only the owner gives up");
        assert!(owner.give_up(7) && owner.take(8));
    }

    #[test]
    fn the_longest_waiter_is_next() {
        let (owner, queue) = (Owner::default(), Queue::new());
        let syncs: [WaitSync; 3] = std::array::from_fn(|_| WaitSync::default());
        assert!(owner.take(1));
        for (sync, thread) in syncs.iter().zip(2..) {
            queue.enter(thread, sync);
            queue.enter(thread, sync);
        }
        queue.hand_on(&owner);
        assert_eq!(owner.thread.load(Ordering::Relaxed), 1, "there is an owner");
        for (own, next) in [(1, 2), (2, 3)] {
            assert!(owner.give_up(own));
            queue.hand_on(&owner);
            assert!(owner.is(next));
            queue.leave(&syncs[next as usize - 2]);
        }
        // The last one was signalled before it was its turn.
        queue.leave(&syncs[2]);
        assert!(queue.is_empty() && owner.give_up(3));
        queue.hand_on(&owner);
        assert_eq!(owner.thread.load(Ordering::Relaxed), NO_OWNER);
    }

    #[test]
    fn a_sleeper_wakes_when_it_owns() {
        let (owner, queue, sync) = (Owner::default(), Queue::new(), WaitSync::default());
        assert!(owner.take(1));
        queue.enter(2, &sync);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while owner.thread.load(Ordering::Acquire) != 2 {
                    // Without limit: only being woken ends it.
                    sync.pause(0);
                }
            });
            while sync.sleeping.load(Ordering::Acquire) != SYNC_SLEEPING {
                std::hint::spin_loop();
            }
            owner.give_up(1);
            queue.hand_on(&owner);
        });
    }
}
