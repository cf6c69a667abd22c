//! Locks, atomics and cells: the real ones, or those of the model checker.

#[cfg(not(feature = "loom"))]
mod real {
    pub use core::sync::atomic::{AtomicUsize, Ordering};

    pub use cairn_framework::abi::lock::Lock;

    /// A value that belongs to the holder of certain locks.
    pub struct Cell<T>(core::cell::UnsafeCell<T>);

    impl<T> Cell<T> {
        pub fn new(value: T) -> Self {
            Self(value.into())
        }

        /// # Safety
        /// The caller holds the locks, or is the only thread, and is not inside another `with`.
        #[inline]
        pub unsafe fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
            // SAFETY: promised by the caller.
            work(unsafe { &mut *self.0.get() })
        }
    }
}

#[cfg(feature = "loom")]
mod model {
    pub use loom::sync::atomic::{AtomicUsize, Ordering};

    /// See the real one. The model checker notices two threads inside `with` of which neither
    /// comes before the other.
    pub struct Cell<T>(loom::cell::UnsafeCell<T>);

    impl<T> Cell<T> {
        pub fn new(value: T) -> Self {
            Self(loom::cell::UnsafeCell::new(value))
        }

        pub unsafe fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
            // SAFETY: promised by the caller, and checked.
            self.0.with_mut(|value| work(unsafe { &mut *value }))
        }
    }

    /// A lock with the functions of the real one.
    pub struct Lock {
        mutex: loom::sync::Mutex<()>,
        guard: core::cell::UnsafeCell<Option<loom::sync::MutexGuard<'static, ()>>>,
    }

    impl Lock {
        pub fn new() -> Self {
            Self { mutex: loom::sync::Mutex::new(()), guard: None.into() }
        }

        pub fn lock_as(&self, _: cairn_framework::audit::LockLevel) {
            // SAFETY: the guard goes before the lock does.
            let mutex: &'static loom::sync::Mutex<()> = unsafe { &*(&raw const self.mutex) };
            let guard = mutex.lock().unwrap();
            // SAFETY: the lock is held.
            unsafe { *self.guard.get() = Some(guard) };
        }

        /// # Safety
        /// The calling thread holds the lock.
        pub unsafe fn unlock(&self) {
            // SAFETY: the lock is held, until the guard is dropped.
            drop(unsafe { (*self.guard.get()).take() });
        }
    }
}

#[cfg(feature = "loom")]
pub use model::{AtomicUsize, Cell, Lock, Ordering};
#[cfg(not(feature = "loom"))]
pub use real::{AtomicUsize, Cell, Lock, Ordering};
