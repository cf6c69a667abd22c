//! The component: its life, and the functions of the contract.

use std::ffi::{CString, c_void};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cairn_framework::abi::host::{LOG_DEBUG, LOG_INFO};
use cairn_framework::abi::peer::{PEER_LOCAL, PEER_SELF, Peer};
use cairn_framework::abi::scope::Scope;
use cairn_framework::abi::status::{ERR_NOT_FOUND, ERR_PEER};
use cairn_framework::author::{Answer, Attempted, Component, Failure, HostHandle, Registrar};
use cairn_framework::frameworks::btl::{
    BTL_ALLOCATE, BTL_ATOMIC_32, BTL_ATOMIC_64, BTL_ATOMIC_GLOBAL, BTL_EXCLUSIVITY_NETWORK,
    BTL_EXCLUSIVITY_SELF, BTL_EXCLUSIVITY_SHARED_MEMORY, BTL_IN_ORDER, BTL_LOCAL,
    BTL_LOCAL_UNREGISTERED, BTL_NEEDS_REGISTRATION, BTL_REMOTE_READ, Btl, BtlAtomic, BtlMessage,
    BtlModule, BtlPacked, BtlTransfer, Completion, Device, DeviceBox, Way, too_long,
};
use cairn_segment::{Life, Owner};
use cairn_transport::{Admission, Lives, Registrations, Sockets, sockets};

use crate::bindings::*;
use crate::card::{self, Card, CardDevice, CardInterface};
use crate::choice::{self, Plan};
use crate::cri::{self, UctCri, UctInstance};
use crate::endpoint::UctEndpoint;
use crate::interface::Interface;
use crate::library::*;
use crate::memory::{self, KEY, Key};
use crate::message::{Message, Payload};
use crate::module::{Fixed, State, UctDevice};
use crate::params::Params;
use crate::transfer::{self, Flush};

/// Exclusivity of a network that has only messages, or puts that are messages: behind `btl_tcp`, which does the
/// same without a library between.
const PLAIN_NETWORK: u32 = 90;

/// How long a process that ends waits for its goodbyes.
const COURTESY: Duration = Duration::from_millis(200);

/// The transport.
pub struct Uct {
    priority: i32,
    close_timeout: Duration,
    /// None in a job that does without.
    devices: Vec<DeviceBox<Self>>,
}

impl Component for Uct {
    type Params = Params;

    fn register(registrar: &Registrar<'_>) -> Result<Params, Failure> {
        Params::register(registrar)
    }

    fn open(host: HostHandle, params: Params) -> Result<Self, Failure> {
        let job = host.job();
        // On one node there is nothing that another transport does not do better; then a job does not
        // start later for it.
        let mut made = Self {
            priority: params.priority.get() as i32,
            close_timeout: params.close_timeout(),
            devices: Vec::new(),
        };
        if job.size == job.local_size && !host.is_named() {
            return Ok(made);
        }
        let library = Library::get()?;
        let plans = choice::choose(host, library, &params)?;
        let instances = params.instances.number(job, u32::MAX);
        let mut opened = Vec::new();
        for plan in plans {
            host.log(LOG_INFO, || {
                let (major, minor, release) = library.version;
                format!("UCX {major}.{minor}.{release}: {plan}")
            });
            let open = |_| with_doors(&plan, || UctCri::open(library, &plan));
            let opening = (0..instances).map(open).collect::<Result<Vec<_>, _>>()?;
            let (cris, doors): (Vec<_>, Vec<_>) = opening.into_iter().unzip();
            opened.push((plan, cris, doors));
        }
        let said = |(plan, cris, doors): &(Plan, Vec<UctCri>, Doors)| {
            card_device(plan, cris, doors.clone())
        };
        let devices = opened.iter().map(said).collect();
        let card = Card { cris: instances as u16, owner: Owner::identity(), devices }.encode()?;
        let make = |(plan, cris, doors)| device(host, library, &params, &plan, cris, doors);
        made.devices = opened.into_iter().map(make).collect::<Result<_, _>>()?;
        // Last: who reads it sends to what is there.
        host.card_put(&card)?;
        Ok(made)
    }

