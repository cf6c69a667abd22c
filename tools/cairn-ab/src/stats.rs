//! Medians, ratios, and how sure they are.

use fastrand::Rng;

/// Resamples of a bootstrap.
const RESAMPLES: usize = 2000;

/// Fewer samples can't tell anything at 95 %: of six pairs without any difference, all fall on one
/// side in 2 of 64 cases (3 %), of five in 2 of 32 (6 %).
pub const ENOUGH: usize = 6;

/// A value, and between what it lies with a probability of 95 %.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Estimate {
    /// The median.
    pub value: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// How many samples it comes from.
    pub samples: usize,
}

/// What a ratio of two variants says about them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Difference {
    /// The interval lies above 1.
    More,
    /// The interval lies below 1.
    Less,
    /// The interval has 1 in it.
    NotSeen,
    /// Fewer samples than [`ENOUGH`].
    TooFew,
}

/// The middle of the values in order, or between the two in the middle. None of none.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut values = values.to_vec();
    middle(&mut values)
}

fn middle(values: &mut [f64]) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    match values.len() {
        0 => None,
        n if n % 2 == 1 => Some(values[half]),
        _ => Some(f64::midpoint(values[half - 1], values[half])),
    }
}

/// The median and its percentile bootstrap interval (Efron and Tibshirani, "An Introduction to the
/// Bootstrap", chapter 13). The same values and seed give the same interval. None of none.
pub fn estimate(values: &[f64], seed: u64) -> Option<Estimate> {
    let value = median(values)?;
    let mut rng = Rng::with_seed(seed);
    let mut drawn = vec![0.0; values.len()];
    let mut medians: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            drawn.fill_with(|| values[rng.usize(..values.len())]);
            middle(&mut drawn).expect("not empty")
        })
        .collect();
    medians.sort_by(f64::total_cmp);
    let at = |share: f64| medians[((RESAMPLES - 1) as f64 * share).round() as usize];
    Some(Estimate { value, low: at(0.025), high: at(0.975), samples: values.len() })
}

/// The ratio of two variants: the median of the ratios within the blocks, because what disturbs the
/// machine lasts longer than a run and so is mostly common to both runs of a block.
///
/// `pairs` has the two values of each block. None if there are none with a ratio.
pub fn ratio(pairs: &[(f64, f64)], seed: u64) -> Option<Estimate> {
    let ratios: Vec<f64> =
        pairs.iter().map(|(a, b)| a / b).filter(|ratio| ratio.is_finite()).collect();
    estimate(&ratios, seed)
}

/// What the interval of a ratio says.
pub fn difference(ratio: &Estimate) -> Difference {
    if ratio.samples < ENOUGH {
        Difference::TooFew
    } else if ratio.low > 1.0 {
        Difference::More
    } else if ratio.high < 1.0 {
        Difference::Less
    } else {
        Difference::NotSeen
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn medians_of_few() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0]), Some(3.0));
        assert_eq!(median(&[4.0, 1.0]), Some(2.5));
        assert_eq!(median(&[9.0, 1.0, 5.0]), Some(5.0));
        assert_eq!(median(&[1.0, 2.0, 3.0, 100.0]), Some(2.5));
    }

    #[test]
    fn a_known_interval() {
        // The bootstrap's medians of five values are these values: P(median <= smallest) is
        // P(at least 3 of 5 draws are the smallest) = 5.8 %, more than 2.5 %, so the interval is
        // the whole range.
        let five = estimate(&[1.0, 2.0, 3.0, 4.0, 5.0], 1).unwrap();
        assert_eq!((five.value, five.low, five.high, five.samples), (3.0, 1.0, 5.0, 5));
        // Of 0..=100 the interval is given by the binomial distribution: ranks 40 and 62 of 101.
        let values: Vec<f64> = (0..=100).map(f64::from).collect();
        let many = estimate(&values, 1).unwrap();
        assert_eq!(many.value, 50.0);
        assert!((38.0..=42.0).contains(&many.low), "{many:?}");
        assert!((58.0..=62.0).contains(&many.high), "{many:?}");
    }

    #[test]
    fn equal_values_leave_no_doubt() {
        let all = estimate(&[7.0; 9], 3).unwrap();
        assert_eq!((all.value, all.low, all.high), (7.0, 7.0, 7.0));
        assert!(estimate(&[], 3).is_none());
    }

    #[test]
    fn a_seed_repeats() {
        let values = [1.0, 4.0, 2.0, 8.0, 5.0, 7.0, 3.0];
        assert_eq!(estimate(&values, 5), estimate(&values, 5));
    }

    #[test]
    fn ratios_are_taken_within_blocks() {
        // The machine is twice as fast in every other block; one variant always 1.5 times the other.
        let pairs: Vec<(f64, f64)> =
            (0..8).map(|block| if block % 2 == 0 { (1.5, 1.0) } else { (3.0, 2.0) }).collect();
        let ratio = ratio(&pairs, 1).unwrap();
        assert_eq!((ratio.value, ratio.low, ratio.high), (1.5, 1.5, 1.5));
        assert_eq!(difference(&ratio), Difference::More);
        assert!(super::ratio(&[(1.0, 0.0), (0.0, 0.0)], 1).is_none());
    }

    #[test]
    fn what_intervals_say() {
        let of = |low, high, samples| difference(&Estimate { value: 1.0, low, high, samples });
        assert_eq!(of(1.1, 1.2, ENOUGH), Difference::More);
        assert_eq!(of(0.8, 0.9, ENOUGH), Difference::Less);
        assert_eq!(of(0.9, 1.1, 50), Difference::NotSeen);
        assert_eq!(of(1.0, 1.1, 50), Difference::NotSeen);
        assert_eq!(of(1.1, 1.2, ENOUGH - 1), Difference::TooFew);
    }

    proptest! {
        #[test]
        fn intervals_hold_their_median(values in prop::collection::vec(-1e9..1e9f64, 1..30), seed: u64) {
            let it = estimate(&values, seed).unwrap();
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            prop_assert!(least <= it.low && it.low <= it.high && it.high <= most);
            prop_assert!(least <= it.value && it.value <= most);
        }
    }
}
