//! What the component keeps for a window.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

use cairn_framework::abi::peer::{PEER_FAILED, Peer};
use cairn_framework::abi::status::ERR_PEER;
use cairn_framework::author::{Failure, Mutex};

use crate::control::Control;
use crate::deaths::Deaths;
use cairn_rma::{Key, Registration};
use cairn_segment::Segment;

/// A window.
pub struct SmWindow {
    /// Where the memory of each rank lies here.
    pub bases: Box<[*mut u8]>,
    pub shared: Arc<Shared>,
    /// By target: how this process has locked it.
    pub held: Box<[AtomicU8]>,
    /// By target: posts that were met by a start.
    pub met: Box<[AtomicU32]>,
    /// Targets of the access epoch that `start` has begun.
    pub started: Mutex<Vec<u32>>,
    /// Completions that there are when the exposure epoch is over.
    pub expected: AtomicU32,
    pub deaths: Arc<Deaths>,
    /// Of the memory of others. Released before what is this process's own ends, which is `window_close`'s.
    pub keys: Vec<Key>,
    pub segments: Vec<Segment>,
    pub own: Own,
}

/// The memory of this process that was made for a window.
#[derive(Default)]
pub struct Own {
    pub registrations: Vec<Registration>,
    pub heap: Vec<Heap>,
    /// Where no transport gives memory.
    pub segment: Option<Segment>,
}

/// Memory that no other process maps.
pub struct Heap {
    pub base: *mut u8,
    layout: Layout,
}

/// What the control blocks are needed for by threads that do not have the window.
pub struct Shared {
    pub rank: u32,
    pub size: u32,
    /// By rank.
    pub controls: Box<[*const Control]>,
    peers: Box<[*const Peer]>,
    /// Threads of this process that wait. Where one that waits is not seen, it is soon.
    pub waiting: AtomicU32,
}

// SAFETY: the memory stays as long as the window, and what processes share in it is atomic, or for the program
// to take care of; peers are the host's, which never frees them.
unsafe impl Send for SmWindow {}
// SAFETY: see `Send`.
unsafe impl Sync for SmWindow {}
// SAFETY: as above; `deaths` drops it before the window is closed.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}
// SAFETY: it is memory that its owner frees.
unsafe impl Send for Heap {}
// SAFETY: as above.
unsafe impl Sync for Heap {}

impl Heap {
    /// Zeros.
    pub fn new(len: usize, alignment: usize) -> Result<Self, Failure> {
        let none = || Failure::new(cairn_framework::abi::status::ERR_RESOURCES, "no memory");
        let layout = Layout::from_size_align(len.max(1), alignment).map_err(|_| none())?;
        // SAFETY: there is a byte at least.
        let base = unsafe { alloc_zeroed(layout) };
        if base.is_null() { Err(none()) } else { Ok(Self { base, layout }) }
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        // SAFETY: `new` got it so.
        unsafe { dealloc(self.base, self.layout) };
    }
}

impl Own {
    /// Ends all of it.
    pub fn end(self) {
        self.registrations.into_iter().for_each(Registration::end);
    }
}

impl Shared {
    pub fn new(rank: u32, controls: Box<[*const Control]>, peers: Box<[*const Peer]>) -> Self {
        let size = controls.len() as u32;
        Self { rank, size, controls, peers, waiting: AtomicU32::new(0) }
    }

    /// The control block of a rank.
    #[inline]
    pub fn control(&self, rank: u32) -> &Control {
        // SAFETY: mapped as long as the window.
        unsafe { &*self.controls[rank as usize] }
    }

    /// That of this process.
    pub fn own(&self) -> &Control {
        self.control(self.rank)
    }

    /// How often a rank has posted to another one.
    pub fn posts(&self, from: u32, to: u32) -> &AtomicU32 {
        assert!(from < self.size);
        // SAFETY: control blocks are made for all ranks.
        unsafe { self.control(to).posts(from) }
    }

    /// Whether a process of the window has died, as far as this one knows.
    pub fn has_lost(&self) -> bool {
        // SAFETY: peers are never freed.
        self.peers.iter().any(|peer| unsafe { (**peer).is(PEER_FAILED) })
    }

    /// An error when one has, as far as any knows.
    pub fn check(&self) -> Result<(), Failure> {
        if self.own().is_broken() { Err(lost()) } else { Ok(()) }
    }

    /// An error when a rank has died, or any process of the window.
    pub fn check_rank(&self, rank: u32) -> Result<(), Failure> {
        let peer = self.peers.get(rank as usize);
        // SAFETY: as above.
        if peer.is_some_and(|peer| unsafe { (**peer).is(PEER_FAILED) }) {
            return Err(lost());
        }
        self.check()
    }

    /// A process has died: ends all waits on the window.
    pub fn break_off(&self) {
        (0..self.size).for_each(|rank| self.control(rank).break_off());
        (0..self.size).for_each(|rank| self.control(rank).tell());
    }

    /// Around a wait.
    pub fn waiting<R>(&self, wait: impl FnOnce() -> R) -> R {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let result = wait();
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        result
    }
}

#[cold]
pub fn lost() -> Failure {
    Failure::new(ERR_PEER, "a process of the window has died")
}
