//! **wait** — what a thread does when it must wait.
//!
//! Every blocking call ends here: the thread has a sync object
//! ([`WaitSync`]) whose count reaches zero when what it waits for
//! has happened. A component decides how the thread spends the time: it polls without pause
//! (*spin*), gives its processor to others between polls (*yield*), sleeps in the kernel until a
//! transport or a peer wakes it (*block*), or chooses among these by the load of the machine.
//!
//! **Life.** One component serves the process.
//!
//! **Threads and locks.** `wait` is called by any thread, any number at once, with no lock held. It
//! returns only when the sync object is complete. While it waits it makes sure that progress
//! happens, by calling [`WaitMeans::poll`] itself or by sleeping in a way that ends when there is
//! something to poll.

use core::ffi::c_void;

use super::contract;
use crate::abi::component::Instance;
use crate::abi::request::WaitSync;
use crate::abi::status::{OutcomeCode, Status};
use crate::abi::thread::Thread;
use crate::author::{self, Component, Failure};

/// What a waiting thread can do, lent by the host for one call.
#[repr(C)]
#[derive(Debug)]
pub struct WaitMeans {
    /// Size of this struct in bytes, as the host has it.
    pub struct_size: u32,
    /// Threads of the process that have called the library and not ended; 0 when that is
    /// unknown.
    pub threads: u32,
    /// The calling thread.
    pub thread: *const Thread,
    /// Makes one pass of the progress engine for `sync` and returns the number of events.
    pub poll: unsafe extern "C" fn(means: &WaitMeans, sync: &WaitSync) -> u32,
    /// Sleeps until `sync` is signalled, a transport has something, or `microseconds` have passed
    /// (0: no limit). `CAIRN_DONE`: slept; `CAIRN_NO_RESOURCES`: there is something to poll;
    /// `CAIRN_ERR_UNSUPPORTED`: some transport can't wake, so the time must have a limit.
    pub sleep:
        unsafe extern "C" fn(means: &WaitMeans, sync: &WaitSync, microseconds: u32) -> OutcomeCode,
    /// The host's own.
    pub host_private: *const c_void,
}

/// A way of waiting.
#[repr(C)]
#[derive(Debug)]
pub struct WaitOps {
    /// Size of this struct in bytes, as the author's header has it.
    pub struct_size: u32,
    /// Zero.
    pub reserved: u32,
    /// Waits until `sync` is complete. Required.
    pub wait: Option<
        unsafe extern "C" fn(instance: *mut Instance, sync: &WaitSync, means: &WaitMeans) -> Status,
    >,
}

impl WaitMeans {
    /// Makes one pass of the progress engine.
    #[inline]
    pub fn poll(&self, sync: &WaitSync) -> u32 {
        // SAFETY: the host lends the means for the call.
        unsafe { (self.poll)(self, sync) }
    }

    /// Sleeps; see the field `sleep`.
    pub fn sleep(&self, sync: &WaitSync, microseconds: u32) -> Result<author::Outcome, Status> {
        // SAFETY: as above.
        author::Outcome::from_code(unsafe { (self.sleep)(self, sync, microseconds) })
    }
}

/// A way of waiting in Rust.
pub trait Wait: Component {
    /// Waits until `sync` is complete.
    fn wait(&self, sync: &WaitSync, means: &WaitMeans) -> Result<(), Failure>;
}

contract! {
    table: WaitOps, from T: Wait,
    "wait", One, "what a thread does when it must wait";

    fn wait(instance: *mut Instance, sync: &WaitSync, means: &WaitMeans) -> Status = status(instance) {
        author::component::<T>(instance).wait(sync, means)
    }
}

/// How long a thread sleeps that nothing has woken: each time twice as long as before, so that work
/// which no transport announces waits at most twice as long as it did anyway, and a long wait
/// costs next to nothing.
#[derive(Debug, Clone, Copy)]
pub struct Naps {
    first: u32,
    next: u32,
    limit: u32,
}

impl Naps {
    /// The first sleep after an event and the longest one, in microseconds.
    pub fn new(first: u32, limit: u32) -> Self {
        let first = first.min(limit);
        Self { first, next: first, limit }
    }

    /// After an event.
    pub fn reset(&mut self) {
        self.next = self.first;
    }

    /// Sleeps, if nothing is there to poll and everything can wake this thread; whether it has slept.
    pub fn sleep(&mut self, sync: &WaitSync, means: &WaitMeans) -> bool {
        let slept = means.sleep(sync, self.next) == Ok(author::Outcome::Done);
        if slept {
            self.next();
        }
        slept
    }

    /// The next sleep in microseconds.
    fn next(&mut self) -> u32 {
        let next = self.next;
        self.next = next.saturating_mul(2).min(self.limit);
        next
    }
}

#[cfg(test)]
mod tests {
    use super::Naps;

    #[test]
    fn naps_grow_to_the_limit() {
        let mut naps = Naps::new(1000, 3000);
        assert_eq!([(); 4].map(|()| naps.next()), [1000, 2000, 3000, 3000]);
        naps.reset();
        assert_eq!(naps.next(), 1000);
        assert_eq!(Naps::new(1000, 10).next(), 10);
    }
}
