//! Puts, gets and atomics: started, and taken back.

use std::ffi::c_void;

use cairn_framework::abi::host::{LOG_DEBUG, LOG_WARN};
use cairn_framework::abi::status::{ERR_ARGUMENT, ERR_PEER, OK, Status};
use cairn_framework::author::{Attempted, Failure, Outcome};
use cairn_framework::frameworks::btl::{
    BTL_ADD, BTL_AND, BTL_COMPARE_SWAP, BTL_OR, BTL_SWAP, BTL_XOR, BtlAtomic, BtlTransfer,
    Completion, Way,
};

use crate::bindings::*;
use crate::component::Ugni;
use crate::context::UgniCri;
use crate::library::explain;
use crate::link::{Route, UgniEndpoint};
use crate::memory::{Region, handle};
use crate::module::{Registration, UgniDevice, gone};
use crate::nic::Event;
use crate::op::{Kind, Op, OpRef};

/// How often a piece is tried that ended with an error from which the network recovers.
const MOST_TRIES: u32 = 16;

/// Posts that are taken back in a pass.
const MOST_TAKEN: u32 = 256;

/// What a key stands for.
///
/// # Safety
/// It is null or `unpack_key` made it.
unsafe fn region(key: *mut c_void) -> Result<Region, Failure> {
    // SAFETY: promised by the caller.
    unsafe { key.cast::<Region>().as_ref() }
        .copied()
        .ok_or_else(|| Failure::new(ERR_ARGUMENT, "a transfer without the peer's key"))
}

/// Starts a put or get.
///
/// # Safety
/// As for `Btl::put`.
pub unsafe fn start(
    way: Way<'_, Ugni>,
    kind: Kind,
    transfer: &BtlTransfer,
    completion: Completion,
) -> Attempted {
    // SAFETY: promised by the caller.
    let region = unsafe { region(transfer.key)? };
    region.check(transfer.remote, transfer.len as u64)?;
    let route = route(&way)?;
    if transfer.len == 0 {
        return Ok(Outcome::Done);
    }
    // SAFETY: promised by the caller.
    let local = unsafe { transfer.registration.cast::<Registration>().as_ref() }
        .and_then(Registration::handle)
        .ok_or_else(|| Failure::new(ERR_ARGUMENT, "local memory that is not registered"))?;
    let buffer = transfer.local.cast::<u8>();
    let is_ragged = kind == Kind::Get && Op::is_ragged(buffer, transfer.remote, transfer.len);
    let Some(op) = way.cri.ops.take(is_ragged) else { return Ok(Outcome::NoResources) };
    op.kind.set(kind);
    op.local.set(buffer);
    op.local_handle.set(local);
    op.remote.set(transfer.remote);
    op.remote_handle.set(handle(region.handle));
    op.len.set(transfer.len);
    submit(&way, route, op, completion)
}

/// Starts an atomic operation.
///
/// # Safety
/// As for `Btl::atomic`.
pub unsafe fn atomic(way: Way<'_, Ugni>, atomic: &BtlAtomic, completion: Completion) -> Attempted {
    let width = u64::from(atomic.width);
    let fetches = !atomic.result.is_null();
    let command = command(atomic.operation, atomic.width, fetches)?;
    if !atomic.remote.is_multiple_of(width) {
        let text = format!("{width} bytes at {:#x}", atomic.remote);
        return Err(Failure::new(ERR_ARGUMENT, text));
    }
    // SAFETY: promised by the caller.
    let region = unsafe { region(atomic.key)? };
    region.check(atomic.remote, width)?;
    let route = route(&way)?;
    let Some(op) = way.cri.ops.take(false) else { return Ok(Outcome::NoResources) };
    op.kind.set(Kind::Atomic);
    op.remote.set(atomic.remote);
    op.remote_handle.set(handle(region.handle));
    op.len.set(width as usize);
    op.command.set(command);
    op.operands.set(match atomic.operation {
        BTL_COMPARE_SWAP => (atomic.compare, atomic.operand),
        _ => (atomic.operand, 0),
    });
    op.result.set(atomic.result.cast());
    submit(&way, route, op, completion)
}

/// Starts a get of the first bytes of a peer's mailbox, which are not used: it fails if the peer is gone. False when
/// the CRI has no transfer left.
pub fn inquire(
    device: &UgniDevice,
    cri: &UgniCri,
    endpoint: &UgniEndpoint,
    (remote, registration): (u64, [u64; 2]),
) -> Result<bool, Failure> {
    let route = cri.route(device, cri.index(), endpoint)?;
    let Some(op) = cri.ops.take(false) else { return Ok(false) };
    op.kind.set(Kind::Get);
    op.local.set(op.room());
    op.local_handle.set(cri.ops.scratch());
    op.remote.set(remote);
    op.remote_handle.set(handle(registration));
    op.len.set(size_of::<u64>());
    begin(device, cri, route, op)?;
    Ok(true)
}

