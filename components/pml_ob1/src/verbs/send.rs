//! Sends: what goes at once, and the first message of what does not.
//!
//! ```text
//!   small, room ──────────────────► transport               no request at all
//!   medium, room, in one piece ───► transport               the same; `Pushed`, see `push`
//!   either, no room or others wait ► request ► peer's queue  sent by the progress callback
//!   synchronous ──────────────────► request ► Sync           complete by Finish
//!   medium, in several pieces ────► request ► Pushed         see `push`
//!   large ────────────────────────► request ► Rendezvous     see `rendezvous`
//! ```
//!
//! A message gets its sequence number when it is handed to a transport or a queue, so one thread's
//! messages are numbered in the order of its calls.

use core::sync::atomic::Ordering;

use cairn_framework::abi::comm::ContextId;
use cairn_framework::abi::datatype::DATATYPE_CONTIGUOUS;
use cairn_framework::abi::pool::{Cri, CriSet};
use cairn_framework::abi::request::{REQUEST_COMPLETE, REQUEST_PENDING, REQUEST_SEND, Request};
use cairn_framework::abi::status::{ERR_PEER, OK, Status};
use cairn_framework::author::{Failure, Outcome};
use cairn_framework::frameworks::btl::{BTL_GET, BTL_LOCAL, BTL_PUT, BTL_REMOTE_READ};
use cairn_framework::frameworks::pml::{PML_SYNCHRONOUS, PmlSend};

use crate::core::Core;
use crate::core::pending::Step;
use crate::mode::Mode;
use crate::objects::comm::{CommPeer, CommState};
use crate::objects::completion::{complete, complete_later, detach, head};
use crate::objects::data::Data;
use crate::objects::peer::{Peer, Work, gone};
use crate::objects::rail::{CriGuard, Held, Key, Rail};
use crate::objects::request::{Protocol, SendRequest};
use crate::objects::transfer::Transfer;
use crate::params::{AUTO, GET, PUT};
use crate::pool::Place;
use crate::verbs::rendezvous::cut;
use crate::wire::{self, kind};

/// How the try to send at once went.
#[derive(Clone, Copy)]
enum Tried {
    Sent,
    /// It has this number, but there was no room.
    NoRoom(u32),
    /// It can't go at once.
    Not,
    /// It has this number, but the transport can't send it so.
    Refused(u32),
}

impl Core {
    /// Sends and waits until the buffer is free.
    ///
    /// # Safety
    /// As the contract says.
    #[inline]
    pub unsafe fn send<M: Mode>(&self, send: &PmlSend) -> Result<(), Failure> {
        // SAFETY: promised by the caller.
        unsafe {
            match self.short_at_once::<M>(send) {
                Tried::Sent => Ok(()),
                tried => self.send_slowly::<M>(send, tried),
            }
        }
    }

    /// # Safety
    /// As for `send`. `tried` is what became of `short_at_once`.
    #[inline(never)]
    unsafe fn send_slowly<M: Mode>(&self, send: &PmlSend, tried: Tried) -> Result<(), Failure> {
        // SAFETY: promised by the caller; the request stays until it is complete.
        unsafe {
            let tried = self.long_at_once::<M>(send, tried);
            if let Tried::Sent = tried {
                return Ok(());
            }
            let (state, peer, data) = self.resolve::<M>(send)?;
            let tried = self.again::<M>(send, tried, state, peer, &data);
            if let Tried::Sent = tried {
                return Ok(());
            }
            let mut request = self.send_of::<M>(send, state, peer, data);
            let request = &raw mut request;
            self.launch::<M>(request, tried);
            self.wait::<M>(&raw const (*request).request, true, |cris| {
                self.cris_of_send(request, cris);
            });
            SendRequest::release(request);
            self.host.check((*request).request.status.error)
        }
    }

