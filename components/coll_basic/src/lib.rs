//! Basic: every collective operation in the plainest way, over point-to-point messages.
//!
//! ```text
//!   CollArgs ─► cairn_schedule: linear, inter or neighbors ─► Schedule ─► pml
//! ```
//!
//! Data goes straight from the process that has it to the one that needs it, and reductions are made at one
//! place in the order of the ranks, so there is little that can be wrong. It serves what no other component
//! offers, comparison (`--mca coll basic`), and tests. The algorithms for use are those of `coll_tuned`.

use cairn_framework::abi::comm::Comm;
use cairn_framework::abi::request::Request;
use cairn_framework::abi::scope::{SCOPE_COMMUNICATOR, SCOPE_PROCESS, Scope};
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Registrar};
use cairn_framework::frameworks::coll::{COLL_NEIGHBOR_ALLGATHER, Coll, CollArgs};
use cairn_schedule::{Call, Driver, Module, Schedule, inter, is_defined, linear, neighbors};

/// Any component made for a purpose comes before this one.
const PRIORITY: i64 = 5;

/// Temporary memory that a communicator keeps for its next operation.
const KEPT: u64 = 1 << 20;

cairn_framework::params! {
    /// The parameters.
    struct Params {
        priority: priority(PRIORITY);
    }
}

struct Basic {
    priority: i32,
    driver: Driver,
}

/// Writes the steps of an operation.
fn write(call: &Call<'_>, schedule: &mut Schedule) -> Result<(), Failure> {
    if call.args.operation >= COLL_NEIGHBOR_ALLGATHER {
        neighbors::write(call, schedule)
    } else if call.inter() {
        inter::write(call, schedule)
    } else {
        linear::write(call, schedule)
    }
}

impl Component for Basic {
    type Params = Params;

    fn register(registrar: &Registrar<'_>) -> Result<Params, Failure> {
        Params::register(registrar)
    }

    fn open(host: HostHandle, params: Params) -> Result<Self, Failure> {
        let priority = params.priority.get() as i32;
        Ok(Self { priority, driver: Driver::new(host, KEPT) })
    }

    fn query(&self, scope: &Scope) -> Answer {
        match scope.kind {
            SCOPE_PROCESS | SCOPE_COMMUNICATOR => Answer::Priority(self.priority),
            _ => Answer::Decline("collective operations are a communicator's".into()),
        }
    }
}

impl Coll for Basic {
    type Module = Module;

    fn comm_open(&self, _comm: &mut Comm) -> Result<Module, Failure> {
        self.driver.module()
    }

    /// Everything that the standard defines on such a communicator.
    fn offer(&self, comm: &Comm, _module: &Module, operation: u32, _way: u32) -> Option<i32> {
        is_defined(comm, operation).then_some(self.priority)
    }

    unsafe fn run(&self, comm: &Comm, module: &Module, args: &CollArgs) -> Result<(), Failure> {
        // SAFETY: promised by the caller.
        unsafe { self.driver.run(comm, module, args, write) }
    }

    unsafe fn start(
        &self,
        comm: &Comm,
        module: &Module,
        args: &CollArgs,
    ) -> Result<*mut Request, Failure> {
        // SAFETY: promised by the caller.
        unsafe { self.driver.start(comm, module, args, write) }
    }

    unsafe fn init(
        &self,
        comm: &Comm,
        module: &Module,
        args: &CollArgs,
    ) -> Result<*mut Request, Failure> {
        // SAFETY: promised by the caller.
        unsafe { self.driver.init(comm, module, args, write) }
    }

    fn pending(&self, comm: &Comm, _module: &Module) -> u64 {
        self.driver.pending(comm)
    }
}

cairn_framework::component! {
    framework: coll,
    component: Basic,
    name: "basic",
    description: "every collective operation in the plainest way, over point-to-point messages",
}
