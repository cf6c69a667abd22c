//! A window of a rank, with the functions of its component as methods.

use std::ffi::c_void;
use std::ptr::{from_ref, null, null_mut};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use cairn_framework::abi::comm::{Comm, ContextId};
use cairn_framework::abi::datatype::Op;
use cairn_framework::abi::request::{REQUEST_MAGIC, REQUEST_ONE_SIDED, Request};
use cairn_framework::abi::scope::{SCOPE_COMMUNICATOR, SCOPE_WINDOW, Scope};
use cairn_framework::abi::status::{
    DONE, ERR_UNSUPPORTED, NOTHING, OK, OutcomeCode, Status, status_name,
};
use cairn_framework::frameworks::osc::{
    OSC_ACCUMULATE, OSC_COMPARE_SWAP, OSC_COMPLETE, OSC_FENCE, OSC_FETCH_OP, OSC_FLUSH,
    OSC_FLUSH_LOCAL, OSC_GET, OSC_GET_ACCUMULATE, OSC_LOCK, OSC_LOCK_ALL, OSC_POST, OSC_PUT,
    OSC_START, OSC_SYNC, OSC_TEST, OSC_UNLOCK, OSC_UNLOCK_ALL, OSC_WAIT, OscSide, OscSync,
    OscTransfer, WINDOW_CREATE, WINDOW_DYNAMIC, WINDOW_THREADS, Window, WindowRemote,
};
use cairn_framework::host::{forget_reason, take_reason};

use super::datatypes::{LONG, SUM};
use super::layer::{CALLS, Own};
use super::{Rank, Reason, told};

/// `MPI_MODE_NOCHECK`.
pub const NO_CHECK: u32 = 1024;
/// `MPI_MODE_NOPRECEDE`.
pub const NO_PRECEDE: u32 = 2048;
/// `MPI_MODE_NOSUCCEED`.
pub const NO_SUCCEED: u32 = 16384;

/// Accumulates of an origin keep every order.
pub const ALL_ORDERED: u32 = 15;

/// What lies in the gaps of buffers.
const GAP: u64 = 0x6a70_6a70_6a70_6a70;
/// What lies where results go, before they come.
const NO_RESULT: u64 = u64::MAX;

/// Where the memory of a window comes from that the program makes on its own memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Given {
    /// From the heap.
    Heap,
    /// From the component (`memory_allocate`).
    Component,
}

/// A window to be opened.
#[derive(Clone, Copy)]
pub struct Plan {
    /// One of `WINDOW_*`.
    pub flavor: u32,
    /// Others of them.
    pub flags: u32,
    /// Integers of each rank.
    pub len: fn(u32) -> u64,
    /// For windows on memory of the program.
    pub given: Given,
    /// The order that accumulates of an origin keep (`accumulate_ordering`).
    pub ordering: u32,
}

impl Plan {
    /// A window of this flavor, 100 integers in each rank.
    pub fn of(flavor: u32) -> Self {
        Self { flavor, flags: 0, len: |_| 100, given: Given::Heap, ordering: ALL_ORDERED }
    }
}

/// An open window. One that is not closed stays, with all it needs.
pub struct Win<'a> {
    /// The rank whose window it is.
    pub rank: &'a Rank,
    inner: Option<Box<Inner>>,
}

struct Inner {
    window: Window,
    comm: Comm,
    own: Own,
    /// What the view leads to.
    _remotes: Vec<WindowRemote>,
    _heap: Vec<u64>,
    /// Memory of the component.
    lent: *mut c_void,
    state: *mut c_void,
    /// Buffers of operations.
    kept: Mutex<Vec<Box<[u64]>>>,
}

// SAFETY: the component's functions are for any thread; what the pointers lead to stays.
unsafe impl Sync for Win<'_> {}
// SAFETY: see `Sync`.
unsafe impl Send for Win<'_> {}