    /// Adds the instance that a send was handed to and where the receiver's answers arrive.
    ///
    /// # Safety
    /// The request was made by `new`, and lives during the call.
    pub unsafe fn cris_of_send(&self, request: *const SendRequest, cris: &mut CriSet) {
        // SAFETY: promised by the caller. A send has its communicator and peer until it is complete and
        // waited for; the retry of one that found no room may write `via` meanwhile, which is atomic.
        let (via, state, peer) =
            unsafe { (&(*request).via, &*(*request).state, &*(*request).peer) };
        // SAFETY: peers are the host's and stay.
        let peer = unsafe { &*peer.view };
        via.add_to(cris);
        self.host.cris_of(&state.view().scope, Some(peer), cris);
    }

    /// Starts a send.
    ///
    /// # Safety
    /// As the contract says.
    #[inline]
    pub unsafe fn isend<M: Mode>(&self, send: &PmlSend) -> Result<*mut Request, Failure> {
        // SAFETY: promised by the caller.
        unsafe {
            match self.short_at_once::<M>(send) {
                Tried::Sent => Ok(self.requests.done()),
                tried => self.isend_slowly::<M>(send, tried),
            }
        }
    }

    /// # Safety
    /// As for `isend`. `tried` is what became of `short_at_once`.
    #[inline(never)]
    unsafe fn isend_slowly<M: Mode>(
        &self,
        send: &PmlSend,
        tried: Tried,
    ) -> Result<*mut Request, Failure> {
        // SAFETY: promised by the caller.
        unsafe {
            let tried = self.long_at_once::<M>(send, tried);
            if let Tried::Sent = tried {
                return Ok(self.requests.done());
            }
            let (state, peer, data) = self.resolve::<M>(send)?;
            let tried = self.again::<M>(send, tried, state, peer, &data);
            if let Tried::Sent = tried {
                return Ok(self.requests.done());
            }
            if M::THREADED && self.requests.is_by_cri() {
                return self.isend_chosen::<M>(send, tried, state, peer, data);
            }
            let request = self.new_send::<M>(send, state, peer, data, Place::default);
            let request =
                request.inspect_err(|_| self.no_request::<M>(send, tried, state, peer))?;
            self.launch::<M>(request, tried);
            Ok(request.cast())
        }
    }

    /// The same where requests come from caches of instances: the strategy is asked once, for request and
    /// message together.
    ///
    /// # Safety
    /// As for `isend`.
    #[cold]
    unsafe fn isend_chosen<M: Mode>(
        &self,
        send: &PmlSend,
        tried: Tried,
        state: &CommState,
        peer: &Peer,
        data: Data,
    ) -> Result<*mut Request, Failure> {
        let rail = peer.first();
        // SAFETY: promised by the caller; instances stay as long as their device.
        unsafe {
            let cri = &*rail.choose_cri::<M>(self.host, &state.view().scope, peer.rank(), None);
            let place = || Place::new(rail.pool(), cri.index);
            let request = self.new_send::<M>(send, state, peer, data, place);
            let request =
                request.inspect_err(|_| self.no_request::<M>(send, tried, state, peer))?;
            self.launch_with::<M>(request, tried, Some(cri));
            Ok(request.cast())
        }
    }

    /// A send that may have a number gets no request.
    #[cold]
    fn no_request<M: Mode>(&self, send: &PmlSend, tried: Tried, state: &CommState, peer: &Peer) {
        if let Tried::NoRoom(sequence) | Tried::Refused(sequence) = tried {
            self.skip::<M>(state, send.peer, peer, send.tag, sequence);
        }
    }

    /// Makes a persistent send.
    ///
    /// # Safety
    /// As the contract says.
    pub unsafe fn send_init<M: Mode>(&self, send: &PmlSend) -> Result<*mut Request, Failure> {
        // SAFETY: promised by the caller.
        unsafe {
            let (state, peer, data) = self.resolve::<M>(send)?;
            let place = || {
                let (rail, scope) = (peer.first(), &state.view().scope);
                let cri = rail.choose_cri::<M>(self.host, scope, peer.rank(), None);
                Place::new(rail.pool(), (*cri).index)
            };
            let request = self.new_send::<M>(send, state, peer, data, place)?;
            (*request).persistent = true;
            (*request).request.start = Some(start::<M>);
            (*request).request.completion.store(REQUEST_COMPLETE, Ordering::Relaxed);
            Ok(request.cast())
        }
    }

