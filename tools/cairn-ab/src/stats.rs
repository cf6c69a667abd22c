//! Medians, ratios, and how sure they are.
//!
//! An interval has order statistics for ends: of n values in order, from the k-th to the k-th last. The
//! median lies outside of it only if fewer than k values fall on one side, and how probable that is
//! says the binomial distribution, whatever distribution the values have (Conover, "Practical
//! Nonparametric Statistics", chapter 3). So values may be skewed, have two peaks, or be infinite.
//! `coverage` measures that it is so, and why the narrower intervals of the signed-rank test are not
//! used: these are of the median only where values are symmetric.

#[cfg(test)]
mod coverage;

use serde::{Serialize, Serializer};

/// Intervals miss in at most this share of cases: they are of 95 %.
pub const ERROR: f64 = 0.05;

/// How often is measured unless something else is said: intervals of 95 % that bear one extreme value,
/// and also intervals that hold for up to 25 points at once.
pub const REPEATS: u32 = 10;

/// A value, and between what it lies.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    /// The median; of ratios, of those there are. Not a number if there is none.
    #[serde(serialize_with = "number")]
    pub value: f64,
    /// None of fewer samples than it takes ([`needed`]).
    pub interval: Option<Interval>,
    /// How many samples it comes from, also those that have no value.
    pub samples: usize,
    /// How many of these are infinite: something over zero.
    pub infinite: usize,
    /// How many have no value: zero over zero. As they might be anything, they count as below and as
    /// above all others.
    pub undefined: usize,
    /// How many more there would be if runs had not failed. They count likewise.
    pub missing: usize,
}

/// From where to where.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Interval {
    /// The lower end.
    #[serde(serialize_with = "number")]
    pub low: f64,
    /// The upper end.
    #[serde(serialize_with = "number")]
    pub high: f64,
}

impl Interval {
    /// Both ends.
    pub fn ends(self) -> [f64; 2] {
        [self.low, self.high]
    }
}

/// JSON has no word for what is infinite.
fn number<S: Serializer>(value: &f64, to: S) -> Result<S::Ok, S::Error> {
    match value.is_infinite() {
        true => to.serialize_str("infinite"),
        // Not a number becomes null.
        false => to.serialize_f64(*value),
    }
}

/// What a ratio of two variants says about them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Difference {
    /// The interval lies above 1 by more than the minimal effect.
    More,
    /// The interval lies below 1 by more than the minimal effect.
    Less,
    /// The interval lies within the minimal effect around 1.
    Same,
    /// None of these.
    Undecided,
    /// Most blocks were disturbed.
    Disturbed,
    /// There is no interval.
    TooFew,
}

/// The middle of the values in order, or between the two in the middle. None of none.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    match values.len() {
        0 => None,
        n if n % 2 == 1 => Some(values[half]),
        _ => Some(f64::midpoint(values[half - 1], values[half])),
    }
}

/// Of `samples` values in order, the median lies from the k-th to the k-th last except for a share of
/// at most `error` of all cases: the largest such k, counted from 1. None if not even the whole range
/// is enough.
pub fn rank(samples: usize, error: f64) -> Option<usize> {
    // The probability that exactly i of the values lie below the median, as a logarithm: the powers
    // of 1/2 of many samples are smaller than numbers can be.
    let mut exactly = -(samples as f64) * std::f64::consts::LN_2;
    let mut fewer = 0.0;
    for i in 0..=samples / 2 {
        fewer += exactly.exp();
        if 2.0 * fewer > error {
            return (i > 0).then_some(i);
        }
        exactly += (((samples - i) as f64) / (i + 1) as f64).ln();
    }
    Some(samples / 2)
}

/// In how many cases of all the interval that begins at a rank has the median in it, for values that
/// are all different; for others it is more.
#[cfg(test)]
fn coverage(samples: usize, rank: usize) -> f64 {
    let mut exactly = 0.5f64.powi(samples as i32);
    let mut fewer = 0.0;
    for i in 0..rank {
        fewer += exactly;
        exactly *= (samples - i) as f64 / (i + 1) as f64;
    }
    1.0 - 2.0 * fewer
}

/// What each of some points may miss so that all of them hold at once in 95 % of all cases
/// (Bonferroni).
pub fn error(points: usize) -> f64 {
    ERROR / points.max(1) as f64
}

/// How many samples it takes for intervals that hold for so many points at once: 6 for one.
pub fn needed(points: usize) -> usize {
    (1..).find(|samples| rank(*samples, error(points)).is_some()).expect("some number is enough")
}

/// The median and its interval. None of none.
pub fn estimate(values: &[f64]) -> Option<Estimate> {
    of(values, 0, 1)
}

