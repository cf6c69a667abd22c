//! The system with components in it: choosing, the life of components, and the host table as a
//! component uses it.

#![cfg(feature = "host")]

use std::ffi::{CStr, c_char, c_void};
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use cairn_framework::abi::counter::{COUNTER_SUM, CounterCell, CounterSpec};
use cairn_framework::abi::host::{LOG_DEBUG, LOG_WARN, PROGRESS_EVERY_PASS, PROGRESS_SELDOM};
use cairn_framework::abi::job::{Job, THREAD_MULTIPLE};
use cairn_framework::abi::param::{BoolParam, IntegerParam, PARAM_BOOL, PARAM_LIST, ParamCell};
use cairn_framework::abi::pool::{Cri as Instance, CriPool, CriSet};
use cairn_framework::abi::receive::Received;
use cairn_framework::abi::request::{
    MessageStatus, REQUEST_MAGIC, REQUEST_OTHER, Request, WaitSync,
};
use cairn_framework::abi::scope::{SCOPE_COMMUNICATOR, SCOPE_PROCESS, Scope};
use cairn_framework::abi::status::{
    ERR_ARGUMENT, ERR_EXISTS, ERR_NOT_FOUND, ERR_UNAVAILABLE, ERR_UNSUPPORTED, OK,
};
use cairn_framework::abi::thread::Thread;
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Outcome, Registrar};
use cairn_framework::component;
use cairn_framework::frameworks::cri::{Asker, Cri, CriOps};
use cairn_framework::frameworks::osc::{Osc, OscOps, OscSync, OscTransfer, Window};
use cairn_framework::frameworks::progress::{
    PROGRESS_SINGLE, Progress, ProgressAsk, ProgressEngine,
};
use cairn_framework::frameworks::wait::{Wait, WaitMeans};
use cairn_framework::frameworks::{Contract, Table};
use cairn_framework::host::params::{CommandLine, Sources};
use cairn_framework::host::paths::Paths;
use cairn_framework::host::select::Verdict;
use cairn_framework::host::{CardExchange, Options, Search, Stage, System};

type Lines = Arc<Mutex<Vec<String>>>;

fn system(mca: &[(&str, &str)]) -> (&'static System, Lines) {
    let lines: Lines = Arc::default();
    let sink = Arc::clone(&lines);
    let mca = mca.iter().map(|(name, text)| ((*name).into(), (*text).into())).collect();
    let system = System::new(Options {
        paths: Paths::default(),
        sources: Sources {
            command_line: CommandLine { mca, ..CommandLine::default() },
            ..Sources::default()
        },
        sink: Box::new(move |line| sink.lock().unwrap().push(line.to_owned())),
        search: Search::Wanted,
    });
    (system, lines)
}

fn process() -> Scope {
    Scope::new(SCOPE_PROCESS, 0, 1, c"process")
}

fn cri() -> &'static Contract {
    CriOps::contract()
}

/// Strategies that differ in their priority only; `Sleepy` fails to open and `Shy` declines.
macro_rules! strategy {
    ($type:ident, $name:literal, $open:expr, $answer:expr) => {
        struct $type(HostHandle);
        impl Component for $type {
            type Params = IntegerParam;
            fn register(registrar: &Registrar<'_>) -> Result<IntegerParam, Failure> {
                registrar.priority(50)
            }
            fn open(host: HostHandle, priority: IntegerParam) -> Result<Self, Failure> {
                let open: fn(HostHandle, i64) -> Result<(), Failure> = $open;
                open(host, priority.get())?;
                Ok(Self(host))
            }
            fn query(&self, scope: &Scope) -> Answer {
                let answer: fn(&Scope) -> Answer = $answer;
                answer(scope)
            }
        }
        impl Cri for $type {
            type Pool = HostHandle;
            fn attach(&self, pool: &CriPool) -> Result<HostHandle, Failure> {
                if pool.count == 13 {
                    return Err(Failure::new(ERR_ARGUMENT, "thirteen is no good"));
                }
                Ok(self.0)
            }
            fn assign(_: &HostHandle, _: &CriPool, asker: &Asker<'_>) -> u32 {
                asker.thread.index
            }
            fn scope_open(
                host: &HostHandle,
                pool: &CriPool,
                scope: &mut Scope,
            ) -> Result<(), Failure> {
                if scope.id == 13 && pool.id == 1 {
                    return Err(Failure::new(ERR_ARGUMENT, "not this one"));
                }
                host.log(LOG_WARN, || format!("{} opened", scope.name()));
                Ok(())
            }
            fn scope_close(host: &HostHandle, _: &CriPool, scope: &mut Scope) {
                host.log(LOG_WARN, || format!("{} closed", scope.name()));
            }
            fn thread_exit(host: &HostHandle, _: &CriPool, thread: &Thread) {
                host.log(LOG_DEBUG, || format!("thread {} ended", thread.serial));
            }
        }
        component! {
            framework: cri, component: $type, name: $name, description: "a strategy for tests",
            aliases: "one_of_them",
        }
    };
}

