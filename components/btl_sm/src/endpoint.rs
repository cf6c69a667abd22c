//! A peer: its segment, and our rings in it.
//!
//! Each of our instances has a ring of its own, claimed with its first message; different instances
//! share nothing they write. A ring is used with its instance's lock held.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicU32, Ordering};

use cairn_framework::abi::peer::Peer as PeerView;
use cairn_framework::abi::pool::Cri;
use cairn_framework::abi::status::{ERR_PROTOCOL, ERR_RESOURCES, ERR_UNAVAILABLE};
use cairn_framework::author::Failure;
use cairn_framework::frameworks::btl::Endpoint;
use cairn_segment::Segment;

use crate::active::{Bits, WORD};
use crate::movers::Lane;
use crate::ring::{Producer, Room};
use crate::wake::{self, CROWDED, SLEEPING};
use crate::wire::{ENTRY_READY, Geometry};

/// An endpoint as this transport has it. Made by `add_peers`.
#[repr(C)]
pub struct Peer {
    /// What the others see.
    pub endpoint: Endpoint,
    pub rank: u32,
    own_rank: u32,
    segment: Segment,
    geometry: Geometry,
    /// We must fence before we look whether the peer sleeps.
    fenced: bool,
    /// By our instance.
    outbound: Box<[Line]>,
    /// The peer as the components of smsc have it.
    pub lane: Lane,
}

#[repr(align(128))]
struct Line(UnsafeCell<Outbound>);

// SAFETY: a line is used with its instance's lock held; the rest is constant.
unsafe impl Sync for Peer {}
// SAFETY: see `Sync`.
unsafe impl Send for Peer {}

impl Peer {
    /// Attaches to the segment that a peer's card describes.
    pub fn attach(card: &[u8]) -> Result<Segment, Failure> {
        Segment::attach(card).map_err(|error| {
            let way_out = if matches!(error, cairn_segment::Error::Refused { .. }) {
                "; with btl_sm_backing=file processes need not look into each other's /proc"
            } else {
                ""
            };
            Failure::new(ERR_UNAVAILABLE, format!("{error}{way_out}"))
        })
    }

    /// A peer with this segment. `instances` are ours, `barriers` whether this process is registered
    /// for them.
    pub fn new(
        segment: Segment,
        view: &PeerView,
        own_rank: u32,
        instances: usize,
        barriers: bool,
    ) -> Result<Self, Failure> {
        let (geometry, peer_barriers) =
            Geometry::read(&segment).map_err(|why| Failure::new(ERR_PROTOCOL, why))?;
        let outbound = (0..instances).map(|_| Line(UnsafeCell::new(Outbound::closed()))).collect();
        Ok(Self {
            endpoint: Endpoint { transport_private: 0 },
            rank: view.rank,
            own_rank,
            segment,
            geometry,
            fenced: !(barriers && peer_barriers),
            outbound,
            lane: Lane::new(view),
        })
    }

    /// Claims the ring of the first instance, so that a lack of memory shows before the first message.
    pub fn claim_first(&self) -> Result<(), Failure> {
        let claimed = self.claim(0)?;
        // SAFETY: nobody else knows the peer yet.
        unsafe { *self.outbound[0].0.get() = claimed };
        Ok(())
    }

    /// The peer behind an endpoint.
    ///
    /// # Safety
    /// The endpoint is one of this transport and was not removed.
    #[inline]
    pub unsafe fn of<'a>(endpoint: *mut Endpoint) -> &'a Self {
        // SAFETY: an endpoint of this transport is the first field of a `Peer`.
        unsafe { &*endpoint.cast::<Self>() }
    }

    /// Our ring of this instance, which may be full or not there yet.
    ///
    /// # Safety
    /// The instance's lock is held, and no other result of this function for it is in use.
    #[inline]
    #[allow(clippy::mut_from_ref)] // see above
    pub unsafe fn ring(&self, cri: &Cri) -> &mut Outbound {
        // SAFETY: promised by the caller.
        unsafe { &mut *self.outbound[cri.index as usize].0.get() }
    }

    /// Our ring of this instance, with a free line; `None` when there is none now.
    ///
    /// # Safety
    /// As for `ring`.
    #[inline]
    #[allow(clippy::mut_from_ref)] // see above
    pub unsafe fn outbound(&self, cri: &Cri) -> Result<Option<&mut Outbound>, Failure> {
        // SAFETY: promised by the caller.
        let outbound = unsafe { self.ring(cri) };
        if !outbound.has_line() && !self.without_line(outbound, cri)? {
            return Ok(None);
        }
        Ok(Some(outbound))
    }

