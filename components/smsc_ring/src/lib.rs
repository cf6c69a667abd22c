//! ring: a large message through shared slots, which the owner fills while the reader empties them.
//!
//! ```text
//!   owner                     bounce buffer of the side that begins                         reader
//!   copies chunk k in ─► filled = k + 1 │ slot │ slot │ ... │ drained = j + 1 ◄─ copies chunk j out
//! ```
//!
//! The message is copied twice, but by two processors at once and through memory that stays in their
//! caches, which on many machines is faster than one copy by the kernel. A message is cut into at
//! least four chunks, so that the time in which one side waits for the other's first or last chunk
//! stays short.
//!
//! A bounce buffer belongs to one transfer at a time. The side that begins, the reader that fetches
//! or the owner that offers, gives out one of its own and describes it in the ticket; the other side
//! needs nothing but the ticket and that segment. When a reader gives a transfer up, the owner may
//! be about to write to the reader's bounce buffer; the reader uses it again when the owner has left it.
//!
//! * `bounce`: what lies where; tickets. `counts`: how far both sides are, and which still uses a bounce
//!   buffer;
//!   model-checked. `neighbour`: another process. `transfer`: both sides' work.
//! * `pace`: whether slots are filled through the caches or past them.

#[doc(hidden)] // for fuzzing
pub mod bounce;
mod component;
mod counts;
mod neighbour;
mod params;
#[doc(hidden)]
pub mod transfer;
