//! What goes over a connection: the greeting, the frames behind it, and the business card.
//!
//! Everything is little-endian with a fixed layout. Nothing here touches a socket or memory of
//! others, so that all of it can be tested with arbitrary bytes.
//!
//! ```text
//!   hello    magic version link source target frame_limit cris zero
//!            count listener[16] nonce[16] proof[16]                                        80 bytes
//!   welcome  magic version answer rank frame_limit hellos proof[16]                        40 bytes
//!   frame    len:u32 tag:u8 kind:u8 zero:u16 | len bytes | zeros up to a multiple of 8
//! ```
//!
//! Frames begin at multiples of 8 bytes from the first one, so that a message can be handed on in
//! place from an aligned buffer.
//!
//! **The greeting** proves on both sides that the other knows the job's secret, which itself never
//! goes over the wire: each sends a MAC (HMAC-SHA-256, cut to 128 bits) made with the secret over
//! what it says, and the welcome's covers the hello with its nonce. So a program that gets hold of the
//! port of a process that died learns nothing, and can't pose as that process.
//!
//! **A hello is valid once.** It repeats a nonce of the listening process, which that process publishes
//! in its card, and has a number that rises from hello to hello; the listener takes no number on a
//! link that is not above the last one. A challenge on each connection would do the same, but the
//! connecting side could not speak before the other makes progress, which may be minutes, and so the
//! listener could not tell it from an unknown process.
//!
//! **Nor is it valid for ever.** Where both sides connect at the same time one of the connections is
//! dropped, and its hello may be read much later, when the link was used and closed again. So a welcome
//! says how many hellos its process has said: all of them on this link that have not been answered are
//! void.
//!
//! **The limit.** Frames are neither encrypted nor signed, so none of this protects against a program
//! that can change packets between two nodes, or that reads them and forges others. It could also use
//! a recorded hello that never reached the listener, as long as no later one did.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Version of everything in this file.
pub const VERSION: u16 = 5;
/// Bytes of a hello.
pub const HELLO: usize = 80;
/// Bytes of a welcome.
pub const WELCOME: usize = 40;
/// Bytes of a frame's header.
pub const HEADER: usize = 8;
/// Most bytes of a message that any process may announce to send.
pub const MAX_FRAME: u32 = 64 << 20;
/// Most bytes of one put or get.
pub const MAX_TRANSFER: u32 = 1 << 30;
/// Most requests (gets, or flushes) on one connection that wait for an answer.
pub const MAX_REQUESTS: usize = 256;
/// Most CRIs of a process.
pub const MAX_CRIS: u16 = 256;
/// Most links of a CRI to a peer.
pub const MAX_LANES: u16 = 16;

const HELLO_MAGIC: u32 = u32::from_le_bytes(*b"CrnH");
const WELCOME_MAGIC: u32 = u32::from_le_bytes(*b"CrnW");
const PROOF: usize = 16;

/// What every process of a job knows, and no other program.
pub type Secret = [u8; 16];

/// Random bytes that no process ever had before.
pub type Nonce = [u8; 16];

/// What the connecting side says first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hello {
    /// Version of the protocol.
    pub version: u16,
    /// Which of the links between the two processes this is; see [`link_number`].
    pub link: u16,
    /// The rank that connects.
    pub source: u32,
    /// The rank that is meant: addresses may be ambiguous (every node has a bridge of the same address).
    pub target: u32,
    /// Most bytes of a message that the connecting side will send.
    pub frame_limit: u32,
    /// Its CRIs.
    pub cris: u16,
    /// Links that it wants of each CRI to a peer.
    pub lanes: u16,
    /// Above that of every earlier hello of the connecting process.
    pub count: u64,
    /// [`Card::nonce`] of the process that is meant.
    pub listener: Nonce,
    /// Makes the welcome's proof fresh.
    pub nonce: Nonce,
}

/// How the listening side answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
pub enum Answer {
    /// The connection is taken.
    Welcome = 0,
    /// This is another rank than the one that is meant.
    WrongRank = 1,
    /// It speaks another version of the protocol, the welcome's.
    WrongVersion = 2,
    /// There can't be such a link.
    NoLink = 3,
    /// It has no more use for this peer, or is another process than the one that had this rank.
    Ended = 4,
}

