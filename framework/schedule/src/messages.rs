//! Messages of an operation that is done otherwise, but for some of its data.

use cairn_framework::abi::comm::Comm;
use cairn_framework::author::Failure;

use crate::data::Data;
use crate::link::{self, Channel, Link};
use crate::passing::Passing;
use crate::schedule::Step;

/// Those of one operation on one process. What can't be sent or received is said by `finish`, so that all else is.
pub struct Messages<'a> {
    passing: Passing<'a>,
    /// From whom messages are received, and their numbers among all.
    from: Vec<(u32, usize)>,
}

impl<'a> Messages<'a> {
    /// None yet.
    ///
    /// # Safety
    /// The communicator is valid until `finish`, which is called, and no other operation has the tag.
    #[inline]
    pub unsafe fn new(link: &'a Link, comm: &Comm, tag: i32) -> Self {
        let channel = Channel { comm, tag };
        Self { passing: Passing::new(link, channel, false, None), from: Vec::new() }
    }

    /// Whether a message is received from a rank.
    #[inline]
    pub fn expects(&self, from: u32) -> bool {
        self.from.iter().any(|(other, _)| *other == from)
    }

    /// Begins to receive one, which has data.
    ///
    /// # Safety
    /// The data's memory may be used until `finish`.
    pub unsafe fn receive(&mut self, from: u32, data: Data) {
        let number = self.passing.requests.len();
        // SAFETY: promised by the caller.
        match unsafe { self.passing.start(&Step::Receive { from, data }, true) } {
            Ok(()) => self.from.push((from, number)),
            Err(failure) => self.passing.note(failure),
        }
    }

    /// It does not come, or is worth nothing.
    pub fn cancel(&mut self, from: u32) {
        if let Some(&(_, number)) = self.from.iter().find(|(other, _)| *other == from) {
            self.passing.expects[number] = false;
            // SAFETY: it was started, and is given back in `finish`.
            unsafe { link::cancel(&self.passing.requests[number..=number]) };
        }
    }

    /// Begins to send data, or nothing if the operation has failed.
    ///
    /// # Safety
    /// The data's memory may be read until `finish`.
    pub unsafe fn send(&mut self, to: u32, data: Data, has_failed: bool) {
        let data = if has_failed { data.of(0) } else { data };
        // SAFETY: promised by the caller.
        if let Err(failure) = unsafe { self.passing.start(&Step::Send { to, data }, false) } {
            self.passing.note(failure);
        }
    }

    /// Waits for all.
    ///
    /// # Errors
    /// The first failure of one of them, also that nothing came where data were expected; if there is none,
    /// data that had no room.
    #[inline]
    pub fn finish(self) -> Result<(), Failure> {
        if self.passing.is_untouched() { Ok(()) } else { self.wait() }
    }

    fn wait(mut self) -> Result<(), Failure> {
        // SAFETY: promised to `new`, `receive` and `send`.
        unsafe { self.passing.wait() };
        self.passing.result()
    }
}
