//! Messages that came before their turn, by their numbers.
//!
//! Most are only a few numbers ahead: several threads sent at once, or over several instances. They
//! have a place in a table by the last bits of their number, so putting in and taking out is one
//! access. A number whose place is taken goes to a map, and stays there until its turn.

use std::collections::BTreeMap;

use crate::objects::kept::Kept;
use crate::turn::Early;

/// Places in the table, a power of two: more than threads usually have under way to one rank.
const WINDOW: u32 = 256;

/// Messages of one rank that wait for earlier ones. Needs no memory before there are any.
#[derive(Default)]
pub struct Reorder {
    /// Empty, or `WINDOW` places.
    near: Box<[Option<Near>]>,
    far: BTreeMap<u32, *mut Kept>,
    len: usize,
}

#[derive(Clone, Copy)]
struct Near {
    sequence: u32,
    kept: *mut Kept,
}

// SAFETY: kept messages belong to the holder of the sequence.
unsafe impl Send for Reorder {}

impl Reorder {
    /// Whether this number waits.
    pub fn contains(&self, sequence: u32) -> bool {
        self.near(sequence).is_some() || self.far.contains_key(&sequence)
    }

    fn near(&self, sequence: u32) -> Option<Near> {
        let place = self.near.get((sequence % WINDOW) as usize)?;
        place.filter(|near| near.sequence == sequence)
    }

    /// Puts a number in that does not wait yet.
    pub fn insert(&mut self, sequence: u32, kept: *mut Kept) {
        self.len += 1;
        if self.near.is_empty() {
            self.near = vec![None; WINDOW as usize].into();
        }
        match &mut self.near[(sequence % WINDOW) as usize] {
            Some(_) => drop(self.far.insert(sequence, kept)),
            place => *place = Some(Near { sequence, kept }),
        }
    }

    /// How many wait.
    pub fn len(&self) -> usize {
        self.len
    }

    /// All that wait.
    pub fn into_all(self) -> impl Iterator<Item = *mut Kept> {
        let near = self.near.into_iter().flatten().map(|near| near.kept);
        near.chain(self.far.into_values())
    }
}

impl Early for Reorder {
    type Message = *mut Kept;

    fn take(&mut self, sequence: u32) -> Option<*mut Kept> {
        let kept = match self.near(sequence) {
            Some(near) => {
                self.near[(sequence % WINDOW) as usize] = None;
                near.kept
            }
            None => self.far.remove(&sequence)?,
        };
        self.len -= 1;
        Some(kept)
    }

    fn is_empty(&self) -> bool {
        self.len == 0
    }
}

#[cfg(test)]
mod tests {
    use core::ptr::without_provenance_mut;

    use super::*;
    use crate::wire::SEQUENCE_MASK;

    fn kept(sequence: u32) -> *mut Kept {
        without_provenance_mut(sequence as usize + 1)
    }

    /// Numbers come shuffled within blocks of a length and leave in order, over the end of their
    /// range.
    #[test]
    fn numbers_leave_in_order() {
        for (length, step) in [(2, 1), (7, 3), (256, 101), (257, 100), (1000, 333), (5000, 1733)] {
            let (mut waiting, first) = (Reorder::default(), SEQUENCE_MASK - 3 * length / 2);
            let mut expected = first;
            for block in 0..4 {
                for place in 0..length {
                    // The last of its block comes first, so that the others wait.
                    let number = block * length + (length - 1 + place * step) % length;
                    let sequence = first.wrapping_add(number) & SEQUENCE_MASK;
                    assert!(!waiting.contains(sequence));
                    waiting.insert(sequence, kept(sequence));
                    assert!(waiting.contains(sequence));
                    while let Some(taken) = waiting.take(expected) {
                        assert_eq!(taken, kept(expected));
                        assert!(!waiting.contains(expected));
                        expected = (expected + 1) & SEQUENCE_MASK;
                    }
                }
                assert_eq!(waiting.len(), 0, "blocks of {length}");
            }
            assert_eq!(expected, first.wrapping_add(4 * length) & SEQUENCE_MASK);
        }
    }

    #[test]
    fn what_is_left_comes_out() {
        let mut waiting = Reorder::default();
        for sequence in [3, 1, 700, 259, 255] {
            waiting.insert(sequence, kept(sequence));
        }
        assert_eq!(waiting.len(), 5);
        let all: std::collections::BTreeSet<_> = waiting.into_all().collect();
        assert_eq!(all, [1, 3, 255, 259, 700].map(kept).into());
    }
}
