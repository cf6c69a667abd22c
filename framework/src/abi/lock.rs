//! The one lock that two libraries may share.
//!
//! Each Rust library in a process has its own copy of every static, so a lock that parks its
//! waiters in a global table (`parking_lot`, and any lock built the same way) sleeps in one
//! library's table and is woken in another's: the waiter never wakes. This lock keeps all its
//! state in its own four bytes and lets the kernel hold the waiters.

use core::cell::UnsafeCell;
use core::marker::PhantomData;
use core::sync::atomic::{AtomicU32, Ordering};

use super::bias::Bias;
use super::counter::CounterCell;
use crate::audit::{self, LockLevel};

/// The host's `audit`: the thread is about to wait for a lock.
pub const AUDIT_LOCK: u32 = 1;
/// The host's `audit`: the thread has taken a lock without waiting.
pub const AUDIT_TRY: u32 = 2;
/// The host's `audit`: the thread gives a lock back.
pub const AUDIT_UNLOCK: u32 = 3;
/// The host's `audit`: the thread makes an atomic read-modify-write that is not a lock's.
pub const AUDIT_ATOMIC: u32 = 4;

const _: () = assert!(AUDIT_LOCK == audit::LOCK && AUDIT_TRY == audit::TRY);
const _: () = assert!(AUDIT_UNLOCK == audit::UNLOCK && AUDIT_ATOMIC == audit::ATOMIC);

/// A mutual exclusion lock of four bytes. All zero is unlocked, so zeroed memory holds a valid one.
///
/// Not recursive and not fair. C code uses the host table's `lock_acquire`, `lock_try` and
/// `lock_release`; Rust code calls the methods. Works between the threads of one process.
#[repr(C)]
#[derive(Debug, Default)]
pub struct Lock {
    /// 0 free, 1 held, 2 held and a thread may sleep on it. Only through the functions.
    pub word: AtomicU32,
}

const FREE: u32 = 0;
const HELD: u32 = 1;
const CONTENDED: u32 = 2;

/// How often a thread looks again before it sleeps. A critical section here is a few dozen
/// nanoseconds, a futex call about a microsecond.
const SPINS: u32 = 100;

/// Acquisitions of any lock that found it taken, by code of this library.
pub(crate) static WAITS: CounterCell = CounterCell::new();
/// How often a thread went to sleep over that.
pub(crate) static SLEEPS: CounterCell = CounterCell::new();

impl Lock {
    /// An unlocked lock.
    pub const fn new() -> Self {
        Self { word: AtomicU32::new(FREE) }
    }

    /// Takes the lock if it is free. While it is held the thread may wait for no other lock:
    /// [`Lock::try_lock_as`] is for those that are not the last.
    #[inline]
    pub fn try_lock(&self) -> bool {
        self.try_lock_as(LockLevel::LEAF)
    }

    /// The same for a lock with a place in the order.
    #[inline]
    pub fn try_lock_as(&self, rank: LockLevel) -> bool {
        let taken = self.word.load(Ordering::Relaxed) == FREE && self.take();
        if taken {
            audit::report(AUDIT_TRY, self.address(), rank);
        }
        taken
    }

    /// Takes the lock; spins briefly, then sleeps in the kernel until it is free. While it is held
    /// the thread may wait for no other lock: [`Lock::lock_as`] is for those that are not the last.
    #[inline]
    pub fn lock(&self) {
        self.lock_as(LockLevel::LEAF);
    }

    /// The same for a lock with a place in the order. Returns whether it had to wait.
    ///
    /// # Panics
    /// In debug builds, if the thread holds a lock that does not come before this one.
    #[inline]
    pub fn lock_as(&self, rank: LockLevel) -> bool {
        // Before it waits, or a deadlock would hide the order.
        audit::report(AUDIT_LOCK, self.address(), rank);
        let waits = !self.take();
        if waits {
            self.lock_slow(None);
        }
        waits
    }

    fn address(&self) -> *const core::ffi::c_void {
        (&raw const *self).cast()
    }

