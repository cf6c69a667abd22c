//! Accumulates and their like on a target's memory that this process can load and store.
//!
//! ```text
//!   target's datatype ─► pieces of memory ─► runs of whole elements ─► block by block: lock, apply, unlock
//!                                       └──► an element in several pieces: lock, gather, apply, scatter
//! ```

use core::ffi::c_void;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use cairn_framework::abi::datatype::{
    Cursor, DATATYPE_CONTIGUOUS, Datatype, OP_NOTHING, OP_REPLACE, Op, Segment,
};
use cairn_framework::abi::status::ERR_ARGUMENT;
use cairn_framework::author::{Failure, walk};

use crate::copy::{CHUNK, Side, copy_bytes};
use crate::locks::{AccumulateLocks, BLOCK, Taker};

/// Where an operation takes place.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// Where the target's memory begins, as this process sees it. Null for addresses.
    pub base: *mut u8,
    /// Where element 0 is, in bytes from there.
    pub offset: i64,
    /// Elements.
    pub count: u64,
    /// Their type.
    pub datatype: &'a Datatype,
}

impl<'a> Target<'a> {
    /// The target as a side of `copy`.
    #[inline]
    pub fn side(&self) -> Side<'a> {
        let buffer = self.base.wrapping_offset(self.offset as isize);
        Side { buffer, count: self.count, datatype: self.datatype }
    }
}

/// What is done with the elements.
#[derive(Clone, Copy)]
pub struct Update<'a> {
    /// The operation, a predefined one.
    pub op: &'a Op,
    /// The predefined type of the elements.
    pub element: &'a Datatype,
    /// The locks of the target's memory.
    pub locks: &'a AccumulateLocks,
    /// The process that takes them.
    pub taker: Taker<'a>,
}

/// Data without gaps: of elements one behind the other what `size` counts.
#[derive(Debug, Clone, Copy)]
pub struct Packed {
    /// The operands; null with `MPI_NO_OP`.
    pub operand: *const u8,
    /// Where what was there before goes; null if it is not wanted.
    pub old: *mut u8,
    /// Bytes of each; a multiple of the element's size.
    pub len: usize,
}

/// Where some of it are.
#[derive(Clone, Copy)]
struct Place {
    operand: *const u8,
    old: *mut u8,
}

impl Place {
    fn after(self, len: usize) -> Self {
        let old = if self.old.is_null() { self.old } else { self.old.wrapping_add(len) };
        Self { operand: self.operand.wrapping_add(len), old }
    }
}

/// No predefined type has more bytes.
const MAX_ELEMENT: usize = 64;
/// Pieces of memory that a walk gives at a time.
const PIECES: usize = 32;
/// Bytes that are aligned by copying at a time.
const ALIGNED: usize = 512;

#[repr(C, align(64))]
struct Aligned<const BYTES: usize>([core::mem::MaybeUninit<u8>; BYTES]);

impl<const BYTES: usize> Aligned<BYTES> {
    const fn new() -> Self {
        Self([const { core::mem::MaybeUninit::uninit() }; BYTES])
    }

    fn bytes(&mut self) -> *mut u8 {
        self.0.as_mut_ptr().cast()
    }
}

/// Each element of the target's data from byte `start` on becomes `operand op element`. It is atomic
/// with respect to others that take the same locks.
///
/// # Errors
/// The taker's, and `CAIRN_ERR_ARGUMENT` for what is no whole number of elements, is more than the target
/// has, or can't be computed. Elements before have been changed then.
///
/// # Safety
/// The target's data is there and made of elements; `packed` has the bytes that it says. Neither overlaps the
/// other. The op is defined on the element's type.
pub unsafe fn accumulate(
    target: &Target<'_>,
    start: u64,
    packed: Packed,
    update: &Update<'_>,
) -> Result<(), Failure> {
    let size = update.element.size as usize;
    let whole = size > 0 && packed.len.is_multiple_of(size) && start.is_multiple_of(size as u64);
    let end = start.checked_add(packed.len as u64);
    let side = target.side();
    if !whole || size > MAX_ELEMENT || end.is_none_or(|end| end > side.len() as u64) {
        return Err(wrong("it is not made of the target's elements"));
    }
    let flags = update.op.flags;
    let operands = flags & OP_NOTHING != 0 || !packed.operand.is_null() || packed.len == 0;
    if !operands || (flags & (OP_NOTHING | OP_REPLACE) == 0 && update.op.apply.is_none()) {
        return Err(wrong("it has no operands or no operation"));
    }
    let work = Work { base: target.base, update, size };
    let place = Place { operand: packed.operand, old: packed.old };
    match side.contiguous() {
        // SAFETY: promised by the caller.
        Some(first) if work.is_dense() => unsafe {
            work.run(first.as_ptr().wrapping_add(start as usize), packed.len, place)
        },
        // SAFETY: as above.
        _ => unsafe { work.walk(side.cursor(start), packed.len, place) },
    }
}

