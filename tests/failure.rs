//! A process of a job dies, and the launcher does not end the others: what waits for the dead one
//! ends with an error, and nothing else does.
//!
//! The launcher is mpirun, which sees a shell around each rank: that stays when the rank is killed.

use cairn_tests::Run;
use cairn_tests::programs::{Counts, compiled};

/// Runs the program, and stays where it was killed.
const SHELL: &str = "\"$@\"; status=$?; [ $status -lt 128 ] && exit $status; exec sleep 1000";

fn survives(level: &str, mca: &[&str]) {
    ends_well("failure", "3", level, mca);
}

fn ends_well(name: &str, ranks: &str, level: &str, mca: &[&str]) {
    let program = compiled(env!("CARGO_TARGET_TMPDIR"), name, Counts::Small);
    let run = Run::mpirun().args(["--oversubscribe", "-n", ranks]).args(mca);
    let run = run.env("TEST_THREAD_LEVEL", level).args(["sh", "-c", SHELL, "sh"]).args([program]);
    run.exits(42).complains(&["rank 0 aborted the job"]);
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
