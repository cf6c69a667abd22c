//! Waiting for a sync object, by the process's `wait` component or without one.

use std::cell::Cell;

use super::{table, threads};
use crate::abi::job::THREAD_MULTIPLE;
use crate::abi::request::WaitSync;
use crate::abi::status::{ERR_ARGUMENT, OK, OutcomeCode, Status};
use crate::abi::thread::Thread;
use crate::frameworks::progress::ProgressOps;
use crate::frameworks::wait::WaitMeans;
use crate::host::system::{Chosen, System};

/// Waits until `sync` is complete.
pub(crate) fn wait(system: &'static System, sync: &WaitSync) -> Status {
    if system.engine.inside() {
        return table::failed(ERR_ARGUMENT, "a callback of the progress engine can't wait");
    }
    threads::current().counts.waits.add(1);
    let misses = Cell::new(0);
    let status = match system.wait.get() {
        Some(component) => {
            let lent = Lent { system, misses: &misses };
            let means = lent.means(threads::current().thread());
            // SAFETY: the table is complete and the component open.
            unsafe { (component.ops.wait.unwrap_unchecked())(component.instance, sync, &means) }
        }
        None => {
            while !sync.is_complete() {
                if pass(system, sync, &misses) == 0 {
                    std::thread::yield_now();
                }
            }
            OK
        }
    };
    system.engine.leave(sync);
    status
}

/// Makes passes on a thread of the progress component's own, until `sync` is complete.
pub(crate) fn background(system: &'static System, progress: &Chosen<ProgressOps>, sync: &WaitSync) {
    let misses = Cell::new(0);
    let lent = Lent { system, misses: &misses };
    let means = lent.means(threads::current().thread());
    // SAFETY: the table is complete, and the component stays open until the thread has ended.
    unsafe { (progress.ops.background.unwrap_unchecked())(progress.instance, sync, &means) };
    system.engine.leave(sync);
}

/// What stands behind the means that are lent for one wait.
struct Lent<'a> {
    system: &'static System,
    /// Passes in a row without an event.
    misses: &'a Cell<u32>,
}

impl Lent<'_> {
    fn means(&self, thread: &Thread) -> WaitMeans {
        WaitMeans {
            struct_size: size_of::<WaitMeans>() as u32,
            threads: threads::living(),
            thread,
            poll,
            sleep,
            help,
            host_private: std::ptr::from_ref(self).cast(),
        }
    }
}

fn pass(system: &System, sync: &WaitSync, misses: &Cell<u32>) -> u32 {
    let events = system.pass(Some(sync), misses.get());
    misses.set(if events == 0 { misses.get().saturating_add(1) } else { 0 });
    events
}

/// # Safety
/// The means are those that `wait` lends.
unsafe fn lent(means: &WaitMeans) -> &Lent<'_> {
    // SAFETY: promised by the caller.
    unsafe { &*means.host_private.cast() }
}

unsafe extern "C" fn poll(means: &WaitMeans, sync: &WaitSync) -> u32 {
    // SAFETY: lent by `wait`.
    let lent = unsafe { lent(means) };
    pass(lent.system, sync, lent.misses)
}

unsafe extern "C" fn sleep(means: &WaitMeans, sync: &WaitSync, microseconds: u32) -> OutcomeCode {
    // SAFETY: lent by `wait`.
    let system = unsafe { lent(means) }.system;
    let threaded = system.job().thread_level == THREAD_MULTIPLE;
    system.sleeper.sleep(system.modules(), threaded, sync, microseconds)
}

unsafe extern "C" fn help(means: &WaitMeans) -> u32 {
    // SAFETY: lent by `wait`.
    let system = unsafe { lent(means) }.system;
    system.tasks.get().map_or(0, |tasks| {
        // SAFETY: the table is complete and the component open.
        unsafe { (tasks.ops.run.unwrap_unchecked())(tasks.instance, &*means.thread, 1) }
    })
}
