//! A ring of messages with one producer and one consumer, in memory that two processes share.
//!
//! ```text
//!   lines   [ control | 56 bytes ][ 64 bytes ][ control | 56 bytes ]...     a message begins on a line
//!              ▲ head                            ▲ tail                     and is contiguous
//!   head    how far the consumer has come         written with each message, read now and then
//!           how far a message has grown           written and read with each step
//! ```
//!
//! A control word is stamp, kind, tag and length. A message begins where the stamp is that of the
//! consumer's lap. A lap ends where the sender ends it, since the consumer also looks for the next lap's first
//! message: where a message does not fit in before the end of the ring, or well before.
//!
//! **Short laps.** Where messages answer each other the consumer has always read what there is, and a lap ends after
//! a few of them: so both sides use the same few lines, which stay in their first-level caches. There a line is
//! handed over in 50 ns and comes after another in 7; from a lap of the whole ring in 70 and 10. A sender whose
//! messages follow each other goes on through the ring: what the consumer has just read is slower to write than what
//! has left its cache. Of a ring that was empty when a lap ended all lines are free but one: that at which the
//! consumer waits for the old lap. There a message of the new one may begin, since its stamp is another; where one
//! would lie across, a filler comes first.
//!
//! **In turns.** Two processes that take turns on a processor find what the other has written in its caches, as long as
//! that is little. There a sender of short messages ends the lap when it looks and the ring is empty, and of those no
//! more than a window of the ring is unread; behind a longer message that found no room without a look another window
//! begins. Longer ones have all of the ring, as each that has no room costs both a turn; those that answer each other end
//! the lap too.
//!
//! **Writers.** The producer writes lines and steps, the consumer the rest of the head. The producer publishes a
//! message with one Release store of its control word, which the consumer's Acquire load reads; so
//! a short message moves one cache line, and a longer one its own lines and no other. The consumer
//! gives lines back with a Release store of the head, which the producer's Acquire load reads before
//! it overwrites. Positions count lines for ever and are private to each side.
//!
//! **Messages that grow.** A long message is published when its first step is written, so that both sides copy at once.
//! The producer tells of each further one on a line of its own, see `Steps`, and not by the control word, which the
//! consumer has looked at last and would have to give back each time.
//!
//! **Memory.** A ring whose front only has memory ends its laps there, until a longer message that does not fit in asks
//! for more.
//!
//! **What is left behind.** Control words of earlier laps have other stamps. But a line may have been
//! the middle of a message, so its first word may be anything. The producer looks at the word behind
//! a message before it publishes the message, and clears it in the rare case that it has the stamp of
//! the lap: so the consumer never looks at a word that could be taken for a control word. The line
//! behind a message is a free one, or the one at which the consumer waits.
//!
//! **Sources.** As in FastForward (Giacomoni, Moseley and Vachharajani, PPoPP 2008) the consumer learns from
//! the slot itself that it is full, and the two sides share no index with every message; a stamp takes the
//! place of FastForward's null, so that slots need not be cleared. Free space is found as in Lamport's queue
//! (1977), by an index that is read seldom, as in MCRingBuffer (Lee, Bu and Chandranmenon, 2009).
//!
//! **Trust.** The consumer checks every control word before it follows it; the producer takes a head
//! that makes no sense for a full ring. Neither can be led outside of the ring. But a consumer waits for a message
//! that grows as long as its producer's process lives: one that is stopped in the midst of it stops the consumer.

use std::cell::UnsafeCell;

use cairn_framework::sync::{AtomicU32, AtomicU64, Ordering};
use cairn_segment::pace::believed;

/// Bytes of a line.
pub const LINE: usize = 64;
/// Most bytes of a message in one line.
pub const INLINE: usize = LINE - CONTROL;
/// Bytes of a control word.
const CONTROL: usize = 8;

