//! The boundary to C: types, constants and exported functions, and what converts between C and the
//! implementation. Nothing here does any communication.

pub mod args;
#[allow(dead_code, reason = "all of the standard's constants and types are there, used or not")]
#[allow(clippy::too_many_arguments, reason = "MPI's functions have the parameters they have")]
#[allow(unused_unsafe, unused_imports, reason = "one pattern for all functions")]
pub mod generated;
pub mod handle;
pub mod prelude;
pub mod status;
