//! What threads cost against processes, after the eight tests of Thakur and Gropp (2009).
#![forbid(unsafe_code)]

mod collectives;
mod launch;
mod overlap;
mod pairs;
mod short_long;

use cairn_lab::{Arguments, Common, Lab, Level, List, sizes};
use clap::{Parser, ValueEnum};
use serde::Serialize;

/// Eight tests of what threads cost against processes
#[derive(Parser, Serialize)]
#[command(name = "thread-tests")]
struct Args {
    #[command(flatten)]
    #[serde(flatten)]
    common: Common,
    /// Which test
    #[arg(long, value_enum)]
    test: Test,
    /// Whether the entities of a node are threads of one process, or processes
    #[arg(long, value_enum, default_value = "threads")]
    form: Form,
    /// Entities of each node; with --launch a list such as 1,4
    #[arg(long, value_name = "LIST", default_value = "1")]
    entities: List,
    /// Sizes in bytes [default: bandwidth 64k-1m, message-rate 0, overlap 1k-1m, collectives 8-8k,
    /// collectives-computation 64k, others 0,1-1k]
    #[arg(long, value_name = "LIST", value_parser = sizes)]
    sizes: Option<List>,
    /// Short messages in a series (short-long)
    #[arg(long, value_name = "N", default_value_t = 100)]
    messages: usize,
    /// Size of the long message in bytes (short-long)
    #[arg(long, value_name = "SIZE", default_value = "4m", value_parser = size)]
    long: usize,
    /// Computation of a step, in microseconds (overlap)
    #[arg(long, value_name = "US", default_value_t = 200)]
    computation: u64,
    /// Start jobs with this command, in which {ranks} is their number of ranks, and compare the
    /// forms
    #[arg(long, value_name = "COMMAND")]
    #[serde(skip)]
    launch: Option<String>,
    /// Nodes of a job that --launch starts (collectives, collectives-computation, overlap)
    #[arg(long, value_name = "N", default_value_t = 2, requires = "launch")]
    #[serde(skip)]
    nodes: usize,
    /// Jobs of each form that --launch starts; the result is their median
    #[arg(long, value_name = "N", default_value_t = 3, requires = "launch")]
    #[serde(skip)]
    repeats: usize,
    /// Seconds until a job that --launch started is ended
    #[arg(long, value_name = "S", default_value_t = 60, requires = "launch")]
    #[serde(skip)]
    limit: u64,
}

impl Arguments for Args {
    fn common(&self) -> &Common {
        &self.common
    }

    fn threads(&self) -> usize {
        match (self.form, self.test) {
            (Form::Processes, _) | (_, Test::Overhead | Test::Overlap) => 1,
            (_, Test::ShortLong) => 2,
            (_, Test::CollectivesComputation) => self.entities.largest() + 1,
            _ => self.entities.largest(),
        }
    }

    fn level(&self) -> Level {
        match self.form {
            Form::Threads => Level::Multiple,
            Form::Processes => Level::Single,
        }
    }

    fn settle(&mut self) {
        let sizes = match self.test {
            Test::Bandwidth => "64k-1m",
            Test::MessageRate => "0",
            Test::Overlap => "1k-1m",
            Test::Collectives => "8-8k",
            Test::CollectivesComputation => "64k",
            Test::Overhead | Test::Latency | Test::ShortLong => "0,1-1k",
        };
        self.sizes.get_or_insert_with(|| sizes.parse().expect("a default is a list"));
    }
}

#[derive(ValueEnum, Serialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
enum Test {
    /// Latency of a program with one thread (3.1)
    Overhead,
    /// Bandwidth of pairs that send long messages at once (3.2)
    Bandwidth,
    /// Latency of pairs that play ping-pong at once (3.3)
    Latency,
    /// Rate of pairs that send empty messages at once (3.4)
    MessageRate,
    /// Time of short messages beside a long one (3.5)
    ShortLong,
    /// Computation between nonblocking messages and the wait for them (3.6)
    Overlap,
    /// MPI_Allreduce on several communicators at once (3.7)
    Collectives,
    /// Computation beside MPI_Allreduce (3.8)
    CollectivesComputation,
}

#[derive(ValueEnum, Serialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Form {
    /// Threads of one process a node, with MPI_THREAD_MULTIPLE
    Threads,
    /// Processes with one thread, with MPI_THREAD_SINGLE
    Processes,
}

impl Args {
    fn sizes(&self) -> &List {
        self.sizes.as_ref().expect("settled")
    }

    /// Of a job, which has one number of them.
    fn entities(&self) -> usize {
        self.entities.largest()
    }

    /// The largest message of each.
    fn processes_and_threads(&self) -> (usize, usize) {
        match self.form {
            Form::Threads => (1, self.entities()),
            Form::Processes => (self.entities(), 1),
        }
    }
}

fn size(text: &str) -> Result<usize, String> {
    let list = sizes(text)?;
    if list.len() == 1 { Ok(list.largest()) } else { Err("one size is needed".into()) }
}

fn main() {
    if let Ok(args) = Args::try_parse()
        && let Some(command) = &args.launch
    {
        launch::run(&args, command);
    }
    let (lab, args) = Lab::start::<Args>();
    if let Some(reason) = mistake(&args) {
        lab.refuse(&reason);
    }
    let done = match args.test {
        Test::Overhead | Test::Bandwidth | Test::Latency | Test::MessageRate => {
            pairs::measure(&lab, &args)
        }
        Test::ShortLong => short_long::measure(&lab, &args),
        Test::Overlap => overlap::measure(&lab, &args),
        Test::Collectives => collectives::concurrent(&lab, &args),
        Test::CollectivesComputation => collectives::with_computation(&lab, &args),
    };
    match done {
        Ok(()) => lab.finish(),
        Err(reason) => lab.refuse(&reason),
    }
}

fn mistake(args: &Args) -> Option<String> {
    if args.entities.len() > 1 {
        Some("a job has one number of entities; several need --launch".into())
    } else if args.entities() == 0 || args.messages == 0 {
        Some("entities and messages count from 1".into())
    } else if args.test == Test::Overhead && args.entities() > 1 {
        Some("the test overhead is about one thread; it has 1 entity".into())
    } else {
        None
    }
}
