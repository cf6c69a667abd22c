//! What a CRI has.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

use cairn_framework::author::Failure;
use cairn_framework::frameworks::btl::OwnCri;
use cairn_transport::Flushes;

use crate::bindings::*;
use crate::connect::Wildcard;
use crate::library::Library;
use crate::link::{Link, Route, State, UgniEndpoint};
use crate::mailbox::Mailboxes;
use crate::message::Buffers;
use crate::module::{Module, UgniDevice};
use crate::nic::{Nic, Queue};
use crate::op::{OpRef, Ops};
use crate::params::Config;

/// Passes without an event before the queues are looked at seldom.
const EAGER: u32 = 1024;

/// Passes for each look at datagrams while nothing connects.
const DATAGRAM_INTERVAL: u32 = 16;

/// Entries of the queue of messages that were sent.
pub const SEND_QUEUE: u32 = 8192;

/// A CRI of this transport.
pub type UgniCri = OwnCri<Context>;

/// What stands behind a CRI. What is destroyed first stands first.
pub struct Context {
    pub library: &'static Library,
    /// By index; those that are made stay. None: a number that a datagram has promised.
    links: RefCell<Vec<Option<Box<Link>>>>,
    routes: RefCell<Vec<Option<Box<Route>>>>,
    pub wildcard: RefCell<Option<Wildcard>>,
    /// By rank: the link by which messages go.
    sending: RefCell<Vec<Option<u32>>>,
    /// Links with a backlog, and links whose datagram is not posted or not answered.
    pub waiting: RefCell<VecDeque<u32>>,
    pub connecting: RefCell<Vec<u32>>,
    pub buffers: RefCell<Buffers>,
    pub ops: Ops,
    /// Operations that the network did not take yet.
    pub unposted: RefCell<VecDeque<OpRef>>,
    pub flushes: Flushes,
    /// Messages whose buffers the network has.
    pub sent: Cell<u32>,
    /// Failures of peers that it has seen.
    pub failures: Cell<u32>,
    /// The link whose peer is asked next whether it is there.
    pub next_inquiry: Cell<usize>,
    /// Links are over, and their peers are to be told so.
    pub is_ending: Cell<bool>,
    /// The transport closes: nobody is there any more who could be told of an end.
    pub is_closing: Cell<bool>,
    /// Passes without an event, and passes to skip.
    idle: Cell<u32>,
    skip: Cell<u32>,
    /// Passes so far, wrapping.
    passes: Cell<u32>,
    mailboxes: RefCell<Mailboxes>,
    /// Messages have come.
    pub arrivals: Queue,
    /// Messages were sent.
    pub departures: Queue,
    /// Posts are over.
    pub posts: Queue,
    pub nic: Nic,
}

// SAFETY: all of it belongs to the CRI, which one thread at a time uses.
unsafe impl Send for Context {}

impl Context {
    pub fn new(
        library: &'static Library,
        config: &Config,
        module: &Module,
    ) -> Result<Self, Failure> {
        let nic = Nic::open(library, module.credentials, module.modes)?;
        nic.set_retransmits(config.retransmits)?;
        let ops = module.registrar.allow().and_then(|()| Ops::new(config, &nic))?;
        Ok(Self {
            library,
            links: RefCell::default(),
            routes: RefCell::default(),
            wildcard: RefCell::default(),
            sending: RefCell::default(),
            waiting: RefCell::default(),
            connecting: RefCell::default(),
            buffers: RefCell::new(Buffers::new(config.most as usize)),
            ops,
            unposted: RefCell::default(),
            flushes: Flushes::default(),
            sent: Cell::new(0),
            failures: Cell::new(0),
            next_inquiry: Cell::new(0),
            is_ending: Cell::new(false),
            is_closing: Cell::new(false),
            idle: Cell::new(0),
            skip: Cell::new(0),
            passes: Cell::new(0),
            mailboxes: RefCell::new(Mailboxes::new(
                library,
                config.most,
                config.credits,
                module.is_gemini,
            )?),
            arrivals: nic.queue(config.receive_queue)?,
            departures: nic.queue(SEND_QUEUE)?,
            posts: nic.queue(config.transfers.max(2))?,
            nic,
        })
    }

    /// A link that is there.
    #[inline]
    pub fn link(&self, index: u32) -> Option<&Link> {
        let links = self.links.borrow();
        let link: *const Link = &raw const **links.get(index as usize)?.as_ref()?;
        // SAFETY: links are boxed and stay as long as this.
        Some(unsafe { &*link })
    }

