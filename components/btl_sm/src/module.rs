//! The one device, its instances, and the functions of the contract.

use std::cell::{Cell, UnsafeCell};
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicPtr, Ordering};

use cairn_framework::abi::host::{LOG_INFO, PROGRESS_SELDOM};
use cairn_framework::abi::peer::{PEER_LOCAL, PEER_SELF, Peer as PeerView};
use cairn_framework::abi::pool::{Cri, CriPool};
use cairn_framework::abi::receive::{RECEIVE_TAGS, ReceiveEntry};
use cairn_framework::abi::status::{ERR_ARGUMENT, ERR_NOT_FOUND, ERR_PEER, ERR_RESOURCES};
use cairn_framework::author::{Failure, HostHandle, Outcome};
use cairn_framework::frameworks::btl::{
    BTL_CAN_WAKE, BTL_EXCLUSIVITY_SHARED_MEMORY, BTL_GET, BTL_IN_ORDER, BTL_LOCAL_UNREGISTERED,
    BTL_NEEDS_REGISTRATION, BTL_REMOTE_READ, BTL_SEND_IMMEDIATE, BTL_SEND_PACKED, Btl,
    BtlCompletion, BtlMessage, BtlModule, BtlPacked, BtlTransfer, BtlWake, Device, Endpoint,
};
use cairn_segment::{Life, Options, Owner, Segment};

use crate::component::SharedMemory;
use crate::endpoint::{Own, Peer};
use crate::large::{self, Transfers};
use crate::life::Lives;
use crate::movers::Movers;
use crate::orders::Refused;
use crate::params::{IMMEDIATE_LIMIT, Params};
use crate::receive::Inbox;
use crate::registry::{Key, Registry, Terms};
use crate::ring::{INLINE, KIND_MESSAGE};
use crate::wake;
use crate::wire::Geometry;

/// Room that is kept for the protocol layer's header in a message of `eager_limit` bytes.
const HEADER_ROOM: usize = 128;

/// An instance. Everything but the lock is used with the lock held.
#[repr(C, align(128))]
struct Line {
    cri: Cri,
    inbox: UnsafeCell<Inbox>,
    transfers: UnsafeCell<Transfers>,
    /// A sender was refused for want of room since the last `arm`.
    starved: Cell<bool>,
    /// It was polled since the last short message was sent.
    polled: Cell<bool>,
}

/// What the functions of the contract work on. Constant, but for the endpoints.
pub struct State {
    pub host: HostHandle,
    pub table: &'static [ReceiveEntry; RECEIVE_TAGS],
    pub segment: Segment,
    pub geometry: Geometry,
    /// This process is registered for barriers; see `wake`.
    barriers: bool,
    pub packed_limit: usize,
    /// Our endpoint to each rank of the job. Written by `add_peer` and `remove_peer`.
    pub peers: Box<[AtomicPtr<Peer>]>,
    pub movers: Movers,
    pub registry: Registry,
    pub refused: Refused,
    pub lives: Lives,
    pool: *const CriPool,
}

impl State {
    /// Whether all that a process has sent that has ended is with its receivers, or given up: see
    /// `unmapped`. With no instance's lock held, and not from the poll of one.
    ///
    /// Nothing writes to the process's rings any more, so one that was empty stays so, and when each
    /// instance was seen without anything of it, nothing is left.
    fn is_through_with(&self, rank: u32) -> bool {
        // SAFETY: the pool lives as long as the device, which `open` has put into it.
        let (pool, module) = unsafe { (&*self.pool, &*(*self.pool).module.cast::<BtlModule>()) };
        (0..pool.count).map(|index| pool.cri(index)).all(|cri| {
            let _held = cri.guard();
            let own = (&raw const *cri).cast_mut();
            // SAFETY: the lock is held; a single-threaded process is not in a poll now.
            unsafe { (*line(cri).inbox.get()).is_through_with(self, module, own, rank) }
        })
    }

