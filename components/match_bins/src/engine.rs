//! The bins and the searches in them.
//!
//! Access: everything here belongs to the thread that has the engine. The words of an
//! entry that are the engine's own:
//!
//! | | 0 | 1 | 2 | 3 |
//! |---|---|---|---|---|
//! | receive | next of the chain | previous | number of its posting | 1 while it is in a bin |
//! | message | next of the chain | next of all | previous | |

use cairn_framework::author::Failure;
use cairn_framework::frameworks::matching::{
    MATCH_ANY_SOURCE, MATCH_ANY_TAG, MatchArrived, MatchPosted,
};
use cairn_matching::{Key, Queues, Table, Tally, Unexpected, tag_fits, write_lines};

const NUMBER: usize = 2;

/// Chains of an empty engine's tables.
const ROOM: usize = 32;

/// Kinds of receives, an index: which wildcards they have.
const ANY_SOURCE: usize = 1;
const ANY_TAG: usize = 2;

#[inline]
fn kind(source: i32, tag: i32) -> usize {
    usize::from(source == MATCH_ANY_SOURCE) * ANY_SOURCE
        + usize::from(tag == MATCH_ANY_TAG) * ANY_TAG
}

/// All bins of a communicator.
pub struct Bins {
    posted: Table<MatchPosted, true>,
    /// Receives by kind.
    kinds: [usize; 4],
    /// Receives with a wildcard.
    wildcards: usize,
    /// Receives posted so far.
    posts: usize,
    arrived: Unexpected,
    tally: Tally,
}

impl Bins {
    /// Empty bins.
    pub fn new() -> Result<Self, Failure> {
        Ok(Self {
            posted: Table::new(ROOM)?,
            kinds: [0; 4],
            wildcards: 0,
            posts: 0,
            arrived: Unexpected::new(ROOM)?,
            tally: Tally::default(),
        })
    }

    /// The receive that gets a message while receives with wildcards are there.
    #[cold]
    fn with_wildcards(&self, source: i32, tag: i32) -> (Option<*mut MatchPosted>, u64) {
        let keys = [
            (0, source, tag),
            (ANY_SOURCE, MATCH_ANY_SOURCE, tag),
            (ANY_TAG, source, MATCH_ANY_TAG),
            (ANY_SOURCE | ANY_TAG, MATCH_ANY_SOURCE, MATCH_ANY_TAG),
        ];
        let (mut best, mut compared): (Option<(*mut MatchPosted, usize)>, u64) = (None, 0);
        for (kind, source, wanted) in keys {
            if self.kinds[kind] == 0 || !tag_fits(wanted, tag) {
                continue;
            }
            let (found, more) = self.posted.first(Key::new(source, wanted));
            compared += more;
            if let Some(found) = found {
                // SAFETY: what is in a table is valid.
                let number = unsafe { (*found).engine_private[NUMBER] };
                // Numbers wrap, so their distance counts.
                if best.is_none_or(|(_, other)| (number.wrapping_sub(other) as isize) < 0) {
                    best = Some((found, number));
                }
            }
        }
        (best.map(|(found, _)| found), compared)
    }
}

impl Queues for Bins {
    #[inline]
    unsafe fn arrive(
        &mut self,
        source: i32,
        tag: i32,
        keep: &mut dyn FnMut() -> Option<*mut MatchArrived>,
    ) -> Option<*mut MatchPosted> {
        let found = if self.wildcards != 0 {
            self.with_wildcards(source, tag)
        } else if self.posted.is_empty() {
            (None, 0)
        } else {
            self.posted.first(Key::new(source, tag))
        };
        // SAFETY: promised by the caller.
        unsafe { self.settle(found, (source, tag), keep) }
    }

    #[inline]
    fn search(&mut self, source: i32, tag: i32) -> (Option<*mut MatchArrived>, u64) {
        self.arrived.search(source, tag)
    }

    #[inline]
    unsafe fn put_posted(&mut self, posted: *mut MatchPosted) {
        // SAFETY: promised by the caller.
        unsafe {
            (*posted).engine_private[NUMBER] = self.posts;
            self.posts = self.posts.wrapping_add(1);
            let kind = kind((*posted).source, (*posted).tag);
            self.kinds[kind] += 1;
            self.wildcards += usize::from(kind != 0);
            self.posted.push(posted);
        }
    }

    #[inline]
    unsafe fn remove_posted(&mut self, posted: *mut MatchPosted) {
        // SAFETY: promised by the caller.
        unsafe {
            let kind = kind((*posted).source, (*posted).tag);
            self.kinds[kind] -= 1;
            self.wildcards -= usize::from(kind != 0);
            self.posted.remove(posted);
        }
    }

    #[inline]
    unsafe fn put_arrived(&mut self, arrived: *mut MatchArrived) {
        // SAFETY: promised by the caller.
        unsafe { self.arrived.push(arrived) };
    }

    #[inline]
    unsafe fn remove_arrived(&mut self, arrived: *mut MatchArrived) {
        // SAFETY: promised by the caller.
        unsafe { self.arrived.remove(arrived) };
    }

    fn any(&mut self) -> (Option<*mut MatchPosted>, Option<*mut MatchArrived>) {
        (self.posted.any(), self.arrived.first())
    }

    fn naming(&mut self, source: i32) -> Option<*mut MatchPosted> {
        self.posted.find(|posted| posted.source == source)
    }

    #[inline]
    fn tally(&mut self) -> &mut Tally {
        &mut self.tally
    }

    fn describe(&mut self) -> String {
        let (mut receives, mut messages) = (Vec::new(), Vec::new());
        self.posted.each(|entry| {
            receives.push((entry.engine_private[NUMBER], entry.source, entry.tag));
        });
        self.arrived.each(|entry| messages.push((messages.len(), entry.source, entry.tag)));
        write_lines(&self.tally.counts(), &mut receives, &mut messages)
    }
}

#[cfg(test)]
mod tests;
