//! Pools of memory items of one size.

use std::alloc::{Layout, alloc, dealloc};
use std::ffi::c_void;

use parking_lot::Mutex;

/// Items that come out of one allocation, so that a pool asks the system seldom.
const SLAB_BYTES: usize = 64 * 1024;

/// A pool of items.
pub(crate) struct Items {
    item: Layout,
    slab: Layout,
    inner: Mutex<Inner>,
}

struct Inner {
    free: Vec<*mut u8>,
    slabs: Vec<*mut u8>,
}

// SAFETY: the pointers are memory that the pool owns.
unsafe impl Send for Inner {}

impl Items {
    /// An empty pool. `None` when the numbers make no layout.
    pub fn new(size: usize, alignment: usize) -> Option<Self> {
        let item = Layout::from_size_align(size.max(1), alignment).ok()?.pad_to_align();
        let bytes = SLAB_BYTES.max(item.size()) / item.size() * item.size();
        let slab = Layout::from_size_align(bytes, item.align()).ok()?;
        Some(Self { item, slab, inner: Mutex::new(Inner { free: Vec::new(), slabs: Vec::new() }) })
    }

    /// An item, uninitialised; null when there is no memory.
    pub fn get(&self) -> *mut c_void {
        let mut inner = self.inner.lock();
        if inner.free.is_empty() {
            // SAFETY: the layout's size is not zero.
            let slab = unsafe { alloc(self.slab) };
            if slab.is_null() {
                return std::ptr::null_mut();
            }
            inner.slabs.push(slab);
            // The first item ends up on top of the stack.
            for offset in (0..self.slab.size()).step_by(self.item.size()).rev() {
                // SAFETY: inside the slab.
                inner.free.push(unsafe { slab.add(offset) });
            }
        }
        inner.free.pop().map_or(std::ptr::null_mut(), <*mut u8>::cast)
    }

    /// Takes an item back.
    pub fn put(&self, item: *mut c_void) {
        if !item.is_null() {
            self.inner.lock().free.push(item.cast());
        }
    }
}

impl Drop for Items {
    fn drop(&mut self) {
        for slab in self.inner.get_mut().slabs.drain(..) {
            // SAFETY: allocated with this layout; whoever destroys the pool uses no item any more.
            unsafe { dealloc(slab, self.slab) };
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn items_are_aligned_distinct_and_reused() {
        for (size, alignment) in [(1, 1), (24, 8), (100, 128), (200_000, 4096), (0, 16)] {
            let items = Items::new(size, alignment).unwrap();
            let taken: Vec<_> =
                (0..(SLAB_BYTES * 3 / size.max(64)).clamp(3, 3000)).map(|_| items.get()).collect();
            for item in &taken {
                assert!(!item.is_null() && item.addr().is_multiple_of(alignment));
                // SAFETY: an item has `size` bytes.
                unsafe { item.cast::<u8>().write_bytes(0xa5, size) };
            }
            assert_eq!(taken.iter().collect::<HashSet<_>>().len(), taken.len());
            items.put(taken[0]);
            assert_eq!(items.get(), taken[0]);
        }
        assert!(Items::new(8, 3).is_none());
        assert!(Items::new(usize::MAX, 8).is_none());
    }
}
