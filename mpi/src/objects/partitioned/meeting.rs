//! How the sends and receives of partitioned communication find each other.
//!
//! A send is announced by a message when it is made. Sends and receives with the same communicator, peer
//! and tag belong together in the orders in which they were made (MPI 5.0, section 4.2.1), so an
//! announcement is for the first receive that has none; until there is one it is kept.
//!
//! For receives that wait for an announcement of a process as many are being received, whichever come. A
//! receive that is freed meanwhile keeps its place in the order: the announcement that comes for it is
//! thrown away.

use std::cell::UnsafeCell;
use std::collections::VecDeque;
use std::ffi::c_int;
use std::sync::atomic::{AtomicU32, Ordering};

use cairn_framework::frameworks::pml::{PML_STANDARD, PmlReceive, PmlSend};
use parking_lot::Mutex;

use super::super::comm::CommRef;
use super::super::request::{self, RequestRef};
use super::super::special::{self, Special};
use super::super::{TAG_UB, datatype};
use super::inbox::Cut;
use super::{started, tag};
use crate::abi::generated::constants::*;
use crate::error::{Error, Result};
use crate::runtime::runtime;

/// The number in the place of announcements.
const ANNOUNCEMENT: u32 = TAG_UB.cast_unsigned();

/// What an announcement says: the tag, the first number, partitions, and the bytes of each, low and
/// high half.
type Words = [u32; 5];

/// The sender's side, as it announces it.
#[derive(Clone, Copy)]
pub struct Theirs {
    /// The number of the first partition.
    pub first: u32,
    /// What they are.
    pub cut: Cut,
}

impl Theirs {
    fn words(self, tag: c_int) -> Words {
        let Cut { partitions, bytes } = self.cut;
        let (low, high) = (bytes as u32, (bytes >> 32) as u32);
        [tag.cast_unsigned(), self.first, partitions as u32, low, high]
    }

    fn of(words: Words) -> (c_int, Self) {
        let [tag, first, partitions, low, high] = words;
        let bytes = u64::from(high) << 32 | u64::from(low);
        (tag.cast_signed(), Self { first, cut: Cut { partitions: partitions as usize, bytes } })
    }
}

/// What a communicator has of partitioned communication.
#[derive(Default)]
pub struct OfComm {
    /// Partitions of this process's sends so far.
    numbers: AtomicU32,
    /// Taken while that of what is received for all communicators is held.
    unmet: Mutex<Unmet>,
}

/// Announcements and receives of a communicator that have not met.
#[derive(Default)]
struct Unmet {
    /// Announcements that no receive has been made for, in their order.
    announced: VecDeque<(Key, Theirs)>,
    /// Receives that have no announcement, in their order.
    waiting: VecDeque<Waiting>,
    /// The program has freed the communicator.
    freed: bool,
}

struct Waiting {
    key: Key,
    /// None if it was freed.
    special: Option<&'static Special>,
}

impl Unmet {
    /// How many announcements of a process are to be received at a time. On a communicator that was freed
    /// none for freed receives alone: they would keep it for sends that may never be made.
    fn wanted_of(&self, peer: c_int) -> usize {
        let all = || self.waiting.iter().filter(|it| it.key.peer == peer);
        if self.freed && all().all(|it| it.special.is_none()) {
            0
        } else {
            all().take(MOST).count()
        }
    }
}

/// What tells which announcement of a communicator is for which receive.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// Whom it comes from.
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

/// An announcement on its way. Memory that stays until it is sent.
pub struct Announcement {
    /// The send.
    pub request: RequestRef,
    /// What it sends.
    pub words: Box<Words>,
}

/// Announces a send.
pub fn announce(comm: CommRef, key: Key, own: Theirs) -> Result<Announcement> {
    let words = Box::new(own.words(key.tag));
    let send = PmlSend {
        buffer: words.as_ptr().cast(),
        count: words.len() as u64,
        datatype: datatype::of(MPI_UINT32_T)?,
        comm: comm.view(),
        peer: key.peer.cast_unsigned(),
        tag: tag(ANNOUNCEMENT),
        mode: PML_STANDARD,
        reserved: 0,
    };
    Ok(Announcement { request: started(runtime().isend(&send)?, comm), words })
}