strategy!(High, "high", |_, _| Ok(()), |_| Answer::Priority(60));
strategy!(Low, "low", |_, _| Ok(()), |_| Answer::Priority(40));
strategy!(Sleepy, "sleepy", |_, _| Err(Failure::new(ERR_UNAVAILABLE, "it is too early")), |_| {
    Answer::Priority(100)
});
strategy!(Shy, "shy", |_, _| Ok(()), |scope| match scope.kind {
    SCOPE_PROCESS => Answer::Decline("only for communicators".into()),
    _ => Answer::Priority(99),
});

#[test]
fn the_highest_priority_serves_and_every_candidate_is_recorded() {
    let (system, _) = system(&[]);
    let chosen = system.select_one::<CriOps>(&process()).unwrap();
    assert_eq!((chosen.name.as_str(), chosen.priority), ("cri_high", 60));
    let decision = &system.decisions()[0];
    let verdicts: Vec<(&str, Option<i32>, String)> = decision
        .candidates
        .iter()
        .map(|one| (one.name.as_str(), one.priority, one.verdict.to_string()))
        .collect();
    assert_eq!(
        verdicts,
        [
            ("high", Some(60), "chosen".to_owned()),
            ("low", Some(40), "outranked by high".to_owned()),
            ("shy", None, "declined: only for communicators".to_owned()),
            ("sleepy", None, "not available here: it is too early".to_owned()),
        ]
    );
    assert_eq!(
        (decision.wish.as_str(), &decision.wished_by, decision.scope.as_str()),
        ("any", &None, "process")
    );
    // Who was opened only to be asked holds on to nothing.
    let stages: Vec<(String, Stage)> =
        system.components().iter().map(|slot| (slot.name(), slot.stage())).collect();
    let stage = |name: &str| stages.iter().find(|one| one.0 == name).unwrap().1.clone();
    assert_eq!(stage("cri_high"), Stage::Open);
    assert_eq!(stage("cri_low"), Stage::Idle);
    assert_eq!(stage("cri_sleepy"), Stage::Unavailable("it is too early".into()));
    system.close();
    assert!(system.components().iter().all(|slot| slot.stage() != Stage::Open));
}

#[test]
fn lists_and_aliases() {
    for (list, expected) in [("low", "low"), ("^high", "low"), ("low,high", "high")] {
        let (system, _) = system(&[("cri", list)]);
        assert_eq!(system.decide(cri()).unwrap().chosen().collect::<Vec<_>>(), [expected]);
    }
    let (system, _) = system(&[("cri", "one_of_them,sleepy")]);
    let problem = system.decide(cri()).unwrap_err();
    assert!(problem.what.contains("sleepy: not available here: it is too early"), "{problem}");
}

#[test]
fn nobody_is_an_error_that_says_why() {
    let (system, _) = system(&[("cri", "^high,low"), ("mca_strict", "0")]);
    let problem = system.select_one::<CriOps>(&process()).unwrap_err();
    for part in ["no cri component can be used", "it is too early"] {
        assert!(problem.what.contains(part), "{problem}");
    }
    assert_eq!(problem.allowed.as_deref(), Some("others that are there: high, low"));
    assert_eq!(problem.place.as_deref(), Some("--mca on the command line"));
}

/// An info key of one value, for scopes of tests.
unsafe extern "C" fn info(
    scope: *const Scope,
    key: *const c_char,
    value: *mut c_char,
    capacity: usize,
) -> isize {
    // SAFETY: the caller passes a living scope, a key and a buffer of this capacity.
    unsafe {
        if CStr::from_ptr(key) != c"cairn_cri" {
            return -1;
        }
        let text = match (*scope).id {
            1 => "low",
            2 => "lwo",
            _ => "^high",
        };
        cairn_framework::text::write(text, value, capacity) as isize
    }
}

