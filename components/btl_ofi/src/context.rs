//! What a CRI has.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use cairn_framework::author::Failure;
use cairn_framework::frameworks::btl::OwnCri;
use cairn_transport::Flushes;

use crate::fabric::{Domain, Endpoint};
use crate::link::{Link, OfiEndpoint};
use crate::module::{OfiDevice, no_address};
use crate::op::{OpRef, Pool};
use crate::order::Ways;

/// Passes without an event before the queue is looked at seldom.
const EAGER: u32 = 1024;

/// A CRI of this transport.
pub type OfiCri = OwnCri<Context>;

/// What stands behind a CRI.
pub struct Context {
    // Closed before what the provider may still have is freed.
    pub endpoint: Arc<Endpoint>,
    /// By rank.
    links: RefCell<Vec<Option<Box<Link>>>>,
    /// Ranks of links with a backlog.
    pub waiting: RefCell<VecDeque<u32>>,
    pub messages: RefCell<Pool>,
    pub transfers: RefCell<Pool>,
    /// Buffers that the provider did not take yet.
    pub unposted: RefCell<Vec<OpRef>>,
    /// What comes.
    pub incoming: RefCell<Ways>,
    pub flushes: Flushes,
    /// Failures of peers that it has seen.
    pub failures: Cell<u32>,
    /// When operations of failed peers that the provider still has are given up.
    pub give_up: Cell<Option<Instant>>,
    /// Links are over, and their peers are to be told so.
    pub is_ending: Cell<bool>,
    /// The transport closes: nobody is there any more who could be told of an end.
    pub is_closing: Cell<bool>,
    /// Passes without an event, and passes to skip.
    idle: Cell<u32>,
    skip: Cell<u32>,
    // Closed behind the buffers, which may be registered.
    _domain: Arc<Domain>,
}

// SAFETY: the operations belong to the CRI, which one thread at a time uses.
unsafe impl Send for Context {}

impl Context {
    pub fn new(endpoint: Arc<Endpoint>, frame: usize) -> Self {
        Self {
            _domain: endpoint.domain.clone(),
            endpoint,
            links: RefCell::default(),
            waiting: RefCell::default(),
            messages: RefCell::new(Pool::new(frame)),
            transfers: RefCell::new(Pool::new(0)),
            unposted: RefCell::default(),
            incoming: RefCell::default(),
            flushes: Flushes::default(),
            failures: Cell::new(0),
            give_up: Cell::new(None),
            is_ending: Cell::new(false),
            is_closing: Cell::new(false),
            idle: Cell::new(0),
            skip: Cell::new(0),
        }
    }

    /// The link to a rank, if there is one.
    #[inline]
    pub fn existing(&self, rank: u32) -> Option<&Link> {
        let links = self.links.borrow();
        let link: *const Link = &raw const **links.get(rank as usize)?.as_ref()?;
        // SAFETY: links are boxed and stay as long as this.
        Some(unsafe { &*link })
    }

    /// All links.
    pub fn all_links(&self) -> Vec<&Link> {
        let count = self.links.borrow().len() as u32;
        (0..count).filter_map(|rank| self.existing(rank)).collect()
    }

    /// The link to a peer, made if there is none yet.
    #[inline]
    pub fn link(
        &self,
        device: &OfiDevice,
        cri: &OfiCri,
        endpoint: &OfiEndpoint,
    ) -> Result<&Link, Failure> {
        match self.existing(endpoint.rank) {
            Some(link) => Ok(link),
            None => self.make_link(device, cri, endpoint),
        }
    }

    #[cold]
    fn make_link(
        &self,
        device: &OfiDevice,
        cri: &OfiCri,
        endpoint: &OfiEndpoint,
    ) -> Result<&Link, Failure> {
        let rank = endpoint.rank;
        let shared: &Arc<OfiEndpoint> = device.endpoint(rank).ok_or("there is no such peer")?;
        let insert = |at: usize| {
            let address = &shared.addresses[at];
            self.endpoint.insert(address).map_err(|error| no_address(device, rank, error))
        };
        let own = cri.index() % shared.addresses.len();
        let address = insert(own)?;
        let home = if own == 0 { address } else { insert(0)? };
        let memory = if device.keys_are_of_endpoints() { home } else { address };
        let link = Link::new(shared.clone(), address, memory, home);
        let mut links = self.links.borrow_mut();
        let needed = links.len().max(rank as usize + 1);
        links.resize_with(needed, || None);
        links[rank as usize] = Some(Box::new(link));
        drop(links);
        self.existing(rank).ok_or_else(|| Failure::from("no link was made"))
    }

    /// Something was sent or has come: look in each pass for a while.
    #[inline(always)]
    pub fn traffic(&self) {
        self.idle.set(0);
        self.skip.set(0);
    }

    /// Whether this pass looks at nothing.
    #[inline(always)]
    pub fn is_skipped(&self, interval: u32) -> bool {
        let left = self.skip.get();
        if left > 0 {
            self.skip.set(left - 1);
            return true;
        }
        let idle = self.idle.get();
        if idle < EAGER {
            self.idle.set(idle + 1);
        } else {
            self.skip.set(interval - 1);
        }
        false
    }

    /// Something waits to be handed to the provider, or for a peer to take it; what does not count if courtesy is
    /// over is a goodbye, with the greeting before it.
    pub fn is_busy(&self, courtesy_is_over: bool) -> bool {
        if self.is_ending.get() {
            return true;
        }
        let is_waiting = |link: &Link| {
            let courtesy = if courtesy_is_over { link.courtesy.get() } else { 0 };
            let is_under_way = link.messages.get() > courtesy || link.writes.get() > 0;
            is_under_way && !link.endpoint.has_failed()
        };
        self.all_links().into_iter().any(is_waiting)
    }
}
