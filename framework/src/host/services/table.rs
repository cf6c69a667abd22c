//! The functions of the host table: from C to the services.
//!
//! Each function finds the caller's slot and system in the instance, converts, calls one method and
//! turns a failure into a status with a reason. No panic leaves them: an `extern "C"` function that
//! panics ends the process with a message.

use std::cell::RefCell;
use std::ffi::{c_char, c_void};
use std::sync::atomic::AtomicU32;

use super::{memory, threads};
use crate::abi::btl::BtlModule;
use crate::abi::component::Instance;
use crate::abi::counter::{CounterCell, CounterSpec};
use crate::abi::event::{EventSpec, EventType};
use crate::abi::host::{
    Host, MemoryRange, PROGRESS_EVERY_PASS, PROGRESS_SELDOM, ProgressFn, ThreadExitFn,
};
use crate::abi::job::Job;
use crate::abi::lock::Lock;
use crate::abi::param::{
    PARAM_BOOL, PARAM_CHOICE, PARAM_INTEGER, PARAM_LIST, PARAM_SAME, PARAM_SIZE, PARAM_STRING,
    PARAM_WRITABLE, ParamCell, ParamSpec,
};
use crate::abi::peer::Peer;
use crate::abi::pool::{Cri, CriPool, CriSet};
use crate::abi::receive::{ReceiveEntry, ReceiveFn};
use crate::abi::request::WaitSync;
use crate::abi::scope::{SCOPE_SLOTS, Scope};
use crate::abi::status::{
    ERR_ARGUMENT, ERR_EXISTS, ERR_NOT_FOUND, ERR_OTHER, ERR_PEER, ERR_RESOURCES, ERR_UNSUPPORTED,
    OK, Status, status_name,
};
use crate::abi::thread::Thread;
use crate::audit::LockLevel;
use crate::host::loader::StructSize;
use crate::host::params::{Kind, Spec, full_name};
use crate::host::services::counters::{CounterInfo, NewCell};
use crate::host::services::events::{EventInfo, Events};
use crate::host::services::waiting;
use crate::host::system::{Phase, Slot, System};
use crate::text;

thread_local! {
    /// Why a call on this thread failed last: what `fail` was told, or what a host function says, which
    /// counts only for the status that it has returned. A handler of `exit` that calls MPI has none: then the
    /// thread's storage is gone already.
    static REASON: RefCell<(Option<Status>, String)> = const { RefCell::new((None, String::new())) };
}

/// The table for a system whose job, receive table and word `arrivals` lie where the arguments say.
pub(crate) fn host(
    job: *const Job,
    receive: *const ReceiveEntry,
    arrivals: *const AtomicU32,
    abi_major: u16,
    abi_minor: u16,
) -> Host {
    Host {
        struct_size: size_of::<Host>() as u32,
        abi_major,
        abi_minor,
        version: concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast(),
        receive,
        job,
        fail,
        reason,
        abort,
        log,
        log_enabled,
        param_register,
        param_find,
        thread_self,
        thread_exit_add,
        thread_exit_remove,
        lock_acquire,
        lock_try,
        lock_release,
        progress_add,
        progress_remove,
        progress,
        wait,
        pool_add,
        pool_remove,
        receive_register,
        card_put,
        card_get,
        counter_add,
        counter_remove,
        scope_slot_reserve,
        service,
        show_once,
        peer_connect,
        peer_get,
        device_get,
        service_at,
        event_add,
        event_raise,
        peer_failed,
        audit: crate::audit::of_component,
        cri_acquire,
        cri_try,
        info_key_add,
        progress_for,
        wait_for,
        cris_of,
        arrivals,
        memory_watch,
        memory_gone,
    }
}

/// Why `function` of a component has just returned this status, which is not `OK`. Forgets what
/// `fail` was told.
pub fn take_reason(function: &str, status: Status) -> String {
    let kept = REASON.try_with(|reason| std::mem::take(&mut *reason.borrow_mut()));
    let (of, mut reason) = kept.unwrap_or_default();
    if of.is_some_and(|of| of != status) {
        reason.clear();
    }
    if status > OK {
        format!("{function} returned {status}, which is no status")
    } else if reason.is_empty() {
        let name = status_name(status);
        format!("{function} returned {status} ({name}) without telling `fail` why")
    } else {
        reason
    }
}

/// Forgets why a call on this thread failed. Before a call of which a failure is told: a component may
/// live with the failure of an earlier one, whose reason is none of this one's.
pub fn forget_reason() {
    let _ = REASON.try_with(|reason| drop(reason.take()));
}

