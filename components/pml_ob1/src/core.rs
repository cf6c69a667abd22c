//! What all operations share: the communicators, the peers, and what is in flight.
//!
//! Every function is generic over [`Mode`]; [`component`](crate::component) chooses once a call.

use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering};
use std::sync::OnceLock;

use cairn_framework::abi::comm::{Comm, ContextId};
use cairn_framework::abi::counter::CounterCell;
use cairn_framework::abi::host::LOG_WARN;
use cairn_framework::abi::peer::{PEER_FAILED, Peer};
use cairn_framework::abi::pool::{Cri, CriPool, CriSet};
use cairn_framework::abi::request::{
    Attach, MessageStatus, REQUEST_COMPLETE, REQUEST_MAGIC, REQUEST_SEND, Request, WaitSync,
};
use cairn_framework::abi::scope::{SCOPE_PROCESS, Scope};
use cairn_framework::abi::status::{ERR_PEER, OK, Status, status_name};
use cairn_framework::audit::LockLevel;
use cairn_framework::author::CachePadded;
use cairn_framework::author::counters::Counted;
use cairn_framework::author::{Failure, HostHandle, Outcome};
use cairn_framework::frameworks::cri::CRI_NO_PEER;
use cairn_framework::frameworks::matching::{MatchCounts, MatchOps};

use crate::comm::{Rank, State};
use crate::contexts::{Contexts, Unknown};
use crate::counters::{self, Counters, Engines, Queues};
use crate::endpoint::{Control, Held, Queues as Waiting, Rail, Remote, Work};
use crate::failure::{self, Failures};
use crate::ids::{Ended, ReceiveIds, SendIds, is_send};
use crate::kept::{Kept, KeptPointer, UnexpectedPool};
use crate::mode::{Locked, Mode, fetch_add, fetch_sub};
use crate::params::Params;
use crate::pool::{Place, Pool};
use crate::receive::{Incoming, ReceiveRequest};
use crate::rendezvous::Plan;
use crate::send::SendRequest;
use crate::wire;

/// The component's state. Its address is fixed; requests and callbacks hold it.
pub struct Core {
    /// The host.
    pub host: HostHandle,
    /// The parameters.
    pub params: Params,
    /// Which private slot of a communicator is ours.
    slot: usize,
    /// Communicators by context id, and messages of others.
    pub contexts: Contexts,
    /// Sends that peers may answer.
    pub send_ids: SendIds,
    /// Receives that peers have data for.
    pub receive_ids: CachePadded<Locked<ReceiveIds>>,
    /// Memory of sends that are not finished at once.
    pub sends: Pool,
    /// Memory of receives.
    pub receives: Pool,
    /// Of the pools that lead to peers that were met the one with most instances: that of receives whose
    /// source was not met. Null before.
    widest: AtomicPtr<CriPool>,
    /// Memory of messages that have to stay.
    pub unexpected: UnexpectedPool,
    /// Every peer that was sent to.
    remotes: Locked<Vec<RemotePointer>>,
    /// Peers with something that waits for room.
    busy: CachePadded<Locked<Vec<RemotePointer>>>,
    /// How many those are.
    busy_count: CachePadded<AtomicU32>,
    /// A thread waits until nothing waits for room.
    leaving: AtomicBool,
    /// Peers that failed.
    pub failures: Failures,
    /// The counters.
    pub counters: Counters,
    /// Those of the matching engines, once the host knows them.
    pub queues: OnceLock<Counted<Queues>>,
    /// Where they come from.
    pub engines: Locked<Engines>,
    /// What every send hands out that is finished at once. Never written; threads that send share
    /// its lines.
    done: CachePadded<Request>,
    /// For assignments that concern no communicator.
    process: Scope,
}

#[derive(Clone, Copy, PartialEq)]
struct RemotePointer(*mut Remote);

// SAFETY: a remote is made for use by any thread, and stays until the component closes.
unsafe impl Send for RemotePointer {}

/// How far something got that waits for room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Nothing is left to retry.
    Done,
    /// There was no room; nothing was lost.
    Blocked,
}

// SAFETY: what is not constant or atomic is behind locks; `done` is never written.
unsafe impl Sync for Core {}
// SAFETY: see `Sync`.
unsafe impl Send for Core {}