macro_rules! osc {
    ($rank:expr, $function:ident($($argument:expr),* $(,)?)) => {{
        let chosen = $rank.osc();
        // SAFETY: the host completes tables; the arguments are what the contract says.
        unsafe {
            (chosen.ops.$function.expect("the host completes tables"))(
                chosen.instance, $($argument),*
            )
        }
    }};
}

fn checked(function: &str, status: Status) -> Result<(), String> {
    match status {
        OK => Ok(()),
        status => Err(format!("{function}: {}", take_reason(function, status))),
    }
}

impl Rank {
    /// Opens a window. `None` if the component leaves it to others, in all ranks.
    ///
    /// # Errors
    /// What the component says, and answers that differ.
    pub fn open(&self, plan: Plan) -> Result<Option<Win<'_>>, Reason> {
        let (mut heap, mut lent) = (Vec::new(), null_mut());
        let len = (plan.len)(self.number);
        let mut base = null_mut();
        if plan.flavor == WINDOW_CREATE {
            let there = match plan.given {
                Given::Heap => {
                    heap = vec![0_u64; len as usize];
                    base = heap.as_mut_ptr().cast();
                    true
                }
                Given::Component => match self.allocate(8 * len.max(1), 64)? {
                    Some(memory) => {
                        // SAFETY: so many bytes of the component's.
                        unsafe { memory.cast::<u8>().write_bytes(0, 8 * len as usize) };
                        (lent, base) = (memory, memory);
                        true
                    }
                    None => false,
                },
            };
            if !self.same("memory_allocate", there)? {
                return Ok(None);
            }
        }
        let mut inner = Box::new(self.inner(plan, base, heap));
        inner.lent = lent;
        let Inner { window, comm, own, state, .. } = &mut *inner;
        (window.comm, window.object) = (&raw const *comm, (&raw mut *own).cast());
        self.open_scopes(comm, window)?;
        let opened = osc!(self, window_open(window, state));
        let served = match opened {
            DONE => true,
            NOTHING => false,
            error => {
                let told = take_reason("window_open", error);
                std::mem::forget(inner);
                return Err(Reason::Broken(format!("window_open: {told}")));
            }
        };
        let same = self.same("window_open", served);
        if matches!(same, Ok(false)) {
            self.close_scopes(&mut inner);
            return Ok(None);
        }
        let win = Win { rank: self, inner: Some(inner) };
        same?;
        Ok(Some(win))
    }

    fn inner(&self, plan: Plan, base: *mut c_void, heap: Vec<u64>) -> Inner {
        let (size, dynamic) = (self.size(), plan.flavor == WINDOW_DYNAMIC);
        let number = self.member.windows.fetch_add(1, Ordering::Relaxed) + 3;
        let remotes: Vec<WindowRemote> = (0..size)
            .map(|rank| WindowRemote {
                base: if rank == self.number { base.expose_provenance() as u64 } else { 0 },
                size: if dynamic { u64::MAX } else { 8 * (plan.len)(rank) },
                displacement_unit: if dynamic { 1 } else { 8 },
            })
            .collect();
        let comm = Comm {
            scope: Scope {
                struct_size: size_of::<Comm>() as u32,
                ..Scope::new(SCOPE_COMMUNICATOR, number, size, c"of a window")
            },
            rank: self.number,
            remote_size: size,
            flags: 0,
            reserved: 0,
            context: ContextId::new(0, number.into()),
            peers: self.peers.as_ptr(),
            contexts: null(),
            neighbors: null(),
            parts: null(),
        };
        let window = Window {
            scope: Scope {
                struct_size: size_of::<Window>() as u32,
                ..Scope::new(SCOPE_WINDOW, number, size, c"window")
            },
            comm: null(),
            calls: &raw const CALLS,
            base,
            remotes: remotes.as_ptr(),
            flavor: plan.flavor,
            flags: plan.flags | WINDOW_THREADS,
            ordering: plan.ordering,
            unified: 1,
            alignment: 16,
            granularity: 0,
            object: null_mut(),
        };
        Inner {
            window,
            comm,
            own: Own { member: self.member, collectives: AtomicU32::new(0) },
            _remotes: remotes,
            _heap: heap,
            lent: null_mut(),
            state: null_mut(),
            kept: Mutex::default(),
        }
    }

    fn open_scopes(&self, comm: &mut Comm, window: &mut Window) -> Result<(), String> {
        let messages = &self.member.messages;
        // SAFETY: views that stay as long as they are open.
        unsafe {
            let open = messages.ops.comm_open.expect("the host completes tables");
            checked("comm_open", open(messages.instance, comm))?;
            self.member.system.scope_opened(&raw mut comm.scope).map_err(told)?;
            self.member.system.scope_opened(&raw mut window.scope).map_err(told)
        }
    }

    fn close_scopes(&self, inner: &mut Inner) {
        let (messages, system) = (&self.member.messages, self.member.system);
        // SAFETY: `open_scopes` opened them, and the component has nothing to do with them any more.
        unsafe {
            system.scope_closed(&raw mut inner.window.scope);
            let (close, free) = (messages.ops.comm_close, messages.ops.comm_free);
            (close.expect("the host completes tables"))(messages.instance, &mut inner.comm);
            system.wait_for_passes();
            system.scope_closed(&raw mut inner.comm.scope);
            (free.expect("the host completes tables"))(messages.instance, &mut inner.comm);
        }
        if !inner.lent.is_null() {
            // SAFETY: from the component, and the window has ended.
            unsafe { self.free(inner.lent) };
        }
    }

    /// Whether it is so in all ranks.
    fn same(&self, function: &str, here: bool) -> Result<bool, String> {
        let all = self.share(here.into())?;
        match all.iter().all(|there| *there == u64::from(here)) {
            true => Ok(here),
            false => Err(format!("{function} did not do the same in all ranks: {all:?}")),
        }
    }

    /// Memory of the component, if it gives some.
    ///
    /// # Errors
    /// What it says, and memory that is not aligned.
    pub fn allocate(&self, size: u64, alignment: u64) -> Result<Option<*mut c_void>, String> {
        let mut base = null_mut();
        match osc!(self, memory_allocate(size, alignment, &mut base)) {
            OK if base.is_null() || !base.addr().is_multiple_of(alignment as usize) => {
                Err(format!("memory_allocate of {size} bytes aligned to {alignment}: {base:p}"))
            }
            OK => Ok(Some(base)),
            ERR_UNSUPPORTED => {
                forget_reason();
                Ok(None)
            }
            error => Err(format!("memory_allocate: {}", take_reason("memory_allocate", error))),
        }
    }

    /// Gives it back.
    ///
    /// # Safety
    /// It is from [`Rank::allocate`], and not in use.
    pub unsafe fn free(&self, memory: *mut c_void) {
        osc!(self, memory_free(memory));
    }
}

