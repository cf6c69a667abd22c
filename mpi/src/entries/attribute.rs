//! Entries of `crate::calls::attribute`. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

use crate::prelude::*;

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Attr_delete(comm: Comm, keyval: c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            crate::calls::attribute::attr_delete(comm, keyval)
        }
    };
    finish("MPI_Attr_delete", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Attr_get(
    comm: Comm,
    keyval: c_int,
    attribute_val: *mut c_void,
    flag: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let attribute_val = args::pointer_out(attribute_val);
            let flag = args::out(flag);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::pointer("attribute_val", attribute_val)?;
                check::pointer("flag", flag)?;
            }
            crate::calls::attribute::attr_get(comm, keyval, attribute_val, flag)
        }
    };
    finish("MPI_Attr_get", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Attr_put(comm: Comm, keyval: c_int, attribute_val: *mut c_void) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            crate::calls::attribute::attr_put(comm, keyval, attribute_val)
        }
    };
    finish("MPI_Attr_put", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_create_keyval(
    comm_copy_attr_fn: Option<CommCopyAttrFunction>,
    comm_delete_attr_fn: Option<CommDeleteAttrFunction>,
    comm_keyval: *mut c_int,
    extra_state: *mut c_void,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let comm_copy_attr_fn = args::copying(comm_copy_attr_fn);
            let comm_keyval = args::out(comm_keyval);
            if checks {
                check::running()?;
            }
            if checks {
                check::pointer("comm_keyval", comm_keyval)?;
            }
            crate::calls::attribute::comm_create_keyval(
                comm_copy_attr_fn,
                comm_delete_attr_fn,
                comm_keyval,
                extra_state,
            )
        }
    };
    finish("MPI_Comm_create_keyval", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_delete_attr(comm: Comm, comm_keyval: c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            crate::calls::attribute::comm_delete_attr(comm, comm_keyval)
        }
    };
    finish("MPI_Comm_delete_attr", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_free_keyval(comm_keyval: *mut c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let comm_keyval = args::inout(comm_keyval);
            if checks {
                check::running()?;
            }
            if checks {
                check::pointer("comm_keyval", comm_keyval)?;
            }
            crate::calls::attribute::comm_free_keyval(comm_keyval)
        }
    };
    finish("MPI_Comm_free_keyval", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_get_attr(
    comm: Comm,
    comm_keyval: c_int,
    attribute_val: *mut c_void,
    flag: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let attribute_val = args::pointer_out(attribute_val);
            let flag = args::out(flag);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::pointer("attribute_val", attribute_val)?;
                check::pointer("flag", flag)?;
            }
            crate::calls::attribute::comm_get_attr(comm, comm_keyval, attribute_val, flag)
        }
    };
    finish("MPI_Comm_get_attr", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_set_attr(
    comm: Comm,
    comm_keyval: c_int,
    attribute_val: *mut c_void,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            crate::calls::attribute::comm_set_attr(comm, comm_keyval, attribute_val)
        }
    };
    finish("MPI_Comm_set_attr", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Keyval_create(
    copy_fn: Option<CopyFunction>,
    delete_fn: Option<DeleteFunction>,
    keyval: *mut c_int,
    extra_state: *mut c_void,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let copy_fn = args::copying(copy_fn);
            let keyval = args::out(keyval);
            if checks {
                check::running()?;
            }
            if checks {
                check::pointer("keyval", keyval)?;
            }
            crate::calls::attribute::keyval_create(copy_fn, delete_fn, keyval, extra_state)
        }
    };
    finish("MPI_Keyval_create", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Keyval_free(keyval: *mut c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let keyval = args::inout(keyval);
            if checks {
                check::running()?;
            }
            if checks {
                check::pointer("keyval", keyval)?;
            }
            crate::calls::attribute::keyval_free(keyval)
        }
    };
    finish("MPI_Keyval_free", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_create_keyval(
    type_copy_attr_fn: Option<TypeCopyAttrFunction>,
    type_delete_attr_fn: Option<TypeDeleteAttrFunction>,
    type_keyval: *mut c_int,
    extra_state: *mut c_void,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let type_copy_attr_fn = args::copying(type_copy_attr_fn);
            let type_keyval = args::out(type_keyval);
            if checks {
                check::running()?;
            }
            if checks {
                check::pointer("type_keyval", type_keyval)?;
            }
            crate::calls::attribute::type_create_keyval(
                type_copy_attr_fn,
                type_delete_attr_fn,
                type_keyval,
                extra_state,
            )
        }
    };
    finish("MPI_Type_create_keyval", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_delete_attr(datatype: Datatype, type_keyval: c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let datatype = check::oldtype("datatype", datatype)?;
            crate::calls::attribute::type_delete_attr(datatype, type_keyval)
        }
    };
    finish("MPI_Type_delete_attr", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_free_keyval(type_keyval: *mut c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let type_keyval = args::inout(type_keyval);
            if checks {
                check::running()?;
            }
            if checks {
                check::pointer("type_keyval", type_keyval)?;
            }
            crate::calls::attribute::type_free_keyval(type_keyval)
        }
    };
    finish("MPI_Type_free_keyval", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_get_attr(
    datatype: Datatype,
    type_keyval: c_int,
    attribute_val: *mut c_void,
    flag: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let attribute_val = args::pointer_out(attribute_val);
            let flag = args::out(flag);
            if checks {
                check::running()?;
            }
            let datatype = check::oldtype("datatype", datatype)?;
            if checks {
                check::pointer("attribute_val", attribute_val)?;
                check::pointer("flag", flag)?;
            }
            crate::calls::attribute::type_get_attr(datatype, type_keyval, attribute_val, flag)
        }
    };
    finish("MPI_Type_get_attr", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_set_attr(
    datatype: Datatype,
    type_keyval: c_int,
    attribute_val: *mut c_void,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let datatype = check::oldtype("datatype", datatype)?;
            crate::calls::attribute::type_set_attr(datatype, type_keyval, attribute_val)
        }
    };
    finish("MPI_Type_set_attr", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_create_keyval(
    win_copy_attr_fn: Option<WinCopyAttrFunction>,
    win_delete_attr_fn: Option<WinDeleteAttrFunction>,
    win_keyval: *mut c_int,
    extra_state: *mut c_void,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let win_copy_attr_fn = args::copying(win_copy_attr_fn);
            let win_keyval = args::out(win_keyval);
            if checks {
                check::running()?;
            }
            if checks {
                check::pointer("win_keyval", win_keyval)?;
            }
            crate::calls::attribute::win_create_keyval(
                win_copy_attr_fn,
                win_delete_attr_fn,
                win_keyval,
                extra_state,
            )
        }
    };
    finish("MPI_Win_create_keyval", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_delete_attr(win: Win, win_keyval: c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let win = check::win("win", win)?;
            crate::calls::attribute::win_delete_attr(win, win_keyval)
        }
    };
    finish("MPI_Win_delete_attr", Origin::Win(win), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_free_keyval(win_keyval: *mut c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let win_keyval = args::inout(win_keyval);
            if checks {
                check::running()?;
            }
            if checks {
                check::pointer("win_keyval", win_keyval)?;
            }
            crate::calls::attribute::win_free_keyval(win_keyval)
        }
    };
    finish("MPI_Win_free_keyval", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_get_attr(
    win: Win,
    win_keyval: c_int,
    attribute_val: *mut c_void,
    flag: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let attribute_val = args::pointer_out(attribute_val);
            let flag = args::out(flag);
            if checks {
                check::running()?;
            }
            let win = check::win("win", win)?;
            if checks {
                check::pointer("attribute_val", attribute_val)?;
                check::pointer("flag", flag)?;
            }
            crate::calls::attribute::win_get_attr(win, win_keyval, attribute_val, flag)
        }
    };
    finish("MPI_Win_get_attr", Origin::Win(win), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_set_attr(
    win: Win,
    win_keyval: c_int,
    attribute_val: *mut c_void,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let win = check::win("win", win)?;
            crate::calls::attribute::win_set_attr(win, win_keyval, attribute_val)
        }
    };
    finish("MPI_Win_set_attr", Origin::Win(win), call())
}

