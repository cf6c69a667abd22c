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
//!
//! **Components with handlers of their own** set them in one of these functions and put back in another
//! what they had found, or call it from theirs when the program crashes. What they find is a handler of
//! these here, which therefore has to stand for one action for good: there are several, and each knows
//! the action that it was installed in place of. Where a component puts one back, that action follows when
//! the function returns; where it calls one, that action is put back for the fault that comes next.

use std::cell::UnsafeCell;
use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};
use std::sync::Once;
use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicU32, AtomicUsize, Ordering};

use crate::abi::lock::Mutex;

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

type Handler = unsafe extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);

/// Handlers, each for one of the actions that were found for a signal.
static HANDLERS: [Handler; 16] = [
    crashed::<0>,
    crashed::<1>,
    crashed::<2>,
    crashed::<3>,
    crashed::<4>,
    crashed::<5>,
    crashed::<6>,
    crashed::<7>,
    crashed::<8>,
    crashed::<9>,
    crashed::<10>,
    crashed::<11>,
    crashed::<12>,
    crashed::<13>,
    crashed::<14>,
    crashed::<15>,
];

/// The place of the program's action among those that were found.
const PROGRAMS: usize = 0;

/// How often a handler is called between two installations before it is taken for one that leads back to
/// itself: because a component that was opened twice calls itself, for one. Then the program's action
/// follows, and if that leads back, too, the default.
const OFTEN: u32 = 8;
const TOO_OFTEN: u32 = 64;

/// What is known of a signal.
struct Found {
    /// Different actions, in the order in which they were found.
    actions: UnsafeCell<[MaybeUninit<libc::sigaction>; HANDLERS.len()]>,
    /// How many there are. Written under the lock of `WATCHED`.
    count: AtomicUsize,
    /// Calls of handlers since the last installation.
    calls: AtomicU32,
}

// SAFETY: an action is written once, under the lock of `WATCHED` and before its handler is installed, and
// read under the lock or by the handler afterwards.
unsafe impl Sync for Found {}

/// In the order of [`CRASHES`].
static FOUND: [Found; CRASHES.len()] = [const {
    Found {
        actions: UnsafeCell::new([const { MaybeUninit::zeroed() }; HANDLERS.len()]),
        count: AtomicUsize::new(0),
        calls: AtomicU32::new(0),
    }
}; CRASHES.len()];

impl Found {
    /// The action of a handler that was installed; the program's for one that was not, which a component
    /// has found for another signal.
    fn action(&self, which: usize) -> &libc::sigaction {
        let which = if which < self.count.load(Ordering::Relaxed) { which } else { PROGRAMS };
        // SAFETY: written before it was counted, and never again. Before anything is, all zero: the default.
        unsafe { (*self.actions.get())[which].assume_init_ref() }
    }

    /// The number of an action, under the lock of `WATCHED`. `None` when there is no room.
    fn number(&self, action: &libc::sigaction) -> Option<usize> {
        let count = self.count.load(Ordering::Relaxed);
        let known = (0..count).find(|which| is_same(self.action(*which), action));
        if known.is_some() || count == HANDLERS.len() {
            return known;
        }
        // SAFETY: the lock is held, and nothing reads a place before it is counted.
        unsafe { (*self.actions.get())[count].write(*action) };
        self.count.store(count + 1, Ordering::Relaxed);
        Some(count)
    }
}

fn is_same(one: &libc::sigaction, other: &libc::sigaction) -> bool {
    // Linux has 64 signals. The C library has room for more, and may leave anything there.
    // SAFETY: a set of signals is no shorter.
    let mask = |action: &libc::sigaction| unsafe {
        (&raw const action.sa_mask).cast::<u64>().read_unaligned()
    };
    one.sa_sigaction == other.sa_sigaction
        && one.sa_flags == other.sa_flags
        && mask(one) == mask(other)
}

