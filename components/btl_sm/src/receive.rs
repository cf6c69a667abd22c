//! Our segment: the rings that peers claimed in it, and polling them.
//!
//! An [`Inbox`] belongs to one CRI and is used with its lock held. Its list of rings changes in
//! `progress` and when the end of a process is told, neither of which happens inside the other or itself,
//! so callbacks never see it change.

use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use cairn_framework::abi::host::LOG_ERROR;
use cairn_framework::abi::receive::{RECEIVE_GROWING, RECEIVED_GROWING, Received};
use cairn_segment::pace::ticks;
use cairn_segment::{Life, Owner, Part, Segment};

use crate::active::{Bits, WORD};
use crate::cri::SmInstance;
use crate::endpoint::Peer;
use crate::large;
use crate::module::{SmDevice, State};
use crate::ring::{
    Coming, Consumer, Control, KIND_CACHED, KIND_CONTROL, KIND_FILLER, KIND_GROWING, KIND_MESSAGE,
    KIND_STREAMED, Message,
};
use crate::unmapped::{Announced, Unmapped};
use crate::wake::{self, USES_BITMAP, Word};
use crate::wire::{Geometry, News};

/// Messages that one poll takes from a ring, so that a busy peer does not starve the others.
const BATCH: u32 = 64;
/// Bytes of a message behind which it takes no other, so that what waits to be sent is not starved either: where both
/// sides send long messages, each is to send again while what it has sent is in the caches.
const ENDS_BATCH: usize = 32 << 10;

/// With the bitmap: passes from one that looks into all rings to the next.
const ROUND: u32 = 64;
/// [`Inbox::places`]: a ring that is not known yet, or is another CRI's.
const UNKNOWN: u32 = u32::MAX;
/// [`Inbox::places`]: a ring that was given up, or closed because its sender broke the rules.
const DROPPED: u32 = u32::MAX - 1;
/// [`Inbox::places`]: a ring that could not be mapped yet.
const UNMAPPED: u32 = u32::MAX - 2;

/// The rings that one CRI polls.
pub struct Inbox {
    /// It is armed first.
    first: bool,
    /// The process's word.
    requests: *const Word,
    news: *const News,
    /// Which rings have something.
    active: *const [Bits],
    /// Rings from which the bitmap is used.
    bitmap_from: usize,
    /// A pass is no ordinary one: the bitmap is used, or rings wait to be mapped. One comparison instead of
    /// two, as each pass asks.
    special: bool,
    /// The bitmap is used.
    uses_bitmap: bool,
    /// Passes with the bitmap.
    passes: u32,
    /// Rings of the bitmap that had more than one poll takes, like `active`; as far as there are rings.
    left: Vec<u64>,
    /// By ring of the segment: its place in the list.
    places: Box<[u32]>,
    rings: Vec<Inbound>,
    /// Keep the rings mapped; in the same places.
    parts: Vec<Part>,
    unmapped: Unmapped,
}

/// A ring that a peer writes. As large as two cache lines, since a pass looks into each.
#[repr(align(128))]
struct Inbound {
    ring: Consumer,
    /// Which one of the segment.
    index: u32,
    rank: u32,
    /// Where our endpoint to the sender is, once there is one.
    endpoint: *const AtomicPtr<Peer>,
    /// What callbacks get, but for the message itself.
    received: Received,
}

impl Inbox {
    /// The inbox of a CRI; with `bitmap_from` rings and more it uses the bitmap.
    pub fn new(
        segment: &Segment,
        geometry: &Geometry,
        instance: usize,
        bitmap_from: usize,
    ) -> Self {
        Self {
            first: instance == 0,
            requests: &raw const geometry.doorbell(segment).requests,
            news: geometry.news(segment, instance),
            active: geometry.active(segment, instance),
            bitmap_from,
            special: false,
            uses_bitmap: false,
            passes: 0,
            left: Vec::new(),
            places: vec![UNKNOWN; geometry.rings].into(),
            rings: Vec::new(),
            parts: Vec::new(),
            unmapped: Unmapped::default(),
        }
    }

