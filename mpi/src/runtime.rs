//! The running library, as everything that a program holds sees it: the components, the process
//! manager, and the calls of the point-to-point component. `life` makes it and ends it.

pub mod launch;
mod messages;
pub mod nodes;

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};
use std::thread::ThreadId;

use cairn_framework::abi::comm::ContextId;
use cairn_framework::abi::component::Instance;
use cairn_framework::abi::job::THREAD_MULTIPLE;
use cairn_framework::abi::pool::CriSet;
use cairn_framework::abi::request::WaitSync;
use cairn_framework::abi::status::OK;
use cairn_framework::audit::LockLevel;
use cairn_framework::author::{Mutex, MutexGuard};
use cairn_framework::frameworks::coll::{CollArgs, CollOps};
use cairn_framework::frameworks::osc::OscOps;
use cairn_framework::frameworks::pml::PmlOps;
use cairn_framework::host::params::CommandLine;
use cairn_framework::host::{Chosen, Options, System};
use cairn_mpi_params as params;

use crate::error::{Result, failure};
use crate::state;
use launch::Launch;

/// Everything that exists between initialization and finalization.
pub struct Runtime {
    /// The components.
    pub system: &'static System,
    /// The table of the point-to-point component.
    pub pml: &'static PmlOps,
    /// Its instance.
    pub pml_instance: *mut Instance,
    /// The components of `coll`, the highest priority first.
    pub colls: Vec<Chosen<CollOps>>,
    /// The components of `osc`, the highest priority first.
    pub oscs: Vec<Chosen<OscOps>>,
    /// Whether there has ever been a session.
    pub sessions: AtomicBool,
    /// The level of thread support that everything is made for.
    pub thread_level: c_int,
    /// The process that started it.
    pub process: u32,
    /// The thread that initialized.
    pub main_thread: ThreadId,
    /// The process manager.
    pub launch: Launch,
    /// Functions that are called in every pass.
    pub polled: Mutex<Vec<usize>>,
}

// SAFETY: the instance's component is called under its contract, from any thread.
unsafe impl Sync for Runtime {}
// SAFETY: see `Sync`.
unsafe impl Send for Runtime {}

/// Null before initialization and after finalization. What was set is never freed.
static CURRENT: AtomicPtr<Runtime> = AtomicPtr::new(std::ptr::null_mut());

/// Whether components have begun to read their parameters.
static STARTED: AtomicBool = AtomicBool::new(false);

/// Whether components have begun to read their parameters, and perhaps have gone since.
pub fn has_started() -> bool {
    STARTED.load(Ordering::Acquire)
}

/// The component system of the process; null before it is needed. A leaked one.
static SYSTEM: AtomicPtr<System> = AtomicPtr::new(std::ptr::null_mut());

/// Held while it changes.
static MAKING: Mutex<()> = Mutex::at(LockLevel::SYSTEM, ());

/// The component system of the process. Tools need it before MPI is initialized and after MPI is
/// finalized, when no component is open.
pub fn system() -> &'static System {
    // SAFETY: null or leaked. Acquire pairs with the Release in `make_system`.
    if let Some(system) = unsafe { SYSTEM.load(Ordering::Acquire).as_ref() } {
        return system;
    }
    let making = MAKING.lock();
    // SAFETY: as above.
    match unsafe { SYSTEM.load(Ordering::Acquire).as_ref() } {
        Some(system) => system,
        None => make_system(&making),
    }
}

fn make_system(_making: &MutexGuard<'_, ()>) -> &'static System {
    let system = params::system(Options::of_process(CommandLine::default()));
    SYSTEM.store(std::ptr::from_ref(system).cast_mut(), Ordering::Release);
    system
}

/// The system whose components are about to be opened. One whose components were closed is over, so a
/// session that begins after `MPI_Finalize` has another; what tools hold of the old one tells no news.
pub fn start_system() -> &'static System {
    if STARTED.swap(true, Ordering::AcqRel) { make_system(&MAKING.lock()) } else { system() }
}

