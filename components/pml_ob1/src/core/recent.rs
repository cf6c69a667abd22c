//! The peers that got a process's last long messages: those that a device pushes only to few peers at a time
//! (`push_limit_recent`).

use core::sync::atomic::{AtomicU64, Ordering};

/// To so many peers at a time they are pushed: the neighbours of a process in a grid of two dimensions.
const PEERS: u64 = 4;

/// Counts such messages, from 1.
#[derive(Default)]
pub struct Recent(AtomicU64);

impl Recent {
    /// Gives the next message to a peer, of which the number of its last one is given, and says whether that was one
    /// of the last few before, as far as threads that send at the same time agree on that.
    pub fn has_and_gets(&self, last: &AtomicU64) -> bool {
        // Relaxed: the numbers alone are what counts.
        let number = self.0.fetch_add(1, Ordering::Relaxed) + 1;
        let last = last.fetch_max(number, Ordering::Relaxed);
        last != 0 && number.saturating_sub(last) <= PEERS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_peers_are_recent_and_many_are_not() {
        for (peers, then) in [(1, true), (4, true), (5, false), (30, false)] {
            let recent = Recent::default();
            let last: Vec<_> = (0..peers).map(|_| AtomicU64::new(0)).collect();
            let round = || last.iter().map(|last| recent.has_and_gets(last)).collect::<Vec<_>>();
            assert_eq!(round(), vec![false; peers]);
            assert_eq!(round(), vec![then; peers]);
            assert_eq!(round(), vec![then; peers]);
        }
        // One peer alone becomes it again at once.
        let (recent, last) = (Recent::default(), AtomicU64::new(0));
        assert!(!recent.has_and_gets(&last));
        (0..10).for_each(|_| assert!(!recent.has_and_gets(&AtomicU64::new(0))));
        assert!(!recent.has_and_gets(&last));
        assert!(recent.has_and_gets(&last));
    }
}
