//! Large messages: get, by the components of the framework smsc.
//!
//! ```text
//!   reader                                             owner
//!   get ─► fetch ─► ticket ─ ─ control message ─ ─►  may it be read? ─► serve
//!   progress: advance ◄─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─► progress: advance
//!   completion          ◄─ ─ ─ ─ refusal ─ ─ ─ ─ ─   when it may not or can't
//! ```
//!
//! Transfers belong to an instance and are used with its lock held. The owner looks an address up in
//! the registrations before it reads it for a peer.
//!
//! **Which component** is the fastest depends on the machine and the size, and on nothing that could
//! be known beforehand. So the first transfers of each size (by powers of two) go by each component
//! in turn, and then by the one that had the best time.

use std::ffi::c_void;
use std::sync::Mutex;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Instant;

use cairn_framework::abi::component::Instance;
use cairn_framework::abi::host::{LOG_DEBUG, LOG_ERROR, LOG_INFO};
use cairn_framework::abi::peer::Peer as PeerView;
use cairn_framework::abi::pool::Cri;
use cairn_framework::abi::status::{
    DONE, ERR_PEER, ERR_PROTOCOL, ERR_UNSUPPORTED, NO_RESOURCES, NOTHING, OK, QUEUED, Status,
};
use cairn_framework::author::{Failure, HostHandle, Outcome};
use cairn_framework::frameworks::btl::{BtlCompletion, BtlTransfer};
use cairn_framework::frameworks::smsc::{SMSC_MAX_TICKET, SmscOps, SmscTicket};

use crate::endpoint::Peer;
use crate::module::State;
use crate::registry::Key;
use crate::ring::{INLINE, KIND_CONTROL};

/// Tag of a control message: an [`Order`].
const ORDER: u8 = 1;
/// Tag of a control message: a [`Refusal`].
const REFUSAL: u8 = 2;

/// Transfers of a size by each component before one is chosen.
const TRIALS: u32 = 3;
/// Components that are considered, the highest priority first.
const MOVERS: usize = 4;
/// Sizes are told apart by their powers of two.
const SIZES: usize = 64;

/// What the owner is asked to do. Fits a slot.
#[repr(C)]
#[derive(Clone, Copy)]
struct Order {
    key: u64,
    remote: u64,
    len: u64,
    /// The component: see [`Mover::id`].
    mover: u16,
    /// Bytes used of `ticket`.
    ticket_len: u16,
    /// The reader's number for the transfer.
    id: u32,
    ticket: [u8; SMSC_MAX_TICKET],
}

const _: () = assert!(size_of::<Order>() == INLINE);

/// The owner does not take part.
#[repr(C)]
#[derive(Clone, Copy)]
struct Refusal {
    id: u32,
    status: i32,
}

/// A component of the framework smsc.
struct Mover {
    name: String,
    /// The same in every process that has the component.
    id: u16,
    ops: &'static SmscOps,
    instance: *mut Instance,
}

/// The components there are, and what is known about their speed.
pub struct Movers {
    all: Vec<Mover>,
    /// By size: which to take, one more than its place; 0 while that is open.
    chosen: [AtomicU32; SIZES],
    trials: [[AtomicU32; MOVERS]; SIZES],
    /// The best time in picoseconds a byte.
    best: [[AtomicU64; MOVERS]; SIZES],
}

// SAFETY: tables and instances are for any thread; the rest is atomic.
unsafe impl Send for Movers {}
// SAFETY: see `Send`.
unsafe impl Sync for Movers {}

