//! MPI programs as users have them: each program of `tests/mpi` is compiled with the wrapper and run
//! by mpirun, with several numbers of processes. Such a program prints nothing and ends with 0 when
//! all is right; otherwise it names the line.

use std::path::{Path, PathBuf};

use cairn_tests::{Run, dist, root, scratch};

/// Compiles a program.
fn compile(name: &str, dir: &Path) -> PathBuf {
    let source = root().join("tests/mpi").join(name).with_extension("c");
    let program = dir.join(name);
    let strict = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-pthread"];
    let mpicc = Run::new(dist().join("bin/mpicc")).args(strict);
    mpicc.args([&source]).args(["-o"]).args([&program]).ok();
    program
}

/// A program with this many processes, who may take turns on the cores.
fn mpirun(program: &Path, processes: u32) -> Run {
    Run::mpirun().args(["--oversubscribe", "-n", &processes.to_string()]).args([program])
}

/// Compiles a program and runs it with each number of processes.
fn run(name: &str, processes: &[u32]) {
    let dir = scratch();
    let program = compile(name, dir.path());
    for number in processes {
        let ended = mpirun(&program, *number).ok();
        assert!(ended.stdout.is_empty() && ended.stderr.is_empty(), "{ended}");
    }
}

/// Program × processes.
macro_rules! programs {
    ($($name:ident: $processes:expr;)*) => {$(
        #[test]
        fn $name() {
            run(stringify!($name), &$processes);
        }
    )*};
}

programs! {
    attributes: [1, 2, 3];
    bsend: [1, 2, 4];
    colls: [1, 2, 3, 4, 8];
    comms: [1, 2, 3, 5];
    errhandlers: [1, 2];
    grequest: [1, 2];
    groups: [1, 2, 3, 4];
    icoll: [1, 2, 3, 5, 8];
    info: [1, 3];
    inter: [1, 2, 3, 4, 5, 7, 8];
    inter_threads: [1, 2, 3, 5];
    p2p: [1, 2, 3, 4];
    pcoll: [1, 2, 3, 5];
    reenter: [1, 2, 3];
    sync: [1, 2, 3];
}

/// The same programs over another transport: a parameter is all that differs.
#[test]
fn transports_can_be_swapped() {
    let dir = scratch();
    for name in ["p2p", "colls", "inter", "icoll", "pcoll"] {
        let program = compile(name, dir.path());
        for transports in ["self,sm", "self,tcp"] {
            let mca = ["--oversubscribe", "--mca", "btl", transports, "-n", "3"];
            let ended = Run::mpirun().args(mca).args([&program]).ok();
            assert!(ended.stdout.is_empty() && ended.stderr.is_empty(), "{ended}");
        }
    }
}

/// Sessions without the World Model, around it and after it, some of them without the others.
#[test]
fn sessions() {
    let dir = scratch();
    let program = compile("sessions", dir.path());
    for order in ["around", "alone", "after", "last"] {
        for number in [1, 2, 3, 5] {
            let ended = mpirun(&program, number).args([order]).ok();
            assert!(ended.stdout.is_empty() && ended.stderr.is_empty(), "{ended}");
        }
        let tcp = ["--oversubscribe", "--mca", "btl", "self,tcp", "-n", "3"];
        Run::mpirun().args(tcp).args([&program]).args([order]).ok();
    }
    Run::new(&program).args(["around"]).ok();
}

/// More processes than processors, unless they wait in a way that is not made for that.
#[test]
fn ways_of_waiting_can_be_swapped() {
    let dir = scratch();
    for name in ["p2p", "colls"] {
        let program = compile(name, dir.path());
        for (wait, ranks) in [("adaptive", "5"), ("block", "5"), ("spin", "2"), ("yield", "3")] {
            for transports in ["self,sm", "self,tcp"] {
                let mca = ["--oversubscribe", "--mca", "btl", transports, "--mca", "wait", wait];
                let ended = Run::mpirun().args(mca).args(["-n", ranks]).args([&program]).ok();
                assert!(ended.stdout.is_empty() && ended.stderr.is_empty(), "{ended}");
            }
        }
    }
}

/// In shared memory from the beginning, later or never, and however a process waits.
#[test]
fn barriers_hold_until_everybody_has_come() {
    let dir = scratch();
    let (program, file) = (compile("barriers", dir.path()), dir.path().join("came"));
    let never = ["--mca", "coll", "basic"];
    let first = ["--mca", "coll_sm_after", "0"];
    let ways = [("1", first), ("2", first), ("3", never), ("5", first), ("8", first)];
    let waits = ["adaptive", "block", "yield"].map(|wait| ("3", ["--mca", "wait", wait]));
    for (ranks, mca) in ways.into_iter().chain(waits) {
        let run = Run::mpirun().args(["--oversubscribe", "-n", ranks]).args(mca);
        let ended = run.args([&program, &file]).ok();
        assert!(ended.stdout.is_empty() && ended.stderr.is_empty(), "{ended}");
    }
}

