//! Beginning and end of a benchmark.

use std::panic;
use std::process::exit;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use clap::Parser;
use mpi::environment::Universe;
use mpi::{Threading, ffi};
use serde::Serialize;
use serde_json::{Value, json};

use crate::args::{Common, Level};
use crate::comm::Comm;
use crate::measure;
use crate::messages;
use crate::output::{Coordinate, Metric, Point, Run};
use crate::progress::Progress;
use crate::statistics::Summary;

/// Exit statuses.
const WRONG_DATA: i32 = 1;
const REFUSED: i32 = 2;
const SKIPPED: i32 = 77;

/// The command line of a benchmark.
pub trait Arguments: Parser + Serialize {
    /// The options that all have.
    fn common(&self) -> &Common;

    /// The most threads that a process will have.
    fn threads(&self) -> usize;

    /// The thread level to ask MPI for, unless the command line says it.
    fn level(&self) -> Level {
        if self.threads() > 1 { Level::Multiple } else { Level::Single }
    }

    /// Fills in what follows from other options, so that the output shows it. Called once, first.
    fn settle(&mut self) {}
}

/// A benchmark that runs: MPI, its options, and what was measured so far.
pub struct Lab {
    /// Finalizes MPI.
    universe: Option<Universe>,
    benchmark: String,
    /// For the lab's own messages.
    control: Comm,
    rank: usize,
    size: usize,
    level: Level,
    most_threads: usize,
    common: Common,
    parameters: Value,
    library: String,
    library_file: Option<String>,
    /// Seconds that MPI took to start on this rank.
    start: f64,
    /// Messages with wrong data on this rank.
    wrong: AtomicU64,
    points: Mutex<Vec<Point>>,
    progress: Progress,
}

impl Lab {
    /// Reads the command line and starts MPI, with `MPI_THREAD_MULTIPLE` if any process will have
    /// several threads. Ends the program on all ranks, with the reason from rank 0, if the command
    /// line is wrong or MPI does not have the level.
    pub fn start<A: Arguments>() -> (Lab, A) {
        let benchmark = A::command().get_name().to_owned();
        let parsed = A::try_parse().map(|mut args| {
            args.settle();
            args
        });
        let needed = match &parsed {
            Ok(args) => args.level(),
            Err(_) => Level::Single,
        };
        let chosen = parsed.as_ref().ok().and_then(|args| args.common().level);
        let wanted = chosen.unwrap_or(needed);
        let began = Instant::now();
        let Some((universe, provided)) = mpi::initialize_with_threading(threading(wanted)) else {
            unreachable!("nobody has initialised MPI before");
        };
        let start = began.elapsed().as_secs_f64();
        abort_on_panic();
        let rank = Comm::world().rank();
        let args = match parsed {
            Ok(args) => args,
            Err(error) => {
                if rank == 0 {
                    // There is no process left to tell when this fails.
                    let _ = error.print();
                }
                drop(universe);
                exit(error.exit_code());
            }
        };
        let mut parameters = serde_json::to_value(&args).expect("options are plain values");
        parameters["level"] = json!(wanted);
        let library = mpi::environment::library_version().unwrap_or_default();
        let lab = Lab {
            universe: Some(universe),
            benchmark,
            control: Comm::world().duplicate(),
            rank,
            size: Comm::world().size(),
            level: wanted,
            most_threads: args.threads(),
            common: args.common().clone(),
            parameters,
            library: library.lines().next().unwrap_or_default().trim_end_matches('\0').into(),
            library_file: library_file(),
            start,
            wrong: AtomicU64::new(0),
            points: Mutex::new(Vec::new()),
            progress: Progress::new(rank == 0 && !args.common().json, args.common().batches),
        };
        if wanted < needed {
            lab.refuse("several threads in a process need --level multiple");
        }
        if let Err(reason) = measure::can_pin(&lab) {
            lab.refuse(&reason);
        }
        if provided < threading(wanted) {
            lab.skip(&format!("this MPI has no thread level {wanted:?}"));
        }
        (lab, args)
    }

    /// This process.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// How many processes there are.
    pub fn size(&self) -> usize {
        self.size
    }

    /// All processes, for the messages that are measured.
    pub fn world(&self) -> Comm {
        Comm::world()
    }

    /// The thread level that MPI was asked for.
    pub fn level(&self) -> Level {
        self.level
    }

    /// The options that all benchmarks have.
    pub fn common(&self) -> &Common {
        &self.common
    }

    /// How many points the sweep has, for the progress bar.
    pub fn points(&self, points: usize) {
        self.progress.points(points);
    }

    /// Adds a result, on every rank.
    pub fn point(&self, at: &[(&str, Coordinate)], metric: Metric, value: Summary) {
        let at = at.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        self.points.lock().unwrap().push(Point { at, metric, value });
    }

    /// So many messages had wrong data.
    pub fn wrong(&self, messages: u64) {
        self.wrong.fetch_add(messages, Ordering::Relaxed);
    }

    /// Prints what was measured and ends the program. Collective.
    pub fn finish(self) -> ! {
        let table = |run: &Run| run.table();
        self.finish_with(table)
    }

