//! Windows: memory that other ranks read and write (MPI 5.0, chapter 12).
//!
//! [`Window`] is the memory with its synchronization, [`Origin`] the buffers of a thread that are
//! put into it or got from it.

use std::ffi::{CString, c_int, c_void};
use std::ops::Range;
use std::ptr;
use std::slice;

use mpi::ffi;

use crate::check::{POISON, check, fill};
use crate::comm::{Comm, byte, count, error_text, ok};
use crate::messages;

/// What an operation does.
#[derive(clap::ValueEnum, serde::Serialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Operation {
    /// `MPI_Put`
    Put,
    /// `MPI_Get`
    Get,
    /// `MPI_Accumulate`: the sum of 64-bit integers
    Accumulate,
}

/// Some ranks of a communicator, for post and start.
pub struct Group(ffi::MPI_Group);

// SAFETY: a handle of MPI is a value that any thread may use, as the thread level allows.
unsafe impl Send for Group {}
// SAFETY: as above; a group never changes.
unsafe impl Sync for Group {}

impl Group {
    /// One rank of a communicator.
    pub fn of(comm: Comm, rank: usize) -> Group {
        // SAFETY: a constant of the library.
        let mut all = unsafe { ffi::RSMPI_GROUP_NULL };
        let mut one = all;
        let rank = rank as c_int;
        // SAFETY: handles are valid, one rank is there, and results outlive the calls.
        unsafe {
            ok(ffi::MPI_Comm_group(comm.raw(), &mut all), "MPI_Comm_group");
            ok(ffi::MPI_Group_incl(all, 1, &rank, &mut one), "MPI_Group_incl");
            ok(ffi::MPI_Group_free(&mut all), "MPI_Group_free");
        }
        Group(one)
    }

    /// Gives the group back.
    pub fn free(mut self) {
        // SAFETY: the group is valid and not used afterwards.
        ok(unsafe { ffi::MPI_Group_free(&mut self.0) }, "MPI_Group_free");
    }
}

/// Memory of this rank that the others reach, and theirs. Displacements are bytes.
///
/// All threads may use it as the thread level of MPI and the rules of epochs allow.
pub struct Window {
    handle: ffi::MPI_Win,
    memory: *mut u8,
    bytes: usize,
}

// SAFETY: a handle of MPI is a value that any thread may use, as the thread level allows; the
// memory is touched in `memory` only, which says when.
unsafe impl Send for Window {}
// SAFETY: as above; MPI locks what is behind the handle.
unsafe impl Sync for Window {}

impl Window {
    /// A window whose memory MPI provides, with an info key such as `no_locks` if one is named.
    /// Collective.
    ///
    /// # Errors
    /// This MPI has no windows; the reason in its own words. Anything else that fails ends the job.
    pub fn allocate(
        comm: Comm,
        bytes: usize,
        info: Option<(&str, &str)>,
    ) -> Result<Window, String> {
        let mut memory: *mut u8 = ptr::null_mut();
        let handle = made(comm, info, "MPI_Win_allocate", |info, handle| {
            // SAFETY: handles are valid. MPI writes a pointer, which is what its `void *` points
            // to.
            unsafe {
                let memory = (&raw mut memory).cast::<c_void>();
                ffi::MPI_Win_allocate(bytes as _, 1, info, comm.raw(), memory, handle)
            }
        })?;
        Ok(Window { handle, memory, bytes })
    }

    /// A window of memory that the caller keeps. Collective.
    ///
    /// # Safety
    /// Until the window is freed, the memory exists and is touched through the window only.
    ///
    /// # Errors
    /// As [`Window::allocate`].
    pub unsafe fn create(comm: Comm, memory: *mut u8, bytes: usize) -> Result<Window, String> {
        let handle = made(comm, None, "MPI_Win_create", |info, handle| {
            // SAFETY: handles are valid, and the caller keeps the memory.
            unsafe { ffi::MPI_Win_create(memory.cast(), bytes as _, 1, info, comm.raw(), handle) }
        })?;
        Ok(Window { handle, memory, bytes })
    }

