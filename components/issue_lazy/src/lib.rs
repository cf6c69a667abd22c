//! Lazy: the operations of an epoch wait for its end (Zhao 2012, §3.1 and §3.2).
//!
//! Then the target is told of the end by the last of them, and a lock is asked for and given back by the
//! messages that carry them. One short operation under a lock is two messages, where `eager` sends five
//! (formulas 3.1a and 3.1b). Nothing of the transfer overlaps with what the program computes.

#![forbid(unsafe_code)]

use cairn_framework::abi::param::IntegerParam;
use cairn_framework::abi::scope::Scope;
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Registrar};
use cairn_framework::frameworks::issue::{Decision, Issue, IssueOperation};

/// Only where it is asked for: epochs that move much can't overlap.
const PRIORITY: i64 = 20;

struct Lazy {
    priority: i32,
}

impl Component for Lazy {
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

impl Issue for Lazy {
    type Window = ();

    fn window_open(&self, _window: &Scope) -> Result<(), Failure> {
        Ok(())
    }

    fn epoch_open(&self, _state: &(), _epoch: u32) -> Decision {
        Decision::Hold
    }

    fn operation(&self, _state: &(), _operation: &IssueOperation) -> Decision {
        Decision::Hold
    }

    fn describe(&self, _state: &()) -> String {
        "operations wait for the end of their epoch".into()
    }
}

cairn_framework::component! {
    framework: issue,
    component: Lazy,
    name: "lazy",
    description: "operations of an epoch wait for its end",
}

#[cfg(test)]
mod tests {
    use cairn_framework::frameworks::issue::{ISSUE_EPOCHS, ISSUE_LOCK};
    use cairn_framework::mock::MockHost;

    use super::*;

    #[test]
    fn everything_waits_for_the_end_of_the_epoch() {
        let mock = MockHost::leak("issue_lazy");
        let strategy: Lazy = mock.open().unwrap();
        let window = mock.process();
        strategy.window_open(&window).unwrap();
        for epoch in 0..ISSUE_EPOCHS as u32 {
            assert_eq!(strategy.epoch_open(&(), epoch), Decision::Hold);
        }
        for waiting in [1, 2, u64::MAX] {
            let operation = IssueOperation {
                struct_size: size_of::<IssueOperation>() as u32,
                epoch: ISSUE_LOCK,
                waiting,
                bytes: u64::MAX,
            };
            assert_eq!(strategy.operation(&(), &operation), Decision::Hold);
        }
    }
}
