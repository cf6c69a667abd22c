//! A peer as this component sees it: the rails to it, and what waits because they had no room.
//!
//! ```text
//!   message ──► room? ── yes ──► transport
//!                 │ no, or others wait
//!                 ▼
//!              messages ──┐ in order
//!              streams  ──┴► retried by a progress callback ──► transport
//! ```
//!
//! **Which lock guards what.** The rails are constant. `waiting` and the queues are changed under the
//! queues' lock; senders read `waiting` without it, because a message that sees an old value is
//! merely put into order by its receiver.

use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::collections::VecDeque;

use cairn_framework::abi::peer::{PEER_FAILED, Peer as HostPeer};
use cairn_framework::abi::pool::Cri;
use cairn_framework::abi::status::ERR_PEER;
use cairn_framework::audit::LockLevel;
use cairn_framework::author::{CachePadded, Failure};
use cairn_framework::frameworks::btl::BtlModule;

use crate::core::recent::Recent;
use crate::mode::{Locked, Mode, fetch_add};
use crate::objects::rail::Rail;
use crate::objects::request::{ReceiveRequest, SendRequest};
use crate::wire;

/// A peer that was sent to.
#[repr(C, align(128))]
pub struct Peer {
    /// The host's view, where the address of this is kept.
    pub view: *mut HostPeer,
    /// The rails, best first.
    pub rails: Box<[Rail]>,
    /// Most bytes of payload of an eager message.
    pub eager: u64,
    /// Most bytes of payload that go without asking, in pieces.
    pub push: u64,
    /// The same while the peer is among [those](crate::core::recent::Recent) that got the last long ones.
    pub push_recent: u64,
    /// Bytes of such a piece.
    pub piece: usize,
    /// Most bytes of payload of a short message, which the first rail's `send_immediate` takes with its header, plus
    /// one; 0 without it.
    pub short_end: u64,
    /// The same of one whose header is padded.
    pub long_end: u64,
    /// Messages that wait, or are being retried; and one for ever when the peer has failed. Beside the
    /// constants, because every send reads it with them and it changes only when a transport is full.
    pub waiting: AtomicU32,
    /// What the peer said last of whether messages may be pushed to it: the number of its word, and in the
    /// lowest bit whether they may not. Beside the constants, as it changes seldom.
    pub pushing: AtomicU64,
    /// The peer has failed, and `waiting` says so.
    failed: AtomicBool,
    /// The number of the last message above `push`, and up to `push_recent`; 0 before the first.
    pub last_long: CachePadded<AtomicU64>,
    /// See above.
    pub queues: CachePadded<Locked<Queues>>,
}

impl Peer {
    /// A peer that has routes.
    pub fn new(view: *mut HostPeer) -> Result<Self, Failure> {
        // SAFETY: peers are the host's and stay.
        let routes = unsafe { (*view).routes() };
        let rails = routes.iter().map(Rail::new).collect::<Result<Box<[Rail]>, Failure>>()?;
        let first = rails.first().ok_or("a connected peer without a route")?;
        let device = first.device();
        let eager = device.eager_limit;
        let end_behind = |header| match first.immediate_limit().checked_sub(header) {
            Some(bytes) => (bytes as u64).min(eager) + 1,
            None => 0,
        };
        let short_end = end_behind(wire::Match::SIZE).min(wire::LONG);
        let long_end = end_behind(wire::DATA);
        let (push, push_recent) = (device.push_limit, device.push_limit_recent);
        let piece = first.frame() - wire::DATA;
        Ok(Self {
            view,
            rails,
            eager,
            push,
            push_recent,
            piece,
            short_end,
            long_end,
            waiting: AtomicU32::new(0),
            pushing: AtomicU64::new(0),
            failed: AtomicBool::new(false),
            last_long: CachePadded(AtomicU64::new(0)),
            queues: CachePadded(Locked::new(LockLevel::QUEUES)),
        })
    }

    /// Whether the peer has failed: what is sent to it fails.
    #[inline]
    pub fn has_failed(&self) -> bool {
        // SAFETY: peers are the host's and stay.
        unsafe { (*self.view).is(PEER_FAILED) }
    }

    /// The peer has failed: from here on everything that is sent to it takes the path on which that shows.
    pub fn block<M: Mode>(&self) {
        if !self.failed.swap(true, Ordering::AcqRel) {
            fetch_add::<M>(&self.waiting, 1);
        }
    }

    /// The peer's rank in the job.
    pub fn rank(&self) -> u32 {
        // SAFETY: peers stay.
        unsafe { (*self.view).rank }
    }

