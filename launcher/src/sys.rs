//! What neither the standard library nor rustix offers: signal masks, signals as a descriptor, and
//! copying a process.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{FromRawFd, OwnedFd};

use rustix::process::Pid;

/// A set of signals, such as the mask of a thread.
#[derive(Clone, Copy)]
pub struct SignalSet(pub(crate) libc::sigset_t);

impl SignalSet {
    /// These signals.
    pub fn of(signals: &[i32]) -> Self {
        let mut set = MaybeUninit::uninit();
        // SAFETY: `sigemptyset` fills the set; numbers that are no signals are refused by
        // `sigaddset` without harm.
        unsafe {
            libc::sigemptyset(set.as_mut_ptr());
            let mut set = set.assume_init();
            for signal in signals {
                libc::sigaddset(&raw mut set, *signal);
            }
            Self(set)
        }
    }

    /// Every signal.
    pub fn all() -> Self {
        let mut set = MaybeUninit::uninit();
        // SAFETY: `sigfillset` fills the set.
        unsafe {
            libc::sigfillset(set.as_mut_ptr());
            Self(set.assume_init())
        }
    }

    /// Blocks these signals, besides those that are blocked already, and returns the mask from
    /// before. Threads that are made later inherit the mask.
    pub fn block(&self) -> io::Result<Self> {
        let mut before = MaybeUninit::uninit();
        // SAFETY: both sets are valid, and the call fills the second.
        unsafe {
            match libc::pthread_sigmask(libc::SIG_BLOCK, &raw const self.0, before.as_mut_ptr()) {
                0 => Ok(Self(before.assume_init())),
                error => Err(io::Error::from_raw_os_error(error)),
            }
        }
    }

    /// A descriptor that can be read when one of these signals, which must be blocked, has come.
    pub fn descriptor(&self) -> io::Result<OwnedFd> {
        // SAFETY: the set is valid; the descriptor is new and ours.
        unsafe {
            match libc::signalfd(-1, &raw const self.0, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) {
                -1 => Err(io::Error::last_os_error()),
                fd => Ok(OwnedFd::from_raw_fd(fd)),
            }
        }
    }
}

/// Takes one signal from a descriptor of [`SignalSet::descriptor`], if there is one.
pub fn next_signal(descriptor: &OwnedFd) -> io::Result<Option<i32>> {
    let mut info = [0u8; size_of::<libc::signalfd_siginfo>()];
    match rustix::io::read(descriptor, &mut info) {
        // The first field is the number.
        Ok(len) if len == info.len() => {
            Ok(Some(i32::from_ne_bytes([info[0], info[1], info[2], info[3]])))
        }
        Ok(_) | Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Whether this process was started with a signal ignored, as `nohup` does.
pub fn is_ignored(signal: i32) -> bool {
    let mut action = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: asks only, and the call fills the place.
    unsafe {
        libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) == 0
            && action.assume_init().sa_sigaction == libc::SIG_IGN
    }
}

/// Which of the two processes after a fork this is.
#[derive(Debug)]
pub enum Forked {
    /// The old one, and the other's process id.
    Parent(Pid),
    /// The new one.
    Child,
}

/// Makes a copy of this process, which must have one thread only.
pub fn fork() -> io::Result<Forked> {
    let threads = std::fs::read_dir("/proc/self/task").map_or(1, Iterator::count);
    assert_eq!(threads, 1, "a copy of a process with threads would wait for them for ever");
    // SAFETY: there is no other thread that could hold a lock or be in the middle of something.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(Forked::Child),
        pid => Ok(Forked::Parent(Pid::from_raw(pid).expect("a process id is above zero"))),
    }
}

/// Ends this process without running what was meant for the end of the one it is a copy of.
pub fn exit_copy(code: i32) -> ! {
    // SAFETY: ends the process; nothing is looked at any more.
    unsafe { libc::_exit(code) }
}

/// Stops this process as SIGSTOP does, until SIGCONT.
pub fn stop() {
    // SAFETY: sends this process a signal that the kernel handles.
    unsafe { libc::raise(libc::SIGSTOP) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blocked_signal_comes_through_the_descriptor() {
        let set = SignalSet::of(&[libc::SIGUSR2]);
        set.block().unwrap();
        let descriptor = set.descriptor().unwrap();
        assert_eq!(next_signal(&descriptor).unwrap(), None);
        // SAFETY: sends this thread a signal that it blocks.
        unsafe { libc::pthread_kill(libc::pthread_self(), libc::SIGUSR2) };
        assert_eq!(next_signal(&descriptor).unwrap(), Some(libc::SIGUSR2));
        assert_eq!(next_signal(&descriptor).unwrap(), None);
    }

    #[test]
    fn ignored_signals_are_known() {
        // Rust's runtime ignores SIGPIPE.
        assert!(is_ignored(libc::SIGPIPE));
        assert!(!is_ignored(libc::SIGUSR1));
    }
}
