//! How quiet the machine is: the same piece of work before and after each run, and how much of the
//! processors others have used meanwhile.
//!
//! Both are about the machine and never about the results, so that leaving out a disturbed block does
//! not choose among results.

use std::fs;
use std::hint::black_box;
use std::thread;
use std::time::Instant;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use crate::experiment::Noise;
use crate::store::Run;
use crate::supervisor::fields;

/// Steps of the piece of work: about a millisecond.
const STEPS: u64 = 400_000;
/// How often it is done; the fastest one counts, so that a single interruption does not.
const TIMES: u32 = 3;
/// At most so many processors are tried.
const MOST_CORES: usize = 16;
/// The kernel counts time in these, a hundred a second, and may be wrong by some.
const TICKS_PER_SECOND: f64 = 100.0;
const UNSURE_TICKS: f64 = 3.0;

/// The processors that this process may use.
pub fn cores() -> Vec<usize> {
    let set = sched_getaffinity(None).unwrap_or_default();
    (0..CpuSet::MAX_CPU).filter(|cpu| set.is_set(*cpu)).collect()
}

/// Nanoseconds that the piece of work takes on the slowest of the processors.
pub fn work_ns(cores: &[usize]) -> u64 {
    let on = |core: usize| {
        let mut only = CpuSet::new();
        only.set(core);
        // Where it is not possible the work is done anywhere.
        let _ = sched_setaffinity(None, &only);
        (0..TIMES).map(|_| work()).min().unwrap_or_default()
    };
    let times = cores.iter().take(MOST_CORES).map(|core| {
        // In a thread of its own, which takes its binding with it. One after the other: together
        // they would wait for each other.
        thread::scope(|scope| scope.spawn(|| on(*core)).join().unwrap_or_default())
    });
    times.max().unwrap_or_default()
}

/// Each step needs the one before it, so it measures the clock rate and nothing else.
fn work() -> u64 {
    let start = Instant::now();
    let mut value = black_box(1u64);
    for _ in 0..STEPS {
        value = value.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
    }
    black_box(value);
    start.elapsed().as_nanos() as u64
}

/// Processor time since the machine was started: all of it, and ours, in ticks.
#[derive(Debug, Clone, Copy)]
pub struct Used {
    all: f64,
    ours: f64,
    at: Instant,
}

impl Used {
    /// So far. None where the kernel does not say.
    pub fn now() -> Option<Self> {
        let all = busy(&fs::read_to_string("/proc/stat").ok()?)?;
        let ours = own(&fs::read_to_string("/proc/self/stat").ok()?)?;
        Some(Self { all, ours, at: Instant::now() })
    }

    /// The share of the machine's processors that others have used since then.
    pub fn others_since(self) -> f64 {
        let Some(now) = Self::now() else { return 0.0 };
        let processors = thread::available_parallelism().map_or(1, usize::from) as f64;
        let there = now.at.duration_since(self.at).as_secs_f64() * TICKS_PER_SECOND * processors;
        share(now.all - self.all, now.ours - self.ours, there)
    }
}

fn share(all: f64, ours: f64, there: f64) -> f64 {
    ((all - ours - UNSURE_TICKS) / there.max(1.0)).clamp(0.0, 1.0)
}

/// What was used of all processors, and what another guest of the host has taken: everything but idle
/// and waiting for a disk.
fn busy(stat: &str) -> Option<f64> {
    let mut words = stat.lines().next()?.split_whitespace();
    words.next().filter(|name| *name == "cpu")?;
    let ticks: Vec<f64> = words.map_while(|word| word.parse().ok()).collect();
    // user, nice, system, idle, iowait, irq, softirq, steal; guests are part of user
    (ticks.len() >= 8).then(|| ticks[..8].iter().sum::<f64>() - ticks[3] - ticks[4])
}

/// What this process and its children have used, as far as they have ended.
fn own(stat: &str) -> Option<f64> {
    let ticks: Vec<f64> = fields(stat).skip(11).take(4).map_while(|it| it.parse().ok()).collect();
    (ticks.len() == 4).then(|| ticks.iter().sum())
}

/// The averages of the kernel.
pub fn load() -> [f64; 3] {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let mut words = text.split_whitespace().map(|word| word.parse().unwrap_or_default());
    [(); 3].map(|()| words.next().unwrap_or_default())
}

/// By how much the machine's speed varied over some runs, as a share, and the largest share of
/// others.
pub fn of_block<'a>(runs: impl IntoIterator<Item = &'a Run>) -> (f64, f64) {
    let (mut fastest, mut slowest, mut others) = (u64::MAX, 0, 0.0f64);
    for run in runs {
        fastest = fastest.min(run.work_ns[0]).min(run.work_ns[1]);
        slowest = slowest.max(run.work_ns[0]).max(run.work_ns[1]);
        others = others.max(run.others);
    }
    let spread = if slowest == 0 { 0.0 } else { slowest as f64 / fastest.max(1) as f64 - 1.0 };
    (spread, others)
}

/// How far a block lies beyond what is allowed: more than 1 is too far.
pub fn excess(spread: f64, others: f64, allowed: &Noise) -> f64 {
    // Nothing allowed is still the precision of a clock.
    let part = |found: f64, allowed: f64| found / allowed.max(1e-9);
    part(spread, allowed.spread).max(part(others, allowed.others))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_says() {
        let stat = "cpu  100 10 50 1000 200 5 5 30 7 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n";
        assert_eq!(busy(stat), Some(200.0));
        assert_eq!(busy("intr 1 2 3"), None);
        assert_eq!(busy("cpu 1 2"), None);
        // utime, stime, cutime, cstime are fields 14 to 17.
        let own_stat = "1 (x) S 1 1 1 0 -1 0 0 0 0 0 10 20 30 40 20 0 1";
        assert_eq!(own(own_stat), Some(100.0));
        assert_eq!(own("1 (x) S"), None);
    }

    #[test]
    fn shares_of_others() {
        assert_eq!(share(100.0, 100.0, 200.0), 0.0);
        // The kernel is not believed to a tick.
        assert_eq!(share(103.0, 100.0, 200.0), 0.0);
        assert_eq!(share(153.0, 100.0, 200.0), 0.25);
        assert_eq!(share(900.0, 0.0, 200.0), 1.0);
    }

    #[test]
    fn a_block_is_disturbed_by_what_varies() {
        let allowed = Noise { spread: 0.25, others: 0.1, retries: 0 };
        assert!(excess(0.2, 0.05, &allowed) < 1.0);
        assert!(excess(0.3, 0.0, &allowed) > 1.0);
        assert!(excess(0.0, 0.2, &allowed) > 1.0);
        assert!(excess(0.1, 0.0, &Noise { spread: 0.0, ..allowed }) > 1.0);
    }

    #[test]
    fn work_takes_time() {
        let cores = cores();
        assert!(!cores.is_empty());
        assert!(work_ns(&cores) > 0);
        assert!(Used::now().is_some());
    }
}
