//! Random programs of one-sided communication, each compared with a model of the memory of all processes:
//! `tests/mpi/rma_model.c` says which programs these are.
//!
//! A program that fails is made smaller: as few operations as possible that still fail. The test then says the
//! command that runs the smallest one.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use cairn_tests::programs::{self, Counts};
use cairn_tests::strategies::{Combination, Factors, combinations};
use cairn_tests::{Ended, Run, windows};

/// How long a program may take that is one of those that are tried to find the smallest.
const PATIENCE: &str = "10";
/// How long that search may go on.
const SEARCH: Duration = Duration::from_secs(60);
/// Numbers of operations begin with a multiple of this in each epoch, of which there are at most [`EPOCHS`].
const EPOCH: u64 = 1000;
const EPOCHS: u64 = 5;

/// How many programs run with each combination.
fn programs_each(usual: u64) -> u64 {
    let said = std::env::var("CAIRN_RMA_PROGRAMS").ok();
    said.map_or(usual, |text| text.parse().expect("a number of programs"))
}

fn factor(name: &str, values: &[&str]) -> (String, Vec<String>) {
    (name.to_owned(), values.iter().map(|value| (*value).to_owned()).collect())
}

/// Processes, and components of what has to do with windows.
fn factors(processes: &[&str]) -> Factors {
    vec![
        factor("processes", processes),
        ("btl".to_owned(), windows::transports()),
        factor("osc", windows::COMPONENTS),
        factor("issue", windows::ISSUES),
        factor("osc_rdma_ways", windows::WAYS),
        // Everything that can be put and got is, or only what is worth a call of the system.
        factor("btl_sm_rma_from", &["0", "8k"]),
        factor("progress", &["serial", "concurrent", "thread"]),
    ]
}

/// The model with one combination.
struct Model<'a> {
    program: PathBuf,
    combination: &'a Combination,
    level: &'a str,
    /// What its arguments begin with.
    arguments: &'a [&'a str],
}

impl Model<'_> {
    fn run(&self, arguments: &[&str]) -> Run {
        let mut run = Run::mpirun().args(["--oversubscribe"]);
        for (name, value) in self.combination {
            run = match name.as_str() {
                "processes" => run.args(["-n", value]),
                _ => run.args(["--mca", name, value]),
            };
        }
        let run = run.env("TEST_THREAD_LEVEL", self.level).args([&self.program]);
        run.args(self.avoids()).args(self.arguments).args(arguments)
    }

    /// Memory that all processes load and store is there only with the component for that.
    fn avoids(&self) -> &[&str] {
        let is = |name, value: &str| self.combination.iter().any(|(n, v)| n == name && v == value);
        if is("osc", "rdma") { &["--avoid", "shared"] } else { &[] }
    }

    /// How it ended, if it did not end well.
    fn failure(&self, arguments: &[&str]) -> Option<Ended> {
        let ended = self.run(arguments).within(Duration::from_secs(600)).end();
        (!ended.is_well()).then_some(ended)
    }

    /// Programs with these seeds, all of which end well.
    fn agrees(&self, first: u64, last: u64) {
        let Some(ended) = self.failure(&["--seeds", &format!("{first}-{last}")]) else { return };
        let start = Instant::now();
        let seeds = (first..=last).take_while(|_| start.elapsed() < SEARCH);
        let fails = |seed: &u64| self.small_fails(*seed, EPOCH * EPOCHS, &[]).is_some();
        let mut said = format!("{ended}\n");
        match seeds.into_iter().find(fails) {
            None => said += "\nNone of these programs failed when it ran alone.",
            Some(seed) => {
                let (steps, skip) = self.smallest(seed);
                let (seed, steps, skip) = (seed.to_string(), steps.to_string(), skip.join(","));
                let mut arguments = vec!["--seed", &seed, "--steps", &steps, "--verbose"];
                if !skip.is_empty() {
                    arguments.extend(["--skip", &skip]);
                }
                let smallest = self.run(&arguments).within(Duration::from_secs(600)).end();
                write!(said, "\nThe smallest program found that fails:\n{smallest}").unwrap();
            }
        }
        panic!("{said}");
    }

    /// Whether a part of a program fails.
    fn small_fails(&self, seed: u64, steps: u64, skip: &[String]) -> Option<Ended> {
        let (seed, steps, skip) = (seed.to_string(), steps.to_string(), skip.join(","));
        let mut arguments = vec!["--seed", &seed, "--steps", &steps, "--patience", PATIENCE];
        if !skip.is_empty() {
            arguments.extend(["--skip", &skip]);
        }
        self.failure(&arguments)
    }

    /// The number that operations are below, and those that are left out, of a small program that fails.
    fn smallest(&self, seed: u64) -> (u64, Vec<String>) {
        let start = Instant::now();
        let fails = |steps: u64, skip: &[String]| {
            start.elapsed() < SEARCH && self.small_fails(seed, steps, skip).is_some()
        };
        let epoch = (1..=EPOCHS).find(|epoch| fails(epoch * EPOCH, &[])).unwrap_or(EPOCHS);
        let (mut enough, mut few) = (epoch * EPOCH, (epoch - 1) * EPOCH);
        while enough - few > 1 {
            let middle = few.midpoint(enough);
            if fails(middle, &[]) {
                enough = middle;
            } else {
                few = middle;
            }
        }
        let mut skip = Vec::new();
        let mut leave_out = |what: String| {
            skip.push(what);
            let good = fails(enough, &skip);
            if !good {
                skip.pop();
            }
            good
        };
        let epochs: Vec<u64> = (0..epoch - 1)
            .filter(|epoch| !leave_out(format!("e{epoch}")))
            .chain([epoch - 1])
            .collect();
        for epoch in epochs {
            let end = enough.min((epoch + 1) * EPOCH);
            let mut parts = vec![(epoch * EPOCH, end.min(epoch * EPOCH + 256))];
            while let Some((first, end)) = parts.pop() {
                let one = end - first == 1;
                if first >= end || leave_out(format!("{first}-{}", end - 1)) || one {
                    continue;
                }
                let middle = first.midpoint(end);
                parts.extend([(first, middle), (middle, end)]);
            }
        }
        (enough, skip)
    }
}

/// Programs with each combination, each with seeds of its own.
fn agree(factors: &Factors, level: &str, arguments: &[&str], each: u64) {
    let program = programs::compiled(env!("CARGO_TARGET_TMPDIR"), "rma_model", Counts::Small);
    for (number, combination) in combinations(factors).iter().enumerate() {
        let first = 1 + number as u64 * each;
        let program = program.clone();
        Model { program, combination, level, arguments }.agrees(first, first + each - 1);
    }
}

#[test]
fn random_programs_do_what_the_standard_says() {
    agree(&factors(&["1", "2", "3", "4", "5"]), "single", &[], programs_each(100));
}

#[test]
fn so_they_do_with_locks_of_the_library() {
    agree(&factors(&["2", "3"]), "multiple", &[], programs_each(40));
}

#[test]
fn threads_may_operate_on_one_window() {
    agree(&factors(&["1", "2", "3"]), "multiple", &["--threads", "4"], programs_each(10));
}

/// No operation of these programs is taken for a conflict.
#[test]
fn their_accesses_do_not_conflict() {
    let mut factors = factors(&["1", "2", "3", "4", "5"]);
    factors.push(factor("osc_debug", &["true"]));
    agree(&factors, "single", &[], programs_each(20));
}
