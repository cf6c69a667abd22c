//! The barrier's protocol in shared memory.
//!
//! ```text
//!   every process   n = ++arrived
//!   the last one    (works for all)  arrived = 0;  generation += 2;  sleepers > 0? ─► futex_wake(generation)
//!   the others      poll generation;  ++sleepers, sleep on generation, --sleepers
//!   one that knows of a death   generation |= BROKEN;  sleepers > 0? ─► futex_wake(generation)
//! ```
//!
//! **Why it is a barrier.** The additions to `arrived` are one chain of read-modify-writes with
//! Acquire and Release, so the last process has seen what all others did before they came; its change
//! of `generation` is a Release that the others' Acquire loads read. So the last one may also read what all
//! others have written, and leave them what it has made of that.
//!
//! **Why `arrived` may be reset.** No process arrives again before it has seen the new generation, and
//! the reset comes before that.
//!
//! **Why no wake-up is lost.** `++sleepers` comes before the kernel's look at `generation`, and
//! the change of `generation` before the look at `sleepers`, each with a full fence between the two; so
//! one of the two sees the other.
//!
//! **A dead process can't arrive.** A process that waits and learns that another one of the communicator has
//! died breaks the board, for good and for all, since the others may not learn of it: processes that wait
//! leave with an error, unless the generation was over, and those that come later leave at once.

use cairn_framework::sync::{AtomicU32, Ordering, Sleepers};

/// What the processes of a communicator share. All of it is zero in the beginning.
#[repr(C)]
#[derive(Default)]
pub struct Board {
    arrived: Line<AtomicU32>,
    generation: Line<AtomicU32>,
    sleepers: Line<Sleepers>,
}

/// A word on cache lines of its own.
#[repr(C, align(128))]
#[derive(Default)]
struct Line<T>(T);

/// What a process that has arrived does next.
#[derive(Debug, PartialEq, Eq)]
pub enum Next {
    /// All are there: `open` lets them go.
    Open,
    /// Wait until the generation is not this one, for so many processes.
    Wait(u32, u32),
    /// A process has died: there are no barriers any more.
    Broken,
}

/// What has become of a generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gone {
    /// It is over: all have arrived.
    Passed,
    /// A process has died.
    Broken,
}

/// In the generation's word, beside the number.
const BROKEN: u32 = 1;

impl Board {
    /// One of `size` processes arrives.
    #[inline]
    pub fn arrive(&self, size: u32) -> Next {
        // Before the addition: afterwards it may change. Relaxed: it is what this process left with.
        let generation = self.generation.0.load(Ordering::Relaxed);
        if generation & BROKEN != 0 {
            return Next::Broken;
        }
        let missing = size - 1 - self.arrived.0.fetch_add(1, Ordering::AcqRel);
        if missing != 0 {
            return Next::Wait(generation, missing);
        }
        Next::Open
    }

    /// The last one lets all go. Whether sleepers are to be woken.
    #[inline]
    pub fn open(&self) -> bool {
        self.arrived.0.store(0, Ordering::Relaxed);
        self.generation.0.fetch_add(2, Ordering::Release);
        self.sleepers.0.any()
    }

    /// Whether a process has died, as far as it was said.
    pub fn is_broken(&self) -> bool {
        self.generation.0.load(Ordering::Acquire) & BROKEN != 0
    }

    /// No process is to wait any more. Whether sleepers are to be woken.
    #[cold]
    pub fn break_off(&self) -> bool {
        self.generation.0.fetch_or(BROKEN, Ordering::Release);
        self.sleepers.0.any()
    }

    /// Whether a process has to wait no more that has done so since this generation, and why.
    #[inline]
    pub fn left(&self, generation: u32) -> Option<Gone> {
        let now = self.generation.0.load(Ordering::Acquire);
        match now ^ generation {
            0 => None,
            BROKEN => Some(Gone::Broken),
            _ => Some(Gone::Passed),
        }
    }

    /// The word to sleep on.
    pub fn word(&self) -> &AtomicU32 {
        &self.generation.0
    }

    /// Around every sleep on the word.
    pub fn sleeping<R>(&self, sleep: impl FnOnce() -> R) -> R {
        self.sleepers.0.around(sleep)
    }
}

#[cfg(all(test, feature = "loom"))]
mod model {
    use cairn_framework::sync::loom;
    use cairn_framework::sync::loom::sync::Arc;
    use cairn_framework::sync::loom::thread;

    use super::*;

    struct Shared {
        board: Board,
        /// Counts the arrived.
        work: AtomicU32,
        woken: AtomicU32,
    }

    impl Shared {
        fn new() -> Arc<Self> {
            let (work, woken) = (AtomicU32::new(0), AtomicU32::new(0));
            Arc::new(Self { board: Board::default(), work, woken })
        }

        fn open(&self) {
            if self.board.open() {
                self.woken.store(1, Ordering::Release);
            }
        }

        /// A sleep that the kernel would end: it compares the word under its own lock.
        fn sleep(&self, generation: u32) {
            self.board.sleeping(|| {
                if self.board.word().load(Ordering::Relaxed) == generation {
                    // A process that changes the word from here on must wake us.
                    while self.woken.load(Ordering::Acquire) == 0 {
                        thread::yield_now();
                    }
                }
            });
        }

