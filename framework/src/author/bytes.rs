//! The type of a component's own messages.

use core::ffi::c_void;

use crate::abi::datatype::{Cursor, DATATYPE_CONTIGUOUS, DATATYPE_PREDEFINED, Datatype, Segment};

/// The ABI's number of `MPI_BYTE`.
const BYTE: u32 = 0x247;

/// Packed data: what one type is sent as, another of the same signature may be received as.
pub static BYTES: Datatype = Datatype {
    struct_size: size_of::<Datatype>() as u32,
    flags: DATATYPE_CONTIGUOUS | DATATYPE_PREDEFINED,
    size: 1,
    extent: 1,
    true_lb: 0,
    true_extent: 1,
    predefined: BYTE,
    element: BYTE,
    pack: Some(pack_bytes),
    unpack: Some(unpack_bytes),
    segments: Some(segments_of_bytes),
    object: core::ptr::null_mut(),
};

/// Where the cursor's next bytes lie, and how many of at most `len` there are.
///
/// # Safety
/// A cursor over [`BYTES`].
unsafe fn next(cursor: *mut Cursor, len: usize) -> (*mut u8, usize) {
    // SAFETY: promised by the caller.
    let cursor = unsafe { &mut *cursor };
    let place = cursor.buffer.cast::<u8>().wrapping_add(cursor.position as usize);
    let len = len.min((cursor.count - cursor.position) as usize);
    cursor.position += len as u64;
    (place, len)
}

unsafe extern "C" fn pack_bytes(cursor: *mut Cursor, packed: *mut c_void, len: usize) -> usize {
    // SAFETY: the caller vouches for the cursor's memory and for `packed`.
    unsafe {
        let (place, len) = next(cursor, len);
        core::ptr::copy_nonoverlapping(place, packed.cast(), len);
        len
    }
}

unsafe extern "C" fn unpack_bytes(cursor: *mut Cursor, packed: *const c_void, len: usize) -> usize {
    // SAFETY: the caller vouches for the cursor's memory and for `packed`.
    unsafe {
        let (place, len) = next(cursor, len);
        core::ptr::copy_nonoverlapping(packed.cast(), place, len);
        len
    }
}

unsafe extern "C" fn segments_of_bytes(
    cursor: *mut Cursor,
    segments: *mut Segment,
    capacity: usize,
    len: *mut usize,
) -> usize {
    // SAFETY: the caller vouches for the cursor and for `capacity` segments.
    unsafe {
        let (place, found) = next(cursor, if capacity == 0 { 0 } else { *len });
        *len = found;
        if found == 0 {
            return 0;
        }
        *segments = Segment { address: place.cast(), len: found };
        1
    }
}