#[test]
fn a_communicator_may_have_its_own() {
    let (system, _) = system(&[("cri", "high")]);
    let comm = |id| {
        let mut comm = Scope::new(SCOPE_COMMUNICATOR, id, 4, c"mine");
        comm.info = Some(info);
        comm
    };
    assert_eq!(system.select_one::<CriOps>(&process()).unwrap().name, "cri_high");
    assert_eq!(system.select_one::<CriOps>(&comm(1)).unwrap().name, "cri_low");
    assert_eq!(system.select_one::<CriOps>(&comm(3)).unwrap().name, "cri_shy");
    let problem = system.select_one::<CriOps>(&comm(2)).unwrap_err();
    assert_eq!(problem.place.as_deref(), Some("info key cairn_cri of communicator mine"));
    assert_eq!(problem.fix.as_deref(), Some("did you mean low?"));
    let decision = &system.decisions()[1];
    assert_eq!(decision.scope, "communicator mine");
    assert_eq!(decision.wished_by.as_deref(), Some("info key cairn_cri of communicator mine"));
    assert_eq!(decision.candidates[1].verdict, Verdict::NotListed);
    // Without a key the process's list holds.
    let plain = Scope::new(SCOPE_COMMUNICATOR, 7, 4, c"plain");
    assert_eq!(system.select_one::<CriOps>(&plain).unwrap().name, "cri_high");
}

#[test]
fn reports_as_text_and_json() {
    for (format, part) in [("text", "outranked by high"), ("json", "\"reason\":\"high\"")] {
        let (system, _) = system(&[("mca_report", format)]);
        system.decide(cri()).unwrap();
        let report = system.report().unwrap();
        assert!(report.contains(part), "{report}");
    }
    let (system, _) = system(&[]);
    assert_eq!(system.report(), None);
}

/// A component that uses the whole host table; it lives in a framework of which the
/// host itself asks nothing.
struct User {
    host: HostHandle,
}

static CALLS: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" fn count(context: *mut c_void) -> u32 {
    // SAFETY: registered with a counter.
    unsafe { (*context.cast::<AtomicUsize>()).fetch_add(1, Ordering::Relaxed) };
    1
}

unsafe extern "C" fn exit(context: *mut c_void, _: *const Thread) {
    // SAFETY: as above.
    unsafe { count(context) };
}

unsafe extern "C" fn receive(context: *mut c_void, received: *const Received) {
    // SAFETY: as above; the message is valid during the call.
    unsafe {
        (*context.cast::<AtomicUsize>()).fetch_add((*received).len, Ordering::Relaxed);
    }
}

fn context(counter: &'static AtomicUsize) -> *mut c_void {
    std::ptr::from_ref(counter).cast_mut().cast()
}

impl Component for User {
    type Params = ();

    fn register(registrar: &Registrar<'_>) -> Result<(), Failure> {
        let first = registrar.integer("number", 3, "A number for tests").level(9).register()?;
        let again = registrar.integer("number", 3, "A number for tests").level(9).register()?;
        assert!(std::ptr::eq(first.cell(), again.cell()));
        let wrong = registrar.choice("choice", &["a"], "b", "A default that is none").register();
        assert_eq!(wrong.unwrap_err().status, ERR_ARGUMENT);
        Ok(())
    }

    fn open(host: HostHandle, (): ()) -> Result<Self, Failure> {
        host.card_put(b"my card")?;
        assert_eq!(host.card_put(b"again").unwrap_err().status, ERR_EXISTS);
        // SAFETY: the counter lives as long as the process.
        unsafe {
            host.receive_register(200, receive, context(&CALLS))?;
            let taken = host.receive_register(200, receive, context(&CALLS)).unwrap_err();
            assert_eq!(taken.status, ERR_EXISTS);
            assert_eq!(taken.text, "osc_user handles the tag 200 already");
        }
        assert_eq!((host.scope_slot()?, host.scope_slot()?), (0, 1));
        Ok(Self { host })
    }

    fn query(&self, _: &Scope) -> Answer {
        Answer::Priority(100)
    }
}

impl Osc for User {
    type Window = ();