    /// What the window says to an info key, if anything.
    pub fn info(&self, key: &str) -> Option<String> {
        let key = CString::new(key).expect("a key has no zero");
        let mut value = [0_u8; 256];
        let mut found = 0;
        // SAFETY: handles are valid, the value has room for its length and a zero, and results
        // outlive the calls.
        unsafe {
            let mut info = ffi::RSMPI_INFO_NULL;
            ok(ffi::MPI_Win_get_info(self.handle, &mut info), "MPI_Win_get_info");
            let (room, text) = ((value.len() - 1) as c_int, value.as_mut_ptr().cast());
            let code = ffi::MPI_Info_get(info, key.as_ptr(), room, text, &mut found);
            ok(code, "MPI_Info_get");
            ok(ffi::MPI_Info_free(&mut info), "MPI_Info_free");
        }
        let end = value.iter().position(|byte| *byte == 0).unwrap_or(value.len());
        (found != 0).then(|| String::from_utf8_lossy(&value[..end]).into_owned())
    }

    /// The memory of this rank.
    ///
    /// # Safety
    /// No other thread or rank touches these bytes meanwhile. What others did before is there if
    /// an epoch ended in between; see [`Window::sync`] for passive targets.
    #[expect(clippy::mut_from_ref, reason = "the caller says that it is the only one")]
    pub unsafe fn memory(&self, place: Range<usize>) -> &mut [u8] {
        assert!(place.start <= place.end && place.end <= self.bytes, "outside of the window");
        if place.is_empty() {
            return &mut [];
        }
        // SAFETY: within the window; the caller has it to itself.
        unsafe { slice::from_raw_parts_mut(self.memory.add(place.start), place.len()) }
    }

    /// `MPI_Win_lock`, shared with others.
    pub fn lock(&self, target: usize) {
        // SAFETY: the window is valid; so in the calls below.
        let code = unsafe {
            ffi::MPI_Win_lock(ffi::MPI_LOCK_SHARED as c_int, target as c_int, 0, self.handle)
        };
        ok(code, "MPI_Win_lock");
    }

    /// `MPI_Win_unlock`
    pub fn unlock(&self, target: usize) {
        // SAFETY: as in `lock`.
        ok(unsafe { ffi::MPI_Win_unlock(target as c_int, self.handle) }, "MPI_Win_unlock");
    }

    /// `MPI_Win_lock_all`
    pub fn lock_all(&self) {
        // SAFETY: as in `lock`.
        ok(unsafe { ffi::MPI_Win_lock_all(0, self.handle) }, "MPI_Win_lock_all");
    }

    /// `MPI_Win_unlock_all`
    pub fn unlock_all(&self) {
        // SAFETY: as in `lock`.
        ok(unsafe { ffi::MPI_Win_unlock_all(self.handle) }, "MPI_Win_unlock_all");
    }

    /// `MPI_Win_flush`
    #[inline]
    pub fn flush(&self, target: usize) {
        // SAFETY: as in `lock`.
        ok(unsafe { ffi::MPI_Win_flush(target as c_int, self.handle) }, "MPI_Win_flush");
    }

    /// `MPI_Win_flush_all`
    #[inline]
    pub fn flush_all(&self) {
        // SAFETY: as in `lock`.
        ok(unsafe { ffi::MPI_Win_flush_all(self.handle) }, "MPI_Win_flush_all");
    }

    /// `MPI_Win_flush_local`
    #[inline]
    pub fn flush_local(&self, target: usize) {
        // SAFETY: as in `lock`.
        let code = unsafe { ffi::MPI_Win_flush_local(target as c_int, self.handle) };
        ok(code, "MPI_Win_flush_local");
    }

    /// `MPI_Win_flush_local_all`
    #[inline]
    pub fn flush_local_all(&self) {
        // SAFETY: as in `lock`.
        ok(unsafe { ffi::MPI_Win_flush_local_all(self.handle) }, "MPI_Win_flush_local_all");
    }

