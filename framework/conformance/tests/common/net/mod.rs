//! net: a network that is none, for tests. It looks to a protocol layer like one whose devices reach the memory of peers,
//! and does what such a network may do and others seldom do.
//!
//! ```text
//!   send        ─► inbox of the receiver's CRI ─► its progress ─► receive table; the lanes of CRIs overtake each other
//!   put         ─► queue of the CRI ─► progress: complete ─► late ─► flush: in the target's memory
//!   get, atomic ─► queue of the CRI ─► progress: done, and complete; in any order
//! ```
//!
//! All ranks are in this process, so what lies at a peer's address is there. What a real device would not reach, since
//! it is not registered, or a caller must not do, ends the process with a sentence that says so.

mod fabric;
mod queue;
mod random;

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use cairn_framework::abi::peer::{PEER_SELF, Peer as PeerView};
use cairn_framework::abi::scope::Scope;
use cairn_framework::abi::status::{ERR_PEER, ERR_RESOURCES, ERR_UNSUPPORTED};
use cairn_framework::author::{
    Answer, Attempted, Component, Failure, HostHandle, Outcome, Registrar,
};
use cairn_framework::frameworks::btl::{
    BTL_ALLOCATE, BTL_ATOMIC_32, BTL_ATOMIC_64, BTL_ATOMIC_GLOBAL, BTL_HEADER_ROOM, BTL_IN_ORDER,
    BTL_LOCAL, BTL_LOCAL_UNREGISTERED, BTL_NEEDS_REGISTRATION, BTL_REMOTE_ATOMIC, BTL_REMOTE_READ,
    BTL_REMOTE_WRITE, Btl, BtlAtomic, BtlMessage, BtlModule, BtlPacked, BtlTransfer, Completion,
    Device, DeviceBox, OwnCri, Way, too_long,
};

pub use fabric::die;
use fabric::{Access, Fabric, Message, Region, broken};
use queue::{Queue, What};
use random::Random;

cairn_framework::params! {
    /// What the network is like.
    pub struct Params {
        cris: integer(3), "CRIs of each rank", range(1, 64);
        seed: integer(1), "What happens by chance";
        eager_limit: size("512"), "Longest message that goes without asking";
        depth: integer(8), "Operations of a CRI that may be under way", range(1, 1 << 20);
        lane: integer(32), "Messages of a CRI that a peer's need not have taken", range(1, 1 << 20);
        busy: integer(10), "Of a hundred operations and messages, those for which there is no room", range(0, 90);
        put: bool(true), "There are puts";
        get: bool(true), "There are gets";
        atomics: choice(&["all", "only_64", "none"], "all"), "Atomics that there are";
        global: bool(true), "Atomics are atomic with the processor's";
        put_limit: size("4k"), "Longest put";
        get_limit: size("4k"), "Longest get";
        get_alignment: integer(8), "What addresses and lengths of gets are multiples of", range(1, 4096);
        registration: choice(&["none", "remote", "all"], "remote"), "Memory that is to be registered";
        order: choice(&["lanes", "none"], "lanes"), "Messages that keep their order: those of a CRI, or none";
        completes: choice(&["shuffled", "reversed", "in_order"], "shuffled"), "How operations complete";
        arrives: choice(&["flush", "any"], "flush"), "When what is put is in the target's memory";
        refused: integer(0), "Of a hundred gets, those that are refused", range(0, 100);
        refused_late: integer(0), "Of a hundred gets, those that are refused when they are under way", range(0, 100);
        mapped: choice(&["none", "odd", "all"], "none"), "Ranks whose memory from the device is mapped";
    }
}

const ATOMICS_64_ONLY: usize = 1;
const ATOMICS_NONE: usize = 2;
const REGISTRATION_NONE: usize = 0;
const REGISTRATION_REMOTE: usize = 1;
const MAPPED_NONE: usize = 0;
const MAPPED_ODD: usize = 1;

/// Bytes of a key: what says that it is one, the rank, and the number of the region, and its complement.
const KEY: usize = 4 + 4 + 8 + 8;
const MAGIC: u32 = 0x6e65_7421;

/// The transport.
pub struct Net {
    device: DeviceBox<Self>,
}

/// Of a device.
pub struct State {
    host: HostHandle,
    params: Params,
    rank: u32,
    fabric: Arc<Fabric>,
    /// Endpoints by rank, as long as they are not removed.
    endpoints: Mutex<Vec<Option<Arc<Peer>>>>,
    /// Ranks that the host knows to be gone.
    told: Box<[AtomicBool]>,
}