    /// Hands what has arrived to its receivers and returns how many messages that were. `cri` is the CRI
    /// of the inbox.
    #[inline]
    pub fn poll(&mut self, device: &SmDevice, cri: &SmInstance) -> u32 {
        // SAFETY: in the segment, which the state keeps.
        if !unsafe { &*self.news }.newest.is_empty() {
            self.discover(device, cri);
        }
        if self.special {
            self.retry(device, cri);
            if self.uses_bitmap {
                return self.poll_bitmap(device, cri);
            }
        }
        self.poll_all(device, cri)
    }

    /// Looks into all rings.
    #[inline]
    fn poll_all(&mut self, device: &SmDevice, cri: &SmInstance) -> u32 {
        let mut events = 0;
        let mut place = 0;
        while let Some(inbound) = self.rings.get_mut(place) {
            if let Some(control) = inbound.ring.peek() {
                match inbound.receive(device, cri, control) {
                    Some(count) => events += count,
                    None => {
                        self.drop_ring(place);
                        continue;
                    }
                }
            }
            place += 1;
        }
        events
    }

    /// Looks into the rings with a bit.
    #[inline(never)]
    fn poll_bitmap(&mut self, device: &SmDevice, cri: &SmInstance) -> u32 {
        self.passes = self.passes.wrapping_add(1);
        if self.passes.is_multiple_of(ROUND) {
            return self.poll_all(device, cri);
        }
        let mut events = 0;
        for word in 0..self.left.len() {
            // SAFETY: in the segment, which the state keeps.
            let active = unsafe { &(&*self.active)[word] };
            let mut bits = active.take() | std::mem::take(&mut self.left[word]);
            while bits != 0 {
                let ring = word * WORD + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                // One that is not known yet is looked into when it was discovered, with all.
                let place = self.places.get(ring).map_or(usize::MAX, |place| *place as usize);
                let Some(inbound) = self.rings.get_mut(place) else { continue };
                let Some(control) = inbound.ring.peek() else { continue };
                match inbound.receive(device, cri, control) {
                    Some(count) => {
                        events += count;
                        // More than a batch.
                        if inbound.ring.peek().is_some() {
                            self.left[word] |= 1 << (ring % WORD);
                        }
                    }
                    None => self.drop_ring(place),
                }
            }
        }
        events
    }

    /// Takes a ring out of the list because its sender broke the rules.
    #[cold]
    fn drop_ring(&mut self, place: usize) {
        self.places[self.rings.swap_remove(place).index as usize] = DROPPED;
        self.parts.swap_remove(place);
        if let Some(moved) = self.rings.get(place) {
            self.places[moved.index as usize] = place as u32;
        }
    }

    /// Takes new rings into the list.
    #[cold]
    fn discover(&mut self, device: &SmDevice, cri: &SmInstance) {
        let (state, geometry) = (&**device, &device.geometry);
        // SAFETY: in the segment, which the state keeps.
        let mut place = unsafe { &*self.news }.newest.take();
        // Peers write the list, so it may have no end.
        for _ in 0..geometry.rings {
            let Some(index) = place else { break };
            if index as usize >= geometry.rings {
                state
                    .host
                    .log(LOG_ERROR, || format!("a peer announces ring {index}; it is ignored"));
                break;
            }
            let entry = geometry.entry(&state.segment, index as usize);
            place = entry.next.next();
            let rank = entry.rank.load(Ordering::Relaxed);
            if self.places[index as usize] != UNKNOWN {
                continue;
            }
            if rank as usize >= state.peers.len() {
                state
                    .host
                    .log(LOG_ERROR, || format!("a peer says it is rank {rank}; it is ignored"));
                self.places[index as usize] = DROPPED;
                continue;
            }
            state.lives.met(rank);
            let ring = Announced { index, rank };
            if !self.take_in(device, cri, ring) {
                self.places[index as usize] = UNMAPPED;
                self.unmapped.keep(ring);
            }
        }
        self.has_changed();
    }

