//! Operations, each done in the call.

use cairn_framework::abi::status::ERR_ARGUMENT;
use cairn_framework::author::{Failure, HostHandle};
use cairn_framework::frameworks::osc::{OscTransfer, Window};
use cairn_rma::{Taker, operate};

use crate::window::SmWindow;

/// Does an operation.
///
/// # Safety
/// What the transfer names is there, and what it touches lies in the window.
#[inline]
pub unsafe fn run(
    host: HostHandle,
    window: &Window,
    state: &SmWindow,
    transfer: &OscTransfer,
) -> Result<(), Failure> {
    let Some(base) = state.bases.get(transfer.target as usize) else {
        return Err(Failure::new(ERR_ARGUMENT, "no such rank"));
    };
    let shared = &state.shared;
    let check = |rank| {
        // Otherwise this process may not hear of a death.
        host.progress();
        shared.check_rank(rank)
    };
    let taker = Taker { rank: shared.rank, atomics: false, check: &check };
    let locks = &shared.control(transfer.target).locks;
    // SAFETY: promised by the caller.
    unsafe { operate(window, *base, locks, taker, transfer) }
}
