//! What goes between two processes: datagrams by which they connect, and headers of messages.
//!
//! ```text
//!   datagram                                        message
//!   0   magic u32   version u16   order u16         0   head, of cairn-transport's admission
//!   8   link u32   bytes of a mailbox u32           8   bytes of the message u32, zero u32
//!   16  bytes of a message u32   credits u16  zero  16  the message
//!   24  memory of mailboxes u64                     This machine's order of bytes, as the card's.
//!   32  its registration [16]
//!   48  its length u32   offset of the mailbox u32
//!   56  head of a greeting u64, or zero
//!   64  its proof [16]
//! ```

use cairn_transport::admission::PROOF;
use cairn_transport::{Head, Rest};

const MAGIC: u32 = 0x4347_4e44;
const VERSION: u16 = 1;
const ORDER: u16 = 0x0102;

/// Bytes of a datagram.
pub const DATAGRAM: usize = 80;

/// Bytes before a message. A multiple of 8, so that the message is aligned.
pub const HEADER: usize = 16;

/// Where a peer's messages go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mailbox {
    pub memory: u64,
    pub handle: [u64; 2],
    /// Of the memory.
    pub len: u32,
    /// In the memory.
    pub offset: u32,
    /// Bytes.
    pub size: u32,
    pub most: u32,
    pub credits: u16,
}

/// A datagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Datagram {
    /// By which number its sender knows the link.
    pub link: u32,
    pub mailbox: Mailbox,
    /// Who it is, if its sender knows to whom it goes.
    pub greeting: Option<(Head, [u8; PROOF])>,
}

impl Datagram {
    pub fn encode(&self) -> [u8; DATAGRAM] {
        let mut bytes = MAGIC.to_le_bytes().to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(ORDER.to_ne_bytes());
        let mailbox = &self.mailbox;
        for word in [self.link, mailbox.size, mailbox.most, u32::from(mailbox.credits)] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(mailbox.memory.to_le_bytes());
        mailbox.handle.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
        bytes.extend(mailbox.len.to_le_bytes());
        bytes.extend(mailbox.offset.to_le_bytes());
        let (head, proof) = self.greeting.unwrap_or((Head(0), [0; PROOF]));
        bytes.extend(head.0.to_le_bytes());
        bytes.extend(proof);
        bytes.try_into().expect("that is its length")
    }

    /// What a peer has sent, or why it is none.
    pub fn parse(bytes: &[u8; DATAGRAM]) -> Result<Self, &'static str> {
        let mut rest = Rest(bytes);
        if long(&mut rest)? != MAGIC {
            return Err("it is not of btl_ugni");
        }
        if u16::from_le_bytes(rest.array()?) != VERSION {
            return Err("it is of another version");
        }
        if u16::from_ne_bytes(rest.array()?) != ORDER {
            return Err("its machine has another order of bytes");
        }
        let (link, size, most) = (long(&mut rest)?, long(&mut rest)?, long(&mut rest)?);
        let credits =
            u16::try_from(long(&mut rest)?).map_err(|_| "its mailbox has too many credits")?;
        let memory = word(&mut rest)?;
        let handle = [word(&mut rest)?, word(&mut rest)?];
        let (len, offset) = (long(&mut rest)?, long(&mut rest)?);
        let (head, proof) = (Head(word(&mut rest)?), rest.array()?);
        if offset.checked_add(size).is_none_or(|end| end > len) {
            return Err("its mailbox is outside of its memory");
        }
        let mailbox = Mailbox { memory, handle, len, offset, size, most, credits };
        let greeting = (head.0 != 0 || proof != [0; PROOF]).then_some((head, proof));
        Ok(Self { link, mailbox, greeting })
    }
}

fn long(rest: &mut Rest<'_>) -> Result<u32, &'static str> {
    Ok(u32::from_le_bytes(rest.array()?))
}

fn word(rest: &mut Rest<'_>) -> Result<u64, &'static str> {
    Ok(u64::from_le_bytes(rest.array()?))
}

/// A header, taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    pub head: Head,
    pub len: u32,
}

impl Header {
    /// The words.
    #[inline(always)]
    pub fn words(self) -> [u64; 2] {
        [self.head.0, u64::from(self.len)]
    }

    /// That of these words.
    #[inline(always)]
    pub fn of(words: [u64; 2]) -> Self {
        Self { head: Head(words[0]), len: words[1] as u32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn datagram() -> Datagram {
        let mailbox = Mailbox {
            memory: 0x1234_5678_9abc_def0,
            handle: [1, u64::MAX],
            len: 1 << 21,
            offset: 1 << 20,
            size: 1 << 20,
            most: 8192,
            credits: 32,
        };
        Datagram { link: 77, mailbox, greeting: Some((Head(9 << 40), [3; PROOF])) }
    }

    #[test]
    fn datagrams_and_headers_travel() {
        for datagram in [datagram(), Datagram { greeting: None, ..datagram() }] {
            assert_eq!(Datagram::parse(&datagram.encode()), Ok(datagram));
        }
        let header = Header { head: Head(u64::MAX - 5), len: u32::MAX };
        assert_eq!(Header::of(header.words()), header);
    }

    #[test]
    fn what_is_damaged_is_none() {
        for at in 0..8 {
            let mut wrong = datagram().encode();
            wrong[at] ^= 1;
            assert!(Datagram::parse(&wrong).is_err(), "{at}");
        }
        let mut wrong = datagram();
        wrong.mailbox.offset += 1;
        assert!(Datagram::parse(&wrong.encode()).is_err());
        wrong.mailbox.offset = u32::MAX;
        assert!(Datagram::parse(&wrong.encode()).is_err());
    }
}
