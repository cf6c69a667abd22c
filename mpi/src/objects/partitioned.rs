//! Partitioned communication (MPI 5.0, chapter 4).
//!
//! ```text
//!   Psend_init ── announcement: tag, first number, partitions, bytes of each ──► Precv_init
//!   Pready(2)  ── message with the tag of number first + 2 ────────────────────► into its place
//! ```
//!
//! Each partition of the sender is a message, which goes when it is ready and is received where it
//! belongs, so partitions may arrive in any order, and the two sides may cut the buffer differently. The
//! numbers of a sender's partitions are its own on the communicator and are never used again.
//!
//! Sends and receives find each other in the order in which they were made. So an announcement is for
//! the first receive of its tag that has none; until then it is kept. For each receive that waits for
//! one, an announcement is being received, whichever comes.

use std::cell::UnsafeCell;
use std::ffi::{c_int, c_void};
use std::sync::atomic::Ordering;

use cairn_framework::abi::datatype::Datatype as View;
use cairn_framework::frameworks::pml::{PML_STANDARD, PmlReceive, PmlSend};
use parking_lot::Mutex;

use super::comm::{self, CommRef};
use super::request::{self, RequestRef};
use super::special::{self, Body, Special};
use super::{TAG_UB, datatype, packing};
use crate::abi::generated::constants::*;
use crate::abi::generated::types::{Count, Request};
use crate::abi::status::Status;
use crate::error::{Error, Origin, Result};
use crate::runtime::runtime;

/// The tag of the messages of a partition with this number; that of announcements is the last one. Those
/// of `MPI_Comm_create_group` are above.
fn tag(number: u32) -> c_int {
    c_int::MIN + number.cast_signed()
}

/// The number in the place of announcements.
const ANNOUNCEMENT: u32 = TAG_UB.cast_unsigned();

/// What an announcement says: the tag, the first number, partitions, and the bytes of each, low and
/// high half.
type Words = [u32; 5];

/// What a request for partitioned communication is made of.
pub struct Plan {
    /// The buffer of all partitions.
    pub buffer: *mut c_void,
    /// How many there are.
    pub partitions: usize,
    /// Elements of each.
    pub count: Count,
    /// Of the elements.
    pub datatype: &'static View,
    /// The other process, or `MPI_PROC_NULL`.
    pub peer: c_int,
    /// The program's tag.
    pub tag: c_int,
    /// The communicator, which the request keeps alive.
    pub comm: CommRef,
}

/// Such a request.
pub struct Partitioned {
    plan: Plan,
    side: Side,
    /// The messages of the round that goes on, by the sender's partitions.
    messages: Vec<Message>,
    /// How many of the first ones are complete.
    complete: usize,
    /// What went wrong first in this round.
    failed: Option<Error>,
}

enum Side {
    Send {
        /// The number of the first partition.
        first: u32,
        /// Until it is sent.
        announcement: Option<(RequestRef, Box<Words>)>,
    },
    Receive {
        /// What the sender announced.
        theirs: Option<Theirs>,
        /// Where messages go first whose borders lie inside of elements.
        packed: Vec<u8>,
    },
}

/// The sender's side, as the receiver knows it.
#[derive(Clone, Copy)]
struct Theirs {
    first: u32,
    partitions: usize,
    /// Of each.
    bytes: u64,
}

enum Message {
    /// Not started.
    Open,
    /// A thread starts it.
    Starting,
    /// Under way.
    Going(RequestRef),
    /// Sent, or arrived.
    Done,
}

