//! The MPI libraries: where they are, how the benchmarks are built with them, how a program is
//! started.
//!
//! Cairn is the installation that this program belongs to. The others come from PyPI, whose packages
//! are complete installations; each has an environment of its own in the cache. A variant that names a
//! prefix runs on that installation instead, so that two builds of a library can be compared.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use cairn_framework::host::problem::Problem;
use rustix::fs::FlockOperation;
use serde_json::Value as Json;

use crate::experiment::{Mpi, Pinning, Variant, meant};
use crate::process::{self, End, Interrupt, Stop};

/// The parameter by which Cairn prints its counters.
const REPORT: &str = "counters_report";

/// Fetching a package, or building the benchmarks, takes no longer.
const BUILDING: Duration = Duration::from_secs(1800);

/// Variables that other libraries and launchers obey; a run gets only those of its variant.
const FOREIGN: [&str; 10] =
    ["CAIRN_", "OMPI_", "PMIX_", "PMI_", "PRTE_", "PRRTE_", "I_MPI_", "MPICH_", "MPIR_", "HYDRA_"];

/// Where things are.
pub struct Places {
    /// The installation of Cairn.
    pub cairn: PathBuf,
    /// The sources of the benchmarks.
    pub bench: Option<PathBuf>,
    /// What is fetched and built.
    pub cache: PathBuf,
    /// Installations that the user names, instead of those from PyPI.
    pub given: Vec<(Mpi, PathBuf)>,
    /// What ends whatever runs.
    pub interrupt: Interrupt,
}

/// Which installation a variant runs on: of which library, and its root if it is not the usual one.
pub type Installation = (Mpi, Option<PathBuf>);

/// The installation that a variant runs on.
pub fn installation(variant: &Variant) -> Installation {
    (variant.mpi, variant.prefix.clone())
}

/// An installation that can be used.
#[derive(Debug, Clone)]
pub struct Library {
    /// Which one.
    pub mpi: Mpi,
    /// Its root.
    pub prefix: PathBuf,
    /// Of its package, or empty.
    pub version: String,
    /// Where the benchmarks are that were built for it.
    pub programs: PathBuf,
}

/// Whether there is an installation of Cairn.
///
/// # Errors
/// There is none.
pub fn check_cairn(prefix: &Path) -> Result<(), Problem> {
    if prefix.join("bin/mpirun").is_file() && prefix.join("bin/cairn-info").is_file() {
        return Ok(());
    }
    let what = "this is no installation of Cairn MPI, without bin/mpirun and bin/cairn-info";
    Err(Problem::new(what).at(prefix.display()))
}

/// Installs a library if need be.
///
/// # Errors
/// Why it can't be used.
pub fn prepare((mpi, prefix): &Installation, places: &Places) -> Result<Library, Stop> {
    let given = || places.given.iter().find(|(of, _)| of == mpi).map(|(_, prefix)| prefix.clone());
    let prefix = match (mpi, prefix.clone().or_else(given)) {
        (_, Some(prefix)) => prefix,
        (Mpi::Cairn, None) => places.cairn.clone(),
        (mpi, None) => fetch(mpi.package(), places)?,
    };
    let mpi = *mpi;
    let mut library = Library { mpi, prefix, version: String::new(), programs: PathBuf::new() };
    let launcher = library.launcher();
    if !launcher.is_file() {
        return Err(format!("there is no {}", launcher.display()).into());
    }
    if mpi != Mpi::Cairn {
        library.version = version(&library.prefix, mpi.package()).unwrap_or_default();
    }
    Ok(library)
}

/// The environment that has a package, made if there is none.
fn fetch(package: &str, places: &Places) -> Result<PathBuf, Stop> {
    let peers = places.cache.join("peers");
    let dir = peers.join(package);
    let prepared = dir.join("prepared");
    let _lock = lock(&peers)?;
    if prepared.exists() {
        return Ok(dir);
    }
    eprintln!("installing {package} from PyPI");
    // What an earlier try left behind.
    if dir.exists() {
        fs::remove_dir_all(&dir).map_err(|error| format!("clearing {}: {error}", dir.display()))?;
    }
    let mut venv = Command::new("python3");
    venv.args(["-m", "venv"]).arg(&dir);
    done("python3 -m venv", &venv, places)?;
    let mut pip = Command::new(dir.join("bin/python"));
    pip.args(["-m", "pip", "install", "--quiet", "--retries", "1", package]);
    pip.env("PIP_DISABLE_PIP_VERSION_CHECK", "1").env("PIP_ROOT_USER_ACTION", "ignore");
    done(&format!("pip install {package}"), &pip, places)?;
    fs::write(&prepared, "").map_err(|error| format!("writing {}: {error}", prepared.display()))?;
    Ok(dir)
}