/// Whether an element is one that the processor changes at once.
pub(crate) fn is_atomic(address: *const u8, size: usize) -> bool {
    matches!(size, 4 | 8) && address.addr().is_multiple_of(size)
}

/// An integer of the processor. Its bytes are the first of a `u64` in memory.
trait Word {
    /// # Safety
    /// There is one, aligned, and all that access it at the same time do so atomically.
    unsafe fn at<'a>(address: *mut u8) -> &'a Self;
    fn read(&self) -> u64;
    fn write(&self, after: u64);
    fn replace(&self, before: u64, after: u64) -> Result<(), u64>;
}

macro_rules! words {
    ($($atomic:ty: $integer:ty),*) => {$(
        impl Word for $atomic {
            unsafe fn at<'a>(address: *mut u8) -> &'a Self {
                // SAFETY: promised by the caller.
                unsafe { <$atomic>::from_ptr(address.cast()) }
            }

            fn read(&self) -> u64 {
                widened(self.load(Ordering::Acquire).to_ne_bytes())
            }

            fn write(&self, after: u64) {
                self.store(<$integer>::from_ne_bytes(narrowed(after)), Ordering::Release);
            }

            fn replace(&self, before: u64, after: u64) -> Result<(), u64> {
                let narrow = |wide| <$integer>::from_ne_bytes(narrowed(wide));
                // Acquire and Release: what was written before an accumulate is seen by those that see it.
                let (before, after) = (narrow(before), narrow(after));
                let done =
                    self.compare_exchange(before, after, Ordering::AcqRel, Ordering::Acquire);
                done.map(drop).map_err(|found| widened(found.to_ne_bytes()))
            }
        }
    )*};
}

words!(AtomicU32: u32, AtomicU64: u64);

fn widened<const LEN: usize>(bytes: [u8; LEN]) -> u64 {
    let mut all = [0; 8];
    all[..LEN].copy_from_slice(&bytes);
    u64::from_ne_bytes(all)
}

fn narrowed<const LEN: usize>(wide: u64) -> [u8; LEN] {
    let bytes = wide.to_ne_bytes();
    *bytes.first_chunk().expect("it is no longer")
}

#[cold]
fn wrong(why: &str) -> Failure {
    Failure::new(ERR_ARGUMENT, why)
}

struct Work<'a> {
    base: *mut u8,
    update: &'a Update<'a>,
    size: usize,
}

