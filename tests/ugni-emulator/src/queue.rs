//! Completion queues.
//!
//! ```text
//!   entry: 63 overrun   61–62 type   56–60 status   32–55 post   0–31 instance or message
//! ```

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::ffi::{c_char, c_void};
use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::faults;
use crate::nic::Nic;
use crate::segment::{self, QUEUES, Ring};
use crate::target::{BROKEN, FAULT, PROTECTION, RECOVERABLE, UNREACHABLE};
use crate::types::*;

const OVERRUN: u64 = 1 << 63;
/// Most posts of a queue whose events were not taken.
const MOST_POSTS: usize = 1 << 24;

/// A descriptor, and what counts the outstanding ones of its endpoint.
type Kept = (*mut PostDescriptor, Rc<Cell<u32>>);

/// A completion queue.
pub struct Queue {
    /// Its place in the table of the process.
    pub at: usize,
    pub(crate) mode: u32,
    /// For events of this side, or of others; not both.
    role: Cell<Option<Role>>,
    /// Endpoints and registrations that refer to it.
    pub(crate) users: Cell<u32>,
    /// Descriptors whose events were not taken yet.
    posts: RefCell<Vec<Option<Kept>>>,
    free: RefCell<Vec<u32>>,
    /// Events that are held back, each until so many looks.
    held: RefCell<VecDeque<(u64, u64)>>,
    looks: Cell<u64>,
    chance: Cell<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Local,
    Remote,
}

/// An event.
pub(crate) fn entry(kind: u64, status: u64, post: u32, id: u32) -> u64 {
    kind << 61 | (status & 0x1f) << 56 | u64::from(post & 0xff_ffff) << 32 | u64::from(id)
}

fn status(entry: u64) -> u64 {
    entry >> 56 & 0x1f
}

impl Queue {
    fn ring(&self) -> Option<&'static Ring> {
        segment::own()?.process.queues.get(self.at)
    }

    /// Has it be used so. False when it is used in the other way.
    pub(crate) fn plays(&self, role: Role) -> bool {
        let plays = self.role.get().is_none_or(|other| other == role);
        if plays {
            self.role.set(Some(role));
        }
        plays
    }

    /// Keeps a descriptor until its event is taken.
    pub(crate) fn keep(&self, post: *mut PostDescriptor, count: &Rc<Cell<u32>>) -> Option<u32> {
        let mut posts = self.posts.borrow_mut();
        count.set(count.get() + 1);
        let kept = Some((post, count.clone()));
        if let Some(at) = self.free.borrow_mut().pop() {
            posts[at as usize] = kept;
            return Some(at);
        }
        if posts.len() >= MOST_POSTS {
            return None;
        }
        posts.push(kept);
        Some(posts.len() as u32 - 1)
    }

    fn take(&self) -> Option<Result<u64, ()>> {
        let (ring, own) = (self.ring()?, segment::own()?);
        if ring.head.load(Ordering::Relaxed) == ring.tail.load(Ordering::Acquire)
            && ring.is_overrun.load(Ordering::Acquire) == 0
        {
            return None;
        }
        let _held = ring.lock.hold();
        if ring.is_overrun.swap(0, Ordering::Relaxed) != 0 {
            return Some(Err(()));
        }
        let head = ring.head.load(Ordering::Relaxed);
        if head == ring.tail.load(Ordering::Relaxed) {
            return None;
        }
        let mask = ring.capacity.load(Ordering::Relaxed).next_power_of_two() - 1;
        let at = ring.start.load(Ordering::Relaxed) + (head & mask);
        let entry = own.process.entries[at as usize].load(Ordering::Relaxed);
        ring.head.store(head.wrapping_add(1), Ordering::Relaxed);
        Some(Ok(entry))
    }

    /// The same when events are held back.
    fn take_late(&self, delay: u64, reorder: bool) -> Option<Result<u64, ()>> {
        let looks = self.looks.get() + 1;
        self.looks.set(looks);
        let mut held = self.held.borrow_mut();
        while let Some(taken) = self.take() {
            let Ok(entry) = taken else { return Some(Err(())) };
            // A generator of Marsaglia's (xorshift), so that runs are repeated.
            let mut chance = self.chance.get();
            chance ^= chance << 13;
            chance ^= chance >> 7;
            chance ^= chance << 17;
            self.chance.set(chance);
            let mut until = looks + chance % (delay + 1);
            if !reorder {
                until = until.max(held.back().map_or(0, |(last, _)| *last));
            }
            held.push_back((until, entry));
        }
        let due = held.iter().position(|(until, _)| *until <= looks)?;
        held.remove(due).map(|(_, entry)| Ok(entry))
    }

    fn has_events(&self) -> bool {
        let is_there = |ring: &Ring| {
            ring.head.load(Ordering::Relaxed) != ring.tail.load(Ordering::Acquire)
                || ring.is_overrun.load(Ordering::Acquire) != 0
        };
        !self.held.borrow().is_empty() || self.ring().is_some_and(is_there)
    }
}

