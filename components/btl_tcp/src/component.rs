//! The component: its life, and the functions of the contract.

use std::ffi::c_void;
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use cairn_framework::abi::host::{LOG_INFO, LOG_WARN};
use cairn_framework::abi::peer::{PEER_SELF, Peer};
use cairn_framework::abi::scope::Scope;
use cairn_framework::abi::status::{ERR_ARGUMENT, ERR_NOT_FOUND, ERR_OTHER, ERR_RESOURCES, OK};
use cairn_framework::author::{
    Answer, Attempted, Component, Failure, HostHandle, Outcome, Registrar,
};
use cairn_framework::frameworks::btl::{
    BTL_CAN_WAKE, BTL_IN_ORDER, BTL_NEEDS_REGISTRATION, Btl, BtlMessage, BtlModule, BtlPacked,
    BtlTransfer, BtlWake, Completion, DeviceBox, Way, too_long,
};

use crate::acceptor::Acceptor;
use crate::address::{self, Need};
use crate::context::{self, Context, TcpCri};
use crate::endpoint::{self, TcpEndpoint};
use crate::link::{Link, SharedFlush, Waiter};
use crate::module::{self, At, Module, TcpDevice};
use crate::output::pad;
use crate::params::{Config, Params};
use crate::progress::Pass;
use crate::rdma::{self, Region};
use crate::sys::{self, piece};
use crate::wire::{Card, CardAddress, Frame, Nonce};

/// The transport.
pub struct Tcp {
    priority: i32,
    device: DeviceBox<Self>,
}

impl Component for Tcp {
    type Params = Params;

    fn register(registrar: &Registrar<'_>) -> Result<Params, Failure> {
        Params::register(registrar)
    }

    fn open(host: HostHandle, params: Params) -> Result<Self, Failure> {
        let (files, links) = (sys::open_files(), params.links.get() as u16);
        let (lanes, cris) = context::affordable(files, host.job().size, links);
        if lanes < links {
            host.log(LOG_WARN, || {
                format!(
                    "{lanes} connections to each peer instead of {links} (btl_tcp_links): {} processes would \
                     need more than half of the {} files that this one may open",
                    host.job().size,
                    files.unwrap_or_default()
                )
            });
        }
        let config = params.config(host.job(), lanes, cris);
        let contexts: Vec<Context> = (0..u32::from(config.num_cris))
            .map(|index| Context::new(index).map_err(|error| no_file(&error)))
            .collect::<Result<_, _>>()?;
        let mut nonce = Nonce::default();
        module::random(&mut nonce).map_err(module::no_random)?;
        let (node, locals) = attend(host, &params, &config, nonce, &contexts[0])?;

        let shared = contexts.iter().map(|context| context.shared.clone()).collect();
        let module = Module::new(host, config, locals, node, nonce, shared)?;
        Ok(Self {
            priority: params.priority.get() as i32,
            device: DeviceBox::new(host, view(&module.config, &params), module, contexts)?,
        })
    }

    fn query(&self, _scope: &Scope) -> Answer {
        Answer::Priority(self.priority)
    }
}

impl Drop for Tcp {
    fn drop(&mut self) {
        module::close(&self.device);
    }
}

fn no_file(error: &std::io::Error) -> Failure {
    Failure::new(ERR_RESOURCES, sys::explain(error))
}

/// Listens, and returns all addresses of this node and those that are used.
fn attend(
    host: HostHandle,
    params: &Params,
    config: &Config,
    nonce: Nonce,
    context: &Context,
) -> Result<(Vec<address::Local>, Vec<address::Local>), Failure> {
    let (job, listed) =
        (host.job(), params.if_include.get().chain(params.if_exclude.get()).count());
    // For ranks on this node one address is enough, which is on every node. The list of all is long
    // in coming, and every job starts with it.
    if job.size == job.local_size && listed == 0 {
        let node = vec![address::Local::loopback()];
        if let Ok(locals) = listen(host, params, config, &node, nonce, context) {
            return Ok((node, locals));
        }
    }
    let node = address::all()
        .map_err(|error| Failure::unavailable(format!("no list of interfaces: {error}")))?;
    let locals = listen(host, params, config, &node, nonce, context)?;
    Ok((node, locals))
}

