//! Requests: waiting for them, asking for them, ending them.
//!
//! A handle is the address of a [`cairn_framework::abi::request::Request`], whoever allocated it. The
//! completion word of a request is where its owner and a waiter meet (dissertation §4.4): a waiter
//! leaves the address of its sync object there, the owner signals what it finds.

use std::sync::atomic::Ordering;

use cairn_framework::abi::request::{
    MessageStatus, REQUEST_MAGIC, REQUEST_PENDING, REQUEST_RECEIVE, Request as View, WaitSync,
};
use cairn_framework::abi::status::OK;

use super::arena::Object;
use super::comm::{CommBody, CommRef};
use super::special;
use crate::abi::generated::constants::*;
use crate::abi::generated::types::{Comm, Request};
use crate::abi::status::Status;
use crate::error::{Error, Origin, Result};
use crate::runtime::{self, runtime};

/// A valid request.
pub type RequestRef = &'static View;

/// The request of a handle, unless it is null or none.
#[inline(always)]
pub fn find(handle: Request) -> Option<RequestRef> {
    if handle.is_predefined() {
        return None;
    }
    let address: *mut View = handle.object();
    if !address.is_aligned() {
        return None;
    }
    // SAFETY: a handle that is no constant is the address of a request, whose memory is never
    // anything else.
    let view = unsafe { &*address };
    (view.magic == REQUEST_MAGIC).then_some(view)
}

/// The request of a handle that is not null.
#[inline(always)]
pub fn of(handle: Request) -> Result<RequestRef> {
    find(handle)
        .ok_or_else(|| Error::new(MPI_ERR_REQUEST, format!("{:#x} is no request", handle.value())))
}

/// The handle of a request that a component made for an operation on a communicator, which it keeps
/// alive until it is complete or freed.
pub fn handle(request: *mut View, comm: CommRef) -> Request {
    // SAFETY: the component vouches for it. Others look at `object` only through the handle.
    unsafe {
        // A request that is complete from the start may be shared, and needs nothing.
        if !(*request).is_complete() || (*request).start.is_some() {
            comm.retain();
            (*request).object = comm.address().cast();
        }
    }
    Request::of(request)
}

/// The communicator of a request, if it is still going on.
pub fn comm_of(request: RequestRef) -> Option<CommRef> {
    if request.object.is_null() || special::is(request) {
        return None;
    }
    // SAFETY: `handle` stored it and holds a reference.
    Some(unsafe { &*request.object.cast::<Object<CommBody>>() })
}

/// Whose error handler hears of errors of a request.
pub fn origin(request: RequestRef) -> Origin {
    comm_of(request).map_or(Origin::None, |comm| Origin::Comm(Comm::of(comm.address())))
}

/// Whether there is something to wait for: not a persistent request that was not started.
#[inline]
pub fn is_active(request: RequestRef) -> bool {
    request.start.is_none() || request.active == 1
}

/// Waits for one request.
pub fn wait(request: RequestRef) -> Result<()> {
    if request.is_complete() {
        return Ok(());
    }
    let sync = WaitSync::default();
    sync.pending.store(1, Ordering::Relaxed);
    if attach(request, &sync) { runtime().wait(&sync) } else { Ok(()) }
}

/// Makes the completion of a request count down a sync object; false if it is complete already.
fn attach(request: RequestRef, sync: &WaitSync) -> bool {
    let own = std::ptr::from_ref(sync).expose_provenance();
    // Release: the completer sees the sync object as it was made.
    let word = &request.completion;
    word.compare_exchange(REQUEST_PENDING, own, Ordering::AcqRel, Ordering::Acquire).is_ok()
}

/// The way back; false if the request was completed meanwhile and so counts the object down.
fn detach(request: RequestRef, sync: &WaitSync) -> bool {
    let own = std::ptr::from_ref(sync).addr();
    let word = &request.completion;
    word.compare_exchange(own, REQUEST_PENDING, Ordering::AcqRel, Ordering::Acquire).is_ok()
}

