//! Dedicated: each thread keeps an instance (dissertation §5.3.3, algorithm 3).
//!
//! ```text
//!   thread's index ─► owned[index] ─► instance          every operation: one load
//!                          ▲
//!        first operation ──┘  the instance with the fewest threads
//!        thread's end ─────►  gives it back
//! ```
//!
//! With at least as many instances as threads no two threads ever meet on one; with fewer, the
//! instances share the threads evenly. The dissertation's algorithm hands instances out in turn and
//! never takes one back; here the least used one is taken, and an instance is free again when its
//! thread ends, so that threads which come and go do not pile up on a few.

#![forbid(unsafe_code)]

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use cairn_framework::abi::param::IntegerParam;
use cairn_framework::abi::pool::CriPool;
use cairn_framework::abi::scope::Scope;
use cairn_framework::abi::thread::{MAX_THREADS, Thread};
use cairn_framework::author::Mutex;
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Registrar};
use cairn_framework::frameworks::cri::{Asker, Cri};

/// The best strategy when nothing is known: see the module's text.
const PRIORITY: i64 = 30;

/// Threads in one chunk of the table, which grows by chunks so that readers never see it move.
const CHUNK: u32 = 64;
const CHUNKS: usize = (MAX_THREADS / CHUNK) as usize;

/// In the table: the thread has no instance.
const NONE: u32 = u32::MAX;

struct Dedicated {
    priority: i32,
}

/// Which thread has which CRI of one pool.
struct Shares {
    /// For each thread's index the instance it has. A thread reads and writes its own entry only;
    /// the entry of a thread that ended is cleared at its end, before the index is reused.
    owned: Box<[OnceLock<Box<[AtomicU32; CHUNK as usize]>>]>,
    /// Threads of each instance.
    threads: Mutex<Vec<u32>>,
}

impl Shares {
    fn entry(&self, thread: &Thread) -> &AtomicU32 {
        let chunk = self.owned[(thread.index / CHUNK) as usize]
            .get_or_init(|| Box::new([const { AtomicU32::new(NONE) }; CHUNK as usize]));
        &chunk[(thread.index % CHUNK) as usize]
    }

    /// Gives the calling thread the instance with the fewest threads.
    #[cold]
    fn take(&self, entry: &AtomicU32) -> u32 {
        let mut threads = self.threads.lock();
        let (index, count) = threads
            .iter_mut()
            .enumerate()
            .min_by_key(|(_, count)| **count)
            .expect("a pool has instances");
        *count += 1;
        let index = index as u32;
        entry.store(index, Ordering::Relaxed);
        index
    }
}

impl Component for Dedicated {
    type Params = IntegerParam;

    fn register(registrar: &Registrar<'_>) -> Result<IntegerParam, Failure> {
        registrar.priority(PRIORITY)
    }

    fn open(_host: HostHandle, priority: IntegerParam) -> Result<Self, Failure> {
        Ok(Self { priority: priority.get() as i32 })
    }

    fn query(&self, _scope: &Scope) -> Answer {
        Answer::Priority(self.priority)
    }
}

impl Cri for Dedicated {
    type Pool = Shares;

    fn attach(&self, pool: &CriPool) -> Result<Shares, Failure> {
        Ok(Shares {
            owned: (0..CHUNKS).map(|_| OnceLock::new()).collect(),
            threads: Mutex::new(vec![0; pool.count as usize]),
        })
    }

    fn assign(shares: &Shares, _pool: &CriPool, asker: &Asker<'_>) -> u32 {
        let entry = shares.entry(asker.thread);
        // Relaxed: the calling thread wrote it, or the host's hand-over of the index from an ended
        // thread came in between.
        match entry.load(Ordering::Relaxed) {
            NONE => shares.take(entry),
            index => index,
        }
    }

    fn thread_exit(shares: &Shares, _pool: &CriPool, thread: &Thread) {
        let index = shares.entry(thread).swap(NONE, Ordering::Relaxed);
        if index != NONE {
            let mut threads = shares.threads.lock();
            threads[index as usize] -= 1;
        }
    }

    fn describe(shares: &Shares, _pool: &CriPool) -> String {
        let threads = shares.threads.lock();
        let counts: Vec<String> = threads.iter().map(u32::to_string).collect();
        format!("threads by instance: {}", counts.join(" "))
    }
}

cairn_framework::component! {
    framework: cri,
    component: Dedicated,
    name: "dedicated",
    description: "gives each thread an instance of its own",
}

#[cfg(test)]
mod tests {
    use cairn_framework::frameworks::cri::CRI_SEND;
    use cairn_framework::mock::MockHost;

    use super::*;

    fn assign(shares: &Shares, pool: &CriPool, index: u32) -> u32 {
        let mock = MockHost::leak("cri_dedicated");
        let scope = mock.process();
        mock.as_thread(index, |thread| {
            let asker = Asker { thread, scope: &scope, peer: None, operation: CRI_SEND };
            Dedicated::assign(shares, pool, &asker)
        })
    }

    fn end(shares: &Shares, pool: &CriPool, index: u32) {
        MockHost::leak("cri_dedicated")
            .as_thread(index, |thread| Dedicated::thread_exit(shares, pool, thread));
    }

    #[test]
    fn threads_keep_their_instance_and_give_it_back() {
        let mock = MockHost::leak("cri_dedicated");
        let strategy: Dedicated = mock.open().unwrap();
        let pool = mock.pool(3);
        let shares = strategy.attach(pool).unwrap();
        let first: Vec<u32> = (0..3).map(|thread| assign(&shares, pool, thread)).collect();
        assert_eq!(first, [0, 1, 2]);
        assert_eq!((0..3).map(|thread| assign(&shares, pool, thread)).collect::<Vec<_>>(), first);
        end(&shares, pool, 1);
        assert_eq!(assign(&shares, pool, 70), 1);
        assert_eq!(Dedicated::describe(&shares, pool), "threads by instance: 1 1 1");
    }

    #[test]
    fn more_threads_than_instances_share_evenly() {
        let mock = MockHost::leak("cri_dedicated");
        let strategy: Dedicated = mock.open().unwrap();
        let pool = mock.pool(4);
        let shares = strategy.attach(pool).unwrap();
        let mut counts = [0; 4];
        for thread in 0..202 {
            counts[assign(&shares, pool, thread) as usize] += 1;
        }
        assert!(counts.iter().all(|count| (50..=51).contains(count)), "{counts:?}");
        for thread in 0..202 {
            end(&shares, pool, thread);
            end(&shares, pool, thread);
        }
        assert_eq!(Dedicated::describe(&shares, pool), "threads by instance: 0 0 0 0");
    }
}
