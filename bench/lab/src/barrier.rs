//! A barrier of threads for the middle of a measurement.

use std::hint;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Looks at the barrier before a thread gives its core to others.
const SPINS: usize = 200;

/// Waits for all threads of a group without sleeping, so that it costs little between threads that
/// run, and gives the core away so that it works with more threads than cores. Where nothing is
/// timed, [`crate::Worker::threads_barrier`] is better.
pub struct SpinBarrier {
    threads: usize,
    /// How many have arrived. Written by all.
    arrived: AtomicUsize,
    /// Counts passages; the last to arrive writes it.
    passages: AtomicUsize,
}

impl SpinBarrier {
    /// For so many threads.
    pub fn new(threads: usize) -> SpinBarrier {
        SpinBarrier { threads, arrived: AtomicUsize::new(0), passages: AtomicUsize::new(0) }
    }

    /// Returns when all threads have called it. What they did before is seen by all after.
    #[inline]
    pub fn wait(&self) {
        if self.threads == 1 {
            return;
        }
        // Cannot change before this thread arrives.
        let passage = self.passages.load(Ordering::Relaxed);
        // Releases what this thread did to the last one, which acquires it from all.
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.threads {
            // Seen by all with the new passage.
            self.arrived.store(0, Ordering::Relaxed);
            self.passages.store(passage.wrapping_add(1), Ordering::Release);
            return;
        }
        let mut spins = 0;
        // Acquires the release of the last one.
        while self.passages.load(Ordering::Acquire) == passage {
            if spins < SPINS {
                spins += 1;
                hint::spin_loop();
            } else {
                thread::yield_now();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_a_passage_ahead() {
        const THREADS: usize = 5;
        let barrier = SpinBarrier::new(THREADS);
        let arrived: Vec<_> = (0..THREADS).map(|_| AtomicUsize::new(0)).collect();
        thread::scope(|scope| {
            for mine in &arrived {
                scope.spawn(|| {
                    for passage in 1..=1000 {
                        mine.store(passage, Ordering::Relaxed);
                        barrier.wait();
                        let least = arrived.iter().map(|other| other.load(Ordering::Relaxed));
                        assert_eq!(least.min(), Some(passage));
                        barrier.wait();
                    }
                });
            }
        });
    }
}
