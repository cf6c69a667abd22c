//! Packets that arrive: receives that are posted for any rank, and taken in the order in which they were posted.

use core::cell::UnsafeCell;

use cairn_framework::abi::comm::Comm;
use cairn_framework::abi::request::{MessageStatus, Request};
use cairn_framework::author::{BYTES, Failure};
use cairn_framework::frameworks::pml::{PML_ANY_SOURCE, PmlHandle, PmlReceive};

use crate::TAG;

/// The posted receives of a window.
#[derive(Default)]
pub struct Inbox {
    posted: Vec<Posted>,
    /// The one that is complete first.
    next: usize,
}

struct Posted {
    request: *mut Request,
    buffer: Box<[UnsafeCell<u8>]>,
}

impl Inbox {
    /// Posts `count` receives for packets of `len` bytes at most.
    pub fn open(pml: &PmlHandle, comm: &Comm, count: usize, len: usize) -> Result<Self, Failure> {
        let mut inbox = Self { posted: Vec::with_capacity(count), next: 0 };
        for _ in 0..count {
            // Zeroed memory that no packet has come to takes no room.
            let buffer = vec![0u8; len].into_boxed_slice();
            // SAFETY: the same layout.
            let buffer = unsafe { Box::from_raw(Box::into_raw(buffer) as *mut [UnsafeCell<u8>]) };
            let mut posted = Posted { request: core::ptr::null_mut(), buffer };
            posted.post(pml, comm)?;
            inbox.posted.push(posted);
        }
        Ok(inbox)
    }

    /// The next packet, if one has arrived: its status and data. It is there until `again`.
    pub fn arrived(&self) -> Option<(MessageStatus, &[u8])> {
        let posted = self.posted.get(self.next)?;
        // SAFETY: a request that was not given back.
        let status = unsafe {
            if !(*posted.request).is_complete() {
                return None;
            }
            (*posted.request).status
        };
        let len = (status.bytes as usize).min(posted.buffer.len());
        // SAFETY: the receive is complete, so nothing writes there any more before `again`.
        let data = unsafe { core::slice::from_raw_parts(posted.buffer.as_ptr().cast(), len) };
        Some((status, data))
    }

    /// The packet of `arrived` was read: its receive is posted again.
    pub fn again(&mut self, pml: &PmlHandle, comm: &Comm) -> Result<(), Failure> {
        let count = self.posted.len();
        let posted = &mut self.posted[self.next];
        self.next = (self.next + 1) % count;
        posted.give_back();
        posted.post(pml, comm)
    }

    /// Looks at no receive any more: there will be no more packets.
    pub fn stop(&mut self) {
        self.next = usize::MAX;
    }

    /// Cancels what is posted. `close` waits until all have ended; a pass that comes meanwhile posts none again.
    pub fn cancel(&mut self) {
        self.stop();
        for posted in &self.posted {
            // SAFETY: requests that were not given back.
            unsafe {
                if let Some(cancel) = (*posted.request).cancel {
                    // What has been matched meanwhile completes.
                    let _ = cancel(posted.request);
                }
            }
        }
    }

    /// Gives back the receives that have ended. Whether those were all.
    pub fn close(&mut self) -> bool {
        self.posted.retain_mut(|posted| {
            // SAFETY: a request that was not given back.
            let complete = unsafe { (*posted.request).is_complete() };
            if complete {
                posted.give_back();
            }
            !complete
        });
        self.posted.is_empty()
    }
}

impl Posted {
    fn post(&mut self, pml: &PmlHandle, comm: &Comm) -> Result<(), Failure> {
        let receive = PmlReceive {
            buffer: self.buffer.as_ptr().cast_mut().cast(),
            count: self.buffer.len() as u64,
            datatype: &BYTES,
            comm,
            source: PML_ANY_SOURCE,
            tag: TAG,
        };
        // SAFETY: the buffer stays until the request has ended.
        self.request = unsafe { pml.irecv(&receive)? };
        Ok(())
    }

    fn give_back(&mut self) {
        // SAFETY: the request is complete and given back once.
        unsafe {
            if let Some(free) = (*self.request).free {
                free(self.request);
            }
        }
    }
}
