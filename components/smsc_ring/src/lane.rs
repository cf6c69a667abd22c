//! Lanes: what lies where in a segment, who may use which, and tickets.
//!
//! ```text
//!   header of cairn-segment, directory │ lane: progress of both sides │ slots │ lane ...
//! ```

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use cairn_framework::frameworks::smsc::SmscTicket;
use cairn_segment::{HEADER, Segment, page_size};

/// Changes with anything below.
const LAYOUT: u32 = 3;
/// Lanes of a process: transfers at once that it has planned.
pub const LANES: usize = 64;
/// Lanes that are used in turn, as long as they are enough. A lane that was used just now lies in the
/// other processor's cache, where it is in the way; one of some transfers ago has moved on to the
/// cache that both share.
const IN_TURN: u32 = 4;
/// Bounds of what a peer may say.
const MAX_SLOTS: usize = 64;
const MAX_CHUNK: usize = 1 << 20;

/// What the reader has. Constant once the card is out.
#[repr(C)]
struct Directory {
    layout: u32,
    lanes: u32,
    slots: u32,
    chunk: u32,
}

/// How far both sides are. Reset by the side whose lane it is before it gives the ticket out.
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
}

/// The numbers that everything else follows from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Geometry {
    pub slots: usize,
    pub chunk: usize,
}

impl Geometry {
    /// Bytes of a segment.
    pub fn len(&self) -> usize {
        self.lane(LANES)
    }

    fn lane(&self, index: usize) -> usize {
        page_size() + index * self.lane_len()
    }

    fn lane_len(&self) -> usize {
        (size_of::<Counts>() + self.slots * self.chunk).next_multiple_of(page_size())
    }

    /// Writes the directory of a new segment.
    pub fn write(&self, segment: &Segment) -> Result<(), cairn_segment::Error> {
        segment.reserve(0..page_size())?;
        // SAFETY: inside the segment, reserved, and nobody knows of it yet.
        unsafe {
            segment.base().add(HEADER).cast::<Directory>().write(Directory {
                layout: LAYOUT,
                lanes: LANES as u32,
                slots: self.slots as u32,
                chunk: self.chunk as u32,
            });
        }
        Ok(())
    }

    /// Reads and checks a peer's directory.
    pub fn read(segment: &Segment) -> Result<Self, String> {
        if segment.len() < page_size() {
            return Err("the peer's segment has no directory".into());
        }
        // SAFETY: inside the segment; the owner reserved it before it gave out its card.
        let directory = unsafe { &*segment.base().add(HEADER).cast::<Directory>() };
        let geometry = Self { slots: directory.slots as usize, chunk: directory.chunk as usize };
        let sound = directory.layout == LAYOUT
            && directory.lanes as usize == LANES
            && (1..=MAX_SLOTS).contains(&geometry.slots)
            && (64..=MAX_CHUNK).contains(&geometry.chunk)
            && geometry.len() <= segment.len();
        if sound { Ok(geometry) } else { Err("the peer's segment has another layout".into()) }
    }
}

/// The lane of one transfer, on either side.
pub struct Lane {
    pub counts: *const Counts,
    pub slots: *mut u8,
}

/// Segments of one's own or a peer's, with the lanes in it that have memory.
pub struct Lanes {
    segment: Segment,
    pub geometry: Geometry,
    reserved: [AtomicBool; LANES],
    /// Of one's own segment: those that nobody uses.
    free: Mutex<Free>,
    /// Of one's own segment: those that offers use.
    pub offers: AtomicU32,
}

struct Free {
    in_turn: VecDeque<u32>,
    others: Vec<u32>,
}

impl Lanes {
    pub fn new(segment: Segment, geometry: Geometry) -> Self {
        Self {
            segment,
            geometry,
            reserved: [const { AtomicBool::new(false) }; LANES],
            free: Mutex::new(Free {
                in_turn: (0..IN_TURN).collect(),
                others: (IN_TURN..LANES as u32).rev().collect(),
            }),
            offers: AtomicU32::new(0),
        }
    }

    pub fn card(&self) -> &[u8] {
        self.segment.card()
    }

