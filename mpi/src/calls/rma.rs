//! One-sided communication (MPI 5.0, chapter 12).
//!
//! Here windows are made and looked at; `synchronization` has the functions that open and close epochs,
//! `operations` those that move data.

use std::ffi::{CStr, CString, c_int, c_void};

use cairn_framework::frameworks::coll::COLL_BARRIER;
use cairn_framework::frameworks::osc::{WINDOW_DYNAMIC, WINDOW_SHARED};

mod create;
mod operations;
mod synchronization;

use crate::objects::win::hints::COMPONENTS;
use crate::objects::{attributes, group, info, win};
use crate::prelude::*;
use crate::runtime::{no_data, runtime};
pub use create::{win_allocate, win_allocate_shared, win_create, win_create_dynamic};
pub use operations::{
    accumulate, compare_and_swap, fetch_and_op, get, get_accumulate, put, raccumulate, rget,
    rget_accumulate, rput,
};
pub use synchronization::{
    win_complete, win_fence, win_flush, win_flush_all, win_flush_local, win_flush_local_all,
    win_lock, win_lock_all, win_post, win_start, win_sync, win_test, win_unlock, win_unlock_all,
    win_wait,
};

pub fn win_free(win: InOut<Win>) -> Result<()> {
    let handle = win.get();
    let found = win::of(handle)?;
    found.epochs.end()?;
    // While the window is still whole, so that a function that refuses leaves it so on all processes.
    attributes::delete_all(&found.attributes, handle)?;
    // SAFETY: a barrier has no buffers.
    unsafe { found.comm.run(&no_data(COLL_BARRIER)) }?;
    win.set(MPI_WIN_NULL);
    win::free(found);
    Ok(())
}

/// # Safety
/// The memory is the program's.
pub unsafe fn win_attach(win: WinRef, base: *mut c_void, size: Aint) -> Result<()> {
    dynamic_only(win)?;
    if size == 0 {
        return Ok(());
    }
    if base.is_null() {
        return Err(Error::new(MPI_ERR_RMA_ATTACH, "base is a null pointer"));
    }
    // SAFETY: by the contract of this function.
    unsafe { win.attach(base, args::length(size) as u64, true) }
}

/// # Safety
/// As for `win_attach`.
pub unsafe fn win_detach(win: WinRef, base: *const c_void) -> Result<()> {
    dynamic_only(win)?;
    // SAFETY: by the contract of this function.
    unsafe { win.attach(base.cast_mut(), 0, false) }
}

fn dynamic_only(win: WinRef) -> Result<()> {
    if win.flavor() == WINDOW_DYNAMIC {
        return Ok(());
    }
    let text = "memory is attached only to windows of MPI_Win_create_dynamic";
    Err(Error::new(MPI_ERR_RMA_FLAVOR, text))
}

pub fn win_shared_query(
    win: WinRef,
    rank: c_int,
    size: Out<Aint>,
    disp_unit: CountOut,
    baseptr: Out<*mut c_void>,
) -> Result<()> {
    if win.flavor() == WINDOW_DYNAMIC {
        let text = "the memory of a window of MPI_Win_create_dynamic is in no one place";
        return Err(Error::new(MPI_ERR_RMA_FLAVOR, text));
    }
    let remotes = win.remotes();
    let found = match rank {
        MPI_PROC_NULL => remotes.iter().position(|remote| remote.size > 0),
        rank => Some(rank as usize),
    };
    let rank = found.unwrap_or(0);
    let Some(remote) = remotes.get(rank) else {
        return Err(Error::argument(MPI_ERR_RANK, "rank", rank, "there is no such rank"));
    };
    let base = win.shared(rank as u32)?;
    if base.is_null() && remote.size > 0 && win.flavor() == WINDOW_SHARED {
        let text = format!("the memory of rank {rank} can't be reached");
        return Err(Error::new(MPI_ERR_RMA_SHARED, text));
    }
    // What can't be reached is as large as if it were not there.
    let reachable = if base.is_null() { 0 } else { remote.size };
    size.set(reachable as Aint);
    disp_unit.set(remote.displacement_unit as Count);
    baseptr.set(base);
    Ok(())
}

pub fn win_get_group(win: WinRef, group: Out<Group>) -> Result<()> {
    group.set(group::make(win.comm.group.clone(), win.comm.session.clone()));
    Ok(())
}

pub fn win_get_name(win: Win, win_name: TextOut, resultlen: Out<c_int>) -> Result<()> {
    resultlen.set(match win {
        MPI_WIN_NULL => win_name.set("MPI_WIN_NULL"),
        win => win_name.set(&win::of(win)?.name().to_string_lossy()),
    });
    Ok(())
}

pub fn win_set_name(win: WinRef, win_name: &CStr) -> Result<()> {
    let room = MPI_MAX_OBJECT_NAME as usize - 1;
    let bytes = win_name.to_bytes();
    win.set_name(CString::new(&bytes[..bytes.len().min(room)]).unwrap_or_default());
    Ok(())
}

pub fn win_get_info(win: WinRef, info_used: Out<Info>) -> Result<()> {
    let mut known = runtime().system.info_keys(&win.view().scope);
    known.retain(|(key, _)| key != COMPONENTS);
    let used = win.info.lock().in_use(win.view(), win.component(), known);
    info_used.set(info::make(used));
    Ok(())
}

pub fn win_set_info(win: WinRef, info: InfoRef) -> Result<()> {
    win.info.lock().change(&info.pairs());
    Ok(())
}
