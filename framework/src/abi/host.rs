//! The host table: everything a component may ask of the process it lives in.
//!
//! A component links against nothing of ours; it gets this table with its [`Instance`] and calls
//! through it. Unless a function says otherwise it may be called from any thread, with or without
//! a CRI's lock held, and costs a call and a lock of its own: these are for set-up and rare
//! events. What the hot path needs ([`Host::receive`], [`Host::job`], parameter cells, pools) is
//! read in place.

use core::ffi::{c_char, c_void};

use core::sync::atomic::AtomicU32;

use super::btl::BtlModule;
use super::component::Instance;
use super::counter::{CounterCell, CounterSpec};
use super::event::{EventSpec, EventType};
use super::job::Job;
use super::lock::Lock;
use super::param::{ParamCell, ParamSpec};
use super::peer::Peer;
use super::pool::{Cri, CriPool, CriSet};
use super::receive::{ReceiveEntry, ReceiveFn};
use super::request::WaitSync;
use super::scope::Scope;
use super::status::Status;
use super::thread::Thread;

/// Log level: something does not work.
pub const LOG_ERROR: u32 = 1;
/// Log level: something works worse than the user will expect.
pub const LOG_WARN: u32 = 2;
/// Log level: a decision a user may want to see.
pub const LOG_INFO: u32 = 3;
/// Log level: for authors that debug a component.
pub const LOG_DEBUG: u32 = 4;
/// Log level: every message and event.
pub const LOG_TRACE: u32 = 5;

/// How often a progress callback is called: in every pass.
pub const PROGRESS_EVERY_PASS: u32 = 0;
/// How often a progress callback is called: in one pass of many (connection set-up, timers),
/// after each whole sleep, and before the process leaves the launcher, from when on `card_get` gets nothing new.
pub const PROGRESS_SELDOM: u32 = 1;

/// A progress callback: looks for events once, never waits, and returns how many it handled.
pub type ProgressFn = unsafe extern "C" fn(context: *mut c_void) -> u32;

/// A callback for the end of a thread, called on that thread with no lock held.
pub type ThreadExitFn = unsafe extern "C" fn(context: *mut c_void, thread: *const Thread);

/// The functions of the host. Every function pointer is set.
#[repr(C)]
pub struct Host {
    /// Size of this struct in bytes, as the host has it.
    pub struct_size: u32,
    /// `CAIRN_ABI_MAJOR` of the host.
    pub abi_major: u16,
    /// `CAIRN_ABI_MINOR` of the host.
    pub abi_minor: u16,
    /// The host's own version, such as `0.1.0`.
    pub version: *const c_char,
    /// `CAIRN_RECEIVE_TAGS` entries, indexed by the tag of an arriving message. Read in place.
    pub receive: *const ReceiveEntry,
    /// The job this process belongs to. Its numbers hold from `open` on.
    pub job: *const Job,

    /// Says why a function of the component is about to fail, and returns `status`. Each call
    /// replaces the text of the one before on this thread.
    pub fail: unsafe extern "C" fn(
        instance: *mut Instance,
        status: Status,
        text: *const c_char,
    ) -> Status,
    /// Copies the reason why a call on this thread last failed, be it of a function of this table or
    /// of a component that told `fail`, into `text` (at most `capacity` bytes with the NUL) and
    /// returns the length of the whole text.
    pub reason:
        unsafe extern "C" fn(instance: *mut Instance, text: *mut c_char, capacity: usize) -> usize,
    /// Ends the job: prints the component's name and `text`, then exits with `code`. Does not
    /// return.
    pub abort: unsafe extern "C" fn(instance: *mut Instance, code: i32, text: *const c_char),
    /// Writes a line to the log, under the component's name, if `mca_log` asks for it.
    pub log: unsafe extern "C" fn(instance: *mut Instance, level: u32, text: *const c_char),
    /// Whether `log` would write at this level: 1 or 0. For callers with costly texts.
    pub log_enabled: unsafe extern "C" fn(instance: *mut Instance, level: u32) -> i32,

