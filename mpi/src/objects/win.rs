//! Windows.
//!
//! A window has a view that components see ([`cairn_framework::frameworks::osc::Window`]), a communicator of
//! its own, a duplicate of the one that it was made of, and what the standard lets a program attach to it.
//! One component of `osc` serves it, from its making to `MPI_Win_free`. Requests that the program still has
//! keep the object, and so the communicator, beyond that.

use std::cell::UnsafeCell;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

use cairn_framework::abi::component::Instance;
use cairn_framework::abi::request::Request as RequestView;
use cairn_framework::abi::scope::{SCOPE_WINDOW, Scope};
use cairn_framework::abi::status::{DONE, ERR_NOT_FOUND, NOTHING, OK, OutcomeCode, Status};
use cairn_framework::audit::LockLevel;
use cairn_framework::author::Mutex;
use cairn_framework::frameworks::osc::{
    OscOps, OscSync, OscTransfer, WINDOW_SHARED, WINDOW_THREADS, Window as View, WindowRemote,
};
use cairn_framework::host::{Chosen, take_reason};
use cairn_mpi_params as params;

use super::arena::{Object, class};
use super::attributes::Attributes;
use super::comm::{self, CommBody, CommRef};
use super::errhandler;
use super::info::Pairs;
use super::names::Names;
use crate::abi::generated::constants::*;
use crate::abi::generated::types::{Aint, Errhandler, Win};
use crate::error::{Error, Origin, Result, class_of, failure};
use crate::runtime::{self, runtime};

mod accesses;
mod calls;
mod conflicts;
mod epochs;
pub mod hints;

pub use calls::{CALLS, gather_bytes};
use conflicts::Conflicts;
use epochs::Epochs;
use hints::{Decided, Hints};

/// What a handle of a window leads to.
pub struct WinBody {
    /// What components see. Constant but for the slots and the name, once the window is open.
    view: UnsafeCell<View>,
    /// The component that serves it. Written once, before the program knows the window.
    served: UnsafeCell<Option<Served>>,
    /// A communicator of its own.
    pub comm: CommRef,
    /// Its epochs in this process.
    pub epochs: Epochs,
    /// What happens on errors.
    pub errhandler: Mutex<Errhandler>,
    /// Values that the program attached.
    pub attributes: Mutex<Attributes<Win>>,
    /// Hints.
    pub info: Mutex<Hints>,
    /// Its name, and those that the view leads readers to.
    names: Mutex<Names>,
}

/// What a window has since it is open.
struct Served {
    ops: &'static OscOps,
    instance: *mut Instance,
    state: *mut c_void,
    /// The component's name.
    component: String,
    /// What each rank gives; the view leads to it.
    remotes: Box<[WindowRemote]>,
    /// With `osc_debug` the operations under way, which are compared with each other.
    conflicts: Option<Box<Conflicts>>,
    /// What the predefined attributes lead to.
    told: Told,
}

/// The values of predefined attributes, of which programs get the addresses.
struct Told {
    size: Aint,
    displacement_unit: c_int,
    flavor: c_int,
    model: c_int,
}

// SAFETY: the view's changing fields are the slots, under the rules of `Scope`, and the name, to which
// nothing is written that does not stay. The component is called under its contract, from any thread.
unsafe impl Sync for WinBody {}
// SAFETY: see `Sync`.
unsafe impl Send for WinBody {}

class!(WinBody, b"win ");

/// A window.
pub type WinRef = &'static Object<WinBody>;

/// The window of a valid handle.
#[inline(always)]
pub fn find(handle: Win) -> Option<WinRef> {
    if handle.is_predefined() {
        return None;
    }
    // SAFETY: a handle that is no constant is the address of an object.
    unsafe { Object::at(handle.object()) }
}

/// The window of a handle, or an error.
pub fn of(handle: Win) -> Result<WinRef> {
    find(handle)
        .ok_or_else(|| Error::new(MPI_ERR_WIN, format!("{:#x} is no window", handle.value())))
}

/// Whose error handler hears of errors of an operation on a window, which the caller keeps: the program may
/// have freed it meanwhile.
pub fn origin(win: WinRef) -> Origin {
    match find(win.handle()) {
        Some(_) => Origin::Win(win.handle()),
        None => Origin::Freed(errhandler::share(*win.errhandler.lock())),
    }
}

