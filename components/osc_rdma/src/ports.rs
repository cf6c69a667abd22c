//! Where packets of peers find their window.
//!
//! ```text
//!   packet ─► transport ─► receive table ─► arrived ─► slot of the window's port ─► Shared::receive
//! ```
//!
//! Each process calls a window by a port of its own, which it tells the others when the window is made. A packet for a
//! port that is not open any more is an answer that nothing waits for, and is dropped.

use std::alloc::{Layout, alloc_zeroed, handle_alloc_error};
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

use cairn_framework::abi::receive::Received;
use cairn_framework::abi::status::ERR_RESOURCES;
use cairn_framework::author::{Failure, HostHandle, Mutex};

use crate::link::TAG;
use crate::window::Shared;
use crate::wire::Header;

/// Lower bits of a port: its slot. The upper ones tell it from those that had the slot before.
const SLOT_BITS: u32 = 16;
const SLOTS: usize = 1 << SLOT_BITS;

/// The windows of a process.
pub struct Ports {
    /// Written with `used` held. A window that is found in a pass stays until the pass is over.
    slots: Box<[AtomicPtr<Shared>]>,
    used: Mutex<Used>,
}

#[derive(Default)]
struct Used {
    /// Slots that were used once and are free, the longest first.
    free: std::collections::VecDeque<u32>,
    /// The first that was never used.
    next: u32,
    /// Counts windows.
    number: u16,
}

impl Ports {
    /// Takes packets from now on, for as long as the component is open.
    pub fn listen(host: HostHandle) -> Result<Box<Self>, Failure> {
        let layout = Layout::array::<AtomicPtr<Shared>>(SLOTS).expect("it is short");
        // Memory that is zero takes no room before it is used, and null pointers are zero.
        // SAFETY: the layout has bytes, and is that of the slice.
        let slots = unsafe {
            let first = alloc_zeroed(layout).cast::<AtomicPtr<Shared>>();
            if first.is_null() {
                handle_alloc_error(layout);
            }
            Box::from_raw(std::ptr::slice_from_raw_parts_mut(first, SLOTS))
        };
        let ports = Box::new(Self { slots, used: Mutex::new(Used::default()) });
        let context = (&raw const *ports).cast_mut().cast();
        // SAFETY: the component keeps it as long as it is open.
        unsafe { host.receive_register(TAG, arrived, context)? };
        Ok(ports)
    }

    /// A port for a window that does not know it yet: `open` follows, or `close`.
    pub fn reserve(&self) -> Result<u32, Failure> {
        let mut used = self.used.lock();
        let fresh = used.next;
        // Slots rest for as long as there are others.
        let slot = if (fresh as usize) < SLOTS {
            used.next += 1;
            fresh
        } else {
            let none = || Failure::new(ERR_RESOURCES, format!("there are {SLOTS} windows already"));
            used.free.pop_front().ok_or_else(none)?
        };
        used.number = used.number.wrapping_add(1);
        Ok(u32::from(used.number) << SLOT_BITS | slot)
    }

    /// Packets for a port go to this window.
    pub fn open(&self, window: &Shared) {
        self.slot(window.port).store((&raw const *window).cast_mut(), Ordering::Release);
    }

    /// Packets for a port go nowhere. The window stays until no pass is left that was there before.
    pub fn close(&self, port: u32) {
        self.slot(port).store(null_mut(), Ordering::Release);
        self.used.lock().free.push_back(port & (SLOTS as u32 - 1));
    }

    fn slot(&self, port: u32) -> &AtomicPtr<Shared> {
        &self.slots[port as usize & (SLOTS - 1)]
    }

    /// The window with a port.
    fn find(&self, port: u32) -> Option<&Shared> {
        // SAFETY: stored by `open`; see `slots`.
        let found = unsafe { self.slot(port).load(Ordering::Acquire).as_ref() };
        found.filter(|window| window.port == port)
    }
}

/// The entry of the receive table.
unsafe extern "C" fn arrived(ports: *mut c_void, received: *const Received) {
    // SAFETY: the transport's message, in place, and the context of `listen`.
    let (ports, received) = unsafe { (&*ports.cast::<Ports>(), &*received) };
    // SAFETY: as above; the bytes are there during the call.
    let packet = unsafe { core::slice::from_raw_parts(received.data.cast::<u8>(), received.len) };
    if let Some(window) = Header::port(packet).and_then(|port| ports.find(port)) {
        window.receive(packet, received.cri);
    }
}

#[cfg(test)]
mod tests {
    use cairn_framework::mock::MockHost;

    use super::*;

    #[test]
    fn ports_are_used_again_late_and_told_from_each_other() {
        let mock = MockHost::leak("osc_rdma");
        let ports = Ports::listen(mock.handle()).unwrap();
        let first: Vec<u32> = (0..SLOTS).map(|_| ports.reserve().unwrap()).collect();
        assert_eq!(ports.reserve().unwrap_err().status, ERR_RESOURCES);
        assert!(ports.find(first[9]).is_none());
        ports.close(first[9]);
        ports.close(first[3]);
        let again = ports.reserve().unwrap();
        assert!(again != first[9] && again & 0xffff == first[9] & 0xffff);
        assert_eq!(ports.reserve().unwrap() & 0xffff, first[3] & 0xffff);
    }
}
