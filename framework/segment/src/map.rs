//! A shared mapping of a part of a file.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::fd::AsRawFd;

use crate::error::Error;

#[derive(Debug)]
pub(crate) struct Map {
    base: *mut u8,
    len: usize,
}

// SAFETY: it is an address and a length; users of the memory take care of races.
unsafe impl Send for Map {}
// SAFETY: see `Send`.
unsafe impl Sync for Map {}

impl Map {
    /// Maps what lies between two multiples of a page's size. `all`: with all its pages, which
    /// exist, instead of each when it is touched.
    pub fn new(file: &File, part: Range<usize>, all: bool) -> Result<Self, Error> {
        let populate = if all { libc::MAP_POPULATE } else { 0 };
        // SAFETY: a new mapping at an address that the kernel chooses.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                part.len(),
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_NORESERVE | populate,
                file.as_raw_fd(),
                part.start as libc::off_t,
            )
        };
        if base == libc::MAP_FAILED {
            return Err(Error::system("mmap", io::Error::last_os_error()));
        }
        Ok(Self { base: base.cast(), len: part.len() })
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
        // SAFETY: mapped by `new`, and the memory is not used after the drop.
        unsafe { libc::munmap(self.base.cast(), self.len) };
    }
}
