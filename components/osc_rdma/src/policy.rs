//! The strategy that says when operations go out.

use core::ffi::c_void;

use cairn_framework::abi::component::Instance;
use cairn_framework::abi::scope::Scope;
use cairn_framework::abi::status::OK;
use cairn_framework::author::{Failure, HostHandle};
use cairn_framework::frameworks::issue::{Decision, IssueHistory, IssueOperation, IssueOps};

/// The component of `issue` that serves a window.
pub struct Policy {
    ops: &'static IssueOps,
    instance: *mut Instance,
    state: *mut c_void,
}

// SAFETY: instances live as long as the process, and the functions are for any thread.
unsafe impl Send for Policy {}
// SAFETY: see `Send`.
unsafe impl Sync for Policy {}

impl Policy {
    /// The one that is chosen for a window.
    pub fn open(host: HostHandle, window: &Scope) -> Result<Self, Failure> {
        let (ops, instance) = host.service(c"issue", Some(window))?;
        // SAFETY: the host's answer for this framework; tables stay and are complete.
        let ops: &'static IssueOps = unsafe { &*ops.cast() };
        let mut state = core::ptr::null_mut();
        // SAFETY: as above.
        let status = unsafe { (ops.window_open.unwrap_unchecked())(instance, window, &mut state) };
        host.check(status)?;
        debug_assert_eq!(status, OK);
        Ok(Self { ops, instance, state })
    }

    /// An epoch begins.
    pub fn epoch_open(&self, epoch: u32) -> Decision {
        // SAFETY: the table is complete, and the state is the component's.
        Decision::of(unsafe {
            (self.ops.epoch_open.unwrap_unchecked())(self.instance, self.state, epoch)
        })
    }

    /// What to do with an operation, with `waiting` operations of `bytes` in all.
    pub fn operation(&self, epoch: u32, waiting: u64, bytes: u64) -> Decision {
        let struct_size = size_of::<IssueOperation>() as u32;
        let operation = IssueOperation { struct_size, epoch, waiting, bytes };
        // SAFETY: as above.
        Decision::of(unsafe {
            (self.ops.operation.unwrap_unchecked())(self.instance, self.state, &operation)
        })
    }

    /// An epoch has ended.
    pub fn epoch_close(&self, history: &IssueHistory) {
        // SAFETY: as above.
        unsafe { (self.ops.epoch_close.unwrap_unchecked())(self.instance, self.state, history) }
    }
}

impl Drop for Policy {
    fn drop(&mut self) {
        // SAFETY: `open` opened it.
        unsafe { (self.ops.window_close.unwrap_unchecked())(self.instance, self.state) }
    }
}
