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
//! In each round the receiver receives as many messages as were announced, neither more nor fewer, so
//! both sides end whatever their lengths are: what it has no room for is cut off like any message that is
//! too long, and what does not come is not waited for.
//!
//! Rounds are kept apart by the order of the messages with one tag, which those of the library have also
//! where those of the program may overtake each other.

mod inbox;
mod meeting;
pub mod of_comm;

use std::ffi::{c_int, c_void};

use cairn_framework::abi::datatype::Datatype as View;
use cairn_framework::audit::LockLevel;
use cairn_framework::author::Mutex;
use cairn_framework::frameworks::pml::{PML_STANDARD, PmlReceive, PmlSend};

use super::comm::{self, CommRef};
use super::datatype;
use super::packing;
use super::request::{self, RequestRef};
use super::special::{self, Body, Persistent, Special};
use crate::abi::generated::constants::*;
use crate::abi::generated::types::{Count, Request};
use crate::abi::status::Status;
use crate::error::{Error, Result};
use crate::runtime::runtime;
use inbox::{Buffer, Cut, Inbox, Place, filled, room};
use meeting::Announcement;
pub use meeting::{comm_freed, listening_on};
use of_comm::{Key, Theirs};

/// The tag of the messages of a partition with this number; that of announcements is the last one. Those
/// of `MPI_Comm_create_group` are above.
fn tag(number: u32) -> c_int {
    c_int::MIN + number.cast_signed()
}

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

impl Plan {
    /// How it cuts its data, which memory must be able to hold.
    fn cut(&self) -> Result<Cut> {
        let bytes = packing::bytes(self.count, self.datatype)?;
        let all = bytes.checked_mul(self.partitions).filter(|all| *all <= isize::MAX as usize);
        all.ok_or_else(|| {
            let text =
                format!("{} partitions of {bytes} bytes are more than memory", self.partitions);
            Error::new(MPI_ERR_COUNT, text)
        })?;
        Ok(Cut { partitions: self.partitions, bytes: bytes as u64 })
    }

    fn buffer(&self) -> Buffer {
        Buffer { address: self.buffer, count: self.count, datatype: self.datatype }
    }

    fn key(&self) -> Key {
        Key { peer: self.peer, tag: self.tag }
    }
}

/// Such a request.
pub struct Partitioned {
    _datatype: datatype::Keeper,
    plan: Plan,
    cut: Cut,
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
        announcement: Option<Announcement>,
    },
    /// What the sender announced, when it has.
    Receive(Option<Sender>),
}

/// The sender, as the receiver knows it.
struct Sender {
    /// The number of its first partition.
    first: u32,
    inbox: Inbox,
    /// There is no memory to receive with, so every round fails.
    broken: Option<Error>,
}

#[derive(Clone, Copy)]
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
    let cut = plan.cut()?;
    let messages = filled(Message::Done, cut.partitions)?;
    let (mut first, mut announcement) = (0, None);
    if plan.peer != MPI_PROC_NULL {
        first = plan.comm.partitions.numbers(cut.partitions)?;
        announcement = Some(meeting::announce(plan.comm, plan.key(), Theirs { first, cut })?);
    }
    Ok(make(plan, cut, Side::Send { first, announcement }, messages).handle())
}

/// Makes a request that receives.
pub fn recv_init(plan: Plan) -> Result<Request> {
    let cut = plan.cut()?;
    let (comm, key) = (plan.comm, plan.key());
    let special = make(plan, cut, Side::Receive(None), Vec::new());
    if key.peer != MPI_PROC_NULL {
        match meeting::meet(comm, key, special) {
            Ok(None) => {}
            Ok(Some(theirs)) => {
                special.with(|this: &mut Partitioned| this.found(theirs));
            }
            Err(error) => {
                request::release(request::of(special.handle())?);
                return Err(error);
            }
        }
    }
    Ok(special.handle())
}

fn make(plan: Plan, cut: Cut, side: Side, messages: Vec<Message>) -> &'static Special {
    plan.comm.retain();
    let kept = datatype::keep(plan.datatype);
    let body =
        Partitioned { _datatype: kept, plan, cut, side, messages, complete: 0, failed: None };
    let special = special::persistent(Body::Persistent(Box::new(body)));
    runtime().poll(poll);
    special
}

/// A request that a component made just now.
fn started(view: *mut cairn_framework::abi::request::Request, comm: CommRef) -> RequestRef {
    request::handle(view, comm);
    // SAFETY: promised by the component.
    unsafe { &*view }
}

// --- A round

/// The active requests.
static ACTIVE: Mutex<Vec<&'static Special>> = Mutex::at(LockLevel::REQUESTS, Vec::new());

/// Starts a request.
fn start(special: &'static Special) -> Result<()> {
    special.reset();
    let waits = special.with(Partitioned::begin).flatten();
    if let Some((comm, peer)) = waits
        && let Err(error) = meeting::listen_again(comm, peer)
    {
        special.with(|this: &mut Partitioned| this.lost(error));
    }
    if !advance(special) {
        ACTIVE.lock().push(special);
    }
    Ok(())
}

