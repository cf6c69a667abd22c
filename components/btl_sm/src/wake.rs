//! How a receiver sleeps.
//!
//! ```text
//!   receiver   sleeping = 1   barrier   look once more   futex_wait(sleeping, 1)
//!   sender     publish        barrier   sleeping == 1? ─► sleeping = 0, futex_wake
//! ```
//!
//! One of the two sees the other (Dekker), if each has a full barrier between its store and its load.
//! A fence with every message would cost the sender more than the message. So the receiver, who is
//! about to sleep and has time, makes one on the senders' processors too: `membarrier` with
//! `GLOBAL_EXPEDITED` interrupts the processors that run a process that registered for it. Where the
//! kernel lacks it senders fence themselves; the owner's directory and their own registration say so.

use std::sync::atomic::{AtomicU32, Ordering, compiler_fence, fence};

use cairn_framework::author::wake_sleepers;

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
/// afterwards.
pub fn announce(sleeping: &AtomicU32, barriers: bool) {
    sleeping.store(1, Ordering::SeqCst);
    fence(Ordering::SeqCst);
    if barriers {
        membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED);
    }
}

/// After a message was published: wakes the receiver if it sleeps. `fenced` when the receiver can't
/// make the barrier for us.
#[inline]
pub fn after_publish(sleeping: &AtomicU32, fenced: bool) {
    if fenced {
        fence(Ordering::SeqCst);
    } else {
        compiler_fence(Ordering::SeqCst);
    }
    if sleeping.load(Ordering::Relaxed) != 0 {
        wake(sleeping);
    }
}

#[cold]
fn wake(sleeping: &AtomicU32) {
    if sleeping.swap(0, Ordering::AcqRel) != 0 {
        wake_sleepers(sleeping);
    }
}
