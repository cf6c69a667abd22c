//! Fences: what is known of the last one, and the collective operations that they are made of.

use cairn_framework::abi::request::Request;
use cairn_framework::abi::status::{OK, Status};
use cairn_framework::author::Failure;

use crate::window::Shared;

/// Fences.
#[derive(Default)]
pub struct Fence {
    /// The last one has opened an epoch.
    pub open: bool,
    /// All processes let operations go out before the next fence.
    pub all_early: bool,
    /// All processes have come to the last fence, and what came before it is done.
    pub passed: bool,
    /// An operation has gone out.
    pub went: bool,
    pub sum: Option<Collective>,
    pub barrier: Option<Collective>,
    /// Origins that have sent their last operation.
    pub arrived: u64,
}

/// A collective operation of all processes: the sum that says how many origins have operations for each
/// process, or a barrier, which has no numbers.
pub struct Collective {
    numbers: Box<[u64]>,
    result: *mut [u64; 2],
    request: *mut Request,
    /// It has ended, and the waiters know.
    noticed: bool,
}

impl Collective {
    /// Starts the sum of the numbers, or a barrier where there are none.
    pub fn start(shared: &Shared, numbers: Box<[u64]>) -> Result<Self, Failure> {
        let result = Box::into_raw(Box::new([0; 2]));
        let mut request = core::ptr::null_mut();
        let window = shared.window();
        // SAFETY: numbers and sums stay until the request is complete.
        let status = unsafe {
            match numbers.is_empty() {
                true => (window.calls().barrier)(window, &raw mut request),
                false => {
                    let start = window.calls().reduce_scatter;
                    start(window, numbers.as_ptr(), result.cast(), 2, &mut request)
                }
            }
        };
        match shared.host.check(status) {
            Ok(()) => Ok(Self { numbers, result, request, noticed: false }),
            Err(failure) => {
                // SAFETY: nothing was started.
                drop(unsafe { Box::from_raw(result) });
                Err(failure)
            }
        }
    }

    /// Whether it has ended and the waiters are to learn that, which is so once.
    pub fn is_news(&mut self) -> bool {
        let news = !self.noticed && self.ended().is_some();
        self.noticed |= news;
        news
    }

    /// The sums, when all processes have added theirs: origins that come, and processes whose operations went
    /// out before.
    pub fn ended(&self) -> Option<Result<[u64; 2], Status>> {
        // SAFETY: a request that was not given back; the sums are written before it is complete.
        unsafe {
            if !(*self.request).is_complete() {
                return None;
            }
            let error = (*self.request).status.error;
            Some(if error == OK { Ok(*self.result) } else { Err(error) })
        }
    }
}

impl Drop for Collective {
    fn drop(&mut self) {
        // SAFETY: the request is given back once, complete: `ended` said so, or the window has been lost, and
        // then its memory is left to it.
        unsafe {
            let complete = (*self.request).is_complete();
            if let Some(free) = (*self.request).free {
                free(self.request);
            }
            if complete {
                drop(Box::from_raw(self.result));
            } else {
                core::mem::forget(core::mem::take(&mut self.numbers));
            }
        }
    }
}
