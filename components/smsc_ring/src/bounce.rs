//! Bounce buffers: what lies where in a segment, which transfer may use which, and tickets.
//!
//! ```text
//!   header of cairn-segment, directory │ bounce buffer: progress of both sides │ slots │ bounce buffer ...
//! ```

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use cairn_framework::audit::LockLevel;
use cairn_framework::author::Mutex;
use cairn_framework::frameworks::smsc::SmscTicket;
use cairn_segment::{Error, HEADER, Part, Segment, page_size};

use crate::counts::Counts;
use crate::neighbour::Neighbour;
use crate::transfer::Side;

/// Changes with anything below.
const LAYOUT: u32 = 5;
/// Bounce buffers of a process: transfers at once that it has planned.
pub const BOUNCE_BUFFERS: usize = 64;
/// Bounce buffers that are used in turn, as long as they are enough. What was used just now lies in the
/// other processor's cache, where it is in the way; what was used some transfers ago has moved on to the
/// cache that both share. For the same reason each transfer goes on in a bounce buffer behind where the
/// one before it ended: see [`Geometry::span`].
pub const IN_TURN: u32 = 4;
/// Bounds of what a peer may say.
const MAX_SLOTS: usize = 64;
const MAX_CHUNK: usize = 1 << 20;
const MAX_SPAN: usize = 1 << 30;

/// What the reader has. Constant once the card is out.
#[repr(C)]
struct Directory {
    layout: u32,
    bounces: u32,
    slots: u32,
    chunk: u32,
    span: u32,
}

/// The numbers that everything else follows from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Geometry {
    /// Chunks of a message that may be on their way at once.
    pub slots: usize,
    /// Most bytes of a chunk.
    pub chunk: usize,
    /// Bytes that the slots take of a bounce buffer that is used in turn, at least `slots` times `chunk`.
    /// With more, transfers write to memory that has left the cache of the processor that read it. The
    /// other bounce buffers have no more than that.
    pub span: usize,
}

impl Geometry {
    /// Bytes of a segment.
    #[allow(clippy::len_without_is_empty, reason = "no caller asks")]
    pub fn len(&self) -> usize {
        self.bounce(BOUNCE_BUFFERS)
    }

    /// Bytes of its front.
    pub fn front(&self) -> usize {
        page_size()
    }

    /// Bytes that the slots of this bounce buffer take.
    pub fn span_of(&self, index: usize) -> usize {
        if index < IN_TURN as usize { self.span } else { self.slots * self.chunk }
    }

    fn bounce(&self, index: usize) -> usize {
        let in_turn = index.min(IN_TURN as usize);
        page_size()
            + in_turn * self.buffer_len(0)
            + (index - in_turn) * self.buffer_len(IN_TURN as usize)
    }

    fn place(&self, index: usize) -> Range<usize> {
        self.bounce(index)..self.bounce(index + 1)
    }

    fn buffer_len(&self, index: usize) -> usize {
        (size_of::<Counts>() + self.span_of(index)).next_multiple_of(page_size())
    }

    /// Writes the directory of a new segment.
    pub fn write(&self, segment: &Segment) {
        assert!(segment.front_len() >= self.front());
        // SAFETY: inside the front, and no peer has its card yet.
        unsafe {
            segment.front().add(HEADER).cast::<Directory>().write(Directory {
                layout: LAYOUT,
                bounces: BOUNCE_BUFFERS as u32,
                slots: self.slots as u32,
                chunk: self.chunk as u32,
                span: self.span as u32,
            });
        }
    }

