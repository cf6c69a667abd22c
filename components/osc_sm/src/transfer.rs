//! Operations, each done in the call.

use cairn_framework::abi::datatype::{DATATYPE_PREDEFINED, Datatype};
use cairn_framework::abi::status::ERR_ARGUMENT;
use cairn_framework::author::Failure;
use cairn_framework::frameworks::osc::{
    OSC_ACCUMULATE, OSC_COMPARE_SWAP, OSC_FETCH_OP, OSC_GET, OSC_GET_ACCUMULATE, OSC_PUT,
    OscTransfer, Window,
};
use cairn_rma::{Side, Taker, Target, Update, accumulate_sides, compare_and_swap, copy};

use crate::window::SmWindow;

/// Does an operation.
///
/// # Safety
/// What the transfer names is there, and what it touches lies in the window.
#[inline]
pub unsafe fn run(
    window: &Window,
    state: &SmWindow,
    transfer: &OscTransfer,
) -> Result<(), Failure> {
    let Some(base) = state.bases.get(transfer.target as usize) else { return Err(wrong()) };
    // SAFETY: types stay during the call.
    let Some(datatype) = (unsafe { transfer.target_datatype.as_ref() }) else {
        return Err(wrong());
    };
    let (offset, count) = (transfer.offset, transfer.target_count);
    let target = Target { base: *base, offset, count, datatype };
    // SAFETY: promised by the caller.
    unsafe {
        match transfer.kind {
            OSC_PUT => copy(Side::of(&transfer.origin).ok_or_else(wrong)?, target.side()),
            OSC_GET => copy(target.side(), Side::of(&transfer.result).ok_or_else(wrong)?),
            _ => return update(window, state, transfer, &target),
        }
    }
    Ok(())
}

/// An operation whose elements are atomic.
///
/// # Safety
/// As for `run`.
unsafe fn update(
    window: &Window,
    state: &SmWindow,
    transfer: &OscTransfer,
    target: &Target<'_>,
) -> Result<(), Failure> {
    let shared = &state.shared;
    let locks = &shared.control(transfer.target).locks;
    let taker = Taker { rank: shared.rank, check: &|rank| shared.check_rank(rank) };
    // SAFETY: promised by the caller.
    unsafe {
        match transfer.kind {
            OSC_ACCUMULATE | OSC_GET_ACCUMULATE | OSC_FETCH_OP => {
                let op = transfer.op.as_ref().ok_or_else(wrong)?;
                let element = element(window, target.datatype).ok_or_else(wrong)?;
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

/// The predefined type that a type is made of.
unsafe fn element<'a>(window: &Window, datatype: &'a Datatype) -> Option<&'a Datatype> {
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
