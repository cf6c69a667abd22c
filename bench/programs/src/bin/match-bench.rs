//! What matching a message costs, by how much there is to look through.
//!
//! A message goes to the receiver and back, while on the receiver's side other receives wait that
//! it does not match (`posted`), or other messages that its receive does not match
//! (`unexpected`). In `order` there is a window of receives whose messages come in another order
//! than the receives were posted in.
#![forbid(unsafe_code)]

use cairn_lab::{
    ANY_SOURCE, ANY_TAG, Arguments, Comm, Common, Lab, List, Metric, Slots, Work, name, sizes,
};
use clap::{Parser, ValueEnum};
use serde::Serialize;

/// What matching costs, by the length of queues, with wildcards, and out of sequence
#[derive(Parser, Serialize)]
#[command(name = "match-bench")]
struct Args {
    #[command(flatten)]
    #[serde(flatten)]
    common: Common,
    /// What there is to look through
    #[arg(long, value_enum, value_delimiter = ',', default_value = "posted,unexpected,order")]
    mode: Vec<Mode>,
    /// How many other receives or messages there are, or how long the window is
    #[arg(long, default_value = "0,1-1k", value_parser = sizes)]
    lengths: List,
    /// Wildcards of the receive that is timed
    #[arg(long, value_enum, value_delimiter = ',', default_value = "none")]
    wildcard: Vec<Wildcard>,
    /// Wildcards of the receives that are in its way
    #[arg(long, value_enum, default_value = "none")]
    others: Others,
    /// Order in which the messages of a window come, compared with that of their receives
    #[arg(long, value_enum, value_delimiter = ',', default_value = "same,reverse,random")]
    order: Vec<Order>,
    /// Size of the messages in bytes
    #[arg(long, default_value_t = 8, value_parser = size)]
    size: usize,
    /// Seed of the random order
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

#[derive(ValueEnum, Serialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Mode {
    /// Receives that wait for other messages
    Posted,
    /// Messages that wait for other receives
    Unexpected,
    /// A window of receives, whose messages come in some order
    Order,
}

#[derive(ValueEnum, Serialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Wildcard {
    /// Source and tag are given
    None,
    /// MPI_ANY_SOURCE
    Source,
    /// MPI_ANY_TAG; not with messages in the way, which it would match
    Tag,
    /// Both; not with messages in the way
    Both,
}

#[derive(ValueEnum, Serialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Others {
    /// They give source and tag
    None,
    /// They have MPI_ANY_SOURCE
    Source,
}

#[derive(ValueEnum, Serialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Order {
    /// As the receives
    Same,
    /// The last receive's first
    Reverse,
    /// Shuffled, by --seed
    Random,
}

fn size(text: &str) -> Result<usize, String> {
    sizes(text).map(|list| list.largest())
}

impl Arguments for Args {
    fn common(&self) -> &Common {
        &self.common
    }

    fn threads(&self) -> usize {
        1
    }
}

/// The most that are in the way.
const MOST: usize = 1 << 18;

/// Tag of the message that is timed, of the answer, and of the first one of the others.
const BALL: usize = 1;
const ANSWER: usize = 2;
const FIRST: usize = 3;