impl Object<WinBody> {
    /// The handle by which the program knows it.
    pub fn handle(&'static self) -> Win {
        Win::of(self.address())
    }
}

/// What a process gives to a new window.
pub struct Plan {
    /// The window's own communicator, which goes when the window does.
    pub comm: CommRef,
    /// One of `WINDOW_*`.
    pub flavor: u32,
    /// The program's memory, if it gives some.
    pub base: *mut c_void,
    /// The hints that the program gave.
    pub info: Pairs,
}

/// Makes a window that no component serves yet.
pub fn make(plan: Plan) -> (WinRef, Decided) {
    let Plan { comm, flavor, base, info } = plan;
    let (info, decided) = Hints::new(info);
    let names = Names::new(c"");
    let mut scope = Scope::new(SCOPE_WINDOW, comm.view().scope.id, comm.size(), c"window");
    scope.struct_size = size_of::<View>() as u32;
    scope.info = Some(scope_info);
    scope.name = names.first();
    let threads = if runtime().is_threaded() { WINDOW_THREADS } else { 0 };
    let view = View {
        scope,
        comm: comm.view(),
        calls: &raw const calls::CALLS,
        base,
        remotes: std::ptr::null(),
        flavor,
        flags: decided.flags | threads,
        ordering: decided.ordering,
        unified: 1,
        alignment: decided.alignment,
        granularity: decided.granularity,
        object: comm.address().cast(),
    };
    let win = Object::make(WinBody {
        view: UnsafeCell::new(view),
        served: UnsafeCell::new(None),
        epochs: Epochs::new(comm.size(), comm.rank()),
        comm,
        errhandler: Mutex::at(LockLevel::TABLE, MPI_ERRORS_ARE_FATAL),
        attributes: Mutex::default(),
        info: Mutex::at(LockLevel::TABLE, info),
        names: Mutex::new(names),
    });
    (win, decided)
}

/// Opens a window with the first of some components that serves it. All processes call this with the same
/// components; `remotes` is what each rank gives, and `flags` and `ordering` what all have decided together.
/// If it fails the window is gone.
pub fn open(
    win: WinRef,
    components: &[&Chosen<OscOps>],
    remotes: Box<[WindowRemote]>,
    flags: u32,
    ordering: u32,
) -> Result<()> {
    let view = win.view.get();
    // SAFETY: no other thread knows the window yet. Its view and the remotes stay until the end.
    unsafe {
        (*view).remotes = remotes.as_ptr();
        (*view).flags = (*view).flags & WINDOW_THREADS | flags;
        (*view).ordering = ordering;
        let opened = runtime().system.scope_opened(&raw mut (*view).scope);
        let opened = opened.map_err(|problem| Error::new(MPI_ERR_OTHER, problem.what));
        let served = opened.and_then(|()| serve(&mut *view, components));
        let (chosen, state) = served.inspect_err(|_| abandon(win))?;
        let own = &remotes[win.comm.rank() as usize];
        let dynamic = (*view).flavor == MPI_WIN_FLAVOR_DYNAMIC as u32;
        let told = Told {
            size: if dynamic { 0 } else { own.size as Aint },
            displacement_unit: own.displacement_unit.try_into().unwrap_or(MPI_UNDEFINED),
            flavor: (*view).flavor as c_int,
            model: if (*view).unified == 0 { MPI_WIN_SEPARATE } else { MPI_WIN_UNIFIED },
        };
        let component = chosen.name.strip_prefix("osc_").unwrap_or(&chosen.name).to_owned();
        let Chosen { ops, instance, .. } = *chosen;
        let debug = params::flag(runtime().system, params::PARAM_OSC_DEBUG);
        let conflicts = || Box::new(Conflicts::new(&*view, win.info.lock().is_same_op()));
        let conflicts = debug.then(conflicts);
        *win.served.get() =
            Some(Served { ops, instance, state, component, remotes, conflicts, told });
    }
    Ok(())
}

/// Asks components in turn.
fn serve<'a>(
    view: &mut View,
    components: &[&'a Chosen<OscOps>],
) -> Result<(&'a Chosen<OscOps>, *mut c_void)> {
    for component in components {
        let mut state = std::ptr::null_mut();
        // SAFETY: the table is complete and the component open.
        let outcome = unsafe {
            (component.ops.window_open.unwrap_unchecked())(component.instance, view, &mut state)
        };
        match outcome {
            DONE => return Ok((component, state)),
            NOTHING => {}
            other => return Err(failure("window_open", other)),
        }
    }
    let names: Vec<_> = components.iter().map(|component| component.name.as_str()).collect();
    let text = match &names[..] {
        [] => "there is no component that serves windows".to_owned(),
        names => format!("no component serves this window: {} declined", names.join(", ")),
    };
    let shared = view.flavor == WINDOW_SHARED;
    Err(Error::new(if shared { MPI_ERR_RMA_SHARED } else { MPI_ERR_OTHER }, text))
}

