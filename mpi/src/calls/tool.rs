//! The tool information interface (MPI 5.0, section 15.3).

use std::sync::Arc;

use crate::objects::info;
use crate::prelude::*;
use crate::tool::{self, Category, at, catalog, cvars, enums, events, find, pvars};
use crate::{life, runtime};

pub fn t_init_thread(required: c_int, provided: Out<c_int>) -> Result<()> {
    tool::init();
    // Every call takes the locks it needs.
    provided.set(life::thread_level(required));
    Ok(())
}

pub fn t_finalize() -> Result<()> {
    tool::finalize();
    Ok(())
}

/// Gives a text to a tool (MPI 5.0, section 15.3.3): as much as there is room for, and always the
/// room that all of it needs. Without a length nothing is asked for.
///
/// # Safety
/// The buffer is null or has the length that is there.
unsafe fn give(text: &str, buffer: *mut c_char, length: InOut<c_int>) {
    if args::is_null(length) {
        return;
    }
    let room = usize::try_from(length.get()).unwrap_or(0);
    // SAFETY: promised by the caller.
    unsafe { args::text_out(buffer, room) }.set(text);
    length.set(text.len() as c_int + 1);
}

/// What a name is in our tables.
fn name_of(name: &CStr) -> Result<&str> {
    name.to_str().map_err(|_| Error::new(MPI_T_ERR_INVALID_NAME, "the name is not UTF-8"))
}

// --- Enumerations

/// # Safety
/// See `give`.
pub unsafe fn t_enum_get_info(
    enumtype: TEnum,
    num: Out<c_int>,
    name: *mut c_char,
    name_len: InOut<c_int>,
) -> Result<()> {
    let found = enums::of(enumtype)?;
    num.set(found.words.len() as c_int);
    // SAFETY: promised by the caller.
    unsafe { give(&found.name, name, name_len) };
    Ok(())
}

/// # Safety
/// See `give`.
pub unsafe fn t_enum_get_item(
    enumtype: TEnum,
    indx: c_int,
    value: Out<c_int>,
    name: *mut c_char,
    name_len: InOut<c_int>,
) -> Result<()> {
    let word = at(&enums::of(enumtype)?.words, indx)?;
    value.set(indx);
    // SAFETY: promised by the caller.
    unsafe { give(word, name, name_len) };
    Ok(())
}

// --- Control variables

pub fn t_cvar_get_num(num_cvar: Out<c_int>) -> Result<()> {
    num_cvar.set(catalog().cvars.len() as c_int);
    Ok(())
}

/// # Safety
/// See `give`.
#[allow(clippy::too_many_arguments, reason = "MPI's functions have the parameters they have")]
pub unsafe fn t_cvar_get_info(
    cvar_index: c_int,
    name: *mut c_char,
    name_len: InOut<c_int>,
    verbosity: Out<c_int>,
    datatype: Out<Datatype>,
    enumtype: Out<TEnum>,
    desc: *mut c_char,
    desc_len: InOut<c_int>,
    bind: Out<c_int>,
    scope: Out<c_int>,
) -> Result<()> {
    let param = Arc::clone(at(&catalog().cvars, cvar_index)?);
    verbosity.set(tool::verbosity(param.spec.level));
    datatype.set(cvars::datatype(&param));
    enumtype.set(cvars::enumeration(&param));
    bind.set(MPI_T_BIND_NO_OBJECT);
    scope.set(cvars::scope(&param));
    // SAFETY: promised by the caller.
    unsafe {
        give(&param.spec.name, name, name_len);
        give(&cvars::help(&param), desc, desc_len);
    }
    Ok(())
}

pub fn t_cvar_get_index(name: &CStr, cvar_index: Out<c_int>) -> Result<()> {
    let name = name_of(name)?;
    let all = &catalog().cvars;
    // A synonym names the same parameter.
    let param = runtime::system().params.find(name);
    let name = param.as_ref().map_or(name, |param| &param.spec.name);
    cvar_index.set(find(all, name, |param| param.spec.name == name)?);
    Ok(())
}

