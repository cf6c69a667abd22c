//! The state of a window, and what changes it: operations of the program, and packets that arrive.

use cairn_framework::abi::request::{Request as RequestView, WaitSync};
use cairn_framework::abi::status::{ERR_ARGUMENT, ERR_PEER, ERR_PROTOCOL, OK, Status};
use cairn_framework::author::Failure;
use cairn_framework::frameworks::issue::{Decision, ISSUE_FENCE, ISSUE_LOCK};
use cairn_framework::frameworks::osc::{OSC_ACCUMULATE, OSC_PUT, OscTransfer};
use cairn_rma::{Target, operate};

use crate::direct::Hot;
use crate::fence::{Collective, Fence};
use crate::incoming::{Incoming, LockQueue, Place, Turn, Waiting};
use crate::link::{Held, Payload};
use crate::memory::Memory;
use crate::operation::Operation;
use crate::order::LockOrder;
use crate::outgoing::{End, Hold, Measured, Outgoing};
use crate::requests;
use crate::window::Shared;
use crate::wire::{
    ANSWER, EXCLUSIVE, HEADER, Header, Kind, LAST_OF_FENCE, LAST_OF_START, LOST, SHARED, UNLOCK,
};

/// Packets to a rank that wait for room before no more are made.
const MOST_WAITING: usize = 16;
/// Answers with data that a target may owe.
const MOST_FETCHES: u32 = 16;
/// Answers to an origin that wait for room. One that keeps to the rules has fewer.
const MOST_ANSWERS: usize = 1024;

/// The state of a window.
pub struct State {
    /// The CRI whose lock the thread that has the state holds.
    pub held: Held,
    /// It is known what the others call the window.
    pub has_met: bool,
    /// By target.
    pub outgoing: Vec<Outgoing>,
    /// By origin.
    pub incoming: Vec<Incoming>,
    pub memory: Memory,
    pub locks: LockQueue,
    /// The kind of access epoch that there is, as `issue` calls it.
    pub epoch: u32,
    /// What the strategy has said for the epoch, if it is not one of a lock, and what was measured of it.
    pub decision: Decision,
    pub measured: Measured,
    pub fence: Fence,
    /// Targets of the access epoch that `MPI_Win_start` began.
    pub started: Vec<u32>,
    /// Origins of the exposure epoch.
    pub exposed: Vec<u32>,
    pub order: LockOrder,
    /// Targets that have had operations to wait since these were pushed last.
    pub behind: Vec<u32>,
    /// Targets for which operations wait that have too much to answer.
    blocked: Vec<u32>,
    /// Ranks to which packets wait for room.
    stuck: Vec<u32>,
    /// For what is made of a packet's data before it is sent.
    scratch: Vec<u8>,
    waiters: Vec<*mut Waiter<'static>>,
    /// The window has lost a process, or its messages.
    lost: Status,
    /// Something has happened that a thread may wait for.
    changed: bool,
}

/// What a thread waits for: whether it has come, or can't come any more.
pub type Ask<'a> = dyn FnMut(&mut State) -> Option<Result<(), Failure>> + 'a;

/// A thread that waits. The lock of the state is held by whatever looks at it while it is in the list.
pub struct Waiter<'a> {
    pub sync: *const WaitSync,
    pub ask: &'a mut Ask<'a>,
    pub result: Option<Result<(), Failure>>,
}

// SAFETY: waiters stay as long as they are in the list, requests are for any thread, and so is the memory of
// the window and of what is sent.
unsafe impl Send for State {}

impl State {
    /// `hot` is what threads read of each rank without it, which stays as long as the window.
    pub fn new(memory: Memory, hot: &[Hot]) -> Self {
        let size = hot.len();
        Self {
            held: core::ptr::null(),
            has_met: false,
            outgoing: hot.iter().map(|hot| Outgoing::new(hot)).collect(),
            incoming: (0..size).map(|_| Incoming::default()).collect(),
            memory,
            locks: LockQueue::default(),
            epoch: ISSUE_FENCE,
            decision: Decision::Hold,
            measured: Measured::default(),
            fence: Fence::default(),
            started: Vec::new(),
            exposed: Vec::new(),
            order: LockOrder::default(),
            behind: Vec::new(),
            blocked: Vec::new(),
            stuck: Vec::new(),
            scratch: Vec::new(),
            waiters: Vec::new(),
            lost: OK,
            changed: false,
        }
    }

    /// An error when the window is of no use any more.
    pub fn check(&self) -> Result<(), Failure> {
        match self.lost {
            OK => Ok(()),
            ERR_PEER => Err(died()),
            other => Err(Failure::new(other, "the window has lost messages")),
        }
    }

