//! What components of `coll` over point-to-point messages are built of. An algorithm does not communicate:
//! it writes what one process does as a schedule, which serves blocking, nonblocking and persistent calls.
//!
//! ```text
//!   CollArgs ─► Call ─► algorithm ─► Schedule ─┬─► blocking ──► link ─► pml
//!   (what)     (read)  (the component's)       └─► requests ──► link ─► pml
//!                                                     ▲ progress
//! ```
//!
//! | module | |
//! |---|---|
//! | [`linear`] | each operation within a group in the plainest way |
//! | [`inter`] | the operations between two groups |
//! | [`neighbors`] | those between neighbors |
//!
//! What may be left waiting by a process that stops is run by `passing`, and [`told`] has messages for what processes
//! agree on.
//!
//! [`Call`] and [`Data`] read the arguments, also for a component that sends no messages, or a few ([`Messages`]).
//!
//! A component has a [`Driver`], and a [`Module`] for each communicator; it brings along the function that
//! writes schedules.

mod blocking;
mod call;
mod data;
mod driver;
pub mod inter;
pub mod linear;
mod link;
mod messages;
pub mod neighbors;
mod passing;
mod requests;
mod schedule;
mod shape;
pub mod told;

pub use call::{Blocks, Call, distances};
pub use data::{Data, Temporary};
pub use driver::{Driver, Module, is_defined};
pub use link::{Channel, Link};
pub use messages::Messages;
pub use schedule::{Schedule, Step};

use cairn_framework::abi::status::ERR_UNSUPPORTED;
use cairn_framework::author::Failure;

/// The failure of an operation that was not offered.
pub fn unsupported(operation: u32) -> Failure {
    let text = format!("the collective operation number {operation} is not offered here");
    Failure::new(ERR_UNSUPPORTED, text)
}
