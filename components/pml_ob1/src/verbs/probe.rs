//! Probes: messages that are looked at, and perhaps taken out, before they are received.

use core::ffi::c_void;
use core::sync::atomic::{Ordering, fence};

use cairn_framework::abi::pool::CriSet;
use cairn_framework::abi::request::{MessageStatus, WaitSync};
use cairn_framework::audit::Counted as _;
use cairn_framework::author::{Failure, wake_sleepers};
use cairn_framework::frameworks::matching::MatchArrived;
use cairn_framework::frameworks::pml::PmlReceive;
use cairn_framework::frameworks::progress::PROGRESS_SINGLE;

use crate::core::Core;
use crate::mode::Mode;
use crate::objects::comm::CommState;
use crate::objects::message::status_of;

impl Core {
    /// Looks for a message and, with `take`, takes it out.
    ///
    /// # Safety
    /// As the contract says.
    pub unsafe fn probe<M: Mode>(
        &self,
        receive: &PmlReceive,
        blocking: bool,
        take: bool,
    ) -> Result<Option<(MessageStatus, *mut c_void)>, Failure> {
        // SAFETY: promised by the caller.
        let state = unsafe { self.comms.state(receive.comm) };
        // SAFETY: the table is complete.
        let find = unsafe { state.matching.find.unwrap_unchecked() };
        let look = || {
            let mut status = MessageStatus::default();
            let context = (&raw mut status).cast();
            // SAFETY: the engine is open, and calls `read_status` during the call.
            let kept = unsafe {
                let take = u32::from(take);
                find(state.engine, receive.source, receive.tag, take, read_status, context)
            };
            (!kept.is_null()).then(|| (status, kept.cast()))
        };
        let mut cris = CriSet::default();
        if M::THREADED && self.host.knows_arrivals() {
            self.cris_of_source(state, receive.source, &mut cris);
        }
        let mut found = look();
        let progress = |attempts| self.host.progress_for(Some(&cris), attempts);
        if found.is_none() && !blocking {
            progress(PROGRESS_SINGLE);
            found = look();
        } else if found.is_none() {
            self.host.job().poll_until(progress, || {
                found = look();
                found.is_some()
            });
        }
        if found.is_some() {
            return Ok(found);
        }
        if !blocking {
            return self.lost_source(state, receive.source).map_or(Ok(None), Err);
        }
        state.waiting.fetch_add(1, Ordering::Relaxed);
        // Pairs with the fence in `lost_sources`: that a peer has failed is seen here, or this thread
        // there.
        fence(Ordering::SeqCst);
        let found = loop {
            let expected = state.arrivals.load(Ordering::Acquire);
            if let Some(found) = look() {
                break Ok(Some(found));
            }
            if let Some(failure) = self.lost_source(state, receive.source) {
                break Err(failure);
            }
            let word = &raw const state.arrivals;
            let sync = WaitSync { expected, word, ..WaitSync::of(1) };
            // An error means that waiting is impossible here; then this thread polls.
            if self.host.wait_for(&sync, Some(&cris)).is_err() && self.host.progress() == 0 {
                std::thread::yield_now();
            }
        };
        state.waiting.fetch_sub(1, Ordering::Relaxed);
        found
    }

    /// A message was kept: tells threads that wait for one that they may probe. A thread that waits said so
    /// before it looked into the engine, and the message went in after it had looked or was found; the
    /// engine's lock orders the two, so the number of those that wait needs no order of its own.
    #[inline]
    pub fn tell_probers<M: Mode>(&self, state: &CommState) {
        if state.waiting.load(Ordering::Relaxed) != 0 {
            state.arrivals.rmw().fetch_add(1, Ordering::Release);
            if M::THREADED {
                wake_sleepers(&state.arrivals);
            }
        }
    }
}

/// Writes what a receive of a kept message would say. Called by the engine before another thread can
/// take the message out.
unsafe extern "C" fn read_status(context: *mut c_void, kept: *mut MatchArrived) {
    // SAFETY: `probe` passes the place for a status; the engine has nothing but kept messages.
    unsafe { context.cast::<MessageStatus>().write(status_of(kept.cast())) };
}
