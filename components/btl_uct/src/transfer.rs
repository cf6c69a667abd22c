//! Put, get, atomics and flush.

use std::cell::Cell;
use std::ffi::c_void;
use std::rc::Rc;
use std::sync::atomic::{Ordering, fence};

use cairn_framework::abi::status::{ERR_ARGUMENT, ERR_PEER, ERR_UNSUPPORTED, OK, Status};
use cairn_framework::author::{Attempted, Failure, Outcome};
use cairn_framework::frameworks::btl::{
    BTL_ADD, BTL_AND, BTL_COMPARE_SWAP, BTL_OR, BTL_SWAP, BTL_XOR, BtlAtomic, BtlTransfer,
    Completion, Way, too_long,
};

use crate::bindings::*;
use crate::component::Uct;
use crate::cri::{Hook, UctCri, UctInstance};
use crate::endpoint::UctEndpoint;
use crate::interface::Interface;
use crate::library::{GET_ZCOPY, PUT_BCOPY, PUT_SHORT, PUT_ZCOPY};
use crate::memory::{Key, Reach, Region};
use crate::module::UctDevice;

/// An operation that the library may finish later. It has its address until it calls [`over`].
#[repr(C)]
pub struct Operation {
    /// First, so that its address is the operation's.
    completion: uct_completion_t,
    hook: *const Hook,
    then: Then,
    /// Where the library writes what an atomic found, and where that is wanted: place and bytes.
    found: Cell<u64>,
    wanted: Option<(*mut u8, usize)>,
    /// The status of the contract when the library could not read or write: a process may refuse that its memory
    /// is read, or has none there any more.
    refused: Status,
}

/// What is done when it is over.
enum Then {
    Call(Completion),
    Set(Rc<Cell<bool>>),
}

/// Called by the library when an operation is over that it has not finished at once.
unsafe extern "C" fn over(completion: *mut uct_completion_t) {
    // SAFETY: the completion is the beginning of an operation that `begin` has boxed and given up, and the
    // library is through with it.
    let operation = unsafe { *Box::from_raw(completion.cast::<Operation>()) };
    operation.finish();
}

impl Operation {
    fn new(cri: &UctCri, then: Then, wanted: Option<(*mut u8, usize)>) -> Box<Self> {
        let completion = uct_completion_t { func: Some(over), count: 1, status: UCS_OK };
        Box::new(Self {
            completion,
            hook: &raw const *cri.hook,
            then,
            found: Cell::new(0),
            wanted,
            refused: ERR_PEER,
        })
    }

    /// The contract's status.
    fn status(&self) -> Status {
        match self.completion.status {
            UCS_OK => OK,
            UCS_ERR_IO_ERROR => self.refused,
            _ => ERR_PEER,
        }
    }

    /// Gives what was found to who wants it.
    fn store(&self) {
        if let Some((place, width)) = self.wanted {
            // A found integer is as long as it was asked for, at the beginning in any order of bytes.
            // SAFETY: the place stays until the completion; see `Btl::atomic`.
            unsafe { place.copy_from_nonoverlapping(self.found.as_ptr().cast(), width) };
        }
    }

    fn finish(self) {
        let status = self.status();
        if status == OK {
            self.store();
        }
        match self.then {
            // SAFETY: the hook lives as long as the CRI, in whose progress call this is.
            Then::Call(completion) => unsafe { (*self.hook).finish(completion, status) },
            Then::Set(flag) => {
                flag.set(true);
                // SAFETY: as above.
                unsafe { (*self.hook).wait() };
            }
        }
    }

    /// Has the library do something, for which `call` passes it the completion and the place of what an atomic
    /// finds. What it has not done at once it finishes later.
    fn begin(
        self: Box<Self>,
        call: impl FnOnce(*mut uct_completion_t, *mut u64) -> ucs_status_t,
    ) -> ucs_status_t {
        let operation = Box::into_raw(self);
        // SAFETY: it is boxed, and the library's until it is over.
        let status = call(operation.cast(), unsafe { (*operation).found.as_ptr() });
        if status != UCS_INPROGRESS {
            // SAFETY: the library does not keep what it has finished or refused.
            let operation = unsafe { Box::from_raw(operation) };
            if status == UCS_OK {
                operation.store();
            }
        }
        status
    }

