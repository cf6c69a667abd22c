//! Receives: messages that arrive, and receives that are posted.
//!
//! ```text
//!   transport ─► arrived ─► its turn? ─ yes ─► engine ─ receive posted ─► accept ─► user's buffer
//!                             │ no               │ none
//!                             ▼                  ▼
//!                      put into order          kept   ◄─ engine ◄─ irecv, recv, mprobe
//! ```
//!
//! Everything in a header comes from a peer. It is checked here, before anything else looks at it:
//! lengths by kind, the context, the rank of the sender, ids by the table of ids.

use core::ffi::c_void;
use core::mem::{MaybeUninit, offset_of};
use core::sync::atomic::{Ordering, fence};
use std::time::Instant;

use cairn_framework::abi::pool::CriSet;
use cairn_framework::abi::receive::Received;
use cairn_framework::abi::request::{
    MessageStatus, REQUEST_COMPLETE, REQUEST_PENDING, REQUEST_RECEIVE, Request, WaitSync,
};
use cairn_framework::abi::status::{DONE, ERR_RESOURCES, ERR_TRUNCATED, OK, Status};
use cairn_framework::audit::Counted;
use cairn_framework::author::{Failure, wake_sleepers};
use cairn_framework::frameworks::btl::{BTL_MAX_KEY, BtlModule};
use cairn_framework::frameworks::matching::{MatchArrived, MatchKeepFn, MatchPosted};
use cairn_framework::frameworks::pml::PmlReceive;
use cairn_framework::frameworks::progress::PROGRESS_SINGLE;

use crate::comm::{Order, State};
use crate::core::Core;
use crate::counters::Here;
use crate::data::Data;
use crate::endpoint::{Held, Remote};
use crate::kept::Kept;
use crate::mode::Mode;
use crate::pool::Links;
use crate::rendezvous::Plan;
use crate::request::{Transfer, complete, detach, head};
use crate::turn::Turn;
use crate::wire::{self, kind};

/// A receive. Those of blocking calls lie on the stack, with only the fields set that a receive
/// needs before it is matched: up to `state`, without the head's functions.
#[repr(C, align(128))]
pub struct ReceiveRequest {
    /// What others see. First, so that its address is the request's.
    pub request: Request,
    /// What the matching engine holds.
    posted: MatchPosted,
    /// The user's buffer.
    pub data: Data,
    /// The communicator.
    pub state: *const State,
    /// The component.
    pub core: *const Core,
    /// The pool's, here because all up to here is used for every message: three cache lines.
    links: MaybeUninit<Links>,
    /// Of one that can be started again: source and tag, to be posted again.
    source_and_tag: (i32, i32),
    /// The sender, once an announcement was matched.
    pub remote: *const Remote,
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

    /// The receive around what the engine holds.
    pub fn of_posted(posted: *mut MatchPosted) -> *mut Self {
        posted.wrapping_byte_sub(offset_of!(Self, posted)).cast()
    }
}

/// A message that arrived, in place or kept.
pub struct Incoming<'a> {
    /// What its header says, if it is one that is matched. The peer may change what lies at `data`
    /// at any time, so that is read only once.
    pub header: wire::Match,
    /// Header and payload.
    pub data: *const u8,
    /// Bytes of both, at least as many as the kind's header has.
    pub len: usize,
    /// The device it came in by.
    pub module: *const BtlModule,
    /// The instance whose lock is held.
    pub held: Held<'a>,
}

impl<'a> Incoming<'a> {
    /// A kept message.
    pub fn of_kept(kept: *mut Kept, held: Held<'a>) -> Self {
        // SAFETY: the holder of a kept message may read it.
        let (len, module) = unsafe { ((*kept).len, (*kept).module) };
        let data = Kept::data(kept);
        // SAFETY: no message is shorter.
        let header = unsafe { wire::Match::read(data) };
        Self { header, data, len, module, held }
    }

