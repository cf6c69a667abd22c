//! The barrier's protocol in shared memory.
//!
//! ```text
//!   every process   n = ++arrived
//!   the last one    arrived = 0;  ++generation;  sleepers > 0? ─► futex_wake(generation)
//!   the others      poll generation;  ++sleepers, sleep on generation, --sleepers
//! ```
//!
//! **Why it is a barrier.** The additions to `arrived` are one chain of read-modify-writes with
//! Acquire and Release, so the last process has seen what all others did before they came; its change
//! of `generation` is a Release that the others' Acquire loads read.
//!
//! **Why `arrived` may be reset.** Nobody arrives again before it has seen the new generation, and
//! the reset comes before that.
//!
//! **Why no wake-up is lost.** `++sleepers` comes before the kernel's look at `generation`, and
//! `++generation` before the look at `sleepers`, each with a full fence between the two; so one of
//! the two sees the other.

#[cfg(loom)]
use loom::sync::atomic::{AtomicU32, Ordering, fence};
#[cfg(not(loom))]
use std::sync::atomic::{AtomicU32, Ordering, fence};

/// What the processes of a communicator share. All of it is zero in the beginning.
#[repr(C)]
#[derive(Default)]
pub struct Board {
    arrived: Line,
    generation: Line,
    sleepers: Line,
}

/// A word on cache lines of its own.
#[repr(C, align(128))]
#[derive(Default)]
struct Line(AtomicU32);

/// What a process that has arrived does next.
#[derive(Debug, PartialEq, Eq)]
pub enum Next {
    /// All are there.
    Leave,
    /// All are there, and some may sleep on the generation's word.
    Wake,
    /// Wait until the generation is not this one.
    Wait(u32),
}

impl Board {
    /// One of `size` processes arrives.
    #[inline]
    pub fn arrive(&self, size: u32) -> Next {
        // Before the addition: afterwards it may change. Relaxed: it is what this process left with.
        let generation = self.generation.0.load(Ordering::Relaxed);
        if self.arrived.0.fetch_add(1, Ordering::AcqRel) + 1 != size {
            return Next::Wait(generation);
        }
        self.arrived.0.store(0, Ordering::Relaxed);
        self.generation.0.fetch_add(1, Ordering::Release);
        fence(Ordering::SeqCst);
        if self.sleepers.0.load(Ordering::Relaxed) == 0 { Next::Leave } else { Next::Wake }
    }

    /// Whether all have arrived whom a process waits for since this generation.
    #[inline]
    pub fn has_passed(&self, generation: u32) -> bool {
        self.generation.0.load(Ordering::Acquire) != generation
    }

    /// The word to sleep on.
    pub fn word(&self) -> &AtomicU32 {
        &self.generation.0
    }

    /// Around every sleep on the word.
    pub fn sleeping<R>(&self, sleep: impl FnOnce() -> R) -> R {
        self.sleepers.0.fetch_add(1, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        let result = sleep();
        self.sleepers.0.fetch_sub(1, Ordering::Relaxed);
        result
    }
}

#[cfg(all(test, loom))]
mod model {
    use loom::sync::Arc;
    use loom::thread;

    use super::*;

    /// A sleep that the kernel would end: it compares the word under its own lock.
    fn sleep(board: &Board, generation: u32, woken: &AtomicU32) {
        board.sleeping(|| {
            if board.word().load(Ordering::Relaxed) == generation {
                // Whoever changes the word from here on must wake us.
                while woken.load(Ordering::Acquire) == 0 {
                    thread::yield_now();
                }
            }
        });
    }

    #[test]
    fn model_nobody_leaves_early_and_nobody_sleeps_on() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(|| {
            let shared = Arc::new((Board::default(), AtomicU32::new(0), AtomicU32::new(0)));
            let run = |shared: &(Board, AtomicU32, AtomicU32)| {
                let (board, work, woken) = shared;
                for round in 1..=2 {
                    work.fetch_add(1, Ordering::Relaxed);
                    match board.arrive(2) {
                        Next::Leave => {}
                        Next::Wake => woken.store(1, Ordering::Release),
                        Next::Wait(generation) if round == 1 => {
                            while !board.has_passed(generation) {
                                thread::yield_now();
                            }
                        }
                        Next::Wait(generation) => {
                            while !board.has_passed(generation) {
                                sleep(board, generation, woken);
                                thread::yield_now();
                            }
                        }
                    }
                    assert!(work.load(Ordering::Relaxed) >= 2 * round);
                }
            };
            let other = {
                let shared = Arc::clone(&shared);
                thread::spawn(move || run(&shared))
            };
            run(&shared);
            other.join().unwrap();
        });
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn the_last_one_opens_the_barrier() {
        let board = Board::default();
        for round in 0..3 {
            assert_eq!(board.arrive(3), Next::Wait(round));
            assert_eq!(board.arrive(3), Next::Wait(round));
            assert!(!board.has_passed(round));
            assert_eq!(board.arrive(3), Next::Leave);
            assert!(board.has_passed(round));
        }
        assert_eq!(board.arrive(2), Next::Wait(3));
        let next = board.sleeping(|| board.arrive(2));
        assert_eq!(next, Next::Wake);
    }

    #[test]
    fn each_word_has_lines_of_its_own() {
        assert_eq!((size_of::<Board>(), align_of::<Board>()), (3 * 128, 128));
    }
}