/// Keeps others out of a directory of the cache.
fn lock(dir: &Path) -> Result<File, String> {
    let failed = |error: std::io::Error| format!("locking {}: {error}", dir.display());
    fs::create_dir_all(dir).map_err(failed)?;
    let file = File::create(dir.join("lock")).map_err(failed)?;
    rustix::fs::flock(&file, FlockOperation::LockExclusive).map_err(|it| failed(it.into()))?;
    Ok(file)
}

/// Runs a step of the preparation, and returns what it printed.
fn done(what: &str, command: &Command, places: &Places) -> Result<String, Stop> {
    let finished = process::asked(what, command, BUILDING, &places.interrupt)?;
    match finished.end {
        End::Exited(status) if status.success() => Ok(finished.stdout),
        _ => Err(format!("{what} failed: {}", last_error(&finished.stderr)).into()),
    }
}

/// The line that says why: the first error, or the last line.
fn last_error(stderr: &str) -> &str {
    let lines = || stderr.lines().map(str::trim).filter(|line| !line.is_empty());
    let error = |line: &&str| line.to_lowercase().starts_with("error");
    lines().find(error).or_else(|| lines().next_back()).unwrap_or("it does not say why")
}

/// The version of a package in an environment.
fn version(prefix: &Path, package: &str) -> Option<String> {
    let start = format!("{}-", package.replace('-', "_"));
    let prefix = glob::Pattern::escape(prefix.to_str()?);
    let found = format!("{prefix}/lib/*/site-packages/{start}*.dist-info");
    let found = glob::glob(&found).ok()?.flatten().next()?;
    let name = found.file_name()?.to_str()?;
    Some(name.strip_prefix(&start)?.strip_suffix(".dist-info")?.to_owned())
}

/// The names of the programs in `bench/`.
///
/// # Errors
/// In words.
pub fn programs(bench: &Path, places: &Places) -> Result<Vec<String>, Stop> {
    let mut metadata = cargo(bench, "metadata");
    metadata.args(["--format-version", "1", "--no-deps", "--quiet"]);
    let text = done("reading the benchmarks", &metadata, places)?;
    let json: Json = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let all = |value: &Json| value.as_array().cloned().unwrap_or_default();
    let targets = all(&json["packages"]).into_iter().flat_map(|package| all(&package["targets"]));
    let bins = targets.filter(|target| all(&target["kind"]).contains(&"bin".into()));
    Ok(bins.filter_map(|target| target["name"].as_str().map(str::to_owned)).collect())
}

/// Where the benchmarks are that are built for a library. Installations with the same header have the
/// same ABI and share them, as two builds of Cairn do; which library a run loads is said when it
/// starts. Intel MPI runs those of MPICH, whose ABI it has.
///
/// # Errors
/// Why MPICH can't be used, for Intel MPI.
pub fn target(library: &Library, places: &Places) -> Result<PathBuf, Stop> {
    if library.mpi == Mpi::Impi {
        return target(&prepare(&(Mpi::Mpich, None), places)?, places);
    }
    let mut hasher = DefaultHasher::new();
    fs::read(library.prefix.join("include/mpi.h")).unwrap_or_default().hash(&mut hasher);
    let name = format!("{}-{:016x}", library.mpi.name(), hasher.finish());
    Ok(places.cache.join("bench").join(name))
}

/// Builds benchmarks with a library's compiler in [`target`], and says where they are.
///
/// # Errors
/// Why they can't be built.
pub fn build(library: &Library, names: &[&str], places: &Places) -> Result<PathBuf, Stop> {
    let Some(bench) = &places.bench else {
        return Err(String::from("the sources of the benchmarks are not found").into());
    };
    if library.mpi == Mpi::Impi {
        let mpich = prepare(&(Mpi::Mpich, None), places)?;
        return build(&mpich, names, places);
    }
    let target = target(library, places)?;
    let _lock = lock(&target)?;
    let mpicc = library.prefix.join("bin/mpicc");
    let mut cargo = cargo(bench, "build");
    cargo.args(["--release", "--quiet", "--target-dir"]).arg(&target);
    cargo.args(names.iter().flat_map(|name| ["--bin", name])).env("MPICC", &mpicc);
    library.find_libraries(&mut cargo);
    let what = format!("building the benchmarks with {}", mpicc.display());
    eprintln!("{what}");
    done(&what, &cargo, places)?;
    Ok(target.join("release"))
}

