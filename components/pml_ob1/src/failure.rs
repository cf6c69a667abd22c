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

use core::sync::atomic::{AtomicBool, AtomicU32, Ordering, fence};

use cairn_framework::abi::comm::ContextId;
use cairn_framework::abi::host::PROGRESS_SELDOM;
use cairn_framework::abi::peer::{PEER_FAILED, PEER_SELF, Peer};
use cairn_framework::abi::request::MessageStatus;
use cairn_framework::abi::status::ERR_PEER;
use cairn_framework::audit::LockLevel;
use cairn_framework::author::Failure;
use cairn_framework::frameworks::matching::MATCH_ANY_SOURCE;

use crate::comm::State;
use crate::core::Core;
use crate::endpoint::Remote;
use crate::ids::{Ended, Entry};
use crate::mode::{Locked, Mode, fetch_add};
use crate::receive::ReceiveRequest;

/// The failed peers of a process.
pub struct Failures {
    peers: Locked<Vec<PeerPointer>>,
    /// A thread sweeps.
    sweeping: AtomicBool,
    /// How many communicators were ever opened.
    pub opened: AtomicU32,
    /// Touched by the thread that sweeps.
    swept: Locked<Swept>,
}

impl Default for Failures {
    fn default() -> Self {
        Self {
            peers: Locked::default(),
            sweeping: AtomicBool::new(false),
            opened: AtomicU32::new(0),
            swept: Locked::new(LockLevel::SWEEP),
        }
    }
}

#[derive(Clone, Copy)]
struct PeerPointer(*const Peer);

// SAFETY: a `Peer` is `Sync`, and the host keeps it.
unsafe impl Send for PeerPointer {}

/// Which receives a sweep looks for.
#[derive(Default)]
struct Swept {
    /// So many communicators and failures are in `sources`.
    known: (u32, usize),
    /// Context id of a communicator, and a source that no message comes from any more.
    sources: Vec<(ContextId, i32)>,
}

/// The failure of what names a peer that has failed.
#[cold]
pub fn gone(peer: &Peer) -> Failure {
    Failure::new(ERR_PEER, format!("rank {} of the job is gone", peer.rank))
}

/// The progress callback.
unsafe extern "C" fn sweep<M: Mode>(core: *mut core::ffi::c_void) -> u32 {
    // SAFETY: registered with the core, which stays until the component closes.
    unsafe { (*core.cast::<Core>()).sweep::<M>() }
}

impl Core {
    /// A peer has failed. Any thread, with locks of transports held.
    pub fn peer_failed<M: Mode>(&self, peer: &Peer) {
        let first = self.failures.peers.with::<M, _>(|peers| {
            peers.push(PeerPointer(peer));
            peers.len() == 1
        });
        if first {
            let context = (&raw const *self).cast_mut().cast();
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
        if self.failures.sweeping.swap(true, Ordering::Acquire) {
            return 0;
        }
        let peers = self.failures.peers.with::<M, _>(|peers| peers.clone());
        let mut events = 0;
        for PeerPointer(peer) in &peers {
            // SAFETY: the host keeps its peers.
            if let Some(remote) = self.known_remote(unsafe { &**peer }) {
                self.block::<M>(remote);
                events += self.end_transfers::<M>(remote);
            }
        }
        events += self.failures.swept.with::<M, _>(|swept| {
            let known = (self.failures.opened.load(Ordering::Acquire), peers.len());
            if swept.known != known {
                *swept = Swept { known, sources: self.lost_sources::<M>() };
            }
            let receives = swept.sources.iter();
            receives.map(|(context, source)| self.end_receives::<M>(*context, *source)).sum::<u32>()
        });
        self.failures.sweeping.store(false, Ordering::Release);
        events
    }

    /// From here on everything that is sent to the peer takes the path on which its failure shows.
    fn block<M: Mode>(&self, remote: &Remote) {
        if !remote.failed.swap(true, Ordering::AcqRel) {
            fetch_add::<M>(&remote.waiting, 1);
        }
    }

    /// Ends transfers that wait for an answer of the peer, or for its data.
    fn end_transfers<M: Mode>(&self, remote: &Remote) -> u32 {
        let ours = |entry: &Entry| {
            // SAFETY: what is in the table is in flight, and an announced receive has its sender.
            let other = unsafe {
                match *entry {
                    Entry::Put(request, _) => (*request).remote,
                    Entry::Fragments(fragments) => (*fragments.request()).remote,
                }
            };
            core::ptr::eq(other, remote)
        };
        let receives = self.receive_ids.with::<M, _>(|ids| ids.which(ours));
        let mut events = 0;
        for id in self.send_ids.to(remote).into_iter().chain(receives) {
            // SAFETY: taken out of its table, so it is ours.
            unsafe {
                match self.over::<M>(id, ERR_PEER) {
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
    fn lost_sources<M: Mode>(&self) -> Vec<(ContextId, i32)> {
        // Pairs with the fence of a thread that waits for a message to probe.
        fence(Ordering::SeqCst);
        let mut sources = Vec::new();
        for state in self.contexts.open() {
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
    fn end_receives<M: Mode>(&self, context: ContextId, source: i32) -> u32 {
        // SAFETY: as in `lost_sources`; the table is complete. A receive that the engine gives out
        // is ours.
        unsafe {
            let found = self.contexts.find(context.maker, context.serial);
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
    pub fn lost_source(&self, state: &State, source: i32) -> Option<Failure> {
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
fn nobody_is_left(state: &State) -> bool {
    let mut own = 0;
    (0..state.size()).all(|rank| {
        let peer = state.peer(rank);
        own += u32::from(peer.is(PEER_SELF));
        peer.is(PEER_FAILED) || peer.is(PEER_SELF) && own == 1
    })
}
