//! When one-sided operations go out, after section 4.1 of Zhao's thesis (2012).

use cairn_lab::{
    Arguments, Common, Computation, Group, Lab, List, Metric, Operation, Origin, POISON, Summary,
    Window, Work, Worker, check, compute, fill, name, place_bytes, sizes,
};
use clap::{Parser, ValueEnum};
use serde::Serialize;

/// Latency of epochs of one-sided operations, and what computation they hide
#[derive(Parser, Serialize)]
#[command(name = "rma-issue")]
struct Args {
    #[command(flatten)]
    #[serde(flatten)]
    common: Common,
    /// What is measured
    #[arg(long, value_enum, default_value = "single-op")]
    test: Test,
    /// What the origin does
    #[arg(long, value_enum, default_value = "put")]
    operation: Operation,
    /// What begins and ends an epoch
    #[arg(long, value_enum, default_value = "lock")]
    sync: Sync,
    /// When operations go out, asked for by the info key cairn_issue
    #[arg(long, value_enum, default_value = "library")]
    strategy: Strategy,
    /// Sizes in bytes [default: single-op 1-64, accumulates 8-64, many-ops 8, overlap 1k-1m]
    #[arg(long, value_name = "LIST", value_parser = sizes)]
    sizes: Option<List>,
    /// Operations in an epoch [default: single-op 1, many-ops 1,10,100,1000,16000, overlap 16]
    #[arg(long, value_name = "LIST")]
    operations: Option<List>,
    /// Computation in percent of the time without any, for overlap
    #[arg(long, value_name = "LIST", default_value = "25,50,75,100")]
    computation: List,
    /// Call MPI_Iprobe after each operation
    #[arg(long)]
    poke: bool,
}

impl Arguments for Args {
    fn common(&self) -> &Common {
        &self.common
    }

    fn threads(&self) -> usize {
        1
    }

    fn settle(&mut self) {
        let (sizes, operations) = match self.test {
            Test::SingleOp if self.operation == Operation::Accumulate => ("8-64", "1"),
            Test::SingleOp => ("1-64", "1"),
            Test::ManyOps => ("8", "1,10,100,1000,16000"),
            Test::Overlap => ("1k-1m", "16"),
        };
        let list = |text: &str| text.parse().expect("a default is a list");
        self.sizes.get_or_insert_with(|| list(sizes));
        self.operations.get_or_insert_with(|| list(operations));
    }
}

impl Args {
    fn sizes(&self) -> &List {
        self.sizes.as_ref().expect("settled")
    }

    fn operations(&self) -> &List {
        self.operations.as_ref().expect("settled")
    }
}

#[derive(ValueEnum, Serialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
enum Test {
    /// An epoch with one operation
    SingleOp,
    /// An epoch with several operations
    ManyOps,
    /// An epoch with computation between the operations
    Overlap,
}

#[derive(ValueEnum, Serialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Sync {
    /// MPI_Win_lock, MPI_Win_unlock
    Lock,
    /// MPI_Win_start and complete; post and wait at the target
    Pscw,
    /// MPI_Win_fence before and after
    Fence,
}

#[derive(ValueEnum, Serialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Strategy {
    /// As the MPI library decides
    Library,
    /// With the synchronization that ends the epoch
    Lazy,
    /// At once
    Eager,
    /// One or the other by how many there are
    Adaptive,
}

/// The key by which a window is asked for a strategy.
const KEY: &str = "cairn_issue";

/// Memory that the operations of an epoch use, unless one buffer is larger.
const WORKING_SET: usize = 1 << 20;

/// The ranks that have a part.
const ORIGIN: usize = 0;
const TARGET: usize = 1;

fn main() {
    let (lab, args) = Lab::start::<Args>();
    if let Some(reason) = mistake(&lab, &args) {
        lab.refuse(&reason);
    }
    let combinations = || {
        let sizes = args.sizes().values();
        sizes.flat_map(|bytes| args.operations().values().map(move |number| (bytes, number)))
    };
    let place = combinations().map(|(bytes, number)| place_bytes(slots(bytes, number), bytes));
    let asked = name(&args.strategy);
    let info = (args.strategy != Strategy::Library).then_some((KEY, asked.as_str()));
    let most = place.max().expect("a list has a value");
    let window = match Window::allocate(lab.world(), most, info) {
        Ok(window) => window,
        Err(reason) => lab.skip(&reason),
    };
    if info.is_some_and(|(key, value)| window.info(key).as_deref() != Some(value)) {
        window.free();
        lab.skip("this MPI does not let a window choose when its operations go out");
    }
    let partner = Group::of(lab.world(), if lab.rank() == TARGET { ORIGIN } else { TARGET });

    let run = Run { lab: &lab, args: &args, window: &window, partner: &partner };
    let each = if args.test == Test::Overlap { 1 + 2 * args.computation.len() } else { 1 };
    lab.points(combinations().count() * each);
    for (bytes, number) in combinations() {
        match args.test {
            Test::Overlap => run.overlap(bytes, number),
            _ => {
                let at = [("bytes", bytes.into()), ("operations", number.into())];
                lab.point(&at, Metric::Latency, run.epochs(bytes, number, Part::Operations, 0));
            }
        }
    }
    partner.free();
    window.free();
    lab.finish();
}

