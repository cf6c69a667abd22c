//! A link: one connection to a peer, in the making, open or over.
//!
//! ```text
//!   Idle ── first message ──► Dialing ── welcome ──► Open ── goodbye, error ──► Over
//!     └───────────── the peer connects ───────────────┘
//! ```
//!
//! Everything here is touched under the lock of the instance that polls the link, or by the one
//! thread there is. Callbacks run in the middle of receiving and may send on the same link: so the
//! two halves are borrowed apart, and `core` never while a callback runs.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, BorrowedFd};
use std::rc::Rc;
use std::time::{Duration, Instant};

use cairn_descriptors::Private;
use cairn_framework::abi::host::LOG_WARN;
use cairn_framework::abi::status::{ERR_PEER, OK, Status};
use cairn_framework::author::{Failure, Outcome};
use cairn_framework::frameworks::btl::BtlCompletion;

use crate::context::{Context, LinkId, Note};
use crate::dial::Dial;
use crate::endpoint::TcpEndpoint;
use crate::input::{self, Input};
use crate::life::Life;
use crate::module::Module;
use crate::output::{self, Finished, Output};
use crate::params::Config;
use crate::sys;
use crate::wire::{Frame, MAX_REQUESTS, Violation};

/// Where a link is: what its functions need besides itself.
#[derive(Clone, Copy)]
pub struct At<'a> {
    pub module: &'a Module,
    /// Of the instance that polls the link.
    pub context: &'a Context,
    pub endpoint: &'a TcpEndpoint,
}

/// A connection to a peer. See the module's text for who may touch it when.
pub struct Link {
    pub id: LinkId,
    /// Borrowed briefly, never while a callback runs.
    pub core: RefCell<Core>,
    /// Borrowed by the one progress call that receives.
    pub input: RefCell<Input>,
}

// SAFETY: links are touched under the lock of their instance only.
unsafe impl Sync for Link {}
// SAFETY: see `Sync`.
unsafe impl Send for Link {}

/// Everything of a link but the receiving half.
pub struct Core {
    pub state: State,
    pub work: Work,
    /// Stands in the list of those whose socket was full.
    full: bool,
    /// Why the link is to end, once progress comes by.
    fault: Option<Fault>,
    /// The goodbye is in the output, and the connection is closed once it is sent.
    said_goodbye: bool,
    /// Where the peer is.
    pub peer: Option<SocketAddr>,
    /// Whether the peer of an open connection is there.
    pub life: Life,
    /// The number of the peer's last hello.
    pub heard: u64,
}

/// What is under way on a link.
pub struct Work {
    pub output: Output,
    /// Gets that wait for their answer, by place; the token has the place and a turn.
    gets: Vec<Option<Get>>,
    turn: u32,
    /// Puts that were started, and those of them that a flush has covered.
    puts: u64,
    flushed: u64,
    /// Flushes on their way: the puts they cover, and who waits.
    flushes: VecDeque<(u64, Waiter)>,
}

/// How far the connection has come.
pub enum State {
    /// Nobody needed it.
    Idle,
    /// On its way.
    Dialing(Box<Dial>),
    /// There.
    Open(Private),
    /// It was, or could not be made.
    Over {
        /// What to tell those who want to use it.
        text: String,
        /// The peer said goodbye: it may come again.
        orderly: bool,
    },
}

/// Why a link ends.
#[derive(Debug)]
pub enum Fault {
    /// The peer said goodbye and closed.
    Goodbye,
    /// The peer's end came without a goodbye.
    End,
    /// The socket.
    Io(io::Error),
    /// The peer's node has answered nothing for so long.
    Unheard(Duration),
    /// Another link to the peer was lost.
    Lost,
    /// The peer broke the protocol.
    Violation(Violation),
    /// Memory that a peer reads or writes was deregistered in the middle.
    Withdrawn(Violation),
    /// It can't be made.
    Unreachable(String),
}

struct Get {
    token: u64,
    address: *mut u8,
    len: u32,
    completion: *mut BtlCompletion,
}

/// Who waits for a flush: of one link, or of several together.
#[derive(Clone)]
pub enum Waiter {
    One(*mut BtlCompletion),
    Several(Rc<SharedFlush>),
}

/// A flush of several links.
pub struct SharedFlush {
    pub completion: *mut BtlCompletion,
    /// The first failure.
    pub status: std::cell::Cell<Status>,
}

