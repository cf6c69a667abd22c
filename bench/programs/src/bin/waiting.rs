//! What waiting costs: processor time of a blocked rank, how long it takes to wake up, and what
//! remains of the speed when there are more ranks and threads than cores.
#![forbid(unsafe_code)]

use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use cairn_bench::Player;
use cairn_lab::{
    Arguments, Comm, Common, Lab, List, Measured, Metric, Slots, Summary, Work, count, name,
    pairwise, process_cpu, sizes,
};
use clap::{Parser, ValueEnum};
use serde::Serialize;

/// What waiting costs: processor time, wake-up, and speed with more ranks and threads than cores
#[derive(Parser, Serialize)]
#[command(name = "waiting")]
struct Args {
    #[command(flatten)]
    #[serde(flatten)]
    common: Common,
    /// What is measured
    #[arg(long, value_enum, value_delimiter = ',', default_value = "blocked,barrier,pingpong")]
    mode: Vec<Mode>,
    /// How long rank 0 keeps the others waiting in mode blocked, in milliseconds
    #[arg(long, value_name = "MS", default_value = "1,10,100", value_parser = sizes)]
    delay: List,
    /// Where they wait
    #[arg(long, value_enum, value_delimiter = ',', default_value = "receive")]
    call: Vec<Call>,
    /// What rank 0 does in the meantime
    #[arg(long, value_enum, default_value = "sleep")]
    busy: Busy,
    /// Size of the messages in bytes
    #[arg(long, default_value = "8", value_parser = sizes)]
    sizes: List,
    /// Threads of each process in the modes barrier and pingpong
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = count)]
    threads: usize,
}

#[derive(ValueEnum, Serialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Mode {
    /// Rank 0 keeps all others waiting
    Blocked,
    /// All threads of all ranks meet in barriers, each thread number on a communicator of its own
    Barrier,
    /// Each of the first half of all ranks plays with one of the second half
    Pingpong,
}

/// Where the others wait for rank 0.
#[derive(ValueEnum, Serialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Call {
    /// MPI_Recv
    Receive,
    /// MPI_Waitall
    Wait,
    /// MPI_Barrier
    Barrier,
    /// MPI_Testall in a loop, for comparison
    Test,
}

#[derive(ValueEnum, Serialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Busy {
    /// Nothing
    Sleep,
    /// Uses its core
    Compute,
}

impl Arguments for Args {
    fn common(&self) -> &Common {
        &self.common
    }

    fn threads(&self) -> usize {
        self.threads
    }
}

fn main() {
    let (lab, args) = Lab::start::<Args>();
    if lab.size() < 2 {
        let size = lab.size();
        lab.refuse(&format!("2 ranks are needed; the job has {size}"));
    }
    let points = |mode: &Mode| match mode {
        Mode::Blocked => args.call.len() * args.delay.len(),
        Mode::Barrier => 1,
        Mode::Pingpong => args.sizes.len(),
    };
    lab.points(args.mode.iter().map(points).sum());
    for mode in &args.mode {
        match mode {
            Mode::Blocked => {
                for call in &args.call {
                    for delay in args.delay.values() {
                        blocked(&lab, &args, *call, delay);
                    }
                }
            }
            Mode::Barrier => barriers(&lab, &args),
            Mode::Pingpong => {
                for bytes in args.sizes.values() {
                    pingpong(&lab, &args, bytes);
                }
            }
        }
    }
    lab.finish();
}

/// Processor time that a rank uses while it waits once, on average of all but rank 0, and how long
/// it takes until rank 0 has heard from all.
fn blocked(lab: &Lab, args: &Args, call: Call, milliseconds: usize) {
    let bytes = args.sizes.largest();
    let used = Mutex::new(Vec::new());
    let delay = Duration::from_millis(milliseconds as u64);
    let measured = lab.measure(1, |_| {
        let others = if lab.rank() == 0 { lab.size() - 1 } else { 1 };
        Box::new(Blocked {
            comm: lab.world(),
            rank: lab.rank(),
            call,
            busy: args.busy,
            delay,
            slots: Slots::new(others, bytes),
            answers: Slots::new(others, 1),
            round: 0,
            used: &used,
        })
    });
    // All ranks have the same rounds; those of rank 0 do not count.
    let used = used.into_inner().unwrap();
    let values: Vec<f64> = counted(&measured, &used)
        .map(|seconds| if lab.rank() == 0 { 0.0 } else { seconds })
        .map(|seconds| lab.world().gather_all(seconds).iter().sum::<f64>())
        .zip(&measured.iterations)
        .map(|(sum, iterations)| sum / *iterations as f64 / (lab.size() - 1) as f64)
        .collect();
    let at = [
        ("mode", "blocked".into()),
        ("call", name(&call).into()),
        ("delay_ms", milliseconds.into()),
    ];
    lab.point(&at, Metric::Cpu, Summary::of(&values));
    let over = measured.each(|seconds, iterations| seconds / iterations - delay.as_secs_f64());
    lab.point(&at, Metric::Latency, over);
}

