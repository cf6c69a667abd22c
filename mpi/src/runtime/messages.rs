//! Calls of the point-to-point component.
//!
//! What they have in common as to safety: the component's table is complete and the component open
//! while there is a [`Runtime`]; datatype and communicator of a message are those of living objects;
//! for its buffer, until the operation is complete, the caller vouches, or the program behind him.

use cairn_framework::abi::component::Instance;
use cairn_framework::abi::request::{MessageStatus, Request};
use cairn_framework::abi::status::{OK, Status};
use cairn_framework::frameworks::pml::{PmlReceive, PmlSend};

use super::Runtime;
use crate::error::{Result, failure};

/// A function of the component that makes a request of a message.
type Make<T> = unsafe extern "C" fn(*mut Instance, &T, &mut *mut Request) -> Status;

impl Runtime {
    /// Sends and waits until the buffer is free.
    #[inline(always)]
    pub fn send(&self, send: &PmlSend) -> Result<()> {
        // SAFETY: see the top of this file.
        match unsafe { (self.pml.send.unwrap_unchecked())(self.pml_instance, send) } {
            OK => Ok(()),
            status => Err(failure("send", status)),
        }
    }

    /// Receives; `found` holds whatever was matched, also when the receive failed.
    #[inline(always)]
    pub fn recv(&self, receive: &PmlReceive, found: &mut MessageStatus) -> Status {
        // SAFETY: see the top of this file.
        unsafe { (self.pml.recv.unwrap_unchecked())(self.pml_instance, receive, found) }
    }

    /// Starts a send.
    #[inline(always)]
    pub fn isend(&self, send: &PmlSend) -> Result<*mut Request> {
        self.make("isend", self.pml.isend, send)
    }

    /// Starts a receive.
    #[inline(always)]
    pub fn irecv(&self, receive: &PmlReceive) -> Result<*mut Request> {
        self.make("irecv", self.pml.irecv, receive)
    }

    /// Makes a persistent send.
    pub fn send_init(&self, send: &PmlSend) -> Result<*mut Request> {
        self.make("send_init", self.pml.send_init, send)
    }

    /// Makes a persistent receive.
    pub fn recv_init(&self, receive: &PmlReceive) -> Result<*mut Request> {
        self.make("recv_init", self.pml.recv_init, receive)
    }

    #[inline(always)]
    fn make<T>(&self, name: &str, make: Option<Make<T>>, message: &T) -> Result<*mut Request> {
        let mut request = std::ptr::null_mut();
        // SAFETY: see the top of this file.
        match unsafe { (make.unwrap_unchecked())(self.pml_instance, message, &mut request) } {
            OK => Ok(request),
            status => Err(failure(name, status)),
        }
    }
}