/// Says why a function is about to fail, as the host table's `fail` does; for hosts that fail in a
/// function which a component calls.
pub fn give_reason(reason: impl Into<String>) {
    set_reason(None, reason.into());
}

fn set_reason(of: Option<Status>, reason: String) {
    let _ = REASON.try_with(|last| *last.borrow_mut() = (of, reason));
}

/// A host function fails.
pub(crate) fn failed(status: Status, reason: impl Into<String>) -> Status {
    set_reason(Some(status), reason.into());
    status
}

/// Whether the component may call `function` now, which belongs into one part of its life.
fn only_during(phase: Phase, slot: &Slot, function: &str) -> Result<(), Status> {
    if slot.phase() == phase {
        return Ok(());
    }
    Err(failed(ERR_ARGUMENT, format!("{function} is for {phase} only")))
}

/// # Safety
/// A host made the instance.
unsafe fn caller(instance: *mut Instance) -> (&'static Slot, &'static System) {
    // SAFETY: promised by the caller.
    let slot = unsafe { Slot::of(instance) };
    (slot, slot.system())
}

unsafe extern "C" fn fail(_: *mut Instance, status: Status, reason: *const c_char) -> Status {
    // SAFETY: null or NUL-terminated.
    give_reason(unsafe { text::copy(reason) });
    if status < 0 { status } else { ERR_OTHER }
}

unsafe extern "C" fn reason(_: *mut Instance, buffer: *mut c_char, capacity: usize) -> usize {
    // SAFETY: the caller vouches for the buffer.
    let write = |text: &str| unsafe { text::write(text, buffer, capacity) };
    REASON.try_with(|reason| write(&reason.borrow().1)).unwrap_or_else(|_| write(""))
}

unsafe extern "C" fn abort(instance: *mut Instance, code: i32, reason: *const c_char) {
    // SAFETY: the instance is a host's; the text is null or NUL-terminated.
    let ((slot, system), reason) = unsafe { (caller(instance), text::copy(reason)) };
    system.abort(code, &format!("{} ends the job: {reason}", slot.name()))
}

unsafe extern "C" fn log(instance: *mut Instance, level: u32, line: *const c_char) {
    // SAFETY: as above.
    let ((slot, system), line) = unsafe { (caller(instance), text::copy(line)) };
    system.log.write(level, &slot.name(), &line);
}

unsafe extern "C" fn log_enabled(instance: *mut Instance, level: u32) -> i32 {
    // SAFETY: the instance is a host's.
    let (slot, system) = unsafe { caller(instance) };
    i32::from(system.log.enabled(level, &slot.name()))
}

unsafe extern "C" fn show_once(instance: *mut Instance, key: *const c_char, line: *const c_char) {
    // SAFETY: as above; the texts are null or NUL-terminated.
    let ((slot, system), key, line) =
        unsafe { (caller(instance), text::copy(key), text::copy(line)) };
    system.log.show_once(&format!("{} {key}", slot.name()), &line);
}

unsafe extern "C" fn peer_connect(instance: *mut Instance, peer: *const Peer) -> Status {
    // SAFETY: the instance is a host's; peers are the system's and stay.
    let ((_, system), peer) = unsafe { (caller(instance), &*peer) };
    match system.connect(peer) {
        Ok(()) => OK,
        Err(problem) => failed(ERR_PEER, problem.what),
    }
}

unsafe extern "C" fn peer_get(instance: *mut Instance, rank: u32) -> *mut Peer {
    // SAFETY: the instance is a host's.
    let (_, system) = unsafe { caller(instance) };
    system.peer(rank).unwrap_or(std::ptr::null_mut())
}

unsafe extern "C" fn device_get(instance: *mut Instance, place: u32) -> *const BtlModule {
    // SAFETY: the instance is a host's.
    let (_, system) = unsafe { caller(instance) };
    system.modules().nth(place as usize).unwrap_or(std::ptr::null())
}

unsafe extern "C" fn peer_failed(instance: *mut Instance, rank: u32) {
    // SAFETY: the instance is a host's.
    let (_, system) = unsafe { caller(instance) };
    system.peer_failed(rank);
}

