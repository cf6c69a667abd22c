//! Thresholds for the user's machine: measures values of parameters against their defaults, one parameter
//! after the other, and writes those that are better into a file for `mpirun --tune`.
//!
//! ```text
//!   table    what is tuned, and by what it is measured
//!   choice   which value is taken
//!   file     the file, with what its values rest on
//!   runs     how often it is measured, and where that goes
//!   algorithms   the same of collective operations: another file, with a choice at each size
//! ```

pub mod algorithms;
mod choice;
mod file;
mod runs;
mod table;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cairn_cli::{paint, print, print_table};
use cairn_framework::host::problem::{Problem, Problems};
use cairn_framework::host::report::{Cell, Table as Rows, Tone};

use crate::cairn::{self, Parameter};
use crate::contract::Scalar;
use crate::experiment::{Experiment, Noise, Variant};
use crate::libraries::Places;
use crate::measure::Ended;
use crate::report::{self, summary::Summary, table::quiet};
use file::{Measured, Outcome, Tuned};
use runs::Runs;
use table::{Table, Threshold};

/// What is tuned, and how.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Only thresholds whose names match, such as 'btl_sm_*' [default: all]
    #[arg(value_name = "GLOB")]
    patterns: Vec<String>,
    /// Show what is tuned and by what it is measured, without measuring
    #[arg(long)]
    list: bool,
    /// The file to write
    #[arg(long, value_name = "FILE", default_value = "cairn-tune.toml")]
    output: PathBuf,
    #[command(flatten)]
    runs: Runs,
    /// Tune what this table says instead, such as thresholds of components that are not Cairn's
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
}

/// Tunes, and says what came of it.
///
/// # Errors
/// There is no such threshold, the file can't be written, or nothing could be measured.
pub fn tune(options: &Options, places: &Places) -> Result<Ended, Problems> {
    let table = Table::read(options.table.as_deref())?;
    let thresholds = table.matching(&options.patterns)?;
    if options.list {
        list(&thresholds, places);
        return Ok(Ended::Complete);
    }
    file::check(&options.output, options.runs.overwrite)?;
    let mut session = Session { options, table: &table, places, chosen: BTreeMap::new() };
    let (mut tuned, mut stopped) = (Vec::new(), None);
    for threshold in thresholds {
        let Some(it) = session.threshold(threshold)? else {
            stopped = Some(threshold.name.as_str());
            break;
        };
        tell(&it);
        if let Some(value) = it.taken() {
            session.chosen.insert(it.name.clone(), Scalar::Word(value.to_owned()));
        }
        tuned.push(it);
    }
    let measured = |it: &Tuned| matches!(it.outcome, Outcome::Chosen { .. });
    if !tuned.iter().any(measured) {
        let why = tuned.iter().map(|it| format!("{} was {}", it.name, it.reason()));
        let why = why.collect::<Vec<_>>().join("; ");
        return runs::undecided(stopped.is_some(), format!("nothing can be tuned: {why}"));
    }
    let used = match session.chosen.is_empty() {
        true => "nothing is set: the defaults stay".to_owned(),
        false => format!("to use it: mpirun --tune {}", options.output.display()),
    };
    let text = file::text(&tuned, stopped, &options.output);
    options.runs.write(&text, &options.output, stopped.is_some(), &used)
}

/// Says what came of a threshold.
fn tell(it: &Tuned) {
    let (tone, value) = match (it.taken(), &it.outcome) {
        (Some(value), _) => (Tone::Good, format!("{} instead of {}", value, it.default)),
        (None, Outcome::Chosen { .. }) => (Tone::Plain, it.default.clone()),
        (None, Outcome::NotMeasured(_)) => (Tone::Warning, "–".into()),
    };
    let name = paint(Tone::Name, &it.name);
    print(&format!("{name}: {}\n  {}\n", paint(tone, &value), it.reason()));
    for (value, why) in &it.refused {
        print(&format!("  {value} is out: {why}\n"));
    }
}

/// Shows the table.
fn list(thresholds: &[&Threshold], places: &Places) {
    let mut rows = Vec::new();
    for threshold in thresholds {
        let default = match cairn::parameter(&threshold.name, &threshold.mca, places) {
            Ok(parameter) => parameter.default,
            Err(_) => "not here".into(),
        };
        let candidates = list_words(threshold.candidates.iter());
        let first = [threshold.name.clone(), default, candidates, settings(&threshold.mca)];
        let mut first = Some(first);
        for line in threshold.command_lines() {
            let [name, default, candidates, with] = first.take().unwrap_or_default();
            rows.push(vec![
                Cell(Tone::Name, name),
                Cell(Tone::Faint, default),
                Cell(Tone::Good, candidates),
                Cell::plain(line),
                Cell(Tone::Faint, with),
            ]);
        }
    }
    let header = vec!["THRESHOLD", "DEFAULT", "ALSO TRIED", "MEASURED BY", "WITH"];
    print_table(&Rows { header, rows });
}

fn list_words(values: impl Iterator<Item = impl ToString>) -> String {
    values.map(|it| it.to_string()).collect::<Vec<_>>().join(" ")
}

