//! What a communicator keeps of partitioned communication: the numbers that were used, and the sends and
//! receives that have not met. `meeting` works on it.

use std::collections::VecDeque;
use std::ffi::c_int;
use std::sync::atomic::{AtomicU32, Ordering};

use cairn_framework::abi::request::Request as View;
use cairn_framework::audit::LockLevel;
use cairn_framework::author::Mutex;

use super::inbox::Cut;
use crate::abi::generated::constants::MPI_ERR_NO_MEM;
use crate::error::{Error, Result};
use crate::objects::TAG_UB;

/// Announcements of a process that are received at a time. One that has come makes room for the next.
const MOST: usize = 16;

/// The number in the place of announcements.
pub const ANNOUNCEMENT: u32 = TAG_UB.cast_unsigned();

/// What an announcement says: the tag, the first number, partitions, and the bytes of each, low and
/// high half.
pub type Words = [u32; 5];

/// The sender's side, as it announces it.
#[derive(Clone, Copy)]
pub struct Theirs {
    /// The number of the first partition.
    pub first: u32,
    /// What they are.
    pub cut: Cut,
}

impl Theirs {
    pub fn words(self, tag: c_int) -> Words {
        let Cut { partitions, bytes } = self.cut;
        let (low, high) = (bytes as u32, (bytes >> 32) as u32);
        [tag.cast_unsigned(), self.first, partitions as u32, low, high]
    }

    pub fn of(words: Words) -> (c_int, Self) {
        let [tag, first, partitions, low, high] = words;
        let bytes = u64::from(high) << 32 | u64::from(low);
        (tag.cast_signed(), Self { first, cut: Cut { partitions: partitions as usize, bytes } })
    }
}

/// What a communicator has of partitioned communication.
pub struct OfComm {
    /// Partitions of this process's sends so far.
    numbers: AtomicU32,
    /// Taken while that of what is received for all communicators is held.
    pub unmet: Mutex<Unmet>,
}

impl Default for OfComm {
    fn default() -> Self {
        Self { numbers: AtomicU32::new(0), unmet: Mutex::at(LockLevel::UNMET, Unmet::default()) }
    }
}

/// Announcements and receives of a communicator that have not met.
#[derive(Default)]
pub struct Unmet {
    /// Announcements that no receive has been made for, in their order.
    pub announced: VecDeque<(Key, Theirs)>,
    /// Receives that have no announcement, in their order.
    pub waiting: VecDeque<Waiting>,
    /// The program has freed the communicator.
    pub freed: bool,
}

/// A receive that waits for its announcement.
pub struct Waiting {
    /// What it waits for.
    pub key: Key,
    /// None if it was freed.
    pub request: Option<&'static View>,
}

impl Unmet {
    /// How many announcements of a process are to be received at a time. On a communicator that was freed
    /// none for freed receives alone: they would keep it for sends that may never be made.
    pub fn wanted_of(&self, peer: c_int) -> usize {
        let all = || self.waiting.iter().filter(|it| it.key.peer == peer);
        if self.freed && all().all(|it| it.request.is_none()) {
            0
        } else {
            all().take(MOST).count()
        }
    }
}

/// What tells which announcement of a communicator is for which receive.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// The rank that it comes from.
    pub peer: c_int,
    /// The program's tag.
    pub tag: c_int,
}

impl OfComm {
    /// The first of so many new numbers, which are never used again.
    pub fn numbers(&self, partitions: usize) -> Result<u32> {
        let more = |first: u32| {
            let next = first.checked_add(u32::try_from(partitions).ok()?)?;
            (next <= ANNOUNCEMENT).then_some(next)
        };
        self.numbers.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).map_err(|_| {
            let text = "all numbers of partitions of this communicator are used up";
            Error::new(MPI_ERR_NO_MEM, text)
        })
    }
}
