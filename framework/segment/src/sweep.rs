//! Files of the dead.
//!
//! A process that has a segment's file open holds a lock on it (`flock`), which the system takes back
//! when the process dies, however it dies. So a file without a lock is abandoned, whatever its name says:
//! process ids come back, and containers that share `/dev/shm` have ids of their own.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use cairn_descriptors::Private;

/// Where files of segments lie.
pub(crate) const DIRECTORY: &str = "/dev/shm";
/// What their names begin with.
pub(crate) const PREFIX: &str = "cairn-";

/// Takes a file for this process and those that share the descriptor. Waits for a sweeper, which is
/// quick.
pub(crate) fn hold(file: &File) -> io::Result<()> {
    loop {
        match lock(file, libc::LOCK_SH) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

/// Whether the file still has its name.
pub(crate) fn has_name(file: &File) -> io::Result<bool> {
    Ok(file.metadata()?.nlink() > 0)
}

fn lock(file: &File, operation: i32) -> io::Result<()> {
    // SAFETY: a plain system call on an open descriptor.
    match unsafe { libc::flock(file.as_raw_fd(), operation) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Removes the files of segments that no process has open, and returns how many they were. Files
/// of other users, and what can't be removed, stay.
pub fn sweep() -> usize {
    sweep_in(Path::new(DIRECTORY))
}

/// What another library calls a file of shared memory that it makes for this process, so that [`sweep`] finds it
/// when the process has died without removing it. `name` is unique on the machine.
pub fn foreign_name(name: &str) -> String {
    format!("{PREFIX}{name}")
}

/// A file of another library that this process uses.
#[derive(Debug)]
pub struct Claim(#[expect(dead_code, reason = "its lock says that the file is in use")] Private);

impl Claim {
    /// Takes the file with a [`foreign_name`], right after it was made.
    ///
    /// # Errors
    /// When it is not there: it never was, or has just been swept.
    pub fn on(name: &str) -> io::Result<Self> {
        let path = Path::new(DIRECTORY).join(name);
        let file = Private::open(|| {
            let file = File::options().read(true).custom_flags(libc::O_NOFOLLOW).open(&path)?;
            lock(&file, libc::LOCK_SH | libc::LOCK_NB)?;
            if has_name(&file)? { Ok(file.into()) } else { Err(io::ErrorKind::NotFound.into()) }
        })?;
        Ok(Self(file))
    }
}

fn sweep_in(directory: &Path) -> usize {
    let Ok(entries) = std::fs::read_dir(directory) else { return 0 };
    let ours = |name: &OsStr| name.as_bytes().starts_with(PREFIX.as_bytes());
    let paths = entries.flatten().filter(|entry| ours(&entry.file_name()));
    paths.filter(|entry| is_left(&entry.path())).count()
}

/// Removes a file if it is abandoned.
fn is_left(path: &Path) -> bool {
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let Ok(file) = File::options().read(true).custom_flags(flags).open(path) else { return false };
    // SAFETY: a plain system call.
    let user = unsafe { libc::geteuid() };
    let own = file.metadata().is_ok_and(|data| data.is_file() && data.uid() == user);
    // Held until the name is gone: its owner, which may be between making and taking it, sees that.
    own && lock(&file, libc::LOCK_EX | libc::LOCK_NB).is_ok() && std::fs::remove_file(path).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Backing, Options, Segment};

    #[test]
    fn what_nobody_holds_is_removed_and_nothing_else() {
        let name = format!("{PREFIX}sweep-test-{}", std::process::id());
        let path = |more: &str| Path::new(DIRECTORY).join(format!("{name}-{more}"));
        let backing = Backing::File;
        let options = Options { name: &name, len: 4096, front: 4096, backing, peers: 2 };
        let held = Segment::create(&options).unwrap();
        let file = held.path.clone().unwrap();
        assert!(file.to_str().unwrap().contains(&name), "{}", file.display());
        let peer = Segment::attach(held.card()).unwrap();
        std::fs::write(path("left"), "x").unwrap();
        std::os::unix::fs::symlink(path("nowhere"), path("link")).unwrap();
        // Other tests and jobs may sweep, too.
        sweep();
        assert!(file.exists() && !path("left").exists());
        assert!(path("link").symlink_metadata().is_ok());
        std::fs::remove_file(path("link")).unwrap();

        // The owner dies without a word, and a peer is still there.
        let Segment { path: kept, .. } = &held;
        let kept = kept.clone().unwrap();
        let copy = held.file.as_ref().unwrap().try_clone().unwrap();
        lock(&copy, libc::LOCK_UN).unwrap();
        sweep();
        assert!(kept.exists());
        drop(peer);
        sweep();
        assert!(!kept.exists());
    }

    #[test]
    fn a_file_of_another_library_stays_while_it_is_used() {
        let name = foreign_name(&format!("claim-test-{}", std::process::id()));
        let path = Path::new(DIRECTORY).join(&name);
        assert!(Claim::on(&name).is_err());
        std::fs::write(&path, "x").unwrap();
        // Another test may sweep in between.
        let Ok(claim) = Claim::on(&name) else { return };
        sweep();
        assert!(path.exists());
        drop(claim);
        sweep();
        assert!(!path.exists());
    }

    #[test]
    fn a_directory_that_is_not_there_has_nothing_in_it() {
        assert_eq!(sweep_in(Path::new("/nonexistent")), 0);
    }
}
