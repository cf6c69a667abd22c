//! The running component system: everything a process holds of it.
//!
//! ```text
//!   Sources ─► Registry        Catalog ─► Slot, Slot, ...     one slot a component: its instance
//!                  ▲                        │      ▲          and how far its life has come
//!                  └── register_params ─────┘      │
//!   select(framework, scope) ── open, query ───────┘ ─► Decision (kept for reports), Chosen
//!   services ◄── Host table ◄── components
//! ```
//!
//! A system lives as long as the process once it is made, because components, threads and
//! callbacks may use it at any time. [`System::close`] closes the components.

mod background;
mod base;
mod choose;
mod peers;
mod pools;
mod scopes;
mod slot;

use std::cell::UnsafeCell;
use std::collections::{BTreeMap, HashMap};
use std::ffi::c_void;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::abi::lock::Mutex;
use crate::audit::LockLevel;

use super::cores::{node_cores, own_cores};
use super::lifecycle::Lifecycle;
use super::loader::{Catalog, Refused, Unopened};
use super::params::{Registry, Sources, Value};
use super::paths::Paths;
use super::problem::{Problem, Problems};
use super::select::{Decision, Wish};
use super::services::cards::{CardExchange, Cards};
use super::services::counters::{CounterInfo, Counters};
use super::services::events::{EventInfo, Events, Listener};
use super::services::log::{Log, Sink, standard_error};
use super::services::progress::{Engine, Want};
use super::services::receive::ReceiveTable;
use super::services::sleep::Sleeper;
use super::services::threads;
use super::services::{table, waiting};
use crate::abi::comm::Comm;
use crate::abi::component::{ABI_MAJOR, ABI_MINOR};
use crate::abi::host::{Host, PROGRESS_EVERY_PASS, ProgressFn};
use crate::abi::job::{Job, THREAD_MULTIPLE, THREAD_SINGLE};
use crate::abi::peer::Peer;
use crate::abi::pool::CriSet;
use crate::abi::request::WaitSync;
use crate::abi::scope::{SCOPE_PROCESS, Scope};
use crate::abi::status::Status;
use crate::frameworks::CONTRACTS;
use crate::frameworks::progress::ProgressOps;
use crate::frameworks::wait::WaitOps;
use background::Background;
use peers::Peers;
use pools::PoolPointer;
use scopes::Scopes;

pub use slot::{Chosen, Slot, Stage};
pub(crate) use slot::{Phase, Provider};

/// What a system is made from.
pub struct Options {
    /// Where the installation and the user's files lie.
    pub paths: Paths,
    /// What sets parameters.
    pub sources: Sources,
    /// Where the log goes.
    pub sink: Sink,
    /// Which components to take.
    pub search: Search,
}

/// Which components a system takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Search {
    /// Those that are linked in, and of the libraries in the component path those that the
    /// selection could use.
    Wanted,
    /// Those that are linked in and every library in the component path: for tools that list.
    Everything,
    /// Those in these libraries and those that are linked in, of which one of the same name as in
    /// a library gives way: for tests of a library.
    Only(Vec<PathBuf>),
}

impl Options {
    /// The options of an ordinary process: its own environment and files, standard error.
    pub fn of_process(command_line: super::params::CommandLine) -> Self {
        let paths = Paths::locate();
        let sources = Sources::of_process(&paths, command_line);
        Self { paths, sources, sink: Box::new(standard_error), search: Search::Wanted }
    }
}

/// Kind and number of a scope.
type ScopeKey = (u32, u32);

fn key_of(scope: &Scope) -> ScopeKey {
    (scope.kind, scope.id)
}

