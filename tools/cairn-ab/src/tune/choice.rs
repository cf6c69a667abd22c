//! Which value of a threshold is taken.
//!
//! A value is taken if its ratio to the default is surely better at some point and surely worse at none: the
//! whole interval lies on that side of the minimal effect. What can't be told at a point must not be a loss in
//! sum, so the geometric mean of the median ratios must be a gain as well; of several values the one with the
//! best mean is taken. Otherwise the default stays.
//!
//! The intervals hold for all ratios of the threshold at once, of every value at every point of every
//! benchmark. So where nothing is better than the default, something is taken in at most one of twenty cases.

use crate::contract::{At, Better};
use crate::experiment::Experiment;
use crate::report::numbers;
use crate::report::runs::Attempts;
use crate::report::summary::{Cell, Group, Row, Summary, place};
use crate::stats::{self, Difference, Estimate};

/// What comes of a threshold's measurements.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The value to set instead of the default.
    pub taken: Option<String>,
    /// Why, in words.
    pub reason: String,
    /// The default's value at each point, in words.
    pub default: Vec<(String, String)>,
    /// The other values.
    pub candidates: Vec<Candidate>,
}

/// A value beside the default.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// As it is written.
    pub value: String,
    /// What its ratios say, if it is not out.
    pub points: Vec<Point>,
    /// Why it can't be taken whatever its ratios.
    pub out: Option<String>,
    /// The geometric mean of its median ratios, more being better whatever the metric.
    pub gain: f64,
}

/// A value at a point.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// The benchmark and the place, in words.
    pub place: String,
    /// Over the default.
    pub ratio: Estimate,
    /// What it says.
    pub says: Says,
}

/// What a ratio says about a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Says {
    /// It is surely better than the default.
    Better,
    /// It is surely worse.
    Worse,
    /// It surely makes no difference that matters.
    Equal,
    /// None of these.
    Undecided,
}

impl Says {
    /// In a word.
    pub fn shown(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::Worse => "worse",
            Self::Equal => "equal",
            Self::Undecided => "undecided",
        }
    }
}

impl Candidate {
    /// The points at which its ratio says this.
    fn at(&self, says: Says) -> Vec<&str> {
        let points = self.points.iter().filter(|point| point.says == says);
        points.map(|point| point.place.as_str()).collect()
    }

    fn may_be_taken(&self) -> bool {
        let surely = |says| !self.at(says).is_empty();
        self.out.is_none() && surely(Says::Better) && !surely(Says::Worse) && self.gain > 1.0
    }

    /// What is to be said about it, in words.
    pub fn shown(&self) -> String {
        if let Some(why) = &self.out {
            return format!("out, {why}");
        }
        let all = [Says::Better, Says::Worse, Says::Equal, Says::Undecided];
        let count = all.map(|says| (self.at(says).len(), says.shown()));
        let some = count.iter().filter(|(number, _)| *number > 0);
        let some: Vec<String> = some.map(|(number, word)| format!("{word} at {number}")).collect();
        format!("{}; mean gain {}", some.join(", "), numbers::digits(self.gain))
    }
}

/// Chooses among the variants of an experiment, whose names are the values. Its baseline is the default.
pub fn choose(summary: &Summary) -> Choice {
    let baseline = &summary.experiment.baseline;
    let (default, candidates) = (default(summary), candidates(summary));
    let mut choice = Choice { taken: None, reason: String::new(), default, candidates };
    if let Some(why) = unusable(summary, &choice.candidates) {
        choice.reason = format!("the default stays: {why}");
        return choice;
    }
    let mut best: Option<&Candidate> = None;
    let mut fit = 0;
    for candidate in choice.candidates.iter().filter(|it| it.may_be_taken()) {
        fit += 1;
        if best.is_none_or(|best| candidate.gain > best.gain) {
            best = Some(candidate);
        }
    }
    choice.reason = match best {
        None => stays(&choice.candidates, &summary.experiment),
        Some(it) => {
            let others = match fit {
                1 => String::new(),
                _ => format!("; of {fit} such values it has the best mean gain"),
            };
            format!(
                "{} is better than the default, {baseline}, at {}, and at no point worse{others}",
                it.value,
                it.at(Says::Better).join("; ")
            )
        }
    };
    choice.taken = best.map(|it| it.value.clone());
    choice
}

