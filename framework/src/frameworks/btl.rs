//! **btl** — byte transfer layer: moves bytes between two processes. The rules of the contract and
//! what C sees of it are in [`abi::btl`](crate::abi::btl).

mod device;
mod limits;

use core::ffi::{c_char, c_void};

pub use device::Device;

use super::contract;
pub use crate::abi::btl::*;
use crate::abi::component::Instance;
use crate::abi::peer::Peer;
use crate::abi::pool::Cri;
use crate::abi::status::{OK, OutcomeCode, Status};
use crate::author::{self, Component, Failure, Outcome};

impl BtlOps {
    /// The capabilities that the functions in a complete table allow.
    #[cfg(feature = "host")]
    pub(crate) fn offered(&self) -> u64 {
        let mut bits = u64::MAX;
        macro_rules! lacks {
            ($function:ident, $lost:expr) => {
                let own = self.$function.map_or(core::ptr::null(), |f| f as *const ());
                if core::ptr::eq(own, defaults::$function as *const ()) {
                    bits &= !$lost;
                }
            };
        }
        lacks!(send_immediate, BTL_SEND_IMMEDIATE);
        lacks!(send_packed, BTL_SEND_PACKED);
        lacks!(send_gathered, BTL_SEND_GATHERED);
        lacks!(put, BTL_PUT);
        lacks!(get, BTL_GET);
        lacks!(atomic, BTL_ATOMIC_32 | BTL_ATOMIC_64 | BTL_ATOMIC_GLOBAL);
        lacks!(arm, BTL_CAN_WAKE);
        bits
    }
}

/// A transport in Rust. Functions correspond to those of [`BtlOps`]; `device` is the state that
/// [`Device::new`] was given, `view` what the others see of it.
///
/// Which optional functions a module has is said by its capabilities alone: the bits the transport
/// sets in [`BtlModule::capabilities`]. A function whose bit is not set is never called.
#[allow(unused_variables)]
pub trait Btl: Component {
    /// What the transport keeps for one device.
    type Device: Send + Sync + 'static;

    /// The devices. The same array each time, and as long as the component is open.
    fn modules(&self) -> &[*mut BtlModule];

    /// Makes an endpoint for a peer, or `None` when the device does not reach it.
    fn add_peer(
        device: &Self::Device,
        view: &BtlModule,
        peer: &Peer,
    ) -> Result<Option<*mut Endpoint>, Failure>;

    /// Ends an endpoint.
    ///
    /// # Safety
    /// `add_peer` of the same device made it, and it is not used any more.
    unsafe fn remove_peer(device: &Self::Device, endpoint: *mut Endpoint);

    /// Sends a small message by copying it. Hot.
    ///
    /// # Safety
    /// The endpoint is one of this device; the message's pointers and lengths hold.
    unsafe fn send_immediate(
        device: &Self::Device,
        cri: &Cri,
        endpoint: *mut Endpoint,
        message: &BtlMessage,
    ) -> Result<Outcome, Failure> {
        Err(author::unsupported("send_immediate"))
    }

    /// Sends a message whose payload a function packs. Hot.
    ///
    /// # Safety
    /// As for [`Btl::send_immediate`].
    unsafe fn send_packed(
        device: &Self::Device,
        cri: &Cri,
        endpoint: *mut Endpoint,
        message: &BtlPacked,
    ) -> Result<Outcome, Failure> {
        Err(author::unsupported("send_packed"))
    }

    /// Experimental. Sends a message from where it lies. Hot.
    ///
    /// # Safety
    /// As for [`Btl::send_immediate`]; the payload and the completion stay until it is called.
    unsafe fn send_gathered(
        device: &Self::Device,
        cri: &Cri,
        endpoint: *mut Endpoint,
        message: &BtlGathered,
        completion: *mut BtlCompletion,
    ) -> Result<Outcome, Failure> {
        Err(author::unsupported("send_gathered"))
    }

    /// Writes local memory into the peer's. Hot.
    ///
    /// # Safety
    /// The endpoint is one of this device; the memory on both sides is there and registered; the
    /// local memory and the completion stay until it is called.
    unsafe fn put(
        device: &Self::Device,
        cri: &Cri,
        endpoint: *mut Endpoint,
        transfer: &BtlTransfer,
        completion: *mut BtlCompletion,
    ) -> Result<Outcome, Failure> {
        Err(author::unsupported("put"))
    }