    /// Flushes a connection by itself. The flag is set when that is over; `None` when it can't be begun now.
    pub fn flush_connection(cri: &UctCri, ep: uct_ep_h) -> Option<Rc<Cell<bool>>> {
        let flag = Rc::new(Cell::new(false));
        let operation = Self::new(cri, Then::Set(flag.clone()), None);
        match operation.begin(|completion, _| flush(ep, completion)) {
            UCS_INPROGRESS => Some(flag),
            UCS_ERR_NO_RESOURCE => None,
            // There is nothing to flush, or nobody.
            _ => {
                flag.set(true);
                Some(flag)
            }
        }
    }
}

/// Has the library say when all that a connection was given is over. The only kind of flush that all versions have;
/// docs/architecture.md says what it promises.
fn flush(ep: uct_ep_h, completion: *mut uct_completion_t) -> ucs_status_t {
    // SAFETY: the connection lives and the CRI's lock is held; every interface has the function.
    unsafe {
        let flush = (*(*ep).iface).ops.ep_flush.unwrap_unchecked();
        flush(ep, UCT_FLUSH_FLAG_LOCAL, completion)
    }
}

/// An operation, as the contract wants to know of it.
fn outcome(way: Way<'_, Uct>, status: ucs_status_t, what: &str) -> Attempted {
    let refused = || {
        let text = format!("{what}: {}", way.device.library.explain(status));
        Err(Failure::new(ERR_UNSUPPORTED, text))
    };
    match status {
        UCS_INPROGRESS => Ok(Outcome::Queued),
        UCS_ERR_UNSUPPORTED => refused(),
        // The system does not let this process at that memory, or it is gone. Over a network the connection is.
        UCS_ERR_IO_ERROR if way.device.is_local => refused(),
        other => way.endpoint.outcome(way.cri, other),
    }
}

/// The connection for a key's memory, if there is one.
fn connection(way: Way<'_, Uct>, bulk: bool, changes: bool) -> Result<Option<uct_ep_h>, Failure> {
    let Way { cri, endpoint, .. } = way;
    let ep = endpoint.connection(cri, cri.index(), bulk)?;
    if changes && ep.is_some() {
        endpoint.lane(cri.index()).borrow_mut().moved[usize::from(bulk)] = true;
    }
    Ok(ep)
}

/// The interface for a key's memory.
fn interface(cri: &UctCri, bulk: bool) -> &Interface {
    if bulk { cri.mover() } else { &cri.messages }
}

/// One piece of local memory as the library takes it.
fn piece(transfer: &BtlTransfer) -> uct_iov_t {
    // SAFETY: a registration is null or one of `register`.
    let memh = unsafe { Region::handle(transfer.registration) };
    uct_iov_t { buffer: transfer.local, length: transfer.len, memh, stride: 0, count: 1 }
}

/// How the peer's side of a transfer is reached; `None` where there is nothing to move.
///
/// # Safety
/// The key is null or `unpack_key` made it.
#[inline]
unsafe fn reach(transfer: &BtlTransfer) -> Result<Option<Reach>, Failure> {
    // SAFETY: promised by the caller.
    let key = unsafe { Key::of(transfer.key)? };
    key.check(transfer.remote, transfer.len)?;
    Ok((transfer.len > 0).then_some(key.reach))
}

