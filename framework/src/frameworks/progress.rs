//! **progress** — which thread runs the progress engine, and which CRIs (communication resource
//! instances) it polls.
//!
//! The engine is the host's: a list of pools and of callbacks, and a function that polls one
//! CRI. A component is a policy: given a thread that wants events to happen, it decides what
//! that thread polls in this pass. *Serial* lets one thread at a time do everything; *concurrent*
//! polls the thread's own CRI and then the others by try-lock (dissertation §5.3.4, algorithm
//! 4); *hybrid* polls the operation's own CRI and makes a global round after some of these polls have
//! not completed the operation (Zambre et al. §4.3). A component may have threads of its own that make passes when no other thread
//! does (`threads`, `background`).
//!
//! **Life.** Opened before anything else but `pmi`, since `threads` decides what the others find in
//! `job->thread_level`: `open` may not use the job.
//!
//! **Invariants** that every component keeps, because programs hang otherwise: whatever a waiting
//! thread waits for, it polls every CRI of every pool and every callback again and again as
//! long as nothing completes and no other thread does; a thread that leaves hands on whatever
//! ownership it has (`leave`); both programs of figure 9 of Zambre et al. end.
//!
//! **Threads and locks.** `run` is hot: any thread, any number at once, no lock held. It takes a
//! CRI's lock only through the engine, never waits for one that another thread holds, and
//! never calls itself (the host sees to that: a callback that asks for progress gets 0 events).

use super::contract;
use super::cri::CRI_NO_PEER;
use super::wait::WaitMeans;
use crate::abi::component::Instance;
use crate::abi::pool::{CriPool, CriSet};
use crate::abi::request::WaitSync;
use crate::abi::scope::{SCOPE_PROCESS, Scope};
use crate::abi::thread::Thread;
use crate::author::{self, Component};

/// [`ProgressAsk::attempts`]: a single pass, for which nothing waits (`MPI_Test`).
pub const PROGRESS_SINGLE: u32 = u32::MAX;

/// What [`ProgressOps::run`] returns instead of a number of events: other threads poll for this one,
/// which may sleep until its sync object is signalled or roused. Only if `ProgressAsk::sync` is not null.
pub const PROGRESS_BY_OTHERS: u32 = u32::MAX;

/// Pools of which a pass remembers the thread's own CRI; those of further ones are polled with the others.
const OWN_KEPT: usize = 8;

/// The engine, as the host lends it for one call.
#[repr(C)]
#[derive(Debug)]
pub struct ProgressEngine {
    /// Size of this struct in bytes, as the host has it.
    pub struct_size: u32,
    /// Pools at `pools`.
    pub pool_count: u32,
    /// The pools.
    pub pools: *const *mut CriPool,
    /// Polls CRI `cri` of pool `pool` if its lock is free: the number of events, or -1 when
    /// another thread is at it.
    pub poll_cri: unsafe extern "C" fn(engine: &ProgressEngine, pool: u32, cri: u32) -> i32,
    /// Calls the callbacks of one rate (`CAIRN_PROGRESS_EVERY_PASS` or `CAIRN_PROGRESS_SELDOM`)
    /// and returns the number of events.
    pub poll_callbacks: unsafe extern "C" fn(engine: &ProgressEngine, rate: u32) -> u32,
    /// The host's own.
    pub host_private: *const core::ffi::c_void,
}

/// Which thread wants progress, and for what.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct ProgressAsk {
    /// The calling thread. Never null.
    pub thread: *const Thread,
    /// What it waits with, or null: it only tests, or has begun to wait so recently that no thread could
    /// wake it yet.
    pub sync: *const WaitSync,
    /// Where the events of what it waits for can come from, or null when that is not known.
    pub cris: *const CriSet,
    /// Passes that this thread has made for the same wait, none of which has completed it; or
    /// `CAIRN_PROGRESS_SINGLE`.
    pub attempts: u32,
    /// Zero.
    pub reserved: u32,
}

