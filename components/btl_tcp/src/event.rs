//! What the kernel and other CRIs tell a CRI of.

use std::net::SocketAddr;

use cairn_descriptors::Private;
use rustix::event::epoll::EventFlags;

use crate::wire::{HELLO, Hello};

/// How link sockets are watched.
pub const LINK_FLAGS: EventFlags =
    EventFlags::IN.union(EventFlags::OUT).union(EventFlags::RDHUP).union(EventFlags::ET);

/// Names a link of the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkId {
    /// The peer.
    pub rank: u32,
    /// The number of the link to it; see [`link_number`](crate::wire::link_number).
    pub index: u16,
}

/// What an event is about, in the eight bytes that epoll keeps for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token {
    /// Another thread has put something into the inbox.
    Wake,
    /// The timer that was set before sleeping.
    Timer,
    /// A listening socket, by its place.
    Listener(u32),
    /// A connection from a process that is not known yet, by place.
    Pending(u32),
    /// An open link.
    Link(LinkId),
    /// An attempt to connect, by number.
    Attempt(LinkId, u8),
}

impl Token {
    /// The eight bytes: kind, attempt, rank (4), index (2).
    pub fn encode(self) -> u64 {
        let pack = |kind: u64, attempt: u8, rank: u32, index: u16| {
            kind << 56 | u64::from(attempt) << 48 | u64::from(rank) << 16 | u64::from(index)
        };
        match self {
            Self::Wake => pack(0, 0, 0, 0),
            Self::Timer => pack(1, 0, 0, 0),
            Self::Listener(place) => pack(2, 0, place, 0),
            Self::Pending(place) => pack(3, 0, place, 0),
            Self::Link(id) => pack(4, 0, id.rank, id.index),
            Self::Attempt(id, attempt) => pack(5, attempt, id.rank, id.index),
        }
    }

    pub fn decode(bytes: u64) -> Self {
        let id = LinkId { rank: (bytes >> 16) as u32, index: bytes as u16 };
        match bytes >> 56 {
            0 => Self::Wake,
            1 => Self::Timer,
            2 => Self::Listener(id.rank),
            3 => Self::Pending(id.rank),
            4 => Self::Link(id),
            _ => Self::Attempt(id, (bytes >> 48) as u8),
        }
    }
}

/// What others put into the inbox of a CRI.
pub enum Note {
    /// A connection that has passed the handshake, for this CRI.
    Arrival(Arrival),
    /// Another link to the same peer is lost, so this one is to end.
    Lost(LinkId),
}

/// A connection from a process that knows the secret.
pub struct Arrival {
    pub socket: Private,
    pub from: SocketAddr,
    pub hello: Hello,
    /// What the answer's proof covers.
    pub said: [u8; HELLO],
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_come_back_as_they_were() {
        let id = LinkId { rank: u32::MAX, index: u16::MAX };
        for token in [
            Token::Wake,
            Token::Timer,
            Token::Listener(3),
            Token::Pending(u32::MAX),
            Token::Link(id),
            Token::Attempt(id, 255),
        ] {
            assert_eq!(Token::decode(token.encode()), token);
        }
    }
}
