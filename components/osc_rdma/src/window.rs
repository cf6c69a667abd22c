//! What the component keeps for a window, and how threads come to its state and wait for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering, fence};

use core::ffi::c_void;

use cairn_framework::abi::comm::Comm;
use cairn_framework::abi::host::{LOG_INFO, PROGRESS_EVERY_PASS, PROGRESS_SELDOM};
use cairn_framework::abi::peer::{PEER_FAILED, Peer};
use cairn_framework::abi::request::WaitSync;
use cairn_framework::abi::status::{Status, status_name};
use cairn_framework::audit::LockLevel;
use cairn_framework::author::counters::Counted;
use cairn_framework::author::{Failure, HostHandle, Mutex};
use cairn_framework::frameworks::osc::{WINDOW_ALLOCATE, WINDOW_CREATE, WINDOW_DYNAMIC, Window};
use cairn_framework::frameworks::pml::PmlHandle;
use cairn_rma::AccumulateLocks;

use crate::inbox::Inbox;
use crate::memory::Memory;
use crate::outgoing::Outgoing;
use crate::policy::Policy;
use crate::state::{State, Waiter};

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
    /// Receives that are posted.
    pub receives: usize,
}

/// A window.
pub struct RdmaWindow(Box<Shared>);

/// What the threads of a process share for a window.
pub struct Shared {
    pub host: HostHandle,
    pub pml: PmlHandle,
    pub policy: Policy,
    pub counters: Arc<Counted<Traffic>>,
    /// Of the elements of this process's memory.
    pub locks: AccumulateLocks,
    pub rank: u32,
    pub size: u32,
    comm: *const Comm,
    window: *const Window,
    pub sizes: Sizes,
    state: Mutex<State>,
    /// A pass came while another thread had the state.
    missed: AtomicBool,
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
        let pml = PmlHandle::find(host)?;
        let policy = Policy::open(host, &window.scope)?;
        let receives = if size > 1 { sizes.receives } else { 0 };
        let inbox = Inbox::open(&pml, window.comm(), receives, sizes.packet)?;
        let shared = Box::new(Shared {
            host,
            pml,
            policy,
            counters: Arc::clone(counters),
            locks: AccumulateLocks::default(),
            rank,
            size,
            comm: window.comm,
            window: &raw const *window,
            sizes,
            state: Mutex::at(LockLevel::WINDOW, State::new(inbox, memory, size)),
            missed: AtomicBool::new(false),
        });
        let context = shared.context();
        let opened = Self(shared);
        // SAFETY: `close` takes the callbacks back before the memory goes.
        let added = unsafe {
            host.progress_add(pass, context, PROGRESS_EVERY_PASS)
                .and_then(|()| host.progress_add(look, context, PROGRESS_SELDOM))
        };
        match added {
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
        shared.with(|state| state.inbox.cancel());
        // Packets that this process has sent are taken by the transport, or fail; receives are cancelled.
        loop {
            let ended = shared.with(|state| {
                state.collect(shared);
                state.inbox.close() && state.outbox.len() == 0
            });
            if ended {
                break;
            }
            shared.host.progress();
        }
        let context = shared.context();
        shared.host.progress_remove(pass, context);
        shared.host.progress_remove(look, context);
    }
}

impl Shared {
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

    /// Most bytes of a packet to a target: what its way sends at once.
    pub fn packet(&self, rank: u32, out: &mut Outgoing) -> usize {
        if out.packet == 0 {
            let peer = self.peers().nth(rank as usize);
            // Without a way the message fails, whatever its length.
            let connected = peer.filter(|peer| self.host.peer_connect(peer).is_ok());
            let limits = connected.into_iter().flat_map(|peer| peer.routes());
            // SAFETY: devices stay as long as the component system.
            let limit = limits.map(|route| unsafe { (*route.module).eager_limit } as usize).min();
            out.packet = limit.unwrap_or(usize::MAX).clamp(LEAST_PACKET, self.sizes.packet);
        }
        out.packet
    }

    /// Works on the state. `work` calls nothing that waits.
    #[inline]
    pub fn with<R>(&self, work: impl FnOnce(&mut State) -> R) -> R {
        let mut state = self.state.lock();
        let result = work(&mut state);
        state.signal();
        drop(state);
        self.catch_up();
        result
    }

    /// What a pass would have done that came while this thread had the state.
    fn catch_up(&self) {
        loop {
            // Pairs with the fence of a pass: it gets the lock, or what it has missed is seen here.
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
            state.drive(self);
            state.signal();
        }
    }

    /// A pass of the progress engine. Returns how much has happened.
    fn pass(&self) -> u32 {
        let state = self.state.try_lock().or_else(|| {
            self.missed.store(true, Ordering::Release);
            fence(Ordering::SeqCst);
            self.state.try_lock()
        });
        let Some(mut state) = state else { return 0 };
        let events = state.drive(self);
        state.signal();
        drop(state);
        self.catch_up();
        events
    }

    /// Looks for processes that have died.
    fn look(&self) -> u32 {
        if !self.peers().any(|peer| peer.is(PEER_FAILED)) {
            return 0;
        }
        let Some(mut state) = self.state.try_lock() else { return 0 };
        let mut dead = 0;
        for (rank, peer) in (0..).zip(self.peers()) {
            if peer.is(PEER_FAILED) && !state.outgoing[rank as usize].dead {
                state.bury(self, rank);
                dead += 1;
            }
        }
        state.signal();
        drop(state);
        self.catch_up();
        dead
    }

    /// Waits until `done` says that what the thread waits for has happened.
    ///
    /// # Errors
    /// Those of `done`, and when the window has lost its messages.
    pub fn wait(
        &self,
        mut done: impl FnMut(&mut State) -> Result<bool, Failure>,
    ) -> Result<(), Failure> {
        let mut ask = |state: &mut State| match done(state) {
            Ok(true) => Some(Ok(())),
            Ok(false) => state.check().err().map(Err),
            Err(failure) => Some(Err(failure)),
        };
        let mut result = None;
        let mut poll = || {
            result = self.with(&mut ask);
            result.is_some()
        };
        if poll() || self.host.job().poll_until(|_| self.host.progress(), &mut poll) {
            return result.unwrap_or(Ok(()));
        }
        loop {
            let sync = WaitSync::of(1);
            let mut waiter = Waiter { sync: &raw const sync, ask: &mut ask, result: None };
            // The list does not know how long it stays, which is until `leave`.
            let entry = (&raw mut waiter).cast::<Waiter<'static>>();
            let waits = self.with(|state| {
                // SAFETY: the lock is held.
                unsafe { (*entry).result = ((*entry).ask)(state) };
                // SAFETY: as above.
                let waits = unsafe { (*entry).result.is_none() };
                if waits {
                    state.enter(entry);
                }
                waits
            });
            let waited = if waits { self.host.wait(&sync) } else { Ok(()) };
            // Who wakes it holds the lock, so none is inside afterwards.
            let result = self.with(|state| {
                state.leave(entry);
                // SAFETY: the lock is held.
                unsafe { (*entry).result.take() }
            });
            if let Some(result) = result {
                return result;
            }
            waited?;
        }
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

/// Room for a header and something else.
pub const LEAST_PACKET: usize = 512;

unsafe extern "C" fn pass(shared: *mut c_void) -> u32 {
    // SAFETY: registered with a window that lives.
    unsafe { &*shared.cast::<Shared>() }.pass()
}

unsafe extern "C" fn look(shared: *mut c_void) -> u32 {
    // SAFETY: as above.
    unsafe { &*shared.cast::<Shared>() }.look()
}
