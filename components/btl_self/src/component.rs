//! The component: its life, and the functions of the contract.

use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use cairn_framework::abi::peer::{PEER_SELF, Peer};
use cairn_framework::abi::pool::{Cri, CriPool};
use cairn_framework::abi::scope::Scope;
use cairn_framework::abi::status::ERR_ARGUMENT;
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Outcome, Registrar};
use cairn_framework::frameworks::btl::{
    BTL_ADD, BTL_AND, BTL_ATOMIC_32, BTL_ATOMIC_64, BTL_ATOMIC_GLOBAL, BTL_CAN_WAKE,
    BTL_COMPARE_SWAP, BTL_EXCLUSIVITY_SELF, BTL_GET, BTL_IN_ORDER, BTL_OR, BTL_PUT,
    BTL_SEND_IMMEDIATE, BTL_SEND_PACKED, BTL_SWAP, BTL_XOR, Btl, BtlAtomic, BtlCompletion,
    BtlMessage, BtlModule, BtlPacked, BtlTransfer, BtlWake, Device, Endpoint,
};

use crate::module::{SelfCri, State, progress, queue};
use crate::params::{MESSAGE_LIMIT, Params};
use crate::queue::Bell;

/// The transport.
pub struct SelfLoop {
    priority: i32,
    modules: [*mut BtlModule; 1],
    _device: Device<State>,
    _pool: Box<CriPool>,
    _cris: Box<[SelfCri]>,
}

// SAFETY: the host and the callers of the contract use CRIs under their locks.
unsafe impl Send for SelfLoop {}
// SAFETY: see `Send`.
unsafe impl Sync for SelfLoop {}

impl Component for SelfLoop {
    type Params = Params;

    fn register(registrar: &Registrar<'_>) -> Result<Params, Failure> {
        Params::register(registrar)
    }

    fn open(host: HostHandle, params: Params) -> Result<Self, Failure> {
        let cris: Box<[SelfCri]> = (0..params.instances.number(host.job(), u32::MAX))
            .map(|index| SelfCri { cri: Cri::new(index), queue: UnsafeCell::default() })
            .collect();
        let mut pool = Box::new(CriPool {
            struct_size: size_of::<CriPool>() as u32,
            count: cris.len() as u32,
            name: c"btl_self".as_ptr(),
            instances: cris.as_ptr().cast_mut().cast(),
            stride: size_of::<SelfCri>(),
            progress: Some(progress),
            module: null_mut(),
            strategy: null(),
            strategy_state: null_mut(),
            id: 0,
            arrivals: 0,
        });
        let endpoint = Box::new(Endpoint { transport_private: 0 });
        let view = BtlModule {
            struct_size: size_of::<BtlModule>() as u32,
            exclusivity: BTL_EXCLUSIVITY_SELF,
            capabilities: BTL_SEND_IMMEDIATE
                | BTL_SEND_PACKED
                | BTL_PUT
                | BTL_GET
                | BTL_ATOMIC_64
                | BTL_ATOMIC_32
                | BTL_ATOMIC_GLOBAL
                | BTL_IN_ORDER
                | BTL_CAN_WAKE,
            name: c"self".as_ptr(),
            state: null_mut(),
            pool: &raw mut *pool,
            ops: null(),
            instance: null_mut(),
            immediate_limit: MESSAGE_LIMIT as u32,
            packed_limit: MESSAGE_LIMIT as u32,
            gathered_limit: 0,
            gathered_segments: 0,
            key_size: 0,
            eager_limit: params.eager_limit.get(),
            put_limit: u64::MAX,
            get_limit: u64::MAX,
            get_alignment: 1,
            latency: 20,
            bandwidth: 20_000,
            reserved: 0,
        };
        let device = Device::new(
            view,
            State { table: host.receive_table(), endpoint, bell: Bell::default() },
        );
        pool.module = device.module().cast();
        // SAFETY: the pool is complete; it and the CRIs live until the component is closed.
        unsafe { host.pool_add(&raw mut *pool)? };
        Ok(Self {
            priority: params.priority.get() as i32,
            modules: [device.module()],
            _device: device,
            _pool: pool,
            _cris: cris,
        })
    }

    fn query(&self, _scope: &Scope) -> Answer {
        Answer::Priority(self.priority)
    }
}

/// Whether a message of these lengths fits.
fn checked(header: u32, payload: u32) -> Result<(usize, usize), Failure> {
    let (header, payload) = (header as usize, payload as usize);
    if header + payload > MESSAGE_LIMIT {
        let text = format!("{header} + {payload} bytes; the limit is {MESSAGE_LIMIT}");
        return Err(Failure::new(ERR_ARGUMENT, text));
    }
    Ok((header, payload))
}

fn accepted(pushed: bool) -> Outcome {
    if pushed { Outcome::Done } else { Outcome::NoResources }
}

impl Btl for SelfLoop {
    type Device = State;

    fn modules(&self) -> &[*mut BtlModule] {
        &self.modules
    }

    fn add_peer(
        state: &State,
        _view: &BtlModule,
        peer: &Peer,
    ) -> Result<Option<*mut Endpoint>, Failure> {
        let own = peer.is(PEER_SELF);
        Ok(own.then(|| (&raw const *state.endpoint).cast_mut()))
    }

    unsafe fn remove_peer(_state: &State, _endpoint: *mut Endpoint) {}

