//! **coll** — collective operations.
//!
//! Several components serve one communicator: for each operation the one that offers it with the
//! highest priority, and does not decline the call. A component reaches its peers through the process's point-to-point component,
//! which it finds with the host's `service`, on negative tags that no user message has.
//!
//! **Life.** `comm_open` is called for each communicator on each of its processes, in the same
//! order; `offer` right after it, for each operation; `comm_close` when the communicator is freed.
//! What a component answers must be the same on every process of the communicator, because all have
//! to take the same one: it may depend on sizes, parameters and info keys, not on rank or load. That holds
//! for neighborhood operations, too, of which a process knows its own neighbors alone: whether the view
//! has some is the same everywhere, who and how many is not.
//!
//! **Declining.** An offer is for an operation, whatever its arguments. A component that serves only some
//! calls, for example those of few bytes, declines the others: `run` returns `CAIRN_ERR_DECLINED`, and the
//! component with the next lower offer is asked. It must do so on every process alike, so by what MPI demands
//! to be the same everywhere; counts and datatypes are not, but the bytes of a block that has one sender
//! and one receiver are. When it declines the buffers are as they were, and all that it has sent
//! was received: the next one's messages carry the same tag.
//!
//! **Threads and locks.** `run`, `start` and `init` are called by any thread with no lock held; by
//! one thread at a time for one communicator, as MPI demands of its callers.
//!
//! **Parts.** A component may make an operation of operations on parts of the communicator
//! ([`CommParts`], [`Part`]), which the components of `coll` serve in turn. A process that is
//! lost in one of them would leave others waiting in the next, so these carry `CAIRN_COLL_PASS_ON`, and every component
//! keeps to it.
//!
//! **Tags.** Several operations may be under way on a communicator, of several components. Each
//! comes with a tag that no other of them has, from [`blocking_tag`], [`nonblocking_tag`] or, for
//! persistent requests, [`persistent_tag`]; its messages carry that tag. Between two processes messages
//! of one negative tag do not overtake each other, whatever the communicator's assertions say.
//!
//! **Completion and ownership.** As for `pml`: requests are the component's, buffers are the
//! operation's until it is complete, count arrays until `run`, `start` or `init` returns.

use core::ffi::c_void;

use super::contract;
use crate::abi::comm::{Comm, CommParts};
use crate::abi::component::Instance;
use crate::abi::datatype::{Datatype, Op};
use crate::abi::request::Request;
use crate::abi::status::Status;
use crate::author::{self, Component, Failure, HostHandle};

/// [`CollArgs::operation`]: `MPI_Barrier`.
pub const COLL_BARRIER: u32 = 0;
/// [`CollArgs::operation`]: `MPI_Bcast`, in the receive buffer.
pub const COLL_BCAST: u32 = 1;
/// [`CollArgs::operation`]: `MPI_Gather`.
pub const COLL_GATHER: u32 = 2;
/// [`CollArgs::operation`]: `MPI_Gatherv`.
pub const COLL_GATHERV: u32 = 3;
/// [`CollArgs::operation`]: `MPI_Scatter`.
pub const COLL_SCATTER: u32 = 4;
/// [`CollArgs::operation`]: `MPI_Scatterv`.
pub const COLL_SCATTERV: u32 = 5;
/// [`CollArgs::operation`]: `MPI_Allgather`.
pub const COLL_ALLGATHER: u32 = 6;
/// [`CollArgs::operation`]: `MPI_Allgatherv`.
pub const COLL_ALLGATHERV: u32 = 7;
/// [`CollArgs::operation`]: `MPI_Alltoall`.
pub const COLL_ALLTOALL: u32 = 8;
/// [`CollArgs::operation`]: `MPI_Alltoallv`.
pub const COLL_ALLTOALLV: u32 = 9;
/// [`CollArgs::operation`]: `MPI_Alltoallw`.
pub const COLL_ALLTOALLW: u32 = 10;
/// [`CollArgs::operation`]: `MPI_Reduce`.
pub const COLL_REDUCE: u32 = 11;
/// [`CollArgs::operation`]: `MPI_Allreduce`.
pub const COLL_ALLREDUCE: u32 = 12;
/// [`CollArgs::operation`]: `MPI_Reduce_scatter`.
pub const COLL_REDUCE_SCATTER: u32 = 13;
/// [`CollArgs::operation`]: `MPI_Reduce_scatter_block`.
pub const COLL_REDUCE_SCATTER_BLOCK: u32 = 14;
/// [`CollArgs::operation`]: `MPI_Scan`.
pub const COLL_SCAN: u32 = 15;
/// [`CollArgs::operation`]: `MPI_Exscan`.
pub const COLL_EXSCAN: u32 = 16;
/// [`CollArgs::operation`]: `MPI_Neighbor_allgather`.
pub const COLL_NEIGHBOR_ALLGATHER: u32 = 17;
/// [`CollArgs::operation`]: `MPI_Neighbor_allgatherv`.
pub const COLL_NEIGHBOR_ALLGATHERV: u32 = 18;
/// [`CollArgs::operation`]: `MPI_Neighbor_alltoall`.
pub const COLL_NEIGHBOR_ALLTOALL: u32 = 19;
/// [`CollArgs::operation`]: `MPI_Neighbor_alltoallv`.
pub const COLL_NEIGHBOR_ALLTOALLV: u32 = 20;
/// [`CollArgs::operation`]: `MPI_Neighbor_alltoallw`.
pub const COLL_NEIGHBOR_ALLTOALLW: u32 = 21;
/// Number of operations.
pub const COLL_OPERATIONS: u32 = 22;

