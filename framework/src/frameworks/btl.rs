//! **btl** — byte transfer layer: moves bytes between two processes. The rules of the contract and
//! what C sees of it are in [`abi::btl`](crate::abi::btl).

mod atomics;
mod device;
mod limits;

use core::ffi::{CStr, c_char, c_int, c_void};
use core::mem::MaybeUninit;
use core::sync::atomic::AtomicU32;
use std::sync::Arc;

pub use device::{Completion, Device, DeviceBox, HeldCri, OwnCri, Way, pointer, too_long};
use device::{device, own};

use super::contract;
pub use crate::abi::btl::*;
use crate::abi::component::Instance;
use crate::abi::peer::Peer;
use crate::abi::pool::Cri;
use crate::abi::receive::Received;
use crate::abi::status::{ERR_ARGUMENT, OK, OutcomeCode, Status};
use crate::author::{self, Attempted, Component, Failure, Outcome};

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
        lacks!(put, BTL_PUT);
        lacks!(get, BTL_GET);
        lacks!(atomic, BTL_ATOMIC_32 | BTL_ATOMIC_64 | BTL_ATOMIC_GLOBAL);
        lacks!(arm, BTL_CAN_WAKE);
        lacks!(allocate_memory, BTL_ALLOCATE);
        bits
    }
}

/// A transport in Rust. Functions correspond to those of [`BtlOps`]. Its devices are made by
/// [`DeviceBox::new`].
///
/// Which optional functions a device has is said by its capabilities alone. A function whose bit is not set
/// is never called.
///
/// Functions that get a CRI are called with its lock held, or by the one thread there is.
#[allow(unused_variables)]
pub trait Btl: Component {
    /// What the transport keeps for one device.
    type State: Send + Sync + 'static;

    /// The transport's part of a CRI. A completion or receive callback in the midst of a function that has
    /// it may lead to another function that has it, so it changes by cells.
    type Cri: Send + 'static;

    /// What the transport keeps for a peer.
    type Endpoint: Send + Sync + 'static;

    /// The devices. The same slice each time, and as long as the component is open.
    fn devices(&self) -> &[DeviceBox<Self>];

    /// Makes an endpoint for a peer, or `None` when the device does not reach it.
    fn add_peer(device: &Device<Self>, peer: &Peer)
    -> Result<Option<Arc<Self::Endpoint>>, Failure>;

    /// Ends an endpoint: one that `add_peer` of the device gave and that is not used any more.
    fn remove_peer(device: &Device<Self>, endpoint: Arc<Self::Endpoint>) {}

    /// Polls a CRI and returns how many events it handled. Hot.
    fn progress(device: &Device<Self>, cri: &OwnCri<Self::Cri>) -> u32;

    /// Does what is to be done now and then, with no CRI's lock held, if [`DeviceBox::look_seldom`] asked
    /// for it. Returns how many events there were.
    fn seldom(device: &Device<Self>) -> u32 {
        0
    }

    /// Sends a small message by copying it. Hot.
    ///
    /// # Safety
    /// The message's pointers and lengths hold.
    unsafe fn send_immediate(way: Way<'_, Self>, message: &BtlMessage) -> Attempted {
        Err(author::unsupported("send_immediate"))
    }

    /// Sends a message whose payload a function packs. Hot.
    ///
    /// # Safety
    /// As for [`Btl::send_immediate`].
    unsafe fn send_packed(way: Way<'_, Self>, message: &BtlPacked) -> Attempted {
        Err(author::unsupported("send_packed"))
    }

    /// Writes local memory into the peer's. Hot.
    ///
    /// # Safety
    /// The memory on both sides is there and registered; the local memory stays until the completion is
    /// called.
    unsafe fn put(way: Way<'_, Self>, transfer: &BtlTransfer, completion: Completion) -> Attempted {
        Err(author::unsupported("put"))
    }

