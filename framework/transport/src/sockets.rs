//! TCP connections that a foreign library has made and keeps for itself.
//!
//! A library that does not ask whether the peer of a connection is there, or does not tell, lets a process wait
//! for ever for one whose node or network has failed. Its sockets are descriptors of this process, though, which
//! can be found among all by the addresses of their ends, and the kernel knows of each whether the other side
//! answers ([`Life`]). Idle ones are made to ask.
//!
//! Nothing is done to a socket but that. What was read of a descriptor's number may be of another socket a moment
//! later, so all is done with a duplicate of it whose addresses are looked at.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd, RawFd};
use std::time::{Duration, Instant};

use cairn_framework::author::{HostHandle, Mutex};
use rustix::io::{Errno, fcntl_dupfd_cloexec};
use rustix::net::{getpeername, getsockname, sockopt};

use crate::life::{AckState, Keepalive, Life, look_interval};

/// The connections of a library.
pub struct Sockets {
    /// Where the library accepts connections.
    own: Vec<SocketAddr>,
    /// How long a peer's kernel may leave questions unanswered.
    timeout: Duration,
    state: Mutex<State>,
}

struct State {
    looked: Instant,
    connections: Vec<Connection>,
}

/// A connection to or from a peer, which its ends identify: a socket may have several descriptors, whose numbers come
/// again.
struct Connection {
    ends: Ends,
    /// The peer has made it.
    is_accepted: bool,
    life: Life,
    /// Its peer was said to be lost.
    told: bool,
    /// It was not there at the last look.
    is_gone: bool,
}

impl Connection {
    fn whom(&self) -> Whom {
        match self.is_accepted {
            true => Whom::Host(self.ends.peer.ip()),
            false => Whom::Peer(self.ends.peer),
        }
    }
}

/// A connection that was found now.
struct Found {
    ends: Ends,
    is_accepted: bool,
    own: OwnedFd,
}

/// The addresses of its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Ends {
    own: SocketAddr,
    peer: SocketAddr,
}

/// Peers who are not reached any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lost {
    /// Whose connection it was.
    pub whom: Whom,
    /// What became of it.
    pub why: Why,
}

/// Whose connection it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whom {
    /// The peer who accepts connections at this address.
    Peer(SocketAddr),
    /// Somebody at this address, who has made it: all peers there are meant.
    Host(IpAddr),
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// Questions were not answered for as long as allowed.
    Unheard,
    /// It has ended, and no other one leads to the peer's host.
    Ended,
}

impl Lost {
    /// Whether it is a peer who accepts connections at this address.
    pub fn is(&self, address: &SocketAddr) -> bool {
        match self.whom {
            Whom::Peer(lost) => lost == *address,
            Whom::Host(lost) => lost == address.ip(),
        }
    }

    /// Whether it is this rank of another node, which has sent to this process and was not sent to; `doors` reads
    /// from its card where it accepts connections. Of one whose card can't be had or read nobody would tell again, so
    /// it counts as lost. Asks the host for the card; any thread.
    pub fn is_sender(
        &self,
        host: HostHandle,
        rank: u32,
        doors: impl FnOnce(&[u8]) -> Option<Vec<SocketAddr>>,
    ) -> bool {
        let doors = host.card_get(rank).ok().and_then(doors);
        doors.is_none_or(|doors| doors.iter().any(|door| self.is(door)))
    }

    /// What became of the peer, for messages; `parameter` is that of the timeout.
    pub fn explain(&self, sockets: &Sockets, parameter: &str) -> String {
        match self.why {
            Why::Unheard => {
                let timeout = sockets.timeout.as_secs_f32();
                format!(
                    "nothing was heard of it for {timeout} s ({parameter}); its node or the network failed"
                )
            }
            Why::Ended => "the connection to it has ended".to_owned(),
        }
    }
}

impl Sockets {
    /// Of a library that accepts connections at `own`.
    pub fn new(own: Vec<SocketAddr>, timeout: Duration) -> Self {
        let state = State { looked: Instant::now(), connections: Vec::new() };
        Self { own, timeout, state: Mutex::new(state) }
    }

