//! A peer: its segment, and our rings in it.
//!
//! Each of our CRIs has a ring of its own, claimed with its first message; different CRIs
//! share nothing they write. A ring is used with its CRI's lock held.
//!
//! The first CRI's ring is there from the start. A CRI that gets none, because memory is
//! short or the peer has no more, shares one that another CRI has: it becomes *common*, with a
//! lock of its own, and stays so, since messages of one CRI must not overtake each other.

use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut, Range};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use cairn_framework::abi::peer::Peer as PeerView;
use cairn_framework::abi::status::{ERR_PROTOCOL, ERR_RESOURCES, ERR_UNAVAILABLE};
use cairn_framework::author::Failure;
use cairn_framework::author::{Mutex, MutexGuard, copy, copy_out, library_from, whole_lines_from};
use cairn_framework::frameworks::btl::BtlMessage;
use cairn_segment::pace::{CHOICE, Choice, Pace, stream, ticks};
use cairn_segment::{Part, Segment};

use crate::active::{Bits, WORD};
use crate::blocks::Parts;
use crate::cri::SmInstance;
use crate::module::SmDevice;
use crate::orders::Orders;
use crate::ring::{self, KIND_CACHED, KIND_MESSAGE, KIND_STREAMED, Producer, Room};
use crate::smsc::SmscPeer;
use crate::wake::{self, SLEEPING, USES_BITMAP, Word};
use crate::wire::{ENTRY_FREE, ENTRY_TAKEN, Geometry};

/// An endpoint as this transport has it. Made by `add_peers`.
pub struct Peer {
    pub rank: u32,
    pub segment: Arc<Segment>,
    pub geometry: Geometry,
    /// Of its blocks.
    pub parts: Parts,
    /// We must fence before we look whether the peer sleeps.
    fenced: bool,
    own: Own,
    /// By our CRI.
    outbound: Box<[CachePadded]>,
    /// The ring of those that have none of their own.
    common: Mutex<Option<Outbound>>,
    /// The peer as the components of smsc have it.
    pub smsc: SmscPeer,
    /// What it was asked for.
    pub orders: Orders,
    /// Most bytes of a message that our rings take. Less becomes of it where memory is short.
    limit: AtomicUsize,
}

/// What a peer's endpoint knows of its own process.
#[derive(Debug, Clone, Copy)]
pub struct Own {
    pub rank: u32,
    /// Among the processes of the node.
    pub local_rank: u32,
    /// It is registered for barriers; see `wake`.
    pub barriers: bool,
    /// Its CRIs.
    pub instances: usize,
    /// Processes take turns on a core.
    pub crowded: bool,
    /// There, bytes of short messages that are unread in a ring, see [`Producer::in_turns`], and bytes of a ring that have
    /// memory from the start.
    pub least_ring: usize,
}

/// A CRI's, on cache lines of its own.
#[repr(align(128))]
struct CachePadded(UnsafeCell<Outbound>);

// SAFETY: a ring's end is used with its CRI's lock held; what is not constant beside that has locks.
unsafe impl Sync for Peer {}
// SAFETY: see `Sync`.
unsafe impl Send for Peer {}

impl Peer {
    /// Attaches to the segment that a peer's card describes.
    pub fn attach(card: &[u8]) -> Result<Segment, Failure> {
        Segment::attach(card).map_err(|error| {
            let way_out = if matches!(error, cairn_segment::Error::Refused { .. }) {
                "; with btl_sm_backing=file processes need not look into each other's /proc"
            } else {
                ""
            };
            Failure::new(ERR_UNAVAILABLE, format!("{error}{way_out}"))
        })
    }

    /// A peer with this segment, and the first ring to it: so a lack of memory shows before the first
    /// message, while there may be another way.
    pub fn new(segment: Segment, view: &PeerView, own: Own) -> Result<Self, Failure> {
        let (geometry, peer_barriers) =
            Geometry::read(&segment).map_err(|why| Failure::new(ERR_PROTOCOL, why))?;
        let outbound =
            (0..own.instances).map(|_| CachePadded(UnsafeCell::new(Outbound::none()))).collect();
        let mut peer = Self {
            rank: view.rank,
            segment: Arc::new(segment),
            geometry,
            parts: Parts::default(),
            fenced: !(own.barriers && peer_barriers),
            own,
            outbound,
            common: Mutex::new(None),
            smsc: SmscPeer::new(view),
            orders: Orders::default(),
            limit: ring::longest(geometry.ring_size).into(),
        };
        let first = peer.claim(0).map_err(|why| {
            Failure::new(ERR_RESOURCES, format!("no ring to rank {}: {why}", peer.rank))
        })?;
        peer.outbound[0] = CachePadded(UnsafeCell::new(first));
        Ok(peer)
    }

