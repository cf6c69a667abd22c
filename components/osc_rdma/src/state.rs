//! The state of a window, and what changes it: operations of the program, and packets that arrive.

mod lock;
mod receive;
mod send;

use cairn_framework::abi::request::{Request as RequestView, WaitSync};
use cairn_framework::abi::status::{ERR_ARGUMENT, ERR_PEER, OK, Status};
use cairn_framework::author::Failure;
use cairn_framework::frameworks::issue::{Decision, ISSUE_FENCE, ISSUE_LOCK};
use cairn_framework::frameworks::osc::OscTransfer;
use cairn_rma::{Target, operate};

use crate::direct::Hot;
use crate::fence::{Collective, Fence};
use crate::incoming::Incoming;
use crate::link::Held;
use crate::lock_queue::LockQueue;
use crate::memory::Memory;
use crate::operation::Operation;
use crate::order::LockOrder;
use crate::outgoing::{Hold, Measured, Outgoing};
use crate::requests;
use crate::window::Shared;

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

    /// The window is of no use any more.
    pub fn is_lost(&self) -> bool {
        self.lost != OK
    }

    /// An error when it is.
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
