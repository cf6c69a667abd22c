//! What the verbs share: the tables of communicators, peers and requests, and what is in flight.
//!
//! Every function is generic over [`Mode`](crate::mode::Mode); [`component`](crate::component) chooses
//! once a call.

pub mod communicators;
pub mod engines;
pub mod failures;
pub mod ids;
pub mod peers;
pub mod pending;
pub mod pushes;
pub mod recent;
pub mod requests;

use core::ffi::c_void;

use cairn_framework::abi::scope::{SCOPE_PROCESS, Scope};
use cairn_framework::author::{CachePadded, Failure, HostHandle};

use crate::core::communicators::Communicators;
use crate::core::failures::FailedPeers;
use crate::core::ids::Ids;
use crate::core::peers::Peers;
use crate::core::pending::Pending;
use crate::core::pushes::{EarlyPiece, Pushes};
use crate::core::recent::Recent;
use crate::core::requests::Requests;
use crate::counters::Counters;
use crate::mode::Single;
use crate::objects::kept::{KeptPointer, UnexpectedPool};
use crate::params::Params;

/// The component's state. Its address is fixed; requests and callbacks hold it.
pub struct Core {
    /// The host.
    pub host: HostHandle,
    /// The parameters.
    pub params: Params,
    /// Communicators. Dropped before the peers that they lead to.
    pub comms: Communicators,
    /// Every peer that was sent to.
    pub peers: Peers,
    /// What peers may answer, or have data for.
    pub ids: Ids,
    /// What peers send in pieces unasked.
    pub pushes: Pushes,
    /// Who got this process's last long messages.
    pub recent: CachePadded<Recent>,
    /// Memory of requests.
    pub requests: Requests,
    /// Memory of messages that have to stay.
    pub unexpected: UnexpectedPool,
    /// What waits for room.
    pub pending: Pending,
    /// Peers that failed.
    pub failed: FailedPeers,
    /// The counters.
    pub counters: Counters,
    /// For assignments that concern no communicator.
    pub process: Scope,
}

// SAFETY: what is not constant or atomic is behind locks; a request that is complete is never written.
unsafe impl Sync for Core {}
// SAFETY: see `Sync`.
unsafe impl Send for Core {}

impl Core {
    /// Without communicators. `slot` is the component's private one.
    pub fn new(
        host: HostHandle,
        params: Params,
        slot: usize,
        threaded: bool,
    ) -> Result<Self, Failure> {
        Ok(Self {
            host,
            comms: Communicators::new(host, slot),
            peers: Peers::new(host),
            ids: Ids::default(),
            pushes: Pushes::default(),
            recent: CachePadded(Recent::default()),
            requests: Requests::new(params.request_sharing()),
            unexpected: UnexpectedPool::new(),
            pending: Pending::default(),
            failed: FailedPeers::default(),
            counters: Counters::new(host, threaded)?,
            process: Scope::new(SCOPE_PROCESS, 0, 1, c"process"),
            params,
        })
    }

    /// What callbacks are registered with, and requests hold.
    #[inline(always)]
    pub fn context(&self) -> *mut c_void {
        (&raw const *self).cast_mut().cast()
    }

    /// The core behind such a context.
    ///
    /// # Safety
    /// The component is open.
    #[inline(always)]
    pub unsafe fn at<'a>(context: *const c_void) -> &'a Self {
        // SAFETY: promised by the caller; a core stays where it is until the component closes.
        unsafe { &*context.cast::<Self>() }
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        for EarlyPiece { kept: KeptPointer(kept), .. } in self.pushes.drain() {
            // SAFETY: kept by this pool, and taken out of where it was. No other thread is left.
            unsafe { self.unexpected.free::<Single>(kept) };
        }
    }
}

#[cfg(test)]
mod tests {
    use cairn_framework::layout::check;

    use super::*;

    #[test]
    fn what_threads_write_lies_apart_from_what_all_read() {
        let parts = cairn_framework::parts!(Core {
            host: "no thread",
            params: "no thread",
            ids: "transfers",
            pushes: "messages in pieces",
            recent: "long messages",
            requests: "threads that send or receive",
            pending: "senders without room",
            process: "no thread",
        });
        check("the state of pml_ob1", &parts);
    }
}
