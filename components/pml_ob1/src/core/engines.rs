//! What the matching engines count, all together and for each communicator.

use core::ffi::c_void;
use core::sync::atomic::Ordering;
use std::sync::OnceLock;

use cairn_framework::abi::comm::Comm;
use cairn_framework::audit::LockLevel;
use cairn_framework::author::counters::Counted;
use cairn_framework::author::{Failure, HostHandle};
use cairn_framework::frameworks::matching::MatchCounts;

use crate::mode::{Locked, Mode};
use crate::objects::comm::CommState;

cairn_framework::counters! {
    /// The matching engines, as they tell: all together, or that of a communicator.
    struct Queues {
        receives_posted: LEVEL, "receives", "Receives that are posted and not matched.";
        receives_posted_max: MAXIMUM, "receives", "Most receives of a communicator posted at a time.";
        messages_waiting: LEVEL, "messages", "Messages that have come and wait for a receive.";
        messages_waiting_max: MAXIMUM, "messages",
            "Most messages of a communicator that waited at a time.";
        receives_posted_met: AGGREGATE, "receives",
            "Receives that were posted when messages came, summed up; divided by the arrivals the mean length of the queue.";
        messages_waiting_met: AGGREGATE, "messages",
            "Messages that waited when receives were posted, summed up; divided by the posts the mean length of the queue.";
        posts: SUM, "receives", "Receives that were posted.";
        arrivals: SUM, "messages", "Messages that were matched or kept.";
        searches: SUM, "searches", "Searches for a message's receive or a receive's message.";
        searches_compared: AGGREGATE, "entries",
            "Entries that searches compared; divided by their number the mean length of one.";
        searches_compared_max: MAXIMUM, "entries", "Most entries that one search compared.";
    }
}

/// The engines and the counters that the host knows of them.
pub struct EngineCounts {
    /// The counters, once there are some.
    queues: OnceLock<Counted<Queues>>,
    /// Where they come from.
    engines: Locked<Engines>,
}

impl Default for EngineCounts {
    fn default() -> Self {
        Self { queues: OnceLock::new(), engines: Locked::new(LockLevel::COUNTED) }
    }
}

impl EngineCounts {
    /// Tells the host of the counters. The address of this is fixed from here on, until `stop`.
    pub fn start<M: Mode>(&self, host: HostHandle) -> Result<(), Failure> {
        let context = (&raw const *self).cast_mut().cast();
        // SAFETY: the owner calls `stop` before it drops anything.
        let queues = unsafe { Counted::by_comm(host, refresh::<M>, context) }?;
        drop(self.queues.set(queues));
        Ok(())
    }

    /// Takes the counters out: a tool may read until then.
    pub fn stop(&mut self) {
        drop(self.queues.take());
    }

    /// A communicator has an engine.
    pub fn open<M: Mode>(&self, state: *const CommState) {
        self.engines.with::<M, _>(|engines| engines.open.push(Counting(state)));
    }

    /// A communicator's engine is about to be closed; nothing is in it. What it has counted stays.
    pub fn close<M: Mode>(&self, state: *const CommState) {
        self.engines.with::<M, _>(|engines| engines.close(state));
    }
}

/// What the matching engines count, for all communicators and for each.
#[derive(Default)]
struct Engines {
    /// The communicators that are open.
    open: Vec<Counting>,
    /// What the engines have counted that are closed.
    past: MatchCounts,
}

#[derive(Clone, Copy, PartialEq)]
struct Counting(*const CommState);

// SAFETY: a state is made for use by any thread, and is in the list as long as it lives.
unsafe impl Send for Counting {}

impl Counting {
    fn counts(self) -> MatchCounts {
        let mut counts = MatchCounts::default();
        // SAFETY: the table is complete, and the engine is there as long as the state.
        unsafe { ((*self.0).matching.counts.unwrap_unchecked())((*self.0).engine, &mut counts) };
        counts
    }
}

impl Engines {
    fn close(&mut self, state: *const CommState) {
        // Most often one of the last that were opened.
        if let Some(place) = self.open.iter().rposition(|one| *one == Counting(state)) {
            add(&mut self.past, &self.open.swap_remove(place).counts());
        }
    }

    /// What the engine of a communicator has counted, or all of them if none is named.
    fn counts(&self, comm: *const Comm) -> MatchCounts {
        let of_comm = |one: &&Counting| {
            // SAFETY: states that are in the list live.
            comm.is_null() || core::ptr::eq(unsafe { (*one.0).comm }, comm)
        };
        let mut counts = if comm.is_null() { self.past } else { MatchCounts::default() };
        self.open.iter().filter(of_comm).for_each(|one| add(&mut counts, &one.counts()));
        counts
    }
}

/// Adds what one engine has counted to what others have.
fn add(all: &mut MatchCounts, one: &MatchCounts) {
    for (sum, more) in [
        (&mut all.posted, one.posted),
        (&mut all.arrived, one.arrived),
        (&mut all.searches, one.searches),
        (&mut all.compared, one.compared),
        (&mut all.posts, one.posts),
        (&mut all.arrivals, one.arrivals),
        (&mut all.posted_met, one.posted_met),
        (&mut all.arrived_met, one.arrived_met),
    ] {
        *sum += more;
    }
    for (most, seen) in [
        (&mut all.posted_max, one.posted_max),
        (&mut all.arrived_max, one.arrived_max),
        (&mut all.compared_max, one.compared_max),
    ] {
        *most = seen.max(*most);
    }
}

/// # Safety
/// The context is an [`EngineCounts`].
unsafe extern "C" fn refresh<M: Mode>(context: *mut c_void, comm: *const Comm) {
    // SAFETY: promised by the caller.
    let this = unsafe { &*context.cast::<EngineCounts>() };
    let Some(queues) = this.queues.get() else { return };
    let counts = this.engines.with::<M, _>(|engines| engines.counts(comm));
    for (cell, value) in [
        (&queues.receives_posted, counts.posted),
        (&queues.receives_posted_max, counts.posted_max),
        (&queues.messages_waiting, counts.arrived),
        (&queues.messages_waiting_max, counts.arrived_max),
        (&queues.receives_posted_met, counts.posted_met),
        (&queues.messages_waiting_met, counts.arrived_met),
        (&queues.posts, counts.posts),
        (&queues.arrivals, counts.arrivals),
        (&queues.searches, counts.searches),
        (&queues.searches_compared, counts.compared),
        (&queues.searches_compared_max, counts.compared_max),
    ] {
        cell.value.store(value, Ordering::Relaxed);
    }
}
