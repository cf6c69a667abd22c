//! The component: its life, and the functions of the contract.

use std::cell::RefCell;
use std::ffi::c_void;
use std::sync::Arc;

use cairn_framework::abi::peer::{PEER_SELF, Peer};
use cairn_framework::abi::scope::Scope;
use cairn_framework::author::{
    Answer, Attempted, Component, Failure, HostHandle, Outcome, Registrar,
};
use cairn_framework::frameworks::btl::{
    BTL_ATOMIC_32, BTL_ATOMIC_64, BTL_ATOMIC_GLOBAL, BTL_CAN_WAKE, BTL_EXCLUSIVITY_SELF,
    BTL_IN_ORDER, Btl, BtlAtomic, BtlMessage, BtlModule, BtlPacked, BtlTransfer, BtlWake,
    Completion, Device, DeviceBox, OwnCri, Way, too_long,
};

use crate::params::{MESSAGE_LIMIT, Params};
use crate::queue::{Bell, Queue};

/// The transport.
pub struct SelfLoop {
    priority: i32,
    device: DeviceBox<Self>,
}

/// What the functions of the contract work on.
#[derive(Default)]
pub struct State {
    /// There is one peer and nothing to know about it.
    endpoint: Arc<()>,
    bell: Bell,
}

impl Component for SelfLoop {
    type Params = Params;

    fn register(registrar: &Registrar<'_>) -> Result<Params, Failure> {
        Params::register(registrar)
    }

    fn open(host: HostHandle, params: Params) -> Result<Self, Failure> {
        let view = BtlModule {
            exclusivity: BTL_EXCLUSIVITY_SELF,
            capabilities: BTL_ATOMIC_64
                | BTL_ATOMIC_32
                | BTL_ATOMIC_GLOBAL
                | BTL_IN_ORDER
                | BTL_CAN_WAKE,
            immediate_limit: MESSAGE_LIMIT as u32,
            packed_limit: MESSAGE_LIMIT as u32,
            eager_limit: params.eager_limit.get(),
            put_limit: u64::MAX,
            get_limit: u64::MAX,
            latency: 20,
            bandwidth: 20_000,
            ..BtlModule::named(c"self")
        };
        let instances = params.instances.number(host.job(), u32::MAX);
        let queues = (0..instances).map(|_| RefCell::default());
        Ok(Self {
            priority: params.priority.get() as i32,
            device: DeviceBox::new(host, view, State::default(), queues)?,
        })
    }

    fn query(&self, _scope: &Scope) -> Answer {
        Answer::Priority(self.priority)
    }
}

/// Appends a message of these lengths to a CRI's queue. `write` writes it to a block with room for both
/// and returns how long it has become.
fn push(
    Way { device, cri, .. }: Way<'_, SelfLoop>,
    tag: u8,
    (header, payload): (u32, u32),
    write: impl FnOnce(*mut u8) -> usize,
) -> Attempted {
    let len = header as usize + payload as usize;
    if len > MESSAGE_LIMIT {
        return Err(too_long("a message", len, MESSAGE_LIMIT));
    }
    let pushed = cri.borrow_mut().push(&device.bell, tag, len, write);
    Ok(if pushed { Outcome::Done } else { Outcome::NoResources })
}

impl Btl for SelfLoop {
    type State = State;
    type Cri = RefCell<Queue>;
    type Endpoint = ();

    fn devices(&self) -> &[DeviceBox<Self>] {
        std::slice::from_ref(&self.device)
    }

    fn add_peer(device: &Device<Self>, peer: &Peer) -> Result<Option<Arc<()>>, Failure> {
        Ok(peer.is(PEER_SELF).then(|| device.endpoint.clone()))
    }

    fn progress(device: &Device<Self>, cri: &OwnCri<RefCell<Queue>>) -> u32 {
        // SAFETY: it is not borrowed now. Each pass asks, without a look whether it is.
        if unsafe { &*cri.as_ptr() }.is_empty() { 0 } else { deliver(device, cri) }
    }

    unsafe fn send_immediate(way: Way<'_, Self>, message: &BtlMessage) -> Attempted {
        let lens = (message.header_len, message.payload_len);
        push(way, message.tag, lens, |block| {
            let (header, payload) = (lens.0 as usize, lens.1 as usize);
            // SAFETY: the caller vouches for the message; the block has room for both parts.
            unsafe {
                copy(message.header, block, header);
                copy(message.payload, block.add(header), payload);
            }
            header + payload
        })
    }

    unsafe fn send_packed(way: Way<'_, Self>, message: &BtlPacked) -> Attempted {
        push(way, message.tag, (message.header_len, message.payload_len), |block| {
            let header = message.header_len as usize;
            // SAFETY: as above.
            unsafe {
                copy(message.header, block, header);
                header + message.pack_to(block.add(header))
            }
        })
    }

    unsafe fn put(_: Way<'_, Self>, transfer: &BtlTransfer, _: Completion) -> Attempted {
        let remote = std::ptr::with_exposed_provenance_mut::<u8>(transfer.remote as usize);
        // SAFETY: the caller vouches for both, which are this process's. They may overlap.
        unsafe { std::ptr::copy(transfer.local.cast::<u8>(), remote, transfer.len) };
        Ok(Outcome::Done)
    }

    unsafe fn get(_: Way<'_, Self>, transfer: &BtlTransfer, _: Completion) -> Attempted {
        let remote = std::ptr::with_exposed_provenance::<u8>(transfer.remote as usize);
        // SAFETY: as for `put`.
        unsafe { std::ptr::copy(remote, transfer.local.cast::<u8>(), transfer.len) };
        Ok(Outcome::Done)
    }

    unsafe fn atomic(_: Way<'_, Self>, atomic: &BtlAtomic, _: Completion) -> Attempted {
        let place = std::ptr::with_exposed_provenance_mut(atomic.remote as usize);
        // SAFETY: the caller vouches for an integer of this process.
        unsafe { atomic.apply(place) }?;
        Ok(Outcome::Done)
    }

    fn flush(
        _: &Device<Self>,
        _: &OwnCri<RefCell<Queue>>,
        _: Option<&()>,
        _: Completion,
    ) -> Attempted {
        Ok(Outcome::Done)
    }

    unsafe fn map_key(
        _: &Device<Self>,
        _: *mut c_void,
        remote: u64,
        _: usize,
    ) -> Result<*mut c_void, Failure> {
        Ok(std::ptr::with_exposed_provenance_mut(remote as usize))
    }

    fn arm(
        device: &Device<Self>,
        cri: &OwnCri<RefCell<Queue>>,
    ) -> Result<Option<BtlWake>, Failure> {
        let armed = cri.borrow_mut().arm(&device.bell);
        Ok(armed.map(|(word, expected)| BtlWake::word(word, expected)))
    }

    fn describe(_: &Device<Self>, (): &()) -> String {
        "this process".into()
    }
}

/// Hands what waits now to the receive table and returns how many messages that were. What callbacks
/// append comes with the next call, so that a callback that answers itself ends.
#[inline(never)]
fn deliver(device: &Device<SelfLoop>, cri: &OwnCri<RefCell<Queue>>) -> u32 {
    let waiting = cri.borrow().len();
    for _ in 0..waiting {
        let Some(message) = cri.borrow_mut().pop() else { break };
        device.deliver(cri, Some(&device.endpoint), message.tag, message.bytes());
        cri.borrow_mut().keep(message);
    }
    waiting as u32
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
