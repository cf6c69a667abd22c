//! Eager: the operations of an epoch go out as soon as their target is ready (Zhao 2012, §3.1 and §3.2).
//!
//! An epoch begins its synchronization when it is opened: with the fence, the start or the lock. So
//! transfers overlap with what the program computes from the first operation on. In return the end of an
//! epoch is a message of its own, a fence synchronizes twice, and one short operation under a lock is five
//! messages, where `lazy` sends two (formulas 3.1b and 3.1a).

#![forbid(unsafe_code)]

use cairn_framework::abi::param::IntegerParam;
use cairn_framework::abi::scope::Scope;
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Registrar};
use cairn_framework::frameworks::issue::{Decision, Issue, IssueOperation};

/// Only where it is asked for: epochs that move little pay for messages that they don't need.
const PRIORITY: i64 = 10;

struct Eager {
    priority: i32,
}

impl Component for Eager {
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

impl Issue for Eager {
    type Window = ();

    fn window_open(&self, _window: &Scope) -> Result<(), Failure> {
        Ok(())
    }

    fn epoch_open(&self, _state: &(), _epoch: u32) -> Decision {
        Decision::Begin
    }

    fn operation(&self, _state: &(), _operation: &IssueOperation) -> Decision {
        Decision::Go
    }

    fn describe(&self, _state: &()) -> String {
        "operations go out as soon as their target is ready".into()
    }
}

cairn_framework::component! {
    framework: issue,
    component: Eager,
    name: "eager",
    description: "operations of an epoch go out as soon as their target is ready",
}

#[cfg(test)]
mod tests {
    use cairn_framework::frameworks::issue::{ISSUE_EPOCHS, ISSUE_LOCK};
    use cairn_framework::mock::MockHost;

    use super::*;

    #[test]
    fn nothing_waits() {
        let mock = MockHost::leak("issue_eager");
        let strategy: Eager = mock.open().unwrap();
        let window = mock.process();
        strategy.window_open(&window).unwrap();
        for epoch in 0..ISSUE_EPOCHS as u32 {
            assert_eq!(strategy.epoch_open(&(), epoch), Decision::Begin);
        }
        for waiting in [1, 2, u64::MAX] {
            let operation = IssueOperation {
                struct_size: size_of::<IssueOperation>() as u32,
                epoch: ISSUE_LOCK,
                waiting,
                bytes: 0,
            };
            assert_eq!(strategy.operation(&(), &operation), Decision::Go);
        }
    }
}
