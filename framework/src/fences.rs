//! Memory barriers of which one side costs nothing, and what [`Bias`](crate::abi::bias::Bias) is checked
//! with.
//!
//! A thread that does something very often, A, and one that does something very rarely, B, each store a
//! word and then load the other's; one of them has to see the other. Instead of a barrier on both sides
//! A has [`light`], which only keeps the compiler from changing the order, and B has [`heavy`], which
//! makes the kernel put a barrier into every running thread of the process. This is the asymmetric Dekker
//! synchronization of Dice, Huang and Yang (2001), with `membarrier(2)` for the remote barrier.

pub(crate) use crate::own::{AtomicU32, AtomicUsize, Ordering, fence};

#[cfg(not(all(feature = "loom", test)))]
pub(crate) use real::*;

#[cfg(not(all(feature = "loom", test)))]
mod real {
    use core::sync::atomic::{AtomicU32, Ordering, compiler_fence};

    use crate::sys;
    pub(crate) use crate::sys::mark;

    /// The side that is often there.
    #[inline(always)]
    pub(crate) fn light() {
        compiler_fence(Ordering::SeqCst);
    }

    /// The side that is rarely there. Some microseconds.
    ///
    /// # Panics
    /// When the kernel refuses what it has granted to [`ready`].
    pub(crate) fn heavy() {
        assert!(sys::membarrier(), "the kernel has no membarrier any more");
    }

    /// Whether `heavy` can be had; asks the kernel once.
    pub(crate) fn ready() -> bool {
        const UNKNOWN: u32 = 0;
        const YES: u32 = 1;
        const NO: u32 = 2;
        static READY: AtomicU32 = AtomicU32::new(UNKNOWN);
        if READY.load(Ordering::Relaxed) == UNKNOWN {
            READY.store(if sys::register_membarrier() { YES } else { NO }, Ordering::Relaxed);
        }
        READY.load(Ordering::Relaxed) == YES
    }

    /// Waits a little, for the `turn`th time: after some turns for a thread that has no processor.
    pub(crate) fn pause(turn: u32) {
        if turn < 100 { core::hint::spin_loop() } else { std::thread::yield_now() }
    }
}

#[cfg(all(feature = "loom", test))]
pub(crate) use model::*;

/// The same for the model checker, which knows neither compilers nor the kernel's barrier.
#[cfg(all(feature = "loom", test))]
mod model {
    use super::Ordering;

    // No two threads have the same, as the memory of one that has ended would be: that they are in order
    // then is the C library's word, which the checker does not know.
    static NEXT: core::sync::atomic::AtomicUsize = core::sync::atomic::AtomicUsize::new(1);
    loom::thread_local! {
        static MARK: usize = NEXT.fetch_add(1, core::sync::atomic::Ordering::Relaxed);
    }

    pub(crate) fn light() {
        loom::sync::atomic::fence(Ordering::SeqCst);
    }

    pub(crate) fn heavy() {
        loom::sync::atomic::fence(Ordering::SeqCst);
    }

    pub(crate) fn ready() -> bool {
        true
    }

    pub(crate) fn pause(_: u32) {
        loom::thread::yield_now();
    }

    pub(crate) fn mark() -> usize {
        MARK.with(|mark| *mark)
    }
}