    fn query(&self, _scope: &Scope) -> Answer {
        if self.devices.is_empty() {
            let text = "a job on one node does not need UCX, which is loaded when `btl` names uct";
            return Answer::Decline(text.into());
        }
        Answer::Priority(self.priority)
    }
}

impl Drop for Uct {
    fn drop(&mut self) {
        let now = Instant::now();
        let (courtesy, deadline) = (now + COURTESY, now + self.close_timeout);
        for device in &self.devices {
            for endpoint in std::mem::take(&mut *device.acquainted.lock()) {
                Self::remove_peer(device, endpoint);
            }
            device.close();
            loop {
                cri::reap(device);
                let with_courtesy = Instant::now() < courtesy;
                let mut has_parted = true;
                for cri in device.hold_each() {
                    UctCri::poll(device, &cri);
                    has_parted &= cri.has_parted(with_courtesy);
                }
                if has_parted || Instant::now() > deadline {
                    break;
                }
                std::thread::yield_now();
            }
        }
    }
}

/// Makes endpoints of those that have greeted since the last call. With no CRI's lock held.
fn acquaint(device: &UctDevice) {
    let new = |peer: &&Peer| device.endpoint(peer.rank).is_none();
    for peer in device.senders.take(device.host).filter(new) {
        match Uct::add_peer(device, peer) {
            Ok(made) => device.acquainted.lock().extend(made),
            Err(failure) => device
                .host
                .log(LOG_DEBUG, || format!("no goodbye to rank {}: {failure}", peer.rank)),
        }
    }
}

/// For each CRI of a device: where UCX accepts connections of TCP for it.
type Doors = Vec<Vec<SocketAddr>>;

/// What `open` opens, and where this process accepts connections since. A transport within the node has none, so
/// descriptors are not looked through for it.
fn with_doors<T>(
    plan: &Plan,
    open: impl FnOnce() -> Result<T, Failure>,
) -> Result<(T, Vec<SocketAddr>), Failure> {
    if plan.is_local() {
        return Ok((open()?, Vec::new()));
    }
    let before = sockets::accepting();
    let opened = open()?;
    Ok((opened, sockets::accepting().difference(&before).copied().collect()))
}

/// What a card says of a device.
fn card_device(plan: &Plan, cris: &[UctCri], doors: Doors) -> CardDevice {
    fn of<'a>(
        name: &str,
        mut interfaces: impl Iterator<Item = &'a Interface> + Clone,
    ) -> CardInterface {
        CardInterface {
            transport: name.into(),
            addresses: interfaces.clone().map(|one| one.address.clone()).collect(),
            device: interfaces.next().map_or_else(Vec::new, |one| one.device_address.clone()),
        }
    }
    let bulk = plan.bulk.as_ref().map_or("", |bulk| bulk.transport());
    CardDevice {
        messages: of(plan.messages.transport(), cris.iter().map(|cri| &cri.messages)),
        bulk: of(bulk, cris.iter().filter_map(|cri| cri.bulk.as_ref())),
        doors,
    }
}