/// How an operation is called: it returns when it is complete.
pub const COLL_BLOCKING: u32 = 0;
/// How an operation is called: it returns a request.
pub const COLL_NONBLOCKING: u32 = 1;
/// How an operation is called: it returns a request that can be started many times.
pub const COLL_PERSISTENT: u32 = 2;

/// [`CollArgs::flags`]: failures are passed on. A process that can't go on does what is left of its part all the
/// same, with empty messages where others expect data, and with longer ones where they expect none. Who gets such a
/// message can't go on either. So every process ends, and with an error if what it was to get depends on what
/// is not there. On all processes alike.
pub const COLL_PASS_ON: u32 = 1;
/// [`CollArgs::flags`], beside `CAIRN_COLL_PASS_ON`: this process can't go on from the beginning, so its data
/// is worth nothing. The operation fails here.
pub const COLL_LOST: u32 = 2;

/// An array of counts or displacements, one for each block, in the width the user called with.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct CollCounts {
    /// `int` or `MPI_Count`/`MPI_Aint` values, or null.
    pub data: *const c_void,
    /// 4 or 8.
    pub width: u32,
    /// Zero.
    pub reserved: u32,
}

/// The highest tag of a collective operation. Negative tags above it are for other uses.
pub const COLL_TAG_FIRST: i32 = -1024;
/// How many tags there are for blocking operations. One that begins receives nothing of an earlier one,
/// which has ended, and messages of one tag stay in order: so tags may come again soon.
pub const COLL_BLOCKING_TAGS: u32 = 1 << 15;
/// How many tags there are for nonblocking operations: each has its own, unless it is still under way
/// after so many others have begun on its communicator.
pub const COLL_NONBLOCKING_TAGS: u32 = 1 << 28;
/// How many tags there are for persistent requests: each has its own, unless it still exists after so
/// many others were made on its communicator.
pub const COLL_PERSISTENT_TAGS: u32 = (1 << 28) - (1 << 16);

/// The lowest tag of a collective operation.
pub const COLL_TAG_LAST: i32 = persistent_tag(COLL_PERSISTENT_TAGS as u64 - 1);

/// The tag of the blocking operation with this number on its communicator. Every process counts the
/// blocking calls of collective operations on a communicator and so comes to the same number.
pub const fn blocking_tag(number: u64) -> i32 {
    COLL_TAG_FIRST - (number % COLL_BLOCKING_TAGS as u64) as i32
}

/// The tag of the nonblocking operation with this number; these are counted apart.
pub const fn nonblocking_tag(number: u64) -> i32 {
    let first = COLL_TAG_FIRST - COLL_BLOCKING_TAGS as i32;
    first - (number % COLL_NONBLOCKING_TAGS as u64) as i32
}

/// The tag of the persistent request with this number on its communicator. Every process makes the
/// same ones in the same order, and may start them in any.
pub const fn persistent_tag(number: u64) -> i32 {
    let first = COLL_TAG_FIRST - COLL_BLOCKING_TAGS as i32 - COLL_NONBLOCKING_TAGS as i32;
    first - (number % COLL_PERSISTENT_TAGS as u64) as i32
}