    /// Reads the peer's memory into local memory. Hot.
    ///
    /// # Safety
    /// As for [`Btl::put`].
    unsafe fn get(
        device: &Self::Device,
        cri: &Cri,
        endpoint: *mut Endpoint,
        transfer: &BtlTransfer,
        completion: *mut BtlCompletion,
    ) -> Result<Outcome, Failure> {
        Err(author::unsupported("get"))
    }

    /// Experimental. Does an atomic operation in the peer's memory. Hot.
    ///
    /// # Safety
    /// As for [`Btl::put`].
    unsafe fn atomic(
        device: &Self::Device,
        cri: &Cri,
        endpoint: *mut Endpoint,
        atomic: &BtlAtomic,
        completion: *mut BtlCompletion,
    ) -> Result<Outcome, Failure> {
        Err(author::unsupported("atomic"))
    }

    /// Completes when earlier puts and atomics are visible to the peers. `endpoint` may be null
    /// for all. Hot.
    ///
    /// # Safety
    /// The endpoint is null or one of this device; the completion stays until it is called.
    unsafe fn flush(
        device: &Self::Device,
        cri: &Cri,
        endpoint: *mut Endpoint,
        completion: *mut BtlCompletion,
    ) -> Result<Outcome, Failure> {
        Err(author::unsupported("flush"))
    }

    /// Registers memory; `access` is made of [`BTL_LOCAL`] and the others.
    ///
    /// # Safety
    /// The memory is there until the registration ends.
    unsafe fn register_memory(
        device: &Self::Device,
        address: *mut c_void,
        len: usize,
        access: u32,
    ) -> Result<*mut c_void, Failure> {
        Ok(core::ptr::null_mut())
    }

    /// Registers memory that a peer is about to get, and may begin to move it. Hot.
    ///
    /// # Safety
    /// The endpoint is one of this device; the memory is there and does not change until the
    /// registration ends.
    unsafe fn offer_memory(
        device: &Self::Device,
        cri: &Cri,
        endpoint: *mut Endpoint,
        address: *mut c_void,
        len: usize,
    ) -> Result<*mut c_void, Failure> {
        // SAFETY: promised by the caller.
        unsafe { Self::register_memory(device, address, len, BTL_LOCAL | BTL_REMOTE_READ) }
    }

    /// Ends a registration.
    ///
    /// # Safety
    /// [`Btl::register_memory`] or [`Btl::offer_memory`] made it, and nothing in flight uses it.
    unsafe fn deregister_memory(device: &Self::Device, registration: *mut c_void) {}

    /// Writes what a peer needs to use a registration into `key`, which has `key_size` bytes.
    ///
    /// # Safety
    /// [`Btl::register_memory`] made the registration.
    unsafe fn pack_key(
        device: &Self::Device,
        registration: *mut c_void,
        key: &mut [u8],
    ) -> Result<(), Failure> {
        Ok(())
    }

    /// Turns a packed key of a peer into what put, get and atomics take.
    ///
    /// # Safety
    /// The endpoint is one of this device. The key's bytes come from the peer: check them.
    unsafe fn unpack_key(
        device: &Self::Device,
        endpoint: *mut Endpoint,
        packed: &[u8],
    ) -> Result<*mut c_void, Failure> {
        Ok(core::ptr::null_mut())
    }

    /// Frees what [`Btl::unpack_key`] made.
    ///
    /// # Safety
    /// [`Btl::unpack_key`] made it, and nothing in flight uses it.
    unsafe fn release_key(device: &Self::Device, key: *mut c_void) {}

    /// Prepares a CRI for sleeping: what to sleep on, or `None` when something has happened
    /// meanwhile. Called for all CRIs of the pool in order, from 0 on.
    fn arm(device: &Self::Device, cri: &Cri) -> Result<Option<BtlWake>, Failure> {
        Err(author::unsupported("arm"))
    }