/// Makes a device of what was opened.
fn device(
    host: HostHandle,
    library: &'static Library,
    params: &Params,
    plan: &Plan,
    cris: Vec<UctCri>,
    doors: Doors,
) -> Result<DeviceBox<Uct>, Failure> {
    let cri = cris.first().ok_or("a device without a CRI")?;
    let (messages, mover) = (&cri.messages, cri.mover());
    let (domain, bulk_domain) = (messages.domain.clone(), mover.domain.clone());
    let flag = |bit| domain.flags & u64::from(bit) != 0;
    let allocates = flag(UCT_MD_FLAG_ALLOC) && flag(UCT_MD_FLAG_RKEY_PTR);
    let registers = cri.bulk.is_some() || flag(UCT_MD_FLAG_REG);
    let limit = |able, limit: usize| if able && registers { limit as u64 } else { 0 };
    let put_limit = limit(mover.can(PUT_ZCOPY), mover.attr.cap.put.max_zcopy);
    let get_limit = limit(mover.can(GET_ZCOPY), mover.attr.cap.get.max_zcopy);
    let atomics_anywhere = cri.bulk.is_none() && messages.can(ATOMIC_DEVICE);
    let mut capabilities = BTL_IN_ORDER | BTL_NEEDS_REGISTRATION;
    if bulk_domain.flags & u64::from(UCT_MD_FLAG_NEED_MEMH) == 0 {
        capabilities |= BTL_LOCAL_UNREGISTERED;
    }
    if allocates {
        capabilities |= BTL_ALLOCATE;
    }
    capabilities |= atomics(messages, allocates, atomics_anywhere);
    let message_limit = cri.message_limit();
    let name = match plan.is_local() {
        true => plan.messages.transport().to_owned(),
        false => format!("{}/{}", plan.messages.transport(), plan.messages.device()),
    };
    // A device's name is a constant; there are a few, once in a process.
    let name = Box::leak(CString::new(name).expect("without a NUL").into_boxed_c_str());
    let attr = &messages.attr;
    let nanoseconds = (attr.latency.c + attr.overhead) * 1e9;
    let megabytes = (attr.bandwidth.dedicated + attr.bandwidth.shared) / 1e6;
    let view = BtlModule {
        exclusivity: match plan.messages.kind {
            UCT_DEVICE_TYPE_SELF => BTL_EXCLUSIVITY_SELF - 1,
            UCT_DEVICE_TYPE_NET if messages.can(GET_ZCOPY) => BTL_EXCLUSIVITY_NETWORK,
            UCT_DEVICE_TYPE_NET => PLAIN_NETWORK,
            _ => BTL_EXCLUSIVITY_SHARED_MEMORY - 1,
        },
        capabilities,
        immediate_limit: message_limit as u32,
        packed_limit: message_limit as u32,
        key_size: (KEY + domain.key_size.max(bulk_domain.key_size)) as u32,
        eager_limit: params.eager_limit(message_limit)?,
        put_limit,
        get_limit,
        latency: nanoseconds as u32,
        bandwidth: megabytes.max(1.0) as u32,
        rma_from: u32::try_from(params.rma_from.get()).unwrap_or(u32::MAX),
        ..BtlModule::named(name)
    };
    let transport = plan.messages.transport().to_owned();
    let admit = if plan.is_local() { Admission::in_memory } else { Admission::new };
    let state = State::new(Fixed {
        host,
        library,
        admission: admit(host.job(), &format!("uct/{transport}"))?,
        transport,
        is_local: plan.is_local(),
        lives: Lives::new(params.watch_interval(), card::owner),
        sockets: Sockets::new(doors.concat(), params.peer_timeout()),
        domain,
        registrations: Registrations::new(host, params.kept_registrations.get() as usize)?,
        bulk_domain,
        messages: cri.messages.reach(),
        bulk: cri.bulk.as_ref().map(Interface::reach),
        message_limit,
        moves: put_limit > 0 || get_limit > 0,
        atomics_anywhere,
    });
    let device = DeviceBox::<Uct>::new(host, view, state, cris)?;
    device.look_seldom()?;
    Ok(device)
}

/// Which atomics there are: by the processor, where memory can be mapped, or by a device. What the library does
/// by the processor is not taken: in some releases fetching and, or and exclusive or store nothing.
fn atomics(messages: &Interface, processor: bool, device: bool) -> u64 {
    const ALL: u64 = (1 << UCT_ATOMIC_OP_LAST) - 1;
    if processor {
        return BTL_ATOMIC_32 | BTL_ATOMIC_64 | BTL_ATOMIC_GLOBAL;
    }
    let (cap, mut bits) = (&messages.attr.cap, 0);
    if device && cap.atomic64.fop_flags & ALL == ALL {
        bits |= BTL_ATOMIC_64;
    }
    if device && cap.atomic32.fop_flags & ALL == ALL {
        bits |= BTL_ATOMIC_32;
    }
    if bits != 0 && messages.can(ATOMIC_CPU) {
        bits |= BTL_ATOMIC_GLOBAL;
    }
    bits
}

