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
//! One that has room in a single piece is received as if it were an eager one, if its receive is there.
//!
//! No answer is waited for and no end is told: the send is complete when its last piece is with a
//! transport, the receive when all bytes have come. Which messages go so is said by the device's
//! `push_limit` and `push_limit_recent`. A synchronous one does not, as its sender has to hear of the match.

use core::sync::atomic::Ordering;

use cairn_framework::abi::status::{ERR_PEER, ERR_PROTOCOL, OK, Status};

use crate::core::Core;
use crate::core::pending::Step;
use crate::core::pushes::{EarlyPiece, Piece};
use crate::mode::Mode;
use crate::objects::kept::{Kept, KeptPointer};
use crate::objects::message::Incoming;
use crate::objects::peer::{Peer, Work};
use crate::objects::rail::Held;
use crate::objects::request::{Plan, Protocol, ReceiveRequest, SendRequest};
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

    /// A message that has waited for room is announced if the peer has said meanwhile that it is not to be
    /// pushed.
    ///
    /// # Safety
    /// The request is the caller's, and nothing of it is sent. No instance's lock is held.
    pub unsafe fn reconsider<M: Mode>(&self, request: *mut SendRequest) {
        // SAFETY: promised by the caller; what the request leads to lives as long as it.
        unsafe {
            let this = &mut *request;
            let (state, peer) = (&*this.state, &*this.peer);
            if this.protocol == Protocol::Pushed && !peer.takes_pushed() {
                this.protocol = Protocol::Rendezvous;
                drop(self.offer_memory::<M>(this, state, peer, None));
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
        match self.peers.with_rank::<M>(header.origin) {
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
    pub unsafe fn pushed<M: Mode>(&self, request: *mut ReceiveRequest, message: &Incoming<'_>) {
        // SAFETY: promised by the caller; it was as long as its header when it arrived.
        unsafe {
            let header = wire::Pushed::read(message.data);
            let first = message.len - wire::DATA;
            if first as u64 == header.length {
                return self.whole::<M>(request, message, wire::DATA);
            }
            // Source and tag are those that were checked when it arrived; the peer may have changed its memory since.
            ReceiveRequest::begin::<M>(request, &message.header, header.length);
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
            self.write_piece::<M>(name, request, 0, (message, wire::DATA));
            for EarlyPiece { offset, right, kept: KeptPointer(kept), .. } in early {
                let piece = Incoming::of_kept(kept, message.held);
                if right {
                    self.write_piece::<M>(name, request, offset, (&piece, wire::DATA));
                    self.wrote::<M>(name);
                } else {
                    self.violation::<M>(&piece, "it is no piece of its message");
                }
                self.unexpected.free::<M>(kept);
            }
            // Last, so that the receive is there until all is written.
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
            let len = message.len - wire::DATA;
            let keep = || KeptPointer(self.keep::<M>(message));
            match self.pushes.piece::<M>(header.name(), (header.offset, len as u64), keep) {
                Piece::Write(request) => {
                    let (name, from) = (header.name(), (message, wire::DATA));
                    self.write_piece::<M>(name, request, header.offset, from);
                    self.wrote::<M>(name);
                }
                Piece::Done => {}
                Piece::Wrong => self.violation::<M>(message, "it is no piece of its message"),
            }
        }
    }

    /// Writes a piece into the user's buffer, as far as that goes: the bytes of a message from that number on. If they
    /// will not come, the message's receive ends with an error.
    ///
    /// # Safety
    /// The receive is being written to; the message has so many bytes.
    #[inline]
    unsafe fn write_piece<M: Mode>(
        &self,
        name: PushName,
        request: *mut ReceiveRequest,
        offset: u64,
        (message, from): (&Incoming<'_>, usize),
    ) {
        // SAFETY: promised by the caller; what lies behind the wanted bytes is left out. The walk is touched where
        // there are no threads only.
        unsafe {
            let room = (*request).transfer.wanted.saturating_sub(offset);
            let len = room.min((message.len - from) as u64) as usize;
            if len == 0 {
                return;
            }
            let came = if M::THREADED {
                (*request).data.take(offset, message, from, len, &mut None)
            } else {
                (*request).data.take(offset, message, from, len, &mut (*request).transfer.walk)
            };
            if !came {
                self.pushes.torn::<M>(name, (message.len - from) as u64, ERR_PEER);
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
        if let Some(request) = self.pushes.broken::<M>(header.name(), status, header.sent) {
            // SAFETY: its receive is over, so it is ours, and nobody writes.
            unsafe { self.end_pushed::<M>(request, status) };
        }
    }

    /// The process that pushes a message is gone. Whether that ended a receive.
    pub fn lose_push<M: Mode>(&self, name: PushName) -> bool {
        let lost = self.pushes.lost::<M>(name, ERR_PEER);
        if let Some(request) = lost {
            // SAFETY: as above.
            unsafe { self.end_pushed::<M>(request, ERR_PEER) };
        }
        lost.is_some()
    }

    /// No receive can get a message, nor its pieces.
    ///
    /// # Safety
    /// It is a pushed one, and as long as its header.
    #[cold]
    pub unsafe fn drop_pushed<M: Mode>(&self, message: *const u8, len: usize) {
        // SAFETY: promised by the caller; kept pieces are ours.
        unsafe {
            let header = wire::Pushed::read(message);
            let lengths = (header.length, (len - wire::DATA) as u64);
            for piece in self.pushes.dropped::<M>(header.name(), lengths) {
                self.unexpected.free::<M>(piece.kept.0);
            }
        }
    }

    /// The engine is about to keep a message, or gives it out again: it counts as kept meanwhile. With no
    /// lock held but the engine's.
    ///
    /// # Safety
    /// It is a pushed one, as long as its header, and the caller's.
    #[cold]
    pub unsafe fn count_kept<M: Mode>(&self, kept: *mut Kept) {
        // SAFETY: promised by the caller.
        unsafe {
            let header = wire::Pushed::read(Kept::data(kept));
            // What a peer says must not add up to more than the number holds.
            let bytes = header.length.min(1 << 40) as i64;
            (*kept).counted = !(*kept).counted;
            self.pushes.kept::<M>(header.origin, if (*kept).counted { bytes } else { -bytes });
        }
    }

    /// Tells the sender of messages that are kept, or were, whether it may go on to push, if it does not
    /// know. With no lock of an engine held.
    #[cold]
    pub fn tell_pusher<M: Mode>(&self, peer: &Peer, held: Held<'_>) {
        let limit = self.params.push_kept.get();
        let Some((allowed, number)) = self.pushes.to_tell::<M>(peer.rank(), limit) else { return };
        let word = wire::word(kind::PUSHING, 0);
        let (origin, allowed) = (self.host.job().rank, allowed.into());
        let header = wire::Pushing { word, origin, number, allowed };
        self.control::<M>(peer, held, &header.bytes());
    }
}

impl Peer {
    /// The peer's word number `number` on whether messages may be pushed to it; they may overtake each other.
    fn hear_pushing(&self, number: u64, allowed: bool) {
        let word = number << 1 | u64::from(!allowed);
        self.pushing.fetch_max(word, Ordering::Relaxed);
    }
}
