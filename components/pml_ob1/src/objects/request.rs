//! The requests of both directions.

use core::ffi::c_void;
use core::mem::{MaybeUninit, offset_of};
use core::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use cairn_framework::abi::pool::{Cri, CriPool, CriSet};
use cairn_framework::abi::request::{MessageStatus, Request};
use cairn_framework::abi::status::{ERR_TRUNCATED, OK};
use cairn_framework::frameworks::matching::MatchPosted;
use cairn_framework::frameworks::pml::PmlSend;

use crate::mode::Mode;
use crate::objects::comm::CommState;
use crate::objects::data::Data;
use crate::objects::peer::Peer;
use crate::objects::rail::Rail;
use crate::objects::transfer::Transfer;
use crate::pool::Links;
use crate::wire;

/// A send that is not finished at once.
#[repr(C, align(128))]
pub struct SendRequest {
    /// What others see. First, so that its address is the request's.
    pub request: Request,
    /// The component's core, for the functions that get nothing but the request.
    pub core: *const c_void,
    /// What was asked for.
    pub send: PmlSend,
    /// The communicator.
    pub state: *const CommState,
    /// The peer.
    pub peer: *const Peer,
    /// The data.
    pub data: Data,
    /// The message's number.
    pub sequence: u32,
    /// How the first message looks.
    pub protocol: Protocol,
    /// Can be started again.
    pub persistent: bool,
    /// `OFFER_*`.
    pub offers: u32,
    /// The instance that its first message went to.
    pub via: Via,
    /// How the data moves, once the receiver has answered.
    pub plan: Plan,
    /// The number of a message that goes in pieces unasked.
    pub number: u64,
    /// For what is not sent at once.
    pub transfer: Transfer,
}

const _: () = assert!(offset_of!(SendRequest, request) == 0);

/// How the first message of a send looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// Whole.
    Eager,
    /// Whole, and the receiver says when it is matched.
    Synchronous,
    /// An announcement.
    Rendezvous,
    /// The first piece; the others follow at once.
    Pushed,
}

/// The instance that a message was handed to. Written by the thread that hands it over and read by one
/// that waits, so a reader may see the pool of one try and the index of another: it is a hint.
#[derive(Default)]
pub struct Via {
    pool: AtomicPtr<CriPool>,
    cri: AtomicU32,
}

impl Via {
    /// The message goes to this one.
    pub fn set(&self, rail: &Rail, cri: &Cri) {
        self.pool.store(rail.device().pool, Ordering::Relaxed);
        self.cri.store(cri.index, Ordering::Relaxed);
    }

    /// Adds it to a set.
    pub fn add_to(&self, cris: &mut CriSet) {
        // SAFETY: null or the pool of a device, which stays while there are peers.
        if let Some(pool) = unsafe { self.pool.load(Ordering::Relaxed).as_ref() } {
            cris.add(pool, self.cri.load(Ordering::Relaxed));
        }
    }
}

impl SendRequest {
    /// A send that is not begun.
    pub fn new(
        request: Request,
        core: *const c_void,
        send: &PmlSend,
        state: &CommState,
        peer: &Peer,
        data: Data,
    ) -> Self {
        Self {
            request,
            core,
            send: *send,
            state,
            peer,
            data,
            sequence: 0,
            protocol: Protocol::Eager,
            persistent: false,
            offers: 0,
            via: Via::default(),
            plan: Plan::Fragments,
            number: 0,
            transfer: Transfer::new(),
        }
    }

    /// Gives back what the transport has of it. With no instance's lock held, if memory is registered.
    ///
    /// # Safety
    /// The request is the caller's; nothing of it is in flight.
    pub unsafe fn release(this: *mut Self) {
        // SAFETY: promised by the caller; peers stay.
        unsafe {
            let peer = &*(*this).peer;
            (*this).transfer.release(&peer.rails[(*this).transfer.rail]);
        }
    }
}

/// A receive. Those of blocking calls lie on the stack, with only the fields set that a receive
/// needs before it is matched: up to `state`, without the head's functions.
#[repr(C, align(128))]
pub struct ReceiveRequest {
    /// What others see. First, so that its address is the request's.
    pub request: Request,
    /// What the matching engine holds.
    pub posted: MatchPosted,
    /// The user's buffer.
    pub data: Data,
    /// The communicator.
    pub state: *const CommState,
    /// The component's core, for the functions that get nothing but the request.
    pub core: *const c_void,
    /// The pool's, here because all up to here is used for every message: three cache lines.
    links: MaybeUninit<Links>,
    /// Of one that can be started again: source and tag, to be posted again.
    pub source_and_tag: (i32, i32),
    /// The sender, once an announcement was matched.
    pub peer: *const Peer,
    /// How its data moves.
    pub plan: Plan,
    /// The rest for announced messages.
    pub transfer: Transfer,
}

const _: () = assert!(offset_of!(ReceiveRequest, request) == 0);
const _: () = assert!(offset_of!(ReceiveRequest, source_and_tag) <= 192);

impl ReceiveRequest {
    /// Where its memory has something of the pool's.
    pub const LINKS: usize = offset_of!(Self, links);

    /// A message of `length` bytes was matched whose data come apart from its header: what is said of it, and how
    /// much of it is wanted.
    ///
    /// # Safety
    /// The request is the caller's, with its data and communicator.
    pub unsafe fn begin<M: Mode>(this: *mut Self, header: &wire::Match, length: u64) {
        // SAFETY: promised by the caller; a receive has no transfer before.
        unsafe {
            (&raw mut (*this).transfer).write(Transfer::new());
            let wanted = length.min((*this).data.bytes);
            (*this).request.status = MessageStatus {
                source: header.source as i32,
                tag: header.tag,
                error: if wanted < length { ERR_TRUNCATED } else { OK },
                cancelled: 0,
                bytes: wanted,
            };
            (*this).transfer.wanted = wanted;
            (*this).transfer.begin::<M>(&(*(*this).state).transfers);
        }
    }

    /// The receive around what the engine holds.
    pub fn of_posted(posted: *mut MatchPosted) -> *mut Self {
        posted.wrapping_byte_sub(offset_of!(Self, posted)).cast()
    }
}

/// How the data of an announced message moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plan {
    /// The receiver gets it.
    Get,
    /// The sender puts it.
    Put,
    /// The sender sends it in pieces.
    Fragments,
}
