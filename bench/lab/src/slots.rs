//! Buffers with their requests.

use std::ffi::c_void;
use std::slice;

use mpi::ffi;

use crate::check::{POISON, check, fill};
use crate::comm::{Comm, any_tag, byte, count, ok, source};
use crate::messages;

/// A cache line, so that no two slots share one.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; 64]);

/// Buffers of one size for a window of messages, and the requests of those that are under way.
///
/// Only MPI touches the buffers between a start and [`wait_all`](Slots::wait_all). Belongs to one
/// thread.
pub struct Slots {
    lines: Vec<Line>,
    /// Lines from one slot to the next.
    stride: usize,
    bytes: usize,
    /// Of what is under way, in the order of the starts.
    requests: Vec<ffi::MPI_Request>,
}

impl Slots {
    /// So many buffers of so many bytes each, written once so that the memory is there and near
    /// the calling thread.
    pub fn new(slots: usize, bytes: usize) -> Slots {
        let stride = bytes.div_ceil(size_of::<Line>()).max(1);
        Slots {
            lines: vec![Line([POISON; 64]); stride * slots],
            stride,
            bytes,
            requests: Vec::with_capacity(slots),
        }
    }

    /// How many there are.
    #[expect(clippy::len_without_is_empty, reason = "a window has a message")]
    pub fn len(&self) -> usize {
        self.lines.len() / self.stride
    }

    /// How large each is.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Writes the data of a message, see [`fill`].
    pub fn fill(&mut self, slot: usize, seed: u64) {
        fill(self.data_mut(slot), seed);
    }

    /// Whether the slot has the data of that message, see [`check`].
    #[must_use]
    pub fn check(&self, slot: usize, seed: u64) -> bool {
        check(self.data(slot), seed)
    }

    /// Overwrites what was received.
    pub fn poison(&mut self) {
        self.idle();
        self.lines.fill(Line([POISON; 64]));
    }

    /// Starts sending a slot.
    #[inline]
    pub fn start_send(&mut self, slot: usize, comm: Comm, to: usize, tag: usize) {
        messages::one();
        let (pointer, bytes) = (self.pointer(slot), count(self.bytes));
        let request = self.request();
        // SAFETY: the slot has so many bytes, which the program does not touch until the wait and which are
        // leaked if there is none.
        let code =
            unsafe { ffi::MPI_Isend(pointer, bytes, byte(), to as _, tag as _, comm.0, request) };
        ok(code, "MPI_Isend");
    }

    /// Starts receiving into a slot.
    #[inline]
    pub fn start_receive(
        &mut self,
        slot: usize,
        comm: Comm,
        from: Option<usize>,
        tag: Option<usize>,
    ) {
        let (from, tag) = (source(from), any_tag(tag));
        let (pointer, bytes) = (self.pointer(slot), count(self.bytes));
        let request = self.request();
        // SAFETY: the slot has so many bytes, which the program does not touch until the wait and which are
        // leaked if there is none.
        let code = unsafe { ffi::MPI_Irecv(pointer, bytes, byte(), from, tag, comm.0, request) };
        ok(code, "MPI_Irecv");
    }

    /// Waits for all that was started.
    #[inline]
    pub fn wait_all(&mut self) {
        let number = self.requests.len() as _;
        // SAFETY: so many requests are there. Their statuses are not asked for.
        let code = unsafe {
            ffi::MPI_Waitall(number, self.requests.as_mut_ptr(), ffi::RSMPI_STATUSES_IGNORE)
        };
        ok(code, "MPI_Waitall");
        self.requests.clear();
    }

    /// Whether all that was started is complete. Gives MPI the occasion to make progress.
    #[inline]
    pub fn test_all(&mut self) -> bool {
        let number = self.requests.len() as _;
        let mut complete = 0;
        // SAFETY: so many requests are there. Their statuses are not asked for.
        let code = unsafe {
            ffi::MPI_Testall(
                number,
                self.requests.as_mut_ptr(),
                &mut complete,
                ffi::RSMPI_STATUSES_IGNORE,
            )
        };
        ok(code, "MPI_Testall");
        if complete != 0 {
            self.requests.clear();
        }
        complete != 0
    }

    /// Sends a slot and waits until it may be changed.
    #[inline]
    pub fn send(&mut self, slot: usize, comm: Comm, to: usize, tag: usize) {
        comm.send(self.data(slot), to, tag);
    }

    /// Receives into a slot.
    #[inline]
    pub fn receive(&mut self, slot: usize, comm: Comm, from: Option<usize>, tag: Option<usize>) {
        comm.receive(self.data_mut(slot), from, tag);
    }

    /// The bytes of a slot, when nothing is under way.
    pub fn data(&self, slot: usize) -> &[u8] {
        self.idle();
        let lines = &self.lines[slot * self.stride..][..self.stride];
        // SAFETY: a slot's lines are at least so many initialised bytes. None is under way, so MPI
        // does not touch them while they are borrowed.
        unsafe { slice::from_raw_parts(lines.as_ptr().cast(), self.bytes) }
    }

    /// The bytes of a slot to be written, when nothing is under way.
    pub fn data_mut(&mut self, slot: usize) -> &mut [u8] {
        self.idle();
        let lines = &mut self.lines[slot * self.stride..][..self.stride];
        // SAFETY: as for `data`, and the borrow is exclusive.
        unsafe { slice::from_raw_parts_mut(lines.as_mut_ptr().cast(), self.bytes) }
    }

    /// The bytes of all slots, one after the other, when nothing is under way.
    pub fn all(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|slot| self.data(slot))
    }

    /// The bytes of all slots to be written, one after the other, when nothing is under way.
    pub fn all_mut(&mut self) -> impl Iterator<Item = &mut [u8]> {
        self.idle();
        let bytes = self.bytes;
        self.lines.chunks_exact_mut(self.stride).map(move |lines| {
            // SAFETY: as for `data_mut`.
            unsafe { slice::from_raw_parts_mut(lines.as_mut_ptr().cast(), bytes) }
        })
    }

    #[inline]
    fn pointer(&mut self, slot: usize) -> *mut c_void {
        assert!(slot < self.len(), "slot {slot} of {}", self.len());
        // SAFETY: the slot lies within the allocation. No reference to its bytes is made.
        unsafe { self.lines.as_mut_ptr().add(slot * self.stride).cast() }
    }

    /// Where the next request goes.
    #[inline]
    fn request(&mut self) -> &mut ffi::MPI_Request {
        // SAFETY: a constant of the library.
        self.requests.push(unsafe { ffi::RSMPI_REQUEST_NULL });
        self.requests.last_mut().expect("one was pushed")
    }

    fn idle(&self) {
        assert!(self.requests.is_empty(), "messages are under way; wait for them first");
    }
}

impl Drop for Slots {
    fn drop(&mut self) {
        // MPI may still read or write them.
        if !self.requests.is_empty() {
            std::mem::take(&mut self.lines).leak();
        }
    }
}