    unsafe fn send_immediate(
        state: &State,
        cri: &Cri,
        _endpoint: *mut Endpoint,
        message: &BtlMessage,
    ) -> Result<Outcome, Failure> {
        let (header, payload) = checked(message.header_len, message.payload_len)?;
        // SAFETY: the caller holds the CRI's lock and vouches for the message; the block has
        // room for both parts.
        let pushed = unsafe {
            (*queue(cri)).push(&state.bell, message.tag, header + payload, |block| {
                copy(message.header, block, header);
                copy(message.payload, block.add(header), payload);
                header + payload
            })
        };
        Ok(accepted(pushed))
    }

    unsafe fn send_packed(
        state: &State,
        cri: &Cri,
        _endpoint: *mut Endpoint,
        message: &BtlPacked,
    ) -> Result<Outcome, Failure> {
        let (header, payload) = checked(message.header_len, message.payload_len)?;
        // SAFETY: as above.
        let pushed = unsafe {
            (*queue(cri)).push(&state.bell, message.tag, header + payload, |block| {
                copy(message.header, block, header);
                let place = block.add(header).cast();
                header + message.pack.map_or(0, |pack| pack(message.context, place, payload))
            })
        };
        Ok(accepted(pushed))
    }

    unsafe fn put(
        _state: &State,
        _cri: &Cri,
        _endpoint: *mut Endpoint,
        transfer: &BtlTransfer,
        _completion: *mut BtlCompletion,
    ) -> Result<Outcome, Failure> {
        let remote = std::ptr::with_exposed_provenance_mut::<u8>(transfer.remote as usize);
        // SAFETY: the caller vouches for both, which are this process's. They may overlap.
        unsafe { std::ptr::copy(transfer.local.cast::<u8>(), remote, transfer.len) };
        Ok(Outcome::Done)
    }

    unsafe fn get(
        _state: &State,
        _cri: &Cri,
        _endpoint: *mut Endpoint,
        transfer: &BtlTransfer,
        _completion: *mut BtlCompletion,
    ) -> Result<Outcome, Failure> {
        let remote = std::ptr::with_exposed_provenance::<u8>(transfer.remote as usize);
        // SAFETY: as for `put`.
        unsafe { std::ptr::copy(remote, transfer.local.cast::<u8>(), transfer.len) };
        Ok(Outcome::Done)
    }

    unsafe fn atomic(
        _state: &State,
        _cri: &Cri,
        _endpoint: *mut Endpoint,
        atomic: &BtlAtomic,
        _completion: *mut BtlCompletion,
    ) -> Result<Outcome, Failure> {
        macro_rules! apply {
            ($atomic:ty, $integer:ty) => {{
                let place =
                    std::ptr::with_exposed_provenance_mut::<$integer>(atomic.remote as usize);
                // SAFETY: the caller vouches for an aligned integer of this width.
                let place = unsafe { <$atomic>::from_ptr(place) };
                let operand = atomic.operand as $integer;
                let old = match atomic.operation {
                    BTL_ADD => place.fetch_add(operand, Ordering::AcqRel),
                    BTL_AND => place.fetch_and(operand, Ordering::AcqRel),
                    BTL_OR => place.fetch_or(operand, Ordering::AcqRel),
                    BTL_XOR => place.fetch_xor(operand, Ordering::AcqRel),
                    BTL_SWAP => place.swap(operand, Ordering::AcqRel),
                    BTL_COMPARE_SWAP => {
                        let compare = atomic.compare as $integer;
                        place
                            .compare_exchange(compare, operand, Ordering::AcqRel, Ordering::Acquire)
                            .unwrap_or_else(|old| old)
                    }
                    other => return Err(Failure::new(ERR_ARGUMENT, format!("operation {other}"))),
                };
                if !atomic.result.is_null() {
                    // SAFETY: the caller vouches for room for the old value.
                    unsafe { atomic.result.cast::<$integer>().write_unaligned(old) };
                }
            }};
        }
        let width = u64::from(atomic.width);
        if (width != 4 && width != 8) || !atomic.remote.is_multiple_of(width) {
            let text = format!("{width} bytes at {:#x}", atomic.remote);
            return Err(Failure::new(ERR_ARGUMENT, text));
        }
        if width == 8 {
            apply!(AtomicU64, u64)
        } else {
            apply!(AtomicU32, u32)
        }
        Ok(Outcome::Done)
    }

    unsafe fn flush(
        _state: &State,
        _cri: &Cri,
        _endpoint: *mut Endpoint,
        _completion: *mut BtlCompletion,
    ) -> Result<Outcome, Failure> {
        Ok(Outcome::Done)
    }

    fn arm(state: &State, cri: &Cri) -> Result<Option<BtlWake>, Failure> {
        // SAFETY: a CRI of this transport; the caller holds its lock.
        let armed = unsafe { (*queue(cri)).arm(&state.bell) };
        Ok(armed.map(|(word, expected)| BtlWake { fd: -1, reserved: 0, word, expected }))
    }

    unsafe fn describe(_state: &State, _endpoint: *mut Endpoint) -> String {
        "this process".into()
    }
}

/// # Safety
/// Both sides have `len` bytes; `from` may be null when that is none.
unsafe fn copy(from: *const c_void, to: *mut u8, len: usize) {
    if len > 0 {
        // SAFETY: promised by the caller; a block is no buffer of a user.
        unsafe { std::ptr::copy_nonoverlapping(from.cast::<u8>(), to, len) };
    }
}

cairn_framework::component! {
    framework: btl,
    component: SelfLoop,
    name: "self",
    description: "delivers a process's messages to itself",
}

#[cfg(test)]
mod tests;