    /// What an endpoint is and does, as text for a person.
    ///
    /// # Safety
    /// The endpoint is one of this device.
    unsafe fn describe(device: &Self::Device, endpoint: *mut Endpoint) -> String {
        String::new()
    }
}

/// # Safety
/// The module is one of `T`.
unsafe fn device<T: Btl>(module: &BtlModule) -> &T::Device {
    // SAFETY: `Device::new` stored it, and the transport keeps it while it is open.
    unsafe { &*module.state.cast::<T::Device>() }
}

/// Makes endpoints for all peers or for none.
///
/// # Safety
/// The module is one of `T`, and there are `count` peers and places for endpoints.
unsafe fn add_all_peers<T: Btl>(
    module: &BtlModule,
    count: u32,
    peers: *const *const Peer,
    endpoints: *mut *mut Endpoint,
) -> Result<(), Failure> {
    // SAFETY: promised by the caller; what is removed was made here.
    unsafe {
        let device = device::<T>(module);
        for i in 0..count as usize {
            match T::add_peer(device, module, &**peers.add(i)) {
                Ok(endpoint) => *endpoints.add(i) = endpoint.unwrap_or(core::ptr::null_mut()),
                Err(failure) => {
                    for made in 0..i {
                        let endpoint = endpoints.add(made).replace(core::ptr::null_mut());
                        if !endpoint.is_null() {
                            T::remove_peer(device, endpoint);
                        }
                    }
                    return Err(failure);
                }
            }
        }
        Ok(())
    }
}

fn refuse(module: &BtlModule, function: &str) -> OutcomeCode {
    // SAFETY: the host has set the module's instance, which lives as long as the process.
    unsafe { author::refuse(module.instance, function) }
}

