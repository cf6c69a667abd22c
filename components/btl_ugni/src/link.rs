//! A CRI's ways to peers: links for messages, routes for transfers.

use std::cell::{Cell, RefCell, UnsafeCell};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cairn_transport::Pass;

use crate::nic::Endpoint;
use crate::wire::{DATAGRAM, Mailbox};

/// A peer, as all CRIs know it.
pub struct UgniEndpoint {
    pub rank: u32,
    /// The address of its NIC.
    pub address: u32,
    /// The ids of its instances, by CRI.
    pub ids: Vec<u32>,
    /// It is gone. Set once; CRIs learn of it by a counter that is raised behind it.
    failed: AtomicBool,
}

impl UgniEndpoint {
    pub fn new(rank: u32, address: u32, ids: Vec<u32>) -> Self {
        Self { rank, address, ids, failed: AtomicBool::new(false) }
    }

    /// The instance that a CRI of this process sends to.
    pub fn instance(&self, cri: usize) -> (u32, u32) {
        (self.address, self.ids[cri % self.ids.len()])
    }

    /// Whether it is gone.
    #[inline(always)]
    pub fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    /// It is gone. True for the first who says so.
    pub fn fail(&self) -> bool {
        !self.failed.swap(true, Ordering::Relaxed)
    }
}

/// How far a link is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Its datagram is to be posted.
    Wanted,
    /// The peer has not answered.
    Posted,
    Connected,
    /// It can't be used any more.
    Broken,
}

/// A way for messages, both ways. Belongs to its CRI, whose lock whoever touches it holds.
pub struct Link {
    /// Its place in the CRI, which stands in events.
    pub index: u32,
    pub rank: u32,
    pub state: Cell<State>,
    pub endpoint: Endpoint,
    /// Here.
    pub mailbox: Mailbox,
    /// The peer's mailbox, once it is known: address and registration.
    pub place: Cell<Option<(u64, [u64; 2])>>,
    /// Where the peer's datagram goes.
    pub answer: UnsafeCell<[u8; DATAGRAM]>,
    pub pass: Pass,
    /// The peer knows whose messages come by this way.
    pub has_greeted: Cell<bool>,
    /// It is over, and the peer is to be told so.
    pub is_ending: Cell<bool>,
    /// The peer was told so, and nothing was sent since then.
    pub has_said_goodbye: Cell<bool>,
    /// Buffers of messages that had no credits.
    pub backlog: RefCell<VecDeque<u32>>,
    /// It is among those that are tried again.
    pub is_waiting: Cell<bool>,
    /// Messages whose buffers the network still has.
    pub sent: Cell<u32>,
}

// SAFETY: it belongs to a CRI, which is used by one thread at a time.
unsafe impl Send for Link {}

impl Link {
    pub fn new(
        index: u32,
        rank: u32,
        state: State,
        endpoint: Endpoint,
        mailbox: Mailbox,
        pass: Pass,
    ) -> Self {
        Self {
            index,
            rank,
            state: Cell::new(state),
            endpoint,
            mailbox,
            place: Cell::new(None),
            answer: UnsafeCell::new([0; DATAGRAM]),
            pass,
            has_greeted: Cell::new(false),
            is_ending: Cell::new(false),
            has_said_goodbye: Cell::new(false),
            backlog: RefCell::default(),
            is_waiting: Cell::new(false),
            sent: Cell::new(0),
        }
    }

    pub fn is_connected(&self) -> bool {
        self.state.get() == State::Connected
    }
}

/// A way for transfers.
pub struct Route {
    pub peer: Arc<UgniEndpoint>,
    pub endpoint: Endpoint,
    /// Puts and atomics under way.
    pub writes: Cell<u32>,
}

// SAFETY: as for a link.
unsafe impl Send for Route {}