impl Core {
    /// Without communicators. `slot` is the component's private one.
    pub fn new(
        host: HostHandle,
        params: Params,
        slot: usize,
        threaded: bool,
    ) -> Result<Self, Failure> {
        unsafe extern "C" fn keep(_: *mut Request) {}
        let sharing = params.request_sharing();
        Ok(Self {
            host,
            params,
            slot,
            contexts: Contexts::default(),
            send_ids: SendIds::default(),
            receive_ids: CachePadded::default(),
            sends: Pool::behind(size_of::<SendRequest>()).shared(sharing),
            receives: Pool::new(size_of::<ReceiveRequest>(), ReceiveRequest::LINKS).shared(sharing),
            widest: AtomicPtr::default(),
            unexpected: UnexpectedPool::new(),
            remotes: Locked::default(),
            busy: CachePadded::default(),
            busy_count: CachePadded(AtomicU32::new(0)),
            leaving: AtomicBool::new(false),
            failures: Failures::default(),
            counters: Counters::new(host, threaded)?,
            queues: OnceLock::new(),
            engines: Locked::new(LockLevel::COUNTED),
            done: CachePadded(Request {
                magic: REQUEST_MAGIC,
                kind: REQUEST_SEND,
                completion: REQUEST_COMPLETE.into(),
                status: MessageStatus::default(),
                free: Some(keep),
                cancel: None,
                start: None,
                object: core::ptr::null_mut(),
                struct_size: size_of::<Request>() as u32,
                active: 0,
            }),
            process: Scope::new(SCOPE_PROCESS, 0, 1, c"process"),
        })
    }

    /// The request of a send that is finished.
    pub fn done(&self) -> *mut Request {
        (&raw const *self.done).cast_mut()
    }

    /// A communicator's state.
    ///
    /// # Safety
    /// `comm_open` has taken it.
    #[inline]
    pub unsafe fn state<'a>(&self, comm: *const Comm) -> &'a State {
        // SAFETY: promised by the caller; the slot is this component's.
        unsafe { &*(*comm).scope.slots.get_unchecked(self.slot).cast::<State>() }
    }

    /// A communicator was made: opens its engine and receives what came early.
    pub fn comm_open<M: Mode>(&self, comm: &mut Comm) -> Result<(), Failure> {
        let opened = self.make_state(comm);
        // What arrives for one that can't be opened is dropped, as if it had been freed.
        let state = opened.inspect_err(|_| self.forget_early::<M>(comm))?;
        comm.scope.slots[self.slot] = state.cast();
        self.engines.with::<M, _>(|engines| engines.open(state));
        // SAFETY: just made; `comm_free` frees it.
        let early = unsafe { self.contexts.add::<M>(state) };
        self.failures.opened.fetch_add(1, Ordering::Release);
        for KeptPointer(kept) in early {
            // SAFETY: kept by `unknown`, and ours now.
            unsafe {
                self.opened::<M>(&*state, &Incoming::of_kept(kept, None));
                self.unexpected.free::<M>(kept);
            }
        }
        Ok(())
    }

    fn make_state(&self, comm: &Comm) -> Result<*mut State, Failure> {
        let (ops, matcher) = self.host.service(c"match", Some(&comm.scope))?;
        // SAFETY: the host hands out the complete table of an open component.
        let matching = unsafe { &*ops.cast::<MatchOps>() };
        let mut engine = core::ptr::null_mut();
        // SAFETY: as above.
        let status =
            unsafe { (matching.engine_open.unwrap_unchecked())(matcher, comm, &mut engine) };
        if status != OK {
            return Err(self.failure(status));
        }
        Ok(Box::into_raw(Box::new(State::new(comm, engine, matching))))
    }

    fn forget_early<M: Mode>(&self, comm: &Comm) {
        for KeptPointer(kept) in self.contexts.close::<M>(comm.context) {
            self.drop_kept::<M>(kept);
        }
    }

    /// The last operation of a communicator has ended: what arrives for it from now on is dropped. Any
    /// thread, also in a pass of the progress engine.
    pub fn comm_close<M: Mode>(&self, comm: &mut Comm) {
        let state = comm.scope.slots[self.slot].cast::<State>();
        if !state.is_null() {
            // SAFETY: `comm_open` has put it there, and added it.
            unsafe { self.contexts.remove::<M>(state) };
        }
    }

