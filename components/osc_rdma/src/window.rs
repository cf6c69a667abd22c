//! What the component keeps for a window, and how threads come to its state and wait for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering, fence};

use core::ffi::c_void;

use cairn_framework::abi::btl::BTL_HEADER_ROOM;
use cairn_framework::abi::comm::Comm;
use cairn_framework::abi::host::{LOG_INFO, PROGRESS_EVERY_PASS, PROGRESS_SELDOM};
use cairn_framework::abi::peer::{PEER_FAILED, Peer};
use cairn_framework::abi::request::WaitSync;
use cairn_framework::abi::status::{Status, status_name};
use cairn_framework::audit::LockLevel;
use cairn_framework::author::counters::Counted;
use cairn_framework::author::{Failure, HostHandle, Mutex, MutexGuard};
use cairn_framework::frameworks::osc::{
    WINDOW_ALLOCATE, WINDOW_CREATE, WINDOW_DYNAMIC, WINDOW_THREADS, Window,
};
use cairn_rma::AccumulateLocks;

use crate::link::{Held, Link};
use crate::memory::Memory;
use crate::outgoing::Outgoing;
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
    /// Of the elements of this process's memory.
    pub locks: AccumulateLocks,
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
    /// Passes have something to do.
    busy: AtomicBool,
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
        let given = window.remotes()[rank as usize].size;
        let memory = match window.flavor {
            WINDOW_CREATE => Memory::of_program(window.base.cast(), given),
            WINDOW_ALLOCATE => Memory::allocate(given, window.alignment)?,
            WINDOW_DYNAMIC => Memory::dynamic(),
            _ => return Ok(None),
        };
        if window.flavor == WINDOW_ALLOCATE {
            window.base = memory.base.cast();
        }
        window.unified = 1;
        let policy = Policy::open(host, &window.scope)?;
        let port = ports.reserve()?;
        let shared = Box::new(Shared {
            host,
            port,
            policy,
            counters: Arc::clone(counters),
            locks: AccumulateLocks::default(),
            rank,
            size,
            comm: window.comm,
            window: &raw const *window,
            sizes,
            threads: window.flags & WINDOW_THREADS != 0,
            ports,
            state: Mutex::at(LockLevel::WINDOW, State::new(memory, &vec![0; size as usize])),
            early: Mutex::default(),
            missed: AtomicBool::new(false),
            busy: AtomicBool::new(false),
        });
        let context = shared.context();
        let opened = Self(shared);
        ports.open(&opened);
        // SAFETY: `close` takes the callbacks back before the memory goes.
        let added = unsafe {
            host.progress_add(pass, context, PROGRESS_EVERY_PASS)
                .and_then(|()| host.progress_add(look, context, PROGRESS_SELDOM))
        };
        match added.and_then(|()| opened.meet(window)) {
            Ok(()) => Ok(Some(opened)),
            Err(failure) => {
                opened.close();
                Err(failure)
            }
        }
    }

    /// Ends it. No operation is in flight.
    pub fn close(self) {
        let shared = &*self.0;
        // Packets that this process has sent are taken by the transport, or fail.
        while shared.with(|state| {
            state.drive(shared);
            state.is_stuck()
        }) {
            shared.host.progress();
        }
        shared.ports.close(shared.port);
        // No pass that has found the window goes on when these return.
        let context = shared.context();
        shared.host.progress_remove(pass, context);
        shared.host.progress_remove(look, context);
    }
}

impl Shared {
    /// Learns what the others call the window. Packets of those that know it already wait for that.
    fn meet(&self, window: &Window) -> Result<(), Failure> {
        let mut ports = vec![0_u32; self.size as usize];
        let (sent, received) = ((&raw const self.port).cast(), ports.as_mut_ptr().cast());
        // SAFETY: there is a place for each rank.
        let status =
            unsafe { (window.calls().allgather)(window, sent, received, size_of::<u32>()) };
        self.host.check(status)?;
        self.with(|state| {
            for (out, port) in state.outgoing.iter_mut().zip(ports) {
                out.port = port;
            }
            state.has_met = true;
            self.receive_early(state);
        });
        Ok(())
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
        let result = work(state);
        state.signal();
        let busy = state.is_busy();
        if busy != self.busy.load(Ordering::Relaxed) {
            self.busy.store(busy, Ordering::Relaxed);
        }
        result
    }

    /// What callbacks would have done that came while this thread had the state.
    fn catch_up(&self, held: Held) {
        loop {
            // Pairs with the fence of a callback: it gets the lock, or what it has left is seen here.
            fence(Ordering::SeqCst);
            if !self.missed.load(Ordering::Relaxed) || !self.missed.swap(false, Ordering::AcqRel) {
                return;
            }
            let Some(mut state) = self.state.try_lock() else {
                // Its holder looks when it has left the state.
                self.missed.store(true, Ordering::Release);
                fence(Ordering::SeqCst);
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
            fence(Ordering::SeqCst);
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
        if !self.peers().any(|peer| peer.is(PEER_FAILED)) {
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
