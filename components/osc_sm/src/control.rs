//! What the processes of a window share besides its memory.
//!
//! ```text
//!   fence           arrived += 1;  the last one: arrived = 0, generation += 2, wake
//!   post to o       o.posts[me] += 1, o.news += 1, wake            start: until posts[t] is more than before
//!   complete at t   t.completed += 1, t.news += 1, wake            wait: until completed is what was posted
//!   a death         broken = 1 in all control blocks; then generation |= TOLD in all, and all that sleep look again
//! ```
//!
//! **No wake-up is lost.** A process that sleeps on a word has read it before it looked at what the word
//! announces, and that changes before the word does; a death is written in every block before any word
//! changes, because a process looks for it in its own and may sleep on a word of another. Between `++sleepers` and the kernel's look at the word,
//! and between the change of the word and the look at `sleepers`, there is a full fence.

use std::sync::atomic::{AtomicU32, Ordering};

use cairn_framework::author::wake_sleepers;
use cairn_framework::sync::Sleepers;
use cairn_rma::{AccumulateLocks, LockWord};

/// The control block of a rank. All of it is zero in the beginning; behind it there is a word for each rank:
/// how often that has posted to this one.
#[repr(C, align(128))]
pub struct Control {
    pub locks: AccumulateLocks,
    pub lock: LockWord,
    /// Of rank 0: how many have come to a fence.
    arrived: Line,
    /// Of rank 0: fences, times two; and of all whether those that sleep on it were told of a death.
    generation: Signal,
    /// Posts to this rank and completions of accesses to it.
    pub news: Signal,
    completed: Line,
    /// Whether a process has died.
    broken: Line,
}

#[repr(C, align(128))]
struct Line(AtomicU32);

/// A word that processes sleep on.
#[repr(C, align(128))]
pub struct Signal {
    word: AtomicU32,
    sleepers: Sleepers,
}

impl Signal {
    /// The word to sleep on.
    pub fn word(&self) -> &AtomicU32 {
        &self.word
    }

    /// Something has happened, which was written before.
    pub fn raise(&self) {
        self.word.fetch_add(2, Ordering::Release);
        self.wake();
    }

    fn wake(&self) {
        if self.sleepers.any() {
            wake_sleepers(&self.word);
        }
    }

    /// Around every sleep on the word.
    pub fn sleeping<R>(&self, sleep: impl FnOnce() -> R) -> R {
        self.sleepers.around(sleep)
    }
}

/// In the word of a generation: those that sleep on it were told of a death.
const TOLD: u32 = 1;

impl Control {
    /// Bytes of a control block among so many ranks.
    pub fn len(size: u32) -> usize {
        size_of::<Self>() + size as usize * size_of::<AtomicU32>()
    }

    /// How often a rank has posted to this one.
    ///
    /// # Safety
    /// The block has been made for more ranks than this one.
    pub unsafe fn posts(&self, rank: u32) -> &AtomicU32 {
        let behind = std::ptr::from_ref(self).wrapping_add(1).cast::<AtomicU32>();
        // SAFETY: promised by the caller.
        unsafe { &*behind.wrapping_add(rank as usize) }
    }

    /// One of `size` ranks comes to a fence, on the block of rank 0. Which generation is to be over before it
    /// leaves; `None`: all are there.
    pub fn arrive(&self, size: u32) -> Option<u32> {
        // Before the addition: afterwards it may change.
        let generation = self.generation.word.load(Ordering::Relaxed) & !TOLD;
        if self.arrived.0.fetch_add(1, Ordering::AcqRel) + 1 != size {
            return Some(generation);
        }
        // No rank comes again before it has seen the new generation.
        self.arrived.0.store(0, Ordering::Relaxed);
        self.generation.raise();
        None
    }

    /// Whether a generation is over.
    pub fn is_over(&self, generation: u32) -> bool {
        self.generation.word.load(Ordering::Acquire) & !TOLD != generation
    }

    /// What changes when a generation is over, or a process has died.
    pub fn generation(&self) -> &Signal {
        &self.generation
    }

    /// Whether a process has died.
    pub fn is_broken(&self) -> bool {
        self.broken.0.load(Ordering::Relaxed) != 0
    }

    /// A process has died. `tell` follows when that is written in all blocks.
    pub fn break_off(&self) {
        self.broken.0.store(1, Ordering::Release);
    }

    /// All that wait look again.
    pub fn tell(&self) {
        self.generation.word.fetch_or(TOLD, Ordering::Release);
        self.generation.wake();
        self.news.raise();
        if self.lock.stir() {
            wake_sleepers(self.lock.word());
        }
    }

    /// A rank has completed its accesses.
    pub fn complete(&self) {
        self.completed.0.fetch_add(1, Ordering::Release);
        self.news.raise();
    }

    /// How many have, in all.
    pub fn completed(&self) -> u32 {
        self.completed.0.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn control() -> Box<Control> {
        // SAFETY: zeros are a control block.
        unsafe { Box::new(std::mem::zeroed()) }
    }

    #[test]
    fn the_last_one_ends_a_generation() {
        let control = control();
        for _ in 0..3 {
            let [first, second] = [control.arrive(3), control.arrive(3)];
            let generation = first.expect("it waits");
            assert_eq!(second, first);
            assert!(!control.is_over(generation));
            assert_eq!(control.arrive(3), None);
            assert!(control.is_over(generation));
        }
        // A death ends none, and is seen.
        let generation = control.arrive(2).expect("it waits");
        let words = || {
            [&control.generation, &control.news].map(|signal| signal.word().load(Ordering::Relaxed))
        };
        let (before, seen) = (words(), control.lock.seen());
        control.break_off();
        assert!(control.is_broken() && words() == before && control.lock.seen() == seen);
        control.tell();
        assert!(
            words().iter().zip(&before).all(|(now, then)| now != then)
                && control.lock.seen() != seen
        );
        assert!(!control.is_over(generation));
    }

    #[test]
    fn words_of_different_writers_share_no_lines() {
        let parts = cairn_framework::parts!(Control {
            locks: "accumulates",
            lock: "lockers",
            arrived: "fences",
            generation: "the last at a fence",
            news: "origins that post or complete, and sleepers",
            completed: "origins that complete",
            broken: "the first that hears of a death",
        });
        cairn_framework::layout::check("a control block", &parts);
    }
}
