//! The benchmarks of `bench/` on our library: built with the wrapper of the installation, without a
//! word from clippy, their own tests, and each program once in its smallest form. What they measure
//! is of no interest here.
//!
//! What is fetched and built stays in `target/benchmarks`. Who can't reach the registry is told so, and
//! the tests are skipped.

use std::path::Path;
use std::sync::OnceLock;

use cairn_tests::fetched::{self, BUILDING, Made, fetch, mpich, or_skip};
use cairn_tests::{Ended, Run, dist, root, scratch, skipped};

/// Exit status of a program that can't be run like this.
const REFUSED: i32 = 2;

/// Exit status of a program whose MPI lacks what it measures.
const SKIPPED: i32 = 77;

/// The directory with the programs.
fn programs() -> Option<&'static Path> {
    static MADE: OnceLock<Made> = OnceLock::new();
    or_skip(MADE.get_or_init(|| {
        let target = target();
        fetched::made(&target, || Ok(()))?;
        fetch(cargo(&["fetch", "--locked"]))?;
        cargo(&["build", "--offline", "--quiet"]).within(BUILDING).ok();
        Ok(target.join("debug"))
    }))
}

/// Where they are built.
fn target() -> std::path::PathBuf {
    dist().parent().expect("target").join("benchmarks")
}

fn cargo(args: &[&str]) -> Run {
    let run = Run::new("cargo").args(args).dir(root().join("bench"));
    run.env("MPICC", dist().join("bin/mpicc"))
        .env("CARGO_TARGET_DIR", target())
        .env("LD_LIBRARY_PATH", dist().join("lib"))
}

#[test]
fn clippy_has_nothing_to_say() {
    if programs().is_some() {
        let clippy =
            ["clippy", "--offline", "--quiet", "--all-targets", "--", "--deny", "warnings"];
        cargo(&clippy).within(BUILDING).ok();
    }
}

#[test]
fn their_own_tests_pass() {
    if programs().is_some() {
        cargo(&["test", "--offline", "--quiet"]).within(BUILDING).ok();
    }
}

/// One run with so many processes. The options are separated by blanks.
fn job(programs: &Path, processes: u32, program: &str, options: &str) -> Run {
    job_with(&[], programs, processes, program, options)
}

/// The same with options of mpirun.
fn job_with(mca: &[&str], programs: &Path, processes: u32, program: &str, options: &str) -> Run {
    Run::mpirun()
        .env("LD_LIBRARY_PATH", dist().join("lib"))
        .args(["--oversubscribe", "-n", &processes.to_string()])
        .args(mca)
        .args([programs.join(program)])
        .args(options.split_whitespace())
}

/// As little as there is to measure.
const ONCE: &str = "--json --iterations 2 --warmup 0 --batches 1";

/// Checks what a run on our library printed.
fn measured(ended: &Ended, program: &str, processes: u32, points: &[(&str, usize)]) {
    measured_on(ended, "Cairn MPI", program, processes, points);
}

/// Checks what a run on a library printed: one object with so many points of these metrics, and right
/// data.
fn measured_on(ended: &Ended, mpi: &str, program: &str, processes: u32, points: &[(&str, usize)]) {
    let json = ended.json();
    assert_eq!(json["format"], 1, "{ended}");
    assert_eq!(json["benchmark"], program, "{ended}");
    assert!(json["mpi"].as_str().expect("a text").starts_with(mpi), "{ended}");
    assert_eq!(json["ranks"], processes, "{ended}");
    assert!(json["parameters"].is_object(), "{ended}");
    assert_eq!(json["checked"], true, "{ended}");
    let all = json["points"].as_array().expect("a list");
    for point in all {
        assert!(point["at"].is_object() && point["unit"].is_string(), "{point}\n{ended}");
        assert!(point["better"] == "lower" || point["better"] == "higher", "{point}\n{ended}");
        assert!(point["value"].as_f64().expect("a number").is_finite(), "{point}\n{ended}");
    }
    let count = |metric: &str| all.iter().filter(|point| point["metric"] == metric).count();
    for (metric, expected) in points {
        assert_eq!(count(metric), *expected, "{metric}\n{ended}");
    }
    let expected: usize = points.iter().map(|(_, count)| count).sum();
    assert_eq!(all.len(), expected, "{ended}");
}

