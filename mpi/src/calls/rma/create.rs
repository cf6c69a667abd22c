//! Windows are made: all processes exchange what they give, and whether it is right, and take the same
//! component.

use std::ffi::c_void;
use std::hash::{DefaultHasher, Hash, Hasher};

use cairn_framework::frameworks::osc::{
    OscOps, WINDOW_ALLOCATE, WINDOW_CREATE, WINDOW_DYNAMIC, WINDOW_NO_LOCKS, WINDOW_NONCONTIGUOUS,
    WINDOW_SAME_OP, WINDOW_SHARED, WindowRemote,
};
use cairn_framework::host::Chosen;

use crate::calls::comm::agree::{Members, agree, child};
use crate::calls::comm::related::{Properties, intra_only};
use crate::error::problem;
use crate::objects::info::Pairs;
use crate::objects::win::hints::{COMPONENTS, Decided};
use crate::objects::win::{self, Plan, gather_bytes};
use crate::prelude::*;
use crate::runtime::runtime;

/// # Safety
/// The memory is the program's, as long as the window exists.
pub unsafe fn win_create(
    base: *mut c_void,
    size: Aint,
    disp_unit: Count,
    info: InfoRef,
    comm: CommRef,
    win: Out<Win>,
) -> Result<()> {
    let memory = if size > 0 && base.is_null() {
        let text = format!("base is a null pointer, but size is {size}");
        Err(Error::new(MPI_ERR_BASE, text))
    } else {
        Ok(())
    };
    let memory = memory.and(sizes(size, disp_unit));
    let made = make(comm, WINDOW_CREATE, base, size, disp_unit, info.pairs(), memory)?;
    win.set(made.handle());
    Ok(())
}

pub fn win_allocate(
    size: Aint,
    disp_unit: Count,
    info: InfoRef,
    comm: CommRef,
    baseptr: Out<*mut c_void>,
    win: Out<Win>,
) -> Result<()> {
    allocate(WINDOW_ALLOCATE, size, disp_unit, info, comm, baseptr, win)
}

pub fn win_allocate_shared(
    size: Aint,
    disp_unit: Count,
    info: InfoRef,
    comm: CommRef,
    baseptr: Out<*mut c_void>,
    win: Out<Win>,
) -> Result<()> {
    allocate(WINDOW_SHARED, size, disp_unit, info, comm, baseptr, win)
}

fn allocate(
    flavor: u32,
    size: Aint,
    disp_unit: Count,
    info: InfoRef,
    comm: CommRef,
    baseptr: Out<*mut c_void>,
    win: Out<Win>,
) -> Result<()> {
    let nowhere = std::ptr::null_mut();
    let sizes = sizes(size, disp_unit);
    let made = make(comm, flavor, nowhere, size, disp_unit, info.pairs(), sizes)?;
    baseptr.set(made.view().base);
    win.set(made.handle());
    Ok(())
}

pub fn win_create_dynamic(info: InfoRef, comm: CommRef, win: Out<Win>) -> Result<()> {
    // All that there may be.
    let (base, size, unit) = (std::ptr::null_mut(), -1, 1);
    let made = make(comm, WINDOW_DYNAMIC, base, size, unit, info.pairs(), Ok(()))?;
    win.set(made.handle());
    Ok(())
}

fn sizes(size: Aint, disp_unit: Count) -> Result<()> {
    if !check::enabled() {
        return Ok(());
    }
    check::memory_size("size", size)?;
    check::disp_unit("disp_unit", disp_unit)
}

/// What a process tells the others of a new window.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Notice {
    /// The class of what is wrong here, or success.
    error: i32,
    flavor: u32,
    remote: [u64; 3],
    flags: u32,
    ordering: u32,
    /// Of the names of the components that may serve it.
    components: u64,
}

