//! What this component counts.
//!
//! Where an instance's lock is held, which is where messages come and go, the instance's own block
//! counts, and no other thread meets it. What happens elsewhere is rarer and counted in a few blocks
//! that threads share.

use core::ffi::c_void;
use core::sync::atomic::{AtomicPtr, Ordering};
use std::time::Instant;

use cairn_framework::abi::comm::Comm;
use cairn_framework::abi::counter::CounterCell;
use cairn_framework::abi::pool::Cri;
use cairn_framework::author::counters::Counted;
use cairn_framework::author::{EventKind, Failure, HostHandle};
use cairn_framework::frameworks::btl::BtlModule;
use cairn_framework::frameworks::matching::MatchCounts;

use crate::comm::State;
use crate::core::Core;
use crate::endpoint::Held;
use crate::mode::Mode;
use crate::wire::kind;

/// Shared blocks in a threaded process.
const SHARED: usize = 8;

/// The blocks of a device's instances.
type Blocks = Box<[Counted<Messages>]>;

/// Pools whose instances have blocks of their own.
const POOLS: usize = 64;

/// One search in so many is timed: two looks at the clock cost some 50 ns.
const TIMED: u64 = 512;

cairn_framework::counters! {
    /// Messages and what became of them.
    pub struct Messages {
        messages_eager: SUM, "messages", "Messages sent whole, without asking the receiver.";
        messages_synchronous: SUM, "messages",
            "Synchronous messages sent whole; the receiver says when they are matched.";
        messages_rendezvous: SUM, "messages", "Messages announced, whose data the receiver asks for.";
        bytes_eager: AGGREGATE, "bytes", "Bytes of messages sent whole.";
        bytes_rendezvous: AGGREGATE, "bytes", "Bytes of messages announced.";
        received_eager: SUM, "messages", "Messages that came whole.";
        received_synchronous: SUM, "messages", "Synchronous messages that came whole.";
        received_rendezvous: SUM, "messages", "Announcements of messages that came.";
        bytes_received_eager: AGGREGATE, "bytes", "Bytes of messages that came whole.";
        bytes_received_rendezvous: AGGREGATE, "bytes", "Bytes of messages whose announcement came.";
        bytes_get: AGGREGATE, "bytes", "Bytes received by remote get.";
        bytes_put: AGGREGATE, "bytes", "Bytes sent by remote put.";
        bytes_fragments: AGGREGATE, "bytes", "Bytes sent in fragments, after asking the receiver.";
        matched: SUM, "messages", "Messages that found their receive posted.";
        unexpected: SUM, "messages", "Messages that came before their receive was posted.";
        out_of_sequence: SUM, "messages",
            "Messages that overtook an earlier one and were put in order.";
        early: SUM, "messages", "Messages that came before this process opened their communicator.";
        dropped: SUM, "messages",
            "Messages that no receive can get, because their communicator was freed.";
        deferred: SUM, "messages",
            "Messages and answers that waited because a transport had no room.";
        refused: SUM, "messages",
            "Messages that a transport could not send; they went over another one, or failed.";
        fell_back: SUM, "messages",
            "Messages that went in fragments because a remote get or put failed.";
        violations: SUM, "messages", "Messages that were dropped because they broke the protocol.";
        match_time: TIMER, "ns", "Time that the searches took which were timed, one in many.";
        match_timed: SUM, "searches", "Searches for the receive of a message that were timed.";
    }
}

cairn_framework::counters! {
    /// The matching engines, as they tell: all together, or that of a communicator.
    pub struct Queues {
        receives_posted: LEVEL, "receives", "Receives that are posted and not matched.";
        receives_posted_max: MAXIMUM, "receives", "Most receives of a communicator posted at a time.";
        messages_waiting: LEVEL, "messages", "Messages that have come and wait for a receive.";
        messages_waiting_max: MAXIMUM, "messages",
            "Most messages of a communicator that waited at a time.";
        receives_posted_met: AGGREGATE, "receives",
            "Receives that were posted when messages came, summed up; divided by the arrivals the mean length of the queue.";
        messages_waiting_met: AGGREGATE, "messages",
            "Messages that waited when receives were posted, summed up; divided by the posts the mean length of the queue.";
        posts: SUM, "receives", "Receives that were posted.";
        arrivals: SUM, "messages", "Messages that were matched or kept.";
        searches: SUM, "searches", "Searches for a message's receive or a receive's message.";
        searches_compared: AGGREGATE, "entries",
            "Entries that searches compared; divided by their number the mean length of one.";
        searches_compared_max: MAXIMUM, "entries", "Most entries that one search compared.";
    }
}

/// Tools can hear of these.
pub struct Events {
    /// A message came before its receive was posted.
    pub unexpected: EventKind<4>,
    /// A message overtook an earlier one.
    pub out_of_sequence: EventKind<3>,
}

