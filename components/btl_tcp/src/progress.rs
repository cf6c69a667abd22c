//! A CRI's progress: from the events of its sockets to its links.

use std::mem::MaybeUninit;
use std::time::Instant;

use cairn_transport::life::look_interval;
use rustix::event::Timespec;
use rustix::event::epoll::{self, Event, EventFlags};

use crate::acceptor::Acceptor;
use crate::context::TcpCri;
use crate::endpoint::TcpEndpoint;
use crate::event::{Arrival, LinkId, Note, Token};
use crate::link::Link;
use crate::module::{At, TcpDevice};

/// Links with a full socket that are tried in a pass.
const FULL: usize = 4;
/// Events taken from the kernel at a time.
const EVENTS: usize = 64;

/// A pass over a CRI.
#[derive(Clone, Copy)]
pub struct Pass<'a> {
    pub module: &'a TcpDevice,
    pub context: &'a TcpCri,
}

impl<'a> Pass<'a> {
    /// Makes ready for sleeping until the epoll descriptor is readable. False when there is
    /// something to do.
    pub fn arm(self) -> bool {
        self.context.look_often();
        let idle = self.context.again.borrow().is_empty()
            && self.context.broken.borrow().is_empty()
            && self.context.finished.borrow().is_empty();
        self.deadline().is_none_or(|deadline| self.context.wake_at(deadline)) && idle
    }

    /// The timer has expired: looks whether the peers are there, if it is time for that. By the timer
    /// and not by the clock, so that a pass costs nothing, and a sleeper is woken.
    fn timer_expired(self) {
        let mut value = [0; 8];
        let _ = rustix::io::read(&self.context.timer, &mut value);
        self.context.alarm.set(None);
        let now = Instant::now();
        if self.context.watch.get().is_some_and(|time| now >= time) {
            let mut watched = false;
            for endpoint in self.module.all_endpoints().filter(|endpoint| endpoint.is_used()) {
                let own = |link: &&Link| self.module.cri_of(link.id.index) == self.context.index();
                for link in endpoint.links.iter().filter(own) {
                    let at = self.to(endpoint);
                    watched |= link.check_alive(at, now);
                }
            }
            self.context
                .watch
                .set(watched.then(|| now + look_interval(self.module.config.peer_timeout)));
        }
        if let Some(deadline) = self.deadline() {
            self.context.wake_at(deadline);
        }
    }

    /// When something is to be done even if nothing happens.
    fn deadline(self) -> Option<Instant> {
        let acceptor = self.context.acceptor.borrow();
        let acceptor = acceptor.as_ref().and_then(Acceptor::deadline);
        let dialing = self.context.dialing.borrow();
        let dials = dialing.iter().filter_map(|id| {
            let endpoint = self.module.endpoint(id.rank)?;
            endpoint.link(id.index)?.dial_deadline(&self.module.config)
        });
        dials.chain(acceptor).chain(self.context.watch.get()).min()
    }

