//! The component: its life, and the functions of the contract.

use std::cell::{Cell, RefCell, UnsafeCell};
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering, fence};

use cairn_framework::abi::peer::{PEER_LOCAL, PEER_SELF, Peer as PeerView};
use cairn_framework::abi::receive::Received;
use cairn_framework::abi::scope::Scope;
use cairn_framework::abi::status::{ERR_NOT_FOUND, ERR_PROTOCOL, ERR_RESOURCES, ERR_UNSUPPORTED};
use cairn_framework::author::{
    Answer, Attempted, Component, Failure, HostHandle, Outcome, Registrar,
};
use cairn_framework::frameworks::btl::{
    BTL_ALLOCATE, BTL_ATOMIC_32, BTL_ATOMIC_64, BTL_ATOMIC_GLOBAL, BTL_CAN_WAKE, BTL_HEADER_ROOM,
    BTL_IN_ORDER, BTL_LOCAL_UNREGISTERED, BTL_NEEDS_REGISTRATION, BTL_REMOTE_ATOMIC,
    BTL_REMOTE_READ, BTL_REMOTE_WRITE, Btl, BtlAtomic, BtlMessage, BtlModule, BtlPacked,
    BtlTransfer, BtlWake, Completion, DeviceBox, Way, too_long,
};
use cairn_segment::{Options, Owner, Segment, arena_len};
use cairn_transport::Lives;

use crate::blocks::{Blocks, Unpacked};
use crate::cri::{self, SmCri, SmInstance};
use crate::endpoint::{Outbound, Own, Peer};
use crate::large;
use crate::module::{SmDevice, State};
use crate::orders::Refused;
use crate::params::Params;
use crate::receive::Inbox;
use crate::registry::{Key, Registry, Terms};
use crate::ring::{self, INLINE, KIND_MESSAGE};
use crate::smsc::SmscComponents;
use crate::wake;
use crate::wire::Geometry;

/// The transport.
pub struct SharedMemory {
    priority: i32,
    device: DeviceBox<Self>,
}

impl Component for SharedMemory {
    type Params = Params;

    fn register(registrar: &Registrar<'_>) -> Result<Params, Failure> {
        Params::register(registrar)
    }

    /// Makes the segment, publishes its card and gives the pool to the host.
    fn open(host: HostHandle, params: Params) -> Result<Self, Failure> {
        params.check()?;
        let job = host.job();
        let instances = params.instances.number(job, u32::MAX) as usize;
        let local = job.local_size.max(1) as usize;
        let geometry = Geometry {
            instances,
            kept: local,
            // Other processes may have more CRIs than this one.
            rings: local
                + (local * (instances.max(job.cores as usize).max(8) - 1)).min(params.max_rings()),
            ring_size: params.ring_size(job, instances),
        };
        // Where processes are more than processors, receivers sleep before nearly every message: there
        // the senders make the barrier, which costs them far less than interrupting every processor
        // costs the receiver.
        let barriers = !host.job().is_crowded() && wake::register();
        let segment = make_segment(host, &geometry, &params, barriers)
            .map_err(|error| Failure::new(ERR_RESOURCES, error.to_string()))?;
        host.card_put(segment.card())?;

        let bitmap_from = params.bitmap_from.get() as usize;
        let inbox = |index| Inbox::new(&segment, &geometry, index, bitmap_from);
        let own = |index| SmCri {
            inbox: UnsafeCell::new(inbox(index)),
            transfers: RefCell::default(),
            starved: Cell::new(false),
            growing: Cell::new(None),
            senders: RefCell::default(),
            polls: Cell::new(1),
        };
        let cris: Vec<SmCri> = (0..instances).map(own).collect();
        let packed_limit = params.packed_limit(geometry.ring_size);
        let immediate_limit = params.immediate_limit(geometry.ring_size);
        let smsc = SmscComponents::find(host);
        let atomics = BTL_ATOMIC_32 | BTL_ATOMIC_64 | BTL_ATOMIC_GLOBAL;
        let allocate = match segment.len() > geometry.arena() {
            true => BTL_ALLOCATE | atomics,
            false => 0,
        };
        let (limit, registers) = match smsc.is_empty() && allocate == 0 {
            true => (0, 0),
            false => (u64::MAX, BTL_NEEDS_REGISTRATION | BTL_LOCAL_UNREGISTERED),
        };
        let (push_limit, push_limit_recent) = params.push_limits(job, geometry.ring_size);
        let view = BtlModule {
            exclusivity: params.exclusivity.get() as u32,
            capabilities: BTL_IN_ORDER | BTL_CAN_WAKE | registers | allocate,
            immediate_limit: immediate_limit as u32,
            packed_limit: packed_limit as u32,
            key_size: size_of::<u64>() as u32,
            eager_limit: params.eager_limit.get(),
            push_limit,
            push_limit_recent,
            put_limit: limit,
            get_limit: limit,
            latency: params.latency.get() as u32,
            bandwidth: params.bandwidth.get() as u32,
            rma_from: u32::try_from(params.rma_from.get()).unwrap_or(u32::MAX),
            ..BtlModule::named(c"sm")
        };
        let state = State {
            host,
            segment,
            geometry,
            barriers,
            packed_limit,
            immediate_limit,
            grow_from: params.grow_from(job),
            least_ring: params.least_ring(),
            message_limit: ring::longest(geometry.ring_size),
            peers: (0..job.size).map(|_| AtomicPtr::default()).collect(),
            smsc,
            registry: Registry::default(),
            refused: Refused::default(),
            lives: Lives::new(params.watch_interval(), Owner::of),
            blocks: Blocks::default(),
        };
        let device = DeviceBox::<Self>::new(host, view, state, cris)?;
        device.look_seldom()?;
        Ok(Self { priority: params.priority.get() as i32, device })
    }

