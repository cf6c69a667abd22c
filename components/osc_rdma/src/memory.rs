//! The memory of this process in a window: what operations of peers may touch.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::collections::BTreeMap;
use std::ops::Range;

use cairn_framework::abi::datatype::Segment;
use cairn_framework::abi::status::{
    ERR_ARGUMENT, ERR_EXISTS, ERR_NOT_FOUND, ERR_RESOURCES, Status,
};
use cairn_framework::author::Failure;
use cairn_rma::Side;

/// What this process gives.
pub struct Memory {
    /// Where it begins; null for dynamic windows, whose offsets are addresses.
    pub base: *mut u8,
    size: u64,
    /// Attached memory by address, for dynamic windows.
    attached: Option<BTreeMap<u64, u64>>,
    /// It is the component's.
    heap: Option<Layout>,
}

impl Memory {
    /// Memory of the program.
    pub fn of_program(base: *mut u8, size: u64) -> Self {
        Self { base, size, attached: None, heap: None }
    }

    /// Memory that is attached later.
    pub fn dynamic() -> Self {
        let attached = Some(BTreeMap::new());
        Self { base: core::ptr::null_mut(), size: 0, attached, heap: None }
    }

    /// New memory, which is zero.
    pub fn allocate(size: u64, alignment: u64) -> Result<Self, Failure> {
        let none = || Failure::new(ERR_RESOURCES, "there is no memory for the window");
        let len = usize::try_from(size).map_err(|_| none())?.max(1);
        let alignment = (alignment as usize).max(64).next_power_of_two();
        let layout = Layout::from_size_align(len, alignment).map_err(|_| none())?;
        // SAFETY: there is a byte at least.
        let base = unsafe { alloc_zeroed(layout) };
        if base.is_null() {
            return Err(none());
        }
        Ok(Self { base, size, attached: None, heap: Some(layout) })
    }

    /// Whether offsets are addresses.
    pub fn is_dynamic(&self) -> bool {
        self.attached.is_some()
    }

    /// Attaches memory.
    pub fn attach(&mut self, base: u64, size: u64) -> Result<(), Failure> {
        let attached = self.attached.as_mut().ok_or_else(not_dynamic)?;
        let end = base
            .checked_add(size)
            .ok_or_else(|| Failure::new(ERR_ARGUMENT, "its end is no address"))?;
        let before = attached.range(..end.max(base.saturating_add(1))).next_back();
        if before.is_some_and(|(other, len)| *other == base || other + len > base) {
            return Err(Failure::new(ERR_EXISTS, "a part of this memory is attached already"));
        }
        attached.insert(base, size);
        Ok(())
    }

    /// Detaches what was attached at an address.
    pub fn detach(&mut self, base: u64) -> Result<(), Failure> {
        let attached = self.attached.as_mut().ok_or_else(not_dynamic)?;
        let detached = attached.remove(&base);
        detached.map(drop).ok_or_else(|| {
            Failure::new(ERR_NOT_FOUND, "no memory that begins at this address is attached")
        })
    }

    /// Whether all data of an operation lies in this memory; of that of a dynamic window, whether a part of it does,
    /// from one byte of the data to another. `ERR_NOT_FOUND`: in what is not attached.
    pub fn check(&self, offset: i64, side: &Side<'_>, part: Range<u64>) -> Result<(), Status> {
        let Side { count, datatype, .. } = *side;
        if count == 0 || datatype.size == 0 {
            return Ok(());
        }
        let begin = i128::from(offset) + i128::from(datatype.true_lb);
        let reach = i128::from(count - 1) * i128::from(datatype.extent);
        let first = begin + reach.min(0);
        let end = begin + i128::from(datatype.true_extent) + reach.max(0);
        let Some(attached) = &self.attached else {
            let inside = first >= 0 && end <= i128::from(self.size);
            return if inside { Ok(()) } else { Err(ERR_ARGUMENT) };
        };
        // All places between are addresses.
        if first < 0 || end > i128::from(i64::MAX) {
            return Err(ERR_NOT_FOUND);
        }
        if is_attached(attached, first, end) || self.all_attached(attached, side, part) {
            Ok(())
        } else {
            Err(ERR_NOT_FOUND)
        }
    }

    /// The same, piece by piece: what lies between is nothing to the operation.
    fn all_attached(
        &self,
        attached: &BTreeMap<u64, u64>,
        side: &Side<'_>,
        part: Range<u64>,
    ) -> bool {
        let mut cursor = side.cursor(part.start);
        let mut pieces = [Segment { address: core::ptr::null_mut(), len: 0 }; 32];
        let mut left = (part.end - part.start) as usize;
        while left > 0 {
            let mut found = left;
            let Some(segments) = side.datatype.segments else { return false };
            // SAFETY: so many pieces have room; nothing is read where they lie.
            let count = unsafe {
                segments(&raw mut cursor, pieces.as_mut_ptr(), pieces.len(), &raw mut found)
            };
            let inside = |piece: &Segment| {
                let first = piece.address.addr() as i128;
                is_attached(attached, first, first + piece.len as i128)
            };
            if found == 0 || !pieces[..count].iter().all(inside) {
                return false;
            }
            left = left.saturating_sub(found);
        }
        true
    }
}

