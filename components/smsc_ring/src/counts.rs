//! What both sides of a transfer tell each other: how far they are, and which still uses the bounce
//! buffer.
//!
//! **A bounce buffer comes back.** One of the data's owner is free when its transfer is over: its
//! reader has said so. One of the reader's is written by the owner, which may be in the middle of
//! that when the reader gives up. So the bounce buffer's *phase* says what the owner does, together
//! with the number of the use, which is in the ticket, so that a late ticket opens nothing:
//!
//! ```text
//!   OPEN ──► JOINED ──► LEFT       by the owner: takes part, will not touch the bounce buffer again
//!    │          └──► LEAVING ──► LEFT       the reader wants it back; the owner sees that
//!    └──► LEFT       by the reader: the owner has not come, and can't any more
//! ```
//!
//! While an owner has to see it, which happens when its process calls MPI again, the bounce buffer
//! is *lent*. If the process has ended, it writes no more.
//!
//! **The reader may write there what it likes.** So an owner does not believe the phase alone: which
//! bounce buffers of a reader it serves it keeps to itself ([`Served`]), and a reader that opens
//! such a bounce buffer once more has broken the rules.

use cairn_framework::sync::{AtomicU64, Ordering};

/// How far both sides are. Reset by the side that owns the bounce buffer, before it gives the ticket out.
#[repr(C)]
pub struct Counts {
    /// Written by the owner, read by the reader.
    pub filled: Count,
    /// Written by the reader, read by the owner.
    pub drained: Count,
}

/// One side's progress, on its own cache lines.
#[repr(C, align(128))]
pub struct Count {
    /// Chunks that this side is done with.
    pub chunks: AtomicU64,
    /// Ticks that it copied; written before the last chunk is counted.
    pub spent: AtomicU64,
    /// The reader's: chunks that it wants. 0 as long as it has not said that it takes this way.
    pub asked: AtomicU64,
    /// The owner's: see [`Phase`]. Beside its count, as it is about to write that.
    phase: AtomicU64,
    /// In the owner's: the slot that the first chunk goes to.
    start: AtomicU64,
}

/// What the owner does with a bounce buffer of the reader's; above it is the number of the use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
enum Phase {
    /// No other process uses the bounce buffer.
    Left,
    /// The owner may come.
    Open,
    /// It has come.
    Joined,
    /// It has come, and is to leave.
    Leaving,
}

impl Phase {
    /// With the number of the use.
    fn of(self, number: u32) -> u64 {
        u64::from(number) << 2 | self as u64
    }
}

/// How a bounce buffer is left that a reader does not need any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// No process writes to it.
    Free,
    /// The owner may still do so.
    Lent,
}

impl Counts {
    /// A new use with this number, from this slot on. `open`: an owner is to come.
    pub fn begin(&self, number: u32, start: u32, open: bool) {
        for count in [&self.filled, &self.drained] {
            count.chunks.store(0, Ordering::Relaxed);
            count.spent.store(0, Ordering::Relaxed);
            count.asked.store(0, Ordering::Relaxed);
        }
        self.filled.start.store(start.into(), Ordering::Relaxed);
        let phase = if open { Phase::Open } else { Phase::Left };
        // Release pairs with the Acquire of the owner that joins.
        self.filled.phase.store(phase.of(number), Ordering::Release);
    }

    /// The slot that the first chunk goes to, as the side that has the bounce buffer said.
    pub fn start(&self) -> u64 {
        self.filled.start.load(Ordering::Relaxed)
    }

    /// The owner comes to the use with this number; false when the reader has given it up.
    pub fn join(&self, number: u32) -> bool {
        self.change(number, Phase::Open, Phase::Joined)
    }

    /// Whether the reader wants the owner to leave.
    pub fn is_to_leave(&self, number: u32) -> bool {
        self.filled.phase.load(Ordering::Relaxed) == Phase::Leaving.of(number)
    }

    /// The owner leaves a use that it has come to, before its end.
    pub fn leave(&self, number: u32) {
        let _ = self.change(number, Phase::Joined, Phase::Left)
            || self.change(number, Phase::Leaving, Phase::Left);
    }

    /// The reader does not need the bounce buffer any more; the transfer has so many chunks.
    pub fn give_up(&self, number: u32, chunks: u64) -> Left {
        if self.is_written(chunks)
            || self.change(number, Phase::Open, Phase::Left)
            || !self.change(number, Phase::Joined, Phase::Leaving)
        {
            return Left::Free;
        }
        Left::Lent
    }

    /// Whether the owner of a lent bounce buffer writes no more.
    pub fn is_back(&self, number: u32, chunks: u64) -> bool {
        // An owner that came to the end may have gone without a look at the phase.
        self.is_written(chunks)
            || self.filled.phase.load(Ordering::Acquire) != Phase::Leaving.of(number)
    }

    /// Whether the owner has written its last.
    fn is_written(&self, chunks: u64) -> bool {
        self.filled.chunks.load(Ordering::Acquire) == chunks
    }

    fn change(&self, number: u32, from: Phase, to: Phase) -> bool {
        let (from, to) = (from.of(number), to.of(number));
        let phase = &self.filled.phase;
        phase.compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }
}