    /// Its kind.
    #[inline]
    fn kind(&self) -> u8 {
        wire::kind_of(self.header.word)
    }

    /// The bytes that the sender of a message of this kind, which is one that is matched, has for the
    /// receiver.
    #[inline]
    pub fn bytes(&self, kind: u8) -> u64 {
        match kind {
            kind::MATCH => (self.len - wire::Match::SIZE) as u64,
            kind::SYNC => (self.len - wire::Sync::SIZE) as u64,
            // SAFETY: messages are as long as their headers.
            _ => unsafe { wire::Rendezvous::read(self.data).length },
        }
    }

    /// For choosing a copy of the counters.
    #[inline]
    pub fn block(&self) -> u32 {
        self.held.map_or(0, |cri| cri.index)
    }
}

/// The receive callback.
pub unsafe extern "C" fn arrived<M: Mode>(core: *mut c_void, received: *const Received) {
    // SAFETY: the component registered its core; the transport's message is valid during the call.
    unsafe {
        let (core, received) = (&*core.cast::<Core>(), &*received);
        if received.len < wire::Match::SIZE {
            return core.too_short::<M>(received);
        }
        let message = Incoming {
            header: wire::Match::read(received.data.cast()),
            data: received.data.cast(),
            len: received.len,
            module: received.module,
            held: received.cri.as_ref(),
        };
        if message.kind() == kind::MATCH {
            core.match_message::<M>(&message, kind::MATCH);
        } else {
            core.other::<M>(&message);
        }
    }
}

/// The turn of a message, and the word that it was taken with.
type Taken<'a> = (&'a Turn, u32);

/// What the engine's call to keep an unexpected message needs.
struct Unexpected<'a> {
    core: &'a Core,
    message: &'a Incoming<'a>,
    /// Its turn in the order of the sender's messages, if it has one and it was not passed on.
    turn: Option<Taken<'a>>,
    /// The thread that passed it has to look after those that came early.
    claims: bool,
}

impl Unexpected<'_> {
    /// Passes the turn on, once.
    #[inline(always)]
    fn pass<M: Mode>(&mut self) {
        if let Some((turn, seen)) = self.turn.take() {
            self.claims = turn.pass::<M>(seen);
        }
    }
}

unsafe extern "C" fn keep<M: Mode>(context: *mut c_void) -> *mut MatchArrived {
    // SAFETY: `Core::offer` passes itself one of these; the message is there.
    unsafe {
        let this = &mut *context.cast::<Unexpected<'_>>();
        // The message has its place, so the sender's next one may come in while this one is copied.
        this.pass::<M>();
        this.core.keep::<M>(this.message).cast()
    }
}

/// The same for a message that is kept already, which is the context.
unsafe extern "C" fn is_kept(kept: *mut c_void) -> *mut MatchArrived {
    kept.cast()
}

/// Gives a message to the communicator's engine: the receive that gets it, or null when it is kept.
///
/// # Safety
/// `keep(context)` makes a kept message, which the engine may hold until it gives it out.
#[inline(always)]
unsafe fn arrive(
    state: &State,
    message: &Incoming<'_>,
    keep: MatchKeepFn,
    context: *mut c_void,
) -> *mut MatchPosted {
    let arrive = state.matching.arrive;
    let wire::Match { source, tag, .. } = message.header;
    // SAFETY: promised by the caller; the table is complete.
    unsafe { (arrive.unwrap_unchecked())(state.engine, source as i32, tag, keep, context) }
}

