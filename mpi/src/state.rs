//! Where the process is between initialization and finalization, and how it ends.

use std::ffi::c_int;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

use cairn_framework::abi::job::Job;

/// The states of the World Model (MPI 5.0, section 11.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum World {
    /// `MPI_Init` was not called.
    Before,
    /// Between `MPI_Init` and `MPI_Finalize`.
    Running,
    /// `MPI_Finalize` was called.
    After,
}

static WORLD: AtomicU8 = AtomicU8::new(World::Before as u8);

/// The state. Any thread may ask.
#[inline(always)]
pub fn world() -> World {
    // Acquire pairs with the Release of `set_world`: who sees the state sees what was set up.
    match WORLD.load(Ordering::Acquire) {
        0 => World::Before,
        1 => World::Running,
        _ => World::After,
    }
}

/// Changes the state; for `MPI_Init` and `MPI_Finalize` when their work is done.
pub fn set_world(world: World) {
    WORLD.store(world as u8, Ordering::Release);
}

/// Who this process is, for messages: set when it is known, by `MPI_Init`.
static IDENTITY: OnceLock<String> = OnceLock::new();

/// Remembers who this process is.
pub fn set_identity(job: &Job) {
    let host = rustix::system::uname();
    let host = host.nodename().to_string_lossy();
    let _ = IDENTITY.set(match job.size {
        1 => String::new(),
        _ => format!("rank {} on {host}: ", job.rank),
    });
}

/// How messages name this process: `rank 3 on host: `, or nothing before it has a rank.
pub fn whoami() -> &'static str {
    IDENTITY.get().map_or("", String::as_str)
}

unsafe extern "C" {
    static stdout: *mut libc::FILE;
    fn ftrylockfile(file: *mut libc::FILE) -> c_int;
    fn funlockfile(file: *mut libc::FILE);
}

/// Writes out what the program has printed and the C library still holds, which [`exit`] would drop;
/// unless another thread prints at this moment, which may last for ever.
pub fn flush_output() {
    // SAFETY: the stream of the C library is there until the process ends; its lock is held for as
    // long as it is used.
    unsafe {
        if ftrylockfile(stdout) == 0 {
            libc::fflush(stdout);
            funlockfile(stdout);
        }
    }
}

/// Ends the process without cleaning up: other threads may hold any lock.
pub fn exit(code: c_int) -> ! {
    let status = if (1..=255).contains(&code) { code } else { 1 };
    // SAFETY: ends the process; nothing of it is used any more.
    unsafe { libc::_exit(status) }
}