/// The network's command for an operation.
fn command(operation: u32, width: u32, fetches: bool) -> Result<u32, Failure> {
    let [fetching, plain] = match (width, operation) {
        (8, BTL_ADD) => [GNI_FMA_ATOMIC_FADD, GNI_FMA_ATOMIC_ADD],
        (8, BTL_AND) => [GNI_FMA_ATOMIC_FAND, GNI_FMA_ATOMIC_AND],
        (8, BTL_OR) => [GNI_FMA_ATOMIC_FOR, GNI_FMA_ATOMIC_OR],
        (8, BTL_XOR) => [GNI_FMA_ATOMIC_FXOR, GNI_FMA_ATOMIC_XOR],
        (8, BTL_SWAP) => [GNI_FMA_ATOMIC2_FSWAP, GNI_FMA_ATOMIC2_SWAP],
        (8, BTL_COMPARE_SWAP) => [GNI_FMA_ATOMIC_CSWAP; 2],
        (4, BTL_ADD) => [GNI_FMA_ATOMIC2_FIADD_S, GNI_FMA_ATOMIC2_IADD_S],
        (4, BTL_AND) => [GNI_FMA_ATOMIC2_FAND_S, GNI_FMA_ATOMIC2_AND_S],
        (4, BTL_OR) => [GNI_FMA_ATOMIC2_FOR_S, GNI_FMA_ATOMIC2_OR_S],
        (4, BTL_XOR) => [GNI_FMA_ATOMIC2_FXOR_S, GNI_FMA_ATOMIC2_XOR_S],
        (4, BTL_SWAP) => [GNI_FMA_ATOMIC2_FSWAP_S, GNI_FMA_ATOMIC2_SWAP_S],
        (4, BTL_COMPARE_SWAP) => [GNI_FMA_ATOMIC2_FCSWAP_S; 2],
        _ => {
            let text = format!("operation {operation} on an integer of {width} bytes");
            return Err(Failure::new(ERR_ARGUMENT, text));
        }
    };
    Ok(if fetches { fetching } else { plain })
}

fn route<'a>(way: &Way<'a, Ugni>) -> Result<&'a Route, Failure> {
    if way.endpoint.has_failed() {
        return Err(gone(way.endpoint.rank));
    }
    way.cri.route(way.device, way.cri.index(), way.endpoint)
}

fn submit(way: &Way<'_, Ugni>, route: &Route, op: OpRef, completion: Completion) -> Attempted {
    let cri = way.cri;
    begin(way.device, cri, route, op)?;
    // No progress was made yet, so it can't be over.
    op.completion.set(Some(completion));
    op.serial.set(cri.flushes.next());
    if op.is_write() {
        cri.flushes.began();
        route.writes.set(route.writes.get() + 1);
    }
    Ok(Outcome::Queued)
}

/// Posts the first piece of an operation.
fn begin(device: &UgniDevice, cri: &UgniCri, route: &Route, op: OpRef) -> Result<(), Failure> {
    op.route.set(route);
    op.begin();
    op.next_piece(&device.config, cri.ops.scratch());
    cri.traffic();
    post(device, cri, op).or_else(|error| {
        cri.ops.give(op);
        device.library.check(format!("a transfer to rank {}", route.peer.rank), error)
    })
}

/// Hands the piece of an operation to the network, or has it wait until that has room.
fn post(device: &UgniDevice, cri: &UgniCri, op: OpRef) -> Result<(), gni_return_t> {
    if !cri.unposted.borrow().is_empty() {
        cri.unposted.borrow_mut().push_back(op);
        return Ok(());
    }
    match try_post(device, op) {
        GNI_RC_SUCCESS => {}
        GNI_RC_NOT_DONE | GNI_RC_ERROR_RESOURCE => cri.unposted.borrow_mut().push_back(op),
        error => return Err(error),
    }
    Ok(())
}

fn try_post(device: &UgniDevice, op: OpRef) -> gni_return_t {
    // SAFETY: routes stay as long as the CRI; the descriptor stays, and who started it keeps the memory.
    unsafe {
        let (ep, what) = ((*op.route.get()).endpoint.ep, op.descriptor());
        match op.is_long() {
            true => device.library.GNI_PostRdma(ep, what),
            false => device.library.GNI_PostFma(ep, what),
        }
    }
}

/// Hands to the network what it did not take before.
pub fn retry(device: &UgniDevice, cri: &UgniCri) -> u32 {
    let mut events = 0;
    loop {
        let next = cri.unposted.borrow().front().copied();
        let Some(op) = next else { return events };
        let posted = match is_gone(op) {
            true => GNI_RC_TRANSACTION_ERROR,
            false => try_post(device, op),
        };
        if matches!(posted, GNI_RC_NOT_DONE | GNI_RC_ERROR_RESOURCE) {
            return events;
        }
        cri.unposted.borrow_mut().pop_front();
        events += 1;
        if posted != GNI_RC_SUCCESS {
            failed(device, cri, op, explain(posted));
        }
    }
}