    /// Reads and checks a peer's directory.
    pub fn read(segment: &Segment) -> Result<Self, String> {
        if segment.front_len() < page_size() {
            return Err("the peer's segment has no directory".into());
        }
        // SAFETY: inside the front, which the owner reserved before it gave out its card.
        let directory = unsafe { &*segment.front().add(HEADER).cast::<Directory>() };
        let geometry = Self {
            slots: directory.slots as usize,
            chunk: directory.chunk as usize,
            span: directory.span as usize,
        };
        let sound = directory.layout == LAYOUT
            && directory.bounces as usize == BOUNCE_BUFFERS
            && (1..=MAX_SLOTS).contains(&geometry.slots)
            && (64..=MAX_CHUNK).contains(&geometry.chunk)
            && (geometry.slots * geometry.chunk..=MAX_SPAN).contains(&geometry.span)
            && geometry.len() <= segment.len();
        if sound { Ok(geometry) } else { Err("the peer's segment has another layout".into()) }
    }
}

/// The bounce buffer of one transfer, on either side.
#[derive(Clone, Copy)]
pub struct BounceBuffer {
    pub counts: *const Counts,
    pub slots: *mut u8,
}

/// Segments of one's own or a peer's, with the bounce buffers in it that are used.
pub struct BounceBuffers {
    segment: Segment,
    pub geometry: Geometry,
    /// The segment is this process's.
    own: bool,
    parts: [OnceLock<Part>; BOUNCE_BUFFERS],
    /// Of one's own segment: where the next transfer begins, in bytes. A bounce buffer has one user at a
    /// time, so Relaxed.
    starts: [AtomicU32; BOUNCE_BUFFERS],
    /// Of one's own segment: those that no transfer uses.
    free: Mutex<Free>,
    /// Of one's own segment: those that offers use.
    pub offers: AtomicU32,
    /// Of one's own segment: bounce buffers that an owner may still write to.
    lent: Mutex<Vec<Lent>>,
    /// How many those are.
    lent_count: AtomicU32,
}

struct Free {
    in_turn: VecDeque<u32>,
    others: Vec<u32>,
    /// How often bounce buffers were taken.
    uses: u32,
}

impl Free {
    fn take(&mut self) -> Option<u32> {
        self.in_turn.pop_front().or_else(|| self.others.pop())
    }

    /// One of those that `suits`.
    fn take_if(&mut self, suits: impl Fn(u32) -> bool) -> Option<u32> {
        if let Some(place) = self.in_turn.iter().position(|index| suits(*index)) {
            return self.in_turn.remove(place);
        }
        let place = self.others.iter().position(|index| suits(*index))?;
        Some(self.others.swap_remove(place))
    }

    fn give_back(&mut self, index: u32) {
        if index < IN_TURN {
            self.in_turn.push_back(index);
        } else {
            self.others.push(index);
        }
    }
}

/// A bounce buffer of ours that a process may still write to.
struct Lent {
    bounce: u32,
    number: u32,
    chunks: u64,
    to: Arc<Neighbour>,
}

impl BounceBuffers {
    /// Those of this process.
    pub fn own(segment: Segment, geometry: Geometry) -> Self {
        Self::new(segment, geometry, true)
    }

    /// Those of another.
    pub fn others(segment: Segment, geometry: Geometry) -> Self {
        Self::new(segment, geometry, false)
    }

    fn new(segment: Segment, geometry: Geometry, own: bool) -> Self {
        Self {
            segment,
            geometry,
            own,
            parts: [const { OnceLock::new() }; BOUNCE_BUFFERS],
            starts: [const { AtomicU32::new(0) }; BOUNCE_BUFFERS],
            free: Mutex::new(Free {
                in_turn: (0..IN_TURN).collect(),
                others: (IN_TURN..BOUNCE_BUFFERS as u32).rev().collect(),
                uses: 0,
            }),
            offers: AtomicU32::new(0),
            lent: Mutex::at(LockLevel::TABLE, Vec::new()),
            lent_count: AtomicU32::new(0),
        }
    }

    pub fn card(&self) -> &[u8] {
        self.segment.card()
    }

