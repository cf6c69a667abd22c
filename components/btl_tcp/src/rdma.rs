//! Memory that peers may read and write.
//!
//! TCP has no remote access of its own; the receiver's progress does it. So the receiver knows
//! what it registered, and checks key, range and right of every put and get, for each piece that it
//! reads from or writes to a socket: memory that was deregistered in between is not touched.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

use cairn_framework::frameworks::btl::{BTL_REMOTE_READ, BTL_REMOTE_WRITE};
use parking_lot::{RwLock, RwLockReadGuard};

use crate::wire::Violation;

/// Bytes of a packed key.
pub const KEY: usize = 32;

/// A registration: what the user's pointer leads to, here and (unpacked) at a peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Region {
    /// Names it; never used again.
    pub key: u64,
    /// Its first byte.
    pub base: u64,
    /// Bytes.
    pub len: u64,
    /// What peers may do.
    pub access: u32,
}

impl Region {
    /// Whether so many bytes at an address lie inside.
    pub fn holds(&self, address: u64, len: u64) -> bool {
        address
            .checked_sub(self.base)
            .and_then(|offset| offset.checked_add(len))
            .is_some_and(|end| end <= self.len)
    }

    /// The bytes for a peer.
    pub fn pack(&self, bytes: &mut [u8]) {
        bytes[0..8].copy_from_slice(&self.key.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.base.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.len.to_le_bytes());
        bytes[24..32].copy_from_slice(&u64::from(self.access).to_le_bytes());
    }

    /// What a peer packed. Nothing in it is trusted: the peer checks its use again.
    pub fn unpack(bytes: &[u8]) -> Option<Self> {
        let field = |i: usize| bytes.get(8 * i..8 * i + 8)?.try_into().ok().map(u64::from_le_bytes);
        let access = u32::try_from(field(3)?).ok()?;
        Some(Self { key: field(0)?, base: field(1)?, len: field(2)?, access })
    }
}

/// Parts of a [`Registry`], and the bits of a key that name one.
const PARTS: usize = 1 << PART_BITS;
const PART_BITS: u32 = 4;

/// What this process has registered, in parts by key: a CRI that moves bytes of one registration,
/// which the kernel may take long for, seldom holds up a thread that ends another.
pub struct Registry {
    /// Each is taken for a piece of a put or get by readers; by writers when memory is registered.
    parts: [Part; PARTS],
    next: AtomicU64,
}

/// On cache lines of its own.
#[repr(align(128))]
#[derive(Default)]
struct Part(RwLock<Regions>);

/// Some of the registrations while none of them ends.
#[derive(Default)]
pub struct Regions(HashMap<u64, Region>);

impl Registry {
    /// An empty registry; `start` is random, so that keys of another process or job don't fit.
    pub fn new(start: u64) -> Self {
        Self { parts: Default::default(), next: start.into() }
    }

    /// Which part holds a registration.
    pub fn part(key: u64) -> usize {
        (key >> (u64::BITS - PART_BITS)) as usize
    }

    /// Registers memory.
    pub fn add(&self, base: u64, len: u64, access: u32) -> Region {
        // Odd, so that every number comes once; the highest bits, which name the part, change most.
        let key = self.next.fetch_add(0x9E37_79B9_7F4A_7C15, Ordering::Relaxed);
        let region = Region { key, base, len, access };
        self.parts[Self::part(key)].0.write().0.insert(key, region);
        region
    }

    /// Ends a registration. When it returns no peer touches the memory any more.
    pub fn remove(&self, key: u64) {
        self.parts[Self::part(key)].0.write().0.remove(&key);
    }

    /// Holds the registrations of a key's part in place. A thread holds one at a time.
    pub fn hold(&self, key: u64) -> RwLockReadGuard<'_, Regions> {
        self.parts[Self::part(key)].0.read()
    }
}

impl Regions {
    /// Where a peer may write (or read) so many bytes; the memory is there while the registrations
    /// are held in place.
    pub fn find(
        &self,
        write: bool,
        key: u64,
        address: u64,
        len: u64,
    ) -> Result<*mut u8, Violation> {
        let refuse = |reason| Err(Violation::Memory { write, address, len, reason });
        let right = if write { BTL_REMOTE_WRITE } else { BTL_REMOTE_READ };
        match self.0.get(&key) {
            None => refuse("no memory is registered with its key"),
            Some(region) if region.access & right == 0 => {
                refuse("the memory is not registered for that")
            }
            Some(region) if !region.holds(address, len) => {
                refuse("that is outside of the registered memory")
            }
            Some(_) => Ok(std::ptr::with_exposed_provenance_mut(address as usize)),
        }
    }
}

#[cfg(test)]
mod tests {
    use cairn_framework::frameworks::btl::BTL_LOCAL;

    use super::*;

    #[test]
    fn only_what_is_registered() {
        let registry = Registry::new(1);
        let both = registry.add(4096, 100, BTL_REMOTE_READ | BTL_REMOTE_WRITE);
        let read = registry.add(8192, 100, BTL_REMOTE_READ);
        let none = registry.add(12288, 100, BTL_LOCAL);
        let may =
            |write, key, address, len| registry.hold(key).find(write, key, address, len).is_ok();
        assert!(may(true, both.key, 4096, 100) && may(false, both.key, 4195, 1));
        assert!(may(true, both.key, 4196, 0));
        for (address, len) in [(4095, 1), (4096, 101), (4196, 1), (0, 0), (u64::MAX, 8)] {
            assert!(!may(true, both.key, address, len), "{address} {len}");
        }
        assert!(!may(true, both.key, 4100, u64::MAX));
        assert!(may(false, read.key, 8192, 1) && !may(true, read.key, 8192, 1));
        assert!(!may(false, none.key, 12288, 1));
        assert!(!may(false, both.key, 8192, 1) && !may(false, 77, 4096, 1));
        registry.remove(both.key);
        assert!(!may(true, both.key, 4096, 1));
    }

    #[test]
    fn an_end_waits_for_the_users_of_its_own_part_only() {
        let registry = Registry::new(0);
        let regions: Vec<Region> = (0..64).map(|base| registry.add(base, 1, 0)).collect();
        let used: std::collections::HashSet<usize> =
            regions.iter().map(|region| Registry::part(region.key)).collect();
        assert_eq!(used.len(), PARTS);
        let held = registry.hold(regions[0].key);
        let others = regions[1..]
            .iter()
            .filter(|one| Registry::part(one.key) != Registry::part(regions[0].key));
        others.for_each(|one| registry.remove(one.key));
        drop(held);
        registry.remove(regions[0].key);
    }

    #[test]
    fn keys_travel() {
        let region = Registry::new(u64::MAX).add(5, 6, 7);
        let mut bytes = [0; KEY];
        region.pack(&mut bytes);
        assert_eq!(Region::unpack(&bytes), Some(region));
        assert_eq!(Region::unpack(&bytes[1..]), None);
        assert_eq!(Region::unpack(&[0xff; KEY]), None);
    }
}