    /// As [`Lab::finish`], with two points: the time that MPI took to start, on the rank where it took
    /// longest, and to end, on rank 0, which cannot hear of others then.
    pub fn finish_with_start_and_end(mut self) -> ! {
        let start = self.control.maximum(self.start);
        self.control.free();
        let began = Instant::now();
        drop(self.universe.take());
        let end = began.elapsed().as_secs_f64();
        for (call, seconds) in [("MPI_Init_thread", start), ("MPI_Finalize", end)] {
            self.point(&[("call", call.into())], Metric::Time, Summary::of(&[seconds]));
        }
        self.print(0, 0, |run: &Run| run.table());
        exit(0)
    }

    /// As [`Lab::finish`], with a text of the benchmark's own instead of the table. `text` is
    /// called on rank 0 only.
    pub fn finish_as(self, text: impl FnOnce() -> String) -> ! {
        self.finish_with(|_| text())
    }

    fn finish_with(self, table: impl FnOnce(&Run) -> String) -> ! {
        self.progress.end();
        let wrong = self.control.sum(self.wrong.load(Ordering::Relaxed));
        messages::say();
        let messages = self.control.sum(messages::said());
        self.print(wrong, messages, table);
        self.end(if wrong == 0 { 0 } else { WRONG_DATA })
    }

    /// Prints what was measured, on rank 0.
    fn print(&self, wrong: u64, messages: u64, table: impl FnOnce(&Run) -> String) {
        if self.rank != 0 {
            return;
        }
        let points = self.points.lock().unwrap();
        let run = Run {
            benchmark: &self.benchmark,
            library: &self.library,
            library_file: self.library_file.as_deref(),
            ranks: self.size,
            parameters: &self.parameters,
            points: &points,
            messages: Some(messages).filter(|messages| *messages > 0),
            checked: wrong == 0,
        };
        if self.common.json {
            println!("{}", run.json());
        } else {
            print!("{}", table(&run));
        }
        if wrong > 0 {
            eprintln!("{}: {wrong} messages had wrong data", self.benchmark);
        }
    }

    /// Ends the program because this cannot be done with so many ranks or these options. Collective:
    /// every rank must come to the same conclusion.
    pub fn refuse(self, reason: &str) -> ! {
        if self.rank == 0 {
            eprintln!("{}: {reason}", self.benchmark);
        }
        self.end(REFUSED)
    }

    /// Ends the program because this MPI lacks something. Collective as [`Lab::refuse`].
    pub fn skip(self, reason: &str) -> ! {
        if self.rank == 0 {
            if self.common.json {
                println!(
                    "{}",
                    json!({
                        "format": 1,
                        "benchmark": self.benchmark,
                        "skipped": reason,
                    })
                );
            }
            eprintln!("{}: skipped: {reason}", self.benchmark);
        }
        self.end(SKIPPED)
    }

    fn end(mut self, status: i32) -> ! {
        self.progress.end();
        self.control.free();
        drop(self.universe.take());
        exit(status)
    }

    pub(crate) fn control(&self) -> Comm {
        self.control
    }

    pub(crate) fn most_threads(&self) -> usize {
        self.most_threads
    }

    pub(crate) fn progress(&self) -> &Progress {
        &self.progress
    }
}

fn threading(level: Level) -> Threading {
    match level {
        Level::Single => Threading::Single,
        Level::Funneled => Threading::Funneled,
        Level::Serialized => Threading::Serialized,
        Level::Multiple => Threading::Multiple,
    }
}

/// The file that the functions of MPI were loaded from. Not in every case the one that the program was
/// linked with: libraries with the same ABI can stand for each other. None if that can't be told.
fn library_file() -> Option<String> {
    let address = ffi::MPI_Get_library_version as *const () as usize;
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    maps.lines().find_map(|line| mapped(line, address))
}

/// The file of a line of `/proc/PID/maps` if it has an address.
fn mapped(line: &str, address: usize) -> Option<String> {
    let (start, rest) = line.split_once('-')?;
    let (end, rest) = rest.split_once(' ')?;
    let number = |text| usize::from_str_radix(text, 16).ok();
    let file = &rest[rest.find('/')?..];
    (number(start)?..number(end)?).contains(&address).then(|| file.to_owned())
}

/// A thread that panics ends the job, because all others wait for its messages.
fn abort_on_panic() {
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        report(info);
        // SAFETY: MPI is initialised as long as a benchmark runs.
        unsafe { ffi::MPI_Abort(ffi::RSMPI_COMM_WORLD, WRONG_DATA) };
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_an_address_is_found() {
        let line = "7f00-7f80 r-xp 00001000 08:01 42        /opt/a b/libmpi.so.12";
        assert_eq!(mapped(line, 0x7f00).as_deref(), Some("/opt/a b/libmpi.so.12"));
        for (line, address) in
            [(line, 0x7f80), ("7f00-7f80 rw-p 0 00:00 0 [heap]", 0x7f00), ("", 0)]
        {
            assert_eq!(mapped(line, address), None);
        }
        // This test is a program with the library.
        assert!(library_file().is_some_and(|file| file.contains("mpi")));
    }
}