std::arch::global_asm!(
    ".weak MPI_Attr_delete",
    ".set MPI_Attr_delete, PMPI_Attr_delete",
    ".weak MPI_Attr_get",
    ".set MPI_Attr_get, PMPI_Attr_get",
    ".weak MPI_Attr_put",
    ".set MPI_Attr_put, PMPI_Attr_put",
    ".weak MPI_Comm_create_keyval",
    ".set MPI_Comm_create_keyval, PMPI_Comm_create_keyval",
    ".weak MPI_Comm_delete_attr",
    ".set MPI_Comm_delete_attr, PMPI_Comm_delete_attr",
    ".weak MPI_Comm_free_keyval",
    ".set MPI_Comm_free_keyval, PMPI_Comm_free_keyval",
    ".weak MPI_Comm_get_attr",
    ".set MPI_Comm_get_attr, PMPI_Comm_get_attr",
    ".weak MPI_Comm_set_attr",
    ".set MPI_Comm_set_attr, PMPI_Comm_set_attr",
    ".weak MPI_Keyval_create",
    ".set MPI_Keyval_create, PMPI_Keyval_create",
    ".weak MPI_Keyval_free",
    ".set MPI_Keyval_free, PMPI_Keyval_free",
    ".weak MPI_Type_create_keyval",
    ".set MPI_Type_create_keyval, PMPI_Type_create_keyval",
    ".weak MPI_Type_delete_attr",
    ".set MPI_Type_delete_attr, PMPI_Type_delete_attr",
    ".weak MPI_Type_free_keyval",
    ".set MPI_Type_free_keyval, PMPI_Type_free_keyval",
    ".weak MPI_Type_get_attr",
    ".set MPI_Type_get_attr, PMPI_Type_get_attr",
    ".weak MPI_Type_set_attr",
    ".set MPI_Type_set_attr, PMPI_Type_set_attr",
    ".weak MPI_Win_create_keyval",
    ".set MPI_Win_create_keyval, PMPI_Win_create_keyval",
    ".weak MPI_Win_delete_attr",
    ".set MPI_Win_delete_attr, PMPI_Win_delete_attr",
    ".weak MPI_Win_free_keyval",
    ".set MPI_Win_free_keyval, PMPI_Win_free_keyval",
    ".weak MPI_Win_get_attr",
    ".set MPI_Win_get_attr, PMPI_Win_get_attr",
    ".weak MPI_Win_set_attr",
    ".set MPI_Win_set_attr, PMPI_Win_set_attr",
);
