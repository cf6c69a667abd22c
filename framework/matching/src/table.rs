//! A hash table by source and tag.

use std::mem;
use std::ptr::{null_mut, with_exposed_provenance_mut};

use cairn_framework::abi::status::ERR_RESOURCES;
use cairn_framework::author::Failure;

use crate::{Entry, Key};

/// A hash table of chains through the word 0 (next) of its entries, and with `BACK` also 1
/// (previous). Entries of one key keep their order.
///
/// Without `BACK`, taking an entry out walks its chain from the front. That is short for the first
/// entry of its key, which is what is taken out of arrived messages.
pub struct Table<E, const BACK: bool> {
    /// A power of two of them; at least as many as entries, unless there was no memory for that.
    chains: Box<[Chain<E>]>,
    len: usize,
    /// Where `any` found something the last time.
    cursor: usize,
}

struct Chain<E> {
    head: *mut E,
    tail: *mut E,
}

fn chains<E>(count: usize) -> Option<Box<[Chain<E>]>> {
    let mut made = Vec::new();
    made.try_reserve_exact(count).ok()?;
    made.resize_with(count, || Chain { head: null_mut(), tail: null_mut() });
    Some(made.into_boxed_slice())
}

/// # Safety
/// The entry is in a table.
#[inline]
unsafe fn next<E: Entry>(entry: *mut E) -> *mut E {
    // SAFETY: promised by the caller.
    with_exposed_provenance_mut(unsafe { (*entry).words()[0] })
}

impl<E> Chain<E> {
    /// # Safety
    /// The entry is valid and in no chain.
    #[inline]
    unsafe fn push<const BACK: bool>(&mut self, entry: *mut E)
    where
        E: Entry,
    {
        // SAFETY: promised by the caller; what is in the chain is valid.
        unsafe {
            (*entry).words()[0] = 0;
            if BACK {
                (*entry).words()[1] = self.tail.expose_provenance();
            }
            if self.head.is_null() {
                self.head = entry;
            } else {
                (*self.tail).words()[0] = entry.expose_provenance();
            }
        }
        self.tail = entry;
    }
}

impl<E: Entry, const BACK: bool> Table<E, BACK> {
    /// An empty table with room for so many entries, a power of two.
    ///
    /// # Errors
    /// When there is no memory for it.
    pub fn new(room: usize) -> Result<Self, Failure> {
        debug_assert!(room.is_power_of_two());
        let chains = chains(room).ok_or_else(|| {
            Failure::new(ERR_RESOURCES, format!("no memory for a hash table of {room} chains"))
        })?;
        Ok(Self { chains, len: 0, cursor: 0 })
    }

    /// Entries in it.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing is in it.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    #[inline]
    fn place(&self, key: Key) -> usize {
        key.hash() & (self.chains.len() - 1)
    }

    /// The first entry of this key, and how many were looked at.
    #[inline]
    pub fn first(&self, key: Key) -> (Option<*mut E>, u64) {
        let (mut entry, mut looked) = (self.chains[self.place(key)].head, 0);
        while !entry.is_null() {
            looked += 1;
            // SAFETY: what is in the table is valid until it is taken out.
            unsafe {
                if (*entry).key() == key {
                    return (Some(entry), looked);
                }
                entry = next(entry);
            }
        }
        (None, looked)
    }

    /// Puts an entry behind those of its key.
    ///
    /// # Safety
    /// It is valid until it is taken out, and in no list of these words; its key stays.
    #[inline]
    pub unsafe fn push(&mut self, entry: *mut E) {
        if self.len == self.chains.len() {
            self.grow();
        }
        self.len += 1;
        // SAFETY: promised by the caller.
        unsafe {
            let place = self.place((*entry).key());
            self.chains[place].push::<BACK>(entry);
        }
    }

    /// Twice as many chains. Without memory for that, chains become longer.
    #[cold]
    fn grow(&mut self) {
        let Some(made) = chains(self.chains.len() * 2) else { return };
        for chain in mem::replace(&mut self.chains, made) {
            let mut entry = chain.head;
            while !entry.is_null() {
                // In order: entries of one key come from one chain and stay in order.
                // SAFETY: what is in the table is valid; it is in no chain of the new ones.
                unsafe {
                    let following = next(entry);
                    let place = self.place((*entry).key());
                    self.chains[place].push::<BACK>(entry);
                    entry = following;
                }
            }
        }
    }