/// Ends a window that was not opened.
pub fn abandon(win: WinRef) {
    // SAFETY: no other thread knows the window. A scope that was not opened is left alone.
    unsafe { runtime().system.scope_closed(&raw mut (*win.view.get()).scope) };
    win.close();
}

/// Ends a window, of which no process has operations any more: its handle is not valid any more.
/// Collective.
pub fn free(win: WinRef) {
    let Served { ops, instance, state, .. } = win.served();
    let view = win.view.get();
    // SAFETY: opened by `open`, and closed once, because the handle is taken away first.
    unsafe {
        if !win_closes(win) {
            return;
        }
        (ops.window_close.unwrap_unchecked())(*instance, &mut *view, *state);
        runtime().system.scope_closed(&raw mut (*view).scope);
    }
    win.release();
}

/// Takes the handle away, and keeps the object; false if another thread was faster.
fn win_closes(win: WinRef) -> bool {
    win.retain();
    let closed = win.close();
    if !closed {
        win.release();
    }
    closed
}

impl Drop for WinBody {
    fn drop(&mut self) {
        errhandler::unshare(*self.errhandler.get_mut());
        // After finalization the communicator is gone with all others.
        if runtime::current().is_some() {
            comm::free(self.comm);
        }
    }
}

impl WinBody {
    /// What components see.
    #[inline(always)]
    pub fn view(&self) -> &View {
        // SAFETY: see `Sync`.
        unsafe { &*self.view.get() }
    }

    #[inline(always)]
    fn served(&self) -> &Served {
        // SAFETY: written by `open` before the program knows the window, and never again.
        unsafe { (*self.served.get()).as_ref().unwrap_unchecked() }
    }

    /// Processes that it has.
    #[inline(always)]
    pub fn peers(&self) -> usize {
        self.view().scope.size as usize
    }

    /// One of `WINDOW_*`.
    #[inline(always)]
    pub fn flavor(&self) -> u32 {
        self.view().flavor
    }

    /// What each rank gives.
    #[inline(always)]
    pub fn remotes(&self) -> &[WindowRemote] {
        &self.served().remotes
    }

    /// The name of the component that serves it.
    pub fn component(&self) -> &str {
        &self.served().component
    }

    /// Its name.
    pub fn name(&self) -> CString {
        self.names.lock().current().to_owned()
    }

    /// Renames it.
    pub fn set_name(&self, name: CString) {
        let mut names = self.names.lock();
        if let Some(shown) = names.set(name) {
            // SAFETY: as for communicators: a word that others read at any time, to find names that stay.
            unsafe {
                let place = (&raw mut (*self.view.get()).scope.name).cast();
                AtomicPtr::from_ptr(place).store(shown.cast_mut(), Ordering::Release);
            }
        }
    }

    /// The value of a predefined attribute (MPI 5.0, section 12.2.6).
    pub fn predefined(&self, key: c_int) -> Option<*mut c_void> {
        let Told { size, displacement_unit, flavor, model } = &self.served().told;
        Some(match key {
            MPI_WIN_BASE => self.view().base,
            MPI_WIN_SIZE => std::ptr::from_ref(size).cast_mut().cast(),
            MPI_WIN_DISP_UNIT => std::ptr::from_ref(displacement_unit).cast_mut().cast(),
            MPI_WIN_CREATE_FLAVOR => std::ptr::from_ref(flavor).cast_mut().cast(),
            MPI_WIN_MODEL => std::ptr::from_ref(model).cast_mut().cast(),
            _ => return None,
        })
    }

    /// Starts an operation; `request` is null, or a place for the operation's request.
    ///
    /// # Safety
    /// The pointers are what the operation says in the standard.
    #[inline(always)]
    pub unsafe fn transfer(
        &self,
        transfer: &OscTransfer,
        request: *mut *mut RequestView,
    ) -> Result<()> {
        match &self.served().conflicts {
            // SAFETY: promised by the caller.
            None => unsafe { self.hand_over(transfer, request) },
            // SAFETY: as above.
            Some(conflicts) => unsafe { self.admit(conflicts, transfer, request) },
        }
    }

