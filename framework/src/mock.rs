//! A host of the simplest kind, for unit tests of a component.
//!
//! It keeps what a component does ([`MockHost::log`], [`MockHost::pools`]...) instead of acting on
//! it, gives parameters their defaults unless the test says otherwise, and numbers threads as the
//! test wishes.
//!
//! ```ignore
//! let mock = MockHost::leak("cri_mine");
//! mock.set("stickiness", "3");
//! let component = mock.open::<Mine>().unwrap();
//! ```

use core::ffi::{c_char, c_void};
use std::cell::Cell;
use std::collections::HashMap;
use std::ffi::CString;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicU64};

use crate::abi::btl::BtlModule;
use crate::abi::component::{ABI_MAJOR, ABI_MINOR, Instance};
use crate::abi::counter::{CounterCell, CounterSpec};
use crate::abi::event::{EventSpec, EventType};
use crate::abi::host::{Host, MemoryRange, ProgressFn, ThreadExitFn};
use crate::abi::job::{Job, THREAD_MULTIPLE};
use crate::abi::lock::Lock;
use crate::abi::param::{
    PARAM_BOOL, PARAM_CHOICE, PARAM_INTEGER, PARAM_SIZE, ParamCell, ParamSpec,
};
use crate::abi::peer::Peer;
use crate::abi::pool::{Cri, CriPool, CriSet};
use crate::abi::receive::{RECEIVE_TAGS, ReceiveEntry, ReceiveFn};
use crate::abi::request::WaitSync;
use crate::abi::scope::{SCOPE_PROCESS, Scope};
use crate::abi::status::{ERR_ARGUMENT, ERR_EXISTS, ERR_NOT_FOUND, ERR_PEER, OK, Status};
use crate::abi::thread::Thread;
use crate::audit::LockLevel;
use crate::author::{Component, Failure, HostHandle, Registrar};
use crate::text;

/// What the component did, and what the test told the host.
#[derive(Default)]
struct State {
    params: HashMap<String, String>,
    reason: String,
    log: Vec<String>,
    progress: Vec<(usize, usize)>,
    pools: Vec<usize>,
    card: Option<&'static [u8]>,
    failed: Vec<u32>,
    slots: u32,
    watched: Vec<MemoryRange>,
    gone: Vec<MemoryRange>,
}

/// What stands behind the table.
struct Backing {
    table: Host,
    job: Job,
    receive: [ReceiveEntry; RECEIVE_TAGS],
    state: Mutex<State>,
}

thread_local! {
    static THREAD: Cell<u32> = const { Cell::new(0) };
    static RECORD: Cell<*const Thread> = const { Cell::new(core::ptr::null()) };
}

impl MockHost {
    /// A host for a component with this full name, in a threaded job of one with four cores.
    pub fn leak(name: &str) -> &'static Self {
        Self::leak_among(name, 1)
    }

    /// The same for the first process of a job of `size`, all on one node.
    pub fn leak_among(name: &str, size: u32) -> &'static Self {
        Self::leak_on(name, size, 0)
    }

    /// The same where those processes share so many cores.
    pub fn leak_on(name: &str, size: u32, node_cores: u32) -> &'static Self {
        let job = Job {
            struct_size: size_of::<Job>() as u32,
            rank: 0,
            size,
            local_rank: 0,
            local_size: size,
            thread_level: THREAD_MULTIPLE,
            cores: 4,
            node_cores,
            id: c"mock".as_ptr(),
            secret: [7; 16],
            wait_polls: u32::MAX,
            lock_bias: 1,
        };
        let receive = core::array::from_fn(|_| ReceiveEntry {
            callback: None,
            context: core::ptr::null_mut(),
        });
        let host =
            Box::leak(Box::new(Backing { table: table(), job, receive, state: Mutex::default() }));
        host.table.job = &raw const host.job;
        host.table.receive = host.receive.as_ptr();
        Box::leak(Box::new(Self {
            instance: Instance {
                struct_size: size_of::<Instance>() as u32,
                reserved: 0,
                host: &raw const host.table,
                state: core::ptr::null_mut(),
                name: text::to_c(name).into_raw(),
                host_private: (&raw mut *host).cast(),
            },
        }))
    }
}

