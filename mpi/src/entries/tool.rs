//! Entries of `crate::calls::tool`. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

use crate::prelude::*;

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_category_changed(update_number: *mut c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let update_number = args::out(update_number);
            if checks {
                check::tool_running()?;
            }
            if checks {
                check::pointer("update_number", update_number)?;
            }
            crate::calls::tool::t_category_changed(update_number)
        }
    };
    finish("MPI_T_category_changed", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_category_get_categories(
    cat_index: c_int,
    len: c_int,
    indices: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::tool_running()?;
            }
            if checks {
                check::length("len", len)?;
            }
            let indices = {
                let length = args::length(len);
                check::array("indices", indices, length)?;
                args::slice_mut(indices, length)
            };
            crate::calls::tool::t_category_get_categories(cat_index, len, indices)
        }
    };
    finish("MPI_T_category_get_categories", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_category_get_cvars(
    cat_index: c_int,
    len: c_int,
    indices: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::tool_running()?;
            }
            if checks {
                check::length("len", len)?;
            }
            let indices = {
                let length = args::length(len);
                check::array("indices", indices, length)?;
                args::slice_mut(indices, length)
            };
            crate::calls::tool::t_category_get_cvars(cat_index, len, indices)
        }
    };
    finish("MPI_T_category_get_cvars", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_category_get_events(
    cat_index: c_int,
    len: c_int,
    indices: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::tool_running()?;
            }
            if checks {
                check::length("len", len)?;
            }
            let indices = {
                let length = args::length(len);
                check::array("indices", indices, length)?;
                args::slice_mut(indices, length)
            };
            crate::calls::tool::t_category_get_events(cat_index, len, indices)
        }
    };
    finish("MPI_T_category_get_events", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_category_get_index(
    name: *const c_char,
    cat_index: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let cat_index = args::out(cat_index);
            if checks {
                check::tool_running()?;
            }
            if checks {
                check::pointer("name", name)?;
                check::pointer("cat_index", cat_index)?;
            }
            let name = args::text(name);
            crate::calls::tool::t_category_get_index(name, cat_index)
        }
    };
    finish("MPI_T_category_get_index", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_category_get_info(
    cat_index: c_int,
    name: *mut c_char,
    name_len: *mut c_int,
    desc: *mut c_char,
    desc_len: *mut c_int,
    num_cvars: *mut c_int,
    num_pvars: *mut c_int,
    num_categories: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let name_len = args::inout(name_len);
            let desc_len = args::inout(desc_len);
            let num_cvars = args::out(num_cvars);
            let num_pvars = args::out(num_pvars);
            let num_categories = args::out(num_categories);
            if checks {
                check::tool_running()?;
            }
            crate::calls::tool::t_category_get_info(
                cat_index,
                name,
                name_len,
                desc,
                desc_len,
                num_cvars,
                num_pvars,
                num_categories,
            )
        }
    };
    finish("MPI_T_category_get_info", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_category_get_num(num_cat: *mut c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let num_cat = args::out(num_cat);
            if checks {
                check::tool_running()?;
            }
            if checks {
                check::pointer("num_cat", num_cat)?;
            }
            crate::calls::tool::t_category_get_num(num_cat)
        }
    };
    finish("MPI_T_category_get_num", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_category_get_num_events(
    cat_index: c_int,
    num_events: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let num_events = args::out(num_events);
            if checks {
                check::tool_running()?;
            }
            if checks {
                check::pointer("num_events", num_events)?;
            }
            crate::calls::tool::t_category_get_num_events(cat_index, num_events)
        }
    };
    finish("MPI_T_category_get_num_events", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_category_get_pvars(
    cat_index: c_int,
    len: c_int,
    indices: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::tool_running()?;
            }
            if checks {
                check::length("len", len)?;
            }
            let indices = {
                let length = args::length(len);
                check::array("indices", indices, length)?;
                args::slice_mut(indices, length)
            };
            crate::calls::tool::t_category_get_pvars(cat_index, len, indices)
        }
    };
    finish("MPI_T_category_get_pvars", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_cvar_get_index(name: *const c_char, cvar_index: *mut c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let cvar_index = args::out(cvar_index);
            if checks {
                check::tool_running()?;
            }
            if checks {
                check::pointer("name", name)?;
                check::pointer("cvar_index", cvar_index)?;
            }
            let name = args::text(name);
            crate::calls::tool::t_cvar_get_index(name, cvar_index)
        }
    };
    finish("MPI_T_cvar_get_index", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_cvar_get_info(
    cvar_index: c_int,
    name: *mut c_char,
    name_len: *mut c_int,
    verbosity: *mut c_int,
    datatype: *mut Datatype,
    enumtype: *mut TEnum,
    desc: *mut c_char,
    desc_len: *mut c_int,
    bind: *mut c_int,
    scope: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let name_len = args::inout(name_len);
            let verbosity = args::out(verbosity);
            let datatype = args::out(datatype);
            let enumtype = args::out(enumtype);
            let desc_len = args::inout(desc_len);
            let bind = args::out(bind);
            let scope = args::out(scope);
            if checks {
                check::tool_running()?;
            }
            crate::calls::tool::t_cvar_get_info(
                cvar_index, name, name_len, verbosity, datatype, enumtype, desc, desc_len, bind,
                scope,
            )
        }
    };
    finish("MPI_T_cvar_get_info", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_cvar_get_num(num_cvar: *mut c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let num_cvar = args::out(num_cvar);
            if checks {
                check::tool_running()?;
            }
            if checks {
                check::pointer("num_cvar", num_cvar)?;
            }
            crate::calls::tool::t_cvar_get_num(num_cvar)
        }
    };
    finish("MPI_T_cvar_get_num", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_cvar_handle_alloc(
    cvar_index: c_int,
    obj_handle: *mut c_void,
    handle: *mut TCvarHandle,
    count: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let handle = args::out(handle);
            let count = args::out(count);
            if checks {
                check::tool_running()?;
            }
            if checks {
                check::pointer("handle", handle)?;
                check::pointer("count", count)?;
            }
            crate::calls::tool::t_cvar_handle_alloc(cvar_index, obj_handle, handle, count)
        }
    };
    finish("MPI_T_cvar_handle_alloc", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_cvar_handle_free(handle: *mut TCvarHandle) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let handle = args::inout(handle);
            if checks {
                check::tool_running()?;
            }
            if checks {
                check::pointer("handle", handle)?;
            }
            crate::calls::tool::t_cvar_handle_free(handle)
        }
    };
    finish("MPI_T_cvar_handle_free", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_cvar_read(handle: TCvarHandle, buf: *mut c_void) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::tool_running()?;
            }
            if checks {
                check::pointer("buf", buf)?;
            }
            crate::calls::tool::t_cvar_read(handle, buf)
        }
    };
    finish("MPI_T_cvar_read", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_cvar_write(handle: TCvarHandle, buf: *const c_void) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::tool_running()?;
            }
            if checks {
                check::pointer("buf", buf)?;
            }
            crate::calls::tool::t_cvar_write(handle, buf)
        }
    };
    finish("MPI_T_cvar_write", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_enum_get_info(
    enumtype: TEnum,
    num: *mut c_int,
    name: *mut c_char,
    name_len: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let num = args::out(num);
            let name_len = args::inout(name_len);
            if checks {
                check::tool_running()?;
            }
            crate::calls::tool::t_enum_get_info(enumtype, num, name, name_len)
        }
    };
    finish("MPI_T_enum_get_info", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_enum_get_item(
    enumtype: TEnum,
    indx: c_int,
    value: *mut c_int,
    name: *mut c_char,
    name_len: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let value = args::out(value);
            let name_len = args::inout(name_len);
            if checks {
                check::tool_running()?;
            }
            if checks {
                check::pointer("value", value)?;
            }
            crate::calls::tool::t_enum_get_item(enumtype, indx, value, name, name_len)
        }
    };
    finish("MPI_T_enum_get_item", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_event_callback_get_info(
    event_registration: TEventRegistration,
    cb_safety: TCbSafety,
    info_used: *mut Info,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let info_used = args::out(info_used);
            if checks {
                check::tool_running()?;
            }
            if checks {
                check::pointer("info_used", info_used)?;
            }
            crate::calls::tool::t_event_callback_get_info(event_registration, cb_safety, info_used)
        }
    };
    finish("MPI_T_event_callback_get_info", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_event_callback_set_info(
    event_registration: TEventRegistration,
    cb_safety: TCbSafety,
    info: Info,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::tool_running()?;
            }
            let info = check::info("info", info)?;
            crate::calls::tool::t_event_callback_set_info(event_registration, cb_safety, info)
        }
    };
    finish("MPI_T_event_callback_set_info", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_event_copy(
    event_instance: TEventInstance,
    buffer: *mut c_void,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::tool_running()?;
            }
            if checks {
                check::pointer("buffer", buffer)?;
            }
            crate::calls::tool::t_event_copy(event_instance, buffer)
        }
    };
    finish("MPI_T_event_copy", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_event_get_index(name: *const c_char, event_index: *mut c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let event_index = args::out(event_index);
            if checks {
                check::tool_running()?;
            }
            if checks {
                check::pointer("name", name)?;
                check::pointer("event_index", event_index)?;
            }
            let name = args::text(name);
            crate::calls::tool::t_event_get_index(name, event_index)
        }
    };
    finish("MPI_T_event_get_index", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_event_get_info(
    event_index: c_int,
    name: *mut c_char,
    name_len: *mut c_int,
    verbosity: *mut c_int,
    array_of_datatypes: *mut Datatype,
    array_of_displacements: *mut Aint,
    num_elements: *mut c_int,
    enumtype: *mut TEnum,
    info: *mut Info,
    desc: *mut c_char,
    desc_len: *mut c_int,
    bind: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let name_len = args::inout(name_len);
            let verbosity = args::out(verbosity);
            let num_elements = args::inout(num_elements);
            let enumtype = args::out(enumtype);
            let info = args::out(info);
            let desc_len = args::inout(desc_len);
            let bind = args::out(bind);
            if checks {
                check::tool_running()?;
            }
            crate::calls::tool::t_event_get_info(
                event_index,
                name,
                name_len,
                verbosity,
                array_of_datatypes,
                array_of_displacements,
                num_elements,
                enumtype,
                info,
                desc,
                desc_len,
                bind,
            )
        }
    };
    finish("MPI_T_event_get_info", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_event_get_num(num_events: *mut c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let num_events = args::out(num_events);
            if checks {
                check::tool_running()?;
            }
            if checks {
                check::pointer("num_events", num_events)?;
            }
            crate::calls::tool::t_event_get_num(num_events)
        }
    };
    finish("MPI_T_event_get_num", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_event_get_source(
    event_instance: TEventInstance,
    source_index: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let source_index = args::out(source_index);
            if checks {
                check::tool_running()?;
            }
            if checks {
                check::pointer("source_index", source_index)?;
            }
            crate::calls::tool::t_event_get_source(event_instance, source_index)
        }
    };
    finish("MPI_T_event_get_source", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_event_get_timestamp(
    event_instance: TEventInstance,
    event_timestamp: *mut Count,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let event_timestamp = args::count_out(event_timestamp);
            if checks {
                check::tool_running()?;
            }
            if checks {
                check::pointer("event_timestamp", event_timestamp)?;
            }
            crate::calls::tool::t_event_get_timestamp(event_instance, event_timestamp)
        }
    };
    finish("MPI_T_event_get_timestamp", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_event_handle_alloc(
    event_index: c_int,
    obj_handle: *mut c_void,
    info: Info,
    event_registration: *mut TEventRegistration,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let event_registration = args::out(event_registration);
            if checks {
                check::tool_running()?;
            }
            let info = check::info("info", info)?;
            if checks {
                check::pointer("event_registration", event_registration)?;
            }
            crate::calls::tool::t_event_handle_alloc(
                event_index,
                obj_handle,
                info,
                event_registration,
            )
        }
    };
    finish("MPI_T_event_handle_alloc", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_event_handle_free(
    event_registration: TEventRegistration,
    user_data: *mut c_void,
    free_cb_function: Option<TEventFreeCbFunction>,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::tool_running()?;
            }
            crate::calls::tool::t_event_handle_free(event_registration, user_data, free_cb_function)
        }
    };
    finish("MPI_T_event_handle_free", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_event_handle_get_info(
    event_registration: TEventRegistration,
    info_used: *mut Info,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let info_used = args::out(info_used);
            if checks {
                check::tool_running()?;
            }
            if checks {
                check::pointer("info_used", info_used)?;
            }
            crate::calls::tool::t_event_handle_get_info(event_registration, info_used)
        }
    };
    finish("MPI_T_event_handle_get_info", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_event_handle_set_info(
    event_registration: TEventRegistration,
    info: Info,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::tool_running()?;
            }
            let info = check::info("info", info)?;
            crate::calls::tool::t_event_handle_set_info(event_registration, info)
        }
    };
    finish("MPI_T_event_handle_set_info", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_event_read(
    event_instance: TEventInstance,
    element_index: c_int,
    buffer: *mut c_void,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::tool_running()?;
            }
            if checks {
                check::pointer("buffer", buffer)?;
            }
            crate::calls::tool::t_event_read(event_instance, element_index, buffer)
        }
    };
    finish("MPI_T_event_read", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_event_register_callback(
    event_registration: TEventRegistration,
    cb_safety: TCbSafety,
    info: Info,
    user_data: *mut c_void,
    event_cb_function: Option<TEventCbFunction>,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::tool_running()?;
            }
            let info = check::info("info", info)?;
            crate::calls::tool::t_event_register_callback(
                event_registration,
                cb_safety,
                info,
                user_data,
                event_cb_function,
            )
        }
    };
    finish("MPI_T_event_register_callback", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_event_set_dropped_handler(
    event_registration: TEventRegistration,
    dropped_cb_function: Option<TEventDroppedCbFunction>,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::tool_running()?;
            }
            crate::calls::tool::t_event_set_dropped_handler(event_registration, dropped_cb_function)
        }
    };
    finish("MPI_T_event_set_dropped_handler", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_finalize() -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::tool_running()?;
            }
            crate::calls::tool::t_finalize()
        }
    };
    finish("MPI_T_finalize", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_init_thread(required: c_int, provided: *mut c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let provided = args::out(provided);
            if checks {
                check::pointer("provided", provided)?;
            }
            crate::calls::tool::t_init_thread(required, provided)
        }
    };
    finish("MPI_T_init_thread", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_pvar_get_index(
    name: *const c_char,
    var_class: c_int,
    pvar_index: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let pvar_index = args::out(pvar_index);
            if checks {
                check::tool_running()?;
            }
            if checks {
                check::pointer("name", name)?;
                check::pointer("pvar_index", pvar_index)?;
            }
            let name = args::text(name);
            crate::calls::tool::t_pvar_get_index(name, var_class, pvar_index)
        }
    };
    finish("MPI_T_pvar_get_index", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_pvar_get_info(
    pvar_index: c_int,
    name: *mut c_char,
    name_len: *mut c_int,
    verbosity: *mut c_int,
    var_class: *mut c_int,
    datatype: *mut Datatype,
    enumtype: *mut TEnum,
    desc: *mut c_char,
    desc_len: *mut c_int,
    bind: *mut c_int,
    readonly: *mut c_int,
    continuous: *mut c_int,
    atomic: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let name_len = args::inout(name_len);
            let verbosity = args::out(verbosity);
            let var_class = args::out(var_class);
            let datatype = args::out(datatype);
            let enumtype = args::out(enumtype);
            let desc_len = args::inout(desc_len);
            let bind = args::out(bind);
            let readonly = args::out(readonly);
            let continuous = args::out(continuous);
            let atomic = args::out(atomic);
            if checks {
                check::tool_running()?;
            }
            crate::calls::tool::t_pvar_get_info(
                pvar_index, name, name_len, verbosity, var_class, datatype, enumtype, desc,
                desc_len, bind, readonly, continuous, atomic,
            )
        }
    };
    finish("MPI_T_pvar_get_info", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_pvar_get_num(num_pvar: *mut c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let num_pvar = args::out(num_pvar);
            if checks {
                check::tool_running()?;
            }
            if checks {
                check::pointer("num_pvar", num_pvar)?;
            }
            crate::calls::tool::t_pvar_get_num(num_pvar)
        }
    };
    finish("MPI_T_pvar_get_num", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_pvar_handle_alloc(
    session: TPvarSession,
    pvar_index: c_int,
    obj_handle: *mut c_void,
    handle: *mut TPvarHandle,
    count: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let handle = args::out(handle);
            let count = args::out(count);
            if checks {
                check::tool_running()?;
            }
            if checks {
                check::pointer("handle", handle)?;
                check::pointer("count", count)?;
            }
            crate::calls::tool::t_pvar_handle_alloc(session, pvar_index, obj_handle, handle, count)
        }
    };
    finish("MPI_T_pvar_handle_alloc", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_pvar_handle_free(
    session: TPvarSession,
    handle: *mut TPvarHandle,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let handle = args::inout(handle);
            if checks {
                check::tool_running()?;
            }
            if checks {
                check::pointer("handle", handle)?;
            }
            crate::calls::tool::t_pvar_handle_free(session, handle)
        }
    };
    finish("MPI_T_pvar_handle_free", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_pvar_read(
    session: TPvarSession,
    handle: TPvarHandle,
    buf: *mut c_void,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::tool_running()?;
            }
            if checks {
                check::pointer("buf", buf)?;
            }
            crate::calls::tool::t_pvar_read(session, handle, buf)
        }
    };
    finish("MPI_T_pvar_read", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_pvar_readreset(
    session: TPvarSession,
    handle: TPvarHandle,
    buf: *mut c_void,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::tool_running()?;
            }
            if checks {
                check::pointer("buf", buf)?;
            }
            crate::calls::tool::t_pvar_readreset(session, handle, buf)
        }
    };
    finish("MPI_T_pvar_readreset", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_pvar_reset(session: TPvarSession, handle: TPvarHandle) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::tool_running()?;
            }
            crate::calls::tool::t_pvar_reset(session, handle)
        }
    };
    finish("MPI_T_pvar_reset", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_pvar_session_create(session: *mut TPvarSession) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let session = args::out(session);
            if checks {
                check::tool_running()?;
            }
            if checks {
                check::pointer("session", session)?;
            }
            crate::calls::tool::t_pvar_session_create(session)
        }
    };
    finish("MPI_T_pvar_session_create", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_pvar_session_free(session: *mut TPvarSession) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let session = args::inout(session);
            if checks {
                check::tool_running()?;
            }
            if checks {
                check::pointer("session", session)?;
            }
            crate::calls::tool::t_pvar_session_free(session)
        }
    };
    finish("MPI_T_pvar_session_free", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_pvar_start(session: TPvarSession, handle: TPvarHandle) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::tool_running()?;
            }
            crate::calls::tool::t_pvar_start(session, handle)
        }
    };
    finish("MPI_T_pvar_start", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_pvar_stop(session: TPvarSession, handle: TPvarHandle) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::tool_running()?;
            }
            crate::calls::tool::t_pvar_stop(session, handle)
        }
    };
    finish("MPI_T_pvar_stop", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_pvar_write(
    session: TPvarSession,
    handle: TPvarHandle,
    buf: *const c_void,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::tool_running()?;
            }
            if checks {
                check::pointer("buf", buf)?;
            }
            crate::calls::tool::t_pvar_write(session, handle, buf)
        }
    };
    finish("MPI_T_pvar_write", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_source_get_info(
    source_index: c_int,
    name: *mut c_char,
    name_len: *mut c_int,
    desc: *mut c_char,
    desc_len: *mut c_int,
    ordering: *mut TSourceOrder,
    ticks_per_second: *mut Count,
    max_ticks: *mut Count,
    info: *mut Info,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let name_len = args::inout(name_len);
            let desc_len = args::inout(desc_len);
            let ordering = args::out(ordering);
            let ticks_per_second = args::count_out(ticks_per_second);
            let max_ticks = args::count_out(max_ticks);
            let info = args::out(info);
            if checks {
                check::tool_running()?;
            }
            crate::calls::tool::t_source_get_info(
                source_index,
                name,
                name_len,
                desc,
                desc_len,
                ordering,
                ticks_per_second,
                max_ticks,
                info,
            )
        }
    };
    finish("MPI_T_source_get_info", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_source_get_num(num_sources: *mut c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let num_sources = args::out(num_sources);
            if checks {
                check::tool_running()?;
            }
            if checks {
                check::pointer("num_sources", num_sources)?;
            }
            crate::calls::tool::t_source_get_num(num_sources)
        }
    };
    finish("MPI_T_source_get_num", Origin::Tool, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_T_source_get_timestamp(
    source_index: c_int,
    timestamp: *mut Count,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let timestamp = args::count_out(timestamp);
            if checks {
                check::tool_running()?;
            }
            if checks {
                check::pointer("timestamp", timestamp)?;
            }
            crate::calls::tool::t_source_get_timestamp(source_index, timestamp)
        }
    };
    finish("MPI_T_source_get_timestamp", Origin::Tool, call())
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