    /// Looks at all connections, if it is time; `peers` are the addresses where peers accept some.
    /// Returns who is not reached any more, each connection once. Peers that close in order are among them. Any
    /// thread; one at a time looks.
    pub fn look(&self, peers: impl FnOnce() -> HashSet<SocketAddr>) -> Vec<Lost> {
        let Some(mut state) = self.state.try_lock() else { return Vec::new() };
        let now = Instant::now();
        if now.duration_since(state.looked) < look_interval(self.timeout) {
            return Vec::new();
        }
        state.looked = now;
        let peers = peers();
        // A library that does without TCP.
        if self.own.is_empty() && peers.is_empty() {
            return Vec::new();
        }
        let find =
            || descriptors()?.filter_map(|fd| self.connection(fd, &peers).transpose()).collect();
        // What takes a descriptor fails when there is none left; that says nothing of connections.
        let found: io::Result<Vec<Found>> = find();
        found.map_or_else(|_| Vec::new(), |found| state.renew(found, self.timeout, now))
    }

    /// The connection of the library that has this descriptor, if it is one.
    fn connection(&self, fd: RawFd, peers: &HashSet<SocketAddr>) -> io::Result<Option<Found>> {
        let is_ours = |ends: &Ends| self.is_accepted(ends) || peers.contains(&ends.peer);
        // SAFETY: it is borrowed for calls that only read. Where it was closed meanwhile they fail, and where it is
        // another socket by then the addresses of the duplicate tell.
        let borrowed = unsafe { BorrowedFd::borrow_raw(fd) };
        if !ends(borrowed).is_some_and(|ends| is_ours(&ends)) {
            return Ok(None);
        }
        let own = match fcntl_dupfd_cloexec(borrowed, 0) {
            Err(Errno::BADF) => return Ok(None),
            own => own?,
        };
        let ends = ends(&own).filter(is_ours);
        Ok(ends.map(|ends| Found { ends, is_accepted: self.is_accepted(&ends), own }))
    }

    /// Whether a connection was made by the peer.
    fn is_accepted(&self, ends: &Ends) -> bool {
        // A library that accepts at all addresses says none.
        let is_same = |own: &SocketAddr| {
            own.port() == ends.own.port()
                && (own.ip().is_unspecified() || own.ip() == ends.own.ip())
        };
        self.own.iter().any(is_same)
    }
}

impl State {
    fn renew(&mut self, found: Vec<Found>, timeout: Duration, now: Instant) -> Vec<Lost> {
        let mut lost = Vec::new();
        let mut before = std::mem::take(&mut self.connections);
        for Found { ends, is_accepted, own } in found {
            // By another descriptor of it: the library's, or a duplicate of ours, whose number was listed for one
            // that was closed meanwhile.
            if self.connections.iter().any(|seen| seen.ends == ends) {
                continue;
            }
            let known = before.iter().position(|known| known.ends == ends);
            let mut connection = match known {
                Some(known) => Connection { is_gone: false, ..before.swap_remove(known) },
                None => {
                    // It may have failed in the meantime.
                    let _ = Keepalive::for_ever(timeout).set(&own, timeout);
                    let life = Life::default();
                    Connection { ends, is_accepted, life, told: false, is_gone: false }
                }
            };
            let is_dead = |life: &mut Life| {
                AckState::of(&own).is_ok_and(|ack_state| life.look(now, ack_state, timeout))
            };
            if !connection.told && is_dead(&mut connection.life) {
                connection.told = true;
                lost.push(Lost { whom: connection.whom(), why: Why::Unheard });
            }
            self.connections.push(connection);
        }
        // Of two that were made at the same time a library closes one, maybe before it has accepted the other. And
        // who made one that was accepted is not known.
        let is_left = |gone: &Connection| {
            self.connections.iter().any(|other| other.ends.peer.ip() == gone.ends.peer.ip())
        };
        before.retain(|gone| !gone.told && !gone.is_accepted && !is_left(gone));
        let (ended, fresh): (Vec<_>, Vec<_>) = before.into_iter().partition(|gone| gone.is_gone);
        let ended = ended.iter().map(|gone| Lost { whom: gone.whom(), why: Why::Ended });
        lost.extend(ended);
        self.connections.extend(fresh.into_iter().map(|gone| Connection { is_gone: true, ..gone }));
        lost
    }
}

