//! What a process publishes, so that others find it.
//!
//! ```text
//!   magic u32   version u16   order of bytes u16   flags u16   frame u32   identity [20]
//!   length u8 and name of the provider   CRIs u16   for each: length u16 and address
//! ```

use std::net::{IpAddr, SocketAddr};

use cairn_segment::{IDENTITY, Owner};
use cairn_transport::Rest;

const MAGIC: u32 = 0x4346_4f43;
const VERSION: u16 = 1;
/// In this machine's order of bytes.
const ORDER: u16 = 0x0102;
const LOOPBACK: u16 = 1;

/// Most CRIs of a process.
pub const MOST_CRIS: usize = 1024;
/// Most bytes of an address.
const LONGEST: usize = 256;

/// A card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card {
    pub provider: String,
    /// The addresses lead nowhere from other nodes.
    pub loopback: bool,
    /// Bytes of its receive buffers.
    pub frame: u32,
    /// Who it is on its node.
    pub identity: [u8; IDENTITY],
    /// By CRI, at least one.
    pub addresses: Vec<Vec<u8>>,
}

impl Card {
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_le_bytes().to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(ORDER.to_ne_bytes());
        bytes.extend((if self.loopback { LOOPBACK } else { 0 }).to_le_bytes());
        bytes.extend(self.frame.to_le_bytes());
        bytes.extend(self.identity);
        bytes.push(self.provider.len() as u8);
        bytes.extend(self.provider.as_bytes());
        bytes.extend((self.addresses.len() as u16).to_le_bytes());
        for address in &self.addresses {
            bytes.extend((address.len() as u16).to_le_bytes());
            bytes.extend(address);
        }
        bytes
    }

    /// A card of a peer, or why it is none.
    pub fn parse(bytes: &[u8]) -> Result<Self, &'static str> {
        let mut rest = Rest(bytes);
        if long(&mut rest)? != MAGIC {
            return Err("it is not a card of btl_ofi");
        }
        if short(&mut rest)? != VERSION {
            return Err("it is of another version");
        }
        if short(&mut rest)?.to_le_bytes() != ORDER.to_ne_bytes() {
            return Err("its machine has another order of bytes");
        }
        let loopback = short(&mut rest)? & LOOPBACK != 0;
        let frame = long(&mut rest)?;
        let identity = rest.array()?;
        let len = usize::from(rest.array::<1>()?[0]);
        let provider =
            std::str::from_utf8(rest.take(len)?).map_err(|_| "its provider is no text")?;
        let provider = provider.to_owned();
        let count = usize::from(short(&mut rest)?);
        if count == 0 || count > MOST_CRIS {
            return Err("its number of instances is not allowed");
        }
        let mut addresses = Vec::with_capacity(count);
        for _ in 0..count {
            let len = usize::from(short(&mut rest)?);
            if len == 0 || len > LONGEST {
                return Err("an address has a length that is not allowed");
            }
            addresses.push(rest.take(len)?.to_vec());
        }
        if !rest.0.is_empty() {
            return Err("something follows it");
        }
        Ok(Self { provider, loopback, frame, identity, addresses })
    }

    /// The process of a card, for asking whether it lives.
    pub fn owner(bytes: &[u8]) -> Option<Owner> {
        Self::parse(bytes).ok().map(|card| Owner::identified(&card.identity))
    }
}

/// An address of libfabric's, if it is one of IP.
pub fn of_ip(address: &[u8]) -> Option<SocketAddr> {
    let mut rest = Rest(address);
    let family = u16::from_ne_bytes(rest.array().ok()?);
    let port = u16::from_be_bytes(rest.array().ok()?);
    let ip: IpAddr = match i32::from(family) {
        libc::AF_INET => rest.array::<4>().ok()?.into(),
        libc::AF_INET6 => {
            let _flow: [u8; 4] = rest.array().ok()?;
            rest.array::<16>().ok()?.into()
        }
        _ => return None,
    };
    Some(SocketAddr::new(ip, port))
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
        Card {
            provider: "tcp;ofi_rxm".into(),
            loopback: true,
            frame: 4096,
            identity: [7; IDENTITY],
            addresses: vec![b"fi_shm://1:0:0\0".to_vec(), vec![2; 16]],
        }
    }

    #[test]
    fn cards_travel() {
        let bytes = card().encode();
        assert_eq!(Card::parse(&bytes), Ok(card()));
        let other = Card { loopback: false, ..card() };
        assert_eq!(Card::parse(&other.encode()), Ok(other));
    }

    #[test]
    fn addresses_of_ip_are_known() {
        let four =
            [&libc::AF_INET.to_ne_bytes()[..2], &[0x1f, 0x90, 10, 1, 0, 2], &[0; 8]].concat();
        assert_eq!(of_ip(&four), Some("10.1.0.2:8080".parse().unwrap()));
        let mut six = [&libc::AF_INET6.to_ne_bytes()[..2], &[0x1f, 0x90], &[0; 24]].concat();
        six[23] = 1;
        assert_eq!(of_ip(&six), Some("[::1]:8080".parse().unwrap()));
        for other in [&b"fi_shm://1:0:0"[..], &four[..7], &six[..20], b""] {
            assert_eq!(of_ip(other), None);
        }
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
        let none = Card { addresses: vec![], ..card() };
        assert!(Card::parse(&none.encode()).is_err());
        let empty = Card { addresses: vec![vec![]], ..card() };
        assert!(Card::parse(&empty.encode()).is_err());
        let long = Card { addresses: vec![vec![1; LONGEST + 1]], ..card() };
        assert!(Card::parse(&long.encode()).is_err());
    }
}
