//! What stands before a message.
//!
//! ```text
//!   0   head, of cairn-transport's admission: tag, kind, rank, check
//!   8   number of the message among those of this way, from 0, wrapping (u32)
//!   12  index of the CRI that sent it (u16), zero (u16)
//!   16  the message
//! ```
//!
//! The numbers are in this machine's order of bytes; a card of another order is refused. They are there because
//! a provider that takes messages in order may still report them out of order: a long one that it fetches later
//! than the short one behind it.

use cairn_transport::Head;

/// Bytes before a message. A multiple of 8, so that the message is aligned.
pub const HEADER: usize = 16;

/// A header, taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    pub head: Head,
    pub number: u32,
    pub cri: u16,
}

impl Header {
    /// The bytes.
    #[inline(always)]
    pub fn words(self) -> [u64; 2] {
        [self.head.0, u64::from(self.number) | u64::from(self.cri) << 32]
    }

    /// The header at the beginning of what has come, and what follows it.
    #[inline(always)]
    pub fn split(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let (header, rest) = bytes.split_at_checked(HEADER)?;
        let word =
            |at: usize| u64::from_ne_bytes(header[at..at + 8].try_into().expect("eight bytes"));
        let second = word(8);
        let header =
            Self { head: Head(word(0)), number: second as u32, cri: (second >> 32) as u16 };
        Some((header, rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_travel() {
        let header = Header { head: Head(0x1234_5678_9abc_def0), number: u32::MAX - 1, cri: 777 };
        let mut bytes: Vec<u8> =
            header.words().iter().flat_map(|word| word.to_ne_bytes()).collect();
        assert_eq!(bytes.len(), HEADER);
        assert_eq!(Header::split(&bytes), Some((header, &b""[..])));
        assert_eq!(Header::split(&bytes[1..]), None);
        bytes.push(7);
        assert_eq!(Header::split(&bytes), Some((header, &b"\x07"[..])));
    }
}
