//! The component: its life, and the functions of the contract.

use std::ffi::c_void;
use std::sync::Arc;

use cairn_framework::abi::host::{LOG_INFO, LOG_WARN};
use cairn_framework::abi::peer::{PEER_LOCAL, PEER_SELF, Peer};
use cairn_framework::abi::scope::Scope;
use cairn_framework::abi::status::{ERR_NOT_FOUND, ERR_OTHER, ERR_PROTOCOL};
use cairn_framework::author::{Answer, Attempted, Component, Failure, HostHandle, Registrar};
use cairn_framework::frameworks::btl::{
    BTL_ATOMIC_32, BTL_ATOMIC_64, BTL_IN_ORDER, BTL_LOCAL, BTL_NEEDS_REGISTRATION,
    BTL_REMOTE_ATOMIC, BTL_REMOTE_WRITE, Btl, BtlAtomic, BtlMessage, BtlModule, BtlPacked,
    BtlTransfer, Completion, DeviceBox, Way, too_long,
};
use cairn_segment::Owner;

use crate::bindings::{GNI_MEM_READ_ONLY, GNI_MEM_READWRITE};
use crate::card::{Card, MOST_CRIS};
use crate::connect;
use crate::context::{Context, UgniCri};
use crate::credentials::Credentials;
use crate::inquiry;
use crate::library::Library;
use crate::link::UgniEndpoint;
use crate::memory::{KEY, Region};
use crate::message;
use crate::module::{self, Limits, Module, Registration, UgniDevice};
use crate::op::Kind;
use crate::params::Params;
use crate::progress;
use crate::transfer;
use crate::wire::HEADER;

/// Most bytes of a transfer. It goes in pieces where the network takes fewer.
const MOST: u64 = 1 << 40;

/// The transport.
pub struct Ugni {
    priority: i32,
    /// None in a job that does without.
    device: Option<DeviceBox<Self>>,
}

impl Component for Ugni {
    type Params = Params;

    fn register(registrar: &Registrar<'_>) -> Result<Params, Failure> {
        Params::register(registrar)
    }

    fn open(host: HostHandle, params: Params) -> Result<Self, Failure> {
        let (job, priority) = (host.job(), params.priority.get() as i32);
        if job.size == job.local_size && !host.is_named() {
            // Other transports are better there, and a job that starts does not load a library for nothing.
            return Ok(Self { priority, device: None });
        }
        Ok(Self { priority, device: Some(make_device(host, &params)?) })
    }

    fn query(&self, _scope: &Scope) -> Answer {
        if self.device.is_none() {
            let text =
                "a job on one node does not need uGNI, which is loaded when `btl` names ugni";
            return Answer::Decline(text.into());
        }
        Answer::Priority(self.priority)
    }
}

impl Drop for Ugni {
    fn drop(&mut self) {
        if let Some(device) = &self.device {
            module::close(device);
        }
    }
}

/// The device, which receives, and is published.
fn make_device(host: HostHandle, params: &Params) -> Result<DeviceBox<Ugni>, Failure> {
    let library = Library::get()?;
    let variable = |name: &str| std::env::var(name).ok();
    let given = [&params.protection_tag, &params.cookie, &params.device].map(|one| one.get());
    let credentials = Credentials::find(given, variable)?;
    let address = credentials.address(library, variable)?;
    let (job, config) = (host.job(), params.config(host.job()));
    let limits = Limits::ask(library, credentials, job.local_size);
    let afford = limits.cris();
    if afford == 0 {
        let processes = limits.processes;
        return Err(Failure::unavailable(format!(
            "device {} has too few queues or windows for {processes} processes",
            credentials.device
        )));
    }
    let wanted = params.instances.number(job, afford);
    let cris = wanted.min(afford).min(MOST_CRIS as u32);
    if cris < wanted {
        host.log(LOG_WARN, || format!("the device has room for {cris} of {wanted} instances"));
    }
    let module = Module::new(host, library, credentials, limits, cris, config)?;
    let contexts = (0..cris).map(|_| Context::new(library, &config, &module));
    let contexts = contexts.collect::<Result<Vec<_>, _>>()?;
    let card = Card {
        address,
        most: config.most,
        credits: config.credits,
        identity: Owner::identity(),
        ids: contexts.iter().map(|context| context.nic.id).collect(),
    };
    host.log(LOG_INFO, || {
        let kind = if module.is_gemini { "Gemini" } else { "Aries" };
        format!("{kind} at {address:#x}, {cris} instances")
    });
    let device = DeviceBox::<Ugni>::new(host, view(&module, params), module, contexts)?;
    for index in 0..device.cri_count() {
        connect::listen(&device, &device.hold(index))?;
    }
    device.look_seldom()?;
    // Last: who finds it sends.
    host.card_put(&card.encode())?;
    Ok(device)
}

