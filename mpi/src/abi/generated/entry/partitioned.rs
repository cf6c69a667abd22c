//! Entries of `crate::calls::partitioned`. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

use crate::abi::prelude::*;

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Parrived(
    request: Request,
    _partition: c_int,
    _flag: *mut c_int,
) -> c_int {
    unsupported("MPI_Parrived", Origin::Request(request))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Pready(_partition: c_int, request: Request) -> c_int {
    unsupported("MPI_Pready", Origin::Request(request))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Pready_list(
    _length: c_int,
    _array_of_partitions: *const c_int,
    request: Request,
) -> c_int {
    unsupported("MPI_Pready_list", Origin::Request(request))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Pready_range(
    _partition_low: c_int,
    _partition_high: c_int,
    request: Request,
) -> c_int {
    unsupported("MPI_Pready_range", Origin::Request(request))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Precv_init(
    _buf: *mut c_void,
    _partitions: c_int,
    _count: c_int,
    _datatype: Datatype,
    _dest: c_int,
    _tag: c_int,
    comm: Comm,
    _info: Info,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Precv_init", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Precv_init_c(
    _buf: *mut c_void,
    _partitions: c_int,
    _count: Count,
    _datatype: Datatype,
    _dest: c_int,
    _tag: c_int,
    comm: Comm,
    _info: Info,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Precv_init_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Psend_init(
    _buf: *const c_void,
    _partitions: c_int,
    _count: c_int,
    _datatype: Datatype,
    _dest: c_int,
    _tag: c_int,
    comm: Comm,
    _info: Info,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Psend_init", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Psend_init_c(
    _buf: *const c_void,
    _partitions: c_int,
    _count: Count,
    _datatype: Datatype,
    _dest: c_int,
    _tag: c_int,
    comm: Comm,
    _info: Info,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Psend_init_c", Origin::Comm(comm))
}

std::arch::global_asm!(
    ".weak MPI_Parrived",
    ".set MPI_Parrived, PMPI_Parrived",
    ".weak MPI_Pready",
    ".set MPI_Pready, PMPI_Pready",
    ".weak MPI_Pready_list",
    ".set MPI_Pready_list, PMPI_Pready_list",
    ".weak MPI_Pready_range",
    ".set MPI_Pready_range, PMPI_Pready_range",
    ".weak MPI_Precv_init",
    ".set MPI_Precv_init, PMPI_Precv_init",
    ".weak MPI_Precv_init_c",
    ".set MPI_Precv_init_c, PMPI_Precv_init_c",
    ".weak MPI_Psend_init",
    ".set MPI_Psend_init, PMPI_Psend_init",
    ".weak MPI_Psend_init_c",
    ".set MPI_Psend_init_c, PMPI_Psend_init_c",
);