unsafe extern "C" fn param_register(
    instance: *mut Instance,
    spec: *const ParamSpec,
    cell: *mut *const ParamCell,
) -> Status {
    // SAFETY: the instance is a host's; the description and the place are valid during the call.
    unsafe {
        let (slot, system) = caller(instance);
        if let Err(status) = only_during(Phase::Registering, slot, "param_register") {
            return status;
        }
        let spec = match param_spec(&slot.name(), spec) {
            Ok(spec) => spec,
            Err(reason) => return failed(ERR_ARGUMENT, reason),
        };
        if cell.is_null() {
            let name = &spec.name;
            return failed(
                ERR_ARGUMENT,
                format!("parameter {name}: the place for its cell is null"),
            );
        }
        match system.params.register(spec) {
            Ok(param) => {
                *cell = param.cell();
                OK
            }
            Err(problem) => failed(ERR_ARGUMENT, problem.what),
        }
    }
}

/// The description of a parameter in Rust's types.
///
/// # Safety
/// Null, or as long as it says, with strings that are null or NUL-terminated.
unsafe fn param_spec(owner: &str, spec: *const ParamSpec) -> Result<Spec, String> {
    // SAFETY: every field is there once the size says so.
    unsafe {
        check_description("parameter", spec.cast(), size_of::<ParamSpec>())?;
        let spec = &*spec;
        let name = own_name(owner, "parameter", spec.name)?;
        let optional = |words: *const c_char| (!words.is_null()).then(|| text::copy(words));
        let unsigned = |number: i64| u64::try_from(number).unwrap_or(0);
        let kind = match spec.kind {
            PARAM_BOOL => Kind::Bool,
            PARAM_INTEGER => Kind::Integer { min: spec.min, max: spec.max },
            PARAM_SIZE => Kind::Size { min: unsigned(spec.min), max: unsigned(spec.max) },
            PARAM_STRING => Kind::Text,
            PARAM_CHOICE => Kind::Choice(words(spec.choices)),
            PARAM_LIST => Kind::List,
            other => return Err(format!("parameter {name}: there is no kind {other}")),
        };
        let (changed, context) = (spec.changed, spec.changed_context as usize);
        Ok(Spec {
            name,
            owner: owner.to_owned(),
            help: text::copy(spec.help),
            unit: optional(spec.unit),
            kind,
            default: text::copy(spec.default_value),
            level: spec.level,
            writable: spec.flags & PARAM_WRITABLE != 0,
            same: spec.flags & PARAM_SAME != 0,
            fixed: false,
            synonyms: words(spec.synonyms),
            deprecated_synonyms: words(spec.deprecated_synonyms),
            deprecated: optional(spec.deprecated),
            changed: changed.map(|changed| {
                let call: crate::host::params::Changed =
                    Box::new(move |cell| changed(context as *mut c_void, cell));
                call
            }),
        })
    }
}

/// The words of a text, which commas separate.
///
/// # Safety
/// Null or NUL-terminated.
unsafe fn words(text: *const c_char) -> Vec<String> {
    // SAFETY: promised by the caller.
    let text = unsafe { text::copy(text) };
    text.split(',').map(str::trim).filter(|word| !word.is_empty()).map(Into::into).collect()
}

/// Whether the description of a `what` is there and has the size of a version.
///
/// # Safety
/// Null, or at least the first word of a description can be read.
unsafe fn check_description(
    what: &'static str,
    spec: *const u32,
    wanted: usize,
) -> Result<(), String> {
    if spec.is_null() {
        return Err(format!("the description of a {what} is null"));
    }
    // SAFETY: every description begins with its size.
    let found = unsafe { spec.read() } as usize;
    if found == wanted {
        return Ok(());
    }
    let size = StructSize {
        what: format!("a {what}'s description"),
        type_name: format!("cairn_{}_spec_t", if what == "parameter" { "param" } else { what }),
        found,
        wanted,
    };
    Err(format!("{size}: {}", size.fix()))
}

/// The full name of a `what` of a component.
///
/// # Safety
/// `name` is null or NUL-terminated.
unsafe fn own_name(owner: &str, what: &str, name: *const c_char) -> Result<String, String> {
    // SAFETY: promised by the caller.
    let own = (!name.is_null()).then(|| unsafe { text::copy(name) });
    full_name(owner, what, own.as_deref())
}

