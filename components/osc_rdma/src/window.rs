//! What the component keeps for a window, and how threads come to its state and wait for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use core::ffi::c_void;

use cairn_framework::abi::btl::BTL_HEADER_ROOM;
use cairn_framework::abi::comm::Comm;
use cairn_framework::abi::host::{LOG_INFO, PROGRESS_EVERY_PASS, PROGRESS_SELDOM};
use cairn_framework::abi::peer::{PEER_FAILED, Peer};
use cairn_framework::abi::request::Request as RequestView;
use cairn_framework::abi::request::WaitSync;
use cairn_framework::abi::status::{ERR_PEER, OK, Status, status_name};
use cairn_framework::audit::LockLevel;
use cairn_framework::author::counters::Counted;
use cairn_framework::author::{Failure, HostHandle, Mutex, MutexGuard, Seldom};
use cairn_framework::frameworks::osc::{
    OSC_GET, OSC_PUT, OscTransfer, WINDOW_ALLOCATE, WINDOW_CREATE, WINDOW_DYNAMIC, WINDOW_THREADS,
    Window,
};
use cairn_framework::sync::full_fence;
use cairn_rma::{AccumulateLocks, Device, RemoteLock, Taker, Wish};

use crate::direct::{Direct, Hot, Pending, Went};
use crate::fence::Collective;
use crate::link::{Held, Link};
use crate::offer::{self, Offers, Own};
use crate::operation::Operation;
use crate::outgoing::{Hold, Outgoing};
use crate::policy::Policy;
use crate::ports::Ports;
use crate::state::{State, Waiter, died};

cairn_framework::counters! {
    /// What is counted of all windows.
    pub struct Traffic {
        messages: SUM, "messages", "Active messages of windows that were sent.";
        malformed: SUM, "messages", "Active messages of windows that made no sense.";
        refused: SUM, "operations", "Operations of peers that were refused.";
    }
}

/// What the parameters say.
#[derive(Clone, Copy)]
pub struct Sizes {
    /// Most bytes of a packet.
    pub packet: usize,
    /// Bytes that a target need not have handled.
    pub in_flight: u64,
    /// Of `LOAD_STORE` and the others.
    pub ways: u32,
}

/// A window.
pub struct RdmaWindow(Box<Shared>);

/// What the threads of a process share for a window.
pub struct Shared {
    pub host: HostHandle,
    /// What peers call the window.
    pub port: u32,
    pub policy: Policy,
    pub counters: Arc<Counted<Traffic>>,
    /// What others reach of this process's memory, until the window is closed.
    own: Option<Own>,
    offers: Offers,
    /// By target.
    hot: Box<[Hot]>,
    pub rank: u32,
    pub size: u32,
    comm: *const Comm,
    window: *const Window,
    pub sizes: Sizes,
    /// Several threads of the process may call.
    pub threads: bool,
    ports: &'static Ports,
    state: Mutex<State>,
    /// Packets that came while another thread had the state, or before this process could answer, in order.
    early: Mutex<Vec<Box<[u8]>>>,
    /// A callback came while another thread had the state.
    missed: AtomicBool,
    /// Something has happened to operations of devices that a thread may wait for.
    news: AtomicBool,
    /// Threads that wait for operations of devices.
    settling: AtomicU32,
    /// A device had no room for a flush that somebody waits for.
    again: AtomicBool,
    /// Operations that a device has refused late.
    returned: Mutex<Vec<Operation>>,
    has_returned: AtomicBool,
    /// Passes have something to do.
    busy: AtomicBool,
    /// Operations wait for the end of their epoch.
    held_back: AtomicBool,
    /// The window is of no use any more.
    lost: AtomicBool,
}

// SAFETY: window and communicator are the MPI layer's, constant, and stay as long as this.
unsafe impl Send for Shared {}
// SAFETY: see `Send`; the state is behind its lock.
unsafe impl Sync for Shared {}

impl core::ops::Deref for RdmaWindow {
    type Target = Shared;

    #[inline]
    fn deref(&self) -> &Shared {
        &self.0
    }
}

