//! Entries of `crate::calls::buffer`. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

use crate::prelude::*;

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Buffer_attach(buffer: *mut c_void, size: c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let size = args::count(size);
            if checks {
                check::running()?;
            }
            if checks {
                check::size("size", size)?;
            }
            crate::calls::buffer::buffer_attach(buffer, size)
        }
    };
    finish("MPI_Buffer_attach", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Buffer_attach_c(buffer: *mut c_void, size: Count) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let size = args::count(size);
            if checks {
                check::running()?;
            }
            if checks {
                check::size("size", size)?;
            }
            crate::calls::buffer::buffer_attach(buffer, size)
        }
    };
    finish("MPI_Buffer_attach_c", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Buffer_detach(buffer_addr: *mut c_void, size: *mut c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let buffer_addr = args::pointer_out(buffer_addr);
            let size = args::count_out(size);
            if checks {
                check::running()?;
            }
            if checks {
                check::pointer("buffer_addr", buffer_addr)?;
                check::pointer("size", size)?;
            }
            crate::calls::buffer::buffer_detach(buffer_addr, size)
        }
    };
    finish("MPI_Buffer_detach", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Buffer_detach_c(buffer_addr: *mut c_void, size: *mut Count) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let buffer_addr = args::pointer_out(buffer_addr);
            let size = args::count_out(size);
            if checks {
                check::running()?;
            }
            if checks {
                check::pointer("buffer_addr", buffer_addr)?;
                check::pointer("size", size)?;
            }
            crate::calls::buffer::buffer_detach(buffer_addr, size)
        }
    };
    finish("MPI_Buffer_detach_c", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Buffer_flush() -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            crate::calls::buffer::buffer_flush()
        }
    };
    finish("MPI_Buffer_flush", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Buffer_iflush(request: *mut Request) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let request = args::out(request);
            if checks {
                check::running()?;
            }
            if checks {
                check::pointer("request", request)?;
            }
            crate::calls::buffer::buffer_iflush(request)
        }
    };
    finish("MPI_Buffer_iflush", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_attach_buffer(
    comm: Comm,
    buffer: *mut c_void,
    size: c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let size = args::count(size);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::size("size", size)?;
            }
            crate::calls::buffer::comm_attach_buffer(comm, buffer, size)
        }
    };
    finish("MPI_Comm_attach_buffer", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_attach_buffer_c(
    comm: Comm,
    buffer: *mut c_void,
    size: Count,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let size = args::count(size);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::size("size", size)?;
            }
            crate::calls::buffer::comm_attach_buffer(comm, buffer, size)
        }
    };
    finish("MPI_Comm_attach_buffer_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_detach_buffer(
    comm: Comm,
    buffer_addr: *mut c_void,
    size: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let buffer_addr = args::pointer_out(buffer_addr);
            let size = args::count_out(size);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::pointer("buffer_addr", buffer_addr)?;
                check::pointer("size", size)?;
            }
            crate::calls::buffer::comm_detach_buffer(comm, buffer_addr, size)
        }
    };
    finish("MPI_Comm_detach_buffer", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_detach_buffer_c(
    comm: Comm,
    buffer_addr: *mut c_void,
    size: *mut Count,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let buffer_addr = args::pointer_out(buffer_addr);
            let size = args::count_out(size);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::pointer("buffer_addr", buffer_addr)?;
                check::pointer("size", size)?;
            }
            crate::calls::buffer::comm_detach_buffer(comm, buffer_addr, size)
        }
    };
    finish("MPI_Comm_detach_buffer_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_flush_buffer(comm: Comm) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            crate::calls::buffer::comm_flush_buffer(comm)
        }
    };
    finish("MPI_Comm_flush_buffer", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_iflush_buffer(comm: Comm, request: *mut Request) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let request = args::out(request);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::pointer("request", request)?;
            }
            crate::calls::buffer::comm_iflush_buffer(comm, request)
        }
    };
    finish("MPI_Comm_iflush_buffer", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Session_attach_buffer(
    session: Session,
    buffer: *mut c_void,
    size: c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let size = args::count(size);
            if checks {
                check::running()?;
            }
            let session = check::session("session", session)?;
            if checks {
                check::size("size", size)?;
            }
            crate::calls::buffer::session_attach_buffer(session, buffer, size)
        }
    };
    finish("MPI_Session_attach_buffer", Origin::Session(session), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Session_attach_buffer_c(
    session: Session,
    buffer: *mut c_void,
    size: Count,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let size = args::count(size);
            if checks {
                check::running()?;
            }
            let session = check::session("session", session)?;
            if checks {
                check::size("size", size)?;
            }
            crate::calls::buffer::session_attach_buffer(session, buffer, size)
        }
    };
    finish("MPI_Session_attach_buffer_c", Origin::Session(session), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Session_detach_buffer(
    session: Session,
    buffer_addr: *mut c_void,
    size: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let buffer_addr = args::pointer_out(buffer_addr);
            let size = args::count_out(size);
            if checks {
                check::running()?;
            }
            let session = check::session("session", session)?;
            if checks {
                check::pointer("buffer_addr", buffer_addr)?;
                check::pointer("size", size)?;
            }
            crate::calls::buffer::session_detach_buffer(session, buffer_addr, size)
        }
    };
    finish("MPI_Session_detach_buffer", Origin::Session(session), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Session_detach_buffer_c(
    session: Session,
    buffer_addr: *mut c_void,
    size: *mut Count,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let buffer_addr = args::pointer_out(buffer_addr);
            let size = args::count_out(size);
            if checks {
                check::running()?;
            }
            let session = check::session("session", session)?;
            if checks {
                check::pointer("buffer_addr", buffer_addr)?;
                check::pointer("size", size)?;
            }
            crate::calls::buffer::session_detach_buffer(session, buffer_addr, size)
        }
    };
    finish("MPI_Session_detach_buffer_c", Origin::Session(session), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Session_flush_buffer(session: Session) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let session = check::session("session", session)?;
            crate::calls::buffer::session_flush_buffer(session)
        }
    };
    finish("MPI_Session_flush_buffer", Origin::Session(session), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Session_iflush_buffer(session: Session, request: *mut Request) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let request = args::out(request);
            if checks {
                check::running()?;
            }
            let session = check::session("session", session)?;
            if checks {
                check::pointer("request", request)?;
            }
            crate::calls::buffer::session_iflush_buffer(session, request)
        }
    };
    finish("MPI_Session_iflush_buffer", Origin::Session(session), call())
}

