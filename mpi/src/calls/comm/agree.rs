//! How the processes of a communicator agree on one that is made of it: its members, and its number.
//!
//! The number, the context id, is made by one of its processes and sent to the others on the parent.
//! Within a group it goes down a binomial tree. A process that can't get it sends its error down
//! instead, so that no process waits for what never comes. Between groups a process reaches only those
//! of the other one, so it takes two steps:
//!
//! ```text
//!   first group       maker ──1──► all of the second group
//!   second group      its first process ──2──► all others of the first group
//! ```
//!
//! The first group is that whose first process has the lower rank in the job, which both know.

use std::cell::UnsafeCell;
use std::ffi::c_int;
use std::sync::Arc;

use cairn_framework::abi::comm::ContextId;
use cairn_framework::abi::request::{MessageStatus, Request as View};
use cairn_framework::abi::status::OK;
use cairn_framework::author::Mutex;

use super::related::{Properties, related};
use super::words::{words_from, words_to};
use crate::objects::comm::{self, subgroup};
use crate::objects::group::Ranks;
use crate::objects::request::{self, RequestRef};
use crate::objects::special::Next;
use crate::prelude::*;
use crate::runtime::runtime;

/// The tag for the messages of `MPI_Comm_create_group` with the program's tag.
pub fn group_tag(tag: c_int) -> i32 {
    // Below those of `leader_tag`, of which there are as many as tags of the program.
    leader_tag(MPI_TAGS - 1) - 1 - tag
}

/// The tag for the messages between the leaders in `MPI_Intercomm_create` with the program's tag.
pub fn leader_tag(tag: c_int) -> i32 {
    // Those of collective operations are above.
    -MPI_TAGS - 1 - tag
}

/// How many tags a program has.
const MPI_TAGS: i32 = crate::objects::TAG_UB + 1;

/// Processes of a communicator that are to be in a new one, as ranks in their groups.
pub struct Members {
    pub local: Vec<u32>,
    /// Of the remote group, between groups.
    pub remote: Vec<u32>,
}

impl Members {
    /// All of them.
    pub fn all(comm: CommRef) -> Self {
        let remote = if comm.is_inter() { comm.view().remote_size } else { 0 };
        Self { local: (0..comm.size()).collect(), remote: (0..remote).collect() }
    }
}

fn halves(number: u64) -> [u32; 2] {
    [number as u32, (number >> 32) as u32]
}

/// A context id as words for a message.
pub fn words_of(ContextId { maker, serial, .. }: ContextId) -> [u32; 3] {
    let [low, high] = halves(serial);
    [maker, low, high]
}

/// The context id that `words_of` has made these of.
pub fn context_of([maker, low, high]: [u32; 3]) -> ContextId {
    ContextId::new(maker, u64::from(high) << 32 | u64::from(low))
}

/// What goes from process to process: the context id, or why there is none.
#[derive(Clone, Copy)]
#[repr(transparent)]
struct Note([u32; Note::WORDS]);

impl Note {
    const WORDS: usize = 6;
    const EMPTY: Self = Self([0; Self::WORDS]);

    /// A new context id, of a communicator made for what the seal says.
    fn new(seal: u64) -> Self {
        let [maker, low, high] = words_of(runtime().new_context());
        let [first, second] = halves(seal);
        Self([MPI_SUCCESS as u32, maker, low, high, first, second])
    }

    /// An error of this class: the process that it reaches makes no communicator either.
    fn failure(error: &Error) -> Self {
        let mut note = Self::EMPTY;
        note.0[0] = error.code() as u32;
        note
    }

    /// The context id.
    fn context(&self, seal: u64) -> Result<ContextId> {
        let Self([code, context @ .., first, second]) = *self;
        if code != MPI_SUCCESS as u32 {
            let text = "another process of the new communicator found an error";
            return Err(Error::new(code as c_int, text));
        }
        if [first, second] != halves(seal) {
            let text = "this process and another one make different communicators";
            return Err(Error::new(MPI_ERR_INTERN, text));
        }
        Ok(context_of(context))
    }

    fn receive(&mut self, peer: u32, tag: i32, parent: CommRef) -> Result<()> {
        let words = &mut self.0;
        let receive = words_from(words.as_mut_ptr(), words.len(), peer, tag, parent)?;
        match runtime().recv(&receive, &mut MessageStatus::default()) {
            OK => Ok(()),
            status => Err(failure("recv", status)),
        }
    }