    /// Maps a ring and takes it into the list; false when it can't be mapped now.
    fn take_in(
        &mut self,
        state: &SmDevice,
        cri: &SmInstance,
        Announced { index, rank }: Announced,
    ) -> bool {
        let part = match map(&state.segment, &state.geometry, index) {
            Ok(part) => part,
            Err(error) => {
                let text = format!("a message has to wait until its ring can be mapped: {error}");
                state.host.show_once(c"join", &text);
                return false;
            }
        };
        if let Ok(card) = state.host.card_get(rank)
            && let Some(owner) = Owner::of(card)
        {
            cri.senders.borrow_mut().insert(rank, owner);
        }
        self.places[index as usize] = self.rings.len() as u32;
        let words = (index as usize / WORD + 1).max(self.left.len());
        self.left.resize(words, 0);
        self.rings.push(Inbound {
            index,
            // SAFETY: the part stays as long as the consumer; nothing else reads the ring.
            ring: unsafe { Consumer::new(state.geometry.parts(&part)) },
            rank,
            endpoint: &raw const state.peers[rank as usize],
            received: state.received(cri, None),
        });
        self.parts.push(part);
        true
    }

    /// Tries to map what could not be mapped, if it is time.
    #[cold]
    fn retry(&mut self, device: &SmDevice, cri: &SmInstance) {
        if self.unmapped.is_empty() {
            return;
        }
        let (mut unmapped, before) = (std::mem::take(&mut self.unmapped), self.rings.len());
        let lost = unmapped.retry(|ring| self.take_in(device, cri, ring));
        self.unmapped = unmapped;
        for Announced { index, rank } in &lost {
            self.places[*index as usize] = DROPPED;
            device.host.log(LOG_ERROR, || {
                format!("rank {rank} has ended and ring {index} can't be mapped; it is not read")
            });
        }
        if self.rings.len() > before || self.unmapped.is_empty() {
            self.has_changed();
        }
    }

    /// After changes of the lists.
    fn has_changed(&mut self) {
        if !self.uses_bitmap && self.rings.len() >= self.bitmap_from {
            self.uses_bitmap = true;
            // Senders that see it late are found by the passes that look into all rings.
            // SAFETY: in the segment, which lives as long as the inbox is used.
            unsafe { &*self.news }.uses_bitmap.store(1, Ordering::Relaxed);
            // SAFETY: as above.
            unsafe { &*self.requests }.fetch_or(USES_BITMAP, Ordering::Relaxed);
        }
        self.special = self.uses_bitmap || !self.unmapped.is_empty();
        // With the bitmap: what came before the ring was known is found now.
        self.passes = ROUND - 1;
    }

    /// The process's word to sleep on and what it says, or `None` when something has arrived. With the
    /// CRI's lock held; the thread has just armed all CRIs before this one.
    pub fn arm(&mut self, barriers: bool) -> Option<(*const AtomicU32, u32)> {
        // SAFETY: in the segment, which lives as long as the inbox is used.
        let requests = unsafe { &*self.requests };
        let announced = self.first.then(|| wake::announce(requests, barriers));
        // SAFETY: as above.
        let arrived = !unsafe { &*self.news }.newest.is_empty()
            || self.rings.iter_mut().any(|inbound| inbound.ring.peek().is_some());
        let expected = match announced {
            Some(announced) if arrived => {
                wake::take_back(requests, &announced);
                None
            }
            Some(announced) => Some(announced.expected),
            None => wake::announced(requests).filter(|_| !arrived),
        };
        expected.map(|expected| (self.requests.cast(), expected))
    }

    /// Whether nothing is left of what a process sent before it ended, or nothing that can be read.
    /// Not from its poll.
    pub fn is_through_with(&mut self, device: &SmDevice, cri: &SmInstance, rank: u32) -> bool {
        // A ring that is not known yet may be its.
        // SAFETY: in the segment, which lives as long as the inbox is used.
        if !unsafe { &*self.news }.newest.is_empty() {
            self.discover(device, cri);
        }
        self.unmapped.sender_has_ended(rank);
        self.retry(device, cri);
        !self.unmapped.has(rank)
            && !self.rings.iter_mut().any(|one| one.rank == rank && one.ring.peek().is_some())
    }

