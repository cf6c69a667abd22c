//! Transports that load a library of others: a program of each kind over each of their ways, and what is said
//! when there is none. All programs over all ways: `cargo xtask test --deep`.

use std::path::PathBuf;
use std::time::Duration;

use cairn_tests::programs::{self, Counts};
use cairn_tests::{Run, SURVIVOR, foreign};

fn compiled(name: &str) -> PathBuf {
    programs::compiled(env!("CARGO_TARGET_TMPDIR"), name, Counts::Small)
}

fn mpirun(processes: &str, way: &[[&str; 2]]) -> Run {
    Run::mpirun().args(["--oversubscribe", "-n", processes]).args(foreign::options(way))
}

/// Programs that say nothing when all is right, with this level of thread support.
fn silent(level: &str, programs: &[(&str, &str)]) {
    for way in foreign::ways() {
        for (name, processes) in programs {
            let run = mpirun(processes, way).args([compiled(name)]);
            run.env("TEST_THREAD_LEVEL", level).says_nothing();
        }
    }
}

#[test]
fn messages() {
    silent("single", &[("p2p", "4"), ("derived", "3"), ("matching", "2"), ("large", "2")]);
}

#[test]
fn collectives() {
    silent("single", &[("colls", "5"), ("icoll", "3")]);
}

#[test]
fn windows() {
    let programs = ["win_operations", "win_sync", "win_requests", "win_dynamic", "win_shared"];
    silent("single", &programs.map(|name| (name, "3")));
}

#[test]
fn threads() {
    silent("multiple", &[("threads_messages", "2"), ("threads_colls", "2"), ("win_threads", "2")]);
}

/// Threads that have a CRI each.
#[test]
fn instances() {
    for foreign in foreign::here() {
        let number = format!("btl_{}_num_cris", foreign.name);
        let run = Run::mpirun().args(["-n", "2", "--oversubscribe", "--mca", &number, "3"]);
        let run = run.args([
            "--mca",
            "btl",
            &format!("self,{}", foreign.name),
            "--mca",
            "cri",
            "dedicated",
        ]);
        run.args([compiled("threads_messages")])
            .env("TEST_THREAD_LEVEL", "multiple")
            .says_nothing();
    }
}

/// UCX's transports through memory can be told to have longer segments than the messages that they can count.
#[test]
fn segments_that_are_too_long() {
    if foreign::here().any(|one| one.name == "uct") {
        let run = mpirun("2", &[["btl", "self,uct"], ["btl_uct_transports", "posix"]]);
        run.env("UCX_POSIX_SEG_SIZE", "100000").args([compiled("large")]).says_nothing();
    }
}

/// What the kernel does not tell of is not kept.
#[test]
fn kept_registrations() {
    if !cairn_skips::has_userfaultfd() {
        return;
    }
    // UCX has no transport here that wants memory to be registered.
    for (btl, name) in [("self,ofi", "btl_ofi"), ("self,ugni", "btl_ugni")] {
        for way in foreign::ways().filter(|way| way[0][1] == btl) {
            let kept = format!("{name}_kept_registrations");
            let run = mpirun("2", way).args(["--mca", &kept, "8"]);
            run.args([compiled("registrations").as_os_str(), name.as_ref()]).says_nothing();
        }
    }
}

/// A Cray's launcher has not started this, or there is no library: what was named can't be used, and it is said why.
#[test]
fn ugni_is_declined_where_it_is_not() {
    let ugni = || mpirun("2", &[["btl", "self,ugni"]]).args([compiled("p2p")]);
    for variable in ["PMI_GNI_PTAG", "PMI_GNI_COOKIE"] {
        ugni().without(variable).exits(16).complains(&[&format!("{variable} is not set")]);
    }
    ugni().without("LD_LIBRARY_PATH").exits(16).complains(&["libugni.so.0 not found"]);
    let limit = ugni().env("UGNI_EMULATOR_CQ_LIMIT", "5");
    limit.exits(16).complains(&["too few queues or windows for 2 processes"]);
}

/// What the network does not take or loses, and can take again, nobody notices; a network with few atomics has others.
#[test]
fn faults_of_ugni_are_mended() {
    let faults: [&[(&str, &str)]; 6] = [
        &[("NOT_DONE", "3")],
        &[("NO_RESOURCE", "3")],
        &[("OVERRUN", "5")],
        &[("RECOVERABLE", "3")],
        &[("DELAY", "30"), ("REORDER", "1")],
        &[("DEVICE", "gemini")],
    ];
    for fault in faults {
        for program in ["p2p", "colls", "win_operations", "large"] {
            let run = mpirun("3", &[["btl", "self,ugni"]]).args([compiled(program)]);
            let with = |run: Run, (name, value): &(&str, &str)| {
                run.env(&format!("UGNI_EMULATOR_{name}"), value)
            };
            fault.iter().fold(run, with).says_nothing();
        }
    }
}

