//! Running something on all threads of all ranks, checked, warmed up and timed.
//!
//! A point of a benchmark is a row of rounds. In each, every thread prepares its data, all start
//! together and do so many iterations, and every thread verifies what it got. The first rounds have
//! one iteration, so that they look at every message; the next warm up and find out how many
//! iterations fill the time; the last ones count. All ranks see the same times and so decide the
//! same.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::thread;
use std::time::Instant;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use crate::args::{Common, Level, Pinning};
use crate::entities::{Channel, Entity};
use crate::messages;
use crate::start::Lab;
use crate::statistics::Summary;

/// Rounds of one iteration, in which every message is looked at.
const CHECKS: u64 = 3;

/// The part of the time that goes to warming up.
const WARM_UP: f64 = 0.1;

/// What one thread does at one point of a benchmark.
pub trait Work {
    /// Fills what is sent with data that belong to this round, and overwrites what is received
    /// into. Not timed.
    fn prepare(&mut self, round: u64);

    /// What is measured.
    fn run(&mut self, iterations: u64);

    /// Looks at the data that the last iteration moved, and says how many messages were wrong. Not
    /// timed.
    #[must_use]
    fn verify(&mut self, round: u64) -> u64;

    /// After the last round, for what is left to do, such as freeing. Says how many messages were
    /// wrong. Not timed.
    #[must_use]
    fn finish(&mut self) -> u64 {
        0
    }
}

/// For a thread that has nothing to do.
impl Work for () {
    fn prepare(&mut self, _: u64) {}
    fn run(&mut self, _: u64) {}
    fn verify(&mut self, _: u64) -> u64 {
        0
    }
}

/// A thread of a measurement.
pub struct Worker<'lab> {
    /// Who it is.
    pub entity: Entity,
    /// What it belongs to.
    pub lab: &'lab Lab,
    /// How many threads this process has.
    pub threads: usize,
    gate: Arc<Barrier>,
}

impl Worker<'_> {
    /// Waits for the other threads of this process. Not with the help of MPI, and asleep.
    pub fn threads_barrier(&self) {
        self.gate.wait();
    }
}

/// One round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Phase {
    /// Counts the rounds of a point from 1.
    round: u64,
    iterations: u64,
    /// Whether it counts.
    timed: bool,
}

/// The rounds that counted. The same on all ranks.
#[derive(Debug, Clone, Default)]
pub struct Measured {
    /// Number of the first of them; the others follow.
    pub first_round: u64,
    /// Iterations of each.
    pub iterations: Vec<u64>,
    /// Seconds of each, from the start of the first thread to the end of the last, on the rank
    /// where it took longest.
    pub seconds: Vec<f64>,
}

impl Measured {
    /// Seconds for one of `parts` equal parts of an iteration.
    pub fn time(&self, parts: f64) -> Summary {
        self.each(|seconds, iterations| seconds / iterations / parts)
    }

    /// So many things an iteration, per second.
    pub fn rate(&self, things: f64) -> Summary {
        self.each(|seconds, iterations| things * iterations / seconds)
    }

    /// What follows from the seconds and the iterations of each.
    pub fn each(&self, value: impl Fn(f64, f64) -> f64) -> Summary {
        let rounds = self.seconds.iter().zip(&self.iterations);
        let values: Vec<f64> =
            rounds.map(|(seconds, iterations)| value(*seconds, *iterations as f64)).collect();
        Summary::of(&values)
    }
}