    /// The next line is not known to be free: looks, or claims a ring if there is none yet.
    #[cold]
    fn without_line(&self, outbound: &mut Outbound, cri: &Cri) -> Result<bool, Failure> {
        if outbound.ring.is_open() {
            return Ok(outbound.ring.look());
        }
        *outbound = self.claim(cri.index as usize)?;
        Ok(true)
    }

    /// Claims a ring in the peer's segment and tells the peer's instance.
    fn claim(&self, instance: usize) -> Result<Outbound, Failure> {
        let Self { segment, geometry, .. } = self;
        let failed = |why: String| {
            Failure::new(ERR_RESOURCES, format!("no ring to rank {}: {why}", self.rank))
        };
        // Relaxed: the number alone is what counts.
        let ring = geometry.claims(segment).next.fetch_add(1, Ordering::Relaxed) as usize;
        if ring >= geometry.rings {
            geometry.claims(segment).next.store(geometry.rings as u32, Ordering::Relaxed);
            return Err(failed(format!(
                "it has room for {}; let all ranks have the same btl_sm_num_cris",
                geometry.rings
            )));
        }
        let begin = geometry.ring(ring);
        segment
            .reserve(begin..begin + geometry.ring_len())
            .map_err(|error| failed(error.to_string()))?;
        let target = instance % geometry.instances;
        let entry = geometry.entry(segment, ring);
        entry.rank.store(self.own_rank, Ordering::Relaxed);
        entry.instance.store(target as u32, Ordering::Relaxed);
        // Release pairs with the Acquire in `Inbox::discover`, like the next.
        entry.state.store(ENTRY_READY, Ordering::Release);
        let doorbell = geometry.doorbell(segment, target);
        doorbell.announced.fetch_add(1, Ordering::Release);
        Ok(Outbound {
            // SAFETY: the ring is new and ours, and stays as long as the peer is attached.
            ring: unsafe { Producer::new(geometry.parts(segment, ring)) },
            requests: &raw const doorbell.requests,
            active: &raw const geometry.active(segment, target)[ring / WORD],
            bit: 1 << (ring % WORD),
            fenced: self.fenced,
        })
    }

    /// What it is, for a person.
    pub fn describe(&self) -> String {
        format!(
            "rank {}, segment of {} MiB, {} instances",
            self.rank,
            self.segment.len() >> 20,
            self.geometry.instances
        )
    }
}

/// The ring of one of our instances to a peer.
pub struct Outbound {
    ring: Producer,
    /// The doorbell's word; valid when the ring is open.
    requests: *const AtomicU32,
    /// Where the ring is marked; valid likewise.
    active: *const Bits,
    bit: u64,
    fenced: bool,
}

impl Outbound {
    fn closed() -> Self {
        Self {
            ring: Producer::closed(),
            requests: std::ptr::null(),
            active: std::ptr::null(),
            bit: 0,
            fenced: true,
        }
    }

    /// Whether the next line is free as far as is known.
    #[inline]
    pub fn has_line(&self) -> bool {
        self.ring.has_line()
    }

    /// As [`Producer::prefetch_ahead`].
    #[inline]
    pub fn prefetch_ahead(&self) {
        self.ring.prefetch_ahead();
    }

    /// Where the body of a message that fits a line goes.
    #[inline]
    pub fn body(&self) -> *mut u8 {
        self.ring.body()
    }

    /// Sends what was written to the body.
    #[inline]
    pub fn send(&mut self, kind: u8, tag: u8, len: usize) {
        self.ring.publish(kind, tag, len as u32);
        self.ring_bell();
    }

    /// Room for a message of any length.
    #[inline]
    pub fn room(&mut self, len: usize) -> Option<Room> {
        self.ring.room(len)
    }

    /// Sends what was written to the room.
    #[inline]
    pub fn send_room(&mut self, room: Room, tag: u8, len: usize) {
        self.ring.publish_room(room, tag, len as u32);
        self.ring_bell();
    }

    #[inline]
    fn ring_bell(&self) {
        // SAFETY: a message was published, so the ring is open and its doorbell mapped.
        let requests = wake::requests(unsafe { &*self.requests }, self.fenced);
        if requests != 0 {
            self.serve(requests);
        }
    }

    /// Does what the receiver wants.
    #[inline(never)]
    fn serve(&self, requests: u32) {
        if requests & CROWDED != 0 {
            // SAFETY: as above.
            unsafe { &*self.active }.mark(self.bit);
        }
        if requests & SLEEPING != 0 {
            // SAFETY: as above.
            wake::wake(unsafe { &*self.requests });
        }
    }
}

#[cfg(test)]
mod tests {
    use cairn_framework::layout::check_elements;

    use super::*;

    #[test]
    fn rings_of_different_instances_share_no_lines() {
        let (size, align) = (size_of::<Line>(), align_of::<Line>());
        check_elements("senders' ends of rings to one peer, by instance", size, align);
    }
}
