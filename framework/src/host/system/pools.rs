//! Pools of instances, and who assigns them.

use super::System;
use super::slot::Chosen;
use crate::abi::pool::{CACHE_LINE_PAIR, CriPool};
use crate::abi::scope::{SCOPE_PROCESS, SCOPE_SLOTS, Scope};
use crate::abi::status::OK;
use crate::frameworks::cri::CriOps;
use crate::host::problem::Problem;
use crate::host::services::{table, threads};

#[derive(Clone, Copy, PartialEq)]
pub(super) struct PoolPointer(*mut CriPool);

// SAFETY: whoever adds a pool vouches that any thread may use it until it is removed.
unsafe impl Send for PoolPointer {}

impl System {
    /// A communicator or window was made: tells the strategies of all pools. Before it is used.
    ///
    /// # Errors
    /// The first strategy's that fails; those that were told are told that it closed.
    pub fn scope_opened(&self, scope: &mut Scope) -> Result<(), Problem> {
        let pools: Vec<PoolPointer> = self.pools.lock().iter().map(|(_, pool)| *pool).collect();
        for (i, PoolPointer(pool)) in pools.iter().enumerate() {
            // SAFETY: a pool that was added is valid and has a complete strategy.
            let status = unsafe {
                let pool = &**pool;
                ((*pool.strategy).scope_open.unwrap_unchecked())(pool, scope)
            };
            if status != OK {
                let reason = table::take_reason(status);
                for PoolPointer(pool) in &pools[..i] {
                    // SAFETY: as above.
                    unsafe {
                        ((*(**pool).strategy).scope_close.unwrap_unchecked())(&**pool, scope)
                    };
                }
                return Err(Problem::new(format!(
                    "the cri strategy can't take {}: {reason}",
                    super::choose::describe_scope(scope)
                )));
            }
        }
        Ok(())
    }

    /// A communicator or window is being freed: tells the strategies, and forgets who served it.
    pub fn scope_closed(&self, scope: &mut Scope) {
        let pools: Vec<PoolPointer> = self.pools.lock().iter().map(|(_, pool)| *pool).collect();
        for PoolPointer(pool) in pools {
            // SAFETY: as in `scope_opened`.
            unsafe { ((*(*pool).strategy).scope_close.unwrap_unchecked())(&*pool, scope) };
        }
        if scope.kind != SCOPE_PROCESS {
            let own = (scope.kind, scope.id);
            self.serving.lock().retain(|(_, kind, id), _| (*kind, *id) != own);
        }
    }

    /// Attaches the process's strategy to a pool and lets progress poll it.
    ///
    /// # Safety
    /// The pool is complete and stays where it is until it is removed.
    pub(crate) unsafe fn pool_add(
        &'static self,
        owner: usize,
        pool: *mut CriPool,
    ) -> Result<(), Problem> {
        let scope = Scope::new(SCOPE_PROCESS, 0, 1, c"process");
        let strategy = {
            let _lifecycle = self.lifecycle.lock();
            match self.serving("cri", None) {
                Some(slot) => Chosen::new((slot, 0)),
                None => self.select_one::<CriOps>(&scope)?,
            }
        };
        // SAFETY: promised by the caller; the strategy's table is complete.
        unsafe {
            let pool_ref = &mut *pool;
            if pool_ref.count == 0
                || pool_ref.instances.is_null()
                || !pool_ref.stride.is_multiple_of(CACHE_LINE_PAIR)
                || pool_ref.progress.is_none()
            {
                return Err(Problem::new(format!(
                    "the pool {} has no instances, no progress function or a stride that is no \
                     multiple of {}",
                    pool_ref.name(),
                    CACHE_LINE_PAIR
                )));
            }
            pool_ref.strategy = strategy.ops;
            pool_ref.id = {
                let mut next = self.next_pool.lock();
                *next += 1;
                *next - 1
            };
            let status = (strategy.ops.attach.unwrap_unchecked())(strategy.instance, pool_ref);
            if status != OK {
                let reason = table::take_reason(status);
                return Err(Problem::new(format!("{} refused the pool: {reason}", strategy.name)));
            }
        }
        self.pools.lock().push((owner, PoolPointer(pool)));
        threads::exit_add(pool.addr(), table::pool_thread_exit, pool.cast());
        self.engine.add_pool(pool);
        Ok(())
    }

    /// Takes pools of an owner back: one, or all.
    pub(crate) fn pool_remove(&self, owner: usize, which: Option<*mut CriPool>) {
        let removed: Vec<(usize, PoolPointer)> = self
            .pools
            .lock()
            .extract_if(.., |(other, pool)| {
                *other == owner && which.is_none_or(|which| which == pool.0)
            })
            .collect();
        for (_, PoolPointer(pool)) in removed {
            self.engine.remove_pool(pool);
            threads::exit_remove(pool.addr(), None);
            // SAFETY: attached by `pool_add`, and nobody uses the pool any more.
            unsafe {
                let strategy = (*pool).strategy;
                let slot = self.slots.iter().find(|slot| slot.loaded.ops == strategy.cast());
                let instance = slot.map_or(std::ptr::null_mut(), |slot| slot.instance());
                ((*strategy).detach.unwrap_unchecked())(instance, &mut *pool);
            }
        }
    }

    /// Reserves a private slot in every scope.
    pub(crate) fn reserve_scope_slot(&self) -> Option<u32> {
        let mut next = self.scope_slots.lock();
        ((*next as usize) < SCOPE_SLOTS).then(|| {
            *next += 1;
            *next - 1
        })
    }

    /// Whether there is a transport.
    pub(crate) fn has_pools(&self) -> bool {
        !self.pools.lock().is_empty()
    }
}
