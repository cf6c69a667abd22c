//! Elements of a datatype in memory, and how to copy them.

use core::ffi::c_void;
use core::mem::MaybeUninit;

use cairn_framework::abi::datatype::{Cursor, DATATYPE_CONTIGUOUS, Datatype};
use cairn_framework::author::{BYTES, walk};

/// Elements in memory. A plain address: its user vouches for the memory.
#[derive(Debug, Clone, Copy)]
pub struct Data {
    /// Where the first element begins, without its lower bound.
    pub buffer: *mut u8,
    /// Elements.
    pub count: u64,
    datatype: *const Datatype,
}

impl Data {
    /// Elements of a type.
    ///
    /// # Safety
    /// The datatype is valid as long as this is used.
    pub unsafe fn new(buffer: *mut c_void, count: u64, datatype: *const Datatype) -> Self {
        Self { buffer: buffer.cast(), count, datatype }
    }

    /// Packed data.
    pub fn packed(buffer: *mut u8, len: u64) -> Self {
        Self { buffer, count: len, datatype: &BYTES }
    }

    /// Their type.
    pub fn datatype(&self) -> &Datatype {
        // SAFETY: promised to `new`.
        unsafe { &*self.datatype }
    }

    /// Bytes of data, without holes. More than there are numbers, as elements without extent may have, are as many as
    /// there are, and not a few.
    pub fn bytes(&self) -> u64 {
        self.count.saturating_mul(self.datatype().size)
    }

    /// `count` elements from element number `first` on.
    pub fn part(&self, first: u64, count: u64) -> Self {
        self.moved(first as i64 * self.datatype().extent).of(count)
    }

    /// As many elements, so many bytes further on.
    pub fn moved(&self, bytes: i64) -> Self {
        // Wrapping, because `MPI_BOTTOM` is an address to start from, too.
        Self { buffer: self.buffer.wrapping_offset(bytes as isize), ..*self }
    }

    /// Another number of elements at the same place.
    pub fn of(&self, count: u64) -> Self {
        Self { count, ..*self }
    }

    /// The same elements at another place.
    pub fn at(&self, buffer: *mut u8) -> Self {
        Self { buffer, ..*self }
    }

    /// The same memory as packed data, if it is that.
    pub fn flat(&self) -> Option<Self> {
        let begin = self.buffer.wrapping_offset(self.datatype().true_lb as isize);
        self.is_flat().then(|| Self::packed(begin, self.bytes()))
    }

    /// From the buffer's address to the lowest byte that belongs to an element, and how many bytes
    /// there are from that byte to the last one.
    pub fn bounds(&self) -> (i64, u64) {
        let datatype = self.datatype();
        if self.count == 0 {
            return (0, 0);
        }
        let reach = (self.count as i64 - 1) * datatype.extent;
        let low = datatype.true_lb + reach.min(0);
        (low, reach.unsigned_abs() + datatype.true_extent.unsigned_abs())
    }

    /// Whether elements lie one behind the other without holes.
    pub fn is_flat(&self) -> bool {
        self.datatype().flags & DATATYPE_CONTIGUOUS != 0
    }

    /// Bytes of memory, aligned to what every predefined type needs, that have room for as many elements of the type, and where their
    /// buffer is there.
    pub fn room(&self) -> (u64, isize) {
        let (low, span) = self.bounds();
        // The user's addresses are multiples of what the elements need; so are these.
        let shift = low.rem_euclid(align_of::<Word>() as i64);
        (span + shift as u64, (shift - low) as isize)
    }

    /// As many elements of the same type in memory of its own.
    pub fn temporary(&self) -> Temporary {
        let (bytes, offset) = self.room();
        let words = usize::try_from(bytes).unwrap_or(usize::MAX).div_ceil(size_of::<Word>());
        let mut memory: Vec<MaybeUninit<Word>> = Vec::with_capacity(words);
        let data = self.at(memory.as_mut_ptr().cast::<u8>().wrapping_offset(offset));
        Temporary { data, _memory: memory }
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
                Some(flat) => copy(flat.buffer.wrapping_add(from as usize), to, len as usize),
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
                    Some(flat) => copy(from, flat.buffer.wrapping_add(to as usize), room as usize),
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
            if let Some(flat) = self.flat() {
                return to.write(0, flat.buffer, len);
            }
            let room = to.bytes().min(len);
            if let Some(flat) = to.flat() {
                self.read(0, flat.buffer, room);
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
pub struct Word(#[allow(dead_code)] [u8; 64]);

/// Elements in memory of their own.
pub struct Temporary {
    /// The elements.
    pub data: Data,
    _memory: Vec<MaybeUninit<Word>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_bytes_than_there_are_numbers_are_not_few() {
        static EIGHT: Datatype = Datatype { size: 8, ..BYTES };
        let data = |count| {
            // SAFETY: the type is static.
            unsafe { Data::new(core::ptr::null_mut(), count, &EIGHT) }.bytes()
        };
        assert_eq!((data(3), data(1 << 61), data(u64::MAX)), (24, u64::MAX, u64::MAX));
    }
}
