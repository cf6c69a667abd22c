//! Completion objects (`MPIX_Sync`): requests are attached to one, and it knows which have completed
//! without looking at each (Patinyasakdikul 2019, section 4.6.1 and appendix B).
//!
//! ```text
//!   attach ─► ticket ◄─ completion word of the request
//!               │ the completer of the request, in any thread
//!               ▼
//!   counts ── done ──► query, query_bulk    the event: data and status; the request ends
//!               └───── silent ──► no event  without data, or cancelled: the request just ends
//! ```
//!
//! A ticket holds a sync object that is counted down like that of a waiting thread, and calls a
//! function then. What is attached was written before the completion word leads to the ticket
//! (Release by the exchange) and is read after the exchange that completes (Acquire).
//!
//! **What is touched when.** `lists` is locked, for moments, and no function is called under the lock that
//! takes another. `incomplete` and `events` count, to be read without the lock.

use std::cell::UnsafeCell;
use std::collections::VecDeque;
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicI32, Ordering};

use cairn_framework::abi::request::{
    Attach, REQUEST_COMPLETE, REQUEST_RECEIVE, SYNC_NOTIFY, WaitSync,
};
use cairn_framework::audit::LockLevel;
use cairn_framework::author::Mutex;

use super::arena::{Object, class};
use super::request::{self, RequestRef};
use super::special;
use crate::abi::generated::constants::*;
use crate::abi::generated::types::XSync;
use crate::abi::status::Status;
use crate::error::{Error, Result};
use crate::runtime::runtime;

/// What a handle of a completion object leads to.
pub struct SyncBody {
    lists: Mutex<Lists>,
    /// Requests that are attached and have not completed.
    incomplete: AtomicI32,
    /// Events that were not fetched yet.
    events: AtomicI32,
}

impl Default for SyncBody {
    fn default() -> Self {
        Self {
            lists: Mutex::at(LockLevel::ENTRY, Lists::default()),
            incomplete: AtomicI32::new(0),
            events: AtomicI32::new(0),
        }
    }
}

class!(SyncBody, b"sync");

/// A completion object.
pub type SyncRef = &'static Object<SyncBody>;

#[derive(Default)]
struct Lists {
    /// All tickets, until the object is dropped.
    all: Vec<TicketRef>,
    /// Those that nothing is attached by.
    spare: Vec<TicketRef>,
    /// Events, the first that happened first. Like `silent` with room for all tickets, because a
    /// completer can't allocate.
    done: VecDeque<TicketRef>,
    /// Requests that have completed without an event, and have to be ended.
    silent: Vec<TicketRef>,
    /// Threads that wait until everything is complete.
    waiters: Vec<WaiterRef>,
}

/// What connects a request with the object.
#[repr(C)]
struct Ticket {
    /// First: the completion word of the request is its address.
    sync: WaitSync,
    owner: SyncRef,
    /// Written under the lock before the ticket is published and after it has come back.
    attached: UnsafeCell<Option<Attached>>,
}

