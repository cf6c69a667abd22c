//! Entries of `crate::calls::session`. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

use crate::prelude::*;

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Session_finalize(session: *mut Session) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let session = args::inout(session);
            if checks {
                check::running()?;
            }
            if checks {
                check::session_io("session", session)?;
            }
            crate::calls::session::session_finalize(session)
        }
    };
    // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
    let held = unsafe { args::held(session, MPI_SESSION_NULL) };
    finish("MPI_Session_finalize", Origin::Session(held), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Session_get_info(session: Session, info_used: *mut Info) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let info_used = args::out(info_used);
            if checks {
                check::running()?;
            }
            let session = check::session("session", session)?;
            if checks {
                check::pointer("info_used", info_used)?;
            }
            crate::calls::session::session_get_info(session, info_used)
        }
    };
    finish("MPI_Session_get_info", Origin::Session(session), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Session_get_nth_pset(
    session: Session,
    info: Info,
    n: c_int,
    pset_len: *mut c_int,
    pset_name: *mut c_char,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let pset_len = args::inout(pset_len);
            if checks {
                check::running()?;
            }
            let session = check::session("session", session)?;
            let info = check::info("info", info)?;
            if checks {
                check::pointer("pset_len", pset_len)?;
            }
            crate::calls::session::session_get_nth_pset(session, info, n, pset_len, pset_name)
        }
    };
    finish("MPI_Session_get_nth_pset", Origin::Session(session), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Session_get_num_psets(
    session: Session,
    info: Info,
    npset_names: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let npset_names = args::out(npset_names);
            if checks {
                check::running()?;
            }
            let session = check::session("session", session)?;
            let info = check::info("info", info)?;
            if checks {
                check::pointer("npset_names", npset_names)?;
            }
            crate::calls::session::session_get_num_psets(session, info, npset_names)
        }
    };
    finish("MPI_Session_get_num_psets", Origin::Session(session), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Session_get_pset_info(
    session: Session,
    pset_name: *const c_char,
    info: *mut Info,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let info = args::out(info);
            if checks {
                check::running()?;
            }
            let session = check::session("session", session)?;
            if checks {
                check::pointer("pset_name", pset_name)?;
                check::pointer("info", info)?;
            }
            let pset_name = args::text(pset_name);
            crate::calls::session::session_get_pset_info(session, pset_name, info)
        }
    };
    finish("MPI_Session_get_pset_info", Origin::Session(session), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Session_init(
    info: Info,
    errhandler: Errhandler,
    session: *mut Session,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let session = args::out(session);
            let info = check::info("info", info)?;
            let errhandler = check::errhandler("errhandler", errhandler)?;
            if checks {
                check::pointer("session", session)?;
            }
            crate::calls::session::session_init(info, errhandler, session)
        }
    };
    finish("MPI_Session_init", Origin::Handler(errhandler), call())
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
