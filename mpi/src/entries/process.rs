//! Entries of `crate::calls::process`. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

use crate::prelude::*;

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Close_port(_port_name: *const c_char) -> c_int {
    unsupported("MPI_Close_port", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_accept(
    _port_name: *const c_char,
    _info: Info,
    _root: c_int,
    comm: Comm,
    _newcomm: *mut Comm,
) -> c_int {
    unsupported("MPI_Comm_accept", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_connect(
    _port_name: *const c_char,
    _info: Info,
    _root: c_int,
    comm: Comm,
    _newcomm: *mut Comm,
) -> c_int {
    unsupported("MPI_Comm_connect", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_disconnect(comm: *mut Comm) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let comm = args::inout(comm);
            if checks {
                check::running()?;
            }
            if checks {
                check::comm_io("comm", comm)?;
            }
            crate::calls::process::comm_disconnect(comm)
        }
    };
    // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
    let held = unsafe { args::held(comm, MPI_COMM_NULL) };
    finish("MPI_Comm_disconnect", Origin::Comm(held), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_get_parent(parent: *mut Comm) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let parent = args::out(parent);
            if checks {
                check::running()?;
            }
            if checks {
                check::pointer("parent", parent)?;
            }
            crate::calls::process::comm_get_parent(parent)
        }
    };
    finish("MPI_Comm_get_parent", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_join(_fd: c_int, _intercomm: *mut Comm) -> c_int {
    unsupported("MPI_Comm_join", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_spawn(
    _command: *const c_char,
    _argv: *mut *mut c_char,
    _maxprocs: c_int,
    _info: Info,
    _root: c_int,
    comm: Comm,
    _intercomm: *mut Comm,
    _array_of_errcodes: *mut c_int,
) -> c_int {
    unsupported("MPI_Comm_spawn", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_spawn_multiple(
    _count: c_int,
    _array_of_commands: *mut *mut c_char,
    _array_of_argv: *mut *mut *mut c_char,
    _array_of_maxprocs: *const c_int,
    _array_of_info: *const Info,
    _root: c_int,
    comm: Comm,
    _intercomm: *mut Comm,
    _array_of_errcodes: *mut c_int,
) -> c_int {
    unsupported("MPI_Comm_spawn_multiple", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Lookup_name(
    _service_name: *const c_char,
    _info: Info,
    _port_name: *mut c_char,
) -> c_int {
    unsupported("MPI_Lookup_name", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Open_port(_info: Info, _port_name: *mut c_char) -> c_int {
    unsupported("MPI_Open_port", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Publish_name(
    _service_name: *const c_char,
    _info: Info,
    _port_name: *const c_char,
) -> c_int {
    unsupported("MPI_Publish_name", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Unpublish_name(
    _service_name: *const c_char,
    _info: Info,
    _port_name: *const c_char,
) -> c_int {
    unsupported("MPI_Unpublish_name", Origin::None)
}

std::arch::global_asm!(
    ".weak MPI_Close_port",
    ".set MPI_Close_port, PMPI_Close_port",
    ".weak MPI_Comm_accept",
    ".set MPI_Comm_accept, PMPI_Comm_accept",
    ".weak MPI_Comm_connect",
    ".set MPI_Comm_connect, PMPI_Comm_connect",
    ".weak MPI_Comm_disconnect",
    ".set MPI_Comm_disconnect, PMPI_Comm_disconnect",
    ".weak MPI_Comm_get_parent",
    ".set MPI_Comm_get_parent, PMPI_Comm_get_parent",
    ".weak MPI_Comm_join",
    ".set MPI_Comm_join, PMPI_Comm_join",
    ".weak MPI_Comm_spawn",
    ".set MPI_Comm_spawn, PMPI_Comm_spawn",
    ".weak MPI_Comm_spawn_multiple",
    ".set MPI_Comm_spawn_multiple, PMPI_Comm_spawn_multiple",
    ".weak MPI_Lookup_name",
    ".set MPI_Lookup_name, PMPI_Lookup_name",
    ".weak MPI_Open_port",
    ".set MPI_Open_port, PMPI_Open_port",
    ".weak MPI_Publish_name",
    ".set MPI_Publish_name, PMPI_Publish_name",
    ".weak MPI_Unpublish_name",
    ".set MPI_Unpublish_name, PMPI_Unpublish_name",
);
