//! A device of a transport that reaches memory of peers, with its functions as methods.

use core::ffi::{CStr, c_void};
use core::ptr::null_mut;

use cairn_framework::abi::btl::{
    BTL_ALLOCATE, BTL_EXCLUSIVITY_SELF, BTL_MAX_KEY, BTL_NEEDS_REGISTRATION, BTL_REMOTE_ATOMIC,
    BTL_REMOTE_READ, BTL_REMOTE_WRITE, BtlModule, BtlOps, Endpoint,
};
use cairn_framework::abi::peer::{PEER_LOCAL, PEER_SELF, Peer};
use cairn_framework::abi::status::ERR_RESOURCES;
use cairn_framework::author::{Failure, HostHandle};

/// A device.
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
    /// Where it is.
    pub device: Device,
    made: *mut c_void,
    /// Its memory was allocated with it.
    allocated: bool,
}

// SAFETY: functions of a device that take keys and registrations are for any thread.
unsafe impl Send for Key {}
// SAFETY: see `Send`.
unsafe impl Sync for Key {}
// SAFETY: as above.
unsafe impl Send for Registration {}
// SAFETY: as above.
unsafe impl Sync for Registration {}

/// All that peers may do with memory of a window.
pub const ALL_RIGHTS: u32 = BTL_REMOTE_READ | BTL_REMOTE_WRITE | BTL_REMOTE_ATOMIC;

/// What a device gives out begins at a page.
const PAGE: usize = 4096;

/// Packed keys have room in it.
pub type PackedKey = [u8; BTL_MAX_KEY];

macro_rules! call {
    ($device:expr, $function:ident($($argument:expr),*)) => {
        ((*$device.0.ops).$function.unwrap_unchecked())($device.0 $(, $argument)*)
    };
}

impl Device {
    /// All that reach other processes and have one of these capabilities.
    pub fn all(host: HostHandle, capabilities: u64) -> impl Iterator<Item = Self> {
        let has = move |module: &&BtlModule| {
            module.capabilities & capabilities != 0 && module.exclusivity < BTL_EXCLUSIVITY_SELF
        };
        host.devices().filter(has).map(Self)
    }

    /// The device that reaches another process of the node, with its endpoint, if it gives out memory. Connects
    /// to the process.
    pub fn to(host: HostHandle, peer: &Peer) -> Option<(Self, *mut Endpoint)> {
        if !peer.is(PEER_LOCAL) || peer.is(PEER_SELF) {
            return None;
        }
        if peer.routes().is_empty() && host.peer_connect(peer).is_err() {
            return None;
        }
        let mut routes = Self::routes(peer);
        routes.find(|(device, _)| device.can(BTL_ALLOCATE))
    }

    /// The devices that reach a connected peer, with their endpoints.
    pub fn routes(peer: &Peer) -> impl Iterator<Item = (Self, *mut Endpoint)> {
        peer.routes().iter().map(|route| {
            // SAFETY: devices stay as long as the component system, which components do not outlive.
            (Self(unsafe { &*route.module }), route.endpoint)
        })
    }

    /// What the transport says of it.
    #[inline]
    pub fn module(self) -> &'static BtlModule {
        self.0
    }

    /// Its functions.
    #[inline]
    pub fn ops(self) -> &'static BtlOps {
        // SAFETY: the host has set the table, which is complete and stays.
        unsafe { &*self.0.ops }
    }

    /// Whether it has all of these capabilities.
    #[inline]
    pub fn can(self, capabilities: u64) -> bool {
        self.0.capabilities & capabilities == capabilities
    }

    /// What tells it from devices of other transports, in all processes. Never 0.
    pub fn id(self) -> u64 {
        let ops: *const BtlOps = self.0.ops;
        debug_assert!(!ops.is_null());
        // SAFETY: names are constant.
        let name = unsafe { CStr::from_ptr(self.0.name) };
        let fold = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        let seed = 0xcbf2_9ce4_8422_2325 ^ u64::from(self.0.key_size);
        name.to_bytes().iter().fold(seed, fold).max(1)
    }

    /// Zeros that begin at a multiple of `alignment`, a power of two.
    ///
    /// # Errors
    /// The device has not so much.
    pub fn allocate(
        self,
        host: HostHandle,
        len: usize,
        alignment: usize,
    ) -> Result<(*mut u8, Registration), Failure> {
        let more = if alignment > PAGE { alignment } else { 0 };
        let len = len.checked_add(more).ok_or_else(|| {
            Failure::new(
                ERR_RESOURCES,
                format!("{len} bytes at a multiple of {alignment} are too many"),
            )
        })?;
        let (mut address, mut made) = (null_mut::<c_void>(), null_mut());
        // SAFETY: the host completes tables.
        host.check(unsafe { call!(self, allocate_memory(len, &mut address, &mut made)) })?;
        let up = address.addr().next_multiple_of(alignment.max(1)) - address.addr();
        let registration = Registration { device: self, made, allocated: true };
        Ok((address.cast::<u8>().wrapping_add(up), registration))
    }

    /// Registers memory for `rights`, of `BTL_LOCAL` and the others.
    ///
    /// # Safety
    /// It is there as long as the registration.
    pub unsafe fn register(
        self,
        host: HostHandle,
        address: *mut c_void,
        len: usize,
        rights: u32,
    ) -> Result<Registration, Failure> {
        let mut made = null_mut();
        if self.can(BTL_NEEDS_REGISTRATION) {
            // SAFETY: promised by the caller.
            host.check(unsafe { call!(self, register_memory(address, len, rights, &mut made)) })?;
        }
        Ok(Registration { device: self, made, allocated: false })
    }

    /// Unpacks a key of the peer.
    ///
    /// # Safety
    /// The endpoint is the device's.
    pub unsafe fn unpack(
        self,
        host: HostHandle,
        endpoint: *mut Endpoint,
        packed: &PackedKey,
    ) -> Result<Key, Failure> {
        let mut key = null_mut();
        if self.can(BTL_NEEDS_REGISTRATION) {
            let packed = packed.as_ptr().cast();
            // SAFETY: a packed key has room for the longest there is.
            host.check(unsafe { call!(self, unpack_key(endpoint, packed, &mut key)) })?;
        }
        Ok(Key { device: self, key })
    }
}

impl Key {
    /// What put, get and atomics take.
    #[inline]
    pub fn raw(&self) -> *mut c_void {
        self.key
    }

    /// The pointer to memory that the key is of, as long as the key. `None`: there is none.
    pub fn map(
        &self,
        host: HostHandle,
        remote: u64,
        len: usize,
    ) -> Result<Option<*mut u8>, Failure> {
        let mut pointer = null_mut();
        // SAFETY: the key was unpacked.
        host.check(unsafe { call!(self.device, map_key(self.key, remote, len, &mut pointer)) })?;
        Ok((!pointer.is_null()).then_some(pointer.cast()))
    }
}

impl Registration {
    /// What put and get take of local memory.
    #[inline]
    pub fn raw(&self) -> *mut c_void {
        self.made
    }

    /// The key that peers need.
    pub fn pack(&self, host: HostHandle, key: &mut PackedKey) -> Result<(), Failure> {
        if !self.device.can(BTL_NEEDS_REGISTRATION) {
            return Ok(());
        }
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
            } else if self.device.can(BTL_NEEDS_REGISTRATION) {
                call!(self.device, deregister_memory(self.made));
            }
        }
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        if self.device.can(BTL_NEEDS_REGISTRATION) {
            // SAFETY: the device made it, and what it maps is not used any more.
            unsafe { call!(self.device, release_key(self.key)) };
        }
    }
}
