//! The queues of an engine and the searches in them.
//!
//! Who touches what: everything here belongs to the thread that has the engine. Of the words of an
//! entry that are the engine's own, 0 is the number of its cell; of a receive's, 3 is 1 while it is
//! in.

use cairn_framework::frameworks::matching::{
    MATCH_ANY_SOURCE, MATCH_ANY_TAG, MatchArrived, MatchCounts, MatchPosted,
};
use cairn_matching::{Queues, Tally, write_lines};

use crate::cells::{Cells, Packed};
use crate::kernel::Kernel;

const IN_CELL: usize = 3;

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

    /// Takes a message out.
    ///
    /// # Safety
    /// It is in.
    #[inline]
    unsafe fn take(&mut self, arrived: *mut MatchArrived) {
        // SAFETY: promised by the caller.
        unsafe { self.arrived.remove(arrived) };
        self.tally.taken();
    }

    /// Takes a receive out.
    ///
    /// # Safety
    /// It is in.
    #[inline]
    unsafe fn withdraw(&mut self, posted: *mut MatchPosted) {
        // SAFETY: promised by the caller.
        unsafe {
            self.posted.remove(posted);
            (*posted).engine_private[IN_CELL] = 0;
        }
        self.tally.unposted();
    }
}

impl Queues for Queued {
    #[inline]
    unsafe fn post(&mut self, posted: *mut MatchPosted) -> Option<*mut MatchArrived> {
        // SAFETY: promised by the caller.
        unsafe {
            (*posted).engine_private[IN_CELL] = 0;
            let wanted = wanted((*posted).source, (*posted).tag);
            let (found, compared) = self.arrived.first(self.kernel, wanted);
            self.tally.post_searched(compared);
            if let Some(found) = found {
                self.take(found);
                return Some(found);
            }
            (*posted).engine_private[IN_CELL] = 1;
            self.posted.push(posted, wanted);
        }
        self.tally.posted();
        None
    }

    #[inline]
    unsafe fn arrive(
        &mut self,
        source: i32,
        tag: i32,
        keep: &mut dyn FnMut() -> Option<*mut MatchArrived>,
    ) -> Option<*mut MatchPosted> {
        let packed = Packed::new(Some(source), Some(tag));
        let (found, compared) = self.posted.first_for(self.kernel, packed.key);
        self.tally.arrive_searched(compared);
        if let Some(found) = found {
            // SAFETY: found in the cells.
            unsafe { self.withdraw(found) };
            return Some(found);
        }
        let kept = keep()?;
        // SAFETY: promised by the caller.
        unsafe {
            (*kept).source = source;
            (*kept).tag = tag;
            self.arrived.push(kept, packed);
        }
        self.tally.arrived();
        None
    }

    fn find(&mut self, source: i32, tag: i32, take: bool) -> Option<*mut MatchArrived> {
        let (found, _) = self.arrived.first(self.kernel, wanted(source, tag));
        if take && let Some(found) = found {
            // SAFETY: found in the cells.
            unsafe { self.take(found) };
        }
        found
    }

    unsafe fn cancel(&mut self, posted: *mut MatchPosted) -> bool {
        // SAFETY: promised by the caller.
        unsafe {
            let waits = (*posted).engine_private[IN_CELL] == 1;
            if waits {
                self.withdraw(posted);
            }
            waits
        }
    }

    fn drain(&mut self) -> (Option<*mut MatchPosted>, Option<*mut MatchArrived>) {
        let (posted, arrived) = (self.posted.head(), self.arrived.head());
        // SAFETY: both are in.
        unsafe {
            posted.inspect(|posted| self.withdraw(*posted));
            arrived.inspect(|arrived| self.take(*arrived));
        }
        (posted, arrived)
    }

    fn counts(&mut self) -> MatchCounts {
        self.tally.counts()
    }

    fn describe(&mut self) -> String {
        let (mut receives, mut messages) = (Vec::new(), Vec::new());
        self.posted.each(|entry| receives.push((receives.len(), entry.source, entry.tag)));
        self.arrived.each(|entry| messages.push((messages.len(), entry.source, entry.tag)));
        write_lines(&self.tally.counts(), &mut receives, &mut messages)
    }
}
