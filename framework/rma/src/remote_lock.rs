//! The lock of a target that is taken from afar: by processors and by the atomics of devices.
//!
//! ```text
//!   word      waiting 1   owner's rank and 1: 31   shared holders: 32
//!   take      shared: one holder more; exclusive: the owner. Only if it is free for that and nobody waits
//!   in vain   a message to the target, which sets `waiting` and gives the lock in the order of the messages
//!   release   by whoever has taken it; one that leaves it free and sees `waiting` tells the target
//! ```
//!
//! **Nobody waits for ever**: while somebody waits, only the target gives the lock. **Nobody polls**: one that
//! waits sends a message and gets one, and so does one whose operations wait. **No release is missed**: the target sets `waiting` and then looks whether the
//! lock is free; a release before that is seen by it, and one after it sees `waiting`.

use cairn_framework::sync::{AtomicU64, Ordering};

const HOLDERS: u64 = u32::MAX as u64;
const OWNER_SHIFT: u32 = 32;
const WAITING: u64 = 1 << 63;
const OWNER: u64 = !(HOLDERS | WAITING);

/// The word of a target's lock, in memory that processes share or devices reach. It is zero in the beginning.
#[repr(C, align(128))]
#[derive(Debug, Default)]
pub struct RemoteLock(AtomicU64);

/// What a lock is taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// With others.
    Shared,
    /// For a rank alone; ranks have 31 bits.
    Exclusive(u32),
}

impl Wish {
    /// The word when the lock has been taken, if it can be: by one that asks, or by the target for one that has
    /// `waited`.
    pub fn taken(self, word: u64, waited: bool) -> Option<u64> {
        let held = if waited { word & !WAITING } else { word };
        match self {
            Self::Shared => (held & (OWNER | WAITING) == 0).then(|| word + 1),
            Self::Exclusive(rank) => (held == 0).then(|| word | owner(rank)),
        }
    }

    /// What is added to the word, wrapping, when the lock is released.
    pub fn release(self) -> u64 {
        match self {
            Self::Shared => 1_u64.wrapping_neg(),
            Self::Exclusive(rank) => owner(rank).wrapping_neg(),
        }
    }

    /// Whether the target is to be told of a release that found this word: it has left the lock free, and somebody
    /// waits.
    pub fn is_awaited(self, before: u64) -> bool {
        let after = before.wrapping_add(self.release());
        after & WAITING != 0 && after & (OWNER | HOLDERS) == 0
    }
}

fn owner(rank: u32) -> u64 {
    (u64::from(rank) + 1) << OWNER_SHIFT & OWNER
}

impl RemoteLock {
    /// Takes the lock if it is free for that.
    pub fn take(&self, wish: Wish, waited: bool) -> bool {
        let mut word = self.0.load(Ordering::Relaxed);
        while let Some(taken) = wish.taken(word, waited) {
            // Acquire pairs with the Release of those that had it.
            match self.0.compare_exchange(word, taken, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => return true,
                Err(found) => word = found,
            }
        }
        false
    }

    /// Gives it back. Whether the target is to be told.
    #[must_use]
    pub fn release(&self, wish: Wish) -> bool {
        let before = self.0.fetch_add(wish.release(), Ordering::Release);
        wish.is_awaited(before)
    }

    /// By the target: whether somebody waits, for those that take and release it.
    pub fn set_waiting(&self, waiting: bool) {
        if waiting {
            self.0.fetch_or(WAITING, Ordering::AcqRel);
        } else {
            self.0.fetch_and(!WAITING, Ordering::AcqRel);
        }
    }

    /// The rank that has it for itself, and how many share it.
    pub fn holders(&self) -> (Option<u32>, u32) {
        let word = self.0.load(Ordering::Relaxed);
        let owner = ((word & OWNER) >> OWNER_SHIFT).checked_sub(1);
        (owner.map(|rank| rank as u32), (word & HOLDERS) as u32)
    }
}

#[cfg(all(test, feature = "loom"))]
mod model {
    use cairn_framework::sync::AtomicU32;
    use cairn_framework::sync::Cell;
    use cairn_framework::sync::loom::sync::Arc;
    use cairn_framework::sync::loom::{self, thread};

    use super::*;

    struct Shared {
        lock: RemoteLock,
        memory: Cell<u32>,
        /// Somebody has told the target.
        told: AtomicU32,
    }

    // SAFETY: the cell is used with the exclusive lock held, which the model checks.
    unsafe impl Sync for Shared {}

    impl Shared {
        fn change(&self, wish: Wish) {
            // SAFETY: with the lock.
            unsafe { self.memory.with(|count| *count += 1) };
            if self.lock.release(wish) {
                self.told.store(1, Ordering::Release);
            }
        }
    }

    #[test]
    fn model_the_target_hears_of_the_release() {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(3);
        builder.check(|| {
            let shared = Arc::new(Shared {
                lock: RemoteLock::default(),
                memory: Cell::new(0),
                told: AtomicU32::new(0),
            });
            let origin = {
                let shared = Arc::clone(&shared);
                thread::spawn(move || {
                    if shared.lock.take(Wish::Exclusive(1), false) {
                        shared.change(Wish::Exclusive(1));
                    }
                })
            };
            // The target gives the lock to one that has asked by a message.
            let waiting = Wish::Exclusive(2);
            shared.lock.set_waiting(true);
            while !shared.lock.take(waiting, true) {
                // It looks again when it is told, and never otherwise.
                while shared.told.load(Ordering::Acquire) == 0 {
                    thread::yield_now();
                }
            }
            shared.lock.set_waiting(false);
            shared.change(waiting);
            origin.join().unwrap();
            assert_eq!(shared.lock.holders(), (None, 0));
        });
    }
}

#[cfg(all(test, not(feature = "loom")))]
mod tests {
    use super::*;

    #[test]
    fn one_that_waits_comes_next() {
        let (lock, own) = (RemoteLock::default(), Wish::Exclusive(7));
        assert!(lock.take(Wish::Shared, false) && lock.take(Wish::Shared, false));
        assert!(!lock.take(own, false) && lock.holders() == (None, 2));
        lock.set_waiting(true);
        assert!(!lock.take(Wish::Shared, false) && !lock.take(own, true));
        assert!(!lock.release(Wish::Shared) && lock.release(Wish::Shared));
        assert!(!lock.take(Wish::Shared, false) && lock.take(own, true));
        assert_eq!(lock.holders(), (Some(7), 0));
        assert!(!lock.take(Wish::Shared, true) && lock.release(own));
        lock.set_waiting(false);
        assert!(lock.take(own, false) && !lock.release(own));
        assert_eq!(lock.holders(), (None, 0));
    }

    #[test]
    fn it_lies_on_lines_of_its_own() {
        assert_eq!((size_of::<RemoteLock>(), align_of::<RemoteLock>()), (128, 128));
    }
}