/// Listens on the addresses that are to be used, and publishes them.
fn listen(
    host: HostHandle,
    params: &Params,
    config: &Config,
    node: &[address::Local],
    nonce: Nonce,
    context: &Context,
) -> Result<Vec<address::Local>, Failure> {
    let job = host.job();
    let need = Need { local_peers: job.local_size > 1, remote_peers: job.size > job.local_size };
    let include: Vec<&str> = params.if_include.get().collect();
    let exclude: Vec<&str> = params.if_exclude.get().collect();
    let (chosen, idle) =
        address::choose(node, &include, &exclude, need).map_err(Failure::unavailable)?;
    if !idle.is_empty() {
        host.log(LOG_WARN, || format!("no interface of this node is meant by {}", idle.join(", ")));
    }
    let (mut listeners, mut locals, mut addresses) = (Vec::new(), Vec::new(), Vec::new());
    let mut refused = Vec::new();
    for local in chosen {
        let first = params.port_min.get() as u32;
        let last = if first == 0 { 0 } else { first + params.port_range.get() as u32 - 1 };
        let ports = (first..=last.min(65535)).map(|port| port as u16);
        match sys::listener(local.ip, ports, config) {
            Ok((listener, address)) => {
                listeners.push(listener);
                addresses.push(CardAddress { address, prefix: local.prefix, class: local.class });
                locals.push(local);
            }
            Err(error) if sys::is_shortage(&error) => return Err(no_file(&error)),
            Err(error) if error.raw_os_error() == Some(libc::EADDRINUSE) => {
                refused.push(format!("{}: every port from {first} to {last} is taken", local.ip));
            }
            Err(error) => refused.push(format!("{}: {}", local.ip, sys::explain(&error))),
        }
    }
    if listeners.is_empty() {
        return Err(Failure::unavailable(format!("can't listen on {}", refused.join("; "))));
    }
    for one in &refused {
        host.log(LOG_WARN, || format!("can't listen on {one}"));
    }
    host.log(LOG_INFO, || {
        let list: Vec<String> = addresses.iter().map(|one| one.address.to_string()).collect();
        format!("listening on {}", list.join(", "))
    });
    let acceptor =
        Acceptor::new(listeners, &context.shared.epoll).map_err(|error| no_file(&error))?;
    *context.acceptor.borrow_mut() = Some(acceptor);
    let machine = cairn_segment::machine();
    let card = Card { cris: config.num_cris, lanes: config.lanes, nonce, machine, addresses };
    host.card_put(&card.encode())?;
    Ok(locals)
}

/// What others see of the device.
fn view(config: &Config, params: &Params) -> BtlModule {
    BtlModule {
        exclusivity: params.exclusivity.get() as u32,
        capabilities: BTL_NEEDS_REGISTRATION | BTL_IN_ORDER | BTL_CAN_WAKE,
        immediate_limit: config.frame_limit,
        packed_limit: config.frame_limit,
        key_size: rdma::KEY as u32,
        eager_limit: config.eager_limit,
        put_limit: u64::from(config.transfer_limit),
        get_limit: u64::from(config.transfer_limit),
        latency: params.latency.get() as u32,
        bandwidth: params.bandwidth.get() as u32,
        rma_from: u32::try_from(params.rma_from.get()).unwrap_or(u32::MAX),
        ..BtlModule::named(c"tcp")
    }
}

/// The link on which a CRI sends to a peer.
#[inline]
fn link<'a>(Way { device, cri, endpoint }: Way<'a, Tcp>) -> (At<'a>, &'a Link) {
    (At { module: device, context: cri, endpoint }, endpoint.link_in(0, cri.index()))
}

/// The bytes of a message, if they are few enough.
#[inline]
fn checked(device: &Module, what: &str, len: usize) -> Result<u32, Failure> {
    match u32::try_from(len) {
        Ok(short) if short <= device.config.frame_limit => Ok(short),
        _ => Err(too_long(what, len, device.config.frame_limit as usize)),
    }
}