/// What the listening side answers to a hello with a right proof; to others it says nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Welcome {
    /// Version of the protocol.
    pub version: u16,
    /// Whether it takes the connection.
    pub answer: Answer,
    /// The rank that answers.
    pub rank: u32,
    /// Most bytes of a message that the listening side will send.
    pub frame_limit: u32,
    /// Hellos that the listening side has said: none of them counts on this link any more.
    pub hellos: u64,
}

/// The number of a link: of those of this CRI, the one in this place.
pub const fn link_number(lane: u16, cri: u16) -> u16 {
    lane * MAX_CRIS + cri
}

/// The place and the CRI of a link with this number.
pub const fn lane_and_cri(link: u16) -> (u16, u16) {
    (link / MAX_CRIS, link % MAX_CRIS)
}

/// A MAC over the parts, each with a label that keeps hello and welcome apart.
fn mac(secret: &Secret, label: &[u8], parts: &[&[u8]]) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).expect("a key of any length will do");
    mac.update(label);
    parts.iter().for_each(|part| mac.update(part));
    mac
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(bytes[at..at + 2].try_into().expect("two bytes"))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

impl Hello {
    /// The bytes to send.
    pub fn encode(&self, secret: &Secret) -> [u8; HELLO] {
        let mut bytes = [0; HELLO];
        bytes[0..4].copy_from_slice(&HELLO_MAGIC.to_le_bytes());
        bytes[4..6].copy_from_slice(&self.version.to_le_bytes());
        bytes[6..8].copy_from_slice(&self.link.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.source.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.target.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.frame_limit.to_le_bytes());
        bytes[20..22].copy_from_slice(&self.cris.to_le_bytes());
        bytes[22..24].copy_from_slice(&self.lanes.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.count.to_le_bytes());
        bytes[32..48].copy_from_slice(&self.listener);
        bytes[48..64].copy_from_slice(&self.nonce);
        let (said, proof) = bytes.split_at_mut(HELLO - PROOF);
        let made = mac(secret, b"hello", &[said]).finalize().into_bytes();
        proof.copy_from_slice(&made[..PROOF]);
        bytes
    }

    /// Whether the first bytes of something, as many as there are, are a hello's.
    pub fn may_begin_with(bytes: &[u8]) -> bool {
        bytes.iter().zip(HELLO_MAGIC.to_le_bytes()).all(|(one, other)| *one == other)
    }

    /// What the bytes say, if the sender knows the secret; looks at nothing before. The comparison takes
    /// the same time wherever the proof differs.
    pub fn decode(bytes: &[u8; HELLO], secret: &Secret) -> Option<Self> {
        let (said, proof) = bytes.split_at(HELLO - PROOF);
        mac(secret, b"hello", &[said]).verify_truncated_left(proof).ok()?;
        if u32_at(said, 0) != HELLO_MAGIC {
            return None;
        }
        Some(Self {
            version: u16_at(said, 4),
            link: u16_at(said, 6),
            source: u32_at(said, 8),
            target: u32_at(said, 12),
            frame_limit: u32_at(said, 16),
            cris: u16_at(said, 20),
            lanes: u16_at(said, 22),
            count: u64_at(said, 24),
            listener: said[32..48].try_into().expect("sixteen bytes"),
            nonce: said[48..64].try_into().expect("sixteen bytes"),
        })
    }
}

impl Welcome {
    /// The bytes that answer `hello`.
    pub fn encode(&self, secret: &Secret, hello: &[u8; HELLO]) -> [u8; WELCOME] {
        let mut bytes = [0; WELCOME];
        bytes[0..4].copy_from_slice(&WELCOME_MAGIC.to_le_bytes());
        bytes[4..6].copy_from_slice(&self.version.to_le_bytes());
        bytes[6..8].copy_from_slice(&(self.answer as u16).to_le_bytes());
        bytes[8..12].copy_from_slice(&self.rank.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.frame_limit.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.hellos.to_le_bytes());
        let (said, proof) = bytes.split_at_mut(WELCOME - PROOF);
        let made = mac(secret, b"welcome", &[hello, said]).finalize().into_bytes();
        proof.copy_from_slice(&made[..PROOF]);
        bytes
    }

