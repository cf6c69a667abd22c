//! sm: messages through memory that the processes of a node share.
//!
//! ```text
//!   sender's CRI i                               receiver's segment
//!        │                                  ┌──────────────────────────────────────────┐
//!        │  first message: claims a ring ──►│ directory  inbox: each ring's sender     │
//!        │                                  │ doorbell: sleepers; news: a new ring     │
//!        └─ every message: cache lines ───►│ ring: head │ [message] [ message ] [message] │
//!                                           └───────────────────┬──────────────────────┘
//!                                                CRI j polls its rings in place
//! ```
//!
//! Earlier designs let all senders append to one queue of the receiver, so that they meet on its
//! tail, or gave each pair a queue from the start, so that memory and polling grow with the square of
//! the ranks. Here a ring has one writer and one reader, exists from the first message on, and a
//! receiver polls the rings that exist.
//!
//! * `ring`: the ring's protocol; model-checked. A message of up to 56 bytes travels in one cache
//!   line and costs one handover of it; a longer one lies in one piece in as many as it needs.
//! * `wire`: what lies where in a segment.
//! * `endpoint`: a peer's segment and our rings in it. `receive`: our segment and the peers' rings.
//! * `large`: get, by the components of the framework smsc. `smsc`: the components; `choice`: which of
//!   them; `registry`: what peers may read; `orders`: what readers ask for, and how much of it.
//! * `blocks`: memory that peers load and store.
//! * `announce`: how a receiver learns of new rings. `unmapped`: those that there is no memory for now.
//!   `active`: which of many rings have something.
//!   `wake`: how a receiver sleeps. The end of a peer is noticed by `cairn_transport::Lives`.

mod active;
#[doc(hidden)] // for fuzzing
pub mod announce;
mod blocks;
mod choice;
mod component;
mod cri;
mod endpoint;
mod large;
mod module;
mod orders;
mod params;
mod receive;
mod registry;
#[doc(hidden)] // for fuzzing
pub mod ring;
mod smsc;
mod unmapped;
mod wake;
#[doc(hidden)] // for fuzzing
pub mod wire;
