//! Memory that peers reach, and their keys to it.

use cairn_framework::abi::status::ERR_ARGUMENT;
use cairn_framework::author::Failure;

use std::sync::Arc;

use crate::bindings::fid_mr;
use crate::fabric::Object;

/// Bytes of a packed key.
pub const KEY: usize = 24;

/// What a registration leads to, as a peer knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Region {
    /// The provider's key.
    pub key: u64,
    /// Its first byte.
    pub base: u64,
    /// Bytes.
    pub len: u64,
}

/// A registration here.
pub struct Registration {
    pub region: Region,
    /// None where there are no bytes.
    pub object: Option<Arc<Object<fid_mr>>>,
}

impl Region {
    /// The bytes for a peer.
    pub fn pack(&self, bytes: &mut [u8]) {
        for (place, word) in bytes.chunks_exact_mut(8).zip([self.key, self.base, self.len]) {
            place.copy_from_slice(&word.to_le_bytes());
        }
    }

    /// What a peer packed. It may be any numbers; the peer's provider checks their use.
    pub fn unpack(bytes: &[u8]) -> Option<Self> {
        let word = |at: usize| bytes.get(at..at + 8)?.try_into().ok().map(u64::from_le_bytes);
        Some(Self { key: word(0)?, base: word(8)?, len: word(16)? })
    }

    /// Where so many bytes at an address of the peer's are for the provider: at that address, or behind the
    /// beginning of the registration.
    ///
    /// # Errors
    /// When they are not all inside.
    pub fn locate(&self, address: u64, len: u64, by_address: bool) -> Result<u64, Failure> {
        let offset = address.checked_sub(self.base);
        let inside = offset.filter(|at| at.checked_add(len).is_some_and(|end| end <= self.len));
        match inside {
            Some(offset) => Ok(if by_address { address } else { offset }),
            None => Err(Failure::new(
                ERR_ARGUMENT,
                format!(
                    "{len} bytes at {address:#x} are outside of the peer's memory, {} bytes at {:#x}",
                    self.len, self.base
                ),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_travel() {
        let region = Region { key: u64::MAX, base: 5, len: 7 };
        let mut bytes = [0; KEY];
        region.pack(&mut bytes);
        assert_eq!(Region::unpack(&bytes), Some(region));
        assert_eq!(Region::unpack(&bytes[1..]), None);
    }

    #[test]
    fn only_what_is_inside_is_reached() {
        let region = Region { key: 0, base: 4096, len: 100 };
        assert_eq!(region.locate(4096, 100, true).ok(), Some(4096));
        assert_eq!(region.locate(4100, 96, false).ok(), Some(4));
        assert_eq!(region.locate(4196, 0, false).ok(), Some(100));
        for (address, len) in
            [(4095, 1), (4096, 101), (4196, 1), (0, 0), (u64::MAX, 8), (4100, u64::MAX)]
        {
            assert!(region.locate(address, len, true).is_err(), "{address} {len}");
        }
        // One whose end lies behind all addresses.
        let forged = Region { key: 0, base: u64::MAX - 3, len: u64::MAX };
        assert!(forged.locate(2, 8, true).is_err());
    }
}
