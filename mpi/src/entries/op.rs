//! Entries of `crate::calls::op`. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

use crate::prelude::*;

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Op_commutative(op: Op, commute: *mut c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let commute = args::out(commute);
            if checks {
                check::running()?;
            }
            let op = check::op("op", op)?;
            if checks {
                check::pointer("commute", commute)?;
            }
            crate::calls::op::op_commutative(op, commute)
        }
    };
    finish("MPI_Op_commutative", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Op_create(
    user_fn: Option<UserFunction>,
    commute: c_int,
    op: *mut Op,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let user_fn = args::user_function(user_fn);
            let op = args::out(op);
            if checks {
                check::running()?;
            }
            if checks {
                check::user_function("user_fn", user_fn)?;
                check::pointer("op", op)?;
            }
            crate::calls::op::op_create(user_fn, commute, op)
        }
    };
    finish("MPI_Op_create", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Op_create_c(
    user_fn: Option<UserFunctionC>,
    commute: c_int,
    op: *mut Op,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let user_fn = args::user_function(user_fn);
            let op = args::out(op);
            if checks {
                check::running()?;
            }
            if checks {
                check::user_function("user_fn", user_fn)?;
                check::pointer("op", op)?;
            }
            crate::calls::op::op_create(user_fn, commute, op)
        }
    };
    finish("MPI_Op_create_c", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Op_free(op: *mut Op) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let op = args::inout(op);
            if checks {
                check::running()?;
            }
            if checks {
                check::op_io("op", op)?;
            }
            crate::calls::op::op_free(op)
        }
    };
    finish("MPI_Op_free", Origin::None, call())
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
