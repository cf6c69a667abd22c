//! Entries of `crate::calls::status`. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

use crate::prelude::*;

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Get_count(
    status: *const Status,
    datatype: Datatype,
    count: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let status = args::status(status);
            let count = args::count_out(count);
            if checks {
                check::running()?;
            }
            let datatype = check::oldtype("datatype", datatype)?;
            if checks {
                check::pointer("status", status)?;
                check::pointer("count", count)?;
            }
            crate::calls::status::get_count(status, datatype, count)
        }
    };
    finish("MPI_Get_count", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Get_count_c(
    status: *const Status,
    datatype: Datatype,
    count: *mut Count,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let status = args::status(status);
            let count = args::count_out(count);
            if checks {
                check::running()?;
            }
            let datatype = check::oldtype("datatype", datatype)?;
            if checks {
                check::pointer("status", status)?;
                check::pointer("count", count)?;
            }
            crate::calls::status::get_count(status, datatype, count)
        }
    };
    finish("MPI_Get_count_c", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Get_elements(
    status: *const Status,
    datatype: Datatype,
    count: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let status = args::status(status);
            let count = args::count_out(count);
            if checks {
                check::running()?;
            }
            let datatype = check::oldtype("datatype", datatype)?;
            if checks {
                check::pointer("status", status)?;
                check::pointer("count", count)?;
            }
            crate::calls::status::get_elements(status, datatype, count)
        }
    };
    finish("MPI_Get_elements", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Get_elements_c(
    status: *const Status,
    datatype: Datatype,
    count: *mut Count,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let status = args::status(status);
            let count = args::count_out(count);
            if checks {
                check::running()?;
            }
            let datatype = check::oldtype("datatype", datatype)?;
            if checks {
                check::pointer("status", status)?;
                check::pointer("count", count)?;
            }
            crate::calls::status::get_elements(status, datatype, count)
        }
    };
    finish("MPI_Get_elements_c", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Get_elements_x(
    status: *const Status,
    datatype: Datatype,
    count: *mut Count,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let status = args::status(status);
            let count = args::count_out(count);
            if checks {
                check::running()?;
            }
            let datatype = check::oldtype("datatype", datatype)?;
            if checks {
                check::pointer("status", status)?;
                check::pointer("count", count)?;
            }
            crate::calls::status::get_elements_x(status, datatype, count)
        }
    };
    finish("MPI_Get_elements_x", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Status_get_error(status: *const Status, error: *mut c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let status = args::status(status);
            let error = args::out(error);
            if checks {
                check::running()?;
            }
            if checks {
                check::pointer("status", status)?;
                check::pointer("error", error)?;
            }
            crate::calls::status::status_get_error(status, error)
        }
    };
    finish("MPI_Status_get_error", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Status_get_source(status: *const Status, source: *mut c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let status = args::status(status);
            let source = args::out(source);
            if checks {
                check::running()?;
            }
            if checks {
                check::pointer("status", status)?;
                check::pointer("source", source)?;
            }
            crate::calls::status::status_get_source(status, source)
        }
    };
    finish("MPI_Status_get_source", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Status_get_tag(status: *const Status, tag: *mut c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let status = args::status(status);
            let tag = args::out(tag);
            if checks {
                check::running()?;
            }
            if checks {
                check::pointer("status", status)?;
                check::pointer("tag", tag)?;
            }
            crate::calls::status::status_get_tag(status, tag)
        }
    };
    finish("MPI_Status_get_tag", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Status_set_cancelled(status: *mut Status, flag: c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let status = args::status_out(status);
            if checks {
                check::running()?;
            }
            if checks {
                check::pointer("status", status)?;
            }
            crate::calls::status::status_set_cancelled(status, flag)
        }
    };
    finish("MPI_Status_set_cancelled", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Status_set_elements(
    status: *mut Status,
    datatype: Datatype,
    count: c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let status = args::status_out(status);
            let count = args::count(count);
            if checks {
                check::running()?;
            }
            let datatype = check::oldtype("datatype", datatype)?;
            if checks {
                check::pointer("status", status)?;
                check::count("count", count)?;
            }
            crate::calls::status::status_set_elements(status, datatype, count)
        }
    };
    finish("MPI_Status_set_elements", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Status_set_elements_c(
    status: *mut Status,
    datatype: Datatype,
    count: Count,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let status = args::status_out(status);
            let count = args::count(count);
            if checks {
                check::running()?;
            }
            let datatype = check::oldtype("datatype", datatype)?;
            if checks {
                check::pointer("status", status)?;
                check::count("count", count)?;
            }
            crate::calls::status::status_set_elements(status, datatype, count)
        }
    };
    finish("MPI_Status_set_elements_c", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Status_set_elements_x(
    status: *mut Status,
    datatype: Datatype,
    count: Count,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let status = args::status_out(status);
            if checks {
                check::running()?;
            }
            let datatype = check::oldtype("datatype", datatype)?;
            if checks {
                check::pointer("status", status)?;
                check::count("count", count)?;
            }
            crate::calls::status::status_set_elements_x(status, datatype, count)
        }
    };
    finish("MPI_Status_set_elements_x", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Status_set_error(status: *mut Status, error: c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let status = args::status_out(status);
            if checks {
                check::running()?;
            }
            if checks {
                check::pointer("status", status)?;
            }
            crate::calls::status::status_set_error(status, error)
        }
    };
    finish("MPI_Status_set_error", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Status_set_source(status: *mut Status, source: c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let status = args::status_out(status);
            if checks {
                check::running()?;
            }
            if checks {
                check::pointer("status", status)?;
            }
            crate::calls::status::status_set_source(status, source)
        }
    };
    finish("MPI_Status_set_source", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Status_set_tag(status: *mut Status, tag: c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let status = args::status_out(status);
            if checks {
                check::running()?;
            }
            if checks {
                check::pointer("status", status)?;
            }
            crate::calls::status::status_set_tag(status, tag)
        }
    };
    finish("MPI_Status_set_tag", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Test_cancelled(status: *const Status, flag: *mut c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let status = args::status(status);
            let flag = args::out(flag);
            if checks {
                check::running()?;
            }
            if checks {
                check::pointer("status", status)?;
                check::pointer("flag", flag)?;
            }
            crate::calls::status::test_cancelled(status, flag)
        }
    };
    finish("MPI_Test_cancelled", Origin::None, call())
}

