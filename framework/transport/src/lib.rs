//! What transports share, most of them such that let a foreign library move the bytes.
//!
//! ```text
//!   Admission   who may send to this process: a greeting that only processes of the job can make, then a
//!               short head in each message
//!   Departures  peers that are gone, until all is handed on that they had sent
//!   Filter      which of the library's devices a user wants
//!   Flushes     flushes of a CRI whose writes end one by one
//!   life        whether the peer of a TCP connection is there
//!   Lives       whether the processes of the node live
//!   Senders     peers to which a goodbye is owed because they have sent
//!   Signals     puts the program's handlers back after the library has installed its own
//!   Registrations   the program's memory stays registered for the next transfer from there
//!   Rest        reads what peers publish
//!   Sockets     the library's own TCP connections: which of them lead to peers that do not answer
//! ```
//!
//! None of them knows a library. [`Lives`] also serves transports through shared memory, which have no
//! connection that would break.

pub mod admission;
pub mod departures;
pub mod filter;
pub mod flushes;
pub mod life;
pub mod lives;
pub mod registrations;
pub mod rest;
pub mod senders;
pub mod signals;
pub mod sockets;

pub use admission::{Admission, Admitted, Head, Pass};
pub use departures::Departures;
pub use filter::Filter;
pub use flushes::Flushes;
pub use lives::Lives;
pub use registrations::Registrations;
pub use rest::Rest;
pub use senders::Senders;
pub use signals::Signals;
pub use sockets::Sockets;
