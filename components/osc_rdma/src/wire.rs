//! What active messages look like: a header, the description of a datatype, data.
//!
//! ```text
//!   0       4       8       12   13    14        15       16         18  20   24      32
//!   window  origin  serial  kind flags operation extended predefined op  len  offset  ┊ if extended:
//!                                                  32     40        48        52           56
//!                                                  count  position  type_len  type_before  ┊
//! ```
//!
//! Numbers are little-endian. An operation on one block of a predefined type that goes in one packet needs no more
//! than the short form, so with 24 bytes of data it is one cache line of shared memory. Nothing in a packet is
//! trusted: what does not fit is dropped and counted.

use cairn_framework::abi::status::{ERR_OTHER, Status};

/// Most bytes of a header.
pub const HEADER: usize = 56;
/// Bytes of one that is not extended.
pub const SHORT: usize = 32;

/// What a packet is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// A part of an operation, or all of it.
    Operation = 1,
    /// What an operation fetched.
    Reply = 2,
    /// Everything that the sender of the answered packet sent up to it has been done.
    Ack = 3,
    /// The origin asks for the lock.
    Lock = 4,
    /// It has the lock.
    Granted = 5,
    /// It gives the lock back.
    Unlock = 6,
    /// It asks for an `Ack`.
    Flush = 7,
    /// The target lets the origin begin (`MPI_Win_post`).
    Post = 8,
    /// The origin has ended (`MPI_Win_complete`), after operations that told it not.
    Complete = 9,
    /// A part of the description of a datatype that is too long to travel with its operation.
    Type = 10,
    /// The lock that the sender had taken without the receiver is free, and somebody waits for it.
    Released = 11,
}

impl Kind {
    fn of(byte: u8) -> Option<Self> {
        use Kind::*;
        let all =
            [Operation, Reply, Ack, Lock, Granted, Unlock, Flush, Post, Complete, Type, Released];
        all.into_iter().find(|kind| *kind as u8 == byte)
    }
}

/// The operation takes a shared lock first, and `Lock` asks for one.
pub const SHARED: u8 = 1;
/// The same for an exclusive lock.
pub const EXCLUSIVE: u8 = 2;
/// It is the last one of a lock epoch: the target gives the lock back.
pub const UNLOCK: u8 = 4;
/// It is the last one of its origin between two fences.
pub const LAST_OF_FENCE: u8 = 8;
/// It is the last one of its origin before its `MPI_Win_complete`.
pub const LAST_OF_START: u8 = 16;
/// The target is to answer with an `Ack` or a `Reply`.
pub const ANSWER: u8 = 32;
/// A lock was not given back, and nobody can have it any more.
pub const LOST: u8 = 64;

/// The header of a packet. Which fields hold depends on the kind; others are 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// What the receiver calls the window.
    pub window: u32,
    /// The sender's rank in it.
    pub origin: u32,
    /// The lower bits of the number of the packet among all from its sender to its receiver.
    pub serial: u32,
    pub kind: Kind,
    /// Of the constants above.
    pub flags: u8,
    /// One of `OSC_PUT` and the others.
    pub operation: u8,
    /// The target's datatype if it is predefined, else 0.
    pub predefined: u16,
    /// The reduction operation; of answers what went wrong, see [`error`](Self::error).
    pub op: u16,
    /// Bytes of data in this packet, or that are asked for; of an `Ack` or `Reply` the serial of what it answers.
    pub len: u32,
    /// Where the operation begins in the target's memory, in bytes; an address for dynamic windows.
    pub offset: i64,
    /// What is said besides of an operation that is not one block of a predefined type, in one packet.
    pub more: Option<More>,
}

/// The rest of an extended header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct More {
    /// Elements at the target.
    pub count: u64,
    /// Bytes of the operation's data before those of this packet.
    pub position: u64,
    /// Bytes that describe the target's datatype, between header and data.
    pub type_len: u32,
    /// The description came before, in packets of its own, and has so many bytes.
    pub type_before: u32,
}

