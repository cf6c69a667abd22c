//! Accepts connections, and carries out the handshake until they have shown that they are of this job.
//!
//! Nothing is read from a pending connection but a hello, and nothing in it is looked at before its
//! proof, but that it begins like one. A peer's hello is mostly there when the connection is accepted,
//! and then the connection is never pending.
//!
//! **A peer may be silent for long.** It sends its hello when its process makes progress, which may be
//! after minutes of computing. So a connection stays pending as long as there is room, however silent it
//! is. When there are too many, or no file is left for the next one, one is closed: of the address that
//! has most of them, the one that has waited longest. So unknown peers displace each other, and a rank of
//! the job only if they connect from its own address and are more than `unauthenticated_limit` between
//! its connecting and its hello; it finds its connection closed and tries again ([`crate::connect`]). A
//! program that guesses ports thus costs lines in the debug log.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::{Duration, Instant};

use cairn_descriptors::Private;
use rustix::event::epoll::{self, EventFlags};
use rustix::io::Errno;

use crate::event::{Arrival, Note, Token};
use crate::module::Module;
use crate::sys;
use crate::wire::{Answer, HELLO, Hello, MAX_CRIS, MAX_FRAME, MAX_LANES, VERSION, lane_and_cri};

/// How long to leave the listeners alone when there is no file, or no memory, for another connection.
const PAUSE: Duration = Duration::from_millis(100);
/// Connections taken in a pass.
const TURN: u32 = 64;

/// A connection from a process that is not known yet.
struct PendingConnection {
    socket: Private,
    from: SocketAddr,
    since: Instant,
    hello: [u8; HELLO],
    have: usize,
}

/// See the module's text.
pub struct Acceptor {
    listeners: Vec<Private>,
    /// By place; places of closed ones are used again.
    pending: Vec<Option<PendingConnection>>,
    count: usize,
    /// When to listen again, after there was nothing left to take a connection with.
    paused: Option<Instant>,
}

/// How far a connection has come with its hello.
enum HelloState {
    /// Something is missing.
    Incomplete,
    /// It is there.
    Complete,
    /// There won't be one, because of this.
    Failed(String),
}