/// From progress; returns how many requests are complete.
fn poll() -> u32 {
    meeting::poll();
    let Some(mut active) = ACTIVE.try_lock() else { return 0 };
    let before = active.len();
    active.retain(|special| !advance(special));
    (before - active.len()) as u32
}

/// Whether one is active on a communicator.
pub fn is_pending_on(comm: CommRef) -> bool {
    let of = |special: &&'static Special| {
        let is_it = |this: &mut Partitioned| std::ptr::eq(this.plan.comm, comm);
        special.with(is_it).unwrap_or(false)
    };
    ACTIVE.lock().iter().any(of)
}

/// Goes on with a request; whether it is complete. One thread at a time.
fn advance(special: &'static Special) -> bool {
    let next = || special.with(Partitioned::next_receive).flatten();
    while let Some((message, receive)) = next() {
        launch(special, message, || runtime().irecv(&receive));
    }
    match special.with(Partitioned::settle) {
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
    message: usize,
    start: impl FnOnce() -> Result<*mut cairn_framework::abi::request::Request>,
) {
    let outcome = start();
    special.with(|this: &mut Partitioned| {
        this.messages[message] = match outcome {
            Ok(view) => Message::Going(started(view, this.plan.comm)),
            Err(error) => {
                this.failed.get_or_insert(error);
                Message::Done
            }
        };
    });
}

impl Partitioned {
    /// Begins a round. Where nothing is known of the sender yet: its communicator and rank.
    fn begin(&mut self) -> Option<(CommRef, c_int)> {
        self.complete = 0;
        self.failed = None;
        match &mut self.side {
            Side::Send { .. } => self.messages.fill(Message::Open),
            Side::Receive(_) if self.plan.peer == MPI_PROC_NULL => {}
            Side::Receive(None) => return Some((self.plan.comm, self.plan.peer)),
            Side::Receive(Some(Sender { inbox, broken, .. })) => {
                self.messages.clear();
                inbox.begin();
                self.failed = broken.as_ref().map(Error::again);
            }
        }
        None
    }

    /// The sender is known.
    fn found(&mut self, Theirs { first, cut }: Theirs) {
        let (buffer, mut broken) = (self.plan.buffer(), None);
        // Room for what a round needs. Where there is none, what comes is cut off as a whole, so that at
        // least the sender ends.
        let mut without = |cut: Cut, error: Error| {
            broken.get_or_insert(error);
            Inbox::without_room(cut, buffer)
        };
        let inbox = Inbox::new(cut, self.cut, buffer).unwrap_or_else(|error| without(cut, error));
        let inbox = match room(cut.partitions) {
            Ok(messages) => {
                self.messages = messages;
                inbox
            }
            Err(error) => without(Cut { partitions: 0, bytes: 0 }, error),
        };
        if let Some(error) = &broken {
            self.lost(error.again());
        }
        self.side = Side::Receive(Some(Sender { first, inbox, broken }));
    }

    /// The sender will not be known.
    fn lost(&mut self, error: Error) {
        self.failed.get_or_insert(error);
    }

    /// The next receive to be posted: all are, as soon as it is known what will come.
    fn next_receive(&mut self) -> Option<(usize, PmlReceive)> {
        let Side::Receive(Some(Sender { first, inbox, .. })) = &mut self.side else { return None };
        let message = self.messages.len();
        if message == inbox.messages() {
            return None;
        }
        self.messages.push(Message::Starting);
        let Place { buffer, count, datatype } = inbox.place(message);
        let receive = PmlReceive {
            buffer,
            count,
            datatype,
            comm: self.plan.comm.view(),
            source: self.plan.peer,
            tag: tag(*first + message as u32),
        };
        Some((message, receive))
    }

    /// Looks how far the messages are, from the first that was not complete last time. When all are
    /// complete: how the round ended.
    fn settle(&mut self) -> Option<(Status, Result<()>)> {
        if let Side::Send { announcement, .. } = &mut self.side
            && let Some(sent) = announcement.take_if(|sent| sent.request.is_complete())
        {
            let (_, result) = request::outcome(sent.request);
            request::release(sent.request);
            if let Err(error) = result {
                self.failed.get_or_insert(error);
            }
        }
        // The sender may have become known, by another thread, after the last look for receives to post.
        if let Side::Receive(Some(Sender { inbox, .. })) = &self.side
            && self.messages.len() < inbox.messages()
        {
            return None;
        }
        while self.complete < self.messages.len() {
            if !self.is_done(self.complete) {
                return None;
            }
            self.complete += 1;
        }
        let mut status = match &mut self.side {
            Side::Send { .. } => Status::EMPTY,
            Side::Receive(_) if self.plan.peer == MPI_PROC_NULL => Status::FROM_NOBODY,
            Side::Receive(None) if self.failed.is_none() => return None,
            Side::Receive(None) => Status::received(self.plan.peer, self.plan.tag, 0),
            Side::Receive(Some(Sender { inbox, .. })) => {
                // SAFETY: the program vouches for its buffer until the request is complete.
                if let Err(error) = unsafe { inbox.deliver_all() } {
                    self.failed.get_or_insert(error);
                }
                Status::received(self.plan.peer, self.plan.tag, inbox.bytes())
            }
        };
        Some(match self.failed.take() {
            None => (status, Ok(())),
            Some(error) => {
                status.error = error.code();
                (status, Err(error.at(comm::origin(self.plan.comm))))
            }
        })
    }

    /// Whether a message is complete, which then is given back.
    fn is_done(&mut self, message: usize) -> bool {
        match self.messages[message] {
            Message::Done => return true,
            Message::Going(request) if request.is_complete() => {
                if let (_, Err(error)) = request::outcome(request) {
                    self.failed.get_or_insert(error);
                }
                // Not the last use of the communicator, of which this request is one.
                request::release(request);
            }
            Message::Open | Message::Starting | Message::Going(_) => return false,
        }
        self.messages[message] = Message::Done;
        true
    }
}

impl Persistent for Partitioned {
    fn comm(&self) -> CommRef {
        self.plan.comm
    }

    fn starter(&self) -> fn(&'static Special) -> Result<()> {
        start
    }

    fn end(self: Box<Self>, special: &'static Special) {
        match self.side {
            Side::Send { announcement: Some(Announcement { request, words }), .. } => {
                special::forget_with(request, words);
            }
            Side::Send { .. } => {}
            Side::Receive(_) => meeting::leave(self.plan.comm, special),
        }
        self.plan.comm.release();
    }
}

/// A request as what it is.
fn of(request: RequestRef) -> Result<&'static Special> {
    special::of(request).ok_or_else(other)
}

