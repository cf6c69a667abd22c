//! Entries of `crate::calls::neighbor`. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

use crate::prelude::*;

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ineighbor_allgather(
    _sendbuf: *const c_void,
    _sendcount: c_int,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcount: c_int,
    _recvtype: Datatype,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Ineighbor_allgather", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ineighbor_allgather_c(
    _sendbuf: *const c_void,
    _sendcount: Count,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcount: Count,
    _recvtype: Datatype,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Ineighbor_allgather_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ineighbor_allgatherv(
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
    unsupported("MPI_Ineighbor_allgatherv", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ineighbor_allgatherv_c(
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
    unsupported("MPI_Ineighbor_allgatherv_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ineighbor_alltoall(
    _sendbuf: *const c_void,
    _sendcount: c_int,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcount: c_int,
    _recvtype: Datatype,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Ineighbor_alltoall", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ineighbor_alltoall_c(
    _sendbuf: *const c_void,
    _sendcount: Count,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcount: Count,
    _recvtype: Datatype,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Ineighbor_alltoall_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ineighbor_alltoallv(
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
    unsupported("MPI_Ineighbor_alltoallv", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ineighbor_alltoallv_c(
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
    unsupported("MPI_Ineighbor_alltoallv_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ineighbor_alltoallw(
    _sendbuf: *const c_void,
    _sendcounts: *const c_int,
    _sdispls: *const Aint,
    _sendtypes: *const Datatype,
    _recvbuf: *mut c_void,
    _recvcounts: *const c_int,
    _rdispls: *const Aint,
    _recvtypes: *const Datatype,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Ineighbor_alltoallw", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ineighbor_alltoallw_c(
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
    unsupported("MPI_Ineighbor_alltoallw_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Neighbor_allgather(
    _sendbuf: *const c_void,
    _sendcount: c_int,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcount: c_int,
    _recvtype: Datatype,
    comm: Comm,
) -> c_int {
    unsupported("MPI_Neighbor_allgather", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Neighbor_allgather_c(
    _sendbuf: *const c_void,
    _sendcount: Count,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcount: Count,
    _recvtype: Datatype,
    comm: Comm,
) -> c_int {
    unsupported("MPI_Neighbor_allgather_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Neighbor_allgather_init(
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
    unsupported("MPI_Neighbor_allgather_init", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Neighbor_allgather_init_c(
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
    unsupported("MPI_Neighbor_allgather_init_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Neighbor_allgatherv(
    _sendbuf: *const c_void,
    _sendcount: c_int,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcounts: *const c_int,
    _displs: *const c_int,
    _recvtype: Datatype,
    comm: Comm,
) -> c_int {
    unsupported("MPI_Neighbor_allgatherv", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Neighbor_allgatherv_c(
    _sendbuf: *const c_void,
    _sendcount: Count,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcounts: *const Count,
    _displs: *const Aint,
    _recvtype: Datatype,
    comm: Comm,
) -> c_int {
    unsupported("MPI_Neighbor_allgatherv_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Neighbor_allgatherv_init(
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
    unsupported("MPI_Neighbor_allgatherv_init", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Neighbor_allgatherv_init_c(
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
    unsupported("MPI_Neighbor_allgatherv_init_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Neighbor_alltoall(
    _sendbuf: *const c_void,
    _sendcount: c_int,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcount: c_int,
    _recvtype: Datatype,
    comm: Comm,
) -> c_int {
    unsupported("MPI_Neighbor_alltoall", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Neighbor_alltoall_c(
    _sendbuf: *const c_void,
    _sendcount: Count,
    _sendtype: Datatype,
    _recvbuf: *mut c_void,
    _recvcount: Count,
    _recvtype: Datatype,
    comm: Comm,
) -> c_int {
    unsupported("MPI_Neighbor_alltoall_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Neighbor_alltoall_init(
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
    unsupported("MPI_Neighbor_alltoall_init", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Neighbor_alltoall_init_c(
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
    unsupported("MPI_Neighbor_alltoall_init_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Neighbor_alltoallv(
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
    unsupported("MPI_Neighbor_alltoallv", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Neighbor_alltoallv_c(
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
    unsupported("MPI_Neighbor_alltoallv_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Neighbor_alltoallv_init(
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
    unsupported("MPI_Neighbor_alltoallv_init", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Neighbor_alltoallv_init_c(
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
    unsupported("MPI_Neighbor_alltoallv_init_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Neighbor_alltoallw(
    _sendbuf: *const c_void,
    _sendcounts: *const c_int,
    _sdispls: *const Aint,
    _sendtypes: *const Datatype,
    _recvbuf: *mut c_void,
    _recvcounts: *const c_int,
    _rdispls: *const Aint,
    _recvtypes: *const Datatype,
    comm: Comm,
) -> c_int {
    unsupported("MPI_Neighbor_alltoallw", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Neighbor_alltoallw_c(
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
    unsupported("MPI_Neighbor_alltoallw_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Neighbor_alltoallw_init(
    _sendbuf: *const c_void,
    _sendcounts: *const c_int,
    _sdispls: *const Aint,
    _sendtypes: *const Datatype,
    _recvbuf: *mut c_void,
    _recvcounts: *const c_int,
    _rdispls: *const Aint,
    _recvtypes: *const Datatype,
    comm: Comm,
    _info: Info,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Neighbor_alltoallw_init", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Neighbor_alltoallw_init_c(
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
    unsupported("MPI_Neighbor_alltoallw_init_c", Origin::Comm(comm))
}

std::arch::global_asm!(
    ".weak MPI_Ineighbor_allgather",
    ".set MPI_Ineighbor_allgather, PMPI_Ineighbor_allgather",
    ".weak MPI_Ineighbor_allgather_c",
    ".set MPI_Ineighbor_allgather_c, PMPI_Ineighbor_allgather_c",
    ".weak MPI_Ineighbor_allgatherv",
    ".set MPI_Ineighbor_allgatherv, PMPI_Ineighbor_allgatherv",
    ".weak MPI_Ineighbor_allgatherv_c",
    ".set MPI_Ineighbor_allgatherv_c, PMPI_Ineighbor_allgatherv_c",
    ".weak MPI_Ineighbor_alltoall",
    ".set MPI_Ineighbor_alltoall, PMPI_Ineighbor_alltoall",
    ".weak MPI_Ineighbor_alltoall_c",
    ".set MPI_Ineighbor_alltoall_c, PMPI_Ineighbor_alltoall_c",
    ".weak MPI_Ineighbor_alltoallv",
    ".set MPI_Ineighbor_alltoallv, PMPI_Ineighbor_alltoallv",
    ".weak MPI_Ineighbor_alltoallv_c",
    ".set MPI_Ineighbor_alltoallv_c, PMPI_Ineighbor_alltoallv_c",
    ".weak MPI_Ineighbor_alltoallw",
    ".set MPI_Ineighbor_alltoallw, PMPI_Ineighbor_alltoallw",
    ".weak MPI_Ineighbor_alltoallw_c",
    ".set MPI_Ineighbor_alltoallw_c, PMPI_Ineighbor_alltoallw_c",
    ".weak MPI_Neighbor_allgather",
    ".set MPI_Neighbor_allgather, PMPI_Neighbor_allgather",
    ".weak MPI_Neighbor_allgather_c",
    ".set MPI_Neighbor_allgather_c, PMPI_Neighbor_allgather_c",
    ".weak MPI_Neighbor_allgather_init",
    ".set MPI_Neighbor_allgather_init, PMPI_Neighbor_allgather_init",
    ".weak MPI_Neighbor_allgather_init_c",
    ".set MPI_Neighbor_allgather_init_c, PMPI_Neighbor_allgather_init_c",
    ".weak MPI_Neighbor_allgatherv",
    ".set MPI_Neighbor_allgatherv, PMPI_Neighbor_allgatherv",
    ".weak MPI_Neighbor_allgatherv_c",
    ".set MPI_Neighbor_allgatherv_c, PMPI_Neighbor_allgatherv_c",
    ".weak MPI_Neighbor_allgatherv_init",
    ".set MPI_Neighbor_allgatherv_init, PMPI_Neighbor_allgatherv_init",
    ".weak MPI_Neighbor_allgatherv_init_c",
    ".set MPI_Neighbor_allgatherv_init_c, PMPI_Neighbor_allgatherv_init_c",
    ".weak MPI_Neighbor_alltoall",
    ".set MPI_Neighbor_alltoall, PMPI_Neighbor_alltoall",
    ".weak MPI_Neighbor_alltoall_c",
    ".set MPI_Neighbor_alltoall_c, PMPI_Neighbor_alltoall_c",
    ".weak MPI_Neighbor_alltoall_init",
    ".set MPI_Neighbor_alltoall_init, PMPI_Neighbor_alltoall_init",
    ".weak MPI_Neighbor_alltoall_init_c",
    ".set MPI_Neighbor_alltoall_init_c, PMPI_Neighbor_alltoall_init_c",
    ".weak MPI_Neighbor_alltoallv",
    ".set MPI_Neighbor_alltoallv, PMPI_Neighbor_alltoallv",
    ".weak MPI_Neighbor_alltoallv_c",
    ".set MPI_Neighbor_alltoallv_c, PMPI_Neighbor_alltoallv_c",
    ".weak MPI_Neighbor_alltoallv_init",
    ".set MPI_Neighbor_alltoallv_init, PMPI_Neighbor_alltoallv_init",
    ".weak MPI_Neighbor_alltoallv_init_c",
    ".set MPI_Neighbor_alltoallv_init_c, PMPI_Neighbor_alltoallv_init_c",
    ".weak MPI_Neighbor_alltoallw",
    ".set MPI_Neighbor_alltoallw, PMPI_Neighbor_alltoallw",
    ".weak MPI_Neighbor_alltoallw_c",
    ".set MPI_Neighbor_alltoallw_c, PMPI_Neighbor_alltoallw_c",
    ".weak MPI_Neighbor_alltoallw_init",
    ".set MPI_Neighbor_alltoallw_init, PMPI_Neighbor_alltoallw_init",
    ".weak MPI_Neighbor_alltoallw_init_c",
    ".set MPI_Neighbor_alltoallw_init_c, PMPI_Neighbor_alltoallw_init_c",
);
