//! What is tuned, and by what it is measured: `thresholds.toml` beside this file, or a file of the user's.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use cairn_framework::host::problem::Problem;
use glob::Pattern;
use serde::Deserialize;
use smart_default::SmartDefault;

use crate::contract::Scalar;
use crate::experiment::{self, Benchmark, Noise, meant};

/// The thresholds of Cairn's own components.
const OWN: &str = include_str!("thresholds.toml");

/// All that can be tuned.
#[derive(Debug, Clone, PartialEq, SmartDefault, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Table {
    /// Blocks that don't count, before the others.
    #[default = 1]
    pub warmup: u32,
    /// Seconds after which a run is ended.
    #[default = 20.0]
    pub time_limit: f64,
    /// Differences of less than this share do not matter.
    #[default = 0.02]
    pub minimal_effect: f64,
    /// When a block is disturbed, and how often it is tried.
    pub noise: Noise,
    /// In the order in which they are tuned.
    #[serde(rename = "threshold")]
    pub thresholds: Vec<Threshold>,
}

/// A parameter that is tuned.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Threshold {
    /// The parameter.
    pub name: String,
    /// The values that are tried beside its default.
    pub candidates: Vec<Scalar>,
    /// What is set in all its runs, but not in the result.
    pub mca: BTreeMap<String, Scalar>,
    /// What shows the difference.
    #[serde(rename = "benchmark")]
    pub benchmarks: Vec<Benchmark>,
}

impl Table {
    /// The table of a file, or Cairn's own.
    ///
    /// # Errors
    /// It can't be read, or is no table.
    pub fn read(file: Option<&Path>) -> Result<Self, Problem> {
        let Some(file) = file else {
            return Self::parse(OWN, Path::new("thresholds.toml"));
        };
        let text = fs::read_to_string(file).map_err(|error| {
            Problem::new(format!("can't read the table: {error}")).at(file.display())
        })?;
        Self::parse(&text, file)
    }

    fn parse(text: &str, file: &Path) -> Result<Self, Problem> {
        let fix = "docs/cairn-ab.md has an example";
        let mut table: Self = toml::from_str(text)
            .map_err(|error| experiment::malformed(&error, text, file).fix(fix))?;
        table.check().map_err(|problem| problem.at(file.display()).fix(fix))?;
        let dir = file.parent().unwrap_or(Path::new("."));
        for benchmark in table.thresholds.iter_mut().flat_map(|it| &mut it.benchmarks) {
            benchmark.find_from(dir);
        }
        Ok(table)
    }

    /// The rest is checked with the experiment that a threshold becomes.
    fn check(&self) -> Result<(), Problem> {
        for (i, threshold) in self.thresholds.iter().enumerate() {
            let name = &threshold.name;
            let what = match threshold {
                it if it.name.is_empty() => "a threshold has no name".into(),
                it if it.candidates.is_empty() => format!("{name} has no candidates"),
                it if it.benchmarks.is_empty() => format!("{name} has no benchmark"),
                it if it.mca.contains_key(name) => format!("{name} is set by its own mca"),
                _ if self.thresholds[..i].iter().any(|it| it.name == *name) => {
                    format!("{name} is there twice")
                }
                _ => continue,
            };
            return Err(Problem::new(what));
        }
        Ok(())
    }

    /// The thresholds whose names match one of some patterns; all if there are none.
    ///
    /// # Errors
    /// A pattern is none, or matches nothing.
    pub fn matching(&self, patterns: &[String]) -> Result<Vec<&Threshold>, Problem> {
        let names = || self.thresholds.iter().map(|it| it.name.as_str());
        let mut wanted = Vec::new();
        for text in patterns {
            let pattern = Pattern::new(text)
                .map_err(|error| Problem::new(format!("{text} is no pattern: {error}")))?;
            if !names().any(|name| pattern.matches(name)) {
                let problem = Problem::new(format!("there is no threshold {text} to tune"));
                let problem = problem.allowed(names().collect::<Vec<_>>().join(", "));
                return Err(meant(problem, text, names()));
            }
            wanted.push(pattern);
        }
        let is_wanted = |it: &&Threshold| {
            wanted.is_empty() || wanted.iter().any(|pattern| pattern.matches(&it.name))
        };
        Ok(self.thresholds.iter().filter(is_wanted).collect())
    }
}

