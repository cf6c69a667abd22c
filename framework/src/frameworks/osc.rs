//! **osc** — one-sided communication: windows and the operations on them.
//!
//! **Life.** The component with the highest priority for a window's scope serves it. `window_open`
//! and `window_close` are collective over the window's communicator; operations and
//! synchronisation come between.
//!
//! **Threads and locks.** Everything but `window_open` and `window_close` is hot: any thread, no
//! lock held. Operations of different threads on one window go on at the same time; each takes at
//! most the lock of the CRI it uses.
//!
//! **Completion and ownership.** As MPI 5.0, chapter 12, has it: the origin's buffers are the
//! operation's until the epoch ends, a flush completes it, or, for the forms with a request, the
//! request is complete. Requests begin with a [`Request`].
//!
//! **Errors.** The MPI layer has checked handles, counts and ranks. What only the component can
//! know (no epoch, a range outside the target's window) is `CAIRN_ERR_ARGUMENT` with the reason.

use core::ffi::{c_char, c_void};

use super::contract;
use crate::abi::comm::Comm;
use crate::abi::component::Instance;
use crate::abi::datatype::{Datatype, Op};
use crate::abi::request::Request;
use crate::abi::scope::Scope;
use crate::abi::status::{OutcomeCode, Status};
use crate::author::{self, Component, Failure, Outcome};

/// [`Window::flavor`]: the user's memory (`MPI_Win_create`); the numbers are the ABI's.
pub const WINDOW_CREATE: u32 = 311;
/// [`Window::flavor`]: memory of the component (`MPI_Win_allocate`).
pub const WINDOW_ALLOCATE: u32 = 312;
/// [`Window::flavor`]: memory attached later (`MPI_Win_create_dynamic`).
pub const WINDOW_DYNAMIC: u32 = 313;
/// [`Window::flavor`]: memory that the node's ranks can load and store
/// (`MPI_Win_allocate_shared`).
pub const WINDOW_SHARED: u32 = 314;

/// [`OscTransfer::kind`]: put.
pub const OSC_PUT: u32 = 0;
/// [`OscTransfer::kind`]: get.
pub const OSC_GET: u32 = 1;
/// [`OscTransfer::kind`]: accumulate.
pub const OSC_ACCUMULATE: u32 = 2;
/// [`OscTransfer::kind`]: get_accumulate, and fetch_and_op as the case of one element.
pub const OSC_GET_ACCUMULATE: u32 = 3;
/// [`OscTransfer::kind`]: compare_and_swap; `origin` is the new value, `compare` the expected one.
pub const OSC_COMPARE_SWAP: u32 = 4;

/// [`OscSync::kind`]: `MPI_Win_fence`.
pub const OSC_FENCE: u32 = 0;
/// [`OscSync::kind`]: `MPI_Win_start` to the ranks in `ranks`.
pub const OSC_START: u32 = 1;
/// [`OscSync::kind`]: `MPI_Win_complete`.
pub const OSC_COMPLETE: u32 = 2;
/// [`OscSync::kind`]: `MPI_Win_post` to the ranks in `ranks`.
pub const OSC_POST: u32 = 3;
/// [`OscSync::kind`]: `MPI_Win_wait`.
pub const OSC_WAIT: u32 = 4;
/// [`OscSync::kind`]: `MPI_Win_test`: `CAIRN_DONE` or `CAIRN_NOTHING`.
pub const OSC_TEST: u32 = 5;
/// [`OscSync::kind`]: `MPI_Win_lock` of `target`, shared if `shared` is 1.
pub const OSC_LOCK: u32 = 6;
/// [`OscSync::kind`]: `MPI_Win_unlock` of `target`.
pub const OSC_UNLOCK: u32 = 7;
/// [`OscSync::kind`]: `MPI_Win_lock_all`.
pub const OSC_LOCK_ALL: u32 = 8;
/// [`OscSync::kind`]: `MPI_Win_unlock_all`.
pub const OSC_UNLOCK_ALL: u32 = 9;
/// [`OscSync::kind`]: `MPI_Win_flush` of `target`, or of all if it is -1.
pub const OSC_FLUSH: u32 = 10;
/// [`OscSync::kind`]: `MPI_Win_flush_local` of `target`, or of all if it is -1.
pub const OSC_FLUSH_LOCAL: u32 = 11;
/// [`OscSync::kind`]: `MPI_Win_sync`.
pub const OSC_SYNC: u32 = 12;