/// The library runs from now on; or no longer.
pub fn set_current(runtime: Option<&'static Runtime>) {
    let runtime = runtime.map_or(std::ptr::null_mut(), |it| std::ptr::from_ref(it).cast_mut());
    // Release pairs with the Acquire in `current`.
    CURRENT.store(runtime, Ordering::Release);
}

/// The running library, if it is running.
#[inline(always)]
pub fn current() -> Option<&'static Runtime> {
    // SAFETY: null or leaked. Acquire pairs with the Release in `set_current`.
    unsafe { CURRENT.load(Ordering::Acquire).as_ref() }
}

/// The running library, for what runs only then.
///
/// # Panics
/// Before initialization and after finalization.
#[inline(always)]
pub fn runtime() -> &'static Runtime {
    current().expect("MPI is initialized")
}

/// The arguments of an operation without data.
pub fn no_data(operation: u32) -> CollArgs {
    // SAFETY: numbers and null pointers.
    let args: CollArgs = unsafe { std::mem::zeroed() };
    CollArgs { struct_size: size_of::<CollArgs>() as u32, operation, ..args }
}

/// Ends the job.
pub fn abort(code: c_int, text: &str) -> ! {
    // Before the launcher knows, because it ends this process then.
    state::flush_output();
    if let Some(runtime) = current() {
        runtime.launch.abort(code, text);
    }
    state::exit(code)
}

impl Runtime {
    /// A context id that no other communicator of the job has or had.
    pub fn new_context(&self) -> ContextId {
        /// Of the process, so that a session that begins after another one has ended goes on counting.
        static SERIAL: AtomicU64 = AtomicU64::new(0);
        ContextId::new(self.system.job().rank, SERIAL.fetch_add(1, Ordering::Relaxed))
    }

    /// The number of the node that a process of the job runs on; the same on all processes.
    pub fn node_of(&self, rank: u32) -> u32 {
        let peer = self.system.peer(rank).expect("the process is in the job");
        // SAFETY: peers are never freed.
        unsafe { (*peer).node }
    }

    /// Whether several threads may call at a time.
    pub fn is_threaded(&self) -> bool {
        self.system.job().thread_level == THREAD_MULTIPLE
    }

    /// Waits until a sync object is complete. `cris` says where the events of what it waits for can come
    /// from, if that is known.
    pub fn wait(&self, sync: &WaitSync, cris: Option<&CriSet>) -> Result<()> {
        match self.system.wait(sync, cris) {
            OK => Ok(()),
            status => Err(failure("wait", status)),
        }
    }

    /// Makes progress until something is no longer so, of which no request tells.
    pub fn progress_while(&self, condition: impl Fn() -> bool) {
        while condition() {
            if self.system.progress() == 0 {
                std::thread::yield_now();
            }
        }
    }

    /// Calls a function in every pass of the progress engine from now on; once for each function.
    pub fn poll(&self, function: fn() -> u32) {
        let mut polled = self.polled.lock();
        if !polled.contains(&(function as usize)) {
            polled.push(function as usize);
            // SAFETY: the context is the function itself.
            unsafe { self.system.add_progress(call, function as *mut c_void) };
        }
    }

    /// What the process manager says of the application's number and of the universe's size; none if
    /// it says nothing.
    pub fn appnum_and_universe(&self) -> (Option<c_int>, Option<c_int>) {
        self.launch.appnum_and_universe()
    }

    /// Whether another process started this one by `MPI_Comm_spawn`.
    pub fn is_spawned(&self) -> bool {
        self.launch.is_spawned()
    }
}

/// Calls a function that was handed to `Runtime::poll`.
unsafe extern "C" fn call(function: *mut c_void) -> u32 {
    // SAFETY: `Runtime::poll` passes a function of this type.
    let function = unsafe { std::mem::transmute::<*mut c_void, fn() -> u32>(function) };
    function()
}
