//! Descriptors that forked children don't keep.
//!
//! A child that a process forks, and that executes no other program, shares what its parent has open. A
//! connection then ends with the last of them, and a lock on an open file is held as long, so others that
//! learn by one of these that a process has died do not learn it while a child lives on. So children close
//! what is [`Private`] before they do anything else. (A program that is executed is kept from it by
//! `O_CLOEXEC`, which is up to the caller.)
//!
//! ```text
//!   Private::open ─► place: free ─► reserved ─► the descriptor ─► free ◄─ drop
//!                                                    │
//!   fork ─► the child, for each place ───────────────┴─► gone: no file behind the number
//! ```
//!
//! **Other threads.** A fork waits for threads that open or close a private descriptor at that moment, since
//! the child could neither know of one that has no place yet, nor tell a closed one from a file of the
//! program's that has got its number. Nothing but system calls is made meanwhile, so a fork waits for no
//! other lock; and the child finds every place as it is, without a lock, memory, or another thread.
//!
//! **The child's copies** of what is private stay as they are. Their numbers stay taken, by a file that can
//! neither be read nor written, so what a child does with them by mistake meets none of its own files.
//!
//! Children that are made past the C library, by a system call of the program's or `_Fork`, keep everything.

use std::cell::UnsafeCell;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, IntoRawFd, OwnedFd, RawFd};
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, Ordering};

/// A descriptor that forked children close first of all. Closed when it is dropped.
#[derive(Debug)]
pub struct Private {
    fd: RawFd,
    place: Place,
}

impl Private {
    /// Opens a descriptor by a function that neither waits nor takes locks: every fork of the process
    /// waits for it.
    ///
    /// # Errors
    /// The function's, and `ENOMEM` where the C library can't note what children are to do.
    pub fn open(open: impl FnOnce() -> io::Result<OwnedFd>) -> io::Result<Self> {
        handle_forks()?;
        // Before the lock is taken, because it may allocate.
        let place = Place::reserve();
        let _no_fork = NoFork::new();
        let fd = open()?.into_raw_fd();
        place.0.store(fd, Ordering::Relaxed);
        Ok(Self { fd, place })
    }
}

impl Drop for Private {
    fn drop(&mut self) {
        let _no_fork = NoFork::new();
        // A forked child's copy is closed already, and its number may have been given to another file.
        if self.place.0.swap(RESERVED, Ordering::Relaxed) == self.fd {
            close(self.fd);
        }
    }
}

impl AsFd for Private {
    #[inline]
    fn as_fd(&self) -> BorrowedFd<'_> {
        // SAFETY: open until this is dropped; in a forked child the number stays taken.
        unsafe { BorrowedFd::borrow_raw(self.fd) }
    }
}

impl AsRawFd for Private {
    fn as_raw_fd(&self) -> RawFd {
        self.fd
    }
}

/// No descriptor, and free for one.
const FREE: RawFd = -1;
/// No descriptor, but the place of one that is being opened or closed.
const RESERVED: RawFd = -2;
/// The descriptor is the parent's; this process is a child and has closed it.
const GONE: RawFd = -3;

/// Where a descriptor is noted. Given back when it is dropped.
#[derive(Debug)]
struct Place(&'static AtomicI32);

/// Places, in a list that only grows.
struct Block {
    places: [AtomicI32; 64],
    /// Set once.
    next: AtomicPtr<Block>,
}

static FIRST: Block = Block::new();

impl Block {
    const fn new() -> Self {
        Self { places: [const { AtomicI32::new(FREE) }; 64], next: AtomicPtr::new(null_mut()) }
    }

    /// The next block, if there is one.
    fn next(&self) -> Option<&'static Block> {
        // SAFETY: null, or a block that is never freed. Acquire pairs with the Release in `grow`.
        unsafe { self.next.load(Ordering::Acquire).as_ref() }
    }

    /// Puts a block behind this one, unless another thread was faster.
    fn grow(&self) {
        let new = Box::into_raw(Box::new(Self::new()));
        let (set, unset) = (Ordering::Release, Ordering::Relaxed);
        if self.next.compare_exchange(null_mut(), new, set, unset).is_err() {
            // SAFETY: made above, and seen by this thread only.
            drop(unsafe { Box::from_raw(new) });
        }
    }
}

