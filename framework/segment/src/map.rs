//! A shared mapping of a part of a file.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::fd::AsRawFd;

use crate::error::Error;
use crate::memory;

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

    /// Gives memory to those of some pages that have none, and maps them; false where the system can't, which is
    /// before Linux 5.14.
    pub fn populate(&self, pages: Range<usize>) -> Result<bool, Error> {
        assert!(pages.start <= pages.end && pages.end <= self.len, "{pages:?} of {}", self.len);
        loop {
            // SAFETY: they are mapped, and what they hold stays.
            let status = unsafe {
                let first = self.base.add(pages.start).cast();
                libc::madvise(first, pages.len(), libc::MADV_POPULATE_WRITE)
            };
            if status == 0 {
                return Ok(true);
            }
            let error = io::Error::last_os_error();
            match error.raw_os_error() {
                Some(libc::EINTR) => {}
                Some(libc::EINVAL) => return Ok(false),
                // EFAULT where touching would be SIGBUS: the file system has no room.
                Some(libc::ENOMEM | libc::EFAULT) => {
                    let available = memory(u64::MAX).unwrap_or(0);
                    return Err(Error::NoSpace { needed: pages.len(), available });
                }
                _ => return Err(Error::system("madvise(MADV_POPULATE_WRITE)", error)),
            }
        }
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
