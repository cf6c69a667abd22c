//! **smsc** — shared memory, single copy: moves a large message between two processes of a node.
//!
//! Used by shared-memory transports for what is too large for their rings. The process that wants
//! the bytes, the *reader*, begins with `fetch`. How they move is the component's affair: the reader
//! may read the other's memory through the kernel (one copy, by the reader alone), or both work on a
//! pipeline of shared slots (two copies that overlap). In the second case `fetch` makes a ticket,
//! which the transport carries to the process that has the bytes, the *owner*; there the transport
//! checks that they may be read and calls `serve` with it.
//!
//! ```text
//!   reader   fetch(address) ─► ticket ─ ─ transport ─ ─► serve(ticket, buffer)   owner
//!            advance ◄──────────── shared slots ───────────────────► advance
//! ```
//!
//! Where both work, the owner may also begin, with `offer`, before the reader has asked: its ticket
//! travels with whatever tells the reader of the bytes, and the reader joins with `accept`, or takes
//! another way and leaves the offer alone.
//!
//! Where the kernel lets one process write another's memory, `write` moves bytes the other way, for puts.
//!
//! **Life.** `peer_open` makes the component's object for a peer at the first large transfer with it,
//! from the card the peer's side of the same component published; `peer_close` ends it. A component
//! that the system refuses (ptrace scope, containers) finds that out in `peer_open` by really moving
//! a few bytes, and declines; the transport then takes another.
//!
//! **Choice.** Which component is the fastest for which size the transport measures: it tries each
//! with the first transfers of a size. A component that answers an error, of whatever function and at
//! whatever moment, is done with that transfer, and the transport takes another one for it, from the
//! beginning; but for `CAIRN_ERR_PROTOCOL` and `CAIRN_ERR_PEER`, which are the transfer's own end.
//! `CAIRN_ERR_RESOURCES` of `peer_open` may be better later, and the transport asks again.
//!
//! **Threads and locks.** `fetch`, `serve`, `offer`, `accept`, `advance` and `finish` are hot, and called by one thread
//! at a time for one transfer; transfers of different threads go on at the same time. `peer_open` may
//! be called with an instance's lock held, by one thread at a time for one peer; of the host table it
//! uses `card_get`, `log` and `show_once`.
//!
//! **Completion.** A transfer advances only by `advance`, which the transport calls from progress
//! until it returns `CAIRN_DONE` or an error; it never waits for the other side. Then `finish` frees
//! it. Buffers are the transfer's until then. A transport may also give a transfer up and finish it
//! early: when the peer is gone, when the owner has refused, or when the ticket could not be sent. The
//! other side must not be harmed by that, whether it has heard of the transfer, is in the middle of it or
//! has left it, and nothing that is needed for other transfers may be lost. An offer is finished when
//! its reader has said, by other means, that it does not read any more, or has never heard of it.
//! Until then the buffer is the transfer's only as far as the reader can't do without it: a program that
//! knows that the message has arrived may free the memory before the transport hears of it. So when
//! `offer` has returned, the owner reads no more than what `accept` has asked for.

use core::ffi::c_void;

use super::contract;
use crate::abi::component::Instance;
use crate::abi::peer::Peer;
use crate::abi::status::{NO_RESOURCES, OutcomeCode, Status};
use crate::author::{self, Component, Failure, Outcome};

/// Most bytes of a ticket: with what a transport adds it fits a cache line.
pub const SMSC_MAX_TICKET: usize = 24;

/// Most bytes of a ticket that `offer` makes: it travels with the announcement of a message, which
/// is to fit a cache line.
pub const SMSC_MAX_OFFER: usize = 3;

/// What the owner needs to take part in a transfer. Travels between processes as bytes.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct SmscTicket {
    /// Bytes used of `data`; 0 when the reader needs no help.
    pub len: u32,
    /// Zero.
    pub reserved: u32,
    /// The component's own. The owner trusts no field in it.
    pub data: [u8; SMSC_MAX_TICKET],
}

