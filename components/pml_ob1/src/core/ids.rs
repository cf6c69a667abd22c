//! What is in flight, by numbers that peers may know.
//!
//! A number holds the place in a table and a generation, so that one that is over, or invented,
//! leads nowhere. Numbers are taken once, but for those of fragments, which come many times: there
//! the entry counts the writers, and is over when all bytes came and no thread writes any more, so
//! that a peer that repeats fragments can't write into a buffer that was given back.
//!
//! Sends and receives have tables of their own, told apart by a bit of the number. A send takes its
//! number without a lock: the budget of a call that starts one is the instance's.

use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};
use std::alloc::{Layout, handle_alloc_error};
use std::hash::{BuildHasher, RandomState};

use cairn_framework::abi::status::Status;
use cairn_framework::author::CachePadded;

use crate::mode::{Locked, Mode, compare_exchange, fetch_add};
use crate::objects::comm::CommState;
use crate::objects::peer::Peer;
use crate::objects::request::{ReceiveRequest, SendRequest};
use crate::pool::Pool;
use crate::table::Table;

/// The bit that only numbers of sends have.
const SEND: u64 = 1 << 31;

/// The bit of a place's word that says that its send's first message is being handed to a transport.
const SENDING: u64 = 1 << 63;

/// Whether a number is a send's.
fn is_send(id: u64) -> bool {
    id & SEND != 0
}

/// All of them.
#[derive(Default)]
pub struct Ids {
    sends: SendIds,
    receives: CachePadded<Locked<ReceiveIds>>,
}

impl Ids {
    /// Gives a send a number; see [`SendIds::insert`].
    pub fn insert_send<M: Mode>(
        &self,
        request: *mut SendRequest,
        peer: *const Peer,
        state: *const CommState,
    ) -> u64 {
        self.sends.insert::<M>(request, peer, state)
    }

    /// The first message of a send is with its transport, so this thread uses it no more.
    pub fn sent<M: Mode>(&self, id: u64) {
        self.sends.sent::<M>(id);
    }

    /// Takes a send out, which is the caller's then.
    pub fn take_send<M: Mode>(&self, id: u64) -> Option<*mut SendRequest> {
        self.sends.take::<M>(id)
    }

    /// Gives what waits for data a number.
    pub fn insert_receive<M: Mode>(&self, entry: Entry) -> u64 {
        self.receives.with::<M, _>(|ids| ids.insert(entry))
    }

    /// Begins to write a fragment; see [`ReceiveIds::begin`].
    pub fn begin_fragment<M: Mode>(
        &self,
        id: u64,
        offset: u64,
        len: u64,
    ) -> Option<*mut ReceiveRequest> {
        self.receives.with::<M, _>(|ids| ids.begin(id, offset, len))
    }

    /// A fragment is written; see [`ReceiveIds::written`].
    pub fn written<M: Mode>(&self, id: u64) -> Option<(*mut ReceiveRequest, Status)> {
        self.receives.with::<M, _>(|ids| ids.written(id))
    }

    /// The transfer with this number is over; see [`ReceiveIds::end`].
    pub fn end<M: Mode>(&self, id: u64, status: Status) -> Option<Ended> {
        if is_send(id) {
            return self.sends.take::<M>(id).map(Ended::Send);
        }
        self.receives.with::<M, _>(|ids| ids.end(id, status))
    }

    /// The numbers of transfers that wait for an answer of a peer, or for its data.
    pub fn of_peer<M: Mode>(&self, peer: &Peer) -> Vec<u64> {
        let ours = |entry: &Entry| {
            // SAFETY: what is in the table is in flight, and an announced receive has its sender.
            let other = unsafe {
                match *entry {
                    Entry::Put(request, _) => (*request).peer,
                    Entry::Fragments(fragments) => (*fragments.request()).peer,
                }
            };
            core::ptr::eq(other, peer)
        };
        let mut all = self.sends.to(peer);
        all.extend(self.receives.with::<M, _>(|ids| ids.which(ours)));
        all
    }

