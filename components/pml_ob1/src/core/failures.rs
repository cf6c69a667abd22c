//! The peers that failed, as they were noted, and the receives that no message will come for.

use core::sync::atomic::{AtomicBool, Ordering};

use cairn_framework::abi::comm::ContextId;
use cairn_framework::abi::peer::Peer as HostPeer;
use cairn_framework::audit::LockLevel;

use crate::mode::{Locked, Mode};

/// The failed peers of a process.
pub struct FailedPeers {
    peers: Locked<Vec<HostPeerPointer>>,
    /// A thread sweeps.
    sweeping: AtomicBool,
    /// Touched by the thread that sweeps.
    swept: Locked<Swept>,
}

impl Default for FailedPeers {
    fn default() -> Self {
        Self {
            peers: Locked::default(),
            sweeping: AtomicBool::new(false),
            swept: Locked::new(LockLevel::SWEEP),
        }
    }
}

#[derive(Clone, Copy)]
struct HostPeerPointer(*const HostPeer);

// SAFETY: a host's peer is `Sync`, and the host keeps it.
unsafe impl Send for HostPeerPointer {}

/// Which receives a sweep looks for.
#[derive(Default)]
struct Swept {
    /// So many communicators and failures are in `sources`.
    known: (u32, usize),
    sources: Vec<Source>,
}

/// Context id of a communicator, and a source that no message comes from any more.
pub type Source = (ContextId, i32);

impl FailedPeers {
    /// Notes one; whether it is the first.
    pub fn note<M: Mode>(&self, peer: &HostPeer) -> bool {
        self.peers.with::<M, _>(|peers| {
            peers.push(HostPeerPointer(peer));
            peers.len() == 1
        })
    }

    /// All of them, for a thread that sweeps from now on until `end`; none if another does.
    pub fn begin<M: Mode>(&self) -> Option<Vec<&HostPeer>> {
        if self.sweeping.swap(true, Ordering::Acquire) {
            return None;
        }
        let peers = self.peers.with::<M, _>(|peers| peers.clone());
        // SAFETY: the host keeps its peers.
        Some(peers.into_iter().map(|HostPeerPointer(peer)| unsafe { &*peer }).collect())
    }

    /// Runs `sweep` on each source. `find` finds them when there are other communicators or failures,
    /// by these numbers, than at the last sweep. Returns the sum.
    pub fn sources<M: Mode>(
        &self,
        known: (u32, usize),
        find: impl FnOnce() -> Vec<Source>,
        sweep: impl Fn(Source) -> u32,
    ) -> u32 {
        self.swept.with::<M, _>(|swept| {
            if swept.known != known {
                *swept = Swept { known, sources: find() };
            }
            swept.sources.iter().copied().map(sweep).sum()
        })
    }

    /// The thread that sweeps has finished.
    pub fn end(&self) {
        self.sweeping.store(false, Ordering::Release);
    }
}