#[derive(Clone, Copy)]
struct Attached {
    request: RequestRef,
    data: *mut c_void,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct TicketRef(NonNull<Ticket>);

// SAFETY: a ticket is handed from thread to thread with the completion of its request or by the
// lists, and dropped with the object.
unsafe impl Send for TicketRef {}

#[derive(Clone, Copy, PartialEq, Eq)]
struct WaiterRef(NonNull<WaitSync>);

// SAFETY: a thread that waits takes its object out of the list before it goes on.
unsafe impl Send for WaiterRef {}

/// An event: the data that the program attached, what became of the operation, and its error.
pub struct Event {
    /// The program's data.
    pub data: *mut c_void,
    /// The operation's status.
    pub status: Status,
    /// The operation's error.
    pub result: Result<()>,
}

/// Two places whose addresses mean something.
static MARKS: [u8; 2] = [0; 2];

/// A pointer to nothing but itself, for programs to compare with.
#[repr(transparent)]
pub struct Mark(*const u8);

// SAFETY: the pointer is not followed.
unsafe impl Sync for Mark {}

/// `MPIX_SYNC_EMPTY`: there is no event.
#[unsafe(no_mangle)]
pub static MPIX_SYNC_EMPTY: Mark = Mark(&raw const MARKS[0]);

/// `MPIX_SYNC_NO_COMPLETION_DATA`: no event is wanted.
#[unsafe(no_mangle)]
pub static MPIX_SYNC_NO_COMPLETION_DATA: Mark = Mark(&raw const MARKS[1]);

impl Mark {
    /// What the program finds in the variable.
    pub fn value(&self) -> *mut c_void {
        self.0.cast_mut().cast()
    }
}

/// The object of a valid handle.
pub fn find(handle: XSync) -> Option<SyncRef> {
    if handle.is_predefined() {
        return None;
    }
    // SAFETY: a handle that is no constant is the address of an object.
    unsafe { Object::at(handle.object()) }
}

/// Makes an object without requests.
pub fn make() -> XSync {
    XSync::of(Object::make(SyncBody::default()).address())
}

/// Attaches a request: from now on it is the object's until it has completed and the event was asked
/// for, or until it is detached.
pub fn attach(body: SyncRef, request: RequestRef, data: *mut c_void) -> Result<()> {
    if !request::is_active(request) {
        return Err(Error::new(MPI_ERR_REQUEST, "a persistent request is attached once started"));
    }
    let ticket = body.take_ticket(Attached { request, data });
    body.incomplete.fetch_add(1, Ordering::Relaxed);
    // SAFETY: tickets stay as long as the object, which takes its requests back before it goes.
    match unsafe { request.attach(&ticket.sync) } {
        Attach::Counts => Ok(()),
        Attach::Complete => {
            ticket.sync.pending.store(0, Ordering::Relaxed);
            body.deliver(ticket);
            Ok(())
        }
        Attach::Busy => {
            body.give_back(&[ticket.into()], 1);
            Err(request::busy())
        }
    }
}

/// Takes a request back that has not completed, or whose event was not fetched.
pub fn detach(body: SyncRef, request: RequestRef) -> Result<()> {
    let not_attached = || Error::new(MPI_ERR_REQUEST, "the request is not attached to this object");
    let is_its = |ticket: &TicketRef| ticket.get().request_is(request);
    loop {
        let found = request.completion.load(Ordering::Acquire);
        let mut lists = body.lists.lock();
        if found == REQUEST_COMPLETE {
            if let Some(place) = lists.done.iter().position(is_its) {
                let ticket = lists.done.remove(place);
                body.events.fetch_sub(1, Ordering::Relaxed);
                drop(lists);
                body.give_back(ticket.as_slice(), 0);
                return Ok(());
            }
            if let Some(place) = lists.silent.iter().position(is_its) {
                let ticket = lists.silent.swap_remove(place);
                drop(lists);
                body.give_back(&[ticket], 0);
                return Ok(());
            }
            // Its completer may not have come here yet.
            let coming = lists.all.iter().any(|ticket| is_its(ticket) && !lists.has(*ticket));
            if !coming {
                return Err(not_attached());
            }
            drop(lists);
            std::hint::spin_loop();
            continue;
        }
        let Some(ticket) = lists.all.iter().copied().find(|ticket| ticket.get().word() == found)
        else {
            return Err(not_attached());
        };
        drop(lists);
        if ticket.get().withdraw(request) {
            body.give_back(&[ticket], 1);
            return Ok(());
        }
    }
}

/// Ends an object. Requests that are attached and go on are the program's again; of those that have
/// completed will not be fetched, so they end.
pub fn free(body: SyncRef) -> Result<()> {
    let tickets: Vec<TicketRef> = {
        let lists = body.lists.lock();
        lists.all.iter().copied().filter(|ticket| !lists.spare.contains(ticket)).collect()
    };
    for ticket in tickets {
        let Some(Attached { request, .. }) = ticket.get().attached() else { continue };
        if !ticket.get().withdraw(request) {
            ticket.get().wait_until_delivered();
        }
    }
    let ended = body.end_silent();
    while body.next().is_some() {}
    body.close();
    ended
}

/// Waits until everything that is attached has completed.
pub fn wait_all(body: SyncRef) -> Result<()> {
    body.end_silent()?;
    let sync = WaitSync::of(1);
    let own = WaiterRef(NonNull::from(&sync));
    let cris = {
        let mut lists = body.lists.lock();
        // Counted down under the lock.
        if body.incomplete.load(Ordering::Acquire) == 0 {
            return Ok(());
        }
        lists.waiters.push(own);
        // A request that leads to its ticket has not completed, and stays at least until the lock is free,
        // which the end of its event takes.
        let mut attached = lists.all.iter().filter_map(|ticket| {
            let request = ticket.get().attached()?.request;
            let word = request.completion.load(Ordering::Acquire);
            (word == ticket.get().word()).then_some(request)
        });
        // One of the MPI layer's own has a lock, which is held while its completion is told to this object.
        if attached.clone().any(special::is) { None } else { request::cris_of(&mut attached) }
    };
    let waited = runtime().wait(&sync, cris.as_ref());
    if waited.is_err() {
        body.lists.lock().waiters.retain(|waiter| *waiter != own);
    }
    // No thread is inside any more that has found it in the list.
    waited.and_then(|()| body.end_silent())
}

impl SyncBody {
    /// Requests that are attached and have not completed.
    pub fn incomplete(&self) -> i32 {
        self.incomplete.load(Ordering::Acquire)
    }

