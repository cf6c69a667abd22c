//! Which windows tests ask for: what waits for a component of `osc` that serves any window is said here
//! and nowhere else.

use crate::Run;

/// Whether such a component is there. Without one only windows are served whose memory the library has
/// allocated (`MPI_Win_allocate`, `MPI_Win_allocate_shared`, or `MPI_Win_create` on memory of
/// `MPI_Alloc_mem`) where all processes are on a node with a transport that shares memory. Tests that need
/// others run as soon as this is true.
pub const ANY: bool = false;

/// Transports with which tests have windows.
pub const TRANSPORTS: &[&str] = if ANY { &["self,sm", "self,tcp"] } else { &["self,sm"] };

/// Selections of `osc`: with the direct way where there is one, and without.
pub const COMPONENTS: &[&str] = if ANY { &["sm,rdma", "rdma"] } else { &["sm"] };

/// The selection of what sends every operation of a window as messages.
pub const MESSAGES: &str = if ANY { "rdma" } else { "sm" };

/// Selections of `issue`; an empty one is none.
pub const ISSUES: &[&str] = if ANY { &["lazy", "eager", "adaptive"] } else { &[""] };

/// What random programs of windows leave out (`--avoid` of `tests/mpi/rma_model.c`).
pub const AVOID: &[&str] = if ANY { &[] } else { &["--avoid", "own,dynamic"] };

/// Tells a program of `tests/mpi` to make windows on no other memory.
pub fn told(run: Run) -> Run {
    if ANY { run } else { run.env("TEST_WINDOWS", "library") }
}