    fn query(&self, _scope: &Scope) -> Answer {
        Answer::Priority(self.priority)
    }
}

fn make_segment(
    host: HostHandle,
    geometry: &Geometry,
    params: &Params,
    barriers: bool,
) -> Result<Segment, cairn_segment::Error> {
    // SAFETY: the host keeps the string as long as the process lives.
    let job = unsafe { cairn_framework::text::copy(host.job().id) };
    let segment = Segment::create(&Options {
        name: &format!("{job}-sm"),
        len: geometry.arena() + arena_len(geometry.arena()),
        front: geometry.front(),
        backing: params.backing(),
        peers: host.job().local_size.saturating_sub(1),
    })?;
    geometry.write(&segment, barriers);
    Ok(segment)
}

/// The answer when a message of so many bytes finds no room in a ring, or no ring.
#[cold]
fn starved(cri: &SmCri, peer: &Peer, ring: Option<&Outbound>, len: usize) -> Attempted {
    let lack = match ring {
        Some(ring) => peer.lack(ring, len),
        None => peer.has_no_room(len),
    };
    if let Some(failure) = lack {
        return Err(failure);
    }
    cri.starved.set(true);
    Ok(Outcome::NoResources)
}

/// Other memory the processor of a peer does not reach.
fn no_atomics() -> Failure {
    Failure::new(ERR_UNSUPPORTED, "atomics reach only memory that the transport has given out")
}

/// A registration is its key.
fn registered(key: Option<Key>) -> Result<*mut c_void, Failure> {
    let key = key.ok_or_else(|| Failure::new(ERR_RESOURCES, "too much memory is registered"))?;
    Ok(std::ptr::without_provenance_mut(key.0 as usize))
}

impl Btl for SharedMemory {
    type State = State;
    type Cri = SmCri;
    type Endpoint = Peer;

    fn devices(&self) -> &[DeviceBox<Self>] {
        std::slice::from_ref(&self.device)
    }

    fn add_peer(state: &SmDevice, peer: &PeerView) -> Result<Option<Arc<Peer>>, Failure> {
        let place = state.peers.get(peer.rank as usize);
        let Some(place) = place.filter(|_| peer.is(PEER_LOCAL) && peer.job == 0) else {
            return Ok(None);
        };
        let segment = if peer.is(PEER_SELF) {
            state.segment.again().map_err(|error| error.to_string())?
        } else {
            match state.host.card_get(peer.rank) {
                Ok(card) => Peer::attach(card)
                    .map_err(|failure| state.unreachable(peer.rank, card, failure))?,
                // It runs without this transport.
                Err(failure) if failure.status == ERR_NOT_FOUND => return Ok(None),
                Err(failure) => return Err(failure),
            }
        };
        let job = state.host.job();
        let own = Own {
            rank: job.rank,
            local_rank: job.local_rank,
            barriers: state.barriers,
            instances: state.cri_count(),
            least_ring: state.least_ring,
            crowded: job.is_crowded(),
        };
        let owner = segment.owner();
        let made = Peer::new(segment, peer, own)?;
        made.takes(state.view().eager_limit as usize + BTL_HEADER_ROOM)?;
        if !peer.is(PEER_SELF) {
            state.lives.watch(peer.rank, owner);
        }
        let made = Arc::new(made);
        // Release: a thread that finds the endpoint sees what is in it.
        place.store(Arc::as_ptr(&made).cast_mut(), Ordering::Release);
        Ok(Some(made))
    }

