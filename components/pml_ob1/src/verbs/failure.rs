//! Peers that failed: what waits for them ends.
//!
//! ```text
//!   transport ─► host ─► peer_failed: noted ─► sweep, a seldom progress callback
//! ```
//!
//! A transport says it in the middle of its progress, with locks held, so it is only noted there. The
//! sweep ends what waits: transfers in flight, what is queued, posted receives that name the peer, and
//! receives from any source when no other process is left. It goes on for as long as the process runs,
//! since receives are posted without a look at which peers have failed: the frequent case pays nothing.
//! Sends find out by themselves, on the path of messages that can't go at once.

use core::ffi::c_void;
use core::sync::atomic::{Ordering, fence};

use cairn_framework::abi::host::PROGRESS_SELDOM;
use cairn_framework::abi::peer::{PEER_FAILED, PEER_SELF, Peer as HostPeer};
use cairn_framework::abi::request::MessageStatus;
use cairn_framework::abi::status::ERR_PEER;
use cairn_framework::author::Failure;
use cairn_framework::frameworks::matching::MATCH_ANY_SOURCE;

use crate::core::Core;
use crate::core::failures::Source;
use crate::core::ids::Ended;
use crate::mode::Mode;
use crate::objects::comm::CommState;
use crate::objects::peer::{Peer, gone};
use crate::objects::request::ReceiveRequest;

/// The progress callback.
unsafe extern "C" fn sweep<M: Mode>(core: *mut c_void) -> u32 {
    // SAFETY: registered with the core, which stays until the component closes.
    unsafe { Core::at(core).sweep::<M>() }
}

impl Core {
    /// A peer has failed. Any thread, with locks of transports held.
    pub fn peer_failed<M: Mode>(&self, peer: &HostPeer) {
        if self.failed.note::<M>(peer) {
            let context = self.context();
            // SAFETY: the core stays until the component closes.
            let added = unsafe { self.host.progress_add(sweep::<M>, context, PROGRESS_SELDOM) };
            if let Err(failure) = added {
                self.host.abort(1, &format!("rank {} is gone: {failure}", peer.rank));
            }
        }
    }

    /// Ends what waits for peers that have failed. Returns how much that was.
    #[cold]
    fn sweep<M: Mode>(&self) -> u32 {
        let Some(failed) = self.failed.begin::<M>() else { return 0 };
        let mut events = 0;
        for peer in failed.iter() {
            for name in self.pushes.of_origin::<M>(peer.rank) {
                events += u32::from(self.lose_push::<M>(name));
            }
            if let Some(peer) = self.peers.known(peer) {
                peer.block::<M>();
                events += self.end_transfers::<M>(peer);
            }
        }
        let known = (self.comms.opened(), failed.len());
        let find = || self.lost_sources::<M>();
        events += self.failed.sources::<M>(known, find, |source| self.end_receives::<M>(source));
        self.failed.end();
        events
    }

    /// Ends transfers that wait for an answer of the peer, or for its data.
    fn end_transfers<M: Mode>(&self, peer: &Peer) -> u32 {
        let mut events = 0;
        for id in self.ids.of_peer::<M>(peer) {
            // SAFETY: taken out of its table, so it is ours.
            unsafe {
                match self.ids.end::<M>(id, ERR_PEER) {
                    Some(Ended::Send(request)) => self.end_send::<M>(request, ERR_PEER, None),
                    Some(Ended::Receive(request)) => {
                        self.end_receive::<M>(request, ERR_PEER, None);
                    }
                    Some(Ended::Later) | None => continue,
                }
            }
            events += 1;
        }
        events
    }

    /// The communicators and ranks whose process has failed. Threads that may probe them are woken.
    fn lost_sources<M: Mode>(&self) -> Vec<Source> {
        // Pairs with the fence of a thread that waits for a message to probe.
        fence(Ordering::SeqCst);
        let mut sources = Vec::new();
        for state in self.comms.all() {
            // SAFETY: a state that is found in a pass stays until the pass is over.
            let state = unsafe { &*state };
            let before = sources.len();
            for rank in 0..state.size() {
                if state.peer(rank).is(PEER_FAILED) {
                    sources.push((state.context, rank as i32));
                }
            }
            if sources.len() > before {
                if nobody_is_left(state) {
                    sources.push((state.context, MATCH_ANY_SOURCE));
                }
                self.tell_probers::<M>(state);
            }
        }
        sources
    }

    /// Ends posted receives that name a source.
    fn end_receives<M: Mode>(&self, (context, source): Source) -> u32 {
        // SAFETY: as in `lost_sources`; the table is complete. A receive that the engine gives out
        // is ours.
        unsafe {
            let found = self.comms.find(context.maker, context.serial);
            let Some(state) = found.as_ref() else { return 0 };
            let mut events = 0;
            loop {
                let posted = (state.matching.withdraw.unwrap_unchecked())(state.engine, source);
                if posted.is_null() {
                    return events;
                }
                let tag = (*posted).tag;
                let request = ReceiveRequest::of_posted(posted);
                (*request).request.status =
                    MessageStatus { source, tag, error: ERR_PEER, cancelled: 0, bytes: 0 };
                self.complete_receive::<M>(request);
                events += 1;
            }
        }
    }

    /// Why no message can come from a source, if so.
    pub fn lost_source(&self, state: &CommState, source: i32) -> Option<Failure> {
        if source != MATCH_ANY_SOURCE {
            let peer = state.peer(source as u32);
            return peer.is(PEER_FAILED).then(|| gone(peer));
        }
        let any = (0..state.size()).any(|rank| state.peer(rank).is(PEER_FAILED));
        (any && nobody_is_left(state))
            .then(|| Failure::new(ERR_PEER, "all other processes of the communicator are gone"))
    }
}

/// Whether all ranks of a communicator but this one have failed. Another rank of this process is alive.
fn nobody_is_left(state: &CommState) -> bool {
    let mut own = 0;
    (0..state.size()).all(|rank| {
        let peer = state.peer(rank);
        own += u32::from(peer.is(PEER_SELF));
        peer.is(PEER_FAILED) || peer.is(PEER_SELF) && own == 1
    })
}