/// What others see of the device.
fn view(module: &Module, params: &Params) -> BtlModule {
    let mut view = params.view(&module.config);
    view.capabilities = BTL_IN_ORDER | BTL_NEEDS_REGISTRATION;
    (view.put_limit, view.get_limit, view.key_size) = (MOST, MOST, KEY as u32);
    if !module.is_gemini {
        view.capabilities |= BTL_ATOMIC_32 | BTL_ATOMIC_64;
    }
    view
}

/// Whether a message of these parts is short enough.
#[inline]
fn checked(device: &Module, header: u32, payload: u32) -> Result<(), Failure> {
    let (len, limit) = (header as usize + payload as usize, device.config.most as usize - HEADER);
    if len > limit { Err(too_long("a message", len, limit)) } else { Ok(()) }
}

/// # Safety
/// Both sides have `len` bytes; `from` may be null when that is none.
unsafe fn copy(from: *const c_void, to: *mut u8, len: usize) {
    if len > 0 {
        // SAFETY: promised by the caller; a buffer is no memory of a user's.
        unsafe { std::ptr::copy_nonoverlapping(from.cast::<u8>(), to, len) };
    }
}

impl Btl for Ugni {
    type State = Module;
    type Cri = Context;
    type Endpoint = UgniEndpoint;

    fn devices(&self) -> &[DeviceBox<Self>] {
        self.device.as_slice()
    }

    fn add_peer(device: &UgniDevice, peer: &Peer) -> Result<Option<Arc<UgniEndpoint>>, Failure> {
        if peer.is(PEER_SELF) || peer.job != 0 {
            return Ok(None);
        }
        if let Some(endpoint) = device.endpoint(peer.rank) {
            return Ok(Some(endpoint.clone()));
        }
        let bytes = match device.host.card_get(peer.rank) {
            Ok(bytes) => bytes,
            // It runs without this transport.
            Err(failure) if failure.status == ERR_NOT_FOUND => return Ok(None),
            Err(failure) => return Err(failure),
        };
        let card = Card::parse(bytes).map_err(|why| {
            Failure::new(ERR_PROTOCOL, format!("the card of rank {}: {why}", peer.rank))
        })?;
        if (card.most, card.credits) != (device.config.most, device.config.credits) {
            device.host.log(LOG_WARN, || {
                format!(
                    "rank {} is not reached: its btl_ugni_message_size or btl_ugni_credits is another",
                    peer.rank
                )
            });
            return Ok(None);
        }
        let owner = Owner::identified(&card.identity);
        let endpoint = device.make_endpoint(peer.rank, card.address, card.ids);
        if device.is_broken() {
            device.fail(peer.rank, "this process has no queue for it any more");
        }
        if peer.is(PEER_LOCAL) && endpoint.is_some() {
            device.lives.watch(peer.rank, owner);
        }
        Ok(endpoint)
    }

    fn remove_peer(device: &UgniDevice, endpoint: Arc<UgniEndpoint>) {
        module::part(device, |link| link.rank == endpoint.rank);
    }

    #[inline]
    fn progress(device: &UgniDevice, cri: &UgniCri) -> u32 {
        if cri.is_skipped(device.config.poll_interval) {
            return 0;
        }
        progress::pass(device, cri, cri.looks_at_datagrams())
    }

    fn seldom(device: &UgniDevice) -> u32 {
        device.registrations.sweep();
        inquiry::ask(device);
        device.reap()
    }

    #[inline]
    unsafe fn send_immediate(way: Way<'_, Self>, message: &BtlMessage) -> Attempted {
        checked(way.device, message.header_len, message.payload_len)?;
        let (header, payload) = (message.header_len as usize, message.payload_len as usize);
        message::send(way.device, way.cri, way.endpoint, message.tag, |place| {
            // SAFETY: the caller vouches for the message; the buffer has room for what is not longer.
            unsafe {
                copy(message.header, place, header);
                copy(message.payload, place.add(header), payload);
            }
            header + payload
        })
    }

