//! A ring of messages with one producer and one consumer, in memory that two processes share.
//!
//! ```text
//!   slots   [ control | 56 bytes ] × 256      control = stamp, kind, tag, length: the slot is
//!              ▲ tail            ▲ head       full when the stamp is that of the consumer's lap
//!   data    ....[ message ][ message ]....    what is longer, in the order of its slots
//!   heads   how far the consumer has come     written now and then, read when the ring looks full
//! ```
//!
//! **Who writes what.** The producer writes slots and data, the consumer the heads. The producer
//! publishes a message with one Release store of the slot's control word, which the consumer's
//! Acquire load reads; so a message that fits a slot moves one cache line. The consumer gives slots
//! and data back with Release stores of the heads, which the producer's Acquire loads read before it
//! overwrites. Positions count messages and bytes for ever and are private to each side.
//!
//! **Trust.** The consumer checks every control word before it follows it; the producer takes heads
//! that make no sense for a full ring. Neither can be led outside of the ring.

#[cfg(loom)]
use loom::sync::atomic::{AtomicU64, Ordering};
use std::cell::UnsafeCell;
#[cfg(not(loom))]
use std::sync::atomic::{AtomicU64, Ordering};

/// Slots of a ring, a power of two.
pub const SLOTS: u64 = if cfg!(loom) { 2 } else { 256 };
/// Most bytes of a message in a slot.
pub const INLINE: usize = 56;
/// Data is given out in cache lines.
const LINE: u64 = 64;

/// [`Control::kind`]: for the receive table, in the slot.
pub const KIND_INLINE: u8 = 1;
/// [`Control::kind`]: for the receive table, in the data area.
pub const KIND_DATA: u8 = 2;
/// [`Control::kind`]: the same; before it the rest of the data area was left out.
pub const KIND_DATA_WRAPPED: u8 = 3;
/// [`Control::kind`]: for the transport itself, in the slot.
pub const KIND_CONTROL: u8 = 4;

/// A slot: one cache line.
#[repr(C, align(64))]
pub struct Slot {
    /// Written by the producer.
    control: AtomicU64,
    /// Written by the producer before it publishes, read by the consumer afterwards.
    body: UnsafeCell<[u64; INLINE / 8]>,
}

/// How far the consumer has come. Written by the consumer.
#[repr(C, align(128))]
pub struct Heads {
    slots: AtomicU64,
    data: AtomicU64,
}

/// A slot's control word: length in bits 0 to 31, tag to 39, kind to 47, stamp to 63.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Control(u64);

impl Control {
    fn new(position: u64, kind: u8, tag: u8, len: u32) -> Self {
        let tag_and_kind = u64::from(tag) << 32 | u64::from(kind) << 40;
        Self(u64::from(stamp(position)) << 48 | tag_and_kind | u64::from(len))
    }

    pub fn len(self) -> usize {
        self.0 as u32 as usize
    }

    pub fn tag(self) -> u8 {
        (self.0 >> 32) as u8
    }

    pub fn kind(self) -> u8 {
        (self.0 >> 40) as u8
    }
}

/// What the slot of this position holds when it is full: the number of the lap, from 1. Before that
/// it holds the number of the lap before, so sixteen bits are enough.
#[inline]
fn stamp(position: u64) -> u16 {
    (position / SLOTS + 1) as u16
}

/// Where the parts of a ring lie.
#[derive(Debug, Clone, Copy)]
pub struct Parts {
    pub heads: *const Heads,
    pub slots: *const Slot,
    pub data: *mut u8,
    /// Bytes of data, a power of two.
    pub data_len: u64,
}

impl Parts {
    /// # Safety
    /// The slots are there; both the producer and the consumer pass positions of their own.
    #[inline]
    unsafe fn slot<'a>(&self, position: u64) -> &'a Slot {
        // SAFETY: the index is below SLOTS.
        unsafe { &*self.slots.add((position % SLOTS) as usize) }
    }
}

/// The sender's end.
///
/// One that has no ring yet looks full, so that the hot path has no question more.
pub struct Producer {
    parts: Parts,
    tail: u64,
    data_tail: u64,
    /// The heads as last read.
    seen_slots: u64,
    seen_data: u64,
}

/// Room for a message in the data area.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// Where to write it.
    pub place: *mut u8,
    /// Bytes left out at the end of the area.
    skipped: u64,
}

impl Producer {
    /// Without a ring.
    pub const fn closed() -> Self {
        let parts = Parts {
            heads: std::ptr::null(),
            slots: std::ptr::null(),
            data: std::ptr::null_mut(),
            data_len: 0,
        };
        Self { parts, tail: 0, data_tail: 0, seen_slots: 0u64.wrapping_sub(SLOTS), seen_data: 0 }
    }

    /// The producer of a new ring, all of whose memory is zero.
    ///
    /// # Safety
    /// The parts are there as long as the producer is used, and there is no other.
    pub unsafe fn new(parts: Parts) -> Self {
        Self { parts, tail: 0, data_tail: 0, seen_slots: 0, seen_data: 0 }
    }

    /// Whether there is a ring.
    pub fn is_open(&self) -> bool {
        !self.parts.slots.is_null()
    }

    /// Whether the next slot is free as far as is known without a look at the heads.
    #[inline]
    pub fn has_slot(&self) -> bool {
        self.tail.wrapping_sub(self.seen_slots) < SLOTS
    }

