//! Entries of `crate::calls::attribute`. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

use crate::abi::prelude::*;

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Attr_delete(comm: Comm, _keyval: c_int) -> c_int {
    unsupported("MPI_Attr_delete", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Attr_get(
    comm: Comm,
    _keyval: c_int,
    _attribute_val: *mut c_void,
    _flag: *mut c_int,
) -> c_int {
    unsupported("MPI_Attr_get", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Attr_put(
    comm: Comm,
    _keyval: c_int,
    _attribute_val: *mut c_void,
) -> c_int {
    unsupported("MPI_Attr_put", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_create_keyval(
    _comm_copy_attr_fn: Option<CommCopyAttrFunction>,
    _comm_delete_attr_fn: Option<CommDeleteAttrFunction>,
    _comm_keyval: *mut c_int,
    _extra_state: *mut c_void,
) -> c_int {
    unsupported("MPI_Comm_create_keyval", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_delete_attr(comm: Comm, _comm_keyval: c_int) -> c_int {
    unsupported("MPI_Comm_delete_attr", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_free_keyval(_comm_keyval: *mut c_int) -> c_int {
    unsupported("MPI_Comm_free_keyval", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_get_attr(
    comm: Comm,
    _comm_keyval: c_int,
    _attribute_val: *mut c_void,
    _flag: *mut c_int,
) -> c_int {
    unsupported("MPI_Comm_get_attr", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_set_attr(
    comm: Comm,
    _comm_keyval: c_int,
    _attribute_val: *mut c_void,
) -> c_int {
    unsupported("MPI_Comm_set_attr", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Keyval_create(
    _copy_fn: Option<CopyFunction>,
    _delete_fn: Option<DeleteFunction>,
    _keyval: *mut c_int,
    _extra_state: *mut c_void,
) -> c_int {
    unsupported("MPI_Keyval_create", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Keyval_free(_keyval: *mut c_int) -> c_int {
    unsupported("MPI_Keyval_free", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_create_keyval(
    _type_copy_attr_fn: Option<TypeCopyAttrFunction>,
    _type_delete_attr_fn: Option<TypeDeleteAttrFunction>,
    _type_keyval: *mut c_int,
    _extra_state: *mut c_void,
) -> c_int {
    unsupported("MPI_Type_create_keyval", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_delete_attr(_datatype: Datatype, _type_keyval: c_int) -> c_int {
    unsupported("MPI_Type_delete_attr", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_free_keyval(_type_keyval: *mut c_int) -> c_int {
    unsupported("MPI_Type_free_keyval", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_get_attr(
    _datatype: Datatype,
    _type_keyval: c_int,
    _attribute_val: *mut c_void,
    _flag: *mut c_int,
) -> c_int {
    unsupported("MPI_Type_get_attr", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_set_attr(
    _datatype: Datatype,
    _type_keyval: c_int,
    _attribute_val: *mut c_void,
) -> c_int {
    unsupported("MPI_Type_set_attr", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_create_keyval(
    _win_copy_attr_fn: Option<WinCopyAttrFunction>,
    _win_delete_attr_fn: Option<WinDeleteAttrFunction>,
    _win_keyval: *mut c_int,
    _extra_state: *mut c_void,
) -> c_int {
    unsupported("MPI_Win_create_keyval", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_delete_attr(win: Win, _win_keyval: c_int) -> c_int {
    unsupported("MPI_Win_delete_attr", Origin::Win(win))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_free_keyval(_win_keyval: *mut c_int) -> c_int {
    unsupported("MPI_Win_free_keyval", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_get_attr(
    win: Win,
    _win_keyval: c_int,
    _attribute_val: *mut c_void,
    _flag: *mut c_int,
) -> c_int {
    unsupported("MPI_Win_get_attr", Origin::Win(win))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_set_attr(
    win: Win,
    _win_keyval: c_int,
    _attribute_val: *mut c_void,
) -> c_int {
    unsupported("MPI_Win_set_attr", Origin::Win(win))
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
