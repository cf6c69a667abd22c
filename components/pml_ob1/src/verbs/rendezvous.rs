//! Large messages: announced first, moved when the receiver has a place for them.
//!
//! ```text
//!   get         sender: Rendezvous(address, key) ─►  receiver: get, get, ...   ─► Finish ─► sender
//!   put         sender: Rendezvous ─► receiver: Answer(address, key) ─► sender: put, put, flush
//!                                                                     ─► Finish ─► receiver
//!   fragments   sender: Rendezvous ─► receiver: Answer ─► sender: Fragment, Fragment, ...
//! ```
//!
//! The receiver chooses, of what the sender offers and both transports can: get, put, fragments, in
//! this order, or what the user asked for. Get and put need data without holes on both sides. What
//! does not fit into the receive is not moved at all.
//!
//! **Owner of a request.** The thread that took it out of the table of ids or out of a peer's queue.
//! With puts and gets in flight it has none; `outstanding` counts them and a thread that starts
//! more, and the one that counts down to zero ends it. Memory is registered and deregistered with no
//! instance's lock held (the transport's contract), so a callback that may hold one leaves that to the
//! peer's queue.

use core::sync::atomic::Ordering;

use cairn_framework::abi::pool::Cri;
use cairn_framework::abi::status::{
    DONE, ERR_PEER, ERR_PROTOCOL, NO_RESOURCES, OK, QUEUED, Status,
};
use cairn_framework::author::Outcome;
use cairn_framework::frameworks::btl::{
    BTL_GET, BTL_LOCAL, BTL_PUT, BTL_REMOTE_WRITE, BtlCompletion, BtlTransfer,
};

use crate::core::Core;
use crate::core::ids::{Ended, Entry, Fragments};
use crate::core::pending::Step;
use crate::mode::{Mode, fetch_add, fetch_sub};
use crate::objects::comm::CommState;
use crate::objects::message::Incoming;
use crate::objects::peer::{Control, Peer, Work};
use crate::objects::rail::{Held, Key, Rail, outcome};
use crate::objects::request::{Plan, Protocol, ReceiveRequest, SendRequest};
use crate::objects::transfer::{SPREAD, Transfer};
use crate::params::{AUTO, GET, PUT};
use crate::wire::{self, kind};

/// What became of one put, get or flush.
enum Started {
    /// It is finished, or its completion will come.
    Yes,
    NoRoom,
    Failed(Status),
}

// The receiver's side.
impl Core {
    /// An announced message was matched.
    ///
    /// # Safety
    /// The receive is the caller's; the message is valid.
    #[cold]
    pub unsafe fn announced<M: Mode>(
        &self,
        state: &CommState,
        request: *mut ReceiveRequest,
        message: &Incoming<'_>,
    ) {
        // SAFETY: promised by the caller; lengths were checked when it arrived.
        unsafe {
            let header = wire::Rendezvous::read(message.data);
            // What was checked when the message arrived; the peer may have changed its memory since.
            let source = message.header.source;
            let key = message.data.add(wire::Rendezvous::SIZE);
            let key_len = message.len - wire::Rendezvous::SIZE;
            let key = core::slice::from_raw_parts(key, key_len);
            ReceiveRequest::begin::<M>(request, &message.header, header.length);
            let this = &mut *request;
            this.transfer.theirs = header.send;
            this.transfer.address = header.address;
            let peer = match self.peers.of_rank::<M>(state, state.rank(source), source) {
                Ok(peer) => peer,
                Err(failure) => {
                    this.request.status.error = failure.status;
                    this.transfer.end::<M>(&state.transfers);
                    return self.complete_receive::<M>(request);
                }
            };
            this.peer = peer;
            if this.transfer.wanted == 0 {
                self.tell_sender::<M>(state, source, header.send, OK, message.held);
                this.transfer.end::<M>(&state.transfers);
                return self.complete_receive::<M>(request);
            }
            let rail = peer.rail_over(message.module);
            this.transfer.rail = rail.unwrap_or(0);
            // What is offered is memory of that device, which another one has no way to.
            let offers = rail.map_or(0, |_| wire::offers_of(message.header.word));
            this.plan = self.plan(this, peer, offers, key);
            if self.fetch::<M>(request, message.held) == Step::Blocked {
                self.enqueue::<M>(peer, Work::Fetch(request));
            }
        }
    }

