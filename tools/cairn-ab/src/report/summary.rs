//! What the samples come to: a table for each benchmark and metric.

use std::collections::{BTreeMap, BTreeSet};

use cairn_framework::host::report::Tone;
use serde::Serialize;

use crate::contract::{At, Better, Point, Scalar};
use crate::counts;
use crate::environment::Environment;
use crate::experiment::{Benchmark, Experiment, Variant};
use crate::report::numbers;
use crate::report::runs::{self, Attempts};
use crate::stats::{self, Difference, Estimate};
use crate::store::{Contents, Outcome, Record, Run};
use crate::verdict::{self, Verdict};

/// Everything that a report says.
#[derive(Debug, Clone, Serialize)]
pub struct Summary {
    /// What was measured.
    pub experiment: Experiment,
    /// Where and with what; several if it was interrupted.
    pub environments: Vec<Environment>,
    /// The library that each variant ran on, in its own words.
    pub versions: BTreeMap<String, String>,
    /// The variants that were left out, and why.
    pub skipped: BTreeMap<String, String>,
    /// The values.
    pub groups: Vec<Group>,
    /// What became of the runs of each command line.
    pub attempts: Vec<Attempts>,
    /// What did not work.
    pub failures: Vec<Failure>,
    /// Counts that can't be had, in words.
    pub uncounted: Vec<String>,
    /// How quiet the machine was.
    pub quiet: Quiet,
    /// What came of the claims.
    pub verdicts: Vec<Verdict>,
}

/// The values of a metric of a benchmark.
#[derive(Debug, Clone, Serialize)]
pub struct Group {
    /// The benchmark.
    pub benchmark: String,
    /// The metric.
    pub metric: String,
    /// Its unit.
    pub unit: String,
    /// Which is the better one.
    pub better: Better,
    /// By place.
    pub rows: Vec<Row>,
    /// How many ratios there are. Their intervals hold for all of them at once.
    pub points: usize,
}

impl Group {
    /// Its heading. A benchmark that is called like its metric is not named twice.
    pub fn title(&self) -> String {
        if self.benchmark == self.metric {
            self.metric.clone()
        } else {
            format!("{}: {}", self.benchmark, self.metric)
        }
    }
}

/// The values at a place.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    /// The place.
    pub at: At,
    /// By the variant's name.
    pub cells: BTreeMap<String, Cell>,
}

/// The values of a variant at a place.
#[derive(Debug, Clone, Serialize)]
pub struct Cell {
    /// By block.
    pub samples: BTreeMap<u32, f64>,
    /// Their median.
    pub median: Estimate,
    /// Over the baseline; none for the baseline itself, and where it has no value.
    pub ratio: Option<Estimate>,
    /// Runs of its command line that have failed, here or with the baseline, so that values are missing.
    pub failed: u32,
    /// What the ratio says.
    pub difference: Option<Difference>,
    /// Whether this is the baseline.
    pub baseline: bool,
}

impl Cell {
    /// The best of all values: what the software can where the machine lets it.
    pub fn best(&self, better: Better) -> f64 {
        let best = self.samples.values().copied().reduce(|one, other| match better {
            Better::Higher => one.max(other),
            Better::Lower => one.min(other),
        });
        best.unwrap_or(f64::NAN)
    }
}

/// Runs that did not work.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Failure {
    /// The variant.
    pub variant: String,
    /// The benchmark and its arguments.
    pub what: String,
    /// Why.
    pub reason: String,
    /// Whether the library just lacks what is measured.
    pub skipped: bool,
    /// How many runs this happened to.
    pub times: u32,
    /// Of how many.
    pub runs: u32,
}

impl Failure {
    /// In words.
    pub fn shown(&self) -> String {
        let Self { variant, what, reason, times, runs, .. } = self;
        match self.skipped {
            true => format!("skipped: {what} with {variant}: {reason}"),
            false => format!("failed: {what} with {variant}: {reason} ({times} of {runs} runs)"),
        }
    }
}

