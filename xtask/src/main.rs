//! `cargo xtask`: everything one does with this repository beyond `cargo build`.
//!
//! ```text
//!   demo     build, show what there is and what a swap of components does
//!   test     everything CI checks: formatting, clippy, lint, generated files, all tests;
//!            with --deep also what takes hours
//!   dist     an installation in target/dist          install   copied to a prefix
//!   sanitize  programs with many threads under ThreadSanitizer
//!   fuzz     inputs that are made to break what reads them
//!   bench    experiments, measured with target/dist
//!   lint     rules of the house that clippy does not know
//!   gen      files made from the code and from tables
//!   signature  what the implementation of a function of MPI looks like
//! ```

#![forbid(unsafe_code)]

mod abi;
mod bench;
mod compat;
mod deep;
mod demo;
mod dist;
mod exec;
mod fuzz;
mod generate;
mod headers;
mod lint;
mod packages;
mod rooms;
mod sanitize;
mod test;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use dist::Form;

/// Build, test and install Cairn MPI
#[derive(Debug, Parser)]
#[command(name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Build everything and show it at work
    Demo,
    /// Check formatting, lints and generated files, and run all tests
    Test(deep::Wish),
    /// Run programs with many threads under ThreadSanitizer (a few minutes)
    Sanitize,
    /// Look for inputs that break what reads them, with libFuzzer and AddressSanitizer
    Fuzz(fuzz::Wish),
    /// Lay out an installation in target/dist
    Dist {
        /// With all components as shared libraries, in target/dist-shared
        #[arg(long)]
        shared: bool,
    },
    /// Install: build target/dist and copy it
    Install {
        /// Where to, such as /opt/cairn
        #[arg(long, value_name = "DIR")]
        prefix: PathBuf,
    },
    /// Measure experiments with target/dist; the reports are in target/bench
    Bench(bench::Wish),
    /// Check the rules of the house that clippy does not know
    Lint,
    /// Write the files that are made from the code
    Gen {
        /// Only say whether they are fresh
        #[arg(long)]
        check: bool,
        /// Only what is made from the tables in mpi/abi, which needs no build
        #[arg(long, conflicts_with = "check")]
        abi: bool,
    },
    /// Whether components built with older headers of the plugin ABI fit newer ones, from 1.0 on
    HeadersCompatible {
        /// The directory `include/cairn` of the older version
        old: PathBuf,
        /// That of the newer one
        new: PathBuf,
    },
    /// Print what the implementation of a function of MPI looks like
    Signature {
        /// Such as Send or MPI_Send
        function: String,
    },
}

fn main() -> ExitCode {
    let result = exec::Workspace::find().and_then(|workspace| match Cli::parse().command {
        Command::Demo => demo::run(&workspace),
        Command::Test(wish) => deep::run(&workspace, &wish),
        Command::Sanitize => sanitize::run(&workspace),
        Command::Fuzz(wish) => fuzz::run(&workspace, &wish),
        Command::Dist { shared } => {
            let form = if shared { Form::Shared } else { Form::Linked };
            dist::build(&workspace, form).map(|dist| println!("{}", dist.display()))
        }
        Command::Install { prefix } => dist::install(&workspace, &prefix),
        Command::Bench(wish) => bench::run(&workspace, &wish),
        Command::Lint => lint::run(&workspace),
        Command::Gen { abi: true, .. } => generate::abi(&workspace),
        Command::Gen { check, .. } => generate::run(&workspace, check),
        Command::HeadersCompatible { old, new } => compat::run(&old, &new),
        Command::Signature { function } => abi::signature(&workspace.root, &function),
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}