/// Waits for all of these.
pub fn wait_all(requests: &[RequestRef]) -> Result<()> {
    let sync = WaitSync::default();
    // One more than there are, so that it does not reach zero before all are attached.
    sync.pending.store(requests.len() as i32 + 1, Ordering::Relaxed);
    let mut done = 1;
    for request in requests {
        if !attach(request, &sync) {
            done += 1;
        }
    }
    sync.pending.fetch_sub(done, Ordering::AcqRel);
    if sync.is_complete() { Ok(()) } else { runtime().wait(&sync) }
}

/// Waits for one or more of these, of which there is at least one.
pub fn wait_some(requests: &[RequestRef]) -> Result<()> {
    let sync = WaitSync::default();
    sync.pending.store(1, Ordering::Relaxed);
    let attached = requests.iter().take_while(|request| attach(request, &sync)).count();
    let waited = if attached == requests.len() { runtime().wait(&sync) } else { Ok(()) };
    // Who completed while attached counts down the object, which has to live until then.
    let completed = requests[..attached].iter().filter(|request| !detach(request, &sync)).count();
    while sync.pending.load(Ordering::Acquire) > 1 - completed as i32
        || sync.signalling.load(Ordering::Acquire) != 0
    {
        std::hint::spin_loop();
    }
    waited
}

/// What became of a complete request, and its error if it has one.
pub fn outcome(request: RequestRef) -> (Status, Result<()>) {
    if let Some(outcome) = special::outcome(request) {
        return outcome;
    }
    let MessageStatus { source, tag, error, cancelled, bytes } = request.status;
    let mut status = if request.kind == REQUEST_RECEIVE {
        Status::received(source, tag, bytes)
    } else {
        Status::EMPTY
    };
    status.set_cancelled(cancelled != 0);
    if error == OK {
        return (status, Ok(()));
    }
    status.error = runtime::class_of(error);
    (status, Err(Error::new(status.error, what(request, error)).at(origin(request))))
}

#[cold]
fn what(request: RequestRef, error: i32) -> String {
    let MessageStatus { source, tag, bytes, .. } = request.status;
    match runtime::class_of(error) {
        MPI_ERR_TRUNCATE => truncated(source, tag, bytes),
        _ => cairn_framework::abi::status::status_name(error).to_owned(),
    }
}

/// The status of a complete request, which stays as it is.
pub fn peek(request: RequestRef) -> Status {
    if special::is(request) {
        return special::peek(request);
    }
    outcome(request).0
}

/// How a message that was too long is reported.
pub fn truncated(source: i32, tag: i32, bytes: u64) -> String {
    format!(
        "the message from rank {source} with tag {tag} is longer than the buffer ({bytes} bytes fit)"
    )
}

/// Asks for a send or a receive to be given up, if its component can do that. It still completes.
pub fn cancel(request: RequestRef) -> Result<()> {
    let Some(cancel) = request.cancel else { return Ok(()) };
    // SAFETY: a valid request.
    match unsafe { cancel(std::ptr::from_ref(request).cast_mut()) } {
        OK => Ok(()),
        status => Err(runtime::failure("cancel", status)),
    }
}

/// Ends a request that is complete and whose outcome was read, or makes a persistent one inactive.
/// Returns what its handle becomes.
pub fn finish(request: RequestRef) -> Request {
    let view = std::ptr::from_ref(request).cast_mut();
    if request.start.is_some() {
        // SAFETY: the field is ours, and only one thread at a time may complete a request.
        unsafe { (*view).active = 0 };
        return Request::of(view);
    }
    release(request);
    MPI_REQUEST_NULL
}

/// Gives a request back to its owner.
pub fn release(request: RequestRef) {
    let view = std::ptr::from_ref(request).cast_mut();
    let comm = comm_of(request);
    // SAFETY: the request is valid; nobody uses it after this.
    unsafe {
        if !(*view).object.is_null() && !special::is(request) {
            (*view).object = std::ptr::null_mut();
        }
        if let Some(free) = (*view).free {
            free(view);
        }
    }
    if let Some(comm) = comm {
        comm.release();
    }
}