    fn window_open(&self, _: &mut Window) -> Result<Option<()>, Failure> {
        Err(self.host.unsupported("windows"))
    }

    unsafe fn transfer(
        &self,
        _: &Window,
        _: &(),
        _: &OscTransfer,
        _: bool,
    ) -> Result<Option<*mut Request>, Failure> {
        Err(self.host.unsupported("windows"))
    }

    unsafe fn synchronize(&self, _: &Window, _: &(), _: &OscSync) -> Result<Outcome, Failure> {
        Err(self.host.unsupported("windows"))
    }
}

component! { framework: osc, component: User, name: "user", description: "uses the host" }

/// A policy that polls everything and notes what it was asked.
struct Policy;

static MOST_ATTEMPTS: AtomicU32 = AtomicU32::new(0);
static LAST_ASK: Mutex<(u32, Option<CriSet>)> = Mutex::new((0, None));
static LEFT: AtomicUsize = AtomicUsize::new(0);

impl Component for Policy {
    type Params = ();

    fn register(_: &Registrar<'_>) -> Result<(), Failure> {
        Ok(())
    }
    fn open(_: HostHandle, (): ()) -> Result<Self, Failure> {
        Ok(Self)
    }
    fn query(&self, _: &Scope) -> Answer {
        Answer::Priority(1)
    }
}

impl Progress for Policy {
    fn run(&self, engine: &ProgressEngine, ask: &ProgressAsk) -> u32 {
        if ask.attempts != PROGRESS_SINGLE {
            MOST_ATTEMPTS.fetch_max(ask.attempts, Ordering::Relaxed);
        }
        *LAST_ASK.lock().unwrap() = (ask.attempts, ask.cris().copied());
        let polled: u32 = (0..engine.pool_count)
            .flat_map(|pool| (0..engine.pools()[pool as usize].count).map(move |cri| (pool, cri)))
            .filter_map(|(pool, cri)| engine.poll(pool, cri))
            .sum();
        polled + engine.callbacks(PROGRESS_EVERY_PASS)
    }
    fn leave(&self, _: &Thread, _: *const WaitSync) {
        LEFT.fetch_add(1, Ordering::Relaxed);
    }
}

component! { framework: progress, component: Policy, name: "policy", description: "notes" }

/// A way of waiting that counts, and stumbles at its end if it is told to.
struct Waiter {
    host: HostHandle,
    clumsy: bool,
}

static WAITS: AtomicUsize = AtomicUsize::new(0);

impl Component for Waiter {
    type Params = BoolParam;

    fn register(registrar: &Registrar<'_>) -> Result<BoolParam, Failure> {
        registrar.bool("clumsy", false, "Whether it panics at its end").register()
    }
    fn open(host: HostHandle, clumsy: BoolParam) -> Result<Self, Failure> {
        Ok(Self { host, clumsy: clumsy.get() })
    }
    fn query(&self, _: &Scope) -> Answer {
        Answer::Priority(1)
    }
}

/// How long it sleeps after each pass.
static NAPS: AtomicUsize = AtomicUsize::new(0);

impl Wait for Waiter {
    fn wait(&self, sync: &WaitSync, means: &WaitMeans) -> Result<(), Failure> {
        WAITS.fetch_add(1, Ordering::Relaxed);
        while !sync.is_complete() {
            means.poll(sync);
            match NAPS.load(Ordering::Relaxed) {
                0 => std::thread::yield_now(),
                microseconds => _ = means.sleep(sync, microseconds as u32),
            }
        }
        Ok(())
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        // It must not be asked itself any more.
        self.host.wait(&WaitSync::default()).unwrap();
        assert!(!self.clumsy, "slipped");
    }
}

component! { framework: wait, component: Waiter, name: "waiter", description: "counts" }

/// The handle of the opened `User` of a system.
fn user(system: &'static System) -> HostHandle {
    let chosen = system.select_one::<OscOps>(&process()).unwrap();
    assert_eq!(chosen.priority, 100);
    // SAFETY: a host made the instance.
    unsafe { HostHandle::new(chosen.instance) }
}

