//! Which component moves messages of a size.
//!
//! Which one is the fastest depends on the machine, the size and the moment, and on nothing that could
//! be known beforehand. So the first transfers of each size (by powers of two) go by each component
//! in turn, then by the one that takes the least time, and now and then by another, since processes
//! move and neighbours come and go. Measured is the time from the first to the end of the last of the
//! transfers that follow each other without a pause, if they are of one size and component and the
//! process does nothing else: one among many mostly waits for the others. A component that could not
//! be measured yet is no worse than another; then the first, of the highest priority, is taken.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use cairn_segment::pace::believed;

/// Components that are considered, the highest priority first.
pub const MAX_COMPONENTS: usize = 4;
/// Transfers that each component is measured with before one is preferred: so many that the last ones
/// find the component's memory warm.
const TRIALS: u32 = 8;
/// Transfers that are tried with a component, whether they could be measured or not.
const TRIES: u32 = 16;
/// One transfer in so many goes by a component that was not the best.
const RETRY: u32 = 256;

/// What is known about transfers of a size. All fields are hints, so Relaxed.
#[derive(Default)]
pub struct Choice {
    /// The component that is preferred, one more than its place; 0 while that is open.
    chosen: AtomicU32,
    transfers: AtomicU32,
    records: [Record; MAX_COMPONENTS],
}

#[derive(Default)]
struct Record {
    tries: AtomicU32,
    trials: AtomicU32,
    /// Picoseconds a byte; 0 when it is not known.
    time: AtomicU64,
}

/// [`Record::time`] of what was not measured yet.
const UNKNOWN: u64 = u64::MAX;

impl Record {
    /// Picoseconds a byte, or [`UNKNOWN`].
    fn time(&self) -> u64 {
        match self.time.load(Ordering::Relaxed) {
            0 => UNKNOWN,
            time => time,
        }
    }

    /// It has not had its turns yet.
    fn is_open(&self) -> bool {
        self.trials.load(Ordering::Relaxed) < TRIALS && self.tries.load(Ordering::Relaxed) < TRIES
    }
}

impl Choice {
    /// The place to take among those that are `usable`. `idle`: nothing is going on, so the transfer,
    /// and those that follow it, can be measured.
    pub fn choose<I: Iterator<Item = usize>>(
        &self,
        usable: impl Fn() -> I,
        idle: bool,
    ) -> Option<usize> {
        let count = |place: &usize| self.records[*place].tries.load(Ordering::Relaxed);
        if idle {
            let open = usable().filter(|place| self.records[*place].is_open());
            if let Some(place) = open.min_by_key(count) {
                return Some(place);
            }
        }
        let chosen = (self.chosen.load(Ordering::Relaxed) as usize).checked_sub(1);
        let best = match chosen.filter(|chosen| usable().any(|place| place == *chosen)) {
            Some(place) => place,
            None => usable().next()?,
        };
        // More often in the beginning, when memory was cold and what is known is too slow.
        let number = self.transfers.load(Ordering::Relaxed);
        if idle && (number.is_power_of_two() || number.is_multiple_of(RETRY)) {
            return usable().filter(|place| *place != best).min_by_key(count).or(Some(best));
        }
        Some(best)
    }

    /// The places that an owner may offer by: not only the best, since the reader chooses for itself,
    /// and what is not offered seems slower to it than it is.
    pub fn to_offer<I: Iterator<Item = usize>>(
        &self,
        usable: impl Fn() -> I,
    ) -> impl Iterator<Item = usize> {
        let best = usable().map(|place| self.records[place].time()).min().unwrap_or(UNKNOWN);
        usable().filter(move |place| match self.records[*place].time() {
            UNKNOWN => true,
            time => time <= best.saturating_add(best / 2),
        })
    }

    /// A transfer has begun.
    pub fn begun(&self, place: usize) {
        self.transfers.fetch_add(1, Ordering::Relaxed);
        self.records[place].tries.fetch_add(1, Ordering::Relaxed);
    }

    /// Transfers took so many picoseconds a byte. Whether another one of the `count` components is
    /// preferred from now on.
    pub fn measured(&self, place: usize, count: usize, time: u64) -> bool {
        let (record, new) = (&self.records[place], time.max(1));
        let next = believed(record.time.load(Ordering::Relaxed), new);
        record.time.store(next, Ordering::Relaxed);
        record.trials.fetch_add(1, Ordering::Relaxed);
        self.decide(&self.records[..count])
    }

