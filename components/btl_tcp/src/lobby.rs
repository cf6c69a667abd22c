//! Where others connect, and where they stay until they have shown that they are of this job.
//!
//! Nothing is read from a guest but a hello, and nothing in it is looked at before its proof. There
//! is a limit for guests; beyond it the oldest gives way. Those who are silent for too long leave.
//! A port scanner costs a line in the debug log.

use std::io;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use cairn_framework::abi::host::LOG_WARN;
use rustix::event::epoll::{self, EventFlags};
use rustix::net::{SocketFlags, acceptfrom_with};

use crate::context::Token;
use crate::module::Module;
use crate::params::Config;
use crate::sys;
use crate::wire::{Answer, HELLO, Hello, MAX_CRIS, MAX_FRAME, VERSION, Welcome};

/// How long to leave the listeners alone when no file can be opened.
const PAUSE: Duration = Duration::from_millis(100);
/// Connections taken in a pass.
const TURN: u32 = 64;

/// A connection whose other side knows the secret.
pub struct Arrival {
    pub socket: OwnedFd,
    pub from: SocketAddr,
    pub hello: Hello,
    /// What the answer's proof covers.
    pub said: [u8; HELLO],
}

/// Somebody who is not known yet.
struct Guest {
    socket: OwnedFd,
    from: SocketAddr,
    since: Instant,
    hello: [u8; HELLO],
    have: usize,
}

/// See the module's text.
pub struct Lobby {
    listeners: Vec<OwnedFd>,
    /// By place; places of those who left are used again.
    guests: Vec<Option<Guest>>,
    count: usize,
    /// When to listen again, after there was no file left to open.
    paused: Option<Instant>,
}

impl Lobby {
    pub fn new(listeners: Vec<OwnedFd>, epoll: &OwnedFd) -> io::Result<Self> {
        for (place, listener) in listeners.iter().enumerate() {
            sys::watch(epoll, listener, Token::Listener(place as u32).encode(), EventFlags::IN)?;
        }
        Ok(Self { listeners, guests: Vec::new(), count: 0, paused: None })
    }

    /// Takes connections from a listener.
    pub fn accept(&mut self, module: &Module, epoll: &OwnedFd, place: usize) -> u32 {
        let mut count = 0;
        while count < TURN {
            let Some(listener) = self.listeners.get(place) else { break };
            let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
            let error = match acceptfrom_with(listener, flags) {
                Ok((socket, from)) => {
                    count += 1;
                    let from = from.and_then(|from| SocketAddr::try_from(from).ok());
                    if let Some(from) = from {
                        self.admit(module, epoll, socket, from);
                    }
                    continue;
                }
                Err(error) => io::Error::from(error),
            };
            if sys::would_block(&error) {
                break;
            }
            if sys::is_out_of_files(&error) {
                // Somebody who is not known gives way before somebody who waits outside.
                if self.leave_oldest(module, epoll, "there are too many open files") {
                    continue;
                }
                self.pause(module, epoll, &error);
                break;
            }
            // The other side has gone already, or the network has a problem with this connection.
            module.debug(|| format!("a connection was not taken: {error}"));
            count += 1;
        }
        count
    }

    fn admit(&mut self, module: &Module, epoll: &OwnedFd, socket: OwnedFd, from: SocketAddr) {
        if self.count >= module.config.unauthenticated_limit {
            self.leave_oldest(module, epoll, "there are too many that are not known");
        }
        let place = self.guests.iter().position(Option::is_none).unwrap_or(self.guests.len());
        let flags = EventFlags::IN | EventFlags::RDHUP | EventFlags::ET;
        if let Err(error) = sys::watch(epoll, &socket, Token::Guest(place as u32).encode(), flags) {
            module.debug(|| format!("{from} can't be watched: {error}"));
            return;
        }
        let guest = Guest { socket, from, since: Instant::now(), hello: [0; HELLO], have: 0 };
        if place == self.guests.len() {
            self.guests.push(None);
        }
        self.guests[place] = Some(guest);
        self.count += 1;
        module.debug(|| format!("somebody connected from {from}"));
    }

    fn leave(&mut self, place: usize) -> Option<Guest> {
        let guest = self.guests.get_mut(place)?.take()?;
        self.count -= 1;
        Some(guest)
    }

    fn leave_oldest(&mut self, module: &Module, _epoll: &OwnedFd, why: &str) -> bool {
        let known = self.guests.iter().enumerate();
        let oldest = known
            .filter_map(|(place, guest)| guest.as_ref().map(|guest| (guest.since, place)))
            .min();
        let Some(guest) = oldest.and_then(|(_, place)| self.leave(place)) else { return false };
        module.debug(|| format!("closed the connection of {}: {why}", guest.from));
        true
    }

