//! Whose turn it is: the order of one sender's messages without a lock.
//!
//! ```text
//!   message number n ─► next = n? ─ yes ─► engine ─► next = n + 1 ─ flag was set? ─► claim
//!                          │ no                                                        ▲
//!                          └─► table of those that came early, under its lock ─────────┘
//! ```
//!
//! The number is the ticket: only one message has it, so the thread with the message whose number is
//! next has the turn, and no two threads write `word` to pass it on. What came early lies in a table behind
//! a lock; a flag in `word` asks the thread that passes the turn to look there.
//!
//! **No message is left in the table.** After putting a message in, a thread claims: with the table's lock
//! it looks for the next number. If that is not there, it sets the flag, in the same exchange in which
//! it sees that next is still the same; otherwise it looks again. So when it leaves there is a turn that
//! was not passed since the flag was set, and the thread that passes it finds the flag and claims. All
//! steps that matter are exchanges of one word, so they have one order. Model-checked with loom:
//! `cargo test -p pml_ob1 --features loom --release --lib model_`.
//!
//! **Peers that lie.** A number that comes twice may give two threads the same turn. Both go through the
//! engine, which has its own lock; one of them passes the turn, since it only moves from their number.

use cairn_framework::sync::{AtomicU32, Ordering};

use cairn_framework::audit::Counted;

use crate::mode::Mode;
use crate::wire::SEQUENCE_MASK;

/// The thread that passes the turn has to look into the table.
const FLAG: u32 = 1 << 31;

/// In [`Turn::hands`]: it has a number.
const IN_HANDS: u32 = 1 << 31;

const _: () = assert!(SEQUENCE_MASK & FLAG == 0);

/// How often a thread looks again whose predecessor is in another thread's hands, before it puts its
/// message into the table. A turn is a few dozen nanoseconds, the table costs a copy.
const SPINS: u32 = if cfg!(feature = "loom") { 1 } else { 100 };

/// The turns of one sender's messages.
pub struct Turn {
    /// The number that is next, and the flag.
    word: AtomicU32,
    /// The number that some thread has begun with, so that others know whether waiting is worth while.
    hands: AtomicU32,
}

/// Messages that came early, by their numbers. Used with their lock held.
pub trait Early {
    /// A message.
    type Message;
    /// Takes one out.
    fn take(&mut self, sequence: u32) -> Option<Self::Message>;
    /// Whether there is none.
    fn is_empty(&self) -> bool;
}

impl Turn {
    /// Number 0 is next.
    pub fn new() -> Self {
        Self { word: AtomicU32::new(0), hands: AtomicU32::new(0) }
    }

    /// The number that is next.
    pub fn next(&self) -> u32 {
        self.word.load(Ordering::Relaxed) & SEQUENCE_MASK
    }

    /// The word, if it is the turn of this number; then the caller passes it on, later.
    #[inline]
    pub fn take<M: Mode>(&self, sequence: u32) -> Option<u32> {
        // Acquire: what the one before did to the engine comes before.
        let seen = self.word.load(Ordering::Acquire);
        let mine = seen & SEQUENCE_MASK == sequence;
        if !M::THREADED {
            return mine.then_some(seen);
        }
        let seen = if mine { seen } else { self.wait_behind(sequence)? };
        self.hands.store(sequence | IN_HANDS, Ordering::Relaxed);
        Some(seen)
    }

    /// Waits a little if the number that is next is in another thread's hands; the word, if it is the
    /// caller's turn now.
    #[cold]
    fn wait_behind(&self, sequence: u32) -> Option<u32> {
        for _ in 0..SPINS {
            let seen = self.word.load(Ordering::Acquire);
            let next = seen & SEQUENCE_MASK;
            if next == sequence {
                return Some(seen);
            }
            if self.hands.load(Ordering::Relaxed) != next | IN_HANDS {
                return None;
            }
            core::hint::spin_loop();
        }
        None
    }

    /// Passes the turn on that was taken with this word. True if the caller has to claim.
    #[inline]
    #[must_use]
    pub fn pass<M: Mode>(&self, mut seen: u32) -> bool {
        let sequence = seen & SEQUENCE_MASK;
        let next = sequence.wrapping_add(1) & SEQUENCE_MASK;
        if !M::THREADED {
            self.word.store(next, Ordering::Relaxed);
            return seen & FLAG != 0;
        }
        loop {
            // Release pairs with the Acquire in `take`, Acquire with the Release in `claim`.
            let word = self.word.rmw();
            match word.compare_exchange(seen, next, Ordering::AcqRel, Ordering::Relaxed) {
                Ok(_) => return seen & FLAG != 0,
                // The flag was set meanwhile.
                Err(now) if now & SEQUENCE_MASK == sequence => seen = now,
                // Another message had the same number.
                Err(_) => return false,
            }
        }
    }

    /// Takes the message whose turn it is out of the table, with the word to pass the turn on with when
    /// the message is where it belongs. The caller holds the table's lock. If there is none, the thread
    /// that passes the turn next will claim, unless the table is empty.
    pub fn claim<E: Early>(&self, early: &mut E) -> Option<(u32, E::Message)> {
        loop {
            let seen = self.word.load(Ordering::Acquire);
            let next = seen & SEQUENCE_MASK;
            if let Some(message) = early.take(next) {
                self.hands.store(next | IN_HANDS, Ordering::Relaxed);
                return Some((seen, message));
            }
            if early.is_empty() {
                return None;
            }
            if self.word.rmw().fetch_or(FLAG, Ordering::AcqRel) & SEQUENCE_MASK == next {
                return None;
            }
        }
    }
}

