//! Communication resource instances and the pools that a transport gives the framework.
//!
//! A communication resource instance (CRI; dissertation §5.3.1, the VCI of Zambre et al. §4.2)
//! is everything one thread needs to talk to a device without meeting another thread: a lock, a
//! context, a completion queue, caches and counters. A transport makes as many as it was asked
//! for and as the device has; a `cri` strategy says which one an operation uses, a `progress`
//! component says which ones a thread polls.

use core::ffi::{CStr, c_char, c_void};

use super::bias::Bias;
use super::counter::CounterCell;
use super::cri::{CRI_ANYWHERE, CRI_PROGRESS, CriAsker, CriOps};
use super::lock::{BiasedGuard, Lock};
use super::scope::Scope;
use super::thread::Thread;
use crate::audit::LockLevel;

/// Bytes that keep two writers off each other's cache lines: two lines of 64, because processors
/// prefetch lines in pairs.
pub const CACHE_LINE_PAIR: usize = 128;

/// The head of one CRI. The transport's own part lies behind it, at most [`CriPool::stride`]
/// bytes in all, or behind `context`.
#[repr(C, align(128))]
#[derive(Debug)]
pub struct Cri {
    /// Held while a function of the transport works on this CRI, unless the process is
    /// single-threaded. It has a bias: C code takes it by the host's `cri_acquire` and
    /// `cri_try`.
    pub lock: Lock,
    /// Its place in the pool, from 0.
    pub index: u32,
    /// The transport's own.
    pub context: *mut c_void,
    /// How often a thread had to wait for the lock. Counted by its holder; the host sets
    /// it to zero in `pool_add`.
    pub waits: CounterCell,
    /// The bias of the lock; the host makes it in `pool_add`.
    pub bias: Bias,
    /// How often it was polled. Counted by the host with the lock held.
    pub polls: CounterCell,
    /// How often that brought an event.
    pub hits: CounterCell,
}

/// The CRIs of one device. Made by a transport, handed to the host's `pool_add`.
///
/// The fields up to `module` are the transport's and constant; those behind are the host's.
#[repr(C)]
#[derive(Debug)]
pub struct CriPool {
    /// Size of this struct in bytes, as the author's header has it.
    pub struct_size: u32,
    /// CRIs in it, at least 1.
    pub count: u32,
    /// The device, for reports: `btl_sm`, `btl_tcp/eth0`.
    pub name: *const c_char,
    /// The first CRI; the others follow every `stride` bytes. Aligned to 128 bytes.
    pub instances: *mut Cri,
    /// Bytes from one CRI to the next, a multiple of 128.
    pub stride: usize,
    /// Polls one CRI and returns how many events it handled.
    ///
    /// Called by any thread, with the CRI's lock held unless the process is single-threaded.
    /// It may call receive callbacks and completions, which may send, but never polls again.
    pub progress: Option<unsafe extern "C" fn(module: *mut c_void, cri: *mut Cri) -> u32>,
    /// Passed to `progress`.
    pub module: *mut c_void,
    /// Set by `pool_add`: the strategy that assigns the CRIs.
    pub strategy: *const CriOps,
    /// Set by the strategy's `attach`; the strategy's own.
    pub strategy_state: *mut c_void,
    /// Set by `pool_add`: the number of the pool in the process.
    pub id: u32,
    /// Set by `pool_add`: 1 when the strategy says where messages arrive, else 0.
    pub arrivals: u32,
}

/// Words of a [`CriSet`].
pub const CRI_SET_WORDS: usize = 8;

/// CRIs of any pools: those that the events of an operation can come from (Zambre et al. §4.3 keep one in
/// each request). A hint that says where to look first: the number of a pool counts modulo 8 and the index
/// of a CRI modulo 64, so a set may have a few CRIs more in it than were put in, never fewer.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CriSet {
    /// For the pool with [`CriPool::id`] `p`, CRI `c` is bit `c % 64` of word `p % 8`.
    pub words: [u64; CRI_SET_WORDS],
}

impl CriSet {
    /// Puts a CRI of a pool in.
    #[inline]
    pub fn add(&mut self, pool: &CriPool, cri: u32) {
        self.words[pool.id as usize % CRI_SET_WORDS] |= 1 << (cri % u64::BITS);
    }

    /// Puts everything in that another set has.
    #[inline]
    pub fn join(&mut self, other: &Self) {
        self.words.iter_mut().zip(other.words).for_each(|(word, more)| *word |= more);
    }

    /// Whether a CRI of a pool is in it.
    #[inline]
    pub fn has(&self, pool: &CriPool, cri: u32) -> bool {
        self.words[pool.id as usize % CRI_SET_WORDS] & (1 << (cri % u64::BITS)) != 0
    }

    /// The CRIs of a pool that are in it.
    #[inline]
    pub fn of(&self, pool: &CriPool) -> impl Iterator<Item = u32> + use<> {
        let mut bits = self.words[pool.id as usize % CRI_SET_WORDS];
        let count = pool.count;
        let firsts = core::iter::from_fn(move || {
            let first = bits.trailing_zeros();
            bits &= bits.wrapping_sub(1);
            (first < u64::BITS).then_some(first)
        });
        firsts.flat_map(move |first| (first..count).step_by(u64::BITS as usize))
    }

