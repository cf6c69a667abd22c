//! The progress engine: the pools and callbacks of a process, and passes over them.
//!
//! The engine does; a `progress` component decides ([`crate::frameworks::progress`]). Until one is
//! selected every pass polls every instance that is free and calls every callback.
//!
//! **What is touched when.** A [`Snapshot`] lists the pools and callbacks and never changes; writers
//! publish a new one under `writer`. A pass loads the snapshot once, between the thread's
//! [`Presence::enter`] and `leave`; a writer that took something out waits until every pass that
//! may have seen it is over ([`grace`](super::grace)). Old snapshots are not freed: there are as
//! many as registrations in a process's life, a few dozen, and a pass may hold one.
//!
//! **One thread.** Where one thread at a time calls the library and no component decides, a pass goes over
//! a flat list of what there is to call. No other thread can be in a pass, so no removal waits for one,
//! and the pass needs no fence.

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering};

use crate::abi::lock::Mutex;

use super::threads::{self, Record};
use crate::abi::component::Instance;
use crate::abi::counter::CounterCell;
use crate::abi::host::{PROGRESS_EVERY_PASS, PROGRESS_SELDOM, ProgressFn};
use crate::abi::pool::{Cri, CriPool, CriSet};
use crate::abi::request::WaitSync;
use crate::abi::scope::Scope;
use crate::audit::{Counted, LockLevel};
use crate::author::CachePadded;
use crate::frameworks::cri::CRI_NO_PEER;
use crate::frameworks::progress::{
    PROGRESS_BY_OTHERS, PROGRESS_SINGLE, ProgressAsk, ProgressEngine, ProgressOps,
};

#[cfg(doc)]
use super::grace::Presence;

/// Without a component: passes between calls of the seldom callbacks.
const SELDOM: u32 = 64;

/// The only thread's pass ends with the first call that has events, so that a message is with its receiver
/// before anything else is polled. One of so many passes makes all calls whatever they find: a source with
/// steady traffic holds up the others no longer.
const ALL_CALLS: u32 = 16;

/// The engine of a process.
pub(crate) struct Engine {
    snapshot: &'static AtomicPtr<Snapshot>,
    writer: Mutex<()>,
    /// Whether several threads may make passes at a time; set before threads do.
    threaded: AtomicBool,
    passes: AtomicU32,
    /// The only thread is in a pass.
    inside: AtomicBool,
}

/// What a thread makes a pass for.
#[derive(Clone, Copy)]
pub(crate) struct Want<'a> {
    /// What it waits with, if others could wake it.
    pub sync: Option<&'a WaitSync>,
    /// Where the events of what it waits for can come from, if that is known.
    pub cris: Option<&'a CriSet>,
    /// Passes that it has made for it before, or `PROGRESS_SINGLE`.
    pub attempts: u32,
}

impl Want<'_> {
    /// Anything: nothing waits.
    pub const ANYTHING: Self = Self { sync: None, cris: None, attempts: PROGRESS_SINGLE };
}

/// What a pass works on.
struct Snapshot {
    /// For a pass of the only thread, without a policy: all instances and callbacks of every pass.
    alone: Option<Alone>,
    view: ProgressEngine,
    pools: Vec<*mut CriPool>,
    /// Of each pool.
    misses: Vec<&'static [Misses]>,
    callbacks: Vec<&'static Callback>,
    policy: Option<Policy>,
    threaded: bool,
    /// Where the engine keeps the snapshot that passes load.
    current: *const AtomicPtr<Snapshot>,
}

// SAFETY: pools and contexts are used under the rules their owners agreed to at registration.
unsafe impl Send for Snapshot {}
// SAFETY: see `Send`.
unsafe impl Sync for Snapshot {}

/// How often a pass found the lock of one instance taken and went on. Not on the lines of the instance:
/// threads that miss must not disturb the one that works on it.
pub(crate) type Misses = CachePadded<CounterCell>;

