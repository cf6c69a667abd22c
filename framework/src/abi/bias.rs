//! Biased locking: a thread takes a lock that it nearly always has without an atomic read-modify-write.
//!
//! A processor finishes all its earlier stores before a read-modify-write, and those of a message go to
//! memory that another processor has just read. So a lock on the path of a message costs much more than
//! its own few nanoseconds, although hardly ever two threads want it at a time.
//!
//! A lock that the same thread has taken many times in a row *stays taken for this thread*: the thread
//! has the bias. It comes and goes by stores to a word of its own, until another thread wants the lock
//! and revokes the bias:
//!
//! ```text
//!   owner  │ inside = 1   compiler fence   owner == me?  → it has the lock    inside = 0 (Release)
//!   other  │ owner = REVOKING  barrier in every thread  owner = REVOKED   inside == 0?  → has the lock
//! ```
//!
//! **One of them sees the other.** The other thread has the kernel make a memory barrier in every
//! running thread of the process (`membarrier`). If the owner's load of `owner` came before that barrier,
//! its store to `inside` did too, and is seen; otherwise the load finds REVOKING. Hence
//! `inside` means nothing before REVOKED says that the barrier was made. The price, a microsecond or two, is
//! paid by the thread that revokes, and after each revocation the owner needs twice as many acquisitions in a
//! row until it gets the bias again.
//!
//! **A word for each owner.** A thread that was stopped between its two loads may write its word when
//! the bias has long been another's. So each thread that ever has the bias has a slot with a word that
//! no other thread writes; where all slots are taken, the lock is an ordinary one for further threads.
//!
//! **Threads that end** leave slots behind. A thread is known by an address ([`mark`]) that a new thread
//! may get; it then has the slot, which is right, because the C library hands memory of a thread on only when
//! it has ended. With whatever the old one wrote the new one is in order, by the same handing on.
//!
//! Biased locking is that of Russell and Detlefs (OOPSLA 2006), with revocation by an asymmetric Dekker
//! protocol (Dice, Huang and Yang 2001) instead of stopped threads; see `fences.rs`.
//!
//! Model-checked: `cargo test -p cairn-framework --features loom --release --lib model_`.

use crate::fences::{AtomicU32, AtomicUsize, Ordering, fence, heavy, light, mark, pause, ready};

/// Threads that can have the bias of one lock.
pub const BIAS_SLOTS: usize = 4;

/// What [`Bias::owner`] says of the owner; above it is how often the lock had one.
const SLOT: u32 = 0x3f;
/// Another thread revokes the bias.
const REVOKING: u32 = 0x40;
/// The same, and the barrier was made.
const REVOKED: u32 = 0x80;
/// What distinguishes one bias from the next.
const GENERATION: u32 = 0x100;

/// Times in a row that a thread has to take a lock to get its bias, at first.
const THRESHOLD: u32 = if cfg!(all(feature = "loom", test)) { 1 } else { 64 };
/// The threshold doubles so many times at most: four million times in a row.
const MOST_DOUBLINGS: u32 = 16;
/// No thread gets the bias any more.
const NEVER: u32 = u32::MAX;

/// A thread that only tries revokes a bias at one try in so many: an owner that comes often will look
/// after what the lock guards.
const REFUSALS: u32 = if cfg!(all(feature = "loom", test)) { 1 } else { 32 };

std::thread_local! {
    /// A number that changes with every try of this thread that finds another's bias, and says which of
    /// them revoke it. Not in the lock: a thread that polls what others have would take the owner's
    /// cache line with each try. And no counter: of locks that a thread tries in turn, one would have all
    /// the tries that count, and another none.
    static REFUSED: core::cell::Cell<u64> = const { core::cell::Cell::new(0) };
}

/// Whether a try that finds another's bias revokes it: one in [`REFUSALS`], at random.
fn is_its_turn() -> bool {
    // A linear congruential generator (Knuth's MMIX), whose upper half is random enough.
    let number = REFUSED.get().wrapping_mul(6_364_136_223_846_793_005);
    let number = number.wrapping_add(1_442_695_040_888_963_407);
    REFUSED.set(number);
    ((number >> 32) as u32).is_multiple_of(REFUSALS)
}

/// Which thread has the bias of a lock. All zero: none. Belongs to a [`Lock`](super::lock::Lock), which is
/// held as long as a thread has the bias, so that code that does not know of the bias stays out, too.
#[repr(C)]
#[derive(Debug, Default)]
pub struct Bias {
    /// Slot of the owner, from 1, `REVOKING` or `REVOKED`, and a generation.
    owner: AtomicU32,
    /// Zero.
    reserved: AtomicU32,
    /// Times in a row that `last` has held the lock. Written by the holder, as the next two.
    streak: AtomicU32,
    /// How often the threshold has doubled, or `NEVER`.
    doublings: AtomicU32,
    /// The thread that held the lock last.
    last: AtomicUsize,
    /// The threads that have slots. Written once each, by the holder of the lock.
    slots: [AtomicUsize; BIAS_SLOTS],
    /// Whether the thread of the slot has the lock by its bias. Written by this thread only.
    inside: [AtomicU32; BIAS_SLOTS],
}

