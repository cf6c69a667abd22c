//! Threads with communicators and windows of their own against processes, after section 5 of
//! Zambre et al. (2020).

mod instance;
mod isend;
mod put;

use cairn_lab::{Arguments, Channel, Common, Lab, Level, List, all_to_all, name, pairwise, sizes};
use clap::{Parser, ValueEnum};
use serde::Serialize;

use instance::Instance;

/// Rates of threads that show MPI which messages are independent, and of threads that do not
#[derive(Parser, Serialize)]
#[command(name = "vci")]
struct Args {
    #[command(flatten)]
    #[serde(flatten)]
    common: Common,
    /// What is measured
    #[arg(long, value_enum, default_value = "isend")]
    test: Test,
    /// Who talks, and over how many communicators or windows
    #[arg(long, value_enum, default_value = "parallel")]
    mode: Mode,
    /// Threads (processes in mode everywhere) on each side, such as 1,2,4; with
    /// dedicated-receiver, those that send
    #[arg(long, value_name = "LIST", default_value = "1")]
    threads: List,
    /// Sizes of the messages in bytes
    #[arg(long, value_name = "LIST", default_value = "8", value_parser = sizes)]
    sizes: List,
    /// Messages or puts before a thread waits for them
    #[arg(long, value_name = "N", default_value_t = 64)]
    window: usize,
    /// Computation of each thread of the target before it frees its window, in microseconds
    /// (put-free)
    #[arg(long, value_name = "LIST", default_value = "0")]
    busy: List,
    /// Communicators that are made before those of the threads and not used (mismatch)
    #[arg(long, value_name = "LIST", default_value = "0")]
    unused: List,
    /// The communication resources that the communicators of the threads ask for by the info key
    /// cairn_cri_instance: own, or a distance N for the instances 2, 2 + N, 2 + 2N and so on
    #[arg(long, value_name = "WISH")]
    instance: Option<Instance>,
}

impl Arguments for Args {
    fn common(&self) -> &Common {
        &self.common
    }

    fn threads(&self) -> usize {
        self.processes_and_threads(self.threads.largest()).1
    }

    fn level(&self) -> Level {
        // What MPI makes for threads is what takes the time.
        let threads = self.test == Test::Start || self.threads() > 1;
        if threads { Level::Multiple } else { Level::Single }
    }
}

#[derive(ValueEnum, Serialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
enum Test {
    /// MPI_Isend into posted receives
    Isend,
    /// MPI_Put, completed by MPI_Win_flush
    Put,
    /// MPI_Put, completed when the threads of the target free the windows
    PutFree,
    /// MPI_Isend over communicators that were made after unused ones
    Mismatch,
    /// MPI_Isend of several threads to one
    DedicatedReceiver,
    /// MPI_Init_thread and MPI_Finalize
    Start,
}

#[derive(ValueEnum, Serialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Mode {
    /// Processes with one thread each
    Everywhere,
    /// Threads of two processes, one communicator or window for all
    Serial,
    /// Threads of two processes, a communicator or window for each pair
    Parallel,
}

impl Args {
    /// How many processes and threads in each stand for so many `--threads`.
    fn processes_and_threads(&self, threads: usize) -> (usize, usize) {
        match self.mode {
            Mode::Everywhere => (threads, 1),
            Mode::Serial | Mode::Parallel => (1, threads),
        }
    }

    /// Who sends to whom, in a job with the ranks that [`mistake`] wants.
    fn channels(&self, ranks: usize, threads: usize) -> Vec<Channel> {
        let side = self.processes_and_threads(threads);
        let channels = match self.test {
            Test::DedicatedReceiver => all_to_all(ranks, side, (1, 1)),
            _ => pairwise(ranks, side, side),
        };
        channels.expect("the number of ranks is checked first")
    }
}

fn main() {
    let (lab, args) = Lab::start::<Args>();
    if let Some(reason) = mistake(&lab, &args) {
        lab.refuse(&reason);
    }
    if args.test == Test::Start {
        lab.finish_with_start_and_end();
    }
    lab.points(args.threads.len() * args.sizes.len() * args.busy.len() * args.unused.len());
    let done = match args.test {
        Test::Isend | Test::Mismatch | Test::DedicatedReceiver => {
            isend::measure(&lab, &args);
            Ok(())
        }
        Test::Put => put::flushed(&lab, &args),
        Test::PutFree => put::freed(&lab, &args),
        Test::Start => unreachable!("it has ended"),
    };
    match done {
        Ok(()) => lab.finish(),
        Err(reason) => lab.skip(&reason),
    }
}

fn mistake(lab: &Lab, args: &Args) -> Option<String> {
    let threads = args.threads.values();
    let zero = |list: &List| list.values().all(|value| value == 0);
    if threads.clone().any(|threads| threads == 0) || args.window == 0 {
        return Some("threads and windows count from 1".into());
    }
    if !zero(&args.busy) && args.test != Test::PutFree {
        return Some("--busy is for the test put-free".into());
    }
    if !zero(&args.unused) && args.test != Test::Mismatch {
        return Some("--unused is for the test mismatch".into());
    }
    if args.instance.is_some() && args.mode == Mode::Everywhere {
        return Some("--instance is for threads; in mode everywhere there are none".into());
    }
    if args.instance.is_some() && matches!(args.test, Test::Put | Test::PutFree | Test::Start) {
        return Some("--instance is for the tests that send messages".into());
    }
    if args.test == Test::Start {
        return None;
    }
    if args.test == Test::PutFree && args.mode == Mode::Serial {
        return Some("put-free has a window for each thread; mode serial has one for all".into());
    }
    if args.test == Test::Mismatch && args.mode == Mode::Everywhere {
        return Some("in mode everywhere there is nothing to be mismatched".into());
    }
    for threads in threads {
        let senders = args.processes_and_threads(threads).0;
        let receivers = if args.test == Test::DedicatedReceiver { 1 } else { senders };
        // Others would use processors while they wait.
        if senders + receivers != lab.size() {
            return Some(format!(
                "{} x {threads} needs {} ranks; the job has {}",
                name(&args.mode),
                senders + receivers,
                lab.size()
            ));
        }
    }
    None
}
