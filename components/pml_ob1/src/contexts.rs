//! The communicators of a process by their context ids, and what arrives for others.
//!
//! ```text
//!   message ─► open? ─ yes ─► its communicator
//!                │ no
//!                ├─ freed here ─► dropped, counted
//!                └─ else ───────► kept until this process opens it: its sender was faster
//! ```
//!
//! A context id is never used again ([`ContextId`]), so a message that is late by however much is not
//! taken for one of another communicator. Which ids this process has freed is a few runs of numbers for
//! each maker ([`Serials`]). Ids may be opened in any order: agreements on several communicators of one
//! maker overlap, and a process is a member of some of them only.

use std::collections::HashMap;

use cairn_framework::abi::comm::ContextId;

use crate::chains::Chains;
use crate::mode::{Locked, Mode};
use crate::objects::comm::CommState;
use crate::objects::kept::KeptPointer;
use crate::serials::Serials;

/// All of it.
#[derive(Default)]
pub struct Contexts {
    /// The open ones. Changed under the lock of `others`.
    chains: Chains<CommState>,
    others: Locked<Others>,
}

/// What is not open.
#[derive(Default)]
struct Others {
    /// By maker: what this process has freed.
    freed: HashMap<u32, Serials>,
    /// What came before this process opened its communicator.
    early: HashMap<ContextId, Vec<KeptPointer>>,
}

/// What a message is whose communicator was not found.
pub enum Unknown {
    /// It was opened meanwhile.
    Open(*const CommState),
    /// It was kept.
    Kept,
    /// This process has freed it.
    Freed,
}

impl Contexts {
    /// The open communicator with this context id, or null. In a receive callback, or with the
    /// communicator kept open.
    #[inline]
    pub fn find(&self, maker: u32, serial: u64) -> *const CommState {
        self.chains.find(maker, serial)
    }

    /// The open communicators, under the same conditions.
    pub fn open(&self) -> Vec<*mut CommState> {
        self.chains.all()
    }

    /// Adds a communicator; returns the messages that came before.
    ///
    /// # Safety
    /// It is new, and stays until it was removed and every pass that began before is over.
    pub unsafe fn add<M: Mode>(&self, state: *mut CommState) -> Vec<KeptPointer> {
        self.others.with::<M, _>(|others| {
            // SAFETY: promised by the caller; the lock is held.
            unsafe {
                self.chains.insert(state);
                others.early.remove(&(*state).context).unwrap_or_default()
            }
        })
    }

    /// Removes a communicator: from here on what arrives for it is dropped.
    ///
    /// # Safety
    /// It was added.
    pub unsafe fn remove<M: Mode>(&self, state: *mut CommState) {
        self.others.with::<M, _>(|others| {
            // SAFETY: promised by the caller; the lock is held.
            unsafe {
                self.chains.remove(state);
                others.close((*state).context);
            }
        });
    }

    /// A communicator will never be opened here: returns the messages that came for it.
    pub fn close<M: Mode>(&self, context: ContextId) -> Vec<KeptPointer> {
        self.others.with::<M, _>(|others| {
            others.close(context);
            others.early.remove(&context).unwrap_or_default()
        })
    }

    /// Decides on a message whose communicator was not found; keeps what `keep` makes of it if this
    /// process may still open the communicator.
    pub fn unknown<M: Mode>(
        &self,
        context: ContextId,
        keep: impl FnOnce() -> KeptPointer,
    ) -> Unknown {
        self.others.with::<M, _>(|others| {
            // Opened since the search: the lock orders this look and the insertion.
            let state = self.chains.find(context.maker, context.serial);
            if !state.is_null() {
                return Unknown::Open(state);
            }
            if others.freed.get(&context.maker).is_some_and(|it| it.contains(context.serial)) {
                return Unknown::Freed;
            }
            others.early.entry(context).or_default().push(keep());
            Unknown::Kept
        })
    }
}

impl Others {
    fn close(&mut self, context: ContextId) {
        self.freed.entry(context.maker).or_default().insert(context.serial);
    }
}