/// An operation on integers of a target.
#[derive(Clone)]
pub struct Operation {
    kind: u32,
    target: u32,
    at: i64,
    count: u64,
    origin: Option<Vec<u64>>,
    fetches: bool,
    compare: Option<u64>,
    op: &'static Op,
    gaps: bool,
    gaps_there: bool,
}

impl Operation {
    fn new(kind: u32, target: u32, at: u64, count: u64) -> Self {
        let at = 8 * at as i64;
        Self {
            kind,
            target,
            at,
            count,
            origin: None,
            fetches: !matches!(kind, OSC_PUT | OSC_ACCUMULATE),
            compare: None,
            op: &SUM,
            gaps: false,
            gaps_there: false,
        }
    }

    fn with(mut self, values: &[u64], op: &'static Op) -> Self {
        (self.origin, self.op) = (Some(values.to_vec()), op);
        self
    }

    /// Puts integers from the one with this number on.
    pub fn put(target: u32, at: u64, values: &[u64]) -> Self {
        Self::new(OSC_PUT, target, at, values.len() as u64).with(values, &SUM)
    }

    /// Gets some.
    pub fn get(target: u32, at: u64, count: u64) -> Self {
        Self::new(OSC_GET, target, at, count)
    }

    /// Accumulates.
    pub fn accumulate(target: u32, at: u64, values: &[u64], op: &'static Op) -> Self {
        Self::new(OSC_ACCUMULATE, target, at, values.len() as u64).with(values, op)
    }

