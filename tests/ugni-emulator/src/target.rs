//! Memory of processes, this one included, which never ends in a signal.

use std::ffi::c_void;

/// How a transaction ended, as it is in events: 0 is well.
pub type Status = u64;

/// Well.
pub const WELL: Status = 0;
/// An error on the way; the same again may go well.
pub const RECOVERABLE: Status = 1;
/// No such registration, outside of it, or not allowed.
pub const PROTECTION: Status = 2;
/// There is no such memory.
pub const FAULT: Status = 3;
/// There is no such process any more.
pub const UNREACHABLE: Status = 4;
/// An error on purpose, for good.
pub const BROKEN: Status = 5;

fn vector(at: u64, len: u64) -> libc::iovec {
    let iov_base = std::ptr::with_exposed_provenance_mut::<c_void>(at as usize);
    libc::iovec { iov_base, iov_len: len as usize }
}

/// Copies between this process, at `local`, and another.
pub fn copy(pid: u32, local: u64, remote: u64, len: u64, write: bool) -> Status {
    let (mut local, mut remote, mut left) = (local, remote, len);
    while left > 0 {
        let (here, there) = (vector(local, left), vector(remote, left));
        // SAFETY: the kernel checks both sides, and says so when there is nothing. The caller owns what is written.
        let done = unsafe {
            let (here, there, pid) = (&raw const here, &raw const there, pid as libc::pid_t);
            match write {
                true => libc::process_vm_writev(pid, here, 1, there, 1, 0),
                false => libc::process_vm_readv(pid, here, 1, there, 1, 0),
            }
        };
        if done <= 0 {
            let error = std::io::Error::last_os_error().raw_os_error();
            return if error == Some(libc::ESRCH) { UNREACHABLE } else { FAULT };
        }
        let done = done as u64;
        (local, remote, left) = (local + done, remote + done, left - done);
    }
    WELL
}

/// Writes bytes of this process's into another.
pub fn write(pid: u32, bytes: &[u8], remote: u64) -> Status {
    copy(pid, bytes.as_ptr().expose_provenance() as u64, remote, bytes.len() as u64, true)
}

/// Reads bytes of another.
pub fn read(pid: u32, bytes: &mut [u8], remote: u64) -> Status {
    copy(pid, bytes.as_mut_ptr().expose_provenance() as u64, remote, bytes.len() as u64, false)
}
