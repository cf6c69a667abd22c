//! The functions that the library exports, one module for each of `crate::calls`. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.
//!
//! `PMPI_X` is the function, `MPI_X` a weak alias, so that a profiling library can have its
//! own. An entry checks the arguments, gives them the types of the implementation, calls
//! it, and turns an error into a call of the error handler.

mod abi;
mod attribute;
mod buffer;
mod coll;
mod comm;
mod convert;
mod datatype;
mod env;
mod error;
mod grequest;
mod group;
mod icoll;
mod info;
mod io;
mod neighbor;
mod op;
mod p2p;
mod partitioned;
mod pcoll;
mod process;
mod request;
mod rma;
mod session;
mod status;
mod sync;
mod tool;
mod topology;
