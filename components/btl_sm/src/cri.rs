//! A CRI: the rings that it polls, its transfers, and its progress.

use std::cell::{Cell, UnsafeCell};
use std::ffi::c_void;

use cairn_framework::abi::host::LOG_INFO;
use cairn_framework::abi::pool::Cri;
use cairn_framework::frameworks::btl::BtlModule;

use crate::large::{self, Transfers};
use crate::module::State;
use crate::receive::Inbox;

/// A CRI with what belongs to it. Everything but the lock is used with the lock held.
#[repr(C, align(128))]
pub struct SmCri {
    pub cri: Cri,
    pub inbox: UnsafeCell<Inbox>,
    pub transfers: UnsafeCell<Transfers>,
    /// A send or a get was refused for lack of room since the last `arm`.
    pub starved: Cell<bool>,
    /// It was polled since the last short message was sent.
    pub polled: Cell<bool>,
}

impl SmCri {
    /// A CRI of this transport with what belongs to it.
    ///
    /// # Safety
    /// `cri` is one of this transport, and the caller holds its lock.
    pub unsafe fn of<'a>(cri: *const Cri) -> &'a Self {
        // SAFETY: every CRI of the pool is the beginning of an `SmCri`.
        unsafe { &*cri.cast::<Self>() }
    }
}

/// The pool's progress function.
///
/// # Safety
/// `module` is the device, `cri` a CRI of it; its lock is held.
pub unsafe extern "C" fn progress(module: *mut c_void, cri: *mut Cri) -> u32 {
    // SAFETY: promised by the caller. The inbox is used here and by `arm`, which is not called
    // meanwhile.
    unsafe {
        let view = &*module.cast::<BtlModule>();
        let state = &*view.state.cast::<State>();
        let own = SmCri::of(cri);
        own.polled.set(true);
        let transfers = own.transfers.get();
        let mut events = (*own.inbox.get()).poll(state, view, cri, transfers);
        if !(*transfers).is_idle() {
            events += large::progress(state, &*cri, transfers);
        }
        events
    }
}

/// Progress function: reports the peers that have ended, and gives up what is under way with them.
///
/// # Safety
/// `state` is the device's state.
pub unsafe extern "C" fn reap(state: *mut c_void) -> u32 {
    // SAFETY: promised by the caller.
    let state = unsafe { &*state.cast::<State>() };
    let ended = state.lives.reap(state.host, |rank| is_through_with(state, rank));
    for rank in &ended {
        state.host.log(LOG_INFO, || format!("the process of rank {rank} has ended"));
        state.host.peer_failed(*rank);
        give_up(state, *rank);
    }
    ended.len() as u32
}

/// Whether all that a process sent before it ended has been received, or given up: see `unmapped`.
/// With no CRI's lock held, and not from the poll of one.
///
/// Nothing writes to the process's rings any more, so one that was empty stays so, and when each CRI
/// was seen without a message of it, none is left.
fn is_through_with(state: &State, rank: u32) -> bool {
    // SAFETY: the pool lives as long as the device, which `open` has put into it.
    let (pool, module) = unsafe { (&*state.pool, &*(*state.pool).module.cast::<BtlModule>()) };
    (0..pool.count).map(|index| pool.cri(index)).all(|cri| {
        let _held = cri.guard();
        let own = (&raw const *cri).cast_mut();
        // SAFETY: the lock is held; a single-threaded process is not in a poll now.
        unsafe { (*SmCri::of(cri).inbox.get()).is_through_with(state, module, own, rank) }
    })
}

/// Ends the transfers that are under way with a peer. With no CRI's lock held, and not from the poll
/// of one.
pub fn give_up(state: &State, rank: u32) {
    // SAFETY: the pool lives as long as the device.
    let pool = unsafe { &*state.pool };
    for cri in (0..pool.count).map(|index| pool.cri(index)) {
        let _held = cri.guard();
        // SAFETY: the lock is held; a single-threaded process is not in a poll now.
        unsafe { large::forget(state, SmCri::of(cri).transfers.get(), rank) };
    }
}
