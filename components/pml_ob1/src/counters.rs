//! Counters, in as many copies as threads may count at the same time without meeting often.

use core::sync::atomic::Ordering;

use cairn_framework::abi::counter::{COUNTER_SUM, CounterCell, CounterSpec};
use cairn_framework::author::{Failure, HostHandle};

use crate::mode::Mode;

/// Copies of the counters in a threaded process.
const COPIES: usize = 8;

macro_rules! counters {
    ($( $name:ident, $unit:literal, $help:literal; )*) => {
        /// One copy of all counters, on its own cache lines.
        #[repr(C, align(128))]
        #[derive(Default)]
        pub struct Copy {
            $( #[doc = $help] pub $name: CounterCell, )*
        }

        impl Copy {
            fn cells(&self) -> Vec<(&'static core::ffi::CStr, &'static core::ffi::CStr,
                &'static core::ffi::CStr, *const CounterCell)>
            {
                vec![$( (
                    c_str(concat!(stringify!($name), "\0")),
                    c_str(concat!($unit, "\0")),
                    c_str(concat!($help, "\0")),
                    &raw const self.$name,
                ), )*]
            }
        }
    };
}

counters! {
    matched, "messages", "Messages that found their receive posted.";
    unexpected, "messages", "Messages that came before their receive was posted.";
    out_of_sequence, "messages", "Messages that overtook an earlier one and were put in order.";
    early, "messages", "Messages that came before this process opened their communicator.";
    deferred, "messages", "Messages and answers that waited because a transport had no room.";
    violations, "messages", "Messages that were dropped because they broke the protocol.";
    bytes_eager, "bytes", "Bytes sent at once, without asking the receiver.";
    bytes_get, "bytes", "Bytes received by remote get.";
    bytes_put, "bytes", "Bytes sent by remote put.";
    bytes_fragments, "bytes", "Bytes sent in fragments, after asking the receiver.";
}

fn c_str(text: &'static str) -> &'static core::ffi::CStr {
    core::ffi::CStr::from_bytes_with_nul(text.as_bytes()).expect("one NUL, at the end")
}

/// All copies. Their address is fixed, because the host reads them.
pub struct Counters {
    host: HostHandle,
    copies: Box<[Copy]>,
}

impl Counters {
    /// Makes the counters and tells the host.
    pub fn new(host: HostHandle, threaded: bool) -> Result<Self, Failure> {
        let count = if threaded { COPIES } else { 1 };
        let counters = Self { host, copies: (0..count).map(|_| Copy::default()).collect() };
        for (name, unit, help, cell) in counters.copies.iter().flat_map(Copy::cells) {
            let spec = CounterSpec {
                struct_size: size_of::<CounterSpec>() as u32,
                kind: COUNTER_SUM,
                level: 5,
                reserved: 0,
                name: name.as_ptr(),
                help: help.as_ptr(),
                unit: unit.as_ptr(),
            };
            // SAFETY: the cells stay where they are until `drop` takes them out.
            unsafe { host.counter_add(&spec, cell)? };
        }
        Ok(counters)
    }

    /// Adds to a counter; `who` spreads the threads over the copies.
    #[inline]
    pub fn add<M: Mode>(&self, who: u32, cell: impl Fn(&Copy) -> &CounterCell, more: u64) {
        if M::THREADED {
            let copy = &self.copies[who as usize % COPIES];
            cell(copy).value.fetch_add(more, Ordering::Relaxed);
        } else {
            let cell = &cell(&self.copies[0]).value;
            cell.store(cell.load(Ordering::Relaxed).wrapping_add(more), Ordering::Relaxed);
        }
    }
}

impl Drop for Counters {
    fn drop(&mut self) {
        for (.., cell) in self.copies.iter().flat_map(Copy::cells) {
            self.host.counter_remove(cell);
        }
    }
}