    /// The next try to map rings is due.
    #[cfg(all(test, not(feature = "loom")))]
    pub fn make_due(&mut self) {
        self.unmapped.make_due();
    }
}

/// A message that is still being written.
#[derive(Clone, Copy)]
pub struct Arriving {
    coming: Coming,
    /// Its sender.
    rank: u32,
    /// Ticks that its receiver has waited.
    waited: u64,
}

impl Arriving {
    /// Waits for more than so many bytes of the message that `cri` receives; as [`Btl::wait_for_more`].
    ///
    /// [`Btl::wait_for_more`]: cairn_framework::frameworks::btl::Btl::wait_for_more
    #[inline]
    pub fn wait(self, cri: &SmInstance, have: usize) -> usize {
        // SAFETY: the message is given back after the CRI's note of it is taken.
        let (there, _) = unsafe { self.coming.there(have) };
        if there > have { there } else { self.wait_longer(cri, have) }
    }

    #[inline(never)]
    fn wait_longer(self, cri: &SmInstance, have: usize) -> usize {
        /// Looks at a step's word for which a sender that writes needs at most a small part.
        const LOOKS: u32 = 1000;
        let begun = ticks();
        let mut there = have;
        let mut looks = 0_u32;
        while there <= have {
            looks = looks.wrapping_add(1);
            let ended = looks.is_multiple_of(LOOKS) && {
                // It is without its processor, which may be this one.
                std::thread::yield_now();
                self.sender_has_ended(cri)
            };
            std::hint::spin_loop();
            // What it had written before it ended counts.
            // SAFETY: as in `wait`.
            there = unsafe { self.coming.there(have) }.0.max(have);
            if ended {
                break;
            }
        }
        let waited = self.waited + ticks().wrapping_sub(begun);
        cri.growing.set(Some(Self { waited, ..self }));
        there
    }

    /// Whether no more will come. The host is not asked: the receiver may hold locks.
    #[cold]
    fn sender_has_ended(&self, cri: &SmInstance) -> bool {
        #[cfg(test)]
        if ENDED.with_borrow(|ranks| ranks.contains(&self.rank)) {
            return true;
        }
        let senders = cri.senders.borrow();
        senders.get(&self.rank).is_some_and(|owner| owner.life() == Life::Ended)
    }
}

/// Maps a ring. What its sender publishes lies where it has given memory to, and so does what follows.
fn map(segment: &Segment, geometry: &Geometry, ring: u32) -> Result<Part, cairn_segment::Error> {
    #[cfg(test)]
    if UNMAPPABLE.with_borrow(|rings| rings.contains(&ring)) {
        return Err(cairn_segment::Error::NoSpace { needed: 1, available: 0 });
    }
    let ring = ring as usize;
    let part = segment.map(geometry.place(ring))?;
    let bytes = geometry.entry(segment, ring).bytes.load(Ordering::Relaxed);
    // Not more than the ring has, whatever the sender says.
    part.prefault(Geometry::ring_end((bytes as usize).min(geometry.ring_size)));
    Ok(part)
}

#[cfg(test)]
thread_local! {
    /// Ranks whose processes this thread takes to have ended.
    pub static ENDED: std::cell::RefCell<Vec<u32>> = const { std::cell::RefCell::new(Vec::new()) };
    /// Rings that there is no memory for when this thread wants to map them.
    pub static UNMAPPABLE: std::cell::RefCell<Vec<u32>> = const { std::cell::RefCell::new(Vec::new()) };
}

impl Inbound {
    /// Handles what has arrived, beginning with the message of this control word; `None` when the peer
    /// broke the ring's rules.
    fn receive(&mut self, state: &SmDevice, cri: &SmInstance, mut control: Control) -> Option<u32> {
        let mut events = 0;
        loop {
            if control.kind() == KIND_MESSAGE {
                let message = self.ring.message(control);
                let Some(message) = message.filter(|message| message.len <= state.message_limit)
                else {
                    return self.violation(state, control);
                };
                self.hand_on(state, control, message);
            } else {
                self.receive_other(state, cri, control)?;
            }
            events += 1;
            match self.ring.peek() {
                Some(next) if events < BATCH && control.len() < ENDS_BATCH => control = next,
                _ => return Some(events),
            }
        }
    }