    /// Most bytes of a message that the peer's rings take.
    pub fn message_limit(&self) -> usize {
        // Relaxed: the number alone is what counts.
        self.limit.load(Ordering::Relaxed)
    }

    /// A ring of ours has no room for a message of so many bytes: why, if that is for lack of memory. From here on
    /// senders are told not to send any as long.
    #[cold]
    pub fn lack(&self, ring: &Outbound, len: usize) -> Option<Failure> {
        let claimed = ring.claimed.as_ref().filter(|_| ring.ring.lacks_memory(len))?;
        let why = claimed.lack.as_ref()?.to_string();
        self.limit.fetch_min(ring.ring.always_fits(), Ordering::Relaxed);
        Some(self.refusal(len, &why))
    }

    /// The same where there is no ring at hand.
    #[cold]
    pub fn has_no_room(&self, len: usize) -> Option<Failure> {
        (len > self.message_limit()).then(|| self.refusal(len, "it is short"))
    }

    fn refusal(&self, len: usize, why: &str) -> Failure {
        let most = self.message_limit();
        let text = format!(
            "a message of {len} bytes has no room in shared memory, and one of {most} has: {why}; \
             see btl_sm_ring_memory"
        );
        Failure::new(ERR_RESOURCES, text)
    }

    /// Whether the peer's rings take messages of so many bytes: a longer one would never find room.
    pub fn takes(&self, len: usize) -> Result<(), Failure> {
        let limit = self.message_limit();
        if len <= limit {
            return Ok(());
        }
        let text = format!(
            "its rings take messages of {limit} bytes and this process sends up to {len}; \
             btl_sm_ring_size differs"
        );
        Err(Failure::new(ERR_UNAVAILABLE, text))
    }

    /// The ring that this CRI of ours has for itself, which may be full or not there.
    ///
    /// # Safety
    /// No other result of this function or of `outbound` for the CRI is in use.
    #[inline]
    #[allow(clippy::mut_from_ref)] // see above
    pub unsafe fn ring(&self, cri: &SmInstance) -> &mut Outbound {
        // SAFETY: promised by the caller, who has the CRI.
        unsafe { &mut *self.outbound[cri.index()].0.get() }
    }