    /// How many sends of a communicator are in flight.
    pub fn sends_of(&self, state: *const CommState) -> usize {
        self.sends.of(state)
    }

    /// How many transfers are.
    pub fn len<M: Mode>(&self) -> usize {
        self.sends.len() + self.receives.with::<M, _>(|ids| ids.len())
    }
}

/// Sends that wait for `Answer` or `Finish`.
struct SendIds {
    /// Places, by the threads that had them first.
    places: Pool,
    /// All of them, by their numbers.
    table: Table<Place>,
    /// How many there are.
    made: AtomicU32,
    /// Where generations begin, so that numbers can't be guessed from one run to the next.
    random: RandomState,
}

/// A place for one send after the other. New ones are zero.
struct Place {
    /// Twice the generation, and one more while a send is in it; perhaps [`SENDING`].
    word: AtomicU64,
    /// That send.
    request: AtomicPtr<SendRequest>,
    /// The peer it goes to.
    peer: AtomicPtr<Peer>,
    /// Its communicator.
    state: AtomicPtr<CommState>,
    /// Which place this is, and [`SEND`]; 0 before the first send.
    number: AtomicU32,
}

impl Default for SendIds {
    fn default() -> Self {
        Self {
            places: Pool::behind(size_of::<Place>()),
            table: Table::default(),
            made: AtomicU32::new(0),
            random: RandomState::new(),
        }
    }
}

impl SendIds {
    /// Gives a send a number, by which its answers find it from now on. Where there are threads it is not
    /// among those [`to`](Self::to) a peer before [`sent`](Self::sent).
    pub fn insert<M: Mode>(
        &self,
        request: *mut SendRequest,
        peer: *const Peer,
        state: *const CommState,
    ) -> u64 {
        let node: *mut Place = self.places.take::<M>().cast();
        // SAFETY: a node has room for a place, and new ones are zero.
        let Some(place) = (unsafe { node.as_ref() }) else {
            handle_alloc_error(Layout::new::<Place>());
        };
        let mut number = place.number.load(Ordering::Relaxed);
        if number == 0 {
            let index = fetch_add::<M>(&self.made, 1);
            number = index | SEND as u32;
            place.number.store(number, Ordering::Relaxed);
            place.word.store(u64::from(self.random.hash_one(index) as u32) << 1, Ordering::Relaxed);
            self.table.place(number).store(node, Ordering::Release);
        }
        place.request.store(request, Ordering::Relaxed);
        place.peer.store(peer.cast_mut(), Ordering::Relaxed);
        place.state.store(state.cast_mut(), Ordering::Relaxed);
        let word = place.word.load(Ordering::Relaxed) | 1;
        // Release: a thread that takes the send sees it. The place is ours as long as it is empty.
        place.word.store(if M::THREADED { word | SENDING } else { word }, Ordering::Release);
        id(word, number)
    }

    /// The first message of a send is with its transport, so this thread uses it no more.
    pub fn sent<M: Mode>(&self, id: u64) {
        if M::THREADED
            // SAFETY: places are never freed.
            && let Some(place) = unsafe { self.table.get(id as u32).as_ref() }
        {
            // Unless the answer was faster.
            compare_exchange::<M>(&place.word, word_of(id) | SENDING, word_of(id));
        }
    }

    /// Takes a send out, which is the caller's then.
    pub fn take<M: Mode>(&self, id: u64) -> Option<*mut SendRequest> {
        let node = self.table.get(id as u32);
        // SAFETY: places are never freed.
        let place = unsafe { node.as_ref() }?;
        let word = word_of(id);
        // The next one gets the next generation, which wraps around like its number.
        let next = (word + 1) & (u64::MAX >> 31);
        // In this order, since a word only loses the bit.
        let sending = word | SENDING;
        let is_ours = M::THREADED
            && place.word.load(Ordering::Relaxed) == sending
            && compare_exchange::<M>(&place.word, sending, next);
        if !is_ours && !compare_exchange::<M>(&place.word, word, next) {
            return None;
        }
        let request = place.request.load(Ordering::Relaxed);
        // SAFETY: it is one of the pool, and it is empty.
        unsafe { self.places.give::<M>(node.cast()) };
        Some(request)
    }

