//! Large messages: get, by the components of the framework smsc.
//!
//! ```text
//!   reader                                             owner
//!                       ◄ ─ ─ key, with a ticket ─ ─   offer ─► registration
//!   get ─► accept                                      progress: advance
//!
//!   get ─► fetch ─► ticket ─ ─ control message ─ ─►    may it be read? ─► serve
//!   progress: advance ◄─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─►  progress: advance
//!   completion          ◄─ ─ ─ ─ refusal ─ ─ ─ ─ ─     when it may not or can't
//! ```
//!
//! **Another way.** A component that can't move a message, at the beginning or later, is no reason to
//! fail: the next one does it, from the beginning. So that a reader asks no owner in vain, the key says
//! which components can help there. When none is left, `get` answers `CAIRN_ERR_UNSUPPORTED`, and
//! the protocol layer takes a way without `get`; what fails for good is only what the peer may not read, a
//! peer that breaks the rules, and one that is gone. `CAIRN_NO_RESOURCES` is the answer only while lines
//! of the ring or other transfers are what is missing, which come back.
//!
//! What a process is about to send it offers, if the component can and has room: then the first bytes
//! are on their way before the reader asks. Otherwise the reader asks.
//!
//! What a peer sends makes nothing grow without limit: see [`crate::orders`].
//!
//! Transfers belong to a CRI and are used with its lock held. The owner looks an address up in
//! the registrations before it reads it for a peer.

use std::ffi::c_void;
use std::time::Instant;

use cairn_framework::abi::host::{LOG_ERROR, LOG_INFO};
use cairn_framework::abi::pool::Cri;
use cairn_framework::abi::status::{
    DONE, ERR_PEER, ERR_PROTOCOL, ERR_UNSUPPORTED, NO_RESOURCES, NOTHING, OK, QUEUED, Status,
};
use cairn_framework::author::{Failure, Outcome};
use cairn_framework::frameworks::btl::{BtlCompletion, BtlTransfer};
use cairn_framework::frameworks::smsc::{SMSC_MAX_OFFER, SMSC_MAX_TICKET, SmscTicket};

use crate::endpoint::Peer;
use crate::module::State;
use crate::orders::{MOST_KEPT, Refusal};
use crate::registry::{Key, Offered, Terms};
use crate::ring::{INLINE, KIND_CONTROL};
use crate::smsc::{Handles, SmscComponent};

/// Tag of a control message: an [`Order`].
pub const ORDER: u8 = 1;
/// Tag of a control message: a [`Refusal`].
pub const REFUSAL: u8 = 2;

/// What the owner is asked to do. Fits a slot.
#[repr(C)]
#[derive(Clone, Copy)]
struct Order {
    key: u64,
    remote: u64,
    len: u64,
    /// [`SmscComponent::id`].
    component: u16,
    /// Bytes used of `ticket`.
    ticket_len: u16,
    /// The reader's number for the transfer.
    id: u32,
    ticket: [u8; SMSC_MAX_TICKET],
}

const _: () = assert!(size_of::<Order>() == INLINE);

/// A transfer that is under way.
struct Active {
    /// Place of the component.
    place: usize,
    transfer: *mut c_void,
    rank: u32,
    role: Role,
}

#[derive(Clone, Copy)]
enum Role {
    /// `order`: our number of it, if the owner was asked to take part.
    Reader {
        order: Option<u32>,
        get: Get,
    },
    Owner {
        id: u32,
        key: Key,
    },
}

/// A get that has not ended.
#[derive(Clone, Copy)]
struct Get {
    wanted: BtlTransfer,
    completion: *mut BtlCompletion,
    rank: u32,
    /// Places of components that have failed with it, a bit each.
    failed: u32,
}

impl Get {
    fn key(&self) -> Key {
        Key(self.wanted.key.addr() as u64)
    }

    fn may_use(&self, place: usize) -> bool {
        self.failed >> place & 1 == 0
    }
}

/// Whether a failure is the transfer's, and not only one of the component that has tried.
fn is_final(status: Status) -> bool {
    matches!(status, ERR_PROTOCOL | ERR_PEER)
}

