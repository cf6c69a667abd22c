//! Measuring: everything is checked and built first, then the blocks run, and each run is in the store
//! before the next one begins.
//!
//! ```text
//!   experiment ─> check ─> prepare and build ─> block 0 (warm-up), 1, 2 …  ─> store
//!                                                 │
//!                       every case in random order, in each case the variants in random order
//! ```

mod instructions;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use cairn_framework::host::problem::{Problem, Problems};
use fastrand::Rng;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::cairn;
use crate::contract::{self, Measured, Printed, SKIPPED};
use crate::counts::{self, Counts};
use crate::environment::{Environment, now};
use crate::experiment::{Case, Experiment, Mpi, Variant, meant};
use crate::libraries::{self, Installation, Library, Places, installation};
use crate::noise::{self, Used};
use crate::process::{self, End, Finished, Stop};
use crate::store::{self, Block, Outcome, Record, Run, Store};

/// What has failed so often in a row is not tried again: it costs its whole time limit.
const PATIENCE: u32 = 2;

/// So much of the end of what a failed run wrote is kept, in bytes.
const KEPT_OUTPUT: usize = 2000;

/// What to do with a store that is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// It is a mistake.
    Refuse,
    /// Go on with it.
    Resume,
    /// Begin anew.
    Overwrite,
}

/// How measuring ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// Everything was run.
    Complete,
    /// The user stopped it.
    Interrupted,
}

/// Measures an experiment into the store in `dir`.
///
/// # Errors
/// Something is wrong with the experiment or the store, or nothing can be run at all.
pub fn measure(
    experiment: &Experiment,
    dir: &Path,
    existing: Existing,
    places: &Places,
) -> Result<Ended, Problems> {
    experiment.check()?;
    let resumed = match existing {
        Existing::Resume => Some(Store::resume(dir)?),
        Existing::Overwrite => None,
        // Said before anything is built.
        Existing::Refuse => Store::refuse(dir).map(|()| None)?,
    };
    let mut versions = BTreeMap::new();
    if let Some((_, contents)) = &resumed {
        cairn_cli::print_problems(contents.torn.as_slice());
        if contents.experiment != *experiment {
            return Err(Problem::new("this store is of another experiment, or it has changed")
                .at(dir.join(store::SAMPLES).display())
                .fix("measure it anew with --overwrite, or into another with --store DIR")
                .into());
        }
        versions = contents.versions()?;
    }
    let parameters = parameters(experiment, places)?;
    let programs = programs(experiment, places)?;
    let (libraries, skipped) = libraries(experiment, &programs, places)?;

    let (mut store, earlier) = match resumed {
        Some((store, contents)) => (store, contents.records),
        None => (Store::create(dir, experiment)?, Vec::new()),
    };
    let of = |variant: &Variant| {
        Some((variant.name.clone(), libraries.get(&installation(variant))?.shown()))
    };
    let installed = experiment.variants.iter().filter_map(of).collect();
    let environment = Environment::new(installed, places.bench.as_deref(), parameters);
    store.append(&Record::Environment(Box::new(environment)))?;
    for (variant, reason) in &skipped {
        let (variant, reason) = (variant.clone(), reason.clone());
        store.append(&Record::Skipped { variant, reason })?;
    }
    let mut session = Session::new(experiment, libraries, &skipped, store, places);
    session.versions = versions;
    session.recall(&earlier);
    let ended = session.run();
    session.bar.finish_and_clear();
    match ended {
        Ok(()) => Ok(Ended::Complete),
        Err(Stop::Interrupted) => Ok(Ended::Interrupted),
        Err(Stop::Problem(problem)) => Err(problem.into()),
    }
}

/// Checks all that can be checked without running or building anything.
///
/// # Errors
/// What is wrong.
pub fn check(experiment: &Experiment, places: &Places) -> Result<(), Problems> {
    experiment.check()?;
    parameters(experiment, places)?;
    programs(experiment, places)?;
    Ok(())
}

