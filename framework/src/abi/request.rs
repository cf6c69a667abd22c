//! Requests, completion and the object a thread waits on.

use core::ffi::c_void;
use core::sync::atomic::{AtomicI32, AtomicU32, AtomicUsize, Ordering};

use super::status::Status;
use crate::audit::Counted;

/// [`Request::completion`]: in progress, and no thread waits.
pub const REQUEST_PENDING: usize = 0;
/// [`Request::completion`]: complete. Any other value is the [`WaitSync`] of the thread that waits.
pub const REQUEST_COMPLETE: usize = 1;

/// [`Request::magic`] of a living request.
pub const REQUEST_MAGIC: u32 = 0x7e9c_e570;

/// [`Request::kind`]: a send.
pub const REQUEST_SEND: u32 = 1;
/// [`Request::kind`]: a receive.
pub const REQUEST_RECEIVE: u32 = 2;
/// [`Request::kind`]: a collective operation.
pub const REQUEST_COLLECTIVE: u32 = 3;
/// [`Request::kind`]: a one-sided operation.
pub const REQUEST_ONE_SIDED: u32 = 4;
/// [`Request::kind`]: the MPI layer's own.
pub const REQUEST_OTHER: u32 = 5;

/// What became of a message.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct MessageStatus {
    /// Rank of the sender in the communicator.
    pub source: i32,
    /// Its tag.
    pub tag: i32,
    /// `CAIRN_OK`, or what went wrong as a `CAIRN_ERR_*`; the MPI layer makes an error class of it.
    pub error: i32,
    /// 1 when the operation was cancelled.
    pub cancelled: i32,
    /// Bytes received.
    pub bytes: u64,
}

/// The head of every request, whichever component allocated it.
///
/// The owner completes it with [`Request::complete`]; the MPI layer waits on it, copies the status
/// and then calls `free`.
#[repr(C)]
#[derive(Debug)]
pub struct Request {
    /// [`REQUEST_MAGIC`] from the moment it is handed out until `free` is called, then something
    /// else. The memory of a request is never anything but a request, because a user's handle is
    /// its address and one that was freed must be recognised.
    pub magic: u32,
    /// [`REQUEST_SEND`] and the others.
    pub kind: u32,
    /// [`REQUEST_PENDING`], [`REQUEST_COMPLETE`] or the address of a [`WaitSync`]. The owner goes to
    /// COMPLETE by an exchange with Release and signals what it found; a waiter goes from PENDING
    /// to its sync object, and back, by compare-and-swap (dissertation §4.4).
    pub completion: AtomicUsize,
    /// Written before the completion word turns COMPLETE, read after (Acquire).
    pub status: MessageStatus,
    /// Gives the request back to its owner. Called once by the MPI layer, from any thread, with no
    /// lock held. A request that is still pending completes on its own and is freed then.
    pub free: Option<unsafe extern "C" fn(request: *mut Request)>,
    /// Tries to cancel; the outcome shows in the status once complete. Null: can't be cancelled.
    pub cancel: Option<unsafe extern "C" fn(request: *mut Request) -> Status>,
    /// Starts a persistent request again. Null: not persistent.
    pub start: Option<unsafe extern "C" fn(request: *mut Request) -> Status>,
    /// The MPI layer's own: what it keeps alive for the request. The owner sets it to null.
    pub object: *mut c_void,
    /// Size of this struct in bytes, as the owner's header has it.
    pub struct_size: u32,
    /// The MPI layer's own: 1 while a persistent request is started. The owner sets it to 0.
    pub active: u32,
}