impl Movers {
    /// Those that serve the process.
    pub fn find(host: HostHandle) -> Self {
        let all = host.services(c"smsc").into_iter().take(MOVERS).map(|(ops, instance)| {
            // SAFETY: the host gives the framework's completed table, which stays, and a living
            // instance with its name.
            let (ops, name) =
                unsafe { (&*ops.cast::<SmscOps>(), cairn_framework::text::copy((*instance).name)) };
            Mover { id: hash(&name), name, ops, instance }
        });
        Self {
            all: all.collect(),
            chosen: [const { AtomicU32::new(0) }; SIZES],
            trials: [const { [const { AtomicU32::new(0) }; MOVERS] }; SIZES],
            best: [const { [const { AtomicU64::new(u64::MAX) }; MOVERS] }; SIZES],
        }
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The place of the component for `len` bytes among those that this peer can be read by.
    fn choose(&self, peer: &Lines, len: usize) -> Option<usize> {
        let size = len.ilog2() as usize;
        let chosen = self.chosen[size].load(Ordering::Relaxed) as usize;
        if chosen > 0 && peer.0[chosen - 1].is_some() {
            return Some(chosen - 1);
        }
        let usable = || (0..self.all.len()).filter(|place| peer.0[*place].is_some());
        let trials = |place: &usize| self.trials[size][*place].load(Ordering::Relaxed);
        let untried = usable().filter(|place| trials(place) < TRIALS).min_by_key(trials);
        untried.or_else(|| {
            usable().min_by_key(|place| self.best[size][*place].load(Ordering::Relaxed))
        })
    }

    /// Takes a measurement into account; chooses when there are enough.
    fn measured(&self, state: &State, place: usize, len: usize, time: u64) {
        let size = len.ilog2() as usize;
        if self.chosen[size].load(Ordering::Relaxed) > 0 {
            return;
        }
        let picoseconds = (u128::from(time) * 1000 / len as u128) as u64;
        self.best[size][place].fetch_min(picoseconds, Ordering::Relaxed);
        self.trials[size][place].fetch_add(1, Ordering::Relaxed);
        let trials = |place: usize| self.trials[size][place].load(Ordering::Relaxed);
        if (0..self.all.len()).any(|place| trials(place) < TRIALS) {
            return;
        }
        let best = |place: &usize| self.best[size][*place].load(Ordering::Relaxed);
        if let Some(winner) = (0..self.all.len()).min_by_key(best) {
            self.chosen[size].store(winner as u32 + 1, Ordering::Relaxed);
            state.host.log(LOG_INFO, || {
                format!("messages of {} bytes and more: {}", 1u64 << size, self.speeds(size))
            });
        }
    }

    /// What was measured for a size, the chosen one first.
    fn speeds(&self, size: usize) -> String {
        let mut all: Vec<(u64, &str)> = (0..self.all.len())
            .map(|place| {
                (self.best[size][place].load(Ordering::Relaxed), self.all[place].name.as_str())
            })
            .collect();
        all.sort_unstable();
        let shown =
            all.iter().map(|(time, name)| format!("{name} {} MB/s", 1_000_000 / time.max(&1)));
        shown.collect::<Vec<_>>().join(", ")
    }

    /// What was chosen, for a person.
    pub fn describe(&self) -> String {
        let decided = (0..SIZES).filter(|size| self.chosen[*size].load(Ordering::Relaxed) > 0);
        let sizes: Vec<String> =
            decided.map(|size| format!("from {} B: {}", 1u64 << size, self.speeds(size))).collect();
        if sizes.is_empty() { "no large messages yet".into() } else { sizes.join("; ") }
    }
}

/// FNV-1a, folded.
fn hash(name: &str) -> u16 {
    let step = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    let hash = name.bytes().fold(0x811c_9dc5, step);
    (hash >> 16 ^ hash) as u16
}

/// A peer as the components have it: by place in [`Movers`], where it can be used.
pub struct Lines([Option<*mut c_void>; MOVERS]);

/// A peer's [`Lines`], made at the first large message.
pub struct Lane {
    view: *const PeerView,
    lines: OnceLock<Lines>,
}

// SAFETY: peers of components are for any thread, and the view is the host's and stays.
unsafe impl Send for Lane {}
// SAFETY: see `Send`.
unsafe impl Sync for Lane {}

impl Lane {
    pub fn new(view: &PeerView) -> Self {
        Self { view, lines: OnceLock::new() }
    }

    fn lines(&self, state: &State) -> &Lines {
        self.lines.get_or_init(|| {
            let mut lines = Lines([None; MOVERS]);
            for (line, mover) in lines.0.iter_mut().zip(&state.movers.all) {
                let mut peer = std::ptr::null_mut();
                // SAFETY: the table is complete and the component open, since transports close
                // first; the view is the host's and stays.
                let status = unsafe {
                    (mover.ops.peer_open.unwrap_unchecked())(mover.instance, &*self.view, &mut peer)
                };
                *line = (status == OK).then_some(peer);
                if status != OK {
                    state.host.log(LOG_DEBUG, || format!("{} is not for this peer", mover.name));
                }
            }
            lines
        })
    }