fn main() {
    let (lab, args) = Lab::start::<Args>();
    if let Err(reason) = check(&lab, &args) {
        lab.refuse(&reason);
    }
    let mut points = Vec::new();
    for mode in &args.mode {
        for length in args.lengths.values() {
            match mode {
                Mode::Order if length == 0 => {}
                Mode::Order => points
                    .extend(args.order.iter().map(|order| (*mode, length, Wildcard::None, *order))),
                _ => points.extend(
                    args.wildcard.iter().map(|wildcard| (*mode, length, *wildcard, Order::Same)),
                ),
            }
        }
    }
    lab.points(points.len());
    for (mode, length, wildcard, order) in points {
        let measured = lab.measure(1, |worker| {
            let first = match worker.entity.rank {
                0 => true,
                1 => false,
                _ => return Box::new(()),
            };
            match mode {
                Mode::Order => Box::new(InOrder::new(&lab, &args, first, length, order)),
                _ => Box::new(InTheWay::new(&lab, &args, first, mode, length, wildcard)),
            }
        });
        let mut at = vec![("mode", name(&mode).into()), ("length", length.into())];
        let latency = match mode {
            Mode::Order => {
                at.push(("order", name(&order).into()));
                measured.time(length as f64)
            }
            _ => {
                at.push(("wildcard", name(&wildcard).into()));
                measured.time(2.0)
            }
        };
        lab.point(&at, Metric::Latency, latency);
    }
    lab.finish();
}

fn check(lab: &Lab, args: &Args) -> Result<(), String> {
    if lab.size() < 2 {
        return Err(format!("2 ranks are needed; the job has {}", lab.size()));
    }
    if args.lengths.largest() > MOST {
        return Err(format!("queues are measured up to a length of {MOST}"));
    }
    let matches_all = [Wildcard::Tag, Wildcard::Both];
    if args.mode.contains(&Mode::Unexpected)
        && args.wildcard.iter().any(|wildcard| matches_all.contains(wildcard))
    {
        return Err("with --mode unexpected a receive with MPI_ANY_TAG would match the messages \
                    that are to be in its way"
            .into());
    }
    Ok(())
}

/// A message that goes back and forth past others.
struct InTheWay {
    comm: Comm,
    first: bool,
    mode: Mode,
    wildcard: Wildcard,
    others_from: Option<usize>,
    length: usize,
    ball: Slots,
    /// What is in the way of this rank: receives, or messages when it gets round to them.
    others: Slots,
    /// What is in the way of the other rank, or gets it out of there at the end.
    to_others: Slots,
}

impl InTheWay {
    fn new(
        lab: &Lab,
        args: &Args,
        first: bool,
        mode: Mode,
        length: usize,
        wildcard: Wildcard,
    ) -> InTheWay {
        let others_from = match args.others {
            Others::None => Some(usize::from(first)),
            Others::Source => ANY_SOURCE,
        };
        let mut work = InTheWay {
            comm: lab.world(),
            first,
            mode,
            wildcard,
            others_from,
            length,
            ball: Slots::new(1, args.size),
            others: Slots::new(length, args.size),
            to_others: Slots::new(length, args.size),
        };
        for slot in 0..length {
            work.to_others.fill(slot, slot as u64);
        }
        work.put_in_the_way();
        work
    }

    fn partner(&self) -> usize {
        usize::from(self.first)
    }

    /// In both ranks, so that both ways cost the same.
    fn put_in_the_way(&mut self) {
        match self.mode {
            Mode::Posted => self.receive_others(),
            _ => self.send_others(),
        }
        // What comes behind them on the same communicator finds them there.
        let mut token = [0];
        if self.first {
            self.comm.send(&token, self.partner(), ANSWER);
            self.comm.receive(&mut token, Some(self.partner()), Some(ANSWER));
        } else {
            self.comm.receive(&mut token, Some(self.partner()), Some(ANSWER));
            self.comm.send(&token, self.partner(), ANSWER);
        }
    }

    fn receive_others(&mut self) {
        for slot in 0..self.length {
            self.others.start_receive(slot, self.comm, self.others_from, Some(FIRST + slot));
        }
    }

    fn send_others(&mut self) {
        let partner = self.partner();
        for slot in 0..self.length {
            self.to_others.start_send(slot, self.comm, partner, FIRST + slot);
        }
    }

    fn receive(&mut self) {
        let (source, tag) = (Some(self.partner()), Some(BALL));
        let (source, tag) = match self.wildcard {
            Wildcard::None => (source, tag),
            Wildcard::Source => (ANY_SOURCE, tag),
            Wildcard::Tag => (source, ANY_TAG),
            Wildcard::Both => (ANY_SOURCE, ANY_TAG),
        };
        self.ball.receive(0, self.comm, source, tag);
    }
}

