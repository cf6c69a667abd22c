//! Entries of `crate::calls::info`. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

use crate::prelude::*;

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Info_create(info: *mut Info) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let info = args::out(info);
            if checks {
                check::pointer("info", info)?;
            }
            crate::calls::info::info_create(info)
        }
    };
    finish("MPI_Info_create", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Info_create_env(
    argc: c_int,
    argv: *mut *mut c_char,
    info: *mut Info,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let info = args::out(info);
            if checks {
                check::length("argc", argc)?;
                check::pointer("info", info)?;
            }
            crate::calls::info::info_create_env(argc, argv, info)
        }
    };
    finish("MPI_Info_create_env", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Info_delete(info: Info, key: *const c_char) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let info = check::info_object("info", info)?;
            if checks {
                check::pointer("key", key)?;
            }
            let key = args::text(key);
            if checks {
                check::info_key("key", key)?;
            }
            crate::calls::info::info_delete(info, key)
        }
    };
    finish("MPI_Info_delete", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Info_dup(info: Info, newinfo: *mut Info) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let newinfo = args::out(newinfo);
            let info = check::info_object("info", info)?;
            if checks {
                check::pointer("newinfo", newinfo)?;
            }
            crate::calls::info::info_dup(info, newinfo)
        }
    };
    finish("MPI_Info_dup", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Info_free(info: *mut Info) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let info = args::inout(info);
            if checks {
                check::info_io("info", info)?;
            }
            crate::calls::info::info_free(info)
        }
    };
    finish("MPI_Info_free", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Info_get(
    info: Info,
    key: *const c_char,
    valuelen: c_int,
    value: *mut c_char,
    flag: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let flag = args::out(flag);
            let info = check::info_object("info", info)?;
            if checks {
                check::pointer("key", key)?;
                check::length("valuelen", valuelen)?;
                check::pointer("flag", flag)?;
            }
            let key = args::text(key);
            if checks {
                check::info_key("key", key)?;
            }
            crate::calls::info::info_get(info, key, valuelen, value, flag)
        }
    };
    finish("MPI_Info_get", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Info_get_nkeys(info: Info, nkeys: *mut c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let nkeys = args::out(nkeys);
            let info = check::info_object("info", info)?;
            if checks {
                check::pointer("nkeys", nkeys)?;
            }
            crate::calls::info::info_get_nkeys(info, nkeys)
        }
    };
    finish("MPI_Info_get_nkeys", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Info_get_nthkey(info: Info, n: c_int, key: *mut c_char) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let info = check::info_object("info", info)?;
            if checks {
                check::pointer("key", key)?;
            }
            let key = {
                let length = args::length(MPI_MAX_INFO_KEY);
                args::text_out(key, length)
            };
            crate::calls::info::info_get_nthkey(info, n, key)
        }
    };
    finish("MPI_Info_get_nthkey", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Info_get_string(
    info: Info,
    key: *const c_char,
    buflen: *mut c_int,
    value: *mut c_char,
    flag: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let buflen = args::inout(buflen);
            let flag = args::out(flag);
            let info = check::info_object("info", info)?;
            if checks {
                check::pointer("key", key)?;
                check::pointer("buflen", buflen)?;
                check::pointer("flag", flag)?;
            }
            let key = args::text(key);
            if checks {
                check::info_key("key", key)?;
            }
            crate::calls::info::info_get_string(info, key, buflen, value, flag)
        }
    };
    finish("MPI_Info_get_string", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Info_get_valuelen(
    info: Info,
    key: *const c_char,
    valuelen: *mut c_int,
    flag: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let valuelen = args::out(valuelen);
            let flag = args::out(flag);
            let info = check::info_object("info", info)?;
            if checks {
                check::pointer("key", key)?;
                check::pointer("valuelen", valuelen)?;
                check::pointer("flag", flag)?;
            }
            let key = args::text(key);
            if checks {
                check::info_key("key", key)?;
            }
            crate::calls::info::info_get_valuelen(info, key, valuelen, flag)
        }
    };
    finish("MPI_Info_get_valuelen", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Info_set(info: Info, key: *const c_char, value: *const c_char) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let info = check::info_object("info", info)?;
            if checks {
                check::pointer("key", key)?;
                check::pointer("value", value)?;
            }
            let key = args::text(key);
            let value = args::text(value);
            if checks {
                check::info_key("key", key)?;
                check::info_value("value", value)?;
            }
            crate::calls::info::info_set(info, key, value)
        }
    };
    finish("MPI_Info_set", Origin::None, call())
}

std::arch::global_asm!(
    ".weak MPI_Info_create",
    ".set MPI_Info_create, PMPI_Info_create",
    ".weak MPI_Info_create_env",
    ".set MPI_Info_create_env, PMPI_Info_create_env",
    ".weak MPI_Info_delete",
    ".set MPI_Info_delete, PMPI_Info_delete",
    ".weak MPI_Info_dup",
    ".set MPI_Info_dup, PMPI_Info_dup",
    ".weak MPI_Info_free",
    ".set MPI_Info_free, PMPI_Info_free",
    ".weak MPI_Info_get",
    ".set MPI_Info_get, PMPI_Info_get",
    ".weak MPI_Info_get_nkeys",
    ".set MPI_Info_get_nkeys, PMPI_Info_get_nkeys",
    ".weak MPI_Info_get_nthkey",
    ".set MPI_Info_get_nthkey, PMPI_Info_get_nthkey",
    ".weak MPI_Info_get_string",
    ".set MPI_Info_get_string, PMPI_Info_get_string",
    ".weak MPI_Info_get_valuelen",
    ".set MPI_Info_get_valuelen, PMPI_Info_get_valuelen",
    ".weak MPI_Info_set",
    ".set MPI_Info_set, PMPI_Info_set",
);