/// A host with one component's place in it. It is never freed, like the real one.
#[repr(transparent)]
pub struct MockHost {
    instance: Instance,
}

// SAFETY: the mock's state is behind a mutex and the rest is constant.
unsafe impl Sync for MockHost {}

impl MockHost {
    fn host(&self) -> &'static Backing {
        // SAFETY: `MockHost::leak` stored it and never frees it.
        unsafe { &*self.instance.host_private.cast() }
    }

    fn state(&self) -> std::sync::MutexGuard<'static, State> {
        self.host().state.lock().expect("no test panics while it holds the state")
    }

    /// The handle a component gets.
    pub fn handle(&'static self) -> HostHandle {
        // SAFETY: complete and never freed.
        unsafe { HostHandle::new((&raw const self.instance).cast_mut()) }
    }

    /// Gives a parameter (by the name the component registers) another value than its default.
    pub fn set(&self, name: &str, value: &str) {
        self.state().params.insert(name.into(), value.into());
    }

    /// Registers and opens a component.
    pub fn open<T: Component>(&'static self) -> Result<T, Failure> {
        T::open(self.handle(), self.register::<T>()?)
    }

    /// Registers the parameters of a component.
    pub fn register<T: Component>(&'static self) -> Result<T::Params, Failure> {
        T::register(&Registrar::new(self.handle()))
    }

    /// Runs `body` as the thread with this index.
    pub fn as_thread<R>(&self, index: u32, body: impl FnOnce(&'static Thread) -> R) -> R {
        let record = Box::leak(Box::new(Thread {
            struct_size: size_of::<Thread>() as u32,
            index,
            serial: u64::from(index) + 1,
        }));
        let before = (THREAD.replace(index), RECORD.replace(record));
        let result = body(record);
        THREAD.set(before.0);
        RECORD.set(before.1);
        result
    }

    /// A pool of `count` instances without a transport.
    pub fn pool(&self, count: u32) -> &'static mut CriPool {
        let cris: Vec<Cri> = (0..count).map(Cri::new).collect();
        Box::leak(Box::new(CriPool::of(c"mock", cris.leak())))
    }

    /// The scope of the whole process.
    pub fn process(&self) -> Scope {
        Scope::new(SCOPE_PROCESS, 0, 1, c"process")
    }

    /// The lines the component has logged or shown, and what it said when it failed.
    pub fn log(&self) -> Vec<String> {
        self.state().log.clone()
    }

    /// The ranks of which the component has said that they are gone.
    pub fn failed(&self) -> Vec<u32> {
        self.state().failed.clone()
    }

    /// The ranges that the component has asked to be told of.
    pub fn watched(&self) -> Vec<MemoryRange> {
        self.state().watched.clone()
    }

    /// Tells the component, when it asks, that a range of memory is gone.
    pub fn memory_is_gone(&self, range: MemoryRange) {
        self.state().gone.push(range);
    }

    /// How many pools the component has added and not removed.
    pub fn pools(&self) -> usize {
        self.state().pools.len()
    }

    /// Calls the component's progress callbacks once and returns the events.
    pub fn run_progress(&self) -> u32 {
        // SAFETY: of the functions of the table this needs the instance only.
        unsafe { progress((&raw const self.instance).cast_mut()) }
    }
}

/// # Safety
/// A mock made the instance.
unsafe fn mock<'a>(instance: *mut Instance) -> &'a MockHost {
    // SAFETY: promised by the caller; the type is transparent.
    unsafe { &*instance.cast::<MockHost>() }
}

fn table() -> Host {
    Host {
        struct_size: size_of::<Host>() as u32,
        abi_major: ABI_MAJOR,
        abi_minor: ABI_MINOR,
        version: c"mock".as_ptr(),
        receive: core::ptr::null(),
        job: core::ptr::null(),
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
        arrivals: &NO_ARRIVALS,
        memory_watch,
        memory_gone,
    }
}