/// A transfer that was offered, until its registration ends.
struct Offer {
    key: Key,
    place: usize,
    transfer: *mut c_void,
    rank: u32,
    /// Nothing is left to do for us.
    over: bool,
}

/// Reads that follow each other without a pause: what they take together is measured, as those that go
/// on at the same time wait for each other.
struct Busy {
    begun: Instant,
    place: usize,
    /// Of the first; the others are of the same power of two.
    len: usize,
    bytes: usize,
    /// Nothing else happened meanwhile.
    pure: bool,
}

/// The transfers of one CRI.
#[derive(Default)]
pub struct Transfers {
    active: Vec<Active>,
    offers: Vec<Offer>,
    /// Offers that are not over.
    unfinished: usize,
    /// From the first read to the end of the last.
    busy: Option<Busy>,
    /// Gets that a component has failed with, and that the next one has no resources for yet.
    again: Vec<Get>,
    /// Refusals that found no room: rank, and what to send.
    unsent: Vec<(u32, Refusal)>,
    /// Orders that were made up.
    next: u32,
}

/// Registers memory for one get by a peer, and begins to move it if a component can do that now.
///
/// # Safety
/// The CRI's lock is held, and `transfers` are its. The memory stays, unchanged, until
/// [`withdraw`].
pub unsafe fn offer(
    state: &State,
    cri: &Cri,
    transfers: *mut Transfers,
    peer: &Peer,
    (address, len): (*mut c_void, usize),
) -> Option<Key> {
    let memory = (address.expose_provenance() as u64, len as u64);
    let handles = peer.smsc.handles(&state.smsc, state.host);
    let (mut ticket, mut transfer) = (SmscTicket::default(), std::ptr::null_mut());
    // A component that can't is no reason to fail: another does, or the peer asks.
    let began = state.smsc.to_offer(&handles, len).find(|place| {
        let (component, Some(handle)) = (&state.smsc.all[*place], handles.0[*place]) else {
            return false;
        };
        // SAFETY: the peer is the component's; the caller vouches for the memory.
        let code = unsafe {
            (component.ops.offer.unwrap_unchecked())(
                component.instance,
                handle.as_ptr(),
                address,
                len,
                &mut ticket,
                &mut transfer,
            )
        };
        code == DONE
    });
    let Some(place) = began else {
        return state.registry.add(memory, Terms::Helpers(handles.numbers(&state.smsc)));
    };
    let component = &state.smsc.all[place];
    let mut bytes = [0; SMSC_MAX_OFFER];
    bytes.copy_from_slice(&ticket.data[..SMSC_MAX_OFFER]);
    let offered = Offered { component: component.number(), ticket: bytes, instance: cri.index };
    let Some(key) = state.registry.add(memory, Terms::Offered(offered)) else {
        // SAFETY: the component made the transfer, and no peer knows of it.
        unsafe { finish(component, transfer) };
        return None;
    };
    // SAFETY: as above.
    unsafe {
        (*transfers).offers.push(Offer { key, place, transfer, rank: peer.rank, over: false });
        (*transfers).unfinished += 1;
        (*transfers).disturbed();
    }
    Some(key)
}

/// Ends an offer: its reader is done, or there never was one.
///
/// # Safety
/// The CRI's lock is held, and `transfers` are its.
pub unsafe fn withdraw(state: &State, transfers: *mut Transfers, key: Key) {
    // SAFETY: promised by the caller.
    unsafe {
        let offers = &mut (*transfers).offers;
        let Some(place) = offers.iter().position(|offer| offer.key == key) else { return };
        let offer = offers.swap_remove(place);
        (*transfers).unfinished -= usize::from(!offer.over);
        finish(&state.smsc.all[offer.place], offer.transfer);
    }
}

/// Starts a get.
///
/// # Safety
/// The CRI's lock is held, and `transfers` are its. The local memory and the completion stay
/// until it is called; only completions use `transfers` besides.
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
    let mut get = Get { wanted: *wanted, completion, rank: peer.rank, failed: 0 };
    // SAFETY: promised by the caller.
    unsafe { start(state, cri, transfers, peer, &mut get) }
}

