//! What is fetched from registries and built with the installation, once for each mpi.h.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use cairn_skips::skipped_without_network;

use crate::{Ended, Run, dist};

/// Fetching and building what is large.
pub const BUILDING: Duration = Duration::from_secs(900);

/// Where it was fetched and built, or why it can't be fetched.
pub type Made = Result<PathBuf, String>;

/// Fills a directory, unless that was done with the present mpi.h. What lies there of another one is
/// thrown away.
///
/// # Errors
/// What `make` says.
pub fn made(dir: &Path, make: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    let stamp = dir.join("made-for");
    let header = fs::read_to_string(dist().join("include/mpi.h")).unwrap();
    let present = format!("{}\n{header}", dist().display());
    if fs::read_to_string(&stamp).is_ok_and(|made| made == present) {
        return Ok(());
    }
    if dir.exists() {
        fs::remove_dir_all(dir).unwrap();
    }
    fs::create_dir_all(dir).unwrap();
    make()?;
    fs::write(stamp, present).unwrap();
    Ok(())
}

/// Where everything lies that is fetched for programs of others.
pub fn fetched() -> PathBuf {
    dist().parent().expect("target").join("unmodified")
}

/// The directory of this name there, which is filled once for each mpi.h.
///
/// # Errors
/// What `make` says.
pub fn made_here(name: &str, make: impl FnOnce(&Path) -> Result<(), String>) -> Made {
    let dir = fetched().join(name);
    made(&dir, || make(&dir))?;
    Ok(dir)
}

/// pip of an environment that is made in a directory, with one cache for all.
pub fn pip(environment: &Path) -> Run {
    let python = environment.join("bin/python");
    if !python.exists() {
        Run::new("python3").args(["-m", "venv"]).args([environment]).within(BUILDING).ok();
    }
    Run::new(python)
        .env("PIP_CACHE_DIR", fetched().join("pip"))
        .env("PIP_DISABLE_PIP_VERSION_CHECK", "1")
        .env("PIP_ROOT_USER_ACTION", "ignore")
        .args(["-m", "pip", "--quiet"])
}

/// The directory of MPICH's programs, or nothing after the reason was printed.
pub fn mpich() -> Option<&'static Path> {
    static MADE: OnceLock<Made> = OnceLock::new();
    or_skip(MADE.get_or_init(|| {
        let dir = made_here("mpich", |dir| {
            let install = pip(&dir.join("environment")).args(["install", "mpich==5.0.2"]);
            fetch(install).map(drop)
        });
        dir.map(|dir| dir.join("environment/bin"))
    }))
}

/// What pip and cargo say, each in one of its ways, when a registry does not answer.
const UNREACHABLE: &[&str] = &[
    "Failed to establish a new connection",
    "Connection to ",
    "Cannot connect to proxy",
    "Temporary failure in name resolution",
    "Could not resolve host",
    "Could not connect to server",
    "Couldn't connect to server",
    "Failed to connect to",
    "Timeout was reached",
    "Read timed out",
    "net.offline",
];

/// Runs what fetches something. All failures but a registry's are failures of the test.
///
/// # Errors
/// A registry does not answer, which is no fault of the tests; what was said.
pub fn fetch(run: Run) -> Result<Ended, String> {
    let ended = run.within(BUILDING).end();
    if ended.status.success() {
        return Ok(ended);
    }
    let sign = |line: &&str| UNREACHABLE.iter().any(|sign| line.contains(sign));
    match ended.stderr.lines().find(sign) {
        Some(line) => Err(format!("a registry does not answer: {}", line.trim())),
        None => panic!("{ended}"),
    }
}

/// What was made, or nothing after the reason was printed. Where there has to be a network, a failure.
pub fn or_skip(made: &'static Made) -> Option<&'static Path> {
    made.as_deref().inspect_err(|reason| skipped_without_network(reason)).ok()
}
