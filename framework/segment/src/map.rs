//! A shared mapping of a file.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

use crate::error::Error;

#[derive(Debug)]
pub(crate) struct Map {
    base: *mut u8,
    len: usize,
}

// SAFETY: it is an address and a length; who uses the memory takes care of races.
unsafe impl Send for Map {}
// SAFETY: see `Send`.
unsafe impl Sync for Map {}

impl Map {
    pub fn new(file: &File, len: usize) -> Result<Self, Error> {
        // SAFETY: a new mapping at an address that the kernel chooses.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                len,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_NORESERVE,
                file.as_raw_fd(),
                0,
            )
        };
        if base == libc::MAP_FAILED {
            return Err(Error::system("mmap", io::Error::last_os_error()));
        }
        Ok(Self { base: base.cast(), len })
    }

    pub fn base(&self) -> *mut u8 {
        self.base
    }

    pub fn len(&self) -> usize {
        self.len
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        // SAFETY: mapped by `new`, and whoever drops it has nobody use it any more.
        unsafe { libc::munmap(self.base.cast(), self.len) };
    }
}
