//! Synchronization (MPI 5.0, section 12.5). The state of the epochs is checked and changed here, the rest is
//! the component's.

use std::ffi::c_int;

use cairn_framework::abi::status::DONE;
use cairn_framework::frameworks::osc::{
    OSC_COMPLETE, OSC_FENCE, OSC_FLUSH, OSC_FLUSH_LOCAL, OSC_LOCK, OSC_LOCK_ALL, OSC_POST,
    OSC_START, OSC_SYNC, OSC_TEST, OSC_UNLOCK, OSC_UNLOCK_ALL, OSC_WAIT, OscSync, WINDOW_NO_LOCKS,
};

use crate::calls::comm::related::ranks_in;
use crate::prelude::*;

/// What stands for all targets.
const ALL: i32 = -1;

/// A synchronization without anything special.
fn plain(kind: u32) -> OscSync {
    OscSync {
        struct_size: size_of::<OscSync>() as u32,
        kind,
        assertions: 0,
        target: ALL,
        ranks: std::ptr::null(),
        rank_count: 0,
        shared: 0,
    }
}

/// What a rule of the epochs says, where rules are checked.
fn by_rule(rule: Result<()>) -> Result<()> {
    if check::enabled() { rule } else { Ok(()) }
}

/// The assertions of a function, which knows only some.
fn assertions(assert: c_int, known: c_int) -> Result<u32> {
    if check::enabled() && assert & !known != 0 {
        let text = "it has bits that are no assertions of this function";
        return Err(Error::argument(MPI_ERR_ASSERT, "assert", assert, text));
    }
    Ok((assert & known) as u32)
}

pub fn win_fence(assert: c_int, win: WinRef) -> Result<()> {
    let known = MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED;
    let assertions = assertions(assert, known)?;
    by_rule(win.epochs.fence(assert & MPI_MODE_NOPRECEDE == 0))?;
    let fenced = win.synchronize(&OscSync { assertions, ..plain(OSC_FENCE) });
    win.epochs.fenced(assert & MPI_MODE_NOSUCCEED == 0);
    fenced.map(drop)
}

/// The ranks of a group's processes in the window.
fn members(group: &GroupBody, win: WinRef) -> Result<Vec<u32>> {
    ranks_in(win.comm, &group.ranks)
}

pub fn win_start(group: GroupBody, assert: c_int, win: WinRef) -> Result<()> {
    let assertions = assertions(assert, MPI_MODE_NOCHECK)?;
    let targets = members(&group, win)?;
    by_rule(win.epochs.start(&targets))?;
    let (ranks, rank_count) = (targets.as_ptr(), targets.len() as u32);
    let sync = OscSync { assertions, ranks, rank_count, ..plain(OSC_START) };
    let started = win.synchronize(&sync).inspect_err(|_| drop(win.epochs.complete()));
    started.map(drop)
}

pub fn win_complete(win: WinRef) -> Result<()> {
    by_rule(win.epochs.complete())?;
    win.synchronize(&plain(OSC_COMPLETE)).map(drop)
}

pub fn win_post(group: GroupBody, assert: c_int, win: WinRef) -> Result<()> {
    let assertions = assertions(assert, MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT)?;
    let origins = members(&group, win)?;
    by_rule(win.epochs.post())?;
    let (ranks, rank_count) = (origins.as_ptr(), origins.len() as u32);
    let sync = OscSync { assertions, ranks, rank_count, ..plain(OSC_POST) };
    win.synchronize(&sync).inspect_err(|_| win.epochs.waited()).map(drop)
}

pub fn win_wait(win: WinRef) -> Result<()> {
    by_rule(win.epochs.wait())?;
    let waited = win.synchronize(&plain(OSC_WAIT));
    win.epochs.waited();
    waited.map(drop)
}

pub fn win_test(win: WinRef, flag: Out<c_int>) -> Result<()> {
    by_rule(win.epochs.wait())?;
    let ended = win.synchronize(&plain(OSC_TEST))? == DONE;
    if ended {
        win.epochs.waited();
    }
    flag.set(ended.into());
    Ok(())
}

/// Whether a program may lock, which it may have said that it does not.
fn lockable(win: WinRef) -> Result<()> {
    if check::enabled() && win.view().flags & WINDOW_NO_LOCKS != 0 {
        let text = "the window was made with the info key no_locks";
        return Err(Error::new(MPI_ERR_RMA_SYNC, text));
    }
    Ok(())
}

pub fn win_lock(lock_type: c_int, rank: c_int, assert: c_int, win: WinRef) -> Result<()> {
    let shared = match lock_type {
        MPI_LOCK_SHARED => 1,
        MPI_LOCK_EXCLUSIVE => 0,
        other => {
            let text = "it must be MPI_LOCK_SHARED or MPI_LOCK_EXCLUSIVE";
            return Err(Error::argument(MPI_ERR_LOCKTYPE, "lock_type", other, text));
        }
    };
    let assertions = assertions(assert, MPI_MODE_NOCHECK)?;
    lockable(win)?;
    if rank == MPI_PROC_NULL {
        return Ok(());
    }
    by_rule(win.epochs.lock(rank as u32))?;
    let sync = OscSync { assertions, target: rank, shared, ..plain(OSC_LOCK) };
    let locked = win.synchronize(&sync).inspect_err(|_| drop(win.epochs.unlock(rank as u32)));
    locked.map(drop)
}

pub fn win_unlock(rank: c_int, win: WinRef) -> Result<()> {
    if rank == MPI_PROC_NULL {
        return Ok(());
    }
    by_rule(win.epochs.unlock(rank as u32))?;
    win.synchronize(&OscSync { target: rank, ..plain(OSC_UNLOCK) }).map(drop)
}

pub fn win_lock_all(assert: c_int, win: WinRef) -> Result<()> {
    let assertions = assertions(assert, MPI_MODE_NOCHECK)?;
    lockable(win)?;
    by_rule(win.epochs.lock_all())?;
    let sync = OscSync { assertions, shared: 1, ..plain(OSC_LOCK_ALL) };
    win.synchronize(&sync).inspect_err(|_| drop(win.epochs.unlock_all())).map(drop)
}

pub fn win_unlock_all(win: WinRef) -> Result<()> {
    by_rule(win.epochs.unlock_all())?;
    win.synchronize(&plain(OSC_UNLOCK_ALL)).map(drop)
}

fn flush(kind: u32, rank: c_int, win: WinRef) -> Result<()> {
    if rank == MPI_PROC_NULL {
        return Ok(());
    }
    if check::enabled() {
        win.epochs.permit_passive(rank as u32)?;
    }
    win.synchronize(&OscSync { target: rank, ..plain(kind) }).map(drop)
}

fn flush_all(kind: u32, win: WinRef) -> Result<()> {
    if check::enabled() {
        win.epochs.permit_flush_all()?;
    }
    win.synchronize(&plain(kind)).map(drop)
}

pub fn win_flush(rank: c_int, win: WinRef) -> Result<()> {
    flush(OSC_FLUSH, rank, win)
}

pub fn win_flush_all(win: WinRef) -> Result<()> {
    flush_all(OSC_FLUSH, win)
}

pub fn win_flush_local(rank: c_int, win: WinRef) -> Result<()> {
    flush(OSC_FLUSH_LOCAL, rank, win)
}

pub fn win_flush_local_all(win: WinRef) -> Result<()> {
    flush_all(OSC_FLUSH_LOCAL, win)
}

pub fn win_sync(win: WinRef) -> Result<()> {
    win.synchronize(&plain(OSC_SYNC)).map(drop)
}