    /// All links.
    pub fn all_links(&self) -> Vec<&Link> {
        let count = self.links.borrow().len() as u32;
        (0..count).filter_map(|index| self.link(index)).collect()
    }

    /// A number for a link.
    pub fn promise(&self) -> u32 {
        let mut links = self.links.borrow_mut();
        links.push(None);
        links.len() as u32 - 1
    }

    /// Keeps a link under the number that it was promised.
    pub fn keep(&self, link: Link) -> Option<&Link> {
        let index = link.index;
        self.links.borrow_mut()[index as usize] = Some(Box::new(link));
        self.link(index)
    }

    /// The link by which messages to a rank go, if there is one.
    #[inline]
    pub fn sending(&self, rank: u32) -> Option<&Link> {
        let index = self.sending.borrow().get(rank as usize).copied().flatten()?;
        self.link(index)
    }

    /// Messages to a rank go by this link from now on, if they do not go by another.
    pub fn send_by(&self, link: &Link) {
        let mut sending = self.sending.borrow_mut();
        let needed = sending.len().max(link.rank as usize + 1);
        sending.resize(needed, None);
        sending[link.rank as usize].get_or_insert(link.index);
    }

    /// Another mailbox of this process's.
    pub fn mailbox(&self, device: &Module) -> Result<crate::wire::Mailbox, Failure> {
        let allow = || device.registrar.allow();
        self.mailboxes.borrow_mut().take(&self.nic, &self.arrivals, allow)
    }

    /// The route for transfers to a peer, if there is one.
    #[inline]
    pub fn existing_route(&self, rank: u32) -> Option<&Route> {
        let routes = self.routes.borrow();
        let route: *const Route = &raw const **routes.get(rank as usize)?.as_ref()?;
        // SAFETY: routes are boxed and stay as long as this.
        Some(unsafe { &*route })
    }

    /// The same, made if there is none.
    pub fn route(
        &self,
        device: &UgniDevice,
        cri: usize,
        endpoint: &UgniEndpoint,
    ) -> Result<&Route, Failure> {
        if let Some(route) = self.existing_route(endpoint.rank) {
            return Ok(route);
        }
        let rank = endpoint.rank as usize;
        let peer = device.endpoint(endpoint.rank).ok_or("there is no such peer")?.clone();
        let endpoint = self.nic.bound(&self.posts, peer.instance(cri))?;
        let mut routes = self.routes.borrow_mut();
        let needed = routes.len().max(rank + 1);
        routes.resize_with(needed, || None);
        routes[rank] = Some(Box::new(Route { peer, endpoint, writes: Cell::new(0) }));
        drop(routes);
        self.existing_route(rank as u32).ok_or_else(|| Failure::from("no route was made"))
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

    /// Whether this pass looks at datagrams, too, though nothing connects from here.
    pub fn looks_at_datagrams(&self) -> bool {
        let passes = self.passes.get().wrapping_add(1);
        self.passes.set(passes);
        passes.is_multiple_of(DATAGRAM_INTERVAL)
    }

    /// Something waits for the network, or for a peer to take it.
    pub fn is_busy(&self, device: &UgniDevice) -> bool {
        let waits = |link: &&Link| {
            let gone = device.has_failed(link.rank) || link.state.get() == State::Broken;
            link.sent.get() > 0 || (!gone && !link.backlog.borrow().is_empty())
        };
        self.is_ending.get() || self.ops.are_used() || self.all_links().iter().any(waits)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        for link in self.all_links().into_iter().filter(|link| link.state.get() == State::Posted) {
            crate::connect::cancel(self.library, &link.endpoint, crate::connect::id_of(link.index));
        }
        if let Some(wildcard) = self.wildcard.take() {
            crate::connect::cancel(self.library, &wildcard.endpoint, crate::connect::WILD);
        }
        self.links.get_mut().clear();
        self.routes.get_mut().clear();
        self.mailboxes.get_mut().close(&self.nic);
        self.ops.close(&self.nic);
    }
}

/// The number of a link that stands in an event of the queue of arrivals.
pub fn link_of(library: &Library, entry: gni_cq_entry_t) -> u32 {
    // SAFETY: it takes any entry.
    (unsafe { library.gni_cq_get_inst_id(entry) }) as u32
}