        /// Waits until the generation is gone, asleep if it `sleeps`.
        fn wait(&self, generation: u32, sleeps: bool) -> Gone {
            loop {
                if let Some(gone) = self.board.left(generation) {
                    return gone;
                }
                if sleeps {
                    self.sleep(generation);
                }
                thread::yield_now();
            }
        }
    }

    fn check(model: impl Fn() + Sync + Send + 'static) {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(3);
        builder.check(model);
    }

    #[test]
    fn model_nobody_leaves_early_and_nobody_sleeps_on() {
        check(|| {
            let run = |shared: &Shared| {
                for round in 1..=2 {
                    shared.work.fetch_add(1, Ordering::Relaxed);
                    match shared.board.arrive(2) {
                        Next::Open => shared.open(),
                        Next::Wait(generation, _) => {
                            assert_eq!(shared.wait(generation, round == 2), Gone::Passed);
                        }
                        Next::Broken => unreachable!("no process has died"),
                    }
                    assert!(shared.work.load(Ordering::Relaxed) >= 2 * round);
                }
            };
            let shared = Shared::new();
            let other = {
                let shared = Arc::clone(&shared);
                thread::spawn(move || run(&shared))
            };
            run(&shared);
            other.join().unwrap();
        });
    }

    /// Of three processes one has died. The others come to know of it at any time.
    #[test]
    fn model_a_death_ends_every_wait() {
        check(|| {
            let shared = Shared::new();
            let waiter = {
                let shared = Arc::clone(&shared);
                thread::spawn(move || match shared.board.arrive(3) {
                    Next::Wait(generation, _) => {
                        assert_eq!(shared.wait(generation, true), Gone::Broken);
                    }
                    next => assert_eq!(next, Next::Broken),
                })
            };
            let next = shared.board.arrive(3);
            if shared.board.break_off() {
                shared.woken.store(1, Ordering::Release);
            }
            let Next::Wait(generation, _) = next else { panic!("{next:?}") };
            assert_eq!(shared.board.left(generation), Some(Gone::Broken));
            waiter.join().unwrap();
            assert_eq!(shared.board.arrive(3), Next::Broken);
        });
    }

    /// A barrier that all have come to, while a process dies, stops none.
    #[test]
    fn model_a_death_behind_a_barrier_is_found_at_the_next() {
        check(|| {
            let shared = Shared::new();
            let other = {
                let shared = Arc::clone(&shared);
                thread::spawn(move || match shared.board.arrive(2) {
                    Next::Wait(generation, _) => shared.wait(generation, true),
                    Next::Broken => Gone::Broken,
                    Next::Open => {
                        shared.open();
                        Gone::Passed
                    }
                })
            };
            match shared.board.arrive(2) {
                Next::Open => shared.open(),
                Next::Wait(generation, _) => drop(shared.wait(generation, false)),
                Next::Broken => {}
            }
            if shared.board.break_off() {
                shared.woken.store(1, Ordering::Release);
            }
            assert_eq!(other.join().unwrap(), Gone::Passed);
            assert_eq!(shared.board.arrive(2), Next::Broken);
        });
    }
}

#[cfg(all(test, not(feature = "loom")))]
mod tests {
    use super::*;

    #[test]
    fn the_last_one_opens_the_barrier() {
        let board = Board::default();
        for round in 0..3 {
            assert_eq!(board.arrive(3), Next::Wait(2 * round, 2));
            assert_eq!(board.arrive(3), Next::Wait(2 * round, 1));
            assert_eq!(board.left(2 * round), None);
            assert_eq!((board.arrive(3), board.left(2 * round)), (Next::Open, None));
            assert!(!board.open());
            assert_eq!(board.left(2 * round), Some(Gone::Passed));
        }
        assert_eq!(board.arrive(2), Next::Wait(6, 1));
        assert_eq!(board.arrive(2), Next::Open);
        assert!(board.sleeping(|| board.open()));
    }

    #[test]
    fn a_board_that_is_broken_stays_so_and_what_was_passed_before_was_passed() {
        let board = Board::default();
        assert_eq!(
            (board.arrive(2), board.arrive(2), board.open()),
            (Next::Wait(0, 1), Next::Open, false)
        );
        assert_eq!(board.arrive(2), Next::Wait(2, 1));
        assert!(!board.is_broken());
        assert!(!board.break_off() && board.sleeping(|| board.break_off()) && board.is_broken());
        assert_eq!((board.left(0), board.left(2)), (Some(Gone::Passed), Some(Gone::Broken)));
        assert_eq!((board.arrive(2), board.arrive(2)), (Next::Broken, Next::Broken));
        // The number goes round.
        let board = Board::default();
        board.generation.0.store(u32::MAX - 1, Ordering::Relaxed);
        assert_eq!((board.arrive(2), board.arrive(2)), (Next::Wait(u32::MAX - 1, 1), Next::Open));
        assert!(!board.open());
        assert_eq!(
            (board.left(u32::MAX - 1), board.arrive(2)),
            (Some(Gone::Passed), Next::Wait(0, 1))
        );
    }

    #[test]
    fn each_word_has_lines_of_its_own() {
        assert_eq!((size_of::<Board>(), align_of::<Board>()), (3 * 128, 128));
    }
}
