//! The life of a process in its job: how it joins and how it leaves.
//!
//! ```text
//!   MPI_Init      parameters, components ─► pmi: who am I ─► transports ─► cards, fence ─► pml, coll
//!                                                                        ─► MPI_COMM_WORLD, _SELF
//!   MPI_Finalize  attributes of MPI_COMM_SELF ─► fence ─► communicators ─► pmi ─► components
//! ```
//!
//! Sessions use the same. The first of them, or `MPI_Init`, starts everything; the end of the last one
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

use std::ffi::{CStr, c_int};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use cairn_framework::abi::comm::{CONTEXT_OWN, ContextId};
use cairn_framework::abi::job::{
    THREAD_FUNNELED, THREAD_MULTIPLE, THREAD_SERIALIZED, THREAD_SINGLE,
};
use cairn_framework::abi::scope::{SCOPE_PROCESS, Scope};
use cairn_framework::audit::LockLevel;
use cairn_framework::author::Mutex;
use cairn_framework::frameworks::coll::{COLL_BARRIER, CollOps};
use cairn_framework::frameworks::osc::OscOps;
use cairn_framework::frameworks::pml::PmlOps;
use cairn_framework::host::spread;
use cairn_mpi_params as params;

use crate::abi::generated::constants::*;
use crate::error::{Error, Result, problem};
use crate::levels;
use crate::objects::arena;
use crate::objects::attributes;
use crate::objects::bsend;
use crate::objects::comm::{self, CommRef};
use crate::objects::group::Ranks;
use crate::objects::info;
use crate::objects::partitioned;
use crate::objects::special;
use crate::runtime::launch::{self, Launch};
use crate::runtime::{Runtime, current, no_data, nodes, runtime, set_current, start_system};
use crate::state::{self, World};

/// What the World Model has.
#[derive(Clone, Copy)]
struct WorldModel {
    /// `MPI_COMM_WORLD`.
    world: CommRef,
    /// `MPI_COMM_SELF`.
    itself: CommRef,
    /// The level of thread support that the program was promised.
    thread_level: c_int,
}

/// From `MPI_Init` until the library ends.
static WORLD: Mutex<Option<WorldModel>> = Mutex::new(None);

/// A communicator of all processes of the job that no program sees, when it was needed.
static ALL: Mutex<Option<CommRef>> = Mutex::at(LockLevel::WORLD, None);

/// Held while the state changes.
static CHANGING: Mutex<()> = Mutex::at(LockLevel::LIBRARY, ());

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
    let world = communicator(0, (0..job.size).collect(), c"MPI_COMM_WORLD")?;
    let itself = communicator(1, [job.rank].into(), c"MPI_COMM_SELF")?;
    *WORLD.lock() = Some(WorldModel { world, itself, thread_level: level });
    comm::set_predefined(Some([world, itself]));
    // Each session has a level of its own, and a call does not always say whose it is.
    let sessions = runtime.sessions.load(Ordering::Relaxed);
    levels::set(if sessions { MPI_THREAD_MULTIPLE } else { level });
    state::set_world(World::Running);
    Ok(level)
}

/// Another session begins. Returns the level of thread support.
pub fn enter(required: c_int) -> Result<c_int> {
    let _changing = CHANGING.lock();
    // More sessions may come, with any level.
    let runtime = join(MPI_THREAD_MULTIPLE)?;
    runtime.sessions.store(true, Ordering::Relaxed);
    // As in `init`.
    levels::set(MPI_THREAD_MULTIPLE);
    state::add_session();
    Ok(required.min(runtime.thread_level))
}

