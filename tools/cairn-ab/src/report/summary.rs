//! What the samples come to: a table for each benchmark and metric.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::contract::{At, Better, Coordinate};
use crate::counts;
use crate::environment::Environment;
use crate::experiment::Experiment;
use crate::report::numbers;
use crate::stats::{self, Difference, Estimate};
use crate::store::{Contents, Outcome, Record, Run};
use crate::verdict::Verdict;

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
    /// What the ratio says.
    pub difference: Option<Difference>,
    /// Whether this is the baseline.
    pub baseline: bool,
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
}

/// How quiet the machine was.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Quiet {
    /// Blocks that count.
    pub blocks: u32,
    /// Those that were repeated.
    pub repeated: u32,
    /// Those that count although the machine was disturbed.
    pub disturbed: u32,
    /// Blocks that the experiment wants.
    pub wanted: u32,
}

impl Summary {
    /// Of a store.
    pub fn new(contents: &Contents) -> Self {
        let experiment = contents.experiment.clone();
        let counting = counting(contents);
        let instructions = contents.records.iter().filter_map(|record| match record {
            Record::Instructions(run) => Some(&**run),
            _ => None,
        });
        let with_values: Vec<&Run> = counting.iter().copied().chain(instructions).collect();
        let mut summary = Self {
            groups: groups(&experiment, &with_values),
            failures: failures(contents),
            uncounted: uncounted(&with_values),
            quiet: quiet(contents, &counting),
            environments: Vec::new(),
            versions: BTreeMap::new(),
            skipped: BTreeMap::new(),
            verdicts: Vec::new(),
            experiment,
        };
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

    /// How many cores there were.
    pub fn cores(&self) -> usize {
        self.environments.last().map_or(0, |environment| environment.cores)
    }
}

/// A place in words.
pub fn place(at: &At) -> String {
    let one = |(name, value): (&String, &Coordinate)| numbers::coordinate(name, value);
    at.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// The runs that count: of each block the attempt that was chosen, or the last one of a block that was
/// interrupted.
fn counting(contents: &Contents) -> Vec<&Run> {
    let mut chosen: BTreeMap<u32, u32> = BTreeMap::new();
    let runs = || {
        contents.records.iter().filter_map(|record| match record {
            Record::Run(run) => Some(&**run),
            _ => None,
        })
    };
    for run in runs() {
        let attempt = chosen.entry(run.block).or_default();
        *attempt = run.attempt.max(*attempt);
    }
    for record in &contents.records {
        if let Record::Block(block) = record {
            chosen.insert(block.block, block.attempt);
        }
    }
    runs()
        .filter(|run| run.block >= contents.experiment.warmup)
        .filter(|run| chosen.get(&run.block) == Some(&run.attempt))
        .collect()
}

fn groups(experiment: &Experiment, runs: &[&Run]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    // The order of the experiment, whatever the order of the runs.
    for benchmark in &experiment.benchmarks {
        let mut rows: BTreeMap<(String, At), Vec<(&Run, f64)>> = BTreeMap::new();
        let mut units: BTreeMap<String, (String, Better)> = BTreeMap::new();
        for run in runs.iter().filter(|run| run.benchmark == benchmark.name) {
            let Outcome::Measured { points, .. } = &run.outcome else { continue };
            let wanted = |metric: &str| {
                counts::is_count(metric)
                    || benchmark.metric.as_deref().is_none_or(|it| it == metric)
            };
            for point in points.iter().filter(|point| wanted(&point.metric)) {
                let mut at = run.at.clone();
                at.extend(point.at.clone());
                at.retain(|name, _| !benchmark.drop.contains(name));
                units.insert(point.metric.clone(), (point.unit.clone(), point.better));
                rows.entry((point.metric.clone(), at)).or_default().push((run, point.value));
            }
        }
        for (metric, (unit, better)) in units {
            let rows = rows.iter().filter(|((of, _), _)| *of == metric);
            let rows = rows.map(|((_, at), values)| row(experiment, at, values));
            groups.push(Group {
                benchmark: benchmark.name.clone(),
                rows: rows.collect(),
                metric,
                unit,
                better,
            });
        }
    }
    groups
}

fn row(experiment: &Experiment, at: &At, values: &[(&Run, f64)]) -> Row {
    let mut samples: BTreeMap<String, BTreeMap<u32, f64>> = BTreeMap::new();
    for (run, value) in values {
        samples.entry(run.variant.clone()).or_default().insert(run.block, *value);
    }
    let seed = experiment.seed;
    let baseline = samples.get(&experiment.baseline);
    let cell = |(name, own): (&String, &BTreeMap<u32, f64>)| {
        let all: Vec<f64> = own.values().copied().collect();
        let median = stats::estimate(&all, seed)?;
        let pairs = baseline.filter(|_| *name != experiment.baseline).map(|baseline| {
            own.iter().filter_map(|(block, it)| Some((*it, *baseline.get(block)?))).collect()
        });
        let ratio = pairs.and_then(|pairs: Vec<(f64, f64)>| stats::ratio(&pairs, seed));
        let difference = ratio.as_ref().map(stats::difference);
        let (samples, baseline) = (own.clone(), *name == experiment.baseline);
        Some((name.clone(), Cell { samples, median, ratio, difference, baseline }))
    };
    Row { at: at.clone(), cells: samples.iter().filter_map(cell).collect() }
}

fn failures(contents: &Contents) -> Vec<Failure> {
    let mut failures = BTreeSet::new();
    // A library lacks something for all arguments, mostly; so they are said once.
    let mut skipped: BTreeMap<[&str; 3], BTreeSet<String>> = BTreeMap::new();
    for record in &contents.records {
        let Record::Run(run) = record else { continue };
        let what = format!("{} {}", run.benchmark, run.args.join(" ")).trim_end().to_owned();
        match &run.outcome {
            Outcome::Measured { .. } => {}
            Outcome::Failed { reason, .. } => {
                let (variant, reason) = (run.variant.clone(), reason.clone());
                failures.insert(Failure { variant, what, reason, skipped: false });
            }
            Outcome::Skipped { reason } => {
                skipped.entry([&run.variant, &run.benchmark, reason]).or_default().insert(what);
            }
        }
    }
    failures.extend(skipped.into_iter().map(|([variant, benchmark, reason], what)| Failure {
        what: match what.len() {
            1 => what.into_iter().collect(),
            number => format!("{benchmark} ({number} command lines)"),
        },
        variant: variant.to_owned(),
        reason: reason.to_owned(),
        skipped: true,
    }));
    failures.into_iter().collect()
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
            quiet.disturbed += u32::from(block.disturbed);
        }
    }
    quiet
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::contract::Point;
    use crate::store::Block;

