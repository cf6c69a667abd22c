//! **osc** — one-sided communication: windows and the operations on them.
//!
//! A window is one of MPI 5.0, chapter 12. The MPI layer has the object of the program: handle, name,
//! attributes, group, and the state of its epochs. It checks what is known at the origin (an epoch that lets an
//! operation through, ranks, the range in the target's memory, assertions) and turns displacements into bytes.
//! The component moves data and synchronises.
//!
//! **Life.** Several components may be there. For a window they are asked in the order of their priorities:
//! the first one whose `window_open` does not decline serves it, and keeps its object for the window.
//! `window_open` and `window_close` are collective over the window's communicator and all processes get the
//! same answer; before `window_close` every operation of every process has ended.
//!
//! **Memory.** What each rank gives to the window is in [`Window::remotes`], which the MPI layer has exchanged.
//! `memory_allocate` gives a program memory that windows are faster with (`MPI_Alloc_mem`).
//!
//! **Threads and locks.** `transfer` and `synchronize` are hot: any thread, no lock held. Operations of
//! different threads on one window go on at the same time; a flush completes what any thread
//! of the process issued before it began, and ends although others go on to issue. What only the origin's
//! thread order can say (which operation comes before a flush) is the program's affair.
//!
//! **Order and atomicity.** Accumulates of one origin to one location take effect in the order of
//! [`Window::ordering`]. Elements of accumulates with one predefined type are atomic with respect to each
//! other, whichever way they take to the target. Nothing else is ordered but by synchronisation.
//!
//! **Completion and ownership.** The origin's buffers are the operation's until the epoch ends, a flush
//! completes it, or, for the forms with a request, the request is complete. Datatypes and
//! reduction operations the component keeps with `datatype_retain` while it needs them after `transfer`
//! has returned. Requests begin with a [`Request`].
//!
//! **Errors.** `transfer` returns an error if the operation was not started. What goes wrong later is
//! returned by the synchronisation that completes the operation, once. What a peer sends is not trusted:
//! no byte outside a window is touched.

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

/// [`Window::flags`]: the program locks nothing (info key `no_locks`).
pub const WINDOW_NO_LOCKS: u32 = 1;
/// [`Window::flags`]: concurrent accumulates to a location all use the same operation, or `MPI_NO_OP`
/// (info key `accumulate_ops` is `same_op` or `same_op_no_op`).
pub const WINDOW_SAME_OP: u32 = 2;
/// [`Window::flags`]: the memory of the ranks need not lie one behind the other (info key
/// `alloc_shared_noncontig`).
pub const WINDOW_NONCONTIGUOUS: u32 = 4;
/// [`Window::flags`]: several threads of this process may use the window.
pub const WINDOW_THREADS: u32 = 8;

/// [`Window::ordering`]: reads after reads keep their order.
pub const ORDER_RAR: u32 = 1;
/// [`Window::ordering`]: reads after writes.
pub const ORDER_RAW: u32 = 2;
/// [`Window::ordering`]: writes after reads.
pub const ORDER_WAR: u32 = 4;
/// [`Window::ordering`]: writes after writes.
pub const ORDER_WAW: u32 = 8;

/// [`OscTransfer::kind`]: put.
pub const OSC_PUT: u32 = 0;
/// [`OscTransfer::kind`]: get. Data goes to `result`.
pub const OSC_GET: u32 = 1;
/// [`OscTransfer::kind`]: accumulate.
pub const OSC_ACCUMULATE: u32 = 2;
/// [`OscTransfer::kind`]: get_accumulate. The old value goes to `result`; with `MPI_NO_OP` `origin` is not
/// there.
pub const OSC_GET_ACCUMULATE: u32 = 3;
/// [`OscTransfer::kind`]: fetch_and_op: get_accumulate of one element of a predefined type.
pub const OSC_FETCH_OP: u32 = 4;
/// [`OscTransfer::kind`]: compare_and_swap of one element; `origin` is the new value, `compare` the expected
/// one.
pub const OSC_COMPARE_SWAP: u32 = 5;

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