/// How many points of which metrics a run has.
type Points = &'static [(&'static str, usize)];

/// Runs of a program: processes, options, and the points they have.
type Runs = &'static [(u32, &'static str, Points)];

fn run(program: &str, runs: Runs) {
    let Some(programs) = programs() else { return };
    for (processes, options, points) in runs {
        let ended = job(programs, *processes, program, &format!("{options} {ONCE}")).ok();
        measured(&ended, program, *processes, points);
    }
}

/// The same program runs on each installation that a variant names, and on no other library.
#[test]
fn installations_are_compared_in_one_run() {
    let Some(programs) = programs() else { return };
    let dir = scratch();
    let copy = dir.path().join("copy");
    Run::new("cp").args([Path::new("-r"), dist(), &copy]).ok();
    let pingpong = programs.join("pingpong");
    let ended = Run::new(dist().join("bin/cairn-ab"))
        .env("HOME", dir.path())
        // What a user may have set does not win.
        .env("LD_LIBRARY_PATH", "/nonexistent/lib")
        .args(["quick", "--repeats", "1", "--retries", "0", "--variant"])
        .args([format!("copy={}", copy.display())])
        .args(["default", "cri=dedicated", "--"])
        .args([&pingpong])
        .args("--sizes 8 --iterations 2 --warmup 0 --batches 1".split(' '))
        .ok();
    ended.says(&["copy", "default", "cri=dedicated", "baseline"]);
    let store = dir.path().join(".cache/cairn-ab/quick/samples.jsonl");
    let samples = std::fs::read_to_string(store).unwrap();
    let runs: Vec<serde_json::Value> = samples
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|record: &serde_json::Value| record["kind"] == "run")
        .collect();
    // A warm-up and one block.
    assert_eq!(runs.len(), 6, "{samples}");
    for run in runs {
        let prefix = if run["variant"] == "copy" { &copy } else { dist() };
        let library = prefix.join("lib/libmpi_abi.so.1").canonicalize().unwrap();
        assert_eq!(run["outcome"]["library"], library.display().to_string(), "{run}");
        let version = run["outcome"]["mpi"].as_str().unwrap();
        assert!(version.starts_with("Cairn MPI 0."), "{run}");
    }
}

