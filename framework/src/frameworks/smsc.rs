//! **smsc** — shared memory, single copy: moves a large message between two processes of a node.
//!
//! Used by shared-memory transports for what is too large for their rings. The sender *offers* a
//! buffer and sends the resulting ticket along with its rendezvous message; the receiver *accepts*
//! the ticket into its own buffer. How the bytes move is the component's affair: the receiver may
//! read the sender's memory through the kernel (one copy), both may work on a pipeline of shared
//! slots (two copies that overlap), or both may copy at once.
//!
//! **Life.** `peer_open` makes the component's object for a peer on first contact, from the card
//! the peer's side of the same component published; `peer_close` ends it. A component that the
//! system refuses (ptrace scope, containers) finds that out in `peer_open` by really moving a few
//! bytes, and declines.
//!
//! **Threads and locks.** `offer`, `accept` and `advance` are hot, and called by one thread at a
//! time for one transfer; transfers of different threads go on at the same time.
//!
//! **Completion.** A transfer advances only by `advance`, which the transport calls from progress
//! on both sides until it returns `CAIRN_DONE`; it never waits for the other side. Then `finish`
//! frees it. Buffers are the transfer's until then.

use core::ffi::c_void;

use super::{contract, shims};
use crate::abi::component::Instance;
use crate::abi::peer::Peer;
use crate::abi::status::{OutcomeCode, Status};
use crate::author::{self, Component, Failure, Outcome};

/// Major version of this contract.
pub const SMSC_MAJOR: u16 = 1;
/// Minor version of this contract.
pub const SMSC_MINOR: u16 = 0;

/// Most bytes of a ticket.
pub const SMSC_MAX_TICKET: usize = 64;

/// What the receiver needs to take an offer. Travels between processes as bytes.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct SmscTicket {
    /// Bytes used of `data`.
    pub len: u32,
    /// Zero.
    pub reserved: u32,
    /// The component's own. The receiver trusts no field in it.
    pub data: [u8; SMSC_MAX_TICKET],
}

/// Functions for copies. `peer` is what `peer_open` stored, `transfer` what `offer` or `accept` did.
#[repr(C)]
#[derive(Debug)]
pub struct SmscOps {
    /// Size of this struct in bytes, as the author's header has it.
    pub struct_size: u32,
    /// Zero.
    pub reserved: u32,
    /// Makes the component's object for a peer on this node. Set-up. Required.
    pub peer_open: Option<
        unsafe extern "C" fn(
            instance: *mut Instance,
            view: &Peer,
            peer: &mut *mut c_void,
        ) -> Status,
    >,
    /// Frees it; no transfer is in flight. Set-up. Required.
    pub peer_close: Option<unsafe extern "C" fn(instance: *mut Instance, peer: *mut c_void)>,
    /// The sender's side: offers `len` bytes at `buffer`, fills in the ticket and stores the
    /// transfer, which then goes on by `advance`. `CAIRN_DONE`: the transfer was made;
    /// `CAIRN_NO_RESOURCES`: not now. Hot. Required.
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
    /// The receiver's side: takes the first `len` bytes of an offer to `buffer` and stores the
    /// transfer, which then goes on by `advance`. Answers as `offer`. Hot. Required.
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
    /// Moves what can be moved now: `CAIRN_DONE` when the transfer is finished on this side,
    /// `CAIRN_QUEUED` when something moved, `CAIRN_NOTHING` when it waits for the other side. Hot.
    /// Required.
    pub advance:
        Option<unsafe extern "C" fn(instance: *mut Instance, transfer: *mut c_void) -> OutcomeCode>,
    /// Frees a transfer, finished or given up. Hot. Required.
    pub finish: Option<unsafe extern "C" fn(instance: *mut Instance, transfer: *mut c_void)>,
    /// Estimated nanoseconds to move `len` bytes, both sides at work, as measured when the component
    /// was opened. Required.
    pub estimate: Option<unsafe extern "C" fn(instance: *mut Instance, len: usize) -> u64>,
}

contract! {
    SmscOps: "smsc", version (SMSC_MAJOR, SMSC_MINOR), Many,
        "copies large messages between two processes of a node";
    required peer_open;
    required peer_close;
    required offer;
    required accept;
    required advance;
    required finish;
    required estimate;
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
    /// The sender's side of a transfer, or `None` when there are no resources for it now.
    unsafe fn offer(
        &self,
        peer: &Self::Peer,
        buffer: *const c_void,
        len: usize,
        ticket: &mut SmscTicket,
    ) -> Result<Option<Self::Transfer>, Failure>;
    /// The receiver's side of a transfer, or `None` when there are no resources for it now.
    unsafe fn accept(
        &self,
        peer: &Self::Peer,
        ticket: &SmscTicket,
        buffer: *mut c_void,
        len: usize,
    ) -> Result<Option<Self::Transfer>, Failure>;
    /// Moves what can be moved now.
    fn advance(&self, transfer: &mut Self::Transfer) -> Result<Outcome, Failure>;
    /// Estimated nanoseconds to move `len` bytes.
    fn estimate(&self, len: usize) -> u64;
}

/// The table of a component in Rust; the `component!` macro puts it into the descriptor.
pub const fn ops<T: Smsc>() -> SmscOps {
    SmscOps {
        struct_size: size_of::<SmscOps>() as u32,
        reserved: 0,
        peer_open: Some(peer_open::<T>),
        peer_close: Some(peer_close::<T>),
        offer: Some(offer::<T>),
        accept: Some(accept::<T>),
        advance: Some(advance::<T>),
        finish: Some(finish::<T>),
        estimate: Some(estimate::<T>),
    }
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

shims! { T: Smsc;
    fn peer_open(
        instance: *mut Instance,
        view: &Peer,
        peer: &mut *mut c_void,
    ) -> Status = report(instance) {
        let opened = author::component::<T>(instance).peer_open(view)?;
        *peer = Box::into_raw(Box::new(opened)).cast();
        Ok(())
    }
    fn peer_close(_instance: *mut Instance, peer: *mut c_void) = no_unwind {
        drop(Box::from_raw(peer.cast::<T::Peer>()));
    }
    fn offer(
        instance: *mut Instance,
        peer: *mut c_void,
        buffer: *const c_void,
        len: usize,
        ticket: &mut SmscTicket,
        transfer: &mut *mut c_void,
    ) -> OutcomeCode = no_unwind {
        let peer = &*peer.cast::<T::Peer>();
        let made = author::component::<T>(instance).offer(peer, buffer, len, ticket);
        author::outcome(instance, started(made, transfer))
    }
    fn accept(
        instance: *mut Instance,
        peer: *mut c_void,
        ticket: &SmscTicket,
        buffer: *mut c_void,
        len: usize,
        transfer: &mut *mut c_void,
    ) -> OutcomeCode = no_unwind {
        let peer = &*peer.cast::<T::Peer>();
        let made = author::component::<T>(instance).accept(peer, ticket, buffer, len);
        author::outcome(instance, started(made, transfer))
    }
    fn advance(instance: *mut Instance, transfer: *mut c_void) -> OutcomeCode = no_unwind {
        let transfer = &mut *transfer.cast::<T::Transfer>();
        author::outcome(instance, author::component::<T>(instance).advance(transfer))
    }
    fn finish(_instance: *mut Instance, transfer: *mut c_void) = no_unwind {
        drop(Box::from_raw(transfer.cast::<T::Transfer>()));
    }
    fn estimate(instance: *mut Instance, len: usize) -> u64 = no_unwind {
        author::component::<T>(instance).estimate(len)
    }
}
