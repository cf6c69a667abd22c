//! Peers with something that waits for room in a transport.

use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use cairn_framework::author::CachePadded;

use crate::mode::{Locked, Mode, fetch_add, fetch_sub};
use crate::objects::peer::{Peer, PeerPointer, Queues, Work};

/// How far something got that waits for room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Nothing is left to retry.
    Done,
    /// There was no room; nothing was lost.
    Blocked,
}

/// The list of them.
#[derive(Default)]
pub struct Pending {
    busy: CachePadded<Locked<Vec<PeerPointer>>>,
    /// How many those are.
    count: CachePadded<AtomicU32>,
    /// A thread waits until nothing waits for room.
    leaving: AtomicBool,
}

impl Pending {
    /// Whether nothing waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.count.load(Ordering::Acquire) == 0
    }

    /// The peer at a place of the list.
    pub fn at<M: Mode>(&self, place: usize) -> Option<&Peer> {
        let found = self.busy.with::<M, _>(|busy| busy.get(place).copied());
        // SAFETY: peers live as long as the component.
        found.map(|PeerPointer(peer)| unsafe { &*peer })
    }

    /// Puts something into a peer's queues.
    pub fn add<M: Mode>(&self, peer: &Peer, work: Work) {
        peer.queues.with::<M, _>(|queues| {
            match work {
                Work::First(_) | Work::Control(_) => {
                    fetch_add::<M>(&peer.waiting, 1);
                    queues.messages.push_back(work);
                }
                Work::Skip(_) | Work::Rest(_) => {
                    fetch_add::<M>(&peer.waiting, 1);
                    queues.messages.push_front(work);
                }
                Work::EndSend(_) | Work::EndReceive(_) => queues.ends.push_back(work),
                Work::Push(_) | Work::Fetch(_) => queues.streams.push_back(work),
            }
            if !queues.listed {
                queues.listed = true;
                self.busy.with::<M, _>(|busy| busy.push(PeerPointer::new(peer)));
                fetch_add::<M>(&self.count, 1);
            }
        });
    }

    /// A thread begins to retry what waits for a peer: whether it may, and whether the peer is listed.
    pub fn begin<M: Mode>(&self, peer: &Peer) -> (bool, bool) {
        peer.queues.with::<M, _>(|queues| {
            // Another thread may have emptied the queues since this one found them in the list.
            let mine = queues.listed && !queues.retrying;
            queues.retrying |= mine;
            (mine, queues.listed)
        })
    }

    /// That thread ends: whether nothing waits for the peer any more, so that it has left the list.
    pub fn end<M: Mode>(&self, peer: &Peer) -> bool {
        peer.queues.with::<M, _>(|queues| {
            queues.retrying = false;
            let Queues { ends, messages, streams, .. } = queues;
            let idle = ends.is_empty() && messages.is_empty() && streams.is_empty();
            if idle {
                queues.listed = false;
                let pointer = PeerPointer::new(peer);
                self.busy.with::<M, _>(|busy| busy.retain(|other| *other != pointer));
                fetch_sub::<M>(&self.count, 1);
            }
            idle
        })
    }

    /// Whether what no transport can send is given up.
    pub fn is_leaving(&self) -> bool {
        self.leaving.load(Ordering::Relaxed)
    }

    /// Returns when nothing waits for room. What no transport can send is given up meanwhile.
    pub fn drain(&self, progress: impl Fn()) {
        self.leaving.store(true, Ordering::Relaxed);
        while !self.is_empty() {
            progress();
        }
        self.leaving.store(false, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn senders_without_room_write_apart_from_the_rest() {
        let parts = cairn_framework::parts!(Pending {
            busy: "senders without room",
            count: "senders without room",
            leaving: "a thread that closes",
        });
        cairn_framework::layout::check("what waits for room in pml_ob1", &parts);
    }
}