/// Starts a get with the best of the components that have not failed with it.
///
/// # Safety
/// As for [`get`].
unsafe fn start(
    state: &State,
    cri: &Cri,
    transfers: *mut Transfers,
    peer: &Peer,
    get: &mut Get,
) -> Result<Outcome, Failure> {
    let len = get.wanted.len;
    let handles = peer.smsc.handles(&state.smsc, state.host);
    // SAFETY: promised by the caller.
    let (idle, present) = unsafe { ((*transfers).is_quiet(), (*transfers).present(len)) };
    let present = present.filter(|place| !idle && handles.0[*place].is_some());
    let chosen = present.or_else(|| state.smsc.choose(&handles, len, idle));
    let others = handles.usable().filter(|place| Some(*place) != chosen);
    let (mut busy, mut reasons) = (false, String::new());
    for place in chosen.into_iter().chain(others) {
        if !get.may_use(place) {
            continue;
        }
        // SAFETY: promised by the caller.
        match unsafe { attempt(state, cri, transfers, peer, get, (place, &handles, idle)) } {
            Ok(Some(outcome)) => return Ok(outcome),
            Ok(None) => {
                busy = true;
                // Reads of ours from this peer go on, and with them the component. Without such reads,
                // other processes may keep it busy for long.
                // SAFETY: promised by the caller.
                if unsafe { (*transfers).reads(place, get.rank) } {
                    break;
                }
            }
            Err(failure) if is_final(failure.status) => return Err(failure),
            Err(failure) => {
                reasons.push_str(&format!("; {}: {failure}", state.smsc.all[place].name));
            }
        }
    }
    if busy {
        return Ok(Outcome::NoResources);
    }
    let text = format!("no component of smsc can be used with rank {}{reasons}", get.rank);
    Err(Failure::new(ERR_UNSUPPORTED, text))
}

/// Starts a get with a component; `None` when it can't begin now.
///
/// # Safety
/// As for [`get`].
unsafe fn attempt(
    state: &State,
    cri: &Cri,
    transfers: *mut Transfers,
    peer: &Peer,
    get: &Get,
    (place, handles, idle): (usize, &Handles, bool),
) -> Result<Option<Outcome>, Failure> {
    let (component, wanted, key) = (&state.smsc.all[place], &get.wanted, get.key());
    let Some(handle) = handles.0[place] else { unreachable!("chosen among those that are there") };
    let begun = idle.then(Instant::now);
    let (mut ticket, mut transfer) = (SmscTicket::default(), std::ptr::null_mut());
    let offered = key.offered().filter(|(number, _)| *number == component.number());
    let accepted = offered.map(|(_, bytes)| {
        ticket.data[..bytes.len()].copy_from_slice(&bytes);
        ticket.len = bytes.len() as u32;
        // SAFETY: the peer is the component's; the caller vouches for the buffer.
        unsafe {
            (component.ops.accept.unwrap_unchecked())(
                component.instance,
                handle.as_ptr(),
                &ticket,
                wanted.local,
                wanted.len,
                &mut transfer,
            )
        }
    });
    // What can't be accepted may be asked for.
    let code = match accepted.filter(|code| *code >= DONE) {
        Some(code) => {
            ticket.len = 0;
            code
        }
        None => {
            let alone = || Failure::unavailable("the owner can't help");
            if component.asks() && !key.helps(component.number()) {
                return Err(alone());
            }
            let has_room = || {
                // SAFETY: promised by the caller.
                !peer.orders.is_full() && unsafe { peer.outbound(cri) }.is_some()
            };
            if component.asks() && !has_room() {
                return Ok(None);
            }
            // What it was offered by is no ticket of its own.
            ticket = SmscTicket::default();
            // SAFETY: as above.
            let code = unsafe {
                (component.ops.fetch.unwrap_unchecked())(
                    component.instance,
                    handle.as_ptr(),
                    wanted.remote,
                    wanted.local,
                    wanted.len,
                    &mut ticket,
                    &mut transfer,
                )
            };
            if code == DONE && ticket.len > 0 {
                component.has_asked();
                if !key.helps(component.number()) {
                    // SAFETY: the component made it, and no peer has heard of it.
                    unsafe { finish(component, transfer) };
                    return Err(alone());
                }
            }
            code
        }
    };
    match code {
        DONE => {}
        NO_RESOURCES => return Ok(None),
        // Any other code is a failure.
        status => return state.host.check(status).map(|()| None),
    }
    // SAFETY: see above; no reference to the transfers lives across a call of a component.
    unsafe {
        let mut order = None;
        if ticket.len > 0 {
            // The next try has another number, should this one be that of an open order.
            let id = cri.index << 16 | ((*transfers).next & 0xffff);
            (*transfers).next = (*transfers).next.wrapping_add(1);
            let text = Order {
                key: key.0,
                remote: wanted.remote,
                len: wanted.len as u64,
                component: component.id,
                ticket_len: ticket.len as u16,
                id,
                ticket: ticket.data,
            };
            if !peer.orders.open(id) {
                finish(component, transfer);
                return Ok(None);
            }
            if !send(peer, cri, ORDER, &text) {
                peer.orders.close(&state.refused, get.rank, id);
                finish(component, transfer);
                return Ok(None);
            }
            order = Some(id);
            (*transfers).begun(state, place, wanted.len, begun);
        } else {
            (*transfers).begun(state, place, wanted.len, begun);
            match advance(component, transfer) {
                DONE => {
                    finish(component, transfer);
                    (*transfers).read(state, OK);
                    return Ok(Some(Outcome::Done));
                }
                QUEUED | NOTHING => {}
                status => {
                    let failed = state.host.check(status);
                    finish(component, transfer);
                    (*transfers).read(state, status);
                    return failed.map(|()| None);
                }
            }
        }
        let role = Role::Reader { order, get: *get };
        (*transfers).active.push(Active { place, transfer, rank: get.rank, role });
    }
    Ok(Some(Outcome::Queued))
}

