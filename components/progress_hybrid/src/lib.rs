//! Hybrid: a thread polls the instance of its operation, and all of them after some of these polls have
//! not completed the operation (Zambre et al. §4.3).
//!
//! ```text
//!   wait ─► own, own, … own ─► all ─► own, own, … own ─► all ─► …     until it is complete
//!           └── misses ───┘           └── misses ───┘
//! ```
//!
//! Several operations that a thread waits for have several instances, which are all polled. Where it is
//! not known which instance an operation's events come over, it is the thread's own, as the `cri` strategy
//! says. Threads with instances of their own meet only in the global rounds. Without these a program could
//! hang whose messages come in over an instance that no thread polls (figure 9 of the paper).
//!
//! A thread whose operations never need so many polls makes a global round all the same after
//! `LONGEST` passes: messages of a peer may depend on it that concern none of these operations
//! (MPI 5.0, section 3.5, progress). Calls that only test count together, since each is an operation's
//! single poll.

#![forbid(unsafe_code)]

use std::cell::Cell;

use cairn_framework::abi::host::{PROGRESS_EVERY_PASS, PROGRESS_SELDOM};
use cairn_framework::abi::scope::Scope;
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Registrar};
use cairn_framework::frameworks::progress::{
    PROGRESS_SINGLE, Progress, ProgressAsk, ProgressEngine,
};

/// Behind `concurrent`, which reacts sooner where threads are few.
const PRIORITY: i64 = 40;

/// A thread's passes between calls of the callbacks that are rarely called.
const SELDOM: u32 = 64;

/// Passes of a thread after which it makes a global round, whatever its operations are.
const LONGEST: u32 = 1 << 12;

/// Most passes over one instance: with more of them a program that depends on the global rounds, as
/// those of figure 9, would take so long that it seems to hang.
const MOST_MISSES: i64 = 1 << 16;

thread_local! {
    /// Passes of this thread since its last global round.
    static SINCE_ROUND: Cell<u32> = const { Cell::new(0) };
    /// Single passes among them.
    static SINGLE: Cell<u32> = const { Cell::new(0) };
    /// Passes of this thread.
    static PASSES: Cell<u32> = const { Cell::new(0) };
}

cairn_framework::params! {
    /// The parameters.
    struct Params {
        priority: priority(PRIORITY);
        misses: integer(16),
            "Polls of an operation's instance that do not complete it before a thread polls all \
             instances",
            range(0, MOST_MISSES), unit("polls"), level(5);
    }
}

struct Hybrid {
    priority: i32,
    /// Polls of an operation's instance between two global rounds.
    misses: u32,
}

impl Component for Hybrid {
    type Params = Params;

    fn register(registrar: &Registrar<'_>) -> Result<Params, Failure> {
        Params::register(registrar)
    }

    fn open(_host: HostHandle, params: Params) -> Result<Self, Failure> {
        Ok(Self { priority: params.priority.get() as i32, misses: params.misses.get() as u32 })
    }

    fn query(&self, _scope: &Scope) -> Answer {
        Answer::Priority(self.priority)
    }
}

impl Hybrid {
    /// Whether the calling thread's next pass is a global round, after so many for the same operation.
    fn is_global(&self, attempts: u32) -> bool {
        let (since, single) = (SINCE_ROUND.get(), SINGLE.get());
        let global = since >= self.longest()
            || match attempts {
                PROGRESS_SINGLE => single >= self.misses,
                _ => attempts % (self.misses + 1) == self.misses,
            };
        if global {
            SINCE_ROUND.set(0);
            SINGLE.set(0);
        } else {
            SINCE_ROUND.set(since + 1);
            SINGLE.set(single + u32::from(attempts == PROGRESS_SINGLE));
        }
        global
    }

    fn longest(&self) -> u32 {
        LONGEST.max(self.misses)
    }
}

impl Progress for Hybrid {
    fn run(&self, engine: &ProgressEngine, ask: &ProgressAsk) -> u32 {
        let pass = PASSES.replace(PASSES.get().wrapping_add(1));
        let mut events =
            if self.is_global(ask.attempts) { engine.poll_all() } else { engine.poll_first(ask) };
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
    description: "each thread polls the instance of its operation, and all of them after some misses",
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The passes among the first so many of one operation that are global rounds.
    fn rounds(hybrid: &Hybrid, passes: u32) -> Vec<u32> {
        (0..passes).filter(|attempts| hybrid.is_global(*attempts)).collect()
    }

    #[test]
    fn a_round_comes_after_misses_of_one_operation() {
        let hybrid = Hybrid { priority: 0, misses: 3 };
        assert_eq!(rounds(&hybrid, 9), [3, 7]);
        // Operations that complete sooner need none.
        assert!((0..1000).all(|_| rounds(&hybrid, 3).is_empty()));
        assert_eq!(rounds(&hybrid, 4), [3]);
        assert_eq!(rounds(&Hybrid { priority: 0, misses: 0 }, 3), [0, 1, 2]);
    }

    #[test]
    fn single_passes_count_together() {
        let hybrid = Hybrid { priority: 0, misses: 2 };
        rounds(&hybrid, 3);
        let single: Vec<bool> = (0..6).map(|_| hybrid.is_global(PROGRESS_SINGLE)).collect();
        assert_eq!(single, [false, false, true, false, false, true]);
    }

    /// Nothing else would ever poll what concerns none of the operations.
    #[test]
    fn short_operations_make_a_round_at_last() {
        let hybrid = Hybrid { priority: 0, misses: 16 };
        rounds(&hybrid, 17);
        let passes = (0..3 * LONGEST).filter(|_| hybrid.is_global(0)).count();
        assert_eq!(passes, 2);
    }
}
