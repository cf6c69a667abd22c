//! The floor of messages: the same ones without MPI.

use cairn_lab::{Channel, Comm, Duct, Entity, Stores};
use clap::Args;
use serde::Serialize;

/// The option that asks for it.
#[derive(Args, Serialize)]
pub struct Floor {
    /// Measures what two processes need that copy through shared memory themselves, without MPI
    #[arg(long, value_enum, value_name = "STORES")]
    floor: Option<Stores>,
}

impl Floor {
    /// Whether it can be measured with so many processes on each side, and threads in each.
    ///
    /// # Errors
    /// The reason why it can't.
    pub fn check(&self, side: (usize, usize)) -> Result<(), String> {
        if self.floor.is_some() && side != (1, 1) {
            return Err("the floor is that of two processes with a thread each".into());
        }
        Ok(())
    }

    /// What takes the place of MPI in a channel, if the floor is asked for. Both entities call it.
    pub fn duct(&self, comm: Comm, channel: &Channel, me: Entity) -> Option<Duct> {
        let first = channel.sender == me;
        let partner = if first { channel.receiver } else { channel.sender };
        self.floor.map(|stores| Duct::new(comm, partner.rank, channel.index, first, stores))
    }
}
