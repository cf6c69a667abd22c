//! Nonblocking collective communication (MPI 5.0, section 6.12).

pub use super::coll::nonblocking::*;