    /// The numbers of sends to a peer that wait for its answer.
    pub fn to(&self, peer: *const Peer) -> Vec<u64> {
        let to = |(word, place): (u64, &Place)| {
            let found = core::ptr::eq(place.peer.load(Ordering::Relaxed), peer);
            (found && word & SENDING == 0).then(|| id(word, place.number.load(Ordering::Relaxed)))
        };
        self.taken().filter_map(to).collect()
    }

    /// How many are in flight.
    pub fn len(&self) -> usize {
        self.taken().count()
    }

    /// How many of a communicator are.
    pub fn of(&self, state: *const CommState) -> usize {
        let of = |place: &Place| core::ptr::eq(place.state.load(Ordering::Relaxed), state);
        self.taken().filter(|(_, place)| of(place)).count()
    }

    /// Places with a send in them, and their words.
    fn taken(&self) -> impl Iterator<Item = (u64, &Place)> {
        let all = self.table.all().into_iter();
        // SAFETY: places are never freed.
        all.map(|place| unsafe { &*place }).filter_map(|place| {
            let word = place.word.load(Ordering::Acquire);
            (word & 1 == 1).then_some((word, place))
        })
    }
}

/// The number of the send with which a place has this word.
fn id(word: u64, number: u32) -> u64 {
    word >> 1 << 32 | u64::from(number)
}

/// The word of a place with the send of this number in it, sent.
fn word_of(id: u64) -> u64 {
    id >> 32 << 1 | 1
}

/// What waits for data.
#[derive(Debug, Clone, Copy)]
pub enum Entry {
    /// A receive whose sender puts so many bytes, or sends them if it can't put.
    Put(*mut ReceiveRequest, u64),
    /// A receive of fragments.
    Fragments(Fragments),
}

/// A receive of fragments.
#[derive(Debug, Clone, Copy)]
pub struct Fragments {
    request: *mut ReceiveRequest,
    /// Bytes wanted.
    total: u64,
    /// Bytes still missing.
    missing: u64,
    /// Threads that write into the buffer.
    writers: u32,
    /// Ended early, with this.
    ended: Option<i32>,
}

// SAFETY: requests are `Send`; the table only keeps their addresses.
unsafe impl Send for Entry {}

impl Fragments {
    /// A receive that waits for so many bytes.
    pub fn new(request: *mut ReceiveRequest, total: u64) -> Self {
        Self { request, total, missing: total, writers: 0, ended: None }
    }

    /// The receive.
    pub fn request(&self) -> *mut ReceiveRequest {
        self.request
    }

    /// Whether what comes is of no use any more.
    pub fn has_ended(&self) -> bool {
        self.ended.is_some()
    }

    /// Bytes wanted.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Bytes that came.
    pub fn came(&self) -> u64 {
        self.total - self.missing
    }

    /// A thread begins to write a fragment. Not one that does not lie inside, or comes again.
    pub fn begin(&mut self, offset: u64, len: u64) -> bool {
        let fits = offset.checked_add(len).is_some_and(|end| end <= self.total);
        if !fits || len > self.missing || self.ended.is_some() {
            return false;
        }
        self.missing -= len;
        self.writers += 1;
        true
    }

    /// A thread has written: the receive and its status, if it is over with that.
    pub fn written(&mut self) -> Option<(*mut ReceiveRequest, i32)> {
        self.writers -= 1;
        let over = self.missing == 0 || self.ended.is_some();
        // All is there, whatever was said of it meanwhile.
        let status = self.ended.filter(|_| self.missing > 0).unwrap_or(0);
        (self.writers == 0 && over).then_some((self.request, status))
    }

    /// What a thread has begun to write, so many bytes, will not all come. It has still to say that it has written.
    pub fn torn(&mut self, len: u64, status: i32) {
        self.missing += len;
        self.ended = Some(status);
    }