/// Of a CRI, which is used with its lock held.
pub struct Instance {
    random: Random,
    queue: Queue,
}

/// An endpoint.
pub struct Peer {
    rank: u32,
}

impl State {
    fn needs_registration(&self) -> bool {
        self.params.registration.get() != REGISTRATION_NONE
    }

    fn alive(&self, peer: u32) -> Result<(), Failure> {
        match self.fabric.is_cut(self.rank, peer) {
            true => Err(Failure::new(ERR_PEER, format!("rank {peer} is gone"))),
            false => Ok(()),
        }
    }

    /// What a key leads to.
    ///
    /// # Safety
    /// The key is null or was unpacked and not released.
    unsafe fn access(&self, key: *mut c_void, peer: u32) -> Access {
        if !self.needs_registration() {
            return Access { rank: peer, region: None };
        }
        if key.is_null() {
            broken("an operation has no key");
        }
        // SAFETY: promised by the caller.
        let access = unsafe { *key.cast::<Access>() };
        if access.rank != peer {
            broken(&format!("a key of rank {} is used with rank {peer}", access.rank));
        }
        access
    }

    /// Checks this side of a transfer.
    fn check_local(&self, transfer: &BtlTransfer) {
        let BtlTransfer { local, registration, len, .. } = *transfer;
        let all =
            ![REGISTRATION_NONE, REGISTRATION_REMOTE].contains(&self.params.registration.get());
        if all {
            let access = Access { rank: self.rank, region: Some(registration.addr() as u64) };
            self.fabric.reach(
                access,
                "local memory",
                (local.addr() as u64, len),
                BTL_LOCAL,
                |_| (),
            );
        }
    }
}

impl Component for Net {
    type Params = Params;

    fn register(registrar: &Registrar<'_>) -> Result<Params, Failure> {
        Params::register(registrar)
    }

    fn open(host: HostHandle, params: Params) -> Result<Self, Failure> {
        let job = host.job();
        let cris = params.cris.get() as usize;
        let fabric = Fabric::join(job, cris);
        let mut capabilities = match params.atomics.get() {
            ATOMICS_NONE => 0,
            ATOMICS_64_ONLY => BTL_ATOMIC_64,
            _ => BTL_ATOMIC_64 | BTL_ATOMIC_32,
        };
        let mut with = |holds: bool, capability: u64| {
            capabilities |= if holds { capability } else { 0 };
        };
        with(params.global.get() && params.atomics.get() != ATOMICS_NONE, BTL_ATOMIC_GLOBAL);
        with(params.registration.get() != REGISTRATION_NONE, BTL_NEEDS_REGISTRATION);
        with(params.registration.get() == REGISTRATION_REMOTE, BTL_LOCAL_UNREGISTERED);
        with(params.order.get() == 0, BTL_IN_ORDER);
        with(params.mapped.get() != MAPPED_NONE, BTL_ALLOCATE);
        let message = params.eager_limit.get() as u32 + BTL_HEADER_ROOM as u32;
        let view = BtlModule {
            capabilities,
            immediate_limit: message,
            packed_limit: message,
            eager_limit: params.eager_limit.get(),
            key_size: KEY as u32,
            put_limit: if params.put.get() { params.put_limit.get() } else { 0 },
            get_limit: if params.get.get() { params.get_limit.get() } else { 0 },
            get_alignment: params.get_alignment.get() as u32,
            latency: 1_000,
            bandwidth: 10_000,
            ..BtlModule::named(c"net")
        };
        let size = job.size as usize;
        let state = State {
            host,
            params,
            rank: job.rank,
            fabric,
            endpoints: Mutex::new(vec![None; size]),
            told: (0..size).map(|_| AtomicBool::new(false)).collect(),
        };
        let seed = params.seed.get() as u64;
        let instance = |cri: usize| Instance {
            random: Random::new(seed ^ (u64::from(job.rank) << 40) ^ ((cri as u64) << 20)),
            queue: Queue::default(),
        };
        Ok(Self { device: DeviceBox::new(host, view, state, (0..cris).map(instance))? })
    }

    fn query(&self, _scope: &Scope) -> Answer {
        Answer::Priority(15)
    }
}

