//! A peer, and the lanes to it.
//!
//! A lane goes from a CRI of this process to one of the peer. It is connected with the first message that takes
//! it, which is a greeting; while the network is not ready for that, a few messages wait.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};

use cairn_framework::abi::status::{ERR_OTHER, ERR_PEER, ERR_UNSUPPORTED};
use cairn_framework::author::{Attempted, Failure, Outcome};
use cairn_transport::{Head, Pass};

use crate::bindings::*;
use crate::card::{CardDevice, CardInterface};
use crate::cri::UctCri;
use crate::interface::{Connection, Interface};
use crate::message::Message;

/// Bytes of messages that may wait until a lane is connected.
const WAITING: usize = 64 << 10;

/// A peer.
pub struct UctEndpoint {
    pub rank: u32,
    /// What we show to it.
    pub pass: Pass,
    /// Where it is, for each of its CRIs.
    pub place: CardDevice,
    /// By our CRI.
    lanes: Box<[Lane]>,
    /// It can't be reached any more. Written by whoever notices it.
    lost: AtomicBool,
}

/// A lane. Everything of it is touched under the lock of its CRI.
struct Lane {
    ends: RefCell<Ends>,
    /// Where messages go: the endpoint of `ends`; null until the first message after the greeting.
    ready: Cell<uct_ep_h>,
}

// SAFETY: touched under the lock of its CRI.
unsafe impl Sync for Lane {}
// SAFETY: see `Sync`.
unsafe impl Send for Lane {}

/// What a lane is made of. Never borrowed while something is called that may lead to a callback of ours that
/// borrows it: UCT calls none but from a progress call (its `self` from a send, too), and ours queue what comes at other
/// times.
#[derive(Default)]
pub struct Ends {
    pub messages: Option<Connection>,
    pub bulk: Option<Connection>,
    /// The library was given puts or atomics on these, so that a flush asks it.
    pub moved: [bool; 2],
    /// The greeting has gone, and nothing waits any more.
    pub greeted: bool,
    /// What is sent once the lane is connected: heads, and what follows them. The first is the greeting.
    pub waiting: VecDeque<(Head, Vec<u8>)>,
    pub waiting_bytes: usize,
}

impl UctEndpoint {
    pub fn new(rank: u32, pass: Pass, place: CardDevice, cris: usize) -> Self {
        let lanes = (0..cris)
            .map(|_| Lane { ends: RefCell::default(), ready: Cell::new(null_mut()) })
            .collect();
        Self { rank, pass, place, lanes, lost: AtomicBool::new(false) }
    }

    /// Its lane from a CRI.
    #[inline(always)]
    pub fn lane(&self, cri: usize) -> &RefCell<Ends> {
        &self.lanes[cri].ends
    }

    /// Whether it can't be reached any more.
    #[inline(always)]
    pub fn is_lost(&self) -> bool {
        // Relaxed: a hint; what is sent in vain does no harm.
        self.lost.load(Ordering::Relaxed)
    }

    /// It can't be reached any more.
    pub fn lose(&self) {
        self.lost.store(true, Ordering::Relaxed);
    }

    /// The failure of what is to go to a peer that is gone.
    #[cold]
    pub fn gone(&self) -> Failure {
        Failure::new(ERR_PEER, format!("rank {} is gone", self.rank))
    }

    /// Sends a message, behind a greeting if it is the first of its lane.
    #[inline]
    pub fn send(&self, cri: &UctCri, index: usize, message: &mut Message<'_>) -> Attempted {
        let ready = self.lanes[index].ready.get();
        if ready.is_null() || self.is_lost() {
            return self.send_first(cri, index, message);
        }
        // SAFETY: the CRI's lock is held; the message holds.
        self.outcome(cri, unsafe { cri.messages.send(ready, message) })
    }

    /// Sends a message as [`Interface::send_line`] does, if it is of that shape and the lane is connected. Messages
    /// that this takes are the most frequent ones.
    #[inline(always)]
    pub fn send_line(
        &self,
        cri: &UctCri,
        index: usize,
        head: Head,
        header: &[u8],
        payload: &[u8],
    ) -> Option<Attempted> {
        let ready = self.lanes[index].ready.get();
        if ready.is_null() || self.is_lost() {
            return None;
        }
        // SAFETY: the CRI's lock is held.
        let status = unsafe { cri.messages.send_line(ready, head, header, payload)? };
        Some(if status == UCS_OK { Ok(Outcome::Done) } else { self.outcome(cri, status) })
    }

    /// The same, as long as the lane may not be connected.
    #[cold]
    fn send_first(&self, cri: &UctCri, index: usize, message: &mut Message<'_>) -> Attempted {
        if self.is_lost() {
            return Err(self.gone());
        }
        let mut lane = self.lane(index).borrow_mut();
        if !lane.greeted && !self.greet(cri, index, &mut lane)? {
            return Ok(lane.wait(message));
        }
        let Some(ep) = lane.messages.as_ref().map(Connection::ep) else {
            return Ok(Outcome::NoResources);
        };
        drop(lane);
        self.lanes[index].ready.set(ep);
        // SAFETY: the CRI's lock is held; the message holds.
        self.outcome(cri, unsafe { cri.messages.send(ep, message) })
    }

    /// Takes what a lane has, which sends nothing more by itself.
    pub fn take(&self, index: usize) -> Ends {
        self.lanes[index].ready.set(null_mut());
        self.lane(index).take()
    }

