//! Events: what happened, told to tools at once.
//!
//! Components raise events with locks held, so they wait in a queue (`cairn_framework::host`) until
//! the thread is out of the components. There, with no lock held, callbacks may do anything if
//! one thread at a time calls MPI, and must stand several threads otherwise; they never run at the
//! same time.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, Ordering};

use cairn_framework::abi::job::THREAD_MULTIPLE;
use cairn_framework::audit::LockLevel;
use cairn_framework::author::Mutex;
use cairn_framework::host::{Delivery, Event, EventInfo, now};

use crate::abi::generated::constants::*;
use crate::abi::generated::types::{
    Count, TCbSafety, TEventCbFunction, TEventDroppedCbFunction, TEventFreeCbFunction,
    TEventInstance, TEventRegistration,
};
use crate::error::{Error, Result};
use crate::objects::arena::{Object, class};
use crate::runtime;

/// The levels of safety, the least first.
const LEVELS: [TCbSafety; 4] = [
    MPI_T_CB_REQUIRE_NONE,
    MPI_T_CB_REQUIRE_MPI_RESTRICTED,
    MPI_T_CB_REQUIRE_THREAD_SAFE,
    MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE,
];

/// The place of a level among [`LEVELS`].
pub fn level(safety: TCbSafety) -> Result<usize> {
    LEVELS.iter().position(|level| *level == safety).ok_or_else(|| {
        Error::argument(
            MPI_T_ERR_INVALID,
            "cb_safety",
            safety,
            "it must be one of MPI_T_CB_REQUIRE_*",
        )
    })
}

/// A callback with what the tool wants to find there.
#[derive(Clone, Copy)]
struct Callback {
    function: TEventCbFunction,
    user_data: *mut c_void,
}

/// What a registration handle leads to. Dropped when the handle was freed and no callback runs.
pub struct RegistrationBody {
    kind: usize,
    inner: Mutex<Inner>,
    /// Whether the events are asked for: from the first callback on.
    listening: AtomicBool,
}

#[derive(Default)]
struct Inner {
    /// By level of safety.
    callbacks: [Option<Callback>; LEVELS.len()],
    dropped: Option<TEventDroppedCbFunction>,
    /// What to call when it is gone, with its handle.
    free: Option<(TEventFreeCbFunction, *mut c_void, TEventRegistration)>,
    /// Events from before are none of its.
    since: i64,
}

// SAFETY: pointers of the tool are handed back to it and not used.
unsafe impl Send for Inner {}

class!(RegistrationBody, b"treg");

impl Drop for RegistrationBody {
    fn drop(&mut self) {
        if let Some((function, user_data, handle)) = self.inner.get_mut().free.take() {
            // SAFETY: the tool's function, with what it wants.
            unsafe { function(handle, context(), user_data) };
        }
    }
}

/// An event during a callback.
pub struct InstanceBody {
    event: Event,
    elements: usize,
}

class!(InstanceBody, b"tins");

type Registration = &'static Object<RegistrationBody>;

static REGISTRATIONS: Mutex<Vec<Registration>> = Mutex::at(LockLevel::HANDLES, Vec::new());

/// What is known of a type of events.
pub fn info(number: c_int) -> Result<EventInfo> {
    let info = usize::try_from(number).ok().and_then(|number| runtime::system().event_info(number));
    info.ok_or_else(|| {
        Error::argument(MPI_T_ERR_INVALID_INDEX, "event_index", number, "there is no such event")
    })
}

/// A handle for events of a type.
pub fn alloc(number: c_int) -> Result<TEventRegistration> {
    info(number)?;
    let registration = Object::make(RegistrationBody {
        kind: number as usize,
        inner: Mutex::at(LockLevel::LIST, Inner::default()),
        listening: AtomicBool::new(false),
    });
    REGISTRATIONS.lock().push(registration);
    Ok(TEventRegistration::of(registration.address()))
}

/// The registration of an argument.
pub fn find(handle: TEventRegistration) -> Result<Registration> {
    let found = (!handle.is_predefined()).then(|| {
        // SAFETY: a handle that is no constant is the address of an object.
        unsafe { Object::at(handle.object()) }
    });
    let none = || Error::new(MPI_T_ERR_INVALID_HANDLE, "event_registration is no registration");
    found.flatten().ok_or_else(none)
}

/// Sets the callback of a level of safety, or takes it away.
pub fn set_callback(
    handle: TEventRegistration,
    safety: TCbSafety,
    function: Option<TEventCbFunction>,
    user_data: *mut c_void,
) -> Result<()> {
    let registration = find(handle)?;
    let level = level(safety)?;
    let mut inner = registration.inner.lock();
    inner.callbacks[level] = function.map(|function| Callback { function, user_data });
    let wanted = inner.callbacks.iter().any(Option::is_some);
    if registration.listening.swap(wanted, Ordering::Relaxed) != wanted {
        inner.since = now();
        let system = runtime::system();
        if wanted {
            // Nothing is delivered before anything listens, so this is early enough.
            system.set_event_listener(deliver);
            system.event_listen(registration.kind);
        } else {
            system.event_unlisten(registration.kind);
        }
    }
    Ok(())
}

