//! uct: messages and one-sided operations over UCT, the transport layer of UCX.
//!
//! ```text
//!   send_immediate, send_packed ─► head + message ─► am_short, am_bcopy ─► the peer's callback ─► receive table
//!   put, get      memory that UCT gave out and can map: the processor. Other memory: put and get of the
//!                 messages' interface, or of a second one (cma) beside it
//!   atomic        the processor, or the interface's
//! ```
//!
//! The library is loaded at run time, and only when something needs it: `library`. Each CRI has a worker and
//! interfaces of its own and uses them under its lock, since UCT is not safe for threads. A peer is reached by
//! a lane for each CRI, which is connected with its first message.
//!
//! * `bindings` are made of UCX's headers; `library` loads what they name and says which versions fit.
//! * `choice`: which transports of UCT make which devices. `domain`: a memory domain; `interface`: a
//!   transport on a device.
//! * `card`: what peers need to reach this process.
//! * `message`: how a message lies, and which of the library's functions sends it.
//! * `endpoint`: a peer and its lanes. `cri`: worker and interfaces; what was left for a progress call.
//! * `memory`: registrations, keys and memory that UCT gives out. `transfer`: put, get, atomics, flush.

mod bindings;
#[doc(hidden)] // for fuzzing
pub mod card;
mod choice;
mod component;
mod cri;
mod domain;
mod endpoint;
mod interface;
mod library;
mod memory;
mod message;
mod module;
mod params;
mod transfer;