    /// Chooses how an announced message moves.
    fn plan(&self, request: &mut ReceiveRequest, peer: &Peer, offers: u32, key: &[u8]) -> Plan {
        let rail = &peer.rails[request.transfer.rail];
        let allowed = self.params.protocol.get();
        if !request.data.contiguous {
            return Plan::Fragments;
        }
        let alignment = u64::from(rail.device().get_alignment.max(1));
        let local = request.data.first.addr() as u64;
        let aligned = |number: u64| number.is_multiple_of(alignment);
        if offers & wire::OFFER_GET != 0
            && matches!(allowed, AUTO | GET)
            && rail.can(BTL_GET)
            && rail.device().get_limit >= alignment
            && [request.transfer.address, local, request.transfer.wanted].into_iter().all(aligned)
            && request.transfer.unpack_key(rail, key)
        {
            return Plan::Get;
        }
        let offered = offers & wire::OFFER_PUT != 0;
        if offered && matches!(allowed, AUTO | PUT) && rail.can(BTL_PUT) {
            return Plan::Put;
        }
        Plan::Fragments
    }

    /// Goes on with a receive: gets its data, or asks for it. After `Done` the request may be gone.
    ///
    /// # Safety
    /// The request is the caller's.
    pub unsafe fn fetch<M: Mode>(&self, request: *mut ReceiveRequest, held: Held<'_>) -> Step {
        // SAFETY: promised by the caller; what the request leads to lives as long as it.
        unsafe {
            let this = &mut *request;
            let peer = &*this.peer;
            let rail = &peer.rails[this.transfer.rail];
            let access = if this.plan == Plan::Put { BTL_REMOTE_WRITE } else { BTL_LOCAL };
            let registered = this.transfer.is_registered() || !rail.registers(access);
            if this.plan == Plan::Fragments && this.transfer.is_registered() {
                // For a get or a put that is not to be.
                if M::THREADED && held.is_some() {
                    return Step::Blocked;
                }
                this.transfer.release(rail);
            }
            if this.plan != Plan::Fragments && !registered {
                if M::THREADED && held.is_some() {
                    return Step::Blocked;
                }
                let (first, wanted) = (this.data.first, this.transfer.wanted);
                if this.transfer.register(rail, first, wanted, access).is_err() {
                    // Memory that can't be registered is filled by copying.
                    this.transfer.release(rail);
                    this.plan = Plan::Fragments;
                }
            }
            match this.plan {
                Plan::Get => return self.get_pieces::<M>(request, rail, held),
                Plan::Put => {
                    let mut key = [0; size_of::<Key>()];
                    match this.transfer.pack_key(rail, &mut key) {
                        Ok(len) => {
                            let entry = Entry::Put(request, this.transfer.wanted);
                            self.ask::<M>(this, peer, held, entry, wire::BY_PUT, &key[..len]);
                        }
                        Err(status) => self.give_up::<M>(request, status, held),
                    }
                }
                Plan::Fragments => {
                    let fragments = Fragments::new(request, this.transfer.wanted);
                    let entry = Entry::Fragments(fragments);
                    self.ask::<M>(this, peer, held, entry, wire::BY_FRAGMENTS, &[]);
                }
            }
            Step::Done
        }
    }

    /// Asks the sender for the data.
    fn ask<M: Mode>(
        &self,
        request: &ReceiveRequest,
        peer: &Peer,
        held: Held<'_>,
        entry: Entry,
        by: u32,
        key: &[u8],
    ) {
        let (send, length) = (request.transfer.theirs, request.transfer.wanted);
        let rail = request.transfer.rail;
        let address = match by {
            wire::BY_PUT => request.data.first.expose_provenance() as u64,
            _ => 0,
        };
        let id = self.ids.insert_receive::<M>(entry);
        let word = wire::word(kind::ANSWER, 0);
        let answer = wire::Answer { word, way: by, send, receive: id, length, address };
        let mut bytes = [0; wire::Answer::SIZE + size_of::<Key>()];
        bytes[..wire::Answer::SIZE].copy_from_slice(&answer.bytes());
        bytes[wire::Answer::SIZE..][..key.len()].copy_from_slice(key);
        let bytes = &bytes[..wire::Answer::SIZE + key.len()];
        // The key is one of this rail's device; anything else may take another.
        let only = by == wire::BY_PUT;
        self.control_over::<M>(peer, held, Control { bytes, rail, only, receive: Some(id) });
    }