/// Makes a queue.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GNI_CqCreate(
    nic: *mut Nic,
    entries: u32,
    _delay: u32,
    mode: u32,
    handler: *mut c_void,
    _context: *mut c_void,
    queue: *mut *mut Queue,
) -> Return {
    // Handlers of events are not emulated.
    if nic.is_null() || queue.is_null() || entries == 0 || mode > BLOCKING || !handler.is_null() {
        return INVALID_PARAM;
    }
    let Some(own) = segment::own() else { return ERROR_NOMEM };
    let used = own.process.queues.iter().filter(|one| one.capacity.load(Ordering::Relaxed) != 0);
    if used.count() as u64 >= faults::get().cq_limit.min(QUEUES as u64) {
        return ERROR_RESOURCE;
    }
    let Some(start) = own.reserve(entries.next_power_of_two()) else { return ERROR_RESOURCE };
    let free = own.process.queues.iter().position(|ring| {
        let (success, failure) = (Ordering::AcqRel, Ordering::Relaxed);
        // Different NICs make theirs at the same time.
        ring.capacity.compare_exchange(0, entries, success, failure).is_ok()
    });
    let Some(at) = free else {
        own.give_back(start, entries.next_power_of_two());
        return ERROR_RESOURCE;
    };
    let ring = &own.process.queues[at];
    ring.start.store(start, Ordering::Relaxed);
    ring.head.store(0, Ordering::Relaxed);
    ring.tail.store(0, Ordering::Relaxed);
    ring.is_overrun.store(0, Ordering::Relaxed);
    ring.is_blocking.store(mode, Ordering::Relaxed);
    let made = Queue {
        at,
        mode,
        role: Cell::new(None),
        users: Cell::new(0),
        posts: RefCell::default(),
        free: RefCell::default(),
        held: RefCell::default(),
        looks: Cell::new(0),
        chance: Cell::new(0x9E37_79B9_7F4A_7C15 ^ at as u64),
    };
    // SAFETY: not null.
    unsafe { *queue = Box::into_raw(Box::new(made)) };
    SUCCESS
}

/// Ends it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GNI_CqDestroy(queue: *mut Queue) -> Return {
    // SAFETY: null or a queue.
    let Some(it) = (unsafe { queue.as_ref() }) else { return INVALID_PARAM };
    if it.users.get() > 0 {
        return ERROR_RESOURCE;
    }
    if let (Some(ring), Some(own)) = (it.ring(), segment::own()) {
        let _held = ring.lock.hold();
        let capacity = ring.capacity.swap(0, Ordering::AcqRel);
        own.give_back(ring.start.load(Ordering::Relaxed), capacity.next_power_of_two());
    }
    // SAFETY: made by `GNI_CqCreate`.
    drop(unsafe { Box::from_raw(queue) });
    SUCCESS
}

/// The next event.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GNI_CqGetEvent(queue: *mut Queue, event: *mut u64) -> Return {
    // SAFETY: null or a queue.
    let Some(it) = (unsafe { queue.as_ref() }) else { return INVALID_PARAM };
    if event.is_null() {
        return INVALID_PARAM;
    }
    let faults = faults::get();
    let taken = match faults.delay {
        0 => it.take(),
        delay => it.take_late(delay, faults.reorder),
    };
    let (entry, answer) = match taken {
        None => return NOT_DONE,
        Some(Err(())) => (OVERRUN, ERROR_RESOURCE),
        Some(Ok(entry)) if status(entry) != 0 => (entry, TRANSACTION_ERROR),
        Some(Ok(entry)) => (entry, SUCCESS),
    };
    // SAFETY: not null.
    unsafe { *event = entry };
    answer
}

