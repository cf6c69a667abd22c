//! Who has the lock of this process's memory, and who waits for it.

use std::collections::VecDeque;

use cairn_rma::{RemoteLock, Wish};

use crate::wire::Header;

/// Which ranks have been given the lock of this process's memory, and which wait for it. Whether it is free says its
/// word, as others take it without this process.
#[derive(Default)]
pub struct LockQueue {
    /// Ranks that were given it, shared or not.
    holders: Vec<(u32, bool)>,
    waiting: VecDeque<Waiting>,
    /// The word says that somebody waits.
    said: bool,
    /// A rank that had it has died.
    broken: bool,
}

/// A rank that waits.
pub struct Waiting {
    pub rank: u32,
    pub shared: bool,
    /// The operation that it sent with its wish, and what followed the header.
    pub operation: Option<(Header, Box<[u8]>)>,
}

/// What becomes of a wish.
pub enum Turn {
    Granted(Waiting),
    /// It is in vain.
    Refused(Waiting),
}

impl LockQueue {
    /// One more. False for a rank that has the lock, or waits for it: there would be no end to its wishes.
    pub fn enter(&mut self, waiting: Waiting) -> bool {
        let rank = waiting.rank;
        let known = self.holders.iter().any(|(holder, _)| *holder == rank)
            || self.waiting.iter().any(|other| other.rank == rank);
        if !known {
            self.waiting.push_back(waiting);
        }
        !known
    }

    /// The next one that need not wait any more: in their order, so that none waits for ever.
    /// `is_dead` says which ranks have died.
    pub fn next(&mut self, lock: &RemoteLock, is_dead: impl Fn(u32) -> bool) -> Option<Turn> {
        let Some(first) = self.waiting.front() else {
            if self.said && !self.broken {
                self.said = false;
                lock.set_waiting(false);
            }
            return None;
        };
        if self.broken {
            return self.waiting.pop_front().map(Turn::Refused);
        }
        let (rank, shared) = (first.rank, first.shared);
        let wish = wish(rank, shared);
        if !lock.take(wish, self.said) {
            if self.said {
                return None;
            }
            // Nobody takes it now but by this queue, and who has it tells when it is free.
            self.said = true;
            lock.set_waiting(true);
            if !lock.take(wish, true) {
                // A device may have taken it for a rank that had died before.
                if lock.holders().0.is_some_and(is_dead) {
                    self.broken = true;
                    return self.waiting.pop_front().map(Turn::Refused);
                }
                return None;
            }
        }
        self.holders.push((rank, shared));
        self.waiting.pop_front().map(Turn::Granted)
    }

    /// A rank gives the lock back. False if it was not given it.
    pub fn leave(&mut self, lock: &RemoteLock, rank: u32) -> bool {
        let Some(place) = self.holders.iter().position(|(holder, _)| *holder == rank) else {
            return false;
        };
        let (rank, shared) = self.holders.swap_remove(place);
        // The caller looks for the next one.
        let _ = lock.release(wish(rank, shared));
        true
    }

    /// A rank has died. If it had the lock, that is lost, and so it is if it may have been one of those that share it
    /// without having asked this process. Nobody takes a lost lock.
    pub fn bury(&mut self, lock: &RemoteLock, rank: u32) {
        self.waiting.retain(|waiting| waiting.rank != rank);
        let had = self.holders.iter().any(|(holder, _)| *holder == rank);
        let given = self.holders.iter().filter(|(_, shared)| *shared).count() as u32;
        let (owner, sharers) = lock.holders();
        if had || owner == Some(rank) || sharers > given {
            self.lose(lock);
        }
    }

    /// Nobody can have the lock any more.
    pub fn lose(&mut self, lock: &RemoteLock) {
        self.broken = true;
        self.said = true;
        lock.set_waiting(true);
    }

    /// Which have it and how many wait, for a person.
    pub fn describe(&self, lock: &RemoteLock) -> String {
        let by = match lock.holders() {
            _ if self.broken => "the lock was lost with its holder".to_owned(),
            (Some(rank), _) => format!("rank {rank} has the lock"),
            (None, 0) => "the lock is free".to_owned(),
            (None, holders) => format!("{holders} share the lock"),
        };
        format!("{by}, {} wait", self.waiting.len())
    }
}

/// What a lock is taken for.
fn wish(rank: u32, shared: bool) -> Wish {
    if shared { Wish::Shared } else { Wish::Exclusive(rank) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(rank: u32, shared: bool) -> Waiting {
        Waiting { rank, shared, operation: None }
    }

    #[test]
    fn locks_go_by_turns() {
        let (mut queue, lock) = (LockQueue::default(), RemoteLock::default());
        for (rank, shared) in [(0, true), (1, true), (2, false), (3, true), (4, false)] {
            assert!(queue.enter(waits(rank, shared)));
        }
        let next = |queue: &mut LockQueue| match queue.next(&lock, |_| false) {
            Some(Turn::Granted(waiting)) => Some(waiting.rank),
            _ => None,
        };
        assert_eq!(
            [next(&mut queue), next(&mut queue), next(&mut queue)],
            [Some(0), Some(1), None]
        );
        assert!(
            !queue.enter(waits(0, true)) && !queue.enter(waits(2, true)),
            "it is there already"
        );
        // Rank 3 shares, but came behind one that does not.
        assert!(queue.leave(&lock, 1) && next(&mut queue).is_none() && queue.leave(&lock, 0));
        assert_eq!([next(&mut queue), next(&mut queue)], [Some(2), None]);
        assert!(!queue.leave(&lock, 3), "it does not have it");
        assert!(queue.leave(&lock, 2));
        assert_eq!([next(&mut queue), next(&mut queue)], [Some(3), None]);
        assert!(queue.leave(&lock, 3));
        assert_eq!(next(&mut queue), Some(4));
        assert!(queue.leave(&lock, 4) && !queue.leave(&lock, 4) && next(&mut queue).is_none());
    }

    #[test]
    fn a_lock_dies_with_its_holder() {
        let (mut queue, lock) = (LockQueue::default(), RemoteLock::default());
        for (rank, shared) in [(0, true), (1, false), (2, true), (3, false)] {
            assert!(queue.enter(waits(rank, shared)));
        }
        assert!(matches!(
            queue.next(&lock, |_| false),
            Some(Turn::Granted(Waiting { rank: 0, .. }))
        ));
        // One that waits does not come any more.
        queue.bury(&lock, 1);
        assert!(matches!(
            queue.next(&lock, |_| false),
            Some(Turn::Granted(Waiting { rank: 2, .. }))
        ));
        queue.bury(&lock, 0);
        assert!(matches!(
            queue.next(&lock, |_| false),
            Some(Turn::Refused(Waiting { rank: 3, .. }))
        ));
        assert!(queue.enter(waits(4, true)));
        assert!(matches!(
            queue.next(&lock, |_| false),
            Some(Turn::Refused(Waiting { rank: 4, .. }))
        ));
        assert!(queue.next(&lock, |_| false).is_none());
    }

    #[test]
    fn a_lock_that_the_dead_take_late_is_lost() {
        let (mut queue, lock) = (LockQueue::default(), RemoteLock::default());
        queue.bury(&lock, 1);
        assert!(lock.take(Wish::Exclusive(1), false));
        assert!(queue.enter(waits(2, true)));
        assert!(matches!(queue.next(&lock, |rank| rank == 1), Some(Turn::Refused(_))));
        assert!(!lock.take(Wish::Shared, false));
    }
}
