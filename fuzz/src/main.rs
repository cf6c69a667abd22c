//! The engine: libFuzzer on the target that `CAIRN_FUZZ` names. `cargo xtask fuzz` builds and runs it.
//!
//! With `CAIRN_FUZZ_SEEDS` naming a directory it writes the seeds of all targets there, and that is all.

#![no_main]

use std::path::Path;
use std::sync::OnceLock;

use cairn_fuzz::{TARGETS, Target};

static TARGET: OnceLock<&Target> = OnceLock::new();

fn begin() {
    if let Some(dir) = std::env::var_os("CAIRN_FUZZ_SEEDS") {
        for target in TARGETS {
            let dir = Path::new(&dir).join(target.name);
            std::fs::create_dir_all(&dir).expect("a directory for seeds");
            for (number, seed) in (target.seeds)().iter().enumerate() {
                std::fs::write(dir.join(format!("seed-{number}")), seed).expect("a seed");
            }
            println!("{}", target.name);
        }
        std::process::exit(0);
    }
    let name = std::env::var("CAIRN_FUZZ").expect("CAIRN_FUZZ names a target");
    let target = cairn_fuzz::target(&name).expect("CAIRN_FUZZ is the name of a target");
    let _ = TARGET.set(target);
}

libfuzzer_sys::fuzz_target!(init: begin(), |data: &[u8]| {
    (TARGET.get().expect("set at the beginning").run)(data);
});
