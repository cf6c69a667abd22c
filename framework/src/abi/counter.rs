//! Software performance counters.
//!
//! A counter has as many cells as its owner likes, one for each CRI or one for each thread. They lie
//! where the rest of the CRI or of the thread's state lies, on its cache lines, so that no two threads
//! write one line. The owner counts with a plain relaxed add (or, where only one thread or the holder
//! of a lock writes, a load and a store); the host combines the cells when somebody reads
//! (dissertation §5.4).

use core::ffi::c_char;
use core::sync::atomic::AtomicU64;

/// [`CounterSpec::kind`]: only grows; cells are added up (`MPI_T_PVAR_CLASS_COUNTER`).
pub const COUNTER_SUM: u32 = 0;
/// [`CounterSpec::kind`]: goes up and down; cells are added up (`MPI_T_PVAR_CLASS_LEVEL`).
pub const COUNTER_LEVEL: u32 = 1;
/// [`CounterSpec::kind`]: the largest seen; the largest cell counts
/// (`MPI_T_PVAR_CLASS_HIGHWATERMARK`).
pub const COUNTER_MAXIMUM: u32 = 2;

/// What a counter counts. Strings need to live only during the call.
#[repr(C)]
pub struct CounterSpec {
    /// Size of this struct in bytes, as the author's header has it.
    pub struct_size: u32,
    /// One of `CAIRN_COUNTER_*`.
    pub kind: u32,
    /// Who needs to know it, as for parameters.
    pub level: u32,
    /// Zero.
    pub reserved: u32,
    /// The name without the component's.
    pub name: *const c_char,
    /// What is counted, in a sentence.
    pub help: *const c_char,
    /// `messages`, `bytes`, `ns`... May be null.
    pub unit: *const c_char,
}

/// One cell of a counter. Written by its owner only.
#[repr(C)]
#[derive(Debug, Default)]
pub struct CounterCell {
    /// The count.
    pub value: AtomicU64,
}
