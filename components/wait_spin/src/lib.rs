//! Spin: a thread that waits polls without pause.
//!
//! The fastest reaction there is, as long as every waiting thread has a processor for itself. Where
//! it has none, it takes the time of those it waits for.

#![forbid(unsafe_code)]

use cairn_framework::abi::param::IntegerParam;
use cairn_framework::abi::request::WaitSync;
use cairn_framework::abi::scope::Scope;
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Registrar};
use cairn_framework::frameworks::wait::{Wait, WaitMeans};

/// Only where it is asked for: it is bad company.
const PRIORITY: i64 = 10;

struct Spin {
    priority: i32,
}

impl Component for Spin {
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

impl Wait for Spin {
    fn wait(&self, sync: &WaitSync, means: &WaitMeans) -> Result<(), Failure> {
        while !sync.is_complete() {
            if means.poll(sync) == 0 {
                std::hint::spin_loop();
            }
        }
        Ok(())
    }
}

cairn_framework::component! {
    framework: wait,
    component: Spin,
    name: "spin",
    description: "a thread that waits polls without pause",
}
