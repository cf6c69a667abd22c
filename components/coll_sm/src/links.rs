//! Messages between the processes of a communicator, and a barrier that is made of them.

use core::ffi::c_void;

use cairn_framework::abi::comm::Comm;
use cairn_framework::abi::component::Instance;
use cairn_framework::abi::request::MessageStatus;
use cairn_framework::author::{BYTES, Failure, HostHandle};
use cairn_framework::frameworks::pml::{PML_STANDARD, PmlOps, PmlReceive, PmlSend};

/// The process's point-to-point component.
#[derive(Clone, Copy)]
pub struct Links {
    pub host: HostHandle,
    pml: &'static PmlOps,
    provider: *mut Instance,
}

// SAFETY: instances live as long as the process, and a pml's functions are for any thread.
unsafe impl Send for Links {}
// SAFETY: see `Send`.
unsafe impl Sync for Links {}

/// The links of one operation.
#[derive(Clone, Copy)]
pub struct Operation<'a> {
    pub links: &'a Links,
    pub comm: &'a Comm,
    pub tag: i32,
}

impl Links {
    /// Finds the component that serves the process.
    pub fn find(host: HostHandle) -> Result<Self, Failure> {
        let (ops, provider) = host.service(c"pml", None)?;
        // SAFETY: the host's answer for this framework; tables stay.
        Ok(Self { host, pml: unsafe { &*ops.cast() }, provider })
    }
}

impl Operation<'_> {
    pub fn send(&self, peer: u32, bytes: &[u8]) -> Result<(), Failure> {
        let send = PmlSend {
            buffer: bytes.as_ptr().cast::<c_void>(),
            count: bytes.len() as u64,
            datatype: &BYTES,
            comm: self.comm,
            peer,
            tag: self.tag,
            mode: PML_STANDARD,
            reserved: 0,
        };
        // SAFETY: the table is complete; everything lives until the function returns.
        let status =
            unsafe { (self.links.pml.send.unwrap_unchecked())(self.links.provider, &send) };
        self.links.host.check(status)
    }

    pub fn receive(&self, peer: u32, bytes: &mut [u8]) -> Result<(), Failure> {
        let receive = PmlReceive {
            buffer: bytes.as_mut_ptr().cast::<c_void>(),
            count: bytes.len() as u64,
            datatype: &BYTES,
            comm: self.comm,
            source: peer as i32,
            tag: self.tag,
        };
        let mut status = MessageStatus::default();
        // SAFETY: as above.
        let result = unsafe {
            (self.links.pml.recv.unwrap_unchecked())(self.links.provider, &receive, &mut status)
        };
        self.links.host.check(result)
    }

    /// Up a binomial tree and down again.
    pub fn barrier(&self) -> Result<(), Failure> {
        let (rank, size) = (self.comm.rank, self.comm.remote_size);
        let children = |rank: u32| {
            let low = if rank == 0 { size.next_power_of_two() } else { rank & rank.wrapping_neg() };
            (0..low.trailing_zeros()).map(move |bit| rank + (1 << bit)).filter(move |r| *r < size)
        };
        for child in children(rank) {
            self.receive(child, &mut [])?;
        }
        if rank != 0 {
            let parent = rank & (rank - 1);
            self.send(parent, &[])?;
            self.receive(parent, &mut [])?;
        }
        children(rank).try_for_each(|child| self.send(child, &[]))
    }
}