/// A policy's functions.
#[repr(C)]
#[derive(Debug)]
pub struct ProgressOps {
    /// Size of this struct in bytes, as the author's header has it.
    pub struct_size: u32,
    /// Zero.
    pub reserved: u32,
    /// Makes one pass and returns the number of events, or `CAIRN_PROGRESS_BY_OTHERS`. Hot. Required.
    pub run: Option<
        unsafe extern "C" fn(
            instance: *mut Instance,
            engine: &ProgressEngine,
            ask: &ProgressAsk,
        ) -> u32,
    >,
    /// A thread is done waiting for `sync`, and what it owned goes to another waiter. Hot. Default:
    /// nothing.
    pub leave: Option<
        unsafe extern "C" fn(instance: *mut Instance, thread: &Thread, sync: *const WaitSync),
    >,
    /// The pools changed: recompute what depends on their number. Threads may be in `run` with the
    /// engine as it was before. Default: nothing.
    pub pools_changed:
        Option<unsafe extern "C" fn(instance: *mut Instance, engine: &ProgressEngine)>,
    /// How many threads the host makes for `background`. If there are any, the process
    /// is `CAIRN_THREAD_MULTIPLE` for all components, whatever its program asked for. Asked once,
    /// before transports open. Default: 0.
    pub threads: Option<unsafe extern "C" fn(instance: *mut Instance) -> u32>,
    /// Runs on a thread that the host made, from the end of the start-up on; it makes
    /// passes by the means and returns when `sync` is complete, which says that the process shuts
    /// down. Signals are blocked there. Default: returns.
    pub background:
        Option<unsafe extern "C" fn(instance: *mut Instance, sync: &WaitSync, means: &WaitMeans)>,
    /// With how many passes in a row without an event a wait may begin that do not name the waiter (`sync`
    /// null), which spares what comes soon the meeting at its completion word; passes with events come on
    /// top, up to fifteen times as many. Asked once, before transports open. Default: any number.
    pub anonymous_passes: Option<unsafe extern "C" fn(instance: *mut Instance) -> u32>,
}

impl ProgressEngine {
    /// The pools.
    pub fn pools(&self) -> &[&CriPool] {
        // SAFETY: the host lends that many pools for the call; a reference has a pointer's layout.
        unsafe { core::slice::from_raw_parts(self.pools.cast(), self.pool_count as usize) }
    }

    /// The pool at a place of the list, which is below `pool_count`.
    #[inline]
    fn pool(&self, number: u32) -> &CriPool {
        debug_assert!(number < self.pool_count);
        // SAFETY: the host lends that many pools for the call.
        unsafe { &**self.pools.add(number as usize) }
    }

    /// Polls one CRI if its lock is free: the number of events, or `None` when another thread
    /// is at it.
    #[inline]
    pub fn poll(&self, pool: u32, cri: u32) -> Option<u32> {
        // SAFETY: the host's function takes any numbers and checks them.
        u32::try_from(unsafe { (self.poll_cri)(self, pool, cri) }).ok()
    }

    /// Polls the CRIs of what the thread waits for, if they are known, else the thread's own in each pool;
    /// and all others only if these had nothing or with `everything`. Returns the number of events.
    #[inline]
    pub fn poll_outward(&self, ask: &ProgressAsk, everything: bool) -> u32 {
        if let Some(set) = ask.cris() {
            let events = self.poll_set(set);
            return if events > 0 && !everything { events } else { events + self.poll_rest(set) };
        }
        let mut own = [0; OWN_KEPT];
        let mut events = 0;
        for number in 0..self.pool_count.min(OWN_KEPT as u32) {
            let cri = ask.own_cri(self.pool(number));
            own[number as usize % OWN_KEPT] = cri;
            events += self.poll(number, cri).unwrap_or(0);
        }
        if events > 0 && !everything { events } else { events + self.poll_but(&own) }
    }

    /// Polls all CRIs but those with these indices in the first pools, in each pool from that on, so that
    /// threads do not all come along the same way. Returns the number of events.
    #[inline(never)]
    fn poll_but(&self, own: &[u32; OWN_KEPT]) -> u32 {
        let mut events = 0;
        for number in 0..self.pool_count {
            let (own, first) = own.get(number as usize).map_or((0, 0), |own| (*own, 1));
            let count = self.pool(number).count;
            for step in first..count {
                events += self.poll(number, (own + step) % count).unwrap_or(0);
            }
        }
        events
    }

    /// Polls the CRIs of what the thread waits for, if they are known, else the thread's own in each pool.
    /// Returns the number of events.
    #[inline]
    pub fn poll_first(&self, ask: &ProgressAsk) -> u32 {
        if let Some(set) = ask.cris() {
            return self.poll_set(set);
        }
        let pools = (0..).zip(self.pools());
        pools.map(|(number, pool)| self.poll(number, ask.own_cri(pool)).unwrap_or(0)).sum()
    }

