//! Communication resource instances and the pools that a transport gives the framework.
//!
//! A communication resource instance (CRI; dissertation §5.3.1, the VCI of Zambre et al. §4.2)
//! is everything one thread needs to talk to a device without meeting another thread: a lock, a
//! context, a completion queue, caches and counters. A transport makes as many as it was asked
//! for and as the device has; a `cri` strategy says which one an operation uses, a `progress`
//! component says which ones a thread polls.

use core::ffi::{c_char, c_void};

use super::counter::CounterCell;
use super::lock::{Lock, LockGuard};
use crate::audit::Rank;
use crate::frameworks::cri::CriOps;

/// Bytes that keep two writers off each other's cache lines: two lines of 64, because processors
/// prefetch lines in pairs.
pub const CACHE_LINE_PAIR: usize = 128;

/// The head of one CRI. The transport's own part lies behind it, at most [`CriPool::stride`]
/// bytes in all, or behind `context`.
#[repr(C, align(128))]
#[derive(Debug)]
pub struct Cri {
    /// Held while a function of the transport works on this CRI, unless the process is
    /// single-threaded.
    pub lock: Lock,
    /// Its place in the pool, from 0.
    pub index: u32,
    /// The transport's own.
    pub context: *mut c_void,
    /// Since 1.1. How often somebody had to wait for the lock. Counted by who holds it; the host sets
    /// it to zero in `pool_add`.
    pub waits: CounterCell,
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
    /// Zero.
    pub reserved: u32,
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
    pub const fn new(index: u32) -> Self {
        let (lock, waits) = (Lock::new(), CounterCell::new());
        Self { lock, index, context: core::ptr::null_mut(), waits }
    }

    /// Takes the lock until the guard is dropped.
    #[inline]
    pub fn guard(&self) -> LockGuard<'_> {
        if self.lock.lock_as(Rank::INSTANCE) {
            self.waits.add(1);
        }
        // SAFETY: taken just now.
        unsafe { LockGuard::of(&self.lock) }
    }

    /// Takes the lock, if it is free, until the guard is dropped.
    #[inline]
    pub fn try_guard(&self) -> Option<LockGuard<'_>> {
        self.lock.try_guard_as(Rank::INSTANCE)
    }
}

impl CriPool {
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

    #[test]
    fn whoever_has_to_wait_counts_it() {
        let cri = Cri::new(3);
        drop(cri.guard());
        let held = cri.try_guard().expect("free");
        assert!(cri.try_guard().is_none());
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| drop(cri.guard()));
            // 2: somebody has given up spinning.
            while cri.lock.word.load(Ordering::Relaxed) != 2 {
                std::thread::yield_now();
            }
            drop(held);
            waiter.join().expect("no panic");
        });
        assert_eq!((cri.index, cri.waits.get()), (3, 1));
        assert_eq!((size_of::<Cri>(), core::mem::offset_of!(Cri, context)), (128, 8));
    }
}