    /// Sends it to each of some processes; the first error, if some can't be reached.
    fn send(&self, peers: impl Iterator<Item = u32>, tag: i32, parent: CommRef) -> Result<()> {
        let send =
            |peer| runtime().send(&words_to(self.0.as_ptr(), self.0.len(), peer, tag, parent)?);
        // All are tried: those that can be reached wait for it.
        peers.map(send).fold(Ok(()), Result::and)
    }
}

/// The place of a process in the binomial tree down which a note goes.
struct Tree {
    place: usize,
    size: usize,
}

impl Tree {
    /// That of a process among members.
    fn of(members: &[u32], rank: u32) -> Result<Self> {
        let place = members.iter().position(|member| *member == rank).ok_or_else(|| {
            Error::new(MPI_ERR_INTERN, "a process agrees on a communicator that it is not in")
        })?;
        Ok(Self { place, size: members.len() })
    }

    /// The place above; none at the root.
    fn parent(&self) -> Option<usize> {
        (self.place != 0).then(|| self.place & (self.place - 1))
    }

    /// The places below, that with the most below itself first.
    fn children(&self) -> impl Iterator<Item = usize> + use<> {
        let (place, size) = (self.place, self.size);
        let end = if place == 0 { size.next_power_of_two() } else { place & place.wrapping_neg() };
        std::iter::successors(Some(end / 2), |step| Some(step / 2))
            .take_while(|step| *step > 0)
            .map(move |step| place + step)
            .filter(move |child| *child < size)
    }
}

/// Agrees on the context id of a new communicator of these members, of which this process is one.
/// Between groups there is at least one of each.
pub fn agree(parent: CommRef, members: &Members, tag: i32) -> Result<ContextId> {
    match &parent.remote {
        None => agree_within(parent, &members.local, tag, 0),
        Some(remote) => agree_between(parent, remote, members, tag),
    }
}

/// Agrees on the context id of a new communicator of these members of a group. The seal says what it is
/// made for: all have the same one, or a message went astray.
pub fn agree_within(parent: CommRef, members: &[u32], tag: i32, seal: u64) -> Result<ContextId> {
    let tree = Tree::of(members, parent.rank())?;
    let mut note = Note::EMPTY;
    let received = match tree.parent() {
        Some(above) => note.receive(members[above], tag, parent),
        None => {
            note = Note::new(seal);
            Ok(())
        }
    };
    if let Err(error) = &received {
        note = Note::failure(error);
    }
    let sent = note.send(tree.children().map(|child| members[child]), tag, parent);
    agreed(parent, &note, seal, received.and(sent))
}

fn agree_between(
    parent: CommRef,
    remote: &Ranks,
    members: &Members,
    tag: i32,
) -> Result<ContextId> {
    let (local, others) = (&members.local, &members.remote);
    let leads = local[0] == parent.rank();
    let first = parent.group[local[0] as usize] < remote[others[0] as usize];
    let mut note = Note::EMPTY;
    let (received, below): (Result<()>, &[u32]) = if leads && first {
        note = Note::new(0);
        (Ok(()), others)
    } else {
        let received = note.receive(others[0], tag, parent);
        (received, if leads { &others[1..] } else { &[] })
    };
    if let Err(error) = &received {
        note = Note::failure(error);
    }
    let sent = note.send(below.iter().copied(), tag, parent);
    agreed(parent, &note, 0, received.and(sent))
}

/// A communicator of processes of another one, whose error handler it gets.
pub fn child(
    parent: CommRef,
    context: ContextId,
    members: &Members,
    properties: Properties,
) -> Result<CommRef> {
    let group = subgroup(&parent.group, members.local.iter().copied());
    let remote = parent.remote.as_ref().map(|all| subgroup(all, members.remote.iter().copied()));
    related(parent, context, group, remote, properties)
}

/// A communicator of some processes of another one; none for those that are not among them, and none
/// at all if one of two groups would be empty.
pub fn found(parent: CommRef, members: &Members, tag: i32, properties: Properties) -> Result<Comm> {
    let empty = parent.is_inter() && members.remote.is_empty();
    if empty || !members.local.contains(&parent.rank()) {
        return Ok(MPI_COMM_NULL);
    }
    let context = agree(parent, members, tag)?;
    Ok(child(parent, context, members, properties)?.handle())
}

/// The context id of a note, with what came of the messages.
fn agreed(parent: CommRef, note: &Note, seal: u64, messages: Result<()>) -> Result<ContextId> {
    let context = note.context(seal);
    if let (Err(_), Ok(context)) = (&messages, &context) {
        forgo(parent, *context);
    }
    messages.and(context)
}

