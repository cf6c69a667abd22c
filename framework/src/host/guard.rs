//! Names the component in whose function the process ends.
//!
//! A component library may crash or call `exit` while it is loaded, opened or asked. The process
//! ends then, as it must, but a user with ten of them has to know which one it was. So while such a
//! function runs, signals of a crash have a handler, and the end of the process has one for good;
//! both write one line that was made before. Hot functions are not watched.
//!
//! ```text
//!   guarded(..) ─► place: thread, words ─► the function ─► place given back
//!                      ▲                       │
//!                      └── crashed, exited ◄───┘ SIGSEGV .., exit(..)
//! ```
//!
//! **Threads.** A place belongs to the thread that took it. The handlers read the place of the thread
//! that they run on, and call only what may be called in a handler of a signal. A crash of another
//! thread, or in a copy of the process, goes on as if there were no handler.

use std::cell::UnsafeCell;
use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};
use std::sync::Once;
use std::sync::atomic::{AtomicI32, AtomicPtr, Ordering};

use parking_lot::Mutex;

/// Exit status of a process that a component ended by `exit`, whatever the component said: the
/// program's work was not done.
const EXITED: c_int = 1;

/// What a line consists of, before and after what happened.
struct Words {
    head: String,
    tail: String,
}

/// A thread in a function of a component.
struct Place {
    /// The thread's id; 0 if the place is free. Taken by an exchange, given back by its thread.
    thread: AtomicI32,
    /// The innermost function. Written and read by the place's thread only.
    words: AtomicPtr<Words>,
}

/// Threads that open components at the same time: one for each component system of the process,
/// of which a program has one. A thread without a place is not watched.
static PLACES: [Place; 16] =
    [const { Place { thread: AtomicI32::new(0), words: AtomicPtr::new(null_mut()) } }; 16];

/// Signals of a crash.
const CRASHES: [(c_int, &str); 5] = [
    (libc::SIGSEGV, "crashed with SIGSEGV (an invalid address)"),
    (libc::SIGBUS, "crashed with SIGBUS (memory that can't be accessed)"),
    (libc::SIGILL, "crashed with SIGILL (an instruction this processor does not know)"),
    (libc::SIGFPE, "crashed with SIGFPE (an arithmetic error)"),
    (libc::SIGABRT, "ended the process with SIGABRT (it called abort)"),
];

/// How many calls are watched.
static WATCHED: Mutex<usize> = Mutex::new(0);

/// The actions that the handler replaces, in the order of [`CRASHES`].
struct Replaced(UnsafeCell<[MaybeUninit<libc::sigaction>; CRASHES.len()]>);

// SAFETY: written under the lock of `WATCHED` before the handler is installed, and read by the
// handler afterwards.
unsafe impl Sync for Replaced {}

static REPLACED: Replaced =
    Replaced(UnsafeCell::new([const { MaybeUninit::zeroed() }; CRASHES.len()]));

/// Runs a function of a component library. If the process crashes or exits in it, on this thread, a
/// line on standard error says so: `head`, what happened, `tail`.
pub(crate) fn guarded<R>(head: String, tail: String, call: impl FnOnce() -> R) -> R {
    let words = Words { head, tail };
    let _guard = Guard::new(&words);
    call()
}

/// As long as it lives the thread's place has its words.
struct Guard {
    place: Option<&'static Place>,
    outer: *mut Words,
}

impl Guard {
    /// `words` live longer than the guard.
    fn new(words: &Words) -> Self {
        let thread = thread_id();
        let free = |place: &&Place| {
            let taken =
                place.thread.compare_exchange(0, thread, Ordering::Relaxed, Ordering::Relaxed);
            taken.is_ok()
        };
        let own = |place: &&Place| place.thread.load(Ordering::Relaxed) == thread;
        let Some(place) = PLACES.iter().find(own).or_else(|| PLACES.iter().find(free)) else {
            return Self { place: None, outer: null_mut() };
        };
        let outer = place.words.swap(std::ptr::from_ref(words).cast_mut(), Ordering::Relaxed);
        let mut watched = WATCHED.lock();
        *watched += 1;
        if *watched == 1 {
            install();
        }
        Self { place: Some(place), outer }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let Some(place) = self.place else { return };
        let mut watched = WATCHED.lock();
        *watched -= 1;
        if *watched == 0 {
            uninstall();
        }
        drop(watched);
        place.words.store(self.outer, Ordering::Relaxed);
        if self.outer.is_null() {
            place.thread.store(0, Ordering::Relaxed);
        }
    }
}