/// All blocks. Their address is fixed, because the host reads them.
pub struct Counters {
    host: HostHandle,
    /// Where several threads count; one in a process without threads.
    shared: Box<[Counted<Messages>]>,
    /// The first of `shared`.
    first: *const Messages,
    /// By the number of a pool, a block for each of its instances; made when first needed.
    pools: Box<[AtomicPtr<Blocks>]>,
    /// Events that belong to some of the counters.
    pub events: Events,
}

/// Where a thread counts now.
#[derive(Clone, Copy)]
pub struct Here<'a> {
    block: &'a Messages,
    /// Whether only this thread counts in the block.
    own: bool,
}

impl Counters {
    /// Makes the counters and tells the host.
    pub fn new(host: HostHandle, threaded: bool) -> Result<Self, Failure> {
        let count = if threaded { SHARED } else { 1 };
        let shared: Box<[Counted<Messages>]> =
            (0..count).map(|_| Counted::new(host)).collect::<Result<_, _>>()?;
        let events = Events {
            unexpected: EventKind::new(
                host,
                c"unexpected_message",
                c"A message came before its receive was posted.",
                5,
                c"communicator,source,tag,bytes",
            )?,
            out_of_sequence: EventKind::new(
                host,
                c"out_of_sequence_message",
                c"A message overtook an earlier one of the same sender.",
                5,
                c"communicator,source,sequence",
            )?,
        };
        let pools = (0..POOLS).map(|_| AtomicPtr::default()).collect();
        let first = &raw const **shared.first().ok_or("no counters")?;
        Ok(Self { host, shared, first, pools, events })
    }

    /// Adds to a counter from anywhere; `block` spreads the threads over the shared blocks.
    #[inline]
    pub fn add<M: Mode>(&self, block: u32, cell: impl Fn(&Messages) -> &CounterCell, more: u64) {
        let block = &self.shared[if M::THREADED { block as usize % SHARED } else { 0 }];
        if block.on() {
            Here { block, own: !M::THREADED }.add(cell, more);
        }
    }

    /// Where to count with the lock of an instance held, which is one of this device; nowhere if
    /// counters are off.
    #[inline]
    pub fn at<M: Mode>(&self, module: *const BtlModule, held: Held<'_>) -> Option<Here<'_>> {
        // SAFETY: a block stays where it is as long as `shared`.
        let first = unsafe { &*self.first };
        if !first.on() {
            return None;
        }
        if !M::THREADED {
            return Some(Here { block: first, own: true });
        }
        let own = held.and_then(|cri| self.instance(module, cri));
        Some(own.map_or(Here { block: first, own: false }, |block| Here { block, own: true }))
    }

    #[inline]
    fn instance(&self, module: *const BtlModule, cri: &Cri) -> Option<&Messages> {
        // SAFETY: devices stay, and each has a pool.
        let pool = unsafe { &*(*module).pool };
        let place = self.pools.get(pool.id as usize)?;
        // SAFETY: boxed by `make`; stays until `drop`. Acquire pairs with its Release.
        let blocks = unsafe { place.load(Ordering::Acquire).as_ref() };
        let blocks = match blocks {
            Some(blocks) => blocks,
            None => self.make(place, pool.count)?,
        };
        blocks.get(cri.index as usize).map(|block| &**block)
    }

    #[cold]
    fn make(&self, place: &AtomicPtr<Blocks>, count: u32) -> Option<&[Counted<Messages>]> {
        let blocks: Result<_, _> = (0..count).map(|_| Counted::new(self.host)).collect();
        // Without them the shared ones do.
        let made = Box::into_raw(Box::new(blocks.ok()?));
        let null = core::ptr::null_mut();
        match place.compare_exchange(null, made, Ordering::AcqRel, Ordering::Acquire) {
            // SAFETY: stays until `drop`.
            Ok(_) => unsafe { Some(&*made) },
            // SAFETY: no other thread has seen ours; the other stays until `drop`.
            Err(other) => unsafe {
                drop(Box::from_raw(made));
                Some(&*other)
            },
        }
    }
}

impl Here<'_> {
    /// Adds to a counter.
    #[inline(always)]
    pub fn add(self, cell: impl Fn(&Messages) -> &CounterCell, more: u64) {
        if self.own {
            cell(self.block).add(more);
        } else {
            cell(self.block).add_shared(more);
        }
    }

    /// A message was sent whole.
    #[inline]
    pub fn sent_eager(self, bytes: u64) {
        self.add(|block| &block.messages_eager, 1);
        self.add(|block| &block.bytes_eager, bytes);
    }

    /// A search begins: the time, if this one is to be timed.
    #[inline]
    pub fn begin_search(self) -> Option<Instant> {
        let before = self.block.matched.get().wrapping_add(self.block.unexpected.get());
        before.is_multiple_of(TIMED).then(Instant::now)
    }