    /// Events that can be asked for.
    pub fn events(&self) -> i32 {
        self.events.load(Ordering::Acquire)
    }

    /// Takes the first event, and ends its request.
    pub fn next(&self) -> Option<Event> {
        if self.events() == 0 {
            return None;
        }
        let ticket = {
            let mut lists = self.lists.lock();
            let ticket = lists.done.pop_front()?;
            self.events.fetch_sub(1, Ordering::Relaxed);
            ticket
        };
        Some(self.end(ticket))
    }

    /// Ends a request whose ticket was taken out of the lists.
    fn end(&self, ticket: TicketRef) -> Event {
        ticket.get().wait_until_delivered();
        let Attached { request, data } = ticket.get().attached().expect("taken out of the lists");
        let (status, result) = request::outcome(request);
        request::finish(request);
        self.give_back(&[ticket], 0);
        Event { data, status, result }
    }

    /// Ends requests that have completed without an event. Returns the first error of one.
    pub fn end_silent(&self) -> Result<()> {
        let mut first = Ok(());
        loop {
            let ticket = self.lists.lock().silent.pop();
            let Some(ticket) = ticket else { return first };
            let ended = self.end(ticket).result;
            first = first.and(ended);
        }
    }

    /// A request has completed: in whatever thread, maybe with locks held.
    fn deliver(&self, ticket: &Ticket) {
        let attached = ticket.attached();
        let wanted = attached.is_some_and(|Attached { request, data }| {
            let cancelled = request.kind == REQUEST_RECEIVE && request.status.cancelled != 0;
            !cancelled && data != MPIX_SYNC_NO_COMPLETION_DATA.value()
        });
        let mut lists = self.lists.lock();
        if wanted {
            lists.done.push_back(ticket.into());
            // Release: a thread that sees the count finds the event.
            self.events.fetch_add(1, Ordering::Release);
        } else {
            lists.silent.push(ticket.into());
        }
        self.count_down(&mut lists);
    }

    /// One request less that has not completed.
    fn count_down(&self, lists: &mut Lists) {
        if self.incomplete.fetch_sub(1, Ordering::AcqRel) == 1 {
            for WaiterRef(waiter) in lists.waiters.drain(..) {
                // SAFETY: a waiter stays until it is counted down, or has left the list.
                unsafe { waiter.as_ref() }.complete_one();
            }
        }
    }