    /// Whether nothing is in it, so that it says nothing.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.words == [0; CRI_SET_WORDS]
    }
}

// SAFETY: the pool is constant once `pool_add` has returned, and each CRI carries its lock.
unsafe impl Sync for CriPool {}
// SAFETY: see `Sync`.
unsafe impl Send for CriPool {}
// SAFETY: everything but the lock is constant or protected by it.
unsafe impl Sync for Cri {}
// SAFETY: see `Sync`.
unsafe impl Send for Cri {}

impl Cri {
    /// A free one with this place in its pool, and nothing of the transport's own.
    pub fn new(index: u32) -> Self {
        Self {
            lock: Lock::new(),
            index,
            context: core::ptr::null_mut(),
            waits: CounterCell::new(),
            bias: Bias::default(),
            polls: CounterCell::new(),
            hits: CounterCell::new(),
        }
    }

    /// Counts a poll and whether it brought events. By the host, with the lock held.
    #[cfg(feature = "host")]
    #[inline(always)]
    pub(crate) fn count_poll(&self, events: u32) {
        self.polls.add(1);
        if events > 0 {
            self.hits.add(1);
        }
    }

    /// Takes the lock until the guard is dropped.
    #[inline(always)]
    pub fn guard(&self) -> BiasedGuard<'_> {
        let guard = self.lock.guard_biased(&self.bias, LockLevel::CRI);
        if guard.waited {
            self.waits.add(1);
        }
        guard
    }

    /// Takes the lock, if it is free, until the guard is dropped. If another thread has its bias, only
    /// now and then.
    #[inline(always)]
    pub fn try_guard(&self) -> Option<BiasedGuard<'_>> {
        self.lock.try_guard_biased(&self.bias, LockLevel::CRI)
    }

    /// Takes the lock so that `Lock::unlock` releases it.
    #[cfg(any(feature = "host", feature = "mock"))]
    pub(crate) fn lock_for_release(&self) {
        if self.lock.lock_without_bias(&self.bias, LockLevel::CRI) {
            self.waits.add(1);
        }
    }

    /// The same, if the lock is free.
    #[cfg(any(feature = "host", feature = "mock"))]
    pub(crate) fn try_for_release(&self) -> bool {
        self.lock.try_lock_without_bias(&self.bias, LockLevel::CRI)
    }
}

impl CriPool {
    /// A pool of CRIs that are the beginnings of `cris`, which nothing polls yet. Name and CRIs have to stay
    /// as long as the pool.
    pub fn of<C>(name: &CStr, cris: &[C]) -> Self {
        Self {
            struct_size: size_of::<Self>() as u32,
            count: cris.len() as u32,
            name: name.as_ptr(),
            instances: cris.as_ptr().cast_mut().cast(),
            stride: size_of::<C>(),
            progress: None,
            module: core::ptr::null_mut(),
            strategy: core::ptr::null(),
            strategy_state: core::ptr::null_mut(),
            id: 0,
            arrivals: 0,
        }
    }

    /// The CRI with this index.
    ///
    /// # Panics
    /// When `index` is not below `count`.
    #[inline]
    pub fn cri(&self, index: u32) -> &Cri {
        assert!(index < self.count, "CRI {index} of a pool of {}", self.count);
        // SAFETY: the transport vouches for `count` CRIs `stride` bytes apart.
        unsafe { &*self.instances.byte_add(index as usize * self.stride) }
    }

    /// Where messages of a scope arrive in this process, from a peer or from anybody, if the strategy
    /// says; else the CRI that the calling thread polls first. The pool has its strategy.
    #[inline]
    pub fn arrival(&self, thread: *const Thread, scope: &Scope, peer: u32) -> u32 {
        if self.count < 2 || self.strategy.is_null() {
            return 0;
        }
        // SAFETY: the host attached the strategy, whose table is complete, before the pool was used.
        let ops = unsafe { &*self.strategy };
        let mut index = CRI_ANYWHERE;
        if self.arrivals != 0 {
            // SAFETY: as above.
            index = unsafe { ops.arrival.unwrap_unchecked()(self, scope, peer) };
        }
        if index == CRI_ANYWHERE {
            let asker = CriAsker { thread, scope, peer, operation: CRI_PROGRESS };
            // SAFETY: as above.
            index = unsafe { ops.assign.unwrap_unchecked()(self, &asker) };
        }
        if index < self.count { index } else { index % self.count }
    }

    /// The name for reports.
    pub fn name(&self) -> &str {
        // SAFETY: the transport sets `name` to a string that lives as long as the pool.
        unsafe { crate::text::borrow(self.name) }.unwrap_or("?")
    }
}

#[cfg(test)]
mod tests {
    use core::sync::atomic::Ordering;

    use super::*;

    fn pool(id: u32, cris: &[Cri]) -> CriPool {
        CriPool { id, ..CriPool::of(c"pool", cris) }
    }

