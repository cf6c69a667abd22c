//! A list in the order in which entries came.

use std::ptr::{null_mut, with_exposed_provenance_mut};

use crate::Entry;

/// A list through the words `AT` (next) and `AT + 1` (previous) of its entries. All zero is empty.
pub struct Queue<E, const AT: usize> {
    head: *mut E,
    tail: *mut E,
}

impl<E: Entry, const AT: usize> Queue<E, AT> {
    /// Nothing in it.
    pub const EMPTY: Self = Self { head: null_mut(), tail: null_mut() };

    /// The entry that came first, or null.
    #[inline]
    pub fn head(&self) -> *mut E {
        self.head
    }

    /// The entry that came next, or null.
    ///
    /// # Safety
    /// The entry is in this list.
    #[inline]
    pub unsafe fn next(entry: *mut E) -> *mut E {
        // SAFETY: promised by the caller; only `push` and `remove` write the word.
        with_exposed_provenance_mut(unsafe { (*entry).words()[AT] })
    }

    /// Puts an entry behind all others.
    ///
    /// # Safety
    /// It is valid until it is taken out, and in no list of these words.
    #[inline]
    pub unsafe fn push(&mut self, entry: *mut E) {
        // SAFETY: promised by the caller; what is in the list is valid.
        unsafe {
            (*entry).words()[AT] = 0;
            (*entry).words()[AT + 1] = self.tail.expose_provenance();
            if self.tail.is_null() {
                self.head = entry;
            } else {
                (*self.tail).words()[AT] = entry.expose_provenance();
            }
        }
        self.tail = entry;
    }

    /// Takes an entry out.
    ///
    /// # Safety
    /// The entry is in this list.
    #[inline]
    pub unsafe fn remove(&mut self, entry: *mut E) {
        // SAFETY: promised by the caller; its neighbours are in the list, too.
        unsafe {
            let next = Self::next(entry);
            let previous: *mut E = with_exposed_provenance_mut((*entry).words()[AT + 1]);
            if previous.is_null() {
                self.head = next;
            } else {
                (*previous).words()[AT] = next.expose_provenance();
            }
            if next.is_null() {
                self.tail = previous;
            } else {
                (*next).words()[AT + 1] = previous.expose_provenance();
            }
        }
    }

    /// Takes the entry out that came first.
    ///
    /// # Safety
    /// There is one.
    #[inline]
    pub unsafe fn remove_head(&mut self) {
        // SAFETY: promised by the caller; its successor is in the list, too.
        unsafe {
            self.head = Self::next(self.head);
            if self.head.is_null() {
                self.tail = null_mut();
            } else {
                (*self.head).words()[AT + 1] = 0;
            }
        }
    }

    /// The first entry that `fits`, and how many were looked at.
    #[inline]
    pub fn first(&self, fits: impl Fn(&E) -> bool) -> (Option<*mut E>, u64) {
        let (mut entry, mut looked) = (self.head, 0);
        while !entry.is_null() {
            looked += 1;
            // SAFETY: what is in the list is valid until it is taken out.
            unsafe {
                if fits(&*entry) {
                    return (Some(entry), looked);
                }
                entry = Self::next(entry);
            }
        }
        (None, looked)
    }

    /// Calls `look` with every entry, in order.
    pub fn each(&self, mut look: impl FnMut(&E)) {
        let mut entry = self.head;
        while !entry.is_null() {
            // SAFETY: what is in the list is valid until it is taken out.
            unsafe {
                look(&*entry);
                entry = Self::next(entry);
            }
        }
    }
}