    /// Gets the next pieces of a message.
    ///
    /// # Safety
    /// As for `fetch`.
    unsafe fn get_pieces<M: Mode>(
        &self,
        request: *mut ReceiveRequest,
        rail: &Rail,
        held: Held<'_>,
    ) -> Step {
        // SAFETY: promised by the caller. The completions of what is in flight touch `outstanding`
        // and `failure` only, as long as this thread is counted.
        unsafe {
            let cri = self.choose_cri::<M>(&(*request).state, &mut (*request).transfer, rail, held);
            let transfer = &raw mut (*request).transfer;
            if (*transfer).completion.done.is_none() {
                // Once: gets that are in flight have its address.
                (*transfer).completion =
                    BtlCompletion { done: Some(got::<M>), context: request.cast() };
            }
            let device = rail.device();
            let limit =
                device.get_limit - device.get_limit % u64::from(device.get_alignment.max(1));
            while (*transfer).offset < (*transfer).wanted {
                let len = ((*transfer).wanted - (*transfer).offset).min(limit);
                let piece = BtlTransfer {
                    local: (*request).data.at((*transfer).offset).cast(),
                    registration: (*transfer).registration.unwrap_or(core::ptr::null_mut()),
                    remote: (*transfer).address + (*transfer).offset,
                    key: (*transfer).key.unwrap_or(core::ptr::null_mut()),
                    len: len as usize,
                };
                let started = started::<M>(&*transfer, &*(*request).peer, rail, cri, held, || {
                    (rail.ops().get.unwrap_unchecked())(
                        device,
                        cri,
                        rail.endpoint,
                        &piece,
                        &raw mut (*transfer).completion,
                    )
                });
                match started {
                    Started::Yes => (*transfer).offset += len,
                    Started::NoRoom => return Step::Blocked,
                    Started::Failed(status) => {
                        (*transfer).fail(status);
                        break;
                    }
                }
            }
            if fetch_sub::<M>(&(*transfer).outstanding, 1) == 1 {
                self.all_got::<M>(request, held);
            }
            Step::Done
        }
    }

    /// All gets are finished: tells the sender and completes the receive. If one has failed and the
    /// sender lives, it sends the data in fragments.
    ///
    /// # Safety
    /// The request is the caller's; nothing of it is in flight.
    unsafe fn all_got<M: Mode>(&self, request: *mut ReceiveRequest, held: Held<'_>) {
        // SAFETY: promised by the caller.
        unsafe {
            let peer = &*(*request).peer;
            let status = (*request).transfer.failure.load(Ordering::Relaxed);
            if status != OK && !peer.has_failed() {
                return self.receive_fragments::<M>(request, held);
            }
            let bytes = (*request).transfer.wanted;
            let block = held.map_or(0, |cri| cri.index);
            if status == OK {
                self.counters.add::<M>(block, |copy| &copy.bytes_get, bytes);
            }
            self.give_up::<M>(request, status, held);
        }
    }

    /// A receive whose data can't be got or put asks its sender for fragments.
    ///
    /// # Safety
    /// As for `all_got`.
    pub unsafe fn receive_fragments<M: Mode>(&self, request: *mut ReceiveRequest, held: Held<'_>) {
        // SAFETY: promised by the caller.
        unsafe {
            let peer = &*(*request).peer;
            self.counters.add::<M>(peer.rank(), |copy| &copy.fell_back, 1);
            (*request).plan = Plan::Fragments;
            (*request).transfer.again();
            if self.fetch::<M>(request, held) == Step::Blocked {
                self.enqueue::<M>(peer, Work::Fetch(request));
            }
        }
    }

    /// Ends a receive, and tells its sender.
    ///
    /// # Safety
    /// As for `all_got`.
    pub unsafe fn give_up<M: Mode>(
        &self,
        request: *mut ReceiveRequest,
        status: Status,
        held: Held<'_>,
    ) {
        // SAFETY: promised by the caller.
        unsafe {
            let (peer, send) = (&*(*request).peer, (*request).transfer.theirs);
            let finish = wire::Finish::new(send, status);
            self.control::<M>(peer, held, &finish.bytes());
            self.end_receive::<M>(request, status, held);
        }
    }

