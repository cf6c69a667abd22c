//! Operations of a device on the memory of one rank over one CRI: which are under way, and which are done.
//!
//! ```text
//!   issue       number 1, 2, 3 …   ─► put, get, atomic: pieces ─► done now, or by the completion
//!   through     all up to this number are done, whatever the order in which they end: their buffers are free
//!   flushed     all up to this number are in the target's memory, too
//! ```
//!
//! Who waits notes the number of the last one, so what is issued later does not keep it. What changes is behind the
//! lock of the CRI, with which operations start and completions come; the numbers can be read without.

use core::cell::{Cell, UnsafeCell};
use core::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, Ordering};
use std::collections::VecDeque;

use cairn_framework::abi::btl::{BtlAtomic, BtlCompletion, BtlTransfer, Endpoint};
use cairn_framework::abi::lock::BiasedGuard;
use cairn_framework::abi::pool::Cri;
use cairn_framework::abi::status::{
    DONE, ERR_UNSUPPORTED, NO_RESOURCES, OK, OutcomeCode, QUEUED, Status,
};
use cairn_rma::{Device, Registration};

use crate::link::Held;
use crate::operation::Operation;
use crate::window::Shared;

/// A stream.
pub struct Stream {
    device: Device,
    endpoint: *mut Endpoint,
    cri: &'static Cri,
    /// Whether locks are needed.
    threads: bool,
    /// With the lock of the CRI.
    unfinished: UnsafeCell<Unfinished>,
    issued: AtomicU64,
    through: AtomicU64,
    flushed: AtomicU64,
    /// Flushes that are under way, and completions that are not over: they lead to the window.
    users: AtomicU32,
    /// The first thing that went wrong and was not told.
    error: AtomicI32,
}

// SAFETY: what is not atomic is used with the lock of the CRI.
unsafe impl Send for Stream {}
// SAFETY: see `Send`.
unsafe impl Sync for Stream {}

/// Operations that were issued and behind which not all is done.
#[derive(Default)]
struct Unfinished {
    /// Number of the first one.
    first: u64,
    /// Which of them are done.
    done: VecDeque<bool>,
}

impl Unfinished {
    /// One more. Its number.
    fn enter(&mut self) -> u64 {
        self.done.push_back(false);
        self.first + self.done.len() as u64
    }

    /// One is done. The number up to which all are.
    fn leave(&mut self, number: u64) -> u64 {
        self.done[(number - self.first - 1) as usize] = true;
        while self.done.front() == Some(&true) {
            self.done.pop_front();
            self.first += 1;
        }
        self.first
    }
}

/// What an operation of a device is for.
#[expect(
    clippy::large_enum_variant,
    reason = "it moves into the operation, which lies on the heap"
)]
pub enum Purpose {
    /// What the program has asked for, which is complete with it.
    Program(Operation),
    /// Something of the window's, which finds here what came of it. That stays until it is done.
    Window(*const Own),
}

/// A part of an operation.
pub enum Piece {
    Put(BtlTransfer),
    Get(BtlTransfer),
    Atomic(BtlAtomic),
}

/// What came of an operation of the window's own.
#[derive(Default)]
pub struct Own {
    /// `OK` is 0.
    pub status: AtomicI32,
    /// The device has taken it, so it may have been done whatever the status says.
    pub taken: AtomicBool,
}

/// An operation of a device, whose pieces lead back to it by the completion.
#[repr(C)]
struct Whole {
    completion: BtlCompletion,
    stream: *const Stream,
    shared: *const Shared,
    number: u64,
    /// Pieces that are under way, and 1 while there may be more.
    left: Cell<u32>,
    error: Cell<Status>,
    purpose: Purpose,
    /// The program's memory, where it has to be registered.
    registration: Option<Registration>,
}

/// A flush of the device.
#[repr(C)]
struct Flush {
    completion: BtlCompletion,
    stream: *const Stream,
    shared: *const Shared,
    through: u64,
}

impl Stream {
    pub fn new(device: Device, endpoint: *mut Endpoint, cri: &'static Cri, threads: bool) -> Self {
        Self {
            device,
            endpoint,
            cri,
            threads,
            unfinished: UnsafeCell::default(),
            issued: AtomicU64::new(0),
            through: AtomicU64::new(0),
            flushed: AtomicU64::new(0),
            users: AtomicU32::new(0),
            error: AtomicI32::new(OK),
        }
    }

    /// The number of the last operation.
    pub fn issued(&self) -> u64 {
        self.issued.load(Ordering::Acquire)
    }