impl Waiter {
    /// One link is flushed.
    fn finish(self, status: Status, finished: &mut VecDeque<Finished>) {
        match self {
            Self::One(completion) => finished.push_back((completion, status)),
            Self::Several(shared) => {
                if shared.status.get() == OK {
                    shared.status.set(status);
                }
                if let Some(last) = Rc::into_inner(shared) {
                    finished.push_back((last.completion, last.status.get()));
                }
            }
        }
    }
}

impl Link {
    pub fn new(rank: u32, index: u16, config: &Config) -> Self {
        Self {
            id: LinkId { rank, index },
            core: RefCell::new(Core {
                state: State::Idle,
                work: Work {
                    output: Output::new(config.output_limit),
                    gets: Vec::new(),
                    turn: 0,
                    puts: 0,
                    flushed: 0,
                    flushes: VecDeque::new(),
                },
                full: false,
                fault: None,
                said_goodbye: false,
                peer: None,
                life: Life::default(),
                heard: 0,
            }),
            input: RefCell::new(Input::new()),
        }
    }

    /// Bytes that were copied and not sent.
    pub fn buffered(&self) -> usize {
        self.core.borrow().work.output.buffered()
    }

    /// Sends something by a function that gets the socket, if there is one already. Begins to
    /// connect if nobody did.
    #[inline]
    pub fn send(
        &self,
        at: At<'_>,
        send: impl FnOnce(&mut Work, Option<BorrowedFd<'_>>) -> io::Result<Outcome>,
    ) -> Result<Outcome, Failure> {
        at.context.traffic();
        let core = &mut *self.core.borrow_mut();
        if core.said_goodbye {
            // A new connection comes after this one.
            return Ok(Outcome::NoResources);
        }
        if !matches!(core.state, State::Open(_)) || core.fault.is_some() {
            self.prepare(at, core)?;
        }
        let socket = match &core.state {
            State::Open(socket) => Some(socket.as_fd()),
            _ => None,
        };
        let outcome = send(&mut core.work, socket);
        if !core.full && !core.work.output.is_empty() && matches!(core.state, State::Open(_)) {
            core.full = true;
            at.context.full.borrow_mut().push_back(self.id);
        }
        outcome.map_err(|error| {
            let text = at.lost(core, &error.to_string());
            core.set_fault(at, self.id, Fault::Io(error));
            Failure::new(ERR_PEER, text)
        })
    }

    /// Makes an idle link connect; says why one that is over can't be used.
    #[cold]
    fn prepare(&self, at: At<'_>, core: &mut Core) -> Result<(), Failure> {
        if let Some(fault) = &core.fault {
            return Err(Failure::new(ERR_PEER, at.explain(core, fault, false)));
        }
        match &core.state {
            State::Idle if at.endpoint.is_lost() => {
                let text = at.explain(core, &Fault::Lost, false);
                Err(Failure::new(ERR_PEER, text))
            }
            State::Idle => {
                at.endpoint.mark_used();
                let dial = Dial::begin(at, self.id)?;
                let over = dial.is_over(&at.module.config).then(|| dial.exhausted(at));
                core.state = State::Dialing(Box::new(dial));
                at.context.dialing.borrow_mut().push_back(self.id);
                let Some(text) = over else { return Ok(()) };
                core.set_fault(at, self.id, Fault::Unreachable(text.clone()));
                Err(Failure::new(ERR_PEER, text))
            }
            State::Over { text, .. } => Err(Failure::new(ERR_PEER, text.clone())),
            State::Dialing(_) | State::Open(_) => Ok(()),
        }
    }

    /// Sends what the socket takes of what waits, and closes the connection if that was the last.
    pub fn push(&self, at: At<'_>) -> u32 {
        let events = self.write(at);
        if self.is_last_said(at) {
            self.drop_connection(at);
        }
        events
    }

    /// Whether everything is on its way, the goodbye included.
    fn is_last_said(&self, at: At<'_>) -> bool {
        let core = &mut *self.core.borrow_mut();
        let State::Open(socket) = &core.state else { return false };
        if !core.said_goodbye || core.fault.is_some() || !core.work.output.is_empty() {
            return false;
        }
        // The kernel does not wait for long for a peer without room when the connection is closed.
        let is_sent = sys::unsent(socket) == 0;
        if !is_sent && !core.full {
            core.full = true;
            at.context.full.borrow_mut().push_back(self.id);
        }
        is_sent
    }

    fn write(&self, at: At<'_>) -> u32 {
        let core = &mut *self.core.borrow_mut();
        let State::Open(socket) = &core.state else { return 0 };
        if core.work.output.is_empty() || core.fault.is_some() {
            return 0;
        }
        let finished = &mut *at.context.finished.borrow_mut();
        let before = finished.len();
        match core.work.output.write(socket.as_fd(), &at.module.registry, finished) {
            Ok(true) => at.context.again.borrow_mut().push_back(self.id),
            Ok(false) if !core.work.output.is_empty() && !core.full => {
                core.full = true;
                at.context.full.borrow_mut().push_back(self.id);
            }
            Ok(false) => {}
            Err(output::Failed::Io(error)) => core.set_fault(at, self.id, Fault::Io(error)),
            Err(output::Failed::Memory(violation)) => {
                core.set_fault(at, self.id, Fault::Withdrawn(violation));
            }
        }
        (finished.len() - before) as u32
    }

    /// As [`Link::push`], for one whose socket was full.
    pub fn push_again(&self, at: At<'_>) -> u32 {
        self.core.borrow_mut().full = false;
        self.push(at)
    }

    /// Takes a connection whose greeting is done. The peer sends messages of at most `frame_limit`
    /// bytes.
    pub fn open(&self, at: At<'_>, socket: Private, peer: SocketAddr, frame_limit: u32) {
        at.endpoint.mark_used();
        self.input.borrow_mut().begin(frame_limit);
        {
            let core = &mut *self.core.borrow_mut();
            core.state = State::Open(socket);
            core.peer = Some(peer);
            core.life = Life::default();
        }
        at.context.watch_from(Instant::now(), &at.module.config);
        at.endpoint.link_opened();
        if at.endpoint.is_lost() {
            self.lose(at);
        }
        at.module.debug(|| format!("connected to rank {} ({peer})", at.endpoint.rank));
        self.push(at);
    }

    /// Says why the link is to end; progress will end it.
    pub fn set_fault(&self, at: At<'_>, fault: Fault) {
        self.core.borrow_mut().set_fault(at, self.id, fault);
    }

    /// Another link to the peer was lost.
    pub fn lose(&self, at: At<'_>) {
        if matches!(self.core.borrow().state, State::Open(_) | State::Dialing(_)) {
            self.set_fault(at, Fault::Lost);
        }
    }

    /// Ends a link that has a fault: what arrived before is handed on, what waits fails. If it is lost,
    /// the others to the peer end too, each under the lock of its instance, and with the last of them
    /// the peer has failed: so nothing that arrived on any of them comes too late.
    pub fn end(&self, at: At<'_>) -> u32 {
        let mut events = 1;
        let Some(mut fault) = self.core.borrow_mut().fault.take() else { return 0 };
        if matches!(fault, Fault::Io(_) | Fault::Unheard(_) | Fault::Lost) {
            // The peer's last words may still be here.
            loop {
                let before = events;
                match self.receive_some(at) {
                    Ok(count) => events += count,
                    Err(input::Failed::Violation(violation)) => {
                        fault = Fault::Violation(violation);
                        break;
                    }
                    Err(input::Failed::Io(_)) => break,
                }
                if events == before {
                    break;
                }
            }
            if self.input.borrow().bye {
                fault = Fault::Goodbye;
            }
        }
        let inside = self.input.borrow().is_inside();
        *self.input.borrow_mut() = Input::new();
        let core = &mut *self.core.borrow_mut();
        let text = at.explain(core, &fault, inside);
        // A peer that could never be reached may live, but what was sent to it is lost.
        let first = !matches!(fault, Fault::Goodbye) && !at.endpoint.mark_lost();
        if first {
            at.module.host.log(LOG_WARN, || text.clone());
        } else {
            at.module.debug(|| text.clone());
        }
        core.close(at, State::Over { text, orderly: matches!(fault, Fault::Goodbye) });
        if first {
            for other in at.endpoint.links.iter().filter(|other| other.id != self.id) {
                at.module.context_of(other.id.index).tell(Note::Lost(other.id));
            }
        }
        if at.endpoint.is_gone() && !at.module.is_closing() {
            at.module.host.peer_failed(at.endpoint.rank);
        }
        events
    }

    /// Puts the goodbye behind what waits, if there is a connection or will be one. True when
    /// everything is sent, or never will be; then the connection is closed.
    pub fn say_goodbye(&self, at: At<'_>) -> bool {
        let unused = {
            let core = &mut *self.core.borrow_mut();
            let unused = match &core.state {
                State::Idle => return true,
                State::Over { .. } => {
                    core.state = State::Idle;
                    return true;
                }
                // A peer that finds a hello and then no connection would take this process for dead.
                State::Dialing(dial) => core.work.output.is_empty() && !dial.said_hello(),
                State::Open(_) => core.fault.is_some(),
            };
            if !unused && !core.said_goodbye {
                core.said_goodbye = true;
                core.work.output.append(Frame::Bye);
            }
            unused
        };
        if unused {
            self.drop_connection(at);
        } else {
            self.push(at);
        }
        matches!(self.core.borrow().state, State::Idle)
    }

    /// Closes the connection and forgets it. What waits fails.
    pub fn drop_connection(&self, at: At<'_>) {
        let core = &mut *self.core.borrow_mut();
        if let State::Open(socket) = &core.state {
            let _ = rustix::net::shutdown(socket, rustix::net::Shutdown::Write);
            // Bytes that nobody read would make the kernel reset the connection, and the reset may
            // overtake what the peer has not read yet.
            let mut rest = [0u8; 4096];
            while rustix::io::read(socket, &mut rest).is_ok_and(|got| got > 0) {}
        }
        core.close(at, State::Idle);
        if let Ok(mut input) = self.input.try_borrow_mut() {
            *input = Input::new();
        }
    }

    /// Asks for registered memory of the peer.
    pub fn get(
        &self,
        at: At<'_>,
        (key, remote, len): (u64, u64, u32),
        address: *mut u8,
        completion: *mut BtlCompletion,
    ) -> Result<Outcome, Failure> {
        self.send(at, |work, socket| {
            let free = work.gets.iter().position(Option::is_none);
            let place = free.unwrap_or(work.gets.len());
            if place == MAX_REQUESTS {
                return Ok(Outcome::NoResources);
            }
            work.turn = work.turn.wrapping_add(1);
            let token = u64::from(work.turn) << 32 | place as u64;
            let head = Frame::Get { token, key, address: remote, len }.head();
            let bytes = head.bytes();
            // SAFETY: the piece is a slice.
            let sent = unsafe {
                work.output.send_copied(socket, &[sys::piece(bytes.as_ptr(), bytes.len())])?
            };
            if sent == Outcome::Done {
                if place == work.gets.len() {
                    work.gets.push(None);
                }
                work.gets[place] = Some(Get { token, address, len, completion });
                return Ok(Outcome::Queued);
            }
            Ok(sent)
        })
    }

    /// Whether a flush has something to wait for, and whether another may be started.
    pub fn needs_flush(&self) -> Result<bool, ()> {
        let core = self.core.borrow();
        let work = &core.work;
        if work.puts == work.flushed || matches!(core.state, State::Over { .. }) {
            Ok(false)
        } else if work.flushes.len() < MAX_REQUESTS {
            Ok(true)
        } else {
            Err(())
        }
    }

    /// Why the link can't be used any more, if so.
    pub fn usable(&self, at: At<'_>) -> Result<(), Failure> {
        let core = self.core.borrow();
        match (&core.state, &core.fault) {
            (State::Over { text, .. }, _) => Err(Failure::new(ERR_PEER, text.clone())),
            (_, Some(fault)) => Err(Failure::new(ERR_PEER, at.explain(&core, fault, false))),
            _ => Ok(()),
        }
    }

    /// Asks the peer to say when the puts so far are in its memory.
    pub fn flush(&self, at: At<'_>, waiter: Waiter) -> Result<Outcome, Failure> {
        let sent = self.send(at, |work, _| {
            work.output.append(Frame::Flush { token: work.puts });
            work.flushes.push_back((work.puts, waiter));
            Ok(Outcome::Queued)
        })?;
        self.push(at);
        Ok(sent)
    }

    /// What the link does, for a person, if it is not idle.
    pub fn describe(&self) -> Option<String> {
        let Ok(core) = self.core.try_borrow() else { return Some("in use".into()) };
        let waits = match core.work.output.buffered() {
            0 => String::new(),
            bytes => format!(", {bytes} bytes wait"),
        };
        Some(match &core.state {
            State::Idle => return None,
            State::Dialing(dial) => format!("{}{waits}", dial.describe()),
            State::Open(_) => {
                let peer = core.peer.map_or_else(String::new, |peer| format!(" to {peer}"));
                format!("connected{peer}{waits}")
            }
            State::Over { text, .. } => text.clone(),
        })
    }
}

impl Core {
    /// The first fault counts.
    pub fn set_fault(&mut self, at: At<'_>, id: LinkId, fault: Fault) {
        if self.fault.is_none() && !matches!(self.state, State::Over { .. }) {
            self.fault = Some(fault);
            at.context.broken.borrow_mut().push_back(id);
            at.context.traffic();
        }
    }