fn mistake(lab: &Lab, args: &Args) -> Option<String> {
    let sums = args.operation == Operation::Accumulate;
    let operations = || args.operations().values();
    if lab.size() < 2 {
        Some(format!("an origin and a target are needed; the job has {}", lab.size()))
    } else if sums && args.sizes().values().any(|bytes| !bytes.is_multiple_of(8)) {
        Some("accumulate adds integers of 8 bytes; every size must be a multiple of 8".into())
    } else if operations().any(|number| number == 0) {
        Some("operations count from 1".into())
    } else if args.test == Test::SingleOp && operations().any(|number| number != 1) {
        Some("single-op has one operation; for more there is many-ops".into())
    } else if args.computation.values().any(|percent| percent == 0) {
        Some("computation is a percentage above 0".into())
    } else {
        None
    }
}

/// Different buffers that the operations of an epoch use in turn.
fn slots(bytes: usize, operations: usize) -> usize {
    (WORKING_SET / bytes.max(1)).clamp(1, operations)
}

/// What an epoch has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Operations,
    Computation,
    Both,
}

struct Run<'a> {
    lab: &'a Lab,
    args: &'a Args,
    window: &'a Window,
    partner: &'a Group,
}

impl Run<'_> {
    /// Seconds an epoch takes.
    fn epochs(&self, bytes: usize, operations: usize, part: Part, steps: u64) -> Summary {
        let measured = self.lab.measure(1, |worker| {
            let slots = slots(bytes, operations);
            let buffers = (worker.entity.rank == ORIGIN)
                .then(|| Origin::new(self.window, self.args.operation, TARGET, 0, slots, bytes));
            let epoch = Epoch { bytes, operations, slots, part, steps };
            Box::new(Rank { run: self, worker, epoch, buffers, epochs: 0 })
        });
        measured.time(1.0)
    }

    /// How much computation fits beside the communication.
    fn overlap(&self, bytes: usize, operations: usize) {
        let alone = self.epochs(bytes, operations, Part::Operations, 0);
        let at = |percent: usize| {
            let computation = ("computation", percent.into());
            [("bytes", bytes.into()), ("operations", operations.into()), computation]
        };
        self.lab.point(&at(0), Metric::Time, alone);
        let mut most: f64 = 0.0;
        for percent in self.args.computation.values() {
            let seconds = alone.median * percent as f64 / 100.0 / operations as f64;
            let steps = Computation::calibrate().steps(seconds);
            let computation = self.epochs(bytes, operations, Part::Computation, steps);
            let both = self.epochs(bytes, operations, Part::Both, steps);
            self.lab.point(&at(percent), Metric::Time, both);
            let hidden = alone.median + computation.median - both.median;
            most = most.max(hidden / alone.median);
        }
        let at = [("bytes", bytes.into()), ("operations", operations.into())];
        self.lab.point(&at, Metric::Overlap, Summary::of(&[most.min(1.0)]));
    }
}

struct Epoch {
    bytes: usize,
    operations: usize,
    slots: usize,
    part: Part,
    /// Of computation after each operation.
    steps: u64,
}

/// What a rank does in a measurement.
struct Rank<'a> {
    run: &'a Run<'a>,
    worker: &'a Worker<'a>,
    epoch: Epoch,
    /// Only at the origin.
    buffers: Option<Origin<'a>>,
    /// Epochs of the round.
    epochs: u64,
}

