//! The life of communicators, and what can be said of one.

use core::sync::atomic::Ordering;
use std::fmt::Write;

use cairn_framework::abi::comm::{Comm, ContextId};
use cairn_framework::abi::counter::CounterCell;
use cairn_framework::author::Failure;
use cairn_framework::frameworks::matching::MatchCounts;

use crate::contexts::Unknown;
use crate::core::Core;
use crate::counters;
use crate::mode::Mode;
use crate::objects::comm::CommState;
use crate::objects::kept::{Kept, KeptPointer};
use crate::objects::message::Incoming;
use crate::objects::peer::Work;
use crate::wire::{self, kind};

impl Core {
    /// A communicator was made: opens its engine and receives what came early.
    pub fn comm_open<M: Mode>(&self, comm: &mut Comm) -> Result<(), Failure> {
        let opened = self.comms.open::<M>(comm);
        let (state, early) = opened.inspect_err(|_| {
            // What arrives for one that can't be opened is dropped, as if it had been freed.
            for KeptPointer(kept) in self.comms.give_up::<M>(comm) {
                self.drop_kept::<M>(kept);
            }
        })?;
        for KeptPointer(kept) in early {
            // SAFETY: kept by `unknown`, and ours now; the communicator is open.
            unsafe {
                self.opened::<M>(&*state, &Incoming::of_kept(kept, None));
                self.free_kept::<M>(kept, None);
            }
        }
        Ok(())
    }

    /// The last operation of a communicator has ended: what arrives for it from now on is dropped. Any
    /// thread, also in a pass of the progress engine.
    pub fn comm_close<M: Mode>(&self, comm: &mut Comm) {
        self.comms.close::<M>(comm);
    }

    /// Frees what `comm_open` has made. Every pass that may have found the communicator is over.
    pub fn comm_free<M: Mode>(&self, comm: &mut Comm) {
        self.comms.free::<M>(comm, |kept| self.drop_kept::<M>(kept));
    }

    /// Frees a message that no receive can get any more.
    fn drop_kept<M: Mode>(&self, kept: *mut Kept) {
        self.counters.add::<M>(0, |copy| &copy.dropped, 1);
        // SAFETY: the caller has taken it out of where it was kept; it is as long as its header.
        unsafe {
            if Incoming::of_kept(kept, None).kind() == kind::PUSHED {
                self.drop_pushed::<M>(Kept::data(kept), (*kept).len);
            }
            self.free_kept::<M>(kept, None);
        }
    }

    /// A message whose communicator is not open: the communicator, if it is by now, or null. Before
    /// this process has opened it the message is kept, after it has freed it dropped.
    ///
    /// # Safety
    /// The message's bytes are there.
    #[cold]
    pub unsafe fn unknown<M: Mode>(&self, message: &Incoming<'_>) -> *const CommState {
        let wire::Match { maker, serial, .. } = message.header;
        // SAFETY: promised by the caller.
        let keep = || unsafe { KeptPointer(self.keep::<M>(message)) };
        let count = |cell: fn(&counters::Messages) -> &CounterCell| {
            self.counters.add::<M>(message.block(), cell, 1);
        };
        match self.comms.unknown::<M>(ContextId::new(maker, serial), keep) {
            Unknown::Open(state) => return state,
            Unknown::Kept => count(|copy| &copy.early),
            Unknown::Freed => {
                count(|copy| &copy.dropped);
                if message.kind() == kind::PUSHED {
                    // SAFETY: promised by the caller; it is as long as its header.
                    unsafe { self.drop_pushed::<M>(message.data, message.len) };
                }
            }
        }
        core::ptr::null()
    }

    /// How many operations of a communicator are not complete.
    pub fn pending<M: Mode>(&self, comm: &Comm) -> u64 {
        // SAFETY: `comm_open` has taken it.
        let state = unsafe { self.comms.state(comm) };
        let waits = |work: &&Work| match work {
            // SAFETY: what is in a queue belongs to it, and the queue is ours.
            Work::First(request) => unsafe { core::ptr::eq((**request).state, state) },
            // The others are transfers, or no operations.
            _ => false,
        };
        let queued = self.peers.all::<M>().map(|peer| {
            peer.queues.with::<M, _>(|queues| {
                // What a thread is retrying is in no queue, and may be of this communicator.
                queues.messages.iter().filter(waits).count() + usize::from(queues.retrying)
            })
        });
        let mut counts = MatchCounts::default();
        // SAFETY: the table is complete, and the engine open.
        unsafe { (state.matching.counts.unwrap_unchecked())(state.engine, &mut counts) };
        let in_flight = self.ids.sends_of(state) + state.transfers.load(Ordering::Acquire) as usize;
        counts.posted + (queued.sum::<usize>() + in_flight) as u64
    }

    /// What can be said of the queues to a communicator's peers.
    pub fn describe<M: Mode>(&self, comm: &Comm) -> String {
        // SAFETY: `comm_open` has taken it.
        let state = unsafe { self.comms.state(comm) };
        let mut text = String::new();
        let mut queues = vec![0u8; 4096];
        // SAFETY: the table is complete; the buffer has the length that is passed.
        unsafe {
            (state.matching.describe.unwrap_unchecked())(
                state.engine,
                queues.as_mut_ptr().cast(),
                queues.len(),
            );
        }
        queues.truncate(queues.iter().position(|byte| *byte == 0).unwrap_or(queues.len()));
        text.push_str(&String::from_utf8_lossy(&queues));
        for (number, rank) in state.met() {
            let (expected, later) =
                (rank.order.turn.next(), rank.order.later.with::<M, _>(|later| later.len()));
            let _ = write!(text, "rank {number}: sent {}, next from it {expected}", rank.sent());
            if later > 0 {
                let _ = write!(text, ", {later} wait for it");
            }
            // SAFETY: peers live as long as the component.
            if let Some(peer) = unsafe { rank.peer.load(Ordering::Acquire).as_ref() } {
                let (messages, streams) = peer
                    .queues
                    .with::<M, _>(|queues| (queues.messages.len(), queues.streams.len()));
                if messages + streams > 0 {
                    let _ =
                        write!(text, ", {messages} messages and {streams} streams wait for room");
                }
            }
            text.push('\n');
        }
        let transfers = self.ids.len::<M>() + self.pushes.len::<M>();
        let _ = writeln!(text, "{transfers} transfers of the process are in flight");
        text
    }
}
