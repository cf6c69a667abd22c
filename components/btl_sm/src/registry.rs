//! Memory that peers may read, and its keys.
//!
//! A key is eight bytes and is checked against the table before a byte is read for a peer:
//!
//! ```text
//!   bits  0 to 23   ticket of an offer, which the peer gives to the component of smsc
//!        24 to 27   the component's mark; 0 when there is no offer
//!        28 to 47   place in the table
//!        48 to 63   a number that no other registration had for long; never 0
//! ```

use cairn_framework::frameworks::smsc::SMSC_MAX_OFFER;
use parking_lot::Mutex;

/// A registration's key, as it travels. Never 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key(pub u64);

impl Key {
    /// Mark of the component and ticket, if the memory was offered.
    pub fn offered(self) -> Option<(u8, [u8; SMSC_MAX_OFFER])> {
        let [first, second, third, mark, ..] = self.0.to_le_bytes();
        (mark & 0xf != 0).then_some((mark & 0xf, [first, second, third]))
    }

    fn place(self) -> usize {
        (self.0 >> 28) as usize & MOST
    }
}

/// The largest place.
const MOST: usize = (1 << 20) - 1;

/// What a component of smsc has begun to move.
#[derive(Debug, Clone, Copy)]
pub struct Offered {
    pub mark: u8,
    pub ticket: [u8; SMSC_MAX_OFFER],
    /// The instance that has the transfer.
    pub instance: u32,
}

/// The registrations of a device.
#[derive(Default)]
pub struct Registry(Mutex<Table>);

#[derive(Default)]
struct Table {
    places: Vec<Option<Registration>>,
    free: Vec<u32>,
    /// Counts registrations.
    number: u16,
}

struct Registration {
    key: Key,
    address: u64,
    len: u64,
    instance: Option<u32>,
}

impl Registry {
    /// Lets peers read `len` bytes at `address`; `None` when there are too many registrations.
    pub fn add(&self, (address, len): (u64, u64), offered: Option<Offered>) -> Option<Key> {
        let mut table = self.0.lock();
        let place = match table.free.pop() {
            Some(place) => place as usize,
            None if table.places.len() > MOST => return None,
            None => {
                table.places.push(None);
                table.places.len() - 1
            }
        };
        // Odd, so that no key is 0.
        table.number = table.number.wrapping_add(2) | 1;
        let offer = offered.map_or(0, |offered| {
            let [first, second, third] = offered.ticket;
            u32::from_le_bytes([first, second, third, offered.mark & 0xf])
        });
        let key = u64::from(table.number) << 48 | (place as u64) << 28 | u64::from(offer);
        let instance = offered.map(|offered| offered.instance);
        table.places[place] = Some(Registration { key: Key(key), address, len, instance });
        Some(Key(key))
    }

    /// Ends a registration. The instance that has the transfer, if the memory was offered.
    pub fn remove(&self, key: Key) -> Option<u32> {
        let mut table = self.0.lock();
        let known = table.places.get_mut(key.place())?;
        let registration = known.take_if(|known| known.key == key)?;
        table.free.push(key.place() as u32);
        registration.instance
    }

    /// Whether a key allows to read these bytes.
    pub fn allows(&self, key: Key, address: u64, len: u64) -> bool {
        let table = self.0.lock();
        let known = table.places.get(key.place()).and_then(Option::as_ref);
        let Some(known) = known.filter(|known| known.key == key) else { return false };
        let offset = address.checked_sub(known.address);
        len > 0 && offset.is_some_and(|offset| offset <= known.len && len <= known.len - offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_allow_what_was_registered_and_nothing_else() {
        let registry = Registry::default();
        let (first, second) =
            (registry.add((1000, 50), None).unwrap(), registry.add((5000, 8), None).unwrap());
        assert_ne!(first, second);
        for (key, address, len, allowed) in [
            (first, 1000, 50, true),
            (first, 1049, 1, true),
            (first, 1049, 2, false),
            (first, 1050, 1, false),
            (first, 999, 1, false),
            (first, 1000, 0, false),
            (first, 1001, u64::MAX, false),
            (first, u64::MAX, 2, false),
            (second, 1000, 1, false),
            (Key(first.0 + (2 << 48)), 1000, 1, false),
            (Key(first.0 + 1), 1000, 1, false),
            (Key(u64::MAX), 1000, 1, false),
            (Key(0), 0, 1, false),
        ] {
            assert_eq!(registry.allows(key, address, len), allowed, "{key:?} {address} {len}");
        }
        assert_eq!((first.offered(), registry.remove(first)), (None, None));
        assert!(!registry.allows(first, 1000, 1));
        // The place is used again, the key is not.
        let offered = Offered { mark: 15, ticket: [1, 2, 255], instance: 7 };
        let third = registry.add((1000, 50), Some(offered)).unwrap();
        assert_eq!((third.place(), third.offered()), (first.place(), Some((15, [1, 2, 255]))));
        assert!(!registry.allows(first, 1000, 1) && registry.allows(third, 1000, 1));
        assert_eq!(registry.remove(first), None);
        assert!(registry.allows(third, 1000, 1));
        assert_eq!((registry.remove(third), registry.remove(third)), (Some(7), None));
    }
}
