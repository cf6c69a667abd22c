//! Communicators, as far as benchmarks need them.

use std::ffi::{CString, c_int, c_void};

use mpi::ffi;

use crate::messages;

/// A communicator. A copy is the same communicator.
///
/// Threads use it as the thread level of MPI allows; [`crate::Lab::measure`] starts threads only
/// with `MPI_THREAD_MULTIPLE`.
#[derive(Clone, Copy)]
pub struct Comm(pub(crate) ffi::MPI_Comm);

// SAFETY: a handle of MPI is a value that any thread may use, as the thread level allows.
unsafe impl Send for Comm {}
// SAFETY: as above; MPI locks what is behind the handle.
unsafe impl Sync for Comm {}

/// Receives from any rank.
pub const ANY_SOURCE: Option<usize> = None;
/// Receives with any tag.
pub const ANY_TAG: Option<usize> = None;

impl Comm {
    /// All ranks of the job. MPI has been initialised.
    pub(crate) fn world() -> Comm {
        // SAFETY: a constant of the library.
        Comm(unsafe { ffi::RSMPI_COMM_WORLD })
    }

    /// The handle, for functions that have no wrapper here.
    pub fn raw(self) -> ffi::MPI_Comm {
        self.0
    }

    /// The rank of this process.
    pub fn rank(self) -> usize {
        let mut rank = 0;
        // SAFETY: the communicator is valid and the result outlives the call.
        ok(unsafe { ffi::MPI_Comm_rank(self.0, &mut rank) }, "MPI_Comm_rank");
        rank as usize
    }

    /// How many processes there are.
    pub fn size(self) -> usize {
        let mut size = 0;
        // SAFETY: the communicator is valid and the result outlives the call.
        ok(unsafe { ffi::MPI_Comm_size(self.0, &mut size) }, "MPI_Comm_size");
        size as usize
    }

    /// A communicator with the same processes. Collective.
    pub fn duplicate(self) -> Comm {
        let mut new = self;
        // SAFETY: the communicator is valid and the result outlives the call.
        ok(unsafe { ffi::MPI_Comm_dup(self.0, &mut new.0) }, "MPI_Comm_dup");
        new
    }

    /// A communicator with the same processes and an info key, such as
    /// `mpi_assert_allow_overtaking` (MPI 5.0, section 7.4.4). Collective.
    pub fn duplicate_with(self, key: &str, value: &str) -> Comm {
        let (key, value) = (CString::new(key).unwrap(), CString::new(value).unwrap());
        let mut new = self;
        // SAFETY: a constant of the library.
        let mut info = unsafe { ffi::RSMPI_INFO_NULL };
        // SAFETY: handles are valid, strings end with 0, and results outlive the calls.
        unsafe {
            ok(ffi::MPI_Info_create(&mut info), "MPI_Info_create");
            ok(ffi::MPI_Info_set(info, key.as_ptr(), value.as_ptr()), "MPI_Info_set");
            ok(ffi::MPI_Comm_dup_with_info(self.0, info, &mut new.0), "MPI_Comm_dup_with_info");
            ok(ffi::MPI_Info_free(&mut info), "MPI_Info_free");
        }
        new
    }

    /// Communicators of the processes that name the same color, in the order of their ranks here.
    /// Nothing for a process that names none. Collective.
    pub fn split(self, color: Option<usize>) -> Option<Comm> {
        // SAFETY: a constant of the library.
        let color = color.map_or(unsafe { ffi::RSMPI_UNDEFINED }, |color| color as c_int);
        let mut new = self;
        // SAFETY: the communicator is valid and the result outlives the call.
        ok(unsafe { ffi::MPI_Comm_split(self.0, color, 0, &mut new.0) }, "MPI_Comm_split");
        // SAFETY: a constant of the library.
        (new.0 != unsafe { ffi::RSMPI_COMM_NULL }).then_some(new)
    }