/// What a rank gives to a window.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowRemote {
    /// Address of its memory in its own process; 0 for dynamic windows and where the component allocates.
    pub base: u64,
    /// Bytes; for dynamic windows all that there may be.
    pub size: u64,
    /// Bytes that displacements count in.
    pub displacement_unit: u64,
}

/// What the MPI layer does for the component of a window. Any thread, no lock held, unless something else
/// is said.
#[repr(C)]
#[derive(Debug)]
pub struct WindowCalls {
    /// Size of this struct in bytes, as the host has it.
    pub struct_size: u32,
    /// Zero.
    pub reserved: u32,
    /// Gathers `len` bytes of each rank in `received`, by rank. Collective over the window, waits; one
    /// thread at a time, in the same order everywhere, as the two below.
    pub allgather: unsafe extern "C" fn(
        window: &Window,
        sent: *const c_void,
        received: *mut c_void,
        len: usize,
    ) -> Status,
    /// Returns when all ranks have called it; with a place for a request it stores that there and waits for
    /// nobody. The caller frees the request by its `free`.
    pub barrier: unsafe extern "C" fn(window: &Window, request: *mut *mut Request) -> Status,
    /// Starts an operation that adds `width` numbers for each rank, element by element, and stores the
    /// sums of those for this rank in `sum`; `numbers` are those for rank 0, 1, …, and stay until the request
    /// is complete, as `sum` does. The caller frees the request by its `free`.
    pub reduce_scatter: unsafe extern "C" fn(
        window: &Window,
        numbers: *const u64,
        sum: *mut u64,
        width: usize,
        request: &mut *mut Request,
    ) -> Status,
    /// Keeps a datatype of the program until `datatype_release`. From anywhere.
    pub datatype_retain: unsafe extern "C" fn(datatype: *const Datatype),
    /// Ends that. From anywhere, also for types of `datatype_decode`.
    pub datatype_release: unsafe extern "C" fn(datatype: *const Datatype),
    /// Writes what describes a datatype to another process, at most `capacity` bytes, and returns the length
    /// of all of it. What is no longer than `capacity` is whole. From anywhere.
    pub datatype_encode: unsafe extern "C" fn(
        datatype: *const Datatype,
        text: *mut c_void,
        capacity: usize,
    ) -> usize,
    /// Makes a datatype of such a description, which is not trusted; the caller releases it.
    /// `CAIRN_ERR_PROTOCOL` for what is none. From anywhere, also from progress callbacks.
    pub datatype_decode: unsafe extern "C" fn(
        text: *const c_void,
        len: usize,
        datatype: &mut *const Datatype,
    ) -> Status,
    /// The predefined datatype with a number of the ABI, or null. It stays. From anywhere.
    pub datatype_predefined: unsafe extern "C" fn(number: u32) -> *const Datatype,
    /// The predefined reduction operation with a number of the ABI, or null. It stays. From anywhere.
    pub op_predefined: unsafe extern "C" fn(number: u32) -> *const Op,
}

/// A window. Allocated by the MPI layer, constant after `window_open` but for the slots.
#[repr(C)]
#[derive(Debug)]
pub struct Window {
    /// Number, ranks, name, info and private slots.
    pub scope: Scope,
    /// The communicator, the window's own duplicate.
    pub comm: *const Comm,
    /// What the MPI layer does for the component.
    pub calls: *const WindowCalls,
    /// This process's memory. `window_open` stores it for flavors whose memory is the component's.
    pub base: *mut c_void,
    /// What each rank gives, by rank.
    pub remotes: *const WindowRemote,
    /// `CAIRN_WINDOW_CREATE` and the others.
    pub flavor: u32,
    /// `CAIRN_WINDOW_NO_LOCKS` and the others.
    pub flags: u32,
    /// Accumulates that keep their order: `CAIRN_ORDER_*`.
    pub ordering: u32,
    /// `window_open` stores 1 if public and private copy are one (`MPI_WIN_UNIFIED`), as it is before, or 0.
    pub unified: u32,
    /// Alignment of allocated memory in bytes (info key `mpi_minimum_memory_alignment`).
    pub alignment: u64,
    /// Accumulates access at least so many bytes at a time that lie together, or 0 where it is not known
    /// (info key `mpi_accumulate_granularity`).
    pub granularity: u64,
    /// The MPI layer's own.
    pub object: *mut c_void,
}