impl Threshold {
    /// The command lines that measure it.
    pub fn command_lines(&self) -> Vec<String> {
        let lines = |it: &Benchmark| {
            let name = it.binary.clone();
            let cases = it.cases(0).into_iter();
            cases.map(move |case| format!("{name} {}", case.args.join(" ")).trim_end().to_owned())
        };
        self.benchmarks.iter().flat_map(lines).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = "[[threshold]]\nname = \"a_limit\"\ncandidates = [1, \"2k\"]\n\
                         [[threshold.benchmark]]\nbinary = \"./x\"\nsweep = { \"-s\" = [1, 2] }\n";

    #[test]
    fn cairns_own_is_sound() {
        let table = Table::read(None).unwrap();
        let names: Vec<&str> = table.thresholds.iter().map(|it| it.name.as_str()).collect();
        for name in ["btl_sm_eager_limit", "btl_sm_push_limit", "btl_tcp_eager_limit"] {
            assert!(names.contains(&name), "{names:?}");
        }
        let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/programs/src/bin");
        for benchmark in table.thresholds.iter().flat_map(|it| &it.benchmarks) {
            let program = programs.join(&benchmark.binary).with_extension("rs");
            assert!(program.is_file(), "{}", program.display());
            // Otherwise what is better would be counted twice.
            assert!(benchmark.metric.is_some());
        }
    }

    #[test]
    fn patterns_choose() {
        let table = Table::read(None).unwrap();
        let names = |patterns: &[&str]| -> Vec<String> {
            let patterns: Vec<String> = patterns.iter().map(ToString::to_string).collect();
            let found = table.matching(&patterns).unwrap();
            found.into_iter().map(|it| it.name.clone()).collect()
        };
        assert_eq!(names(&[]).len(), table.thresholds.len());
        // In the order of the table, whatever the order of the patterns.
        let both = ["btl_sm_eager_limit", "btl_sm_push_limit"];
        assert_eq!(names(&["btl_sm_push_limit", "btl_sm_*_limit"]), both);
        let none = table.matching(&["btl_sm_eager_limt".into()]).unwrap_err();
        assert!(none.to_string().contains("did you mean btl_sm_eager_limit"), "{none}");
        assert!(none.allowed.unwrap().contains("smsc_ring_chunk"));
        table.matching(&["[".into()]).unwrap_err();
    }

    #[test]
    fn mistakes_are_named() {
        let parse = |text: &str| Table::parse(text, Path::new("dir/t.toml"));
        let table = parse(SMALL).unwrap();
        assert!(table.thresholds[0].benchmarks[0].binary.ends_with("dir/x"));
        assert_eq!(table.thresholds[0].command_lines().len(), 2);
        for (text, what) in [
            (SMALL.replace("a_limit", ""), "no name"),
            (SMALL.replace("1, \"2k\"", ""), "a_limit has no candidates"),
            (SMALL.split("[[threshold.").next().unwrap().to_owned(), "a_limit has no benchmark"),
            (SMALL.repeat(2), "a_limit is there twice"),
            (SMALL.replace("[[threshold.", "mca.a_limit = 1\n[[threshold."), "its own mca"),
            (SMALL.replace("binary", "binry"), "binry"),
        ] {
            let problem = parse(&text).unwrap_err();
            assert!(problem.what.contains(what), "{problem}");
            assert!(problem.place.unwrap().starts_with("dir/t.toml"));
        }
    }
}
