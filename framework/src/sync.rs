//! What model-checked code is made of: the atomics, cells and locks of the processor, or those of the model
//! checker [loom](https://docs.rs/loom), which tries every order of steps and every value that a load may see.
//!
//! The feature `loom` chooses, here and in every crate that has models, whose feature of this name turns this
//! one on. Everything else in the dependency tree stays as it is. With it only models run, tests whose names
//! begin with `model_`: `cargo test -p CRATE --features loom --release --lib model_`.
//!
//! Code in a model takes [`AtomicU32`] and the others from here, keeps to what both sides have, and needs
//! no word of the model besides constants that are smaller there. Types of loom have no constant
//! constructor and another size, so what is in statics or part of the plugin ABI can't use them: the
//! framework's own do so only in its own models (`own.rs`).

#[cfg(feature = "loom")]
#[doc(hidden)] // for models
pub use loom;

#[cfg(feature = "loom")]
pub use model::{
    AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Cell, Lock, Ordering, fence, full_fence,
    yield_now,
};
#[cfg(not(feature = "loom"))]
pub use real::{
    AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Cell, Lock, Ordering, fence, full_fence,
    yield_now,
};

/// How many threads, of all processes that share it, sleep on a word beside it. All of it is zero in the beginning.
///
/// No wake-up is lost: a thread is counted before the kernel looks at the word, the word is changed before the count is
/// looked at, and between the two there is a full fence on both sides.
#[repr(transparent)]
#[derive(Debug, Default)]
pub struct Sleepers(AtomicU32);

impl Sleepers {
    /// Nobody sleeps. For the one that makes it, before any other has it.
    pub fn begin(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    /// Around every sleep on the word.
    pub fn around<R>(&self, sleep: impl FnOnce() -> R) -> R {
        self.0.fetch_add(1, Ordering::Relaxed);
        full_fence();
        let result = sleep();
        self.0.fetch_sub(1, Ordering::Relaxed);
        result
    }

    /// Whether threads are to be woken, for one that has just changed the word.
    #[inline]
    pub fn any(&self) -> bool {
        full_fence();
        self.0.load(Ordering::Relaxed) != 0
    }
}

#[cfg(not(feature = "loom"))]
mod real {
    pub use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};
    pub use std::thread::yield_now;

    pub use crate::abi::lock::Lock;
    pub use crate::sys::full_fence;

    /// A value that belongs to the holder of certain locks.
    #[derive(Debug)]
    pub struct Cell<T>(core::cell::UnsafeCell<T>);

    impl<T> Cell<T> {
        /// With this value.
        pub fn new(value: T) -> Self {
            Self(value.into())
        }

        /// Runs `work` on the value.
        ///
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
    pub use loom::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};
    pub use loom::thread::yield_now;

    use crate::audit::LockLevel;

    /// All before it comes before all behind it.
    pub fn full_fence() {
        fence(Ordering::SeqCst);
    }

    /// See the real one. The model checker notices two threads inside `with` of which neither
    /// comes before the other.
    #[derive(Debug)]
    pub struct Cell<T>(loom::cell::UnsafeCell<T>);

    impl<T> Cell<T> {
        /// With this value.
        pub fn new(value: T) -> Self {
            Self(loom::cell::UnsafeCell::new(value))
        }

        /// Runs `work` on the value.
        ///
        /// # Safety
        /// As for the real one.
        pub unsafe fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
            // SAFETY: promised by the caller, and checked.
            self.0.with_mut(|value| work(unsafe { &mut *value }))
        }
    }

    /// A lock with functions of the real one.
    #[derive(Debug)]
    pub struct Lock {
        mutex: loom::sync::Mutex<()>,
        guard: core::cell::UnsafeCell<Option<loom::sync::MutexGuard<'static, ()>>>,
    }

    impl Default for Lock {
        fn default() -> Self {
            Self::new()
        }
    }

    impl Lock {
        /// A free one.
        pub fn new() -> Self {
            Self { mutex: loom::sync::Mutex::new(()), guard: None.into() }
        }

        /// Takes it.
        pub fn lock_as(&self, _: LockLevel) {
            let mutex = &raw const self.mutex;
            // SAFETY: the guard goes before the lock does.
            let mutex: &'static loom::sync::Mutex<()> = unsafe { &*mutex };
            let guard = mutex.lock().unwrap();
            // SAFETY: the lock is held.
            unsafe { *self.guard.get() = Some(guard) };
        }

        /// Gives it back.
        ///
        /// # Safety
        /// The calling thread holds the lock.
        pub unsafe fn unlock(&self) {
            // SAFETY: the lock is held, until the guard is dropped.
            drop(unsafe { (*self.guard.get()).take() });
        }
    }
}