/// Makes a request that sends.
pub fn send_init(plan: Plan) -> Result<Request> {
    let Plan { partitions, comm, peer, tag: program_tag, .. } = plan;
    let bytes = packing::bytes(plan.count, plan.datatype)? as u64;
    let (mut first, mut announcement) = (0, None);
    if peer != MPI_PROC_NULL {
        first = comm.partition_numbers(partitions, ANNOUNCEMENT)?;
        let words = Box::new([
            program_tag.cast_unsigned(),
            first,
            partitions as u32,
            bytes as u32,
            (bytes >> 32) as u32,
        ]);
        let send = PmlSend {
            buffer: words.as_ptr().cast(),
            count: words.len() as u64,
            datatype: datatype::of(MPI_UINT32_T)?,
            comm: comm.view(),
            peer: peer.cast_unsigned(),
            tag: tag(ANNOUNCEMENT),
            mode: PML_STANDARD,
            reserved: 0,
        };
        announcement = Some((started(runtime().isend(&send)?, comm), words));
    }
    Ok(make(plan, Side::Send { first, announcement }).handle())
}

/// Makes a request that receives.
pub fn recv_init(plan: Plan) -> Result<Request> {
    let Plan { comm, peer, tag, .. } = plan;
    packing::bytes(plan.count, plan.datatype)?;
    let special = make(plan, Side::Receive { theirs: None, packed: Vec::new() });
    if peer != MPI_PROC_NULL {
        let key = Key { context: comm.view().scope.id, peer, tag };
        let known = MEETING.lock().announced_to(key, special);
        if let Some(theirs) = known {
            announce(special, theirs);
        } else if let Err(error) = Listening::start(comm, peer).map(Listening::join) {
            request::release(request::of(special.handle())?);
            return Err(error);
        }
    }
    Ok(special.handle())
}

fn make(plan: Plan, side: Side) -> &'static Special {
    plan.comm.retain();
    let body = Partitioned { plan, side, messages: Vec::new(), complete: 0, failed: None };
    let special = special::persistent(Body::Partitioned(Box::new(body)));
    runtime().poll(poll);
    special
}

/// A request that a component made just now.
fn started(view: *mut cairn_framework::abi::request::Request, comm: CommRef) -> RequestRef {
    request::handle(view, comm);
    // SAFETY: promised by the component.
    unsafe { &*view }
}

// --- Announcements

/// What tells which announcement is for which receive.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Key {
    context: u32,
    peer: c_int,
    tag: c_int,
}

/// Announcements and receives that have not found each other, in their orders.
struct Meeting {
    announced: Vec<(Key, Theirs)>,
    waiting: Vec<(Key, &'static Special)>,
    listening: Vec<Listening>,
}

/// An announcement that is being received.
struct Listening {
    comm: CommRef,
    peer: c_int,
    words: Box<UnsafeCell<Words>>,
    request: RequestRef,
}

// SAFETY: the words are read when the request is complete, by who has the lock.
unsafe impl Send for Listening {}

static MEETING: Mutex<Meeting> =
    Mutex::new(Meeting { announced: Vec::new(), waiting: Vec::new(), listening: Vec::new() });

impl Listening {
    /// Receives another announcement of a process. Not with the lock held, except from progress: a
    /// component may make progress meanwhile.
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
        Ok(Self { comm, peer, words, request })
    }

    fn join(self) {
        MEETING.lock().listening.push(self);
    }
}

impl Meeting {
    /// What was announced for a new receive, which otherwise waits from now on.
    fn announced_to(&mut self, key: Key, special: &'static Special) -> Option<Theirs> {
        let place = self.announced.iter().position(|(known, _)| *known == key);
        if place.is_none() {
            self.waiting.push((key, special));
        }
        Some(self.announced.remove(place?).1)
    }

