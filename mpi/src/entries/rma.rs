//! Entries of `crate::calls::rma`. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

use crate::prelude::*;

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Accumulate(
    _origin_addr: *const c_void,
    _origin_count: c_int,
    _origin_datatype: Datatype,
    _target_rank: c_int,
    _target_disp: Aint,
    _target_count: c_int,
    _target_datatype: Datatype,
    _op: Op,
    win: Win,
) -> c_int {
    unsupported("MPI_Accumulate", Origin::Win(win))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Accumulate_c(
    _origin_addr: *const c_void,
    _origin_count: Count,
    _origin_datatype: Datatype,
    _target_rank: c_int,
    _target_disp: Aint,
    _target_count: Count,
    _target_datatype: Datatype,
    _op: Op,
    win: Win,
) -> c_int {
    unsupported("MPI_Accumulate_c", Origin::Win(win))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Compare_and_swap(
    _origin_addr: *const c_void,
    _compare_addr: *const c_void,
    _result_addr: *mut c_void,
    _datatype: Datatype,
    _target_rank: c_int,
    _target_disp: Aint,
    win: Win,
) -> c_int {
    unsupported("MPI_Compare_and_swap", Origin::Win(win))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Fetch_and_op(
    _origin_addr: *const c_void,
    _result_addr: *mut c_void,
    _datatype: Datatype,
    _target_rank: c_int,
    _target_disp: Aint,
    _op: Op,
    win: Win,
) -> c_int {
    unsupported("MPI_Fetch_and_op", Origin::Win(win))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Get(
    _origin_addr: *mut c_void,
    _origin_count: c_int,
    _origin_datatype: Datatype,
    _target_rank: c_int,
    _target_disp: Aint,
    _target_count: c_int,
    _target_datatype: Datatype,
    win: Win,
) -> c_int {
    unsupported("MPI_Get", Origin::Win(win))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Get_c(
    _origin_addr: *mut c_void,
    _origin_count: Count,
    _origin_datatype: Datatype,
    _target_rank: c_int,
    _target_disp: Aint,
    _target_count: Count,
    _target_datatype: Datatype,
    win: Win,
) -> c_int {
    unsupported("MPI_Get_c", Origin::Win(win))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Get_accumulate(
    _origin_addr: *const c_void,
    _origin_count: c_int,
    _origin_datatype: Datatype,
    _result_addr: *mut c_void,
    _result_count: c_int,
    _result_datatype: Datatype,
    _target_rank: c_int,
    _target_disp: Aint,
    _target_count: c_int,
    _target_datatype: Datatype,
    _op: Op,
    win: Win,
) -> c_int {
    unsupported("MPI_Get_accumulate", Origin::Win(win))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Get_accumulate_c(
    _origin_addr: *const c_void,
    _origin_count: Count,
    _origin_datatype: Datatype,
    _result_addr: *mut c_void,
    _result_count: Count,
    _result_datatype: Datatype,
    _target_rank: c_int,
    _target_disp: Aint,
    _target_count: Count,
    _target_datatype: Datatype,
    _op: Op,
    win: Win,
) -> c_int {
    unsupported("MPI_Get_accumulate_c", Origin::Win(win))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Put(
    _origin_addr: *const c_void,
    _origin_count: c_int,
    _origin_datatype: Datatype,
    _target_rank: c_int,
    _target_disp: Aint,
    _target_count: c_int,
    _target_datatype: Datatype,
    win: Win,
) -> c_int {
    unsupported("MPI_Put", Origin::Win(win))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Put_c(
    _origin_addr: *const c_void,
    _origin_count: Count,
    _origin_datatype: Datatype,
    _target_rank: c_int,
    _target_disp: Aint,
    _target_count: Count,
    _target_datatype: Datatype,
    win: Win,
) -> c_int {
    unsupported("MPI_Put_c", Origin::Win(win))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Raccumulate(
    _origin_addr: *const c_void,
    _origin_count: c_int,
    _origin_datatype: Datatype,
    _target_rank: c_int,
    _target_disp: Aint,
    _target_count: c_int,
    _target_datatype: Datatype,
    _op: Op,
    win: Win,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Raccumulate", Origin::Win(win))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Raccumulate_c(
    _origin_addr: *const c_void,
    _origin_count: Count,
    _origin_datatype: Datatype,
    _target_rank: c_int,
    _target_disp: Aint,
    _target_count: Count,
    _target_datatype: Datatype,
    _op: Op,
    win: Win,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Raccumulate_c", Origin::Win(win))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Rget(
    _origin_addr: *mut c_void,
    _origin_count: c_int,
    _origin_datatype: Datatype,
    _target_rank: c_int,
    _target_disp: Aint,
    _target_count: c_int,
    _target_datatype: Datatype,
    win: Win,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Rget", Origin::Win(win))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Rget_c(
    _origin_addr: *mut c_void,
    _origin_count: Count,
    _origin_datatype: Datatype,
    _target_rank: c_int,
    _target_disp: Aint,
    _target_count: Count,
    _target_datatype: Datatype,
    win: Win,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Rget_c", Origin::Win(win))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Rget_accumulate(
    _origin_addr: *const c_void,
    _origin_count: c_int,
    _origin_datatype: Datatype,
    _result_addr: *mut c_void,
    _result_count: c_int,
    _result_datatype: Datatype,
    _target_rank: c_int,
    _target_disp: Aint,
    _target_count: c_int,
    _target_datatype: Datatype,
    _op: Op,
    win: Win,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Rget_accumulate", Origin::Win(win))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Rget_accumulate_c(
    _origin_addr: *const c_void,
    _origin_count: Count,
    _origin_datatype: Datatype,
    _result_addr: *mut c_void,
    _result_count: Count,
    _result_datatype: Datatype,
    _target_rank: c_int,
    _target_disp: Aint,
    _target_count: Count,
    _target_datatype: Datatype,
    _op: Op,
    win: Win,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Rget_accumulate_c", Origin::Win(win))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Rput(
    _origin_addr: *const c_void,
    _origin_count: c_int,
    _origin_datatype: Datatype,
    _target_rank: c_int,
    _target_disp: Aint,
    _target_count: c_int,
    _target_datatype: Datatype,
    win: Win,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Rput", Origin::Win(win))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Rput_c(
    _origin_addr: *const c_void,
    _origin_count: Count,
    _origin_datatype: Datatype,
    _target_rank: c_int,
    _target_disp: Aint,
    _target_count: Count,
    _target_datatype: Datatype,
    win: Win,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Rput_c", Origin::Win(win))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_allocate(
    _size: Aint,
    _disp_unit: c_int,
    _info: Info,
    comm: Comm,
    _baseptr: *mut c_void,
    _win: *mut Win,
) -> c_int {
    unsupported("MPI_Win_allocate", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_allocate_c(
    _size: Aint,
    _disp_unit: Aint,
    _info: Info,
    comm: Comm,
    _baseptr: *mut c_void,
    _win: *mut Win,
) -> c_int {
    unsupported("MPI_Win_allocate_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_allocate_shared(
    _size: Aint,
    _disp_unit: c_int,
    _info: Info,
    comm: Comm,
    _baseptr: *mut c_void,
    _win: *mut Win,
) -> c_int {
    unsupported("MPI_Win_allocate_shared", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_allocate_shared_c(
    _size: Aint,
    _disp_unit: Aint,
    _info: Info,
    comm: Comm,
    _baseptr: *mut c_void,
    _win: *mut Win,
) -> c_int {
    unsupported("MPI_Win_allocate_shared_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_attach(win: Win, _base: *mut c_void, _size: Aint) -> c_int {
    unsupported("MPI_Win_attach", Origin::Win(win))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_complete(win: Win) -> c_int {
    unsupported("MPI_Win_complete", Origin::Win(win))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_create(
    _base: *mut c_void,
    _size: Aint,
    _disp_unit: c_int,
    _info: Info,
    comm: Comm,
    _win: *mut Win,
) -> c_int {
    unsupported("MPI_Win_create", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_create_c(
    _base: *mut c_void,
    _size: Aint,
    _disp_unit: Aint,
    _info: Info,
    comm: Comm,
    _win: *mut Win,
) -> c_int {
    unsupported("MPI_Win_create_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_create_dynamic(_info: Info, comm: Comm, _win: *mut Win) -> c_int {
    unsupported("MPI_Win_create_dynamic", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_detach(win: Win, _base: *const c_void) -> c_int {
    unsupported("MPI_Win_detach", Origin::Win(win))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_fence(_assert: c_int, win: Win) -> c_int {
    unsupported("MPI_Win_fence", Origin::Win(win))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_flush(_rank: c_int, win: Win) -> c_int {
    unsupported("MPI_Win_flush", Origin::Win(win))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_flush_all(win: Win) -> c_int {
    unsupported("MPI_Win_flush_all", Origin::Win(win))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_flush_local(_rank: c_int, win: Win) -> c_int {
    unsupported("MPI_Win_flush_local", Origin::Win(win))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_flush_local_all(win: Win) -> c_int {
    unsupported("MPI_Win_flush_local_all", Origin::Win(win))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_free(win: *mut Win) -> c_int {
    // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
    let held = unsafe { args::held(win, MPI_WIN_NULL) };
    unsupported("MPI_Win_free", Origin::Win(held))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_get_group(win: Win, _group: *mut Group) -> c_int {
    unsupported("MPI_Win_get_group", Origin::Win(win))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_get_info(win: Win, _info_used: *mut Info) -> c_int {
    unsupported("MPI_Win_get_info", Origin::Win(win))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_get_name(
    win: Win,
    _win_name: *mut c_char,
    _resultlen: *mut c_int,
) -> c_int {
    unsupported("MPI_Win_get_name", Origin::Win(win))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_lock(
    _lock_type: c_int,
    _rank: c_int,
    _assert: c_int,
    win: Win,
) -> c_int {
    unsupported("MPI_Win_lock", Origin::Win(win))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_lock_all(_assert: c_int, win: Win) -> c_int {
    unsupported("MPI_Win_lock_all", Origin::Win(win))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_post(_group: Group, _assert: c_int, win: Win) -> c_int {
    unsupported("MPI_Win_post", Origin::Win(win))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_set_info(win: Win, _info: Info) -> c_int {
    unsupported("MPI_Win_set_info", Origin::Win(win))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_set_name(win: Win, _win_name: *const c_char) -> c_int {
    unsupported("MPI_Win_set_name", Origin::Win(win))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_shared_query(
    win: Win,
    _rank: c_int,
    _size: *mut Aint,
    _disp_unit: *mut c_int,
    _baseptr: *mut c_void,
) -> c_int {
    unsupported("MPI_Win_shared_query", Origin::Win(win))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_shared_query_c(
    win: Win,
    _rank: c_int,
    _size: *mut Aint,
    _disp_unit: *mut Aint,
    _baseptr: *mut c_void,
) -> c_int {
    unsupported("MPI_Win_shared_query_c", Origin::Win(win))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_start(_group: Group, _assert: c_int, win: Win) -> c_int {
    unsupported("MPI_Win_start", Origin::Win(win))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_sync(win: Win) -> c_int {
    unsupported("MPI_Win_sync", Origin::Win(win))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_test(win: Win, _flag: *mut c_int) -> c_int {
    unsupported("MPI_Win_test", Origin::Win(win))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_unlock(_rank: c_int, win: Win) -> c_int {
    unsupported("MPI_Win_unlock", Origin::Win(win))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_unlock_all(win: Win) -> c_int {
    unsupported("MPI_Win_unlock_all", Origin::Win(win))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Win_wait(win: Win) -> c_int {
    unsupported("MPI_Win_wait", Origin::Win(win))
}

std::arch::global_asm!(
    ".weak MPI_Accumulate",
    ".set MPI_Accumulate, PMPI_Accumulate",
    ".weak MPI_Accumulate_c",
    ".set MPI_Accumulate_c, PMPI_Accumulate_c",
    ".weak MPI_Compare_and_swap",
    ".set MPI_Compare_and_swap, PMPI_Compare_and_swap",
    ".weak MPI_Fetch_and_op",
    ".set MPI_Fetch_and_op, PMPI_Fetch_and_op",
    ".weak MPI_Get",
    ".set MPI_Get, PMPI_Get",
    ".weak MPI_Get_c",
    ".set MPI_Get_c, PMPI_Get_c",
    ".weak MPI_Get_accumulate",
    ".set MPI_Get_accumulate, PMPI_Get_accumulate",
    ".weak MPI_Get_accumulate_c",
    ".set MPI_Get_accumulate_c, PMPI_Get_accumulate_c",
    ".weak MPI_Put",
    ".set MPI_Put, PMPI_Put",
    ".weak MPI_Put_c",
    ".set MPI_Put_c, PMPI_Put_c",
    ".weak MPI_Raccumulate",
    ".set MPI_Raccumulate, PMPI_Raccumulate",
    ".weak MPI_Raccumulate_c",
    ".set MPI_Raccumulate_c, PMPI_Raccumulate_c",
    ".weak MPI_Rget",
    ".set MPI_Rget, PMPI_Rget",
    ".weak MPI_Rget_c",
    ".set MPI_Rget_c, PMPI_Rget_c",
    ".weak MPI_Rget_accumulate",
    ".set MPI_Rget_accumulate, PMPI_Rget_accumulate",
    ".weak MPI_Rget_accumulate_c",
    ".set MPI_Rget_accumulate_c, PMPI_Rget_accumulate_c",
    ".weak MPI_Rput",
    ".set MPI_Rput, PMPI_Rput",
    ".weak MPI_Rput_c",
    ".set MPI_Rput_c, PMPI_Rput_c",
    ".weak MPI_Win_allocate",
    ".set MPI_Win_allocate, PMPI_Win_allocate",
    ".weak MPI_Win_allocate_c",
    ".set MPI_Win_allocate_c, PMPI_Win_allocate_c",
    ".weak MPI_Win_allocate_shared",
    ".set MPI_Win_allocate_shared, PMPI_Win_allocate_shared",
    ".weak MPI_Win_allocate_shared_c",
    ".set MPI_Win_allocate_shared_c, PMPI_Win_allocate_shared_c",
    ".weak MPI_Win_attach",
    ".set MPI_Win_attach, PMPI_Win_attach",
    ".weak MPI_Win_complete",
    ".set MPI_Win_complete, PMPI_Win_complete",
    ".weak MPI_Win_create",
    ".set MPI_Win_create, PMPI_Win_create",
    ".weak MPI_Win_create_c",
    ".set MPI_Win_create_c, PMPI_Win_create_c",
    ".weak MPI_Win_create_dynamic",
    ".set MPI_Win_create_dynamic, PMPI_Win_create_dynamic",
    ".weak MPI_Win_detach",
    ".set MPI_Win_detach, PMPI_Win_detach",
    ".weak MPI_Win_fence",
    ".set MPI_Win_fence, PMPI_Win_fence",
    ".weak MPI_Win_flush",
    ".set MPI_Win_flush, PMPI_Win_flush",
    ".weak MPI_Win_flush_all",
    ".set MPI_Win_flush_all, PMPI_Win_flush_all",
    ".weak MPI_Win_flush_local",
    ".set MPI_Win_flush_local, PMPI_Win_flush_local",
    ".weak MPI_Win_flush_local_all",
    ".set MPI_Win_flush_local_all, PMPI_Win_flush_local_all",
    ".weak MPI_Win_free",
    ".set MPI_Win_free, PMPI_Win_free",
    ".weak MPI_Win_get_group",
    ".set MPI_Win_get_group, PMPI_Win_get_group",
    ".weak MPI_Win_get_info",
    ".set MPI_Win_get_info, PMPI_Win_get_info",
    ".weak MPI_Win_get_name",
    ".set MPI_Win_get_name, PMPI_Win_get_name",
    ".weak MPI_Win_lock",
    ".set MPI_Win_lock, PMPI_Win_lock",
    ".weak MPI_Win_lock_all",
    ".set MPI_Win_lock_all, PMPI_Win_lock_all",
    ".weak MPI_Win_post",
    ".set MPI_Win_post, PMPI_Win_post",
    ".weak MPI_Win_set_info",
    ".set MPI_Win_set_info, PMPI_Win_set_info",
    ".weak MPI_Win_set_name",
    ".set MPI_Win_set_name, PMPI_Win_set_name",
    ".weak MPI_Win_shared_query",
    ".set MPI_Win_shared_query, PMPI_Win_shared_query",
    ".weak MPI_Win_shared_query_c",
    ".set MPI_Win_shared_query_c, PMPI_Win_shared_query_c",
    ".weak MPI_Win_start",
    ".set MPI_Win_start, PMPI_Win_start",
    ".weak MPI_Win_sync",
    ".set MPI_Win_sync, PMPI_Win_sync",
    ".weak MPI_Win_test",
    ".set MPI_Win_test, PMPI_Win_test",
    ".weak MPI_Win_unlock",
    ".set MPI_Win_unlock, PMPI_Win_unlock",
    ".weak MPI_Win_unlock_all",
    ".set MPI_Win_unlock_all, PMPI_Win_unlock_all",
    ".weak MPI_Win_wait",
    ".set MPI_Win_wait, PMPI_Win_wait",
);