    /// Hands a message to its receiver, and takes it back.
    #[inline(always)]
    fn hand_on(&mut self, state: &SmDevice, control: Control, message: Message) {
        self.show(state, control, message);
        self.ring.release(message);
    }

    /// Shows a message to its receiver.
    #[inline(always)]
    fn show(&mut self, state: &SmDevice, control: Control, message: Message) {
        // SAFETY: the state's table of endpoints. Acquire pairs with the Release in `add_peer`.
        self.received.endpoint = unsafe { &*self.endpoint }.load(Ordering::Acquire).cast();
        self.received.data = message.data.cast();
        self.received.len = message.len;
        // SAFETY: the message stays until it is released.
        unsafe { state.receiver(control.tag()).call(&self.received) };
    }

    /// Hands on a message that is still being written. It is taken back when it is whole, or its sender has ended.
    fn hand_on_growing(
        &mut self,
        state: &SmDevice,
        cri: &SmInstance,
        control: Control,
        message: Message,
    ) {
        let arriving = Arriving { coming: self.ring.coming(control), rank: self.rank, waited: 0 };
        cri.growing.set(Some(arriving));
        self.received.flags |= RECEIVED_GROWING;
        let begun = ticks();
        self.show(state, control, message);
        self.received.flags &= !RECEIVED_GROWING;
        let mut have = 0;
        while let Some(arriving) = cri.growing.get()
            && have < message.len
        {
            let more = arriving.wait(cri, have);
            if more == have {
                break;
            }
            have = more;
        }
        let waited = cri.growing.take().map_or(0, |arriving| arriving.waited);
        // SAFETY: it was not given back.
        let (_, kind) = unsafe { arriving.coming.there(have) };
        if let Some(kind @ (KIND_CACHED | KIND_STREAMED)) = kind {
            let took = ticks().wrapping_sub(begun).wrapping_sub(waited);
            self.ring.took(kind == KIND_STREAMED, message.len, took);
        }
        self.ring.release(message);
    }

    /// What is not for the receive table, or is measured.
    #[inline(never)]
    fn receive_other(
        &mut self,
        state: &SmDevice,
        cri: &SmInstance,
        control: Control,
    ) -> Option<()> {
        let sound = match (control.kind(), self.ring.message(control)) {
            (kind @ (KIND_CACHED | KIND_STREAMED), Some(message))
                if message.len <= state.message_limit =>
            {
                let begun = ticks();
                self.hand_on(state, control, message);
                let took = ticks().wrapping_sub(begun);
                self.ring.took(kind == KIND_STREAMED, message.len, took);
                true
            }
            (kind, Some(message))
                if kind & KIND_GROWING != 0
                    && message.len <= state.message_limit
                    && control.tag() >= RECEIVE_GROWING =>
            {
                self.hand_on_growing(state, cri, control, message);
                true
            }
            (KIND_FILLER, Some(message)) => {
                self.ring.release(message);
                true
            }
            (KIND_CONTROL, Some(message)) => {
                let body = (message.data, message.len);
                // SAFETY: the message stays until it is released.
                let sound = unsafe { large::control(state, cri, self.rank, control.tag(), body) };
                self.ring.release(message);
                sound
            }
            _ => false,
        };
        if sound { Some(()) } else { self.violation(state, control) }
    }

    #[cold]
    fn violation<T>(&self, state: &State, control: Control) -> Option<T> {
        state.host.log(LOG_ERROR, || {
            format!(
                "rank {} broke the protocol ({control:?}); its ring is not read any more",
                self.rank
            )
        });
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_takes_two_cache_lines_of_its_receiver() {
        assert_eq!(size_of::<Inbound>(), 128);
    }
}