contract! {
    table: BtlOps, from T: Btl,
    "btl", Many, "moves bytes between two processes";

    fn modules(
        instance: *mut Instance, modules: &mut *const *mut BtlModule, count: &mut u32,
    ) -> Status = report(instance) {
        let all = author::component::<T>(instance).modules();
        *modules = all.as_ptr();
        *count = all.len() as u32;
        Ok(())
    }
    fn add_peers(
        module: &BtlModule, count: u32, peers: *const *const Peer, endpoints: *mut *mut Endpoint,
    ) -> Status = report(module.instance) {
        add_all_peers::<T>(module, count, peers, endpoints)
    }
    fn remove_peer(module: &BtlModule, endpoint: *mut Endpoint) = no_unwind {
        T::remove_peer(device::<T>(module), endpoint)
    }

    fn send_immediate(
        module: &BtlModule, cri: &Cri, endpoint: *mut Endpoint, message: &BtlMessage,
    ) -> OutcomeCode = outcome(module.instance) {
        T::send_immediate(device::<T>(module), cri, endpoint, message)
    } default { refuse(module, "send_immediate") }
    fn send_packed(
        module: &BtlModule, cri: &Cri, endpoint: *mut Endpoint, message: &BtlPacked,
    ) -> OutcomeCode = outcome(module.instance) {
        T::send_packed(device::<T>(module), cri, endpoint, message)
    } default { refuse(module, "send_packed") }
    fn send_gathered(
        module: &BtlModule, cri: &Cri, endpoint: *mut Endpoint, message: &BtlGathered,
        completion: *mut BtlCompletion,
    ) -> OutcomeCode = outcome(module.instance) {
        T::send_gathered(device::<T>(module), cri, endpoint, message, completion)
    } default { refuse(module, "send_gathered") }
    fn put(
        module: &BtlModule, cri: &Cri, endpoint: *mut Endpoint, transfer: &BtlTransfer,
        completion: *mut BtlCompletion,
    ) -> OutcomeCode = outcome(module.instance) {
        T::put(device::<T>(module), cri, endpoint, transfer, completion)
    } default { refuse(module, "put") }
    fn get(
        module: &BtlModule, cri: &Cri, endpoint: *mut Endpoint, transfer: &BtlTransfer,
        completion: *mut BtlCompletion,
    ) -> OutcomeCode = outcome(module.instance) {
        T::get(device::<T>(module), cri, endpoint, transfer, completion)
    } default { refuse(module, "get") }
    fn atomic(
        module: &BtlModule, cri: &Cri, endpoint: *mut Endpoint, atomic: &BtlAtomic,
        completion: *mut BtlCompletion,
    ) -> OutcomeCode = outcome(module.instance) {
        T::atomic(device::<T>(module), cri, endpoint, atomic, completion)
    } default { refuse(module, "atomics") }
    fn flush(
        module: &BtlModule, cri: &Cri, endpoint: *mut Endpoint, completion: *mut BtlCompletion,
    ) -> OutcomeCode = outcome(module.instance) {
        T::flush(device::<T>(module), cri, endpoint, completion)
    } default { refuse(module, "flush") }

    fn register_memory(
        module: &BtlModule, address: *mut c_void, len: usize, access: u32,
        registration: &mut *mut c_void,
    ) -> Status = report(module.instance) {
        *registration = T::register_memory(device::<T>(module), address, len, access)?;
        Ok(())
    } default {
        *registration = core::ptr::null_mut();
        OK
    }
    fn deregister_memory(module: &BtlModule, registration: *mut c_void) = no_unwind {
        T::deregister_memory(device::<T>(module), registration)
    } default {}
    fn pack_key(
        module: &BtlModule, registration: *mut c_void, key: *mut c_void,
    ) -> Status = report(module.instance) {
        let key = match module.key_size {
            0 => &mut [][..],
            size => core::slice::from_raw_parts_mut(key.cast(), size as usize),
        };
        T::pack_key(device::<T>(module), registration, key)
    } default { OK }
    fn unpack_key(
        module: &BtlModule, endpoint: *mut Endpoint, packed: *const c_void, key: &mut *mut c_void,
    ) -> Status = report(module.instance) {
        let packed = author::bytes(packed, module.key_size as usize);
        *key = T::unpack_key(device::<T>(module), endpoint, packed)?;
        Ok(())
    } default {
        *key = core::ptr::null_mut();
        OK
    }
    fn release_key(module: &BtlModule, key: *mut c_void) = no_unwind {
        T::release_key(device::<T>(module), key)
    } default {}

    fn arm(
        module: &BtlModule, cri: &Cri, wake: &mut BtlWake,
    ) -> Status = outcome(module.instance) {
        T::arm(device::<T>(module), cri).map(|found| match found {
            Some(found) => {
                *wake = found;
                Outcome::Done
            }
            None => Outcome::NoResources,
        })
    } default { refuse(module, "arm") }
    fn describe(
        module: &BtlModule, endpoint: *mut Endpoint, text: *mut c_char, capacity: usize,
    ) -> usize = describe(text, capacity) {
        T::describe(device::<T>(module), endpoint)
    } default { crate::text::write("", text, capacity) }
    fn offer_memory(
        module: &BtlModule, cri: &Cri, endpoint: *mut Endpoint, address: *mut c_void, len: usize,
        registration: &mut *mut c_void,
    ) -> Status = report(module.instance) {
        *registration = T::offer_memory(device::<T>(module), cri, endpoint, address, len)?;
        Ok(())
    } default {
        // The host has set the module's table and completed it.
        let register = (*module.ops).register_memory.unwrap_unchecked();
        register(module, address, len, BTL_LOCAL | BTL_REMOTE_READ, registration)
    }
}

#[cfg(all(test, feature = "host"))]
mod tests {
    use super::*;

    #[test]
    fn an_absent_function_takes_its_capabilities_away() {
        // SAFETY: zeros are a table without any function, of this version's length.
        let mut ops = unsafe {
            let mut ops: BtlOps = core::mem::zeroed();
            (CONTRACT.fill_defaults)((&raw mut ops).cast());
            ops
        };
        let sends = BTL_SEND_IMMEDIATE | BTL_SEND_PACKED | BTL_SEND_GATHERED;
        let atomics = BTL_ATOMIC_32 | BTL_ATOMIC_64 | BTL_ATOMIC_GLOBAL;
        let none = !(sends | BTL_PUT | BTL_GET | atomics | BTL_CAN_WAKE);
        assert_eq!(ops.offered(), none);
        // Any function but the default is the transport's own.
        ops.put = ops.get;
        assert_eq!(ops.offered(), none | BTL_PUT);
    }
}