fn cargo(bench: &Path, subcommand: &str) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.arg(subcommand).arg("--manifest-path").arg(bench.join("Cargo.toml"));
    // Flags and paths of the build that called this one are not meant.
    for name in ["RUSTFLAGS", "CARGO_TARGET_DIR", "CARGO_ENCODED_RUSTFLAGS", "MPI_PKG_CONFIG"] {
        command.env_remove(name);
    }
    command
}

impl Library {
    /// Where it is, and which version its package has.
    pub fn shown(&self) -> String {
        format!("{} in {}", self.version, self.prefix.display()).trim_start().to_owned()
    }

    /// Whether a program that has ended ran on this installation: the file that it has loaded the
    /// library from must be the one of that name here. An installation without such a file, whose
    /// libraries are elsewhere, can't be told.
    ///
    /// # Errors
    /// Which files they are.
    pub fn has_loaded(&self, file: &Path) -> Result<(), String> {
        let Some(name) = file.file_name() else { return Ok(()) };
        let Ok(own) = self.prefix.join("lib").join(name).canonicalize() else { return Ok(()) };
        if file.canonicalize().is_ok_and(|file| file == own) {
            return Ok(());
        }
        Err(format!("it ran on {} instead of {}", file.display(), own.display()))
    }

    fn launcher(&self) -> PathBuf {
        self.prefix.join("bin").join(self.mpi.launcher())
    }

    fn find_libraries(&self, command: &mut Command) {
        let mut paths = vec![self.prefix.join("lib")];
        if let Some(more) = std::env::var_os("LD_LIBRARY_PATH") {
            paths.extend(std::env::split_paths(&more));
        }
        if let Ok(paths) = std::env::join_paths(paths) {
            command.env("LD_LIBRARY_PATH", paths);
        }
    }

    /// What starts the words of a program in so many processes. Each is bound to its equal share of the cores, or
    /// none is if there are more processes than cores. Cairn reports its counters if they are wanted.
    pub fn launch(
        &self,
        variant: &Variant,
        ranks: u32,
        pinning: Pinning,
        cores: usize,
        counts: bool,
        program: &[OsString],
    ) -> Command {
        let share = cores / ranks.max(1) as usize;
        let bound = pinning == Pinning::Share && share > 0;
        let mut command = Command::new(self.launcher());
        clean(&mut command);
        self.find_libraries(&mut command);
        command.args(["-n", &ranks.to_string()]);
        match self.mpi {
            Mpi::Cairn => {
                // Its default is the equal share.
                command.arg("--oversubscribe");
                if !bound {
                    command.args(["--bind-to", "none"]);
                }
            }
            Mpi::Ompi => {
                // It refuses root, whose containers these often are.
                command.env("OMPI_ALLOW_RUN_AS_ROOT", "1");
                command.env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
                if bound {
                    command.args(["--map-by", &format!("slot:PE={share}:OVERSUBSCRIBE")]);
                    command.args(["--bind-to", "core"]);
                } else {
                    command.args(["--map-by", ":OVERSUBSCRIBE", "--bind-to", "none"]);
                }
            }
            Mpi::Mpich => {
                let to = if bound { format!("core:{share}") } else { "none".into() };
                command.args(["-bind-to", &to]);
            }
            Mpi::Impi => {
                command.env("I_MPI_ROOT", &self.prefix).env("I_MPI_FABRICS", "shm");
                if bound {
                    command.env("I_MPI_PIN_DOMAIN", share.to_string());
                } else {
                    command.env("I_MPI_PIN", "0");
                }
            }
        }
        for (name, value) in &variant.mca {
            command.arg("--mca").arg(name).arg(value.to_string());
        }
        if counts && self.mpi == Mpi::Cairn && !variant.mca.contains_key(REPORT) {
            command.args(["--mca", REPORT, "sum"]);
        }
        command.args(program).args(variant.args.iter().map(ToString::to_string));
        command.envs(&variant.env);
        command
    }
}

/// Takes the variables away that libraries and launchers obey.
pub fn clean(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(|name| FOREIGN.iter().any(|start| name.starts_with(start))) {
            command.env_remove(name);
        }
    }
}

/// A command line as one would type it.
pub fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let word = |word: &std::ffi::OsStr| {
        let word = word.to_string_lossy().into_owned();
        let plain = |c: char| c.is_alphanumeric() || "-_./=:,+^@%".contains(c);
        if !word.is_empty() && word.chars().all(plain) {
            word
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    };
    words.map(word).collect::<Vec<_>>().join(" ")
}