    /// Registers a parameter as `<framework>_<component>_<name>`, gives it its value from every
    /// source and stores where the value lies in `cell`. Only during `register_params`.
    ///
    /// Fails with `CAIRN_ERR_ARGUMENT` when the description is not sound or a user's value is not
    /// allowed: the component then returns the status. A name already registered by the same
    /// component gets the same cell.
    pub param_register: unsafe extern "C" fn(
        instance: *mut Instance,
        spec: *const ParamSpec,
        cell: *mut *const ParamCell,
    ) -> Status,
    /// Finds a parameter of any component or of the base by its full name; `kind` must be the kind
    /// it was registered with. `CAIRN_ERR_NOT_FOUND` when there is none.
    pub param_find: unsafe extern "C" fn(
        instance: *mut Instance,
        name: *const c_char,
        kind: u32,
        cell: *mut *const ParamCell,
    ) -> Status,

    /// The calling thread's record; makes one at a thread's first call. Never null. Costs a
    /// thread-local read.
    pub thread_self: unsafe extern "C" fn(instance: *mut Instance) -> *const Thread,
    /// Asks for a call at the end of every thread that has a record.
    pub thread_exit_add: unsafe extern "C" fn(
        instance: *mut Instance,
        callback: ThreadExitFn,
        context: *mut c_void,
    ) -> Status,
    /// Takes the request back. When it returns the callback is not running and won't be called.
    /// Not to be called from the callback.
    pub thread_exit_remove:
        unsafe extern "C" fn(instance: *mut Instance, callback: ThreadExitFn, context: *mut c_void),
    /// Takes a lock, sleeping if it must. For C; Rust code has the methods of `Lock`. Not for the lock of
    /// an instance.
    pub lock_acquire: unsafe extern "C" fn(lock: *const Lock),
    /// Takes a lock if it is free: 1, else 0.
    pub lock_try: unsafe extern "C" fn(lock: *const Lock) -> i32,
    /// Releases a lock that this thread holds.
    pub lock_release: unsafe extern "C" fn(lock: *const Lock),

    /// Adds a callback to the progress engine; `rate` is one of `CAIRN_PROGRESS_*`. Several threads may
    /// be in it at a time: it looks first whether there is something to do, without writing to memory
    /// that they share, and tries locks without waiting for them.
    pub progress_add: unsafe extern "C" fn(
        instance: *mut Instance,
        callback: ProgressFn,
        context: *mut c_void,
        rate: u32,
    ) -> Status,
    /// Takes it out again. When it returns the callback is running on no other thread and won't be
    /// called; it may be called from inside the callback itself.
    pub progress_remove:
        unsafe extern "C" fn(instance: *mut Instance, callback: ProgressFn, context: *mut c_void),
    /// Makes one pass of the progress engine and returns how many events were handled. Not from
    /// a receive callback, a completion or a progress callback, and with no lock held: behind
    /// the pass tools are told of what happened, and may call MPI.
    pub progress: unsafe extern "C" fn(instance: *mut Instance) -> u32,
    /// Waits until `sync` is complete, by the process's `wait` component. With no lock held, and
    /// from none of the callbacks.
    pub wait: unsafe extern "C" fn(instance: *mut Instance, sync: *mut WaitSync) -> Status,

    /// Gives the framework a pool of CRIs: a strategy is attached to it and progress polls it
    /// from now on. The pool must stay where it is until `pool_remove`. Neither function is for
    /// receive callbacks, completions and progress callbacks.
    pub pool_add: unsafe extern "C" fn(instance: *mut Instance, pool: *mut CriPool) -> Status,
    /// Takes a pool back. When it returns no thread polls it or asks its strategy.
    pub pool_remove: unsafe extern "C" fn(instance: *mut Instance, pool: *mut CriPool),

    /// Handles messages that arrive with `tag`. `CAIRN_ERR_EXISTS` when another component does.
    /// Only during `open`.
    pub receive_register: unsafe extern "C" fn(
        instance: *mut Instance,
        tag: u8,
        callback: ReceiveFn,
        context: *mut c_void,
    ) -> Status,