    /// Takes an entry out.
    ///
    /// # Safety
    /// It is in this table.
    #[inline]
    pub unsafe fn remove(&mut self, entry: *mut E) {
        // SAFETY: promised by the caller; what is in the table is valid.
        unsafe {
            let place = self.place((*entry).key());
            let chain = &mut self.chains[place];
            let following: *mut E = next(entry);
            let mut previous: *mut E = null_mut();
            if BACK {
                previous = with_exposed_provenance_mut((*entry).words()[1]);
            } else if chain.head != entry {
                previous = chain.head;
                while next(previous) != entry {
                    previous = next(previous);
                }
            }
            if previous.is_null() {
                chain.head = following;
            } else {
                (*previous).words()[0] = following.expose_provenance();
            }
            if following.is_null() {
                chain.tail = previous;
            } else if BACK {
                (*following).words()[1] = previous.expose_provenance();
            }
        }
        self.len -= 1;
    }

    /// Some entry, the first of its chain. Taking all of them out goes through the table once.
    pub fn any(&mut self) -> Option<*mut E> {
        if self.len == 0 {
            return None;
        }
        let last = self.chains.len() - 1;
        while self.chains[self.cursor & last].head.is_null() {
            self.cursor += 1;
        }
        Some(self.chains[self.cursor & last].head)
    }

    /// An entry that `fits`, whichever.
    pub fn find(&self, fits: impl Fn(&E) -> bool) -> Option<*mut E> {
        self.chains.iter().find_map(|chain| {
            let mut entry = chain.head;
            // SAFETY: what is in the table is valid until it is taken out.
            unsafe {
                while !entry.is_null() && !fits(&*entry) {
                    entry = next(entry);
                }
            }
            (!entry.is_null()).then_some(entry)
        })
    }

    /// Calls `look` with every entry, in no order.
    pub fn each(&self, mut look: impl FnMut(&E)) {
        for chain in &self.chains {
            let mut entry = chain.head;
            while !entry.is_null() {
                // SAFETY: what is in the table is valid until it is taken out.
                unsafe {
                    look(&*entry);
                    entry = next(entry);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use cairn_framework::frameworks::matching::MatchArrived;

    use super::*;

    fn entries(count: usize, tag: impl Fn(usize) -> i32) -> Vec<*mut MatchArrived> {
        let entry = |at| MatchArrived { source: 3, tag: tag(at), engine_private: [!0; 4] };
        (0..count).map(|at| Box::into_raw(Box::new(entry(at)))).collect()
    }

    /// Keys keep their order while the table grows, and any entry can be taken out.
    fn order<const BACK: bool>() {
        const TAGS: usize = 7;
        let count = if cfg!(miri) { 100 } else { 5_000 };
        let all = entries(count, |at| (at % TAGS) as i32);
        let mut table = Table::<MatchArrived, BACK>::new(4).unwrap();
        // SAFETY: the entries live until the end.
        unsafe {
            all.iter().for_each(|entry| table.push(*entry));
            let out = |at: usize| at.is_multiple_of(5) || at > count - 20;
            for at in (0..count).filter(|at| out(*at)) {
                table.remove(all[at]);
            }
            for at in (0..count).filter(|at| !out(*at)) {
                let (first, _) = table.first(Key::new(3, (at % TAGS) as i32));
                assert_eq!(first, Some(all[at]));
                table.remove(all[at]);
            }
            assert!(table.is_empty() && table.any().is_none());
            all.into_iter().for_each(|entry| drop(Box::from_raw(entry)));
        }
    }

    #[test]
    fn entries_of_a_key_keep_their_order() {
        order::<true>();
        order::<false>();
    }

    /// However tags are spaced, chains stay short.
    #[test]
    fn chains_are_short() {
        let count = if cfg!(miri) { 256 } else { 1 << 14 };
        for step in [1, 2, 8, 1000, 4096, 1 << 16, 99_991] {
            let all = entries(count, |at| (at as i32).wrapping_mul(step));
            let mut table = Table::<MatchArrived, true>::new(16).unwrap();
            let distinct = count.min((1usize << 32) >> step.trailing_zeros());
            // SAFETY: the entries live until the end.
            unsafe {
                all.iter().take(distinct).for_each(|entry| table.push(*entry));
                let look = |entry: &*mut MatchArrived| table.first((**entry).key()).1;
                let looked: u64 = all.iter().take(distinct).map(look).sum();
                assert!(looked <= 2 * distinct as u64, "tags {step} apart: {looked} compared");
                all.into_iter().for_each(|entry| drop(Box::from_raw(entry)));
            }
        }
    }
}