impl Bias {
    /// Takes the lock if the calling thread has the bias; the slot, for [`Bias::leave`].
    #[inline(always)]
    pub fn enter(&self) -> Option<usize> {
        let owner = self.owner.load(Ordering::Relaxed);
        // No owner, or one whose bias is being revoked, has no slot.
        let slot = (owner & (GENERATION - 1)).wrapping_sub(1) as usize;
        if slot >= BIAS_SLOTS || self.slots[slot].load(Ordering::Relaxed) != mark() {
            return None;
        }
        let inside = &self.inside[slot];
        // The lock is not recursive: a second try of its holder fails, as that of any thread.
        if inside.load(Ordering::Relaxed) != 0 {
            return None;
        }
        inside.store(1, Ordering::Relaxed);
        light();
        // Relaxed: this thread was the last holder before it got the bias.
        if self.owner.load(Ordering::Relaxed) == owner {
            return Some(slot);
        }
        inside.store(0, Ordering::Release);
        None
    }

    /// Gives the lock back that `enter` took.
    #[inline(always)]
    pub fn leave(&self, slot: usize) {
        // Release pairs with the Acquire in `revoke`.
        self.inside[slot].store(0, Ordering::Release);
    }

    /// Whether a thread has the bias. For a waiter that said before that it sleeps: see [`Bias::keep`].
    pub fn is_there(&self) -> bool {
        fence(Ordering::SeqCst);
        self.owner.load(Ordering::Relaxed) & SLOT != 0
    }

    /// Revokes the bias; true if the caller has the lock now. False if no thread had the bias, another
    /// one was faster, or, unless `waits`, the owner is inside.
    #[cold]
    pub fn revoke(&self, waits: bool) -> bool {
        let mut owner = self.owner.load(Ordering::Acquire);
        let slot = owner & SLOT;
        if slot == 0 {
            return false;
        }
        if owner & (REVOKING | REVOKED) == 0 {
            if !self.change(owner, owner | REVOKING) {
                return false;
            }
            heavy();
            let doublings = self.doublings.load(Ordering::Relaxed);
            if doublings < MOST_DOUBLINGS {
                self.doublings.store(doublings + 1, Ordering::Relaxed);
            }
            owner |= REVOKED;
            self.owner.store(owner, Ordering::Release);
        }
        let inside = &self.inside[slot as usize - 1];
        for turn in 0.. {
            // Acquire: what the owner did inside comes before.
            if owner & REVOKED != 0 && inside.load(Ordering::Acquire) == 0 {
                return self.change(owner, owner & !(GENERATION - 1));
            }
            if !waits {
                return false;
            }
            pause(turn);
            let before = owner & !(REVOKING | REVOKED);
            owner = self.owner.load(Ordering::Acquire);
            if owner & !(REVOKING | REVOKED) != before {
                break;
            }
        }
        false
    }

    /// The same for a thread that only tries, which mostly gives up and leaves the bias as it is.
    #[cold]
    pub fn try_revoke(&self) -> bool {
        let owner = self.owner.load(Ordering::Relaxed);
        if owner & (REVOKING | REVOKED) == 0 && !is_its_turn() {
            return false;
        }
        self.revoke(false)
    }

    /// For a holder that is about to release the lock, which has no bias: true if it stays taken,
    /// because the calling thread has the bias from now on. `sleepers` says whether a thread sleeps until
    /// the lock is released.
    #[inline(always)]
    pub fn keep(&self, sleepers: impl FnOnce() -> bool) -> bool {
        let own = mark();
        if self.last.load(Ordering::Relaxed) != own {
            self.last.store(own, Ordering::Relaxed);
            self.streak.store(0, Ordering::Relaxed);
            return false;
        }
        let streak = self.streak.load(Ordering::Relaxed) + 1;
        self.streak.store(streak, Ordering::Relaxed);
        streak >= THRESHOLD && self.keep_if_enough(own, streak, sleepers)
    }

    #[cold]
    fn keep_if_enough(&self, own: usize, streak: u32, sleepers: impl FnOnce() -> bool) -> bool {
        let doublings = self.doublings.load(Ordering::Relaxed);
        if doublings == NEVER {
            self.streak.store(0, Ordering::Relaxed);
            return false;
        }
        if streak < THRESHOLD << doublings {
            return false;
        }
        self.streak.store(0, Ordering::Relaxed);
        let slot = self.slots.iter().position(|slot| {
            let owner = slot.load(Ordering::Relaxed);
            if owner == 0 {
                slot.store(own, Ordering::Relaxed);
            }
            owner == 0 || owner == own
        });
        let Some(slot) = slot.filter(|_| ready()) else { return false };
        let free = self.owner.load(Ordering::Relaxed);
        debug_assert!(free & SLOT == 0, "the lock has an owner");
        let owner = free.wrapping_add(GENERATION) | (slot as u32 + 1);
        // Release pairs with the Acquire in `revoke`. The fence with that in `is_there`: either this
        // thread sees that one sleeps, or that one, before it does, that there is an owner.
        self.owner.store(owner, Ordering::Release);
        fence(Ordering::SeqCst);
        if !sleepers() {
            return true;
        }
        // If another thread revokes it already, that one has the lock.
        !self.change(owner, owner & !SLOT)
    }