    /// Reads the peer's memory into local memory. Hot.
    ///
    /// # Safety
    /// As for [`Btl::put`].
    unsafe fn get(way: Way<'_, Self>, transfer: &BtlTransfer, completion: Completion) -> Attempted {
        Err(author::unsupported("get"))
    }

    /// Does an atomic operation in the peer's memory. Hot.
    ///
    /// # Safety
    /// As for [`Btl::put`].
    unsafe fn atomic(way: Way<'_, Self>, atomic: &BtlAtomic, completion: Completion) -> Attempted {
        Err(author::unsupported("atomic"))
    }

    /// Completes when earlier puts and atomics are visible to the peer, or to all. Hot.
    fn flush(
        device: &Device<Self>,
        cri: &OwnCri<Self::Cri>,
        endpoint: Option<&Self::Endpoint>,
        completion: Completion,
    ) -> Attempted {
        Err(author::unsupported("flush"))
    }

    /// Registers memory; `access` is made of [`BTL_LOCAL`] and the others.
    ///
    /// # Safety
    /// The memory is there until the registration ends.
    unsafe fn register_memory(
        device: &Device<Self>,
        address: *mut c_void,
        len: usize,
        access: u32,
    ) -> Result<*mut c_void, Failure> {
        Ok(core::ptr::null_mut())
    }

    /// Registers memory that a peer is about to get, and may begin to move it. Hot.
    ///
    /// # Safety
    /// The memory is there and does not change until the registration ends.
    unsafe fn offer_memory(
        way: Way<'_, Self>,
        address: *mut c_void,
        len: usize,
    ) -> Result<*mut c_void, Failure> {
        // SAFETY: promised by the caller.
        unsafe { Self::register_memory(way.device, address, len, BTL_LOCAL | BTL_REMOTE_READ) }
    }

    /// Ends a registration.
    ///
    /// # Safety
    /// [`Btl::register_memory`] or [`Btl::offer_memory`] made it, and nothing in flight uses it.
    unsafe fn deregister_memory(device: &Device<Self>, registration: *mut c_void) {}

    /// Writes what a peer needs to use a registration into `key`, which has `key_size` bytes.
    ///
    /// # Safety
    /// [`Btl::register_memory`] made the registration.
    unsafe fn pack_key(
        device: &Device<Self>,
        registration: *mut c_void,
        key: &mut [u8],
    ) -> Result<(), Failure> {
        Ok(())
    }

    /// Turns a packed key of a peer into what put, get and atomics take. The key's bytes come from the
    /// peer: check them.
    fn unpack_key(
        device: &Device<Self>,
        endpoint: &Self::Endpoint,
        packed: &[u8],
    ) -> Result<*mut c_void, Failure> {
        Ok(core::ptr::null_mut())
    }

    /// Frees what [`Btl::unpack_key`] made.
    ///
    /// # Safety
    /// [`Btl::unpack_key`] made it, and nothing in flight uses it.
    unsafe fn release_key(device: &Device<Self>, key: *mut c_void) {}

    /// Allocates memory for peers, and registers it: address and registration.
    fn allocate_memory(
        device: &Device<Self>,
        len: usize,
    ) -> Result<(*mut c_void, *mut c_void), Failure> {
        Err(author::unsupported("allocate_memory"))
    }

    /// Frees it.
    ///
    /// # Safety
    /// [`Btl::allocate_memory`] gave this registration, and the memory is not used any more.
    unsafe fn free_memory(device: &Device<Self>, registration: *mut c_void) {}

    /// The pointer by which this process loads and stores memory of the peer, or null. The address comes
    /// from the peer: check it.
    ///
    /// # Safety
    /// [`Btl::unpack_key`] made the key.
    unsafe fn map_key(
        device: &Device<Self>,
        key: *mut c_void,
        remote: u64,
        len: usize,
    ) -> Result<*mut c_void, Failure> {
        Ok(core::ptr::null_mut())
    }

