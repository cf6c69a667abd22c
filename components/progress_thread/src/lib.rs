//! Thread: a thread of the library polls when no other does, so that messages move while the program
//! computes.
//!
//! ```text
//!   program's threads ─► own instance, then the others ─► `foreground` = true
//!                                                              │
//!   background ─ polled by others since the last look? ─ yes ──┴─► pause; no transport wakes it
//!                    │ no
//!                    ▼
//!                  poll ─ events? ─ yes ─► poll again
//!                           │ none for `spin` passes
//!                           ▼
//!                         sleep until a transport has something; longer and longer
//! ```
//!
//! Threads of the program that are inside MPI poll as with `concurrent`, and the background thread
//! leaves them alone: it looks `interval` apart whether they still do, without asking transports to
//! wake it, which would cost the sender a system call. A process that computes has a thread that
//! sleeps in the kernel until something arrives.
//!
//! The process is threaded inside whatever its program asked for, so all threads take locks.

#![forbid(unsafe_code)]

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use cairn_framework::abi::host::{PROGRESS_EVERY_PASS, PROGRESS_SELDOM};
use cairn_framework::abi::request::WaitSync;
use cairn_framework::abi::scope::Scope;
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Registrar};
use cairn_framework::frameworks::progress::{Progress, ProgressAsk, ProgressEngine};
use cairn_framework::frameworks::wait::{Naps, WaitMeans};

/// Used only when asked for by name: locks cost programs without threads something.
const PRIORITY: i64 = 5;

/// A thread's passes between two that poll everything, and between calls of the callbacks that are
/// rarely called.
const ROUND: u32 = 64;

/// The first sleep after something happened, in microseconds.
const SHORTEST: u32 = 50;

thread_local! {
    /// Passes of this thread.
    static PASSES: Cell<u32> = const { Cell::new(0) };
}

cairn_framework::params! {
    /// The parameters.
    struct Params {
        priority: priority(PRIORITY);
        spin: integer(20), "Passes of the background thread without an event before it sleeps",
            range(0, i64::from(u32::MAX)), unit("passes"), level(5);
        interval: integer(1000),
            "How often the background thread looks whether threads of the program still make \
             progress themselves",
            range(1, 1_000_000), unit("microseconds"), level(5);
        limit: integer(20_000),
            "Longest sleep of the background thread; work that no transport announces is looked \
             at that often",
            range(1, 1_000_000), unit("microseconds"), level(6);
    }
}

struct Background {
    priority: i32,
    /// Passes without an event before the thread sleeps.
    spin: u32,
    /// Microseconds between two looks while others poll.
    interval: u32,
    /// Longest sleep in microseconds.
    limit: u32,
    foreground: Foreground,
    /// The sync object of the background thread, by which its passes are known from others'.
    own: AtomicUsize,
}

/// Whether a thread of the program has polled since the background thread last looked. On cache lines
/// of its own; written once between two looks.
#[repr(align(128))]
#[derive(Default)]
struct Foreground(AtomicBool);

impl Foreground {
    /// A thread polls.
    #[inline]
    fn show(&self) {
        // Relaxed: a hint that orders nothing.
        if !self.0.load(Ordering::Relaxed) {
            self.0.store(true, Ordering::Relaxed);
        }
    }

    /// Whether a thread has polled; from now on it counts anew.
    fn take(&self) -> bool {
        self.0.load(Ordering::Relaxed) && self.0.swap(false, Ordering::Relaxed)
    }
}

impl Component for Background {
    type Params = Params;

    fn register(registrar: &Registrar<'_>) -> Result<Params, Failure> {
        Params::register(registrar)
    }

    fn open(_host: HostHandle, params: Params) -> Result<Self, Failure> {
        Ok(Self {
            priority: params.priority.get() as i32,
            spin: params.spin.get() as u32,
            interval: params.interval.get() as u32,
            limit: params.limit.get() as u32,
            foreground: Foreground::default(),
            own: AtomicUsize::new(0),
        })
    }

    fn query(&self, _scope: &Scope) -> Answer {
        Answer::Priority(self.priority)
    }
}

impl Progress for Background {
    fn run(&self, engine: &ProgressEngine, ask: &ProgressAsk) -> u32 {
        if ask.sync.is_null() || ask.sync.addr() != self.own.load(Ordering::Relaxed) {
            self.foreground.show();
        }
        let pass = PASSES.replace(PASSES.get().wrapping_add(1));
        let round = pass.is_multiple_of(ROUND);
        let mut events = engine.poll_outward(ask, round);
        events += engine.callbacks(PROGRESS_EVERY_PASS);
        if round {
            events += engine.callbacks(PROGRESS_SELDOM);
        }
        events
    }

    fn threads(&self) -> u32 {
        1
    }

    fn background(&self, sync: &WaitSync, means: &WaitMeans) {
        self.own.store(std::ptr::from_ref(sync).addr(), Ordering::Relaxed);
        let (mut idle, mut naps) = (0, Naps::new(SHORTEST, self.limit));
        while !sync.is_complete() {
            if self.foreground.take() {
                sync.pause(self.interval);
            } else if means.poll(sync) > 0 {
                idle = 0;
                naps.reset();
            } else if idle < self.spin {
                idle += 1;
                std::hint::spin_loop();
            } else if !naps.sleep(sync, means) {
                // Something is there to poll, or can't wake this thread.
                std::thread::yield_now();
            }
        }
    }
}

cairn_framework::component! {
    framework: progress,
    component: Background,
    name: "thread",
    description: "a thread of the library polls while the program computes",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_ends_what_was_seen() {
        let foreground = Foreground::default();
        assert!(!foreground.take());
        foreground.show();
        foreground.show();
        assert!(foreground.take());
        assert!(!foreground.take());
    }
}
