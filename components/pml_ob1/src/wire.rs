//! Every header that this component sends: little-endian, of fixed width, without holes.
//!
//! ```text
//!   Match       24 B   a whole message follows
//!   Sync        32 B   the same, and the sender wants to know when it was matched
//!   Rendezvous  48 B   only the announcement; a key for the sender's memory may follow
//!   Answer      40 B   receiver to sender: how to send; a key for the receiver's memory may follow
//!   Fragment    56 B   a piece of an answered message follows
//!   Finish      24 B   the other side may let go
//!   Skip        24 B   a Match whose number has no message: it could not be sent
//!   Pushed      56 B   the first piece of a message follows, and its Pieces come behind it, unasked
//!   Piece       56 B   a piece of a pushed message follows
//!   Broken      32 B   what is missing of a pushed message will not come
//!   Pushing     24 B   receiver to sender: whether messages may be pushed
//!   Long        56 B   a Match with zeros behind it; a whole message of some KiB follows
//! ```
//!
//! The first word holds the kind in its low six bits, what an announcement offers in the next two and,
//! in headers that are matched, a sequence number in the others, or [`UNORDERED`]. With 24 bytes of header, 32 bytes of payload make a message
//! of 56 bytes: it fits into a cache line with a transport's word. What is copied by whole lines begins with one behind a
//! header of 56 bytes ([`DATA`]): a processor that writes a line by one instruction need not read it before, which is
//! up to twice as fast where another one has it. Ids of transfers are numbers of the
//! tables in [`ids`](crate::core::ids), never addresses. Nothing here is trusted; a reader of a header checks
//! it.

use cairn_framework::abi::receive::RECEIVE_GROWING;
use cairn_framework::frameworks::btl::{BTL_HEADER_ROOM, BTL_MAX_KEY};

/// Entry of the receive table that all messages of this component go to.
pub const TAG: u8 = 64;

/// The same for those with data, whose receiver may be told of them while they are written.
pub const TAG_GROWING: u8 = RECEIVE_GROWING;

/// Kinds of header, in the low six bits of the first word.
pub mod kind {
    /// [`Match`](super::Match).
    pub const MATCH: u8 = 1;
    /// [`Sync`](super::Sync).
    pub const SYNC: u8 = 2;
    /// [`Rendezvous`](super::Rendezvous).
    pub const RENDEZVOUS: u8 = 3;
    /// [`Answer`](super::Answer).
    pub const ANSWER: u8 = 4;
    /// [`Fragment`](super::Fragment).
    pub const FRAGMENT: u8 = 5;
    /// [`Finish`](super::Finish).
    pub const FINISH: u8 = 6;
    /// [`Match`](super::Match): its number has no message.
    pub const SKIP: u8 = 7;
    /// [`Pushed`](super::Pushed).
    pub const PUSHED: u8 = 8;
    /// [`Piece`](super::Piece).
    pub const PIECE: u8 = 9;
    /// [`Broken`](super::Broken).
    pub const BROKEN: u8 = 10;
    /// [`Pushing`](super::Pushing).
    pub const PUSHING: u8 = 11;
    /// [`Match`](super::Match), up to [`DATA`](super::DATA): its message is at least [`LONG`](super::LONG).
    pub const LONG: u8 = 12;
}

/// Where data begins behind a padded header: with a cache line behind a transport's word of eight bytes.
pub const DATA: usize = 56;

/// Bytes of a whole message from which it is worth that.
pub const LONG: u64 = 8 << 10;

/// A header with zeros up to [`DATA`].
#[inline]
pub fn padded(header: &[u8]) -> [u8; DATA] {
    let mut padded = [0; DATA];
    padded[..header.len()].copy_from_slice(header);
    padded
}

impl Match {
    /// The padded header of the same message, which is a long one.
    #[inline]
    pub fn long(self) -> [u8; DATA] {
        padded(&Self { word: word(kind::LONG, sequence_of(self.word)), ..self }.bytes())
    }

