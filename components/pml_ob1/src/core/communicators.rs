//! The communicators of the process: their states, and what came for those that are not open.

use core::ffi::c_void;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicU32, Ordering};

use cairn_framework::abi::comm::{Comm, ContextId};
use cairn_framework::author::{Failure, HostHandle};
use cairn_framework::frameworks::matching::MatchOps;

use crate::contexts::{Contexts, Unknown};
use crate::core::engines::EngineCounts;
use crate::mode::Mode;
use crate::objects::comm::CommState;
use crate::objects::kept::{Kept, KeptPointer};

/// All of them.
pub struct Communicators {
    host: HostHandle,
    /// Which private slot of a communicator is ours.
    slot: usize,
    /// By context id, and messages of others.
    contexts: Contexts,
    /// How many were ever opened.
    opened: AtomicU32,
    /// What their engines count.
    counts: EngineCounts,
}

impl Communicators {
    /// None. `slot` is the component's private one.
    pub fn new(host: HostHandle, slot: usize) -> Self {
        Self {
            host,
            slot,
            contexts: Contexts::default(),
            opened: AtomicU32::new(0),
            counts: EngineCounts::default(),
        }
    }

    /// Tells the host of the counters of matching engines. The address of this is fixed from here on.
    pub fn count<M: Mode>(&self) -> Result<(), Failure> {
        self.counts.start::<M>(self.host)
    }

    /// A communicator's state.
    ///
    /// # Safety
    /// `open` has taken it.
    #[inline]
    pub unsafe fn state<'a>(&self, comm: *const Comm) -> &'a CommState {
        // SAFETY: promised by the caller; the slot is this component's.
        unsafe { &*(*comm).scope.slots.get_unchecked(self.slot).cast::<CommState>() }
    }

    /// The open communicator with this context id, or null; see [`Contexts::find`].
    #[inline]
    pub fn find(&self, maker: u32, serial: u64) -> *const CommState {
        self.contexts.find(maker, serial)
    }

    /// The open communicators. In a pass, so that they stay.
    pub fn all(&self) -> Vec<*mut CommState> {
        self.contexts.open()
    }

    /// How many were ever opened.
    pub fn opened(&self) -> u32 {
        self.opened.load(Ordering::Acquire)
    }

    /// Opens a communicator's engine and adds it: its state, and the messages that came early.
    pub fn open<M: Mode>(
        &self,
        comm: &mut Comm,
    ) -> Result<(*const CommState, Vec<KeptPointer>), Failure> {
        let (engine, matching) = self.open_engine(comm)?;
        let state = Box::into_raw(Box::new(CommState::new(comm, engine, matching)));
        comm.scope.slots[self.slot] = state.cast();
        self.counts.open::<M>(state);
        // SAFETY: just made; `free` frees it.
        let early = unsafe { self.contexts.add::<M>(state) };
        self.opened.fetch_add(1, Ordering::Release);
        Ok((state, early))
    }

    fn open_engine(&self, comm: &Comm) -> Result<(*mut c_void, &'static MatchOps), Failure> {
        let (ops, matcher) = self.host.service(c"match", Some(&comm.scope))?;
        // SAFETY: the host hands out the complete table of an open component.
        let matching = unsafe { &*ops.cast::<MatchOps>() };
        let mut engine = null_mut();
        // SAFETY: as above.
        let status =
            unsafe { (matching.engine_open.unwrap_unchecked())(matcher, comm, &mut engine) };
        self.host.check(status)?;
        Ok((engine, matching))
    }

    /// A communicator will never be opened: the messages that came for it.
    pub fn give_up<M: Mode>(&self, comm: &Comm) -> Vec<KeptPointer> {
        self.contexts.close::<M>(comm.context)
    }

    /// What arrives for a communicator from now on is of one that was freed.
    pub fn close<M: Mode>(&self, comm: &Comm) {
        let state = comm.scope.slots[self.slot].cast::<CommState>();
        if !state.is_null() {
            // SAFETY: `open` has put it there, and added it.
            unsafe { self.contexts.remove::<M>(state) };
        }
    }

    /// Frees what `open` has made, and gives away the messages that were never received. Every pass that
    /// may have found the communicator is over.
    pub fn free<M: Mode>(&self, comm: &mut Comm, mut left: impl FnMut(*mut Kept)) {
        let slot = &mut comm.scope.slots[self.slot];
        let state = core::mem::replace(slot, null_mut()).cast::<CommState>();
        if state.is_null() {
            return;
        }
        // SAFETY: boxed by `open`. No search finds the state any more, and no pass is left that
        // had found it.
        unsafe {
            let view = &*state;
            let matching = view.matching;
            loop {
                let (mut posted, mut arrived) = (null_mut(), null_mut());
                (matching.drain.unwrap_unchecked())(view.engine, &mut posted, &mut arrived);
                if !arrived.is_null() {
                    left(arrived.cast());
                } else if posted.is_null() {
                    break;
                }
            }
            for (_, rank) in view.met() {
                let later = rank.order.later.with::<M, _>(core::mem::take);
                later.into_all().for_each(&mut left);
            }
            self.counts.close::<M>(state);
            (matching.engine_close.unwrap_unchecked())(view.engine);
            drop(Box::from_raw(state));
        }
    }

    /// Decides on a message whose communicator was not found; see [`Contexts::unknown`].
    pub fn unknown<M: Mode>(
        &self,
        context: ContextId,
        keep: impl FnOnce() -> KeptPointer,
    ) -> Unknown {
        self.contexts.unknown::<M>(context, keep)
    }
}

impl Drop for Communicators {
    fn drop(&mut self) {
        // A tool may read until the host has taken the cells out.
        self.counts.stop();
        for state in self.contexts.open() {
            // SAFETY: `open` boxed it, and the component is not used any more. Its engine is
            // the matching component's, which may be closed.
            drop(unsafe { Box::from_raw(state) });
        }
    }
}
