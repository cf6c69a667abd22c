//! Where others connect, and where they stay until they have shown that they are of this job.
//!
//! Nothing is read from a guest but a hello, and nothing in it is looked at before its proof, but that
//! it begins like one. A peer's hello mostly waits in the connection when it is accepted, and then the
//! peer never is a guest.
//!
//! **A peer may be silent for long.** It says hello when its process makes progress, which may be after
//! minutes of computing. So a guest stays as long as there is room, however silent. When there are
//! too many, or no file is left for the next one, a guest gives way: of the address that has most of
//! them, the one that has waited longest. Strangers displace each other then, and a peer only if they
//! come from its own address and are more than `unauthenticated_limit` between its connecting and its
//! hello; it finds its connection closed and tries again ([`crate::dial`]). A program that guesses
//! ports thus costs lines in the debug log.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use cairn_descriptors::Private;
use rustix::event::epoll::{self, EventFlags};
use rustix::io::Errno;

use crate::context::{Note, Token};
use crate::module::Module;
use crate::sys;
use crate::wire::{Answer, HELLO, Hello, MAX_CRIS, MAX_FRAME, VERSION, Welcome};

/// How long to leave the listeners alone when there is no file, or no memory, for another connection.
const PAUSE: Duration = Duration::from_millis(100);
/// Connections taken in a pass.
const TURN: u32 = 64;

/// A connection whose other side knows the secret.
pub struct Arrival {
    pub socket: Private,
    pub from: SocketAddr,
    pub hello: Hello,
    /// What the answer's proof covers.
    pub said: [u8; HELLO],
}

/// A connection whose other side is not known yet.
struct Guest {
    socket: Private,
    from: SocketAddr,
    since: Instant,
    hello: [u8; HELLO],
    have: usize,
}

/// See the module's text.
pub struct Lobby {
    listeners: Vec<Private>,
    /// By place; places of those who left are used again.
    guests: Vec<Option<Guest>>,
    count: usize,
    /// When to listen again, after there was nothing left to take a connection with.
    paused: Option<Instant>,
}

/// How far a guest has come with its hello.
enum Heard {
    /// Something is missing.
    Part,
    /// It is there.
    Whole,
    /// There won't be one, because of this.
    Nothing(String),
}

impl Lobby {
    pub fn new(listeners: Vec<Private>, epoll: &Private) -> io::Result<Self> {
        for (place, listener) in listeners.iter().enumerate() {
            sys::watch(epoll, listener, Token::Listener(place as u32).encode(), EventFlags::IN)?;
        }
        Ok(Self { listeners, guests: Vec::new(), count: 0, paused: None })
    }

    /// Takes connections from a listener.
    pub fn accept(&mut self, module: &Module, epoll: &Private, place: usize) -> u32 {
        let mut count = 0;
        while count < TURN {
            let Some(listener) = self.listeners.get(place) else { break };
            let error = match sys::accept(listener) {
                Ok((socket, from)) => {
                    count += 1;
                    if let Some(from) = from {
                        self.admit(module, epoll, socket, from);
                    }
                    continue;
                }
                Err(error) => error,
            };
            if sys::would_block(&error) {
                break;
            }
            if sys::is_shortage(&error) {
                // A guest gives way to a connection that may be a peer's with its hello.
                if !self.displace(module, &sys::explain(&error)) {
                    self.pause(module, epoll, &error);
                    break;
                }
                continue;
            }
            // The other side has gone already, or the network has a problem with this connection.
            module.debug(|| format!("a connection was not taken: {error}"));
            count += 1;
        }
        count
    }

    fn admit(&mut self, module: &Module, epoll: &Private, socket: Private, from: SocketAddr) {
        module.debug(|| format!("a connection came from {from}"));
        let mut guest = Guest { socket, from, since: Instant::now(), hello: [0; HELLO], have: 0 };
        match guest.listen() {
            Heard::Part => {}
            Heard::Whole => return guest.introduce(module),
            Heard::Nothing(why) => return guest.leave(module, &why),
        }
        let place = self.guests.iter().position(Option::is_none).unwrap_or(self.guests.len());
        let (token, flags) = (Token::Guest(place as u32).encode(), EventFlags::IN);
        let flags = flags | EventFlags::RDHUP | EventFlags::ET;
        if let Err(error) = sys::watch(epoll, &guest.socket, token, flags) {
            module.tell_of_shortage(&error);
            return guest.leave(module, "it can't be watched");
        }
        if place == self.guests.len() {
            self.guests.push(None);
        }
        self.guests[place] = Some(guest);
        self.count += 1;
        if self.count > module.config.unauthenticated_limit {
            self.displace(module, "there are too many that are not known");
        }
    }

    fn take(&mut self, place: usize) -> Option<Guest> {
        let guest = self.guests.get_mut(place)?.take()?;
        self.count -= 1;
        Some(guest)
    }

