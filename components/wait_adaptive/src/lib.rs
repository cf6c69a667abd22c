//! Adaptive: a thread that waits polls where it has a processor for itself, and sleeps where others
//! need the processor more.
//!
//! *Crowded* is a process whose waiting threads are more than its share of the node's processors:
//! with more processes of the job than processors, always. There a thread gives its processor to
//! others between polls, for `crowded_patience`: what it waits for mostly comes when the others have
//! had their turn, and to be woken costs both sides more than to be asked. Elsewhere it polls for
//! `patience`. Then it sleeps, which leaves the processor idle that waits for long.
//!
//! Others may want the processor all the same: threads of this process that do not wait, and processes of other jobs
//! or containers, of which nothing is known here. So a thread that polls gives its processor away now and then, and
//! looks how long it was without it. For a moment only, or a thread of this process has come to wait meanwhile: those
//! are others that wait for each other and give way as well, and the next time comes soon. Not at all: no other
//! thread wants it, and the next time comes later. For as long as the scheduler lets a program compute: that would take it each
//! time, whereas it gets no more than its part if nothing is given, so the next time comes later, too.

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

/// Passes between two looks at the clock.
const PASSES_PER_LOOK: u32 = 32;

/// The shortest and the longest [`Waiters::interval`].
const SHORTEST_INTERVAL: Duration = Duration::from_micros(1);
const LONGEST_INTERVAL: Duration = Duration::from_micros(250);

/// To be without the processor for less is no other thread's turn, but the call by itself.
const CALL: Duration = Duration::from_micros(2);
/// To be without it for longer is the turn of a program that computes: more than the longest interval of one that
/// polls, less than what schedulers give to each.
const COMPUTES: Duration = Duration::from_millis(1);

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
    /// Nanoseconds before a thread tries whether another one wants to run.
    interval: AtomicU32,
}

impl Waiters {
    fn new() -> Self {
        Self { begun: 0.into(), ended: 0.into(), interval: nanoseconds(SHORTEST_INTERVAL).into() }
    }

    /// Threads that wait at the moment.
    fn number(&self) -> u32 {
        let ended = self.ended.load(Ordering::Relaxed);
        self.begun.load(Ordering::Relaxed).wrapping_sub(ended)
    }

    /// Lets another thread run that wants to, if there is one, and returns the time afterwards.
    fn give_way(&self, now: Instant) -> Instant {
        let begun = self.begun.load(Ordering::Relaxed);
        std::thread::yield_now();
        let after = Instant::now();
        let has_come = self.begun.load(Ordering::Relaxed) != begun;
        let interval = self.interval.load(Ordering::Relaxed);
        let next = next_interval(interval, has_come, after.duration_since(now));
        self.interval.store(next, Ordering::Relaxed);
        after
    }

    fn interval(&self) -> Duration {
        Duration::from_nanos(self.interval.load(Ordering::Relaxed).into())
    }
}

/// The next [`Waiters::interval`], by whether a thread of the process has come to wait while this one was without its
/// processor, and for how long that was.
fn next_interval(interval: u32, has_come: bool, away: Duration) -> u32 {
    let was_short = (CALL..COMPUTES).contains(&away);
    match has_come || was_short {
        true => nanoseconds(SHORTEST_INTERVAL),
        false => interval.saturating_mul(2).min(nanoseconds(LONGEST_INTERVAL)),
    }
}

const fn nanoseconds(time: Duration) -> u32 {
    time.as_nanos() as u32
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
        let mut misses = 0;
        let mut naps = Naps::new(FIRST_NAP, self.limit);
        // Since when there was no event, and since when the thread has had its processor, as far as it knows.
        let mut idle: Option<(Instant, Instant)> = None;
        while !sync.is_complete() {
            if means.poll(sync) > 0 {
                misses = 0;
                idle = None;
                naps.reset();
                continue;
            }
            misses += 1;
            let crowded = self.waiters.number() > self.share;
            if !crowded && misses < PASSES_PER_LOOK {
                std::hint::spin_loop();
                continue;
            }
            misses = 0;
            let patience = if crowded { self.crowded_patience } else { self.patience };
            let now = Instant::now();
            let (idle_since, running_since) = idle.get_or_insert((now, now));
            let tired = now.duration_since(*idle_since) >= patience;
            // When there is something to poll, or nothing can wake this thread, it does not sleep.
            let slept = tired && naps.sleep(sync, means);
            if !slept && (crowded || tired) {
                std::thread::yield_now();
            } else if !slept && now.duration_since(*running_since) >= self.waiters.interval() {
                *running_since = self.waiters.give_way(now);
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
        let [shortest, longest] = [SHORTEST_INTERVAL, LONGEST_INTERVAL].map(nanoseconds);
        // No other thread, and a program that computes.
        for away in [Duration::ZERO, COMPUTES] {
            let mut interval = shortest;
            for _ in 0..32 {
                let next = next_interval(interval, false, away);
                assert!(next == 2 * interval || next == longest);
                interval = next;
            }
            assert_eq!(interval, longest);
            assert_eq!(next_interval(interval, true, away), shortest);
        }
        assert_eq!(next_interval(longest, false, CALL), shortest);
        // Those that poll for the longest interval before they give way are not taken for one that computes.
        assert_eq!(next_interval(longest, false, 3 * LONGEST_INTERVAL), shortest);
    }

    #[test]
    fn those_who_wait_are_counted() {
        let waiters = Waiters::new();
        waiters.begun.fetch_add(3, Ordering::Relaxed);
        waiters.ended.fetch_add(2, Ordering::Relaxed);
        assert_eq!(waiters.number(), 1);
        // Whoever runs meanwhile, the interval is another one afterwards.
        waiters.interval.store(8 * nanoseconds(SHORTEST_INTERVAL), Ordering::Relaxed);
        waiters.give_way(Instant::now());
        let interval = waiters.interval.load(Ordering::Relaxed) / nanoseconds(SHORTEST_INTERVAL);
        assert!([1, 16].contains(&interval), "{interval}");
    }
}