    /// Ends the transfers that are under way with a peer. With no instance's lock held, and not from
    /// the poll of one.
    fn give_up(&self, rank: u32) {
        // SAFETY: the pool lives as long as the device.
        let pool = unsafe { &*self.pool };
        for cri in (0..pool.count).map(|index| pool.cri(index)) {
            let _held = cri.guard();
            // SAFETY: the lock is held; who is single-threaded is not in a poll now.
            unsafe { large::forget(self, line(cri).transfers.get(), rank) };
        }
    }

    /// Our endpoint to a rank of the job, if it is connected.
    ///
    /// # Safety
    /// `remove_peer` is not called for it while the result is in use.
    pub unsafe fn peer(&self, rank: u32) -> Option<&Peer> {
        let peer = self.peers[rank as usize].load(Ordering::Acquire);
        // SAFETY: null or the box of an endpoint, which `remove_peer` frees.
        unsafe { peer.as_ref() }
    }

    /// Why there is no way to a peer whose card this is: it can't be reached, or it has ended.
    #[cold]
    fn unreachable(&self, rank: u32, card: &[u8], failure: Failure) -> Failure {
        if Owner::of(card).is_none_or(|owner| owner.life() != Life::Ended) {
            return failure;
        }
        self.lives.has_ended(rank);
        Failure::new(ERR_PEER, format!("it has ended; {failure}"))
    }

    /// What a component of smsc said when it failed.
    #[cold]
    pub fn reason(&self, status: i32) -> Failure {
        let mut text = vec![0u8; 1024];
        let instance = self.host.instance();
        // SAFETY: the buffer has the length that is passed.
        let len =
            unsafe { (self.host.table().reason)(instance, text.as_mut_ptr().cast(), text.len()) };
        text.truncate(len.min(1023));
        Failure::new(status, String::from_utf8_lossy(&text).into_owned())
    }
}

// SAFETY: constant, but for atomics; the receive table is the host's, for any thread.
unsafe impl Send for State {}
// SAFETY: see `Send`.
unsafe impl Sync for State {}

/// The device with what it owns.
pub struct Port {
    modules: [*mut BtlModule; 1],
    _pool: Box<CriPool>,
    _lines: Box<[Line]>,
    _device: Device<State>,
}

// SAFETY: the host and the callers of the contract use instances under their locks.
unsafe impl Send for Port {}
// SAFETY: see `Send`.
unsafe impl Sync for Port {}

