//! Operations, each done in the call.

use cairn_framework::abi::status::ERR_ARGUMENT;
use cairn_framework::author::Failure;
use cairn_framework::frameworks::osc::{OscTransfer, Window};
use cairn_rma::{Taker, operate};

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
    let Some(base) = state.bases.get(transfer.target as usize) else {
        return Err(Failure::new(ERR_ARGUMENT, "no such rank"));
    };
    let shared = &state.shared;
    let taker = Taker { rank: shared.rank, atomics: false, check: &|rank| shared.check_rank(rank) };
    let locks = &shared.control(transfer.target).locks;
    // SAFETY: promised by the caller.
    unsafe { operate(window, *base, locks, taker, transfer) }
}
