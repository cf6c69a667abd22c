//! Connecting to a peer: one pair of addresses after the other, until one answers.
//!
//! An attempt connects, says hello and waits for the welcome. Connecting has a deadline; then the
//! next pair is tried. Waiting has none, because the peer answers when it makes progress, which may
//! be after a long computation: after the same time the next pair is tried *besides*, and whichever
//! is answered first is taken.
//!
//! **Again and again.** What goes wrong is final for a pair (nothing listens there, or something
//! else), or it may be gone at the next try: the network is disturbed, the other side closed without an
//! answer because it had no room. Pairs of the second kind are tried in further rounds, for
//! `peer_timeout`; then the peer has failed. The last round begins after that time, so that a process
//! that was computing meanwhile has tried at least once when it comes back. Where this process has no
//! file or memory for a connection, the attempt waits for as long as it takes; nothing is the peer's
//! fault then.
//!
//! **Both sides at once.** The connection that the lower rank makes is the one that counts. The
//! higher rank, when it gets the lower one's hello, takes it and drops its own attempts, on which it
//! has sent nothing but hellos. The lower rank, when it gets the higher one's hello, keeps it aside
//! while one of its own hellos is on its way (the peer may have taken it), and takes it otherwise:
//! so it does not matter which side can reach the other. Messages wait in the link's output
//! meanwhile; none has been sent, none is lost.

use std::io;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use cairn_descriptors::Private;
use cairn_framework::abi::host::LOG_WARN;
use cairn_framework::author::Failure;
use cairn_transport::life::{AckState, Life};
use rustix::event::epoll::EventFlags;

use crate::address;
use crate::dial::{Attempt, Candidate, Dial, Reason, Waiting};
use crate::event::{Arrival, LINK_FLAGS, LinkId, Token};
use crate::link::{Fault, Link, State};
use crate::module::{self, At};
use crate::sys;
use crate::wire::{Answer, Hello, MAX_FRAME, Nonce, VERSION, WELCOME, Welcome, lane_and_cri};

/// Time between two rounds, and between two tries for a file.
const PAUSE: Duration = Duration::from_millis(100);

/// How an attempt stands after an event.
enum AttemptState {
    /// It goes on.
    Open,
    /// The peer is there.
    Welcome(Welcome),
    /// It failed.
    Failed(Reason),
}

impl Dial {
    /// Makes the first attempt. There may be none afterwards: either it goes on later, or
    /// [`Dial::is_over`].
    pub fn begin(at: At<'_>, id: LinkId) -> Result<Self, Failure> {
        let (module, card) = (at.module, at.endpoint.card()?);
        let on_node = at.endpoint.on_node();
        let (lane, cri) = lane_and_cri(id.index);
        let turn = usize::from(lane + cri);
        let pairs = address::pairs(&module.locals, &module.node, &card.addresses, on_node, turn);
        let candidate = |pair| Candidate { pair, refused: false, failures: 0, why: String::new() };
        let now = Instant::now();
        let mut dial = Self {
            candidates: pairs.into_iter().map(candidate).collect(),
            next: 0,
            attempts: Vec::new(),
            aside: None,
            listener: card.nonce,
            last: 0,
            began: now,
            round: now,
            pause: None,
            warned: false,
        };
        dial.go_on(at, id);
        Ok(dial)
    }

    /// Tries the next pair of the round, and further ones as long as they fail at once. If then nothing
    /// is under way, there is a pause, or it is over.
    fn go_on(&mut self, at: At<'_>, id: LinkId) {
        while let Some(candidate) = self.candidates.get(self.next) {
            let place = self.next;
            if !candidate.refused {
                match self.attempt(at, id, place) {
                    Ok(()) => {
                        self.next += 1;
                        return;
                    }
                    Err(error) if sys::is_shortage(&error) => {
                        let why = sys::explain(&error);
                        let text = format!("no connection to rank {} for now: {why}", id.rank);
                        at.module.host.show_once(c"dial", &format!("{text}; messages wait"));
                        if self.attempts.is_empty() {
                            self.pause = Some(Instant::now() + PAUSE);
                        }
                        return;
                    }
                    Err(error) => self.candidates[place].failed(error.into()),
                }
            }
            self.next += 1;
        }
        if self.attempts.is_empty() && !self.is_over(&at.module.config) {
            self.warn_once(at, id);
            self.pause = Some(Instant::now() + PAUSE);
        }
    }