unsafe extern "C" fn param_find(
    instance: *mut Instance,
    name: *const c_char,
    kind: u32,
    cell: *mut *const ParamCell,
) -> Status {
    // SAFETY: the instance is a host's; the name and the place are valid during the call.
    unsafe {
        let (_, system) = caller(instance);
        let name = text::copy(name);
        let Some(param) = system.params.find(&name) else {
            return failed(ERR_NOT_FOUND, system.params.unknown(&name).what);
        };
        let found = match param.spec.kind {
            Kind::Bool => PARAM_BOOL,
            Kind::Integer { .. } => PARAM_INTEGER,
            Kind::Size { .. } => PARAM_SIZE,
            Kind::Text => PARAM_STRING,
            Kind::Choice(_) => PARAM_CHOICE,
            Kind::List => PARAM_LIST,
        };
        if found != kind {
            let reason = format!("the parameter {name} is a {}", param.spec.kind.name());
            return failed(ERR_ARGUMENT, reason);
        }
        *cell = param.cell();
        OK
    }
}

unsafe extern "C" fn thread_self(_: *mut Instance) -> *const Thread {
    threads::current().thread()
}

unsafe extern "C" fn thread_exit_add(
    instance: *mut Instance,
    callback: ThreadExitFn,
    context: *mut c_void,
) -> Status {
    threads::exit_add(instance.addr(), callback, context);
    OK
}

unsafe extern "C" fn thread_exit_remove(
    instance: *mut Instance,
    callback: ThreadExitFn,
    context: *mut c_void,
) {
    threads::exit_remove(instance.addr(), Some((callback, context)));
}

/// Tells the strategy of a pool that a thread ended.
///
/// # Safety
/// `pool` is one that was added and not yet removed.
pub(crate) unsafe extern "C" fn pool_thread_exit(pool: *mut c_void, thread: *const Thread) {
    // SAFETY: promised by the caller; the strategy's table is complete.
    unsafe {
        let pool = &*pool.cast::<CriPool>();
        ((*pool.strategy).thread_exit.unwrap_unchecked())(pool, &*thread);
    }
}

unsafe extern "C" fn lock_acquire(lock: *const Lock) {
    // SAFETY: the caller's lock is valid.
    unsafe { (*lock).lock_as(LockLevel::UNKNOWN) };
}

unsafe extern "C" fn lock_try(lock: *const Lock) -> i32 {
    // SAFETY: the caller's lock is valid.
    i32::from(unsafe { (*lock).try_lock_as(LockLevel::UNKNOWN) })
}

unsafe extern "C" fn cri_acquire(cri: *const Cri) {
    // SAFETY: the caller's instance is valid.
    unsafe { (*cri).lock_for_release() };
}

unsafe extern "C" fn cri_try(cri: *const Cri) -> i32 {
    // SAFETY: the caller's instance is valid.
    i32::from(unsafe { (*cri).try_for_release() })
}

unsafe extern "C" fn lock_release(lock: *const Lock) {
    // SAFETY: the caller holds the lock.
    unsafe { (*lock).unlock() }
}

unsafe extern "C" fn progress_add(
    instance: *mut Instance,
    callback: ProgressFn,
    context: *mut c_void,
    rate: u32,
) -> Status {
    if rate != PROGRESS_EVERY_PASS && rate != PROGRESS_SELDOM {
        return failed(ERR_ARGUMENT, format!("there is no progress rate {rate}"));
    }
    // SAFETY: the instance is a host's.
    let (_, system) = unsafe { caller(instance) };
    system.engine.add(instance.addr(), callback, context, rate);
    OK
}

unsafe extern "C" fn progress_remove(
    instance: *mut Instance,
    callback: ProgressFn,
    context: *mut c_void,
) {
    // SAFETY: the instance is a host's.
    let (_, system) = unsafe { caller(instance) };
    system.engine.remove(instance.addr(), Some((callback, context)));
}

unsafe extern "C" fn progress(instance: *mut Instance) -> u32 {
    // SAFETY: the instance is a host's.
    unsafe { caller(instance) }.1.progress()
}

unsafe extern "C" fn wait(instance: *mut Instance, sync: *mut WaitSync) -> Status {
    // SAFETY: the instance is a host's; the object lives during the call.
    let ((_, system), sync) = unsafe { (caller(instance), &*sync) };
    waiting::wait(system, sync, None)
}

unsafe extern "C" fn progress_for(
    instance: *mut Instance,
    cris: *const CriSet,
    attempts: u32,
) -> u32 {
    // SAFETY: the instance is a host's; null or a set that lives during the call.
    unsafe { caller(instance).1.progress_for(cris.as_ref(), attempts) }
}

unsafe extern "C" fn wait_for(
    instance: *mut Instance,
    sync: *mut WaitSync,
    cris: *const CriSet,
) -> Status {
    // SAFETY: the instance is a host's; the objects live during the call.
    unsafe { waiting::wait(caller(instance).1, &*sync, cris.as_ref()) }
}

