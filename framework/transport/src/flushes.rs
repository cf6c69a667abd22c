//! Flushes of a CRI whose writes end one by one.

use std::cell::{Cell, RefCell};

use cairn_framework::abi::status::{OK, Status};
use cairn_framework::frameworks::btl::Completion;

/// The writes of a CRI that are under way, and the flushes that wait for them. With the CRI's lock.
#[derive(Default)]
pub struct Flushes {
    waiters: RefCell<Vec<Waiter>>,
    writes: Cell<u32>,
    serial: Cell<u64>,
}

/// A flush that waits.
struct Waiter {
    /// For one peer, or for all.
    rank: Option<u32>,
    /// For writes with a lower number.
    before: u64,
    /// So many are under way.
    left: u32,
    status: Status,
    completion: Completion,
}

impl Flushes {
    /// The number of the next write.
    pub fn next(&self) -> u64 {
        self.serial.get()
    }

    /// The write with the next number is under way.
    pub fn began(&self) {
        self.serial.set(self.serial.get() + 1);
        self.writes.set(self.writes.get() + 1);
    }

    /// Writes that are under way.
    pub fn under_way(&self) -> u32 {
        self.writes.get()
    }

    /// Completes when the writes that are under way are over: `left` of them, to one rank or to all.
    pub fn wait(&self, rank: Option<u32>, left: u32, completion: Completion) {
        let before = self.serial.get();
        self.waiters.borrow_mut().push(Waiter { rank, before, left, status: OK, completion });
    }

    /// A write is over: of flushes that wait for it, those that wait for nothing else are, too. `silent` says that
    /// nobody is there any more to be told.
    pub fn over(&self, rank: u32, serial: u64, status: Status, silent: bool) {
        self.writes.set(self.writes.get() - 1);
        let mut over = Vec::new();
        {
            let mut waiters = self.waiters.borrow_mut();
            for waiter in waiters.iter_mut() {
                if serial < waiter.before && waiter.rank.is_none_or(|one| one == rank) {
                    waiter.left -= 1;
                    if status != OK {
                        waiter.status = status;
                    }
                }
            }
            while let Some(at) = waiters.iter().position(|waiter| waiter.left == 0) {
                over.push(waiters.remove(at));
            }
        }
        for waiter in over.into_iter().filter(|_| !silent) {
            waiter.completion.call(waiter.status);
        }
    }
}