/// The place of the handler in an action, if it is one of these here.
fn own_handler(action: &libc::sigaction) -> Option<usize> {
    HANDLERS.iter().position(|handler| *handler as usize == action.sa_sigaction)
}

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

/// The words of this thread's function, if it is in one, for once. May be called in a handler of a signal.
fn take_words() -> Option<&'static Words> {
    let thread = thread_id();
    let place = PLACES.iter().find(|place| place.thread.load(Ordering::Relaxed) == thread)?;
    // SAFETY: null, or set by a guard that lives further up on this thread's stack.
    unsafe { place.words.swap(null_mut(), Ordering::Relaxed).as_ref() }
}

fn install() {
    static AT_EXIT: Once = Once::new();
    // SAFETY: the function stays as long as this library, whose end runs it.
    AT_EXIT.call_once(|| unsafe {
        libc::atexit(exited);
    });
    for ((signal, _), found) in CRASHES.iter().zip(&FOUND) {
        found.calls.store(0, Ordering::Relaxed);
        // SAFETY: the places are valid; the lock is held, and a handler is installed after its action was
        // written.
        unsafe {
            let mut now = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
            libc::sigaction(*signal, null(), &raw mut now);
            if own_handler(&now).is_some() {
                // A component has put it back.
                continue;
            }
            let Some(which) = found.number(&now) else { continue };
            let mut own = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
            own.sa_sigaction = HANDLERS[which] as usize;
            own.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigemptyset(&raw mut own.sa_mask);
            libc::sigaction(*signal, &raw const own, null_mut());
        }
    }
}

fn uninstall() {
    for ((signal, _), found) in CRASHES.iter().zip(&FOUND) {
        // SAFETY: as above. What a component has installed for itself meanwhile stays; if it has put back
        // what it found in an earlier function, what that stood for follows.
        unsafe {
            let mut now = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
            libc::sigaction(*signal, null(), &raw mut now);
            if let Some(which) = own_handler(&now) {
                libc::sigaction(*signal, found.action(which), null_mut());
            }
        }
    }
}

/// Handles a signal of a crash: says what it was, and lets it happen as without this handler. Called by
/// the kernel, or by a handler of a component that found this one.
unsafe extern "C" fn crashed<const WHICH: usize>(
    signal: c_int,
    info: *mut libc::siginfo_t,
    _: *mut c_void,
) {
    let Some(index) = CRASHES.iter().position(|(other, _)| *other == signal) else { return };
    if let Some(words) = take_words() {
        say(words, CRASHES[index].1);
    }
    let found = &FOUND[index];
    // SAFETY: the action was stored before this handler was installed; the kernel passes what
    // happened, a component perhaps nothing.
    unsafe {
        match found.calls.fetch_add(1, Ordering::Relaxed) {
            TOO_OFTEN.. => {
                libc::signal(signal, libc::SIG_DFL);
            }
            calls => {
                let which = if calls < OFTEN { WHICH } else { PROGRAMS };
                libc::sigaction(signal, found.action(which), null_mut());
            }
        }
        // The instruction that did it is executed again; what was sent must be sent again.
        if info.is_null() || (*info).si_code <= 0 {
            libc::raise(signal);
        }
    }
}