impl Port {
    /// Makes the segment, publishes its card and gives the pool to the host.
    pub fn open(host: HostHandle, params: &Params) -> Result<Self, Failure> {
        let job = host.job();
        let instances = params.instances.number(job, u32::MAX) as usize;
        let local = job.local_size.max(1) as usize;
        let geometry = Geometry {
            instances,
            kept: local,
            // Others may have more instances than we.
            rings: local
                + (local * (instances.max(job.cores as usize).max(8) - 1)).min(params.max_rings()),
            ring_size: params.ring_size(),
        };
        // In a crowd everybody sleeps with every message: there the senders make the barrier, which
        // costs them far less than interrupting every processor costs the receiver.
        let barriers = !host.job().is_crowded() && wake::register();
        let segment = make_segment(&job_name(host), &geometry, params, local, barriers)
            .map_err(|error| Failure::new(ERR_RESOURCES, error.to_string()))?;
        host.card_put(segment.card())?;

        let crowd = params.bitmap_from.get() as usize;
        let lines: Box<[Line]> = (0..instances)
            .map(|index| Line {
                cri: Cri::new(index as u32),
                inbox: UnsafeCell::new(Inbox::new(&segment, &geometry, index, crowd)),
                transfers: UnsafeCell::default(),
                starved: Cell::new(false),
                polled: Cell::new(true),
            })
            .collect();
        let mut pool = Box::new(CriPool {
            struct_size: size_of::<CriPool>() as u32,
            count: instances as u32,
            name: c"btl_sm".as_ptr(),
            instances: lines.as_ptr().cast_mut().cast(),
            stride: size_of::<Line>(),
            progress: Some(progress),
            module: null_mut(),
            strategy: null(),
            strategy_state: null_mut(),
            id: 0,
            arrivals: 0,
        });
        let packed_limit = params.packed_limit();
        let eager_limit = params.eager_limit.get().min((packed_limit - HEADER_ROOM) as u64);
        let movers = Movers::find(host);
        let get = match movers.is_empty() {
            true => 0,
            false => BTL_GET | BTL_NEEDS_REGISTRATION | BTL_LOCAL_UNREGISTERED,
        };
        let view = BtlModule {
            struct_size: size_of::<BtlModule>() as u32,
            exclusivity: BTL_EXCLUSIVITY_SHARED_MEMORY,
            capabilities: BTL_SEND_IMMEDIATE | BTL_SEND_PACKED | BTL_IN_ORDER | BTL_CAN_WAKE | get,
            name: c"sm".as_ptr(),
            state: null_mut(),
            pool: &raw mut *pool,
            ops: null(),
            instance: null_mut(),
            immediate_limit: IMMEDIATE_LIMIT.min(packed_limit) as u32,
            packed_limit: packed_limit as u32,
            gathered_limit: 0,
            gathered_segments: 0,
            key_size: size_of::<u64>() as u32,
            eager_limit,
            put_limit: 0,
            get_limit: if get == 0 { 0 } else { u64::MAX },
            get_alignment: 1,
            latency: 100,
            bandwidth: 10_000,
            reserved: 0,
        };
        let state = State {
            host,
            table: host.receive_table(),
            segment,
            geometry,
            barriers,
            packed_limit,
            peers: (0..job.size).map(|_| AtomicPtr::default()).collect(),
            movers,
            registry: Registry::default(),
            refused: Refused::default(),
            lives: Lives::new(),
            pool: &raw const *pool,
        };
        let device = Device::new(view, state);
        pool.module = device.module().cast();
        // SAFETY: the pool is complete; it and the instances live until the component is closed.
        unsafe { host.pool_add(&raw mut *pool)? };
        // SAFETY: the state stays where it is until the component is closed.
        unsafe {
            let state = (&raw const *device.state()).cast_mut().cast();
            host.progress_add(bury, state, PROGRESS_SELDOM)?;
        }
        Ok(Self { modules: [device.module()], _pool: pool, _lines: lines, _device: device })
    }
}

/// For the names of segments.
fn job_name(host: HostHandle) -> String {
    // SAFETY: the host keeps the string as long as the process lives.
    unsafe { cairn_framework::text::copy(host.job().id) }
}

fn make_segment(
    job: &str,
    geometry: &Geometry,
    params: &Params,
    local: usize,
    barriers: bool,
) -> Result<Segment, cairn_segment::Error> {
    let segment = Segment::create(&Options {
        name: &format!("{job}-sm"),
        len: geometry.len(),
        front: geometry.front(),
        backing: params.backing(),
        peers: local as u32 - 1,
    })?;
    geometry.write(&segment, barriers);
    Ok(segment)
}

/// # Safety
/// `cri` is an instance of this transport, whose lock the caller holds.
unsafe fn line<'a>(cri: *const Cri) -> &'a Line {
    // SAFETY: every instance of the pool is the beginning of a `Line`.
    unsafe { &*cri.cast::<Line>() }
}

unsafe extern "C" fn progress(module: *mut c_void, cri: *mut Cri) -> u32 {
    // SAFETY: the host polls the instances of the pool with what the pool says, under their locks.
    // The inbox is used here and by `arm`, which is not called meanwhile.
    unsafe {
        let view = &*module.cast::<BtlModule>();
        let state = &*view.state.cast::<State>();
        let line = line(cri);
        line.polled.set(true);
        let transfers = line.transfers.get();
        let mut events = (*line.inbox.get()).poll(state, view, cri, transfers);
        if !(*transfers).is_idle() {
            events += large::progress(state, &*cri, transfers);
        }
        events
    }
}

/// Says which peers have ended, and gives up what is under way with them.
unsafe extern "C" fn bury(state: *mut c_void) -> u32 {
    // SAFETY: registered with the state.
    let state = unsafe { &*state.cast::<State>() };
    let ended = state.lives.bury(state.host, |rank| state.is_through_with(rank));
    for rank in &ended {
        state.host.log(LOG_INFO, || format!("the process of rank {rank} has ended"));
        state.host.peer_failed(*rank);
        state.give_up(*rank);
    }
    ended.len() as u32
}