    /// The header of this whole message if it has so many bytes of data, and how much of it is sent.
    #[inline]
    pub fn whole(self, bytes: u64) -> ([u8; DATA], usize) {
        if bytes < LONG { (padded(&self.bytes()), Self::SIZE) } else { (self.long(), DATA) }
    }

    /// The padded header of the same message if it is pushed: its bytes, and the number that the sender, of that rank in
    /// the job, has for it.
    #[inline]
    pub fn pushed(self, length: u64, number: u64, origin: u32) -> [u8; DATA] {
        let Self { word: first, source, tag, maker, serial } = self;
        let word = word(kind::PUSHED, sequence_of(first));
        let all = Pushed { word, source, tag, maker, serial, length, number, origin, reserved: 0 };
        padded(&all.bytes())
    }
}

/// Bits of a sequence number.
const SEQUENCE_BITS: u32 = 23;

/// Sequence numbers count modulo this plus one.
pub const SEQUENCE_MASK: u32 = (1 << SEQUENCE_BITS) - 1;

/// In place of a sequence number: the message may overtake others, and others it.
pub const UNORDERED: u32 = 1 << SEQUENCE_BITS;

/// In the first word of [`Rendezvous`]: the receiver may get the data from `address`.
pub const OFFER_GET: u32 = 1 << 6;
/// In the first word of [`Rendezvous`]: the sender can put the data.
pub const OFFER_PUT: u32 = 1 << 7;

/// Where the sequence number begins.
const SEQUENCE_SHIFT: u32 = 8;

/// [`Answer::way`]: send fragments.
pub const BY_FRAGMENTS: u32 = 1;
/// [`Answer::way`]: put to `address`.
pub const BY_PUT: u32 = 2;

/// The first word of a header.
#[inline]
pub const fn word(kind: u8, sequence: u32) -> u32 {
    kind as u32 | sequence << SEQUENCE_SHIFT
}

/// The kind in a first word.
#[inline]
pub const fn kind_of(word: u32) -> u8 {
    word as u8 & 0x3f
}

/// What the first word of an announcement offers: `OFFER_*`.
#[inline]
pub const fn offers_of(word: u32) -> u32 {
    word & (OFFER_GET | OFFER_PUT)
}

/// The sequence number in a first word, or [`UNORDERED`].
#[inline]
pub const fn sequence_of(word: u32) -> u32 {
    word >> SEQUENCE_SHIFT
}

