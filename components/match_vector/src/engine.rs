//! The queues of an engine and the searches in them.
//!
//! Access: everything here belongs to the thread that has the engine. Of the words of an
//! entry that are the engine's own, 0 is the number of its cell; of a receive's, 3 is 1 while it is
//! in.

use cairn_framework::frameworks::matching::{
    MATCH_ANY_SOURCE, MATCH_ANY_TAG, MatchArrived, MatchPosted,
};
use cairn_matching::{Queues, Tally, write_lines};

use crate::cells::{Cells, Packed};
use crate::kernel::Kernel;

/// What waits in a communicator.
pub struct Queued {
    kernel: &'static Kernel,
    posted: Cells<MatchPosted, true>,
    arrived: Cells<MatchArrived, false>,
    tally: Tally,
}

/// What a receive asks for.
#[inline]
fn wanted(source: i32, tag: i32) -> Packed {
    Packed::new(
        (source != MATCH_ANY_SOURCE).then_some(source),
        (tag != MATCH_ANY_TAG).then_some(tag),
    )
}

impl Queued {
    /// Nothing waits.
    pub fn new(kernel: &'static Kernel) -> Self {
        Self { kernel, posted: Cells::new(), arrived: Cells::new(), tally: Tally::default() }
    }
}

impl Queues for Queued {
    #[inline]
    unsafe fn arrive(
        &mut self,
        source: i32,
        tag: i32,
        keep: &mut dyn FnMut() -> Option<*mut MatchArrived>,
    ) -> Option<*mut MatchPosted> {
        let packed = Packed::new(Some(source), Some(tag));
        let found = self.posted.first_for(self.kernel, packed.key);
        // SAFETY: promised by the caller.
        unsafe { self.settle(found, (source, tag), keep) }
    }

    #[inline]
    fn search(&mut self, source: i32, tag: i32) -> (Option<*mut MatchArrived>, u64) {
        self.arrived.first(self.kernel, wanted(source, tag))
    }

    #[inline]
    unsafe fn put_posted(&mut self, posted: *mut MatchPosted) {
        // SAFETY: promised by the caller.
        unsafe { self.posted.push(posted, wanted((*posted).source, (*posted).tag)) };
    }

    #[inline]
    unsafe fn remove_posted(&mut self, posted: *mut MatchPosted) {
        // SAFETY: promised by the caller.
        unsafe { self.posted.remove(posted) };
    }

    #[inline]
    unsafe fn put_arrived(&mut self, arrived: *mut MatchArrived) {
        // SAFETY: promised by the caller.
        unsafe {
            let packed = Packed::new(Some((*arrived).source), Some((*arrived).tag));
            self.arrived.push(arrived, packed);
        }
    }

    #[inline]
    unsafe fn remove_arrived(&mut self, arrived: *mut MatchArrived) {
        // SAFETY: promised by the caller.
        unsafe { self.arrived.remove(arrived) };
    }

    fn any(&mut self) -> (Option<*mut MatchPosted>, Option<*mut MatchArrived>) {
        (self.posted.head(), self.arrived.head())
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
        self.posted.each(|entry| receives.push((receives.len(), entry.source, entry.tag)));
        self.arrived.each(|entry| messages.push((messages.len(), entry.source, entry.tag)));
        write_lines(&self.tally.counts(), &mut receives, &mut messages)
    }
}