    /// A bounce buffer that no transfer uses, reset for a new transfer of `len` bytes in chunks of `chunk`,
    /// and the number of its use. `open`: the other side, when it comes, is an owner that will write to it.
    /// `None` when all that there is memory for are in use.
    pub fn take(
        &self,
        open: bool,
        len: usize,
        chunk: u32,
    ) -> Result<Option<(u32, u32, BounceBuffer)>, Error> {
        let (index, number) = {
            let mut free = self.free.lock();
            free.uses = free.uses.wrapping_add(1);
            (free.take(), free.uses)
        };
        let Some(mut index) = index else { return Ok(None) };
        let bounce = match self.bounce(index as usize) {
            Ok(bounce) => bounce,
            // Memory is short: what there is goes on.
            Err(error) => {
                let mut free = self.free.lock();
                free.give_back(index);
                let is_there = |index: u32| self.parts[index as usize].get().is_some();
                match free.take_if(is_there) {
                    Some(other) => index = other,
                    None if (0..BOUNCE_BUFFERS as u32).any(is_there) => return Ok(None),
                    None => return Err(error),
                }
                drop(free);
                self.bounce(index as usize)?
            }
        };
        // SAFETY: the bounce buffer is mapped, and its former owner has written its last.
        let counts = unsafe { &*bounce.counts };
        counts.begin(number, self.start(index as usize, len, chunk as usize), open);
        Ok(Some((index, number, bounce)))
    }

    /// The slot that a transfer begins with in a bounce buffer that is taken: behind the one before.
    fn start(&self, index: usize, len: usize, chunk: usize) -> u32 {
        let slots = self.geometry.span_of(index) / chunk;
        let next = &self.starts[index];
        let start = (next.load(Ordering::Relaxed) as usize).div_ceil(chunk) % slots;
        let end = (start + len.div_ceil(chunk)) % slots * chunk;
        next.store(end as u32, Ordering::Relaxed);
        start as u32
    }

    /// Gives a bounce buffer back that both sides have done with.
    pub fn give_back(&self, index: u32) {
        self.free.lock().give_back(index);
    }

    /// Keeps a bounce buffer that an owner may still write to, until it has left.
    pub fn lend(&self, plan: Plan, chunks: u64, to: &Arc<Neighbour>) {
        let mut lent = self.lent.lock();
        lent.push(Lent { bounce: plan.bounce, number: plan.number, chunks, to: Arc::clone(to) });
        self.lent_count.store(lent.len() as u32, Ordering::Relaxed);
    }

    /// Takes back what was lent and is not used any more.
    pub fn recall(&self) {
        if self.lent_count.load(Ordering::Relaxed) == 0 {
            return;
        }
        let mut lent = self.lent.lock();
        lent.retain(|lent| {
            let Some(part) = self.parts[lent.bounce as usize].get() else { return false };
            // SAFETY: the bounce buffer is mapped.
            let counts = unsafe { &*part.base().cast::<Counts>() };
            let back = lent.to.has_failed() || counts.is_back(lent.number, lent.chunks);
            if back {
                lent.to.has_given_back();
                self.give_back(lent.bounce);
            }
            !back
        });
        self.lent_count.store(lent.len() as u32, Ordering::Relaxed);
    }

    /// A bounce buffer that is mapped. `index` is below [`BOUNCE_BUFFERS`].
    pub fn bounce(&self, index: usize) -> Result<BounceBuffer, Error> {
        let part = match self.parts[index].get() {
            Some(part) => part,
            None => {
                let place = self.geometry.place(index);
                // The side that takes a bounce buffer is the first to use it; the other side comes later.
                let part = match self.own {
                    true => self.segment.reserve(place)?,
                    false => self.segment.join(place)?,
                };
                self.parts[index].get_or_init(|| part)
            }
        };
        let counts = part.base();
        // SAFETY: inside the part by its length.
        let slots = unsafe { counts.add(size_of::<Counts>()) };
        Ok(BounceBuffer { counts: counts.cast(), slots })
    }
}

