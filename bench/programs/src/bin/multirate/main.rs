//! Message rate of many senders and receivers, which are processes, threads, or some of each
//! (Patinyasakdikul 2019, chapter 3 and appendix A).
//!
//! ```text
//!  options ──► channels (who sends to whom) ──► one Entity per thread ──► rate, bandwidth, latency
//!                 │ tags, communicators
//! ```
#![forbid(unsafe_code)]

mod entity;
mod options;
mod tags;

use cairn_lab::{Channel, Comm, Coordinate, Counters, Lab, Metric, Summary, all_to_all, pairwise};

use crate::entity::{Entity, Shared, Traffic};
use crate::options::{Args, Pattern};

/// Every MPI that we know has as many tags.
const MOST_TAGS: usize = 1 << 19;

/// The messages of a window that a process has at most in memory, in bytes.
const MEMORY: usize = 2 << 30;

fn main() {
    let (lab, args) = Lab::start::<Args>();
    if let Err(reason) = check(&lab, &args) {
        lab.refuse(&reason);
    }
    let counters = match Counters::find(&args.counters) {
        Ok(counters) => counters,
        Err(reason) => lab.skip(&reason),
    };
    let (windows, sizes) = (args.window.values(), args.size.values());
    lab.points(args.thread_pairs().len() * args.window.len() * args.size.len());
    let mut lines = String::new();
    for threads in args.thread_pairs() {
        let channels = channels(&lab, &args, threads).expect("was checked");
        let comms = Communicators::make(&lab, &args, channels.len());
        for window in windows.clone() {
            for bytes in sizes.clone() {
                let before = counters.read();
                let seconds = measure(&lab, &args, &comms.all, threads, &channels, window, bytes);
                for (counter, value) in counters.since(&before, lab.world()) {
                    let mut at = place(bytes, window, threads).to_vec();
                    at.push(("counter", counter.into()));
                    lab.point(&at, Metric::Counter, Summary::of(&[value]));
                }
                lines += &args.classic_line(threads, bytes, window, channels.len(), seconds.median);
                lines.push('\n');
            }
        }
        comms.free();
    }
    counters.free();
    if args.classic() {
        lab.finish_as(|| lines);
    }
    lab.finish();
}

/// One point: seconds of an iteration, in which every channel carries a window.
fn measure(
    lab: &Lab,
    args: &Args,
    comms: &[Comm],
    (x, y): (usize, usize),
    channels: &[Channel],
    window: usize,
    bytes: usize,
) -> Summary {
    let tagging = args.tagging(window, comms.len() > 1);
    let traffic = Traffic { comms, channels, tagging, window, bytes };
    let shared = Shared::new(&traffic, args.overtaking());
    let threads = match channels {
        _ if channels.iter().any(|channel| channel.sender.rank == lab.rank()) => x,
        _ if channels.iter().any(|channel| channel.receiver.rank == lab.rank()) => y,
        _ => 1,
    };
    let measured = lab.measure(threads, |worker| Box::new(Entity::new(worker, &traffic, &shared)));
    let messages = (channels.len() * window) as f64;
    let at = place(bytes, window, (x, y));
    lab.point(&at, Metric::Rate, measured.rate(messages));
    if bytes > 0 {
        lab.point(&at, Metric::Bandwidth, measured.rate(messages * bytes as f64));
    }
    lab.point(&at, Metric::Latency, measured.time(messages));
    measured.time(1.0)
}

/// Where a point stands.
fn place(bytes: usize, window: usize, (x, y): (usize, usize)) -> [(&'static str, Coordinate); 3] {
    [("bytes", bytes.into()), ("window", window.into()), ("threads", x.max(y).into())]
}

/// Who sends to whom with so many threads in each sender and receiver.
fn channels(lab: &Lab, args: &Args, (x, y): (usize, usize)) -> Result<Vec<Channel>, String> {
    let (senders, receivers) = ((args.senders, x), (args.receivers, y));
    match args.pattern() {
        Pattern::Pairwise => pairwise(lab.size(), senders, receivers),
        _ => all_to_all(lab.size(), senders, receivers),
    }
}

/// Whether all points of the sweep can be measured.
fn check(lab: &Lab, args: &Args) -> Result<(), String> {
    args.check()?;
    for threads in args.thread_pairs() {
        let channels = channels(lab, args, threads)?;
        let window = args.window.largest();
        let tagging = args.tagging(window, args.separate());
        let tags = tagging.count(channels.len());
        if tags > MOST_TAGS {
            return Err(format!(
                "{} channels with a window of {window} need {tags} tags, more than {MOST_TAGS}; \
                 --tags pair or shared need fewer",
                channels.len()
            ));
        }
        let busiest = |rank: usize| {
            let mine =
                |channel: &&Channel| rank == channel.sender.rank || rank == channel.receiver.rank;
            channels.iter().filter(mine).count()
        };
        let most = (0..lab.size()).map(busiest).max().unwrap_or(0);
        let memory = most.saturating_mul(window).saturating_mul(args.size.largest());
        if memory > MEMORY {
            return Err(format!(
                "windows of {window} messages of {} bytes on {most} channels take {} MiB in a \
                 process, more than {} MiB",
                args.size.largest(),
                memory >> 20,
                MEMORY >> 20
            ));
        }
    }
    Ok(())
}

/// What the messages of the channels travel on.
struct Communicators {
    /// One for each channel, or one for all.
    all: Vec<Comm>,
    /// Whether they were made here.
    own: bool,
}

impl Communicators {
    /// Collective.
    fn make(lab: &Lab, args: &Args, channels: usize) -> Communicators {
        let one = || match args.overtaking() {
            true => lab.world().duplicate_with("mpi_assert_allow_overtaking", "true"),
            false => lab.world().duplicate(),
        };
        match (args.separate(), args.overtaking()) {
            (true, _) => Communicators { all: (0..channels).map(|_| one()).collect(), own: true },
            (false, true) => Communicators { all: vec![one()], own: true },
            (false, false) => Communicators { all: vec![lab.world()], own: false },
        }
    }

    fn free(self) {
        if self.own {
            for comm in self.all {
                comm.free();
            }
        }
    }
}