    /// Begins to connect. On one node the connection is there at once, and the hello said.
    fn attempt(&mut self, at: At<'_>, id: LinkId, candidate: usize) -> io::Result<()> {
        let pair = self.candidates[candidate].pair;
        let socket = sys::dial(pair.from, pair.to, &at.module.config)?;
        let is_free = |number: &u8| self.attempts.iter().all(|one| one.number != *number);
        let number = (1..=u8::MAX).map(|step| self.last.wrapping_add(step)).find(is_free);
        // No process has so many addresses that all numbers are taken.
        let number = number.ok_or(io::ErrorKind::QuotaExceeded)?;
        self.last = number;
        let token = Token::Attempt(id, number).encode();
        let flags = EventFlags::IN | EventFlags::OUT | EventFlags::RDHUP | EventFlags::ET;
        sys::watch(&at.context.shared.epoll, &socket, token, flags)?;
        at.module.debug(|| format!("connecting to rank {} at {pair}", id.rank));
        let since = Instant::now();
        let mut attempt = Attempt { number, socket, candidate, since, waiting: None };
        attempt.say_hello(at, id, &self.listener)?;
        self.attempts.push(attempt);
        Ok(())
    }

    /// Why there is no connection and won't be.
    pub fn exhausted(&self, at: At<'_>) -> String {
        let rank = at.endpoint.rank;
        if self.candidates.is_empty() {
            let card = at.endpoint.card();
            let theirs = card.map_or_else(
                |failure| failure.text,
                |card| list(card.addresses.iter().map(|one| one.address.to_string())),
            );
            let ours = list(at.module.locals.iter().map(|one| one.ip.to_string()));
            return format!(
                "rank {rank} listens on {theirs} and this process uses {ours}: there is no way from \
                 one to the other; see btl_tcp_if_include"
            );
        }
        format!("rank {rank} can't be reached; tried {}", self.tried())
    }

    /// Tells the user of a peer that has not answered for a while.
    fn warn_once(&mut self, at: At<'_>, id: LinkId) {
        let config = &at.module.config;
        if self.warned || self.began.elapsed() < config.connect_timeout {
            return;
        }
        self.warned = true;
        at.module.host.log(LOG_WARN, || {
            let (tried, time) = (self.tried(), config.peer_timeout.as_secs_f32());
            format!("rank {} does not answer and is tried again for {time} s: {tried}", id.rank)
        });
    }
}

fn list(words: impl Iterator<Item = String>) -> String {
    words.collect::<Vec<_>>().join(", ")
}

impl Attempt {
    /// Goes as far as it can now.
    fn advance(&mut self, at: At<'_>, id: LinkId, listener: &Nonce) -> AttemptState {
        match self.say_hello(at, id, listener) {
            Ok(true) => {}
            Ok(false) => return AttemptState::Open,
            Err(error) => return AttemptState::Failed(error.into()),
        }
        let Some(waiting) = &mut self.waiting else { return AttemptState::Open };
        while waiting.have < WELCOME {
            match rustix::io::read(&self.socket, &mut waiting.answer[waiting.have..]) {
                Ok(got) if got > 0 => waiting.have += got,
                Ok(_) | Err(rustix::io::Errno::CONNRESET) => {
                    return AttemptState::Failed(Reason::passing("closed without an answer"));
                }
                Err(rustix::io::Errno::AGAIN) => return AttemptState::Open,
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return AttemptState::Failed(io::Error::from(error).into()),
            }
        }
        let welcome = Welcome::decode(&waiting.answer, at.module.secret(), &waiting.hello);
        let Some(welcome) = welcome else {
            return AttemptState::Failed(Reason::refused(
                "something answers that is not of this job",
            ));
        };
        AttemptState::Failed(Reason::refused(match welcome.answer {
            Answer::Welcome if welcome.rank != id.rank || welcome.frame_limit > MAX_FRAME => {
                "its answer makes no sense".into()
            }
            Answer::Welcome => return AttemptState::Welcome(welcome),
            Answer::WrongRank => format!("that is rank {}", welcome.rank),
            Answer::WrongVersion => format!(
                "it speaks version {} of the protocol, this process version {VERSION}",
                welcome.version
            ),
            Answer::NoLink => "it knows no such link".into(),
            Answer::Ended => "it has ended the connection".into(),
        }))
    }