unsafe extern "C" fn cris_of(
    instance: *mut Instance,
    scope: *const Scope,
    peer: *const Peer,
    cris: *mut CriSet,
) {
    // SAFETY: the instance is a host's; the objects live during the call.
    unsafe { caller(instance).1.cris_of(&*scope, peer.as_ref(), &mut *cris) }
}

unsafe extern "C" fn pool_add(instance: *mut Instance, pool: *mut CriPool) -> Status {
    // SAFETY: the instance is a host's; the caller vouches for the pool.
    unsafe {
        let (_, system) = caller(instance);
        match system.pool_add(instance.addr(), pool) {
            Ok(()) => OK,
            Err(problem) => failed(ERR_ARGUMENT, problem.what),
        }
    }
}

unsafe extern "C" fn pool_remove(instance: *mut Instance, pool: *mut CriPool) {
    // SAFETY: the instance is a host's.
    unsafe { caller(instance) }.1.pool_remove(instance.addr(), Some(pool));
}

unsafe extern "C" fn receive_register(
    instance: *mut Instance,
    tag: u8,
    callback: ReceiveFn,
    context: *mut c_void,
) -> Status {
    // SAFETY: the instance is a host's.
    let (slot, system) = unsafe { caller(instance) };
    if let Err(status) = only_during(Phase::Opening, slot, "receive_register") {
        return status;
    }
    match system.receive.register(instance.addr(), tag, callback, context) {
        Ok(()) => OK,
        Err(owner) => {
            let other = system.name_of(owner);
            failed(ERR_EXISTS, format!("{other} handles the tag {tag} already"))
        }
    }
}

unsafe extern "C" fn card_put(instance: *mut Instance, data: *const c_void, len: usize) -> Status {
    // SAFETY: the instance is a host's; the caller vouches for `len` bytes.
    unsafe {
        let (slot, system) = caller(instance);
        if let Err(status) = only_during(Phase::Opening, slot, "card_put") {
            return status;
        }
        let card = if len == 0 { &[] } else { std::slice::from_raw_parts(data.cast(), len) };
        if system.cards.put(&slot.name(), card) {
            OK
        } else {
            failed(ERR_EXISTS, "it has published a card already")
        }
    }
}

unsafe extern "C" fn card_get(
    instance: *mut Instance,
    rank: u32,
    data: *mut *const c_void,
    len: *mut usize,
) -> Status {
    // SAFETY: the instance is a host's; the places are valid during the call.
    unsafe {
        let (slot, system) = caller(instance);
        let job = system.job();
        if rank >= job.size {
            return failed(ERR_ARGUMENT, format!("rank {rank} of a job of {}", job.size));
        }
        match system.cards.get(job.rank, rank, &slot.name()) {
            Ok(Some(card)) => {
                *data = card.as_ptr().cast();
                *len = card.len();
                OK
            }
            Ok(None) => failed(ERR_NOT_FOUND, format!("rank {rank} has published no card of it")),
            Err(reason) => failed(ERR_OTHER, reason),
        }
    }
}

unsafe extern "C" fn memory_watch(_: *mut Instance, address: *const c_void, len: usize) -> Status {
    match memory::watch(MemoryRange { address: address.addr(), len }) {
        Ok(()) => OK,
        Err(reason) => failed(ERR_UNSUPPORTED, reason),
    }
}

unsafe extern "C" fn memory_gone(
    _: *mut Instance,
    seen: *mut u64,
    ranges: *mut MemoryRange,
    capacity: usize,
) -> usize {
    // SAFETY: the caller vouches for the place and for room for so many.
    unsafe { memory::gone(&mut *seen, std::slice::from_raw_parts_mut(ranges, capacity)) }
}

unsafe extern "C" fn counter_add(
    instance: *mut Instance,
    spec: *const CounterSpec,
    cell: *const CounterCell,
) -> Status {
    // SAFETY: the instance is a host's; the description is valid during the call and the caller
    // vouches for the cell.
    unsafe {
        let (slot, system) = caller(instance);
        let name = check_description("counter", spec.cast(), size_of::<CounterSpec>())
            .and_then(|()| own_name(&slot.name(), "counter", (*spec).name));
        let name = match name {
            Ok(name) => name,
            Err(reason) => return failed(ERR_ARGUMENT, reason),
        };
        let spec = &*spec;
        let refresh = spec.refresh.map(|refresh| (refresh, spec.refresh_context));
        let by_comm = spec.by_comm != 0;
        if by_comm && refresh.is_none() {
            let text = format!("counter {name}: by_comm needs a function refresh");
            return failed(ERR_ARGUMENT, text);
        }
        let info = CounterInfo {
            name,
            owner: slot.name(),
            help: text::copy(spec.help),
            unit: (!spec.unit.is_null()).then(|| text::copy(spec.unit)),
            kind: spec.kind,
            level: spec.level,
            by_comm,
        };
        match system.counters.add(instance.addr(), info, NewCell { cell, refresh }) {
            Ok(()) => OK,
            Err(reason) => failed(ERR_ARGUMENT, reason),
        }
    }
}