// Every function below is called by the component under test with its own instance and with
// arguments that are valid during the call, as the table demands.

unsafe extern "C" fn fail(instance: *mut Instance, status: Status, why: *const c_char) -> Status {
    // SAFETY: see above.
    unsafe { mock(instance).state().reason = text::copy(why) };
    status
}

unsafe extern "C" fn reason(instance: *mut Instance, buffer: *mut c_char, size: usize) -> usize {
    // SAFETY: see above.
    unsafe { text::write(&mock(instance).state().reason, buffer, size) }
}

unsafe extern "C" fn abort(_: *mut Instance, code: i32, why: *const c_char) {
    // SAFETY: see above.
    panic!("the component aborted with {code}: {}", unsafe { text::copy(why) });
}

unsafe extern "C" fn log(instance: *mut Instance, _: u32, line: *const c_char) {
    // SAFETY: see above.
    unsafe { mock(instance).state().log.push(text::copy(line)) };
}

unsafe extern "C" fn log_enabled(_: *mut Instance, _: u32) -> i32 {
    1
}

unsafe extern "C" fn show_once(instance: *mut Instance, _: *const c_char, line: *const c_char) {
    // SAFETY: see above.
    unsafe { log(instance, 0, line) };
}

/// The test makes its peers itself.
unsafe extern "C" fn peer_connect(_: *mut Instance, _: *const Peer) -> Status {
    ERR_PEER
}

unsafe extern "C" fn peer_get(_: *mut Instance, _: u32) -> *mut Peer {
    core::ptr::null_mut()
}

/// The test has its devices itself.
unsafe extern "C" fn device_get(_: *mut Instance, _: u32) -> *const BtlModule {
    core::ptr::null()
}

unsafe extern "C" fn memory_watch(
    instance: *mut Instance,
    address: *const c_void,
    len: usize,
) -> Status {
    // SAFETY: see above.
    unsafe { mock(instance) }.state().watched.push(MemoryRange { address: address.addr(), len });
    OK
}

unsafe extern "C" fn memory_gone(
    instance: *mut Instance,
    seen: *mut u64,
    ranges: *mut MemoryRange,
    capacity: usize,
) -> usize {
    // SAFETY: see above.
    unsafe {
        let gone = mock(instance).state().gone[*seen as usize..].to_vec();
        let count = gone.len().min(capacity);
        core::ptr::copy_nonoverlapping(gone.as_ptr(), ranges, count);
        *seen += count as u64;
        count
    }
}

unsafe extern "C" fn param_register(
    instance: *mut Instance,
    spec: *const ParamSpec,
    cell: *mut *const ParamCell,
) -> Status {
    // SAFETY: see above.
    unsafe {
        let spec = &*spec;
        let name = text::copy(spec.name);
        let set = mock(instance).state().params.get(&name).cloned();
        let value = set.unwrap_or_else(|| text::copy(spec.default_value));
        let number = |text: &str| -> Option<u64> {
            let digits = text.trim_end_matches(['k', 'm', 'g']);
            let shift = match &text[digits.len()..] {
                "k" => 10,
                "m" => 20,
                "g" => 30,
                _ => 0,
            };
            digits.parse::<i64>().ok().map(|number| (number << shift) as u64)
        };
        let word = match spec.kind {
            PARAM_BOOL => Some(u64::from(value == "true" || value == "1")),
            PARAM_INTEGER | PARAM_SIZE => number(&value),
            PARAM_CHOICE => {
                text::copy(spec.choices).split(',').position(|one| one == value).map(|i| i as u64)
            }
            _ => Some(CString::into_raw(text::to_c(&value)).expose_provenance() as u64),
        };
        let Some(word) = word else {
            mock(instance).state().reason = format!("{name} can't be {value}");
            return ERR_ARGUMENT;
        };
        *cell = Box::leak(Box::new(ParamCell { value: AtomicU64::new(word) }));
        OK
    }
}

