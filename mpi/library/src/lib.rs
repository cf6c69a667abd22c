//! The shared library that programs are linked with: the MPI library, and the components that are
//! linked in. There is nothing else here, so that the library in its other form, without them, costs
//! a call of the linker.

#![forbid(unsafe_code)]

use cairn_mpi as _;
#[cfg(feature = "linked")]
use linked as _;
