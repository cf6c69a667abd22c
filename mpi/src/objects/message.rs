//! Messages that a probe took out of matching.

use std::ffi::c_void;

use cairn_framework::author::Mutex;

use super::arena::{Object, class};
use super::comm::CommRef;
use crate::abi::generated::constants::*;
use crate::abi::generated::types::Message;
use crate::error::{Error, Result};

/// What a handle of a message leads to.
struct MessageBody {
    /// The component's message, until it is received.
    taken: Mutex<Option<Taken>>,
}

struct Taken {
    message: *mut c_void,
    comm: CommRef,
}

// SAFETY: the component takes its message back from any thread.
unsafe impl Send for Taken {}

class!(MessageBody, b"msg ");

/// A handle for a message.
pub fn make(message: *mut c_void, comm: CommRef) -> Message {
    comm.retain();
    let taken = Mutex::new(Some(Taken { message, comm }));
    Message::of(Object::make(MessageBody { taken }).address())
}

/// Whether a handle leads to a message; [`take`] gives it.
pub fn find(handle: Message) -> Option<()> {
    // SAFETY: a handle that is no constant is the address of an object.
    let is_one = handle == MPI_MESSAGE_NO_PROC
        || !handle.is_predefined()
            && unsafe { Object::<MessageBody>::at(handle.object()) }.is_some();
    is_one.then_some(())
}

/// The message of a handle, which is not valid any more, and its communicator, which the caller has to
/// release when the receive that follows keeps it alive.
pub fn take(handle: Message) -> Result<(*mut c_void, CommRef)> {
    let none = || Error::new(MPI_ERR_ARG, format!("{:#x} is no message", handle.value()));
    if handle.is_predefined() {
        return Err(none());
    }
    // SAFETY: as above.
    let body = unsafe { Object::<MessageBody>::at(handle.object()) }.ok_or_else(none)?;
    let taken = body.taken.lock().take().ok_or_else(none)?;
    body.close();
    Ok((taken.message, taken.comm))
}
