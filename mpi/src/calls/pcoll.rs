//! Persistent collective communication (MPI 5.0, section 6.13).

pub use super::coll::persistent::*;