/// Announcements of a process that are received at a time. One that has come makes room for the next.
const MOST: usize = 16;

/// Receives without an announcement from which on making one more makes progress.
const MANY: usize = 64;

/// What is being received for receives that wait.
struct Meeting {
    sources: Vec<Source>,
}

/// Where announcements come from. Those that are being received keep the communicator alive.
struct Source {
    comm: CommRef,
    peer: c_int,
    /// In their order.
    listening: VecDeque<Listening>,
}

/// An announcement that is being received.
struct Listening {
    words: Box<UnsafeCell<Words>>,
    request: RequestRef,
    /// It was cancelled, and no receive counts on it. An announcement that was faster is handed on.
    given_up: bool,
}

// SAFETY: the words are read when the request is complete, by the thread that has the lock.
unsafe impl Send for Listening {}

/// Held while receives are posted; whatever progress that makes meanwhile only tries to take it.
static MEETING: Mutex<Meeting> = Mutex::new(Meeting { sources: Vec::new() });

/// Looks for the announcement for a new receive. If there is none yet, `found` is called for it later, or
/// `lost` if the peer can't send one any more. Not from progress.
pub fn meet(comm: CommRef, key: Key, special: &'static Special) -> Result<Option<Theirs>> {
    let mut meeting = MEETING.lock();
    let mut unmet = comm.partitions.unmet.lock();
    let place = unmet.announced.iter().position(|(known, _)| *known == key);
    if let Some((_, theirs)) = place.and_then(|place| unmet.announced.remove(place)) {
        return Ok(Some(theirs));
    }
    unmet.waiting.push_back(Waiting { key, special: Some(special) });
    let many = unmet.waiting.len() > MANY;
    drop(unmet);
    if let Err(error) = meeting.balance(comm, key.peer) {
        comm.partitions.unmet.lock().waiting.pop_back();
        return Err(error);
    }
    drop(meeting);
    if many {
        // A program that frees what it does not start may never give what has come a chance to meet.
        runtime().system.progress();
    }
    Ok(None)
}

/// A receive that waits is started: what was being received for it may have failed since.
pub fn listen_again(comm: CommRef, peer: c_int) -> Result<()> {
    MEETING.lock().balance(comm, peer)
}

/// A receive is freed. Not from progress.
pub fn leave(comm: CommRef, special: &'static Special) {
    let mut meeting = MEETING.lock();
    let is_it = |it: &&mut Waiting| it.special.is_some_and(|its| std::ptr::eq(its, special));
    let mut unmet = comm.partitions.unmet.lock();
    // Most are freed soon after they were made.
    let Some(waiting) = unmet.waiting.iter_mut().rev().find(is_it) else { return };
    waiting.special = None;
    let peer = waiting.key.peer;
    drop(unmet);
    // Not more are wanted than before, so nothing is started.
    let _ = meeting.balance(comm, peer);
    meeting.hand_on();
}

/// How many receives of announcements are posted on a communicator. They are no operations of the
/// program: the sends may never be made.
pub fn listening_on(comm: CommRef) -> u64 {
    let meeting = MEETING.lock();
    let sources = meeting.sources.iter().filter(|it| std::ptr::eq(it.comm, comm));
    let listening = sources.flat_map(|it| &it.listening);
    listening.filter(|it| !it.request.is_complete()).count() as u64
}

/// The program frees a communicator, which its operations keep. Not from progress.
pub fn comm_freed(comm: CommRef) {
    let mut unmet = comm.partitions.unmet.lock();
    unmet.freed = true;
    let mut peers: Vec<c_int> = unmet.waiting.iter().map(|it| it.key.peer).collect();
    drop(unmet);
    if peers.is_empty() {
        return;
    }
    peers.sort_unstable();
    peers.dedup();
    let mut meeting = MEETING.lock();
    for peer in peers {
        // Not more are wanted than before, so nothing is started.
        let _ = meeting.balance(comm, peer);
    }
    meeting.hand_on();
}