    /// Says hello, once, if the connection is there; whether it did.
    fn say_hello(&mut self, at: At<'_>, id: LinkId, listener: &Nonce) -> io::Result<bool> {
        if self.waiting.is_some() {
            return Ok(true);
        }
        sys::connect_error(&self.socket)?;
        if rustix::net::getpeername(&self.socket).is_err() {
            return Ok(false);
        }
        let (mut nonce, config) = ([0; 16], &at.module.config);
        module::random(&mut nonce)?;
        let hello = Hello {
            version: VERSION,
            link: id.index,
            source: at.module.rank(),
            target: id.rank,
            frame_limit: config.frame_limit,
            cris: config.num_cris,
            lanes: config.lanes,
            count: at.module.next_hello(),
            listener: *listener,
            nonce,
        }
        .encode(at.module.secret());
        sys::write_all(self.socket.as_fd(), &hello)?;
        self.since = Instant::now();
        let (answer, life) = ([0; WELCOME], Life::default());
        self.waiting = Some(Waiting { hello, answer, have: 0, passed: false, life });
        at.context.watch_from(self.since, config);
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
            match dial.attempts[place].advance(at, self.id, &dial.listener) {
                AttemptState::Open => return 1,
                AttemptState::Welcome(welcome) => {
                    let attempt = dial.attempts.swap_remove(place);
                    let peer = dial.candidates[attempt.candidate].pair.to;
                    // Connections of the peer for this link that are still to come are none.
                    core.heard = core.heard.max(welcome.hellos);
                    Some((attempt.socket, peer, welcome.frame_limit))
                }
                AttemptState::Failed(reason) => {
                    dial.failed(place, reason);
                    None
                }
            }
        };
        let Some((socket, peer, frame_limit)) = opened else {
            self.after_failure(at);
            return 1;
        };
        let token = Token::Link(self.id).encode();
        let ready = sys::prepare(&socket, at.endpoint.is_within_machine(), &at.module.config)
            .and_then(|()| sys::rewatch(&at.context.shared.epoll, &socket, token, LINK_FLAGS));
        match ready {
            // The other attempts, and what is aside, close as the state goes.
            Ok(()) => self.open(at, socket, peer, frame_limit),
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
        if dial.attempts.is_empty() && dial.pause.is_none() {
            dial.go_on(at, self.id);
        }
        if dial.is_over(&at.module.config) {
            let text = dial.exhausted(at);
            core.set_fault(at, self.id, Fault::Unreachable(text));
        }
    }

