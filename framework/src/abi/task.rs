//! Pieces of internal work that another thread may do.

use core::ffi::c_void;
use core::sync::atomic::AtomicU32;

/// A piece of work: a part of a large copy, of a pack or an unpack (Jain et al. §3).
///
/// Allocated by the submitter, who keeps it until `remaining` of its group is zero.
#[repr(C)]
#[derive(Debug)]
pub struct Task {
    /// Size of this struct in bytes, as the author's header has it.
    pub struct_size: u32,
    /// Zero.
    pub reserved: u32,
    /// Does the work. Called once, on any thread, with no lock held. It must not wait for another
    /// task and must not call MPI.
    pub run: Option<unsafe extern "C" fn(context: *mut c_void)>,
    /// Passed to `run`.
    pub context: *mut c_void,
    /// Tasks of the group that have not finished. Whoever ran the task subtracts one, with
    /// Release, after `run` has returned; the submitter's Acquire load of zero sees all the work.
    pub remaining: *const AtomicU32,
    /// For the runner to chain tasks with.
    pub next: *mut Task,
}
