//! Memory for requests and kept messages: caches by thread, and memory that stays what it is.
//!
//! A node belongs to the cache of the thread that took it first. Its own thread takes and gives
//! back without an atomic operation; another thread that gives it back puts it on the cache's
//! second stack, which the owner takes as a whole when its own is empty. What a pool got from the
//! system it never returns: a user's handle is the address of a request, and one that was freed must
//! be recognised for as long as the process lives.

use core::cell::Cell;
use core::ptr::null_mut;
use std::alloc::{Layout, alloc_zeroed};

use cairn_framework::abi::pool::CACHE_LINE_PAIR;
use cairn_framework::author::HostHandle;

use crate::mode::Mode;
use crate::returned::Returned;
use crate::table::Table;

/// Nodes that come out of one allocation, at most.
const SLAB_NODES: usize = 16;
/// Bytes of one allocation, roughly at most.
const SLAB_BYTES: usize = 64 * 1024;

/// A pool of nodes of one size, aligned to 128 bytes and zeroed before their first use.
pub struct Pool {
    host: HostHandle,
    /// Where the links of a node lie, behind what its users see.
    links: usize,
    stride: usize,
    /// The only cache of a single-threaded process.
    first: Cache,
    /// By the thread's number. Never freed, like the nodes that know them.
    by_thread: Table<Cache>,
}

/// What a thread has for itself, and what others gave back to it.
#[repr(C, align(128))]
struct Cache {
    /// Touched by the owner only.
    own: Cell<*mut u8>,
    /// Pushed to by any thread, taken by the owner.
    returned: Returned,
}

/// What a pool keeps in a node, behind what its users see.
struct Links {
    next: Cell<*mut u8>,
    home: Cell<*const Cache>,
}

// SAFETY: a cache's own part is touched by its thread only; nodes belong to who took them.
unsafe impl Send for Pool {}
// SAFETY: see `Send`.
unsafe impl Sync for Pool {}

impl Pool {
    /// A pool of nodes of `size` bytes.
    pub fn new(host: HostHandle, size: usize) -> Self {
        let links = size.next_multiple_of(align_of::<Links>());
        let stride = (links + size_of::<Links>()).next_multiple_of(CACHE_LINE_PAIR);
        Self { host, links, stride, first: Cache::new(), by_thread: Table::default() }
    }

    /// # Safety
    /// `node` is one of this pool.
    #[inline]
    unsafe fn links(&self, node: *mut u8) -> &Links {
        // SAFETY: promised by the caller.
        unsafe { &*node.add(self.links).cast::<Links>() }
    }

    /// The calling thread's cache.
    #[inline]
    fn cache<M: Mode>(&self) -> &Cache {
        if !M::THREADED {
            return &self.first;
        }
        let index = self.host.thread().index;
        let found = self.by_thread.get(index);
        if found.is_null() {
            return self.new_cache(index);
        }
        // SAFETY: caches are never freed.
        unsafe { &*found }
    }

    #[cold]
    fn new_cache(&self, index: u32) -> &Cache {
        let cache: &'static Cache = Box::leak(Box::new(Cache::new()));
        let place = self.by_thread.place(index);
        // Only the thread with this number makes it. Release: see `Table`.
        place.store((&raw const *cache).cast_mut(), core::sync::atomic::Ordering::Release);
        cache
    }

    /// A node; null when there is no memory.
    #[inline]
    pub fn take<M: Mode>(&self) -> *mut u8 {
        let cache = self.cache::<M>();
        let mut node = cache.own.get();
        if node.is_null() {
            node = self.refill(cache);
            if node.is_null() {
                return node;
            }
        }
        // SAFETY: it is free, so it is ours.
        cache.own.set(unsafe { self.links(node) }.next.get());
        node
    }

    /// Fills a cache and returns its first node; null when there is no memory.
    #[cold]
    fn refill(&self, cache: &Cache) -> *mut u8 {
        let returned = cache.returned.take();
        if returned.is_null() {
            self.grow(cache);
        } else {
            cache.own.set(returned);
        }
        cache.own.get()
    }

    fn grow(&self, cache: &Cache) {
        let nodes = (SLAB_BYTES / self.stride).clamp(1, SLAB_NODES);
        let Ok(layout) = Layout::from_size_align(self.stride * nodes, CACHE_LINE_PAIR) else {
            return;
        };
        // SAFETY: the size is not zero. Never freed, see above.
        let slab = unsafe { alloc_zeroed(layout) };
        if slab.is_null() {
            return;
        }
        for index in (0..nodes).rev() {
            // SAFETY: inside the slab.
            unsafe {
                let node = slab.add(index * self.stride);
                let links = Links { next: cache.own.get().into(), home: Cell::new(cache) };
                node.add(self.links).cast::<Links>().write(links);
                cache.own.set(node);
            }
        }
    }

    /// Takes a node back, from any thread.
    ///
    /// # Safety
    /// It is one of this pool that was taken, and nobody uses it any more.
    #[inline]
    pub unsafe fn give<M: Mode>(&self, node: *mut u8) {
        let cache = self.cache::<M>();
        // SAFETY: promised by the caller.
        let links = unsafe { self.links(node) };
        if !M::THREADED || core::ptr::eq(links.home.get(), cache) {
            links.next.set(cache.own.get());
            cache.own.set(node);
        } else {
            // SAFETY: caches are never freed; the node is ours until it is pushed.
            unsafe { (*links.home.get()).returned.push(node, |next| links.next.set(next)) };
        }
    }
}

impl Cache {
    fn new() -> Self {
        Self { own: Cell::new(null_mut()), returned: Returned::default() }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use cairn_framework::mock::MockHost;

    use super::*;
    use crate::mode::{Multiple, Single};

    #[test]
    fn nodes_are_distinct_aligned_and_reused() {
        let pool = Pool::new(MockHost::leak("pml_ob1").handle(), 200);
        let nodes: Vec<*mut u8> = (0..100).map(|_| pool.take::<Single>()).collect();
        assert_eq!(nodes.iter().collect::<HashSet<_>>().len(), 100);
        for node in &nodes {
            assert!(node.addr().is_multiple_of(CACHE_LINE_PAIR));
            // SAFETY: a node has 200 bytes.
            unsafe {
                assert_eq!(**node, 0);
                node.write_bytes(0xff, 200);
                pool.give::<Single>(*node);
            }
        }
        let again: HashSet<*mut u8> = (0..100).map(|_| pool.take::<Single>()).collect();
        assert_eq!(again, nodes.into_iter().collect());
    }

    #[test]
    fn what_another_thread_gives_back_comes_home() {
        let mock = MockHost::leak("pml_ob1");
        let pool = Pool::new(mock.handle(), 64);
        let nodes: Vec<usize> = mock
            .as_thread(1, |_| (0..SLAB_NODES).map(|_| pool.take::<Multiple>().addr()).collect());
        mock.as_thread(2, |_| {
            for node in &nodes {
                // SAFETY: taken above.
                unsafe { pool.give::<Multiple>(core::ptr::with_exposed_provenance_mut(*node)) };
            }
            assert!(!nodes.contains(&pool.take::<Multiple>().addr()));
        });
        mock.as_thread(1, |_| {
            let again: HashSet<usize> =
                (0..SLAB_NODES).map(|_| pool.take::<Multiple>().addr()).collect();
            assert_eq!(again, nodes.iter().copied().collect());
        });
    }
}
