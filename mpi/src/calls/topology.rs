//! Topologies (MPI 5.0, chapter 8).

mod dims;

use crate::prelude::*;
pub use dims::dims_create;

/// No communicator has one in this version.
pub fn topo_test(comm: CommRef, status: Out<c_int>) -> Result<()> {
    let _ = comm;
    status.set(MPI_UNDEFINED);
    Ok(())
}
