//! Between buffers of the program and packed data, and what a number of bytes is in elements.

use std::ffi::c_void;

use cairn_framework::abi::datatype::{Cursor, Datatype as View};
use cairn_framework::author::walk;

use super::datatype::kind_of;
use crate::abi::generated::constants::*;
use crate::abi::generated::types::Count;
use crate::error::{Error, Result};

/// Bytes that `count` elements have when they are packed.
pub fn bytes(count: Count, datatype: &View) -> Result<usize> {
    let count = u64::try_from(count).ok();
    let bytes = count.and_then(|count| count.checked_mul(datatype.size));
    // A signed number has to hold it, which is what results are.
    bytes.and_then(|bytes| isize::try_from(bytes).ok()).map(isize::cast_unsigned).ok_or_else(|| {
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
    let done = match datatype.pack {
        // SAFETY: promised by the caller; the type has the function.
        Some(_) => unsafe { walk::pack(&mut cursor, packed, bytes) },
        None => 0,
    };
    whole(done, bytes)
}

/// Memory for so many bytes of packed data.
pub fn room(bytes: usize) -> Result<Vec<u8>> {
    let mut packed = Vec::new();
    packed.try_reserve_exact(bytes).map_err(|_| {
        Error::new(MPI_ERR_NO_MEM, format!("there is no memory for a copy of {bytes} bytes"))
    })?;
    Ok(packed)
}

/// All elements of a buffer, packed.
///
/// # Safety
/// The buffer holds the elements.
pub unsafe fn packed(
    buffer: *const c_void,
    count: Count,
    datatype: &'static View,
) -> Result<Vec<u8>> {
    let bytes = bytes(count, datatype)?;
    let mut packed = room(bytes)?;
    // SAFETY: promised by the caller; there is room for the bytes, which then are all written.
    unsafe {
        pack(buffer, count, datatype, packed.as_mut_ptr(), bytes)?;
        packed.set_len(bytes);
    }
    Ok(packed)
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
    let done = match datatype.unpack {
        // SAFETY: promised by the caller; the type has the function.
        Some(_) => unsafe { walk::unpack(&mut cursor, packed, bytes) },
        None => 0,
    };
    whole(done, bytes)
}

/// Whether a walk came to its end.
#[inline]
fn whole(done: usize, bytes: usize) -> Result<()> {
    if done < bytes { Err(broken(done, bytes)) } else { Ok(()) }
}

#[cold]
fn broken(done: usize, bytes: usize) -> Error {
    let text = format!("the walk through a datatype ended after {done} of {bytes} bytes");
    Error::new(MPI_ERR_INTERN, text)
}

/// Basic elements in these bytes of data; none if the last one is not whole.
pub fn elements(bytes: u64, datatype: &View) -> Option<u64> {
    kind_of(datatype).elements_in_row(bytes)
}

/// The way back: bytes of data that are this many basic elements.
pub fn bytes_of_elements(elements: u64, datatype: &View) -> u64 {
    kind_of(datatype).bytes_of(elements)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::datatype::DatatypeRef;

    #[test]
    fn pairs_are_two_elements() {
        for (datatype, bytes, found) in [
            (MPI_INT, 12, Some(3)),
            (MPI_INT, 13, None),
            (MPI_INT, 0, Some(0)),
            (MPI_SHORT_INT, 12, Some(4)),
            (MPI_SHORT_INT, 8, Some(3)),
            (MPI_SHORT_INT, 7, None),
            (MPI_2DOUBLE_PRECISION, 24, Some(3)),
        ] {
            let view = DatatypeRef::of(datatype).unwrap().view();
            assert_eq!(elements(bytes, view), found, "{datatype:?}, {bytes} bytes");
            if let Some(found) = found {
                assert_eq!(bytes_of_elements(found, view), bytes);
            }
        }
    }

    #[test]
    fn too_much_is_an_error() {
        let view = DatatypeRef::of(MPI_LONG_DOUBLE).unwrap().view();
        assert_eq!(bytes(3, view).unwrap(), 48);
        assert_eq!(bytes(1 << 59, view).unwrap_err().code(), MPI_ERR_COUNT);
        assert_eq!(bytes(Count::MAX, view).unwrap_err().code(), MPI_ERR_COUNT);
        assert_eq!(bytes(-1, view).unwrap_err().code(), MPI_ERR_COUNT);
    }
}