    /// Completes an announced receive, or leaves that to the progress callback, when memory must be
    /// deregistered and a lock is held.
    ///
    /// # Safety
    /// As for `all_got`.
    pub unsafe fn end_receive<M: Mode>(
        &self,
        request: *mut ReceiveRequest,
        status: Status,
        held: Held<'_>,
    ) {
        // SAFETY: promised by the caller.
        unsafe {
            let peer = &*(*request).peer;
            if status != OK {
                (*request).request.status.error = status;
            }
            if M::THREADED && (*request).transfer.is_registered() && held.is_some() {
                return self.enqueue::<M>(peer, Work::EndReceive(request));
            }
            (*request).transfer.release(&peer.rails[(*request).transfer.rail]);
            (*request).transfer.end::<M>(&(*(*request).state).transfers);
            self.complete_receive::<M>(request);
        }
    }

    /// A piece of a message came.
    ///
    /// # Safety
    /// Its bytes are there, at least the header's.
    pub unsafe fn fragment<M: Mode>(&self, message: &Incoming<'_>) {
        // SAFETY: promised by the caller.
        let header = unsafe { wire::Fragment::read(message.data) };
        let len = message.len - wire::DATA;
        let id = header.receive;
        let begun = self.ids.begin_fragment::<M>(id, header.offset, len as u64);
        let Some(request) = begun else {
            return self.violation::<M>(message, "no operation waits for this fragment");
        };
        // SAFETY: the request stays until `written`; the fragment lies inside, as `begin` has seen.
        unsafe {
            let from = message.data.add(wire::DATA);
            if M::THREADED {
                (*request).data.write(header.offset, from, len, &mut None);
            } else {
                let walk = &mut (*request).transfer.walk;
                (*request).data.write(header.offset, from, len, walk);
            }
            if let Some((request, status)) = self.ids.written::<M>(id) {
                self.end_receive::<M>(request, status, message.held);
            }
        }
    }

    /// The other side is done.
    ///
    /// # Safety
    /// Its bytes are there, at least the header's.
    pub unsafe fn finished<M: Mode>(&self, message: &Incoming<'_>) {
        // SAFETY: promised by the caller.
        let header = unsafe { wire::Finish::read(message.data) };
        let status = if header.status > 0 { ERR_PROTOCOL } else { header.status };
        let ended = self.ids.end::<M>(header.id, status);
        // SAFETY: taken out of the table, so it is ours.
        unsafe {
            match ended {
                Some(Ended::Send(request)) => self.end_send::<M>(request, status, message.held),
                Some(Ended::Receive(request)) => {
                    self.end_receive::<M>(request, status, message.held);
                }
                Some(Ended::Later) => {}
                None => self.violation::<M>(message, "no operation waits for this end"),
            }
        }
    }
}

// The sender's side.
impl Core {
    /// The receiver says how it wants an announced message.
    ///
    /// # Safety
    /// Its bytes are there, at least the header's.
    pub unsafe fn answered<M: Mode>(&self, message: &Incoming<'_>) {
        // SAFETY: promised by the caller.
        let header = unsafe { wire::Answer::read(message.data) };
        let Some(request) = self.ids.take_send::<M>(header.send) else {
            return self.violation::<M>(message, "no operation waits for this answer");
        };
        // SAFETY: taken out of the table, so it is ours; the key lies behind the header.
        unsafe {
            let key = message.data.add(wire::Answer::SIZE);
            let key = core::slice::from_raw_parts(key, message.len - wire::Answer::SIZE);
            let this = &mut *request;
            let peer = &*this.peer;
            let plan = match header.way {
                wire::BY_FRAGMENTS if key.is_empty() => Some(Plan::Fragments),
                wire::BY_PUT => self.accept_put(this, peer, message, key).then_some(Plan::Put),
                _ => None,
            };
            let Some(plan) = plan.filter(|_| header.length <= this.data.bytes) else {
                self.violation::<M>(message, "this can't be answered to an announcement");
                return self.end_send::<M>(request, ERR_PROTOCOL, message.held);
            };
            this.plan = plan;
            this.transfer.theirs = header.receive;
            this.transfer.wanted = header.length;
            this.transfer.address = header.address;
            this.transfer.begin::<M>(&(*this.state).transfers);
            if self.push_answered::<M>(request, message.held) == Step::Blocked {
                self.enqueue::<M>(peer, Work::Push(request));
            }
        }
    }

