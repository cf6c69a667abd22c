//! `cairn-info`; everything is in the library of this name.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    cairn_info::main()
}