    /// Gives the communicator back; no copy may be used afterwards. Collective.
    pub fn free(mut self) {
        // SAFETY: the communicator is valid and not used afterwards.
        ok(unsafe { ffi::MPI_Comm_free(&mut self.0) }, "MPI_Comm_free");
    }

    /// Waits for all processes. Collective.
    pub fn barrier(self) {
        // SAFETY: the communicator is valid.
        ok(unsafe { ffi::MPI_Barrier(self.0) }, "MPI_Barrier");
    }

    /// Waits for all processes, and calls `idle` between two looks whether they are there.
    /// Collective.
    pub fn barrier_while(self, mut idle: impl FnMut()) {
        // SAFETY: a constant of the library.
        let (mut request, mut complete) = (unsafe { ffi::RSMPI_REQUEST_NULL }, 0);
        // SAFETY: the communicator is valid and the request outlives the barrier.
        ok(unsafe { ffi::MPI_Ibarrier(self.0, &mut request) }, "MPI_Ibarrier");
        loop {
            // SAFETY: the request is valid and results outlive the call.
            let code =
                unsafe { ffi::MPI_Test(&mut request, &mut complete, ffi::RSMPI_STATUS_IGNORE) };
            ok(code, "MPI_Test");
            if complete != 0 {
                return;
            }
            idle();
        }
    }

    /// Gives MPI the occasion to make progress: looks for any message.
    #[inline]
    pub fn poke(self) {
        let mut found = 0;
        let (from, tag) = (source(ANY_SOURCE), any_tag(ANY_TAG));
        // SAFETY: the communicator is valid and the result outlives the call.
        let code =
            unsafe { ffi::MPI_Iprobe(from, tag, self.0, &mut found, ffi::RSMPI_STATUS_IGNORE) };
        ok(code, "MPI_Iprobe");
    }

    /// Sends bytes and waits until they may be changed.
    pub fn send(self, data: &[u8], to: usize, tag: usize) {
        messages::one();
        let (pointer, count) = (address(data).cast::<c_void>(), count(data.len()));
        // SAFETY: the buffer has so many bytes and outlives the call.
        let code =
            unsafe { ffi::MPI_Send(pointer, count, byte(), to as c_int, tag as c_int, self.0) };
        ok(code, "MPI_Send");
    }

    /// Receives at most so many bytes.
    pub fn receive(self, data: &mut [u8], from: Option<usize>, tag: Option<usize>) {
        // No thread writes into no data.
        let nothing = data.is_empty();
        let pointer = if nothing { address(data).cast_mut() } else { data.as_mut_ptr() };
        let (pointer, count) = (pointer.cast::<c_void>(), count(data.len()));
        // SAFETY: the buffer has so many bytes and outlives the call.
        let code = unsafe {
            ffi::MPI_Recv(
                pointer,
                count,
                byte(),
                source(from),
                any_tag(tag),
                self.0,
                ffi::RSMPI_STATUS_IGNORE,
            )
        };
        ok(code, "MPI_Recv");
    }

    /// The largest value of any process. Collective.
    pub fn maximum(self, value: f64) -> f64 {
        let mut result = 0.0;
        // SAFETY: both buffers hold one double and outlive the call.
        let code = unsafe {
            ffi::MPI_Allreduce(
                (&raw const value).cast(),
                (&raw mut result).cast(),
                1,
                ffi::RSMPI_DOUBLE,
                ffi::RSMPI_MAX,
                self.0,
            )
        };
        ok(code, "MPI_Allreduce");
        result
    }

    /// The sum of the values of all processes. Collective.
    pub fn sum(self, value: u64) -> u64 {
        let mut result = 0;
        // SAFETY: both buffers hold one integer and outlive the call.
        let code = unsafe {
            ffi::MPI_Allreduce(
                (&raw const value).cast(),
                (&raw mut result).cast(),
                1,
                ffi::RSMPI_UINT64_T,
                ffi::RSMPI_SUM,
                self.0,
            )
        };
        ok(code, "MPI_Allreduce");
        result
    }

