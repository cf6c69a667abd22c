//! Puts, gets, atomic operations, and writes to queues.

use crate::faults;
use crate::nic::{Endpoint, Nic};
use crate::queue::{Role, entry};
use crate::segment::Found;
use crate::target::{self, BROKEN, PROTECTION, RECOVERABLE, Status, UNREACHABLE, WELL};
use crate::types::*;

/// Gets are made of units of so many bytes.
const GET_UNIT: u64 = 4;
/// Puts of up to so many bytes are atomic with atomic operations.
const WORD: u64 = 8;
/// Bits of an atomic operation: it does not bring the old value; its operand has 32 bits; its result is cached.
const NO_FETCH: u32 = 0x100;
const SHORT: u32 = 0x200;
const CACHED_FIRST: u32 = 0x10;
const CACHED_SECOND: u32 = 0x20;

/// What an atomic operation computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operation {
    Add,
    And,
    Or,
    Xor,
    CompareSwap,
    Swap,
    Min,
    Max,
    FloatMin,
    FloatMax,
    FloatAdd,
}

/// An atomic operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Atomic {
    operation: Operation,
    fetches: bool,
    width: u64,
    is_first_generation: bool,
}

/// What a command stands for.
fn decode(command: u32) -> Option<Atomic> {
    use Operation::*;
    let (operation, first) = match command & !NO_FETCH {
        0x008 => (Add, true),
        0x009 => (And, true),
        0x00a => (Or, true),
        0x00b => (Xor, true),
        0x00d => (CompareSwap, true),
        0x047 | 0x246 => (Swap, false),
        0x051 | 0x250 => (Min, false),
        0x053 | 0x252 => (Max, false),
        0x055 | 0x254 => (Add, false),
        0x059 | 0x258 => (FloatMin, false),
        0x05b | 0x25a => (FloatMax, false),
        0x05d | 0x25c => (FloatAdd, false),
        0x240 => (And, false),
        0x242 => (Or, false),
        0x244 => (Xor, false),
        0x24a => (CompareSwap, false),
        _ => return None,
    };
    let fetches = command & NO_FETCH == 0;
    if operation == CompareSwap && !fetches {
        return None;
    }
    let width = if command & SHORT != 0 { 4 } else { 8 };
    Some(Atomic { operation, fetches, width, is_first_generation: first })
}

/// The same, cached variants included.
fn decode_any(command: u32) -> Option<Atomic> {
    decode(command)
        .or_else(|| decode(command & !CACHED_FIRST).filter(|it| it.is_first_generation))
        .or_else(|| decode(command & !CACHED_SECOND).filter(|it| !it.is_first_generation))
}

impl Atomic {
    fn apply(self, old: u64, first: u64, second: u64) -> u64 {
        use Operation::*;
        let is_short = self.width == 4;
        let signed = |value: u64| if is_short { i64::from(value as i32) } else { value as i64 };
        let float = |value: u64| match is_short {
            true => f64::from(f32::from_bits(value as u32)),
            false => f64::from_bits(value),
        };
        let back = |value: f64| match is_short {
            true => u64::from((value as f32).to_bits()),
            false => value.to_bits(),
        };
        match self.operation {
            Add => old.wrapping_add(first),
            And => old & first,
            Or => old | first,
            Xor => old ^ first,
            CompareSwap if is_short => {
                if old as u32 == first as u32 {
                    second
                } else {
                    old
                }
            }
            CompareSwap => {
                if old == first {
                    second
                } else {
                    old
                }
            }
            Swap => first,
            Min => {
                if signed(first) < signed(old) {
                    first
                } else {
                    old
                }
            }
            Max => {
                if signed(first) > signed(old) {
                    first
                } else {
                    old
                }
            }
            FloatMin => back(float(old).min(float(first))),
            FloatMax => back(float(old).max(float(first))),
            FloatAdd => back(float(old) + float(first)),
        }
    }
}

/// Posts a small put or get, or an atomic operation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GNI_PostFma(endpoint: *mut Endpoint, post: *mut PostDescriptor) -> Return {
    // SAFETY: null, an endpoint, a descriptor.
    unsafe { start(endpoint, post, &[FMA_PUT, FMA_PUT_W_SYNCFLAG, FMA_GET, AMO]) }
}

