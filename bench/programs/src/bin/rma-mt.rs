//! One-sided operations that many threads issue at once, after RMA-MT (Dosanjh et al. 2016).

use std::thread::sleep;
use std::time::Duration;

use cairn_lab::{
    Arguments, Comm, Common, Group, Lab, List, Metric, Operation, Origin, SpinBarrier, Window,
    Work, Worker, check, fill, place_bytes, sizes,
};
use clap::{Parser, ValueEnum};
use serde::Serialize;

/// Latency, rate and bandwidth of one-sided operations of several threads
#[derive(Parser, Serialize)]
#[command(name = "rma-mt")]
struct Args {
    #[command(flatten)]
    #[serde(flatten)]
    common: Common,
    /// What is measured
    #[arg(long, value_enum, default_value = "bandwidth")]
    test: Test,
    /// What the threads do
    #[arg(long, value_enum, default_value = "put", value_parser = put_or_get)]
    operation: Operation,
    /// How a round is begun and completed
    #[arg(long, value_enum, default_value = "flush")]
    sync: Sync,
    /// Threads of each origin, such as 1,2,4
    #[arg(long, value_name = "LIST", default_value = "1")]
    threads: List,
    /// Sizes in bytes, such as 1,64,4k-1m
    #[arg(long, value_name = "LIST", default_value = "1-1m", value_parser = sizes)]
    sizes: List,
    /// Operations of each thread in a round (latency: 1)
    #[arg(long, value_name = "N", default_value_t = 1000)]
    operations: usize,
    /// A window for each thread instead of one for all
    #[arg(long)]
    window_per_thread: bool,
    /// The targets sleep and call MPI in turn instead of waiting in it
    #[arg(long)]
    busy: bool,
    /// How long they sleep, in nanoseconds
    #[arg(long, value_name = "NS", default_value_t = 10_000, requires = "busy")]
    sleep: u64,
}

impl Arguments for Args {
    fn common(&self) -> &Common {
        &self.common
    }

    fn threads(&self) -> usize {
        self.threads.largest()
    }
}

#[derive(ValueEnum, Serialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Test {
    /// Many operations in a round, from one rank of a pair
    Bandwidth,
    /// Many operations in a round, from both ranks of a pair
    Bidirectional,
    /// One operation of each thread in a round
    Latency,
}

#[derive(ValueEnum, Serialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
enum Sync {
    /// MPI_Win_lock_all, MPI_Win_unlock_all
    LockAll,
    /// MPI_Win_fence before and after
    Fence,
    /// MPI_Win_lock, MPI_Win_unlock
    Lock,
    /// MPI_Win_flush by the first thread
    Flush,
    /// MPI_Win_post, start, complete, wait
    Pscw,
    /// MPI_Win_flush by every thread
    AllFlush,
    /// MPI_Win_flush_all
    FlushAll,
    /// MPI_Win_flush_local
    FlushLocal,
    /// MPI_Win_flush_local_all
    FlushLocalAll,
}

impl Sync {
    /// Whether the target takes part.
    fn active(self) -> bool {
        matches!(self, Sync::Fence | Sync::Pscw)
    }

    /// Whether one epoch spans all rounds.
    fn flushes(self) -> bool {
        !self.active() && !matches!(self, Sync::Lock | Sync::LockAll)
    }
}

fn put_or_get(text: &str) -> Result<Operation, String> {
    match Operation::from_str(text, false) {
        Ok(operation @ (Operation::Put | Operation::Get)) => Ok(operation),
        _ => Err("put or get is needed".into()),
    }
}

/// Each thread uses so much memory over and over, unless one buffer is larger.
const WORKING_SET: usize = 64 << 10;

/// Threads whose messages can be told apart.
const MOST_THREADS: usize = 4096;

fn main() {
    let (lab, args) = Lab::start::<Args>();
    if let Some(reason) = mistake(&lab, &args) {
        lab.refuse(&reason);
    }
    let pair = lab.world().split(Some(lab.rank() / 2)).expect("every rank is in a pair");
    let most = args.threads.largest();
    let place = args.sizes.values().map(|bytes| place_bytes(args.slots(bytes), bytes)).max();
    let place = place.expect("a list has a value");
    let (number, bytes) =
        if args.window_per_thread { (most, place) } else { (1, place.saturating_mul(most)) };
    let windows: Result<Vec<Window>, String> =
        (0..number).map(|_| Window::allocate(pair, bytes, None)).collect();
    let windows = match windows {
        Ok(windows) => windows,
        Err(reason) => lab.skip(&reason),
    };
    let partner = Group::of(pair, 1 - pair.rank());

    lab.points(args.threads.len() * args.sizes.len());
    for threads in args.threads.values() {
        for bytes in args.sizes.values() {
            let gate = SpinBarrier::new(threads);
            let measured = lab.measure(threads, |worker| {
                let own = if args.window_per_thread { worker.entity.thread } else { 0 };
                let around = Around { pair, partner: &partner, gate: &gate };
                Box::new(Thread::new(&args, worker, &windows[own], around, bytes))
            });
            let at = [("threads", threads.into()), ("bytes", bytes.into())];
            if args.test == Test::Latency {
                lab.point(&at, Metric::Latency, measured.time(1.0));
                continue;
            }
            let origins =
                if args.test == Test::Bidirectional { lab.size() } else { lab.size() / 2 };
            let operations = (origins * threads * args.operations) as f64;
            lab.point(&at, Metric::Rate, measured.rate(operations));
            lab.point(&at, Metric::Bandwidth, measured.rate(operations * bytes as f64));
        }
    }
    partner.free();
    for window in windows {
        window.free();
    }
    pair.free();
    lab.finish();
}

