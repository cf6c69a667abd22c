//! Messages that arrive: checked, put into order, matched, and given to their receives.
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
use std::time::Instant;

use cairn_framework::abi::host::LOG_WARN;
use cairn_framework::abi::receive::{RECEIVED_GROWING, Received};
use cairn_framework::abi::request::MessageStatus;
use cairn_framework::abi::status::{ERR_PEER, ERR_TRUNCATED, OK, Status};
use cairn_framework::frameworks::btl::BTL_MAX_KEY;
use cairn_framework::frameworks::matching::{MatchArrived, MatchKeepFn, MatchPosted};

use crate::core::Core;
use crate::counters::Here;
use crate::mode::Mode;
use crate::objects::comm::{CommState, Order};
use crate::objects::completion::complete;
use crate::objects::kept::Kept;
use crate::objects::message::{Incoming, Rest};
use crate::objects::rail::Held;
use crate::objects::request::ReceiveRequest;
use crate::turn::Turn;
use crate::wire::{self, kind};

/// The receive callback.
pub unsafe extern "C" fn arrived<M: Mode>(core: *mut c_void, received: *const Received) {
    // SAFETY: the component registered its core; the transport's message is valid during the call.
    unsafe {
        let (core, received) = (Core::at(core), &*received);
        if received.len < wire::Match::SIZE {
            return core.too_short::<M>(received);
        }
        let message = Incoming {
            header: wire::Match::read(received.data.cast()),
            data: received.data.cast(),
            len: received.len,
            module: received.module,
            held: received.cri.as_ref(),
            rest: Rest::There,
        };
        if message.kind() == kind::MATCH {
            core.match_message::<M>(&message, kind::MATCH);
        } else {
            core.other::<M>(&message);
        }
    }
}