    /// Starts an operation, if it does not conflict with another one.
    ///
    /// # Safety
    /// As for `transfer`.
    #[cold]
    unsafe fn admit(
        &self,
        conflicts: &Conflicts,
        transfer: &OscTransfer,
        request: *mut *mut RequestView,
    ) -> Result<()> {
        // SAFETY: promised by the caller.
        unsafe {
            conflicts.admit(transfer)?;
            self.hand_over(transfer, request).inspect_err(|_| conflicts.withdraw(transfer.target))
        }
    }

    /// Hands an operation to the component.
    ///
    /// # Safety
    /// As for `transfer`.
    #[inline(always)]
    unsafe fn hand_over(
        &self,
        transfer: &OscTransfer,
        request: *mut *mut RequestView,
    ) -> Result<()> {
        let Served { ops, instance, state, .. } = self.served();
        // SAFETY: promised by the caller; the table is complete and the component open.
        let status = unsafe {
            (ops.transfer.unwrap_unchecked())(*instance, self.view(), *state, transfer, request)
        };
        if status == OK { Ok(()) } else { Err(failed("transfer", status)) }
    }

    /// Synchronizes. Gives `DONE`, or `NOTHING` of what only asks.
    pub fn synchronize(&self, sync: &OscSync) -> Result<OutcomeCode> {
        let Served { ops, instance, state, conflicts, .. } = self.served();
        // SAFETY: as above; the ranks stay until the call returns.
        let outcome =
            unsafe { (ops.synchronize.unwrap_unchecked())(*instance, self.view(), *state, sync) };
        let result = if outcome >= 0 { Ok(outcome) } else { Err(failed("synchronize", outcome)) };
        match conflicts {
            None => result,
            Some(conflicts) => conflicts.synchronized(self.comm, sync, result),
        }
    }

    /// Attaches memory, or detaches it.
    ///
    /// # Safety
    /// The memory is the program's.
    pub unsafe fn attach(&self, base: *mut c_void, size: u64, attach: bool) -> Result<()> {
        let Served { ops, instance, state, .. } = self.served();
        // SAFETY: as above.
        let status = unsafe {
            let attach = attach.into();
            (ops.attach.unwrap_unchecked())(*instance, self.view(), *state, base, size, attach)
        };
        match status {
            OK => Ok(()),
            other => Err(Error::new(MPI_ERR_RMA_ATTACH, take_reason("attach", other))),
        }
    }

    /// Where the memory of a rank lies in this process; null if it can't be reached by loads and stores.
    pub fn shared(&self, rank: u32) -> Result<*mut c_void> {
        let Served { ops, instance, state, .. } = self.served();
        let mut base = std::ptr::null_mut();
        // SAFETY: as above.
        let status = unsafe {
            (ops.shared_query.unwrap_unchecked())(*instance, self.view(), *state, rank, &mut base)
        };
        if status == OK { Ok(base) } else { Err(failed("shared_query", status)) }
    }
}

/// The error of an operation: what is not there at a target was not attached.
#[cold]
fn failed(function: &str, status: Status) -> Error {
    let class = if status == ERR_NOT_FOUND { MPI_ERR_RMA_RANGE } else { class_of(status) };
    Error::new(class, take_reason(function, status))
}

/// The communicator of the window of a view.
fn comm_of(view: &View) -> CommRef {
    // SAFETY: `make` stored it, and the window keeps it.
    unsafe { &*view.object.cast::<Object<CommBody>>() }
}

/// What components learn of the info.
unsafe extern "C" fn scope_info(
    scope: *const Scope,
    key: *const c_char,
    value: *mut c_char,
    capacity: usize,
) -> isize {
    // SAFETY: the scope is the first field of the view of a window; the key is a string.
    let (body, key) = unsafe {
        let view = scope.byte_sub(std::mem::offset_of!(WinBody, view));
        (&*view.cast::<WinBody>(), CStr::from_ptr(key))
    };
    match body.info.lock().ask(&key.to_string_lossy()) {
        // SAFETY: the component vouches for the room.
        Some(text) => unsafe { cairn_framework::text::write(text, value, capacity) as isize },
        None => -1,
    }
}