    /// A lane that nobody uses, reset for a new transfer.
    pub fn take(&self) -> Result<Option<(u32, Lane)>, cairn_segment::Error> {
        let index = {
            let mut free = self.free.lock().expect("nothing panics with it");
            free.in_turn.pop_front().or_else(|| free.others.pop())
        };
        let Some(index) = index else { return Ok(None) };
        let lane = self.lane(index as usize).inspect_err(|_| self.give_back(index))?;
        // SAFETY: the lane is reserved, and its former owner has written its last.
        let counts = unsafe { &*lane.counts };
        for count in [&counts.filled, &counts.drained] {
            count.chunks.store(0, Ordering::Relaxed);
            count.spent.store(0, Ordering::Relaxed);
            count.asked.store(0, Ordering::Relaxed);
        }
        Ok(Some((index, lane)))
    }

    /// Gives a lane back that both sides have done with.
    pub fn give_back(&self, index: u32) {
        let mut free = self.free.lock().expect("nothing panics with it");
        if index < IN_TURN {
            free.in_turn.push_back(index);
        } else {
            free.others.push(index);
        }
    }

    /// A lane with memory behind it. `index` is below [`LANES`].
    pub fn lane(&self, index: usize) -> Result<Lane, cairn_segment::Error> {
        let begin = self.geometry.lane(index);
        if !self.reserved[index].load(Ordering::Acquire) {
            self.segment.reserve(begin..begin + self.geometry.lane_len())?;
            self.reserved[index].store(true, Ordering::Release);
        }
        // SAFETY: inside the segment.
        let counts = unsafe { self.segment.base().add(begin) };
        // SAFETY: as above.
        let slots = unsafe { counts.add(size_of::<Counts>()) };
        Ok(Lane { counts: counts.cast(), slots })
    }
}

/// Which lane, and how the message is cut and copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    pub lane: u32,
    /// Bytes of a chunk, a multiple of [`UNIT`].
    pub chunk: u32,
    /// The owner copies past the caches.
    pub streaming: bool,
}

/// Chunks are multiples of it.
const UNIT: usize = 4 << 10;

impl Plan {
    /// Four chunks or more, of 8 KiB up to the size of a slot: with shorter ones both sides wait for
    /// each other too often, with longer ones too long for the first and the last.
    pub fn chunk_for(len: usize, geometry: Geometry) -> u32 {
        let smallest = (2 * UNIT).min(geometry.chunk);
        (len / 4).next_multiple_of(UNIT).clamp(smallest, geometry.chunk) as u32
    }

    /// Three bytes: the lane in bits 0 to 6, streaming in bit 7, units of a chunk from bit 8 on.
    pub fn ticket(self) -> SmscTicket {
        let units = self.chunk / UNIT as u32;
        let word = self.lane | u32::from(self.streaming) << 7 | units << 8;
        let mut ticket = SmscTicket { len: 3, ..SmscTicket::default() };
        ticket.data[..3].copy_from_slice(&word.to_le_bytes()[..3]);
        ticket
    }

    /// Reads a peer's ticket; `None` when it is not in order.
    pub fn parse(ticket: &SmscTicket, geometry: Geometry) -> Option<Self> {
        let [low, middle, high, ..] = ticket.data;
        let word = u32::from_le_bytes([low, middle, high, 0]);
        let chunk = (word >> 8) * UNIT as u32;
        let plan = Self { lane: word & 0x7f, chunk, streaming: word & 0x80 != 0 };
        let sound = ticket.len == 3
            && (plan.lane as usize) < LANES
            && (1..=geometry.chunk).contains(&(plan.chunk as usize));
        sound.then_some(plan)
    }
}

const _: () = assert!(LANES <= 1 << 7 && MAX_CHUNK / UNIT < 1 << 16);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_travel_and_wrong_ones_are_refused() {
        let geometry = Geometry { slots: 8, chunk: 32 << 10 };
        assert_eq!((size_of::<Counts>(), size_of::<Directory>()), (256, 16));
        for len in [1, 5000, 64 << 10, 1 << 20, 1 << 30] {
            let chunk = Plan::chunk_for(len, geometry);
            assert!((8 << 10..=32 << 10).contains(&chunk), "{chunk}");
            for streaming in [false, true] {
                let plan = Plan { lane: 63, chunk, streaming };
                assert_eq!(Plan::parse(&plan.ticket(), geometry), Some(plan));
            }
        }
        for (lane, chunk) in [(64, 4096), (0, 0), (0, 36 << 10), (127, 0xffff << 12)] {
            let plan = Plan { lane, chunk, streaming: false };
            assert_eq!(Plan::parse(&plan.ticket(), geometry), None);
        }
        let short =
            SmscTicket { len: 2, ..Plan { lane: 0, chunk: 4096, streaming: false }.ticket() };
        assert_eq!(Plan::parse(&short, geometry), None);
    }
}
