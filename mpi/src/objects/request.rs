//! Requests: waiting for them, asking for them, ending them.
//!
//! A handle is the address of a [`cairn_framework::abi::request::Request`], whichever component allocated it. The
//! completion word of a request is where its owner and a waiter meet (dissertation §4.4): a waiter
//! leaves the address of its sync object there, the owner signals what it finds.

use std::sync::atomic::{AtomicUsize, Ordering};

use cairn_framework::abi::datatype::{DATATYPE_PREDEFINED, Datatype as DatatypeView};
use cairn_framework::abi::pool::CriSet;
use cairn_framework::abi::request::{
    Attach, MessageStatus, REQUEST_COMPLETE, REQUEST_MAGIC, REQUEST_ONE_SIDED, REQUEST_RECEIVE,
    REQUEST_SEND, Request as View, WaitSync,
};
use cairn_framework::abi::status::OK;
use cairn_framework::audit::Counted;
use cairn_framework::frameworks::progress::PROGRESS_SINGLE;

use super::arena::Object;
use super::comm::{self, CommBody, CommRef};
use super::datatype;
use super::op::{OpRef, UserOp};
use super::special;
use super::win::{self, WinBody, WinRef};
use crate::abi::args::InOut;
use crate::abi::generated::constants::*;
use crate::abi::generated::types::Request;
use crate::abi::status::{Status, StatusOut};
use crate::error::{Error, Origin, Result, class_of, failure};
use crate::runtime::runtime;

/// A valid request.
pub type RequestRef = &'static View;

/// A variable of the program, and the request that is in it.
#[derive(Clone, Copy)]
pub struct RequestVar<T> {
    /// The variable.
    pub place: InOut<Request>,
    /// What its handle leads to.
    pub request: T,
}

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
    match find(handle) {
        Some(request) => Ok(request),
        None => Err(none(handle)),
    }
}

#[cold]
fn none(handle: Request) -> Error {
    Error::new(MPI_ERR_REQUEST, format!("{:#x} is no request", handle.value()))
}

/// The request of a handle that there is something to wait for; none for the null handle and for
/// inactive requests.
#[inline(always)]
pub fn going(handle: Request) -> Result<Option<RequestRef>> {
    if handle == MPI_REQUEST_NULL {
        return Ok(None);
    }
    let request = of(handle)?;
    Ok(is_active(request).then_some(request))
}

/// The same for handles that were looked at before.
fn all_going(handles: &[Request]) -> impl Iterator<Item = RequestRef> {
    handles.iter().filter_map(|handle| going(*handle).ok().flatten())
}

/// The handle of a request that a component made for an operation on a communicator, which it keeps
/// alive until it is complete or freed.
#[inline(always)]
pub fn handle(request: *mut View, comm: CommRef) -> Request {
    // SAFETY: the component vouches for it. Others look at `object` only through the handle.
    unsafe {
        // A request that is complete from the start may be shared, and needs nothing, but for its error,
        // of which the communicator's handler hears.
        let needs_nothing = (*request).is_complete() && (*request).status.error == OK;
        if !needs_nothing || (*request).start.is_some() {
            comm.retain();
            (*request).object = comm.address().cast();
        }
    }
    Request::of(request)
}

/// The same for a message, which also keeps its datatype alive.
#[inline(always)]
pub fn message(request: *mut View, comm: CommRef, datatype: &'static DatatypeView) -> Request {
    let handle = handle(request, comm);
    if datatype.flags & DATATYPE_PREDEFINED == 0 {
        keep(request, comm, None, [datatype]);
    }
    handle
}

/// The same for a one-sided operation, which keeps its window instead.
pub fn one_sided(request: *mut View, win: WinRef) -> Request {
    // SAFETY: as in `handle`.
    unsafe {
        if !((*request).is_complete() && (*request).status.error == OK) {
            win.retain();
            let address = win.address().map_addr(|address| address | OTHER | WINDOW);
            (*request).object = address.cast();
        }
    }
    Request::of(request)
}

/// What [`View::object`] leads to where a request keeps more than its communicator: what the program may
/// free as soon as it has started the operation.
struct Kept {
    comm: CommRef,
    op: Option<&'static Object<UserOp>>,
    _datatypes: Vec<datatype::Keeper>,
}

#[cold]
fn keep(
    request: *mut View,
    comm: CommRef,
    op: Option<&'static Object<UserOp>>,
    datatypes: impl IntoIterator<Item = &'static DatatypeView>,
) {
    // SAFETY: as in `handle`, which has left the communicator there if there is anything to keep.
    let object = unsafe { &mut (*request).object };
    if object.is_null() {
        return;
    }
    if let Some(op) = op {
        op.retain();
    }
    let datatypes = datatypes.into_iter().map(datatype::keep).collect();
    let kept = Box::into_raw(Box::new(Kept { comm, op, _datatypes: datatypes }));
    *object = kept.map_addr(|address| address | OTHER).cast();
}

