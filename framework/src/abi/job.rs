//! The job a process belongs to.

use core::ffi::c_char;

/// [`Job::thread_level`]: only one thread (`MPI_THREAD_SINGLE`).
pub const THREAD_SINGLE: u32 = 0;
/// [`Job::thread_level`]: only the main thread calls MPI (`MPI_THREAD_FUNNELED`).
pub const THREAD_FUNNELED: u32 = 1024;
/// [`Job::thread_level`]: one thread at a time calls MPI (`MPI_THREAD_SERIALIZED`).
pub const THREAD_SERIALIZED: u32 = 2048;
/// [`Job::thread_level`]: any thread at any time (`MPI_THREAD_MULTIPLE`).
pub const THREAD_MULTIPLE: u32 = 4096;

/// The place of this process among the others. Constant once components are opened.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Job {
    /// Size of this struct in bytes, as the host has it.
    pub struct_size: u32,
    /// Rank of this process in the job, its rank in `MPI_COMM_WORLD`.
    pub rank: u32,
    /// Processes in the job.
    pub size: u32,
    /// Rank among the processes of this node.
    pub local_rank: u32,
    /// Processes of the job on this node.
    pub local_size: u32,
    /// One of `CAIRN_THREAD_*`. Below `CAIRN_THREAD_MULTIPLE` the host calls a component from one
    /// thread at a time (background threads that a component starts are its own business).
    pub thread_level: u32,
    /// Processors that this process may run on.
    pub cores: u32,
    /// Processors that the processes of the job on this node may use together; 0 when
    /// that is unknown.
    pub node_cores: u32,
    /// Name of the job, unique on the machine while it runs. Fit for file names.
    pub id: *const c_char,
    /// What only the processes of the job know; acceptors ask for it before they read
    /// anything else, and compare in constant time.
    pub secret: [u8; 16],
    /// How many passes in a row without an event a thread makes for what may come at once, before it leaves
    /// the waiting to the `wait` component. The host makes it from the parameter `wait_polls` when the job is
    /// set; until then it is the most that the process's `progress` component bears.
    pub wait_polls: u32,
    /// 1 when a lock may stay with a thread that takes it many times in a row, as the parameter
    /// `mca_lock_bias` says and every component bears. Set by the host.
    pub lock_bias: u32,
}

impl Job {
    /// Whether the node has more processes of the job than processors for them, so that one that
    /// waits takes the time of one that works.
    pub fn is_crowded(&self) -> bool {
        self.node_cores != 0 && self.local_size > self.node_cores
    }

    /// Makes passes until something is done, or until `wait_polls` passes in a row had no event, or there were
    /// sixteen times as many in all: events of others don't keep a thread from what is looked at only when it
    /// waits, such as the end of a peer. Whether it is done. `pass` is told how many came before and returns
    /// its events.
    #[inline(always)]
    pub fn poll_until(
        &self,
        mut pass: impl FnMut(u32) -> u32,
        mut done: impl FnMut() -> bool,
    ) -> bool {
        let (mut misses, mut attempts) = (0, 0);
        while misses < self.wait_polls {
            misses = if pass(attempts) == 0 { misses + 1 } else { 0 };
            if done() {
                return true;
            }
            attempts += 1;
            if attempts >= self.wait_polls.saturating_mul(16) {
                break;
            }
        }
        false
    }
}

// SAFETY: constant once published; `id` leads to a string that lives as long as the process.
unsafe impl Sync for Job {}
// SAFETY: see `Sync`.
unsafe impl Send for Job {}
