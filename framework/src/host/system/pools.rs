//! Pools of communication resource instances, and the strategy that assigns them.

use super::System;
use super::slot::{Chosen, Slot};
use crate::abi::bias::Bias;
use crate::abi::counter::{COUNTER_SUM, CounterCell};
use crate::abi::job::THREAD_MULTIPLE;
use crate::abi::pool::{CACHE_LINE_PAIR, Cri, CriPool};
use crate::abi::scope::{SCOPE_PROCESS, Scope};
use crate::frameworks::cri::{CRI_ANYWHERE, CRI_NO_PEER, CriOps};
use crate::host::problem::Problem;
use crate::host::services::counters::{CounterInfo, NewCell};
use crate::host::services::progress::Misses;
use crate::host::services::{table, threads};
use std::sync::atomic::Ordering;

/// Whose counters are those of a pool's instances.
fn address(pool: &CriPool) -> usize {
    (&raw const *pool).addr()
}

#[derive(Clone, Copy, PartialEq)]
pub(super) struct PoolPointer(pub(super) *mut CriPool);

// SAFETY: the owner of a pool vouches that any thread may use it until it is removed.
unsafe impl Send for PoolPointer {}

impl System {
    /// Attaches the process's strategy to a pool and lets progress poll it.
    ///
    /// # Safety
    /// The pool is as large as it says, with instances where it says, and stays where it is until
    /// it is removed.
    pub(crate) unsafe fn pool_add(
        &'static self,
        owner: usize,
        pool: *mut CriPool,
    ) -> Result<(), Problem> {
        // SAFETY: promised by the caller.
        unsafe { check(pool) }.map_err(Problem::new)?;
        let _lifecycle = self.lifecycle.lock();
        let id = {
            let mut next = self.next_pool.lock();
            *next += 1;
            *next - 1
        };
        let strategy = loop {
            let strategy = match self.serving("cri", None, 0) {
                Some(slot) => Chosen::new((slot, 0)),
                None => self.select_one::<CriOps>(&Scope::new(SCOPE_PROCESS, 0, 1, c"process"))?,
            };
            // SAFETY: an instance of this system.
            let slot = unsafe { Slot::of(strategy.instance) };
            // SAFETY: promised by the caller; the strategy's table is complete.
            let attached = slot.call("attach", || unsafe {
                let view = &mut *pool;
                view.strategy = strategy.ops;
                view.id = id;
                (strategy.ops.attach.unwrap_unchecked())(strategy.instance, view)
            });
            match attached {
                Ok(()) => break strategy,
                // Another one may take it, unless this one has pools already.
                Err(unfit) if self.pools.lock().is_empty() => {
                    // The transport that wants the pool may be left out; the strategy may not.
                    self.give_up(slot, &unfit.whole())
                        .inspect_err(|problem| *self.denied.lock() = Some(problem.clone()))?;
                }
                Err(unfit) => {
                    let text = format!("{} refused the pool: {}", strategy.name, unfit.reason);
                    return Err(Problem::new(text));
                }
            }
        };
        // SAFETY: promised by the caller; the strategy's table is complete.
        unsafe {
            if let Err(problem) = self.open_living_scopes(PoolPointer(pool)) {
                (strategy.ops.detach.unwrap_unchecked())(strategy.instance, &mut *pool);
                return Err(problem);
            }
        }
        self.pools.lock().push((owner, PoolPointer(pool)));
        threads::exit_add(pool.addr(), table::pool_thread_exit, pool.cast());
        let biased = self.job().lock_bias != 0;
        // SAFETY: promised by the caller. No instance is in use yet, and these fields
        // are the host\'s.
        let pool = unsafe {
            for index in 0..(*pool).count as usize {
                let cri = (*pool).instances.byte_add(index * (*pool).stride);
                (&raw mut (*cri).waits).write(CounterCell::new());
                (&raw mut (*cri).polls).write(CounterCell::new());
                (&raw mut (*cri).hits).write(CounterCell::new());
                (&raw mut (*cri).bias).write(Bias::default());
                if !biased {
                    (*cri).bias.forbid();
                }
            }
            let process = Scope::new(SCOPE_PROCESS, 0, 1, c"process");
            let arrival = strategy.ops.arrival.unwrap_unchecked();
            let known = arrival(&*pool, &process, CRI_NO_PEER) != CRI_ANYWHERE;
            (*pool).arrivals = known.into();
            &*pool
        };
        if pool.arrivals != 0 {
            self.arrivals.store(1, Ordering::Relaxed);
        }
        let misses = self.engine.add_pool((&raw const *pool).cast_mut());
        self.count_instances(pool, misses);
        Ok(())
    }

