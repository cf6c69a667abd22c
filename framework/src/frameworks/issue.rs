//! **issue** — when the operations of an epoch on a window go out (Zhao 2012, chapter 3).
//!
//! An operation may wait for those that follow it and for the end of its epoch, so that it travels with the
//! messages of the synchronisation; or it goes out at once, so that the transfer overlaps with what
//! the program computes. The component of `osc` that serves the window has the queue and the messages, and asks
//! before it keeps anything back. Ways on which waiting saves no message (loads and stores) are not asked for.
//!
//! **Life.** One component for a window, by the window's info key `cairn_issue` or the
//! parameter `issue`; every process of the window makes the same choice. Between `window_open` and
//! `window_close` come epochs, of each thread its own: `epoch_open`, then `operation` for each operation,
//! `epoch_close` with what was measured.
//!
//! **Threads and locks.** `operation`, `epoch_open` and `epoch_close` are hot, and are called by any thread,
//! several at a time, with locks of the `osc` component held.
//!
//! **Decisions.** What is answered holds until the end of the epoch, as far as it has begun something; a later
//! answer may ask for more, not for less.

use core::ffi::{c_char, c_void};

use super::contract;
use crate::abi::component::Instance;
use crate::abi::scope::Scope;
use crate::abi::status::Status;
use crate::author::{self, Component, Failure};

/// [`IssueOperation::epoch`]: between two fences.
pub const ISSUE_FENCE: u32 = 0;
/// [`IssueOperation::epoch`]: between start and complete.
pub const ISSUE_PSCW: u32 = 1;
/// [`IssueOperation::epoch`]: between lock and unlock of one target.
pub const ISSUE_LOCK: u32 = 2;
/// Number of kinds of epochs.
pub const ISSUE_EPOCHS: usize = 3;

/// A decision: the operation waits, and nothing is begun.
pub const ISSUE_HOLD: u32 = 0;
/// A decision: the operation waits, but the synchronisation that it needs begins: the lock is asked for.
pub const ISSUE_BEGIN: u32 = 1;
/// A decision: as `CAIRN_ISSUE_BEGIN`; when the target is ready everything goes out but the last operation
/// to it, which is kept to tell the target of the end of the epoch.
pub const ISSUE_GO_BUT_LAST: u32 = 2;
/// A decision: everything goes out when the target is ready, and the end of the epoch is a message of its own.
pub const ISSUE_GO: u32 = 3;

/// An operation of an epoch.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct IssueOperation {
    /// Size of this struct in bytes, as the host has it.
    pub struct_size: u32,
    /// `CAIRN_ISSUE_FENCE` and the others.
    pub epoch: u32,
    /// Operations of the epoch that wait, this one included.
    pub waiting: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// What an epoch was like.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct IssueHistory {
    /// Size of this struct in bytes, as the host has it.
    pub struct_size: u32,
    /// `CAIRN_ISSUE_FENCE` and the others.
    pub epoch: u32,
    /// Its operations.
    pub operations: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Nanoseconds from the beginning of the synchronisation until the target was ready (the lock was
    /// granted, the post had come, the reduction had ended); 0 if that was not measured.
    pub latency: u64,
    /// Bytes whose transfer was measured.
    pub moved: u64,
    /// Nanoseconds that it took from the first of them to the end of the epoch; 0 if nothing was measured.
    pub moving: u64,
}