    /// The sums of the addends of all processes, by place. Collective.
    #[inline]
    pub fn sum_all(self, addends: &[u64], sums: &mut [u64]) {
        assert_eq!(addends.len(), sums.len(), "there is a sum for each place");
        // SAFETY: both buffers hold so many integers and outlive the call.
        let code = unsafe {
            ffi::MPI_Allreduce(
                addends.as_ptr().cast(),
                sums.as_mut_ptr().cast(),
                count(addends.len()),
                ffi::RSMPI_UINT64_T,
                ffi::RSMPI_SUM,
                self.0,
            )
        };
        ok(code, "MPI_Allreduce");
    }

    /// The sums of the addends of all processes, by place, at the root. Collective.
    #[inline]
    pub fn sum_at(self, addends: &[u64], sums: &mut [u64], root: usize) {
        assert_eq!(addends.len(), sums.len(), "there is a sum for each place");
        // SAFETY: both buffers hold so many integers and outlive the call.
        let code = unsafe {
            ffi::MPI_Reduce(
                addends.as_ptr().cast(),
                sums.as_mut_ptr().cast(),
                count(addends.len()),
                ffi::RSMPI_UINT64_T,
                ffi::RSMPI_SUM,
                root as c_int,
                self.0,
            )
        };
        ok(code, "MPI_Reduce");
    }

    /// The data of the root go to all. Collective.
    #[inline]
    pub fn bcast(self, data: &mut [u8], root: usize) {
        let place = address(data).cast_mut().cast();
        // SAFETY: the buffer holds so many bytes, is borrowed for writing and outlives the call.
        let code = unsafe {
            ffi::MPI_Bcast(place, count(data.len()), ffi::RSMPI_UINT8_T, root as c_int, self.0)
        };
        ok(code, "MPI_Bcast");
    }

    /// The data of every process, by rank. Collective.
    #[inline]
    pub fn allgather(self, own: &[u8], all: &mut [u8]) {
        assert_eq!(all.len(), own.len() * self.size(), "there is a block of each");
        // SAFETY: the buffers hold a block, and one of each process, and outlive the call.
        let code = unsafe {
            ffi::MPI_Allgather(
                address(own).cast(),
                count(own.len()),
                ffi::RSMPI_UINT8_T,
                address(all).cast_mut().cast(),
                count(own.len()),
                ffi::RSMPI_UINT8_T,
                self.0,
            )
        };
        ok(code, "MPI_Allgather");
    }

    /// A block of so many bytes from each process to each. Collective.
    #[inline]
    pub fn alltoall(self, block: usize, given: &[u8], got: &mut [u8]) {
        assert!(given.len() == block * self.size() && got.len() == given.len(), "a block for each");
        // SAFETY: both buffers hold a block of each process and outlive the call.
        let code = unsafe {
            ffi::MPI_Alltoall(
                address(given).cast(),
                count(block),
                ffi::RSMPI_UINT8_T,
                address(got).cast_mut().cast(),
                count(block),
                ffi::RSMPI_UINT8_T,
                self.0,
            )
        };
        ok(code, "MPI_Alltoall");
    }

    /// The sums of the addends of the processes up to this one, by place. Collective.
    #[inline]
    pub fn sum_up_to(self, addends: &[u64], sums: &mut [u64]) {
        assert_eq!(addends.len(), sums.len(), "there is a sum for each place");
        // SAFETY: both buffers hold so many integers and outlive the call.
        let code = unsafe {
            ffi::MPI_Scan(
                addends.as_ptr().cast(),
                sums.as_mut_ptr().cast(),
                count(addends.len()),
                ffi::RSMPI_UINT64_T,
                ffi::RSMPI_SUM,
                self.0,
            )
        };
        ok(code, "MPI_Scan");
    }

