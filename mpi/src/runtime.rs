//! The running library: how a process joins its job and leaves it.
//!
//! ```text
//!   MPI_Init      parameters, components ─► pmi: who am I ─► transports ─► cards, fence ─► pml, coll
//!                                                                        ─► MPI_COMM_WORLD, _SELF
//!   MPI_Finalize  attributes of MPI_COMM_SELF ─► fence ─► communicators ─► pmi ─► components
//! ```
//!
//! Sessions use the same. The first of them, or `MPI_Init`, starts everything; who ends the last one
//! leaves the job, but keeps the components, and comes back when there is a session again:
//!
//! ```text
//!   MPI_Session_init      as far as pml and coll, or only ─► pmi: back again
//!   MPI_Session_finalize  last one: what waits to be sent ─► pmi: away
//! ```
//!
//! Start-up exchanges one small card a process: what its transports tell their peers, and which `pml`
//! it has chosen, because two processes with different ones can't talk.

mod cards;
mod counters;
mod launch;
mod messages;

use std::ffi::{CStr, c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};
use std::sync::{Once, OnceLock};
use std::thread::ThreadId;

use cairn_framework::abi::comm::{CONTEXT_OWN, ContextId};
use cairn_framework::abi::component::Instance;
use cairn_framework::abi::job::{
    THREAD_FUNNELED, THREAD_MULTIPLE, THREAD_SERIALIZED, THREAD_SINGLE,
};
use cairn_framework::abi::pool::CriSet;
use cairn_framework::abi::request::WaitSync;
use cairn_framework::abi::scope::{SCOPE_PROCESS, Scope};
use cairn_framework::abi::status::{
    ERR_ARGUMENT, ERR_PEER, ERR_RESOURCES, ERR_TRUNCATED, ERR_UNSUPPORTED, OK, Status,
};
use cairn_framework::frameworks::coll::{COLL_BARRIER, CollArgs, CollOps};
use cairn_framework::frameworks::pml::PmlOps;
use cairn_framework::host::params::CommandLine;
use cairn_framework::host::problem::Problem;
use cairn_framework::host::{Chosen, Options, System, give_reason, take_reason};
use cairn_mpi_params as params;
use parking_lot::{Mutex, MutexGuard};

use crate::abi::generated::constants::*;
use crate::error::{Error, Result};
use crate::levels;
use crate::objects::arena;
use crate::objects::comm::{self, CommRef};
use crate::objects::group::Ranks;
use crate::objects::special;
use crate::state::{self, World};
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
    /// What the World Model has, from `MPI_Init` on.
    world: OnceLock<WorldModel>,
    /// A communicator of all processes of the job that no program sees, when it was needed.
    everybody: Mutex<Option<CommRef>>,
    /// Whether there has ever been a session.
    sessions: AtomicBool,
    /// The level of thread support that everything is made for.
    thread_level: c_int,
    /// The process that started it.
    process: u32,
    /// The thread that initialized.
    pub main_thread: ThreadId,
    launch: Launch,
    /// Functions that are called in every pass.
    polled: Mutex<Vec<usize>>,
}

/// What the World Model has.
struct WorldModel {
    /// `MPI_COMM_WORLD`.
    world: CommRef,
    /// `MPI_COMM_SELF`.
    itself: CommRef,
    /// The level of thread support that the program was promised.
    thread_level: c_int,
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

/// The component system of the process; null before somebody asks for it. A leaked one.
static SYSTEM: AtomicPtr<System> = AtomicPtr::new(std::ptr::null_mut());

/// Held while it changes.
static MAKING: Mutex<()> = Mutex::new(());

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
    system.set_event_listener(crate::tool::events::deliver);
    SYSTEM.store(std::ptr::from_ref(system).cast_mut(), Ordering::Release);
    system
}

/// The system whose components are about to be opened. One whose components were closed is over, so a
/// session that begins after `MPI_Finalize` has another; what tools hold of the old one tells no news.
fn start_system() -> &'static System {
    if STARTED.swap(true, Ordering::AcqRel) { make_system(&MAKING.lock()) } else { system() }
}

/// Held while the state changes.
static CHANGING: Mutex<()> = Mutex::new(());

/// The running library, if it is running.
#[inline(always)]
pub fn current() -> Option<&'static Runtime> {
    // SAFETY: null or leaked. Acquire pairs with the Release of `init`.
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

/// Joins the job. Returns the level of thread support.
pub fn init(required: c_int) -> Result<c_int> {
    let _changing = CHANGING.lock();
    match state::world() {
        World::Before => {}
        World::Running => return Err(Error::new(MPI_ERR_OTHER, "MPI is initialized already")),
        World::After => {
            let text = "MPI is finalized, and can't be initialized again";
            return Err(Error::new(MPI_ERR_OTHER, text));
        }
    }
    let level = thread_level(required);
    let runtime = join(level)?;
    let level = level.min(runtime.thread_level);
    let job = runtime.system.job();
    let world = runtime.communicator(0, (0..job.size).collect(), c"MPI_COMM_WORLD")?;
    let itself = runtime.communicator(1, [job.rank].into(), c"MPI_COMM_SELF")?;
    let _ = runtime.world.set(WorldModel { world, itself, thread_level: level });
    comm::set_predefined(Some([world, itself]));
    if !runtime.sessions.load(Ordering::Relaxed) {
        levels::set(level);
    }
    state::set_world(World::Running);
    Ok(level)
}