    fn to(self, endpoint: &'a TcpEndpoint) -> At<'a> {
        At { module: self.module, context: self.context, endpoint }
    }

    /// What a link's functions need, if there is the link.
    fn at(self, id: LinkId) -> Option<(At<'a>, &'a Link)> {
        let endpoint = self.module.endpoint(id.rank)?;
        let link = endpoint.link(id.index)?;
        Some((self.to(endpoint), link))
    }

    /// A pass that is not skipped.
    #[inline(never)]
    pub fn poll_if_due(self) -> u32 {
        if self.context.is_due(self.module.config.poll_interval) { self.poll() } else { 0 }
    }

    /// Looks for events and handles them. With the CRI's lock held.
    pub fn poll(self) -> u32 {
        let mut events = [MaybeUninit::<Event>::uninit(); EVENTS];
        let none = Timespec { tv_sec: 0, tv_nsec: 0 };
        let mut count = self.leftovers();
        let ready = match epoll::wait(&self.context.shared.epoll, &mut events[..], Some(&none)) {
            Ok((ready, _)) => &*ready,
            // Interrupted by a signal.
            Err(_) => &[],
        };
        for event in ready {
            let flags = event.flags;
            count += self.dispatch(Token::decode(event.data.u64()), flags);
        }
        count += self.timers();
        count += self.endings();
        if count > 0 {
            self.context.traffic();
        }
        count
    }

    /// What an earlier pass has left.
    fn leftovers(self) -> u32 {
        let mut count = 0;
        let waiting = self.context.again.borrow().len();
        for _ in 0..waiting {
            let Some(id) = self.context.again.borrow_mut().pop_front() else { break };
            if let Some((at, link)) = self.at(id) {
                count += link.push(at) + link.receive(at, false);
            }
        }
        // The kernel tells that a socket has room when most of it is free. A pass need not
        // wait until then: a large message flows better.
        let waiting = self.context.full.borrow().len().min(FULL);
        for _ in 0..waiting {
            let Some(id) = self.context.full.borrow_mut().pop_front() else { break };
            if let Some((at, link)) = self.at(id) {
                count += link.push_again(at);
            }
        }
        count
    }

    fn dispatch(self, token: Token, flags: EventFlags) -> u32 {
        match token {
            Token::Wake => {
                let mut value = [0; 8];
                let _ = rustix::io::read(&self.context.shared.wake, &mut value);
                let notes = std::mem::take(&mut *self.context.shared.inbox.lock());
                let count = notes.len();
                for note in notes {
                    match note {
                        Note::Arrival(arrival) => self.arrive(arrival),
                        Note::Lost(id) => {
                            if let Some((at, link)) = self.at(id) {
                                link.lose(at);
                            }
                        }
                    }
                }
                count as u32
            }
            Token::Timer => {
                self.timer_expired();
                0
            }
            Token::Listener(place) => {
                self.context.acceptor.borrow_mut().as_mut().map_or(0, |acceptor| {
                    acceptor.accept(self.module, &self.context.shared.epoll, place as usize)
                })
            }
            Token::Pending(place) => {
                if let Some(acceptor) = &mut *self.context.acceptor.borrow_mut() {
                    acceptor.continue_handshake(
                        self.module,
                        &self.context.shared.epoll,
                        place as usize,
                    );
                }
                1
            }
            Token::Attempt(id, attempt) => match self.at(id) {
                Some((at, link)) => link.attempt_ready(at, attempt),
                None => 0,
            },
            Token::Link(id) => {
                let Some((at, link)) = self.at(id) else { return 0 };
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
    fn arrive(self, arrival: Arrival) {
        let id = LinkId { rank: arrival.hello.source, index: arrival.hello.link };
        if self.module.make_endpoint(id.rank, (arrival.hello.cris, arrival.hello.lanes)).is_some()
            && let Some((at, link)) = self.at(id)
        {
            link.arrive(at, arrival);
        }
    }

    fn timers(self) -> u32 {
        if let Some(acceptor) = &mut *self.context.acceptor.borrow_mut() {
            acceptor.check_deadlines(self.module, &self.context.shared.epoll);
        }
        let dialing = self.context.dialing.borrow().len();
        if dialing == 0 {
            return 0;
        }
        let now = Instant::now();
        let mut count = 0;
        for _ in 0..dialing {
            let Some(id) = self.context.dialing.borrow_mut().pop_front() else { break };
            if let Some((at, link)) = self.at(id) {
                let (is_dialing, events) = link.check_deadlines(at, now);
                count += events;
                if is_dialing {
                    self.context.dialing.borrow_mut().push_back(id);
                }
            }
        }
        count
    }

    /// Ends what is to end and calls completions.
    fn endings(self) -> u32 {
        let mut count = 0;
        loop {
            let broken = self.context.broken.borrow_mut().pop_front();
            let Some((at, link)) = broken.and_then(|id| self.at(id)) else { break };
            count += link.end(at);
        }
        loop {
            let next = self.context.finished.borrow_mut().pop_front();
            let Some((completion, status)) = next else { break };
            if self.module.is_closing() {
                continue;
            }
            count += 1;
            completion.call(status);
        }
        count
    }
}