    /// Has a guest give way. False if there is none.
    fn displace(&mut self, module: &Module, why: &str) -> bool {
        let mut crowds: HashMap<IpAddr, usize> = HashMap::new();
        for guest in self.guests.iter().flatten() {
            *crowds.entry(guest.from.ip()).or_default() += 1;
        }
        let known = self.guests.iter().enumerate();
        let known = known.filter_map(|(place, guest)| guest.as_ref().map(|guest| (place, guest)));
        let first = known
            .min_by_key(|(_, guest)| (std::cmp::Reverse(crowds[&guest.from.ip()]), guest.since));
        let place = first.map(|(place, _)| place);
        let Some(guest) = place.and_then(|place| self.take(place)) else { return false };
        guest.leave(module, why);
        true
    }

    /// There is nothing to take a connection with: without a pause every pass would try again.
    /// Connections wait in the kernel meanwhile.
    fn pause(&mut self, module: &Module, epoll: &Private, error: &io::Error) {
        module.tell_of_shortage(error);
        self.paused = Some(Instant::now() + PAUSE);
        self.listen(module, epoll, EventFlags::empty());
    }

    fn listen(&self, module: &Module, epoll: &Private, flags: EventFlags) {
        for (place, listener) in self.listeners.iter().enumerate() {
            let token = Token::Listener(place as u32).encode();
            if let Err(error) = sys::rewatch(epoll, listener, token, flags) {
                let text = format!("a listener can't be watched: {error}");
                module.host.show_once(c"listener", &text);
            }
        }
    }

    /// When something is to be done even if nothing happens.
    pub fn deadline(&self) -> Option<Instant> {
        self.paused
    }

    /// Listens again after a pause.
    pub fn look_at_the_clock(&mut self, module: &Module, epoll: &Private) {
        if self.paused.is_some_and(|until| Instant::now() >= until) {
            self.paused = None;
            self.listen(module, epoll, EventFlags::IN);
        }
    }

    /// A guest has something to say, or has left.
    pub fn hear(&mut self, module: &Module, epoll: &Private, place: usize) {
        let Some(guest) = self.guests.get_mut(place).and_then(Option::as_mut) else { return };
        let heard = guest.listen();
        if matches!(heard, Heard::Part) {
            return;
        }
        let Some(guest) = self.take(place) else { return };
        match heard {
            Heard::Nothing(why) => guest.leave(module, &why),
            _ => {
                // From here on the instance of the link watches it.
                let _ = epoll::delete(epoll, &guest.socket);
                guest.introduce(module);
            }
        }
    }
}

impl Guest {
    /// Reads what there is of the hello.
    fn listen(&mut self) -> Heard {
        while self.have < HELLO {
            match rustix::io::read(&self.socket, &mut self.hello[self.have..]) {
                Ok(0) => return Heard::Nothing("it left without a word".into()),
                Ok(got) => self.have += got,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Heard::Part,
                Err(error) => return Heard::Nothing(error.to_string()),
            }
            if !Hello::may_begin_with(&self.hello[..self.have]) {
                return Heard::Nothing("it is not of this job".into());
            }
        }
        Heard::Whole
    }

    /// Hands the connection to the instance of the link if the hello proves to know the secret and is
    /// meant for us.
    fn introduce(self, module: &Module) {
        let Some(hello) = Hello::decode(&self.hello, module.secret()) else {
            return self.leave(module, "it is not of this job");
        };
        let arrival = Arrival { socket: self.socket, from: self.from, hello, said: self.hello };
        let answer = judge(module, &hello);
        if answer == Answer::Welcome {
            return module.context_of(hello.link).tell(Note::Arrival(arrival));
        }
        module.debug(|| format!("refused rank {} ({}): {answer:?}", hello.source, arrival.from));
        let _ = arrival.answer(module, answer);
    }

    fn leave(self, module: &Module, why: &str) {
        module.debug(|| format!("closed the connection of {}: {why}", self.from));
    }
}

/// Whether a hello of this job makes sense.
fn judge(module: &Module, hello: &Hello) -> Answer {
    let job = module.host.job();
    if hello.version != VERSION {
        Answer::WrongVersion
    } else if hello.target != job.rank {
        Answer::WrongRank
    } else if hello.listener != module.nonce {
        Answer::Ended
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
    /// Answers the hello. A welcome under the lock of the link's instance, so that it covers all hellos
    /// that were said on it.
    pub fn answer(&self, module: &Module, answer: Answer) -> io::Result<()> {
        let welcome = Welcome {
            version: VERSION,
            answer,
            rank: module.rank(),
            frame_limit: module.config.frame_limit,
            hellos: module.hellos(),
        };
        sys::write_all(self.socket.as_fd(), &welcome.encode(module.secret(), &self.said))
    }
}
