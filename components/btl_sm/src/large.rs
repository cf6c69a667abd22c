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
//! Transfers belong to a CRI, and are not borrowed while a completion is called, which may start others. The
//! owner looks an address up in the registrations before it reads it for a peer.

use std::ffi::c_void;
use std::time::Instant;

use cairn_framework::abi::host::{LOG_ERROR, LOG_INFO};
use cairn_framework::abi::status::{
    DONE, ERR_PEER, ERR_PROTOCOL, ERR_UNSUPPORTED, NO_RESOURCES, NOTHING, OK, QUEUED, Status,
};
use cairn_framework::author::{Attempted, Failure, Outcome};
use cairn_framework::frameworks::btl::{BtlTransfer, Completion, Way};
use cairn_framework::frameworks::smsc::{SMSC_MAX_OFFER, SMSC_MAX_TICKET, SmscTicket};

use crate::component::SharedMemory;
use crate::cri::{SmCri, SmInstance};
use crate::endpoint::Peer;
use crate::module::{SmDevice, State};
use crate::orders::{MOST_KEPT, Refusal};
use crate::registry::{Key, Offered, Terms};
use crate::ring::{INLINE, KIND_CONTROL};
use crate::smsc::Handles;

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

/// What a component has made for a transfer. Ended by `finish`.
struct Transfer {
    /// Place of the component.
    place: usize,
    made: *mut c_void,
}

impl Transfer {
    /// Moves what can be moved.
    fn advance(&self, state: &State) -> i32 {
        let component = &state.smsc.all[self.place];
        // SAFETY: the component made the transfer.
        unsafe { (component.ops.advance.unwrap_unchecked())(component.instance, self.made) }
    }

    fn finish(self, state: &State) {
        let component = &state.smsc.all[self.place];
        // SAFETY: the component made the transfer, and nothing uses it any more.
        unsafe { (component.ops.finish.unwrap_unchecked())(component.instance, self.made) }
    }
}

/// A transfer that is under way.
struct Active {
    transfer: Transfer,
    rank: u32,
    role: Role,
}

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

/// A get that has not ended. Its local memory stays until the completion is called.
struct Get {
    wanted: BtlTransfer,
    completion: Completion,
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
    transfer: Transfer,
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
    next: u16,
}

/// Registers memory for one get by a peer, and begins to move it if a component can do that now.
///
/// # Safety
/// The memory stays, unchanged, until [`withdraw`].
pub unsafe fn offer(
    Way { device: state, cri, endpoint: peer }: Way<'_, SharedMemory>,
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
    let transfer = Transfer { place, made: transfer };
    let mut bytes = [0; SMSC_MAX_OFFER];
    bytes.copy_from_slice(&ticket.data[..SMSC_MAX_OFFER]);
    let component = state.smsc.all[place].number();
    let offered = Offered { component, ticket: bytes, instance: cri.head().index };
    let Some(key) = state.registry.add(memory, Terms::Offered(offered)) else {
        transfer.finish(state);
        return None;
    };
    let mut transfers = cri.transfers.borrow_mut();
    transfers.offers.push(Offer { key, transfer, rank: peer.rank, over: false });
    transfers.unfinished += 1;
    transfers.disturbed();
    Some(key)
}

/// Ends an offer: its reader is done, or there never was one.
pub fn withdraw(state: &State, cri: &SmCri, key: Key) {
    cri.transfers.borrow_mut().take_offers(state, |offer| offer.key == key);
}

/// Starts a get.
///
/// # Safety
/// The local memory stays until the completion is called.
pub unsafe fn get(
    way: Way<'_, SharedMemory>,
    wanted: &BtlTransfer,
    completion: Completion,
) -> Attempted {
    if wanted.len == 0 {
        return Ok(Outcome::Done);
    }
    let get = Get { wanted: *wanted, completion, rank: way.endpoint.rank, failed: 0 };
    start(way, &mut Some(get))
}

