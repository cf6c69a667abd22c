//! How a receiver learns of new rings.
//!
//! ```text
//!   sender     entry of the ring: next = newest     newest = the ring
//!   receiver   newest = none, then from entry to entry
//! ```
//!
//! A stack without a lock (Treiber, Coping with Parallelism, 1986), of which the receiver always takes
//! all: so a ring is looked at once, however many there are, and none can be pushed a second time
//! while it is in a stack that a sender still looks at (ABA). The list lies in memory that peers
//! write, so the receiver counts its steps.

use cairn_framework::sync::{AtomicU32, Ordering};

/// A place in the list: the number of a ring, plus one; 0 is none.
#[repr(transparent)]
#[derive(Default)]
pub struct Link(AtomicU32);

impl Link {
    /// Puts a ring at the beginning of the list. `next` is its own link.
    pub fn push(&self, ring: u32, next: &Self) {
        // Relaxed: what is read is compared below.
        let mut newest = self.0.load(Ordering::Relaxed);
        loop {
            next.0.store(newest, Ordering::Relaxed);
            // Release pairs with the Acquire in `take`, which reads this or what was put on top of it.
            let (release, relaxed) = (Ordering::Release, Ordering::Relaxed);
            match self.0.compare_exchange_weak(newest, ring + 1, release, relaxed) {
                Ok(_) => return,
                Err(found) => newest = found,
            }
        }
    }

    /// Whether nothing is in the list. Hot.
    #[inline]
    pub fn is_empty(&self) -> bool {
        // Relaxed: `take` looks again.
        self.0.load(Ordering::Relaxed) == 0
    }

    /// Takes the whole list: its first ring, if there is one.
    pub fn take(&self) -> Option<u32> {
        self.0.swap(0, Ordering::Acquire).checked_sub(1)
    }

    /// The ring behind this one in a list that was taken.
    pub fn next(&self) -> Option<u32> {
        self.0.load(Ordering::Relaxed).checked_sub(1)
    }
}

#[cfg(all(test, not(feature = "loom")))]
mod tests {
    use super::*;

    #[test]
    fn what_is_pushed_is_taken_once_the_newest_first() {
        let (newest, links) = (Link::default(), [const { Link(AtomicU32::new(0)) }; 3]);
        assert!(newest.is_empty() && newest.take().is_none());
        for ring in [2, 0, 1] {
            newest.push(ring, &links[ring as usize]);
            assert!(!newest.is_empty());
        }
        let mut taken = Vec::new();
        let mut place = newest.take();
        while let Some(ring) = place {
            taken.push(ring);
            place = links[ring as usize].next();
        }
        assert_eq!(taken, [1, 0, 2]);
        assert!(newest.is_empty() && newest.take().is_none());
    }
}

#[cfg(all(test, feature = "loom"))]
mod model {
    use std::sync::Arc;

    use cairn_framework::sync::loom;
    use cairn_framework::sync::loom::cell::UnsafeCell;
    use cairn_framework::sync::loom::thread;

    use super::*;

    struct Shared {
        newest: Link,
        /// Of each ring: its link, and what its sender wrote before it announced it.
        entries: [(Link, UnsafeCell<u32>); 2],
    }

    // SAFETY: loom watches what is in the cells.
    unsafe impl Send for Shared {}
    // SAFETY: see `Send`.
    unsafe impl Sync for Shared {}

    #[test]
    fn model_every_ring_is_found_once_with_what_was_written_before() {
        loom::model(|| {
            let entry = || (Link::default(), UnsafeCell::new(0));
            let shared = Arc::new(Shared { newest: Link::default(), entries: [entry(), entry()] });
            let senders = [0, 1].map(|ring| {
                let shared = Arc::clone(&shared);
                thread::spawn(move || {
                    let (link, written) = &shared.entries[ring as usize];
                    // SAFETY: loom checks it.
                    written.with_mut(|at| unsafe { *at = ring + 7 });
                    shared.newest.push(ring, link);
                })
            });
            let mut found = [0; 2];
            let mut look = || {
                let mut place = shared.newest.take();
                while let Some(ring) = place {
                    let (link, written) = &shared.entries[ring as usize];
                    // SAFETY: loom checks it.
                    assert_eq!(written.with(|at| unsafe { *at }), ring + 7);
                    found[ring as usize] += 1;
                    place = link.next();
                }
            };
            look();
            for sender in senders {
                sender.join().unwrap();
            }
            look();
            assert_eq!(found, [1, 1]);
        });
    }
}
