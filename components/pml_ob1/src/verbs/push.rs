//! Messages of medium size: their pieces follow each other unasked, so that the receiver copies one while
//! the sender writes the next.
//!
//! ```text
//!   sender: Pushed(first piece), Piece, Piece, ...  ─►  receiver: matched? ─ yes ─► user's buffer
//!                                                                    │ no
//!                                                                    ▼
//!                                             kept, as far as `pml_ob1_push_kept` goes; above it
//!   sender: Rendezvous, until there is room  ◄── Pushing ────────────┘
//! ```
//!
//! No answer is waited for and no end is told: the send is complete when its last piece is with a
//! transport, the receive when all bytes have come. Which messages go so is the device's `push_limit`. A
//! synchronous one does not, as its sender has to hear of the match.

use core::sync::atomic::Ordering;

use cairn_framework::abi::request::MessageStatus;
use cairn_framework::abi::status::{ERR_PROTOCOL, ERR_TRUNCATED, OK, Status};

use crate::core::Core;
use crate::core::pending::Step;
use crate::core::pushes::Piece;
use crate::mode::Mode;
use crate::objects::comm::CommState;
use crate::objects::kept::{Kept, KeptPointer};
use crate::objects::message::Incoming;
use crate::objects::peer::{Peer, Work};
use crate::objects::rail::Held;
use crate::objects::request::{Plan, ReceiveRequest, SendRequest};
use crate::objects::transfer::Transfer;
use crate::wire::{self, PushName, kind};

// The sender's side.
impl Core {
    /// The first piece of a message is with a transport: the others.
    ///
    /// # Safety
    /// The request is the caller's.
    pub unsafe fn push_rest<M: Mode>(&self, request: *mut SendRequest, held: Held<'_>) {
        // SAFETY: promised by the caller; what the request leads to lives as long as it.
        unsafe {
            let this = &mut *request;
            this.plan = Plan::Fragments;
            this.transfer.wanted = this.data.bytes;
            this.transfer.begin::<M>(&(*this.state).transfers);
            let peer = &*this.peer;
            if self.push_answered::<M>(request, held) == Step::Blocked {
                // Before what is sent later, or that would take each bit of room.
                self.enqueue::<M>(peer, Work::Rest(request));
            }
        }
    }

    /// A peer says whether messages may be pushed to it.
    ///
    /// # Safety
    /// Its bytes are there, at least the header's.
    #[cold]
    pub unsafe fn heard_pushing<M: Mode>(&self, message: &Incoming<'_>) {
        // SAFETY: promised by the caller.
        let header = unsafe { wire::Pushing::read(message.data) };
        match self.peers.all::<M>().find(|peer| peer.rank() == header.origin) {
            Some(peer) => peer.hear_pushing(header.number, header.allowed != 0),
            None => self.violation::<M>(message, "nothing was pushed to that process"),
        }
    }
}

// The receiver's side.
impl Core {
    /// A pushed message was matched.
    ///
    /// # Safety
    /// The receive is the caller's; the message is valid.
    #[inline(never)]
    pub unsafe fn pushed<M: Mode>(
        &self,
        state: &CommState,
        request: *mut ReceiveRequest,
        message: &Incoming<'_>,
    ) {
        // SAFETY: promised by the caller; it was as long as its header when it arrived.
        unsafe {
            let header = wire::Pushed::read(message.data);
            let first = message.len - wire::Pushed::SIZE;
            (&raw mut (*request).transfer).write(Transfer::new());
            let this = &mut *request;
            let wanted = header.length.min(this.data.bytes);
            this.request.status = MessageStatus {
                // What was checked when the message arrived; the peer may have changed its memory since.
                source: message.header.source as i32,
                tag: message.header.tag,
                error: if wanted < header.length { ERR_TRUNCATED } else { OK },
                cancelled: 0,
                bytes: wanted,
            };
            this.transfer.wanted = wanted;
            this.transfer.begin::<M>(&state.transfers);
            let name = header.name();
            let lengths = (header.length, first as u64);
            let early = match lengths.1 <= lengths.0 {
                true => self.pushes.matched::<M>(name, request, lengths),
                false => None,
            };
            let Some(early) = early else {
                self.violation::<M>(message, "this is no first piece of a message");
                return self.end_pushed::<M>(request, ERR_PROTOCOL);
            };
            write_piece::<M>(request, 0, message.data.add(wire::Pushed::SIZE), first);
            for KeptPointer(kept) in early.pieces {
                self.piece::<M>(&Incoming::of_kept(kept, message.held));
                self.free_kept::<M>(kept);
            }
            self.wrote::<M>(name);
        }
    }

    /// A piece of a pushed message came.
    ///
    /// # Safety
    /// Its bytes are there, at least the header's.
    pub unsafe fn piece<M: Mode>(&self, message: &Incoming<'_>) {
        // SAFETY: promised by the caller; a receive stays until its pieces are written, and the piece lies
        // inside the message.
        unsafe {
            let header = wire::Piece::read(message.data);
            let len = message.len - wire::Piece::SIZE;
            let keep = || KeptPointer(self.keep::<M>(message));
            match self.pushes.piece::<M>(header.name(), (header.offset, len as u64), keep) {
                Piece::Write(request) => {
                    let from = message.data.add(wire::Piece::SIZE);
                    write_piece::<M>(request, header.offset, from, len);
                    self.wrote::<M>(header.name());
                }
                Piece::Done => {}
                Piece::Wrong => self.violation::<M>(message, "it is no piece of its message"),
            }
        }
    }