/// Writes to memory of a peer that can't be mapped.
///
/// # Safety
/// The local memory is there.
pub unsafe fn put(way: Way<'_, SharedMemory>, wanted: &BtlTransfer) -> Attempted {
    let Way { device: state, endpoint: peer, .. } = way;
    if wanted.len == 0 {
        return Ok(Outcome::Done);
    }
    let handles = peer.smsc.handles(&state.smsc, state.host);
    let mut reasons = String::new();
    for (handle, component) in handles.0.iter().zip(&state.smsc.all) {
        let Some(handle) = handle else { continue };
        let BtlTransfer { remote, local, len, .. } = *wanted;
        // SAFETY: the peer is the component's; promised by the caller.
        let status = unsafe {
            let write = component.ops.write.unwrap_unchecked();
            write(component.instance, handle.as_ptr(), remote, local, len)
        };
        match state.host.check(status) {
            Ok(()) => return Ok(Outcome::Done),
            Err(failure) if is_final(failure.status) => return Err(failure),
            Err(failure) => reasons.push_str(&format!("; {}: {failure}", component.name)),
        }
    }
    let text = format!("no component of smsc writes to rank {}{reasons}", peer.rank);
    Err(Failure::new(ERR_UNSUPPORTED, text))
}

/// Starts a get with the best of the components that have not failed with it, and takes it if that is
/// under way.
fn start(way: Way<'_, SharedMemory>, waiting: &mut Option<Get>) -> Attempted {
    let Way { device: state, cri, endpoint: peer } = way;
    let Some(get) = waiting.as_ref() else { unreachable!("it waits to be started") };
    let len = get.wanted.len;
    let handles = peer.smsc.handles(&state.smsc, state.host);
    let (idle, present) = {
        let transfers = cri.transfers.borrow();
        (transfers.is_quiet(), transfers.present(len))
    };
    let present = present.filter(|place| !idle && handles.0[*place].is_some());
    let chosen = present.or_else(|| state.smsc.choose(&handles, len, idle));
    let others = || handles.usable().filter(|place| Some(*place) != chosen);
    let places = || chosen.into_iter().chain(others());
    let (mut busy, mut reasons) = (false, String::new());
    let rounds: &[bool] = if get.key().is_lasting() { &[true, false] } else { &[false] };
    let tries = rounds.iter().flat_map(|unaided| places().map(|place| (place, *unaided)));
    for (place, unaided) in tries {
        if !get.may_use(place) {
            continue;
        }
        match attempt(way, get, (place, &handles, idle), unaided) {
            Ok(Attempt::Done) => return Ok(Outcome::Done),
            Ok(Attempt::UnderWay(transfer, order)) => {
                let rank = get.rank;
                let get = waiting.take().expect("it was there above");
                let role = Role::Reader { order, get };
                cri.transfers.borrow_mut().active.push(Active { transfer, rank, role });
                return Ok(Outcome::Queued);
            }
            Ok(Attempt::Busy) => {
                busy = true;
                // Reads of ours from this peer go on, and with them the component. Without such reads,
                // other processes may keep it busy for long.
                if cri.transfers.borrow().reads(place, get.rank) {
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

/// What came of the attempt to start a get.
enum Attempt {
    Done,
    /// With our number of the order, if the owner was asked to take part.
    UnderWay(Transfer, Option<u32>),
    /// It can't begin now.
    Busy,
}

/// Starts a get with a component; `unaided`: if that needs not the owner's help.
fn attempt(
    Way { device: state, cri, endpoint: peer }: Way<'_, SharedMemory>,
    get: &Get,
    (place, handles, idle): (usize, &Handles, bool),
    unaided: bool,
) -> Result<Attempt, Failure> {
    let (component, wanted, key) = (&state.smsc.all[place], &get.wanted, get.key());
    let Some(handle) = handles.0[place] else { unreachable!("chosen among those that are there") };
    let begun = idle.then(Instant::now);
    let (mut ticket, mut transfer) = (SmscTicket::default(), std::ptr::null_mut());
    let offered = key.offered().filter(|(number, _)| *number == component.number());
    let accepted = offered.map(|(_, bytes)| {
        ticket.data[..bytes.len()].copy_from_slice(&bytes);
        ticket.len = bytes.len() as u32;
        // SAFETY: the peer is the component's; the buffer stays.
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
            let helped = !unaided && key.helps(component.number());
            if component.asks() && !helped {
                return Err(alone());
            }
            // SAFETY: no other result of it is in use.
            let has_line = || unsafe { peer.outbound(state, cri, INLINE) }.is_some();
            if component.asks() && (peer.orders.is_full() || !has_line()) {
                return Ok(Attempt::Busy);
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
                if !helped {
                    Transfer { place, made: transfer }.finish(state);
                    return Err(alone());
                }
            }
            code
        }
    };
    match code {
        DONE => {}
        NO_RESOURCES => return Ok(Attempt::Busy),
        // Any other code is a failure.
        status => return state.host.check(status).map(|()| Attempt::Busy),
    }
    let transfer = Transfer { place, made: transfer };
    if ticket.len > 0 {
        // The next try has another number, should this one be that of an open order.
        let id = cri.head().index << 16 | u32::from(cri.transfers.borrow_mut().number());
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
            transfer.finish(state);
            return Ok(Attempt::Busy);
        }
        if !send(peer, state, cri, ORDER, &text) {
            peer.orders.close(&state.refused, get.rank, id);
            transfer.finish(state);
            return Ok(Attempt::Busy);
        }
        cri.transfers.borrow_mut().begun(state, place, wanted.len, begun);
        return Ok(Attempt::UnderWay(transfer, Some(id)));
    }
    cri.transfers.borrow_mut().begun(state, place, wanted.len, begun);
    match transfer.advance(state) {
        DONE => {
            transfer.finish(state);
            cri.transfers.borrow_mut().read(state, OK);
            Ok(Attempt::Done)
        }
        QUEUED | NOTHING => Ok(Attempt::UnderWay(transfer, None)),
        status => {
            let failed = state.host.check(status);
            transfer.finish(state);
            cri.transfers.borrow_mut().read(state, status);
            failed.map(|()| Attempt::Busy)
        }
    }
}

/// Goes on with a get that a component has failed with. Whether anything has happened.
fn start_again(state: &SmDevice, cri: &SmInstance, get: Get) -> bool {
    let rank = get.rank;
    let mut waiting = Some(get);
    // SAFETY: as in `join`.
    let started = match unsafe { state.peer(rank) } {
        Some(endpoint) => start(Way { device: state, cri, endpoint }, &mut waiting),
        None => Err(Failure::new(ERR_PEER, "it is not connected")),
    };
    let Some(get) = waiting else { return true };
    match started {
        Ok(Outcome::NoResources) => {
            cri.transfers.borrow_mut().again.push(get);
            return false;
        }
        Ok(_) => get.completion.call(OK),
        Err(failure) => {
            state.host.log(LOG_INFO, || format!("a large message: {failure}"));
            get.completion.call(failure.status);
        }
    }
    true
}

/// Sends a control message; whether there was room.
fn send<M: Copy>(peer: &Peer, device: &SmDevice, cri: &SmInstance, tag: u8, message: &M) -> bool {
    const { assert!(size_of::<M>() <= INLINE) };
    // SAFETY: no other result of `outbound` is in use; the body has room.
    unsafe {
        let Some(mut ring) = peer.outbound(device, cri, INLINE) else { return false };
        ring.body().cast::<M>().write_unaligned(*message);
        ring.send(KIND_CONTROL, tag, size_of::<M>());
    }
    true
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
/// There are `len` bytes at `data`.
pub unsafe fn control(
    state: &State,
    cri: &SmCri,
    rank: u32,
    tag: u8,
    (data, len): (*const u8, usize),
) -> bool {
    match tag {
        ORDER => {
            let Some(order) = read::<Order>(data, len) else { return false };
            if cri.transfers.borrow().kept_for(rank) >= MOST_KEPT {
                state.host.log(LOG_ERROR, || format!("rank {rank} asks for too much at once"));
                return false;
            }
            if let Err(failure) = serve(state, cri, rank, &order) {
                let level = if is_final(failure.status) { LOG_ERROR } else { LOG_INFO };
                state.host.log(level, || format!("rank {rank} can't read: {failure}"));
                let refusal = Refusal { id: order.id, status: failure.status };
                cri.transfers.borrow_mut().unsent.push((rank, refusal));
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
fn serve(state: &State, cri: &SmCri, rank: u32, order: &Order) -> Result<(), Failure> {
    let key = Key(order.key);
    if !state.registry.serve(key, order.remote, order.len) {
        let text = "it asks for memory that was not offered to it";
        return Err(Failure::new(ERR_PROTOCOL, text));
    }
    // SAFETY: the registration covers the bytes.
    let joined = unsafe { join(state, rank, order) };
    let transfer = joined.inspect_err(|_| state.registry.served(key))?;
    let role = Role::Owner { id: order.id, key };
    let mut transfers = cri.transfers.borrow_mut();
    transfers.active.push(Active { transfer, rank, role });
    transfers.disturbed();
    Ok(())
}

/// Begins a transfer that a peer has asked for.
///
/// # Safety
/// The memory may be read until it is over.
unsafe fn join(state: &State, rank: u32, order: &Order) -> Result<Transfer, Failure> {
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
    let transfer = Transfer { place, made: transfer };
    match code {
        DONE => Ok(transfer),
        NO_RESOURCES => Err(Failure::unavailable(format!("{} has no resources", component.name))),
        status => state.host.check(status).map(|()| transfer),
    }
}

/// Moves what can be moved and returns how often something did. A completion may append; the order does
/// not matter.
#[inline(never)] // most passes find nothing under way
pub fn progress(state: &SmDevice, cri: &SmInstance) -> u32 {
    let mut events = 0;
    let mut index = 0;
    let transfers = &cri.transfers;
    loop {
        let advanced = match transfers.borrow().active.get(index) {
            Some(active) => active.transfer.advance(state),
            None => break,
        };
        match advanced {
            NOTHING => index += 1,
            QUEUED => {
                events += 1;
                index += 1;
            }
            code => {
                events += 1;
                let active = transfers.borrow_mut().active.swap_remove(index);
                ended(state, cri, active, code);
            }
        }
    }
    let again = std::mem::take(&mut transfers.borrow_mut().again);
    for get in again {
        events += u32::from(start_again(state, cri, get));
    }
    events += transfers.borrow_mut().go_on(state);
    if !state.refused.is_empty() {
        take_refusals(state, cri);
    }
    send_refusals(state, cri);
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
        self.active.iter().any(|one| one.transfer.place == place && one.rank == rank && reads(one))
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

    /// A number for an order.
    fn number(&mut self) -> u16 {
        let number = self.next;
        self.next = number.wrapping_add(1);
        number
    }

    /// Goes on with what was offered.
    fn go_on(&mut self, state: &State) -> u32 {
        let mut events = 0;
        if self.unfinished == 0 {
            return events;
        }
        for offer in self.offers.iter_mut().filter(|offer| !offer.over) {
            match offer.transfer.advance(state) {
                NOTHING => {}
                QUEUED => events += 1,
                // Or it failed, which the reader notices by itself.
                _ => {
                    offer.over = true;
                    self.unfinished -= 1;
                    events += 1;
                }
            }
        }
        events
    }

    /// Ends offers.
    fn take_offers(&mut self, state: &State, ends: impl Fn(&Offer) -> bool) {
        for offer in self.offers.extract_if(.., |offer| ends(offer)) {
            self.unfinished -= usize::from(!offer.over);
            offer.transfer.finish(state);
        }
    }

    /// Where the read lies that was ordered with this number.
    fn reader(&self, rank: u32, number: u32) -> Option<usize> {
        self.active.iter().position(|active| {
            let reads = matches!(active.role, Role::Reader { order: Some(id), .. } if id == number);
            reads && active.rank == rank
        })
    }
}

/// A transfer is over.
fn ended(state: &SmDevice, cri: &SmInstance, active: Active, status: Status) {
    let Active { transfer, rank, role } = active;
    let place = transfer.place;
    transfer.finish(state);
    match role {
        Role::Reader { order, mut get } => {
            close_order(state, get.rank, order);
            cri.transfers.borrow_mut().read(state, status);
            if status == OK || is_final(status) {
                return get.completion.call(status);
            }
            get.failed |= 1 << place;
            start_again(state, cri, get);
        }
        Role::Owner { id, key } => {
            state.registry.served(key);
            if status != OK {
                cri.transfers.borrow_mut().unsent.push((rank, Refusal { id, status }));
            }
        }
    }
}

/// Nothing more is to be heard of a transfer that its owner may have been asked for.
fn close_order(state: &State, rank: u32, order: Option<u32>) {
    let Some(id) = order else { return };
    // SAFETY: as in `join`. The orders of one that is removed are gone with it.
    if let Some(peer) = unsafe { state.peer(rank) } {
        peer.orders.close(&state.refused, rank, id);
    }
}

/// Ends what this CRI reads for a peer from memory that is not registered any more, because the
/// peer needs no more of it.
pub fn stop_serving(state: &State, cri: &SmCri, key: Key) {
    let ends = |one: &mut Active| matches!(one.role, Role::Owner { key: of, .. } if of == key);
    let mut transfers = cri.transfers.borrow_mut();
    transfers.active.extract_if(.., ends).for_each(|one| one.transfer.finish(state));
}

/// Ends the transfers of this CRI that their owners refused.
#[cold]
fn take_refusals(state: &SmDevice, cri: &SmInstance) {
    for (rank, refusal) in state.refused.take(cri.head().index) {
        let mut transfers = cri.transfers.borrow_mut();
        let Some(place) = transfers.reader(rank, refusal.id) else { continue };
        let active = transfers.active.swap_remove(place);
        drop(transfers);
        // A status of the peer's own making is still an error.
        ended(state, cri, active, refusal.status.min(-1));
    }
}

/// Sends the refusals that there is room for.
fn send_refusals(state: &SmDevice, cri: &SmInstance) {
    cri.transfers.borrow_mut().unsent.retain(|(rank, refusal)| {
        // SAFETY: as in `join`.
        match unsafe { state.peer(*rank) } {
            Some(peer) => !send(peer, state, cri, REFUSAL, refusal),
            // No peer is left to be told.
            None => false,
        }
    });
}

/// Gives up what is under way with a peer that is removed or has ended.
pub fn forget(state: &State, cri: &SmCri, rank: u32) {
    loop {
        let mut transfers = cri.transfers.borrow_mut();
        let place = transfers.active.iter().position(|active| active.rank == rank);
        let Some(place) = place else { break };
        let Active { transfer, role, .. } = transfers.active.swap_remove(place);
        drop(transfers);
        let get = match role {
            Role::Reader { order, get } => {
                close_order(state, rank, order);
                get
            }
            Role::Owner { key, .. } => {
                transfer.finish(state);
                state.registry.served(key);
                continue;
            }
        };
        // What the peer had done is enough if it had done all.
        let last = loop {
            match transfer.advance(state) {
                QUEUED => {}
                code => break code,
            }
        };
        transfer.finish(state);
        let status = if last == DONE { OK } else { ERR_PEER };
        cri.transfers.borrow_mut().read(state, status);
        get.completion.call(status);
    }
    let mut transfers = cri.transfers.borrow_mut();
    let lost: Vec<Get> = transfers.again.extract_if(.., |get| get.rank == rank).collect();
    drop(transfers);
    lost.into_iter().for_each(|get| get.completion.call(ERR_PEER));
    let mut transfers = cri.transfers.borrow_mut();
    transfers.unsent.retain(|(other, _)| *other != rank);
    state.refused.forget(|other, _| other == rank);
    transfers.take_offers(state, |offer| offer.rank == rank);
}
