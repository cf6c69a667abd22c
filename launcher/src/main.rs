//! `mpirun`; everything is in the library of this package.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    cairn_launcher::main()
}
