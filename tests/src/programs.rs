//! C programs that call MPI, compiled with the wrapper.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use crate::functions::{Function, implemented};
use crate::{Run, dist, root, scratch};

/// The two forms of programs whose counts have a type of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Counts {
    /// Counts are `int`.
    Small,
    /// Counts are `MPI_Count`: each function is the one whose name ends in `_c`.
    Large,
}

/// A program of `tests/mpi`, compiled once into a subdirectory of a directory for such things.
pub fn compiled(directory: &str, name: &str, counts: Counts) -> PathBuf {
    type Programs = HashMap<(String, Counts), Arc<OnceLock<PathBuf>>>;
    static PROGRAMS: OnceLock<Mutex<Programs>> = OnceLock::new();
    let mut programs = PROGRAMS.get_or_init(Mutex::default).lock().expect("nothing fails here");
    let program = Arc::clone(programs.entry((name.to_owned(), counts)).or_default());
    drop(programs);
    let make = || {
        let directory = Path::new(directory).join(format!("{counts:?}"));
        fs::create_dir_all(&directory).expect("a directory for programs");
        let source = root().join("tests/mpi").join(name).with_extension("c");
        let program = directory.join(name);
        compile(&source, &program, counts);
        program
    };
    program.get_or_init(make).clone()
}

/// Compiles a program that may include the headers of `tests/mpi`.
pub fn compile(source: &Path, program: &Path, counts: Counts) {
    let strict = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-pthread", "-I"];
    let mut mpicc =
        Run::new(dist().join("bin/mpicc")).args(strict).args([root().join("tests/mpi")]);
    let header = scratch();
    if counts == Counts::Large {
        let names = implemented().into_iter().filter(|function| function.large);
        let lines = names.map(|Function { name, .. }| format!("#define {name} {name}_c\n"));
        fs::write(header.path().join("large.h"), lines.collect::<String>()).expect("a header");
        mpicc = mpicc.args(["-DLARGE", "-I"]).args([header.path()]);
    }
    // Other test binaries compile the same programs at the same time, and run them.
    let made = program.with_extension(std::process::id().to_string());
    mpicc.args([source]).args(["-o"]).args([&made]).ok();
    fs::rename(made, program).expect("a place for the program");
}

/// A program with this many processes, who may take turns on the cores.
pub fn mpirun(processes: u32, mca: &[&str], program: &Path) -> Run {
    let run = Run::mpirun().args(["--oversubscribe", "-n", &processes.to_string()]);
    run.args(mca).args([program])
}

/// Runs a program that has nothing to say, with one level of thread support.
pub fn silent(processes: u32, level: &str, mca: &[&str], program: &Path) {
    mpirun(processes, mca, program).env("TEST_THREAD_LEVEL", level).says_nothing();
}
