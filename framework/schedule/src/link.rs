//! The process's point-to-point component, and waiting for its requests.

use core::sync::atomic::Ordering;

use cairn_framework::abi::comm::Comm;
use cairn_framework::abi::job::THREAD_MULTIPLE;
use cairn_framework::abi::pool::CriSet;
use cairn_framework::abi::request::{Attach, Request, WaitSync};
use cairn_framework::abi::status::{OK, Status, status_name};
use cairn_framework::author::{Failure, HostHandle};
use cairn_framework::frameworks::pml::PmlHandle;
use cairn_framework::frameworks::pml::{PML_STANDARD, PmlReceive, PmlSend};

use crate::data::Data;
use crate::schedule::Step;

/// Point-to-point messages.
#[derive(Clone, Copy)]
pub struct Link {
    host: HostHandle,
    pml: PmlHandle,
}

/// The communicator and the tag of an operation's messages.
#[derive(Clone, Copy)]
pub struct Channel {
    /// The communicator.
    pub comm: *const Comm,
    /// The tag.
    pub tag: i32,
}

impl Channel {
    /// The message that has the data, for a peer. The communicator and the data stay until it is sent.
    pub fn send(self, peer: u32, data: Data) -> PmlSend {
        PmlSend {
            buffer: data.buffer.cast(),
            count: data.count,
            datatype: data.datatype(),
            comm: self.comm,
            peer,
            tag: self.tag,
            mode: PML_STANDARD,
            reserved: 0,
        }
    }

    /// The receive of a message of a peer into the data. The communicator and the data stay until it is over.
    pub fn receive(self, from: u32, data: Data) -> PmlReceive {
        PmlReceive {
            buffer: data.buffer.cast(),
            count: data.count,
            datatype: data.datatype(),
            comm: self.comm,
            source: from as i32,
            tag: self.tag,
        }
    }
}

/// The failure of a message that was under way.
pub fn lost(status: Status) -> Failure {
    let why = status_name(status);
    Failure::new(status, format!("a message of the collective operation: {why}"))
}

impl Link {
    /// Finds the component that serves the process.
    pub fn find(host: HostHandle) -> Result<Self, Failure> {
        Ok(Self { host, pml: PmlHandle::find(host)? })
    }

    /// The component.
    pub fn pml(&self) -> &PmlHandle {
        &self.pml
    }

    /// Starts a step that sends or receives; what is not complete at once goes to `pending`.
    ///
    /// # Safety
    /// The step's memory and the channel stay valid until the request is complete.
    pub unsafe fn start(
        &self,
        channel: Channel,
        step: &Step,
        pending: &mut Vec<*mut Request>,
    ) -> Result<(), Failure> {
        // SAFETY: promised by the caller.
        let request = unsafe {
            match *step {
                Step::Send { to, data } => self.pml.isend(&channel.send(to, data))?,
                Step::Receive { from, data } => self.pml.irecv(&channel.receive(from, data))?,
                _ => return Ok(()),
            }
        };
        pending.push(request);
        Ok(())
    }

    /// Does a step that sends or receives, to its end.
    ///
    /// # Safety
    /// The step's memory and the channel are valid.
    pub unsafe fn finish(&self, channel: Channel, step: &Step) -> Result<(), Failure> {
        // SAFETY: promised by the caller.
        unsafe {
            match *step {
                Step::Send { to, data } => self.pml.send(&channel.send(to, data)),
                Step::Receive { from, data } => {
                    self.pml.recv(&channel.receive(from, data)).map(drop)
                }
                _ => Ok(()),
            }
        }
    }

    /// Waits for all and gives them back. Fails with the first failure of one of them.
    ///
    /// # Safety
    /// Requests of `start` that were not given back.
    pub unsafe fn wait(&self, pending: &mut Vec<*mut Request>) -> Result<(), Failure> {
        // SAFETY: promised by the caller.
        let mut status = unsafe { collect(pending) };
        if !pending.is_empty() {
            // SAFETY: promised by the caller; the second time all are complete.
            let second = unsafe {
                self.finish_all(pending);
                collect(pending)
            };
            if status == OK {
                status = second;
            }
        }
        if status == OK { Ok(()) } else { Err(lost(status)) }
    }

    /// Waits until all are complete, and gives none back.
    ///
    /// # Safety
    /// As for `wait`; none was complete when it was started.
    pub unsafe fn finish_all(&self, pending: &[*mut Request]) {
        if !pending.is_empty() {
            let (sync, mut cris) = (WaitSync::of(pending.len()), CriSet::default());
            // One thread polls everything.
            if self.host.job().thread_level == THREAD_MULTIPLE {
                for request in pending.iter() {
                    // SAFETY: promised by the caller.
                    unsafe { self.pml.cris_of(*request, &mut cris) };
                }
            }
            for request in pending.iter() {
                // SAFETY: promised by the caller; the object stays until all have completed. No other thread
                // waits for them.
                if unsafe { (**request).attach(&sync) } != Attach::Counts {
                    sync.pending.fetch_sub(1, Ordering::Relaxed);
                }
            }
            if let Err(failure) = self.host.wait_for(&sync, Some(&cris)) {
                // Requests lead to this stack, so there is no way back.
                self.host.abort(1, &format!("waiting in a collective operation: {failure}"));
            }
        }
    }
}

/// Gives back those that are complete and returns the first error among them.
///
/// # Safety
/// Requests that were not given back.
pub unsafe fn collect(pending: &mut Vec<*mut Request>) -> Status {
    let mut status = OK;
    pending.retain(|request| {
        // SAFETY: promised by the caller; `free` is set by the owner.
        unsafe {
            if !(**request).is_complete() {
                return true;
            }
            if status == OK {
                status = (**request).status.error;
            }
            if let Some(free) = (**request).free {
                free(*request);
            }
        }
        false
    });
    status
}

/// Tries to cancel what is under way, after something else failed.
///
/// # Safety
/// Requests that were not given back.
pub unsafe fn cancel(pending: &[*mut Request]) {
    for request in pending {
        // SAFETY: promised by the caller.
        unsafe {
            if let Some(cancel) = (**request).cancel {
                // What can't be cancelled completes on its own.
                let _ = cancel(*request);
            }
        }
    }
}