    /// Publishes this process's business card of the component: the bytes peers need to connect.
    /// Once, during `open`; copied.
    pub card_put:
        unsafe extern "C" fn(instance: *mut Instance, data: *const c_void, len: usize) -> Status,
    /// Fetches the card that the same component of `rank` published. The bytes stay valid as long
    /// as the process lives. `CAIRN_ERR_NOT_FOUND` when it published none.
    pub card_get: unsafe extern "C" fn(
        instance: *mut Instance,
        rank: u32,
        data: *mut *const c_void,
        len: *mut usize,
    ) -> Status,

    /// Makes a counter known as `<framework>_<component>_<name>`, or adds a cell to one that is.
    /// The cell must live until `counter_remove` or until `close` is called, before which the host
    /// takes out all that are left. A cell belongs to one counter. When the parameter `counters` is
    /// off this does nothing.
    pub counter_add: unsafe extern "C" fn(
        instance: *mut Instance,
        spec: *const CounterSpec,
        cell: *const CounterCell,
    ) -> Status,
    /// Takes a cell out; what it counted stays in the counter's sum.
    pub counter_remove: unsafe extern "C" fn(instance: *mut Instance, cell: *const CounterCell),

    /// Reserves a private slot in every scope and stores its index. Only during `open`. A process has
    /// `CAIRN_SCOPE_SLOTS` for all its components together; `CAIRN_ERR_RESOURCES` when all are taken.
    pub scope_slot_reserve: unsafe extern "C" fn(instance: *mut Instance, slot: *mut u32) -> Status,
    /// Finds the component that serves a framework for a scope (null: the process): its table and
    /// its instance. Makes the process's choice if the framework was not asked for yet.
    /// `CAIRN_ERR_NOT_FOUND` when none can serve. For set-up; keep the result.
    pub service: unsafe extern "C" fn(
        instance: *mut Instance,
        framework: *const c_char,
        scope: *const Scope,
        ops: *mut *const c_void,
        provider: *mut *mut Instance,
    ) -> Status,

