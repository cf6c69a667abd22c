//! Entries of `crate::calls::tool`. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

use crate::abi::prelude::*;

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_category_changed(_update_number: *mut c_int) -> c_int {
    unsupported("MPI_T_category_changed", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_category_get_categories(
    _cat_index: c_int,
    _len: c_int,
    _indices: *mut c_int,
) -> c_int {
    unsupported("MPI_T_category_get_categories", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_category_get_cvars(
    _cat_index: c_int,
    _len: c_int,
    _indices: *mut c_int,
) -> c_int {
    unsupported("MPI_T_category_get_cvars", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_category_get_events(
    _cat_index: c_int,
    _len: c_int,
    _indices: *mut c_int,
) -> c_int {
    unsupported("MPI_T_category_get_events", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_category_get_index(
    _name: *const c_char,
    _cat_index: *mut c_int,
) -> c_int {
    unsupported("MPI_T_category_get_index", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_category_get_info(
    _cat_index: c_int,
    _name: *mut c_char,
    _name_len: *mut c_int,
    _desc: *mut c_char,
    _desc_len: *mut c_int,
    _num_cvars: *mut c_int,
    _num_pvars: *mut c_int,
    _num_categories: *mut c_int,
) -> c_int {
    unsupported("MPI_T_category_get_info", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_category_get_num(_num_cat: *mut c_int) -> c_int {
    unsupported("MPI_T_category_get_num", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_category_get_num_events(
    _cat_index: c_int,
    _num_events: *mut c_int,
) -> c_int {
    unsupported("MPI_T_category_get_num_events", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_category_get_pvars(
    _cat_index: c_int,
    _len: c_int,
    _indices: *mut c_int,
) -> c_int {
    unsupported("MPI_T_category_get_pvars", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_cvar_get_index(_name: *const c_char, _cvar_index: *mut c_int) -> c_int {
    unsupported("MPI_T_cvar_get_index", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_cvar_get_info(
    _cvar_index: c_int,
    _name: *mut c_char,
    _name_len: *mut c_int,
    _verbosity: *mut c_int,
    _datatype: *mut Datatype,
    _enumtype: *mut TEnum,
    _desc: *mut c_char,
    _desc_len: *mut c_int,
    _bind: *mut c_int,
    _scope: *mut c_int,
) -> c_int {
    unsupported("MPI_T_cvar_get_info", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_cvar_get_num(_num_cvar: *mut c_int) -> c_int {
    unsupported("MPI_T_cvar_get_num", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_cvar_handle_alloc(
    _cvar_index: c_int,
    _obj_handle: *mut c_void,
    _handle: *mut TCvarHandle,
    _count: *mut c_int,
) -> c_int {
    unsupported("MPI_T_cvar_handle_alloc", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_cvar_handle_free(_handle: *mut TCvarHandle) -> c_int {
    unsupported("MPI_T_cvar_handle_free", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_cvar_read(_handle: TCvarHandle, _buf: *mut c_void) -> c_int {
    unsupported("MPI_T_cvar_read", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_cvar_write(_handle: TCvarHandle, _buf: *const c_void) -> c_int {
    unsupported("MPI_T_cvar_write", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_enum_get_info(
    _enumtype: TEnum,
    _num: *mut c_int,
    _name: *mut c_char,
    _name_len: *mut c_int,
) -> c_int {
    unsupported("MPI_T_enum_get_info", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_enum_get_item(
    _enumtype: TEnum,
    _indx: c_int,
    _value: *mut c_int,
    _name: *mut c_char,
    _name_len: *mut c_int,
) -> c_int {
    unsupported("MPI_T_enum_get_item", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_event_callback_get_info(
    _event_registration: TEventRegistration,
    _cb_safety: TCbSafety,
    _info_used: *mut Info,
) -> c_int {
    unsupported("MPI_T_event_callback_get_info", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_event_callback_set_info(
    _event_registration: TEventRegistration,
    _cb_safety: TCbSafety,
    _info: Info,
) -> c_int {
    unsupported("MPI_T_event_callback_set_info", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_event_copy(
    _event_instance: TEventInstance,
    _buffer: *mut c_void,
) -> c_int {
    unsupported("MPI_T_event_copy", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_event_get_index(
    _name: *const c_char,
    _event_index: *mut c_int,
) -> c_int {
    unsupported("MPI_T_event_get_index", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_event_get_info(
    _event_index: c_int,
    _name: *mut c_char,
    _name_len: *mut c_int,
    _verbosity: *mut c_int,
    _array_of_datatypes: *mut Datatype,
    _array_of_displacements: *mut Aint,
    _num_elements: *mut c_int,
    _enumtype: *mut TEnum,
    _info: *mut Info,
    _desc: *mut c_char,
    _desc_len: *mut c_int,
    _bind: *mut c_int,
) -> c_int {
    unsupported("MPI_T_event_get_info", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_event_get_num(_num_events: *mut c_int) -> c_int {
    unsupported("MPI_T_event_get_num", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_event_get_source(
    _event_instance: TEventInstance,
    _source_index: *mut c_int,
) -> c_int {
    unsupported("MPI_T_event_get_source", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_event_get_timestamp(
    _event_instance: TEventInstance,
    _event_timestamp: *mut Count,
) -> c_int {
    unsupported("MPI_T_event_get_timestamp", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_event_handle_alloc(
    _event_index: c_int,
    _obj_handle: *mut c_void,
    _info: Info,
    _event_registration: *mut TEventRegistration,
) -> c_int {
    unsupported("MPI_T_event_handle_alloc", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_event_handle_free(
    _event_registration: TEventRegistration,
    _user_data: *mut c_void,
    _free_cb_function: Option<TEventFreeCbFunction>,
) -> c_int {
    unsupported("MPI_T_event_handle_free", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_event_handle_get_info(
    _event_registration: TEventRegistration,
    _info_used: *mut Info,
) -> c_int {
    unsupported("MPI_T_event_handle_get_info", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_event_handle_set_info(
    _event_registration: TEventRegistration,
    _info: Info,
) -> c_int {
    unsupported("MPI_T_event_handle_set_info", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_event_read(
    _event_instance: TEventInstance,
    _element_index: c_int,
    _buffer: *mut c_void,
) -> c_int {
    unsupported("MPI_T_event_read", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_event_register_callback(
    _event_registration: TEventRegistration,
    _cb_safety: TCbSafety,
    _info: Info,
    _user_data: *mut c_void,
    _event_cb_function: Option<TEventCbFunction>,
) -> c_int {
    unsupported("MPI_T_event_register_callback", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_event_set_dropped_handler(
    _event_registration: TEventRegistration,
    _dropped_cb_function: Option<TEventDroppedCbFunction>,
) -> c_int {
    unsupported("MPI_T_event_set_dropped_handler", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_finalize() -> c_int {
    unsupported("MPI_T_finalize", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_init_thread(_required: c_int, _provided: *mut c_int) -> c_int {
    unsupported("MPI_T_init_thread", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_pvar_get_index(
    _name: *const c_char,
    _var_class: c_int,
    _pvar_index: *mut c_int,
) -> c_int {
    unsupported("MPI_T_pvar_get_index", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_pvar_get_info(
    _pvar_index: c_int,
    _name: *mut c_char,
    _name_len: *mut c_int,
    _verbosity: *mut c_int,
    _var_class: *mut c_int,
    _datatype: *mut Datatype,
    _enumtype: *mut TEnum,
    _desc: *mut c_char,
    _desc_len: *mut c_int,
    _bind: *mut c_int,
    _readonly: *mut c_int,
    _continuous: *mut c_int,
    _atomic: *mut c_int,
) -> c_int {
    unsupported("MPI_T_pvar_get_info", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_pvar_get_num(_num_pvar: *mut c_int) -> c_int {
    unsupported("MPI_T_pvar_get_num", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_pvar_handle_alloc(
    _session: TPvarSession,
    _pvar_index: c_int,
    _obj_handle: *mut c_void,
    _handle: *mut TPvarHandle,
    _count: *mut c_int,
) -> c_int {
    unsupported("MPI_T_pvar_handle_alloc", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_pvar_handle_free(
    _session: TPvarSession,
    _handle: *mut TPvarHandle,
) -> c_int {
    unsupported("MPI_T_pvar_handle_free", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_pvar_read(
    _session: TPvarSession,
    _handle: TPvarHandle,
    _buf: *mut c_void,
) -> c_int {
    unsupported("MPI_T_pvar_read", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_pvar_readreset(
    _session: TPvarSession,
    _handle: TPvarHandle,
    _buf: *mut c_void,
) -> c_int {
    unsupported("MPI_T_pvar_readreset", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_pvar_reset(_session: TPvarSession, _handle: TPvarHandle) -> c_int {
    unsupported("MPI_T_pvar_reset", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_pvar_session_create(_session: *mut TPvarSession) -> c_int {
    unsupported("MPI_T_pvar_session_create", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_pvar_session_free(_session: *mut TPvarSession) -> c_int {
    unsupported("MPI_T_pvar_session_free", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_pvar_start(_session: TPvarSession, _handle: TPvarHandle) -> c_int {
    unsupported("MPI_T_pvar_start", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_pvar_stop(_session: TPvarSession, _handle: TPvarHandle) -> c_int {
    unsupported("MPI_T_pvar_stop", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_pvar_write(
    _session: TPvarSession,
    _handle: TPvarHandle,
    _buf: *const c_void,
) -> c_int {
    unsupported("MPI_T_pvar_write", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_source_get_info(
    _source_index: c_int,
    _name: *mut c_char,
    _name_len: *mut c_int,
    _desc: *mut c_char,
    _desc_len: *mut c_int,
    _ordering: *mut TSourceOrder,
    _ticks_per_second: *mut Count,
    _max_ticks: *mut Count,
    _info: *mut Info,
) -> c_int {
    unsupported("MPI_T_source_get_info", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_source_get_num(_num_sources: *mut c_int) -> c_int {
    unsupported("MPI_T_source_get_num", Origin::Tool)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_source_get_timestamp(
    _source_index: c_int,
    _timestamp: *mut Count,
) -> c_int {
    unsupported("MPI_T_source_get_timestamp", Origin::Tool)
}

std::arch::global_asm!(
    ".weak MPI_T_category_changed",
    ".set MPI_T_category_changed, PMPI_T_category_changed",
    ".weak MPI_T_category_get_categories",
    ".set MPI_T_category_get_categories, PMPI_T_category_get_categories",
    ".weak MPI_T_category_get_cvars",
    ".set MPI_T_category_get_cvars, PMPI_T_category_get_cvars",
    ".weak MPI_T_category_get_events",
    ".set MPI_T_category_get_events, PMPI_T_category_get_events",
    ".weak MPI_T_category_get_index",
    ".set MPI_T_category_get_index, PMPI_T_category_get_index",
    ".weak MPI_T_category_get_info",
    ".set MPI_T_category_get_info, PMPI_T_category_get_info",
    ".weak MPI_T_category_get_num",
    ".set MPI_T_category_get_num, PMPI_T_category_get_num",
    ".weak MPI_T_category_get_num_events",
    ".set MPI_T_category_get_num_events, PMPI_T_category_get_num_events",
    ".weak MPI_T_category_get_pvars",
    ".set MPI_T_category_get_pvars, PMPI_T_category_get_pvars",
    ".weak MPI_T_cvar_get_index",
    ".set MPI_T_cvar_get_index, PMPI_T_cvar_get_index",
    ".weak MPI_T_cvar_get_info",
    ".set MPI_T_cvar_get_info, PMPI_T_cvar_get_info",
    ".weak MPI_T_cvar_get_num",
    ".set MPI_T_cvar_get_num, PMPI_T_cvar_get_num",
    ".weak MPI_T_cvar_handle_alloc",
    ".set MPI_T_cvar_handle_alloc, PMPI_T_cvar_handle_alloc",
    ".weak MPI_T_cvar_handle_free",
    ".set MPI_T_cvar_handle_free, PMPI_T_cvar_handle_free",
    ".weak MPI_T_cvar_read",
    ".set MPI_T_cvar_read, PMPI_T_cvar_read",
    ".weak MPI_T_cvar_write",
    ".set MPI_T_cvar_write, PMPI_T_cvar_write",
    ".weak MPI_T_enum_get_info",
    ".set MPI_T_enum_get_info, PMPI_T_enum_get_info",
    ".weak MPI_T_enum_get_item",
    ".set MPI_T_enum_get_item, PMPI_T_enum_get_item",
    ".weak MPI_T_event_callback_get_info",
    ".set MPI_T_event_callback_get_info, PMPI_T_event_callback_get_info",
    ".weak MPI_T_event_callback_set_info",
    ".set MPI_T_event_callback_set_info, PMPI_T_event_callback_set_info",
    ".weak MPI_T_event_copy",
    ".set MPI_T_event_copy, PMPI_T_event_copy",
    ".weak MPI_T_event_get_index",
    ".set MPI_T_event_get_index, PMPI_T_event_get_index",
    ".weak MPI_T_event_get_info",
    ".set MPI_T_event_get_info, PMPI_T_event_get_info",
    ".weak MPI_T_event_get_num",
    ".set MPI_T_event_get_num, PMPI_T_event_get_num",
    ".weak MPI_T_event_get_source",
    ".set MPI_T_event_get_source, PMPI_T_event_get_source",
    ".weak MPI_T_event_get_timestamp",
    ".set MPI_T_event_get_timestamp, PMPI_T_event_get_timestamp",
    ".weak MPI_T_event_handle_alloc",
    ".set MPI_T_event_handle_alloc, PMPI_T_event_handle_alloc",
    ".weak MPI_T_event_handle_free",
    ".set MPI_T_event_handle_free, PMPI_T_event_handle_free",
    ".weak MPI_T_event_handle_get_info",
    ".set MPI_T_event_handle_get_info, PMPI_T_event_handle_get_info",
    ".weak MPI_T_event_handle_set_info",
    ".set MPI_T_event_handle_set_info, PMPI_T_event_handle_set_info",
    ".weak MPI_T_event_read",
    ".set MPI_T_event_read, PMPI_T_event_read",
    ".weak MPI_T_event_register_callback",
    ".set MPI_T_event_register_callback, PMPI_T_event_register_callback",
    ".weak MPI_T_event_set_dropped_handler",
    ".set MPI_T_event_set_dropped_handler, PMPI_T_event_set_dropped_handler",
    ".weak MPI_T_finalize",
    ".set MPI_T_finalize, PMPI_T_finalize",
    ".weak MPI_T_init_thread",
    ".set MPI_T_init_thread, PMPI_T_init_thread",
    ".weak MPI_T_pvar_get_index",
    ".set MPI_T_pvar_get_index, PMPI_T_pvar_get_index",
    ".weak MPI_T_pvar_get_info",
    ".set MPI_T_pvar_get_info, PMPI_T_pvar_get_info",
    ".weak MPI_T_pvar_get_num",
    ".set MPI_T_pvar_get_num, PMPI_T_pvar_get_num",
    ".weak MPI_T_pvar_handle_alloc",
    ".set MPI_T_pvar_handle_alloc, PMPI_T_pvar_handle_alloc",
    ".weak MPI_T_pvar_handle_free",
    ".set MPI_T_pvar_handle_free, PMPI_T_pvar_handle_free",
    ".weak MPI_T_pvar_read",
    ".set MPI_T_pvar_read, PMPI_T_pvar_read",
    ".weak MPI_T_pvar_readreset",
    ".set MPI_T_pvar_readreset, PMPI_T_pvar_readreset",
    ".weak MPI_T_pvar_reset",
    ".set MPI_T_pvar_reset, PMPI_T_pvar_reset",
    ".weak MPI_T_pvar_session_create",
    ".set MPI_T_pvar_session_create, PMPI_T_pvar_session_create",
    ".weak MPI_T_pvar_session_free",
    ".set MPI_T_pvar_session_free, PMPI_T_pvar_session_free",
    ".weak MPI_T_pvar_start",
    ".set MPI_T_pvar_start, PMPI_T_pvar_start",
    ".weak MPI_T_pvar_stop",
    ".set MPI_T_pvar_stop, PMPI_T_pvar_stop",
    ".weak MPI_T_pvar_write",
    ".set MPI_T_pvar_write, PMPI_T_pvar_write",
    ".weak MPI_T_source_get_info",
    ".set MPI_T_source_get_info, PMPI_T_source_get_info",
    ".weak MPI_T_source_get_num",
    ".set MPI_T_source_get_num, PMPI_T_source_get_num",
    ".weak MPI_T_source_get_timestamp",
    ".set MPI_T_source_get_timestamp, PMPI_T_source_get_timestamp",
);
