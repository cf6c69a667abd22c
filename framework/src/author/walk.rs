//! Bytes to and from data with holes: the functions of a datatype move as much as suits them at a time.

use crate::abi::datatype::Cursor;

/// Packs the next `len` bytes. Returns how many there were: fewer only at the end of the data.
///
/// # Safety
/// The cursor's data may be read, its datatype has the function, and `to` has room for `len` bytes.
#[inline]
pub unsafe fn pack(cursor: &mut Cursor, to: *mut u8, len: usize) -> usize {
    let mut done = 0;
    while done < len {
        // SAFETY: promised by the caller.
        let moved = unsafe {
            let pack = (*cursor.datatype).pack.unwrap_unchecked();
            pack(cursor, to.add(done).cast(), len - done)
        };
        if moved == 0 {
            break;
        }
        done += moved;
    }
    done
}

/// Unpacks `len` bytes to where the cursor is. Returns how many found room: fewer only at the end of the
/// data.
///
/// # Safety
/// The cursor's data may be written, its datatype has the function, and `from` has `len` bytes.
#[inline]
pub unsafe fn unpack(cursor: &mut Cursor, from: *const u8, len: usize) -> usize {
    let mut done = 0;
    while done < len {
        // SAFETY: promised by the caller.
        let moved = unsafe {
            let unpack = (*cursor.datatype).unpack.unwrap_unchecked();
            unpack(cursor, from.add(done).cast(), len - done)
        };
        if moved == 0 {
            break;
        }
        done += moved;
    }
    done
}

#[cfg(test)]
mod tests {
    use core::ffi::c_void;

    use super::*;
    use crate::abi::datatype::Datatype;
    use crate::author::BYTES;

    /// Moves at most three bytes a call.
    unsafe extern "C" fn pack_few(cursor: *mut Cursor, to: *mut c_void, len: usize) -> usize {
        // SAFETY: as for the function of bytes.
        unsafe { (BYTES.pack.unwrap())(cursor, to, len.min(3)) }
    }

    unsafe extern "C" fn unpack_few(cursor: *mut Cursor, from: *const c_void, len: usize) -> usize {
        // SAFETY: as for the function of bytes.
        unsafe { (BYTES.unpack.unwrap())(cursor, from, len.min(3)) }
    }

    #[test]
    fn all_is_moved_however_little_at_a_time() {
        let few = Datatype { pack: Some(pack_few), unpack: Some(unpack_few), ..BYTES };
        let mut data = *b"0123456789";
        let cursor = |data: &mut [u8; 10]| Cursor {
            datatype: &few,
            buffer: data.as_mut_ptr().cast(),
            count: 10,
            position: 0,
            state: [0; 4],
        };
        let mut packed = [0; 12];
        let mut walk = cursor(&mut data);
        // SAFETY: room for all of it.
        unsafe {
            assert_eq!(pack(&mut walk, packed.as_mut_ptr(), 7), 7);
            // There is no more.
            assert_eq!(pack(&mut walk, packed.as_mut_ptr().add(7), 5), 3);
        }
        assert_eq!(&packed, b"0123456789\0\0");
        let mut back = [0; 10];
        let mut walk = cursor(&mut back);
        // SAFETY: as above.
        unsafe {
            assert_eq!(unpack(&mut walk, packed.as_ptr(), 8), 8);
            assert_eq!(unpack(&mut walk, packed.as_ptr().add(8), 4), 2);
        }
        assert_eq!(&back, b"0123456789");
    }
}
