//! Entries of `crate::calls::env`. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

use crate::prelude::*;

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Abort(comm: Comm, errorcode: c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            crate::calls::env::abort(comm, errorcode)
        }
    };
    finish("MPI_Abort", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Alloc_mem(size: Aint, info: Info, baseptr: *mut c_void) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let baseptr = args::pointer_out(baseptr);
            if checks {
                check::running()?;
            }
            let info = check::info("info", info)?;
            if checks {
                check::memory_size("size", size)?;
                check::pointer("baseptr", baseptr)?;
            }
            crate::calls::env::alloc_mem(size, info, baseptr)
        }
    };
    finish("MPI_Alloc_mem", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Finalize() -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            crate::calls::env::finalize()
        }
    };
    finish("MPI_Finalize", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Finalized(flag: *mut c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let flag = args::out(flag);
            if checks {
                check::pointer("flag", flag)?;
            }
            crate::calls::env::finalized(flag)
        }
    };
    finish("MPI_Finalized", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Free_mem(base: *mut c_void) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            crate::calls::env::free_mem(base)
        }
    };
    finish("MPI_Free_mem", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Get_hw_resource_info(hw_info: *mut Info) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let hw_info = args::out(hw_info);
            if checks {
                check::pointer("hw_info", hw_info)?;
            }
            crate::calls::env::get_hw_resource_info(hw_info)
        }
    };
    finish("MPI_Get_hw_resource_info", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Get_library_version(
    version: *mut c_char,
    resultlen: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let resultlen = args::out(resultlen);
            if checks {
                check::pointer("version", version)?;
                check::pointer("resultlen", resultlen)?;
            }
            let version = {
                let length = args::length(MPI_MAX_LIBRARY_VERSION_STRING);
                args::text_out(version, length)
            };
            crate::calls::env::get_library_version(version, resultlen)
        }
    };
    finish("MPI_Get_library_version", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Get_processor_name(name: *mut c_char, resultlen: *mut c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let resultlen = args::out(resultlen);
            if checks {
                check::running()?;
            }
            if checks {
                check::pointer("name", name)?;
                check::pointer("resultlen", resultlen)?;
            }
            let name = {
                let length = args::length(MPI_MAX_PROCESSOR_NAME);
                args::text_out(name, length)
            };
            crate::calls::env::get_processor_name(name, resultlen)
        }
    };
    finish("MPI_Get_processor_name", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Get_version(version: *mut c_int, subversion: *mut c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let version = args::out(version);
            let subversion = args::out(subversion);
            if checks {
                check::pointer("version", version)?;
                check::pointer("subversion", subversion)?;
            }
            crate::calls::env::get_version(version, subversion)
        }
    };
    finish("MPI_Get_version", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Init(argc: *mut c_int, argv: *mut *mut *mut c_char) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe { crate::calls::env::init(argc, argv) }
    };
    finish("MPI_Init", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Init_thread(
    argc: *mut c_int,
    argv: *mut *mut *mut c_char,
    required: c_int,
    provided: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let provided = args::out(provided);
            if checks {
                check::pointer("provided", provided)?;
            }
            crate::calls::env::init_thread(argc, argv, required, provided)
        }
    };
    finish("MPI_Init_thread", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Initialized(flag: *mut c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let flag = args::out(flag);
            if checks {
                check::pointer("flag", flag)?;
            }
            crate::calls::env::initialized(flag)
        }
    };
    finish("MPI_Initialized", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Is_thread_main(flag: *mut c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let flag = args::out(flag);
            if checks {
                check::pointer("flag", flag)?;
            }
            crate::calls::env::is_thread_main(flag)
        }
    };
    finish("MPI_Is_thread_main", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Pcontrol(level: c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            crate::calls::env::pcontrol(level)
        }
    };
    finish("MPI_Pcontrol", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Query_thread(provided: *mut c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let provided = args::out(provided);
            if checks {
                check::pointer("provided", provided)?;
            }
            crate::calls::env::query_thread(provided)
        }
    };
    finish("MPI_Query_thread", Origin::None, call())
}

#[unsafe(no_mangle)]
extern "C" fn PMPI_Wtick() -> f64 {
    crate::calls::env::wtick()
}

#[unsafe(no_mangle)]
extern "C" fn PMPI_Wtime() -> f64 {
    crate::calls::env::wtime()
}

std::arch::global_asm!(
    ".weak MPI_Abort",
    ".set MPI_Abort, PMPI_Abort",
    ".weak MPI_Alloc_mem",
    ".set MPI_Alloc_mem, PMPI_Alloc_mem",
    ".weak MPI_Finalize",
    ".set MPI_Finalize, PMPI_Finalize",
    ".weak MPI_Finalized",
    ".set MPI_Finalized, PMPI_Finalized",
    ".weak MPI_Free_mem",
    ".set MPI_Free_mem, PMPI_Free_mem",
    ".weak MPI_Get_hw_resource_info",
    ".set MPI_Get_hw_resource_info, PMPI_Get_hw_resource_info",
    ".weak MPI_Get_library_version",
    ".set MPI_Get_library_version, PMPI_Get_library_version",
    ".weak MPI_Get_processor_name",
    ".set MPI_Get_processor_name, PMPI_Get_processor_name",
    ".weak MPI_Get_version",
    ".set MPI_Get_version, PMPI_Get_version",
    ".weak MPI_Init",
    ".set MPI_Init, PMPI_Init",
    ".weak MPI_Init_thread",
    ".set MPI_Init_thread, PMPI_Init_thread",
    ".weak MPI_Initialized",
    ".set MPI_Initialized, PMPI_Initialized",
    ".weak MPI_Is_thread_main",
    ".set MPI_Is_thread_main, PMPI_Is_thread_main",
    ".weak MPI_Pcontrol",
    ".set MPI_Pcontrol, PMPI_Pcontrol",
    ".weak MPI_Query_thread",
    ".set MPI_Query_thread, PMPI_Query_thread",
    ".weak MPI_Wtick",
    ".set MPI_Wtick, PMPI_Wtick",
    ".weak MPI_Wtime",
    ".set MPI_Wtime, PMPI_Wtime",
);
