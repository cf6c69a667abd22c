//! Memory that peers may read, and its keys.
//!
//! A key is eight bytes: the place in the table and a number that no other registration had for long.
//! It is checked against the table before a byte is read for a peer.

use std::sync::Mutex;

/// A registration's key, as it travels. Never 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key(pub u64);

/// The registrations of a device.
#[derive(Default)]
pub struct Registry(Mutex<Table>);

#[derive(Default)]
struct Table {
    places: Vec<Option<Registration>>,
    free: Vec<u32>,
    /// Counts registrations.
    number: u32,
}

struct Registration {
    number: u32,
    address: u64,
    len: u64,
}

impl Registry {
    /// Lets peers read `len` bytes at `address`.
    pub fn add(&self, address: u64, len: u64) -> Key {
        let mut table = self.0.lock().expect("nothing panics with it");
        // Odd, so that no key is 0.
        table.number = table.number.wrapping_add(2) | 1;
        let number = table.number;
        let place = table.free.pop().unwrap_or_else(|| {
            table.places.push(None);
            table.places.len() as u32 - 1
        });
        table.places[place as usize] = Some(Registration { number, address, len });
        Key(u64::from(place) << 32 | u64::from(number))
    }

    /// Ends a registration.
    pub fn remove(&self, key: Key) {
        let mut table = self.0.lock().expect("nothing panics with it");
        let place = (key.0 >> 32) as u32;
        let known = table.places.get_mut(place as usize);
        if let Some(known) = known.filter(|known| is(known, key)) {
            *known = None;
            table.free.push(place);
        }
    }

    /// Whether a key allows to read these bytes.
    pub fn allows(&self, key: Key, address: u64, len: u64) -> bool {
        let table = self.0.lock().expect("nothing panics with it");
        let known = table.places.get((key.0 >> 32) as usize).filter(|known| is(known, key));
        let Some(Some(known)) = known else { return false };
        let offset = address.checked_sub(known.address);
        len > 0 && offset.is_some_and(|offset| offset <= known.len && len <= known.len - offset)
    }
}

fn is(place: &Option<Registration>, key: Key) -> bool {
    place.as_ref().is_some_and(|known| known.number == key.0 as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_allow_what_was_registered_and_nothing_else() {
        let registry = Registry::default();
        let (first, second) = (registry.add(1000, 50), registry.add(5000, 8));
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
            (Key(first.0 + 2), 1000, 1, false),
            (Key(u64::MAX), 1000, 1, false),
            (Key(0), 0, 1, false),
        ] {
            assert_eq!(registry.allows(key, address, len), allowed, "{key:?} {address} {len}");
        }
        registry.remove(first);
        assert!(!registry.allows(first, 1000, 1));
        // The place is used again, the key is not.
        let third = registry.add(1000, 50);
        assert_eq!(third.0 >> 32, first.0 >> 32);
        assert!(!registry.allows(first, 1000, 1) && registry.allows(third, 1000, 1));
        registry.remove(first);
        assert!(registry.allows(third, 1000, 1));
    }
}
