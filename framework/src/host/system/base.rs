//! The parameters of the base: what must be known before components are found.

use std::sync::Arc;

use env_filter::Filter;

use crate::abi::counter::COUNTER_SUM;
use crate::abi::lock;
use crate::frameworks::{CONTRACTS, Cardinality, Contract};
use crate::host::loader::SearchDir;
use crate::host::params::{Kind, Param, Registry, Spec, Value};
use crate::host::paths::Paths;
use crate::host::problem::Problem;
use crate::host::services::counters::{CounterInfo, Counters};
use crate::host::services::log::parse_filter;
use crate::host::services::threads;

/// Whether counters count.
pub(super) const PARAM_COUNTERS: &str = "counters";
/// What of them is printed at the end.
pub(super) const PARAM_COUNTERS_REPORT: &str = "counters_report";

/// Whether locks have a bias.
pub(super) const PARAM_LOCK_BIAS: &str = "mca_lock_bias";

/// When a thread leaves the waiting to the `wait` component.
pub(super) const PARAM_WAIT_POLLS: &str = "wait_polls";

/// In `mca_component_path`: the directories of the installation and of the user.
const DEFAULT_PATH: &str = "default";

/// What the start needs of the base's parameters.
pub(super) struct Base {
    component_path: Arc<Param>,
    /// What to log.
    pub log_filter: Filter,
}

/// The frameworks whose components are chosen by all processes together: messages, collective operations and
/// windows need the same component on both sides. Other strategies are a matter of each process.
const CHOSEN_ALIKE: [&str; 3] = ["pml", "coll", "osc"];

/// Registers the parameters of the base and one for each framework, its selection list.
pub(super) fn register(params: &Registry, problems: &mut Vec<Problem>) -> Base {
    let mut base = |spec: Spec| {
        let name = spec.name.clone();
        params.register(spec).unwrap_or_else(|problem| {
            problems.push(problem);
            params.find(&name).expect("base parameters have distinct names")
        })
    };
    base(Spec::base(
        "mca_strict",
        Kind::Bool,
        "true",
        "Whether a misspelt parameter, a value that is not allowed or a component that is not \
         there is an error. If not, it is a warning.",
    ));
    let mut path = Spec::base(
        "mca_component_path",
        Kind::List,
        DEFAULT_PATH,
        "Directories with component libraries, the first wins. The word default stands for \
         lib/cairn of the installation and ~/.cairn/components.",
    );
    path.fixed = true;
    let component_path = base(path);
    let mut log = Spec::base(
        "mca_log",
        Kind::List,
        "warn",
        "What to log: a level (off, error, warn, info, debug, trace) for everything, and \
         NAME=LEVEL for components whose name begins with NAME, such as warn,btl_sm=debug.",
    );
    log.fixed = true;
    let log = base(log);
    base(Spec::base(
        "mca_report",
        Kind::Choice(["off", "text", "json"].map(Into::into).into()),
        "off",
        "Print at start which component serves what, and why the others do not. A number works \
         too: 1 is text.",
    ));
    let mut bias = Spec::base(
        PARAM_LOCK_BIAS,
        Kind::Bool,
        "true",
        "Whether the lock of an instance or of a matching engine stays with a thread that takes it many \
         times in a row, until another thread wants it. Without it locks cost what they cost elsewhere.",
    );
    bias.level = 7;
    bias.fixed = true;
    base(bias);
    let mut polls = Spec::base(
        PARAM_WAIT_POLLS,
        Kind::Integer { min: 0, max: i64::from(i32::MAX) },
        "300",
        "Passes in a row without an event that a thread makes for what may come at once, before it leaves \
         the waiting to the component of wait; at most sixteen times as many with those that have one. With MPI_THREAD_MULTIPLE a sixteenth of them, because \
         another thread may need the processor; none where there are more processes than processors.",
    );
    polls.level = 6;
    polls.fixed = true;
    base(polls);
    let mut counters = Spec::base(
        PARAM_COUNTERS,
        Kind::Bool,
        "true",
        "Count messages, bytes, searches, waits and so on. Without counters a message is a \
         nanosecond or so faster, MPI_T has no performance variables, and there is nothing to report.",
    );
    counters.level = 4;
    counters.fixed = true;
    base(counters);
    let mut report = Spec::base(
        PARAM_COUNTERS_REPORT,
        Kind::Choice(["off", "sum", "ranks"].map(Into::into).into()),
        "off",
        "Print the counters to standard error in MPI_Finalize: sum is one table, by the first \
         process, with the sum, the least and the most of all processes; ranks is one table for each \
         process. A number works too: 1 is sum.",
    );
    report.same = true;
    base(report);
    for contract in CONTRACTS {
        let mut selection = Spec::base(contract.name, Kind::List, "", &selection_help(contract));
        selection.same = CHOSEN_ALIKE.contains(&contract.name);
        base(selection);
    }
    let log_filter = parse_filter(&log.value().to_string()).unwrap_or_else(|reason| {
        problems.push(
            Problem::new(format!("mca_log: {reason}"))
                .at(log.current().1.origin)
                .allowed("LEVEL or NAME=LEVEL, separated by commas")
                .fix("write for instance warn,btl_sm=debug"),
        );
        parse_filter("warn").expect("a fixed text")
    });
    Base { component_path, log_filter }
}

