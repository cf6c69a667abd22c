//! How arriving messages reach the layer that they are for.

use core::ffi::c_void;

use super::btl::{BtlModule, Endpoint};
use super::pool::Cri;

/// Number of entries of the receive table; a tag on the wire is one byte.
pub const RECEIVE_TAGS: usize = 256;

/// Tags from this one on are for receivers that take messages which are still being written
/// ([`RECEIVED_GROWING`]): a transport may hand on such a message before all of it is there.
pub const RECEIVE_GROWING: u8 = 128;

/// [`Received::flags`]: `data` begins with the header the sender gave, in one piece with the
/// payload. Always set today; a transport that splits them will not set it.
pub const RECEIVED_CONTIGUOUS: u32 = 1;
/// [`Received::flags`]: the header that the sender gave is there, and of the payload what
/// [`BtlOps::wait_for_more`](crate::abi::btl::BtlOps::wait_for_more) says. Only for tags from `CAIRN_RECEIVE_GROWING`
/// on.
pub const RECEIVED_GROWING: u32 = 2;

/// One active message, in place. Everything it points to is gone when the callback returns.
#[repr(C)]
#[derive(Debug)]
pub struct Received {
    /// Size of this struct in bytes, as the transport's header has it.
    pub struct_size: u32,
    /// `CAIRN_RECEIVED_*`.
    pub flags: u32,
    /// The device it came in by.
    pub module: *const BtlModule,
    /// The CRI that is being polled. Its lock is held unless the process is single-threaded.
    pub cri: *mut Cri,
    /// Where it came from, usable for answers. Null when this process has no endpoint to the sender
    /// yet.
    pub endpoint: *mut Endpoint,
    /// Header and payload. Aligned to 8 bytes. Written by the peer: trust no field in it.
    pub data: *const c_void,
    /// Bytes at `data`.
    pub len: usize,
}

/// Handles an arrived message. Called from a progress call, on any thread. It may send and may
/// start other operations; it must not wait and must not poll.
pub type ReceiveFn = unsafe extern "C" fn(context: *mut c_void, received: *const Received);

/// One entry of the host's receive table, which transports read in place.
///
/// An entry that is not registered leads to a callback that reports the peer's protocol violation,
/// so a transport calls `entry.callback` for any byte without a check.
#[repr(C)]
#[derive(Debug)]
pub struct ReceiveEntry {
    /// Never null.
    pub callback: Option<unsafe extern "C" fn(context: *mut c_void, received: *const Received)>,
    /// Passed to `callback`.
    pub context: *mut c_void,
}

// SAFETY: constant once the components are open, and its owner allows any thread.
unsafe impl Sync for ReceiveEntry {}
// SAFETY: see `Sync`.
unsafe impl Send for ReceiveEntry {}

impl ReceiveEntry {
    /// Hands a message on.
    ///
    /// # Safety
    /// The entry is the host's; the message and what it leads to live during the call.
    #[inline(always)]
    pub unsafe fn call(&self, received: &Received) {
        if let Some(callback) = self.callback {
            // SAFETY: promised by the caller; the entry's owner keeps callback and context.
            unsafe { callback(self.context, received) };
        }
    }
}
