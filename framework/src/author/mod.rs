//! What a component's author in Rust uses: the [`Component`] trait, the host's functions as
//! methods, and the [`component!`] macro.
//!
//! ```text
//!   struct Mine { .. }                 the component
//!   impl Component for Mine { .. }     its life: register, open, query; drop is close
//!   impl Cri for Mine { .. }           its framework's functions
//!   component! { framework: cri, component: Mine, name: "mine", description: ".." }
//! ```
//!
//! The macro makes the descriptor of [`crate::abi::component`] and registers it: in a program that
//! holds the host (feature `host`) by a link-time list, otherwise by exporting the entry symbol of
//! a shared library. The component's source is the same in both cases.
//!
//! [`component!`]: crate::component

mod bytes;
mod copy;
pub mod counters;
mod events;
mod failure;
mod handle;
mod padded;
pub mod params;
mod register;
mod seldom;
mod wake;
pub mod walk;

use core::ffi::c_char;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::abi::component::{ABI_MAJOR, ABI_MINOR, ComponentDescriptor, Instance, MAGIC};
use crate::abi::host::LOG_ERROR;
use crate::abi::scope::Scope;
use crate::abi::status::{ERR_DECLINED, ERR_PANIC, ERR_UNSUPPORTED, OK, OutcomeCode, Status};

pub use crate::abi::lock::{Mutex, MutexGuard};
pub use bytes::BYTES;
pub use copy::{copy, copy_out, library_from, whole_lines_from};
pub use events::EventKind;
pub use failure::{Attempted, Failure, Outcome};
pub use handle::HostHandle;
pub use padded::CachePadded;
pub use register::{Instances, Param, Registrar};
pub use seldom::Seldom;
pub use wake::wake_sleepers;

/// A component's answer to the question whether it would serve a scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Yes, with this priority (0 to 100).
    Priority(i32),
    /// No, and why.
    Decline(String),
}

/// The life of a component in Rust. Its framework's trait extends this one.
///
/// Closing is dropping: `Drop` runs when the host closes the component.
pub trait Component: Sized + Send + Sync + 'static {
    /// Handles to its parameters; `()` when it has none.
    type Params: Send + Sync + 'static;

    /// Registers the parameters, which [`params!`](crate::params) declares. Must not touch devices.
    fn register(registrar: &Registrar<'_>) -> Result<Self::Params, Failure>;

    /// Makes the component ready.
    fn open(host: HostHandle, params: Self::Params) -> Result<Self, Failure>;

    /// Whether and with which priority it would serve a scope.
    fn query(&self, scope: &Scope) -> Answer;
}

/// What an instance's `state` leads to.
struct State<T: Component> {
    params: Option<T::Params>,
    component: Option<T>,
}

/// The component behind an instance.
///
/// # Safety
/// The instance belongs to `T`, was opened with success, and is not closed during `'a`.
pub(crate) unsafe fn component<'a, T: Component>(instance: *mut Instance) -> &'a T {
    // SAFETY: `register` stored a boxed state, and `open` filled the component in.
    unsafe { (*(*instance).state.cast::<State<T>>()).component.as_ref().unwrap_unchecked() }
}

/// Runs a function of a component's life or set-up, catches a panic, and turns a failure into a
/// status whose reason the host knows.
///
/// # Safety
/// `instance` is a living instance.
pub(crate) unsafe fn report(
    instance: *mut Instance,
    run: impl FnOnce() -> Result<(), Failure>,
) -> Status {
    let failure = match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(())) => return OK,
        Ok(Err(failure)) => failure,
        Err(panic) => Failure::new(ERR_PANIC, format!("panicked: {}", panic_text(&*panic))),
    };
    // SAFETY: promised by the caller.
    unsafe { fail(instance, &failure) }
}

/// Tells the host why a function fails and returns the status.
///
/// # Safety
/// `instance` is a living instance.
#[cold]
pub(crate) unsafe fn fail(instance: *mut Instance, failure: &Failure) -> Status {
    let text = crate::text::to_c(&failure.text);
    // SAFETY: the instance is valid and its host table complete.
    unsafe { ((*(*instance).host).fail)(instance, failure.status, text.as_ptr()) }
}