fn is_gone(op: OpRef) -> bool {
    // SAFETY: routes stay as long as the CRI.
    unsafe { &*op.route.get() }.peer.has_failed()
}

/// Takes posts back that are over.
pub fn posts(device: &UgniDevice, cri: &UgniCri) -> u32 {
    let mut events = 0;
    while events < MOST_TAKEN {
        let (entry, is_well) = match cri.posts.next() {
            Event::None => break,
            Event::Well(entry) => (entry, true),
            Event::Error(entry) => (entry, false),
            Event::Overrun => {
                device.break_down("events of transfers are lost");
                break;
            }
            Event::Broken(error) => {
                device.break_down(explain(error));
                break;
            }
        };
        events += 1;
        let mut descriptor = std::ptr::null_mut();
        // SAFETY: the queue is there, and room for the answer; descriptors are those of operations.
        let op = unsafe {
            let (cq, descriptor) = (cri.posts.handle(), &raw mut descriptor);
            match device.library.GNI_GetCompleted(cq, entry, descriptor) {
                GNI_RC_SUCCESS | GNI_RC_TRANSACTION_ERROR => Op::of(*descriptor),
                _ => None,
            }
        };
        let Some(op) = op else {
            device.break_down("an event of no transfer");
            break;
        };
        if is_well { well(device, cri, op) } else { unwell(device, cri, op, entry) }
    }
    events
}

/// A piece is over.
fn well(device: &UgniDevice, cri: &UgniCri, op: OpRef) {
    // SAFETY: the network is through with it; who started it keeps the memory until the completion is called.
    unsafe { op.piece_is_done() };
    if !op.next_piece(&device.config, cri.ops.scratch()) {
        finish(cri, op, OK);
    } else if let Err(error) = post(device, cri, op) {
        failed(device, cri, op, explain(error));
    }
}

#[cold]
fn unwell(device: &UgniDevice, cri: &UgniCri, op: OpRef, entry: gni_cq_entry_t) {
    let (why, is_recoverable) = device.library.error(entry);
    let tries = op.tries.get() + 1;
    op.tries.set(tries);
    if !is_recoverable || tries >= MOST_TRIES || is_gone(op) {
        failed(device, cri, op, &why);
    } else if let Err(error) = post(device, cri, op) {
        failed(device, cri, op, explain(error));
    }
}

/// A transfer has failed for good, and with it the way to its peer: keys are checked before they are used, so that it
/// is not for what was asked.
#[cold]
fn failed(device: &UgniDevice, cri: &UgniCri, op: OpRef, why: &str) {
    // SAFETY: routes stay as long as the CRI.
    let rank = unsafe { &*op.route.get() }.peer.rank;
    let kind = op.kind.get();
    let completion = op.completion.take();
    // An operation without a completion is an inquiry: that the peer has gone, it may have said in a message that is
    // seen later.
    let level = if completion.is_some() { LOG_WARN } else { LOG_DEBUG };
    op.completion.set(completion);
    device.host.log(level, || format!("{kind:?} to rank {rank}: {why}"));
    device.fail(rank, why);
    finish(cri, op, ERR_PEER);
}

/// An operation is over.
fn finish(cri: &UgniCri, op: OpRef, status: Status) {
    // SAFETY: routes stay as long as the CRI.
    let route = unsafe { &*op.route.get() };
    let write = op.is_write().then(|| op.serial.get());
    let completion = op.completion.take();
    cri.ops.give(op);
    // When it closes nobody is there any more to be told.
    if let Some(completion) = completion
        && !cri.is_closing.get()
    {
        completion.call(status);
    }
    if let Some(serial) = write {
        route.writes.set(route.writes.get() - 1);
        cri.flushes.over(route.peer.rank, serial, status, cri.is_closing.get());
    }
}

/// Completes when all writes of before are over: their events come when they are in the peer's memory.
pub fn flush(cri: &UgniCri, endpoint: Option<&UgniEndpoint>, completion: Completion) -> Attempted {
    let left = match endpoint {
        Some(endpoint) if endpoint.has_failed() => return Err(gone(endpoint.rank)),
        Some(endpoint) => cri.existing_route(endpoint.rank).map_or(0, |route| route.writes.get()),
        None => cri.flushes.under_way(),
    };
    if left == 0 {
        return Ok(Outcome::Done);
    }
    cri.traffic();
    cri.flushes.wait(endpoint.map(|endpoint| endpoint.rank), left, completion);
    Ok(Outcome::Queued)
}
