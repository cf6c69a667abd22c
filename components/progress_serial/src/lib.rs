//! Serial: one thread at a time polls, for all (dissertation §4.2, the progress of one owner).
//!
//! ```text
//!   thread A (owner) ──► every instance, every callback ──► completes requests of A, B, C
//!   thread B, C      ──► nothing to poll; their sync objects are signalled
//! ```
//!
//! Whoever finds no owner becomes it. A thread that waits stays the owner from pass to pass until
//! what it waits for has happened, so the instances stay in its cache; then anybody may follow. A
//! thread that only tests owns for one pass. How the others spend the time is the `wait`
//! component's choice.

#![forbid(unsafe_code)]

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use cairn_framework::abi::host::{PROGRESS_EVERY_PASS, PROGRESS_SELDOM};
use cairn_framework::abi::param::IntegerParam;
use cairn_framework::abi::request::WaitSync;
use cairn_framework::abi::scope::Scope;
use cairn_framework::abi::thread::Thread;
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Registrar};
use cairn_framework::frameworks::progress::{Progress, ProgressAsk, ProgressEngine};

/// Behind those that let several threads poll.
const PRIORITY: i64 = 10;

/// Passes between calls of the callbacks that are rarely called.
const SELDOM: u32 = 64;

/// No owner; threads count from 1.
const NOBODY: u64 = 0;

struct Serial {
    priority: i32,
    owner: Owner,
}

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
        let found = self.thread.load(Ordering::Relaxed);
        // Acquire: what the owner before did is seen.
        found == thread
            || (found == NOBODY
                && self
                    .thread
                    .compare_exchange(NOBODY, thread, Ordering::Acquire, Ordering::Relaxed)
                    .is_ok())
    }

    /// Whoever comes next may own.
    fn give_up(&self, thread: u64) {
        if self.thread.load(Ordering::Relaxed) == thread {
            self.thread.store(NOBODY, Ordering::Release);
        }
    }
}

impl Component for Serial {
    type Params = IntegerParam;

    fn register(registrar: &Registrar<'_>) -> Result<IntegerParam, Failure> {
        registrar.priority(PRIORITY)
    }

    fn open(_host: HostHandle, priority: IntegerParam) -> Result<Self, Failure> {
        Ok(Self { priority: priority.get() as i32, owner: Owner::default() })
    }

    fn query(&self, _scope: &Scope) -> Answer {
        Answer::Priority(self.priority)
    }
}

impl Progress for Serial {
    fn run(&self, engine: &ProgressEngine, ask: &ProgressAsk) -> u32 {
        let thread = ask.thread_serial();
        if !self.owner.take(thread) {
            return 0;
        }
        let mut events = 0;
        for (number, pool) in engine.pools().iter().enumerate() {
            for cri in 0..pool.count {
                events += engine.poll(number as u32, cri).unwrap_or(0);
            }
        }
        events += engine.callbacks(PROGRESS_EVERY_PASS, true);
        let pass = self.owner.passes.load(Ordering::Relaxed);
        self.owner.passes.store(pass.wrapping_add(1), Ordering::Relaxed);
        if pass.is_multiple_of(SELDOM) {
            events += engine.callbacks(PROGRESS_SELDOM, true);
        }
        if ask.sync.is_null() {
            self.owner.give_up(thread);
        }
        events
    }

    fn leave(&self, thread: &Thread, _sync: *const WaitSync) {
        self.owner.give_up(thread.serial);
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
    use super::*;

    #[test]
    fn one_thread_owns_until_it_leaves() {
        let owner = Owner::default();
        assert!(owner.take(7) && owner.take(7));
        assert!(!owner.take(8));
        owner.give_up(8);
        assert!(!owner.take(8), "only the owner gives up");
        owner.give_up(7);
        assert!(owner.take(8));
    }
}
