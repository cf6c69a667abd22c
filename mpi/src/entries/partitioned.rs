//! Entries of `crate::calls::partitioned`. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

use crate::prelude::*;

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Parrived(request: Request, partition: c_int, flag: *mut c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let flag = args::out(flag);
            if checks {
                check::running()?;
            }
            let request = check::request_object("request", request)?;
            if checks {
                check::pointer("flag", flag)?;
            }
            crate::calls::partitioned::parrived(request, partition, flag)
        }
    };
    finish("MPI_Parrived", Origin::Request(request), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Pready(partition: c_int, request: Request) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let request = check::request_object("request", request)?;
            crate::calls::partitioned::pready(partition, request)
        }
    };
    finish("MPI_Pready", Origin::Request(request), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Pready_list(
    length: c_int,
    array_of_partitions: *const c_int,
    request: Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let request = check::request_object("request", request)?;
            if checks {
                check::length("length", length)?;
            }
            let array_of_partitions = {
                let length = args::length(length);
                check::array("array_of_partitions", array_of_partitions, length)?;
                args::slice(array_of_partitions, length)
            };
            crate::calls::partitioned::pready_list(length, array_of_partitions, request)
        }
    };
    finish("MPI_Pready_list", Origin::Request(request), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Pready_range(
    partition_low: c_int,
    partition_high: c_int,
    request: Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let request = check::request_object("request", request)?;
            crate::calls::partitioned::pready_range(partition_low, partition_high, request)
        }
    };
    finish("MPI_Pready_range", Origin::Request(request), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Precv_init(
    buf: *mut c_void,
    partitions: c_int,
    count: c_int,
    datatype: Datatype,
    dest: c_int,
    tag: c_int,
    comm: Comm,
    info: Info,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            let request = args::out(request);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            let info = check::info("info", info)?;
            let uses_dest = dest != MPI_PROC_NULL;
            let datatype = if uses_dest {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_dest {
                    check::buffer("buf", buf, count, datatype)?;
                }
                check::length("partitions", partitions)?;
                check::count("count", count)?;
                check::dest("dest", dest, comm.peers())?;
                check::tag("tag", tag)?;
                check::pointer("request", request)?;
            }
            crate::calls::partitioned::precv_init(
                buf, partitions, count, datatype, dest, tag, comm, info, request,
            )
        }
    };
    finish("MPI_Precv_init", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Precv_init_c(
    buf: *mut c_void,
    partitions: c_int,
    count: Count,
    datatype: Datatype,
    dest: c_int,
    tag: c_int,
    comm: Comm,
    info: Info,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            let request = args::out(request);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            let info = check::info("info", info)?;
            let uses_dest = dest != MPI_PROC_NULL;
            let datatype = if uses_dest {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_dest {
                    check::buffer("buf", buf, count, datatype)?;
                }
                check::length("partitions", partitions)?;
                check::count("count", count)?;
                check::dest("dest", dest, comm.peers())?;
                check::tag("tag", tag)?;
                check::pointer("request", request)?;
            }
            crate::calls::partitioned::precv_init(
                buf, partitions, count, datatype, dest, tag, comm, info, request,
            )
        }
    };
    finish("MPI_Precv_init_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Psend_init(
    buf: *const c_void,
    partitions: c_int,
    count: c_int,
    datatype: Datatype,
    dest: c_int,
    tag: c_int,
    comm: Comm,
    info: Info,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            let request = args::out(request);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            let info = check::info("info", info)?;
            let uses_dest = dest != MPI_PROC_NULL;
            let datatype = if uses_dest {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_dest {
                    check::buffer("buf", buf, count, datatype)?;
                }
                check::length("partitions", partitions)?;
                check::count("count", count)?;
                check::dest("dest", dest, comm.peers())?;
                check::tag("tag", tag)?;
                check::pointer("request", request)?;
            }
            crate::calls::partitioned::psend_init(
                buf, partitions, count, datatype, dest, tag, comm, info, request,
            )
        }
    };
    finish("MPI_Psend_init", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Psend_init_c(
    buf: *const c_void,
    partitions: c_int,
    count: Count,
    datatype: Datatype,
    dest: c_int,
    tag: c_int,
    comm: Comm,
    info: Info,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            let request = args::out(request);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            let info = check::info("info", info)?;
            let uses_dest = dest != MPI_PROC_NULL;
            let datatype = if uses_dest {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_dest {
                    check::buffer("buf", buf, count, datatype)?;
                }
                check::length("partitions", partitions)?;
                check::count("count", count)?;
                check::dest("dest", dest, comm.peers())?;
                check::tag("tag", tag)?;
                check::pointer("request", request)?;
            }
            crate::calls::partitioned::psend_init(
                buf, partitions, count, datatype, dest, tag, comm, info, request,
            )
        }
    };
    finish("MPI_Psend_init_c", Origin::Comm(comm), call())
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