/// The bounce buffers of a reader that this process serves, a bit each: at most one transfer a
/// bounce buffer, whatever the reader writes into its phase.
///
/// An owner takes its bounce buffer out before its last write to the bounce buffer. The reader gives
/// the next ticket for the bounce buffer out after it has seen that, so the owner that comes with
/// the ticket finds the bounce buffer out.
#[derive(Default)]
pub struct Served(AtomicU64);

impl Served {
    /// Takes a bounce buffer in after [`Counts::join`]; false when it is served already, so the
    /// phase was a lie.
    pub fn begin(&self, bounce: u32) -> bool {
        // Relaxed: what orders two uses of a bounce buffer are its counts and its phase.
        self.0.fetch_or(1 << bounce, Ordering::Relaxed) >> bounce & 1 == 0
    }

    /// Takes it out: the owner is about to write its last count, or its last phase.
    pub fn end(&self, bounce: u32) {
        self.0.fetch_and(!(1 << bounce), Ordering::Relaxed);
    }
}

#[cfg(test)]
fn counts(number: u32) -> Counts {
    let count = || Count {
        chunks: AtomicU64::new(0),
        spent: AtomicU64::new(0),
        asked: AtomicU64::new(0),
        phase: AtomicU64::new(0),
        start: AtomicU64::new(0),
    };
    let counts = Counts { filled: count(), drained: count() };
    counts.begin(number, 0, true);
    counts
}

#[cfg(all(test, not(feature = "loom")))]
mod tests {
    use super::*;

    #[test]
    fn a_bounce_buffer_that_was_given_up_is_free_when_its_owner_can_not_write() {
        // No owner has come, and none can any more.
        let bounce = counts(7);
        assert_eq!((bounce.give_up(7, 4), bounce.join(7)), (Left::Free, false));
        // The owner is there, and leaves when it sees that.
        let bounce = counts(7);
        assert!(!bounce.join(6) && bounce.join(7) && !bounce.join(7) && !bounce.is_to_leave(7));
        assert_eq!(bounce.give_up(7, 4), Left::Lent);
        assert!(bounce.is_to_leave(7) && !bounce.is_to_leave(6) && !bounce.is_back(7, 4));
        bounce.leave(7);
        assert!(bounce.is_back(7, 4));
        // It has left before, or come to the end.
        let bounce = counts(7);
        bounce.join(7);
        bounce.leave(7);
        assert_eq!(bounce.give_up(7, 4), Left::Free);
        let bounce = counts(7);
        bounce.join(7);
        bounce.filled.chunks.store(4, Ordering::Relaxed);
        assert_eq!(bounce.give_up(7, 4), Left::Free);
        // It comes to the end without a look.
        let bounce = counts(7);
        bounce.join(7);
        assert_eq!(bounce.give_up(7, 4), Left::Lent);
        bounce.filled.chunks.store(4, Ordering::Relaxed);
        assert!(bounce.is_back(7, 4));
        // The next use is none of its business.
        let bounce = counts(8);
        bounce.leave(7);
        assert!(!bounce.join(7) && bounce.join(8));
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
        counts: Counts,
        served: Served,
        /// What the owner of the first use writes, and afterwards the reader for another.
        slot: UnsafeCell<u32>,
    }

    // SAFETY: loom watches the slot.
    unsafe impl Send for Shared {}
    // SAFETY: see `Send`.
    unsafe impl Sync for Shared {}

    const CHUNKS: u64 = 2;

    /// An owner that comes at any time and fills some chunks, and a reader that gives up at any time:
    /// when the bounce buffer is back the owner writes no more, and it does come back.
    fn check(filled: u64) {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(3);
        builder.check(move || {
            let shared = Arc::new(Shared {
                counts: counts(7),
                served: Served::default(),
                slot: UnsafeCell::new(0),
            });
            let owner = {
                let shared = Arc::clone(&shared);
                thread::spawn(move || {
                    let (counts, served) = (&shared.counts, &shared.served);
                    if !counts.join(7) {
                        return;
                    }
                    assert!(served.begin(0));
                    let mut done = 0;
                    while done < filled && !counts.is_to_leave(7) {
                        // SAFETY: loom checks it.
                        shared.slot.with_mut(|at| unsafe { *at += 1 });
                        done += 1;
                        if done == CHUNKS {
                            served.end(0);
                        }
                        counts.filled.chunks.store(done, Ordering::Release);
                    }
                    if done < CHUNKS {
                        served.end(0);
                        counts.leave(7);
                    }
                })
            };
            let counts = &shared.counts;
            let free = counts.give_up(7, CHUNKS) == Left::Free || counts.is_back(7, CHUNKS);
            if free {
                counts.begin(8, 0, true);
                // SAFETY: loom checks it.
                shared.slot.with_mut(|at| unsafe { *at = 0 });
                // The next owner comes, whatever the first one does: another thread of its process.
                assert!(counts.join(8) && !counts.is_to_leave(8));
                assert!(shared.served.begin(0), "served once at a time");
            }
            owner.join().unwrap();
            if !free {
                assert!(counts.is_back(7, CHUNKS));
            }
        });
    }

    #[test]
    fn model_a_bounce_buffer_is_back_when_its_owner_writes_no_more() {
        check(1);
        check(CHUNKS);
    }
}