    /// Makes counters for each instance of a pool: its polls, and what one thread costs another there.
    fn count_instances(&self, pool: &CriPool, misses: &'static [Misses]) {
        // A device may be named as in `btl_tcp/eth0`.
        let owner = pool.name().split('/').next().unwrap_or("?");
        let device = pool.name().replace('/', "_");
        let threaded = self.job().thread_level == THREAD_MULTIPLE;
        for (index, missed) in (0..pool.count).zip(misses) {
            let cri = pool.cri(index);
            let waits = "Acquisitions of the lock of this instance that found it taken.";
            let misses = "Passes that left this instance out because another thread had its lock.";
            let polls = "Passes that polled this instance.";
            let hits = "Passes that polled this instance and found something.";
            let cells = [
                ("polls", "passes", polls, &raw const cri.polls),
                ("hits", "passes", hits, &raw const cri.hits),
                ("lock_waits", "acquisitions", waits, &raw const cri.waits),
                ("try_misses", "tries", misses, &raw const missed.0),
            ];
            // With one thread there are no locks.
            let cells = &cells[..if threaded { 4 } else { 2 }];
            for &(what, unit, help, cell) in cells {
                let info = CounterInfo {
                    name: format!("{device}_cri{index}_{what}"),
                    owner: owner.into(),
                    help: help.into(),
                    unit: Some(unit.into()),
                    kind: COUNTER_SUM,
                    level: 6,
                    by_comm: false,
                };
                let new = NewCell { cell, refresh: None };
                // SAFETY: `pool_remove` takes the cells out while the instances are there.
                if let Err(problem) = unsafe { self.counters.add(address(pool), info, new) } {
                    self.log.show_once(&problem, &problem);
                }
            }
        }
    }

    /// Whether this owner has added this pool.
    pub(super) fn has_pool(&self, owner: usize, pool: *const CriPool) -> bool {
        self.pools
            .lock()
            .iter()
            .any(|(other, added)| *other == owner && std::ptr::eq(added.0, pool))
    }

    /// Takes pools of an owner back: one, or all.
    pub(crate) fn pool_remove(&self, owner: usize, which: Option<*mut CriPool>) {
        let _lifecycle = self.lifecycle.lock();
        let removed: Vec<(usize, PoolPointer)> = self
            .pools
            .lock()
            .extract_if(.., |(other, pool)| {
                *other == owner && which.is_none_or(|which| which == pool.0)
            })
            .collect();
        for (_, removed) in removed {
            let PoolPointer(pool) = removed;
            self.engine.remove_pool(pool);
            self.counters.remove_all(pool.addr());
            threads::exit_remove(pool.addr(), None);
            // SAFETY: attached by `pool_add`, and the pool is not used any more.
            unsafe {
                self.close_living_scopes(removed);
                let strategy = (*pool).strategy;
                let slot = self.slots.iter().find(|slot| slot.loaded.ops == strategy.cast());
                let instance = slot.map_or(std::ptr::null_mut(), |slot| slot.instance());
                ((*strategy).detach.unwrap_unchecked())(instance, &mut *pool);
            }
        }
    }
}

/// What is wrong with a pool.
///
/// # Safety
/// As for [`System::pool_add`].
unsafe fn check(pool: *mut CriPool) -> Result<(), String> {
    // SAFETY: promised by the caller, field by field as far as the checks have come.
    unsafe {
        if pool.is_null() {
            return Err("the pool is null".into());
        }
        let size = (*pool).struct_size as usize;
        if size != size_of::<CriPool>() {
            return Err(format!(
                "a pool's struct_size is {size}: set it to sizeof(cairn_cri_pool_t)"
            ));
        }
        let pool = &*pool;
        let name = pool.name();
        let (first, stride) = (pool.instances, pool.stride);
        if pool.count == 0 {
            Err(format!("the pool {name} has no instances"))
        } else if first.is_null() {
            Err(format!("the pool {name}: instances is null"))
        } else if pool.progress.is_none() {
            Err(format!("the pool {name} has no progress function"))
        } else if !first.addr().is_multiple_of(CACHE_LINE_PAIR) {
            Err(format!(
                "the pool {name}: its instances are not aligned to {CACHE_LINE_PAIR} bytes"
            ))
        } else if stride < size_of::<Cri>() || !stride.is_multiple_of(CACHE_LINE_PAIR) {
            Err(format!(
                "the pool {name}: its stride is {stride}; allowed are multiples of {CACHE_LINE_PAIR}"
            ))
        } else if let Some(wrong) = (0..pool.count).find(|index| pool.cri(*index).index != *index) {
            let index = pool.cri(wrong).index;
            Err(format!("the pool {name}: the instance at place {wrong} has the index {index}"))
        } else {
            Ok(())
        }
    }
}