/// [`Control::kind`]: for the receive table.
pub const KIND_MESSAGE: u8 = 1;
/// [`Control::kind`]: for the transport itself, at most [`INLINE`] bytes.
pub const KIND_CONTROL: u8 = 2;
/// [`Control::kind`]: nothing; the producer needed the lines behind it.
pub const KIND_FILLER: u8 = 5;
/// [`Control::kind`]: for the receive table, copied in the ordinary way. The receiver measures what it takes.
pub const KIND_CACHED: u8 = 3;
/// [`Control::kind`]: the same, copied past the caches.
pub const KIND_STREAMED: u8 = 4;
/// [`Control::kind`]: with this bit, for the receive table, and still being written. The other bits say how many
/// pieces a step has. The first step is there, the others follow; see `Steps`.
pub const KIND_GROWING: u8 = 0x80;

/// Most pieces of a step.
pub const LONGEST_STEP: usize = KIND_GROWING as usize - 1;

/// Bytes of a piece of a message that grows, of which a step has some. It ends at the end of a line, so the first one
/// has fewer bytes of the message by its control word.
pub const PIECE: usize = if cfg!(feature = "loom") { LINE } else { 4 << 10 };
/// Bytes of a message of so many pieces.
pub const fn grown(pieces: usize) -> usize {
    pieces * PIECE - CONTROL
}

/// Most bytes of a message in a ring of so many bytes. One that is twice as long may not find room for ever: up to its
/// own length may be left out at the end of the ring.
pub const fn longest(ring_size: usize) -> usize {
    ring_size / 4
}

/// Lines of a short lap, a quarter of a first-level cache of 32 KiB: the other direction needs another.
const SHORT_LAP: u32 = if cfg!(feature = "loom") { 2 } else { 128 };
/// Most bytes, header included, of a message that may end a lap early. A longer one gains nothing by it, but where the
/// two sides take turns.
pub const ENDS_LAP: usize = (4 << 10) + 512;
/// Most bytes, header included, of a message that is short where the two sides take turns. What a longer one would gain
/// by the caches a turn costs that ends sooner.
pub const SHORT: usize = (1 << 10) + 64;
/// Lines of such a message.
const SHORT_LINES: u64 = (SHORT + CONTROL).div_ceil(LINE) as u64;
/// Lines after which a sender looks where the two sides take turns.
const TURN_STRIDE: u64 = 73;
/// Fewest lines of a window: room for what is sent without a look, and for a short message with the filler before it.
const LEAST_WINDOW: u32 = 2 * TURN_STRIDE as u32;
/// Most lines after which a sender looks whether it may end the lap.
const LONGEST_STRIDE: u32 = 2048;

/// Times as many lines have memory when those that do are not enough.
const GROWTH: u64 = 4;

/// [`Producer::window`]: all of the ring.
const WHOLE: u32 = u32::MAX;

/// [`Producer::waits`]: in the producer's lap.
const NOWHERE: u64 = u64::MAX;

/// A cache line.
#[repr(C, align(64))]
pub struct Line {
    /// Of a message that begins here, else of the middle of one. Written by the producer.
    control: AtomicU64,
    /// Written by the producer before it publishes, read by the consumer afterwards.
    body: UnsafeCell<[u64; INLINE / 8]>,
}

/// What the two sides say besides the lines.
#[repr(C, align(128))]
#[derive(Default)]
pub struct Head {
    /// How far the consumer has come. Written by the consumer.
    position: AtomicU64,
    costs: Costs,
    steps: Steps,
}

/// How far the producer has come with a message that grows. Written by the producer.
///
/// Each step is told of on a line of its own, one after the other: the consumer waits at the line of the next step,
/// and the producer can have it before the step is there. A step's word is its message's position and its number
/// added, so that no earlier message has said the same or more, with the kind of the message below if it is the last.
#[derive(Default)]
struct Steps([Step; STEPS]);

#[repr(C, align(64))]
#[derive(Default)]
struct Step(AtomicU64);

/// Lines for steps.
const STEPS: usize = if cfg!(feature = "loom") { 1 } else { 8 };

