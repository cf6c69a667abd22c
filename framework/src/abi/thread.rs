//! The host's record of a thread.

pub use crate::sys::mark;

/// One thread of the process that has called into the host.
///
/// Thread-local variables are one per library, so two components would number the same thread
/// differently. The host keeps the only numbering; a component that needs state of its own for
/// each thread keeps an array indexed by [`Thread::index`] and asks for `thread_exit_add`.
#[repr(C)]
#[derive(Debug)]
pub struct Thread {
    /// Size of this struct in bytes, as the host has it.
    pub struct_size: u32,
    /// Small number of the thread: the lowest that no living thread has. Reused when the thread
    /// has ended and every exit callback has returned. At most [`MAX_THREADS`] minus one.
    pub index: u32,
    /// Number of the thread that is never used again, from 1.
    pub serial: u64,
}

/// How many threads of a process can use the host at a time.
pub const MAX_THREADS: u32 = 65_536;
