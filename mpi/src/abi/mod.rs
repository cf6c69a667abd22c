//! The boundary to C: types and constants, and what converts between C and the
//! implementation. Nothing here does any communication.

pub mod args;
#[allow(dead_code, reason = "all of the standard's constants and types are there, used or not")]
pub mod generated;
pub mod handle;
pub mod status;