macro_rules! headers {
    ($( $(#[$doc:meta])* $name:ident: $size:literal {
        $( $(#[$field_doc:meta])* $field:ident: $type:ty, )*
    } )*) => { $(
        $(#[$doc])*
        #[repr(C)]
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $name {
            $( $(#[$field_doc])* pub $field: $type, )*
        }

        const _: () = assert!(size_of::<$name>() == $size);
        const _: () = assert!(0 $( + size_of::<$type>() )* == $size, "a header with a hole");

        impl $name {
            /// Bytes on the wire.
            pub const SIZE: usize = $size;

            /// The header as it is on the wire.
            #[inline]
            pub fn bytes(self) -> [u8; Self::SIZE] {
                let wire = Self { $( $field: self.$field.to_le(), )* };
                // SAFETY: integers without a hole, of this size.
                unsafe { core::mem::transmute(wire) }
            }

            /// Reads a header.
            ///
            /// # Safety
            /// [`Self::SIZE`] bytes are at `data`.
            #[inline]
            pub unsafe fn read(data: *const u8) -> Self {
                // SAFETY: promised by the caller; any bytes make integers.
                let wire = unsafe { data.cast::<Self>().read_unaligned() };
                Self { $( $field: <$type>::from_le(wire.$field), )* }
            }
        }
    )* };
}

headers! {
    /// A message, whole.
    Match: 24 {
        /// Kind and sequence number.
        word: u32,
        /// Rank of the sender in the communicator.
        source: u32,
        /// The message's tag.
        tag: i32,
        /// Of the communicator's context id, its maker.
        maker: u32,
        /// Of the communicator's context id, its number.
        serial: u64,
    }

    /// A message, whole, whose sender waits for the match.
    Sync: 32 {
        /// Kind and sequence number.
        word: u32,
        /// As in `Match`.
        source: u32,
        /// As in `Match`.
        tag: i32,
        /// As in `Match`.
        maker: u32,
        /// As in `Match`.
        serial: u64,
        /// The send, for `Finish`.
        send: u64,
    }

    /// The announcement of a message. The key for the sender's memory follows, if it offers a get.
    Rendezvous: 48 {
        /// Kind, offers and sequence number.
        word: u32,
        /// As in `Match`.
        source: u32,
        /// As in `Match`.
        tag: i32,
        /// As in `Match`.
        maker: u32,
        /// As in `Match`.
        serial: u64,
        /// Bytes of the message.
        length: u64,
        /// The send, for `Answer` and `Finish`.
        send: u64,
        /// Where the data lies at the sender, if it offers a get.
        address: u64,
    }

    /// What the receiver of an announced message wants.
    Answer: 40 {
        /// Kind.
        word: u32,
        /// `BY_*`.
        way: u32,
        /// The send.
        send: u64,
        /// The receive, for fragments and `Finish`.
        receive: u64,
        /// Bytes wanted, from the message's beginning.
        length: u64,
        /// Where they go, for a put. The key's bytes follow the header, as many as there are.
        address: u64,
    }

    /// A piece of a message, up to [`DATA`].
    Fragment: 24 {
        /// Kind.
        word: u32,
        /// Zero.
        reserved: u32,
        /// The receive.
        receive: u64,
        /// Place of the piece in the message, in bytes.
        offset: u64,
    }

    /// Nothing more will come, or be fetched.
    Finish: 24 {
        /// Kind.
        word: u32,
        /// `CAIRN_OK` or what went wrong.
        status: i32,
        /// A send, or a receive.
        id: u64,
        /// Zero. No header is shorter than `Match`, which is read before the kind is known.
        reserved: u64,
    }

    /// A message whose pieces follow without an answer, up to [`DATA`]. The first of them comes with it.
    Pushed: 48 {
        /// Kind and sequence number.
        word: u32,
        /// As in `Match`.
        source: u32,
        /// As in `Match`.
        tag: i32,
        /// As in `Match`.
        maker: u32,
        /// As in `Match`.
        serial: u64,
        /// Bytes of the message.
        length: u64,
        /// The sender's number for it. Where numbers begin is random, so that no third process can invent
        /// one that is in use.
        number: u64,
        /// The sender's rank in the job, to which its numbers belong.
        origin: u32,
        /// Zero.
        reserved: u32,
    }

    /// A piece of a pushed message, up to [`DATA`]. It may overtake the message's first.
    Piece: 24 {
        /// Kind.
        word: u32,
        /// As in `Pushed`.
        origin: u32,
        /// As in `Pushed`.
        number: u64,
        /// Place of the piece in the message, in bytes.
        offset: u64,
    }

    /// The end of a pushed message of which not all was sent. It may overtake pieces.
    Broken: 32 {
        /// Kind.
        word: u32,
        /// As in `Pushed`.
        origin: u32,
        /// As in `Pushed`.
        number: u64,
        /// Bytes that were sent.
        sent: u64,
        /// What went wrong.
        status: i32,
        /// Zero.
        reserved: u32,
    }

    /// A receiver that keeps many pushed messages wants to be asked, or has room again.
    Pushing: 24 {
        /// Kind.
        word: u32,
        /// The receiver's rank in the job.
        origin: u32,
        /// How many of these it has sent to this sender: they may overtake each other.
        number: u64,
        /// 1 if messages may be pushed to it, else 0.
        allowed: u64,
    }
}

macro_rules! named {
    ($($header:ident)*) => { $(
        impl $header {
            /// What the pieces of its message name it by.
            #[inline]
            pub fn name(&self) -> PushName {
                PushName { origin: self.origin, number: self.number }
            }
        }
    )* };
}

named! { Pushed Piece Broken }

/// What the pieces of a pushed message name it by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PushName {
    /// The sender's rank in the job.
    pub origin: u32,
    /// The sender's number.
    pub number: u64,
}

/// The longest header, with the longest key behind it.
pub const LONGEST: usize = Rendezvous::SIZE + BTL_MAX_KEY;
const _: () = assert!(LONGEST <= BTL_HEADER_ROOM, "a header that transports may not have room for");
const _: () = assert!(Answer::SIZE <= Rendezvous::SIZE);

/// An announcement that offers nothing, made of one that does.
pub fn without_offers(header: &[u8]) -> [u8; Rendezvous::SIZE] {
    let mut plain = [0; Rendezvous::SIZE];
    plain.copy_from_slice(&header[..Rendezvous::SIZE]);
    plain[0] &= 0x3f;
    plain
}

impl Finish {
    /// The end of a send or a receive.
    pub fn new(id: u64, status: i32) -> Self {
        Self { word: word(kind::FINISH, 0), status, id, reserved: 0 }
    }
}

/// Bytes of header that a kind has; `None` for kinds that do not exist.
#[inline]
pub fn size_of_kind(kind: u8) -> Option<usize> {
    Some(match kind {
        kind::MATCH => Match::SIZE,
        kind::SYNC => Sync::SIZE,
        kind::RENDEZVOUS => Rendezvous::SIZE,
        kind::ANSWER => Answer::SIZE,
        kind::FINISH => Finish::SIZE,
        kind::SKIP => Match::SIZE,
        kind::FRAGMENT | kind::PUSHED | kind::PIECE | kind::LONG => DATA,
        kind::BROKEN => Broken::SIZE,
        kind::PUSHING => Pushing::SIZE,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_have_one_form_on_every_machine() {
        let (maker, serial) = (0x0102_0304, 0x0506_0708_090a_0b0c);
        let header =
            Match { word: word(kind::MATCH, 0x0a_0b0c), source: 5, tag: -2, maker, serial };
        let bytes = header.bytes();
        assert_eq!(bytes[..12], [1, 0x0c, 0x0b, 0x0a, 5, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff]);
        assert_eq!(bytes[12..], [4, 3, 2, 1, 12, 11, 10, 9, 8, 7, 6, 5]);
        // SAFETY: the array has the size.
        assert_eq!(unsafe { Match::read(bytes.as_ptr()) }, header);
        assert_eq!(kind_of(header.word), kind::MATCH);
        assert_eq!(sequence_of(header.word), 0x0a_0b0c);
        assert_eq!(word(kind::SYNC, UNORDERED | SEQUENCE_MASK), 0xffff_ff02);
        let announced = word(kind::RENDEZVOUS, 7) | OFFER_PUT;
        assert_eq!((kind_of(announced), sequence_of(announced)), (kind::RENDEZVOUS, 7));
        assert_eq!((offers_of(announced), offers_of(header.word)), (OFFER_PUT, 0));
        assert!(size_of_kind(0).is_none() && size_of_kind(13).is_none());
        let long = header.long();
        assert_eq!((long[0], &long[1..24]), (kind::LONG, &bytes[1..]));
        assert_eq!(size_of_kind(kind::LONG), Some(long.len()));
        assert!(long[24..].iter().all(|byte| *byte == 0));
        let (whole, len) = header.whole(LONG - 1);
        assert_eq!((&whole[..len], header.whole(LONG)), (&bytes[..], (long, DATA)));
    }
}