/// Which bounce buffer, and how the message is cut and copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    pub bounce: u32,
    /// Bytes of a chunk, a multiple of `UNIT`.
    pub chunk: u32,
    /// The owner copies past the caches.
    pub streaming: bool,
    /// The number of the bounce buffer's use, if the reader has begun.
    pub number: u32,
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

    /// Three bytes: the bounce buffer in bits 0 to 6, streaming in bit 7, units of a chunk from bit
    /// 8 on. In a reader's ticket, the number follows.
    pub fn ticket(self, side: Side) -> SmscTicket {
        let units = self.chunk / UNIT as u32;
        let word = self.bounce | u32::from(self.streaming) << 7 | units << 8;
        let mut ticket = SmscTicket { len: Self::ticket_len(side), ..SmscTicket::default() };
        ticket.data[..3].copy_from_slice(&word.to_le_bytes()[..3]);
        if side == Side::Reader {
            ticket.data[3..7].copy_from_slice(&self.number.to_le_bytes());
        }
        ticket
    }

    /// Bytes of the ticket of the side that begins.
    fn ticket_len(side: Side) -> u32 {
        match side {
            Side::Owner => 3,
            Side::Reader => 7,
        }
    }

    /// Reads the ticket of a peer that has begun as this side; `None` when it is not in order.
    pub fn parse(ticket: &SmscTicket, geometry: Geometry, side: Side) -> Option<Self> {
        let [low, middle, high, number @ ..] = ticket.data;
        let word = u32::from_le_bytes([low, middle, high, 0]);
        let chunk = (word >> 8) * UNIT as u32;
        let number = match side {
            Side::Owner => 0,
            Side::Reader => u32::from_le_bytes(*number.first_chunk()?),
        };
        let plan = Self { bounce: word & 0x7f, chunk, streaming: word & 0x80 != 0, number };
        let sound = ticket.len == Self::ticket_len(side)
            && (plan.bounce as usize) < BOUNCE_BUFFERS
            && (1..=geometry.chunk).contains(&(plan.chunk as usize));
        sound.then_some(plan)
    }
}

const _: () = assert!(
    BOUNCE_BUFFERS <= u64::BITS as usize && BOUNCE_BUFFERS <= 1 << 7 && MAX_CHUNK / UNIT < 1 << 16
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_travel_and_wrong_ones_are_refused() {
        let geometry = Geometry { slots: 8, chunk: 32 << 10, span: 256 << 10 };
        assert_eq!((size_of::<Counts>(), size_of::<Directory>()), (256, 20));
        let plan =
            |bounce, chunk, streaming| Plan { bounce, chunk, streaming, number: 0x1234_5678 };
        for len in [1, 5000, 64 << 10, 1 << 20, 1 << 30] {
            let chunk = Plan::chunk_for(len, geometry);
            assert!((8 << 10..=32 << 10).contains(&chunk), "{chunk}");
            for streaming in [false, true] {
                let plan = plan(63, chunk, streaming);
                let read = Plan::parse(&plan.ticket(Side::Reader), geometry, Side::Reader);
                assert_eq!(read, Some(plan));
                let offer = Plan::parse(&plan.ticket(Side::Owner), geometry, Side::Owner);
                assert_eq!(offer, Some(Plan { number: 0, ..plan }));
            }
        }
        for (bounce, chunk) in [(64, 4096), (0, 0), (0, 36 << 10), (127, 0xffff << 12)] {
            for side in [Side::Reader, Side::Owner] {
                let ticket = plan(bounce, chunk, false).ticket(side);
                assert_eq!(Plan::parse(&ticket, geometry, side), None);
            }
        }
        let right = plan(0, 4096, false).ticket(Side::Owner);
        assert_eq!(Plan::parse(&right, geometry, Side::Reader), None);
        let short = SmscTicket { len: 2, ..right };
        assert_eq!(Plan::parse(&short, geometry, Side::Owner), None);
    }
}
