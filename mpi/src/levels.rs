//! Calls beyond the level of thread support that the program was granted (MPI 5.0, section 11.6).
//!
//! With `MPI_THREAD_SINGLE` and `MPI_THREAD_FUNNELED` only the thread that initialized may call, with
//! `MPI_THREAD_SERIALIZED` one thread at a time. A call that breaks this is an error instead of a
//! race, as long as arguments are checked. What it costs is one comparison a call, and with
//! `MPI_THREAD_SERIALIZED` two exchanges.
//!
//! A function that is called from a callback of another ends the mark of the outer one, so not every
//! violation of `MPI_THREAD_SERIALIZED` is seen; what is seen is one.
//!
//! The same comparison notices calls before MPI is initialized and after it is finalized.

use std::ffi::c_int;
use std::sync::atomic::{AtomicUsize, Ordering};

use cairn_framework::abi::thread::mark;

use crate::abi::generated::constants::*;
use crate::error::{Error, Result};
use crate::state::{self, World};

/// Which threads may call: [`ALL`], [`ONE_AT_A_TIME`], [`NONE`], or the mark of the only one.
static ALLOWED: AtomicUsize = AtomicUsize::new(NONE);

/// The mark of the thread inside MPI, where it is one at a time; otherwise [`EMPTY`].
static INSIDE: AtomicUsize = AtomicUsize::new(EMPTY);

// Marks of threads are addresses of variables, which these are not.
const ALL: usize = 0;
const ONE_AT_A_TIME: usize = 1;
/// MPI is not running.
const NONE: usize = 2;
const EMPTY: usize = 0;

/// Says what was granted, to the thread that initializes.
pub fn set(level: c_int) {
    let allowed = match level {
        MPI_THREAD_SINGLE | MPI_THREAD_FUNNELED => mark(),
        MPI_THREAD_SERIALIZED => ONE_AT_A_TIME,
        _ => ALL,
    };
    // Release pairs with the Acquire in `enter`: a thread that may call sees what was set up.
    ALLOWED.store(allowed, Ordering::Release);
}

/// Says that MPI is not running any more.
pub fn close() {
    ALLOWED.store(NONE, Ordering::Release);
}

/// Begins a call.
#[inline(always)]
pub fn enter() -> Result<()> {
    match ALLOWED.load(Ordering::Acquire) {
        ALL => Ok(()),
        only if only == mark() => Ok(()),
        ONE_AT_A_TIME => enter_alone(),
        NONE => Err(not_running()),
        _ => Err(foreign()),
    }
}

/// The error of a call when MPI is not running.
#[cold]
pub fn not_running() -> Error {
    let text = match state::world() {
        World::Before => "MPI is not initialized; call MPI_Init first",
        World::Running | World::After => "MPI is finalized already",
    };
    Error::new(MPI_ERR_OTHER, text)
}

/// Ends a call.
#[inline(always)]
pub fn leave() {
    if ALLOWED.load(Ordering::Relaxed) == ONE_AT_A_TIME {
        // The mark of another thread stays.
        let _ = INSIDE.compare_exchange(mark(), EMPTY, Ordering::Relaxed, Ordering::Relaxed);
    }
}

#[cold]
fn enter_alone() -> Result<()> {
    let own = mark();
    match INSIDE.compare_exchange(EMPTY, own, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(_) => Ok(()),
        Err(inside) if inside == own => Ok(()),
        Err(_) => {
            let text = "another thread is inside MPI, but the level of thread support is \
                        MPI_THREAD_SERIALIZED; ask MPI_Init_thread for MPI_THREAD_MULTIPLE";
            Err(Error::new(MPI_ERR_OTHER, text))
        }
    }
}

#[cold]
fn foreign() -> Error {
    let text = "this thread did not initialize MPI, and the level of thread support lets no other \
                call it; ask MPI_Init_thread for MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE";
    Error::new(MPI_ERR_OTHER, text)
}
