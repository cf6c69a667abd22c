//! The component, and what it keeps for a communicator.

use core::sync::atomic::{AtomicPtr, Ordering};

use cairn_framework::abi::comm::{COMM_INTER, Comm};
use cairn_framework::abi::request::Request;
use cairn_framework::abi::scope::{SCOPE_COMMUNICATOR, SCOPE_PROCESS, Scope};
use cairn_framework::abi::status::ERR_ARGUMENT;
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Registrar};
use cairn_framework::frameworks::coll::{
    COLL_EXSCAN, COLL_NEIGHBOR_ALLGATHER, COLL_NEIGHBOR_ALLTOALLW, COLL_OPERATIONS, COLL_SCAN,
    COLL_TAG_FIRST, Coll, CollArgs,
};

use crate::algorithms;
use crate::blocking;
use crate::call::Call;
use crate::link::{Channel, Link};
use crate::params::Params;
use crate::requests::{Engine, Operation};
use crate::schedule::Schedule;

/// The component.
pub struct Basic {
    host: HostHandle,
    priority: i32,
    params: Params,
    /// Boxed, because progress calls it by its address.
    engine: Box<Engine>,
}

/// What it keeps for a communicator.
pub struct Module {
    link: Link,
    /// The schedule of the last blocking operation, with its memory, or null while one runs.
    spare: AtomicPtr<Schedule>,
}

impl Module {
    /// A schedule that is not in use.
    fn take(&self) -> Box<Schedule> {
        // Acquire pairs with the Release in `keep`: the memory as the last operation left it.
        let spare = self.spare.swap(core::ptr::null_mut(), Ordering::Acquire);
        if spare.is_null() {
            return Box::new(Schedule::new());
        }
        // SAFETY: `keep` stored a box, and the exchange gave it to this thread alone.
        unsafe { Box::from_raw(spare) }
    }

    /// Keeps a schedule with so many bytes of its memory.
    fn keep(&self, mut schedule: Box<Schedule>, kept: usize) {
        schedule.trim(kept);
        let before = self.spare.swap(Box::into_raw(schedule), Ordering::AcqRel);
        if !before.is_null() {
            // SAFETY: as in `take`.
            drop(unsafe { Box::from_raw(before) });
        }
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        let spare = *self.spare.get_mut();
        if !spare.is_null() {
            // SAFETY: `keep` stored a box, and no other user is left.
            drop(unsafe { Box::from_raw(spare) });
        }
    }
}

impl Basic {
    /// Writes an operation's steps.
    fn write(&self, comm: &Comm, args: &CollArgs, schedule: &mut Schedule) -> Result<(), Failure> {
        if args.tag > COLL_TAG_FIRST {
            let what = format!("the tag {} is not one of collective operations", args.tag);
            return Err(Failure::new(ERR_ARGUMENT, what));
        }
        schedule.clear(args.op);
        algorithms::write(&Call { comm, args, params: &self.params }, schedule)
    }

    /// # Safety
    /// As for the functions of [`Coll`].
    unsafe fn prepare(
        &self,
        comm: &Comm,
        module: &Module,
        args: &CollArgs,
        persistent: bool,
    ) -> Result<*mut Operation, Failure> {
        let channel = Channel { comm, tag: args.tag };
        // SAFETY: promised by the caller; the engine is closed with the component.
        unsafe {
            self.engine.prepare(module.link, channel, persistent, |schedule| {
                self.write(comm, args, schedule)
            })
        }
    }
}

impl Component for Basic {
    type Params = Params;

    fn register(registrar: &Registrar<'_>) -> Result<Params, Failure> {
        Params::register(registrar)
    }

    fn open(host: HostHandle, params: Params) -> Result<Self, Failure> {
        Ok(Self {
            host,
            priority: params.priority.get() as i32,
            params,
            engine: Box::new(Engine::new(host)),
        })
    }

    fn query(&self, scope: &Scope) -> Answer {
        match scope.kind {
            SCOPE_PROCESS | SCOPE_COMMUNICATOR => Answer::Priority(self.priority),
            _ => Answer::Decline("collective operations are a communicator's".into()),
        }
    }
}

impl Drop for Basic {
    fn drop(&mut self) {
        self.engine.close();
    }
}

impl Coll for Basic {
    type Module = Module;

    fn comm_open(&self, _comm: &mut Comm) -> Result<Module, Failure> {
        Ok(Module { link: Link::find(self.host)?, spare: AtomicPtr::default() })
    }

    /// Everything that the standard defines on such a communicator.
    fn offer(&self, comm: &Comm, _module: &Module, operation: u32, _way: u32) -> Option<i32> {
        let defined = match operation {
            COLL_SCAN | COLL_EXSCAN => comm.flags & COMM_INTER == 0,
            COLL_NEIGHBOR_ALLGATHER..=COLL_NEIGHBOR_ALLTOALLW => !comm.neighbors.is_null(),
            _ => operation < COLL_OPERATIONS,
        };
        defined.then_some(self.priority)
    }

    unsafe fn run(&self, comm: &Comm, module: &Module, args: &CollArgs) -> Result<(), Failure> {
        let mut schedule = module.take();
        let channel = Channel { comm, tag: args.tag };
        let result = self.write(comm, args, &mut schedule).and_then(|()| {
            // SAFETY: promised by the caller.
            unsafe { blocking::run(&module.link, channel, &mut schedule) }
        });
        module.keep(schedule, self.params.kept.get() as usize);
        result
    }

    unsafe fn start(
        &self,
        comm: &Comm,
        module: &Module,
        args: &CollArgs,
    ) -> Result<*mut Request, Failure> {
        // SAFETY: promised by the caller.
        unsafe {
            let operation = self.prepare(comm, module, args, false)?;
            self.engine.start(operation);
            Ok(operation.cast())
        }
    }

    unsafe fn init(
        &self,
        comm: &Comm,
        module: &Module,
        args: &CollArgs,
    ) -> Result<*mut Request, Failure> {
        // SAFETY: promised by the caller.
        unsafe { Ok(self.prepare(comm, module, args, true)?.cast()) }
    }

    fn pending(&self, comm: &Comm, _module: &Module) -> u64 {
        self.engine.running_on(comm)
    }
}
