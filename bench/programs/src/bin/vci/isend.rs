//! Rates of `MPI_Isend`.

use cairn_lab::{Channel, Comm, Entity, Lab, Metric, Slots, Summary, Work};

use crate::{Args, Mode, Test};

/// Measures the tests that send messages.
pub fn measure(lab: &Lab, args: &Args) {
    for unused in args.unused.values() {
        let held: Vec<Comm> = (0..unused).map(|_| lab.world().duplicate()).collect();
        let number = if args.mode == Mode::Parallel { args.threads.largest() } else { 1 };
        let comm = |k| match args.instance {
            Some(instance) => instance.duplicate(lab.world(), k),
            None => lab.world().duplicate(),
        };
        let comms: Vec<Comm> = (0..number).map(comm).collect();
        for threads in args.threads.values() {
            for bytes in args.sizes.values() {
                let rate = rate(lab, args, &comms, threads, bytes);
                let mut at = vec![("threads", threads.into()), ("bytes", bytes.into())];
                if args.test == Test::Mismatch {
                    at.push(("unused", unused.into()));
                }
                lab.point(&at, Metric::Rate, rate);
            }
        }
        for comm in comms.into_iter().chain(held) {
            comm.free();
        }
    }
}

fn rate(lab: &Lab, args: &Args, comms: &[Comm], threads: usize, bytes: usize) -> Summary {
    let channels = args.channels(lab.size(), threads);
    let mine = |me: Entity| {
        channels.iter().any(|Channel { sender, receiver, .. }| me == *sender || me == *receiver)
    };
    // A receiver for all has one thread.
    let team = (0..threads).filter(|thread| mine(Entity { rank: lab.rank(), thread: *thread }));
    let measured = lab.measure(team.count().max(1), |worker| {
        let stream = |channel: &Channel| Stream::new(channel, comms, args.window, bytes);
        let sends = channels.iter().find(|channel| channel.sender == worker.entity);
        let received = channels.iter().filter(|channel| channel.receiver == worker.entity);
        match sends {
            Some(channel) => Box::new(Sender(stream(channel))),
            None => Box::new(Receiver { streams: received.map(stream).collect() }),
        }
    });
    measured.rate((channels.len() * args.window) as f64)
}

/// The messages of a channel.
struct Stream {
    comm: Comm,
    channel: Channel,
    slots: Slots,
    /// Tells the sender that a window arrived.
    reply: Slots,
}

impl Stream {
    fn new(channel: &Channel, comms: &[Comm], window: usize, bytes: usize) -> Stream {
        Stream {
            comm: comms[channel.index % comms.len()],
            channel: *channel,
            slots: Slots::new(window, bytes),
            reply: Slots::new(1, 0),
        }
    }

    fn tag(&self) -> usize {
        self.channel.index
    }

    fn seed(&self, slot: usize, round: u64) -> u64 {
        ((self.channel.index as u64) << 48) + ((slot as u64) << 24) + round
    }

    fn post(&mut self) {
        for slot in 0..self.slots.len() {
            let from = Some(self.channel.sender.rank);
            self.slots.start_receive(slot, self.comm, from, Some(self.tag()));
        }
    }

    fn answer(&mut self) {
        self.reply.send(0, self.comm, self.channel.sender.rank, self.tag());
    }
}

struct Sender(Stream);

impl Work for Sender {
    fn prepare(&mut self, round: u64) {
        for slot in 0..self.0.slots.len() {
            let seed = self.0.seed(slot, round);
            self.0.slots.fill(slot, seed);
        }
    }

    fn run(&mut self, iterations: u64) {
        let Stream { comm, channel, ref mut slots, ref mut reply } = self.0;
        let Channel { receiver, index: tag, .. } = channel;
        for _ in 0..iterations {
            for slot in 0..slots.len() {
                slots.start_send(slot, comm, receiver.rank, tag);
            }
            slots.wait_all();
            reply.receive(0, comm, Some(receiver.rank), Some(tag));
        }
    }

    fn verify(&mut self, _: u64) -> u64 {
        0
    }
}

/// Takes the messages of one channel, or of several in turn.
struct Receiver {
    streams: Vec<Stream>,
}

impl Work for Receiver {
    fn prepare(&mut self, _: u64) {
        for stream in &mut self.streams {
            stream.slots.poison();
        }
    }

    fn run(&mut self, iterations: u64) {
        for _ in 0..iterations {
            for stream in &mut self.streams {
                stream.post();
            }
            if let [stream] = &mut self.streams[..] {
                stream.slots.wait_all();
                stream.answer();
                continue;
            }
            let mut open: Vec<&mut Stream> = self.streams.iter_mut().collect();
            while !open.is_empty() {
                open.retain_mut(|stream| {
                    let complete = stream.slots.test_all();
                    if complete {
                        stream.answer();
                    }
                    !complete
                });
            }
        }
    }

    fn verify(&mut self, round: u64) -> u64 {
        let streams = self.streams.iter();
        let slots = streams.flat_map(|stream| (0..stream.slots.len()).map(move |s| (stream, s)));
        slots.filter(|(stream, s)| !stream.slots.check(*s, stream.seed(*s, round))).count() as u64
    }
}