/// A window. Allocated by the MPI layer, constant after `window_open` but for the slots.
#[repr(C)]
#[derive(Debug)]
pub struct Window {
    /// Number, ranks, name, info and private slots.
    pub scope: Scope,
    /// The communicator, the window's own duplicate.
    pub comm: *const Comm,
    /// This process's memory. `window_open` stores it for flavors whose memory is the component's.
    pub base: *mut c_void,
    /// Its size in bytes.
    pub size: u64,
    /// Bytes that displacements of this process count in.
    pub displacement_unit: u32,
    /// `CAIRN_WINDOW_CREATE` and the others.
    pub flavor: u32,
}

/// One side of a transfer.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct OscSide {
    /// Address at the origin; unused for the target.
    pub buffer: *mut c_void,
    /// Elements.
    pub count: u64,
    /// Their type.
    pub datatype: *const Datatype,
}

/// A one-sided operation.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct OscTransfer {
    /// `CAIRN_OSC_PUT` and the others.
    pub kind: u32,
    /// The target's rank.
    pub target: u32,
    /// What is sent, or where a get goes.
    pub origin: OscSide,
    /// Where the old value of get_accumulate and compare_and_swap goes.
    pub result: OscSide,
    /// The expected value of compare_and_swap.
    pub compare: *const c_void,
    /// Displacement in the target's window, in its unit; an address for dynamic windows.
    pub displacement: i64,
    /// Elements at the target.
    pub target_count: u64,
    /// Their type.
    pub target_datatype: *const Datatype,
    /// The operation of accumulate and get_accumulate.
    pub op: *const Op,
}

/// A synchronisation.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct OscSync {
    /// `CAIRN_OSC_FENCE` and the others.
    pub kind: u32,
    /// The `MPI_MODE_*` assertions, as the ABI has them.
    pub assertions: u32,
    /// The target's rank, or -1.
    pub target: i32,
    /// 1 for a shared lock.
    pub shared: u32,
    /// Ranks in the window's communicator, for start and post.
    pub ranks: *const u32,
    /// Their number.
    pub rank_count: u32,
    /// Zero.
    pub reserved: u32,
}

/// Functions for windows.
#[repr(C)]
#[derive(Debug)]
pub struct OscOps {
    /// Size of this struct in bytes, as the author's header has it.
    pub struct_size: u32,
    /// Zero.
    pub reserved: u32,
    /// Makes the component's side of a window; allocates its memory where the flavor says so.
    /// Collective. Set-up. Required.
    pub window_open:
        Option<unsafe extern "C" fn(instance: *mut Instance, window: &mut Window) -> Status>,
    /// Frees it. Collective; no operation is in flight. Set-up. Required.
    pub window_close: Option<unsafe extern "C" fn(instance: *mut Instance, window: &mut Window)>,
    /// Starts an operation; when `request` is not null, stores the operation's request in it. Hot.
    /// Required.
    pub transfer: Option<
        unsafe extern "C" fn(
            instance: *mut Instance,
            window: &Window,
            transfer: &OscTransfer,
            request: *mut *mut Request,
        ) -> Status,
    >,
    /// Synchronises. May wait. Hot. Required.
    pub synchronize: Option<
        unsafe extern "C" fn(
            instance: *mut Instance,
            window: &Window,
            sync: &OscSync,
        ) -> OutcomeCode,
    >,
    /// Attaches memory to a dynamic window (`attach` 1) or detaches it (0). Any thread. Default:
    /// `CAIRN_ERR_UNSUPPORTED`.
    pub attach: Option<
        unsafe extern "C" fn(
            instance: *mut Instance,
            window: &Window,
            base: *mut c_void,
            size: u64,
            attach: u32,
        ) -> Status,
    >,
    /// Where the memory of `rank` in a shared window lies in this process. Default:
    /// `CAIRN_ERR_UNSUPPORTED`.
    pub shared_query: Option<
        unsafe extern "C" fn(
            instance: *mut Instance,
            window: &Window,
            rank: u32,
            base: &mut *mut c_void,
            size: &mut u64,
            displacement_unit: &mut u32,
        ) -> Status,
    >,
    /// Writes the state of a window as text for a person and returns the length of the whole text.
    /// Any thread. Default: an empty text.
    pub describe: Option<
        unsafe extern "C" fn(
            instance: *mut Instance,
            window: &Window,
            text: *mut c_char,
            capacity: usize,
        ) -> usize,
    >,
}

