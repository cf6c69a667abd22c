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

use cairn_framework::audit::LockLevel;
use cairn_framework::author::Mutex;
use cairn_framework::frameworks::pml::{PML_STANDARD, PmlReceive, PmlSend};

use super::super::comm::CommRef;
use super::super::datatype::DatatypeRef;
use super::super::request::{self, RequestRef};
use super::super::special::{self, Special};
use super::of_comm::{ANNOUNCEMENT, Key, Theirs, Waiting, Words};
use super::{Partitioned, started, tag};
use crate::abi::generated::constants::*;
use crate::error::{Error, Result};
use crate::runtime::runtime;

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
        datatype: DatatypeRef::of(MPI_UINT32_T)?.view(),
        comm: comm.view(),
        peer: key.peer.cast_unsigned(),
        tag: tag(ANNOUNCEMENT),
        mode: PML_STANDARD,
        reserved: 0,
    };
    Ok(Announcement { request: started(runtime().isend(&send)?, comm), words })
}

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
static MEETING: Mutex<Meeting> = Mutex::at(LockLevel::PARTITIONS, Meeting { sources: Vec::new() });

/// Looks for the announcement for a new receive. If there is none yet, `found` is called for it later, or
/// `lost` if the peer can't send one any more. Not from progress.
pub fn meet(comm: CommRef, key: Key, special: &'static Special) -> Result<Option<Theirs>> {
    let mut meeting = MEETING.lock();
    let mut unmet = comm.partitions.unmet.lock();
    let place = unmet.announced.iter().position(|(known, _)| *known == key);
    if let Some((_, theirs)) = place.and_then(|place| unmet.announced.remove(place)) {
        return Ok(Some(theirs));
    }
    unmet.waiting.push_back(Waiting { key, request: Some(special.request()) });
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
    let is_it =
        |it: &&mut Waiting| it.request.is_some_and(|its| std::ptr::eq(its, special.request()));
    let mut unmet = comm.partitions.unmet.lock();
    // Most are freed soon after they were made.
    let Some(waiting) = unmet.waiting.iter_mut().rev().find(is_it) else { return };
    waiting.request = None;
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
            datatype: DatatypeRef::of(MPI_UINT32_T)?.view(),
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
            Some(Waiting { request: Some(request), .. }) => {
                let special = special::of(request);
                special.and_then(|it| it.with(|this: &mut Partitioned| this.found(theirs)));
            }
            Some(Waiting { request: None, .. }) => {}
            None => unmet.announced.push_back((key, theirs)),
        }
    }

    /// No announcement of a process can come now.
    fn lose(&mut self, comm: CommRef, peer: c_int, error: &Error) {
        let unmet = comm.partitions.unmet.lock();
        let of_it = unmet.waiting.iter().filter(|it| it.key.peer == peer);
        for special in of_it.filter_map(|it| special::of(it.request?)) {
            special.with(|this: &mut Partitioned| this.lost(error.again()));
        }
    }
}