/// Everything below shares `CALLS`, so it is one test.
#[test]
fn a_component_uses_the_host_table() {
    let mca = [("mca_log", "warn,osc_user=debug"), ("mca_lock_bias", "false")];
    let (system, lines) = system(&mca);
    let job = Job {
        struct_size: size_of::<Job>() as u32,
        rank: 2,
        size: 4,
        local_rank: 0,
        local_size: 1,
        thread_level: THREAD_MULTIPLE,
        cores: 1,
        node_cores: 0,
        id: c"job".as_ptr(),
        secret: [1; 16],
        wait_polls: u32::MAX,
        lock_bias: 1,
    };
    // SAFETY: no component is open.
    unsafe { system.set_job(job) };
    let host = user(system);
    assert_eq!((host.name(), host.job().rank, host.job().size), ("osc_user", 2, 4));

    parameters(host);
    log(host, &lines);
    only_in_open(host);
    progress(system, host);
    threads(host);
    cards(system, host);
    counters(system, host);
    services(system, host);
    wishes(host);
    naps(host);
    waiting(host);
    pools(system, host, &lines);

    let entry = &host.receive_table()[200];
    assert_eq!(entry.context, context(&CALLS));
    assert!(WAITS.load(Ordering::Relaxed) >= 1, "the wait component was asked");
    assert_eq!(LEFT.load(Ordering::Relaxed), WAITS.load(Ordering::Relaxed));
    assert!(MOST_ATTEMPTS.load(Ordering::Relaxed) >= 1, "passes of a wait are counted");

    // What it did not take back itself is gone when it is closed.
    // SAFETY: the counter lives as long as the process.
    unsafe { host.progress_add(count, context(&CALLS), PROGRESS_EVERY_PASS) }.unwrap();
    system.close();
    let before = CALLS.load(Ordering::Relaxed);
    system.progress();
    assert_eq!(CALLS.load(Ordering::Relaxed), before);
    assert_ne!(host.receive_table()[200].context, context(&CALLS));
    assert!(system.own_cards().is_empty());
}

fn parameters(host: HostHandle) {
    let find = |name: &CStr, kind| {
        let mut cell: *const ParamCell = std::ptr::null();
        // SAFETY: the name and the place are valid during the call.
        let status =
            unsafe { (host.table().param_find)(host.instance(), name.as_ptr(), kind, &mut cell) };
        (status, cell)
    };
    let (status, cell) = find(c"mca_strict", PARAM_BOOL);
    assert_eq!(status, OK);
    // SAFETY: found just now.
    assert_eq!(unsafe { (*cell).value.load(Ordering::Relaxed) }, 1);
    assert_eq!(find(c"mca_strict", PARAM_LIST).0, ERR_ARGUMENT);
    assert_eq!(find(c"mca_strikt", PARAM_BOOL).0, ERR_NOT_FOUND);
}

fn only_in_open(host: HostHandle) {
    assert_eq!(host.scope_slot().unwrap_err().text, "scope_slot_reserve is for open only");
    // SAFETY: the counter lives as long as the process.
    let late = unsafe { host.receive_register(201, receive, context(&CALLS)) };
    assert_eq!(late.unwrap_err().text, "receive_register is for open only");
    let mut cell: *const ParamCell = std::ptr::null();
    // SAFETY: it is refused before it looks at the description; the place is valid.
    let late =
        unsafe { (host.table().param_register)(host.instance(), std::ptr::null(), &raw mut cell) };
    assert_eq!((late, cell), (ERR_ARGUMENT, std::ptr::null()));
}

fn log(host: HostHandle, lines: &Lines) {
    host.log(LOG_DEBUG, || "seen".into());
    host.log(cairn_framework::abi::host::LOG_TRACE, || unreachable!("nobody wants it"));
    host.show_once(c"key", "once");
    host.show_once(c"key", "twice");
    assert_eq!(
        lines.lock().unwrap().drain(..).collect::<Vec<_>>(),
        ["[cairn rank 2 osc_user] debug: seen", "cairn rank 2: once"]
    );
}

fn progress(system: &System, host: HostHandle) {
    static SEEN: AtomicUsize = AtomicUsize::new(0);
    // SAFETY: the counter lives as long as the process.
    unsafe {
        assert_eq!(host.progress_add(count, context(&SEEN), 9).unwrap_err().status, ERR_ARGUMENT);
        host.progress_add(count, context(&SEEN), PROGRESS_EVERY_PASS).unwrap();
    }
    assert_eq!((host.progress(), system.progress()), (1, 1));
    host.progress_remove(count, context(&SEEN));
    assert_eq!((host.progress(), SEEN.load(Ordering::Relaxed)), (0, 2));
}