impl Work<'_> {
    /// Elements have no gaps, within or between them.
    fn is_dense(&self) -> bool {
        let element = self.update.element;
        element.flags & DATATYPE_CONTIGUOUS != 0 && element.extent == element.size as i64
    }

    /// Bytes from the beginning of the target's memory.
    fn offset(&self, address: *const u8) -> usize {
        address.addr().wrapping_sub(self.base.addr())
    }

    /// # Safety
    /// As for `accumulate`.
    unsafe fn walk(&self, mut cursor: Cursor, len: usize, place: Place) -> Result<(), Failure> {
        let mut pieces = [Segment { address: null_mut(), len: 0 }; PIECES];
        let mut gathered = Gathered { parts: [(null_mut(), 0); MAX_ELEMENT], count: 0, len: 0 };
        let (mut done, mut left, dense) = (0, len, self.is_dense());
        while left > 0 {
            let mut found = left;
            // SAFETY: the caller vouches for the type; there are so many pieces.
            let count = unsafe {
                let segments = (*cursor.datatype).segments.ok_or_else(|| wrong("no segments"))?;
                segments(&raw mut cursor, pieces.as_mut_ptr(), PIECES, &raw mut found)
            };
            if found == 0 {
                return Err(wrong("the target's data ends early"));
            }
            left = left.saturating_sub(found);
            for piece in &pieces[..count] {
                let (mut address, mut rest) = (piece.address.cast::<u8>(), piece.len);
                while rest > 0 {
                    let whole = rest - rest % self.size;
                    let now = if dense && gathered.len == 0 && whole > 0 {
                        // SAFETY: promised by the caller.
                        unsafe { self.run(address, whole, place.after(done))? };
                        done += whole;
                        whole
                    } else {
                        let now = rest.min(self.size - gathered.len);
                        gathered.push(address, now);
                        if gathered.len == self.size {
                            // SAFETY: as above.
                            unsafe { self.one(&gathered, place.after(done))? };
                            (gathered.count, gathered.len) = (0, 0);
                            done += self.size;
                        }
                        now
                    };
                    (address, rest) = (address.wrapping_add(now), rest - now);
                }
            }
        }
        Ok(())
    }

    /// Dense elements one behind the other.
    ///
    /// # Safety
    /// As for `accumulate`.
    #[inline]
    unsafe fn run(&self, first: *mut u8, len: usize, place: Place) -> Result<(), Failure> {
        let Update { locks, taker, .. } = self.update;
        if taker.atomics && is_atomic(first, self.size) {
            // SAFETY: promised by the caller.
            unsafe { self.run_atomically(first, len, place) };
            return Ok(());
        }
        let mut done = 0;
        while done < len {
            let address = first.wrapping_add(done);
            let offset = self.offset(address);
            // Elements whose first byte is in this block.
            let now = match len - done {
                rest if rest == self.size => rest,
                rest => {
                    (BLOCK - offset % BLOCK).div_ceil(self.size).saturating_mul(self.size).min(rest)
                }
            };
            let _held = locks.hold(offset, taker)?;
            // SAFETY: promised by the caller.
            unsafe { self.change(address, now, place.after(done)) };
            done += now;
        }
        Ok(())
    }

    /// Dense elements that the processor's atomics can change.
    ///
    /// # Safety
    /// As for `accumulate`; they are aligned to their size, which is 4 or 8.
    unsafe fn run_atomically(&self, first: *mut u8, len: usize, place: Place) {
        for done in (0..len).step_by(self.size) {
            let Place { operand, old } = place.after(done);
            let address = first.wrapping_add(done);
            // SAFETY: promised by the caller.
            let before = unsafe {
                match self.size {
                    8 => self.change_atomically::<AtomicU64>(address, operand),
                    _ => self.change_atomically::<AtomicU32>(address, operand),
                }
            };
            if !old.is_null() {
                // SAFETY: as above; there is room for an element.
                unsafe { copy_bytes(before.to_ne_bytes().as_ptr(), old, self.size) };
            }
        }
    }

    /// Changes an element, and returns what it was before, in the bytes that come first in memory.
    ///
    /// # Safety
    /// As for `run_atomically`.
    unsafe fn change_atomically<A: Word>(&self, address: *mut u8, operand: *const u8) -> u64 {
        let op = self.update.op;
        // SAFETY: promised by the caller.
        let word = unsafe { A::at(address) };
        let mut before = word.read();
        if op.flags & OP_NOTHING != 0 {
            return before;
        }
        let (mut left, mut right) = (Aligned::<8>::new(), Aligned::<8>::new());
        let (left, right) = (left.bytes(), right.bytes());
        // SAFETY: both have room for an element, and the operand is there.
        unsafe { copy_bytes(operand, left, self.size) };
        loop {
            // SAFETY: as above.
            let after = unsafe {
                if op.flags & OP_REPLACE != 0 {
                    copy_bytes(left, right, self.size);
                } else {
                    copy_bytes(before.to_ne_bytes().as_ptr(), right, self.size);
                    self.apply(left, right, self.size);
                }
                let mut bytes = [0; 8];
                copy_bytes(right, bytes.as_mut_ptr(), self.size);
                u64::from_ne_bytes(bytes)
            };
            match word.replace(before, after) {
                Ok(()) => return before,
                Err(found) => before = found,
            }
        }
    }

    /// With the lock.
    ///
    /// # Safety
    /// As for `accumulate`.
    #[inline]
    unsafe fn change(&self, address: *mut u8, len: usize, place: Place) {
        let op = self.update.op;
        // SAFETY: promised by the caller.
        unsafe {
            if !place.old.is_null() {
                copy_bytes(address, place.old, len);
            }
            if op.flags & OP_NOTHING != 0 {
            } else if op.flags & OP_REPLACE != 0 {
                copy_bytes(place.operand, address, len);
            } else {
                let alignment = 1 << self.size.trailing_zeros().min(4);
                if (address.addr() | place.operand.addr()).is_multiple_of(alignment) {
                    self.apply(place.operand, address, len);
                } else {
                    self.apply_unaligned(place.operand, address, len);
                }
            }
        }
    }

    /// # Safety
    /// As for `accumulate`; both are aligned, and elements are dense.
    #[inline]
    unsafe fn apply(&self, operand: *const u8, inout: *mut u8, len: usize) {
        let Update { op, element, .. } = self.update;
        let (operand, inout) = (operand.cast::<c_void>(), inout.cast::<c_void>());
        // SAFETY: promised by the caller; `accumulate` has looked whether there is a function.
        unsafe {
            let apply = op.apply.unwrap_unchecked();
            apply(*op, operand, inout, (len / self.size) as u64, *element);
        }
    }

    /// # Safety
    /// As for `accumulate`; elements are dense.
    #[cold]
    unsafe fn apply_unaligned(&self, operand: *const u8, inout: *mut u8, len: usize) {
        let (mut left, mut right) = (Aligned::<ALIGNED>::new(), Aligned::<ALIGNED>::new());
        let (left, right) = (left.bytes(), right.bytes());
        let most = ALIGNED - ALIGNED % self.size;
        let mut done = 0;
        while done < len {
            let now = most.min(len - done);
            // SAFETY: promised by the caller; the buffers have so many bytes.
            unsafe {
                copy_bytes(operand.add(done), left, now);
                copy_bytes(inout.add(done), right, now);
                self.apply(left, right, now);
                copy_bytes(right, inout.add(done), now);
            }
            done += now;
        }
    }

    /// An element that lies in pieces or has gaps.
    ///
    /// # Safety
    /// As for `accumulate`.
    unsafe fn one(&self, gathered: &Gathered, place: Place) -> Result<(), Failure> {
        let Update { op, element, locks, taker } = self.update;
        let mut packed = [0_u8; MAX_ELEMENT];
        let packed = packed.as_mut_ptr();
        let _held = locks.hold(self.offset(gathered.parts[0].0), taker)?;
        // SAFETY: promised by the caller; an element of a predefined type with its gaps has room.
        unsafe {
            gathered.each(|address, at, len| copy_bytes(address, packed.add(at), len));
            if !place.old.is_null() {
                copy_bytes(packed, place.old, self.size);
            }
            if op.flags & OP_NOTHING != 0 {
                return Ok(());
            }
            if op.flags & OP_REPLACE != 0 {
                gathered.each(|address, at, len| copy_bytes(place.operand.add(at), address, len));
                return Ok(());
            }
            let mut left = Aligned::<MAX_ELEMENT>::new();
            let mut right = Aligned::<MAX_ELEMENT>::new();
            let (left, right) = (left.bytes(), right.bytes());
            if element.extent > MAX_ELEMENT as i64 || element.true_lb < 0 {
                return Err(wrong("no predefined type"));
            }
            let cursor = |buffer| Side { buffer, count: 1, datatype: element }.cursor(0);
            walk::unpack(&mut cursor(left), place.operand, self.size);
            walk::unpack(&mut cursor(right), packed, self.size);
            let apply = op.apply.unwrap_unchecked();
            apply(*op, left.cast(), right.cast(), 1, *element);
            walk::pack(&mut cursor(right), packed, self.size);
            gathered.each(|address, at, len| copy_bytes(packed.add(at), address, len));
        }
        Ok(())
    }
}

