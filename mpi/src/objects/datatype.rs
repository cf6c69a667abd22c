//! Datatypes.

use std::ffi::c_void;
use std::ops::Deref;

use cairn_framework::abi::datatype::{
    Cursor, DATATYPE_CONTIGUOUS, DATATYPE_PREDEFINED, Datatype as View, Segment,
};
use cairn_reduce::type_info;

use crate::abi::generated::constants::MPI_ERR_TYPE;
use crate::abi::generated::types::Datatype;
use crate::error::{Error, Result};

/// The lowest value of a predefined datatype's handle.
const FIRST: usize = 0x200;
/// One more than the highest.
const END: usize = 0x300;

/// The view of a datatype; `None` if the handle is not one of a datatype that describes data.
#[inline(always)]
pub fn view(handle: Datatype) -> Option<&'static View> {
    let index = handle.value().wrapping_sub(FIRST);
    let view = PREDEFINED.get(index)?;
    (view.extent != 0).then_some(view)
}

/// The handle that a view belongs to.
pub fn handle(view: &View) -> Datatype {
    Datatype::predefined(view.predefined as usize)
}

/// A datatype that was looked up.
#[derive(Clone, Copy)]
pub struct DatatypeRef(&'static View);

impl DatatypeRef {
    /// The datatype of a handle.
    #[inline(always)]
    pub fn find(handle: Datatype) -> Option<Self> {
        view(handle).map(Self)
    }

    /// The same, or an error.
    pub fn of(handle: Datatype) -> Result<Self> {
        Self::find(handle).ok_or_else(|| none(handle))
    }

    /// Stands for an argument that is not significant, whatever the program gave: no data.
    #[inline(always)]
    pub fn insignificant() -> Self {
        static NOTHING: View = predefined(0, 0, 0);
        Self(&NOTHING)
    }

    /// One that the standard does not define.
    #[cfg(test)]
    pub fn derived() -> Self {
        static DERIVED: View = View { flags: 0, ..predefined(0, 4, 4) };
        Self(&DERIVED)
    }

    /// What components see of it.
    #[inline(always)]
    pub fn view(self) -> &'static View {
        self.0
    }

    /// The handle by which the program knows it.
    pub fn handle(self) -> Datatype {
        handle(self.0)
    }

    /// Whether it may describe data in communication.
    #[inline(always)]
    pub fn is_committed(self) -> bool {
        self.is_predefined()
    }

    /// Whether the standard defines it.
    #[inline(always)]
    pub fn is_predefined(self) -> bool {
        self.0.flags & DATATYPE_PREDEFINED != 0
    }
}

impl Deref for DatatypeRef {
    type Target = View;

    #[inline(always)]
    fn deref(&self) -> &View {
        self.0
    }
}

#[cold]
fn none(handle: Datatype) -> Error {
    Error::new(MPI_ERR_TYPE, format!("{:#x} is no datatype", handle.value()))
}

/// Every value that the handle of a predefined datatype may have; those that none has have no extent.
static PREDEFINED: [View; END - FIRST] = {
    let mut all = [const { predefined(0, 0, 0) }; END - FIRST];
    let mut index = 0;
    while index < all.len() {
        let number = (FIRST + index) as u32;
        if let Some(info) = type_info(number) {
            all[index] = predefined(number, info.size, info.extent);
        }
        index += 1;
    }
    all
};

const fn predefined(number: u32, size: usize, extent: usize) -> View {
    // Pairs have padding between or behind their parts.
    let dense = size == extent;
    View {
        struct_size: size_of::<View>() as u32,
        flags: DATATYPE_PREDEFINED | if dense { DATATYPE_CONTIGUOUS } else { 0 },
        size: size as u64,
        extent: extent as i64,
        true_lb: 0,
        true_extent: true_extent(number, extent) as i64,
        predefined: number,
        reserved: 0,
        pack: Some(if dense { pack_dense } else { pack_pair }),
        unpack: Some(if dense { unpack_dense } else { unpack_pair }),
        segments: Some(if dense { segments_dense } else { segments_pair }),
        object: std::ptr::null_mut(),
    }
}

/// Bytes from the first to the last byte of data of one element.
const fn true_extent(number: u32, extent: usize) -> usize {
    match pair(number) {
        Some((_, index)) => index + size_of::<i32>(),
        None => extent,
    }
}

/// Of a pair of a value and an index with padding: bytes of the value, and where the index lies.
const fn pair(number: u32) -> Option<(usize, usize)> {
    Some(match number {
        0x229 | 0x22a => (8, 8), // DOUBLE_INT, LONG_INT
        0x22c => (2, 4),         // SHORT_INT
        // LONG_DOUBLE_INT: all 16 bytes of the value travel.
        0x22d => (16, 16),
        _ => return None,
    })
}

/// What is left of a walk from its cursor on, in bytes.
fn rest(cursor: &Cursor, datatype: &View) -> usize {
    (cursor.count * datatype.size - cursor.position) as usize
}

/// Where the walk stands in a buffer without gaps.
fn place_dense(cursor: &Cursor) -> *mut u8 {
    cursor.buffer.cast::<u8>().wrapping_add(cursor.position as usize)
}

unsafe extern "C" fn pack_dense(cursor: *mut Cursor, packed: *mut c_void, len: usize) -> usize {
    // SAFETY: the walker vouches for cursor, type, buffer and room.
    unsafe {
        let cursor = &mut *cursor;
        let len = len.min(rest(cursor, &*cursor.datatype));
        packed.cast::<u8>().copy_from_nonoverlapping(place_dense(cursor), len);
        cursor.position += len as u64;
        len
    }
}

