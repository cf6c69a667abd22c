//! Packets on their way out.

use core::cell::UnsafeCell;

use cairn_framework::abi::comm::Comm;
use cairn_framework::abi::request::Request;
use cairn_framework::abi::status::{OK, Status};
use cairn_framework::author::{BYTES, Failure};
use cairn_framework::frameworks::pml::{PML_STANDARD, PmlHandle, PmlSend};

use crate::TAG;
use crate::wire::{HEADER, Header};

/// Buffers that are kept for the next packets.
const KEPT: usize = 32;

/// Packets that the point-to-point component has not taken over, with their memory.
#[derive(Default)]
pub struct Outbox {
    under_way: Vec<UnderWay>,
    free: Vec<Buffer>,
}

struct UnderWay {
    request: *mut Request,
    rank: u32,
    buffer: Buffer,
}

/// A packet while it is written and while it is sent.
pub struct Buffer(UnsafeCell<Vec<u8>>);

impl Buffer {
    /// The bytes, which are to be sent.
    pub fn bytes(&mut self) -> &mut Vec<u8> {
        self.0.get_mut()
    }
}

impl Outbox {
    /// Packets whose memory is not free yet.
    pub fn len(&self) -> usize {
        self.under_way.len()
    }

    /// A buffer that begins with a header.
    pub fn begin(&mut self, header: &Header) -> Buffer {
        let mut buffer = self.free.pop().unwrap_or_else(|| Buffer(UnsafeCell::new(Vec::new())));
        let bytes = buffer.bytes();
        bytes.clear();
        bytes.extend_from_slice(&header.encode());
        buffer
    }

    /// Sends a packet of `begin` to a rank.
    pub fn send(
        &mut self,
        pml: &PmlHandle,
        comm: &Comm,
        rank: u32,
        mut buffer: Buffer,
    ) -> Result<(), Failure> {
        debug_assert!(buffer.bytes().len() >= HEADER);
        let send = PmlSend {
            buffer: buffer.bytes().as_ptr().cast(),
            count: buffer.bytes().len() as u64,
            datatype: &BYTES,
            comm,
            peer: rank,
            tag: TAG,
            mode: PML_STANDARD,
            reserved: 0,
        };
        // SAFETY: the bytes stay where they are, although their owner moves, until the request is complete.
        let request = unsafe { pml.isend(&send)? };
        self.under_way.push(UnderWay { request, rank, buffer });
        Ok(())
    }

    /// Takes back the memory of what has been sent. Returns how many packets those were; `failed` gets those
    /// that were not sent, by rank, and why.
    pub fn collect(&mut self, mut failed: impl FnMut(u32, Status)) -> u32 {
        let (mut ended, mut i) = (0, 0);
        while i < self.under_way.len() {
            let request = self.under_way[i].request;
            // SAFETY: a request that was not given back.
            let complete = unsafe { (*request).is_complete() };
            if !complete {
                i += 1;
                continue;
            }
            let UnderWay { request, rank, buffer } = self.under_way.swap_remove(i);
            // SAFETY: as above; it is given back once.
            unsafe {
                if (*request).status.error != OK {
                    failed(rank, (*request).status.error);
                }
                if let Some(free) = (*request).free {
                    free(request);
                }
            }
            if self.free.len() < KEPT {
                self.free.push(buffer);
            }
            ended += 1;
        }
        ended
    }
}
