//! Connecting to a peer: one pair of addresses after the other, until one answers.
//!
//! An attempt connects, says hello and waits for the welcome. Connecting has a deadline; then the
//! next pair is tried. Waiting has none, because the peer answers when it makes progress, which may
//! be after a long computation: after the same time the next pair is tried *besides*, and whoever
//! answers first wins.
//!
//! **Both sides at once.** The connection that the lower rank makes is the one that counts. The
//! higher rank, when it gets the lower one's hello, takes it and drops its own attempts, on which it
//! has sent nothing but hellos. The lower rank, when it gets the higher one's hello, keeps it aside
//! while one of its own hellos is on its way (the peer may have taken it), and takes it otherwise:
//! so it does not matter which side can reach the other. Messages wait in the link's output
//! meanwhile; none has been sent, none is lost.

use std::fmt::Write as _;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Instant;

use cairn_framework::abi::status::{ERR_PEER, ERR_RESOURCES};
use cairn_framework::author::Failure;
use rustix::event::epoll::{self, EventFlags};

use crate::address::{self, Pair};
use crate::context::{LINK_FLAGS, LinkId, Token};
use crate::link::{At, Fault, Link, State};
use crate::lobby::Arrival;
use crate::module;
use crate::params::Config;
use crate::sys;
use crate::wire::{Answer, HELLO, Hello, MAX_FRAME, VERSION, WELCOME, Welcome};

/// How often a pair is tried whose other side closes without an answer: it may have had too many
/// guests, or have taken us for one that stays silent.
const TRIES: u8 = 3;

/// Attempts to connect a link.
pub struct Dial {
    pairs: Vec<Pair>,
    next: usize,
    attempts: Vec<Attempt>,
    /// What became of the attempts that failed.
    tried: Vec<String>,
    /// The peer's own attempt, kept aside.
    aside: Option<Arrival>,
    /// Number of the last attempt.
    last: u8,
}

struct Attempt {
    number: u8,
    socket: OwnedFd,
    pair: Pair,
    tries: u8,
    since: Instant,
    /// The hello, once it is sent, and the answer so far.
    waiting: Option<Waiting>,
}

struct Waiting {
    hello: [u8; HELLO],
    answer: [u8; WELCOME],
    have: usize,
    /// The next pair was tried besides.
    passed: bool,
}

/// How an attempt stands after an event.
enum Stand {
    /// It goes on.
    Open,
    /// The peer is there and sends messages of at most so many bytes.
    Welcome(u32),
    /// It failed.
    Failed(String),
    /// The other side closed without an answer.
    Silent(String),
}

impl Dial {
    /// Makes the first attempt.
    pub fn begin(at: At<'_>, id: LinkId) -> Result<Self, Failure> {
        let card = at.endpoint.card(at.module)?;
        let on_node = at.endpoint.on_node(at.module);
        let module = at.module;
        let pairs = address::pairs(&module.locals, &module.node, &card.addresses, on_node);
        if pairs.is_empty() {
            let theirs: Vec<String> =
                card.addresses.iter().map(|one| one.address.to_string()).collect();
            let ours: Vec<String> = module.locals.iter().map(|one| one.ip.to_string()).collect();
            return Err(Failure::new(
                ERR_PEER,
                format!(
                    "rank {} listens on {} and this process uses {}: there is no way from one to \
                     the other; see btl_tcp_if_include",
                    id.rank,
                    theirs.join(", "),
                    ours.join(", "),
                ),
            ));
        }
        let mut dial =
            Self { pairs, next: 0, attempts: Vec::new(), tried: Vec::new(), aside: None, last: 0 };
        dial.try_next(at, id).map_err(|error| {
            Failure::new(
                ERR_RESOURCES,
                format!("no connection to rank {}: {}", id.rank, sys::explain(&error)),
            )
        })?;
        if dial.attempts.is_empty() {
            return Err(Failure::new(ERR_PEER, dial.exhausted(id.rank)));
        }
        Ok(dial)
    }

    /// Tries the next pair. Fails when there is no file for it and nothing else is under way, and
    /// has tried nothing then.
    fn try_next(&mut self, at: At<'_>, id: LinkId) -> io::Result<()> {
        while self.next < self.pairs.len() {
            let pair = self.pairs[self.next];
            match self.attempt(at, id, pair, 1) {
                Ok(()) => {
                    self.next += 1;
                    return Ok(());
                }
                Err(error) if sys::is_out_of_files(&error) && self.is_fresh() => {
                    return Err(error);
                }
                Err(error) => {
                    self.next += 1;
                    self.tried.push(format!("{pair}: {}", sys::explain(&error)));
                }
            }
        }
        Ok(())
    }

    fn is_fresh(&self) -> bool {
        self.attempts.is_empty() && self.tried.is_empty()
    }