impl Window {
    /// Its communicator.
    #[inline]
    pub fn comm(&self) -> &Comm {
        // SAFETY: the MPI layer sets it, and it stays as long as the window.
        unsafe { &*self.comm }
    }

    /// What the MPI layer does for the component.
    #[inline]
    pub fn calls(&self) -> &WindowCalls {
        // SAFETY: as above.
        unsafe { &*self.calls }
    }

    /// What each rank gives, by rank.
    #[inline]
    pub fn remotes(&self) -> &[WindowRemote] {
        // SAFETY: as above; there is one for each rank.
        unsafe { core::slice::from_raw_parts(self.remotes, self.scope.size as usize) }
    }
}

/// One side of a transfer.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct OscSide {
    /// Address at the origin; unused for the target.
    pub buffer: *mut c_void,
    /// Elements.
    pub count: u64,
    /// Their type; null where there is no such side.
    pub datatype: *const Datatype,
}

/// A one-sided operation.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct OscTransfer {
    /// Size of this struct in bytes, as the host has it.
    pub struct_size: u32,
    /// `CAIRN_OSC_PUT` and the others.
    pub kind: u32,
    /// The target's rank.
    pub target: u32,
    /// Zero.
    pub reserved: u32,
    /// What is sent.
    pub origin: OscSide,
    /// Where what is fetched goes.
    pub result: OscSide,
    /// The expected value of compare_and_swap.
    pub compare: *const c_void,
    /// Bytes from the beginning of the target's memory; an address for dynamic windows. What the operation
    /// touches lies within the target's memory, but for dynamic windows.
    pub offset: i64,
    /// Elements at the target.
    pub target_count: u64,
    /// Their type.
    pub target_datatype: *const Datatype,
    /// The operation of accumulate, get_accumulate and fetch_and_op; a predefined one.
    pub op: *const Op,
}

/// A synchronisation.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct OscSync {
    /// Size of this struct in bytes, as the host has it.
    pub struct_size: u32,
    /// `CAIRN_OSC_FENCE` and the others.
    pub kind: u32,
    /// The `MPI_MODE_*` assertions, as the ABI has them.
    pub assertions: u32,
    /// The target's rank, or -1.
    pub target: i32,
    /// Ranks in the window's communicator, for start and post.
    pub ranks: *const u32,
    /// Their number.
    pub rank_count: u32,
    /// 1 for a shared lock.
    pub shared: u32,
}

