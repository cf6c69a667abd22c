//! A link: one connection to a peer, in the making, open or over.
//!
//! ```text
//!   Idle ── first message ──► Dialing ── welcome ──► Open ── goodbye, error ──► Over
//!     └───────────── the peer connects ───────────────┘
//! ```
//!
//! Everything here is touched under the lock of the CRI that polls the link, or by the one
//! thread there is. Callbacks run in the middle of receiving and may send on the same link: so the
//! two halves are borrowed apart, and `core` never while a callback runs.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant};

use cairn_descriptors::Private;
use cairn_framework::abi::status::{OK, Status};
use cairn_framework::frameworks::btl::Completion;
use cairn_transport::life::Life;

use crate::dial::Dial;
use crate::event::LinkId;
use crate::input::Input;
use crate::output::{Finished, Output};
use crate::params::Config;
use crate::wire::{MAX_REQUESTS, Violation};

/// A connection to a peer. See the text of this file for when it may be touched.
pub struct Link {
    pub id: LinkId,
    /// Of the one in lane 0: in which lane the last get went.
    pub lane: Cell<u16>,
    /// Borrowed briefly, never while a callback runs.
    pub core: RefCell<Core>,
    /// Borrowed by the one progress call that receives.
    pub input: RefCell<Input>,
}

// SAFETY: links are touched under the lock of their CRI only.
unsafe impl Sync for Link {}
// SAFETY: see `Sync`.
unsafe impl Send for Link {}

/// Everything of a link but the receiving half.
pub struct Core {
    pub state: State,
    pub work: Work,
    /// Stands in the list of those with a full socket.
    pub full: bool,
    /// Why the link is to end, once progress comes by.
    pub fault: Option<Fault>,
    /// The goodbye is in the output, and the connection is closed once it is sent.
    pub said_goodbye: bool,
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
    pub gets: Vec<Option<Get>>,
    pub turn: u32,
    /// Puts that were started, and those of them that a flush has covered.
    pub puts: u64,
    pub flushed: u64,
    /// Flushes on their way: the puts they cover, and what waits.
    pub flushes: VecDeque<(u64, Waiter)>,
}

/// How far the connection has come.
pub enum State {
    /// It was not needed yet.
    Idle,
    /// On its way.
    Dialing(Box<Dial>),
    /// There.
    Open(Private),
    /// It was, or could not be made.
    Over {
        /// What to tell callers that want to use it.
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

/// A get that waits for its answer.
pub struct Get {
    pub token: u64,
    pub address: *mut u8,
    pub len: u32,
    pub completion: Completion,
}

/// What waits for a flush: of one link, or of several together.
pub enum Waiter {
    One(Completion),
    Several(Rc<SharedFlush>),
}

/// A flush of several links.
pub struct SharedFlush {
    pub completion: Completion,
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
            lane: Cell::default(),
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

    /// When to look at the clock next.
    pub fn dial_deadline(&self, config: &Config) -> Option<Instant> {
        let core = self.core.borrow();
        let State::Dialing(dial) = &core.state else { return None };
        let due = dial.attempts.iter().filter(|one| one.waiting.as_ref().is_none_or(|w| !w.passed));
        due.map(|attempt| attempt.since + config.connect_timeout).chain(dial.pause).min()
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

    /// Gives back the room for what is not under way now.
    pub fn rest(&mut self) {
        self.output.rest();
        if self.gets.iter().all(Option::is_none) {
            self.gets = Vec::new();
        }
        if self.flushes.is_empty() {
            self.flushes = VecDeque::new();
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
    pub fn fail(&mut self, status: Status, finished: &mut VecDeque<Finished>) {
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