    /// The ring for a message of this CRI of ours of so many bytes, with a free line; `None` when there is none now.
    ///
    /// # Safety
    /// As for `ring`.
    #[inline]
    pub unsafe fn outbound(
        &self,
        device: &SmDevice,
        cri: &SmInstance,
        len: usize,
    ) -> Option<RingGuard<'_>> {
        // SAFETY: promised by the caller.
        let outbound = unsafe { self.ring(cri) };
        if outbound.has_line() {
            return Some(RingGuard::Own(outbound));
        }
        self.without_line(outbound, device, cri, len)
    }

    /// The next line is not known to be free: looks, or claims a ring if there is none yet, or shares
    /// another's.
    #[cold]
    fn without_line<'a>(
        &'a self,
        outbound: &'a mut Outbound,
        device: &SmDevice,
        cri: &SmInstance,
        len: usize,
    ) -> Option<RingGuard<'a>> {
        if outbound.ring.is_open() {
            return outbound.look(len, cri.polls.get()).then_some(RingGuard::Own(outbound));
        }
        // Memory is short: a message that the other rings do not take is no reason for another one.
        if len > self.message_limit() {
            return None;
        }
        if !outbound.shares {
            if let Ok(claimed) = self.claim(cri.index()) {
                *outbound = claimed;
                return Some(RingGuard::Own(outbound));
            }
            outbound.shares = true;
        }
        let mut common = self.common(device, cri);
        let ring = common.as_mut()?;
        (ring.has_line() || ring.look(len, cri.polls.get())).then_some(RingGuard::Common(common))
    }

    /// The common ring. If there is none yet, one becomes it that belongs to another CRI than the
    /// caller's and is not in use at this moment.
    fn common(&self, device: &SmDevice, own: &SmInstance) -> MutexGuard<'_, Option<Outbound>> {
        let mut common = self.common.lock();
        let all = self.outbound.iter().enumerate();
        for (index, other) in all.filter(|(index, _)| *index != own.index()) {
            if common.is_some() {
                break;
            }
            // Not to be waited for: the caller has the lock of another.
            let Some(_held) = device.try_hold(index) else { continue };
            // SAFETY: the CRI's lock is held.
            let outbound = unsafe { &mut *other.0.get() };
            if outbound.ring.is_open() {
                let shares = Outbound { shares: true, ..Outbound::none() };
                *common = Some(std::mem::replace(outbound, shares));
            }
        }
        common
    }

    /// Claims a ring in the peer's segment and tells the peer's CRI; or says why there is none.
    fn claim(&self, instance: usize) -> Result<Outbound, String> {
        let Self { segment, geometry, .. } = self;
        let ring = self.free_ring(instance == 0).ok_or_else(|| {
            let rings = geometry.rings;
            format!("it has {rings}, which are all in use; see btl_sm_max_rings")
        })?;
        let entry = geometry.entry(segment, ring);
        let bytes = match self.own.crowded {
            true => self.own.least_ring.min(geometry.ring_size),
            false => geometry.ring_size,
        };
        let part = map(segment, geometry, ring, bytes).map_err(|error| {
            entry.state.store(ENTRY_FREE, Ordering::Relaxed);
            error.to_string()
        })?;
        let target = instance % geometry.instances;
        entry.rank.store(self.own.rank, Ordering::Relaxed);
        entry.bytes.store(bytes as u32, Ordering::Relaxed);
        let news = geometry.news(segment, target);
        news.newest.push(ring as u32, &entry.next);
        // SAFETY: the ring is new and ours, and mapped as long as the producer is there.
        let mut producer = unsafe { Producer::new(geometry.parts(&part)) };
        if self.own.crowded {
            producer = producer.in_turns(self.own.least_ring);
        }
        producer.has_memory(bytes);
        Ok(Outbound {
            ring: producer,
            requests: &raw const geometry.doorbell(segment).requests,
            fenced: self.fenced,
            shares: false,
            pace: CHOICE.then(Box::default),
            polls: 0,
            claimed: Some(Box::new(Claimed {
                uses_bitmap: &raw const news.uses_bitmap,
                active: &raw const geometry.active(segment, target)[ring / WORD],
                bit: (ring % WORD) as u8,
                segment: Arc::clone(segment),
                part,
                bytes,
                lack: None,
            })),
        })
    }

    /// Takes a ring that has no sender: the one that is kept for this process, if it is its first, or else
    /// any that is kept for no process.
    fn free_ring(&self, first: bool) -> Option<usize> {
        let Self { segment, geometry, .. } = self;
        let take = |ring: &usize| {
            let state = &geometry.entry(segment, *ring).state;
            // Relaxed: the number alone is what counts; its memory is new.
            let (taken, relaxed) = (ENTRY_TAKEN, Ordering::Relaxed);
            state.load(relaxed) == ENTRY_FREE
                && state.compare_exchange(ENTRY_FREE, taken, relaxed, relaxed).is_ok()
        };
        let kept = (self.own.local_rank as usize).min(geometry.kept)..geometry.kept;
        if let Some(ring) = kept.take(usize::from(first)).find(take) {
            return Some(ring);
        }
        let others = geometry.rings - geometry.kept;
        let hint: &AtomicU32 = &geometry.claims(segment).next;
        let begin = hint.fetch_add(1, Ordering::Relaxed) as usize;
        (0..others).map(|step| geometry.kept + (begin + step) % others).find(take)
    }

    /// What it is, in words.
    pub fn describe(&self) -> String {
        let common = if self.common.lock().is_some() { "; instances share a ring" } else { "" };
        format!(
            "rank {}, segment of {} MiB, {} instances{common}",
            self.rank,
            self.geometry.len() >> 20,
            self.geometry.instances
        )
    }
}

/// The ring that a message goes to.
pub enum RingGuard<'a> {
    /// The CRI's own.
    Own(&'a mut Outbound),
    /// One that CRIs share. There is one: never none.
    Common(MutexGuard<'a, Option<Outbound>>),
}

/// A common ring is handed out when there is one, and stays.
const THERE: &str = "a common ring that is used";

impl Deref for RingGuard<'_> {
    type Target = Outbound;

    #[inline]
    fn deref(&self) -> &Outbound {
        match self {
            Self::Own(ring) => ring,
            Self::Common(ring) => ring.as_ref().expect(THERE),
        }
    }
}

