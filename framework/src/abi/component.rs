//! The descriptor by which a component introduces itself, and its life.
//!
//! A shared library exports one function, `cairn_components`, that returns an array of descriptors;
//! a component that is linked in submits the same descriptor at link time. From there on both go
//! the same way:
//!
//! ```text
//!   found ── checks ──> register_params ──> open ──> query ... ──> close
//!     │                       │               │
//!     └── refused, and the reason is kept for cairn-info and the selection report
//! ```
//!
//! The host calls the functions below from one thread at a time and holds its life-cycle lock while
//! it does. They may call anything in the host table, but from the thread that they were called on:
//! a function that needs the life-cycle lock (`pool_add` is one) lets this thread pass and makes
//! another one wait, for ever if `open` or `query` waits for that thread to finish. So threads that a
//! component starts leave the host table alone until the function has returned.
//!
//! A library is never unmapped once it was opened (`RTLD_NODELETE`): threads, thread-local
//! destructors and callbacks of a component stay valid.

use core::ffi::{c_char, c_void};

use super::host::Host;
use super::scope::Scope;
use super::status::Status;

/// Major version of the plugin ABI: the descriptor, the host table and the contracts of all frameworks.
/// 0 until the first release: the host then loads components of the very same version only.
pub const ABI_MAJOR: u16 = 0;
/// Minor version of the plugin ABI. While the major version is 0, each change of a struct or a table
/// raises it.
pub const ABI_MINOR: u16 = 8;

/// First word of every descriptor ("CAIR"): what does not start with it is not a descriptor.
pub const MAGIC: u32 = 0x5249_4143;

/// The function a component library exports, a [`ComponentsFn`].
pub const ENTRY_SYMBOL: &str = "cairn_components";

/// Stores the number of descriptors in `count` and returns an array of that many pointers.
///
/// Called once, right after the library was loaded, before anything else of it. The array and
/// the descriptors stay valid and unchanged as long as the process lives.
pub type ComponentsFn = unsafe extern "C" fn(count: *mut u32) -> *const *const ComponentDescriptor;

/// A component: its name, its framework, and the functions of its life.
///
/// Names consist of lower-case letters, digits and underscores and begin with a letter. The
/// framework's name and the component's together (`btl_sm`) name its parameters, its file and its
/// log lines.
#[repr(C)]
pub struct ComponentDescriptor {
    /// [`MAGIC`].
    pub magic: u32,
    /// Size of this struct in bytes, as the author's header has it.
    pub struct_size: u32,
    /// [`ABI_MAJOR`] of the author's header.
    pub abi_major: u16,
    /// [`ABI_MINOR`] of the author's header.
    pub abi_minor: u16,
    /// The component's own version, major part.
    pub version_major: u16,
    /// The component's own version, minor part.
    pub version_minor: u16,
    /// The component's own version, patch part.
    pub version_patch: u16,
    /// Zero.
    pub reserved: [u16; 3],
    /// The framework it belongs to, such as `cri`.
    pub framework: *const c_char,
    /// Its name in that framework, such as `dedicated`.
    pub name: *const c_char,
    /// One line that tells a user what it is, without a full stop.
    pub description: *const c_char,
    /// Registers the component's parameters through `self->host->param_register`. May be null.
    ///
    /// Called first, also by tools that only list; it must not touch devices. Keep what it makes
    /// in `self->state`. A failure makes the component unusable.
    pub register_params: Option<unsafe extern "C" fn(instance: *mut Instance) -> Status>,
    /// Makes the component ready: finds devices, allocates. Required.
    ///
    /// Called at most once between a `register_params` and a `close`. [`super::status::ERR_UNAVAILABLE`]
    /// says that it can't be used here and is no fault unless the user asked for it by name.
    pub open: Option<unsafe extern "C" fn(instance: *mut Instance) -> Status>,
    /// Says with which priority the component would serve `scope`, by storing it in `priority`
    /// (0 to 100, the highest wins; ties go to the name that sorts first). Required.
    ///
    /// Called after `open`, any number of times, for the process and for each communicator,
    /// window or file where the framework chooses per scope. A status other than
    /// [`super::status::OK`] declines; the reason, which users see, goes to the host's `fail` before.
    pub query: Option<
        unsafe extern "C" fn(
            instance: *mut Instance,
            scope: *const Scope,
            priority: *mut i32,
        ) -> Status,
    >,
    /// Releases everything. Required.
    ///
    /// Called once for each `register_params` that succeeded (or, without one, for each `open`), also
    /// when `open` failed. What the component registered with the host is gone already: its progress
    /// callbacks are no longer running on any thread.
    pub close: Option<unsafe extern "C" fn(instance: *mut Instance)>,
    /// The framework's own table of functions, `const cairn_<framework>_ops_t *`, beginning with
    /// its `struct_size`. Required.
    pub ops: *const c_void,
    /// Other names under which users may know the component, separated by commas, or
    /// null. They are accepted in selection lists.
    pub aliases: *const c_char,
}

// SAFETY: a descriptor is constant data; its pointers lead to constant data and to functions.
unsafe impl Sync for ComponentDescriptor {}
// SAFETY: see `Sync`.
unsafe impl Send for ComponentDescriptor {}

/// One component in one host: what both sides pass to each other as `self`.
///
/// Allocated by the host before `register_params`, and valid as long as the process lives.
#[repr(C)]
pub struct Instance {
    /// Size of this struct in bytes, as the host has it.
    pub struct_size: u32,
    /// Zero.
    pub reserved: u32,
    /// The host's functions. Constant.
    pub host: *const Host,
    /// The component's own. The host sets it to null before `register_params` and never touches
    /// it again.
    pub state: *mut c_void,
    /// Framework and name, `cri_dedicated`. Constant.
    pub name: *const c_char,
    /// The host's own. Components leave it alone.
    pub host_private: *mut c_void,
}
