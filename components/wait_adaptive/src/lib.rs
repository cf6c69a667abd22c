//! Adaptive: a thread that waits polls where it has a processor for itself, and sleeps where others
//! need the processor more.
//!
//! *Crowded* is a process whose waiting threads are more than its share of the node's processors:
//! with more processes of the job than processors, always. There a thread gives its processor to
//! others between polls, for `crowded_patience`: what it waits for mostly comes when the others have
//! had their turn, and to be woken costs both sides more than to be asked. Elsewhere it polls for
//! `patience`. Then it sleeps, which leaves the processor idle that waits for long.

#![forbid(unsafe_code)]

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use cairn_framework::abi::job::Job;
use cairn_framework::abi::param::IntegerParam;
use cairn_framework::abi::request::WaitSync;
use cairn_framework::abi::scope::Scope;
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Registrar};
use cairn_framework::frameworks::wait::{Naps, Wait, WaitMeans};

const PRIORITY: i64 = 50;

/// The first sleep after something happened, in microseconds.
const FIRST_NAP: u32 = 1000;

/// Passes between two looks at the clock.
const PASSES_PER_LOOK: u32 = 64;

struct Params {
    priority: IntegerParam,
    patience: IntegerParam,
    crowded_patience: IntegerParam,
    limit: IntegerParam,
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

/// Threads that wait at the moment, on cache lines of their own, because all of them write it.
#[repr(align(128))]
#[derive(Default)]
struct Waiters(AtomicU32);

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
        Ok(Params {
            priority: registrar.priority(PRIORITY)?,
            patience: registrar
                .integer(
                    "patience",
                    5000,
                    "How long a thread polls without an event before it sleeps, when it has a \
                     processor for itself",
                )
                .range(0, 1_000_000_000)
                .unit("microseconds")
                .level(4)
                .register()?,
            crowded_patience: registrar
                .integer(
                    "crowded_patience",
                    2000,
                    "How long a thread polls without an event before it sleeps, with others running \
                     in between, when there are more waiting threads than processors",
                )
                .range(0, 1_000_000_000)
                .unit("microseconds")
                .level(5)
                .register()?,
            limit: registrar
                .integer(
                    "limit",
                    16_000,
                    "Longest sleep; the first one takes a millisecond and each is twice as long as \
                     the one before. Work that no transport announces is looked at that often",
                )
                .range(1, 1_000_000)
                .unit("microseconds")
                .level(6)
                .register()?,
        })
    }

    fn open(host: HostHandle, params: Params) -> Result<Self, Failure> {
        Ok(Self {
            priority: params.priority.get() as i32,
            share: share(host.job()),
            patience: Duration::from_micros(params.patience.get() as u64),
            crowded_patience: Duration::from_micros(params.crowded_patience.get() as u64),
            limit: params.limit.get() as u32,
            waiters: Waiters::default(),
        })
    }

    fn query(&self, _scope: &Scope) -> Answer {
        Answer::Priority(self.priority)
    }
}

impl Wait for Adaptive {
    fn wait(&self, sync: &WaitSync, means: &WaitMeans) -> Result<(), Failure> {
        // Relaxed: a number to decide by, which orders nothing.
        self.waiters.0.fetch_add(1, Ordering::Relaxed);
        let mut misses = 0;
        let mut naps = Naps::new(FIRST_NAP, self.limit);
        let mut idle_since: Option<Instant> = None;
        while !sync.is_complete() {
            if means.poll(sync) > 0 || means.help() {
                misses = 0;
                idle_since = None;
                naps.reset();
                continue;
            }
            misses += 1;
            let crowded = self.waiters.0.load(Ordering::Relaxed) > self.share;
            if !crowded && misses < PASSES_PER_LOOK {
                std::hint::spin_loop();
                continue;
            }
            misses = 0;
            let patience = if crowded { self.crowded_patience } else { self.patience };
            let tired = idle_since.get_or_insert_with(Instant::now).elapsed() >= patience;
            // When there is something to poll, or nothing can wake this thread, it does not sleep.
            let slept = tired && naps.sleep(sync, means);
            if !slept && (crowded || tired) {
                std::thread::yield_now();
            }
        }
        self.waiters.0.fetch_sub(1, Ordering::Relaxed);
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
        // Nobody knows what the node has.
        assert_eq!(share(&job(4, 0, 2)), 2);
        assert_eq!(share(&job(1, 0, 2)), 1);
    }
}
