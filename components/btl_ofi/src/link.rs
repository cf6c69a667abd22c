//! A CRI's way to a peer.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cairn_transport::Pass;

use crate::bindings::fi_addr_t;
use crate::op::OpRef;

/// A peer, as all CRIs know it.
pub struct OfiEndpoint {
    pub rank: u32,
    /// By its CRI. Each is one that the library takes.
    pub addresses: Vec<Vec<u8>>,
    /// Shows that messages are of this process.
    pub pass: Pass,
    /// It is gone. Set once; CRIs learn of it by a counter that is raised behind it.
    failed: AtomicBool,
}

impl OfiEndpoint {
    pub fn new(rank: u32, addresses: Vec<Vec<u8>>, pass: Pass) -> Self {
        Self { rank, addresses, pass, failed: AtomicBool::new(false) }
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

/// A way. Belongs to its CRI, whose lock whoever touches it holds.
pub struct Link {
    pub endpoint: Arc<OfiEndpoint>,
    /// The peer's CRI that takes the messages.
    pub address: fi_addr_t,
    /// Where its memory is reached.
    pub memory: fi_addr_t,
    /// Its first CRI, to which atomics go. Providers may do them in software, one after the other in each
    /// endpoint, and then those of different endpoints would not be atomic with each other.
    pub home: fi_addr_t,
    /// The peer knows whose messages come by this way.
    pub has_greeted: Cell<bool>,
    /// It is over, and the peer is to be told so.
    pub is_ending: Cell<bool>,
    /// The peer was told so, and nothing was sent since then: the last message is a goodbye, and the one before it a
    /// greeting if there are two. Otherwise none.
    pub courtesy: Cell<u32>,
    /// Messages so far.
    pub number: Cell<u32>,
    /// Messages that the peer has not taken.
    pub messages: Cell<u32>,
    /// The number of a message before which the peer has taken all.
    pub all_taken: Cell<u32>,
    /// Puts, gets and atomics under way, and how many of them are not gets.
    pub transfers: Cell<u32>,
    pub writes: Cell<u32>,
    /// What the provider did not take yet.
    pub backlog: RefCell<VecDeque<OpRef>>,
}

// SAFETY: it belongs to a CRI, which is used by one thread at a time.
unsafe impl Send for Link {}

impl Link {
    pub fn new(
        endpoint: Arc<OfiEndpoint>,
        address: fi_addr_t,
        memory: fi_addr_t,
        home: fi_addr_t,
    ) -> Self {
        Self {
            endpoint,
            address,
            memory,
            home,
            has_greeted: Cell::new(false),
            is_ending: Cell::new(false),
            courtesy: Cell::new(0),
            number: Cell::new(0),
            messages: Cell::new(0),
            all_taken: Cell::new(0),
            transfers: Cell::new(0),
            writes: Cell::new(0),
            backlog: RefCell::default(),
        }
    }
}