    /// It will never be whole. Whether it is over, as nobody writes.
    pub fn end(&mut self, status: i32) -> bool {
        self.ended = Some(status);
        self.writers == 0
    }
}

/// What a number that ended led to.
#[derive(Debug, Clone, Copy)]
pub enum Ended {
    /// A send.
    Send(*mut SendRequest),
    /// A receive.
    Receive(*mut ReceiveRequest),
    /// A receive that others still write for; the last of them completes it.
    Later,
}

struct Slot {
    generation: u32,
    entry: Option<Entry>,
}

/// Receives that wait for `Fragment` or `Finish`.
struct ReceiveIds {
    slots: Vec<Slot>,
    free: Vec<u32>,
    /// As for sends.
    random: RandomState,
}

impl Default for ReceiveIds {
    fn default() -> Self {
        Self { slots: Vec::new(), free: Vec::new(), random: RandomState::new() }
    }
}

impl ReceiveIds {
    /// Puts an entry in and returns its number.
    pub fn insert(&mut self, entry: Entry) -> u64 {
        let place = self.free.pop().unwrap_or_else(|| {
            let place = self.slots.len() as u32;
            let generation = self.random.hash_one(place) as u32;
            self.slots.push(Slot { generation, entry: None });
            place
        });
        let slot = &mut self.slots[place as usize];
        slot.entry = Some(entry);
        u64::from(slot.generation) << 32 | u64::from(place)
    }

    fn slot(&mut self, id: u64) -> Option<&mut Slot> {
        let slot = self.slots.get_mut(id as u32 as usize)?;
        (slot.generation == (id >> 32) as u32 && slot.entry.is_some()).then_some(slot)
    }

    fn remove(&mut self, id: u64) {
        let Some(slot) = self.slot(id) else { return };
        slot.entry = None;
        slot.generation = slot.generation.wrapping_add(1);
        self.free.push(id as u32);
    }

    /// The other side says that it is over; `status` is not OK for a receive of fragments that
    /// will never be whole.
    pub fn end(&mut self, id: u64, status: i32) -> Option<Ended> {
        match self.slot(id)?.entry.as_mut()? {
            Entry::Put(request, _) => {
                let request = *request;
                self.remove(id);
                Some(Ended::Receive(request))
            }
            // All fragments say the same by being there.
            Entry::Fragments(_) if status == 0 => None,
            Entry::Fragments(fragments) => {
                let request = fragments.request;
                if !fragments.end(status) {
                    return Some(Ended::Later);
                }
                self.remove(id);
                Some(Ended::Receive(request))
            }
        }
    }

    /// Begins to write a fragment: the receive, or `None` when there is none or the fragment does
    /// not lie inside.
    pub fn begin(&mut self, id: u64, offset: u64, len: u64) -> Option<*mut ReceiveRequest> {
        let entry = self.slot(id)?.entry.as_mut()?;
        let mut fragments = match *entry {
            // Its sender could not put, and sends.
            Entry::Put(request, wanted) => Fragments::new(request, wanted),
            Entry::Fragments(fragments) => fragments,
        };
        if !fragments.begin(offset, len) {
            return None;
        }
        *entry = Entry::Fragments(fragments);
        Some(fragments.request)
    }

    /// Ends to write a fragment: the receive and its status, if that was the last.
    pub fn written(&mut self, id: u64) -> Option<(*mut ReceiveRequest, i32)> {
        let Some(Entry::Fragments(fragments)) = &mut self.slot(id)?.entry else { return None };
        let over = fragments.written()?;
        self.remove(id);
        Some(over)
    }

    /// The numbers of entries that `wants` accepts.
    pub fn which(&self, wants: impl Fn(&Entry) -> bool) -> Vec<u64> {
        let slots = self.slots.iter().zip(0u64..);
        let wanted = slots.filter(|(slot, _)| slot.entry.as_ref().is_some_and(&wants));
        wanted.map(|(slot, place)| u64::from(slot.generation) << 32 | place).collect()
    }