/// Called when the process exits.
extern "C" fn exited() {
    let Some(words) = take_words() else { return };
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
    // SAFETY: the parts live during the call. There is no place left to report to when standard error is closed.
    let _ = unsafe { libc::writev(libc::STDERR_FILENO, parts.as_ptr(), parts.len() as c_int) };
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::Command;

    use super::*;

    /// Tests change what the whole process does when it crashes.
    static ALONE: std::sync::Mutex<()> = std::sync::Mutex::new(());

    fn action(signal: c_int) -> libc::sigaction {
        // SAFETY: asks only.
        unsafe {
            let mut now = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
            libc::sigaction(signal, null(), &raw mut now);
            now
        }
    }

    fn set(signal: c_int, handler: usize) {
        // SAFETY: handlers of these tests, which take a signal and what happened.
        unsafe {
            let mut new = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
            (new.sa_sigaction, new.sa_flags) = (handler, libc::SA_SIGINFO);
            libc::sigaction(signal, &raw const new, null_mut());
        }
    }

    fn call(name: &str, call: impl FnOnce()) {
        guarded(format!("in {name}, it"), String::new(), call);
    }

    /// What the component below found when it was opened.
    static FOUND_BY_COMPONENT: AtomicPtr<libc::sigaction> = AtomicPtr::new(null_mut());

    /// A component with a handler of its own from its open to its close.
    fn open(signal: c_int) {
        call("open", || {
            let found = Box::into_raw(Box::new(action(signal)));
            FOUND_BY_COMPONENT.store(found, Ordering::Relaxed);
            set(signal, of_component as *const () as usize);
        });
    }

    fn close(signal: c_int) {
        let found = FOUND_BY_COMPONENT.load(Ordering::Relaxed);
        // SAFETY: what was found in `open`.
        call("close", || unsafe {
            libc::sigaction(signal, found, null_mut());
        });
    }

    /// Calls what was there before, as crash handlers do.
    unsafe extern "C" fn of_component(
        signal: c_int,
        info: *mut libc::siginfo_t,
        context: *mut c_void,
    ) {
        static TIMES: AtomicU32 = AtomicU32::new(0);
        // SAFETY: what was found in `open`, which is a handler there.
        unsafe {
            if TIMES.fetch_add(1, Ordering::Relaxed) > 1000 {
                libc::_exit(LOOPS);
            }
            let found = &*FOUND_BY_COMPONENT.load(Ordering::Relaxed);
            let found: unsafe extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) =
                std::mem::transmute(found.sa_sigaction);
            found(signal, info, context);
        }
    }

    unsafe extern "C" fn of_program(_: c_int, _: *mut libc::siginfo_t, _: *mut c_void) {
        // SAFETY: ends the process.
        unsafe { libc::_exit(HANDLED) };
    }

    const HANDLED: c_int = 7;
    const LOOPS: c_int = 99;

    #[test]
    fn places_are_given_back_and_handlers_are_too() {
        let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let before = action(libc::SIGSEGV).sa_sigaction;
        let head = || {
            let own =
                PLACES.iter().find(|place| place.thread.load(Ordering::Relaxed) == thread_id())?;
            // SAFETY: as in `take_words`.
            let words = unsafe { own.words.load(Ordering::Relaxed).as_ref() };
            words.map(|words| words.head.clone())
        };
        let outer = guarded("outer".into(), String::new(), || {
            assert_ne!(action(libc::SIGSEGV).sa_sigaction, before);
            let inner = guarded("inner".into(), String::new(), head);
            assert_eq!(inner.as_deref(), Some("inner"));
            std::thread::spawn(move || assert!(take_words().is_none())).join().unwrap();
            head()
        });
        assert_eq!(outer.as_deref(), Some("outer"));
        assert_eq!(head(), None);
        assert_eq!(action(libc::SIGSEGV).sa_sigaction, before);
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
        assert_eq!(action(libc::SIGSEGV).sa_sigaction, before);
    }

    #[test]
    fn what_a_component_puts_back_is_what_stood_there() {
        let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let (own, theirs) = (of_program as *const () as usize, of_component as *const () as usize);
        let now = || action(libc::SIGFPE).sa_sigaction;
        let before = action(libc::SIGFPE);
        set(libc::SIGFPE, own);
        for _ in 0..100 {
            open(libc::SIGFPE);
            assert_eq!(now(), theirs);
            // It stays in other calls.
            call("query", || ());
            assert_eq!(now(), theirs);
            close(libc::SIGFPE);
            assert_eq!(now(), own);
            call("query", || ());
            assert_eq!(now(), own);
        }
        // A component that is closed when another one is open finds what that one has set.
        open(libc::SIGFPE);
        let first = FOUND_BY_COMPONENT.load(Ordering::Relaxed);
        open(libc::SIGFPE);
        close(libc::SIGFPE);
        assert_eq!(now(), theirs);
        FOUND_BY_COMPONENT.store(first, Ordering::Relaxed);
        close(libc::SIGFPE);
        assert_eq!(now(), own);
        // SAFETY: as it was.
        unsafe { libc::sigaction(libc::SIGFPE, &raw const before, null_mut()) };
    }

    /// More actions than are told apart: those that are left over stay, and are not watched.
    #[test]
    fn actions_without_number_stay_as_they_are() {
        let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let before = action(libc::SIGILL);
        for flags in 0..100 {
            let mut new = before;
            new.sa_sigaction = of_program as *const () as usize;
            new.sa_flags = libc::SA_SIGINFO;
            // SAFETY: a valid action; signals above 33 are the program's.
            unsafe {
                libc::sigemptyset(&raw mut new.sa_mask);
                for bit in 0..7 {
                    if flags >> bit & 1 == 1 {
                        libc::sigaddset(&raw mut new.sa_mask, 40 + bit);
                    }
                }
                libc::sigaction(libc::SIGILL, &raw const new, null_mut());
            }
            call("query", || ());
            let now = action(libc::SIGILL);
            assert_eq!(now.sa_sigaction, new.sa_sigaction);
            // SAFETY: asks only.
            let is_member = |bit| unsafe { libc::sigismember(&raw const now.sa_mask, 40 + bit) };
            assert!((0..7).all(|bit| is_member(bit) == flags >> bit & 1), "{flags}");
        }
        // SAFETY: as it was.
        unsafe { libc::sigaction(libc::SIGILL, &raw const before, null_mut()) };
    }

    const CASE: &str = "CAIRN_TEST_CRASH";

    /// A program that has a handler, uses a component that has one, too, and crashes; on its own the test
    /// has nothing to do.
    #[test]
    fn as_a_program() {
        let Ok(case) = std::env::var(CASE) else { return };
        let (does, how) = case.split_once(' ').unwrap();
        let crash = || match how {
            // SAFETY: that is what the test is for.
            "fault" => unsafe { std::ptr::without_provenance_mut::<u8>(16).write_volatile(1) },
            // SAFETY: ends in a handler.
            _ => unsafe {
                libc::raise(libc::SIGSEGV);
            },
        };
        if !does.starts_with("default") {
            set(libc::SIGSEGV, of_program as *const () as usize);
        } else {
            // SAFETY: the default.
            unsafe { libc::signal(libc::SIGSEGV, libc::SIG_DFL) };
        }
        open(libc::SIGSEGV);
        match does {
            "opened" => {}
            "asked" => call("query", || ()),
            // It calls itself, then.
            "twice" | "default-twice" => open(libc::SIGSEGV),
            "inside" => call("query", crash),
            "closed" | "default-closed" => close(libc::SIGSEGV),
            _ => unreachable!("{does}"),
        }
        crash();
    }

    #[test]
    fn a_crash_ends_in_the_programs_handler_whatever_components_do() {
        let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        for how in ["fault", "signal"] {
            for does in
                ["opened", "asked", "twice", "inside", "closed", "default-closed", "default-twice"]
            {
                let ended = Command::new(std::env::current_exe().unwrap())
                    .args(["--exact", "host::guard::tests::as_a_program", "--nocapture"])
                    .env(CASE, format!("{does} {how}"))
                    .output()
                    .unwrap();
                let status = match does.starts_with("default") {
                    true => (None, Some(libc::SIGSEGV)),
                    false => (Some(HANDLED), None),
                };
                let case = format!("{does} {how}: {ended:?}");
                assert_eq!((ended.status.code(), ended.status.signal()), status, "{case}");
                let said = String::from_utf8_lossy(&ended.stderr);
                let times = said.matches("in query, it crashed with SIGSEGV").count();
                assert_eq!(times, usize::from(does == "inside"), "{case}");
            }
        }
    }
}