/// Posts a put or get by the engine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GNI_PostRdma(
    endpoint: *mut Endpoint,
    post: *mut PostDescriptor,
) -> Return {
    // SAFETY: null, an endpoint, a descriptor.
    unsafe { start(endpoint, post, &[RDMA_PUT, RDMA_GET]) }
}

/// Makes an event in the queue of remote events of a registration.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GNI_PostCqWrite(
    endpoint: *mut Endpoint,
    post: *mut PostDescriptor,
) -> Return {
    // SAFETY: null, an endpoint, a descriptor.
    unsafe { start(endpoint, post, &[CQWRITE]) }
}

/// # Safety
/// The pointers are null, or lead to what they are for.
unsafe fn start(endpoint: *mut Endpoint, post: *mut PostDescriptor, kinds: &[u32]) -> Return {
    // SAFETY: promised by the caller.
    let (Some(it), Some(what)) = (unsafe { (endpoint.as_ref(), post.as_mut()) }) else {
        return INVALID_PARAM;
    };
    let nic = it.nic();
    if it.bound.get().is_none() {
        return INVALID_STATE;
    }
    if let Err(error) = check(nic, what, kinds) {
        return error;
    }
    let wants_event = what.cq_mode & (LOCAL_EVENT | GLOBAL_EVENT) != 0;
    // SAFETY: null or a queue.
    let other = unsafe { what.src_cq_hndl.as_ref() };
    let is_engine = matches!(what.kind, RDMA_PUT | RDMA_GET);
    let queue = other.filter(|_| is_engine).or(it.queue());
    if wants_event && queue.is_none_or(|queue| !queue.plays(Role::Local)) {
        return INVALID_PARAM;
    }
    let faults = faults::get();
    if nic.not_done.borrow_mut().strikes(faults.not_done) {
        return NOT_DONE;
    }
    if nic.no_resource.borrow_mut().strikes(faults.no_resource) {
        return ERROR_RESOURCE;
    }
    let place = match queue {
        Some(queue) if wants_event => match queue.keep(post, &it.outstanding) {
            Some(place) => Some((queue, place)),
            None => return ERROR_RESOURCE,
        },
        _ => None,
    };
    let status = if nic.recoverable.borrow_mut().strikes(faults.recoverable) {
        RECOVERABLE
    } else if nic.unrecoverable.borrow_mut().strikes(faults.unrecoverable) {
        BROKEN
    } else {
        it.target().map_or(UNREACHABLE, |target| run(it, what, target))
    };
    what.status = status;
    what.cq_mode_complete = what.cq_mode;
    if let Some((queue, place)) = place {
        let event = entry(EVENT_POST, status, place, it.event_ids().0);
        nic.own.process.push(queue.at, event, false);
    }
    SUCCESS
}

fn check(nic: &Nic, what: &PostDescriptor, kinds: &[u32]) -> Result<(), Return> {
    let both = LOCAL_EVENT | GLOBAL_EVENT;
    if !kinds.contains(&what.kind) || (what.cq_mode & both == both && !nic.dual_events) {
        return Err(INVALID_PARAM);
    }
    match what.kind {
        FMA_GET | RDMA_GET => {
            if what.length == 0 {
                return Err(INVALID_PARAM);
            }
            let all = [what.local_addr, what.remote_addr, what.length];
            if all.iter().any(|one| !one.is_multiple_of(GET_UNIT)) {
                return Err(ALIGNMENT_ERROR);
            }
        }
        AMO => {
            let atomic = decode_any(what.amo_cmd).ok_or(INVALID_PARAM)?;
            if faults::get().device == GEMINI && !atomic.is_first_generation {
                return Err(ILLEGAL_OP);
            }
            if what.length != atomic.width {
                return Err(INVALID_PARAM);
            }
            let is_aligned = |at: u64| at.is_multiple_of(atomic.width);
            if !is_aligned(what.remote_addr) || (atomic.fetches && !is_aligned(what.local_addr)) {
                return Err(ALIGNMENT_ERROR);
            }
        }
        FMA_PUT_W_SYNCFLAG if !what.sync_flag_addr.is_multiple_of(WORD) => {
            return Err(ALIGNMENT_ERROR);
        }
        RDMA_PUT if what.length == 0 => return Err(INVALID_PARAM),
        _ => {}
    }
    Ok(())
}