impl RdmaWindow {
    /// Makes a window, or leaves it to others: memory that all load and store is not to be had here.
    pub fn open(
        host: HostHandle,
        ports: &'static Ports,
        counters: &Arc<Counted<Traffic>>,
        sizes: Sizes,
        window: &mut Window,
    ) -> Result<Option<Self>, Failure> {
        let comm = window.comm();
        let (rank, size) = (comm.rank, comm.remote_size);
        if !matches!(window.flavor, WINDOW_CREATE | WINDOW_ALLOCATE | WINDOW_DYNAMIC) {
            return Ok(None);
        }
        let begun = Policy::open(host, &window.scope)
            .and_then(|policy| ports.reserve().map(|port| (policy, port)));
        let made = offer::make(host, window, sizes.ways, begun.is_ok());
        let (policy, port) = begun?;
        let (memory, own, offers) = made.inspect_err(|_| ports.close(port))?;
        if window.flavor == WINDOW_ALLOCATE {
            window.base = memory.base.cast();
        }
        window.unified = 1;
        let hot: Box<[Hot]> = (0..size).map(|_| Hot::default()).collect();
        if !memory.is_dynamic() {
            hot[rank as usize].find(|| Some(Direct::here(own.control(), memory.base)));
        }
        let state = State::new(memory, &hot);
        let shared = Box::new(Shared {
            host,
            port,
            policy,
            counters: Arc::clone(counters),
            own: Some(own),
            offers,
            hot,
            rank,
            size,
            comm: window.comm,
            window: &raw const *window,
            sizes,
            threads: window.flags & WINDOW_THREADS != 0,
            ports,
            state: Mutex::at(LockLevel::WINDOW, state),
            early: Mutex::default(),
            missed: AtomicBool::new(false),
            news: AtomicBool::new(false),
            settling: AtomicU32::new(0),
            again: AtomicBool::new(false),
            returned: Mutex::default(),
            has_returned: AtomicBool::new(false),
            busy: AtomicBool::new(false),
            held_back: AtomicBool::new(false),
            lost: AtomicBool::new(false),
        });
        let context = shared.context();
        let opened = Self(shared);
        ports.open(&opened);
        // SAFETY: `close` takes the callbacks back before the memory goes.
        let added = unsafe {
            host.progress_add(pass, context, PROGRESS_EVERY_PASS)
                .and_then(|()| host.progress_add(look, context, PROGRESS_SELDOM))
        };
        let met = opened.meet(window, added.is_ok());
        match added.and(met) {
            Ok(()) => Ok(Some(opened)),
            Err(failure) => {
                opened.close();
                Err(failure)
            }
        }
    }

    /// Ends it. No operation is in flight.
    pub fn close(mut self) {
        let shared = &*self.0;
        // Packets that this process has sent are taken by the transport, or fail; completions come.
        while shared.with(|state| {
            state.drive(shared);
            state.is_stuck()
        }) || !shared.hot.iter().filter_map(Hot::direct).all(Direct::is_idle)
        {
            shared.host.progress();
        }
        shared.ports.close(shared.port);
        // No pass that has found the window goes on when these return.
        let context = shared.context();
        shared.host.progress_remove(pass, context);
        shared.host.progress_remove(look, context);
        let shared = &mut *self.0;
        // The keys of others' memory go before these free it.
        shared.hot = Box::default();
        shared.wait_for_all();
        if let Some(own) = shared.own.take() {
            own.end();
        }
    }
}

impl Shared {
    /// Learns what the others call the window, and whether all are `able` to go on. Packets of those that know it already
    /// wait for that.
    fn meet(&self, window: &Window, able: bool) -> Result<(), Failure> {
        let own = if able { u64::from(self.port) } else { u64::MAX };
        let mut ports = vec![0_u64; self.size as usize];
        offer::gather(self.host, window, &[own], &mut ports)?;
        let ports: Result<Vec<u32>, _> = ports.into_iter().map(u32::try_from).collect();
        let ports = ports.map_err(|_| Failure::from("a process can't make the window"))?;
        self.with(|state| {
            for (out, port) in state.outgoing.iter_mut().zip(ports) {
                out.port = port;
            }
            state.has_met = true;
            self.receive_early(state);
        });
        Ok(())
    }

    /// Waits until all have come here, if any has keys of another, or until one has died: then nobody's keys matter.
    fn wait_for_all(&self) {
        if self.offers.is_empty() {
            return;
        }
        let Ok(barrier) = Collective::start(self, Box::default()) else { return };
        let is_over = || barrier.ended().is_some() || self.has_lost_one();
        while !is_over() {
            self.host.progress();
        }
    }

