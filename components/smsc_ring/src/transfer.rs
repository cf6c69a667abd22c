//! The two sides of a transfer.
//!
//! The owner publishes a filled slot by a Release store of `filled`, which the reader's Acquire load
//! reads; the reader gives it back by a Release store of `drained`, which the owner's Acquire load
//! reads. Each side keeps its own count to itself and takes the other's only inside the bounds that
//! the own count sets.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use cairn_framework::abi::status::ERR_PROTOCOL;
use cairn_framework::author::{Failure, Outcome};

use crate::lane::{Lane, Lanes};

/// One side of a transfer.
pub struct Transfer {
    side: Side,
    lane: Lane,
    /// Keeps the segment mapped.
    lanes: Arc<Lanes>,
    /// The user's memory on this side.
    buffer: *mut u8,
    len: usize,
    chunk: usize,
    /// Chunks in all, and those done on this side.
    chunks: u64,
    done: u64,
}

// SAFETY: used by one thread at a time; the buffer is the transfer's until it is finished.
unsafe impl Send for Transfer {}

enum Side {
    Owner,
    /// Has the lane with this number.
    Reader(u32),
}

impl Transfer {
    pub fn reader(
        lanes: &Arc<Lanes>,
        (index, lane): (u32, Lane),
        buffer: *mut u8,
        len: usize,
        chunk: u32,
    ) -> Self {
        Self::new(Side::Reader(index), lanes, lane, buffer, len, chunk)
    }

    pub fn owner(
        lanes: &Arc<Lanes>,
        lane: Lane,
        buffer: *const u8,
        len: usize,
        chunk: u32,
    ) -> Self {
        Self::new(Side::Owner, lanes, lane, buffer.cast_mut(), len, chunk)
    }

    fn new(
        side: Side,
        lanes: &Arc<Lanes>,
        lane: Lane,
        buffer: *mut u8,
        len: usize,
        chunk: u32,
    ) -> Self {
        let (lanes, chunk) = (Arc::clone(lanes), chunk as usize);
        let chunks = len.div_ceil(chunk) as u64;
        Self { side, lane, lanes, buffer, len, chunk, chunks, done: 0 }
    }

    /// Copies what can be copied now, at most a lane full.
    pub fn advance(&mut self) -> Result<Outcome, Failure> {
        let slots = self.lanes.geometry.slots as u64;
        let before = self.done;
        // SAFETY: the lane is reserved and stays mapped.
        let counts = unsafe { &*self.lane.counts };
        let (own, other) = match self.side {
            Side::Owner => (&counts.filled.0, &counts.drained.0),
            Side::Reader(_) => (&counts.drained.0, &counts.filled.0),
        };
        while self.done < self.chunks && self.done - before < slots {
            let theirs = other.load(Ordering::Acquire);
            let end = match self.side {
                Side::Owner if theirs <= self.done => theirs + slots,
                Side::Reader(_) if theirs >= self.done && theirs - self.done <= slots => theirs,
                _ => return Err(Failure::new(ERR_PROTOCOL, "the peer counts what can't be")),
            };
            let end = end.min(self.chunks).min(before + slots);
            if self.done == end {
                break;
            }
            while self.done < end {
                self.copy();
                self.done += 1;
                own.store(self.done, Ordering::Release);
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
        let offset = self.done as usize * self.chunk;
        let len = self.chunk.min(self.len - offset);
        let slot = self.done as usize % self.lanes.geometry.slots * self.lanes.geometry.chunk;
        // SAFETY: the chunk is inside the buffer, the slot inside the lane, and no chunk is longer
        // than a slot. The other side does not touch the slot until the count says so.
        unsafe {
            let (slot, buffer) = (self.lane.slots.add(slot), self.buffer.add(offset));
            match self.side {
                Side::Owner => std::ptr::copy_nonoverlapping(buffer, slot, len),
                Side::Reader(_) => std::ptr::copy_nonoverlapping(slot, buffer, len),
            }
        }
    }
}

impl Drop for Transfer {
    fn drop(&mut self) {
        // Otherwise the owner may still write to the lane.
        if let Side::Reader(index) = self.side
            && self.done == self.chunks
        {
            self.lanes.give_back(index);
        }
    }
}
