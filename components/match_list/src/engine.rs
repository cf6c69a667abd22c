//! The lists of an engine and the searches in them.
//!
//! Access: everything here belongs to the thread that has the engine. The words of an
//! entry that are the engine's own:
//!
//! | | 0 | 1 | 2 | 3 |
//! |---|---|---|---|---|
//! | receive | next | previous | number of its posting | 1 while it is in a list |
//! | message | next of the sender | previous | next of all | previous |

use std::alloc::{Layout, alloc_zeroed, dealloc};

use cairn_framework::abi::status::ERR_RESOURCES;
use cairn_framework::author::Failure;
use cairn_framework::frameworks::matching::{MATCH_ANY_SOURCE, MatchArrived, MatchPosted};
use cairn_matching::{Queue, Queues, Tally, tag_fits, write_lines};

const NUMBER: usize = 2;

/// Word of an arrived message where its links in its sender's list begin.
const OF_SENDER: usize = 0;
/// Word of an arrived message where its links in the list of all begin.
const OF_ALL: usize = 2;

/// What concerns one source.
struct Source {
    posted: Queue<MatchPosted, 0>,
    arrived: Queue<MatchArrived, OF_SENDER>,
}

/// All lists of a communicator.
pub struct Lists {
    /// By rank. Zeroed memory, so that sources that send nothing cost no resident memory.
    sources: *mut Source,
    source_count: usize,
    /// Receives of any source.
    any: Queue<MatchPosted, 0>,
    /// Every message, in the order of arrival.
    all: Queue<MatchArrived, OF_ALL>,
    /// Receives posted so far.
    posts: usize,
    tally: Tally,
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
            tally: Tally::default(),
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

    /// A message arrived for which there is more to do than to take the first receive out.
    ///
    /// # Safety
    /// What `keep` makes is valid until it is taken out.
    #[inline(never)]
    unsafe fn arrive_slowly(
        &mut self,
        source: i32,
        tag: i32,
        keep: &mut dyn FnMut() -> Option<*mut MatchArrived>,
    ) -> Option<*mut MatchPosted> {
        let fits = |posted: &MatchPosted| tag_fits(posted.tag, tag);
        let (mut found, mut compared) = self.source(source).posted.first(fits);
        if !self.any.head().is_null() {
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
        // SAFETY: promised by the caller.
        unsafe { self.settle((found, compared), (source, tag), keep) }
    }
}

impl Queues for Lists {
    #[inline]
    unsafe fn arrive(
        &mut self,
        source: i32,
        tag: i32,
        keep: &mut dyn FnMut() -> Option<*mut MatchArrived>,
    ) -> Option<*mut MatchPosted> {
        // Most often the receive that was posted first is the right one. Nothing is called here
        // that comes back, so this costs no stack frame.
        let any_source = !self.any.head().is_null();
        let posted = &mut self.source(source).posted;
        let first = posted.head();
        if !first.is_null() && !any_source {
            // SAFETY: what is in a list is valid.
            unsafe {
                if tag_fits((*first).tag, tag) {
                    posted.remove_head();
                    self.tally.arrive_at_first();
                    self.withdrawn(first);
                    return Some(first);
                }
            }
        }
        // SAFETY: promised by the caller.
        unsafe { self.arrive_slowly(source, tag, keep) }
    }

    #[inline]
    fn search(&mut self, source: i32, tag: i32) -> (Option<*mut MatchArrived>, u64) {
        if self.all.head().is_null() {
            return (None, 0);
        }
        let fits = |arrived: &MatchArrived| tag_fits(tag, arrived.tag);
        match source {
            MATCH_ANY_SOURCE => self.all.first(fits),
            rank => self.source(rank).arrived.first(fits),
        }
    }

    #[inline]
    unsafe fn put_posted(&mut self, posted: *mut MatchPosted) {
        // SAFETY: promised by the caller.
        unsafe {
            (*posted).engine_private[NUMBER] = self.posts;
            self.posts = self.posts.wrapping_add(1);
            match (*posted).source {
                MATCH_ANY_SOURCE => self.any.push(posted),
                rank => self.source(rank).posted.push(posted),
            }
        }
    }

    #[inline]
    unsafe fn remove_posted(&mut self, posted: *mut MatchPosted) {
        // SAFETY: promised by the caller.
        unsafe {
            match (*posted).source {
                MATCH_ANY_SOURCE => self.any.remove(posted),
                rank => self.source(rank).posted.remove(posted),
            }
        }
    }

    #[inline]
    unsafe fn put_arrived(&mut self, arrived: *mut MatchArrived) {
        // SAFETY: promised by the caller.
        unsafe {
            self.source((*arrived).source).arrived.push(arrived);
            self.all.push(arrived);
        }
    }

    #[inline]
    unsafe fn remove_arrived(&mut self, arrived: *mut MatchArrived) {
        // SAFETY: promised by the caller.
        unsafe {
            self.source((*arrived).source).arrived.remove(arrived);
            self.all.remove(arrived);
        }
    }

    fn any(&mut self) -> (Option<*mut MatchPosted>, Option<*mut MatchArrived>) {
        let mut posted = self.any.head();
        for rank in 0..self.source_count as i32 {
            if !posted.is_null() || self.tally.posted_len() == 0 {
                break;
            }
            posted = self.source(rank).posted.head();
        }
        (not_null(posted), not_null(self.all.head()))
    }

    fn naming(&mut self, source: i32) -> Option<*mut MatchPosted> {
        not_null(match source {
            MATCH_ANY_SOURCE => self.any.head(),
            rank => self.source(rank).posted.head(),
        })
    }

    #[inline]
    fn tally(&mut self) -> &mut Tally {
        &mut self.tally
    }

    fn describe(&mut self) -> String {
        let (mut receives, mut messages) = (Vec::new(), Vec::new());
        let mut receive = |entry: &MatchPosted| {
            receives.push((entry.engine_private[NUMBER], entry.source, entry.tag));
        };
        self.any.each(&mut receive);
        if self.tally.posted_len() > 0 {
            (0..self.source_count as i32)
                .for_each(|rank| self.source(rank).posted.each(&mut receive));
        }
        self.all.each(|entry| messages.push((messages.len(), entry.source, entry.tag)));
        write_lines(&self.tally.counts(), &mut receives, &mut messages)
    }
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