/// Several threads of each process at once, whoever polls and however they wait. Among what they do
/// is the first program of figure 9 of Zambre et al., which hangs where an instance is left alone.
#[test]
fn threads_progress_and_wait_in_any_way() {
    let dir = scratch();
    let program = compile("threads", dir.path());
    for progress in ["concurrent", "hybrid", "serial", "thread"] {
        for wait in ["adaptive", "block", "yield"] {
            for cri in ["dedicated", "round_robin", "comm"] {
                let mca =
                    ["--mca", "progress", progress, "--mca", "wait", wait, "--mca", "cri", cri];
                let run = Run::mpirun().args(["--oversubscribe", "-n", "2"]).args(mca);
                let ended = run.args([&program]).ok();
                assert!(ended.stdout.is_empty() && ended.stderr.is_empty(), "{ended}");
            }
        }
    }
    let tcp = ["--mca", "btl", "self,tcp", "--oversubscribe", "-n", "3"];
    Run::mpirun().args(tcp).args([&program]).ok();
}

#[test]
fn a_thread_of_the_library_makes_progress_if_asked_for() {
    let dir = scratch();
    let program = compile("background", dir.path());
    let run = |mca: &[&str], threads| {
        let run = Run::mpirun().args(["--oversubscribe", "-n", "2"]).args(mca);
        let ended = run.args([&program]).args([threads]).ok();
        assert!(ended.stdout.is_empty() && ended.stderr.is_empty(), "{ended}");
    };
    run(&[], "0");
    for transports in ["self,sm", "self,tcp"] {
        run(&["--mca", "btl", transports, "--mca", "progress", "thread"], "1");
    }
    // Programs of one thread, in a process that has two.
    for name in ["p2p", "colls", "errhandlers"] {
        let program = compile(name, dir.path());
        let run = Run::mpirun().args(["--oversubscribe", "-n", "2", "--mca", "progress", "thread"]);
        let ended = run.args([&program]).ok();
        assert!(ended.stdout.is_empty() && ended.stderr.is_empty(), "{ended}");
    }
}

#[test]
fn calls_beyond_the_level_of_thread_support_are_errors() {
    let dir = scratch();
    let program = compile("levels", dir.path());
    for level in ["0", "1", "2", "3"] {
        Run::mpirun().args(["-n", "1"]).args([&program]).args([level]).ok();
    }
}

/// Runs the stress program with components of some frameworks. Returns what it says: with one seed and
/// one length it is always the same.
fn stress(program: &Path, length: [&str; 2], processes: &str, mca: &[(&str, &str)]) -> String {
    let mca = mca.iter().flat_map(|(name, value)| ["--mca", name, value]);
    let run = Run::mpirun().args(["--oversubscribe", "-n", processes]).args(mca);
    // A failure prints how far it came, and with it the seed.
    let ended = run.args([program]).args(length).ok();
    ended.says(&["seed ", " rounds, ", " messages, sum "]);
    assert!(ended.stderr.is_empty(), "{ended}");
    ended.stdout
}

#[test]
fn threads_that_do_everything_at_once() {
    let dir = scratch();
    let program = compile("stress", dir.path());
    let said = [
        ("self,sm", "concurrent", "adaptive", "dedicated"),
        ("self,sm", "serial", "block", "round_robin"),
        ("self,tcp", "hybrid", "yield", "comm"),
        ("self,sm", "thread", "adaptive", "comm"),
    ]
    .map(|(transports, progress, wait, cri)| {
        let mca = [("btl", transports), ("progress", progress), ("wait", wait), ("cri", cri)];
        ["2", "3"].map(|processes| stress(&program, ["2", "17"], processes, &mca))
    });
    assert!(said.iter().all(|sums| *sums == said[0]), "{said:#?}");
}

/// Every combination of strategies, each for as many seconds as `CAIRN_STRESS` says, or 10.
#[test]
#[ignore = "takes an hour; see CONTRIBUTING.md"]
fn stress_sweep() {
    let dir = scratch();
    let program = compile("stress", dir.path());
    let seconds = std::env::var("CAIRN_STRESS").unwrap_or_else(|_| "10".into());
    let length = format!("{seconds}s");
    let json = Run::info(dir.path()).args(["--json"]).ok().json();
    let components = |framework: &str| -> Vec<String> {
        let all = json["frameworks"].as_array().expect("a list");
        let own = all.iter().find(|one| one["name"] == framework).expect("a framework");
        let components = own["components"].as_array().expect("a list").iter();
        components.map(|one| one["name"].as_str().expect("a name").to_owned()).collect()
    };
    for cri in components("cri") {
        for progress in components("progress") {
            // More threads than processors, of which one that spins would take all.
            for wait in components("wait").iter().filter(|wait| *wait != "spin") {
                for matching in components("match") {
                    for (transports, processes) in [("self,sm", "2"), ("self,tcp", "3")] {
                        let mca = [
                            ("btl", transports),
                            ("cri", &*cri),
                            ("progress", &*progress),
                            ("wait", &**wait),
                            ("match", &*matching),
                        ];
                        eprintln!("{mca:?}");
                        stress(&program, [&length, "0"], processes, &mca);
                    }
                }
            }
        }
    }
}

#[test]
fn errors_end_the_job_unless_told_otherwise() {
    let dir = scratch();
    let program = compile("fatal", dir.path());
    for handler in ["", "abort"] {
        let ended = mpirun(&program, 2).args([handler]).end();
        // The error class of a wrong rank.
        assert_eq!(ended.status.code(), Some(6), "{ended}");
        ended.complains(&["MPI_Send failed: MPI_ERR_RANK: dest is -77"]);
        // Although the C library had kept it, for a pipe.
        ended.says(&["printed before"]);
    }
    mpirun(&program, 2).args(["return"]).exits(7);
}