/// The error of a request that has no partitions.
fn other() -> Error {
    Error::new(MPI_ERR_REQUEST, "the request is not one of partitions")
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
pub fn ready(view: RequestRef, partition: c_int) -> Result<()> {
    let special = of(view)?;
    let active = request::is_active(view);
    let prepared = special.with(|this: &mut Partitioned| this.prepare(partition, active));
    if let Some((message, send)) = prepared.ok_or_else(other)?? {
        launch(special, message, || runtime().isend(&send));
    }
    Ok(())
}

impl Partitioned {
    /// What is to be sent for a partition; nothing for `MPI_PROC_NULL`.
    fn prepare(&mut self, partition: c_int, active: bool) -> Result<Option<(usize, PmlSend)>> {
        if !active {
            return Err(Error::new(MPI_ERR_REQUEST, "the request was not started"));
        }
        let Side::Send { first, .. } = self.side else {
            return Err(Error::new(MPI_ERR_REQUEST, "the request receives"));
        };
        let message = checked(partition, self.plan.partitions)?;
        if !matches!(self.messages[message], Message::Open) {
            let text = "that partition is ready already";
            return Err(Error::argument(MPI_ERR_ARG, "partition", partition, text));
        }
        if self.plan.peer == MPI_PROC_NULL {
            self.messages[message] = Message::Done;
            return Ok(None);
        }
        self.messages[message] = Message::Starting;
        let send = PmlSend {
            buffer: self.plan.buffer().partition(message),
            count: self.plan.count as u64,
            datatype: self.plan.datatype,
            comm: self.plan.comm.view(),
            peer: self.plan.peer.cast_unsigned(),
            tag: tag(first + message as u32),
            mode: PML_STANDARD,
            reserved: 0,
        };
        Ok(Some((message, send)))
    }

    /// Whether all messages have come that a partition is made of; then it is in the buffer.
    fn has(&mut self, partition: c_int) -> Result<bool> {
        let Side::Receive(sender) = &self.side else {
            return Err(Error::new(MPI_ERR_REQUEST, "the request sends"));
        };
        let partition = checked(partition, self.plan.partitions)?;
        let Some(Sender { inbox, .. }) = sender else { return Ok(false) };
        if self.messages.len() < inbox.messages() {
            return Ok(false);
        }
        if !inbox.needs(partition).all(|message| self.is_done(message)) {
            return Ok(false);
        }
        if let Side::Receive(Some(Sender { inbox, .. })) = &mut self.side {
            // SAFETY: the program vouches for its buffer until the request is complete.
            unsafe { inbox.deliver(partition) }?;
        }
        Ok(true)
    }
}

/// Whether a partition has arrived. What is not active or complete has all.
pub fn arrived(view: RequestRef, partition: c_int) -> Result<bool> {
    let special = of(view)?;
    let has = || {
        special.with(|this: &mut Partitioned| this.has(partition)).unwrap_or_else(|| Err(other()))
    };
    if has()? || !request::is_active(view) || view.is_complete() {
        return Ok(true);
    }
    runtime().system.progress();
    Ok(view.is_complete() || has()?)
}