    /// Hands on what has come, each process's in its order.
    fn hand_on(&mut self) {
        let mut place = 0;
        while let Some(Listening { comm, peer, request, .. }) = self.listening.get(place) {
            let (context, peer) = (comm.view().scope.id, *peer);
            let same =
                |other: &Listening| other.comm.view().scope.id == context && other.peer == peer;
            let is_first = !self.listening[..place].iter().any(same);
            if !is_first || !request.is_complete() {
                place += 1;
                continue;
            }
            let Listening { comm, words, request, .. } = self.listening.remove(place);
            let (_, result) = request::outcome(request);
            if result.is_ok() {
                let [tag, first, partitions, low, high] = words.into_inner();
                let bytes = u64::from(high) << 32 | u64::from(low);
                let theirs = Theirs { first, partitions: partitions as usize, bytes };
                let key = Key { context, peer, tag: tag.cast_signed() };
                match self.waiting.iter().position(|(other, _)| *other == key) {
                    Some(found) => announce(self.waiting.remove(found).1, theirs),
                    None => self.announced.push((key, theirs)),
                }
                let of_it = |(other, _): &&(Key, _)| other.context == context && other.peer == peer;
                let waiting = self.waiting.iter().filter(of_it).count();
                let listening = self.listening.iter().filter(|other| same(other)).count();
                // After an error whoever waits goes on waiting: there is nobody to tell.
                if listening < waiting
                    && let Ok(another) = Listening::start(comm, peer)
                {
                    self.listening.push(another);
                }
            }
            request::release(request);
        }
    }
}

fn announce(special: &'static Special, theirs: Theirs) {
    special.with_partitioned(|this| {
        if let Side::Receive { theirs: known, .. } = &mut this.side {
            *known = Some(theirs);
        }
    });
}

// --- A round

/// The active requests.
static ACTIVE: Mutex<Vec<&'static Special>> = Mutex::new(Vec::new());

/// Starts a request.
pub fn start(special: &'static Special) {
    special.reset();
    special.with_partitioned(|this| {
        let partitions = match this.side {
            Side::Send { .. } => this.plan.partitions,
            Side::Receive { .. } => 0,
        };
        this.messages.clear();
        this.complete = 0;
        this.messages.resize_with(partitions, || Message::Open);
        this.failed = None;
    });
    if !advance(special) {
        ACTIVE.lock().push(special);
    }
}

/// From progress; returns how many requests are complete.
fn poll() -> u32 {
    if let Some(mut meeting) = MEETING.try_lock() {
        meeting.hand_on();
    }
    let Some(mut active) = ACTIVE.try_lock() else { return 0 };
    let before = active.len();
    active.retain(|special| !advance(special));
    (before - active.len()) as u32
}

/// Goes on with a request; whether it is complete. One thread at a time.
fn advance(special: &'static Special) -> bool {
    let receives = special.with_partitioned(Partitioned::receives).unwrap_or_default();
    for (place, receive) in receives {
        launch(special, place, || runtime().irecv(&receive));
    }
    match special.with_partitioned(Partitioned::settle) {
        Some(Some((status, result))) => {
            special.complete_with(status, result);
            true
        }
        Some(None) => false,
        None => true,
    }
}

/// Starts a message. Not with the request's lock held: a component may make progress meanwhile.
fn launch(
    special: &'static Special,
    place: usize,
    start: impl FnOnce() -> Result<*mut cairn_framework::abi::request::Request>,
) {
    let outcome = start();
    special.with_partitioned(|this| {
        this.messages[place] = match outcome {
            Ok(view) => Message::Going(started(view, this.plan.comm)),
            Err(error) => {
                this.failed.get_or_insert(error);
                Message::Done
            }
        };
    });
}

impl Partitioned {
    /// Its communicator.
    pub fn comm(&self) -> CommRef {
        self.plan.comm
    }

    fn element(&self, index: u64) -> *mut c_void {
        let offset = (index as i64).wrapping_mul(self.plan.datatype.extent) as isize;
        self.plan.buffer.wrapping_byte_offset(offset)
    }

    /// Bytes of one of the own partitions, which `packing::bytes` has seen to be as many.
    fn bytes(&self) -> u64 {
        self.plan.count as u64 * self.plan.datatype.size
    }

