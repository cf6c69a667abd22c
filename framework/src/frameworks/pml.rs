//! **pml** — point-to-point messaging layer: MPI's messages over transports.
//!
//! It matches receives with arriving messages, keeps MPI's order, chooses a protocol by size
//! (immediate, eager, rendezvous) and drives the transports. The MPI layer above has checked the
//! arguments, deals with `MPI_PROC_NULL` and buffered sends, and waits on the requests.
//!
//! **Life.** One component serves the whole process, and every process of the job has selected the
//! same (checked at start). `comm_open` comes before the first operation on a communicator. When the
//! program has freed it and the last operation has ended, `comm_close` ends its messages, and
//! `comm_free` comes when no pass of the progress engine is left that began before. Processes do not
//! wait for each other to free a communicator: messages for one that is not open here arrive before
//! `comm_open` as well as after `comm_close`.
//!
//! **Threads and locks.** `comm_open`, `comm_close` and `comm_free` may be called by several threads at
//! a time, for different communicators. All other functions are hot: any thread, no lock held. They
//! take the lock of the CRI they send on, and what the matching engine needs.
//!
//! **Requests.** The component allocates them; each begins with a
//! [`Request`]. A send that is finished at once may hand out one
//! shared request that is always complete. The user's buffer belongs to the operation from the call
//! until the request is complete; buffer, datatype and communicator outlive it.
//!
//! **Failure.** Functions return an error only when the operation was not started. What goes wrong
//! later is in the request's status. When a peer has failed, operations that name it end with
//! `CAIRN_ERR_PEER`, also those that begin later; but a message of it that has arrived whole is
//! received. A receive from anybody ends so when all others of the communicator have failed.

mod handle;

use core::ffi::{c_char, c_void};

use super::contract;
use crate::abi::comm::Comm;
use crate::abi::component::Instance;
use crate::abi::datatype::Datatype;
use crate::abi::peer::Peer;
use crate::abi::pool::CriSet;
use crate::abi::request::{MessageStatus, Request};
use crate::abi::status::{OK, OutcomeCode, Status, status_name};
use crate::author::{self, Component, Failure, Outcome};

pub use handle::PmlHandle;

/// [`PmlReceive::source`]: from anybody.
pub const PML_ANY_SOURCE: i32 = -1;
/// [`PmlReceive::tag`]: any tag that is not negative.
pub const PML_ANY_TAG: i32 = -2;

/// [`PmlSend::mode`]: completes when the buffer is free (`MPI_Send`).
pub const PML_STANDARD: u32 = 0;
/// [`PmlSend::mode`]: completes when the receive has matched (`MPI_Ssend`).
pub const PML_SYNCHRONOUS: u32 = 1;
/// [`PmlSend::mode`]: the receive is posted already (`MPI_Rsend`).
pub const PML_READY: u32 = 2;

/// A message to send.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct PmlSend {
    /// The user's buffer.
    pub buffer: *const c_void,
    /// Elements.
    pub count: u64,
    /// Their type.
    pub datatype: *const Datatype,
    /// The communicator.
    pub comm: *const Comm,
    /// Rank of the receiver in the communicator's (remote) group.
    pub peer: u32,
    /// Tag, negative only for the library's own messages.
    pub tag: i32,
    /// `CAIRN_PML_STANDARD` and the others.
    pub mode: u32,
    /// Zero.
    pub reserved: u32,
}

/// A message to receive.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct PmlReceive {
    /// The user's buffer.
    pub buffer: *mut c_void,
    /// Elements it has room for.
    pub count: u64,
    /// Their type.
    pub datatype: *const Datatype,
    /// The communicator.
    pub comm: *const Comm,
    /// Rank of the sender in the communicator's (remote) group, or `CAIRN_PML_ANY_SOURCE`.
    pub source: i32,
    /// Tag or `CAIRN_PML_ANY_TAG`.
    pub tag: i32,
}