    /// Prepares a CRI for sleeping: what to sleep on, or `None` when something has happened
    /// meanwhile. Called for all CRIs of the pool in order, from 0 on.
    fn arm(device: &Device<Self>, cri: &OwnCri<Self::Cri>) -> Result<Option<BtlWake>, Failure> {
        Err(author::unsupported("arm"))
    }

    /// Waits until more than `have` bytes are there of a message that is still being written, and that the CRI's
    /// [`Btl::progress`] has handed on; how many are, or `have` if no more will come. Hot.
    fn wait_for_more(
        device: &Device<Self>,
        cri: &OwnCri<Self::Cri>,
        received: &Received,
        have: usize,
    ) -> usize {
        received.len
    }

    /// Most bytes of a message to an endpoint, where that is less than the device's limits say. It may become less:
    /// longer messages are errors from then on.
    fn message_limit(device: &Device<Self>, endpoint: &Self::Endpoint) -> usize {
        usize::MAX
    }

    /// What an endpoint is and does, as text for a person.
    fn describe(device: &Device<Self>, endpoint: &Self::Endpoint) -> String {
        String::new()
    }
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
    // SAFETY: promised by the caller.
    let (device, peers, endpoints) = unsafe {
        let (count, peers) = (count as usize, peers.cast::<&Peer>());
        let endpoints = endpoints.cast::<MaybeUninit<*mut Endpoint>>();
        (device::<T>(module), author::slice(peers, count), author::slice_mut(endpoints, count))
    };
    let mut made = Vec::with_capacity(peers.len());
    for peer in peers {
        match T::add_peer(device, peer) {
            Ok(endpoint) => made.push(endpoint),
            Err(failure) => {
                made.into_iter().flatten().for_each(|one| T::remove_peer(device, one));
                endpoints.fill(MaybeUninit::new(core::ptr::null_mut()));
                return Err(failure);
            }
        }
    }
    for (place, endpoint) in endpoints.iter_mut().zip(made) {
        let endpoint = endpoint.map_or(core::ptr::null(), Arc::into_raw);
        place.write(endpoint.cast_mut().cast());
    }
    Ok(())
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
        let all = author::component::<T>(instance).devices();
        *modules = all.as_ptr().cast();
        *count = all.len() as u32;
        Ok(())
    }
    fn add_peers(
        module: &BtlModule, count: u32, peers: *const *const Peer, endpoints: *mut *mut Endpoint,
    ) -> Status = report(module.instance) {
        add_all_peers::<T>(module, count, peers, endpoints)
    }
    fn remove_peer(module: &BtlModule, endpoint: *mut Endpoint) = no_unwind {
        T::remove_peer(device::<T>(module), Arc::from_raw(endpoint.cast()))
    }

    fn send_immediate(
        module: &BtlModule, cri: &Cri, endpoint: *mut Endpoint, message: &BtlMessage,
    ) -> OutcomeCode = outcome(module.instance) {
        T::send_immediate(Way::new(module, cri, endpoint), message)
    } default { refuse(module, "send_immediate") }
    fn send_packed(
        module: &BtlModule, cri: &Cri, endpoint: *mut Endpoint, message: &BtlPacked,
    ) -> OutcomeCode = outcome(module.instance) {
        T::send_packed(Way::new(module, cri, endpoint), message)
    } default { refuse(module, "send_packed") }
    fn put(
        module: &BtlModule, cri: &Cri, endpoint: *mut Endpoint, transfer: &BtlTransfer,
        completion: *mut BtlCompletion,
    ) -> OutcomeCode = outcome(module.instance) {
        T::put(Way::new(module, cri, endpoint), transfer, Completion::new(completion))
    } default { refuse(module, "put") }
    fn get(
        module: &BtlModule, cri: &Cri, endpoint: *mut Endpoint, transfer: &BtlTransfer,
        completion: *mut BtlCompletion,
    ) -> OutcomeCode = outcome(module.instance) {
        T::get(Way::new(module, cri, endpoint), transfer, Completion::new(completion))
    } default { refuse(module, "get") }
    fn atomic(
        module: &BtlModule, cri: &Cri, endpoint: *mut Endpoint, atomic: &BtlAtomic,
        completion: *mut BtlCompletion,
    ) -> OutcomeCode = outcome(module.instance) {
        T::atomic(Way::new(module, cri, endpoint), atomic, Completion::new(completion))
    } default { refuse(module, "atomics") }
    fn flush(
        module: &BtlModule, cri: &Cri, endpoint: *mut Endpoint, completion: *mut BtlCompletion,
    ) -> OutcomeCode = outcome(module.instance) {
        let endpoint = endpoint.cast::<T::Endpoint>().as_ref();
        T::flush(device(module), own::<T>(cri), endpoint, Completion::new(completion))
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
        let key = author::slice_mut(key.cast(), module.key_size as usize);
        T::pack_key(device::<T>(module), registration, key)
    } default { OK }
    fn unpack_key(
        module: &BtlModule, endpoint: *mut Endpoint, packed: *const c_void, key: &mut *mut c_void,
    ) -> Status = report(module.instance) {
        let packed = author::bytes(packed, module.key_size as usize);
        *key = T::unpack_key(device(module), &*endpoint.cast(), packed)?;
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
        T::arm(device(module), own::<T>(cri)).map(|found| match found {
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
        T::describe(device(module), &*endpoint.cast())
    } default { crate::text::write("", text, capacity) }
    fn offer_memory(
        module: &BtlModule, cri: &Cri, endpoint: *mut Endpoint, address: *mut c_void, len: usize,
        registration: &mut *mut c_void,
    ) -> Status = report(module.instance) {
        *registration = T::offer_memory(Way::new(module, cri, endpoint), address, len)?;
        Ok(())
    } default {
        // The host has set the module's table and completed it.
        let register = (*module.ops).register_memory.unwrap_unchecked();
        register(module, address, len, BTL_LOCAL | BTL_REMOTE_READ, registration)
    }
    fn allocate_memory(
        module: &BtlModule, len: usize, address: &mut *mut c_void, registration: &mut *mut c_void,
    ) -> Status = report(module.instance) {
        (*address, *registration) = T::allocate_memory(device::<T>(module), len)?;
        Ok(())
    } default { refuse(module, "allocate_memory") }
    fn free_memory(module: &BtlModule, registration: *mut c_void) = no_unwind {
        T::free_memory(device::<T>(module), registration)
    } default {}
    fn map_key(
        module: &BtlModule, key: *mut c_void, remote: u64, len: usize, pointer: &mut *mut c_void,
    ) -> Status = report(module.instance) {
        *pointer = T::map_key(device::<T>(module), key, remote, len)?;
        Ok(())
    } default {
        *pointer = core::ptr::null_mut();
        OK
    }
    fn wait_for_more(
        module: &BtlModule, received: &Received, have: usize,
    ) -> usize = no_unwind {
        T::wait_for_more(device::<T>(module), own::<T>(&*received.cri), received, have)
    } default { received.len }
    fn message_limit(module: &BtlModule, endpoint: *mut Endpoint) -> usize = no_unwind {
        T::message_limit(device::<T>(module), &*endpoint.cast())
    } default { usize::MAX }
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
        let sends = BTL_SEND_IMMEDIATE | BTL_SEND_PACKED;
        let atomics = BTL_ATOMIC_32 | BTL_ATOMIC_64 | BTL_ATOMIC_GLOBAL;
        let none = !(sends | BTL_PUT | BTL_GET | atomics | BTL_CAN_WAKE | BTL_ALLOCATE);
        assert_eq!(ops.offered(), none);
        // Any function but the default is the transport's own.
        ops.put = ops.get;
        assert_eq!(ops.offered(), none | BTL_PUT);
    }
}