impl Steps {
    #[inline]
    fn of(&self, number: u64) -> &AtomicU64 {
        &self.0[number as usize % STEPS].0
    }
}

/// What a longer message costs the consumer, on a line that changes seldom: ticks a KiB, of those that were
/// copied in the ordinary way in the lower half, of those that went past the caches in the upper one.
#[repr(C, align(64))]
#[derive(Default)]
struct Costs(AtomicU32);

/// A control word: length in bits 0 to 31, tag to 39, kind to 47, stamp to 63.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Control(u64);

impl Control {
    #[inline]
    fn new(stamp: u16, kind: u8, tag: u8, len: u32) -> Self {
        let tag_and_kind = u64::from(tag) << 32 | u64::from(kind) << 40;
        Self(u64::from(stamp) << 48 | tag_and_kind | u64::from(len))
    }

    fn stamp(self) -> u16 {
        (self.0 >> 48) as u16
    }

    #[allow(clippy::len_without_is_empty, reason = "no caller asks")]
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

/// Where the parts of a ring lie.
#[derive(Debug, Clone, Copy)]
pub struct Parts {
    pub head: *const Head,
    pub lines: *const Line,
    /// Lines, a power of two.
    pub count: u64,
}

/// Lines that a message of so many bytes takes.
#[inline]
fn lines_of(len: usize) -> u64 {
    (len + CONTROL).div_ceil(LINE) as u64
}

/// Parts with what follows from them.
#[derive(Clone, Copy)]
struct Lines {
    first: *const Line,
    /// Their number less one.
    mask: u64,
    shift: u32,
    /// Those that have memory, of which one more may be looked at: a message ends before it.
    there: u32,
}

impl Lines {
    fn new(parts: &Parts) -> Self {
        let count = parts.count;
        assert!(count.is_power_of_two() && count <= u64::from(u32::MAX));
        let (mask, shift) = (count - 1, count.trailing_zeros());
        Self { first: parts.lines, mask, shift, there: count as u32 }
    }

    /// Their number.
    #[inline]
    fn count(&self) -> u64 {
        self.mask + 1
    }

    /// Which one it is.
    #[inline]
    fn index(&self, position: u64) -> u64 {
        position & self.mask
    }

    /// # Safety
    /// There is a ring.
    #[inline]
    unsafe fn at<'a>(&self, position: u64) -> &'a Line {
        // SAFETY: the index is below the number of lines.
        unsafe { &*self.first.add(self.index(position) as usize) }
    }

    /// What a control word at this position says when it is of this lap: the number of the lap, from
    /// 1. Those that are left behind may be of any other, or the same after 65,536 laps: see `publish_at`.
    #[inline]
    fn stamp(&self, position: u64) -> u16 {
        ((position >> self.shift) + 1) as u16
    }

    /// Where the bytes of a message lie that begins at this position. They may go on over the following
    /// lines, so the pointer is not one to a line.
    ///
    /// # Safety
    /// There is a ring.
    #[inline]
    unsafe fn body(&self, position: u64) -> *mut u8 {
        // SAFETY: the index is below the number of lines.
        unsafe { self.first.add(self.index(position) as usize).byte_add(CONTROL).cast_mut().cast() }
    }

    /// Lines from this position to the end of the ring.
    #[inline]
    fn rest_of_ring(&self, position: u64) -> u64 {
        self.count() - self.index(position)
    }

    /// Of those, such as a message may take.
    #[inline]
    fn rest(&self, position: u64) -> u64 {
        u64::from(self.there) - self.index(position)
    }
}

/// A line that is about to be written is in the cache of the receiver, which read its last message
/// one round ago, and fetching it takes longer than sending a message: between groups of processor cores
/// without a common cache three times as long. So it is asked for that many messages before.
const AHEAD: u64 = 4;

/// Asks for a line that will be written. What it asks for need not be free: it is a hint, and a receiver
/// that has still to read the line fetches it once more.
#[inline(always)]
fn prefetch_to_write(line: *const Line) {
    // The compiler makes a prefetch for reading of its own hint where it may not assume the instruction.
    // SAFETY: prefetching has no effect that a program sees, whatever the address; processors of 64 bits
    // that do not know the instruction ignore it.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        std::arch::asm!("prefetchw [{}]", in(reg) line, options(nostack, preserves_flags, readonly));
    }
    // SAFETY: as above.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        std::arch::asm!("prfm pstl1keep, [{}]", in(reg) line, options(nostack, preserves_flags, readonly));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = line;
}

