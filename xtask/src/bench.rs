//! Experiments, measured with target/dist by its `cairn-ab`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::dist::{self, Form};
use crate::exec::{self, Workspace, step};
use crate::packages::{self, LIBCLANG, PYTHON};

/// The experiment with a benchmark for each page of docs/benchmarks.
const PAGES: &str = "pages";

/// What to measure.
#[derive(Debug, clap::Args)]
pub struct Wish {
    /// A few minutes: strategies of Cairn and its peers (bench/experiments/quick.toml)
    #[arg(long)]
    quick: bool,
    /// Renew the plots in docs/benchmarks, in less than ten minutes (bench/experiments/pages.toml)
    #[arg(long)]
    pages: bool,
    /// Go on with what was measured before
    #[arg(long)]
    resume: bool,
    /// Write the verdicts into docs/benchmarks/experiments.md and the samples into its directory samples
    #[arg(long)]
    record: bool,
    /// Files, or names of those in bench/experiments
    #[arg(value_name = "EXPERIMENT", required_unless_present_any = ["quick", "pages"])]
    experiments: Vec<PathBuf>,
}

/// Measures them one after the other, and leaves the reports in `target/bench`.
pub fn run(workspace: &Workspace, wish: &Wish) -> Result<()> {
    let mut files = Vec::new();
    let quick = wish.quick.then(|| Path::new("quick"));
    let pages = wish.pages.then(|| Path::new(PAGES));
    for name in quick.into_iter().chain(pages).chain(wish.experiments.iter().map(PathBuf::as_path))
    {
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
            exec::check(ab.arg("--store").arg(&store).arg(&file))?;
            if !wish.record {
                return Ok(());
            }
            let docs = workspace.root.join("docs/benchmarks");
            let mut ab = cairn_ab(workspace, &dist, "report");
            ab.arg(&store).arg("--verdicts");
            exec::check(ab.arg(docs.join("experiments.md")))?;
            keep_samples(&workspace.root, &store, &docs.join("samples"))
        })?;
    }
    if wish.pages {
        step("plots in docs/benchmarks", || {
            let mut ab = cairn_ab(workspace, &dist, "report");
            ab.arg(workspace.target.join("bench").join(PAGES)).arg("--pages");
            exec::check(ab.arg(workspace.root.join("docs/benchmarks")))
        })?;
    }
    Ok(())
}

/// Puts the samples behind a published verdict into `directory`, compressed, under the experiment's name. Paths in them
/// begin where the workspace does, so that they are the same wherever it lies.
fn keep_samples(root: &Path, store: &Path, directory: &Path) -> Result<()> {
    let name = Path::new(store.file_name().context("the store has no name")?);
    fs::create_dir_all(directory)?;
    let to = directory.join(format!("{}.jsonl.gz", name.display()));
    let samples = fs::read_to_string(store.join("samples.jsonl"))?;
    let samples = samples.replace(&format!("{}/", root.display()), "");
    let relative = store.join("samples-relative.jsonl");
    fs::write(&relative, samples)?;
    // Without a name and a time in it, equal samples give equal files.
    let mut gzip = Command::new("gzip");
    gzip.args(["--best", "--no-name", "--stdout"]).arg(&relative).stdout(fs::File::create(&to)?);
    exec::check(&mut gzip)
}

/// `cairn-ab` of an installation, with the benchmarks of this repository.
pub fn cairn_ab(workspace: &Workspace, dist: &Path, subcommand: &str) -> Command {
    let mut command = workspace.command(dist.join("bin/cairn-ab"));
    command.arg(subcommand).arg("--bench").arg(workspace.root.join("bench"));
    command.arg("--cache").arg(workspace.target.join("bench/cache"));
    command
}