/// Functions for windows. `state` is what `window_open` stored.
#[repr(C)]
#[derive(Debug)]
pub struct OscOps {
    /// Size of this struct in bytes, as the author's header has it.
    pub struct_size: u32,
    /// Zero.
    pub reserved: u32,
    /// Makes the component's side of a window and stores its object; allocates its memory where the flavor
    /// says so. `CAIRN_NOTHING`: another component is to serve it. Collective. Set-up. Required.
    pub window_open: Option<
        unsafe extern "C" fn(
            instance: *mut Instance,
            window: &mut Window,
            state: &mut *mut c_void,
        ) -> OutcomeCode,
    >,
    /// Frees it. Collective; no operation is in flight. Set-up. Required.
    pub window_close: Option<
        unsafe extern "C" fn(instance: *mut Instance, window: &mut Window, state: *mut c_void),
    >,
    /// Starts an operation; when `request` is not null, stores the operation's request in it. Hot.
    /// Required.
    pub transfer: Option<
        unsafe extern "C" fn(
            instance: *mut Instance,
            window: &Window,
            state: *mut c_void,
            transfer: &OscTransfer,
            request: *mut *mut Request,
        ) -> Status,
    >,
    /// Synchronises. May wait. Hot. Required.
    pub synchronize: Option<
        unsafe extern "C" fn(
            instance: *mut Instance,
            window: &Window,
            state: *mut c_void,
            sync: &OscSync,
        ) -> OutcomeCode,
    >,
    /// Attaches memory to a dynamic window (`attach` 1) or detaches it (0, then `size` is not looked at).
    /// `CAIRN_ERR_EXISTS` for what overlaps attached memory, `CAIRN_ERR_NOT_FOUND` for what was not
    /// attached. Any thread. Default: `CAIRN_ERR_UNSUPPORTED`.
    pub attach: Option<
        unsafe extern "C" fn(
            instance: *mut Instance,
            window: &Window,
            state: *mut c_void,
            base: *mut c_void,
            size: u64,
            attach: u32,
        ) -> Status,
    >,
    /// Where the memory of `rank` lies in this process, or null if it can't be reached by loads and stores.
    /// Default: null.
    pub shared_query: Option<
        unsafe extern "C" fn(
            instance: *mut Instance,
            window: &Window,
            state: *mut c_void,
            rank: u32,
            base: &mut *mut c_void,
        ) -> Status,
    >,
    /// Allocates `size` bytes (not 0), aligned to `alignment`, for the program. Any thread. Default:
    /// `CAIRN_ERR_UNSUPPORTED`; then it comes from elsewhere.
    pub memory_allocate: Option<
        unsafe extern "C" fn(
            instance: *mut Instance,
            size: u64,
            alignment: u64,
            base: &mut *mut c_void,
        ) -> Status,
    >,
    /// Frees what `memory_allocate` gave. Any thread. Default: nothing.
    pub memory_free: Option<unsafe extern "C" fn(instance: *mut Instance, base: *mut c_void)>,
    /// Writes the state of a window as text for a person and returns the length of the whole text.
    /// Any thread. Default: an empty text.
    pub describe: Option<
        unsafe extern "C" fn(
            instance: *mut Instance,
            window: &Window,
            state: *mut c_void,
            text: *mut c_char,
            capacity: usize,
        ) -> usize,
    >,
}

/// Windows in Rust. Functions correspond to those of [`OscOps`].
///
/// # Safety of the unsafe functions
/// The pointers in the arguments are valid as MPI 5.0, chapter 12, says, until the operation is
/// complete.
#[allow(clippy::missing_safety_doc)] // said once, above
pub trait Osc: Component {
    /// What the component keeps for a window.
    type Window: Send + Sync + 'static;

    /// Makes the component's side of a window, or declines.
    fn window_open(&self, window: &mut Window) -> Result<Option<Self::Window>, Failure>;
    /// Frees it.
    fn window_close(&self, _window: &mut Window, state: Self::Window) {
        drop(state);
    }
    /// Starts an operation; `requested` asks for a request.
    unsafe fn transfer(
        &self,
        window: &Window,
        state: &Self::Window,
        transfer: &OscTransfer,
        requested: bool,
    ) -> Result<Option<*mut Request>, Failure>;
    /// Synchronises.
    unsafe fn synchronize(
        &self,
        window: &Window,
        state: &Self::Window,
        sync: &OscSync,
    ) -> Result<Outcome, Failure>;
    /// Attaches memory to a dynamic window.
    unsafe fn attach(
        &self,
        _window: &Window,
        _state: &Self::Window,
        _base: *mut c_void,
        _size: u64,
    ) -> Result<(), Failure> {
        Err(author::unsupported("dynamic windows"))
    }
    /// Detaches memory of a dynamic window.
    unsafe fn detach(
        &self,
        _window: &Window,
        _state: &Self::Window,
        _base: *mut c_void,
    ) -> Result<(), Failure> {
        Err(author::unsupported("dynamic windows"))
    }
    /// Where the memory of a rank lies in this process, if it can be loaded and stored.
    fn shared_query(
        &self,
        _window: &Window,
        _state: &Self::Window,
        _rank: u32,
    ) -> Option<*mut c_void> {
        None
    }
    /// Allocates memory for the program.
    fn memory_allocate(&self, _size: u64, _alignment: u64) -> Result<*mut c_void, Failure> {
        Err(author::unsupported("memory for programs"))
    }
    /// Frees it.
    unsafe fn memory_free(&self, _base: *mut c_void) {}
    /// The state of a window, for a person.
    fn describe(&self, _window: &Window, _state: &Self::Window) -> String {
        String::new()
    }
}

