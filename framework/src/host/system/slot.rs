//! One component in the system: its instance and how far its life has come.

use std::cell::UnsafeCell;
use std::ffi::{CString, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, AtomicU8, Ordering};

use crate::abi::lock::Mutex;

use super::System;
use crate::abi::component::Instance;
use crate::abi::host::Host;
use crate::abi::scope::Scope;
use crate::abi::status::{ERR_PANIC, ERR_UNAVAILABLE, OK, Status};
use crate::frameworks::Table;
use crate::host::guard::guarded;
use crate::host::loader::{self, Loaded};
use crate::host::select::Verdict;
use crate::host::services::{table, threads};

/// A component in this system.
pub struct Slot {
    /// Its name and framework.
    pub loaded: Loaded,
    full_name: CString,
    instance: UnsafeCell<Instance>,
    stage: Mutex<Stage>,
    /// A [`Phase`]. Written by the thread that holds the system's life-cycle lock; the component
    /// may ask from others.
    phase: AtomicU8,
    system: OnceLock<&'static System>,
}

// SAFETY: `instance` is handed out as a pointer only; its changing field belongs to the component.
unsafe impl Sync for Slot {}
// SAFETY: see `Sync`.
unsafe impl Send for Slot {}

/// A priority that no component means: `query` has not set one.
const NO_PRIORITY: i32 = i32::MIN;

/// How far a component's life has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stage {
    /// Nothing was called yet, or it was closed.
    Idle,
    /// Its parameters are there.
    Registered,
    /// It can be asked and used.
    Open,
    /// Registering or opening failed, and why.
    Failed(String),
    /// Opening found that it is of no use on this machine or in this job, and why.
    Unavailable(String),
}

/// Which function of its life a component is in, for the functions of the host table that belong
/// into one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Phase {
    /// None of those below.
    Other,
    /// `register_params`.
    Registering,
    /// `open`.
    Opening,
}

impl std::fmt::Display for Phase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Other => "any function",
            Self::Registering => "register_params",
            Self::Opening => "open",
        })
    }
}

/// A component that serves something: its table and its instance.
#[derive(Debug)]
pub struct Chosen<T: 'static> {
    /// Framework and name.
    pub name: String,
    /// The complete table.
    pub ops: &'static T,
    /// The component's instance.
    pub instance: *mut Instance,
    /// The priority it asked for.
    pub priority: i32,
}

// SAFETY: tables are constant, and the functions take the instance from any thread.
unsafe impl<T> Send for Chosen<T> {}
// SAFETY: see `Send`.
unsafe impl<T> Sync for Chosen<T> {}

/// The component that does something for the host itself, if one was selected. Read without a lock.
/// What was set is never freed: a system sets it a few times at most.
pub(crate) struct Provider<T: 'static>(AtomicPtr<Chosen<T>>);

impl<T> Default for Provider<T> {
    fn default() -> Self {
        Self(AtomicPtr::default())
    }
}

impl<T> Provider<T> {
    /// The component.
    pub fn get(&self) -> Option<&'static Chosen<T>> {
        // SAFETY: null or leaked. Acquire pairs with the Release in `set`.
        unsafe { self.0.load(Ordering::Acquire).as_ref() }
    }

    /// Sets or takes away the component.
    pub fn set(&self, chosen: Option<Chosen<T>>) {
        let new = chosen.map_or(std::ptr::null_mut(), |chosen| Box::into_raw(Box::new(chosen)));
        self.0.store(new, Ordering::Release);
    }
}

