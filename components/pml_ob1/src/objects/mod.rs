//! What the verbs work on: communicators, peers and their rails, requests, messages.
//!
//! ```text
//!   comm ──► peer ──► rail        data, transfer, completion: parts of requests
//!     ▲        ▲ │                message, kept: what arrived
//!     └─ request ◄┘  queued
//! ```

pub mod comm;
pub mod completion;
pub mod data;
pub mod kept;
pub mod message;
pub mod peer;
pub mod rail;
pub mod request;
pub mod transfer;
