//! Ob1: point-to-point messages over the transports of a process (dissertation §2.3).
//!
//! ```text
//!   isend, send ─► send ── small ──────────────────────┐         ┌─ arrive ─► match engine
//!                    │ large                           ▼         ▲              │      │ none
//!                    └─► rendezvous ◄────────► peer, rail ─ btl ─┘        request's   kept
//!                        get, put, fragments      (queues when            buffer
//!                                                  there is no room)
//! ```
//!
//! ```text
//!   component                       which mode a call runs in
//!      │
//!   verbs     send receive arrive   what is done, each in terms of
//!      │      rendezvous control …
//!   core      communicators peers   the tables of the process, and of
//!      │      ids pending …
//!   objects   comm peer rail        what they hold
//!             request message …
//! ```
//!
//! A message is numbered by its sender, for each communicator and peer, and put into that order
//! before it is matched (`reorder`); as long as transports keep order nothing is queued for that. What
//! users send on a communicator with `mpi_assert_allow_overtaking` has no number and is matched as it
//! comes. Up to a transport's eager limit a message goes whole, else its announcement goes and the
//! receiver says how the data is to follow (`rendezvous`).
//!
//! Every function is generic over `mode::Mode` and instantiated for processes with one thread,
//! where no lock is taken, and with several. There a send takes the lock of its instance and no
//! other; a receive callback runs with its instance's lock held and takes the engine's. The order of a
//! sender's messages needs a lock only for those that come early (`turn`).

mod chains;
mod component;
mod contexts;
mod core;
mod counters;
mod mode;
mod objects;
mod params;
mod pool;
mod reorder;
mod returned;
mod serials;
mod table;
mod turn;
mod verbs;
mod wire;
