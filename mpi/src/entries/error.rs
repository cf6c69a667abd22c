//! Entries of `crate::calls::error`. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

use crate::prelude::*;

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Add_error_class(errorclass: *mut c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let errorclass = args::out(errorclass);
            if checks {
                check::pointer("errorclass", errorclass)?;
            }
            crate::calls::error::add_error_class(errorclass)
        }
    };
    finish("MPI_Add_error_class", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Add_error_code(errorclass: c_int, errorcode: *mut c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let errorcode = args::out(errorcode);
            if checks {
                check::pointer("errorcode", errorcode)?;
            }
            crate::calls::error::add_error_code(errorclass, errorcode)
        }
    };
    finish("MPI_Add_error_code", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Add_error_string(errorcode: c_int, string: *const c_char) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::pointer("string", string)?;
            }
            let string = args::text(string);
            crate::calls::error::add_error_string(errorcode, string)
        }
    };
    finish("MPI_Add_error_string", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_call_errhandler(comm: Comm, errorcode: c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            crate::calls::error::comm_call_errhandler(comm, errorcode)
        }
    };
    finish("MPI_Comm_call_errhandler", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_create_errhandler(
    comm_errhandler_fn: Option<CommErrhandlerFunction>,
    errhandler: *mut Errhandler,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let errhandler = args::out(errhandler);
            if checks {
                check::running()?;
            }
            if checks {
                check::callback("comm_errhandler_fn", comm_errhandler_fn)?;
                check::pointer("errhandler", errhandler)?;
            }
            crate::calls::error::comm_create_errhandler(comm_errhandler_fn, errhandler)
        }
    };
    finish("MPI_Comm_create_errhandler", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_get_errhandler(comm: Comm, errhandler: *mut Errhandler) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let errhandler = args::out(errhandler);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::pointer("errhandler", errhandler)?;
            }
            crate::calls::error::comm_get_errhandler(comm, errhandler)
        }
    };
    finish("MPI_Comm_get_errhandler", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_set_errhandler(comm: Comm, errhandler: Errhandler) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            let errhandler = check::errhandler("errhandler", errhandler)?;
            crate::calls::error::comm_set_errhandler(comm, errhandler)
        }
    };
    finish("MPI_Comm_set_errhandler", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Errhandler_free(errhandler: *mut Errhandler) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let errhandler = args::inout(errhandler);
            if checks {
                check::errhandler_io("errhandler", errhandler)?;
            }
            crate::calls::error::errhandler_free(errhandler)
        }
    };
    finish("MPI_Errhandler_free", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Error_class(errorcode: c_int, errorclass: *mut c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let errorclass = args::out(errorclass);
            if checks {
                check::pointer("errorclass", errorclass)?;
            }
            crate::calls::error::error_class(errorcode, errorclass)
        }
    };
    finish("MPI_Error_class", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Error_string(
    errorcode: c_int,
    string: *mut c_char,
    resultlen: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let resultlen = args::out(resultlen);
            if checks {
                check::pointer("string", string)?;
                check::pointer("resultlen", resultlen)?;
            }
            let string = {
                let length = args::length(MPI_MAX_ERROR_STRING);
                args::text_out(string, length)
            };
            crate::calls::error::error_string(errorcode, string, resultlen)
        }
    };
    finish("MPI_Error_string", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Remove_error_class(errorclass: c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe { crate::calls::error::remove_error_class(errorclass) }
    };
    finish("MPI_Remove_error_class", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Remove_error_code(errorcode: c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe { crate::calls::error::remove_error_code(errorcode) }
    };
    finish("MPI_Remove_error_code", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Remove_error_string(errorcode: c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe { crate::calls::error::remove_error_string(errorcode) }
    };
    finish("MPI_Remove_error_string", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Session_call_errhandler(session: Session, errorcode: c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let session = check::session("session", session)?;
            crate::calls::error::session_call_errhandler(session, errorcode)
        }
    };
    finish("MPI_Session_call_errhandler", Origin::Session(session), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Session_create_errhandler(
    session_errhandler_fn: Option<SessionErrhandlerFunction>,
    errhandler: *mut Errhandler,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let errhandler = args::out(errhandler);
            if checks {
                check::callback("session_errhandler_fn", session_errhandler_fn)?;
                check::pointer("errhandler", errhandler)?;
            }
            crate::calls::error::session_create_errhandler(session_errhandler_fn, errhandler)
        }
    };
    finish("MPI_Session_create_errhandler", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Session_get_errhandler(
    session: Session,
    errhandler: *mut Errhandler,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let errhandler = args::out(errhandler);
            if checks {
                check::running()?;
            }
            let session = check::session("session", session)?;
            if checks {
                check::pointer("errhandler", errhandler)?;
            }
            crate::calls::error::session_get_errhandler(session, errhandler)
        }
    };
    finish("MPI_Session_get_errhandler", Origin::Session(session), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Session_set_errhandler(
    session: Session,
    errhandler: Errhandler,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let session = check::session("session", session)?;
            let errhandler = check::errhandler("errhandler", errhandler)?;
            crate::calls::error::session_set_errhandler(session, errhandler)
        }
    };
    finish("MPI_Session_set_errhandler", Origin::Session(session), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_call_errhandler(win: Win, errorcode: c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let win = check::win("win", win)?;
            crate::calls::error::win_call_errhandler(win, errorcode)
        }
    };
    finish("MPI_Win_call_errhandler", Origin::Win(win), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_create_errhandler(
    win_errhandler_fn: Option<WinErrhandlerFunction>,
    errhandler: *mut Errhandler,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let errhandler = args::out(errhandler);
            if checks {
                check::running()?;
            }
            if checks {
                check::callback("win_errhandler_fn", win_errhandler_fn)?;
                check::pointer("errhandler", errhandler)?;
            }
            crate::calls::error::win_create_errhandler(win_errhandler_fn, errhandler)
        }
    };
    finish("MPI_Win_create_errhandler", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_get_errhandler(win: Win, errhandler: *mut Errhandler) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let errhandler = args::out(errhandler);
            if checks {
                check::running()?;
            }
            let win = check::win("win", win)?;
            if checks {
                check::pointer("errhandler", errhandler)?;
            }
            crate::calls::error::win_get_errhandler(win, errhandler)
        }
    };
    finish("MPI_Win_get_errhandler", Origin::Win(win), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_set_errhandler(win: Win, errhandler: Errhandler) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let win = check::win("win", win)?;
            let errhandler = check::errhandler("errhandler", errhandler)?;
            crate::calls::error::win_set_errhandler(win, errhandler)
        }
    };
    finish("MPI_Win_set_errhandler", Origin::Win(win), call())
}

