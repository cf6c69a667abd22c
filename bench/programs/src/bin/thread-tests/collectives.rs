//! `MPI_Allreduce` of several entities at once, and beside computation (sections 3.7 and 3.8).

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use cairn_lab::{
    Comm, Computation, Lab, Laps, Metric, Slots, Summary, Work, Worker, compute, fill,
};

use crate::{Args, Form};

/// Checks what the tests have in common. The number of processes of a node.
fn node(lab: &Lab, args: &Args, processes: usize) -> Result<usize, String> {
    if args.sizes().values().any(|bytes| !bytes.is_multiple_of(8) || bytes == 0) {
        return Err("integers of 8 bytes are added; every size must be a multiple of 8".into());
    }
    let each = if args.form == Form::Threads { 1 } else { processes };
    if !lab.size().is_multiple_of(each) || lab.size() / each < 2 {
        let size = lab.size();
        return Err(format!("2 or more nodes of {each} ranks are needed; the job has {size}"));
    }
    Ok(each)
}

pub fn concurrent(lab: &Lab, args: &Args) -> Result<(), String> {
    let each = node(lab, args, args.entities())?;
    // One with an entity of every node, for each entity of a node.
    let comms: Vec<Comm> = match args.form {
        Form::Threads => (0..args.entities()).map(|_| lab.world().duplicate()).collect(),
        Form::Processes => lab.world().split(Some(lab.rank() % each)).into_iter().collect(),
    };
    lab.points(args.sizes().len());
    for bytes in args.sizes().values() {
        let laps = Laps::default();
        let measured = lab.measure(comms.len(), |worker| {
            Box::new(Reduction::new(comms[worker.entity.thread], worker, each, bytes, &laps))
        });
        let time = laps.time(lab.world(), &measured, 1.0);
        lab.point(&[("bytes", bytes.into())], Metric::Time, time);
    }
    for comm in comms {
        comm.free();
    }
    Ok(())
}

/// An entity that adds up integers with its counterparts on other nodes.
struct Reduction<'a> {
    comm: Comm,
    /// Tells the entities of a node apart.
    entity: usize,
    addends: Vec<u64>,
    sums: Vec<u64>,
    laps: &'a Laps,
    round: u64,
}

impl<'a> Reduction<'a> {
    fn new(
        comm: Comm,
        worker: &Worker,
        each: usize,
        bytes: usize,
        laps: &'a Laps,
    ) -> Reduction<'a> {
        // In one of the forms the one, in the other the other is 0.
        let entity = worker.entity.thread + worker.entity.rank % each;
        let integers = vec![0; bytes / 8];
        Reduction { comm, entity, addends: integers.clone(), sums: integers, laps, round: 0 }
    }

    /// What a rank of the communicator adds.
    fn addends(&self, rank: usize) -> impl Iterator<Item = u64> {
        let mut bytes = vec![0; self.addends.len() * 8];
        fill(&mut bytes, ((rank as u64) << 40) + ((self.entity as u64) << 28) + self.round);
        let integer = |at: usize| u64::from_ne_bytes(bytes[at * 8..][..8].try_into().unwrap());
        (0..self.addends.len()).map(integer).collect::<Vec<u64>>().into_iter()
    }
}

impl Work for Reduction<'_> {
    fn prepare(&mut self, round: u64) {
        self.round = round;
        self.sums.fill(0);
        self.addends = self.addends(self.comm.rank()).collect();
    }

    fn run(&mut self, iterations: u64) {
        let start = Instant::now();
        for _ in 0..iterations {
            self.comm.sum_all(&self.addends, &mut self.sums);
        }
        self.laps.add(self.round, start.elapsed().as_secs_f64() / iterations as f64);
    }

    fn verify(&mut self, _: u64) -> u64 {
        let mut expected = vec![0_u64; self.sums.len()];
        for rank in 0..self.comm.size() {
            for (sum, addend) in expected.iter_mut().zip(self.addends(rank)) {
                *sum = sum.wrapping_add(addend);
            }
        }
        u64::from(expected != self.sums)
    }
}

/// How long a step of the computation takes, after which an entity looks whether to stop.
const STEP: f64 = 10e-6;