/// What is best at a point.
#[derive(Debug, Clone, PartialEq)]
pub struct Best {
    /// The point.
    pub at: At,
    /// The same in words, with the benchmark.
    pub place: String,
    /// The default's value, in words.
    pub default: String,
    /// The best of the values that are surely better than the default, if there is one, and its ratio in words.
    pub best: Option<(String, String)>,
}

impl Best {
    /// The value that is to be taken instead of the default.
    pub fn value(&self) -> Option<&str> {
        self.best.as_ref().map(|(value, _)| value.as_str())
    }

    /// What is to be said about it.
    pub fn shown(&self) -> String {
        let default = &self.default;
        match &self.best {
            Some((value, ratio)) => format!("{value}: {ratio} of {default}"),
            None => format!("{default}, nothing is surely faster"),
        }
    }
}

/// What is best at each point of an experiment about times, where one value need not be taken for all.
///
/// # Errors
/// Why nothing follows from the values.
pub fn each(summary: &Summary) -> Result<Vec<Best>, String> {
    let candidates = candidates(summary);
    if let Some(why) = unusable(summary, &candidates) {
        return Err(why);
    }
    let places = defaults(summary).zip(default(summary)).enumerate();
    let best = |(index, ((_, row, _), (place, default))): (usize, ((&Group, &Row, _), (_, _)))| {
        let better = |it: &Candidate| {
            let point = it.points.get(index).filter(|point| point.says == Says::Better)?;
            Some((it.value.clone(), point.ratio))
        };
        let better = candidates.iter().filter_map(better);
        let least = better.min_by(|(_, a), (_, b)| a.value.total_cmp(&b.value));
        Best {
            at: row.at.clone(),
            place,
            default,
            best: least.map(|(value, ratio)| (value, numbers::estimate(&ratio))),
        }
    };
    Ok(places.map(best).collect())
}

/// Why nothing follows from the values, if it does not.
fn unusable(summary: &Summary, candidates: &[Candidate]) -> Option<String> {
    let ratios = ratios(summary);
    let needed = stats::needed(ratios);
    if let Some(why) = failed(summary, &summary.experiment.baseline) {
        return Some(format!("with it {why}, so there is nothing to compare with"));
    }
    if candidates.iter().all(|it| it.out.is_some()) {
        return Some("no other value could be measured".into());
    }
    if summary.quiet.mostly_disturbed() {
        return Some("the machine was disturbed most of the time, so nothing can be told".into());
    }
    let repeats = summary.quiet.blocks as usize;
    (repeats < needed).then(|| {
        format!(
            "{repeats} repeats are too few, {needed} are needed for intervals of {ratios} ratios"
        )
    })
}

/// Why the default stays although all could be measured.
fn stays(candidates: &[Candidate], experiment: &Experiment) -> String {
    let percent = numbers::short(experiment.minimal_effect * 100.0);
    let of = |says| move |it: &&Candidate| it.out.is_none() && !it.at(says).is_empty();
    let better: Vec<&Candidate> = candidates.iter().filter(of(Says::Better)).collect();
    let undecided: usize = candidates.iter().map(|it| it.at(Says::Undecided).len()).sum();
    let mut reason = String::from("the default is as good: ");
    if better.is_empty() {
        reason += &format!("no other value is surely better at any point by more than {percent} %");
    }
    let each = better.iter().map(|it| {
        let worse = it.at(Says::Worse);
        let value = &it.value;
        let gains = it.at(Says::Better).join("; ");
        match worse.is_empty() {
            true => format!("{value} is better at {gains}, but not in the mean of all points"),
            false => format!("{value} is better at {gains}, but worse at {}", worse.join("; ")),
        }
    });
    reason += &each.collect::<Vec<_>>().join(". ");
    if undecided > 0 {
        let all: usize = candidates.iter().map(|it| it.points.len()).sum();
        reason += &format!(". {undecided} of {all} ratios are undecided; more repeats decide more");
    }
    reason
}

/// How many ratios there are, whose intervals hold for all at once.
fn ratios(summary: &Summary) -> usize {
    summary.groups.iter().map(|group| group.points).sum()
}

