//! The system calls that the crate needs on both sides of the boundary.
//!
//! Declared here and not taken from a crate, because a component's author gets this crate without
//! any dependency.

use core::ffi::{c_int, c_long};
use core::sync::atomic::AtomicU32;

unsafe extern "C" {
    fn syscall(number: c_long, ...) -> c_long;
}

#[cfg(target_arch = "x86_64")]
const SYS_FUTEX: c_long = 202;
#[cfg(any(target_arch = "aarch64", target_arch = "riscv64"))]
const SYS_FUTEX: c_long = 98;
#[cfg(target_arch = "powerpc64")]
const SYS_FUTEX: c_long = 221;

const FUTEX_WAIT_PRIVATE: c_int = 128;
const FUTEX_WAKE_PRIVATE: c_int = 129;

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

/// Sleeps while `*word == expected`, at most so many microseconds; 0 is without limit.
#[cfg(feature = "host")]
pub(crate) fn futex_wait_for(word: &AtomicU32, expected: u32, microseconds: u32) {
    let limit = libc::timespec {
        tv_sec: libc::time_t::from(microseconds / 1_000_000),
        tv_nsec: libc::c_long::from(microseconds % 1_000_000) * 1000,
    };
    let limit = if microseconds == 0 { core::ptr::null() } else { &raw const limit };
    // SAFETY: as above; the kernel reads the limit, which lives during the call.
    unsafe {
        syscall(SYS_FUTEX, word.as_ptr(), FUTEX_WAIT_PRIVATE, expected, limit);
    }
}

/// Wakes one thread that sleeps on `word`.
pub(crate) fn futex_wake_one(word: &AtomicU32) {
    // SAFETY: FUTEX_WAKE uses the address as a key only.
    unsafe {
        syscall(SYS_FUTEX, word.as_ptr(), FUTEX_WAKE_PRIVATE, 1 as c_int);
    }
}
