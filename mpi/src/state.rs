//! Where the process is between initialization and finalization, and how it ends.

use std::ffi::c_int;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use cairn_framework::abi::job::Job;

/// The states of the World Model (MPI 5.0, section 11.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum World {
    /// `MPI_Init` was not called.
    Before,
    /// Between `MPI_Init` and `MPI_Finalize`.
    Running,
    /// `MPI_Finalize` was called.
    After,
}

/// The state of the World Model in the lower two bits, and how many sessions there are above.
static STATE: AtomicU32 = AtomicU32::new(World::Before as u32);
const WORLD: u32 = 3;
const SESSION: u32 = 4;

/// The state. Any thread may ask.
#[inline(always)]
pub fn world() -> World {
    match state() & WORLD {
        0 => World::Before,
        1 => World::Running,
        _ => World::After,
    }
}

/// Whether MPI can be used: between `MPI_Init` and `MPI_Finalize`, or because there is a session.
#[inline(always)]
pub fn is_running() -> bool {
    state() & !(World::After as u32) != 0
}

#[inline(always)]
fn state() -> u32 {
    // Acquire pairs with the Release of a change: a thread that sees the state sees what was set up.
    STATE.load(Ordering::Acquire)
}

/// Changes the state; for `MPI_Init` and `MPI_Finalize` when their work is done.
pub fn set_world(world: World) {
    let changed = |state: u32| Some(state & !WORLD | world as u32);
    let _ = STATE.fetch_update(Ordering::Release, Ordering::Relaxed, changed);
}

/// There is another session, and everything that it needs.
pub fn add_session() {
    STATE.fetch_add(SESSION, Ordering::Release);
}

/// There is a session less.
pub fn remove_session() {
    STATE.fetch_sub(SESSION, Ordering::Release);
}

/// The parameter `mpi_param_check`.
static CHECKS: AtomicBool = AtomicBool::new(true);

/// Whether the arguments of functions are checked.
#[inline(always)]
pub fn checks_arguments() -> bool {
    CHECKS.load(Ordering::Relaxed)
}

/// Turns the checks on or off; for `MPI_Init`.
pub fn check_arguments(on: bool) {
    CHECKS.store(on, Ordering::Relaxed);
}

/// The name of this process in messages: set when it is known, at the start.
static IDENTITY: OnceLock<String> = OnceLock::new();

/// Sets the name of this process.
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
