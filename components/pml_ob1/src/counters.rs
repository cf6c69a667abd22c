//! What this component counts.
//!
//! Where an instance's lock is held, which is where messages come and go, the instance's own block
//! counts, and no other thread meets it. What happens elsewhere is rarer and counted in a few blocks
//! that threads share.

use core::sync::atomic::{AtomicPtr, Ordering};
use std::time::Instant;

use cairn_framework::abi::counter::CounterCell;
use cairn_framework::abi::pool::Cri;
use cairn_framework::author::counters::Counted;
use cairn_framework::author::{EventKind, Failure, HostHandle};
use cairn_framework::frameworks::btl::BtlModule;

use crate::mode::Mode;
use crate::objects::rail::Held;
use crate::objects::request::Protocol;
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
        messages_pushed: SUM, "messages",
            "Messages sent in pieces, without asking the receiver.";
        bytes_eager: AGGREGATE, "bytes", "Bytes of messages sent whole.";
        bytes_rendezvous: AGGREGATE, "bytes", "Bytes of messages announced.";
        bytes_pushed: AGGREGATE, "bytes", "Bytes of messages sent in pieces unasked.";
        received_eager: SUM, "messages", "Messages that came whole.";
        received_synchronous: SUM, "messages", "Synchronous messages that came whole.";
        received_rendezvous: SUM, "messages", "Announcements of messages that came.";
        received_pushed: SUM, "messages", "Messages whose first piece came unasked.";
        bytes_received_eager: AGGREGATE, "bytes", "Bytes of messages that came whole.";
        bytes_received_rendezvous: AGGREGATE, "bytes", "Bytes of messages whose announcement came.";
        bytes_received_pushed: AGGREGATE, "bytes", "Bytes of messages whose first piece came unasked.";
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

    /// A message of so many bytes was sent, or what goes of it first.
    #[inline(always)]
    pub fn sent(self, protocol: Protocol, bytes: u64) {
        self.add(
            |block| match protocol {
                Protocol::Eager => &block.messages_eager,
                Protocol::Synchronous => &block.messages_synchronous,
                Protocol::Pushed => &block.messages_pushed,
                Protocol::Rendezvous => &block.messages_rendezvous,
            },
            1,
        );
        self.add(
            |block| match protocol {
                Protocol::Eager | Protocol::Synchronous => &block.bytes_eager,
                Protocol::Pushed => &block.bytes_pushed,
                Protocol::Rendezvous => &block.bytes_rendezvous,
            },
            bytes,
        );
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
                kind::MATCH | kind::LONG => &block.received_eager,
                kind::SYNC => &block.received_synchronous,
                kind::PUSHED => &block.received_pushed,
                _ => &block.received_rendezvous,
            },
            1,
        );
        self.add(
            |block| match kind {
                kind::RENDEZVOUS => &block.bytes_received_rendezvous,
                kind::PUSHED => &block.bytes_received_pushed,
                _ => &block.bytes_received_eager,
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
