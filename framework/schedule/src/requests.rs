//! Operations with a request, nonblocking and persistent: a progress callback advances their
//! schedules.
//!
//! ```text
//!   start ─► first steps ─┬─► complete
//!                         └─► running ─► progress: messages complete? ─► next steps ─► complete
//!   free: back to idle, at once or when it completes
//! ```
//!
//! A function of the program that reduces may wait for another thread, which begins operations and waits for others. So
//! a pass that comes to such an operation takes it aside, and advances it when it has left the lists.

use core::cell::UnsafeCell;
use core::ffi::c_void;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::OnceLock;

use cairn_framework::abi::comm::Comm;
use cairn_framework::abi::host::PROGRESS_EVERY_PASS;
use cairn_framework::abi::job::THREAD_MULTIPLE;
use cairn_framework::abi::lock::Lock;
use cairn_framework::abi::request::{
    MessageStatus, REQUEST_COLLECTIVE, REQUEST_COMPLETE, REQUEST_MAGIC, REQUEST_PENDING, Request,
};
use cairn_framework::abi::status::{ERR_TRUNCATED, OK, Status};
use cairn_framework::audit::LockLevel;
use cairn_framework::author::{Failure, HostHandle};

use crate::link::{self, Channel, Link};
use crate::schedule::{Schedule, Step};

/// An operation with a request. Its memory is used for nothing else, and stays until the component
/// is closed.
#[repr(C)]
pub struct Operation {
    /// The MPI layer has its address.
    head: Request,
    engine: *const Engine,
    link: Option<Link>,
    channel: Channel,
    schedule: Schedule,
    /// The next step.
    position: usize,
    /// What went wrong.
    error: Status,
    /// Its steps call a function of the program.
    calls_program: bool,
    /// Started and not complete.
    running: bool,
    /// Given back by the MPI layer.
    freed: bool,
}

/// All operations with requests of a process.
pub struct Engine {
    host: HostHandle,
    threaded: bool,
    /// Guards the lists and the flags of the operations, with several threads.
    lock: Lock,
    lists: UnsafeCell<Lists>,
    /// Length of `running`, for passes that find nothing to do. Written under the lock.
    count: AtomicUsize,
    /// Whether the progress callback could be added.
    callback: OnceLock<Result<(), Failure>>,
}

#[derive(Default)]
struct Lists {
    running: Vec<*mut Operation>,
    /// Running, and a pass has them for itself.
    aside: Vec<*mut Operation>,
    idle: Vec<*mut Operation>,
}

// SAFETY: the lists are used by the holder of the lock, or by the only thread.
unsafe impl Sync for Engine {}
// SAFETY: operations are not tied to a thread.
unsafe impl Send for Engine {}

impl Engine {
    pub fn new(host: HostHandle) -> Self {
        Self {
            host,
            threaded: host.job().thread_level == THREAD_MULTIPLE,
            lock: Lock::new(),
            lists: UnsafeCell::default(),
            count: AtomicUsize::new(0),
            callback: OnceLock::new(),
        }
    }

    /// Works on the lists. `work` calls nothing that could come back here.
    fn lists<R>(&self, work: impl FnOnce(&mut Lists) -> R) -> R {
        let _guard = self.threaded.then(|| self.lock.guard_as(LockLevel::OPERATIONS));
        // SAFETY: with the lock, or with one thread only; and `work` does not come back.
        unsafe { work(&mut *self.lists.get()) }
    }

    /// An operation that is not started, with the schedule that `write` fills.
    ///
    /// # Safety
    /// The memory of the steps and the channel stay valid until the operation is complete, and this
    /// engine until it is closed.
    pub unsafe fn prepare(
        &self,
        link: Link,
        channel: Channel,
        persistent: bool,
        write: impl FnOnce(&mut Schedule) -> Result<(), Failure>,
    ) -> Result<*mut Operation, Failure> {
        let added = self.callback.get_or_init(|| {
            let context = core::ptr::from_ref(self).cast_mut().cast();
            // SAFETY: the engine stays until `close`, which takes the callback out.
            unsafe { self.host.progress_add(progress, context, PROGRESS_EVERY_PASS) }
        });
        added.clone()?;
        let operation = self.lists(|lists| lists.idle.pop()).unwrap_or_else(|| {
            Box::into_raw(Box::new(Operation {
                head: head(),
                engine: self,
                link: None,
                channel,
                schedule: Schedule::new(),
                position: 0,
                error: OK,
                calls_program: false,
                running: false,
                freed: false,
            }))
        });
        // SAFETY: it was idle or is new, so no other thread has it.
        unsafe {
            (*operation).link = Some(link);
            (*operation).channel = channel;
            (*operation).freed = false;
            if let Err(failure) = write(&mut (*operation).schedule) {
                self.lists(|lists| lists.idle.push(operation));
                return Err(failure);
            }
            (*operation).calls_program = (*operation).schedule.calls_program();
            (*operation).head = head();
            if persistent {
                // What waits for a request that is not started finds nothing to wait for.
                (*operation).head.completion = AtomicUsize::new(REQUEST_COMPLETE);
                (*operation).head.start = Some(start);
            }
        }
        Ok(operation)
    }

