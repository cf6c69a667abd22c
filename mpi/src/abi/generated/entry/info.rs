//! Entries of `crate::calls::info`. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

use crate::abi::prelude::*;

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Info_create(_info: *mut Info) -> c_int {
    unsupported("MPI_Info_create", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Info_create_env(
    _argc: c_int,
    _argv: *mut *mut c_char,
    _info: *mut Info,
) -> c_int {
    unsupported("MPI_Info_create_env", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Info_delete(_info: Info, _key: *const c_char) -> c_int {
    unsupported("MPI_Info_delete", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Info_dup(_info: Info, _newinfo: *mut Info) -> c_int {
    unsupported("MPI_Info_dup", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Info_free(_info: *mut Info) -> c_int {
    unsupported("MPI_Info_free", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Info_get(
    _info: Info,
    _key: *const c_char,
    _valuelen: c_int,
    _value: *mut c_char,
    _flag: *mut c_int,
) -> c_int {
    unsupported("MPI_Info_get", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Info_get_nkeys(_info: Info, _nkeys: *mut c_int) -> c_int {
    unsupported("MPI_Info_get_nkeys", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Info_get_nthkey(_info: Info, _n: c_int, _key: *mut c_char) -> c_int {
    unsupported("MPI_Info_get_nthkey", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Info_get_string(
    _info: Info,
    _key: *const c_char,
    _buflen: *mut c_int,
    _value: *mut c_char,
    _flag: *mut c_int,
) -> c_int {
    unsupported("MPI_Info_get_string", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Info_get_valuelen(
    _info: Info,
    _key: *const c_char,
    _valuelen: *mut c_int,
    _flag: *mut c_int,
) -> c_int {
    unsupported("MPI_Info_get_valuelen", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Info_set(
    _info: Info,
    _key: *const c_char,
    _value: *const c_char,
) -> c_int {
    unsupported("MPI_Info_set", Origin::None)
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