/// Hands on what has come. From progress.
pub fn poll() {
    if let Some(mut meeting) = MEETING.try_lock() {
        meeting.hand_on();
    }
}

impl Listening {
    /// Receives another announcement of a process.
    fn start(comm: CommRef, peer: c_int) -> Result<Self> {
        let words = Box::new(UnsafeCell::new(Words::default()));
        let receive = PmlReceive {
            buffer: words.get().cast(),
            count: Words::default().len() as u64,
            datatype: datatype::of(MPI_UINT32_T)?,
            comm: comm.view(),
            source: peer,
            tag: tag(ANNOUNCEMENT),
        };
        let request = started(runtime().irecv(&receive)?, comm);
        Ok(Self { words, request, given_up: false })
    }
}

impl Meeting {
    fn source(&mut self, comm: CommRef, peer: c_int) -> &mut Source {
        let is_it = |it: &Source| std::ptr::eq(it.comm, comm) && it.peer == peer;
        let place = self.sources.iter().position(is_it).unwrap_or_else(|| {
            self.sources.push(Source { comm, peer, listening: VecDeque::new() });
            self.sources.len() - 1
        });
        &mut self.sources[place]
    }

    /// Receives as many announcements of a process as are wanted.
    fn balance(&mut self, comm: CommRef, peer: c_int) -> Result<()> {
        let wanted = comm.partitions.unmet.lock().wanted_of(peer);
        let listening = &mut self.source(comm, peer).listening;
        let now = listening.iter().filter(|it| !it.given_up).count();
        // The oldest come first, so that none has to wait for another one to be handed on.
        let surplus = listening.iter_mut().filter(|it| !it.given_up);
        for listening in surplus.take(now.saturating_sub(wanted)) {
            listening.given_up = true;
            request::cancel(listening.request)?;
        }
        for _ in now..wanted {
            listening.push_back(Listening::start(comm, peer)?);
        }
        Ok(())
    }

    /// Hands on what has come, each process's in its order.
    fn hand_on(&mut self) {
        let mut place = 0;
        while let Some(Source { comm, peer, listening }) = self.sources.get_mut(place) {
            let (comm, peer) = (*comm, *peer);
            if listening.front().is_some_and(|first| !first.request.is_complete()) {
                place += 1;
                continue;
            }
            let Some(Listening { words, request, .. }) = listening.pop_front() else {
                self.sources.swap_remove(place);
                continue;
            };
            let (status, result) = request::outcome(request);
            let ended = match result {
                Ok(()) if status.cancelled() => Ok(()),
                Ok(()) => {
                    let (tag, theirs) = Theirs::of(words.into_inner());
                    self.give(comm, Key { peer, tag }, theirs);
                    self.balance(comm, peer)
                }
                Err(error) => Err(error),
            };
            if let Err(error) = ended {
                self.lose(comm, peer, &error);
            }
            // It may be the last use of the communicator.
            special::release_later(request);
        }
    }

    /// An announcement has come.
    fn give(&mut self, comm: CommRef, key: Key, theirs: Theirs) {
        let mut unmet = comm.partitions.unmet.lock();
        let place = unmet.waiting.iter().position(|it| it.key == key);
        match place.and_then(|place| unmet.waiting.remove(place)) {
            Some(Waiting { special: Some(special), .. }) => {
                special.with_partitioned(|this| this.found(theirs));
            }
            Some(Waiting { special: None, .. }) => {}
            None => unmet.announced.push_back((key, theirs)),
        }
    }

    /// No announcement of a process can come now.
    fn lose(&mut self, comm: CommRef, peer: c_int, error: &Error) {
        let unmet = comm.partitions.unmet.lock();
        let of_it = unmet.waiting.iter().filter(|it| it.key.peer == peer);
        for special in of_it.filter_map(|it| it.special) {
            special.with_partitioned(|this| this.lost(error.again()));
        }
    }
}
