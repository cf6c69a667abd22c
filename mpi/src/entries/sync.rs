//! Entries of `crate::calls::sync`. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

use crate::prelude::*;

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPIX_Sync_attach(
    sync: XSync,
    request: *mut Request,
    completion_data: *mut c_void,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let request = args::inout(request);
            if checks {
                check::running()?;
            }
            let request = check::request_object_io("request", request)?;
            if checks {
                check::sync("sync", sync)?;
            }
            crate::calls::sync::sync_attach(sync, request, completion_data)
        }
    };
    // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
    let held = unsafe { args::held(request, MPI_REQUEST_NULL) };
    finish("MPIX_Sync_attach", Origin::Request(held), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPIX_Sync_detach(sync: XSync, request: *mut Request) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let request = args::inout(request);
            if checks {
                check::running()?;
            }
            let request = check::request_object_io("request", request)?;
            if checks {
                check::sync("sync", sync)?;
            }
            crate::calls::sync::sync_detach(sync, request)
        }
    };
    // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
    let held = unsafe { args::held(request, MPI_REQUEST_NULL) };
    finish("MPIX_Sync_detach", Origin::Request(held), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPIX_Sync_free(sync: *mut XSync) {
    // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
    unsafe {
        let sync = args::inout(sync);
        crate::calls::sync::sync_free(sync)
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPIX_Sync_init(sync: *mut XSync) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let sync = args::out(sync);
            if checks {
                check::running()?;
            }
            if checks {
                check::pointer("sync", sync)?;
            }
            crate::calls::sync::sync_init(sync)
        }
    };
    finish("MPIX_Sync_init", Origin::None, call())
}

#[unsafe(no_mangle)]
extern "C" fn PMPIX_Sync_probe(sync: XSync) -> c_int {
    crate::calls::sync::sync_probe(sync)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPIX_Sync_query(sync: XSync, status: *mut Status) -> *mut c_void {
    // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
    unsafe {
        let status = args::status_out(status);
        crate::calls::sync::sync_query(sync, status)
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPIX_Sync_query_bulk(
    incount: c_int,
    sync: XSync,
    outcount: *mut c_int,
    cbdata: *mut *mut c_void,
    status: *mut Status,
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
                check::sync("sync", sync)?;
                check::pointer("outcount", outcount)?;
            }
            let cbdata = {
                let length = args::length(incount);
                check::array("cbdata", cbdata, length)?;
                args::slice_mut(cbdata, length)
            };
            let status = {
                let length = args::length(incount);
                args::statuses_out(status, length)
            };
            crate::calls::sync::sync_query_bulk(incount, sync, outcount, cbdata, status)
        }
    };
    finish("MPIX_Sync_query_bulk", Origin::None, call())
}

#[unsafe(no_mangle)]
extern "C" fn PMPIX_Sync_size(sync: XSync) -> c_int {
    crate::calls::sync::sync_size(sync)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPIX_Sync_waitall(sync: XSync) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            if checks {
                check::sync("sync", sync)?;
            }
            crate::calls::sync::sync_waitall(sync)
        }
    };
    finish("MPIX_Sync_waitall", Origin::None, call())
}

#[unsafe(no_mangle)]
extern "C" fn PMPIX_Progress() {
    crate::calls::sync::progress()
}

std::arch::global_asm!(
    ".weak MPIX_Sync_attach",
    ".set MPIX_Sync_attach, PMPIX_Sync_attach",
    ".weak MPIX_Sync_detach",
    ".set MPIX_Sync_detach, PMPIX_Sync_detach",
    ".weak MPIX_Sync_free",
    ".set MPIX_Sync_free, PMPIX_Sync_free",
    ".weak MPIX_Sync_init",
    ".set MPIX_Sync_init, PMPIX_Sync_init",
    ".weak MPIX_Sync_probe",
    ".set MPIX_Sync_probe, PMPIX_Sync_probe",
    ".weak MPIX_Sync_query",
    ".set MPIX_Sync_query, PMPIX_Sync_query",
    ".weak MPIX_Sync_query_bulk",
    ".set MPIX_Sync_query_bulk, PMPIX_Sync_query_bulk",
    ".weak MPIX_Sync_size",
    ".set MPIX_Sync_size, PMPIX_Sync_size",
    ".weak MPIX_Sync_waitall",
    ".set MPIX_Sync_waitall, PMPIX_Sync_waitall",
    ".weak MPIX_Progress",
    ".set MPIX_Progress, PMPIX_Progress",
);