unsafe extern "C" fn unpack_dense(cursor: *mut Cursor, packed: *const c_void, len: usize) -> usize {
    // SAFETY: as above.
    unsafe {
        let cursor = &mut *cursor;
        let len = len.min(rest(cursor, &*cursor.datatype));
        place_dense(cursor).copy_from_nonoverlapping(packed.cast(), len);
        cursor.position += len as u64;
        len
    }
}

unsafe extern "C" fn segments_dense(
    cursor: *mut Cursor,
    segments: *mut Segment,
    capacity: usize,
    len: *mut usize,
) -> usize {
    // SAFETY: as above; there is room for `capacity` segments.
    unsafe {
        let cursor = &mut *cursor;
        let bytes = (*len).min(rest(cursor, &*cursor.datatype));
        if capacity == 0 || bytes == 0 {
            *len = 0;
            return 0;
        }
        segments.write(Segment { address: place_dense(cursor).cast(), len: bytes });
        cursor.position += bytes as u64;
        *len = bytes;
        1
    }
}

/// The next piece without a gap of a buffer of pairs: its address and length.
fn piece(cursor: &Cursor, datatype: &View) -> (*mut u8, usize) {
    let (value, index_at) = pair(datatype.predefined).unwrap_or((datatype.size as usize, 0));
    let (element, inside) = (cursor.position / datatype.size, cursor.position % datatype.size);
    let inside = inside as usize;
    let base = cursor.buffer.cast::<u8>().wrapping_add((element * datatype.extent as u64) as usize);
    if inside < value {
        // Value and index are one piece where nothing lies between.
        let end = if index_at == value { datatype.size as usize } else { value };
        (base.wrapping_add(inside), end - inside)
    } else {
        (base.wrapping_add(index_at + inside - value), datatype.size as usize - inside)
    }
}

/// Walks over at most `len` bytes, piece by piece.
///
/// # Safety
/// The cursor and its type are valid.
unsafe fn walk(
    cursor: *mut Cursor,
    len: usize,
    mut each: impl FnMut(*mut u8, usize, usize) -> bool,
) -> usize {
    // SAFETY: promised by the caller.
    let (cursor, datatype) = unsafe { (&mut *cursor, &*(*cursor).datatype) };
    let len = len.min(rest(cursor, datatype));
    let mut done = 0;
    while done < len {
        let (address, piece) = piece(cursor, datatype);
        let piece = piece.min(len - done);
        if !each(address, piece, done) {
            break;
        }
        cursor.position += piece as u64;
        done += piece;
    }
    done
}

unsafe extern "C" fn pack_pair(cursor: *mut Cursor, packed: *mut c_void, len: usize) -> usize {
    // SAFETY: the walker vouches for cursor, type, buffer and room.
    unsafe {
        walk(cursor, len, |address, piece, done| {
            packed.cast::<u8>().add(done).copy_from_nonoverlapping(address, piece);
            true
        })
    }
}

unsafe extern "C" fn unpack_pair(cursor: *mut Cursor, packed: *const c_void, len: usize) -> usize {
    // SAFETY: as above.
    unsafe {
        walk(cursor, len, |address, piece, done| {
            address.copy_from_nonoverlapping(packed.cast::<u8>().add(done), piece);
            true
        })
    }
}

unsafe extern "C" fn segments_pair(
    cursor: *mut Cursor,
    segments: *mut Segment,
    capacity: usize,
    len: *mut usize,
) -> usize {
    let mut used = 0;
    // SAFETY: as above; there is room for `capacity` segments.
    unsafe {
        *len = walk(cursor, *len, |address, piece, _| {
            if used == capacity {
                return false;
            }
            segments.add(used).write(Segment { address: address.cast(), len: piece });
            used += 1;
            true
        });
    }
    used
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::generated::constants::*;

    #[test]
    fn predefined_types_have_sizes() {
        let of = |handle| {
            let view = view(handle).expect("a type");
            (view.size, view.extent, view.true_extent)
        };
        assert_eq!(of(MPI_INT), (4, 4, 4));
        assert_eq!(of(MPI_DOUBLE_INT), (12, 16, 12));
        assert_eq!(of(MPI_SHORT_INT), (6, 8, 8));
        assert_eq!(of(MPI_LONG_DOUBLE_INT), (20, 32, 20));
        assert!(view(MPI_DATATYPE_NULL).is_none());
        assert!(view(Datatype::predefined(0x101)).is_none());
    }

    #[test]
    fn pairs_are_packed_without_their_padding() {
        #[repr(C)]
        #[derive(Clone, Copy, Debug, PartialEq)]
        struct Pair(i16, i32);
        let mut pairs = [Pair(1, 2), Pair(3, 4), Pair(5, 6)];
        let view = view(MPI_SHORT_INT).expect("a type");
        let cursor = |pairs: &mut [Pair; 3]| Cursor {
            datatype: view,
            buffer: pairs.as_mut_ptr().cast(),
            count: 3,
            position: 0,
            state: [0; 4],
        };
        for step in 1..20 {
            let (mut from, mut packed, mut done) = (cursor(&mut pairs), [0_u8; 18], 0);
            // SAFETY: the buffers are as long as the walk.
            unsafe {
                while done < 18 {
                    done += pack_pair(
                        &mut from,
                        packed[done..].as_mut_ptr().cast(),
                        step.min(18 - done),
                    );
                }
                let mut copy = [Pair(0, 0); 3];
                let (mut to, mut done) = (cursor(&mut copy), 0);
                while done < 18 {
                    done +=
                        unpack_pair(&mut to, packed[done..].as_ptr().cast(), step.min(18 - done));
                }
                assert_eq!(copy, pairs);
            }
        }
    }
}
