//! Threads of the library that make progress while the program computes.
//!
//! A `progress` component says how many it wants and what they do; they are made here when everything
//! is connected and end before anything closes.

use std::thread::JoinHandle;

use parking_lot::Mutex;

use super::System;
use crate::abi::request::WaitSync;
use crate::abi::scope::{SCOPE_PROCESS, Scope};
use crate::frameworks::progress::ProgressOps;
use crate::host::problem::Problem;
use crate::host::services::waiting;

/// The threads that run.
#[derive(Default)]
pub(super) struct Background(Mutex<Vec<Worker>>);

struct Worker {
    thread: JoinHandle<()>,
    /// Complete when the thread shall end. Leaked: one a thread and process.
    stop: &'static WaitSync,
}

impl System {
    /// Threads that the `progress` component that serves wants for itself. Before the job is set: if
    /// there are any, its level must be `MPI_THREAD_MULTIPLE` whatever the program asked for.
    ///
    /// # Errors
    /// As for [`System::select_one`].
    pub fn background_threads(&'static self) -> Result<u32, Problem> {
        if !self.slots.iter().any(|slot| slot.loaded.contract.name == "progress") {
            return Ok(0);
        }
        let scope = Scope::new(SCOPE_PROCESS, 0, 1, c"process");
        let progress = self.select_one::<ProgressOps>(&scope)?;
        // SAFETY: the table is complete and the component open.
        Ok(unsafe { (progress.ops.threads.unwrap_unchecked())(progress.instance) })
    }

    /// Starts them, when everything is connected.
    ///
    /// # Errors
    /// As for [`System::select_one`]; the system gives no thread.
    pub fn start_background(&'static self) -> Result<(), Problem> {
        for _ in 0..self.background_threads()? {
            let scope = Scope::new(SCOPE_PROCESS, 0, 1, c"process");
            let progress = self.select_one::<ProgressOps>(&scope)?;
            let stop: &'static WaitSync =
                Box::leak(Box::new(WaitSync { pending: 1.into(), ..WaitSync::default() }));
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