impl Core {
    /// Kinds of message that are not the most frequent one.
    ///
    /// # Safety
    /// The message's bytes are there, at least the smallest header's.
    #[inline(never)]
    unsafe fn other<M: Mode>(&self, message: &Incoming<'_>) {
        let kind = message.kind();
        let Some(size) = wire::size_of_kind(kind) else {
            return self.violation::<M>(message, "there is no such kind");
        };
        if message.len < size {
            return self.violation::<M>(message, "it is shorter than its header");
        }
        // SAFETY: promised by the caller, and long enough.
        unsafe {
            match kind {
                kind::RENDEZVOUS => {
                    let gets = wire::offers_of(message.header.word) & wire::OFFER_GET != 0;
                    if message.len - size > if gets { BTL_MAX_KEY } else { 0 } {
                        return self.violation::<M>(message, "more follows than a key");
                    }
                    self.message::<M>(message);
                }
                kind::FRAGMENT => self.fragment::<M>(message),
                kind::ANSWER => self.answered::<M>(message),
                kind::FINISH => self.finished::<M>(message),
                _ => self.message::<M>(message),
            }
        }
    }

    #[cold]
    fn too_short<M: Mode>(&self, received: &Received) {
        let header = wire::Match { word: 0, source: 0, tag: 0, maker: 0, serial: 0 };
        let Received { len, module, .. } = *received;
        let message = Incoming { header, data: received.data.cast(), len, module, held: None };
        self.violation::<M>(&message, "it is shorter than any header");
    }

    /// A message that is matched.
    ///
    /// # Safety
    /// Its bytes are there, and it is as long as its header.
    #[inline(never)]
    pub unsafe fn message<M: Mode>(&self, message: &Incoming<'_>) {
        // SAFETY: promised by the caller.
        unsafe { self.match_message::<M>(message, message.kind()) }
    }

    /// The same, for the most frequent caller, which knows the kind.
    ///
    /// # Safety
    /// As for `message`.
    #[inline(always)]
    unsafe fn match_message<M: Mode>(&self, message: &Incoming<'_>, kind: u8) {
        let header = &message.header;
        // SAFETY: promised by the caller.
        unsafe {
            let mut state = self.contexts.find(header.maker, header.serial);
            if state.is_null() {
                state = self.unknown::<M>(message);
                if state.is_null() {
                    return;
                }
            }
            self.matched_in::<M>(&*state, message, kind);
        }
    }

    /// A message that came before its communicator was opened. Not in a pass, so the table of
    /// communicators must not be searched: others may leave it meanwhile.
    ///
    /// # Safety
    /// As for `message`; the communicator is open, and the caller keeps it.
    #[cold]
    pub unsafe fn opened<M: Mode>(&self, state: &State, message: &Incoming<'_>) {
        // SAFETY: promised by the caller.
        unsafe { self.matched_in::<M>(state, message, message.kind()) }
    }

    /// A message of a communicator that is open.
    ///
    /// # Safety
    /// As for `message`; the communicator stays during the call.
    #[inline(always)]
    unsafe fn matched_in<M: Mode>(&self, state: &State, message: &Incoming<'_>, kind: u8) {
        let wire::Match { word, source, .. } = message.header;
        // SAFETY: promised by the caller.
        unsafe {
            let Some(rank) = state.rank_if_any(source) else {
                return self.violation::<M>(message, "its sender is no rank of the communicator");
            };
            let order = &rank.order;
            let sequence = wire::sequence_of(word);
            if sequence & wire::UNORDERED != 0 {
                return self.unordered::<M>(state, message);
            }
            // The engine gets a rank's messages one after the other; what takes longer is done
            // when the next one has its turn: moving the data, and copying a message that has to stay.
            let Some(seen) = order.turn.take::<M>(sequence) else {
                self.overtook::<M>(state, sequence, message);
                return self.catch_up::<M>(state, order, message.held);
            };
            if self.offer::<M>(state, message, kind, Some((&order.turn, seen))) {
                self.catch_up::<M>(state, order, message.held);
            }
        }
    }

    /// A message that may overtake others. Nothing keeps threads from matching several at once but
    /// the engine.
    ///
    /// # Safety
    /// As for `message`.
    #[inline(never)]
    unsafe fn unordered<M: Mode>(&self, state: &State, message: &Incoming<'_>) {
        // SAFETY: promised by the caller.
        unsafe {
            self.offer::<M>(state, message, message.kind(), None);
        }
    }

