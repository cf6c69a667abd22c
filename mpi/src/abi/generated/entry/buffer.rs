//! Entries of `crate::calls::buffer`. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

use crate::abi::prelude::*;

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Buffer_attach(_buffer: *mut c_void, _size: c_int) -> c_int {
    unsupported("MPI_Buffer_attach", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Buffer_attach_c(_buffer: *mut c_void, _size: Count) -> c_int {
    unsupported("MPI_Buffer_attach_c", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Buffer_detach(_buffer_addr: *mut c_void, _size: *mut c_int) -> c_int {
    unsupported("MPI_Buffer_detach", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Buffer_detach_c(_buffer_addr: *mut c_void, _size: *mut Count) -> c_int {
    unsupported("MPI_Buffer_detach_c", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Buffer_flush() -> c_int {
    unsupported("MPI_Buffer_flush", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Buffer_iflush(_request: *mut Request) -> c_int {
    unsupported("MPI_Buffer_iflush", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_attach_buffer(
    comm: Comm,
    _buffer: *mut c_void,
    _size: c_int,
) -> c_int {
    unsupported("MPI_Comm_attach_buffer", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_attach_buffer_c(
    comm: Comm,
    _buffer: *mut c_void,
    _size: Count,
) -> c_int {
    unsupported("MPI_Comm_attach_buffer_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_detach_buffer(
    comm: Comm,
    _buffer_addr: *mut c_void,
    _size: *mut c_int,
) -> c_int {
    unsupported("MPI_Comm_detach_buffer", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_detach_buffer_c(
    comm: Comm,
    _buffer_addr: *mut c_void,
    _size: *mut Count,
) -> c_int {
    unsupported("MPI_Comm_detach_buffer_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_flush_buffer(comm: Comm) -> c_int {
    unsupported("MPI_Comm_flush_buffer", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_iflush_buffer(comm: Comm, _request: *mut Request) -> c_int {
    unsupported("MPI_Comm_iflush_buffer", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Session_attach_buffer(
    session: Session,
    _buffer: *mut c_void,
    _size: c_int,
) -> c_int {
    unsupported("MPI_Session_attach_buffer", Origin::Session(session))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Session_attach_buffer_c(
    session: Session,
    _buffer: *mut c_void,
    _size: Count,
) -> c_int {
    unsupported("MPI_Session_attach_buffer_c", Origin::Session(session))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Session_detach_buffer(
    session: Session,
    _buffer_addr: *mut c_void,
    _size: *mut c_int,
) -> c_int {
    unsupported("MPI_Session_detach_buffer", Origin::Session(session))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Session_detach_buffer_c(
    session: Session,
    _buffer_addr: *mut c_void,
    _size: *mut Count,
) -> c_int {
    unsupported("MPI_Session_detach_buffer_c", Origin::Session(session))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Session_flush_buffer(session: Session) -> c_int {
    unsupported("MPI_Session_flush_buffer", Origin::Session(session))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Session_iflush_buffer(session: Session, _request: *mut Request) -> c_int {
    unsupported("MPI_Session_iflush_buffer", Origin::Session(session))
}

std::arch::global_asm!(
    ".weak MPI_Buffer_attach",
    ".set MPI_Buffer_attach, PMPI_Buffer_attach",
    ".weak MPI_Buffer_attach_c",
    ".set MPI_Buffer_attach_c, PMPI_Buffer_attach_c",
    ".weak MPI_Buffer_detach",
    ".set MPI_Buffer_detach, PMPI_Buffer_detach",
    ".weak MPI_Buffer_detach_c",
    ".set MPI_Buffer_detach_c, PMPI_Buffer_detach_c",
    ".weak MPI_Buffer_flush",
    ".set MPI_Buffer_flush, PMPI_Buffer_flush",
    ".weak MPI_Buffer_iflush",
    ".set MPI_Buffer_iflush, PMPI_Buffer_iflush",
    ".weak MPI_Comm_attach_buffer",
    ".set MPI_Comm_attach_buffer, PMPI_Comm_attach_buffer",
    ".weak MPI_Comm_attach_buffer_c",
    ".set MPI_Comm_attach_buffer_c, PMPI_Comm_attach_buffer_c",
    ".weak MPI_Comm_detach_buffer",
    ".set MPI_Comm_detach_buffer, PMPI_Comm_detach_buffer",
    ".weak MPI_Comm_detach_buffer_c",
    ".set MPI_Comm_detach_buffer_c, PMPI_Comm_detach_buffer_c",
    ".weak MPI_Comm_flush_buffer",
    ".set MPI_Comm_flush_buffer, PMPI_Comm_flush_buffer",
    ".weak MPI_Comm_iflush_buffer",
    ".set MPI_Comm_iflush_buffer, PMPI_Comm_iflush_buffer",
    ".weak MPI_Session_attach_buffer",
    ".set MPI_Session_attach_buffer, PMPI_Session_attach_buffer",
    ".weak MPI_Session_attach_buffer_c",
    ".set MPI_Session_attach_buffer_c, PMPI_Session_attach_buffer_c",
    ".weak MPI_Session_detach_buffer",
    ".set MPI_Session_detach_buffer, PMPI_Session_detach_buffer",
    ".weak MPI_Session_detach_buffer_c",
    ".set MPI_Session_detach_buffer_c, PMPI_Session_detach_buffer_c",
    ".weak MPI_Session_flush_buffer",
    ".set MPI_Session_flush_buffer, PMPI_Session_flush_buffer",
    ".weak MPI_Session_iflush_buffer",
    ".set MPI_Session_iflush_buffer, PMPI_Session_iflush_buffer",
);