pub fn with_computation(lab: &Lab, args: &Args) -> Result<(), String> {
    // The last entity of a node is the one that communicates.
    let each = node(lab, args, args.entities() + 1)?;
    let (threads, last) = match args.form {
        Form::Threads => (args.entities() + 1, true),
        Form::Processes => (1, lab.rank() % each == each - 1),
    };
    let comm = match args.form {
        Form::Threads => lab.world().duplicate(),
        Form::Processes => lab.world().split(Some(usize::from(last))).expect("all have a color"),
    };
    let steps = Computation::calibrate().steps(STEP);
    lab.points(args.sizes().len() * 2);
    for bytes in args.sizes().values() {
        let stop = AtomicBool::new(false);
        let run = |reductions: Option<f64>| {
            let (reducing, computing) = (Laps::default(), Laps::default());
            let measured = lab.measure(threads, |worker| {
                let node = Node { lab, each, processes: args.form == Form::Processes, stop: &stop };
                if last && worker.entity.thread + 1 == threads {
                    let reduction = Reduction::new(comm, worker, each, bytes, &reducing);
                    Box::new(Communicating { node, reduction, pause: reductions })
                } else {
                    Box::new(Computing::new(node, steps, &computing))
                }
            });
            let reduction = measured.time(1.0);
            (reduction, computing.time(lab.world(), &measured, 1.0))
        };
        let (reduction, beside) = run(None);
        let (_, alone) = run(Some(reduction.median));
        let at = |name: &str| [("bytes", bytes.into()), ("step", name.into())];
        lab.point(&at("allreduce"), Metric::Time, reduction);
        lab.point(&at("computation beside allreduce"), Metric::Time, beside);
        lab.point(&at("computation alone"), Metric::Time, alone);
        let kept = Summary::of(&[alone.median / beside.median]);
        lab.point(&at("computation beside allreduce"), Metric::Overlap, kept);
    }
    comm.free();
    Ok(())
}

/// How an entity tells those of its node to stop.
#[derive(Clone, Copy)]
struct Node<'a> {
    lab: &'a Lab,
    each: usize,
    processes: bool,
    stop: &'a AtomicBool,
}

impl Node<'_> {
    fn first_rank(&self) -> usize {
        self.lab.rank() / self.each * self.each
    }
}

/// The entity that calls `MPI_Allreduce`, or sleeps as long as that would take.
struct Communicating<'a> {
    node: Node<'a>,
    reduction: Reduction<'a>,
    /// Seconds of sleep for each reduction that it leaves out.
    pause: Option<f64>,
}

impl Work for Communicating<'_> {
    fn prepare(&mut self, round: u64) {
        self.node.stop.store(false, Ordering::Relaxed);
        self.reduction.prepare(round);
    }

    fn run(&mut self, iterations: u64) {
        match self.pause {
            Some(seconds) => sleep(Duration::from_secs_f64(seconds * iterations as f64)),
            None => self.reduction.run(iterations),
        }
        self.node.stop.store(true, Ordering::Relaxed);
        if self.node.processes {
            let first = self.node.first_rank();
            for rank in first..first + self.node.each - 1 {
                self.node.lab.world().send(&[], rank, 0);
            }
        }
    }

    fn verify(&mut self, round: u64) -> u64 {
        if self.pause.is_some() { 0 } else { self.reduction.verify(round) }
    }
}

/// An entity that computes until it is told to stop.
struct Computing<'a> {
    node: Node<'a>,
    /// Of the calibrated computation in a step of this one.
    steps: u64,
    /// Receives the message that says stop, in the process form.
    order: Slots,
    laps: &'a Laps,
    round: u64,
}

impl<'a> Computing<'a> {
    fn new(node: Node<'a>, steps: u64, laps: &'a Laps) -> Computing<'a> {
        Computing { node, steps, order: Slots::new(1, 0), laps, round: 0 }
    }

    fn stopped(&mut self) -> bool {
        if self.node.processes {
            self.order.test_all()
        } else {
            self.node.stop.load(Ordering::Relaxed)
        }
    }
}

impl Work for Computing<'_> {
    fn prepare(&mut self, round: u64) {
        self.round = round;
    }

    fn run(&mut self, _: u64) {
        let start = Instant::now();
        if self.node.processes {
            let from = self.node.first_rank() + self.node.each - 1;
            self.order.start_receive(0, self.node.lab.world(), Some(from), Some(0));
        }
        let mut done = 0_u64;
        loop {
            compute(self.steps);
            done += 1;
            if self.stopped() {
                break;
            }
        }
        self.laps.add(self.round, start.elapsed().as_secs_f64() / done as f64);
    }

    fn verify(&mut self, _: u64) -> u64 {
        0
    }
}