/// What waits for a process that has died ends with an error. Where a process sends from queues of its own these go
/// with it, so that what was sent may not arrive.
#[test]
fn deaths() {
    for way in foreign::prompt_ways() {
        for level in ["single", "multiple"] {
            let run = mpirun("3", way).env("TEST_THREAD_LEVEL", level);
            let run = run.args(["sh", "-c", SURVIVOR, "sh"]).args([compiled("failure")]);
            run.exits(42).complains(&["rank 0 aborted the job with code 42"]);
        }
    }
}

/// Whatever the others do with it. A process that dies while it writes to a queue in shared memory may leave that
/// blocked for all, which these libraries can't tell; so there it dies at once.
#[test]
fn deaths_at_any_time() {
    let is_shared = |way: &[[&str; 2]]| {
        way.iter().any(|[_, value]| ["posix,cma", "sysv", "shm"].contains(value))
    };
    for way in foreign::prompt_ways() {
        let times = if is_shared(way) { &["0"][..] } else { &["0", "20"] };
        for level in ["single", "multiple"] {
            for what in ["send", "receive", "large", "window"] {
                for milliseconds in times {
                    let run = mpirun("3", way).env("TEST_THREAD_LEVEL", level);
                    let run = run.args(["sh", "-c", SURVIVOR, "sh"]).args([compiled("phases")]);
                    let run = run.args([what, milliseconds]);
                    run.exits(42).complains(&["rank 0 aborted the job with code 42"]);
                }
            }
        }
    }
}

/// Who only receives owes others a goodbye, too: each transport tells the end of a process, at least to its log.
#[test]
fn who_leaves_is_not_dead() {
    let leaves = |level: &str, run: Run| {
        let run = run.args([compiled("leaves")]).env("CAIRN_MCA_mca_log", "info");
        let ended = run.env("TEST_THREAD_LEVEL", level).ok();
        assert!(!ended.stderr.contains("is gone"), "{ended}");
    };
    for way in foreign::ways() {
        for level in ["single", "multiple"] {
            leaves(level, mpirun("4", way));
        }
    }
    if foreign::here().any(|foreign| foreign.name == "ugni") {
        let far = [
            ["mpi_node_identity", "launcher"],
            ["btl", "self,ugni"],
            ["btl_ugni_inquiry_interval", "50"],
        ];
        let on_nodes = [compiled("on_nodes"), "(vector,(0,4,1))".into()];
        leaves("single", mpirun("4", &far).args(on_nodes));
    }
}

/// A process that has died may still be heard.
#[test]
fn answers_of_the_dead() {
    for way in foreign::prompt_ways() {
        for level in ["single", "multiple"] {
            let run = mpirun("3", way).env("TEST_THREAD_LEVEL", level);
            let run = run.args(["sh", "-c", SURVIVOR, "sh"]).args([compiled("late_answer")]);
            run.exits(42).complains(&["rank 0 aborted the job with code 42"]);
        }
    }
}

/// A script around a rank, which may be killed when a child of its has finalized for it.
const STOOD_IN_FOR: &str = "\"$@\"; status=$?; [ $status = 137 ] || exit $status";

/// A process that closes waits for no other one that has died meanwhile.
#[test]
fn deaths_while_others_close() {
    for way in foreign::prompt_ways() {
        for level in ["single", "multiple"] {
            let run = mpirun("3", way).env("TEST_THREAD_LEVEL", level);
            let for_ever = ["--mca", "btl_uct_close_timeout", "3600000"];
            let run = run.args(for_ever).args(["sh", "-c", STOOD_IN_FOR, "sh"]);
            let run = run.args([compiled("phases")]).args(["close", "2000"]);
            run.within(Duration::from_secs(60)).ok();
        }
    }
}

/// The user has named what is not there, and learns what is.
#[test]
fn what_is_named_is_there_or_it_is_said() {
    let program = compiled("p2p");
    for foreign in foreign::here() {
        for name in foreign.parameters {
            let btl = format!("self,{}", foreign.name);
            let way = [["btl", &btl], [name, "unheard_of"]];
            mpirun("2", &way).args([&program]).exits(16).complains(&[name, "unheard_of", "here"]);
        }
    }
}

/// In a job on one node that does not ask for it no process loads such a library.
#[test]
fn nothing_is_loaded_that_is_not_needed() {
    let maps = |way: &[[&str; 2]]| mpirun("2", way).args([compiled("maps")]).ok().stdout;
    let loaded = |maps: &str| foreign::ALL.iter().any(|one| maps.contains(one.library));
    assert!(!loaded(&maps(&[])));
    for way in foreign::ways() {
        assert!(loaded(&maps(way)), "{way:?}");
    }
}
