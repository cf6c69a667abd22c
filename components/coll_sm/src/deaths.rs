//! Operations in which processes wait for one that has died.
//!
//! Transports notice the end of a process that they had to do with, and when a board was made every
//! process had to do with the first of its communicator. So of those that live, one at least learns of
//! each death, and breaks the board for all.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use cairn_framework::abi::comm::Comm;
use cairn_framework::abi::host::PROGRESS_SELDOM;
use cairn_framework::abi::peer::{PEER_FAILED, Peer};
use cairn_framework::author::{Failure, HostHandle, Mutex, wake_sleepers};

use cairn_segment::pace::Pace;

use crate::board::Board;
use crate::flag::Turn;
use crate::setup::Shared;

/// What the processes of a communicator share, and how far this one is.
pub struct Member {
    pub shared: Shared,
    /// The last turn that it has begun; the thread that has an operation on the communicator alone uses this and
    /// the next, so Relaxed.
    turn: AtomicU32,
    /// All processes are known to have begun this turn.
    all: AtomicU32,
    /// An operation has failed in the middle, so this process may be in another turn than the others. Used as `turn`.
    failed: AtomicBool,
    /// How bytes are copied to slots.
    pub pace: Pace,
    peers: *const *mut Peer,
    size: u32,
    /// A thread of this process waits. Where that waits or has just left, a look at the board does no
    /// harm, so Relaxed.
    waits: AtomicBool,
}

// SAFETY: the peers are the host's, for any thread, and stay as long as the communicator, which outlives
// the member; the rest is for any thread.
unsafe impl Send for Member {}
// SAFETY: see `Send`.
unsafe impl Sync for Member {}

impl Member {
    pub fn board(&self) -> &Board {
        self.shared.board()
    }

    /// Begins the next turn.
    #[inline]
    pub fn begin(&self) -> Turn {
        let turn = Turn::of(self.turn.load(Ordering::Relaxed)).next();
        self.turn.store(turn.number(), Ordering::Relaxed);
        turn
    }

    /// An operation has failed: there are none any more.
    #[cold]
    pub fn fail(&self) {
        self.failed.store(true, Ordering::Relaxed);
    }

    /// This process can't go on, so the others are not to wait for it.
    #[cold]
    pub fn lose(&self) {
        self.fail();
        self.break_off();
    }

    /// Whether one has failed.
    #[inline]
    pub fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    /// All processes have begun a turn.
    #[inline]
    pub fn all_have(&self, turn: Turn) {
        self.all.store(turn.number(), Ordering::Relaxed);
    }

    /// Whether all processes are known to have begun a turn.
    #[inline]
    pub fn have_all(&self, turn: Turn) -> bool {
        Turn::of(self.all.load(Ordering::Relaxed)).is_from(turn)
    }

    /// Nobody is to wait any more.
    #[cold]
    pub fn break_off(&self) {
        let board = self.board();
        // The board first: whoever goes to sleep on a flag looks at it.
        if board.break_off() {
            wake_sleepers(board.word());
        }
        for flag in self.shared.flags() {
            if flag.break_off() {
                wake_sleepers(flag.word());
            }
        }
    }

    /// Around the wait of a thread.
    pub fn waiting<R>(&self, wait: impl FnOnce() -> R) -> R {
        self.waits.store(true, Ordering::Relaxed);
        let result = wait();
        self.waits.store(false, Ordering::Relaxed);
        result
    }

    /// Whether a process of the communicator has ended.
    pub fn has_lost(&self) -> bool {
        // SAFETY: a communicator has so many peers; they stay.
        (0..self.size as usize).any(|rank| unsafe { (**self.peers.add(rank)).is(PEER_FAILED) })
    }
}

/// The boards of a process.
#[derive(Default)]
pub struct Deaths {
    members: Mutex<Vec<Arc<Member>>>,
    /// How many those are.
    count: AtomicU32,
}

impl Deaths {
    /// Looks from time to time, for as long as the component is open.
    pub fn watch(host: HostHandle) -> Result<Arc<Self>, Failure> {
        let deaths = Arc::new(Self::default());
        let context = Arc::as_ptr(&deaths).cast_mut().cast();
        // SAFETY: the component has it as long as it is open, and then the host has taken the callback
        // back.
        unsafe { host.progress_add(look, context, PROGRESS_SELDOM)? };
        Ok(deaths)
    }

    /// A board was made.
    pub fn add(&self, comm: &Comm, shared: Shared) -> Arc<Member> {
        let (peers, size) = (comm.peers, comm.remote_size);
        let [turn, all] = [Turn::BEFORE; 2].map(|turn| AtomicU32::new(turn.number()));
        let [waits, failed] = [const { AtomicBool::new(false) }; 2];
        let member = Arc::new(Member {
            shared,
            turn,
            all,
            failed,
            pace: Pace::default(),
            peers,
            size,
            waits,
        });
        let mut members = self.members.lock();
        members.push(Arc::clone(&member));
        self.count.store(members.len() as u32, Ordering::Relaxed);
        member
    }

    /// A communicator is freed.
    pub fn remove(&self, member: &Arc<Member>) {
        let mut members = self.members.lock();
        members.retain(|other| !Arc::ptr_eq(other, member));
        self.count.store(members.len() as u32, Ordering::Relaxed);
    }

    /// Breaks the boards that lead nowhere any more. Returns how many.
    fn look(&self) -> u32 {
        if self.count.load(Ordering::Relaxed) == 0 {
            return 0;
        }
        let Some(members) = self.members.try_lock() else { return 0 };
        let waits = |member: &&Arc<Member>| member.waits.load(Ordering::Relaxed);
        let mut broken = 0;
        for member in members.iter().filter(waits).filter(|member| member.has_lost()) {
            member.break_off();
            broken += 1;
        }
        broken
    }
}

/// The progress callback.
unsafe extern "C" fn look(deaths: *mut c_void) -> u32 {
    // SAFETY: registered with one that lives.
    unsafe { &*deaths.cast::<Deaths>() }.look()
}
