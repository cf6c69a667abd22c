//! In which order locks are asked for.

use crate::outgoing::{Hold, Outgoing};

/// The targets that the program has locked one by one, in this order. Locks are asked for in the same order,
/// and one only when those before are held, so that processes that lock in the same order never
/// wait for each other in a circle.
#[derive(Default)]
pub struct LockOrder {
    targets: Vec<u32>,
    /// How many of them are to be asked for.
    begun: usize,
}

impl LockOrder {
    /// A target is locked.
    pub fn enter(&mut self, target: u32) {
        self.targets.push(target);
    }

    /// Its lock is to be asked for, and those before it. Whether it is one of them.
    pub fn begin(&mut self, target: u32) -> bool {
        let place = self.targets.iter().position(|other| *other == target);
        self.begun = self.begun.max(place.map_or(0, |place| place + 1));
        place.is_some()
    }

    /// All of them are to be asked for.
    pub fn begin_all(&mut self) {
        self.begun = self.targets.len();
    }

    /// The first one that is to be asked for and is not held.
    pub fn missing(&self, outgoing: &[Outgoing]) -> Option<u32> {
        let missing = |rank: &&u32| is_missing(&outgoing[**rank as usize]);
        self.targets[..self.begun].iter().find(missing).copied()
    }

    /// Whether all locks before that of a target are held, so that it may be taken.
    pub fn is_next(&self, outgoing: &[Outgoing], target: u32) -> bool {
        let before = self.targets.iter().take_while(|other| **other != target);
        let place = self.targets.contains(&target);
        !place || before.into_iter().all(|other| !is_missing(&outgoing[*other as usize]))
    }

    /// Whether there is one.
    pub fn is_missing(&self, outgoing: &[Outgoing]) -> bool {
        self.missing(outgoing).is_some()
    }

    /// A target is not locked any more.
    pub fn leave(&mut self, target: u32) {
        if let Some(place) = self.targets.iter().position(|other| *other == target) {
            self.targets.remove(place);
            self.begun -= usize::from(place < self.begun);
        }
    }
}

fn is_missing(out: &Outgoing) -> bool {
    matches!(out.hold, Hold::Wanted { .. } | Hold::Taking { .. } | Hold::Asked { .. })
}