    /// The best rail.
    #[inline]
    pub fn first(&self) -> &Rail {
        // SAFETY: `new` made sure that there is one.
        unsafe { self.rails.get_unchecked(0) }
    }

    /// The rail over a device. `None`: the peer reaches this process by it, but not this process the peer.
    pub fn rail_over(&self, module: *const BtlModule) -> Option<usize> {
        self.rails.iter().position(|rail| core::ptr::eq(rail.module, module))
    }

    /// The rail over the device that this instance is of.
    pub fn rail_with(&self, cri: &Cri) -> Option<usize> {
        self.rails.iter().position(|rail| rail.owns(cri))
    }

    /// Whether a message of so many bytes, which is none that goes whole, is to go in pieces unasked, if the peer
    /// [takes](Self::takes_pushed) them so. Counts those that are long.
    #[inline]
    pub fn pushes(&self, bytes: u64, recent: &Recent) -> bool {
        bytes <= self.push || bytes <= self.push_recent && recent.has_and_gets(&self.last_long)
    }

    /// Most bytes of payload in the first piece of such a message, which goes over the first rail: that may take less by
    /// now.
    #[inline]
    pub fn first_piece(&self) -> usize {
        self.piece.min(self.first().frame().saturating_sub(wire::DATA))
    }

    /// Whether the peer takes messages in pieces unasked, as it said last.
    #[inline]
    pub fn takes_pushed(&self) -> bool {
        self.pushing.load(Ordering::Relaxed) & 1 == 0
    }

    /// Whether messages wait, so that others have to queue behind them.
    #[inline]
    pub fn is_blocked(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) != 0
    }
}

/// A peer in a list of the component's.
#[derive(Clone, Copy, PartialEq)]
pub struct PeerPointer(pub *mut Peer);

// SAFETY: a peer is made for use by any thread, and stays until the component closes.
unsafe impl Send for PeerPointer {}

impl PeerPointer {
    /// An entry for a peer.
    pub fn new(peer: &Peer) -> Self {
        Self((&raw const *peer).cast_mut())
    }
}

/// Something that waits for room.
pub enum Work {
    /// The first message of a send.
    First(*mut SendRequest),
    /// Bytes of our own.
    Control(Control<Vec<u8>>),
    /// A number of the order of messages that has no message, because it could not be sent. The
    /// receiver waits for it, so it goes out before anything else.
    Skip(Vec<u8>),
    /// What is left of a message that goes in pieces unasked.
    Rest(*mut SendRequest),
    /// The data of a send whose receiver has answered.
    Push(*mut SendRequest),
    /// A receive that gets its data.
    Fetch(*mut ReceiveRequest),
    /// A send whose memory has to be deregistered outside of callbacks before it is complete.
    EndSend(*mut SendRequest),
    /// A receive, the same.
    EndReceive(*mut ReceiveRequest),
}

// SAFETY: requests are made for use by any thread.
unsafe impl Send for Work {}

/// Bytes of our own for a peer.
#[derive(Clone, Copy)]
pub struct Control<B> {
    /// Header and key.
    pub bytes: B,
    /// Over which rail.
    pub rail: usize,
    /// The key is one of this rail's device, so no other rail will do.
    pub only: bool,
    /// The receive, by its id, that fails when no transport can send them. Without one they are tried
    /// again as long as the peer lives.
    pub receive: Option<u64>,
}

/// What waits for a peer.
#[derive(Default)]
pub struct Queues {
    /// Ends of transfers. They need no room, and others may wait for what they give back.
    pub ends: VecDeque<Work>,
    /// Sent in this order.
    pub messages: VecDeque<Work>,
    /// Sent after them, in any order.
    pub streams: VecDeque<Work>,
    /// A thread is at it.
    pub retrying: bool,
    /// In the list of busy peers.
    pub listed: bool,
}

/// The failure of what names a peer that has failed.
#[cold]
pub fn gone(peer: &HostPeer) -> Failure {
    Failure::new(ERR_PEER, format!("rank {} of the job is gone", peer.rank))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn senders_without_room_write_apart_from_what_all_senders_read() {
        let parts = cairn_framework::parts!(Peer {
            view: "no thread",
            rails: "no thread",
            eager: "no thread",
            push: "no thread",
            push_recent: "no thread",
            piece: "no thread",
            long_end: "no thread",
            short_end: "no thread",
            last_long: "long messages",
            queues: "senders without room",
        });
        cairn_framework::layout::check("a peer of pml_ob1", &parts);
    }
}
