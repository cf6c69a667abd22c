//! Waking threads that sleep on a word.

use core::sync::atomic::AtomicU32;

/// Wakes all threads, of this process and others, that sleep on a word: one that a transport's `arm`
/// named, or [`WaitSync::word`](crate::abi::request::WaitSync::word). After it was changed.
#[cold]
pub fn wake_sleepers(word: &AtomicU32) {
    crate::sys::futex_wake_everywhere(word);
}
