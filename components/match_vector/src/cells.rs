//! Entries with their keys, packed, in the order in which they came.

use cairn_matching::Entry;

use crate::kernel::{BLOCK, Kernel};

/// Bits of a key that decide when the source may be any: no message's source is negative.
const ANY_SOURCE_BITS: u64 = 1 << 63;
/// Bits of a key that decide when the tag may be any: it is not negative.
const ANY_TAG_BITS: u64 = 1 << 31;
/// The key of a cell without an entry: both are negative, and no mask leaves out the source's sign.
const HOLE: u64 = ANY_SOURCE_BITS | ANY_TAG_BITS;

/// Holes that are left alone, however few entries there are.
const SOME_HOLES: usize = 4 * BLOCK;

/// A key and which bits of it count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packed {
    pub key: u64,
    pub mask: u64,
}

impl Packed {
    /// Of a source and a tag; none is a wildcard.
    #[inline]
    pub fn new(source: Option<i32>, tag: Option<i32>) -> Self {
        let (source, source_mask) = match source {
            Some(source) => (u64::from(source as u32) << 32, 0xffff_ffff << 32),
            None => (0, ANY_SOURCE_BITS),
        };
        let (tag, tag_mask) = match tag {
            Some(tag) => (u64::from(tag as u32), 0xffff_ffff),
            None => (0, ANY_TAG_BITS),
        };
        Self { key: source | tag, mask: source_mask | tag_mask }
    }

    /// Whether something is left open.
    #[inline]
    pub fn is_wild(self) -> bool {
        self.mask != !0
    }
}

/// Entries in the order in which they came. An entry's word 0 is the number of its cell.
///
/// All of `keys` before `head` and from `tail` on are holes, so a search may begin and end at the
/// bounds of blocks. `masks` is as long when `MASKS`, else empty.
pub struct Cells<E, const MASKS: bool> {
    keys: Vec<u64>,
    masks: Vec<u64>,
    entries: Vec<*mut E>,
    head: usize,
    tail: usize,
    live: usize,
    /// Entries with wildcards.
    wild: usize,
}

impl<E: Entry, const MASKS: bool> Cells<E, MASKS> {
    /// Without any memory yet.
    pub const fn new() -> Self {
        Self {
            keys: Vec::new(),
            masks: Vec::new(),
            entries: Vec::new(),
            head: 0,
            tail: 0,
            live: 0,
            wild: 0,
        }
    }

    /// The first entry, if there is one.
    #[inline]
    pub fn head(&self) -> Option<*mut E> {
        (self.live > 0).then(|| self.entries[self.head])
    }

    /// The entry that a message's key is for, by the entries' masks; and how many cells were looked
    /// at.
    #[inline]
    pub fn first_for(&self, kernel: &Kernel, key: u64) -> (Option<*mut E>, u64) {
        if self.live == 0 {
            return (None, 0);
        }
        if !MASKS || self.wild == 0 {
            return self.first(kernel, Packed { key, mask: !0 });
        }
        if (self.keys[self.head] ^ key) & self.masks[self.head] == 0 {
            return (Some(self.entries[self.head]), 1);
        }
        let (from, to) = self.bounds();
        self.found(from + (kernel.each)(&self.keys[from..to], &self.masks[from..to], key))
    }

    /// The entry that fits a key and a mask; and how many cells were looked at.
    #[inline]
    pub fn first(&self, kernel: &Kernel, wanted: Packed) -> (Option<*mut E>, u64) {
        if self.live == 0 {
            return (None, 0);
        }
        if (self.keys[self.head] ^ wanted.key) & wanted.mask == 0 {
            return (Some(self.entries[self.head]), 1);
        }
        let (from, to) = self.bounds();
        self.found(from + (kernel.one)(&self.keys[from..to], wanted.key, wanted.mask))
    }

    /// What a search goes through, in whole blocks.
    #[inline]
    fn bounds(&self) -> (usize, usize) {
        (self.head / BLOCK * BLOCK, self.tail.next_multiple_of(BLOCK))
    }

    #[inline]
    fn found(&self, place: usize) -> (Option<*mut E>, u64) {
        if place < self.tail {
            return (Some(self.entries[place]), (place - self.head + 1) as u64);
        }
        (None, (self.tail - self.head) as u64)
    }

    /// Puts an entry behind all others.
    ///
    /// # Safety
    /// It is valid until it is taken out.
    #[inline]
    pub unsafe fn push(&mut self, entry: *mut E, packed: Packed) {
        if self.tail == self.keys.len() {
            self.make_room();
        }
        let place = self.tail;
        self.keys[place] = packed.key;
        if MASKS {
            self.masks[place] = packed.mask;
            self.wild += usize::from(packed.is_wild());
        }
        self.entries[place] = entry;
        // SAFETY: promised by the caller.
        unsafe { (*entry).words()[0] = place };
        self.tail += 1;
        self.live += 1;
    }