    fn remove_peer(state: &SmDevice, peer: Arc<Peer>) {
        let place = &state.peers[peer.rank as usize];
        let own = Arc::as_ptr(&peer).cast_mut();
        let _ = place.compare_exchange(own, null_mut(), Ordering::AcqRel, Ordering::Relaxed);
        state.lives.forget(peer.rank);
        cri::give_up(state, peer.rank);
        peer.smsc.close(&state.smsc);
    }

    #[inline(always)]
    fn progress(device: &SmDevice, cri: &SmInstance) -> u32 {
        cri.polls.set(cri.polls.get().wrapping_add(1));
        // SAFETY: see the inbox.
        let mut events = unsafe { (*cri.inbox.get()).poll(device, cri) };
        // SAFETY: they are not borrowed now. Each pass asks, without a look whether they are.
        if !unsafe { &*cri.transfers.as_ptr() }.is_idle() {
            events += large::progress(device, cri);
        }
        events
    }

    fn seldom(device: &SmDevice) -> u32 {
        cri::reap(device)
    }

    #[inline]
    unsafe fn send_immediate(way: Way<'_, Self>, message: &BtlMessage) -> Attempted {
        let (header, payload) = (message.header_len as usize, message.payload_len as usize);
        // SAFETY: the caller vouches for the message; the body has room for what is not longer.
        unsafe {
            let ring = way.endpoint.ring(way.cri);
            if header + payload > INLINE || !ring.has_line() {
                return send_long(way, message);
            }
            // Only where one message follows the other. A receiver that waits for the next message polls
            // its cache line, and the prefetch would take the line away from it.
            if !ring.answers_now(way.cri.polls.get()) {
                ring.prefetch_ahead();
            }
            let body = ring.body();
            copy_short(message.header.cast(), body, header);
            copy_short(message.payload.cast(), body.add(header), payload);
            ring.send(KIND_MESSAGE, message.tag, header + payload);
        }
        Ok(Outcome::Done)
    }

    #[inline]
    unsafe fn send_packed(
        Way { device: state, cri, endpoint: peer }: Way<'_, Self>,
        message: &BtlPacked,
    ) -> Attempted {
        let (header, payload) = (message.header_len as usize, message.payload_len as usize);
        let len = header + payload;
        if len > state.packed_limit {
            return Err(too_long("a message", len, state.packed_limit));
        }
        // SAFETY: as for `send_immediate`.
        unsafe {
            let Some(mut ring) = peer.outbound(state, cri, len) else {
                return starved(cri, peer, None, len);
            };
            if len <= INLINE {
                let body = ring.body();
                copy_short(message.header.cast(), body, header);
                let packed = message.pack_to(body.add(header));
                ring.answers_now(cri.polls.get());
                ring.send(KIND_MESSAGE, message.tag, header + packed);
                return Ok(Outcome::Done);
            }
            let Some(room) = ring.room(len, cri.polls.get()) else {
                return starved(cri, peer, Some(&ring), len);
            };
            ring.answers_now(cri.polls.get());
            copy_short(message.header.cast(), room.place, header);
            let packed = message.pack_to(room.place.add(header));
            ring.send_room(KIND_MESSAGE, message.tag, header + packed);
        }
        Ok(Outcome::Done)
    }

    unsafe fn put(way: Way<'_, Self>, transfer: &BtlTransfer, _: Completion) -> Attempted {
        let BtlTransfer { local, remote, key, len, .. } = *transfer;
        // SAFETY: promised by the caller.
        match unsafe { Unpacked::of(key) } {
            Some(unpacked) => {
                let to = unpacked.pointer(way.device, remote, len)?;
                // SAFETY: so many bytes are mapped at the pointer; the local ones are promised.
                unsafe { std::ptr::copy(local.cast::<u8>(), to, len) };
                Ok(Outcome::Done)
            }
            // SAFETY: promised by the caller.
            None => unsafe { large::put(way, transfer) },
        }
    }

