//! Requests of the MPI layer itself: generalized ones, and such that consist of others.
//!
//! Their views have the kind `REQUEST_OTHER` and lie at the start of a [`Special`].

use std::any::Any;
use std::sync::atomic::{AtomicUsize, Ordering};

use cairn_framework::abi::request::{
    MessageStatus, REQUEST_MAGIC, REQUEST_OTHER, REQUEST_PENDING, Request as View,
};
use cairn_framework::abi::status::OK;
use cairn_framework::audit::LockLevel;
use cairn_framework::author::{Mutex, MutexGuard};

use super::comm::CommRef;
use super::generalized::Generalized;
use super::request::{self, RequestRef};
use crate::abi::generated::types::Request;
use crate::abi::status::Status;
use crate::error::{self, Result};
use crate::runtime::runtime;

/// A request of the MPI layer. Its memory is never anything else; what is gone is used again.
#[repr(C)]
pub struct Special {
    view: View,
    state: Mutex<State>,
}

struct State {
    body: Option<Body>,
    complete: bool,
    /// What became of it, where the program asked without ending it.
    known: Option<(Status, Result<()>)>,
    /// What is to be done when the program learns that it is complete is being done.
    finishing: bool,
    /// The program needs it no more; it ends when it is complete.
    freed: bool,
}

impl State {
    /// That of a request which goes on.
    fn of(body: Option<Body>) -> Self {
        Self { body, complete: false, known: None, finishing: false, freed: false }
    }
}

// SAFETY: the view is used under the rules of requests, the rest is locked.
unsafe impl Sync for Special {}
// SAFETY: as above.
unsafe impl Send for Special {}

/// What is behind such a request.
pub enum Body {
    /// Other requests, and what is done when all are complete and the program learns of it.
    Several {
        /// Those that have not been seen complete.
        parts: Vec<RequestRef>,
        /// What is started when these are complete, from progress; more parts.
        next: Option<Next>,
        /// What is done then; gives the status.
        finish: Option<Finish>,
    },
    /// A generalized request.
    Generalized(Generalized),
    /// A persistent operation with `MPI_PROC_NULL`; whether it receives.
    Idle(bool),
    /// Another persistent operation.
    Persistent(Box<dyn Persistent>),
}