/// Set in the address in [`View::object`] where it is not that of a communicator: that of [`Kept`].
const OTHER: usize = 1;
/// Set beside it where it is that of a window.
const WINDOW: usize = 2;

/// The same for a collective operation, which keeps its reduction and its datatypes alive.
pub fn collective(
    request: *mut View,
    comm: CommRef,
    op: Option<OpRef>,
    datatypes: impl Iterator<Item = &'static DatatypeView>,
) -> Request {
    let handle = handle(request, comm);
    let op = match op {
        Some(OpRef::Program(op)) => Some(op),
        _ => None,
    };
    let derived = datatypes.filter(|view| view.flags & DATATYPE_PREDEFINED == 0);
    let mut derived = derived.peekable();
    if op.is_some() || derived.peek().is_some() {
        keep(request, comm, op, derived);
    }
    handle
}

/// What a request keeps instead of its communicator alone.
enum Other {
    Kept(*mut Kept),
    Window(WinRef),
}

impl Other {
    /// Of a request of a component that keeps such a thing.
    #[inline]
    fn of(request: RequestRef) -> Option<Self> {
        (request.object.addr() & OTHER != 0).then(|| Self::behind(request))
    }

    #[cold]
    fn behind(request: RequestRef) -> Self {
        let address = request.object.map_addr(|address| address & !(OTHER | WINDOW));
        if request.object.addr() & WINDOW == 0 {
            return Self::Kept(address.cast());
        }
        // SAFETY: `one_sided` stored it and holds a reference.
        Self::Window(unsafe { &*address.cast::<Object<WinBody>>() })
    }
}

/// A request that is complete from the start and stays. All threads share it, and it is never written.
#[repr(align(128))]
struct Complete(View);

// SAFETY: it is never written.
unsafe impl Sync for Complete {}

impl Complete {
    const fn new(kind: u32, source: i32, tag: i32) -> Self {
        unsafe extern "C" fn keep(_: *mut View) {}
        Self(View {
            magic: REQUEST_MAGIC,
            kind,
            completion: AtomicUsize::new(REQUEST_COMPLETE),
            status: MessageStatus { source, tag, error: OK, cancelled: 0, bytes: 0 },
            free: Some(keep),
            cancel: None,
            start: None,
            object: std::ptr::null_mut(),
            struct_size: size_of::<View>() as u32,
            active: 0,
        })
    }
}

/// The request of an operation that does not take place: complete, with the status that the standard
/// gives to communication with `MPI_PROC_NULL`.
pub fn nothing(receives: bool) -> Request {
    static SENT: Complete = Complete::new(REQUEST_SEND, MPI_ANY_SOURCE, MPI_ANY_TAG);
    static RECEIVED: Complete = Complete::new(REQUEST_RECEIVE, MPI_PROC_NULL, MPI_ANY_TAG);
    let complete = if receives { &RECEIVED } else { &SENT };
    Request::of((&raw const complete.0).cast_mut())
}

/// The communicator of a request, if it is still going on.
#[inline]
pub fn comm_of(request: RequestRef) -> Option<CommRef> {
    if request.object.is_null() || special::is(request) {
        return None;
    }
    match Other::of(request) {
        // SAFETY: `keep` stored it; `release` frees it.
        Some(Other::Kept(kept)) => return Some(unsafe { (*kept).comm }),
        Some(Other::Window(win)) => return Some(win.comm),
        None => {}
    }
    // SAFETY: `handle` stored it and holds a reference.
    Some(unsafe { &*request.object.cast::<Object<CommBody>>() })
}

/// Whose error handler hears of errors of a request.
pub fn origin(request: RequestRef) -> Origin {
    if let (false, Some(Other::Window(win))) = (special::is(request), Other::of(request)) {
        return win::origin(win);
    }
    let comm = comm_of(request).or_else(|| special::of(request)?.comm());
    comm.map_or(Origin::None, comm::origin)
}

/// Whether there is something to wait for: not a persistent request that was not started.
#[inline]
pub fn is_active(request: RequestRef) -> bool {
    request.start.is_none() || request.active == 1
}

/// Makes passes of the progress engine until something is done, or until nothing has happened for a
/// while; whether it is done. `cris` says where the events can come from that it needs. A message that
/// comes soon costs no meeting at the completion word, then.
fn poll_for(cris: Option<&CriSet>, done: impl FnMut() -> bool) -> bool {
    let system = runtime().system;
    system.job().poll_until(|attempts| system.progress_for(cris, attempts), done)
}