    /// No file can be opened: without a pause every pass would try again.
    fn pause(&mut self, module: &Module, epoll: &OwnedFd, error: &io::Error) {
        module.host.log(LOG_WARN, || {
            format!("others can't connect to this process: {}", sys::explain(error))
        });
        self.paused = Some(Instant::now() + PAUSE);
        self.listen(module, epoll, EventFlags::empty());
    }

    fn listen(&self, module: &Module, epoll: &OwnedFd, flags: EventFlags) {
        for (place, listener) in self.listeners.iter().enumerate() {
            let token = Token::Listener(place as u32).encode();
            if let Err(error) = sys::rewatch(epoll, listener, token, flags) {
                module.host.log(LOG_WARN, || format!("a listener can't be watched: {error}"));
            }
        }
    }

    /// When something is to be done even if nothing happens.
    pub fn deadline(&self, config: &Config) -> Option<Instant> {
        let guests = self.guests.iter().flatten().map(|guest| guest.since + config.hello_timeout);
        guests.chain(self.paused).min()
    }

    /// Sends those away who are silent for too long, and listens again after a pause.
    pub fn look_at_the_clock(&mut self, module: &Module, epoll: &OwnedFd) {
        if self.count == 0 && self.paused.is_none() {
            return;
        }
        let now = Instant::now();
        for place in 0..self.guests.len() {
            let silent = |guest: &Guest| now >= guest.since + module.config.hello_timeout;
            if self.guests[place].as_ref().is_some_and(silent)
                && let Some(guest) = self.leave(place)
            {
                module.debug(|| {
                    format!("closed the connection of {}: it does not say who it is", guest.from)
                });
            }
        }
        if self.paused.is_some_and(|until| now >= until) {
            self.paused = None;
            self.listen(module, epoll, EventFlags::IN);
        }
    }

    /// Reads what a guest says; if it is a hello that proves to know the secret, and is meant for
    /// us, the guest has arrived.
    pub fn hear(&mut self, module: &Module, epoll: &OwnedFd, place: usize) -> Option<Arrival> {
        let guest = self.guests.get_mut(place)?.as_mut()?;
        while guest.have < HELLO {
            match rustix::io::read(&guest.socket, &mut guest.hello[guest.have..]) {
                Ok(0) => {
                    let guest = self.leave(place)?;
                    module.debug(|| format!("{} left without a word", guest.from));
                    return None;
                }
                Ok(got) => guest.have += got,
                Err(rustix::io::Errno::AGAIN) => return None,
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => {
                    let guest = self.leave(place)?;
                    module.debug(|| format!("{} left: {error}", guest.from));
                    return None;
                }
            }
        }
        let Guest { socket, from, hello: said, .. } = self.leave(place)?;
        let Some(hello) = Hello::decode(&said, module.secret()) else {
            module.debug(|| format!("{from} is not of this job; closed its connection"));
            return None;
        };
        // From here on the instance of the link watches it.
        let _ = epoll::delete(epoll, &socket);
        let arrival = Arrival { socket, from, hello, said };
        let answer = judge(module, &hello);
        if answer == Answer::Welcome {
            return Some(arrival);
        }
        module.debug(|| format!("refused rank {} ({from}): {answer:?}", hello.source));
        let _ = arrival.answer(module, answer);
        None
    }
}

/// Whether a hello of this job makes sense.
fn judge(module: &Module, hello: &Hello) -> Answer {
    let job = module.host.job();
    if hello.version != VERSION {
        Answer::WrongVersion
    } else if hello.target != job.rank {
        Answer::WrongRank
    } else if hello.source >= job.size
        || hello.source == job.rank
        || hello.cris == 0
        || hello.cris > MAX_CRIS
        || hello.frame_limit > MAX_FRAME
        || hello.link >= hello.cris.max(module.config.num_cris)
    {
        Answer::NoLink
    } else {
        Answer::Welcome
    }
}

impl Arrival {
    /// Answers the hello.
    pub fn answer(&self, module: &Module, answer: Answer) -> io::Result<()> {
        let welcome = Welcome {
            version: VERSION,
            answer,
            rank: module.rank(),
            frame_limit: module.config.frame_limit,
        };
        use std::os::fd::AsFd;
        sys::write_all(self.socket.as_fd(), &welcome.encode(module.secret(), &self.said))
    }
}