    /// Whether all operations up to this one are done, so that their buffers are free.
    pub fn is_done(&self, number: u64) -> bool {
        self.through.load(Ordering::Acquire) >= number
    }

    /// Whether they have reached the target's memory, too.
    pub fn is_flushed(&self, number: u64) -> bool {
        self.is_done(number) && self.flushed.load(Ordering::Acquire) >= number
    }

    /// Whether no completion is still to come.
    pub fn is_idle(&self) -> bool {
        self.is_done(self.issued()) && self.users.load(Ordering::Acquire) == 0
    }

    /// Whether something went wrong that was not told.
    pub fn has_error(&self) -> bool {
        self.error.load(Ordering::Relaxed) != OK
    }

    /// What went wrong, which is told once.
    pub fn take_error(&self) -> Status {
        match self.error.load(Ordering::Relaxed) {
            OK => OK,
            _ => self.error.swap(OK, Ordering::AcqRel),
        }
    }

    fn note(&self, error: Status) {
        if error != OK {
            let _ = self.error.compare_exchange(OK, error, Ordering::AcqRel, Ordering::Relaxed);
        }
    }

    /// The lock of the CRI, unless it is held or not needed. `None`: another CRI's is held, so this one may be waited for
    /// in vain.
    fn guard(&self, held: Held) -> Option<Option<BiasedGuard<'_>>> {
        match () {
            () if !self.threads || core::ptr::eq(held, self.cri) => Some(None),
            () if held.is_null() => Some(Some(self.cri.guard())),
            () => self.cri.try_guard().map(Some),
        }
    }

    /// Starts the pieces of an operation, none of which has been started yet, and makes progress while the device has no
    /// room. Its number. What goes wrong is the operation's.
    ///
    /// # Safety
    /// The pieces are right for the device, and what they name is there until the operation is complete. No lock is
    /// held.
    pub unsafe fn issue(
        &self,
        shared: &Shared,
        pieces: impl Iterator<Item = Piece>,
        purpose: Purpose,
        registration: Option<Registration>,
    ) -> u64 {
        let mut guard = self.threads.then(|| self.cri.guard());
        // SAFETY: the lock is held.
        let number = unsafe { (*self.unfinished.get()).enter() };
        let whole = Box::into_raw(Box::new(Whole {
            completion: BtlCompletion { done: Some(piece_done), context: core::ptr::null_mut() },
            stream: self,
            shared,
            number,
            left: Cell::new(1),
            error: Cell::new(OK),
            purpose,
            registration,
        }));
        self.issued.store(number, Ordering::Release);
        for piece in pieces {
            // SAFETY: it is there as long as the issuer has not left.
            let (left, error) = unsafe { (&(*whole).left, &(*whole).error) };
            if error.get() != OK {
                break;
            }
            left.set(left.get() + 1);
            // SAFETY: promised by the caller; the lock is held.
            let mut outcome = unsafe { self.start(&piece, whole) };
            while outcome == NO_RESOURCES {
                drop(guard.take());
                shared.host.progress();
                guard = self.threads.then(|| self.cri.guard());
                // SAFETY: as above.
                outcome = unsafe { self.start(&piece, whole) };
            }
            if outcome != QUEUED {
                left.set(left.get() - 1);
            }
            // SAFETY: as above; what it leads to stays as long.
            if let (Purpose::Window(own), true) = unsafe { (&(*whole).purpose, outcome >= 0) } {
                // SAFETY: as above.
                unsafe { (**own).taken.store(true, Ordering::Relaxed) };
            }
            if outcome < 0 && error.get() == OK {
                error.set(outcome);
            }
        }
        // SAFETY: the issuer leaves it, with the lock.
        unsafe { Whole::leave(whole) };
        drop(guard);
        number
    }

    /// # Safety
    /// As for `issue`, with the lock of the CRI held.
    unsafe fn start(&self, piece: &Piece, whole: *mut Whole) -> OutcomeCode {
        let (module, ops) = (self.device.module(), self.device.ops());
        let completion = whole.cast::<BtlCompletion>();
        // SAFETY: promised by the caller; the host completes tables.
        unsafe {
            match piece {
                Piece::Put(transfer) => (ops.put.unwrap_unchecked())(
                    module,
                    self.cri,
                    self.endpoint,
                    transfer,
                    completion,
                ),
                Piece::Get(transfer) => (ops.get.unwrap_unchecked())(
                    module,
                    self.cri,
                    self.endpoint,
                    transfer,
                    completion,
                ),
                Piece::Atomic(atomic) => (ops.atomic.unwrap_unchecked())(
                    module,
                    self.cri,
                    self.endpoint,
                    atomic,
                    completion,
                ),
            }
        }
    }

    /// Begins to see to it that what was issued is in the target's memory. False if that has to be tried again.
    pub fn flush(&self, shared: &Shared, held: Held) -> bool {
        let Some(guard) = self.guard(held) else { return false };
        // One that was issued may wait for room, with the lock left to others: the device has those that are done.
        let through = self.through.load(Ordering::Acquire);
        let flush = Box::into_raw(Box::new(Flush {
            completion: BtlCompletion { done: Some(flush_done), context: core::ptr::null_mut() },
            stream: self,
            shared,
            through,
        }));
        let (module, ops) = (self.device.module(), self.device.ops());
        // SAFETY: the host completes tables; the lock is held, and the completion stays until it is called.
        let outcome = unsafe {
            (ops.flush.unwrap_unchecked())(module, self.cri, self.endpoint, flush.cast())
        };
        if outcome == QUEUED {
            // Before its completion, which comes with the lock.
            self.users.fetch_add(1, Ordering::Relaxed);
        } else {
            // SAFETY: the device does not know it.
            drop(unsafe { Box::from_raw(flush) });
        }
        drop(guard);
        if outcome == DONE || outcome < 0 {
            self.note(outcome.min(OK));
            self.flushed.fetch_max(through, Ordering::AcqRel);
        }
        outcome != NO_RESOURCES
    }
}

