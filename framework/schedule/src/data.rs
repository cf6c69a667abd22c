//! Elements of a datatype in memory, and how to copy them.

use core::ffi::c_void;

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

    /// Bytes of data, without holes.
    pub fn bytes(&self) -> u64 {
        self.count * self.datatype().size
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
        let datatype = self.datatype();
        (datatype.flags & DATATYPE_CONTIGUOUS != 0).then(|| {
            let buffer = self.buffer.wrapping_offset(datatype.true_lb as isize);
            Self::packed(buffer, self.bytes())
        })
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

    fn cursor(&self) -> Cursor {
        Cursor {
            datatype: self.datatype,
            buffer: self.buffer.cast(),
            count: self.count,
            position: 0,
            state: [0; 4],
        }
    }
}

/// Bytes of data that go from one layout to another at a time; they stay in the first-level cache.
const PIECE: usize = 4096;

/// Copies elements to where others lie: the data of both in order. Returns false when there is more
/// data than room.
///
/// # Safety
/// The memory of both may be used, and they do not overlap.
pub unsafe fn copy(from: Data, to: Data) -> bool {
    let (bytes, fits) = (from.bytes().min(to.bytes()), from.bytes() <= to.bytes());
    // SAFETY: promised by the caller; the functions of a datatype move at most what they are told
    // to, and `piece` has room for it.
    unsafe {
        match (from.flat(), to.flat()) {
            (Some(from), Some(to)) if bytes > 0 => {
                core::ptr::copy_nonoverlapping(from.buffer, to.buffer, bytes as usize);
            }
            (Some(from), None) => {
                let len = bytes as usize;
                return walk::unpack(&mut to.cursor(), from.buffer, len) == len && fits;
            }
            (None, Some(to)) => {
                let len = bytes as usize;
                return walk::pack(&mut from.cursor(), to.buffer, len) == len && fits;
            }
            (None, None) => return copy_pieces(from, to, bytes) && fits,
            _ => {}
        }
    }
    fits
}

/// # Safety
/// As for `copy`.
unsafe fn copy_pieces(from: Data, to: Data, bytes: u64) -> bool {
    let mut piece = [core::mem::MaybeUninit::<u8>::uninit(); PIECE];
    let (mut source, mut target) = (from.cursor(), to.cursor());
    let mut done = 0;
    // SAFETY: as in `copy`.
    unsafe {
        while done < bytes {
            let want = (bytes - done).min(PIECE as u64) as usize;
            let packed = walk::pack(&mut source, piece.as_mut_ptr().cast(), want);
            if walk::unpack(&mut target, piece.as_ptr().cast(), packed) < packed || packed < want {
                return false;
            }
            done += packed as u64;
        }
    }
    true
}