unsafe extern "C" fn counter_remove(instance: *mut Instance, cell: *const CounterCell) {
    // SAFETY: the instance is a host's.
    unsafe { caller(instance) }.1.counters.remove(instance.addr(), cell);
}

unsafe extern "C" fn event_add(
    instance: *mut Instance,
    spec: *const EventSpec,
    event: *mut *const EventType,
) -> Status {
    // SAFETY: the instance is a host's; the description and the place are valid during the call.
    unsafe {
        let (slot, system) = caller(instance);
        let name = check_description("event", spec.cast(), size_of::<EventSpec>())
            .and_then(|()| own_name(&slot.name(), "event", (*spec).name));
        let name = match name {
            Ok(name) => name,
            Err(reason) => return failed(ERR_ARGUMENT, reason),
        };
        if event.is_null() {
            return failed(ERR_ARGUMENT, format!("event {name}: the place for it is null"));
        }
        let spec = &*spec;
        let info = EventInfo {
            name,
            owner: slot.name(),
            help: text::copy(spec.help),
            level: spec.level,
            elements: words(spec.elements),
        };
        match system.events.add(info) {
            Ok(made) => {
                *event = made;
                OK
            }
            Err(reason) => failed(ERR_ARGUMENT, reason),
        }
    }
}

unsafe extern "C" fn event_raise(event: *const EventType, values: *const i64) {
    // SAFETY: the caller has the type from `event_add`, and vouches for the values.
    unsafe { Events::raise(&*event, values) };
}

unsafe extern "C" fn scope_slot_reserve(instance: *mut Instance, slot: *mut u32) -> Status {
    // SAFETY: the instance is a host's; the place is valid during the call.
    unsafe {
        let (caller, system) = caller(instance);
        if let Err(status) = only_during(Phase::Opening, caller, "scope_slot_reserve") {
            return status;
        }
        match system.scopes.reserve(instance.addr()) {
            Some(index) => {
                *slot = index;
                OK
            }
            None => failed(ERR_RESOURCES, format!("all {SCOPE_SLOTS} slots of scopes are taken")),
        }
    }
}

unsafe extern "C" fn info_key_add(
    instance: *mut Instance,
    key: *const c_char,
    value: *const c_char,
) -> Status {
    // SAFETY: the instance is a host's; the texts are null or NUL-terminated.
    let ((caller, system), key, value) =
        unsafe { (caller(instance), text::copy(key), text::copy(value)) };
    if let Err(status) = only_during(Phase::Opening, caller, "info_key_add") {
        return status;
    }
    system.info_key_add(key, value);
    OK
}

unsafe extern "C" fn service(
    instance: *mut Instance,
    framework: *const c_char,
    scope: *const Scope,
    ops: *mut *const c_void,
    provider: *mut *mut Instance,
) -> Status {
    // SAFETY: promised by the caller.
    unsafe { service_at(instance, framework, scope, 0, ops, provider) }
}

unsafe extern "C" fn service_at(
    instance: *mut Instance,
    framework: *const c_char,
    scope: *const Scope,
    place: u32,
    ops: *mut *const c_void,
    provider: *mut *mut Instance,
) -> Status {
    // SAFETY: the instance is a host's; name, scope and places are valid during the call.
    unsafe {
        let (_, system) = caller(instance);
        let framework = text::copy(framework);
        if let Err(problem) = system.choose_on_demand(&framework, scope.as_ref()) {
            return failed(ERR_NOT_FOUND, problem.line());
        }
        match system.serving(&framework, scope.as_ref(), place as usize) {
            Some(slot) => {
                *ops = slot.ops();
                *provider = slot.instance();
                OK
            }
            None if place == 0 => failed(ERR_NOT_FOUND, format!("no {framework} component serves")),
            None => failed(ERR_NOT_FOUND, format!("{place} {framework} components serve")),
        }
    }
}