    /// The receives to be posted: all of them, as soon as it is known how many messages will come.
    fn receives(&mut self) -> Vec<(usize, PmlReceive)> {
        let size = self.plan.datatype.size.max(1);
        let all = self.bytes().saturating_mul(self.plan.partitions as u64);
        let Side::Receive { theirs: Some(theirs), packed } = &mut self.side else {
            return Vec::new();
        };
        if !self.messages.is_empty() || self.failed.is_some() {
            return Vec::new();
        }
        let sent = theirs.bytes.saturating_mul(theirs.partitions as u64);
        if sent != all {
            let text = format!("the sender's partitions have {sent} bytes, the receiver's {all}");
            self.failed = Some(Error::new(MPI_ERR_TRUNCATE, text));
            return Vec::new();
        }
        if !theirs.bytes.is_multiple_of(size) {
            packed.resize(all as usize, 0);
        }
        self.messages.resize_with(theirs.partitions, || Message::Starting);
        let (theirs, packed) = (*theirs, packed.as_mut_ptr_range());
        let in_bytes = datatype::of(MPI_PACKED).expect("a predefined type");
        let receive = |place: usize| {
            let at = theirs.bytes * place as u64;
            let (buffer, count, datatype) = if packed.is_empty() {
                (self.element(at / size), theirs.bytes / size, self.plan.datatype)
            } else {
                (packed.start.wrapping_add(at as usize).cast(), theirs.bytes, in_bytes)
            };
            PmlReceive {
                buffer,
                count,
                datatype,
                comm: self.plan.comm.view(),
                source: self.plan.peer,
                tag: tag(theirs.first + place as u32),
            }
        };
        (0..theirs.partitions).map(|place| (place, receive(place))).collect()
    }

    /// Looks how far the messages are, from the first that was not complete last time. When all are
    /// complete: how the round ended.
    fn settle(&mut self) -> Option<(Status, Result<()>)> {
        if let Side::Send { announcement, .. } = &mut self.side
            && let Some((request, words)) = announcement.take_if(|(sent, _)| sent.is_complete())
        {
            let (_, result) = request::outcome(request);
            request::release(request);
            drop(words);
            if let Err(error) = result {
                self.failed.get_or_insert(error);
            }
        }
        while self.complete < self.messages.len() {
            if !self.is_done(self.complete) {
                return None;
            }
            self.complete += 1;
        }
        let nobody = self.plan.peer == MPI_PROC_NULL;
        let failed = self.failed.take();
        let mut status = match &self.side {
            Side::Send { .. } => Status::EMPTY,
            Side::Receive { .. } if nobody => Status::FROM_NOBODY,
            Side::Receive { theirs: None, .. } if failed.is_none() => return None,
            Side::Receive { packed, .. } => {
                let all = self.bytes() * self.plan.partitions as u64;
                if failed.is_none() && !packed.is_empty() {
                    let count = self.plan.count * self.plan.partitions as Count;
                    let Plan { buffer, datatype, .. } = self.plan;
                    // SAFETY: the program vouches for its buffer; there are as many bytes.
                    let done = unsafe {
                        packing::unpack(packed.as_ptr(), packed.len(), buffer, count, datatype)
                    };
                    debug_assert!(done.is_ok(), "a whole number of elements");
                }
                Status::received(self.plan.peer, self.plan.tag, all)
            }
        };
        let origin = Origin::Comm(comm::handle(self.plan.comm));
        Some(match failed {
            None => (status, Ok(())),
            Some(error) => {
                status.error = error.code();
                (status, Err(error.at(origin)))
            }
        })
    }

    /// Whether a message is complete, which then is given back.
    fn is_done(&mut self, place: usize) -> bool {
        match self.messages[place] {
            Message::Done => return true,
            Message::Going(request) if request.is_complete() => {
                if let (_, Err(error)) = request::outcome(request) {
                    self.failed.get_or_insert(error);
                }
                request::release(request);
            }
            Message::Open | Message::Starting | Message::Going(_) => return false,
        }
        self.messages[place] = Message::Done;
        true
    }

    /// Its end.
    pub fn end(self, special: &'static Special) {
        MEETING.lock().waiting.retain(|(_, waiting)| !std::ptr::eq(*waiting, special));
        if let Side::Send { announcement: Some((request, words)), .. } = self.side {
            special::forget_with(request, words);
        }
        self.plan.comm.release();
    }
}