impl Args {
    /// Operations of a thread in a round.
    fn operations(&self) -> usize {
        if self.test == Test::Latency { 1 } else { self.operations }
    }

    /// Different buffers that the operations use in turn.
    fn slots(&self, bytes: usize) -> usize {
        (WORKING_SET / bytes.max(1)).clamp(1, self.operations())
    }
}

/// What is wrong with the command line or the number of ranks.
fn mistake(lab: &Lab, args: &Args) -> Option<String> {
    let passive = "--busy is for synchronization that the target has no part in";
    let threads = args.threads.values();
    if !lab.size().is_multiple_of(2) {
        Some(format!("ranks form pairs; the job has {}", lab.size()))
    } else if threads.clone().any(|threads| threads == 0) || args.operations == 0 {
        Some("threads and operations count from 1".into())
    } else if threads.clone().any(|threads| threads > MOST_THREADS) {
        Some(format!("there are at most {MOST_THREADS} threads"))
    } else if args.busy && (args.sync.active() || args.test == Test::Bidirectional) {
        Some(format!("{passive}: not fence, pscw or a bidirectional test"))
    } else {
        None
    }
}

/// What the threads of a rank share.
struct Around<'a> {
    pair: Comm,
    /// The other rank.
    partner: &'a Group,
    gate: &'a SpinBarrier,
}

/// A thread of an origin, a target or both.
struct Thread<'a> {
    args: &'a Args,
    worker: &'a Worker<'a>,
    window: &'a Window,
    around: Around<'a>,
    bytes: usize,
    /// Nothing at a rank that is only a target.
    origin: Option<Origin<'a>>,
    target: bool,
    /// Synchronizes the window.
    leads: bool,
}

impl<'a> Thread<'a> {
    fn new(
        args: &'a Args,
        worker: &'a Worker<'a>,
        window: &'a Window,
        around: Around<'a>,
        bytes: usize,
    ) -> Thread<'a> {
        let both = args.test == Test::Bidirectional;
        let me = around.pair.rank();
        let thread = worker.entity.thread;
        let slots = args.slots(bytes);
        let place = if args.window_per_thread { 0 } else { thread * place_bytes(slots, bytes) };
        let origin = (both || me == 0)
            .then(|| Origin::new(window, args.operation, 1 - me, place, slots, bytes));
        let leads = args.window_per_thread || thread == 0;
        let target = both || me == 1;
        let this = Thread { args, worker, window, around, bytes, origin, target, leads };
        if this.holds_lock() {
            this.window.lock(this.other());
        }
        this
    }

    /// Whether this thread opened the epoch that spans all rounds.
    fn holds_lock(&self) -> bool {
        self.leads && self.origin.is_some() && self.args.sync.flushes()
    }

    fn other(&self) -> usize {
        1 - self.around.pair.rank()
    }

    fn open(&self) {
        match self.args.sync {
            Sync::LockAll => self.window.lock_all(),
            Sync::Lock => self.window.lock(self.other()),
            Sync::Fence => self.window.open_fence(),
            Sync::Pscw => {
                if self.target {
                    self.window.post(self.around.partner);
                }
                if self.origin.is_some() {
                    self.window.start(self.around.partner);
                }
            }
            _ => {}
        }
    }

    fn close(&self) {
        match self.args.sync {
            Sync::LockAll => self.window.unlock_all(),
            Sync::Lock => self.window.unlock(self.other()),
            Sync::Fence => self.window.close_fence(),
            Sync::Pscw => {
                if self.origin.is_some() {
                    self.window.complete();
                }
                if self.target {
                    self.window.wait();
                }
            }
            Sync::Flush | Sync::AllFlush => self.window.flush(self.other()),
            Sync::FlushAll => self.window.flush_all(),
            Sync::FlushLocal => self.window.flush_local(self.other()),
            Sync::FlushLocalAll => self.window.flush_local_all(),
        }
    }

    /// Both ranks of the pair, with all their threads, are here.
    fn meet(&self) {
        self.worker.threads_barrier();
        if self.worker.entity.thread == 0 {
            let pause = Duration::from_nanos(self.args.sleep);
            let busy = self.args.busy && self.origin.is_none();
            self.around.pair.barrier_while(|| {
                if busy {
                    sleep(pause);
                }
            });
        }
        self.worker.threads_barrier();
    }

    /// Calls with the number of the buffer, its data's seed and its bytes, for all that others put
    /// into or get from this rank's window.
    fn local(&self, round: u64, mut each: impl FnMut(u64, &mut [u8])) {
        let me = self.around.pair.rank();
        if !self.args.sync.active() {
            self.window.lock(me);
            self.window.sync();
        }
        let slots = self.args.slots(self.bytes);
        let stride = place_bytes(slots, self.bytes);
        // The threads whose data this window has.
        let mine = self.worker.entity.thread;
        let threads =
            if self.args.window_per_thread { mine..mine + 1 } else { 0..self.worker.threads };
        for (place, thread) in threads.enumerate() {
            for slot in 0..slots {
                let start = place * stride + slot * self.bytes;
                // SAFETY: only thread 0, or the window's own, is here, and the partner does
                // nothing between two rounds.
                let bytes = unsafe { self.window.memory(start..start + self.bytes) };
                each(self.seed(1 - me, thread, slot, round), bytes);
            }
        }
        if !self.args.sync.active() {
            self.window.sync();
            self.window.unlock(me);
        }
    }

    /// Says which data a buffer has: of the thread of an origin, which is a rank of the pair.
    fn seed(&self, origin: usize, thread: usize, slot: usize, round: u64) -> u64 {
        let origin = (self.worker.entity.rank & !1) + origin;
        ((origin as u64) << 48) + ((thread as u64) << 36) + ((slot as u64) << 20) + round
    }
}

