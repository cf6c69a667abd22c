//! How the shared library is linked, and which commit it is built from.

use std::env::var;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the library is made of, in the root of the sources.
const SOURCES: [&str; 5] = ["framework", "components", "mpi", "Cargo.toml", "Cargo.lock"];

/// How many digits of a commit are shown.
const DIGITS: usize = 12;

fn main() {
    // The table of exported names: without it the linker would hide the aliases `MPI_X`, since rustc
    // knows the functions `PMPI_X` only.
    let exports = "../src/abi/generated/exports.map";
    let dir = var("CARGO_MANIFEST_DIR").unwrap_or_else(|_| ".".into());
    println!("cargo::rerun-if-changed={exports}");
    println!("cargo::rustc-cdylib-link-arg=-Wl,--version-script={dir}/{exports}");
    // Rustc brings a table, too. LLVM's linker takes both, which GNU's does not; for some processors it
    // is not the default.
    println!("cargo::rustc-cdylib-link-arg=-fuse-ld=lld");
    if let Some(dir) = rustc_linkers().filter(|dir| dir.is_dir()) {
        println!("cargo::rustc-cdylib-link-arg=-B{}", dir.display());
    }
    // Programs ask for the library by the name that the standard gives it.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libmpi_abi.so.1");

    let root = Path::new(&dir).join("../..");
    // Where a source changes, this package is linked again in any case.
    for source in SOURCES {
        println!("cargo::rerun-if-changed={}", root.join(source).display());
    }
    let commit = archived(Path::new(&dir)).or_else(|| checked_out(&root)).unwrap_or_default();
    println!("cargo::rustc-env=CAIRN_COMMIT={commit}");
}

/// Where the toolchain has LLVM's linker under the name that compilers ask for, if it has one.
fn rustc_linkers() -> Option<PathBuf> {
    let told = Command::new(var("RUSTC").ok()?).args(["--print", "sysroot"]).output().ok()?;
    let sysroot = String::from_utf8(told.stdout).ok()?;
    let host = var("HOST").ok()?;
    Some([sysroot.trim(), "lib/rustlib", &host, "bin/gcc-ld"].iter().collect())
}

/// The commit of an archive that git has made, where it replaces what stands in the file.
fn archived(dir: &Path) -> Option<String> {
    let text = std::fs::read_to_string(dir.join("commit")).ok()?;
    let commit = text.trim().get(..DIGITS)?;
    commit.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| commit.to_owned())
}

/// The commit of a repository, with `+` if the library's sources are others. None without git, or if
/// this is no repository of its own.
fn checked_out(root: &Path) -> Option<String> {
    let git = |args: &[&str]| {
        let mut git = Command::new("git");
        // What is built in the course of a commit is told by variables where that happens.
        for name in ["GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "GIT_PREFIX"] {
            git.env_remove(name);
        }
        let output = git.arg("--no-optional-locks").args(args).current_dir(root).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim_end().to_owned())
    };
    // The sources may have been put into another repository.
    if !git(&["rev-parse", "--show-prefix"])?.is_empty() {
        return None;
    }
    // The first two change with each commit and checkout. Without a log of these, the branch does.
    let branch = git(&["symbolic-ref", "--quiet", "HEAD"]);
    for name in ["HEAD", "logs/HEAD", "packed-refs"].into_iter().chain(branch.as_deref()) {
        let file = root.join(git(&["rev-parse", "--git-path", name])?);
        // One that is missing would count as changed each time.
        if file.is_file() {
            println!("cargo::rerun-if-changed={}", file.display());
        }
    }
    let commit = git(&["rev-parse", "HEAD"])?;
    let mut status = vec!["status", "--porcelain", "--"];
    status.extend(SOURCES);
    let changed = !git(&status)?.is_empty();
    Some(format!("{}{}", commit.get(..DIGITS)?, if changed { "+" } else { "" }))
}