/// The receive callback of messages that may still be being written.
pub unsafe extern "C" fn growing<M: Mode>(core: *mut c_void, received: *const Received) {
    // SAFETY: as in `arrived`; the header is there.
    unsafe {
        let (at, received) = (core, &*received);
        if received.flags & RECEIVED_GROWING == 0 || received.len < wire::Match::SIZE {
            return arrived::<M>(at, received);
        }
        let core = Core::at(at);
        let mut message = Incoming {
            header: wire::Match::read(received.data.cast()),
            data: received.data.cast(),
            len: received.len,
            module: received.module,
            held: received.cri.as_ref(),
            rest: Rest::Coming(received),
        };
        match message.kind() {
            kind::MATCH => core.message::<M>(&message),
            kind::LONG | kind::PUSHED | kind::PIECE => core.other::<M>(&message),
            // Of these nothing is gained. One that will not come is as if it had not been sent.
            _ if message.rest.has_come() => {
                message.rest = Rest::There;
                core.other::<M>(&message);
            }
            _ => {}
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
        let kept = this.core.keep::<M>(this.message);
        if this.message.kind() == kind::PUSHED {
            this.core.count_kept::<M>(kept);
        }
        kept.cast()
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
    state: &CommState,
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
                kind::PUSHED => {
                    if (message.len - size) as u64 > wire::Pushed::read(message.data).length {
                        return self.violation::<M>(message, "its first piece is longer than it");
                    }
                    self.message::<M>(message);
                }
                kind::PIECE => self.piece::<M>(message),
                kind::BROKEN => self.broken::<M>(message),
                kind::PUSHING => self.heard_pushing::<M>(message),
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
        let (data, rest) = (received.data.cast(), Rest::There);
        let message = Incoming { header, data, len, module, held: None, rest };
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
            let mut state = self.comms.find(header.maker, header.serial);
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
    pub unsafe fn opened<M: Mode>(&self, state: &CommState, message: &Incoming<'_>) {
        // SAFETY: promised by the caller.
        unsafe { self.matched_in::<M>(state, message, message.kind()) }
    }

    /// A message of a communicator that is open.
    ///
    /// # Safety
    /// As for `message`; the communicator stays during the call.
    #[inline(always)]
    unsafe fn matched_in<M: Mode>(&self, state: &CommState, message: &Incoming<'_>, kind: u8) {
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
    unsafe fn unordered<M: Mode>(&self, state: &CommState, message: &Incoming<'_>) {
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
    unsafe fn overtook<M: Mode>(&self, state: &CommState, sequence: u32, message: &Incoming<'_>) {
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
    unsafe fn catch_up<M: Mode>(&self, state: &CommState, order: &Order, held: Held<'_>) {
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
                unsafe { self.free_kept::<M>(kept, held) };
                continue;
            }
            // Before the engine has the message, which another thread may then take and free.
            let bytes = message.bytes(kind);
            let search = self.begin_search::<M>(&message);
            if kind == kind::PUSHED {
                // SAFETY: kept by `overtook`, as long as its header, and ours.
                unsafe { self.count_kept::<M>(kept) };
            }
            // SAFETY: kept by `overtook`, and ours until the engine keeps it.
            let posted = unsafe { arrive(state, &message, is_kept, kept.cast()) };
            pass();
            self.searched::<M>(search, state, &message.header, (kind, bytes), posted, held);
            if !posted.is_null() {
                // SAFETY: the engine gave the receive out, and does not have the message.
                unsafe {
                    self.accept::<M>(state, ReceiveRequest::of_posted(posted), &message, kind);
                    self.free_kept::<M>(kept, held);
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
        state: &CommState,
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
        let what = (kind, message.bytes(kind));
        self.searched::<M>(search, state, &message.header, what, posted, message.held);
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
        state: &CommState,
        header: &wire::Match,
        (kind, bytes): (u8, u64),
        posted: *mut MatchPosted,
        held: Held<'_>,
    ) {
        if let Some((here, start)) = search {
            here.came(start, kind, bytes, !posted.is_null());
        }
        if posted.is_null() {
            if kind == kind::PUSHED {
                let source = header.source;
                // One that can't be reached can't be told.
                if let Ok(peer) = self.peers.of_rank::<M>(state, state.rank(source), source) {
                    self.tell_pusher::<M>(peer, held);
                }
            }
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
    pub unsafe fn accept<M: Mode>(
        &self,
        state: &CommState,
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
        state: &CommState,
        request: *mut ReceiveRequest,
        message: &Incoming<'_>,
    ) {
        // SAFETY: promised by the caller; lengths were checked when the message arrived.
        unsafe {
            if message.kind() == kind::LONG {
                self.whole::<M>(request, message, wire::DATA);
            } else if message.kind() == kind::PUSHED {
                self.pushed::<M>(request, message);
            } else if message.kind() == kind::SYNC {
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
    pub unsafe fn whole<M: Mode>(
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
            let came = data.take(0, message, header_len, fits, &mut None);
            (*request).request.status = MessageStatus {
                source: header.source as i32,
                tag: header.tag,
                error: match came {
                    false => ERR_PEER,
                    true if fits < len => ERR_TRUNCATED,
                    true => OK,
                },
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
                self.requests.give_receive::<M>(request);
            }
        }
    }

    /// Tells a sender that its message was matched, or fetched.
    pub fn tell_sender<M: Mode>(
        &self,
        state: &CommState,
        source: u32,
        send: u64,
        status: Status,
        held: Held<'_>,
    ) {
        // A peer that can't be reached can't be told.
        if let Ok(peer) = self.peers.of_rank::<M>(state, state.rank(source), source) {
            let finish = wire::Finish::new(send, status);
            self.control::<M>(peer, held, &finish.bytes());
        }
    }

    /// Copies a message.
    ///
    /// # Safety
    /// Its bytes are there.
    pub unsafe fn keep<M: Mode>(&self, message: &Incoming<'_>) -> *mut Kept {
        // What is copied meanwhile, of one that does not come, is what lies there; nobody gets it.
        let lost = !message.rest.has_come();
        // SAFETY: promised by the caller.
        let kept = unsafe { self.unexpected.keep::<M>(message.module, message.data, message.len) };
        if kept.is_null() {
            // There is no way on without it: MPI does not lose messages.
            let text = format!("no memory to keep a message of {} bytes", message.len);
            self.host.abort(1, &text);
        }
        // A peer may have changed the header since it was checked.
        // SAFETY: no message is shorter, and the copy is ours.
        unsafe {
            Kept::data(kept).cast::<[u8; wire::Match::SIZE]>().write(message.header.bytes());
            (*kept).lost = lost;
        }
        kept
    }

    /// Frees a message that was kept, and tells the sender of one that counted.
    ///
    /// # Safety
    /// `keep` made it, and it is not used any more.
    #[inline]
    pub unsafe fn free_kept<M: Mode>(&self, kept: *mut Kept, held: Held<'_>) {
        // SAFETY: promised by the caller; only pushed messages are counted.
        unsafe {
            if (*kept).counted {
                let origin = wire::Pushed::read(Kept::data(kept)).origin;
                self.count_kept::<M>(kept);
                self.unexpected.free::<M>(kept);
                // One that was told to stop is connected.
                if let Some(peer) = self.peers.with_rank::<M>(origin) {
                    self.tell_pusher::<M>(peer, held);
                }
                return;
            }
            self.unexpected.free::<M>(kept);
        }
    }

    /// A peer broke the protocol: its message is dropped.
    #[cold]
    pub fn violation<M: Mode>(&self, message: &Incoming<'_>, what: &str) {
        self.counters.add::<M>(message.block(), |copy| &copy.violations, 1);
        self.host
            .log(LOG_WARN, || format!("a message of {} bytes was dropped: {what}", message.len));
    }
}
