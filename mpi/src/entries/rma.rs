//! Entries of `crate::calls::rma`. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

use crate::prelude::*;

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Accumulate(
    origin_addr: *const c_void,
    origin_count: c_int,
    origin_datatype: Datatype,
    target_rank: c_int,
    target_disp: Aint,
    target_count: c_int,
    target_datatype: Datatype,
    op: Op,
    win: Win,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let origin_count = args::count(origin_count);
            let target_count = args::count(target_count);
            if checks {
                check::running()?;
            }
            let op = check::op("op", op)?;
            let win = check::win("win", win)?;
            let uses_target_rank = target_rank != MPI_PROC_NULL;
            let origin_datatype = if uses_target_rank {
                check::datatype("origin_datatype", origin_datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            let target_datatype = if uses_target_rank {
                check::datatype("target_datatype", target_datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_target_rank {
                    check::buffer("origin_addr", origin_addr, origin_count, origin_datatype)?;
                }
                check::count("origin_count", origin_count)?;
                check::dest("target_rank", target_rank, win.peers())?;
                check::count("target_count", target_count)?;
            }
            crate::calls::rma::accumulate(
                origin_addr,
                origin_count,
                origin_datatype,
                target_rank,
                target_disp,
                target_count,
                target_datatype,
                op,
                win,
            )
        }
    };
    finish("MPI_Accumulate", Origin::Win(win), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Accumulate_c(
    origin_addr: *const c_void,
    origin_count: Count,
    origin_datatype: Datatype,
    target_rank: c_int,
    target_disp: Aint,
    target_count: Count,
    target_datatype: Datatype,
    op: Op,
    win: Win,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let origin_count = args::count(origin_count);
            let target_count = args::count(target_count);
            if checks {
                check::running()?;
            }
            let op = check::op("op", op)?;
            let win = check::win("win", win)?;
            let uses_target_rank = target_rank != MPI_PROC_NULL;
            let origin_datatype = if uses_target_rank {
                check::datatype("origin_datatype", origin_datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            let target_datatype = if uses_target_rank {
                check::datatype("target_datatype", target_datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_target_rank {
                    check::buffer("origin_addr", origin_addr, origin_count, origin_datatype)?;
                }
                check::count("origin_count", origin_count)?;
                check::dest("target_rank", target_rank, win.peers())?;
                check::count("target_count", target_count)?;
            }
            crate::calls::rma::accumulate(
                origin_addr,
                origin_count,
                origin_datatype,
                target_rank,
                target_disp,
                target_count,
                target_datatype,
                op,
                win,
            )
        }
    };
    finish("MPI_Accumulate_c", Origin::Win(win), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Compare_and_swap(
    origin_addr: *const c_void,
    compare_addr: *const c_void,
    result_addr: *mut c_void,
    datatype: Datatype,
    target_rank: c_int,
    target_disp: Aint,
    win: Win,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let win = check::win("win", win)?;
            let uses_target_rank = target_rank != MPI_PROC_NULL;
            let datatype = if uses_target_rank {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_target_rank {
                    check::not_in_place("origin_addr", origin_addr)?;
                }
                if uses_target_rank {
                    check::not_in_place("compare_addr", compare_addr)?;
                }
                if uses_target_rank {
                    check::not_in_place("result_addr", result_addr)?;
                }
                check::dest("target_rank", target_rank, win.peers())?;
            }
            crate::calls::rma::compare_and_swap(
                origin_addr,
                compare_addr,
                result_addr,
                datatype,
                target_rank,
                target_disp,
                win,
            )
        }
    };
    finish("MPI_Compare_and_swap", Origin::Win(win), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Fetch_and_op(
    origin_addr: *const c_void,
    result_addr: *mut c_void,
    datatype: Datatype,
    target_rank: c_int,
    target_disp: Aint,
    op: Op,
    win: Win,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let op = check::op("op", op)?;
            let win = check::win("win", win)?;
            let operates = op.constant() != MPI_NO_OP;
            let uses_target_rank = target_rank != MPI_PROC_NULL;
            let datatype = if uses_target_rank {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if operates && uses_target_rank {
                    check::not_in_place("origin_addr", origin_addr)?;
                }
                if uses_target_rank {
                    check::not_in_place("result_addr", result_addr)?;
                }
                check::dest("target_rank", target_rank, win.peers())?;
            }
            crate::calls::rma::fetch_and_op(
                origin_addr,
                result_addr,
                datatype,
                target_rank,
                target_disp,
                op,
                win,
            )
        }
    };
    finish("MPI_Fetch_and_op", Origin::Win(win), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Get(
    origin_addr: *mut c_void,
    origin_count: c_int,
    origin_datatype: Datatype,
    target_rank: c_int,
    target_disp: Aint,
    target_count: c_int,
    target_datatype: Datatype,
    win: Win,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let origin_count = args::count(origin_count);
            let target_count = args::count(target_count);
            if checks {
                check::running()?;
            }
            let win = check::win("win", win)?;
            let uses_target_rank = target_rank != MPI_PROC_NULL;
            let origin_datatype = if uses_target_rank {
                check::datatype("origin_datatype", origin_datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            let target_datatype = if uses_target_rank {
                check::datatype("target_datatype", target_datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_target_rank {
                    check::buffer("origin_addr", origin_addr, origin_count, origin_datatype)?;
                }
                check::count("origin_count", origin_count)?;
                check::dest("target_rank", target_rank, win.peers())?;
                check::count("target_count", target_count)?;
            }
            crate::calls::rma::get(
                origin_addr,
                origin_count,
                origin_datatype,
                target_rank,
                target_disp,
                target_count,
                target_datatype,
                win,
            )
        }
    };
    finish("MPI_Get", Origin::Win(win), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Get_c(
    origin_addr: *mut c_void,
    origin_count: Count,
    origin_datatype: Datatype,
    target_rank: c_int,
    target_disp: Aint,
    target_count: Count,
    target_datatype: Datatype,
    win: Win,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let origin_count = args::count(origin_count);
            let target_count = args::count(target_count);
            if checks {
                check::running()?;
            }
            let win = check::win("win", win)?;
            let uses_target_rank = target_rank != MPI_PROC_NULL;
            let origin_datatype = if uses_target_rank {
                check::datatype("origin_datatype", origin_datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            let target_datatype = if uses_target_rank {
                check::datatype("target_datatype", target_datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_target_rank {
                    check::buffer("origin_addr", origin_addr, origin_count, origin_datatype)?;
                }
                check::count("origin_count", origin_count)?;
                check::dest("target_rank", target_rank, win.peers())?;
                check::count("target_count", target_count)?;
            }
            crate::calls::rma::get(
                origin_addr,
                origin_count,
                origin_datatype,
                target_rank,
                target_disp,
                target_count,
                target_datatype,
                win,
            )
        }
    };
    finish("MPI_Get_c", Origin::Win(win), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Get_accumulate(
    origin_addr: *const c_void,
    origin_count: c_int,
    origin_datatype: Datatype,
    result_addr: *mut c_void,
    result_count: c_int,
    result_datatype: Datatype,
    target_rank: c_int,
    target_disp: Aint,
    target_count: c_int,
    target_datatype: Datatype,
    op: Op,
    win: Win,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let origin_count = args::count(origin_count);
            let result_count = args::count(result_count);
            let target_count = args::count(target_count);
            if checks {
                check::running()?;
            }
            let op = check::op("op", op)?;
            let win = check::win("win", win)?;
            let operates = op.constant() != MPI_NO_OP;
            let uses_target_rank = target_rank != MPI_PROC_NULL;
            let origin_datatype = if operates && uses_target_rank {
                check::datatype("origin_datatype", origin_datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            let result_datatype = if uses_target_rank {
                check::datatype("result_datatype", result_datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            let target_datatype = if uses_target_rank {
                check::datatype("target_datatype", target_datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if operates && uses_target_rank {
                    check::buffer("origin_addr", origin_addr, origin_count, origin_datatype)?;
                }
                if operates {
                    check::count("origin_count", origin_count)?;
                }
                if uses_target_rank {
                    check::buffer("result_addr", result_addr, result_count, result_datatype)?;
                }
                check::count("result_count", result_count)?;
                check::dest("target_rank", target_rank, win.peers())?;
                check::count("target_count", target_count)?;
            }
            crate::calls::rma::get_accumulate(
                origin_addr,
                origin_count,
                origin_datatype,
                result_addr,
                result_count,
                result_datatype,
                target_rank,
                target_disp,
                target_count,
                target_datatype,
                op,
                win,
            )
        }
    };
    finish("MPI_Get_accumulate", Origin::Win(win), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Get_accumulate_c(
    origin_addr: *const c_void,
    origin_count: Count,
    origin_datatype: Datatype,
    result_addr: *mut c_void,
    result_count: Count,
    result_datatype: Datatype,
    target_rank: c_int,
    target_disp: Aint,
    target_count: Count,
    target_datatype: Datatype,
    op: Op,
    win: Win,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let origin_count = args::count(origin_count);
            let result_count = args::count(result_count);
            let target_count = args::count(target_count);
            if checks {
                check::running()?;
            }
            let op = check::op("op", op)?;
            let win = check::win("win", win)?;
            let operates = op.constant() != MPI_NO_OP;
            let uses_target_rank = target_rank != MPI_PROC_NULL;
            let origin_datatype = if operates && uses_target_rank {
                check::datatype("origin_datatype", origin_datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            let result_datatype = if uses_target_rank {
                check::datatype("result_datatype", result_datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            let target_datatype = if uses_target_rank {
                check::datatype("target_datatype", target_datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if operates && uses_target_rank {
                    check::buffer("origin_addr", origin_addr, origin_count, origin_datatype)?;
                }
                if operates {
                    check::count("origin_count", origin_count)?;
                }
                if uses_target_rank {
                    check::buffer("result_addr", result_addr, result_count, result_datatype)?;
                }
                check::count("result_count", result_count)?;
                check::dest("target_rank", target_rank, win.peers())?;
                check::count("target_count", target_count)?;
            }
            crate::calls::rma::get_accumulate(
                origin_addr,
                origin_count,
                origin_datatype,
                result_addr,
                result_count,
                result_datatype,
                target_rank,
                target_disp,
                target_count,
                target_datatype,
                op,
                win,
            )
        }
    };
    finish("MPI_Get_accumulate_c", Origin::Win(win), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Put(
    origin_addr: *const c_void,
    origin_count: c_int,
    origin_datatype: Datatype,
    target_rank: c_int,
    target_disp: Aint,
    target_count: c_int,
    target_datatype: Datatype,
    win: Win,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let origin_count = args::count(origin_count);
            let target_count = args::count(target_count);
            if checks {
                check::running()?;
            }
            let win = check::win("win", win)?;
            let uses_target_rank = target_rank != MPI_PROC_NULL;
            let origin_datatype = if uses_target_rank {
                check::datatype("origin_datatype", origin_datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            let target_datatype = if uses_target_rank {
                check::datatype("target_datatype", target_datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_target_rank {
                    check::buffer("origin_addr", origin_addr, origin_count, origin_datatype)?;
                }
                check::count("origin_count", origin_count)?;
                check::dest("target_rank", target_rank, win.peers())?;
                check::count("target_count", target_count)?;
            }
            crate::calls::rma::put(
                origin_addr,
                origin_count,
                origin_datatype,
                target_rank,
                target_disp,
                target_count,
                target_datatype,
                win,
            )
        }
    };
    finish("MPI_Put", Origin::Win(win), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Put_c(
    origin_addr: *const c_void,
    origin_count: Count,
    origin_datatype: Datatype,
    target_rank: c_int,
    target_disp: Aint,
    target_count: Count,
    target_datatype: Datatype,
    win: Win,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let origin_count = args::count(origin_count);
            let target_count = args::count(target_count);
            if checks {
                check::running()?;
            }
            let win = check::win("win", win)?;
            let uses_target_rank = target_rank != MPI_PROC_NULL;
            let origin_datatype = if uses_target_rank {
                check::datatype("origin_datatype", origin_datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            let target_datatype = if uses_target_rank {
                check::datatype("target_datatype", target_datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_target_rank {
                    check::buffer("origin_addr", origin_addr, origin_count, origin_datatype)?;
                }
                check::count("origin_count", origin_count)?;
                check::dest("target_rank", target_rank, win.peers())?;
                check::count("target_count", target_count)?;
            }
            crate::calls::rma::put(
                origin_addr,
                origin_count,
                origin_datatype,
                target_rank,
                target_disp,
                target_count,
                target_datatype,
                win,
            )
        }
    };
    finish("MPI_Put_c", Origin::Win(win), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Raccumulate(
    origin_addr: *const c_void,
    origin_count: c_int,
    origin_datatype: Datatype,
    target_rank: c_int,
    target_disp: Aint,
    target_count: c_int,
    target_datatype: Datatype,
    op: Op,
    win: Win,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let origin_count = args::count(origin_count);
            let target_count = args::count(target_count);
            let request = args::out(request);
            if checks {
                check::running()?;
            }
            let op = check::op("op", op)?;
            let win = check::win("win", win)?;
            let uses_target_rank = target_rank != MPI_PROC_NULL;
            let origin_datatype = if uses_target_rank {
                check::datatype("origin_datatype", origin_datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            let target_datatype = if uses_target_rank {
                check::datatype("target_datatype", target_datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_target_rank {
                    check::buffer("origin_addr", origin_addr, origin_count, origin_datatype)?;
                }
                check::count("origin_count", origin_count)?;
                check::dest("target_rank", target_rank, win.peers())?;
                check::count("target_count", target_count)?;
                check::pointer("request", request)?;
            }
            crate::calls::rma::raccumulate(
                origin_addr,
                origin_count,
                origin_datatype,
                target_rank,
                target_disp,
                target_count,
                target_datatype,
                op,
                win,
                request,
            )
        }
    };
    finish("MPI_Raccumulate", Origin::Win(win), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Raccumulate_c(
    origin_addr: *const c_void,
    origin_count: Count,
    origin_datatype: Datatype,
    target_rank: c_int,
    target_disp: Aint,
    target_count: Count,
    target_datatype: Datatype,
    op: Op,
    win: Win,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let origin_count = args::count(origin_count);
            let target_count = args::count(target_count);
            let request = args::out(request);
            if checks {
                check::running()?;
            }
            let op = check::op("op", op)?;
            let win = check::win("win", win)?;
            let uses_target_rank = target_rank != MPI_PROC_NULL;
            let origin_datatype = if uses_target_rank {
                check::datatype("origin_datatype", origin_datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            let target_datatype = if uses_target_rank {
                check::datatype("target_datatype", target_datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_target_rank {
                    check::buffer("origin_addr", origin_addr, origin_count, origin_datatype)?;
                }
                check::count("origin_count", origin_count)?;
                check::dest("target_rank", target_rank, win.peers())?;
                check::count("target_count", target_count)?;
                check::pointer("request", request)?;
            }
            crate::calls::rma::raccumulate(
                origin_addr,
                origin_count,
                origin_datatype,
                target_rank,
                target_disp,
                target_count,
                target_datatype,
                op,
                win,
                request,
            )
        }
    };
    finish("MPI_Raccumulate_c", Origin::Win(win), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Rget(
    origin_addr: *mut c_void,
    origin_count: c_int,
    origin_datatype: Datatype,
    target_rank: c_int,
    target_disp: Aint,
    target_count: c_int,
    target_datatype: Datatype,
    win: Win,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let origin_count = args::count(origin_count);
            let target_count = args::count(target_count);
            let request = args::out(request);
            if checks {
                check::running()?;
            }
            let win = check::win("win", win)?;
            let uses_target_rank = target_rank != MPI_PROC_NULL;
            let origin_datatype = if uses_target_rank {
                check::datatype("origin_datatype", origin_datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            let target_datatype = if uses_target_rank {
                check::datatype("target_datatype", target_datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_target_rank {
                    check::buffer("origin_addr", origin_addr, origin_count, origin_datatype)?;
                }
                check::count("origin_count", origin_count)?;
                check::dest("target_rank", target_rank, win.peers())?;
                check::count("target_count", target_count)?;
                check::pointer("request", request)?;
            }
            crate::calls::rma::rget(
                origin_addr,
                origin_count,
                origin_datatype,
                target_rank,
                target_disp,
                target_count,
                target_datatype,
                win,
                request,
            )
        }
    };
    finish("MPI_Rget", Origin::Win(win), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Rget_c(
    origin_addr: *mut c_void,
    origin_count: Count,
    origin_datatype: Datatype,
    target_rank: c_int,
    target_disp: Aint,
    target_count: Count,
    target_datatype: Datatype,
    win: Win,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let origin_count = args::count(origin_count);
            let target_count = args::count(target_count);
            let request = args::out(request);
            if checks {
                check::running()?;
            }
            let win = check::win("win", win)?;
            let uses_target_rank = target_rank != MPI_PROC_NULL;
            let origin_datatype = if uses_target_rank {
                check::datatype("origin_datatype", origin_datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            let target_datatype = if uses_target_rank {
                check::datatype("target_datatype", target_datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_target_rank {
                    check::buffer("origin_addr", origin_addr, origin_count, origin_datatype)?;
                }
                check::count("origin_count", origin_count)?;
                check::dest("target_rank", target_rank, win.peers())?;
                check::count("target_count", target_count)?;
                check::pointer("request", request)?;
            }
            crate::calls::rma::rget(
                origin_addr,
                origin_count,
                origin_datatype,
                target_rank,
                target_disp,
                target_count,
                target_datatype,
                win,
                request,
            )
        }
    };
    finish("MPI_Rget_c", Origin::Win(win), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Rget_accumulate(
    origin_addr: *const c_void,
    origin_count: c_int,
    origin_datatype: Datatype,
    result_addr: *mut c_void,
    result_count: c_int,
    result_datatype: Datatype,
    target_rank: c_int,
    target_disp: Aint,
    target_count: c_int,
    target_datatype: Datatype,
    op: Op,
    win: Win,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let origin_count = args::count(origin_count);
            let result_count = args::count(result_count);
            let target_count = args::count(target_count);
            let request = args::out(request);
            if checks {
                check::running()?;
            }
            let op = check::op("op", op)?;
            let win = check::win("win", win)?;
            let operates = op.constant() != MPI_NO_OP;
            let uses_target_rank = target_rank != MPI_PROC_NULL;
            let origin_datatype = if operates && uses_target_rank {
                check::datatype("origin_datatype", origin_datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            let result_datatype = if uses_target_rank {
                check::datatype("result_datatype", result_datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            let target_datatype = if uses_target_rank {
                check::datatype("target_datatype", target_datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if operates && uses_target_rank {
                    check::buffer("origin_addr", origin_addr, origin_count, origin_datatype)?;
                }
                if operates {
                    check::count("origin_count", origin_count)?;
                }
                if uses_target_rank {
                    check::buffer("result_addr", result_addr, result_count, result_datatype)?;
                }
                check::count("result_count", result_count)?;
                check::dest("target_rank", target_rank, win.peers())?;
                check::count("target_count", target_count)?;
                check::pointer("request", request)?;
            }
            crate::calls::rma::rget_accumulate(
                origin_addr,
                origin_count,
                origin_datatype,
                result_addr,
                result_count,
                result_datatype,
                target_rank,
                target_disp,
                target_count,
                target_datatype,
                op,
                win,
                request,
            )
        }
    };
    finish("MPI_Rget_accumulate", Origin::Win(win), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Rget_accumulate_c(
    origin_addr: *const c_void,
    origin_count: Count,
    origin_datatype: Datatype,
    result_addr: *mut c_void,
    result_count: Count,
    result_datatype: Datatype,
    target_rank: c_int,
    target_disp: Aint,
    target_count: Count,
    target_datatype: Datatype,
    op: Op,
    win: Win,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let origin_count = args::count(origin_count);
            let result_count = args::count(result_count);
            let target_count = args::count(target_count);
            let request = args::out(request);
            if checks {
                check::running()?;
            }
            let op = check::op("op", op)?;
            let win = check::win("win", win)?;
            let operates = op.constant() != MPI_NO_OP;
            let uses_target_rank = target_rank != MPI_PROC_NULL;
            let origin_datatype = if operates && uses_target_rank {
                check::datatype("origin_datatype", origin_datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            let result_datatype = if uses_target_rank {
                check::datatype("result_datatype", result_datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            let target_datatype = if uses_target_rank {
                check::datatype("target_datatype", target_datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if operates && uses_target_rank {
                    check::buffer("origin_addr", origin_addr, origin_count, origin_datatype)?;
                }
                if operates {
                    check::count("origin_count", origin_count)?;
                }
                if uses_target_rank {
                    check::buffer("result_addr", result_addr, result_count, result_datatype)?;
                }
                check::count("result_count", result_count)?;
                check::dest("target_rank", target_rank, win.peers())?;
                check::count("target_count", target_count)?;
                check::pointer("request", request)?;
            }
            crate::calls::rma::rget_accumulate(
                origin_addr,
                origin_count,
                origin_datatype,
                result_addr,
                result_count,
                result_datatype,
                target_rank,
                target_disp,
                target_count,
                target_datatype,
                op,
                win,
                request,
            )
        }
    };
    finish("MPI_Rget_accumulate_c", Origin::Win(win), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Rput(
    origin_addr: *const c_void,
    origin_count: c_int,
    origin_datatype: Datatype,
    target_rank: c_int,
    target_disp: Aint,
    target_count: c_int,
    target_datatype: Datatype,
    win: Win,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let origin_count = args::count(origin_count);
            let target_count = args::count(target_count);
            let request = args::out(request);
            if checks {
                check::running()?;
            }
            let win = check::win("win", win)?;
            let uses_target_rank = target_rank != MPI_PROC_NULL;
            let origin_datatype = if uses_target_rank {
                check::datatype("origin_datatype", origin_datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            let target_datatype = if uses_target_rank {
                check::datatype("target_datatype", target_datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_target_rank {
                    check::buffer("origin_addr", origin_addr, origin_count, origin_datatype)?;
                }
                check::count("origin_count", origin_count)?;
                check::dest("target_rank", target_rank, win.peers())?;
                check::count("target_count", target_count)?;
                check::pointer("request", request)?;
            }
            crate::calls::rma::rput(
                origin_addr,
                origin_count,
                origin_datatype,
                target_rank,
                target_disp,
                target_count,
                target_datatype,
                win,
                request,
            )
        }
    };
    finish("MPI_Rput", Origin::Win(win), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Rput_c(
    origin_addr: *const c_void,
    origin_count: Count,
    origin_datatype: Datatype,
    target_rank: c_int,
    target_disp: Aint,
    target_count: Count,
    target_datatype: Datatype,
    win: Win,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let origin_count = args::count(origin_count);
            let target_count = args::count(target_count);
            let request = args::out(request);
            if checks {
                check::running()?;
            }
            let win = check::win("win", win)?;
            let uses_target_rank = target_rank != MPI_PROC_NULL;
            let origin_datatype = if uses_target_rank {
                check::datatype("origin_datatype", origin_datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            let target_datatype = if uses_target_rank {
                check::datatype("target_datatype", target_datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_target_rank {
                    check::buffer("origin_addr", origin_addr, origin_count, origin_datatype)?;
                }
                check::count("origin_count", origin_count)?;
                check::dest("target_rank", target_rank, win.peers())?;
                check::count("target_count", target_count)?;
                check::pointer("request", request)?;
            }
            crate::calls::rma::rput(
                origin_addr,
                origin_count,
                origin_datatype,
                target_rank,
                target_disp,
                target_count,
                target_datatype,
                win,
                request,
            )
        }
    };
    finish("MPI_Rput_c", Origin::Win(win), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_allocate(
    size: Aint,
    disp_unit: c_int,
    info: Info,
    comm: Comm,
    baseptr: *mut c_void,
    win: *mut Win,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let disp_unit = args::count(disp_unit);
            let baseptr = args::pointer_out(baseptr);
            let win = args::out(win);
            if checks {
                check::running()?;
            }
            let info = check::info("info", info)?;
            let comm = check::comm("comm", comm)?;
            if checks {
                check::pointer("baseptr", baseptr)?;
                check::pointer("win", win)?;
            }
            crate::calls::rma::win_allocate(size, disp_unit, info, comm, baseptr, win)
        }
    };
    finish("MPI_Win_allocate", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_allocate_c(
    size: Aint,
    disp_unit: Aint,
    info: Info,
    comm: Comm,
    baseptr: *mut c_void,
    win: *mut Win,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let disp_unit = args::count(disp_unit);
            let baseptr = args::pointer_out(baseptr);
            let win = args::out(win);
            if checks {
                check::running()?;
            }
            let info = check::info("info", info)?;
            let comm = check::comm("comm", comm)?;
            if checks {
                check::pointer("baseptr", baseptr)?;
                check::pointer("win", win)?;
            }
            crate::calls::rma::win_allocate(size, disp_unit, info, comm, baseptr, win)
        }
    };
    finish("MPI_Win_allocate_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_allocate_shared(
    size: Aint,
    disp_unit: c_int,
    info: Info,
    comm: Comm,
    baseptr: *mut c_void,
    win: *mut Win,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let disp_unit = args::count(disp_unit);
            let baseptr = args::pointer_out(baseptr);
            let win = args::out(win);
            if checks {
                check::running()?;
            }
            let info = check::info("info", info)?;
            let comm = check::comm("comm", comm)?;
            if checks {
                check::pointer("baseptr", baseptr)?;
                check::pointer("win", win)?;
            }
            crate::calls::rma::win_allocate_shared(size, disp_unit, info, comm, baseptr, win)
        }
    };
    finish("MPI_Win_allocate_shared", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_allocate_shared_c(
    size: Aint,
    disp_unit: Aint,
    info: Info,
    comm: Comm,
    baseptr: *mut c_void,
    win: *mut Win,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let disp_unit = args::count(disp_unit);
            let baseptr = args::pointer_out(baseptr);
            let win = args::out(win);
            if checks {
                check::running()?;
            }
            let info = check::info("info", info)?;
            let comm = check::comm("comm", comm)?;
            if checks {
                check::pointer("baseptr", baseptr)?;
                check::pointer("win", win)?;
            }
            crate::calls::rma::win_allocate_shared(size, disp_unit, info, comm, baseptr, win)
        }
    };
    finish("MPI_Win_allocate_shared_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_attach(win: Win, base: *mut c_void, size: Aint) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let win = check::win("win", win)?;
            if checks {
                check::memory_size("size", size)?;
            }
            crate::calls::rma::win_attach(win, base, size)
        }
    };
    finish("MPI_Win_attach", Origin::Win(win), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_complete(win: Win) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let win = check::win("win", win)?;
            crate::calls::rma::win_complete(win)
        }
    };
    finish("MPI_Win_complete", Origin::Win(win), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_create(
    base: *mut c_void,
    size: Aint,
    disp_unit: c_int,
    info: Info,
    comm: Comm,
    win: *mut Win,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let disp_unit = args::count(disp_unit);
            let win = args::out(win);
            if checks {
                check::running()?;
            }
            let info = check::info("info", info)?;
            let comm = check::comm("comm", comm)?;
            if checks {
                check::pointer("win", win)?;
            }
            crate::calls::rma::win_create(base, size, disp_unit, info, comm, win)
        }
    };
    finish("MPI_Win_create", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_create_c(
    base: *mut c_void,
    size: Aint,
    disp_unit: Aint,
    info: Info,
    comm: Comm,
    win: *mut Win,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let disp_unit = args::count(disp_unit);
            let win = args::out(win);
            if checks {
                check::running()?;
            }
            let info = check::info("info", info)?;
            let comm = check::comm("comm", comm)?;
            if checks {
                check::pointer("win", win)?;
            }
            crate::calls::rma::win_create(base, size, disp_unit, info, comm, win)
        }
    };
    finish("MPI_Win_create_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_create_dynamic(info: Info, comm: Comm, win: *mut Win) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let win = args::out(win);
            if checks {
                check::running()?;
            }
            let info = check::info("info", info)?;
            let comm = check::comm("comm", comm)?;
            if checks {
                check::pointer("win", win)?;
            }
            crate::calls::rma::win_create_dynamic(info, comm, win)
        }
    };
    finish("MPI_Win_create_dynamic", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_detach(win: Win, base: *const c_void) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let win = check::win("win", win)?;
            crate::calls::rma::win_detach(win, base)
        }
    };
    finish("MPI_Win_detach", Origin::Win(win), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_fence(assert: c_int, win: Win) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let win = check::win("win", win)?;
            crate::calls::rma::win_fence(assert, win)
        }
    };
    finish("MPI_Win_fence", Origin::Win(win), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_flush(rank: c_int, win: Win) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let win = check::win("win", win)?;
            if checks {
                check::dest("rank", rank, win.peers())?;
            }
            crate::calls::rma::win_flush(rank, win)
        }
    };
    finish("MPI_Win_flush", Origin::Win(win), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_flush_all(win: Win) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let win = check::win("win", win)?;
            crate::calls::rma::win_flush_all(win)
        }
    };
    finish("MPI_Win_flush_all", Origin::Win(win), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_flush_local(rank: c_int, win: Win) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let win = check::win("win", win)?;
            if checks {
                check::dest("rank", rank, win.peers())?;
            }
            crate::calls::rma::win_flush_local(rank, win)
        }
    };
    finish("MPI_Win_flush_local", Origin::Win(win), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_flush_local_all(win: Win) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let win = check::win("win", win)?;
            crate::calls::rma::win_flush_local_all(win)
        }
    };
    finish("MPI_Win_flush_local_all", Origin::Win(win), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_free(win: *mut Win) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let win = args::inout(win);
            if checks {
                check::running()?;
            }
            if checks {
                check::win_io("win", win)?;
            }
            crate::calls::rma::win_free(win)
        }
    };
    // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
    let held = unsafe { args::held(win, MPI_WIN_NULL) };
    finish("MPI_Win_free", Origin::Win(held), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_get_group(win: Win, group: *mut Group) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let group = args::out(group);
            if checks {
                check::running()?;
            }
            let win = check::win("win", win)?;
            if checks {
                check::pointer("group", group)?;
            }
            crate::calls::rma::win_get_group(win, group)
        }
    };
    finish("MPI_Win_get_group", Origin::Win(win), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_get_info(win: Win, info_used: *mut Info) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let info_used = args::out(info_used);
            if checks {
                check::running()?;
            }
            let win = check::win("win", win)?;
            if checks {
                check::pointer("info_used", info_used)?;
            }
            crate::calls::rma::win_get_info(win, info_used)
        }
    };
    finish("MPI_Win_get_info", Origin::Win(win), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_get_name(
    win: Win,
    win_name: *mut c_char,
    resultlen: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let resultlen = args::out(resultlen);
            if checks {
                check::running()?;
            }
            if checks {
                check::win_or_null("win", win)?;
                check::pointer("win_name", win_name)?;
                check::pointer("resultlen", resultlen)?;
            }
            let win_name = {
                let length = args::length(MPI_MAX_OBJECT_NAME);
                args::text_out(win_name, length)
            };
            crate::calls::rma::win_get_name(win, win_name, resultlen)
        }
    };
    finish("MPI_Win_get_name", Origin::Win(win), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_lock(
    lock_type: c_int,
    rank: c_int,
    assert: c_int,
    win: Win,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let win = check::win("win", win)?;
            if checks {
                check::dest("rank", rank, win.peers())?;
            }
            crate::calls::rma::win_lock(lock_type, rank, assert, win)
        }
    };
    finish("MPI_Win_lock", Origin::Win(win), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_lock_all(assert: c_int, win: Win) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let win = check::win("win", win)?;
            crate::calls::rma::win_lock_all(assert, win)
        }
    };
    finish("MPI_Win_lock_all", Origin::Win(win), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_post(group: Group, assert: c_int, win: Win) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let group = check::group("group", group)?;
            let win = check::win("win", win)?;
            crate::calls::rma::win_post(group, assert, win)
        }
    };
    finish("MPI_Win_post", Origin::Win(win), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_set_info(win: Win, info: Info) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let win = check::win("win", win)?;
            let info = check::info("info", info)?;
            crate::calls::rma::win_set_info(win, info)
        }
    };
    finish("MPI_Win_set_info", Origin::Win(win), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_set_name(win: Win, win_name: *const c_char) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let win = check::win("win", win)?;
            if checks {
                check::pointer("win_name", win_name)?;
            }
            let win_name = args::text(win_name);
            crate::calls::rma::win_set_name(win, win_name)
        }
    };
    finish("MPI_Win_set_name", Origin::Win(win), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_shared_query(
    win: Win,
    rank: c_int,
    size: *mut Aint,
    disp_unit: *mut c_int,
    baseptr: *mut c_void,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let size = args::out(size);
            let disp_unit = args::count_out(disp_unit);
            let baseptr = args::pointer_out(baseptr);
            if checks {
                check::running()?;
            }
            let win = check::win("win", win)?;
            if checks {
                check::dest("rank", rank, win.peers())?;
                check::pointer("size", size)?;
                check::pointer("disp_unit", disp_unit)?;
                check::pointer("baseptr", baseptr)?;
            }
            crate::calls::rma::win_shared_query(win, rank, size, disp_unit, baseptr)
        }
    };
    finish("MPI_Win_shared_query", Origin::Win(win), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_shared_query_c(
    win: Win,
    rank: c_int,
    size: *mut Aint,
    disp_unit: *mut Aint,
    baseptr: *mut c_void,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let size = args::out(size);
            let disp_unit = args::count_out(disp_unit);
            let baseptr = args::pointer_out(baseptr);
            if checks {
                check::running()?;
            }
            let win = check::win("win", win)?;
            if checks {
                check::dest("rank", rank, win.peers())?;
                check::pointer("size", size)?;
                check::pointer("disp_unit", disp_unit)?;
                check::pointer("baseptr", baseptr)?;
            }
            crate::calls::rma::win_shared_query(win, rank, size, disp_unit, baseptr)
        }
    };
    finish("MPI_Win_shared_query_c", Origin::Win(win), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_start(group: Group, assert: c_int, win: Win) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let group = check::group("group", group)?;
            let win = check::win("win", win)?;
            crate::calls::rma::win_start(group, assert, win)
        }
    };
    finish("MPI_Win_start", Origin::Win(win), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_sync(win: Win) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let win = check::win("win", win)?;
            crate::calls::rma::win_sync(win)
        }
    };
    finish("MPI_Win_sync", Origin::Win(win), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_test(win: Win, flag: *mut c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let flag = args::out(flag);
            if checks {
                check::running()?;
            }
            let win = check::win("win", win)?;
            if checks {
                check::pointer("flag", flag)?;
            }
            crate::calls::rma::win_test(win, flag)
        }
    };
    finish("MPI_Win_test", Origin::Win(win), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_unlock(rank: c_int, win: Win) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let win = check::win("win", win)?;
            if checks {
                check::dest("rank", rank, win.peers())?;
            }
            crate::calls::rma::win_unlock(rank, win)
        }
    };
    finish("MPI_Win_unlock", Origin::Win(win), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_unlock_all(win: Win) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let win = check::win("win", win)?;
            crate::calls::rma::win_unlock_all(win)
        }
    };
    finish("MPI_Win_unlock_all", Origin::Win(win), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_wait(win: Win) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let win = check::win("win", win)?;
            crate::calls::rma::win_wait(win)
        }
    };
    finish("MPI_Win_wait", Origin::Win(win), call())
}

std::arch::global_asm!(
    ".weak MPI_Accumulate",
    ".set MPI_Accumulate, PMPI_Accumulate",
    ".weak MPI_Accumulate_c",
    ".set MPI_Accumulate_c, PMPI_Accumulate_c",
    ".weak MPI_Compare_and_swap",
    ".set MPI_Compare_and_swap, PMPI_Compare_and_swap",
    ".weak MPI_Fetch_and_op",
    ".set MPI_Fetch_and_op, PMPI_Fetch_and_op",
    ".weak MPI_Get",
    ".set MPI_Get, PMPI_Get",
    ".weak MPI_Get_c",
    ".set MPI_Get_c, PMPI_Get_c",
    ".weak MPI_Get_accumulate",
    ".set MPI_Get_accumulate, PMPI_Get_accumulate",
    ".weak MPI_Get_accumulate_c",
    ".set MPI_Get_accumulate_c, PMPI_Get_accumulate_c",
    ".weak MPI_Put",
    ".set MPI_Put, PMPI_Put",
    ".weak MPI_Put_c",
    ".set MPI_Put_c, PMPI_Put_c",
    ".weak MPI_Raccumulate",
    ".set MPI_Raccumulate, PMPI_Raccumulate",
    ".weak MPI_Raccumulate_c",
    ".set MPI_Raccumulate_c, PMPI_Raccumulate_c",
    ".weak MPI_Rget",
    ".set MPI_Rget, PMPI_Rget",
    ".weak MPI_Rget_c",
    ".set MPI_Rget_c, PMPI_Rget_c",
    ".weak MPI_Rget_accumulate",
    ".set MPI_Rget_accumulate, PMPI_Rget_accumulate",
    ".weak MPI_Rget_accumulate_c",
    ".set MPI_Rget_accumulate_c, PMPI_Rget_accumulate_c",
    ".weak MPI_Rput",
    ".set MPI_Rput, PMPI_Rput",
    ".weak MPI_Rput_c",
    ".set MPI_Rput_c, PMPI_Rput_c",
    ".weak MPI_Win_allocate",
    ".set MPI_Win_allocate, PMPI_Win_allocate",
    ".weak MPI_Win_allocate_c",
    ".set MPI_Win_allocate_c, PMPI_Win_allocate_c",
    ".weak MPI_Win_allocate_shared",
    ".set MPI_Win_allocate_shared, PMPI_Win_allocate_shared",
    ".weak MPI_Win_allocate_shared_c",
    ".set MPI_Win_allocate_shared_c, PMPI_Win_allocate_shared_c",
    ".weak MPI_Win_attach",
    ".set MPI_Win_attach, PMPI_Win_attach",
    ".weak MPI_Win_complete",
    ".set MPI_Win_complete, PMPI_Win_complete",
    ".weak MPI_Win_create",
    ".set MPI_Win_create, PMPI_Win_create",
    ".weak MPI_Win_create_c",
    ".set MPI_Win_create_c, PMPI_Win_create_c",
    ".weak MPI_Win_create_dynamic",
    ".set MPI_Win_create_dynamic, PMPI_Win_create_dynamic",
    ".weak MPI_Win_detach",
    ".set MPI_Win_detach, PMPI_Win_detach",
    ".weak MPI_Win_fence",
    ".set MPI_Win_fence, PMPI_Win_fence",
    ".weak MPI_Win_flush",
    ".set MPI_Win_flush, PMPI_Win_flush",
    ".weak MPI_Win_flush_all",
    ".set MPI_Win_flush_all, PMPI_Win_flush_all",
    ".weak MPI_Win_flush_local",
    ".set MPI_Win_flush_local, PMPI_Win_flush_local",
    ".weak MPI_Win_flush_local_all",
    ".set MPI_Win_flush_local_all, PMPI_Win_flush_local_all",
    ".weak MPI_Win_free",
    ".set MPI_Win_free, PMPI_Win_free",
    ".weak MPI_Win_get_group",
    ".set MPI_Win_get_group, PMPI_Win_get_group",
    ".weak MPI_Win_get_info",
    ".set MPI_Win_get_info, PMPI_Win_get_info",
    ".weak MPI_Win_get_name",
    ".set MPI_Win_get_name, PMPI_Win_get_name",
    ".weak MPI_Win_lock",
    ".set MPI_Win_lock, PMPI_Win_lock",
    ".weak MPI_Win_lock_all",
    ".set MPI_Win_lock_all, PMPI_Win_lock_all",
    ".weak MPI_Win_post",
    ".set MPI_Win_post, PMPI_Win_post",
    ".weak MPI_Win_set_info",
    ".set MPI_Win_set_info, PMPI_Win_set_info",
    ".weak MPI_Win_set_name",
    ".set MPI_Win_set_name, PMPI_Win_set_name",
    ".weak MPI_Win_shared_query",
    ".set MPI_Win_shared_query, PMPI_Win_shared_query",
    ".weak MPI_Win_shared_query_c",
    ".set MPI_Win_shared_query_c, PMPI_Win_shared_query_c",
    ".weak MPI_Win_start",
    ".set MPI_Win_start, PMPI_Win_start",
    ".weak MPI_Win_sync",
    ".set MPI_Win_sync, PMPI_Win_sync",
    ".weak MPI_Win_test",
    ".set MPI_Win_test, PMPI_Win_test",
    ".weak MPI_Win_unlock",
    ".set MPI_Win_unlock, PMPI_Win_unlock",
    ".weak MPI_Win_unlock_all",
    ".set MPI_Win_unlock_all, PMPI_Win_unlock_all",
    ".weak MPI_Win_wait",
    ".set MPI_Win_wait, PMPI_Win_wait",
);