    /// Takes an entry out.
    ///
    /// # Safety
    /// It is in.
    #[inline]
    pub unsafe fn remove(&mut self, entry: *mut E) {
        // SAFETY: promised by the caller.
        let place = unsafe { (*entry).words()[0] };
        self.keys[place] = HOLE;
        if MASKS {
            self.wild -= usize::from(self.masks[place] != !0);
            self.masks[place] = !0;
        }
        self.live -= 1;
        if self.live == 0 {
            (self.head, self.tail) = (0, 0);
        } else if place == self.head {
            // Each cell is passed once for each time that it was filled.
            while self.keys[self.head] == HOLE {
                self.head += 1;
            }
        } else if place == self.tail - 1 {
            while self.keys[self.tail - 1] == HOLE {
                self.tail -= 1;
            }
        }
        if self.tail - self.head - self.live > self.live + SOME_HOLES {
            self.close_up();
        }
    }

    /// Room for another entry: where holes were, or in new memory.
    #[cold]
    fn make_room(&mut self) {
        if self.live <= self.keys.len() / 2 && !self.keys.is_empty() {
            return self.close_up();
        }
        let len = (2 * self.keys.len()).max(BLOCK);
        self.keys.resize(len, HOLE);
        if MASKS {
            self.masks.resize(len, !0);
        }
        self.entries.resize(len, std::ptr::null_mut());
    }

    /// Moves the entries to the front. At least as many entries were taken out since the last time
    /// as are moved.
    #[cold]
    fn close_up(&mut self) {
        let mut to = 0;
        for from in self.head..self.tail {
            let key = self.keys[from];
            if key == HOLE {
                continue;
            }
            self.keys[from] = HOLE;
            self.keys[to] = key;
            if MASKS {
                let mask = std::mem::replace(&mut self.masks[from], !0);
                self.masks[to] = mask;
            }
            let entry = self.entries[from];
            self.entries[to] = entry;
            // SAFETY: what is in is valid.
            unsafe { (*entry).words()[0] = to };
            to += 1;
        }
        (self.head, self.tail) = (0, to);
        debug_assert_eq!(to, self.live);
    }

    /// The first entry that `fits`.
    pub fn find(&self, fits: impl Fn(&E) -> bool) -> Option<*mut E> {
        let mut live = (self.head..self.tail).filter(|place| self.keys[*place] != HOLE);
        // SAFETY: what is in is valid.
        let place = live.find(|place| fits(unsafe { &*self.entries[*place] }))?;
        Some(self.entries[place])
    }

    /// Calls `look` with every entry, in order.
    pub fn each(&self, mut look: impl FnMut(&E)) {
        for place in self.head..self.tail {
            if self.keys[place] != HOLE {
                // SAFETY: what is in is valid.
                look(unsafe { &*self.entries[place] });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use cairn_framework::frameworks::matching::MatchPosted;

    use super::*;
    use crate::kernel::choose;

    /// A queue that moves on for ever needs no more memory than it is long.
    #[test]
    fn memory_is_used_again() {
        let kernel = choose("auto").unwrap();
        let entry = |tag| MatchPosted { source: 1, tag, engine_private: [0; 4] };
        let all: Vec<*mut MatchPosted> =
            (0..100).map(|tag| Box::into_raw(Box::new(entry(tag)))).collect();
        let mut cells = Cells::<MatchPosted, true>::new();
        let packed = |tag: i32| Packed::new(Some(1), Some(tag));
        // SAFETY: the entries live until the end.
        unsafe {
            (0..100).for_each(|tag: i32| cells.push(all[tag as usize], packed(tag)));
            let room = cells.keys.len();
            // Every third in turn goes out and comes in again.
            for turn in 0..10_000 {
                let tag = (turn * 3) % 100;
                let (found, _) = cells.first_for(kernel, packed(tag).key);
                assert_eq!(found, Some(all[tag as usize]));
                cells.remove(all[tag as usize]);
                assert!(cells.first_for(kernel, packed(tag).key).0.is_none());
                cells.push(all[tag as usize], packed(tag));
                assert!(cells.tail - cells.head <= 2 * cells.live + SOME_HOLES + 1);
            }
            assert!(cells.keys.len() <= 2 * room);
            for tag in (0..100).rev() {
                cells.remove(all[tag as usize]);
            }
            assert!(cells.head().is_none() && cells.keys.iter().all(|key| *key == HOLE));
            all.into_iter().for_each(|entry| drop(Box::from_raw(entry)));
        }
    }

    #[test]
    fn no_wildcard_fits_a_hole() {
        for source in [None, Some(0), Some(i32::MAX)] {
            for tag in [None, Some(0), Some(-1), Some(i32::MIN), Some(i32::MAX)] {
                let packed = Packed::new(source, tag);
                assert_ne!((HOLE ^ packed.key) & packed.mask, 0, "{source:?} {tag:?}");
            }
        }
    }
}