/// Functions for copies. `peer` is what `peer_open` stored, `transfer` what `fetch` or `serve` did.
#[repr(C)]
#[derive(Debug)]
pub struct SmscOps {
    /// Size of this struct in bytes, as the author's header has it.
    pub struct_size: u32,
    /// Zero.
    pub reserved: u32,
    /// Makes the component's object for a peer on this node. Required.
    pub peer_open: Option<
        unsafe extern "C" fn(
            instance: *mut Instance,
            view: &Peer,
            peer: &mut *mut c_void,
        ) -> Status,
    >,
    /// Frees it; no transfer is in flight. Set-up. Required.
    pub peer_close: Option<unsafe extern "C" fn(instance: *mut Instance, peer: *mut c_void)>,
    /// The reader's side: begins to move `len` bytes (not 0) from `remote` in the peer's memory to
    /// `buffer`, stores the transfer, and fills in the ticket if the owner has to help.
    /// `CAIRN_DONE`: the transfer was made and goes on by `advance`; `CAIRN_NO_RESOURCES`: not now.
    /// Hot. Required.
    pub fetch: Option<
        unsafe extern "C" fn(
            instance: *mut Instance,
            peer: *mut c_void,
            remote: u64,
            buffer: *mut c_void,
            len: usize,
            ticket: &mut SmscTicket,
            transfer: &mut *mut c_void,
        ) -> OutcomeCode,
    >,
    /// The owner's side: takes part in the transfer of `len` bytes from `buffer` that the ticket
    /// describes and stores it. Answers as `fetch`. Hot. Default: `CAIRN_ERR_UNSUPPORTED`, for
    /// components whose tickets are always empty.
    pub serve: Option<
        unsafe extern "C" fn(
            instance: *mut Instance,
            peer: *mut c_void,
            ticket: &SmscTicket,
            buffer: *const c_void,
            len: usize,
            transfer: &mut *mut c_void,
        ) -> OutcomeCode,
    >,
    /// Moves what can be moved now: `CAIRN_DONE` when the transfer is finished on this side,
    /// `CAIRN_QUEUED` when something moved, `CAIRN_NOTHING` when it waits for the other side. Does
    /// not stay longer than it takes to copy a few megabytes. Hot. Required.
    pub advance:
        Option<unsafe extern "C" fn(instance: *mut Instance, transfer: *mut c_void) -> OutcomeCode>,
    /// Frees a transfer, finished or given up. Hot. Required.
    pub finish: Option<unsafe extern "C" fn(instance: *mut Instance, transfer: *mut c_void)>,
    /// The owner's side, before the reader has asked: begins to move `len` bytes (not 0) from `buffer`
    /// to the holder of the ticket, of at most `CAIRN_SMSC_MAX_OFFER` bytes, and stores the transfer.
    /// It may copy a first piece, and later what `accept` asks for. Answers as `fetch`, and `CAIRN_NO_RESOURCES` rather than take what
    /// reads need: they must go on for offers to end. Hot. Default: `CAIRN_NO_RESOURCES`.
    pub offer: Option<
        unsafe extern "C" fn(
            instance: *mut Instance,
            peer: *mut c_void,
            buffer: *const c_void,
            len: usize,
            ticket: &mut SmscTicket,
            transfer: &mut *mut c_void,
        ) -> OutcomeCode,
    >,
    /// The reader's side of what the peer has offered: moves `len` bytes, as many as were offered
    /// or the first of them, to `buffer`. Answers as `fetch`. Hot. Default: `CAIRN_ERR_UNSUPPORTED`.
    pub accept: Option<
        unsafe extern "C" fn(
            instance: *mut Instance,
            peer: *mut c_void,
            ticket: &SmscTicket,
            buffer: *mut c_void,
            len: usize,
            transfer: &mut *mut c_void,
        ) -> OutcomeCode,
    >,
    /// Writes `len` bytes (not 0) from `buffer` to `remote` in the peer's memory, by this process alone. They are
    /// there when it returns. Hot. Default: `CAIRN_ERR_UNSUPPORTED`.
    pub write: Option<
        unsafe extern "C" fn(
            instance: *mut Instance,
            peer: *mut c_void,
            remote: u64,
            buffer: *const c_void,
            len: usize,
        ) -> Status,
    >,
}

/// Copies in Rust. Functions correspond to those of [`SmscOps`].
///
/// # Safety of the unsafe functions
/// Buffers are valid for the length that is said until the transfer is finished; a peer outlives
/// its transfers.
#[allow(clippy::missing_safety_doc)] // said once, above
pub trait Smsc: Component {
    /// The component's object for a peer.
    type Peer: Send + Sync + 'static;
    /// A transfer, on either side.
    type Transfer: Send + 'static;

