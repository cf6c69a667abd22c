//! Times that the threads of a measurement take themselves.

use std::collections::BTreeMap;
use std::sync::Mutex;

use crate::comm::Comm;
use crate::measure::Measured;
use crate::statistics::Summary;

/// What each thread timed, by round: for results that are a sum or a mean over threads, and for
/// iterations of which only a part counts. [`Measured`] has the time of all together.
#[derive(Default)]
pub struct Laps {
    /// Seconds for one iteration of each thread of this rank.
    rounds: Mutex<BTreeMap<u64, Vec<f64>>>,
}

impl Laps {
    /// In this round, an iteration took the calling thread so many seconds.
    pub fn add(&self, round: u64, seconds: f64) {
        // The resolution of the clock, so that a rate is finite.
        self.rounds.lock().unwrap().entry(round).or_default().push(seconds.max(1e-9));
    }

    /// Threads' rates added up, when each does so many things in an iteration. Collective.
    pub fn rate(&self, comm: Comm, measured: &Measured, things: f64) -> Summary {
        self.each_batch(comm, measured, |seconds| things / seconds, |sum, _| sum)
    }

    /// The mean of the threads' times for one of `parts` equal parts of an iteration. Collective.
    pub fn time(&self, comm: Comm, measured: &Measured, parts: f64) -> Summary {
        self.each_batch(comm, measured, |seconds| seconds / parts, |sum, threads| sum / threads)
    }

    /// For each batch, a value of all threads' times; from their sum and number.
    fn each_batch(
        &self,
        comm: Comm,
        measured: &Measured,
        value: impl Fn(f64) -> f64,
        together: impl Fn(f64, f64) -> f64,
    ) -> Summary {
        let rounds = self.rounds.lock().unwrap();
        let batches = measured.seconds.len();
        let total = |local: f64| comm.gather_all(local).into_iter().sum::<f64>();
        let values: Vec<f64> = (measured.first_round..)
            .take(batches)
            .map(|round| {
                // A rank that took no times has none.
                let times = rounds.get(&round).map_or(&[][..], |times| times);
                let sum = total(times.iter().map(|seconds| value(*seconds)).sum());
                together(sum, total(times.len() as f64))
            })
            .collect();
        Summary::of(&values)
    }
}