    /// `MPI_Win_sync`: the memory of this rank is seen as others see it. In a passive epoch.
    pub fn sync(&self) {
        // SAFETY: as in `lock`.
        ok(unsafe { ffi::MPI_Win_sync(self.handle) }, "MPI_Win_sync");
    }

    /// The fence that begins an epoch.
    pub fn open_fence(&self) {
        let assert = ffi::MPI_MODE_NOPRECEDE as c_int;
        // SAFETY: as in `lock`.
        ok(unsafe { ffi::MPI_Win_fence(assert, self.handle) }, "MPI_Win_fence");
    }

    /// The fence that ends it, with no other after it.
    pub fn close_fence(&self) {
        let assert = ffi::MPI_MODE_NOSUCCEED as c_int;
        // SAFETY: as in `lock`.
        ok(unsafe { ffi::MPI_Win_fence(assert, self.handle) }, "MPI_Win_fence");
    }

    /// `MPI_Win_post`
    pub fn post(&self, origins: &Group) {
        // SAFETY: as in `lock`; the group is valid as well.
        ok(unsafe { ffi::MPI_Win_post(origins.0, 0, self.handle) }, "MPI_Win_post");
    }

    /// `MPI_Win_wait`
    pub fn wait(&self) {
        // SAFETY: as in `lock`.
        ok(unsafe { ffi::MPI_Win_wait(self.handle) }, "MPI_Win_wait");
    }

    /// `MPI_Win_start`
    pub fn start(&self, targets: &Group) {
        // SAFETY: as in `lock`; the group is valid as well.
        ok(unsafe { ffi::MPI_Win_start(targets.0, 0, self.handle) }, "MPI_Win_start");
    }

    /// `MPI_Win_complete`
    pub fn complete(&self) {
        // SAFETY: as in `lock`.
        ok(unsafe { ffi::MPI_Win_complete(self.handle) }, "MPI_Win_complete");
    }

    /// `MPI_Win_free`. Collective.
    pub fn free(mut self) {
        // SAFETY: the window is valid and not used afterwards.
        ok(unsafe { ffi::MPI_Win_free(&mut self.handle) }, "MPI_Win_free");
    }
}

/// Calls what makes a window, with an info object and errors returned.
fn made(
    comm: Comm,
    info: Option<(&str, &str)>,
    function: &str,
    make: impl FnOnce(ffi::MPI_Info, &mut ffi::MPI_Win) -> c_int,
) -> Result<ffi::MPI_Win, String> {
    // SAFETY: constants of the library; handles are valid; strings end with zero; results outlive
    // the calls.
    unsafe {
        let mut hints = ffi::RSMPI_INFO_NULL;
        if let Some((key, value)) = info {
            let text = |text| CString::new(text).expect("an info text has no zero");
            let (key, value) = (text(key), text(value));
            ok(ffi::MPI_Info_create(&mut hints), "MPI_Info_create");
            ok(ffi::MPI_Info_set(hints, key.as_ptr(), value.as_ptr()), "MPI_Info_set");
        }
        let set = |handler| {
            ok(ffi::MPI_Comm_set_errhandler(comm.raw(), handler), "MPI_Comm_set_errhandler");
        };
        let mut handle = ffi::RSMPI_WIN_NULL;
        set(ffi::RSMPI_ERRORS_RETURN);
        let code = make(hints, &mut handle);
        set(ffi::RSMPI_ERRORS_ARE_FATAL);
        if info.is_some() {
            ok(ffi::MPI_Info_free(&mut hints), "MPI_Info_free");
        }
        let mut class = 0;
        if code != 0 {
            ok(ffi::MPI_Error_class(code, &mut class), "MPI_Error_class");
            if class == ffi::MPI_ERR_UNSUPPORTED_OPERATION as c_int {
                return Err(format!("no {function}: {}", error_text(code)));
            }
        }
        ok(code, function);
        Ok(handle)
    }
}

/// A cache line, so that no two threads share one.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; 64]);

/// How many bytes `slots` of `bytes` take in a window, so that the next place begins a pair of
/// cache lines.
pub fn place_bytes(slots: usize, bytes: usize) -> usize {
    (slots * bytes).next_multiple_of(128).max(128)
}

