//! How long queues and searches are.
//!
//! An engine counts in plain numbers, which belong to the holder of the engine and lie in a cache line
//! that is there anyway. Its opener asks for them.

use cairn_framework::frameworks::matching::MatchCounts;

/// What an engine holds and how hard it worked.
#[derive(Debug, Default)]
pub struct Tally {
    /// All but the searches, which are posts and arrivals.
    counts: MatchCounts,
}

impl Tally {
    /// A receive was posted, and the arrived messages searched.
    #[inline]
    pub fn post_searched(&mut self, compared: u64) {
        self.counts.posts += 1;
        self.counts.arrived_met += self.counts.arrived;
        self.searched(compared);
    }

    /// A message arrived, and the posted receives were searched.
    #[inline]
    pub fn arrive_searched(&mut self, compared: u64) {
        self.counts.arrivals += 1;
        self.counts.posted_met += self.counts.posted;
        self.searched(compared);
    }

    /// A receive was posted, and no message was there.
    #[inline(always)]
    pub fn post_alone(&mut self) {
        self.counts.posts += 1;
    }

    /// A message arrived, and the receive it gets was the first.
    #[inline(always)]
    pub fn arrive_at_first(&mut self) {
        self.counts.arrivals += 1;
        self.counts.posted_met += self.counts.posted;
        self.searched(1);
    }

    #[inline]
    fn searched(&mut self, compared: u64) {
        self.counts.compared += compared;
        if compared > self.counts.compared_max {
            self.counts.compared_max = compared;
        }
    }

    /// A receive went in.
    #[inline]
    pub fn posted(&mut self) {
        self.counts.posted += 1;
        if self.counts.posted > self.counts.posted_max {
            self.counts.posted_max = self.counts.posted;
        }
    }

    /// A receive came out.
    #[inline]
    pub fn unposted(&mut self) {
        self.counts.posted -= 1;
    }

    /// A message went in.
    #[inline]
    pub fn arrived(&mut self) {
        self.counts.arrived += 1;
        if self.counts.arrived > self.counts.arrived_max {
            self.counts.arrived_max = self.counts.arrived;
        }
    }

    /// A message came out.
    #[inline]
    pub fn taken(&mut self) {
        self.counts.arrived -= 1;
    }

    /// Receives in the engine.
    #[inline]
    pub fn posted_len(&self) -> u64 {
        self.counts.posted
    }

    /// Messages in the engine.
    #[inline]
    pub fn arrived_len(&self) -> u64 {
        self.counts.arrived
    }

    /// The counts.
    pub fn counts(&self) -> MatchCounts {
        MatchCounts { searches: self.counts.posts + self.counts.arrivals, ..self.counts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queues_are_measured_when_entries_meet_them() {
        let mut tally = Tally::default();
        tally.posted();
        tally.posted();
        tally.arrive_searched(2);
        tally.unposted();
        tally.arrive_searched(7);
        tally.arrived();
        tally.post_searched(1);
        tally.post_alone();
        let counts = tally.counts();
        assert_eq!((counts.posted, counts.posted_max, counts.posted_met), (1, 2, 3));
        assert_eq!((counts.arrived, counts.arrived_max, counts.arrived_met), (1, 1, 1));
        assert_eq!((counts.posts, counts.arrivals, counts.searches), (2, 2, 4));
        assert_eq!((counts.compared, counts.compared_max), (10, 7));
    }
}
