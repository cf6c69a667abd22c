//! How often intervals have the median in them, measured: for each number of repeats that is usual, with
//! values of four distributions. The table in `docs/cairn-ab.md` is what comes of it.

use std::f64::consts::{LN_2, TAU};
use std::fmt::Write;
use std::path::Path;

use fastrand::Rng;

use super::{Difference, ERROR, coverage, difference, estimate, rank, ratio};

/// So often each is tried; the share that is found is off by 0.5 % at most.
const TRIALS: u32 = 4000;

/// A distribution: its name, how a value is drawn, and its median.
type Distribution = (&'static str, fn(&mut Rng) -> f64, f64);

const DISTRIBUTIONS: [Distribution; 4] = [
    ("normal", |rng| 10.0 + normal(rng), 10.0),
    ("lognormal", |rng| normal(rng).exp(), 1.0),
    ("exponential", |rng| -(1.0 - rng.f64()).ln(), LN_2),
    // Most values lie closely together, a third of them far above.
    ("bimodal", bimodal, 1.0),
];

fn normal(rng: &mut Rng) -> f64 {
    (-2.0 * (1.0 - rng.f64()).ln()).sqrt() * (TAU * rng.f64()).cos()
}

/// Uniform from 0.9 to 1 and from 1 to 1.1 in a half and a sixth of cases, about 3 in a third.
fn bimodal(rng: &mut Rng) -> f64 {
    match rng.f64() {
        it if it < 0.5 => 0.9 + 0.2 * it,
        it if it < 2.0 / 3.0 => 1.0 + 0.6 * (it - 0.5),
        it => 3.0 + 0.3 * (it - 2.0 / 3.0),
    }
}

/// Whether the interval of Hodges and Lehmann has the logarithm of a median in it: whether the
/// signed-rank test does not refuse it. `below` is the distribution of its statistic.
fn signed_rank(values: &[f64], median: f64, below: &[f64]) -> bool {
    let mut away: Vec<f64> = values.iter().map(|value| (value / median).ln()).collect();
    away.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    let ranks = away.iter().enumerate().filter(|(_, it)| **it > 0.0);
    let sum: usize = ranks.map(|(i, _)| i + 1).sum();
    let most = below.len() - 1;
    2.0 * below[sum.min(most - sum)] > ERROR
}

/// The probability that the signed-rank statistic of so many values is at most 0, 1, 2 …
fn signed_rank_below(samples: usize) -> Vec<f64> {
    let mut exactly = vec![0.0; samples * (samples + 1) / 2 + 1];
    exactly[0] = 1.0;
    for rank in 1..=samples {
        for sum in (0..exactly.len()).rev() {
            let with = if sum >= rank { exactly[sum - rank] } else { 0.0 };
            exactly[sum] = f64::midpoint(exactly[sum], with);
        }
    }
    exactly
        .iter()
        .scan(0.0, |sum, it| {
            *sum += it;
            Some(*sum)
        })
        .collect()
}

/// The shares of trials in which the interval has the median in it, and that of the signed ranks.
fn measured(samples: usize, distribution: usize) -> [f64; 2] {
    let (_, draw, median) = &DISTRIBUTIONS[distribution];
    let below = signed_rank_below(samples);
    let mut rng = Rng::with_seed((100 * distribution + samples) as u64);
    let mut values = vec![0.0; samples];
    let mut found = [0; 2];
    for _ in 0..TRIALS {
        values.fill_with(|| draw(&mut rng));
        let it = estimate(&values).and_then(|it| it.interval).expect("enough values");
        found[0] += u32::from((it.low..=it.high).contains(median));
        found[1] += u32::from(signed_rank(&values, *median, &below));
    }
    found.map(|found| f64::from(found) / f64::from(TRIALS))
}

#[test]
fn intervals_cover_what_they_say() {
    let mut table = String::from("| repeats | from, to | exact |");
    for (name, ..) in DISTRIBUTIONS {
        let _ = write!(table, " {name} |");
    }
    table += " signed ranks, exponential | signed ranks, bimodal |\n";
    table += &format!("|{}\n", "---|".repeat(DISTRIBUTIONS.len() + 5));
    for samples in 6..=30 {
        let rank = rank(samples, ERROR).unwrap();
        let exact = coverage(samples, rank);
        assert!(exact >= 1.0 - ERROR, "{samples}: {exact}");
        // No wider than it must be.
        assert!(coverage(samples, rank + 1) < 1.0 - ERROR, "{samples}");
        let _ = write!(
            table,
            "| {samples} | {rank}, {} | {:.1} % |",
            samples + 1 - rank,
            exact * 100.0
        );
        let found = [0, 1, 2, 3].map(|it| measured(samples, it));
        for ([found, _], (name, ..)) in found.iter().zip(DISTRIBUTIONS) {
            // Five standard deviations of a share that is found in so many trials.
            let off = 5.0 * (exact * (1.0 - exact) / f64::from(TRIALS)).sqrt();
            assert!((found - exact).abs() < off, "{samples}, {name}: {found} instead of {exact}");
            let _ = write!(table, " {:.1} % |", found * 100.0);
        }
        let _ = writeln!(table, " {:.1} % | {:.1} % |", found[2][1] * 100.0, found[3][1] * 100.0);
    }
    println!("{table}");
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/cairn-ab.md");
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains(&table), "docs/cairn-ab.md has another table than\n{table}");
}

#[test]
fn the_signed_ranks_are_those_of_tables() {
    // Hollander and Wolfe: of 10 values the statistic is 8 or less in 2.44 % of cases, of 6 it is 0
    // in one of 64.
    assert!((signed_rank_below(10)[8] - 0.0244).abs() < 1e-4);
    assert_eq!(signed_rank_below(6)[0], 1.0 / 64.0);
    // Of symmetric values it says what it should.
    let [_, found] = measured(20, 1);
    assert!((found - 0.952).abs() < 0.015, "{found}");
}

#[test]
fn few_tables_have_a_mark_by_chance() {
    // Six variants that are as fast as the baseline, ten repeats.
    let (points, repeats) = (6, 10);
    let mut rng = Rng::with_seed(1);
    let mut value = || bimodal(&mut rng);
    let (mut corrected, mut each) = (0, 0);
    for _ in 0..TRIALS {
        let tables: Vec<Vec<(f64, f64)>> =
            (0..points).map(|_| (0..repeats).map(|_| (value(), value())).collect()).collect();
        let marked = |points| {
            let ratios = tables.iter().map(|pairs| ratio(pairs, 0, points).expect("pairs"));
            let mut marks = ratios.map(|ratio| difference(&ratio, 0.0));
            marks.any(|it| matches!(it, Difference::More | Difference::Less))
        };
        corrected += u32::from(marked(points));
        each += u32::from(marked(1));
    }
    let share = |found| f64::from(found) / f64::from(TRIALS);
    // The intervals are from the first to the last: each misses in 2 of 2^10 cases.
    assert!((share(corrected) - 0.012).abs() < 0.01, "{corrected}");
    // Each for itself is from the second to the second last, and one of six misses in 12 %.
    assert!(share(each) > 0.1, "{each}");
}
