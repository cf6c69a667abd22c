//! Elements of a datatype in memory, and bytes of them to and from shared memory.

use core::ffi::c_void;
use core::mem::MaybeUninit;

use cairn_framework::abi::datatype::{Cursor, DATATYPE_CONTIGUOUS, Datatype};
use cairn_framework::author::walk;
use cairn_framework::frameworks::coll::{CollCounts, CollSide};

/// Elements in memory. A plain address: its user vouches for the memory.
#[derive(Debug, Clone, Copy)]
pub struct Data {
    /// Where the first element begins, without its lower bound.
    buffer: *mut u8,
    pub count: u64,
    datatype: *const Datatype,
}

impl Data {
    /// Everything in a buffer with one count.
    ///
    /// # Safety
    /// The datatype is valid as long as this is used.
    pub unsafe fn whole(side: &CollSide) -> Self {
        Self { buffer: side.buffer.cast(), count: side.count, datatype: side.datatype }
    }

    pub fn datatype(&self) -> &Datatype {
        // SAFETY: promised to `whole`.
        unsafe { &*self.datatype }
    }

    /// Bytes of data, without holes.
    pub fn bytes(&self) -> u64 {
        self.count * self.datatype().size
    }

    /// `count` elements from element number `first` on.
    pub fn part(&self, first: u64, count: u64) -> Self {
        self.moved(first as i64 * self.datatype().extent).of(count)
    }

    /// As many elements, so many bytes further on.
    fn moved(&self, bytes: i64) -> Self {
        // Wrapping, because `MPI_BOTTOM` is an address to start from, too.
        Self { buffer: self.buffer.wrapping_offset(bytes as isize), ..*self }
    }

    /// Another number of elements at the same place.
    pub fn of(&self, count: u64) -> Self {
        Self { count, ..*self }
    }

    /// The same elements at another place.
    pub fn at(&self, buffer: *mut c_void) -> Self {
        Self { buffer: buffer.cast(), ..*self }
    }

    pub fn buffer(&self) -> *mut c_void {
        self.buffer.cast()
    }

    /// Whether elements lie one behind the other without holes.
    pub fn is_flat(&self) -> bool {
        self.datatype().flags & DATATYPE_CONTIGUOUS != 0
    }

    /// The data's first byte, if it is flat.
    pub fn flat(&self) -> Option<*mut u8> {
        let begin = self.buffer.wrapping_offset(self.datatype().true_lb as isize);
        self.is_flat().then_some(begin)
    }

    fn cursor(&self, position: u64) -> Cursor {
        Cursor {
            datatype: self.datatype,
            buffer: self.buffer.cast(),
            count: self.count,
            position,
            state: [0; 4],
        }
    }

    /// Copies bytes of the data, from byte number `from` on, to `to`.
    ///
    /// # Safety
    /// The data may be read and has so many bytes, and `to` has room for them.
    #[inline]
    pub unsafe fn read(&self, from: u64, to: *mut u8, len: u64) {
        if len == 0 {
            return;
        }
        // SAFETY: promised by the caller.
        unsafe {
            match self.flat() {
                Some(begin) => copy(begin.wrapping_add(from as usize), to, len as usize),
                None => drop(walk::pack(&mut self.cursor(from), to, len as usize)),
            }
        }
    }

    /// Copies bytes to where the data's bytes from number `to` on lie. Returns false when not all of them find
    /// room.
    ///
    /// # Safety
    /// The data may be written, and `from` has so many bytes.
    #[inline]
    #[must_use]
    pub unsafe fn write(&self, to: u64, from: *const u8, len: u64) -> bool {
        let room = self.bytes().saturating_sub(to).min(len);
        if room > 0 {
            // SAFETY: promised by the caller.
            unsafe {
                match self.flat() {
                    Some(begin) => copy(from, begin.wrapping_add(to as usize), room as usize),
                    None => drop(walk::unpack(&mut self.cursor(to), from, room as usize)),
                }
            }
        }
        room == len
    }