    fn run(block: u32, attempt: u32, variant: &str, threads: u32, value: f64) -> Record {
        Record::Run(Box::new(Run {
            block,
            attempt,
            variant: variant.into(),
            benchmark: "rates".into(),
            args: vec!["-t".into(), threads.to_string()],
            ranks: 2,
            at: At::from([("threads".into(), Coordinate::Number(threads.into()))]),
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

    /// Two variants at 1, 2 and 4 threads in six blocks, and one that was left out.
    pub fn contents() -> Contents {
        let json = r#"{"title":"T <&>","claim":"a is twice b","variant":[{"name":"a"},{"name":"b"},
            {"name":"gone"}],"baseline":"b","benchmark":[{"name":"rates","binary":"b"}],"warmup":1,
            "repeats":6,"verdict":[{"says":"twice","at-least":1.5,
            "left":{"variant":"a","threads":2},"right":{"variant":"b","threads":2}}]}"#;
        let mut records = vec![
            Record::Environment(Box::new(Environment { cores: 2, ..Environment::default() })),
            Record::Skipped { variant: "gone".into(), reason: "no network".into() },
        ];
        for block in 0..7 {
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
        assert_eq!(rows[0].cells["a"].samples.len(), 6);
        let ratio = rows[1].cells["a"].ratio.unwrap();
        assert_eq!((ratio.value, ratio.low, ratio.high), (2.0, 2.0, 2.0));
        assert_eq!(rows[1].cells["a"].difference, Some(Difference::More));
        assert_eq!(rows[2].cells["a"].difference, Some(Difference::NotSeen));
        assert_eq!(rows[0].cells["b"].ratio, None);
        assert_eq!(summary.skipped["gone"], "no network");
        let Quiet { blocks, repeated, disturbed, wanted } = summary.quiet;
        assert_eq!((blocks, repeated, disturbed, wanted), (6, 1, 1, 6));
        assert_eq!(summary.verdicts[0].finding, crate::verdict::Finding::Holds);
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
        assert_eq!(summary.groups[0].rows[0].cells["a"].samples.len(), 6);
        assert_eq!(summary.groups[0].rows[1].cells["a"].samples.len(), 5);
        assert_eq!(summary.quiet.blocks, 6);
    }

    #[test]
    fn nothing_measured_is_nothing() {
        let mut contents = contents();
        contents.records.clear();
        let summary = Summary::new(&contents);
        assert!(summary.groups.is_empty());
        assert_eq!(summary.verdicts[0].finding, crate::verdict::Finding::CannotBeSeen);
    }
}
