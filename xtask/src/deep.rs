//! Tests that take too long for each change: `cargo xtask test --deep`.
//!
//! ```text
//!   sanitize     ThreadSanitizer                           minutes
//!   strategies   every combination of strategies           hours
//!   transports   every program over every transport that   an hour
//!                loads a library of others
//!   hosts        every program over four hosts             an hour
//!   rma          random programs of windows, a model       an hour
//!   huge         more than 2^31 elements, 2^32 bytes       half an hour, and 8 GB of memory
//!   stress       every combination of strategies, threads  ┐ no natural end: half of the budget
//!                that do everything at once                │ each
//!   fuzz         what is read from outside                 ┘
//! ```
//!
//! A step that fails does not keep the others from running.

use std::process::Command;
use std::time::Instant;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};

use crate::dist::{self, Form};
use crate::exec::{self, Workspace, step};
use crate::fuzz::Fuzzer;
use crate::{sanitize, test};

/// How thorough to be.
#[derive(Debug, Args)]
pub struct Wish {
    /// Go on with what takes hours: ThreadSanitizer, every combination of strategies, huge counts, and for
    /// so many minutes together stress and fuzzing [default: 60]
    #[arg(long, value_name = "MINUTES", num_args = 0..=1, default_missing_value = "60",
          value_parser = clap::value_parser!(u64).range(1..=10_000))]
    deep: Option<u64>,
    /// Of these steps only, without the tests that CI runs; several with commas
    #[arg(long, value_name = "STEP", requires = "deep", value_delimiter = ',')]
    only: Vec<Step>,
}

/// The steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Step {
    /// Programs with many threads under ThreadSanitizer
    Sanitize,
    /// Programs with threads under every combination of strategies
    Strategies,
    /// Every program, and mpi4py's tests, over every way of UCX and libfabric
    Transports,
    /// Every program over four hosts of network namespaces
    Hosts,
    /// 100,000 random datatypes against a model
    Types,
    /// Random programs of windows against a model, with every combination of strategies
    Rma,
    /// Messages and collectives of more than 2^31 elements
    Huge,
    /// Threads that do everything at once, with every combination of strategies
    Stress,
    /// Inputs that are made to break what reads them
    Fuzz,
}

/// Runs the tests, and what takes longer if that is wished.
pub fn run(workspace: &Workspace, wish: &Wish) -> Result<()> {
    if wish.only.is_empty() {
        test::run(workspace)?;
    }
    let Some(minutes) = wish.deep else { return Ok(()) };
    let steps = Step::value_variants().iter().copied();
    let wanted = |one: &Step| wish.only.is_empty() || wish.only.contains(one);
    let mut failed = Vec::new();
    for one in steps.filter(wanted) {
        let name = one.to_possible_value().expect("no step is hidden").get_name().to_owned();
        let start = Instant::now();
        let result = one.run(workspace, minutes * 60 / 2);
        let took = format!("{:.1} min", start.elapsed().as_secs_f64() / 60.0);
        match result {
            Ok(()) => println!("── {name} passed in {took}"),
            Err(error) => {
                eprintln!("── {name} failed after {took}: {error:#}");
                failed.push(name);
            }
        }
    }
    if !failed.is_empty() {
        let steps = failed.join(",");
        bail!("these failed: {steps}; once more: cargo xtask test --deep {minutes} --only {steps}");
    }
    println!("everything passed, also what is deep");
    Ok(())
}

impl Step {
    /// Runs it; where it has no natural end, for about so many seconds.
    fn run(self, workspace: &Workspace, seconds: u64) -> Result<()> {
        match self {
            Self::Sanitize => sanitize::run(workspace),
            Self::Strategies => system_tests(workspace, "with_strategies", |tests| {
                tests.env("CAIRN_COMBINATIONS", "all");
            }),
            Self::Transports => {
                let tests = ["mpi", "unmodified"].map(|file| {
                    tests_of(workspace, file, "over_every_way_of_other_libraries", |tests| {
                        tests.arg("--ignored");
                    })
                });
                tests.into_iter().collect()
            }
            Self::Hosts => tests_of(workspace, "hosts", "every_program_over_four_hosts", |tests| {
                tests.args(["--ignored", "--test-threads", "1"]);
            }),
            Self::Types => step("types", || {
                let mut tests =
                    workspace.cargo(&["test", "--release", "--package", "cairn-layout"]);
                exec::check(tests.env("CAIRN_TYPES", "100000"))
            }),
            Self::Rma => tests_of(workspace, "rma", "", |tests| {
                tests.env("CAIRN_COMBINATIONS", "all").env("CAIRN_RMA_PROGRAMS", "300");
            }),
            // One after the other, because of the memory.
            Self::Huge => system_tests(workspace, "huge::", |tests| {
                tests.args(["--ignored", "--test-threads", "1"]);
            }),
            Self::Stress => system_tests(workspace, "stress_sweep", |tests| {
                tests.arg("--ignored").env("CAIRN_STRESS_SWEEP", seconds.to_string());
            }),
            Self::Fuzz => {
                let fuzzer = Fuzzer::build(workspace)?;
                fuzzer.look_at_all((seconds / fuzzer.targets.len() as u64).max(1))
            }
        }
    }
}

/// Runs tests of tests/mpi.rs with an installation.
fn system_tests(workspace: &Workspace, filter: &str, more: impl Fn(&mut Command)) -> Result<()> {
    tests_of(workspace, "mpi", filter, more)
}

/// Runs tests of a file with an installation.
fn tests_of(
    workspace: &Workspace,
    file: &str,
    filter: &str,
    more: impl Fn(&mut Command),
) -> Result<()> {
    let dist = step("installation", || dist::build(workspace, Form::Linked))?;
    step(if filter.is_empty() { file } else { filter }, || {
        let mut tests = workspace.cargo(&["test", "--package", "cairn-tests", "--test", file]);
        tests.args(["--", filter]).env("CAIRN_DIST", dist);
        more(&mut tests);
        exec::check(&mut tests)
    })
}