/// Does it.
fn run(it: &Endpoint, what: &PostDescriptor, target: Found) -> Status {
    let nic = it.nic();
    let (process, pid) = (target.process, target.pid);
    let (len, handle) = (what.length, what.remote_mem_hndl);
    let own = nic.own;
    let here = |write: bool| {
        let covered = own.process.covered(own.pid, what.local_mem_hndl, what.local_addr, len);
        covered.is_some_and(|(_, flags)| !(write && flags & READ_ONLY != 0))
    };
    let there = |at: u64, len: u64, write: bool| {
        let covered = process.covered(pid, handle, at, len);
        covered.is_some_and(|(_, flags)| !(write && flags & READ_ONLY != 0))
    };
    let status = match what.kind {
        FMA_PUT | FMA_PUT_W_SYNCFLAG | RDMA_PUT => {
            // The processor writes what FMA puts into a window, whatever memory it comes from.
            let has_local = what.kind != RDMA_PUT || here(false);
            if !has_local || (len > 0 && !there(what.remote_addr, len, true)) {
                return PROTECTION;
            }
            let status = {
                let _held = (len <= WORD).then(|| process.atomics.hold());
                target::copy(pid, what.local_addr, what.remote_addr, len, true)
            };
            if status == WELL && what.kind == FMA_PUT_W_SYNCFLAG {
                if !there(what.sync_flag_addr, WORD, true) {
                    return PROTECTION;
                }
                let flag = what.sync_flag_value.to_ne_bytes();
                target::write(pid, &flag, what.sync_flag_addr)
            } else {
                status
            }
        }
        FMA_GET | RDMA_GET => {
            if !here(true) || !there(what.remote_addr, len, false) {
                return PROTECTION;
            }
            target::copy(pid, what.local_addr, what.remote_addr, len, false)
        }
        AMO => {
            let Some(atomic) = decode_any(what.amo_cmd) else { return PROTECTION };
            if (atomic.fetches && !here(true)) || !there(what.remote_addr, len, true) {
                return PROTECTION;
            }
            change(what, atomic, own.pid, target)
        }
        _ => match process.region(pid, handle) {
            Some(_) => WELL,
            None => PROTECTION,
        },
    };
    let is_write = !matches!(what.kind, FMA_GET | RDMA_GET);
    if status == WELL && (what.cq_mode & REMOTE_EVENT != 0 && is_write || what.kind == CQWRITE) {
        let event = match what.kind {
            CQWRITE => what.cqwrite_value & 0xffff_ffff_ffff,
            _ => entry(EVENT_POST, WELL, 0, it.event_ids().1),
        };
        remote_event(target, handle, event, false);
    }
    status
}

/// Puts an event into the queue of a registration, if it has one.
pub(crate) fn remote_event(target: Found, handle: MemHandle, event: u64, lose: bool) {
    let Some((region, ..)) = target.process.region(target.pid, handle) else { return };
    let queue = region.queue.load(std::sync::atomic::Ordering::Relaxed) as usize;
    if queue > 0 {
        target.process.push(queue - 1, event, lose);
    }
}

/// Atomic with all others in the memory of that process, and with nothing that a processor does there.
fn change(what: &PostDescriptor, atomic: Atomic, own: u32, target: Found) -> Status {
    let width = atomic.width as usize;
    let mut bytes = [0; 8];
    {
        let _held = target.process.atomics.hold();
        match target::read(target.pid, &mut bytes[..width], what.remote_addr) {
            WELL => {}
            error => return error,
        }
        let old = u64::from_ne_bytes(bytes);
        let new = atomic.apply(old, what.first_operand, what.second_operand).to_ne_bytes();
        match target::write(target.pid, &new[..width], what.remote_addr) {
            WELL => {}
            error => return error,
        }
    }
    if atomic.fetches { target::write(own, &bytes[..width], what.local_addr) } else { WELL }
}