impl Work for InTheWay {
    fn prepare(&mut self, round: u64) {
        if self.first {
            self.ball.fill(0, round);
        } else {
            self.ball.poison();
        }
    }

    fn run(&mut self, iterations: u64) {
        let (comm, partner) = (self.comm, self.partner());
        for _ in 0..iterations {
            if self.first {
                self.ball.send(0, comm, partner, BALL);
                self.receive();
            } else {
                self.receive();
                self.ball.send(0, comm, partner, BALL);
            }
        }
    }

    fn verify(&mut self, round: u64) -> u64 {
        u64::from(!self.ball.check(0, round))
    }

    /// Matches what was in the way, and looks at it.
    fn finish(&mut self) -> u64 {
        match self.mode {
            Mode::Posted => self.send_others(),
            _ => self.receive_others(),
        }
        self.to_others.wait_all();
        self.others.wait_all();
        (0..self.length).filter(|slot| !self.others.check(*slot, *slot as u64)).count() as u64
    }
}

/// A window of receives whose messages come in some order.
struct InOrder {
    comm: Comm,
    sends: bool,
    slots: Slots,
    order: Vec<usize>,
}

impl InOrder {
    fn new(lab: &Lab, args: &Args, sends: bool, length: usize, order: Order) -> InOrder {
        let slots = Slots::new(length, args.size);
        InOrder { comm: lab.world(), sends, slots, order: permutation(length, order, args.seed) }
    }
}

/// The numbers below `length` in an order.
fn permutation(length: usize, order: Order, seed: u64) -> Vec<usize> {
    let mut numbers: Vec<usize> = (0..length).collect();
    match order {
        Order::Same => {}
        Order::Reverse => numbers.reverse(),
        Order::Random => {
            // Fisher and Yates' shuffle, with Marsaglia's xorshift64.
            let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
            for last in (1..length).rev() {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                numbers.swap(last, (state % (last as u64 + 1)) as usize);
            }
        }
    }
    numbers
}

impl Work for InOrder {
    fn prepare(&mut self, round: u64) {
        if self.sends {
            for slot in 0..self.slots.len() {
                self.slots.fill(slot, (round << 20) + slot as u64);
            }
        } else {
            self.slots.poison();
        }
    }

    /// The receiver says when all receives are posted.
    fn run(&mut self, iterations: u64) {
        for _ in 0..iterations {
            if self.sends {
                self.comm.receive(&mut [0], Some(1), Some(ANSWER));
                for &slot in &self.order {
                    self.slots.start_send(slot, self.comm, 1, FIRST + slot);
                }
            } else {
                for slot in 0..self.order.len() {
                    self.slots.start_receive(slot, self.comm, Some(0), Some(FIRST + slot));
                }
                self.comm.send(&[0], 0, ANSWER);
            }
            self.slots.wait_all();
        }
    }

    fn verify(&mut self, round: u64) -> u64 {
        let wrong = |slot: &usize| !self.slots.check(*slot, (round << 20) + *slot as u64);
        if self.sends { 0 } else { (0..self.slots.len()).filter(wrong).count() as u64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_have_every_message_once() {
        assert_eq!(permutation(4, Order::Same, 1), [0, 1, 2, 3]);
        assert_eq!(permutation(4, Order::Reverse, 1), [3, 2, 1, 0]);
        for (length, seed) in [(1, 0), (2, 1), (100, 2)] {
            let mut random = permutation(length, Order::Random, seed);
            assert_eq!(random, permutation(length, Order::Random, seed));
            random.sort();
            assert_eq!(random, permutation(length, Order::Same, seed));
        }
        assert_ne!(permutation(100, Order::Random, 1), permutation(100, Order::Random, 2));
    }
}