    /// An error when it is, or when one of these processes has died.
    pub fn check_all<'a>(&self, ranks: impl IntoIterator<Item = &'a u32>) -> Result<(), Failure> {
        let dead = ranks.into_iter().any(|rank| self.outgoing[*rank as usize].dead);
        if dead { Err(died()) } else { self.check() }
    }

    /// An error when any process of the window has died, for which what takes all of them would wait.
    pub fn check_everybody(&self) -> Result<(), Failure> {
        let dead = self.outgoing.iter().any(|out| out.dead);
        if dead { Err(died()) } else { self.check() }
    }

    /// A process has died: what has to do with it ends.
    pub fn bury(&mut self, shared: &Shared, rank: u32) {
        let out = &mut self.outgoing[rank as usize];
        if core::mem::replace(&mut out.dead, true) {
            return;
        }
        out.give_up(ERR_PEER);
        self.changed = true;
        self.order.leave(rank);
        self.ask_next(shared);
        self.locks.bury(shared.lock(), rank);
        self.grant(shared);
    }

    /// The window is of no use any more.
    pub fn lose(&mut self, status: Status) {
        if self.lost == OK {
            self.lost = status;
        }
        self.changed = true;
    }

    /// Something has happened that a thread may wait for.
    pub fn note_change(&mut self) {
        self.changed = true;
    }

    /// A device does not do an operation that it had taken: it goes by messages.
    pub fn take_back(&mut self, shared: &Shared, mut operation: Operation) {
        let rank = operation.transfer.target;
        let out = &mut self.outgoing[rank as usize];
        if out.dead {
            out.note(operation.complete(ERR_PEER));
            return;
        }
        out.issued += 1;
        operation.ordinal = out.issued;
        out.forced = out.issued;
        out.accumulates |= !operation.is_move();
        out.queue.push_back(operation);
        out.update();
        self.pump(shared, rank);
    }

    /// A lock that was taken without its target is free, and somebody waits for it there; or it is `lost`.
    pub fn tell_released(&mut self, shared: &Shared, rank: u32, lost: bool) {
        let flags = if lost { LOST } else { 0 };
        self.tell(shared, rank, Header { flags, ..Header::new(Kind::Released) });
    }

    /// A thread waits, until it is woken.
    pub fn enter(&mut self, waiter: *mut Waiter<'static>) {
        self.waiters.push(waiter);
    }

    /// It does not any more.
    pub fn leave(&mut self, waiter: *mut Waiter<'static>) {
        self.waiters.retain(|other| !core::ptr::eq(*other, waiter));
    }

    /// If something has happened, wakes those that have waited for it, and no others.
    pub fn signal(&mut self) {
        while core::mem::take(&mut self.changed) {
            let mut waiters = core::mem::take(&mut self.waiters);
            waiters.retain(|waiter| {
                // SAFETY: it stays until it has left the list, for which its thread needs the lock, and that thread
                // looks at nothing of it before.
                let waiter = unsafe { &mut **waiter };
                let Some(result) = (waiter.ask)(self) else { return true };
                waiter.result = Some(result);
                // It is gone as soon as its thread is awake.
                // SAFETY: as above.
                unsafe { (*waiter.sync).complete_one() };
                false
            });
            self.waiters = waiters;
        }
    }

    /// A packet has arrived. What a rank sends is handled in the order in which it was sent.
    pub fn receive(&mut self, shared: &Shared, packet: &[u8]) {
        let decoded = Header::decode(packet);
        let own = |header: &Header| header.origin >= shared.size || header.origin == shared.rank;
        let Some((header, data)) = decoded.filter(|(header, _)| !own(header)) else {
            shared.malformed(u32::MAX);
            return;
        };
        let source = header.origin;
        let incoming = &mut self.incoming[source as usize];
        match incoming.turn(header.serial) {
            Some(0) => {}
            Some(_) => return incoming.keep(header.serial, packet),
            None => return shared.malformed(source),
        }
        if self.outgoing[source as usize].waiting() > MOST_ANSWERS {
            return shared.malformed(source);
        }
        self.handle(shared, &header, data);
        while let Some(next) = self.incoming[source as usize].next() {
            if let Some((header, data)) = Header::decode(&next) {
                self.handle(shared, &header, data);
            }
        }
        for rank in core::mem::take(&mut self.blocked) {
            self.pump(shared, rank);
        }
    }

    /// Lets go on what waited, as far as it can. Returns how much has happened.
    pub fn drive(&mut self, shared: &Shared) -> u32 {
        let mut events = 0;
        for rank in core::mem::take(&mut self.stuck) {
            let out = &mut self.outgoing[rank as usize];
            let Some(link) = out.link.as_mut().filter(|_| !out.dead) else { continue };
            match link.drain(self.held) {
                Ok(sent) if link.waiting() > 0 => {
                    events += sent;
                    self.stuck.push(rank);
                }
                Ok(sent) => {
                    events += sent;
                    self.pump(shared, rank);
                }
                Err(failure) => {
                    events += 1;
                    self.not_sent(shared, rank, failure.status);
                }
            }
        }
        if self.fence.barrier.as_mut().is_some_and(Collective::is_news) {
            events += 1;
        }
        if self.fence.sum.as_mut().is_some_and(Collective::is_news) {
            events += 1;
            if !self.fence.passed {
                self.pass_fence(shared);
            }
        }
        self.changed |= events > 0;
        events
    }

    /// Whether passes have something to do, and are to call `drive`.
    pub fn is_busy(&self) -> bool {
        let collective = [&self.fence.sum, &self.fence.barrier].map(Option::is_some);
        !self.stuck.is_empty() || collective.contains(&true)
    }

    /// Whether packets wait for room.
    pub fn is_stuck(&self) -> bool {
        !self.stuck.is_empty()
    }

    /// A packet was not sent.
    fn not_sent(&mut self, shared: &Shared, rank: u32, status: Status) {
        if status == ERR_PEER {
            self.bury(shared, rank);
        } else {
            self.lose(status);
        }
    }

    /// All processes have come to the last fence.
    pub fn pass_fence(&mut self, shared: &Shared) {
        self.fence.passed = true;
        self.measured.is_ready();
        for rank in 0..shared.size {
            self.outgoing[rank as usize].set_ready(true);
            self.pump(shared, rank);
        }
    }

    /// Starts the sum for the next fence.
    pub fn start_sum(&mut self, shared: &Shared, early: bool) -> Result<(), Failure> {
        let early = early || self.fence.went || self.memory.is_dynamic();
        let comes = |(rank, out): (usize, &Outgoing)| {
            let comes = !early && rank as u32 != shared.rank && !out.queue.is_empty();
            [u64::from(comes), u64::from(early)]
        };
        let numbers = self.outgoing.iter().enumerate().flat_map(comes).collect();
        self.fence.sum = Some(Collective::start(shared, numbers)?);
        self.measured.ask();
        Ok(())
    }

    /// Starts a barrier.
    pub fn start_barrier(&mut self, shared: &Shared) -> Result<(), Failure> {
        self.fence.barrier = Some(Collective::start(shared, Box::default())?);
        Ok(())
    }

    /// Whether all have come to it, which takes it away.
    pub fn take_barrier(&mut self) -> Option<Result<(), Status>> {
        let ended = self.fence.barrier.as_ref()?.ended()?;
        self.fence.barrier = None;
        Some(ended.map(drop))
    }

    /// What the sum has given, if it has ended. It is taken away then.
    pub fn take_sum(&mut self) -> Option<Result<[u64; 2], Status>> {
        let ended = self.fence.sum.as_ref()?.ended()?;
        self.fence.sum = None;
        Some(ended)
    }

    /// Starts an operation.
    ///
    /// # Safety
    /// The transfer is valid, and what it names is there until the operation is complete.
    pub unsafe fn start(
        &mut self,
        shared: &Shared,
        transfer: &OscTransfer,
        requested: bool,
    ) -> Result<Option<*mut RequestView>, Failure> {
        self.check()?;
        let (rank, per_target) = (transfer.target, self.epoch == ISSUE_LOCK);
        let own = rank == shared.rank;
        let Some(out) = self.outgoing.get_mut(rank as usize) else {
            return Err(Failure::new(ERR_ARGUMENT, "no such rank"));
        };
        if transfer.target_datatype.is_null() {
            return Err(Failure::new(ERR_ARGUMENT, "the operation is not whole"));
        }
        if out.dead || out.hold == Hold::Refused {
            return Err(died());
        }
        if own && out.is_ready() && out.queue.is_empty() {
            // SAFETY: promised by the caller.
            unsafe { self.run_here(shared, transfer)? };
            return Ok(requested.then(requests::complete_one));
        }
        let request = if requested { requests::make() } else { core::ptr::null_mut() };
        // SAFETY: promised by the caller.
        let mut operation = unsafe { Operation::new(shared.window(), transfer, request) };
        out.issued += 1;
        operation.ordinal = out.issued;
        let made = requested.then_some(request.cast());
        if operation.len() == 0 {
            operation.complete(OK);
            return Ok(made);
        }
        if requested {
            out.forced = operation.ordinal;
        }
        let bytes = operation.len();
        out.accumulates |= !operation.is_move();
        out.queue.push_back(operation);
        out.update();
        if !core::mem::replace(&mut out.is_behind, true) {
            self.behind.push(rank);
        }
        let (measured, decision) = match per_target {
            true => (&mut out.measured, &mut out.decision),
            false => (&mut self.measured, &mut self.decision),
        };
        measured.operations += 1;
        measured.bytes += bytes;
        measured.waiting += 1;
        measured.waiting_bytes += bytes;
        let before = *decision;
        if before < Decision::Go {
            let asked =
                shared.policy.operation(self.epoch, measured.waiting, measured.waiting_bytes);
            *decision = before.max(asked);
        }
        let now = *decision;
        if now >= Decision::Begin || requested {
            self.begin(shared, rank)?;
        }
        if now > before && !per_target {
            for rank in 0..shared.size {
                self.pump(shared, rank);
            }
        } else {
            self.pump(shared, rank);
        }
        Ok(made)
    }

    /// Begins what makes a target ready.
    pub fn begin(&mut self, shared: &Shared, rank: u32) -> Result<(), Failure> {
        if self.epoch == ISSUE_FENCE {
            if !self.fence.passed && self.fence.sum.is_none() && self.fence.open {
                self.start_sum(shared, true)?;
            }
            return Ok(());
        }
        if self.order.begin(rank) {
            self.ask_next(shared);
        } else {
            self.ask_for(shared, rank);
        }
        Ok(())
    }

    /// Asks for the next lock, if none that was asked for is missing.
    pub fn ask_next(&mut self, shared: &Shared) {
        if let Some(rank) = self.order.missing(&self.outgoing) {
            self.ask_for(shared, rank);
        }
    }

    /// Asks for the lock of a target, unless that was done.
    fn ask_for(&mut self, shared: &Shared, rank: u32) {
        let out = &mut self.outgoing[rank as usize];
        if let Hold::Wanted { shared: is_shared } = out.hold {
            out.hold = Hold::Asked { shared: is_shared };
            out.measured.ask();
            let flags = if is_shared { SHARED } else { EXCLUSIVE };
            self.tell(shared, rank, Header { flags, ..Header::new(Kind::Lock) });
        }
    }

    /// The lock of a target is not held any more, nor wanted.
    fn free(&mut self, shared: &Shared, rank: u32) {
        self.outgoing[rank as usize].hold = Hold::Free;
        self.order.leave(rank);
        self.ask_next(shared);
    }

    /// Does an operation on this process's own memory.
    ///
    /// # Safety
    /// As for `start`.
    unsafe fn run_here(&self, shared: &Shared, transfer: &OscTransfer) -> Result<(), Failure> {
        let memory = &self.memory;
        if memory.is_dynamic() {
            let (offset, count) = (transfer.offset, transfer.target_count);
            // SAFETY: promised by the caller.
            let datatype = unsafe { &*transfer.target_datatype };
            let target = Target { base: memory.base, offset, count, datatype };
            let side = target.side();
            memory.check(offset, &side, 0..side.len() as u64).map_err(|status| {
                Failure::new(status, "the operation leaves the memory that is attached")
            })?;
        }
        // SAFETY: promised by the caller; and the MPI layer has seen to the range.
        unsafe {
            let check = |rank| shared.check_rank(rank);
            operate(shared.window(), memory.base, shared.locks(), shared.taker(&check), transfer)
        }
    }

    /// A packet that is a header alone: to a peer, or to this process itself.
    pub fn tell(&mut self, shared: &Shared, rank: u32, header: Header) {
        if rank == shared.rank {
            self.control(shared, &Header { origin: rank, ..header });
        } else {
            self.send(shared, rank, header, Payload::NONE);
        }
    }

    /// Sends a packet.
    fn send(&mut self, shared: &Shared, rank: u32, header: Header, payload: Payload) {
        let held = self.held;
        let out = &mut self.outgoing[rank as usize];
        if out.dead {
            return;
        }
        shared.counters.messages.add_shared(1);
        out.sent += 1;
        let serial = out.sent as u32;
        let header = Header { window: out.port, origin: shared.rank, serial, ..header };
        let (bytes, len) = header.encode();
        let sent = shared.link(rank, &mut out.link).and_then(|link| {
            // SAFETY: the payload is the program's, the window's or `scratch`, and packets are cut for the link.
            unsafe { link.send(held, &bytes[..len], payload) }
        });
        match sent {
            Ok(true) => {}
            Ok(false) if self.stuck.contains(&rank) => {}
            Ok(false) => self.stuck.push(rank),
            Err(failure) => self.not_sent(shared, rank, failure.status),
        }
    }

    /// Sends what may go to a target.
    pub fn pump(&mut self, shared: &Shared, rank: u32) {
        if rank == shared.rank {
            self.pump_here(shared);
        } else {
            self.pump_there(shared, rank);
        }
        self.outgoing[rank as usize].update();
    }

    fn pump_there(&mut self, shared: &Shared, rank: u32) {
        let packet = shared.packet(rank, &mut self.outgoing[rank as usize]);
        if !self.ask_or_send_one(shared, rank, packet) {
            return;
        }
        loop {
            let out = &self.outgoing[rank as usize];
            if !out.is_ready() || !out.may_go(self.decision) {
                break;
            }
            if self.is_full(shared, rank) {
                return;
            }
            self.send_part(shared, rank, packet, 0);
        }
        self.send_end(shared, rank);
    }

    /// Whether the next packet to a target has to wait, which is noted.
    fn is_full(&mut self, shared: &Shared, rank: u32) -> bool {
        let out = &self.outgoing[rank as usize];
        let fetches = out.queue.front().is_some_and(Operation::fetches);
        let full = out.waiting() >= MOST_WAITING
            || (fetches && out.fetches >= MOST_FETCHES)
            || out.in_flight.is_full(shared.sizes.in_flight);
        if full && !self.blocked.contains(&rank) {
            self.blocked.push(rank);
        }
        full
    }

    /// The end of an epoch whose lock was not asked for. Whether there may be more to do.
    fn ask_or_send_one(&mut self, shared: &Shared, rank: u32, packet: usize) -> bool {
        let out = &mut self.outgoing[rank as usize];
        let (Hold::Wanted { shared: is_shared }, Some(End::Unlock)) = (out.hold, out.end) else {
            return true;
        };
        let alone = out.queue.len() == 1;
        match out.queue.front_mut() {
            None => {
                // Nothing was done, so there is nothing to lock.
                out.end = None;
                self.free(shared, rank);
                self.changed = true;
            }
            Some(operation) => {
                operation.describe(shared.window(), packet);
                if !alone || !operation.fits(packet) {
                    // It can't fail: only sums can.
                    let _ = self.begin(shared, rank);
                    return true;
                }
                if !self.is_full(shared, rank) {
                    let lock = if is_shared { SHARED } else { EXCLUSIVE };
                    self.free(shared, rank);
                    self.send_part(shared, rank, packet, lock);
                }
            }
        }
        false
    }

    /// Sends the next packet of the first operation.
    fn send_part(&mut self, shared: &Shared, rank: u32, packet: usize, lock: u8) {
        let out = &mut self.outgoing[rank as usize];
        let only = out.queue.len() == 1;
        let Some(operation) = out.queue.front_mut() else { return };
        operation.describe(shared.window(), packet);
        if operation.is_new() {
            let measured =
                if self.epoch == ISSUE_LOCK { &mut out.measured } else { &mut self.measured };
            measured.moves();
            measured.waiting = measured.waiting.saturating_sub(1);
            measured.waiting_bytes = measured.waiting_bytes.saturating_sub(operation.len());
            self.fence.went |= self.epoch == ISSUE_FENCE;
            if operation.text_goes_ahead {
                let text = operation.text().to_vec();
                self.send_text(shared, rank, packet, &text);
            }
        }
        let out = &mut self.outgoing[rank as usize];
        let Some(operation) = out.queue.front_mut() else { return };
        let (last, fetches) = (only && operation.is_last(packet), operation.fetches());
        let mut header = operation.header(packet);
        let end = out.end.take_if(|_| last);
        if let Some(end) = end {
            header.flags = end.flags(fetches) | lock;
        }
        // A flush waits for it, or the target is to say how far it is.
        let asks =
            out.answer_at <= operation.ordinal && operation.is_last(packet) && out.answer_at > 0;
        if !fetches && (asks || out.in_flight.is_to_be_asked(shared.sizes.in_flight)) {
            header.flags |= ANSWER;
        }
        let answered = fetches || header.flags & ANSWER != 0;
        let number = out.sent + 1;
        out.last = number;
        if answered {
            out.asked = number;
            (out.answer_at, out.fetches) =
                (if asks { 0 } else { out.answer_at }, out.fetches + u32::from(fetches));
        }
        let mut scratch = core::mem::take(&mut self.scratch);
        scratch.clear();
        let payload = operation.data(&header, &mut scratch);
        let len = payload.as_ref().map_or(0, |payload| payload.len);
        out.in_flight.add(number, HEADER + len, answered);
        if fetches {
            out.asked_for.push_back((number as u32, header.len));
        }
        match payload {
            Ok(payload) => self.send(shared, rank, header, payload),
            Err(failure) => self.lose(failure.status),
        }
        self.scratch = scratch;
        let out = &mut self.outgoing[rank as usize];
        // When a target is found dead its operations are gone.
        if out.queue.front().is_some_and(Operation::is_sent)
            && let Some(operation) = out.queue.pop_front()
        {
            if fetches {
                out.fetching.push_back(operation);
            } else {
                let error = operation.complete(OK);
                out.note(error);
                self.changed = true;
            }
        }
        if end == Some(End::Unlock) && lock == 0 {
            self.free(shared, rank);
        }
    }

    /// The description of a type, in packets of its own.
    fn send_text(&mut self, shared: &Shared, rank: u32, packet: usize, text: &[u8]) {
        let mut position = 0;
        for part in text.chunks(packet - HEADER) {
            let header = Header { offset: position, ..Header::new(Kind::Type) };
            self.send(shared, rank, header, Payload::of(part));
            position += part.len() as i64;
        }
    }

    /// The end of an epoch with a target, when no operation is left to say it.
    fn send_end(&mut self, shared: &Shared, rank: u32) {
        let out = &mut self.outgoing[rank as usize];
        let ends = out.is_ready() && out.queue.is_empty();
        let Some(end) = out.end.filter(|_| ends) else { return };
        out.end = None;
        let unasked = out.is_unasked();
        let answer = if unasked { ANSWER } else { 0 };
        let (kind, flags) = match end {
            End::Answer if !unasked => {
                self.changed = true;
                return;
            }
            End::Answer => (Kind::Flush, answer),
            End::Unlock => (Kind::Unlock, answer),
            End::Complete { answered: true } => (Kind::Complete, answer),
            End::Complete { answered: false } => (Kind::Complete, 0),
            End::Fence => (Kind::Flush, LAST_OF_FENCE),
        };
        out.count(flags & ANSWER != 0);
        let header = Header { flags, ..Header::new(kind) };
        self.changed = true;
        self.tell(shared, rank, header);
        if end == End::Unlock {
            self.free(shared, rank);
        }
    }

    /// Asks a target whether everything is done.
    pub fn ask(&mut self, shared: &Shared, rank: u32) {
        let out = &mut self.outgoing[rank as usize];
        out.count(true);
        let header = Header { flags: ANSWER, ..Header::new(Kind::Flush) };
        self.tell(shared, rank, header);
    }

    /// Operations on this process's own memory that had to wait.
    fn pump_here(&mut self, shared: &Shared) {
        let own = shared.rank as usize;
        while self.outgoing[own].is_ready()
            && let Some(operation) = self.outgoing[own].queue.pop_front()
        {
            // SAFETY: the program keeps what it names until the operation is complete.
            let done = unsafe { self.run_here(shared, &operation.transfer) };
            let error = operation.complete(done.map_or_else(|failure| failure.status, |()| OK));
            self.outgoing[own].note(error);
            self.changed = true;
        }
        let out = &mut self.outgoing[own];
        if !out.is_ready() && out.hold != Hold::Free {
            // It still waits for its lock.
            return;
        }
        let Some(end) = out.end.filter(|_| out.queue.is_empty()) else { return };
        let kind = match end {
            End::Answer | End::Fence => None,
            End::Unlock => Some(Kind::Unlock),
            End::Complete { .. } if !out.is_ready() => return,
            End::Complete { .. } => Some(Kind::Complete),
        };
        out.end = None;
        self.changed = true;
        if let Some(kind) = kind {
            self.tell(shared, shared.rank, Header::new(kind));
        }
        if end == End::Unlock {
            self.free(shared, shared.rank);
        }
    }

    /// Handles a packet.
    fn handle(&mut self, shared: &Shared, header: &Header, data: &[u8]) {
        match header.kind {
            Kind::Operation if header.flags & (SHARED | EXCLUSIVE) != 0 => {
                let shares = header.flags & SHARED != 0;
                let operation = Some((*header, data.into()));
                self.want(shared, Waiting { rank: header.origin, shared: shares, operation });
            }
            Kind::Operation => {
                self.execute(shared, header, data);
                if header.flags & UNLOCK != 0 {
                    self.grant(shared);
                }
            }
            Kind::Reply => self.reply(shared, header, data),
            Kind::Type => self.incoming[header.origin as usize].take_text(header.offset, data),
            _ => self.control(shared, header),
        }
    }

    /// A peer wants the lock of this process's memory.
    fn want(&mut self, shared: &Shared, wish: Waiting) {
        let source = wish.rank;
        if !self.locks.enter(wish) {
            shared.malformed(source);
        }
        self.grant(shared);
    }

    /// A packet without data.
    fn control(&mut self, shared: &Shared, header: &Header) {
        let (source, answers) = (header.origin, header.flags & ANSWER != 0);
        let (out, incoming) =
            (&mut self.outgoing[source as usize], &mut self.incoming[source as usize]);
        match header.kind {
            Kind::Ack => {
                out.hear(header.len);
                // That updates it.
                out.note(header.error());
            }
            Kind::Lock => {
                let shares = header.flags & SHARED != 0;
                self.want(shared, Waiting { rank: source, shared: shares, operation: None });
            }
            Kind::Granted if header.error() != OK => {
                out.give_up(header.error());
                self.order.leave(source);
                self.ask_next(shared);
            }
            Kind::Granted => {
                if let Hold::Asked { shared: is_shared } = out.hold {
                    out.hold = Hold::Held { shared: is_shared };
                    out.set_ready(true);
                    out.measured.is_ready();
                    self.ask_next(shared);
                    self.pump(shared, source);
                } else if !matches!(out.hold, Hold::Held { .. }) {
                    // It was asked for, and given up.
                    self.tell(shared, source, Header::new(Kind::Unlock));
                }
            }
            Kind::Unlock => {
                if !self.locks.leave(shared.lock(), source) {
                    shared.malformed(source);
                }
                if answers {
                    self.acknowledge(shared, header);
                }
                self.grant(shared);
            }
            Kind::Released => {
                if header.flags & LOST != 0 {
                    self.locks.lose(shared.lock());
                }
                self.grant(shared);
            }
            Kind::Flush => {
                if header.flags & LAST_OF_FENCE != 0 {
                    self.fence.arrived += 1;
                }
                if answers {
                    self.acknowledge(shared, header);
                }
            }
            Kind::Post => {
                out.posts += 1;
                self.take_post(shared, source);
            }
            Kind::Complete => {
                incoming.completed += 1;
                if answers {
                    self.acknowledge(shared, header);
                }
            }
            Kind::Operation | Kind::Reply | Kind::Type => {}
        }
        self.changed = true;
    }

    /// The post of a target makes it ready, if the access epoch needs it.
    pub fn take_post(&mut self, shared: &Shared, rank: u32) {
        let out = &mut self.outgoing[rank as usize];
        if out.needs_post && out.posts > 0 {
            out.posts -= 1;
            out.needs_post = false;
            out.set_ready(true);
            self.measured.is_ready();
            self.pump(shared, rank);
        }
    }

    /// Tells an origin that what it has sent up to a packet is done, and what went wrong.
    fn acknowledge(&mut self, shared: &Shared, header: &Header) {
        let incoming = &mut self.incoming[header.origin as usize];
        let error = core::mem::replace(&mut incoming.error, OK);
        self.tell(shared, header.origin, Header::answer(Kind::Ack, header.serial, error));
    }

    /// Does an operation of a peer, and answers.
    fn execute(&mut self, shared: &Shared, header: &Header, data: &[u8]) {
        let source = header.origin;
        let check = |rank| shared.check_rank(rank);
        let place = Place {
            window: shared.window(),
            memory: &self.memory,
            locks: shared.locks(),
            taker: shared.taker(&check),
            packet: shared.sizes.packet,
        };
        let incoming = &mut self.incoming[source as usize];
        let mut scratch = core::mem::take(&mut self.scratch);
        scratch.clear();
        let done = incoming.operate(&place, header, data, &mut scratch);
        if let Err(status) = done {
            shared.refused(source, status);
        }
        if !matches!(u32::from(header.operation), OSC_PUT | OSC_ACCUMULATE) {
            let (status, fetched) = match done {
                Ok(fetched) => (OK, fetched),
                Err(status) => (status, Payload::NONE),
            };
            let reply = Header::answer(Kind::Reply, header.serial, status);
            self.send(shared, source, reply, fetched);
        } else {
            if let Err(status) = done
                && incoming.error == OK
            {
                incoming.error = status;
            }
            if header.flags & ANSWER != 0 {
                self.acknowledge(shared, header);
            }
        }
        self.scratch = scratch;
        let incoming = &mut self.incoming[source as usize];
        if header.flags & LAST_OF_START != 0 {
            incoming.completed += 1;
        }
        if header.flags & LAST_OF_FENCE != 0 {
            self.fence.arrived += 1;
        }
        if header.flags & UNLOCK != 0 && !self.locks.leave(shared.lock(), source) {
            shared.malformed(source);
        }
        self.changed = true;
    }

    /// What an operation has fetched.
    fn reply(&mut self, shared: &Shared, header: &Header, data: &[u8]) {
        let source = header.origin;
        let out = &mut self.outgoing[source as usize];
        let list = if out.fetching.is_empty() { &mut out.queue } else { &mut out.fetching };
        let expected = out.asked_for.pop_front().filter(|(number, _)| *number == header.len);
        let fits = |operation: &mut Operation| {
            expected
                .is_some_and(|(_, len)| operation.fetches() && operation.take(header, data, len))
        };
        if !list.front_mut().is_some_and(fits) {
            shared.malformed(source);
            self.lose(ERR_PROTOCOL);
            return;
        }
        out.fetches = out.fetches.saturating_sub(1);
        out.hear(header.len);
        if out.fetching.front().is_some_and(Operation::is_fetched)
            && let Some(operation) = out.fetching.pop_front()
        {
            let error = operation.complete(OK);
            out.note(error);
        }
        self.changed = true;
        self.pump(shared, source);
    }

    fn next_turn(&mut self, shared: &Shared) -> Option<Turn> {
        let is_dead = |rank| self.outgoing.get(rank as usize).is_some_and(|out| out.dead);
        self.locks.next(shared.lock(), is_dead)
    }

    /// Gives the lock of this process's memory to those whose turn it is.
    pub fn grant(&mut self, shared: &Shared) {
        while let Some(turn) = self.next_turn(shared) {
            match turn {
                Turn::Granted(Waiting { operation: Some((header, data)), .. }) => {
                    self.execute(shared, &header, &data);
                }
                Turn::Granted(waiting) if waiting.rank == shared.rank => {
                    let out = &mut self.outgoing[shared.rank as usize];
                    out.hold = Hold::Held { shared: waiting.shared };
                    out.set_ready(true);
                    self.changed = true;
                    self.pump(shared, shared.rank);
                }
                Turn::Granted(waiting) => {
                    self.tell(shared, waiting.rank, Header::new(Kind::Granted));
                }
                Turn::Refused(waiting) => self.refuse(shared, &waiting),
            }
        }
    }

    /// Tells a rank that the lock can't be had.
    fn refuse(&mut self, shared: &Shared, waiting: &Waiting) {
        let rank = waiting.rank;
        let header = match &waiting.operation {
            None if rank == shared.rank => {
                self.outgoing[rank as usize].give_up(ERR_PEER);
                self.changed = true;
                return;
            }
            None => Header::answer(Kind::Granted, 0, ERR_PEER),
            Some((header, _)) => {
                let fetches = !matches!(u32::from(header.operation), OSC_PUT | OSC_ACCUMULATE);
                let kind = if fetches { Kind::Reply } else { Kind::Ack };
                Header::answer(kind, header.serial, ERR_PEER)
            }
        };
        self.tell(shared, rank, header);
    }

    /// What there is, for a person.
    pub fn describe(&self, shared: &Shared) -> String {
        let waiting: usize = self.outgoing.iter().map(|out| out.queue.len()).sum();
        let fetching: usize = self.outgoing.iter().map(|out| out.fetching.len()).sum();
        let dead = self.outgoing.iter().filter(|out| out.dead).count();
        let packets: usize = self.outgoing.iter().map(Outgoing::waiting).sum();
        format!(
            "{waiting} operations wait, {fetching} wait for answers, {packets} packets for room; {}; \
             {dead} processes have died",
            self.locks.describe(shared.lock()),
        )
    }

    /// The history of an epoch goes to the strategy.
    pub fn close_epoch(&mut self, shared: &Shared, rank: Option<u32>) {
        let (measured, epoch) = match rank {
            Some(rank) => (&mut self.outgoing[rank as usize].measured, ISSUE_LOCK),
            None => (&mut self.measured, self.epoch),
        };
        if let Some(history) = measured.end(epoch) {
            shared.policy.epoch_close(&history);
        }
    }
}

/// What an operation or a synchronisation says that had to do with it.
pub fn died() -> Failure {
    Failure::new(ERR_PEER, "a process of the window has died")
}
