//! Software performance counters.
//!
//! The owner keeps the cells where it keeps the rest of an instance, on that instance's cache
//! lines, and counts with a plain relaxed add (or, under the instance's lock, a load and a store);
//! the host adds the cells up when somebody reads (dissertation §5.4).

use core::ffi::c_char;
use core::sync::atomic::AtomicU64;

/// [`CounterSpec::class`]: only grows; cells are added up (`MPI_T_PVAR_CLASS_COUNTER`).
pub const COUNTER_SUM: u32 = 0;
/// [`CounterSpec::class`]: goes up and down; cells are added up (`MPI_T_PVAR_CLASS_LEVEL`).
pub const COUNTER_LEVEL: u32 = 1;
/// [`CounterSpec::class`]: the largest seen; the largest cell counts
/// (`MPI_T_PVAR_CLASS_HIGHWATERMARK`).
pub const COUNTER_MAXIMUM: u32 = 2;

/// What a counter counts. Strings need to live only during the call.
#[repr(C)]
pub struct CounterSpec {
    /// Size of this struct in bytes, as the author's header has it.
    pub struct_size: u32,
    /// One of `CAIRN_COUNTER_*`.
    pub class: u32,
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
