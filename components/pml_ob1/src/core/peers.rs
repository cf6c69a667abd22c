//! The peers that were met: what each host's peer and each rank of a communicator leads to.

use core::sync::atomic::{AtomicPtr, Ordering};

use cairn_framework::abi::peer::{PEER_FAILED, Peer as HostPeer};
use cairn_framework::abi::pool::CriPool;
use cairn_framework::author::{Failure, HostHandle};
use cairn_framework::frameworks::cri::CRI_NO_PEER;

use crate::mode::{Locked, Mode};
use crate::objects::comm::{CommPeer, CommState};
use crate::objects::peer::{Peer, PeerPointer, gone};
use crate::pool::Place;

/// All of them. They stay until the component closes.
pub struct Peers {
    host: HostHandle,
    all: Locked<Vec<PeerPointer>>,
    /// Of the pools that lead to peers that were met the one with most instances: that of receives whose
    /// source was not met. Null before.
    widest: AtomicPtr<CriPool>,
}

impl Peers {
    /// None.
    pub fn new(host: HostHandle) -> Self {
        Self { host, all: Locked::default(), widest: AtomicPtr::default() }
    }

    /// The peer behind a rank, connected.
    #[inline]
    pub fn of_rank<'a, M: Mode>(
        &self,
        state: &'a CommState,
        rank: &'a CommPeer,
        number: u32,
    ) -> Result<&'a Peer, Failure> {
        let found = rank.peer.load(Ordering::Acquire);
        if found.is_null() {
            return self.connect::<M>(state, rank, number);
        }
        // SAFETY: peers live as long as the component.
        Ok(unsafe { &*found })
    }

    #[cold]
    fn connect<'a, M: Mode>(
        &self,
        state: &'a CommState,
        rank: &'a CommPeer,
        number: u32,
    ) -> Result<&'a Peer, Failure> {
        // SAFETY: a communicator has a peer for each rank, and `number` is one.
        let view = unsafe { *state.view().peers.add(number as usize) };
        let peer = self.of_view::<M>(view)?;
        rank.peer.store(peer, Ordering::Release);
        // SAFETY: peers live as long as the component.
        Ok(unsafe { &*peer })
    }

    fn of_view<M: Mode>(&self, view: *mut HostPeer) -> Result<*mut Peer, Failure> {
        // SAFETY: peers are the host's and stay; the field is this component's.
        let place = unsafe { AtomicPtr::from_ptr((&raw mut (*view).pml).cast::<*mut Peer>()) };
        let found = place.load(Ordering::Acquire);
        if !found.is_null() {
            return Ok(found);
        }
        // SAFETY: as above.
        let host_peer = unsafe { &*view };
        if host_peer.is(PEER_FAILED) {
            return Err(gone(host_peer));
        }
        self.host.peer_connect(host_peer)?;
        let made = Box::new(Peer::new(view)?);
        let pool = made.first().device().pool;
        Ok(self.all.with::<M, _>(|all| {
            let found = place.load(Ordering::Acquire);
            if !found.is_null() {
                return found;
            }
            let made = Box::into_raw(made);
            all.push(PeerPointer(made));
            // SAFETY: a device has a pool, and both stay while there are peers.
            unsafe {
                let widest = self.widest.load(Ordering::Relaxed).as_ref();
                if widest.is_none_or(|widest| widest.count < (*pool).count) {
                    self.widest.store(pool, Ordering::Release);
                }
            }
            place.store(made, Ordering::Release);
            made
        }))
    }

    /// What was sent to a host's peer or asked of it, if there was anything.
    pub fn known(&self, view: &HostPeer) -> Option<&Peer> {
        // SAFETY: the field is this component's; peers live as long as the component.
        unsafe {
            let place = AtomicPtr::from_ptr((&raw const view.pml).cast_mut().cast::<*mut Peer>());
            place.load(Ordering::Acquire).as_ref()
        }
    }

    /// The one with this rank in the job, if it was met.
    pub fn with_rank<M: Mode>(&self, rank: u32) -> Option<&Peer> {
        self.all::<M>().find(|peer| peer.rank() == rank)
    }

    /// All that were met.
    pub fn all<M: Mode>(&self) -> impl Iterator<Item = &Peer> {
        let all = self.all.with::<M, _>(|all| all.clone());
        // SAFETY: peers live as long as the component.
        all.into_iter().map(|PeerPointer(peer)| unsafe { &*peer })
    }

    /// The cache of a receive's request where instances have caches: that of the instance at which its
    /// message arrives, or which the strategy gives the thread to poll. One question to the strategy.
    #[cold]
    pub fn place_of_receive(&self, state: &CommState, source: i32) -> Place {
        let known = u32::try_from(source).ok().and_then(|source| state.known(source));
        let (pool, peer) = match known {
            Some((_, peer)) => (peer.first().device().pool, peer.rank()),
            None => (self.widest.load(Ordering::Acquire), CRI_NO_PEER),
        };
        // SAFETY: null or the pool of a device, which stays while there are peers.
        unsafe { pool.as_ref() }.map_or_else(Place::default, |pool| {
            Place::new(pool, pool.arrival(self.host.thread(), &state.view().scope, peer))
        })
    }
}

impl Drop for Peers {
    fn drop(&mut self) {
        for PeerPointer(peer) in self.all.get_mut().drain(..) {
            // SAFETY: boxed by `of_view`; the host's peers stay.
            unsafe {
                let peer = Box::from_raw(peer);
                (*peer.view).pml = core::ptr::null_mut();
            }
        }
    }
}