/// The sender's end.
///
/// One that has no ring yet looks full, so that the hot path needs no further comparison.
pub struct Producer {
    lines: Lines,
    tail: u64,
    /// Lines before this position are free as far as is known, and so is that at it. May be less than `free`, where
    /// it is time to look.
    limit: u64,
    /// The same, as the consumer said last.
    free: u64,
    /// Where the window of short messages begins, unless the consumer is further.
    begin: u64,
    /// Where the consumer waits for the last lap, as far as is known, by this lap: no message lies across it.
    waits: u64,
    /// Lines from one look to the next.
    stride: u32,
    /// Lines that short messages may take before the consumer takes its turn, or [`WHOLE`].
    window: u32,
    /// A message followed another to this consumer since the last look.
    follows: bool,
    /// There was no more memory when it was asked for.
    refused: bool,
    head: *const Head,
}

/// Room for a message.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// Where to write it.
    pub place: *mut u8,
}

/// A message that was published and is still being written.
pub struct Growing {
    begin: u64,
    /// Steps that are there.
    there: u64,
}

impl Producer {
    /// Without a ring.
    pub const fn closed() -> Self {
        let lines = Lines { first: std::ptr::null(), mask: 0, shift: 0, there: 0 };
        Self {
            lines,
            tail: 0,
            limit: 0,
            free: 0,
            begin: 0,
            waits: NOWHERE,
            stride: 0,
            window: WHOLE,
            follows: false,
            refused: false,
            head: std::ptr::null(),
        }
    }

    /// The producer of a new ring, which is all zero.
    ///
    /// # Safety
    /// The parts are there as long as the producer is used, and there is no other.
    pub unsafe fn new(parts: Parts) -> Self {
        let lines = Lines::new(&parts);
        let (free, stride) = (lines.count() - 1, SHORT_LAP);
        let limit = free.min(stride.into());
        let head = parts.head;
        Self { lines, limit, free, stride, head, ..Self::closed() }
    }

    /// The same, where it and the consumer take turns on a processor. Of messages that take no more lines than one of
    /// [`SHORT`] bytes so many bytes are unread at most, behind the last longer one.
    #[must_use]
    pub fn in_turns(mut self, window: usize) -> Self {
        let lines = u32::try_from(window / LINE).unwrap_or(WHOLE);
        self.window = lines.clamp(LEAST_WINDOW, WHOLE - 1);
        self.limit = self.limit.min(TURN_STRIDE);
        self
    }

    /// So many bytes of lines, those that there are and further ones, have memory, and the rest does not: no message lies
    /// there, and neither side looks at it. Those of a new ring all have.
    pub fn has_memory(&mut self, bytes: usize) {
        let lines = &mut self.lines;
        lines.there = match bytes / LINE {
            // One is looked at behind a message.
            some if (some as u64) < lines.count() => some.saturating_sub(1) as u32,
            _ => lines.count() as u32,
        };
        self.refused = false;
        self.limit = self.limit.min(self.tail + lines.rest(self.tail));
    }

    /// How many bytes of lines should have memory, if a message of `len` bytes did not find room for lack of it.
    #[cold]
    pub fn asks(&self, len: usize) -> Option<usize> {
        let (need, there) = (lines_of(len), u64::from(self.lines.there));
        let lines = (2 * need + 1).max(GROWTH * (there + 1)).min(self.lines.count());
        self.lengthens(need).then_some(lines as usize * LINE)
    }

