//! **issue** — when one-sided operations go out.
//!
//! MPI lets a library send a put, get or accumulate at once or keep it until the epoch ends. *Lazy*
//! keeps them: one message may then carry the lock and the operation, and the last operation the
//! end of the epoch. *Eager* sends them: communication overlaps with computation. *Adaptive* keeps
//! the first few and the last, and sends the rest (Zhao, ch. 3); its threshold may learn from
//! the epochs before.
//!
//! **Life.** One strategy a window, chosen when the window is made. `window_open` and
//! `window_close` frame it; `epoch_open` and `epoch_close` frame each access epoch.
//!
//! **Threads and locks.** `decide` is hot. The `osc` component calls the functions of one epoch
//! under the lock of the window's target or of the epoch, so never two at once for one epoch, and
//! with different epochs in parallel.

use core::ffi::c_void;

use super::osc::Window;
use super::{contract, shims};
use crate::abi::component::Instance;
use crate::abi::status::Status;
use crate::author::{self, Component, Failure};

/// Major version of this contract.
pub const ISSUE_MAJOR: u16 = 1;
/// Minor version of this contract.
pub const ISSUE_MINOR: u16 = 0;

/// [`IssueEpoch::kind`]: between two fences.
pub const ISSUE_FENCE: u32 = 0;
/// [`IssueEpoch::kind`]: between start and complete.
pub const ISSUE_START: u32 = 1;
/// [`IssueEpoch::kind`]: between lock and unlock of one target.
pub const ISSUE_LOCK: u32 = 2;
/// [`IssueEpoch::kind`]: between lock_all and unlock_all.
pub const ISSUE_LOCK_ALL: u32 = 3;

/// Answer of `decide`: keep it.
pub const ISSUE_KEEP: u32 = 0;
/// Answer of `decide`: send everything kept so far but not this operation.
pub const ISSUE_SEND_KEPT: u32 = 1;
/// Answer of `decide`: send everything kept so far and this operation.
pub const ISSUE_SEND_ALL: u32 = 2;

/// An access epoch.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct IssueEpoch {
    /// `CAIRN_ISSUE_FENCE` and the others.
    pub kind: u32,
    /// The target's rank, or -1 for all.
    pub target: i32,
}

/// An operation that wants to go out.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct IssueOperation {
    /// Bytes it moves.
    pub bytes: u64,
    /// Operations kept so far for the same target.
    pub kept: u32,
    /// Operations of this epoch before it, kept or sent.
    pub before: u32,
    /// 1 when the target has granted access (the lock, the post), so that it could go out now.
    pub granted: u32,
    /// The target's rank.
    pub target: u32,
}

/// What an epoch was like, for strategies that learn.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct IssueHistory {
    /// Operations.
    pub operations: u64,
    /// Bytes, all together.
    pub bytes: u64,
    /// Nanoseconds from the first operation to the call that ended the epoch.
    pub open_ns: u64,
    /// Nanoseconds inside the call that ended the epoch.
    pub close_ns: u64,
}

/// A strategy's functions. `window` is what `window_open` stored.
#[repr(C)]
#[derive(Debug)]
pub struct IssueOps {
    /// Size of this struct in bytes, as the author's header has it.
    pub struct_size: u32,
    /// Zero.
    pub reserved: u32,
    /// Prepares for a window and stores the strategy's own object. Set-up. Required.
    pub window_open: Option<
        unsafe extern "C" fn(
            instance: *mut Instance,
            view: &Window,
            window: &mut *mut c_void,
        ) -> Status,
    >,
    /// Frees that object. Set-up. Required.
    pub window_close: Option<unsafe extern "C" fn(window: *mut c_void)>,
    /// What to do with an operation: `CAIRN_ISSUE_KEEP` and the others. Hot. Required.
    pub decide: Option<
        unsafe extern "C" fn(
            window: *mut c_void,
            epoch: &IssueEpoch,
            operation: &IssueOperation,
        ) -> u32,
    >,
    /// An epoch ended. Default: nothing.
    pub epoch_close: Option<
        unsafe extern "C" fn(window: *mut c_void, epoch: &IssueEpoch, history: &IssueHistory),
    >,
}

contract! {
    IssueOps: "issue", version (ISSUE_MAJOR, ISSUE_MINOR), One,
        "when one-sided operations go out";
    required window_open;
    required window_close;
    required decide;
    optional epoch_close since 0 = nothing_to_learn;
}

unsafe extern "C" fn nothing_to_learn(_: *mut c_void, _: &IssueEpoch, _: &IssueHistory) {}

/// What to do with an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Decision {
    /// Keep it.
    Keep = ISSUE_KEEP,
    /// Send everything kept so far but not this operation.
    SendKept = ISSUE_SEND_KEPT,
    /// Send everything kept so far and this operation.
    SendAll = ISSUE_SEND_ALL,
}

/// A strategy in Rust. Functions correspond to those of [`IssueOps`].
pub trait Issue: Component {
    /// What the strategy keeps for one window.
    type Window: Send + Sync + 'static;

    /// Prepares for a window.
    fn window_open(&self, view: &Window) -> Result<Self::Window, Failure>;
    /// What to do with an operation.
    fn decide(window: &Self::Window, epoch: &IssueEpoch, operation: &IssueOperation) -> Decision;
    /// An epoch ended.
    fn epoch_close(_window: &Self::Window, _epoch: &IssueEpoch, _history: &IssueHistory) {}
}

/// The table of a strategy in Rust; the `component!` macro puts it into the descriptor.
pub const fn ops<T: Issue>() -> IssueOps {
    IssueOps {
        struct_size: size_of::<IssueOps>() as u32,
        reserved: 0,
        window_open: Some(window_open::<T>),
        window_close: Some(window_close::<T>),
        decide: Some(decide::<T>),
        epoch_close: Some(epoch_close::<T>),
    }
}

shims! { T: Issue;
    fn window_open(
        instance: *mut Instance,
        view: &Window,
        window: &mut *mut c_void,
    ) -> Status = report(instance) {
        let opened = author::component::<T>(instance).window_open(view)?;
        *window = Box::into_raw(Box::new(opened)).cast();
        Ok(())
    }
    fn window_close(window: *mut c_void) = no_unwind {
        drop(Box::from_raw(window.cast::<T::Window>()));
    }
    fn decide(
        window: *mut c_void,
        epoch: &IssueEpoch,
        operation: &IssueOperation,
    ) -> u32 = no_unwind {
        T::decide(&*window.cast::<T::Window>(), epoch, operation) as u32
    }
    fn epoch_close(
        window: *mut c_void,
        epoch: &IssueEpoch,
        history: &IssueHistory,
    ) = no_unwind {
        T::epoch_close(&*window.cast::<T::Window>(), epoch, history)
    }
}
