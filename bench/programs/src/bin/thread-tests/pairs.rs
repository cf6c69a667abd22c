//! Tests of pairs (sections 3.1 to 3.4): ping-pong, and messages one way.

use std::time::Instant;

use cairn_lab::{Channel, Comm, Lab, Laps, Metric, Slots, Work, Worker, pairwise};

use crate::{Args, Test};

/// Messages of the bandwidth test before the receiver replies.
const LONG_MESSAGES: usize = 16;

/// Messages of the rate test before the receiver replies, as in section 3.4.
const SHORT_MESSAGES: usize = 256;

/// Buffers of messages one way, which are used in turn.
const BUFFERS: usize = 16;

pub fn measure(lab: &Lab, args: &Args) -> Result<(), String> {
    let side = args.processes_and_threads();
    let channels = pairwise(lab.size(), side, side)?;
    let messages = match args.test {
        Test::Bandwidth => Some(LONG_MESSAGES),
        Test::MessageRate => Some(SHORT_MESSAGES),
        _ => None,
    };
    lab.points(args.sizes().len());
    for bytes in args.sizes().values() {
        let laps = Laps::default();
        let measured = lab.measure(side.1, |worker| {
            let mine =
                |channel: &&Channel| [channel.sender, channel.receiver].contains(&worker.entity);
            match channels.iter().find(mine) {
                Some(channel) => {
                    Box::new(Player::new(lab.world(), channel, worker, messages, bytes, &laps))
                }
                None => Box::new(()),
            }
        });
        let (at, comm) = ([("bytes", bytes.into())], lab.world());
        match messages {
            None => lab.point(&at, Metric::Latency, laps.time(comm, &measured, 2.0)),
            Some(messages) if args.test == Test::Bandwidth => {
                let moved = (messages * bytes) as f64;
                lab.point(&at, Metric::Bandwidth, laps.rate(comm, &measured, moved));
            }
            Some(messages) => {
                let rate = laps.rate(comm, &measured, messages as f64);
                lab.point(&at, Metric::Rate, rate);
            }
        }
    }
    Ok(())
}

/// One side of a pair.
struct Player<'a> {
    comm: Comm,
    sends: bool,
    partner: usize,
    channel: usize,
    /// One way, before a reply. Nothing in a ping-pong.
    messages: Option<usize>,
    buffers: Slots,
    reply: Slots,
    laps: &'a Laps,
    round: u64,
}

impl<'a> Player<'a> {
    fn new(
        comm: Comm,
        channel: &Channel,
        worker: &Worker,
        messages: Option<usize>,
        bytes: usize,
        laps: &'a Laps,
    ) -> Player<'a> {
        let sends = channel.sender == worker.entity;
        let partner = if sends { channel.receiver } else { channel.sender };
        let buffers = messages.map_or(1, |messages| messages.min(BUFFERS));
        Player {
            comm,
            sends,
            partner: partner.rank,
            channel: channel.index,
            messages,
            buffers: Slots::new(buffers, bytes),
            reply: Slots::new(1, 0),
            laps,
            round: 0,
        }
    }

    fn seed(&self, slot: usize) -> u64 {
        ((self.channel as u64) << 48) + ((slot as u64) << 40) + self.round
    }

    // Received into the buffer that is sent, so that damage in any iteration is seen.
    fn ping_pong(&mut self) {
        let (comm, partner, tag) = (self.comm, self.partner, self.channel);
        if self.sends {
            self.buffers.send(0, comm, partner, tag);
            self.buffers.receive(0, comm, Some(partner), Some(tag));
        } else {
            self.buffers.receive(0, comm, Some(partner), Some(tag));
            self.buffers.send(0, comm, partner, tag);
        }
    }

    fn one_way(&mut self, messages: usize) {
        let (comm, partner, tag) = (self.comm, self.partner, self.channel);
        for message in 0..messages {
            let slot = message % self.buffers.len();
            if self.sends {
                self.buffers.send(slot, comm, partner, tag);
            } else {
                self.buffers.receive(slot, comm, Some(partner), Some(tag));
            }
        }
        if self.sends {
            self.reply.receive(0, comm, Some(partner), Some(tag));
        } else {
            self.reply.send(0, comm, partner, tag);
        }
    }
}

impl Work for Player<'_> {
    fn prepare(&mut self, round: u64) {
        self.round = round;
        if !self.sends {
            self.buffers.poison();
            return;
        }
        for slot in 0..self.buffers.len() {
            let seed = self.seed(slot);
            self.buffers.fill(slot, seed);
        }
    }

    fn run(&mut self, iterations: u64) {
        let start = Instant::now();
        for _ in 0..iterations {
            match self.messages {
                None => self.ping_pong(),
                Some(messages) => self.one_way(messages),
            }
        }
        if self.sends {
            self.laps.add(self.round, start.elapsed().as_secs_f64() / iterations as f64);
        }
    }

    fn verify(&mut self, _: u64) -> u64 {
        let wrong = |slot: &usize| !self.buffers.check(*slot, self.seed(*slot));
        (0..self.buffers.len()).filter(wrong).count() as u64
    }
}