impl DerefMut for RingGuard<'_> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Outbound {
        match self {
            Self::Own(ring) => ring,
            Self::Common(ring) => ring.as_mut().expect(THERE),
        }
    }
}

/// Shorter copies are over before the processor has written what they left in its queue of stores, so what they cost
/// can't be seen.
const MEASURED: usize = 4 << 10;

/// The ring of one of our CRIs to a peer, or of several.
pub struct Outbound {
    ring: Producer,
    /// The doorbell's word; valid when the ring is open.
    requests: *const Word,
    fenced: bool,
    /// There is none; the common one is used.
    shares: bool,
    /// How longer messages are copied, where there is a choice.
    pace: Option<Box<Pace>>,
    /// How often its CRI had been polled when it sent the last message.
    polls: u32,
    /// What is seldom used, if the ring is open. In a box, so that all of this has room in two cache lines.
    claimed: Option<Box<Claimed>>,
}

/// A ring that was claimed.
struct Claimed {
    /// Whether its bit is to be set, and where.
    uses_bitmap: *const AtomicU32,
    active: *const Bits,
    bit: u8,
    segment: Arc<Segment>,
    /// All of it is mapped.
    part: Part,
    /// Of its lines, what has memory.
    bytes: usize,
    /// Why that did not become more when it was wanted last.
    lack: Option<cairn_segment::Error>,
}

/// Maps a ring and gives memory to so many bytes of its lines.
fn map(
    segment: &Segment,
    geometry: &Geometry,
    ring: usize,
    bytes: usize,
) -> Result<Part, cairn_segment::Error> {
    let part = segment.map(geometry.place(ring))?;
    give_memory(segment, &part, 0..Geometry::ring_end(bytes))?;
    Ok(part)
}

fn give_memory(
    segment: &Segment,
    part: &Part,
    bytes: Range<usize>,
) -> Result<(), cairn_segment::Error> {
    #[cfg(test)]
    if NO_MEMORY.get() {
        return Err(cairn_segment::Error::NoSpace { needed: bytes.len(), available: 4096 });
    }
    segment.give_memory(part, bytes)
}

