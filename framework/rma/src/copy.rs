//! Put and get where both sides can be loaded and stored.

use core::ptr::NonNull;

use cairn_framework::abi::datatype::{Cursor, DATATYPE_CONTIGUOUS, Datatype};
use cairn_framework::author::walk;
use cairn_framework::frameworks::osc::OscSide;

/// Bytes that are copied at a time when both sides have gaps.
pub(crate) const CHUNK: usize = 4096;

/// One side of an operation, in memory that this process can load and store.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    /// Where element 0 is.
    pub buffer: *mut u8,
    /// Elements.
    pub count: u64,
    /// Their type.
    pub datatype: &'a Datatype,
}

impl<'a> Side<'a> {
    /// A side of a transfer, or `None` if there is no such side.
    ///
    /// # Safety
    /// The datatype is null or stays.
    #[inline]
    pub unsafe fn of(side: &OscSide) -> Option<Side<'a>> {
        // SAFETY: promised by the caller.
        let datatype = unsafe { side.datatype.as_ref() }?;
        Some(Side { buffer: side.buffer.cast(), count: side.count, datatype })
    }

    /// Bytes of data.
    #[inline]
    #[expect(clippy::len_without_is_empty)] // nothing asks
    pub fn len(&self) -> usize {
        self.count.saturating_mul(self.datatype.size) as usize
    }

    /// The first byte of data that has no gaps.
    #[inline]
    pub fn contiguous(&self) -> Option<NonNull<u8>> {
        let gapless = self.datatype.flags & DATATYPE_CONTIGUOUS != 0;
        gapless
            .then(|| self.buffer.wrapping_offset(self.datatype.true_lb as isize))
            .and_then(NonNull::new)
    }

    /// A walk that begins behind so many bytes of data.
    pub fn cursor(&self, position: u64) -> Cursor {
        Cursor {
            datatype: self.datatype,
            buffer: self.buffer.cast(),
            count: self.count,
            position,
            state: [0; 4],
        }
    }
}

/// Copies the data of one side to the other: as many bytes as both have.
///
/// # Safety
/// The data of both sides is there, its types have their functions, and the sides do not overlap.
#[inline]
pub unsafe fn copy(from: Side<'_>, to: Side<'_>) {
    let len = from.len().min(to.len());
    // SAFETY: promised by the caller.
    unsafe {
        match (from.contiguous(), to.contiguous()) {
            (Some(from), Some(to)) => copy_bytes(from.as_ptr(), to.as_ptr(), len),
            (Some(packed), None) => {
                walk::unpack(&mut to.cursor(0), packed.as_ptr(), len);
            }
            (None, Some(packed)) => {
                walk::pack(&mut from.cursor(0), packed.as_ptr(), len);
            }
            (None, None) => copy_gaps(from, to, len),
        }
    }
}

/// An aligned element is copied in one access, as programs expect that poll what others put.
///
/// # Safety
/// Both have so many bytes.
#[inline]
pub(crate) unsafe fn copy_bytes(from: *const u8, to: *mut u8, len: usize) {
    // SAFETY: promised by the caller.
    unsafe {
        match len {
            8 => to.cast::<u64>().write_unaligned(from.cast::<u64>().read_unaligned()),
            4 => to.cast::<u32>().write_unaligned(from.cast::<u32>().read_unaligned()),
            _ => core::ptr::copy(from, to, len),
        }
    }
}

/// # Safety
/// As for `copy`.
unsafe fn copy_gaps(from: Side<'_>, to: Side<'_>, len: usize) {
    let mut buffer = [core::mem::MaybeUninit::<u8>::uninit(); CHUNK];
    let buffer = buffer.as_mut_ptr().cast::<u8>();
    let (mut from, mut to) = (from.cursor(0), to.cursor(0));
    let mut left = len;
    while left > 0 {
        // SAFETY: promised by the caller; the buffer has so many bytes.
        let packed = unsafe { walk::pack(&mut from, buffer, left.min(CHUNK)) };
        // SAFETY: as above; they have just been written.
        unsafe { walk::unpack(&mut to, buffer, packed) };
        if packed == 0 {
            break;
        }
        left -= packed;
    }
}

#[cfg(all(test, not(feature = "loom")))]
mod tests {
    use cairn_framework::author::BYTES;

    use super::*;
    use crate::apply::tests::strided;

    fn side<'a, T>(data: &mut [T], count: u64, datatype: &'a Datatype) -> Side<'a> {
        Side { buffer: data.as_mut_ptr().cast(), count, datatype }
    }

    #[test]
    fn gaps_stay_as_they_are() {
        // Blocks of 4 bytes, each 12 bytes behind the last one; and of 8 bytes, 10 bytes behind.
        let (narrow, wide) = (strided(4, 12), strided(8, 10));
        let dense: Vec<u8> = (0..64).collect();
        for (len, count_narrow, count_wide) in [(16, 4, 2), (64, 16, 8)] {
            let mut packed = dense[..len].to_vec();
            let (mut one, mut other) = (vec![0xee_u8; 200], vec![0xdd_u8; 200]);
            let mut back = vec![0_u8; len];
            // SAFETY: all data lies in its vector.
            unsafe {
                let narrow = side(&mut one, count_narrow, &narrow);
                let wide = side(&mut other, count_wide, &wide);
                copy(side(&mut packed, len as u64, &BYTES), narrow);
                copy(narrow, wide);
                copy(wide, side(&mut back, len as u64, &BYTES));
            }
            assert_eq!(back, dense[..len]);
            let gaps = |data: &[u8], size, extent, count: u64| {
                data.iter()
                    .enumerate()
                    .filter(|(at, _)| at % extent >= size || at / extent >= count as usize)
                    .map(|(_, byte)| *byte)
                    .collect::<std::collections::HashSet<_>>()
            };
            assert_eq!(gaps(&one, 4, 12, count_narrow), [0xee].into());
            assert_eq!(gaps(&other, 8, 10, count_wide), [0xdd].into());
        }
    }

    #[test]
    fn more_than_a_chunk_and_less_than_offered() {
        let gapped = strided(4, 8);
        let mut from: Vec<u32> = (0..10_000).collect();
        let mut to = vec![u32::MAX; 10_000];
        // SAFETY: all data lies in its vector.
        unsafe { copy(side(&mut from, 5000, &gapped), side(&mut to, 4000, &gapped)) };
        for (at, found) in to.into_iter().enumerate() {
            let copied = at % 2 == 0 && at < 8000;
            assert_eq!(found, if copied { at as u32 } else { u32::MAX });
        }
    }

    #[test]
    fn a_side_begins_at_its_first_byte() {
        let shifted = Datatype { size: 4, extent: 4, true_lb: 8, true_extent: 4, ..BYTES };
        let mut data = [1_u32, 2, 3, 4];
        let mut to = [0_u32; 2];
        // SAFETY: all data lies in its array.
        unsafe { copy(side(&mut data, 2, &shifted), side(&mut to, 8, &BYTES)) };
        assert_eq!(to, [3, 4]);
    }
}