    /// Reads the heads; whether the next slot is free. For an open ring.
    #[cold]
    pub fn look(&mut self) -> bool {
        // SAFETY: see `new`.
        let heads = unsafe { &*self.parts.heads };
        // Acquire pairs with the Release in `Consumer::publish`: the consumer has read what lies
        // before the heads. Heads that were never there are a full ring.
        let (slots, data) =
            (heads.slots.load(Ordering::Acquire), heads.data.load(Ordering::Acquire));
        if self.tail.wrapping_sub(slots) <= SLOTS {
            self.seen_slots = slots;
        }
        if self.data_tail.wrapping_sub(data) <= self.parts.data_len {
            self.seen_data = data;
        }
        self.has_slot()
    }

    /// Where the body of the next message goes, if it fits a slot. The slot must be free.
    #[inline]
    pub fn body(&self) -> *mut u8 {
        debug_assert!(self.has_slot());
        // SAFETY: see `new`.
        unsafe { self.parts.slot(self.tail) }.body.get().cast()
    }

    /// Room for `len` bytes of data, at most half of the area.
    #[inline]
    pub fn room(&mut self, len: usize) -> Option<Room> {
        let size = self.parts.data_len;
        debug_assert!(len as u64 <= size / 2);
        let offset = self.data_tail & (size - 1);
        let need = (len as u64).next_multiple_of(LINE);
        let skipped = if offset + need > size { size - offset } else { 0 };
        let end = self.data_tail + skipped + need;
        if end.wrapping_sub(self.seen_data) > size {
            self.look();
            if end.wrapping_sub(self.seen_data) > size {
                return None;
            }
        }
        let offset = if skipped > 0 { 0 } else { offset };
        // SAFETY: inside the area.
        Some(Room { place: unsafe { self.parts.data.add(offset as usize) }, skipped })
    }

    /// Publishes a message whose body was written.
    #[inline]
    pub fn publish(&mut self, kind: u8, tag: u8, len: u32) {
        debug_assert!(self.has_slot());
        let control = Control::new(self.tail, kind, tag, len);
        // SAFETY: see `new`. Release: the consumer's Acquire sees body and data.
        unsafe { self.parts.slot(self.tail) }.control.store(control.0, Ordering::Release);
        self.tail += 1;
    }

    /// Publishes a message of which `len` bytes were written to the room.
    #[inline]
    pub fn publish_data(&mut self, room: Room, tag: u8, len: u32) {
        let kind = if room.skipped > 0 { KIND_DATA_WRAPPED } else { KIND_DATA };
        self.data_tail += room.skipped + u64::from(len).next_multiple_of(LINE);
        self.publish(kind, tag, len);
    }
}

/// The receiver's end.
pub struct Consumer {
    parts: Parts,
    head: u64,
    data_head: u64,
    /// The heads as last published.
    published_slots: u64,
    published_data: u64,
}

/// A message in place.
#[derive(Debug, Clone, Copy)]
pub struct Message {
    pub data: *const u8,
    pub len: usize,
    /// The data head when it is released.
    data_end: u64,
}

impl Consumer {
    /// The consumer of a ring, from its first message.
    ///
    /// # Safety
    /// The parts are there as long as the consumer is used, and there is no other.
    pub unsafe fn new(parts: Parts) -> Self {
        Self { parts, head: 0, data_head: 0, published_slots: 0, published_data: 0 }
    }

    /// The next message's control word, if there is one.
    #[inline]
    pub fn peek(&self) -> Option<Control> {
        // SAFETY: see `new`. Acquire pairs with the Release in `Producer::publish`.
        let word = unsafe { self.parts.slot(self.head) }.control.load(Ordering::Acquire);
        ((word >> 48) as u16 == stamp(self.head)).then_some(Control(word))
    }

    /// The next message; `None` when its control word is not in order.
    #[inline]
    pub fn message(&self, control: Control) -> Option<Message> {
        let len = control.len();
        match control.kind() {
            KIND_INLINE | KIND_CONTROL => {
                // SAFETY: see `new`.
                let data = unsafe { self.parts.slot(self.head) }.body.get().cast();
                (len <= INLINE).then_some(Message { data, len, data_end: self.data_head })
            }
            KIND_DATA | KIND_DATA_WRAPPED => {
                let size = self.parts.data_len;
                let start = if control.kind() == KIND_DATA {
                    self.data_head
                } else {
                    self.data_head.next_multiple_of(size)
                };
                let offset = start & (size - 1);
                if offset + len as u64 > size {
                    return None;
                }
                // SAFETY: inside the area.
                let data = unsafe { self.parts.data.add(offset as usize) };
                let data_end = start + (len as u64).next_multiple_of(LINE);
                Some(Message { data, len, data_end })
            }
            _ => None,
        }
    }

    /// Gives the next message back. The producer learns it at the latest when a quarter of the ring
    /// is free again; often enough not to wait, seldom enough not to cost a cache line each time.
    #[inline]
    pub fn release(&mut self, message: Message) {
        self.head += 1;
        self.data_head = message.data_end;
        if self.head - self.published_slots >= SLOTS / 4
            || self.data_head - self.published_data >= self.parts.data_len / 4
        {
            self.publish();
        }
    }

    /// Tells the producer everything that is free. For a consumer that found the ring empty.
    #[inline]
    pub fn publish(&mut self) {
        if self.head != self.published_slots {
            // SAFETY: see `new`.
            let heads = unsafe { &*self.parts.heads };
            // Release: what was read before may be overwritten once this is seen.
            heads.data.store(self.data_head, Ordering::Release);
            heads.slots.store(self.head, Ordering::Release);
            self.published_slots = self.head;
            self.published_data = self.data_head;
        }
    }
}

#[cfg(test)]
mod tests;