/// A session ends.
pub fn leave_session() -> Result<()> {
    let _changing = CHANGING.lock();
    state::remove_session();
    leave(runtime())
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
    info::start();
    let system = start_system();
    system.hold_notes();
    state::check_arguments(params::flag(system, params::PARAM_CHECK));
    system.check().map_err(|problems| Error::new(MPI_ERR_OTHER, problems.to_string()))?;

    let launch = Launch::connect(system)?;
    // What `MPI_Query_thread` says is the program's; threads of our own need locks all the same.
    let wishes = system.progress_wishes().map_err(problem)?;
    let level_within = if wishes.threads == 0 { level as u32 } else { THREAD_MULTIPLE };
    let polls = if level_within == THREAD_MULTIPLE { wishes.anonymous_passes } else { u32::MAX };
    let mut job = launch.job(level_within, polls)?;
    let nodes = nodes::find(system, &launch, &mut job)?;
    if job.size > 1 {
        launch::raise_descriptors();
    }
    state::set_identity(&job);
    // SAFETY: no component but those of `pmi`, which knows the job better, and `progress`, which does
    // not look at it, are open, and no thread knows the system.
    unsafe { system.set_job(job) };
    let abort_of = launch.clone();
    system.set_abort(Box::new(move |code, text| abort_of.abort(code, text)));
    system.set_nodes(&nodes);
    let process = Scope::new(SCOPE_PROCESS, 0, 1, c"process");
    system.open_transports().map_err(problem)?;
    let pml = system.select_one::<PmlOps>(&process).map_err(problem)?;
    system.start_engines().map_err(problem)?;
    let colls = system.select_many::<CollOps>(&process).map_err(problem)?;
    let oscs = system.select_many::<OscOps>(&process).map_err(problem)?;
    // All parameters are there that processes compare.
    cards::exchange(system, &launch, &job, &pml.name)?;

    let runtime: &'static Runtime = Box::leak(Box::new(Runtime {
        system,
        pml: pml.ops,
        pml_instance: pml.instance,
        colls,
        oscs,
        sessions: AtomicBool::new(false),
        thread_level: level,
        process: std::process::id(),
        main_thread: std::thread::current().id(),
        launch,
        polled: Mutex::at(LockLevel::LIST, Vec::new()),
    }));
    arena::set_threaded(level == MPI_THREAD_MULTIPLE || wishes.threads != 0);
    set_current(Some(runtime));
    system.start_background().map_err(problem)?;
    if job.is_crowded() && params::flag(system, params::PARAM_SPREAD) {
        spread(job.local_rank);
    }
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
    let (World::Running, Some(model)) = (state::world(), *WORLD.lock()) else {
        let text = "there are only sessions; MPI_Init was not called, or MPI_Finalize was";
        return Err(Error::new(MPI_ERR_OTHER, text));
    };
    let WorldModel { world, itself, .. } = model;
    // First of all, when everything still works (MPI 5.0, section 11.2.4).
    attributes::delete_all(&itself.attributes, MPI_COMM_SELF)?;
    attributes::delete_all(&world.attributes, MPI_COMM_WORLD)?;
    bsend::detach_all(None)?;
    counters::report(runtime, world)?;
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
    flush(runtime);
    special::end_freed();
    // Their handles first: another thread, of a session, may look them up.
    comm::set_predefined(None);
    for comm in [itself, world] {
        partitioned::comm_freed(comm);
        comm::free(comm);
    }
    state::set_world(World::After);
    if runtime.sessions.load(Ordering::Relaxed) {
        return leave(runtime);
    }
    levels::close();
    let left = disconnect(runtime);
    close(runtime);
    left
}

/// The process ends, and MPI was left for a while: peers learn that it did not die.
extern "C" fn at_exit() {
    let Some(_changing) = CHANGING.try_lock() else { return };
    if let (Some(runtime), false) = (current(), state::is_running()) {
        // A process that this one forked ends without a word.
        if runtime.process == std::process::id() {
            close(runtime);
        }
    }
}

/// The level of thread support that `MPI_Init` promised; in a program with nothing but sessions,
/// what they can have.
pub fn provided_level() -> c_int {
    let promised = WORLD.lock().map(|model| model.thread_level);
    promised.unwrap_or_else(|| runtime().thread_level)
}

/// A communicator of all processes of the job that no program sees, for those that have none in
/// common.
pub fn all_processes() -> Result<CommRef> {
    let mut all = ALL.lock();
    if let Some(comm) = *all {
        return Ok(comm);
    }
    let ranks = (0..runtime().system.job().size).collect();
    Ok(*all.insert(communicator(2, ranks, c"")?))
}

/// A communicator with a context id that all processes know.
fn communicator(serial: u64, group: Ranks, name: &CStr) -> Result<CommRef> {
    comm::make(comm::Plan {
        context: ContextId::new(CONTEXT_OWN, serial),
        group,
        remote: None,
        session: None,
        name: name.to_owned(),
        errhandler: MPI_ERRORS_ARE_FATAL,
        info: Default::default(),
        topology: None,
    })
}

/// Leaves the job for now, unless it is still in use. Everything stays, so that the process can come
/// back without the others; it may also end.
fn leave(runtime: &Runtime) -> Result<()> {
    if state::is_running() {
        return Ok(());
    }
    levels::close();
    flush(runtime);
    special::end_freed();
    let left = disconnect(runtime);
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
fn flush(runtime: &Runtime) {
    // SAFETY: the component's table is complete and the component open.
    unsafe { (runtime.pml.flush.unwrap_unchecked())(runtime.pml_instance) };
}

/// Leaves the launcher, which components may still have questions for.
fn disconnect(runtime: &Runtime) -> Result<()> {
    runtime.system.do_what_is_seldom();
    runtime.launch.disconnect()
}

/// Ends everything.
fn close(runtime: &Runtime) {
    if let Some(all) = ALL.lock().take() {
        comm::free(all);
    }
    special::end_freed();
    comm::free_closed();
    *WORLD.lock() = None;
    set_current(None);
    runtime.system.close();
}

const _: () = assert!(THREAD_MULTIPLE as c_int == MPI_THREAD_MULTIPLE);
const _: () = assert!(THREAD_FUNNELED as c_int == MPI_THREAD_FUNNELED);
