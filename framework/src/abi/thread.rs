//! The host's record of a thread.

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

/// What tells living threads apart: the address of a thread's own block, which costs one instruction.
/// Never 0; a thread that begins may get the address of one that has ended.
#[inline(always)]
pub fn mark() -> usize {
    let pointer: usize;
    // SAFETY: reads the register (or the word that it leads to) where the ABI keeps the address.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        core::arch::asm!("mov {}, fs:0", out(reg) pointer, options(nostack, preserves_flags, readonly));
    }
    // SAFETY: as above.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        core::arch::asm!("mrs {}, tpidr_el0", out(reg) pointer, options(nostack, nomem, preserves_flags));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        std::thread_local! {
            static OWN: u8 = const { 0 };
        }
        pointer = OWN.with(|own| (&raw const *own).addr());
    }
    pointer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_told_apart() {
        let own = mark();
        assert_ne!(own, 0);
        assert_eq!(own, mark());
        assert_ne!(own, std::thread::spawn(mark).join().unwrap());
    }
}
