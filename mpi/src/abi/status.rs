//! `MPI_Status`.

use std::ffi::c_int;

use super::generated::constants::{MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_PROC_NULL, MPI_SUCCESS};

/// The struct of mpi.h: 8 integers, of which the last 5 are ours (MPI 5.0, section 20.3.5).
///
/// Word 0 holds the low 32 bits of the byte count; word 1 its high bits, shifted left by one, and in
/// bit 0 whether the operation was cancelled. The other words are not written.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Status {
    /// Rank of the sender.
    pub source: c_int,
    /// Tag of the message.
    pub tag: c_int,
    /// Error code; only functions that complete several requests set it.
    pub error: c_int,
    internal: [c_int; 5],
}

const _: () = assert!(size_of::<Status>() == 32 && align_of::<Status>() == 4);

impl Status {
    /// The status of an operation that did not take place (MPI 5.0, section 3.7.3).
    pub const EMPTY: Self =
        Self { source: MPI_ANY_SOURCE, tag: MPI_ANY_TAG, error: MPI_SUCCESS, internal: [0; 5] };

    /// The status of a receive from `MPI_PROC_NULL` (section 3.10).
    pub const FROM_NOBODY: Self = Self { source: MPI_PROC_NULL, ..Self::EMPTY };

    /// The status of a receive.
    #[inline]
    pub fn received(source: c_int, tag: c_int, bytes: u64) -> Self {
        let mut status = Self { source, tag, ..Self::EMPTY };
        status.set_bytes(bytes);
        status
    }

    /// Bytes received.
    pub fn bytes(&self) -> u64 {
        let (low, high) = (self.internal[0] as u32, self.internal[1] as u32 >> 1);
        u64::from(high) << 32 | u64::from(low)
    }

    /// Sets the bytes received; 63 bits are kept.
    #[inline]
    pub fn set_bytes(&mut self, bytes: u64) {
        self.internal[0] = bytes as u32 as c_int;
        self.internal[1] = (((bytes >> 32) as u32) << 1) as c_int | (self.internal[1] & 1);
    }

    /// Whether the operation was cancelled.
    pub fn cancelled(&self) -> bool {
        self.internal[1] & 1 != 0
    }

    /// Sets whether the operation was cancelled.
    pub fn set_cancelled(&mut self, cancelled: bool) {
        self.internal[1] = (self.internal[1] & !1) | c_int::from(cancelled);
    }
}

/// A status that a function reads.
#[derive(Clone, Copy)]
pub struct StatusIn(pub(super) *const Status);

impl StatusIn {
    /// What it says.
    pub fn get(self) -> Status {
        // SAFETY: made by `args::status` from what the program promises to be a status.
        unsafe { self.0.read() }
    }

    /// Whether the program gave a null pointer.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }
}

/// Where a function puts a status; nowhere if the program said `MPI_STATUS_IGNORE`.
#[derive(Clone, Copy)]
pub struct StatusOut(pub(super) *mut Status);

impl StatusOut {
    /// Whether the program said `MPI_STATUS_IGNORE`, which is the null pointer.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// What is there now; the empty status if it is ignored.
    pub fn get(self) -> Status {
        // SAFETY: made by `args::status_out` from what the program promises to be a status, or null.
        if self.is_null() { Status::EMPTY } else { unsafe { self.0.read() } }
    }

    /// Writes everything but the error field: what a function that completes one operation does.
    #[inline]
    pub fn set(self, status: Status) {
        if !self.is_null() {
            // SAFETY: as in `get`.
            unsafe { self.0.write(Status { error: (*self.0).error, ..status }) };
        }
    }

    /// The same for the status of a receive, field by field.
    #[inline(always)]
    pub fn set_received(self, source: c_int, tag: c_int, bytes: u64) {
        if !self.is_null() {
            // SAFETY: as in `get`; the fields are written in place.
            unsafe {
                (*self.0).source = source;
                (*self.0).tag = tag;
                (*self.0).internal = [0; 5];
                (*self.0).set_bytes(bytes);
            }
        }
    }

    /// Writes the empty status, of which the error field is a part.
    pub fn set_empty(self) {
        self.set_with_error(Status::EMPTY);
    }

    /// Writes the error field only.
    pub fn set_error(self, error: c_int) {
        if !self.is_null() {
            // SAFETY: as in `get`.
            unsafe { (*self.0).error = error };
        }
    }

    /// Writes everything: what a function that completes several operations does on failure.
    pub fn set_with_error(self, status: Status) {
        if !self.is_null() {
            // SAFETY: as in `get`.
            unsafe { self.0.write(status) };
        }
    }
}

/// Where a function puts statuses; nowhere if the program said `MPI_STATUSES_IGNORE`.
#[derive(Clone, Copy)]
pub struct StatusesOut {
    pub(super) first: *mut Status,
    pub(super) length: usize,
}

impl StatusesOut {
    /// One of them.
    ///
    /// # Panics
    /// If the program gave fewer.
    #[inline]
    pub fn at(self, index: usize) -> StatusOut {
        assert!(index < self.length, "there are {} statuses", self.length);
        if self.is_null() {
            return StatusOut(self.first);
        }
        // SAFETY: made by `args::statuses_out` from what the program promises to be an array of that
        // length.
        StatusOut(unsafe { self.first.add(index) })
    }

    /// Whether the program said `MPI_STATUSES_IGNORE`.
    pub fn is_null(self) -> bool {
        self.first.is_null()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_cancellation_keep_apart() {
        for bytes in [0, 1, 0x7fff_ffff, 0xffff_ffff, 0x1_0000_0000, 0x7fff_ffff_ffff_ffff] {
            let mut status = Status::received(3, 4, bytes);
            assert_eq!(status.bytes(), bytes);
            assert!(!status.cancelled());
            status.set_cancelled(true);
            assert!(status.cancelled());
            assert_eq!(status.bytes(), bytes);
            status.set_bytes(7);
            assert!(status.cancelled());
            status.set_cancelled(false);
            assert_eq!((status.bytes(), status.cancelled()), (7, false));
        }
    }

    #[test]
    fn one_completion_leaves_the_error_alone() {
        let mut status = Status { error: 77, ..Status::EMPTY };
        StatusOut(&mut status).set(Status::received(1, 2, 3));
        assert_eq!((status.source, status.tag, status.error, status.bytes()), (1, 2, 77, 3));
        StatusOut(&mut status).set_empty();
        assert_eq!(status.error, MPI_SUCCESS);
        StatusOut(std::ptr::null_mut()).set(Status::EMPTY);
    }

    #[test]
    fn ignored_statuses_can_be_written() {
        let ignored = StatusesOut { first: std::ptr::null_mut(), length: 2 };
        ignored.at(1).set(Status::EMPTY);
        let mut two = [Status::EMPTY; 2];
        StatusesOut { first: two.as_mut_ptr(), length: 2 }.at(1).set(Status::received(5, 6, 7));
        assert_eq!((two[0].source, two[1].source), (MPI_ANY_SOURCE, 5));
    }
}