    /// Ends what was made. No transfer with the peer is under way.
    pub fn close(&mut self, movers: &Movers) {
        if let Some(lines) = self.lines.take() {
            for (line, mover) in lines.0.iter().zip(&movers.all) {
                if let Some(peer) = line {
                    // SAFETY: `peer_open` made it; nobody uses it any more.
                    unsafe { (mover.ops.peer_close.unwrap_unchecked())(mover.instance, *peer) };
                }
            }
        }
    }
}

/// A transfer that is under way.
struct Active {
    /// Place of the component.
    mover: usize,
    transfer: *mut c_void,
    rank: u32,
    role: Role,
}

#[derive(Clone, Copy)]
enum Role {
    Reader { id: u32, completion: *mut BtlCompletion, len: usize, begun: Instant },
    Owner { id: u32 },
}

/// The transfers of one instance.
#[derive(Default)]
pub struct Transfers {
    active: Vec<Active>,
    /// Refusals that found no room: rank, and what to send.
    unsent: Vec<(u32, Refusal)>,
    next: u32,
}

/// Refusals that arrived, until the instance that has the transfer sees them.
#[derive(Default)]
pub struct Refused {
    count: AtomicU32,
    list: Mutex<Vec<(u32, Refusal)>>,
}

/// Starts a get.
///
/// # Safety
/// The instance's lock is held, and `transfers` are its. The local memory and the completion stay
/// until it is called; nobody else uses `transfers` but completions.
pub unsafe fn get(
    state: &State,
    cri: &Cri,
    transfers: *mut Transfers,
    peer: &Peer,
    wanted: &BtlTransfer,
    completion: *mut BtlCompletion,
) -> Result<Outcome, Failure> {
    if wanted.len == 0 {
        return Ok(Outcome::Done);
    }
    let lines = peer.lane.lines(state);
    let Some(place) = state.movers.choose(lines, wanted.len) else {
        let text = format!("no component of smsc can be used with rank {}", peer.rank);
        return Err(Failure::new(ERR_UNSUPPORTED, text));
    };
    let mover = &state.movers.all[place];
    let Some(line) = lines.0[place] else { unreachable!("chosen among those that are there") };
    let begun = Instant::now();
    let (mut ticket, mut transfer) = (SmscTicket::default(), std::ptr::null_mut());
    // SAFETY: the peer is the component's; the caller vouches for the buffer.
    let code = unsafe {
        (mover.ops.fetch.unwrap_unchecked())(
            mover.instance,
            line,
            wanted.remote,
            wanted.local,
            wanted.len,
            &mut ticket,
            &mut transfer,
        )
    };
    if code != DONE {
        return Outcome::from_code(code).map_err(|status| state.reason(status));
    }
    // SAFETY: see above; no reference to the transfers lives across a call of a component.
    unsafe {
        let id = cri.index << 16 | ((*transfers).next & 0xffff);
        if ticket.len > 0 {
            let order = Order {
                key: wanted.key.addr() as u64,
                remote: wanted.remote,
                len: wanted.len as u64,
                mover: mover.id,
                ticket_len: ticket.len as u16,
                id,
                ticket: ticket.data,
            };
            match send(peer, cri, ORDER, &order) {
                Ok(true) => {}
                otherwise => {
                    finish(mover, transfer);
                    return otherwise.map(|_| Outcome::NoResources);
                }
            }
        } else {
            match advance(mover, transfer) {
                DONE => {
                    finish(mover, transfer);
                    let time = begun.elapsed().as_nanos() as u64;
                    state.movers.measured(state, place, wanted.len, time);
                    return Ok(Outcome::Done);
                }
                QUEUED | NOTHING => {}
                status => {
                    finish(mover, transfer);
                    return Err(state.reason(status));
                }
            }
        }
        (*transfers).next = (*transfers).next.wrapping_add(1);
        let role = Role::Reader { id, completion, len: wanted.len, begun };
        (*transfers).active.push(Active { mover: place, transfer, rank: peer.rank, role });
    }
    Ok(Outcome::Queued)
}

/// Sends a control message; whether there was room.
///
/// # Safety
/// The instance's lock is held.
unsafe fn send<M: Copy>(peer: &Peer, cri: &Cri, tag: u8, message: &M) -> Result<bool, Failure> {
    const { assert!(size_of::<M>() <= INLINE) };
    // SAFETY: promised by the caller; the body has room.
    unsafe {
        let Some(ring) = peer.outbound(cri)? else { return Ok(false) };
        ring.body().cast::<M>().write_unaligned(*message);
        ring.send(KIND_CONTROL, tag, size_of::<M>());
    }
    Ok(true)
}

unsafe fn advance(mover: &Mover, transfer: *mut c_void) -> i32 {
    // SAFETY: the component made the transfer.
    unsafe { (mover.ops.advance.unwrap_unchecked())(mover.instance, transfer) }
}

unsafe fn finish(mover: &Mover, transfer: *mut c_void) {
    // SAFETY: the component made the transfer, and nobody uses it any more.
    unsafe { (mover.ops.finish.unwrap_unchecked())(mover.instance, transfer) }
}

/// Reads a message of the type that its tag says.
fn read<M: Copy>(data: *const u8, len: usize) -> Option<M> {
    // SAFETY: there are that many bytes, and every value of them is one of the type, which consists
    // of integers.
    (len == size_of::<M>()).then(|| unsafe { data.cast::<M>().read_unaligned() })
}

/// Handles a control message from `rank`. False when it is not in order.
///
/// # Safety
/// The instance's lock is held, and `transfers` are its; there are `len` bytes at `data`.
pub unsafe fn control(
    state: &State,
    transfers: *mut Transfers,
    rank: u32,
    tag: u8,
    (data, len): (*const u8, usize),
) -> bool {
    match tag {
        ORDER => {
            let Some(order) = read::<Order>(data, len) else { return false };
            // SAFETY: promised by the caller.
            if let Err(failure) = unsafe { serve(state, transfers, rank, &order) } {
                state.host.log(LOG_ERROR, || format!("rank {rank} can't read: {failure}"));
                // SAFETY: as above.
                let unsent = unsafe { &mut (*transfers).unsent };
                unsent.push((rank, Refusal { id: order.id, status: failure.status }));
            }
            true
        }
        REFUSAL => {
            let Some(refusal) = read::<Refusal>(data, len) else { return false };
            state.refused.list.lock().expect("nothing panics with it").push((rank, refusal));
            // Release pairs with the Acquire in `take_refusals`.
            state.refused.count.fetch_add(1, Ordering::Release);
            true
        }
        _ => false,
    }
}

/// Takes part in a peer's get.
///
/// # Safety
/// As for [`control`].
unsafe fn serve(
    state: &State,
    transfers: *mut Transfers,
    rank: u32,
    order: &Order,
) -> Result<(), Failure> {
    let broken = |what: &str| Failure::new(ERR_PROTOCOL, what);
    if !state.registry.allows(Key(order.key), order.remote, order.len) {
        return Err(broken("it asks for memory that was not offered to it"));
    }
    let place = state.movers.all.iter().position(|mover| mover.id == order.mover);
    let place = place.ok_or_else(|| broken("it uses a component of smsc that is not open here"))?;
    let peer = state.peers[rank as usize].load(Ordering::Acquire);
    // SAFETY: an endpoint stays until `remove_peer`, which is not called while a peer reads.
    let peer = unsafe { peer.as_ref() }.ok_or_else(|| broken("it is not connected"))?;
    let mover = &state.movers.all[place];
    let line = peer.lane.lines(state).0[place];
    let line = line.ok_or_else(|| Failure::unavailable(format!("{} fails", mover.name)))?;
    let len = u32::from(order.ticket_len);
    if len as usize > SMSC_MAX_TICKET {
        return Err(broken("its ticket is too long"));
    }
    let ticket = SmscTicket { len, reserved: 0, data: order.ticket };
    let mut transfer = std::ptr::null_mut();
    // SAFETY: the registration covers the bytes and lasts until the reader says that it has them.
    let code = unsafe {
        (mover.ops.serve.unwrap_unchecked())(
            mover.instance,
            line,
            &ticket,
            std::ptr::with_exposed_provenance(order.remote as usize),
            order.len as usize,
            &mut transfer,
        )
    };
    match code {
        DONE => {
            let role = Role::Owner { id: order.id };
            // SAFETY: promised by the caller.
            let active = unsafe { &mut (*transfers).active };
            active.push(Active { mover: place, transfer, rank, role });
            Ok(())
        }
        NO_RESOURCES => Err(Failure::unavailable(format!("{} has no resources", mover.name))),
        status => Err(state.reason(status)),
    }
}

/// Moves what can be moved and returns how often something did.
///
/// # Safety
/// The instance's lock is held, and `transfers` are its.
pub unsafe fn progress(state: &State, cri: &Cri, transfers: *mut Transfers) -> u32 {
    let mut events = 0;
    let mut index = 0;
    // SAFETY: no reference to the transfers lives while a component or a completion is called; a
    // completion may append. The order does not matter.
    unsafe {
        while let Some(active) = (*transfers).get(index) {
            let (mover, transfer) = (&state.movers.all[active.mover], active.transfer);
            match advance(mover, transfer) {
                NOTHING => index += 1,
                QUEUED => {
                    events += 1;
                    index += 1;
                }
                code => {
                    events += 1;
                    finish(mover, transfer);
                    let active = (*transfers).remove(index);
                    ended(state, transfers, active, code);
                }
            }
        }
        if state.refused.count.load(Ordering::Acquire) > 0 {
            take_refusals(state, cri, transfers);
        }
        send_refusals(state, cri, transfers);
    }
    events
}

impl Transfers {
    /// Nothing is under way.
    #[inline]
    pub fn is_idle(&self) -> bool {
        self.active.is_empty() && self.unsent.is_empty()
    }

