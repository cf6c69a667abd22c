//! The lock of a target, shared or exclusive (`MPI_Win_lock`).
//!
//! ```text
//!   state     waiting 1   owner's rank and 1: 31   shared holders: 32
//!   shared    one holder more, unless there is an owner, or one waits
//!   exclusive the owner, if there are neither holders nor an owner; otherwise waiting
//!   unlock    the last one: releases += 1;  sleepers > 0? ─► futex_wake(releases)
//! ```
//!
//! **Nobody waits for ever.** The bit `waiting` holds new shared holders back until those there are have
//! left, and goes with the next owner. An exclusive locker that still waits then says so again.
//!
//! **No wake-up is lost.** A waiter reads `releases` before it tries. What it finds held is released by
//! a change of the state before `releases` changes, so it finds one or the other; and between
//! `++sleepers` and the kernel's look at `releases`, and between its change and the look at `sleepers`,
//! there is a full fence.

use cairn_framework::sync::{AtomicU32, AtomicU64, Ordering, Sleepers};

const HOLDERS: u64 = u32::MAX as u64;
const OWNER_SHIFT: u32 = 32;
const WAITING: u64 = 1 << 63;
const OWNER: u64 = !(HOLDERS | WAITING);

/// The lock of a target, in memory that processes share. All of it is zero in the beginning.
#[repr(C, align(128))]
#[derive(Debug, Default)]
pub struct LockWord {
    state: AtomicU64,
    releases: AtomicU32,
    sleepers: Sleepers,
}

impl LockWord {
    /// Takes the lock for a rank if it is free for it. An exclusive locker that has tried in vain tries again
    /// or calls `withdraw`.
    pub fn try_lock(&self, shared: bool, rank: u32) -> bool {
        let mut now = self.state.load(Ordering::Relaxed);
        loop {
            let (next, taken) = match (shared, now & (OWNER | HOLDERS) == 0) {
                (true, _) if now & (OWNER | WAITING) != 0 => return false,
                (true, _) => (now + 1, true),
                (false, true) => ((u64::from(rank) + 1) << OWNER_SHIFT & OWNER, true),
                (false, false) if now & WAITING != 0 => return false,
                (false, false) => (now | WAITING, false),
            };
            // Acquire pairs with the Release of those that have left.
            match self.state.compare_exchange_weak(now, next, Ordering::Acquire, Ordering::Relaxed)
            {
                Ok(_) => return taken,
                Err(found) => now = found,
            }
        }
    }

    /// An exclusive locker that has tried in vain tries no more. Whether the word's sleepers are to be woken.
    #[must_use]
    pub fn withdraw(&self) -> bool {
        self.state.fetch_and(!WAITING, Ordering::Relaxed);
        self.released()
    }

    /// Gives back what `try_lock` took. Whether the word's sleepers are to be woken.
    #[must_use]
    pub fn unlock(&self, shared: bool) -> bool {
        if shared {
            let before = self.state.fetch_sub(1, Ordering::Release);
            before & HOLDERS == 1 && self.released()
        } else {
            self.state.swap(0, Ordering::Release);
            self.released()
        }
    }

    /// All that wait look again, although nothing has changed. Whether the word's sleepers are to be woken.
    #[must_use]
    pub fn stir(&self) -> bool {
        self.released()
    }

    fn released(&self) -> bool {
        // Release: a waiter that reads it before it tries sees the state.
        self.releases.fetch_add(1, Ordering::Release);
        self.sleepers.any()
    }

    /// The rank that has it for itself.
    pub fn owner(&self) -> Option<u32> {
        let owner = (self.state.load(Ordering::Relaxed) & OWNER) >> OWNER_SHIFT;
        owner.checked_sub(1).map(|rank| rank as u32)
    }

    /// The word to sleep on.
    pub fn word(&self) -> &AtomicU32 {
        &self.releases
    }

    /// What the word is before a try; if that is in vain, to try again is worth it when the word is another.
    pub fn seen(&self) -> u32 {
        self.releases.load(Ordering::Acquire)
    }

    /// Around every sleep on the word.
    pub fn sleeping<R>(&self, sleep: impl FnOnce() -> R) -> R {
        self.sleepers.around(sleep)
    }
}

#[cfg(all(test, feature = "loom"))]
mod model {
    use cairn_framework::sync::Cell;
    use cairn_framework::sync::loom::sync::Arc;
    use cairn_framework::sync::loom::{self, thread};

    use super::*;