/// Where the memory of a rank of a shared window lies.
#[derive(Debug, Clone, Copy)]
pub struct SharedMemory {
    /// Its first byte in this process.
    pub base: *mut c_void,
    /// Bytes.
    pub size: u64,
    /// The rank's displacement unit.
    pub displacement_unit: u32,
}

/// Windows in Rust. Functions correspond to those of [`OscOps`].
///
/// # Safety of the unsafe functions
/// The pointers in the arguments are valid as MPI 5.0, chapter 12, says, until the operation is
/// complete.
#[allow(clippy::missing_safety_doc)] // said once, above
pub trait Osc: Component {
    /// Makes the component's side of a window.
    fn window_open(&self, window: &mut Window) -> Result<(), Failure>;
    /// Frees it.
    fn window_close(&self, window: &mut Window);
    /// Starts an operation; `requested` asks for a request.
    unsafe fn transfer(
        &self,
        window: &Window,
        transfer: &OscTransfer,
        requested: bool,
    ) -> Result<Option<*mut Request>, Failure>;
    /// Synchronises.
    unsafe fn synchronize(&self, window: &Window, sync: &OscSync) -> Result<Outcome, Failure>;
    /// Attaches or detaches memory of a dynamic window.
    unsafe fn attach(
        &self,
        _window: &Window,
        _base: *mut c_void,
        _size: u64,
        _attach: bool,
    ) -> Result<(), Failure> {
        Err(author::unsupported("dynamic windows"))
    }
    /// Where the memory of a rank of a shared window lies.
    fn shared_query(&self, _window: &Window, _rank: u32) -> Result<SharedMemory, Failure> {
        Err(author::unsupported("shared windows"))
    }
    /// The state of a window, for a person.
    fn describe(&self, _window: &Window) -> String {
        String::new()
    }
}

contract! {
    table: OscOps, from T: Osc,
    "osc", One, "windows and one-sided operations";

    fn window_open(instance: *mut Instance, window: &mut Window) -> Status = report(instance) {
        author::component::<T>(instance).window_open(window)
    }
    fn window_close(instance: *mut Instance, window: &mut Window) = no_unwind {
        author::component::<T>(instance).window_close(window)
    }
    fn transfer(
        instance: *mut Instance, window: &Window, transfer: &OscTransfer,
        request: *mut *mut Request,
    ) -> Status = status(instance) {
        let component = author::component::<T>(instance);
        let started = component.transfer(window, transfer, !request.is_null());
        started.and_then(|made| match (made, request.is_null()) {
            (Some(made), false) => {
                *request = made;
                Ok(())
            }
            (None, true) => Ok(()),
            (Some(_), true) => Err("it made a request that was not asked for".into()),
            (None, false) => Err("it made no request although one was asked for".into()),
        })
    }
    fn synchronize(
        instance: *mut Instance, window: &Window, sync: &OscSync,
    ) -> OutcomeCode = outcome(instance) {
        author::component::<T>(instance).synchronize(window, sync)
    }
    fn attach(
        instance: *mut Instance, window: &Window, base: *mut c_void, size: u64, attach: u32,
    ) -> Status = report(instance) {
        author::component::<T>(instance).attach(window, base, size, attach != 0)
    } default { author::refuse(instance, "dynamic windows") }
    fn shared_query(
        instance: *mut Instance, window: &Window, rank: u32, base: &mut *mut c_void,
        size: &mut u64, displacement_unit: &mut u32,
    ) -> Status = report(instance) {
        let found = author::component::<T>(instance).shared_query(window, rank)?;
        (*base, *size, *displacement_unit) = (found.base, found.size, found.displacement_unit);
        Ok(())
    } default { author::refuse(instance, "shared windows") }
    fn describe(
        instance: *mut Instance, window: &Window, text: *mut c_char, capacity: usize,
    ) -> usize = describe(text, capacity) {
        author::component::<T>(instance).describe(window)
    } default { crate::text::write("", text, capacity) }
}