/// All values but the default.
fn candidates(summary: &Summary) -> Vec<Candidate> {
    let values = summary.experiment.variants.iter().map(|variant| &variant.name);
    let others = values.filter(|value| **value != summary.experiment.baseline);
    others.map(|value| candidate(summary, value, ratios(summary))).collect()
}

fn candidate(summary: &Summary, value: &str, ratios: usize) -> Candidate {
    let mut it =
        Candidate { value: value.to_owned(), points: Vec::new(), out: None, gain: f64::NAN };
    it.out = failed(summary, value);
    if it.out.is_some() {
        return it;
    }
    let mut logarithms = 0.0;
    for (group, row, default) in defaults(summary) {
        let place = named(group, row);
        let cell = row.cells.get(value);
        let Some(ratio) = cell.and_then(|cell| over(cell, default, ratios)) else {
            it.out = Some(format!("there is no value of it at {place}"));
            return it;
        };
        if !(ratio.value.is_finite() && ratio.value > 0.0) {
            it.out = Some(format!("its ratio at {place} is no number"));
            return it;
        }
        let sign = if group.better == Better::Higher { 1.0 } else { -1.0 };
        logarithms += sign * ratio.value.ln();
        let says = says(&ratio, group.better, summary.experiment.minimal_effect);
        it.points.push(Point { place, ratio, says });
    }
    it.gain = (logarithms / it.points.len() as f64).exp();
    it
}

/// The ratio of two values, whose interval holds for so many at once.
fn over(cell: &Cell, default: &Cell, ratios: usize) -> Option<Estimate> {
    let pair = |(block, value): (&u32, &f64)| Some((*value, *default.samples.get(block)?));
    let pairs: Vec<(f64, f64)> = cell.samples.iter().filter_map(pair).collect();
    // Nothing is missing: a value of which a run has failed is out.
    stats::ratio(&pairs, 0, ratios)
}

fn says(ratio: &Estimate, better: Better, minimal: f64) -> Says {
    match (stats::difference(ratio, minimal), better) {
        (Difference::More, Better::Higher) | (Difference::Less, Better::Lower) => Says::Better,
        (Difference::More, Better::Lower) | (Difference::Less, Better::Higher) => Says::Worse,
        (Difference::Same, _) => Says::Equal,
        (Difference::Undecided | Difference::Disturbed | Difference::TooFew, _) => Says::Undecided,
    }
}

/// Everywhere where the default has a value.
fn defaults(summary: &Summary) -> impl Iterator<Item = (&Group, &Row, &Cell)> {
    let rows = summary.groups.iter().flat_map(|group| group.rows.iter().map(move |it| (group, it)));
    rows.filter_map(|(group, row)| Some((group, row, row.cells.get(&summary.experiment.baseline)?)))
}

fn default(summary: &Summary) -> Vec<(String, String)> {
    let shown = |(group, row, cell): (&Group, &Row, &Cell)| {
        (named(group, row), numbers::value(cell.median.value, &group.unit))
    };
    defaults(summary).map(shown).collect()
}

/// A point in words.
fn named(group: &Group, row: &Row) -> String {
    match place(&row.at) {
        at if at.is_empty() => group.benchmark.clone(),
        at => format!("{} {at}", group.benchmark),
    }
}