/// Point-to-point functions.
#[repr(C)]
#[derive(Debug)]
pub struct PmlOps {
    /// Size of this struct in bytes, as the author's header has it.
    pub struct_size: u32,
    /// Zero.
    pub reserved: u32,
    /// A communicator was made; prepares its matching. Set-up. Required.
    pub comm_open: Option<unsafe extern "C" fn(instance: *mut Instance, comm: &mut Comm) -> Status>,
    /// A communicator was freed and no operation is in flight on it: what arrives for it from now on
    /// is dropped. The view stays until `comm_free`. Also in a pass of the progress engine. Required.
    pub comm_close: Option<unsafe extern "C" fn(instance: *mut Instance, comm: &mut Comm)>,
    /// Sends and returns when the buffer is free (or, synchronous, when it was matched). Hot.
    /// Required.
    pub send: Option<unsafe extern "C" fn(instance: *mut Instance, send: &PmlSend) -> Status>,
    /// Starts a send and stores its request. Hot. Required.
    pub isend: Option<
        unsafe extern "C" fn(
            instance: *mut Instance,
            send: &PmlSend,
            request: &mut *mut Request,
        ) -> Status,
    >,
    /// Receives; `CAIRN_ERR_TRUNCATED` when the message was longer than the buffer. The status is
    /// stored as soon as a message was matched, whatever became of it, and its error is what the
    /// function returns. Hot. Required.
    pub recv: Option<
        unsafe extern "C" fn(
            instance: *mut Instance,
            receive: &PmlReceive,
            status: &mut MessageStatus,
        ) -> Status,
    >,
    /// Starts a receive and stores its request. Hot. Required.
    pub irecv: Option<
        unsafe extern "C" fn(
            instance: *mut Instance,
            receive: &PmlReceive,
            request: &mut *mut Request,
        ) -> Status,
    >,
    /// Makes a persistent send, not started, whose request has `start`. Required.
    pub send_init: Option<
        unsafe extern "C" fn(
            instance: *mut Instance,
            send: &PmlSend,
            request: &mut *mut Request,
        ) -> Status,
    >,
    /// Makes a persistent receive, not started, whose request has `start`. Required.
    pub recv_init: Option<
        unsafe extern "C" fn(
            instance: *mut Instance,
            receive: &PmlReceive,
            request: &mut *mut Request,
        ) -> Status,
    >,
    /// Looks for a message that `receive` (its buffer is not looked at) would match:
    /// `CAIRN_DONE` and its status, or `CAIRN_NOTHING`. With `blocking` 1 it waits for one. If
    /// `message` is not null the message is taken out of matching and stored there, to be received
    /// with `mrecv`. Required.
    pub probe: Option<
        unsafe extern "C" fn(
            instance: *mut Instance,
            receive: &PmlReceive,
            blocking: u32,
            message: *mut *mut c_void,
            status: &mut MessageStatus,
        ) -> OutcomeCode,
    >,
    /// Starts to receive a message that `probe` took out. Required.
    pub mrecv: Option<
        unsafe extern "C" fn(
            instance: *mut Instance,
            message: *mut c_void,
            receive: &PmlReceive,
            request: &mut *mut Request,
        ) -> Status,
    >,
    /// Writes the state of a communicator's queues as text for a person and returns the length of
    /// the whole text. Any thread. Default: an empty text.
    pub describe: Option<
        unsafe extern "C" fn(
            instance: *mut Instance,
            comm: &Comm,
            text: *mut c_char,
            capacity: usize,
        ) -> usize,
    >,
    /// Returns when nothing that peers still need of this process waits here to be sent,
    /// as `comm_close` of the last communicator does: the process may end or stay away for long.
    /// Communicators stay open. Any thread, with no lock held. Default: nothing.
    pub flush: Option<unsafe extern "C" fn(instance: *mut Instance)>,
    /// A peer has failed; once for each. Any thread, perhaps in the progress function of
    /// a transport with an instance's lock held: the component only takes note, and ends operations
    /// in a progress callback. Default: nothing, so they wait for ever.
    pub peer_failed: Option<unsafe extern "C" fn(instance: *mut Instance, peer: &Peer)>,
    /// Every pass of the progress engine is over that began before `comm_close` returned:
    /// frees what the communicator had. Outside of passes, no lock held. Default: nothing.
    pub comm_free: Option<unsafe extern "C" fn(instance: *mut Instance, comm: &mut Comm)>,
    /// How many operations on a communicator are not complete, also such whose requests
    /// were freed: `MPI_Comm_disconnect` waits until there is none. 0 is exact when no thread begins
    /// another one meanwhile. Any thread, no lock held. Default: 0.
    pub pending: Option<unsafe extern "C" fn(instance: *mut Instance, comm: &Comm) -> u64>,
    /// Adds to `cris` where the events can come from that complete a request of this
    /// component: for a send the CRI it was given to and where the receiver's answers arrive, for a
    /// receive where messages of its source arrive. Hot; any thread. The request was not complete a moment
    /// ago and may be by now, but is not freed. Default: nothing, so that it is not known.
    pub cris_of: Option<
        unsafe extern "C" fn(instance: *mut Instance, request: *const Request, cris: &mut CriSet),
    >,
}

