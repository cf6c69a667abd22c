//! How a receiver sleeps.
//!
//! ```text
//!   receiver   SLEEPING on   barrier   look once more   futex_wait(requests)
//!   sender     publish       barrier   SLEEPING on? ─► SLEEPING off, futex_wake
//! ```
//!
//! One of the two sees the other (Dekker), if each has a full barrier between its store and its load.
//! A fence with every message would cost the sender more than the message. So the receiver, who is
//! about to sleep and has time, makes one on the senders' processors too: `membarrier` with
//! `GLOBAL_EXPEDITED` interrupts the processors that run a process that registered for it. Where the
//! kernel lacks it senders fence themselves; the owner's directory and their own registration say so.

use std::sync::atomic::{AtomicU32, Ordering, compiler_fence, fence};

use cairn_framework::author::wake_sleepers;

/// A thread of the receiver sleeps on the word. Set by the owner, cleared by who wakes it.
pub const SLEEPING: u32 = 1;
/// Senders mark their ring; see `active`. Set by the owner, for good.
pub const CROWDED: u32 = 2;

const MEMBARRIER_CMD_GLOBAL_EXPEDITED: i32 = 1 << 1;
const MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED: i32 = 1 << 2;

fn membarrier(command: i32) -> bool {
    // SAFETY: a system call that takes numbers.
    unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) == 0 }
}

/// Asks for the barriers of others and says whether this process can make and will get them.
pub fn register() -> bool {
    membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED)
}

/// Says that a thread is about to sleep; what a sender published before it saw that is visible
/// afterwards. Returns what the word is while it sleeps.
pub fn announce(requests: &AtomicU32, barriers: bool) -> u32 {
    let before = requests.fetch_or(SLEEPING, Ordering::SeqCst);
    fence(Ordering::SeqCst);
    if barriers {
        membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED);
    }
    before | SLEEPING
}

/// After a message was published: what the receiver wants of its sender. `fenced` when the receiver
/// can't make the barrier for us.
#[inline]
pub fn requests(requests: &AtomicU32, fenced: bool) -> u32 {
    if fenced {
        fence(Ordering::SeqCst);
    } else {
        compiler_fence(Ordering::SeqCst);
    }
    requests.load(Ordering::Relaxed)
}

/// Wakes the receiver, if nobody else does.
#[cold]
pub fn wake(requests: &AtomicU32) {
    if requests.fetch_and(!SLEEPING, Ordering::AcqRel) & SLEEPING != 0 {
        wake_sleepers(requests);
    }
}