#[cfg(test)]
thread_local! {
    /// There is none when this thread asks for it.
    pub static NO_MEMORY: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

// SAFETY: what it leads to is shared memory that stays as long as the peer. One thread at a time uses it,
// the holder of its CRI's lock or of the common ring's.
unsafe impl Send for Outbound {}

impl Outbound {
    fn none() -> Self {
        Self {
            ring: Producer::closed(),
            requests: std::ptr::null(),
            fenced: true,
            shares: false,
            pace: None,
            polls: 0,
            claimed: None,
        }
    }

    /// Whether the next line is free as far as is known.
    #[inline]
    pub fn has_line(&self) -> bool {
        self.ring.has_line()
    }

    /// A message is sent, by a CRI that was polled so often. Whether it was polled since its last one here: else this
    /// one follows that.
    #[inline]
    pub fn answers_now(&mut self, polls: u32) -> bool {
        let answers = self.polls != polls;
        self.polls = polls;
        if !answers {
            self.ring.follow();
        }
        answers
    }

    /// As [`Producer::prefetch_ahead`].
    #[inline]
    pub fn prefetch_ahead(&self) {
        self.ring.prefetch_ahead();
    }

    /// Where the body of a message that fits a line goes.
    #[inline]
    pub fn body(&self) -> *mut u8 {
        self.ring.body()
    }

    /// Sends what was written to the body.
    #[inline]
    pub fn send(&mut self, kind: u8, tag: u8, len: usize) {
        self.ring.publish(kind, tag, len as u32);
        self.ring_bell();
    }

    /// Looks whether a message of so many bytes has room, or lacks memory.
    fn look(&mut self, len: usize, polls: u32) -> bool {
        let answers = self.answers(len, polls);
        self.ring.look(len, answers)
            || (self.lengthen(len) && self.ring.look(len, answers))
            || self.ring.lacks_memory(len)
    }

    /// Gives the ring more memory if a message of so many bytes did not find room for lack of it. Whether there may be
    /// room now.
    #[cold]
    fn lengthen(&mut self, len: usize) -> bool {
        let (Some(bytes), Some(claimed)) = (self.ring.asks(len), &mut self.claimed) else {
            return false;
        };
        let ends = [claimed.bytes, bytes].map(Geometry::ring_end);
        match give_memory(&claimed.segment, &claimed.part, ends[0]..ends[1]) {
            Ok(()) => {
                claimed.bytes = bytes;
                self.ring.has_memory(bytes);
            }
            Err(error) => {
                claimed.lack = Some(error);
                self.ring.refuse();
            }
        }
        true
    }

    /// Whether a message of so many bytes may be the answer to one, as in [`Producer::room`].
    #[inline]
    fn answers(&self, len: usize, polls: u32) -> bool {
        (ends_lap(len) || self.ring.takes_turns())
            && self.polls != polls
            && !(len >= MEASURED && self.streams(len))
    }

    /// Whether messages of so many bytes had better be written past the caches. Those do not gain by lines that are in
    /// there.
    fn streams(&self, len: usize) -> bool {
        self.pace.as_ref().is_some_and(|pace| pace.streams(len, self.ring.costs()))
    }

    /// Room for a message of any length, sent by a CRI that was polled so often.
    #[inline]
    pub fn room(&mut self, len: usize, polls: u32) -> Option<Room> {
        let answers = self.answers(len, polls);
        match self.ring.room(len, answers) {
            None if self.lengthen(len) => self.ring.room(len, answers),
            room => room,
        }
    }

    /// Copies a payload to its place in a room.
    ///
    /// Between processors without a common cache each line that the receiver has read has to be taken from
    /// it again, and is then taken from here: stores past the caches spare both. Which ones are cheaper is
    /// measured, by the time that both sides take; see [`Pace`]. Returns the kind of message that it makes.
    ///
    /// # Safety
    /// Both sides have `len` bytes and do not overlap; `from` may be null when that is none.
    #[inline]
    pub unsafe fn copy(&self, from: *const u8, to: *mut u8, len: usize) -> u8 {
        if len >= MEASURED
            && let Some(pace) = &self.pace
        {
            // SAFETY: promised by the caller.
            return unsafe { copy_chosen(pace, self.ring.costs(), from, to, len) };
        }
        if len > 0 {
            // SAFETY: promised by the caller; a ring is no buffer of a user.
            unsafe { copy_out(from, to, len) };
        }
        KIND_MESSAGE
    }

    /// Copies a message to its room and sends it meanwhile: the receiver is told of each piece.
    ///
    /// # Safety
    /// The message's pointers and lengths hold, the room is as long, and it
    /// [grows](crate::module::State::grows).
    #[inline(never)]
    pub unsafe fn send_growing(&mut self, room: Room, message: &BtlMessage) {
        let (header, payload) = (message.header_len as usize, message.payload_len as usize);
        let len = header + payload;
        let way = self.pace.as_ref().map(|pace| pace.choose(payload, self.ring.costs()));
        let streaming = way.is_some_and(|way| way.streams);
        let measured = self.pace.as_ref().filter(|_| way.is_some_and(|way| way.measured));
        let begun = if measured.is_some() { ticks() } else { 0 };
        // Copies the payload between two places of the message.
        let put = |begin: usize, end: usize| {
            // SAFETY: promised by the caller, and both places lie in the payload.
            unsafe {
                let from = message.payload.cast::<u8>().add(begin - header);
                let to = room.place.add(begin);
                if streaming {
                    stream(from, to, end - begin);
                } else {
                    copy_out(from, to, end - begin);
                }
            }
        };
        let step = step(len);
        // Less than all: a message that grows is longer than a piece, and a step of more pieces no more than half of it.
        let mut have = ring::grown(step.into());
        put(header, have);
        // SAFETY: promised by the caller. Last, as in any message.
        unsafe { copy(message.header.cast(), room.place, header) };
        let mut growing = self.ring.begin(message.tag, len as u32, step);
        self.ring_bell();
        loop {
            let end = (have + usize::from(step) * ring::PIECE).min(len);
            put(have, end);
            if end == len {
                break;
            }
            have = end;
            self.ring.grow(&mut growing);
        }
        let kind = match measured {
            Some(pace) => {
                pace.measured(payload, streaming, ticks().wrapping_sub(begun));
                measured_kind(streaming)
            }
            None => KIND_MESSAGE,
        };
        self.ring.finish(&mut growing, kind);
    }

    /// Bytes of its lines that have memory.
    #[cfg(all(test, not(feature = "loom")))]
    pub fn memory(&self) -> usize {
        self.claimed.as_ref().expect("a ring").bytes
    }

    /// Begins a message, tells of further steps, and leaves it at that.
    #[cfg(all(test, not(feature = "loom")))]
    pub fn begin_growing(&mut self, tag: u8, len: usize, step: u8, further: usize) {
        self.ring.room(len, false).expect("room");
        let mut growing = self.ring.begin(tag, len as u32, step);
        (0..further).for_each(|_| self.ring.grow(&mut growing));
    }

    /// Sends what was written to the room.
    #[inline]
    pub fn send_room(&mut self, kind: u8, tag: u8, len: usize) {
        self.ring.publish_room(kind, tag, len as u32);
        self.ring_bell();
    }

    #[inline]
    fn ring_bell(&self) {
        // SAFETY: a message was published, so the ring is open and its doorbell mapped.
        let requests = wake::requests(unsafe { &*self.requests }, self.fenced);
        if requests != 0 {
            self.serve(requests);
        }
    }

    /// Does what the receiver wants.
    #[inline(never)]
    fn serve(&self, requests: u32) {
        if requests & USES_BITMAP != 0
            && let Some(claimed) = &self.claimed
            // Relaxed: a receiver looks into all rings now and then, for those without a bit.
            // SAFETY: mapped as long as it is claimed.
            && unsafe { &*claimed.uses_bitmap }.load(Ordering::Relaxed) != 0
        {
            // SAFETY: likewise.
            unsafe { &*claimed.active }.set(1 << claimed.bit);
        }
        if requests & SLEEPING != 0 {
            // SAFETY: a message was published, so the ring is open and its doorbell mapped.
            wake::wake(unsafe { &*self.requests });
        }
    }
}

/// Whether a message of so many bytes may end a lap, see [`ring::ENDS_LAP`]. Lines of the receiver's cache that need not be
/// read are no faster to write than others: there one that is written so goes on through the ring, and spares the look
/// at the head.
#[inline]
fn ends_lap(len: usize) -> bool {
    len <= ring::ENDS_LAP && whole_lines_from().is_none_or(|from| len < from)
}

/// Pieces of a message that grows that are told of at once. What is told less often costs less, and makes the receiver
/// wait for longer.
fn step(len: usize) -> u8 {
    let least = match library_from() {
        // A copy that is the faster one, if that is not half of the message.
        Some(bytes) => (len / (2 * ring::PIECE)).clamp(1, bytes.div_ceil(ring::PIECE)),
        _ => 1,
    };
    (len / (8 * ring::PIECE)).max(least).min(ring::LONGEST_STEP) as u8
}

/// The kind of a message whose receiver is to measure what it takes.
fn measured_kind(streamed: bool) -> u8 {
    if streamed { KIND_STREAMED } else { KIND_CACHED }
}

/// Copies by the cheaper way, with what each costs the receiver, and measures it now and then. Returns the kind of
/// message.
///
/// # Safety
/// As for [`Outbound::copy`].
#[inline(never)]
unsafe fn copy_chosen(
    pace: &Pace,
    theirs: [u32; 2],
    from: *const u8,
    to: *mut u8,
    len: usize,
) -> u8 {
    let Choice { streams, measured } = pace.choose(len, theirs);
    let begun = if measured { ticks() } else { 0 };
    // SAFETY: promised by the caller.
    unsafe {
        if streams {
            stream(from, to, len);
        } else {
            copy_out(from, to, len);
        }
    }
    if !measured {
        return KIND_MESSAGE;
    }
    pace.measured(len, streams, ticks().wrapping_sub(begun));
    measured_kind(streams)
}

#[cfg(test)]
mod tests {
    use cairn_framework::layout::check_elements;

    use super::*;

    #[test]
    fn what_is_copied_arrives_whichever_way_is_taken() {
        let pace = Pace::default();
        let from: Vec<u8> = (0..40_000u32).map(|i| (i * 7 + i / 251) as u8).collect();
        // More often than either way is tried for a while.
        for round in 0..200 {
            let (start, len) = (round % 64, 4096 + 173 * round);
            let mut to = vec![0xee; 40_200];
            // SAFETY: both are long enough.
            unsafe { copy_chosen(&pace, [0; 2], from.as_ptr(), to[start..].as_mut_ptr(), len) };
            assert_eq!(to[start..start + len], from[..len]);
            assert!(to[..start].iter().chain(&to[start + len..]).all(|byte| *byte == 0xee));
        }
    }

    #[test]
    fn rings_of_different_instances_share_no_lines() {
        let (size, align) = (size_of::<CachePadded>(), align_of::<CachePadded>());
        check_elements("senders' ends of rings to one peer, by instance", size, align);
        assert_eq!(size, 128);
    }
}
