//! Entries of `crate::calls::grequest`. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

use crate::prelude::*;

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Grequest_complete(request: Request) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let request = check::request_object("request", request)?;
            crate::calls::grequest::grequest_complete(request)
        }
    };
    finish("MPI_Grequest_complete", Origin::Request(request), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Grequest_start(
    query_fn: Option<GrequestQueryFunction>,
    free_fn: Option<GrequestFreeFunction>,
    cancel_fn: Option<GrequestCancelFunction>,
    extra_state: *mut c_void,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let request = args::out(request);
            if checks {
                check::running()?;
            }
            if checks {
                check::callback("query_fn", query_fn)?;
                check::callback("free_fn", free_fn)?;
                check::callback("cancel_fn", cancel_fn)?;
                check::pointer("request", request)?;
            }
            crate::calls::grequest::grequest_start(
                query_fn,
                free_fn,
                cancel_fn,
                extra_state,
                request,
            )
        }
    };
    finish("MPI_Grequest_start", Origin::None, call())
}

std::arch::global_asm!(
    ".weak MPI_Grequest_complete",
    ".set MPI_Grequest_complete, PMPI_Grequest_complete",
    ".weak MPI_Grequest_start",
    ".set MPI_Grequest_start, PMPI_Grequest_start",
);