/// Where this process accepts connections: what a library has added to it is what it accepts at.
pub fn accepting() -> HashSet<SocketAddr> {
    let address = |fd| {
        // SAFETY: it is borrowed for calls that only read, and fail where it was closed meanwhile.
        let fd = unsafe { BorrowedFd::borrow_raw(fd) };
        sockopt::socket_acceptconn(fd).ok().filter(|accepts| *accepts)?;
        SocketAddr::try_from(getsockname(fd).ok()?).ok()
    };
    descriptors().into_iter().flatten().filter_map(address).collect()
}

/// The numbers of this process's descriptors.
fn descriptors() -> io::Result<impl Iterator<Item = RawFd>> {
    let entries = fs::read_dir("/proc/self/fd")?.flatten();
    Ok(entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()))
}

/// The ends of a connection; none of what is no connection over IP.
fn ends(fd: impl AsFd) -> Option<Ends> {
    let own = SocketAddr::try_from(getsockname(&fd).ok()?).ok()?;
    let peer = SocketAddr::try_from(getpeername(&fd).ok()??).ok()?;
    Some(Ends { own, peer })
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use cairn_framework::mock::MockHost;

    use super::*;

    const TIMEOUT: Duration = Duration::from_secs(8);

    fn pair() -> (TcpListener, TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let made = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let accepted = listener.accept().unwrap().0;
        (listener, made, accepted)
    }

    fn ends_of(stream: &TcpStream) -> Ends {
        ends(stream).unwrap()
    }

    fn look(sockets: &Sockets, peers: &[SocketAddr]) -> (Vec<Lost>, Vec<Ends>) {
        sockets.state.lock().looked -= TIMEOUT;
        let lost = sockets.look(|| peers.iter().copied().collect());
        let state = sockets.state.lock();
        (lost, state.connections.iter().map(|connection| connection.ends).collect())
    }

    #[test]
    fn only_the_connections_of_the_library_are_asked() {
        let (listener, made, accepted) = pair();
        let (_other, foreign, _foreign) = pair();
        let address = listener.local_addr().unwrap();
        // One that accepts, at one address or all, and one that has connected.
        let any = SocketAddr::new(IpAddr::from([0, 0, 0, 0]), address.port());
        for own in [address, any] {
            let (lost, found) = look(&Sockets::new(vec![own], TIMEOUT), &[]);
            assert_eq!((lost, found), (vec![], vec![ends_of(&accepted)]));
        }
        let (lost, found) = look(&Sockets::new(vec![], TIMEOUT), &[address]);
        assert_eq!((lost, found), (vec![], vec![ends_of(&made)]));
        for socket in [&made, &accepted] {
            assert!(sockopt::socket_keepalive(socket).unwrap());
            assert_eq!(sockopt::tcp_keepidle(socket).unwrap(), TIMEOUT / 4);
        }
        assert!(!sockopt::socket_keepalive(&foreign).unwrap());
        assert!(look(&Sockets::new(vec![], TIMEOUT), &[]).1.is_empty());
    }

    #[test]
    fn where_connections_are_accepted_is_known() {
        let (listener, made, accepted) = pair();
        let address = listener.local_addr().unwrap();
        assert!(accepting().contains(&address));
        drop(listener);
        assert!(!accepting().contains(&address));
        drop((made, accepted));
    }

    #[test]
    fn a_peer_whose_connection_has_ended_is_lost_if_no_other_one_is_left() {
        let (listener, made, accepted) = pair();
        let address = listener.local_addr().unwrap();
        let sockets = Sockets::new(vec![], TIMEOUT);
        assert_eq!(look(&sockets, &[address]).1, [ends_of(&made)]);
        let again = TcpStream::connect(address).unwrap();
        drop((made, accepted));
        for _ in 0..3 {
            assert_eq!(look(&sockets, &[address]), (vec![], vec![ends_of(&again)]));
        }
        // None at the first look: another one may be on its way.
        let gone = ends_of(&again);
        drop(again);
        assert_eq!(look(&sockets, &[address]), (vec![], vec![gone]));
        let lost = Lost { whom: Whom::Peer(address), why: Why::Ended };
        assert_eq!(look(&sockets, &[address]), (vec![lost], vec![]));
        assert_eq!(look(&sockets, &[address]), (vec![], vec![]));
    }

    #[test]
    fn who_made_a_connection_that_has_ended_is_not_known() {
        let (listener, made, accepted) = pair();
        let sockets = Sockets::new(vec![listener.local_addr().unwrap()], TIMEOUT);
        assert_eq!(look(&sockets, &[]).1, [ends_of(&accepted)]);
        drop((made, accepted));
        for _ in 0..3 {
            assert_eq!(look(&sockets, &[]), (vec![], vec![]));
        }
    }

    #[test]
    fn a_connection_with_two_descriptors_is_one() {
        let (listener, made, accepted) = pair();
        let address = listener.local_addr().unwrap();
        let sockets = Sockets::new(vec![], TIMEOUT);
        let twice = made.try_clone().unwrap();
        let ends = ends_of(&made);
        assert_eq!(look(&sockets, &[address]), (vec![], vec![ends]));
        drop(made);
        assert_eq!(look(&sockets, &[address]), (vec![], vec![ends]));
        drop((twice, accepted));
        assert_eq!(look(&sockets, &[address]), (vec![], vec![ends]));
        let lost = Lost { whom: Whom::Peer(address), why: Why::Ended };
        assert_eq!(look(&sockets, &[address]), (vec![lost], vec![]));
    }

    #[test]
    fn one_whose_ends_are_others_is_another_connection() {
        let pairs = [pair(), pair()];
        let found = |at: usize| {
            let own = pairs[at].1.try_clone().unwrap().into();
            Found { ends: ends(&own).unwrap(), is_accepted: false, own }
        };
        let mut state = State { looked: Instant::now(), connections: Vec::new() };
        for at in [0, 1] {
            assert_eq!(state.renew(vec![found(at)], TIMEOUT, Instant::now()), []);
            assert!(sockopt::socket_keepalive(&pairs[at].1).unwrap());
            assert!(state.connections.iter().any(|one| one.ends == found(at).ends));
        }
    }

    #[test]
    fn a_sender_is_known_by_its_card_and_lost_without_one() {
        let host = MockHost::leak("btl_x").handle();
        host.card_put(b"10.1.0.2:7").unwrap();
        let read = |card: &[u8]| {
            let door = std::str::from_utf8(card).ok()?.parse().ok()?;
            Some(vec![door])
        };
        let is = |door: &str, rank| {
            let lost = Lost { whom: Whom::Peer(door.parse().unwrap()), why: Why::Unheard };
            lost.is_sender(host, rank, read)
        };
        assert!(is("10.1.0.2:7", 0) && !is("10.1.0.2:8", 0));
        // There is no card of rank 1.
        assert!(is("10.1.0.2:8", 1));
        host.card_put(b"no address").unwrap();
        assert!(is("10.1.0.2:8", 0));
    }

    #[test]
    fn who_is_meant_is_one_peer_or_all_of_a_host() {
        let [first, second, other]: [SocketAddr; 3] =
            ["10.1.0.2:7", "10.1.0.2:8", "10.1.0.3:7"].map(|text| text.parse().unwrap());
        let is = |whom| {
            let lost = Lost { whom, why: Why::Unheard };
            [first, second, other].map(|address| lost.is(&address))
        };
        assert_eq!(is(Whom::Peer(first)), [true, false, false]);
        assert_eq!(is(Whom::Host(first.ip())), [true, true, false]);
    }
}
