//! Everything that must hold before a change lands.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};

use crate::dist::{self, Form};
use crate::exec::{self, Workspace, step};
use crate::packages::{
    self, BLAS, CC, CMAKE, CXX, GIT, IPROUTE, LIBCLANG, LIBFABRIC, MAKE, PKG_CONFIG, PYTHON,
    SCANNERS, UCX, VALGRIND, XZ, ZLIB,
};
use crate::{generate, lint};

/// Checks formatting, lints and generated files, and runs all tests. The last lines say what did not run
/// and how it went.
pub fn run(workspace: &Workspace) -> Result<()> {
    let start = Instant::now();
    let skips = Skips::begin(workspace)?;
    let result = steps(workspace, &skips);
    let minutes = format!("{:.1} min", start.elapsed().as_secs_f64() / 60.0);
    let skipped = skips.tell()?;
    result.with_context(|| format!("not everything passed ({minutes}); the first that failed"))?;
    let but = match skipped {
        0 => String::new(),
        1 => " but 1 that was skipped".into(),
        many => format!(" but {many} that were skipped"),
    };
    println!("all tests passed{but} in {minutes}");
    Ok(())
}

/// What tests say when they can't run here.
struct Skips(PathBuf);

impl Skips {
    fn begin(workspace: &Workspace) -> Result<Self> {
        let file = workspace.target.join("skipped");
        match fs::remove_file(&file) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
            _ => Ok(Self(file)),
        }
    }

    fn file(&self) -> &Path {
        &self.0
    }

    /// Prints them, each once, and returns how many there are.
    fn tell(&self) -> Result<usize> {
        let said = match fs::read_to_string(&self.0) {
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            said => said.with_context(|| format!("reading {}", self.0.display()))?,
        };
        let mut times = BTreeMap::new();
        said.lines().for_each(|line| *times.entry(line).or_insert(0) += 1);
        for (line, times) in &times {
            let times = if *times > 1 { format!(" ({times} times)") } else { String::new() };
            println!("skipped {line}{times}");
        }
        Ok(times.len())
    }
}

fn steps(workspace: &Workspace, skips: &Skips) -> Result<()> {
    let cargo = |args: &[&str]| exec::check(&mut workspace.cargo(args));
    let tests = |args: &[&str]| {
        let mut test = workspace.cargo(args);
        test.env(cairn_skips::FILE, skips.file());
        test
    };
    step("system packages", || {
        packages::require(&[
            CC, CXX, CMAKE, PKG_CONFIG, MAKE, GIT, PYTHON, LIBCLANG, VALGRIND, BLAS, SCANNERS, XZ,
            ZLIB, UCX, LIBFABRIC, IPROUTE,
        ])
    })?;
    step("formatting", || {
        cargo(&["fmt", "--all", "--check"])?;
        // A workspace of its own; its lints need mpicc and so are among the tests.
        cargo(&["fmt", "--all", "--check", "--manifest-path", "bench/Cargo.toml"])
    })?;
    step("clippy", || {
        let lints = ["--", "--deny", "warnings"];
        cargo(&[&["clippy", "--workspace", "--all-targets", "--quiet"], &lints[..]].concat())?;
        // What authors of components get, without the host.
        cargo(
            &[&["clippy", "-p", "cairn-framework", "--features", "mock", "--quiet"], &lints[..]]
                .concat(),
        )
    })?;
    step("rules of the house", || lint::run(workspace))?;
    step("generated files and target/dist", || generate::run(workspace, true))?;
    step("documentation", || {
        let mut doc = workspace.cargo(&["doc", "--workspace", "--no-deps", "--quiet"]);
        exec::check(doc.env("RUSTDOCFLAGS", "--deny warnings"))
    })?;
    let dist = step("installation", || dist::build(workspace, Form::Linked))?;
    let shared = step("installation with components as shared libraries", || {
        dist::build(workspace, Form::Shared)
    })?;
    step("tests", || {
        let mut test = tests(&["test", "--workspace", "--quiet", "--no-fail-fast"]);
        exec::check_tests(test.env("CAIRN_DIST", &dist).env("CAIRN_DIST_SHARED", &shared))
    })?;
    step("components alone", || {
        let names: Vec<String> =
            workspace.components().iter().map(|package| package.name.to_string()).collect();
        let mut test = tests(&["test", "--quiet"]);
        exec::check_tests(test.args(names.iter().flat_map(|name| ["--package", name])))
    })?;
    step("model checking", || {
        // Whatever has the feature has models, in tests whose names begin with `model_`.
        let mut loom = workspace.cargo(&["test", "--quiet", "--release", "--lib"]);
        for package in workspace.packages() {
            if package.features.contains_key("loom") {
                let feature = format!("{}/loom", package.name);
                loom.args(["--package", &package.name, "--features", &feature]);
            }
        }
        exec::check_tests(loom.args(["--", "model_"]))
    })
}
