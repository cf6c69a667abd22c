//! The component, and what it keeps for a communicator.

use core::sync::atomic::{AtomicU32, Ordering};
use std::sync::OnceLock;

use cairn_framework::abi::comm::Comm;
use cairn_framework::abi::host::LOG_WARN;
use cairn_framework::abi::request::Request;
use cairn_framework::abi::scope::{SCOPE_COMMUNICATOR, SCOPE_PROCESS, Scope};
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Registrar};
use cairn_framework::frameworks::coll::{COLL_NEIGHBOR_ALLGATHER, Coll, CollArgs};
use cairn_schedule::{Call, Driver, Module, Schedule, inter, is_defined, linear, neighbors};

use crate::algorithms::{Algorithm, Knobs, OPERATIONS};
use crate::choice::{Forced, Keys};
use crate::params::Params;
use crate::table::{Place, Table};

/// The component.
pub struct Tuned {
    host: HostHandle,
    priority: i32,
    keys: Keys,
    /// What is wrong with the user's table is told where a communicator is opened. A component that fails
    /// before is left out, and where only some processes find the file the others would wait for ever.
    table: Result<Table, Failure>,
    /// Where no row of the table says others.
    knobs: Knobs,
    driver: Driver,
}

/// What it keeps for a communicator.
pub struct Opened {
    module: Module,
    forced: Forced,
    place: OnceLock<Place>,
    /// A bit for each operation whose forced algorithm could not be used, as was said.
    told: AtomicU32,
}

impl Tuned {
    /// Writes an operation's steps.
    fn write(
        &self,
        opened: &Opened,
        call: &Call<'_>,
        schedule: &mut Schedule,
    ) -> Result<(), Failure> {
        let number = call.args.operation;
        if number >= COLL_NEIGHBOR_ALLGATHER {
            return neighbors::write(call, schedule);
        }
        if call.inter() {
            return inter::write(call, schedule);
        }
        let bytes = call.bytes();
        if call.size() == 1 || bytes == Some(0) {
            return linear::write(call, schedule);
        }
        let (algorithm, knobs) = self.choose(opened, call, bytes.unwrap_or(0))?;
        algorithm.write(call, &knobs, schedule)
    }

    /// The algorithm of a call: what is forced, else what the table says, as far as the call can be served by it.
    fn choose(
        &self,
        opened: &Opened,
        call: &Call<'_>,
        bytes: u64,
    ) -> Result<(&'static Algorithm, Knobs), Failure> {
        let number = call.args.operation as usize;
        let operation = &OPERATIONS[number];
        if let Some(forced) = opened.forced[number] {
            let algorithm = &operation.algorithms[forced];
            match algorithm.unfit(call) {
                None => return Ok((algorithm, self.knobs)),
                Some(why) => self.tell(opened, call, operation.name, algorithm.name, why),
            }
        }
        let place = opened.place.get_or_init(|| Place::of(call.comm));
        let table = self.table.as_ref().map_err(Clone::clone)?;
        Ok(table.choose(call, bytes, *place, self.knobs))
    }

    /// Says once for each operation of a communicator, at its rank 0, that what was forced could not be used.
    #[cold]
    fn tell(&self, opened: &Opened, call: &Call<'_>, operation: &str, algorithm: &str, why: &str) {
        let bit = 1 << call.args.operation;
        if call.rank() == 0 && opened.told.fetch_or(bit, Ordering::Relaxed) & bit == 0 {
            let name = call.comm.scope.name();
            self.host.log(LOG_WARN, || {
                format!(
                    "the algorithm {algorithm} of {operation} can't be used for a call on {name}, because \
                     {why}; the table says which is used instead"
                )
            });
        }
    }
}

impl Component for Tuned {
    type Params = Params;

    fn register(registrar: &Registrar<'_>) -> Result<Params, Failure> {
        Params::register(registrar)
    }

    fn open(host: HostHandle, params: Params) -> Result<Self, Failure> {
        let plain = params.plain();
        Ok(Self {
            host,
            priority: plain.priority.get() as i32,
            keys: Keys::tell(host, params.forced())?,
            table: Table::load(plain.table.get()),
            knobs: params.knobs(),
            driver: Driver::new(host, plain.kept.get()),
        })
    }

    fn query(&self, scope: &Scope) -> Answer {
        match scope.kind {
            SCOPE_PROCESS | SCOPE_COMMUNICATOR => Answer::Priority(self.priority),
            _ => Answer::Decline("collective operations are a communicator's".into()),
        }
    }
}

impl Coll for Tuned {
    type Module = Opened;

    fn comm_open(&self, comm: &mut Comm) -> Result<Opened, Failure> {
        self.table.as_ref().map_err(Clone::clone)?;
        Ok(Opened {
            module: self.driver.module()?,
            forced: self.keys.forced(&comm.scope)?,
            place: OnceLock::new(),
            told: AtomicU32::new(0),
        })
    }

    /// Everything that the standard defines on such a communicator.
    fn offer(&self, comm: &Comm, _opened: &Opened, operation: u32, _way: u32) -> Option<i32> {
        is_defined(comm, operation).then_some(self.priority)
    }

    unsafe fn run(&self, comm: &Comm, opened: &Opened, args: &CollArgs) -> Result<(), Failure> {
        // SAFETY: promised by the caller. What is written depends on the call and on what stays as it is while
        // the communicator is open.
        unsafe {
            self.driver.run(comm, &opened.module, args, |call, schedule| {
                self.write(opened, call, schedule)
            })
        }
    }

    unsafe fn start(
        &self,
        comm: &Comm,
        opened: &Opened,
        args: &CollArgs,
    ) -> Result<*mut Request, Failure> {
        // SAFETY: promised by the caller.
        unsafe {
            self.driver.start(comm, &opened.module, args, |call, schedule| {
                self.write(opened, call, schedule)
            })
        }
    }

    unsafe fn init(
        &self,
        comm: &Comm,
        opened: &Opened,
        args: &CollArgs,
    ) -> Result<*mut Request, Failure> {
        // SAFETY: promised by the caller.
        unsafe {
            self.driver.init(comm, &opened.module, args, |call, schedule| {
                self.write(opened, call, schedule)
            })
        }
    }

    fn pending(&self, comm: &Comm, _opened: &Opened) -> u64 {
        self.driver.pending(comm)
    }
}