/// A slice of a message's part.
///
/// # Safety
/// The pointer has so many bytes, or there are none.
#[inline(always)]
unsafe fn part<'a>(pointer: *const c_void, len: u32) -> &'a [u8] {
    // SAFETY: promised by the caller.
    if len == 0 { &[] } else { unsafe { std::slice::from_raw_parts(pointer.cast(), len as usize) } }
}

/// Refuses a message that is too long.
#[inline(always)]
fn fits(way: Way<'_, Uct>, header: u32, payload: u32) -> Result<(), Failure> {
    let (len, limit) = (header as usize + payload as usize, way.device.message_limit);
    if len > limit { Err(too_long("a message", len, limit)) } else { Ok(()) }
}

impl Btl for Uct {
    type State = State;
    type Cri = UctCri;
    type Endpoint = UctEndpoint;

    fn devices(&self) -> &[DeviceBox<Self>] {
        &self.devices
    }

    fn add_peer(device: &UctDevice, peer: &Peer) -> Result<Option<Arc<UctEndpoint>>, Failure> {
        if peer.job != 0 || (device.is_local && !peer.is(PEER_LOCAL)) {
            return Ok(None);
        }
        device.add(peer.rank, || {
            let bytes = match device.host.card_get(peer.rank) {
                Ok(bytes) => bytes,
                // It runs without this transport.
                Err(failure) if failure.status == ERR_NOT_FOUND => return Ok(None),
                Err(failure) => return Err(failure),
            };
            let card = Card::parse(bytes)?;
            let owner = Owner::identified(&card.owner);
            // What is asked of the interfaces does not change; so no CRI's lock, which a caller may hold.
            let Some(place) = device.reached(&card) else { return Ok(None) };
            if peer.is(PEER_LOCAL) && !peer.is(PEER_SELF) {
                if owner.life() == Life::Ended {
                    device.lives.has_ended(peer.rank);
                    return Err(Failure::new(ERR_PEER, "it has ended"));
                }
                device.lives.watch(peer.rank, owner);
            }
            let pass = device.admission.pass(peer.rank);
            Ok(Some(UctEndpoint::new(peer.rank, pass, place, device.cri_count())))
        })
    }

    fn remove_peer(device: &UctDevice, endpoint: Arc<UctEndpoint>) {
        let Some(last) = device.remove(&endpoint) else { return };
        // Whoever found it before has let go of it when each lock was held once.
        for cri in device.hold_each() {
            cri.part(device, &last, cri.index());
        }
    }

    #[inline]
    fn progress(device: &UctDevice, cri: &UctInstance) -> u32 {
        UctCri::poll(device, cri)
    }

    fn seldom(device: &UctDevice) -> u32 {
        device.registrations.sweep();
        acquaint(device);
        cri::reap(device)
    }

    #[inline]
    unsafe fn send_immediate(way: Way<'_, Self>, message: &BtlMessage) -> Attempted {
        fits(way, message.header_len, message.payload_len)?;
        // SAFETY: the caller vouches for the message.
        let (header, payload) = unsafe {
            (part(message.header, message.header_len), part(message.payload, message.payload_len))
        };
        let head = way.endpoint.pass.head(message.tag);
        if let Some(done) = way.endpoint.send_line(way.cri, way.cri.index(), head, header, payload)
        {
            return done;
        }
        way.endpoint.send(
            way.cri,
            way.cri.index(),
            &mut Message { head, header, payload: Payload::Plain(payload) },
        )
    }

    #[inline]
    unsafe fn send_packed(way: Way<'_, Self>, message: &BtlPacked) -> Attempted {
        fits(way, message.header_len, message.payload_len)?;
        // SAFETY: the caller vouches for the message; there is room for the payload.
        let mut write = |place: *mut u8| unsafe { message.pack_to(place) };
        way.endpoint.send(
            way.cri,
            way.cri.index(),
            &mut Message {
                head: way.endpoint.pass.head(message.tag),
                // SAFETY: as above.
                header: unsafe { part(message.header, message.header_len) },
                payload: Payload::Packed(message.payload_len as usize, &mut write),
            },
        )
    }

