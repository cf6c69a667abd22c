//! A table from 32-bit numbers to pointers that is read without a lock.
//!
//! Three levels that are made when they are first needed, so that a table costs what it holds.
//! Release when a pointer or a level is stored pairs with Acquire when it is loaded.

use core::marker::PhantomData;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, Ordering};
use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};

const LEAF_BITS: u32 = 10;
const MIDDLE_BITS: u32 = 11;
const LEAF: usize = 1 << LEAF_BITS;
const MIDDLE: usize = 1 << MIDDLE_BITS;
const ROOT: usize = 1 << (32 - LEAF_BITS - MIDDLE_BITS);

struct Leaf<T>([AtomicPtr<T>; LEAF]);
struct Middle<T>([AtomicPtr<Leaf<T>>; MIDDLE]);
struct Root<T>([AtomicPtr<Middle<T>>; ROOT]);

/// The table. It does not own what its pointers lead to.
pub struct Table<T> {
    root: *mut Root<T>,
    pointers: PhantomData<AtomicPtr<T>>,
}

// SAFETY: all there is in it are atomic pointers.
unsafe impl<T> Send for Table<T> {}
// SAFETY: see `Send`.
unsafe impl<T> Sync for Table<T> {}

/// Memory of a level, all null.
fn make<L>() -> *mut L {
    let layout = Layout::new::<L>();
    // SAFETY: levels have a size, and null pointers are zero.
    let level = unsafe { alloc_zeroed(layout) };
    if level.is_null() {
        handle_alloc_error(layout);
    }
    level.cast()
}

/// # Safety
/// `make` made it, and it is not used any more.
unsafe fn free<L>(level: *mut L) {
    if !level.is_null() {
        // SAFETY: promised by the caller.
        unsafe { dealloc(level.cast(), Layout::new::<L>()) };
    }
}

/// The level behind a pointer, made if there is none.
fn level<L>(place: &AtomicPtr<L>) -> &L {
    let mut found = place.load(Ordering::Acquire);
    if found.is_null() {
        let made = make::<L>();
        let swapped = place.compare_exchange(null_mut(), made, Ordering::AcqRel, Ordering::Acquire);
        found = match swapped {
            Ok(_) => made,
            Err(other) => {
                // SAFETY: another thread was first, and has not seen ours.
                unsafe { free(made) };
                other
            }
        };
    }
    // SAFETY: levels live as long as the table.
    unsafe { &*found }
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self { root: make(), pointers: PhantomData }
    }
}

impl<T> Table<T> {
    fn places(index: u32) -> (usize, usize, usize) {
        let index = index as usize;
        (index >> (MIDDLE_BITS + LEAF_BITS), (index >> LEAF_BITS) % MIDDLE, index % LEAF)
    }

    /// The pointer with this number, or null.
    #[inline]
    pub fn get(&self, index: u32) -> *mut T {
        let (root, middle, leaf) = Self::places(index);
        // SAFETY: levels live as long as the table.
        unsafe {
            let found = (&(*self.root).0)[root].load(Ordering::Acquire);
            if found.is_null() {
                return null_mut();
            }
            let found = (&(*found).0)[middle].load(Ordering::Acquire);
            if found.is_null() {
                return null_mut();
            }
            (&(*found).0)[leaf].load(Ordering::Acquire)
        }
    }

    /// The place of the pointer with this number.
    pub fn place(&self, index: u32) -> &AtomicPtr<T> {
        let (root, middle, leaf) = Self::places(index);
        // SAFETY: the root lives as long as the table.
        let root = unsafe { &(*self.root).0[root] };
        &level(&level(root).0[middle]).0[leaf]
    }

    /// Every pointer that is not null.
    pub fn all(&self) -> Vec<*mut T> {
        let mut all = Vec::new();
        // SAFETY: levels live as long as the table.
        unsafe {
            for middle in &(*self.root).0 {
                let Some(middle) = middle.load(Ordering::Acquire).as_ref() else { continue };
                for leaf in &middle.0 {
                    let Some(leaf) = leaf.load(Ordering::Acquire).as_ref() else { continue };
                    all.extend(leaf.0.iter().map(|place| place.load(Ordering::Acquire)));
                }
            }
        }
        all.retain(|pointer| !pointer.is_null());
        all
    }
}

impl<T> Drop for Table<T> {
    fn drop(&mut self) {
        // SAFETY: `make` made the levels, and the table is not used any more.
        unsafe {
            for middle in &(*self.root).0 {
                let middle = middle.load(Ordering::Relaxed);
                if let Some(leaves) = middle.as_ref() {
                    leaves.0.iter().for_each(|leaf| free(leaf.load(Ordering::Relaxed)));
                }
                free(middle);
            }
            free(self.root);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_lead_to_their_pointers() {
        let table = Table::<u32>::default();
        let numbers = [0, 1, 1023, 1024, (1 << 21) - 1, 1 << 21, 0x8000_0000, u32::MAX];
        assert!(numbers.iter().all(|number| table.get(*number).is_null()));
        let mut values = numbers;
        for value in &mut values {
            table.place(*value).store(value, Ordering::Release);
        }
        for number in numbers {
            // SAFETY: leads to one of the values.
            assert_eq!(unsafe { *table.get(number) }, number);
        }
        assert!(table.get(2).is_null() && table.get(0x4000_0000).is_null());
        assert_eq!(table.all().len(), numbers.len());
    }
}
