//! Programs of the system that a task needs.

use std::process::{Command, Stdio};

use anyhow::{Result, bail};

use crate::exec;

/// Something of the system, and the Debian packages that have it.
pub struct Tool {
    /// A command of the shell that succeeds where it is.
    there: &'static str,
    packages: &'static str,
}

/// A C compiler, for components in C. Rust itself links with it.
pub const CC: Tool = Tool { there: "command -v cc", packages: "gcc libc6-dev" };
/// A C++ compiler, for components in C++ and programs that include mpi.h.
pub const CXX: Tool = Tool { there: "command -v c++", packages: "g++" };
/// Finds MPI by its compiler wrappers.
pub const CMAKE: Tool = Tool { there: "command -v cmake", packages: "cmake" };
/// How authors of components find an installation.
pub const PKG_CONFIG: Tool = Tool { there: "command -v pkg-config", packages: "pkg-config" };
/// What the example in C is built with, as its readers will.
pub const MAKE: Tool = Tool { there: "command -v make", packages: "make" };
/// Says which files are part of the repository.
pub const GIT: Tool = Tool { there: "command -v git", packages: "git" };
/// Python that can make environments and build extensions, for mpi4py.
pub const PYTHON: Tool = Tool {
    there: "python3 -c 'import ensurepip, os, sys, sysconfig; \
            sys.exit(not os.path.exists(sysconfig.get_path(\"include\") + \"/Python.h\"))'",
    packages: "python3-venv python3-dev",
};
/// Reads C headers for the Rust `mpi` crate.
pub const LIBCLANG: Tool = Tool {
    there: "test -n \"$LIBCLANG_PATH\" || \
            ls /usr/lib/llvm*/lib /usr/lib/*-linux-gnu /usr/lib64 | grep -Eq '^libclang(-[0-9.]+)?[.]so'",
    packages: "libclang-dev",
};

/// What MPI programs among Debian's packages are built with: BLAS for HPC Challenge, a scanner, a parser and
/// zlib for Scotch; and what their archives are packed with.
pub const BLAS: Tool = Tool {
    there: "ls /usr/lib/libblas.so /usr/lib/*-linux-gnu/libblas.so 2>/dev/null | grep -q .",
    packages: "libblas-dev",
};
pub const SCANNERS: Tool =
    Tool { there: "command -v flex && command -v bison", packages: "flex bison" };
pub const XZ: Tool = Tool { there: "command -v xz", packages: "xz-utils" };
pub const ZLIB: Tool = Tool { there: "test -e /usr/include/zlib.h", packages: "zlib1g-dev" };
/// Watches what MPI programs do with memory.
pub const VALGRIND: Tool = Tool { there: "command -v valgrind", packages: "valgrind" };

/// Makes network namespaces, for tests on several hosts and networks.
pub const IPROUTE: Tool = Tool { there: "command -v ip && command -v tc", packages: "iproute2" };

/// What `btl_uct` loads.
pub const UCX: Tool = Tool { there: "ldconfig -p | grep -q libuct.so.0", packages: "libucx0" };

/// What `btl_ofi` loads.
pub const LIBFABRIC: Tool =
    Tool { there: "ldconfig -p | grep -q libfabric.so.1", packages: "libfabric1" };

/// Makes sure that programs are there: installs what is missing when it can, and otherwise says what
/// to install.
pub fn require(tools: &[Tool]) -> Result<()> {
    let missing: Vec<&str> = tools
        .iter()
        .filter(|tool| !succeeds(tool.there))
        .flat_map(|tool| tool.packages.split(' '))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let list = missing.join(" ");
    if !succeeds("command -v apt-get") {
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

fn succeeds(command: &str) -> bool {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    shell.status().is_ok_and(|status| status.success())
}
