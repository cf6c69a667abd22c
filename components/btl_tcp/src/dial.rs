//! The attempts to connect to a peer, and what became of them. How they are made is in `connect`.

use std::fmt::Write as _;
use std::io;
use std::time::Instant;

use cairn_descriptors::Private;
use cairn_transport::life::Life;

use crate::address::Pair;
use crate::event::Arrival;
use crate::params::Config;
use crate::sys;
use crate::wire::{HELLO, Nonce, WELCOME};

/// Attempts to connect a link.
pub struct Dial {
    pub candidates: Vec<Candidate>,
    /// The next one of this round.
    pub next: usize,
    pub attempts: Vec<Attempt>,
    /// The peer's own attempt, kept aside.
    pub aside: Option<Arrival>,
    /// The peer's, for hellos.
    pub listener: Nonce,
    /// Number of the last attempt.
    pub last: u8,
    /// When the first round began, and this one.
    pub began: Instant,
    pub round: Instant,
    /// When to go on, if nothing is under way.
    pub pause: Option<Instant>,
    /// The user was warned that it takes long.
    pub warned: bool,
}

/// A pair of addresses, and what became of it.
pub struct Candidate {
    pub pair: Pair,
    /// It needs no further try.
    pub refused: bool,
    /// How often it failed, and why it did at last.
    pub failures: u32,
    pub why: String,
}

pub struct Attempt {
    pub number: u8,
    pub socket: Private,
    /// Place of its candidate.
    pub candidate: usize,
    pub since: Instant,
    /// The hello, once it is sent, and the answer so far.
    pub waiting: Option<Waiting>,
}

pub struct Waiting {
    pub hello: [u8; HELLO],
    pub answer: [u8; WELCOME],
    pub have: usize,
    /// The next pair was tried besides.
    pub passed: bool,
    pub life: Life,
}

/// Why an attempt failed.
pub struct Reason {
    pub text: String,
    /// Another try makes no sense.
    pub refused: bool,
}

impl Reason {
    /// The pair leads to no peer.
    pub fn refused(text: impl Into<String>) -> Self {
        Self { text: text.into(), refused: true }
    }

    /// It may work later.
    pub fn passing(text: impl Into<String>) -> Self {
        Self { text: text.into(), refused: false }
    }
}

impl From<io::Error> for Reason {
    fn from(error: io::Error) -> Self {
        Self { text: sys::explain(&error), refused: !sys::is_passing(&error) }
    }
}

impl Dial {
    /// Whether all pairs have failed and none is to be tried again.
    pub fn is_over(&self, config: &Config) -> bool {
        let late = self.round.duration_since(self.began) >= config.peer_timeout;
        self.attempts.is_empty()
            && self.pause.is_none()
            && self.next >= self.candidates.len()
            && (late || self.candidates.iter().all(|one| one.refused))
    }

    pub fn tried(&self) -> String {
        let tried =
            self.candidates.iter().filter(|one| one.failures > 0).map(|one| match one.failures {
                1 => format!("{}: {}", one.pair, one.why),
                times => format!("{}: {} ({times} times)", one.pair, one.why),
            });
        tried.collect::<Vec<_>>().join("; ")
    }

    /// Whether a hello is on its way.
    pub fn said_hello(&self) -> bool {
        self.attempts.iter().any(|attempt| attempt.waiting.is_some())
    }

    pub fn failed(&mut self, place: usize, reason: Reason) {
        let attempt = self.attempts.swap_remove(place);
        self.candidates[attempt.candidate].failed(reason);
    }

    /// What it does, for a person.
    pub fn describe(&self) -> String {
        let mut text = String::from("connecting");
        for attempt in &self.attempts {
            let stage = if attempt.waiting.is_some() { "waits for its answer" } else { "dialed" };
            let _ = write!(text, ", {} ({stage})", self.candidates[attempt.candidate].pair);
        }
        match self.tried() {
            _ if !self.attempts.is_empty() => {}
            tried if tried.is_empty() => text.push_str(" when there is a file or memory for it"),
            tried => text.push_str(&format!(" again; tried {tried}")),
        }
        text
    }
}

impl Candidate {
    pub fn failed(&mut self, reason: Reason) {
        self.failures += 1;
        self.refused |= reason.refused;
        self.why = reason.text;
    }
}
