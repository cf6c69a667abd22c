//! Entries of `crate::calls::request`. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

use crate::abi::prelude::*;

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Cancel(_request: *mut Request) -> c_int {
    unsupported("MPI_Cancel", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Request_free(_request: *mut Request) -> c_int {
    unsupported("MPI_Request_free", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Request_get_status(
    request: Request,
    _flag: *mut c_int,
    _status: *mut Status,
) -> c_int {
    unsupported("MPI_Request_get_status", Origin::Request(request))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Request_get_status_all(
    _count: c_int,
    _array_of_requests: *const Request,
    _flag: *mut c_int,
    _array_of_statuses: *mut Status,
) -> c_int {
    unsupported("MPI_Request_get_status_all", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Request_get_status_any(
    _count: c_int,
    _array_of_requests: *const Request,
    _indx: *mut c_int,
    _flag: *mut c_int,
    _status: *mut Status,
) -> c_int {
    unsupported("MPI_Request_get_status_any", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Request_get_status_some(
    _incount: c_int,
    _array_of_requests: *const Request,
    _outcount: *mut c_int,
    _array_of_indices: *mut c_int,
    _array_of_statuses: *mut Status,
) -> c_int {
    unsupported("MPI_Request_get_status_some", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Start(_request: *mut Request) -> c_int {
    unsupported("MPI_Start", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Startall(_count: c_int, _array_of_requests: *mut Request) -> c_int {
    unsupported("MPI_Startall", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Test(
    _request: *mut Request,
    _flag: *mut c_int,
    _status: *mut Status,
) -> c_int {
    unsupported("MPI_Test", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Testall(
    _count: c_int,
    _array_of_requests: *mut Request,
    _flag: *mut c_int,
    _array_of_statuses: *mut Status,
) -> c_int {
    unsupported("MPI_Testall", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Testany(
    _count: c_int,
    _array_of_requests: *mut Request,
    _indx: *mut c_int,
    _flag: *mut c_int,
    _status: *mut Status,
) -> c_int {
    unsupported("MPI_Testany", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Testsome(
    _incount: c_int,
    _array_of_requests: *mut Request,
    _outcount: *mut c_int,
    _array_of_indices: *mut c_int,
    _array_of_statuses: *mut Status,
) -> c_int {
    unsupported("MPI_Testsome", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Wait(_request: *mut Request, _status: *mut Status) -> c_int {
    unsupported("MPI_Wait", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Waitall(
    _count: c_int,
    _array_of_requests: *mut Request,
    _array_of_statuses: *mut Status,
) -> c_int {
    unsupported("MPI_Waitall", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Waitany(
    _count: c_int,
    _array_of_requests: *mut Request,
    _indx: *mut c_int,
    _status: *mut Status,
) -> c_int {
    unsupported("MPI_Waitany", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Waitsome(
    _incount: c_int,
    _array_of_requests: *mut Request,
    _outcount: *mut c_int,
    _array_of_indices: *mut c_int,
    _array_of_statuses: *mut Status,
) -> c_int {
    unsupported("MPI_Waitsome", Origin::None)
}

std::arch::global_asm!(
    ".weak MPI_Cancel",
    ".set MPI_Cancel, PMPI_Cancel",
    ".weak MPI_Request_free",
    ".set MPI_Request_free, PMPI_Request_free",
    ".weak MPI_Request_get_status",
    ".set MPI_Request_get_status, PMPI_Request_get_status",
    ".weak MPI_Request_get_status_all",
    ".set MPI_Request_get_status_all, PMPI_Request_get_status_all",
    ".weak MPI_Request_get_status_any",
    ".set MPI_Request_get_status_any, PMPI_Request_get_status_any",
    ".weak MPI_Request_get_status_some",
    ".set MPI_Request_get_status_some, PMPI_Request_get_status_some",
    ".weak MPI_Start",
    ".set MPI_Start, PMPI_Start",
    ".weak MPI_Startall",
    ".set MPI_Startall, PMPI_Startall",
    ".weak MPI_Test",
    ".set MPI_Test, PMPI_Test",
    ".weak MPI_Testall",
    ".set MPI_Testall, PMPI_Testall",
    ".weak MPI_Testany",
    ".set MPI_Testany, PMPI_Testany",
    ".weak MPI_Testsome",
    ".set MPI_Testsome, PMPI_Testsome",
    ".weak MPI_Wait",
    ".set MPI_Wait, PMPI_Wait",
    ".weak MPI_Waitall",
    ".set MPI_Waitall, PMPI_Waitall",
    ".weak MPI_Waitany",
    ".set MPI_Waitany, PMPI_Waitany",
    ".weak MPI_Waitsome",
    ".set MPI_Waitsome, PMPI_Waitsome",
);
