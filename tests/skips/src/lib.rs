//! What a test does when it can't run on this machine: it says so where a person sees it.
//!
//! `cargo xtask test` collects what is said here and prints it at its end, so that "all tests passed"
//! never hides what did not run.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::fd::{FromRawFd as _, OwnedFd};
use std::process::Command;

/// The variable that names the file to which skips are appended, a line each.
pub const FILE: &str = "CAIRN_SKIPS";

/// The variable that says that there is a network: with it, a registry that does not answer is a failure.
/// Set by continuous integration.
pub const NETWORK: &str = "CAIRN_REQUIRE_NETWORK";

/// Says that a test, or a part of it, does not run here, and why. Also where the output of tests that
/// succeed is not shown.
///
/// # Panics
/// `CAIRN_SKIPS` names a file that can't be written.
pub fn skipped(reason: &str) {
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    let line = format!("{test}: {}", reason.lines().next().unwrap_or_default());
    // Not by eprintln!, whose output the harness keeps for itself.
    let _ = writeln!(std::io::stderr(), "skipped {line}");
    if let Some(file) = std::env::var_os(FILE) {
        let file = OpenOptions::new().create(true).append(true).open(file);
        // In one write, since several processes append.
        file.and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()))
            .unwrap_or_else(|error| panic!("{FILE}: {error}"));
    }
}

/// Whether the system has a library that a component loads when it is opened. Without it the tests of the
/// component do not run, which is said; `cargo xtask test` installs what has it.
pub fn has_library(name: &str) -> bool {
    let list =
        Command::new("ldconfig").arg("-p").env("PATH", "/sbin:/usr/sbin:/bin:/usr/bin").output();
    let there = list.is_ok_and(|list| String::from_utf8_lossy(&list.stdout).contains(name));
    if !there {
        skipped(&format!("{name} is not installed"));
    }
    there
}

/// Whether the kernel tells this process what becomes of its memory; see [`has_library`].
pub fn has_userfaultfd() -> bool {
    // SAFETY: takes no memory.
    let fd = unsafe { libc::syscall(libc::SYS_userfaultfd, libc::O_CLOEXEC | USER_MODE_ONLY) };
    if fd < 0 {
        skipped(&format!("userfaultfd: {}", std::io::Error::last_os_error()));
        return false;
    }
    // SAFETY: it is a new descriptor.
    drop(unsafe { OwnedFd::from_raw_fd(fd as i32) });
    true
}

/// linux/userfaultfd.h
const USER_MODE_ONLY: i32 = 1;

/// The same as [`has_library`] for a test that needs a registry which does not answer.
///
/// # Panics
/// `CAIRN_REQUIRE_NETWORK` is set: then that is no reason.
pub fn skipped_without_network(reason: &str) {
    assert!(std::env::var_os(NETWORK).is_none(), "{NETWORK} is set, but {reason}");
    skipped(reason);
}
