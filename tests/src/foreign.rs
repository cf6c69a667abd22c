//! Transports that load a library of others, with each way that they have on one machine.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use cairn_skips::{has_library, skipped};

use crate::dist;

/// A transport's library, and what chooses each of its ways.
pub struct Foreign {
    /// The transport.
    pub name: &'static str,
    /// What it loads.
    pub library: &'static str,
    ways: &'static [&'static [[&'static str; 2]]],
    /// Parameters that name what it may use.
    pub parameters: &'static [&'static str],
}

/// All of them.
pub const ALL: &[Foreign] = &[
    Foreign {
        name: "uct",
        library: "libuct.so.0",
        ways: &[
            &[["btl", "self,uct"], ["btl_uct_transports", "posix,cma"]],
            &[["btl", "self,uct"], ["btl_uct_transports", "sysv"]],
            &[["btl", "self,uct"], ["btl_uct_transports", "tcp"]],
        ],
        parameters: &["btl_uct_transports", "btl_uct_devices"],
    },
    Foreign {
        name: "ofi",
        library: "libfabric.so.1",
        ways: &[
            &[["btl", "self,ofi"], ["btl_ofi_providers", "shm"]],
            &[["btl", "self,ofi"], ["btl_ofi_providers", "tcp;ofi_rxm"]],
            &[["btl", "self,ofi"], ["btl_ofi_providers", "sockets"]],
        ],
        parameters: &["btl_ofi_providers", "btl_ofi_devices"],
    },
    // On the emulator, which every `mpirun` of these tests finds.
    Foreign {
        name: "ugni",
        library: UGNI,
        ways: &[
            &[["btl", "self,ugni"]],
            &[["btl", "self,ugni"], ["btl_ugni_credits", "2"], ["btl_ugni_message_size", "512"]],
        ],
        parameters: &[],
    },
];

const UGNI: &str = "libugni.so.0";

/// The directory where the emulator of uGNI has the name of the library that it stands for.
pub fn emulator() -> Option<&'static Path> {
    static DIRECTORY: OnceLock<Option<PathBuf>> = OnceLock::new();
    let make = || {
        let library = ugni_emulator::library().ok()?;
        let directory = dist().parent()?.join("ugni-emulator");
        std::fs::create_dir_all(&directory).ok()?;
        // Other test binaries do the same at the same time.
        let made = directory.join(std::process::id().to_string());
        std::fs::copy(library, &made).ok()?;
        std::fs::rename(made, directory.join(UGNI)).ok()?;
        Some(directory)
    };
    DIRECTORY.get_or_init(make).as_deref()
}

/// Whether a library is here.
fn is_here(library: &str) -> bool {
    if library != UGNI {
        return has_library(library);
    }
    let is_here = emulator().is_some();
    if !is_here {
        skipped("the emulator of uGNI was not built");
    }
    is_here
}

/// Those whose library is here, or of them the one that `CAIRN_FOREIGN` names; what is not tested for want of one is
/// said.
pub fn here() -> impl Iterator<Item = &'static Foreign> {
    let wanted = std::env::var("CAIRN_FOREIGN").ok();
    // With a name that is none nothing would be tested, and pass.
    if let Some(name) = &wanted {
        assert!(ALL.iter().any(|one| one.name == name), "CAIRN_FOREIGN={name}: no such transport");
    }
    let is_wanted = move |one: &&Foreign| wanted.as_ref().is_none_or(|name| name == one.name);
    ALL.iter().filter(is_wanted).filter(|one| is_here(one.library))
}

/// A way: names of parameters, and their values.
pub type Way = &'static [[&'static str; 2]];

/// Every way of those.
pub fn ways() -> impl Iterator<Item = Way> {
    here().flat_map(|one| one.ways.iter().copied())
}

/// Every way but libfabric's `sockets`, which takes milliseconds for a message and sends from queues of the process.
pub fn prompt_ways() -> impl Iterator<Item = Way> {
    ways().filter(|way| !way.iter().any(|[_, value]| *value == "sockets"))
}

/// Parameters as `mpirun` takes them.
pub fn options<'a>(mca: &[[&'a str; 2]]) -> Vec<&'a str> {
    mca.iter().flat_map(|[name, value]| ["--mca", *name, *value]).collect()
}