impl Acceptor {
    pub fn new(listeners: Vec<Private>, epoll: &Private) -> io::Result<Self> {
        for (place, listener) in listeners.iter().enumerate() {
            sys::watch(epoll, listener, Token::Listener(place as u32).encode(), EventFlags::IN)?;
        }
        Ok(Self { listeners, pending: Vec::new(), count: 0, paused: None })
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
                        self.begin_handshake(module, epoll, socket, from);
                    }
                    continue;
                }
                Err(error) => error,
            };
            if sys::would_block(&error) {
                break;
            }
            if sys::is_shortage(&error) {
                // A connection gives way to a connection that may be a peer's with its hello.
                if !self.evict(module, &sys::explain(&error)) {
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

    fn begin_handshake(
        &mut self,
        module: &Module,
        epoll: &Private,
        socket: Private,
        from: SocketAddr,
    ) {
        module.debug(|| format!("a connection came from {from}"));
        let mut connection =
            PendingConnection { socket, from, since: Instant::now(), hello: [0; HELLO], have: 0 };
        match connection.read_hello() {
            HelloState::Incomplete => {}
            HelloState::Complete => return connection.finish_handshake(module),
            HelloState::Failed(why) => return connection.close(module, &why),
        }
        let place = self.pending.iter().position(Option::is_none).unwrap_or(self.pending.len());
        let (token, flags) = (Token::Pending(place as u32).encode(), EventFlags::IN);
        let flags = flags | EventFlags::RDHUP | EventFlags::ET;
        if let Err(error) = sys::watch(epoll, &connection.socket, token, flags) {
            module.report_shortage(&error);
            return connection.close(module, "it can't be watched");
        }
        if place == self.pending.len() {
            self.pending.push(None);
        }
        self.pending[place] = Some(connection);
        self.count += 1;
        if self.count > module.config.unauthenticated_limit {
            self.evict(module, "there are too many that are not known");
        }
    }

    fn take(&mut self, place: usize) -> Option<PendingConnection> {
        let connection = self.pending.get_mut(place)?.take()?;
        self.count -= 1;
        Some(connection)
    }

    /// Closes a pending connection to make room. False if there is none.
    fn evict(&mut self, module: &Module, why: &str) -> bool {
        let mut of_address: HashMap<IpAddr, usize> = HashMap::new();
        for one in self.pending.iter().flatten() {
            *of_address.entry(one.from.ip()).or_default() += 1;
        }
        let places = self.pending.iter().enumerate();
        let all = places.filter_map(|(place, one)| one.as_ref().map(|one| (place, one)));
        let first = all.min_by_key(|(_, one)| (Reverse(of_address[&one.from.ip()]), one.since));
        let place = first.map(|(place, _)| place);
        let Some(connection) = place.and_then(|place| self.take(place)) else { return false };
        connection.close(module, why);
        true
    }

    /// There is nothing to take a connection with: without a pause every pass would try again.
    /// Connections wait in the kernel meanwhile.
    fn pause(&mut self, module: &Module, epoll: &Private, error: &io::Error) {
        module.report_shortage(error);
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
    pub fn check_deadlines(&mut self, module: &Module, epoll: &Private) {
        if self.paused.is_some_and(|until| Instant::now() >= until) {
            self.paused = None;
            self.listen(module, epoll, EventFlags::IN);
        }
    }

    /// A connection has something to say, or has left.
    pub fn continue_handshake(&mut self, module: &Module, epoll: &Private, place: usize) {
        let Some(connection) = self.pending.get_mut(place).and_then(Option::as_mut) else { return };
        let state = connection.read_hello();
        if matches!(state, HelloState::Incomplete) {
            return;
        }
        let Some(connection) = self.take(place) else { return };
        match state {
            HelloState::Failed(why) => connection.close(module, &why),
            _ => {
                // From here on the CRI of the link watches it.
                let _ = epoll::delete(epoll, &connection.socket);
                connection.finish_handshake(module);
            }
        }
    }
}

impl PendingConnection {
    /// Reads what there is of the hello.
    fn read_hello(&mut self) -> HelloState {
        while self.have < HELLO {
            match rustix::io::read(&self.socket, &mut self.hello[self.have..]) {
                Ok(0) => return HelloState::Failed("it was closed without a hello".into()),
                Ok(got) => self.have += got,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return HelloState::Incomplete,
                Err(error) => return HelloState::Failed(error.to_string()),
            }
            if !Hello::may_begin_with(&self.hello[..self.have]) {
                return HelloState::Failed("it is not of this job".into());
            }
        }
        HelloState::Complete
    }

    /// Hands the connection to the CRI of the link if the hello proves to know the secret and is
    /// meant for us.
    fn finish_handshake(self, module: &Module) {
        let Some(hello) = Hello::decode(&self.hello, module.secret()) else {
            return self.close(module, "it is not of this job");
        };
        let arrival = Arrival { socket: self.socket, from: self.from, hello, said: self.hello };
        let answer = check_hello(module, &hello);
        if answer == Answer::Welcome {
            return module.shared[module.cri_of(hello.link)].post(Note::Arrival(arrival));
        }
        module.debug(|| format!("refused rank {} ({}): {answer:?}", hello.source, arrival.from));
        let _ = module.answer(&arrival, answer);
    }

    fn close(self, module: &Module, why: &str) {
        module.debug(|| format!("closed the connection of {}: {why}", self.from));
    }
}

/// Whether a hello of this job makes sense.
fn check_hello(module: &Module, hello: &Hello) -> Answer {
    let job = module.host.job();
    let (lane, cri) = lane_and_cri(hello.link);
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
        || hello.lanes == 0
        || hello.lanes > MAX_LANES
        || hello.frame_limit > MAX_FRAME
        || lane >= hello.lanes.max(module.config.lanes)
        || cri >= hello.cris.max(module.config.num_cris)
    {
        Answer::NoLink
    } else {
        Answer::Welcome
    }
}
