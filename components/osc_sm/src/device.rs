//! The device of a transport that gives out memory, with its functions as methods.

use std::ffi::{CStr, c_void};
use std::ptr::null_mut;

use cairn_framework::abi::btl::{
    BTL_ALLOCATE, BTL_MAX_KEY, BTL_REMOTE_ATOMIC, BTL_REMOTE_READ, BTL_REMOTE_WRITE, BtlModule,
    BtlOps, Endpoint,
};
use cairn_framework::abi::peer::{PEER_LOCAL, PEER_SELF, Peer};
use cairn_framework::author::{Failure, HostHandle};

/// A device that gives out memory.
#[derive(Clone, Copy)]
pub struct Device(&'static BtlModule);

/// A key of the peer that was unpacked. It is released when this is dropped.
pub struct Key {
    device: Device,
    key: *mut c_void,
}

/// A registration.
#[derive(Clone, Copy)]
pub struct Registration {
    pub device: Device,
    pub made: *mut c_void,
    /// Its memory was allocated with it.
    pub allocated: bool,
}

// SAFETY: functions of a device that take keys and registrations are for any thread.
unsafe impl Send for Key {}
// SAFETY: see `Send`.
unsafe impl Sync for Key {}
// SAFETY: as above.
unsafe impl Send for Registration {}
// SAFETY: as above.
unsafe impl Sync for Registration {}

/// Packed keys have room in it.
pub type Packed = [u8; BTL_MAX_KEY];

macro_rules! call {
    ($device:expr, $function:ident($($argument:expr),*)) => {
        ((*$device.0.ops).$function.unwrap_unchecked())($device.0 $(, $argument)*)
    };
}

impl Device {
    /// The device that reaches another process of the node, with its endpoint, if it gives out memory. Connects
    /// to the process.
    pub fn to(host: HostHandle, peer: &Peer) -> Option<(Self, *mut Endpoint)> {
        if !peer.is(PEER_LOCAL) || peer.is(PEER_SELF) {
            return None;
        }
        if peer.routes().is_empty() && host.peer_connect(peer).is_err() {
            return None;
        }
        peer.routes().iter().find_map(|route| {
            // SAFETY: devices stay as long as the component system, which the component does not outlive.
            let module = unsafe { &*route.module };
            (module.capabilities & BTL_ALLOCATE != 0).then_some((Self(module), route.endpoint))
        })
    }

    /// What tells it from devices of other transports, in all processes.
    pub fn id(self) -> u64 {
        let ops: *const BtlOps = self.0.ops;
        debug_assert!(!ops.is_null());
        // SAFETY: names are constant.
        let name = unsafe { CStr::from_ptr(self.0.name) };
        let fold = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        let seed = 0xcbf2_9ce4_8422_2325 ^ u64::from(self.0.key_size);
        name.to_bytes().iter().fold(seed, fold)
    }

    /// Zeros that begin at a page.
    pub fn allocate(
        self,
        host: HostHandle,
        len: usize,
    ) -> Result<(*mut u8, Registration), Failure> {
        let (mut address, mut made) = (null_mut(), null_mut());
        // SAFETY: the host completes tables.
        host.check(unsafe { call!(self, allocate_memory(len, &mut address, &mut made)) })?;
        Ok((address.cast(), Registration { device: self, made, allocated: true }))
    }

    /// Registers memory that the program has.
    ///
    /// # Safety
    /// It is there as long as the registration.
    pub unsafe fn register(
        self,
        host: HostHandle,
        address: *mut c_void,
        len: usize,
    ) -> Result<Registration, Failure> {
        let rights = BTL_REMOTE_READ | BTL_REMOTE_WRITE | BTL_REMOTE_ATOMIC;
        let mut made = null_mut();
        // SAFETY: promised by the caller.
        host.check(unsafe { call!(self, register_memory(address, len, rights, &mut made)) })?;
        Ok(Registration { device: self, made, allocated: false })
    }

    /// Unpacks a key of the peer and maps what it is of. `None`: there is no pointer.
    pub fn map(
        self,
        host: HostHandle,
        endpoint: *mut Endpoint,
        packed: &Packed,
        (remote, len): (u64, usize),
    ) -> Result<Option<(Key, *mut u8)>, Failure> {
        let (mut key, mut pointer) = (null_mut(), null_mut());
        let packed = packed.as_ptr().cast();
        // SAFETY: a packed key has room for the longest there is.
        host.check(unsafe { call!(self, unpack_key(endpoint, packed, &mut key)) })?;
        let key = Key { device: self, key };
        // SAFETY: the key was unpacked.
        host.check(unsafe { call!(self, map_key(key.key, remote, len, &mut pointer)) })?;
        Ok((!pointer.is_null()).then_some((key, pointer.cast())))
    }
}

impl Registration {
    /// The key that peers need.
    pub fn pack(&self, host: HostHandle, key: &mut Packed) -> Result<(), Failure> {
        let key = key.as_mut_ptr().cast();
        // SAFETY: the registration is the device's, and keys are no longer than this.
        host.check(unsafe { call!(self.device, pack_key(self.made, key)) })
    }

    /// Ends it, and frees what was allocated with it.
    pub fn end(self) {
        // SAFETY: it is the device's, and peers have released their keys.
        unsafe {
            if self.allocated {
                call!(self.device, free_memory(self.made));
            } else {
                call!(self.device, deregister_memory(self.made));
            }
        }
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        // SAFETY: the device made it, and what it maps is not used any more.
        unsafe { call!(self.device, release_key(self.key)) };
    }
}