/// The status of a receive that ended with an error; the host gets the reason.
///
/// # Safety
/// `instance` is a living instance.
#[cold]
unsafe fn ended_badly(instance: *mut Instance, found: &MessageStatus) -> Status {
    let what = status_name(found.error);
    let text = format!("the message of rank {} with tag {}: {what}", found.source, found.tag);
    // SAFETY: promised by the caller.
    unsafe { author::fail(instance, &Failure::new(found.error, text)) }
}

/// Point-to-point messages in Rust. Functions correspond to those of [`PmlOps`].
///
/// # Safety of the unsafe functions
/// The pointers in the arguments are valid: datatype and communicator for the whole operation, the
/// user's buffer for as many elements as are said, until the operation is complete.
#[allow(clippy::missing_safety_doc)] // said once, above
pub trait Pml: Component {
    /// A communicator was made.
    fn comm_open(&self, comm: &mut Comm) -> Result<(), Failure>;
    /// A communicator was freed and has no operation: what arrives for it is dropped.
    fn comm_close(&self, comm: &mut Comm);
    /// No pass that began before `comm_close` is left: frees what the communicator had.
    fn comm_free(&self, _comm: &mut Comm) {}
    /// How many operations on a communicator are not complete.
    fn pending(&self, _comm: &Comm) -> u64 {
        0
    }
    /// Sends.
    unsafe fn send(&self, send: &PmlSend) -> Result<(), Failure>;
    /// Starts a send.
    unsafe fn isend(&self, send: &PmlSend) -> Result<*mut Request, Failure>;
    /// Receives, and writes the status. What went wrong with a message that was matched is in it.
    unsafe fn recv(&self, receive: &PmlReceive, status: &mut MessageStatus) -> Result<(), Failure>;
    /// Starts a receive.
    unsafe fn irecv(&self, receive: &PmlReceive) -> Result<*mut Request, Failure>;
    /// Makes a persistent send.
    unsafe fn send_init(&self, send: &PmlSend) -> Result<*mut Request, Failure>;
    /// Makes a persistent receive.
    unsafe fn recv_init(&self, receive: &PmlReceive) -> Result<*mut Request, Failure>;
    /// Looks for a message; with `take` it is taken out of matching and returned.
    unsafe fn probe(
        &self,
        receive: &PmlReceive,
        blocking: bool,
        take: bool,
    ) -> Result<Option<(MessageStatus, *mut c_void)>, Failure>;
    /// Starts to receive a message that `probe` took out.
    unsafe fn mrecv(
        &self,
        message: *mut c_void,
        receive: &PmlReceive,
    ) -> Result<*mut Request, Failure>;
    /// The state of a communicator's queues, for a person.
    fn describe(&self, _comm: &Comm) -> String {
        String::new()
    }
    /// Sends everything that waits to be sent.
    fn flush(&self) {}
    /// A peer has failed.
    fn peer_failed(&self, _peer: &Peer) {}
    /// Adds where the events can come from that complete a request, which may complete meanwhile.
    unsafe fn cris_of(&self, _request: *const Request, _cris: &mut CriSet) {}
}

