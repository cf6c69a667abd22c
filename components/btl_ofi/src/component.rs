//! The component: its life, and the functions of the contract.

use std::ffi::{c_int, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use cairn_framework::abi::host::{LOG_INFO, LOG_WARN};
use cairn_framework::abi::peer::{PEER_LOCAL, PEER_SELF, Peer};
use cairn_framework::abi::scope::Scope;
use cairn_framework::abi::status::{
    ERR_ARGUMENT, ERR_NOT_FOUND, ERR_OTHER, ERR_PROTOCOL, ERR_RESOURCES,
};
use cairn_framework::author::{
    Answer, Attempted, Component, Failure, HostHandle, Outcome, Registrar,
};
use cairn_framework::frameworks::btl::{
    BTL_ADD, BTL_AND, BTL_ATOMIC_32, BTL_ATOMIC_64, BTL_COMPARE_SWAP, BTL_IN_ORDER,
    BTL_LOCAL_UNREGISTERED, BTL_NEEDS_REGISTRATION, BTL_OR, BTL_REMOTE_ATOMIC, BTL_REMOTE_READ,
    BTL_REMOTE_WRITE, BTL_SWAP, BTL_XOR, Btl, BtlAtomic, BtlMessage, BtlModule, BtlPacked,
    BtlTransfer, Completion, DeviceBox, Way, too_long,
};
use cairn_segment::{Owner, foreign_name};
use cairn_transport::{Filter, Signals};

use crate::bindings::*;
use crate::card::Card;
use crate::choice::{Choice, Kind as ProviderKind, MOST_OF_SHM, Need};
use crate::context::{Context, OfiCri};
use crate::fabric::{Domain, Endpoint};
use crate::library::{Library, written};
use crate::link::{Link, OfiEndpoint};
use crate::memory::{KEY, Region, Registration};
use crate::module::{self, Module, OfiDevice, gone};
use crate::op::{Kind, OpRef};
use crate::params::{Config, Params};
use crate::progress;
use crate::wire::HEADER;

/// How often a file is made anew that another job has swept before it was ours.
const ATTEMPTS: usize = 50;

/// The transport.
pub struct Ofi {
    priority: i32,
    /// None in a job that does without.
    device: Option<DeviceBox<Self>>,
}

impl Component for Ofi {
    type Params = Params;

    fn register(registrar: &Registrar<'_>) -> Result<Params, Failure> {
        Params::register(registrar)
    }

    fn open(host: HostHandle, params: Params) -> Result<Self, Failure> {
        let job = host.job();
        let config = params.config(job);
        let need = Need {
            one_node: job.size == job.local_size,
            named: host.is_named(),
            endpoints: (job.local_size as usize).saturating_mul(config.cris as usize),
        };
        if need.one_node && !need.named {
            // Other transports are better there, and a job that starts does not load a library for nothing.
            return Ok(Self { priority: params.priority.get() as i32, device: None });
        }
        let device = make_device(host, &params, config, need)?;
        Ok(Self { priority: params.priority.get() as i32, device: Some(device) })
    }

    fn query(&self, _scope: &Scope) -> Answer {
        if self.device.is_none() {
            let text =
                "a job on one node does not need libfabric, which is loaded when `btl` names ofi";
            return Answer::Decline(text.into());
        }
        Answer::Priority(self.priority)
    }
}

impl Drop for Ofi {
    fn drop(&mut self) {
        if let Some(device) = &self.device {
            module::close(device);
        }
    }
}

/// The device, which receives, and is published.
fn make_device(
    host: HostHandle,
    params: &Params,
    config: Config,
    need: Need,
) -> Result<DeviceBox<Ofi>, Failure> {
    let library = Library::get()?;
    // Providers are set up when they are first asked, and some catch signals when they open endpoints.
    let _signals = Signals::save();
    let (module, contexts, card) = open(host, params, config, library, need)?;
    let view = view(&module, params);
    let device = DeviceBox::<Ofi>::new(host, view, module, contexts)?;
    for index in 0..device.cri_count() {
        progress::make_buffers(&device, &device.hold(index))?;
    }
    if device.is_broken() {
        return Err(Failure::unavailable("the provider takes no buffers for messages"));
    }
    device.look_seldom()?;
    // Last: who finds it sends.
    host.card_put(&card.encode())?;
    Ok(device)
}

/// Chooses a provider and opens it. With what this process is to publish.
fn open(
    host: HostHandle,
    params: &Params,
    config: Config,
    library: &'static Library,
    need: Need,
) -> Result<(Module, Vec<Context>, Card), Failure> {
    let (providers, devices) =
        (Filter::new(params.providers.get()), Filter::new(params.devices.get()));
    let mut choice = Choice::make(library, &providers, &devices, need)?;
    let limit = choice.message_limit();
    if config.frame > limit {
        let (frame, provider) = (config.frame, &choice.provider);
        return Err(Failure::unavailable(format!(
            "btl_ofi_eager_limit needs messages of {frame} bytes, of which {provider} takes {limit}"
        )));
    }
    let why = |what: &str, error| {
        Failure::unavailable(format!("{what} can't be opened: {}", library.explain(error)))
    };
    let domain = Domain::open(library, &mut choice.info)
        .map_err(|error| why(&format!("{} of {}", choice.domain, choice.provider), error))?;
    let domain = Arc::new(domain);
    let mut contexts = Vec::new();
    let mut addresses = Vec::new();
    for _ in 0..config.cris {
        // A vector has two addresses of each peer at most.
        let peers = match choice.kind {
            ProviderKind::SharedMemory => MOST_OF_SHM,
            _ => 2 * host.job().size as usize,
        };
        let mut open = || {
            let file = (choice.kind == ProviderKind::SharedMemory).then(|| file_name(host));
            Endpoint::open(&domain, &mut choice.info, peers, file.as_deref())
        };
        // A job that begins or ends at this moment may take the file for one that was left. Then another is made.
        let is_swept = |made: &Result<Endpoint, c_int>| {
            made.as_ref().is_err_and(|error| matches!(*error, libc::ENOENT | libc::EWOULDBLOCK))
        };
        let mut made = open();
        for _ in 0..ATTEMPTS {
            if !is_swept(&made) {
                break;
            }
            made = open();
        }
        let endpoint =
            made.map_err(|error| why(&format!("an endpoint of {}", choice.provider), error))?;
        addresses.push(endpoint.name().map_err(|error| why("the name of an endpoint", error))?);
        contexts.push(Context::new(Arc::new(endpoint), config.frame));
    }
    host.log(LOG_INFO, || {
        format!(
            "{} on {}, {} endpoints, libfabric {}",
            choice.provider,
            choice.domain,
            config.cris,
            written(library.version)
        )
    });
    let card = Card {
        provider: choice.provider.clone(),
        loopback: choice.loopback,
        frame: config.frame as u32,
        identity: Owner::identity(),
        addresses,
    };
    let first = contexts.first().map(|context| context.endpoint.clone());
    let module = Module::new(host, library, choice, domain, first, config, &card)?;
    Ok((module, contexts, card))
}

/// The name of the file of an endpoint that has one: no other endpoint's of this process, nor of any that sees the
/// same files, among which processes of other namespaces may have the same id.
fn file_name(host: HostHandle) -> String {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    // SAFETY: the host keeps the string as long as the process lives.
    let job = unsafe { cairn_framework::text::copy(host.job().id) };
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    foreign_name(&format!("{job}-ofi-{}-{number}", std::process::id()))
}

/// What others see of the device.
fn view(module: &Module, params: &Params) -> BtlModule {
    let mut view = params.view(module.choice.kind);
    let message = (module.config.frame - HEADER) as u32;
    (view.immediate_limit, view.packed_limit) = (message, message);
    view.capabilities = BTL_IN_ORDER;
    let caps = module.choice.info.get().caps;
    if caps & u64::from(FI_RMA) != 0 {
        let limit = module.choice.transfer_limit() as u64;
        (view.put_limit, view.get_limit) = (limit, limit);
        view.key_size = KEY as u32;
        view.capabilities |= BTL_NEEDS_REGISTRATION;
        if !module.needs_local() {
            view.capabilities |= BTL_LOCAL_UNREGISTERED;
        }
    }
    // Operands are not registered. The query may be all that a provider has of atomics, so the choice has left
    // out those of which that is known.
    if caps & u64::from(FI_ATOMIC) != 0 && view.put_limit > 0 && !module.needs_local() {
        let has_all = |datatype| {
            [FI_SUM, FI_BAND, FI_BOR, FI_BXOR, FI_ATOMIC_WRITE, FI_CSWAP]
                .into_iter()
                .all(|operation| module.domain.has_atomic(datatype, operation))
        };
        for (datatype, bit) in [(FI_UINT32, BTL_ATOMIC_32), (FI_UINT64, BTL_ATOMIC_64)] {
            if has_all(datatype) {
                view.capabilities |= bit;
            }
        }
    }
    view
}

/// The link on which a CRI sends to a peer.
#[inline]
fn link<'a>(way: &Way<'a, Ofi>) -> Result<&'a Link, Failure> {
    way.cri.link(way.device, way.cri, way.endpoint)
}