    /// Prefers another component, if one is clearly better by now.
    fn decide(&self, records: &[Record]) -> bool {
        let chosen = (self.chosen.load(Ordering::Relaxed) as usize).checked_sub(1);
        let unknown = |record: &Record| record.is_open() || record.time() == UNKNOWN;
        if chosen.is_none() && records.iter().any(unknown) {
            return false;
        }
        let times = records.iter().map(Record::time).enumerate();
        let Some((best, time)) = times.min_by_key(|(_, time)| *time) else { return false };
        let present = chosen.map_or(UNKNOWN, |place| self.records[place].time());
        let better = chosen != Some(best) && time < present - present / 10;
        if better {
            self.chosen.store(best as u32 + 1, Ordering::Relaxed);
        }
        better
    }

    /// Whether a component is preferred.
    pub fn is_decided(&self) -> bool {
        self.chosen.load(Ordering::Relaxed) > 0
    }

    /// Picoseconds a byte that a component takes, if it was measured.
    pub fn time(&self, place: usize) -> Option<u64> {
        Some(self.records[place].time()).filter(|time| *time != UNKNOWN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Transfers that are alone, of components that take `times`; how many each got.
    fn transfers(choice: &Choice, count: u32, times: &[u64]) -> Vec<u32> {
        let mut taken = vec![0; times.len()];
        for _ in 0..count {
            let place = choice.choose(|| 0..times.len(), true).unwrap();
            choice.begun(place);
            choice.measured(place, times.len(), times[place]);
            taken[place] += 1;
        }
        taken
    }

    #[test]
    fn the_fastest_is_taken_and_a_change_is_noticed() {
        let choice = Choice::default();
        assert_eq!(choice.choose(|| 0..0, true), None);
        // One that is not measured takes the first.
        assert_eq!((choice.choose(|| 0..3, false), choice.is_decided()), (Some(0), false));
        let taken = transfers(&choice, 1000, &[300, 100, 200]);
        assert!(choice.is_decided() && taken[1] > 950 && taken.iter().all(|&n| n >= TRIALS));
        assert_eq!((choice.choose(|| 0..3, false), choice.time(1)), (Some(1), Some(100)));
        // The first becomes the fastest.
        let taken = transfers(&choice, 20 * RETRY, &[50, 100, 200]);
        assert!(taken[0] > 15 * RETRY, "{taken:?}");
        // A peer that it can't be used for gets another one.
        assert_eq!(choice.choose(|| 1..3, false), Some(1));
        // One interruption changes nothing.
        choice.measured(0, 3, u64::MAX / 2);
        assert_eq!(choice.choose(|| 0..3, false), Some(0));
    }

    #[test]
    fn a_slow_start_is_forgiven() {
        let choice = Choice::default();
        transfers(&choice, 2 * (TRIALS - 1), &[5000, 300]);
        let taken = transfers(&choice, 200, &[100, 300]);
        assert!(taken[0] > 180, "{taken:?}");
        // Nor does it matter that nothing can be measured.
        let choice = Choice::default();
        for _ in 0..2 * TRIES {
            choice.begun(choice.choose(|| 0..2, true).unwrap());
        }
        assert_eq!((choice.choose(|| 0..2, false), choice.is_decided()), (Some(0), false));
        // Or only of one.
        assert!(!choice.measured(1, 2, 100));
        assert_eq!((choice.choose(|| 0..2, false), choice.is_decided()), (Some(0), false));
        assert!(choice.measured(0, 2, 300));
        assert_eq!((choice.choose(|| 0..2, false), choice.is_decided()), (Some(1), true));
    }

    #[test]
    fn what_is_not_much_slower_is_offered() {
        let choice = Choice::default();
        let offered = || choice.to_offer(|| 0..3).collect::<Vec<_>>();
        assert_eq!(offered(), [0, 1, 2]);
        choice.measured(0, 3, 150);
        choice.measured(1, 3, 100);
        assert_eq!(offered(), [0, 1, 2]);
        choice.measured(2, 3, 151);
        assert_eq!(offered(), [0, 1]);
    }
}