/// A persistent operation that this layer carries out.
pub trait Persistent: Any {
    /// Its communicator.
    fn comm(&self) -> CommRef;
    /// What starts it, with no lock held.
    fn starter(&self) -> fn(&'static Special) -> Result<()>;
    /// The end of the request, which it was behind.
    fn end(self: Box<Self>, special: &'static Special);
}

// SAFETY: the program vouches for the buffer of a persistent request as long as it lives; the rest may
// go to any thread.
unsafe impl Send for Body {}

/// What is done when all parts are complete.
pub type Finish = Box<dyn FnOnce() -> (Status, Result<()>)>;

/// What is started when some parts are complete.
pub type Next = Box<dyn FnOnce() -> Result<Vec<RequestRef>>>;

static SPARE: Mutex<Vec<&'static Special>> = Mutex::new(Vec::new());

/// Those that the program gave away and that are complete. They end in a call of the program, never in
/// a pass of the progress engine: the last use of a communicator may end with one, and its components
/// then may wait for progress, of which there is none within a pass.
static ENDED: Mutex<Vec<Ended>> = Mutex::new(Vec::new());

enum Ended {
    Special(&'static Special),
    /// Of a component.
    Other(RequestRef),
}

// SAFETY: any thread may release a request.
unsafe impl Send for Ended {}

/// Ends what is complete and was given away. Not from progress, and with no lock held.
pub fn end_freed() {
    let next = || ENDED.lock().pop();
    while let Some(ended) = next() {
        match ended {
            Ended::Special(special) => special.end(special.state.lock()),
            Ended::Other(request) => request::release(request),
        }
    }
}

/// Releases a complete request of a component when `end_freed` is called next.
pub fn release_later(request: RequestRef) {
    ENDED.lock().push(Ended::Other(request));
}

/// Makes a request. Not from progress.
pub fn make(body: Body) -> &'static Special {
    end_freed();
    let special = SPARE.lock().pop().unwrap_or_else(|| {
        Box::leak(Box::new(Special {
            view: View {
                magic: 0,
                kind: REQUEST_OTHER,
                completion: AtomicUsize::new(REQUEST_PENDING),
                status: MessageStatus::default(),
                free: Some(free),
                cancel: None,
                start: None,
                object: std::ptr::null_mut(),
                struct_size: size_of::<View>() as u32,
                active: 0,
            },
            state: Mutex::at(LockLevel::STATE, State::of(None)),
        }))
    });
    *special.state.lock() = State::of(Some(body));
    special.view.completion.store(REQUEST_PENDING, Ordering::Relaxed);
    let view = special.view();
    // SAFETY: new or gone: no thread looks at it.
    unsafe {
        (*view).status = MessageStatus::default();
        // The one before may have been freed while it was active.
        (*view).active = 0;
        (*view).magic = REQUEST_MAGIC;
    }
    special
}

impl Special {
    fn view(&'static self) -> *mut View {
        (&raw const self.view).cast_mut()
    }

    /// The request as functions for all requests see it.
    pub fn request(&'static self) -> RequestRef {
        &self.view
    }

    /// Its handle.
    pub fn handle(&'static self) -> Request {
        Request::of(self.view())
    }

    /// Completes it. The lock keeps a thread that frees it meanwhile from using its memory again. If it
    /// was freed before, it ends when `end_freed` is called next.
    pub fn complete(&'static self) {
        let mut state = self.state.lock();
        if std::mem::replace(&mut state.complete, true) {
            return;
        }
        if state.freed {
            drop(state);
            ENDED.lock().push(Ended::Special(self));
        } else {
            // SAFETY: only waiters of this process write the completion word.
            unsafe { self.view.complete() };
        }
    }

    /// The same, with what became of it.
    pub fn complete_with(&'static self, status: Status, result: Result<()>) {
        self.state.lock().known = Some((status, result));
        self.complete();
    }

    /// Does what is to be done when the program learns that it is complete, if that was not done, and
    /// returns the status. Meanwhile it is not complete, neither for other threads nor for functions of the
    /// program that are called; no lock is held. Afterwards other threads may have ended it.
    fn learn(&'static self) -> Option<Status> {
        let mut state = self.state.lock();
        let Some(Body::Several { finish, .. }) = &mut state.body else { return None };
        let finish = finish.take()?;
        (state.finishing, state.complete) = (true, false);
        self.view.completion.store(REQUEST_PENDING, Ordering::Relaxed);
        drop(state);
        let (status, result) = finish();
        let mut state = self.state.lock();
        (state.finishing, state.known) = (false, Some((status, result)));
        drop(state);
        self.complete();
        Some(status)
    }

    /// It goes on again; for persistent ones.
    pub fn reset(&'static self) {
        let mut state = self.state.lock();
        state.complete = false;
        state.known = None;
        self.view.completion.store(REQUEST_PENDING, Ordering::Relaxed);
    }

    /// Works on the persistent operation behind it, if that is of the type.
    pub fn with<P: Persistent, T>(&self, work: impl FnOnce(&mut P) -> T) -> Option<T> {
        match &mut self.state.lock().body {
            Some(Body::Persistent(operation)) => {
                let operation: &mut dyn Any = &mut **operation;
                operation.downcast_mut().map(work)
            }
            _ => None,
        }
    }

    /// Its communicator, if it is of one.
    pub fn comm(&self) -> Option<CommRef> {
        match &self.state.lock().body {
            Some(Body::Persistent(operation)) => Some(operation.comm()),
            _ => None,
        }
    }

    /// The functions of a generalized request, until they were told that it ends.
    pub fn generalized(&self) -> Option<Generalized> {
        match self.state.lock().body {
            Some(Body::Generalized(generalized)) => Some(generalized),
            _ => None,
        }
    }

    /// Whether it is a generalized request.
    pub fn is_generalized(&self) -> bool {
        self.generalized().is_some()
    }

    /// Its end: complete, and not needed any more.
    fn end(&'static self, mut state: MutexGuard<'_, State>) {
        let body = state.body.take();
        drop(state);
        match body {
            Some(Body::Several { parts, .. }) => parts.into_iter().for_each(request::release),
            Some(Body::Generalized(generalized)) => {
                // There is no waiter that could be told of an error.
                let _ = generalized.free();
            }
            Some(Body::Persistent(operation)) => operation.end(self),
            Some(Body::Idle(_)) | None => {}
        }
        let view = self.view();
        // SAFETY: it is not used any more.
        unsafe {
            (*view).magic = 0;
            (*view).start = None;
        }
        SPARE.lock().push(self);
    }
}

/// Whether a request is one of these.
#[inline]
pub fn is(request: RequestRef) -> bool {
    request.kind == REQUEST_OTHER
}

/// The request as what it is, if it is one of these.
pub fn of(request: RequestRef) -> Option<&'static Special> {
    // SAFETY: views of this kind lie at the start of a `Special`.
    is(request).then(|| unsafe { &*std::ptr::from_ref(request).cast::<Special>() })
}

/// What became of it, if it is one of these. Done once, when the program learns of it.
pub fn outcome(request: RequestRef) -> Option<(Status, Result<()>)> {
    let special = of(request)?;
    special.learn();
    let mut state = special.state.lock();
    while state.finishing {
        // It was complete before another thread looked at it.
        drop(state);
        std::thread::yield_now();
        state = special.state.lock();
    }
    if let Some(known) = state.known.take() {
        return Some(known);
    }
    Some(match state.body.as_mut() {
        Some(Body::Generalized(generalized)) => {
            let generalized = *generalized;
            state.body = None;
            drop(state);
            generalized.end()
        }
        Some(Body::Idle(receives)) => (of_nobody(*receives), Ok(())),
        Some(Body::Several { .. } | Body::Persistent(_)) | None => (Status::EMPTY, Ok(())),
    })
}

/// The status of an operation with `MPI_PROC_NULL`.
fn of_nobody(receives: bool) -> Status {
    if receives { Status::FROM_NOBODY } else { Status::EMPTY }
}

/// The status of a complete one, which stays as it is. None where another thread, which was faster, does
/// what is to be done when the program learns that it is complete.
pub fn peek(request: RequestRef) -> Option<Status> {
    let Some(special) = of(request) else { return Some(Status::EMPTY) };
    if let Some(generalized) = special.generalized() {
        return Some(generalized.query().0);
    }
    if let Some(status) = special.learn() {
        return Some(status);
    }
    let state = special.state.lock();
    match (&state.known, &state.body) {
        _ if state.finishing => None,
        (Some((status, _)), _) => Some(*status),
        (None, Some(Body::Idle(receives))) => Some(of_nobody(*receives)),
        _ => Some(Status::EMPTY),
    }
}

/// Makes a request of others, which it owns from now on.
pub fn several(parts: Vec<RequestRef>, finish: Finish) -> Request {
    in_steps(parts, None, finish)
}

/// Makes a request of others, and of those that `next` starts when they are complete.
pub fn in_steps(parts: Vec<RequestRef>, next: Option<Next>, finish: Finish) -> Request {
    let special = make(Body::Several { parts, next, finish: Some(finish) });
    if !advance(special) {
        GOING.lock().push(special);
        runtime().poll(poll_several);
    }
    special.handle()
}

/// Releases a request that is going on some time after it is complete, and not before: until then it
/// keeps its communicator alive.
pub fn forget(request: RequestRef) {
    forget_with(request, ());
}

/// The same, with memory that stays until then.
pub fn forget_with(request: RequestRef, memory: impl Send + 'static) {
    let finish = move || {
        drop(memory);
        (Status::EMPTY, Ok(()))
    };
    let handle = several(vec![request], Box::new(finish));
    if let Some(view) = request::find(handle) {
        request::release(view);
    }
}

/// Makes a persistent request of an operation with `MPI_PROC_NULL`.
pub fn idle(receives: bool) -> Request {
    persistent(Body::Idle(receives)).handle()
}

/// Makes a persistent request, which is not active.
pub fn persistent(body: Body) -> &'static Special {
    let special = make(body);
    // SAFETY: no other thread knows it yet. It is complete whenever it is looked at.
    unsafe { (*special.view()).start = Some(start) };
    special.complete();
    special
}

