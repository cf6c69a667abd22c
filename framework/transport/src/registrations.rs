//! Registrations of the program's memory that are kept for the next transfer from there.
//!
//! ```text
//!   register    same memory and rights as before ─► what is kept
//!               else watch the memory, register it, keep that
//!   before      what the host says is gone is forgotten, and ends with its last user
//!   too many    the one that was used longest ago and is in no use ends
//! ```
//!
//! Where registering means that a device pins pages, it takes longer than a short transfer. A registration is
//! of the pages that were there when it was made, so it must not be used when the program has unmapped them, whatever
//! lies at the same address now. The host tells of that ([`Host::memory_watch`]); memory of which it can't is
//! registered each time.
//!
//! [`Host::memory_watch`]: cairn_framework::abi::host::Host::memory_watch

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::Arc;

use cairn_framework::abi::host::MemoryRange;
use cairn_framework::audit::LockLevel;
use cairn_framework::author::counters::Counted;
use cairn_framework::author::{Failure, HostHandle, Mutex};

cairn_framework::counters! {
    /// What a cache counts.
    struct Counts {
        registrations_reused: SUM, "registrations", "Registrations of memory that were there from an earlier transfer.";
        registrations_made: SUM, "registrations", "Registrations of memory that were made to be kept.";
    }
}

/// Kept registrations. Any thread; `make` and the drop of an `R` are called with the lock held, so they take none but
/// leaves of the order of locks.
pub struct Registrations<R> {
    host: HostHandle,
    /// Most that are kept.
    most: usize,
    kept: Mutex<Kept<R>>,
    counts: Option<Counted<Counts>>,
}

struct Kept<R> {
    by_memory: HashMap<Memory, Entry<R>>,
    /// How many ranges the host has told of.
    seen: u64,
    /// How often something was asked for.
    clock: u64,
}

/// First address, bytes, and rights as the contract has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Memory {
    address: usize,
    len: usize,
    access: u32,
}

struct Entry<R> {
    registration: Arc<R>,
    used: u64,
}

impl<R> Registrations<R> {
    /// Keeps so many at most; with 0 every one is made anew.
    ///
    /// # Errors
    /// When the host does not take the counters.
    pub fn new(host: HostHandle, most: usize) -> Result<Self, Failure> {
        let counts = if most > 0 { Some(Counted::new(host)?) } else { None };
        let kept = Kept { by_memory: HashMap::new(), seen: 0, clock: 0 };
        Ok(Self { host, most, kept: Mutex::at(LockLevel::TABLE, kept), counts })
    }

    /// The registration of memory with these rights: one that is kept, or what `make` makes. It ends when it is
    /// neither kept nor held any more.
    ///
    /// # Errors
    /// Those of `make`. Before, everything that is kept and not used is given up: it may hold what `make` wants.
    pub fn get(
        &self,
        address: *mut c_void,
        len: usize,
        access: u32,
        make: impl Fn() -> Result<R, Failure>,
    ) -> Result<Arc<R>, Failure> {
        let Some(counts) = self.counts.as_ref().filter(|_| len > 0) else {
            return make().map(Arc::new);
        };
        let memory = Memory { address: address.addr(), len, access };
        let range = MemoryRange { address: memory.address, len };
        let mut kept = self.kept.lock();
        kept.forget(self.host);
        if let Some(registration) = kept.find(memory) {
            counts.registrations_reused.add(1);
            return Ok(registration);
        }
        // First, so that nothing can happen to it unnoticed while it is registered.
        let watched = self.host.memory_watch(range);
        let made = make().or_else(|failure| {
            let before = kept.by_memory.len();
            kept.by_memory.retain(|_, entry| entry.is_used());
            if kept.by_memory.len() < before { make() } else { Err(failure) }
        });
        let made = Arc::new(made?);
        if watched.is_ok() && !kept.forget(self.host).iter().any(|gone| gone.meets(&range)) {
            counts.registrations_made.add(1);
            while kept.by_memory.len() >= self.most && kept.drop_oldest() {}
            kept.put(memory, made.clone());
        }
        Ok(made)
    }
}

impl<R> Registrations<R> {
    /// Ends what is kept of memory that is gone, and is in no use: a device has its pages until then. From time to
    /// time; does not wait.
    pub fn sweep(&self) {
        if self.most > 0
            && let Some(mut kept) = self.kept.try_lock()
            && !kept.by_memory.is_empty()
        {
            kept.forget(self.host);
        }
    }
}

impl<R> Kept<R> {
    /// Forgets what is gone, and returns the last of that.
    fn forget(&mut self, host: HostHandle) -> Vec<MemoryRange> {
        let mut room = [MemoryRange { address: 0, len: 0 }; 16];
        let mut all = Vec::new();
        loop {
            let gone = host.memory_gone(&mut self.seen, &mut room);
            if gone.is_empty() {
                return all;
            }
            self.by_memory.retain(|memory, _| {
                let range = MemoryRange { address: memory.address, len: memory.len };
                !gone.iter().any(|gone| gone.meets(&range))
            });
            all.extend_from_slice(gone);
        }
    }

    fn find(&mut self, memory: Memory) -> Option<Arc<R>> {
        self.clock += 1;
        let entry = self.by_memory.get_mut(&memory)?;
        entry.used = self.clock;
        Some(entry.registration.clone())
    }

    fn put(&mut self, memory: Memory, registration: Arc<R>) {
        self.by_memory.insert(memory, Entry { registration, used: self.clock });
    }

    /// Whether there was one.
    fn drop_oldest(&mut self) -> bool {
        let idle = self.by_memory.iter().filter(|(_, entry)| !entry.is_used());
        let oldest = idle.min_by_key(|(_, entry)| entry.used).map(|(memory, _)| *memory);
        oldest.is_some_and(|memory| self.by_memory.remove(&memory).is_some())
    }
}

