//! With threads or without: the code is written once and instantiated twice.

use core::cell::{Cell, UnsafeCell};
use core::sync::atomic::{AtomicU32, Ordering};

use cairn_framework::abi::lock::{Lock, LockGuard};

/// Whether several threads call at a time.
pub trait Mode: Send + Sync + 'static {
    /// `MPI_THREAD_MULTIPLE`.
    const THREADED: bool;
}

/// One thread at a time: nobody takes a lock.
pub struct Single;

/// Any number of threads.
pub struct Multiple;

impl Mode for Single {
    const THREADED: bool = false;
}

impl Mode for Multiple {
    const THREADED: bool = true;
}

/// Something that one thread at a time touches.
#[derive(Default)]
pub struct Locked<T> {
    lock: Lock,
    value: UnsafeCell<T>,
}

// SAFETY: the value is reached through `with` only.
unsafe impl<T: Send> Sync for Locked<T> {}
// SAFETY: see `Sync`.
unsafe impl<T: Send> Send for Locked<T> {}

impl<T> Locked<T> {
    /// Runs `work` on the value, under the lock where there are threads. `work` must not come back
    /// to the same value and must not call a transport.
    #[inline]
    pub fn with<M: Mode, R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        let _held = M::THREADED.then(|| self.lock.guard());
        // SAFETY: nobody else has it: the lock is held, or there is one thread.
        work(unsafe { &mut *self.value.get() })
    }

    /// Like `with` for a caller that may give the value back before it is done. It reaches the value
    /// through [`Held::value`], not through a reference that would outlast the lock.
    #[inline]
    pub fn hold<M: Mode>(&self) -> Held<'_, T> {
        let lock = M::THREADED.then(|| self.lock.guard());
        Held { lock: lock.into(), value: self.value.get() }
    }

    /// The value of somebody who has it for himself.
    pub fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }
}

/// A value in the caller's hands, until it is given back or dropped.
pub struct Held<'a, T> {
    lock: Cell<Option<LockGuard<'a>>>,
    value: *mut T,
}

impl<T> Held<'_, T> {
    /// The value, to be used until it is given back.
    #[inline]
    pub fn value(&self) -> *mut T {
        self.value
    }

    /// Gives it back.
    #[inline]
    pub fn give_back(&self) {
        self.lock.take();
    }
}

/// Adds to a number and returns what it was before.
#[inline]
pub fn fetch_add<M: Mode>(number: &AtomicU32, more: u32) -> u32 {
    if M::THREADED {
        return number.fetch_add(more, Ordering::AcqRel);
    }
    let before = number.load(Ordering::Relaxed);
    number.store(before.wrapping_add(more), Ordering::Relaxed);
    before
}

/// Subtracts from a number and returns what it was before.
#[inline]
pub fn fetch_sub<M: Mode>(number: &AtomicU32, less: u32) -> u32 {
    fetch_add::<M>(number, less.wrapping_neg())
}
