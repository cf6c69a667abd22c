//! The numbering of threads, and what happens when one ends.
//!
//! One numbering for the whole process, in the library that holds the host: components in other
//! libraries have thread-locals of their own and would number differently.

use std::cell::{Cell, UnsafeCell};
use std::collections::BTreeSet;
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::abi::lock::Mutex;

use super::grace::{Presence, writers_fence};
use crate::abi::counter::CounterCell;
use crate::abi::host::ThreadExitFn;
use crate::abi::thread::{MAX_THREADS, Thread};
use crate::author::CachePadded;

/// A thread's record: what components see and what the host adds, on its own cache lines because
/// its thread writes `presence` all the time.
#[repr(C, align(128))]
pub(crate) struct Record {
    /// The part components see. Written only while no thread has this record.
    thread: UnsafeCell<Thread>,
    /// Whether the thread is in a pass of the progress engine.
    pub presence: Presence,
    /// Written by its thread only.
    pub counts: Counts,
}

/// What a thread did in the host. A thread that gets the record of one that ended counts on.
#[derive(Default)]
pub(crate) struct Counts {
    /// Passes of the progress engine.
    pub passes: CounterCell,
    /// Those in which nothing happened.
    pub empty: CounterCell,
    /// Instances that a pass left out because another thread had them.
    pub misses: CounterCell,
    /// Waits for a sync object.
    pub waits: CounterCell,
    /// How often it went to sleep in one.
    pub sleeps: CounterCell,
    /// How often something woke it before its time was over.
    pub wake_ups: CounterCell,
}

/// Adds up what all threads counted.
pub(crate) fn counted(cell: impl Fn(&Counts) -> &CounterCell) -> u64 {
    THREADS.lock().records.iter().map(|record| cell(&record.counts).get()).sum()
}

// SAFETY: `presence` is atomic, and `thread` is written only while no thread has the record.
unsafe impl Sync for Record {}

struct Threads {
    /// Every record there ever was; the position is the index. Never freed.
    records: Vec<&'static Record>,
    free: BTreeSet<u32>,
    serial: u64,
    exits: Vec<Arc<Exit>>,
}

/// A request for a call at the end of threads.
struct Exit {
    /// The instance that asked.
    owner: usize,
    callback: ThreadExitFn,
    context: *mut c_void,
    /// Threads inside the callback.
    running: AtomicU32,
}

// SAFETY: the owner of a callback vouches that it may be called with its context on any
// thread.
unsafe impl Send for Exit {}
// SAFETY: see `Send`.
unsafe impl Sync for Exit {}

static THREADS: Mutex<Threads> = Mutex::new(Threads {
    records: Vec::new(),
    free: BTreeSet::new(),
    serial: 0,
    exits: Vec::new(),
});

/// Ends the thread's record when the thread ends.
struct Current(Cell<Option<&'static Record>>);

/// Threads that have a record. On cache lines of its own, because threads that wait read it.
static LIVING: CachePadded<AtomicU32> = CachePadded(AtomicU32::new(0));

/// Threads that have called the library and not ended.
pub(crate) fn living() -> u32 {
    // Relaxed: a number to decide by, which orders nothing.
    LIVING.load(Ordering::Relaxed)
}

thread_local! {
    static CURRENT: Current = const { Current(Cell::new(None)) };
    /// The record of a thread whose `CURRENT` is gone already. It has no destructor, so it is there until
    /// the very end.
    static LAST: Cell<Option<&'static Record>> = const { Cell::new(None) };
}

/// The calling thread's record; made at its first call.
///
/// # Panics
/// With more than [`MAX_THREADS`] threads at a time.
#[inline]
pub(crate) fn current() -> &'static Record {
    // While a thread ends its thread-locals are gone one by one; a destructor that still calls, or a
    // handler of `exit`, gets another record, which is never given back.
    let current = CURRENT.try_with(|current| current.0.get());
    current.unwrap_or_else(|_| LAST.get()).unwrap_or_else(first_call)
}

