//! A CRI's progress: from the events of its sockets to its links.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::sync::atomic::Ordering;
use std::time::Instant;

use cairn_framework::abi::pool::Cri;
use rustix::event::Timespec;
use rustix::event::epoll::{self, Event, EventFlags};

use crate::acceptor::Acceptor;
use crate::context::Context;
use crate::event::{Arrival, LinkId, Note, Token};
use crate::link::Link;
use crate::module::{At, Module};

/// Links with a full socket that are tried in a pass.
const FULL: usize = 4;
/// Events taken from the kernel at a time.
const EVENTS: usize = 64;

impl Context {
    /// Makes ready for sleeping until the epoll descriptor is readable. False when there is
    /// something to do.
    pub fn arm(&self, module: &Module) -> bool {
        self.look_often();
        let idle = self.again.borrow().is_empty()
            && self.broken.borrow().is_empty()
            && self.finished.borrow().is_empty();
        self.deadline(module).is_none_or(|deadline| self.wake_at(deadline)) && idle
    }

    /// The timer has expired: looks whether the peers are there, if it is time for that. By the timer
    /// and not by the clock, so that a pass costs nothing, and a sleeper is woken.
    fn timer_expired(&self, module: &Module) {
        let mut value = [0; 8];
        let _ = rustix::io::read(&self.timer, &mut value);
        self.alarm.set(None);
        let now = Instant::now();
        if self.watch.get().is_some_and(|time| now >= time) {
            let mut watched = false;
            for endpoint in module.all_endpoints().filter(|endpoint| endpoint.is_used()) {
                let own = endpoint.links.iter().skip(self.index as usize);
                for link in own.step_by(module.contexts.len()) {
                    let at = At { module, context: self, endpoint };
                    watched |= link.check_alive(at, now);
                }
            }
            self.watch.set(watched.then(|| now + module.config.look_interval()));
        }
        if let Some(deadline) = self.deadline(module) {
            self.wake_at(deadline);
        }
    }

    /// When something is to be done even if nothing happens.
    fn deadline(&self, module: &Module) -> Option<Instant> {
        let acceptor = self.acceptor.borrow();
        let acceptor = acceptor.as_ref().and_then(Acceptor::deadline);
        let dialing = self.dialing.borrow();
        let dials = dialing.iter().filter_map(|id| {
            let endpoint = module.endpoint(id.rank)?;
            endpoint.links[usize::from(id.index)].dial_deadline(&module.config)
        });
        dials.chain(acceptor).chain(self.watch.get()).min()
    }

