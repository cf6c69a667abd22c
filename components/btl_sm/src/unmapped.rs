//! Rings that were announced and can't be mapped: memory, address space or descriptors are short.
//!
//! The sender of such a ring has no other way to us, so the ring is tried again, after pauses that grow, as
//! a try costs system calls. Nothing tells when a shortage is over, and a thread may sleep meanwhile: the
//! sleeps of a waiting thread are bounded, and the next pass tries what is due.
//!
//! What a process has sent before it ended is delivered if its ring can be mapped, which needs nothing of
//! its sender. So the end of the process is not told while tries go on; but it has to be told some time,
//! as receives wait for it. Therefore a ring is given up when it could still not be mapped after
//! [`LAST_TRIES`] tries since its sender was found to have ended.

use std::time::{Duration, Instant};

/// From the first try to the second. Each pause is twice as long as the one before.
const FIRST_PAUSE: Duration = Duration::from_millis(1);
/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_millis(128);
/// Tries after the end of the sender: some seconds, unless other rings are mapped meanwhile.
const LAST_TRIES: u32 = 40;

/// A ring that its sender has announced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Announced {
    /// Which one of the segment.
    pub index: u32,
    /// The sender's, as it was when the ring was found.
    pub rank: u32,
}

/// The rings of one CRI that wait to be mapped, each once.
#[derive(Default)]
pub struct Unmapped {
    waiting: Vec<Waiting>,
    /// Up to the next try, and when that is.
    pause: Duration,
    next: Option<Instant>,
}

struct Waiting {
    ring: Announced,
    /// Tries that are left, once the sender has ended.
    left: Option<u32>,
}

impl Unmapped {
    /// Whether no ring waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Whether a ring of this rank waits.
    pub fn has(&self, rank: u32) -> bool {
        self.waiting.iter().any(|waiting| waiting.ring.rank == rank)
    }

    /// Keeps a ring after its first try has failed. The caller keeps each ring once.
    pub fn keep(&mut self, ring: Announced) {
        self.waiting.push(Waiting { ring, left: None });
        if self.next.is_none() {
            self.wait(FIRST_PAUSE);
        }
    }

    fn wait(&mut self, pause: Duration) {
        self.pause = pause;
        self.next = Some(Instant::now() + pause);
    }

    /// The sender has ended: its rings are given up after some more tries.
    pub fn sender_has_ended(&mut self, rank: u32) {
        for waiting in self.waiting.iter_mut().filter(|waiting| waiting.ring.rank == rank) {
            waiting.left.get_or_insert(LAST_TRIES);
        }
    }

    /// If it is time, calls `map` for each ring, which says whether the ring is mapped now. Returns those
    /// that are given up.
    pub fn retry(&mut self, mut map: impl FnMut(Announced) -> bool) -> Vec<Announced> {
        if self.next.is_none_or(|next| Instant::now() < next) {
            return Vec::new();
        }
        let (before, mut lost) = (self.waiting.len(), Vec::new());
        self.waiting.retain_mut(|waiting| {
            if map(waiting.ring) {
                return false;
            }
            if let Some(left) = &mut waiting.left {
                *left -= 1;
                if *left == 0 {
                    lost.push(waiting.ring);
                    return false;
                }
            }
            true
        });
        if self.waiting.is_empty() {
            self.next = None;
        } else if self.waiting.len() + lost.len() < before {
            // What others may find as well.
            self.wait(FIRST_PAUSE);
        } else {
            self.wait((self.pause * 2).min(LONGEST_PAUSE));
        }
        lost
    }

    /// The next try is due.
    #[cfg(all(test, not(feature = "loom")))]
    pub fn make_due(&mut self) {
        self.next = self.next.map(|_| Instant::now());
    }
}

#[cfg(all(test, not(feature = "loom")))]
mod tests {
    use super::*;

    const RINGS: [Announced; 2] =
        [Announced { index: 7, rank: 1 }, Announced { index: 3, rank: 2 }];

    #[test]
    fn pauses_grow_until_a_ring_is_mapped() {
        let mut unmapped = Unmapped::default();
        unmapped.make_due();
        assert!(unmapped.retry(|_| unreachable!("no ring waits")).is_empty());
        RINGS.into_iter().for_each(|ring| unmapped.keep(ring));
        let mut pauses = Vec::new();
        for _ in 0..10 {
            pauses.push(unmapped.pause.as_millis());
            // Before its time nothing is tried.
            unmapped.next = Some(Instant::now() + Duration::from_secs(3600));
            assert!(unmapped.retry(|_| unreachable!("too early")).is_empty());
            unmapped.make_due();
            assert!(unmapped.retry(|_| false).is_empty());
        }
        assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 64, 128, 128, 128]);
        unmapped.make_due();
        assert!(unmapped.retry(|ring| ring.index == 7).is_empty());
        assert_eq!(unmapped.pause, FIRST_PAUSE);
        assert!(!unmapped.has(1) && unmapped.has(2));
        unmapped.make_due();
        assert!(unmapped.retry(|ring| ring == RINGS[1]).is_empty());
        assert!(unmapped.is_empty() && unmapped.next.is_none());
    }

    #[test]
    fn the_rings_of_a_sender_that_has_ended_are_given_up_and_no_others() {
        let mut unmapped = Unmapped::default();
        RINGS.into_iter().for_each(|ring| unmapped.keep(ring));
        let mut tries = 0;
        while unmapped.has(2) {
            // Asked for again and again.
            unmapped.sender_has_ended(2);
            unmapped.make_due();
            tries += 1;
            let lost = unmapped.retry(|_| false);
            assert_eq!(lost, &RINGS[1..][..usize::from(tries == LAST_TRIES)]);
        }
        assert_eq!(tries, LAST_TRIES);
        assert!(unmapped.has(1));
    }
}