    struct Shared {
        lock: LockWord,
        memory: Cell<u32>,
        inside: AtomicU32,
        woken: AtomicU32,
    }

    // SAFETY: the cell is used with the exclusive lock held, which the model checks.
    unsafe impl Sync for Shared {}

    impl Shared {
        /// Sleeps, if it `sleeps`, until the kernel would end that.
        fn lock(&self, shared: bool, rank: u32, sleeps: bool) {
            loop {
                let seen = self.lock.seen();
                if self.lock.try_lock(shared, rank) {
                    return;
                }
                if sleeps {
                    self.lock.sleeping(|| {
                        if self.lock.word().load(Ordering::Relaxed) == seen {
                            // The next release must wake us.
                            while self.woken.load(Ordering::Acquire) == 0 {
                                thread::yield_now();
                            }
                        }
                    });
                }
                thread::yield_now();
            }
        }

        fn unlock(&self, shared: bool) {
            if self.lock.unlock(shared) {
                self.woken.store(1, Ordering::Release);
            }
        }

        fn exclusively(&self, rank: u32, sleeps: bool) {
            self.lock(false, rank, sleeps);
            assert_eq!(self.lock.owner(), Some(rank));
            assert_eq!(self.inside.load(Ordering::Relaxed), 0);
            // SAFETY: with the lock.
            unsafe { self.memory.with(|count| *count += 1) };
            self.unlock(false);
        }

        fn shared(&self, rank: u32) {
            self.lock(true, rank, false);
            self.inside.fetch_add(1, Ordering::Relaxed);
            assert_eq!(self.lock.owner(), None);
            self.inside.fetch_sub(1, Ordering::Relaxed);
            self.unlock(true);
        }
    }

    fn check(one: fn(&Shared), other: fn(&Shared)) {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(3);
        builder.check(move || {
            let shared = Arc::new(Shared {
                lock: LockWord::default(),
                memory: Cell::new(0),
                inside: AtomicU32::new(0),
                woken: AtomicU32::new(0),
            });
            let thread = {
                let shared = Arc::clone(&shared);
                thread::spawn(move || other(&shared))
            };
            one(&shared);
            thread.join().unwrap();
            assert!(shared.lock.try_lock(true, 0), "{:?}", shared.lock);
        });
    }

    #[test]
    fn model_an_owner_is_alone() {
        check(|shared| shared.exclusively(0, false), |shared| shared.exclusively(1, true));
    }

    #[test]
    fn model_an_owner_waits_until_holders_have_left() {
        check(|shared| shared.shared(0), |shared| shared.exclusively(1, true));
    }

    #[test]
    fn model_one_that_withdraws_holds_nobody_back() {
        check(
            |shared| shared.shared(0),
            |shared| match shared.lock.try_lock(false, 1) {
                true => shared.unlock(false),
                false => drop(shared.lock.withdraw()),
            },
        );
    }
}

#[cfg(all(test, not(feature = "loom")))]
mod tests {
    use super::*;

    #[test]
    fn one_that_waits_holds_new_ones_back() {
        let lock = LockWord::default();
        assert!(lock.try_lock(true, 0) && lock.try_lock(true, 1));
        let seen = lock.seen();
        assert!(!lock.try_lock(false, 2) && !lock.try_lock(true, 3));
        assert!(!lock.unlock(true));
        // One is still inside.
        assert!(!lock.try_lock(false, 2) && lock.seen() == seen && lock.owner().is_none());
        assert!(!lock.unlock(true));
        assert!(lock.seen() != seen && !lock.try_lock(true, 3));
        assert!(lock.try_lock(false, 2) && lock.owner() == Some(2));
        assert!(!lock.try_lock(true, 3) && !lock.try_lock(false, 0));
        // Rank 0 has said that it waits; with the next owner's end all have their chance.
        assert!(lock.sleeping(|| lock.unlock(false)));
        assert!(lock.try_lock(true, 3) && !lock.try_lock(false, 0) && !lock.try_lock(true, 4));
        assert!(!lock.withdraw());
        assert!(lock.try_lock(true, 4));
    }

    #[test]
    fn every_rank_can_own_it() {
        let lock = LockWord::default();
        for rank in [0, 1, i32::MAX as u32 - 1] {
            assert!(lock.try_lock(false, rank));
            assert_eq!(lock.owner(), Some(rank));
            let _ = lock.unlock(false);
        }
        assert_eq!(size_of::<LockWord>(), 128);
    }
}
