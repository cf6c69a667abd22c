//! What windows are tested with.

/// Transports.
pub const TRANSPORTS: &[&str] = &["self,sm", "self,tcp"];

/// Selections of `osc`: with the direct way where there is one, and without.
pub const COMPONENTS: &[&str] = &["sm,rdma", "rdma"];

/// Selections of `issue`.
pub const ISSUES: &[&str] = &["lazy", "eager", "adaptive"];

/// Ways of `osc_rdma` to memory that need not the target: all, those of devices alone, none.
pub const WAYS: &[&str] = &["load_store,put_get,atomics", "put_get,atomics", "none"];
