//! A datatype, as far as components see it.

use core::ffi::c_void;

/// [`Datatype::flags`]: elements lie one behind the other without holes, so that `count` of them
/// are `count * size` bytes from the buffer's address plus `true_lb`.
pub const DATATYPE_CONTIGUOUS: u32 = 1;
/// [`Datatype::flags`]: one of the predefined types; `predefined` is its ABI number.
pub const DATATYPE_PREDEFINED: u32 = 2;
/// [`Datatype::flags`]: a predefined type of integers, whose sums wrap around as those of the processor do.
pub const DATATYPE_INTEGER: u32 = 4;

/// A piece of memory.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Segment {
    /// Its first byte.
    pub address: *mut c_void,
    /// Its length in bytes.
    pub len: usize,
}

/// Where a walk through `count` elements of a type in a buffer stands. Lives on its user's stack
/// or in a request; it owns nothing and may be dropped or copied at any time.
///
/// A walk begins anywhere: the maker of a cursor sets `position` and zeroes `state`, and the type
/// engine finds the place at the first call.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Cursor {
    /// The type that is walked.
    pub datatype: *const Datatype,
    /// The user's buffer.
    pub buffer: *mut c_void,
    /// Elements.
    pub count: u64,
    /// Bytes of data that have been passed, from 0 to `count * datatype.size`.
    pub position: u64,
    /// The type engine's own.
    pub state: [u64; 4],
}

/// A datatype. Allocated by the MPI layer and constant after the commit.
#[repr(C)]
#[derive(Debug)]
pub struct Datatype {
    /// Size of this struct in bytes, as the host has it.
    pub struct_size: u32,
    /// `CAIRN_DATATYPE_*`.
    pub flags: u32,
    /// Bytes of data in one element.
    pub size: u64,
    /// Bytes from one element to the next.
    pub extent: i64,
    /// Where the data of one element begins.
    pub true_lb: i64,
    /// Bytes from the first to the last byte of data of one element.
    pub true_extent: i64,
    /// The ABI number of a predefined type, otherwise 0.
    pub predefined: u32,
    /// The ABI number of the one predefined type that it is made of, itself if it is predefined; 0 if it is made
    /// of several or none.
    pub element: u32,
    /// Moves at most `len` bytes of data from the user's buffer to `packed`, advances the cursor
    /// and returns how many. Any thread; no lock.
    pub pack:
        Option<unsafe extern "C" fn(cursor: *mut Cursor, packed: *mut c_void, len: usize) -> usize>,
    /// The way back: moves at most `len` bytes from `packed` into the user's buffer.
    pub unpack: Option<
        unsafe extern "C" fn(cursor: *mut Cursor, packed: *const c_void, len: usize) -> usize,
    >,
    /// Stores at most `capacity` pieces of the user's memory that hold the next bytes of data, at
    /// most `*len` of them, in `segments`; advances the cursor, stores the bytes in `len` and
    /// returns the number of pieces.
    pub segments: Option<
        unsafe extern "C" fn(
            cursor: *mut Cursor,
            segments: *mut Segment,
            capacity: usize,
            len: *mut usize,
        ) -> usize,
    >,
    /// The MPI layer's own.
    pub object: *mut c_void,
}

// SAFETY: constant after the commit.
unsafe impl Sync for Datatype {}
// SAFETY: see `Sync`.
unsafe impl Send for Datatype {}

/// A reduction operation. Allocated by the MPI layer and constant.
#[repr(C)]
#[derive(Debug)]
pub struct Op {
    /// Size of this struct in bytes, as the host has it.
    pub struct_size: u32,
    /// `CAIRN_OP_*`.
    pub flags: u32,
    /// The ABI number of a predefined operation, otherwise 0.
    pub predefined: u32,
    /// Zero.
    pub reserved: u32,
    /// `inout[i] = in[i] op inout[i]` for `count` elements. Any thread; no lock. The buffers do
    /// not overlap.
    pub apply: Option<
        unsafe extern "C" fn(
            op: *const Op,
            input: *const c_void,
            inout: *mut c_void,
            count: u64,
            datatype: *const Datatype,
        ),
    >,
    /// The MPI layer's own.
    pub object: *mut c_void,
}

/// [`Op::flags`]: operands may be swapped.
pub const OP_COMMUTATIVE: u32 = 1;
/// [`Op::flags`]: `MPI_REPLACE`, the operand replaces what is there; `apply` is not to be called.
pub const OP_REPLACE: u32 = 2;
/// [`Op::flags`]: `MPI_NO_OP`, what is there stays; `apply` is not to be called.
pub const OP_NOTHING: u32 = 4;

/// [`Op::predefined`]: `MPI_SUM`.
pub const OP_SUM: u32 = 0x21;
/// [`Op::predefined`]: `MPI_BAND`.
pub const OP_BAND: u32 = 0x28;
/// [`Op::predefined`]: `MPI_BOR`.
pub const OP_BOR: u32 = 0x29;
/// [`Op::predefined`]: `MPI_BXOR`.
pub const OP_BXOR: u32 = 0x2a;

// SAFETY: constant.
unsafe impl Sync for Op {}
// SAFETY: see `Sync`.
unsafe impl Send for Op {}