/// What a thread waits on: a counter of completions still missing (dissertation §4.4, `wait_sync`).
///
/// Lives on the waiting thread's stack or in an object that outlives the wait. On its own cache
/// lines, because the completing thread writes it.
#[repr(C, align(128))]
#[derive(Debug)]
pub struct WaitSync {
    /// Completions still missing. Completers subtract with Release; the waiter leaves when an
    /// Acquire load finds zero or less.
    pub pending: AtomicI32,
    /// How the waiter waits, so that completers know whether to wake it: 0 it polls, 1 it sleeps on
    /// this word (futex), 2 it has been signalled, 3: no thread waits, and `notify` is to
    /// be called. Written by the waiter (0, 1, 3) and completers (2).
    pub sleeping: AtomicU32,
    /// A completer is still inside [`WaitSync::complete_one`]: the waiter must not leave before this is
    /// zero, or the object might vanish under the completer.
    pub signalling: AtomicU32,
    /// First error of a completed request, 0 for none. For the waiter's convenience.
    pub error: AtomicI32,
    /// The `wait` component's own, for its queue of waiters.
    pub link: *mut c_void,
    /// Called by the completer that counts down to zero, if `sleeping` is [`SYNC_NOTIFY`]: maybe in
    /// a pass and with a CRI's lock held, so it may neither wait nor call a transport. The object
    /// stays until `signalling` is zero again.
    pub notify: Option<unsafe extern "C" fn(sync: *const WaitSync)>,
    /// Size of this struct in bytes, as the waiter's header has it.
    pub struct_size: u32,
    /// What `word` is until what the thread waits for has happened.
    pub expected: u32,
    /// A word in memory that processes share, or null: another value than `expected` says
    /// that everything has happened, whatever `pending` says. A writer wakes the threads that sleep on
    /// it as a futex that is not private. Set by the waiter.
    pub word: *const AtomicU32,
}

/// [`WaitSync::sleeping`]: the waiter polls.
pub const SYNC_POLLING: u32 = 0;
/// [`WaitSync::sleeping`]: the waiter sleeps and needs a wake-up.
pub const SYNC_SLEEPING: u32 = 1;
/// [`WaitSync::sleeping`]: signalled.
pub const SYNC_SIGNALLED: u32 = 2;
/// [`WaitSync::sleeping`]: no thread waits, a function is called.
pub const SYNC_NOTIFY: u32 = 3;

impl Request {
    /// Whether the request is complete; if so its status may be read.
    #[inline]
    pub fn is_complete(&self) -> bool {
        self.completion.load(Ordering::Acquire) == REQUEST_COMPLETE
    }

    /// Makes the completion count `sync` down by one. A thread that sees the count sees the status.
    ///
    /// # Safety
    /// `sync` stays until the request has completed, or [`Request::detach`] has taken it back.
    #[inline]
    pub unsafe fn attach(&self, sync: &WaitSync) -> Attach {
        let address = core::ptr::from_ref(sync).expose_provenance();
        // Release: the completer sees the object as it was made. Acquire: the status of a complete request.
        let (release, acquire) = (Ordering::AcqRel, Ordering::Acquire);
        let word = self.completion.rmw();
        match word.compare_exchange(REQUEST_PENDING, address, release, acquire) {
            Ok(_) => Attach::Counts,
            Err(REQUEST_COMPLETE) => Attach::Complete,
            Err(_) => Attach::Busy,
        }
    }

    /// The way back. False if the request has completed: then it counts `sync` down, or has done so.
    #[inline]
    pub fn detach(&self, sync: &WaitSync) -> bool {
        let address = core::ptr::from_ref(sync).addr();
        let (release, acquire) = (Ordering::AcqRel, Ordering::Acquire);
        let word = self.completion.rmw();
        word.compare_exchange(address, REQUEST_PENDING, release, acquire).is_ok()
    }

    /// Completes the request and wakes its waiter. Called once by the owner, which has written
    /// the status before and touches the request no more.
    ///
    /// # Safety
    /// A value of the completion word that is neither constant is the address of a living `WaitSync`.
    #[inline]
    pub unsafe fn complete(&self) {
        let found = self.completion.rmw().swap(REQUEST_COMPLETE, Ordering::AcqRel);
        if found > REQUEST_COMPLETE {
            // SAFETY: a waiter stores only its sync object, and leaves only when this function
            // has counted down.
            unsafe { (*(found as *const WaitSync)).complete_one() }
        }
    }
}

/// What [`Request::attach`] found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attach {
    /// The request is pending, and will count the object down.
    Counts,
    /// The request is complete, and leaves the object alone.
    Complete,
    /// Another thread waits for the request, or something else is told of its completion.
    Busy,
}

impl Default for WaitSync {
    fn default() -> Self {
        Self {
            pending: AtomicI32::new(0),
            sleeping: AtomicU32::new(SYNC_POLLING),
            signalling: AtomicU32::new(0),
            error: AtomicI32::new(0),
            link: core::ptr::null_mut(),
            notify: None,
            struct_size: size_of::<Self>() as u32,
            expected: 0,
            word: core::ptr::null(),
        }
    }
}

// SAFETY: every shared field is atomic, and constant what the waiter sets; `link` belongs to the
// `wait` component, which protects it.
unsafe impl Sync for WaitSync {}
// SAFETY: see `Sync`.
unsafe impl Send for WaitSync {}