impl Rank<'_> {
    fn communicates(&self) -> bool {
        self.epoch.part != Part::Computation
    }

    fn seed(&self, slot: usize, round: u64) -> u64 {
        ((slot as u64) << 32) + round
    }

    fn origin(&mut self) {
        let Rank { run, epoch, buffers: Some(buffers), .. } = self else { return };
        let communicates = epoch.part != Part::Computation;
        if communicates {
            match run.args.sync {
                Sync::Lock => run.window.lock(TARGET),
                Sync::Pscw => run.window.start(run.partner),
                Sync::Fence => run.window.open_fence(),
            }
        }
        let mut slot = 0;
        for _ in 0..epoch.operations {
            if communicates {
                buffers.issue(slot);
                slot = if slot + 1 == epoch.slots { 0 } else { slot + 1 };
            }
            if epoch.steps > 0 {
                compute(epoch.steps);
            }
            if run.args.poke && communicates {
                run.lab.world().poke();
            }
        }
        if communicates {
            match run.args.sync {
                Sync::Lock => run.window.unlock(TARGET),
                Sync::Pscw => run.window.complete(),
                Sync::Fence => run.window.close_fence(),
            }
        }
    }

    fn target(&mut self) {
        match self.run.args.sync {
            Sync::Pscw => {
                self.run.window.post(self.run.partner);
                self.run.window.wait();
            }
            _ => self.other(),
        }
    }

    fn other(&mut self) {
        if self.run.args.sync == Sync::Fence {
            self.run.window.open_fence();
            self.run.window.close_fence();
        }
    }

    /// The target's memory, between two rounds.
    fn local(&self, mut each: impl FnMut(usize, &mut [u8])) {
        let passive = self.run.args.sync == Sync::Lock;
        if passive {
            self.run.window.lock(TARGET);
            self.run.window.sync();
        }
        for slot in 0..self.epoch.slots {
            let start = slot * self.epoch.bytes;
            // SAFETY: the origin does nothing between two rounds.
            let bytes = unsafe { self.run.window.memory(start..start + self.epoch.bytes) };
            each(slot, bytes);
        }
        if passive {
            self.run.window.sync();
            self.run.window.unlock(TARGET);
        }
    }

    /// Whether the target has the sum of what all epochs of the round added.
    fn summed(&self, slot: usize, round: u64, bytes: &[u8]) -> bool {
        let mut added = vec![0; bytes.len()];
        fill(&mut added, self.seed(slot, round));
        let Epoch { operations, slots, .. } = self.epoch;
        let uses = (operations / slots + usize::from(slot < operations % slots)) as u64;
        let times = uses * self.epochs;
        let integer = |bytes: &[u8]| u64::from_ne_bytes(bytes.try_into().expect("8 bytes"));
        let mut pairs = bytes.chunks_exact(8).zip(added.chunks_exact(8));
        pairs.all(|(sum, added)| integer(sum) == integer(added).wrapping_mul(times))
    }
}

impl Work for Rank<'_> {
    fn prepare(&mut self, round: u64) {
        let operation = self.run.args.operation;
        if self.worker.entity.rank == TARGET && self.communicates() {
            self.local(|slot, bytes| match operation {
                Operation::Put => bytes.fill(POISON),
                Operation::Get => fill(bytes, self.seed(slot, round)),
                Operation::Accumulate => bytes.fill(0),
            });
        }
        for slot in 0..self.epoch.slots {
            let seed = self.seed(slot, round);
            match &mut self.buffers {
                Some(buffers) if operation == Operation::Get => buffers.data(slot).fill(POISON),
                Some(buffers) => buffers.fill(slot, seed),
                None => break,
            }
        }
    }

    fn run(&mut self, iterations: u64) {
        self.epochs = iterations;
        for _ in 0..iterations {
            match self.worker.entity.rank {
                ORIGIN => self.origin(),
                _ if !self.communicates() => {}
                TARGET => self.target(),
                _ => self.other(),
            }
        }
    }

    fn verify(&mut self, round: u64) -> u64 {
        // Where the target waits for a passive epoch.
        self.run.lab.world().barrier();
        let mut wrong = 0;
        if let Some(buffers) = &mut self.buffers {
            // SAFETY: every epoch of the round was closed.
            unsafe { buffers.completed() };
        }
        if !self.communicates() {
            return 0;
        }
        let operation = self.run.args.operation;
        if self.worker.entity.rank == TARGET && operation != Operation::Get {
            self.local(|slot, bytes| {
                let right = match operation {
                    Operation::Put => check(bytes, self.seed(slot, round)),
                    _ => self.summed(slot, round, bytes),
                };
                wrong += u64::from(!right);
            });
        }
        for slot in 0..self.epoch.slots {
            let seed = self.seed(slot, round);
            match &mut self.buffers {
                Some(buffers) if operation == Operation::Get => {
                    wrong += u64::from(!buffers.check(slot, seed));
                }
                _ => break,
            }
        }
        wrong
    }
}