    /// There is no connection any more, if there was one; what waits fails.
    fn close(&mut self, at: At<'_>, state: State) {
        if matches!(self.state, State::Open(_)) {
            at.endpoint.link_closed();
        }
        self.state = state;
        self.fault = None;
        self.said_goodbye = false;
        self.work.fail(ERR_PEER, &mut at.context.finished.borrow_mut());
    }
}

impl Work {
    /// A put was started.
    pub fn count_put(&mut self) {
        self.puts += 1;
    }

    /// The place and the memory of a get that is answered with so many bytes.
    pub fn answered(&self, token: u64, len: u32) -> Result<(usize, *mut u8), Violation> {
        let place = token as u32 as usize;
        match self.gets.get(place) {
            Some(Some(get)) if get.token == token && get.len == len => Ok((place, get.address)),
            _ => Err(Violation::Answer(token)),
        }
    }

    /// A get's bytes are all there.
    pub fn got(&mut self, place: usize, finished: &mut VecDeque<Finished>) {
        if let Some(get) = self.gets.get_mut(place).and_then(Option::take) {
            finished.push_back((get.completion, OK));
        }
    }

    /// The peer has everything before a flush in its memory.
    pub fn flush_done(
        &mut self,
        token: u64,
        finished: &mut VecDeque<Finished>,
    ) -> Result<(), Violation> {
        match self.flushes.pop_front() {
            Some((puts, waiter)) if puts == token => {
                self.flushed = puts;
                waiter.finish(OK, finished);
                Ok(())
            }
            other => {
                self.flushes.extend(other);
                Err(Violation::Answer(token))
            }
        }
    }

