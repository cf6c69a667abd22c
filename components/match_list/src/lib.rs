//! List: a matching engine of linked lists by source.
//!
//! ```text
//!   post ──► arrived messages ─ by source ─┐        arrive ──► posted receives ─ by source ─┐
//!            (any source: all ─ in order ──┤                   and those of any source ─────┤
//!             of arrival)                  │                   (the one posted first wins)  │
//!                       none: put into the posted              none: kept among the arrived
//! ```
//!
//! Each receive names a source or any, so a search looks at one sender's entries and, for messages,
//! at the receives of any source (dissertation §2.3.3). Receives carry the number of their posting:
//! of two that match, the lower is the right one. A message is in two lists, its sender's and that
//! of all arrivals. Entries are embedded in the caller's memory; an engine allocates once, when it
//! opens.
//!
//! One lock an engine, which a single-threaded process does not take.

mod engine;

use cairn_framework::abi::comm::Comm;
use cairn_framework::abi::job::THREAD_MULTIPLE;
use cairn_framework::abi::lock::Lock;
use cairn_framework::abi::param::IntegerParam;
use cairn_framework::abi::scope::Scope;
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Registrar};
use cairn_framework::frameworks::matching::{Match, MatchArrived, MatchCounts, MatchPosted};

use engine::Lists;

/// Right for any communicator; engines that are better at some ask for more there.
const PRIORITY: i64 = 50;

struct List {
    priority: i32,
    threaded: bool,
}

/// The engine of one communicator.
pub struct Engine {
    threaded: bool,
    lock: Lock,
    lists: core::cell::UnsafeCell<Lists>,
}

// SAFETY: the lists are touched under the lock, or by the only thread there is.
unsafe impl Send for Engine {}
// SAFETY: see `Send`.
unsafe impl Sync for Engine {}

impl Engine {
    /// Runs `work` on the lists, under the lock where there are threads.
    #[inline(always)]
    fn with<R>(&self, work: impl FnOnce(&mut Lists) -> R) -> R {
        if self.threaded {
            self.acquire();
        }
        // SAFETY: nobody else has the lists: the lock is held, or there is one thread and the
        // engine calls nothing that calls the engine.
        let result = work(unsafe { &mut *self.lists.get() });
        if self.threaded {
            // SAFETY: taken above. A panic in between ends the process, as in every function of the
            // contract, so nobody waits for the lock then.
            unsafe { self.lock.unlock() };
        }
        result
    }

    /// A function of its own, so that a single thread does not pay for what it needs.
    #[inline(never)]
    fn acquire(&self) {
        self.lock.lock();
    }
}

impl Component for List {
    type Params = IntegerParam;

    fn register(registrar: &Registrar<'_>) -> Result<IntegerParam, Failure> {
        registrar.priority(PRIORITY)
    }

    fn open(host: HostHandle, priority: IntegerParam) -> Result<Self, Failure> {
        let threaded = host.job().thread_level == THREAD_MULTIPLE;
        Ok(Self { priority: priority.get() as i32, threaded })
    }

    fn query(&self, _scope: &Scope) -> Answer {
        Answer::Priority(self.priority)
    }
}

impl Match for List {
    type Engine = Engine;

    fn engine_open(&self, comm: &Comm) -> Result<Engine, Failure> {
        Ok(Engine {
            threaded: self.threaded,
            lock: Lock::new(),
            lists: Lists::new(comm.remote_size as usize)?.into(),
        })
    }

    #[inline]
    unsafe fn post(engine: &Engine, posted: *mut MatchPosted) -> Option<*mut MatchArrived> {
        // SAFETY: promised by the caller.
        engine.with(|lists| unsafe { lists.post(posted) })
    }

    #[inline]
    unsafe fn arrive(
        engine: &Engine,
        source: i32,
        tag: i32,
        keep: &mut dyn FnMut() -> Option<*mut MatchArrived>,
    ) -> Option<*mut MatchPosted> {
        // SAFETY: promised by the caller.
        engine.with(|lists| unsafe { lists.arrive(source, tag, keep) })
    }

    fn find(engine: &Engine, source: i32, tag: i32, take: bool) -> Option<*mut MatchArrived> {
        engine.with(|lists| lists.find(source, tag, take))
    }

    unsafe fn cancel(engine: &Engine, posted: *mut MatchPosted) -> bool {
        // SAFETY: promised by the caller.
        engine.with(|lists| unsafe { lists.cancel(posted) })
    }

    fn drain(engine: &Engine) -> (Option<*mut MatchPosted>, Option<*mut MatchArrived>) {
        engine.with(Lists::drain)
    }

    fn counts(engine: &Engine) -> MatchCounts {
        engine.with(|lists| lists.counts())
    }

    fn describe(engine: &Engine) -> String {
        engine.with(Lists::describe)
    }
}

cairn_framework::component! {
    framework: matching,
    component: List,
    name: "list",
    description: "linked lists by source, receives of any source apart",
}