impl Lab {
    /// Measures what `setup` makes for every thread, of which this rank has so many; another rank
    /// may have another number. Thread 0 is the calling one. Collective: all ranks call it, those that have nothing to do as well.
    ///
    /// More than one thread needs [`Level::Multiple`], see [`Lab::start`].
    pub fn measure<'lab, F>(&'lab self, threads: usize, setup: F) -> Measured
    where
        F: for<'a> Fn(&'a Worker<'lab>) -> Box<dyn Work + 'a> + Sync,
    {
        assert!(threads == 1 || self.level() == Level::Multiple, "threads need the level multiple");
        let team = Team {
            lab: self,
            gate: Arc::new(Barrier::new(threads)),
            phase: Mutex::new(None),
            began: Instant::now(),
            first: AtomicU64::new(u64::MAX),
            last: AtomicU64::new(0),
            schedule: Mutex::new(Schedule::new(self.common())),
        };
        let (team, setup) = (&team, &setup);
        let cores = own_cores();
        thread::scope(|scope| {
            for thread in 1..threads {
                scope.spawn(move || team.member(thread, threads, &cores, setup));
            }
            team.member(0, threads, &cores, setup);
        });
        sched_setaffinity(None, &cores).expect("a thread may go back to its cores");
        let schedule = team.schedule.lock().unwrap();
        self.progress().point_done();
        schedule.measured.clone()
    }

    /// Measures what `part` makes for the two ends of each channel; entities without a channel have
    /// nothing to do. Otherwise as [`Lab::measure`].
    pub fn measure_channels<'lab, W: Work + 'lab>(
        &'lab self,
        threads: usize,
        channels: &[Channel],
        part: impl Fn(&Channel, Entity) -> W + Sync,
    ) -> Measured {
        self.measure(threads, |worker| {
            let me = worker.entity;
            match channels.iter().find(|channel| channel.has(me)) {
                Some(channel) => Box::new(part(channel, me)),
                None => Box::new(()),
            }
        })
    }
}

/// What the threads of a rank share.
struct Team<'lab> {
    lab: &'lab Lab,
    gate: Arc<Barrier>,
    /// What comes next; nothing at the end. Written by thread 0 between two passages of the gate,
    /// read by all after the second.
    phase: Mutex<Option<Phase>>,
    /// What `first` and `last` count nanoseconds from.
    began: Instant,
    /// When the first thread began the phase, and the last one ended it.
    first: AtomicU64,
    last: AtomicU64,
    /// Thread 0's.
    schedule: Mutex<Schedule>,
}

impl<'lab> Team<'lab> {
    fn member<F>(&self, thread: usize, threads: usize, cores: &CpuSet, setup: &F)
    where
        F: for<'a> Fn(&'a Worker<'lab>) -> Box<dyn Work + 'a>,
    {
        let entity = Entity { rank: self.lab.rank(), thread };
        pin(self.lab, entity, cores);
        let worker = Worker { entity, lab: self.lab, threads, gate: Arc::clone(&self.gate) };
        let mut work = setup(&worker);
        while let Some(phase) = self.next(thread) {
            work.prepare(phase.round);
            self.together(thread);
            let start = self.nanoseconds();
            work.run(phase.iterations);
            let end = self.nanoseconds();
            self.first.fetch_min(start, Ordering::Relaxed);
            self.last.fetch_max(end, Ordering::Relaxed);
            self.lab.wrong(work.verify(phase.round));
        }
        self.lab.wrong(work.finish());
        messages::say();
    }

    fn nanoseconds(&self) -> u64 {
        self.began.elapsed().as_nanos() as u64
    }

    /// All threads of all ranks start at once.
    fn together(&self, thread: usize) {
        self.gate.wait();
        if thread == 0 {
            self.lab.control().barrier();
        }
        self.gate.wait();
    }

    /// Ends a phase and tells the next. The gate orders the plain stores of one side of it before
    /// the loads of the other.
    fn next(&self, thread: usize) -> Option<Phase> {
        self.gate.wait();
        if thread == 0 {
            let first = self.first.swap(u64::MAX, Ordering::Relaxed);
            let last = self.last.swap(0, Ordering::Relaxed);
            // Before the first phase there is no time yet.
            let seconds = last.saturating_sub(first) as f64 * 1e-9;
            let seconds = self.lab.control().maximum(seconds);
            let next = self.schedule.lock().unwrap().next(seconds);
            if next.is_some_and(|phase| phase.timed) {
                self.lab.progress().batch_done();
            }
            *self.phase.lock().unwrap() = next;
        }
        self.gate.wait();
        *self.phase.lock().unwrap()
    }
}

/// Whether the cores that the command line names can be used. Collective, with the same answer on
/// all ranks.
pub(crate) fn can_pin(lab: &Lab) -> Result<(), String> {
    let Pinning::Cores(named) = &lab.common().pin else { return Ok(()) };
    let cores = own_cores();
    let refused = named.iter().find(|core| !run_on(**core));
    sched_setaffinity(None, &cores).expect("a thread may go back to its cores");
    if lab.control().sum(u64::from(refused.is_some())) == 0 {
        return Ok(());
    }
    Err(match refused {
        Some(core) => format!("--pin names core {core}, which this machine does not have"),
        None => "--pin names a core that another machine of this job does not have".into(),
    })
}