    /// Makes the owner another, unless another thread was faster.
    fn change(&self, from: u32, to: u32) -> bool {
        self.owner.compare_exchange(from, to, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// No thread gets the bias from now on. For the maker of the lock.
    pub fn forbid(&self) {
        self.doublings.store(NEVER, Ordering::Relaxed);
    }
}

#[cfg(all(feature = "loom", test))]
mod model {
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;
    use loom::thread;

    use super::*;

    const FREE: u32 = 0;
    const HELD: u32 = 1;
    const CONTENDED: u32 = 2;

    /// What `Lock` does, but for the kernel: a sleeper looks until the word is not CONTENDED.
    struct Locked {
        word: AtomicU32,
        bias: Bias,
        /// loom finds two threads that touch it at once.
        value: UnsafeCell<u32>,
    }

    // SAFETY: loom checks the cell.
    unsafe impl Sync for Locked {}
    // SAFETY: see `Sync`.
    unsafe impl Send for Locked {}

    impl Locked {
        fn take(&self) -> bool {
            let (acquire, relaxed) = (Ordering::Acquire, Ordering::Relaxed);
            self.word.compare_exchange(FREE, HELD, acquire, relaxed).is_ok()
        }

        fn by_word(&self) {
            if self.take() {
                return;
            }
            while self.word.swap(CONTENDED, Ordering::Acquire) != FREE {
                if self.bias.is_there() {
                    if self.bias.revoke(true) {
                        return;
                    }
                    pause(0);
                } else {
                    while self.word.load(Ordering::Acquire) == CONTENDED {
                        pause(0);
                    }
                }
            }
        }

        fn with(&self, slot: Option<usize>) {
            // SAFETY: the caller has the lock.
            self.value.with_mut(|value| unsafe { *value += 1 });
            match slot {
                Some(slot) => self.bias.leave(slot),
                None if self.bias.keep(|| self.word.load(Ordering::Relaxed) == CONTENDED) => {}
                None => drop(self.word.swap(FREE, Ordering::Release)),
            }
        }

        fn lock(&self) {
            let slot = self.bias.enter();
            if slot.is_none() {
                self.by_word();
            }
            self.with(slot);
        }

        fn try_lock(&self) -> bool {
            let slot = self.bias.enter();
            let taken = slot.is_some() || self.take() || self.bias.try_revoke();
            if taken {
                self.with(slot);
            }
            taken
        }
    }

    /// `switches` is how often a thread is stopped where it need not be. With more it takes many minutes.
    fn locked(switches: usize, threads: &'static [fn(&Locked)]) {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(switches);
        // A thread that waits long for two others makes many steps.
        builder.max_branches = 10_000;
        builder.check(move || {
            let lock = Arc::new(Locked {
                word: AtomicU32::new(FREE),
                bias: Bias::default(),
                value: UnsafeCell::new(0),
            });
            let started: Vec<_> = threads
                .iter()
                .map(|work| {
                    let lock = lock.clone();
                    thread::spawn(move || work(&lock))
                })
                .collect();
            started.into_iter().for_each(|thread| thread.join().unwrap());
        });
    }

    fn once(lock: &Locked) {
        lock.lock();
    }

    fn thrice(lock: &Locked) {
        (0..3).for_each(|_| lock.lock());
    }

    fn tries(lock: &Locked) {
        lock.try_lock();
    }

    #[test]
    fn model_one_has_the_bias_and_another_takes_it_away() {
        locked(4, &[thrice, once]);
    }

    #[test]
    fn model_the_bias_changes_hands() {
        locked(3, &[thrice, thrice]);
    }

    #[test]
    fn model_two_take_it_away() {
        locked(1, &[thrice, tries, once]);
    }
}

#[cfg(all(test, not(feature = "loom")))]
mod tests {
    use super::*;

    /// A thread that polls several instances tries their locks in turn, in the same order each time.
    #[test]
    fn no_lock_is_left_out_by_tries_in_turn() {
        for locks in 1..=64 {
            let mut counts = vec![0; locks];
            for _ in 0..100 * REFUSALS {
                counts.iter_mut().for_each(|count| *count += u32::from(is_its_turn()));
            }
            assert!(counts.iter().all(|count| (50..200).contains(count)), "{locks}: {counts:?}");
        }
    }
}