/// The code of an operation's outcome; a failure's reason goes to the host.
///
/// # Safety
/// `instance` is a living instance.
#[inline]
pub(crate) unsafe fn outcome(
    instance: *mut Instance,
    result: Result<Outcome, Failure>,
) -> OutcomeCode {
    match result {
        Ok(outcome) => outcome as OutcomeCode,
        // SAFETY: promised by the caller.
        Err(failure) => unsafe { fail(instance, &failure) },
    }
}

/// The status of a result; a failure's reason goes to the host.
///
/// # Safety
/// `instance` is a living instance.
#[inline]
pub(crate) unsafe fn status(instance: *mut Instance, result: Result<(), Failure>) -> Status {
    match result {
        Ok(()) => OK,
        Err(failure) if failure.status == ERR_DECLINED => ERR_DECLINED,
        // SAFETY: promised by the caller.
        Err(failure) => unsafe { fail(instance, &failure) },
    }
}

/// Stores a result's value; a failure's reason goes to the host.
///
/// # Safety
/// `instance` is a living instance.
#[inline]
pub(crate) unsafe fn store<V>(
    instance: *mut Instance,
    place: &mut V,
    result: Result<V, Failure>,
) -> Status {
    match result {
        Ok(value) => {
            *place = value;
            OK
        }
        // SAFETY: promised by the caller.
        Err(failure) => unsafe { fail(instance, &failure) },
    }
}

/// Bytes that came from C, where a length of zero may come with null.
///
/// # Safety
/// `len` bytes are there during `'a`.
pub(crate) unsafe fn bytes<'a>(data: *const core::ffi::c_void, len: usize) -> &'a [u8] {
    // SAFETY: promised by the caller.
    unsafe { slice(data.cast(), len) }
}

/// An array that came from C, where a length of zero may come with null.
///
/// # Safety
/// `len` values are there during `'a`.
pub(crate) unsafe fn slice<'a, V>(data: *const V, len: usize) -> &'a [V] {
    // SAFETY: promised by the caller.
    if len == 0 { &[] } else { unsafe { core::slice::from_raw_parts(data, len) } }
}

/// The same for one that is written.
///
/// # Safety
/// As for `slice`; nothing else uses them.
pub(crate) unsafe fn slice_mut<'a, V>(data: *mut V, len: usize) -> &'a mut [V] {
    // SAFETY: promised by the caller.
    if len == 0 { &mut [] } else { unsafe { core::slice::from_raw_parts_mut(data, len) } }
}

/// How the text of a `describe` begins that panicked.
pub const DESCRIBE_PANICKED: &str = "(panicked:";

/// Writes a description for a person. A panic in it is no reason to end the job: the description is
/// then what it said.
///
/// # Safety
/// `text` has room for `capacity` bytes.
pub(crate) unsafe fn describe(
    text: *mut c_char,
    capacity: usize,
    run: impl FnOnce() -> String,
) -> usize {
    let description = catch_unwind(AssertUnwindSafe(run))
        .unwrap_or_else(|panic| format!("{DESCRIBE_PANICKED} {})", panic_text(&*panic)));
    // SAFETY: promised by the caller.
    unsafe { crate::text::write(&description, text, capacity) }
}

/// The failure of a function that the component does not have.
pub(crate) fn unsupported(function: &str) -> Failure {
    Failure::new(ERR_UNSUPPORTED, format!("this component does not offer {function}"))
}

/// The answer of a table's function that the component does not have.
///
/// # Safety
/// `instance` is a living instance.
#[cold]
pub(crate) unsafe fn refuse(instance: *mut Instance, function: &str) -> Status {
    // SAFETY: promised by the caller.
    unsafe { fail(instance, &unsupported(function)) }
}

/// The message of a caught panic.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}

/// Runs a function of a component that has no way to report a failure. A panic in it ends the
/// process with a message that names the component's type and the function, because it must not
/// cross into the host, whose state is in the middle of something. Costs nothing otherwise.
#[inline(always)]
pub(crate) fn no_unwind<T, R, N: Fn() -> &'static str>(run: impl FnOnce() -> R, function: N) -> R {
    struct Fuse<T, N: Fn() -> &'static str> {
        function: N,
        component: core::marker::PhantomData<T>,
    }
    impl<T, N: Fn() -> &'static str> Drop for Fuse<T, N> {
        #[cold]
        fn drop(&mut self) {
            eprintln!(
                "cairn: {}::{} panicked, and the caller can't continue without its result; \
                 the process ends here",
                core::any::type_name::<T>(),
                (self.function)(),
            );
            std::process::abort();
        }
    }
    let fuse = Fuse::<T, N> { function, component: core::marker::PhantomData };
    let result = run();
    core::mem::forget(fuse);
    result
}