    /// Whether a process of the window has died.
    fn has_lost_one(&self) -> bool {
        self.peers().any(|peer| peer.is(PEER_FAILED))
    }

    fn context(&self) -> *mut c_void {
        (&raw const *self).cast_mut().cast()
    }

    pub fn comm(&self) -> &Comm {
        // SAFETY: see `Send`.
        unsafe { &*self.comm }
    }

    pub fn window(&self) -> &Window {
        // SAFETY: see `Send`.
        unsafe { &*self.window }
    }

    fn peers(&self) -> impl Iterator<Item = &Peer> {
        // SAFETY: a communicator has so many peers, which are never freed.
        let peers = unsafe { core::slice::from_raw_parts(self.comm().peers, self.size as usize) };
        // SAFETY: as above.
        peers.iter().map(|peer| unsafe { &**peer })
    }

    /// The way to a rank, which is connected when it is needed.
    ///
    /// # Errors
    /// There is none.
    pub fn link<'a>(&self, rank: u32, link: &'a mut Option<Link>) -> Result<&'a mut Link, Failure> {
        match link {
            Some(link) => Ok(link),
            None => self.connect(rank).map(|made| link.insert(made)),
        }
    }

    #[cold]
    fn connect(&self, rank: u32) -> Result<Link, Failure> {
        let peer = self.peers().nth(rank as usize).ok_or("there is no such rank")?;
        if peer.is(PEER_FAILED) {
            return Err(died());
        }
        self.host.peer_connect(peer)?;
        let route = peer.routes().first().ok_or("there is no route")?;
        Link::new(self.host, route, &self.window().scope, rank, self.threads)
    }

    /// Most bytes of a packet to a target: what its way sends at once.
    pub fn packet(&self, rank: u32, out: &mut Outgoing) -> usize {
        // Without a way the message fails, whatever its length.
        let most = self.link(rank, &mut out.link).map_or(LEAST_PACKET, |link| link.packet());
        most.clamp(LEAST_PACKET, self.sizes.packet)
    }

    /// What others reach of this process's memory.
    fn own(&self) -> &Own {
        match &self.own {
            Some(own) => own,
            None => unreachable!("the window is closed"),
        }
    }

    /// The locks of the elements of this process's memory.
    pub fn locks(&self) -> &AccumulateLocks {
        &self.own().control().locks
    }

    /// The lock of this process's memory.
    pub fn lock(&self) -> &RemoteLock {
        &self.own().control().lock
    }

    /// Who takes the locks of elements; `check` is `check_rank`.
    pub fn taker<'a>(&self, check: &'a dyn Fn(u32) -> Result<(), Failure>) -> Taker<'a> {
        Taker { rank: self.rank, atomics: self.offers.atomics, check }
    }

    /// An error when a rank has died.
    pub fn check_rank(&self, rank: u32) -> Result<(), Failure> {
        let failed = self.peers().nth(rank as usize).is_some_and(|peer| peer.is(PEER_FAILED));
        if failed { Err(died()) } else { Ok(()) }
    }

    /// What threads read of a rank without the state.
    #[inline]
    pub fn hot(&self, rank: u32) -> Option<&Hot> {
        self.hot.get(rank as usize)
    }

    /// Whether there are ways to memory of the window that need not its process.
    pub fn has_direct(&self) -> bool {
        !self.offers.is_empty()
    }

    /// Whether locks of the window can be taken without their targets.
    pub fn takes_locks(&self) -> bool {
        self.offers.locks
    }

    /// The way to a rank that needs not its process, if there is one. Connects to the rank when it is first asked for.
    pub fn find(&self, rank: u32) -> Option<&Direct> {
        let hot = self.hot(rank)?;
        if hot.is_known() || self.offers.is_empty() {
            return hot.direct();
        }
        hot.find(|| self.look_for(rank))
    }

    #[cold]
    fn look_for(&self, rank: u32) -> Option<Direct> {
        let (head, offers) = self.offers.of(rank)?;
        let peer = self.peers().nth(rank as usize)?;
        let len = self.window().remotes()[rank as usize].size as usize;
        if peer.is(PEER_FAILED) || offers.is_empty() {
            return None;
        }
        let not_used = |failure: &Failure| {
            self.host.log(LOG_INFO, || {
                format!("memory of rank {rank} is reached by messages: {failure}")
            });
        };
        self.host.peer_connect(peer).inspect_err(not_used).ok()?;
        let mut found = None;
        for (device, endpoint) in Device::routes(peer) {
            for offer in offers.iter().filter(|offer| offer.device == device.id()) {
                let opened = Direct::open(self, (device, endpoint), (head, offer), len);
                match opened.inspect_err(not_used) {
                    Ok(Some(direct)) if direct.is_mapped() => return Some(direct),
                    Ok(Some(direct)) => found = found.or(Some(direct)),
                    _ => {}
                }
            }
        }
        found
    }

    /// Starts an operation.
    ///
    /// # Errors
    /// It was not started.
    ///
    /// # Safety
    /// The transfer is valid, and what it names is there until the operation is complete.
    #[inline]
    pub unsafe fn start(
        &self,
        transfer: &OscTransfer,
        requested: bool,
    ) -> Result<Option<*mut RequestView>, Failure> {
        if let Some(hot) = self.hot(transfer.target)
            && hot.is_open()
            && let Some(direct) = hot.direct()
            // SAFETY: promised by the caller.
            && let Went::Out(request) = unsafe { direct.start(self, hot, transfer, requested)? }
        {
            return Ok(request);
        }
        // SAFETY: as above.
        unsafe { self.start_otherwise(transfer, requested) }
    }

    /// The same where the target is not known to be ready, or no way is, or none takes the operation.
    ///
    /// # Safety
    /// As for `start`.
    #[cold]
    unsafe fn start_otherwise(
        &self,
        transfer: &OscTransfer,
        requested: bool,
    ) -> Result<Option<*mut RequestView>, Failure> {
        let rank = transfer.target;
        if self.has_direct()
            && let Some(hot) = self.hot(rank)
        {
            let known = hot.is_known();
            if let Some(direct) = self.find(rank) {
                // Where it is open there is a lock already, or no need for one.
                let taken =
                    self.takes_locks() && !hot.is_open() && self.take_lock(rank)? == Some(true);
                if (taken || !known) && hot.is_open() {
                    // SAFETY: promised by the caller.
                    let went = unsafe { direct.start(self, hot, transfer, requested)? };
                    if let Went::Out(request) = went {
                        return Ok(request);
                    }
                }
                let moves = matches!(transfer.kind, OSC_PUT | OSC_GET);
                if !moves && self.window().ordering != 0 && direct.has_atomics() {
                    self.settle(rank..rank + 1, true)?;
                }
            }
        }
        let (started, goes_on) = self.with(|state| {
            // SAFETY: as above.
            let started = unsafe { state.start(self, transfer, requested) };
            let decision = state.decision;
            (started, state.outgoing.get(rank as usize).is_some_and(|out| out.goes_on(decision)))
        });
        // A program that computes between operations makes no other calls in which they could go on.
        if goes_on && rank != self.rank {
            self.host.progress();
        }
        started
    }

    /// Takes the lock of a target that the program has locked, if it is free and no other one that was locked before
    /// is still to be had. `None`: it is had already, or takes a message.
    pub fn take_lock(&self, rank: u32) -> Result<Option<bool>, Failure> {
        if rank == self.rank {
            return Ok(None);
        }
        let Some(direct) = self.find(rank) else { return Ok(None) };
        let wanted = self.with(|state| {
            let out = &state.outgoing[rank as usize];
            match out.hold {
                // Where operations wait it was in vain before.
                Hold::Wanted { shared }
                    if out.queue.is_empty() && state.order.is_next(&state.outgoing, rank) =>
                {
                    // No other thread asks meanwhile.
                    state.outgoing[rank as usize].hold = Hold::Taking { shared };
                    Some(shared)
                }
                _ => None,
            }
        });
        let Some(shared) = wanted else { return Ok(None) };
        let taken = match direct.take_lock(self, self.wish(shared)) {
            None => Ok(None),
            Some(taken) => taken.map(Some),
        };
        self.with(|state| {
            let out = &mut state.outgoing[rank as usize];
            if out.hold != (Hold::Taking { shared }) {
                return Ok(());
            }
            state.note_change();
            let out = &mut state.outgoing[rank as usize];
            match taken {
                Ok(Some(true)) => {
                    out.hold = Hold::Taken { shared };
                    out.set_ready(true);
                    state.order.leave(rank);
                    state.pump(self, rank);
                }
                Ok(_) => {
                    out.hold = Hold::Wanted { shared };
                    // Other threads may have had operations meanwhile, and found that it is being taken.
                    if !out.queue.is_empty() {
                        state.begin(self, rank)?;
                    }
                }
                Err(_) => {
                    out.hold = Hold::Refused;
                    state.order.leave(rank);
                    // This process may have it, and does not know.
                    state.tell_released(self, rank, true);
                }
            }
            state.ask_next(self);
            Ok::<_, Failure>(())
        })?;
        taken
    }

    /// What a lock is taken for.
    fn wish(&self, shared: bool) -> Wish {
        if shared { Wish::Shared } else { Wish::Exclusive(self.rank) }
    }

    /// Gives back a lock that was taken without its target, which is told if somebody waits there, and if nobody can have
    /// it any more.
    pub fn release_lock(&self, rank: u32, shared: bool) -> Result<(), Failure> {
        let Some(direct) = self.hot(rank).and_then(Hot::direct) else { return Ok(()) };
        let released = direct.release_lock(self, self.wish(shared));
        if !matches!(released, Ok(false)) {
            self.with(|state| state.tell_released(self, rank, released.is_err()));
        }
        released.map(drop)
    }

    /// Waits until what any thread has issued of devices' operations before is done, at the targets if `remote`.
    ///
    /// # Errors
    /// What went wrong with one of them, once.
    pub fn settle(&self, targets: core::ops::Range<u32>, remote: bool) -> Result<(), Failure> {
        if self.offers.is_empty() {
            return Ok(());
        }
        // What was stored comes before what the synchronisation tells others.
        full_fence();
        let (mut pending, mut atomics) = (Vec::new(), Vec::new());
        for target in targets {
            let Some(direct) = self.hot(target).and_then(Hot::direct) else { continue };
            let issued = direct.atomics();
            if remote && issued > 0 {
                atomics.push((direct, issued));
            }
            direct.pending(remote, &mut pending);
        }
        let is_over = |pending: &mut Vec<Pending<'_>>, held: Held| {
            // All are asked, so that all begin to flush.
            pending.iter_mut().filter_map(|one| (!one.is_over(self, held)).then_some(())).count()
                == 0
        };
        let none = core::ptr::null();
        let poll = |pending: &mut Vec<Pending<'_>>| {
            let pass = |_| self.host.progress();
            self.host.job().poll_until(pass, || is_over(pending, none))
        };
        if !is_over(&mut pending, none) && !poll(&mut pending) {
            // Pairs with the fence of `has_news`: that sees this thread, or this thread what has happened.
            self.settling.fetch_add(1, Ordering::SeqCst);
            full_fence();
            let waited = self.wait(|state| Ok(is_over(&mut pending, state.held)));
            self.settling.fetch_sub(1, Ordering::Relaxed);
            waited?;
        }
        atomics.into_iter().for_each(|(direct, issued)| direct.flushed(issued));
        let errors = pending.iter().map(|one| one.stream.take_error());
        match errors.fold(OK, |first, next| if first == OK { next } else { first }) {
            OK => Ok(()),
            ERR_PEER => Err(died()),
            status => Err(Failure::new(status, "an operation failed at its target")),
        }
    }

    /// Whether something that went to the targets by messages is not over, or operations wait that a synchronisation lets
    /// go, whatever its targets.
    pub fn is_busy(&self, mut targets: core::ops::Range<u32>) -> bool {
        self.has_returned()
            || self.held_back.load(Ordering::Relaxed)
            || targets.any(|rank| self.hot(rank).is_none_or(Hot::is_busy))
    }

    /// Whether the window is of no use any more.
    pub fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Acquire)
    }

    /// Makes progress now and then, for what else goes on: a thread may do nothing but flush while it waits.
    pub fn pass_by(&self) {
        /// Calls of a thread between two passes.
        static CALLS: Seldom = Seldom::new(64);
        if CALLS.is_due() {
            self.host.progress();
        }
    }

    /// A device does not do an operation after all: it goes by messages. From a callback.
    pub fn give_back(&self, operation: Operation) {
        let mut returned = self.returned.lock();
        returned.push(operation);
        self.has_returned.store(true, Ordering::Release);
        drop(returned);
        self.missed.store(true, Ordering::Release);
    }

    /// Whether there are such operations that are not with the others yet.
    pub fn has_returned(&self) -> bool {
        self.has_returned.load(Ordering::Acquire)
    }

    /// Something has happened to operations of devices, with the lock of a CRI held.
    pub fn has_news(&self, held: Held) {
        full_fence();
        if self.settling.load(Ordering::Relaxed) == 0 && !self.has_returned.load(Ordering::Relaxed)
        {
            return;
        }
        self.news.store(true, Ordering::Release);
        let Some(mut state) = self.try_state(|| ()) else { return };
        self.in_state(&mut state, held, |_| ());
        drop(state);
        self.catch_up(held);
    }

    /// What a thread waits for has to be tried again, in the next pass.
    pub fn try_again(&self) {
        self.again.store(true, Ordering::Release);
    }

    /// Works on the state. `work` calls nothing that waits.
    #[inline]
    pub fn with<R>(&self, work: impl FnOnce(&mut State) -> R) -> R {
        let mut state = self.state.lock();
        let result = self.in_state(&mut state, core::ptr::null(), work);
        drop(state);
        self.catch_up(core::ptr::null());
        result
    }

    /// The same with the lock held; `held` is the CRI whose lock the thread holds besides.
    #[inline]
    fn in_state<R>(&self, state: &mut State, held: Held, work: impl FnOnce(&mut State) -> R) -> R {
        state.held = held;
        if self.news.load(Ordering::Relaxed) && self.news.swap(false, Ordering::AcqRel) {
            state.note_change();
        }
        if self.has_returned.load(Ordering::Acquire) {
            let returned = core::mem::take(&mut *self.returned.lock());
            returned.into_iter().for_each(|operation| state.take_back(self, operation));
            // A flush sees an operation here or in its queue.
            let more = self.returned.lock();
            self.has_returned.store(!more.is_empty(), Ordering::Release);
        }
        let result = work(state);
        state.signal();
        if state.is_lost() {
            self.lost.store(true, Ordering::Release);
        }
        let busy = state.is_busy();
        if busy != self.busy.load(Ordering::Relaxed) {
            self.busy.store(busy, Ordering::Relaxed);
        }
        let held_back = !state.behind.is_empty();
        if held_back != self.held_back.load(Ordering::Relaxed) {
            self.held_back.store(held_back, Ordering::Relaxed);
        }
        result
    }

    /// What callbacks would have done that came while this thread had the state.
    fn catch_up(&self, held: Held) {
        loop {
            // Pairs with the fence of a callback: it gets the lock, or what it has left is seen here.
            full_fence();
            if !self.missed.load(Ordering::Relaxed) || !self.missed.swap(false, Ordering::AcqRel) {
                return;
            }
            let Some(mut state) = self.state.try_lock() else {
                // Its holder looks when it has left the state.
                self.missed.store(true, Ordering::Release);
                full_fence();
                match self.state.try_lock() {
                    Some(state) => drop(state),
                    None => return,
                }
                continue;
            };
            self.in_state(&mut state, held, |state| {
                self.receive_early(state);
                state.drive(self)
            });
        }
    }

    /// The state, if no other thread has it; otherwise that thread does what was `left` for it.
    fn try_state(&self, left: impl FnOnce()) -> Option<MutexGuard<'_, State>> {
        self.state.try_lock().or_else(|| {
            left();
            self.missed.store(true, Ordering::Release);
            full_fence();
            self.state.try_lock()
        })
    }

    /// Packets that came while another thread had the state. They come before those that come later.
    fn receive_early(&self, state: &mut State) {
        while state.has_met {
            let early = core::mem::take(&mut *self.early.lock());
            if early.is_empty() {
                return;
            }
            early.iter().for_each(|packet| state.receive(self, packet));
        }
    }

    /// A packet has arrived, with the lock of a CRI held.
    pub fn receive(&self, packet: &[u8], held: Held) {
        let mut kept = false;
        let state = self.try_state(|| {
            self.early.lock().push(packet.into());
            kept = true;
        });
        let Some(mut state) = state else { return };
        self.in_state(&mut state, held, |state| {
            self.receive_early(state);
            match state.has_met {
                true if !kept => state.receive(self, packet),
                false if !kept => self.early.lock().push(packet.into()),
                _ => {}
            }
        });
        drop(state);
        self.catch_up(held);
    }

    /// A pass of the progress engine. Returns how much has happened.
    fn pass(&self) -> u32 {
        if self.again.load(Ordering::Relaxed) && self.again.swap(false, Ordering::AcqRel) {
            self.has_news(core::ptr::null());
        }
        if !self.busy.load(Ordering::Relaxed) && !self.missed.load(Ordering::Relaxed) {
            return 0;
        }
        let Some(mut state) = self.try_state(|| ()) else { return 0 };
        let events = self.in_state(&mut state, core::ptr::null(), |state| {
            self.receive_early(state);
            state.drive(self)
        });
        drop(state);
        self.catch_up(core::ptr::null());
        events
    }

    /// Looks for processes that have died.
    fn look(&self) -> u32 {
        if !self.has_lost_one() {
            return 0;
        }
        let Some(mut state) = self.state.try_lock() else { return 0 };
        let dead = self.in_state(&mut state, core::ptr::null(), |state| {
            let mut dead = 0;
            for (rank, peer) in (0..).zip(self.peers()) {
                if peer.is(PEER_FAILED) && !state.outgoing[rank as usize].dead {
                    state.bury(self, rank);
                    dead += 1;
                }
            }
            dead
        });
        drop(state);
        self.catch_up(core::ptr::null());
        dead
    }

    /// Waits until `done` says that what the thread waits for has happened. Whether that was not so at once.
    ///
    /// # Errors
    /// Those of `done`, and when the window has lost its messages.
    pub fn wait(
        &self,
        mut done: impl FnMut(&mut State) -> Result<bool, Failure>,
    ) -> Result<bool, Failure> {
        let mut ask = |state: &mut State| match done(state) {
            Ok(true) => Some(Ok(())),
            Ok(false) => state.check().err().map(Err),
            Err(failure) => Some(Err(failure)),
        };
        let sync = WaitSync::of(1);
        let mut waiter = Waiter { sync: &raw const sync, ask: &mut ask, result: None };
        // The list does not know how long it stays, which is until it is woken or `leave`.
        let entry = (&raw mut waiter).cast::<Waiter<'static>>();
        let at_once = self.with(|state| {
            // SAFETY: the lock is held.
            let result = unsafe { ((*entry).ask)(state) };
            if result.is_none() {
                state.enter(entry);
            }
            result
        });
        if let Some(result) = at_once {
            return result.map(|()| false);
        }
        let mut waited = Ok(());
        if !self.host.job().poll_until(|_| self.host.progress(), || sync.is_complete()) {
            waited = self.host.wait(&sync);
        }
        if !sync.is_complete() {
            // Who wakes it holds the lock, so none is inside afterwards.
            self.with(|state| state.leave(entry));
        }
        // SAFETY: it has left the list, and its result was written before.
        let result = unsafe { (*entry).result.take() };
        result.unwrap_or(waited).map(|()| true)
    }

    /// A peer has sent what makes no sense.
    #[cold]
    pub fn malformed(&self, source: u32) {
        self.counters.malformed.add_shared(1);
        self.host
            .log(LOG_INFO, || format!("rank {source} has sent what is no message of a window"));
    }

    /// An operation of a peer was not done.
    #[cold]
    pub fn refused(&self, source: u32, status: Status) {
        self.counters.refused.add_shared(1);
        let what = status_name(status);
        self.host.log(LOG_INFO, || format!("an operation of rank {source} was refused: {what}"));
    }
}

/// Every transport sends so much at once.
pub const LEAST_PACKET: usize = BTL_HEADER_ROOM;

unsafe extern "C" fn pass(shared: *mut c_void) -> u32 {
    // SAFETY: registered with a window that lives.
    unsafe { &*shared.cast::<Shared>() }.pass()
}

unsafe extern "C" fn look(shared: *mut c_void) -> u32 {
    // SAFETY: as above.
    unsafe { &*shared.cast::<Shared>() }.look()
}
