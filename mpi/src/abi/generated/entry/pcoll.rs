//! Entries of `crate::calls::pcoll`. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

use crate::abi::prelude::*;

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Allgather_init(
    _sendbuf: *const c_void,
    _sendcount: c_int,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcount: c_int,
    _recvtype: Datatype,
    comm: Comm,
    _info: Info,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Allgather_init", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Allgather_init_c(
    _sendbuf: *const c_void,
    _sendcount: Count,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcount: Count,
    _recvtype: Datatype,
    comm: Comm,
    _info: Info,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Allgather_init_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Allgatherv_init(
    _sendbuf: *const c_void,
    _sendcount: c_int,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcounts: *const c_int,
    _displs: *const c_int,
    _recvtype: Datatype,
    comm: Comm,
    _info: Info,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Allgatherv_init", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Allgatherv_init_c(
    _sendbuf: *const c_void,
    _sendcount: Count,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcounts: *const Count,
    _displs: *const Aint,
    _recvtype: Datatype,
    comm: Comm,
    _info: Info,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Allgatherv_init_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Allreduce_init(
    _sendbuf: *const c_void,
    _recvbuf: *mut c_void,
    _count: c_int,
    _datatype: Datatype,
    _op: Op,
    comm: Comm,
    _info: Info,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Allreduce_init", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Allreduce_init_c(
    _sendbuf: *const c_void,
    _recvbuf: *mut c_void,
    _count: Count,
    _datatype: Datatype,
    _op: Op,
    comm: Comm,
    _info: Info,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Allreduce_init_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Alltoall_init(
    _sendbuf: *const c_void,
    _sendcount: c_int,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcount: c_int,
    _recvtype: Datatype,
    comm: Comm,
    _info: Info,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Alltoall_init", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Alltoall_init_c(
    _sendbuf: *const c_void,
    _sendcount: Count,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcount: Count,
    _recvtype: Datatype,
    comm: Comm,
    _info: Info,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Alltoall_init_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Alltoallv_init(
    _sendbuf: *const c_void,
    _sendcounts: *const c_int,
    _sdispls: *const c_int,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcounts: *const c_int,
    _rdispls: *const c_int,
    _recvtype: Datatype,
    comm: Comm,
    _info: Info,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Alltoallv_init", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Alltoallv_init_c(
    _sendbuf: *const c_void,
    _sendcounts: *const Count,
    _sdispls: *const Aint,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcounts: *const Count,
    _rdispls: *const Aint,
    _recvtype: Datatype,
    comm: Comm,
    _info: Info,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Alltoallv_init_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Alltoallw_init(
    _sendbuf: *const c_void,
    _sendcounts: *const c_int,
    _sdispls: *const c_int,
    _sendtypes: *const Datatype,
    _recvbuf: *mut c_void,
    _recvcounts: *const c_int,
    _rdispls: *const c_int,
    _recvtypes: *const Datatype,
    comm: Comm,
    _info: Info,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Alltoallw_init", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Alltoallw_init_c(
    _sendbuf: *const c_void,
    _sendcounts: *const Count,
    _sdispls: *const Aint,
    _sendtypes: *const Datatype,
    _recvbuf: *mut c_void,
    _recvcounts: *const Count,
    _rdispls: *const Aint,
    _recvtypes: *const Datatype,
    comm: Comm,
    _info: Info,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Alltoallw_init_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Barrier_init(comm: Comm, _info: Info, _request: *mut Request) -> c_int {
    unsupported("MPI_Barrier_init", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Bcast_init(
    _buffer: *mut c_void,
    _count: c_int,
    _datatype: Datatype,
    _root: c_int,
    comm: Comm,
    _info: Info,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Bcast_init", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Bcast_init_c(
    _buffer: *mut c_void,
    _count: Count,
    _datatype: Datatype,
    _root: c_int,
    comm: Comm,
    _info: Info,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Bcast_init_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Exscan_init(
    _sendbuf: *const c_void,
    _recvbuf: *mut c_void,
    _count: c_int,
    _datatype: Datatype,
    _op: Op,
    comm: Comm,
    _info: Info,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Exscan_init", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Exscan_init_c(
    _sendbuf: *const c_void,
    _recvbuf: *mut c_void,
    _count: Count,
    _datatype: Datatype,
    _op: Op,
    comm: Comm,
    _info: Info,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Exscan_init_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Gather_init(
    _sendbuf: *const c_void,
    _sendcount: c_int,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcount: c_int,
    _recvtype: Datatype,
    _root: c_int,
    comm: Comm,
    _info: Info,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Gather_init", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Gather_init_c(
    _sendbuf: *const c_void,
    _sendcount: Count,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcount: Count,
    _recvtype: Datatype,
    _root: c_int,
    comm: Comm,
    _info: Info,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Gather_init_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Gatherv_init(
    _sendbuf: *const c_void,
    _sendcount: c_int,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcounts: *const c_int,
    _displs: *const c_int,
    _recvtype: Datatype,
    _root: c_int,
    comm: Comm,
    _info: Info,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Gatherv_init", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Gatherv_init_c(
    _sendbuf: *const c_void,
    _sendcount: Count,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcounts: *const Count,
    _displs: *const Aint,
    _recvtype: Datatype,
    _root: c_int,
    comm: Comm,
    _info: Info,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Gatherv_init_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Reduce_init(
    _sendbuf: *const c_void,
    _recvbuf: *mut c_void,
    _count: c_int,
    _datatype: Datatype,
    _op: Op,
    _root: c_int,
    comm: Comm,
    _info: Info,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Reduce_init", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Reduce_init_c(
    _sendbuf: *const c_void,
    _recvbuf: *mut c_void,
    _count: Count,
    _datatype: Datatype,
    _op: Op,
    _root: c_int,
    comm: Comm,
    _info: Info,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Reduce_init_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Reduce_scatter_block_init(
    _sendbuf: *const c_void,
    _recvbuf: *mut c_void,
    _recvcount: c_int,
    _datatype: Datatype,
    _op: Op,
    comm: Comm,
    _info: Info,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Reduce_scatter_block_init", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Reduce_scatter_block_init_c(
    _sendbuf: *const c_void,
    _recvbuf: *mut c_void,
    _recvcount: Count,
    _datatype: Datatype,
    _op: Op,
    comm: Comm,
    _info: Info,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Reduce_scatter_block_init_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Reduce_scatter_init(
    _sendbuf: *const c_void,
    _recvbuf: *mut c_void,
    _recvcounts: *const c_int,
    _datatype: Datatype,
    _op: Op,
    comm: Comm,
    _info: Info,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Reduce_scatter_init", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Reduce_scatter_init_c(
    _sendbuf: *const c_void,
    _recvbuf: *mut c_void,
    _recvcounts: *const Count,
    _datatype: Datatype,
    _op: Op,
    comm: Comm,
    _info: Info,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Reduce_scatter_init_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Scan_init(
    _sendbuf: *const c_void,
    _recvbuf: *mut c_void,
    _count: c_int,
    _datatype: Datatype,
    _op: Op,
    comm: Comm,
    _info: Info,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Scan_init", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Scan_init_c(
    _sendbuf: *const c_void,
    _recvbuf: *mut c_void,
    _count: Count,
    _datatype: Datatype,
    _op: Op,
    comm: Comm,
    _info: Info,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Scan_init_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Scatter_init(
    _sendbuf: *const c_void,
    _sendcount: c_int,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcount: c_int,
    _recvtype: Datatype,
    _root: c_int,
    comm: Comm,
    _info: Info,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Scatter_init", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Scatter_init_c(
    _sendbuf: *const c_void,
    _sendcount: Count,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcount: Count,
    _recvtype: Datatype,
    _root: c_int,
    comm: Comm,
    _info: Info,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Scatter_init_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Scatterv_init(
    _sendbuf: *const c_void,
    _sendcounts: *const c_int,
    _displs: *const c_int,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcount: c_int,
    _recvtype: Datatype,
    _root: c_int,
    comm: Comm,
    _info: Info,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Scatterv_init", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Scatterv_init_c(
    _sendbuf: *const c_void,
    _sendcounts: *const Count,
    _displs: *const Aint,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcount: Count,
    _recvtype: Datatype,
    _root: c_int,
    comm: Comm,
    _info: Info,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Scatterv_init_c", Origin::Comm(comm))
}

std::arch::global_asm!(
    ".weak MPI_Allgather_init",
    ".set MPI_Allgather_init, PMPI_Allgather_init",
    ".weak MPI_Allgather_init_c",
    ".set MPI_Allgather_init_c, PMPI_Allgather_init_c",
    ".weak MPI_Allgatherv_init",
    ".set MPI_Allgatherv_init, PMPI_Allgatherv_init",
    ".weak MPI_Allgatherv_init_c",
    ".set MPI_Allgatherv_init_c, PMPI_Allgatherv_init_c",
    ".weak MPI_Allreduce_init",
    ".set MPI_Allreduce_init, PMPI_Allreduce_init",
    ".weak MPI_Allreduce_init_c",
    ".set MPI_Allreduce_init_c, PMPI_Allreduce_init_c",
    ".weak MPI_Alltoall_init",
    ".set MPI_Alltoall_init, PMPI_Alltoall_init",
    ".weak MPI_Alltoall_init_c",
    ".set MPI_Alltoall_init_c, PMPI_Alltoall_init_c",
    ".weak MPI_Alltoallv_init",
    ".set MPI_Alltoallv_init, PMPI_Alltoallv_init",
    ".weak MPI_Alltoallv_init_c",
    ".set MPI_Alltoallv_init_c, PMPI_Alltoallv_init_c",
    ".weak MPI_Alltoallw_init",
    ".set MPI_Alltoallw_init, PMPI_Alltoallw_init",
    ".weak MPI_Alltoallw_init_c",
    ".set MPI_Alltoallw_init_c, PMPI_Alltoallw_init_c",
    ".weak MPI_Barrier_init",
    ".set MPI_Barrier_init, PMPI_Barrier_init",
    ".weak MPI_Bcast_init",
    ".set MPI_Bcast_init, PMPI_Bcast_init",
    ".weak MPI_Bcast_init_c",
    ".set MPI_Bcast_init_c, PMPI_Bcast_init_c",
    ".weak MPI_Exscan_init",
    ".set MPI_Exscan_init, PMPI_Exscan_init",
    ".weak MPI_Exscan_init_c",
    ".set MPI_Exscan_init_c, PMPI_Exscan_init_c",
    ".weak MPI_Gather_init",
    ".set MPI_Gather_init, PMPI_Gather_init",
    ".weak MPI_Gather_init_c",
    ".set MPI_Gather_init_c, PMPI_Gather_init_c",
    ".weak MPI_Gatherv_init",
    ".set MPI_Gatherv_init, PMPI_Gatherv_init",
    ".weak MPI_Gatherv_init_c",
    ".set MPI_Gatherv_init_c, PMPI_Gatherv_init_c",
    ".weak MPI_Reduce_init",
    ".set MPI_Reduce_init, PMPI_Reduce_init",
    ".weak MPI_Reduce_init_c",
    ".set MPI_Reduce_init_c, PMPI_Reduce_init_c",
    ".weak MPI_Reduce_scatter_block_init",
    ".set MPI_Reduce_scatter_block_init, PMPI_Reduce_scatter_block_init",
    ".weak MPI_Reduce_scatter_block_init_c",
    ".set MPI_Reduce_scatter_block_init_c, PMPI_Reduce_scatter_block_init_c",
    ".weak MPI_Reduce_scatter_init",
    ".set MPI_Reduce_scatter_init, PMPI_Reduce_scatter_init",
    ".weak MPI_Reduce_scatter_init_c",
    ".set MPI_Reduce_scatter_init_c, PMPI_Reduce_scatter_init_c",
    ".weak MPI_Scan_init",
    ".set MPI_Scan_init, PMPI_Scan_init",
    ".weak MPI_Scan_init_c",
    ".set MPI_Scan_init_c, PMPI_Scan_init_c",
    ".weak MPI_Scatter_init",
    ".set MPI_Scatter_init, PMPI_Scatter_init",
    ".weak MPI_Scatter_init_c",
    ".set MPI_Scatter_init_c, PMPI_Scatter_init_c",
    ".weak MPI_Scatterv_init",
    ".set MPI_Scatterv_init, PMPI_Scatterv_init",
    ".weak MPI_Scatterv_init_c",
    ".set MPI_Scatterv_init_c, PMPI_Scatterv_init_c",
);