/// # Safety
/// As for [`Btl::put`](cairn_framework::frameworks::btl::Btl::put).
pub unsafe fn put(way: Way<'_, Uct>, transfer: &BtlTransfer, completion: Completion) -> Attempted {
    let (local, remote, len) = (transfer.local, transfer.remote, transfer.len);
    // SAFETY: promised by the caller.
    let (rkey, bulk) = match unsafe { reach(transfer)? } {
        None => return Ok(Outcome::Done),
        Some(Reach::Mapped(offset)) => {
            // SAFETY: so many bytes are mapped at the pointer; the local ones are promised.
            unsafe { std::ptr::copy(local.cast::<u8>(), pointer(remote, offset), len) };
            return Ok(Outcome::Done);
        }
        Some(Reach::Library { rkey, bulk }) => (rkey, bulk),
    };
    let interface = interface(way.cri, bulk);
    let (ops, limits) = (interface.ops(), &interface.attr.cap.put);
    let Some(ep) = connection(way, bulk, true)? else { return Ok(Outcome::NoResources) };
    // SAFETY: the CRI's lock is held, the memory is promised, and functions are there of which there are flags.
    let status = unsafe {
        if interface.can(PUT_SHORT) && len <= limits.max_short.min(u32::MAX as usize) {
            let put = ops.ep_put_short.unwrap_unchecked();
            put(ep, local, len as u32, remote, rkey)
        } else if interface.can(PUT_BCOPY) && len <= limits.max_bcopy {
            let mut packed = (local.cast::<u8>().cast_const(), len);
            let put = ops.ep_put_bcopy.unwrap_unchecked();
            let sent = put(ep, Some(copy_out), (&raw mut packed).cast(), remote, rkey);
            if sent < 0 { sent as ucs_status_t } else { UCS_OK }
        } else if interface.can(PUT_ZCOPY) && len <= limits.max_zcopy {
            let (iov, put) = (piece(transfer), ops.ep_put_zcopy.unwrap_unchecked());
            let operation = Operation::new(way.cri, Then::Call(completion), None);
            operation.begin(|over, _| put(ep, &raw const iov, 1, remote, rkey, over))
        } else {
            return Err(too_long("a put", len, limits.max_zcopy.max(limits.max_bcopy)));
        }
    };
    outcome(way, status, "put")
}

/// # Safety
/// As for [`Btl::get`](cairn_framework::frameworks::btl::Btl::get).
pub unsafe fn get(way: Way<'_, Uct>, transfer: &BtlTransfer, completion: Completion) -> Attempted {
    let (local, remote, len) = (transfer.local, transfer.remote, transfer.len);
    // SAFETY: promised by the caller.
    let (rkey, bulk) = match unsafe { reach(transfer)? } {
        None => return Ok(Outcome::Done),
        Some(Reach::Mapped(offset)) => {
            // SAFETY: so many bytes are mapped at the pointer; the local ones are promised.
            unsafe { std::ptr::copy(pointer(remote, offset), local.cast::<u8>(), len) };
            return Ok(Outcome::Done);
        }
        Some(Reach::Library { rkey, bulk }) => (rkey, bulk),
    };
    let interface = interface(way.cri, bulk);
    let (ops, limits) = (interface.ops(), &interface.attr.cap.get);
    let Some(ep) = connection(way, bulk, false)? else { return Ok(Outcome::NoResources) };
    let mut operation = Operation::new(way.cri, Then::Call(completion), None);
    // Then the protocol layer has the peer send.
    operation.refused = ERR_UNSUPPORTED;
    // SAFETY: as for `put`.
    let status = unsafe {
        if interface.can(GET_ZCOPY) && len <= limits.max_zcopy && len >= limits.min_zcopy {
            let (iov, get) = (piece(transfer), ops.ep_get_zcopy.unwrap_unchecked());
            operation.begin(|over, _| get(ep, &raw const iov, 1, remote, rkey, over))
        } else if len <= limits.max_bcopy {
            let get = ops.ep_get_bcopy.unwrap_unchecked();
            operation.begin(|over, _| get(ep, Some(copy_in), local, len, remote, rkey, over))
        } else {
            return Err(too_long("a get", len, limits.max_zcopy.max(limits.max_bcopy)));
        }
    };
    outcome(way, status, "get")
}

