//! Yield: a thread that waits gives its processor to others between polls.
//!
//! A middle way: the thread stays runnable, so it reacts within a scheduler's turn, and others that
//! have something to do come first. The processor is never idle.

#![forbid(unsafe_code)]

use cairn_framework::abi::param::IntegerParam;
use cairn_framework::abi::request::WaitSync;
use cairn_framework::abi::scope::Scope;
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Registrar};
use cairn_framework::frameworks::wait::{Wait, WaitMeans};

/// Behind `adaptive` and `block`.
const PRIORITY: i64 = 20;

struct Yield {
    priority: i32,
}

impl Component for Yield {
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

impl Wait for Yield {
    fn wait(&self, sync: &WaitSync, means: &WaitMeans) -> Result<(), Failure> {
        while !sync.is_complete() {
            if means.poll(sync) == 0 {
                std::thread::yield_now();
            }
        }
        Ok(())
    }
}

cairn_framework::component! {
    framework: wait,
    component: Yield,
    name: "yield",
    description: "a thread that waits gives its processor to others between polls",
}
