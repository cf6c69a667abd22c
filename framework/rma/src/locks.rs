//! The locks that make elements of accumulates atomic.
//!
//! A location has one lock, whichever way an operation takes to it: that of the block in which the first
//! byte of its element lies. Elements of accumulates that meet at a location begin at the same byte (MPI
//! 5.0, section 12.7.1), so they take the same lock.

use cairn_framework::author::Failure;
use cairn_framework::sync::{AtomicU32, Ordering, yield_now};

/// Locks of a target's memory.
pub const LOCKS: usize = 16;
/// Bytes of the target's memory that have one lock.
pub const BLOCK: usize = 4096;

/// Attempts before a waiter gives its processor away, and how many of these before it looks whether the
/// wait is in vain.
const SPINS: u32 = if cfg!(feature = "loom") { 0 } else { 200 };
const YIELDS: u32 = if cfg!(feature = "loom") { 1 } else { 16 };

/// The locks of a target's memory, in memory that all processes share that access it directly. All of it is
/// zero in the beginning.
#[repr(C)]
#[derive(Debug, Default)]
pub struct AccumulateLocks([Line; LOCKS]);

/// A lock on cache lines of its own: the holder's rank and 1, or 0.
#[repr(C, align(128))]
#[derive(Debug, Default)]
struct Line(AtomicU32);

/// A process that takes locks.
#[derive(Clone, Copy)]
pub struct Taker<'a> {
    /// Its rank.
    pub rank: u32,
    /// Elements of four or eight bytes that are aligned to that are changed by the processor's atomics and not under
    /// a lock, by all that change them: atomics of a transport may change them at the same time.
    pub atomics: bool,
    /// Is asked now and then while a lock is held by this rank; an error ends the wait, as when that process
    /// has died.
    pub check: &'a dyn Fn(u32) -> Result<(), Failure>,
}

/// A lock that is held until this is dropped.
#[derive(Debug)]
pub struct Held<'a>(&'a AtomicU32);

impl Drop for Held<'_> {
    #[inline]
    fn drop(&mut self) {
        self.0.store(0, Ordering::Release);
    }
}

impl AccumulateLocks {
    /// Takes the lock of the element that begins so many bytes behind the beginning of the target's memory.
    ///
    /// # Errors
    /// The taker's, when it is not to wait any longer.
    #[inline]
    pub fn hold(&self, offset: usize, taker: &Taker<'_>) -> Result<Held<'_>, Failure> {
        let lock = &self.0[offset / BLOCK % LOCKS].0;
        if !take(lock, taker.rank) {
            wait(lock, taker)?;
        }
        Ok(Held(lock))
    }
}

#[inline]
fn take(lock: &AtomicU32, rank: u32) -> bool {
    // Acquire pairs with the Release of the holder before.
    lock.compare_exchange(0, rank.wrapping_add(1), Ordering::Acquire, Ordering::Relaxed).is_ok()
}

#[cold]
fn wait(lock: &AtomicU32, taker: &Taker<'_>) -> Result<(), Failure> {
    let mut attempts = 0_u32;
    loop {
        let holder = lock.load(Ordering::Relaxed);
        if holder == 0 && take(lock, taker.rank) {
            return Ok(());
        }
        attempts = attempts.wrapping_add(1);
        if attempts < SPINS {
            core::hint::spin_loop();
            continue;
        }
        if holder != 0 && attempts.is_multiple_of(YIELDS) {
            (taker.check)(holder - 1)?;
        }
        yield_now();
    }
}

#[cfg(all(test, feature = "loom"))]
mod model {
    use cairn_framework::sync::Cell;
    use cairn_framework::sync::loom::sync::Arc;
    use cairn_framework::sync::loom::{self, thread};

    use super::*;

    struct Shared {
        locks: AccumulateLocks,
        memory: Cell<u32>,
    }

    // SAFETY: the cell is used with the lock held, which the model checks.
    unsafe impl Sync for Shared {}

    #[test]
    fn model_one_at_a_time_changes_a_block() {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(3);
        builder.check(|| {
            let shared = Arc::new(Shared { locks: Default::default(), memory: Cell::new(0) });
            let add = |shared: &Shared, rank| {
                let taker = Taker { rank, atomics: false, check: &|_| Ok(()) };
                let _held = shared.locks.hold(8, &taker).unwrap();
                // SAFETY: with the lock.
                unsafe { shared.memory.with(|sum| *sum += 1) };
            };
            let other = {
                let shared = Arc::clone(&shared);
                thread::spawn(move || add(&shared, 1))
            };
            add(&shared, 0);
            other.join().unwrap();
            let taker = Taker { rank: 0, atomics: false, check: &|_| Ok(()) };
            let _held = shared.locks.hold(BLOCK - 1, &taker).unwrap();
            // SAFETY: with the lock.
            unsafe { shared.memory.with(|sum| assert_eq!(*sum, 2)) };
        });
    }
}

#[cfg(all(test, not(feature = "loom")))]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use cairn_framework::abi::status::ERR_PEER;

    use super::*;

    #[test]
    fn a_wait_for_the_dead_ends() {
        let locks = AccumulateLocks::default();
        let fine = Taker { rank: 6, atomics: false, check: &|_| panic!("nobody waits") };
        let held = locks.hold(5, &fine).unwrap();
        // Another block's lock is another one, and the pattern repeats.
        drop(locks.hold(BLOCK, &fine).unwrap());
        let asked = AtomicUsize::new(0);
        let check = |rank| {
            assert_eq!(rank, 6);
            match asked.fetch_add(1, Ordering::Relaxed) {
                0 => Ok(()),
                _ => Err(Failure::new(ERR_PEER, "it has died")),
            }
        };
        let failure = locks
            .hold(LOCKS * BLOCK, &Taker { rank: 0, atomics: false, check: &check })
            .unwrap_err();
        assert_eq!((failure.status, asked.into_inner()), (ERR_PEER, 2));
        drop(held);
        drop(locks.hold(4095, &fine).unwrap());
    }

    #[test]
    fn locks_lie_on_lines_of_their_own() {
        cairn_framework::layout::check_elements(
            "accumulate locks",
            size_of::<Line>(),
            align_of::<Line>(),
        );
        assert_eq!(size_of::<AccumulateLocks>(), LOCKS * 128);
    }
}
