//! btl_ugni: a transport over uGNI, the library of Cray's Gemini and Aries networks.
//!
//! ```text
//!   send ──► a buffer ──► Link ─┬─ SMSG, while there are credits ───────────────► mailbox of the peer
//!                               └─ backlog ── progress, when there are credits ─► mailbox of the peer
//!   put, get, atomic ──► an Op ──► Route ── FMA, or the engine (BTE) when long ─► memory of the peer
//!
//!   queue of remote events ─► link ─► mailbox ─► admission ─► the host's receive table, by tag
//!   queue of sent messages ─► buffers      queue of posts ─► Op ─► the next piece, or completion and flushes
//! ```
//!
//! The library is loaded when it is needed (`library`). Each CRI is a communication domain of its own with its
//! NIC handle, three completion queues, mailboxes and endpoints (`context`), because nothing in uGNI may be used by
//! two threads at once; one more is there for registrations, which hold for all (`module`).
//!
//! * **Connecting.** Who has a message for a peer posts a datagram with a greeting and a mailbox to the peer's CRI; each
//!   CRI has one posted that meets any other (`connect`).
//! * **Messages** need credits. What has none waits in this process (`message`). Queues of events may overrun: then
//!   every mailbox is looked at.
//! * **Transfers** (`transfer`) of few bytes go by FMA, which the processor drives, others by the engine. A get must
//!   be of multiples of 4 bytes; what is not goes by a buffer, and a registration begins and ends at such a multiple.
//!   An error from which the network can recover is tried again.
//! * **Atomics** are atomic with each other and not with the processor's, and are not offered on Gemini, which has no
//!   swap.
//!
//! A peer has failed when a transaction with it fails for good, or when its process has ended on this node. Peers of
//! other nodes are asked now and then by a transaction (`inquiry`), as nothing else tells who only receives of them.
//!
//! **Threads.** What a CRI has is touched under its lock. Shared are the endpoints (written once each), flags and
//! counters by which CRIs learn of failures, and the domain for registrations, which has a lock.

mod bindings;
#[doc(hidden)] // for fuzzing
pub mod card;
mod component;
mod connect;
mod context;
mod credentials;
mod inquiry;
mod library;
mod link;
mod mailbox;
#[doc(hidden)] // for fuzzing
pub mod memory;
mod message;
mod module;
mod nic;
mod op;
mod params;
mod progress;
mod registrar;
mod transfer;
#[doc(hidden)] // for fuzzing
pub mod wire;