    /// These tickets may be used again; `withdrawn` of them belonged to requests that had not
    /// completed.
    fn give_back(&self, tickets: &[TicketRef], withdrawn: usize) {
        let mut lists = self.lists.lock();
        for ticket in tickets {
            // SAFETY: the thread that gives it back has it for itself, and holds the lock.
            unsafe { *ticket.get().attached.get() = None };
            lists.spare.push(*ticket);
        }
        for _ in 0..withdrawn {
            self.count_down(&mut lists);
        }
    }
}

impl Object<SyncBody> {
    /// A ticket for a request.
    fn take_ticket(&'static self, attached: Attached) -> &'static Ticket {
        let mut lists = self.lists.lock();
        let ticket = match lists.spare.pop() {
            Some(ticket) => ticket,
            None => {
                let ticket = Box::new(Ticket {
                    sync: WaitSync { notify: Some(completed), ..WaitSync::default() },
                    owner: self,
                    attached: UnsafeCell::new(None),
                });
                let ticket = TicketRef(NonNull::from(Box::leak(ticket)));
                lists.all.push(ticket);
                let all = lists.all.len();
                let (done, silent) = (all - lists.done.len(), all - lists.silent.len());
                lists.done.reserve(done);
                lists.silent.reserve(silent);
                ticket
            }
        };
        let ticket = ticket.get();
        // SAFETY: no other thread has the ticket, and one that looks at all of them holds the lock.
        unsafe { *ticket.attached.get() = Some(attached) };
        // Relaxed: the exchange that publishes the ticket comes after.
        ticket.sync.pending.store(1, Ordering::Relaxed);
        ticket.sync.sleeping.store(SYNC_NOTIFY, Ordering::Relaxed);
        ticket
    }
}

impl Lists {
    fn has(&self, ticket: TicketRef) -> bool {
        self.done.contains(&ticket) || self.silent.contains(&ticket) || self.spare.contains(&ticket)
    }
}

impl Drop for Lists {
    fn drop(&mut self) {
        for TicketRef(ticket) in self.all.drain(..) {
            // SAFETY: leaked by `take_ticket`; nothing is attached any more, and no thread inside.
            drop(unsafe { Box::from_raw(ticket.as_ptr()) });
        }
    }
}

impl From<&Ticket> for TicketRef {
    fn from(ticket: &Ticket) -> Self {
        Self(NonNull::from(ticket))
    }
}

impl TicketRef {
    fn get(self) -> &'static Ticket {
        // SAFETY: tickets stay as long as the object, and the caller uses the object.
        unsafe { self.0.as_ref() }
    }
}

impl Ticket {
    /// What is attached by it.
    fn attached(&self) -> Option<Attached> {
        // SAFETY: written by the thread that has the ticket for itself, see the head of this file.
        unsafe { *self.attached.get() }
    }

    fn request_is(&self, request: RequestRef) -> bool {
        self.attached().is_some_and(|attached| std::ptr::eq(attached.request, request))
    }

    /// What the completion word of its request is meanwhile.
    fn word(&self) -> usize {
        (&raw const self.sync).addr()
    }

    /// Takes the request back; false if it has completed.
    fn withdraw(&self, request: RequestRef) -> bool {
        request.detach(&self.sync)
    }

    /// Waits until the completer of the request uses the ticket no more.
    fn wait_until_delivered(&self) {
        while !self.sync.is_complete() {
            std::hint::spin_loop();
        }
    }
}

/// A request has completed that a ticket's address was left at.
unsafe extern "C" fn completed(sync: *const WaitSync) {
    // SAFETY: called with the sync object that a ticket begins with, which stays until `signalling`
    // is zero.
    let ticket = unsafe { &*sync.cast::<Ticket>() };
    ticket.owner.deliver(ticket);
}