std::arch::global_asm!(
    ".weak MPI_Add_error_class",
    ".set MPI_Add_error_class, PMPI_Add_error_class",
    ".weak MPI_Add_error_code",
    ".set MPI_Add_error_code, PMPI_Add_error_code",
    ".weak MPI_Add_error_string",
    ".set MPI_Add_error_string, PMPI_Add_error_string",
    ".weak MPI_Comm_call_errhandler",
    ".set MPI_Comm_call_errhandler, PMPI_Comm_call_errhandler",
    ".weak MPI_Comm_create_errhandler",
    ".set MPI_Comm_create_errhandler, PMPI_Comm_create_errhandler",
    ".weak MPI_Comm_get_errhandler",
    ".set MPI_Comm_get_errhandler, PMPI_Comm_get_errhandler",
    ".weak MPI_Comm_set_errhandler",
    ".set MPI_Comm_set_errhandler, PMPI_Comm_set_errhandler",
    ".weak MPI_Errhandler_free",
    ".set MPI_Errhandler_free, PMPI_Errhandler_free",
    ".weak MPI_Error_class",
    ".set MPI_Error_class, PMPI_Error_class",
    ".weak MPI_Error_string",
    ".set MPI_Error_string, PMPI_Error_string",
    ".weak MPI_Remove_error_class",
    ".set MPI_Remove_error_class, PMPI_Remove_error_class",
    ".weak MPI_Remove_error_code",
    ".set MPI_Remove_error_code, PMPI_Remove_error_code",
    ".weak MPI_Remove_error_string",
    ".set MPI_Remove_error_string, PMPI_Remove_error_string",
    ".weak MPI_Session_call_errhandler",
    ".set MPI_Session_call_errhandler, PMPI_Session_call_errhandler",
    ".weak MPI_Session_create_errhandler",
    ".set MPI_Session_create_errhandler, PMPI_Session_create_errhandler",
    ".weak MPI_Session_get_errhandler",
    ".set MPI_Session_get_errhandler, PMPI_Session_get_errhandler",
    ".weak MPI_Session_set_errhandler",
    ".set MPI_Session_set_errhandler, PMPI_Session_set_errhandler",
    ".weak MPI_Win_call_errhandler",
    ".set MPI_Win_call_errhandler, PMPI_Win_call_errhandler",
    ".weak MPI_Win_create_errhandler",
    ".set MPI_Win_create_errhandler, PMPI_Win_create_errhandler",
    ".weak MPI_Win_get_errhandler",
    ".set MPI_Win_get_errhandler, PMPI_Win_get_errhandler",
    ".weak MPI_Win_set_errhandler",
    ".set MPI_Win_set_errhandler, PMPI_Win_set_errhandler",
);