    /// What a link's functions need, if there is the link.
    fn at<'a>(&'a self, module: &'a Module, id: LinkId) -> Option<(At<'a>, &'a Link)> {
        let endpoint = module.endpoint(id.rank)?;
        let link = endpoint.links.get(usize::from(id.index))?;
        Some((At { module, context: self, endpoint }, link))
    }

    /// A pass that is not skipped.
    #[inline(never)]
    fn poll_if_due(&self, module: &Module) -> u32 {
        if self.is_due(module.config.poll_interval) { self.poll(module) } else { 0 }
    }

    /// Looks for events and handles them. With the CRI's lock held.
    pub fn poll(&self, module: &Module) -> u32 {
        let mut events = [MaybeUninit::<Event>::uninit(); EVENTS];
        let none = Timespec { tv_sec: 0, tv_nsec: 0 };
        let mut count = self.leftovers(module);
        let ready = match epoll::wait(&self.epoll, &mut events[..], Some(&none)) {
            Ok((ready, _)) => &*ready,
            // Interrupted by a signal.
            Err(_) => &[],
        };
        for event in ready {
            let flags = event.flags;
            count += self.dispatch(module, Token::decode(event.data.u64()), flags);
        }
        count += self.timers(module);
        count += self.endings(module);
        if count > 0 {
            self.traffic();
        }
        count
    }

    /// What an earlier pass has left.
    fn leftovers(&self, module: &Module) -> u32 {
        let mut count = 0;
        let waiting = self.again.borrow().len();
        for _ in 0..waiting {
            let Some(id) = self.again.borrow_mut().pop_front() else { break };
            if let Some((at, link)) = self.at(module, id) {
                count += link.push(at) + link.receive(at, false);
            }
        }
        // The kernel tells that a socket has room when most of it is free. A pass need not
        // wait until then: a large message flows better.
        let waiting = self.full.borrow().len().min(FULL);
        for _ in 0..waiting {
            let Some(id) = self.full.borrow_mut().pop_front() else { break };
            if let Some((at, link)) = self.at(module, id) {
                count += link.push_again(at);
            }
        }
        count
    }

    fn dispatch(&self, module: &Module, token: Token, flags: EventFlags) -> u32 {
        match token {
            Token::Wake => {
                let mut value = [0; 8];
                let _ = rustix::io::read(&self.wake, &mut value);
                let notes = std::mem::take(&mut *self.inbox.lock());
                let count = notes.len();
                for note in notes {
                    match note {
                        Note::Arrival(arrival) => self.arrive(module, arrival),
                        Note::Lost(id) => {
                            if let Some((at, link)) = self.at(module, id) {
                                link.lose(at);
                            }
                        }
                    }
                }
                count as u32
            }
            Token::Timer => {
                self.timer_expired(module);
                0
            }
            Token::Listener(place) => self
                .acceptor
                .borrow_mut()
                .as_mut()
                .map_or(0, |acceptor| acceptor.accept(module, &self.epoll, place as usize)),
            Token::Pending(place) => {
                if let Some(acceptor) = &mut *self.acceptor.borrow_mut() {
                    acceptor.continue_handshake(module, &self.epoll, place as usize);
                }
                1
            }
            Token::Attempt(id, attempt) => match self.at(module, id) {
                Some((at, link)) => link.attempt_ready(at, attempt),
                None => 0,
            },
            Token::Link(id) => {
                let Some((at, link)) = self.at(module, id) else { return 0 };
                let mut count = 0;
                if flags.contains(EventFlags::OUT) {
                    count += link.push(at);
                }
                let over = EventFlags::RDHUP | EventFlags::HUP | EventFlags::ERR;
                if flags.intersects(over | EventFlags::IN) {
                    count += link.receive(at, flags.intersects(over));
                }
                count
            }
        }
    }

    /// A connection from a process that knows the secret.
    fn arrive(&self, module: &Module, arrival: Arrival) {
        let id = LinkId { rank: arrival.hello.source, index: arrival.hello.link };
        if module.make_endpoint(id.rank, arrival.hello.cris).is_some()
            && let Some((at, link)) = self.at(module, id)
        {
            link.arrive(at, arrival);
        }
    }

    fn timers(&self, module: &Module) -> u32 {
        if let Some(acceptor) = &mut *self.acceptor.borrow_mut() {
            acceptor.check_deadlines(module, &self.epoll);
        }
        let dialing = self.dialing.borrow().len();
        if dialing == 0 {
            return 0;
        }
        let now = Instant::now();
        let mut count = 0;
        for _ in 0..dialing {
            let Some(id) = self.dialing.borrow_mut().pop_front() else { break };
            if let Some((at, link)) = self.at(module, id) {
                let (is_dialing, events) = link.check_deadlines(at, now);
                count += events;
                if is_dialing {
                    self.dialing.borrow_mut().push_back(id);
                }
            }
        }
        count
    }

    /// Ends what is to end and calls completions.
    fn endings(&self, module: &Module) -> u32 {
        let mut count = 0;
        loop {
            let broken = self.broken.borrow_mut().pop_front();
            let Some((at, link)) = broken.and_then(|id| self.at(module, id)) else { break };
            count += link.end(at);
        }
        loop {
            let next = self.finished.borrow_mut().pop_front();
            let Some((completion, status)) = next else { break };
            if module.is_closing() {
                continue;
            }
            count += 1;
            // SAFETY: the caller keeps the completion until it is called, which is once.
            unsafe {
                if let Some(done) = (*completion).done {
                    done(completion, status);
                }
            }
        }
        count
    }
}

/// The pool's progress function.
///
/// # Safety
/// `module` is the device's state, `cri` a CRI of it; its lock is held.
pub unsafe extern "C" fn progress(module: *mut c_void, cri: *mut Cri) -> u32 {
    // SAFETY: promised by the caller.
    let (module, cri) = unsafe { (&*module.cast::<Module>(), &*cri) };
    let context = &module.contexts[cri.index as usize];
    if context.sleeps.load(Ordering::Relaxed) || context.is_skipped() {
        return 0;
    }
    context.poll_if_due(module)
}