/// Puts the calling thread where the command line says.
fn pin(lab: &Lab, entity: Entity, cores: &CpuSet) {
    let core = match &lab.common().pin {
        Pinning::None => return,
        Pinning::Threads => {
            let usable = (0..CpuSet::MAX_CPU).filter(|core| cores.is_set(*core));
            usable.cycle().nth(entity.thread).expect("a process has a core")
        }
        Pinning::Cores(cores) => {
            cores[(entity.rank * lab.most_threads() + entity.thread) % cores.len()]
        }
    };
    assert!(run_on(core), "rank {} can no longer run on core {core}", entity.rank);
}

/// Whether the calling thread could be put there.
fn run_on(core: usize) -> bool {
    let mut set = CpuSet::new();
    if core < CpuSet::MAX_CPU {
        set.set(core);
    }
    sched_setaffinity(None, &set).is_ok()
}

fn own_cores() -> CpuSet {
    sched_getaffinity(None).expect("the cores of this process can be asked for")
}

/// Which phases a point has, from the times of those before.
struct Schedule {
    time: f64,
    iterations: Option<u64>,
    warmup: Option<u64>,
    batches: u64,
    round: u64,
    state: State,
    current: Option<Phase>,
    measured: Measured,
}

#[derive(Clone, Copy)]
enum State {
    Check(u64),
    WarmUp,
    /// So many batches are left, and so many iterations if their number is given.
    Timed(u64, u64),
}

impl Schedule {
    fn new(common: &Common) -> Schedule {
        Schedule {
            time: common.time,
            iterations: common.iterations,
            warmup: common.warmup,
            batches: common.batches,
            round: 0,
            state: State::Check(CHECKS),
            current: None,
            measured: Measured::default(),
        }
    }

    /// The phase after the current one, which took so many seconds.
    fn next(&mut self, seconds: f64) -> Option<Phase> {
        if let Some(phase) = self.current.filter(|phase| phase.timed) {
            if self.measured.iterations.is_empty() {
                self.measured.first_round = phase.round;
            }
            self.measured.iterations.push(phase.iterations);
            // The resolution of the clock, so that a rate is finite.
            self.measured.seconds.push(seconds.max(1e-9));
        }
        let (iterations, timed) = match self.state {
            State::Check(0) => {
                self.state = State::WarmUp;
                match (self.warmup, self.iterations) {
                    (Some(0), Some(_)) => return self.next_timed(self.iterations?),
                    (Some(warmup), _) => (warmup.max(1), false),
                    (None, Some(iterations)) => (iterations.div_ceil(10), false),
                    (None, None) => (1, false),
                }
            }
            State::Check(left) => {
                self.state = State::Check(left - 1);
                (1, false)
            }
            State::WarmUp => {
                let done = self.current.map_or(1, |phase| phase.iterations);
                if let Some(iterations) = self.iterations {
                    return self.next_timed(iterations);
                }
                if self.warmup.is_none() && seconds < self.time * WARM_UP {
                    // Not more than eight times as many: the first iterations are slower.
                    let fitting = self.time * WARM_UP * 1.5 / seconds.max(1e-9) * done as f64;
                    let more = (fitting as u64).clamp(done + 1, done.saturating_mul(8));
                    return Some(self.phase(more, false));
                }
                let fitting = self.time / seconds.max(1e-9) * done as f64;
                return self.next_timed((fitting.round() as u64).max(1));
            }
            State::Timed(0, _) => return None,
            State::Timed(batches, left) => {
                let now = match self.iterations {
                    Some(_) => left.div_ceil(batches),
                    None => self.fitting(batches)?,
                };
                self.state = State::Timed(batches - 1, left.saturating_sub(now));
                (now, true)
            }
        };
        Some(self.phase(iterations, timed))
    }

    /// The first phase that counts, of so many iterations in all.
    fn next_timed(&mut self, iterations: u64) -> Option<Phase> {
        let batches = self.batches.min(iterations);
        let now = iterations.div_ceil(batches);
        self.state = State::Timed(batches - 1, iterations - now);
        Some(self.phase(now, true))
    }

