//! Entries of `crate::calls::op`. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

use crate::abi::prelude::*;

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Op_commutative(_op: Op, _commute: *mut c_int) -> c_int {
    unsupported("MPI_Op_commutative", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Op_create(
    _user_fn: Option<UserFunction>,
    _commute: c_int,
    _op: *mut Op,
) -> c_int {
    unsupported("MPI_Op_create", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Op_create_c(
    _user_fn: Option<UserFunctionC>,
    _commute: c_int,
    _op: *mut Op,
) -> c_int {
    unsupported("MPI_Op_create_c", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Op_free(_op: *mut Op) -> c_int {
    unsupported("MPI_Op_free", Origin::None)
}

std::arch::global_asm!(
    ".weak MPI_Op_commutative",
    ".set MPI_Op_commutative, PMPI_Op_commutative",
    ".weak MPI_Op_create",
    ".set MPI_Op_create, PMPI_Op_create",
    ".weak MPI_Op_create_c",
    ".set MPI_Op_create_c, PMPI_Op_create_c",
    ".weak MPI_Op_free",
    ".set MPI_Op_free, PMPI_Op_free",
);