    /// A piece is written.
    #[inline]
    fn wrote<M: Mode>(&self, name: PushName) {
        if let Some((request, status)) = self.pushes.written::<M>(name) {
            // SAFETY: out of the table, so it is ours, and all of it is written.
            unsafe { self.end_pushed::<M>(request, status) };
        }
    }

    /// Completes the receive of a pushed message. There is no way back to the sender, which may be gone or
    /// never have been connected.
    ///
    /// # Safety
    /// The receive is the caller's; nobody writes for it.
    unsafe fn end_pushed<M: Mode>(&self, request: *mut ReceiveRequest, status: Status) {
        // SAFETY: promised by the caller.
        unsafe {
            if status != OK {
                (*request).request.status.error = status;
            }
            (*request).transfer.end::<M>(&(*(*request).state).transfers);
            self.complete_receive::<M>(request);
        }
    }

    /// A sender gives up a message.
    ///
    /// # Safety
    /// The message's bytes are there, at least the header's.
    #[cold]
    pub unsafe fn broken<M: Mode>(&self, message: &Incoming<'_>) {
        // SAFETY: promised by the caller.
        let header = unsafe { wire::Broken::read(message.data) };
        let status = if header.status < 0 { header.status } else { ERR_PROTOCOL };
        self.end_push::<M>(header.name(), status);
    }

    /// What is missing of a message will not come. Whether that ended a receive.
    pub fn end_push<M: Mode>(&self, name: PushName, status: Status) -> bool {
        let ended = self.pushes.broken::<M>(name, status);
        if let Some(request) = ended {
            // SAFETY: out of the table, so it is ours, and nobody writes.
            unsafe { self.end_pushed::<M>(request, status) };
        }
        ended.is_some()
    }

    /// No receive can get a message, nor its pieces.
    ///
    /// # Safety
    /// It is a pushed one, and as long as its header.
    #[cold]
    pub unsafe fn drop_pushed<M: Mode>(&self, message: *const u8, len: usize) {
        // SAFETY: promised by the caller; kept pieces are as long as their headers.
        unsafe {
            let header = wire::Pushed::read(message);
            let lengths = (header.length, (len - wire::Pushed::SIZE) as u64);
            let bytes_of = |piece: &KeptPointer| ((*piece.0).len - wire::Piece::SIZE) as u64;
            for KeptPointer(kept) in self.pushes.dropped::<M>(header.name(), lengths, bytes_of) {
                self.free_kept::<M>(kept);
            }
        }
    }

    /// A message has to stay, or (-1) does not any more.
    ///
    /// # Safety
    /// It is a pushed one, as long as its header, and the caller's.
    #[cold]
    pub unsafe fn count_kept<M: Mode>(&self, kept: *mut Kept, sign: i64) {
        // SAFETY: promised by the caller.
        let header = unsafe { wire::Pushed::read(Kept::data(kept)) };
        // What a peer says must not add up to more than the number holds.
        let bytes = header.length.min(1 << 40) as i64;
        self.pushes.kept::<M>(header.origin, sign * bytes);
    }

    /// Tells the sender of a message whether it may go on to push, if it does not know. With no engine's
    /// lock held.
    #[cold]
    pub fn tell_pusher<M: Mode>(&self, state: &CommState, source: u32, held: Held<'_>) {
        let (origin, limit) = (state.peer(source).rank, self.params.push_kept.get());
        let Some((allowed, number)) = self.pushes.to_tell::<M>(origin, limit) else { return };
        // One that can't be reached can't be told.
        if let Ok(peer) = self.peers.of_rank::<M>(state, state.rank(source), source) {
            let word = wire::word(kind::PUSHING, 0);
            let (origin, allowed) = (self.host.job().rank, allowed.into());
            let header = wire::Pushing { word, origin, number, allowed };
            self.control::<M>(peer, held, &header.bytes());
        }
    }
}

impl Peer {
    /// The peer's word number `number` on whether messages may be pushed to it; they may overtake each other.
    fn hear_pushing(&self, number: u64, allowed: bool) {
        let word = number << 1 | u64::from(!allowed);
        self.pushing.fetch_max(word, Ordering::Relaxed);
    }
}

/// Writes a piece into the user's buffer, as far as that goes.
///
/// # Safety
/// The receive stays during the call; so many bytes are there.
#[inline]
unsafe fn write_piece<M: Mode>(
    request: *mut ReceiveRequest,
    offset: u64,
    from: *const u8,
    len: usize,
) {
    // SAFETY: promised by the caller; what lies behind the wanted bytes is left out. The walk is touched where
    // there are no threads only.
    unsafe {
        let room = (*request).transfer.wanted.saturating_sub(offset);
        let len = room.min(len as u64) as usize;
        if len == 0 {
            return;
        }
        if M::THREADED {
            (*request).data.write(offset, from, len, &mut None);
        } else {
            (*request).data.write(offset, from, len, &mut (*request).transfer.walk);
        }
    }
}