    /// There is no more memory: from here on laps end where it does, and only a message that never finds room asks
    /// again.
    pub fn refuse(&mut self) {
        self.refused = true;
    }

    /// Whether a message of `len` bytes never finds room without more memory: up to its own length may be left out at
    /// the end.
    pub fn lacks_memory(&self, len: usize) -> bool {
        self.refused && self.is_short_of(lines_of(len))
    }

    /// Bytes of the longest message that finds room without more memory.
    pub fn always_fits(&self) -> usize {
        self.lines.there as usize / 2 * LINE - CONTROL
    }

    fn is_short_of(&self, need: u64) -> bool {
        let there = u64::from(self.lines.there);
        there < self.lines.count() && there < 2 * need
    }

    /// Whether a message of so many lines waits for memory, and not for the next lap.
    fn lengthens(&self, need: u64) -> bool {
        let Lines { there, .. } = self.lines;
        self.lines.rest(self.tail) < need
            && u64::from(there) < self.lines.count()
            && (need > SHORT_LINES && !self.refused || self.is_short_of(need))
    }

    /// Whether it and the consumer take turns on a processor.
    #[inline]
    pub fn takes_turns(&self) -> bool {
        self.window != WHOLE
    }

    /// Whether there is a ring.
    pub fn is_open(&self) -> bool {
        !self.head.is_null()
    }

    /// Whether the next line is free, and one behind it, as far as is known without a look at the head.
    #[inline]
    pub fn has_line(&self) -> bool {
        self.tail < self.limit
    }

    /// Reads the head; whether a message of `len` bytes has room. For an open ring. `answers`: as in [`room`](Self::room).
    #[cold]
    pub fn look(&mut self, len: usize, answers: bool) -> bool {
        self.find(lines_of(len), answers)
    }

    /// Reads the head, ends the lap if that is necessary or good, and says whether so many lines at the tail are free.
    #[cold]
    fn find(&mut self, need: u64, answers: bool) -> bool {
        // SAFETY: see `new`. Acquire pairs with the Release in `Consumer::advance`: the consumer has
        // read what lies before the head.
        let head = unsafe { &*self.head }.position.load(Ordering::Acquire);
        let count = self.lines.count();
        // A head that makes no sense is taken for a full ring; what is free never becomes less.
        let in_use = if head <= self.tail { self.tail - head } else { u64::MAX };
        if in_use <= count {
            self.free = self.free.max(head + count - 1);
        }
        if in_use != u64::MAX && head + count > self.waits {
            self.waits = NOWHERE;
        }
        let in_window = self.takes_turns() && need <= SHORT_LINES;
        let answers = in_window || (answers && !self.follows);
        let is_empty = in_use == 0;
        let rest = self.lines.rest_of_ring(self.tail);
        let lap = count - rest;
        let long_enough = u64::from(SHORT_LAP).min(count / 2) / 2;
        if is_empty && answers && lap >= long_enough.max(need) {
            self.end_lap(rest, true);
        } else if self.lines.rest(self.tail) < need {
            if self.lengthens(need) {
                return false;
            }
            if self.tail + rest + need <= self.free {
                self.end_lap(rest, is_empty);
            }
        } else if !answers && !self.takes_turns() {
            self.stride = (2 * self.stride).min(LONGEST_STRIDE);
        }
        self.follows = false;
        self.pass_by(need);
        // In turns a longer message that looks begins a window.
        let stride = if self.takes_turns() { TURN_STRIDE } else { self.stride.into() };
        let limit = self.tail + stride.max(need);
        let end = self.tail + self.lines.rest(self.tail);
        self.limit = limit.min(self.free).min(self.waits).min(end);
        if self.takes_turns() {
            self.keep_to_window(need, head);
        }
        self.fits(need)
    }