impl Work for Thread<'_> {
    fn prepare(&mut self, round: u64) {
        let put = self.args.operation == Operation::Put;
        if self.leads && self.target {
            // What is put is overwritten with the data of no round.
            let seed = |seed| if put { u64::MAX } else { seed };
            self.local(round, |expected, bytes| fill(bytes, seed(expected)));
        }
        let me = self.around.pair.rank();
        for slot in 0..self.args.slots(self.bytes) {
            let seed = self.seed(me, self.worker.entity.thread, slot, round);
            match &mut self.origin {
                Some(origin) if put => origin.fill(slot, seed),
                Some(origin) => origin.poison(),
                None => {}
            }
        }
    }

    fn run(&mut self, iterations: u64) {
        let together = !self.args.window_per_thread;
        let every = self.args.sync == Sync::AllFlush;
        let (operations, slots) = (self.args.operations(), self.args.slots(self.bytes));
        for _ in 0..iterations {
            if self.origin.is_none() {
                // Takes part in what it has to.
                if self.leads && self.args.sync.active() {
                    self.open();
                    self.close();
                }
                continue;
            }
            if self.leads {
                self.open();
            }
            if together {
                self.around.gate.wait();
            }
            if let Some(origin) = &mut self.origin {
                let mut slot = 0;
                for _ in 0..operations {
                    origin.issue(slot);
                    slot = if slot + 1 == slots { 0 } else { slot + 1 };
                }
            }
            if together && !every {
                self.around.gate.wait();
            }
            if self.leads || every {
                self.close();
            }
        }
    }

    fn verify(&mut self, round: u64) -> u64 {
        // Before all threads have flushed, or the first has for all, nothing is complete.
        self.worker.threads_barrier();
        if self.holds_lock() {
            self.window.flush_all();
        }
        self.meet();
        let slots = self.args.slots(self.bytes);
        let (thread, me) = (self.worker.entity.thread, self.around.pair.rank());
        let seeds: Vec<u64> = (0..slots).map(|slot| self.seed(me, thread, slot, round)).collect();
        let mut wrong = 0;
        if let Some(origin) = &mut self.origin {
            // SAFETY: the round was closed, and flushed if it was not an epoch of its own, before
            // the threads met.
            unsafe { origin.completed() };
            if self.args.operation == Operation::Get {
                let right =
                    seeds.iter().enumerate().filter(|(slot, seed)| origin.check(*slot, **seed));
                wrong += (slots - right.count()) as u64;
            }
        }
        if self.args.operation == Operation::Put && self.leads && self.target {
            self.local(round, |seed, bytes| wrong += u64::from(!check(bytes, seed)));
        }
        wrong
    }

    fn finish(&mut self) -> u64 {
        // The other threads may not be through with the window.
        self.worker.threads_barrier();
        if self.holds_lock() {
            self.window.unlock(self.other());
        }
        0
    }
}
