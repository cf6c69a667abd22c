//! Requests of operations that have one.

use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use cairn_framework::abi::request::{
    MessageStatus, REQUEST_MAGIC, REQUEST_ONE_SIDED, REQUEST_PENDING, Request as View,
};
use cairn_framework::abi::status::Status;
use cairn_framework::author::Mutex;

/// A request. Its memory is never anything else and stays for the life of the process; two have to do with it,
/// the operation and the MPI layer, and the second to leave gives it back.
#[repr(C)]
pub struct Request {
    head: View,
    /// One of the two has left.
    left: AtomicBool,
}

/// Requests that are free.
static IDLE: Mutex<Vec<Idle>> = Mutex::new(Vec::new());

struct Idle(*mut Request);

// SAFETY: a request without users belongs to the list alone.
unsafe impl Send for Idle {}

fn head() -> View {
    View {
        magic: REQUEST_MAGIC,
        kind: REQUEST_ONE_SIDED,
        completion: AtomicUsize::new(REQUEST_PENDING),
        status: MessageStatus { source: -1, tag: -2, ..MessageStatus::default() },
        free: Some(free),
        cancel: None,
        start: None,
        object: core::ptr::null_mut(),
        struct_size: size_of::<View>() as u32,
        active: 0,
    }
}

/// One that is in progress.
pub fn make() -> *mut Request {
    let idle = IDLE.lock().pop();
    match idle {
        Some(Idle(request)) => {
            // SAFETY: from the list, so without users.
            unsafe { request.write(Request { head: head(), left: AtomicBool::new(false) }) };
            request
        }
        None => Box::into_raw(Box::new(Request { head: head(), left: AtomicBool::new(false) })),
    }
}

/// One that is complete.
pub fn complete_one() -> *mut View {
    let request = make();
    // SAFETY: just made.
    unsafe { complete(request, cairn_framework::abi::status::OK) };
    request.cast()
}

/// Completes a request. The operation has nothing to do with it afterwards.
///
/// # Safety
/// `make` made it, and it was not completed.
pub unsafe fn complete(request: *mut Request, error: Status) {
    // SAFETY: promised by the caller. The MPI layer may have given it back, but its memory is there until the
    // operation leaves it, too.
    unsafe {
        (*request).head.status.error = error;
        (*request).head.complete();
        leave(request);
    }
}

/// # Safety
/// A living request that the caller leaves.
unsafe fn leave(request: *mut Request) {
    // AcqRel: the second to leave sees what the first one did.
    // SAFETY: promised by the caller.
    if unsafe { (*request).left.swap(true, Ordering::AcqRel) } {
        IDLE.lock().push(Idle(request));
    }
}

unsafe extern "C" fn free(request: *mut View) {
    // SAFETY: a request of this component that the MPI layer gives back, once.
    unsafe {
        (*request).magic = 0;
        leave(request.cast());
    }
}
