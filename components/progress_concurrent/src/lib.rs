//! Concurrent: each thread polls its own instance first, and the others if that had nothing
//! (dissertation §5.3.4, algorithm 4).
//!
//! ```text
//!   thread A ─► instance 0 ── nothing? ─► 1, 2, 3 by try-lock ─► callbacks
//!   thread B ─► instance 1 ── nothing? ─► 2, 3, 0 by try-lock ─► callbacks
//! ```
//!
//! Which instance is a thread's own says the `cri` strategy. Every so many passes a thread polls all
//! instances although its own had something, so that one that nobody calls his own, or whose thread
//! computes, is not left alone while others are busy.

#![forbid(unsafe_code)]

use std::cell::Cell;

use cairn_framework::abi::host::{PROGRESS_EVERY_PASS, PROGRESS_SELDOM};
use cairn_framework::abi::param::IntegerParam;
use cairn_framework::abi::scope::Scope;
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Registrar};
use cairn_framework::frameworks::progress::{Progress, ProgressAsk, ProgressEngine};

const PRIORITY: i64 = 50;

/// A thread's passes between two that poll everything, and between calls of the callbacks that are
/// rarely called.
const ROUND: u32 = 64;

thread_local! {
    /// Passes of this thread.
    static PASSES: Cell<u32> = const { Cell::new(0) };
}

struct Concurrent {
    priority: i32,
}

impl Component for Concurrent {
    type Params = IntegerParam;

    fn register(registrar: &Registrar<'_>) -> Result<IntegerParam, Failure> {
        registrar.priority(PRIORITY)
    }

    fn open(_host: HostHandle, priority: IntegerParam) -> Result<Self, Failure> {
        Ok(Self { priority: priority.get() as i32 })
    }

    fn query(&self, _scope: &Scope) -> Answer {
        Answer::Priority(self.priority)
    }
}

impl Progress for Concurrent {
    fn run(&self, engine: &ProgressEngine, ask: &ProgressAsk) -> u32 {
        let pass = PASSES.replace(PASSES.get().wrapping_add(1));
        let round = pass.is_multiple_of(ROUND);
        let mut events = 0;
        for (number, pool) in engine.pools().iter().enumerate() {
            let number = number as u32;
            let own = ask.own_cri(pool);
            let mut found = engine.poll(number, own).unwrap_or(0);
            if found == 0 || round {
                for step in 1..pool.count {
                    found += engine.poll(number, (own + step) % pool.count).unwrap_or(0);
                }
            }
            events += found;
        }
        events += engine.callbacks(PROGRESS_EVERY_PASS, true);
        if round {
            events += engine.callbacks(PROGRESS_SELDOM, true);
        }
        events
    }
}

cairn_framework::component! {
    framework: progress,
    component: Concurrent,
    name: "concurrent",
    description: "each thread polls its own instance first, then the others",
}