    unsafe fn get(way: Way<'_, Self>, transfer: &BtlTransfer, completion: Completion) -> Attempted {
        let BtlTransfer { local, remote, key, len, .. } = *transfer;
        // SAFETY: promised by the caller.
        if let Some(unpacked) = unsafe { Unpacked::of(key) }
            && let Some(from) = unpacked.pointer_to_get(way.device, remote, len)?
        {
            // SAFETY: so many bytes are mapped at the pointer; the local ones are promised.
            unsafe { std::ptr::copy(from, local.cast::<u8>(), len) };
            return Ok(Outcome::Done);
        }
        // SAFETY: promised by the caller.
        let transfer = BtlTransfer { key: unsafe { Unpacked::number(key) }, ..*transfer };
        // SAFETY: promised by the caller.
        let outcome = unsafe { large::get(way, &transfer, completion) };
        if let Ok(Outcome::NoResources) = outcome {
            way.cri.starved.set(true);
        }
        outcome
    }

    unsafe fn atomic(way: Way<'_, Self>, atomic: &BtlAtomic, _: Completion) -> Attempted {
        // SAFETY: promised by the caller.
        let Some(unpacked) = (unsafe { Unpacked::of(atomic.key) }) else {
            return Err(no_atomics());
        };
        let place = unpacked.pointer(way.device, atomic.remote, atomic.width as usize)?;
        // SAFETY: promised by the caller; the pointer leads to so many bytes.
        unsafe { atomic.apply(place) }?;
        Ok(Outcome::Done)
    }

    fn flush(_: &SmDevice, _: &SmInstance, _: Option<&Peer>, _: Completion) -> Attempted {
        // All was done by this processor; what it does next is not seen before that.
        fence(Ordering::SeqCst);
        Ok(Outcome::Done)
    }

    unsafe fn register_memory(
        state: &SmDevice,
        address: *mut c_void,
        len: usize,
        access: u32,
    ) -> Result<*mut c_void, Failure> {
        let remote = BTL_REMOTE_READ | BTL_REMOTE_WRITE | BTL_REMOTE_ATOMIC;
        let mapped = access & remote != 0 && state.blocks.contains(address, len);
        if access & BTL_REMOTE_ATOMIC != 0 && !mapped {
            return Err(no_atomics());
        }
        if access & remote == 0 {
            return Ok(null_mut());
        }
        // A peer's order leads back to the memory by its address.
        let place = (address.expose_provenance() as u64, len as u64);
        let terms = if mapped { Terms::Mapped } else { Terms::Open };
        registered(state.registry.add(place, terms))
    }

    unsafe fn offer_memory(
        way: Way<'_, Self>,
        address: *mut c_void,
        len: usize,
    ) -> Result<*mut c_void, Failure> {
        // SAFETY: promised by the caller.
        registered(unsafe { large::offer(way, (address, len)) })
    }

    unsafe fn deregister_memory(state: &SmDevice, registration: *mut c_void) {
        let key = Key(registration.addr() as u64);
        let left = state.registry.remove(key);
        // A single-threaded process may be in a poll now.
        if let Some(instance) = left.offered {
            large::withdraw(state, &state.hold(instance as usize), key);
        }
        // A reader that took another way has not waited for ours, and what a peer says need not be so.
        if left.served {
            state.hold_each().for_each(|cri| large::stop_serving(state, &cri, key));
        }
    }

    unsafe fn pack_key(
        _: &SmDevice,
        registration: *mut c_void,
        key: &mut [u8],
    ) -> Result<(), Failure> {
        key.copy_from_slice(&(registration.addr() as u64).to_le_bytes());
        Ok(())
    }

    fn unpack_key(_: &SmDevice, peer: &Peer, packed: &[u8]) -> Result<*mut c_void, Failure> {
        let key = packed.try_into().map(u64::from_le_bytes).map_err(|_| "a key has eight bytes")?;
        let key = Key::of_peer(key).ok_or_else(|| Failure::new(ERR_PROTOCOL, "it is no key"))?;
        Ok(Unpacked::pack(peer.rank, key))
    }

    unsafe fn release_key(_: &SmDevice, key: *mut c_void) {
        // SAFETY: promised by the caller.
        unsafe { Unpacked::release(key) };
    }

    fn allocate_memory(
        state: &SmDevice,
        len: usize,
    ) -> Result<(*mut c_void, *mut c_void), Failure> {
        let (block, key) = state.blocks.allocate(state, len)?;
        Ok((block, registered(Some(key))?))
    }

    unsafe fn free_memory(state: &SmDevice, registration: *mut c_void) {
        let key = Key(registration.addr() as u64);
        if let Some(address) = state.registry.address(key) {
            // SAFETY: promised by the caller.
            unsafe {
                Self::deregister_memory(state, registration);
                state.blocks.free(state, address);
            }
        }
    }

