//! Neighborhood collectives (MPI 5.0, section 8.6), in the three ways in which they can be called.

use std::ffi::c_void;

use cairn_framework::frameworks::coll::{
    COLL_NEIGHBOR_ALLGATHER, COLL_NEIGHBOR_ALLGATHERV, COLL_NEIGHBOR_ALLTOALL,
    COLL_NEIGHBOR_ALLTOALLV, COLL_NEIGHBOR_ALLTOALLW, COLL_NONBLOCKING, COLL_PERSISTENT, CollArgs,
    CollSide,
};

use super::coll::{Prepared, apart, collectives, of_types, run, side, sides, start, types};
use crate::prelude::*;
use crate::runtime::no_data;
pub use nonblocking::*;
pub use persistent::*;

/// Whether the communicator has neighbors, and their blocks are where data can be.
fn fits(comm: CommRef, args: &CollArgs) -> Result<()> {
    let Some(neighbors) = comm.neighbors() else {
        return Err(Error::new(MPI_ERR_TOPOLOGY, "comm has no topology"));
    };
    if !check::enabled() {
        return Ok(());
    }
    let degrees = [comm.in_degree(), comm.out_degree()];
    present("recvbuf", &args.receive, degrees[0])?;
    present("sendbuf", &args.send, degrees[1])?;
    apart::check_neighbors(args, neighbors, degrees)
}

/// Whether there is a buffer, if so many blocks have one count and there is data in them.
fn present(name: &str, side: &CollSide, blocks: usize) -> Result<()> {
    if !side.buffer.is_null() || side.count == 0 || blocks == 0 {
        return Ok(());
    }
    // SAFETY: a side that has a count has a datatype, which was checked.
    let predefined = unsafe { (*side.datatype).predefined != 0 };
    // With a derived type the null pointer is MPI_BOTTOM.
    let elements = if predefined { side.count as Count } else { 0 };
    check::buffer(name, side.buffer, elements, DatatypeRef::of(MPI_BYTE)?)
}

collectives! {
    neighbor_allgather ineighbor_allgather neighbor_allgather_init (
        sendbuf: *const c_void,
        sendcount: Count,
        sendtype: DatatypeRef,
        recvbuf: *mut c_void,
        recvcount: Count,
        recvtype: DatatypeRef,
    ) {
        let args = CollArgs {
            send: side(sendbuf, sendcount, sendtype),
            receive: side(recvbuf, recvcount, recvtype),
            ..no_data(COLL_NEIGHBOR_ALLGATHER)
        };
        Ok(args.into())
    }
    neighbor_allgatherv ineighbor_allgatherv neighbor_allgatherv_init (
        sendbuf: *const c_void,
        sendcount: Count,
        sendtype: DatatypeRef,
        recvbuf: *mut c_void,
        recvcounts: Counts<'_>,
        displs: Counts<'_>,
        recvtype: DatatypeRef,
    ) {
        let args = CollArgs {
            send: side(sendbuf, sendcount, sendtype),
            receive: sides("recvbuf", recvbuf, recvcounts, displs, recvtype)?,
            ..no_data(COLL_NEIGHBOR_ALLGATHERV)
        };
        Ok(args.into())
    }
    neighbor_alltoall ineighbor_alltoall neighbor_alltoall_init (
        sendbuf: *const c_void,
        sendcount: Count,
        sendtype: DatatypeRef,
        recvbuf: *mut c_void,
        recvcount: Count,
        recvtype: DatatypeRef,
    ) {
        let args = CollArgs {
            send: side(sendbuf, sendcount, sendtype),
            receive: side(recvbuf, recvcount, recvtype),
            ..no_data(COLL_NEIGHBOR_ALLTOALL)
        };
        Ok(args.into())
    }
    neighbor_alltoallv ineighbor_alltoallv neighbor_alltoallv_init (
        sendbuf: *const c_void,
        sendcounts: Counts<'_>,
        sdispls: Counts<'_>,
        sendtype: DatatypeRef,
        recvbuf: *mut c_void,
        recvcounts: Counts<'_>,
        rdispls: Counts<'_>,
        recvtype: DatatypeRef,
    ) {
        let args = CollArgs {
            send: sides("sendbuf", sendbuf, sendcounts, sdispls, sendtype)?,
            receive: sides("recvbuf", recvbuf, recvcounts, rdispls, recvtype)?,
            ..no_data(COLL_NEIGHBOR_ALLTOALLV)
        };
        Ok(args.into())
    }
    // Displacements are as wide as addresses, so that with MPI_BOTTOM, the null pointer, they may be addresses.
    neighbor_alltoallw ineighbor_alltoallw neighbor_alltoallw_init (
        sendbuf: *const c_void,
        sendcounts: Counts<'_>,
        sdispls: Counts<'_>,
        sendtypes: &[Datatype],
        recvbuf: *mut c_void,
        recvcounts: Counts<'_>,
        rdispls: Counts<'_>,
        recvtypes: &[Datatype],
    ) {
        Ok(of_types(
            COLL_NEIGHBOR_ALLTOALLW,
            (sendbuf, sendcounts, sdispls, types(sendtypes)?),
            (recvbuf, recvcounts, rdispls, types(recvtypes)?),
        ))
    }
}
