//! btl_tcp: a transport over TCP.
//!
//! ```text
//!   send ──► Link ── empty output, socket has room ──────────────────────► socket
//!              └──── Output: copied bytes and users' memory in order ──► socket, when it has room
//!
//!   socket ──► Input ── messages, in place ──► the host's receive table, by tag
//!                └───── puts, gets' answers ─► registered memory, if key, range and right allow it
//!
//!   peers' connections ──► Acceptor ── hello with a proof ──► the link's CRI
//! ```
//!
//! Every process listens on the addresses that were chosen (`address`) and publishes them as its
//! card. The first message to a peer connects (`connect`, `dial`); nothing waits, everything happens in
//! `progress`, to which the kernel and other CRIs talk by what is in `event`. Each CRI has a
//! connection of its own to a peer (`endpoint`).
//!
//! Put and get are done by the receiver's progress, which checks every one against what it
//! registered (`rdma`). What goes over the wire is in [`wire`], for tests that play the peer.
//!
//! A peer may be silent for as long as it likes, and is dead when its node does not answer (`cairn_transport::life`).
//!
//! **Threads.** A link belongs to the CRI that polls it and is touched under that CRI's
//! lock. Shared are the table of endpoints (written once each), the registrations (locks for readers
//! and writers, by key) and an inbox by which a CRI learns of new connections and lost peers.

mod acceptor;
mod address;
mod component;
mod connect;
mod context;
mod dial;
mod endpoint;
mod event;
mod input;
mod link;
mod module;
mod output;
mod params;
mod progress;
mod rdma;
mod receive;
mod send;
mod sys;
#[doc(hidden)]
pub mod wire;
