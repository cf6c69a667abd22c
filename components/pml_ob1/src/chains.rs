//! A hash table from context ids to communicators that receive callbacks search without a lock.
//!
//! Each bucket is a singly linked list through its members. Insertion at the head and removal happen
//! under a lock of the caller; a search takes none. That is read-copy-update with the members
//! themselves as list nodes (McKenney and Slingwine, "Read-Copy Update", 1998): a member that was
//! removed keeps its link, so a search that stands on it goes on, and its memory is freed only when
//! every pass of the progress engine that may have found it is over.
//!
//! Release when a pointer to a member is stored pairs with Acquire when it is loaded: a search that
//! finds a member sees it whole.

use core::marker::PhantomData;
use core::ptr::null_mut;

use cairn_framework::sync::{AtomicPtr, Ordering};

/// Buckets, a power of two. Context ids of one maker are consecutive, so as many communicators of a
/// maker have a bucket each.
const BUCKETS: usize = if cfg!(feature = "loom") { 1 } else { 1024 };

/// The link from a member to the next one of its bucket.
pub type Link<T> = AtomicPtr<T>;

/// A member of the table.
pub trait Member: Sized {
    /// The process that made the context id, and the id's number there.
    fn context(&self) -> (u32, u64);
    /// The link to the next member of the bucket; the table's own.
    fn next(&self) -> &Link<Self>;
}

/// The table. It does not own its members.
pub struct Chains<T> {
    buckets: Box<[AtomicPtr<T>]>,
    members: PhantomData<*const T>,
}

// SAFETY: a table is pointers to members, which it leads to by shared references only.
unsafe impl<T: Send + Sync> Send for Chains<T> {}
// SAFETY: see `Send`.
unsafe impl<T: Send + Sync> Sync for Chains<T> {}

impl<T> Default for Chains<T> {
    fn default() -> Self {
        let buckets = (0..BUCKETS).map(|_| AtomicPtr::new(null_mut())).collect();
        Self { buckets, members: PhantomData }
    }
}

impl<T: Member> Chains<T> {
    #[inline]
    fn bucket(&self, maker: u32, serial: u64) -> &AtomicPtr<T> {
        // The upper half of the product, so that makers with neighbouring ranks begin far apart.
        let spread = maker.wrapping_mul(0x9e37_79b9) >> 16;
        let place = (serial as u32).wrapping_add(spread) as usize % BUCKETS;
        // SAFETY: there are as many buckets.
        unsafe { self.buckets.get_unchecked(place) }
    }

    /// The member with this context id, or null.
    #[inline]
    pub fn find(&self, maker: u32, serial: u64) -> *mut T {
        let mut found = self.bucket(maker, serial).load(Ordering::Acquire);
        // SAFETY: members are freed only when no search can stand on them any more.
        while let Some(member) = unsafe { found.as_ref() } {
            if member.context() == (maker, serial) {
                break;
            }
            found = member.next().load(Ordering::Acquire);
        }
        found
    }

    /// Puts a member in.
    ///
    /// # Safety
    /// No other thread inserts or removes. The member is not in a table; it stays where it is until
    /// it was removed and every search that began before is over.
    pub unsafe fn insert(&self, member: *mut T) {
        // SAFETY: promised by the caller.
        let this = unsafe { &*member };
        let (maker, serial) = this.context();
        let head = self.bucket(maker, serial);
        this.next().store(head.load(Ordering::Relaxed), Ordering::Relaxed);
        head.store(member, Ordering::Release);
    }

    /// Takes a member out. A search that stands on it goes on from there.
    ///
    /// # Safety
    /// No other thread inserts or removes, and the member is in this table.
    pub unsafe fn remove(&self, member: *mut T) {
        // SAFETY: promised by the caller; what is in the table is valid.
        unsafe {
            let (maker, serial) = (*member).context();
            let mut link = self.bucket(maker, serial);
            loop {
                let found = link.load(Ordering::Relaxed);
                if core::ptr::eq(found, member) {
                    break;
                }
                link = (*found).next();
            }
            // Release: a search that comes to the next member this way sees it whole.
            link.store((*member).next().load(Ordering::Relaxed), Ordering::Release);
        }
    }

    /// Every member.
    pub fn all(&self) -> Vec<*mut T> {
        let mut all = Vec::new();
        for head in &self.buckets {
            let mut found = head.load(Ordering::Acquire);
            // SAFETY: as in `find`.
            while let Some(member) = unsafe { found.as_ref() } {
                all.push(found);
                found = member.next().load(Ordering::Acquire);
            }
        }
        all
    }
}