/// A framework and a scope.
type ServingKey = (&'static str, ScopeKey);

/// Ends the job with a code; the text says why. Does not return.
pub type Abort = Box<dyn Fn(i32, &str) + Send + Sync>;

/// The component system of a process.
pub struct System {
    /// Where the installation and the user's files lie.
    pub paths: Paths,
    /// The parameters.
    pub params: Registry,
    /// What was not taken, and why.
    pub refused: Vec<Refused>,
    /// Libraries that were not opened.
    pub unopened: Vec<Unopened>,
    slots: Vec<&'static Slot>,
    /// Problems of the start besides those of the registry.
    problems: Mutex<Vec<Problem>>,
    /// With kind and number of the scope each was made for.
    decisions: Mutex<Vec<(ScopeKey, Decision)>>,
    /// What serves a framework for a scope, the process among them.
    serving: Mutex<HashMap<ServingKey, Vec<&'static Slot>>>,
    /// Info keys of communicators and windows that are looked at.
    info_keys: Mutex<BTreeMap<String, choose::Known>>,
    /// A strategy that was asked for by name has failed at a pool: the transports can't be opened.
    denied: Mutex<Option<Problem>>,
    /// Held while components are opened, asked and closed. No function of the host table takes it
    /// but `pool_add`, which a component's `open` may call: the lock is reentrant.
    lifecycle: Lifecycle,
    pools: Mutex<Vec<(usize, PoolPointer)>>,
    /// 1 once the strategy has said of some pool where messages arrive.
    arrivals: AtomicU32,
    next_pool: Mutex<u32>,
    pub(crate) scopes: Scopes,
    peers: Peers,
    /// Written by `set_job` before components open.
    job: UnsafeCell<Job>,
    host: OnceLock<Host>,
    pub(crate) log: Log,
    pub(crate) receive: ReceiveTable,
    pub(crate) cards: Cards,
    pub(crate) counters: Counters,
    pub(crate) events: Events,
    pub(crate) engine: Engine,
    pub(crate) sleeper: Sleeper,
    pub(crate) wait: Provider<WaitOps>,
    background: Background,
    abort: OnceLock<Abort>,
    /// What the user is to be told, by component, while it is not known which process of the node this
    /// is; `None` when that is known.
    held_notes: Mutex<Option<Vec<(String, String)>>>,
}

// SAFETY: the only field that is not synchronised is `job`, under the rule stated there.
unsafe impl Sync for System {}
// SAFETY: see `Sync`.
unsafe impl Send for System {}

impl System {
    /// Makes the system: reads the sources, finds the components and registers their parameters.
    /// What is wrong is in [`System::problems`].
    pub fn new(options: Options) -> &'static Self {
        let Options { paths, sources, sink, search } = options;
        let params = Registry::new(&sources);
        let mut problems = Vec::new();
        let base = base::register(&params, &mut problems);
        let catalog = match search {
            Search::Wanted => {
                let wishes: HashMap<&str, Wish> = CONTRACTS
                    .iter()
                    .filter_map(|contract| {
                        Some((contract.name, choose::wish_of(&params, contract).ok()?.0))
                    })
                    .collect();
                Catalog::build(&base.search_dirs(&paths), &wishes)
            }
            Search::Everything => Catalog::build(&base.search_dirs(&paths), &HashMap::new()),
            Search::Only(files) => Catalog::of_files(&files),
        };
        let Catalog { loaded, refused, unopened, problems: catalog_problems } = catalog;
        problems.extend(catalog_problems);

        let slots: Vec<&'static Slot> = loaded.into_iter().map(Slot::leak).collect();
        let system: &'static Self = Box::leak(Box::new(Self {
            paths,
            params,
            refused,
            unopened,
            slots,
            problems: Mutex::new(problems),
            decisions: Mutex::at(LockLevel::TABLE, Vec::new()),
            serving: Mutex::default(),
            info_keys: Mutex::default(),
            denied: Mutex::default(),
            lifecycle: Lifecycle::new(),
            pools: Mutex::default(),
            arrivals: AtomicU32::new(0),
            next_pool: Mutex::new(0),
            scopes: Scopes::default(),
            peers: Peers::default(),
            job: UnsafeCell::new(job_of_one()),
            host: OnceLock::new(),
            log: Log::new(base.log_filter, sink),
            receive: ReceiveTable::new(),
            cards: Cards::default(),
            counters: Counters::default(),
            events: Events::default(),
            engine: Engine::new(),
            sleeper: Sleeper::default(),
            wait: Provider::default(),
            background: Background::default(),
            abort: OnceLock::new(),
            held_notes: Mutex::new(None),
        }));
        base::register_counters(&system.counters, system.flag(base::PARAM_COUNTERS, true));
        let host = system.host.get_or_init(|| {
            let (job, receive) = (system.job.get(), system.receive.entries());
            table::host(job, receive, &system.arrivals, ABI_MAJOR, ABI_MINOR)
        });
        for slot in &system.slots {
            slot.attach(system, host);
            let _lifecycle = system.lifecycle.lock();
            slot.register();
        }
        system
    }

    /// Everything that is wrong so far: with the sources, with values and names, with component
    /// directories and lists, with plugins. Errors and warnings.
    pub fn problems(&self) -> Vec<Problem> {
        let mut problems = self.problems.lock().clone();
        problems.extend(self.params.problems(|name| self.is_unchecked(name)));
        let strict = self.flag("mca_strict", true);
        for contract in CONTRACTS {
            problems.extend(
                self.wish_problems(contract)
                    .into_iter()
                    .map(|problem| if strict { problem } else { problem.warning() }),
            );
        }
        problems.extend(self.component_problems().into_iter().map(|(_, problem)| problem));
        problems
    }

    /// The warnings of components that were refused or failed, with what each is called.
    fn component_problems(&self) -> Vec<(String, Problem)> {
        let refused = self.refused.iter().map(|refused| {
            let name = refused.component.clone();
            let name = name.unwrap_or_else(|| refused.provider.to_string());
            (name, refused.problem().warning())
        });
        let failed = self.slots.iter().filter_map(|slot| {
            let Stage::Failed(reason) = slot.stage() else { return None };
            let problem = Problem::new(format!("the component {} failed: {reason}", slot.name()))
                .at(&slot.loaded.provider)
                .fix(format!("leave it out with --mca {}", slot.leave_out()))
                .warning();
            Some((slot.name(), problem))
        });
        refused.chain(failed).collect()
    }

    /// `Err` with everything that is wrong if something of it is an error. For hosts that go on:
    /// warnings are written to the log once; those of components by one process of a node.
    pub fn check(&self) -> Result<(), Problems> {
        let problems = self.problems();
        Problems::check(problems.clone())?;
        let of_components = self.component_problems();
        for problem in &problems {
            match of_components.iter().find(|(_, other)| other == problem) {
                Some((name, _)) => self.note(name, &problem.to_string()),
                None => self.log.show_once(&problem.to_string(), &problem.to_string()),
            }
        }
        Ok(())
    }

    /// What would be told by one process of a node is told when `set_job` has said which this is.
    pub fn hold_notes(&self) {
        self.held_notes.lock().get_or_insert_default();
    }

    /// Sets the place of this process in its job. Before components open.
    ///
    /// # Safety
    /// No component is open and no other thread uses the system.
    pub unsafe fn set_job(&self, mut job: Job) {
        job.lock_bias = self.flag(base::PARAM_LOCK_BIAS, true).into();
        job.wait_polls = self.wait_polls(&job).min(job.wait_polls);
        self.log.set_rank(job.rank, job.size);
        self.engine.set_threaded(job.thread_level == THREAD_MULTIPLE);
        // SAFETY: promised by the caller.
        unsafe { *self.job.get() = job };
        let held = self.held_notes.lock().take();
        for (component, text) in held.unwrap_or_default() {
            self.note(&component, &text);
        }
    }

    /// What the parameter `wait_polls` means in this job.
    fn wait_polls(&self, job: &Job) -> u32 {
        let polls = match self.params.find(base::PARAM_WAIT_POLLS).map(|param| param.value()) {
            Some(Value::Integer(polls)) => polls as u32,
            _ => 0,
        };
        match job.thread_level {
            // The sender needs the processor first.
            _ if job.is_crowded() => 0,
            // A few microseconds: another thread of the process may need the processor, and only the
            // component knows.
            THREAD_MULTIPLE => polls / 16,
            _ => polls,
        }
    }

    /// The job.
    pub fn job(&self) -> &Job {
        // SAFETY: constant but for `set_job`, which has the system for itself.
        unsafe { &*self.job.get() }
    }

    /// Says how the cards of other processes are fetched. False when that was said before.
    pub fn set_card_exchange(&self, exchange: Box<dyn CardExchange>) -> bool {
        self.cards.set_exchange(exchange)
    }

    /// The cards that components of this process have published, by component.
    pub fn own_cards(&self) -> Vec<(String, &'static [u8])> {
        self.cards.own()
    }

    /// Says what ends the job when a component aborts; it must not return. Once.
    pub fn set_abort(&self, abort: Abort) -> bool {
        self.abort.set(abort).is_ok()
    }

    /// Ends the job.
    pub fn abort(&self, code: i32, text: &str) -> ! {
        self.log.say(text);
        if let Some(abort) = self.abort.get() {
            abort(code, text);
        }
        std::process::exit(code)
    }

    /// Every counter with its value, by name.
    pub fn counters(&self) -> Vec<(CounterInfo, u64)> {
        self.counters.read_all()
    }

    /// What of the counters is to be printed at the end: `off`, `sum` or `ranks`.
    pub fn counters_report(&self) -> String {
        let param = self.params.find(base::PARAM_COUNTERS_REPORT);
        param.map_or_else(String::new, |param| param.value().to_string())
    }

    /// How many counters there are. Their numbers begin at 0 and stay; their number grows.
    pub fn counter_count(&self) -> usize {
        self.counters.len()
    }

    /// A counter by its number.
    pub fn counter_info(&self, number: usize) -> Option<CounterInfo> {
        self.counters.info(number)
    }

    /// The number of a counter.
    pub fn counter_find(&self, name: &str) -> Option<usize> {
        self.counters.find(name)
    }

    /// The value of a counter: for one communicator, if one is named, otherwise for all.
    pub fn counter_read(&self, number: usize, comm: Option<&Comm>) -> Option<u64> {
        self.counters.read(number, comm.map(std::ptr::from_ref))
    }

    /// How many types of events there are. Their numbers begin at 0 and stay; their number grows.
    pub fn event_count(&self) -> usize {
        self.events.len()
    }

    /// A type of events by its number.
    pub fn event_info(&self, number: usize) -> Option<EventInfo> {
        self.events.info(number)
    }

    /// Sets the listener of events. Once; false when that was said before.
    pub fn set_event_listener(&self, listener: Listener) -> bool {
        self.events.set_listener(listener)
    }

    /// Events of this type are delivered from now on, until as many `event_unlisten`.
    pub fn event_listen(&self, number: usize) {
        self.events.listen(number);
    }

    /// Hands on the events that wait. Passes of the progress engine do that; this is for the end.
    pub fn event_deliver(&self) {
        self.events.deliver();
    }

    /// See `event_listen`.
    pub fn event_unlisten(&self, number: usize) {
        self.events.unlisten(number);
    }

    /// Makes a pass of the progress engine, and delivers events.
    pub fn progress(&self) -> u32 {
        self.pass(&Want::ANYTHING)
    }

    /// Makes a pass for something that the calling thread waits for, or asks for if `attempts` is
    /// `PROGRESS_SINGLE`: `cris` says where its events can come from, if that is known, and `attempts` how
    /// many passes it has made for it before.
    #[inline(always)]
    pub fn progress_for(&self, cris: Option<&CriSet>, attempts: u32) -> u32 {
        self.pass(&Want { sync: None, cris, attempts })
    }

    /// Whether the process's strategy says where messages arrive; if not, `cris_of` knows nothing that a
    /// thread does not poll first anyway.
    #[inline]
    pub fn knows_arrivals(&self) -> bool {
        // Relaxed: it is a hint.
        self.arrivals.load(Ordering::Relaxed) != 0
    }

    /// Adds to `cris` where messages of a scope arrive that come from `peer`, over each pool that leads to
    /// it, or from anybody: as the process's strategy says, else what the calling thread polls first.
    pub fn cris_of(&self, scope: &Scope, peer: Option<&Peer>, cris: &mut CriSet) {
        let Some(peer) = peer.filter(|peer| !peer.routes().is_empty()) else {
            return self.engine.cris_of(scope, cris);
        };
        let thread = threads::current().thread();
        for route in peer.routes() {
            // SAFETY: routes lead to devices that stay, and a device has a pool.
            let pool = unsafe { &*(*route.module).pool };
            cris.add(pool, pool.arrival(thread, scope, peer.rank));
        }
    }

    /// A pass for a thread that wants something; as `Engine::run`.
    #[inline(always)]
    pub(crate) fn pass(&self, want: &Want<'_>) -> u32 {
        let events = self.engine.run(want);
        if self.events.are_pending() {
            self.deliver(want);
        }
        events
    }

    #[cold]
    fn deliver(&self, want: &Want<'_>) {
        if self.engine.inside() {
            return;
        }
        // A tool's callback may wait for another thread, which must not wait for this one to poll.
        if let Some(sync) = want.sync {
            self.engine.leave(sync);
        }
        self.events.deliver();
    }

    /// Waits until a sync object is complete; for the host's own threads, with no lock held. `cris` says
    /// where the events of what it waits for can come from, if that is known.
    pub fn wait(&'static self, sync: &WaitSync, cris: Option<&CriSet>) -> Status {
        waiting::wait(self, sync, cris)
    }

    /// Calls a function of the host itself in every pass of the progress engine from now on.
    ///
    /// # Safety
    /// It may be called with this context on any thread, as long as the process lives.
    pub unsafe fn add_progress(&self, function: ProgressFn, context: *mut c_void) {
        self.engine.add(0, function, context, PROGRESS_EVERY_PASS);
    }

    /// Returns when every pass of the progress engine is over that another thread may be in: what was
    /// taken away from passes before may be freed then. Not in a pass.
    pub fn wait_for_passes(&self) {
        debug_assert!(!self.is_in_pass(), "a pass can't wait for passes");
        self.engine.settle();
    }

    /// Whether the calling thread is in a pass of the progress engine.
    pub fn is_in_pass(&self) -> bool {
        self.engine.inside()
    }

    /// Every component that can be used, by framework and name.
    pub fn components(&self) -> Vec<&'static Slot> {
        let mut slots = self.slots.clone();
        slots.sort_by_key(|slot| (slot.loaded.contract.name, slot.loaded.name.clone()));
        slots
    }

    /// The name of the component whose instance lies at `owner`.
    pub(crate) fn name_of(&self, owner: usize) -> String {
        let slot = self.slots.iter().find(|slot| slot.instance().addr() == owner);
        slot.map_or_else(|| "nobody".into(), |slot| slot.name())
    }

    /// The choices made so far.
    pub fn decisions(&self) -> Vec<Decision> {
        self.decisions.lock().iter().map(|(_, decision)| decision.clone()).collect()
    }

    /// Makes the components of `progress` and `wait` that were selected do their work for
    /// this system. Frameworks without a component leave the host's own simple way in place.
    ///
    /// # Errors
    /// As for [`System::select_one`].
    pub fn start_engines(&'static self) -> Result<(), Problem> {
        let scope = Scope::new(SCOPE_PROCESS, 0, 1, c"process");
        let there = |name| self.slots.iter().any(|slot| slot.loaded.contract.name == name);
        if there("progress") {
            let chosen = self.select_one::<ProgressOps>(&scope)?;
            // With one thread there is nothing to decide: it polls everything.
            if self.job().thread_level == THREAD_MULTIPLE {
                self.engine.set_policy(Some((chosen.instance, chosen.ops)));
            }
        }
        if there("wait") {
            self.wait.set(Some(self.select_one::<WaitOps>(&scope)?));
        }
        Ok(())
    }

    /// The value of a parameter that says yes or no.
    pub(crate) fn flag(&self, name: &str, otherwise: bool) -> bool {
        match self.params.find(name).map(|param| param.value()) {
            Some(Value::Bool(value)) => value,
            _ => otherwise,
        }
    }

    /// Has components do what they do seldom: for the last time before this process leaves the launcher, so that
    /// transports get the cards of those to whom they still have to say something.
    pub fn do_what_is_seldom(&self) {
        self.engine.seldom();
    }

    /// Closes every component, transports before the strategies that serve their pools.
    pub fn close(&'static self) {
        self.stop_background();
        let _lifecycle = self.lifecycle.lock();
        self.disconnect_all();
        // From here on the host's own simple ways serve: components may wait while they close.
        self.engine.set_policy(None);
        self.wait.set(None);
        let strategies = |slot: &&&Slot| slot.loaded.contract.name == "cri";
        self.slots.iter().filter(|slot| !strategies(slot)).for_each(|slot| slot.close());
        self.slots.iter().filter(strategies).for_each(|slot| slot.close());
        self.serving.lock().clear();
    }
}

/// The job of a process that no launcher started.
fn job_of_one() -> Job {
    let id = crate::text::to_c(&format!("single-{}", std::process::id()));
    Job {
        struct_size: size_of::<Job>() as u32,
        rank: 0,
        size: 1,
        local_rank: 0,
        local_size: 1,
        thread_level: THREAD_SINGLE,
        cores: own_cores(),
        node_cores: node_cores(),
        id: id.into_raw(),
        secret: random_secret(),
        wait_polls: u32::MAX,
        lock_bias: 1,
    }
}

/// Sixteen bytes that can't be guessed.
pub fn random_secret() -> [u8; 16] {
    let mut secret = [0u8; 16];
    let mut filled = 0;
    while filled < secret.len() {
        // SAFETY: the rest of the array has that many bytes.
        let got = unsafe {
            libc::getrandom(secret[filled..].as_mut_ptr().cast(), secret.len() - filled, 0)
        };
        match usize::try_from(got) {
            Ok(got) => filled += got,
            Err(_) => {
                let error = std::io::Error::last_os_error();
                assert_eq!(error.kind(), std::io::ErrorKind::Interrupted, "getrandom: {error}");
            }
        }
    }
    secret
}
