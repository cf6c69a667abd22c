//! ring: a large message through shared slots, which the owner fills while the reader empties them.
//!
//! ```text
//!   owner                        lane in the reader's segment                       reader
//!   copies chunk k in ─► filled = k + 1 │ slot │ slot │ ... │ drained = j + 1 ◄─ copies chunk j out
//! ```
//!
//! The message is copied twice, but by two processors at once and through memory that stays in their
//! caches, which on many machines is faster than one copy by the kernel. A message is cut into at
//! least eight chunks, so that the time in which one side waits for the other's first or last chunk
//! stays short.
//!
//! A lane belongs to one transfer at a time. The reader gives it out and describes it in the ticket;
//! the owner needs nothing but the ticket and the reader's segment. A lane whose transfer was given up
//! is not used again, since the owner may still write to it.

mod component;
mod lane;
mod params;
mod transfer;
