//! Entries of `crate::calls::grequest`. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

use crate::abi::prelude::*;

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Grequest_complete(request: Request) -> c_int {
    unsupported("MPI_Grequest_complete", Origin::Request(request))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Grequest_start(
    _query_fn: Option<GrequestQueryFunction>,
    _free_fn: Option<GrequestFreeFunction>,
    _cancel_fn: Option<GrequestCancelFunction>,
    _extra_state: *mut c_void,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Grequest_start", Origin::None)
}

std::arch::global_asm!(
    ".weak MPI_Grequest_complete",
    ".set MPI_Grequest_complete, PMPI_Grequest_complete",
    ".weak MPI_Grequest_start",
    ".set MPI_Grequest_start, PMPI_Grequest_start",
);
