//! Receives: posted, matched with what has come, cancelled and started again.

use core::ffi::c_void;
use core::mem::MaybeUninit;
use core::sync::atomic::Ordering;

use cairn_framework::abi::pool::CriSet;
use cairn_framework::abi::request::{
    MessageStatus, REQUEST_COMPLETE, REQUEST_PENDING, REQUEST_RECEIVE, Request,
};
use cairn_framework::abi::status::{DONE, OK, Status};
use cairn_framework::author::Failure;
use cairn_framework::frameworks::pml::PmlReceive;

use crate::core::Core;
use crate::mode::Mode;
use crate::objects::comm::CommState;
use crate::objects::completion::{detach, head};
use crate::objects::data::Data;
use crate::objects::kept::Kept;
use crate::objects::message::Incoming;
use crate::objects::request::ReceiveRequest;

impl Core {
    /// Receives and waits.
    ///
    /// # Safety
    /// As the contract says.
    #[inline]
    pub unsafe fn recv<M: Mode>(
        &self,
        receive: &PmlReceive,
        status: &mut MessageStatus,
    ) -> Result<(), Failure> {
        let mut place = MaybeUninit::<ReceiveRequest>::uninit();
        let request = place.as_mut_ptr();
        // SAFETY: the fields that a receive needs are written; it stays until it is complete, and
        // its status is written then.
        unsafe {
            (&raw mut (*request).request.completion).write(REQUEST_PENDING.into());
            self.prepare(request, receive);
            self.post::<M>(request);
            let known = M::THREADED && self.host.knows_arrivals();
            self.wait::<M>(&raw const (*request).request, known, |cris| {
                self.cris_of_receive(request, cris);
            });
            *status = (*request).request.status;
            Ok(())
        }
    }

    /// Adds where messages for a receive arrive.
    ///
    /// # Safety
    /// The request is prepared, and lives during the call.
    #[inline]
    pub unsafe fn cris_of_receive(&self, request: *const ReceiveRequest, cris: &mut CriSet) {
        // SAFETY: promised by the caller. A receive has its communicator until it is complete and
        // waited for, and its source stays.
        unsafe { self.cris_of_source(&*(*request).state, (*request).posted.source, cris) }
    }

    /// Adds where messages of a communicator arrive from a rank of it, or from any.
    #[cold]
    pub fn cris_of_source(&self, state: &CommState, source: i32, cris: &mut CriSet) {
        let view = state.view();
        let peer = usize::try_from(source).ok().map(|source| {
            // SAFETY: a communicator has a peer for each rank, and receives name only its ranks.
            unsafe { &**view.peers.add(source) }
        });
        self.host.cris_of(&view.scope, peer, cris);
    }

    /// Starts a receive.
    ///
    /// # Safety
    /// As the contract says.
    #[inline]
    pub unsafe fn irecv<M: Mode>(&self, receive: &PmlReceive) -> Result<*mut Request, Failure> {
        let request = self.new_receive::<M>(receive)?;
        // SAFETY: promised by the caller.
        unsafe { self.post::<M>(request) };
        Ok(request.cast())
    }

    /// Makes a persistent receive.
    ///
    /// # Safety
    /// As the contract says.
    pub unsafe fn recv_init<M: Mode>(&self, receive: &PmlReceive) -> Result<*mut Request, Failure> {
        let request = self.new_receive::<M>(receive)?;
        // SAFETY: it is ours.
        unsafe {
            (*request).source_and_tag = (receive.source, receive.tag);
            (*request).request.start = Some(start::<M>);
            (*request).request.completion.store(REQUEST_COMPLETE, Ordering::Relaxed);
        }
        Ok(request.cast())
    }

    #[inline]
    fn new_receive<M: Mode>(&self, receive: &PmlReceive) -> Result<*mut ReceiveRequest, Failure> {
        // SAFETY: the contract's.
        let state = || unsafe { self.comms.state(receive.comm) };
        let place = || self.peers.place_of_receive(state(), receive.source);
        let request = self.requests.take_receive::<M>(place)?;
        // SAFETY: a node has room for it, and is ours.
        unsafe {
            (&raw mut (*request).request).write(head(REQUEST_RECEIVE, free::<M>));
            (*request).request.cancel = Some(cancel::<M>);
            self.prepare(request, receive);
        }
        Ok(request)
    }

