//! Counters as components in Rust have them.
//!
//! ```ignore
//! counters! {
//!     /// What an instance counts.
//!     struct Traffic {
//!         sent: SUM, "messages", "Messages sent.";
//!         bytes_sent: AGGREGATE, "bytes", "Bytes of messages sent.";
//!     }
//! }
//! ```
//!
//! makes a struct of cells on cache lines of its own. Where the memory of it stays, [`Counted`] adds
//! the cells to the host's counters and takes them out again: a block for each instance or thread.
//! Counting is a method of the block and costs a look at whether counters are wanted,
//! a load and a store.

use core::ffi::{CStr, c_void};
use core::ops::Deref;

use super::failure::Failure;
use super::handle::HostHandle;
use crate::abi::counter::{CounterCell, CounterRefreshFn, CounterSpec};

/// What a counter of a block is.
#[doc(hidden)]
pub struct Described {
    pub name: &'static CStr,
    pub unit: &'static CStr,
    pub help: &'static CStr,
    pub kind: u32,
}

/// A struct of cells that [`counters!`](crate::counters) made.
///
/// # Safety
/// The cells that `cells` names lie in `self`.
#[doc(hidden)]
pub unsafe trait Block: Sized + Send + Sync + 'static {
    /// One whose counts are not wanted if `on` is false.
    fn new(on: bool) -> Self;
    /// Its counters.
    fn cells(&self) -> Vec<(Described, *const CounterCell)>;
}

/// A block of cells that the host knows, in memory that stays.
pub struct Counted<B: Block> {
    host: HostHandle,
    block: Box<B>,
}

impl<B: Block> Counted<B> {
    /// A block of counters.
    pub fn new(host: HostHandle) -> Result<Self, Failure> {
        // SAFETY: there is no function.
        unsafe { Self::make(host, None) }
    }

    /// A block of counters that can be read for each communicator, with the function that brings them
    /// up to date ([`CounterSpec::refresh`]).
    ///
    /// # Safety
    /// The function may be called with its context on any thread until the block is dropped.
    pub unsafe fn by_comm(
        host: HostHandle,
        refresh: CounterRefreshFn,
        context: *mut c_void,
    ) -> Result<Self, Failure> {
        // SAFETY: promised by the caller.
        unsafe { Self::make(host, Some((refresh, context))) }
    }

    /// # Safety
    /// As for `by_comm`.
    unsafe fn make(
        host: HostHandle,
        refresh: Option<(CounterRefreshFn, *mut c_void)>,
    ) -> Result<Self, Failure> {
        let on = host.counts();
        // From here on `drop` takes out what was added.
        let counted = Self { host, block: Box::new(B::new(on)) };
        let cells = if on { counted.block.cells() } else { Vec::new() };
        for (described, cell) in cells {
            let spec = CounterSpec {
                struct_size: size_of::<CounterSpec>() as u32,
                kind: described.kind,
                level: 5,
                reserved: 0,
                name: described.name.as_ptr(),
                help: described.help.as_ptr(),
                unit: described.unit.as_ptr(),
                by_comm: refresh.is_some().into(),
                reserved_too: 0,
                refresh: refresh.map(|(refresh, _)| refresh),
                refresh_context: refresh.map_or(core::ptr::null_mut(), |(_, context)| context),
            };
            // SAFETY: the cell stays where it is until `drop` takes it out.
            unsafe { host.counter_add(&spec, cell)? };
        }
        Ok(counted)
    }
}

impl<B: Block> Deref for Counted<B> {
    type Target = B;

    #[inline(always)]
    fn deref(&self) -> &B {
        &self.block
    }
}

impl<B: Block> Drop for Counted<B> {
    fn drop(&mut self) {
        for (_, cell) in self.block.cells() {
            self.host.counter_remove(cell);
        }
    }
}

/// Declares a block of counters: a struct with a cell for each, and a method of the same name that
/// counts. See [`author::counters`](crate::author::counters).
///
/// The kinds are those of [`abi::counter`](crate::abi::counter). The methods are for blocks that one
/// thread at a time writes, such as the holder of an instance's lock; where several do, `add_shared`
/// of the cell counts. For `MAXIMUM` counting means to keep the larger number.
#[macro_export]
macro_rules! counters {
    ($(#[$doc:meta])* $vis:vis struct $block:ident {
        $( $name:ident: $kind:ident, $unit:literal, $help:literal; )+
    }) => {
        $(#[$doc])*
        #[repr(C, align(128))]
        $vis struct $block {
            /// Whether counters are wanted. Next to what is counted, so that looking costs nothing.
            on: bool,
            $( #[doc = $help] $vis $name: $crate::abi::counter::CounterCell, )+
        }

        #[allow(dead_code, reason = "a block may be counted in from one side only")]
        impl $block {
            /// Whether counters are wanted.
            #[inline(always)]
            $vis fn on(&self) -> bool {
                self.on
            }

            $(
                #[doc = $help]
                #[inline(always)]
                $vis fn $name(&self, more: u64) {
                    if self.on {
                        $crate::__count!($kind, self.$name, more);
                    }
                }
            )+
        }

        // SAFETY: the cells are fields.
        unsafe impl $crate::author::counters::Block for $block {
            fn new(on: bool) -> Self {
                Self { on, $( $name: $crate::abi::counter::CounterCell::new(), )+ }
            }

            fn cells(
                &self,
            ) -> Vec<($crate::author::counters::Described, *const $crate::abi::counter::CounterCell)>
            {
                vec![$( (
                    $crate::author::counters::Described {
                        name: $crate::__c_str!(stringify!($name)),
                        unit: $crate::__c_str!($unit),
                        help: $crate::__c_str!($help),
                        kind: $crate::__counter_kind!($kind),
                    },
                    &raw const self.$name,
                ), )+]
            }
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __count {
    (MAXIMUM, $cell:expr, $seen:expr) => {
        $cell.raise($seen)
    };
    ($kind:ident, $cell:expr, $more:expr) => {
        $cell.add($more)
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __counter_kind {
    (SUM) => {
        $crate::abi::counter::COUNTER_SUM
    };
    (LEVEL) => {
        $crate::abi::counter::COUNTER_LEVEL
    };
    (MAXIMUM) => {
        $crate::abi::counter::COUNTER_MAXIMUM
    };
    (AGGREGATE) => {
        $crate::abi::counter::COUNTER_AGGREGATE
    };
    (TIMER) => {
        $crate::abi::counter::COUNTER_TIMER
    };
    (SIZE) => {
        $crate::abi::counter::COUNTER_SIZE
    };
}