std::arch::global_asm!(
    ".weak MPI_Buffer_attach",
    ".set MPI_Buffer_attach, PMPI_Buffer_attach",
    ".weak MPI_Buffer_attach_c",
    ".set MPI_Buffer_attach_c, PMPI_Buffer_attach_c",
    ".weak MPI_Buffer_detach",
    ".set MPI_Buffer_detach, PMPI_Buffer_detach",
    ".weak MPI_Buffer_detach_c",
    ".set MPI_Buffer_detach_c, PMPI_Buffer_detach_c",
    ".weak MPI_Buffer_flush",
    ".set MPI_Buffer_flush, PMPI_Buffer_flush",
    ".weak MPI_Buffer_iflush",
    ".set MPI_Buffer_iflush, PMPI_Buffer_iflush",
    ".weak MPI_Comm_attach_buffer",
    ".set MPI_Comm_attach_buffer, PMPI_Comm_attach_buffer",
    ".weak MPI_Comm_attach_buffer_c",
    ".set MPI_Comm_attach_buffer_c, PMPI_Comm_attach_buffer_c",
    ".weak MPI_Comm_detach_buffer",
    ".set MPI_Comm_detach_buffer, PMPI_Comm_detach_buffer",
    ".weak MPI_Comm_detach_buffer_c",
    ".set MPI_Comm_detach_buffer_c, PMPI_Comm_detach_buffer_c",
    ".weak MPI_Comm_flush_buffer",
    ".set MPI_Comm_flush_buffer, PMPI_Comm_flush_buffer",
    ".weak MPI_Comm_iflush_buffer",
    ".set MPI_Comm_iflush_buffer, PMPI_Comm_iflush_buffer",
    ".weak MPI_Session_attach_buffer",
    ".set MPI_Session_attach_buffer, PMPI_Session_attach_buffer",
    ".weak MPI_Session_attach_buffer_c",
    ".set MPI_Session_attach_buffer_c, PMPI_Session_attach_buffer_c",
    ".weak MPI_Session_detach_buffer",
    ".set MPI_Session_detach_buffer, PMPI_Session_detach_buffer",
    ".weak MPI_Session_detach_buffer_c",
    ".set MPI_Session_detach_buffer_c, PMPI_Session_detach_buffer_c",
    ".weak MPI_Session_flush_buffer",
    ".set MPI_Session_flush_buffer, PMPI_Session_flush_buffer",
    ".weak MPI_Session_iflush_buffer",
    ".set MPI_Session_iflush_buffer, PMPI_Session_iflush_buffer",
);