/// The pieces of one element.
struct Gathered {
    parts: [(*mut u8, usize); MAX_ELEMENT],
    count: usize,
    len: usize,
}

impl Gathered {
    fn push(&mut self, address: *mut u8, len: usize) {
        self.parts[self.count] = (address, len);
        self.count += 1;
        self.len += len;
    }

    /// Address, place in the element, and length of each.
    fn each(&self, mut work: impl FnMut(*mut u8, usize, usize)) {
        let mut at = 0;
        for &(address, len) in &self.parts[..self.count] {
            work(address, at, len);
            at += len;
        }
    }
}

/// `accumulate` with origin and result as the program has them: get_accumulate if there is a result.
///
/// # Errors
/// As for `accumulate`.
///
/// # Safety
/// As for `accumulate`; the data of the sides is there, and its types have their functions.
pub unsafe fn accumulate_sides(
    origin: Option<Side<'_>>,
    result: Option<Side<'_>>,
    target: &Target<'_>,
    update: &Update<'_>,
) -> Result<(), Failure> {
    let len = target.side().len();
    let first = |side: Option<Side<'_>>| match side {
        Some(side) if side.len() < len => Err(wrong("it has fewer elements than the target")),
        Some(side) => Ok(side.contiguous().map(|first| first.as_ptr())),
        None => Ok(Some(null_mut())),
    };
    let origin = origin.filter(|_| update.op.flags & OP_NOTHING == 0);
    let (operands, olds) = (first(origin)?, first(result)?);
    if let (Some(operand), Some(old)) = (operands, olds) {
        // SAFETY: promised by the caller.
        return unsafe { accumulate(target, 0, Packed { operand, old, len }, update) };
    }
    let size = update.element.size.max(1) as usize;
    let most = CHUNK - CHUNK % size;
    let (mut left, mut right) = (Aligned::<CHUNK>::new(), Aligned::<CHUNK>::new());
    let mut from = origin.map(|side| side.cursor(0));
    let mut to = result.map(|side| side.cursor(0));
    let mut done = 0;
    while done < len {
        let now = most.min(len - done);
        let at = |first: Option<*mut u8>, buffer: &mut Aligned<CHUNK>| match first {
            Some(first) if first.is_null() => first,
            Some(first) => first.wrapping_add(done),
            None => buffer.bytes(),
        };
        let (operand, old) = (at(operands, &mut left), at(olds, &mut right));
        // SAFETY: promised by the caller; the buffers have so many bytes.
        unsafe {
            if let (None, Some(from)) = (operands, &mut from) {
                walk::pack(from, operand, now);
            }
            accumulate(target, done as u64, Packed { operand, old, len: now }, update)?;
            if let (None, Some(to)) = (olds, &mut to) {
                walk::unpack(to, old, now);
            }
        }
        done += now;
    }
    Ok(())
}