/// Puts a message into the inbox of a peer, if there is room.
fn send(
    Way { device, cri, endpoint }: Way<'_, Net>,
    tag: u8,
    (header, payload): (u32, u32),
    write: impl FnOnce(*mut u8) -> usize,
) -> Attempted {
    let (len, limit) = (header as usize + payload as usize, device.view().immediate_limit as usize);
    if len > limit {
        return Err(too_long("a message", len, limit));
    }
    device.alive(endpoint.rank)?;
    let (from, lane) = (device.rank, cri.index());
    let mut inbox = device.fabric.inbox(endpoint.rank, lane);
    let most = device.params.lane.get() as usize;
    if inbox.waiting(from, lane) >= most || cri.random.chance(device.params.busy.get()) {
        return Ok(Outcome::NoResources);
    }
    let mut block = vec![0_u64; len.div_ceil(8).max(1)].into_boxed_slice();
    let len = write(block.as_mut_ptr().cast());
    inbox.push(Message { from, lane, tag, len, block });
    Ok(Outcome::Done)
}

/// Whether there is room for an operation.
fn has_room(Way { device, cri, endpoint }: Way<'_, Net>) -> Result<bool, Failure> {
    device.alive(endpoint.rank)?;
    let full = cri.queue.len() >= device.params.depth.get() as usize;
    Ok(!full && !cri.random.chance(device.params.busy.get()))
}

impl Btl for Net {
    type State = State;
    type Cri = Instance;
    type Endpoint = Peer;

    fn devices(&self) -> &[DeviceBox<Self>] {
        std::slice::from_ref(&self.device)
    }

    fn add_peer(device: &Device<Self>, peer: &PeerView) -> Result<Option<Arc<Peer>>, Failure> {
        let rank = peer.rank as usize;
        if peer.is(PEER_SELF) || peer.job != 0 || rank >= device.told.len() {
            return Ok(None);
        }
        device.alive(peer.rank)?;
        let made = Arc::new(Peer { rank: peer.rank });
        device.endpoints.lock().expect("not poisoned")[rank] = Some(Arc::clone(&made));
        Ok(Some(made))
    }

    fn remove_peer(device: &Device<Self>, endpoint: Arc<Peer>) {
        device.endpoints.lock().expect("not poisoned")[endpoint.rank as usize] = None;
    }

    fn progress(device: &Device<Self>, cri: &OwnCri<Instance>) -> u32 {
        let delivered = deliver(device, cri);
        let completed = queue::advance(device, cri);
        delivered + completed + mourn(device)
    }

