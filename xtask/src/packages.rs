//! Programs of the system that a task needs.

use std::process::{Command, Stdio};

use anyhow::{Result, bail};

use crate::exec;

/// A program and the Debian package that has it.
pub struct Tool {
    program: &'static str,
    package: &'static str,
}

/// A C compiler, for components in C. Rust itself links with it.
pub const CC: Tool = Tool { program: "cc", package: "gcc" };
/// A C++ compiler, for components in C++ and programs that include mpi.h.
pub const CXX: Tool = Tool { program: "c++", package: "g++" };
/// Finds MPI by its compiler wrappers.
pub const CMAKE: Tool = Tool { program: "cmake", package: "cmake" };
/// How authors of components find an installation.
pub const PKG_CONFIG: Tool = Tool { program: "pkg-config", package: "pkg-config" };
/// What the example in C is built with, as its readers will.
pub const MAKE: Tool = Tool { program: "make", package: "make" };
/// Says which files are part of the repository.
pub const GIT: Tool = Tool { program: "git", package: "git" };

/// Makes sure that programs are there: installs what is missing when it can, and otherwise says what
/// to install.
pub fn require(tools: &[Tool]) -> Result<()> {
    let missing: Vec<&str> =
        tools.iter().filter(|tool| !is_there(tool.program)).map(|tool| tool.package).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let list = missing.join(" ");
    if !is_there("apt-get") {
        bail!("these packages are missing and there is no apt-get to install them: {list}");
    }
    if !rustix::process::geteuid().is_root() {
        bail!("these packages are missing; install them with: sudo apt-get install {list}");
    }
    println!("   installing {list}");
    let apt = |args: &[&str]| {
        let mut command = Command::new("apt-get");
        command.args(args).env("DEBIAN_FRONTEND", "noninteractive").stdout(Stdio::null());
        exec::check(&mut command)
    };
    apt(&["update", "-qq"])?;
    let mut args = vec!["install", "-y", "-qq", "--no-install-recommends"];
    args.extend(&missing);
    apt(&args)
}

fn is_there(program: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths).any(|dir| dir.join(program).is_file())
}
