//! The component's life.

use cairn_framework::abi::scope::Scope;
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Registrar};

use crate::module::Port;
use crate::params::Params;

pub struct SharedMemory {
    pub port: Port,
    priority: i32,
}

impl Component for SharedMemory {
    type Params = Params;

    fn register(registrar: &Registrar<'_>) -> Result<Params, Failure> {
        Params::register(registrar)
    }

    fn open(host: HostHandle, params: Params) -> Result<Self, Failure> {
        Ok(Self { port: Port::open(host, &params)?, priority: params.priority.get() as i32 })
    }

    fn query(&self, _scope: &Scope) -> Answer {
        Answer::Priority(self.priority)
    }
}

cairn_framework::component! {
    framework: btl,
    component: SharedMemory,
    name: "sm",
    description: "messages through memory that the processes of a node share",
    aliases: "vader",
}