    fn new_send<M: Mode>(
        &self,
        send: &PmlSend,
        state: &CommState,
        peer: &Peer,
        data: Data,
        place: impl FnOnce() -> Place,
    ) -> Result<*mut SendRequest, Failure> {
        let request = self.requests.take_send::<M>(place)?;
        // SAFETY: a node has room for it, and is ours.
        unsafe { request.write(self.send_of::<M>(send, state, peer, data)) };
        Ok(request)
    }

    /// A send request with what was asked for.
    #[inline(always)]
    fn send_of<M: Mode>(
        &self,
        send: &PmlSend,
        state: &CommState,
        peer: &Peer,
        data: Data,
    ) -> SendRequest {
        SendRequest::new(head(REQUEST_SEND, free::<M>), self.context(), send, state, peer, data)
    }

    /// The communicator, peer and data of a send.
    ///
    /// # Safety
    /// As the contract says.
    unsafe fn resolve<'a, M: Mode>(
        &self,
        send: &PmlSend,
    ) -> Result<(&'a CommState, &'a Peer, Data), Failure> {
        // SAFETY: promised by the caller.
        unsafe {
            let state = self.comms.state(send.comm);
            let peer = self.peers.of_rank::<M>(state, state.rank(send.peer), send.peer)?;
            if peer.has_failed() {
                return Err(gone(&*peer.view));
            }
            Ok((state, peer, Data::new(send.buffer, send.count, send.datatype)))
        }
    }

    /// Tries to send what is most frequent: a short message without holes to a peer that is known.
    ///
    /// # Safety
    /// As the contract says.
    #[inline(always)]
    unsafe fn short_at_once<M: Mode>(&self, send: &PmlSend) -> Tried {
        // SAFETY: promised by the caller.
        unsafe { self.at_once::<M, false>(send) }
    }

    /// The same for one whose header is padded, if the other was not tried.
    ///
    /// # Safety
    /// As the contract says.
    #[inline(never)]
    unsafe fn long_at_once<M: Mode>(&self, send: &PmlSend, tried: Tried) -> Tried {
        match tried {
            // SAFETY: promised by the caller.
            Tried::Not => unsafe { self.at_once::<M, true>(send) },
            tried => tried,
        }
    }

    /// Tries to send a whole message without holes, a long one or a short one, to a peer that is known.
    ///
    /// # Safety
    /// As the contract says.
    #[inline(always)]
    unsafe fn at_once<M: Mode, const LONG: bool>(&self, send: &PmlSend) -> Tried {
        // SAFETY: promised by the caller.
        let (state, datatype) = unsafe { (self.comms.state(send.comm), &*send.datatype) };
        let Some((rank, peer)) = state.known(send.peer) else { return Tried::Not };
        let bytes = send.count.saturating_mul(datatype.size);
        let fits = match LONG {
            true => (wire::LONG..peer.long_end).contains(&bytes),
            false => bytes < peer.short_end,
        };
        let is_plain = fits && datatype.flags & DATATYPE_CONTIGUOUS != 0;
        if !is_plain || send.mode == PML_SYNCHRONOUS || peer.is_blocked() {
            return Tried::Not;
        }
        let from = send.buffer.cast::<u8>().wrapping_offset(datatype.true_lb as isize);
        // SAFETY: promised by the caller; header and data are short enough.
        let push = |rail: &Rail, cri: &Cri, header: wire::Match| unsafe {
            if LONG {
                let header = header.long();
                return rail.immediate(wire::TAG_GROWING, cri, &header, from, bytes as usize);
            }
            rail.immediate(wire::TAG, cri, &header.bytes(), from, bytes as usize)
        };
        self.number_and_push::<M>(send, state, rank, peer, (Protocol::Eager, bytes), push)
    }

    /// Tries to send a whole message of any kind without a request, if that was not tried before.
    ///
    /// # Safety
    /// As the contract says.
    unsafe fn again<M: Mode>(
        &self,
        send: &PmlSend,
        tried: Tried,
        state: &CommState,
        peer: &Peer,
        data: &Data,
    ) -> Tried {
        if !matches!(tried, Tried::Not) || send.mode == PML_SYNCHRONOUS || peer.is_blocked() {
            return tried;
        }
        let rank = state.rank(send.peer);
        if data.bytes > peer.eager {
            return self.push_at_once::<M>(send, state, rank, peer, data);
        }
        // SAFETY: promised by the caller; `eager` fits with the header.
        let push = |rail: &Rail, cri: &Cri, header: wire::Match| unsafe {
            let (header, len) = header.whole(data.bytes);
            rail.push(cri, &header[..len], data, 0, data.bytes as usize, &mut None)
        };
        self.number_and_push::<M>(send, state, rank, peer, (Protocol::Eager, data.bytes), push)
    }

    /// Tries to push a message in a single piece.
    #[inline]
    fn push_at_once<M: Mode>(
        &self,
        send: &PmlSend,
        state: &CommState,
        rank: &CommPeer,
        peer: &Peer,
        data: &Data,
    ) -> Tried {
        if data.bytes > peer.push.min(peer.first_piece() as u64) || !self.may_push(peer) {
            return Tried::Not;
        }
        let (number, origin) = (self.pushes.number::<M>(), self.host.job().rank);
        // SAFETY: the data is the user's; it fits with the header.
        let push = |rail: &Rail, cri: &Cri, header: wire::Match| unsafe {
            let header = header.pushed(data.bytes, number, origin);
            rail.push(cri, &header, data, 0, data.bytes as usize, &mut None)
        };
        self.number_and_push::<M>(send, state, rank, peer, (Protocol::Pushed, data.bytes), push)
    }

    /// Whether the parameters and the peer let messages go in pieces unasked.
    #[inline]
    fn may_push(&self, peer: &Peer) -> bool {
        self.params.protocol.get() == AUTO && peer.takes_pushed()
    }

    /// Gives a message its number and hands it to the best rail.
    #[inline(always)]
    fn number_and_push<M: Mode>(
        &self,
        send: &PmlSend,
        state: &CommState,
        rank: &CommPeer,
        peer: &Peer,
        (protocol, bytes): (Protocol, u64),
        push: impl FnOnce(&Rail, &Cri, wire::Match) -> Result<Outcome, Status>,
    ) -> Tried {
        let rail = peer.first();
        let scope = &state.view().scope;
        let taken = rail.take::<M>(self.host, scope, peer.rank());
        // Numbered with the lock held, so that an instance's messages are in order.
        let sequence = rank.next_sequence::<M>(send.tag);
        let header = wire::Match {
            word: wire::word(kind::MATCH, sequence),
            source: state.rank,
            tag: send.tag,
            maker: rank.context.maker,
            serial: rank.context.serial,
        };
        match push(rail, taken.cri, header) {
            Ok(Outcome::Done) => {
                if let Some(here) = self.counters.at::<M>(rail.module, Some(taken.cri)) {
                    here.sent(protocol, bytes);
                }
                Tried::Sent
            }
            Ok(_) => Tried::NoRoom(sequence),
            Err(_) => Tried::Refused(sequence),
        }
    }

    /// Sets a send going that is not finished at once. `tried` is what became of the try to send it so.
    ///
    /// # Safety
    /// The request is the caller's, and stays until it is complete.
    #[inline(never)]
    unsafe fn launch<M: Mode>(&self, request: *mut SendRequest, tried: Tried) {
        // SAFETY: promised by the caller.
        unsafe { self.launch_with::<M>(request, tried, None) }
    }

    /// The same with the instance of the first rail that it is to go to, if that was chosen.
    ///
    /// # Safety
    /// As for `launch`.
    #[inline(always)]
    unsafe fn launch_with<M: Mode>(
        &self,
        request: *mut SendRequest,
        tried: Tried,
        cri: Option<&Cri>,
    ) {
        // SAFETY: promised by the caller; what the request leads to lives as long as it.
        unsafe {
            let this = &mut *request;
            let (state, peer) = (&*this.state, &*this.peer);
            let (bytes, synchronous) = (this.data.bytes, this.send.mode == PML_SYNCHRONOUS);
            this.protocol = if bytes > peer.eager {
                let wanted = !synchronous && peer.pushes(bytes, &self.recent);
                if wanted && self.may_push(peer) { Protocol::Pushed } else { Protocol::Rendezvous }
            } else if synchronous {
                Protocol::Synchronous
            } else {
                Protocol::Eager
            };
            // An instance that was taken for an offer takes the message, too: one lock for both.
            let taken = match this.protocol {
                Protocol::Rendezvous => self.offer_memory::<M>(this, state, peer, cri),
                _ => None,
            };
            this.sequence = match tried {
                Tried::NoRoom(sequence) | Tried::Refused(sequence) => sequence,
                _ => state.rank(this.send.peer).next_sequence::<M>(this.send.tag),
            };
            // One that found no room does not try again, but queues.
            if !matches!(tried, Tried::NoRoom(_)) && !peer.is_blocked() {
                let taken = taken.or_else(|| cri.map(CriGuard::<M>::new));
                if self.inject::<M>(request, taken.as_ref().map(|taken| taken.cri)) == Step::Done {
                    return;
                }
            } else {
                drop(taken);
            }
            self.enqueue::<M>(peer, Work::First(request));
        }
    }

    /// Decides what to offer the receiver, and registers the memory for it: what is offered works.
    /// Returns the instance that it took for that, if any.
    #[inline(always)]
    pub fn offer_memory<'a, M: Mode>(
        &self,
        request: &mut SendRequest,
        state: &CommState,
        peer: &'a Peer,
        cri: Option<&'a Cri>,
    ) -> Option<CriGuard<'a, M>> {
        let rail = peer.first();
        let protocol = self.params.protocol.get();
        let get = matches!(protocol, AUTO | GET) && rail.can(BTL_GET);
        let put = matches!(protocol, AUTO | PUT) && rail.can(BTL_PUT);
        if !request.data.contiguous || !(get || put) {
            return None;
        }
        let (data, transfer) = (request.data, &mut request.transfer);
        // A put needs nothing of this side, or both get a registration that serves both.
        let alone = get && rail.registers(BTL_REMOTE_READ) && !(put && rail.registers(BTL_LOCAL));
        let taken = alone.then(|| match cri {
            Some(cri) => CriGuard::new(cri),
            None => rail.take::<M>(self.host, &state.view().scope, peer.rank()),
        });
        // SAFETY: the buffer stays, unchanged, until the send is complete.
        let registered = unsafe {
            match &taken {
                Some(taken) => transfer.offer(rail, taken.cri, data.first, data.bytes),
                None => {
                    let access = BTL_LOCAL | if get { BTL_REMOTE_READ } else { 0 };
                    transfer.register(rail, data.first, data.bytes, access)
                }
            }
        };
        if registered.is_ok() {
            request.offers = if get { wire::OFFER_GET } else { 0 };
            request.offers |= if put { wire::OFFER_PUT } else { 0 };
        }
        taken
    }

    /// Hands the first message of a send to its transport. After `Done` the request may be gone.
    ///
    /// # Safety
    /// The request is the caller's.
    pub unsafe fn inject<M: Mode>(&self, request: *mut SendRequest, held: Held<'_>) -> Step {
        // SAFETY: promised by the caller; what the request leads to lives as long as it.
        let (this, state, peer) = unsafe { (&*request, &*(*request).state, &*(*request).peer) };
        let (protocol, bytes, data) = (this.protocol, this.data.bytes, this.data);
        let answered = matches!(protocol, Protocol::Synchronous | Protocol::Rendezvous);
        let id = match protocol {
            // A number for answers, from here on, since the answer may be faster than this thread.
            _ if answered => self.ids.insert_send::<M>(request, peer, state),
            Protocol::Pushed => self.pushes.number::<M>(),
            _ => 0,
        };
        let mut header = [0u8; wire::LONGEST];
        let len = self.first_header(this, state, peer, id, &mut header);
        let payload = match protocol {
            Protocol::Rendezvous => 0,
            Protocol::Pushed => cut(peer.first_piece(), bytes),
            _ => bytes as usize,
        };
        let mut walk = None;
        let scope = &state.view().scope;
        let push = |rail: &Rail, cri: &Cri| {
            let mut header = &header[..len];
            let plain;
            if protocol == Protocol::Rendezvous && !core::ptr::eq(rail, peer.first()) {
                // What it offers is memory that the first rail's device has registered.
                plain = wire::without_offers(header);
                header = &plain;
            }
            if M::THREADED {
                // Before the message goes: behind it the request may be gone.
                this.via.set(rail, cri);
            }
            // SAFETY: the data is the user's and stays; `launch` and `push_over` saw that it fits.
            let sent = unsafe {
                if protocol == Protocol::Rendezvous {
                    rail.push_bytes(cri, header)
                } else {
                    rail.push(cri, header, &data, 0, payload, &mut walk)
                }
            };
            if let Ok(Outcome::Done) = sent
                && let Some(here) = self.counters.at::<M>(rail.module, Some(cri))
            {
                here.sent(protocol, bytes);
            }
            sent
        };
        let sent = self.push_over::<M>(peer, 0, Some(len + payload), scope, held, push);
        // Not if the peer has answered to a number that it was not told.
        let is_ours = || !answered || self.ids.take_send::<M>(id).is_some();
        match sent {
            Ok(Step::Done) => {
                match protocol {
                    Protocol::Eager | Protocol::Pushed if payload as u64 == bytes => {
                        // SAFETY: no other thread knows the request.
                        unsafe { self.end_send::<M>(request, OK, held) }
                    }
                    // SAFETY: the same.
                    Protocol::Pushed => unsafe {
                        (*request).number = id;
                        (*request).transfer.offset = payload as u64;
                        (*request).transfer.walk = walk;
                        self.push_rest::<M>(request, held);
                    },
                    _ => self.ids.sent::<M>(id),
                }
                Step::Done
            }
            Ok(Step::Blocked) => {
                if is_ours() {
                    Step::Blocked
                } else {
                    Step::Done
                }
            }
            Err(status) if protocol == Protocol::Pushed && status != ERR_PEER => {
                // SAFETY: no other thread knows the request.
                unsafe {
                    // Its first piece may be longer than the other rails take. An announcement fits all.
                    if !peer.first().takes_less(len + payload) {
                        (*request).protocol = Protocol::Rendezvous;
                    }
                    self.inject::<M>(request, held)
                }
            }
            Err(status) => {
                if is_ours() {
                    if status != ERR_PEER {
                        self.skip::<M>(state, this.send.peer, peer, this.send.tag, this.sequence);
                    }
                    // SAFETY: out of the table, so no other thread knows the request.
                    unsafe { self.end_send::<M>(request, status, held) };
                }
                Step::Done
            }
        }
    }

    /// Writes the header of a send's first message, behind which there are zeros, and returns its length.
    fn first_header(
        &self,
        request: &SendRequest,
        state: &CommState,
        peer: &Peer,
        id: u64,
        header: &mut [u8],
    ) -> usize {
        let (source, tag) = (state.rank, request.send.tag);
        let ContextId { maker, serial, .. } = state.rank(request.send.peer).context;
        let word = |kind| wire::word(kind, request.sequence);
        match request.protocol {
            Protocol::Eager => {
                let word = word(kind::MATCH);
                let short = wire::Match { word, source, tag, maker, serial };
                let (bytes, len) = short.whole(request.data.bytes);
                header[..len].copy_from_slice(&bytes[..len]);
                len
            }
            Protocol::Synchronous => {
                let word = word(kind::SYNC);
                let bytes = wire::Sync { word, source, tag, maker, serial, send: id }.bytes();
                header[..bytes.len()].copy_from_slice(&bytes);
                bytes.len()
            }
            Protocol::Pushed => {
                let matched = wire::Match { word: word(kind::MATCH), source, tag, maker, serial };
                let pushed = matched.pushed(request.data.bytes, id, self.host.job().rank);
                header[..wire::DATA].copy_from_slice(&pushed);
                wire::DATA
            }
            Protocol::Rendezvous => {
                let rail = peer.first();
                let mut key = [0; size_of::<Key>()];
                let (mut offers, mut address, mut key_len) = (request.offers, 0, 0);
                if offers & wire::OFFER_GET != 0 {
                    match request.transfer.pack_key(rail, &mut key) {
                        Ok(len) => {
                            address = request.data.first.expose_provenance() as u64;
                            key_len = len;
                        }
                        Err(_) => offers &= !wire::OFFER_GET,
                    }
                }
                let bytes = wire::Rendezvous {
                    word: word(kind::RENDEZVOUS) | offers,
                    source,
                    tag,
                    maker,
                    serial,
                    length: request.data.bytes,
                    send: id,
                    address,
                }
                .bytes();
                header[..bytes.len()].copy_from_slice(&bytes);
                header[bytes.len()..][..key_len].copy_from_slice(&key[..key_len]);
                bytes.len() + key_len
            }
        }
    }

    /// Completes a send. Memory that can't be deregistered, since a lock is held, is left to the
    /// freeing of the request; where that may be much later, or was before, to the progress callback.
    ///
    /// # Safety
    /// The request is the caller's; nothing of it is in flight.
    pub unsafe fn end_send<M: Mode>(
        &self,
        request: *mut SendRequest,
        status: Status,
        held: Held<'_>,
    ) {
        // SAFETY: promised by the caller.
        unsafe {
            let peer = &*(*request).peer;
            (*request).request.status.error = status;
            let later = M::THREADED && (*request).transfer.is_registered() && held.is_some();
            if later && (*request).persistent {
                return self.enqueue::<M>(peer, Work::EndSend(request));
            }
            if !later {
                SendRequest::release(request);
            }
            (*request).transfer.end::<M>(&(*(*request).state).transfers);
            if complete::<M>(&raw mut (*request).request) {
                if later {
                    complete_later(&raw mut (*request).request);
                    return self.enqueue::<M>(peer, Work::EndSend(request));
                }
                self.requests.give_send::<M>(request);
            }
        }
    }
}

/// Gives a send back.
unsafe extern "C" fn free<M: Mode>(request: *mut Request) {
    let request = request.cast::<SendRequest>();
    // SAFETY: the MPI layer passes one of ours and uses it no more.
    unsafe {
        let core = Core::at((*request).core);
        if detach(&raw mut (*request).request) {
            SendRequest::release(request);
            core.requests.give_send::<M>(request);
        }
    }
}

/// Starts a persistent send.
unsafe extern "C" fn start<M: Mode>(request: *mut Request) -> Status {
    let request = request.cast::<SendRequest>();
    // SAFETY: the MPI layer passes one of ours that is not started.
    unsafe {
        let this = &mut *request;
        debug_assert!(this.persistent);
        let core = Core::at(this.core);
        let (state, peer, send, data) = (&*this.state, &*this.peer, this.send, this.data);
        this.request.status.error = OK;
        let tried = core.again::<M>(&send, Tried::Not, state, peer, &data);
        if let Tried::Sent = tried {
            return OK;
        }
        this.transfer = Transfer::new();
        this.offers = 0;
        this.request.completion.store(REQUEST_PENDING, Ordering::Relaxed);
        core.launch::<M>(request, tried);
    }
    OK
}