    /// Polls the CRIs of a set.
    fn poll_set(&self, set: &CriSet) -> u32 {
        let mut events = 0;
        for (number, pool) in (0..).zip(self.pools()) {
            set.of(pool).for_each(|cri| events += self.poll(number, cri).unwrap_or(0));
        }
        events
    }

    /// Polls the CRIs that are not in a set, in each pool from those in the set on.
    fn poll_rest(&self, set: &CriSet) -> u32 {
        let mut events = 0;
        for (number, pool) in (0..).zip(self.pools()) {
            let start = set.of(pool).next().unwrap_or(0);
            let others = (start..pool.count).chain(0..start).filter(|cri| !set.has(pool, *cri));
            others.for_each(|cri| events += self.poll(number, cri).unwrap_or(0));
        }
        events
    }

    /// Polls every CRI of every pool. Returns the number of events.
    #[inline]
    pub fn poll_all(&self) -> u32 {
        let pools = (0..).zip(self.pools());
        let all = pools.flat_map(|(number, pool)| (0..pool.count).map(move |cri| (number, cri)));
        all.map(|(number, cri)| self.poll(number, cri).unwrap_or(0)).sum()
    }

    /// Calls the callbacks of one rate.
    #[inline]
    pub fn callbacks(&self, rate: u32) -> u32 {
        // SAFETY: the host's function takes any numbers.
        unsafe { (self.poll_callbacks)(self, rate) }
    }
}

/// The scope that is asked for when no communicator is concerned. It is never opened, so it is constant.
static PROCESS: Scope = Scope::new(SCOPE_PROCESS, 0, 1, c"process");

impl ProgressAsk {
    /// The number of the calling thread that is never used again.
    #[inline]
    pub fn thread_serial(&self) -> u64 {
        // SAFETY: the host sets it to the calling thread's record, which stays during the call.
        unsafe { (*self.thread).serial }
    }

    /// Where the events of what the thread waits for can come from, if that is known.
    #[inline]
    pub fn cris(&self) -> Option<&CriSet> {
        // SAFETY: null or a set that lives during the call.
        unsafe { self.cris.as_ref() }.filter(|set| !set.is_empty())
    }

    /// The CRI of `pool` that the calling thread polls first when it is not known where its events come
    /// from: as the pool's strategy says.
    #[inline]
    pub fn own_cri(&self, pool: &CriPool) -> u32 {
        pool.arrival(self.thread, &PROCESS, CRI_NO_PEER)
    }
}

/// A policy in Rust. Functions correspond to those of [`ProgressOps`].
pub trait Progress: Component {
    /// Makes one pass.
    fn run(&self, engine: &ProgressEngine, ask: &ProgressAsk) -> u32;
    /// A thread is done waiting.
    fn leave(&self, _thread: &Thread, _sync: *const WaitSync) {}
    /// The pools changed.
    fn pools_changed(&self, _engine: &ProgressEngine) {}
    /// Threads for `background`.
    fn threads(&self) -> u32 {
        0
    }
    /// Makes passes on a thread of its own until `sync` is complete.
    fn background(&self, _sync: &WaitSync, _means: &WaitMeans) {}
    /// With how many passes a wait may begin that do not name the waiter.
    fn anonymous_passes(&self) -> u32 {
        u32::MAX
    }
}

contract! {
    table: ProgressOps, from T: Progress,
    "progress", One, "which thread runs the progress engine";

    fn run(instance: *mut Instance, engine: &ProgressEngine, ask: &ProgressAsk) -> u32 = no_unwind {
        author::component::<T>(instance).run(engine, ask)
    }
    fn leave(instance: *mut Instance, thread: &Thread, sync: *const WaitSync) = no_unwind {
        author::component::<T>(instance).leave(thread, sync)
    } default {}
    fn pools_changed(instance: *mut Instance, engine: &ProgressEngine) = no_unwind {
        author::component::<T>(instance).pools_changed(engine)
    } default {}
    fn threads(instance: *mut Instance) -> u32 = no_unwind {
        author::component::<T>(instance).threads()
    } default { 0 }
    fn background(instance: *mut Instance, sync: &WaitSync, means: &WaitMeans) = no_unwind {
        author::component::<T>(instance).background(sync, means)
    } default {}
    fn anonymous_passes(instance: *mut Instance) -> u32 = no_unwind {
        author::component::<T>(instance).anonymous_passes()
    } default { u32::MAX }
}