/// The ratio of two variants: the median of the ratios within the blocks, because what disturbs the
/// machine lasts longer than a run and so is mostly common to both runs of a block. Its interval holds
/// for `points` of its kind at once.
///
/// `pairs` has the two values of each block, and `missing` blocks have none because a run has failed.
/// None if there are no pairs.
pub fn ratio(pairs: &[(f64, f64)], missing: usize, points: usize) -> Option<Estimate> {
    let ratios: Vec<f64> = pairs.iter().map(|(a, b)| divided(*a, *b)).collect();
    of(&ratios, missing, points)
}

/// Not a number where there is no ratio: zero over zero, and with what is negative.
fn divided(a: f64, b: f64) -> f64 {
    if a >= 0.0 && b > 0.0 {
        a / b
    } else if a > 0.0 && b == 0.0 {
        f64::INFINITY
    } else {
        f64::NAN
    }
}

fn of(values: &[f64], missing: usize, points: usize) -> Option<Estimate> {
    if values.is_empty() {
        return None;
    }
    let mut known: Vec<f64> = values.iter().copied().filter(|value| !value.is_nan()).collect();
    known.sort_by(f64::total_cmp);
    let undefined = values.len() - known.len();
    let unknown = undefined + missing;
    let interval = rank(values.len() + missing, error(points)).map(|rank| {
        // What is not known comes first, and also last.
        let at = |place: Option<usize>| place.and_then(|place| known.get(place)).copied();
        let from_end = (known.len() + unknown).checked_sub(rank);
        Interval {
            low: at((rank - 1).checked_sub(unknown)).unwrap_or_else(|| least(&known)),
            high: at(from_end).unwrap_or(f64::INFINITY),
        }
    });
    Some(Estimate {
        value: median(&known).unwrap_or(f64::NAN),
        interval,
        samples: values.len(),
        infinite: known.iter().filter(|value| value.is_infinite()).count(),
        undefined,
        missing,
    })
}

/// Below everything: zero, as ratios are of what is not negative.
fn least(known: &[f64]) -> f64 {
    known.first().copied().unwrap_or_default().min(0.0)
}