    /// The sums of the addends of all processes, by place: each process gets its block of them. Collective.
    #[inline]
    pub fn sum_blocks(self, addends: &[u64], sums: &mut [u64]) {
        assert_eq!(addends.len(), sums.len() * self.size(), "there is a block for each");
        // SAFETY: the buffers hold a block for each process, and one, and outlive the call.
        let code = unsafe {
            ffi::MPI_Reduce_scatter_block(
                addends.as_ptr().cast(),
                sums.as_mut_ptr().cast(),
                count(sums.len()),
                ffi::RSMPI_UINT64_T,
                ffi::RSMPI_SUM,
                self.0,
            )
        };
        ok(code, "MPI_Reduce_scatter_block");
    }

    /// The data of every process, by rank, at the root. Collective.
    #[inline]
    pub fn gather(self, own: &[u8], all: &mut [u8], root: usize) {
        assert_eq!(all.len(), own.len() * self.size(), "there is a block of each");
        // SAFETY: the buffers hold a block, and one of each process, and outlive the call.
        let code = unsafe {
            ffi::MPI_Gather(
                address(own).cast(),
                count(own.len()),
                ffi::RSMPI_UINT8_T,
                address(all).cast_mut().cast(),
                count(own.len()),
                ffi::RSMPI_UINT8_T,
                root as c_int,
                self.0,
            )
        };
        ok(code, "MPI_Gather");
    }

    /// The same by the call for blocks of several lengths.
    #[inline]
    pub fn gatherv(self, own: &[u8], all: &mut [u8], blocks: &Blocks, root: usize) {
        blocks.check(self, all);
        assert_eq!(own.len(), blocks.bytes, "its own block");
        // SAFETY: the buffers hold a block, and one of each process, and outlive the call, as the blocks do.
        let code = unsafe {
            ffi::MPI_Gatherv(
                address(own).cast(),
                count(own.len()),
                ffi::RSMPI_UINT8_T,
                address(all).cast_mut().cast(),
                blocks.counts.as_ptr(),
                blocks.places.as_ptr(),
                ffi::RSMPI_UINT8_T,
                root as c_int,
                self.0,
            )
        };
        ok(code, "MPI_Gatherv");
    }

    /// Of the root's data a block goes to each process. Collective.
    #[inline]
    pub fn scatter(self, all: &[u8], own: &mut [u8], root: usize) {
        assert_eq!(all.len(), own.len() * self.size(), "there is a block for each");
        // SAFETY: the buffers hold a block for each process, and one, and outlive the call.
        let code = unsafe {
            ffi::MPI_Scatter(
                address(all).cast(),
                count(own.len()),
                ffi::RSMPI_UINT8_T,
                address(own).cast_mut().cast(),
                count(own.len()),
                ffi::RSMPI_UINT8_T,
                root as c_int,
                self.0,
            )
        };
        ok(code, "MPI_Scatter");
    }

    /// The same by the call for blocks of several lengths.
    #[inline]
    pub fn scatterv(self, all: &[u8], own: &mut [u8], blocks: &Blocks, root: usize) {
        blocks.check(self, all);
        assert_eq!(own.len(), blocks.bytes, "its own block");
        // SAFETY: the buffers hold a block for each process, and one, and outlive the call, as the blocks do.
        let code = unsafe {
            ffi::MPI_Scatterv(
                address(all).cast(),
                blocks.counts.as_ptr(),
                blocks.places.as_ptr(),
                ffi::RSMPI_UINT8_T,
                address(own).cast_mut().cast(),
                count(own.len()),
                ffi::RSMPI_UINT8_T,
                root as c_int,
                self.0,
            )
        };
        ok(code, "MPI_Scatterv");
    }