/// What the variants of Cairn set. Refuses what Cairn does not know.
fn parameters(
    experiment: &Experiment,
    places: &Places,
) -> Result<BTreeMap<String, BTreeMap<String, String>>, Problems> {
    let mut set = BTreeMap::new();
    let mut problems = Vec::new();
    for variant in experiment.variants.iter().filter(|variant| variant.mpi == Mpi::Cairn) {
        let prefix = variant.prefix.as_ref().unwrap_or(&places.cairn);
        let checked = libraries::check_cairn(prefix).map_err(|mut problem| {
            problem.place = Some(format!("variant {}: {}", variant.name, prefix.display()));
            vec![problem]
        });
        match checked.and_then(|()| cairn::check(prefix, variant, places)) {
            Ok(parameters) => {
                set.insert(variant.name.clone(), parameters);
            }
            Err(more) => problems.extend(more),
        }
    }
    Problems::check(problems)?;
    Ok(set)
}

/// The programs of the benchmarks that are no paths, checked to be there.
fn programs(experiment: &Experiment, places: &Places) -> Result<BTreeSet<String>, Problem> {
    let mut wanted = BTreeSet::new();
    for benchmark in &experiment.benchmarks {
        let binary = &benchmark.binary;
        if !binary.contains('/') {
            wanted.insert(binary.clone());
        } else if !Path::new(binary).is_file() {
            let problem = Problem::new("there is no such benchmark").at(binary);
            return Err(problem.fix("without a slash it is a program of bench/"));
        }
    }
    if wanted.is_empty() {
        return Ok(wanted);
    }
    let Some(bench) = &places.bench else {
        let problem = Problem::new("the sources of the benchmarks are not found");
        return Err(problem.fix("say where they are with --bench DIR"));
    };
    let known = libraries::programs(bench, places)?;
    let Some(binary) = wanted.iter().find(|binary| !known.contains(binary)) else {
        return Ok(wanted);
    };
    let problem = Problem::new(format!("there is no benchmark {binary}"))
        .at(bench.display())
        .allowed(known.join(", "));
    Err(meant(problem, binary, known.iter().map(String::as_str)))
}

/// The libraries that can be used.
type Libraries = BTreeMap<Installation, Library>;

/// Why variants are left out, by their names.
type Skipped = BTreeMap<String, String>;

/// The libraries that can be used, and why variants can't be measured.
fn libraries(
    experiment: &Experiment,
    programs: &BTreeSet<String>,
    places: &Places,
) -> Result<(Libraries, Skipped), Problem> {
    let names: Vec<&str> = programs.iter().map(String::as_str).collect();
    let (mut ready, mut skipped) = (Libraries::new(), Skipped::new());
    // What was built, by where: installations with the same header share it.
    let mut built: BTreeMap<PathBuf, PathBuf> = BTreeMap::new();
    let wanted: BTreeSet<Installation> = experiment.variants.iter().map(installation).collect();
    for wanted in wanted {
        let prepared = libraries::prepare(&wanted, places).and_then(|mut library| {
            if names.is_empty() {
                return Ok(library);
            }
            let target = libraries::target(&library, places)?;
            library.programs = match built.get(&target) {
                Some(programs) => programs.clone(),
                None => libraries::build(&library, &names, places)?,
            };
            built.insert(target, library.programs.clone());
            Ok(library)
        });
        match prepared {
            Ok(library) => {
                ready.insert(wanted, library);
            }
            Err(Stop::Interrupted) => return Err(Stop::Interrupted.into()),
            Err(Stop::Problem(Problem { what: reason, .. })) => {
                let of_it = |variant: &&Variant| installation(variant) == wanted;
                let name = match &wanted {
                    (mpi, None) => mpi.name().to_owned(),
                    (mpi, Some(prefix)) => format!("{} in {}", mpi.name(), prefix.display()),
                };
                let problem = Problem::new(format!("{name} is left out: {reason}"));
                cairn_cli::print_problems(&[problem.warning()]);
                for variant in experiment.variants.iter().filter(of_it) {
                    skipped.insert(variant.name.clone(), reason.clone());
                }
            }
        }
    }
    if ready.is_empty() {
        return Err(Problem::new("none of the variants can be measured here"));
    }
    for variant in experiment.variants.iter().filter(|it| it.mpi == Mpi::Ompi) {
        if let Some(library) = ready.get(&installation(variant)) {
            libraries::check_openmpi(library, variant, places)?;
        }
    }
    Ok((ready, skipped))
}

/// Something to run in each block.
#[derive(Debug, Clone, PartialEq)]
struct Job {
    /// Which of the experiment's variants.
    variant: usize,
    case: Case,
}

