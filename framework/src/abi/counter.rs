//! Software performance counters.
//!
//! A counter has as many cells as its owner likes, one for each CRI or one for each thread. They lie
//! where the rest of the CRI or of the thread's state lies, on its cache lines, so that no two threads
//! write one line. The owner counts with a load and a store where only one thread or the holder of a
//! lock writes, and with a relaxed add otherwise; the host combines the cells when a counter is read
//! (dissertation §5.4). The parameter `counters` says whether they are wanted.

use core::ffi::{c_char, c_void};
use core::sync::atomic::{AtomicU64, Ordering};

use super::comm::Comm;

/// [`CounterSpec::kind`]: occurrences of something; only grows, cells are added up
/// (`MPI_T_PVAR_CLASS_COUNTER`).
pub const COUNTER_SUM: u32 = 0;
/// [`CounterSpec::kind`]: goes up and down; cells are added up (`MPI_T_PVAR_CLASS_LEVEL`).
pub const COUNTER_LEVEL: u32 = 1;
/// [`CounterSpec::kind`]: the largest seen; the largest cell counts
/// (`MPI_T_PVAR_CLASS_HIGHWATERMARK`).
pub const COUNTER_MAXIMUM: u32 = 2;
/// [`CounterSpec::kind`]: the smallest seen; the smallest cell counts, and one that holds
/// `UINT64_MAX` has seen nothing (`MPI_T_PVAR_CLASS_LOWWATERMARK`).
pub const COUNTER_MINIMUM: u32 = 3;
/// [`CounterSpec::kind`]: a sum of amounts, such as bytes; cells are added up
/// (`MPI_T_PVAR_CLASS_AGGREGATE`).
pub const COUNTER_AGGREGATE: u32 = 4;
/// [`CounterSpec::kind`]: time spent with something; cells are added up
/// (`MPI_T_PVAR_CLASS_TIMER`).
pub const COUNTER_TIMER: u32 = 5;
/// [`CounterSpec::kind`]: how large a resource is; cells are added up (`MPI_T_PVAR_CLASS_SIZE`).
///
pub const COUNTER_SIZE: u32 = 6;

/// Brings a cell up to date; see [`CounterSpec::refresh`].
pub type CounterRefreshFn = unsafe extern "C" fn(context: *mut c_void, comm: *const Comm);

/// What a counter counts. Strings need to live only during the call.
#[repr(C)]
pub struct CounterSpec {
    /// Size of this struct in bytes, as the author's header has it.
    pub struct_size: u32,
    /// One of `CAIRN_COUNTER_*`.
    pub kind: u32,
    /// Its audience, as for parameters.
    pub level: u32,
    /// Zero.
    pub reserved: u32,
    /// The name without the component's.
    pub name: *const c_char,
    /// What is counted, in a sentence.
    pub help: *const c_char,
    /// `messages`, `bytes`, `ns`... May be null.
    pub unit: *const c_char,
    /// 1 if the counter can be read for each communicator alone as well as for all, by
    /// `refresh`; 0 if not.
    pub by_comm: u32,
    /// Zero.
    pub reserved_too: u32,
    /// Called before a tool reads the counter, so that its owner may put into the cell what
    /// it knows from elsewhere: for all communicators together, those that are gone among them, if
    /// `comm` is null, else for this one, which may have been freed: it is compared with those that
    /// the owner knows and not looked into. Not called any more when `counter_remove` has returned. It
    /// must not use the host's counters, and takes no lock that is held while they are used. May be
    /// null.
    pub refresh: Option<unsafe extern "C" fn(context: *mut c_void, comm: *const Comm)>,
    /// Passed to `refresh`.
    pub refresh_context: *mut c_void,
}

/// One cell of a counter. Written by its owner only.
#[repr(C)]
#[derive(Debug, Default)]
pub struct CounterCell {
    /// The count.
    pub value: AtomicU64,
}

impl CounterCell {
    /// A cell that holds 0.
    pub const fn new() -> Self {
        Self { value: AtomicU64::new(0) }
    }

    /// What it holds.
    #[inline]
    pub fn get(&self) -> u64 {
        self.value.load(Ordering::Relaxed)
    }

    /// Adds, for a cell that one thread at a time writes. To subtract, add the negative number, which
    /// wraps around.
    #[inline(always)]
    pub fn add(&self, more: u64) {
        self.value.store(self.get().wrapping_add(more), Ordering::Relaxed);
    }

    /// Adds, for a cell that several threads write.
    #[inline(always)]
    pub fn add_shared(&self, more: u64) {
        self.value.fetch_add(more, Ordering::Relaxed);
    }

    /// Keeps the larger of what it holds and this number, for a cell that one thread at a time writes.
    #[inline(always)]
    pub fn raise(&self, seen: u64) {
        if seen > self.get() {
            self.value.store(seen, Ordering::Relaxed);
        }
    }
}