unsafe extern "C" fn param_find(
    _: *mut Instance,
    _: *const c_char,
    _: u32,
    _: *mut *const ParamCell,
) -> Status {
    ERR_NOT_FOUND
}

unsafe extern "C" fn thread_self(instance: *mut Instance) -> *const Thread {
    if RECORD.get().is_null() {
        // SAFETY: see above.
        unsafe { mock(instance) }.as_thread(THREAD.get(), |record| RECORD.set(record));
    }
    RECORD.get()
}

unsafe extern "C" fn thread_exit_add(_: *mut Instance, _: ThreadExitFn, _: *mut c_void) -> Status {
    OK
}

unsafe extern "C" fn thread_exit_remove(_: *mut Instance, _: ThreadExitFn, _: *mut c_void) {}

unsafe extern "C" fn lock_acquire(lock: *const Lock) {
    // SAFETY: see above.
    unsafe { (*lock).lock_as(LockLevel::UNKNOWN) };
}

unsafe extern "C" fn lock_try(lock: *const Lock) -> i32 {
    // SAFETY: see above.
    i32::from(unsafe { (*lock).try_lock_as(LockLevel::UNKNOWN) })
}

unsafe extern "C" fn cri_acquire(cri: *const Cri) {
    // SAFETY: see above.
    unsafe { (*cri).lock_for_release() };
}

unsafe extern "C" fn cri_try(cri: *const Cri) -> i32 {
    // SAFETY: see above.
    i32::from(unsafe { (*cri).try_for_release() })
}

unsafe extern "C" fn lock_release(lock: *const Lock) {
    // SAFETY: see above.
    unsafe { (*lock).unlock() };
}

unsafe extern "C" fn progress_add(
    instance: *mut Instance,
    callback: ProgressFn,
    context: *mut c_void,
    _: u32,
) -> Status {
    let entry = (callback as usize, context.expose_provenance());
    // SAFETY: see above.
    unsafe { mock(instance) }.state().progress.push(entry);
    OK
}

unsafe extern "C" fn progress_remove(
    instance: *mut Instance,
    callback: ProgressFn,
    context: *mut c_void,
) {
    let entry = (callback as usize, context.addr());
    // SAFETY: see above.
    unsafe { mock(instance) }.state().progress.retain(|other| *other != entry);
}

unsafe extern "C" fn progress(instance: *mut Instance) -> u32 {
    // SAFETY: see above.
    let callbacks = unsafe { mock(instance) }.state().progress.clone();
    let call = |(callback, context): (usize, usize)| {
        // SAFETY: `progress_add` stored a function of this type and its context.
        unsafe {
            let callback = core::mem::transmute::<usize, ProgressFn>(callback);
            callback(core::ptr::with_exposed_provenance_mut(context))
        }
    };
    callbacks.into_iter().map(call).sum()
}

unsafe extern "C" fn wait(instance: *mut Instance, sync: *mut WaitSync) -> Status {
    // SAFETY: see above.
    unsafe {
        while !(*sync).is_complete() {
            progress(instance);
        }
    }
    OK
}

unsafe extern "C" fn progress_for(instance: *mut Instance, _: *const CriSet, _: u32) -> u32 {
    // SAFETY: as for `progress`.
    unsafe { progress(instance) }
}

unsafe extern "C" fn wait_for(
    instance: *mut Instance,
    sync: *mut WaitSync,
    _: *const CriSet,
) -> Status {
    // SAFETY: as for `wait`.
    unsafe { wait(instance, sync) }
}

/// No strategy says where messages arrive.
static NO_ARRIVALS: AtomicU32 = AtomicU32::new(0);

/// There is nothing to poll but callbacks.
unsafe extern "C" fn cris_of(_: *mut Instance, _: *const Scope, _: *const Peer, _: *mut CriSet) {}

unsafe extern "C" fn pool_add(instance: *mut Instance, pool: *mut CriPool) -> Status {
    // SAFETY: see above.
    unsafe { mock(instance) }.state().pools.push(pool.addr());
    OK
}

