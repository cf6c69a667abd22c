//! Memory that peers reach, and their keys to it.

use cairn_framework::abi::status::ERR_ARGUMENT;
use cairn_framework::author::Failure;

use crate::bindings::gni_mem_handle_t;

/// Bytes of a packed key.
pub const KEY: usize = 32;

/// Gets are made of units of so many bytes, and registrations begin and end at them.
pub const UNIT: u64 = 4;

/// What a registration leads to, as a peer knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Region {
    pub handle: [u64; 2],
    /// Its first byte.
    pub base: u64,
    /// Bytes.
    pub len: u64,
}

impl Region {
    /// The bytes for a peer.
    pub fn pack(&self, bytes: &mut [u8]) {
        let words = [self.handle[0], self.handle[1], self.base, self.len];
        for (place, word) in bytes.chunks_exact_mut(8).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
    }

    /// What a peer packed. It may be any numbers; the peer's NIC checks their use.
    pub fn unpack(bytes: &[u8]) -> Option<Self> {
        let word = |at: usize| bytes.get(at..at + 8)?.try_into().ok().map(u64::from_le_bytes);
        Some(Self { handle: [word(0)?, word(8)?], base: word(16)?, len: word(24)? })
    }

    /// Whether so many bytes at an address of the peer's are inside.
    ///
    /// # Errors
    /// When they are not all.
    pub fn check(&self, address: u64, len: u64) -> Result<(), Failure> {
        let offset = address.checked_sub(self.base);
        let inside = offset.and_then(|at| at.checked_add(len)).is_some_and(|end| end <= self.len);
        if inside && address.checked_add(len).is_some() {
            return Ok(());
        }
        Err(Failure::new(
            ERR_ARGUMENT,
            format!(
                "{len} bytes at {address:#x} are outside of the peer's memory, {} bytes at {:#x}",
                self.len, self.base
            ),
        ))
    }
}

/// The handle of two words.
pub fn handle(words: [u64; 2]) -> gni_mem_handle_t {
    gni_mem_handle_t { qword1: words[0], qword2: words[1] }
}

/// Where the units begin and how many bytes they have that these are in.
pub fn units(address: u64, len: u64) -> (u64, u64) {
    let start = address - address % UNIT;
    (start, (address - start + len).next_multiple_of(UNIT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_travel() {
        let region = Region { handle: [u64::MAX, 3], base: 5, len: 7 };
        let mut bytes = [0; KEY];
        region.pack(&mut bytes);
        assert_eq!(Region::unpack(&bytes), Some(region));
        assert_eq!(Region::unpack(&bytes[1..]), None);
    }

    #[test]
    fn only_what_is_inside_is_reached() {
        let region = Region { handle: [0; 2], base: 4096, len: 100 };
        for (address, len) in [(4096, 100), (4100, 96), (4196, 0)] {
            assert!(region.check(address, len).is_ok());
        }
        for (address, len) in
            [(4095, 1), (4096, 101), (4196, 1), (0, 0), (u64::MAX, 8), (4100, u64::MAX)]
        {
            assert!(region.check(address, len).is_err(), "{address} {len}");
        }
        let forged = Region { handle: [0; 2], base: u64::MAX - 3, len: u64::MAX };
        assert!(forged.check(u64::MAX - 2, 8).is_err());
    }

    #[test]
    fn units_are_whole() {
        assert_eq!((units(8, 8), units(9, 1), units(11, 2)), ((8, 8), (8, 4), (8, 8)));
    }
}
