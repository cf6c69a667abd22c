//! Round-robin: each operation takes the next instance (dissertation §5.3.3, algorithm 3).
//!
//! ```text
//!   thread A ──┐
//!   thread B ──┼─► next++ mod count ─► instance
//!   thread C ──┘
//! ```
//!
//! Operations spread evenly whatever the threads do, at the price of one atomic addition on a line
//! that all threads share, and of meeting another thread on an instance by chance. Good with few
//! instances or with threads that come and go.

#![forbid(unsafe_code)]

use std::sync::atomic::{AtomicU32, Ordering};

use cairn_framework::abi::param::IntegerParam;
use cairn_framework::abi::pool::CriPool;
use cairn_framework::abi::scope::Scope;
use cairn_framework::audit::Counted;
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Registrar};
use cairn_framework::frameworks::cri::{Asker, Cri};

/// Behind `dedicated`, which threads do not meet in at all when there are enough instances.
const PRIORITY: i64 = 20;

struct RoundRobin {
    priority: i32,
}

/// The counter of one pool, on cache lines of its own, because every thread writes it.
#[repr(align(128))]
struct Turn(AtomicU32);

impl Component for RoundRobin {
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

impl Cri for RoundRobin {
    type Pool = Turn;

    fn attach(&self, _pool: &CriPool) -> Result<Turn, Failure> {
        Ok(Turn(AtomicU32::new(0)))
    }

    fn assign(turn: &Turn, pool: &CriPool, _asker: &Asker<'_>) -> u32 {
        // Relaxed: the turns need no order among other memory accesses.
        let turn = turn.0.rmw().fetch_add(1, Ordering::Relaxed);
        // Counts are mostly powers of two, where the remainder needs no division. When the counter
        // wraps and the count is none, one instance gets two turns in a row; that is all.
        if pool.count.is_power_of_two() { turn & (pool.count - 1) } else { turn % pool.count }
    }

    fn describe(turn: &Turn, pool: &CriPool) -> String {
        format!("next is {} of {}", turn.0.load(Ordering::Relaxed) % pool.count, pool.count)
    }
}

cairn_framework::component! {
    framework: cri,
    component: RoundRobin,
    name: "round_robin",
    description: "gives each operation the next instance in turn",
    aliases: "rr",
}

#[cfg(test)]
mod tests {
    use cairn_framework::frameworks::cri::CRI_SEND;
    use cairn_framework::mock::MockHost;

    use super::*;

    #[test]
    fn operations_take_turns() {
        let mock = MockHost::leak("cri_round_robin");
        let strategy: RoundRobin = mock.open().unwrap();
        for count in [1, 3, 4] {
            let pool = mock.pool(count);
            let turn = strategy.attach(pool).unwrap();
            let scope = mock.process();
            let indices: Vec<u32> = (0..2 * count)
                .map(|i| {
                    mock.as_thread(i % 2, |thread| {
                        let asker =
                            Asker { thread, scope: &scope, peer: None, operation: CRI_SEND };
                        RoundRobin::assign(&turn, pool, &asker)
                    })
                })
                .collect();
            let expected: Vec<u32> = (0..2 * count).map(|i| i % count).collect();
            assert_eq!(indices, expected);
            assert_eq!(RoundRobin::describe(&turn, pool), format!("next is 0 of {count}"));
        }
    }
}
