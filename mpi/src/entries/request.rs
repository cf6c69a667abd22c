//! Entries of `crate::calls::request`. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

use crate::prelude::*;

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Cancel(request: *mut Request) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let request = args::inout(request);
            if checks {
                check::running()?;
            }
            let request = check::request_object_io("request", request)?;
            crate::calls::request::cancel(request)
        }
    };
    // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
    let held = unsafe { args::held(request, MPI_REQUEST_NULL) };
    finish("MPI_Cancel", Origin::Request(held), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Request_free(request: *mut Request) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let request = args::inout(request);
            if checks {
                check::running()?;
            }
            let request = check::request_object_io("request", request)?;
            crate::calls::request::request_free(request)
        }
    };
    // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
    let held = unsafe { args::held(request, MPI_REQUEST_NULL) };
    finish("MPI_Request_free", Origin::Request(held), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Request_get_status(
    request: Request,
    flag: *mut c_int,
    status: *mut Status,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let flag = args::out(flag);
            let status = args::status_out(status);
            if checks {
                check::running()?;
            }
            let request = check::request("request", request)?;
            if checks {
                check::pointer("flag", flag)?;
            }
            crate::calls::request::request_get_status(request, flag, status)
        }
    };
    finish("MPI_Request_get_status", Origin::Request(request), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Request_get_status_all(
    count: c_int,
    array_of_requests: *const Request,
    flag: *mut c_int,
    array_of_statuses: *mut Status,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let flag = args::out(flag);
            if checks {
                check::running()?;
            }
            if checks {
                check::length("count", count)?;
                check::pointer("flag", flag)?;
            }
            let array_of_requests = {
                let length = args::length(count);
                check::array("array_of_requests", array_of_requests, length)?;
                args::slice(array_of_requests, length)
            };
            let array_of_statuses = {
                let length = args::length(count);
                args::statuses_out(array_of_statuses, length)
            };
            if checks {
                check::requests("array_of_requests", array_of_requests)?;
            }
            crate::calls::request::request_get_status_all(
                count,
                array_of_requests,
                flag,
                array_of_statuses,
            )
        }
    };
    finish("MPI_Request_get_status_all", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Request_get_status_any(
    count: c_int,
    array_of_requests: *const Request,
    indx: *mut c_int,
    flag: *mut c_int,
    status: *mut Status,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let indx = args::out(indx);
            let flag = args::out(flag);
            let status = args::status_out(status);
            if checks {
                check::running()?;
            }
            if checks {
                check::length("count", count)?;
                check::pointer("indx", indx)?;
                check::pointer("flag", flag)?;
            }
            let array_of_requests = {
                let length = args::length(count);
                check::array("array_of_requests", array_of_requests, length)?;
                args::slice(array_of_requests, length)
            };
            if checks {
                check::requests("array_of_requests", array_of_requests)?;
            }
            crate::calls::request::request_get_status_any(
                count,
                array_of_requests,
                indx,
                flag,
                status,
            )
        }
    };
    finish("MPI_Request_get_status_any", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Request_get_status_some(
    incount: c_int,
    array_of_requests: *const Request,
    outcount: *mut c_int,
    array_of_indices: *mut c_int,
    array_of_statuses: *mut Status,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let outcount = args::out(outcount);
            if checks {
                check::running()?;
            }
            if checks {
                check::length("incount", incount)?;
                check::pointer("outcount", outcount)?;
            }
            let array_of_requests = {
                let length = args::length(incount);
                check::array("array_of_requests", array_of_requests, length)?;
                args::slice(array_of_requests, length)
            };
            let array_of_indices = {
                let length = args::length(incount);
                check::array("array_of_indices", array_of_indices, length)?;
                args::slice_mut(array_of_indices, length)
            };
            let array_of_statuses = {
                let length = args::length(incount);
                args::statuses_out(array_of_statuses, length)
            };
            if checks {
                check::requests("array_of_requests", array_of_requests)?;
            }
            crate::calls::request::request_get_status_some(
                incount,
                array_of_requests,
                outcount,
                array_of_indices,
                array_of_statuses,
            )
        }
    };
    finish("MPI_Request_get_status_some", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Start(request: *mut Request) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let request = args::inout(request);
            if checks {
                check::running()?;
            }
            let request = check::request_object_io("request", request)?;
            crate::calls::request::start(request)
        }
    };
    // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
    let held = unsafe { args::held(request, MPI_REQUEST_NULL) };
    finish("MPI_Start", Origin::Request(held), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Startall(count: c_int, array_of_requests: *mut Request) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            if checks {
                check::length("count", count)?;
            }
            let array_of_requests = {
                let length = args::length(count);
                check::array("array_of_requests", array_of_requests, length)?;
                args::slice_mut(array_of_requests, length)
            };
            if checks {
                check::request_objects("array_of_requests", &*array_of_requests)?;
            }
            crate::calls::request::startall(count, array_of_requests)
        }
    };
    finish("MPI_Startall", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Test(
    request: *mut Request,
    flag: *mut c_int,
    status: *mut Status,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let request = args::inout(request);
            let flag = args::out(flag);
            let status = args::status_out(status);
            if checks {
                check::running()?;
            }
            let request = check::request_io("request", request)?;
            if checks {
                check::pointer("flag", flag)?;
            }
            crate::calls::request::test(request, flag, status)
        }
    };
    finish("MPI_Test", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Testall(
    count: c_int,
    array_of_requests: *mut Request,
    flag: *mut c_int,
    array_of_statuses: *mut Status,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let flag = args::out(flag);
            if checks {
                check::running()?;
            }
            if checks {
                check::length("count", count)?;
                check::pointer("flag", flag)?;
            }
            let array_of_requests = {
                let length = args::length(count);
                check::array("array_of_requests", array_of_requests, length)?;
                args::slice_mut(array_of_requests, length)
            };
            let array_of_statuses = {
                let length = args::length(count);
                args::statuses_out(array_of_statuses, length)
            };
            if checks {
                check::requests("array_of_requests", &*array_of_requests)?;
            }
            crate::calls::request::testall(count, array_of_requests, flag, array_of_statuses)
        }
    };
    finish("MPI_Testall", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Testany(
    count: c_int,
    array_of_requests: *mut Request,
    indx: *mut c_int,
    flag: *mut c_int,
    status: *mut Status,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let indx = args::out(indx);
            let flag = args::out(flag);
            let status = args::status_out(status);
            if checks {
                check::running()?;
            }
            if checks {
                check::length("count", count)?;
                check::pointer("indx", indx)?;
                check::pointer("flag", flag)?;
            }
            let array_of_requests = {
                let length = args::length(count);
                check::array("array_of_requests", array_of_requests, length)?;
                args::slice_mut(array_of_requests, length)
            };
            if checks {
                check::requests("array_of_requests", &*array_of_requests)?;
            }
            crate::calls::request::testany(count, array_of_requests, indx, flag, status)
        }
    };
    finish("MPI_Testany", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Testsome(
    incount: c_int,
    array_of_requests: *mut Request,
    outcount: *mut c_int,
    array_of_indices: *mut c_int,
    array_of_statuses: *mut Status,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let outcount = args::out(outcount);
            if checks {
                check::running()?;
            }
            if checks {
                check::length("incount", incount)?;
                check::pointer("outcount", outcount)?;
            }
            let array_of_requests = {
                let length = args::length(incount);
                check::array("array_of_requests", array_of_requests, length)?;
                args::slice_mut(array_of_requests, length)
            };
            let array_of_indices = {
                let length = args::length(incount);
                check::array("array_of_indices", array_of_indices, length)?;
                args::slice_mut(array_of_indices, length)
            };
            let array_of_statuses = {
                let length = args::length(incount);
                args::statuses_out(array_of_statuses, length)
            };
            if checks {
                check::requests("array_of_requests", &*array_of_requests)?;
            }
            crate::calls::request::testsome(
                incount,
                array_of_requests,
                outcount,
                array_of_indices,
                array_of_statuses,
            )
        }
    };
    finish("MPI_Testsome", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Wait(request: *mut Request, status: *mut Status) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let request = args::inout(request);
            let status = args::status_out(status);
            if checks {
                check::running()?;
            }
            let request = check::request_io("request", request)?;
            crate::calls::request::wait(request, status)
        }
    };
    finish("MPI_Wait", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Waitall(
    count: c_int,
    array_of_requests: *mut Request,
    array_of_statuses: *mut Status,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            if checks {
                check::length("count", count)?;
            }
            let array_of_requests = {
                let length = args::length(count);
                check::array("array_of_requests", array_of_requests, length)?;
                args::slice_mut(array_of_requests, length)
            };
            let array_of_statuses = {
                let length = args::length(count);
                args::statuses_out(array_of_statuses, length)
            };
            if checks {
                check::requests("array_of_requests", &*array_of_requests)?;
            }
            crate::calls::request::waitall(count, array_of_requests, array_of_statuses)
        }
    };
    finish("MPI_Waitall", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Waitany(
    count: c_int,
    array_of_requests: *mut Request,
    indx: *mut c_int,
    status: *mut Status,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let indx = args::out(indx);
            let status = args::status_out(status);
            if checks {
                check::running()?;
            }
            if checks {
                check::length("count", count)?;
                check::pointer("indx", indx)?;
            }
            let array_of_requests = {
                let length = args::length(count);
                check::array("array_of_requests", array_of_requests, length)?;
                args::slice_mut(array_of_requests, length)
            };
            if checks {
                check::requests("array_of_requests", &*array_of_requests)?;
            }
            crate::calls::request::waitany(count, array_of_requests, indx, status)
        }
    };
    finish("MPI_Waitany", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Waitsome(
    incount: c_int,
    array_of_requests: *mut Request,
    outcount: *mut c_int,
    array_of_indices: *mut c_int,
    array_of_statuses: *mut Status,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let outcount = args::out(outcount);
            if checks {
                check::running()?;
            }
            if checks {
                check::length("incount", incount)?;
                check::pointer("outcount", outcount)?;
            }
            let array_of_requests = {
                let length = args::length(incount);
                check::array("array_of_requests", array_of_requests, length)?;
                args::slice_mut(array_of_requests, length)
            };
            let array_of_indices = {
                let length = args::length(incount);
                check::array("array_of_indices", array_of_indices, length)?;
                args::slice_mut(array_of_indices, length)
            };
            let array_of_statuses = {
                let length = args::length(incount);
                args::statuses_out(array_of_statuses, length)
            };
            if checks {
                check::requests("array_of_requests", &*array_of_requests)?;
            }
            crate::calls::request::waitsome(
                incount,
                array_of_requests,
                outcount,
                array_of_indices,
                array_of_statuses,
            )
        }
    };
    finish("MPI_Waitsome", Origin::None, call())
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