    /// Writes what a receive needs besides its head.
    ///
    /// # Safety
    /// As the contract says; there is memory for the request.
    #[inline(always)]
    unsafe fn prepare(&self, request: *mut ReceiveRequest, receive: &PmlReceive) {
        // SAFETY: promised by the caller.
        unsafe {
            (&raw mut (*request).posted.source).write(receive.source);
            (&raw mut (*request).posted.tag).write(receive.tag);
            let data = Data::new(receive.buffer, receive.count, receive.datatype);
            (&raw mut (*request).data).write(data);
            (&raw mut (*request).state).write(self.comms.state(receive.comm));
            (&raw mut (*request).core).write(self.context());
        }
    }

    /// Posts a receive. It may be complete when this returns, and then gone if it was freed.
    ///
    /// # Safety
    /// The request is prepared and pending.
    #[inline(always)]
    unsafe fn post<M: Mode>(&self, request: *mut ReceiveRequest) {
        // SAFETY: promised by the caller; the table is complete.
        unsafe {
            let state = &*(*request).state;
            let posted = &raw mut (*request).posted;
            let kept = (state.matching.post.unwrap_unchecked())(state.engine, posted);
            if !kept.is_null() {
                self.take::<M>(state, request, kept.cast());
            }
        }
    }

    /// Gives a kept message, which the engine gave out, to a receive.
    ///
    /// # Safety
    /// Both are the caller's.
    #[cold]
    unsafe fn take<M: Mode>(
        &self,
        state: &CommState,
        request: *mut ReceiveRequest,
        kept: *mut Kept,
    ) {
        // SAFETY: promised by the caller.
        unsafe {
            let message = Incoming::of_kept(kept, None);
            self.accept::<M>(state, request, &message, message.kind());
            self.free_kept::<M>(kept, None);
        }
    }

    /// Starts to receive a message that `probe` took out.
    ///
    /// # Safety
    /// As the contract says.
    pub unsafe fn mrecv<M: Mode>(
        &self,
        message: *mut c_void,
        receive: &PmlReceive,
    ) -> Result<*mut Request, Failure> {
        let request = self.new_receive::<M>(receive)?;
        // SAFETY: promised by the caller. A receive that the engine never sees can't be cancelled.
        unsafe {
            (*request).request.cancel = None;
            self.take::<M>(&*(*request).state, request, message.cast());
        }
        Ok(request.cast())
    }
}

/// Gives a receive back.
unsafe extern "C" fn free<M: Mode>(request: *mut Request) {
    let request = request.cast::<ReceiveRequest>();
    // SAFETY: the MPI layer passes one of ours and uses it no more.
    unsafe {
        let core = Core::at((*request).core);
        if detach(&raw mut (*request).request) {
            core.requests.give_receive::<M>(request);
        }
    }
}

/// Cancels a receive that was not matched.
unsafe extern "C" fn cancel<M: Mode>(request: *mut Request) -> Status {
    let request = request.cast::<ReceiveRequest>();
    // SAFETY: the MPI layer passes one of ours that was posted; the table is complete.
    unsafe {
        let (core, state) = (Core::at((*request).core), &*(*request).state);
        let posted = &raw mut (*request).posted;
        if (state.matching.cancel.unwrap_unchecked())(state.engine, posted) == DONE {
            (*request).request.status = MessageStatus {
                source: (*request).posted.source,
                tag: (*request).posted.tag,
                error: OK,
                cancelled: 1,
                bytes: 0,
            };
            core.complete_receive::<M>(request);
        }
    }
    OK
}

/// Starts a persistent receive.
unsafe extern "C" fn start<M: Mode>(request: *mut Request) -> Status {
    let request = request.cast::<ReceiveRequest>();
    // SAFETY: the MPI layer passes one of ours that is not started.
    unsafe {
        ((*request).posted.source, (*request).posted.tag) = (*request).source_and_tag;
        (*request).request.status = MessageStatus::default();
        (*request).request.completion.store(REQUEST_PENDING, Ordering::Relaxed);
        Core::at((*request).core).post::<M>(request);
    }
    OK
}
