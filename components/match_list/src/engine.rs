//! The lists of an engine and the searches in them.
//!
//! Who touches what: everything here belongs to the thread that has the engine. The words of an
//! entry that are the engine's own:
//!
//! | | 0 | 1 | 2 | 3 |
//! |---|---|---|---|---|
//! | receive | next | previous | number of its posting | 1 while it is in a list |
//! | message | next of the sender | previous | next of all | previous |

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::fmt::Write;
use std::ptr::{null_mut, with_exposed_provenance_mut};

use cairn_framework::abi::status::ERR_RESOURCES;
use cairn_framework::author::Failure;
use cairn_framework::frameworks::matching::{
    MATCH_ANY_SOURCE, MATCH_ANY_TAG, MatchArrived, MatchCounts, MatchPosted,
};

const NUMBER: usize = 2;
const IN_LIST: usize = 3;

/// Word of an arrived message where its links in its sender's list begin.
const OF_SENDER: usize = 0;
/// Word of an arrived message where its links in the list of all begin.
const OF_ALL: usize = 2;

/// Entries of each kind that a description shows.
const SHOWN: usize = 8;

/// An entry that is linked through its private words.
trait Entry {
    fn words(&mut self) -> &mut [usize; 4];
}

impl Entry for MatchPosted {
    #[inline]
    fn words(&mut self) -> &mut [usize; 4] {
        &mut self.engine_private
    }
}

impl Entry for MatchArrived {
    #[inline]
    fn words(&mut self) -> &mut [usize; 4] {
        &mut self.engine_private
    }
}

/// A list through the words `AT` (next) and `AT + 1` (previous) of its entries. All zero is empty.
struct Queue<E, const AT: usize> {
    head: *mut E,
    tail: *mut E,
}

impl<E: Entry, const AT: usize> Queue<E, AT> {
    const EMPTY: Self = Self { head: null_mut(), tail: null_mut() };

    /// # Safety
    /// The entry is in this list.
    #[inline]
    unsafe fn next(entry: *mut E) -> *mut E {
        // SAFETY: promised by the caller; only `push` and `remove` write the word.
        with_exposed_provenance_mut(unsafe { (*entry).words()[AT] })
    }

