//! Memory for requests and kept messages: caches, and memory that stays what it is.
//!
//! ```text
//!   thread   each thread's cache, no lock ◄── stack of what other threads gave back
//!   cri      each instance's cache, a lock each ── empty ─► one pool, one lock
//!   global                                                  one pool, one lock
//! ```
//!
//! The first, the default, is that of every pool in a process without threads, and of kept messages.
//! Requests can be had in the other two ways, to compare with them (Zambre et al. 2020, §4.3): `cri` is
//! the paper's "per-VCI request management", `global` is without. There a node goes back to the cache that
//! it was taken from, under that cache's lock.
//!
//! **By thread.**
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

use cairn_framework::abi::lock::Lock;
use cairn_framework::abi::pool::{CACHE_LINE_PAIR, CriPool};
use cairn_framework::abi::thread::mark;
use cairn_framework::audit::LockLevel;

use crate::mode::Mode;
use crate::returned::Returned;

/// Nodes that come out of one allocation, at most.
const SLAB_NODES: usize = 16;
/// Bytes of one allocation, roughly at most.
const SLAB_BYTES: usize = 64 * 1024;
/// Caches that are found without a search. A power of two.
const NEAR: usize = 64;

/// Owner of caches that are no thread's. No thread has this mark.
const NO_THREAD: usize = 0;
/// Pools of instances whose caches are kept apart, and instances of each; beyond that some share one.
const CRI_POOLS: usize = 8;
/// See `CRI_POOLS`.
const CRIS: usize = 64;

/// Which threads share free nodes, where there are several: `pml_ob1_request_cache`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sharing {
    /// None.
    Thread,
    /// Those whose operations go to one instance.
    Cri,
    /// All.
    Global,
}

/// An instance, as far as caches tell instances apart.
#[derive(Debug, Clone, Copy, Default)]
pub struct Place(usize);

impl Place {
    /// That of an instance of a pool.
    pub fn new(pool: &CriPool, cri: u32) -> Self {
        Self(pool.id as usize % CRI_POOLS * CRIS + cri as usize % CRIS)
    }
}

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
    sharing: Sharing,
    /// Caches by the instance's place, made when first needed; none unless they are shared so.
    by_cri: Box<[AtomicPtr<Cache>]>,
    /// Where shared caches get nodes, and the only one if all threads share it. Never freed, likewise.
    global: &'static Cache,
}

/// What a thread has for itself, and what others gave back to it; or what several threads share.
#[repr(C, align(128))]
struct Cache {
    /// Touched by the owner only, or under the lock if there is none.
    own: Cell<*mut u8>,
    /// Its thread's mark, or `NO_THREAD`.
    owner: usize,
    /// The cache that was made before.
    next: *mut Cache,
    /// Pushed to by any thread, taken by the owner.
    returned: Returned,
    /// Of one that is no thread's.
    lock: Lock,
}

/// What a pool keeps in a node.
pub struct Links {
    next: Cell<*mut u8>,
    home: Cell<*const Cache>,
}