    /// What the bytes say, if their sender knows the secret and answers this hello.
    pub fn decode(bytes: &[u8; WELCOME], secret: &Secret, hello: &[u8; HELLO]) -> Option<Self> {
        let (said, proof) = bytes.split_at(WELCOME - PROOF);
        mac(secret, b"welcome", &[hello, said]).verify_truncated_left(proof).ok()?;
        if u32_at(said, 0) != WELCOME_MAGIC {
            return None;
        }
        Some(Self {
            version: u16_at(said, 4),
            answer: match u16_at(said, 6) {
                0 => Answer::Welcome,
                1 => Answer::WrongRank,
                2 => Answer::WrongVersion,
                3 => Answer::NoLink,
                _ => Answer::Ended,
            },
            rank: u32_at(said, 8),
            frame_limit: u32_at(said, 12),
            hellos: u64_at(said, 16),
        })
    }
}

/// Kinds of frames.
mod kind {
    pub const MESSAGE: u8 = 1;
    pub const PUT: u8 = 2;
    pub const GET: u8 = 3;
    pub const DATA: u8 = 4;
    pub const FLUSH: u8 = 5;
    pub const FLUSHED: u8 = 6;
    pub const BYE: u8 = 7;
}

/// The head of a frame: its header and the fixed part of its body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Frame {
    /// An active message of `len` bytes, which follow.
    Message {
        /// Entry of the receive table.
        tag: u8,
        /// Bytes.
        len: u32,
    },
    /// `len` bytes for the receiver's memory, which follow.
    Put {
        /// Of the registration.
        key: u64,
        /// Where.
        address: u64,
        /// Bytes.
        len: u32,
    },
    /// Asks for bytes of the receiver's memory.
    Get {
        /// Names the request in the answer.
        token: u64,
        /// Of the registration.
        key: u64,
        /// Where.
        address: u64,
        /// Bytes.
        len: u32,
    },
    /// The answer: `len` bytes, which follow.
    Data {
        /// The request's.
        token: u64,
        /// Bytes.
        len: u32,
    },
    /// Asks for `Flushed` once everything before it is in memory.
    Flush {
        /// Names the request in the answer.
        token: u64,
    },
    /// The answer.
    Flushed {
        /// The request's.
        token: u64,
    },
    /// The sender is done with this connection: its end is no failure.
    Bye,
}

/// Bytes of the longest head.
pub const LONGEST_HEAD: usize = HEADER + 32;

/// What follows to make `len` a multiple of 8.
pub const fn padding(len: usize) -> usize {
    len.wrapping_neg() % 8
}

/// The head of a frame as bytes.
#[derive(Debug, Clone, Copy)]
pub struct Head {
    bytes: [u8; LONGEST_HEAD],
    len: usize,
}

impl Head {
    /// The bytes.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    #[inline]
    fn new(len: u32, tag: u8, kind: u8, fields: &[u64]) -> Self {
        let mut bytes = [0; LONGEST_HEAD];
        bytes[0..4].copy_from_slice(&len.to_le_bytes());
        bytes[4] = tag;
        bytes[5] = kind;
        for (field, place) in fields.iter().zip(bytes[HEADER..].chunks_exact_mut(8)) {
            place.copy_from_slice(&field.to_le_bytes());
        }
        Self { bytes, len: HEADER + 8 * fields.len() }
    }
}

impl Frame {
    /// The bytes of the head. The header's length covers the fixed part, too.
    #[inline]
    pub fn head(self) -> Head {
        match self {
            Self::Message { tag, len } => Head::new(len, tag, kind::MESSAGE, &[]),
            Self::Put { key, address, len } => Head::new(len + 16, 0, kind::PUT, &[key, address]),
            Self::Get { token, key, address, len } => {
                Head::new(32, 0, kind::GET, &[token, key, address, u64::from(len)])
            }
            Self::Data { token, len } => Head::new(len + 8, 0, kind::DATA, &[token]),
            Self::Flush { token } => Head::new(8, 0, kind::FLUSH, &[token]),
            Self::Flushed { token } => Head::new(8, 0, kind::FLUSHED, &[token]),
            Self::Bye => Head::new(0, 0, kind::BYE, &[]),
        }
    }

