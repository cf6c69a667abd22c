//! Programs that others wrote, unmodified: fetched from where everybody gets them, built with the
//! wrappers of the installation, run by its mpirun.
//!
//! Who can't reach a registry is told so, and the tests that need it are skipped.
//!
//! What is fetched and built stays in `target/unmodified`. It is built anew when mpi.h has changed;
//! the library is shared, so every build uses the present one.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use cairn_tests::fetched::{BUILDING, Made, fetch, fetched, made_here, mpich, or_skip, pip};
use cairn_tests::mpi4py::{List, Outcomes};
use cairn_tests::{Ended, Run, dist, foreign, root, scratch};

/// A test suite from outside, with more processes than cores.
const TESTING: Duration = Duration::from_secs(300);

/// A program of the installation.
fn tool(name: &str) -> PathBuf {
    dist().join("bin").join(name)
}

/// `mpirun` of the installation with so many processes.
fn mpirun(processes: u32) -> Run {
    Run::mpirun().args(["--oversubscribe", "-n", &processes.to_string()])
}

// mpi4py ----------------------------------------------------------------------------------------------

const MPI4PY: &str = "mpi4py-4.1.2";

/// The directory that has mpi4py, built by pip from its source package: `sources` and, in
/// `environment`, a Python with it.
fn mpi4py() -> Option<&'static Path> {
    static MADE: OnceLock<Made> = OnceLock::new();
    or_skip(MADE.get_or_init(|| {
        made_here(MPI4PY, |dir| {
            let environment = dir.join("environment");
            let package = fetched().join(format!("{MPI4PY}.tar.gz"));
            if !package.exists() {
                let source = ["download", "--no-deps", "--no-binary", "mpi4py", "mpi4py==4.1.2"];
                fetch(pip(&environment).args(source).args(["--dest"]).args([fetched()]))?;
            }
            Run::new("tar").args(["-xzf"]).args([&package]).dir(dir).ok();
            fs::rename(dir.join(MPI4PY), dir.join("sources")).unwrap();
            // What it is built with, so that the build itself fetches nothing.
            fetch(pip(&environment).args(["install", "setuptools", "wheel", "build", "cython"]))?;
            // What parts of its tests use.
            fetch(pip(&environment).args(["install", "numpy", "cffi", "dill", "pyyaml"]))?;
            // From the directory, because pip keeps what it built from a package, with the mpi.h of
            // then. Nothing is measured, so the compiler need not take its time.
            pip(&environment)
                .args(["install", "--no-deps", "--no-build-isolation"])
                .args([dir.join("sources")])
                .env("MPICC", tool("mpicc"))
                .env("CFLAGS", "-O0")
                .within(BUILDING)
                .ok();
            Ok(())
        })
    }))
}

/// Python with mpi4py in so many processes, which leave their files in a directory that goes away.
fn python(mpi4py: &Path, processes: u32, temporary: &Path, args: &[&str]) -> Run {
    mpirun(processes)
        .args([mpi4py.join("environment/bin/python")])
        .args(args)
        .env("TMPDIR", temporary)
        .env("PYTHONDONTWRITEBYTECODE", "1")
}

#[test]
fn mpi4py_runs_its_benchmarks() {
    let Some(mpi4py) = mpi4py() else { return };
    let temporary = scratch();
    let bench = |processes: u32, args: &[&str]| -> Ended {
        let args = [&["-m", "mpi4py.bench"], args].concat();
        python(mpi4py, processes, temporary.path(), &args).ok()
    };
    for processes in [1, 2, 4] {
        let hello = bench(processes, &["helloworld"]);
        assert_eq!(hello.stdout.lines().count(), processes as usize, "{hello}");
        for rank in 0..processes {
            hello.says(&[&format!("I am process {rank} of {processes} on ")]);
        }

        let ring = bench(processes, &["ringtest", "--loop", "100", "--size", "5000"]);
        ring.says(&[&format!("({processes} processes, 5000 bytes)")]);

        for ways in [&[][..], &["--pickle"], &["--outband"]] {
            let sizes = ["pingpong", "--loop", "50", "--max-size", "1048576"];
            let pingpong = bench(processes, &[&sizes, ways].concat());
            let measured = pingpong.stdout.lines().filter(|line| !line.starts_with('#')).count();
            // From 1 byte to 1 MiB in powers of two.
            assert_eq!(measured, 21, "{pingpong}");
        }
    }
}