// SAFETY: a cache's own part is touched by its thread only or under its lock; a taken node belongs to its
// taker.
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
            first: Cache::new(NO_THREAD, null_mut()),
            near: Box::new([const { AtomicPtr::new(null_mut()) }; NEAR]),
            caches: AtomicPtr::new(null_mut()),
            sharing: Sharing::Thread,
            by_cri: Box::default(),
            global: Box::leak(Box::new(Cache::new(NO_THREAD, null_mut()))),
        }
    }

    /// The same pool with free nodes shared so, where there are several threads.
    pub fn shared(mut self, sharing: Sharing) -> Self {
        let places = if sharing == Sharing::Cri { CRI_POOLS * CRIS } else { 0 };
        self.sharing = sharing;
        self.by_cri = (0..places).map(|_| AtomicPtr::default()).collect();
        self
    }

    /// Whether instances have caches, so that `take_for` asks for the instance.
    #[inline]
    pub fn is_by_cri(&self) -> bool {
        self.sharing == Sharing::Cri
    }

    /// The same for users that write nodes as a whole, `size` bytes of each.
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

    /// The calling thread's cache, if threads have some.
    #[inline]
    fn cache<M: Mode>(&self) -> Option<&Cache> {
        if !M::THREADED {
            return Some(&self.first);
        }
        let own = mark();
        // Blocks of threads lie megabytes apart, or at least pages; this spreads both.
        let place = &self.near[((own >> 12) ^ (own >> 23)) % NEAR];
        let found = place.load(Ordering::Acquire);
        // SAFETY: caches are never freed.
        match unsafe { found.as_ref() } {
            Some(cache) if cache.owner == own => Some(cache),
            _ => self.find(own, place),
        }
    }

    /// The cache of the thread with this mark, made if there is none, and near from now on. `None` if
    /// threads share caches: then none is ever near, and no test for it is needed where one was found.
    #[cold]
    fn find(&self, own: usize, near: &AtomicPtr<Cache>) -> Option<&Cache> {
        if self.sharing != Sharing::Thread {
            return None;
        }
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
        unsafe { cache.as_ref() }
    }

    /// A node; null when there is no memory.
    #[inline]
    pub fn take<M: Mode>(&self) -> *mut u8 {
        self.take_for::<M>(Place::default)
    }

    /// A node for an operation of an instance, which is asked for only if instances have caches; null when
    /// there is no memory.
    #[inline]
    pub fn take_for<M: Mode>(&self, place: impl FnOnce() -> Place) -> *mut u8 {
        let Some(cache) = self.cache::<M>() else { return self.take_shared(place) };
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

    /// A node that several threads might take. With any lock held but leaves.
    #[cold]
    fn take_shared(&self, place: impl FnOnce() -> Place) -> *mut u8 {
        let mut home = self.global;
        if self.is_by_cri() {
            home = self.cache_at(place());
            let _held = home.lock.guard_as(LockLevel::LEAF);
            let node = self.pop(home);
            if !node.is_null() {
                return node;
            }
        }
        let _held = self.global.lock.guard_as(LockLevel::LEAF);
        if self.global.own.get().is_null() {
            self.grow(self.global);
        }
        let node = self.pop(self.global);
        if !node.is_null() {
            // SAFETY: just taken.
            unsafe { self.links(node) }.home.set(home);
        }
        node
    }

    /// The first node of a cache, or null. By its owner or under its lock.
    #[inline]
    fn pop(&self, cache: &Cache) -> *mut u8 {
        let node = cache.own.get();
        if !node.is_null() {
            // SAFETY: it is free, so it is ours.
            cache.own.set(unsafe { self.links(node) }.next.get());
        }
        node
    }

    /// The cache of an instance.
    fn cache_at(&self, place: Place) -> &'static Cache {
        let slot = &self.by_cri[place.0];
        let mut cache = slot.load(Ordering::Acquire);
        if cache.is_null() {
            let made = Box::into_raw(Box::new(Cache::new(NO_THREAD, null_mut())));
            let (release, acquire) = (Ordering::AcqRel, Ordering::Acquire);
            cache = match slot.compare_exchange(null_mut(), made, release, acquire) {
                Ok(_) => made,
                Err(other) => {
                    // SAFETY: no other thread has seen it.
                    drop(unsafe { Box::from_raw(made) });
                    other
                }
            };
        }
        // SAFETY: caches are never freed.
        unsafe { &*cache }
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
    /// It is one of this pool that was taken, and no longer in use. No leaf lock is held.
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
            self.give_home(home, node);
        }
    }

    /// Takes a node back that is not of the calling thread's cache.
    #[cold]
    fn give_home(&self, home: &Cache, node: *mut u8) {
        // SAFETY: the node is ours until it is pushed.
        let links = unsafe { self.links(node) };
        if home.owner == NO_THREAD {
            let _held = home.lock.guard_as(LockLevel::LEAF);
            links.next.set(home.own.get());
            home.own.set(node);
        } else {
            home.returned.push(node, |next| links.next.set(next));
        }
    }
}