    /// Frees what `comm_open` has made. Every pass that may have found the communicator is over.
    pub fn comm_free<M: Mode>(&self, comm: &mut Comm) {
        let slot = &mut comm.scope.slots[self.slot];
        let state = core::mem::replace(slot, core::ptr::null_mut()).cast::<State>();
        if state.is_null() {
            return;
        }
        // SAFETY: boxed by `comm_open`. No search finds the state any more, and no pass is left that
        // had found it. What is left in the engine are messages that were never received.
        unsafe {
            let view = &*state;
            let matching = view.matching;
            loop {
                let (mut posted, mut arrived) = (core::ptr::null_mut(), core::ptr::null_mut());
                (matching.drain.unwrap_unchecked())(view.engine, &mut posted, &mut arrived);
                if !arrived.is_null() {
                    self.drop_kept::<M>(arrived.cast());
                } else if posted.is_null() {
                    break;
                }
            }
            for (_, rank) in view.met() {
                let later = rank.order.later.with::<M, _>(core::mem::take);
                later.into_all().for_each(|kept| self.drop_kept::<M>(kept));
            }
            // What was counted stays.
            self.engines.with::<M, _>(|engines| engines.close(state));
            (matching.engine_close.unwrap_unchecked())(view.engine);
            drop(Box::from_raw(state));
        }
    }

    /// Frees a message that no receive can get any more.
    fn drop_kept<M: Mode>(&self, kept: *mut Kept) {
        self.counters.add::<M>(0, |copy| &copy.dropped, 1);
        // SAFETY: the caller has taken it out of where it was kept.
        unsafe { self.unexpected.free::<M>(kept) };
    }

    /// Returns when nothing waits for room in a transport.
    pub fn flush(&self) {
        // What no transport can send is given up from here on.
        self.leaving.store(true, Ordering::Relaxed);
        while self.busy_count.load(Ordering::Acquire) != 0 {
            self.host.progress();
        }
        self.leaving.store(false, Ordering::Relaxed);
    }

    /// A message whose communicator is not open: the communicator, if it is by now, or null. Before
    /// this process has opened it the message is kept, after it has freed it dropped.
    ///
    /// # Safety
    /// The message's bytes are there.
    #[cold]
    pub unsafe fn unknown<M: Mode>(&self, message: &Incoming<'_>) -> *const State {
        let wire::Match { maker, serial, .. } = message.header;
        // SAFETY: promised by the caller.
        let keep = || unsafe { KeptPointer(self.keep::<M>(message)) };
        let count = |cell: fn(&counters::Messages) -> &CounterCell| {
            self.counters.add::<M>(message.block(), cell, 1);
        };
        match self.contexts.unknown::<M>(ContextId::new(maker, serial), keep) {
            Unknown::Open(state) => return state,
            Unknown::Kept => count(|copy| &copy.early),
            Unknown::Freed => count(|copy| &copy.dropped),
        }
        core::ptr::null()
    }

    /// Copies a message.
    ///
    /// # Safety
    /// Its bytes are there.
    pub unsafe fn keep<M: Mode>(&self, message: &Incoming<'_>) -> *mut Kept {
        // SAFETY: promised by the caller.
        let kept = unsafe { self.unexpected.keep::<M>(message.module, message.data, message.len) };
        if kept.is_null() {
            // There is no way on without it: MPI does not lose messages.
            let text = format!("no memory to keep a message of {} bytes", message.len);
            self.host.abort(1, &text);
        }
        // A peer may have changed the header since it was checked.
        // SAFETY: no message is shorter, and the copy is ours.
        unsafe { Kept::data(kept).cast::<[u8; wire::Match::SIZE]>().write(message.header.bytes()) };
        kept
    }

    /// A peer broke the protocol: its message is dropped.
    #[cold]
    pub fn violation<M: Mode>(&self, message: &Incoming<'_>, what: &str) {
        self.counters.add::<M>(message.block(), |copy| &copy.violations, 1);
        self.host
            .log(LOG_WARN, || format!("a message of {} bytes was dropped: {what}", message.len));
    }