/// Waits until one of the queues has an event. Of any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GNI_CqVectorMonitor(
    queues: *const *mut Queue,
    count: u32,
    timeout: u64,
    which: *mut u32,
) -> Return {
    if queues.is_null() || which.is_null() || count == 0 {
        return INVALID_PARAM;
    }
    // SAFETY: so many pointers are there.
    let queues = unsafe { std::slice::from_raw_parts(queues, count as usize) };
    let is_wrong = |queue: &*mut Queue| {
        // SAFETY: null or a queue; what is read does not change.
        unsafe { queue.as_ref() }.is_none_or(|queue| queue.mode != BLOCKING)
    };
    if queues.iter().any(is_wrong) {
        return INVALID_PARAM;
    }
    let Some(own) = segment::own() else { return ERROR_NOMEM };
    let end = (timeout != u64::MAX).then(|| Instant::now() + Duration::from_millis(timeout));
    loop {
        let bell = own.process.doorbell.load(Ordering::SeqCst);
        // SAFETY: not null; what is looked at is atomic.
        if let Some(at) = queues.iter().position(|queue| unsafe { (**queue).has_events() }) {
            // SAFETY: not null.
            unsafe { *which = at as u32 };
            return SUCCESS;
        }
        let mut limit = libc::timespec { tv_sec: 3600, tv_nsec: 0 };
        if let Some(end) = end {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return TIMEOUT;
            }
            limit.tv_sec = left.as_secs() as _;
            limit.tv_nsec = left.subsec_nanos() as _;
        }
        // SAFETY: the word is mapped for good.
        let woken = unsafe {
            let word = own.process.doorbell.as_ptr();
            libc::syscall(libc::SYS_futex, word, libc::FUTEX_WAIT, bell, &raw const limit)
        };
        if woken != 0 && std::io::Error::last_os_error().raw_os_error() == Some(libc::EINTR) {
            return NOT_DONE;
        }
    }
}

/// Whether what failed may be repeated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GNI_CqErrorRecoverable(entry: u64, recoverable: *mut u32) -> Return {
    if recoverable.is_null() {
        return INVALID_PARAM;
    }
    // SAFETY: not null.
    unsafe { *recoverable = u32::from(status(entry) == RECOVERABLE) };
    SUCCESS
}

/// What failed, in words.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GNI_CqErrorStr(entry: u64, text: *mut c_char, len: u32) -> Return {
    let words = match status(entry) {
        0 => "no error",
        RECOVERABLE => "a packet was lost",
        PROTECTION => "memory protection",
        FAULT => "no such memory",
        UNREACHABLE => "the other process is not there",
        BROKEN => "a link is broken",
        _ => "unknown",
    };
    if text.is_null() || len as usize <= words.len() {
        return INVALID_PARAM;
    }
    // SAFETY: there is room for the text and its end.
    unsafe {
        std::ptr::copy_nonoverlapping(words.as_ptr(), text.cast(), words.len());
        *text.add(words.len()) = 0;
    }
    SUCCESS
}

/// The descriptor of an event.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GNI_GetCompleted(
    queue: *mut Queue,
    entry: u64,
    post: *mut *mut PostDescriptor,
) -> Return {
    // SAFETY: null or a queue.
    let Some(it) = (unsafe { queue.as_ref() }) else { return INVALID_PARAM };
    if post.is_null() || entry >> 61 & 3 != EVENT_POST {
        return INVALID_PARAM;
    }
    let at = (entry >> 32 & 0xff_ffff) as usize;
    let Some((found, count)) = it.posts.borrow_mut().get_mut(at).and_then(Option::take) else {
        return DESCRIPTOR_ERROR;
    };
    it.free.borrow_mut().push(at as u32);
    count.set(count.get() - 1);
    // SAFETY: not null.
    unsafe { *post = found };
    if status(entry) == 0 { SUCCESS } else { TRANSACTION_ERROR }
}

/// The status of an event, 0 when all is well.
#[unsafe(no_mangle)]
pub extern "C" fn gni_cq_get_status(entry: u64) -> u64 {
    status(entry)
}

/// Whether events were lost before this one.
#[unsafe(no_mangle)]
pub extern "C" fn gni_cq_overrun(entry: u64) -> u64 {
    entry >> 63
}

/// The id of the instance, or what replaces it.
#[unsafe(no_mangle)]
pub extern "C" fn gni_cq_get_inst_id(entry: u64) -> u64 {
    match faults::get().device {
        GEMINI => entry & 0xffff_ffff,
        _ => entry & 0xff_ffff,
    }
}

/// The id of the message.
#[unsafe(no_mangle)]
pub extern "C" fn gni_cq_get_msg_id(entry: u64) -> u64 {
    entry & 0xffff_ffff
}

/// The type of the event.
#[unsafe(no_mangle)]
pub extern "C" fn gni_cq_get_type(entry: u64) -> u64 {
    entry >> 61 & 3
}

/// The value of a CQ write that made the event.
#[unsafe(no_mangle)]
pub extern "C" fn gni_cq_get_data(entry: u64) -> u64 {
    entry & 0xffff_ffff_ffff
}
