//! Computation that takes about as long as one asks for.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// A fixed amount of work, so that it takes longer when something else uses the processor.
#[derive(Debug, Clone, Copy)]
pub struct Computation {
    steps_per_second: f64,
}

/// How long one trial of the calibration takes at most.
const TRIAL: Duration = Duration::from_millis(2);

impl Computation {
    /// Finds out how fast this processor is, in some ten milliseconds.
    pub fn calibrate() -> Computation {
        let mut steps = 1000;
        // Until a trial is long against the clock's resolution.
        while time(steps) < TRIAL / 2 && steps < 1 << 40 {
            steps *= 2;
        }
        // The fastest trial is the one that nothing disturbed.
        let fastest = (0..10).map(|_| time(steps)).min().expect("there are trials");
        Computation { steps_per_second: steps as f64 / fastest.as_secs_f64() }
    }

    /// How many steps take so many seconds. The same number is the same work.
    pub fn steps(&self, seconds: f64) -> u64 {
        (self.steps_per_second * seconds) as u64
    }
}

/// Computes so many steps, each of which needs the one before.
#[inline]
pub fn compute(steps: u64) {
    let mut state = black_box(0x9e37_79b9_7f4a_7c15_u64);
    for _ in 0..steps {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    black_box(state);
}

fn time(steps: u64) -> Duration {
    let start = Instant::now();
    compute(steps);
    start.elapsed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_seconds_are_more_steps() {
        let computation = Computation { steps_per_second: 1e9 };
        assert_eq!(computation.steps(0.0), 0);
        assert_eq!(computation.steps(1e-6), 1000);
        assert!(Computation::calibrate().steps(1.0) > 1_000_000);
    }
}