    /// A failure with the reason that the host was given just now.
    #[cold]
    pub fn failure(&self, status: Status) -> Failure {
        let mut text = vec![0u8; 1024];
        // SAFETY: the buffer has the length that is passed.
        let len = unsafe {
            (self.host.table().reason)(self.host.instance(), text.as_mut_ptr().cast(), text.len())
        };
        text.truncate(text.iter().position(|byte| *byte == 0).unwrap_or(text.len()));
        if len == 0 {
            return Failure::new(status, status_name(status));
        }
        Failure::new(status, String::from_utf8_lossy(&text))
    }

    /// The peer behind a rank, connected.
    #[inline]
    pub fn remote<'a, M: Mode>(
        &self,
        state: &'a State,
        rank: &'a Rank,
        number: u32,
    ) -> Result<&'a Remote, Failure> {
        let found = rank.remote.load(Ordering::Acquire);
        if found.is_null() {
            return self.connect::<M>(state, rank, number);
        }
        // SAFETY: remotes live as long as the component.
        Ok(unsafe { &*found })
    }

    #[cold]
    fn connect<'a, M: Mode>(
        &self,
        state: &'a State,
        rank: &'a Rank,
        number: u32,
    ) -> Result<&'a Remote, Failure> {
        // SAFETY: a communicator has a peer for each rank, and `number` is one.
        let peer = unsafe { *state.view().peers.add(number as usize) };
        let remote = self.remote_of::<M>(peer)?;
        rank.remote.store(remote, Ordering::Release);
        // SAFETY: remotes live as long as the component.
        Ok(unsafe { &*remote })
    }

    fn remote_of<M: Mode>(&self, peer: *mut Peer) -> Result<*mut Remote, Failure> {
        // SAFETY: peers are the host's and stay; the field is this component's.
        let place = unsafe { AtomicPtr::from_ptr((&raw mut (*peer).pml).cast::<*mut Remote>()) };
        let found = place.load(Ordering::Acquire);
        if !found.is_null() {
            return Ok(found);
        }
        // SAFETY: as above.
        let view = unsafe { &*peer };
        if view.is(PEER_FAILED) {
            return Err(failure::gone(view));
        }
        self.host.peer_connect(view)?;
        let made = Box::new(Remote::new(peer)?);
        let pool = made.first().device().pool;
        Ok(self.remotes.with::<M, _>(|remotes| {
            let found = place.load(Ordering::Acquire);
            if !found.is_null() {
                return found;
            }
            let made = Box::into_raw(made);
            remotes.push(RemotePointer(made));
            // SAFETY: a device has a pool, and both stay while there are peers.
            unsafe {
                let widest = self.widest.load(Ordering::Relaxed).as_ref();
                if widest.is_none_or(|widest| widest.count < (*pool).count) {
                    self.widest.store(pool, Ordering::Release);
                }
            }
            place.store(made, Ordering::Release);
            made
        }))
    }

    /// What was sent to a peer or asked of it, if there was anything.
    pub fn known_remote(&self, peer: &Peer) -> Option<&Remote> {
        // SAFETY: the field is this component's; remotes live as long as the component.
        unsafe {
            let place = AtomicPtr::from_ptr((&raw const peer.pml).cast_mut().cast::<*mut Remote>());
            place.load(Ordering::Acquire).as_ref()
        }
    }

    /// The cache of a receive's request where instances have caches: that of the instance at which its
    /// message arrives, or which the strategy gives the thread to poll. One question to the strategy.
    #[cold]
    pub fn place_of_receive(&self, state: &State, source: i32) -> Place {
        let known = u32::try_from(source).ok().and_then(|source| state.known(source));
        let (pool, peer) = match known {
            Some((_, remote)) => (remote.first().device().pool, remote.rank()),
            None => (self.widest.load(Ordering::Acquire), CRI_NO_PEER),
        };
        // SAFETY: null or the pool of a device, which stays while there are peers.
        unsafe { pool.as_ref() }.map_or_else(Place::default, |pool| {
            Place::new(pool, pool.arrival(self.host.thread(), &state.view().scope, peer))
        })
    }

    /// Waits for a request. From a user's call, with no lock held. Where there are threads and it is
    /// `known`, `cris` says where its events can come from.
    ///
    /// # Safety
    /// It is one of this component's and lives until it is complete.
    #[inline]
    pub unsafe fn wait<M: Mode>(
        &self,
        request: *const Request,
        known: bool,
        cris: impl FnOnce(&mut CriSet),
    ) {
        // SAFETY: promised by the caller.
        let request = unsafe { &*request };
        if request.is_complete() {
            return;
        }
        if M::THREADED && known {
            self.wait_where(request, cris);
        } else if M::THREADED {
            self.wait_by_polling(request, None);
        } else {
            self.poll(request, None);
        }
    }

    /// Apart, so that waits that need no set have no room for one.
    #[inline(never)]
    fn wait_where(&self, request: &Request, cris: impl FnOnce(&mut CriSet)) {
        let mut set = CriSet::default();
        cris(&mut set);
        self.wait_by_polling(request, Some(&set));
    }

    #[inline(never)]
    fn wait_by_polling(&self, request: &Request, cris: Option<&CriSet>) {
        self.poll(request, cris);
    }

    #[inline(always)]
    fn poll(&self, request: &Request, cris: Option<&CriSet>) {
        let pass = |attempts| self.host.progress_for(cris, attempts);
        if !self.host.job().poll_until(pass, || request.is_complete()) {
            self.wait_long(request, cris);
        }
    }

    /// Adds where the events can come from that complete a request.
    ///
    /// # Safety
    /// It is one of this component's and lives during the call.
    pub unsafe fn cris_of(&self, request: *const Request, cris: &mut CriSet) {
        // SAFETY: promised by the caller; a request of each kind is the head of one of these.
        unsafe {
            match (*request).kind {
                REQUEST_SEND => self.cris_of_send(request.cast(), cris),
                _ if self.host.knows_arrivals() => self.cris_of_receive(request.cast(), cris),
                _ => {}
            }
        }
    }

    #[cold]
    fn wait_long(&self, request: &Request, cris: Option<&CriSet>) {
        let sync = WaitSync::of(1);
        // SAFETY: it stays until the request has completed.
        if unsafe { request.attach(&sync) } != Attach::Counts {
            return;
        }
        // An error means that waiting is impossible here; then this thread polls.
        let _ = self.host.wait_for(&sync, cris);
        while !sync.is_complete() {
            if self.host.progress() == 0 {
                std::thread::yield_now();
            }
        }
    }

    /// Sends bytes of our own, now or when there is room, over the rail that is held, if one is, or the
    /// best.
    pub fn control<M: Mode>(&self, remote: &Remote, held: Held<'_>, bytes: &[u8]) {
        let rail = held.and_then(|cri| remote.rail_with(cri)).unwrap_or(0);
        let control = Control { bytes, rail, only: false, receive: None };
        self.control_over::<M>(remote, held, control);
    }

    /// Sends bytes of our own, now or when there is room.
    pub fn control_over<M: Mode>(&self, remote: &Remote, held: Held<'_>, control: Control<&[u8]>) {
        if !remote.is_blocked() {
            match self.push_control::<M>(remote, held, control) {
                Ok(Step::Done) => return,
                Err(status) => return self.lost::<M>(control.receive, status, held),
                Ok(Step::Blocked) => {}
            }
        }
        let Control { bytes, rail, only, receive } = control;
        let bytes = bytes.to_vec();
        self.enqueue::<M>(remote, Work::Control(Control { bytes, rail, only, receive }));
    }

    fn push_control<M: Mode>(
        &self,
        remote: &Remote,
        held: Held<'_>,
        control: Control<&[u8]>,
    ) -> Result<Step, Status> {
        let Control { bytes, rail, only, receive } = control;
        // SAFETY: with the instance's lock; the maker of such bytes has seen that they fit.
        let push = |rail: &Rail, cri: &Cri| unsafe { rail.push_bytes(cri, bytes) };
        let others = if only { None } else { Some(bytes.len()) };
        let sent = self.push_over::<M>(remote, rail, others, &self.process, held, push);
        match sent {
            // The peer waits for it, so as long as it lives and this process stays, trying goes on.
            Err(status) if status != ERR_PEER && receive.is_none() && !self.is_leaving() => {
                Ok(Step::Blocked)
            }
            sent => sent,
        }
    }

    /// Pushes a message over a rail and, where that ends with an error, over the others whose frames have
    /// room for so many bytes: it fails only when no rail is left.
    pub fn push_over<M: Mode>(
        &self,
        remote: &Remote,
        rail: usize,
        others: Option<usize>,
        scope: &Scope,
        held: Held<'_>,
        mut push: impl FnMut(&Rail, &Cri) -> Result<Outcome, Status>,
    ) -> Result<Step, Status> {
        let mut result = Err(ERR_PEER);
        let rest = (0..remote.rails.len()).filter(|other| *other != rail && others.is_some());
        for (tried, place) in core::iter::once(rail).chain(rest).enumerate() {
            let rail = &remote.rails[place];
            if remote.has_failed() {
                return Err(ERR_PEER);
            }
            if tried > 0 && others.is_none_or(|len| len > rail.frame) {
                continue;
            }
            let peer = remote.rank();
            let sent = rail.with_any_cri::<M>(self.host, scope, peer, held, |cri| push(rail, cri));
            result = match sent {
                Some(Ok(Outcome::Done)) => return Ok(Step::Done),
                Some(Ok(_)) | None => return Ok(Step::Blocked),
                Some(Err(status)) => Err(status),
            };
            self.counters.add::<M>(peer, |copy| &copy.refused, 1);
        }
        result
    }

    fn is_leaving(&self) -> bool {
        self.leaving.load(Ordering::Relaxed)
    }

    /// A message that has a number could not be sent, though the peer lives: its receiver is told not to
    /// wait for it.
    pub fn skip<M: Mode>(
        &self,
        state: &State,
        rank: u32,
        remote: &Remote,
        tag: i32,
        sequence: u32,
    ) {
        if sequence & wire::UNORDERED == 0 {
            let (source, context) = (state.rank, state.rank(rank).context);
            let ContextId { maker, serial, .. } = context;
            let word = wire::word(wire::kind::SKIP, sequence);
            let bytes = wire::Match { word, source, tag, maker, serial }.bytes().to_vec();
            self.enqueue::<M>(remote, Work::Skip(bytes));
        }
    }

    /// The transfer with this number is over; see [`ReceiveIds::end`].
    pub fn over<M: Mode>(&self, id: u64, status: Status) -> Option<Ended> {
        if is_send(id) {
            return self.send_ids.take::<M>(id).map(Ended::Send);
        }
        self.receive_ids.with::<M, _>(|ids| ids.end(id, status))
    }

    /// An answer can't be sent: the receive that needs it asks for fragments, or fails.
    fn lost<M: Mode>(&self, receive: Option<u64>, status: Status, held: Held<'_>) {
        let Some(id) = receive else { return };
        if let Some(Ended::Receive(request)) = self.over::<M>(id, status) {
            // SAFETY: taken out of the table, so it is ours.
            unsafe {
                match status {
                    ERR_PEER => self.end_receive::<M>(request, status, held),
                    _ if (*request).plan == Plan::Put => self.receive_fragments::<M>(request, held),
                    // The sender waits for an answer.
                    _ => self.give_up::<M>(request, status, held),
                }
            }
        }
    }

    /// Puts something into a peer's queues.
    #[cold]
    pub fn enqueue<M: Mode>(&self, remote: &Remote, work: Work) {
        remote.queues.with::<M, _>(|queues| {
            match work {
                Work::First(_) | Work::Control(_) => {
                    fetch_add::<M>(&remote.waiting, 1);
                    queues.messages.push_back(work);
                }
                Work::Skip(_) => {
                    fetch_add::<M>(&remote.waiting, 1);
                    queues.messages.push_front(work);
                }
                Work::EndSend(_) | Work::EndReceive(_) => queues.ends.push_back(work),
                Work::Push(_) | Work::Fetch(_) => queues.streams.push_back(work),
            }
            if !queues.listed {
                queues.listed = true;
                let pointer = RemotePointer((&raw const *remote).cast_mut());
                self.busy.with::<M, _>(|busy| busy.push(pointer));
                fetch_add::<M>(&self.busy_count, 1);
            }
        });
        self.counters.add::<M>(remote.rank(), |copy| &copy.deferred, 1);
    }

    /// Tries again what waits for room. The progress callback.
    #[inline]
    pub fn retry<M: Mode>(&self) -> u32 {
        if self.busy_count.load(Ordering::Acquire) == 0 {
            return 0;
        }
        self.retry_all::<M>()
    }

    #[inline(never)]
    fn retry_all<M: Mode>(&self) -> u32 {
        let mut events = 0;
        let mut place = 0;
        while let Some(RemotePointer(remote)) =
            self.busy.with::<M, _>(|busy| busy.get(place).copied())
        {
            // SAFETY: remotes live as long as the component.
            let (done, idle) = unsafe { self.retry_remote::<M>(&*remote) };
            events += done;
            // One that is idle has left the list, and another has taken its place.
            place += usize::from(!idle);
        }
        events
    }

    /// Tries what waits for a peer: the events, and whether nothing waits any more.
    fn retry_remote<M: Mode>(&self, remote: &Remote) -> (u32, bool) {
        let (mine, listed) = remote.queues.with::<M, _>(|queues| {
            // Another thread may have emptied the queues since this one found them in the list.
            let mine = queues.listed && !queues.retrying;
            queues.retrying |= mine;
            (mine, queues.listed)
        });
        if !mine {
            return (0, !listed);
        }
        let mut events = 0;
        let mut blocked = false;
        // Also while others wait for room: a transfer whose data has moved completes.
        while let Some(mut work) = remote.queues.with::<M, _>(|queues| queues.ends.pop_front()) {
            self.step::<M>(remote, &mut work);
            events += 1;
        }
        while !blocked
            && let Some(mut work) = remote.queues.with::<M, _>(|queues| queues.messages.pop_front())
        {
            if self.step::<M>(remote, &mut work) == Step::Done {
                fetch_sub::<M>(&remote.waiting, 1);
                events += 1;
            } else {
                remote.queues.with::<M, _>(|queues| queues.messages.push_front(work));
                blocked = true;
            }
        }
        while !blocked
            && let Some(mut work) = remote.queues.with::<M, _>(|queues| queues.streams.pop_front())
        {
            if self.step::<M>(remote, &mut work) == Step::Done {
                events += 1;
            } else {
                remote.queues.with::<M, _>(|queues| queues.streams.push_front(work));
                blocked = true;
            }
        }
        let idle = remote.queues.with::<M, _>(|queues| {
            queues.retrying = false;
            let Waiting { ends, messages, streams, .. } = queues;
            let idle = ends.is_empty() && messages.is_empty() && streams.is_empty();
            if idle {
                queues.listed = false;
                let pointer = RemotePointer((&raw const *remote).cast_mut());
                self.busy.with::<M, _>(|busy| busy.retain(|other| *other != pointer));
                fetch_sub::<M>(&self.busy_count, 1);
            }
            idle
        });
        (events, idle)
    }

    /// One try.
    fn step<M: Mode>(&self, remote: &Remote, work: &mut Work) -> Step {
        // SAFETY: what is in a queue belongs to the queue, and now to us.
        unsafe {
            match work {
                Work::First(request) => self.inject::<M>(*request, None),
                Work::Control(Control { bytes, rail, only, receive }) => {
                    let (rail, only, receive) = (*rail, *only, *receive);
                    let control = Control { bytes: &bytes[..], rail, only, receive };
                    self.push_control::<M>(remote, None, control).unwrap_or_else(|status| {
                        self.lost::<M>(receive, status, None);
                        Step::Done
                    })
                }
                Work::Skip(bytes) => {
                    let skip = Control { bytes: &bytes[..], rail: 0, only: false, receive: None };
                    self.push_control::<M>(remote, None, skip).unwrap_or(Step::Done)
                }
                Work::Push(request) => self.push_answered::<M>(*request, None),
                Work::Fetch(request) => self.fetch::<M>(*request, None),
                Work::EndSend(request) => {
                    self.end_send::<M>(*request, (**request).request.status.error, None);
                    Step::Done
                }
                Work::EndReceive(request) => {
                    self.end_receive::<M>(*request, (**request).request.status.error, None);
                    Step::Done
                }
            }
        }
    }

    /// How many operations of a communicator are not complete.
    pub fn pending<M: Mode>(&self, comm: &Comm) -> u64 {
        // SAFETY: `comm_open` has taken it.
        let state = unsafe { self.state(comm) };
        let waits = |work: &&Work| match work {
            // SAFETY: what is in a queue belongs to it, and the queue is ours.
            Work::First(request) => unsafe { core::ptr::eq((**request).state, state) },
            // The others are transfers, or no operations.
            _ => false,
        };
        let remotes = self.remotes.with::<M, _>(|remotes| remotes.clone());
        let queued = remotes.iter().map(|RemotePointer(remote)| {
            // SAFETY: remotes live as long as the component.
            unsafe { &**remote }.queues.with::<M, _>(|queues| {
                // What a thread is retrying is in no queue, and may be of this communicator.
                queues.messages.iter().filter(waits).count() + usize::from(queues.retrying)
            })
        });
        let mut counts = MatchCounts::default();
        // SAFETY: the table is complete, and the engine open.
        unsafe { (state.matching.counts.unwrap_unchecked())(state.engine, &mut counts) };
        let in_flight = self.send_ids.of(state) + state.transfers.load(Ordering::Acquire) as usize;
        counts.posted + (queued.sum::<usize>() + in_flight) as u64
    }

    /// What can be said of the queues to a communicator's peers.
    pub fn describe<M: Mode>(&self, comm: &Comm) -> String {
        use std::fmt::Write;
        // SAFETY: `comm_open` has taken it.
        let state = unsafe { self.state(comm) };
        let mut text = String::new();
        let mut queues = vec![0u8; 4096];
        // SAFETY: the table is complete; the buffer has the length that is passed.
        unsafe {
            (state.matching.describe.unwrap_unchecked())(
                state.engine,
                queues.as_mut_ptr().cast(),
                queues.len(),
            );
        }
        queues.truncate(queues.iter().position(|byte| *byte == 0).unwrap_or(queues.len()));
        text.push_str(&String::from_utf8_lossy(&queues));
        for (number, rank) in state.met() {
            let (expected, later) =
                (rank.order.turn.next(), rank.order.later.with::<M, _>(|later| later.len()));
            let _ = write!(text, "rank {number}: sent {}, next from it {expected}", rank.sent());
            if later > 0 {
                let _ = write!(text, ", {later} wait for it");
            }
            // SAFETY: remotes live as long as the component.
            if let Some(remote) = unsafe { rank.remote.load(Ordering::Acquire).as_ref() } {
                let (messages, streams) = remote
                    .queues
                    .with::<M, _>(|queues| (queues.messages.len(), queues.streams.len()));
                if messages + streams > 0 {
                    let _ =
                        write!(text, ", {messages} messages and {streams} streams wait for room");
                }
            }
            text.push('\n');
        }
        let transfers = self.send_ids.len() + self.receive_ids.with::<M, _>(|ids| ids.len());
        let _ = writeln!(text, "{transfers} transfers of the process are in flight");
        text
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        // A tool may read until the host has taken the cells out.
        drop(self.queues.take());
        for state in self.contexts.open() {
            // SAFETY: `comm_open` boxed it, and the component is not used any more. Its engine is
            // the matching component's, which may be closed.
            drop(unsafe { Box::from_raw(state) });
        }
        for RemotePointer(remote) in self.remotes.get_mut().drain(..) {
            // SAFETY: boxed by `remote_of`; peers stay.
            unsafe {
                let remote = Box::from_raw(remote);
                (*remote.peer).pml = core::ptr::null_mut();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use cairn_framework::layout::check;

    use super::*;

    #[test]
    fn what_threads_write_lies_apart_from_what_all_read() {
        let parts = cairn_framework::parts!(Core {
            host: "no thread",
            params: "no thread",
            slot: "no thread",
            receive_ids: "receives that are announced",
            sends: "threads that send",
            receives: "threads that receive",
            busy: "senders without room",
            busy_count: "senders without room",
            done: "no thread",
            process: "no thread",
        });
        check("the state of pml_ob1", &parts);
        let parts = cairn_framework::parts!(Remote {
            peer: "no thread",
            rails: "no thread",
            eager: "no thread",
            immediate_end: "no thread",
            queues: "senders without room",
        });
        check("a peer of pml_ob1", &parts);
    }
}
