//! A lock around an engine that is not made for several threads.

use core::cell::UnsafeCell;

use cairn_framework::abi::bias::Bias;
use cairn_framework::abi::job::{Job, THREAD_MULTIPLE};
use cairn_framework::abi::lock::Lock;
use cairn_framework::audit::LockLevel;

/// How the engines of a process lock.
#[derive(Debug, Clone, Copy)]
pub struct Locking {
    /// At all: the process has several threads.
    threaded: bool,
    /// The lock stays with a thread that takes it many times in a row.
    biased: bool,
}

impl Locking {
    /// As the job says.
    pub fn of(job: &Job) -> Self {
        Self { threaded: job.thread_level == THREAD_MULTIPLE, biased: job.lock_bias != 0 }
    }
}

/// An engine of which one thread at a time has the whole.
pub struct Guarded<T> {
    threaded: bool,
    lock: Lock,
    /// Of the thread that posts receives and matches messages, if it is one.
    bias: Bias,
    inner: UnsafeCell<T>,
}

// SAFETY: what is inside is touched under the lock, or by the only thread there is.
unsafe impl<T> Send for Guarded<T> {}
// SAFETY: see `Send`.
unsafe impl<T> Sync for Guarded<T> {}

impl<T> Guarded<T> {
    /// Around an engine. What the engine points to must be its own, or belong to the thread that has the
    /// engine.
    pub fn new(inner: T, Locking { threaded, biased }: Locking) -> Self {
        let bias = Bias::default();
        if !biased {
            bias.forbid();
        }
        Self { threaded, lock: Lock::new(), bias, inner: inner.into() }
    }

    /// Runs `work` on the engine, under the lock where there are threads. `work` must not come back
    /// to the same engine.
    #[inline(always)]
    pub fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        let _held = self.threaded.then(|| self.lock.guard_biased(&self.bias, LockLevel::SHARD));
        // SAFETY: the lock is held, or there is one thread and the engine calls
        // nothing that calls the engine.
        work(unsafe { &mut *self.inner.get() })
    }
}

/// In an `impl Match`: the engine is a [`Guarded`] `$queues`, and all functions but `engine_open` go
/// to it.
#[macro_export]
macro_rules! guarded {
    ($queues:ty) => {
        type Engine = $crate::Guarded<$queues>;

        #[inline]
        unsafe fn post(
            engine: &Self::Engine,
            posted: *mut $crate::MatchPosted,
        ) -> Option<*mut $crate::MatchArrived> {
            // SAFETY: promised by the caller.
            engine.with(|queues| unsafe { $crate::Queues::post(queues, posted) })
        }
        #[inline]
        unsafe fn arrive(
            engine: &Self::Engine,
            source: i32,
            tag: i32,
            keep: &mut dyn FnMut() -> Option<*mut $crate::MatchArrived>,
        ) -> Option<*mut $crate::MatchPosted> {
            // SAFETY: promised by the caller.
            engine.with(|queues| unsafe { $crate::Queues::arrive(queues, source, tag, keep) })
        }
        fn find(
            engine: &Self::Engine,
            source: i32,
            tag: i32,
            take: bool,
            look: &mut dyn FnMut(*mut $crate::MatchArrived),
        ) -> Option<*mut $crate::MatchArrived> {
            engine.with(|queues| $crate::Queues::find(queues, source, tag, take, look))
        }
        unsafe fn cancel(engine: &Self::Engine, posted: *mut $crate::MatchPosted) -> bool {
            // SAFETY: promised by the caller.
            engine.with(|queues| unsafe { $crate::Queues::cancel(queues, posted) })
        }
        fn drain(
            engine: &Self::Engine,
        ) -> (Option<*mut $crate::MatchPosted>, Option<*mut $crate::MatchArrived>) {
            engine.with($crate::Queues::drain)
        }
        fn counts(engine: &Self::Engine) -> $crate::MatchCounts {
            engine.with(|queues| $crate::Queues::tally(queues).counts())
        }
        fn describe(engine: &Self::Engine) -> String {
            engine.with($crate::Queues::describe)
        }
        fn withdraw(engine: &Self::Engine, source: i32) -> Option<*mut $crate::MatchPosted> {
            engine.with(|queues| $crate::Queues::withdraw_naming(queues, source))
        }
    };
}