impl Header {
    /// One of a kind, without anything else.
    pub const fn new(kind: Kind) -> Self {
        Self {
            window: 0,
            origin: 0,
            serial: 0,
            kind,
            flags: 0,
            operation: 0,
            predefined: 0,
            op: 0,
            len: 0,
            offset: 0,
            more: None,
        }
    }

    /// What the receiver of a packet calls its window.
    pub fn port(packet: &[u8]) -> Option<u32> {
        packet.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
    }

    /// An answer to the packet with this number.
    pub fn answer(kind: Kind, answered: u32, error: Status) -> Self {
        let error = i16::try_from(error).unwrap_or(ERR_OTHER as i16);
        Self { len: answered, op: error as u16, ..Self::new(kind) }
    }

    /// What an answer says that went wrong.
    pub fn error(&self) -> Status {
        Status::from(self.op as i16)
    }

    /// Its bytes, and how many those are.
    pub fn encode(&self) -> ([u8; HEADER], usize) {
        let mut bytes = [0; HEADER];
        let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
        put(0, &self.window.to_le_bytes());
        put(4, &self.origin.to_le_bytes());
        put(8, &self.serial.to_le_bytes());
        put(12, &[self.kind as u8, self.flags, self.operation, self.more.is_some().into()]);
        put(16, &self.predefined.to_le_bytes());
        put(18, &self.op.to_le_bytes());
        put(20, &self.len.to_le_bytes());
        put(24, &self.offset.to_le_bytes());
        let Some(more) = self.more else { return (bytes, SHORT) };
        put(32, &more.count.to_le_bytes());
        put(40, &more.position.to_le_bytes());
        put(48, &more.type_len.to_le_bytes());
        put(52, &more.type_before.to_le_bytes());
        (bytes, HEADER)
    }

    /// From bytes, and what is behind it.
    pub fn decode(packet: &[u8]) -> Option<(Self, &[u8])> {
        let half = |at: usize| u16::from_le_bytes([packet[at], packet[at + 1]]);
        let word = |at: usize| u32::from_le_bytes(packet[at..at + 4].try_into().expect("four"));
        let long = |at: usize| u64::from_le_bytes(packet[at..at + 8].try_into().expect("eight"));
        let extended = match packet.get(15)? {
            0 => false,
            1 => true,
            _ => return None,
        };
        let rest = packet.get(if extended { HEADER } else { SHORT }..)?;
        let header = Self {
            window: word(0),
            origin: word(4),
            serial: word(8),
            kind: Kind::of(packet[12])?,
            flags: packet[13],
            operation: packet[14],
            predefined: half(16),
            op: half(18),
            len: word(20),
            offset: long(24) as i64,
            more: extended.then(|| More {
                count: long(32),
                position: long(40),
                type_len: word(48),
                type_before: word(52),
            }),
        };
        Some((header, rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_come_back() {
        let more = More { count: u64::MAX, position: 9, type_len: 10, type_before: 11 };
        for more in [None, Some(more)] {
            let header = Header {
                window: 1,
                origin: u32::MAX,
                serial: 3,
                flags: ANSWER | SHARED,
                operation: 3,
                predefined: 4,
                op: 5,
                len: 6,
                offset: -8,
                more,
                ..Header::new(Kind::Type)
            };
            let (bytes, len) = header.encode();
            let mut packet = bytes[..len].to_vec();
            assert_eq!(len, if more.is_some() { HEADER } else { SHORT });
            packet.extend([1, 2]);
            assert_eq!(Header::decode(&packet), Some((header, &[1, 2][..])));
            assert_eq!(Header::decode(&packet[..len - 1]), None);
            for (at, wrong) in [(12, 0), (15, 2)] {
                let mut packet = packet.clone();
                packet[at] = wrong;
                assert_eq!(Header::decode(&packet), None);
            }
        }
        assert_eq!(Header::decode(&[]), None);
    }

    #[test]
    fn errors_come_back() {
        for error in [0, -1, -10, ERR_OTHER] {
            assert_eq!(Header::answer(Kind::Ack, 7, error).error(), error);
        }
        assert_eq!(Header::answer(Kind::Ack, 7, Status::MIN).error(), ERR_OTHER);
    }
}
