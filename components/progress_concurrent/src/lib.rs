//! Concurrent: each thread polls first where its message is to come, else its own instance, and the
//! others if that had nothing (dissertation §5.3.4, algorithm 4).
//!
//! ```text
//!   thread A ─► instance 0 ── nothing? ─► 1, 2, 3 by try-lock ─► callbacks
//!   thread B ─► instance 1 ── nothing? ─► 2, 3, 0 by try-lock ─► callbacks
//! ```
//!
//! Both say the `cri` strategy. Every so many passes a thread polls all instances although its own had
//! something, so that one that no thread polls first, or whose thread computes, is not left alone while
//! others are busy.
//!
//! **As published** (`progress_concurrent_published`) a thread polls its own instance, and if that had
//! nothing the others in turn, beginning where the last thread ended, until one has something; every
//! waiting thread polls. Nothing is polled while a thread's own instance always has something.
//!
//! **Seats** (`progress_concurrent_seats`). Threads that wait and find every instance taken by another only get in each other's way:
//! they fail to lock, and make a processor switch to a thread that finds nothing new. So as many
//! threads as a pool has instances have a *seat* for as long as they wait, and poll in every pass; the
//! others poll in one of `STANDING`, which also keeps everything going when those with a seat do not
//! get a processor. Threads that only test are not counted and always poll.

#![forbid(unsafe_code)]

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};

use cairn_framework::abi::host::{PROGRESS_EVERY_PASS, PROGRESS_SELDOM};
use cairn_framework::abi::request::WaitSync;
use cairn_framework::abi::scope::Scope;
use cairn_framework::abi::thread::Thread;
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Registrar};
use cairn_framework::frameworks::progress::{Progress, ProgressAsk, ProgressEngine};

const PRIORITY: i64 = 50;

/// A thread's passes between two that poll everything, and between calls of the callbacks that are
/// rarely called.
const ROUND: u32 = 64;

/// Passes of a thread without a seat between two in which it polls. A divisor of [`ROUND`], so that
/// rounds are among the latter.
const STANDING: u32 = 8;
const _: () = assert!(ROUND.is_multiple_of(STANDING));

thread_local! {
    /// Passes of this thread.
    static PASSES: Cell<u32> = const { Cell::new(0) };
    /// This thread waits and has a seat.
    static SEATED: Cell<bool> = const { Cell::new(false) };
}

cairn_framework::params! {
    /// The parameters.
    struct Params {
        priority: priority(PRIORITY);
        published: bool(false),
            "Whether threads poll as algorithm 4 of the dissertation says: every waiting thread \
             polls, until the first instance that has something. Then there are no seats",
            level(6);
        seats: bool(true),
            "Whether only as many waiting threads poll in every pass as there are instances, \
             and the others seldom",
            level(6);
    }
}

struct Concurrent {
    priority: i32,
    published: Option<Turn>,
    seats: Option<Seats>,
}

/// Where the next thread that polls others' instances begins, as published. On cache lines of its own,
/// because all threads write it.
#[repr(align(128))]
#[derive(Default)]
struct Turn(AtomicU32);

/// On cache lines of their own, because threads that begin and end to wait write them. All accesses
/// are Relaxed: the numbers decide which threads poll and guard nothing.
#[repr(align(128))]
struct Seats {
    /// Instances of the largest pool.
    all: AtomicU32,
    /// Threads that have one.
    taken: AtomicU32,
}

impl Turn {
    /// Algorithm 4, for all pools in a row.
    fn poll(&self, engine: &ProgressEngine, ask: &ProgressAsk) -> u32 {
        let mut events = engine.poll_first(ask);
        let all: u32 = engine.pools().iter().map(|pool| pool.count).sum();
        for _ in 0..all {
            if events > 0 {
                break;
            }
            // Relaxed: it decides which thread polls what and orders nothing.
            let mut cri = self.0.fetch_add(1, Ordering::Relaxed) % all;
            for (number, pool) in (0..).zip(engine.pools()) {
                if cri < pool.count {
                    events = engine.poll(number, cri).unwrap_or(0);
                    break;
                }
                cri -= pool.count;
            }
        }
        events
    }
}

impl Seats {
    fn new() -> Self {
        Self { all: AtomicU32::new(1), taken: AtomicU32::new(0) }
    }

    /// Whether the calling thread has a seat, now if not before.
    fn sit(&self) -> bool {
        if SEATED.get() {
            return true;
        }
        let all = self.all.load(Ordering::Relaxed);
        let more = |taken| (taken < all).then_some(taken + 1);
        let taken = self.taken.load(Ordering::Relaxed) < all
            && self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok();
        SEATED.set(taken);
        taken
    }

    /// The calling thread waits no more.
    fn stand_up(&self) {
        if SEATED.replace(false) {
            self.taken.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl Component for Concurrent {
    type Params = Params;

    fn register(registrar: &Registrar<'_>) -> Result<Params, Failure> {
        Params::register(registrar)
    }

    fn open(_host: HostHandle, params: Params) -> Result<Self, Failure> {
        let published = params.published.get().then(Turn::default);
        let seats = (params.seats.get() && published.is_none()).then(Seats::new);
        Ok(Self { priority: params.priority.get() as i32, published, seats })
    }

    fn query(&self, _scope: &Scope) -> Answer {
        Answer::Priority(self.priority)
    }
}

impl Progress for Concurrent {
    fn run(&self, engine: &ProgressEngine, ask: &ProgressAsk) -> u32 {
        let pass = PASSES.replace(PASSES.get().wrapping_add(1));
        if let Some(seats) = &self.seats
            && !ask.sync.is_null()
            && !seats.sit()
            && !pass.is_multiple_of(STANDING)
        {
            return 0;
        }
        let round = pass.is_multiple_of(ROUND);
        let mut events = match &self.published {
            Some(turn) => turn.poll(engine, ask),
            None => engine.poll_outward(ask, round),
        };
        events += engine.callbacks(PROGRESS_EVERY_PASS);
        if round {
            events += engine.callbacks(PROGRESS_SELDOM);
        }
        events
    }

    fn leave(&self, _thread: &Thread, _sync: *const WaitSync) {
        if let Some(seats) = &self.seats {
            seats.stand_up();
        }
    }

    fn pools_changed(&self, engine: &ProgressEngine) {
        let largest = engine.pools().iter().map(|pool| pool.count).max();
        if let Some(seats) = &self.seats {
            seats.all.store(largest.unwrap_or(1), Ordering::Relaxed);
        }
    }
}

cairn_framework::component! {
    framework: progress,
    component: Concurrent,
    name: "concurrent",
    description: "each thread polls where its message is to come or its own instance, then the others",
}

#[cfg(test)]
mod tests {
    use std::thread::scope;

    use super::*;

    #[test]
    fn as_many_threads_sit_as_there_are_seats() {
        let seats = Seats { all: AtomicU32::new(2), taken: AtomicU32::new(0) };
        // A thread that is asked again keeps its seat, and gives back one.
        assert!(seats.sit() && seats.sit());
        let another = || scope(|scope| scope.spawn(|| seats.sit()).join().unwrap());
        assert!(another(), "the second seat");
        assert!(!another(), "there is no third");
        seats.stand_up();
        seats.stand_up();
        assert_eq!(seats.taken.load(Ordering::Relaxed), 1);
        assert!(another(), "that of a thread that has left");
    }
}
