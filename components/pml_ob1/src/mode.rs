//! With threads or without: the code is written once and instantiated twice.

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use cairn_framework::abi::lock::{BiasedGuard, Lock};
use cairn_framework::abi::pool::Cri;
use cairn_framework::audit::{Counted, LockLevel};

/// Whether several threads call at a time.
pub trait Mode: Send + Sync + 'static {
    /// `MPI_THREAD_MULTIPLE`.
    const THREADED: bool;

    /// Holds the lock of a CRI; nothing where there is one thread.
    type Guard<'a>;

    /// Takes the lock of a CRI, with no other CRI's lock held.
    fn guard(cri: &Cri) -> Self::Guard<'_>;

    /// The same, if the lock is free.
    fn try_guard(cri: &Cri) -> Option<Self::Guard<'_>>;
}

/// One thread at a time: no lock is taken.
pub struct Single;

/// Any number of threads.
pub struct Multiple;

impl Mode for Single {
    const THREADED: bool = false;

    type Guard<'a> = ();

    #[inline(always)]
    fn guard(_: &Cri) {}

    #[inline(always)]
    fn try_guard(_: &Cri) -> Option<()> {
        Some(())
    }
}

impl Mode for Multiple {
    const THREADED: bool = true;

    type Guard<'a> = BiasedGuard<'a>;

    #[inline(always)]
    fn guard(cri: &Cri) -> BiasedGuard<'_> {
        cri.guard()
    }

    #[inline(always)]
    fn try_guard(cri: &Cri) -> Option<BiasedGuard<'_>> {
        cri.try_guard()
    }
}

/// Something that one thread at a time touches.
pub struct Locked<T> {
    lock: Lock,
    rank: LockLevel,
    value: UnsafeCell<T>,
}

// SAFETY: the value is reached through `with` only.
unsafe impl<T: Send> Sync for Locked<T> {}
// SAFETY: see `Sync`.
unsafe impl<T: Send> Send for Locked<T> {}

impl<T: Default> Default for Locked<T> {
    fn default() -> Self {
        Self::new(LockLevel::LEAF)
    }
}

impl<T: Default> Locked<T> {
    /// The default value, behind a lock with this place in the order.
    pub fn new(rank: LockLevel) -> Self {
        Self { lock: Lock::new(), rank, value: UnsafeCell::default() }
    }
}

impl<T> Locked<T> {
    /// Runs `work` on the value, under the lock where there are threads. `work` must not come back
    /// to the same value and must not call a transport.
    #[inline]
    pub fn with<M: Mode, R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        let _held = M::THREADED.then(|| self.lock.guard_as(self.rank));
        // SAFETY: the lock is held, or there is one thread.
        work(unsafe { &mut *self.value.get() })
    }

    /// The value, which the caller has for itself.
    pub fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }
}

/// Adds to a number and returns what it was before.
#[inline]
pub fn fetch_add<M: Mode>(number: &AtomicU32, more: u32) -> u32 {
    if M::THREADED {
        return number.rmw().fetch_add(more, Ordering::AcqRel);
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

/// Replaces a number that is as expected, and says whether it was.
#[inline]
pub fn compare_exchange<M: Mode>(number: &AtomicU64, expected: u64, new: u64) -> bool {
    if M::THREADED {
        let (release, relaxed) = (Ordering::AcqRel, Ordering::Relaxed);
        return number.rmw().compare_exchange(expected, new, release, relaxed).is_ok();
    }
    let found = number.load(Ordering::Relaxed) == expected;
    if found {
        number.store(new, Ordering::Relaxed);
    }
    found
}