fn threads(host: HostHandle) {
    static ENDED: AtomicUsize = AtomicUsize::new(0);
    // SAFETY: the counter lives as long as the process.
    unsafe { host.thread_exit_add(exit, context(&ENDED)) }.unwrap();
    let mine = host.thread().index;
    let other = std::thread::spawn(move || host.thread().index).join().unwrap();
    assert_ne!(mine, other);
    host.thread_exit_remove(exit, context(&ENDED));
    // Other tests of this program have threads that end, too.
    assert!(ENDED.load(Ordering::Relaxed) >= 1);
}

struct Peers;

impl CardExchange for Peers {
    fn fetch(&self, rank: u32, name: &str) -> Result<Option<Vec<u8>>, String> {
        Ok((rank == 3).then(|| format!("{name} of {rank}").into_bytes()))
    }
}

fn cards(system: &System, host: HostHandle) {
    assert_eq!(host.card_put(b"late").unwrap_err().text, "card_put is for open only");
    assert_eq!(host.card_get(2).unwrap(), b"my card");
    assert_eq!(host.card_get(3).unwrap_err().text, "this job has one process");
    assert!(system.set_card_exchange(Box::new(Peers)));
    assert_eq!(host.card_get(3).unwrap(), b"osc_user of 3");
    assert_eq!(host.card_get(1).unwrap_err().status, ERR_NOT_FOUND);
    assert_eq!(host.card_get(4).unwrap_err().text, "rank 4 of a job of 4");
    assert_eq!(system.own_cards(), [("osc_user".to_owned(), &b"my card"[..])]);
}

fn counters(system: &System, host: HostHandle) {
    static CELLS: [CounterCell; 2] = [const { CounterCell { value: AtomicU64::new(20) } }; 2];
    let spec = CounterSpec {
        struct_size: size_of::<CounterSpec>() as u32,
        kind: COUNTER_SUM,
        level: 4,
        reserved: 0,
        name: c"messages".as_ptr(),
        help: c"Messages.".as_ptr(),
        unit: c"messages".as_ptr(),
        by_comm: 0,
        reserved_too: 0,
        refresh: None,
        refresh_context: std::ptr::null_mut(),
    };
    for cell in &CELLS {
        // SAFETY: the cells live as long as the process.
        unsafe { host.counter_add(&spec, cell) }.unwrap();
    }
    let read = || {
        let mut all = system.counters().into_iter();
        all.find(|(info, _)| info.name == "osc_user_messages").expect("it was added")
    };
    assert_eq!((read().0.name.as_str(), read().1), ("osc_user_messages", 40));
    CELLS[0].value.store(1, Ordering::Relaxed);
    host.counter_remove(&raw const CELLS[0]);
    assert_eq!(read().1, 21);
}

fn services(system: &'static System, host: HostHandle) {
    system.start_engines().unwrap();
    let (ops, provider) = host.service(c"osc", None).unwrap();
    assert!(!ops.is_null() && provider == host.instance());
    assert_eq!(host.service(c"pml", None).unwrap_err().text, "no pml component serves");
    assert_eq!(host.unsupported("it").status, ERR_UNSUPPORTED);
}

/// What a policy learns of who wants progress.
fn wishes(host: HostHandle) {
    let set = CriSet { words: [5, 0, 0, 0, 0, 0, 0, 0] };
    host.progress();
    assert_eq!(*LAST_ASK.lock().unwrap(), (PROGRESS_SINGLE, None));
    host.progress_for(Some(&set), 7);
    assert_eq!(*LAST_ASK.lock().unwrap(), (7, Some(set)));
    // A set without anything says nothing.
    host.progress_for(Some(&CriSet::default()), 8);
    assert_eq!(*LAST_ASK.lock().unwrap(), (8, None));

    let sync = WaitSync::of(1);
    unsafe extern "C" fn complete(context: *mut c_void) -> u32 {
        // SAFETY: registered with a sync object that lives until the callback is taken out.
        unsafe { (*context.cast::<WaitSync>()).complete_one() };
        1
    }
    let context = (&raw const sync).cast_mut().cast();
    // SAFETY: removed below, before the object ends; one pass is all that is made meanwhile.
    unsafe { host.progress_add(complete, context, PROGRESS_EVERY_PASS) }.unwrap();
    host.wait_for(&sync, Some(&set)).unwrap();
    host.progress_remove(complete, context);
    assert_eq!(*LAST_ASK.lock().unwrap(), (0, Some(set)));
}