    /// Reads the head of the frame that begins at `bytes[0]`: the head and its length in bytes, or
    /// `None` when there are too few bytes yet. `frame_limit` is the most bytes in a message.
    #[inline]
    pub fn parse(bytes: &[u8], frame_limit: u32) -> Result<Option<(Self, usize)>, Violation> {
        if bytes.len() < HEADER {
            return Ok(None);
        }
        let (len, tag, kind) = (u32_at(bytes, 0), bytes[4], bytes[5]);
        if kind == kind::MESSAGE && len <= frame_limit && bytes[6..8] == [0, 0] {
            return Ok(Some((Self::Message { tag, len }, HEADER)));
        }
        Self::parse_other(bytes, len, kind, frame_limit)
    }

    fn parse_other(
        bytes: &[u8],
        len: u32,
        kind: u8,
        frame_limit: u32,
    ) -> Result<Option<(Self, usize)>, Violation> {
        let fixed: u32 = match kind {
            kind::MESSAGE => 0,
            kind::PUT => 16,
            kind::GET => 32,
            kind::DATA | kind::FLUSH | kind::FLUSHED => 8,
            kind::BYE => 0,
            _ => return Err(Violation::Kind(kind)),
        };
        let most = match kind {
            kind::MESSAGE => frame_limit,
            kind::PUT | kind::DATA => fixed + MAX_TRANSFER,
            _ => fixed,
        };
        if len < fixed || len > most {
            return Err(Violation::Length { kind, len, most });
        }
        if bytes[6..8] != [0, 0] || (kind != kind::MESSAGE && bytes[4] != 0) {
            return Err(Violation::Reserved);
        }
        let head = HEADER + fixed as usize;
        if bytes.len() < head {
            return Ok(None);
        }
        let field = |i: usize| u64_at(bytes, HEADER + 8 * i);
        let rest = len - fixed;
        let frame = match kind {
            kind::PUT => Self::Put { key: field(0), address: field(1), len: rest },
            kind::GET => {
                let len = u32::try_from(field(3)).ok().filter(|len| *len <= MAX_TRANSFER);
                let len =
                    len.ok_or(Violation::Length { kind, len: u32::MAX, most: MAX_TRANSFER })?;
                Self::Get { token: field(0), key: field(1), address: field(2), len }
            }
            kind::DATA => Self::Data { token: field(0), len: rest },
            kind::FLUSH => Self::Flush { token: field(0) },
            kind::FLUSHED => Self::Flushed { token: field(0) },
            _ => Self::Bye,
        };
        Ok(Some((frame, head)))
    }
}

/// How a peer broke the protocol.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Violation {
    /// A frame of a kind that there is not.
    Kind(u8),
    /// A frame that is too long or too short for its kind.
    Length {
        /// The frame's kind.
        kind: u8,
        /// What the peer says.
        len: u32,
        /// What is allowed.
        most: u32,
    },
    /// Bytes that must be zero.
    Reserved,
    /// A put or get that no registration allows.
    Memory {
        /// What the peer wanted.
        write: bool,
        /// Where.
        address: u64,
        /// Bytes.
        len: u64,
        /// Why not.
        reason: &'static str,
    },
    /// An answer that was not asked for, or of another length.
    Answer(u64),
    /// More requests at once than allowed.
    TooMany,
    /// Something after the bye.
    AfterBye,
}

impl std::fmt::Display for Violation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Kind(kind) => write!(f, "a frame of the unknown kind {kind}"),
            Self::Length { kind, len, most } => {
                write!(f, "a frame of kind {kind} with {len} bytes, at most {most} are allowed")
            }
            Self::Reserved => f.write_str("a frame with reserved bytes that are not zero"),
            Self::Memory { write, address, len, reason } => {
                let what = if *write { "a put of" } else { "a get of" };
                write!(f, "{what} {len} bytes at {address:#x}: {reason}")
            }
            Self::Answer(token) => write!(f, "an answer to nothing that was asked ({token:#x})"),
            Self::TooMany => f.write_str("too many requests at once"),
            Self::AfterBye => f.write_str("a frame after its goodbye"),
        }
    }
}