    /// A message of this kind and with so many bytes came, and the engine has a receive for it or keeps it.
    #[inline(always)]
    pub fn came(self, start: Option<Instant>, kind: u8, bytes: u64, matched: bool) {
        if let Some(start) = start {
            self.sample(start);
        }
        self.add(|block| if matched { &block.matched } else { &block.unexpected }, 1);
        self.add(
            |block| match kind {
                kind::MATCH => &block.received_eager,
                kind::SYNC => &block.received_synchronous,
                _ => &block.received_rendezvous,
            },
            1,
        );
        let rendezvous = kind == kind::RENDEZVOUS;
        self.add(
            |block| {
                if rendezvous {
                    &block.bytes_received_rendezvous
                } else {
                    &block.bytes_received_eager
                }
            },
            bytes,
        );
    }
}

impl Here<'_> {
    /// One search of many was timed.
    #[cold]
    fn sample(self, start: Instant) {
        self.add(|block| &block.match_time, start.elapsed().as_nanos() as u64);
        self.add(|block| &block.match_timed, 1);
    }
}

impl Drop for Counters {
    fn drop(&mut self) {
        for place in &mut self.pools {
            let blocks = *place.get_mut();
            if !blocks.is_null() {
                // SAFETY: boxed by `make`, and it is not used any more.
                drop(unsafe { Box::from_raw(blocks) });
            }
        }
    }
}

/// What the matching engines count, for all communicators and for each.
#[derive(Default)]
pub struct Engines {
    /// The communicators that are open.
    open: Vec<Counting>,
    /// What the engines have counted that are closed.
    past: MatchCounts,
}

#[derive(Clone, Copy, PartialEq)]
struct Counting(*const State);

// SAFETY: a state is made for use by any thread, and is in the list as long as it lives.
unsafe impl Send for Counting {}

impl Counting {
    fn counts(self) -> MatchCounts {
        let mut counts = MatchCounts::default();
        // SAFETY: the table is complete, and the engine is there as long as the state.
        unsafe { ((*self.0).matching.counts.unwrap_unchecked())((*self.0).engine, &mut counts) };
        counts
    }
}

impl Engines {
    /// A communicator has an engine.
    pub fn open(&mut self, state: *const State) {
        self.open.push(Counting(state));
    }

    /// A communicator's engine is about to be closed; nothing is in it.
    pub fn close(&mut self, state: *const State) {
        // Most often one of the last that were opened.
        if let Some(place) = self.open.iter().rposition(|one| *one == Counting(state)) {
            add(&mut self.past, &self.open.swap_remove(place).counts());
        }
    }

    /// What the engine of a communicator has counted, or all of them if none is named.
    fn counts(&self, comm: *const Comm) -> MatchCounts {
        let of_comm = |one: &&Counting| {
            // SAFETY: states that are in the list live.
            comm.is_null() || core::ptr::eq(unsafe { (*one.0).comm }, comm)
        };
        let mut counts = if comm.is_null() { self.past } else { MatchCounts::default() };
        self.open.iter().filter(of_comm).for_each(|one| add(&mut counts, &one.counts()));
        counts
    }
}

/// Adds what one engine has counted to what others have.
fn add(all: &mut MatchCounts, one: &MatchCounts) {
    for (sum, more) in [
        (&mut all.posted, one.posted),
        (&mut all.arrived, one.arrived),
        (&mut all.searches, one.searches),
        (&mut all.compared, one.compared),
        (&mut all.posts, one.posts),
        (&mut all.arrivals, one.arrivals),
        (&mut all.posted_met, one.posted_met),
        (&mut all.arrived_met, one.arrived_met),
    ] {
        *sum += more;
    }
    for (most, seen) in [
        (&mut all.posted_max, one.posted_max),
        (&mut all.arrived_max, one.arrived_max),
        (&mut all.compared_max, one.compared_max),
    ] {
        *most = seen.max(*most);
    }
}

impl Core {
    /// Tells the host of the counters of matching engines. Their address is fixed from here on, as is
    /// the core's.
    pub fn count_queues<M: Mode>(&self) -> Result<(), Failure> {
        let context = (&raw const *self).cast_mut().cast();
        // SAFETY: the core drops the block before anything else.
        let queues = unsafe { Counted::by_comm(self.host, refresh::<M>, context) }?;
        drop(self.queues.set(queues));
        Ok(())
    }
}

/// # Safety
/// The context is a core.
unsafe extern "C" fn refresh<M: Mode>(core: *mut c_void, comm: *const Comm) {
    // SAFETY: promised by the caller.
    let core = unsafe { &*core.cast::<Core>() };
    let Some(queues) = core.queues.get() else { return };
    let counts = core.engines.with::<M, _>(|engines| engines.counts(comm));
    for (cell, value) in [
        (&queues.receives_posted, counts.posted),
        (&queues.receives_posted_max, counts.posted_max),
        (&queues.messages_waiting, counts.arrived),
        (&queues.messages_waiting_max, counts.arrived_max),
        (&queues.receives_posted_met, counts.posted_met),
        (&queues.messages_waiting_met, counts.arrived_met),
        (&queues.posts, counts.posts),
        (&queues.arrivals, counts.arrivals),
        (&queues.searches, counts.searches),
        (&queues.searches_compared, counts.compared),
        (&queues.searches_compared_max, counts.compared_max),
    ] {
        cell.value.store(value, Ordering::Relaxed);
    }
}