    /// How many are in flight.
    pub fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }
}

#[cfg(test)]
mod tests {
    use core::ptr::{dangling_mut, without_provenance_mut};
    use std::collections::HashSet;
    use std::sync::Barrier;
    use std::sync::atomic::AtomicUsize;
    use std::thread;

    use super::*;
    use crate::mode::{Multiple, Single};

    /// A peer: only its address is used.
    const TO: *const Peer = without_provenance_mut(128);
    /// A communicator, the same.
    const OF: *const CommState = without_provenance_mut(256);

    #[test]
    fn threads_that_send_write_apart_from_receives() {
        let parts = cairn_framework::parts!(Ids {
            sends: "threads that send",
            receives: "receives that are announced",
        });
        cairn_framework::layout::check("the ids of pml_ob1", &parts);
    }

    #[test]
    fn a_send_is_taken_once() {
        let ids = SendIds::default();
        let sends: [*mut SendRequest; 3] = [8, 16, 24].map(without_provenance_mut);
        let [one, two, _] = sends.map(|send| ids.insert::<Single>(send, TO, OF));
        assert!(is_send(one) && (ids.len(), ids.of(OF), ids.of(core::ptr::null())) == (3, 3, 0));
        assert_eq!(ids.take::<Single>(one ^ 1 << 40), None, "another generation");
        assert_eq!(ids.take::<Single>(one + 9), None, "another place");
        assert_eq!(ids.take::<Single>(one & !SEND), None, "a receive's");
        assert_eq!(ids.take::<Single>(one), Some(sends[0]));
        assert_eq!(ids.take::<Single>(one), None, "taken before");
        let again = ids.insert::<Single>(sends[0], TO, OF);
        assert_eq!(again as u32, one as u32);
        assert_ne!(again, one);
        assert_eq!(ids.take::<Single>(one), None);
        let all: HashSet<u64> = ids.to(TO).into_iter().collect();
        assert!(all.len() == 3 && all.contains(&again) && all.contains(&two));
        assert!(ids.to(TO.wrapping_add(1)).is_empty());
        assert_eq!(ids.take::<Single>(again), Some(sends[0]));
        assert_eq!(ids.len(), 2);
    }

    #[test]
    fn generations_wrap_around() {
        let ids = SendIds::default();
        let first = ids.insert::<Single>(dangling_mut(), TO, OF);
        // SAFETY: places are never freed.
        let place = unsafe { &*ids.table.get(first as u32) };
        place.word.store(u64::from(u32::MAX) << 1 | 1, Ordering::Relaxed);
        assert!(ids.take::<Single>(first | u64::from(u32::MAX) << 32).is_some());
        let next = ids.insert::<Single>(dangling_mut(), TO, OF);
        assert_eq!(next, first & u64::from(u32::MAX));
        assert!(ids.take::<Single>(next).is_some());
    }

    /// What the thread that sends still uses is not ended because the peer is gone, but an answer finds it.
    #[test]
    fn a_send_that_is_being_sent_is_for_its_answer_only() {
        let ids = SendIds::default();
        let [one, two] = [8, 16].map(without_provenance_mut);
        let (first, second) =
            (ids.insert::<Multiple>(one, TO, OF), ids.insert::<Multiple>(two, TO, OF));
        assert!(ids.to(TO).is_empty() && ids.of(OF) == 2);
        ids.sent::<Multiple>(first);
        assert_eq!(ids.to(TO), [first]);
        assert_eq!(ids.take::<Multiple>(second), Some(two));
        let third = ids.insert::<Multiple>(two, TO, OF);
        assert_eq!(third as u32, second as u32);
        ids.sent::<Multiple>(second);
        assert_eq!(ids.to(TO), [first], "another send than the third");
        assert_eq!(ids.take::<Multiple>(first), Some(one));
        assert_eq!(ids.take::<Multiple>(third), Some(two));
        assert_eq!(ids.len(), 0);
    }