    /// What a status of the library means for a message to this peer.
    #[inline]
    pub fn outcome(&self, cri: &UctCri, status: ucs_status_t) -> Attempted {
        match status {
            UCS_OK => Ok(Outcome::Done),
            UCS_ERR_NO_RESOURCE | UCS_ERR_NO_MEMORY | UCS_ERR_BUSY => Ok(Outcome::NoResources),
            other => Err(self.failed(cri, other)),
        }
    }

    /// An operation on it has failed with a status that does not pass. With most of them the peer is gone.
    #[cold]
    pub fn failed(&self, cri: &UctCri, status: ucs_status_t) -> Failure {
        let text = format!("rank {}: {}", self.rank, cri.worker.library.explain(status));
        match status {
            UCS_ERR_INVALID_PARAM
            | UCS_ERR_INVALID_ADDR
            | UCS_ERR_UNSUPPORTED
            | UCS_ERR_NOT_IMPLEMENTED
            | UCS_ERR_OUT_OF_RANGE
            | UCS_ERR_EXCEEDS_LIMIT => Failure::new(ERR_OTHER, text),
            _ => {
                cri.hook.lost(self.rank);
                Failure::new(ERR_PEER, text)
            }
        }
    }

    /// Connects a lane, if it is not connected, and greets. Whether the greeting has gone.
    ///
    /// Not from a callback of the library: UCX 1.13's `tcp` makes one connection of those of both directions, and loses
    /// the buffer of the message that it is in. The progress call does it then, when the callbacks are over.
    #[cold]
    pub fn greet(&self, cri: &UctCri, index: usize, lane: &mut Ends) -> Result<bool, Failure> {
        if lane.messages.is_none() && lane.waiting.is_empty() {
            let (head, proof) = self.pass.greeting();
            lane.keep(head, proof.to_vec());
            cri.hook.unready(self.rank);
        }
        if cri.hook.is_called_back() {
            return Ok(false);
        }
        if lane.messages.is_none() {
            lane.messages = Some(self.connect(cri, &cri.messages, &self.place.messages, index)?);
        }
        self.push(cri, lane)
    }

    /// Sends what waits on a lane. Whether nothing is left.
    pub fn push(&self, cri: &UctCri, lane: &mut Ends) -> Result<bool, Failure> {
        while let (Some((head, bytes)), Some(connection)) = (lane.waiting.front(), &lane.messages) {
            let mut message = Message::of(*head, bytes);
            // SAFETY: the CRI's lock is held; the message holds.
            let status = unsafe { cri.messages.send(connection.ep(), &mut message) };
            if self.outcome(cri, status)? != Outcome::Done {
                return Ok(false);
            }
            lane.waiting_bytes -= cost(bytes.len());
            lane.waiting.pop_front();
        }
        lane.greeted = true;
        Ok(true)
    }

    /// The connection of a lane for transfers of any memory (`bulk`), or the one for messages. `None` while there is
    /// none yet.
    pub fn connection(
        &self,
        cri: &UctCri,
        index: usize,
        bulk: bool,
    ) -> Result<Option<uct_ep_h>, Failure> {
        if self.is_lost() {
            return Err(self.gone());
        }
        let mut lane = self.lane(index).borrow_mut();
        match &cri.bulk {
            Some(interface) if bulk => {
                if self.place.bulk.addresses.is_empty() {
                    let text = format!("rank {} is not reached for that", self.rank);
                    return Err(Failure::new(ERR_UNSUPPORTED, text));
                }
                if lane.bulk.is_none() {
                    lane.bulk = Some(self.connect(cri, interface, &self.place.bulk, index)?);
                }
                Ok(lane.bulk.as_ref().map(Connection::ep))
            }
            // The one for messages does both.
            _ => {
                if lane.messages.is_none() {
                    self.greet(cri, index, &mut lane)?;
                }
                Ok(lane.messages.as_ref().map(Connection::ep))
            }
        }
    }

    /// Connects to one of the peer's CRIs. One that can't be connected to is gone: it was there when it published
    /// its addresses.
    #[cold]
    fn connect(
        &self,
        cri: &UctCri,
        interface: &Interface,
        place: &CardInterface,
        index: usize,
    ) -> Result<Connection, Failure> {
        let address = &place.addresses[index % place.addresses.len()];
        // SAFETY: the CRI's lock is held by whoever has its lane.
        let made = unsafe { interface.connect(&place.device, address) };
        made.map_err(|failure| {
            cri.hook.lost(self.rank);
            Failure::new(ERR_PEER, format!("rank {}: {failure}", self.rank))
        })
    }

    /// What a lane does, for a person. With the lock of the CRI.
    pub fn describe(&self, index: usize) -> Option<String> {
        let lane = self.lane(index).try_borrow().ok()?;
        lane.messages.as_ref()?;
        Some(match lane.waiting.len() {
            0 => "connected".into(),
            count => format!("connecting, {count} messages wait"),
        })
    }
}

impl Ends {
    /// Keeps a message until the lane is connected, if there is room.
    fn wait(&mut self, message: &mut Message<'_>) -> Outcome {
        if self.waiting_bytes + cost(message.most()) > WAITING {
            return Outcome::NoResources;
        }
        self.keep(message.head, message.body());
        Outcome::Done
    }

    /// Keeps what a message has.
    pub fn keep(&mut self, head: Head, body: Vec<u8>) {
        self.waiting_bytes += cost(body.len());
        self.waiting.push_back((head, body));
    }
}

/// What a message that waits counts, with so many bytes behind its head.
fn cost(body: usize) -> usize {
    size_of::<Head>() + body
}
