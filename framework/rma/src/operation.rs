//! Operations as the contract of windows has them, on memory that this process can load and store.

use cairn_framework::abi::datatype::{DATATYPE_PREDEFINED, Datatype};
use cairn_framework::abi::status::ERR_ARGUMENT;
use cairn_framework::author::Failure;
use cairn_framework::frameworks::osc::{
    OSC_ACCUMULATE, OSC_COMPARE_SWAP, OSC_FETCH_OP, OSC_GET, OSC_GET_ACCUMULATE, OSC_PUT,
    OscTransfer, Window,
};

use crate::{
    AccumulateLocks, Side, Taker, Target, Update, accumulate_sides, compare_and_swap, copy,
    short::change_short,
};

/// Does an operation on the memory of its target, which begins at `base` in this process (null: offsets are
/// addresses).
///
/// # Errors
/// The taker's, and `CAIRN_ERR_ARGUMENT` for what is no operation.
///
/// # Safety
/// What the transfer names is there, and what it touches lies in the window.
#[inline]
pub unsafe fn operate(
    window: &Window,
    base: *mut u8,
    locks: &AccumulateLocks,
    taker: Taker<'_>,
    transfer: &OscTransfer,
) -> Result<(), Failure> {
    // SAFETY: types stay during the call.
    let Some(datatype) = (unsafe { transfer.target_datatype.as_ref() }) else {
        return Err(wrong());
    };
    let (offset, count) = (transfer.offset, transfer.target_count);
    let target = Target { base, offset, count, datatype };
    // SAFETY: promised by the caller.
    unsafe {
        match transfer.kind {
            OSC_PUT => copy(Side::of(&transfer.origin).ok_or_else(wrong)?, target.side()),
            OSC_GET => copy(target.side(), Side::of(&transfer.result).ok_or_else(wrong)?),
            _ => return update(window, locks, taker, transfer, &target),
        }
    }
    Ok(())
}

/// An operation whose elements are atomic.
///
/// # Safety
/// As for `operate`.
unsafe fn update(
    window: &Window,
    locks: &AccumulateLocks,
    taker: Taker<'_>,
    transfer: &OscTransfer,
    target: &Target<'_>,
) -> Result<(), Failure> {
    // SAFETY: promised by the caller.
    unsafe {
        match transfer.kind {
            OSC_ACCUMULATE | OSC_GET_ACCUMULATE | OSC_FETCH_OP => {
                if let Some(result) = change_short(locks, &taker, transfer, target) {
                    return result;
                }
                let op = transfer.op.as_ref().ok_or_else(wrong)?;
                let element = element_of(window, target.datatype).ok_or_else(wrong)?;
                let update = Update { op, element, locks, taker };
                let fetches = transfer.kind != OSC_ACCUMULATE;
                let result = Side::of(&transfer.result).filter(|_| fetches);
                accumulate_sides(Side::of(&transfer.origin), result, target, &update)
            }
            OSC_COMPARE_SWAP => compare_and_swap(
                target.base,
                target.offset,
                target.datatype.size as usize,
                transfer.origin.buffer.cast(),
                transfer.compare.cast(),
                transfer.result.buffer.cast(),
                locks,
                &taker,
            ),
            _ => Err(wrong()),
        }
    }
}

/// The predefined type that a type is made of, if it is made of one.
pub fn element_of<'a>(window: &Window, datatype: &'a Datatype) -> Option<&'a Datatype> {
    if datatype.flags & DATATYPE_PREDEFINED != 0 {
        return Some(datatype);
    }
    // SAFETY: predefined types stay.
    unsafe { (window.calls().datatype_predefined)(datatype.element).as_ref() }
}

#[cold]
fn wrong() -> Failure {
    Failure::new(ERR_ARGUMENT, "the operation is not whole")
}
