//! Memory that peers may read, and its keys.
//!
//! A key is eight bytes and is checked against the table before a byte is read for a peer:
//!
//! ```text
//!   bits  0 to 23   with an offer: its ticket, which the peer gives to the component of smsc;
//!                   without: which components can help the peer, or 0 when that is not known; of
//!                   memory that the peer can map bit 22
//!        24 to 27   the number of the component with the offer; 0 when there is none
//!        28 to 47   place in the table
//!        48 to 63   a number that no other registration had for long; never 0
//! ```

use cairn_framework::author::Mutex;
use cairn_framework::frameworks::smsc::SMSC_MAX_OFFER;

/// A registration's key, as it travels. Never 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key(pub u64);

impl Key {
    /// What a peer has sent, if it can be a key.
    pub fn of_peer(number: u64) -> Option<Self> {
        (number >> 48 != 0).then_some(Self(number))
    }

    /// Number of the component and ticket, if the memory was offered.
    pub fn offered(self) -> Option<(u8, [u8; SMSC_MAX_OFFER])> {
        let [first, second, third, number, ..] = self.0.to_le_bytes();
        (number & 0xf != 0).then_some((number & 0xf, [first, second, third]))
    }

    /// Whether the owner can help with the component of this number, as far as the key tells.
    pub fn helps(self, number: u8) -> bool {
        let helpers = self.0 as u32 & 0xff_ffff;
        let unknown = helpers == 0 || self.is_mapped();
        self.offered().is_some() || unknown || helpers >> number & 1 != 0
    }

    /// Whether the peer can map the memory.
    pub fn is_mapped(self) -> bool {
        self.offered().is_none() && self.0 as u32 & (MAPPED | KNOWN) == MAPPED
    }

    /// Whether the memory is registered for whatever comes, and not for one get that its owner knows of. That may do
    /// something else for long.
    pub fn is_lasting(self) -> bool {
        self.offered().is_none() && self.0 as u32 & (MAPPED | KNOWN) == 0
    }

    fn place(self) -> usize {
        (self.0 >> 28) as usize & MOST
    }
}

/// The largest place.
const MOST: usize = (1 << 20) - 1;

/// In a key without an offer: the other bits below are the numbers of the components that can help.
const KNOWN: u32 = 1 << 23;

/// In a key without an offer: the peer can map the memory.
const MAPPED: u32 = 1 << 22;

/// What a peer is told of memory that it may read.
#[derive(Debug, Clone, Copy)]
pub enum Terms {
    /// Nothing: a reader that asks for help will see.
    Open,
    /// The owner can help with the components of these numbers, one bit each.
    Helpers(u16),
    /// A component has begun.
    Offered(Offered),
    /// It can be mapped.
    Mapped,
}

/// What a component of smsc has begun to move.
#[derive(Debug, Clone, Copy)]
pub struct Offered {
    pub component: u8,
    pub ticket: [u8; SMSC_MAX_OFFER],
    /// The CRI that has the transfer.
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
    /// Transfers that read it for a peer.
    served: u32,
}

/// What is still under way with memory after the end of its registration.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Left {
    /// The CRI that has the transfer that was offered.
    pub offered: Option<u32>,
    /// Some CRI serves it: the reader has taken another way, or lied when it said that it was done.
    pub served: bool,
}

impl Registry {
    /// Lets peers read `len` bytes at `address`; `None` when there are too many registrations.
    pub fn add(&self, (address, len): (u64, u64), terms: Terms) -> Option<Key> {
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
        let (said, instance) = match terms {
            Terms::Open => (0, None),
            Terms::Mapped => (MAPPED, None),
            Terms::Helpers(numbers) => (KNOWN | u32::from(numbers), None),
            Terms::Offered(offered) => {
                let [first, second, third] = offered.ticket;
                let word = u32::from_le_bytes([first, second, third, offered.component & 0xf]);
                (word, Some(offered.instance))
            }
        };
        let key = u64::from(table.number) << 48 | (place as u64) << 28 | u64::from(said);
        let key = Key(key);
        table.places[place] = Some(Registration { key, address, len, instance, served: 0 });
        Some(key)
    }