/// Another session begins. Returns the level of thread support.
pub fn enter(required: c_int) -> Result<c_int> {
    let _changing = CHANGING.lock();
    // More sessions may come, with any level.
    let runtime = join(MPI_THREAD_MULTIPLE)?;
    runtime.sessions.store(true, Ordering::Relaxed);
    // Each session has a level of its own, and a call does not always say whose it is.
    levels::set(MPI_THREAD_MULTIPLE);
    state::add_session();
    Ok(required.min(runtime.thread_level))
}

/// A session ends.
pub fn leave_session() -> Result<()> {
    let _changing = CHANGING.lock();
    state::remove_session();
    runtime().leave()
}

/// This process is in the job from now on, if it was not.
fn join(level: c_int) -> Result<&'static Runtime> {
    let Some(runtime) = current() else { return start(level) };
    if !state::is_running() {
        runtime.launch.connect_again()?;
    }
    Ok(runtime)
}

/// Makes everything that there is before the first communicator.
fn start(level: c_int) -> Result<&'static Runtime> {
    crate::objects::info::start();
    let system = start_system();
    system.hold_notes();
    crate::check::enable(params::flag(system, params::PARAM_CHECK));
    system.check().map_err(|problems| Error::new(MPI_ERR_OTHER, problems.to_string()))?;

    let launch = Launch::connect(system)?;
    // What `MPI_Query_thread` says is the program's; threads of our own need locks all the same.
    let wishes = system.progress_wishes().map_err(problem)?;
    let level_within = if wishes.threads == 0 { level as u32 } else { THREAD_MULTIPLE };
    let job = launch.job(level_within, wishes.anonymous_passes)?;
    if job.size > 1 {
        launch::raise_descriptors();
    }
    state::set_identity(&job);
    // SAFETY: no component but those of `pmi`, which knows the job better, and `progress`, which does
    // not look at it, are open, and no thread knows the system.
    unsafe { system.set_job(job) };
    let abort_of = launch.clone();
    system.set_abort(Box::new(move |code, text| abort_of.abort(code, text)));
    if let Some(nodes) = launch.nodes(job.size) {
        system.set_nodes(&nodes);
    }
    let process = Scope::new(SCOPE_PROCESS, 0, 1, c"process");
    system.open_transports().map_err(problem)?;
    let pml = system.select_one::<PmlOps>(&process).map_err(problem)?;
    system.start_engines().map_err(problem)?;
    cards::exchange(system, &launch, &job, &pml.name)?;
    let colls = system.select_many::<CollOps>(&process).map_err(problem)?;

    let runtime: &'static Runtime = Box::leak(Box::new(Runtime {
        system,
        pml: pml.ops,
        pml_instance: pml.instance,
        colls,
        world: OnceLock::new(),
        everybody: Mutex::default(),
        sessions: AtomicBool::new(false),
        thread_level: level,
        process: std::process::id(),
        main_thread: std::thread::current().id(),
        launch,
        polled: Mutex::default(),
    }));
    arena::set_threaded(level == MPI_THREAD_MULTIPLE || wishes.threads != 0);
    // Release pairs with the Acquire in `current`.
    CURRENT.store(std::ptr::from_ref(runtime).cast_mut(), Ordering::Release);
    system.start_background().map_err(problem)?;
    if let Some(report) = system.report() {
        eprint!("{report}");
    }
    Ok(runtime)
}

/// The level of thread support that a program gets.
pub fn thread_level(required: c_int) -> c_int {
    let levels = [THREAD_SINGLE, THREAD_FUNNELED, THREAD_SERIALIZED, THREAD_MULTIPLE];
    let enough = levels.into_iter().find(|level| *level as c_int >= required);
    enough.unwrap_or(THREAD_MULTIPLE) as c_int
}

/// Ends the World Model, and leaves the job unless there are sessions.
pub fn finalize() -> Result<()> {
    let _changing = CHANGING.lock();
    let runtime = runtime();
    let (World::Running, Some(model)) = (state::world(), runtime.world.get()) else {
        let text = "there are only sessions; MPI_Init was not called, or MPI_Finalize was";
        return Err(Error::new(MPI_ERR_OTHER, text));
    };
    let WorldModel { world, itself, .. } = *model;
    // First of all, when everything still works (MPI 5.0, section 11.2.4).
    crate::objects::attributes::delete_all(itself, MPI_COMM_SELF)?;
    crate::objects::attributes::delete_all(world, MPI_COMM_WORLD)?;
    crate::objects::bsend::detach_all(None)?;
    counters::report(runtime)?;
    runtime.system.event_deliver();
    // No process leaves while another one still needs its memory or its answers. One that is connected to
    // none sleeps meanwhile, unless threads with sessions of their own may yet connect it. The process
    // manager makes the barrier, so that it connects none.
    let progress = runtime.system.is_connected() || runtime.sessions.load(Ordering::Relaxed);
    if !runtime.launch.fence_with(progress)? {
        // SAFETY: a barrier has no buffers.
        unsafe { world.run(&no_data(COLL_BARRIER)) }?;
    }
    runtime.system.stop_background();
    // What peers still need of this process has to go out before it stops calling.
    runtime.flush();
    special::end_freed();
    // Their handles first: another thread, of a session, may look them up.
    comm::set_predefined(None);
    comm::free(itself);
    comm::free(world);
    state::set_world(World::After);
    if runtime.sessions.load(Ordering::Relaxed) {
        return runtime.leave();
    }
    let left = runtime.launch.disconnect();
    runtime.close();
    left
}

