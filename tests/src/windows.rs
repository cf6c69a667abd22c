//! What windows are tested with.

use crate::foreign;

/// Transports of this library.
pub const TRANSPORTS: &[&str] = &["self,sm", "self,tcp"];

/// These, and those that load a library of others, if it is here.
pub fn transports() -> Vec<String> {
    let own = TRANSPORTS.iter().map(|one| (*one).to_owned());
    own.chain(foreign::here().map(|one| format!("self,{}", one.name))).collect()
}

/// Selections of `osc`: with the direct way where there is one, and without.
pub const COMPONENTS: &[&str] = &["sm,rdma", "rdma"];

/// Selections of `issue`.
pub const ISSUES: &[&str] = &["lazy", "eager", "adaptive"];

/// Ways of `osc_rdma` to memory that need not the target: all, those of devices alone, none.
pub const WAYS: &[&str] = &["load_store,put_get,atomics", "put_get,atomics", "none"];