    unsafe fn send_immediate(way: Way<'_, Self>, message: &BtlMessage) -> Attempted {
        let lens = (message.header_len, message.payload_len);
        send(way, message.tag, lens, |block| {
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
        send(way, message.tag, (message.header_len, message.payload_len), |block| {
            let header = message.header_len as usize;
            // SAFETY: as above.
            unsafe {
                copy(message.header, block, header);
                header + message.pack_to(block.add(header))
            }
        })
    }

    unsafe fn put(way: Way<'_, Self>, transfer: &BtlTransfer, completion: Completion) -> Attempted {
        let Way { device, cri, endpoint } = way;
        let BtlTransfer { local, remote, key, len, .. } = *transfer;
        if !device.params.put.get() || len as u64 > device.params.put_limit.get() || len == 0 {
            broken(&format!("a put of {len} bytes"));
        }
        if !has_room(way)? {
            return Ok(Outcome::NoResources);
        }
        // SAFETY: promised by the caller.
        let access = unsafe { device.access(key, endpoint.rank) };
        device.check_local(transfer);
        device.fabric.reach(access, "a put", (remote, len), BTL_REMOTE_WRITE, |_| ());
        let put = What::Put { access, local: local.cast_const().cast(), remote, len };
        cri.queue.push(put, completion);
        Ok(Outcome::Queued)
    }

    unsafe fn get(way: Way<'_, Self>, transfer: &BtlTransfer, completion: Completion) -> Attempted {
        let Way { device, cri, endpoint } = way;
        let BtlTransfer { local, remote, key, len, .. } = *transfer;
        if !device.params.get.get() || len as u64 > device.params.get_limit.get() || len == 0 {
            broken(&format!("a get of {len} bytes"));
        }
        let alignment = device.params.get_alignment.get() as u64;
        let aligned = |number: u64| number.is_multiple_of(alignment);
        if ![local.addr() as u64, remote, len as u64].into_iter().all(aligned) {
            broken(&format!("a get of {len} bytes from {remote:#x} to {local:p}"));
        }
        if !has_room(way)? {
            return Ok(Outcome::NoResources);
        }
        if cri.random.chance(device.params.refused.get()) {
            return Err(Failure::new(ERR_UNSUPPORTED, "a get that is refused"));
        }
        // SAFETY: promised by the caller.
        let access = unsafe { device.access(key, endpoint.rank) };
        device.check_local(transfer);
        device.fabric.reach(access, "a get", (remote, len), BTL_REMOTE_READ, |_| ());
        cri.queue.push(What::Get { access, local: local.cast(), remote, len }, completion);
        Ok(Outcome::Queued)
    }

    unsafe fn atomic(way: Way<'_, Self>, atomic: &BtlAtomic, completion: Completion) -> Attempted {
        let Way { device, cri, endpoint } = way;
        let able = match device.params.atomics.get() {
            ATOMICS_NONE => &[][..],
            ATOMICS_64_ONLY => &[8],
            _ => &[4, 8],
        };
        let place = (atomic.remote, atomic.width as usize);
        if !able.contains(&place.1) || !place.0.is_multiple_of(u64::from(atomic.width)) {
            broken(&format!("an atomic on {} bytes at {:#x}", place.1, place.0));
        }
        if !has_room(way)? {
            return Ok(Outcome::NoResources);
        }
        // SAFETY: promised by the caller.
        let access = unsafe { device.access(atomic.key, endpoint.rank) };
        device.fabric.reach(access, "an atomic", place, BTL_REMOTE_ATOMIC, |_| ());
        cri.queue.push(What::Atomic { access, atomic: *atomic }, completion);
        Ok(Outcome::Queued)
    }

    fn flush(
        device: &Device<Self>,
        cri: &OwnCri<Instance>,
        endpoint: Option<&Peer>,
        completion: Completion,
    ) -> Attempted {
        if let Some(endpoint) = endpoint {
            device.alive(endpoint.rank)?;
        }
        if cri.random.chance(device.params.busy.get()) {
            return Ok(Outcome::NoResources);
        }
        let to = endpoint.map(|endpoint| endpoint.rank);
        cri.queue.push(What::Flush { to }, completion);
        Ok(Outcome::Queued)
    }

    unsafe fn register_memory(
        device: &Device<Self>,
        address: *mut c_void,
        len: usize,
        access: u32,
    ) -> Result<*mut c_void, Failure> {
        if access & BTL_REMOTE_ATOMIC != 0 && device.params.atomics.get() == ATOMICS_NONE {
            return Err(Failure::new(ERR_UNSUPPORTED, "there are no atomics"));
        }
        let base = address.expose_provenance() as u64;
        let region = Region { base, len, access, keys: 0, allocated: None };
        Ok(device.fabric.register(device.rank, region))
    }

    unsafe fn deregister_memory(device: &Device<Self>, registration: *mut c_void) {
        if device.fabric.deregister(device.rank, registration).allocated.is_some() {
            broken("memory of the device is to be freed, and not deregistered");
        }
    }

    unsafe fn pack_key(
        device: &Device<Self>,
        registration: *mut c_void,
        key: &mut [u8],
    ) -> Result<(), Failure> {
        let number = registration.addr() as u64;
        let access = Access { rank: device.rank, region: Some(number) };
        device.fabric.reach(access, "a key", (0, 0), 0, |_| ());
        key[..4].copy_from_slice(&MAGIC.to_le_bytes());
        key[4..8].copy_from_slice(&device.rank.to_le_bytes());
        key[8..16].copy_from_slice(&number.to_le_bytes());
        key[16..].copy_from_slice(&(!number).to_le_bytes());
        Ok(())
    }

    fn unpack_key(
        device: &Device<Self>,
        endpoint: &Peer,
        packed: &[u8],
    ) -> Result<*mut c_void, Failure> {
        let word = |at: usize| u32::from_le_bytes(packed[at..at + 4].try_into().expect("four"));
        let long = |at: usize| u64::from_le_bytes(packed[at..at + 8].try_into().expect("eight"));
        if packed.len() != KEY || word(0) != MAGIC || long(8) != !long(16) {
            broken(&format!("it is no key: {packed:?}"));
        }
        if word(4) != endpoint.rank {
            broken(&format!("a key of rank {} is unpacked for rank {}", word(4), endpoint.rank));
        }
        let access = Access { rank: word(4), region: Some(long(8)) };
        device.fabric.hold_key(access, 1);
        Ok(Box::into_raw(Box::new(access)).cast())
    }

    unsafe fn release_key(device: &Device<Self>, key: *mut c_void) {
        // SAFETY: `unpack_key` boxed it.
        let access = unsafe { *Box::from_raw(key.cast::<Access>()) };
        device.fabric.hold_key(access, -1);
    }

    fn allocate_memory(
        device: &Device<Self>,
        len: usize,
    ) -> Result<(*mut c_void, *mut c_void), Failure> {
        let none = |_| Failure::new(ERR_RESOURCES, "so much memory is not there");
        let layout = Layout::from_size_align(len, 4096).map_err(none)?;
        // SAFETY: it is not empty.
        let base = unsafe { alloc_zeroed(layout) };
        if base.is_null() {
            return Err(Failure::new(ERR_RESOURCES, "so much memory is not there"));
        }
        let access = BTL_LOCAL | BTL_REMOTE_READ | BTL_REMOTE_WRITE | BTL_REMOTE_ATOMIC;
        let address = base.expose_provenance() as u64;
        let region = Region { base: address, len, access, keys: 0, allocated: Some(layout) };
        Ok((base.cast(), device.fabric.register(device.rank, region)))
    }

    unsafe fn free_memory(device: &Device<Self>, registration: *mut c_void) {
        let region = device.fabric.deregister(device.rank, registration);
        let Some(layout) = region.allocated else {
            broken("memory is freed that is not the device's")
        };
        if region.keys > 0 && !device.fabric.is_any_dead() {
            broken("memory is freed, and peers have keys of it");
        }
        let base = std::ptr::with_exposed_provenance_mut::<u8>(region.base as usize);
        // SAFETY: `allocate_memory` allocated it so.
        unsafe { dealloc(base, layout) };
    }

    unsafe fn map_key(
        device: &Device<Self>,
        key: *mut c_void,
        remote: u64,
        len: usize,
    ) -> Result<*mut c_void, Failure> {
        let mapped = device.params.mapped.get();
        if mapped == MAPPED_NONE || !device.needs_registration() {
            return Ok(std::ptr::null_mut());
        }
        // SAFETY: promised by the caller.
        let access = unsafe { *key.cast::<Access>() };
        let maps = mapped != MAPPED_ODD || access.rank % 2 == 1;
        if !maps || !device.fabric.is_allocated(access) {
            return Ok(std::ptr::null_mut());
        }
        let (place, rights) = ((remote, len), BTL_REMOTE_READ | BTL_REMOTE_WRITE);
        Ok(device.fabric.reach(access, "a pointer", place, rights, <*mut u8>::cast))
    }

    fn describe(_: &Device<Self>, endpoint: &Peer) -> String {
        format!("rank {} of this process", endpoint.rank)
    }
}

/// Hands on messages that have come, and some of them later.
fn deliver(device: &Device<Net>, cri: &OwnCri<Instance>) -> u32 {
    let waiting = device.fabric.inbox(device.rank, cri.index()).len();
    if waiting == 0 {
        return 0;
    }
    let most = cri.random.below(waiting + 1);
    let mut delivered = 0;
    for _ in 0..most {
        let kept = device.params.order.get() == 0;
        let taken = device.fabric.inbox(device.rank, cri.index()).take(&cri.random, kept);
        let Some(message) = taken else { break };
        if device.fabric.is_cut(device.rank, message.from) {
            continue;
        }
        let endpoint =
            device.endpoints.lock().expect("not poisoned")[message.from as usize].clone();
        device.deliver(cri, endpoint.as_deref(), message.tag, message.bytes());
        delivered += 1;
    }
    delivered
}

/// Tells the host of ranks that are gone.
fn mourn(device: &Device<Net>) -> u32 {
    if !device.fabric.is_any_dead() {
        return 0;
    }
    let mut found = 0;
    for (rank, told) in (0..).zip(&device.told) {
        if device.fabric.is_cut(device.rank, rank) && !told.swap(true, Ordering::Relaxed) {
            device.host.peer_failed(rank);
            found += 1;
        }
    }
    found
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
    component: Net,
    name: "net",
    description: "a network in this process that does what networks may do",
}