    /// Ends everything that waits.
    fn fail(&mut self, status: Status, finished: &mut VecDeque<Finished>) {
        self.output.fail(status, finished);
        for get in self.gets.drain(..).flatten() {
            finished.push_back((get.completion, status));
        }
        for (_, waiter) in self.flushes.drain(..) {
            waiter.finish(status, finished);
        }
        (self.puts, self.flushed) = (0, 0);
    }
}

impl At<'_> {
    /// The peer's name for messages.
    fn peer(&self, core: &Core) -> String {
        match core.peer {
            Some(address) => format!("rank {} ({address})", self.endpoint.rank),
            None => format!("rank {}", self.endpoint.rank),
        }
    }

    fn lost(&self, core: &Core, why: &str) -> String {
        format!("the connection to {} broke: {why}", self.peer(core))
    }

    fn explain(&self, core: &Core, fault: &Fault, inside: bool) -> String {
        match fault {
            Fault::Goodbye => format!("{} has closed the connection", self.peer(core)),
            Fault::End if inside => {
                self.lost(core, "it ended in the middle of a message; the process died")
            }
            Fault::End => self.lost(core, "it ended without a goodbye; the process died"),
            Fault::Io(error) => {
                self.lost(core, &format!("{}; the process died or the network failed", error))
            }
            Fault::Unheard(time) => self.lost(
                core,
                &format!(
                    "nothing was heard of it for {} s (btl_tcp_peer_timeout); its node or the \
                     network failed",
                    time.as_secs_f32()
                ),
            ),
            Fault::Lost => {
                self.lost(core, "another one to it broke; the process died or the network failed")
            }
            Fault::Violation(violation) => self.lost(
                core,
                &format!("the peer broke the protocol: {violation}. The connection is closed"),
            ),
            Fault::Withdrawn(violation) => {
                self.lost(core, &format!("memory was withdrawn in the middle of {violation}"))
            }
            Fault::Unreachable(text) => text.clone(),
        }
    }
}