/// Goes on with a get that a component has failed with. Whether anything has happened.
///
/// # Safety
/// As for [`progress`].
unsafe fn start_again(state: &State, cri: &Cri, transfers: *mut Transfers, mut get: Get) -> bool {
    // SAFETY: as in `serve`.
    let started = match unsafe { state.peer(get.rank) } {
        // SAFETY: promised by the caller.
        Some(peer) => unsafe { start(state, cri, transfers, peer, &mut get) },
        None => Err(Failure::new(ERR_PEER, "it is not connected")),
    };
    // SAFETY: as above.
    unsafe {
        match started {
            Ok(Outcome::Done) => complete(get.completion, OK),
            Ok(Outcome::NoResources) => {
                (*transfers).again.push(get);
                return false;
            }
            Ok(_) => {}
            Err(failure) => {
                state.host.log(LOG_INFO, || format!("a large message: {failure}"));
                complete(get.completion, failure.status);
            }
        }
    }
    true
}

/// # Safety
/// The completion is that of a get, and was not called yet.
unsafe fn complete(completion: *mut BtlCompletion, status: Status) {
    // SAFETY: promised by the caller; the caller of `get` vouched for the completion.
    unsafe {
        if let Some(done) = (*completion).done {
            done(completion, status);
        }
    }
}

/// Sends a control message; whether there was room.
///
/// # Safety
/// The CRI's lock is held.
unsafe fn send<M: Copy>(peer: &Peer, cri: &Cri, tag: u8, message: &M) -> bool {
    const { assert!(size_of::<M>() <= INLINE) };
    // SAFETY: promised by the caller; the body has room.
    unsafe {
        let Some(mut ring) = peer.outbound(cri) else { return false };
        ring.body().cast::<M>().write_unaligned(*message);
        ring.send(KIND_CONTROL, tag, size_of::<M>());
    }
    true
}

unsafe fn advance(component: &SmscComponent, transfer: *mut c_void) -> i32 {
    // SAFETY: the component made the transfer.
    unsafe { (component.ops.advance.unwrap_unchecked())(component.instance, transfer) }
}

