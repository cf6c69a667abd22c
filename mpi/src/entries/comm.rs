//! Entries of `crate::calls::comm`. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

use crate::prelude::*;

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_compare(comm1: Comm, comm2: Comm, result: *mut c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let result = args::out(result);
            if checks {
                check::running()?;
            }
            let comm1 = check::comm("comm1", comm1)?;
            let comm2 = check::comm("comm2", comm2)?;
            if checks {
                check::pointer("result", result)?;
            }
            crate::calls::comm::comm_compare(comm1, comm2, result)
        }
    };
    finish("MPI_Comm_compare", Origin::Comm(comm1), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_create(comm: Comm, group: Group, newcomm: *mut Comm) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let newcomm = args::out(newcomm);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            let group = check::group("group", group)?;
            if checks {
                check::pointer("newcomm", newcomm)?;
            }
            crate::calls::comm::comm_create(comm, group, newcomm)
        }
    };
    finish("MPI_Comm_create", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_create_from_group(
    group: Group,
    stringtag: *const c_char,
    info: Info,
    errhandler: Errhandler,
    newcomm: *mut Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let newcomm = args::out(newcomm);
            if checks {
                check::running()?;
            }
            let group = check::group("group", group)?;
            let info = check::info("info", info)?;
            let errhandler = check::errhandler("errhandler", errhandler)?;
            if checks {
                check::pointer("stringtag", stringtag)?;
                check::pointer("newcomm", newcomm)?;
            }
            let stringtag = args::text(stringtag);
            crate::calls::comm::comm_create_from_group(group, stringtag, info, errhandler, newcomm)
        }
    };
    finish("MPI_Comm_create_from_group", Origin::Handler(errhandler), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_create_group(
    comm: Comm,
    group: Group,
    tag: c_int,
    newcomm: *mut Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let newcomm = args::out(newcomm);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            let group = check::group("group", group)?;
            if checks {
                check::tag("tag", tag)?;
                check::pointer("newcomm", newcomm)?;
            }
            crate::calls::comm::comm_create_group(comm, group, tag, newcomm)
        }
    };
    finish("MPI_Comm_create_group", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_dup(comm: Comm, newcomm: *mut Comm) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let newcomm = args::out(newcomm);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::pointer("newcomm", newcomm)?;
            }
            crate::calls::comm::comm_dup(comm, newcomm)
        }
    };
    finish("MPI_Comm_dup", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_dup_with_info(comm: Comm, info: Info, newcomm: *mut Comm) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let newcomm = args::out(newcomm);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            let info = check::info("info", info)?;
            if checks {
                check::pointer("newcomm", newcomm)?;
            }
            crate::calls::comm::comm_dup_with_info(comm, info, newcomm)
        }
    };
    finish("MPI_Comm_dup_with_info", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_free(comm: *mut Comm) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let comm = args::inout(comm);
            if checks {
                check::running()?;
            }
            if checks {
                check::comm_io("comm", comm)?;
            }
            crate::calls::comm::comm_free(comm)
        }
    };
    // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
    let held = unsafe { args::held(comm, MPI_COMM_NULL) };
    finish("MPI_Comm_free", Origin::Comm(held), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_get_info(comm: Comm, info_used: *mut Info) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let info_used = args::out(info_used);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::pointer("info_used", info_used)?;
            }
            crate::calls::comm::comm_get_info(comm, info_used)
        }
    };
    finish("MPI_Comm_get_info", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_get_name(
    comm: Comm,
    comm_name: *mut c_char,
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
                check::comm_or_null("comm", comm)?;
                check::pointer("comm_name", comm_name)?;
                check::pointer("resultlen", resultlen)?;
            }
            let comm_name = {
                let length = args::length(MPI_MAX_OBJECT_NAME);
                args::text_out(comm_name, length)
            };
            crate::calls::comm::comm_get_name(comm, comm_name, resultlen)
        }
    };
    finish("MPI_Comm_get_name", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_group(comm: Comm, group: *mut Group) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let group = args::out(group);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::pointer("group", group)?;
            }
            crate::calls::comm::comm_group(comm, group)
        }
    };
    finish("MPI_Comm_group", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_idup(
    comm: Comm,
    newcomm: *mut Comm,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let newcomm = args::out(newcomm);
            let request = args::out(request);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::pointer("newcomm", newcomm)?;
                check::pointer("request", request)?;
            }
            crate::calls::comm::comm_idup(comm, newcomm, request)
        }
    };
    finish("MPI_Comm_idup", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_idup_with_info(
    comm: Comm,
    info: Info,
    newcomm: *mut Comm,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let newcomm = args::out(newcomm);
            let request = args::out(request);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            let info = check::info("info", info)?;
            if checks {
                check::pointer("newcomm", newcomm)?;
                check::pointer("request", request)?;
            }
            crate::calls::comm::comm_idup_with_info(comm, info, newcomm, request)
        }
    };
    finish("MPI_Comm_idup_with_info", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_rank(comm: Comm, rank: *mut c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let rank = args::out(rank);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::pointer("rank", rank)?;
            }
            crate::calls::comm::comm_rank(comm, rank)
        }
    };
    finish("MPI_Comm_rank", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_remote_group(comm: Comm, group: *mut Group) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let group = args::out(group);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::pointer("group", group)?;
            }
            crate::calls::comm::comm_remote_group(comm, group)
        }
    };
    finish("MPI_Comm_remote_group", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_remote_size(comm: Comm, size: *mut c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let size = args::out(size);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::pointer("size", size)?;
            }
            crate::calls::comm::comm_remote_size(comm, size)
        }
    };
    finish("MPI_Comm_remote_size", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_set_info(comm: Comm, info: Info) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            let info = check::info("info", info)?;
            crate::calls::comm::comm_set_info(comm, info)
        }
    };
    finish("MPI_Comm_set_info", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_set_name(comm: Comm, comm_name: *const c_char) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::pointer("comm_name", comm_name)?;
            }
            let comm_name = args::text(comm_name);
            crate::calls::comm::comm_set_name(comm, comm_name)
        }
    };
    finish("MPI_Comm_set_name", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_size(comm: Comm, size: *mut c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let size = args::out(size);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::pointer("size", size)?;
            }
            crate::calls::comm::comm_size(comm, size)
        }
    };
    finish("MPI_Comm_size", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_split(
    comm: Comm,
    color: c_int,
    key: c_int,
    newcomm: *mut Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let newcomm = args::out(newcomm);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::pointer("newcomm", newcomm)?;
            }
            crate::calls::comm::comm_split(comm, color, key, newcomm)
        }
    };
    finish("MPI_Comm_split", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_split_type(
    comm: Comm,
    split_type: c_int,
    key: c_int,
    info: Info,
    newcomm: *mut Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let newcomm = args::out(newcomm);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            let info = check::info("info", info)?;
            if checks {
                check::pointer("newcomm", newcomm)?;
            }
            crate::calls::comm::comm_split_type(comm, split_type, key, info, newcomm)
        }
    };
    finish("MPI_Comm_split_type", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Comm_test_inter(comm: Comm, flag: *mut c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let flag = args::out(flag);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::pointer("flag", flag)?;
            }
            crate::calls::comm::comm_test_inter(comm, flag)
        }
    };
    finish("MPI_Comm_test_inter", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Intercomm_create(
    local_comm: Comm,
    local_leader: c_int,
    peer_comm: Comm,
    remote_leader: c_int,
    tag: c_int,
    newintercomm: *mut Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let newintercomm = args::out(newintercomm);
            if checks {
                check::running()?;
            }
            let local_comm = check::comm("local_comm", local_comm)?;
            if checks {
                check::rank("local_leader", local_leader, local_comm.peers())?;
                check::tag("tag", tag)?;
                check::pointer("newintercomm", newintercomm)?;
            }
            crate::calls::comm::intercomm_create(
                local_comm,
                local_leader,
                peer_comm,
                remote_leader,
                tag,
                newintercomm,
            )
        }
    };
    finish("MPI_Intercomm_create", Origin::Comm(local_comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Intercomm_create_from_groups(
    local_group: Group,
    local_leader: c_int,
    remote_group: Group,
    remote_leader: c_int,
    stringtag: *const c_char,
    info: Info,
    errhandler: Errhandler,
    newintercomm: *mut Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let newintercomm = args::out(newintercomm);
            if checks {
                check::running()?;
            }
            let local_group = check::group("local_group", local_group)?;
            let info = check::info("info", info)?;
            let errhandler = check::errhandler("errhandler", errhandler)?;
            if checks {
                check::pointer("stringtag", stringtag)?;
                check::pointer("newintercomm", newintercomm)?;
            }
            let stringtag = args::text(stringtag);
            crate::calls::comm::intercomm_create_from_groups(
                local_group,
                local_leader,
                remote_group,
                remote_leader,
                stringtag,
                info,
                errhandler,
                newintercomm,
            )
        }
    };
    finish("MPI_Intercomm_create_from_groups", Origin::Handler(errhandler), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Intercomm_merge(
    intercomm: Comm,
    high: c_int,
    newintracomm: *mut Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let newintracomm = args::out(newintracomm);
            if checks {
                check::running()?;
            }
            let intercomm = check::comm("intercomm", intercomm)?;
            if checks {
                check::pointer("newintracomm", newintracomm)?;
            }
            crate::calls::comm::intercomm_merge(intercomm, high, newintracomm)
        }
    };
    finish("MPI_Intercomm_merge", Origin::Comm(intercomm), call())
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
