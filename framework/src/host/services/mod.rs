//! What stands behind the host table: one file a service.
//!
//! The services know nothing of frameworks and little of components; [`table`] turns their methods
//! into the C functions of [`Host`](crate::abi::host::Host) and finds the caller's system.

pub(crate) mod cards;
pub(crate) mod counters;
pub(crate) mod events;
pub(crate) mod grace;
pub(crate) mod log;
pub(crate) mod memory;
pub(crate) mod progress;
pub(crate) mod receive;
pub(crate) mod sleep;
pub(crate) mod table;
pub(crate) mod threads;
pub(crate) mod waiting;
