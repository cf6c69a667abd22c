//! Asks peers of other nodes whether they are there.
//!
//! uGNI tells of a peer that is gone when something is sent to it, and never of one that only sends to this process.
//! So every now and then some bytes of its mailbox are read, by a get like any other: the network answers it without
//! the peer's processor, and a get that fails has the peer be lost.

use std::time::{Duration, Instant};

use cairn_framework::abi::peer::PEER_LOCAL;
use cairn_framework::author::{Failure, Mutex};
use cairn_framework::frameworks::btl::Btl;

use crate::component::Ugni;
use crate::context::UgniCri;
use crate::link::Link;
use crate::module::UgniDevice;
use crate::transfer;

/// When peers are asked.
pub struct Inquiries {
    interval: Duration,
    last: Mutex<Instant>,
}

impl Inquiries {
    /// Peers are asked once in each interval; never if it is zero.
    pub fn new(interval: Duration) -> Self {
        Self { interval, last: Mutex::new(Instant::now()) }
    }

    /// Whether it is time to ask. True for one thread.
    fn are_due(&self) -> bool {
        let Some(mut last) = self.last.try_lock() else { return false };
        let due = !self.interval.is_zero() && last.elapsed() >= self.interval;
        if due {
            *last = Instant::now();
        }
        due
    }
}

/// Asks, if it is time. With no CRI's lock held.
pub fn ask(device: &UgniDevice) {
    if device.inquiries.are_due() {
        device.hold_each().for_each(|cri| ask_by(device, &cri));
    }
}

/// Asks the peers of a CRI, one after the other from the one that had its turn next, until the CRI has no transfer
/// left.
fn ask_by(device: &UgniDevice, cri: &UgniCri) {
    let links = cri.all_links();
    let first = cri.next_inquiry.get();
    for at in (0..links.len()).map(|step| (first + step) % links.len()) {
        cri.next_inquiry.set(at);
        match inquire(device, cri, links[at]) {
            Ok(true) => {}
            Ok(false) => return,
            // That it can't be asked says nothing of the peer.
            Err(failure) => device.host.show_once(
                c"inquiry",
                &format!("rank {} can't be asked whether it is there: {failure}", links[at].rank),
            ),
        }
    }
}

/// Asks the peer of a link, if it is one that nothing else tells of. False when the CRI has no transfer left.
fn inquire(device: &UgniDevice, cri: &UgniCri, link: &Link) -> Result<bool, Failure> {
    let rank = link.rank;
    let Some(peer) = device.host.peer(rank).filter(|peer| !peer.is(PEER_LOCAL)) else {
        return Ok(true);
    };
    let Some(place) = link.place.get().filter(|_| link.is_connected()) else { return Ok(true) };
    if device.has_failed(rank) || device.has_parted(rank) {
        return Ok(true);
    }
    // One that has only sent to this process has none yet.
    let endpoint = match device.endpoint(rank) {
        Some(endpoint) => Some(endpoint.clone()),
        None => Ugni::add_peer(device, peer)?,
    };
    endpoint.map_or(Ok(true), |endpoint| transfer::inquire(device, cri, &endpoint, place))
}