/// Makes the host's own counters, or says that none are wanted.
pub(super) fn register_counters(counters: &Counters, wanted: bool) {
    if !wanted {
        return counters.turn_off();
    }
    /// Name, unit, what is counted, and how to read it.
    type Own = (&'static str, &'static str, &'static str, fn() -> u64);
    let all: [Own; 8] = [
        ("progress_passes", "passes", "Passes of the progress engine.", || {
            threads::counted(|counts| &counts.passes)
        }),
        (
            "progress_empty",
            "passes",
            "Passes of the progress engine in which nothing happened.",
            || threads::counted(|counts| &counts.empty),
        ),
        (
            "progress_try_misses",
            "tries",
            "Instances that a pass left out because another thread had their lock.",
            || threads::counted(|counts| &counts.misses),
        ),
        ("waits", "waits", "Waits for an operation that was not complete yet.", || {
            threads::counted(|counts| &counts.waits)
        }),
        ("wait_sleeps", "sleeps", "How often a thread that waited went to sleep.", || {
            threads::counted(|counts| &counts.sleeps)
        }),
        (
            "wait_wake_ups",
            "wake-ups",
            "How often something woke a thread that slept, and not its alarm.",
            || threads::counted(|counts| &counts.wake_ups),
        ),
        (
            "lock_waits",
            "acquisitions",
            "Acquisitions of a lock that found it taken. Locks in component libraries don't count.",
            || lock::WAITS.get(),
        ),
        ("lock_sleeps", "sleeps", "How often a thread slept until a lock was free.", || {
            lock::SLEEPS.get()
        }),
    ];
    for (name, unit, help, function) in all {
        let info = CounterInfo {
            name: format!("mca_{name}"),
            owner: "mca".into(),
            help: help.into(),
            unit: Some(unit.into()),
            kind: COUNTER_SUM,
            level: 5,
            by_comm: false,
        };
        counters.add_function(info, function);
    }
}

fn selection_help(contract: &Contract) -> String {
    let which = match contract.cardinality {
        Cardinality::One => "The one of them with the highest priority serves.",
        Cardinality::Many => "All of them serve that can.",
    };
    format!(
        "Components of the framework {} ({}): a,b for these only, ^a,b for all but these, empty \
         for any. {which}",
        contract.name, contract.summary
    )
}

impl Base {
    /// Where to look for component libraries.
    pub fn search_dirs(&self, paths: &Paths) -> Vec<SearchDir> {
        let Value::List(words) = self.component_path.value() else { return Vec::new() };
        let usual = || paths.component_dirs().into_iter();
        words
            .into_iter()
            .flat_map(|word| match word.as_str() {
                DEFAULT_PATH => usual().map(|path| SearchDir { path, named: false }).collect(),
                _ => vec![SearchDir { path: word.into(), named: true }],
            })
            .collect()
    }
}
