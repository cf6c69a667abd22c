//! What active messages look like: a header of fixed size, the description of a datatype, data.
//!
//! Numbers are little-endian. Nothing in a packet is trusted: what does not fit is dropped and counted.

/// Bytes of a header.
pub const HEADER: usize = 64;

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
}

impl Kind {
    fn of(byte: u8) -> Option<Self> {
        use Kind::*;
        let all = [Operation, Reply, Ack, Lock, Granted, Unlock, Flush, Post, Complete, Type];
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

/// The header of a packet. Which fields hold depends on the kind; others are 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    pub kind: Kind,
    /// Of the constants above.
    pub flags: u8,
    /// One of `OSC_PUT` and the others.
    pub operation: u8,
    /// The target's datatype if it is predefined, else 0.
    pub predefined: u32,
    /// The reduction operation; of answers what went wrong, as a status.
    pub op: u32,
    /// Bytes that describe the target's datatype, between header and data.
    pub type_len: u32,
    /// What the origin calls the operation, for its reply.
    pub id: u64,
    /// Where the operation begins in the target's memory, in bytes; an address for dynamic windows.
    pub offset: i64,
    /// Elements at the target.
    pub count: u64,
    /// Bytes of the operation's data before those of this packet.
    pub position: u64,
    /// Bytes of data in this packet, or that are asked for.
    pub len: u32,
    /// The description came before, in packets of its own.
    pub type_before: u32,
    /// Number of the packet among those that are answered in turn; an answer has that of what it answers.
    pub sequence: u64,
}

impl Header {
    /// One of a kind, without anything else.
    pub const fn new(kind: Kind) -> Self {
        Self {
            kind,
            flags: 0,
            operation: 0,
            predefined: 0,
            op: 0,
            type_len: 0,
            id: 0,
            offset: 0,
            count: 0,
            position: 0,
            len: 0,
            type_before: 0,
            sequence: 0,
        }
    }

    /// As bytes.
    pub fn encode(&self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[..3].copy_from_slice(&[self.kind as u8, self.flags, self.operation]);
        let mut at = 4;
        let mut put = |value: &[u8]| {
            bytes[at..at + value.len()].copy_from_slice(value);
            at += value.len();
        };
        for word in [self.predefined, self.op, self.type_len] {
            put(&word.to_le_bytes());
        }
        for word in [self.id, self.offset as u64, self.count, self.position] {
            put(&word.to_le_bytes());
        }
        for word in [self.len, self.type_before] {
            put(&word.to_le_bytes());
        }
        put(&self.sequence.to_le_bytes());
        bytes
    }

    /// From bytes, and what is behind it.
    pub fn decode(packet: &[u8]) -> Option<(Self, &[u8])> {
        let (bytes, rest) = packet.split_first_chunk::<HEADER>()?;
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four"));
        let long = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight"));
        let header = Self {
            kind: Kind::of(bytes[0])?,
            flags: bytes[1],
            operation: bytes[2],
            predefined: word(4),
            op: word(8),
            type_len: word(12),
            id: long(16),
            offset: long(24) as i64,
            count: long(32),
            position: long(40),
            len: word(48),
            type_before: word(52),
            sequence: long(56),
        };
        Some((header, rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_come_back() {
        let header = Header {
            flags: ANSWER | SHARED,
            operation: 3,
            predefined: 4,
            op: 5,
            type_len: 6,
            id: 7,
            offset: -8,
            count: 9,
            position: u64::MAX,
            len: 11,
            type_before: 12,
            sequence: 13,
            ..Header::new(Kind::Type)
        };
        let mut packet = header.encode().to_vec();
        packet.extend([1, 2]);
        assert_eq!(Header::decode(&packet), Some((header, &[1, 2][..])));
        assert_eq!(Header::decode(&packet[..HEADER - 1]), None);
        packet[0] = 0;
        assert_eq!(Header::decode(&packet), None);
    }
}