    /// Tells the user something, once for each `key` in the life of the process,
    /// whatever the log level: that a faster way was refused by the system, for instance.
    pub show_once:
        unsafe extern "C" fn(instance: *mut Instance, key: *const c_char, text: *const c_char),
    /// Makes sure that a peer has routes: asks the transports for endpoints if it has
    /// none. Does not wait for the peer. Any thread, also from callbacks; costs an Acquire load
    /// when the peer is connected. `CAIRN_ERR_PEER` when no transport reaches it, with what each of
    /// them says.
    pub peer_connect: unsafe extern "C" fn(instance: *mut Instance, peer: *const Peer) -> Status,
    /// The process with this rank in the job, connected or not; null when there is no
    /// such rank. It stays as long as this process lives.
    pub peer_get: unsafe extern "C" fn(instance: *mut Instance, rank: u32) -> *mut Peer,
    /// The device at `place`, from 0, of all devices of the transports that are open; null behind the last. It
    /// stays as long as this process lives. Any thread.
    pub device_get: unsafe extern "C" fn(instance: *mut Instance, place: u32) -> *const BtlModule,
    /// As `service`, for frameworks of which several components serve: the one at `place`,
    /// from 0, the highest priority first. `CAIRN_ERR_NOT_FOUND` behind the last.
    pub service_at: unsafe extern "C" fn(
        instance: *mut Instance,
        framework: *const c_char,
        scope: *const Scope,
        place: u32,
        ops: *mut *const c_void,
        provider: *mut *mut Instance,
    ) -> Status,
    /// Makes a type of events known as `<framework>_<component>_<name>`, or finds the one that
    /// is, and stores it.
    pub event_add: unsafe extern "C" fn(
        instance: *mut Instance,
        spec: *const EventSpec,
        event: *mut *const EventType,
    ) -> Status,
    /// An event happened; `values` has a number for each element of its type. Any thread,
    /// with any lock held. Callers look at `listeners` before.
    pub event_raise: unsafe extern "C" fn(event: *const EventType, values: *const i64),
    /// For transports: the process with this rank in the job is gone, or can't be reached
    /// any more by the only way to it. Operations that need it end with `CAIRN_ERR_PEER`. Any thread,
    /// also from progress functions.
    pub peer_failed: unsafe extern "C" fn(instance: *mut Instance, rank: u32),
    /// For components in Rust that were built for debugging: what this thread does with
    /// `lock`, or another atomic, is one of `CAIRN_AUDIT_*`; `rank` is the place of the lock in the
    /// order of locks, 0 if it has none. A host that was built for release does nothing.
    pub audit: unsafe extern "C" fn(event: u32, lock: *const c_void, rank: u32),
    /// Takes the lock of an instance, sleeping if it must; `lock_release` releases it. For C;
    /// Rust code has `Cri::guard`.
    pub cri_acquire: unsafe extern "C" fn(cri: *const Cri),
    /// Takes the lock of a CRI if it is free: 1, else 0.
    pub cri_try: unsafe extern "C" fn(cri: *const Cri) -> i32,
    /// Makes an info key of communicators and windows known that the caller looks at with
    /// `cairn_scope_t::info`, and what holds where it is not set: programs are told of both
    /// (`MPI_Comm_get_info`, `MPI_Win_get_info`). Only during `open`.
    pub info_key_add: unsafe extern "C" fn(
        instance: *mut Instance,
        key: *const c_char,
        value: *const c_char,
    ) -> Status,
    /// As `progress`, for a thread that waits for something: `cris` says where its events can
    /// come from (null: not known), `attempts` how many passes the thread has made for it before.
    pub progress_for:
        unsafe extern "C" fn(instance: *mut Instance, cris: *const CriSet, attempts: u32) -> u32,
    /// As `wait`; `cris` as for `progress_for`.
    pub wait_for: unsafe extern "C" fn(
        instance: *mut Instance,
        sync: *mut WaitSync,
        cris: *const CriSet,
    ) -> Status,
    /// Adds to `cris` where messages of a communicator or window arrive that come from `peer`,
    /// over each pool that leads to it, or from anybody if it is null: as the process's strategy says,
    /// else what the calling thread polls first.
    pub cris_of: unsafe extern "C" fn(
        instance: *mut Instance,
        scope: *const Scope,
        peer: *const Peer,
        cris: *mut CriSet,
    ),
    /// Not 0 once the process's strategy has said of some pool where messages arrive; before,
    /// `cris_of` knows nothing that a thread does not poll first anyway.
    pub arrivals: *const AtomicU32,
    /// From now on `memory_gone` tells when memory of this range, of whole pages around it, is unmapped,
    /// moved, given back to the system, or mapped over, by whomever; of each part once. For transports that keep
    /// the program's memory registered. Only then does a change of mappings cost more: a switch of threads.
    /// `CAIRN_ERR_UNSUPPORTED` when the kernel does not tell, of this memory or at all. Any thread.
    pub memory_watch:
        unsafe extern "C" fn(instance: *mut Instance, address: *const c_void, len: usize) -> Status,
    /// Stores the ranges that are gone behind the first `seen` of them, at most `capacity`, raises `seen` by so
    /// many, and returns how many. Who has not asked for long gets one range of all addresses. `seen` begins
    /// with 0. What a thread has unmapped before it asks is among them. Any thread.
    pub memory_gone: unsafe extern "C" fn(
        instance: *mut Instance,
        seen: *mut u64,
        ranges: *mut MemoryRange,
        capacity: usize,
    ) -> usize,
}

/// Addresses of the process's memory.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryRange {
    /// The first.
    pub address: usize,
    /// Bytes.
    pub len: usize,
}

impl MemoryRange {
    /// Whether some address is in both.
    pub fn meets(&self, other: &Self) -> bool {
        let end = |range: &Self| range.address.saturating_add(range.len);
        self.address < end(other) && other.address < end(self)
    }
}

// SAFETY: the table is constant while components live, and its functions may be called from any
// thread.
unsafe impl Sync for Host {}
// SAFETY: see `Sync`.
unsafe impl Send for Host {}