/// Functions for the strategies. `state` is what `window_open` stored.
#[repr(C)]
#[derive(Debug)]
pub struct IssueOps {
    /// Size of this struct in bytes, as the author's header has it.
    pub struct_size: u32,
    /// Zero.
    pub reserved: u32,
    /// Prepares for a window, whose scope this is. Set-up. Required.
    pub window_open: Option<
        unsafe extern "C" fn(
            instance: *mut Instance,
            window: &Scope,
            state: &mut *mut c_void,
        ) -> Status,
    >,
    /// Frees that. Set-up. Required.
    pub window_close: Option<unsafe extern "C" fn(instance: *mut Instance, state: *mut c_void)>,
    /// An epoch of a kind begins: one of the decisions, of which `CAIRN_ISSUE_HOLD` leaves everything to the first
    /// operation. Hot. Required.
    pub epoch_open: Option<
        unsafe extern "C" fn(instance: *mut Instance, state: *mut c_void, epoch: u32) -> u32,
    >,
    /// What to do with an operation: one of the decisions. Hot. Required.
    pub operation: Option<
        unsafe extern "C" fn(
            instance: *mut Instance,
            state: *mut c_void,
            operation: &IssueOperation,
        ) -> u32,
    >,
    /// An epoch has ended. Hot. Default: nothing.
    pub epoch_close: Option<
        unsafe extern "C" fn(instance: *mut Instance, state: *mut c_void, history: &IssueHistory),
    >,
    /// Writes what holds for a window as text for a person and returns the length of the whole text.
    /// Any thread. Default: an empty text.
    pub describe: Option<
        unsafe extern "C" fn(
            instance: *mut Instance,
            state: *mut c_void,
            text: *mut c_char,
            capacity: usize,
        ) -> usize,
    >,
}

/// A decision in Rust.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub enum Decision {
    /// [`ISSUE_HOLD`].
    Hold = ISSUE_HOLD,
    /// [`ISSUE_BEGIN`].
    Begin = ISSUE_BEGIN,
    /// [`ISSUE_GO_BUT_LAST`].
    GoButLast = ISSUE_GO_BUT_LAST,
    /// [`ISSUE_GO`].
    Go = ISSUE_GO,
}

impl Decision {
    /// The decision with this number; a component that answers something else wants everything out.
    pub const fn of(number: u32) -> Self {
        match number {
            ISSUE_HOLD => Self::Hold,
            ISSUE_BEGIN => Self::Begin,
            ISSUE_GO_BUT_LAST => Self::GoButLast,
            _ => Self::Go,
        }
    }
}

/// A strategy in Rust. Functions correspond to those of [`IssueOps`].
pub trait Issue: Component {
    /// What the strategy keeps for a window.
    type Window: Send + Sync + 'static;

    /// Prepares for a window.
    fn window_open(&self, window: &Scope) -> Result<Self::Window, Failure>;
    /// An epoch of a kind begins. Hot.
    fn epoch_open(&self, state: &Self::Window, epoch: u32) -> Decision;
    /// What to do with an operation. Hot.
    fn operation(&self, state: &Self::Window, operation: &IssueOperation) -> Decision;
    /// An epoch has ended. Hot.
    fn epoch_close(&self, _state: &Self::Window, _history: &IssueHistory) {}
    /// What holds for a window, for a person.
    fn describe(&self, _state: &Self::Window) -> String {
        String::new()
    }
}

contract! {
    table: IssueOps, from T: Issue,
    "issue", One, "when the operations of an epoch on a window go out";

    fn window_open(
        instance: *mut Instance, window: &Scope, state: &mut *mut c_void,
    ) -> Status = report(instance) {
        let opened = author::component::<T>(instance).window_open(window)?;
        *state = Box::into_raw(Box::new(opened)).cast();
        Ok(())
    }
    fn window_close(_instance: *mut Instance, state: *mut c_void) = no_unwind {
        drop(Box::from_raw(state.cast::<T::Window>()));
    }
    fn epoch_open(instance: *mut Instance, state: *mut c_void, epoch: u32) -> u32 = no_unwind {
        let state = &*state.cast::<T::Window>();
        author::component::<T>(instance).epoch_open(state, epoch) as u32
    }
    fn operation(
        instance: *mut Instance, state: *mut c_void, operation: &IssueOperation,
    ) -> u32 = no_unwind {
        let state = &*state.cast::<T::Window>();
        author::component::<T>(instance).operation(state, operation) as u32
    }
    fn epoch_close(
        instance: *mut Instance, state: *mut c_void, history: &IssueHistory,
    ) = no_unwind {
        author::component::<T>(instance).epoch_close(&*state.cast::<T::Window>(), history)
    } default {}
    fn describe(
        instance: *mut Instance, state: *mut c_void, text: *mut c_char, capacity: usize,
    ) -> usize = describe(text, capacity) {
        author::component::<T>(instance).describe(&*state.cast::<T::Window>())
    } default { crate::text::write("", text, capacity) }
}
