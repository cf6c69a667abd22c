//! The user's data of one operation: where the bytes of a message lie.

use core::ffi::c_void;

use cairn_framework::abi::datatype::{Cursor, DATATYPE_CONTIGUOUS, Datatype};
use cairn_framework::abi::receive::Received;
use cairn_framework::author::walk;

use crate::objects::message::{Incoming, Rest, more};

/// A user's buffer, as a row of bytes that may have holes between them.
#[derive(Clone, Copy)]
pub struct Data {
    /// The first byte of data, if it is contiguous, else what the user gave.
    pub first: *mut u8,
    /// The type, whose functions walk data with holes.
    pub datatype: *const Datatype,
    /// Elements.
    pub count: u64,
    /// Bytes of data.
    pub bytes: u64,
    /// Without holes.
    pub contiguous: bool,
}

impl Data {
    /// # Safety
    /// The type is valid as long as the value is used, and so is the buffer for `count` elements.
    #[inline]
    pub unsafe fn new(buffer: *const c_void, count: u64, datatype: *const Datatype) -> Self {
        // SAFETY: promised by the caller.
        let view = unsafe { &*datatype };
        let contiguous = view.flags & DATATYPE_CONTIGUOUS != 0;
        let first = buffer.cast_mut().cast::<u8>();
        Self {
            first: if contiguous { first.wrapping_offset(view.true_lb as isize) } else { first },
            datatype,
            count,
            bytes: count.saturating_mul(view.size),
            contiguous,
        }
    }

    /// The beginning of a walk at `offset` bytes of data.
    #[inline]
    pub fn cursor(&self, offset: u64) -> Cursor {
        Cursor {
            datatype: self.datatype,
            buffer: self.first.cast(),
            count: self.count,
            position: offset,
            state: [0; 4],
        }
    }

    /// The address of a byte of contiguous data.
    #[inline]
    pub fn at(&self, offset: u64) -> *mut u8 {
        self.first.wrapping_add(offset as usize)
    }

    /// Moves `len` bytes into the user's buffer, to the place `offset` of its data. `walk` is where
    /// an earlier call ended, for data with holes; it is used if it fits, and moved on.
    ///
    /// # Safety
    /// `offset + len` is at most `bytes`; `from` has `len` bytes.
    #[inline]
    pub unsafe fn write(
        &self,
        offset: u64,
        from: *const u8,
        len: usize,
        walk: &mut Option<Cursor>,
    ) {
        // SAFETY: promised by the caller.
        unsafe {
            if self.contiguous {
                copy(from, self.at(offset), len);
            } else {
                self.write_noncontiguous(offset, from, len, walk);
            }
        }
    }

    /// The same for what may not be there yet: the bytes of `message` from number `from` on. False if they will not
    /// all come; then some of the buffer may be written.
    ///
    /// # Safety
    /// `offset + len` is at most `bytes`; the message has so many behind `from`.
    #[inline(always)]
    pub unsafe fn take(
        &self,
        offset: u64,
        message: &Incoming<'_>,
        from: usize,
        len: usize,
        walk: &mut Option<Cursor>,
    ) -> bool {
        // SAFETY: promised by the caller.
        unsafe {
            match message.rest {
                Rest::Coming(received) if self.contiguous => {
                    return self.follow(offset, received, from, len);
                }
                Rest::Coming(_) | Rest::Lost if !message.rest.has_come() => return false,
                _ => self.write(offset, message.data.add(from), len, walk),
            }
        }
        true
    }

    /// As [`Data::take`], behind the sender, for contiguous data.
    ///
    /// # Safety
    /// As for `take`.
    #[inline(never)]
    unsafe fn follow(&self, offset: u64, received: &Received, from: usize, len: usize) -> bool {
        let data = received.data.cast::<u8>();
        let mut done = 0;
        while done < len {
            let there = more(received, from + done);
            let new = there.saturating_sub(from).min(len).saturating_sub(done);
            if new == 0 {
                return false;
            }
            // SAFETY: promised by the caller, and so many bytes are there.
            unsafe { copy(data.add(from + done), self.at(offset).add(done), new) };
            done += new;
        }
        true
    }

    /// # Safety
    /// As for `write`.
    #[inline(never)]
    unsafe fn write_noncontiguous(
        &self,
        offset: u64,
        from: *const u8,
        len: usize,
        place: &mut Option<Cursor>,
    ) {
        let mut cursor =
            place.take().filter(|place| place.position == offset).unwrap_or(self.cursor(offset));
        // SAFETY: promised by the caller; a type with holes has the function.
        let unpacked = unsafe { walk::unpack(&mut cursor, from, len) };
        assert_eq!(unpacked, len, "a datatype does not unpack what it has room for");
        *place = Some(cursor);
    }
}

/// Copies bytes that do not overlap.
///
/// # Safety
/// Both have `len` bytes.
#[inline]
unsafe fn copy(from: *const u8, to: *mut u8, len: usize) {
    // SAFETY: promised by the caller. Small sizes need no call: two words that may overlap cover
    // every length up to twice theirs.
    unsafe {
        match len {
            8..=16 => {
                let last = len - 8;
                let head = from.cast::<u64>().read_unaligned();
                let tail = from.add(last).cast::<u64>().read_unaligned();
                to.cast::<u64>().write_unaligned(head);
                to.add(last).cast::<u64>().write_unaligned(tail);
            }
            4 => to.cast::<u32>().write_unaligned(from.cast::<u32>().read_unaligned()),
            0 => {}
            _ => cairn_framework::author::copy(from, to, len),
        }
    }
}

/// Packs `len` bytes.
///
/// # Safety
/// The cursor's data has `len` more bytes; `to` has room for them.
pub unsafe fn pack(cursor: &mut Cursor, to: *mut u8, len: usize) {
    // SAFETY: promised by the caller; a type with holes has the function.
    let packed = unsafe { walk::pack(cursor, to, len) };
    assert_eq!(packed, len, "a datatype does not pack what it has");
}
