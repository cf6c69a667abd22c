//! The one device: what its CRIs share.

use std::sync::atomic::{AtomicPtr, Ordering};

use cairn_framework::abi::receive::RECEIVE_GROWING;
use cairn_framework::abi::status::ERR_PEER;
use cairn_framework::author::{Failure, HostHandle};
use cairn_framework::frameworks::btl::Device;
use cairn_segment::{Life, Owner, Segment};
use cairn_transport::Lives;

use crate::blocks::Blocks;
use crate::component::SharedMemory;
use crate::endpoint::Peer;
use crate::orders::Refused;
use crate::registry::Registry;
use crate::smsc::SmscComponents;
use crate::wire::Geometry;

/// The one device.
pub type SmDevice = Device<SharedMemory>;

/// What the functions of the contract work on. Constant, but for the endpoints.
pub struct State {
    pub host: HostHandle,
    pub segment: Segment,
    pub geometry: Geometry,
    /// This process is registered for barriers; see `wake`.
    pub barriers: bool,
    /// Most bytes of header and payload that this process sends in one message.
    pub packed_limit: usize,
    /// The same for `send_immediate`.
    pub immediate_limit: usize,
    /// Bytes of a message from which it is sent while it is written.
    pub grow_from: usize,
    /// Bytes of a ring that is not lengthened; see [`Own::least_ring`](crate::endpoint::Own::least_ring).
    pub least_ring: usize,
    /// Most bytes that a message to this process has: its rings take no longer one.
    pub message_limit: usize,
    /// Our endpoint to each rank of the job. Written by `add_peer` and `remove_peer`.
    pub peers: Box<[AtomicPtr<Peer>]>,
    pub smsc: SmscComponents,
    pub registry: Registry,
    pub refused: Refused,
    pub lives: Lives,
    pub blocks: Blocks,
}

impl State {
    /// Whether a message for this entry of the receive table, with so many bytes, is sent while it is written.
    #[inline]
    pub fn grows(&self, tag: u8, len: usize) -> bool {
        tag >= RECEIVE_GROWING && len >= self.grow_from
    }

    /// Our endpoint to a rank of the job, if it is connected.
    ///
    /// # Safety
    /// `remove_peer` is not called for it while the result is in use.
    pub unsafe fn peer(&self, rank: u32) -> Option<&Peer> {
        let peer = self.peers[rank as usize].load(Ordering::Acquire);
        // SAFETY: null or an endpoint, which `remove_peer` gives up.
        unsafe { peer.as_ref() }
    }

    /// Why there is no way to the peer with this card: it can't be reached, or it has ended.
    #[cold]
    pub fn unreachable(&self, rank: u32, card: &[u8], failure: Failure) -> Failure {
        if Owner::of(card).is_none_or(|owner| owner.life() != Life::Ended) {
            return failure;
        }
        self.lives.has_ended(rank);
        Failure::new(ERR_PEER, format!("it has ended; {failure}"))
    }
}