/// Built by `cairn-ab` itself, for Cairn and for a peer.
#[test]
fn what_messages_cost_is_counted() {
    const ANNOUNCED: &str = "btl_sm_eager_limit=512 btl_sm_push_limit=0";
    let (Some(mpich), Some(_)) = (mpich(), programs()) else { return };
    let dir = scratch();
    let ended = Run::new(dist().join("bin/cairn-ab"))
        .env("HOME", dir.path())
        .env("CARGO_NET_OFFLINE", "true")
        .args([Path::new("--bench"), &root().join("bench")])
        .args([Path::new("--cache"), &target().join("cairn-ab")])
        .args([format!("--peer=mpich={}", mpich.parent().unwrap().display())])
        .args(["quick", "--counts", "--repeats", "1", "--retries", "0", "--store"])
        .args([dir.path().join("store")])
        .args(["default", ANNOUNCED, "mpi=mpich", "--", "pingpong"])
        .args("--sizes 1k --threads 2 --iterations 20 --warmup 0 --batches 1".split(' '))
        .within(BUILDING)
        .ok();
    ended.says(&["not counted: pingpong with mpi=mpich: it is a counter of Cairn: "]);
    let text = std::fs::read_to_string(dir.path().join("store/report/results.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let groups = json["summary"]["groups"].as_array().unwrap();
    let value = |metric: &str, variant: &str| {
        let group = groups.iter().find(|group| group["metric"] == metric).expect(metric);
        let [row] = &group["rows"].as_array().unwrap()[..] else { panic!("{group}") };
        assert_eq!(row["at"]["bytes"], 1024.0, "{group}");
        row["cells"][variant]["median"]["value"].as_f64()
    };
    // All messages of the pairs are announced where they are too long, and none of the few others, which
    // are shorter.
    let announced = |variant| value("rendezvous_per_message", variant).unwrap();
    assert_eq!(announced("default"), 0.0);
    assert_eq!(announced(ANNOUNCED), 1.0);
    for variant in ["default", ANNOUNCED] {
        assert!(value("sends_per_message", variant).unwrap() >= 1.0);
        // Of the instances that two threads share.
        value("cri_lock_waits_per_message", variant);
        assert!(value("cpu_time_per_message", variant).unwrap() > 0.0);
    }
    assert!(value("cpu_time_per_message", "mpi=mpich").unwrap() > 0.0);
    for metric in ["rendezvous_per_message", "lock_waits_per_message"] {
        assert_eq!(value(metric, "mpi=mpich"), None);
    }
    // A round trip of two pairs: 20 iterations, and three that check every message.
    let samples = std::fs::read_to_string(dir.path().join("store/samples.jsonl")).unwrap();
    let said = samples.matches(&format!("\"messages\":{},", 2 * 2 * 23)).count();
    assert_eq!(said, 6, "{samples}");
}

#[test]
fn instructions_of_a_message_are_counted() {
    let Some(programs) = programs() else { return };
    if Run::exists("valgrind").is_none() {
        return skipped("there is no valgrind");
    }
    let dir = scratch();
    let store = dir.path().join("store");
    Run::new(dist().join("bin/cairn-ab"))
        .env("HOME", dir.path())
        .args(["quick", "--instructions", "--repeats", "2", "--retries", "0", "--store"])
        .args([&store])
        .args(["default", "--"])
        .args([programs.join("message-rate")])
        .args("--sizes 8 --time 0.01".split(' '))
        .ok();
    let csv = std::fs::read_to_string(store.join("report/results.csv")).unwrap();
    for metric in ["instructions_per_message", "send_instructions_per_message"] {
        let line = csv.lines().find(|line| line.contains(&format!(",{metric},"))).expect(&csv);
        let cells: Vec<&str> = line.split(',').collect();
        let [.., samples, median, _, _, _, _, _, _, _, _] = cells[..] else { panic!("{line}") };
        // A message of 8 bytes takes no fewer, nor so many, in any build.
        let median: f64 = median.parse().unwrap();
        assert!(samples == "2" && (20.0..1e6).contains(&median), "{line}");
    }
}

#[test]
fn datatypes_runs() {
    run(
        "datatypes",
        &[
            (2, "--sizes 1k,9000", &[("time", 80), ("latency", 40)]),
            (3, "--sizes 8,100k --what pingpong", &[("latency", 20)]),
            (2, "--sizes 64 --shape struct --what pack", &[("time", 1)]),
        ],
    );
}

#[test]
fn pingpong_runs() {
    run(
        "pingpong",
        &[
            (2, "--sizes 0,8,64k", &[("latency", 3)]),
            (2, "--sizes 8 --threads 2", &[("latency", 1)]),
            (5, "--sizes 8 --pairs 2", &[("latency", 1)]),
            (2, "--sizes 0,8,64k --floor cached", &[("latency", 3)]),
            (2, "--sizes 8,64k --floor streaming", &[("latency", 2)]),
        ],
    );
}

#[test]
fn bandwidth_runs() {
    run(
        "bandwidth",
        &[
            (2, "--sizes 1,64k --window 4 --direction each", &[("bandwidth", 4)]),
            (2, "--sizes 1,64k --window 64 --direction each --floor cached", &[("bandwidth", 4)]),
            (2, "--sizes 64k --window 4 --direction bi --floor streaming", &[("bandwidth", 1)]),
            (4, "--sizes 8 --window 4 --pairs 2 --direction bi", &[("bandwidth", 1)]),
        ],
    );
}

#[test]
fn message_rate_runs() {
    run(
        "message-rate",
        &[
            (2, "--sizes 0,8 --window 4 --threads 2", &[("rate", 2), ("bandwidth", 1)]),
            (4, "--sizes 8 --window 4 --both", &[("rate", 1), ("bandwidth", 1)]),
        ],
    );
}

#[test]
fn multirate_runs() {
    run(
        "multirate",
        &[
            (2, "-t 1,2 -s 0,8 -w 4 -c", &[("rate", 4), ("latency", 4), ("bandwidth", 2)]),
            (3, "--pattern many-to-one -n 2 -s 0 -w 4", &[("rate", 1), ("latency", 1)]),
            (
                2,
                "-s 0 -w 4 --counters pml_ob1_received_eager,pml_ob1_bytes_eager/pml_ob1_messages_eager",
                &[("rate", 1), ("latency", 1), ("counter", 2)],
            ),
            (3, "-a -x 2 -m 2 -s 0 -w 4 -o --tags any", &[("rate", 1), ("latency", 1)]),
        ],
    );
}

#[test]
fn multirate_reads_counters() {
    let Some(programs) = programs() else { return };
    let run = |counters: &str| {
        let options = format!("-s 0 -w 4 --counters {counters} {ONCE}");
        job(programs, 2, "multirate", &options)
    };
    // Three rounds of checks and two iterations, each with four messages and two of its own, at least.
    let ended = run("pml_ob1_received_eager").ok();
    let json = ended.json();
    let point = json["points"].as_array().expect("a list").last().expect("one");
    assert_eq!(point["at"]["counter"], "pml_ob1_received_eager", "{ended}");
    assert!(point["value"].as_f64().expect("a number") >= 5.0 * 6.0, "{ended}");
    // What is divided by nothing is left out.
    let quotient = run("pml_ob1_received_eager/pml_ob1_received_rendezvous").ok();
    measured(&quotient, "multirate", 2, &[("rate", 1), ("latency", 1)]);
    for (counters, reason) in [
        ("pml_ob1_nonsense", "no performance variable pml_ob1_nonsense"),
        ("pml_ob1_posts_of_comm", "pml_ob1_posts_of_comm can't be read"),
    ] {
        run(counters).exits(SKIPPED).complains(&[reason]);
    }
    run("a/b/c").exits(REFUSED).complains(&["'a/b/c' is not a variable"]);
}

#[test]
fn match_bench_runs() {
    let runs: Runs = &[
        (2, "--mode posted --lengths 0,4 --wildcard none,both", &[("latency", 4)]),
        (2, "--mode unexpected,order --lengths 0,4", &[("latency", 2 + 3)]),
    ];
    run("match-bench", runs);
}

#[test]
fn collectives_run() {
    run(
        "collectives",
        &[
            // Reductions have whole numbers of eight bytes.
            (3, "--sizes 0,8,9,5k", &[("time", 1 + 8 * 4 + 4 * 3)]),
            (2, "--sizes 8,100k --floor cached", &[("time", 1 + 12 * 2)]),
            (2, "--operations bcast,reduce --sizes 8 --floor streaming", &[("time", 2)]),
        ],
    );
}

#[test]
fn waiting_runs() {
    run(
        "waiting",
        &[
            (
                3,
                "--mode blocked --delay 1 --call receive,wait,barrier,test",
                &[("cpu", 4), ("latency", 4)],
            ),
            (2, "--mode barrier,pingpong --threads 2", &[("time", 1), ("latency", 1)]),
        ],
    );
}

#[test]
fn vci_runs() {
    run(
        "vci",
        &[
            (4, "--test isend --mode everywhere --threads 2 --window 4", &[("rate", 1)]),
            (2, "--test isend --mode serial --threads 1,2 --window 4", &[("rate", 2)]),
            (
                2,
                "--test mismatch --mode parallel --threads 2 --unused 0,1 --window 4",
                &[("rate", 2)],
            ),
            (2, "--test dedicated-receiver --mode parallel --threads 2 --window 4", &[("rate", 1)]),
        ],
    );
}

#[test]
fn thread_tests_run_in_both_forms() {
    let steps: &[(&str, usize)] = &[("time", 3), ("overlap", 1)];
    for (test, threads, processes, points) in [
        ("overhead --sizes 0,8", 2, 2, &[("latency", 2)][..]),
        ("bandwidth --sizes 64k --entities 2", 2, 4, &[("bandwidth", 1)]),
        ("latency --sizes 8 --entities 2", 2, 4, &[("latency", 1)]),
        ("message-rate --entities 2", 2, 4, &[("rate", 1)]),
        // Each of the messages, median and slowest; and the long one.
        ("short-long --sizes 8 --messages 3 --long 64k", 3, 4, &[("latency", 3 + 2), ("time", 1)]),
        ("overlap --sizes 1k --computation 1", 2, 2, steps),
        ("collectives --sizes 8 --entities 2", 2, 4, &[("time", 1)]),
        ("collectives-computation --sizes 64 --entities 1", 2, 4, steps),
    ] {
        let Some(programs) = programs() else { return };
        for (form, processes) in [("threads", threads), ("processes", processes)] {
            let options = format!("--test {test} --form {form} {ONCE}");
            let ended = job(programs, processes, "thread-tests", &options).ok();
            measured(&ended, "thread-tests", processes, points);
        }
    }
}

/// The program starts the jobs itself.
#[test]
fn thread_tests_compare_the_forms() {
    let Some(programs) = programs() else { return };
    let launch = format!("{} --oversubscribe -n {{ranks}}", dist().join("bin/mpirun").display());
    let run = |options: &str, launch: &str| {
        Run::new(programs.join("thread-tests"))
            .env("HOME", "/nonexistent")
            .env("LD_LIBRARY_PATH", dist().join("lib"))
            .args(["--test", "message-rate", "--entities", "1,2", "--repeats", "1"])
            .args(options.split_whitespace())
            .args(["--launch", launch])
    };
    let table = run("--iterations 2 --warmup 0 --batches 1", &launch).ok();
    table.says(&["1P-1P", "1T-1T", "2P-2P", "2T-2T", "message/s"]);
    measured(&run(ONCE, &launch).ok(), "thread-tests", 4, &[("rate", 4)]);
    run(ONCE, "/nonexistent {ranks}").fails().complains(&["cannot start /nonexistent"]);
    run(ONCE, "mpirun").exits(REFUSED).complains(&["--launch needs {ranks}"]);
}

#[test]
fn tables_are_for_people() {
    let Some(programs) = programs() else { return };
    let few = "--sizes 0,8 --iterations 2 --warmup 0";
    let ended = job(programs, 2, "pingpong", few).ok();
    ended.says(&["# pingpong: 2 ranks, Cairn MPI", "bytes", "latency [us]"]);
    assert_eq!(ended.stdout.lines().count(), 4, "{ended}");
    let ended = job(programs, 2, "multirate", "-s 0 -w 4 -i 2 --warmup 0 --classic").ok();
    ended.says(&["1\t1\t1\t1\t0\t4\t0.00 Gbps"]);
}

/// The programs for windows, each in its smallest form, with the points it has.
const WINDOWS: [(&str, &str, Points); 4] = [
    ("rma-mt", "--sizes 8", &[("rate", 1), ("bandwidth", 1)]),
    ("rma-issue", "--sizes 8", &[("latency", 1)]),
    ("vci", "--test put", &[("rate", 1)]),
    ("vci", "--test put-free", &[("rate", 1)]),
];

/// So that they run at all: by another library, which has windows.
#[test]
fn what_needs_windows_runs_on_mpich() {
    let (Some(mpich), Some(_)) = (mpich(), programs()) else { return };
    let target = target().join("mpich");
    Run::new("cargo")
        .args(["build", "--offline", "--quiet"])
        .args(["--bin", "rma-mt", "--bin", "rma-issue", "--bin", "vci"])
        .dir(root().join("bench"))
        .env("LD_LIBRARY_PATH", mpich.with_file_name("lib"))
        .env("MPICC", mpich.join("mpicc"))
        .env("CARGO_TARGET_DIR", &target)
        .within(BUILDING)
        .ok();
    for (program, options, points) in WINDOWS {
        let ended = Run::new(mpich.join("mpiexec"))
            .env("LD_LIBRARY_PATH", mpich.with_file_name("lib"))
            .args(["-n", "2"])
            .args([target.join("debug").join(program)])
            .args(options.split(' '))
            .args(ONCE.split(' '))
            .ok();
        measured_on(&ended, "MPICH", program, 2, points);
    }
}

#[test]
fn windows_are_measured() {
    let Some(programs) = programs() else { return };
    for (program, options, points) in WINDOWS {
        for osc in ["sm,rdma", "rdma"] {
            let options = format!("{options} {ONCE}");
            let ended = job_with(&["--mca", "osc", osc], programs, 2, program, &options).ok();
            measured(&ended, program, 2, points);
        }
    }
}

/// Every program, with what it needs to be told.
const PROGRAMS: [(&str, &str); 12] = [
    ("bandwidth", ""),
    ("collectives", ""),
    ("datatypes", ""),
    ("match-bench", ""),
    ("message-rate", ""),
    ("multirate", ""),
    ("pingpong", ""),
    ("rma-issue", ""),
    ("rma-mt", ""),
    ("thread-tests", "--test latency"),
    ("vci", ""),
    ("waiting", ""),
];

/// It says so once, and not on every rank, and prints no result.
fn refused(ended: &Ended, reason: &str) {
    assert!(ended.stdout.is_empty(), "{ended}");
    assert_eq!(ended.stderr.matches(reason).count(), 1, "{reason}\n{ended}");
}

#[test]
fn one_rank_is_too_few() {
    let Some(programs) = programs() else { return };
    for (program, options) in PROGRAMS {
        let ended = job(programs, 1, program, &format!("{options} {ONCE}")).exits(REFUSED);
        refused(&ended, "the job has 1");
    }
}

#[test]
fn wrong_command_lines_end_with_a_message() {
    let Some(programs) = programs() else { return };
    for (program, options) in PROGRAMS {
        let ended = job(programs, 2, program, &format!("{options} --nonsense")).exits(REFUSED);
        refused(&ended, "unexpected argument '--nonsense'");
    }
    for (program, options, reason) in [
        ("pingpong", "--sizes 8-4", "the range 8-4 goes down"),
        ("pingpong", "--iterations 0", "a whole number from 1 on is needed"),
        ("pingpong", "--time 0", "seconds are a number above 0"),
        ("pingpong", "--threads 2 --level single", "several threads in a process need"),
        ("pingpong", "--pin 0,x", "not none, threads or a list of cores"),
        ("pingpong", "--pin 100000", "100000"),
        ("pingpong", "--threads 2 --floor cached", "two processes with a thread each"),
        ("bandwidth", "--sizes 0", "messages of 0 bytes have no bandwidth"),
        ("collectives", "--operations sum", "'sum'"),
        ("multirate", "-x 2", "as many receivers as senders"),
        ("multirate", "--pattern one-to-many -x 2", "one-to-many has 1 sender"),
        ("match-bench", "--mode unexpected --wildcard tag", "MPI_ANY_TAG"),
        ("thread-tests", "", "--test"),
        ("thread-tests", "--test latency --entities 1,2", "several need --launch"),
        ("vci", "--mode everywhere --threads 2", "needs 4 ranks; the job has 2"),
        ("rma-mt", "--operation accumulate", "put or get is needed"),
    ] {
        let ended = job(programs, 2, program, options).exits(REFUSED);
        assert!(ended.stdout.is_empty() && ended.stderr.contains(reason), "{reason}\n{ended}");
    }
}
