//! Datatypes and operations made by hand, and memory that is looked at byte by byte.
//!
//! Every datatype consists of 32-bit integers, so that a row of integers can lie in memory in many
//! ways and be the same message.

use std::ffi::c_void;

use cairn_framework::abi::datatype::{
    Cursor, DATATYPE_CONTIGUOUS, Datatype, OP_COMMUTATIVE, Op, Segment,
};

/// How the integers of an element lie: their offsets.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    pub offsets: Vec<i64>,
    pub extent: i64,
}

/// A datatype that stays as long as the tests run.
#[derive(Debug, Clone, Copy)]
pub struct Type(&'static Datatype);

impl Type {
    pub fn layout(&self) -> &'static Layout {
        // SAFETY: `leak` stored it.
        unsafe { &*self.0.object.cast::<Layout>() }
    }

    /// Integers in an element.
    pub fn ints(&self) -> u64 {
        self.layout().offsets.len() as u64
    }

    pub fn pointer(&self) -> *const Datatype {
        self.0
    }

    fn leak(offsets: &[i64], extent: i64) -> Self {
        Self::numbered(offsets, extent, 0)
    }

    /// A type that is predefined, if it has a number.
    fn numbered(offsets: &[i64], extent: i64, predefined: u32) -> Self {
        let (low, high) = (*offsets.iter().min().unwrap(), offsets.iter().max().unwrap() + 4);
        let size = 4 * offsets.len() as i64;
        let packed = offsets.iter().enumerate().all(|(i, offset)| *offset == low + 4 * i as i64);
        let layout = Box::leak(Box::new(Layout { offsets: offsets.into(), extent }));
        Self(Box::leak(Box::new(Datatype {
            struct_size: size_of::<Datatype>() as u32,
            flags: if packed && extent == size { DATATYPE_CONTIGUOUS } else { 0 },
            size: size as u64,
            extent,
            true_lb: low,
            true_extent: high - low,
            predefined,
            element: 0,
            pack: Some(pack),
            unpack: Some(unpack),
            segments: Some(segments),
            object: std::ptr::from_mut(layout).cast(),
        })))
    }
}

/// Datatypes of 1, 2, 3 or 6 integers an element: plain, with holes, starting off their address,
/// not in order, growing downwards, overlapping each other's extents.
pub fn types() -> Vec<Type> {
    vec![
        Type::numbered(&[0], 4, 7),
        Type::leak(&[0, 4, 8], 12),
        Type::leak(&[8, 12], 8),
        Type::leak(&[8, 12, 28, 32, 48, 52], 60),
        Type::leak(&[16, 0], 24),
        Type::leak(&[0, 12], -24),
        Type::leak(&[-20, 4, -4], 8 + 40),
        Type::leak(&[0, 8], 4 + 12),
    ]
}

/// Moves bytes one by one between the user's memory and packed data.
///
/// # Safety
/// A cursor of a type of `types`, over memory that may be used.
unsafe fn walk(cursor: *mut Cursor, len: usize, mut each: impl FnMut(*mut u8, usize)) -> usize {
    // SAFETY: promised by the caller.
    unsafe {
        let cursor = &mut *cursor;
        let datatype = &*cursor.datatype;
        let layout = &*datatype.object.cast::<Layout>();
        let total = cursor.count * datatype.size;
        let mut moved = 0;
        while moved < len && cursor.position < total {
            let element = (cursor.position / datatype.size) as i64;
            let inside = cursor.position % datatype.size;
            let offset = layout.offsets[(inside / 4) as usize] + (inside % 4) as i64;
            each(
                cursor.buffer.cast::<u8>().offset((element * layout.extent + offset) as isize),
                moved,
            );
            cursor.position += 1;
            moved += 1;
        }
        moved
    }
}

unsafe extern "C" fn pack(cursor: *mut Cursor, packed: *mut c_void, len: usize) -> usize {
    // At most a little at a time, as an engine may.
    let len = len.min(1021);
    // SAFETY: the caller's cursor and memory.
    unsafe { walk(cursor, len, |byte, i| *packed.cast::<u8>().add(i) = *byte) }
}

unsafe extern "C" fn unpack(cursor: *mut Cursor, packed: *const c_void, len: usize) -> usize {
    let len = len.min(509);
    // SAFETY: the caller's cursor and memory.
    unsafe { walk(cursor, len, |byte, i| *byte = *packed.cast::<u8>().add(i)) }
}

