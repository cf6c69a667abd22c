//! Waiting for a sync object, by the process's `wait` component or without one.

use std::sync::atomic::Ordering;

use super::{table, threads};
use crate::abi::request::{SYNC_POLLING, SYNC_SLEEPING, WaitSync};
use crate::abi::status::{
    DONE, ERR_ARGUMENT, ERR_UNSUPPORTED, NO_RESOURCES, OK, OutcomeCode, Status,
};
use crate::frameworks::wait::WaitMeans;
use crate::host::system::System;

/// Waits until `sync` is complete.
pub(crate) fn wait(system: &'static System, sync: &WaitSync) -> Status {
    let record = threads::current();
    if record.presence.inside() {
        return table::failed(ERR_ARGUMENT, "a callback of the progress engine can't wait");
    }
    let Some(component) = system.wait.get() else {
        while !sync.is_complete() {
            if system.engine.run(Some(sync), None, 0) == 0 {
                std::thread::yield_now();
            }
        }
        return OK;
    };
    let means = WaitMeans {
        struct_size: size_of::<WaitMeans>() as u32,
        reserved: 0,
        thread: record.thread(),
        poll,
        sleep,
        help,
        private: std::ptr::from_ref(system).cast(),
    };
    // SAFETY: the table is complete and the component open.
    unsafe { (component.ops.wait.unwrap_unchecked())(component.instance, sync, &means) }
}

/// # Safety
/// The means are those that `wait` lends.
unsafe fn system_of(means: &WaitMeans) -> &'static System {
    // SAFETY: systems live as long as the process.
    unsafe { &*means.private.cast() }
}

unsafe extern "C" fn poll(means: &WaitMeans, sync: &WaitSync) -> u32 {
    // SAFETY: lent by `wait`.
    unsafe { system_of(means) }.engine.run(Some(sync), None, 0)
}

/// Transports do not say yet what to sleep on, so only a process without any sleeps without limit.
unsafe extern "C" fn sleep(means: &WaitMeans, sync: &WaitSync, microseconds: u32) -> OutcomeCode {
    // SAFETY: lent by `wait`.
    let system = unsafe { system_of(means) };
    if microseconds == 0 && system.has_pools() {
        return ERR_UNSUPPORTED;
    }
    // Acquire and Release: the completer's exchange to SIGNALLED comes before or after this one.
    let asleep = sync.sleeping.compare_exchange(
        SYNC_POLLING,
        SYNC_SLEEPING,
        Ordering::AcqRel,
        Ordering::Acquire,
    );
    if asleep.is_err() || sync.is_complete() {
        return NO_RESOURCES;
    }
    crate::sys::futex_wait_for(&sync.sleeping, SYNC_SLEEPING, microseconds);
    let _ = sync.sleeping.compare_exchange(
        SYNC_SLEEPING,
        SYNC_POLLING,
        Ordering::AcqRel,
        Ordering::Acquire,
    );
    DONE
}

unsafe extern "C" fn help(means: &WaitMeans) -> u32 {
    // SAFETY: lent by `wait`.
    let system = unsafe { system_of(means) };
    system.tasks.get().map_or(0, |tasks| {
        // SAFETY: the table is complete and the component open.
        unsafe { (tasks.ops.run.unwrap_unchecked())(tasks.instance, &*means.thread, 1) }
    })
}