/// Sets what is called when events were lost, or takes it away.
pub fn set_dropped(
    handle: TEventRegistration,
    function: Option<TEventDroppedCbFunction>,
) -> Result<()> {
    find(handle)?.inner.lock().dropped = function;
    Ok(())
}

/// Frees a handle; the function is called when no callback of it runs any more.
pub fn free(
    handle: TEventRegistration,
    function: Option<TEventFreeCbFunction>,
    user_data: *mut c_void,
) -> Result<()> {
    let registration = find(handle)?;
    REGISTRATIONS.lock().retain(|other| !std::ptr::eq(*other, registration));
    registration.inner.lock().free = function.map(|function| (function, user_data, handle));
    end(registration);
    Ok(())
}

fn end(registration: Registration) {
    if registration.listening.swap(false, Ordering::Relaxed) {
        runtime::system().event_unlisten(registration.kind);
    }
    registration.close();
}

/// Frees all handles.
pub fn free_all() {
    let all = std::mem::take(&mut *REGISTRATIONS.lock());
    all.into_iter().for_each(end);
}

/// What callbacks have to stand.
fn context() -> TCbSafety {
    match runtime::system().job().thread_level {
        THREAD_MULTIPLE => MPI_T_CB_REQUIRE_THREAD_SAFE,
        _ => MPI_T_CB_REQUIRE_NONE,
    }
}

/// Hands events to the registrations: the listener of the component system.
pub fn deliver(delivery: Delivery) {
    for (kind, count) in delivery.dropped {
        each(kind, |registration| registration.tell_dropped(count));
    }
    for event in delivery.events {
        each(event.kind, |registration| registration.tell(&event));
    }
}

/// Calls a function for every registration of a type. Callbacks may free registrations and make new
/// ones.
fn each(kind: usize, call: impl Fn(Registration)) {
    let registrations: Vec<Registration> = {
        let all = REGISTRATIONS.lock();
        all.iter().copied().filter(|it| it.kind == kind).inspect(|it| it.retain()).collect()
    };
    for registration in registrations {
        call(registration);
        registration.release();
    }
}

impl Object<RegistrationBody> {
    fn handle(&'static self) -> TEventRegistration {
        TEventRegistration::of(self.address())
    }

    /// The least demanding callback that is safe enough.
    fn callback(&self, inner: &Inner) -> Option<Callback> {
        let least = level(context()).unwrap_or(0);
        inner.callbacks[least..].iter().find_map(|callback| *callback)
    }

    fn tell(&'static self, event: &Event) {
        let callback = {
            let inner = self.inner.lock();
            if !self.listening.load(Ordering::Relaxed) || event.time < inner.since {
                return;
            }
            self.callback(&inner)
        };
        let Some(Callback { function, user_data }) = callback else {
            return self.tell_dropped(1);
        };
        let elements = info(event.kind as c_int).map_or(0, |info| info.elements.len());
        let instance = Object::make(InstanceBody { event: *event, elements });
        let handle = TEventInstance::of(instance.address());
        // SAFETY: the tool's function, with what it wants; the instance lives during the call.
        unsafe { function(handle, self.handle(), context(), user_data) };
        instance.close();
    }

    fn tell_dropped(&'static self, count: u64) {
        let (dropped, user_data) = {
            let inner = self.inner.lock();
            let callback = self.callback(&inner);
            (inner.dropped, callback.map_or(std::ptr::null_mut(), |callback| callback.user_data))
        };
        if let Some(function) = dropped {
            // SAFETY: the tool's function, with what it wants.
            unsafe { function(count as Count, self.handle(), 0, context(), user_data) };
        }
    }
}

/// The event of an argument, which is one during its callback only.
pub fn instance(handle: TEventInstance) -> Result<&'static InstanceBody> {
    let found = (!handle.is_predefined()).then(|| {
        // SAFETY: a handle that is no constant is the address of an object.
        unsafe { Object::<InstanceBody>::at(handle.object()) }
    });
    match found.flatten() {
        Some(instance) => Ok(instance),
        None => Err(Error::new(MPI_T_ERR_INVALID_HANDLE, "event_instance is no event any more")),
    }
}

impl InstanceBody {
    /// Its numbers.
    pub fn values(&self) -> &[i64] {
        &self.event.values[..self.elements]
    }

    /// When it happened.
    pub fn time(&self) -> i64 {
        self.event.time
    }
}