/// What is looked at in one pass of many is also looked at by a thread that sleeps.
fn naps(host: HostHandle) {
    /// Then it is over, whatever was looked at.
    const MANY: usize = 100;
    struct Looks {
        sync: WaitSync,
        seldom: AtomicUsize,
        passes: AtomicUsize,
    }
    unsafe extern "C" fn look(context: *mut c_void) -> u32 {
        // SAFETY: registered with an object that lives until the callback is taken out.
        let looks = unsafe { &*context.cast::<Looks>() };
        if looks.seldom.fetch_add(1, Ordering::Relaxed) == 2 {
            looks.sync.complete_one();
        }
        0
    }
    unsafe extern "C" fn pass(context: *mut c_void) -> u32 {
        // SAFETY: as above.
        let looks = unsafe { &*context.cast::<Looks>() };
        if looks.passes.fetch_add(1, Ordering::Relaxed) == MANY {
            looks.sync.complete_one();
        }
        0
    }
    let looks = Looks { sync: WaitSync::of(1), seldom: 0.into(), passes: 0.into() };
    let context = (&raw const looks).cast_mut().cast();
    NAPS.store(1000, Ordering::Relaxed);
    // SAFETY: removed below, before the object ends.
    unsafe {
        host.progress_add(look, context, PROGRESS_SELDOM).unwrap();
        host.progress_add(pass, context, PROGRESS_EVERY_PASS).unwrap();
    }
    host.wait_for(&looks.sync, None).unwrap();
    host.progress_remove(look, context);
    host.progress_remove(pass, context);
    NAPS.store(0, Ordering::Relaxed);
    let passes = looks.passes.load(Ordering::Relaxed);
    assert!(passes <= 4, "{passes} passes until it was looked at three times");
}

fn waiting(host: HostHandle) {
    let sync = WaitSync::default();
    sync.pending.store(2, Ordering::Relaxed);
    let request = || Request {
        magic: REQUEST_MAGIC,
        kind: REQUEST_OTHER,
        struct_size: size_of::<Request>() as u32,
        active: 0,
        completion: std::sync::atomic::AtomicUsize::new((&raw const sync).addr()),
        status: MessageStatus::default(),
        free: None,
        cancel: None,
        start: None,
        object: std::ptr::null_mut(),
    };
    let requests = [request(), request()];
    // An unfinished wait, so that passes miss.
    let polls = AtomicUsize::new(0);
    unsafe extern "C" fn idle(context: *mut c_void) -> u32 {
        // SAFETY: registered with a counter.
        unsafe { (*context.cast::<AtomicUsize>()).fetch_add(1, Ordering::Relaxed) };
        0
    }
    let polls_at = (&raw const polls).cast_mut().cast();
    // SAFETY: removed below, before the counter ends.
    unsafe { host.progress_add(idle, polls_at, PROGRESS_EVERY_PASS) }.unwrap();
    // Addresses only cross to the thread that completes.
    (&raw const sync).expose_provenance();
    struct Shared<'a>(&'a [Request; 2]);
    // SAFETY: requests are completed by atomic operations.
    unsafe impl Sync for Shared<'_> {}
    let shared = Shared(&requests);
    std::thread::scope(|scope| {
        let shared = &shared;
        let polls = &polls;
        scope.spawn(move || {
            while polls.load(Ordering::Relaxed) < 3 {
                std::thread::yield_now();
            }
            for request in shared.0 {
                // SAFETY: the completion word leads to the sync object, which outlives this.
                unsafe { request.complete() };
            }
        });
        host.wait(&sync).unwrap();
    });
    assert!(requests.iter().all(Request::is_complete));
    host.progress_remove(idle, polls_at);
}

/// Components that served the host do not any more once they are closed; what goes wrong at the end
/// of one is in the log.
#[test]
fn a_panic_at_the_end_is_logged() {
    let (system, lines) = system(&[("wait_waiter_clumsy", "1")]);
    system.start_engines().unwrap();
    system.close();
    assert_eq!(
        *lines.lock().unwrap(),
        ["[cairn wait_waiter] error: panicked while closing: slipped"]
    );
}

