//! The two sides of a transfer.
//!
//! The owner publishes a filled slot by a Release store of `filled`, which the reader's Acquire load
//! reads; the reader gives it back by a Release store of `drained`, which the owner's Acquire load
//! reads. Each side keeps its own count to itself and takes the other's only inside the bounds that
//! the own count sets.
//!
//! **When the user's memory is read.** The owner fills one slot when it offers a message, and more
//! only when the reader has asked for them, so it never reads a chunk that the reader can do without:
//! a reader may fetch an offered message another way, or want only its beginning, and then be done. Its
//! process may then say so to the owner's, which may give the memory back although nothing has told this
//! component yet (after MPI_Request_free of the send, MPI 5.0, section 3.7.3).
//!
//! Before its last count a side writes how long it has copied. The side that owns the bounce buffer
//! adds both up.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use cairn_framework::abi::status::ERR_PROTOCOL;
use cairn_framework::author::{Failure, Outcome, copy};
use cairn_segment::pace::{stream, ticks};

use crate::bounce::{BounceBuffer, BounceBuffers, Plan};
use crate::counts::Left;
use crate::neighbour::Neighbour;

/// One side of a transfer.
pub struct Transfer {
    side: Side,
    bounce: BounceBuffer,
    /// Keeps the segment mapped.
    bounces: Arc<BounceBuffers>,
    neighbour: Arc<Neighbour>,
    /// The bounce buffer is one of ours.
    ours: bool,
    plan: Plan,
    /// The user's memory on this side.
    buffer: *mut u8,
    len: usize,
    /// The slot of the first chunk, of so many that the bounce buffer has for chunks of this size.
    start: u64,
    slots: u64,
    /// Chunks in all, and those done on this side.
    chunks: u64,
    done: u64,
    /// Ticks that this side has copied.
    spent: u64,
}

// SAFETY: used by one thread at a time; the buffer is the transfer's until it is finished.
unsafe impl Send for Transfer {}

/// What this process does in a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Has the bytes and fills slots.
    Owner,
    /// Wants the bytes and empties them.
    Reader,
}

impl Transfer {
    /// One side of a transfer over a bounce buffer, which is one of ours or one of the neighbour's.
    pub fn new(
        side: Side,
        (ours, bounce): (Option<&Arc<BounceBuffers>>, BounceBuffer),
        neighbour: &Arc<Neighbour>,
        plan: Plan,
        buffer: *mut u8,
        len: usize,
    ) -> Self {
        let bounces = Arc::clone(ours.unwrap_or(&neighbour.bounces));
        let chunks = len.div_ceil(plan.chunk as usize) as u64;
        let neighbour = Arc::clone(neighbour);
        let ours = ours.is_some();
        // SAFETY: the bounce buffer is reserved and stays mapped.
        let counts = unsafe { &*bounce.counts };
        let slots = (bounces.geometry.span_of(plan.bounce as usize) / plan.chunk as usize) as u64;
        // Of a peer that says what it likes, the remainder is a slot, too.
        let start = counts.start() % slots;
        if side == Side::Reader {
            counts.drained.asked.store(chunks, Ordering::Relaxed);
        }
        Self {
            side,
            bounce,
            bounces,
            neighbour,
            ours,
            plan,
            buffer,
            len,
            start,
            slots,
            chunks,
            done: 0,
            spent: 0,
        }
    }

    /// It writes to a bounce buffer that is not its own.
    fn is_guest(&self) -> bool {
        self.side == Side::Owner && !self.ours
    }

    /// Copies what can be copied now, at most a bounce buffer full.
    pub fn advance(&mut self) -> Result<Outcome, Failure> {
        // SAFETY: the bounce buffer is reserved and stays mapped.
        let counts = unsafe { &*self.bounce.counts };
        if self.is_guest() && counts.is_to_leave(self.plan.number) {
            return Ok(Outcome::Done);
        }
        let asked = match self.side {
            Side::Owner => counts.drained.asked.load(Ordering::Relaxed).min(self.chunks),
            Side::Reader => self.chunks,
        };
        self.copy_up_to(asked.min(self.done + self.bounces.geometry.slots as u64))
    }

