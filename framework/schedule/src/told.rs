//! Messages between the processes of a communicator by which they agree on what they make together, and a barrier
//! that is made of them.

use cairn_framework::abi::comm::Comm;
use cairn_framework::abi::status::ERR_PEER;
use cairn_framework::author::Failure;
use cairn_framework::frameworks::pml::PmlHandle;

use crate::data::Data;
use crate::link::Channel;

/// The messages of one operation.
#[derive(Clone, Copy)]
pub struct Told<'a> {
    /// What sends and receives.
    pub pml: &'a PmlHandle,
    /// The communicator.
    pub comm: &'a Comm,
    /// The operation's tag.
    pub tag: i32,
}

impl Told<'_> {
    fn channel(&self) -> Channel {
        Channel { comm: self.comm, tag: self.tag }
    }

    /// Sends bytes.
    ///
    /// # Errors
    /// The peer is gone.
    pub fn send(&self, peer: u32, bytes: &[u8]) -> Result<(), Failure> {
        let send =
            self.channel().send(peer, Data::packed(bytes.as_ptr().cast_mut(), bytes.len() as u64));
        // SAFETY: everything lives until the function returns.
        unsafe { self.pml.send(&send) }
    }

    /// Receives as many bytes.
    ///
    /// # Errors
    /// The peer is gone.
    pub fn receive(&self, peer: u32, bytes: &mut [u8]) -> Result<(), Failure> {
        let data = Data::packed(bytes.as_mut_ptr(), bytes.len() as u64);
        let receive = self.channel().receive(peer, data);
        // SAFETY: as above.
        unsafe { self.pml.recv(&receive) }.map(drop)
    }

    /// Up a binomial tree and down again. A process that can't go on because another has died tells the others on
    /// both ways, which may wait for it and know nothing of the death. `result` is how it is with this process at the
    /// beginning: if one of them fails, all do.
    ///
    /// # Errors
    /// That of `result`, or a process is gone, or fails.
    pub fn barrier(&self, mut result: Result<(), Failure>) -> Result<(), Failure> {
        let (rank, size) = (self.comm.rank, self.comm.remote_size);
        let children = |rank: u32| {
            let low = if rank == 0 { size.next_power_of_two() } else { rank & rank.wrapping_neg() };
            (0..low.trailing_zeros()).map(move |bit| rank + (1 << bit)).filter(move |r| *r < size)
        };
        for child in children(rank) {
            keep_first(&mut result, self.hear(child));
        }
        if rank != 0 {
            let parent = rank & (rank - 1);
            let told = self.tell(parent, result.is_ok());
            keep_first(&mut result, told);
            keep_first(&mut result, self.hear(parent));
        }
        for child in children(rank) {
            let told = self.tell(child, result.is_ok());
            keep_first(&mut result, told);
        }
        result
    }

    /// Says whether all is well so far.
    fn tell(&self, peer: u32, well: bool) -> Result<(), Failure> {
        self.send(peer, &[well.into()])
    }

    /// Hears whether all is well so far.
    fn hear(&self, peer: u32) -> Result<(), Failure> {
        let mut well = [0];
        self.receive(peer, &mut well)?;
        if well == [1] { Ok(()) } else { Err(lost()) }
    }
}

/// Keeps the first failure.
pub fn keep_first(result: &mut Result<(), Failure>, next: Result<(), Failure>) {
    if result.is_ok() {
        *result = next;
    }
}

/// The failure of an operation that not all can take part in.
#[cold]
pub fn lost() -> Failure {
    Failure::new(ERR_PEER, "a process of the communicator is gone")
}