    /// Starts it.
    ///
    /// # Safety
    /// Made by `prepare` and not running.
    pub unsafe fn start(&self, operation: *mut Operation) {
        // SAFETY: promised by the caller: it is not used otherwise before it is in the list.
        unsafe {
            (*operation).position = 0;
            (*operation).error = OK;
            (*operation).head.status = ended(OK);
            // The thread that started it hands the request on, if to another thread with a Release.
            (*operation).head.completion.store(REQUEST_PENDING, Ordering::Relaxed);
            let complete = (*operation).advance();
            self.lists(|lists| {
                (*operation).running = true;
                if complete {
                    finish(lists, operation);
                } else {
                    lists.running.push(operation);
                    self.count.store(lists.running.len(), Ordering::Relaxed);
                }
            });
        }
    }

    /// Advances what can be advanced and returns how many operations completed.
    fn pass(&self) -> u32 {
        if self.count.load(Ordering::Relaxed) == 0 {
            return 0;
        }
        // Another thread that is at it does what there is to do.
        let guard = self.threaded.then(|| self.lock.try_guard_as(LockLevel::OPERATIONS));
        if let Some(None) = guard {
            return 0;
        }
        // SAFETY: with the lock, or with one thread only. A pass does not come back here, because
        // passes do not nest, and completing a request only wakes a waiter.
        let lists = unsafe { &mut *self.lists.get() };
        let (mut completed, mut aside) = (0, Vec::new());
        let mut i = 0;
        while i < lists.running.len() {
            let operation = lists.running[i];
            // SAFETY: operations in the list are alive, and the holder of the list has them.
            unsafe {
                if (*operation).calls_program {
                    if (*operation).waits() {
                        i += 1;
                    } else {
                        aside.push(lists.running.swap_remove(i));
                    }
                } else if (*operation).advance() {
                    lists.running.swap_remove(i);
                    finish(lists, operation);
                    completed += 1;
                } else {
                    i += 1;
                }
            }
        }
        lists.aside.extend(&aside);
        self.count.store(lists.running.len(), Ordering::Relaxed);
        drop(guard);
        for operation in aside {
            // SAFETY: it is alive, and this pass alone has it.
            let complete = unsafe { (*operation).advance() };
            self.lists(|lists| {
                lists.aside.retain(|other| *other != operation);
                if complete {
                    // SAFETY: it is running, and now in no list.
                    unsafe { finish(lists, operation) };
                } else {
                    lists.running.push(operation);
                    self.count.store(lists.running.len(), Ordering::Relaxed);
                }
            });
            completed += u32::from(complete);
        }
        completed
    }

    /// How many operations of a communicator are running.
    pub fn running_on(&self, comm: *const Comm) -> u64 {
        // SAFETY: operations in the list are alive.
        let on = |operation: &&*mut Operation| unsafe {
            core::ptr::eq((***operation).channel.comm, comm)
        };
        self.lists(|lists| lists.running.iter().chain(&lists.aside).filter(on).count() as u64)
    }

    /// Takes the callback out and frees everything. No operation is in flight.
    pub fn close(&self) {
        if let Some(Ok(())) = self.callback.get() {
            self.host.progress_remove(progress, core::ptr::from_ref(self).cast_mut().cast());
        }
        self.lists(|lists| {
            for operation in lists.idle.drain(..) {
                // SAFETY: boxed by `prepare`, and given back.
                drop(unsafe { Box::from_raw(operation) });
            }
        });
    }
}

