//! **cri** — which communication resource instance (CRI) an operation uses. The rules of the contract
//! and what C sees of it are in [`abi::cri`](crate::abi::cri).

use core::ffi::c_char;

use super::contract;
use crate::abi::component::Instance;
pub use crate::abi::cri::*;
use crate::abi::pool::CriPool;
use crate::abi::scope::Scope;
use crate::abi::status::{OK, Status};
use crate::abi::thread::Thread;
use crate::author::{self, Component, Failure};

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

contract! {
    table: CriOps, from T: Cri,
    "cri", One, "which communication resource instance an operation uses";

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
    fn scope_open(
        pool: &CriPool, scope: &mut Scope,
    ) -> Status = report(attached::<T>(pool).instance) {
        T::scope_open(&attached::<T>(pool).pool, pool, scope)
    } default { OK }
    fn scope_close(pool: &CriPool, scope: &mut Scope) = no_unwind {
        T::scope_close(&attached::<T>(pool).pool, pool, scope)
    } default {}
    fn thread_exit(pool: &CriPool, thread: &Thread) = no_unwind {
        T::thread_exit(&attached::<T>(pool).pool, pool, thread)
    } default {}
    fn describe(
        pool: &CriPool, text: *mut c_char, capacity: usize,
    ) -> usize = describe(text, capacity) {
        T::describe(&attached::<T>(pool).pool, pool)
    } default { crate::text::write("", text, capacity) }
    fn arrival(pool: &CriPool, scope: &Scope, peer: u32) -> u32 = no_unwind {
        let peer = (peer != CRI_NO_PEER).then_some(peer);
        let index = T::arrival(&attached::<T>(pool).pool, pool, scope, peer);
        index.map_or(CRI_ANYWHERE, |index| if index < pool.count { index } else { index % pool.count })
    } default { CRI_ANYWHERE }
}