    #[inline]
    fn take(&self) -> bool {
        // Acquire pairs with the Release in `unlock`.
        self.word.compare_exchange(FREE, HELD, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    /// Waits for a lock that was not free, and takes it. Its bias is revoked.
    #[cold]
    fn lock_slow(&self, bias: Option<&Bias>) {
        WAITS.add_shared(1);
        let revoke = || bias.is_some_and(|bias| bias.revoke(true));
        for _ in 0..SPINS {
            if revoke() || self.word.load(Ordering::Relaxed) == FREE && self.take() {
                return;
            }
            core::hint::spin_loop();
        }
        // From here on the lock is taken as CONTENDED: this thread can't know whether others
        // sleep too, so its unlock must wake one.
        while self.word.swap(CONTENDED, Ordering::Acquire) != FREE {
            if let Some(bias) = bias
                && bias.is_there()
            {
                if bias.revoke(true) {
                    return;
                }
                continue;
            }
            SLEEPS.add_shared(1);
            crate::sys::futex_wait(&self.word, CONTENDED);
        }
    }

    /// As `guard_as`, for a lock with a bias, without waiting if the calling thread has it. A thread that has
    /// held the lock many times in a row gets the bias.
    #[inline(always)]
    pub fn guard_biased<'a>(&'a self, bias: &'a Bias, rank: LockLevel) -> BiasedGuard<'a> {
        audit::report(AUDIT_LOCK, self.address(), rank);
        let seat = bias.enter();
        let waited = seat.is_none() && self.lock_by_word(bias);
        BiasedGuard { lock: self, bias, seat, waited }
    }

    /// Whether it had to wait. Apart, so that the bias is all that callers have in line.
    #[inline(never)]
    fn lock_by_word(&self, bias: &Bias) -> bool {
        let waits = !self.take();
        if waits {
            self.lock_slow(Some(bias));
        }
        waits
    }

    /// As `try_guard_as`, for a lock with a bias. If another thread has it, mostly there is none.
    #[inline(always)]
    pub fn try_guard_biased<'a>(
        &'a self,
        bias: &'a Bias,
        rank: LockLevel,
    ) -> Option<BiasedGuard<'a>> {
        let seat = bias.enter();
        if seat.is_none() && !self.try_by_word(bias) {
            return None;
        }
        audit::report(AUDIT_TRY, self.address(), rank);
        Some(BiasedGuard { lock: self, bias, seat, waited: false })
    }

    #[inline(never)]
    fn try_by_word(&self, bias: &Bias) -> bool {
        // A load leaves the line with a holder that has the bias; a failing exchange would not.
        self.word.load(Ordering::Relaxed) == FREE && self.take() || bias.try_revoke()
    }

    /// Takes a lock with a bias as one that has none, so that `unlock` releases it. Whether it had to wait.
    #[cfg(any(feature = "host", feature = "mock"))]
    pub(crate) fn lock_without_bias(&self, bias: &Bias, rank: LockLevel) -> bool {
        audit::report(AUDIT_LOCK, self.address(), rank);
        self.lock_by_word(bias)
    }

    /// The same, if it is free.
    #[cfg(any(feature = "host", feature = "mock"))]
    pub(crate) fn try_lock_without_bias(&self, bias: &Bias, rank: LockLevel) -> bool {
        let taken = self.take() || bias.revoke(false);
        if taken {
            audit::report(AUDIT_TRY, self.address(), rank);
        }
        taken
    }

    /// # Safety
    /// The calling thread holds the lock by its word.
    #[inline(never)]
    unsafe fn unlock_by_word(&self, bias: &Bias) {
        if bias.keep(|| self.word.load(Ordering::Relaxed) == CONTENDED) {
            audit::report(AUDIT_UNLOCK, self.address(), LockLevel::UNKNOWN);
        } else {
            // SAFETY: promised by the caller.
            unsafe { self.unlock() }
        }
    }

    /// Releases the lock.
    ///
    /// # Safety
    /// The calling thread holds the lock.
    #[inline]
    pub unsafe fn unlock(&self) {
        audit::report(AUDIT_UNLOCK, self.address(), LockLevel::UNKNOWN);
        if self.word.swap(FREE, Ordering::Release) == CONTENDED {
            crate::sys::futex_wake_one(&self.word);
        }
    }

