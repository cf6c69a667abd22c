//! What a reader has asked owners for, and the refusals that it has got.
//!
//! ```text
//!   reader   open ─ ─ order ─ ─►   owner: serves it, or keeps a refusal until the ring has room
//!            refused  ◄─ ─ refusal ─ ─
//!            close                 when the transfer is over
//! ```
//!
//! **Nothing grows with what a peer sends.** A reader keeps no more than [`MOST_ORDERS`] orders to a process
//! open, and begins a further get when one of them is closed. So an owner that finds more than [`MOST_KEPT`]
//! orders of one process unfinished has a peer that does not keep to that: its ring is not read any more,
//! as after any other breach of the protocol. And a reader takes a refusal only for an order of its own
//! that is open, once; any other is a late one or a lie, and forgotten.

use std::sync::atomic::{AtomicU32, Ordering};

use cairn_framework::audit::LockLevel;
use cairn_framework::author::Mutex;

/// Orders of one process to another that are open at the same time.
pub const MOST_ORDERS: usize = 64;
/// Orders of one process that one CRI of an owner has not finished: served, or refused without the
/// refusal being sent. Several times as many as may be open, since a reader may be over with a transfer
/// before its owner is.
pub const MOST_KEPT: usize = 4 * MOST_ORDERS;

/// The owner does not take part. Travels in a message of its own.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refusal {
    /// The reader's number of the order; its CRI above bit 16.
    pub id: u32,
    pub status: i32,
}

/// Our orders to one peer that are open. Any thread.
pub struct Orders(Mutex<Vec<u32>>);

impl Default for Orders {
    fn default() -> Self {
        // A refusal is kept while its order is open.
        Self(Mutex::at(LockLevel::TABLE, Vec::new()))
    }
}

impl Orders {
    /// Whether no further one can be opened now.
    pub fn is_full(&self) -> bool {
        self.0.lock().len() >= MOST_ORDERS
    }

    /// Opens an order with this number; false when there are too many, or one with the number.
    pub fn open(&self, id: u32) -> bool {
        let mut open = self.0.lock();
        let can = open.len() < MOST_ORDERS && !open.contains(&id);
        if can {
            open.push(id);
        }
        can
    }

    /// The transfer of `rank` with this number is over, whether it was refused or not.
    pub fn close(&self, refused: &Refused, rank: u32, id: u32) {
        if !self.take(id) {
            refused.forget(|of, refusal| of == rank && refusal.id == id);
        }
    }

    /// A refusal has arrived from `rank`, the peer of these orders.
    pub fn refuse(&self, refused: &Refused, rank: u32, refusal: Refusal) {
        // With the lock, so that `close` finds the order in one place or the other.
        let mut open = self.0.lock();
        if let Some(place) = open.iter().position(|id| *id == refusal.id) {
            open.swap_remove(place);
            refused.add(rank, refusal);
        }
    }

    fn take(&self, id: u32) -> bool {
        let mut open = self.0.lock();
        let place = open.iter().position(|other| *other == id);
        place.map(|place| open.swap_remove(place)).is_some()
    }
}

/// Refusals of orders of ours, until the CRI that has the transfer sees them. Any thread.
#[derive(Default)]
pub struct Refused {
    count: AtomicU32,
    list: Mutex<Vec<(u32, Refusal)>>,
}

impl Refused {
    fn add(&self, rank: u32, refusal: Refusal) {
        let mut list = self.list.lock();
        list.push((rank, refusal));
        self.counted(&list);
    }

    /// Release pairs with the Acquire in `is_empty`.
    fn counted(&self, list: &[(u32, Refusal)]) {
        self.count.store(list.len() as u32, Ordering::Release);
    }

    /// Whether there are none. Hot.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.count.load(Ordering::Acquire) == 0
    }

    /// Takes those for a CRI, with the ranks that sent them.
    pub fn take(&self, instance: u32) -> Vec<(u32, Refusal)> {
        let mut list = self.list.lock();
        let taken = list.extract_if(.., |(_, refusal)| refusal.id >> 16 == instance).collect();
        self.counted(&list);
        taken
    }

    /// Forgets those that it is so for.
    pub fn forget(&self, is_so: impl Fn(u32, Refusal) -> bool) {
        if self.is_empty() {
            return;
        }
        let mut list = self.list.lock();
        list.retain(|(rank, refusal)| !is_so(*rank, *refusal));
        self.counted(&list);
    }

    /// How many there are.
    #[cfg(all(test, not(feature = "loom")))]
    pub fn len(&self) -> usize {
        self.list.lock().len()
    }
}

#[cfg(all(test, not(feature = "loom")))]
mod tests {
    use super::*;

    const FIRST: Refusal = Refusal { id: 1 << 16 | 5, status: -1 };
    const SECOND: Refusal = Refusal { id: 2 << 16 | 5, status: -2 };

    #[test]
    fn an_order_is_refused_once_and_only_while_it_is_open() {
        let (orders, refused) = (Orders::default(), Refused::default());
        orders.refuse(&refused, 3, FIRST);
        assert!(refused.is_empty(), "nothing is open");
        assert!(orders.open(FIRST.id) && orders.open(SECOND.id) && !orders.open(FIRST.id));
        for refusal in [FIRST, SECOND, FIRST] {
            orders.refuse(&refused, 3, refusal);
        }
        assert_eq!(refused.len(), 2);
        assert_eq!(refused.take(1), [(3, FIRST)]);
        assert!(refused.take(1).is_empty() && !refused.is_empty());
        orders.close(&refused, 3, FIRST.id);
        // One that its CRI has not seen goes with the transfer; those of others stay.
        orders.close(&refused, 4, SECOND.id);
        assert!(!refused.is_empty());
        orders.close(&refused, 3, SECOND.id);
        assert!(refused.is_empty());
        // Too late.
        assert!(orders.open(FIRST.id));
        orders.close(&refused, 3, FIRST.id);
        orders.refuse(&refused, 3, FIRST);
        assert!(refused.is_empty());
    }

    #[test]
    fn a_reader_does_not_open_too_many() {
        let (orders, refused) = (Orders::default(), Refused::default());
        for round in 0..3 {
            let opened = (0..1000).filter(|id| orders.open(*id)).count();
            assert_eq!((opened, orders.is_full()), (MOST_ORDERS, true), "in round {round}");
            (0..1000).for_each(|id| orders.close(&refused, 0, id));
        }
    }
}