/// The order of a block: the cases in random order, and in each the variants in random order, so that
/// what is compared runs close together. The same seed, block and attempt give the same order.
fn order(jobs: &[Vec<Job>], seed: u64, block: u32, attempt: u32) -> Vec<Job> {
    let mut rng = Rng::with_seed(seed ^ (u64::from(block) << 32) ^ (u64::from(attempt) << 16));
    let mut cases: Vec<&Vec<Job>> = jobs.iter().collect();
    rng.shuffle(&mut cases);
    let shuffled = cases.into_iter().map(|jobs| {
        let mut jobs = jobs.clone();
        rng.shuffle(&mut jobs);
        jobs
    });
    shuffled.flatten().collect()
}

/// What tells runs of a block apart: variant, benchmark, arguments, processes.
type Key = (String, String, Vec<String>, u32);

struct Session<'a> {
    experiment: &'a Experiment,
    libraries: Libraries,
    /// By case, then by variant.
    jobs: Vec<Vec<Job>>,
    cores: Vec<usize>,
    store: Store,
    places: &'a Places,
    /// By block: the attempts' runs.
    runs: HashMap<u32, Vec<Vec<Run>>>,
    finished: BTreeSet<u32>,
    /// How often in a row a job has failed; skipped ones at once for good.
    failures: HashMap<Key, u32>,
    /// What each variant runs on, as its runs say.
    versions: BTreeMap<String, String>,
    /// How often the instructions of a job were counted; for good where that can't be.
    executed: HashMap<Key, u32>,
    bar: ProgressBar,
}

