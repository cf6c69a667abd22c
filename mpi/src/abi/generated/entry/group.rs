//! Entries of `crate::calls::group`. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

use crate::abi::prelude::*;

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Group_compare(
    _group1: Group,
    _group2: Group,
    _result: *mut c_int,
) -> c_int {
    unsupported("MPI_Group_compare", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Group_difference(
    _group1: Group,
    _group2: Group,
    _newgroup: *mut Group,
) -> c_int {
    unsupported("MPI_Group_difference", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Group_excl(
    _group: Group,
    _n: c_int,
    _ranks: *const c_int,
    _newgroup: *mut Group,
) -> c_int {
    unsupported("MPI_Group_excl", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Group_free(_group: *mut Group) -> c_int {
    unsupported("MPI_Group_free", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Group_from_session_pset(
    session: Session,
    _pset_name: *const c_char,
    _newgroup: *mut Group,
) -> c_int {
    unsupported("MPI_Group_from_session_pset", Origin::Session(session))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Group_incl(
    _group: Group,
    _n: c_int,
    _ranks: *const c_int,
    _newgroup: *mut Group,
) -> c_int {
    unsupported("MPI_Group_incl", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Group_intersection(
    _group1: Group,
    _group2: Group,
    _newgroup: *mut Group,
) -> c_int {
    unsupported("MPI_Group_intersection", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Group_range_excl(
    _group: Group,
    _n: c_int,
    _ranges: *mut [c_int; 3],
    _newgroup: *mut Group,
) -> c_int {
    unsupported("MPI_Group_range_excl", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Group_range_incl(
    _group: Group,
    _n: c_int,
    _ranges: *mut [c_int; 3],
    _newgroup: *mut Group,
) -> c_int {
    unsupported("MPI_Group_range_incl", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Group_rank(_group: Group, _rank: *mut c_int) -> c_int {
    unsupported("MPI_Group_rank", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Group_size(_group: Group, _size: *mut c_int) -> c_int {
    unsupported("MPI_Group_size", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Group_translate_ranks(
    _group1: Group,
    _n: c_int,
    _ranks1: *const c_int,
    _group2: Group,
    _ranks2: *mut c_int,
) -> c_int {
    unsupported("MPI_Group_translate_ranks", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Group_union(
    _group1: Group,
    _group2: Group,
    _newgroup: *mut Group,
) -> c_int {
    unsupported("MPI_Group_union", Origin::None)
}

std::arch::global_asm!(
    ".weak MPI_Group_compare",
    ".set MPI_Group_compare, PMPI_Group_compare",
    ".weak MPI_Group_difference",
    ".set MPI_Group_difference, PMPI_Group_difference",
    ".weak MPI_Group_excl",
    ".set MPI_Group_excl, PMPI_Group_excl",
    ".weak MPI_Group_free",
    ".set MPI_Group_free, PMPI_Group_free",
    ".weak MPI_Group_from_session_pset",
    ".set MPI_Group_from_session_pset, PMPI_Group_from_session_pset",
    ".weak MPI_Group_incl",
    ".set MPI_Group_incl, PMPI_Group_incl",
    ".weak MPI_Group_intersection",
    ".set MPI_Group_intersection, PMPI_Group_intersection",
    ".weak MPI_Group_range_excl",
    ".set MPI_Group_range_excl, PMPI_Group_range_excl",
    ".weak MPI_Group_range_incl",
    ".set MPI_Group_range_incl, PMPI_Group_range_incl",
    ".weak MPI_Group_rank",
    ".set MPI_Group_rank, PMPI_Group_rank",
    ".weak MPI_Group_size",
    ".set MPI_Group_size, PMPI_Group_size",
    ".weak MPI_Group_translate_ranks",
    ".set MPI_Group_translate_ranks, PMPI_Group_translate_ranks",
    ".weak MPI_Group_union",
    ".set MPI_Group_union, PMPI_Group_union",
);