contract! {
    table: PmlOps, from T: Pml,
    "pml", One, "MPI point-to-point messages over transports";

    fn comm_open(instance: *mut Instance, comm: &mut Comm) -> Status = report(instance) {
        author::component::<T>(instance).comm_open(comm)
    }
    fn comm_close(instance: *mut Instance, comm: &mut Comm) = no_unwind {
        author::component::<T>(instance).comm_close(comm)
    }
    fn send(instance: *mut Instance, send: &PmlSend) -> Status = status(instance) {
        author::component::<T>(instance).send(send)
    }
    fn isend(
        instance: *mut Instance, send: &PmlSend, request: &mut *mut Request,
    ) -> Status = no_unwind {
        author::store(instance, request, author::component::<T>(instance).isend(send))
    }
    fn recv(
        instance: *mut Instance, receive: &PmlReceive, status: &mut MessageStatus,
    ) -> Status = no_unwind {
        match author::component::<T>(instance).recv(receive, status) {
            Ok(()) if status.error == OK => OK,
            Ok(()) => ended_badly(instance, status),
            Err(failure) => author::fail(instance, &failure),
        }
    }
    fn irecv(
        instance: *mut Instance, receive: &PmlReceive, request: &mut *mut Request,
    ) -> Status = no_unwind {
        author::store(instance, request, author::component::<T>(instance).irecv(receive))
    }
    fn send_init(
        instance: *mut Instance, send: &PmlSend, request: &mut *mut Request,
    ) -> Status = no_unwind {
        author::store(instance, request, author::component::<T>(instance).send_init(send))
    }
    fn recv_init(
        instance: *mut Instance, receive: &PmlReceive, request: &mut *mut Request,
    ) -> Status = no_unwind {
        author::store(instance, request, author::component::<T>(instance).recv_init(receive))
    }
    fn probe(
        instance: *mut Instance, receive: &PmlReceive, blocking: u32, message: *mut *mut c_void,
        status: &mut MessageStatus,
    ) -> OutcomeCode = outcome(instance) {
        let component = author::component::<T>(instance);
        component.probe(receive, blocking != 0, !message.is_null()).map(|found| {
            let Some((found, taken)) = found else { return Outcome::Nothing };
            *status = found;
            if !message.is_null() {
                *message = taken;
            }
            Outcome::Done
        })
    }
    fn mrecv(
        instance: *mut Instance, message: *mut c_void, receive: &PmlReceive,
        request: &mut *mut Request,
    ) -> Status = no_unwind {
        author::store(instance, request, author::component::<T>(instance).mrecv(message, receive))
    }
    fn describe(
        instance: *mut Instance, comm: &Comm, text: *mut c_char, capacity: usize,
    ) -> usize = describe(text, capacity) {
        author::component::<T>(instance).describe(comm)
    } default { crate::text::write("", text, capacity) }
    fn flush(instance: *mut Instance) = no_unwind {
        author::component::<T>(instance).flush()
    } default {}
    fn peer_failed(instance: *mut Instance, peer: &Peer) = no_unwind {
        author::component::<T>(instance).peer_failed(peer)
    } default {}
    fn comm_free(instance: *mut Instance, comm: &mut Comm) = no_unwind {
        author::component::<T>(instance).comm_free(comm)
    } default {}
    fn pending(instance: *mut Instance, comm: &Comm) -> u64 = no_unwind {
        author::component::<T>(instance).pending(comm)
    } default { 0 }
    fn cris_of(
        instance: *mut Instance, request: *const Request, cris: &mut CriSet,
    ) = no_unwind {
        author::component::<T>(instance).cris_of(request, cris)
    } default {}
}
