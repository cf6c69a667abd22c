//! Every header that this component sends: little-endian, of fixed width, without holes.
//!
//! ```text
//!   Match       16 B   a whole message follows
//!   Sync        24 B   the same, and the sender wants to know when it was matched
//!   Rendezvous  48 B   only the announcement; a key for the sender's memory may follow
//!   Answer      40 B   receiver to sender: how to send; a key for the receiver's memory may follow
//!   Fragment    24 B   a piece of an answered message follows
//!   Finish      16 B   the other side may let go
//! ```
//!
//! The first word holds the kind in its low eight bits and, in headers that are matched, a sequence
//! number in the others, or [`UNORDERED`]. With 16 bytes of header, 40 bytes of payload make a message of 56 bytes:
//! it fits into a cache line with a transport's word. Ids are numbers of an [`Ids`](crate::ids::Ids)
//! table, never addresses. Nothing here is trusted; whoever reads a header checks it.

/// Entry of the receive table that all messages of this component go to.
pub const TAG: u8 = 64;

/// Kinds of header, in the low eight bits of the first word.
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
}

/// Bits of a sequence number.
const SEQUENCE_BITS: u32 = 23;

/// Sequence numbers count modulo this plus one.
pub const SEQUENCE_MASK: u32 = (1 << SEQUENCE_BITS) - 1;

/// In place of a sequence number: the message may overtake others, and others it.
pub const UNORDERED: u32 = 1 << SEQUENCE_BITS;

/// [`Rendezvous::offers`]: the receiver may get the data from `address`.
pub const OFFER_GET: u32 = 1;
/// [`Rendezvous::offers`]: the sender can put the data.
pub const OFFER_PUT: u32 = 2;

/// [`Answer::way`]: send fragments.
pub const BY_FRAGMENTS: u32 = 1;
/// [`Answer::way`]: put to `address`.
pub const BY_PUT: u32 = 2;

/// The first word of a header.
#[inline]
pub const fn word(kind: u8, sequence: u32) -> u32 {
    kind as u32 | sequence << 8
}

/// The kind in a first word.
#[inline]
pub const fn kind_of(word: u32) -> u8 {
    word as u8
}

/// The sequence number in a first word, or [`UNORDERED`].
#[inline]
pub const fn sequence_of(word: u32) -> u32 {
    word >> 8
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
            pub fn bytes(self) -> [u8; $size] {
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
    Match: 16 {
        /// Kind and sequence number.
        word: u32,
        /// The communicator's context at the receiver.
        context: u32,
        /// Rank of the sender in the communicator.
        source: u32,
        /// The message's tag.
        tag: i32,
    }

    /// A message, whole, whose sender waits for the match.
    Sync: 24 {
        /// Kind and sequence number.
        word: u32,
        /// As in `Match`.
        context: u32,
        /// As in `Match`.
        source: u32,
        /// As in `Match`.
        tag: i32,
        /// The send, for `Finish`.
        send: u64,
    }

    /// The announcement of a message.
    Rendezvous: 48 {
        /// Kind and sequence number.
        word: u32,
        /// As in `Match`.
        context: u32,
        /// As in `Match`.
        source: u32,
        /// As in `Match`.
        tag: i32,
        /// Bytes of the message.
        length: u64,
        /// The send, for `Answer` and `Finish`.
        send: u64,
        /// Where the data lies at the sender, if it offers a get.
        address: u64,
        /// `OFFER_*`.
        offers: u32,
        /// Bytes of key behind the header.
        key_len: u32,
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

    /// A piece of a message.
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
    Finish: 16 {
        /// Kind.
        word: u32,
        /// `CAIRN_OK` or what went wrong.
        status: i32,
        /// A send, or a receive.
        id: u64,
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
        kind::FRAGMENT => Fragment::SIZE,
        kind::FINISH => Finish::SIZE,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_have_one_form_on_every_machine() {
        let header =
            Match { word: word(kind::MATCH, 0x0a_0b0c), context: 0x0102_0304, source: 5, tag: -2 };
        let bytes = header.bytes();
        assert_eq!(bytes, [1, 0x0c, 0x0b, 0x0a, 4, 3, 2, 1, 5, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff]);
        // SAFETY: the array has the size.
        assert_eq!(unsafe { Match::read(bytes.as_ptr()) }, header);
        assert_eq!(kind_of(header.word), kind::MATCH);
        assert_eq!(sequence_of(header.word), 0x0a_0b0c);
        assert_eq!(word(kind::SYNC, UNORDERED | SEQUENCE_MASK), 0xffff_ff02);
        assert!(size_of_kind(0).is_none() && size_of_kind(7).is_none());
    }
}