    /// Fills the first slot, so that the reader finds something when it hears of the transfer.
    pub fn begin(&mut self) -> Result<Outcome, Failure> {
        self.copy_up_to(1)
    }

    /// Copies what can be copied now of the chunks before this one.
    fn copy_up_to(&mut self, last: u64) -> Result<Outcome, Failure> {
        let slots = self.bounces.geometry.slots as u64;
        let before = self.done;
        // SAFETY: the bounce buffer is reserved and stays mapped.
        let counts = unsafe { &*self.bounce.counts };
        let (own, other) = match self.side {
            Side::Owner => (&counts.filled, &counts.drained),
            Side::Reader => (&counts.drained, &counts.filled),
        };
        while self.done < last {
            let theirs = other.chunks.load(Ordering::Acquire);
            let end = match self.side {
                // A reader is never further behind than the slots that it had when they were filled.
                Side::Owner if theirs <= self.done && self.done - theirs <= slots => theirs + slots,
                Side::Reader if theirs >= self.done && theirs - self.done <= slots => theirs,
                _ => return Err(Failure::new(ERR_PROTOCOL, "the peer counts what can't be")),
            };
            let end = end.min(last);
            if self.done == end {
                break;
            }
            let mut begun = ticks();
            while self.done < end {
                self.copy();
                self.done += 1;
                let now = ticks();
                self.spent += now.wrapping_sub(begun);
                begun = now;
                if self.done == self.chunks {
                    if self.is_guest() {
                        self.neighbour.served.end(self.plan.bounce);
                    }
                    own.spent.store(self.spent, Ordering::Relaxed);
                }
                own.chunks.store(self.done, Ordering::Release);
            }
        }
        Ok(if self.done == self.chunks {
            Outcome::Done
        } else if self.done > before {
            Outcome::Queued
        } else {
            Outcome::Nothing
        })
    }

    /// Copies the next chunk between buffer and slot.
    #[inline]
    fn copy(&self) {
        let chunk = self.plan.chunk as usize;
        let offset = self.done as usize * chunk;
        let len = chunk.min(self.len - offset);
        let slot = ((self.start + self.done) % self.slots) as usize * chunk;
        // SAFETY: the chunk is inside the buffer, the slot inside the bounce buffer, and no chunk is longer
        // than a slot. The other side does not touch the slot until the count says so.
        unsafe {
            let (slot, buffer) = (self.bounce.slots.add(slot), self.buffer.add(offset));
            match self.side {
                Side::Owner if self.plan.streaming => stream(buffer, slot, len),
                Side::Owner => copy(buffer, slot, len),
                Side::Reader => copy(slot, buffer, len),
            }
        }
    }
}

impl Drop for Transfer {
    fn drop(&mut self) {
        // SAFETY: the bounce buffer is reserved and stays mapped.
        let counts = unsafe { &*self.bounce.counts };
        if self.is_guest() && self.done < self.chunks {
            self.neighbour.served.end(self.plan.bounce);
            counts.leave(self.plan.number);
        }
        if !self.ours {
            return;
        }
        let other = match self.side {
            Side::Owner => &counts.drained,
            Side::Reader => &counts.filled,
        };
        let both = self.done == self.chunks && other.chunks.load(Ordering::Acquire) == self.chunks;
        if both {
            // The other side may say what it likes, so only to the point where it is cut off.
            let theirs = other.spent.load(Ordering::Relaxed).min(u64::MAX / 2);
            let ticks = self.spent.min(u64::MAX / 2) + theirs;
            self.neighbour.pace.measured(self.len, self.plan.streaming, ticks);
        }
        // A bounce buffer of the owner's is free when the owner is done with it: its reader has said
        // that it is. An owner that did not get to the end may still write to a bounce buffer of its
        // reader.
        let free = both
            || self.side == Side::Owner
            || counts.give_up(self.plan.number, self.chunks) == Left::Free
            || self.neighbour.has_failed();
        if free {
            self.neighbour.over(&self.bounces, self.side);
            self.bounces.give_back(self.plan.bounce);
        } else {
            self.bounces.lend(self.plan, self.chunks, &self.neighbour);
        }
    }
}
