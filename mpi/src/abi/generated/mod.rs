//! Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

pub mod constants;
pub mod types;