/// Whether a message of these parts is short enough.
#[inline]
fn checked(device: &Module, header: u32, payload: u32) -> Result<(), Failure> {
    let (len, limit) = (header as usize + payload as usize, device.config.frame - HEADER);
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

/// Starts a put or get.
///
/// # Safety
/// As for [`Btl::put`].
unsafe fn transfer(
    way: Way<'_, Ofi>,
    kind: Kind,
    transfer: &BtlTransfer,
    completion: Completion,
) -> Attempted {
    let (device, cri) = (way.device, way.cri);
    // SAFETY: promised by the caller.
    let (region, local) = unsafe { (region(transfer.key)?, transfer.registration) };
    let by_address = device.addresses_are_virtual();
    let remote = region.locate(transfer.remote, transfer.len as u64, by_address)?;
    let limit = device.choice.transfer_limit();
    if transfer.len > limit {
        return Err(too_long("a transfer", transfer.len, limit));
    }
    let link = link(&way)?;
    if link.endpoint.has_failed() {
        return Err(gone(link.endpoint.rank));
    }
    if transfer.len == 0 {
        return Ok(Outcome::Done);
    }
    let mut descriptor = std::ptr::null_mut();
    if device.needs_local() {
        // SAFETY: promised by the caller.
        let object = unsafe { local.cast::<Registration>().as_ref() }
            .and_then(|registration| registration.object.as_ref())
            .ok_or_else(|| Failure::new(ERR_ARGUMENT, "local memory that is not registered"))?;
        // SAFETY: the registration is open.
        descriptor = unsafe { (*object.get()).mem_desc };
    }
    let Some(op) = free(cri, link, device)? else { return Ok(Outcome::NoResources) };
    op.kind.set(kind);
    op.local.set(transfer.local.cast());
    op.len.set(transfer.len);
    op.descriptor.set(descriptor);
    op.remote.set(remote);
    op.key.set(region.key);
    // SAFETY: promised by the caller.
    unsafe { start(device, cri, link, op, completion) }
}

/// What a key stands for.
///
/// # Safety
/// It is null or `unpack_key` made it.
unsafe fn region(key: *mut c_void) -> Result<Region, Failure> {
    // SAFETY: promised by the caller.
    unsafe { key.cast::<Region>().as_ref() }
        .copied()
        .ok_or_else(|| Failure::new(ERR_ARGUMENT, "a transfer without the peer's key"))
}

/// An operation for a transfer, if there may be another one to the peer.
fn free(cri: &OfiCri, link: &Link, device: &OfiDevice) -> Result<Option<OpRef>, Failure> {
    if link.transfers.get() >= device.config.transfers {
        return Ok(None);
    }
    let taken = cri.transfers.borrow_mut().take(None);
    taken.map(Some).map_err(|error| Failure::from(device.library.explain(error)))
}

/// Starts an operation that is complete.
///
/// # Safety
/// As for [`Btl::put`].
unsafe fn start(
    device: &OfiDevice,
    cri: &OfiCri,
    link: &Link,
    op: OpRef,
    completion: Completion,
) -> Attempted {
    op.serial.set(cri.flushes.next());
    cri.traffic();
    // SAFETY: promised by the caller.
    if let Err(failure) = unsafe { progress::submit(device, cri, link, op) } {
        cri.transfers.borrow_mut().give(op);
        return Err(failure);
    }
    // No progress was made yet, so it can't be over.
    op.completion.set(Some(completion));
    link.transfers.set(link.transfers.get() + 1);
    if op.is_write() {
        cri.flushes.began();
        link.writes.set(link.writes.get() + 1);
    }
    Ok(Outcome::Queued)
}

impl Btl for Ofi {
    type State = Module;
    type Cri = Context;
    type Endpoint = OfiEndpoint;

    fn devices(&self) -> &[DeviceBox<Self>] {
        self.device.as_slice()
    }

    fn add_peer(device: &OfiDevice, peer: &Peer) -> Result<Option<Arc<OfiEndpoint>>, Failure> {
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
        let is_local = peer.is(PEER_LOCAL);
        let owner = Owner::identified(&card.identity);
        let reached = card.provider == device.choice.provider
            && card.addresses.iter().all(|address| device.choice.takes_address(address))
            && match device.choice.kind {
                // What names its memory is an id that means another process elsewhere.
                ProviderKind::SharedMemory => is_local && owner.id().is_some(),
                _ => is_local || !(card.loopback || device.choice.loopback),
            };
        if !reached {
            device.host.log(LOG_INFO, || {
                format!("rank {} is not reached: it has {}", peer.rank, card.provider)
            });
            return Ok(None);
        }
        if card.frame as usize != device.config.frame {
            device.host.log(LOG_WARN, || {
                format!("rank {} is not reached: its btl_ofi_eager_limit is another", peer.rank)
            });
            return Ok(None);
        }
        let endpoint = device.make_endpoint(peer.rank, card.addresses).cloned();
        if device.is_broken() {
            device.fail(peer.rank, "this process has no queue for it any more");
        }
        if is_local && endpoint.is_some() {
            device.lives.watch(peer.rank, owner);
        }
        Ok(endpoint)
    }

    fn remove_peer(device: &OfiDevice, endpoint: Arc<OfiEndpoint>) {
        module::part_from(device, &endpoint);
    }

    #[inline]
    fn progress(device: &OfiDevice, cri: &OfiCri) -> u32 {
        if cri.is_skipped(device.config.poll_interval) {
            return 0;
        }
        progress::pass(device, cri)
    }

    fn seldom(device: &OfiDevice) -> u32 {
        device.registrations.sweep();
        module::acquaint(device);
        device.reap()
    }

    #[inline]
    unsafe fn send_immediate(way: Way<'_, Self>, message: &BtlMessage) -> Attempted {
        checked(way.device, message.header_len, message.payload_len)?;
        let (header, payload) = (message.header_len as usize, message.payload_len as usize);
        progress::send(way.device, way.cri, link(&way)?, message.tag, |place| {
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
        progress::send(way.device, way.cri, link(&way)?, message.tag, |place| {
            // SAFETY: as above.
            unsafe {
                copy(message.header, place, header);
                header + message.pack_to(place.add(header))
            }
        })
    }

    unsafe fn put(way: Way<'_, Self>, put: &BtlTransfer, completion: Completion) -> Attempted {
        // SAFETY: promised by the caller.
        unsafe { transfer(way, Kind::Put, put, completion) }
    }

    unsafe fn get(way: Way<'_, Self>, get: &BtlTransfer, completion: Completion) -> Attempted {
        // SAFETY: promised by the caller.
        unsafe { transfer(way, Kind::Get, get, completion) }
    }

    unsafe fn atomic(way: Way<'_, Self>, atomic: &BtlAtomic, completion: Completion) -> Attempted {
        let (device, cri) = (way.device, way.cri);
        let width = u64::from(atomic.width);
        let datatype = match width {
            4 => FI_UINT32,
            8 => FI_UINT64,
            _ => return Err(Failure::new(ERR_ARGUMENT, format!("an integer of {width} bytes"))),
        };
        let operation = match atomic.operation {
            BTL_ADD => FI_SUM,
            BTL_AND => FI_BAND,
            BTL_OR => FI_BOR,
            BTL_XOR => FI_BXOR,
            BTL_SWAP => FI_ATOMIC_WRITE,
            BTL_COMPARE_SWAP => FI_CSWAP,
            other => return Err(Failure::new(ERR_ARGUMENT, format!("operation {other}"))),
        };
        if !atomic.remote.is_multiple_of(width) {
            let text = format!("{width} bytes at {:#x}", atomic.remote);
            return Err(Failure::new(ERR_ARGUMENT, text));
        }
        // SAFETY: promised by the caller.
        let region = unsafe { region(atomic.key)? };
        let remote = region.locate(atomic.remote, width, device.addresses_are_virtual())?;
        let link = link(&way)?;
        if link.endpoint.has_failed() {
            return Err(gone(link.endpoint.rank));
        }
        let Some(op) = free(cri, link, device)? else { return Ok(Outcome::NoResources) };
        op.kind.set(Kind::Atomic);
        op.len.set(width as usize);
        op.remote.set(remote);
        op.key.set(region.key);
        op.atomic.set((operation, datatype));
        op.result.set(atomic.result);
        op.set_operands(atomic.operand, atomic.compare);
        // SAFETY: promised by the caller.
        unsafe { start(device, cri, link, op, completion) }
    }

    fn flush(
        _: &OfiDevice,
        cri: &OfiCri,
        endpoint: Option<&OfiEndpoint>,
        completion: Completion,
    ) -> Attempted {
        let left = match endpoint {
            Some(endpoint) if endpoint.has_failed() => return Err(gone(endpoint.rank)),
            Some(endpoint) => cri.existing(endpoint.rank).map_or(0, |link| link.writes.get()),
            None => cri.flushes.under_way(),
        };
        if left == 0 {
            return Ok(Outcome::Done);
        }
        cri.traffic();
        cri.flushes.wait(endpoint.map(|endpoint| endpoint.rank), left, completion);
        Ok(Outcome::Queued)
    }

    unsafe fn register_memory(
        device: &OfiDevice,
        address: *mut c_void,
        len: usize,
        access: u32,
    ) -> Result<*mut c_void, Failure> {
        let base = address.expose_provenance() as u64;
        let mut rights =
            u64::from(FI_SEND) | u64::from(FI_RECV) | u64::from(FI_READ) | u64::from(FI_WRITE);
        for (bit, right) in [
            (BTL_REMOTE_READ, FI_REMOTE_READ),
            (BTL_REMOTE_WRITE, FI_REMOTE_WRITE),
            (BTL_REMOTE_ATOMIC, FI_REMOTE_READ | FI_REMOTE_WRITE),
        ] {
            if access & bit != 0 {
                rights |= u64::from(right);
            }
        }
        let make = || {
            let held = device.registration_endpoint();
            // SAFETY: the caller keeps the memory until he ends the registration; afterwards it is used no more
            // unless the memory is still the same.
            let made = unsafe { device.domain.register(address, len, rights, device.key(), held) };
            made.map_err(|error| {
                let why = device.library.explain(error);
                Failure::new(ERR_RESOURCES, format!("{len} bytes can't be registered: {why}"))
            })
        };
        let object = match len {
            0 => None,
            _ => Some(device.registrations.get(address, len, access, make)?),
        };
        // SAFETY: the registration is open.
        let key = object.as_ref().map_or(0, |object| unsafe { (*object.get()).key });
        let region = Region { key, base, len: len as u64 };
        Ok(Box::into_raw(Box::new(Registration { region, object })).cast())
    }

    unsafe fn deregister_memory(_: &OfiDevice, registration: *mut c_void) {
        if !registration.is_null() {
            // SAFETY: `register_memory` boxed it.
            drop(unsafe { Box::from_raw(registration.cast::<Registration>()) });
        }
    }

    unsafe fn pack_key(
        _: &OfiDevice,
        registration: *mut c_void,
        key: &mut [u8],
    ) -> Result<(), Failure> {
        // SAFETY: `register_memory` boxed it.
        unsafe { &*registration.cast::<Registration>() }.region.pack(key);
        Ok(())
    }

    fn unpack_key(_: &OfiDevice, _: &OfiEndpoint, packed: &[u8]) -> Result<*mut c_void, Failure> {
        let region = Region::unpack(packed)
            .ok_or_else(|| Failure::new(ERR_OTHER, "a peer's memory key is damaged"))?;
        Ok(Box::into_raw(Box::new(region)).cast())
    }

    unsafe fn release_key(_: &OfiDevice, key: *mut c_void) {
        if !key.is_null() {
            // SAFETY: `unpack_key` boxed it.
            drop(unsafe { Box::from_raw(key.cast::<Region>()) });
        }
    }

    fn describe(device: &OfiDevice, endpoint: &OfiEndpoint) -> String {
        let (rank, provider) = (endpoint.rank, &device.choice.provider);
        let state = if endpoint.has_failed() { ", gone" } else { "" };
        let ways = (0..device.cri_count()).filter_map(|index| match device.try_hold(index) {
            None => Some(format!("{index}: in use")),
            Some(cri) => cri.existing(rank).map(|link| {
                let (messages, transfers) = (link.messages.get(), link.transfers.get());
                let waiting = link.backlog.borrow().len();
                format!("{index}: {messages} messages, {transfers} transfers, {waiting} waiting")
            }),
        });
        let ways: Vec<String> = ways.collect();
        format!("rank {rank} by {provider}{state} | {}", ways.join(" | "))
    }
}

cairn_framework::component! {
    framework: btl,
    component: Ofi,
    name: "ofi",
    description: "moves bytes by libfabric, which has providers for many networks",
}

#[cfg(test)]
mod tests;
