//! **cri** — which communication resource instance (CRI) an operation uses.
//!
//! A transport gives the framework a pool of CRIs ([`CriPool`]); a strategy answers, for each
//! operation, with the index of one. The classic two are *round-robin* (each operation takes the
//! next) and *dedicated* (each thread keeps its own; dissertation §5.3.3, algorithm 3); a third
//! maps communicators and windows to CRIs (virtual communication interfaces, Zambre et al. §4.2).
//!
//! **Life.** One strategy serves a process, for all pools and scopes. `attach` is called once for
//! each pool, before the pool is used, and `detach` when it is no longer used. Between the two
//! come `scope_open` and `scope_close` for each communicator and window, and `assign` at any time.
//!
//! **Scopes and slots.** `scope_open` is called once for each pool, with the same scope each time. A
//! strategy's private slot in the scope (`scope_slot_reserve`) is one, whatever the number of pools:
//! what is kept there for a pool is kept by the pool's `id`, the first call makes it, and the last
//! `scope_close` frees it. The process is a scope for which `scope_open` is not called: its slots are
//! null, and `assign` may be asked for it.
//!
//! **Threads and locks.** `assign` is hot: any thread, any number at once, no lock held. It is on
//! the path of every message, so it should take a few nanoseconds, and it must not take a lock in
//! the common case. All other functions are called by one thread at a time for each pool, with no
//! CRI's lock held, while `assign` goes on in other threads. With one CRI in the pool or in a
//! single-threaded process the host may leave `assign` out and use CRI 0.
//!
//! **Correctness does not depend on the answer**: any index below `count` is right, any number of
//! threads may share a CRI, and every CRI is polled whatever a strategy says. A strategy
//! only decides how often threads meet.

use core::ffi::c_char;

use super::component::Instance;
use super::pool::CriPool;
use super::scope::Scope;
use super::status::Status;
use super::thread::Thread;

/// [`CriAsker::operation`]: a send.
pub const CRI_SEND: u32 = 0;
/// [`CriAsker::operation`]: a one-sided operation (put, get, accumulate, flush).
pub const CRI_RMA: u32 = 1;
/// [`CriAsker::operation`]: a pass of the progress engine that asks where to begin.
pub const CRI_PROGRESS: u32 = 2;

/// [`CriAsker::peer`]: the operation concerns no peer in particular.
pub const CRI_NO_PEER: u32 = u32::MAX;

/// What [`CriOps::arrival`] returns when the strategy does not know.
pub const CRI_ANYWHERE: u32 = u32::MAX;

/// The thread and the operation that a CRI is for. Lives during the call.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct CriAsker {
    /// The calling thread. Never null.
    pub thread: *const Thread,
    /// The communicator or window, or the process. Never null.
    pub scope: *const Scope,
    /// Rank of the peer in the job, or `CAIRN_CRI_NO_PEER`.
    pub peer: u32,
    /// One of `CAIRN_CRI_SEND` and the others.
    pub operation: u32,
}

/// A strategy's functions.
#[repr(C)]
#[derive(Debug)]
pub struct CriOps {
    /// Size of this struct in bytes, as the author's header has it.
    pub struct_size: u32,
    /// Zero.
    pub reserved: u32,
    /// Prepares for a pool; what the strategy keeps for it goes into `pool->strategy_state`.
    /// A failure makes the pool's transport unusable. Required.
    pub attach: Option<unsafe extern "C" fn(instance: *mut Instance, pool: &mut CriPool) -> Status>,
    /// Frees what `attach` made. Required.
    pub detach: Option<unsafe extern "C" fn(instance: *mut Instance, pool: &mut CriPool)>,
    /// Returns the index of the CRI to use, below `pool->count`. Hot. Required.
    pub assign: Option<unsafe extern "C" fn(pool: &CriPool, asker: &CriAsker) -> u32>,
    /// A communicator or window was made, and no operation uses it yet. Called for each pool, in the
    /// same order on every process of the scope. Default: nothing.
    pub scope_open: Option<unsafe extern "C" fn(pool: &CriPool, scope: &mut Scope) -> Status>,
    /// It is being freed, and no operation uses it any more. Called for each pool. Default: nothing.
    pub scope_close: Option<unsafe extern "C" fn(pool: &CriPool, scope: &mut Scope)>,
    /// A thread ended; what was its own may go to others. Called on that thread; its index in
    /// [`Thread`] is reused afterwards. Default: nothing.
    pub thread_exit: Option<unsafe extern "C" fn(pool: &CriPool, thread: &Thread)>,
    /// Writes how the pool is shared out at the moment, as text for a person, into
    /// `text` (at most `capacity` bytes with the NUL) and returns the length of the whole text.
    /// Default: an empty text.
    pub describe:
        Option<unsafe extern "C" fn(pool: &CriPool, text: *mut c_char, capacity: usize) -> usize>,
    /// Where messages of a communicator or window arrive in this process: the index of the
    /// CRI, or `CAIRN_CRI_ANYWHERE` when the strategy does not know, because senders choose otherwise.
    /// `peer` is the sender's rank in the job, or `CAIRN_CRI_NO_PEER`. A thread that waits for such a
    /// message polls there first. A strategy that does not know it for the process, which it is asked for
    /// when a pool is added, is not asked again. Hot. Default: anywhere.
    pub arrival: Option<unsafe extern "C" fn(pool: &CriPool, scope: &Scope, peer: u32) -> u32>,
}
