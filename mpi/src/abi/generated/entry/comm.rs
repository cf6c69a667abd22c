//! Entries of `crate::calls::comm`. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

use crate::abi::prelude::*;

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_compare(comm1: Comm, _comm2: Comm, _result: *mut c_int) -> c_int {
    unsupported("MPI_Comm_compare", Origin::Comm(comm1))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_create(comm: Comm, _group: Group, _newcomm: *mut Comm) -> c_int {
    unsupported("MPI_Comm_create", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_create_from_group(
    _group: Group,
    _stringtag: *const c_char,
    _info: Info,
    _errhandler: Errhandler,
    _newcomm: *mut Comm,
) -> c_int {
    unsupported("MPI_Comm_create_from_group", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_create_group(
    comm: Comm,
    _group: Group,
    _tag: c_int,
    _newcomm: *mut Comm,
) -> c_int {
    unsupported("MPI_Comm_create_group", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_dup(comm: Comm, _newcomm: *mut Comm) -> c_int {
    unsupported("MPI_Comm_dup", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_dup_with_info(
    comm: Comm,
    _info: Info,
    _newcomm: *mut Comm,
) -> c_int {
    unsupported("MPI_Comm_dup_with_info", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_free(_comm: *mut Comm) -> c_int {
    unsupported("MPI_Comm_free", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_get_info(comm: Comm, _info_used: *mut Info) -> c_int {
    unsupported("MPI_Comm_get_info", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_get_name(
    comm: Comm,
    _comm_name: *mut c_char,
    _resultlen: *mut c_int,
) -> c_int {
    unsupported("MPI_Comm_get_name", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_group(comm: Comm, _group: *mut Group) -> c_int {
    unsupported("MPI_Comm_group", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_idup(
    comm: Comm,
    _newcomm: *mut Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Comm_idup", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_idup_with_info(
    comm: Comm,
    _info: Info,
    _newcomm: *mut Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Comm_idup_with_info", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_rank(comm: Comm, _rank: *mut c_int) -> c_int {
    unsupported("MPI_Comm_rank", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_remote_group(comm: Comm, _group: *mut Group) -> c_int {
    unsupported("MPI_Comm_remote_group", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_remote_size(comm: Comm, _size: *mut c_int) -> c_int {
    unsupported("MPI_Comm_remote_size", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_set_info(comm: Comm, _info: Info) -> c_int {
    unsupported("MPI_Comm_set_info", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_set_name(comm: Comm, _comm_name: *const c_char) -> c_int {
    unsupported("MPI_Comm_set_name", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_size(comm: Comm, _size: *mut c_int) -> c_int {
    unsupported("MPI_Comm_size", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_split(
    comm: Comm,
    _color: c_int,
    _key: c_int,
    _newcomm: *mut Comm,
) -> c_int {
    unsupported("MPI_Comm_split", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_split_type(
    comm: Comm,
    _split_type: c_int,
    _key: c_int,
    _info: Info,
    _newcomm: *mut Comm,
) -> c_int {
    unsupported("MPI_Comm_split_type", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_test_inter(comm: Comm, _flag: *mut c_int) -> c_int {
    unsupported("MPI_Comm_test_inter", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Intercomm_create(
    local_comm: Comm,
    _local_leader: c_int,
    _peer_comm: Comm,
    _remote_leader: c_int,
    _tag: c_int,
    _newintercomm: *mut Comm,
) -> c_int {
    unsupported("MPI_Intercomm_create", Origin::Comm(local_comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Intercomm_create_from_groups(
    _local_group: Group,
    _local_leader: c_int,
    _remote_group: Group,
    _remote_leader: c_int,
    _stringtag: *const c_char,
    _info: Info,
    _errhandler: Errhandler,
    _newintercomm: *mut Comm,
) -> c_int {
    unsupported("MPI_Intercomm_create_from_groups", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Intercomm_merge(
    intercomm: Comm,
    _high: c_int,
    _newintracomm: *mut Comm,
) -> c_int {
    unsupported("MPI_Intercomm_merge", Origin::Comm(intercomm))
}

std::arch::global_asm!(
    ".weak MPI_Comm_compare",
    ".set MPI_Comm_compare, PMPI_Comm_compare",
    ".weak MPI_Comm_create",
    ".set MPI_Comm_create, PMPI_Comm_create",
    ".weak MPI_Comm_create_from_group",
    ".set MPI_Comm_create_from_group, PMPI_Comm_create_from_group",
    ".weak MPI_Comm_create_group",
    ".set MPI_Comm_create_group, PMPI_Comm_create_group",
    ".weak MPI_Comm_dup",
    ".set MPI_Comm_dup, PMPI_Comm_dup",
    ".weak MPI_Comm_dup_with_info",
    ".set MPI_Comm_dup_with_info, PMPI_Comm_dup_with_info",
    ".weak MPI_Comm_free",
    ".set MPI_Comm_free, PMPI_Comm_free",
    ".weak MPI_Comm_get_info",
    ".set MPI_Comm_get_info, PMPI_Comm_get_info",
    ".weak MPI_Comm_get_name",
    ".set MPI_Comm_get_name, PMPI_Comm_get_name",
    ".weak MPI_Comm_group",
    ".set MPI_Comm_group, PMPI_Comm_group",
    ".weak MPI_Comm_idup",
    ".set MPI_Comm_idup, PMPI_Comm_idup",
    ".weak MPI_Comm_idup_with_info",
    ".set MPI_Comm_idup_with_info, PMPI_Comm_idup_with_info",
    ".weak MPI_Comm_rank",
    ".set MPI_Comm_rank, PMPI_Comm_rank",
    ".weak MPI_Comm_remote_group",
    ".set MPI_Comm_remote_group, PMPI_Comm_remote_group",
    ".weak MPI_Comm_remote_size",
    ".set MPI_Comm_remote_size, PMPI_Comm_remote_size",
    ".weak MPI_Comm_set_info",
    ".set MPI_Comm_set_info, PMPI_Comm_set_info",
    ".weak MPI_Comm_set_name",
    ".set MPI_Comm_set_name, PMPI_Comm_set_name",
    ".weak MPI_Comm_size",
    ".set MPI_Comm_size, PMPI_Comm_size",
    ".weak MPI_Comm_split",
    ".set MPI_Comm_split, PMPI_Comm_split",
    ".weak MPI_Comm_split_type",
    ".set MPI_Comm_split_type, PMPI_Comm_split_type",
    ".weak MPI_Comm_test_inter",
    ".set MPI_Comm_test_inter, PMPI_Comm_test_inter",
    ".weak MPI_Intercomm_create",
    ".set MPI_Intercomm_create, PMPI_Intercomm_create",
    ".weak MPI_Intercomm_create_from_groups",
    ".set MPI_Intercomm_create_from_groups, PMPI_Intercomm_create_from_groups",
    ".weak MPI_Intercomm_merge",
    ".set MPI_Intercomm_merge, PMPI_Intercomm_merge",
);
