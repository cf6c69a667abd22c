//! Adaptive: a thread that waits polls where it has a processor for itself, and sleeps where others
//! need the processor more.
//!
//! *Crowded* is a process whose waiting threads are more than its share of the node's processors:
//! with more processes of the job than processors, always. There a thread gives its processor to
//! others between polls, for `crowded_patience`: what it waits for mostly comes when the others have
//! had their turn, and to be woken costs both sides more than to be asked. Elsewhere it polls for
//! `patience`. Then it sleeps, which leaves the processor idle that waits for long.
//!
//! Threads that do not wait need a processor even more, but it is unknown which of them want to run. So
//! where all threads that call the library are more than the share, a thread gives its processor to
//! others now and then. If one of the process has come to wait meanwhile, it was one of those, and the
//! next time comes sooner. If not, the others sleep, or it was a foreign program, which may keep the
//! processor for milliseconds; then the next time comes later.

#![forbid(unsafe_code)]

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use cairn_framework::abi::job::Job;
use cairn_framework::abi::request::WaitSync;
use cairn_framework::abi::scope::Scope;
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Registrar};
use cairn_framework::frameworks::wait::{Naps, Wait, WaitMeans};

const PRIORITY: i64 = 50;

/// The first sleep after something happened, in microseconds.
const FIRST_NAP: u32 = 1000;

/// Passes between two looks at the clock, and the shortest [`Waiters::interval`].
const PASSES_PER_LOOK: u32 = 32;

/// The longest [`Waiters::interval`]: about a millisecond.
const LONGEST_INTERVAL: u32 = 8192;

cairn_framework::params! {
    /// The parameters.
    struct Params {
        priority: priority(PRIORITY);
        patience: integer(5000),
            "How long a thread polls without an event before it sleeps, when it has a processor \
             for itself",
            range(0, 1_000_000_000), unit("microseconds"), level(4);
        crowded_patience: integer(2000),
            "How long a thread polls without an event before it sleeps, with others running in \
             between, when there are more waiting threads than processors",
            range(0, 1_000_000_000), unit("microseconds"), level(5);
        limit: integer(16_000),
            "Longest sleep; the first one takes a millisecond and each is twice as long as the \
             one before. Work that no transport announces is looked at that often",
            range(1, 1_000_000), unit("microseconds"), level(6);
    }
}

struct Adaptive {
    priority: i32,
    /// Processors for the threads of this process; none when the job has more processes than
    /// processors.
    share: u32,
    /// How long a thread polls that has a processor for itself.
    patience: Duration,
    /// How long a thread polls in a crowd.
    crowded_patience: Duration,
    /// Longest sleep in microseconds.
    limit: u32,
    waiters: Waiters,
}

/// Waits of the process, on cache lines of their own, because all threads write them. All accesses are
/// Relaxed: numbers to decide by, which order nothing.
#[repr(align(128))]
struct Waiters {
    /// Waits that have begun, and those that have ended.
    begun: AtomicU32,
    ended: AtomicU32,
    /// Passes before a thread tries whether another one wants to run.
    interval: AtomicU32,
}

impl Waiters {
    fn new() -> Self {
        Self { begun: 0.into(), ended: 0.into(), interval: PASSES_PER_LOOK.into() }
    }

    /// Threads that wait at the moment.
    fn number(&self) -> u32 {
        let ended = self.ended.load(Ordering::Relaxed);
        self.begun.load(Ordering::Relaxed).wrapping_sub(ended)
    }

    /// Lets another thread of the process run that does not wait, if there is one.
    fn give_way(&self) {
        let begun = self.begun.load(Ordering::Relaxed);
        std::thread::yield_now();
        let met = self.begun.load(Ordering::Relaxed) != begun;
        let interval = self.interval.load(Ordering::Relaxed);
        self.interval.store(next_interval(interval, met), Ordering::Relaxed);
    }
}

/// The next [`Waiters::interval`], by whether a thread of the process has run.
fn next_interval(interval: u32, met: bool) -> u32 {
    if met { PASSES_PER_LOOK } else { interval.saturating_mul(2).min(LONGEST_INTERVAL) }
}

/// Processors for each process of a job on its node; 0 when there are more processes.
fn share(job: &Job) -> u32 {
    if job.is_crowded() {
        return 0;
    }
    // A process that is bound has what it is bound to.
    let fair = job.node_cores.max(job.cores) / job.local_size.max(1);
    fair.max(1).min(job.cores.max(1))
}

