//! The component: its life, and the functions of the contract.

use std::cell::{Cell, UnsafeCell};
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicPtr, Ordering};

use cairn_framework::abi::host::PROGRESS_SELDOM;
use cairn_framework::abi::peer::{PEER_LOCAL, PEER_SELF, Peer as PeerView};
use cairn_framework::abi::pool::{Cri, CriPool};
use cairn_framework::abi::scope::Scope;
use cairn_framework::abi::status::{ERR_ARGUMENT, ERR_NOT_FOUND, ERR_RESOURCES};
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Outcome, Registrar};
use cairn_framework::frameworks::btl::{
    BTL_CAN_WAKE, BTL_GET, BTL_IN_ORDER, BTL_LOCAL_UNREGISTERED, BTL_NEEDS_REGISTRATION,
    BTL_REMOTE_READ, BTL_SEND_IMMEDIATE, BTL_SEND_PACKED, Btl, BtlCompletion, BtlMessage,
    BtlModule, BtlPacked, BtlTransfer, BtlWake, Device, Endpoint,
};
use cairn_segment::{Options, Segment};

use crate::cri::{self, SmCri};
use crate::endpoint::{Own, Peer};
use crate::large;
use crate::life::Lives;
use crate::module::State;
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
    modules: [*mut BtlModule; 1],
    _pool: Box<CriPool>,
    _cris: Box<[SmCri]>,
    _device: Device<State>,
}

// SAFETY: the host and the callers of the contract use CRIs under their locks.
unsafe impl Send for SharedMemory {}
// SAFETY: see `Send`.
unsafe impl Sync for SharedMemory {}

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
            ring_size: params.ring_size(),
        };
        // Where processes are more than processors, receivers sleep before nearly every message: there
        // the senders make the barrier, which costs them far less than interrupting every processor
        // costs the receiver.
        let barriers = !host.job().is_crowded() && wake::register();
        let segment = make_segment(host, &geometry, &params, barriers)
            .map_err(|error| Failure::new(ERR_RESOURCES, error.to_string()))?;
        host.card_put(segment.card())?;

        let bitmap_from = params.bitmap_from.get() as usize;
        let cris: Box<[SmCri]> = (0..instances)
            .map(|index| SmCri {
                cri: Cri::new(index as u32),
                inbox: UnsafeCell::new(Inbox::new(&segment, &geometry, index, bitmap_from)),
                transfers: UnsafeCell::default(),
                starved: Cell::new(false),
                polled: Cell::new(true),
            })
            .collect();
        let mut pool = Box::new(CriPool {
            struct_size: size_of::<CriPool>() as u32,
            count: instances as u32,
            name: c"btl_sm".as_ptr(),
            instances: cris.as_ptr().cast_mut().cast(),
            stride: size_of::<SmCri>(),
            progress: Some(cri::progress),
            module: null_mut(),
            strategy: null(),
            strategy_state: null_mut(),
            id: 0,
            arrivals: 0,
        });
        let packed_limit = params.packed_limit();
        let smsc = SmscComponents::find(host);
        let get = match smsc.is_empty() {
            true => 0,
            false => BTL_GET | BTL_NEEDS_REGISTRATION | BTL_LOCAL_UNREGISTERED,
        };
        let view = BtlModule {
            struct_size: size_of::<BtlModule>() as u32,
            exclusivity: params.exclusivity.get() as u32,
            capabilities: BTL_SEND_IMMEDIATE | BTL_SEND_PACKED | BTL_IN_ORDER | BTL_CAN_WAKE | get,
            name: c"sm".as_ptr(),
            state: null_mut(),
            pool: &raw mut *pool,
            ops: null(),
            instance: null_mut(),
            immediate_limit: params.immediate_limit.get() as u32,
            packed_limit: packed_limit as u32,
            gathered_limit: 0,
            gathered_segments: 0,
            key_size: size_of::<u64>() as u32,
            eager_limit: params.eager_limit.get(),
            put_limit: 0,
            get_limit: if get == 0 { 0 } else { u64::MAX },
            get_alignment: 1,
            latency: params.latency.get() as u32,
            bandwidth: params.bandwidth.get() as u32,
            reserved: 0,
        };
        let state = State {
            host,
            table: host.receive_table(),
            segment,
            geometry,
            barriers,
            packed_limit,
            immediate_limit: params.immediate_limit.get() as usize,
            message_limit: ring::longest(params.ring_size()),
            peers: (0..job.size).map(|_| AtomicPtr::default()).collect(),
            smsc,
            registry: Registry::default(),
            refused: Refused::default(),
            lives: Lives::new(params.watch_interval()),
            pool: &raw const *pool,
        };
        let device = Device::new(view, state);
        pool.module = device.module().cast();
        // SAFETY: the pool is complete; it and the CRIs live until the component is closed.
        unsafe { host.pool_add(&raw mut *pool)? };
        // SAFETY: the state stays where it is until the component is closed.
        unsafe {
            let state = (&raw const *device.state()).cast_mut().cast();
            host.progress_add(cri::reap, state, PROGRESS_SELDOM)?;
        }
        Ok(Self {
            priority: params.priority.get() as i32,
            modules: [device.module()],
            _pool: pool,
            _cris: cris,
            _device: device,
        })
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
        len: geometry.len(),
        front: geometry.front(),
        backing: params.backing(),
        peers: host.job().local_size.saturating_sub(1),
    })?;
    geometry.write(&segment, barriers);
    Ok(segment)
}