impl Cache {
    fn new(owner: usize, next: *mut Self) -> Self {
        Self {
            own: Cell::new(null_mut()),
            owner,
            next,
            returned: Returned::default(),
            lock: Lock::new(),
        }
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
                let caches = || (&raw const *pool.cache::<Multiple>().unwrap()).addr();
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

    const SHARINGS: [Sharing; 3] = [Sharing::Thread, Sharing::Cri, Sharing::Global];

    fn give(pool: &Pool, node: usize) {
        // SAFETY: a node that was taken, as its address.
        unsafe { pool.give::<Multiple>(core::ptr::with_exposed_provenance_mut(node)) }
    }

    fn take(pool: &Pool, place: usize) -> usize {
        pool.take_for::<Multiple>(|| Place(place)).expose_provenance()
    }

    #[test]
    fn nodes_are_distinct_and_reused_whichever_way_they_are_shared() {
        // Whole allocations, so that no node is left over.
        const COUNT: usize = 6 * SLAB_NODES;
        for sharing in SHARINGS {
            let pool = Pool::new(200, 40).shared(sharing);
            let all = || (0..COUNT).map(|_| take(&pool, 3)).collect::<HashSet<_>>();
            let nodes = all();
            assert_eq!(nodes.len(), COUNT, "{sharing:?}");
            for node in &nodes {
                assert!(node.is_multiple_of(CACHE_LINE_PAIR));
                give(&pool, *node);
            }
            assert_eq!(all(), nodes, "{sharing:?}");
            // Whatever is given back by another thread is there again.
            thread::scope(|scope| {
                scope.spawn(|| nodes.iter().for_each(|node| give(&pool, *node)));
            });
            assert_eq!(all(), nodes, "{sharing:?}");
        }
    }

    #[test]
    fn an_instance_has_a_cache_of_its_own_and_the_pool_is_for_all() {
        let pool = Pool::new(64, 0).shared(Sharing::Cri);
        let (one, other) = (take(&pool, 1), take(&pool, 2));
        give(&pool, one);
        // What instance 1 has is not given to 2, not even by another thread.
        thread::scope(|scope| scope.spawn(|| assert_ne!(take(&pool, 2), one)).join().unwrap());
        assert_eq!(take(&pool, 1), one);
        give(&pool, other);
        assert_eq!(take(&pool, 2), other);
        // A pool that all threads share gives the last one back to any.
        let pool = Pool::new(64, 0).shared(Sharing::Global);
        let node = take(&pool, 1);
        give(&pool, node);
        assert_eq!(take(&pool, 2), node);
    }

    #[test]
    fn the_instance_is_asked_for_only_where_it_decides() {
        for sharing in SHARINGS {
            let pool = Pool::new(64, 0).shared(sharing);
            let asked = Cell::new(0);
            let place = || {
                asked.set(asked.get() + 1);
                Place(0)
            };
            assert!(!pool.take_for::<Multiple>(place).is_null());
            assert_eq!(asked.get(), u32::from(sharing == Sharing::Cri), "{sharing:?}");
            // Without threads it is as if it had not been chosen, and no lock is there to be taken.
            let (node, spare) = (pool.take_for::<Single>(place), pool.take::<Single>());
            let before = cairn_framework::audit::counts();
            // SAFETY: just taken.
            unsafe { pool.give::<Single>(node) };
            assert_eq!(pool.take_for::<Single>(place), node);
            assert_eq!(cairn_framework::audit::counts(), before);
            assert_ne!(node, spare);
            assert_eq!(asked.get(), u32::from(sharing == Sharing::Cri), "{sharing:?}");
        }
    }

    #[test]
    fn threads_that_hand_nodes_on_never_have_one_twice() {
        const THREADS: usize = 16;
        const NODES: usize = 2000;
        for sharing in SHARINGS {
            let pool = &Pool::new(64, 16).shared(sharing);
            thread::scope(|scope| {
                // Each gives back what its neighbour took, half of it, and the other half itself.
                let (mut to, from): (Vec<_>, Vec<_>) =
                    (0..THREADS).map(|_| std::sync::mpsc::channel::<usize>()).unzip();
                to.rotate_left(1);
                for (thread, (to, from)) in to.into_iter().zip(from).enumerate() {
                    scope.spawn(move || {
                        let end = |node: usize| {
                            // SAFETY: a node that this thread has; its taker has left its mark.
                            unsafe {
                                let mark = core::ptr::with_exposed_provenance_mut::<usize>(node);
                                assert_eq!(mark.replace(0), node, "{sharing:?}");
                            }
                            give(pool, node);
                        };
                        for round in 0..NODES {
                            let node = take(pool, (thread + round) % 3);
                            // SAFETY: a node that this thread has.
                            unsafe {
                                let mark = core::ptr::with_exposed_provenance_mut::<usize>(node);
                                assert_eq!(mark.replace(node), 0, "{sharing:?}: taken twice");
                            }
                            if round % 2 == 0 {
                                end(node)
                            } else {
                                to.send(node).unwrap()
                            }
                            from.try_iter().for_each(end);
                        }
                        drop(to);
                        from.iter().for_each(end);
                    });
                }
            });
        }
    }
}