unsafe extern "C" fn pool_remove(instance: *mut Instance, pool: *mut CriPool) {
    // SAFETY: see above.
    unsafe { mock(instance) }.state().pools.retain(|other| *other != pool.addr());
}

unsafe extern "C" fn receive_register(
    instance: *mut Instance,
    tag: u8,
    callback: ReceiveFn,
    context: *mut c_void,
) -> Status {
    // SAFETY: see above; a test registers on one thread, before anything is received.
    unsafe {
        let host = (*instance).host_private.cast::<Backing>();
        let entry = &raw mut (*host).receive[usize::from(tag)];
        if (*entry).callback.is_some() {
            return ERR_EXISTS;
        }
        *entry = ReceiveEntry { callback: Some(callback), context };
    }
    OK
}

unsafe extern "C" fn card_put(instance: *mut Instance, data: *const c_void, len: usize) -> Status {
    // SAFETY: see above.
    unsafe {
        let card = core::slice::from_raw_parts(data.cast::<u8>(), len).to_vec();
        mock(instance).state().card = Some(card.leak());
    }
    OK
}

unsafe extern "C" fn card_get(
    instance: *mut Instance,
    rank: u32,
    data: *mut *const c_void,
    len: *mut usize,
) -> Status {
    // SAFETY: see above.
    unsafe {
        match mock(instance).state().card {
            Some(card) if rank == 0 => {
                *data = card.as_ptr().cast();
                *len = card.len();
                OK
            }
            _ => ERR_NOT_FOUND,
        }
    }
}

unsafe extern "C" fn counter_add(
    _: *mut Instance,
    _: *const CounterSpec,
    _: *const CounterCell,
) -> Status {
    OK
}

unsafe extern "C" fn counter_remove(_: *mut Instance, _: *const CounterCell) {}

unsafe extern "C" fn event_add(
    _: *mut Instance,
    _: *const EventSpec,
    event: *mut *const EventType,
) -> Status {
    // There are no listeners.
    static EVENT: EventType = EventType {
        struct_size: size_of::<EventType>() as u32,
        listeners: AtomicU32::new(0),
        host_private: core::ptr::null(),
    };
    // SAFETY: the caller has a place for it.
    unsafe { *event = &EVENT };
    OK
}

unsafe extern "C" fn peer_failed(instance: *mut Instance, rank: u32) {
    // SAFETY: see above.
    unsafe { mock(instance).state().failed.push(rank) };
}

unsafe extern "C" fn event_raise(_: *const EventType, _: *const i64) {}

unsafe extern "C" fn info_key_add(_: *mut Instance, _: *const c_char, _: *const c_char) -> Status {
    OK
}

unsafe extern "C" fn scope_slot_reserve(instance: *mut Instance, slot: *mut u32) -> Status {
    // SAFETY: see above.
    unsafe {
        let mut state = mock(instance).state();
        *slot = state.slots;
        state.slots += 1;
    }
    OK
}

unsafe extern "C" fn service(
    _: *mut Instance,
    _: *const c_char,
    _: *const Scope,
    _: *mut *const c_void,
    _: *mut *mut Instance,
) -> Status {
    ERR_NOT_FOUND
}

unsafe extern "C" fn service_at(
    _: *mut Instance,
    _: *const c_char,
    _: *const Scope,
    _: u32,
    _: *mut *const c_void,
    _: *mut *mut Instance,
) -> Status {
    ERR_NOT_FOUND
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_of_others_prolong_the_polling_but_not_for_ever() {
        let mut job = *MockHost::leak("btl_test").handle().job();
        for (polls, events, passes) in [(0, 1, 0), (5, 0, 5), (5, 1, 80)] {
            job.wait_polls = polls;
            let mut made = 0;
            let pass = |attempts| {
                assert_eq!(attempts, made);
                made += 1;
                events
            };
            assert!(!job.poll_until(pass, || false));
            assert_eq!(made, passes);
        }
    }
}
