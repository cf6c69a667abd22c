//! The name by which the library is found, which is that of Cray's.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libugni.so.0");
}
