//! btl_ofi: a transport over libfabric, which has providers for many networks.
//!
//! ```text
//!   send ──► a buffer ──────────┐
//!   put, get, atomic ──► an Op ─┴─► Link ── the provider takes it ─────────────► endpoint
//!                                     └──── Backlog ── progress, when it does ─► endpoint
//!
//!   completion queue ──► progress ─┬─ message ──► admission, order ──► the host's receive table, by tag
//!                                  └─ Op ───────► completion, flushes
//! ```
//!
//! The library is loaded when it is needed (`library`), and a provider chosen by what it can do (`choice`).
//! The process opens one domain of it, so that a registration holds for all CRIs, and in it an endpoint, a
//! completion queue and an address vector for each CRI (`fabric`, `context`).
//!
//! * A provider lets a first message wait until its peer makes progress, and refuses others when its queues are
//!   full. What it does not take waits in this process (`link`), so a message is accepted as long as there are
//!   buffers for the peer.
//! * Messages are numbered, and delivered in their order (`wire`, `order`).
//! * Puts ask for a completion when they are in the peer's memory, and atomics bring the old value; so a flush
//!   waits for what is under way, and no more (`progress`).
//! * Most providers do nothing for a peer unless this process polls: one that computes does not serve gets.
//!
//! A peer has failed when the provider says that a connection broke, without a goodbye before, or when its
//! process has ended on this node (`module`).
//!
//! **Threads.** What a CRI has is touched under its lock. Shared are the endpoints (written once each), and
//! flags and counters by which CRIs learn of failures.

mod bindings;
#[doc(hidden)] // for fuzzing
pub mod card;
mod choice;
mod component;
mod context;
mod fabric;
mod library;
mod link;
#[doc(hidden)] // for fuzzing
pub mod memory;
mod module;
mod op;
#[doc(hidden)] // for fuzzing
pub mod order;
mod params;
mod progress;
mod receive;
#[doc(hidden)] // for fuzzing
pub mod wire;
