//! Entries of `crate::calls::session`. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

use crate::abi::prelude::*;

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Session_finalize(_session: *mut Session) -> c_int {
    unsupported("MPI_Session_finalize", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Session_get_info(session: Session, _info_used: *mut Info) -> c_int {
    unsupported("MPI_Session_get_info", Origin::Session(session))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Session_get_nth_pset(
    session: Session,
    _info: Info,
    _n: c_int,
    _pset_len: *mut c_int,
    _pset_name: *mut c_char,
) -> c_int {
    unsupported("MPI_Session_get_nth_pset", Origin::Session(session))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Session_get_num_psets(
    session: Session,
    _info: Info,
    _npset_names: *mut c_int,
) -> c_int {
    unsupported("MPI_Session_get_num_psets", Origin::Session(session))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Session_get_pset_info(
    session: Session,
    _pset_name: *const c_char,
    _info: *mut Info,
) -> c_int {
    unsupported("MPI_Session_get_pset_info", Origin::Session(session))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Session_init(
    _info: Info,
    _errhandler: Errhandler,
    _session: *mut Session,
) -> c_int {
    unsupported("MPI_Session_init", Origin::None)
}

std::arch::global_asm!(
    ".weak MPI_Session_finalize",
    ".set MPI_Session_finalize, PMPI_Session_finalize",
    ".weak MPI_Session_get_info",
    ".set MPI_Session_get_info, PMPI_Session_get_info",
    ".weak MPI_Session_get_nth_pset",
    ".set MPI_Session_get_nth_pset, PMPI_Session_get_nth_pset",
    ".weak MPI_Session_get_num_psets",
    ".set MPI_Session_get_num_psets, PMPI_Session_get_num_psets",
    ".weak MPI_Session_get_pset_info",
    ".set MPI_Session_get_pset_info, PMPI_Session_get_pset_info",
    ".weak MPI_Session_init",
    ".set MPI_Session_init, PMPI_Session_init",
);