    /// How many iterations of the next of so many batches fit into the time that is left, or nothing
    /// if it is over. The batches before say so, because iterations may take a thousand times as long
    /// as in the warm-up: where threads that spin share a core, some wait for others to be scheduled.
    fn fitting(&self, batches: u64) -> Option<u64> {
        let spent: f64 = self.measured.seconds.iter().sum();
        let done: u64 = self.measured.iterations.iter().sum();
        let share = (self.time - spent) / batches as f64;
        let last = self.measured.iterations.last().copied().unwrap_or(1);
        let fitting = (share / spent * done as f64).round() as u64;
        (share > 0.0).then(|| fitting.clamp(1, last.saturating_mul(8)))
    }

    fn phase(&mut self, iterations: u64, timed: bool) -> Phase {
        self.round += 1;
        let phase = Phase { round: self.round, iterations, timed };
        self.current = Some(phase);
        phase
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn common(time: f64, iterations: Option<u64>, warmup: Option<u64>, batches: u64) -> Common {
        let pin = Pinning::None;
        Common { time, iterations, warmup, batches, level: None, pin, json: false }
    }

    /// Phases as (iterations, timed) when every iteration takes so long.
    fn phases(common: &Common, each: f64) -> (Vec<(u64, bool)>, Measured) {
        let mut schedule = Schedule::new(common);
        let mut phases = Vec::new();
        let mut seconds = 0.0;
        while let Some(phase) = schedule.next(seconds) {
            assert_eq!(phase.round, phases.len() as u64 + 1);
            phases.push((phase.iterations, phase.timed));
            seconds = phase.iterations as f64 * each;
        }
        (phases, schedule.measured)
    }

    #[test]
    fn iterations_are_split_into_batches() {
        let (phases, measured) = phases(&common(1.0, Some(7), Some(2), 3), 0.5);
        let checks = [(1, false); CHECKS as usize];
        assert_eq!(phases[..3], checks);
        assert_eq!(phases[3..], [(2, false), (3, true), (2, true), (2, true)]);
        assert_eq!((measured.first_round, &measured.iterations[..]), (5, &[3, 2, 2][..]));
        assert_eq!(measured.seconds, [1.5, 1.0, 1.0]);
        assert_eq!(measured.time(2.0).median, 0.25);
        assert_eq!(measured.rate(4.0).median, 8.0);
    }

    #[test]
    fn no_warm_up_and_fewer_iterations_than_batches() {
        let (phases, _) = phases(&common(1.0, Some(2), Some(0), 5), 0.5);
        assert_eq!(phases[3..], [(1, true), (1, true)]);
    }

    #[test]
    fn the_time_is_filled_whatever_an_iteration_takes() {
        for each in [1e-8, 1e-6, 3e-4, 0.01] {
            let (phases, measured) = phases(&common(1.0, None, None, 5), each);
            let total: f64 = measured.seconds.iter().sum();
            assert!((0.9..1.1).contains(&total), "{each}: {phases:?}");
            assert_eq!(measured.seconds.len(), 5);
        }
        // The batches become much slower than the warm-up was: the time is over after the first.
        let mut schedule = Schedule::new(&common(1.0, None, None, 5));
        let mut seconds = 0.0;
        while let Some(phase) = schedule.next(seconds) {
            seconds = phase.iterations as f64 * if phase.timed { 1.0 } else { 1e-3 };
        }
        assert_eq!(schedule.measured.iterations, [200]);
        // The first one only.
        seconds = 0.0;
        let mut schedule = Schedule::new(&common(1.0, None, None, 5));
        while let Some(phase) = schedule.next(seconds) {
            let first = phase.timed && schedule.measured.seconds.is_empty();
            seconds = phase.iterations as f64 * if first { 3e-3 } else { 1e-3 };
        }
        assert_eq!(schedule.measured.iterations, [200, 33, 45, 66, 118]);
        // One iteration takes longer than the time.
        let (_, measured) = phases(&common(1.0, None, None, 5), 3.0);
        assert_eq!(measured.iterations, [1]);
        // A clock that stands still, and one that begins to.
        let mut schedule = Schedule::new(&common(1.0, None, None, 5));
        let last = std::iter::from_fn(|| schedule.next(if schedule.round < 5 { 0.1 } else { 0.0 }));
        assert_eq!(last.last().unwrap().iterations, 2 * 8 * 8 * 8 * 8);
        let mut schedule = Schedule::new(&common(1.0, None, Some(1), 1));
        let last = std::iter::from_fn(|| schedule.next(0.0)).last().unwrap();
        assert_eq!(last.iterations, 1_000_000_000);
    }
}
