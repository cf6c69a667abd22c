//! What transports share that let a foreign library move the bytes.
//!
//! ```text
//!   Admission   who may send to this process: a greeting that only processes of the job can make, then a
//!               short head in each message
//!   Departures  peers that are gone, until all is handed on that they had sent
//!   Filter      which of the library's devices a user wants
//!   Flushes     flushes of a CRI whose writes end one by one
//!   Lives       whether the processes of the node live
//!   Signals     puts the program's handlers back after the library has installed its own
//!   Registrations   the program's memory stays registered for the next transfer from there
//!   Rest        reads what peers publish
//! ```
//!
//! None of them knows a library. [`Lives`] also serves transports through shared memory, which have no
//! connection that would break.

pub mod admission;
pub mod departures;
pub mod filter;
pub mod flushes;
pub mod lives;
pub mod registrations;
pub mod rest;
pub mod signals;

pub use admission::{Admission, Admitted, Head, Pass};
pub use departures::Departures;
pub use filter::Filter;
pub use flushes::Flushes;
pub use lives::Lives;
pub use registrations::Registrations;
pub use rest::Rest;
pub use signals::Signals;
