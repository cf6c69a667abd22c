//! Operations in which processes wait for one that has died.
//!
//! Transports notice the end of a process that they had to do with, and when a board was made every
//! process had to do with the first of its communicator. So of those that live, one at least learns of
//! each death, and breaks the board for all, also if it does not wait there itself: it may have done its part.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use cairn_framework::abi::comm::Comm;
use cairn_framework::abi::host::PROGRESS_SELDOM;
use cairn_framework::abi::peer::{PEER_FAILED, Peer};
use cairn_framework::author::{Failure, HostHandle, Mutex};

use cairn_segment::pace::Pace;

use crate::board::Board;
use crate::flag::Count;
use crate::setup::Shared;

/// What the processes of a communicator share, and how far this one is.
pub struct Member {
    pub shared: Shared,
    count: Count,
    /// An operation has failed in the middle, so this process may be in another turn than the others. Used as
    /// `count`.
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

    /// How far this process is, and the others as far as it knows.
    #[inline]
    pub fn count(&self) -> &Count {
        &self.count
    }

    /// An operation has failed: there are none any more, also for others, which would wait for this process.
    #[cold]
    pub fn fail(&self) {
        self.failed.store(true, Ordering::Relaxed);
        self.shared.break_off();
    }

    /// Whether one has failed.
    #[inline]
    pub fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
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
    /// Looks so far, for whose turn it is of those where no thread of this process waits.
    looks: AtomicU32,
}

/// So many of those are looked at each time.
const AT_A_TIME: usize = 8;

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
        let [waits, failed] = [const { AtomicBool::new(false) }; 2];
        let member = Arc::new(Member {
            shared,
            count: Count::default(),
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
        // One look at a time has the list.
        let number = self.looks.load(Ordering::Relaxed);
        self.looks.store(number.wrapping_add(1), Ordering::Relaxed);
        let rounds = members.len().div_ceil(AT_A_TIME);
        let round = number as usize % rounds.max(1);
        let mut broken = 0;
        for (place, member) in members.iter().enumerate() {
            let waits = member.waits.load(Ordering::Relaxed);
            // Where one waits it is broken again, should the one that did it have died meanwhile.
            let others = || place / AT_A_TIME == round && !member.board().is_broken();
            if (waits || others()) && member.has_lost() {
                member.shared.break_off();
                broken += 1;
            }
        }
        broken
    }
}

/// The progress callback.
unsafe extern "C" fn look(deaths: *mut c_void) -> u32 {
    // SAFETY: registered with one that lives.
    unsafe { &*deaths.cast::<Deaths>() }.look()
}