/// Makes a window; `right` says whether what this process gives is right. If it is not on one process, all
/// processes have an error.
fn make(
    comm: CommRef,
    flavor: u32,
    base: *mut c_void,
    size: Aint,
    disp_unit: Count,
    hints: Pairs,
    right: Result<()>,
) -> Result<WinRef> {
    let parent = intra_only(comm)?;
    let members = Members::all(parent);
    let context = agree(parent, &members, parent.next_tag())?;
    let comm = child(parent, context, &members, Properties::default())?;
    let (win, decided) = win::make(Plan { comm, flavor, base, info: hints });
    let components = components_for(win);
    let components = right.and(components);
    let own =
        notice(win, decided, [base.addr() as u64, size as u64, disp_unit as u64], &components);
    let opened = exchange(comm, own).and_then(|all| {
        let components = components?;
        agreed(&all, &own)?;
        Ok((components, all))
    });
    let (components, all) = opened.inspect_err(|_| win::abandon(win))?;
    let remote = |notice: &Notice| {
        let [base, size, displacement_unit] = notice.remote;
        WindowRemote { base, size, displacement_unit }
    };
    // An assertion holds if all make it, an order is kept if one wants it.
    let flags = all.iter().fold(ASSERTIONS, |flags, notice| flags & notice.flags);
    let ordering = all.iter().fold(0, |ordering, notice| ordering | notice.ordering);
    win::open(win, &components, all.iter().map(remote).collect(), flags, ordering)?;
    Ok(win)
}

/// What programs say of a window.
const ASSERTIONS: u32 = WINDOW_NO_LOCKS | WINDOW_SAME_OP | WINDOW_NONCONTIGUOUS;

/// The components that may serve a window: those that its info names, otherwise the process's.
fn components_for(win: WinRef) -> Result<Vec<&'static Chosen<OscOps>>> {
    let runtime = runtime();
    let named = win.info.lock().given(COMPONENTS).is_some();
    if !named {
        return Ok(runtime.oscs.iter().collect());
    }
    let chosen = runtime.system.select_many::<OscOps>(&win.view().scope).map_err(problem)?;
    // Those that serve the process are open as long as it runs.
    let same = |one: &Chosen<OscOps>| runtime.oscs.iter().find(|own| own.instance == one.instance);
    let components: Vec<_> = chosen.iter().filter_map(same).collect();
    if components.is_empty() {
        let text =
            format!("no component that serves the process is one of those that {COMPONENTS} names");
        return Err(Error::new(MPI_ERR_OTHER, text));
    }
    Ok(components)
}

fn notice(
    win: WinRef,
    decided: Decided,
    remote: [u64; 3],
    components: &Result<Vec<&'static Chosen<OscOps>>>,
) -> Notice {
    let mut names = DefaultHasher::new();
    let mut error = MPI_SUCCESS;
    match components {
        Ok(components) => components.iter().for_each(|one| one.name.hash(&mut names)),
        Err(wrong) => error = wrong.code(),
    }
    let Decided { flags, ordering, .. } = decided;
    Notice { error, flavor: win.flavor(), remote, flags, ordering, components: names.finish() }
}

fn exchange(comm: CommRef, own: Notice) -> Result<Vec<Notice>> {
    let mut all = vec![Notice::default(); comm.size() as usize];
    let sent = (&raw const own).cast();
    // SAFETY: numbers without gaps between them, and one notice of each process.
    unsafe { gather_bytes(comm, sent, all.as_mut_ptr().cast(), size_of::<Notice>()) }?;
    Ok(all)
}

/// Whether all processes make the same window, and none has found something wrong.
fn agreed(all: &[Notice], own: &Notice) -> Result<()> {
    for (rank, other) in all.iter().enumerate() {
        if other.error != MPI_SUCCESS {
            let text = format!("rank {rank} can't take part in the window");
            return Err(Error::new(other.error, text));
        }
        if other.flavor != own.flavor {
            let text = format!("rank {rank} makes a window of another flavor");
            return Err(Error::new(MPI_ERR_RMA_FLAVOR, text));
        }
        if other.components != own.components {
            let text = format!("rank {rank} may use other components of osc than this process");
            return Err(Error::new(MPI_ERR_OTHER, text));
        }
    }
    Ok(())
}