/// Where the events can come from that complete requests: of all of them, if the process's strategy says
/// where messages arrive, else of the first that is not complete, because a thread polls its own CRIs
/// anyway. None where that is not known of one, and where nothing is to be decided.
pub fn cris_of(requests: impl Iterator<Item = RequestRef>) -> Option<CriSet> {
    let runtime = runtime();
    if !runtime.is_threaded() {
        return None;
    }
    let number = if runtime.system.knows_arrivals() { usize::MAX } else { 1 };
    let mut cris = CriSet::default();
    for request in requests.filter(|request| !request.is_complete()).take(number) {
        add_cris(request, &mut cris).then_some(())?;
    }
    Some(cris)
}

/// Adds where the events can come from that complete a request; false if that is not known.
fn add_cris(request: RequestRef, cris: &mut CriSet) -> bool {
    let runtime = runtime();
    let comm = match request.kind {
        // SAFETY: the component's table is complete; the request lives, because it is to be waited for.
        REQUEST_SEND | REQUEST_RECEIVE if !special::is(request) => unsafe {
            runtime.pml.cris_of.unwrap_unchecked()(runtime.pml_instance, request, cris);
            return true;
        },
        // They may come from everywhere.
        REQUEST_ONE_SIDED => None,
        _ => comm_of(request).or_else(|| special::of(request)?.comm()),
    };
    if let Some(comm) = comm {
        runtime.system.cris_of(&comm.view().scope, None, cris);
    }
    comm.is_some()
}

/// A pass of the progress engine for requests that a function asks for and does not wait for.
pub fn poll_once(requests: &[Request]) {
    let cris = cris_of(all_going(requests));
    runtime().system.progress_for(cris.as_ref(), PROGRESS_SINGLE);
}

/// Waits for one request.
pub fn wait(request: RequestRef) -> Result<()> {
    if request.is_complete() {
        return Ok(());
    }
    let cris = cris_of([request].into_iter());
    if poll_for(cris.as_ref(), || request.is_complete()) {
        return Ok(());
    }
    let sync = WaitSync::of(1);
    if attach(request, &sync)? { runtime().wait(&sync, cris.as_ref()) } else { Ok(()) }
}

/// Makes the completion of a request count down a sync object, which stays until it has; false if it is
/// complete already.
fn attach(request: RequestRef, sync: &WaitSync) -> Result<bool> {
    // SAFETY: every caller waits, or calls `leave`, before the object goes.
    match unsafe { request.attach(sync) } {
        Attach::Counts => Ok(true),
        Attach::Complete => Ok(false),
        Attach::Busy => Err(busy().at(origin(request))),
    }
}

/// The error of a thread that is to wait for a request that has a waiter.
#[cold]
pub fn busy() -> Error {
    let text = "another thread waits for the request, or it is attached to an MPIX_Sync";
    Error::new(MPI_ERR_REQUEST, text)
}

/// Waits for all of these that there is something to wait for.
pub fn wait_all(requests: &[Request]) -> Result<()> {
    let mut first = 0;
    let mut complete = || {
        while let Some(handle) = requests.get(first) {
            if going(*handle).is_ok_and(|request| request.is_some_and(|one| !one.is_complete())) {
                return false;
            }
            first += 1;
        }
        true
    };
    if complete() {
        return Ok(());
    }
    let cris = cris_of(all_going(requests));
    if poll_for(cris.as_ref(), &mut complete) {
        return Ok(());
    }
    let rest = &requests[first..];
    // One more than there are, so that it does not reach zero before all are attached.
    let sync = WaitSync::of(rest.len() + 1);
    let (mut seen, mut complete) = (0, 0);
    for request in all_going(rest) {
        match attach(request, &sync) {
            Ok(true) => {}
            Ok(false) => complete += 1,
            Err(error) => {
                // Those that were complete are taken for such that have counted down.
                leave(all_going(rest).take(seen), &sync, rest.len() as i32 + 1 + complete);
                return Err(error);
            }
        }
        seen += 1;
    }
    // What nothing is to wait for at, and the one more.
    let others = (rest.len() + 1 - seen) as i32;
    sync.pending.rmw().fetch_sub(others + complete, Ordering::AcqRel);
    if sync.is_complete() { Ok(()) } else { runtime().wait(&sync, cris.as_ref()) }
}

/// Waits for one or more of these, of which there is something to wait for at one at least.
pub fn wait_some(requests: &[Request]) -> Result<()> {
    let one = || all_going(requests).any(View::is_complete);
    if one() {
        return Ok(());
    }
    let cris = cris_of(all_going(requests));
    if poll_for(cris.as_ref(), one) {
        return Ok(());
    }
    let sync = WaitSync::of(1);
    let mut attached = 0;
    let mut waits = Ok(true);
    for request in all_going(requests) {
        waits = attach(request, &sync);
        match waits {
            Ok(true) => attached += 1,
            _ => break,
        }
    }
    let waited =
        waits.and_then(|wait| if wait { runtime().wait(&sync, cris.as_ref()) } else { Ok(()) });
    leave(all_going(requests).take(attached), &sync, 1);
    waited
}

