//! Point-to-point messages for components that are built on them.

use super::{PmlOps, PmlReceive, PmlSend};
use crate::abi::component::Instance;
use crate::abi::pool::CriSet;
use crate::abi::request::{MessageStatus, Request};
use crate::author::{Failure, HostHandle};

/// The point-to-point component that serves the process. Its functions are for any thread, with no lock
/// held.
///
/// # Safety of the unsafe functions
/// What the arguments lead to is valid until the operation is complete.
#[derive(Clone, Copy)]
pub struct PmlHandle {
    host: HostHandle,
    ops: &'static PmlOps,
    provider: *mut Instance,
}

// SAFETY: instances live as long as the process, and a pml's functions are for any thread.
unsafe impl Send for PmlHandle {}
// SAFETY: see `Send`.
unsafe impl Sync for PmlHandle {}

#[allow(clippy::missing_safety_doc)] // said once, above
impl PmlHandle {
    /// Finds the component.
    pub fn find(host: HostHandle) -> Result<Self, Failure> {
        let (ops, provider) = host.service(c"pml", None)?;
        // SAFETY: the host's answer for this framework; tables stay.
        Ok(Self { host, ops: unsafe { &*ops.cast() }, provider })
    }

    /// Sends, and returns when the buffer may be used again.
    pub unsafe fn send(&self, send: &PmlSend) -> Result<(), Failure> {
        // SAFETY: promised by the caller; the table is complete.
        self.host.check(unsafe { (self.ops.send.unwrap_unchecked())(self.provider, send) })
    }

    /// Receives a message.
    pub unsafe fn recv(&self, receive: &PmlReceive) -> Result<MessageStatus, Failure> {
        let mut status = MessageStatus::default();
        // SAFETY: as above.
        let result =
            unsafe { (self.ops.recv.unwrap_unchecked())(self.provider, receive, &mut status) };
        self.host.check(result).map(|()| status)
    }

    /// Starts to send.
    pub unsafe fn isend(&self, send: &PmlSend) -> Result<*mut Request, Failure> {
        let mut request = core::ptr::null_mut();
        // SAFETY: as above.
        let result =
            unsafe { (self.ops.isend.unwrap_unchecked())(self.provider, send, &mut request) };
        self.host.check(result).map(|()| request)
    }

    /// Starts to receive.
    pub unsafe fn irecv(&self, receive: &PmlReceive) -> Result<*mut Request, Failure> {
        let mut request = core::ptr::null_mut();
        // SAFETY: as above.
        let result =
            unsafe { (self.ops.irecv.unwrap_unchecked())(self.provider, receive, &mut request) };
        self.host.check(result).map(|()| request)
    }

    /// Adds where the events can come from that complete a request of the component, which was not complete
    /// a moment ago.
    pub unsafe fn cris_of(&self, request: *const Request, cris: &mut CriSet) {
        // SAFETY: as above.
        unsafe { (self.ops.cris_of.unwrap_unchecked())(self.provider, request, cris) }
    }
}