/// # Safety
/// As for [`Btl::atomic`](cairn_framework::frameworks::btl::Btl::atomic).
pub unsafe fn atomic(way: Way<'_, Uct>, atomic: &BtlAtomic, completion: Completion) -> Attempted {
    // SAFETY: promised by the caller.
    let key = unsafe { Key::of(atomic.key)? };
    let BtlAtomic { remote, operand, compare, width, .. } = *atomic;
    key.check(remote, width as usize)?;
    let (rkey, bulk) = match key.reach {
        Reach::Mapped(offset) => {
            // SAFETY: so many bytes are mapped at the pointer, and peers use the processor, too.
            unsafe { atomic.apply(pointer(remote, offset)) }?;
            return Ok(Outcome::Done);
        }
        Reach::Library { rkey, bulk: false } => (rkey, false),
        Reach::Library { .. } => {
            let text = "atomics reach only memory that UCX has allocated, or registered for them";
            return Err(Failure::new(ERR_UNSUPPORTED, text));
        }
    };
    let code = match atomic.operation {
        BTL_ADD => UCT_ATOMIC_OP_ADD,
        BTL_AND => UCT_ATOMIC_OP_AND,
        BTL_OR => UCT_ATOMIC_OP_OR,
        BTL_XOR => UCT_ATOMIC_OP_XOR,
        BTL_SWAP => UCT_ATOMIC_OP_SWAP,
        BTL_COMPARE_SWAP => UCT_ATOMIC_OP_CSWAP,
        other => return Err(Failure::new(ERR_ARGUMENT, format!("operation {other}"))),
    };
    if !matches!(width, 4 | 8) || !remote.is_multiple_of(width.into()) {
        return Err(Failure::new(ERR_ARGUMENT, format!("{width} bytes at {remote:#x}")));
    }
    let ops = way.cri.messages.ops();
    let Some(ep) = connection(way, bulk, true)? else { return Ok(Outcome::NoResources) };
    let wanted = (!atomic.result.is_null()).then_some((atomic.result.cast(), width as usize));
    let operation = Operation::new(way.cri, Then::Call(completion), wanted);
    // The fetching forms for all: the others say only that the operand may be reused.
    let status = operation.begin(|over, found| {
        let short = found.cast::<u32>();
        // SAFETY: the CRI's lock is held; functions are there, as the device's capabilities say.
        unsafe {
            match (code, width) {
                (UCT_ATOMIC_OP_CSWAP, 8) => {
                    let swap = ops.ep_atomic_cswap64.unwrap_unchecked();
                    swap(ep, compare, operand, remote, rkey, found, over)
                }
                (UCT_ATOMIC_OP_CSWAP, _) => {
                    let swap = ops.ep_atomic_cswap32.unwrap_unchecked();
                    swap(ep, compare as u32, operand as u32, remote, rkey, short, over)
                }
                (_, 8) => {
                    let fetch = ops.ep_atomic64_fetch.unwrap_unchecked();
                    fetch(ep, code, operand, found, remote, rkey, over)
                }
                _ => {
                    let fetch = ops.ep_atomic32_fetch.unwrap_unchecked();
                    fetch(ep, code, operand as u32, short, remote, rkey, over)
                }
            }
        }
    });
    outcome(way, status, "atomic")
}

/// Where a peer's memory is mapped.
fn pointer(remote: u64, offset: usize) -> *mut u8 {
    std::ptr::with_exposed_provenance_mut((remote as usize).wrapping_add(offset))
}

/// Writes what is put where the library wants it.
unsafe extern "C" fn copy_out(to: *mut c_void, from: *mut c_void) -> usize {
    // SAFETY: `put` passes memory and its length, for which there is room.
    unsafe {
        let (from, len) = *from.cast::<(*const u8, usize)>();
        to.cast::<u8>().copy_from_nonoverlapping(from, len);
        len
    }
}

/// Takes what the library has got.
unsafe extern "C" fn copy_in(to: *mut c_void, data: *const c_void, len: usize) {
    // SAFETY: `get` passes memory of the length that it asked for.
    unsafe { to.cast::<u8>().copy_from_nonoverlapping(data.cast(), len) };
}