impl WaitSync {
    /// One that so many completions are awaited with.
    pub fn of(pending: usize) -> Self {
        // A count beyond 2^31 has no requests to fill it.
        Self { pending: AtomicI32::new(pending as i32), ..Self::default() }
    }

    /// Counts one completion and wakes the waiter when it was the last and the waiter sleeps.
    #[inline]
    pub fn complete_one(&self) {
        // One that is not the last has no thread to wake, and while completions are missing the waiter
        // does not leave; so it needs no more than the count. Release and Acquire hand what this
        // completer wrote on to the last one, and so to the waiter.
        let mut missing = self.pending.load(Ordering::Relaxed);
        while missing > 1 {
            let (release, relaxed) = (Ordering::AcqRel, Ordering::Relaxed);
            match self.pending.rmw().compare_exchange_weak(missing, missing - 1, release, relaxed) {
                Ok(_) => return,
                Err(found) => missing = found,
            }
        }
        self.signalling.rmw().fetch_add(1, Ordering::Acquire);
        let mut sleeper = None;
        if self.pending.rmw().fetch_sub(1, Ordering::AcqRel) == 1 {
            match self.sleeping.rmw().swap(SYNC_SIGNALLED, Ordering::AcqRel) {
                SYNC_SLEEPING => sleeper = Some(self.sleeping.as_ptr()),
                SYNC_NOTIFY => self.notify(),
                _ => {}
            }
        }
        // The last access: from here on the waiter may leave and take the object with it.
        self.signalling.rmw().fetch_sub(1, Ordering::Release);
        // Not before: the thread that wakes may take this one's processor, and would find it inside for as long
        // as it keeps it. What waits at the address meanwhile bears to be woken for nothing.
        if let Some(sleeper) = sleeper {
            crate::sys::futex_wake_address(sleeper);
        }
    }

    #[cold]
    fn notify(&self) {
        if let Some(notify) = self.notify {
            // SAFETY: the maker of the object vouches for the function.
            unsafe { notify(self) }
        }
    }

    /// Sleeps until everything it waits for has happened or so many microseconds have passed, 0 for
    /// no limit; nothing else wakes it, no transport either. Returns early on signals, and soon if there
    /// is a `word`, for which it does not sleep.
    pub fn pause(&self, microseconds: u32) {
        const SOON: u32 = 100;
        let limited = if microseconds == 0 { SOON } else { microseconds.min(SOON) };
        let microseconds = if self.word.is_null() { microseconds } else { limited };
        // Acquire and Release: the completer's exchange to SIGNALLED comes before or after this one.
        let (release, acquire) = (Ordering::AcqRel, Ordering::Acquire);
        let announced =
            self.sleeping.rmw().compare_exchange(SYNC_POLLING, SYNC_SLEEPING, release, acquire);
        if announced.is_ok() {
            crate::sys::futex_wait_for(&self.sleeping, SYNC_SLEEPING, microseconds);
            let _ =
                self.sleeping.rmw().compare_exchange(SYNC_SLEEPING, SYNC_POLLING, release, acquire);
        }
    }

    /// Wakes the waiter if it sleeps, although nothing has happened: it has to poll now. The caller sees
    /// to it that the object is still there.
    pub fn rouse(&self) {
        // Pairs with the fence of a thread that says that it sleeps and then looks once more whether it has
        // something to do: that is seen here, or what the caller did before is seen there.
        core::sync::atomic::fence(Ordering::SeqCst);
        let (release, relaxed) = (Ordering::AcqRel, Ordering::Relaxed);
        let word = &self.sleeping;
        if word.rmw().compare_exchange(SYNC_SLEEPING, SYNC_POLLING, release, relaxed).is_ok() {
            crate::sys::futex_wake_one(word);
        }
    }

    /// Whether everything it waits for has happened and no completer is still inside.
    #[inline]
    pub fn is_complete(&self) -> bool {
        (self.pending.load(Ordering::Acquire) <= 0 || self.word_has_changed())
            && self.signalling.load(Ordering::Acquire) == 0
    }

    #[inline]
    fn word_has_changed(&self) -> bool {
        // SAFETY: null or a word that stays as long as the thread waits. Acquire pairs with the
        // Release of the writer.
        let word = unsafe { self.word.as_ref() };
        word.is_some_and(|word| word.load(Ordering::Acquire) != self.expected)
    }
}
