//! Between buffers of the program and packed data.

use std::ffi::c_void;

use cairn_framework::abi::datatype::{Cursor, Datatype as View};

use crate::abi::generated::constants::{MPI_ERR_COUNT, MPI_ERR_INTERN};
use crate::abi::generated::types::Count;
use crate::error::{Error, Result};

/// Bytes that `count` elements have when they are packed.
pub fn bytes(count: Count, datatype: &View) -> Result<usize> {
    let count = u64::try_from(count).ok();
    let bytes = count.and_then(|count| count.checked_mul(datatype.size));
    bytes.and_then(|bytes| usize::try_from(bytes).ok()).ok_or_else(|| {
        let text = format!("elements of {} bytes are more than memory can hold", datatype.size);
        Error::new(MPI_ERR_COUNT, text)
    })
}

fn cursor(buffer: *mut c_void, count: Count, datatype: &View) -> Cursor {
    Cursor { datatype, buffer, count: count as u64, position: 0, state: [0; 4] }
}

/// Packs all elements of a buffer; `bytes` is what the function of that name says.
///
/// # Safety
/// The buffer holds the elements, and there is room for the bytes.
pub unsafe fn pack(
    buffer: *const c_void,
    count: Count,
    datatype: &'static View,
    packed: *mut u8,
    bytes: usize,
) -> Result<()> {
    let mut cursor = cursor(buffer.cast_mut(), count, datatype);
    let mut done = 0;
    while done < bytes {
        let pack = datatype.pack.ok_or_else(|| broken(done, bytes))?;
        // SAFETY: promised by the caller.
        let step = unsafe { pack(&raw mut cursor, packed.add(done).cast(), bytes - done) };
        if step == 0 {
            return Err(broken(done, bytes));
        }
        done += step;
    }
    Ok(())
}

/// The way back.
///
/// # Safety
/// The buffer has room for the elements, and there are as many bytes.
pub unsafe fn unpack(
    packed: *const u8,
    bytes: usize,
    buffer: *mut c_void,
    count: Count,
    datatype: &'static View,
) -> Result<()> {
    let mut cursor = cursor(buffer, count, datatype);
    let mut done = 0;
    while done < bytes {
        let unpack = datatype.unpack.ok_or_else(|| broken(done, bytes))?;
        // SAFETY: promised by the caller.
        let step = unsafe { unpack(&raw mut cursor, packed.add(done).cast(), bytes - done) };
        if step == 0 {
            return Err(broken(done, bytes));
        }
        done += step;
    }
    Ok(())
}

#[cold]
fn broken(done: usize, bytes: usize) -> Error {
    let text = format!("the walk through a datatype ended after {done} of {bytes} bytes");
    Error::new(MPI_ERR_INTERN, text)
}