/// A flush that waits for the library to take it, for some connections.
pub struct Flush {
    operation: *mut Operation,
    /// Ranks, and which of their two connections.
    left: Vec<(u32, bool)>,
}

impl Flush {
    /// Flushes an endpoint, or all.
    pub fn begin(
        device: &UctDevice,
        cri: &UctInstance,
        endpoint: Option<&UctEndpoint>,
        completion: Completion,
    ) -> Attempted {
        if let Some(lost) = endpoint.filter(|endpoint| endpoint.is_lost()) {
            return Err(lost.gone());
        }
        // What this processor did comes before what it does next.
        fence(Ordering::SeqCst);
        let moved = |endpoint: &UctEndpoint| {
            let moved = endpoint.lane(cri.index()).borrow().moved;
            [false, true]
                .map(|bulk| (endpoint.rank, bulk))
                .into_iter()
                .filter(move |(_, bulk)| moved[usize::from(*bulk)])
        };
        let left: Vec<_> = match endpoint {
            Some(endpoint) => moved(endpoint).collect(),
            None => device.endpoints().flat_map(moved).collect(),
        };
        if left.is_empty() {
            return Ok(Outcome::Done);
        }
        // It holds its operation until all are begun.
        let operation = Box::into_raw(Operation::new(cri, Then::Call(completion), None));
        let mut flush = Self { operation, left };
        flush.try_all(device, cri);
        if flush.left.is_empty() {
            // SAFETY: this call's own share is left, so nobody has ended it.
            unsafe {
                if (*operation).completion.count == 1 {
                    let operation = Box::from_raw(operation);
                    return match operation.status() {
                        OK => Ok(Outcome::Done),
                        status => {
                            Err(Failure::new(status, "a peer that was to be flushed is gone"))
                        }
                    };
                }
                (*operation).completion.count -= 1;
            }
        } else {
            cri.flushes.borrow_mut().push(flush);
            cri.hook.wait();
        }
        Ok(Outcome::Queued)
    }

    /// Begins what could not be begun yet. Whether nothing of that is left.
    pub fn go_on(&mut self, device: &UctDevice, cri: &UctInstance) -> bool {
        self.try_all(device, cri);
        if !self.left.is_empty() {
            return false;
        }
        // SAFETY: this flush's own share is left.
        unsafe {
            (*self.operation).completion.count -= 1;
            if (*self.operation).completion.count == 0 {
                let operation = *Box::from_raw(self.operation);
                operation.finish();
            }
        }
        true
    }

    fn try_all(&mut self, device: &UctDevice, cri: &UctInstance) {
        let operation = self.operation;
        self.left.retain(|(rank, bulk)| {
            let endpoint = device.endpoint(*rank);
            if endpoint.is_some_and(UctEndpoint::is_lost) {
                // SAFETY: the flush has a share of it.
                unsafe { (*operation).completion.status = UCS_ERR_CONNECTION_RESET };
                return false;
            }
            let connection = endpoint.map(|endpoint| {
                let lane = endpoint.lane(cri.index()).borrow();
                let connection = if *bulk { &lane.bulk } else { &lane.messages };
                connection.as_ref().map(|connection| connection.ep())
            });
            let Some(Some(ep)) = connection else { return false };
            // SAFETY: the flush has a share of it.
            let completion = unsafe { &raw mut (*operation).completion };
            // SAFETY: as above. The library ends its share only in a progress call.
            unsafe { (*completion).count += 1 };
            match flush(ep, completion) {
                UCS_INPROGRESS => return false,
                UCS_OK => {}
                // SAFETY: as above.
                UCS_ERR_NO_RESOURCE | UCS_ERR_NO_MEMORY | UCS_ERR_BUSY => unsafe {
                    (*completion).count -= 1;
                    return true;
                },
                // SAFETY: as above.
                other => unsafe { (*completion).status = other },
            }
            // SAFETY: as above.
            unsafe { (*completion).count -= 1 };
            false
        });
    }
}
