//! A second library besides `trap_one`, with statics and thread-locals of its own.

#![forbid(unsafe_code)]

use cairn_framework::abi::pool::CriPool;
use cairn_framework::abi::scope::Scope;
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Registrar};
use cairn_framework::frameworks::cri::{Asker, Cri};

struct Second {
    host: HostHandle,
}

impl Component for Second {
    type Params = ();

    fn register(_registrar: &Registrar<'_>) -> Result<(), Failure> {
        Ok(())
    }

    fn open(host: HostHandle, (): ()) -> Result<Self, Failure> {
        Ok(Self { host })
    }

    fn query(&self, _scope: &Scope) -> Answer {
        Answer::Priority(1)
    }
}

impl Cri for Second {
    type Pool = HostHandle;

    fn attach(&self, _pool: &CriPool) -> Result<HostHandle, Failure> {
        Ok(self.host)
    }

    /// Answers with the number that the host gives the thread.
    fn assign(host: &HostHandle, _pool: &CriPool, _asker: &Asker<'_>) -> u32 {
        host.thread().index
    }
}

cairn_framework::component! {
    framework: cri,
    component: Second,
    name: "trap_two",
    description: "a second library in the process, for tests",
}