    /// # Safety
    /// The entry is valid and in no list of these words.
    #[inline]
    unsafe fn push(&mut self, entry: *mut E) {
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

    /// # Safety
    /// The entry is in this list.
    #[inline]
    unsafe fn remove(&mut self, entry: *mut E) {
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

    /// The first entry that `fits`, and how many were looked at.
    #[inline]
    fn first(&self, fits: impl Fn(&E) -> bool) -> (Option<*mut E>, u64) {
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
}

/// What concerns one source.
struct Source {
    posted: Queue<MatchPosted, 0>,
    arrived: Queue<MatchArrived, OF_SENDER>,
}

/// All lists of a communicator.
pub struct Lists {
    /// By rank. Zeroed memory, so that sources nobody hears of cost no resident memory.
    sources: *mut Source,
    source_count: usize,
    /// Receives of any source.
    any: Queue<MatchPosted, 0>,
    /// Every message, in the order of arrival.
    all: Queue<MatchArrived, OF_ALL>,
    /// Receives posted so far.
    posts: usize,
    counts: MatchCounts,
}

/// Whether a receive with this tag takes a message with that one.
#[inline]
fn tag_fits(wanted: i32, tag: i32) -> bool {
    wanted == tag || (wanted == MATCH_ANY_TAG && tag >= 0)
}

impl Lists {
    /// Empty lists for so many sources.
    pub fn new(source_count: usize) -> Result<Self, Failure> {
        // SAFETY: the layout's size is not zero. All zero is a valid `Source`.
        let sources = unsafe { alloc_zeroed(Self::layout(source_count)) }.cast::<Source>();
        if sources.is_null() {
            return Err(Failure::new(
                ERR_RESOURCES,
                format!("no memory for the lists of {source_count} sources"),
            ));
        }
        Ok(Self {
            sources,
            source_count,
            any: Queue::EMPTY,
            all: Queue::EMPTY,
            posts: 0,
            counts: MatchCounts::default(),
        })
    }

    fn layout(source_count: usize) -> Layout {
        Layout::array::<Source>(source_count.max(1)).expect("ranks have 32 bits")
    }

    /// The lists of a source.
    ///
    /// # Panics
    /// When there is no such rank.
    #[inline]
    fn source(&mut self, rank: i32) -> &mut Source {
        assert!((rank as usize) < self.source_count, "rank {rank} of {}", self.source_count);
        // SAFETY: inside the allocation, and `self` is borrowed.
        unsafe { &mut *self.sources.add(rank as usize) }
    }

    #[inline]
    fn searched(&mut self, compared: u64) {
        let counts = &mut self.counts;
        counts.searches += 1;
        counts.compared += compared;
        if compared > counts.compared_max {
            counts.compared_max = compared;
        }
    }

    /// A receive was posted.
    ///
    /// # Safety
    /// It is valid until it comes out.
    #[inline]
    pub unsafe fn post(&mut self, posted: *mut MatchPosted) -> Option<*mut MatchArrived> {
        // SAFETY: promised by the caller.
        unsafe {
            let (source, tag) = ((*posted).source, (*posted).tag);
            (*posted).engine_private[IN_LIST] = 0;
            if self.all.head.is_null() {
                self.counts.searches += 1;
            } else {
                let (found, compared) = self.search(source, tag);
                self.searched(compared);
                if let Some(found) = found {
                    self.take(found);
                    return Some(found);
                }
            }
            (*posted).engine_private[NUMBER] = self.posts;
            (*posted).engine_private[IN_LIST] = 1;
            self.posts = self.posts.wrapping_add(1);
            match source {
                MATCH_ANY_SOURCE => self.any.push(posted),
                rank => self.source(rank).posted.push(posted),
            }
        }
        self.counts.posted += 1;
        if self.counts.posted > self.counts.posted_max {
            self.counts.posted_max = self.counts.posted;
        }
        None
    }

    /// A message arrived.
    ///
    /// # Safety
    /// What `keep` makes is valid until it comes out.
    #[inline]
    pub unsafe fn arrive(
        &mut self,
        source: i32,
        tag: i32,
        keep: &mut dyn FnMut() -> Option<*mut MatchArrived>,
    ) -> Option<*mut MatchPosted> {
        // Most often the receive that was posted first is the right one.
        let first = self.source(source).posted.head;
        if !first.is_null() && self.any.head.is_null() {
            // SAFETY: what is in a list is valid.
            unsafe {
                if tag_fits((*first).tag, tag) {
                    self.searched(1);
                    self.withdraw(first);
                    return Some(first);
                }
            }
        }
        self.arrive_slowly(source, tag, keep)
    }

    /// The same when the receive that was posted first is not the right one.
    #[inline(never)]
    fn arrive_slowly(
        &mut self,
        source: i32,
        tag: i32,
        keep: &mut dyn FnMut() -> Option<*mut MatchArrived>,
    ) -> Option<*mut MatchPosted> {
        let fits = |posted: &MatchPosted| tag_fits(posted.tag, tag);
        let (mut found, mut compared) = self.source(source).posted.first(fits);
        if !self.any.head.is_null() {
            let (any, more) = self.any.first(fits);
            compared += more;
            found = match (found, any) {
                // Numbers wrap, so their distance counts.
                (Some(own), Some(any)) => {
                    // SAFETY: what is in a list is valid.
                    let (own_number, any_number) =
                        unsafe { ((*own).engine_private[NUMBER], (*any).engine_private[NUMBER]) };
                    let own_is_first = (own_number.wrapping_sub(any_number) as isize) < 0;
                    Some(if own_is_first { own } else { any })
                }
                (own, any) => own.or(any),
            };
        }
        self.searched(compared);
        if let Some(found) = found {
            // SAFETY: found in one of the lists.
            unsafe { self.withdraw(found) };
            return Some(found);
        }
        let kept = keep()?;
        // SAFETY: promised by the caller.
        unsafe {
            (*kept).source = source;
            (*kept).tag = tag;
            self.source(source).arrived.push(kept);
            self.all.push(kept);
        }
        self.counts.arrived += 1;
        self.counts.arrived_max = self.counts.arrived_max.max(self.counts.arrived);
        None
    }

    /// The message that a receive would get.
    #[inline]
    pub fn find(&mut self, source: i32, tag: i32, take: bool) -> Option<*mut MatchArrived> {
        let (found, _) = self.search(source, tag);
        if take && let Some(found) = found {
            // SAFETY: found in the lists.
            unsafe { self.take(found) };
        }
        found
    }

    #[inline]
    fn search(&mut self, source: i32, tag: i32) -> (Option<*mut MatchArrived>, u64) {
        let fits = |arrived: &MatchArrived| tag_fits(tag, arrived.tag);
        match source {
            MATCH_ANY_SOURCE => self.all.first(fits),
            rank => self.source(rank).arrived.first(fits),
        }
    }

    /// Takes a message out.
    ///
    /// # Safety
    /// It is in.
    #[inline]
    unsafe fn take(&mut self, arrived: *mut MatchArrived) {
        // SAFETY: promised by the caller.
        unsafe {
            self.source((*arrived).source).arrived.remove(arrived);
            self.all.remove(arrived);
        }
        self.counts.arrived -= 1;
    }

    /// Takes a receive out.
    ///
    /// # Safety
    /// It is in.
    #[inline]
    unsafe fn withdraw(&mut self, posted: *mut MatchPosted) {
        // SAFETY: promised by the caller.
        unsafe {
            match (*posted).source {
                MATCH_ANY_SOURCE => self.any.remove(posted),
                rank => self.source(rank).posted.remove(posted),
            }
            (*posted).engine_private[IN_LIST] = 0;
        }
        self.counts.posted -= 1;
    }

    /// Takes a receive out if it is in.
    ///
    /// # Safety
    /// It was posted and is valid.
    pub unsafe fn cancel(&mut self, posted: *mut MatchPosted) -> bool {
        // SAFETY: promised by the caller.
        unsafe {
            let waits = (*posted).engine_private[IN_LIST] == 1;
            if waits {
                self.withdraw(posted);
            }
            waits
        }
    }

    /// Takes one receive and one message out.
    pub fn drain(&mut self) -> (Option<*mut MatchPosted>, Option<*mut MatchArrived>) {
        let mut posted = self.any.head;
        for rank in 0..self.source_count as i32 {
            if !posted.is_null() || self.counts.posted == 0 {
                break;
            }
            posted = self.source(rank).posted.head;
        }
        let (posted, arrived) = (not_null(posted), not_null(self.all.head));
        // SAFETY: both are in the lists.
        unsafe {
            posted.inspect(|posted| self.withdraw(*posted));
            arrived.inspect(|arrived| self.take(*arrived));
        }
        (posted, arrived)
    }

    /// What is in the lists and how hard they worked.
    pub fn counts(&self) -> MatchCounts {
        self.counts
    }

    /// The lists for a person: the first few entries and how many there are.
    pub fn describe(&mut self) -> String {
        let mut text = String::new();
        let MatchCounts { posted, arrived, compared, searches, .. } = self.counts;
        let _ = writeln!(
            text,
            "{posted} receives posted, {arrived} messages arrived; {searches} searches compared \
             {compared} entries"
        );
        let mut receives = Vec::new();
        let mut gather = |queue: &Queue<MatchPosted, 0>| {
            let mut entry = queue.head;
            while !entry.is_null() {
                // SAFETY: what is in a list is valid.
                unsafe {
                    receives.push(((*entry).engine_private[NUMBER], (*entry).source, (*entry).tag));
                    entry = Queue::<MatchPosted, 0>::next(entry);
                }
            }
        };
        gather(&self.any);
        if posted > 0 {
            (0..self.source_count as i32).for_each(|rank| gather(&self.source(rank).posted));
        }
        receives.sort_unstable();
        for (_, source, tag) in receives.iter().take(SHOWN) {
            let (source, tag) = (name(*source, MATCH_ANY_SOURCE), name(*tag, MATCH_ANY_TAG));
            let _ = writeln!(text, "  receive from {source} tag {tag}");
        }
        let mut entry = self.all.head;
        for _ in 0..SHOWN {
            if entry.is_null() {
                break;
            }
            // SAFETY: what is in a list is valid.
            unsafe {
                let _ = writeln!(text, "  message of {} tag {}", (*entry).source, (*entry).tag);
                entry = Queue::<MatchArrived, OF_ALL>::next(entry);
            }
        }
        text
    }
}

fn name(number: i32, any: i32) -> String {
    if number == any { "any".into() } else { number.to_string() }
}

fn not_null<E>(entry: *mut E) -> Option<*mut E> {
    (!entry.is_null()).then_some(entry)
}

impl Drop for Lists {
    fn drop(&mut self) {
        // SAFETY: allocated by `new` with this layout.
        unsafe { dealloc(self.sources.cast(), Self::layout(self.source_count)) }
    }
}

#[cfg(test)]
mod tests;