    fn attempt(&mut self, at: At<'_>, id: LinkId, pair: Pair, tries: u8) -> io::Result<()> {
        let socket = sys::dial(pair.from, pair.to, &at.module.config)?;
        self.last = self.last.wrapping_add(1);
        let token = Token::Attempt(id, self.last).encode();
        let flags = EventFlags::IN | EventFlags::OUT | EventFlags::RDHUP | EventFlags::ET;
        sys::watch(&at.context.epoll, &socket, token, flags)?;
        at.module.debug(|| format!("connecting to rank {} at {pair}", id.rank));
        self.attempts.push(Attempt {
            number: self.last,
            socket,
            pair,
            tries,
            since: Instant::now(),
            waiting: None,
        });
        Ok(())
    }

    /// Why there is no connection and won't be.
    fn exhausted(&self, rank: u32) -> String {
        let mut text = format!("rank {rank} can't be reached; tried ");
        text.push_str(&self.tried.join("; "));
        text
    }

    fn said_hello(&self) -> bool {
        self.attempts.iter().any(|attempt| attempt.waiting.is_some())
    }

    /// What it does, for a person.
    pub fn describe(&self) -> String {
        let mut text = String::from("connecting");
        for attempt in &self.attempts {
            let stage = if attempt.waiting.is_some() { "waits for its answer" } else { "dialed" };
            let _ = write!(text, ", {} ({stage})", attempt.pair);
        }
        text
    }
}

impl Attempt {
    /// Goes as far as it can now.
    fn advance(&mut self, at: At<'_>, id: LinkId) -> Stand {
        if self.waiting.is_none() {
            match self.say_hello(at, id) {
                Ok(true) => {}
                Ok(false) => return Stand::Open,
                Err(text) => return Stand::Failed(text),
            }
        }
        let Some(waiting) = &mut self.waiting else { return Stand::Open };
        while waiting.have < WELCOME {
            match rustix::io::read(&self.socket, &mut waiting.answer[waiting.have..]) {
                Ok(0) => return Stand::Silent("closed without an answer".into()),
                Ok(got) => waiting.have += got,
                Err(rustix::io::Errno::AGAIN) => return Stand::Open,
                Err(rustix::io::Errno::INTR) => {}
                Err(rustix::io::Errno::CONNRESET) => {
                    return Stand::Silent("closed without an answer".into());
                }
                Err(error) => return Stand::Failed(error.to_string()),
            }
        }
        let welcome = Welcome::decode(&waiting.answer, at.module.secret(), &waiting.hello);
        let Some(welcome) = welcome else {
            return Stand::Failed("something answers that is not of this job".into());
        };
        match welcome.answer {
            Answer::Welcome if welcome.rank != id.rank || welcome.frame_limit > MAX_FRAME => {
                Stand::Failed("its answer makes no sense".into())
            }
            Answer::Welcome => Stand::Welcome(welcome.frame_limit),
            Answer::WrongRank => Stand::Failed(format!("that is rank {}", welcome.rank)),
            Answer::WrongVersion => Stand::Failed(format!(
                "it speaks version {} of the protocol, this process version {VERSION}",
                welcome.version
            )),
            Answer::NoLink => Stand::Failed("it knows no such link".into()),
            Answer::Ended => Stand::Failed("it has ended the connection".into()),
        }
    }

    /// Says hello if the connection is there; whether it did.
    fn say_hello(&mut self, at: At<'_>, id: LinkId) -> Result<bool, String> {
        sys::connect_error(&self.socket).map_err(|error| sys::explain(&error))?;
        if rustix::net::getpeername(&self.socket).is_err() {
            return Ok(false);
        }
        let mut nonce = [0; 16];
        module::random(&mut nonce).map_err(|failure| failure.text)?;
        let config = &at.module.config;
        let hello = Hello {
            version: VERSION,
            link: id.index,
            source: at.module.rank(),
            target: id.rank,
            frame_limit: config.frame_limit,
            cris: config.num_cris,
            nonce,
        }
        .encode(at.module.secret());
        sys::write_all(self.socket.as_fd(), &hello).map_err(|error| error.to_string())?;
        self.since = Instant::now();
        self.waiting = Some(Waiting { hello, answer: [0; WELCOME], have: 0, passed: false });
        Ok(true)
    }
}

impl Link {
    /// An event of an attempt.
    pub fn attempt_ready(&self, at: At<'_>, number: u8) -> u32 {
        let opened = {
            let core = &mut *self.core.borrow_mut();
            let State::Dialing(dial) = &mut core.state else { return 0 };
            let Some(place) = dial.attempts.iter().position(|one| one.number == number) else {
                return 0;
            };
            match dial.attempts[place].advance(at, self.id) {
                Stand::Open => return 1,
                Stand::Welcome(frame_limit) => {
                    Some((dial.attempts.swap_remove(place), frame_limit))
                }
                Stand::Failed(why) => {
                    dial.failed(place, &why);
                    None
                }
                Stand::Silent(why) => {
                    dial.try_again(at, self.id, place, &why);
                    None
                }
            }
        };
        let Some((attempt, frame_limit)) = opened else {
            self.after_failure(at);
            return 1;
        };
        let pair = attempt.pair;
        let token = Token::Link(self.id).encode();
        let ready = sys::no_delay(&attempt.socket)
            .and_then(|()| sys::rewatch(&at.context.epoll, &attempt.socket, token, LINK_FLAGS));
        match ready {
            // The other attempts, and what is aside, close as the state goes.
            Ok(()) => self.open(at, attempt.socket, pair.to, frame_limit),
            Err(error) => self.set_fault(at, Fault::Io(error)),
        }
        1
    }