/// Whether Open MPI has the parameters of a variant, which it does not say itself when it runs.
///
/// # Errors
/// The first one that it does not have.
pub fn check_openmpi(library: &Library, variant: &Variant, places: &Places) -> Result<(), Problem> {
    if variant.mca.is_empty() {
        return Ok(());
    }
    let mut info = Command::new(library.prefix.join("bin/ompi_info"));
    clean(&mut info);
    library.find_libraries(&mut info);
    info.args(["--all", "--parsable"]);
    let known = openmpi_parameters(&done("ompi_info", &info, places)?);
    let Some(name) = variant.mca.keys().find(|name| !known.contains(*name)) else { return Ok(()) };
    let problem = Problem::new(format!("Open MPI has no parameter {name}"));
    let problem = problem.at(format!("variant {}", variant.name)).fix("ompi_info --all lists them");
    Err(meant(problem, name, known.iter().map(String::as_str)))
}

/// Lines such as `mca:btl:sm:param:btl_sm_eager_limit:value:4096`.
fn openmpi_parameters(text: &str) -> BTreeSet<String> {
    let parameters = text
        .lines()
        .filter_map(|line| line.strip_prefix("mca:")?.split(":param:").nth(1))
        .filter_map(|rest| rest.split(':').next().map(str::to_owned));
    parameters.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Scalar;

    fn line(mpi: Mpi, ranks: u32, pinning: Pinning, counts: bool) -> String {
        let library =
            Library { mpi, prefix: "/p".into(), version: String::new(), programs: PathBuf::new() };
        let mut variant = Variant { args: vec![Scalar::Word("-x".into())], ..Variant::default() };
        if mpi == Mpi::Cairn {
            variant.mca.insert("btl".into(), Scalar::Word("self,sm".into()));
        }
        shown(&library.launch(&variant, ranks, pinning, 4, counts, &["/b/x y".into()]))
    }

    #[test]
    fn every_library_is_started_its_own_way() {
        let share = Pinning::Share;
        let cairn = "/p/bin/mpirun -n 2 --oversubscribe --mca btl self,sm '/b/x y' -x";
        assert_eq!(line(Mpi::Cairn, 2, share, false), cairn);
        let counting = cairn.replace("self,sm ", "self,sm --mca counters_report sum ");
        assert_eq!(line(Mpi::Cairn, 2, share, true), counting);
        assert!(!line(Mpi::Ompi, 2, share, true).contains("counters_report"));
        assert!(line(Mpi::Cairn, 5, share, false).contains("--bind-to none"));
        assert!(
            line(Mpi::Ompi, 2, share, false).contains("slot:PE=2:OVERSUBSCRIBE --bind-to core")
        );
        assert!(line(Mpi::Ompi, 8, share, false).contains("--bind-to none"));
        assert!(line(Mpi::Mpich, 4, share, false).contains("mpiexec -n 4 -bind-to core:1 "));
        assert!(line(Mpi::Mpich, 1, Pinning::None, false).contains("-bind-to none"));
        assert_eq!(line(Mpi::Impi, 2, share, false), "/p/bin/mpiexec.hydra -n 2 '/b/x y' -x");
    }

    #[test]
    fn another_library_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let lib = |name: &str| {
            let lib = dir.path().join(name).join("lib");
            fs::create_dir_all(&lib).unwrap();
            let file = lib.join("libmpi_abi.so.1");
            fs::write(&file, name).unwrap();
            (dir.path().join(name), file)
        };
        let ((prefix, own), (_, other)) = (lib("one"), lib("two"));
        let (version, programs) = (String::new(), PathBuf::new());
        let library = Library { mpi: Mpi::Cairn, prefix, version, programs };
        library.has_loaded(&own).unwrap();
        let linked = dir.path().join("linked");
        std::os::unix::fs::symlink(&own, &linked).unwrap();
        library.has_loaded(&linked).unwrap();
        let why = library.has_loaded(&other).unwrap_err();
        assert!(why.contains("two/lib") && why.contains("instead of"), "{why}");
        fs::remove_file(&own).unwrap();
        library.has_loaded(&other).unwrap();
    }

    #[test]
    fn reasons_are_found() {
        let pip = "WARNING: slow\nERROR: Could not find a version\nERROR: No matching\n";
        assert_eq!(last_error(pip), "ERROR: Could not find a version");
        assert_eq!(last_error("a\nb\n\n"), "b");
        assert_eq!(last_error(""), "it does not say why");
    }

    #[test]
    fn parameters_of_openmpi_are_read() {
        let text = "mca:btl:sm:param:btl_sm_free:value:8\nmca:btl:sm:param:btl_sm_free:source:x\n\
                    mca:mca:base:param:mca_base_x:help:a:b\npackage:x\n";
        let expected = ["btl_sm_free", "mca_base_x"].map(String::from);
        assert_eq!(openmpi_parameters(text), expected.into());
    }
}
