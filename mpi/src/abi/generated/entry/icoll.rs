//! Entries of `crate::calls::icoll`. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

use crate::abi::prelude::*;

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Iallgather(
    _sendbuf: *const c_void,
    _sendcount: c_int,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcount: c_int,
    _recvtype: Datatype,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Iallgather", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Iallgather_c(
    _sendbuf: *const c_void,
    _sendcount: Count,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcount: Count,
    _recvtype: Datatype,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Iallgather_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Iallgatherv(
    _sendbuf: *const c_void,
    _sendcount: c_int,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcounts: *const c_int,
    _displs: *const c_int,
    _recvtype: Datatype,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Iallgatherv", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Iallgatherv_c(
    _sendbuf: *const c_void,
    _sendcount: Count,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcounts: *const Count,
    _displs: *const Aint,
    _recvtype: Datatype,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Iallgatherv_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Iallreduce(
    _sendbuf: *const c_void,
    _recvbuf: *mut c_void,
    _count: c_int,
    _datatype: Datatype,
    _op: Op,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Iallreduce", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Iallreduce_c(
    _sendbuf: *const c_void,
    _recvbuf: *mut c_void,
    _count: Count,
    _datatype: Datatype,
    _op: Op,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Iallreduce_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ialltoall(
    _sendbuf: *const c_void,
    _sendcount: c_int,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcount: c_int,
    _recvtype: Datatype,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Ialltoall", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ialltoall_c(
    _sendbuf: *const c_void,
    _sendcount: Count,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcount: Count,
    _recvtype: Datatype,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Ialltoall_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ialltoallv(
    _sendbuf: *const c_void,
    _sendcounts: *const c_int,
    _sdispls: *const c_int,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcounts: *const c_int,
    _rdispls: *const c_int,
    _recvtype: Datatype,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Ialltoallv", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ialltoallv_c(
    _sendbuf: *const c_void,
    _sendcounts: *const Count,
    _sdispls: *const Aint,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcounts: *const Count,
    _rdispls: *const Aint,
    _recvtype: Datatype,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Ialltoallv_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ialltoallw(
    _sendbuf: *const c_void,
    _sendcounts: *const c_int,
    _sdispls: *const c_int,
    _sendtypes: *const Datatype,
    _recvbuf: *mut c_void,
    _recvcounts: *const c_int,
    _rdispls: *const c_int,
    _recvtypes: *const Datatype,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Ialltoallw", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ialltoallw_c(
    _sendbuf: *const c_void,
    _sendcounts: *const Count,
    _sdispls: *const Aint,
    _sendtypes: *const Datatype,
    _recvbuf: *mut c_void,
    _recvcounts: *const Count,
    _rdispls: *const Aint,
    _recvtypes: *const Datatype,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Ialltoallw_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ibarrier(comm: Comm, _request: *mut Request) -> c_int {
    unsupported("MPI_Ibarrier", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ibcast(
    _buffer: *mut c_void,
    _count: c_int,
    _datatype: Datatype,
    _root: c_int,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Ibcast", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ibcast_c(
    _buffer: *mut c_void,
    _count: Count,
    _datatype: Datatype,
    _root: c_int,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Ibcast_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Iexscan(
    _sendbuf: *const c_void,
    _recvbuf: *mut c_void,
    _count: c_int,
    _datatype: Datatype,
    _op: Op,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Iexscan", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Iexscan_c(
    _sendbuf: *const c_void,
    _recvbuf: *mut c_void,
    _count: Count,
    _datatype: Datatype,
    _op: Op,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Iexscan_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Igather(
    _sendbuf: *const c_void,
    _sendcount: c_int,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcount: c_int,
    _recvtype: Datatype,
    _root: c_int,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Igather", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Igather_c(
    _sendbuf: *const c_void,
    _sendcount: Count,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcount: Count,
    _recvtype: Datatype,
    _root: c_int,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Igather_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Igatherv(
    _sendbuf: *const c_void,
    _sendcount: c_int,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcounts: *const c_int,
    _displs: *const c_int,
    _recvtype: Datatype,
    _root: c_int,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Igatherv", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Igatherv_c(
    _sendbuf: *const c_void,
    _sendcount: Count,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcounts: *const Count,
    _displs: *const Aint,
    _recvtype: Datatype,
    _root: c_int,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Igatherv_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ireduce(
    _sendbuf: *const c_void,
    _recvbuf: *mut c_void,
    _count: c_int,
    _datatype: Datatype,
    _op: Op,
    _root: c_int,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Ireduce", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ireduce_c(
    _sendbuf: *const c_void,
    _recvbuf: *mut c_void,
    _count: Count,
    _datatype: Datatype,
    _op: Op,
    _root: c_int,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Ireduce_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ireduce_scatter(
    _sendbuf: *const c_void,
    _recvbuf: *mut c_void,
    _recvcounts: *const c_int,
    _datatype: Datatype,
    _op: Op,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Ireduce_scatter", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ireduce_scatter_c(
    _sendbuf: *const c_void,
    _recvbuf: *mut c_void,
    _recvcounts: *const Count,
    _datatype: Datatype,
    _op: Op,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Ireduce_scatter_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ireduce_scatter_block(
    _sendbuf: *const c_void,
    _recvbuf: *mut c_void,
    _recvcount: c_int,
    _datatype: Datatype,
    _op: Op,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Ireduce_scatter_block", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ireduce_scatter_block_c(
    _sendbuf: *const c_void,
    _recvbuf: *mut c_void,
    _recvcount: Count,
    _datatype: Datatype,
    _op: Op,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Ireduce_scatter_block_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Iscan(
    _sendbuf: *const c_void,
    _recvbuf: *mut c_void,
    _count: c_int,
    _datatype: Datatype,
    _op: Op,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Iscan", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Iscan_c(
    _sendbuf: *const c_void,
    _recvbuf: *mut c_void,
    _count: Count,
    _datatype: Datatype,
    _op: Op,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Iscan_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Iscatter(
    _sendbuf: *const c_void,
    _sendcount: c_int,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcount: c_int,
    _recvtype: Datatype,
    _root: c_int,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Iscatter", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Iscatter_c(
    _sendbuf: *const c_void,
    _sendcount: Count,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcount: Count,
    _recvtype: Datatype,
    _root: c_int,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Iscatter_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Iscatterv(
    _sendbuf: *const c_void,
    _sendcounts: *const c_int,
    _displs: *const c_int,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcount: c_int,
    _recvtype: Datatype,
    _root: c_int,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Iscatterv", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Iscatterv_c(
    _sendbuf: *const c_void,
    _sendcounts: *const Count,
    _displs: *const Aint,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcount: Count,
    _recvtype: Datatype,
    _root: c_int,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Iscatterv_c", Origin::Comm(comm))
}

std::arch::global_asm!(
    ".weak MPI_Iallgather",
    ".set MPI_Iallgather, PMPI_Iallgather",
    ".weak MPI_Iallgather_c",
    ".set MPI_Iallgather_c, PMPI_Iallgather_c",
    ".weak MPI_Iallgatherv",
    ".set MPI_Iallgatherv, PMPI_Iallgatherv",
    ".weak MPI_Iallgatherv_c",
    ".set MPI_Iallgatherv_c, PMPI_Iallgatherv_c",
    ".weak MPI_Iallreduce",
    ".set MPI_Iallreduce, PMPI_Iallreduce",
    ".weak MPI_Iallreduce_c",
    ".set MPI_Iallreduce_c, PMPI_Iallreduce_c",
    ".weak MPI_Ialltoall",
    ".set MPI_Ialltoall, PMPI_Ialltoall",
    ".weak MPI_Ialltoall_c",
    ".set MPI_Ialltoall_c, PMPI_Ialltoall_c",
    ".weak MPI_Ialltoallv",
    ".set MPI_Ialltoallv, PMPI_Ialltoallv",
    ".weak MPI_Ialltoallv_c",
    ".set MPI_Ialltoallv_c, PMPI_Ialltoallv_c",
    ".weak MPI_Ialltoallw",
    ".set MPI_Ialltoallw, PMPI_Ialltoallw",
    ".weak MPI_Ialltoallw_c",
    ".set MPI_Ialltoallw_c, PMPI_Ialltoallw_c",
    ".weak MPI_Ibarrier",
    ".set MPI_Ibarrier, PMPI_Ibarrier",
    ".weak MPI_Ibcast",
    ".set MPI_Ibcast, PMPI_Ibcast",
    ".weak MPI_Ibcast_c",
    ".set MPI_Ibcast_c, PMPI_Ibcast_c",
    ".weak MPI_Iexscan",
    ".set MPI_Iexscan, PMPI_Iexscan",
    ".weak MPI_Iexscan_c",
    ".set MPI_Iexscan_c, PMPI_Iexscan_c",
    ".weak MPI_Igather",
    ".set MPI_Igather, PMPI_Igather",
    ".weak MPI_Igather_c",
    ".set MPI_Igather_c, PMPI_Igather_c",
    ".weak MPI_Igatherv",
    ".set MPI_Igatherv, PMPI_Igatherv",
    ".weak MPI_Igatherv_c",
    ".set MPI_Igatherv_c, PMPI_Igatherv_c",
    ".weak MPI_Ireduce",
    ".set MPI_Ireduce, PMPI_Ireduce",
    ".weak MPI_Ireduce_c",
    ".set MPI_Ireduce_c, PMPI_Ireduce_c",
    ".weak MPI_Ireduce_scatter",
    ".set MPI_Ireduce_scatter, PMPI_Ireduce_scatter",
    ".weak MPI_Ireduce_scatter_c",
    ".set MPI_Ireduce_scatter_c, PMPI_Ireduce_scatter_c",
    ".weak MPI_Ireduce_scatter_block",
    ".set MPI_Ireduce_scatter_block, PMPI_Ireduce_scatter_block",
    ".weak MPI_Ireduce_scatter_block_c",
    ".set MPI_Ireduce_scatter_block_c, PMPI_Ireduce_scatter_block_c",
    ".weak MPI_Iscan",
    ".set MPI_Iscan, PMPI_Iscan",
    ".weak MPI_Iscan_c",
    ".set MPI_Iscan_c, PMPI_Iscan_c",
    ".weak MPI_Iscatter",
    ".set MPI_Iscatter, PMPI_Iscatter",
    ".weak MPI_Iscatter_c",
    ".set MPI_Iscatter_c, PMPI_Iscatter_c",
    ".weak MPI_Iscatterv",
    ".set MPI_Iscatterv, PMPI_Iscatterv",
    ".weak MPI_Iscatterv_c",
    ".set MPI_Iscatterv_c, PMPI_Iscatterv_c",
);
