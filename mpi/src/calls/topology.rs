//! Topologies (MPI 5.0, chapter 8).

use crate::abi::prelude::*;
use crate::objects::comm;

/// No communicator has one in this version.
pub fn topo_test(comm: Comm, status: Out<c_int>) -> Result<()> {
    comm::of(comm)?;
    status.set(MPI_UNDEFINED);
    Ok(())
}
