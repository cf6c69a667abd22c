//! btl_tcp: a transport over TCP.
//!
//! ```text
//!   send ──► Link ── empty output, socket has room ──────────────────────► socket
//!              └──── Output: copied bytes and users' memory in order ──► socket, when it has room
//!
//!   socket ──► Input ── messages, in place ──► the host's receive table, by tag
//!                └───── puts, gets' answers ─► registered memory, if key, range and right allow it
//!
//!   others' connections ──► Lobby ── hello with a proof ──► the link's instance
//! ```
//!
//! Every process listens on the addresses that were chosen (`address`) and publishes them as its
//! card. The first message to a peer connects (`dial`); nothing waits, everything happens in
//! progress (`context`). Each instance has a connection of its own to a peer (`endpoint`).
//!
//! Put and get are done by the receiver's progress, which checks every one against what it
//! registered (`rdma`). What goes over the wire is in [`wire`], for tests that play the peer.
//!
//! A peer may be silent for as long as it likes, and is dead when its node does not answer (`life`).
//!
//! **Threads.** A link belongs to the instance that polls it and is touched under that instance's
//! lock. Shared are the table of endpoints (written once each), the registrations (locks for readers
//! and writers, by key) and an inbox by which an instance learns of new connections and lost peers.

mod address;
mod component;
mod context;
mod dial;
mod endpoint;
mod input;
mod life;
mod link;
mod lobby;
mod module;
mod output;
mod params;
mod rdma;
mod receive;
mod sys;
#[doc(hidden)]
pub mod wire;
