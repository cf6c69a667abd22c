//! ring: a large message through shared slots, which the owner fills while the reader empties them.
//!
//! ```text
//!   owner                     lane in the segment of who begins                     reader
//!   copies chunk k in ─► filled = k + 1 │ slot │ slot │ ... │ drained = j + 1 ◄─ copies chunk j out
//! ```
//!
//! The message is copied twice, but by two processors at once and through memory that stays in their
//! caches, which on many machines is faster than one copy by the kernel. A message is cut into at
//! least four chunks, so that the time in which one side waits for the other's first or last chunk
//! stays short.
//!
//! A lane belongs to one transfer at a time. Whoever begins, the reader that fetches or the owner that
//! offers, gives out one of its own and describes it in the ticket; the other side needs nothing but
//! the ticket and that segment. A lane of a reader whose transfer was given up is used again when the owner
//! has left it, who may be about to write to it.
//!
//! * `lane`: what lies where; tickets. `counts`: how far both sides are, and who still uses a lane;
//!   model-checked. `neighbour`: another process. `transfer`: both sides' work.
//! * `pace`: whether slots are filled through the caches or past them.

mod component;
mod counts;
#[doc(hidden)] // for fuzzing
pub mod lane;
mod neighbour;
mod pace;
mod params;
#[doc(hidden)]
pub mod transfer;