/// How quiet the machine was.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Quiet {
    /// Blocks that count.
    pub blocks: u32,
    /// Those that were repeated.
    pub repeated: u32,
    /// Those that count although the machine was disturbed at every attempt.
    pub disturbed_blocks: BTreeSet<u32>,
    /// Blocks that the experiment wants.
    pub wanted: u32,
}

impl Quiet {
    /// Blocks that count although the machine was disturbed at every attempt.
    pub fn disturbed(&self) -> usize {
        self.disturbed_blocks.len()
    }

    /// Whether these are most of them, so that nothing follows from the values.
    pub fn mostly_disturbed(&self) -> bool {
        verdict::mostly(self.disturbed(), self.blocks as usize)
    }
}

impl Summary {
    /// Of a store.
    pub fn new(contents: &Contents) -> Self {
        let counting = counting(contents);
        let attempts = runs::attempts(contents);
        let instructions = contents.records.iter().filter_map(|record| match record {
            Record::Instructions(run) => Some(&**run),
            _ => None,
        });
        let with_values: Vec<&Run> = counting.iter().copied().chain(instructions).collect();
        let mut summary = Self {
            experiment: contents.experiment.clone(),
            groups: Vec::new(),
            failures: failures(&attempts),
            attempts,
            uncounted: uncounted(&with_values),
            quiet: quiet(contents, &counting),
            environments: Vec::new(),
            versions: BTreeMap::new(),
            skipped: BTreeMap::new(),
            verdicts: Vec::new(),
        };
        // The order of the experiment, whatever the order of the runs.
        let benchmarks = summary.experiment.benchmarks.iter();
        summary.groups = benchmarks.flat_map(|it| summary.tables(it, &with_values)).collect();
        for record in &contents.records {
            match record {
                Record::Environment(environment) => {
                    // What could not be measured then may be possible now.
                    summary.skipped.clear();
                    summary.environments.push((**environment).clone());
                }
                Record::Skipped { variant, reason } => {
                    summary.skipped.insert(variant.clone(), reason.clone());
                }
                _ => {}
            }
        }
        summary.verdicts =
            summary.experiment.verdicts.iter().map(|rule| rule.judge(&summary)).collect();
        summary
    }

    /// What could not be measured and counted, in words, and how bad that is.
    pub fn not_measured(&self) -> Vec<(Tone, String)> {
        let left_out = self.skipped.iter();
        let left_out = left_out
            .map(|(variant, reason)| (Tone::Plain, format!("{variant} was left out: {reason}")));
        let failed = self.failures.iter().map(|failure| {
            (if failure.skipped { Tone::Faint } else { Tone::Bad }, failure.shown())
        });
        let uncounted =
            self.uncounted.iter().map(|what| (Tone::Faint, format!("not counted: {what}")));
        left_out.chain(failed).chain(uncounted).collect()
    }

    /// The library that a variant ran on: in its own words, or its name.
    pub fn version(&self, variant: &Variant) -> &str {
        self.versions.get(&variant.name).map_or(variant.mpi.title(), String::as_str)
    }

    /// Where that library is.
    pub fn library(&self, variant: &Variant) -> &str {
        let environment = self.environments.last();
        let library = environment.and_then(|it| it.libraries.get(&variant.name));
        library.map_or("not there", String::as_str)
    }

    /// How many cores there were.
    pub fn cores(&self) -> usize {
        self.environments.last().map_or(0, |environment| environment.cores)
    }
}

