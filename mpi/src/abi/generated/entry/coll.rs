//! Entries of `crate::calls::coll`. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

use crate::abi::prelude::*;

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Allgather(
    _sendbuf: *const c_void,
    _sendcount: c_int,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcount: c_int,
    _recvtype: Datatype,
    comm: Comm,
) -> c_int {
    unsupported("MPI_Allgather", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Allgather_c(
    _sendbuf: *const c_void,
    _sendcount: Count,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcount: Count,
    _recvtype: Datatype,
    comm: Comm,
) -> c_int {
    unsupported("MPI_Allgather_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Allgatherv(
    _sendbuf: *const c_void,
    _sendcount: c_int,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcounts: *const c_int,
    _displs: *const c_int,
    _recvtype: Datatype,
    comm: Comm,
) -> c_int {
    unsupported("MPI_Allgatherv", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Allgatherv_c(
    _sendbuf: *const c_void,
    _sendcount: Count,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcounts: *const Count,
    _displs: *const Aint,
    _recvtype: Datatype,
    comm: Comm,
) -> c_int {
    unsupported("MPI_Allgatherv_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Allreduce(
    _sendbuf: *const c_void,
    _recvbuf: *mut c_void,
    _count: c_int,
    _datatype: Datatype,
    _op: Op,
    comm: Comm,
) -> c_int {
    unsupported("MPI_Allreduce", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Allreduce_c(
    _sendbuf: *const c_void,
    _recvbuf: *mut c_void,
    _count: Count,
    _datatype: Datatype,
    _op: Op,
    comm: Comm,
) -> c_int {
    unsupported("MPI_Allreduce_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Alltoall(
    _sendbuf: *const c_void,
    _sendcount: c_int,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcount: c_int,
    _recvtype: Datatype,
    comm: Comm,
) -> c_int {
    unsupported("MPI_Alltoall", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Alltoall_c(
    _sendbuf: *const c_void,
    _sendcount: Count,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcount: Count,
    _recvtype: Datatype,
    comm: Comm,
) -> c_int {
    unsupported("MPI_Alltoall_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Alltoallv(
    _sendbuf: *const c_void,
    _sendcounts: *const c_int,
    _sdispls: *const c_int,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcounts: *const c_int,
    _rdispls: *const c_int,
    _recvtype: Datatype,
    comm: Comm,
) -> c_int {
    unsupported("MPI_Alltoallv", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Alltoallv_c(
    _sendbuf: *const c_void,
    _sendcounts: *const Count,
    _sdispls: *const Aint,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcounts: *const Count,
    _rdispls: *const Aint,
    _recvtype: Datatype,
    comm: Comm,
) -> c_int {
    unsupported("MPI_Alltoallv_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Alltoallw(
    _sendbuf: *const c_void,
    _sendcounts: *const c_int,
    _sdispls: *const c_int,
    _sendtypes: *const Datatype,
    _recvbuf: *mut c_void,
    _recvcounts: *const c_int,
    _rdispls: *const c_int,
    _recvtypes: *const Datatype,
    comm: Comm,
) -> c_int {
    unsupported("MPI_Alltoallw", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Alltoallw_c(
    _sendbuf: *const c_void,
    _sendcounts: *const Count,
    _sdispls: *const Aint,
    _sendtypes: *const Datatype,
    _recvbuf: *mut c_void,
    _recvcounts: *const Count,
    _rdispls: *const Aint,
    _recvtypes: *const Datatype,
    comm: Comm,
) -> c_int {
    unsupported("MPI_Alltoallw_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Barrier(comm: Comm) -> c_int {
    unsupported("MPI_Barrier", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Bcast(
    _buffer: *mut c_void,
    _count: c_int,
    _datatype: Datatype,
    _root: c_int,
    comm: Comm,
) -> c_int {
    unsupported("MPI_Bcast", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Bcast_c(
    _buffer: *mut c_void,
    _count: Count,
    _datatype: Datatype,
    _root: c_int,
    comm: Comm,
) -> c_int {
    unsupported("MPI_Bcast_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Exscan(
    _sendbuf: *const c_void,
    _recvbuf: *mut c_void,
    _count: c_int,
    _datatype: Datatype,
    _op: Op,
    comm: Comm,
) -> c_int {
    unsupported("MPI_Exscan", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Exscan_c(
    _sendbuf: *const c_void,
    _recvbuf: *mut c_void,
    _count: Count,
    _datatype: Datatype,
    _op: Op,
    comm: Comm,
) -> c_int {
    unsupported("MPI_Exscan_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Gather(
    _sendbuf: *const c_void,
    _sendcount: c_int,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcount: c_int,
    _recvtype: Datatype,
    _root: c_int,
    comm: Comm,
) -> c_int {
    unsupported("MPI_Gather", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Gather_c(
    _sendbuf: *const c_void,
    _sendcount: Count,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcount: Count,
    _recvtype: Datatype,
    _root: c_int,
    comm: Comm,
) -> c_int {
    unsupported("MPI_Gather_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Gatherv(
    _sendbuf: *const c_void,
    _sendcount: c_int,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcounts: *const c_int,
    _displs: *const c_int,
    _recvtype: Datatype,
    _root: c_int,
    comm: Comm,
) -> c_int {
    unsupported("MPI_Gatherv", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Gatherv_c(
    _sendbuf: *const c_void,
    _sendcount: Count,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcounts: *const Count,
    _displs: *const Aint,
    _recvtype: Datatype,
    _root: c_int,
    comm: Comm,
) -> c_int {
    unsupported("MPI_Gatherv_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Reduce(
    _sendbuf: *const c_void,
    _recvbuf: *mut c_void,
    _count: c_int,
    _datatype: Datatype,
    _op: Op,
    _root: c_int,
    comm: Comm,
) -> c_int {
    unsupported("MPI_Reduce", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Reduce_c(
    _sendbuf: *const c_void,
    _recvbuf: *mut c_void,
    _count: Count,
    _datatype: Datatype,
    _op: Op,
    _root: c_int,
    comm: Comm,
) -> c_int {
    unsupported("MPI_Reduce_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Reduce_local(
    _inbuf: *const c_void,
    _inoutbuf: *mut c_void,
    _count: c_int,
    _datatype: Datatype,
    _op: Op,
) -> c_int {
    unsupported("MPI_Reduce_local", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Reduce_local_c(
    _inbuf: *const c_void,
    _inoutbuf: *mut c_void,
    _count: Count,
    _datatype: Datatype,
    _op: Op,
) -> c_int {
    unsupported("MPI_Reduce_local_c", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Reduce_scatter(
    _sendbuf: *const c_void,
    _recvbuf: *mut c_void,
    _recvcounts: *const c_int,
    _datatype: Datatype,
    _op: Op,
    comm: Comm,
) -> c_int {
    unsupported("MPI_Reduce_scatter", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Reduce_scatter_c(
    _sendbuf: *const c_void,
    _recvbuf: *mut c_void,
    _recvcounts: *const Count,
    _datatype: Datatype,
    _op: Op,
    comm: Comm,
) -> c_int {
    unsupported("MPI_Reduce_scatter_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Reduce_scatter_block(
    _sendbuf: *const c_void,
    _recvbuf: *mut c_void,
    _recvcount: c_int,
    _datatype: Datatype,
    _op: Op,
    comm: Comm,
) -> c_int {
    unsupported("MPI_Reduce_scatter_block", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Reduce_scatter_block_c(
    _sendbuf: *const c_void,
    _recvbuf: *mut c_void,
    _recvcount: Count,
    _datatype: Datatype,
    _op: Op,
    comm: Comm,
) -> c_int {
    unsupported("MPI_Reduce_scatter_block_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Scan(
    _sendbuf: *const c_void,
    _recvbuf: *mut c_void,
    _count: c_int,
    _datatype: Datatype,
    _op: Op,
    comm: Comm,
) -> c_int {
    unsupported("MPI_Scan", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Scan_c(
    _sendbuf: *const c_void,
    _recvbuf: *mut c_void,
    _count: Count,
    _datatype: Datatype,
    _op: Op,
    comm: Comm,
) -> c_int {
    unsupported("MPI_Scan_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Scatter(
    _sendbuf: *const c_void,
    _sendcount: c_int,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcount: c_int,
    _recvtype: Datatype,
    _root: c_int,
    comm: Comm,
) -> c_int {
    unsupported("MPI_Scatter", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Scatter_c(
    _sendbuf: *const c_void,
    _sendcount: Count,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcount: Count,
    _recvtype: Datatype,
    _root: c_int,
    comm: Comm,
) -> c_int {
    unsupported("MPI_Scatter_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Scatterv(
    _sendbuf: *const c_void,
    _sendcounts: *const c_int,
    _displs: *const c_int,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcount: c_int,
    _recvtype: Datatype,
    _root: c_int,
    comm: Comm,
) -> c_int {
    unsupported("MPI_Scatterv", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Scatterv_c(
    _sendbuf: *const c_void,
    _sendcounts: *const Count,
    _displs: *const Aint,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcount: Count,
    _recvtype: Datatype,
    _root: c_int,
    comm: Comm,
) -> c_int {
    unsupported("MPI_Scatterv_c", Origin::Comm(comm))
}

std::arch::global_asm!(
    ".weak MPI_Allgather",
    ".set MPI_Allgather, PMPI_Allgather",
    ".weak MPI_Allgather_c",
    ".set MPI_Allgather_c, PMPI_Allgather_c",
    ".weak MPI_Allgatherv",
    ".set MPI_Allgatherv, PMPI_Allgatherv",
    ".weak MPI_Allgatherv_c",
    ".set MPI_Allgatherv_c, PMPI_Allgatherv_c",
    ".weak MPI_Allreduce",
    ".set MPI_Allreduce, PMPI_Allreduce",
    ".weak MPI_Allreduce_c",
    ".set MPI_Allreduce_c, PMPI_Allreduce_c",
    ".weak MPI_Alltoall",
    ".set MPI_Alltoall, PMPI_Alltoall",
    ".weak MPI_Alltoall_c",
    ".set MPI_Alltoall_c, PMPI_Alltoall_c",
    ".weak MPI_Alltoallv",
    ".set MPI_Alltoallv, PMPI_Alltoallv",
    ".weak MPI_Alltoallv_c",
    ".set MPI_Alltoallv_c, PMPI_Alltoallv_c",
    ".weak MPI_Alltoallw",
    ".set MPI_Alltoallw, PMPI_Alltoallw",
    ".weak MPI_Alltoallw_c",
    ".set MPI_Alltoallw_c, PMPI_Alltoallw_c",
    ".weak MPI_Barrier",
    ".set MPI_Barrier, PMPI_Barrier",
    ".weak MPI_Bcast",
    ".set MPI_Bcast, PMPI_Bcast",
    ".weak MPI_Bcast_c",
    ".set MPI_Bcast_c, PMPI_Bcast_c",
    ".weak MPI_Exscan",
    ".set MPI_Exscan, PMPI_Exscan",
    ".weak MPI_Exscan_c",
    ".set MPI_Exscan_c, PMPI_Exscan_c",
    ".weak MPI_Gather",
    ".set MPI_Gather, PMPI_Gather",
    ".weak MPI_Gather_c",
    ".set MPI_Gather_c, PMPI_Gather_c",
    ".weak MPI_Gatherv",
    ".set MPI_Gatherv, PMPI_Gatherv",
    ".weak MPI_Gatherv_c",
    ".set MPI_Gatherv_c, PMPI_Gatherv_c",
    ".weak MPI_Reduce",
    ".set MPI_Reduce, PMPI_Reduce",
    ".weak MPI_Reduce_c",
    ".set MPI_Reduce_c, PMPI_Reduce_c",
    ".weak MPI_Reduce_local",
    ".set MPI_Reduce_local, PMPI_Reduce_local",
    ".weak MPI_Reduce_local_c",
    ".set MPI_Reduce_local_c, PMPI_Reduce_local_c",
    ".weak MPI_Reduce_scatter",
    ".set MPI_Reduce_scatter, PMPI_Reduce_scatter",
    ".weak MPI_Reduce_scatter_c",
    ".set MPI_Reduce_scatter_c, PMPI_Reduce_scatter_c",
    ".weak MPI_Reduce_scatter_block",
    ".set MPI_Reduce_scatter_block, PMPI_Reduce_scatter_block",
    ".weak MPI_Reduce_scatter_block_c",
    ".set MPI_Reduce_scatter_block_c, PMPI_Reduce_scatter_block_c",
    ".weak MPI_Scan",
    ".set MPI_Scan, PMPI_Scan",
    ".weak MPI_Scan_c",
    ".set MPI_Scan_c, PMPI_Scan_c",
    ".weak MPI_Scatter",
    ".set MPI_Scatter, PMPI_Scatter",
    ".weak MPI_Scatter_c",
    ".set MPI_Scatter_c, PMPI_Scatter_c",
    ".weak MPI_Scatterv",
    ".set MPI_Scatterv, PMPI_Scatterv",
    ".weak MPI_Scatterv_c",
    ".set MPI_Scatterv_c, PMPI_Scatterv_c",
);