/// Where a process can be reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card {
    /// Its CRIs.
    pub cris: u16,
    /// Links that it wants of each CRI to a peer.
    pub lanes: u16,
    /// What hellos to it repeat.
    pub nonce: Nonce,
    /// Its machine ([`cairn_segment::machine`]).
    pub machine: Option<u64>,
    /// Its addresses, best first.
    pub addresses: Vec<CardAddress>,
}

/// One address of a [`Card`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CardAddress {
    /// Where it listens.
    pub address: SocketAddr,
    /// Bits of the address that name the network.
    pub prefix: u8,
    /// What kind of address it is; less is better.
    pub class: u8,
}

/// Bytes of an address in a card.
const CARD_ADDRESS: usize = 20;
const CARD_HEADER: usize = 32;

impl Card {
    /// The bytes to publish.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(CARD_HEADER + CARD_ADDRESS * self.addresses.len());
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(self.cris.to_le_bytes());
        bytes.extend(self.lanes.to_le_bytes());
        bytes.extend((self.addresses.len() as u16).to_le_bytes());
        bytes.extend(self.nonce);
        bytes.extend(self.machine.unwrap_or(0).to_le_bytes());
        for one in &self.addresses {
            let ip = match one.address.ip() {
                IpAddr::V4(v4) => v4.to_ipv6_mapped(),
                IpAddr::V6(v6) => v6,
            };
            bytes.extend(ip.octets());
            bytes.extend(one.address.port().to_le_bytes());
            bytes.extend([one.prefix, one.class]);
        }
        bytes
    }

    /// What a published card says, or what is wrong with it.
    pub fn decode(bytes: &[u8]) -> Result<Self, String> {
        if bytes.len() < CARD_HEADER {
            return Err(format!("its card has {} bytes", bytes.len()));
        }
        let version = u16_at(bytes, 0);
        if version != VERSION {
            return Err(format!("its card has version {version}, this process knows {VERSION}"));
        }
        let (cris, lanes) = (u16_at(bytes, 2), u16_at(bytes, 4));
        let count = usize::from(u16_at(bytes, 6));
        let nonce = bytes[8..24].try_into().expect("sixteen bytes");
        let machine = Some(u64_at(bytes, 24)).filter(|machine| *machine != 0);
        let rest = &bytes[CARD_HEADER..];
        let sound = (1..=MAX_CRIS).contains(&cris) && (1..=MAX_LANES).contains(&lanes);
        if !sound || rest.len() != count * CARD_ADDRESS {
            return Err("its card is damaged".into());
        }
        let addresses = rest
            .chunks_exact(CARD_ADDRESS)
            .map(|one| {
                let v6 = Ipv6Addr::from(<[u8; 16]>::try_from(&one[..16]).expect("sixteen bytes"));
                let ip = v6.to_ipv4_mapped().map_or(IpAddr::V6(v6), |v4: Ipv4Addr| v4.into());
                CardAddress {
                    address: SocketAddr::new(ip, u16_at(one, 16)),
                    prefix: one[18],
                    class: one[19],
                }
            })
            .collect();
        Ok(Self { cris, lanes, nonce, machine, addresses })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SECRET: Secret = *b"sixteen secrets!";
    const LISTENER: Nonce = *b"of one process !";

    fn hello() -> Hello {
        Hello {
            version: VERSION,
            link: 2,
            source: 7,
            target: 3,
            frame_limit: 4096,
            cris: 4,
            lanes: 3,
            count: 1 << 40,
            listener: LISTENER,
            nonce: [9; 16],
        }
    }

    #[test]
    fn who_knows_the_secret_is_understood() {
        let bytes = hello().encode(&SECRET);
        assert_eq!(Hello::decode(&bytes, &SECRET), Some(hello()));
        assert_eq!(Hello::decode(&bytes, &[0; 16]), None);
        for at in 0..HELLO {
            let mut wrong = bytes;
            wrong[at] ^= 1;
            assert_eq!(Hello::decode(&wrong, &SECRET), None, "byte {at}");
            assert!(Hello::may_begin_with(&bytes[..at]));
            assert_eq!(Hello::may_begin_with(&wrong), at > 3);
        }
        assert!(!Hello::may_begin_with(b"G"));
        assert!(!bytes.windows(4).any(|part| part == &SECRET[..4]), "the secret stays at home");
        let welcome = Welcome {
            version: VERSION,
            answer: Answer::WrongRank,
            rank: 3,
            frame_limit: 5,
            hellos: 7,
        };
        let answer = welcome.encode(&SECRET, &bytes);
        assert_eq!(Welcome::decode(&answer, &SECRET, &bytes), Some(welcome));
        // An answer to another hello proves nothing.
        let other = Hello { nonce: [8; 16], ..hello() }.encode(&SECRET);
        assert_eq!(Welcome::decode(&answer, &SECRET, &other), None);
        assert_eq!(Welcome::decode(&answer, &[0; 16], &bytes), None);
    }

    #[test]
    fn cards_come_back_as_they_were() {
        let card = Card {
            cris: 3,
            lanes: 2,
            nonce: LISTENER,
            machine: Some(5),
            addresses: ["127.0.0.1:80", "[::1]:65535", "10.1.2.3:1"]
                .iter()
                .map(|text| CardAddress { address: text.parse().unwrap(), prefix: 8, class: 2 })
                .collect(),
        };
        assert_eq!(Card::decode(&card.encode()), Ok(card.clone()));
        let bytes = card.encode();
        for len in 0..bytes.len() {
            assert!(Card::decode(&bytes[..len]).is_err());
        }
    }

    fn frames() -> impl Strategy<Value = Frame> {
        prop_oneof![
            (any::<u8>(), 0..=4096u32).prop_map(|(tag, len)| Frame::Message { tag, len }),
            (any::<u64>(), any::<u64>(), 0..=MAX_TRANSFER)
                .prop_map(|(key, address, len)| Frame::Put { key, address, len }),
            (any::<u64>(), any::<u64>(), any::<u64>(), 0..=MAX_TRANSFER)
                .prop_map(|(token, key, address, len)| Frame::Get { token, key, address, len }),
            (any::<u64>(), 0..=MAX_TRANSFER).prop_map(|(token, len)| Frame::Data { token, len }),
            any::<u64>().prop_map(|token| Frame::Flush { token }),
            any::<u64>().prop_map(|token| Frame::Flushed { token }),
            Just(Frame::Bye),
        ]
    }

    proptest! {
        #[test]
        fn frames_come_back_as_they_were(frame in frames()) {
            let head = frame.head();
            let bytes = head.bytes();
            prop_assert_eq!(bytes.len() % 8, 0);
            prop_assert_eq!(Frame::parse(bytes, 4096), Ok(Some((frame, bytes.len()))));
            for len in 0..bytes.len() {
                prop_assert_eq!(Frame::parse(&bytes[..len], 4096), Ok(None));
            }
        }

        #[test]
        fn arbitrary_bytes_never_panic(
            bytes in proptest::collection::vec(any::<u8>(), 0..80),
            kind in 0..10u8,
            limit in any::<u32>(),
        ) {
            let mut bytes = bytes;
            if bytes.len() > 7 && limit % 2 == 0 {
                (bytes[4], bytes[5], bytes[6], bytes[7]) = (0, kind, 0, 0);
                (bytes[2], bytes[3]) = (0, 0);
            }
            if let Ok(Some((frame, head))) = Frame::parse(&bytes, limit) {
                prop_assert!(head <= bytes.len());
                match frame {
                    Frame::Message { len, .. } => prop_assert!(len <= limit),
                    Frame::Put { len, .. } | Frame::Get { len, .. } | Frame::Data { len, .. } => {
                        prop_assert!(len <= MAX_TRANSFER);
                    }
                    _ => {}
                }
            }
            let _ = Card::decode(&bytes);
        }
    }
}