/// A request that is in progress.
fn head() -> Request {
    Request {
        magic: REQUEST_MAGIC,
        kind: REQUEST_COLLECTIVE,
        completion: AtomicUsize::new(REQUEST_PENDING),
        status: ended(OK),
        free: Some(free),
        cancel: None, // MPI does not let collective operations be cancelled
        start: None,
        object: core::ptr::null_mut(),
        struct_size: size_of::<Request>() as u32,
        active: 0,
    }
}

/// The status of an operation without a source: any source, any tag.
fn ended(error: Status) -> MessageStatus {
    MessageStatus { source: -1, tag: -2, error, cancelled: 0, bytes: 0 }
}

/// Completes an operation, or takes it back when it is not wanted any more.
///
/// # Safety
/// It is running and in no list; the caller has the lists.
unsafe fn finish(lists: &mut Lists, operation: *mut Operation) {
    // SAFETY: promised by the caller. Completing comes last: then its owner may free it, but not
    // before the caller leaves the lists.
    unsafe {
        (*operation).running = false;
        if (*operation).freed {
            lists.idle.push(operation);
        } else {
            (*operation).head.status = ended((*operation).error);
            (*operation).head.complete();
        }
    }
}

impl Operation {
    /// Goes as far as it can; true when there is nothing left to do.
    ///
    /// # Safety
    /// The caller has the operation for itself; memory and channel are valid.
    unsafe fn advance(&mut self) -> bool {
        let Some(link) = self.link else { return true };
        // SAFETY: promised by the caller.
        unsafe {
            while !self.waits() {
                if self.is_over() || self.position == self.schedule.steps.len() {
                    return true;
                }
                let mut pending = core::mem::take(&mut self.schedule.pending);
                let done = self.round(&link, &mut pending);
                self.schedule.pending = pending;
                if let Err(failure) = done {
                    self.fail(failure.status);
                }
            }
        }
        false
    }

    /// Whether something that was started is not complete.
    ///
    /// # Safety
    /// As for `advance`.
    unsafe fn waits(&mut self) -> bool {
        // SAFETY: promised by the caller.
        unsafe {
            let status = link::collect(&mut self.schedule.pending);
            if status != OK {
                self.fail(status);
            }
        }
        !self.schedule.pending.is_empty()
    }

    /// Does the steps up to the next wait.
    ///
    /// # Safety
    /// As for `advance`.
    unsafe fn round(
        &mut self,
        link: &Link,
        pending: &mut Vec<*mut Request>,
    ) -> Result<(), Failure> {
        while let Some(step) = self.schedule.steps.get(self.position) {
            self.position += 1;
            // SAFETY: promised by the caller.
            unsafe {
                match step {
                    Step::Wait => break,
                    Step::Send { .. } | Step::Receive { .. } => {
                        link.start(self.channel, step, pending)?;
                    }
                    Step::Copy { .. } | Step::Reduce { .. } => self.schedule.compute(step)?,
                }
            }
        }
        Ok(())
    }

    /// Whether an error has ended it. Data that has no room ends nothing: others wait for what this
    /// process has to send.
    fn is_over(&self) -> bool {
        !matches!(self.error, OK | ERR_TRUNCATED)
    }

    /// Notes an error, and tries to end what is under way if the operation can't go on.
    ///
    /// # Safety
    /// As for `advance`.
    unsafe fn fail(&mut self, status: Status) {
        if self.is_over() {
            return;
        }
        self.error = status;
        if self.is_over() {
            // SAFETY: promised by the caller.
            unsafe { link::cancel(&self.schedule.pending) };
        }
    }
}

unsafe extern "C" fn progress(context: *mut c_void) -> u32 {
    // SAFETY: `prepare` added it with its engine, which stays until the callback is taken out.
    unsafe { &*context.cast::<Engine>() }.pass()
}

unsafe extern "C" fn free(request: *mut Request) {
    let operation = request.cast::<Operation>();
    // SAFETY: a request of this component that the MPI layer gives back, once. Its engine lives.
    unsafe {
        (*(*operation).engine).lists(|lists| {
            (*request).magic = 0;
            (*operation).freed = true;
            if !(*operation).running {
                lists.idle.push(operation);
            }
        });
    }
}

unsafe extern "C" fn start(request: *mut Request) -> Status {
    let operation = request.cast::<Operation>();
    // SAFETY: a persistent request of this component that is not active.
    unsafe { (*(*operation).engine).start(operation) };
    OK
}
