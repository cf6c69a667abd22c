//! Peers that have sent to this process, to which it owes a goodbye.
//!
//! For that it needs their cards, which can't be had any more when it has left the launcher. So endpoints of them are
//! made beforehand, by what a device does seldom: the host calls that for the last time before it leaves.

use cairn_framework::abi::peer::Peer;
use cairn_framework::author::{HostHandle, Mutex};

/// Those that have greeted, until it was seen to it that they have endpoints.
#[derive(Default)]
pub struct Senders(Mutex<Vec<u32>>);

impl Senders {
    /// A rank has greeted. Any thread, also with a CRI's lock.
    pub fn greeted(&self, rank: u32) {
        self.0.lock().push(rank);
    }

    /// Those that have greeted since the last call. To be called with no CRI's lock held, where endpoints are made of
    /// them.
    pub fn take(&self, host: HostHandle) -> impl Iterator<Item = &'static Peer> + use<> {
        let ranks = std::mem::take(&mut *self.0.lock());
        ranks.into_iter().filter_map(move |rank| host.peer(rank))
    }
}