std::arch::global_asm!(
    ".weak MPI_Get_count",
    ".set MPI_Get_count, PMPI_Get_count",
    ".weak MPI_Get_count_c",
    ".set MPI_Get_count_c, PMPI_Get_count_c",
    ".weak MPI_Get_elements",
    ".set MPI_Get_elements, PMPI_Get_elements",
    ".weak MPI_Get_elements_c",
    ".set MPI_Get_elements_c, PMPI_Get_elements_c",
    ".weak MPI_Get_elements_x",
    ".set MPI_Get_elements_x, PMPI_Get_elements_x",
    ".weak MPI_Status_get_error",
    ".set MPI_Status_get_error, PMPI_Status_get_error",
    ".weak MPI_Status_get_source",
    ".set MPI_Status_get_source, PMPI_Status_get_source",
    ".weak MPI_Status_get_tag",
    ".set MPI_Status_get_tag, PMPI_Status_get_tag",
    ".weak MPI_Status_set_cancelled",
    ".set MPI_Status_set_cancelled, PMPI_Status_set_cancelled",
    ".weak MPI_Status_set_elements",
    ".set MPI_Status_set_elements, PMPI_Status_set_elements",
    ".weak MPI_Status_set_elements_c",
    ".set MPI_Status_set_elements_c, PMPI_Status_set_elements_c",
    ".weak MPI_Status_set_elements_x",
    ".set MPI_Status_set_elements_x, PMPI_Status_set_elements_x",
    ".weak MPI_Status_set_error",
    ".set MPI_Status_set_error, PMPI_Status_set_error",
    ".weak MPI_Status_set_source",
    ".set MPI_Status_set_source, PMPI_Status_set_source",
    ".weak MPI_Status_set_tag",
    ".set MPI_Status_set_tag, PMPI_Status_set_tag",
    ".weak MPI_Test_cancelled",
    ".set MPI_Test_cancelled, PMPI_Test_cancelled",
);