unsafe fn finish(component: &SmscComponent, transfer: *mut c_void) {
    // SAFETY: the component made the transfer, and nothing uses it any more.
    unsafe { (component.ops.finish.unwrap_unchecked())(component.instance, transfer) }
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
/// The CRI's lock is held, and `transfers` are its; there are `len` bytes at `data`.
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
            if unsafe { (*transfers).kept_for(rank) } >= MOST_KEPT {
                state.host.log(LOG_ERROR, || format!("rank {rank} asks for too much at once"));
                return false;
            }
            // SAFETY: promised by the caller.
            if let Err(failure) = unsafe { serve(state, transfers, rank, &order) } {
                let level = if is_final(failure.status) { LOG_ERROR } else { LOG_INFO };
                state.host.log(level, || format!("rank {rank} can't read: {failure}"));
                // SAFETY: as above.
                let unsent = unsafe { &mut (*transfers).unsent };
                unsent.push((rank, Refusal { id: order.id, status: failure.status }));
            }
            true
        }
        REFUSAL => {
            let refusal = read::<Refusal>(data, len);
            // One for a CRI that there is not would stay for ever.
            let has_instance =
                |refusal: &Refusal| ((refusal.id >> 16) as usize) < state.geometry.instances;
            let Some(refusal) = refusal.filter(has_instance) else { return false };
            // SAFETY: as in `join`. Of one that is not connected nothing was ordered.
            if let Some(peer) = unsafe { state.peer(rank) } {
                peer.orders.refuse(&state.refused, rank, refusal);
            }
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
    let key = Key(order.key);
    if !state.registry.serve(key, order.remote, order.len) {
        let text = "it asks for memory that was not offered to it";
        return Err(Failure::new(ERR_PROTOCOL, text));
    }
    // SAFETY: promised by the caller; the registration covers the bytes.
    let joined = unsafe { join(state, rank, order) };
    let (place, transfer) = joined.inspect_err(|_| state.registry.served(key))?;
    let role = Role::Owner { id: order.id, key };
    // SAFETY: promised by the caller.
    unsafe {
        (*transfers).active.push(Active { place, transfer, rank, role });
        (*transfers).disturbed();
    }
    Ok(())
}

/// Begins a transfer that a peer has asked for; the place of its component, and what that made.
///
/// # Safety
/// The memory may be read until it is over.
unsafe fn join(state: &State, rank: u32, order: &Order) -> Result<(usize, *mut c_void), Failure> {
    let broken = |what: &str| Failure::new(ERR_PROTOCOL, what);
    let place = state.smsc.all.iter().position(|one| one.id == order.component);
    let place = place.ok_or_else(|| broken("it uses a component of smsc that is not open here"))?;
    // SAFETY: an endpoint stays until `remove_peer`, which is not called while a peer reads.
    let peer = unsafe { state.peer(rank) }.ok_or_else(|| broken("it is not connected"))?;
    let component = &state.smsc.all[place];
    let handle = peer.smsc.handles(&state.smsc, state.host).0[place];
    let handle = handle.ok_or_else(|| Failure::unavailable(format!("{} fails", component.name)))?;
    let len = u32::from(order.ticket_len);
    if len as usize > SMSC_MAX_TICKET {
        return Err(broken("its ticket is too long"));
    }
    let ticket = SmscTicket { len, reserved: 0, data: order.ticket };
    let mut transfer = std::ptr::null_mut();
    // SAFETY: the registration covers the bytes and lasts until the reader says that it has them.
    let code = unsafe {
        (component.ops.serve.unwrap_unchecked())(
            component.instance,
            handle.as_ptr(),
            &ticket,
            std::ptr::with_exposed_provenance(order.remote as usize),
            order.len as usize,
            &mut transfer,
        )
    };
    match code {
        DONE => Ok((place, transfer)),
        NO_RESOURCES => Err(Failure::unavailable(format!("{} has no resources", component.name))),
        status => state.host.check(status).map(|()| (place, transfer)),
    }
}

/// Moves what can be moved and returns how often something did.
///
/// # Safety
/// The CRI's lock is held, and `transfers` are its.
#[inline(never)] // most passes find nothing under way
pub unsafe fn progress(state: &State, cri: &Cri, transfers: *mut Transfers) -> u32 {
    let mut events = 0;
    let mut index = 0;
    // SAFETY: no reference to the transfers lives while a component or a completion is called; a
    // completion may append. The order does not matter.
    unsafe {
        while let Some(active) = (*transfers).get(index) {
            let (component, transfer) = (&state.smsc.all[active.place], active.transfer);
            match advance(component, transfer) {
                NOTHING => index += 1,
                QUEUED => {
                    events += 1;
                    index += 1;
                }
                code => {
                    events += 1;
                    finish(component, transfer);
                    let active = (*transfers).remove(index);
                    ended(state, cri, transfers, active, code);
                }
            }
        }
        for get in std::mem::take(&mut (*transfers).again) {
            events += u32::from(start_again(state, cri, transfers, get));
        }
        if (*transfers).unfinished > 0 {
            events += go_on(state, transfers);
        }
        if !state.refused.is_empty() {
            take_refusals(state, cri, transfers);
        }
        send_refusals(state, cri, transfers);
    }
    events
}