    unsafe fn map_key(
        state: &SmDevice,
        key: *mut c_void,
        remote: u64,
        len: usize,
    ) -> Result<*mut c_void, Failure> {
        // SAFETY: promised by the caller.
        match unsafe { Unpacked::of(key) } {
            Some(unpacked) => Ok(unpacked.pointer(state, remote, len)?.cast()),
            None => Ok(null_mut()),
        }
    }

    fn arm(state: &SmDevice, cri: &SmInstance) -> Result<Option<BtlWake>, Failure> {
        // A sender that lacks ring space is not signalled; it must poll. Slots of a transfer ring no bell.
        if cri.starved.replace(false) || !cri.transfers.borrow().is_idle() {
            return Ok(None);
        }
        // SAFETY: see the inbox.
        let word = unsafe { (*cri.inbox.get()).arm(state.barriers) };
        Ok(word.map(|(word, expected)| BtlWake::word(word, expected)))
    }

    #[inline]
    fn wait_for_more(_: &SmDevice, cri: &SmInstance, received: &Received, have: usize) -> usize {
        cri.growing.get().map_or(received.len, |growing| growing.wait(cri, have))
    }

    fn message_limit(_: &SmDevice, peer: &Peer) -> usize {
        peer.message_limit()
    }

    fn describe(state: &SmDevice, peer: &Peer) -> String {
        format!("{}; {}", peer.describe(), state.smsc.describe())
    }
}

/// `send_immediate` of what does not fit a line, or does not find one.
///
/// # Safety
/// As for `send_immediate`.
#[inline(never)]
unsafe fn send_long(
    Way { device: state, cri, endpoint: peer }: Way<'_, SharedMemory>,
    message: &BtlMessage,
) -> Attempted {
    let (header, payload) = (message.header_len as usize, message.payload_len as usize);
    let (len, limit) = (header + payload, state.immediate_limit);
    if len > limit {
        return Err(too_long("a message", len, limit));
    }
    // SAFETY: as for `send_immediate`; the room is as long as asked for.
    unsafe {
        let Some(mut ring) = peer.outbound(state, cri, len) else {
            return starved(cri, peer, None, len);
        };
        let Some(room) = ring.room(len, cri.polls.get()) else {
            return starved(cri, peer, Some(&ring), len);
        };
        let answers = ring.answers_now(cri.polls.get());
        if (answers || len >= LONG) && state.grows(message.tag, len) {
            ring.send_growing(room, message);
            return Ok(Outcome::Done);
        }
        let kind = ring.copy(message.payload.cast(), room.place.add(header), payload);
        // Behind the payload: the receiver looks at this line all the time, which would take it away meanwhile.
        copy_short(message.header.cast(), room.place, header);
        ring.send_room(kind, message.tag, len);
    }
    Ok(Outcome::Done)
}

/// Bytes of a message that grows also where it follows another one: the receiver is told of each piece in less than a
/// hundredth of the time that it takes.
const LONG: usize = 128 << 10;

/// Copies a few bytes without a call.
///
/// # Safety
/// Both sides have `len` bytes and do not overlap.
#[inline(always)]
unsafe fn copy_short(from: *const u8, to: *mut u8, len: usize) {
    // Two halves that may overlap each other cover every length up to twice theirs.
    macro_rules! halves {
        ($word:ty) => {{
            let last = len - size_of::<$word>();
            // SAFETY: the length is at least that of the word.
            unsafe {
                let first = from.cast::<$word>().read_unaligned();
                let second = from.add(last).cast::<$word>().read_unaligned();
                to.cast::<$word>().write_unaligned(first);
                to.add(last).cast::<$word>().write_unaligned(second);
            }
        }};
    }
    // The most frequent sizes of headers and payloads come first.
    if len >= 8 {
        if len <= 16 {
            halves!(u64);
        } else if len <= 32 {
            halves!(u128);
        } else if len <= 64 {
            halves!([u128; 2]);
        } else {
            // SAFETY: promised by the caller.
            unsafe { std::ptr::copy_nonoverlapping(from, to, len) };
        }
    } else if len >= 4 {
        halves!(u32);
    } else if len >= 2 {
        halves!(u16);
    } else if len == 1 {
        halves!(u8);
    }
}

cairn_framework::component! {
    framework: btl,
    component: SharedMemory,
    name: "sm",
    description: "messages through memory that the processes of a node share",
    aliases: "vader",
}

#[cfg(all(test, not(feature = "loom")))]
mod tests;