/// The answer when a ring has no room.
///
/// # Safety
/// The instance's lock is held.
#[cold]
unsafe fn starved(cri: &Cri) -> Result<Outcome, Failure> {
    // SAFETY: promised by the caller.
    unsafe { line(cri) }.starved.set(true);
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
        &self.port.modules
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
        if !peer.is(PEER_SELF) {
            state.lives.watch(peer.rank, owner);
        }
        let made = Box::into_raw(Box::new(made));
        // Release: who finds the endpoint sees what is in it.
        place.store(made, Ordering::Release);
        Ok(Some(made.cast()))
    }

    unsafe fn remove_peer(state: &State, endpoint: *mut Endpoint) {
        let peer = endpoint.cast::<Peer>();
        // SAFETY: `add_peer` boxed it, and nobody uses it any more.
        let mut peer = unsafe { Box::from_raw(peer) };
        let place = &state.peers[peer.rank as usize];
        let own = (&raw const *peer).cast_mut();
        let _ = place.compare_exchange(own, null_mut(), Ordering::AcqRel, Ordering::Relaxed);
        state.lives.forget(peer.rank);
        state.give_up(peer.rank);
        peer.lane.close(&state.movers);
    }

    #[inline]
    unsafe fn send_immediate(
        state: &State,
        cri: &Cri,
        endpoint: *mut Endpoint,
        message: &BtlMessage,
    ) -> Result<Outcome, Failure> {
        let (header, payload) = (message.header_len as usize, message.payload_len as usize);
        // SAFETY: the caller holds the instance's lock and vouches for the endpoint and the message;
        // the body has room for what is not longer.
        unsafe {
            let ring = Peer::of(endpoint).ring(cri);
            if header + payload > INLINE || !ring.has_line() {
                return send_long(state, cri, endpoint, message);
            }
            // Only where one message follows the other. Who waits for an answer to each has a receiver that
            // waits for the next one and looks at its line, and would take the line away from it.
            let polled = &line(cri).polled;
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
        // SAFETY: promised by the caller, who holds the instance's lock.
        let outcome = unsafe {
            let transfers = line(cri).transfers.get();
            large::get(state, cri, transfers, Peer::of(endpoint), transfer, completion)
        };
        if let Ok(Outcome::NoResources) = outcome {
            // SAFETY: as above.
            unsafe { line(cri) }.starved.set(true);
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
        // SAFETY: promised by the caller, who holds the instance's lock.
        registered(unsafe {
            let transfers = line(cri).transfers.get();
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
            // SAFETY: the lock is held. Who is single-threaded may be in a poll now, where nothing
            // refers to the transfers across a callback.
            unsafe { large::withdraw(state, line(cri).transfers.get(), key) };
        }
        // A reader that took another way has not waited for ours, and what a peer says need not be so.
        for cri in (0..pool.count).map(|index| pool.cri(index)).filter(|_| left.served) {
            let _held = cri.guard();
            // SAFETY: as above.
            unsafe { large::stop_serving(state, line(cri).transfers.get(), key) };
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
        // SAFETY: an instance of this transport, whose lock the caller holds.
        let line = unsafe { line(cri) };
        // Who waits for room is not woken by anybody: it has to poll.
        if line.starved.replace(false) {
            return Ok(None);
        }
        // SAFETY: the instance's lock is held. Slots of a transfer ring no bell.
        if !unsafe { &*line.transfers.get() }.is_idle() {
            return Ok(None);
        }
        // SAFETY: as in `progress`, which is not called meanwhile.
        let word = unsafe { (*line.inbox.get()).arm(state.barriers) };
        Ok(word.map(|(word, expected)| BtlWake { fd: -1, reserved: 0, word, expected }))
    }

    unsafe fn describe(state: &State, endpoint: *mut Endpoint) -> String {
        // SAFETY: promised by the caller.
        let peer = unsafe { Peer::of(endpoint) };
        format!("{}; {}", peer.describe(), state.movers.describe())
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
    let (len, limit) = (header + payload, state.packed_limit.min(IMMEDIATE_LIMIT));
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

#[cfg(all(test, not(loom)))]
mod tests;