/// The process ends, and MPI was left for a while: peers learn that it did not die.
extern "C" fn at_exit() {
    let Some(_changing) = CHANGING.try_lock() else { return };
    if let (Some(runtime), false) = (current(), state::is_running()) {
        // A process that this one forked ends without a word.
        if runtime.process == std::process::id() {
            runtime.close();
        }
    }
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

    /// Whether several threads may call at a time.
    pub fn is_threaded(&self) -> bool {
        self.system.job().thread_level == THREAD_MULTIPLE
    }

    /// The level of thread support that `MPI_Init` promised; in a program with nothing but sessions,
    /// what they can have.
    pub fn thread_level(&self) -> c_int {
        self.world.get().map_or(self.thread_level, |model| model.thread_level)
    }

    /// A communicator of all processes of the job that no program sees, for those that have none in
    /// common.
    pub fn everybody(&self) -> Result<CommRef> {
        let mut everybody = self.everybody.lock();
        if let Some(comm) = *everybody {
            return Ok(comm);
        }
        let all = (0..self.system.job().size).collect();
        Ok(*everybody.insert(self.communicator(2, all, c"")?))
    }

    /// A communicator with a context id that all processes know.
    fn communicator(&self, serial: u64, group: Ranks, name: &CStr) -> Result<CommRef> {
        comm::make(comm::Plan {
            context: ContextId::new(CONTEXT_OWN, serial),
            group,
            remote: None,
            session: None,
            name: name.to_owned(),
            errhandler: MPI_ERRORS_ARE_FATAL,
            info: Default::default(),
        })
    }

    /// Leaves the job for now, unless somebody uses it. Everything stays, so that the process can come
    /// back without the others; it may also end.
    fn leave(&self) -> Result<()> {
        if state::is_running() {
            return Ok(());
        }
        self.flush();
        special::end_freed();
        let left = self.launch.disconnect();
        static AT_EXIT: Once = Once::new();
        let mut failed = 0;
        // SAFETY: the function is there as long as the library.
        AT_EXIT.call_once(|| failed = unsafe { libc::atexit(at_exit) });
        if failed != 0 {
            let text = "there is no memory to note what is to be done when the process ends";
            return Err(Error::new(MPI_ERR_NO_MEM, text));
        }
        left
    }

    /// Returns when nothing waits here to be sent.
    fn flush(&self) {
        // SAFETY: the component's table is complete and the component open.
        unsafe { (self.pml.flush.unwrap_unchecked())(self.pml_instance) };
    }

    /// Ends everything.
    fn close(&self) {
        if let Some(everybody) = self.everybody.lock().take() {
            comm::free(everybody);
        }
        special::end_freed();
        comm::free_closed();
        CURRENT.store(std::ptr::null_mut(), Ordering::Release);
        self.system.close();
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

/// The error of a component's function that returned this status.
#[cold]
pub fn failure(function: &str, status: Status) -> Error {
    Error::new(class_of(status), take_reason(function, status))
}

/// The status that stands for an error on its way through a component, which keeps the text.
pub fn told(error: &Error) -> Status {
    give_reason(error.text());
    ERR_RESOURCES
}

/// The error class of a status of the plugin ABI.
pub fn class_of(status: Status) -> c_int {
    match status {
        OK => MPI_SUCCESS,
        ERR_TRUNCATED => MPI_ERR_TRUNCATE,
        ERR_ARGUMENT => MPI_ERR_ARG,
        ERR_RESOURCES => MPI_ERR_NO_MEM,
        ERR_UNSUPPORTED => MPI_ERR_UNSUPPORTED_OPERATION,
        ERR_PEER => MPI_ERR_PROC_ABORTED,
        _ => MPI_ERR_OTHER,
    }
}

fn problem(problem: Problem) -> Error {
    Error::new(MPI_ERR_OTHER, problem.to_string())
}

/// Calls a function that was handed to `Runtime::poll`.
unsafe extern "C" fn call(function: *mut c_void) -> u32 {
    // SAFETY: `Runtime::poll` passes a function of this type.
    let function = unsafe { std::mem::transmute::<*mut c_void, fn() -> u32>(function) };
    function()
}

const _: () = assert!(THREAD_MULTIPLE as c_int == MPI_THREAD_MULTIPLE);
const _: () = assert!(THREAD_FUNNELED as c_int == MPI_THREAD_FUNNELED);