    /// After an attempt failed: what was kept aside, the next pair, or the end.
    fn after_failure(&self, at: At<'_>) {
        let aside = {
            let core = &mut *self.core.borrow_mut();
            let State::Dialing(dial) = &mut core.state else { return };
            if dial.said_hello() { None } else { dial.aside.take() }
        };
        if let Some(arrival) = aside {
            return self.adopt(at, arrival);
        }
        let core = &mut *self.core.borrow_mut();
        let State::Dialing(dial) = &mut core.state else { return };
        if dial.attempts.is_empty() {
            if let Err(error) = dial.try_next(at, self.id) {
                dial.tried.push(sys::explain(&error));
            }
            if dial.attempts.is_empty() {
                let text = dial.exhausted(self.id.rank);
                core.set_fault(at, self.id, Fault::Unreachable(text));
            }
        }
    }

    /// The peer has connected.
    pub fn arrive(&self, at: At<'_>, arrival: Arrival) {
        {
            let core = &mut *self.core.borrow_mut();
            match &mut core.state {
                State::Idle | State::Over { orderly: true, .. } => {}
                // Another of the peer's attempts, one of which was taken.
                State::Open(_) => return,
                State::Over { orderly: false, .. } => {
                    let _ = arrival.answer(at.module, Answer::Ended);
                    return;
                }
                State::Dialing(dial) => {
                    if at.module.rank() < self.id.rank && dial.said_hello() {
                        dial.aside = Some(arrival);
                        return;
                    }
                }
            }
        }
        self.adopt(at, arrival);
    }

    /// Takes the peer's connection.
    fn adopt(&self, at: At<'_>, arrival: Arrival) {
        let token = Token::Link(self.id).encode();
        let taken = sys::no_delay(&arrival.socket)
            .and_then(|()| arrival.answer(at.module, Answer::Welcome))
            .and_then(|()| sys::watch(&at.context.epoll, &arrival.socket, token, LINK_FLAGS));
        match taken {
            Ok(()) => {
                self.open(at, arrival.socket, arrival.from, arrival.hello.frame_limit);
            }
            // The peer has gone; if it needs us it comes again.
            Err(error) => {
                at.module.debug(|| format!("{} left: {error}", arrival.from));
                let _ = epoll::delete(&at.context.epoll, &arrival.socket);
                drop(arrival);
                self.after_failure(at);
            }
        }
    }

    /// Deadlines of attempts. Whether the link is still being connected, and the number of events.
    pub fn look_at_the_clock(&self, at: At<'_>, now: Instant) -> (bool, u32) {
        let timeout = at.module.config.connect_timeout;
        let failed = {
            let core = &mut *self.core.borrow_mut();
            let State::Dialing(dial) = &mut core.state else { return (false, 0) };
            let late = |attempt: &Attempt| now >= attempt.since + timeout;
            let slow = dial.attempts.iter().position(|one| one.waiting.is_none() && late(one));
            if let Some(place) = slow {
                dial.failed(place, &format!("no answer within {} ms", timeout.as_millis()));
            }
            let patient = dial.attempts.iter_mut().find_map(|one| {
                let late = now >= one.since + timeout;
                one.waiting.as_mut().filter(|waiting| late && !waiting.passed)
            });
            if let Some(waiting) = patient {
                waiting.passed = true;
                if let Err(error) = dial.try_next(at, self.id) {
                    at.module.debug(|| format!("no further attempt: {error}"));
                }
            }
            slow.is_some()
        };
        if failed {
            self.after_failure(at);
        }
        (matches!(self.core.borrow().state, State::Dialing(_)), u32::from(failed))
    }

    /// When to look at the clock next.
    pub fn dial_deadline(&self, config: &Config) -> Option<Instant> {
        let core = self.core.borrow();
        let State::Dialing(dial) = &core.state else { return None };
        let due = dial.attempts.iter().filter(|one| one.waiting.as_ref().is_none_or(|w| !w.passed));
        due.map(|attempt| attempt.since + config.connect_timeout).min()
    }
}

impl Dial {
    fn failed(&mut self, place: usize, why: &str) {
        let attempt = self.attempts.swap_remove(place);
        self.tried.push(format!("{}: {why}", attempt.pair));
    }

    fn try_again(&mut self, at: At<'_>, id: LinkId, place: usize, why: &str) {
        let attempt = self.attempts.swap_remove(place);
        let (pair, tries) = (attempt.pair, attempt.tries);
        drop(attempt);
        let why = if tries == TRIES {
            format!("{why} ({TRIES} times)")
        } else {
            match self.attempt(at, id, pair, tries + 1) {
                Ok(()) => return,
                Err(error) => sys::explain(&error),
            }
        };
        self.tried.push(format!("{pair}: {why}"));
    }
}