impl<'a> Session<'a> {
    fn new(
        experiment: &'a Experiment,
        libraries: Libraries,
        skipped: &Skipped,
        store: Store,
        places: &'a Places,
    ) -> Self {
        let cases = experiment.benchmarks.iter().enumerate().flat_map(|(i, it)| it.cases(i));
        let jobs = cases.map(|case| {
            let variants = experiment.variants.iter().enumerate().filter(|(_, variant)| {
                !skipped.contains_key(&variant.name)
                    && experiment.benchmarks[case.benchmark].is_for(variant)
            });
            variants.map(|(variant, _)| Job { variant, case: case.clone() }).collect()
        });
        Self {
            experiment,
            libraries,
            jobs: jobs.collect(),
            cores: noise::cores(),
            store,
            places,
            runs: HashMap::new(),
            finished: BTreeSet::new(),
            failures: HashMap::new(),
            versions: BTreeMap::new(),
            executed: HashMap::new(),
            bar: ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()),
        }
    }

    /// Takes in what was measured before.
    fn recall(&mut self, records: &[Record]) {
        for record in records {
            match record {
                Record::Run(run) => self.remember((**run).clone()),
                Record::Instructions(run) => {
                    let number = self.executed.entry(key_of(run)).or_default();
                    *number = if instructions::missing(run) { u32::MAX } else { *number + 1 };
                }
                Record::Block(block) => {
                    self.finished.insert(block.block);
                }
                _ => {}
            }
        }
    }

    fn remember(&mut self, run: Run) {
        let failures = self.failures.entry(key_of(&run)).or_default();
        match run.outcome {
            Outcome::Measured { .. } => *failures = 0,
            Outcome::Failed { .. } => *failures += 1,
            Outcome::Skipped { .. } => *failures = PATIENCE,
        }
        let attempts = self.runs.entry(run.block).or_default();
        while attempts.len() <= run.attempt as usize {
            attempts.push(Vec::new());
        }
        attempts[run.attempt as usize].push(run);
    }

    fn run(&mut self) -> Result<(), Stop> {
        let blocks = self.experiment.warmup + self.experiment.repeats;
        let per_block: usize = self.jobs.iter().map(Vec::len).sum();
        let left = (blocks as usize - self.finished.len()) * per_block;
        self.bar.set_length(left as u64);
        let style = "{bar:30} run {pos} of {len}, {eta} left  {wide_msg}";
        self.bar.set_style(ProgressStyle::with_template(style).expect("a sound template"));
        self.bar.enable_steady_tick(Duration::from_millis(500));
        for block in 0..blocks {
            if self.finished.contains(&block) {
                continue;
            }
            self.block(block)?;
            if self.bar.is_hidden() {
                eprintln!("block {} of {blocks}", block + 1);
            }
        }
        if self.experiment.instructions {
            self.count_instructions()?;
        }
        Ok(())
    }

    /// Whether to go on.
    fn proceed(&self) -> Result<(), Stop> {
        if self.places.interrupt.wished() { Err(Stop::Interrupted) } else { Ok(()) }
    }

    /// Runs a block, again if the machine was disturbed.
    fn block(&mut self, block: u32) -> Result<(), Stop> {
        let warmup = block < self.experiment.warmup;
        let allowed = self.experiment.noise.clone();
        let retries = if warmup { 0 } else { allowed.retries };
        let begun = self.runs.get(&block).map_or(0, |attempts| attempts.len() as u32);
        let mut attempt = begun.saturating_sub(1);
        loop {
            self.attempt(block, attempt)?;
            let attempts = self.runs.get(&block).map_or(&[][..], Vec::as_slice);
            let quiet = attempts.iter().enumerate().map(|(i, runs)| {
                let (spread, others) = noise::of_block(runs);
                (i as u32, spread, others, noise::excess(spread, others, &allowed))
            });
            let best = quiet.min_by(|a, b| a.3.total_cmp(&b.3)).unwrap_or((0, 0.0, 0.0, 0.0));
            let (chosen, spread, others, excess) = best;
            if excess > 1.0 && attempt < retries {
                attempt += 1;
                let again = self.jobs.iter().map(Vec::len).sum::<usize>();
                self.bar.inc_length(again as u64);
                self.say(&format!(
                    "block {} again: the machine's speed varied by {:.0} %, others used {:.0} %",
                    block + 1,
                    spread * 100.0,
                    others * 100.0
                ));
                continue;
            }
            let attempts = attempt + 1;
            let disturbed = excess > 1.0;
            let record = Block { block, attempt: chosen, attempts, spread, others, disturbed };
            self.store.append(&Record::Block(record))?;
            self.finished.insert(block);
            return Ok(());
        }
    }

    fn attempt(&mut self, block: u32, attempt: u32) -> Result<(), Stop> {
        let there: BTreeSet<Key> = self
            .runs
            .get(&block)
            .and_then(|attempts| attempts.get(attempt as usize))
            .map_or_else(BTreeSet::new, |runs| runs.iter().map(key_of).collect());
        let mut work = noise::work_ns(&self.cores);
        for job in order(&self.jobs, self.experiment.seed, block, attempt) {
            self.proceed()?;
            let key = self.key(&job);
            let given_up = self.failures.get(&key).is_some_and(|failures| *failures >= PATIENCE);
            if !there.contains(&key) && !given_up {
                let (variant, benchmark, args, _) = &key;
                self.bar.set_message(format!("{variant}: {benchmark} {}", args.join(" ")));
                let run = self.job(&job, block, attempt, &mut work)?;
                store::same_version(&mut self.versions, &run)?;
                self.store.append(&Record::Run(Box::new(run.clone())))?;
                self.tell(&run);
                self.remember(run);
            }
            self.bar.inc(1);
        }
        Ok(())
    }

    /// Runs a benchmark.
    fn job(&self, job: &Job, block: u32, attempt: u32, work: &mut u64) -> Result<Run, Stop> {
        let limit = Duration::from_secs_f64(self.experiment.time_limit);
        let before = *work;
        let (variant, counts) = (&self.experiment.variants[job.variant], self.experiment.counts);
        let program = [self.program(job).into()];
        let mut command = self.launch(job, variant, counts, &program);
        command.args(&job.case.args).arg("--json");
        let mut run = self.one(job, block, attempt, &command, limit, counts)?;
        *work = noise::work_ns(&self.cores);
        run.work_ns = [before, *work];
        Ok(run)
    }

    /// Runs a command of a benchmark, and perhaps counts.
    fn one(
        &self,
        job: &Job,
        block: u32,
        attempt: u32,
        command: &Command,
        limit: Duration,
        counts: bool,
    ) -> Result<Run, Stop> {
        let (load, started) = (noise::load(), now());
        let used = Used::now();
        let finished = process::run(command, limit, &self.places.interrupt);
        let others = used.map_or(0.0, Used::others_since);
        let seconds = finished.as_ref().map_or(0.0, |it| it.time.as_secs_f64());
        let outcome = match finished {
            Ok(Finished { end: End::Interrupted, .. }) => return Err(Stop::Interrupted),
            Ok(finished) => outcome(&finished, self.library(job), counts, limit),
            Err(error) => Outcome::Failed {
                reason: format!("it can't be started: {error}"),
                output: String::new(),
            },
        };
        let command = libraries::shown(command);
        let run = self.record(job, block, attempt, outcome);
        Ok(Run { command, started, seconds, load, others, ..run })
    }

    /// What is stored of a job, whether it ran or not.
    fn record(&self, job: &Job, block: u32, attempt: u32, outcome: Outcome) -> Run {
        let (variant, benchmark, args, ranks) = self.key(job);
        Run {
            block,
            attempt,
            variant,
            benchmark,
            args,
            ranks,
            at: job.case.at.clone(),
            command: String::new(),
            started: now(),
            seconds: 0.0,
            load: noise::load(),
            others: 0.0,
            work_ns: [0, 0],
            outcome,
        }
    }

    fn library(&self, job: &Job) -> &Library {
        &self.libraries[&installation(&self.experiment.variants[job.variant])]
    }

    fn program(&self, job: &Job) -> PathBuf {
        let benchmark = &self.experiment.benchmarks[job.case.benchmark];
        if benchmark.binary.contains('/') {
            PathBuf::from(&benchmark.binary)
        } else {
            self.library(job).programs.join(&benchmark.binary)
        }
    }

    /// The command that starts the words of a program as a job wants it.
    fn launch(&self, job: &Job, variant: &Variant, counts: bool, program: &[OsString]) -> Command {
        let (ranks, pinning) = (job.case.ranks, self.experiment.pinning);
        self.library(job).launch(variant, ranks, pinning, self.cores.len(), counts, program)
    }

    fn key(&self, job: &Job) -> Key {
        (
            self.experiment.variants[job.variant].name.clone(),
            self.experiment.benchmarks[job.case.benchmark].name.clone(),
            job.case.args.clone(),
            job.case.ranks,
        )
    }

    /// Says what the user should know at once.
    fn tell(&self, run: &Run) {
        let what = match &run.outcome {
            Outcome::Measured { .. } => return,
            Outcome::Failed { reason, .. } => format!("failed: {reason}"),
            Outcome::Skipped { reason } => format!("skipped: {reason}"),
        };
        let args = run.args.join(" ");
        self.say(&format!("{}: {} {args}: {what}", run.variant, run.benchmark));
    }

    fn say(&self, text: &str) {
        self.bar.suspend(|| eprintln!("{text}"));
    }
}