impl Record {
    /// The part components see.
    #[inline]
    pub fn thread(&'static self) -> &'static Thread {
        // SAFETY: the caller's thread has the record, so no thread writes it.
        unsafe { &*self.thread.get() }
    }
}

#[cold]
fn first_call() -> &'static Record {
    let mut threads = THREADS.lock();
    threads.serial += 1;
    let serial = threads.serial;
    let record = if let Some(index) = threads.free.pop_first() {
        let record = threads.records[index as usize];
        // SAFETY: no thread has this record, and components look at one only until its thread has
        // ended and the exit callbacks have returned, after which it was put among the free.
        unsafe { (*record.thread.get()).serial = serial };
        record
    } else {
        let index = threads.records.len() as u32;
        assert!(index < MAX_THREADS, "more than {MAX_THREADS} threads call MPI");
        let thread = Thread { struct_size: size_of::<Thread>() as u32, index, serial };
        let record: &'static Record = Box::leak(Box::new(Record {
            counts: Counts::default(),
            thread: UnsafeCell::new(thread),
            presence: Presence::default(),
        }));
        threads.records.push(record);
        record
    };
    LIVING.fetch_add(1, Ordering::Relaxed);
    drop(threads);
    if CURRENT.try_with(|current| current.0.set(Some(record))).is_err() {
        LAST.set(Some(record));
    }
    record
}

impl Drop for Current {
    fn drop(&mut self) {
        let Some(record) = self.0.take() else { return };
        let exits: Vec<Arc<Exit>> = {
            let threads = THREADS.lock();
            for exit in &threads.exits {
                exit.running.fetch_add(1, Ordering::Relaxed);
            }
            threads.exits.clone()
        };
        for exit in exits {
            // SAFETY: the callback was registered with this context, and `remove` waits for
            // `running` before it lets the owner free anything.
            unsafe { (exit.callback)(exit.context, record.thread.get()) };
            // Release pairs with the Acquire in `remove`.
            exit.running.fetch_sub(1, Ordering::Release);
        }
        LIVING.fetch_sub(1, Ordering::Relaxed);
        THREADS.lock().free.insert(record.thread().index);
    }
}

/// Asks for a call at the end of every thread.
pub(crate) fn exit_add(owner: usize, callback: ThreadExitFn, context: *mut c_void) {
    let exit = Exit { owner, callback, context, running: AtomicU32::new(0) };
    THREADS.lock().exits.push(Arc::new(exit));
}

/// Takes requests back and waits until none of them is running: one callback of an owner with its
/// context, or all of the owner's.
pub(crate) fn exit_remove(owner: usize, which: Option<(ThreadExitFn, *mut c_void)>) {
    let removed: Vec<Arc<Exit>> = {
        let mut threads = THREADS.lock();
        threads
            .exits
            .extract_if(.., |exit| {
                exit.owner == owner
                    && which.is_none_or(|(callback, context)| {
                        std::ptr::fn_addr_eq(exit.callback, callback) && exit.context == context
                    })
            })
            .collect()
    };
    for exit in removed {
        while exit.running.load(Ordering::Acquire) != 0 {
            std::thread::yield_now();
        }
    }
}

/// Waits until every other thread has left the pass of the progress engine that it may be in. What the
/// caller stored before is seen by every later pass.
pub(crate) fn wait_for_passes() {
    let own = current();
    let records = THREADS.lock().records.clone();
    writers_fence();
    for record in records {
        if !std::ptr::eq(record, own) {
            record.presence.wait_until_left();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// Other tests of this binary have threads of their own, so only relations are checked.
    #[test]
    fn indices_are_reused_after_the_exit_callbacks() {
        unsafe extern "C" fn note(context: *mut c_void, thread: *const Thread) {
            // SAFETY: the test passes a sender that outlives the registration.
            let (sender, thread) =
                unsafe { (&*context.cast::<mpsc::Sender<(u32, u64)>>(), &*thread) };
            sender.send((thread.index, thread.serial)).unwrap();
        }
        let (sender, receiver) = mpsc::channel::<(u32, u64)>();
        let context = (&raw const sender).cast_mut().cast();
        exit_add(77, note, context);
        let mut seen = Vec::new();
        for _ in 0..3 {
            let mine = std::thread::spawn(|| {
                let first = current().thread();
                assert!(std::ptr::eq(first, current().thread()));
                (first.index, first.serial)
            });
            let mine = mine.join().unwrap();
            let ended = receiver.iter().find(|ended| *ended == mine).unwrap();
            seen.push(ended);
        }
        assert!(seen[0].1 < seen[1].1 && seen[1].1 < seen[2].1, "{seen:?}");
        exit_remove(77, Some((note, context)));
        receiver.try_iter().for_each(drop);
        std::thread::spawn(|| current().thread().index).join().unwrap();
        assert!(receiver.try_iter().next().is_none(), "called after it was removed");
    }
}