/// One side of an operation. Which fields hold is what the MPI function has; the one count and
/// datatype of a broadcast or a reduction are in the receive side, on every process, as are the
/// counts of reduce-scatter. Blocks have the number of their rank or, in a neighborhood operation, the one
/// that [`Neighbor`](crate::abi::comm::Neighbor) says; those of no neighbor are not touched.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct CollSide {
    /// The user's buffer; 1 stands for `MPI_IN_PLACE`.
    pub buffer: *mut c_void,
    /// Elements.
    pub count: u64,
    /// Their type.
    pub datatype: *const Datatype,
    /// Counts by block, for the `v` and `w` operations and reduce-scatter.
    pub counts: CollCounts,
    /// Displacements by block, in elements (`v`) or bytes (`w`).
    pub displacements: CollCounts,
    /// Types by block, for the `w` operations.
    pub datatypes: *const *const Datatype,
}

/// An operation with its arguments.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct CollArgs {
    /// Size of this struct in bytes, as the host has it.
    pub struct_size: u32,
    /// `CAIRN_COLL_BARRIER` and the others.
    pub operation: u32,
    /// What is sent.
    pub send: CollSide,
    /// What is received.
    pub receive: CollSide,
    /// The reduction operation, for those that have one.
    pub op: *const Op,
    /// Rank of the root, for those that have one; -3 and -4 as in the ABI between groups.
    pub root: i32,
    /// The operation's tag, from the MPI layer's count for the communicator: [`COLL_TAG_FIRST`] or
    /// below.
    pub tag: i32,
    /// `CAIRN_COLL_PASS_ON` and `CAIRN_COLL_LOST`, or 0.
    pub flags: u32,
    /// Zero.
    pub reserved: u32,
}

/// A part of a communicator: see [`CommParts`].
pub struct Part {
    host: HostHandle,
    view: *const Comm,
    functions: *const CommParts,
}

// SAFETY: the view is for any thread, by the rules of the MPI layer, and `run` leaves to its callers that one has an
// operation at a time.
unsafe impl Send for Part {}
// SAFETY: see `Send`.
unsafe impl Sync for Part {}

impl Part {
    /// Makes a part of some ranks, each of which calls this in an operation with the tag.
    ///
    /// # Errors
    /// A process is gone, or there is no room; others may have the part.
    ///
    /// # Safety
    /// `comm` has functions for parts. The part is dropped before `comm` is closed.
    pub unsafe fn make(
        host: HostHandle,
        comm: &Comm,
        ranks: &[u32],
        tag: i32,
    ) -> Result<Self, Failure> {
        let (functions, mut view) = (comm.parts, core::ptr::null());
        // SAFETY: promised by the caller; the ranks live during the call.
        host.check(unsafe {
            ((*functions).make)(comm, ranks.as_ptr(), ranks.len() as u32, tag, &mut view)
        })?;
        Ok(Self { host, view, functions })
    }

    /// Runs an operation to its end.
    ///
    /// # Errors
    /// Those of the component that serves it.
    ///
    /// # Safety
    /// As for `run` of [`Coll`].
    pub unsafe fn run(&self, args: &CollArgs) -> Result<(), Failure> {
        let args = core::ptr::from_ref(args).cast();
        // SAFETY: the part lives; the rest is promised by the caller.
        self.host.check(unsafe { ((*self.functions).run)(self.view, args) })
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // SAFETY: made by `make`, and given back once.
        unsafe { ((*self.functions).free)(self.view) };
    }
}

/// Functions for collectives. `module` is what `comm_open` stored.
#[repr(C)]
#[derive(Debug)]
pub struct CollOps {
    /// Size of this struct in bytes, as the author's header has it.
    pub struct_size: u32,
    /// Zero.
    pub reserved: u32,
    /// Prepares for a communicator and stores the component's own object. Set-up. Required.
    pub comm_open: Option<
        unsafe extern "C" fn(
            instance: *mut Instance,
            comm: &mut Comm,
            module: &mut *mut c_void,
        ) -> Status,
    >,
    /// Frees that object; no operation is in flight. Set-up. Required.
    pub comm_close:
        Option<unsafe extern "C" fn(instance: *mut Instance, comm: &mut Comm, module: *mut c_void)>,
    /// Priority with which an operation, called in one of the ways `CAIRN_COLL_BLOCKING` and the
    /// others, is offered, or -1. Set-up. Required.
    pub offer: Option<
        unsafe extern "C" fn(
            instance: *mut Instance,
            comm: &Comm,
            module: *mut c_void,
            operation: u32,
            way: u32,
        ) -> i32,
    >,
    /// Runs an operation to its end, or returns `CAIRN_ERR_DECLINED`. Required.
    pub run: Option<
        unsafe extern "C" fn(
            instance: *mut Instance,
            comm: &Comm,
            module: *mut c_void,
            args: &CollArgs,
        ) -> Status,
    >,
    /// Starts an operation and stores its request. Default: `CAIRN_ERR_UNSUPPORTED`.
    pub start: Option<
        unsafe extern "C" fn(
            instance: *mut Instance,
            comm: &Comm,
            module: *mut c_void,
            args: &CollArgs,
            request: &mut *mut Request,
        ) -> Status,
    >,
    /// Makes a persistent request. Default: `CAIRN_ERR_UNSUPPORTED`.
    pub init: Option<
        unsafe extern "C" fn(
            instance: *mut Instance,
            comm: &Comm,
            module: *mut c_void,
            args: &CollArgs,
            request: &mut *mut Request,
        ) -> Status,
    >,
    /// How many operations with requests are started on a communicator and not complete,
    /// also such whose requests were freed. Any thread, no lock held. Default: 0.
    pub pending: Option<
        unsafe extern "C" fn(instance: *mut Instance, comm: &Comm, module: *mut c_void) -> u64,
    >,
}