    /// Threads number sends that others take, all of them as often as there are threads.
    #[test]
    fn one_thread_gets_a_send_that_many_take() {
        const THREADS: usize = 4;
        const ROUNDS: usize = 200;
        let ids = &SendIds::default();
        let sum = &AtomicUsize::new(0);
        let (all, known) = (&Barrier::new(THREADS), &[const { AtomicU64::new(0) }; THREADS]);
        thread::scope(|scope| {
            for (own, place) in known.iter().enumerate() {
                scope.spawn(move || {
                    for round in 1..=ROUNDS {
                        let send = without_provenance_mut(8 * (round * THREADS + own));
                        place.store(ids.insert::<Multiple>(send, TO, OF), Ordering::Relaxed);
                        all.wait();
                        for id in known {
                            let taken = ids.take::<Multiple>(id.load(Ordering::Relaxed));
                            sum.fetch_add(
                                taken.map_or(0, |send| send.addr() / 8),
                                Ordering::Relaxed,
                            );
                        }
                        all.wait();
                    }
                });
            }
        });
        let numbers = THREADS..THREADS * (ROUNDS + 1);
        assert_eq!(sum.load(Ordering::Relaxed), numbers.sum::<usize>());
        assert_eq!(ids.len(), 0);
    }

    #[test]
    fn a_receive_is_taken_once() {
        let mut ids = ReceiveIds::default();
        let id = ids.insert(Entry::Put(dangling_mut(), 8));
        assert!(!is_send(id));
        assert!(ids.end(id ^ 1 << 40, 0).is_none(), "another generation");
        assert!(ids.end(id + 1, 0).is_none(), "another place");
        assert!(matches!(ids.end(id, 0), Some(Ended::Receive(_))));
        assert!(ids.end(id, 0).is_none(), "taken before");
        let again = ids.insert(Entry::Put(dangling_mut(), 8));
        assert_eq!(again as u32, id as u32);
        assert_ne!(again, id);
        assert!(ids.end(id, 0).is_none());
        assert!(ids.end(again, 0).is_some());
        assert_eq!(ids.len(), 0);
    }

    #[test]
    fn what_can_not_be_put_may_come_in_fragments() {
        let mut ids = ReceiveIds::default();
        let id = ids.insert(Entry::Put(dangling_mut(), 8));
        assert!(ids.begin(id, 0, 9).is_none(), "beyond the end");
        assert!(
            matches!(ids.which(|entry| matches!(entry, Entry::Put(..)))[..], [put] if put == id)
        );
        assert!(ids.begin(id, 4, 4).is_some() && ids.written(id).is_none());
        assert!(ids.begin(id, 0, 4).is_some() && ids.written(id).is_some());
        assert_eq!(ids.len(), 0);
    }

    #[test]
    fn fragments_end_when_all_is_there_and_nobody_writes() {
        let mut ids = ReceiveIds::default();
        let id = ids.insert(Entry::Fragments(Fragments::new(dangling_mut(), 10)));
        assert!(ids.begin(id, 5, 6).is_none(), "beyond the end");
        assert!(ids.begin(id, u64::MAX, 2).is_none(), "beyond everything");
        assert!(ids.begin(id, 0, 6).is_some());
        assert!(ids.begin(id, 0, 6).is_none(), "more than is missing");
        assert!(ids.begin(id, 6, 4).is_some());
        assert!(ids.begin(id, 6, 4).is_none(), "all is there");
        assert!(ids.written(id).is_none(), "another writes");
        assert!(matches!(ids.written(id), Some((_, 0))));
        assert!(ids.begin(id, 0, 0).is_none());

        let id = ids.insert(Entry::Fragments(Fragments::new(dangling_mut(), 10)));
        assert!(ids.begin(id, 0, 6).is_some());
        assert!(ids.end(id, 0).is_none());
        assert!(matches!(ids.end(id, -7), Some(Ended::Later)));
        assert!(ids.begin(id, 6, 4).is_none());
        assert!(matches!(ids.written(id), Some((_, -7))));
        assert_eq!(ids.len(), 0);
    }
}
