//! Peers that are gone, until all is handed on that they had sent.

use std::sync::atomic::{AtomicU64, Ordering};

use cairn_framework::abi::host::{LOG_INFO, LOG_WARN};
use cairn_framework::author::{HostHandle, Mutex};

/// Looks that empty a queue behind which all that had come before is handed on. Some libraries take several to get at
/// what lies in a socket.
const EMPTY_LOOKS: u64 = 8;

/// Why a peer of this node is gone whose process has ended.
pub const ENDED: &str = "its process has ended";

/// Has the host be told of a peer that is gone without a goodbye. That its process has ended is no warning: who has
/// killed it, or why it crashed, others say.
pub fn report(host: HostHandle, rank: u32, why: &str) {
    let level = if why == ENDED { LOG_INFO } else { LOG_WARN };
    host.log(level, || format!("rank {rank} is gone: {why}"));
    host.peer_failed(rank);
}

/// Who is gone of a device's peers. The news may overtake their last messages, which lie in the queues of the CRIs: the
/// host is told when every queue has been emptied a few times since.
pub struct Departures {
    /// By CRI: how often its queues were emptied.
    looks: Box<[Looks]>,
    /// Ranks that are gone, and what `looks` were when that was first asked.
    ended: Mutex<Vec<(u32, Vec<u64>)>>,
    /// Ranks that are gone of which the host does not know yet, and why.
    untold: Mutex<Vec<(u32, String)>>,
}

/// On cache lines of its own: CRIs are used by different threads.
#[repr(align(128))]
#[derive(Default)]
struct Looks(AtomicU64);

impl Departures {
    /// Of a device with so many CRIs.
    pub fn new(cris: u32) -> Self {
        let looks = (0..cris).map(|_| Looks::default()).collect();
        Self { looks, ended: Mutex::default(), untold: Mutex::default() }
    }

    /// The queues of a CRI were emptied. With its lock.
    pub fn looked(&self, cri: usize) {
        let looks = &self.looks[cri].0;
        looks.store(looks.load(Ordering::Relaxed) + 1, Ordering::Release);
    }

    /// A rank is gone. Any thread.
    pub fn note(&self, rank: u32, why: &str) {
        self.untold.lock().push((rank, why.into()));
    }

    /// Whether all that came of a rank that is gone was handed on.
    pub fn is_through_with(&self, rank: u32) -> bool {
        let now = || self.looks.iter().map(|looks| looks.0.load(Ordering::Acquire));
        let mut ended = self.ended.lock();
        match ended.iter().find(|(other, _)| *other == rank) {
            Some((_, then)) => now().zip(then).all(|(now, then)| now >= then + EMPTY_LOOKS),
            None => {
                ended.push((rank, now().collect()));
                false
            }
        }
    }

    /// Those of which all was handed on, and why they are gone; each once. `tell` is called without a lock.
    pub fn tell(&self, mut tell: impl FnMut(u32, &str)) -> u32 {
        let untold = std::mem::take(&mut *self.untold.lock());
        let (due, later): (Vec<_>, Vec<_>) =
            untold.into_iter().partition(|(rank, _)| self.is_through_with(*rank));
        self.untold.lock().extend(later);
        for (rank, why) in &due {
            self.ended.lock().retain(|(other, _)| other != rank);
            tell(*rank, why);
        }
        due.len() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_gone_is_told_of_once_when_all_queues_were_emptied() {
        let departures = Departures::new(2);
        let told = || {
            let mut all = Vec::new();
            departures.tell(|rank, why| all.push((rank, why.to_owned())));
            all
        };
        departures.note(3, "it died");
        assert_eq!(told(), []);
        (0..EMPTY_LOOKS).for_each(|_| departures.looked(0));
        assert_eq!(told(), [], "the other queue may have something");
        (0..EMPTY_LOOKS).for_each(|_| departures.looked(1));
        departures.note(4, "it died, too");
        assert_eq!(told(), [(3, "it died".to_owned())]);
        assert_eq!(told(), []);
        (0..2 * EMPTY_LOOKS).for_each(|look| departures.looked(look as usize % 2));
        assert_eq!(told(), [(4, "it died, too".to_owned())]);
    }
}
