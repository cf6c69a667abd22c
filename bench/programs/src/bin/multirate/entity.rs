//! What a sender or a receiver does.
//!
//! ```text
//!  receiver: post all receives ── ready ──►      wait for all ── done ──►
//!  sender:                          wait for ready, send the window, wait for done
//! ```
//! So receives are always posted before their messages come. A message `ready` and one `done`
//! travel on every channel.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};

use cairn_lab::{Channel, Comm, Slots, Work, Worker, fill};

use crate::tags::Tagging;

/// What all entities of a run know.
pub struct Traffic<'a> {
    /// One for each channel, or one for all.
    pub comms: &'a [Comm],
    pub channels: &'a [Channel],
    pub tagging: Tagging,
    pub window: usize,
    pub bytes: usize,
}

/// What the receiving threads of a process sum up together, when messages may take each other's
/// place.
pub struct Shared {
    exact: bool,
    /// Digests of the messages that came, less those of the messages that should come.
    balance: AtomicU64,
}

impl Shared {
    pub fn new(traffic: &Traffic, overtaking: bool) -> Shared {
        let exact = traffic.tagging.exact(traffic.channels, overtaking);
        Shared { exact, balance: AtomicU64::new(0) }
    }
}

/// A thread that sends, or receives, or has nothing to do.
pub struct Entity<'a> {
    worker: &'a Worker<'a>,
    traffic: &'a Traffic<'a>,
    shared: &'a Shared,
    /// For `ready` and `done`.
    world: Comm,
    /// Those whose sender it is, or else those whose receiver.
    channels: Vec<Channel>,
    sends: bool,
    slots: Slots,
    /// Of the last run.
    iterations: u64,
}

impl<'a> Entity<'a> {
    pub fn new(worker: &'a Worker<'a>, traffic: &'a Traffic<'a>, shared: &'a Shared) -> Self {
        let me = worker.entity;
        let mine = traffic.channels.iter().copied().filter(|channel| channel.has(me));
        let channels: Vec<Channel> = mine.collect();
        let sends = channels.first().is_some_and(|channel| channel.sender == me);
        let slots = Slots::new(channels.len() * traffic.window, traffic.bytes);
        let world = worker.lab.world();
        Entity { worker, traffic, shared, world, channels, sends, slots, iterations: 0 }
    }

    /// The slots of the channels, as (slot, channel, message of the window).
    fn messages(&self) -> impl Iterator<Item = (usize, &Channel, usize)> {
        let window = self.traffic.window;
        self.channels.iter().enumerate().flat_map(move |(place, channel)| {
            (0..window).map(move |message| (place * window + message, channel, message))
        })
    }

    fn comm(&self, channel: &Channel) -> Comm {
        // One for all has the index of no channel but the first.
        *self.traffic.comms.get(channel.index).unwrap_or(&self.traffic.comms[0])
    }

    fn send_windows(&mut self) {
        let window = self.traffic.window;
        for place in 0..self.channels.len() {
            let channel = self.channels[place];
            self.world.receive(&mut [0], Some(channel.receiver.rank), Some(ready(&channel)));
        }
        for place in 0..self.channels.len() {
            let channel = self.channels[place];
            let comm = self.comm(&channel);
            for message in 0..window {
                let tag = self.traffic.tagging.sent(&channel, message);
                self.slots.start_send(place * window + message, comm, channel.receiver.rank, tag);
            }
        }
        self.slots.wait_all();
        for channel in &self.channels {
            self.world.receive(&mut [0], Some(channel.receiver.rank), Some(done(channel)));
        }
    }

    fn receive_windows(&mut self) {
        let window = self.traffic.window;
        for place in 0..self.channels.len() {
            let channel = self.channels[place];
            let comm = self.comm(&channel);
            for message in 0..window {
                let tag = self.traffic.tagging.received(&channel, message);
                let slot = place * window + message;
                self.slots.start_receive(slot, comm, Some(channel.sender.rank), tag);
            }
        }
        for channel in &self.channels {
            self.world.send(&[0], channel.sender.rank, ready(channel));
        }
        self.slots.wait_all();
        for channel in &self.channels {
            self.world.send(&[0], channel.sender.rank, done(channel));
        }
    }

    /// After one iteration: all threads of the process together got what was sent to them, whichever
    /// got what.
    fn balanced(&self, round: u64) -> bool {
        let mut expected = vec![0; self.traffic.bytes];
        let mut balance = 0_u64;
        for (slot, channel, message) in self.messages() {
            fill(&mut expected, seed(round, channel, message));
            balance =
                balance.wrapping_add(digest(self.slots.data(slot))).wrapping_sub(digest(&expected));
        }
        self.shared.balance.fetch_add(balance, Ordering::Relaxed);
        self.worker.threads_barrier();
        let balanced = self.shared.balance.load(Ordering::Relaxed) == 0;
        self.worker.threads_barrier();
        // All have looked.
        self.shared.balance.store(0, Ordering::Relaxed);
        self.worker.threads_barrier();
        balanced
    }

    /// After several iterations, in which a thread may have got messages of an iteration that
    /// another was still at: how many are not of those that were sent to this process.
    fn strangers(&self, round: u64) -> u64 {
        let mut expected = vec![0; self.traffic.bytes];
        let mut known = HashSet::new();
        let to_us = |channel: &&Channel| channel.receiver.rank == self.worker.entity.rank;
        for channel in self.traffic.channels.iter().filter(to_us) {
            for message in 0..self.traffic.window {
                fill(&mut expected, seed(round, channel, message));
                known.insert(digest(&expected));
            }
        }
        let stranger = |slot: &usize| !known.contains(&digest(self.slots.data(*slot)));
        (0..self.slots.len()).filter(stranger).count() as u64
    }
}

impl Work for Entity<'_> {
    fn prepare(&mut self, round: u64) {
        if !self.sends {
            self.slots.poison();
            return;
        }
        let seeds: Vec<_> = self
            .messages()
            .map(|(slot, channel, message)| (slot, seed(round, channel, message)))
            .collect();
        for (slot, seed) in seeds {
            self.slots.fill(slot, seed);
        }
    }

    fn run(&mut self, iterations: u64) {
        self.iterations = iterations;
        for _ in 0..iterations {
            match self.sends {
                true => self.send_windows(),
                false => self.receive_windows(),
            }
        }
    }

    fn verify(&mut self, round: u64) -> u64 {
        if self.sends {
            return 0;
        }
        match (self.shared.exact, self.iterations) {
            (true, _) => {}
            (false, 1) => return u64::from(!self.balanced(round)),
            (false, _) => return self.strangers(round),
        }
        let wrong = |(slot, channel, message): &(usize, &Channel, usize)| {
            !self.slots.check(*slot, seed(round, channel, *message))
        };
        self.messages().filter(wrong).count() as u64
    }
}

/// The data of a message.
fn seed(round: u64, channel: &Channel, message: usize) -> u64 {
    (round << 44) + ((channel.index as u64) << 24) + message as u64
}

/// Tags of the messages beside those that are measured, which have smaller ones.
fn ready(channel: &Channel) -> usize {
    crate::MOST_TAGS + channel.index * 2
}

fn done(channel: &Channel) -> usize {
    ready(channel) + 1
}

fn digest(data: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(data);
    hasher.finish()
}