    #[test]
    fn a_set_has_what_was_put_in_and_never_less() {
        let cris: Vec<Cri> = (0..70).map(Cri::new).collect();
        let [first, second, ninth] = [0, 1, 8].map(|id| pool(id, &cris));
        let mut set = CriSet::default();
        assert!(set.is_empty());
        set.add(&first, 3);
        set.add(&second, 65);
        let of = |set: &CriSet, pool: &CriPool| set.of(pool).collect::<Vec<_>>();
        assert!(!set.is_empty() && set.has(&first, 3) && !set.has(&first, 4));
        assert_eq!((of(&set, &first), of(&set, &second)), (vec![3, 67], vec![1, 65]));
        // Too many to be told apart.
        assert_eq!(of(&set, &ninth), [3, 67]);
        let mut more = CriSet::default();
        more.add(&first, 0);
        set.join(&more);
        assert_eq!(of(&set, &first), [0, 64, 3, 67]);
    }

    #[test]
    fn whoever_has_to_wait_counts_it() {
        let cri = Cri::new(3);
        drop(cri.guard());
        let held = cri.try_guard().expect("free");
        assert!(cri.try_guard().is_none());
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| drop(cri.guard()));
            // 2: a waiter has given up spinning.
            while cri.lock.word.load(Ordering::Relaxed) != 2 {
                std::thread::yield_now();
            }
            drop(held);
            waiter.join().expect("no panic");
        });
        assert_eq!((cri.index, cri.waits.get()), (3, 1));
        assert_eq!((size_of::<Cri>(), core::mem::offset_of!(Cri, context)), (128, 8));
    }

    /// Often enough to get the bias.
    fn use_often(cri: &Cri) {
        (0..1000).for_each(|_| drop(cri.guard()));
    }

    #[test]
    fn who_takes_it_always_has_the_bias_until_another_comes() {
        let cri = Cri::new(0);
        for _ in 0..1000 {
            drop(cri.guard());
            drop(cri.try_guard().expect("free"));
        }
        if !cri.bias.is_there() {
            // A kernel without membarrier: an ordinary lock.
            return;
        }
        let elsewhere = |work: fn(&Cri) -> u32| {
            std::thread::scope(|scope| scope.spawn(|| work(&cri)).join().expect("no panic"))
        };
        // A try is refused at first, but not for ever.
        let refused = elsewhere(|cri| {
            let tries = (0..).take_while(|_| cri.try_guard().is_none());
            tries.count() as u32
        });
        assert_eq!((refused, cri.bias.is_there()), (31, false));
        // The owner waits like any thread, and a waiter is let in.
        use_often(&cri);
        assert!(cri.bias.is_there());
        elsewhere(|cri| {
            drop(cri.guard());
            0
        });
        assert!(!cri.bias.is_there());
        // Not while the owner is inside.
        use_often(&cri);
        let held = cri.guard();
        assert!(cri.bias.is_there() && cri.try_guard().is_none(), "not even for itself");
        let got = elsewhere(|cri| (0..200).filter(|_| cri.try_guard().is_some()).count() as u32);
        assert_eq!(got, 0);
        drop(held);
        assert_eq!(elsewhere(|cri| u32::from(cri.try_guard().is_some())), 1);
        cri.bias.forbid();
        use_often(&cri);
        assert!(!cri.bias.is_there());
    }

    #[cfg(any(feature = "host", feature = "mock"))]
    #[test]
    fn what_c_code_takes_is_released_as_any_lock() {
        let cri = Cri::new(0);
        for takes in [Cri::try_for_release, |cri: &Cri| {
            cri.lock_for_release();
            true
        }] {
            // This thread may have the bias, or another.
            use_often(&cri);
            assert!(takes(&cri) && !cri.try_for_release() && cri.try_guard().is_none());
            // SAFETY: taken just now.
            unsafe { cri.lock.unlock() };
            std::thread::scope(|scope| scope.spawn(|| use_often(&cri)).join().expect("no panic"));
            assert!(takes(&cri));
            // SAFETY: as above.
            unsafe { cri.lock.unlock() };
        }
    }

    #[test]
    fn threads_that_come_in_bursts_exclude_each_other() {
        struct Counted(Cri, core::cell::UnsafeCell<u64>);
        // SAFETY: the number is touched under the lock.
        unsafe impl Sync for Counted {}
        const THREADS: u64 = 4;
        const TURNS: u64 = 100_000;
        let counted = &Counted(Cri::new(0), core::cell::UnsafeCell::new(0));
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                scope.spawn(move || {
                    for turn in 0..TURNS {
                        let held =
                            if turn % 3 == thread % 3 { counted.0.try_guard() } else { None };
                        let held = held.unwrap_or_else(|| counted.0.guard());
                        // SAFETY: the lock is held.
                        unsafe { *counted.1.get() += 1 };
                        drop(held);
                        // Long bursts, so that every thread has the bias at times.
                        if turn % 5000 == 0 {
                            std::thread::yield_now();
                        }
                    }
                });
            }
        });
        // SAFETY: no other thread is left.
        assert_eq!(unsafe { *counted.1.get() }, THREADS * TURNS);
    }
}
