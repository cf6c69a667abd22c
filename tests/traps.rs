//! Several Rust libraries in one process, each with its own copy of every static: what goes wrong
//! by nature, and is handled. Each test fails when the handling is taken away.

use std::os::unix::process::ExitStatusExt;
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::sync::{Arc, Barrier, Mutex};
use std::time::Duration;

use cairn_framework::abi::scope::{SCOPE_PROCESS, Scope};
use cairn_framework::audit::{self, Counts};
use cairn_framework::frameworks::cri::CriOps;
use cairn_framework::host::params::{CommandLine, Sources};
use cairn_framework::host::paths::Paths;
use cairn_framework::host::{Options, Search, Slot, System};
use cairn_tests::pool::TestPool;
use cairn_tests::{Run, rust_plugin};

/// A test that waits for a thread that never comes ends here instead of hanging.
const DEADLINE: Duration = Duration::from_secs(60);

fn process() -> Scope {
    Scope::new(SCOPE_PROCESS, 0, 1, c"process")
}

/// A system with these plugins only; what is logged goes into the list.
fn system_with(
    plugins: &[&str],
    mca: &[(&str, &str)],
) -> (&'static System, Arc<Mutex<Vec<String>>>) {
    let log = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&log);
    let mca = mca.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    let system = System::new(Options {
        paths: Paths::default(),
        sources: Sources {
            command_line: CommandLine { mca, ..CommandLine::default() },
            ..Sources::default()
        },
        sink: Box::new(move |line| sink.lock().unwrap().push(line.to_owned())),
        search: Search::Only(plugins.iter().map(|name| rust_plugin(name)).collect()),
    });
    (system, log)
}

fn open(system: &'static System, name: &str) -> &'static Slot {
    let slot = system.components().into_iter().find(|slot| slot.name() == name).unwrap();
    slot.probe(&process()).unwrap();
    slot
}

/// A lock that keeps its waiters in a table of its library would put this thread to sleep in the
/// plugin's table and look for it in the host's.
#[test]
fn a_lock_works_across_libraries() {
    let (system, _) = system_with(&["trap_one"], &[]);
    let slot = open(system, "cri_trap_one");
    let mut pool = TestPool::of_slot(slot, 1);
    let lock = &pool.pool.cri(0).lock;
    let (done, wait) = mpsc::channel();
    std::thread::scope(|threads| {
        let held = lock.guard();
        threads.spawn(|| {
            pool.assign(&process(), 1);
            done.send(()).unwrap();
        });
        // 2: a waiter has given up spinning and goes to sleep.
        while lock.word.load(Ordering::Relaxed) != 2 {
            std::thread::yield_now();
        }
        drop(held);
        if wait.recv_timeout(DEADLINE).is_err() {
            eprintln!("the plugin's thread was never woken");
            std::process::abort();
        }
    });
    assert_eq!(lock.word.load(Ordering::Relaxed), 0);
    pool.detach();
}

/// Threads have one number in the process. Numbers kept in thread-locals of each library would
/// begin at 0 in each, with whichever thread comes first.
#[test]
fn a_thread_has_the_same_number_in_every_library() {
    let (system, _) = system_with(&["trap_one", "trap_two"], &[]);
    let mut one = TestPool::of_slot(open(system, "cri_trap_one"), 65_536);
    let mut two = TestPool::of_slot(open(system, "cri_trap_two"), 65_536);
    // Each thread comes first in one of the libraries.
    let barrier = Barrier::new(2);
    let numbers: Vec<(u32, u32)> = std::thread::scope(|threads| {
        let (one, two, barrier) = (&one, &two, &barrier);
        let ask = |first: &'_ TestPool, second: &'_ TestPool| {
            let first = first.assign(&process(), 2);
            barrier.wait();
            let second = second.assign(&process(), 2);
            // Alive until both have asked, so that no number is used twice.
            barrier.wait();
            (first, second)
        };
        let threads = [threads.spawn(move || ask(one, two)), threads.spawn(move || ask(two, one))];
        threads.map(|thread| thread.join().unwrap()).into()
    });
    assert!(numbers.iter().all(|(first, second)| first == second), "{numbers:?}");
    assert_ne!(numbers[0].0, numbers[1].0);
    let mine = (one.assign(&process(), 2), two.assign(&process(), 2));
    assert_eq!(mine.0, mine.1);
    one.detach();
    two.detach();
}

/// What a thread locks is on one account in the process, and the order is that of all libraries. An
/// account in a thread-local of each library would miss what a plugin does.
#[test]
fn locks_of_all_libraries_are_on_one_account() {
    let (system, _) = system_with(&["trap_one"], &[]);
    let mut pool = TestPool::of_slot(open(system, "cri_trap_one"), 1);
    let before = audit::counts();
    pool.assign(&process(), 1);
    let expected = Counts { locks: u32::from(audit::ON), ..Counts::default() };
    assert_eq!(audit::counts() - before, expected);
    pool.detach();
}

/// Each library has a logger of its own that was not set up; lines go through the host.
#[test]
fn a_plugins_log_lines_reach_the_hosts_log() {
    let (system, log) = system_with(&["trap_one"], &[]);
    open(system, "cri_trap_one");
    assert_eq!(*log.lock().unwrap(), ["[cairn cri_trap_one] warn: it is open"]);
}

/// A panic in a set-up function is a failure with a reason, and everything goes on.
#[test]
fn a_panic_at_set_up_is_reported() {
    let (system, _) = system_with(&["trap_one", "trap_two"], &[("cri_trap_one_open", "panics")]);
    let chosen = system.select_one::<CriOps>(&process()).unwrap();
    assert_eq!(chosen.name, "cri_trap_two");
    let decision = &system.decisions()[0];
    let trap = decision.candidates.iter().find(|candidate| candidate.name == "trap_one").unwrap();
    assert_eq!(trap.verdict.to_string(), "failed: open: panicked: the towel is missing");
}

fn probe(action: &str) -> cairn_tests::Ended {
    let plugin = rust_plugin("trap_one");
    Run::new(env!("CARGO_BIN_EXE_probe")).args([plugin.as_os_str()]).args([action]).end()
}

/// A panic that can't be reported ends the process and says where; it does not unwind into the
/// host.
#[test]
fn a_panic_on_the_hot_path_ends_the_process_with_a_message() {
    let ended = probe("panic");
    assert_eq!(ended.status.signal(), Some(6), "{ended}");
    ended.complains(&["no way to report this", "trap_one::Trap::assign panicked"]);
    assert!(!ended.stdout.contains("it came back"), "{ended}");
}

/// Code of a plugin runs after it was closed: a thread-local's destructor, at the end of a thread.
#[test]
fn a_thread_outlives_the_component_whose_thread_local_it_has() {
    let ended = probe("outlive");
    assert!(ended.status.success(), "{ended}");
    ended.complains(&["last words of a thread"]).says(&["the thread has ended"]);
}

/// A thread that a component never stops keeps running code that must stay mapped.
#[test]
fn a_library_stays_mapped_after_it_was_closed() {
    let plugin = rust_plugin("trap_one");
    let run = || Run::new(env!("CARGO_BIN_EXE_probe")).args([plugin.as_os_str()]).args(["map"]);
    run().ok().says(&["mapped: true"]);
    run().env("CAIRN_MCA_cri_trap_one_open", "lingers").ok().says(&["mapped: true"]);
}
