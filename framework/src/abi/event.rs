//! Events: something happened that a tool may want to hear of at once, with a few numbers that say
//! what (MPI 5.0, section 15.3.8).
//!
//! A component makes its types of events when it opens. Where one happens it looks at
//! [`EventType::listeners`], which costs a load, and only if there are listeners it tells the host. The
//! host keeps events in their order and hands them to tools when no lock is held, so an event may be
//! raised anywhere but in a signal handler.

use core::ffi::{c_char, c_void};
use core::sync::atomic::AtomicU32;

/// How many numbers an event can have.
pub const EVENT_ELEMENTS: usize = 8;

/// What a component says about a type of events. Strings need to live only during the call.
#[repr(C)]
pub struct EventSpec {
    /// Size of this struct in bytes, as the author's header has it.
    pub struct_size: u32,
    /// Its audience, as for parameters.
    pub level: u32,
    /// The name without the component's.
    pub name: *const c_char,
    /// What happened then, in a sentence.
    pub help: *const c_char,
    /// What the numbers of such an event are, separated by commas: `source,tag,bytes`. At most
    /// `CAIRN_EVENT_ELEMENTS`. May be null.
    pub elements: *const c_char,
}

/// A type of events. Made by the host; stays as long as the process.
#[repr(C)]
#[derive(Debug)]
pub struct EventType {
    /// Size of this struct in bytes, as the host has it.
    pub struct_size: u32,
    /// How many tools want to hear of these events. Only the host writes it.
    pub listeners: AtomicU32,
    /// The host's own.
    pub host_private: *const c_void,
}

// SAFETY: constant but for an atomic.
unsafe impl Sync for EventType {}
// SAFETY: see `Sync`.
unsafe impl Send for EventType {}
