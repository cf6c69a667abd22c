//! Short messages beside a long one (section 3.5): whether the short ones have to wait.

use std::sync::Mutex;
use std::time::Instant;

use cairn_lab::{Arguments, Comm, Lab, Laps, Metric, Slots, SpinBarrier, Summary, Work, Worker};

use crate::{Args, Form};

pub fn measure(lab: &Lab, args: &Args) -> Result<(), String> {
    let senders = match args.form {
        Form::Threads => 1,
        Form::Processes => 2,
    };
    if lab.size() != senders + 2 {
        let form = if senders == 1 { "thread" } else { "process" };
        let needed = senders + 2;
        return Err(format!("the {form} form needs {needed} ranks; the job has {}", lab.size()));
    }
    let team = lab.world().split(Some(usize::from(lab.rank() >= senders))).expect("all have one");
    lab.points(args.sizes().len());
    for bytes in args.sizes().values() {
        let (laps, series) = (Laps::default(), Mutex::new(Vec::new()));
        let threads = if lab.rank() < senders { args.threads() } else { 1 };
        let gate = SpinBarrier::new(threads);
        let start = Start { gate: &gate, team: (args.form == Form::Processes).then_some(team) };
        let measured = lab.measure(threads, |worker| {
            let long = Role::of(worker, senders) == Role::Long;
            let (messages, bytes) = if long { (1, args.long) } else { (args.messages, bytes) };
            let series = (!long).then_some(&series);
            Box::new(Stream::new(lab, worker, senders, messages, bytes, start, &laps, series))
        });
        let series = series.into_inner().unwrap();
        let iterations: Vec<f64> = (0..args.messages)
            .map(|message| only(lab, series.iter().map(|times: &Vec<f64>| times[message])))
            .collect();
        for (iteration, seconds) in iterations.iter().enumerate() {
            let at = [("bytes", bytes.into()), ("iteration", iteration.into())];
            lab.point(&at, Metric::Latency, Summary::of(&[*seconds]));
        }
        let slowest = |times: &Vec<f64>| times.iter().copied().fold(0.0, f64::max);
        let slowest = only(lab, series.iter().map(slowest));
        let median = only(lab, series.iter().map(|times| Summary::of(times).median));
        for (message, seconds) in [("median", median), ("slowest", slowest)] {
            let at = [("bytes", bytes.into()), ("iteration", message.into())];
            lab.point(&at, Metric::Latency, Summary::of(&[seconds]));
        }
        let at = [("bytes", bytes.into()), ("iteration", "long".into())];
        lab.point(&at, Metric::Time, laps.time(lab.world(), &measured, 1.0));
    }
    team.free();
    Ok(())
}

/// The median of what one rank has, on all. Collective.
fn only(lab: &Lab, samples: impl Iterator<Item = f64>) -> f64 {
    let samples: Vec<f64> = samples.collect();
    let mine = if samples.is_empty() { 0.0 } else { Summary::of(&samples).median };
    lab.world().gather_all(mine).into_iter().sum()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Long,
    Short,
}

impl Role {
    /// The first sender and the first receiver have the long message.
    fn of(worker: &Worker, senders: usize) -> Role {
        let me = worker.entity;
        let second = if me.rank < senders { me.rank + me.thread } else { me.rank - senders };
        if second == 0 { Role::Long } else { Role::Short }
    }
}

/// How the senders start a series together.
#[derive(Clone, Copy)]
struct Start<'a> {
    gate: &'a SpinBarrier,
    /// The sending processes, or the receiving ones. Nothing in the thread form.
    team: Option<Comm>,
}

/// The messages of a sender to its receiver.
struct Stream<'a> {
    comm: Comm,
    sends: bool,
    partner: usize,
    messages: usize,
    buffer: Slots,
    reply: Slots,
    start: Start<'a>,
    /// Of the long message.
    laps: &'a Laps,
    /// Times of the short messages.
    series: Option<&'a Mutex<Vec<Vec<f64>>>>,
    round: u64,
}

impl<'a> Stream<'a> {
    #[expect(clippy::too_many_arguments, reason = "called once")]
    fn new(
        lab: &Lab,
        worker: &Worker,
        senders: usize,
        messages: usize,
        bytes: usize,
        start: Start<'a>,
        laps: &'a Laps,
        series: Option<&'a Mutex<Vec<Vec<f64>>>>,
    ) -> Stream<'a> {
        let sends = worker.entity.rank < senders;
        let second = usize::from(Role::of(worker, senders) == Role::Short);
        // In the thread form rank 0 sends both.
        let partner = if sends { senders + second } else { second.min(senders - 1) };
        Stream {
            comm: lab.world(),
            sends,
            partner,
            messages,
            buffer: Slots::new(1, bytes),
            reply: Slots::new(1, 0),
            start,
            laps,
            series,
            round: 0,
        }
    }

    fn seed(&self) -> u64 {
        ((self.messages as u64) << 40) + self.round
    }

    fn send_series(&mut self) -> Vec<f64> {
        let mut times = vec![0.0; self.messages];
        self.start.gate.wait();
        if let Some(team) = self.start.team {
            team.barrier();
        }
        let mut before = Instant::now();
        for time in &mut times {
            self.buffer.send(0, self.comm, self.partner, 0);
            let now = Instant::now();
            *time = (now - before).as_secs_f64();
            before = now;
        }
        self.reply.receive(0, self.comm, Some(self.partner), Some(1));
        times
    }

    fn receive_series(&mut self) {
        for _ in 0..self.messages {
            self.buffer.receive(0, self.comm, Some(self.partner), Some(0));
        }
        self.reply.send(0, self.comm, self.partner, 1);
    }
}

impl Work for Stream<'_> {
    fn prepare(&mut self, round: u64) {
        self.round = round;
        if self.sends {
            let seed = self.seed();
            self.buffer.fill(0, seed);
        } else {
            self.buffer.poison();
        }
    }

    fn run(&mut self, iterations: u64) {
        let mut seconds = 0.0;
        for _ in 0..iterations {
            if !self.sends {
                self.receive_series();
                continue;
            }
            let times = self.send_series();
            match self.series {
                Some(series) => series.lock().unwrap().push(times),
                None => seconds += times[0],
            }
        }
        if self.sends && self.series.is_none() {
            self.laps.add(self.round, seconds / iterations as f64);
        }
    }

    fn verify(&mut self, _: u64) -> u64 {
        u64::from(!self.buffer.check(0, self.seed()))
    }
}
