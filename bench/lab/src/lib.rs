//! What the benchmarks share.
//!
//! ```text
//!  main ── Lab::start ──► Lab ── measure ──► Measured ── point ──► finish: table or JSON
//!            command line,      │  one closure per thread:
//!            MPI, thread level  │  checked, warmed up, timed in batches
//!                               ▼
//!                        Worker (rank, thread) ── Comm, Slots ──► MPI
//! ```
//!
//! A program describes its options, starts the [`Lab`], and for each point of its sweep calls
//! [`Lab::measure`] on every rank and [`Lab::point`] with what follows from it. [`Lab::finish`]
//! prints. `bench/README.md` shows it at an example.

mod args;
mod barrier;
mod check;
mod comm;
mod computation;
mod counters;
mod datatype;
mod duct;
mod entities;
mod laps;
mod measure;
mod messages;
mod output;
mod progress;
mod slots;
mod start;
mod statistics;
mod time;
mod window;

pub use args::{Common, Level, List, Pinning, count, name, sizes};
pub use barrier::SpinBarrier;
pub use check::{POISON, check, fill};
pub use comm::{ANY_SOURCE, ANY_TAG, Blocks, Comm};
pub use computation::{Computation, compute};
pub use counters::{Counters, Quotient};
pub use datatype::{Datatype, Value};
pub use duct::{Duct, Stores};
pub use entities::{Channel, Entity, all_to_all, pairwise};
pub use laps::Laps;
pub use measure::{Measured, Work, Worker};
pub use output::{Coordinate, Metric};
pub use slots::Slots;
pub use start::{Arguments, Lab};
pub use statistics::Summary;
pub use time::{process_cpu, thread_cpu};
pub use window::{Group, Operation, Origin, Window, place_bytes};

/// The functions of the MPI library as they are, for what has no wrapper here.
pub use mpi::ffi;
