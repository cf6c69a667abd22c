//! A process of a job dies, and the launcher does not end the others: what waits for the dead one
//! ends with an error, and nothing else does.
//!
//! The launcher is mpirun, which sees a shell around each rank: that stays when the rank is killed.

use std::ffi::OsStr;
use std::process::{Command, Stdio};

use cairn_tests::programs::{Counts, compiled};
use cairn_tests::{Run, SURVIVOR, scratch, skipped, windows};

/// A job that a rank ends when all is well. `before` is a command that starts the shell around
/// each rank.
struct Job<'a> {
    program: &'a str,
    arguments: &'a [&'a OsStr],
    ranks: &'a str,
    level: &'a str,
    mca: &'a [&'a str],
    before: &'a [&'a str],
    /// The rank that ends it.
    judge: &'a str,
}

impl Job<'_> {
    fn ends_well(&self) {
        let program = compiled(env!("CARGO_TARGET_TMPDIR"), self.program, Counts::Small);
        let run = Run::mpirun().args(["--oversubscribe", "-n", self.ranks]).args(self.mca);
        let run = run.args(self.before).env("TEST_THREAD_LEVEL", self.level);
        let run = run.args(["sh", "-c", SURVIVOR, "sh"]).args([program]).args(self.arguments);
        let judge = self.judge;
        run.exits(42).complains(&[&format!("rank {judge} aborted the job with code 42")]);
    }
}

fn ends_well(program: &str, ranks: &str, level: &str, mca: &[&str]) {
    Job { program, arguments: &[], ranks, level, mca, before: &[], judge: "0" }.ends_well();
}

fn survives(level: &str, mca: &[&str]) {
    ends_well("failure", "3", level, mca);
}

#[test]
fn what_waits_for_a_dead_process_ends() {
    for transports in ["self,tcp", "self,sm"] {
        for level in ["single", "multiple"] {
            survives(level, &["--mca", "btl", transports]);
        }
    }
}

#[test]
fn with_every_way_of_matching_waiting_and_moving() {
    for way in [
        ["match", "list", "wait", "block"],
        ["match", "bins", "wait", "yield"],
        ["match", "vector", "smsc", "cma"],
        ["match", "sharded", "smsc", "ring"],
        ["progress", "serial", "pml_ob1_protocol", "fragments"],
        ["progress", "hybrid", "pml_ob1_protocol", "put"],
        ["progress", "thread", "wait", "block"],
        ["cri", "round_robin", "progress", "thread"],
        ["cri", "comm", "progress", "concurrent"],
    ] {
        for transports in ["self,tcp", "self,sm"] {
            let mut mca = vec!["--mca", "btl", transports];
            way.chunks(2).for_each(|pair| mca.extend(["--mca", pair[0], pair[1]]));
            survives("multiple", &mca);
        }
    }
}

#[test]
fn a_failure_reaches_all_that_agree_on_a_communicator() {
    for transports in ["self,tcp", "self,sm"] {
        for level in ["single", "multiple"] {
            ends_well("failed_agreement", "8", level, &["--mca", "btl", transports]);
        }
    }
}

/// When a process dies, as the program "deaths" knows it.
const MOMENTS: [&str; 9] =
    ["silent", "unheard", "far", "threads", "barrier", "first", "early", "made", "reduction"];

/// Rings that have room for all that a process sends before it dies.
const LARGE_RINGS: [&str; 2] = ["--mca btl self,sm", "--mca btl_sm_ring_size 4m"];
/// Processes that know nothing of each other but a file.
const FILES: [&str; 2] = ["--mca btl_sm_backing file", "--mca smsc_ring_backing file"];

/// One of the ranks dies at this moment, and the others notice; a pair of words is an option of mpirun.
fn dies(moment: &str, ranks: &str, pairs: &[&str], before: &[&str], level: &str) {
    let dir = scratch();
    let file = dir.path().join("shared");
    // More than one thread needs more than one instance.
    let level = if moment == "threads" { "multiple" } else { level };
    let mut mca: Vec<&str> = pairs.iter().flat_map(|pair| pair.split(' ')).collect();
    mca.extend(["--mca", "btl_sm_num_cris", "4"]);
    let arguments = [OsStr::new(moment), file.as_os_str()];
    let judge = if matches!(moment, "first" | "owner") { "1" } else { "0" };
    Job { program: "deaths", arguments: &arguments, ranks, level, mca: &mca, before, judge }
        .ends_well();
}

#[test]
fn a_death_is_noticed_whenever_it_comes() {
    for moment in MOMENTS {
        for level in ["single", "multiple"] {
            dies(moment, "3", &LARGE_RINGS, &[], level);
        }
    }
    // Where a process learns only of the death of those that it had to do with.
    dies("ahead", "3", &["--mca btl self,tcp"], &[], "single");
    dies("ahead", "5", &["--mca btl self,tcp"], &[], "multiple");
    dies("owner", "5", &["--mca btl self,tcp"], &[], "single");
    // However those wait that notice it.
    for wait in ["--mca wait block", "--mca wait yield", "--mca progress thread"] {
        for moment in ["silent", "barrier", "first", "reduction"] {
            dies(moment, "4", &[LARGE_RINGS[0], wait], &[], "multiple");
        }
    }
}

