//! `cairn-info`: what is there, what it is set to and why, and what is wrong.
//!
//! ```text
//!   here        command line, the system, problems, exit status
//!   components  what is there                    params    parameters and where values come from
//!   doctor      is the installation sound        check     does a component keep its contract
//!   generate    files made from the above, for `cargo xtask`
//! ```
//!
//! Exit status: 0 all is well, 1 something is wrong (it is on standard error, or in the JSON),
//! 2 the command line was not understood, 3 a component can't be used here and so was not checked.

#![forbid(unsafe_code)]

mod check;
mod components;
mod doctor;
mod generate;
mod params;

use std::path::PathBuf;
use std::process::ExitCode;

use cairn_cli::McaArgs;
use cairn_framework::host::problem::{Problem, Severity};
use cairn_framework::host::{Options, Search, System};
use clap::{Args, Parser, Subcommand};
#[cfg(feature = "linked")]
use linked as _;
use serde_json::{Value as Json, json};

/// The version of the JSON: it grows when something that was there changes or goes, not when something
/// comes. `docs/cairn-info.md` describes it.
const JSON_FORMAT: u32 = 1;

/// The ways to call it.
const USAGE: &str = "\
cairn-info [--components <FRAMEWORK>] [--selected] [OPTIONS]
       cairn-info --param <GLOB> [--level <N>] [OPTIONS]
       cairn-info --explain <NAME> [OPTIONS]
       cairn-info [OPTIONS] doctor
       cairn-info [OPTIONS] check <FILE|NAME>...";

/// Show the components of Cairn MPI, their parameters and where each value comes from, and find
/// out what is wrong with an installation
#[derive(Debug, Parser)]
#[command(name = "cairn-info", version, max_term_width = 100, override_usage = USAGE)]
pub struct Cli {
    #[command(flatten)]
    show: Show,
    /// With --param: show parameters up to this level (1-3 users, 4-6 tuning, 7-9 developers). 3 unless
    /// given; a parameter that is named in full is always shown
    #[arg(long, requires = "param", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=9))]
    level: Option<u32>,
    /// Print JSON
    #[arg(long, global = true)]
    json: bool,
    #[command(flatten)]
    mca: McaArgs,
    #[command(subcommand)]
    command: Option<Command>,
}

/// What to show instead of everything that is there.
#[derive(Debug, Args)]
struct Show {
    /// Show the components of one framework only; also with --selected
    #[arg(long, value_name = "FRAMEWORK", conflicts_with_all = ["param", "explain"])]
    components: Option<String>,
    /// Show the parameters whose names match, such as 'cri_*' or '*limit*'
    #[arg(long, value_name = "GLOB", conflicts_with_all = ["explain", "selected"])]
    param: Option<String>,
    /// Show everything about one parameter: every source that sets it, and which one wins
    #[arg(long, value_name = "NAME", conflicts_with = "selected")]
    explain: Option<String>,
    /// Show which components would serve with these parameters, and why the others would not
    #[arg(long)]
    selected: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Check the installation, the parameter files, the plugins and the limits of this machine,
    /// and say how to mend what is wrong
    Doctor,
    /// Check that components keep the contract of their framework. Of the parameters only those of
    /// this command line count. Exit status: 0 nothing wrong was found, 1 something was, 3
    /// a component can't be used on this machine and so was not checked
    #[command(override_usage = "cairn-info [OPTIONS] check [OPTIONS] <FILE|NAME>...")]
    Check {
        /// Component libraries; or, by name, a component such as match_list, or all components of
        /// a framework such as match, whether they are linked in or installed
        #[arg(required = true, value_name = "FILE|NAME")]
        wanted: Vec<PathBuf>,
    },
    /// Write files that are made from the components and this command line
    #[command(hide = true)]
    Generate {
        #[command(subcommand)]
        what: generate::What,
    },
}

/// What a command found: text for people, or one JSON object, and whether all is well.
pub struct Answer {
    /// Printed with `--json`; problems are added to it.
    pub json: Json,
    /// Prints the text.
    pub print: Box<dyn FnOnce()>,
    /// Errors found besides the system's problems.
    pub problems: Vec<Problem>,
    /// The exit status that the answer itself calls for; an error among the problems is one of 1.
    pub status: u8,
}

impl Answer {
    /// All is well.
    fn new(json: Json, print: impl FnOnce() + 'static) -> Self {
        Self { json, print: Box::new(print), problems: Vec::new(), status: 0 }
    }

    /// Something is not.
    fn with(self, problems: Vec<Problem>) -> Self {
        Self { problems, ..self }
    }
}

/// The program.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let system = || cairn_mpi_params::system(options(&cli));
    let answer = match &cli.command {
        Some(Command::Doctor) => doctor::run(system()),
        Some(Command::Check { wanted }) => check::run(&cli.mca, wanted, cli.json),
        Some(Command::Generate { what }) => return generate::run(what, options(&cli)),
        None => {
            let system = system();
            let mut answer = show(system, &cli);
            // A problem that is the answer itself is not said twice.
            let mut others = system.problems();
            others.retain(|problem| !answer.problems.contains(problem));
            answer.problems.splice(0..0, others);
            answer
        }
    };
    finish(answer, cli.json)
}

fn options(cli: &Cli) -> Options {
    Options { search: Search::Everything, ..Options::of_process(cli.mca.command_line()) }
}

fn show(system: &'static System, cli: &Cli) -> Answer {
    let show = &cli.show;
    if let Some(name) = &show.explain {
        params::explain(system, name)
    } else if let Some(glob) = &show.param {
        params::list(system, glob, cli.level)
    } else if show.selected {
        components::selected(system, show.components.as_deref())
    } else {
        components::list(system, show.components.as_deref())
    }
}

/// Prints the answer and everything that is wrong.
fn finish(answer: Answer, as_json: bool) -> ExitCode {
    let Answer { mut json, print, problems, status } = answer;
    let wrong = problems.iter().any(|problem| problem.severity == Severity::Error);
    if as_json {
        json["format"] = json!(JSON_FORMAT);
        json["problems"] = json!(problems);
        cairn_cli::print(&format!("{json:#}\n"));
    } else {
        print();
        cairn_cli::print_problems(&problems);
    }
    ExitCode::from(if wrong { 1 } else { status })
}
