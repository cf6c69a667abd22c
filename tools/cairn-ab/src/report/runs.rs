//! What became of the runs of each command line: how many failed and how, and where the values of those
//! that have failed would lie.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::contract::At;
use crate::experiment::Experiment;
use crate::store::{Contents, Outcome, Run};

/// All runs of a command line with a variant, also those of the warm-up and of blocks that were
/// repeated: a program that hangs now and then hangs there, too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Attempts {
    /// The variant.
    pub variant: String,
    /// The benchmark.
    pub benchmark: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Where its values lie. If it never had any: where those of other variants with the same command
    /// line lie, or else what was swept.
    pub places: BTreeSet<At>,
    /// How often it ran.
    pub runs: u32,
    /// How often it failed, and why.
    pub failed: BTreeMap<String, u32>,
    /// What the library lacks for it.
    pub skipped: Option<String>,
}

impl Attempts {
    /// How many runs have failed.
    pub fn failures(&self) -> u32 {
        self.failed.values().sum()
    }

    /// Whether it is of this variant and has, or would have, a value at a place like this.
    pub fn is_at(&self, variant: &str, like: impl Fn(&At) -> bool) -> bool {
        self.variant == variant && self.places.iter().any(like)
    }
}

/// By variant, benchmark, arguments and ranks, in this order.
pub fn attempts(contents: &Contents) -> Vec<Attempts> {
    type Line<'a> = (&'a str, &'a [String], u32);
    let mut all: BTreeMap<(&str, Line), Attempts> = BTreeMap::new();
    let mut elsewhere: BTreeMap<Line, BTreeSet<At>> = BTreeMap::new();
    let mut swept: BTreeMap<Line, At> = BTreeMap::new();
    for run in contents.runs() {
        let line = (run.benchmark.as_str(), run.args.as_slice(), run.ranks);
        let places = places(&contents.experiment, run);
        elsewhere.entry(line).or_default().extend(places.iter().cloned());
        swept.insert(line, run.at.clone());
        let it = all.entry((run.variant.as_str(), line)).or_insert_with(|| Attempts {
            variant: run.variant.clone(),
            benchmark: run.benchmark.clone(),
            args: run.args.clone(),
            places: BTreeSet::new(),
            runs: 0,
            failed: BTreeMap::new(),
            skipped: None,
        });
        it.runs += 1;
        it.places.extend(places);
        match &run.outcome {
            Outcome::Measured { .. } => {}
            Outcome::Failed { reason, .. } => *it.failed.entry(reason.clone()).or_default() += 1,
            Outcome::Skipped { reason } => it.skipped = Some(reason.clone()),
        }
    }
    let complete = |((_, line), mut it): ((&str, Line), Attempts)| {
        if it.places.is_empty() {
            it.places = elsewhere[&line].clone();
        }
        if it.places.is_empty() {
            it.places.insert(swept[&line].clone());
        }
        it
    };
    all.into_iter().map(complete).collect()
}

/// Where the values of a run lie.
fn places(experiment: &Experiment, run: &Run) -> Vec<At> {
    let Outcome::Measured { points, .. } = &run.outcome else { return Vec::new() };
    points.iter().map(|point| place(experiment, run, &point.at)).collect()
}

/// Where a point of a run lies: what was swept and what the benchmark says, without what does not
/// matter.
pub fn place(experiment: &Experiment, run: &Run, point: &At) -> At {
    let mut at = run.at.clone();
    at.extend(point.clone());
    if let Some(benchmark) = experiment.benchmarks.iter().find(|it| it.name == run.benchmark) {
        at.retain(|name, _| !benchmark.drop.contains(name));
    }
    at
}