unsafe extern "C" fn segments(_: *mut Cursor, _: *mut Segment, _: usize, _: *mut usize) -> usize {
    panic!("the tests' messages are packed")
}

/// An operation on integers.
#[derive(Debug, Clone, Copy)]
pub struct Operation {
    pub op: &'static Op,
    pub combine: fn(u32, u32) -> u32,
}

/// The sum, and a composition of functions x -> ax + b, which is associative and not commutative.
pub fn operations() -> [Operation; 2] {
    fn compose(left: u32, right: u32) -> u32 {
        let (a, b) = (left >> 16, left & 0xffff);
        let (c, d) = (right >> 16, right & 0xffff);
        (a.wrapping_mul(c) << 16) | (a.wrapping_mul(d).wrapping_add(b) & 0xffff)
    }
    static SUM: Op = Op {
        struct_size: size_of::<Op>() as u32,
        flags: OP_COMMUTATIVE,
        predefined: 2,
        reserved: 0,
        apply: Some(apply),
        object: std::ptr::null_mut(),
    };
    static COMPOSE: Op = Op { flags: 0, predefined: 1, ..SUM };
    unsafe extern "C" fn apply(
        op: *const Op,
        input: *const c_void,
        inout: *mut c_void,
        count: u64,
        datatype: *const Datatype,
    ) {
        // SAFETY: the caller's buffers hold as many elements of a type of `types`.
        unsafe {
            assert_ne!(input, inout.cast_const());
            let combine = if (*op).predefined == 1 { compose } else { u32::wrapping_add };
            let layout = &*(*datatype).object.cast::<Layout>();
            for element in 0..count as i64 {
                for offset in &layout.offsets {
                    let at = (element * layout.extent + offset) as isize;
                    let (from, to) =
                        (input.byte_offset(at).cast::<u32>(), inout.byte_offset(at).cast());
                    assert!(from.is_aligned(), "elements lost their alignment");
                    *to = combine(*from, *to);
                }
            }
        }
    }
    [
        Operation { op: &SUM, combine: u32::wrapping_add },
        Operation { op: &COMPOSE, combine: compose },
    ]
}

/// A piece of the user's memory: every byte that no element has must stay as it is.
#[derive(Clone, PartialEq)]
pub struct Area {
    bytes: Vec<u64>,
    /// Where the buffer's address is, in bytes from the beginning.
    origin: i64,
}

impl Area {
    /// Room for elements from `low` to `high` bytes from the buffer's address.
    pub fn new(low: i64, high: i64) -> Self {
        let origin = (-low.min(0) + 64 + 15) / 16 * 16;
        let len = origin + high.max(0) + 64;
        Self { bytes: vec![0xa5a5_a5a5_a5a5_a5a5; len as usize / 8 + 1], origin }
    }

    pub fn pointer(&mut self) -> *mut c_void {
        self.bytes.as_mut_ptr().wrapping_byte_offset(self.origin as isize).cast()
    }

    fn int(&mut self, offset: i64) -> &mut u32 {
        let at = self.origin + offset;
        assert!(at >= 0 && at % 4 == 0 && at as usize + 4 <= 8 * self.bytes.len());
        // SAFETY: inside the vector and aligned, as was just seen.
        unsafe { &mut *self.bytes.as_mut_ptr().byte_add(at as usize).cast() }
    }

    /// Writes integers as elements of a type that begin so many bytes from the address.
    pub fn put(&mut self, displacement: i64, datatype: Type, ints: &[u32]) {
        let layout = datatype.layout();
        for (element, chunk) in ints.chunks(layout.offsets.len()).enumerate() {
            for (int, offset) in chunk.iter().zip(&layout.offsets) {
                *self.int(displacement + element as i64 * layout.extent + offset) = *int;
            }
        }
    }

    pub fn copy_from(&mut self, other: &Self) {
        self.bytes.copy_from_slice(&other.bytes);
    }

    /// Where they differ first, in bytes from the buffer's address.
    pub fn first_difference(&self, other: &Self) -> Option<i64> {
        let words = self.bytes.iter().zip(&other.bytes).position(|(a, b)| a != b)?;
        let bytes = (self.bytes[words] ^ other.bytes[words]).trailing_zeros() / 8;
        Some(words as i64 * 8 + i64::from(bytes) - self.origin)
    }
}
