//! What is done in one of many calls.

use core::sync::atomic::{AtomicU32, Ordering};

use crate::author::CachePadded;

/// Counts calls of any thread, and says which one of so many is due. Threads mostly have counts of their own, so they
/// don't write to each other's cache lines, and a call costs less than a look at thread-local memory.
#[derive(Debug)]
pub struct Seldom {
    counts: [CachePadded<AtomicU32>; COUNTS],
    every: u32,
}

const COUNTS: usize = 16;

impl Seldom {
    /// One of `every` calls is due; the first one is.
    pub const fn new(every: u32) -> Self {
        Self { counts: [const { CachePadded(AtomicU32::new(0)) }; COUNTS], every }
    }

    /// Whether this call is.
    #[inline]
    pub fn is_due(&self) -> bool {
        // Threads' blocks begin at different pages, some of them as far from each other as a stack is long.
        let spread = (crate::sys::mark() >> 12).wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as usize);
        let count = &self.counts[spread >> (usize::BITS - COUNTS.ilog2())];
        // Of two threads with the same count one may be lost.
        let calls = count.load(Ordering::Relaxed);
        count.store(calls.wrapping_add(1), Ordering::Relaxed);
        calls.is_multiple_of(self.every)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_so_many_is_due() {
        let seldom = Seldom::new(8);
        let due: Vec<bool> = (0..20).map(|_| seldom.is_due()).collect();
        let places: Vec<usize> = (0..20).filter(|at| due[*at]).collect();
        assert_eq!(places, [0, 8, 16]);
    }
}