/// # Safety
/// The object is ignored: no variable is bound to one.
pub unsafe fn t_cvar_handle_alloc(
    cvar_index: c_int,
    _obj_handle: *mut c_void,
    handle: Out<TCvarHandle>,
    count: Out<c_int>,
) -> Result<()> {
    let param = Arc::clone(at(&catalog().cvars, cvar_index)?);
    let (made, elements) = cvars::alloc(param);
    handle.set(made);
    count.set(elements);
    Ok(())
}

pub fn t_cvar_handle_free(handle: InOut<TCvarHandle>) -> Result<()> {
    cvars::free(handle.get())?;
    handle.set(MPI_T_CVAR_HANDLE_NULL);
    Ok(())
}

/// # Safety
/// The buffer has room for the value.
pub unsafe fn t_cvar_read(handle: TCvarHandle, buf: *mut c_void) -> Result<()> {
    // SAFETY: promised by the caller.
    unsafe { cvars::read(handle, buf) }
}

/// # Safety
/// The buffer has a value.
pub unsafe fn t_cvar_write(handle: TCvarHandle, buf: *const c_void) -> Result<()> {
    // SAFETY: promised by the caller.
    unsafe { cvars::write(handle, buf) }
}

// --- Performance variables

pub fn t_pvar_get_num(num_pvar: Out<c_int>) -> Result<()> {
    num_pvar.set(catalog().pvars.len() as c_int);
    Ok(())
}

/// # Safety
/// See `give`.
#[allow(clippy::too_many_arguments, reason = "MPI's functions have the parameters they have")]
pub unsafe fn t_pvar_get_info(
    pvar_index: c_int,
    name: *mut c_char,
    name_len: InOut<c_int>,
    verbosity: Out<c_int>,
    var_class: Out<c_int>,
    datatype: Out<Datatype>,
    enumtype: Out<TEnum>,
    desc: *mut c_char,
    desc_len: InOut<c_int>,
    bind: Out<c_int>,
    readonly: Out<c_int>,
    continuous: Out<c_int>,
    atomic: Out<c_int>,
) -> Result<()> {
    let pvar = Arc::clone(at(&catalog().pvars, pvar_index)?);
    verbosity.set(tool::verbosity(pvar.level));
    var_class.set(pvar.class);
    datatype.set(MPI_UNSIGNED_LONG_LONG);
    enumtype.set(MPI_T_ENUM_NULL);
    bind.set(if pvar.of_comm { MPI_T_BIND_MPI_COMM } else { MPI_T_BIND_NO_OBJECT });
    readonly.set(pvar.is_state.into());
    continuous.set(pvar.is_state.into());
    atomic.set((!pvar.is_state).into());
    // SAFETY: promised by the caller.
    unsafe {
        give(&pvar.name, name, name_len);
        give(&pvar.help, desc, desc_len);
    }
    Ok(())
}

pub fn t_pvar_get_index(name: &CStr, var_class: c_int, pvar_index: Out<c_int>) -> Result<()> {
    let name = name_of(name)?;
    let all = &catalog().pvars;
    pvar_index.set(find(all, name, |pvar| pvar.name == name && pvar.class == var_class)?);
    Ok(())
}

pub fn t_pvar_session_create(session: Out<TPvarSession>) -> Result<()> {
    session.set(pvars::session_create());
    Ok(())
}

pub fn t_pvar_session_free(session: InOut<TPvarSession>) -> Result<()> {
    pvars::session_free(session.get())?;
    session.set(MPI_T_PVAR_SESSION_NULL);
    Ok(())
}

/// # Safety
/// The object is the address of a communicator's handle if the variable is bound to one.
pub unsafe fn t_pvar_handle_alloc(
    session: TPvarSession,
    pvar_index: c_int,
    obj_handle: *mut c_void,
    handle: Out<TPvarHandle>,
    count: Out<c_int>,
) -> Result<()> {
    let pvar = Arc::clone(at(&catalog().pvars, pvar_index)?);
    let comm = match pvar.of_comm {
        false => None,
        true if obj_handle.is_null() => {
            let text = "the variable is bound to a communicator, and obj_handle is null";
            return Err(Error::new(MPI_T_ERR_INVALID, text));
        }
        // SAFETY: promised by the caller.
        true => Some(unsafe { obj_handle.cast::<Comm>().read() }),
    };
    handle.set(pvars::alloc(session, pvar, comm)?);
    count.set(1);
    Ok(())
}