/// The `width` bytes at an offset in the target's memory become `new` if they are the same as those of
/// `compare`; `result` becomes what they were. `taker` as for [`Update`].
///
/// # Errors
/// The taker's, and `CAIRN_ERR_ARGUMENT` for a width that no type has.
///
/// # Safety
/// All four have so many bytes, and `result` overlaps no other.
#[expect(clippy::too_many_arguments)] // as MPI has it
pub unsafe fn compare_and_swap(
    base: *mut u8,
    offset: i64,
    width: usize,
    new: *const u8,
    compare: *const u8,
    result: *mut u8,
    locks: &AccumulateLocks,
    taker: &Taker<'_>,
) -> Result<(), Failure> {
    if width > MAX_ELEMENT {
        return Err(wrong("no type has so many bytes"));
    }
    let address = base.wrapping_offset(offset as isize);
    if is_atomic(address, width) {
        // SAFETY: promised by the caller.
        return unsafe {
            let place = (offset as usize, locks, taker);
            match width {
                8 => swap_word::<AtomicU64>(AtomicU64::at(address), [new, compare], result, place),
                _ => swap_word::<AtomicU32>(AtomicU32::at(address), [new, compare], result, place),
            }
        };
    }
    let mut found = [0_u8; MAX_ELEMENT];
    let _held = locks.hold(offset as usize, taker)?;
    // SAFETY: promised by the caller.
    unsafe {
        copy_bytes(address, found.as_mut_ptr(), width);
        if core::slice::from_raw_parts(compare, width) == &found[..width] {
            copy_bytes(new, address, width);
        }
        copy_bytes(found.as_ptr(), result, width);
    }
    Ok(())
}