#[cfg(all(test, not(feature = "loom")))]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::mode::{Multiple, Single};

    impl Early for BTreeSet<u32> {
        type Message = u32;

        fn take(&mut self, sequence: u32) -> Option<u32> {
            BTreeSet::take(self, &sequence)
        }

        fn is_empty(&self) -> bool {
            BTreeSet::is_empty(self)
        }
    }

    fn in_mode<M: Mode>() {
        let (turn, mut early) = (Turn::new(), BTreeSet::from([2, 3, 5]));
        assert!(turn.take::<M>(2).is_none());
        assert_eq!(turn.claim(&mut early), None);
        assert!(turn.pass::<M>(turn.take::<M>(0).unwrap()), "there is something in the table");
        assert_eq!(turn.claim(&mut early), None);
        assert!(turn.pass::<M>(turn.take::<M>(1).unwrap()));
        for sequence in [2, 3] {
            assert_eq!(turn.claim(&mut early), Some((sequence, sequence)));
            assert!(!turn.pass::<M>(sequence), "a thread that claimed claims again");
        }
        assert_eq!((turn.claim(&mut early), turn.next()), (None, 4));
        // One that comes twice does not take the turn back.
        let seen = turn.take::<M>(4).unwrap();
        assert!(turn.pass::<M>(seen));
        assert!(!M::THREADED || !turn.pass::<M>(seen));
        assert_eq!(turn.next(), 5);
    }

    #[test]
    fn numbers_have_their_turn() {
        in_mode::<Single>();
        in_mode::<Multiple>();
    }

    #[test]
    fn numbers_wrap() {
        let turn = Turn::new();
        turn.word.store(SEQUENCE_MASK, Ordering::Relaxed);
        assert!(!turn.pass::<Multiple>(turn.take::<Multiple>(SEQUENCE_MASK).unwrap()));
        assert!(turn.take::<Multiple>(0).is_some());
    }
}

#[cfg(all(test, feature = "loom"))]
mod model {
    use cairn_framework::sync::loom;
    use cairn_framework::sync::loom::sync::{Arc, Mutex};

    use super::*;
    use crate::mode::Multiple;

    #[derive(Default)]
    struct Table(Vec<u32>);

    impl Early for Table {
        type Message = ();

        fn take(&mut self, sequence: u32) -> Option<()> {
            let place = self.0.iter().position(|other| *other == sequence)?;
            self.0.remove(place);
            Some(())
        }

        fn is_empty(&self) -> bool {
            self.0.is_empty()
        }
    }

    struct Sender {
        turn: Turn,
        early: Mutex<Table>,
        /// Only the thread that has the turn touches it: loom finds two that touch it at once.
        engine: loom::cell::UnsafeCell<Vec<u32>>,
    }

    // SAFETY: loom checks the cell.
    unsafe impl Sync for Sender {}
    // SAFETY: see `Sync`.
    unsafe impl Send for Sender {}

    impl Sender {
        fn offer(&self, sequence: u32) {
            // SAFETY: the caller has the turn.
            self.engine.with_mut(|engine| unsafe { (*engine).push(sequence) });
        }

        /// What ob1 does with a message.
        fn arrived(&self, sequence: u32) {
            let claims = if let Some(seen) = self.turn.take::<Multiple>(sequence) {
                self.offer(sequence);
                self.turn.pass::<Multiple>(seen)
            } else {
                self.early.lock().unwrap().0.push(sequence);
                true
            };
            while claims {
                let claimed = self.turn.claim(&mut *self.early.lock().unwrap());
                let Some((seen, ())) = claimed else { return };
                self.offer(seen & SEQUENCE_MASK);
                let _ = self.turn.pass::<Multiple>(seen);
            }
        }
    }

    fn all_in_order(threads: &'static [&'static [u32]]) {
        let mut builder = loom::model::Builder::new();
        // Switches of threads where they need not switch. With more it takes many minutes.
        builder.preemption_bound = Some(2);
        builder.check(move || {
            let sender = Arc::new(Sender {
                turn: Turn::new(),
                early: Mutex::default(),
                engine: loom::cell::UnsafeCell::new(Vec::new()),
            });
            let started: Vec<_> = threads
                .iter()
                .map(|numbers| {
                    let sender = sender.clone();
                    loom::thread::spawn(move || numbers.iter().for_each(|n| sender.arrived(*n)))
                })
                .collect();
            started.into_iter().for_each(|thread| thread.join().unwrap());
            let count = threads.iter().map(|numbers| numbers.len()).sum::<usize>() as u32;
            // SAFETY: no other thread is left.
            let engine = sender.engine.with(|engine| unsafe { (*engine).clone() });
            assert_eq!(engine, (0..count).collect::<Vec<_>>());
        });
    }

    #[test]
    fn model_two_threads_bring_all_in_order() {
        all_in_order(&[&[1, 2], &[0]]);
        all_in_order(&[&[1], &[2, 0]]);
    }

    #[test]
    fn model_three_threads_bring_all_in_order() {
        all_in_order(&[&[2], &[1], &[0]]);
    }
}
