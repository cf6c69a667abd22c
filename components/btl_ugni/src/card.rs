//! What a process publishes, so that others find it.
//!
//! ```text
//!   magic u32   version u16   order of bytes u16   address of the NIC u32
//!   bytes of a message u32   credits u16   CRIs u16   identity [20]   for each CRI: id of its instance u32
//! ```

use cairn_segment::{IDENTITY, Owner};
use cairn_transport::Rest;

const MAGIC: u32 = 0x4347_4e49;
const VERSION: u16 = 1;
/// In this machine's order of bytes.
const ORDER: u16 = 0x0102;

/// Most CRIs of a process. There is one more instance, for registrations.
pub const MOST_CRIS: usize = 256;

/// A card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card {
    pub address: u32,
    /// Most bytes of a message, and how many a mailbox has room for; of the sender's, too.
    pub most: u32,
    pub credits: u16,
    /// Who it is on its node.
    pub identity: [u8; IDENTITY],
    /// By CRI, at least one.
    pub ids: Vec<u32>,
}

impl Card {
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_le_bytes().to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(ORDER.to_ne_bytes());
        bytes.extend(self.address.to_le_bytes());
        bytes.extend(self.most.to_le_bytes());
        bytes.extend(self.credits.to_le_bytes());
        bytes.extend((self.ids.len() as u16).to_le_bytes());
        bytes.extend(self.identity);
        self.ids.iter().for_each(|id| bytes.extend(id.to_le_bytes()));
        bytes
    }

    /// A card of a peer, or why it is none.
    pub fn parse(bytes: &[u8]) -> Result<Self, &'static str> {
        let mut rest = Rest(bytes);
        if long(&mut rest)? != MAGIC {
            return Err("it is not a card of btl_ugni");
        }
        if short(&mut rest)? != VERSION {
            return Err("it is of another version");
        }
        if short(&mut rest)?.to_le_bytes() != ORDER.to_ne_bytes() {
            return Err("its machine has another order of bytes");
        }
        let (address, most) = (long(&mut rest)?, long(&mut rest)?);
        let (credits, count) = (short(&mut rest)?, usize::from(short(&mut rest)?));
        let identity = rest.array()?;
        if count == 0 || count > MOST_CRIS {
            return Err("its number of instances is not allowed");
        }
        let ids = (0..count).map(|_| long(&mut rest)).collect::<Result<_, _>>()?;
        if !rest.0.is_empty() {
            return Err("something follows it");
        }
        Ok(Self { address, most, credits, identity, ids })
    }

    /// The process of a card, for asking whether it lives.
    pub fn owner(bytes: &[u8]) -> Option<Owner> {
        Self::parse(bytes).ok().map(|card| Owner::identified(&card.identity))
    }
}

fn short(rest: &mut Rest<'_>) -> Result<u16, &'static str> {
    Ok(u16::from_le_bytes(rest.array()?))
}

fn long(rest: &mut Rest<'_>) -> Result<u32, &'static str> {
    Ok(u32::from_le_bytes(rest.array()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card() -> Card {
        let identity = [7; IDENTITY];
        Card { address: 0x1234_5678, most: 8192, credits: 32, identity, ids: vec![1, u32::MAX] }
    }

    #[test]
    fn cards_travel() {
        assert_eq!(Card::parse(&card().encode()), Ok(card()));
    }

    #[test]
    fn what_is_cut_or_damaged_is_no_card() {
        let bytes = card().encode();
        for len in 0..bytes.len() {
            assert!(Card::parse(&bytes[..len]).is_err(), "{len}");
        }
        assert!(Card::parse(&[&bytes[..], b"x"].concat()).is_err());
        for at in 0..8 {
            let mut wrong = bytes.clone();
            wrong[at] ^= 1;
            assert!(Card::parse(&wrong).is_err(), "{at}");
        }
        let none = Card { ids: vec![], ..card() };
        assert!(Card::parse(&none.encode()).is_err());
        let many = Card { ids: vec![1; MOST_CRIS + 1], ..card() };
        assert!(Card::parse(&many.encode()).is_err());
    }
}