    /// Takes the lock until the guard is dropped; as [`Lock::lock`].
    #[inline]
    pub fn guard(&self) -> LockGuard<'_> {
        self.guard_as(LockLevel::LEAF)
    }

    /// The same for a lock with a place in the order.
    #[inline]
    pub fn guard_as(&self, rank: LockLevel) -> LockGuard<'_> {
        self.lock_as(rank);
        LockGuard(self)
    }

    /// Takes the lock, if it is free, until the guard is dropped; as [`Lock::try_lock`].
    #[inline]
    pub fn try_guard(&self) -> Option<LockGuard<'_>> {
        self.try_guard_as(LockLevel::LEAF)
    }

    /// The same for a lock with a place in the order.
    #[inline]
    pub fn try_guard_as(&self, rank: LockLevel) -> Option<LockGuard<'_>> {
        // Not `then_some`: it makes the guard first, and dropping that would unlock for another.
        self.try_lock_as(rank).then(|| LockGuard(self))
    }
}

/// Data behind a [`Lock`], which debug builds watch like every other. Unless it has a place in the order of
/// locks, nothing is taken while it is held.
pub struct Mutex<T> {
    lock: Lock,
    level: LockLevel,
    value: UnsafeCell<T>,
}

// SAFETY: the value is reached under the lock only, or by the one that has the mutex for itself.
unsafe impl<T: Send> Sync for Mutex<T> {}

impl<T> Mutex<T> {
    /// A value under the last lock that a thread takes.
    pub const fn new(value: T) -> Self {
        Self::at(LockLevel::LEAF, value)
    }

    /// A value under a lock with a place in the order.
    pub const fn at(level: LockLevel, value: T) -> Self {
        Self { lock: Lock::new(), level, value: UnsafeCell::new(value) }
    }

    /// Takes the lock until the guard is dropped.
    ///
    /// # Panics
    /// In debug builds, if the thread holds a lock that does not come before this one.
    #[inline]
    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.lock.lock_as(self.level);
        MutexGuard { mutex: self, thread: PhantomData }
    }

    /// The same, if the lock is free.
    #[inline]
    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        let taken = self.lock.try_lock_as(self.level);
        taken.then(|| MutexGuard { mutex: self, thread: PhantomData })
    }

    /// Runs `work` on the value, under the lock. `work` must not come back to the same value.
    #[inline]
    pub fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        work(&mut self.lock())
    }

    /// The value, of a mutex that no other thread has.
    pub fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }

    /// The value of a mutex that is not needed any more.
    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }
}

impl<T: Default> Default for Mutex<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> core::fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Mutex").field("level", &self.level).finish_non_exhaustive()
    }
}

/// Holds a [`Mutex`], on the thread that took it.
pub struct MutexGuard<'a, T> {
    mutex: &'a Mutex<T>,
    /// Not sent to other threads: debug builds know which thread holds a lock.
    thread: PhantomData<*mut ()>,
}

impl<T> core::ops::Deref for MutexGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the lock is held.
        unsafe { &*self.mutex.value.get() }
    }
}

impl<T> core::ops::DerefMut for MutexGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the lock is held, and the guard is borrowed for as long.
        unsafe { &mut *self.mutex.value.get() }
    }
}

impl<T> Drop for MutexGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the guard exists because its thread took the lock.
        unsafe { self.mutex.lock.unlock() }
    }
}

/// Holds a [`Lock`] that has a [`Bias`] and releases it when dropped.
#[derive(Debug)]
pub struct BiasedGuard<'a> {
    lock: &'a Lock,
    bias: &'a Bias,
    /// Held by the bias, from this seat, or else by the lock's word.
    seat: Option<usize>,
    /// The thread had to wait.
    pub(crate) waited: bool,
}

impl Drop for BiasedGuard<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        match self.seat {
            Some(seat) => {
                audit::report(AUDIT_UNLOCK, self.lock.address(), LockLevel::UNKNOWN);
                self.bias.leave(seat);
            }
            // SAFETY: the guard exists because its thread took the lock, and by its word.
            None => unsafe { self.lock.unlock_by_word(self.bias) },
        }
    }
}

/// Holds a [`Lock`] and releases it when dropped.
#[derive(Debug)]
pub struct LockGuard<'a>(&'a Lock);