/// Parameters as words.
fn settings(mca: &BTreeMap<String, Scalar>) -> String {
    list_words(mca.iter().map(|(name, value)| format!("{name}={value}")))
}

/// Thresholds that are tuned one after the other.
struct Session<'a> {
    options: &'a Options,
    table: &'a Table,
    places: &'a Places,
    /// What was taken for the former ones.
    chosen: BTreeMap<String, Scalar>,
}

impl Session<'_> {
    /// Measures a threshold and chooses; nothing if the user stopped it.
    fn threshold(&self, threshold: &Threshold) -> Result<Option<Tuned>, Problems> {
        // What a threshold needs to be seen at all is stronger than what was taken.
        let mut with = self.chosen.clone();
        with.extend(threshold.mca.clone());
        let name = &threshold.name;
        let mut tuned = Tuned {
            name: name.clone(),
            help: String::new(),
            default: String::new(),
            elsewhere: None,
            with: settings(&with),
            refused: Vec::new(),
            outcome: Outcome::NotMeasured("this installation has it not".into()),
        };
        let parameter = match cairn::parameter(name, &with, self.places) {
            Ok(parameter) => parameter,
            Err(problem) => {
                tuned.outcome = Outcome::NotMeasured(problem.what);
                return Ok(Some(tuned));
            }
        };
        let (text, origin) = parameter.set.clone();
        tuned.elsewhere = (origin != cairn::BUILT_IN).then_some((text, origin));
        tuned.help.clone_from(&parameter.help);
        tuned.default.clone_from(&parameter.default);
        let values = self.values(threshold, &parameter, &with, &mut tuned);
        if values.len() < 2 || values[0] != parameter.default {
            tuned.outcome = Outcome::NotMeasured("there is no other value to try".into());
            return Ok(Some(tuned));
        }
        let experiment = self.experiment(threshold, &parameter, &values, &with);
        experiment.check().map_err(|problem| problem.at(format!("threshold {name}")))?;
        let Some(summary) = self.options.runs.measure(name, &experiment, self.places)? else {
            return Ok(None);
        };
        if summary.groups.is_empty() {
            let why = summary.failures.first().map(report::summary::Failure::shown);
            tuned.outcome =
                Outcome::NotMeasured(why.unwrap_or_else(|| "no run has a value".into()));
            return Ok(Some(tuned));
        }
        let measured = Box::new(measured(&summary, &self.options.runs.store(name, self.places)));
        tuned.outcome = Outcome::Chosen { choice: choice::choose(&summary), measured };
        Ok(Some(tuned))
    }

    /// The values to measure, of which the first is the default. Those that Cairn does not take are left out,
    /// as are those that are the same in other words.
    fn values(
        &self,
        threshold: &Threshold,
        parameter: &Parameter,
        with: &BTreeMap<String, Scalar>,
        tuned: &mut Tuned,
    ) -> Vec<String> {
        let name = &threshold.name;
        let read = |text: &str| {
            let mut mca = with.clone();
            mca.insert(name.clone(), Scalar::Word(text.to_owned()));
            cairn::parameter(name, &mca, self.places).map(|it| it.value)
        };
        let elsewhere = tuned.elsewhere.iter().map(|(text, _)| text.clone());
        let candidates = threshold.candidates.iter().map(Scalar::to_string);
        let mut values = Vec::new();
        let mut known = Vec::new();
        for text in [parameter.default.clone()].into_iter().chain(elsewhere).chain(candidates) {
            match read(&text) {
                Ok(value) if known.contains(&value) => {}
                Ok(value) => {
                    known.push(value);
                    values.push(text);
                }
                // What to do about it is for those who have set it themselves.
                Err(problem) => tuned.refused.push((text, Problem { fix: None, ..problem }.line())),
            }
        }
        values
    }

    fn experiment(
        &self,
        threshold: &Threshold,
        parameter: &Parameter,
        values: &[String],
        with: &BTreeMap<String, Scalar>,
    ) -> Experiment {
        let variant = |value: &String| {
            let mut mca = with.clone();
            mca.insert(threshold.name.clone(), Scalar::Word(value.clone()));
            Variant { name: value.clone(), mca, ..Variant::default() }
        };
        let Table { warmup, time_limit, minimal_effect, noise, .. } = self.table.clone();
        let retries = self.options.runs.retries.unwrap_or(noise.retries);
        let mut experiment = Experiment {
            title: threshold.name.clone(),
            claim: parameter.help.clone(),
            variants: values.iter().map(variant).collect(),
            benchmarks: threshold.benchmarks.clone(),
            repeats: self.options.runs.repeats,
            noise: Noise { retries, ..noise },
            warmup,
            time_limit,
            minimal_effect,
            ..Experiment::default()
        };
        experiment.complete();
        experiment
    }
}

fn measured(summary: &Summary, store: &Path) -> Measured {
    let baseline = &summary.experiment.baseline;
    Measured {
        environment: summary.environments.last().cloned().unwrap_or_default(),
        library: summary.versions.get(baseline).cloned().unwrap_or_default(),
        repeats: quiet(summary),
        store: store.to_owned(),
    }
}