/// A pool, and what is counted for its instances.
type Pooled = (*mut CriPool, &'static [Misses]);

/// The component that decides.
#[derive(Clone, Copy)]
struct Policy {
    instance: *mut Instance,
    ops: &'static ProgressOps,
}

/// What the only thread works on.
struct Alone {
    /// The calls of a pass, twice: wherever a pass begins, its calls stand in a row.
    calls: &'static [Call],
    /// Where the next pass begins: at the call that had the last event. In the first half of `calls`.
    first: AtomicPtr<Call>,
    /// Where its passes are counted.
    record: &'static Record,
}

/// A call that every pass of the only thread makes.
#[derive(Clone, Copy)]
enum Call {
    Poll {
        function: unsafe extern "C" fn(module: *mut c_void, cri: *mut Cri) -> u32,
        module: *mut c_void,
        cri: *mut Cri,
    },
    Callback {
        function: ProgressFn,
        context: *mut c_void,
    },
}

impl Call {
    /// Makes the call; returns its events.
    ///
    /// # Safety
    /// In a pass, and what is called has not been taken out.
    #[inline(always)]
    unsafe fn make(&self) -> u32 {
        // SAFETY: the owner keeps function and context until it has taken them out.
        unsafe {
            match *self {
                Self::Poll { function, module, cri } => {
                    let count = function(module, cri);
                    (*cri).count_poll(count);
                    count
                }
                Self::Callback { function, context } => function(context),
            }
        }
    }
}

struct Callback {
    owner: usize,
    function: ProgressFn,
    context: *mut c_void,
    rate: u32,
}

// SAFETY: the owner of a callback vouches that it may be called with its context on any
// thread.
unsafe impl Sync for Callback {}

impl Engine {
    pub fn new() -> Self {
        // Leaked like the snapshots, whose `current` leads to it.
        let snapshot: &'static AtomicPtr<Snapshot> = Box::leak(Box::default());
        let first = Snapshot::new(Vec::new(), Vec::new(), None, false, snapshot);
        snapshot.store(Box::into_raw(first), Ordering::Release);
        Self {
            snapshot,
            writer: Mutex::at(LockLevel::TABLE, ()),
            threaded: AtomicBool::new(false),
            passes: AtomicU32::new(0),
            inside: AtomicBool::new(false),
        }
    }

    /// Says whether several threads may make passes at a time (`MPI_THREAD_MULTIPLE`).
    pub fn set_threaded(&self, threaded: bool) {
        self.threaded.store(threaded, Ordering::Relaxed);
        self.replace(|_, _, _| ());
    }

    fn current(&self) -> &Snapshot {
        // SAFETY: never null, never freed. Acquire pairs with the Release in `replace`.
        unsafe { &*self.snapshot.load(Ordering::Acquire) }
    }

    /// Publishes a changed snapshot.
    fn replace<R>(
        &self,
        change: impl FnOnce(&mut Vec<Pooled>, &mut Vec<&'static Callback>, &mut Option<Policy>) -> R,
    ) -> R {
        let _writer = self.writer.lock();
        let old = self.current();
        let mut callbacks = old.callbacks.clone();
        let pools = old.pools.iter().copied().zip(old.misses.iter().copied());
        let mut pools: Vec<Pooled> = pools.collect();
        let mut policy = old.policy;
        let result = change(&mut pools, &mut callbacks, &mut policy);
        let threaded = self.threaded.load(Ordering::Relaxed);
        let new = Snapshot::new(pools, callbacks, policy, threaded, self.snapshot);
        self.snapshot.store(Box::into_raw(new), Ordering::Release);
        result
    }

    /// Adds a callback.
    pub fn add(&self, owner: usize, function: ProgressFn, context: *mut c_void, rate: u32) {
        let callback: &'static Callback =
            Box::leak(Box::new(Callback { owner, function, context, rate }));
        self.replace(|_, callbacks, _| callbacks.push(callback));
    }

    /// Takes callbacks of an owner out, one or all, and waits until no other thread is in them.
    pub fn remove(&self, owner: usize, which: Option<(ProgressFn, *mut c_void)>) {
        let removed = self.replace(|_, callbacks, _| {
            let before = callbacks.len();
            callbacks.retain(|callback| {
                callback.owner != owner
                    || which.is_some_and(|(function, context)| {
                        !std::ptr::fn_addr_eq(callback.function, function)
                            || callback.context != context
                    })
            });
            before - callbacks.len()
        });
        if removed > 0 {
            self.settle();
        }
    }

    /// Adds a pool and tells the policy. Returns where misses of each of its instances are counted.
    pub fn add_pool(&self, pool: *mut CriPool) -> &'static [Misses] {
        // SAFETY: the owner of a pool vouches for it. Not freed, like the snapshots that know it.
        let count = unsafe { (*pool).count };
        let misses = Vec::leak((0..count).map(|_| Misses::default()).collect());
        self.replace(|pools, _, _| pools.push((pool, &*misses)));
        self.tell_policy();
        misses
    }

    /// Takes a pool out and waits until no other thread polls it.
    pub fn remove_pool(&self, pool: *mut CriPool) {
        self.replace(|pools, _, _| pools.retain(|(other, _)| *other != pool));
        self.settle();
        self.tell_policy();
    }

    /// Makes a component decide, or none. Waits until no pass asks the one before.
    pub fn set_policy(&self, policy: Option<(*mut Instance, &'static ProgressOps)>) {
        let new = policy.map(|(instance, ops)| Policy { instance, ops });
        self.replace(|_, _, policy| *policy = new);
        self.settle();
        self.tell_policy();
    }

    /// Waits until every other thread has left the pass that it may be in. A thread that is in a
    /// pass itself (a callback that takes itself out) is on its way out of everything but that
    /// callback: others must not wait for it, or two such threads would wait for each other.
    pub fn settle(&self) {
        if self.current().alone.is_some() {
            return;
        }
        let own = threads::current();
        let inside = own.presence.inside();
        if inside {
            own.presence.leave();
        }
        threads::wait_for_passes();
        if inside {
            own.presence.enter();
        }
    }

    fn tell_policy(&self) {
        let snapshot = self.current();
        if let Some(policy) = snapshot.policy {
            // SAFETY: the table is complete, and the policy stays open while it is set.
            unsafe {
                (policy.ops.pools_changed.unwrap_unchecked())(policy.instance, &snapshot.view);
            }
        }
    }

    /// Makes a pass. Returns the number of events, or `PROGRESS_BY_OTHERS` for a thread that has a sync
    /// object; 0 when the thread is in a pass already.
    #[inline(always)]
    pub fn run(&self, want: &Want<'_>) -> u32 {
        // Snapshots are never freed, so this needs no presence yet.
        let snapshot = self.current();
        match &snapshot.alone {
            Some(alone) => self.run_alone(snapshot, alone),
            None => self.run_among_others(want),
        }
    }

    /// Whether the calling thread is in a pass.
    pub fn inside(&self) -> bool {
        self.inside.load(Ordering::Relaxed) || threads::current().presence.inside()
    }

    /// A pass of the only thread, without a policy. Mostly it is a single call: of what had the last event.
    #[inline(always)]
    fn run_alone(&self, snapshot: &Snapshot, alone: &Alone) -> u32 {
        if self.inside.load(Ordering::Relaxed) {
            return 0;
        }
        self.inside.store(true, Ordering::Relaxed);
        let counts = &alone.record.counts;
        let passes = counts.passes.get();
        counts.passes.add(1);
        let mut events = 0;
        if !passes.is_multiple_of(ALL_CALLS.into()) {
            // SAFETY: one of `calls`; the owners keep what they registered until they have taken it out.
            events = unsafe { (*alone.first.load(Ordering::Relaxed)).make() };
        }
        if events == 0 {
            events = self.run_others(snapshot, alone, passes);
            counts.empty.add(u64::from(events == 0));
        }
        self.inside.store(false, Ordering::Relaxed);
        events
    }

    /// The rest of a pass whose first call had no events, or all of a pass of all calls.
    #[inline(never)]
    fn run_others(&self, snapshot: &Snapshot, alone: &Alone, passes: u64) -> u32 {
        let all_calls = passes.is_multiple_of(ALL_CALLS.into());
        let number = alone.calls.len() / 2;
        // SAFETY: one of `calls`.
        let first = unsafe {
            alone.first.load(Ordering::Relaxed).offset_from_unsigned(alone.calls.as_ptr())
        };
        let mut events = 0;
        for (place, call) in alone.calls[first..][..number].iter().enumerate() {
            if !all_calls && place == 0 {
                continue;
            }
            // What the last call took out may be gone, and what this snapshot lists with it.
            if !snapshot.is_current() {
                break;
            }
            // SAFETY: nothing was taken out since the snapshot was loaded; the owners keep the rest.
            let count = unsafe { call.make() };
            if count > 0 {
                events += count;
                let at = (first + place) % number;
                alone.first.store((&raw const alone.calls[at]).cast_mut(), Ordering::Relaxed);
                if !all_calls {
                    break;
                }
            }
        }
        if passes.is_multiple_of(SELDOM.into()) {
            // SAFETY: a view of a snapshot, in a pass.
            events += unsafe { poll_callbacks(&snapshot.view, PROGRESS_SELDOM) };
        }
        events
    }

    #[inline(never)]
    fn run_among_others(&self, want: &Want<'_>) -> u32 {
        let record: &'static Record = threads::current();
        if record.presence.inside() {
            return 0;
        }
        record.presence.enter();
        let snapshot = self.current();
        let events = match snapshot.policy {
            Some(policy) => {
                let ask = ProgressAsk {
                    thread: record.thread(),
                    sync: want.sync.map_or(std::ptr::null(), std::ptr::from_ref),
                    cris: want.cris.map_or(std::ptr::null(), std::ptr::from_ref),
                    attempts: want.attempts,
                    reserved: 0,
                };
                // SAFETY: the table is complete, and `set_policy` waits for passes.
                unsafe {
                    (policy.ops.run.unwrap_unchecked())(policy.instance, &snapshot.view, &ask)
                }
            }
            None => self.everything(snapshot),
        };
        record.presence.leave();
        record.counts.passes.add(1);
        record.counts.empty.add(u64::from(events == 0 || events == PROGRESS_BY_OTHERS));
        events
    }

    /// Does what is done in one pass of many, for a thread that makes few.
    #[cold]
    pub fn seldom(&self) {
        if self.inside() {
            return;
        }
        let snapshot = self.current();
        if snapshot.alone.is_some() {
            self.inside.store(true, Ordering::Relaxed);
            snapshot.view.callbacks(PROGRESS_SELDOM);
            self.inside.store(false, Ordering::Relaxed);
            return;
        }
        let presence = &threads::current().presence;
        presence.enter();
        self.current().view.callbacks(PROGRESS_SELDOM);
        presence.leave();
    }

    /// Adds to `cris` where messages of a scope arrive, over any pool; as `cris_of` of the host's table.
    pub fn cris_of(&self, scope: &Scope, cris: &mut CriSet) {
        let record = threads::current();
        // In a pass the pools of its snapshot are there, and outside of one those of this moment.
        let inside = record.presence.inside();
        if !inside {
            record.presence.enter();
        }
        for pool in self.current().view.pools() {
            cris.add(pool, pool.arrival(record.thread(), scope, CRI_NO_PEER));
        }
        if !inside {
            record.presence.leave();
        }
    }

    /// A thread is done waiting for `sync`: what it owned goes to another.
    pub fn leave(&self, sync: &WaitSync) {
        if self.current().policy.is_none() {
            return;
        }
        let record = threads::current();
        record.presence.enter();
        if let Some(policy) = self.current().policy {
            // SAFETY: the table is complete, and `set_policy` waits for passes that go on.
            unsafe {
                (policy.ops.leave.unwrap_unchecked())(policy.instance, record.thread(), sync);
            }
        }
        record.presence.leave();
    }

    /// A pass without a policy.
    fn everything(&self, snapshot: &Snapshot) -> u32 {
        let mut events = 0;
        for (i, pool) in snapshot.view.pools().iter().enumerate() {
            for cri in 0..pool.count {
                events += snapshot.view.poll(i as u32, cri).unwrap_or(0);
            }
        }
        events += snapshot.view.callbacks(PROGRESS_EVERY_PASS);
        if self.passes.rmw().fetch_add(1, Ordering::Relaxed).is_multiple_of(SELDOM) {
            events += snapshot.view.callbacks(PROGRESS_SELDOM);
        }
        events
    }
}

impl Snapshot {
    fn new(
        pools: Vec<Pooled>,
        callbacks: Vec<&'static Callback>,
        policy: Option<Policy>,
        threaded: bool,
        current: &'static AtomicPtr<Snapshot>,
    ) -> Box<Self> {
        let (pools, misses): (Vec<_>, Vec<_>) = pools.into_iter().unzip();
        let view = ProgressEngine {
            struct_size: size_of::<ProgressEngine>() as u32,
            pool_count: pools.len() as u32,
            pools: std::ptr::null(),
            poll_cri,
            poll_callbacks,
            host_private: std::ptr::null(),
        };
        let alone = (!threaded && policy.is_none()).then(|| {
            // Leaked like the snapshot: `first` leads into it.
            let calls: &'static [Call] = Box::leak(calls(&pools, &callbacks));
            let first = AtomicPtr::new(calls.as_ptr().cast_mut());
            Alone { calls, first, record: threads::current() }
        });
        let mut snapshot =
            Box::new(Self { alone, view, pools, misses, callbacks, policy, threaded, current });
        snapshot.view.pools = snapshot.pools.as_ptr();
        snapshot.view.host_private = (&raw const *snapshot).cast();
        snapshot
    }

    /// Whether nothing was added or removed since the pass loaded this snapshot. A pass stops when
    /// something was: a callback of it that took itself out has let others go on (see `settle`), so
    /// what this snapshot lists may be gone.
    #[inline]
    fn is_current(&self) -> bool {
        // SAFETY: leaked. Relaxed: what matters is a store of this very thread.
        std::ptr::eq(unsafe { &*self.current }.load(Ordering::Relaxed), self)
    }
}

/// What a pass of the only thread calls, twice. Never empty.
fn calls(pools: &[*mut CriPool], callbacks: &[&'static Callback]) -> Box<[Call]> {
    let polls = pools.iter().flat_map(|pool| {
        // SAFETY: the pool is there as long as it is in the list.
        let pool = unsafe { &**pool };
        let module = pool.module;
        pool.progress.into_iter().flat_map(move |function| {
            (0..pool.count).map(move |cri| {
                let cri = std::ptr::from_ref(pool.cri(cri)).cast_mut();
                Call::Poll { function, module, cri }
            })
        })
    });
    let callbacks = callbacks
        .iter()
        .filter(|callback| callback.rate == PROGRESS_EVERY_PASS)
        .map(|callback| Call::Callback { function: callback.function, context: callback.context });
    let mut calls: Vec<_> = polls.chain(callbacks).collect();
    if calls.is_empty() {
        // So that there is a first one.
        calls.push(Call::Callback { function: no_events, context: std::ptr::null_mut() });
    }
    calls.repeat(2).into()
}

unsafe extern "C" fn no_events(_: *mut c_void) -> u32 {
    0
}

/// # Safety
/// `engine` is the view of a snapshot, which is never freed.
unsafe fn snapshot_of(engine: &ProgressEngine) -> &Snapshot {
    // SAFETY: promised by the caller.
    unsafe { &*engine.host_private.cast::<Snapshot>() }
}

unsafe extern "C" fn poll_cri(engine: &ProgressEngine, pool: u32, cri: u32) -> i32 {
    // SAFETY: components pass the engine they were lent, during a pass, so the pools it names are
    // there.
    unsafe {
        let snapshot = snapshot_of(engine);
        if !snapshot.is_current() {
            return 0;
        }
        let place = pool as usize;
        let Some(&pool) = snapshot.pools.get(place) else { return 0 };
        let pool = &*pool;
        if cri >= pool.count {
            return 0;
        }
        let Some(progress) = pool.progress else { return 0 };
        let cri = pool.cri(cri);
        let raw = std::ptr::from_ref(cri).cast_mut();
        let poll = || {
            let events = progress(pool.module, raw);
            cri.count_poll(events);
            events
        };
        let events = if snapshot.threaded {
            let Some(_held) = cri.try_guard() else {
                snapshot.misses[place][cri.index as usize].add_shared(1);
                threads::current().counts.misses.add(1);
                return -1;
            };
            poll()
        } else {
            poll()
        };
        i32::try_from(events).unwrap_or(i32::MAX)
    }
}

unsafe extern "C" fn poll_callbacks(engine: &ProgressEngine, rate: u32) -> u32 {
    // SAFETY: as above.
    let snapshot = unsafe { snapshot_of(engine) };
    let mut events = 0;
    for callback in snapshot.callbacks.iter().filter(|callback| callback.rate == rate) {
        if !snapshot.is_current() {
            break;
        }
        // SAFETY: the owner keeps function and context until `remove` has waited for this pass.
        events += unsafe { (callback.function)(callback.context) };
    }
    events
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::*;
    use crate::abi::pool::Cri;

    unsafe extern "C" fn count(context: *mut c_void) -> u32 {
        // SAFETY: tests pass a counter.
        unsafe { (*context.cast::<AtomicU64>()).fetch_add(1, Ordering::Relaxed) };
        1
    }

    unsafe extern "C" fn poll(module: *mut c_void, cri: *mut Cri) -> u32 {
        // SAFETY: tests pass an array of counters, one for each instance.
        unsafe {
            (*module.cast::<AtomicU64>().add((*cri).index as usize))
                .fetch_add(1, Ordering::Relaxed);
        }
        1
    }

    fn cris(count: u32) -> Vec<Cri> {
        (0..count).map(Cri::new).collect()
    }

    fn pool(cris: &[Cri], polls: &[AtomicU64]) -> CriPool {
        CriPool {
            progress: Some(poll),
            module: polls.as_ptr().cast_mut().cast(),
            ..CriPool::of(c"test", cris)
        }
    }

    #[test]
    fn a_pass_polls_every_instance_and_callback() {
        let engine = Engine::new();
        let calls = [AtomicU64::new(0), AtomicU64::new(0)];
        let context = |i: usize| (&raw const calls[i]).cast_mut().cast();
        engine.add(1, count, context(0), PROGRESS_EVERY_PASS);
        engine.add(1, count, context(1), PROGRESS_SELDOM);
        let (cris, polls) = (cris(3), [const { AtomicU64::new(0) }; 3]);
        let mut pool = pool(&cris, &polls);
        let misses = engine.add_pool(&raw mut pool);
        for threaded in [false, true] {
            engine.set_threaded(threaded);
            for pass in 0..SELDOM {
                let all = threaded || pass.is_multiple_of(ALL_CALLS);
                let events = engine.run(&Want::ANYTHING);
                assert!(if all { events >= 4 } else { events == 1 }, "{pass}: {events}");
            }
        }
        // Of the passes of one thread one makes all calls, and the others that of the last event.
        let polled = |at: usize| polls[at].load(Ordering::Relaxed);
        let alone = SELDOM / ALL_CALLS;
        let sum = calls[0].load(Ordering::Relaxed) + (0..3).map(polled).sum::<u64>();
        assert_eq!(sum, u64::from(4 * SELDOM + 4 * alone + (SELDOM - alone)));
        assert!((0..3).all(|at| polled(at) >= u64::from(SELDOM + alone)));
        assert_eq!(calls[1].load(Ordering::Relaxed), 2);

        // An instance that another thread holds is left out; the others are not.
        let before = [0, 1, 2].map(polled);
        let held = cris[1].guard();
        engine.run(&Want::ANYTHING);
        drop(held);
        assert_eq!([0, 1, 2].map(polled), [before[0] + 1, before[1], before[2] + 1]);
        let missed: Vec<u64> = misses.iter().map(|cell| cell.get()).collect();
        assert_eq!(missed, [0, 1, 0]);
        for (cri, polls) in cris.iter().zip(&polls) {
            let counted = [cri.polls.get(), cri.hits.get()];
            assert_eq!(counted, [polls.load(Ordering::Relaxed); 2]);
        }

        engine.remove(1, Some((count, context(0))));
        engine.remove_pool(&raw mut pool);
        assert_eq!(engine.run(&Want::ANYTHING), 0);
    }

    #[test]
    fn passes_do_not_nest_and_callbacks_remove_themselves() {
        struct Nest {
            engine: Engine,
            inner: AtomicU64,
            calls: AtomicU64,
        }
        unsafe extern "C" fn nest(context: *mut c_void) -> u32 {
            // SAFETY: the test passes this type.
            let this = unsafe { &*context.cast::<Nest>() };
            this.inner.fetch_add(u64::from(this.engine.run(&Want::ANYTHING)), Ordering::Relaxed);
            this.engine.remove(1, Some((nest, context)));
            this.calls.fetch_add(1, Ordering::Relaxed);
            1
        }
        let this =
            Nest { engine: Engine::new(), inner: AtomicU64::new(0), calls: AtomicU64::new(0) };
        this.engine.set_threaded(true);
        this.engine.add(1, nest, (&raw const this).cast_mut().cast(), PROGRESS_EVERY_PASS);
        assert_eq!(this.engine.run(&Want::ANYTHING), 1);
        assert_eq!(this.engine.run(&Want::ANYTHING), 0);
        assert_eq!(this.inner.into_inner(), 0);
        assert_eq!(this.calls.into_inner(), 1);
    }

    /// Callbacks come and go while threads make passes; nothing is called after `remove` returned.
    #[test]
    fn nothing_is_called_after_it_was_removed() {
        unsafe extern "C" fn alive(context: *mut c_void) -> u32 {
            // SAFETY: the test keeps the words until all threads have ended.
            let word = unsafe { &*context.cast::<AtomicU64>() };
            assert_eq!(word.load(Ordering::Relaxed), 1, "called after it was removed");
            1
        }
        let engine = Engine::new();
        engine.set_threaded(true);
        let words: Vec<AtomicU64> = (0..200).map(|_| AtomicU64::new(1)).collect();
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    while !stop.load(Ordering::Relaxed) {
                        engine.run(&Want::ANYTHING);
                    }
                });
            }
            for word in &words {
                let context = (&raw const *word).cast_mut().cast();
                engine.add(1, alive, context, PROGRESS_EVERY_PASS);
                std::thread::yield_now();
                engine.remove(1, Some((alive, context)));
                word.store(0, Ordering::Relaxed);
            }
            stop.store(true, Ordering::Relaxed);
        });
    }
}
