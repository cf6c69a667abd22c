//! The atomics of this crate's own types: those of the model checker in this crate's own models, where the
//! types have no place in the plugin ABI; see [`sync`](crate::sync).

#[cfg(not(all(feature = "loom", test)))]
pub(crate) use core::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};
#[cfg(not(all(feature = "loom", test)))]
pub(crate) use std::thread::yield_now;

#[cfg(all(feature = "loom", test))]
pub(crate) use loom::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};
#[cfg(all(feature = "loom", test))]
pub(crate) use loom::thread::yield_now;