impl Component for Adaptive {
    type Params = Params;

    fn register(registrar: &Registrar<'_>) -> Result<Params, Failure> {
        Params::register(registrar)
    }

    fn open(host: HostHandle, params: Params) -> Result<Self, Failure> {
        Ok(Self {
            priority: params.priority.get() as i32,
            share: share(host.job()),
            patience: Duration::from_micros(params.patience.get() as u64),
            crowded_patience: Duration::from_micros(params.crowded_patience.get() as u64),
            limit: params.limit.get() as u32,
            waiters: Waiters::new(),
        })
    }

    fn query(&self, _scope: &Scope) -> Answer {
        Answer::Priority(self.priority)
    }
}

impl Wait for Adaptive {
    fn wait(&self, sync: &WaitSync, means: &WaitMeans) -> Result<(), Failure> {
        self.waiters.begun.fetch_add(1, Ordering::Relaxed);
        let (mut misses, mut passes) = (0, 0);
        let mut naps = Naps::new(FIRST_NAP, self.limit);
        let mut idle_since: Option<Instant> = None;
        while !sync.is_complete() {
            if means.poll(sync) > 0 {
                (misses, passes) = (0, 0);
                idle_since = None;
                naps.reset();
                continue;
            }
            misses += 1;
            let crowded = self.waiters.number() > self.share;
            if !crowded && misses < PASSES_PER_LOOK {
                std::hint::spin_loop();
                continue;
            }
            passes += misses;
            misses = 0;
            let patience = if crowded { self.crowded_patience } else { self.patience };
            let tired = idle_since.get_or_insert_with(Instant::now).elapsed() >= patience;
            // When there is something to poll, or nothing can wake this thread, it does not sleep.
            let slept = tired && naps.sleep(sync, means);
            if !slept && (crowded || tired) {
                std::thread::yield_now();
            } else if !slept
                && means.threads > self.share
                && passes >= self.waiters.interval.load(Ordering::Relaxed)
            {
                self.waiters.give_way();
                passes = 0;
            }
        }
        self.waiters.ended.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

cairn_framework::component! {
    framework: wait,
    component: Adaptive,
    name: "adaptive",
    description: "a thread that waits polls or sleeps, as the processors allow",
}

#[cfg(test)]
mod tests {
    use cairn_framework::mock::MockHost;

    use super::*;

    #[test]
    fn a_process_has_its_share_of_the_processors() {
        let job = |cores, node_cores, local_size| Job {
            cores,
            node_cores,
            local_size,
            ..*MockHost::leak("wait_adaptive").handle().job()
        };
        // Bound or not, as many processes as processors.
        assert_eq!(share(&job(1, 2, 2)), 1);
        assert_eq!(share(&job(2, 2, 2)), 1);
        // Alone.
        assert_eq!(share(&job(8, 8, 1)), 8);
        assert_eq!(share(&job(3, 8, 1)), 3);
        // A crowd.
        assert_eq!(share(&job(2, 2, 3)), 0);
        assert_eq!(share(&job(1, 2, 32)), 0);
        // It is unknown what the node has.
        assert_eq!(share(&job(4, 0, 2)), 2);
        assert_eq!(share(&job(1, 0, 2)), 1);
    }

    #[test]
    fn who_meets_nobody_gives_way_less_often() {
        let mut interval = PASSES_PER_LOOK;
        for _ in 0..32 {
            let next = next_interval(interval, false);
            assert!(next == 2 * interval || next == LONGEST_INTERVAL);
            interval = next;
        }
        assert_eq!(interval, LONGEST_INTERVAL);
        assert_eq!(next_interval(interval, true), PASSES_PER_LOOK);
    }

    #[test]
    fn those_who_wait_are_counted() {
        let waiters = Waiters::new();
        waiters.begun.fetch_add(3, Ordering::Relaxed);
        waiters.ended.fetch_add(2, Ordering::Relaxed);
        assert_eq!(waiters.number(), 1);
        // No other thread comes to wait here.
        waiters.give_way();
        assert_eq!(waiters.interval.load(Ordering::Relaxed), 2 * PASSES_PER_LOOK);
    }
}
