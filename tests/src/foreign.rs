//! Transports that load a library of others, with each way that they have on one machine.

use cairn_skips::has_library;

/// A transport's library, and what chooses each of its ways.
pub struct Foreign {
    /// The transport.
    pub name: &'static str,
    /// What it loads.
    pub library: &'static str,
    ways: &'static [&'static [[&'static str; 2]]],
    /// Parameters that name what it may use.
    pub parameters: [&'static str; 2],
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
        parameters: ["btl_uct_transports", "btl_uct_devices"],
    },
    Foreign {
        name: "ofi",
        library: "libfabric.so.1",
        ways: &[
            &[["btl", "self,ofi"], ["btl_ofi_providers", "shm"]],
            &[["btl", "self,ofi"], ["btl_ofi_providers", "tcp;ofi_rxm"]],
            &[["btl", "self,ofi"], ["btl_ofi_providers", "sockets"]],
        ],
        parameters: ["btl_ofi_providers", "btl_ofi_devices"],
    },
];

/// Those whose library is here; what is not tested for want of one is said.
pub fn here() -> impl Iterator<Item = &'static Foreign> {
    ALL.iter().filter(|one| has_library(one.library))
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