fn thread_id() -> i32 {
    // SAFETY: asks for a number.
    unsafe { libc::syscall(libc::SYS_gettid) as i32 }
}

/// The words of this thread's function, if it is in one. May be called in a handler of a signal.
fn own_words() -> Option<&'static Words> {
    let thread = thread_id();
    let place = PLACES.iter().find(|place| place.thread.load(Ordering::Relaxed) == thread)?;
    // SAFETY: null, or set by a guard that lives further up on this thread's stack.
    unsafe { place.words.load(Ordering::Relaxed).as_ref() }
}

fn install() {
    static AT_EXIT: Once = Once::new();
    // SAFETY: the function stays as long as this library, whose end runs it.
    AT_EXIT.call_once(|| unsafe {
        libc::atexit(exited);
    });
    for (index, (signal, _)) in CRASHES.iter().enumerate() {
        // SAFETY: the places are valid; the lock is held, and the handler reads the action only
        // after it was installed.
        unsafe {
            let replaced = (*REPLACED.0.get())[index].as_mut_ptr();
            libc::sigaction(*signal, null(), replaced);
            let mut own = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
            own.sa_sigaction = crashed as *const () as usize;
            own.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigemptyset(&raw mut own.sa_mask);
            libc::sigaction(*signal, &raw const own, null_mut());
        }
    }
}

fn uninstall() {
    for (index, (signal, _)) in CRASHES.iter().enumerate() {
        // SAFETY: as above. What a component has installed for itself meanwhile stays.
        unsafe {
            let mut now = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
            libc::sigaction(*signal, null(), &raw mut now);
            if now.sa_sigaction == crashed as *const () as usize {
                libc::sigaction(*signal, (*REPLACED.0.get())[index].as_ptr(), null_mut());
            }
        }
    }
}

/// Handles a signal of a crash: says what it was, and lets it happen as without this handler.
unsafe extern "C" fn crashed(signal: c_int, info: *mut libc::siginfo_t, _: *mut c_void) {
    let Some(index) = CRASHES.iter().position(|(other, _)| *other == signal) else { return };
    if let Some(words) = own_words() {
        say(words, CRASHES[index].1);
    }
    // SAFETY: the action was stored before this handler was installed; the kernel passes what
    // happened.
    unsafe {
        libc::sigaction(signal, (*REPLACED.0.get())[index].as_ptr(), null_mut());
        // The instruction that did it is executed again; what was sent must be sent again.
        if (*info).si_code <= 0 {
            libc::raise(signal);
        }
    }
}

/// Called when the process exits.
extern "C" fn exited() {
    let Some(words) = own_words() else { return };
    say(words, "ended the process by exit");
    // SAFETY: writes what the C library holds, and ends the process without the rest of its way out,
    // which could only lead to the status that the component chose.
    unsafe {
        libc::fflush(null_mut());
        libc::_exit(EXITED);
    }
}

/// Writes a line in one piece. May be called in a handler of a signal.
fn say(words: &Words, what: &str) {
    let parts = [words.head.as_str(), " ", what, words.tail.as_str(), "\n"]
        .map(|part| libc::iovec { iov_base: part.as_ptr().cast_mut().cast(), iov_len: part.len() });
    // SAFETY: the parts live during the call. Nobody can be told when standard error is closed.
    let _ = unsafe { libc::writev(libc::STDERR_FILENO, parts.as_ptr(), parts.len() as c_int) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_given_back_and_handlers_are_too() {
        let action = |signal| {
            // SAFETY: asks only.
            unsafe {
                let mut now = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
                libc::sigaction(signal, null(), &raw mut now);
                now.sa_sigaction
            }
        };
        let own = crashed as *const () as usize;
        let head = || own_words().map(|words| words.head.clone());
        let outer = guarded("outer".into(), String::new(), || {
            assert_eq!(action(libc::SIGSEGV), own);
            let inner = guarded("inner".into(), String::new(), head);
            assert_eq!(inner.as_deref(), Some("inner"));
            std::thread::spawn(move || assert!(own_words().is_none())).join().unwrap();
            head()
        });
        assert_eq!(outer.as_deref(), Some("outer"));
        assert_eq!(head(), None);
        // More calls at once than there are places: the rest runs unwatched.
        std::thread::scope(|scope| {
            for _ in 0..PLACES.len() * 2 {
                scope.spawn(|| {
                    for _ in 0..100 {
                        guarded(String::new(), String::new(), || ());
                    }
                });
            }
        });
        assert_eq!(head(), None);
    }
}