/// Without the descriptor by which the kernel tells of the end of a process.
#[test]
fn a_death_is_noticed_without_pidfd() {
    let refuse = compiled(env!("CARGO_TARGET_TMPDIR"), "refuse", Counts::Small);
    let refuse = refuse.to_str().expect("a path of ours");
    for moment in MOMENTS {
        dies(moment, "3", &LARGE_RINGS, &[refuse, "pidfd_open", "ENOSYS"], "single");
    }
}

#[test]
fn a_death_is_noticed_where_processes_share_files() {
    let mca = [LARGE_RINGS, FILES].concat();
    for moment in MOMENTS {
        dies(moment, "3", &mca, &[], "single");
    }
}

/// Nothing that waits for it in an epoch of a window waits for ever.
#[test]
fn a_death_ends_epochs_of_windows() {
    let moments = ["lock", "target", "fence", "start", "wait"].map(|moment| (moment, "false"));
    // A fence compares accesses, which is collective.
    for (moment, debug) in moments.into_iter().chain([("fence", "true")]) {
        for transports in windows::TRANSPORTS {
            for osc in windows::COMPONENTS {
                for level in ["single", "multiple"] {
                    let debug = ["--mca", "osc_debug", debug];
                    let mca = [["--mca", "btl", transports], ["--mca", "osc", osc], debug].concat();
                    let arguments = &[OsStr::new(moment)];
                    let (program, judge) = ("win_deaths", "0");
                    Job { program, arguments, ranks: "4", level, mca: &mca, before: &[], judge }
                        .ends_well();
                }
            }
        }
    }
}

/// While it copies a message of which the receiver has begun to read.
#[test]
fn a_death_in_the_midst_of_a_message_is_noticed() {
    let files: Vec<&str> = LARGE_RINGS.iter().chain(&FILES).copied().collect();
    for moment in ["torn", "torn2", "typed", "kept", "kept2"] {
        for level in ["single", "multiple"] {
            for pairs in [LARGE_RINGS[..1].to_vec(), LARGE_RINGS.to_vec(), files.clone()] {
                dies(moment, "2", &pairs, &[], level);
            }
        }
    }
}

/// Each process has ids of its own for all others, so that a lock on a file is all there is to tell. A file
/// that only its owner had open is removed by the next job that starts, so the processes had to do
/// with each other before.
#[test]
fn a_death_is_noticed_between_pid_namespaces() {
    let alone = ["unshare", "--pid", "--fork", "--mount-proc"];
    let can = Command::new(alone[0]).args(&alone[1..]).arg("true").stderr(Stdio::null()).status();
    if !can.is_ok_and(|status| status.success()) {
        return skipped("this user can't have a pid namespace");
    }
    let mca = [LARGE_RINGS, FILES].concat();
    for moment in ["far", "threads", "barrier", "first", "early", "made"] {
        dies(moment, "3", &mca, &alone, "single");
    }
}

/// Barriers are in shared memory also where messages are not.
#[test]
fn a_death_ends_barriers_of_processes_that_use_tcp() {
    for moment in ["barrier", "first", "early", "made", "reduction"] {
        for level in ["single", "multiple"] {
            dies(moment, "4", &["--mca btl self,tcp"], &[], level);
        }
    }
}

/// A child that a process has forked and that outlives it has what it had open.
#[test]
fn a_death_is_noticed_though_a_child_lives_on() {
    let files = LARGE_RINGS.iter().chain(&FILES).copied().collect();
    for pairs in [vec!["--mca btl self,tcp"], LARGE_RINGS.to_vec(), files] {
        for level in ["single", "multiple"] {
            dies("forked", "3", &pairs, &[], level);
        }
    }
    dies("forked", "3", &["--mca btl self,tcp", "--mca progress thread"], &[], "multiple");
}

/// Over uGNI between nodes, where nothing tells who only receives: it has to ask.
#[test]
fn a_death_is_noticed_over_ugni_by_who_only_receives() {
    let on_nodes = compiled(env!("CARGO_TARGET_TMPDIR"), "on_nodes", Counts::Small);
    let before = [on_nodes.to_str().expect("a path of ours"), "(vector,(0,3,1))"];
    let way = ["--mca mpi_node_identity launcher", "--mca btl self,ugni"];
    let soon = "--mca btl_ugni_inquiry_interval 200";
    for wait in ["--mca wait block", "--mca wait adaptive"] {
        for level in ["single", "multiple"] {
            dies("heard", "3", &[way[0], way[1], soon, wait], &before, level);
        }
    }
}

/// Of operations within nodes and between them, wherever the dead one was: alone on its node, the first of it, or another
/// one. All nodes are this one. Over a network only those learn of a death that had to do with the dead one, so all
/// operations before are those of the communicator in question.
#[test]
fn a_death_ends_operations_of_two_levels() {
    let on_nodes = compiled(env!("CARGO_TARGET_TMPDIR"), "on_nodes", Counts::Small);
    let on_nodes = on_nodes.to_str().expect("a path of ours");
    let mca = ["--mca mpi_node_identity launcher", "--mca btl self,sm,tcp", "--mca wait block"];
    for (ranks, nodes) in [
        ("4", "(vector,(0,2,2))"),
        ("5", "(vector,(0,1,1),(1,1,4))"),
        ("6", "(vector,(0,3,1),(0,1,3))"),
    ] {
        let level = if nodes.contains("4") { "multiple" } else { "single" };
        for moment in ["barrier", "first", "made", "reduction"] {
            dies(moment, ranks, &mca, &[on_nodes, nodes], level);
        }
    }
}