    fn get(&self, index: usize) -> Option<&Active> {
        self.active.get(index)
    }

    /// Where the transfer lies that the reader numbered so.
    fn reader(&self, rank: u32, number: u32) -> Option<usize> {
        self.active.iter().position(|active| {
            let reads = matches!(active.role, Role::Reader { id, .. } if id == number);
            reads && active.rank == rank
        })
    }

    fn remove(&mut self, index: usize) -> Active {
        self.active.swap_remove(index)
    }
}

/// A transfer is over; it was freed already.
///
/// # Safety
/// As for [`progress`].
unsafe fn ended(state: &State, transfers: *mut Transfers, active: Active, status: Status) {
    match active.role {
        Role::Reader { completion, len, begun, .. } => {
            if status == OK {
                let time = begun.elapsed().as_nanos() as u64;
                state.movers.measured(state, active.mover, len, time);
            }
            // SAFETY: the caller of `get` vouched for it.
            unsafe {
                if let Some(done) = (*completion).done {
                    done(completion, status);
                }
            }
        }
        Role::Owner { id } if status != OK => {
            // SAFETY: promised by the caller.
            unsafe { &mut (*transfers).unsent }.push((active.rank, Refusal { id, status }));
        }
        Role::Owner { .. } => {}
    }
}

/// Ends the transfers of this instance that their owners refused.
///
/// # Safety
/// As for [`progress`].
#[cold]
unsafe fn take_refusals(state: &State, cri: &Cri, transfers: *mut Transfers) {
    let mine: Vec<(u32, Refusal)> = {
        let mut list = state.refused.list.lock().expect("nothing panics with it");
        let mine: Vec<_> =
            list.extract_if(.., |(_, refusal)| refusal.id >> 16 == cri.index).collect();
        state.refused.count.store(list.len() as u32, Ordering::Release);
        mine
    };
    for (rank, refusal) in mine {
        // SAFETY: as in `progress`.
        unsafe {
            if let Some(place) = (*transfers).reader(rank, refusal.id) {
                let active = (*transfers).remove(place);
                finish(&state.movers.all[active.mover], active.transfer);
                // A status of the peer's own making is still an error.
                ended(state, transfers, active, refusal.status.min(-1));
            }
        }
    }
}

/// Sends the refusals that there is room for.
///
/// # Safety
/// As for [`progress`].
unsafe fn send_refusals(state: &State, cri: &Cri, transfers: *mut Transfers) {
    // SAFETY: no callback runs in here.
    let unsent = unsafe { &mut (*transfers).unsent };
    unsent.retain(|(rank, refusal)| {
        let peer = state.peers[*rank as usize].load(Ordering::Acquire);
        // SAFETY: as in `serve`; the instance's lock is held.
        match unsafe { peer.as_ref().map(|peer| send(peer, cri, REFUSAL, refusal)) } {
            Some(Ok(sent)) => !sent,
            // There is nobody to tell.
            None | Some(Err(_)) => false,
        }
    });
}

/// Gives up what is under way with a peer that is removed.
///
/// # Safety
/// As for [`progress`].
pub unsafe fn forget(state: &State, transfers: *mut Transfers, rank: u32) {
    let mut index = 0;
    // SAFETY: as in `progress`.
    unsafe {
        while let Some(active) = (*transfers).get(index) {
            if active.rank != rank {
                index += 1;
                continue;
            }
            let active = (*transfers).remove(index);
            finish(&state.movers.all[active.mover], active.transfer);
            if matches!(active.role, Role::Reader { .. }) {
                ended(state, transfers, active, ERR_PEER);
            }
        }
        let unsent = &mut (*transfers).unsent;
        unsent.retain(|(other, _)| *other != rank);
    }
}
