//! A peer: its card, and the links to it.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use cairn_framework::abi::peer::PEER_LOCAL;
use cairn_framework::author::{Failure, HostHandle};

use crate::link::Link;
use crate::module::At;
use crate::params::Config;
use crate::wire::{Card, lane_and_cri, link_number};

/// What the protocol layer's pointer leads to. There is one for each peer, made when it is asked
/// for or when the peer connects; it stays until the component closes.
pub struct TcpEndpoint {
    /// The peer's rank.
    pub rank: u32,
    host: HostHandle,
    card: OnceLock<Card>,
    /// By lane and CRI: as many CRIs as the process of the two with more has, and as many lanes. CRI `i` sends on
    /// its link in lane 0, and gets over all; each side has a link polled by its CRI `i` modulo their number.
    pub links: Box<[Link]>,
    /// Of a lane.
    cris: u16,
    pub lanes: u16,
    /// Whether a link was ever used: until then there is nothing to end.
    used: AtomicBool,
    /// How many links are open.
    open: AtomicU32,
    /// A link was lost, and so are the others.
    lost: AtomicBool,
}

impl TcpEndpoint {
    /// To a process that has so many CRIs and wants so many lanes.
    pub fn new(host: HostHandle, config: &Config, rank: u32, (cris, lanes): (u16, u16)) -> Self {
        let (cris, lanes) = (cris.max(config.num_cris), lanes.max(config.lanes));
        let numbers = (0..lanes).flat_map(|lane| (0..cris).map(move |cri| link_number(lane, cri)));
        Self {
            rank,
            host,
            card: OnceLock::new(),
            links: numbers.map(|number| Link::new(rank, number, config)).collect(),
            cris,
            lanes,
            used: AtomicBool::new(false),
            open: AtomicU32::new(0),
            lost: AtomicBool::new(false),
        }
    }

    /// The link with this number.
    #[inline]
    pub fn link(&self, number: u16) -> Option<&Link> {
        let (lane, cri) = lane_and_cri(number);
        let place = usize::from(lane) * usize::from(self.cris) + usize::from(cri);
        self.links.get(place).filter(|link| link.id.index == number)
    }

    /// The link of a CRI in a lane.
    #[inline]
    pub fn link_in(&self, lane: u16, cri: usize) -> &Link {
        &self.links[usize::from(lane) * usize::from(self.cris) + cri]
    }

    /// The link for a get of the CRI that sends on `first`: of those that it has each in turn. One that is not open is
    /// connected, and the first one does it meanwhile.
    #[inline]
    pub fn link_for_get<'a>(&'a self, at: At<'_>, first: &'a Link) -> &'a Link {
        if self.lanes == 1 {
            return first;
        }
        let lane = (first.lane.get() + 1) % self.lanes;
        first.lane.set(lane);
        let link = self.link_in(lane, at.context.index());
        if link.is_open_or_begins(at) { link } else { first }
    }

    /// The peer's card.
    pub fn card(&self) -> Result<&Card, Failure> {
        if let Some(card) = self.card.get() {
            return Ok(card);
        }
        let card = card_of(self.host, self.rank)?;
        Ok(self.card.get_or_init(|| card))
    }

    /// Whether the peer runs on this node.
    pub fn on_node(&self) -> bool {
        self.host.peer(self.rank).is_some_and(|peer| peer.is(PEER_LOCAL))
    }

    /// Whether the peer runs on this machine, be it in another container, which the system tells of both.
    pub fn is_within_machine(&self) -> bool {
        let own = cairn_segment::machine();
        own.is_some() && self.card().is_ok_and(|card| card.machine == own)
    }

    /// Notes that a link is in use.
    pub fn mark_used(&self) {
        // Release pairs with the Acquire in `is_used`: a thread that ends the endpoint sees the link.
        self.used.store(true, Ordering::Release);
    }

    /// Whether a link was ever in use.
    pub fn is_used(&self) -> bool {
        self.used.load(Ordering::Acquire)
    }

    /// A link has opened.
    pub fn link_opened(&self) {
        self.open.fetch_add(1, Ordering::SeqCst);
    }

    /// A link that was open is not any more.
    pub fn link_closed(&self) {
        self.open.fetch_sub(1, Ordering::SeqCst);
    }

    /// Notes that a link was lost. Whether one was before.
    pub fn mark_lost(&self) -> bool {
        self.lost.swap(true, Ordering::SeqCst)
    }

    /// Whether a link was lost.
    pub fn is_lost(&self) -> bool {
        self.lost.load(Ordering::SeqCst)
    }

    /// Whether a link was lost and nothing comes from the others any more.
    ///
    /// In one order with the functions above, so that of links that end at once one sees it.
    pub fn is_gone(&self) -> bool {
        self.is_lost() && self.open.load(Ordering::SeqCst) == 0
    }
}

/// The card of a rank.
pub fn card_of(host: HostHandle, rank: u32) -> Result<Card, Failure> {
    let card = Card::decode(host.card_get(rank)?);
    card.map_err(|wrong| Failure::from(format!("rank {rank}: {wrong}")))
}
