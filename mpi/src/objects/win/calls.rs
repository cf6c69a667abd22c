//! What the MPI layer does for the component of a window.

use std::ffi::c_void;

use cairn_framework::abi::datatype::{Datatype as DatatypeView, Op as OpView};
use cairn_framework::abi::request::Request as RequestView;
use cairn_framework::abi::status::{ERR_PROTOCOL, OK, Status};
use cairn_framework::frameworks::coll::{
    COLL_ALLGATHER, COLL_BARRIER, COLL_NONBLOCKING, COLL_REDUCE_SCATTER_BLOCK, CollArgs, CollSide,
};
use cairn_framework::frameworks::osc::{Window as View, WindowCalls};

use super::comm_of;
use crate::abi::generated::constants::*;
use crate::abi::generated::types::{Datatype, Op};
use crate::error::{Result, told};
use crate::objects::comm::CommRef;
use crate::objects::datatype::{self, DatatypeRef};
use crate::objects::op;
use crate::runtime::no_data;

/// They are the same for all windows.
pub static CALLS: WindowCalls = WindowCalls {
    struct_size: size_of::<WindowCalls>() as u32,
    reserved: 0,
    allgather,
    barrier,
    reduce_scatter,
    datatype_retain,
    datatype_release,
    datatype_encode,
    datatype_decode,
    datatype_predefined,
    op_predefined,
};

fn status(result: Result<()>) -> Status {
    result.map_or_else(|error| told(&error), |()| OK)
}

/// So many elements of a predefined type.
pub(super) fn side(buffer: *mut c_void, count: usize, datatype: Datatype) -> Result<CollSide> {
    let datatype = DatatypeRef::of(datatype)?.view();
    Ok(CollSide { buffer, count: count as u64, datatype, ..no_data(0).send })
}

/// Gathers `len` bytes of each process.
///
/// # Safety
/// There are so many bytes, and room for those of all processes.
pub unsafe fn gather_bytes(
    comm: CommRef,
    sent: *const c_void,
    received: *mut c_void,
    len: usize,
) -> Result<()> {
    let args = CollArgs {
        send: side(sent.cast_mut(), len, MPI_BYTE)?,
        receive: side(received, len, MPI_BYTE)?,
        ..no_data(COLL_ALLGATHER)
    };
    // SAFETY: promised by the caller.
    unsafe { comm.run(&args) }
}

unsafe extern "C" fn allgather(
    window: &View,
    sent: *const c_void,
    received: *mut c_void,
    len: usize,
) -> Status {
    // SAFETY: the component vouches for its buffers.
    status(unsafe { gather_bytes(comm_of(window), sent, received, len) })
}

unsafe extern "C" fn barrier(window: &View, request: *mut *mut RequestView) -> Status {
    let (comm, args) = (comm_of(window), no_data(COLL_BARRIER));
    // SAFETY: a barrier has no buffers; the place for a request is null or one.
    status(unsafe {
        match request.as_mut() {
            None => comm.run(&args),
            Some(request) => comm.start(COLL_NONBLOCKING, &args).map(|made| *request = made),
        }
    })
}

unsafe extern "C" fn reduce_scatter(
    window: &View,
    numbers: *const u64,
    sum: *mut u64,
    width: usize,
    request: &mut *mut RequestView,
) -> Status {
    let start = || {
        let args = CollArgs {
            send: side(numbers.cast_mut().cast(), width, MPI_UINT64_T)?,
            receive: side(sum.cast(), width, MPI_UINT64_T)?,
            op: op::predefined_op(MPI_SUM).map_or(std::ptr::null(), std::ptr::from_ref),
            ..no_data(COLL_REDUCE_SCATTER_BLOCK)
        };
        // SAFETY: the component vouches for its buffers.
        unsafe { comm_of(window).start(COLL_NONBLOCKING, &args) }
    };
    status(start().map(|made| *request = made))
}

unsafe extern "C" fn datatype_retain(datatype: *const DatatypeView) {
    // SAFETY: the component hands in a datatype that lives.
    datatype::retain(unsafe { &*datatype });
}

unsafe extern "C" fn datatype_release(datatype: *const DatatypeView) {
    // SAFETY: the component has retained it.
    datatype::release(unsafe { &*datatype });
}

unsafe extern "C" fn datatype_encode(
    datatype: *const DatatypeView,
    text: *mut c_void,
    capacity: usize,
) -> usize {
    // SAFETY: as above.
    let description = datatype::describe(unsafe { &*datatype });
    if description.len() <= capacity {
        // SAFETY: the component vouches for the room.
        unsafe {
            text.cast::<u8>().copy_from_nonoverlapping(description.as_ptr(), description.len())
        };
    }
    description.len()
}

unsafe extern "C" fn datatype_decode(
    text: *const c_void,
    len: usize,
    datatype: &mut *const DatatypeView,
) -> Status {
    let text = match len {
        0 => &[],
        // SAFETY: the component vouches for so many bytes.
        len => unsafe { std::slice::from_raw_parts(text.cast(), len) },
    };
    match datatype::described(text) {
        Some(made) => {
            *datatype = made;
            OK
        }
        None => ERR_PROTOCOL,
    }
}

unsafe extern "C" fn datatype_predefined(number: u32) -> *const DatatypeView {
    let found = DatatypeRef::predefined(Datatype::predefined(number as usize));
    found.map_or(std::ptr::null(), |found| found.view())
}

unsafe extern "C" fn op_predefined(number: u32) -> *const OpView {
    op::predefined_op(Op::predefined(number as usize)).map_or(std::ptr::null(), std::ptr::from_ref)
}