    /// Copies elements to where others lie: the data of both in order. Returns false when there is more data
    /// than room.
    ///
    /// # Safety
    /// The memory of both may be used, and they do not overlap.
    #[must_use]
    pub unsafe fn copy_to(&self, to: &Self) -> bool {
        let len = self.bytes();
        // SAFETY: promised by the caller; a piece has room for what is moved at a time.
        unsafe {
            if let Some(begin) = self.flat() {
                return to.write(0, begin, len);
            }
            let room = to.bytes().min(len);
            if let Some(begin) = to.flat() {
                self.read(0, begin, room);
                return room == len;
            }
            let mut piece = [MaybeUninit::<u8>::uninit(); PIECE];
            let piece = piece.as_mut_ptr().cast();
            let (mut source, mut target) = (self.cursor(0), to.cursor(0));
            let mut done = 0;
            while done < room {
                let now = (room - done).min(PIECE as u64);
                walk::pack(&mut source, piece, now as usize);
                walk::unpack(&mut target, piece, now as usize);
                done += now;
            }
            room == len
        }
    }

    /// As many elements of the same type in memory of its own, with their alignment.
    pub fn temporary(&self) -> Temporary {
        let datatype = self.datatype();
        let (mut low, mut span) = (0, 0);
        if self.count > 0 {
            let reach = (self.count as i64 - 1) * datatype.extent;
            low = datatype.true_lb + reach.min(0);
            span = reach.unsigned_abs() + datatype.true_extent.unsigned_abs();
        }
        // The user's addresses are multiples of what the elements need; so are these.
        let shift = low.rem_euclid(size_of::<Word>() as i64);
        let words = (span as usize + shift as usize).div_ceil(size_of::<Word>());
        let mut memory: Vec<MaybeUninit<Word>> = Vec::with_capacity(words);
        let begin = memory.as_mut_ptr().cast::<c_void>();
        let data = self.at(begin.wrapping_byte_offset((shift - low) as isize));
        Temporary { data, _memory: memory }
    }
}

/// Bytes of data that go from one layout to another at a time; they stay in the first-level cache.
const PIECE: usize = 4096;

/// Copies bytes. Few go in words: that takes less time than a call.
///
/// # Safety
/// Both have `len` bytes and do not overlap.
#[inline]
unsafe fn copy(from: *const u8, to: *mut u8, len: usize) {
    // SAFETY: promised by the caller.
    unsafe {
        match len {
            4 => to.cast::<u32>().write_unaligned(from.cast::<u32>().read_unaligned()),
            8 => to.cast::<u64>().write_unaligned(from.cast::<u64>().read_unaligned()),
            _ => cairn_framework::author::copy(from, to, len),
        }
    }
}

/// What temporary memory consists of: aligned to what every predefined type needs.
#[repr(align(64))]
struct Word(#[allow(dead_code)] [u8; 64]);

/// Elements in memory of their own.
pub struct Temporary {
    pub data: Data,
    _memory: Vec<MaybeUninit<Word>>,
}

/// The entry of an array of counts or displacements.
///
/// # Safety
/// The array has it.
pub unsafe fn entry(counts: &CollCounts, block: u32) -> i64 {
    // SAFETY: promised by the caller.
    unsafe {
        if counts.width == 8 {
            *counts.data.cast::<i64>().add(block as usize)
        } else {
            i64::from(*counts.data.cast::<i32>().add(block as usize))
        }
    }
}

/// One side of an operation with a block for each rank.
#[derive(Clone, Copy)]
pub struct Blocks<'a> {
    pub side: &'a CollSide,
    /// Whether it has counts, and displacements in elements; otherwise blocks are alike, one behind the
    /// other.
    pub counted: bool,
}

impl Blocks<'_> {
    /// The block of a rank.
    ///
    /// # Safety
    /// The side is that of an operation as its function has it, and there is such a rank.
    pub unsafe fn block(&self, rank: u32) -> Data {
        // SAFETY: promised by the caller.
        unsafe {
            let whole = Data::whole(self.side);
            if !self.counted {
                return whole.part(u64::from(rank) * whole.count, whole.count);
            }
            let displacement = entry(&self.side.displacements, rank) * whole.datatype().extent;
            whole.moved(displacement).of(entry(&self.side.counts, rank) as u64)
        }
    }
}
