//! The MPI library: what stands behind `mpi.h` and `libmpi_abi.so.1`.
//!
//! ```text
//!   program ── MPI_Send ─▶ entries                   arguments checked, objects looked up
//!                              │
//!                              ▼
//!                          calls::p2p::send          what the function does
//!                              │
//!                              ▼
//!                          objects                   communicators, datatypes, requests
//! ```
//!
//! The interface is made from the tables in `mpi/abi` (see `cargo xtask gen`): a row there is a
//! function, its parameters have kinds, and from the kinds follow prototype, entry and checks. The
//! functions themselves are written by hand in `calls`, one module for each chapter of the table.

#[allow(
    dead_code,
    unused_imports,
    reason = "the interface is there before all functions that use it"
)]
mod abi;
pub mod built_from;
mod calls;
#[allow(dead_code, reason = "the checks are there before all functions that need them")]
mod check;
mod codes;
#[allow(clippy::too_many_arguments, reason = "MPI's functions have the parameters they have")]
#[allow(unused_unsafe, unused_imports, reason = "one pattern for all functions")]
mod entries;
mod error;
mod hardware;
mod levels;
mod life;
#[allow(dead_code, reason = "the objects are not there yet")]
mod objects;
mod prelude;
mod raise;
pub mod runtime;
mod state;
mod tool;

/// Its datatypes and reduction operations need no running library, so that what peers describe can be read
/// without one.
#[doc(hidden)]
pub use objects::win::CALLS as WINDOW_CALLS;