    unsafe fn put(way: Way<'_, Self>, transfer: &BtlTransfer, completion: Completion) -> Attempted {
        // SAFETY: promised by the caller.
        unsafe { transfer::put(way, transfer, completion) }
    }

    unsafe fn get(way: Way<'_, Self>, transfer: &BtlTransfer, completion: Completion) -> Attempted {
        // SAFETY: promised by the caller.
        unsafe { transfer::get(way, transfer, completion) }
    }

    unsafe fn atomic(way: Way<'_, Self>, atomic: &BtlAtomic, completion: Completion) -> Attempted {
        // SAFETY: promised by the caller.
        unsafe { transfer::atomic(way, atomic, completion) }
    }

    fn flush(
        device: &UctDevice,
        cri: &UctInstance,
        endpoint: Option<&UctEndpoint>,
        completion: Completion,
    ) -> Attempted {
        Flush::begin(device, cri, endpoint, completion)
    }

    unsafe fn register_memory(
        device: &Device<Self>,
        address: *mut c_void,
        len: usize,
        access: u32,
    ) -> Result<*mut c_void, Failure> {
        memory::register(device, address, len, access, true)
    }

    unsafe fn offer_memory(
        way: Way<'_, Self>,
        address: *mut c_void,
        len: usize,
    ) -> Result<*mut c_void, Failure> {
        // For one get it is not worth it that the peer maps a block.
        memory::register(way.device, address, len, BTL_LOCAL | BTL_REMOTE_READ, false)
    }

    unsafe fn deregister_memory(_: &Device<Self>, registration: *mut c_void) {
        // SAFETY: promised by the caller.
        unsafe { memory::deregister(registration) };
    }

    unsafe fn pack_key(
        _: &Device<Self>,
        registration: *mut c_void,
        key: &mut [u8],
    ) -> Result<(), Failure> {
        // SAFETY: promised by the caller.
        unsafe { memory::pack(registration, key) }
    }

    fn unpack_key(
        device: &Device<Self>,
        _: &UctEndpoint,
        packed: &[u8],
    ) -> Result<*mut c_void, Failure> {
        Ok(Box::into_raw(Key::unpack(device, packed)?).cast())
    }

    unsafe fn release_key(_: &Device<Self>, key: *mut c_void) {
        if !key.is_null() {
            // SAFETY: `unpack_key` made it, and nothing uses it.
            drop(unsafe { Box::from_raw(key.cast::<Key>()) });
        }
    }

    fn allocate_memory(
        device: &Device<Self>,
        len: usize,
    ) -> Result<(*mut c_void, *mut c_void), Failure> {
        memory::allocate(device, len)
    }

    unsafe fn free_memory(device: &Device<Self>, registration: *mut c_void) {
        // SAFETY: promised by the caller.
        unsafe { memory::free(device, registration) };
    }

    unsafe fn map_key(
        _: &Device<Self>,
        key: *mut c_void,
        remote: u64,
        len: usize,
    ) -> Result<*mut c_void, Failure> {
        if key.is_null() {
            return Ok(std::ptr::null_mut());
        }
        // SAFETY: promised by the caller.
        unsafe { Key::of(key)? }.pointer(remote, len)
    }

    fn describe(device: &UctDevice, endpoint: &UctEndpoint) -> String {
        let state = |index| match device.try_hold(index) {
            Some(_held) => endpoint.describe(index),
            None => Some("in use".into()),
        };
        let lanes: Vec<String> = (0..device.cri_count()).filter_map(state).collect();
        let lost = if endpoint.is_lost() { ", lost" } else { "" };
        format!("{}{lost}; {}", device.transport, lanes.join("; "))
    }
}

cairn_framework::component! {
    framework: btl,
    component: Uct,
    name: "uct",
    description: "messages and one-sided operations over UCT, the transports of UCX",
}
