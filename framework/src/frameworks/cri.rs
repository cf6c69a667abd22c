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

use super::{contract, shims};
use crate::abi::component::Instance;
use crate::abi::pool::CriPool;
use crate::abi::scope::Scope;
use crate::abi::status::{OK, Status};
use crate::abi::thread::Thread;
use crate::author::{self, Component, Failure};

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

contract! {
    CriOps: "cri", One,
        "which communication resource instance an operation uses";
    required attach;
    required detach;
    required assign;
    optional scope_open = no_scope_open;
    optional scope_close = no_scope_close;
    optional thread_exit = no_thread_exit;
    optional describe = no_description;
    optional arrival = unknown_arrival;
}

unsafe extern "C" fn no_scope_open(_: &CriPool, _: &mut Scope) -> Status {
    OK
}
unsafe extern "C" fn no_scope_close(_: &CriPool, _: &mut Scope) {}
unsafe extern "C" fn no_thread_exit(_: &CriPool, _: &Thread) {}
unsafe extern "C" fn unknown_arrival(_: &CriPool, _: &Scope, _: u32) -> u32 {
    CRI_ANYWHERE
}
unsafe extern "C" fn no_description(_: &CriPool, text: *mut c_char, capacity: usize) -> usize {
    // SAFETY: the caller vouches for `capacity` bytes at `text`.
    unsafe { crate::text::write("", text, capacity) }
}

/// The same as a Rust strategy sees it.
#[derive(Debug, Clone, Copy)]
pub struct Asker<'a> {
    /// The calling thread.
    pub thread: &'a Thread,
    /// The communicator or window, or the process.
    pub scope: &'a Scope,
    /// Rank of the peer in the job, if the operation has one.
    pub peer: Option<u32>,
    /// One of [`CRI_SEND`], [`CRI_RMA`], [`CRI_PROGRESS`].
    pub operation: u32,
}

/// A strategy in Rust. Functions correspond to those of [`CriOps`].
pub trait Cri: Component {
    /// What the strategy keeps for one pool.
    type Pool: Send + Sync + 'static;

    /// Prepares for a pool.
    fn attach(&self, pool: &CriPool) -> Result<Self::Pool, Failure>;

    /// The index of the CRI to use. Hot. An index that is not below `pool.count` is taken
    /// modulo the count.
    fn assign(state: &Self::Pool, pool: &CriPool, asker: &Asker<'_>) -> u32;

    /// A communicator or window was made.
    fn scope_open(_state: &Self::Pool, _pool: &CriPool, _scope: &mut Scope) -> Result<(), Failure> {
        Ok(())
    }

    /// A communicator or window is being freed.
    fn scope_close(_state: &Self::Pool, _pool: &CriPool, _scope: &mut Scope) {}

    /// A thread ended.
    fn thread_exit(_state: &Self::Pool, _pool: &CriPool, _thread: &Thread) {}

    /// Where messages of a scope arrive in this process, if the strategy knows. Hot.
    fn arrival(
        _state: &Self::Pool,
        _pool: &CriPool,
        _scope: &Scope,
        _peer: Option<u32>,
    ) -> Option<u32> {
        None
    }

    /// How the pool is shared out at the moment.
    fn describe(_state: &Self::Pool, _pool: &CriPool) -> String {
        String::new()
    }
}

/// The table of a strategy in Rust; the `component!` macro puts it into the descriptor.
pub const fn ops<T: Cri>() -> CriOps {
    CriOps {
        struct_size: size_of::<CriOps>() as u32,
        reserved: 0,
        attach: Some(attach::<T>),
        detach: Some(detach::<T>),
        assign: Some(assign::<T>),
        scope_open: Some(scope_open::<T>),
        scope_close: Some(scope_close::<T>),
        thread_exit: Some(thread_exit::<T>),
        describe: Some(describe::<T>),
        arrival: Some(arrival::<T>),
    }
}

/// What `attach` leaves in `strategy_state`.
struct Attached<T: Cri> {
    instance: *mut Instance,
    pool: T::Pool,
}

/// # Safety
/// `pool` was attached by `T`, and is not detached meanwhile.
unsafe fn attached<T: Cri>(pool: &CriPool) -> &Attached<T> {
    // SAFETY: `attach` stored a boxed `Attached<T>`.
    unsafe { &*pool.strategy_state.cast::<Attached<T>>() }
}

shims! { T: Cri;
    fn attach(instance: *mut Instance, pool: &mut CriPool) -> Status = report(instance) {
        let state = author::component::<T>(instance).attach(pool)?;
        pool.strategy_state = Box::into_raw(Box::new(Attached::<T> { instance, pool: state })).cast();
        Ok(())
    }
    fn detach(_instance: *mut Instance, pool: &mut CriPool) = no_unwind {
        drop(Box::from_raw(pool.strategy_state.cast::<Attached<T>>()));
        pool.strategy_state = core::ptr::null_mut();
    }
    fn assign(pool: &CriPool, asker: &CriAsker) -> u32 = no_unwind {
        let asker = Asker {
            thread: &*asker.thread,
            scope: &*asker.scope,
            peer: (asker.peer != CRI_NO_PEER).then_some(asker.peer),
            operation: asker.operation,
        };
        let index = T::assign(&attached::<T>(pool).pool, pool, &asker);
        if index < pool.count { index } else { index % pool.count }
    }
    fn scope_open(pool: &CriPool, scope: &mut Scope) -> Status = report(attached::<T>(pool).instance) {
        T::scope_open(&attached::<T>(pool).pool, pool, scope)
    }
    fn scope_close(pool: &CriPool, scope: &mut Scope) = no_unwind {
        T::scope_close(&attached::<T>(pool).pool, pool, scope)
    }
    fn thread_exit(pool: &CriPool, thread: &Thread) = no_unwind {
        T::thread_exit(&attached::<T>(pool).pool, pool, thread)
    }
    fn describe(pool: &CriPool, text: *mut c_char, capacity: usize) -> usize = no_unwind {
        author::describe(text, capacity, || T::describe(&attached::<T>(pool).pool, pool))
    }
    fn arrival(pool: &CriPool, scope: &Scope, peer: u32) -> u32 = no_unwind {
        let peer = (peer != CRI_NO_PEER).then_some(peer);
        let index = T::arrival(&attached::<T>(pool).pool, pool, scope, peer);
        index.map_or(CRI_ANYWHERE, |index| if index < pool.count { index } else { index % pool.count })
    }
}
