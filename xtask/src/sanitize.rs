//! ThreadSanitizer over the MPI library, with the test programs that have many threads.
//!
//! The toolchain brings the sanitizer's runtime, but its flag is not a stable one, hence
//! `RUSTC_BOOTSTRAP`. The standard library is not instrumented: an order that only its `Once` or one of
//! its locks makes is not seen and looks like a race, so [`UNSEEN`] names who relies on them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::dist::{self, Form};
use crate::exec::{self, Workspace, step};
use crate::packages::{self, CC};

/// Suppressions of the sanitizer.
const UNSEEN: &str = "race:OnceLock\nrace:LazyLock\nrace:std::sync::once\n";

/// Where the components are that are not linked in.
const COMPONENTS: &str = "components";

/// Programs of tests/mpi, which need no arguments.
const PROGRAMS: [&str; 10] = [
    "large",
    "p2p",
    "reenter",
    "sync",
    "thread_matching",
    "threads",
    "threads_colls",
    "threads_messages",
    "threads_objects",
    "threads_requests",
];

/// The program that does everything at once, its arguments, and with what it runs.
const STRESS: &str = "stress";
const STRESS_ARGS: [&str; 3] = ["40", "1", "4"];
const MIXES: [&[&str]; 5] = [
    &[],
    &["progress=serial", "wait=yield", "match=sharded", "cri=round_robin", "btl_sm_num_cris=2"],
    &["progress=hybrid", "wait=block", "match=bins", "cri=comm", "btl_sm_num_cris=4"],
    &["progress=thread", "wait=spin", "match=vector", "cri=dedicated", "btl_sm_num_cris=2"],
    &["btl=self,tcp", "match=list", "cri=dedicated"],
];

/// Random operations of many threads on one window, and what they go by.
const WINDOWS: &str = "rma_model";
const WINDOWS_ARGS: [&str; 6] = ["--threads", "4", "--avoid", "shared", "--seeds", "1-12"];
const WAYS: [&[&str]; 4] = [
    &[],
    &["osc=rdma"],
    &["osc=rdma", "osc_rdma_ways=put_get,atomics", "btl_sm_rma_from=0"],
    &["osc=rdma", "btl=self,tcp", "progress=serial"],
];

/// Builds, and runs all programs. The first race ends it, with its report on standard error.
pub fn run(workspace: &Workspace) -> Result<()> {
    packages::require(&[CC])?;
    let dist = step("installation", || dist::build(workspace, Form::Linked))?;
    let sanitizer = Sanitizer::new(workspace, dist)?;
    step("the library with the sanitizer", || sanitizer.build())?;
    for name in PROGRAMS {
        step(name, || sanitizer.watch(&[], &sanitizer.compile(name)?, &[]))?;
    }
    let program = sanitizer.compile(STRESS)?;
    for mix in MIXES {
        step(&format!("{STRESS} {}", mix.join(" ")), || {
            sanitizer.watch(mix, &program, &STRESS_ARGS)
        })?;
    }
    let program = sanitizer.compile(WINDOWS)?;
    for ways in WAYS {
        step(&format!("{WINDOWS} {}", ways.join(" ")), || {
            sanitizer.watch(ways, &program, &WINDOWS_ARGS)
        })?;
    }
    Ok(())
}

struct Sanitizer<'a> {
    workspace: &'a Workspace,
    /// An installation without it, for its header and `mpirun`.
    dist: PathBuf,
    /// Where what has it is built.
    dir: PathBuf,
    /// What it is built for.
    host: String,
    /// Its runtime.
    runtime: PathBuf,
}

impl<'a> Sanitizer<'a> {
    fn new(workspace: &'a Workspace, dist: PathBuf) -> Result<Self> {
        let host = exec::host(workspace)?;
        let sysroot = exec::output(workspace.command("rustc").args(["--print", "sysroot"]))?;
        let sysroot = PathBuf::from(sysroot.trim_end());
        let libraries = sysroot.join("lib/rustlib").join(&host).join("lib");
        let runtime = libraries.join("librustc-stable_rt.tsan.a");
        Ok(Self { workspace, dist, dir: workspace.target.join("sanitize"), host, runtime })
    }

    /// Builds the library and the components that are not linked in.
    fn build(&self) -> Result<()> {
        let release = self.dir.join(&self.host).join("release");
        let components = self.dir.join(COMPONENTS);
        self.cargo("build", dist::LIBRARY_PACKAGE, &[])?;
        for name in dist::LIBRARY {
            dist::copy(&release.join("libmpi_abi.so"), &self.dir.join(name))?;
        }
        for component in self.workspace.shared_components() {
            let name = component.name.as_str();
            self.cargo("rustc", name, &["--lib", "--crate-type", "cdylib"])?;
            let built = release.join(format!("lib{name}.so"));
            dist::copy(&built, &components.join(format!("{name}.so")))?;
        }
        fs::write(self.dir.join("unseen"), UNSEEN).context("writing suppressions")
    }

    fn cargo(&self, subcommand: &str, package: &str, rest: &[&str]) -> Result<()> {
        let mut cargo = self.workspace.cargo(&[subcommand, "--release", "--quiet"]);
        cargo.args(["--target", &self.host, "--package", package]).args(rest);
        cargo.env("CARGO_TARGET_DIR", &self.dir).env("RUSTC_BOOTSTRAP", "1");
        cargo.env("CARGO_PROFILE_RELEASE_STRIP", "none");
        cargo.env("CARGO_PROFILE_RELEASE_DEBUG", "line-tables-only");
        cargo.env("RUSTFLAGS", "-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer");
        exec::check(&mut cargo)
    }

    /// A program with the runtime in it, which must be there before the library.
    fn compile(&self, name: &str) -> Result<PathBuf> {
        let (object, program) = (self.dir.join(format!("{name}.o")), self.dir.join(name));
        let mut cc = self.workspace.command("cc");
        cc.args(["-fsanitize=thread", "-O1", "-g", "-c", "-I"]).arg(self.dist.join("include"));
        cc.arg(self.workspace.root.join("tests/mpi").join(format!("{name}.c")));
        exec::check(cc.arg("-o").arg(&object))?;
        let mut cc = self.workspace.command("cc");
        cc.arg(object).arg("-Wl,--whole-archive").arg(&self.runtime).arg("-Wl,--no-whole-archive");
        cc.arg("-rdynamic").arg("-L").arg(&self.dir);
        cc.args(["-lmpi_abi", "-lpthread", "-lm", "-ldl", "-lrt"]);
        exec::check(cc.arg("-o").arg(&program))?;
        Ok(program)
    }

    /// Runs a program on two ranks with all threads calling MPI.
    fn watch(&self, mca: &[&str], program: &Path, args: &[&str]) -> Result<()> {
        let mut mpirun = self.workspace.command(self.dist.join("bin/mpirun"));
        mpirun.args(["--oversubscribe", "--timeout", "300", "-n", "2"]);
        mpirun.args(["--mca", "mca_component_path"]).arg(self.dir.join(COMPONENTS));
        for (name, value) in mca.iter().filter_map(|setting| setting.split_once('=')) {
            mpirun.args(["--mca", name, value]);
        }
        let options = format!("history_size=7 suppressions={}", self.dir.join("unseen").display());
        mpirun.env("TSAN_OPTIONS", options).env("LD_LIBRARY_PATH", &self.dir);
        mpirun.env("TEST_THREAD_LEVEL", "multiple");
        exec::check(mpirun.arg(program).args(args))
    }
}
