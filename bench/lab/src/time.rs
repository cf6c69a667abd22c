//! Processor time.

use rustix::time::{ClockId, clock_gettime};

/// Seconds of processor time that the calling thread has used.
pub fn thread_cpu() -> f64 {
    seconds(ClockId::ThreadCPUTime)
}

/// Seconds of processor time that all threads of the process have used.
pub fn process_cpu() -> f64 {
    seconds(ClockId::ProcessCPUTime)
}

fn seconds(clock: ClockId) -> f64 {
    let time = clock_gettime(clock);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