fn key_of(run: &Run) -> Key {
    (run.variant.clone(), run.benchmark.clone(), run.args.clone(), run.ranks)
}

/// What came of a run on a library.
fn outcome(finished: &Finished, on: &Library, counts: bool, limit: Duration) -> Outcome {
    let failed = |reason: String| Outcome::Failed { reason, output: tail(&finished.stderr) };
    let printed = contract::read(&finished.stdout);
    match (finished.end, printed) {
        (End::TooLong | End::Interrupted, _) => {
            failed(format!("it did not end in {} s and was ended", limit.as_secs_f64()))
        }
        (End::Lost, _) => failed("what watched over it was killed".into()),
        // Launchers may report another status than the ranks'.
        (End::Exited(_), Ok(Printed::Skipped(reason))) => Outcome::Skipped { reason },
        (End::Exited(status), _) if status.code() == Some(SKIPPED) => {
            Outcome::Skipped { reason: "it does not say why".into() }
        }
        (End::Exited(status), Ok(Printed::Measured(it))) if status.success() => {
            let Measured { mpi, library, parameters, mut points, messages } = it;
            if let Some(Err(why)) = library.as_deref().map(|file| on.has_loaded(file)) {
                return failed(why);
            }
            let counts = counts.then(|| {
                let said = (on.mpi == Mpi::Cairn).then_some(finished.stderr.as_str());
                let counts = Counts::new(messages, finished.cpu, said);
                points.extend(counts.points(&counts::place(&points)));
                Box::new(counts)
            });
            Outcome::Measured { mpi, library, parameters, points, counts }
        }
        (End::Exited(status), Err(why)) if status.success() => failed(why),
        (End::Exited(status), Err(why)) if finished.stdout.contains('{') => {
            failed(format!("{}: {why}", process::shown(status)))
        }
        (End::Exited(status), _) => failed(process::shown(status)),
    }
}