pub fn t_pvar_handle_free(session: TPvarSession, handle: InOut<TPvarHandle>) -> Result<()> {
    pvars::free(session, handle.get())?;
    handle.set(MPI_T_PVAR_HANDLE_NULL);
    Ok(())
}

pub fn t_pvar_start(session: TPvarSession, handle: TPvarHandle) -> Result<()> {
    pvars::start(session, handle)
}

pub fn t_pvar_stop(session: TPvarSession, handle: TPvarHandle) -> Result<()> {
    pvars::stop(session, handle)
}

pub fn t_pvar_reset(session: TPvarSession, handle: TPvarHandle) -> Result<()> {
    pvars::reset(session, handle)
}

/// # Safety
/// The buffer has room for the value.
pub unsafe fn t_pvar_read(
    session: TPvarSession,
    handle: TPvarHandle,
    buf: *mut c_void,
) -> Result<()> {
    let value = pvars::read(session, handle)?;
    // SAFETY: promised by the caller.
    unsafe { buf.cast::<u64>().write(value) };
    Ok(())
}

/// # Safety
/// The buffer has room for the value.
pub unsafe fn t_pvar_readreset(
    session: TPvarSession,
    handle: TPvarHandle,
    buf: *mut c_void,
) -> Result<()> {
    let value = pvars::read_reset(session, handle)?;
    // SAFETY: promised by the caller.
    unsafe { buf.cast::<u64>().write(value) };
    Ok(())
}

/// # Safety
/// The buffer has a value.
pub unsafe fn t_pvar_write(
    session: TPvarSession,
    handle: TPvarHandle,
    buf: *const c_void,
) -> Result<()> {
    // SAFETY: promised by the caller.
    pvars::write(session, handle, unsafe { buf.cast::<u64>().read() })
}

// --- Categories

pub fn t_category_get_num(num_cat: Out<c_int>) -> Result<()> {
    num_cat.set(catalog().categories.len() as c_int);
    Ok(())
}

/// # Safety
/// See `give`.
#[allow(clippy::too_many_arguments, reason = "MPI's functions have the parameters they have")]
pub unsafe fn t_category_get_info(
    cat_index: c_int,
    name: *mut c_char,
    name_len: InOut<c_int>,
    desc: *mut c_char,
    desc_len: InOut<c_int>,
    num_cvars: Out<c_int>,
    num_pvars: Out<c_int>,
    num_categories: Out<c_int>,
) -> Result<()> {
    let catalog = catalog();
    let category = at(&catalog.categories, cat_index)?;
    num_cvars.set(category.cvars.len() as c_int);
    num_pvars.set(category.pvars.len() as c_int);
    num_categories.set(category.categories.len() as c_int);
    // SAFETY: promised by the caller.
    unsafe {
        give(&category.name, name, name_len);
        give(&category.help, desc, desc_len);
    }
    Ok(())
}

pub fn t_category_get_num_events(cat_index: c_int, num_events: Out<c_int>) -> Result<()> {
    num_events.set(at(&catalog().categories, cat_index)?.events.len() as c_int);
    Ok(())
}

pub fn t_category_get_index(name: &CStr, cat_index: Out<c_int>) -> Result<()> {
    let name = name_of(name)?;
    cat_index.set(find(&catalog().categories, name, |category| category.name == name)?);
    Ok(())
}

/// Gives as many numbers of what is in a category as there is room for.
fn members(
    cat_index: c_int,
    indices: &mut [c_int],
    of: impl Fn(&Category) -> &[c_int],
) -> Result<()> {
    let catalog = catalog();
    let members = of(at(&catalog.categories, cat_index)?);
    indices.iter_mut().zip(members).for_each(|(place, member)| *place = *member);
    Ok(())
}

pub fn t_category_get_cvars(cat_index: c_int, _len: c_int, indices: &mut [c_int]) -> Result<()> {
    members(cat_index, indices, |category| &category.cvars)
}

