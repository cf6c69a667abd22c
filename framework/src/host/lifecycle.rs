//! The lock of components' lives.

use parking_lot::{ReentrantMutex, ReentrantMutexGuard};

use crate::abi::lock::{AUDIT_LOCK, AUDIT_UNLOCK};
use crate::audit::{self, LockLevel};

/// One thread at a time opens, chooses and closes components. What that calls may come back.
pub(super) struct Lifecycle(ReentrantMutex<()>);

/// Holds it.
pub(super) struct Held<'a> {
    lifecycle: &'a Lifecycle,
    guard: Option<ReentrantMutexGuard<'a, ()>>,
    /// The thread did not have it before.
    first: bool,
}

impl Lifecycle {
    /// Not held.
    pub const fn new() -> Self {
        Self(ReentrantMutex::new(()))
    }

    /// Takes it, once more or for the first time.
    pub fn lock(&self) -> Held<'_> {
        let first = !self.0.is_owned_by_current_thread();
        if first {
            audit::report(AUDIT_LOCK, self.address(), LockLevel::LIFECYCLE);
        }
        Held { lifecycle: self, guard: Some(self.0.lock()), first }
    }

    fn address(&self) -> *const core::ffi::c_void {
        (&raw const *self).cast()
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        if self.first {
            audit::report(AUDIT_UNLOCK, self.lifecycle.address(), LockLevel::UNKNOWN);
        }
        drop(self.guard.take());
    }
}