/// Goes on with what was offered.
///
/// # Safety
/// As for [`progress`].
unsafe fn go_on(state: &State, transfers: *mut Transfers) -> u32 {
    let mut events = 0;
    // SAFETY: promised by the caller; a component does not call us.
    let Transfers { offers, unfinished, .. } = unsafe { &mut *transfers };
    for offer in offers.iter_mut().filter(|offer| !offer.over) {
        // SAFETY: the component made the transfer.
        match unsafe { advance(&state.smsc.all[offer.place], offer.transfer) } {
            NOTHING => {}
            QUEUED => events += 1,
            // Or it failed, which the reader notices by itself.
            _ => {
                offer.over = true;
                *unfinished -= 1;
                events += 1;
            }
        }
    }
    events
}

impl Transfers {
    /// Nothing is under way.
    #[inline]
    pub fn is_idle(&self) -> bool {
        // In one expression: each pass asks.
        self.active.len() | self.unfinished | self.again.len() | self.unsent.len() == 0
    }

    /// No transfer reads, here or for a peer.
    fn is_quiet(&self) -> bool {
        self.active.is_empty() && self.unfinished == 0
    }

    /// The component that reads of this size use at present.
    fn present(&self, len: usize) -> Option<usize> {
        let busy = self.busy.as_ref()?;
        (busy.len.ilog2() == len.ilog2()).then_some(busy.place)
    }

    /// A read has begun, at `begun` if nothing else was going on.
    fn begun(&mut self, state: &State, place: usize, len: usize, begun: Option<Instant>) {
        state.smsc.begun(place, len);
        if let Some(begun) = begun {
            self.busy = Some(Busy { begun, place, len, bytes: len, pure: true });
        } else if let Some(busy) = &mut self.busy {
            busy.bytes += len;
            busy.pure &= busy.place == place && busy.len.ilog2() == len.ilog2();
        }
    }

    /// Something else than reads is going on.
    fn disturbed(&mut self) {
        if let Some(busy) = &mut self.busy {
            busy.pure = false;
        }
    }

    /// A read is over, and not active any more.
    fn read(&mut self, state: &State, status: Status) {
        if status != OK {
            self.disturbed();
        }
        if self.active.is_empty()
            && let Some(busy) = self.busy.take().filter(|busy| busy.pure)
        {
            let time = busy.begun.elapsed();
            state.smsc.measured(state.host, busy.place, (busy.len, busy.bytes), time);
        }
    }

    /// Whether a component reads from a peer.
    fn reads(&self, place: usize, rank: u32) -> bool {
        let reads = |active: &Active| matches!(active.role, Role::Reader { .. });
        self.active.iter().any(|one| one.place == place && one.rank == rank && reads(one))
    }

    /// Refusals that wait for room.
    #[cfg(all(test, not(feature = "loom")))]
    pub fn unsent(&self) -> usize {
        self.unsent.len()
    }

    /// Orders of a rank that are not finished.
    fn kept_for(&self, rank: u32) -> usize {
        let serves =
            |active: &&Active| matches!(active.role, Role::Owner { .. }) && active.rank == rank;
        let served = self.active.iter().filter(serves).count();
        served + self.unsent.iter().filter(|(of, _)| *of == rank).count()
    }

    fn get(&self, index: usize) -> Option<&Active> {
        self.active.get(index)
    }