/// What a transfer wants of the peer's memory, if the key allows it: key, address, length.
///
/// # Safety
/// The key is null or `unpack_key` made it.
unsafe fn remote(device: &Module, transfer: &BtlTransfer) -> Result<(u64, u64, u32), Failure> {
    let limit = device.config.transfer_limit;
    let len = u32::try_from(transfer.len).ok().filter(|len| *len <= limit);
    let len = len.ok_or_else(|| too_long("a transfer", transfer.len, limit as usize))?;
    // SAFETY: promised by the caller.
    let region = unsafe { transfer.key.cast::<Region>().as_ref() }
        .ok_or_else(|| Failure::new(ERR_ARGUMENT, "a transfer without the peer's key"))?;
    if !region.holds(transfer.remote, u64::from(len)) {
        return Err(Failure::new(
            ERR_ARGUMENT,
            format!(
                "{len} bytes at {:#x} are outside of the peer's memory, {} bytes at {:#x}",
                transfer.remote, region.len, region.base
            ),
        ));
    }
    Ok((region.key, transfer.remote, len))
}

impl Btl for Tcp {
    type State = Module;
    type Cri = Context;
    type Endpoint = TcpEndpoint;

    fn devices(&self) -> &[DeviceBox<Self>] {
        std::slice::from_ref(&self.device)
    }

    fn add_peer(device: &TcpDevice, peer: &Peer) -> Result<Option<Arc<TcpEndpoint>>, Failure> {
        if peer.is(PEER_SELF) || peer.job != 0 {
            return Ok(None);
        }
        if let Some(endpoint) = device.endpoint(peer.rank) {
            return Ok(Some(endpoint.clone()));
        }
        let card = match endpoint::card_of(device.host, peer.rank) {
            Ok(card) => card,
            Err(failure) if failure.status == ERR_NOT_FOUND => return Ok(None),
            Err(failure) => return Err(failure),
        };
        Ok(device.make_endpoint(peer.rank, (card.cris, card.lanes)).cloned())
    }

    fn remove_peer(device: &TcpDevice, endpoint: Arc<TcpEndpoint>) {
        module::part(device, &endpoint);
    }

    #[inline]
    fn progress(device: &TcpDevice, cri: &TcpCri) -> u32 {
        if cri.shared.sleeps.load(Ordering::Relaxed) || cri.is_skipped() {
            return 0;
        }
        Pass { module: device, context: cri }.poll_if_due()
    }

    #[inline]
    unsafe fn send_immediate(way: Way<'_, Self>, message: &BtlMessage) -> Attempted {
        let (at, link) = link(way);
        let (header, payload) = (message.header_len as usize, message.payload_len as usize);
        let len = checked(way.device, "a message", header + payload)?;
        let head = Frame::Message { tag: message.tag, len }.head();
        let head = head.bytes();
        let pieces = [
            piece(head.as_ptr(), head.len()),
            piece(message.header.cast(), header),
            piece(message.payload.cast(), payload),
            pad(len as usize),
        ];
        // SAFETY: the message's pointers and lengths hold.
        link.send(at, |work, socket| unsafe { work.output.send_copied(socket, &pieces) })
    }

    unsafe fn send_packed(way: Way<'_, Self>, message: &BtlPacked) -> Attempted {
        let (at, link) = link(way);
        let len = message.payload_len as usize;
        checked(way.device, "a message", message.header_len as usize + len)?;
        let header = match message.header_len {
            0 => &[],
            // SAFETY: promised by the caller.
            bytes => unsafe {
                std::slice::from_raw_parts(message.header.cast::<u8>(), bytes as usize)
            },
        };
        let frame = |len: usize| Frame::Message { tag: message.tag, len: len as u32 };
        // SAFETY: there is room for `len` bytes; the caller vouches for the rest.
        let make = |room: *mut u8| unsafe { message.pack_to(room) };
        let sent =
            link.send(at, |work, _| Ok(work.output.send_packed(header, len, frame, make)))?;
        if sent == Outcome::Done {
            link.push(at);
        }
        Ok(sent)
    }

    unsafe fn put(way: Way<'_, Self>, transfer: &BtlTransfer, completion: Completion) -> Attempted {
        let (at, link) = link(way);
        // SAFETY: promised by the caller.
        let (key, address, len) = unsafe { remote(way.device, transfer)? };
        let head = Frame::Put { key, address, len }.head();
        let head = head.bytes();
        let pieces = [
            piece(head.as_ptr(), head.len()),
            piece(transfer.local.cast(), len as usize),
            pad(len as usize),
        ];
        link.send(at, |work, socket| {
            // SAFETY: the local memory stays until the completion.
            let sent = unsafe { work.output.send_in_place(socket, &pieces, 1..2, completion) };
            if matches!(sent, Ok(Outcome::Done | Outcome::Queued)) {
                work.count_put();
            }
            sent
        })
    }