impl<R> Entry<R> {
    /// Somebody holds it. Nobody new gets it while the cache is locked.
    fn is_used(&self) -> bool {
        Arc::strong_count(&self.registration) > 1
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use cairn_framework::mock::MockHost;

    use super::*;

    /// A registration: which it is, and how many there are.
    #[derive(Debug)]
    struct One(u32, Rc<Cell<i32>>);

    impl Drop for One {
        fn drop(&mut self) {
            self.1.set(self.1.get() - 1);
        }
    }

    struct Device {
        mock: &'static MockHost,
        cache: Registrations<One>,
        made: Cell<u32>,
        alive: Rc<Cell<i32>>,
        /// Most that can be at a time.
        limit: Cell<i32>,
    }

    impl Device {
        fn new(most: usize) -> Self {
            let mock = MockHost::leak("btl_test");
            let cache = Registrations::new(mock.handle(), most).unwrap();
            let limit = Cell::new(i32::MAX);
            Self { mock, cache, made: Cell::new(0), alive: Rc::default(), limit }
        }

        fn get(&self, address: usize, len: usize, access: u32) -> Result<Arc<One>, Failure> {
            let address = std::ptr::without_provenance_mut(address);
            self.cache.get(address, len, access, || {
                if self.alive.get() == self.limit.get() {
                    return Err("no more".into());
                }
                self.made.set(self.made.get() + 1);
                self.alive.set(self.alive.get() + 1);
                Ok(One(self.made.get(), self.alive.clone()))
            })
        }

        fn number(&self, address: usize, len: usize, access: u32) -> u32 {
            self.get(address, len, access).unwrap().0
        }
    }

    #[test]
    fn the_same_memory_with_the_same_rights_is_registered_once() {
        let device = Device::new(8);
        assert_eq!([device.number(4096, 100, 1), device.number(4096, 100, 1)], [1, 1]);
        assert_eq!(device.number(4096, 101, 1), 2);
        assert_eq!(device.number(4096, 100, 2), 3);
        assert_eq!(device.number(4097, 100, 1), 4);
        assert_eq!(device.number(4096, 100, 1), 1);
        assert_eq!(device.mock.watched()[0], MemoryRange { address: 4096, len: 100 });
        // Nothing is no memory.
        assert_eq!([device.number(4096, 0, 1), device.number(4096, 0, 1)], [5, 6]);
    }

    #[test]
    fn what_is_gone_is_registered_anew_and_ends_with_its_last_user() {
        let device = Device::new(8);
        let held = device.get(8000, 1000, 1).unwrap();
        device.number(9000, 1000, 1);
        device.number(20000, 1000, 1);
        device.mock.memory_is_gone(MemoryRange { address: 8192, len: 4096 });
        assert_eq!(device.number(20000, 1000, 1), 3);
        assert_eq!(device.alive.get(), 2, "the one that nobody uses has ended");
        assert_eq!(device.number(8000, 1000, 1), 4);
        assert_eq!(device.number(9000, 1000, 1), 5);
        drop(held);
        assert_eq!(device.alive.get(), 3);
        for _ in 0..100 {
            device.mock.memory_is_gone(MemoryRange { address: 0, len: 1 });
        }
        device.mock.memory_is_gone(MemoryRange { address: 0, len: usize::MAX });
        assert_eq!(device.number(20000, 1000, 1), 6);
        assert_eq!(device.alive.get(), 1);
    }

    #[test]
    fn what_is_gone_ends_without_another_transfer() {
        let device = Device::new(8);
        device.cache.sweep();
        device.number(4096, 10, 1);
        device.number(8192, 10, 1);
        device.mock.memory_is_gone(MemoryRange { address: 4100, len: 1 });
        device.cache.sweep();
        assert_eq!(device.alive.get(), 1);
    }

    #[test]
    fn memory_that_goes_while_it_is_registered_is_not_kept() {
        let device = Device::new(8);
        let address = std::ptr::without_provenance_mut(4096);
        let made = device.cache.get(address, 10, 1, || {
            device.mock.memory_is_gone(MemoryRange { address: 4096, len: 4096 });
            device.alive.set(device.alive.get() + 1);
            Ok(One(77, device.alive.clone()))
        });
        assert_eq!(made.unwrap().0, 77);
        assert_eq!(device.number(4096, 10, 1), 1);
    }

    #[test]
    fn the_one_of_longest_ago_makes_room_unless_it_is_used() {
        let device = Device::new(2);
        let first = device.get(0x1000, 1, 1).unwrap();
        device.number(0x2000, 1, 1);
        assert_eq!(device.number(0x3000, 1, 1), 3);
        assert_eq!(device.number(0x1000, 1, 1), 1, "it was in use");
        assert_eq!(device.number(0x2000, 1, 1), 4, "it made room");
        drop(first);
        assert_eq!(device.alive.get(), 2);
    }

    #[test]
    fn what_is_kept_gives_way_before_a_registration_fails() {
        let device = Device::new(8);
        device.limit.set(2);
        let held = device.get(0x1000, 1, 1).unwrap();
        device.number(0x2000, 1, 1);
        let third = device.get(0x3000, 1, 1).unwrap();
        assert_eq!((third.0, device.alive.get()), (3, 2));
        assert!(device.get(0x4000, 1, 1).is_err());
        drop((held, third));
        assert_eq!(device.number(0x4000, 1, 1), 4);
    }

    #[test]
    fn nothing_is_kept_where_nothing_is_to_be() {
        let device = Device::new(0);
        assert_eq!([device.number(4096, 1, 1), device.number(4096, 1, 1)], [1, 2]);
        assert_eq!((device.alive.get(), device.mock.watched().len()), (0, 0));
    }
}
