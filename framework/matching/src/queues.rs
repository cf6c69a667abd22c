//! What an engine does that is not made for several threads.

use cairn_framework::frameworks::matching::{MatchArrived, MatchPosted};

use crate::Tally;

/// Word of a receive, which the engine itself leaves alone: 1 while it waits in the engine, 0 otherwise.
const WAITS: usize = 3;

/// The functions of [`Match`](cairn_framework::frameworks::matching::Match), and what those are made of
/// that are the same for all engines.
///
/// # Safety of the unsafe functions
/// Entries that are put in stay valid and untouched until they come out; those that are taken out are in.
#[allow(clippy::missing_safety_doc)] // said once, above
pub trait Queues {
    /// A message arrived: the receive that gets it, or what `keep` made is in.
    unsafe fn arrive(
        &mut self,
        source: i32,
        tag: i32,
        keep: &mut dyn FnMut() -> Option<*mut MatchArrived>,
    ) -> Option<*mut MatchPosted>;
    /// The message that a receive gets, and how many were compared.
    fn search(&mut self, source: i32, tag: i32) -> (Option<*mut MatchArrived>, u64);
    /// Puts a receive into the engine's own structures.
    unsafe fn put_posted(&mut self, posted: *mut MatchPosted);
    /// Removes a receive from them.
    unsafe fn remove_posted(&mut self, posted: *mut MatchPosted);
    /// Puts a message in whose source and tag are written.
    unsafe fn put_arrived(&mut self, arrived: *mut MatchArrived);
    /// Removes a message.
    unsafe fn remove_arrived(&mut self, arrived: *mut MatchArrived);
    /// Any receive and any message that are in.
    fn any(&mut self) -> (Option<*mut MatchPosted>, Option<*mut MatchArrived>);
    /// A receive that is in and names this source, whichever.
    fn naming(&mut self, source: i32) -> Option<*mut MatchPosted>;
    /// What it holds and how hard it worked.
    fn tally(&mut self) -> &mut Tally;
    /// What is in it, for a person.
    fn describe(&mut self) -> String;

    /// A receive was posted: the message it gets, or the receive is in.
    #[inline]
    unsafe fn post(&mut self, posted: *mut MatchPosted) -> Option<*mut MatchArrived> {
        // SAFETY: promised by the caller; what was found is in.
        unsafe {
            (*posted).engine_private[WAITS] = 0;
            if self.tally().arrived_len() == 0 {
                self.tally().post_alone();
            } else {
                let (found, compared) = self.search((*posted).source, (*posted).tag);
                self.tally().post_searched(compared);
                if let Some(found) = found {
                    self.take(found);
                    return Some(found);
                }
            }
            (*posted).engine_private[WAITS] = 1;
            self.put_posted(posted);
        }
        self.tally().posted();
        None
    }

    /// Takes a message out.
    #[inline]
    unsafe fn take(&mut self, arrived: *mut MatchArrived) {
        // SAFETY: promised by the caller.
        unsafe { self.remove_arrived(arrived) };
        self.tally().taken();
    }

    /// Takes a receive out, which does not wait any more.
    #[inline]
    unsafe fn withdraw(&mut self, posted: *mut MatchPosted) {
        // SAFETY: promised by the caller.
        unsafe {
            self.remove_posted(posted);
            self.withdrawn(posted);
        }
    }

    /// A receive does not wait any more, which the engine has removed from its own structures.
    #[inline]
    unsafe fn withdrawn(&mut self, posted: *mut MatchPosted) {
        // SAFETY: promised by the caller.
        unsafe { (*posted).engine_private[WAITS] = 0 };
        self.tally().unposted();
    }

    /// The second half of `arrive`: the receive that was found comes out, or a message goes in.
    #[inline]
    unsafe fn settle(
        &mut self,
        (found, compared): (Option<*mut MatchPosted>, u64),
        (source, tag): (i32, i32),
        keep: &mut dyn FnMut() -> Option<*mut MatchArrived>,
    ) -> Option<*mut MatchPosted> {
        self.tally().arrive_searched(compared);
        // SAFETY: promised by the caller; what was found is in.
        unsafe {
            if let Some(found) = found {
                self.withdraw(found);
                return Some(found);
            }
            let kept = keep()?;
            (*kept).source = source;
            (*kept).tag = tag;
            self.put_arrived(kept);
        }
        self.tally().arrived();
        None
    }

    /// The message that a receive would get, which `look` is called with; with `take` it is taken out.
    #[inline]
    fn find(
        &mut self,
        source: i32,
        tag: i32,
        take: bool,
        look: &mut dyn FnMut(*mut MatchArrived),
    ) -> Option<*mut MatchArrived> {
        let found = self.search(source, tag).0?;
        look(found);
        if take {
            // SAFETY: it is in.
            unsafe { self.take(found) };
        }
        Some(found)
    }

    /// Takes a receive out: whether it was in.
    unsafe fn cancel(&mut self, posted: *mut MatchPosted) -> bool {
        // SAFETY: promised by the caller.
        unsafe {
            let waits = (*posted).engine_private[WAITS] == 1;
            if waits {
                self.withdraw(posted);
            }
            waits
        }
    }

    /// Takes a receive out that names this source.
    fn withdraw_naming(&mut self, source: i32) -> Option<*mut MatchPosted> {
        // SAFETY: it is in.
        self.naming(source).inspect(|posted| unsafe { self.withdraw(*posted) })
    }

    /// Takes one receive and one message out.
    fn drain(&mut self) -> (Option<*mut MatchPosted>, Option<*mut MatchArrived>) {
        let (posted, arrived) = self.any();
        // SAFETY: both are in.
        unsafe {
            posted.inspect(|posted| self.withdraw(*posted));
            arrived.inspect(|arrived| self.take(*arrived));
        }
        (posted, arrived)
    }
}
