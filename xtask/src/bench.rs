//! Experiments, measured with target/dist by its `cairn-ab`.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};

use crate::dist::{self, Form};
use crate::exec::{self, Workspace, step};
use crate::packages::{self, LIBCLANG, PYTHON};

/// What to measure.
#[derive(Debug, clap::Args)]
pub struct Wish {
    /// A few minutes: strategies of Cairn and its peers (bench/experiments/quick.toml)
    #[arg(long)]
    quick: bool,
    /// Go on with what was measured before
    #[arg(long)]
    resume: bool,
    /// Files, or names of those in bench/experiments
    #[arg(value_name = "EXPERIMENT", required_unless_present = "quick")]
    experiments: Vec<PathBuf>,
}

/// Measures them one after the other, and leaves the reports in `target/bench`.
pub fn run(workspace: &Workspace, wish: &Wish) -> Result<()> {
    let mut files = Vec::new();
    let quick = wish.quick.then(|| Path::new("quick"));
    for name in quick.into_iter().chain(wish.experiments.iter().map(PathBuf::as_path)) {
        // Names may have points in them, so none is taken for an extension.
        let known = workspace.root.join(format!("bench/experiments/{}.toml", name.display()));
        let file = if name.is_file() { std::path::absolute(name)? } else { known };
        ensure!(file.is_file(), "there is no experiment {}", file.display());
        files.push(file);
    }
    packages::require(&[PYTHON, LIBCLANG])?;
    let dist = step("building", || dist::build(workspace, Form::Linked))?;
    for file in files {
        step(&file.display().to_string(), || {
            let store = workspace.target.join("bench").join(file.file_stem().unwrap_or_default());
            let resume = wish.resume && store.exists();
            let mut ab = cairn_ab(workspace, &dist, "run");
            ab.arg(if resume { "--resume" } else { "--overwrite" });
            exec::check(ab.arg("--store").arg(store).arg(&file))
        })?;
    }
    Ok(())
}

/// `cairn-ab` of an installation, with the benchmarks of this repository.
pub fn cairn_ab(workspace: &Workspace, dist: &Path, subcommand: &str) -> Command {
    let mut command = workspace.command(dist.join("bin/cairn-ab"));
    command.arg(subcommand).arg("--bench").arg(workspace.root.join("bench"));
    command.arg("--cache").arg(workspace.target.join("bench/cache"));
    command
}
