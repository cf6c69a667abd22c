//! Rdma: windows of processes anywhere, by what their transports have, and by active messages.
//!
//! ```text
//!   transfer ─┬─ target ready ─► direct ─┬─ mapped: loads and stores, done in the call
//!             │                          └─ put, get, atomic of a device ─► stream of a CRI ─► completion
//!             └─ else, or no way does it ─► queue of the target ─┬─ issue says: wait ──► ... the synchronisation says: out
//!                                                                └─ out ─► packets ─► link ─► transport ─► port of the target's window
//!   receive callback: packet ─► operation done, lock granted, answer ─► what waits goes on, waiters wake up
//! ```
//!
//! What a device or the processor does to memory of another process is in `direct` and `stream`, and what processes tell
//! each other for it in `offer`. It needs neither the state nor the target. Where it can take locks, `MPI_Win_lock` does so
//! at once, and a fence that begins an epoch is a barrier, so that operations go straight to their targets.
//!
//! A packet is an active message of the transport that reaches the target. It is whole in itself, so that the target
//! does what it says when it arrives (`incoming`) and keeps nothing; an operation that is longer than a packet goes
//! in several, accumulates cut between elements. Packets of an origin are handled, and answered, in the order in which
//! it sent them, so the number of an answered packet says what has been done.
//!
//! The state of a window is behind one lock. When operations go out, and what travels with what, is said by
//! the strategy of `issue` (`policy`) and by the synchronisation (`sync`):
//!
//! | epoch | what the origin sends | what comes back |
//! |---|---|---|
//! | one short operation, held until unlock | itself, with lock and unlock | what it fetches, or an ack |
//! | several, held until unlock | lock; all, the last with unlock | granted; what they fetch, or an ack |
//! | out before unlock | lock; all; unlock | granted; what they fetch, or an ack |
//! | start, complete | all, the last with a marker | post before |
//! | fence, nothing went out before | a sum of how many come; all, the last with a marker | |
//! | fence | all, flushed; a barrier | acks |
//!
//! Operations on this process's own memory are loads and stores, as soon as its lock or its epoch is there.

mod component;
mod direct;
mod fence;
mod incoming;
mod link;
mod lock_queue;
mod memory;
mod offer;
mod operation;
mod order;
mod outgoing;
mod policy;
mod ports;
mod requests;
mod state;
mod stream;
mod sync;
mod window;
#[doc(hidden)]
pub mod wire;

use component::Rdma;
#[doc(hidden)]
pub use link::TAG;

cairn_framework::component! {
    framework: osc,
    component: Rdma,
    name: "rdma",
    description: "windows over every transport, by remote access and active messages",
}