pub fn t_category_get_pvars(cat_index: c_int, _len: c_int, indices: &mut [c_int]) -> Result<()> {
    members(cat_index, indices, |category| &category.pvars)
}

pub fn t_category_get_events(cat_index: c_int, _len: c_int, indices: &mut [c_int]) -> Result<()> {
    members(cat_index, indices, |category| &category.events)
}

pub fn t_category_get_categories(
    cat_index: c_int,
    _len: c_int,
    indices: &mut [c_int],
) -> Result<()> {
    members(cat_index, indices, |category| &category.categories)
}

pub fn t_category_changed(update_number: Out<c_int>) -> Result<()> {
    update_number.set(catalog().stamp);
    Ok(())
}

// --- Sources of events

/// The one source is the process: its events come in their order, with one clock.
const SOURCE: c_int = 0;

fn source(index: c_int) -> Result<()> {
    if index == SOURCE {
        return Ok(());
    }
    let wanted = "there is one source, which is 0";
    Err(Error::argument(MPI_T_ERR_INVALID_INDEX, "source_index", index, wanted))
}

pub fn t_source_get_num(num_sources: Out<c_int>) -> Result<()> {
    num_sources.set(SOURCE + 1);
    Ok(())
}

/// # Safety
/// See `give`.
#[allow(clippy::too_many_arguments, reason = "MPI's functions have the parameters they have")]
pub unsafe fn t_source_get_info(
    source_index: c_int,
    name: *mut c_char,
    name_len: InOut<c_int>,
    desc: *mut c_char,
    desc_len: InOut<c_int>,
    ordering: Out<TSourceOrder>,
    ticks_per_second: CountOut,
    max_ticks: CountOut,
    info: Out<Info>,
) -> Result<()> {
    source(source_index)?;
    ordering.set(MPI_T_SOURCE_ORDERED);
    ticks_per_second.set(1_000_000_000);
    max_ticks.set(Count::MAX);
    no_hints(info);
    // SAFETY: promised by the caller.
    unsafe {
        give("process", name, name_len);
        give("this process, by the monotonic clock of its node", desc, desc_len);
    }
    Ok(())
}

pub fn t_source_get_timestamp(source_index: c_int, timestamp: CountOut) -> Result<()> {
    source(source_index)?;
    timestamp.set(cairn_framework::host::now());
    Ok(())
}

// --- Events

/// A new info object without a key, if one is asked for: hints to the interface are not used.
fn no_hints(place: Out<Info>) {
    if !args::is_null(place) {
        place.set(info::make(info::Pairs::default()));
    }
}

pub fn t_event_get_num(num_events: Out<c_int>) -> Result<()> {
    num_events.set(catalog().events);
    Ok(())
}

/// # Safety
/// See `give`; the arrays are null or have the length that is there.
#[allow(clippy::too_many_arguments, reason = "MPI's functions have the parameters they have")]
pub unsafe fn t_event_get_info(
    event_index: c_int,
    name: *mut c_char,
    name_len: InOut<c_int>,
    verbosity: Out<c_int>,
    array_of_datatypes: *mut Datatype,
    array_of_displacements: *mut Aint,
    num_elements: InOut<c_int>,
    enumtype: Out<TEnum>,
    info: Out<Info>,
    desc: *mut c_char,
    desc_len: InOut<c_int>,
    bind: Out<c_int>,
) -> Result<()> {
    let kind = events::info(event_index)?;
    verbosity.set(tool::verbosity(kind.level));
    if !args::is_null(num_elements) {
        let room = usize::try_from(num_elements.get()).unwrap_or(0);
        for element in 0..room.min(kind.elements.len()) {
            // SAFETY: promised by the caller.
            unsafe {
                if !array_of_datatypes.is_null() {
                    array_of_datatypes.add(element).write(MPI_COUNT);
                }
                if !array_of_displacements.is_null() {
                    let displacement = element * size_of::<Count>();
                    array_of_displacements.add(element).write(displacement as Aint);
                }
            }
        }
        num_elements.set(kind.elements.len() as c_int);
    }
    if !args::is_null(enumtype) {
        enumtype.set(enums::named(&format!("{}_elements", kind.name), &kind.elements));
    }
    no_hints(info);
    bind.set(MPI_T_BIND_NO_OBJECT);
    // SAFETY: promised by the caller.
    unsafe {
        give(&kind.name, name, name_len);
        give(&kind.help, desc, desc_len);
    }
    Ok(())
}

