//! How the shared library is linked.

use std::env::var;
use std::path::PathBuf;
use std::process::Command;

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
}

/// Where the toolchain has LLVM's linker under the name that compilers ask for, if it has one.
fn rustc_linkers() -> Option<PathBuf> {
    let told = Command::new(var("RUSTC").ok()?).args(["--print", "sysroot"]).output().ok()?;
    let sysroot = String::from_utf8(told.stdout).ok()?;
    let host = var("HOST").ok()?;
    Some([sysroot.trim(), "lib/rustlib", &host, "bin/gcc-ld"].iter().collect())
}