    /// Accumulates, and fetches what was there before.
    pub fn get_accumulate(target: u32, at: u64, values: &[u64], op: &'static Op) -> Self {
        Self::new(OSC_GET_ACCUMULATE, target, at, values.len() as u64).with(values, op)
    }

    /// Fetches atomically, and changes nothing: with `MPI_NO_OP` there are no operands.
    pub fn fetch(target: u32, at: u64, count: u64) -> Self {
        Self { op: &super::NO_OP, ..Self::new(OSC_GET_ACCUMULATE, target, at, count) }
    }

    /// The same for one.
    pub fn fetch_and_op(target: u32, at: u64, value: u64, op: &'static Op) -> Self {
        Self::new(OSC_FETCH_OP, target, at, 1).with(&[value], op)
    }

    /// Compares and swaps.
    pub fn compare_and_swap(target: u32, at: u64, compare: u64, new: u64) -> Self {
        let compare = Some(compare);
        Self { compare, ..Self::new(OSC_COMPARE_SWAP, target, at, 1).with(&[new], &SUM) }
    }

    /// The origin's integers have gaps between them.
    #[must_use]
    pub fn gapped(mut self) -> Self {
        self.gaps = true;
        self
    }

    /// The target's have: every other one.
    #[must_use]
    pub fn gapped_there(mut self) -> Self {
        self.gaps_there = true;
        self
    }

    /// In a dynamic window: from an address on.
    #[must_use]
    pub fn from(mut self, address: u64) -> Self {
        self.at += address.cast_signed();
        self
    }
}

/// An operation that was started. Its result may be asked for when it is complete.
pub struct Pending {
    origin: *mut u64,
    origin_len: usize,
    result: *const u64,
    count: u64,
    step: usize,
    request: *mut Request,
}

// SAFETY: results and requests are for any thread.
unsafe impl Send for Pending {}

impl Pending {
    /// What it has fetched.
    ///
    /// # Errors
    /// When the gaps between have changed.
    pub fn values(&self) -> Result<Vec<u64>, String> {
        // SAFETY: the window keeps the buffer.
        let at = |place: usize| unsafe { self.result.add(place).read_volatile() };
        let places = 0..self.count as usize;
        let changed = |place: &usize| self.step == 2 && at(2 * place + 1) != GAP;
        if let Some(place) = places.clone().find(changed) {
            return Err(format!("the gap behind element {place} of a result was written to"));
        }
        Ok(places.map(|place| at(place * self.step)).collect())
    }

    /// The one value that it has fetched.
    ///
    /// # Errors
    /// As for [`Pending::values`].
    pub fn value(&self) -> Result<u64, String> {
        self.values().map(|values| values[0])
    }

    /// Writes something else to where the origin's integers were.
    pub fn spoil(&mut self) {
        for place in 0..self.origin_len {
            // SAFETY: the window keeps the buffer.
            unsafe { self.origin.add(place).write_volatile(0xdead_dead_dead_dead) };
        }
    }

    /// Waits for its request, and gives that back.
    ///
    /// # Errors
    /// As for [`Rank::poll`], and what the request says.
    pub fn wait(&mut self, rank: &Rank) -> Result<(), String> {
        let request = std::mem::replace(&mut self.request, null_mut());
        // SAFETY: a request of the component that was not given back.
        unsafe {
            rank.poll("a request", || (*request).is_complete())?;
            let error = (*request).status.error;
            ((*request).free.expect("it has one"))(request);
            if error == OK {
                Ok(())
            } else {
                Err(format!("a request ended with an error: {}", status_name(error)))
            }
        }
    }