pub fn t_event_get_index(name: &CStr, event_index: Out<c_int>) -> Result<()> {
    let name = name_of(name)?;
    let numbers: Vec<c_int> = (0..catalog().events).collect();
    let is = |number: &c_int| events::info(*number).is_ok_and(|info| info.name == name);
    event_index.set(find(&numbers, name, is)?);
    Ok(())
}

/// # Safety
/// The object is ignored: no event is bound to one.
pub unsafe fn t_event_handle_alloc(
    event_index: c_int,
    _obj_handle: *mut c_void,
    _info: InfoRef,
    event_registration: Out<TEventRegistration>,
) -> Result<()> {
    event_registration.set(events::alloc(event_index)?);
    Ok(())
}

pub fn t_event_handle_set_info(
    event_registration: TEventRegistration,
    _info: InfoRef,
) -> Result<()> {
    events::find(event_registration).map(|_| ())
}

pub fn t_event_handle_get_info(
    event_registration: TEventRegistration,
    info_used: Out<Info>,
) -> Result<()> {
    events::find(event_registration)?;
    no_hints(info_used);
    Ok(())
}

/// # Safety
/// The data is handed to the function as it is.
pub unsafe fn t_event_handle_free(
    event_registration: TEventRegistration,
    user_data: *mut c_void,
    free_cb_function: Option<TEventFreeCbFunction>,
) -> Result<()> {
    events::free(event_registration, free_cb_function, user_data)
}

/// # Safety
/// The data is handed to the function as it is.
pub unsafe fn t_event_register_callback(
    event_registration: TEventRegistration,
    cb_safety: TCbSafety,
    _info: InfoRef,
    user_data: *mut c_void,
    event_cb_function: Option<TEventCbFunction>,
) -> Result<()> {
    events::set_callback(event_registration, cb_safety, event_cb_function, user_data)
}

pub fn t_event_callback_set_info(
    event_registration: TEventRegistration,
    cb_safety: TCbSafety,
    _info: InfoRef,
) -> Result<()> {
    events::find(event_registration)?;
    events::level(cb_safety).map(|_| ())
}

pub fn t_event_callback_get_info(
    event_registration: TEventRegistration,
    cb_safety: TCbSafety,
    info_used: Out<Info>,
) -> Result<()> {
    events::find(event_registration)?;
    events::level(cb_safety)?;
    no_hints(info_used);
    Ok(())
}

pub fn t_event_set_dropped_handler(
    event_registration: TEventRegistration,
    dropped_cb_function: Option<TEventDroppedCbFunction>,
) -> Result<()> {
    events::set_dropped(event_registration, dropped_cb_function)
}

/// # Safety
/// The buffer has room for the element.
pub unsafe fn t_event_read(
    event_instance: TEventInstance,
    element_index: c_int,
    buffer: *mut c_void,
) -> Result<()> {
    let value = *at(events::instance(event_instance)?.values(), element_index)?;
    // SAFETY: promised by the caller.
    unsafe { buffer.cast::<Count>().write(value) };
    Ok(())
}

/// # Safety
/// The buffer has room for all elements.
pub unsafe fn t_event_copy(event_instance: TEventInstance, buffer: *mut c_void) -> Result<()> {
    let values = events::instance(event_instance)?.values();
    // SAFETY: promised by the caller.
    unsafe { buffer.cast::<Count>().copy_from_nonoverlapping(values.as_ptr(), values.len()) };
    Ok(())
}

pub fn t_event_get_timestamp(
    event_instance: TEventInstance,
    event_timestamp: CountOut,
) -> Result<()> {
    event_timestamp.set(events::instance(event_instance)?.time());
    Ok(())
}

pub fn t_event_get_source(event_instance: TEventInstance, source_index: Out<c_int>) -> Result<()> {
    events::instance(event_instance)?;
    source_index.set(SOURCE);
    Ok(())
}