    /// Leaves a short message no more room than its window has, and lets the next window begin behind a longer one.
    fn keep_to_window(&mut self, need: u64, head: u64) {
        if need <= SHORT_LINES {
            self.limit = self.limit.min(head.max(self.begin).saturating_add(self.window.into()));
        } else if self.fits(need) {
            self.begin = self.tail + need;
        } else {
            // The room that there is may be more than short ones have.
            self.limit = self.limit.min(self.tail);
        }
    }

    /// Goes to the next lap, and leaves out what is left of this one.
    fn end_lap(&mut self, rest: u64, is_empty: bool) {
        let (count, waits) = (self.lines.count(), self.tail);
        self.tail += rest;
        // The consumer gets here when there is something.
        self.begin = self.tail;
        self.stride = SHORT_LAP;
        self.waits = NOWHERE;
        if is_empty {
            self.free = self.tail + count - 1;
            self.waits = waits + count;
        }
    }

    /// Lets a message of so many lines begin where the consumer waits if it would lie across, and has room there.
    fn pass_by(&mut self, need: u64) {
        let waits = self.waits;
        let lies_across = self.tail <= waits && waits < self.tail + need;
        if !lies_across || waits + need > self.free || need > self.lines.rest(waits) {
            return;
        }
        if self.tail < waits {
            let (begin, lines) = (self.tail, waits - self.tail);
            self.tail = waits;
            let len = lines as usize * LINE - CONTROL;
            self.publish_at(begin, waits, KIND_FILLER, 0, len as u32);
        }
        self.waits = NOWHERE;
    }

    /// Whether so many lines at the tail are known to be free.
    #[inline]
    fn fits(&self, need: u64) -> bool {
        self.tail + need <= self.limit && need <= self.lines.rest(self.tail)
    }

    /// Where the next message goes, if it fits a line. There must be one.
    #[inline]
    pub fn body(&self) -> *mut u8 {
        debug_assert!(self.has_line());
        // SAFETY: see `new`.
        unsafe { self.lines.body(self.tail) }
    }

    /// Room for a message of `len` bytes, at most [`longest`]. `answers`: it may end a lap, see [`ENDS_LAP`], and the
    /// sender has looked for messages since it sent the last one here, so that this one may be the answer to one.
    #[inline]
    pub fn room(&mut self, len: usize, answers: bool) -> Option<Room> {
        let need = lines_of(len);
        if !self.fits(need) && !self.find(need, answers) {
            return None;
        }
        // SAFETY: see `new`; the lines are free.
        Some(Room { place: unsafe { self.lines.body(self.tail) } })
    }

    /// The next message follows another one.
    #[inline]
    pub fn follow(&mut self) {
        self.follows = true;
    }

    /// Asks for a line that one of the next messages will need. There must be a ring.
    #[inline]
    pub fn prefetch_ahead(&self) {
        // SAFETY: see `new`.
        prefetch_to_write(unsafe { self.lines.at(self.tail + AHEAD) });
    }

    /// Publishes a message of one line after its body was written.
    #[inline]
    pub fn publish(&mut self, kind: u8, tag: u8, len: u32) {
        debug_assert!(self.has_line() && len as usize <= INLINE);
        let begin = self.tail;
        self.tail = begin + 1;
        self.publish_at(begin, begin + 1, kind, tag, len);
    }

    /// What longer messages cost the consumer, in ticks a KiB, cached and streamed; 0 if it has not said.
    #[inline]
    pub fn costs(&self) -> [u32; 2] {
        // SAFETY: see `new`; the producer is open. Relaxed: they are hints.
        let costs = unsafe { &*self.head }.costs.0.load(Ordering::Relaxed);
        [costs & 0xffff, costs >> 16]
    }

    /// Publishes a message of this kind of which `len` bytes were written to the room that was found last.
    #[inline]
    pub fn publish_room(&mut self, kind: u8, tag: u8, len: u32) {
        let begin = self.tail;
        self.tail = begin + lines_of(len as usize);
        self.publish_at(begin, self.tail, kind, tag, len);
    }