/// The tests that can't pass yet.
const LIST: &str = include_str!("mpi4py/not_yet.txt");

/// Runs tests of mpi4py's suite: `only` those whose names a file has, or those `without` them. With
/// MPI_THREAD_MULTIPLE, as mpi4py wants it unless it is told otherwise.
fn run_tests(
    mpi4py: &Path,
    processes: u32,
    (which, names): (&str, &str),
    (mca, modules): (&[&str], &[&str]),
    outcomes: &mut Outcomes,
) -> Ended {
    let (temporary, written) = (scratch(), scratch());
    let file = temporary.path().join("names");
    fs::write(&file, names).unwrap();
    let program = root().join("tests/mpi4py/outcomes.py");
    // Arrays of NumPy make the suite many times as long, so they have to do with one process.
    let numpy = if processes == 1 { &[][..] } else { &["--no-numpy"] };
    let ended = mpirun(processes)
        // So that it is mpirun that ends what hangs, and the outcomes up to there are seen.
        .args(["--timeout", &TESTING.as_secs().to_string()])
        .args(mca)
        .args([mpi4py.join("environment/bin/python"), program])
        .args([written.path(), Path::new(which), &file])
        .args(["--no-builddir", "--quiet"])
        .args(modules)
        .args(numpy)
        .env("TMPDIR", temporary.path())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .dir(mpi4py.join("sources/test"))
        .within(2 * TESTING)
        .end();
    if let Err(problem) = outcomes.add(written.path(), processes) {
        panic!("{problem}\n{}\n{ended}", outcomes.failures().join("\n"));
    }
    ended
}

/// Those that can't pass yet are run, too, in a job of their own so that what they leave behind disturbs
/// no others: so the list can't name any that pass.
#[test]
fn mpi4py_passes_its_tests() {
    let Some(mpi4py) = mpi4py() else { return };
    let list = List::parse(LIST);
    let (mut others, mut listed) = (Outcomes::default(), Outcomes::default());
    let (plain, all) = ((&[][..], &[][..]), list.all());
    let ended = [1, 2, 3].map(|processes| {
        run_tests(mpi4py, processes, ("only", &list.run()), plain, &mut listed);
        run_tests(mpi4py, processes, ("without", &all), plain, &mut others)
    });
    // Of these more processes make other shapes.
    let modules = [
        "-i",
        "test_(address|attributes|comm|datatype|errhandler|group|pack|rma|rma_nb|util_dtlib|util_sync|win)",
    ];
    for processes in [4, 5] {
        run_tests(mpi4py, processes, ("without", &all), (&[], &modules), &mut others);
    }
    // Of windows those that the node's memory does not serve.
    let modules = ["-i", "test_(rma|rma_nb|util_sync)"];
    for transports in ["self,sm", "self,tcp"] {
        let mca = ["--mca", "btl", transports, "--mca", "osc", "rdma"];
        for processes in 1..=5 {
            run_tests(mpi4py, processes, ("without", &all), (&mca, &modules), &mut others);
        }
    }
    let problems = list.problems(&others, &listed);
    assert!(problems.is_empty(), "tests/mpi4py/not_yet.txt:\n{}", problems.join("\n"));
    // Whose tests all pass ends well, too.
    ended.iter().for_each(|ended| assert!(ended.status.success(), "{ended}"));
}