    /// Whether a send can be put over the rail by which the answer came, with its key.
    fn accept_put(
        &self,
        request: &mut SendRequest,
        peer: &Peer,
        message: &Incoming<'_>,
        key: &[u8],
    ) -> bool {
        let Some(rail) = peer.rail_over(message.module) else { return false };
        // The memory is registered, where that is needed, with the first rail's device.
        request.offers & wire::OFFER_PUT != 0
            && rail == request.transfer.rail
            && peer.rails[rail].can(BTL_PUT)
            && peer.rails[rail].device().put_limit > 0
            && request.transfer.unpack_key(&peer.rails[rail], key)
    }

    /// Goes on with a send that was answered. After `Done` the request may be gone.
    ///
    /// # Safety
    /// The request is the caller's.
    pub unsafe fn push_answered<M: Mode>(&self, request: *mut SendRequest, held: Held<'_>) -> Step {
        // SAFETY: promised by the caller.
        unsafe {
            if (*request).plan == Plan::Put {
                self.put_pieces::<M>(request, held)
            } else {
                self.push_fragments::<M>(request, held)
            }
        }
    }

    /// Sends the next fragments, over the rails by their bandwidth.
    ///
    /// # Safety
    /// As for `push_answered`.
    unsafe fn push_fragments<M: Mode>(&self, request: *mut SendRequest, held: Held<'_>) -> Step {
        // SAFETY: promised by the caller; what the request leads to lives as long as it.
        let (this, peer, scope) = unsafe {
            let this = &mut *request;
            (this, &*(*request).peer, &(*(*request).state).view().scope)
        };
        let pushed = this.protocol == Protocol::Pushed;
        let most = if pushed { peer.piece } else { self.params.fragment_size.get() as usize };
        let mut full = [false; SPREAD];
        // A rail that can't be used is left out; the last error counts when all are.
        let (mut waits, mut refused) = (false, OK);
        let transfer = &mut this.transfer;
        let mut status = if peer.has_failed() { ERR_PEER } else { OK };
        while status == OK && transfer.offset < transfer.wanted {
            let Some(place) = next_rail(peer, &transfer.sent, &full) else {
                if waits || refused == OK {
                    return Step::Blocked;
                }
                status = refused;
                break;
            };
            let rail = &peer.rails[place];
            let rest = transfer.wanted - transfer.offset;
            let len = cut((rail.frame() - wire::DATA).min(most), rest);
            let (data, offset, walk) = (&this.data, transfer.offset, &mut transfer.walk);
            let header = wire::padded(&if pushed {
                let (word, origin) = (wire::word(kind::PIECE, 0), self.host.job().rank);
                wire::Piece { word, origin, number: this.number, offset }.bytes()
            } else {
                let (word, receive) = (wire::word(kind::FRAGMENT, 0), transfer.theirs);
                wire::Fragment { word, reserved: 0, receive, offset }.bytes()
            });
            let sent = rail.with_any_cri::<M>(self.host, scope, peer.rank(), held, |cri| {
                // SAFETY: `answered` has seen that it lies inside the data.
                unsafe { rail.push(cri, &header, data, offset, len, walk) }
            });
            match sent {
                Some(Ok(Outcome::Done)) => {
                    transfer.offset += len as u64;
                    transfer.sent[place] += len as u64;
                    if !pushed {
                        let sent = len as u64;
                        self.counters.add::<M>(peer.rank(), |copy| &copy.bytes_fragments, sent);
                    }
                }
                Some(Err(error)) => {
                    self.counters.add::<M>(peer.rank(), |copy| &copy.refused, 1);
                    if !rail.takes_less(header.len() + len) {
                        (full[place], refused) = (true, error);
                    }
                }
                _ => (full[place], waits) = (true, true),
            }
        }
        if status != OK {
            self.tell_receiver::<M>(this, peer, status, held);
        }
        // SAFETY: nothing of it is in flight: fragments are copied when they are sent.
        unsafe { self.end_send::<M>(request, status, held) };
        Step::Done
    }

