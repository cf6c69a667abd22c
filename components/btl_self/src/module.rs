//! What the one device and its CRIs have, and progress.

use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::ptr::null;

use cairn_framework::abi::pool::Cri;
use cairn_framework::abi::receive::{RECEIVE_TAGS, ReceiveEntry, Received};
use cairn_framework::frameworks::btl::{BtlModule, Endpoint};

use crate::queue::{Bell, Queue, deliver};

/// A CRI with its queue.
#[repr(C, align(128))]
pub struct SelfCri {
    pub cri: Cri,
    /// With the CRI's lock held.
    pub queue: UnsafeCell<Queue>,
}

/// What the functions of the contract work on.
pub struct State {
    pub table: &'static [ReceiveEntry; RECEIVE_TAGS],
    /// There is one peer and nothing to know about it.
    pub endpoint: Box<Endpoint>,
    pub bell: Bell,
}

// SAFETY: the table is constant, and the endpoint is used by its address only.
unsafe impl Send for State {}
// SAFETY: see `Send`.
unsafe impl Sync for State {}

/// The queue of a CRI.
///
/// # Safety
/// `cri` is one of this transport, and the caller holds its lock.
pub unsafe fn queue(cri: *const Cri) -> *mut Queue {
    // SAFETY: every CRI of the pool is the beginning of a `SelfCri`.
    unsafe { (*cri.cast::<SelfCri>()).queue.get() }
}

/// The pool's progress function.
///
/// # Safety
/// `module` is the device, `cri` a CRI of it; its lock is held.
pub unsafe extern "C" fn progress(module: *mut c_void, cri: *mut Cri) -> u32 {
    // SAFETY: promised by the caller.
    unsafe { if (*queue(cri)).is_empty() { 0 } else { deliver_all(module, cri) } }
}

/// # Safety
/// As `progress`.
#[inline(never)]
unsafe fn deliver_all(module: *mut c_void, cri: *mut Cri) -> u32 {
    // SAFETY: promised by the caller.
    unsafe {
        let view = &*module.cast::<BtlModule>();
        let state = &*view.state.cast::<State>();
        let received = Received {
            struct_size: size_of::<Received>() as u32,
            flags: 0,
            module: view,
            cri,
            endpoint: (&raw const *state.endpoint).cast_mut(),
            data: null(),
            len: 0,
        };
        deliver(queue(cri), state.table, received)
    }
}
