//! Communicators that come and go leave no memory behind, in jobs of many processes.

mod pair;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicIsize, Ordering};

use pair::Job;

/// Bytes that are allocated.
static BYTES: AtomicIsize = AtomicIsize::new(0);

struct Counting;

// SAFETY: the system's allocator, which keeps its contract.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        BYTES.fetch_add(layout.size() as isize, Ordering::Relaxed);
        // SAFETY: promised by the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        BYTES.fetch_sub(layout.size() as isize, Ordering::Relaxed);
        // SAFETY: promised by the caller.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// 100,000 communicators of 1,024 processes, of makers in turn, at each level of thread support.
#[test]
fn communicators_leave_no_memory_behind() {
    const RANKS: u32 = 1024;
    for threaded in [false, true] {
        let job = Job::alone(RANKS, threaded);
        let rank = &job.ranks[0];
        let all: Vec<u32> = (0..RANKS).collect();
        let comm = rank.comm(0, 0, 0, &all);
        let pairs = |numbers: std::ops::Range<u64>| {
            for number in numbers {
                rank.renew_of(comm, number as u32 % RANKS, number / u64::from(RANKS));
                rank.open(comm);
                rank.close(comm);
            }
        };
        // Until every maker was met.
        pairs(0..4 * u64::from(RANKS));
        let before = BYTES.load(Ordering::Relaxed);
        pairs(4 * u64::from(RANKS)..100_000);
        assert_eq!(BYTES.load(Ordering::Relaxed) - before, 0, "threads: {threaded}");
        job.end(vec![]);
    }
}
