//! The system calls that the crate needs on both sides of the boundary.
//!
//! Declared here and not taken from a crate, because a component's author gets this crate without
//! any dependency.

use core::ffi::{c_int, c_long};
use core::sync::atomic::AtomicU32;
#[cfg(feature = "host")]
use core::sync::atomic::{AtomicBool, Ordering};

unsafe extern "C" {
    fn syscall(number: c_long, ...) -> c_long;
}

#[cfg(target_arch = "x86_64")]
const SYS_FUTEX: c_long = 202;
#[cfg(any(target_arch = "aarch64", target_arch = "riscv64"))]
const SYS_FUTEX: c_long = 98;
#[cfg(target_arch = "powerpc64")]
const SYS_FUTEX: c_long = 221;

#[cfg(target_arch = "x86_64")]
const SYS_MEMBARRIER: c_long = 324;
#[cfg(any(target_arch = "aarch64", target_arch = "riscv64"))]
const SYS_MEMBARRIER: c_long = 283;
#[cfg(target_arch = "powerpc64")]
const SYS_MEMBARRIER: c_long = 365;

const MEMBARRIER_PRIVATE_EXPEDITED: c_int = 1 << 3;
const MEMBARRIER_REGISTER_PRIVATE_EXPEDITED: c_int = 1 << 4;

const FUTEX_WAIT_PRIVATE: c_int = 128;
const FUTEX_WAKE_PRIVATE: c_int = 129;
const FUTEX_WAKE: c_int = 1;

/// Sleeps while `*word == expected`. Returns early on signals; callers look again.
pub(crate) fn futex_wait(word: &AtomicU32, expected: u32) {
    // SAFETY: the kernel reads four aligned bytes at `word`, which the reference keeps alive.
    unsafe {
        syscall(
            SYS_FUTEX,
            word.as_ptr(),
            FUTEX_WAIT_PRIVATE,
            expected,
            core::ptr::null::<core::ffi::c_void>(),
        );
    }
}

/// Wakes all threads, of this process and others, that sleep on a word that is not private.
pub(crate) fn futex_wake_everywhere(word: &AtomicU32) {
    // SAFETY: the kernel uses the address as a key only.
    unsafe {
        syscall(SYS_FUTEX, word.as_ptr(), FUTEX_WAKE, c_int::MAX);
    }
}

/// Sleeps while `*word == expected`, at most so many microseconds; 0 is without limit.
pub(crate) fn futex_wait_for(word: &AtomicU32, expected: u32, microseconds: u32) {
    // As the kernel reads it where a word has 64 bits: seconds, nanoseconds.
    let limit: [i64; 2] =
        [i64::from(microseconds / 1_000_000), i64::from(microseconds % 1_000_000) * 1000];
    let limit = if microseconds == 0 { core::ptr::null() } else { &raw const limit };
    // SAFETY: as above; the kernel reads the limit, which lives during the call.
    unsafe {
        syscall(SYS_FUTEX, word.as_ptr(), FUTEX_WAIT_PRIVATE, expected, limit);
    }
}

/// Tells the kernel that this process will call [`membarrier`]; whether it can.
pub(crate) fn register_membarrier() -> bool {
    // SAFETY: the call takes no memory.
    unsafe { syscall(SYS_MEMBARRIER, MEMBARRIER_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0 }
}

/// Makes a memory barrier in every running thread of the process; whether it did.
pub(crate) fn membarrier() -> bool {
    // SAFETY: as above.
    unsafe { syscall(SYS_MEMBARRIER, MEMBARRIER_PRIVATE_EXPEDITED, 0, 0) == 0 }
}

/// Most words in [`sleep_on`].
#[cfg(feature = "host")]
pub(crate) const MAX_SLEEPING: usize = 128;

/// A word to sleep on and the value at which to; the kernel's `futex_waitv`.
#[cfg(feature = "host")]
#[repr(C)]
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Sleeping {
    value: u64,
    address: u64,
    flags: u32,
    reserved: u32,
}

#[cfg(feature = "host")]
impl Sleeping {
    const SIZE_32: u32 = 2;
    const PRIVATE: u32 = 128;

    /// A word that threads of this process change.
    pub fn private(word: &AtomicU32, expected: u32) -> Self {
        Self { flags: Self::SIZE_32 | Self::PRIVATE, ..Self::shared(word, expected) }
    }

    /// Whether it is the same word.
    pub fn is_on(&self, other: &Self) -> bool {
        self.address == other.address
    }

    /// A word that other processes may change, too.
    pub fn shared(word: &AtomicU32, expected: u32) -> Self {
        let address = word.as_ptr().expose_provenance() as u64;
        Self { value: expected.into(), address, flags: Self::SIZE_32, reserved: 0 }
    }
}

/// Sleeps as long as every word has its value, at most so many microseconds; 0 is without limit.
/// Whether something woke it; none when the kernel can't (before Linux 5.16, or under valgrind). Returns early on
/// signals; callers look again.
#[cfg(feature = "host")]
pub(crate) fn sleep_on(words: &[Sleeping], microseconds: u32) -> Option<bool> {
    const SYS_FUTEX_WAITV: c_long = 449;
    static MISSING: AtomicBool = AtomicBool::new(false);
    if MISSING.load(Ordering::Relaxed) {
        return None;
    }
    // SAFETY: all zeros is a time.
    let mut end: libc::timespec = unsafe { core::mem::zeroed() };
    if microseconds > 0 {
        // SAFETY: the time lives during the call.
        unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut end) };
        let nanoseconds = end.tv_nsec + libc::c_long::from(microseconds % 1_000_000) * 1000;
        end.tv_sec += libc::time_t::from(microseconds / 1_000_000) + nanoseconds / 1_000_000_000;
        end.tv_nsec = nanoseconds % 1_000_000_000;
    }
    let end = if microseconds == 0 { core::ptr::null() } else { &raw const end };
    // SAFETY: the kernel reads the list and the time, which live during the call; a word that is
    // gone is an error to it.
    let result = unsafe {
        syscall(SYS_FUTEX_WAITV, words.as_ptr(), words.len(), 0, end, libc::CLOCK_MONOTONIC)
    };
    if result < 0 && std::io::Error::last_os_error().raw_os_error() == Some(libc::ENOSYS) {
        MISSING.store(true, Ordering::Relaxed);
        return None;
    }
    Some(result >= 0)
}