/// The values of the rounds that count.
fn counted<'a>(measured: &Measured, rounds: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
    rounds[measured.first_round as usize - 1..].iter().copied()
}

/// Rank 0, or one that waits for it.
struct Blocked<'a> {
    comm: Comm,
    rank: usize,
    call: Call,
    busy: Busy,
    delay: Duration,
    slots: Slots,
    answers: Slots,
    round: u64,
    /// Processor time in seconds of each round.
    used: &'a Mutex<Vec<f64>>,
}

const WAKE: usize = 1;
const ANSWER: usize = 2;

impl Blocked<'_> {
    fn keep_waiting(&mut self) {
        match self.busy {
            Busy::Sleep => thread::sleep(self.delay),
            Busy::Compute => {
                let started = Instant::now();
                while started.elapsed() < self.delay {
                    std::hint::spin_loop();
                }
            }
        }
        if self.call == Call::Barrier {
            self.comm.barrier();
        }
        for slot in 0..self.slots.len() {
            self.slots.start_send(slot, self.comm, slot + 1, WAKE);
            self.answers.start_receive(slot, self.comm, Some(slot + 1), Some(ANSWER));
        }
        self.slots.wait_all();
        self.answers.wait_all();
    }

    fn wait(&mut self) {
        let (source, tag) = (Some(0), Some(WAKE));
        match self.call {
            Call::Receive => self.slots.receive(0, self.comm, source, tag),
            Call::Wait => {
                self.slots.start_receive(0, self.comm, source, tag);
                self.slots.wait_all();
            }
            Call::Barrier => {
                self.comm.barrier();
                self.slots.receive(0, self.comm, source, tag);
            }
            Call::Test => {
                self.slots.start_receive(0, self.comm, source, tag);
                while !self.slots.test_all() {}
            }
        }
        self.answers.send(0, self.comm, 0, ANSWER);
    }
}

impl Work for Blocked<'_> {
    fn prepare(&mut self, round: u64) {
        self.round = round;
        if self.rank != 0 {
            self.slots.poison();
            self.answers.fill(0, round + self.rank as u64);
            return;
        }
        for slot in 0..self.slots.len() {
            self.slots.fill(slot, (round << 20) + slot as u64 + 1);
        }
        self.answers.poison();
    }

    fn run(&mut self, iterations: u64) {
        let before = process_cpu();
        for _ in 0..iterations {
            if self.rank == 0 { self.keep_waiting() } else { self.wait() }
        }
        let used = process_cpu() - before;
        self.used.lock().unwrap().push(used);
    }

    fn verify(&mut self, round: u64) -> u64 {
        if self.rank == 0 {
            let wrong = |slot: &usize| !self.answers.check(*slot, round + *slot as u64 + 1);
            (0..self.answers.len()).filter(wrong).count() as u64
        } else {
            u64::from(!self.slots.check(0, (round << 20) + self.rank as u64))
        }
    }
}

/// Time of a barrier.
fn barriers(lab: &Lab, args: &Args) {
    let comms: Vec<Comm> = (0..args.threads).map(|_| lab.world().duplicate()).collect();
    let measured = lab.measure(args.threads, |worker| {
        Box::new(Barriers { comm: comms[worker.entity.thread], rank: lab.rank(), sum: 0, count: 0 })
    });
    for comm in comms {
        comm.free();
    }
    let at = [("mode", "barrier".into()), ("threads", args.threads.into())];
    lab.point(&at, Metric::Time, measured.time(1.0));
}

/// A barrier moves no data. Beside it every rank adds up how many it has been through.
struct Barriers {
    comm: Comm,
    rank: usize,
    sum: u64,
    count: u64,
}

impl Work for Barriers {
    fn prepare(&mut self, _: u64) {
        self.count = 0;
    }

    fn run(&mut self, iterations: u64) {
        for _ in 0..iterations {
            self.comm.barrier();
            self.count += 1;
        }
    }

    fn verify(&mut self, _: u64) -> u64 {
        self.sum = self.comm.sum(self.count);
        let right = self.sum == self.count * self.comm.size() as u64;
        u64::from(self.rank == 0 && !right)
    }
}

/// Time of a message one way when all play at once.
fn pingpong(lab: &Lab, args: &Args, bytes: usize) {
    let side = (lab.size() / 2, args.threads);
    let channels = pairwise(lab.size(), side, side).expect("there are two ranks at least");
    let measured = lab.measure_channels(args.threads, &channels, |channel, me| {
        Player::new(lab.world(), channel, me, bytes)
    });
    let at =
        [("mode", "pingpong".into()), ("bytes", bytes.into()), ("threads", args.threads.into())];
    lab.point(&at, Metric::Latency, measured.time(2.0));
}