impl Drop for LockGuard<'_> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the guard exists because its thread took the lock.
        unsafe { self.0.unlock() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Counter(Lock, UnsafeCell<u64>);
    // SAFETY: the counter is touched only under the lock.
    unsafe impl Sync for Counter {}

    #[test]
    fn one_thread_at_a_time_and_all_of_them_get_it() {
        let counter = Counter(Lock::new(), UnsafeCell::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let counter = &counter;
                    for turn in 0..20_000 {
                        let held = counter.0.guard();
                        // SAFETY: the lock is held.
                        unsafe { *counter.1.get() += 1 };
                        // Now and then the others run out of spins and go to sleep.
                        if turn % 1000 == 0 {
                            std::thread::yield_now();
                        }
                        drop(held);
                    }
                });
            }
        });
        assert_eq!(counter.1.into_inner(), 80_000);
        assert_eq!(counter.0.word.into_inner(), FREE);
    }

    #[test]
    fn try_lock_does_not_wait() {
        let lock = Lock::new();
        let held = lock.try_guard().expect("free");
        assert!(lock.try_guard().is_none());
        // A guard that was not given must not have released what another holds.
        assert!(!lock.try_lock());
        drop(held);
        assert!(lock.try_lock());
        // SAFETY: taken just now.
        unsafe { lock.unlock() };
        assert_eq!(size_of::<Lock>(), 4);
    }
}

/// What [`audit`] sees of locks.
#[cfg(all(test, debug_assertions))]
mod watched {
    use std::panic::catch_unwind;

    use super::*;
    use crate::audit::{Counted, Counts, counts};

    /// What is said when a thread waits for these locks, one after the other.
    fn complaint(locks: &[(&Lock, LockLevel)]) -> Option<String> {
        let take = || {
            let mut guards = Vec::new();
            for (lock, rank) in locks {
                guards.push(lock.guard_as(*rank));
            }
        };
        catch_unwind(std::panic::AssertUnwindSafe(take))
            .err()
            .map(|panic| panic.downcast_ref::<String>().expect("a text").clone())
    }

    #[test]
    fn an_inversion_is_found_and_names_both() {
        let locks: [Lock; 2] = Default::default();
        let (first, second) = (&locks[0], &locks[1]);
        assert_eq!(complaint(&[(first, LockLevel::CRI), (second, LockLevel::SHARD)]), None);
        let text =
            complaint(&[(first, LockLevel::SHARD), (second, LockLevel::CRI)]).expect("an error");
        assert!(text.contains("waits for the lock \"cri\""), "{text}");
        assert!(text.contains("while it holds \"shard\""), "{text}");
        // What was held was given back on the way out, and nothing is left in the account.
        assert_eq!(complaint(&[(first, LockLevel::CRI), (second, LockLevel::LEAF)]), None);
        assert!(complaint(&[(first, LockLevel::LEAF), (second, LockLevel::LEAF)]).is_some());
        assert!(
            complaint(&[(first, LockLevel::UNKNOWN), (first, LockLevel::UNKNOWN)]).is_some(),
            "twice"
        );
        assert_eq!(complaint(&[(second, LockLevel::LEAF)]), None);
    }

    #[test]
    fn several_of_one_rank_go_by_address_where_it_says_so() {
        let locks: [Lock; 2] = Default::default();
        let (low, high) = (&locks[0], &locks[1]);
        assert_eq!(complaint(&[(low, LockLevel::SHARD), (high, LockLevel::SHARD)]), None);
        assert!(complaint(&[(high, LockLevel::SHARD), (low, LockLevel::SHARD)]).is_some());
        assert!(complaint(&[(low, LockLevel::CRI), (high, LockLevel::CRI)]).is_some());
    }

    #[test]
    fn a_try_may_come_in_any_order_but_is_held() {
        let (outer, inner, third) = (Lock::new(), Lock::new(), Lock::new());
        let _inner = inner.guard_as(LockLevel::SHARD);
        let _outer = outer.try_guard_as(LockLevel::CRI).expect("free");
        assert!(complaint(&[(&third, LockLevel::CRI)]).is_some());
        assert_eq!(complaint(&[(&third, LockLevel::LINE)]), None);
    }

    #[test]
    fn what_a_thread_does_is_counted() {
        let (lock, word) = (Lock::new(), AtomicU32::new(0));
        let before = counts();
        drop(lock.guard());
        let held = lock.try_guard().expect("free");
        assert!(lock.try_guard().is_none());
        drop(held);
        assert_eq!(word.rmw().fetch_add(1, Ordering::Relaxed), 0);
        let others = std::thread::spawn(counts).join().expect("no panic");
        assert_eq!(others, Counts::default());
        assert_eq!(counts() - before, Counts { locks: 1, tries: 1, atomics: 1 });
    }
}