    /// Makes the object for a peer.
    fn peer_open(&self, view: &Peer) -> Result<Self::Peer, Failure>;
    /// The reader's side of a transfer, or `None` when there are no resources for it now.
    unsafe fn fetch(
        &self,
        peer: &Self::Peer,
        remote: u64,
        buffer: *mut c_void,
        len: usize,
        ticket: &mut SmscTicket,
    ) -> Result<Option<Self::Transfer>, Failure>;
    /// The owner's side of a transfer, or `None` when there are no resources for it now.
    unsafe fn serve(
        &self,
        _peer: &Self::Peer,
        _ticket: &SmscTicket,
        _buffer: *const c_void,
        _len: usize,
    ) -> Result<Option<Self::Transfer>, Failure> {
        Err(author::unsupported("serve"))
    }
    /// The owner's side, begun before the reader asks, or `None` when there are no resources for it
    /// now.
    unsafe fn offer(
        &self,
        _peer: &Self::Peer,
        _buffer: *const c_void,
        _len: usize,
        _ticket: &mut SmscTicket,
    ) -> Result<Option<Self::Transfer>, Failure> {
        Ok(None)
    }
    /// The reader's side of what was offered, or `None` when there are no resources for it now.
    unsafe fn accept(
        &self,
        _peer: &Self::Peer,
        _ticket: &SmscTicket,
        _buffer: *mut c_void,
        _len: usize,
    ) -> Result<Option<Self::Transfer>, Failure> {
        Err(author::unsupported("accept"))
    }
    /// Writes to the peer's memory.
    unsafe fn write(
        &self,
        _peer: &Self::Peer,
        _remote: u64,
        _buffer: *const c_void,
        _len: usize,
    ) -> Result<(), Failure> {
        Err(author::unsupported("write"))
    }
    /// Moves what can be moved now.
    fn advance(&self, transfer: &mut Self::Transfer) -> Result<Outcome, Failure>;
}

/// Boxes a transfer that was made and stores it.
fn started<X>(
    made: Result<Option<X>, Failure>,
    place: &mut *mut c_void,
) -> Result<Outcome, Failure> {
    Ok(match made? {
        Some(transfer) => {
            *place = Box::into_raw(Box::new(transfer)).cast();
            Outcome::Done
        }
        None => Outcome::NoResources,
    })
}

contract! {
    table: SmscOps, from T: Smsc,
    "smsc", Many, "copies large messages between two processes of a node";

    fn peer_open(
        instance: *mut Instance, view: &Peer, peer: &mut *mut c_void,
    ) -> Status = report(instance) {
        let opened = author::component::<T>(instance).peer_open(view)?;
        *peer = Box::into_raw(Box::new(opened)).cast();
        Ok(())
    }
    fn peer_close(_instance: *mut Instance, peer: *mut c_void) = no_unwind {
        drop(Box::from_raw(peer.cast::<T::Peer>()));
    }
    fn fetch(
        instance: *mut Instance, peer: *mut c_void, remote: u64, buffer: *mut c_void, len: usize,
        ticket: &mut SmscTicket, transfer: &mut *mut c_void,
    ) -> OutcomeCode = outcome(instance) {
        let peer = &*peer.cast::<T::Peer>();
        let made = author::component::<T>(instance).fetch(peer, remote, buffer, len, ticket);
        started(made, transfer)
    }
    fn serve(
        instance: *mut Instance, peer: *mut c_void, ticket: &SmscTicket, buffer: *const c_void,
        len: usize, transfer: &mut *mut c_void,
    ) -> OutcomeCode = outcome(instance) {
        let peer = &*peer.cast::<T::Peer>();
        started(author::component::<T>(instance).serve(peer, ticket, buffer, len), transfer)
    } default { author::refuse(instance, "serve") }
    fn advance(instance: *mut Instance, transfer: *mut c_void) -> OutcomeCode = outcome(instance) {
        author::component::<T>(instance).advance(&mut *transfer.cast::<T::Transfer>())
    }
    fn finish(_instance: *mut Instance, transfer: *mut c_void) = no_unwind {
        drop(Box::from_raw(transfer.cast::<T::Transfer>()));
    }
    fn offer(
        instance: *mut Instance, peer: *mut c_void, buffer: *const c_void, len: usize,
        ticket: &mut SmscTicket, transfer: &mut *mut c_void,
    ) -> OutcomeCode = outcome(instance) {
        let peer = &*peer.cast::<T::Peer>();
        started(author::component::<T>(instance).offer(peer, buffer, len, ticket), transfer)
    } default { NO_RESOURCES }
    fn accept(
        instance: *mut Instance, peer: *mut c_void, ticket: &SmscTicket, buffer: *mut c_void,
        len: usize, transfer: &mut *mut c_void,
    ) -> OutcomeCode = outcome(instance) {
        let peer = &*peer.cast::<T::Peer>();
        started(author::component::<T>(instance).accept(peer, ticket, buffer, len), transfer)
    } default { author::refuse(instance, "accept") }
    fn write(
        instance: *mut Instance, peer: *mut c_void, remote: u64, buffer: *const c_void, len: usize,
    ) -> Status = report(instance) {
        let peer = &*peer.cast::<T::Peer>();
        author::component::<T>(instance).write(peer, remote, buffer, len)
    } default { author::refuse(instance, "write") }
}