    /// Keeps a message that overtook an earlier one.
    ///
    /// # Safety
    /// As for `message`.
    #[cold]
    unsafe fn overtook<M: Mode>(&self, state: &State, sequence: u32, message: &Incoming<'_>) {
        let order = &state.rank(message.header.source).order;
        let taken = order.later.with::<M, _>(|later| {
            let ahead = sequence.wrapping_sub(order.turn.next()) & wire::SEQUENCE_MASK;
            if ahead > wire::SEQUENCE_MASK / 2 || later.contains(sequence) {
                return false;
            }
            // Also if it is its turn by now: `catch_up` comes next.
            // SAFETY: promised by the caller.
            later.insert(sequence, unsafe { self.keep::<M>(message) });
            true
        });
        if taken {
            self.counters.add::<M>(message.block(), |copy| &copy.out_of_sequence, 1);
            self.counters.events.out_of_sequence.raise(|| {
                let communicator = state.view().scope.id.into();
                [communicator, message.header.source.into(), sequence.into()]
            });
        } else {
            self.violation::<M>(message, "its sequence number was there before");
        }
    }

    /// Hands on messages that waited for one that is there now.
    ///
    /// # Safety
    /// As for `message`.
    #[cold]
    unsafe fn catch_up<M: Mode>(&self, state: &State, order: &Order, held: Held<'_>) {
        loop {
            let claimed = order.later.with::<M, _>(|later| order.turn.claim(later));
            let Some((seen, kept)) = claimed else { return };
            let message = Incoming::of_kept(kept, held);
            let kind = message.kind();
            // Whether to claim is no question: we do.
            let pass = || _ = order.turn.pass::<M>(seen);
            if kind == kind::SKIP {
                pass();
                // SAFETY: kept by `overtook`, and no engine has it.
                unsafe { self.unexpected.free::<M>(kept) };
                continue;
            }
            // Before the engine has the message, which another thread may then take and free.
            let bytes = message.bytes(kind);
            let search = self.begin_search::<M>(&message);
            // SAFETY: kept by `overtook`, and ours until the engine keeps it.
            let posted = unsafe { arrive(state, &message, is_kept, kept.cast()) };
            pass();
            self.searched::<M>(search, state, &message.header, (kind, bytes), posted);
            if !posted.is_null() {
                // SAFETY: the engine gave the receive out, and does not have the message.
                unsafe {
                    self.accept::<M>(state, ReceiveRequest::of_posted(posted), &message, kind);
                    self.unexpected.free::<M>(kept);
                }
            }
        }
    }

    /// Gives a message to the engine, passes its turn on, and gives it to its receive, if there is one;
    /// otherwise it is kept. Whether the caller has to look after messages that came early.
    ///
    /// # Safety
    /// As for `message`; it is the sender's turn, if its messages have an order.
    #[inline(always)]
    unsafe fn offer<M: Mode>(
        &self,
        state: &State,
        message: &Incoming<'_>,
        kind: u8,
        turn: Option<Taken<'_>>,
    ) -> bool {
        if kind == kind::SKIP {
            return turn.is_some_and(|(turn, seen)| turn.pass::<M>(seen));
        }
        let search = self.begin_search::<M>(message);
        let mut unexpected = Unexpected { core: self, message, turn, claims: false };
        let mut claims = false;
        if !M::THREADED {
            // No other thread could bring the next message while the engine has this one.
            unexpected.pass::<M>();
            claims = unexpected.claims;
        }
        // SAFETY: promised by the caller.
        let posted = unsafe { arrive(state, message, keep::<M>, (&raw mut unexpected).cast()) };
        if M::THREADED {
            unexpected.pass::<M>();
            claims = unexpected.claims;
        }
        self.searched::<M>(search, state, &message.header, (kind, message.bytes(kind)), posted);
        if !posted.is_null() {
            // SAFETY: the engine gave the receive out; the message is promised by the caller.
            unsafe { self.accept::<M>(state, ReceiveRequest::of_posted(posted), message, kind) };
        }
        claims
    }

