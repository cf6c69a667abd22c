//! Copies of blocks that lie at constant distances.
//!
//! A kernel knows neither a direction nor a type: packing reads with the distance of the user's memory and
//! writes densely, unpacking is the same with the two sides exchanged, and a structure's field is packed
//! with a distance on both sides.

use std::ptr::copy_nonoverlapping;

/// Where blocks lie: the first one, and the bytes from one to the next.
#[derive(Clone, Copy)]
pub struct Side {
    /// The first block.
    pub first: *mut u8,
    /// Bytes from one block to the next.
    pub step: isize,
}

impl Side {
    /// Blocks `bytes` further on.
    pub fn moved(self, bytes: isize) -> Self {
        Self { first: self.first.wrapping_offset(bytes), ..self }
    }
}

/// Copies `count` blocks of `len` bytes.
///
/// # Safety
/// All blocks of `from` can be read and all of `to` written; the two sides do not overlap.
pub type Kernel = unsafe fn(from: Side, to: Side, len: usize, count: usize);

/// The kernel for blocks of this length.
pub fn kernel(len: usize) -> Kernel {
    macro_rules! fixed {
        ($($len:literal)*) => {
            match len {
                $($len => blocks::<$len>,)*
                _ => any,
            }
        };
    }
    fixed!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 40 48 56 64)
}

/// # Safety
/// As for [`Kernel`]; `len` is `LEN`.
unsafe fn blocks<const LEN: usize>(from: Side, to: Side, _len: usize, count: usize) {
    let dense = LEN as isize;
    // SAFETY: promised by the caller. A distance that the compiler knows lets it join blocks.
    unsafe {
        if to.step == dense {
            rows::<LEN>(from, Side { step: dense, ..to }, count);
        } else if from.step == dense {
            rows::<LEN>(Side { step: dense, ..from }, to, count);
        } else {
            rows::<LEN>(from, to, count);
        }
    }
}

/// # Safety
/// As for [`Kernel`]; blocks have `LEN` bytes.
#[inline(always)]
unsafe fn rows<const LEN: usize>(from: Side, to: Side, count: usize) {
    let (mut source, mut target) = (from.first.cast_const(), to.first);
    let mut left = count;
    if LEN <= 8 && LEN.is_power_of_two() {
        // Four are read before any of them is written: the two sides do not overlap, which the compiler
        // can't know.
        while left >= 4 {
            let read = |n: isize| {
                let place = source.wrapping_offset(from.step * n).cast::<[u8; LEN]>();
                // SAFETY: promised by the caller.
                unsafe { place.read_unaligned() }
            };
            let (a, b, c, d) = (read(0), read(1), read(2), read(3));
            let write = |n: isize, block: [u8; LEN]| {
                let place = target.wrapping_offset(to.step * n).cast::<[u8; LEN]>();
                // SAFETY: promised by the caller.
                unsafe { place.write_unaligned(block) }
            };
            write(0, a);
            write(1, b);
            write(2, c);
            write(3, d);
            source = source.wrapping_offset(from.step * 4);
            target = target.wrapping_offset(to.step * 4);
            left -= 4;
        }
    }
    for _ in 0..left {
        // SAFETY: promised by the caller. The length is known, so that this is a few moves.
        unsafe { copy_nonoverlapping(source, target, LEN) };
        source = source.wrapping_offset(from.step);
        target = target.wrapping_offset(to.step);
    }
}

/// # Safety
/// As for [`Kernel`].
unsafe fn any(from: Side, to: Side, len: usize, count: usize) {
    let (mut source, mut target) = (from.first.cast_const(), to.first);
    for _ in 0..count {
        // SAFETY: promised by the caller.
        unsafe { copy(source, target, len) };
        source = source.wrapping_offset(from.step);
        target = target.wrapping_offset(to.step);
    }
}

/// Copies blocks of `len` bytes from or to the offsets of a list; on the other side they lie one behind
/// the other.
///
/// # Safety
/// As for [`Kernel`], for the list's side and the dense one.
pub type Listed = unsafe fn(memory: *mut u8, offsets: &[isize], packed: *mut u8, len: usize);

/// The kernel for listed blocks of this length.
pub fn listed<const PACK: bool>(len: usize) -> Listed {
    macro_rules! fixed {
        ($($len:literal)*) => {
            match len {
                $($len => at_offsets::<PACK, $len>,)*
                _ => at_offsets::<PACK, 0>,
            }
        };
    }
    fixed!(1 2 3 4 6 8 12 16 24 32 48 64)
}

/// # Safety
/// As for [`Listed`]; `LEN` is the length, or 0 for any.
unsafe fn at_offsets<const PACK: bool, const LEN: usize>(
    memory: *mut u8,
    offsets: &[isize],
    packed: *mut u8,
    len: usize,
) {
    let len = if LEN == 0 { len } else { LEN };
    let mut packed = packed;
    for offset in offsets {
        let place = memory.wrapping_offset(*offset);
        let (from, to) = if PACK { (place, packed) } else { (packed, place) };
        // SAFETY: promised by the caller.
        unsafe { if LEN == 0 { copy(from, to, len) } else { copy_nonoverlapping(from, to, LEN) } };
        packed = packed.wrapping_add(len);
    }
}

/// Copies one block. Two words that may overlap cover every length up to twice theirs.
///
/// # Safety
/// `from` can be read and `to` written for `len` bytes; they do not overlap.
#[inline(always)]
pub unsafe fn copy(from: *const u8, to: *mut u8, len: usize) {
    /// # Safety
    /// As for `copy`; `len` is from the size of `T` to twice that.
    #[inline(always)]
    unsafe fn two<T: Copy>(from: *const u8, to: *mut u8, len: usize) {
        let last = len - size_of::<T>();
        // SAFETY: promised by the caller.
        unsafe {
            let head = from.cast::<T>().read_unaligned();
            let tail = from.add(last).cast::<T>().read_unaligned();
            to.cast::<T>().write_unaligned(head);
            to.add(last).cast::<T>().write_unaligned(tail);
        }
    }
    // SAFETY: promised by the caller.
    unsafe {
        match len {
            0 => {}
            1 => *to = *from,
            2..=3 => two::<u16>(from, to, len),
            4..=8 => two::<u32>(from, to, len),
            9..=16 => two::<u64>(from, to, len),
            17..=32 => two::<u128>(from, to, len),
            _ => copy_nonoverlapping(from, to, len),
        }
    }
}