    /// Where the read lies that was ordered with this number.
    fn reader(&self, rank: u32, number: u32) -> Option<usize> {
        self.active.iter().position(|active| {
            let reads = matches!(active.role, Role::Reader { order: Some(id), .. } if id == number);
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
unsafe fn ended(
    state: &State,
    cri: &Cri,
    transfers: *mut Transfers,
    active: Active,
    status: Status,
) {
    match active.role {
        Role::Reader { order, mut get } => {
            // SAFETY: promised by the caller.
            unsafe {
                close_order(state, get.rank, order);
                (*transfers).read(state, status);
                if status == OK || is_final(status) {
                    return complete(get.completion, status);
                }
                get.failed |= 1 << active.place;
                start_again(state, cri, transfers, get);
            }
        }
        Role::Owner { id, key } => {
            state.registry.served(key);
            if status != OK {
                // SAFETY: promised by the caller.
                unsafe { &mut (*transfers).unsent }.push((active.rank, Refusal { id, status }));
            }
        }
    }
}

/// Nothing more is to be heard of a transfer that its owner may have been asked for.
///
/// # Safety
/// As for [`progress`].
unsafe fn close_order(state: &State, rank: u32, order: Option<u32>) {
    let Some(id) = order else { return };
    // SAFETY: as in `join`. The orders of one that is removed are gone with it.
    if let Some(peer) = unsafe { state.peer(rank) } {
        peer.orders.close(&state.refused, rank, id);
    }
}

/// Ends what this CRI reads for a peer from memory that is not registered any more, because the
/// peer needs no more of it.
///
/// # Safety
/// The CRI's lock is held, and `transfers` are its.
pub unsafe fn stop_serving(state: &State, transfers: *mut Transfers, key: Key) {
    // SAFETY: promised by the caller; a component does not call us.
    let active = unsafe { &mut (*transfers).active };
    let ends = |one: &mut Active| matches!(one.role, Role::Owner { key: of, .. } if of == key);
    for one in active.extract_if(.., ends) {
        // SAFETY: the component made the transfer, and nothing uses it any more.
        unsafe { finish(&state.smsc.all[one.place], one.transfer) };
    }
}

/// Ends the transfers of this CRI that their owners refused.
///
/// # Safety
/// As for [`progress`].
#[cold]
unsafe fn take_refusals(state: &State, cri: &Cri, transfers: *mut Transfers) {
    for (rank, refusal) in state.refused.take(cri.index) {
        // SAFETY: as in `progress`.
        unsafe {
            if let Some(place) = (*transfers).reader(rank, refusal.id) {
                let active = (*transfers).remove(place);
                finish(&state.smsc.all[active.place], active.transfer);
                // A status of the peer's own making is still an error.
                ended(state, cri, transfers, active, refusal.status.min(-1));
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
        // SAFETY: as in `serve`; the CRI's lock is held.
        match unsafe { state.peer(*rank).map(|peer| send(peer, cri, REFUSAL, refusal)) } {
            Some(sent) => !sent,
            // No peer is left to be told.
            None => false,
        }
    });
}

/// Gives up what is under way with a peer that is removed or has ended.
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
            let (component, active) = (&state.smsc.all[active.place], (*transfers).remove(index));
            let get = match active.role {
                Role::Reader { order, get } => {
                    close_order(state, rank, order);
                    get
                }
                Role::Owner { key, .. } => {
                    finish(component, active.transfer);
                    state.registry.served(key);
                    continue;
                }
            };
            // What the peer had done is enough if it had done all.
            let last = loop {
                match advance(component, active.transfer) {
                    QUEUED => {}
                    code => break code,
                }
            };
            finish(component, active.transfer);
            let status = if last == DONE { OK } else { ERR_PEER };
            (*transfers).read(state, status);
            complete(get.completion, status);
        }
        let again = std::mem::take(&mut (*transfers).again);
        let (lost, others): (Vec<Get>, _) = again.into_iter().partition(|get| get.rank == rank);
        (*transfers).again.extend(others);
        lost.iter().for_each(|get| complete(get.completion, ERR_PEER));
        let unsent = &mut (*transfers).unsent;
        unsent.retain(|(other, _)| *other != rank);
        state.refused.forget(|other, _| other == rank);
        let offers = &mut (*transfers).offers;
        while let Some(place) = offers.iter().position(|offer| offer.rank == rank) {
            let offer = offers.swap_remove(place);
            (*transfers).unfinished -= usize::from(!offer.over);
            finish(&state.smsc.all[offer.place], offer.transfer);
        }
    }
}