impl Whole {
    /// A piece is done, or the issuer has none left. The last one ends the operation.
    ///
    /// # Safety
    /// It counts for one that is `left`, and the lock of the CRI is held.
    unsafe fn leave(this: *mut Self) {
        // SAFETY: promised by the caller.
        let left = unsafe { (*this).left.get() - 1 };
        // SAFETY: as above.
        unsafe { (*this).left.set(left) };
        if left > 0 {
            return;
        }
        // SAFETY: the last one frees it, and stream and window stay while an operation is under way.
        let (this, stream, shared) =
            unsafe { (Box::from_raw(this), &*(*this).stream, &*(*this).shared) };
        let error = this.error.get();
        if let Some(registration) = this.registration {
            registration.end();
        }
        match this.purpose {
            // The peer has to send or take it. It goes back before a flush can miss it.
            Purpose::Program(operation) if error == ERR_UNSUPPORTED => shared.give_back(operation),
            Purpose::Program(operation) => stream.note(operation.complete(error)),
            // SAFETY: it stays until this is done, which `through` says.
            Purpose::Window(own) => unsafe { (*own).status.store(error, Ordering::Relaxed) },
        }
        // SAFETY: the lock is held.
        let through = unsafe { (*stream.unfinished.get()).leave(this.number) };
        stream.users.fetch_add(1, Ordering::Relaxed);
        stream.through.store(through, Ordering::Release);
        shared.has_news(stream.cri);
        // The window may be closed from now on.
        stream.users.fetch_sub(1, Ordering::Release);
    }
}

unsafe extern "C" fn piece_done(completion: *mut BtlCompletion, status: Status) {
    let whole = completion.cast::<Whole>();
    // SAFETY: `issue` gave it with the piece, which was counted; the lock of the CRI is held.
    unsafe {
        if status != OK && (*whole).error.get() == OK {
            (*whole).error.set(status);
        }
        Whole::leave(whole);
    }
}

unsafe extern "C" fn flush_done(completion: *mut BtlCompletion, status: Status) {
    // SAFETY: `flush` gave it, once; stream and window stay while the stream has users.
    unsafe {
        let flush = Box::from_raw(completion.cast::<Flush>());
        let (stream, shared) = (&*flush.stream, &*flush.shared);
        stream.note(status);
        stream.flushed.fetch_max(flush.through, Ordering::AcqRel);
        shared.has_news(stream.cri);
        // The window may be closed from now on.
        stream.users.fetch_sub(1, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_before_are_done() {
        let mut unfinished = Unfinished::default();
        let numbers: Vec<u64> = (0..4).map(|_| unfinished.enter()).collect();
        assert_eq!(numbers, [1, 2, 3, 4]);
        assert_eq!([3, 1].map(|number| unfinished.leave(number)), [0, 1]);
        assert_eq!(unfinished.enter(), 5);
        assert_eq!([2, 5, 4].map(|number| unfinished.leave(number)), [3, 3, 5]);
        assert_eq!((unfinished.enter(), unfinished.leave(6)), (6, 6));
    }
}
