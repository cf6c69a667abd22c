//! What components have in common: the three ways in which an operation is called, and what is kept for a
//! communicator.

use core::sync::atomic::{AtomicPtr, Ordering};

use cairn_framework::abi::comm::{COMM_INTER, Comm};
use cairn_framework::abi::request::Request;
use cairn_framework::abi::status::ERR_ARGUMENT;
use cairn_framework::author::{Failure, HostHandle};
use cairn_framework::frameworks::coll::{
    COLL_BARRIER, COLL_EXSCAN, COLL_LOST, COLL_NEIGHBOR_ALLGATHER, COLL_NEIGHBOR_ALLTOALLW,
    COLL_OPERATIONS, COLL_PASS_ON, COLL_SCAN, COLL_TAG_FIRST, CollArgs,
};

use crate::blocking;
use crate::call::Call;
use crate::link::{Channel, Link};
use crate::passing;
use crate::requests::{Engine, Operation};
use crate::schedule::Schedule;
use crate::shape::Shape;

/// Runs what algorithms write.
pub struct Driver {
    host: HostHandle,
    /// Temporary memory that a communicator keeps for its next operation.
    kept: usize,
    /// Boxed, because progress calls it by its address.
    engine: Box<Engine>,
}

/// What a component keeps for a communicator.
pub struct Module {
    link: Link,
    /// What the last blocking operation left, or null while one runs.
    spare: AtomicPtr<Spare>,
}

/// A schedule with its memory, and what it is the schedule of, if it can be used again for the same.
struct Spare {
    schedule: Schedule,
    shape: Option<Shape>,
}

impl Module {
    /// A schedule that is not in use.
    fn take(&self) -> Box<Spare> {
        // Acquire pairs with the Release in `keep`: the memory as the last operation left it.
        let spare = self.spare.swap(core::ptr::null_mut(), Ordering::Acquire);
        if spare.is_null() {
            return Box::new(Spare { schedule: Schedule::new(), shape: None });
        }
        // SAFETY: `keep` stored a box, and the exchange gave it to this thread alone.
        unsafe { Box::from_raw(spare) }
    }

    fn keep(&self, spare: Box<Spare>) {
        let before = self.spare.swap(Box::into_raw(spare), Ordering::AcqRel);
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

/// Whether the standard defines an operation on a communicator.
pub fn is_defined(comm: &Comm, operation: u32) -> bool {
    match operation {
        COLL_SCAN | COLL_EXSCAN => comm.flags & COMM_INTER == 0,
        COLL_NEIGHBOR_ALLGATHER..=COLL_NEIGHBOR_ALLTOALLW => !comm.neighbors.is_null(),
        _ => operation < COLL_OPERATIONS,
    }
}

impl Driver {
    /// `kept`: bytes of temporary memory that a communicator keeps for its next operation.
    pub fn new(host: HostHandle, kept: u64) -> Self {
        let kept = usize::try_from(kept).unwrap_or(usize::MAX);
        Self { host, kept, engine: Box::new(Engine::new(host)) }
    }

    /// What is kept for a communicator that is opened.
    ///
    /// # Errors
    /// No point-to-point component serves the process.
    pub fn module(&self) -> Result<Module, Failure> {
        Ok(Module { link: Link::find(self.host)?, spare: AtomicPtr::default() })
    }

    /// Runs a blocking operation, whose steps `write` writes. A call that is the same as the last one on its
    /// communicator runs the steps of that one again, so what is written may depend on nothing that changes but
    /// the call.
    ///
    /// # Errors
    /// Those of `write`, and of what sends and receives.
    ///
    /// # Safety
    /// As for the functions of `Coll`.
    pub unsafe fn run(
        &self,
        comm: &Comm,
        module: &Module,
        args: &CollArgs,
        write: impl FnOnce(&Call<'_>, &mut Schedule) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut spare = module.take();
        let call = Call { comm, args };
        // SAFETY: promised by the caller.
        let shape = unsafe { Shape::of(&call) };
        let written = if shape.is_some() && shape == spare.shape {
            checked(args)
        } else {
            spare.shape = None;
            fill(&call, &mut spare.schedule, write)
        };
        let channel = Channel { comm, tag: args.tag };
        let result = written.and_then(|()| {
            if args.flags & COLL_PASS_ON != 0 {
                let is_barrier = args.operation == COLL_BARRIER;
                let is_lost = args.flags & COLL_LOST != 0;
                let schedule = &spare.schedule;
                // SAFETY: promised by the caller.
                return unsafe {
                    passing::run(&module.link, channel, schedule, is_barrier, is_lost)
                };
            }
            // SAFETY: promised by the caller.
            unsafe { blocking::run(&module.link, channel, &mut spare.schedule) }
        });
        // Steps lead to temporary memory, so without that they are of no use.
        let whole = spare.schedule.trim(self.kept);
        spare.shape = shape.filter(|_| whole && result.is_ok());
        module.keep(spare);
        result
    }

    /// Starts a nonblocking operation.
    ///
    /// # Errors
    /// Those of `write`, and that there is no memory.
    ///
    /// # Safety
    /// As for the functions of `Coll`.
    pub unsafe fn start(
        &self,
        comm: &Comm,
        module: &Module,
        args: &CollArgs,
        write: impl FnOnce(&Call<'_>, &mut Schedule) -> Result<(), Failure>,
    ) -> Result<*mut Request, Failure> {
        // SAFETY: promised by the caller.
        unsafe {
            let operation = self.prepare(comm, module, args, false, write)?;
            self.engine.start(operation);
            Ok(operation.cast())
        }
    }

    /// Makes a persistent request.
    ///
    /// # Errors
    /// As for `start`.
    ///
    /// # Safety
    /// As for the functions of `Coll`.
    pub unsafe fn init(
        &self,
        comm: &Comm,
        module: &Module,
        args: &CollArgs,
        write: impl FnOnce(&Call<'_>, &mut Schedule) -> Result<(), Failure>,
    ) -> Result<*mut Request, Failure> {
        // SAFETY: promised by the caller.
        unsafe { Ok(self.prepare(comm, module, args, true, write)?.cast()) }
    }

    /// How many operations of a communicator with requests are started and not complete.
    pub fn pending(&self, comm: &Comm) -> u64 {
        self.engine.running_on(comm)
    }

    /// # Safety
    /// As for the functions of `Coll`.
    unsafe fn prepare(
        &self,
        comm: &Comm,
        module: &Module,
        args: &CollArgs,
        persistent: bool,
        write: impl FnOnce(&Call<'_>, &mut Schedule) -> Result<(), Failure>,
    ) -> Result<*mut Operation, Failure> {
        let channel = Channel { comm, tag: args.tag };
        // SAFETY: promised by the caller; the engine is closed with the driver.
        unsafe {
            self.engine.prepare(module.link, channel, persistent, |schedule| {
                fill(&Call { comm, args }, schedule, write)
            })
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.engine.close();
    }
}

/// Has the steps of a call written.
fn fill(
    call: &Call<'_>,
    schedule: &mut Schedule,
    write: impl FnOnce(&Call<'_>, &mut Schedule) -> Result<(), Failure>,
) -> Result<(), Failure> {
    checked(call.args)?;
    schedule.clear(call.args.op);
    write(call, schedule)?;
    schedule.wait();
    Ok(())
}

fn checked(args: &CollArgs) -> Result<(), Failure> {
    if args.tag <= COLL_TAG_FIRST {
        return Ok(());
    }
    let what = format!("the tag {} is not one of collective operations", args.tag);
    Err(Failure::new(ERR_ARGUMENT, what))
}