unsafe extern "C" fn start(view: *mut View) -> i32 {
    // SAFETY: called with a view that `persistent` has made.
    match restart(unsafe { &*view }) {
        None | Some(Ok(())) => OK,
        Some(Err(error)) => error::told(&error),
    }
}

/// Starts a persistent request again, if it is one of these.
pub fn restart(request: RequestRef) -> Option<Result<()>> {
    let special = of(request)?;
    let starter = match &special.state.lock().body {
        Some(Body::Persistent(operation)) => Some(operation.starter()),
        _ => None,
    };
    Some(starter.map_or(Ok(()), |start| start(special)))
}

/// Those that are not complete.
static GOING: Mutex<Vec<&'static Special>> = Mutex::at(LockLevel::REQUESTS, Vec::new());

/// Looks for parts that have completed. From progress; returns how many requests this completed.
fn poll_several() -> u32 {
    let Some(mut going) = GOING.try_lock() else { return 0 };
    let before = going.len();
    going.retain(|special| !advance(special));
    (before - going.len()) as u32
}

/// Whether one has parts on a communicator that are not complete, or are to be started.
pub fn is_pending_on(comm: CommRef) -> bool {
    let on = |part: &RequestRef| request::comm_of(part).is_some_and(|it| std::ptr::eq(it, comm));
    let pending = |special: &&'static Special| match &special.state.lock().body {
        Some(Body::Several { parts, .. }) => parts.iter().any(on),
        _ => false,
    };
    GOING.lock().iter().any(pending)
}

