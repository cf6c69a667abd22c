//! Which context ids of a maker are over: a set of numbers that grows at its end.
//!
//! A process makes context ids with rising numbers, and a member of its communicators closes them in
//! about that order. So what is over is a few runs of consecutive numbers, whatever their count.

/// Runs that are kept. A process that takes part in every other communicator of a maker has a run
/// for each of them, so the oldest are forgotten.
const RUNS: usize = 256;

/// The numbers.
#[derive(Default)]
pub struct Serials {
    /// First and last number of each run, rising, with a gap between one and the next.
    runs: Vec<(u64, u64)>,
}

impl Serials {
    /// Whether a number is in it. A number that was put in is, as long as fewer than `RUNS` runs of
    /// higher numbers are in.
    pub fn contains(&self, serial: u64) -> bool {
        let behind = self.runs.partition_point(|(first, _)| *first <= serial);
        behind > 0 && serial <= self.runs[behind - 1].1
    }

    /// Puts a number in.
    pub fn insert(&mut self, serial: u64) {
        let behind = self.runs.partition_point(|(first, _)| *first <= serial);
        let before = behind.checked_sub(1).map(|place| self.runs[place].1);
        if before.is_some_and(|last| serial <= last) {
            return;
        }
        // All first numbers from `behind` on are higher, so neither step overflows.
        let joins_before = before.is_some_and(|last| last + 1 == serial);
        let joins_after = self.runs.get(behind).is_some_and(|(first, _)| first - 1 == serial);
        match (joins_before, joins_after) {
            (true, true) => {
                self.runs[behind - 1].1 = self.runs[behind].1;
                self.runs.remove(behind);
            }
            (true, false) => self.runs[behind - 1].1 = serial,
            (false, true) => self.runs[behind].0 = serial,
            (false, false) => self.runs.insert(behind, (serial, serial)),
        }
        if self.runs.len() > RUNS {
            self.runs.remove(0);
        }
    }
}

#[cfg(all(test, not(feature = "loom")))]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_are_in_once_they_were_put_in(
            begin in prop_oneof![Just(0), Just(u64::from(u32::MAX) - 20), Just(u64::MAX - 40)],
            numbers in prop::collection::vec(0..40_u64, 1..60),
        ) {
            let (mut serials, mut model) = (Serials::default(), BTreeSet::new());
            for number in numbers {
                serials.insert(begin + number);
                model.insert(begin + number);
                for number in 0..=40 {
                    prop_assert_eq!(serials.contains(begin + number), model.contains(&(begin + number)));
                }
                prop_assert!(serials.runs.windows(2).all(|two| two[0].1 + 1 < two[1].0));
            }
        }
    }

    #[test]
    fn what_is_consecutive_needs_no_memory() {
        let mut serials = Serials::default();
        (0..100_000).for_each(|serial| serials.insert(serial));
        assert_eq!(serials.runs, [(0, 99_999)]);
    }

    #[test]
    fn the_oldest_of_many_runs_are_forgotten() {
        let mut serials = Serials::default();
        let last = 2 * RUNS as u64 + 98;
        (0..=last).step_by(2).for_each(|serial| serials.insert(serial));
        assert_eq!(serials.runs.len(), RUNS);
        assert!(!serials.contains(98) && serials.contains(100) && serials.contains(last));
        assert!(!serials.contains(101));
    }
}
