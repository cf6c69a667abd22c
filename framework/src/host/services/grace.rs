//! Waiting until what was taken away is not in use any more.
//!
//! Readers go through a list that writers replace. A writer that took an entry out must not let its
//! owner free it while a reader that saw the old list is still at it. Counting readers would make
//! all of them write to one line; instead each thread has a word of its own, odd while it reads:
//!
//! ```text
//!   reader   word.store(odd)   fence   list.load()  ..use..   word.store(even)
//!   writer   list.store(new)   fence   for each word: if odd, wait until it changes
//! ```
//!
//! Both fences are sequentially consistent, so one comes first. If the reader's does, the writer's
//! look at the word sees that it is odd (or that the reader has left since), and the writer waits;
//! if the writer's does, the reader's load sees the new list. A reader that begins anew changes its
//! word, so a writer never waits for more than the passes that were under way (the quiescent-state
//! argument of RCU, with a thread's pass as the read-side section).

use crate::own::{AtomicU64, Ordering, fence, yield_now};

/// A thread's word. Written by its thread only; read by writers.
#[derive(Debug, Default)]
pub(crate) struct Presence(AtomicU64);

impl Presence {
    /// Begins to read. The list must be loaded (Acquire) after this.
    #[inline]
    pub fn enter(&self) {
        let word = self.0.load(Ordering::Relaxed);
        debug_assert!(word.is_multiple_of(2), "entered twice");
        self.0.store(word + 1, Ordering::Relaxed);
        fence(Ordering::SeqCst);
    }

    /// Ends reading.
    #[inline]
    pub fn leave(&self) {
        let word = self.0.load(Ordering::Relaxed);
        debug_assert!(!word.is_multiple_of(2), "left twice");
        // Release pairs with the Acquire in `wait_until_left`.
        self.0.store(word + 1, Ordering::Release);
    }

    /// Whether its thread is reading now. Exact on that thread.
    #[inline]
    pub fn inside(&self) -> bool {
        !self.0.load(Ordering::Relaxed).is_multiple_of(2)
    }

    /// Waits until a reading that may have begun before the caller's store of the new list is over.
    /// Between that store and the first of these calls there must be a [`writers_fence`].
    pub fn wait_until_left(&self) {
        // Acquire: what a reader that has left did happened before what follows here.
        let seen = self.0.load(Ordering::Acquire);
        if seen.is_multiple_of(2) {
            return;
        }
        while self.0.load(Ordering::Acquire) == seen {
            yield_now();
        }
    }
}

/// The writer's side of the argument above: after the store of the new list, before the looks at the
/// words.
pub(crate) fn writers_fence() {
    fence(Ordering::SeqCst);
}

#[cfg(all(test, feature = "loom"))]
mod model {
    use loom::sync::Arc;
    use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use super::{Presence, writers_fence};

    /// A reader that finds the entry in the list finds it alive, however the threads interleave.
    #[test]
    fn model_nothing_is_used_after_the_wait() {
        loom::model(|| {
            let shared = Arc::new((
                Presence::default(),
                AtomicUsize::new(1),   // the list: 1 holds the entry, 0 does not
                AtomicBool::new(true), // the entry is alive
            ));
            let reader = {
                let shared = Arc::clone(&shared);
                loom::thread::spawn(move || {
                    let (presence, list, alive) = &*shared;
                    for _ in 0..2 {
                        presence.enter();
                        if list.load(Ordering::Acquire) == 1 {
                            assert!(alive.load(Ordering::Relaxed), "used after it was freed");
                        }
                        presence.leave();
                    }
                })
            };
            let (presence, list, alive) = &*shared;
            list.store(0, Ordering::Release);
            writers_fence();
            presence.wait_until_left();
            alive.store(false, Ordering::Relaxed);
            reader.join().unwrap();
        });
    }
}
