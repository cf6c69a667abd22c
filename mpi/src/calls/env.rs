//! The environment (MPI 5.0, chapters 9 and 11).

use std::ffi::c_int;

use rustix::time::{ClockId, Timespec, clock_getres, clock_gettime};

use crate::abi::prelude::*;
use crate::runtime;
use crate::state::{self, World};

pub fn get_version(version: Out<c_int>, subversion: Out<c_int>) -> Result<()> {
    version.set(MPI_VERSION);
    subversion.set(MPI_SUBVERSION);
    Ok(())
}

pub fn get_library_version(version: TextOut, resultlen: Out<c_int>) -> Result<()> {
    resultlen.set(version.set(concat!("Cairn MPI ", env!("CARGO_PKG_VERSION"))));
    Ok(())
}

pub fn get_processor_name(name: TextOut, resultlen: Out<c_int>) -> Result<()> {
    let system = rustix::system::uname();
    resultlen.set(name.set(&system.nodename().to_string_lossy()));
    Ok(())
}

pub fn initialized(flag: Out<c_int>) -> Result<()> {
    // Stays true after finalization (section 11.4).
    flag.set((state::world() != World::Before).into());
    Ok(())
}

pub fn finalized(flag: Out<c_int>) -> Result<()> {
    flag.set((state::world() == World::After).into());
    Ok(())
}

/// Seconds since some moment that is the same for all processes of a node.
pub fn wtime() -> f64 {
    seconds(clock_gettime(ClockId::Monotonic))
}

pub fn wtick() -> f64 {
    seconds(clock_getres(ClockId::Monotonic))
}

fn seconds(time: Timespec) -> f64 {
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

pub fn init(argc: *mut c_int, argv: *mut *mut *mut c_char) -> Result<()> {
    let _ = (argc, argv);
    runtime::init(MPI_THREAD_SINGLE).map(|_| ())
}

pub fn init_thread(
    argc: *mut c_int,
    argv: *mut *mut *mut c_char,
    required: c_int,
    provided: Out<c_int>,
) -> Result<()> {
    let _ = (argc, argv);
    provided.set(runtime::init(required)?);
    Ok(())
}

pub fn finalize() -> Result<()> {
    runtime::finalize()
}

pub fn abort(comm: Comm, errorcode: c_int) -> Result<()> {
    let _ = comm;
    let text = format!("MPI_Abort was called with error code {errorcode}");
    eprintln!("cairn: {}{text}", state::whoami());
    runtime::abort(errorcode, &text)
}

pub fn query_thread(provided: Out<c_int>) -> Result<()> {
    provided.set(runtime::runtime().thread_level);
    Ok(())
}

pub fn is_thread_main(flag: Out<c_int>) -> Result<()> {
    let main = runtime::runtime().main_thread == std::thread::current().id();
    flag.set(main.into());
    Ok(())
}

/// Nothing of this library listens; profiling libraries have their own.
pub fn pcontrol(level: c_int) -> Result<()> {
    let _ = level;
    Ok(())
}