    /// Ends a registration, and says what is still under way.
    pub fn remove(&self, key: Key) -> Left {
        let mut table = self.0.lock();
        let known = table.places.get_mut(key.place());
        let Some(registration) = known.and_then(|known| known.take_if(|known| known.key == key))
        else {
            return Left::default();
        };
        table.free.push(key.place() as u32);
        Left { offered: registration.instance, served: registration.served > 0 }
    }

    /// Where the memory of a registration begins.
    pub fn address(&self, key: Key) -> Option<u64> {
        let table = self.0.lock();
        let known = table.places.get(key.place()).and_then(Option::as_ref);
        known.filter(|known| known.key == key).map(|known| known.address)
    }

    /// Begins to read these bytes for a peer, until `served`. Whether a key allows it.
    pub fn serve(&self, key: Key, address: u64, len: u64) -> bool {
        let mut table = self.0.lock();
        let known = table.places.get_mut(key.place()).and_then(Option::as_mut);
        let Some(known) = known.filter(|known| known.key == key) else { return false };
        let allowed = known.allows(address, len);
        known.served += u32::from(allowed);
        allowed
    }

    /// Ends that.
    pub fn served(&self, key: Key) {
        let mut table = self.0.lock();
        let known = table.places.get_mut(key.place()).and_then(Option::as_mut);
        if let Some(known) = known.filter(|known| known.key == key) {
            known.served -= 1;
        }
    }
}

impl Registration {
    /// Whether it covers these bytes.
    fn allows(&self, address: u64, len: u64) -> bool {
        let offset = address.checked_sub(self.address);
        len > 0 && offset.is_some_and(|offset| offset <= self.len && len <= self.len - offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_allow_what_was_registered_and_nothing_else() {
        let registry = Registry::default();
        let [first, second] =
            [(1000, 50), (5000, 8)].map(|place| registry.add(place, Terms::Open).unwrap());
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
            assert_eq!(registry.serve(key, address, len), allowed, "{key:?} {address} {len}");
            if allowed {
                registry.served(key);
            }
        }
        assert_eq!((first.offered(), registry.remove(first)), (None, Left::default()));
        assert!(!registry.serve(first, 1000, 1));
        // The place is used again, the key is not.
        let offered = Offered { component: 15, ticket: [1, 2, 255], instance: 7 };
        let third = registry.add((1000, 50), Terms::Offered(offered)).unwrap();
        assert_eq!((third.place(), third.offered()), (first.place(), Some((15, [1, 2, 255]))));
        assert!(!registry.serve(first, 1000, 1) && registry.serve(third, 1000, 1));
        assert_eq!(registry.remove(first), Left::default());
        // It is read twice when its registration ends, and then once.
        assert!(registry.serve(third, 1000, 1));
        registry.served(third);
        registry.served(first);
        assert_eq!(registry.remove(third), Left { offered: Some(7), served: true });
        registry.served(third);
        assert_eq!(registry.remove(third), Left::default());
        // A peer that is done with memory that was not offered may read it nevertheless.
        let open = registry.add((1000, 50), Terms::Open).unwrap();
        assert!(registry.serve(open, 1000, 1));
        assert_eq!(registry.remove(open), Left { offered: None, served: true });
    }

    #[test]
    fn a_key_tells_which_components_can_help() {
        let registry = Registry::default();
        let key = |terms| registry.add((1000, 50), terms).unwrap();
        let open = key(Terms::Open);
        assert!((1..16).all(|number| open.helps(number)));
        let two = key(Terms::Helpers(1 << 3 | 1 << 15));
        let helpers = (1..16).filter(|number| two.helps(*number));
        assert_eq!((two.offered(), helpers.collect::<Vec<_>>()), (None, vec![3, 15]));
        let none = key(Terms::Helpers(0));
        assert!(none.offered().is_none() && !(1..16).any(|number| none.helps(number)));
        assert!(registry.serve(two, 1000, 50) && registry.serve(none, 1000, 50));
        // A component that offers can help; of the others nothing is known.
        let offered = key(Terms::Offered(Offered { component: 2, ticket: [0; 3], instance: 0 }));
        assert!((1..16).all(|number| offered.helps(number)));
    }
}
