//! How the shared library is linked.

fn main() {
    // The table of exported names: without it the linker would hide the aliases `MPI_X`, since rustc
    // knows the functions `PMPI_X` only.
    let exports = "../src/abi/generated/exports.map";
    let dir = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_else(|_| ".".into());
    println!("cargo::rerun-if-changed={exports}");
    println!("cargo::rustc-cdylib-link-arg=-Wl,--version-script={dir}/{exports}");
    // Programs ask for the library by the name that the standard gives it.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libmpi_abi.so.1");
}