    /// Gives the request back, complete or not.
    pub fn forget(&mut self) {
        let request = std::mem::replace(&mut self.request, null_mut());
        // SAFETY: as above.
        unsafe { ((*request).free.expect("it has one"))(request) };
    }
}

impl Win<'_> {
    fn inner(&self) -> &Inner {
        self.inner.as_ref().expect("it is open")
    }

    /// What components see of it.
    pub fn view(&self) -> &Window {
        &self.inner().window
    }

    fn keep(&self, values: Vec<u64>) -> *mut u64 {
        let mut values = values.into_boxed_slice();
        let first = values.as_mut_ptr();
        self.inner().kept.lock().expect("not poisoned").push(values);
        first
    }

    /// Starts an operation, with a request if it is `requested`.
    ///
    /// # Errors
    /// What the component says.
    pub fn start(&self, operation: &Operation, requested: bool) -> Result<Pending, String> {
        let Inner { window, state, .. } = self.inner();
        let gapped = self.rank.gapped().view();
        let kind = |gaps: bool| if gaps { from_ref(gapped) } else { &raw const LONG };
        let none = OscSide { buffer: null_mut(), count: 0, datatype: null() };
        let spread = |values: Vec<u64>, behind: u64| match operation.gaps {
            true => values.into_iter().flat_map(|value| [value, behind]).collect(),
            false => values,
        };
        let side = |first: *mut u64, count: u64| OscSide {
            buffer: first.cast(),
            count,
            datatype: kind(operation.gaps),
        };
        let origin = match &operation.origin {
            Some(values) => side(self.keep(spread(values.clone(), GAP)), values.len() as u64),
            None => none,
        };
        let result = match operation.fetches {
            true => {
                let places = vec![NO_RESULT; operation.count as usize];
                side(self.keep(spread(places, GAP)), operation.count)
            }
            false => none,
        };
        let compare = operation.compare.map_or(null_mut(), |value| self.keep(vec![value]));
        let transfer = OscTransfer {
            struct_size: size_of::<OscTransfer>() as u32,
            kind: operation.kind,
            target: operation.target,
            reserved: 0,
            origin,
            result,
            compare: compare.cast(),
            offset: operation.at,
            target_count: operation.count,
            target_datatype: kind(operation.gaps_there),
            op: operation.op,
        };
        let mut request = null_mut();
        let place = if requested { &raw mut request } else { null_mut() };
        let status = osc!(self.rank, transfer(window, *state, &transfer, place));
        checked("transfer", status)?;
        if requested {
            // SAFETY: null or a request of the component.
            let head = unsafe { request.as_ref() };
            let sound = head
                .is_some_and(|head| head.magic == REQUEST_MAGIC && head.kind == REQUEST_ONE_SIDED);
            if !sound {
                return Err("transfer stored no request of a one-sided operation".into());
            }
        }
        let step = if operation.gaps { 2 } else { 1 };
        let result = result.buffer.cast::<u64>().cast_const();
        let (origin, origin_len) = (origin.buffer.cast(), step * origin.count as usize);
        Ok(Pending { origin, origin_len, result, count: operation.count, step, request })
    }

    /// Starts an operation without a request.
    ///
    /// # Errors
    /// What the component says.
    pub fn run(&self, operation: Operation) -> Result<Pending, String> {
        self.start(&operation, false)
    }

    /// Integers of a target, in a lock epoch of their own.
    ///
    /// # Errors
    /// What the component says.
    pub fn look(&self, target: u32, at: u64, count: u64) -> Result<Vec<u64>, String> {
        self.lock(target, true)?;
        let found = self.run(Operation::get(target, at, count))?;
        self.unlock(target)?;
        found.values()
    }

    /// One of this rank's own integers, as a load sees it.
    pub fn own(&self, at: u64) -> u64 {
        // SAFETY: inside the window, and written by stores of whole integers at most.
        let word = unsafe { AtomicU64::from_ptr(self.view().base.cast::<u64>().add(at as usize)) };
        word.load(Ordering::Acquire)
    }

    /// Stores one.
    pub fn set_own(&self, at: u64, value: u64) {
        // SAFETY: as above.
        let word = unsafe { AtomicU64::from_ptr(self.view().base.cast::<u64>().add(at as usize)) };
        word.store(value, Ordering::Release);
    }

    /// Synchronizes.
    pub fn synchronize(&self, sync: &OscSync) -> OutcomeCode {
        let Inner { window, state, .. } = self.inner();
        osc!(self.rank, synchronize(window, *state, sync))
    }

    /// A synchronization that has only a kind.
    pub fn sync_of(kind: u32) -> OscSync {
        OscSync {
            struct_size: size_of::<OscSync>() as u32,
            kind,
            assertions: 0,
            target: -1,
            ranks: null(),
            rank_count: 0,
            shared: 0,
        }
    }

    fn done(&self, what: &str, sync: OscSync) -> Result<(), String> {
        match self.synchronize(&sync) {
            DONE => Ok(()),
            error if error < 0 => Err(format!("{what}: {}", take_reason("synchronize", error))),
            other => Err(format!("{what}: it returned {other}, not CAIRN_DONE")),
        }
    }

    fn simply(&self, what: &str, kind: u32) -> Result<(), String> {
        self.done(what, Self::sync_of(kind))
    }

    /// `MPI_Win_fence`.
    ///
    /// # Errors
    /// What the component says, as for all of these.
    pub fn fence(&self, assertions: u32) -> Result<(), String> {
        self.done("a fence", OscSync { assertions, ..Self::sync_of(OSC_FENCE) })
    }

    fn group(&self, what: &str, kind: u32, ranks: &[u32], assertions: u32) -> Result<(), String> {
        let (rank_count, ranks) = (ranks.len() as u32, ranks.as_ptr());
        self.done(what, OscSync { ranks, rank_count, assertions, ..Self::sync_of(kind) })
    }

    /// `MPI_Win_start`.
    #[allow(clippy::missing_errors_doc)] // said once, above
    pub fn begin(&self, targets: &[u32], assertions: u32) -> Result<(), String> {
        self.group("a start", OSC_START, targets, assertions)
    }

    /// `MPI_Win_complete`.
    #[allow(clippy::missing_errors_doc)] // said once, above
    pub fn complete(&self) -> Result<(), String> {
        self.simply("a complete", OSC_COMPLETE)
    }

    /// `MPI_Win_post`.
    #[allow(clippy::missing_errors_doc)] // said once, above
    pub fn post(&self, origins: &[u32], assertions: u32) -> Result<(), String> {
        self.group("a post", OSC_POST, origins, assertions)
    }

    /// `MPI_Win_wait`.
    #[allow(clippy::missing_errors_doc)] // said once, above
    pub fn wait(&self) -> Result<(), String> {
        self.simply("a wait", OSC_WAIT)
    }

    /// `MPI_Win_test`.
    #[allow(clippy::missing_errors_doc)] // said once, above
    pub fn test(&self) -> Result<bool, String> {
        match self.synchronize(&Self::sync_of(OSC_TEST)) {
            DONE => Ok(true),
            NOTHING => Ok(false),
            error if error < 0 => Err(format!("a test: {}", take_reason("synchronize", error))),
            other => Err(format!("a test returned {other}")),
        }
    }

    fn target(&self, what: &str, kind: u32, target: Option<u32>) -> Result<(), String> {
        let target = target.map_or(-1, |target| target as i32);
        self.done(what, OscSync { target, ..Self::sync_of(kind) })
    }

    /// `MPI_Win_lock`.
    #[allow(clippy::missing_errors_doc)] // said once, above
    pub fn lock(&self, target: u32, shared: bool) -> Result<(), String> {
        self.lock_with(target, shared, 0)
    }

    /// The same with assertions.
    #[allow(clippy::missing_errors_doc)] // said once, above
    pub fn lock_with(&self, target: u32, shared: bool, assertions: u32) -> Result<(), String> {
        let (target, shared) = (target as i32, u32::from(shared));
        self.done("a lock", OscSync { target, shared, assertions, ..Self::sync_of(OSC_LOCK) })
    }

    /// `MPI_Win_unlock`.
    #[allow(clippy::missing_errors_doc)] // said once, above
    pub fn unlock(&self, target: u32) -> Result<(), String> {
        self.target("an unlock", OSC_UNLOCK, Some(target))
    }

    /// `MPI_Win_lock_all`.
    #[allow(clippy::missing_errors_doc)] // said once, above
    pub fn lock_all(&self, assertions: u32) -> Result<(), String> {
        let sync = OscSync { assertions, shared: 1, ..Self::sync_of(OSC_LOCK_ALL) };
        self.done("a lock_all", sync)
    }

    /// `MPI_Win_unlock_all`.
    #[allow(clippy::missing_errors_doc)] // said once, above
    pub fn unlock_all(&self) -> Result<(), String> {
        self.simply("an unlock_all", OSC_UNLOCK_ALL)
    }

    /// `MPI_Win_flush` of one or all.
    #[allow(clippy::missing_errors_doc)] // said once, above
    pub fn flush(&self, target: Option<u32>) -> Result<(), String> {
        self.target("a flush", OSC_FLUSH, target)
    }

    /// `MPI_Win_flush_local` of one or all.
    #[allow(clippy::missing_errors_doc)] // said once, above
    pub fn flush_local(&self, target: Option<u32>) -> Result<(), String> {
        self.target("a flush_local", OSC_FLUSH_LOCAL, target)
    }

    /// `MPI_Win_sync`.
    #[allow(clippy::missing_errors_doc)] // said once, above
    pub fn sync(&self) -> Result<(), String> {
        self.simply("a sync", OSC_SYNC)
    }

    /// Attaches memory.
    pub fn attach(&self, base: *mut u64, integers: u64) -> Status {
        let Inner { window, state, .. } = self.inner();
        osc!(self.rank, attach(window, *state, base.cast(), 8 * integers, 1))
    }

    /// Detaches it.
    pub fn detach(&self, base: *mut u64) -> Status {
        let Inner { window, state, .. } = self.inner();
        osc!(self.rank, attach(window, *state, base.cast(), 0, 0))
    }

    /// Where the memory of a rank can be loaded and stored, if it can.
    ///
    /// # Errors
    /// What the component says.
    pub fn shared(&self, rank: u32) -> Result<*mut u64, String> {
        let Inner { window, state, .. } = self.inner();
        let mut base = null_mut();
        let status = osc!(self.rank, shared_query(window, *state, rank, &mut base));
        checked("shared_query", status)?;
        Ok(base.cast())
    }

    /// Its state, for a person: writes it, and returns its whole length.
    pub fn describe(&self, text: &mut [u8]) -> usize {
        let Inner { window, state, .. } = self.inner();
        osc!(self.rank, describe(window, *state, text.as_mut_ptr().cast(), text.len()))
    }

    /// Closes it, in all ranks.
    ///
    /// # Errors
    /// As for [`Rank::poll`].
    pub fn close(mut self) -> Result<(), String> {
        // Operations of all have ended (contract, "Life").
        self.rank.barrier()?;
        if let Some(mut inner) = self.inner.take() {
            osc!(self.rank, window_close(&mut inner.window, inner.state));
            self.rank.close_scopes(&mut inner);
        }
        Ok(())
    }
}

impl Drop for Win<'_> {
    fn drop(&mut self) {
        // The component may look at it at any time.
        std::mem::forget(self.inner.take());
    }
}
