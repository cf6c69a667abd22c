//! The shared library that programs are linked with: the MPI library, and the components that are
//! linked in. There is nothing else here but the commit that they are built from, so that the library
//! in its other form, without them, costs a call of the linker.

#![forbid(unsafe_code)]

#[cfg(feature = "linked")]
use linked as _;

cairn_mpi::built_from!(env!("CAIRN_COMMIT"));
