//! Time of a message one way: two entities send it to each other and back.
#![forbid(unsafe_code)]

use cairn_lab::{
    Arguments, Channel, Comm, Common, Entity, Lab, List, Metric, Slots, Work, count, pairwise,
    sizes,
};
use clap::Parser;
use serde::Serialize;

/// Time of a message one way between pairs of processes or threads
#[derive(Parser, Serialize)]
#[command(name = "pingpong")]
struct Args {
    #[command(flatten)]
    #[serde(flatten)]
    common: Common,
    /// Sizes of the messages in bytes, such as 0,8,64k-1m
    #[arg(long, default_value = "0,1-64m", value_parser = sizes)]
    sizes: List,
    /// Processes on each side
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = count)]
    pairs: usize,
    /// Threads of each process, each with a partner of its own
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = count)]
    threads: usize,
}

impl Arguments for Args {
    fn common(&self) -> &Common {
        &self.common
    }

    fn threads(&self) -> usize {
        self.threads
    }
}

fn main() {
    let (lab, args) = Lab::start::<Args>();
    let side = (args.pairs, args.threads);
    let channels = match pairwise(lab.size(), side, side) {
        Ok(channels) => channels,
        Err(reason) => lab.refuse(&reason),
    };
    lab.points(args.sizes.len());
    for bytes in args.sizes.values() {
        let measured = lab.measure(args.threads, |worker| {
            let me = worker.entity;
            match channels.iter().find(|channel| channel.has(me)) {
                Some(channel) => Box::new(Player::new(lab.world(), channel, me, bytes)),
                None => Box::new(()),
            }
        });
        lab.point(&[("bytes", bytes.into())], Metric::Latency, measured.time(2.0));
    }
    lab.finish();
}

/// One side of a pair.
struct Player {
    comm: Comm,
    serves: bool,
    partner: usize,
    /// Tells the pairs of the same processes apart.
    tag: usize,
    /// Tells all pairs apart.
    seed: u64,
    ball: Slots,
}

impl Player {
    fn new(comm: Comm, channel: &Channel, me: Entity, bytes: usize) -> Player {
        let serves = channel.sender == me;
        let partner = if serves { channel.receiver } else { channel.sender };
        Player {
            comm,
            serves,
            partner: partner.rank,
            tag: channel.index,
            seed: (channel.index as u64) << 32,
            ball: Slots::new(1, bytes),
        }
    }
}

impl Work for Player {
    fn prepare(&mut self, round: u64) {
        if self.serves {
            self.ball.fill(0, self.seed + round);
        } else {
            self.ball.poison();
        }
    }

    // Received into the buffer that is sent, so a message that gets lost or damaged in any of the
    // iterations is seen at the end.
    fn run(&mut self, iterations: u64) {
        let Player { comm, partner, tag, .. } = *self;
        for _ in 0..iterations {
            if self.serves {
                self.ball.send(0, comm, partner, tag);
                self.ball.receive(0, comm, Some(partner), Some(tag));
            } else {
                self.ball.receive(0, comm, Some(partner), Some(tag));
                self.ball.send(0, comm, partner, tag);
            }
        }
    }

    fn verify(&mut self, round: u64) -> u64 {
        u64::from(!self.ball.check(0, self.seed + round))
    }
}
