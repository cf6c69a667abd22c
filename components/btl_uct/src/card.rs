//! What peers need to reach this process.
//!
//! ```text
//!   magic u32   version u16   CRIs u16   owner [20]   devices u8, of each:
//!     transport name   device address   bulk: transport name, device address
//!     for each CRI: address, bulk address, doors   (each of these: length u8, bytes)
//! ```
//!
//! In this machine's order of bytes, which UCT's addresses have, too. A card is no longer than a peer makes it,
//! and says nothing that is believed: what it names is asked of UCT.

use std::net::SocketAddr;

use cairn_framework::author::Failure;
use cairn_segment::{IDENTITY, Owner};
use cairn_transport::Rest;

const MAGIC: u32 = u32::from_ne_bytes(*b"CUCT");
const VERSION: u16 = 3;

/// A process's card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card {
    /// CRIs of the process, at least one.
    pub cris: u16,
    pub owner: [u8; IDENTITY],
    pub devices: Vec<CardDevice>,
}

/// A device of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CardDevice {
    pub messages: CardInterface,
    /// Empty when there is none.
    pub bulk: CardInterface,
    /// For each CRI: where UCX accepts connections of TCP for it.
    pub doors: Vec<Vec<SocketAddr>>,
}

/// The interfaces of a transport, one for each CRI.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CardInterface {
    pub transport: Vec<u8>,
    pub device: Vec<u8>,
    pub addresses: Vec<Vec<u8>>,
}

impl Card {
    /// As it is published.
    ///
    /// # Errors
    /// When an address is longer than a card takes.
    pub fn encode(&self) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        bytes.extend(MAGIC.to_ne_bytes());
        bytes.extend(VERSION.to_ne_bytes());
        bytes.extend(self.cris.to_ne_bytes());
        bytes.extend(self.owner);
        bytes.push(self.devices.len() as u8);
        let mut put = |part: &[u8]| {
            let len = u8::try_from(part.len()).map_err(|_| "an address of more than 255 bytes")?;
            bytes.push(len);
            bytes.extend(part);
            Ok::<(), &str>(())
        };
        for device in &self.devices {
            for one in [&device.messages, &device.bulk] {
                put(&one.transport)?;
                put(&one.device)?;
            }
            for cri in 0..usize::from(self.cris) {
                put(&device.messages.addresses[cri])?;
                put(device.bulk.addresses.get(cri).map_or(&[][..], |address| address))?;
                let doors: Vec<String> =
                    device.doors[cri].iter().map(SocketAddr::to_string).collect();
                put(doors.join(" ").as_bytes())?;
            }
        }
        Ok(bytes)
    }

    /// What a card says.
    ///
    /// # Errors
    /// When it is none of this version.
    pub fn parse(bytes: &[u8]) -> Result<Self, Failure> {
        let mut rest = Rest(bytes);
        if rest.array()? != MAGIC.to_ne_bytes() {
            return Err("it is no card of UCT for this machine".into());
        }
        let version = u16::from_ne_bytes(rest.array()?);
        if version != VERSION {
            return Err(format!("its card has version {version}; known is {VERSION}").into());
        }
        let cris = u16::from_ne_bytes(rest.array()?);
        if cris == 0 {
            return Err("its card has no CRI".into());
        }
        let owner = rest.array()?;
        let [count] = rest.array()?;
        let mut devices = Vec::new();
        for _ in 0..count {
            let mut named = || -> Result<CardInterface, Failure> {
                let (transport, device) = (part(&mut rest)?, part(&mut rest)?);
                Ok(CardInterface { transport, device, addresses: Vec::new() })
            };
            let mut device = CardDevice { messages: named()?, bulk: named()?, doors: Vec::new() };
            for _ in 0..cris {
                device.messages.addresses.push(part(&mut rest)?);
                device.bulk.addresses.push(part(&mut rest)?);
                device.doors.push(doors(&part(&mut rest)?)?);
            }
            devices.push(device);
        }
        Ok(Self { cris, owner, devices })
    }
}

/// The process that a card is of.
pub fn owner(card: &[u8]) -> Option<Owner> {
    Card::parse(card).ok().map(|card| Owner::identified(&card.owner))
}

fn doors(text: &[u8]) -> Result<Vec<SocketAddr>, &'static str> {
    let wrong = "its doors are no addresses";
    let doors = std::str::from_utf8(text).map_err(|_| wrong)?.split_whitespace();
    doors.map(|door| door.parse().map_err(|_| wrong)).collect()
}

fn part(rest: &mut Rest<'_>) -> Result<Vec<u8>, &'static str> {
    let [len] = rest.array()?;
    Ok(rest.take(len.into())?.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_says_what_it_was_made_of_and_a_part_of_it_says_nothing() {
        let interface = |name: &[u8], bytes: &[u8]| CardInterface {
            transport: name.to_vec(),
            device: b"here".to_vec(),
            addresses: vec![bytes.to_vec(), b"second".to_vec()],
        };
        let full = CardDevice {
            messages: interface(b"posix", b"1"),
            bulk: interface(b"cma", b""),
            doors: vec![vec![]; 2],
        };
        let none = CardInterface { addresses: vec![vec![]; 2], ..CardInterface::default() };
        let doors = ["10.1.0.2:7", "[fe80::1%2]:8"].map(|door| door.parse().unwrap());
        let half = CardDevice {
            messages: interface(b"tcp", b"address"),
            bulk: none,
            doors: vec![doors.to_vec(), vec![doors[0]]],
        };
        let card = Card { cris: 2, owner: [3; IDENTITY], devices: vec![full, half] };
        let bytes = card.encode().unwrap();
        assert_eq!(Card::parse(&bytes).unwrap(), card);
        for len in 0..bytes.len() {
            assert!(Card::parse(&bytes[..len]).is_err(), "{len}");
        }
        let mut other = bytes.clone();
        other[4] ^= 1;
        assert!(Card::parse(&other).is_err());
        let mut none = bytes;
        none[6..8].fill(0);
        assert!(Card::parse(&none).is_err() && owner(&none).is_none());
    }
}