fn tail(text: &str) -> String {
    let mut start = text.len().saturating_sub(KEPT_OUTPUT);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    text[start..].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::At;
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    fn jobs() -> Vec<Vec<Job>> {
        let job = |case: usize, variant| Job {
            variant,
            case: Case { benchmark: case, args: Vec::new(), ranks: 2, at: At::new() },
        };
        (0..4).map(|case| (0..3).map(|variant| job(case, variant)).collect()).collect()
    }

    #[test]
    fn a_block_has_everything_once_and_variants_side_by_side() {
        let jobs = jobs();
        let mut first = BTreeSet::new();
        for block in 0..64 {
            let order = order(&jobs, 7, block, 0);
            let all: BTreeSet<(usize, usize)> =
                order.iter().map(|job| (job.case.benchmark, job.variant)).collect();
            assert_eq!((order.len(), all.len()), (12, 12));
            for case in order.chunks(3) {
                assert!(case.iter().all(|job| job.case.benchmark == case[0].case.benchmark));
            }
            first.insert((order[0].case.benchmark, order[0].variant));
        }
        // No variant is always first.
        assert_eq!(first.len(), 12);
    }

    #[test]
    fn the_order_is_repeatable() {
        let jobs = jobs();
        assert_eq!(order(&jobs, 1, 3, 0), order(&jobs, 1, 3, 0));
        assert_ne!(order(&jobs, 1, 3, 0), order(&jobs, 1, 4, 0));
        assert_ne!(order(&jobs, 1, 3, 0), order(&jobs, 1, 3, 1));
        assert_ne!(order(&jobs, 1, 3, 0), order(&jobs, 2, 3, 0));
    }

    fn ended(end: End, stdout: &str) -> Outcome {
        let stdout = stdout.to_owned();
        let (time, cpu) = (Duration::from_secs(1), None);
        let finished = Finished { end, stdout, stderr: "why".into(), time, cpu };
        let (mpi, prefix) = (Mpi::Cairn, "/p".into());
        let on = Library { mpi, prefix, version: String::new(), programs: PathBuf::new() };
        outcome(&finished, &on, false, Duration::from_secs(9))
    }

    #[test]
    fn ends_have_names() {
        let exit = |code: i32| End::Exited(ExitStatus::from_raw(code << 8));
        let reason = |outcome: Outcome| match outcome {
            Outcome::Failed { reason, output } => {
                assert_eq!(output, "why");
                reason
            }
            other => panic!("{other:?}"),
        };
        let skipped = r#"{"format":1,"skipped":"no windows"}"#;
        let good = r#"{"format":1,"points":[{"at":{},"metric":"m","unit":"s","better":"lower","value":1}]}"#;
        assert!(matches!(ended(exit(0), good), Outcome::Measured { .. }));
        let no = Outcome::Skipped { reason: "no windows".into() };
        assert_eq!(ended(exit(77), skipped), no);
        assert_eq!(ended(exit(1), skipped), no);
        assert!(matches!(ended(exit(77), ""), Outcome::Skipped { .. }));
        assert!(reason(ended(End::TooLong, good)).contains("in 9 s"));
        assert_eq!(reason(ended(exit(0), "")), "it printed nothing");
        assert_eq!(reason(ended(exit(3), "")), "exit status 3");
        assert_eq!(reason(ended(exit(3), good)), "exit status 3");
        let killed = End::Exited(ExitStatus::from_raw(11));
        assert_eq!(reason(ended(killed, "")), "killed by SIGSEGV (11)");
        let wrong = r#"{"format":1,"points":[],"checked":false}"#;
        assert!(reason(ended(exit(1), wrong)).contains("was wrong"));
    }

    #[test]
    fn tails_are_whole_letters() {
        assert_eq!(tail("abc"), "abc");
        let long = "ä".repeat(KEPT_OUTPUT);
        let kept = tail(&(long + "x"));
        assert!(kept.len() <= KEPT_OUTPUT && kept.ends_with("äx"));
    }
}
