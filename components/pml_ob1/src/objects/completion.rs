//! The completion of requests: waited for, or of one that was freed before.

use core::sync::atomic::Ordering;

use cairn_framework::abi::request::{
    MessageStatus, REQUEST_COMPLETE, REQUEST_MAGIC, REQUEST_PENDING, Request, WaitSync,
};
use cairn_framework::audit::Counted;

use crate::mode::Mode;

/// [`Request::completion`] of a request that was freed before it was complete: its completer
/// frees it. No sync object has this address.
const DETACHED: usize = 2;

/// The head of a request that is in progress.
pub fn head(kind: u32, free: unsafe extern "C" fn(*mut Request)) -> Request {
    Request {
        magic: REQUEST_MAGIC,
        kind,
        completion: REQUEST_PENDING.into(),
        status: MessageStatus::default(),
        free: Some(free),
        cancel: None,
        start: None,
        object: core::ptr::null_mut(),
        struct_size: size_of::<Request>() as u32,
        active: 0,
    }
}

/// Completes a request whose status is written. True when it was freed before, so that the caller
/// gives its memory back; otherwise it is not touched any more.
///
/// # Safety
/// The request is pending and the caller's.
#[inline]
pub unsafe fn complete<M: Mode>(request: *mut Request) -> bool {
    // SAFETY: promised by the caller.
    let word = unsafe { &(*request).completion };
    // Release: the status and the data come before. Acquire: what a waiter wrote is seen.
    let found = if M::THREADED {
        word.rmw().swap(REQUEST_COMPLETE, Ordering::AcqRel)
    } else {
        let found = word.load(Ordering::Relaxed);
        word.store(REQUEST_COMPLETE, Ordering::Relaxed);
        found
    };
    if found <= REQUEST_COMPLETE {
        return false;
    }
    if found == DETACHED {
        return true;
    }
    // SAFETY: a waiter stores its sync object, and leaves only when this has counted down.
    unsafe { (*core::ptr::with_exposed_provenance::<WaitSync>(found)).complete_one() };
    false
}

/// Undoes that a request was completed which was freed before: it is to be completed once more.
///
/// # Safety
/// [`complete`] has said so, and the caller has not given its memory back.
pub unsafe fn complete_later(request: *mut Request) {
    // SAFETY: promised by the caller.
    unsafe { (*request).completion.store(DETACHED, Ordering::Relaxed) };
}

/// The MPI layer gives a request back. True when it is complete, so that the caller gives its
/// memory back; otherwise its completer does.
///
/// # Safety
/// The request is valid, and only its completer uses it.
pub unsafe fn detach(request: *mut Request) -> bool {
    // SAFETY: promised by the caller.
    unsafe {
        (*request).magic = 0;
        // Nearly always it is complete, and then a load is enough.
        // Acquire: the completer's last use comes before. Release: ours, before its.
        let word = &(*request).completion;
        word.load(Ordering::Acquire) == REQUEST_COMPLETE
            || word
                .rmw()
                .compare_exchange(REQUEST_PENDING, DETACHED, Ordering::AcqRel, Ordering::Acquire)
                .is_err()
    }
}
