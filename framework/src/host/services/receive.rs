//! The receive table: which callback handles messages with which tag.

use std::cell::UnsafeCell;
use std::ffi::c_void;

use crate::abi::lock::Mutex;

use crate::abi::receive::{RECEIVE_TAGS, ReceiveEntry, ReceiveFn, Received};

/// The table, and the owner of each entry.
pub(crate) struct ReceiveTable {
    /// Read by transports without a lock. Written under `owners`, only while no transport receives:
    /// during `open` and `close` of components.
    entries: UnsafeCell<[ReceiveEntry; RECEIVE_TAGS]>,
    owners: Mutex<[usize; RECEIVE_TAGS]>,
}

// SAFETY: see `entries`.
unsafe impl Sync for ReceiveTable {}
// SAFETY: the contexts belong to components, which vouch for use from any thread.
unsafe impl Send for ReceiveTable {}

/// This tag is not registered: the peer sent what no protocol of ours has.
unsafe extern "C" fn unregistered(_context: *mut c_void, received: *const Received) {
    // SAFETY: the transport passes a message that is valid during the call.
    let len = unsafe { (*received).len };
    eprintln!(
        "cairn: a peer sent {len} bytes with a tag that no component handles; dropped. \
         Do all processes run the same version with the same components?"
    );
}

impl ReceiveTable {
    pub fn new() -> Self {
        let entry = || ReceiveEntry { callback: Some(unregistered), context: std::ptr::null_mut() };
        Self {
            entries: UnsafeCell::new(std::array::from_fn(|_| entry())),
            owners: Mutex::new([0; RECEIVE_TAGS]),
        }
    }

    /// What transports read.
    pub fn entries(&self) -> *const ReceiveEntry {
        self.entries.get().cast()
    }

    /// Gives a tag to an owner (not 0). The address of the owner that has it is the error.
    pub fn register(
        &self,
        owner: usize,
        tag: u8,
        callback: ReceiveFn,
        context: *mut c_void,
    ) -> Result<(), usize> {
        let mut owners = self.owners.lock();
        let slot = &mut owners[usize::from(tag)];
        if *slot != 0 {
            return Err(*slot);
        }
        *slot = owner;
        // SAFETY: see `entries`; the lock keeps other writers out.
        unsafe {
            (*self.entries.get())[usize::from(tag)] =
                ReceiveEntry { callback: Some(callback), context };
        }
        Ok(())
    }

    /// Takes all tags of an owner back.
    pub fn remove(&self, owner: usize) {
        let mut owners = self.owners.lock();
        for (tag, slot) in owners.iter_mut().enumerate() {
            if *slot == owner {
                *slot = 0;
                // SAFETY: as in `register`.
                unsafe {
                    (*self.entries.get())[tag] = ReceiveEntry {
                        callback: Some(unregistered),
                        context: std::ptr::null_mut(),
                    };
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_have_one_owner_and_come_back() {
        unsafe extern "C" fn handle(_: *mut c_void, _: *const Received) {}
        let table = ReceiveTable::new();
        let null = std::ptr::null_mut();
        table.register(1, 7, handle, null).unwrap();
        assert_eq!(table.register(2, 7, handle, null), Err(1));
        table.register(2, 255, handle, null).unwrap();
        table.remove(1);
        table.register(2, 7, handle, null).unwrap();
    }
}