/// What has failed with a value, or could not be done.
fn failed(summary: &Summary, value: &str) -> Option<String> {
    let own = || summary.attempts.iter().filter(|it| it.variant == value);
    let failure = |it: &Attempts| {
        let (reason, _) = it.failed.first_key_value()?;
        let (failed, runs, benchmark) = (it.failures(), it.runs, &it.benchmark);
        Some(format!("{failed} of {runs} runs of {benchmark} failed: {reason}"))
    };
    let lack = |it: &Attempts| Some(format!("{} can't run: {}", it.benchmark, it.skipped.clone()?));
    own().find_map(failure).or_else(|| own().find_map(lack))
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::contract::{self, At, Scalar};
    use crate::store::{Block, Contents, Outcome, Record, Run};
    use serde_json::json;

    /// What a value of the threshold measures at a size in a block; nothing if the run fails. The default
    /// is `d`, others are `a` and `b`. The benchmark `time` measures seconds, `rate` the contrary.
    type Made = fn(value: &str, benchmark: &str, bytes: u32, block: u32) -> Option<f64>;

    fn run(block: u32, value: &str, benchmark: &str, made: Made) -> Run {
        let (metric, unit, better) = match benchmark {
            "time" => ("latency", "s", Better::Lower),
            _ => ("bandwidth", "byte/s", Better::Higher),
        };
        let point = |bytes: u32| {
            Some(contract::Point {
                at: At::from([("bytes".into(), Scalar::Number(bytes.into()))]),
                metric: metric.into(),
                unit: unit.into(),
                better,
                value: made(value, benchmark, bytes, block)?,
            })
        };
        let points: Option<Vec<contract::Point>> = [1024, 2048].into_iter().map(point).collect();
        let outcome = points.map_or(
            Outcome::Failed { reason: "it crashed".into(), output: String::new() },
            |points| {
                let parameters = serde_json::Value::Null;
                let mpi = "M".into();
                Outcome::Measured { mpi, library: None, parameters, points, counts: None }
            },
        );
        Run {
            block,
            attempt: 0,
            variant: value.into(),
            benchmark: benchmark.into(),
            args: Vec::new(),
            ranks: 2,
            at: At::new(),
            command: String::new(),
            started: 0.0,
            seconds: 1.0,
            load: [0.0; 3],
            others: 0.0,
            work_ns: [1, 1],
            outcome,
        }
    }

    /// So many blocks, of which the first ones are disturbed.
    fn measured(repeats: u32, disturbed: u32, made: Made) -> Summary {
        let experiment = serde_json::from_value(json!({
            "title": "x_limit", "baseline": "d", "warmup": 0, "repeats": repeats,
            "variant": [{"name": "d"}, {"name": "a"}, {"name": "b"}],
            "benchmark": [{"name": "time", "binary": "t"}, {"name": "rate", "binary": "r"}],
        }));
        let mut records = Vec::new();
        for block in 0..repeats {
            for value in ["d", "a", "b"] {
                for benchmark in ["time", "rate"] {
                    records.push(Record::Run(Box::new(run(block, value, benchmark, made))));
                }
            }
            let (spread, others, disturbed) = (0.0, 0.0, block < disturbed);
            let block = Block { block, attempt: 0, attempts: 1, spread, others, disturbed };
            records.push(Record::Block(block));
        }
        Summary::new(&Contents::of(experiment.unwrap(), records))
    }

    /// The measurements of a choice, for tests of what is written about it.
    pub fn chosen(repeats: u32) -> Choice {
        choose(&measured(repeats, 0, |value, benchmark, bytes, _| {
            Some(match (value, benchmark, bytes) {
                ("a", "time", 2048) => 0.5,
                ("a", "rate", 1024) => 1.01,
                ("b", "rate", _) => 0.5,
                _ => 1.0,
            })
        }))
    }

    fn taken(made: Made) -> (Option<String>, String) {
        let choice = choose(&measured(10, 0, made));
        (choice.taken, choice.reason)
    }

    #[test]
    fn what_is_better_and_nowhere_worse_is_taken() {
        let choice = chosen(10);
        assert_eq!(choice.taken.as_deref(), Some("a"));
        assert_eq!(
            choice.reason,
            "a is better than the default, d, at time 2 KiB, and at no point worse"
        );
        let [a, b] = &choice.candidates[..] else { panic!() };
        // Less time is a gain: the fourth root of 2 * 1.01.
        assert!((a.gain - 2.02_f64.powf(0.25)).abs() < 1e-9, "{}", a.gain);
        assert_eq!(a.shown(), "better at 1, equal at 3; mean gain 1.19");
        assert_eq!(b.shown(), "worse at 2, equal at 2; mean gain 0.71");
        assert_eq!(choice.default[0], ("time 1 KiB".to_owned(), "1.00 s".to_owned()));
    }

    #[test]
    fn of_several_the_best_mean_is_taken() {
        // Both are better; b by less at its best point, but at more points.
        let (value, reason) = taken(|value, benchmark, bytes, _| {
            Some(match (value, benchmark, bytes) {
                ("a", "rate", 1024) => 1.5,
                ("b", "rate", _) => 1.3,
                _ => 1.0,
            })
        });
        assert_eq!(value.as_deref(), Some("b"));
        assert!(reason.ends_with("of 2 such values it has the best mean gain"), "{reason}");
    }

    #[test]
    fn what_is_worse_somewhere_is_not_taken() {
        let (value, reason) = taken(|value, benchmark, bytes, _| {
            Some(match (value, benchmark, bytes) {
                ("a", "rate", 1024) => 9.0,
                ("a", "time", 1024) => 1.1,
                _ => 1.0,
            })
        });
        assert_eq!(value, None);
        assert_eq!(
            reason,
            "the default is as good: a is better at rate 1 KiB, but worse at time 1 KiB"
        );
    }

    #[test]
    fn what_may_be_a_loss_in_sum_is_not_taken() {
        // At one point 5 % better; at the others mostly a tenth as good, which varies too much to be sure.
        let (value, reason) = taken(|value, benchmark, bytes, block| {
            Some(match (value, benchmark, bytes) {
                ("a", "rate", 1024) => 1.05,
                ("a", "rate", _) if block < 7 => 0.1,
                _ => 1.0,
            })
        });
        assert_eq!(value, None);
        assert!(reason.contains("not in the mean of all points"), "{reason}");
        assert!(reason.ends_with("1 of 8 ratios are undecided; more repeats decide more"));
    }

    #[test]
    fn no_difference_is_no_reason() {
        // By 1 % less than matters, or by more in half of the blocks.
        let (value, reason) = taken(|value, _, _, block| {
            Some(match value {
                "a" => 1.01,
                "b" if block % 2 == 0 => 1.5,
                _ => 1.0,
            })
        });
        assert_eq!(value, None);
        let no =
            "the default is as good: no other value is surely better at any point by more than 2 %";
        assert_eq!(reason, format!("{no}. 4 of 8 ratios are undecided; more repeats decide more"));
        let (value, reason) = taken(|_, _, _, _| Some(1.0));
        assert_eq!((value, reason.as_str()), (None, no));
    }

    #[test]
    fn too_few_repeats_change_nothing() {
        // Of eight ratios: 0.05 / 8 takes nine.
        let choice = chosen(8);
        assert_eq!(choice.taken, None);
        assert_eq!(
            choice.reason,
            "the default stays: 8 repeats are too few, 9 are needed for intervals of 8 ratios"
        );
        assert_eq!(chosen(9).taken.as_deref(), Some("a"));
        // The report has an interval where a table by itself needs fewer; the choice has not.
        assert!(choice.candidates[0].points.iter().all(|it| it.ratio.interval.is_none()));
    }

    #[test]
    fn a_disturbed_machine_changes_nothing() {
        let better: Made = |value, _, _, _| Some(if value == "a" { 2.0 } else { 1.0 });
        let disturbed = |blocks| choose(&measured(10, blocks, better)).reason;
        assert!(disturbed(6).contains("disturbed most of the time"), "{}", disturbed(6));
        assert!(!disturbed(5).contains("disturbed"), "{}", disturbed(5));
    }

    #[test]
    fn a_value_with_which_a_run_fails_is_out() {
        let made: Made = |value, benchmark, _, block| match (value, benchmark) {
            ("a", "rate") if block == 3 => None,
            ("a", "rate") => Some(9.0),
            ("b", "rate") => Some(1.2),
            _ => Some(1.0),
        };
        let choice = choose(&measured(10, 0, made));
        assert_eq!(choice.taken.as_deref(), Some("b"));
        let why = "out, 1 of 10 runs of rate failed: it crashed";
        assert_eq!(choice.candidates[0].shown(), why);
        assert!(choice.candidates[0].points.is_empty());
    }

    #[test]
    fn without_the_default_there_is_nothing_to_compare() {
        let (value, reason) = taken(|value, benchmark, _, block| {
            (value != "d" || benchmark != "time" || block > 0).then_some(1.0)
        });
        assert_eq!(value, None);
        assert!(reason.contains("with it 1 of 10 runs of time failed"), "{reason}");
        let (value, reason) = taken(|value, _, _, _| (value == "d").then_some(1.0));
        assert_eq!(value, None);
        assert_eq!(reason, "the default stays: no other value could be measured");
    }

    #[test]
    fn zeros_have_no_ratio() {
        let choice = choose(&measured(10, 0, |value, benchmark, _, _| {
            Some(if value == "a" && benchmark == "time" { 0.0 } else { 1.0 })
        }));
        assert_eq!(choice.taken, None);
        assert!(choice.candidates[0].shown().starts_with("out, its ratio at time 1 KiB"));
    }
}