#[cfg(all(test, not(feature = "loom")))]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    struct One {
        context: (u32, u64),
        next: Link<One>,
    }

    impl Member for One {
        fn context(&self) -> (u32, u64) {
            self.context
        }

        fn next(&self) -> &Link<Self> {
            &self.next
        }
    }

    /// Ids that meet in a bucket, that differ in one half only, and that are far apart.
    fn context() -> impl Strategy<Value = (u32, u64)> {
        let serial =
            prop_oneof![0..4_u64, (0..4_u64).prop_map(|n| n << 10), Just(1 << 32), any::<u64>()];
        let maker = prop_oneof![0..3_u32, Just(u32::MAX), any::<u32>()];
        (maker, serial)
    }

    proptest! {
        #[test]
        fn ids_lead_to_their_members(steps in prop::collection::vec((any::<bool>(), context()), 1..80)) {
            let chains = Chains::<One>::default();
            let mut model = BTreeMap::new();
            for (opens, context) in steps {
                if opens && !model.contains_key(&context) {
                    let made = Box::into_raw(Box::new(One { context, next: AtomicPtr::default() }));
                    // SAFETY: new, and stays until it was taken out.
                    unsafe { chains.insert(made) };
                    model.insert(context, made);
                } else if let Some(gone) = model.remove(&context) {
                    // SAFETY: it is in, and no other thread uses the table.
                    drop(unsafe {
                        chains.remove(gone);
                        Box::from_raw(gone)
                    });
                }
                prop_assert!(chains.find(context.0, context.1)
                    == model.get(&context).copied().unwrap_or(null_mut()));
            }
            for (context, member) in &model {
                prop_assert_eq!(chains.find(context.0, context.1), *member);
            }
            let mut all = chains.all();
            all.sort_unstable();
            let mut expected: Vec<_> = model.into_values().collect();
            expected.sort_unstable();
            prop_assert_eq!(&all, &expected);
            for member in all {
                // SAFETY: boxed above, and the table is not used any more.
                drop(unsafe { Box::from_raw(member) });
            }
        }
    }
}

#[cfg(all(test, feature = "loom"))]
mod model {
    use cairn_framework::sync::loom;
    use cairn_framework::sync::loom::sync::atomic::AtomicBool;
    use cairn_framework::sync::loom::sync::{Arc, Mutex};

    use super::*;

    struct One {
        serial: u64,
        alive: AtomicBool,
        next: Link<One>,
    }

    impl Member for One {
        fn context(&self) -> (u32, u64) {
            (0, self.serial)
        }

        fn next(&self) -> &Link<Self> {
            &self.next
        }
    }

    /// Three members in one bucket. A thread takes two of them out, which are neighbours, and puts one
    /// in, while a search for the last one goes over all of them: it finds that one, and alive. Members
    /// that were taken out are freed when the search is over, as passes guarantee.
    #[test]
    fn model_a_search_survives_what_is_taken_out() {
        loom::model(|| {
            let members: Arc<Vec<One>> = Arc::new(
                (0..4)
                    .map(|serial| One {
                        serial,
                        alive: AtomicBool::new(true),
                        next: AtomicPtr::new(null_mut()),
                    })
                    .collect(),
            );
            let at = |members: &Arc<Vec<One>>, serial: usize| {
                std::ptr::from_ref(&members[serial]).cast_mut()
            };
            let chains = Arc::new(Chains::<One>::default());
            for serial in 0..3 {
                // SAFETY: new, and stays.
                unsafe { chains.insert(at(&members, serial)) };
            }
            // Held by a search, as a pass is; the writer waits for it before it frees.
            let searching = Arc::new(Mutex::new(()));
            let reader = {
                let (chains, members) = (chains.clone(), members.clone());
                let searching = searching.clone();
                loom::thread::spawn(move || {
                    let _pass = searching.lock().unwrap();
                    let found = chains.find(0, 0);
                    assert_eq!(found, at(&members, 0));
                    let gone = chains.find(0, 1);
                    // SAFETY: it is not freed during the search.
                    if let Some(gone) = unsafe { gone.as_ref() } {
                        assert!(gone.alive.load(Ordering::Relaxed), "used after it was freed");
                    }
                })
            };
            // SAFETY: only this thread changes the table; they are in, or new.
            unsafe {
                chains.remove(at(&members, 1));
                chains.insert(at(&members, 3));
                chains.remove(at(&members, 2));
            }
            drop(searching.lock().unwrap());
            // A pass that began later has not found them.
            for serial in [1, 2] {
                members[serial].alive.store(false, Ordering::Relaxed);
            }
            reader.join().unwrap();
        });
    }
}
