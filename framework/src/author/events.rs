//! Types of events as components in Rust have them.

use core::ffi::CStr;
use core::sync::atomic::Ordering;

use super::failure::Failure;
use super::handle::HostHandle;
use crate::abi::event::EventType;

/// A type of events with `N` numbers. Raising one costs a load while there is no listener.
pub struct EventKind<const N: usize> {
    host: HostHandle,
    kind: &'static EventType,
}

impl<const N: usize> EventKind<N> {
    /// Makes the type; `elements` are the names of the `N` numbers, separated by commas.
    ///
    /// # Panics
    /// If those are not `N` names.
    pub fn new(
        host: HostHandle,
        name: &CStr,
        help: &CStr,
        level: u32,
        elements: &CStr,
    ) -> Result<Self, Failure> {
        let names = elements.to_bytes().split(|byte| *byte == b',').filter(|name| !name.is_empty());
        assert_eq!(names.count(), N, "{elements:?} are the elements of {name:?}");
        Ok(Self { host, kind: host.event_add(name, help, level, elements)? })
    }

    /// It happened. `values` is called if there are listeners.
    #[inline]
    pub fn raise(&self, values: impl FnOnce() -> [i64; N]) {
        if self.kind.listeners.load(Ordering::Relaxed) != 0 {
            self.tell(&values());
        }
    }

    #[cold]
    fn tell(&self, values: &[i64; N]) {
        // SAFETY: the host made the type; there are as many values as elements.
        unsafe { (self.host.table().event_raise)(self.kind, values.as_ptr()) }
    }
}
