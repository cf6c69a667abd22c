//! Waiting for a sync object, by the process's `wait` component or without one.

use std::cell::Cell;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::progress::Want;
use super::{sleep, table, threads};
use crate::abi::job::THREAD_MULTIPLE;
use crate::abi::pool::CriSet;
use crate::abi::request::{SYNC_SIGNALLED, WaitSync};
use crate::abi::status::{DONE, ERR_ARGUMENT, OK, OutcomeCode, Status};
use crate::abi::thread::Thread;
use crate::frameworks::progress::{PROGRESS_BY_OTHERS, PROGRESS_SINGLE, ProgressOps};
use crate::frameworks::wait::WaitMeans;
use crate::host::system::{Chosen, System};

/// Waits until `sync` is complete; `cris` says where the events of what it waits for can come from, if
/// that is known.
pub(crate) fn wait(system: &'static System, sync: &WaitSync, cris: Option<&CriSet>) -> Status {
    if system.engine.inside() {
        return table::failed(ERR_ARGUMENT, "a callback of the progress engine can't wait");
    }
    threads::current().counts.waits.add(1);
    let lent = Lent::new(system, cris);
    let status = match system.wait.get() {
        Some(component) => {
            let means = lent.means(threads::current().thread());
            // SAFETY: the table is complete and the component open.
            unsafe { (component.ops.wait.unwrap_unchecked())(component.instance, sync, &means) }
        }
        None => {
            while !sync.is_complete() {
                if lent.pass(sync) == 0 {
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
    let lent = Lent::new(system, None);
    let means = lent.means(threads::current().thread());
    // SAFETY: the table is complete, and the component stays open until the thread has ended.
    unsafe { (progress.ops.background.unwrap_unchecked())(progress.instance, sync, &means) };
    system.engine.leave(sync);
}

/// What stands behind the means that are lent for one wait.
struct Lent<'a> {
    system: &'static System,
    /// Where its events can come from.
    cris: Option<&'a CriSet>,
    /// Passes that were made for it.
    attempts: Cell<u32>,
}

impl<'a> Lent<'a> {
    fn new(system: &'static System, cris: Option<&'a CriSet>) -> Self {
        Self { system, cris, attempts: Cell::new(0) }
    }

    /// Makes a pass. Where others poll for this thread it sleeps until it has to do something, and then
    /// makes one.
    fn pass(&self, sync: &WaitSync) -> u32 {
        let pass = || {
            let attempts = self.attempts.get();
            // A wait never becomes a single pass, however long it takes.
            self.attempts.set(if attempts < PROGRESS_SINGLE - 1 { attempts + 1 } else { 1 });
            self.system.pass(&Want { sync: Some(sync), cris: self.cris, attempts })
        };
        let mut events = pass();
        while events == PROGRESS_BY_OTHERS {
            // Also where the one that completes it is not yet out again, which may need this processor for that.
            if sync.is_complete() || sync.sleeping.load(Ordering::Relaxed) == SYNC_SIGNALLED {
                return 0;
            }
            sleep::until_roused(sync, || {
                events = pass();
                events == PROGRESS_BY_OTHERS
            });
        }
        events
    }

    fn means(&self, thread: &Thread) -> WaitMeans {
        WaitMeans {
            struct_size: size_of::<WaitMeans>() as u32,
            threads: threads::living(),
            thread,
            poll,
            sleep,
            host_private: std::ptr::from_ref(self).cast(),
        }
    }
}

/// # Safety
/// The means are those that `wait` lends.
unsafe fn lent(means: &WaitMeans) -> &Lent<'_> {
    // SAFETY: promised by the caller.
    unsafe { &*means.host_private.cast() }
}

unsafe extern "C" fn poll(means: &WaitMeans, sync: &WaitSync) -> u32 {
    // SAFETY: lent by `wait`.
    unsafe { lent(means) }.pass(sync)
}

unsafe extern "C" fn sleep(means: &WaitMeans, sync: &WaitSync, microseconds: u32) -> OutcomeCode {
    // SAFETY: lent by `wait`.
    let system = unsafe { lent(means) }.system;
    let threaded = system.job().thread_level == THREAD_MULTIPLE;
    let begin = Instant::now();
    let outcome = system.sleeper.sleep(system.modules(), threaded, sync, microseconds);
    // A thread that sleeps makes few passes, and nothing else may tell of what is looked at in one of many: that a
    // process has died, for example.
    if outcome == DONE && begin.elapsed() >= Duration::from_micros(microseconds.into()) {
        system.engine.seldom();
    }
    outcome
}
