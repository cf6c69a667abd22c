//! Hybrid: each thread polls one instance, and all of them after some passes without an event
//! (Zambre et al. §4.3).
//!
//! The instance is that of the operation the thread waits for, where it is known, else the thread's
//! own as the `cri` strategy says. Threads with instances of their own meet only in the global
//! rounds. Without these a program could hang whose messages come in over an instance that nobody
//! polls (figure 9 of the paper).

#![forbid(unsafe_code)]

use std::cell::Cell;

use cairn_framework::abi::host::{PROGRESS_EVERY_PASS, PROGRESS_SELDOM};
use cairn_framework::abi::param::IntegerParam;
use cairn_framework::abi::scope::Scope;
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Registrar};
use cairn_framework::frameworks::progress::{
    PROGRESS_NO_CRI, Progress, ProgressAsk, ProgressEngine,
};

/// Behind `concurrent`, which reacts sooner where threads are few.
const PRIORITY: i64 = 40;

/// A thread's passes between calls of the callbacks that are rarely called.
const SELDOM: u32 = 64;

/// Most passes over one instance: with more of them a program that depends on the global rounds, as
/// those of figure 9, would take so long that it seems to hang.
const MOST_MISSES: i64 = 1 << 16;

thread_local! {
    /// Passes of this thread since its last global round.
    static SINCE_ROUND: Cell<u32> = const { Cell::new(0) };
    /// Passes of this thread.
    static PASSES: Cell<u32> = const { Cell::new(0) };
}

struct Params {
    priority: IntegerParam,
    misses: IntegerParam,
}

struct Hybrid {
    priority: i32,
    /// Passes over one instance between two global rounds.
    misses: u32,
}

impl Component for Hybrid {
    type Params = Params;

    fn register(registrar: &Registrar<'_>) -> Result<Params, Failure> {
        Ok(Params {
            priority: registrar.priority(PRIORITY)?,
            misses: registrar
                .integer(
                    "misses",
                    16,
                    "Passes of a thread over one instance before it polls all of them",
                )
                .range(0, MOST_MISSES)
                .unit("passes")
                .level(5)
                .register()?,
        })
    }

    fn open(_host: HostHandle, params: Params) -> Result<Self, Failure> {
        Ok(Self { priority: params.priority.get() as i32, misses: params.misses.get() as u32 })
    }

    fn query(&self, _scope: &Scope) -> Answer {
        Answer::Priority(self.priority)
    }
}

impl Progress for Hybrid {
    fn run(&self, engine: &ProgressEngine, ask: &ProgressAsk) -> u32 {
        let pass = PASSES.replace(PASSES.get().wrapping_add(1));
        let since = SINCE_ROUND.get();
        // Counted whether there were events or not: events of others may come for ever.
        let global = since >= self.misses;
        SINCE_ROUND.set(if global { 0 } else { since + 1 });
        let mut events = 0;
        for (number, pool) in engine.pools().iter().enumerate() {
            let number = number as u32;
            if global {
                for cri in 0..pool.count {
                    events += engine.poll(number, cri).unwrap_or(0);
                }
            } else if ask.cri == PROGRESS_NO_CRI {
                events += engine.poll(number, ask.own_cri(pool)).unwrap_or(0);
            } else if ask.pool == number {
                events += engine.poll(number, ask.cri).unwrap_or(0);
            }
        }
        events += engine.callbacks(PROGRESS_EVERY_PASS);
        if pass.is_multiple_of(SELDOM) {
            events += engine.callbacks(PROGRESS_SELDOM);
        }
        events
    }
}

cairn_framework::component! {
    framework: progress,
    component: Hybrid,
    name: "hybrid",
    description: "each thread polls one instance, and all of them after some misses",
}