/// The answer when a ring has no room.
///
/// # Safety
/// The CRI's lock is held.
#[cold]
unsafe fn starved(cri: &Cri) -> Result<Outcome, Failure> {
    // SAFETY: promised by the caller.
    unsafe { SmCri::of(cri) }.starved.set(true);
    Ok(Outcome::NoResources)
}

/// A registration is its key.
fn registered(key: Option<Key>) -> Result<*mut c_void, Failure> {
    let key = key.ok_or_else(|| Failure::new(ERR_RESOURCES, "too much memory is registered"))?;
    Ok(std::ptr::without_provenance_mut(key.0 as usize))
}

#[cold]
fn too_long(len: usize, limit: usize) -> Failure {
    Failure::new(ERR_ARGUMENT, format!("a message of {len} bytes; the limit is {limit}"))
}

impl Btl for SharedMemory {
    type Device = State;

    fn modules(&self) -> &[*mut BtlModule] {
        &self.modules
    }

    fn add_peer(
        state: &State,
        view: &BtlModule,
        peer: &PeerView,
    ) -> Result<Option<*mut Endpoint>, Failure> {
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
            pool: view.pool,
        };
        let owner = segment.owner();
        let made = Peer::new(segment, peer, own)?;
        made.takes(state.packed_limit)?;
        if !peer.is(PEER_SELF) {
            state.lives.watch(peer.rank, owner);
        }
        let made = Box::into_raw(Box::new(made));
        // Release: a thread that finds the endpoint sees what is in it.
        place.store(made, Ordering::Release);
        Ok(Some(made.cast()))
    }

    unsafe fn remove_peer(state: &State, endpoint: *mut Endpoint) {
        let peer = endpoint.cast::<Peer>();
        // SAFETY: `add_peer` boxed it, and nothing uses it any more.
        let mut peer = unsafe { Box::from_raw(peer) };
        let place = &state.peers[peer.rank as usize];
        let own = (&raw const *peer).cast_mut();
        let _ = place.compare_exchange(own, null_mut(), Ordering::AcqRel, Ordering::Relaxed);
        state.lives.forget(peer.rank);
        cri::give_up(state, peer.rank);
        peer.smsc.close(&state.smsc);
    }

    #[inline]
    unsafe fn send_immediate(
        state: &State,
        cri: &Cri,
        endpoint: *mut Endpoint,
        message: &BtlMessage,
    ) -> Result<Outcome, Failure> {
        let (header, payload) = (message.header_len as usize, message.payload_len as usize);
        // SAFETY: the caller holds the CRI's lock and vouches for the endpoint and the message;
        // the body has room for what is not longer.
        unsafe {
            let ring = Peer::of(endpoint).ring(cri);
            if header + payload > INLINE || !ring.has_line() {
                return send_long(state, cri, endpoint, message);
            }
            // Only where one message follows the other. A receiver that waits for the next message polls
            // its cache line, and the prefetch would take the line away from it.
            let polled = &SmCri::of(cri).polled;
            if polled.get() {
                polled.set(false);
            } else {
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
        state: &State,
        cri: &Cri,
        endpoint: *mut Endpoint,
        message: &BtlPacked,
    ) -> Result<Outcome, Failure> {
        let (header, payload) = (message.header_len as usize, message.payload_len as usize);
        let len = header + payload;
        if len > state.packed_limit {
            return Err(too_long(len, state.packed_limit));
        }
        let pack = |place: *mut u8| match message.pack {
            // SAFETY: the caller vouches for the function; the place has room for the payload.
            Some(pack) if payload > 0 => unsafe {
                pack(message.context, place.cast(), payload).min(payload)
            },
            _ => 0,
        };
        // SAFETY: as for `send_immediate`.
        unsafe {
            let Some(mut ring) = Peer::of(endpoint).outbound(cri) else { return starved(cri) };
            if len <= INLINE {
                let body = ring.body();
                copy_short(message.header.cast(), body, header);
                let packed = pack(body.add(header));
                ring.send(KIND_MESSAGE, message.tag, header + packed);
                return Ok(Outcome::Done);
            }
            let Some(room) = ring.room(len) else { return starved(cri) };
            copy_short(message.header.cast(), room.place, header);
            let packed = pack(room.place.add(header));
            ring.send_room(room, message.tag, header + packed);
        }
        Ok(Outcome::Done)
    }

    unsafe fn get(
        state: &State,
        cri: &Cri,
        endpoint: *mut Endpoint,
        transfer: &BtlTransfer,
        completion: *mut BtlCompletion,
    ) -> Result<Outcome, Failure> {
        // SAFETY: promised by the caller, with the CRI's lock held.
        let outcome = unsafe {
            let transfers = SmCri::of(cri).transfers.get();
            large::get(state, cri, transfers, Peer::of(endpoint), transfer, completion)
        };
        if let Ok(Outcome::NoResources) = outcome {
            // SAFETY: as above.
            unsafe { SmCri::of(cri) }.starved.set(true);
        }
        outcome
    }

    unsafe fn register_memory(
        state: &State,
        address: *mut c_void,
        len: usize,
        access: u32,
    ) -> Result<*mut c_void, Failure> {
        if access & BTL_REMOTE_READ == 0 {
            return Ok(null_mut());
        }
        // A peer's order leads back to the memory by its address.
        let place = (address.expose_provenance() as u64, len as u64);
        let key = state.registry.add(place, Terms::Open);
        registered(key)
    }

    unsafe fn offer_memory(
        state: &State,
        cri: &Cri,
        endpoint: *mut Endpoint,
        address: *mut c_void,
        len: usize,
    ) -> Result<*mut c_void, Failure> {
        // SAFETY: promised by the caller, with the CRI's lock held.
        registered(unsafe {
            let transfers = SmCri::of(cri).transfers.get();
            large::offer(state, cri, transfers, Peer::of(endpoint), (address, len))
        })
    }

    unsafe fn deregister_memory(state: &State, registration: *mut c_void) {
        let key = Key(registration.addr() as u64);
        let left = state.registry.remove(key);
        // SAFETY: the pool lives as long as the device.
        let pool = unsafe { &*state.pool };
        if let Some(instance) = left.offered {
            let cri = pool.cri(instance);
            let _held = cri.guard();
            // SAFETY: the lock is held. A single-threaded process may be in a poll now, where nothing
            // refers to the transfers across a callback.
            unsafe { large::withdraw(state, SmCri::of(cri).transfers.get(), key) };
        }
        // A reader that took another way has not waited for ours, and what a peer says need not be so.
        for cri in (0..pool.count).map(|index| pool.cri(index)).filter(|_| left.served) {
            let _held = cri.guard();
            // SAFETY: as above.
            unsafe { large::stop_serving(state, SmCri::of(cri).transfers.get(), key) };
        }
    }

    unsafe fn pack_key(
        _state: &State,
        registration: *mut c_void,
        key: &mut [u8],
    ) -> Result<(), Failure> {
        key.copy_from_slice(&(registration.addr() as u64).to_le_bytes());
        Ok(())
    }

    unsafe fn unpack_key(
        _state: &State,
        _endpoint: *mut Endpoint,
        packed: &[u8],
    ) -> Result<*mut c_void, Failure> {
        let key = packed.try_into().map(u64::from_le_bytes).map_err(|_| "a key has eight bytes")?;
        Ok(std::ptr::without_provenance_mut(key as usize))
    }

    fn arm(state: &State, cri: &Cri) -> Result<Option<BtlWake>, Failure> {
        // SAFETY: a CRI of this transport; the caller holds its lock.
        let own = unsafe { SmCri::of(cri) };
        // A sender that lacks ring space is not signalled; it must poll.
        if own.starved.replace(false) {
            return Ok(None);
        }
        // SAFETY: the CRI's lock is held. Slots of a transfer ring no bell.
        if !unsafe { &*own.transfers.get() }.is_idle() {
            return Ok(None);
        }
        // SAFETY: as in `progress`, which is not called meanwhile.
        let word = unsafe { (*own.inbox.get()).arm(state.barriers) };
        Ok(word.map(|(word, expected)| BtlWake { fd: -1, reserved: 0, word, expected }))
    }

    unsafe fn describe(state: &State, endpoint: *mut Endpoint) -> String {
        // SAFETY: promised by the caller.
        let peer = unsafe { Peer::of(endpoint) };
        format!("{}; {}", peer.describe(), state.smsc.describe())
    }
}

/// `send_immediate` of what does not fit a line, or does not find one.
///
/// # Safety
/// As for `send_immediate`.
#[inline(never)]
unsafe fn send_long(
    state: &State,
    cri: &Cri,
    endpoint: *mut Endpoint,
    message: &BtlMessage,
) -> Result<Outcome, Failure> {
    let (header, payload) = (message.header_len as usize, message.payload_len as usize);
    let (len, limit) = (header + payload, state.immediate_limit);
    if len > limit {
        return Err(too_long(len, limit));
    }
    // SAFETY: as for `send_immediate`; the room is as long as asked for.
    unsafe {
        let Some(mut ring) = Peer::of(endpoint).outbound(cri) else { return starved(cri) };
        let Some(room) = ring.room(len) else { return starved(cri) };
        copy_short(message.header.cast(), room.place, header);
        copy(message.payload.cast(), room.place.add(header), payload);
        ring.send_room(room, message.tag, len);
    }
    Ok(Outcome::Done)
}

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

/// Copies a payload.
///
/// # Safety
/// Both sides have `len` bytes; `from` may be null when that is none.
#[inline]
unsafe fn copy(from: *const u8, to: *mut u8, len: usize) {
    if len > 0 {
        // SAFETY: promised by the caller; a ring is no buffer of a user.
        unsafe { std::ptr::copy_nonoverlapping(from, to, len) };
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