/// A place in words.
pub fn place(at: &At) -> String {
    let one = |(name, value): (&String, &Scalar)| numbers::coordinate(name, value);
    at.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// The runs that count: of each block the attempt that was chosen, or the last one of a block that was
/// interrupted.
fn counting(contents: &Contents) -> Vec<&Run> {
    let mut chosen: BTreeMap<u32, u32> = BTreeMap::new();
    for run in contents.runs() {
        let attempt = chosen.entry(run.block).or_default();
        *attempt = run.attempt.max(*attempt);
    }
    for record in &contents.records {
        if let Record::Block(block) = record {
            chosen.insert(block.block, block.attempt);
        }
    }
    contents
        .runs()
        .filter(|run| run.block >= contents.experiment.warmup)
        .filter(|run| chosen.get(&run.block) == Some(&run.attempt))
        .collect()
}

/// The values of a variant by block, by the variant's name.
type Samples = BTreeMap<String, BTreeMap<u32, f64>>;

impl Summary {
    /// The tables of a benchmark, by metric.
    fn tables(&self, benchmark: &Benchmark, runs: &[&Run]) -> Vec<Group> {
        let mut metrics: BTreeMap<&str, (&Point, BTreeMap<At, Samples>)> = BTreeMap::new();
        for run in runs.iter().filter(|run| run.benchmark == benchmark.name) {
            let Outcome::Measured { points, .. } = &run.outcome else { continue };
            for point in points {
                let wanted = benchmark.metric.as_ref().is_none_or(|it| *it == point.metric);
                if wanted || counts::is_count(&point.metric) {
                    let (_, rows) =
                        metrics.entry(&point.metric).or_insert((point, BTreeMap::new()));
                    let at = runs::place(&self.experiment, run, &point.at);
                    let own = rows.entry(at).or_default().entry(run.variant.clone()).or_default();
                    own.insert(run.block, point.value);
                }
            }
        }
        let tables = metrics.into_values().map(|(point, rows)| {
            let points = rows.values().map(|samples| self.ratios(samples)).sum();
            let row = |(at, samples): (At, Samples)| {
                let cell = |name: &String| {
                    Some((name.clone(), self.cell(benchmark, name, &at, &samples, points)?))
                };
                Row { cells: samples.keys().filter_map(cell).collect(), at }
            };
            let Point { metric, unit, better, .. } = point.clone();
            let rows = rows.into_iter().map(row).collect();
            Group { benchmark: benchmark.name.clone(), metric, unit, better, rows, points }
        });
        tables.collect()
    }

    /// How many ratios there are at a place.
    fn ratios(&self, samples: &Samples) -> usize {
        let Some(baseline) = samples.get(&self.experiment.baseline) else { return 0 };
        let others = samples.iter().filter(|(name, _)| **name != self.experiment.baseline);
        others.filter(|(_, own)| own.keys().any(|block| baseline.contains_key(block))).count()
    }

    /// A variant at a place of a table with so many ratios.
    fn cell(
        &self,
        benchmark: &Benchmark,
        name: &str,
        at: &At,
        samples: &Samples,
        points: usize,
    ) -> Option<Cell> {
        // How many runs of a variant have failed that would have had a value here.
        let failures = |variant: &str| -> u32 {
            let like = |place: &At| place.iter().all(|(name, value)| at.get(name) == Some(value));
            let here = self.attempts.iter().filter(|it| it.benchmark == benchmark.name);
            here.filter(|it| it.is_at(variant, like)).map(Attempts::failures).sum()
        };
        let own = samples.get(name)?.clone();
        let median = stats::estimate(&own.values().copied().collect::<Vec<_>>())?;
        let baseline = name == self.experiment.baseline;
        let (mut failed, mut ratio) = (failures(name), None);
        if let Some(base) = samples.get(&self.experiment.baseline).filter(|_| !baseline) {
            failed += failures(&self.experiment.baseline);
            let pairs: Vec<(f64, f64)> =
                own.iter().filter_map(|(block, it)| Some((*it, *base.get(block)?))).collect();
            let missing = (self.quiet.blocks as usize).saturating_sub(pairs.len());
            ratio = stats::ratio(&pairs, if failed > 0 { missing } else { 0 }, points);
        }
        let difference = ratio.as_ref().map(|ratio| match self.quiet.mostly_disturbed() {
            true => Difference::Disturbed,
            false => stats::difference(ratio, self.experiment.minimal_effect),
        });
        Some(Cell { samples: own, median, ratio, failed, difference, baseline })
    }
}

fn failures(attempts: &[Attempts]) -> Vec<Failure> {
    let mut failures = Vec::new();
    // A library lacks something for all arguments, mostly; so they are said once.
    let mut skipped: BTreeMap<[&str; 3], Vec<&Attempts>> = BTreeMap::new();
    let what =
        |it: &Attempts| format!("{} {}", it.benchmark, it.args.join(" ")).trim_end().to_owned();
    for it in attempts {
        let (variant, runs) = (it.variant.clone(), it.runs);
        failures.extend(it.failed.iter().map(|(reason, times)| Failure {
            variant: variant.clone(),
            what: what(it),
            reason: reason.clone(),
            skipped: false,
            times: *times,
            runs,
        }));
        if let Some(reason) = &it.skipped {
            skipped.entry([&it.variant, &it.benchmark, reason]).or_default().push(it);
        }
    }
    failures.extend(skipped.into_iter().map(|([variant, benchmark, reason], all)| {
        let runs = all.iter().map(|it| it.runs).sum();
        Failure {
            what: match all[..] {
                [one] => what(one),
                _ => format!("{benchmark} ({} command lines)", all.len()),
            },
            variant: variant.to_owned(),
            reason: reason.to_owned(),
            skipped: true,
            times: runs,
            runs,
        }
    }));
    failures.sort();
    failures
}

/// Which counts runs don't have, and why: each variant and reason once.
fn uncounted(counting: &[&Run]) -> Vec<String> {
    let mut all: BTreeMap<[&str; 3], BTreeSet<&str>> = BTreeMap::new();
    for run in counting {
        if let Outcome::Measured { counts: Some(counts), .. } = &run.outcome {
            for (metric, why) in &counts.missing {
                all.entry([&run.benchmark, &run.variant, why]).or_default().insert(metric);
            }
        }
    }
    let shown = all.into_iter().map(|([benchmark, variant, why], metrics)| {
        let metrics = metrics.into_iter().collect::<Vec<_>>().join(", ");
        format!("{benchmark} with {variant}: {why}: {metrics}")
    });
    shown.collect()
}

fn quiet(contents: &Contents, counting: &[&Run]) -> Quiet {
    let warmup = contents.experiment.warmup;
    let blocks: BTreeSet<u32> = counting.iter().map(|run| run.block).collect();
    let mut quiet = Quiet {
        blocks: blocks.len() as u32,
        wanted: contents.experiment.repeats,
        ..Quiet::default()
    };
    for record in &contents.records {
        if let Record::Block(block) = record
            && block.block >= warmup
        {
            quiet.repeated += u32::from(block.attempts > 1);
            quiet.disturbed_blocks.extend(Some(block.block).filter(|_| block.disturbed));
        }
    }
    quiet
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::store::Block;

    fn run(block: u32, attempt: u32, variant: &str, threads: u32, value: f64) -> Record {
        Record::Run(Box::new(Run {
            block,
            attempt,
            variant: variant.into(),
            benchmark: "rates".into(),
            args: vec!["-t".into(), threads.to_string()],
            ranks: 2,
            at: At::from([("threads".into(), Scalar::Number(threads.into()))]),
            command: "mpirun rates".into(),
            started: 0.0,
            seconds: 1.0,
            load: [0.0; 3],
            others: 0.0,
            work_ns: [1, 1],
            outcome: Outcome::Measured {
                mpi: "M".into(),
                library: None,
                parameters: serde_json::json!({}),
                points: vec![Point {
                    at: At::new(),
                    metric: "rate".into(),
                    unit: "message/s".into(),
                    better: Better::Higher,
                    value,
                }],
                counts: None,
            },
        }))
    }

    /// Two variants at 1, 2 and 4 threads in eight blocks, and one that was left out.
    pub fn contents() -> Contents {
        let json = r#"{"title":"T <&>","claim":"a is twice b","variant":[{"name":"a"},{"name":"b"},
            {"name":"gone"}],"baseline":"b","benchmark":[{"name":"rates","binary":"b"}],"warmup":1,
            "repeats":8,"verdict":[{"says":"twice","at-least":1.5,
            "left":{"variant":"a","threads":2},"right":{"variant":"b","threads":2}}]}"#;
        let mut records = vec![
            Record::Environment(Box::new(Environment { cores: 2, ..Environment::default() })),
            Record::Skipped { variant: "gone".into(), reason: "no network".into() },
        ];
        for block in 0..9 {
            // The warm-up is far away, and so is the attempt that was repeated.
            let factor = if block == 0 { 100.0 } else { 1.0 };
            for threads in [1, 2, 4] {
                let value = f64::from(threads) * 10.0 * factor;
                if block == 3 {
                    records.push(run(block, 0, "a", threads, 1e6));
                }
                let attempt = u32::from(block == 3);
                records.push(run(block, attempt, "a", threads, value));
                let half = if threads == 4 { value } else { value / 2.0 };
                records.push(run(block, attempt, "b", threads, half));
            }
            let (attempt, attempts) = if block == 3 { (1, 2) } else { (0, 1) };
            let disturbed = block == 5;
            let (spread, others) = (0.0, 0.0);
            records.push(Record::Block(Block {
                block,
                attempt,
                attempts,
                spread,
                others,
                disturbed,
            }));
        }
        Contents::of(serde_json::from_str(json).unwrap(), records)
    }

    pub fn summary() -> Summary {
        Summary::new(&contents())
    }

    #[test]
    fn samples_become_medians_and_ratios() {
        let summary = summary();
        assert_eq!(summary.groups.len(), 1);
        let rows = &summary.groups[0].rows;
        assert_eq!(rows.len(), 3);
        assert_eq!(rows[0].cells["a"].median.value, 10.0);
        assert_eq!(rows[0].cells["a"].samples.len(), 8);
        let ratio = rows[1].cells["a"].ratio.unwrap();
        assert_eq!((ratio.value, ratio.interval.unwrap().ends()), (2.0, [2.0, 2.0]));
        assert_eq!(rows[1].cells["a"].difference, Some(Difference::More));
        assert_eq!(rows[2].cells["a"].difference, Some(Difference::Same));
        assert_eq!(rows[0].cells["b"].ratio, None);
        assert_eq!(summary.skipped["gone"], "no network");
        assert_eq!(summary.groups[0].points, 3);
        let Quiet { blocks, repeated, wanted, .. } = summary.quiet;
        assert_eq!((blocks, repeated, summary.quiet.disturbed(), wanted), (8, 1, 1, 8));
        assert_eq!(summary.verdicts[0].finding, verdict::Finding::Holds);
    }

    #[test]
    fn without_values_of_the_baseline_there_are_no_ratios() {
        let mut contents = contents();
        let ratio = |contents: &Contents| {
            let summary = Summary::new(contents);
            crate::report::table::ratio(&summary.groups[0].rows[0].cells["b"])
        };
        assert_eq!(ratio(&contents), "baseline");
        contents.experiment.baseline = "gone".into();
        assert_eq!(ratio(&contents), "–");
    }

    #[test]
    fn what_was_interrupted_counts() {
        let mut contents = contents();
        // The last block and its end are missing but for one run.
        let length = contents.records.len();
        contents.records.truncate(length - 6);
        let summary = Summary::new(&contents);
        assert_eq!(summary.groups[0].rows[0].cells["a"].samples.len(), 8);
        assert_eq!(summary.groups[0].rows[1].cells["a"].samples.len(), 7);
        assert_eq!(summary.quiet.blocks, 8);
    }

    #[test]
    fn nothing_measured_is_nothing() {
        let mut contents = contents();
        contents.records.clear();
        let summary = Summary::new(&contents);
        assert!(summary.groups.is_empty());
        let lacks = verdict::Lack::Values;
        assert_eq!(summary.verdicts[0].finding, verdict::Finding::Undecided { lacks });
    }
}
