//! What belongs to a CRI, and the end of peers.

use std::cell::{Cell, RefCell, UnsafeCell};
use std::collections::HashMap;

use cairn_framework::abi::host::LOG_INFO;
use cairn_framework::frameworks::btl::OwnCri;
use cairn_segment::Owner;

use crate::large::{self, Transfers};
use crate::module::SmDevice;
use crate::receive::{Arriving, Inbox};

/// A CRI of this transport.
pub type SmInstance = OwnCri<SmCri>;

/// What belongs to a CRI.
pub struct SmCri {
    /// Borrowed by `progress`, by `arm` and by what looks for the end of a peer, none of which is called
    /// inside another or itself.
    pub inbox: UnsafeCell<Inbox>,
    pub transfers: RefCell<Transfers>,
    /// A send or a get was refused for lack of room since the last `arm`.
    pub starved: Cell<bool>,
    /// The message whose receiver is called, if it is still being written.
    pub growing: Cell<Option<Arriving>>,
    /// The processes that send to this CRI, by rank, as far as their cards say who they are.
    pub senders: RefCell<HashMap<u32, Owner>>,
    /// How often it was polled.
    pub polls: Cell<u32>,
}

// SAFETY: the segment to which the inbox leads, components of smsc and their transfers are for any thread.
unsafe impl Send for SmCri {}

/// Reports the peers that have ended, and gives up what is under way with them.
pub fn reap(device: &SmDevice) -> u32 {
    let ended = device.lives.reap(device.host, |rank| is_through_with(device, rank));
    for rank in &ended {
        device.host.log(LOG_INFO, || format!("the process of rank {rank} has ended"));
        device.host.peer_failed(*rank);
        give_up(device, *rank);
    }
    ended.len() as u32
}

/// Whether all that a process sent before it ended has been received, or given up: see `unmapped`.
/// With no CRI's lock held, and not from the poll of one.
///
/// Nothing writes to the process's rings any more, so one that was empty stays so, and when each CRI
/// was seen without a message of it, none is left.
fn is_through_with(device: &SmDevice, rank: u32) -> bool {
    device.hold_each().all(|cri| {
        // SAFETY: see the inbox; a single-threaded process is not in a poll now.
        unsafe { (*cri.inbox.get()).is_through_with(device, &cri, rank) }
    })
}

/// Ends the transfers that are under way with a peer. With no CRI's lock held, and not from the poll
/// of one.
pub fn give_up(device: &SmDevice, rank: u32) {
    device.hold_each().for_each(|cri| large::forget(device, &cri, rank));
}