/// The request of an argument as what it is.
fn of(handle: Request) -> Result<(RequestRef, &'static Special)> {
    let view = request::of(handle)?;
    let special = special::of(view).filter(|it| it.with_partitioned(|_| ()).is_some());
    let special = special
        .ok_or_else(|| Error::new(MPI_ERR_REQUEST, "the request is not one of partitions"))?;
    Ok((view, special))
}

fn checked(partition: c_int, partitions: usize) -> Result<usize> {
    match usize::try_from(partition) {
        Ok(place) if place < partitions => Ok(place),
        _ => {
            let wanted = format!("there are {partitions} partitions, counted from 0");
            Err(Error::argument(MPI_ERR_ARG, "partition", partition, wanted))
        }
    }
}

/// Sends a partition. Any threads may send different ones of a request at the same time.
pub fn ready(handle: Request, partition: c_int) -> Result<()> {
    let (view, special) = of(handle)?;
    if !request::is_active(view) {
        return Err(Error::new(MPI_ERR_REQUEST, "the request was not started"));
    }
    let prepared = special.with_partitioned(|this| this.prepare(partition));
    let Some((place, send)) = prepared.transpose()?.flatten() else { return Ok(()) };
    launch(special, place, || runtime().isend(&send));
    Ok(())
}

impl Partitioned {
    /// What is to be sent for a partition; nothing to nobody.
    fn prepare(&mut self, partition: c_int) -> Result<Option<(usize, PmlSend)>> {
        let Side::Send { first, .. } = self.side else {
            return Err(Error::new(MPI_ERR_REQUEST, "the request receives"));
        };
        let place = checked(partition, self.plan.partitions)?;
        if !matches!(self.messages.get(place), Some(Message::Open)) {
            let text = "that partition is ready already";
            return Err(Error::argument(MPI_ERR_ARG, "partition", partition, text));
        }
        if self.plan.peer == MPI_PROC_NULL {
            self.messages[place] = Message::Done;
            return Ok(None);
        }
        self.messages[place] = Message::Starting;
        let send = PmlSend {
            buffer: self.element(self.plan.count as u64 * place as u64),
            count: self.plan.count as u64,
            datatype: self.plan.datatype,
            comm: self.plan.comm.view(),
            peer: self.plan.peer.cast_unsigned(),
            tag: tag(first + place as u32),
            mode: PML_STANDARD,
            reserved: 0,
        };
        Ok(Some((place, send)))
    }

    /// Whether all messages have come that a partition is made of.
    fn has(&mut self, partition: c_int) -> Result<bool> {
        let Side::Receive { theirs, packed } = &self.side else {
            return Err(Error::new(MPI_ERR_REQUEST, "the request sends"));
        };
        let place = checked(partition, self.plan.partitions)? as u64;
        let (Some(theirs), true) = (*theirs, packed.is_empty()) else { return Ok(false) };
        let (own, each) = (self.bytes(), theirs.bytes);
        if self.messages.len() != theirs.partitions {
            return Ok(false);
        }
        let (from, to) = match each {
            0 => (0, theirs.partitions),
            each => ((own * place / each) as usize, (own * (place + 1)).div_ceil(each) as usize),
        };
        Ok((from..to).all(|message| self.is_done(message)))
    }
}

/// Whether a partition has arrived. What is not active or complete has all.
pub fn arrived(handle: Request, partition: c_int) -> Result<bool> {
    let (view, special) = of(handle)?;
    let has = || special.with_partitioned(|this| this.has(partition)).unwrap_or(Ok(true));
    if has()? || !request::is_active(view) || view.is_complete() {
        return Ok(true);
    }
    runtime().system.progress();
    Ok(view.is_complete() || has()?)
}

/// The numbers of new partitions of a communicator, given how many there were.
pub fn numbers(used: &std::sync::atomic::AtomicU32, partitions: usize, end: u32) -> Result<u32> {
    let more = |first: u32| {
        let next = first.checked_add(u32::try_from(partitions).ok()?)?;
        (next <= end).then_some(next)
    };
    used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).map_err(|_| {
        let text = "all numbers of partitions of this communicator are used up";
        Error::new(MPI_ERR_NO_MEM, text)
    })
}