/// Its tests of messages, collectives and windows over every way of the transports that load a library of others.
#[test]
#[ignore = "takes a quarter of an hour; see CONTRIBUTING.md"]
fn mpi4py_passes_its_tests_over_every_way_of_other_libraries() {
    let Some(mpi4py) = mpi4py() else { return };
    let all = List::parse(LIST).all();
    // All, and of windows those that the node's memory does not serve.
    let suites = [
        ("sm,rdma", "test_(p2p|cco|msg|rma|win|util_sync|threads)"),
        ("rdma", "test_(rma|rma_nb|util_sync)"),
    ];
    // Over the one that is slow, some that ask but once whether something has come ask too early.
    for way in foreign::prompt_ways().map(foreign::options) {
        for (osc, modules) in suites {
            let mca = [&way[..], &["--mca", "osc", osc]].concat();
            let mut outcomes = Outcomes::default();
            for processes in [2, 3] {
                let how = (&mca[..], &["-i", modules][..]);
                let ended = run_tests(mpi4py, processes, ("without", &all), how, &mut outcomes);
                assert!(ended.status.success(), "{ended}");
            }
            let failures = outcomes.failures();
            assert!(failures.is_empty(), "{mca:?}\n{}", failures.join("\n"));
        }
    }
}

// The Rust crate `mpi` ---------------------------------------------------------------------------------

/// A package that depends on the crate. The versions of everything else are those that the crate
/// itself was tested with.
const RSMPI: &str = r#"
[package]
name = "examples"
edition = "2021"

[workspace]

[dependencies]
mpi = { version = "=0.8.2", features = ["derive", "complex", "user-operations"] }
num-complex = "0.4"

[profile.dev]
debug = false

# The crate's examples ask for a configuration that only its own package knows.
[lints.rust]
unexpected_cfgs = "allow"
"#;

/// The directory with the crate's examples as programs.
fn rsmpi() -> Option<&'static Path> {
    static MADE: OnceLock<Made> = OnceLock::new();
    or_skip(MADE.get_or_init(|| {
        let dir = made_here("rsmpi", |dir| {
            let cargo = |args: &[&str]| {
                let run = Run::new("cargo").args(args).dir(dir);
                run.env("MPICC", tool("mpicc")).env("CARGO_TARGET_DIR", dir.join("target"))
            };
            fs::create_dir(dir.join("src")).unwrap();
            fs::write(dir.join("src/lib.rs"), "").unwrap();
            fs::write(dir.join("Cargo.toml"), RSMPI).unwrap();
            let examples = examples(&fetch(cargo(&["metadata", "--format-version", "1"]))?);
            fs::copy(examples.with_file_name("Cargo.lock"), dir.join("Cargo.lock")).unwrap();
            let mut manifest = RSMPI.to_owned();
            for source in fs::read_dir(&examples).unwrap() {
                let source = source.unwrap().path();
                let name = source.file_stem().unwrap().to_str().unwrap().to_owned();
                manifest += &format!("[[example]]\nname = {name:?}\npath = {source:?}\n");
            }
            fs::write(dir.join("Cargo.toml"), manifest).unwrap();
            fetch(cargo(&["fetch"]))?;
            cargo(&["build", "--offline", "--quiet", "--examples"]).within(BUILDING).ok();
            Ok(())
        });
        dir.map(|dir| dir.join("target/debug/examples"))
    }))
}

/// Where cargo has unpacked the examples of the crate `mpi`.
fn examples(metadata: &Ended) -> PathBuf {
    let metadata = metadata.json();
    let packages = metadata["packages"].as_array().unwrap();
    let package = packages.iter().find(|package| package["name"] == "mpi").unwrap();
    Path::new(package["manifest_path"].as_str().unwrap()).with_file_name("examples")
}

/// The function that a program failed for because it is not there yet.
fn to_come(ended: &Ended) -> Option<&str> {
    let (before, _) =
        ended.stderr.split_once(" is not implemented in this version of Cairn MPI")?;
    before.rsplit(' ').next()
}

