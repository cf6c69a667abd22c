//! The processes of a job in one process: a thread for each, which has what stands for it.

use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

type Work<R> = Box<dyn FnOnce(&R) + Send>;

/// One thread for each rank.
pub struct Threads<R>(Vec<Sender<Work<R>>>);

impl<R: 'static> Threads<R> {
    /// So many; each makes what stands for its rank.
    pub fn new(size: u32, make: impl Fn(u32) -> R + Send + Sync + 'static) -> Self {
        let make = Arc::new(make);
        let start = |rank| {
            let (sender, receiver) = channel::<Work<R>>();
            let make = Arc::clone(&make);
            std::thread::spawn(move || {
                let rank = make(rank);
                receiver.into_iter().for_each(|work| work(&rank));
            });
            sender
        };
        Self((0..size).map(start).collect())
    }

    /// Does something on every rank and returns what came out, by rank. Ends the process when that
    /// takes too long.
    pub fn run<T: Send + 'static>(
        &self,
        deadline: Duration,
        work: impl Fn(&R) -> T + Send + Sync + 'static,
    ) -> Vec<T> {
        let (work, size) = (Arc::new(work), self.0.len());
        let (sender, results) = channel();
        for (number, rank) in self.0.iter().enumerate() {
            let (work, sender) = (work.clone(), sender.clone());
            let work = move |rank: &R| {
                let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(rank)));
                sender.send((number, result)).unwrap();
            };
            rank.send(Box::new(work)).unwrap();
        }
        let mut by_rank: Vec<Option<T>> = (0..size).map(|_| None).collect();
        for _ in 0..size {
            match results.recv_timeout(deadline) {
                Ok((rank, Ok(result))) => by_rank[rank] = Some(result),
                // The others may wait for it for ever.
                Ok((rank, Err(_))) => end(&format!("rank {rank} of {size} panicked")),
                Err(_) => end(&format!("ranks of {size} are stuck")),
            }
        }
        by_rank.into_iter().map(Option::unwrap).collect()
    }
}

fn end(why: &str) -> ! {
    eprintln!("{why}");
    std::process::abort()
}