fn pools(system: &'static System, host: HostHandle, lines: &Lines) {
    unsafe extern "C" fn poll(_: *mut c_void, cri: *mut Instance) -> u32 {
        // SAFETY: the pool's instances.
        unsafe { (*cri).index + 1 }
    }
    let pool = |count: u32| {
        let cris: Vec<Instance> = (0..count).map(Instance::new).collect();
        Box::leak(Box::new(CriPool { progress: Some(poll), ..CriPool::of(c"tests", cris.leak()) }))
    };
    let (first, second, refused) = (pool(2), pool(3), pool(13));
    // SAFETY: the pools are complete and live as long as the process.
    unsafe {
        host.pool_add(first).unwrap();
        host.pool_add(second).unwrap();
        let reason = host.pool_add(refused).unwrap_err().text;
        assert_eq!(reason, "cri_high refused the pool: thirteen is no good");
    }
    type Spoil = fn(&mut CriPool);
    let wrong: [(Spoil, &str); 7] = [
        (|pool| pool.count = 0, "the pool tests has no instances"),
        (|pool| pool.struct_size = 0, "struct_size is 0: set it to sizeof(cairn_cri_pool_t)"),
        (|pool| pool.instances = std::ptr::null_mut(), "the pool tests: instances is null"),
        (|pool| pool.progress = None, "the pool tests has no progress function"),
        (
            |pool| pool.instances = pool.instances.wrapping_byte_add(64),
            "the pool tests: its instances are not aligned to 128 bytes",
        ),
        (|pool| pool.stride = 192, "its stride is 192; allowed are multiples of 128"),
        (
            |pool| pool.instances = pool.instances.wrapping_add(1),
            "the pool tests: the instance at place 0 has the index 1",
        ),
    ];
    for (spoil, text) in wrong {
        let broken = pool(2);
        broken.count = 1;
        spoil(broken);
        // SAFETY: as far as it is looked at, it is complete.
        let reason = unsafe { host.pool_add(broken) }.unwrap_err().text;
        assert!(reason.contains(text), "{reason}");
    }
    assert_eq!((first.id, second.id), (0, 1));
    // The parameter of this test's system forbids what there would be otherwise.
    let cri = first.cri(0);
    (0..1000).for_each(|_| drop(cri.guard()));
    assert!(!cri.bias.is_there());
    assert_eq!(host.progress(), 1 + 2 + 1 + 2 + 3);

    let mut comm = Scope::new(SCOPE_COMMUNICATOR, 1, 4, c"mine");
    let mut wrong = Scope::new(SCOPE_COMMUNICATOR, 13, 4, c"wrong");
    // SAFETY: the scopes stay where they are, and only this thread uses them.
    let problem = unsafe {
        system.scope_opened(&raw mut comm).unwrap();
        system.scope_closed(&raw mut comm);
        system.scope_opened(&raw mut wrong).unwrap_err()
    };
    assert!(problem.what.ends_with("can't take communicator wrong: not this one"), "{problem}");
    let opened = |name: &str| format!("[cairn rank 2 cri_high] warn: {name} opened");
    let closed = |name: &str| format!("[cairn rank 2 cri_high] warn: {name} closed");
    assert_eq!(
        lines.lock().unwrap().drain(..).collect::<Vec<_>>(),
        [
            opened("mine"),
            opened("mine"),
            closed("mine"),
            closed("mine"),
            opened("wrong"),
            closed("wrong"),
        ]
    );

    host.pool_remove(second);
    assert_eq!(host.progress(), 1 + 2);
    host.pool_remove(first);
    assert_eq!(host.progress(), 0);

    // A pool that comes later learns of the scopes that live; one that goes, that they close.
    let mut early = Scope::new(SCOPE_COMMUNICATOR, 2, 4, c"early");
    // SAFETY: the scopes and the pool stay where they are, and only this thread uses them.
    unsafe {
        system.scope_opened(&raw mut early).unwrap();
        host.pool_add(first).unwrap();
        host.pool_remove(first);
        system.scope_closed(&raw mut early);
    }
    assert_eq!(
        lines.lock().unwrap().drain(..).collect::<Vec<_>>(),
        [opened("early"), closed("early")]
    );
}
