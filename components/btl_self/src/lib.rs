//! self: a process's way to itself.
//!
//! ```text
//!   send_immediate, send_packed ─► copy ─► the CRI's queue ─► progress ─► receive table
//!   put, get                    ─► memcpy, done on return
//!   atomic                      ─► the processor's own, done on return
//! ```
//!
//! A message is delivered by the next progress call and not inside the function that sends it,
//! because a receive callback may send and must not find its caller in the middle of something.

mod component;
mod params;
mod queue;
