//! The memory of requests.

use cairn_framework::abi::request::{
    MessageStatus, REQUEST_COMPLETE, REQUEST_MAGIC, REQUEST_SEND, Request,
};
use cairn_framework::abi::status::ERR_RESOURCES;
use cairn_framework::author::{CachePadded, Failure};

use crate::mode::Mode;
use crate::objects::request::{ReceiveRequest, SendRequest};
use crate::pool::{Place, Pool, Sharing};

/// The pools of both directions, and a send that is always complete.
pub struct Requests {
    /// Of sends that are not finished at once.
    sends: Pool,
    receives: Pool,
    /// What every send hands out that is finished at once. Never written; threads that send share
    /// its cache lines.
    done: CachePadded<Request>,
}

impl Requests {
    /// Without any memory yet.
    pub fn new(sharing: Sharing) -> Self {
        unsafe extern "C" fn keep(_: *mut Request) {}
        Self {
            sends: Pool::behind(size_of::<SendRequest>()).shared(sharing),
            receives: Pool::new(size_of::<ReceiveRequest>(), ReceiveRequest::LINKS).shared(sharing),
            done: CachePadded(Request {
                magic: REQUEST_MAGIC,
                kind: REQUEST_SEND,
                completion: REQUEST_COMPLETE.into(),
                status: MessageStatus::default(),
                free: Some(keep),
                cancel: None,
                start: None,
                object: core::ptr::null_mut(),
                struct_size: size_of::<Request>() as u32,
                active: 0,
            }),
        }
    }

    /// The request of a send that is finished.
    #[inline]
    pub fn done(&self) -> *mut Request {
        (&raw const *self.done).cast_mut()
    }

    /// Whether instances have caches of requests.
    #[inline]
    pub fn is_by_cri(&self) -> bool {
        self.sends.is_by_cri()
    }

    /// Memory for a send; see [`Pool::take_for`].
    #[inline]
    pub fn take_send<M: Mode>(
        &self,
        place: impl FnOnce() -> Place,
    ) -> Result<*mut SendRequest, Failure> {
        let request: *mut SendRequest = self.sends.take_for::<M>(place).cast();
        if request.is_null() {
            return Err(Failure::new(ERR_RESOURCES, "no memory for a send request"));
        }
        Ok(request)
    }

    /// Memory for a receive.
    #[inline]
    pub fn take_receive<M: Mode>(
        &self,
        place: impl FnOnce() -> Place,
    ) -> Result<*mut ReceiveRequest, Failure> {
        let request: *mut ReceiveRequest = self.receives.take_for::<M>(place).cast();
        if request.is_null() {
            return Err(Failure::new(ERR_RESOURCES, "no memory for a receive request"));
        }
        Ok(request)
    }

    /// Gives the memory of a send back.
    ///
    /// # Safety
    /// `take_send` gave it out, and it is not used any more.
    #[inline]
    pub unsafe fn give_send<M: Mode>(&self, request: *mut SendRequest) {
        // SAFETY: promised by the caller.
        unsafe { self.sends.give::<M>(request.cast()) };
    }

    /// Gives the memory of a receive back.
    ///
    /// # Safety
    /// `take_receive` gave it out, and it is not used any more.
    #[inline]
    pub unsafe fn give_receive<M: Mode>(&self, request: *mut ReceiveRequest) {
        // SAFETY: promised by the caller.
        unsafe { self.receives.give::<M>(request.cast()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_send_write_apart_from_those_that_receive() {
        let parts = cairn_framework::parts!(Requests {
            sends: "threads that send",
            receives: "threads that receive",
            done: "no thread",
        });
        cairn_framework::layout::check("the requests of pml_ob1", &parts);
    }
}
