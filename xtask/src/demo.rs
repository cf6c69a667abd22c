//! What exists so far, at work.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use ugni_emulator::ENVIRONMENT;

use crate::bench;
use crate::dist::{self, Form};
use crate::exec::{self, Workspace, step};
use crate::packages::{self, LIBCLANG, LIBFABRIC, UCX};

/// What the comparison at the end runs, with each setting.
const COMPARED: [&str; 7] = ["multirate", "-s", "8", "-t", "1,2", "--time", "0.1"];

/// The transports that one program is run over, as flags choose them.
const SWAPPED: [&[&str]; 8] = [
    &["btl", "self,sm"],
    &["btl", "self,uct"],
    &["btl", "self,ofi"],
    &["btl", "self,tcp"],
    &["btl", "self,uct", "btl_uct_transports", "tcp"],
    &["btl", "self,ofi", "btl_ofi_providers", "tcp;ofi_rxm"],
    &["btl", "self,ofi", "btl_ofi_providers", "sockets"],
    UGNI,
];

/// On the emulator.
const UGNI: &[&str] = &["btl", "self,ugni"];

/// Builds, runs an MPI program over one transport after the other, shows the components, swaps one by a flag,
/// and compares the strategies.
pub fn run(workspace: &Workspace) -> Result<()> {
    let dist = step("building", || dist::build(workspace, Form::Linked))?;
    let run = |program: &str, args: &[&str]| {
        println!("$ {program} {}", args.join(" "));
        let mut command = workspace.command(dist.join("bin").join(program));
        exec::check(command.args(args).current_dir(&workspace.target))
    };
    step("an MPI program in C", || {
        let source = workspace.root.join("examples/pingpong.c");
        run("mpicc", &["-O2", &source.to_string_lossy(), "-o", "pingpong"])?;
        run("mpirun", &["-n", "2", "./pingpong"])
    })?;
    step("one program, its transport swapped by a flag: microseconds one way", || {
        packages::require(&[UCX, LIBFABRIC])?;
        let emulator = emulator(workspace)?;
        let mut is_headed = false;
        for way in SWAPPED {
            let mut mpirun = workspace.command(dist.join("bin/mpirun"));
            mpirun.args(["-n", "2"]).current_dir(&workspace.target);
            way.chunks(2).for_each(|pair| _ = mpirun.arg("--mca").args(pair));
            let is_emulated = way == UGNI;
            if is_emulated {
                mpirun.envs(ENVIRONMENT).env("LD_LIBRARY_PATH", &emulator);
            }
            let said = exec::output(mpirun.arg("./pingpong"))?;
            let rows = said.lines().skip(1).map(|line| line.split_whitespace());
            let rows: Option<Vec<_>> = rows.map(|mut row| row.next().zip(row.next())).collect();
            let (sizes, times): (Vec<_>, Vec<_>) =
                rows.with_context(|| format!("this is no table: {said}"))?.into_iter().unzip();
            let row = |name: &str, cells: &[&str]| {
                let cells: String = cells.iter().map(|cell| format!("{cell:>9}")).collect();
                println!("{name:<60}{cells}");
            };
            if !is_headed {
                row("bytes", &sizes);
                is_headed = true;
            }
            let flags = way.chunks(2).map(|pair| format!("--mca {} ", pair.join(" ")));
            let remark = if is_emulated { "(emulated)" } else { "" };
            row(&(flags.collect::<String>() + remark), &times);
        }
        Ok(())
    })?;
    let info = |args: &[&str]| {
        println!("$ cairn-info {}", args.join(" "));
        exec::check(workspace.command(dist.join("bin/cairn-info")).args(args))
    };
    step("what there is", || info(&[]))?;
    step("which components serve, and the same with another strategy", || {
        info(&["--selected"])?;
        info(&["--selected", "--mca", "cri", "comm"])
    })?;
    step("threads sharing a device under each strategy", || {
        let mut demo = workspace.cargo(&["run", "--release", "--quiet", "--package", "linked"]);
        demo.args(["--example", "strategies"]);
        exec::check(demo.env("CAIRN_MCA_mca_component_path", dist.join("lib/cairn")))
    })?;
    step("strategies compared: message rate of threads, with intervals and a plot", || {
        packages::require(&[LIBCLANG])?;
        let settings = ["default", "cri=round_robin", "progress=serial"];
        println!("$ cairn-ab quick {} -- {}", settings.join(" "), COMPARED.join(" "));
        let mut ab = bench::cairn_ab(workspace, &dist, "quick");
        ab.args(["--retries", "0", "--metric", "rate", "--store"]);
        ab.arg(workspace.target.join("bench/demo"));
        exec::check(ab.args(settings).arg("--").args(COMPARED))
    })
}

/// A directory where the emulator has the name of the library that it stands for.
fn emulator(workspace: &Workspace) -> Result<PathBuf> {
    let build = ["build", "--release", "--quiet", "--package", "ugni-emulator"];
    exec::check(&mut workspace.cargo(&build))?;
    let directory = workspace.target.join("demo");
    fs::create_dir_all(&directory)?;
    let built = workspace.target.join("release/libugni_emulator.so");
    fs::copy(built, directory.join("libugni.so.0")).context("the emulator of uGNI")?;
    Ok(directory)
}