/// # Safety
/// As for `compare_and_swap`.
unsafe fn swap_word<W: Word>(
    word: &W,
    [new, compare]: [*const u8; 2],
    result: *mut u8,
    (offset, locks, taker): (usize, &AccumulateLocks, &Taker<'_>),
) -> Result<(), Failure> {
    let width = size_of::<W>();
    let read = |from: *const u8| {
        let mut bytes = [0; 8];
        // SAFETY: promised by the caller.
        unsafe { copy_bytes(from, bytes.as_mut_ptr(), width) };
        u64::from_ne_bytes(bytes)
    };
    let (before, after) = (read(compare), read(new));
    let found = if taker.atomics {
        word.replace(before, after).err().unwrap_or(before)
    } else {
        // All others that change it have the lock.
        let _held = locks.hold(offset, taker)?;
        let found = word.read();
        if found == before {
            word.write(after);
        }
        found
    };
    // SAFETY: as above.
    unsafe { copy_bytes(found.to_ne_bytes().as_ptr(), result, width) };
    Ok(())
}

#[cfg(all(test, not(feature = "loom")))]
pub(crate) mod tests {
    use cairn_framework::author::BYTES;

    use super::*;

    /// Where byte `position` of the data lies, and how many follow it without a gap.
    unsafe fn next(cursor: *mut Cursor, len: usize) -> (*mut u8, usize) {
        // SAFETY: the tests' cursors.
        let cursor = unsafe { &mut *cursor };
        // SAFETY: as above.
        let datatype = unsafe { &*cursor.datatype };
        let (element, at) = (cursor.position / datatype.size, cursor.position % datatype.size);
        let left = cursor.count * datatype.size - cursor.position;
        // With `object` there is a gap of so many bytes behind byte `predefined`.
        let (split, gap) = (u64::from(datatype.predefined), datatype.object.addr() as u64);
        let (end, shift) = if at < split { (split, 0) } else { (datatype.size, gap) };
        let run = (end - at).min(left).min(len as u64);
        cursor.position += run;
        let offset = element as i64 * datatype.extent + (at + shift) as i64;
        (cursor.buffer.cast::<u8>().wrapping_offset(offset as isize), run as usize)
    }

    unsafe extern "C" fn pack(cursor: *mut Cursor, packed: *mut c_void, len: usize) -> usize {
        // SAFETY: the tests' cursors.
        unsafe {
            let (place, len) = next(cursor, len);
            core::ptr::copy_nonoverlapping(place, packed.cast(), len);
            len
        }
    }

    unsafe extern "C" fn unpack(cursor: *mut Cursor, packed: *const c_void, len: usize) -> usize {
        // SAFETY: the tests' cursors.
        unsafe {
            let (place, len) = next(cursor, len);
            core::ptr::copy_nonoverlapping(packed.cast(), place, len);
            len
        }
    }

    unsafe extern "C" fn segments(
        cursor: *mut Cursor,
        segments: *mut Segment,
        capacity: usize,
        len: *mut usize,
    ) -> usize {
        // SAFETY: the tests' cursors.
        unsafe {
            let (mut count, mut done) = (0, 0);
            while count < capacity && done < *len {
                let (place, run) = next(cursor, *len - done);
                if run == 0 {
                    break;
                }
                *segments.add(count) = Segment { address: place.cast(), len: run };
                (count, done) = (count + 1, done + run);
            }
            *len = done;
            count
        }
    }

    /// Elements of `size` bytes, `extent` apart.
    pub fn strided(size: u64, extent: i64) -> Datatype {
        split(size, extent, 0, 0)
    }

    /// The same with a gap of `gap` bytes behind byte `at`.
    fn split(size: u64, extent: i64, at: u32, gap: usize) -> Datatype {
        Datatype {
            flags: 0,
            size,
            extent,
            true_extent: size as i64 + gap as i64,
            predefined: at,
            pack: Some(pack),
            unpack: Some(unpack),
            segments: Some(segments),
            object: core::ptr::without_provenance_mut(gap),
            ..BYTES
        }
    }

    fn dense(size: u64) -> Datatype {
        Datatype { flags: DATATYPE_CONTIGUOUS, ..strided(size, size as i64) }
    }

    /// `inout = 10 in + inout`, of aligned integers.
    unsafe extern "C" fn tens(
        _: *const Op,
        input: *const c_void,
        inout: *mut c_void,
        count: u64,
        datatype: *const Datatype,
    ) {
        // SAFETY: the tests' buffers; `datatype` says whether these are integers or pairs.
        unsafe {
            for at in 0..count as usize {
                match (*datatype).size {
                    1 => add::<u8>(input, inout, at),
                    2 => add::<u16>(input, inout, at),
                    4 => add::<u32>(input, inout, at),
                    8 => add::<u64>(input, inout, at),
                    // (u16, u32)
                    6 => {
                        add::<u16>(input, inout, at * 4);
                        add::<u32>(input, inout, at * 2 + 1);
                    }
                    size => panic!("{size}"),
                }
            }
        }
    }

    unsafe fn add<T>(input: *const c_void, inout: *mut c_void, at: usize)
    where
        T: Copy + core::ops::Add<Output = T> + core::ops::Mul<Output = T> + From<u8>,
    {
        // SAFETY: the tests' buffers.
        unsafe {
            let (input, inout) = (input.cast::<T>().add(at), inout.cast::<T>().add(at));
            assert!(input.is_aligned() && inout.is_aligned());
            *inout = *input * T::from(10) + *inout;
        }
    }

    fn op(flags: u32) -> Op {
        Op {
            struct_size: size_of::<Op>() as u32,
            flags,
            predefined: 0,
            reserved: 0,
            apply: (flags == 0).then_some(tens),
            object: null_mut(),
        }
    }

    struct Case<'a> {
        target: &'a Datatype,
        element: &'a Datatype,
        op: &'a Op,
    }

    impl Case<'_> {
        /// Accumulates operands to the elements behind `skipped` ones, at an offset, and returns what was there. With
        /// atomics of the processor that is the same.
        fn run(
            &self,
            memory: &mut [u8],
            offset: i64,
            count: u64,
            skipped: u64,
            operands: &[u8],
        ) -> Result<Vec<u8>, Failure> {
            // As far from a multiple of eight.
            let mut copy = vec![0_u64; memory.len() / 8 + 2];
            let shift = memory.as_ptr().addr() % 8;
            // SAFETY: so many bytes are there.
            let copy = unsafe {
                let first = copy.as_mut_ptr().cast::<u8>().add(shift);
                core::slice::from_raw_parts_mut(first, memory.len())
            };
            copy.copy_from_slice(memory);
            let old = self.run_with(false, memory, (offset, count), skipped, operands)?;
            let same = self.run_with(true, copy, (offset, count), skipped, operands)?;
            assert!(old == same && copy == memory);
            Ok(old)
        }

        fn run_with(
            &self,
            atomics: bool,
            memory: &mut [u8],
            (offset, count): (i64, u64),
            skipped: u64,
            operands: &[u8],
        ) -> Result<Vec<u8>, Failure> {
            let locks = AccumulateLocks::default();
            let taker = Taker { rank: 0, atomics, check: &|_| panic!("the lock is free") };
            let mut old = vec![0; operands.len()];
            let target = Target { base: memory.as_mut_ptr(), offset, count, datatype: self.target };
            let packed =
                Packed { operand: operands.as_ptr(), old: old.as_mut_ptr(), len: operands.len() };
            let update = Update { op: self.op, element: self.element, locks: &locks, taker };
            // SAFETY: the tests' memory is long enough.
            unsafe { accumulate(&target, skipped * self.element.size, packed, &update)? };
            Ok(old)
        }
    }

    #[test]
    fn elements_change_wherever_they_lie() {
        for size in [1_usize, 2, 4, 8] {
            let element = dense(size as u64);
            for (offset, extent, at, gap) in [
                (0, 0, 0, 0),
                (8, 0, 0, 0),
                (3, 0, 0, 0),
                (16, 5, 0, 0),
                (1, 9, 1, 2),
                (5, 3, 0, 0),
            ] {
                let extent = (size + extent) as i64;
                let target = match (extent as usize == size, at < size as u32) {
                    (true, _) => dense(size as u64),
                    (_, false) => strided(size as u64, extent),
                    (_, true) => split(size as u64, extent, at, gap),
                };
                let count = 3 * BLOCK / size;
                for (flags, start) in [(0, 0), (OP_REPLACE, 1), (OP_NOTHING, 2)] {
                    let op = op(flags);
                    let case = Case { target: &target, element: &element, op: &op };
                    let mut memory: Vec<u8> = (0..offset + count * extent as usize + 8)
                        .map(|at| (at % 11) as u8)
                        .collect();
                    let before = memory.clone();
                    let operands: Vec<u8> =
                        (0..(count - start) * size).map(|at| (at % 7) as u8).collect();
                    let old = case
                        .run(&mut memory, offset as i64, count as u64, start as u64, &operands)
                        .unwrap();
                    // Byte by byte, since no addition carries.
                    let mut expected = before.clone();
                    for (at, operand) in operands.iter().enumerate() {
                        let (number, byte) = (start + at / size, at % size);
                        let shift = if target.object.is_null() || byte < 1 { 0 } else { gap };
                        let place = offset + number * extent as usize + byte + shift;
                        assert_eq!(old[at], before[place], "{size} {offset} {extent}");
                        expected[place] = match flags {
                            0 => 10 * operand + before[place],
                            OP_REPLACE => *operand,
                            _ => before[place],
                        };
                    }
                    assert!(memory == expected, "{size} {offset} {extent} {flags}");
                }
            }
        }
    }

    #[test]
    fn pairs_with_holes_are_pairs() {
        // As MPI_SHORT_INT: 2 bytes, a hole of 2, 4 bytes.
        let pair = split(6, 8, 2, 2);
        let spread = Datatype { extent: 24, ..split(6, 8, 2, 2) };
        for target in [&pair, &spread] {
            let op = op(0);
            let case = Case { target, element: &pair, op: &op };
            let mut memory = vec![1_u8; 1000];
            let operands: Vec<u8> = (0..5 * 6).map(|at| at as u8 % 6).collect();
            let old = case.run(&mut memory, 3, 10, 2, &operands).unwrap();
            assert_eq!(old, [1; 30]);
            let mut expected = vec![1_u8; 1000];
            for number in 2..7 {
                let first = 3 + number * target.extent as usize;
                for (byte, place) in [(0, 0), (1, 1), (2, 4), (3, 5), (4, 6), (5, 7)] {
                    expected[first + place] += 10 * byte;
                }
            }
            assert_eq!(memory, expected);
        }
    }

    #[test]
    fn what_is_not_made_of_elements_is_refused() {
        let (element, op) = (dense(4), op(0));
        let case = Case { target: &element, element: &element, op: &op };
        let mut memory = vec![0; 64];
        for (count, skipped, len) in [(4, 0, 7), (4, 0, 20), (4, 3, 8), (4, u64::MAX / 4, 4)] {
            let failure = case.run(&mut memory, 0, count, skipped, &vec![1; len]).unwrap_err();
            assert_eq!(failure.status, ERR_ARGUMENT);
        }
        assert_eq!(memory, [0; 64]);
    }

    #[test]
    fn sides_with_gaps_are_packed_in_chunks() {
        let (element, gapped) = (dense(4), strided(4, 12));
        let op = op(0);
        let count = 3000_usize;
        let locks = AccumulateLocks::default();
        let taker = Taker { rank: 1, atomics: false, check: &|_| panic!("the lock is free") };
        let update = Update { op: &op, element: &element, locks: &locks, taker };
        let side = |data: &mut [u32], datatype| Side {
            buffer: data.as_mut_ptr().cast(),
            count: count as u64,
            datatype,
        };
        for (origin, result) in [(1, 1), (3, 1), (1, 3), (3, 3), (3, 0)] {
            let kind = |step| if step == 3 { &gapped } else { &element };
            let mut operands: Vec<u32> = (0..3 * count as u32).collect();
            let mut old = vec![u32::MAX; 3 * count];
            let mut memory: Vec<u32> = (0..count as u32 + 2).collect();
            let target = Target {
                base: memory.as_mut_ptr().cast(),
                offset: 4,
                count: count as u64,
                datatype: &element,
            };
            let to = (result > 0).then(|| side(&mut old, kind(result)));
            let from = side(&mut operands, kind(origin));
            // SAFETY: the vectors are long enough.
            unsafe { accumulate_sides(Some(from), to, &target, &update).unwrap() };
            for at in 0..count {
                assert_eq!(memory[at + 1], 10 * (at * origin) as u32 + at as u32 + 1);
                if result > 0 {
                    assert_eq!(old[at * result], at as u32 + 1);
                }
            }
            assert_eq!((memory[0], memory[count + 1]), (0, count as u32 + 1));
            assert!(result != 3 || old[1] == u32::MAX);
        }
        // What is fetched only needs no origin.
        let nothing = super::tests::op(OP_NOTHING);
        let update = Update { op: &nothing, ..update };
        let mut memory = [1_u32, 2, 3];
        let target =
            Target { base: memory.as_mut_ptr().cast(), offset: 0, count: 3, datatype: &element };
        let mut old = [0_u32; 3];
        let to = Side { buffer: old.as_mut_ptr().cast(), count: 3, datatype: &element };
        // SAFETY: as above.
        unsafe { accumulate_sides(None, Some(to), &target, &update).unwrap() };
        assert_eq!((old, memory), ([1, 2, 3], [1, 2, 3]));
        // SAFETY: as above.
        let short =
            unsafe { accumulate_sides(None, Some(Side { count: 2, ..to }), &target, &update) };
        assert_eq!(short.unwrap_err().status, ERR_ARGUMENT);
    }

    #[test]
    fn equal_values_are_swapped() {
        [false, true].into_iter().for_each(values_are_swapped);
    }

    fn values_are_swapped(atomics: bool) {
        let locks = AccumulateLocks::default();
        let taker = Taker { rank: 1, atomics, check: &|_| panic!("the lock is free") };
        let mut memory = [1_u64, 2, 3];
        let base = memory.as_mut_ptr().cast::<u8>();
        let swap = |new: u64, compare: u64| {
            let mut result = 0_u64;
            let (new, compare) = (&raw const new, &raw const compare);
            let to = (&raw mut result).cast();
            // SAFETY: all are integers of 8 bytes.
            unsafe {
                compare_and_swap(base, 8, 8, new.cast(), compare.cast(), to, &locks, &taker)
                    .unwrap();
            }
            result
        };
        assert_eq!((swap(7, 3), swap(8, 2), swap(9, 2)), (2, 2, 8));
        assert_eq!(memory, [1, 8, 3]);
    }

    #[test]
    fn processes_do_not_lose_additions() {
        [false, true].into_iter().for_each(additions_are_not_lost);
    }

    fn additions_are_not_lost(atomics: bool) {
        let locks = AccumulateLocks::default();
        let (element, op) = (dense(8), op(0));
        let mut memory = vec![0_u64; 1024];
        let base = memory.as_mut_ptr().addr();
        let keep = memory.as_mut_ptr().expose_provenance();
        assert_eq!(base, keep);
        std::thread::scope(|scope| {
            for rank in 0..4 {
                let (locks, element, op) = (&locks, &element, &op);
                scope.spawn(move || {
                    let taker = Taker { rank, atomics, check: &|_| Ok(()) };
                    let update = Update { op, element, locks, taker };
                    let base = core::ptr::with_exposed_provenance_mut(keep);
                    let ones = vec![1_u64; 1024];
                    for _ in 0..200 {
                        let packed = Packed {
                            operand: ones.as_ptr().cast(),
                            old: null_mut(),
                            len: 8 * 1024,
                        };
                        let target = Target { base, offset: 0, count: 1024, datatype: element };
                        // SAFETY: the vectors are long enough.
                        unsafe { accumulate(&target, 0, packed, &update).unwrap() };
                    }
                });
            }
        });
        assert_eq!(memory, [8000; 1024]);
    }
}