    /// The engine is about to search a message's receive: where to count, and when it began.
    #[inline(always)]
    fn begin_search<M: Mode>(&self, message: &Incoming<'_>) -> Option<(Here<'_>, Option<Instant>)> {
        let here = self.counters.at::<M>(message.module, message.held)?;
        Some((here, here.begin_search()))
    }

    /// The engine has searched, and found that receive or kept the message.
    #[inline(always)]
    fn searched<M: Mode>(
        &self,
        search: Option<(Here<'_>, Option<Instant>)>,
        state: &State,
        header: &wire::Match,
        (kind, bytes): (u8, u64),
        posted: *mut MatchPosted,
    ) {
        if let Some((here, start)) = search {
            here.came(start, kind, bytes, !posted.is_null());
        }
        if posted.is_null() {
            self.tell_probers::<M>(state);
            self.counters.events.unexpected.raise(|| {
                let (communicator, wire::Match { source, tag, .. }) =
                    (state.view().scope.id, *header);
                [communicator.into(), source.into(), tag.into(), bytes as i64]
            });
        }
    }

    /// Gives a matched message to its receive.
    ///
    /// # Safety
    /// The receive is the caller's; the message is valid.
    #[inline(always)]
    unsafe fn accept<M: Mode>(
        &self,
        state: &State,
        request: *mut ReceiveRequest,
        message: &Incoming<'_>,
        kind: u8,
    ) {
        // SAFETY: promised by the caller; lengths were checked when the message arrived.
        unsafe {
            if kind == kind::MATCH {
                self.whole::<M>(request, message, wire::Match::SIZE);
            } else {
                self.accept_other::<M>(state, request, message);
            }
        }
    }

    /// The same for kinds that are not the most frequent one.
    ///
    /// # Safety
    /// As for `accept`.
    #[inline(never)]
    unsafe fn accept_other<M: Mode>(
        &self,
        state: &State,
        request: *mut ReceiveRequest,
        message: &Incoming<'_>,
    ) {
        // SAFETY: promised by the caller; lengths were checked when the message arrived.
        unsafe {
            if message.kind() == kind::SYNC {
                let send = wire::Sync::read(message.data).send;
                self.whole::<M>(request, message, wire::Sync::SIZE);
                self.tell_sender::<M>(state, message.header.source, send, OK, message.held);
            } else {
                self.announced::<M>(state, request, message);
            }
        }
    }

    /// Moves a whole message into the user's buffer and completes the receive.
    ///
    /// # Safety
    /// As for `accept`.
    #[inline(always)]
    unsafe fn whole<M: Mode>(
        &self,
        request: *mut ReceiveRequest,
        message: &Incoming<'_>,
        header_len: usize,
    ) {
        let (header, len) = (&message.header, message.len - header_len);
        // SAFETY: promised by the caller.
        unsafe {
            let data = &(*request).data;
            let fits = (len as u64).min(data.bytes) as usize;
            data.write(0, message.data.add(header_len), fits, &mut None);
            (*request).request.status = MessageStatus {
                source: header.source as i32,
                tag: header.tag,
                error: if fits < len { ERR_TRUNCATED } else { OK },
                cancelled: 0,
                bytes: fits as u64,
            };
            self.complete_receive::<M>(request);
        }
    }

    /// # Safety
    /// The receive is the caller's, with its status written.
    #[inline(always)]
    pub unsafe fn complete_receive<M: Mode>(&self, request: *mut ReceiveRequest) {
        // SAFETY: promised by the caller.
        unsafe {
            if complete::<M>(&raw mut (*request).request) {
                self.receives.give::<M>(request.cast());
            }
        }
    }

    /// Tells a sender that its message was matched, or fetched.
    pub fn tell_sender<M: Mode>(
        &self,
        state: &State,
        source: u32,
        send: u64,
        status: Status,
        held: Held<'_>,
    ) {
        // A peer that can't be reached can't be told.
        if let Ok(remote) = self.remote::<M>(state, state.rank(source), source) {
            let finish = wire::Finish::new(send, status);
            self.control::<M>(remote, held, &finish.bytes());
        }
    }

    /// Receives and waits.
    ///
    /// # Safety
    /// As the contract says.
    #[inline]
    pub unsafe fn recv<M: Mode>(
        &self,
        receive: &PmlReceive,
        status: &mut MessageStatus,
    ) -> Result<(), Failure> {
        let mut place = MaybeUninit::<ReceiveRequest>::uninit();
        let request = place.as_mut_ptr();
        // SAFETY: the fields that a receive needs are written; it stays until it is complete, and
        // its status is written then.
        unsafe {
            (&raw mut (*request).request.completion).write(REQUEST_PENDING.into());
            self.prepare(request, receive);
            self.post::<M>(request);
            let known = M::THREADED && self.host.knows_arrivals();
            self.wait::<M>(&raw const (*request).request, known, |cris| {
                self.cris_of_receive(request, cris);
            });
            *status = (*request).request.status;
            Ok(())
        }
    }

    /// Adds where messages for a receive arrive.
    ///
    /// # Safety
    /// The request is prepared, and lives during the call.
    #[inline]
    pub unsafe fn cris_of_receive(&self, request: *const ReceiveRequest, cris: &mut CriSet) {
        // SAFETY: promised by the caller. A receive has its communicator until it is complete and
        // waited for, and its source stays.
        unsafe { self.cris_of_source(&*(*request).state, (*request).posted.source, cris) }
    }

    /// Adds where messages of a communicator arrive from a rank of it, or from any.
    #[cold]
    fn cris_of_source(&self, state: &State, source: i32, cris: &mut CriSet) {
        let view = state.view();
        let peer = usize::try_from(source).ok().map(|source| {
            // SAFETY: a communicator has a peer for each rank, and receives name only its ranks.
            unsafe { &**view.peers.add(source) }
        });
        self.host.cris_of(&view.scope, peer, cris);
    }

    /// Starts a receive.
    ///
    /// # Safety
    /// As the contract says.
    #[inline]
    pub unsafe fn irecv<M: Mode>(&self, receive: &PmlReceive) -> Result<*mut Request, Failure> {
        let request = self.new_receive::<M>(receive)?;
        // SAFETY: promised by the caller.
        unsafe { self.post::<M>(request) };
        Ok(request.cast())
    }

    /// Makes a persistent receive.
    ///
    /// # Safety
    /// As the contract says.
    pub unsafe fn recv_init<M: Mode>(&self, receive: &PmlReceive) -> Result<*mut Request, Failure> {
        let request = self.new_receive::<M>(receive)?;
        // SAFETY: it is ours.
        unsafe {
            (*request).source_and_tag = (receive.source, receive.tag);
            (*request).request.start = Some(start::<M>);
            (*request).request.completion.store(REQUEST_COMPLETE, Ordering::Relaxed);
        }
        Ok(request.cast())
    }

    #[inline]
    fn new_receive<M: Mode>(&self, receive: &PmlReceive) -> Result<*mut ReceiveRequest, Failure> {
        // SAFETY: the contract's.
        let place = || self.place_of_receive(unsafe { self.state(receive.comm) }, receive.source);
        let request: *mut ReceiveRequest = self.receives.take_for::<M>(place).cast();
        if request.is_null() {
            return Err(Failure::new(ERR_RESOURCES, "no memory for a receive request"));
        }
        // SAFETY: a node has room for it, and is ours.
        unsafe {
            (&raw mut (*request).request).write(head(REQUEST_RECEIVE, free::<M>));
            (*request).request.cancel = Some(cancel::<M>);
            self.prepare(request, receive);
        }
        Ok(request)
    }

    /// Writes what a receive needs besides its head.
    ///
    /// # Safety
    /// As the contract says; there is memory for the request.
    #[inline(always)]
    unsafe fn prepare(&self, request: *mut ReceiveRequest, receive: &PmlReceive) {
        // SAFETY: promised by the caller.
        unsafe {
            (&raw mut (*request).posted.source).write(receive.source);
            (&raw mut (*request).posted.tag).write(receive.tag);
            let data = Data::new(receive.buffer, receive.count, receive.datatype);
            (&raw mut (*request).data).write(data);
            (&raw mut (*request).state).write(self.state(receive.comm));
            (&raw mut (*request).core).write(self);
        }
    }

    /// Posts a receive. It may be complete when this returns, and then gone if it was freed.
    ///
    /// # Safety
    /// The request is prepared and pending.
    #[inline(always)]
    unsafe fn post<M: Mode>(&self, request: *mut ReceiveRequest) {
        // SAFETY: promised by the caller; the table is complete.
        unsafe {
            let state = &*(*request).state;
            let posted = &raw mut (*request).posted;
            let kept = (state.matching.post.unwrap_unchecked())(state.engine, posted);
            if !kept.is_null() {
                self.take::<M>(state, request, kept.cast());
            }
        }
    }

    /// Gives a kept message, which the engine gave out, to a receive.
    ///
    /// # Safety
    /// Both are the caller's.
    #[cold]
    unsafe fn take<M: Mode>(&self, state: &State, request: *mut ReceiveRequest, kept: *mut Kept) {
        // SAFETY: promised by the caller.
        unsafe {
            let message = Incoming::of_kept(kept, None);
            self.accept::<M>(state, request, &message, message.kind());
            self.unexpected.free::<M>(kept);
        }
    }

    /// Looks for a message and, with `take`, takes it out.
    ///
    /// # Safety
    /// As the contract says.
    pub unsafe fn probe<M: Mode>(
        &self,
        receive: &PmlReceive,
        blocking: bool,
        take: bool,
    ) -> Result<Option<(MessageStatus, *mut c_void)>, Failure> {
        // SAFETY: promised by the caller.
        let state = unsafe { self.state(receive.comm) };
        // SAFETY: the table is complete.
        let find = unsafe { state.matching.find.unwrap_unchecked() };
        let look = || {
            let mut status = MessageStatus::default();
            let context = (&raw mut status).cast();
            // SAFETY: the engine is open, and calls `read_status` during the call.
            let kept = unsafe {
                let take = u32::from(take);
                find(state.engine, receive.source, receive.tag, take, read_status, context)
            };
            (!kept.is_null()).then(|| (status, kept.cast()))
        };
        let mut cris = CriSet::default();
        if M::THREADED && self.host.knows_arrivals() {
            self.cris_of_source(state, receive.source, &mut cris);
        }
        let mut found = look();
        let progress = |attempts| self.host.progress_for(Some(&cris), attempts);
        if found.is_none() && !blocking {
            progress(PROGRESS_SINGLE);
            found = look();
        } else if found.is_none() {
            self.host.job().poll_until(progress, || {
                found = look();
                found.is_some()
            });
        }
        if found.is_some() {
            return Ok(found);
        }
        if !blocking {
            return self.lost_source(state, receive.source).map_or(Ok(None), Err);
        }
        state.waiting.fetch_add(1, Ordering::Relaxed);
        // Pairs with the fence in `lost_sources`: that a peer has failed is seen here, or this thread
        // there.
        fence(Ordering::SeqCst);
        let found = loop {
            let expected = state.arrivals.load(Ordering::Acquire);
            if let Some(found) = look() {
                break Ok(Some(found));
            }
            if let Some(failure) = self.lost_source(state, receive.source) {
                break Err(failure);
            }
            let word = &raw const state.arrivals;
            let sync = WaitSync { expected, word, ..WaitSync::of(1) };
            // An error means that waiting is impossible here; then this thread polls.
            if self.host.wait_for(&sync, Some(&cris)).is_err() && self.host.progress() == 0 {
                std::thread::yield_now();
            }
        };
        state.waiting.fetch_sub(1, Ordering::Relaxed);
        found
    }

    /// A message was kept: tells threads that wait for one that they may probe. A thread that waits said so
    /// before it looked into the engine, and the message went in after it had looked or was found; the
    /// engine's lock orders the two, so the number of those that wait needs no order of its own.
    #[inline]
    pub fn tell_probers<M: Mode>(&self, state: &State) {
        if state.waiting.load(Ordering::Relaxed) != 0 {
            state.arrivals.rmw().fetch_add(1, Ordering::Release);
            if M::THREADED {
                wake_sleepers(&state.arrivals);
            }
        }
    }

    /// Starts to receive a message that `probe` took out.
    ///
    /// # Safety
    /// As the contract says.
    pub unsafe fn mrecv<M: Mode>(
        &self,
        message: *mut c_void,
        receive: &PmlReceive,
    ) -> Result<*mut Request, Failure> {
        let request = self.new_receive::<M>(receive)?;
        // SAFETY: promised by the caller. A receive that the engine never sees can't be cancelled.
        unsafe {
            (*request).request.cancel = None;
            self.take::<M>(&*(*request).state, request, message.cast());
        }
        Ok(request.cast())
    }
}

/// Writes what a receive of a kept message would say. Called by the engine before another thread can
/// take the message out.
unsafe extern "C" fn read_status(context: *mut c_void, kept: *mut MatchArrived) {
    // SAFETY: `probe` passes the place for a status; the engine has nothing but kept messages.
    unsafe { context.cast::<MessageStatus>().write(status_of(kept.cast())) };
}

/// What a receive of a kept message would say.
///
/// # Safety
/// The message is valid.
unsafe fn status_of(kept: *mut Kept) -> MessageStatus {
    // Lengths were checked when it arrived.
    let message = Incoming::of_kept(kept, None);
    let bytes = message.bytes(message.kind());
    let header = &message.header;
    MessageStatus { source: header.source as i32, tag: header.tag, error: OK, cancelled: 0, bytes }
}

/// Gives a receive back.
unsafe extern "C" fn free<M: Mode>(request: *mut Request) {
    let request = request.cast::<ReceiveRequest>();
    // SAFETY: the MPI layer passes one of ours and uses it no more.
    unsafe {
        let core = &*(*request).core;
        if detach(&raw mut (*request).request) {
            core.receives.give::<M>(request.cast());
        }
    }
}

/// Cancels a receive that was not matched.
unsafe extern "C" fn cancel<M: Mode>(request: *mut Request) -> Status {
    let request = request.cast::<ReceiveRequest>();
    // SAFETY: the MPI layer passes one of ours that was posted; the table is complete.
    unsafe {
        let (core, state) = (&*(*request).core, &*(*request).state);
        let posted = &raw mut (*request).posted;
        if (state.matching.cancel.unwrap_unchecked())(state.engine, posted) == DONE {
            (*request).request.status = MessageStatus {
                source: (*request).posted.source,
                tag: (*request).posted.tag,
                error: OK,
                cancelled: 1,
                bytes: 0,
            };
            core.complete_receive::<M>(request);
        }
    }
    OK
}

/// Starts a persistent receive.
unsafe extern "C" fn start<M: Mode>(request: *mut Request) -> Status {
    let request = request.cast::<ReceiveRequest>();
    // SAFETY: the MPI layer passes one of ours that is not started.
    unsafe {
        ((*request).posted.source, (*request).posted.tag) = (*request).source_and_tag;
        (*request).request.status = MessageStatus::default();
        (*request).request.completion.store(REQUEST_PENDING, Ordering::Relaxed);
        (*(*request).core).post::<M>(request);
    }
    OK
}
