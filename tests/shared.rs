//! The same programs with all components as shared libraries. They are linked with the installation
//! that has components linked in, and run, not compiled anew, with the library of the other one.

use std::path::Path;

use cairn_tests::programs::{Counts, compiled};
use cairn_tests::{Run, dist, dist_shared, scratch};

/// A program with this many processes, who may take turns on the cores.
fn mpirun(processes: u32, mca: &[&str], program: &str) -> Run {
    let run = Run::new(dist_shared().join("bin/mpirun")).env("HOME", "/nonexistent");
    let run = run.env("LD_LIBRARY_PATH", dist_shared().join("lib"));
    let run = run.args(["--oversubscribe", "-n", &processes.to_string()]).args(mca);
    run.args([compiled(env!("CARGO_TARGET_TMPDIR"), program, Counts::Small)])
}

/// Name and provider of every component that the `cairn-info` of an installation sees.
fn components(dist: &Path) -> Vec<(String, String)> {
    let json = Run::new(dist.join("bin/cairn-info")).env("HOME", "/nonexistent");
    let json = json.args(["--json"]).ok().json();
    assert!(json["failed"].as_array().expect("a list").is_empty(), "{json:#}");
    let frameworks = json["frameworks"].as_array().expect("a list").iter();
    let of = |framework: &serde_json::Value| -> Vec<(String, String)> {
        let components = framework["components"].as_array().expect("a list").iter();
        components
            .map(|one| {
                let text = |key: &str| one[key].as_str().expect("a text").to_owned();
                let name = framework["name"].as_str().expect("a name");
                (format!("{name}_{}", text("name")), text("provider"))
            })
            .collect()
    };
    let mut all: Vec<_> = frameworks.flat_map(of).collect();
    all.sort();
    all
}

#[test]
fn everything_is_there_and_nothing_is_linked_in() {
    let libraries = components(dist_shared());
    for (name, provider) in &libraries {
        let library = dist_shared().join(format!("lib/cairn/{name}.so"));
        assert_eq!(Path::new(provider), library, "{name}");
    }
    let names = |all: Vec<(String, String)>| all.into_iter().map(|one| one.0).collect::<Vec<_>>();
    assert_eq!(names(libraries), names(components(dist())));
    // And a program uses them.
    let ended = mpirun(2, &["--mca", "mca_report", "1"], "p2p").ok();
    ended.complains(&["lib/cairn/pml_ob1.so", "lib/cairn/btl_sm.so"]);
    assert!(!ended.stderr.contains("linked in"), "{ended}");
}

#[test]
fn programs_need_not_know() {
    for (program, processes) in [
        ("bsend", 2),
        ("colls", 3),
        ("completion", 3),
        ("environment", 2),
        ("errors", 2),
        ("grequest", 2),
        ("icoll", 3),
        ("inter", 3),
        ("large", 2),
        ("matching", 2),
        ("modes", 3),
        ("p2p", 3),
        ("pcoll", 2),
    ] {
        for transports in ["self,sm", "self,tcp"] {
            for level in ["single", "multiple"] {
                let run = mpirun(processes, &["--mca", "btl", transports], program);
                run.env("TEST_THREAD_LEVEL", level).says_nothing();
            }
        }
    }
    // Tools look at parameters of btl_sm, which has none where its library is not wanted.
    for program in ["tool", "tool_events"] {
        mpirun(2, &[], program).env("TEST_THREAD_LEVEL", "single").says_nothing();
    }
}

#[test]
fn neither_need_threads_sessions_and_barriers() {
    for program in ["inter_threads", "reenter", "sync", "threads_colls", "threads_messages"] {
        mpirun(2, &[], program).env("TEST_THREAD_LEVEL", "multiple").says_nothing();
    }
    for (progress, wait, cri, matching) in [
        ("concurrent", "adaptive", "dedicated", "list"),
        ("hybrid", "yield", "comm", "sharded"),
        ("serial", "block", "round_robin", "bins"),
        ("thread", "adaptive", "comm", "vector"),
    ] {
        for transports in ["self,sm", "self,tcp"] {
            let mca: Vec<&str> =
                [("progress", progress), ("wait", wait), ("cri", cri), ("match", matching)]
                    .iter()
                    .chain(&[("btl", transports)])
                    .flat_map(|(name, value)| ["--mca", name, value])
                    .collect();
            mpirun(2, &mca, "threads").env("TEST_THREAD_LEVEL", "multiple").says_nothing();
            mpirun(2, &mca, "stress").args(["1", "17"]).ok().says(&["messages, sum "]);
        }
    }
    for order in ["around", "alone", "after", "last"] {
        mpirun(3, &[], "sessions").args([order]).says_nothing();
    }
    let dir = scratch();
    for first in ["0", "2"] {
        let run = mpirun(3, &["--mca", "coll_sm_after", first], "barriers");
        run.args([dir.path().join("came")]).says_nothing();
    }
}