    unsafe fn send_packed(way: Way<'_, Self>, message: &BtlPacked) -> Attempted {
        checked(way.device, message.header_len, message.payload_len)?;
        let header = message.header_len as usize;
        message::send(way.device, way.cri, way.endpoint, message.tag, |place| {
            // SAFETY: as above.
            unsafe {
                copy(message.header, place, header);
                header + message.pack_to(place.add(header))
            }
        })
    }

    unsafe fn put(way: Way<'_, Self>, put: &BtlTransfer, completion: Completion) -> Attempted {
        // SAFETY: promised by the caller.
        unsafe { transfer::start(way, Kind::Put, put, completion) }
    }

    unsafe fn get(way: Way<'_, Self>, get: &BtlTransfer, completion: Completion) -> Attempted {
        // SAFETY: promised by the caller.
        unsafe { transfer::start(way, Kind::Get, get, completion) }
    }

    unsafe fn atomic(way: Way<'_, Self>, atomic: &BtlAtomic, completion: Completion) -> Attempted {
        // SAFETY: promised by the caller.
        unsafe { transfer::atomic(way, atomic, completion) }
    }

    fn flush(
        _: &UgniDevice,
        cri: &UgniCri,
        endpoint: Option<&UgniEndpoint>,
        completion: Completion,
    ) -> Attempted {
        transfer::flush(cri, endpoint, completion)
    }

    unsafe fn register_memory(
        device: &UgniDevice,
        address: *mut c_void,
        len: usize,
        access: u32,
    ) -> Result<*mut c_void, Failure> {
        let is_written = access & (BTL_LOCAL | BTL_REMOTE_WRITE | BTL_REMOTE_ATOMIC) != 0;
        let flags = if is_written { GNI_MEM_READWRITE } else { GNI_MEM_READ_ONLY };
        // SAFETY: the caller keeps the memory until the registration ends.
        let made = unsafe { device.register(address, len, flags)? };
        Ok(Box::into_raw(Box::new(made)).cast())
    }

    unsafe fn deregister_memory(_: &UgniDevice, registration: *mut c_void) {
        if !registration.is_null() {
            // SAFETY: `register_memory` boxed it.
            drop(unsafe { Box::from_raw(registration.cast::<Registration>()) });
        }
    }

    unsafe fn pack_key(
        _: &UgniDevice,
        registration: *mut c_void,
        key: &mut [u8],
    ) -> Result<(), Failure> {
        // SAFETY: `register_memory` boxed it.
        unsafe { &*registration.cast::<Registration>() }.region.pack(key);
        Ok(())
    }

    fn unpack_key(_: &UgniDevice, _: &UgniEndpoint, packed: &[u8]) -> Result<*mut c_void, Failure> {
        let region = Region::unpack(packed)
            .ok_or_else(|| Failure::new(ERR_OTHER, "a peer's memory key is damaged"))?;
        Ok(Box::into_raw(Box::new(region)).cast())
    }

    unsafe fn release_key(_: &UgniDevice, key: *mut c_void) {
        if !key.is_null() {
            // SAFETY: `unpack_key` boxed it.
            drop(unsafe { Box::from_raw(key.cast::<Region>()) });
        }
    }

    fn describe(device: &UgniDevice, endpoint: &UgniEndpoint) -> String {
        let (rank, address) = (endpoint.rank, endpoint.address);
        let state = if endpoint.has_failed() { ", gone" } else { "" };
        let ways = (0..device.cri_count()).filter_map(|index| match device.try_hold(index) {
            None => Some(format!("{index}: in use")),
            Some(cri) => cri.sending(rank).map(|link| {
                let (sent, waiting) = (link.sent.get(), link.backlog.borrow().len());
                format!("{index}: {:?}, {sent} sent, {waiting} waiting", link.state.get())
            }),
        });
        let ways: Vec<String> = ways.collect();
        format!("rank {rank} at {address:#x}{state} | {}", ways.join(" | "))
    }
}

cairn_framework::component! {
    framework: btl,
    component: Ugni,
    name: "ugni",
    description: "moves bytes by uGNI, the library of Cray's Gemini and Aries networks",
}
