//! A communicator as this component sees it: its matching engine, and the order of messages by
//! peer.

use core::ffi::c_void;
use core::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use cairn_framework::abi::comm::{COMM_ALLOW_OVERTAKING, Comm, ContextId};
use cairn_framework::abi::peer::Peer as HostPeer;
use cairn_framework::frameworks::matching::MatchOps;

use crate::chains::{Link, Member};
use crate::mode::{Locked, Mode, fetch_add};
use crate::objects::peer::Peer;
use crate::reorder::Reorder;
use crate::turn::Turn;
use crate::wire;

/// A communicator's state. Its address is in the communicator's private slot and, by context id, in
/// the component's table.
pub struct CommState {
    /// What messages to our rank carry.
    pub context: ContextId,
    /// The link of the table of open communicators.
    next: Link<CommState>,
    /// The host's view.
    pub comm: *const Comm,
    /// The matching engine and its functions.
    pub engine: *mut c_void,
    /// See `engine`.
    pub matching: &'static MatchOps,
    /// Our rank.
    pub rank: u32,
    /// By rank; made when first needed.
    ranks: Box<[AtomicPtr<CommPeer>]>,
    /// Messages whose receiver has said how it gets the data, and that is under way.
    pub transfers: AtomicU32,
    /// Threads that wait for a message that they may probe.
    pub waiting: AtomicU32,
    /// Changes when a message was kept that one of them may wait for.
    pub arrivals: AtomicU32,
}

// SAFETY: an engine is made for use by any thread, and the rest is constant or atomic.
unsafe impl Send for CommState {}
// SAFETY: see `Send`.
unsafe impl Sync for CommState {}

/// A rank of a communicator. The first lines are the senders', the others the receivers'.
#[repr(C, align(128))]
pub struct CommPeer {
    /// The peer, once connected.
    pub peer: AtomicPtr<Peer>,
    /// Messages sent that have a number.
    sent: AtomicU32,
    /// Our messages have none.
    unordered: bool,
    /// What messages to it carry.
    pub context: ContextId,
    /// The order of messages from it.
    pub order: Order,
}

/// Messages that arrive from one rank.
#[repr(C, align(128))]
pub struct Order {
    /// Which thread hands a message to the engine.
    pub turn: Turn,
    /// Those that came too early.
    pub later: Locked<Reorder>,
}

impl CommPeer {
    /// The number of the next message to it, or [`wire::UNORDERED`]. The user's assertion is about his
    /// messages; those of the library, with negative tags, stay in order.
    #[inline]
    pub fn next_sequence<M: Mode>(&self, tag: i32) -> u32 {
        if self.unordered && tag >= 0 {
            return wire::UNORDERED;
        }
        fetch_add::<M>(&self.sent, 1) & wire::SEQUENCE_MASK
    }

    /// Messages with a number sent to it.
    pub fn sent(&self) -> u32 {
        self.sent.load(Ordering::Relaxed)
    }
}

impl CommState {
    /// The state of a communicator whose engine is open.
    pub fn new(comm: &Comm, engine: *mut c_void, matching: &'static MatchOps) -> Self {
        Self {
            context: comm.context,
            next: Link::new(core::ptr::null_mut()),
            comm,
            engine,
            matching,
            rank: comm.rank,
            ranks: (0..comm.remote_size).map(|_| AtomicPtr::default()).collect(),
            transfers: AtomicU32::new(0),
            waiting: AtomicU32::new(0),
            arrivals: AtomicU32::new(0),
        }
    }

    /// The host's view.
    #[inline]
    pub fn view(&self) -> &Comm {
        // SAFETY: the communicator outlives its state.
        unsafe { &*self.comm }
    }

    /// The process behind a rank below `size`.
    pub fn peer(&self, rank: u32) -> &HostPeer {
        assert!(rank < self.size(), "rank {rank} of {}", self.size());
        // SAFETY: a communicator has a peer for each rank, and the host keeps it.
        unsafe { &**self.view().peers.add(rank as usize) }
    }

    /// How many ranks messages may come from.
    #[inline]
    pub fn size(&self) -> u32 {
        self.ranks.len() as u32
    }

    /// A rank below `size`.
    #[inline]
    pub fn rank(&self, rank: u32) -> &CommPeer {
        self.rank_if_any(rank).expect("a rank of the communicator")
    }

    /// The rank with this number, if there is one.
    #[inline]
    pub fn rank_if_any(&self, rank: u32) -> Option<&CommPeer> {
        let place = self.ranks.get(rank as usize)?;
        let found = place.load(Ordering::Acquire);
        if found.is_null() {
            return Some(self.make(rank, place));
        }
        // SAFETY: ranks live as long as the state.
        Some(unsafe { &*found })
    }

    /// A rank and the peer behind it, if both were met.
    #[inline(always)]
    pub fn known(&self, rank: u32) -> Option<(&CommPeer, &Peer)> {
        let place = self.ranks.get(rank as usize)?;
        // SAFETY: ranks live as long as the state, peers as long as the component. Acquire: a
        // thread that sees them sees what is in them.
        unsafe {
            let rank = place.load(Ordering::Acquire).as_ref()?;
            Some((rank, rank.peer.load(Ordering::Acquire).as_ref()?))
        }
    }

    #[cold]
    fn make<'a>(&self, rank: u32, place: &'a AtomicPtr<CommPeer>) -> &'a CommPeer {
        let made = Box::into_raw(Box::new(CommPeer {
            peer: AtomicPtr::default(),
            sent: AtomicU32::new(0),
            unordered: self.view().flags & COMM_ALLOW_OVERTAKING != 0,
            // SAFETY: a communicator has a context id for each rank if it has several.
            context: unsafe { self.view().context_of(rank) },
            order: Order { turn: Turn::new(), later: Locked::default() },
        }));
        let null = core::ptr::null_mut();
        match place.compare_exchange(null, made, Ordering::AcqRel, Ordering::Acquire) {
            // SAFETY: ranks live as long as the state.
            Ok(_) => unsafe { &*made },
            // SAFETY: no other thread has seen ours; the other lives as long as the state.
            Err(other) => unsafe {
                drop(Box::from_raw(made));
                &*other
            },
        }
    }

    /// The ranks that were met.
    pub fn met(&self) -> impl Iterator<Item = (u32, &CommPeer)> {
        self.ranks.iter().enumerate().filter_map(|(rank, place)| {
            // SAFETY: ranks live as long as the state.
            Some((rank as u32, unsafe { place.load(Ordering::Acquire).as_ref()? }))
        })
    }
}

impl Member for CommState {
    #[inline]
    fn context(&self) -> (u32, u64) {
        (self.context.maker, self.context.serial)
    }

    #[inline]
    fn next(&self) -> &Link<Self> {
        &self.next
    }
}

impl Drop for CommState {
    fn drop(&mut self) {
        for place in &mut self.ranks {
            let rank = *place.get_mut();
            if !rank.is_null() {
                // SAFETY: boxed by `make`, and the state is not used any more.
                drop(unsafe { Box::from_raw(rank) });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn senders_and_receivers_share_no_lines() {
        let parts = cairn_framework::parts!(CommPeer {
            peer: "senders",
            sent: "senders",
            unordered: "senders",
            context: "senders",
            order: "receivers",
        });
        cairn_framework::layout::check("a rank of a communicator in pml_ob1", &parts);
    }
}
