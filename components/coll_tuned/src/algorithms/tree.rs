//! K-nomial trees: a process has as parent the one whose number has a zero in place of its last digit that is
//! none, in the base k, the radix. With k = 2 that is the binomial tree.
//!
//! Below a process are those with the numbers from its own on, without a gap, and each child has a range of
//! them. So blocks travel together, and reductions keep the order of the numbers.

use core::ops::Range;

/// The tree of so many processes, with number 0 as its root.
#[derive(Clone, Copy)]
pub struct Tree {
    size: u32,
    radix: u32,
}

impl Tree {
    pub fn new(size: u32, radix: u32) -> Self {
        Self { size, radix: radix.clamp(2, size.max(2)) }
    }

    /// The largest power of the radix that divides a number; for the root one that is not below the size.
    fn reach(self, number: u32) -> u64 {
        let mut reach = 1;
        while reach < u64::from(self.size)
            && u64::from(number).is_multiple_of(reach * u64::from(self.radix))
        {
            reach *= u64::from(self.radix);
        }
        reach
    }

    /// The process and all below it.
    pub fn below(self, number: u32) -> Range<u32> {
        number..(u64::from(number) + self.reach(number)).min(u64::from(self.size)) as u32
    }

    /// What is above a process; nothing above the root.
    pub fn parent(self, number: u32) -> Option<u32> {
        let above = self.reach(number) * u64::from(self.radix);
        (number != 0).then(|| (u64::from(number) / above * above) as u32)
    }

    /// The children of a process, each with all below it, from the nearest on.
    pub fn children(self, number: u32) -> impl DoubleEndedIterator<Item = Range<u32>> {
        let (radix, size, reach) =
            (u64::from(self.radix), u64::from(self.size), self.reach(number));
        let levels = (0..).take_while(|level| radix.pow(*level) < reach).count() as u32;
        (0..levels).flat_map(move |level| {
            let weight = radix.pow(level);
            let first = move |digit: u64| u64::from(number) + digit * weight;
            let child = move |digit| first(digit) as u32..(first(digit) + weight).min(size) as u32;
            (1..radix).filter(move |digit| first(*digit) < size).map(child)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_process_is_below_its_parent_and_once() {
        for size in 1..70 {
            for radix in [2, 3, 4, 7, 69, 100] {
                let tree = Tree::new(size, radix);
                let mut seen = vec![0; size as usize];
                seen[0] = 1;
                assert_eq!(tree.below(0), 0..size);
                for number in 0..size {
                    let mut next = number + 1;
                    for child in tree.children(number) {
                        assert_eq!((child.start, tree.parent(child.start)), (next, Some(number)));
                        assert_eq!(tree.below(child.start), child);
                        seen[child.start as usize] += 1;
                        next = child.end;
                    }
                    assert_eq!(tree.below(number).end, next, "{size} {radix} {number}");
                    assert!(
                        tree.children(number).rev().eq(tree
                            .children(number)
                            .collect::<Vec<_>>()
                            .into_iter()
                            .rev())
                    );
                }
                assert!(seen.iter().all(|times| *times == 1));
            }
        }
    }
}