    unsafe fn get(way: Way<'_, Self>, transfer: &BtlTransfer, completion: Completion) -> Attempted {
        let (at, link) = link(way);
        // SAFETY: promised by the caller.
        let remote = unsafe { remote(way.device, transfer)? };
        way.endpoint.link_for_get(at, link).get(at, remote, transfer.local.cast(), completion)
    }

    fn flush(
        device: &TcpDevice,
        cri: &TcpCri,
        endpoint: Option<&TcpEndpoint>,
        completion: Completion,
    ) -> Attempted {
        let to = |endpoint| link(Way { device, cri, endpoint });
        if let Some((at, link)) = endpoint.map(to) {
            return match link.needs_flush() {
                Ok(true) => link.flush(at, Waiter::One(completion)),
                Ok(false) => link.usable(at).map(|()| Outcome::Done),
                Err(()) => Ok(Outcome::NoResources),
            };
        }
        let all = || device.all_endpoints().filter(|endpoint| endpoint.is_used()).map(to);
        if all().any(|(_, link)| link.needs_flush().is_err()) {
            return Ok(Outcome::NoResources);
        }
        let shared = std::rc::Rc::new(SharedFlush { completion, status: OK.into() });
        for (at, link) in all() {
            if link.needs_flush() == Ok(true)
                && let Err(failure) = link.flush(at, Waiter::Several(shared.clone()))
            {
                shared.status.set(failure.status);
            }
        }
        // The last link that has it calls the completion; without any there is nothing to wait for.
        match std::rc::Rc::into_inner(shared) {
            Some(alone) if alone.status.get() != OK => {
                Err(Failure::new(alone.status.get(), "the peers are gone"))
            }
            Some(_) => Ok(Outcome::Done),
            None => Ok(Outcome::Queued),
        }
    }

    unsafe fn register_memory(
        device: &TcpDevice,
        address: *mut c_void,
        len: usize,
        access: u32,
    ) -> Result<*mut c_void, Failure> {
        let base = address.expose_provenance() as u64;
        let region = device.registry.add(base, len as u64, access);
        Ok(Box::into_raw(Box::new(region)).cast())
    }

    unsafe fn deregister_memory(device: &TcpDevice, registration: *mut c_void) {
        // SAFETY: `register_memory` boxed it.
        let region = unsafe { Box::from_raw(registration.cast::<Region>()) };
        device.registry.remove(region.key);
    }

    unsafe fn pack_key(
        _: &TcpDevice,
        registration: *mut c_void,
        key: &mut [u8],
    ) -> Result<(), Failure> {
        // SAFETY: `register_memory` boxed it.
        unsafe { &*registration.cast::<Region>() }.pack(key);
        Ok(())
    }

    fn unpack_key(_: &TcpDevice, _: &TcpEndpoint, packed: &[u8]) -> Result<*mut c_void, Failure> {
        let region = Region::unpack(packed)
            .ok_or_else(|| Failure::new(ERR_OTHER, "a peer's memory key is damaged"))?;
        Ok(Box::into_raw(Box::new(region)).cast())
    }

    unsafe fn release_key(_: &TcpDevice, key: *mut c_void) {
        // SAFETY: `unpack_key` boxed it.
        drop(unsafe { Box::from_raw(key.cast::<Region>()) });
    }

    fn arm(device: &TcpDevice, cri: &TcpCri) -> Result<Option<BtlWake>, Failure> {
        let sleeps = Pass { module: device, context: cri }.arm();
        Ok(sleeps.then(|| BtlWake::fd(cri.shared.epoll.as_raw_fd())))
    }

    fn describe(device: &TcpDevice, endpoint: &TcpEndpoint) -> String {
        let links = endpoint.links.iter().filter_map(|link| {
            match device.try_hold(device.cri_of(link.id.index)) {
                Some(_held) => link.describe(),
                None => Some("in use".into()),
            }
        });
        match &links.collect::<Vec<_>>()[..] {
            [] => format!("rank {}: not connected", endpoint.rank),
            links => format!("rank {}: {}", endpoint.rank, links.join(" | ")),
        }
    }
}

cairn_framework::component! {
    framework: btl,
    component: Tcp,
    name: "tcp",
    description: "moves bytes over TCP connections, between nodes or on one",
}
