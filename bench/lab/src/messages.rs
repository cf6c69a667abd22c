//! How many messages this program has sent, so that what the whole run costs can be told for each.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

/// Of threads that have said theirs.
static ALL: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// Of this thread since it said its number. Not shared, because counting must cost nothing.
    static OWN: Cell<u64> = const { Cell::new(0) };
}

/// This thread starts a message, or a one-sided operation.
#[inline]
pub(crate) fn one() {
    OWN.set(OWN.get() + 1);
}

/// This thread has come to an end of its messages.
pub(crate) fn say() {
    ALL.fetch_add(OWN.take(), Ordering::Relaxed);
}

/// Of all threads that have said theirs.
pub(crate) fn said() -> u64 {
    ALL.load(Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_add_up() {
        let before = said();
        let team = || {
            one();
            one();
            say();
            // Said once.
            say();
        };
        std::thread::scope(|scope| (0..3).for_each(|_| drop(scope.spawn(team))));
        assert_eq!(said() - before, 6);
    }
}
