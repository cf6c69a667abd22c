//! Instructions of the hot paths, counted by callgrind: a message of 8 bytes between two processes of a node,
//! which is there when it is received. What a build executes is the same on every run and every machine, so
//! a change of 2 % is one of the code. Values are those of a compiler: another one only reports.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use cairn_tests::{Run, dist, root, scratch, skipped};

/// Messages that `present.c` sends in one run and in the other. What is different is that of the messages
/// between, without the connection that the first one makes.
const MESSAGES: [u64; 2] = [500, 2500];

/// How far a count may be from the recorded one.
const TOLERANCE: f64 = 0.02;

/// `MPI_THREAD_SINGLE` and `MPI_THREAD_MULTIPLE`.
const LEVELS: [(&str, &str); 2] = [("single", "0"), ("multiple", "4096")];

#[test]
fn hot_paths_take_as_many_instructions_as_recorded() {
    if Run::exists("valgrind").is_none() {
        return skipped("there is no valgrind");
    }
    let dir = scratch();
    let program = dir.path().join("present");
    let source = root().join("tests/instructions/present.c");
    Run::new(dist().join("bin/mpicc")).args(["-O2", "-o"]).args([&program, &source]).ok();
    let mut counted = BTreeMap::new();
    for (level, number) in LEVELS {
        let [send, recv] = count(dir.path(), &program, "blocking", number, &["PMPI_Send"]);
        let sends = ["PMPI_Isend", "PMPI_Wait"];
        let [isend, _] = count(dir.path(), &program, "nonblocking", number, &sends);
        for (what, count) in [("send", send), ("recv", recv), ("isend_wait", isend)] {
            counted.insert(format!("{level}_{what}"), count);
        }
    }
    compare(&counted);
}

/// Instructions a message in functions of the library, below these functions and `MPI_Recv`: of the sender and
/// of the receiver.
fn count(dir: &Path, program: &Path, way: &str, level: &str, functions: &[&str]) -> [f64; 2] {
    let [fewer, more] =
        MESSAGES.map(|messages| run(dir, program, &[way, level, &messages.to_string()], functions));
    let between = (MESSAGES[1] - MESSAGES[0]) as f64;
    [0, 1].map(|rank| (more[rank] - fewer[rank]) as f64 / between)
}

/// The same of one run, for all messages.
fn run(dir: &Path, program: &Path, args: &[&str; 3], functions: &[&str]) -> [u64; 2] {
    let words = dir.join("words");
    fs::write(&words, [0; 128]).expect("a file");
    let out = dir.join("out");
    let _ = fs::remove_dir_all(&out);
    fs::create_dir(&out).expect("a directory");
    let collected = functions.iter().chain(&["PMPI_Recv"]);
    Run::mpirun()
        .args([
            "--oversubscribe",
            // How often a process looks whether the others live depends on the time that a run takes.
            "--mca",
            "btl_sm_watch_interval",
            "3600000",
            "-n",
            "2",
            "valgrind",
            "--tool=callgrind",
            "--collect-atstart=no",
        ])
        .args(collected.map(|function| format!("--toggle-collect={function}")))
        .args([format!("--callgrind-out-file={}/%q{{PMI_RANK}}", out.display())])
        .args([program])
        .args(&args[..2])
        .args([&words])
        .args(&args[2..])
        .ok();
    [0, 1].map(|rank: u32| {
        let text = fs::read_to_string(out.join(rank.to_string())).expect("callgrind's output");
        own_instructions(&text)
    })
}

/// Instructions in functions of `libmpi_abi.so`. Callgrind's format: `ob=` begins the functions of an object,
/// with its name or only a number for it; a line of cost has a position and a count; that behind `calls=` is the
/// cost of the function that is called, which has lines of its own.
fn own_instructions(text: &str) -> u64 {
    let mut own_number = None;
    let (mut inside, mut of_called, mut sum) = (false, false, 0);
    for line in text.lines() {
        if let Some(object) = line.strip_prefix("ob=").or_else(|| line.strip_prefix("cob=")) {
            let (number, name) = object.split_once(' ').unwrap_or((object, ""));
            if name.contains("libmpi_abi.so") {
                own_number = Some(number.to_owned());
            }
            if line.starts_with("ob=") {
                inside = own_number.as_deref() == Some(number);
            }
        } else if line.starts_with("calls=") {
            of_called = true;
        } else if line.starts_with(|first: char| first.is_ascii_digit() || "+-*".contains(first)) {
            let count = line.split_whitespace().nth(1).and_then(|count| count.parse::<u64>().ok());
            if inside && !of_called {
                sum += count.unwrap_or(0);
            }
            of_called = false;
        }
    }
    sum
}

/// Compares with the values of this compiler in `instructions.toml`.
fn compare(counted: &BTreeMap<String, f64>) {
    let compiler = Run::new("rustc").args(["--version"]).ok().stdout.trim().to_owned();
    let file = root().join("tests/instructions/recorded.toml");
    let text = fs::read_to_string(&file).expect("recorded values");
    let recorded: BTreeMap<String, BTreeMap<String, f64>> =
        toml::from_str(&text).expect("a table for each compiler");
    let lines = counted.iter().map(|(what, count)| format!("{what} = {count:.1}\n"));
    let now = format!("[\"{compiler}\"]\n{}", lines.collect::<String>());
    let Some(recorded) = recorded.get(&compiler) else {
        eprintln!("{now}");
        return skipped(&format!("no instructions are recorded for {compiler}"));
    };
    let far = |(what, count): (&String, &f64)| {
        let known = recorded.get(what).copied().unwrap_or(0.0);
        let ratio = count / known;
        ((ratio - 1.0).abs() > TOLERANCE).then(|| format!("{what}: {known} to {count:.1}"))
    };
    let changed: Vec<String> = counted.iter().filter_map(far).collect();
    assert!(
        changed.is_empty(),
        "instructions have changed: {changed:?}. If that is meant, {} gets\n{now}",
        file.display()
    );
    print!("{now}");
}

#[test]
fn only_instructions_of_the_library_count() {
    let text = "ob=(1) /x/lib/libmpi_abi.so.1\nfn=(1) a\n10 5\n+3 2\ncob=(2) /libc.so\ncfn=(2) b\ncalls=3 0\n* 99\n\
                11 1\nob=(2)\nfn=(2)\n7 50\nob=(1)\nfn=(3) c\n-1 4\n";
    assert_eq!(own_instructions(text), 5 + 2 + 1 + 4);
}
