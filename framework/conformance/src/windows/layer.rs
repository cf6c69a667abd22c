//! What the MPI layer does for the component of a window, here.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering};

use cairn_framework::abi::request::Request;
use cairn_framework::abi::status::{ERR_OTHER, OK, Status};
use cairn_framework::frameworks::osc::{Window, WindowCalls};

use super::collective::Goal;
use super::{Member, datatypes};

/// The same for all windows.
pub static CALLS: WindowCalls = WindowCalls {
    struct_size: size_of::<WindowCalls>() as u32,
    reserved: 0,
    allgather,
    barrier,
    reduce_scatter,
    datatype_retain: datatypes::retain,
    datatype_release: datatypes::release,
    datatype_encode: datatypes::encode,
    datatype_decode: datatypes::decode,
    datatype_predefined: datatypes::predefined,
    op_predefined: datatypes::op_predefined,
};

/// The layer's side of a window, where its `object` leads to.
pub struct Own {
    pub member: &'static Member,
    /// Collective operations so far, which are their tags.
    pub collectives: AtomicU32,
}

/// # Safety
/// A window of this layer.
unsafe fn own(window: &Window) -> &Own {
    // SAFETY: promised by the caller.
    unsafe { &*window.object.cast::<Own>() }
}

/// # Safety
/// A window of this layer; what the goal leads to stays until the request is complete.
unsafe fn start(window: &Window, sent: Box<[u8]>, goal: Goal) -> Result<*mut Request, Status> {
    // SAFETY: promised by the caller.
    unsafe {
        let Own { member, collectives } = own(window);
        let tag = collectives.fetch_add(1, Ordering::Relaxed) as i32;
        member.collectives.start(&member.messages, window.comm(), tag, sent, goal)
    }
}

/// # Safety
/// As for [`start`].
unsafe fn run(window: &Window, sent: Box<[u8]>, goal: Goal) -> Status {
    // SAFETY: promised by the caller; the request is given back once, when it is complete.
    unsafe {
        let request = match start(window, sent, goal) {
            Ok(request) => request,
            Err(status) => return status,
        };
        let come = own(window).member.poll("the other ranks", || (*request).is_complete());
        let error = (*request).status.error;
        ((*request).free.expect("it has one"))(request);
        if come.is_ok() { error } else { ERR_OTHER }
    }
}

unsafe extern "C" fn allgather(
    window: &Window,
    sent: *const c_void,
    received: *mut c_void,
    len: usize,
) -> Status {
    let size = window.comm().remote_size as usize;
    // SAFETY: the component has so many bytes, and room for those of all ranks.
    unsafe {
        let sent = match len {
            0 => &[],
            _ => std::slice::from_raw_parts(sent.cast::<u8>(), len),
        };
        run(window, sent.repeat(size).into(), Goal::Stored(received.cast()))
    }
}

unsafe extern "C" fn barrier(window: &Window, request: *mut *mut Request) -> Status {
    let sent: Box<[u8]> = vec![0; window.comm().remote_size as usize].into();
    // SAFETY: a barrier stores nothing; the place for a request is null or one.
    unsafe {
        let Some(request) = request.as_mut() else { return run(window, sent, Goal::Nothing) };
        store(start(window, sent, Goal::Nothing), request)
    }
}

unsafe extern "C" fn reduce_scatter(
    window: &Window,
    numbers: *const u64,
    sum: *mut u64,
    width: usize,
    request: &mut *mut Request,
) -> Status {
    let len = 8 * width * window.comm().remote_size as usize;
    // SAFETY: the component has so many numbers, and room for the sums until the request is complete.
    unsafe {
        let sent: Box<[u8]> = match len {
            0 => Box::default(),
            _ => std::slice::from_raw_parts(numbers.cast::<u8>(), len).into(),
        };
        store(start(window, sent, Goal::Added(sum)), request)
    }
}

fn store(started: Result<*mut Request, Status>, place: &mut *mut Request) -> Status {
    *place = null_mut();
    match started {
        Ok(request) => {
            *place = request;
            OK
        }
        Err(status) => status,
    }
}