/// Sleeps until one of the descriptors is readable, at most so many microseconds; 0 is without limit.
/// Whether one is.
#[cfg(feature = "host")]
pub(crate) fn poll_readable(fds: &[c_int], microseconds: u32) -> bool {
    let mut list: Vec<libc::pollfd> =
        fds.iter().map(|&fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 }).collect();
    let limit = libc::timespec {
        tv_sec: libc::time_t::from(microseconds / 1_000_000),
        tv_nsec: libc::c_long::from(microseconds % 1_000_000) * 1000,
    };
    let limit = if microseconds == 0 { core::ptr::null() } else { &raw const limit };
    // SAFETY: the list has as many entries as it says; both live during the call.
    let readable = unsafe {
        libc::ppoll(list.as_mut_ptr(), list.len() as libc::nfds_t, limit, core::ptr::null())
    };
    readable > 0
}

/// Wakes every thread of this process that sleeps on `word`.
#[cfg(feature = "host")]
pub(crate) fn futex_wake_all(word: &AtomicU32) {
    // SAFETY: FUTEX_WAKE uses the address as a key only.
    unsafe {
        syscall(SYS_FUTEX, word.as_ptr(), FUTEX_WAKE_PRIVATE, c_int::MAX);
    }
}

/// Wakes one thread that sleeps on `word`.
pub(crate) fn futex_wake_one(word: &AtomicU32) {
    futex_wake_address(word.as_ptr());
}

/// Wakes one thread that sleeps on the word at this address, where there may be something else by now.
pub(crate) fn futex_wake_address(address: *mut u32) {
    // SAFETY: FUTEX_WAKE of a private futex uses the address as a key only.
    unsafe {
        syscall(SYS_FUTEX, address, FUTEX_WAKE_PRIVATE, 1 as c_int);
    }
}

/// Starts a thread of the library. It gets no signals: they are the program's business, and its
/// handlers run on its own threads.
#[cfg(feature = "host")]
pub(crate) fn spawn_quiet(
    name: &str,
    work: impl FnOnce() + Send + 'static,
) -> std::io::Result<std::thread::JoinHandle<()>> {
    std::thread::Builder::new().name(name.to_owned()).stack_size(256 << 10).spawn(move || {
        // SAFETY: the set lives during the calls.
        unsafe {
            let mut all = core::mem::zeroed();
            libc::sigfillset(&mut all);
            libc::pthread_sigmask(libc::SIG_BLOCK, &all, core::ptr::null_mut());
        }
        work();
    })
}

/// All that this thread has stored and loaded before comes before all that it stores and loads afterwards, for everybody:
/// a fence of `SeqCst`. The compiler makes `mfence` of that on x86-64, which orders stores past the caches, too, of
/// which there are none here, and takes several times as long as any instruction with `lock`.
#[cfg(not(feature = "loom"))]
#[inline(always)]
pub fn full_fence() {
    #[cfg(target_arch = "x86_64")]
    {
        let mut word = 0_u32;
        // SAFETY: changes nothing. Without `nomem` the compiler moves no access across it.
        unsafe {
            core::arch::asm!("lock or dword ptr [{}], 0", in(reg) &raw mut word, options(nostack));
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    core::sync::atomic::fence(core::sync::atomic::Ordering::SeqCst);
}

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
