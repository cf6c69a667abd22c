//! Threads of the library that make progress while the program computes.
//!
//! A `progress` component says how many it wants and what they do; they are made here when everything
//! is connected and end before anything closes.

use std::thread::JoinHandle;

use crate::abi::lock::Mutex;

use super::System;
use crate::abi::request::WaitSync;
use crate::abi::scope::{SCOPE_PROCESS, Scope};
use crate::frameworks::progress::ProgressOps;
use crate::host::problem::Problem;
use crate::host::services::waiting;

/// What a `progress` component asks for before there is a job.
#[derive(Debug, Clone, Copy)]
pub struct ProgressWishes {
    /// Threads of its own.
    pub threads: u32,
    /// With how many passes at most a wait may begin before the thread says that it waits.
    pub anonymous_passes: u32,
}

/// The threads that run.
#[derive(Default)]
pub(super) struct Background(Mutex<Vec<Worker>>);

struct Worker {
    thread: JoinHandle<()>,
    /// Complete when the thread shall end. Leaked: one a thread and process.
    stop: &'static WaitSync,
}

impl System {
    /// What the `progress` component that serves wants. Before the job is set: if it wants threads, the
    /// job's level must be `MPI_THREAD_MULTIPLE` whatever the program asked for.
    ///
    /// # Errors
    /// As for [`System::select_one`].
    pub fn progress_wishes(&'static self) -> Result<ProgressWishes, Problem> {
        if !self.slots.iter().any(|slot| slot.loaded.contract.name == "progress") {
            return Ok(ProgressWishes { threads: 0, anonymous_passes: u32::MAX });
        }
        let scope = Scope::new(SCOPE_PROCESS, 0, 1, c"process");
        let progress = self.select_one::<ProgressOps>(&scope)?;
        // SAFETY: the table is complete and the component open.
        unsafe {
            Ok(ProgressWishes {
                threads: (progress.ops.threads.unwrap_unchecked())(progress.instance),
                anonymous_passes: (progress.ops.anonymous_passes.unwrap_unchecked())(
                    progress.instance,
                ),
            })
        }
    }

    /// Starts them, when everything is connected.
    ///
    /// # Errors
    /// As for [`System::select_one`]; the system gives no thread.
    pub fn start_background(&'static self) -> Result<(), Problem> {
        for _ in 0..self.progress_wishes()?.threads {
            let scope = Scope::new(SCOPE_PROCESS, 0, 1, c"process");
            let progress = self.select_one::<ProgressOps>(&scope)?;
            let stop: &'static WaitSync = Box::leak(Box::new(WaitSync::of(1)));
            let thread = crate::sys::spawn_quiet("cairn-progress", move || {
                waiting::background(self, &progress, stop);
            });
            let thread = thread.map_err(|error| {
                Problem::new(format!("there is no thread for progress: {error}"))
                    .fix("choose another component with --mca progress")
            })?;
            self.background.0.lock().push(Worker { thread, stop });
        }
        Ok(())
    }

    /// Ends them and waits until they are gone. With no lock held, and from none of them.
    pub fn stop_background(&self) {
        let workers = std::mem::take(&mut *self.background.0.lock());
        for worker in workers {
            worker.stop.complete_one();
            // One that has panicked has told so, and is gone, too.
            let _ = worker.thread.join();
        }
    }
}
