//! Handlers of signals, which are the program's.
//!
//! A foreign library, and what it is built on, may install some while it is loaded or opened, to clean up and to
//! print where it was.

use std::ffi::c_int;

/// What signals do, which is put back when this is dropped.
pub struct Signals(Vec<(c_int, libc::sigaction)>);

impl Signals {
    /// What they do now.
    pub fn save() -> Self {
        let signals = (1..=libc::SIGRTMAX()).filter_map(|signal| {
            // SAFETY: zeros are such a struct, and null asks only.
            unsafe {
                let mut action: libc::sigaction = std::mem::zeroed();
                let got = libc::sigaction(signal, std::ptr::null(), &raw mut action);
                (got == 0).then_some((signal, action))
            }
        });
        Self(signals.collect())
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        for (signal, before) in &self.0 {
            // SAFETY: as in `save`; what is put back was there.
            unsafe {
                let mut now: libc::sigaction = std::mem::zeroed();
                if libc::sigaction(*signal, std::ptr::null(), &raw mut now) == 0
                    && now.sa_sigaction != before.sa_sigaction
                {
                    libc::sigaction(*signal, before, std::ptr::null_mut());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handler_that_is_installed_meanwhile_is_taken_out() {
        extern "C" fn handler(_: c_int) {}
        let action = |signal| {
            // SAFETY: as in `save`.
            unsafe {
                let mut action: libc::sigaction = std::mem::zeroed();
                libc::sigaction(signal, std::ptr::null(), &raw mut action);
                action.sa_sigaction
            }
        };
        let before = action(libc::SIGUSR2);
        let saved = Signals::save();
        // SAFETY: a handler that does nothing.
        unsafe { libc::signal(libc::SIGUSR2, handler as *const () as usize) };
        assert_ne!(action(libc::SIGUSR2), before);
        drop(saved);
        assert_eq!(action(libc::SIGUSR2), before);
    }
}