/// Buffers of a thread, each with its counterpart in a target's window.
///
/// Only MPI touches the buffers between [`issue`](Origin::issue) and
/// [`completed`](Origin::completed).
pub struct Origin<'a> {
    window: &'a Window,
    operation: Operation,
    target: usize,
    /// Where the counterparts begin.
    place: usize,
    lines: Vec<Line>,
    bytes: usize,
    under_way: bool,
}

impl Origin<'_> {
    /// So many buffers of so many bytes. Their counterparts lie one after the other in the window
    /// of `target`, from `place` on.
    pub fn new(
        window: &Window,
        operation: Operation,
        target: usize,
        place: usize,
        slots: usize,
        bytes: usize,
    ) -> Origin<'_> {
        assert!(
            operation != Operation::Accumulate || bytes.is_multiple_of(8),
            "sums are of 8 bytes each"
        );
        let lines = vec![Line([POISON; 64]); place_bytes(slots, bytes) / size_of::<Line>()];
        Origin { window, operation, target, place, lines, bytes, under_way: false }
    }

    /// Starts the operation with a buffer, which is complete as the window's epoch says.
    #[inline]
    pub fn issue(&mut self, slot: usize) {
        messages::one();
        self.under_way = true;
        let offset = slot * self.bytes;
        assert!(offset + self.bytes <= self.lines.len() * size_of::<Line>());
        let (count, target) = (count(self.bytes), self.target as c_int);
        let (place, window) = ((self.place + offset) as ffi::MPI_Aint, self.window.handle);
        // SAFETY: the buffer lies within the allocation, and the program does not touch it before the epoch is
        // over; it is leaked if that does not happen. MPI checks the place.
        unsafe {
            let buffer = self.lines.as_mut_ptr().cast::<u8>().add(offset).cast::<c_void>();
            let (type_, integer) = (byte(), ffi::RSMPI_UINT64_T);
            match self.operation {
                Operation::Put => {
                    let code =
                        ffi::MPI_Put(buffer, count, type_, target, place, count, type_, window);
                    ok(code, "MPI_Put");
                }
                Operation::Get => {
                    let code =
                        ffi::MPI_Get(buffer, count, type_, target, place, count, type_, window);
                    ok(code, "MPI_Get");
                }
                Operation::Accumulate => {
                    let (n, sum) = (count / 8, ffi::RSMPI_SUM);
                    let code = ffi::MPI_Accumulate(
                        buffer, n, integer, target, place, n, integer, sum, window,
                    );
                    ok(code, "MPI_Accumulate");
                }
            }
        }
    }

    /// The buffers belong to the caller again.
    ///
    /// # Safety
    /// An epoch or a flush that includes all operations since the last call is over.
    pub unsafe fn completed(&mut self) {
        self.under_way = false;
    }

    /// The bytes of a buffer, when no operation is under way.
    pub fn data(&mut self, slot: usize) -> &mut [u8] {
        assert!(!self.under_way, "operations are under way; synchronize first");
        // SAFETY: the lines are that long and initialised. Nothing is under way, so MPI does not
        // touch them while they are borrowed, exclusively.
        let all = unsafe {
            let bytes = self.lines.len() * size_of::<Line>();
            slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast::<u8>(), bytes)
        };
        &mut all[slot * self.bytes..][..self.bytes]
    }

    /// Writes data that [`Origin::check`] and [`check`] know.
    pub fn fill(&mut self, slot: usize, seed: u64) {
        fill(self.data(slot), seed);
    }

    /// Whether the data of that seed were got.
    #[must_use]
    pub fn check(&mut self, slot: usize, seed: u64) -> bool {
        check(self.data(slot), seed)
    }

    /// Overwrites what was got.
    pub fn poison(&mut self) {
        assert!(!self.under_way, "operations are under way; synchronize first");
        self.lines.fill(Line([POISON; 64]));
    }
}

impl Drop for Origin<'_> {
    fn drop(&mut self) {
        // MPI may still read or write them.
        if self.under_way {
            std::mem::take(&mut self.lines).leak();
        }
    }
}
