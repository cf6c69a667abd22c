//! Communicators and windows as components see them: their life, and the slots that components
//! reserve in them.

use crate::abi::lock::Mutex;
use crate::audit::LockLevel;

use super::System;
use super::pools::PoolPointer;
use crate::abi::scope::{SCOPE_SLOTS, Scope};
use crate::abi::status::OK;
use crate::host::problem::Problem;
use crate::host::services::table;

/// The living scopes besides the process, and the owner of each slot in all of them.
pub(crate) struct Scopes {
    living: Mutex<Vec<ScopePointer>>,
    /// Address of the owner's instance, or 0.
    owners: Mutex<[usize; SCOPE_SLOTS]>,
}

#[derive(Clone, Copy, PartialEq)]
struct ScopePointer(*mut Scope);

// SAFETY: the opener of a scope vouches that it stays until it is closed.
unsafe impl Send for ScopePointer {}

impl Default for Scopes {
    fn default() -> Self {
        Self { living: Mutex::at(LockLevel::TABLE, Vec::new()), owners: Mutex::default() }
    }
}

impl Scopes {
    /// Reserves a slot in every scope: the lowest that is free.
    pub fn reserve(&self, owner: usize) -> Option<u32> {
        let mut owners = self.owners.lock();
        let free = owners.iter().position(|owner| *owner == 0)?;
        owners[free] = owner;
        Some(free as u32)
    }

    /// Takes an owner's slots back; what it left in them is forgotten.
    pub fn give_back(&self, owner: usize) {
        let living = self.living.lock();
        for (index, slot) in self.owners.lock().iter_mut().enumerate() {
            if *slot == owner {
                *slot = 0;
                for ScopePointer(scope) in living.iter() {
                    // SAFETY: it lives, and the only component that looks at the slot is closed.
                    unsafe { (&raw mut (**scope).slots[index]).write(std::ptr::null_mut()) };
                }
            }
        }
    }
}

impl System {
    /// A communicator or window was made: tells the strategies of all pools, those that are added
    /// later, too. Before it is used.
    ///
    /// # Errors
    /// The first strategy's that fails; those that were told are told that it closed.
    ///
    /// # Safety
    /// The scope stays where it is until [`System::scope_closed`], and there is no other reference
    /// to its slots while a function of this system runs.
    pub unsafe fn scope_opened(&self, scope: *mut Scope) -> Result<(), Problem> {
        let _lifecycle = self.lifecycle.lock();
        let pools = self.pools.lock().iter().map(|(_, pool)| *pool).collect::<Vec<_>>();
        let tell = |pool: &PoolPointer| {
            // SAFETY: promised by the caller; a pool that was added is valid.
            unsafe { pool.open_scope(scope) }
        };
        if let Err((failed, problem)) =
            pools.iter().enumerate().try_for_each(|(i, pool)| tell(pool).map_err(|why| (i, why)))
        {
            for pool in &pools[..failed] {
                // SAFETY: as above.
                unsafe { pool.close_scope(scope) };
            }
            return Err(problem);
        }
        self.scopes.living.lock().push(ScopePointer(scope));
        Ok(())
    }

    /// A communicator or window is being freed: tells the strategies, and forgets what served it.
    ///
    /// # Safety
    /// The scope is valid. [`System::scope_opened`] has taken it, or nothing happens.
    pub unsafe fn scope_closed(&self, scope: *mut Scope) {
        let _lifecycle = self.lifecycle.lock();
        let mut living = self.scopes.living.lock();
        // Most often one of the last that were opened.
        let place = living.iter().rposition(|living| *living == ScopePointer(scope));
        let opened = place.map(|place| living.swap_remove(place));
        drop(living);
        if opened.is_some() {
            let pools = self.pools.lock().iter().map(|(_, pool)| *pool).collect::<Vec<_>>();
            for pool in pools {
                // SAFETY: promised by the caller.
                unsafe { pool.close_scope(scope) };
            }
        }
        // SAFETY: promised by the caller.
        self.forget_choices(unsafe { &*scope });
    }

    /// Tells the strategy of a new pool of the scopes that live already.
    ///
    /// # Safety
    /// The pool is attached and not in use yet.
    pub(super) unsafe fn open_living_scopes(&self, pool: PoolPointer) -> Result<(), Problem> {
        let living = self.scopes.living.lock().clone();
        for (i, ScopePointer(scope)) in living.iter().enumerate() {
            // SAFETY: promised by the caller; it lives.
            unsafe {
                if let Err(problem) = pool.open_scope(*scope) {
                    living[..i].iter().for_each(|told| pool.close_scope(told.0));
                    return Err(problem);
                }
            }
        }
        Ok(())
    }

    /// Tells the strategy of a pool that ends that every scope closes.
    ///
    /// # Safety
    /// The pool is attached and not used any more.
    pub(super) unsafe fn close_living_scopes(&self, pool: PoolPointer) {
        let living = self.scopes.living.lock().clone();
        for ScopePointer(scope) in living {
            // SAFETY: promised by the caller; it lives.
            unsafe { pool.close_scope(scope) };
        }
    }
}

impl PoolPointer {
    /// # Safety
    /// The pool is attached, and the scope valid for the call.
    unsafe fn open_scope(&self, scope: *mut Scope) -> Result<(), Problem> {
        table::forget_reason();
        // SAFETY: promised by the caller; the strategy's table is complete.
        let status = unsafe {
            let pool = &*self.0;
            ((*pool.strategy).scope_open.unwrap_unchecked())(pool, &mut *scope)
        };
        if status == OK {
            return Ok(());
        }
        let reason = table::take_reason("scope_open", status);
        // SAFETY: as above.
        let scope = super::choose::describe_scope(unsafe { &*scope });
        Err(Problem::new(format!("the cri strategy can't take {scope}: {reason}")))
    }

    /// # Safety
    /// As for `open_scope`, which the scope has passed.
    unsafe fn close_scope(&self, scope: *mut Scope) {
        // SAFETY: promised by the caller; the strategy's table is complete.
        unsafe {
            let pool = &*self.0;
            ((*pool.strategy).scope_close.unwrap_unchecked())(pool, &mut *scope);
        }
    }
}
