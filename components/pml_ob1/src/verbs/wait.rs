//! Waiting for requests: polls first, then the `wait` component.

use cairn_framework::abi::pool::CriSet;
use cairn_framework::abi::request::{Attach, REQUEST_SEND, Request, WaitSync};

use crate::core::Core;
use crate::mode::Mode;

impl Core {
    /// Waits for a request. From a user's call, with no lock held. Where there are threads and it is
    /// `known`, `cris` says where its events can come from.
    ///
    /// # Safety
    /// It is one of this component's and lives until it is complete.
    #[inline]
    pub unsafe fn wait<M: Mode>(
        &self,
        request: *const Request,
        known: bool,
        cris: impl FnOnce(&mut CriSet),
    ) {
        // SAFETY: promised by the caller.
        let request = unsafe { &*request };
        if request.is_complete() {
            return;
        }
        if M::THREADED && known {
            self.wait_where(request, cris);
        } else if M::THREADED {
            self.wait_by_polling(request, None);
        } else {
            self.poll(request, None);
        }
    }

    /// Apart, so that waits that need no set have no room for one.
    #[inline(never)]
    fn wait_where(&self, request: &Request, cris: impl FnOnce(&mut CriSet)) {
        let mut set = CriSet::default();
        cris(&mut set);
        self.wait_by_polling(request, Some(&set));
    }

    #[inline(never)]
    fn wait_by_polling(&self, request: &Request, cris: Option<&CriSet>) {
        self.poll(request, cris);
    }

    #[inline(always)]
    fn poll(&self, request: &Request, cris: Option<&CriSet>) {
        let pass = |attempts| self.host.progress_for(cris, attempts);
        if !self.host.job().poll_until(pass, || request.is_complete()) {
            self.wait_long(request, cris);
        }
    }

    /// Adds where the events can come from that complete a request.
    ///
    /// # Safety
    /// It is one of this component's and lives during the call.
    pub unsafe fn cris_of(&self, request: *const Request, cris: &mut CriSet) {
        // SAFETY: promised by the caller; a request of each kind is the head of one of these.
        unsafe {
            match (*request).kind {
                REQUEST_SEND => self.cris_of_send(request.cast(), cris),
                _ if self.host.knows_arrivals() => self.cris_of_receive(request.cast(), cris),
                _ => {}
            }
        }
    }

    #[cold]
    fn wait_long(&self, request: &Request, cris: Option<&CriSet>) {
        let sync = WaitSync::of(1);
        // SAFETY: it stays until the request has completed.
        if unsafe { request.attach(&sync) } != Attach::Counts {
            return;
        }
        // An error means that waiting is impossible here; then this thread polls.
        let _ = self.host.wait_for(&sync, cris);
        while !sync.is_complete() {
            if self.host.progress() == 0 {
                std::thread::yield_now();
            }
        }
    }
}