unsafe extern "C" fn register<T: Component>(instance: *mut Instance) -> Status {
    // SAFETY: the host calls this first, with a valid instance that is not used otherwise.
    unsafe {
        report(instance, || {
            crate::audit::attach(HostHandle::new(instance).table().audit);
            let params = T::register(&Registrar::new(HostHandle::new(instance)))?;
            let state = State::<T> { params: Some(params), component: None };
            (*instance).state = Box::into_raw(Box::new(state)).cast();
            Ok(())
        })
    }
}

unsafe extern "C" fn open<T: Component>(instance: *mut Instance) -> Status {
    // SAFETY: called once after `register` succeeded, and the state is not used otherwise meanwhile.
    unsafe {
        report(instance, || {
            let state = &mut *(*instance).state.cast::<State<T>>();
            let params = state.params.take().ok_or("opened twice")?;
            state.component = Some(T::open(HostHandle::new(instance), params)?);
            Ok(())
        })
    }
}

unsafe extern "C" fn query<T: Component>(
    instance: *mut Instance,
    scope: *const Scope,
    priority: *mut i32,
) -> Status {
    // SAFETY: called between `open` and `close`; scope and priority are valid during the call.
    unsafe {
        report(instance, || match component::<T>(instance).query(&*scope) {
            Answer::Priority(value) => {
                *priority = value;
                Ok(())
            }
            Answer::Decline(reason) => Err(Failure::unavailable(reason)),
        })
    }
}

unsafe extern "C" fn close<T: Component>(instance: *mut Instance) {
    // SAFETY: called once, last, and the component is not used any more. A panic in a destructor
    // goes to the log, because the result of closing is not asked for; the state is gone either way.
    unsafe {
        let state = (*instance).state.cast::<State<T>>();
        (*instance).state = core::ptr::null_mut();
        if state.is_null() {
            return;
        }
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| drop(Box::from_raw(state)))) {
            HostHandle::new(instance)
                .log(LOG_ERROR, || format!("panicked while closing: {}", panic_text(&*panic)));
        }
    }
}

/// The descriptor of a component in Rust. For [`component!`](crate::component).
#[doc(hidden)]
pub const fn descriptor<T: Component>(
    framework: &'static core::ffi::CStr,
    names: [&'static core::ffi::CStr; 3],
    version: [u16; 3],
    ops: *const core::ffi::c_void,
) -> ComponentDescriptor {
    let [name, description, aliases] = names;
    ComponentDescriptor {
        magic: MAGIC,
        struct_size: size_of::<ComponentDescriptor>() as u32,
        abi_major: ABI_MAJOR,
        abi_minor: ABI_MINOR,
        version_major: version[0],
        version_minor: version[1],
        version_patch: version[2],
        reserved: [0; 3],
        framework: framework.as_ptr(),
        name: name.as_ptr(),
        description: description.as_ptr(),
        register_params: Some(register::<T>),
        open: Some(open::<T>),
        query: Some(query::<T>),
        close: Some(close::<T>),
        ops,
        aliases: aliases.as_ptr().cast::<c_char>(),
    }
}

/// Reads a version number out of a package's version at compile time.
#[doc(hidden)]
pub const fn version_number(text: &str) -> u16 {
    let (bytes, mut i, mut number) = (text.as_bytes(), 0, 0);
    while i < bytes.len() {
        assert!(bytes[i].is_ascii_digit(), "a version consists of numbers");
        number = number * 10 + (bytes[i] - b'0') as u16;
        i += 1;
    }
    number
}

/// Joins a literal and a NUL at compile time.
#[doc(hidden)]
pub const fn c_str(bytes: &'static [u8]) -> &'static core::ffi::CStr {
    match core::ffi::CStr::from_bytes_with_nul(bytes) {
        Ok(text) => text,
        Err(_) => panic!("a NUL inside a component's text"),
    }
}

/// A C string from literals.
#[doc(hidden)]
#[macro_export]
macro_rules! __c_str {
    ($($text:expr),+) => {
        $crate::author::c_str(concat!($($text,)+ "\0").as_bytes())
    };
}
