//! Entries of `crate::calls::abi`. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

use crate::prelude::*;

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Abi_get_fortran_booleans(
    logical_size: c_int,
    logical_true: *mut c_void,
    logical_false: *mut c_void,
    is_set: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let is_set = args::out(is_set);
            if checks {
                check::pointer("logical_true", logical_true)?;
                check::pointer("logical_false", logical_false)?;
                check::pointer("is_set", is_set)?;
            }
            crate::calls::abi::abi_get_fortran_booleans(
                logical_size,
                logical_true,
                logical_false,
                is_set,
            )
        }
    };
    finish("MPI_Abi_get_fortran_booleans", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Abi_get_fortran_info(info: *mut Info) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let info = args::out(info);
            if checks {
                check::pointer("info", info)?;
            }
            crate::calls::abi::abi_get_fortran_info(info)
        }
    };
    finish("MPI_Abi_get_fortran_info", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Abi_get_info(info: *mut Info) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let info = args::out(info);
            if checks {
                check::pointer("info", info)?;
            }
            crate::calls::abi::abi_get_info(info)
        }
    };
    finish("MPI_Abi_get_info", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Abi_get_version(abi_major: *mut c_int, abi_minor: *mut c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let abi_major = args::out(abi_major);
            let abi_minor = args::out(abi_minor);
            if checks {
                check::pointer("abi_major", abi_major)?;
                check::pointer("abi_minor", abi_minor)?;
            }
            crate::calls::abi::abi_get_version(abi_major, abi_minor)
        }
    };
    finish("MPI_Abi_get_version", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Abi_set_fortran_booleans(
    logical_size: c_int,
    logical_true: *mut c_void,
    logical_false: *mut c_void,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::pointer("logical_true", logical_true)?;
                check::pointer("logical_false", logical_false)?;
            }
            crate::calls::abi::abi_set_fortran_booleans(logical_size, logical_true, logical_false)
        }
    };
    finish("MPI_Abi_set_fortran_booleans", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Abi_set_fortran_info(info: Info) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let info = check::info_object("info", info)?;
            crate::calls::abi::abi_set_fortran_info(info)
        }
    };
    finish("MPI_Abi_set_fortran_info", Origin::None, call())
}

std::arch::global_asm!(
    ".weak MPI_Abi_get_fortran_booleans",
    ".set MPI_Abi_get_fortran_booleans, PMPI_Abi_get_fortran_booleans",
    ".weak MPI_Abi_get_fortran_info",
    ".set MPI_Abi_get_fortran_info, PMPI_Abi_get_fortran_info",
    ".weak MPI_Abi_get_info",
    ".set MPI_Abi_get_info, PMPI_Abi_get_info",
    ".weak MPI_Abi_get_version",
    ".set MPI_Abi_get_version, PMPI_Abi_get_version",
    ".weak MPI_Abi_set_fortran_booleans",
    ".set MPI_Abi_set_fortran_booleans, PMPI_Abi_set_fortran_booleans",
    ".weak MPI_Abi_set_fortran_info",
    ".set MPI_Abi_set_fortran_info, PMPI_Abi_set_fortran_info",
);