impl Place {
    fn reserve() -> Self {
        let mut block = &FIRST;
        loop {
            let free = |place: &&AtomicI32| {
                // Relaxed: nothing but the place itself is handed on.
                let order = Ordering::Relaxed;
                place.load(order) == FREE
                    && place.compare_exchange(FREE, RESERVED, order, order).is_ok()
            };
            if let Some(place) = block.places.iter().find(free) {
                return Self(place);
            }
            match block.next() {
                Some(next) => block = next,
                None => block.grow(),
            }
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.store(FREE, Ordering::Relaxed);
    }
}

/// The lock that forks wait for. Of the C library, since it is one that may be taken before a fork and
/// given back after it. It knows its thread, in case a handler of a signal forks.
struct Lock(UnsafeCell<libc::pthread_mutex_t>);

// SAFETY: a lock of the C library is for several threads.
unsafe impl Sync for Lock {}

static LOCK: Lock = Lock(UnsafeCell::new(libc::PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP));

/// A fork is under way, and its thread has taken the lock. Under the lock.
static FORKS: AtomicBool = AtomicBool::new(false);

/// As long as it lives, forks of other threads wait.
struct NoFork {
    taken: bool,
}

impl NoFork {
    fn new() -> Self {
        // SAFETY: initialised, and never moved. A thread that has it already is in a fork, in a handler of
        // another library, and goes on.
        let taken = unsafe { libc::pthread_mutex_lock(LOCK.0.get()) } == 0;
        Self { taken }
    }
}

impl Drop for NoFork {
    fn drop(&mut self) {
        if self.taken {
            // SAFETY: taken by this thread.
            unsafe { libc::pthread_mutex_unlock(LOCK.0.get()) };
        }
    }
}

/// Has the C library call the functions below, from now on.
fn handle_forks() -> io::Result<()> {
    static HANDLED: OnceLock<i32> = OnceLock::new();
    // SAFETY: the functions are there as long as the process, for components are not unmapped.
    let status = *HANDLED.get_or_init(|| unsafe {
        libc::pthread_atfork(Some(before), Some(in_parent), Some(in_child))
    });
    if status == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(status)) }
}

extern "C" fn before() {
    // SAFETY: initialised, and never moved.
    if unsafe { libc::pthread_mutex_lock(LOCK.0.get()) } == 0 {
        FORKS.store(true, Ordering::Relaxed);
    }
}

extern "C" fn in_parent() {
    if FORKS.swap(false, Ordering::Relaxed) {
        // SAFETY: taken before the fork by this thread.
        unsafe { libc::pthread_mutex_unlock(LOCK.0.get()) };
    }
}

/// What a forked child does first. It has one thread.
extern "C" fn in_child() {
    FORKS.store(false, Ordering::Relaxed);
    // SAFETY: no other thread is there. The lock is made anew because it knows its thread by a number,
    // which is another one in the child.
    unsafe { LOCK.0.get().write(libc::PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP) };
    let mut nothing = -1;
    let mut block = Some(&FIRST);
    while let Some(own) = block {
        for place in &own.places {
            let fd = place.load(Ordering::Relaxed);
            if fd < 0 {
                continue;
            }
            place.store(GONE, Ordering::Relaxed);
            if nothing < 0 {
                // SAFETY: a plain system call with text that lives.
                nothing = unsafe { libc::open(c"/".as_ptr(), libc::O_PATH | libc::O_CLOEXEC) };
            }
            // SAFETY: plain system calls. The number was that of a private descriptor.
            let replaced = unsafe { libc::dup3(nothing, fd, libc::O_CLOEXEC) == fd };
            if !replaced {
                // There may be no more files.
                close(fd);
            }
        }
        block = own.next();
    }
    close(nothing);
}

fn close(fd: RawFd) {
    if fd >= 0 {
        // SAFETY: the caller owns it.
        unsafe { libc::close(fd) };
    }
}