/// Takes requests back from a sync object whose count was `pending` at first. Those that complete
/// meanwhile count it down, and it has to live until then.
fn leave(attached: impl Iterator<Item = RequestRef>, sync: &WaitSync, pending: i32) {
    let completed = attached.filter(|request| !request.detach(sync)).count();
    while sync.pending.load(Ordering::Acquire) > pending - completed as i32
        || sync.signalling.load(Ordering::Acquire) != 0
    {
        std::hint::spin_loop();
    }
}

/// What became of a complete request, and its error if it has one.
pub fn outcome(request: RequestRef) -> (Status, Result<()>) {
    if is_usual(request) { (received(request), Ok(())) } else { unusual_outcome(request) }
}

/// Stores the status of a complete request whose operation went well, as nearly all do; false for any
/// other.
#[inline(always)]
pub fn usual_outcome(request: RequestRef, place: StatusOut) -> bool {
    let usual = is_usual(request);
    if usual {
        let MessageStatus { source, tag, bytes, .. } = request.status;
        if request.kind == REQUEST_RECEIVE {
            place.set_received(source, tag, bytes);
        } else {
            place.set_received(Status::EMPTY.source, Status::EMPTY.tag, 0);
        }
    }
    usual
}

/// Whether it is a component's, and neither failed nor was cancelled.
#[inline(always)]
fn is_usual(request: RequestRef) -> bool {
    let MessageStatus { error, cancelled, .. } = request.status;
    !special::is(request) && error == OK && cancelled == 0
}

/// The status of a message, as far as the operation has one.
fn received(request: RequestRef) -> Status {
    let MessageStatus { source, tag, bytes, .. } = request.status;
    if request.kind == REQUEST_RECEIVE {
        Status::received(source, tag, bytes)
    } else {
        Status::EMPTY
    }
}

#[inline(never)]
fn unusual_outcome(request: RequestRef) -> (Status, Result<()>) {
    if let Some(outcome) = special::outcome(request) {
        return outcome;
    }
    let MessageStatus { error, cancelled, .. } = request.status;
    let mut status = received(request);
    status.set_cancelled(cancelled != 0);
    if error == OK {
        return (status, Ok(()));
    }
    status.error = class_of(error);
    (status, Err(Error::new(status.error, what(request, error)).at(origin(request))))
}

#[cold]
fn what(request: RequestRef, error: i32) -> String {
    let MessageStatus { source, tag, bytes, .. } = request.status;
    match class_of(error) {
        MPI_ERR_TRUNCATE => truncated(source, tag, bytes),
        _ => cairn_framework::abi::status::status_name(error).to_owned(),
    }
}

/// The status of a complete request, which stays as it is. None while its completion goes on (see
/// `special::peek`).
pub fn peek(request: RequestRef) -> Option<Status> {
    if special::is(request) {
        return special::peek(request);
    }
    Some(outcome(request).0)
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
        status => Err(failure("cancel", status)),
    }
}

/// Ends a request that is complete and whose outcome was read, or makes a persistent one inactive.
/// Returns what its handle becomes.
#[inline]
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
#[inline]
pub fn release(request: RequestRef) {
    let object = if special::is(request) { std::ptr::null_mut() } else { request.object };
    if object.addr() & OTHER != 0 {
        return release_other(request);
    }
    give_back(request, !object.is_null());
    // SAFETY: null, or `handle` stored it and holds a reference.
    if let Some(comm) = unsafe { object.cast::<Object<CommBody>>().as_ref() } {
        comm.release();
    }
}

/// The same for one that keeps more than its communicator, or something else.
#[cold]
fn release_other(request: RequestRef) {
    let other = Other::behind(request);
    give_back(request, true);
    match other {
        Other::Kept(kept) => {
            // SAFETY: made by `keep`, and freed only here.
            let Kept { comm, op, _datatypes } = *unsafe { Box::from_raw(kept) };
            if let Some(op) = op {
                op.release();
            }
            comm.release();
        }
        Other::Window(win) => win.release(),
    }
}

/// The request is its owner's again, and leads to nothing of this layer's.
#[inline]
fn give_back(request: RequestRef, leads: bool) {
    let view = std::ptr::from_ref(request).cast_mut();
    // SAFETY: the request is valid; it is not used after this.
    unsafe {
        if leads {
            (*view).object = std::ptr::null_mut();
        }
        if let Some(free) = (*view).free {
            free(view);
        }
    }
}
