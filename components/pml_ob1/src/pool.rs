//! Memory for requests and kept messages: caches by thread, and memory that stays what it is.
//!
//! A node belongs to the cache of the thread that took it first. Its own thread takes and gives
//! back without an atomic operation; another thread that gives it back puts it on the cache's
//! second stack, which the owner takes as a whole when its own is empty. What a pool got from the
//! system it never returns: a user's handle is the address of a request, and one that was freed must
//! be recognised for as long as the process lives.
//!
//! A thread knows its cache by its [`mark`]. When it has ended another thread may get the mark, and then
//! gets the cache, too.

use core::cell::Cell;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, Ordering};
use std::alloc::{Layout, alloc_zeroed};

use cairn_framework::abi::pool::CACHE_LINE_PAIR;
use cairn_framework::abi::thread::mark;

use crate::mode::Mode;
use crate::returned::Returned;

/// Nodes that come out of one allocation, at most.
const SLAB_NODES: usize = 16;
/// Bytes of one allocation, roughly at most.
const SLAB_BYTES: usize = 64 * 1024;
/// Caches that are found without a search. A power of two.
const NEAR: usize = 64;

/// A pool of nodes of one size, aligned to 128 bytes and zeroed before their first use.
pub struct Pool {
    /// Where the links of a node lie.
    links: usize,
    stride: usize,
    /// The only cache of a single-threaded process.
    first: Cache,
    /// Caches by their owners' marks, as far as these do not meet.
    near: Box<[AtomicPtr<Cache>; NEAR]>,
    /// All caches of threads. Never freed, like the nodes that know them.
    caches: AtomicPtr<Cache>,
}

/// What a thread has for itself, and what others gave back to it.
#[repr(C, align(128))]
struct Cache {
    /// Touched by the owner only.
    own: Cell<*mut u8>,
    /// Its thread's mark.
    owner: usize,
    /// The cache that was made before.
    next: *mut Cache,
    /// Pushed to by any thread, taken by the owner.
    returned: Returned,
}

/// What a pool keeps in a node.
pub struct Links {
    next: Cell<*mut u8>,
    home: Cell<*const Cache>,
}

// SAFETY: a cache's own part is touched by its thread only; nodes belong to who took them.
unsafe impl Send for Pool {}
// SAFETY: see `Send`.
unsafe impl Sync for Pool {}

impl Pool {
    /// A pool of nodes of `size` bytes, whose users leave the bytes from `links` on to the pool: room for
    /// [`Links`], as aligned.
    pub fn new(size: usize, links: usize) -> Self {
        assert!(links.is_multiple_of(align_of::<Links>()) && links + size_of::<Links>() <= size);
        Self {
            links,
            stride: size.next_multiple_of(CACHE_LINE_PAIR),
            first: Cache::new(0, null_mut()),
            near: Box::new([const { AtomicPtr::new(null_mut()) }; NEAR]),
            caches: AtomicPtr::new(null_mut()),
        }
    }

    /// The same for users who write nodes as a whole, `size` bytes of each.
    pub fn behind(size: usize) -> Self {
        let links = size.next_multiple_of(align_of::<Links>());
        Self::new(links + size_of::<Links>(), links)
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
        let own = mark();
        // Blocks of threads lie megabytes apart, or at least pages; this spreads both.
        let place = &self.near[((own >> 12) ^ (own >> 23)) % NEAR];
        let found = place.load(Ordering::Acquire);
        // SAFETY: caches are never freed.
        match unsafe { found.as_ref() } {
            Some(cache) if cache.owner == own => cache,
            _ => self.find(own, place),
        }
    }