/// Whether what lies between two addresses is attached, maybe in several parts that touch.
fn is_attached(attached: &BTreeMap<u64, u64>, first: i128, end: i128) -> bool {
    let Ok(mut at) = u64::try_from(first) else { return false };
    while i128::from(at) < end {
        let Some((base, size)) = attached.range(..=at).next_back() else { return false };
        // `attach` has looked whether it has an end.
        let after = base + size;
        if after <= at {
            return false;
        }
        at = after;
    }
    true
}

fn not_dynamic() -> Failure {
    Failure::new(ERR_ARGUMENT, "the window is not dynamic")
}

impl Drop for Memory {
    fn drop(&mut self) {
        if let Some(layout) = self.heap {
            // SAFETY: `allocate` got it so, and the window has ended.
            unsafe { dealloc(self.base, layout) };
        }
    }
}

#[cfg(test)]
mod tests {
    use cairn_framework::abi::datatype::{Cursor, Datatype};
    use cairn_framework::author::BYTES;

    use super::*;

    fn bytes(count: u64) -> Side<'static> {
        Side { buffer: core::ptr::null_mut(), count, datatype: &BYTES }
    }

    #[test]
    fn nothing_outside_of_the_window() {
        let memory = Memory::of_program(core::ptr::null_mut(), 100);
        for (offset, count, inside) in [
            (0, 100, true),
            (99, 1, true),
            (100, 0, true),
            (100, 1, false),
            (-1, 1, false),
            (0, 101, false),
            (i64::MAX, u64::MAX, false),
            (i64::MIN, 1, false),
        ] {
            assert_eq!(
                memory.check(offset, &bytes(count), 0..1).is_ok(),
                inside,
                "{offset} {count}"
            );
        }
        assert!(Memory::of_program(core::ptr::null_mut(), 0).check(0, &bytes(1), 0..1).is_err());
    }

    /// A peer's type may have more pieces than a process can look at, so only those of the packet count.
    #[test]
    fn no_more_is_looked_at_than_is_touched() {
        use core::sync::atomic::{AtomicUsize, Ordering};
        static ASKED: AtomicUsize = AtomicUsize::new(0);
        unsafe extern "C" fn segments(
            cursor: *mut Cursor,
            segments: *mut Segment,
            capacity: usize,
            len: *mut usize,
        ) -> usize {
            // SAFETY: the test's cursor; there is room for a piece.
            unsafe {
                assert!(capacity > 0 && ASKED.fetch_add(*len, Ordering::Relaxed) < 1000);
                let address = (*cursor).buffer.wrapping_byte_add(2 * (*cursor).position as usize);
                segments.write(Segment { address, len: 1 });
                ((*cursor).position, *len) = ((*cursor).position + 1, 1);
                1
            }
        }
        let mut memory = Memory::dynamic();
        memory.attach(1000, 100).unwrap();
        // Every other byte.
        let gaps = Datatype {
            flags: 0,
            size: 1,
            extent: 2,
            true_extent: 1,
            segments: Some(segments),
            ..BYTES
        };
        let buffer = core::ptr::without_provenance_mut(1000);
        let side = Side { buffer, count: 1 << 40, datatype: &gaps };
        assert_eq!(memory.check(1000, &side, 0..8), Ok(()));
        assert_eq!(memory.check(1000, &side, 42..50), Ok(()));
        assert_eq!(memory.check(1000, &side, 43..51), Err(ERR_NOT_FOUND));
        // The last elements have no address.
        assert_eq!(memory.check(1000, &Side { count: 1 << 62, ..side }, 0..8), Err(ERR_NOT_FOUND));
        assert_eq!(memory.check(-1, &side, 8..16), Err(ERR_NOT_FOUND));
    }

    #[test]
    fn what_is_attached() {
        let mut memory = Memory::dynamic();
        memory.attach(1000, 100).unwrap();
        memory.attach(1100, 50).unwrap();
        memory.attach(500, 0).unwrap();
        for (base, size) in [(1000, 1), (999, 2), (1149, 1), (900, 1000), (1000, 0), (500, 0)] {
            assert_eq!(memory.attach(base, size).unwrap_err().status, ERR_EXISTS, "{base} {size}");
        }
        assert!(memory.attach(u64::MAX, 2).is_err());
        memory.attach(1150, 10).unwrap();
        let check = |memory: &Memory, at, len| memory.check(at, &bytes(len), 0..len).is_ok();
        assert!(check(&memory, 1000, 160) && check(&memory, 1099, 2));
        assert!(!check(&memory, 999, 1) && !check(&memory, 1159, 2) && !check(&memory, -5, 2));
        memory.detach(1100).unwrap();
        assert_eq!(memory.detach(1100).unwrap_err().status, ERR_NOT_FOUND);
        assert!(memory.detach(1001).is_err());
        assert!(
            !check(&memory, 1000, 101) && check(&memory, 1000, 100) && check(&memory, 1150, 10)
        );
    }
}