    /// A block from each process to each, by the call for blocks of several lengths. Collective.
    #[inline]
    pub fn alltoallv(self, given: &[u8], got: &mut [u8], blocks: &Blocks) {
        blocks.check(self, given);
        blocks.check(self, got);
        // SAFETY: both buffers hold a block of each process and outlive the call, as the blocks do.
        let code = unsafe {
            ffi::MPI_Alltoallv(
                address(given).cast(),
                blocks.counts.as_ptr(),
                blocks.places.as_ptr(),
                ffi::RSMPI_UINT8_T,
                address(got).cast_mut().cast(),
                blocks.counts.as_ptr(),
                blocks.places.as_ptr(),
                ffi::RSMPI_UINT8_T,
                self.0,
            )
        };
        ok(code, "MPI_Alltoallv");
    }

    /// The value of every process, by rank. Collective.
    pub fn gather_all(self, value: f64) -> Vec<f64> {
        let mut results = vec![0.0; self.size()];
        // SAFETY: the buffers hold one double, and one for each process, and outlive the call.
        let code = unsafe {
            ffi::MPI_Allgather(
                (&raw const value).cast(),
                1,
                ffi::RSMPI_DOUBLE,
                results.as_mut_ptr().cast(),
                1,
                ffi::RSMPI_DOUBLE,
                self.0,
            )
        };
        ok(code, "MPI_Allgather");
        results
    }
}

/// Blocks of one length for calls that are told the length and place of each.
pub struct Blocks {
    bytes: usize,
    counts: Vec<c_int>,
    places: Vec<c_int>,
}

impl Blocks {
    /// One of so many bytes for each of so many processes, one behind the other.
    pub fn new(bytes: usize, processes: usize) -> Self {
        let places = (0..processes).map(|process| count(process * bytes)).collect();
        Self { bytes, counts: vec![count(bytes); processes], places }
    }

    fn check(&self, comm: Comm, all: &[u8]) {
        assert_eq!(self.counts.len(), comm.size(), "there is a block for each process");
        assert_eq!(all.len(), self.bytes * self.counts.len(), "it has room");
    }
}

/// Where data lie. No data have an address too: the one of an empty slice may be a constant of MPI,
/// such as `MPI_IN_PLACE`, which is 1 in the standard ABI.
fn address(data: &[u8]) -> *const u8 {
    static NOTHING: u8 = 0;
    if data.is_empty() { &raw const NOTHING } else { data.as_ptr() }
}

/// What a message is made of.
pub(crate) fn byte() -> ffi::MPI_Datatype {
    // SAFETY: a constant of the library.
    unsafe { ffi::RSMPI_UINT8_T }
}

/// The rank to receive from as MPI writes it.
#[inline]
pub(crate) fn source(from: Option<usize>) -> c_int {
    // SAFETY: a constant of the library.
    from.map_or(unsafe { ffi::RSMPI_ANY_SOURCE }, |rank| rank as c_int)
}

/// The tag to receive as MPI writes it.
#[inline]
pub(crate) fn any_tag(tag: Option<usize>) -> c_int {
    // SAFETY: a constant of the library.
    tag.map_or(unsafe { ffi::RSMPI_ANY_TAG }, |tag| tag as c_int)
}

/// A number of bytes as MPI takes it.
pub(crate) fn count(bytes: usize) -> c_int {
    c_int::try_from(bytes).expect("sizes are checked when the command line is read")
}

/// Ends the job when a function of MPI failed. Mostly MPI has done so itself.
#[inline]
pub(crate) fn ok(code: c_int, function: &str) {
    if code != 0 {
        failed(code, function);
    }
}

#[cold]
fn failed(code: c_int, function: &str) -> ! {
    panic!("{function} failed: {}", error_text(code));
}

/// What MPI says about an error.
pub(crate) fn error_text(code: c_int) -> String {
    let mut text = [0_u8; 4096];
    let mut length = 0;
    // SAFETY: no library's text is longer than the buffer.
    unsafe { ffi::MPI_Error_string(code, text.as_mut_ptr().cast(), &mut length) };
    String::from_utf8_lossy(&text[..length.max(0) as usize]).into_owned()
}