/// Collectives in Rust. Functions correspond to those of [`CollOps`].
///
/// # Safety of the unsafe functions
/// The pointers in the arguments are valid as the operation's documentation in MPI 5.0, chapter 6
/// says, until the operation is complete.
#[allow(clippy::missing_safety_doc)] // said once, above
pub trait Coll: Component {
    /// What the component keeps for one communicator.
    type Module: Send + Sync + 'static;

    /// Prepares for a communicator.
    fn comm_open(&self, comm: &mut Comm) -> Result<Self::Module, Failure>;
    /// Priority with which it offers an operation called in a way, if it does.
    fn offer(&self, comm: &Comm, module: &Self::Module, operation: u32, way: u32) -> Option<i32>;
    /// Runs an operation to its end, or leaves it to the next component ([`Failure::declined`]).
    unsafe fn run(
        &self,
        comm: &Comm,
        module: &Self::Module,
        args: &CollArgs,
    ) -> Result<(), Failure>;
    /// Starts an operation.
    unsafe fn start(
        &self,
        _comm: &Comm,
        _module: &Self::Module,
        _args: &CollArgs,
    ) -> Result<*mut Request, Failure> {
        Err(author::unsupported("nonblocking collectives"))
    }
    /// Makes a persistent request.
    unsafe fn init(
        &self,
        _comm: &Comm,
        _module: &Self::Module,
        _args: &CollArgs,
    ) -> Result<*mut Request, Failure> {
        Err(author::unsupported("persistent collectives"))
    }
    /// How many operations with requests are started on a communicator and not complete.
    fn pending(&self, _comm: &Comm, _module: &Self::Module) -> u64 {
        0
    }
}

contract! {
    table: CollOps, from T: Coll,
    "coll", Many, "collective operations";

    fn comm_open(
        instance: *mut Instance, comm: &mut Comm, module: &mut *mut c_void,
    ) -> Status = report(instance) {
        let opened = author::component::<T>(instance).comm_open(comm)?;
        *module = Box::into_raw(Box::new(opened)).cast();
        Ok(())
    }
    fn comm_close(_instance: *mut Instance, _comm: &mut Comm, module: *mut c_void) = no_unwind {
        drop(Box::from_raw(module.cast::<T::Module>()));
    }
    fn offer(
        instance: *mut Instance, comm: &Comm, module: *mut c_void, operation: u32, way: u32,
    ) -> i32 = no_unwind {
        let module = &*module.cast::<T::Module>();
        author::component::<T>(instance).offer(comm, module, operation, way).unwrap_or(-1)
    }
    fn run(
        instance: *mut Instance, comm: &Comm, module: *mut c_void, args: &CollArgs,
    ) -> Status = status(instance) {
        author::component::<T>(instance).run(comm, &*module.cast::<T::Module>(), args)
    }
    fn start(
        instance: *mut Instance, comm: &Comm, module: *mut c_void, args: &CollArgs,
        request: &mut *mut Request,
    ) -> Status = no_unwind {
        let module = &*module.cast::<T::Module>();
        let started = author::component::<T>(instance).start(comm, module, args);
        author::store(instance, request, started)
    } default { author::refuse(instance, "operations with a request") }
    fn init(
        instance: *mut Instance, comm: &Comm, module: *mut c_void, args: &CollArgs,
        request: &mut *mut Request,
    ) -> Status = no_unwind {
        let module = &*module.cast::<T::Module>();
        let made = author::component::<T>(instance).init(comm, module, args);
        author::store(instance, request, made)
    } default { author::refuse(instance, "operations with a request") }
    fn pending(instance: *mut Instance, comm: &Comm, module: *mut c_void) -> u64 = no_unwind {
        author::component::<T>(instance).pending(comm, &*module.cast::<T::Module>())
    } default { 0 }
}