/// Whether all parts are complete; then it is, too.
fn advance(special: &'static Special) -> bool {
    loop {
        let mut state = special.state.lock();
        let Some(Body::Several { parts, next, .. }) = &mut state.body else { return true };
        if !parts.iter().all(|part| part.is_complete()) {
            return false;
        }
        let Some(next) = next.take() else { break };
        drop(state);
        let started = next();
        let mut state = special.state.lock();
        let Some(Body::Several { parts, finish, .. }) = &mut state.body else { return true };
        match started {
            Ok(more) => parts.extend(more),
            Err(error) => *finish = Some(Box::new(move || (Status::EMPTY, Err(error)))),
        }
    }
    special.complete();
    true
}

unsafe extern "C" fn free(view: *mut View) {
    // SAFETY: called by `request::release` with a view that `make` has made.
    let special = unsafe { &*view.cast::<Special>() };
    let mut state = special.state.lock();
    if state.complete {
        special.end(state);
    } else {
        state.freed = true;
        // The program still has to complete a generalized one, by its handle.
        if !matches!(state.body, Some(Body::Generalized(_))) {
            // SAFETY: the field is read through the handle, which the program gave away.
            unsafe { (*view).magic = 0 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_framework::abi::request::REQUEST_SEND;
    use std::cell::Cell;

    thread_local! {
        /// Whether this thread is in a pass of the progress engine.
        static IN_PASS: Cell<bool> = const { Cell::new(false) };
    }

    /// Given back by the owner of what a request was made of.
    static RELEASED: AtomicUsize = AtomicUsize::new(0);

    unsafe extern "C" fn release_part(_: *mut View) {
        assert!(!IN_PASS.get(), "given back in a pass");
        RELEASED.fetch_add(1, Ordering::Relaxed);
    }

    /// A request of a component that has not ended.
    fn part() -> RequestRef {
        Box::leak(Box::new(View {
            magic: REQUEST_MAGIC,
            kind: REQUEST_SEND,
            completion: AtomicUsize::new(REQUEST_PENDING),
            status: MessageStatus::default(),
            free: Some(release_part),
            cancel: None,
            start: None,
            object: std::ptr::null_mut(),
            struct_size: size_of::<View>() as u32,
            active: 0,
        }))
    }

    /// Functions of the program that are called meanwhile and other threads find it going on.
    #[test]
    fn what_is_done_at_the_end_is_part_of_the_operation() {
        type Waiter = std::thread::JoinHandle<u64>;
        static ASKED: Mutex<Option<&'static Special>> = Mutex::new(None);
        static WAITER: Mutex<Option<Waiter>> = Mutex::new(None);
        let finish = || {
            let asked = ASKED.lock().unwrap();
            let view = || request::of(asked.handle()).unwrap();
            assert!(!view().is_complete() && peek(view()).is_none());
            // One that saw it complete before.
            let waiter = std::thread::spawn(move || outcome(view()).unwrap().0.bytes());
            *WAITER.lock() = Some(waiter);
            (Status::received(3, 4, 5), Ok(()))
        };
        let finish = Some(Box::new(finish) as Finish);
        let special = make(Body::Several { parts: vec![], next: None, finish });
        *ASKED.lock() = Some(special);
        special.complete();
        let view = request::of(special.handle()).unwrap();
        assert_eq!(peek(view).unwrap().bytes(), 5);
        assert_eq!(WAITER.lock().take().unwrap().join().unwrap(), 5);
        assert!(view.is_complete());
        request::release(view);
    }

    /// A freed request ends behind the pass that completes it, whichever thread makes the next call.
    #[test]
    fn nothing_is_given_back_in_a_pass() {
        const MANY: usize = 20;
        for _ in 0..MANY {
            let part = part();
            let special = make(Body::Several { parts: vec![part], next: None, finish: None });
            GOING.lock().push(special);
            request::release(request::of(special.handle()).unwrap());
            // SAFETY: only this thread completes it.
            unsafe { part.complete() };
            IN_PASS.set(true);
            poll_several();
            IN_PASS.set(false);
        }
        end_freed();
        // A thread that had taken one out before this call may still be at it.
        while RELEASED.load(Ordering::Relaxed) < MANY {
            std::thread::yield_now();
        }
    }
}