impl Slot {
    pub(super) fn leak(loaded: Loaded) -> &'static Self {
        let full_name = crate::text::to_c(&loaded.full_name());
        let instance = Instance {
            struct_size: size_of::<Instance>() as u32,
            reserved: 0,
            host: std::ptr::null(),
            state: std::ptr::null_mut(),
            name: std::ptr::null(),
            host_private: std::ptr::null_mut(),
        };
        Box::leak(Box::new(Self {
            loaded,
            full_name,
            instance: UnsafeCell::new(instance),
            stage: Mutex::new(Stage::Idle),
            phase: AtomicU8::new(Phase::Other as u8),
            system: OnceLock::new(),
        }))
    }

    pub(super) fn attach(&'static self, system: &'static System, host: &'static Host) {
        let _ = self.system.set(system);
        // SAFETY: the instance was not handed out yet.
        unsafe {
            let instance = &mut *self.instance.get();
            instance.host = host;
            instance.name = self.full_name.as_ptr();
            instance.host_private = std::ptr::from_ref(self).cast_mut().cast();
        }
    }

    /// The slot of an instance.
    ///
    /// # Safety
    /// A host made the instance.
    pub(crate) unsafe fn of(instance: *mut Instance) -> &'static Self {
        // SAFETY: `attach` stored it.
        unsafe { &*(*instance).host_private.cast::<Self>() }
    }

    /// The system it belongs to.
    pub(crate) fn system(&self) -> &'static System {
        self.system.get().expect("attached before the component is called")
    }

    /// Framework and name.
    pub fn name(&self) -> String {
        self.loaded.full_name()
    }

    /// How far its life has come.
    pub fn stage(&self) -> Stage {
        self.stage.lock().clone()
    }

    /// Which function of its life it is in.
    pub(crate) fn phase(&self) -> Phase {
        match self.phase.load(Ordering::Relaxed) {
            1 => Phase::Registering,
            2 => Phase::Opening,
            _ => Phase::Other,
        }
    }

    /// Calls a function of its life.
    fn in_phase<R>(&self, phase: Phase, call: impl FnOnce() -> R) -> R {
        self.phase.store(phase as u8, Ordering::Relaxed);
        let result = call();
        self.phase.store(Phase::Other as u8, Ordering::Relaxed);
        result
    }

    /// Cells of counters that it has added and not taken out.
    pub fn counter_cells(&self) -> usize {
        self.system().counters.cells_of(self.instance().addr())
    }

    /// Its instance.
    pub fn instance(&self) -> *mut Instance {
        self.instance.get()
    }

    /// Its framework's table, complete.
    pub fn ops(&self) -> *const c_void {
        self.loaded.ops
    }

    /// Its framework's table, if it is of the framework of `T`.
    pub fn table<T: Table>(&self) -> Option<&'static T> {
        let same = self.loaded.contract.name == T::contract().name;
        // SAFETY: the loader made a complete table of the contract's type.
        same.then(|| unsafe { &*self.ops().cast::<T>() })
    }

    /// Opens it, if it is not, and asks it for its priority, without choosing: for tests and
    /// diagnosis. One thread at a time.
    ///
    /// # Errors
    /// The verdict on a component that declines or fails.
    pub fn probe(&self, scope: &Scope) -> Result<i32, Verdict> {
        let _lifecycle = self.system().lifecycle.lock();
        self.ask(scope)
    }

    /// What to write in a selection list to leave it out.
    pub(super) fn leave_out(&self) -> String {
        format!("{} ^{}", self.loaded.contract.name, self.loaded.name)
    }

    /// Closes it, if it is not: first everything it registered goes, then it is told.
    pub fn close(&self) {
        let mut stage = self.stage.lock();
        if !matches!(*stage, Stage::Registered | Stage::Open) {
            return;
        }
        let open = *stage == Stage::Open;
        *stage = Stage::Idle;
        drop(stage);
        let (system, owner) = (self.system(), self.instance().addr());
        if open {
            system.pool_remove(owner, None);
            system.engine.remove(owner, None);
            threads::exit_remove(owner, None);
            system.receive.remove(owner);
            system.cards.remove(&self.name());
            system.counters.remove_all(owner);
        }
        if open || self.loaded.life.register_params.is_some() {
            // SAFETY: registered or opened, and nothing of it is in use any more.
            self.watched("close", || unsafe { (self.loaded.life.close)(self.instance()) });
        }
        if open {
            system.scopes.give_back(owner);
        }
    }

    /// Registers its parameters.
    pub(super) fn register(&self) {
        let mut stage = self.stage.lock();
        if *stage != Stage::Idle {
            return;
        }
        let Some(register) = self.loaded.life.register_params else {
            *stage = Stage::Registered;
            return;
        };
        drop(stage);
        // SAFETY: first function of its life, with a complete instance.
        let called = self.call("register_params", || unsafe {
            self.in_phase(Phase::Registering, || register(self.instance()))
        });
        *self.stage.lock() = match called {
            Ok(()) => Stage::Registered,
            Err(unfit) => Stage::Failed(unfit.whole()),
        };
    }

    /// Calls a function of its life or set-up.
    ///
    /// # Errors
    /// The status that it returned, and the reason that it told in this call.
    pub(super) fn call(
        &self,
        function: &'static str,
        call: impl FnOnce() -> Status,
    ) -> Result<(), Unfit> {
        table::forget_reason();
        match self.watched(function, call) {
            OK => Ok(()),
            status => Err(Unfit { function, status, reason: table::take_reason(function, status) }),
        }
    }

    /// Calls a function of it; if the process ends there, the user learns that it was this one.
    /// Components that are linked in are not watched.
    fn watched<R>(&self, function: &'static str, call: impl FnOnce() -> R) -> R {
        let loader::Provider::File(path) = &self.loaded.provider else { return call() };
        let (prefix, name) = (self.system().log.prefix(), self.name());
        let head = format!("{prefix}: the component {name} ({}), in {function},", path.display());
        guarded(head, format!("; --mca {} leaves it out", self.leave_out()), call)
    }

    /// Closes it for good: it has failed, and why.
    pub(super) fn give_up(&self, reason: String) {
        self.close();
        *self.stage.lock() = Stage::Failed(reason);
    }

    /// Opens it, if it is not, and asks it for its priority.
    pub(super) fn ask(&self, scope: &Scope) -> Result<i32, Verdict> {
        self.register();
        match self.stage() {
            Stage::Failed(reason) => return Err(Verdict::Failed(reason)),
            Stage::Unavailable(reason) => return Err(Verdict::Unavailable(reason)),
            Stage::Open => {}
            Stage::Idle | Stage::Registered => {
                // SAFETY: registered, not open.
                let called = self.call("open", || unsafe {
                    self.in_phase(Phase::Opening, || (self.loaded.life.open)(self.instance()))
                });
                if let Err(unfit) = called {
                    *self.stage.lock() = Stage::Open;
                    self.close();
                    let (stage, verdict) = if unfit.status == ERR_UNAVAILABLE {
                        (
                            Stage::Unavailable(unfit.reason.clone()),
                            Verdict::Unavailable(unfit.reason),
                        )
                    } else {
                        (Stage::Failed(unfit.whole()), Verdict::Failed(unfit.whole()))
                    };
                    *self.stage.lock() = stage;
                    return Err(verdict);
                }
                *self.stage.lock() = Stage::Open;
            }
        }
        let mut priority = NO_PRIORITY;
        // SAFETY: open; scope and place are valid during the call.
        let called = self.call("query", || unsafe {
            (self.loaded.life.query)(self.instance(), scope, &raw mut priority)
        });
        match called {
            Ok(()) if (0..=100).contains(&priority) => Ok(priority),
            Ok(()) if priority == NO_PRIORITY => {
                Err(Verdict::Failed("query returned 0 (ok) without setting a priority".into()))
            }
            Ok(()) => Err(Verdict::Failed(format!(
                "query set the priority {priority}; allowed are 0 to 100"
            ))),
            Err(unfit) if matches!(unfit.status, ERR_PANIC | 1..) => {
                Err(Verdict::Failed(unfit.whole()))
            }
            Err(unfit) => Err(Verdict::Declined(unfit.reason)),
        }
    }
}

/// A function of a component's life or set-up failed.
pub(super) struct Unfit {
    function: &'static str,
    /// What it returned; not `OK`.
    status: Status,
    /// What it said, or that it said nothing.
    pub reason: String,
}

impl Unfit {
    /// The reason, with the function.
    pub fn whole(&self) -> String {
        let Self { function, reason, .. } = self;
        // A component that gave no reason is quoted with the function.
        if reason.starts_with(&format!("{function} returned ")) {
            reason.clone()
        } else {
            format!("{function}: {reason}")
        }
    }
}

impl<T: Table> Chosen<T> {
    pub(super) fn new((slot, priority): (&'static Slot, i32)) -> Self {
        Self {
            name: slot.name(),
            ops: slot.table().expect("chosen among the components of this framework"),
            instance: slot.instance(),
            priority,
        }
    }
}