#[test]
fn the_examples_of_the_rust_crate_run() {
    let Some(dir) = rsmpi() else { return };
    let mut passed = 0;
    for file in fs::read_dir(dir).unwrap() {
        let program = file.unwrap().path();
        // Beside each program lie a copy with a hash in its name and a file of dependencies.
        let name = program.file_name().unwrap().to_str().unwrap();
        if name.contains(['-', '.']) {
            continue;
        }
        for processes in [2, 3] {
            // The crate takes over from mpicc where to link from, and not where to look when the
            // program runs.
            let run = mpirun(processes).env("LD_LIBRARY_PATH", dist().join("lib"));
            let ended = run.args([&program]).end();
            match to_come(&ended) {
                _ if ended.status.success() => passed += 1,
                Some(function) => println!("{name} -n {processes}: no {function} yet"),
                None => panic!("{ended}"),
            }
        }
    }
    assert_eq!(passed, 2 * 56, "runs of examples that succeeded");
}

// Another MPI -------------------------------------------------------------------------------------------

/// The program that does what its arguments say.
const RANK: &str = env!("CARGO_BIN_EXE_rank");

/// A program of `tests/mpi`, compiled by a wrapper of MPICH.
fn compiled_by_mpich(mpicc: &Path, name: &str, to: &Path) -> PathBuf {
    let program = to.join(name);
    let source = root().join("tests/mpi").join(name).with_extension("c");
    Run::new(mpicc).args(["-std=c11", "-pthread", "-o"]).args([&program, &source]).ok();
    program
}

#[test]
fn what_was_built_for_mpich_runs_on_our_library() {
    let Some(mpich) = mpich() else { return };
    let dir = scratch();
    for name in ["colls", "groups", "p2p"] {
        let program = compiled_by_mpich(&mpich.join("mpicc_abi"), name, dir.path());
        let ours = dist().join("lib");
        let libraries = Run::new("ldd").args([&program]).env("LD_LIBRARY_PATH", &ours).ok().stdout;
        assert!(libraries.contains(ours.join("libmpi_abi.so.1").to_str().unwrap()), "{libraries}");
        for processes in [1, 3] {
            mpirun(processes).args([&program]).env("LD_LIBRARY_PATH", &ours).ok();
        }
    }
}

#[test]
fn our_mpirun_starts_programs_of_mpich() {
    let Some(mpich) = mpich() else { return };
    let dir = scratch();
    let program = compiled_by_mpich(&mpich.join("mpicc"), "launched", dir.path());
    mpirun(3).args([&program]).ok().says(&["3 processes on MPICH"]);
    let before = segments_of_mpich();
    let aborted = mpirun(3).args([&program]).args(["abort"]).exits(7);
    // MPICH itself leaves them when it aborts, under its own mpiexec as well.
    for left in segments_of_mpich().difference(&before) {
        fs::remove_file(left).unwrap();
    }
    aborted.complains(&["rank 1 aborted the job with code 7"]);
}

/// What MPICH has in shared memory.
fn segments_of_mpich() -> BTreeSet<PathBuf> {
    let all = fs::read_dir("/dev/shm").unwrap().map(|entry| entry.unwrap().path());
    all.filter(|path| path.to_string_lossy().contains("/mpich_shm_")).collect()
}

/// Under Hydra our ranks are what they are under our own mpirun.
#[test]
fn hydra_starts_programs_of_ours() {
    let Some(mpich) = mpich() else { return };
    let hydra = || Run::new(mpich.join("mpiexec")).args(["-n", "3"]);
    let actions = "connect job put k 1000 put long 65536 fence check k 1000 check long 65536 \
                   disconnect";
    let ended = hydra().args([RANK]).args(actions.split(' ')).ok();
    ended.says(&["0 of 3", "1 of 3", "2 of 3", "nodes 1 [0 0 0], by Hydra"]);
    hydra().args([RANK]).args("connect fence on 1 abort 7 enough hang".split(' ')).exits(7);

    let dir = scratch();
    let program = dir.path().join("launched");
    let source = root().join("tests/mpi/launched.c");
    Run::new(tool("mpicc")).args(["-o"]).args([&program, &source]).ok();
    hydra().args([&program]).ok().says(&["3 processes on Cairn MPI"]);
    // Where it does not inherit a socket but is told a port.
    hydra().args(["-pmi-port"]).args([&program]).ok().says(&["3 processes on Cairn MPI"]);
    hydra().args([&program]).args(["abort"]).exits(7);
}