/// Not all processes can be told of a context id, so this one makes no communicator of it. Others may, and
/// what they send to this process is dropped, as if it had freed its own.
fn forgo(parent: CommRef, context: ContextId) {
    let (group, remote) = (parent.group.clone(), parent.remote.clone());
    let made = related(parent, context, group, remote, Properties::default());
    // Where that fails the context id is closed, too.
    if let Ok(comm) = made {
        comm::free(comm);
    }
}

/// An agreement in the background.
pub struct Agreement {
    parent: CommRef,
    tag: i32,
    /// Written by the receive; by others only before it is started or when it is complete.
    note: UnsafeCell<Note>,
    /// What was started for it.
    parts: Mutex<Vec<RequestRef>>,
    /// The first error of what could not be started.
    failed: Mutex<Option<Error>>,
}

// SAFETY: the note has one writer at a time, as said there.
unsafe impl Sync for Agreement {}
// SAFETY: see `Sync`.
unsafe impl Send for Agreement {}

/// An agreement with what is under way, and what is started when that is complete.
pub struct Started {
    pub agreement: Arc<Agreement>,
    pub parts: Vec<RequestRef>,
    pub next: Option<Next>,
}

/// Agrees in the background on the context id of a duplicate.
pub fn start(parent: CommRef) -> Result<Started> {
    let agreement = Arc::new(Agreement {
        parent,
        tag: parent.next_nonblocking_tag(),
        note: UnsafeCell::new(Note::EMPTY),
        parts: Mutex::default(),
        failed: Mutex::default(),
    });
    let members = Members::all(parent);
    let leads = parent.rank() == 0;
    // The process that the note comes from, if this one does not make it, and those it goes to.
    let (above, below): (Option<u32>, Vec<u32>) = match &parent.remote {
        None => {
            let tree = Tree::of(&members.local, parent.rank())?;
            let below = tree.children().map(|place| place as u32).collect();
            (tree.parent().map(|place| place as u32), below)
        }
        Some(remote) if leads && parent.group[0] < remote[0] => (None, members.remote),
        Some(_) => (Some(0), if leads { members.remote[1..].into() } else { Vec::new() }),
    };
    let Some(above) = above else {
        // SAFETY: nothing was started yet.
        unsafe { *agreement.note.get() = Note::new(0) };
        let parts = agreement.send(&below);
        return Ok(Started { agreement, parts, next: None });
    };
    let received = agreement.receive(above)?;
    let forward = agreement.clone();
    let next: Option<Next> = (!below.is_empty()).then(|| {
        Box::new(move || {
            if let Err(error) = request::outcome(received).1 {
                // SAFETY: the receive is complete.
                unsafe { *forward.note.get() = Note::failure(&error) };
            }
            Ok(forward.send(&below))
        }) as Next
    });
    Ok(Started { agreement, parts: vec![received], next })
}

impl Agreement {
    /// The context id.
    ///
    /// # Safety
    /// Everything that was started for it is complete.
    pub unsafe fn context(&self) -> Result<ContextId> {
        let parts = std::mem::take(&mut *self.parts.lock());
        let ended = parts.into_iter().map(|part| request::outcome(part).1);
        let ended = ended.fold(Ok(()), Result::and);
        let started = self.failed.lock().take().map_or(Ok(()), Err);
        // SAFETY: promised by the caller, so the note is written no more.
        let note = unsafe { &*self.note.get() };
        agreed(self.parent, note, 0, ended.and(started))
    }

    fn keep(&self, view: *mut View) -> RequestRef {
        request::handle(view, self.parent);
        // SAFETY: started just now, and released when the agreement is over.
        let part: RequestRef = unsafe { &*view };
        self.parts.lock().push(part);
        part
    }

    fn receive(&self, peer: u32) -> Result<RequestRef> {
        let place = self.note.get().cast();
        let receive = words_from(place, Note::WORDS, peer, self.tag, self.parent)?;
        Ok(self.keep(runtime().irecv(&receive)?))
    }

    /// Starts to send the note to each of some processes; all are tried.
    fn send(&self, peers: &[u32]) -> Vec<RequestRef> {
        let send = |peer: &u32| {
            let words = self.note.get().cast_const().cast();
            let send = words_to(words, Note::WORDS, *peer, self.tag, self.parent)?;
            Ok(self.keep(runtime().isend(&send)?))
        };
        let started = peers.iter().map(send).filter_map(|sent: Result<RequestRef>| {
            sent.map_err(|error| {
                self.failed.lock().get_or_insert(error);
            })
            .ok()
        });
        started.collect()
    }
}
