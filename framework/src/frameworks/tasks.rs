//! **tasks** — who executes internal tasks.
//!
//! A large copy, pack or unpack is cut into pieces; idle threads take some, and the thread that
//! needs the result does all that nobody took (Jain et al. §3). A component decides who is idle:
//! nobody (*inline*), threads blocked in MPI (*waiters*), the application's own runtime (*openmp*),
//! threads of its own (*pool*).
//!
//! **Life.** One component serves the process.
//!
//! **Threads and locks.** All functions are called by any thread, any number at once, with no lock
//! held. A task is run exactly once, by `submit`, by `run` or by a thread of the component.
//!
//! **Ownership.** A [`Task`] belongs to the component from `submit` until it has counted its group
//! down; the count is the last access.

use super::{contract, shims};
use crate::abi::component::Instance;
use crate::abi::task::Task;
use crate::abi::thread::Thread;
use crate::author::{self, Component};

/// Major version of this contract.
pub const TASKS_MAJOR: u16 = 1;
/// Minor version of this contract.
pub const TASKS_MINOR: u16 = 0;

/// A task runner's functions.
#[repr(C)]
#[derive(Debug)]
pub struct TasksOps {
    /// Size of this struct in bytes, as the author's header has it.
    pub struct_size: u32,
    /// Zero.
    pub reserved: u32,
    /// Takes a task; runs it at once when nobody is idle. Required.
    pub submit: Option<unsafe extern "C" fn(instance: *mut Instance, task: *mut Task)>,
    /// How many threads besides the caller could run a task now; a caller that gets 0 need not cut
    /// its work. A guess. Required.
    pub helpers: Option<unsafe extern "C" fn(instance: *mut Instance) -> u32>,
    /// The calling thread has nothing else to do: runs at most `most` tasks and returns how many.
    /// Default: none.
    pub run:
        Option<unsafe extern "C" fn(instance: *mut Instance, thread: &Thread, most: u32) -> u32>,
}

contract! {
    TasksOps: "tasks", version (TASKS_MAJOR, TASKS_MINOR), One,
        "who executes internal tasks";
    required submit;
    required helpers;
    optional run since 0 = nothing_to_run;
}

unsafe extern "C" fn nothing_to_run(_: *mut Instance, _: &Thread, _: u32) -> u32 {
    0
}

/// Runs a task and counts its group down.
///
/// # Safety
/// The task is complete, was submitted, and has not been run.
pub unsafe fn run_task(task: *mut Task) {
    // SAFETY: promised by the caller. Everything is read before the count, because the submitter
    // may free the task after it.
    unsafe {
        let (run, context, remaining) = ((*task).run, (*task).context, (*task).remaining);
        if let Some(run) = run {
            run(context);
        }
        // Release pairs with the submitter's Acquire load of zero.
        (*remaining).fetch_sub(1, core::sync::atomic::Ordering::Release);
    }
}

/// A task runner in Rust. Functions correspond to those of [`TasksOps`].
pub trait Tasks: Component {
    /// Takes a task.
    ///
    /// # Safety
    /// The task is complete and stays valid until its group is counted down; [`run_task`] runs it.
    unsafe fn submit(&self, task: *mut Task);
    /// How many threads besides the caller could run a task now.
    fn helpers(&self) -> u32;
    /// Runs at most `most` tasks on the calling thread.
    fn run(&self, _thread: &Thread, _most: u32) -> u32 {
        0
    }
}

/// The table of a component in Rust; the `component!` macro puts it into the descriptor.
pub const fn ops<T: Tasks>() -> TasksOps {
    TasksOps {
        struct_size: size_of::<TasksOps>() as u32,
        reserved: 0,
        submit: Some(submit::<T>),
        helpers: Some(helpers::<T>),
        run: Some(run::<T>),
    }
}

shims! { T: Tasks;
    fn submit(instance: *mut Instance, task: *mut Task) = no_unwind {
        author::component::<T>(instance).submit(task)
    }
    fn helpers(instance: *mut Instance) -> u32 = no_unwind {
        author::component::<T>(instance).helpers()
    }
    fn run(instance: *mut Instance, thread: &Thread, most: u32) -> u32 = no_unwind {
        author::component::<T>(instance).run(thread, most)
    }
}