    #[inline]
    fn publish_at(&self, begin: u64, end: u64, kind: u8, tag: u8, len: u32) {
        let lines = &self.lines;
        // SAFETY: see `new`; the line behind the message is free. Relaxed: it is our own.
        let behind = unsafe { &lines.at(end).control };
        if Control(behind.load(Ordering::Relaxed)).stamp() == lines.stamp(end) {
            // Before the store below, so the consumer sees it before it gets there.
            // Nor what it waits for in the lap before.
            let other = lines.stamp(end) ^ 0x8000;
            behind.store(Control::new(other, 0, 0, 0).0, Ordering::Relaxed);
        }
        let control = Control::new(lines.stamp(begin), kind, tag, len);
        // SAFETY: see `new`. Release: the consumer's Acquire sees the message.
        unsafe { lines.at(begin) }.control.store(control.0, Ordering::Release);
    }

    /// Publishes a message for the receive table of which the first step is written, of so many pieces, and others
    /// follow.
    pub fn begin(&mut self, tag: u8, len: u32, step: u8) -> Growing {
        debug_assert!(step & KIND_GROWING == 0 && grown(step.into()) < len as usize);
        let growing = Growing { begin: self.tail, there: 1 };
        self.prefetch_step(2);
        self.publish_room(KIND_GROWING | step, tag, len);
        growing
    }

    /// The message that was begun last has another step.
    pub fn grow(&self, growing: &mut Growing) {
        self.tell(growing, 0);
        self.prefetch_step(growing.there + 1);
    }

    /// That was the last one; the message is of this kind.
    pub fn finish(&self, growing: &mut Growing, kind: u8) {
        self.tell(growing, kind);
    }

    fn steps(&self) -> &Steps {
        // SAFETY: see `new`; a message was published, so there is a ring.
        &unsafe { &*self.head }.steps
    }

    fn prefetch_step(&self, number: u64) {
        prefetch_to_write(std::ptr::from_ref(self.steps().of(number)).cast());
    }

    fn tell(&self, growing: &mut Growing, kind: u8) {
        growing.there += 1;
        let word = (growing.begin + growing.there) << 8 | u64::from(kind);
        // Release: the consumer's Acquire sees what was written before.
        self.steps().of(growing.there).store(word, Ordering::Release);
    }
}

/// The receiver's end.
pub struct Consumer {
    /// The line at the head, and the stamp that it waits for.
    next: *const Line,
    expected: u16,
    /// What longer messages cost, as in [`Costs`], and as last published.
    costs: [u16; 2],
    lines: Lines,
    position: u64,
    head: *const Head,
}

/// A message in place.
#[derive(Debug, Clone, Copy)]
pub struct Message {
    pub data: *const u8,
    pub len: usize,
}

/// How much there is of a message that is still being written.
#[derive(Clone, Copy)]
pub struct Coming {
    head: *const Head,
    begin: u64,
    /// Bytes of a step.
    step: usize,
    len: usize,
}

impl Coming {
    /// Bytes that are there, if so many were, and the kind of the message when that is all of it.
    ///
    /// # Safety
    /// The ring is there, and the message was not given back.
    #[inline]
    pub unsafe fn there(&self, have: usize) -> (usize, Option<u8>) {
        // SAFETY: promised by the caller.
        let steps = &unsafe { &*self.head }.steps;
        let mut number = ((have.min(self.len) + CONTROL) / self.step).max(1);
        loop {
            let there = number * self.step - CONTROL;
            if there >= self.len {
                // The last one's word, if no later message has another there.
                let word = steps.of(number as u64).load(Ordering::Relaxed);
                let is_own = word >> 8 == self.begin + number as u64;
                return (self.len, Some(if is_own { word as u8 } else { KIND_MESSAGE }));
            }
            let next = number as u64 + 1;
            // Acquire pairs with the Release in `Producer::tell`, be it of this step or a later one.
            if steps.of(next).load(Ordering::Acquire) >> 8 < self.begin + next {
                return (there, None);
            }
            number += 1;
        }
    }
}

