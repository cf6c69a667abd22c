//! sticky: a cri strategy in Rust, as somebody outside the project writes it.
//!
//! A thread keeps its instance for some operations and then moves on to the next, so that bursts
//! stay together and load still spreads when there are more threads than instances.
//!
//! Build and try it:
//!
//! ```sh
//! cargo build --release
//! cp target/release/libcri_sticky.so ~/.cairn/components/
//! cairn-info check ~/.cairn/components/libcri_sticky.so
//! cairn-info --selected --mca cri sticky
//! ```

#![forbid(unsafe_code)]

use std::sync::atomic::{AtomicU32, Ordering};

use cairn_framework::abi::pool::CriPool;
use cairn_framework::abi::scope::Scope;
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Registrar};
use cairn_framework::frameworks::cri::{Asker, Cri};

/// Threads whose operations are counted apart; further ones share a counter, which does no harm.
const THREADS: usize = 64;

struct Sticky {
    priority: i32,
    operations: u32,
}

cairn_framework::params! {
    /// What users can set: `cri_sticky_priority` and `cri_sticky_operations`.
    struct Params {
        priority: priority(5);
        operations: integer(64), "Operations of a thread before it changes its instance",
            range(1, 1 << 20), level(5);
    }
}

/// What the strategy keeps for one pool.
struct Turns {
    operations: u32,
    /// Operations of each thread so far, each counter on cache lines of its own.
    done: Box<[Counter]>,
}

#[repr(align(128))]
struct Counter(AtomicU32);

impl Component for Sticky {
    type Params = Params;

    fn register(registrar: &Registrar<'_>) -> Result<Params, Failure> {
        Params::register(registrar)
    }

    fn open(_host: HostHandle, params: Params) -> Result<Self, Failure> {
        Ok(Self {
            priority: params.priority.get() as i32,
            operations: params.operations.get() as u32,
        })
    }

    fn query(&self, _scope: &Scope) -> Answer {
        Answer::Priority(self.priority)
    }
}

impl Cri for Sticky {
    type Pool = Turns;

    fn attach(&self, _pool: &CriPool) -> Result<Turns, Failure> {
        let done = (0..THREADS).map(|_| Counter(AtomicU32::new(0))).collect();
        Ok(Turns { operations: self.operations, done })
    }

    fn assign(turns: &Turns, pool: &CriPool, asker: &Asker<'_>) -> u32 {
        let index = asker.thread.index;
        let done = turns.done[index as usize % THREADS].0.fetch_add(1, Ordering::Relaxed);
        (index + done / turns.operations) % pool.count
    }

    fn describe(turns: &Turns, pool: &CriPool) -> String {
        format!("one of {} instances for {} operations", pool.count, turns.operations)
    }
}

cairn_framework::component! {
    framework: cri,
    component: Sticky,
    name: "sticky",
    description: "keeps a thread on an instance for some operations (an example in Rust)",
}

#[cfg(test)]
mod tests {
    use cairn_framework::frameworks::cri::CRI_SEND;
    use cairn_framework::mock::MockHost;

    use super::*;

    #[test]
    fn a_thread_stays_and_moves_on() {
        let mock = MockHost::leak("cri_sticky");
        mock.set("operations", "3");
        let strategy: Sticky = mock.open().unwrap();
        let (pool, scope) = (mock.pool(2), mock.process());
        let turns = strategy.attach(pool).unwrap();
        let indices: Vec<u32> = (0..8)
            .map(|_| {
                mock.as_thread(1, |thread| {
                    let asker = Asker { thread, scope: &scope, peer: None, operation: CRI_SEND };
                    Sticky::assign(&turns, pool, &asker)
                })
            })
            .collect();
        assert_eq!(indices, [1, 1, 1, 0, 0, 0, 1, 1]);
    }
}