    fn tell_receiver<M: Mode>(
        &self,
        request: &SendRequest,
        peer: &Peer,
        status: Status,
        held: Held<'_>,
    ) {
        if request.protocol == Protocol::Pushed {
            let (word, origin) = (wire::word(kind::BROKEN, 0), self.host.job().rank);
            let (number, sent) = (request.number, request.transfer.offset);
            let broken = wire::Broken { word, origin, number, sent, status, reserved: 0 };
            return self.control::<M>(peer, held, &broken.bytes());
        }
        let finish = wire::Finish::new(request.transfer.theirs, status);
        self.control::<M>(peer, held, &finish.bytes());
    }

    /// Puts the next pieces, and the flush that ends them.
    ///
    /// # Safety
    /// As for `push_answered`.
    unsafe fn put_pieces<M: Mode>(&self, request: *mut SendRequest, held: Held<'_>) -> Step {
        // SAFETY: promised by the caller. The completions of what is in flight touch `outstanding`
        // and `failure` only, as long as this thread is counted.
        unsafe {
            let peer = &*(*request).peer;
            let rail = &peer.rails[(*request).transfer.rail];
            let transfer = &raw mut (*request).transfer;
            let cri = self.choose_cri::<M>(&(*request).state, &mut *transfer, rail, held);
            if (*transfer).completion.done.is_none() {
                // Once, as for gets.
                (*transfer).completion =
                    BtlCompletion { done: Some(put::<M>), context: request.cast() };
            }
            let device = rail.device();
            let completion = &raw mut (*transfer).completion;
            let mut status = OK;
            while status == OK && (*transfer).offset < (*transfer).wanted {
                let len = ((*transfer).wanted - (*transfer).offset).min(device.put_limit);
                let piece = BtlTransfer {
                    local: (*request).data.at((*transfer).offset).cast(),
                    registration: (*transfer).registration.unwrap_or(core::ptr::null_mut()),
                    remote: (*transfer).address.wrapping_add((*transfer).offset),
                    key: (*transfer).key.unwrap_or(core::ptr::null_mut()),
                    len: len as usize,
                };
                let started = started::<M>(&*transfer, peer, rail, cri, held, || {
                    (rail.ops().put.unwrap_unchecked())(
                        device,
                        cri,
                        rail.endpoint,
                        &piece,
                        completion,
                    )
                });
                match started {
                    Started::Yes => (*transfer).offset += len,
                    Started::NoRoom => return Step::Blocked,
                    Started::Failed(error) => status = error,
                }
            }
            if status == OK {
                // Only then may the receiver read: completion of a put is local.
                let flushed = started::<M>(&*transfer, peer, rail, cri, held, || {
                    (rail.ops().flush.unwrap_unchecked())(device, cri, rail.endpoint, completion)
                });
                match flushed {
                    Started::Yes => {}
                    Started::NoRoom => return Step::Blocked,
                    Started::Failed(error) => status = error,
                }
            }
            if status != OK {
                (*transfer).fail(status);
            }
            if fetch_sub::<M>(&(*transfer).outstanding, 1) == 1 {
                self.all_put::<M>(request, held);
            }
            Step::Done
        }
    }

    /// All puts are visible: tells the receiver and completes the send. If one has failed and the
    /// receiver lives, the data goes in fragments.
    ///
    /// # Safety
    /// The request is the caller's; nothing of it is in flight.
    unsafe fn all_put<M: Mode>(&self, request: *mut SendRequest, held: Held<'_>) {
        // SAFETY: promised by the caller.
        unsafe {
            let peer = &*(*request).peer;
            let status = (*request).transfer.failure.load(Ordering::Relaxed);
            if status != OK && !peer.has_failed() {
                self.counters.add::<M>(peer.rank(), |copy| &copy.fell_back, 1);
                (*request).plan = Plan::Fragments;
                (*request).transfer.again();
                if self.push_fragments::<M>(request, held) == Step::Blocked {
                    self.enqueue::<M>(peer, Work::Push(request));
                }
                return;
            }
            if status == OK {
                let bytes = (*request).transfer.wanted;
                self.counters.add::<M>(peer.rank(), |copy| &copy.bytes_put, bytes);
            }
            self.tell_receiver::<M>(&*request, peer, status, held);
            self.end_send::<M>(request, status, held);
        }
    }