contract! {
    table: OscOps, from T: Osc,
    "osc", Many, "windows and one-sided operations";

    fn window_open(
        instance: *mut Instance, window: &mut Window, state: &mut *mut c_void,
    ) -> OutcomeCode = outcome(instance) {
        let opened = author::component::<T>(instance).window_open(window);
        opened.map(|opened| match opened {
            Some(opened) => {
                *state = Box::into_raw(Box::new(opened)).cast();
                Outcome::Done
            }
            None => Outcome::Nothing,
        })
    }
    fn window_close(
        instance: *mut Instance, window: &mut Window, state: *mut c_void,
    ) = no_unwind {
        let state = *Box::from_raw(state.cast::<T::Window>());
        author::component::<T>(instance).window_close(window, state)
    }
    fn transfer(
        instance: *mut Instance, window: &Window, state: *mut c_void, transfer: &OscTransfer,
        request: *mut *mut Request,
    ) -> Status = status(instance) {
        let state = &*state.cast::<T::Window>();
        let component = author::component::<T>(instance);
        let started = component.transfer(window, state, transfer, !request.is_null());
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
        instance: *mut Instance, window: &Window, state: *mut c_void, sync: &OscSync,
    ) -> OutcomeCode = outcome(instance) {
        let state = &*state.cast::<T::Window>();
        author::component::<T>(instance).synchronize(window, state, sync)
    }
    fn attach(
        instance: *mut Instance, window: &Window, state: *mut c_void, base: *mut c_void, size: u64,
        attach: u32,
    ) -> Status = report(instance) {
        let (component, state) = (author::component::<T>(instance), &*state.cast::<T::Window>());
        if attach != 0 {
            component.attach(window, state, base, size)
        } else {
            component.detach(window, state, base)
        }
    } default { author::refuse(instance, "dynamic windows") }
    fn shared_query(
        instance: *mut Instance, window: &Window, state: *mut c_void, rank: u32,
        base: &mut *mut c_void,
    ) -> Status = report(instance) {
        let found = author::component::<T>(instance)
            .shared_query(window, &*state.cast::<T::Window>(), rank);
        *base = found.unwrap_or(core::ptr::null_mut());
        Ok(())
    } default {
        *base = core::ptr::null_mut();
        crate::abi::status::OK
    }
    fn memory_allocate(
        instance: *mut Instance, size: u64, alignment: u64, base: &mut *mut c_void,
    ) -> Status = report(instance) {
        *base = author::component::<T>(instance).memory_allocate(size, alignment)?;
        Ok(())
    } default { author::refuse(instance, "memory for programs") }
    fn memory_free(instance: *mut Instance, base: *mut c_void) = no_unwind {
        author::component::<T>(instance).memory_free(base)
    } default {}
    fn describe(
        instance: *mut Instance, window: &Window, state: *mut c_void, text: *mut c_char,
        capacity: usize,
    ) -> usize = describe(text, capacity) {
        author::component::<T>(instance).describe(window, &*state.cast::<T::Window>())
    } default { crate::text::write("", text, capacity) }
}