/// What the interval of a ratio says, if differences of less than the share `minimal` do not matter.
pub fn difference(ratio: &Estimate, minimal: f64) -> Difference {
    let (least, most) = (1.0 / (1.0 + minimal), 1.0 + minimal);
    match ratio.interval {
        None => Difference::TooFew,
        Some(it) if it.low > most => Difference::More,
        Some(it) if it.high < least => Difference::Less,
        Some(it) if it.low >= least && it.high <= most => Difference::Same,
        Some(_) => Difference::Undecided,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn interval(estimate: Estimate) -> (f64, f64) {
        let Interval { low, high } = estimate.interval.unwrap();
        (low, high)
    }

    #[test]
    fn medians_of_few() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0]), Some(3.0));
        assert_eq!(median(&[4.0, 1.0]), Some(2.5));
        assert_eq!(median(&[9.0, 1.0, 5.0]), Some(5.0));
        assert_eq!(median(&[1.0, 2.0, 3.0, 100.0]), Some(2.5));
    }

    #[test]
    fn ranks_are_those_of_tables() {
        // Conover, and Hollander and Wolfe: the sign test at 5 %, two-sided.
        let known = [
            (5, None),
            (6, Some(1)),
            (7, Some(1)),
            (8, Some(1)),
            (9, Some(2)),
            (10, Some(2)),
            (12, Some(3)),
            (15, Some(4)),
            (20, Some(6)),
            (25, Some(8)),
            (30, Some(10)),
            (100, Some(40)),
        ];
        for (samples, expected) in known {
            assert_eq!(rank(samples, ERROR), expected, "{samples}");
        }
        assert_eq!(rank(0, ERROR), None);
        // The normal distribution: 5000 - 1.96 * 50.
        let many = rank(10_000, ERROR).unwrap();
        assert!((4901..=4903).contains(&many), "{many}");
    }

    #[test]
    fn more_points_take_more_repeats() {
        let all = [(1, 6), (2, 7), (3, 7), (4, 8), (16, 10), (25, 10), (26, 11), (50, 11)];
        for (points, repeats) in all {
            assert_eq!(needed(points), repeats, "{points} points");
        }
        assert_eq!(needed(25), REPEATS as usize);
    }

    #[test]
    fn known_intervals() {
        let values: Vec<f64> = (1..=10).map(f64::from).collect();
        let ten = estimate(&values).unwrap();
        assert_eq!((ten.value, interval(ten), ten.samples), (5.5, (2.0, 9.0), 10));
        assert_eq!(interval(estimate(&values[..6]).unwrap()), (1.0, 6.0));
        assert_eq!(interval(estimate(&values[..7]).unwrap()), (1.0, 7.0));
        let five = estimate(&values[..5]).unwrap();
        assert_eq!((five.value, five.interval), (3.0, None));
        assert_eq!(interval(estimate(&[7.0; 9]).unwrap()), (7.0, 7.0));
        assert!(estimate(&[]).is_none());
    }

    #[test]
    fn ratios_are_taken_within_blocks() {
        // The machine is twice as fast in every other block; one variant always 1.5 times the other.
        let pairs: Vec<(f64, f64)> =
            (0..8).map(|block| if block % 2 == 0 { (1.5, 1.0) } else { (3.0, 2.0) }).collect();
        let it = ratio(&pairs, 0, 1).unwrap();
        assert_eq!((it.value, interval(it)), (1.5, (1.5, 1.5)));
        assert_eq!(difference(&it, 0.02), Difference::More);
        assert!(ratio(&[], 3, 1).is_none());
        // Of as many points it takes more samples.
        assert!(ratio(&pairs, 0, 5).unwrap().interval.is_some());
        assert_eq!(ratio(&pairs, 0, 50).unwrap().interval, None);
    }

    #[test]
    fn what_is_infinite_counts() {
        let mut pairs = [(1.0, 1.0); 10];
        pairs[0].1 = 0.0;
        let one = ratio(&pairs, 0, 1).unwrap();
        assert_eq!((one.infinite, one.undefined, interval(one)), (1, 0, (1.0, 1.0)));
        pairs[1].1 = 0.0;
        assert_eq!(interval(ratio(&pairs, 0, 1).unwrap()), (1.0, f64::INFINITY));
        let all = ratio(&[(1.0, 0.0); 6], 0, 1).unwrap();
        assert_eq!((all.value, interval(all)), (f64::INFINITY, (f64::INFINITY, f64::INFINITY)));
        assert_eq!(difference(&all, 0.02), Difference::More);
        let json = serde_json::to_value(all).unwrap();
        assert_eq!(json["value"], "infinite");
    }

    #[test]
    fn what_has_no_ratio_might_be_anything() {
        let mut pairs = [(2.0, 1.0); 10];
        pairs[0] = (0.0, 0.0);
        let one = ratio(&pairs, 0, 1).unwrap();
        assert_eq!((one.value, one.undefined, one.samples), (2.0, 1, 10));
        assert_eq!(interval(one), (2.0, 2.0));
        pairs[1] = (-1.0, 2.0);
        let two = ratio(&pairs, 0, 1).unwrap();
        assert_eq!((two.value, interval(two)), (2.0, (0.0, f64::INFINITY)));
        // A run that has failed, likewise.
        let failed = ratio(&[(2.0, 1.0); 9], 1, 1).unwrap();
        assert_eq!((interval(failed), failed.samples, failed.missing), ((2.0, 2.0), 9, 1));
        let failed = ratio(&[(2.0, 1.0); 8], 2, 1).unwrap();
        assert_eq!(interval(failed), (0.0, f64::INFINITY));
        let none = ratio(&[(0.0, 0.0); 6], 0, 1).unwrap();
        assert!(none.value.is_nan() && none.undefined == 6);
        assert_eq!(difference(&none, 0.02), Difference::Undecided);
        assert!(serde_json::to_value(none).unwrap()["value"].is_null());
    }

    #[test]
    fn what_intervals_say() {
        let of = |low, high| {
            let interval = Some(Interval { low, high });
            let it = Estimate { interval, ..estimate(&[1.0]).unwrap() };
            difference(&it, 0.02)
        };
        assert_eq!(of(1.1, 1.2), Difference::More);
        assert_eq!(of(0.8, 0.9), Difference::Less);
        assert_eq!(of(0.9, 1.1), Difference::Undecided);
        // Surely a difference, and surely or perhaps one that does not matter.
        assert_eq!(of(1.005, 1.015), Difference::Same);
        assert_eq!(of(1.005, 1.1), Difference::Undecided);
        assert_eq!(of(0.985, 1.0), Difference::Same);
        assert_eq!(difference(&estimate(&[2.0; 5]).unwrap(), 0.02), Difference::TooFew);
    }

    proptest! {
        #[test]
        fn intervals_hold_their_median(
            values in prop::collection::vec(-1e9..1e9f64, 6..40),
            points in 1..4usize,
            unknown in 0..3usize,
        ) {
            let mut values = values;
            values.iter_mut().take(unknown).for_each(|value| *value = f64::NAN);
            let it = of(&values, unknown, points).unwrap();
            if let Some(Interval { low, high }) = it.interval {
                prop_assert!(low <= it.value && it.value <= high);
            }
        }
    }
}
