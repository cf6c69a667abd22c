//! A message that goes back and forth between two entities.

use cairn_lab::{Channel, Comm, Duct, Entity, Slots, Work};

/// An entity that plays ping-pong with its partner. One iteration is there and back.
pub struct Player {
    comm: Comm,
    serves: bool,
    partner: usize,
    /// Tells the pairs of the same processes apart.
    tag: usize,
    /// Tells all pairs apart.
    seed: u64,
    ball: Slots,
    /// In place of MPI.
    duct: Option<Duct>,
}

impl Player {
    /// The part of `me` in a channel. The sender serves.
    pub fn new(comm: Comm, channel: &Channel, me: Entity, bytes: usize) -> Player {
        let serves = channel.sender == me;
        let partner = if serves { channel.receiver } else { channel.sender };
        Player {
            comm,
            serves,
            partner: partner.rank,
            tag: channel.index,
            seed: (channel.index as u64) << 32,
            ball: Slots::new(1, bytes),
            duct: None,
        }
    }

    /// Plays through a duct in place of MPI, if there is one; its partner has the other end.
    #[must_use]
    pub fn through(self, duct: Option<Duct>) -> Player {
        Player { duct, ..self }
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
        if let Some(duct) = &mut self.duct {
            for _ in 0..iterations {
                if self.serves {
                    duct.send(self.ball.data(0));
                    duct.receive(self.ball.data_mut(0));
                } else {
                    duct.receive(self.ball.data_mut(0));
                    duct.send(self.ball.data(0));
                }
            }
            return;
        }
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
