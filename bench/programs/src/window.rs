//! Windows of messages between two entities.

use cairn_lab::{Channel, Comm, Duct, Entity, Slots, Work};

/// The most memory that the messages of one window take.
const MEMORY: usize = 64 << 20;

/// How many messages a window has: as many as are asked for, fewer where they are so large that
/// they do not fit into the memory for it.
pub fn messages(asked: usize, bytes: usize) -> usize {
    asked.min(MEMORY / bytes.max(1)).max(1)
}

/// What an entity does with its partner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Sends windows, and waits for an answer after each.
    Sends,
    /// Receives windows, and answers each.
    Receives,
    /// Sends and receives a window at the same time.
    Both,
}

/// An entity that exchanges windows of messages with its partner. One iteration is one window.
pub struct Window {
    comm: Comm,
    side: Side,
    partner: usize,
    /// Tells the pairs of the same processes apart.
    tag: usize,
    /// Of the first message that is sent, and of the first that is received.
    seeds: [u64; 2],
    messages: usize,
    outgoing: Slots,
    incoming: Slots,
    answer: [u8; 1],
    /// In place of MPI.
    duct: Option<Duct>,
}

impl Window {
    /// The part of `me` in a channel, in one direction or in both.
    pub fn new(
        comm: Comm,
        channel: &Channel,
        me: Entity,
        both: bool,
        messages: usize,
        bytes: usize,
    ) -> Window {
        let first = channel.sender == me;
        let side = match (both, first) {
            (true, _) => Side::Both,
            (false, true) => Side::Sends,
            (false, false) => Side::Receives,
        };
        let partner = if first { channel.receiver } else { channel.sender };
        let slots = |used: bool| Slots::new(if used { messages } else { 0 }, bytes);
        let seed = |from_sender: bool| (channel.index as u64 * 2 + u64::from(from_sender)) << 40;
        Window {
            comm,
            side,
            partner: partner.rank,
            tag: channel.index,
            seeds: [seed(first), seed(!first)],
            messages,
            outgoing: slots(side != Side::Receives),
            incoming: slots(side != Side::Sends),
            answer: [0],
            duct: None,
        }
    }

    /// Exchanges its windows through a duct in place of MPI, if there is one; its partner has the other end.
    #[must_use]
    pub fn through(self, duct: Option<Duct>) -> Window {
        Window { duct, ..self }
    }

    fn exchange(&mut self, duct: &mut Duct) {
        match self.side {
            Side::Sends => {
                self.outgoing.all().for_each(|message| duct.send(message));
                duct.receive(&mut self.answer);
            }
            Side::Receives => {
                self.incoming.all_mut().for_each(|message| duct.receive(message));
                duct.send(&self.answer);
            }
            Side::Both => duct.exchange(self.outgoing.all(), self.incoming.all_mut()),
        }
    }

    fn start_receives(&mut self) {
        for slot in 0..self.messages {
            self.incoming.start_receive(slot, self.comm, Some(self.partner), Some(self.tag));
        }
    }

    fn start_sends(&mut self) {
        for slot in 0..self.messages {
            self.outgoing.start_send(slot, self.comm, self.partner, self.tag);
        }
    }
}

impl Work for Window {
    fn prepare(&mut self, round: u64) {
        for slot in 0..self.outgoing.len() {
            self.outgoing.fill(slot, seed(self.seeds[0], round, slot));
        }
        self.incoming.poison();
    }

    fn run(&mut self, iterations: u64) {
        let Window { comm, partner, tag, .. } = *self;
        if let Some(mut duct) = self.duct.take() {
            (0..iterations).for_each(|_| self.exchange(&mut duct));
            self.duct = Some(duct);
            return;
        }
        for _ in 0..iterations {
            match self.side {
                Side::Sends => {
                    self.start_sends();
                    self.outgoing.wait_all();
                    comm.receive(&mut self.answer, Some(partner), Some(tag));
                }
                Side::Receives => {
                    self.start_receives();
                    self.incoming.wait_all();
                    comm.send(&self.answer, partner, tag);
                }
                Side::Both => {
                    self.start_receives();
                    self.start_sends();
                    self.outgoing.wait_all();
                    self.incoming.wait_all();
                }
            }
        }
    }

    fn verify(&mut self, round: u64) -> u64 {
        let wrong = |slot: &usize| !self.incoming.check(*slot, seed(self.seeds[1], round, *slot));
        (0..self.incoming.len()).filter(wrong).count() as u64
    }
}

/// Rounds, then the messages of a window, each with room for 2^20.
fn seed(pair: u64, round: u64, slot: usize) -> u64 {
    pair + (round << 20) + slot as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_of_large_messages_are_smaller() {
        assert_eq!(messages(64, 0), 64);
        assert_eq!(messages(64, 1 << 20), 64);
        assert_eq!(messages(64, 2 << 20), 32);
        assert_eq!(messages(64, 1 << 30), 1);
    }
}