impl Consumer {
    /// The consumer of a ring, from its first message.
    ///
    /// # Safety
    /// The parts are there as long as the consumer is used, and there is no other.
    pub unsafe fn new(parts: Parts) -> Self {
        let lines = Lines::new(&parts);
        Self {
            next: parts.lines,
            expected: lines.stamp(0),
            costs: [0; 2],
            lines,
            position: 0,
            head: parts.head,
        }
    }

    /// The next message's control word, if there is one.
    #[inline]
    pub fn peek(&mut self) -> Option<Control> {
        // SAFETY: see `new`. Acquire pairs with the Release in `Producer::publish_at`.
        let control =
            |line: *const Line| Control(unsafe { &*line }.control.load(Ordering::Acquire));
        let next = control(self.next);
        if next.stamp() == self.expected {
            return Some(next);
        }
        // There a message begins in every lap.
        let first = control(self.lines.first);
        if first.stamp() != self.expected.wrapping_add(1) {
            return None;
        }
        // The lap has ended, here or behind what came after the first look.
        let next = control(self.next);
        if next.stamp() == self.expected {
            return Some(next);
        }
        self.advance(self.lines.rest_of_ring(self.position));
        Some(first)
    }

    /// The next message; `None` when its control word is not in order, or one of no message.
    #[inline]
    pub fn message(&self, control: Control) -> Option<Message> {
        let len = control.len();
        // SAFETY: see `new`.
        let data = unsafe { self.lines.body(self.position) }.cast_const();
        let fits = match control.kind() {
            KIND_MESSAGE | KIND_CACHED | KIND_STREAMED | KIND_FILLER => {
                len <= INLINE || lines_of(len) <= self.lines.rest_of_ring(self.position)
            }
            KIND_CONTROL => len <= INLINE,
            kind if kind & KIND_GROWING != 0 => {
                let step = usize::from(kind ^ KIND_GROWING);
                step > 0
                    && len > grown(step)
                    && lines_of(len) <= self.lines.rest_of_ring(self.position)
            }
            _ => false,
        };
        fits.then_some(Message { data, len })
    }

    /// The next message while it is still being written: to be asked by [`Coming::there`]. The control word is that
    /// of the message.
    #[inline]
    pub fn coming(&self, control: Control) -> Coming {
        let step = usize::from(control.kind() ^ KIND_GROWING) * PIECE;
        Coming { head: self.head, begin: self.position, step, len: control.len() }
    }

    /// Gives the next message back. The producer looks seldom, so that this costs no cache line each time.
    #[inline]
    pub fn release(&mut self, message: Message) {
        self.advance(lines_of(message.len));
    }

    #[inline]
    fn advance(&mut self, lines: u64) {
        self.position += lines;
        // SAFETY: see `new`.
        self.next = unsafe { self.lines.at(self.position) };
        self.expected = self.lines.stamp(self.position);
        // SAFETY: see `new`. Release: what was read before may be overwritten once this is seen.
        unsafe { &*self.head }.position.store(self.position, Ordering::Release);
    }

    /// A message of `len` bytes, streamed or not, took so many ticks.
    pub fn took(&mut self, streamed: bool, len: usize, ticks: u64) {
        let new =
            (ticks.saturating_mul(1024) / len.max(1) as u64).clamp(1, u64::from(u16::MAX)) as u16;
        let cost = &mut self.costs[usize::from(streamed)];
        *cost = believed((*cost).into(), new.into()) as u16;
        // SAFETY: see `new`. Relaxed: they are hints.
        let told = &unsafe { &*self.head }.costs.0;
        let before = told.load(Ordering::Relaxed) >> (16 * u32::from(streamed)) & 0xffff;
        // Not what hardly differs: the producer would fetch the line again.
        if u32::from(*cost).abs_diff(before) * 8 > before {
            let [cached, streamed] = self.costs.map(u32::from);
            told.store(cached | streamed << 16, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests;