    /// The peer has connected.
    pub fn arrive(&self, at: At<'_>, arrival: Arrival) {
        {
            let core = &mut *self.core.borrow_mut();
            if arrival.hello.count <= core.heard {
                let from = arrival.from;
                at.module.debug(|| format!("closed the connection of {from}: its hello is old"));
                return;
            }
            core.heard = arrival.hello.count;
            match &mut core.state {
                _ if at.endpoint.is_lost() => {
                    let _ = at.module.answer(&arrival, Answer::Ended);
                    return;
                }
                State::Idle | State::Over { orderly: true, .. } => {}
                // Another of the peer's attempts, one of which was taken.
                State::Open(_) => return,
                State::Over { orderly: false, .. } => {
                    let _ = at.module.answer(&arrival, Answer::Ended);
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
        // The answer last: the peer counts on a connection that is welcome.
        let taken =
            sys::prepare(&arrival.socket, at.endpoint.is_within_machine(), &at.module.config)
                .and_then(|()| {
                    sys::watch(&at.context.shared.epoll, &arrival.socket, token, LINK_FLAGS)
                })
                .and_then(|()| at.module.answer(&arrival, Answer::Welcome));
        match taken {
            Ok(()) => {
                self.open(at, arrival.socket, arrival.from, arrival.hello.frame_limit);
            }
            // The peer has gone, or there is too little memory; if it needs us it comes again.
            Err(error) => {
                if sys::is_shortage(&error) {
                    at.module.report_shortage(&error);
                }
                at.module.debug(|| format!("{} left: {error}", arrival.from));
                drop(arrival);
                self.after_failure(at);
            }
        }
    }

    /// Deadlines of attempts. Whether the link is still being connected, and the number of events.
    pub fn check_deadlines(&self, at: At<'_>, now: Instant) -> (bool, u32) {
        let timeout = at.module.config.connect_timeout;
        let is_late = |one: &Attempt| now >= one.since + timeout;
        let mut events = 0;
        let late = {
            let core = &mut *self.core.borrow_mut();
            let State::Dialing(dial) = &mut core.state else { return (false, 0) };
            let late = dial.attempts.iter().find(|one| one.waiting.is_none() && is_late(one));
            late.map(|attempt| attempt.number)
        };
        if let Some(number) = late {
            // This process may be the one that is late, and not have heard of the event yet.
            events += self.attempt_ready(at, number);
            let failed = {
                let core = &mut *self.core.borrow_mut();
                let State::Dialing(dial) = &mut core.state else { return (false, events) };
                let slow = |one: &Attempt| one.number == number && one.waiting.is_none();
                let place = dial.attempts.iter().position(slow);
                if let Some(place) = place {
                    let text = format!("no answer within {} ms", timeout.as_millis());
                    dial.failed(place, Reason::passing(text));
                }
                place.is_some()
            };
            if failed {
                self.after_failure(at);
            }
        }
        let core = &mut *self.core.borrow_mut();
        let State::Dialing(dial) = &mut core.state else { return (false, events) };
        let passed = dial.attempts.iter_mut().find_map(|one| {
            let late = is_late(one);
            one.waiting.as_mut().filter(|waiting| late && !waiting.passed)
        });
        if let Some(waiting) = passed {
            waiting.passed = true;
            dial.go_on(at, self.id);
        }
        if dial.pause.is_some_and(|until| now >= until) {
            dial.pause = None;
            if dial.next >= dial.candidates.len() {
                (dial.next, dial.round) = (0, now);
            }
            dial.go_on(at, self.id);
        }
        if dial.is_over(&at.module.config) {
            let text = dial.exhausted(at);
            core.set_fault(at, self.id, Fault::Unreachable(text));
        }
        (matches!(core.state, State::Dialing(_)), events)
    }

    /// Looks whether the peer is there, over a connection that is open or waits to be. Whether there is
    /// such a connection.
    pub fn check_alive(&self, at: At<'_>, now: Instant) -> bool {
        let timeout = at.module.config.peer_timeout;
        // An error of the connection is told by its events.
        let dead = |life: &mut Life, socket: &Private| {
            AckState::of(socket).is_ok_and(|ack_state| life.look(now, ack_state, timeout))
        };
        let failed = {
            let core = &mut *self.core.borrow_mut();
            match &mut core.state {
                State::Idle | State::Over { .. } => return false,
                State::Open(socket) => {
                    core.work.rest();
                    if dead(&mut core.life, socket) {
                        sys::give_up(&*socket);
                        core.set_fault(at, self.id, Fault::Unheard(timeout));
                    }
                    return true;
                }
                State::Dialing(dial) => {
                    let silent = dial.attempts.iter_mut().position(|one| {
                        let socket = &one.socket;
                        one.waiting.as_mut().is_some_and(|waiting| dead(&mut waiting.life, socket))
                    });
                    if let Some(place) = silent {
                        let text = format!("nothing was heard for {} s", timeout.as_secs_f32());
                        dial.failed(place, Reason::passing(text));
                    }
                    silent.is_some()
                }
            }
        };
        if failed {
            self.after_failure(at);
        }
        true
    }
}
