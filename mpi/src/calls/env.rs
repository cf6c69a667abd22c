//! The environment (MPI 5.0, chapters 9 and 11).

use std::collections::BTreeMap;
use std::ffi::c_int;
use std::io::Write as _;

use cairn_framework::abi::status::OK;
use cairn_framework::author::Mutex;
use cairn_framework::host::forget_reason;
use rustix::time::{ClockId, Timespec, clock_getres, clock_gettime};

use super::comm::parts;
use crate::objects::info::{self, Pairs};
use crate::objects::win::hints::alignment_of;
use crate::prelude::*;
use crate::state::{self, World};
use crate::{built_from, hardware, life, runtime};

pub fn get_version(version: Out<c_int>, subversion: Out<c_int>) -> Result<()> {
    version.set(MPI_VERSION);
    subversion.set(MPI_SUBVERSION);
    Ok(())
}

pub fn get_library_version(version: TextOut, resultlen: Out<c_int>) -> Result<()> {
    let name = concat!("Cairn MPI ", env!("CARGO_PKG_VERSION"));
    let text = match built_from::commit() {
        Some(commit) => format!("{name} (commit {commit})"),
        None => name.to_owned(),
    };
    resultlen.set(version.set(&text));
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

/// # Safety
/// `argc` and `argv` are null or those of `main`.
pub unsafe fn init(argc: *mut c_int, argv: *mut *mut *mut c_char) -> Result<()> {
    // SAFETY: promised by the caller.
    unsafe { init_with(argc, argv, MPI_THREAD_SINGLE) }.map(|_| ())
}

/// # Safety
/// As for `init`.
pub unsafe fn init_thread(
    argc: *mut c_int,
    argv: *mut *mut *mut c_char,
    required: c_int,
    provided: Out<c_int>,
) -> Result<()> {
    // SAFETY: promised by the caller.
    provided.set(unsafe { init_with(argc, argv, required) }?);
    Ok(())
}

/// # Safety
/// As for `init`.
unsafe fn init_with(
    argc: *mut c_int,
    argv: *mut *mut *mut c_char,
    required: c_int,
) -> Result<c_int> {
    parts::offer();
    let level = life::init(required)?;
    if !argc.is_null() && !argv.is_null() {
        // SAFETY: promised by the caller.
        let line = unsafe { super::info::command_line(*argc, *argv) };
        line.into_iter().for_each(info::initialized_with);
    }
    Ok(level)
}

pub fn finalize() -> Result<()> {
    life::finalize()
}

pub fn abort(comm: CommRef, errorcode: c_int) -> Result<()> {
    let _ = comm;
    let text = format!("MPI_Abort was called with error code {errorcode}");
    // In one piece, so that several ranks that abort at once don't mix their lines.
    let line = format!("cairn: {}{text}\n", state::whoami());
    let _ = std::io::stderr().write_all(line.as_bytes());
    runtime::abort(errorcode, &text)
}

/// Any thread may ask (MPI 5.0, section 11.6.2).
pub fn query_thread(provided: Out<c_int>) -> Result<()> {
    check::running_somewhere()?;
    provided.set(life::provided_level());
    Ok(())
}

/// Any thread may ask: that is what it is for.
pub fn is_thread_main(flag: Out<c_int>) -> Result<()> {
    check::running_somewhere()?;
    let main = runtime::runtime().main_thread == std::thread::current().id();
    flag.set(main.into());
    Ok(())
}

/// Nothing of this library listens; profiling libraries have their own.
pub fn pcontrol(level: c_int) -> Result<()> {
    let _ = level;
    Ok(())
}

/// Memory that components of `osc` have allocated for the program, by its address: which of them.
static ALLOCATED: Mutex<BTreeMap<usize, usize>> = Mutex::new(BTreeMap::new());

/// # Safety
/// There is room for a pointer at `baseptr`.
pub unsafe fn alloc_mem(size: Aint, info: InfoRef, baseptr: Out<*mut c_void>) -> Result<()> {
    let alignment = alignment_of(&info.pairs());
    let bytes = args::length(size);
    let found = if bytes > 0 { component_memory(bytes as u64, alignment) } else { None };
    let memory = found.unwrap_or_else(|| {
        let mut memory = std::ptr::null_mut();
        let alignment = alignment as usize;
        // SAFETY: the result is a variable; the alignment is a power of two and large enough.
        let failed = unsafe { libc::posix_memalign(&raw mut memory, alignment, bytes.max(1)) };
        if failed == 0 { memory } else { std::ptr::null_mut() }
    });
    if memory.is_null() {
        let text = format!("there is no memory of {size} bytes");
        return Err(Error::new(MPI_ERR_NO_MEM, text));
    }
    baseptr.set(memory);
    Ok(())
}

/// Memory with which windows are faster, if a component has some.
fn component_memory(size: u64, alignment: u64) -> Option<*mut c_void> {
    let components = &runtime::current()?.oscs;
    components.iter().enumerate().find_map(|(place, osc)| {
        let mut base = std::ptr::null_mut();
        // SAFETY: the table is complete and the component open.
        let status = unsafe {
            (osc.ops.memory_allocate.unwrap_unchecked())(osc.instance, size, alignment, &mut base)
        };
        if status != OK {
            // There are others.
            forget_reason();
            return None;
        }
        ALLOCATED.lock().insert(base.addr(), place);
        Some(base)
    })
}

/// # Safety
/// The memory was allocated by `alloc_mem` and not freed; or null, for which nothing happens.
pub unsafe fn free_mem(base: *mut c_void) -> Result<()> {
    let place = ALLOCATED.lock().remove(&base.addr());
    // SAFETY: by the contract of this function; the table is complete and the component open.
    unsafe {
        match place {
            Some(place) => {
                let osc = &runtime::runtime().oscs[place];
                (osc.ops.memory_free.unwrap_unchecked())(osc.instance, base);
            }
            None => libc::free(base),
        }
    }
    Ok(())
}

pub fn get_hw_resource_info(hw_info: Out<Info>) -> Result<()> {
    let mut pairs = Pairs::default();
    for (kind, restricted) in hardware::resources() {
        pairs.set(kind, if restricted { "true" } else { "false" });
    }
    hw_info.set(info::make(pairs));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_aligned_as_wished() {
        let mut pairs = Pairs::default();
        for (wish, alignment) in [("4096", 4096), ("3", 64), ("8", 64)] {
            pairs.set("mpi_minimum_memory_alignment", wish);
            let info = info::find(info::make(pairs.clone())).unwrap();
            let mut base = std::ptr::null_mut();
            // SAFETY: the variable stays; the memory is freed once.
            unsafe {
                alloc_mem(0, info, args::out(&raw mut base)).unwrap();
                assert!(!base.is_null() && base.addr() % alignment == 0);
                free_mem(base).unwrap();
            }
        }
        let mut base = std::ptr::null_mut();
        // SAFETY: as above.
        let much = unsafe { alloc_mem(Aint::MAX, InfoRef::Null, args::out(&raw mut base)) };
        assert_eq!(much.unwrap_err().code(), MPI_ERR_NO_MEM);
    }
}