    /// The cache of the thread with this mark, made if there is none, and near from now on.
    #[cold]
    fn find(&self, own: usize, near: &AtomicPtr<Cache>) -> &Cache {
        // Only the thread with this mark makes its cache, so it can't come in between.
        let mut cache = self.caches.load(Ordering::Acquire);
        // SAFETY: caches are never freed, and constant but for what their threads have.
        while let Some(other) = unsafe { cache.as_ref() }
            && other.owner != own
        {
            cache = other.next;
        }
        if cache.is_null() {
            let made = Box::leak(Box::new(Cache::new(own, null_mut())));
            let mut first = self.caches.load(Ordering::Relaxed);
            loop {
                made.next = first;
                let (release, relaxed) = (Ordering::Release, Ordering::Relaxed);
                match self.caches.compare_exchange_weak(first, made, release, relaxed) {
                    Ok(_) => break,
                    Err(now) => first = now,
                }
            }
            cache = made;
        }
        near.store(cache, Ordering::Release);
        // SAFETY: as above.
        unsafe { &*cache }
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
        // SAFETY: promised by the caller.
        let links = unsafe { self.links(node) };
        // SAFETY: caches of threads are never freed.
        let home = if M::THREADED { unsafe { &*links.home.get() } } else { &self.first };
        if !M::THREADED || home.owner == mark() {
            links.next.set(home.own.get());
            home.own.set(node);
        } else {
            // The node is ours until it is pushed.
            home.returned.push(node, |next| links.next.set(next));
        }
    }
}

impl Cache {
    fn new(owner: usize, next: *mut Self) -> Self {
        Self { own: Cell::new(null_mut()), owner, next, returned: Returned::default() }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::thread;

    use super::*;
    use crate::mode::{Multiple, Single};

    #[test]
    fn nodes_are_distinct_aligned_and_reused() {
        const LINKS: usize = 40;
        let pool = Pool::new(200, LINKS);
        let nodes: Vec<*mut u8> = (0..100).map(|_| pool.take::<Single>()).collect();
        assert_eq!(nodes.iter().collect::<HashSet<_>>().len(), 100);
        for node in &nodes {
            assert!(node.addr().is_multiple_of(CACHE_LINE_PAIR));
            // SAFETY: a node has 200 bytes, and the pool some of them.
            unsafe {
                assert_eq!(**node, 0);
                node.write_bytes(0xff, LINKS);
                let behind = LINKS + size_of::<Links>();
                node.add(behind).write_bytes(0xff, 200 - behind);
                pool.give::<Single>(*node);
            }
        }
        let again: HashSet<*mut u8> = (0..100).map(|_| pool.take::<Single>()).collect();
        assert_eq!(again, nodes.into_iter().collect());
    }

    #[test]
    fn what_another_thread_gives_back_comes_home() {
        let pool = &Pool::new(64, 0);
        let nodes: Vec<usize> =
            (0..SLAB_NODES).map(|_| pool.take::<Multiple>().expose_provenance()).collect();
        thread::scope(|scope| {
            scope.spawn(|| {
                for node in &nodes {
                    // SAFETY: taken above.
                    unsafe { pool.give::<Multiple>(core::ptr::with_exposed_provenance_mut(*node)) };
                }
                assert!(!nodes.contains(&pool.take::<Multiple>().addr()));
            });
        });
        let again: HashSet<usize> =
            (0..SLAB_NODES).map(|_| pool.take::<Multiple>().addr()).collect();
        assert_eq!(again, nodes.iter().copied().collect());
    }

    #[test]
    fn every_thread_has_a_cache_of_its_own() {
        // More than there are places for what is found without a search.
        const THREADS: usize = 2 * NEAR;
        let pool = &Pool::new(64, 0);
        let all = std::sync::Barrier::new(THREADS);
        let nodes: HashSet<usize> = thread::scope(|scope| {
            let thread = || {
                let caches = || (&raw const *pool.cache::<Multiple>()).addr();
                let (own, node) = (caches(), pool.take::<Multiple>().addr());
                all.wait();
                assert_eq!(caches(), own);
                node
            };
            let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(thread)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(nodes.len(), THREADS);
    }
}