    /// The instance for all puts or gets of a transfer.
    fn choose_cri<'a, M: Mode>(
        &self,
        state: &*const CommState,
        transfer: &mut Transfer,
        rail: &'a Rail,
        held: Held<'_>,
    ) -> &'a Cri {
        if transfer.cri.is_null() {
            // SAFETY: a communicator's state lives as long as its operations.
            let scope = unsafe { &(**state).view().scope };
            let peer = cairn_framework::frameworks::cri::CRI_NO_PEER;
            transfer.cri = rail.choose_cri::<M>(self.host, scope, peer, held);
        }
        // SAFETY: instances stay as long as their device.
        unsafe { &*transfer.cri }
    }
}

/// Starts one put, get or flush and counts it if its completion will come.
#[inline]
fn started<M: Mode>(
    transfer: &Transfer,
    peer: &Peer,
    rail: &Rail,
    cri: &Cri,
    held: Held<'_>,
    start: impl FnOnce() -> i32,
) -> Started {
    if peer.has_failed() {
        return Started::Failed(ERR_PEER);
    }
    // Counted before, because the completion may be called before this thread goes on.
    fetch_add::<M>(&transfer.outstanding, 1);
    let code = rail.with_this_cri::<M, _>(cri, held, start).unwrap_or(NO_RESOURCES);
    if code == QUEUED {
        return Started::Yes;
    }
    fetch_sub::<M>(&transfer.outstanding, 1);
    match code {
        DONE => Started::Yes,
        NO_RESOURCES => Started::NoRoom,
        other => Started::Failed(outcome(other).err().unwrap_or(ERR_PROTOCOL)),
    }
}

/// The rail whose share of a message is the most behind its bandwidth.
fn next_rail(peer: &Peer, sent: &[u64; SPREAD], full: &[bool; SPREAD]) -> Option<usize> {
    let rails = peer.rails.iter().take(SPREAD).enumerate().filter(|(place, _)| !full[*place]);
    rails
        .min_by_key(|(place, rail)| {
            // Time that what it has sent takes, and the one that comes: in bytes of 1 MB/s.
            let bandwidth = u64::from(rail.device().bandwidth.max(1));
            (sent[*place].saturating_add(rail.frame() as u64)).saturating_mul(1 << 20) / bandwidth
        })
        .map(|(place, _)| place)
}

/// How much of the `rest` goes into a fragment that has so much room: all, or else whole cache lines. A cut
/// in the middle of a block of the user's data would place every block behind it across the lines of the
/// transport's memory.
pub fn cut(room: usize, rest: u64) -> usize {
    const LINE: usize = 64;
    match usize::try_from(rest) {
        Ok(rest) if rest <= room => rest,
        _ if room > LINE => room - room % LINE,
        _ => room,
    }
}

/// A get is finished.
unsafe extern "C" fn got<M: Mode>(completion: *mut BtlCompletion, status: Status) {
    // SAFETY: `get_pieces` passed a receive that stays until all its gets are finished.
    unsafe {
        let request = (*completion).context.cast::<ReceiveRequest>();
        let core = Core::at((*request).core);
        let transfer = &(*request).transfer;
        if status != OK {
            transfer.fail(status);
        }
        let cri = &*transfer.cri;
        if fetch_sub::<M>(&transfer.outstanding, 1) == 1 {
            core.all_got::<M>(request, Some(cri));
        }
    }
}

/// A put or its flush is finished.
unsafe extern "C" fn put<M: Mode>(completion: *mut BtlCompletion, status: Status) {
    // SAFETY: `put_pieces` passed a send that stays until all its puts are finished.
    unsafe {
        let request = (*completion).context.cast::<SendRequest>();
        let core = Core::at((*request).core);
        let transfer = &(*request).transfer;
        if status != OK {
            transfer.fail(status);
        }
        let cri = &*transfer.cri;
        if fetch_sub::<M>(&transfer.outstanding, 1) == 1 {
            core.all_put::<M>(request, Some(cri));
        }
    }
}
