//! Entries of `crate::calls::group`. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

use crate::prelude::*;

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Group_compare(group1: Group, group2: Group, result: *mut c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let result = args::out(result);
            if checks {
                check::running()?;
            }
            let group1 = check::group("group1", group1)?;
            let group2 = check::group("group2", group2)?;
            if checks {
                check::pointer("result", result)?;
            }
            crate::calls::group::group_compare(group1, group2, result)
        }
    };
    finish("MPI_Group_compare", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Group_difference(
    group1: Group,
    group2: Group,
    newgroup: *mut Group,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let newgroup = args::out(newgroup);
            if checks {
                check::running()?;
            }
            let group1 = check::group("group1", group1)?;
            let group2 = check::group("group2", group2)?;
            if checks {
                check::pointer("newgroup", newgroup)?;
            }
            crate::calls::group::group_difference(group1, group2, newgroup)
        }
    };
    finish("MPI_Group_difference", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Group_excl(
    group: Group,
    n: c_int,
    ranks: *const c_int,
    newgroup: *mut Group,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let newgroup = args::out(newgroup);
            if checks {
                check::running()?;
            }
            let group = check::group("group", group)?;
            if checks {
                check::length("n", n)?;
                check::pointer("newgroup", newgroup)?;
            }
            let ranks = {
                let length = args::length(n);
                check::array("ranks", ranks, length)?;
                args::slice(ranks, length)
            };
            crate::calls::group::group_excl(group, n, ranks, newgroup)
        }
    };
    finish("MPI_Group_excl", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Group_free(group: *mut Group) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let group = args::inout(group);
            if checks {
                check::running()?;
            }
            if checks {
                check::group_io("group", group)?;
            }
            crate::calls::group::group_free(group)
        }
    };
    finish("MPI_Group_free", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Group_from_session_pset(
    session: Session,
    pset_name: *const c_char,
    newgroup: *mut Group,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let newgroup = args::out(newgroup);
            if checks {
                check::running()?;
            }
            let session = check::session("session", session)?;
            if checks {
                check::pointer("pset_name", pset_name)?;
                check::pointer("newgroup", newgroup)?;
            }
            let pset_name = args::text(pset_name);
            crate::calls::group::group_from_session_pset(session, pset_name, newgroup)
        }
    };
    finish("MPI_Group_from_session_pset", Origin::Session(session), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Group_incl(
    group: Group,
    n: c_int,
    ranks: *const c_int,
    newgroup: *mut Group,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let newgroup = args::out(newgroup);
            if checks {
                check::running()?;
            }
            let group = check::group("group", group)?;
            if checks {
                check::length("n", n)?;
                check::pointer("newgroup", newgroup)?;
            }
            let ranks = {
                let length = args::length(n);
                check::array("ranks", ranks, length)?;
                args::slice(ranks, length)
            };
            crate::calls::group::group_incl(group, n, ranks, newgroup)
        }
    };
    finish("MPI_Group_incl", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Group_intersection(
    group1: Group,
    group2: Group,
    newgroup: *mut Group,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let newgroup = args::out(newgroup);
            if checks {
                check::running()?;
            }
            let group1 = check::group("group1", group1)?;
            let group2 = check::group("group2", group2)?;
            if checks {
                check::pointer("newgroup", newgroup)?;
            }
            crate::calls::group::group_intersection(group1, group2, newgroup)
        }
    };
    finish("MPI_Group_intersection", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Group_range_excl(
    group: Group,
    n: c_int,
    ranges: *mut [c_int; 3],
    newgroup: *mut Group,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let newgroup = args::out(newgroup);
            if checks {
                check::running()?;
            }
            let group = check::group("group", group)?;
            if checks {
                check::length("n", n)?;
                check::pointer("newgroup", newgroup)?;
            }
            let ranges = {
                let length = args::length(n);
                check::array("ranges", ranges, length)?;
                args::slice_mut(ranges, length)
            };
            crate::calls::group::group_range_excl(group, n, ranges, newgroup)
        }
    };
    finish("MPI_Group_range_excl", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Group_range_incl(
    group: Group,
    n: c_int,
    ranges: *mut [c_int; 3],
    newgroup: *mut Group,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let newgroup = args::out(newgroup);
            if checks {
                check::running()?;
            }
            let group = check::group("group", group)?;
            if checks {
                check::length("n", n)?;
                check::pointer("newgroup", newgroup)?;
            }
            let ranges = {
                let length = args::length(n);
                check::array("ranges", ranges, length)?;
                args::slice_mut(ranges, length)
            };
            crate::calls::group::group_range_incl(group, n, ranges, newgroup)
        }
    };
    finish("MPI_Group_range_incl", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Group_rank(group: Group, rank: *mut c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let rank = args::out(rank);
            if checks {
                check::running()?;
            }
            let group = check::group("group", group)?;
            if checks {
                check::pointer("rank", rank)?;
            }
            crate::calls::group::group_rank(group, rank)
        }
    };
    finish("MPI_Group_rank", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Group_size(group: Group, size: *mut c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let size = args::out(size);
            if checks {
                check::running()?;
            }
            let group = check::group("group", group)?;
            if checks {
                check::pointer("size", size)?;
            }
            crate::calls::group::group_size(group, size)
        }
    };
    finish("MPI_Group_size", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Group_translate_ranks(
    group1: Group,
    n: c_int,
    ranks1: *const c_int,
    group2: Group,
    ranks2: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let group1 = check::group("group1", group1)?;
            let group2 = check::group("group2", group2)?;
            if checks {
                check::length("n", n)?;
            }
            let ranks1 = {
                let length = args::length(n);
                check::array("ranks1", ranks1, length)?;
                args::slice(ranks1, length)
            };
            let ranks2 = {
                let length = args::length(n);
                check::array("ranks2", ranks2, length)?;
                args::slice_mut(ranks2, length)
            };
            crate::calls::group::group_translate_ranks(group1, n, ranks1, group2, ranks2)
        }
    };
    finish("MPI_Group_translate_ranks", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Group_union(group1: Group, group2: Group, newgroup: *mut Group) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let newgroup = args::out(newgroup);
            if checks {
                check::running()?;
            }
            let group1 = check::group("group1", group1)?;
            let group2 = check::group("group2", group2)?;
            if checks {
                check::pointer("newgroup", newgroup)?;
            }
            crate::calls::group::group_union(group1, group2, newgroup)
        }
    };
    finish("MPI_Group_union", Origin::None, call())
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
