//! Sending over a link; opening and ending it.

use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Instant;

use cairn_descriptors::Private;
use cairn_framework::abi::host::LOG_WARN;
use cairn_framework::abi::status::ERR_PEER;
use cairn_framework::author::{Attempted, Failure, Outcome};
use cairn_framework::frameworks::btl::Completion;
use cairn_transport::life::Life;

use crate::dial::Dial;
use crate::event::{LinkId, Note};
use crate::input::{self, Input};
use crate::link::{Core, Fault, Get, Link, State, Waiter, Work};
use crate::module::At;
use crate::output;
use crate::sys;
use crate::wire::{Frame, MAX_REQUESTS};

impl Link {
    /// Sends something by a function that gets the socket, if there is one already. Begins to
    /// connect if that was not begun.
    #[inline]
    pub fn send(
        &self,
        at: At<'_>,
        send: impl FnOnce(&mut Work, Option<BorrowedFd<'_>>) -> io::Result<Outcome>,
    ) -> Attempted {
        at.context.traffic();
        let core = &mut *self.core.borrow_mut();
        if core.said_goodbye {
            // A new connection comes after this one.
            return Ok(Outcome::NoResources);
        }
        if !matches!(core.state, State::Open(_)) || core.fault.is_some() {
            self.prepare(at, core)?;
        }
        let socket = match &core.state {
            State::Open(socket) => Some(socket.as_fd()),
            _ => None,
        };
        let outcome = send(&mut core.work, socket);
        if !core.full && !core.work.output.is_empty() && matches!(core.state, State::Open(_)) {
            core.full = true;
            at.context.full.borrow_mut().push_back(self.id);
        }
        outcome.map_err(|error| {
            let text = at.lost(core, &error.to_string());
            core.set_fault(at, self.id, Fault::Io(error));
            Failure::new(ERR_PEER, text)
        })
    }

    /// Whether it is open. If it was not needed yet it begins to connect; why that fails is told when it has failed.
    pub fn is_open_or_begins(&self, at: At<'_>) -> bool {
        let core = &mut *self.core.borrow_mut();
        match core.state {
            State::Open(_) => core.fault.is_none() && !core.said_goodbye,
            State::Idle if !core.said_goodbye && core.fault.is_none() => {
                let _ = self.prepare(at, core);
                false
            }
            _ => false,
        }
    }

    /// Makes an idle link connect; says why one that is over can't be used.
    #[cold]
    fn prepare(&self, at: At<'_>, core: &mut Core) -> Result<(), Failure> {
        if let Some(fault) = &core.fault {
            return Err(Failure::new(ERR_PEER, at.explain(core, fault, false)));
        }
        match &core.state {
            State::Idle if at.endpoint.is_lost() => {
                let text = at.explain(core, &Fault::Lost, false);
                Err(Failure::new(ERR_PEER, text))
            }
            State::Idle => {
                at.endpoint.mark_used();
                let dial = Dial::begin(at, self.id)?;
                let over = dial.is_over(&at.module.config).then(|| dial.exhausted(at));
                core.state = State::Dialing(Box::new(dial));
                at.context.dialing.borrow_mut().push_back(self.id);
                let Some(text) = over else { return Ok(()) };
                core.set_fault(at, self.id, Fault::Unreachable(text.clone()));
                Err(Failure::new(ERR_PEER, text))
            }
            State::Over { text, .. } => Err(Failure::new(ERR_PEER, text.clone())),
            State::Dialing(_) | State::Open(_) => Ok(()),
        }
    }

    /// Sends what the socket takes of what waits, and closes the connection if that was the last.
    pub fn push(&self, at: At<'_>) -> u32 {
        let events = self.write(at);
        if self.is_last_said(at) {
            self.drop_connection(at);
        }
        events
    }

    /// Whether everything is on its way, the goodbye included.
    fn is_last_said(&self, at: At<'_>) -> bool {
        let core = &mut *self.core.borrow_mut();
        let State::Open(socket) = &core.state else { return false };
        if !core.said_goodbye || core.fault.is_some() || !core.work.output.is_empty() {
            return false;
        }
        // The kernel does not wait for long for a peer without room when the connection is closed.
        let is_sent = sys::unsent(socket) == 0;
        if !is_sent && !core.full {
            core.full = true;
            at.context.full.borrow_mut().push_back(self.id);
        }
        is_sent
    }

    fn write(&self, at: At<'_>) -> u32 {
        let core = &mut *self.core.borrow_mut();
        let State::Open(socket) = &core.state else { return 0 };
        if core.work.output.is_empty() || core.fault.is_some() {
            return 0;
        }
        let finished = &mut *at.context.finished.borrow_mut();
        let before = finished.len();
        match core.work.output.write(socket.as_fd(), &at.module.registry, finished) {
            Ok(true) => at.context.again.borrow_mut().push_back(self.id),
            Ok(false) if !core.work.output.is_empty() && !core.full => {
                core.full = true;
                at.context.full.borrow_mut().push_back(self.id);
            }
            Ok(false) => {}
            Err(output::Failed::Io(error)) => core.set_fault(at, self.id, Fault::Io(error)),
            Err(output::Failed::Memory(violation)) => {
                core.set_fault(at, self.id, Fault::Withdrawn(violation));
            }
        }
        (finished.len() - before) as u32
    }

    /// As [`Link::push`], for one with a socket that was full.
    pub fn push_again(&self, at: At<'_>) -> u32 {
        self.core.borrow_mut().full = false;
        self.push(at)
    }

    /// Takes a connection after its handshake. The peer sends messages of at most `frame_limit`
    /// bytes.
    pub fn open(&self, at: At<'_>, socket: Private, peer: SocketAddr, frame_limit: u32) {
        at.endpoint.mark_used();
        self.input.borrow_mut().begin(frame_limit);
        {
            let core = &mut *self.core.borrow_mut();
            core.state = State::Open(socket);
            core.peer = Some(peer);
            core.life = Life::default();
        }
        at.context.watch_from(Instant::now(), &at.module.config);
        at.endpoint.link_opened();
        if at.endpoint.is_lost() {
            self.lose(at);
        }
        at.module.debug(|| format!("connected to rank {} ({peer})", at.endpoint.rank));
        self.push(at);
    }

    /// Says why the link is to end; progress will end it.
    pub fn set_fault(&self, at: At<'_>, fault: Fault) {
        self.core.borrow_mut().set_fault(at, self.id, fault);
    }

    /// Another link to the peer was lost.
    pub fn lose(&self, at: At<'_>) {
        if matches!(self.core.borrow().state, State::Open(_) | State::Dialing(_)) {
            self.set_fault(at, Fault::Lost);
        }
    }

    /// Ends a link that has a fault: what arrived before is handed on, what waits fails. If it is lost,
    /// the others to the peer end too, each under the lock of its CRI, and with the last of them
    /// the peer has failed: so nothing that arrived on any of them comes too late.
    pub fn end(&self, at: At<'_>) -> u32 {
        let mut events = 1;
        let Some(mut fault) = self.core.borrow_mut().fault.take() else { return 0 };
        if matches!(fault, Fault::Io(_) | Fault::Unheard(_) | Fault::Lost) {
            // The peer's last words may still be here.
            loop {
                let before = events;
                match self.receive_some(at) {
                    Ok(count) => events += count,
                    Err(input::Failed::Violation(violation)) => {
                        fault = Fault::Violation(violation);
                        break;
                    }
                    Err(input::Failed::Io(_)) => break,
                }
                if events == before {
                    break;
                }
            }
            if self.input.borrow().bye {
                fault = Fault::Goodbye;
            }
        }
        let inside = self.input.borrow().is_inside();
        *self.input.borrow_mut() = Input::new();
        let core = &mut *self.core.borrow_mut();
        let text = at.explain(core, &fault, inside);
        // A peer that could never be reached may live, but what was sent to it is lost.
        let first = !matches!(fault, Fault::Goodbye) && !at.endpoint.mark_lost();
        if first {
            at.module.host.log(LOG_WARN, || text.clone());
        } else {
            at.module.debug(|| text.clone());
        }
        core.close(at, State::Over { text, orderly: matches!(fault, Fault::Goodbye) });
        if first {
            for other in at.endpoint.links.iter().filter(|other| other.id != self.id) {
                at.module.shared[at.module.cri_of(other.id.index)].post(Note::Lost(other.id));
            }
        }
        if at.endpoint.is_gone() && !at.module.is_closing() {
            at.module.host.peer_failed(at.endpoint.rank);
        }
        events
    }

    /// Puts the goodbye behind what waits, if there is a connection or will be one. True when
    /// everything is sent, or never will be; then the connection is closed.
    pub fn say_goodbye(&self, at: At<'_>) -> bool {
        let unused = {
            let core = &mut *self.core.borrow_mut();
            let unused = match &core.state {
                State::Idle => return true,
                State::Over { .. } => {
                    core.state = State::Idle;
                    return true;
                }
                // A peer that finds a hello and then no connection would take this process for dead.
                State::Dialing(dial) => core.work.output.is_empty() && !dial.said_hello(),
                State::Open(_) => core.fault.is_some(),
            };
            if !unused && !core.said_goodbye {
                core.said_goodbye = true;
                core.work.output.append(Frame::Bye);
            }
            unused
        };
        if unused {
            self.drop_connection(at);
        } else {
            self.push(at);
        }
        matches!(self.core.borrow().state, State::Idle)
    }

    /// Closes the connection and forgets it. What waits fails.
    pub fn drop_connection(&self, at: At<'_>) {
        let core = &mut *self.core.borrow_mut();
        if let State::Open(socket) = &core.state {
            let _ = rustix::net::shutdown(socket, rustix::net::Shutdown::Write);
            // Bytes that were not read would make the kernel reset the connection, and the reset may
            // overtake what the peer has not read yet.
            let mut rest = [0u8; 4096];
            while rustix::io::read(socket, &mut rest).is_ok_and(|got| got > 0) {}
        }
        core.close(at, State::Idle);
        if let Ok(mut input) = self.input.try_borrow_mut() {
            *input = Input::new();
        }
    }

    /// Asks for registered memory of the peer.
    pub fn get(
        &self,
        at: At<'_>,
        (key, remote, len): (u64, u64, u32),
        address: *mut u8,
        completion: Completion,
    ) -> Attempted {
        self.send(at, |work, socket| {
            let free = work.gets.iter().position(Option::is_none);
            let place = free.unwrap_or(work.gets.len());
            if place == MAX_REQUESTS {
                return Ok(Outcome::NoResources);
            }
            work.turn = work.turn.wrapping_add(1);
            let token = u64::from(work.turn) << 32 | place as u64;
            let head = Frame::Get { token, key, address: remote, len }.head();
            let bytes = head.bytes();
            // SAFETY: the piece is a slice.
            let sent = unsafe {
                work.output.send_copied(socket, &[sys::piece(bytes.as_ptr(), bytes.len())])?
            };
            if sent == Outcome::Done {
                if place == work.gets.len() {
                    work.gets.push(None);
                }
                work.gets[place] = Some(Get { token, address, len, completion });
                return Ok(Outcome::Queued);
            }
            Ok(sent)
        })
    }

    /// Why the link can't be used any more, if so.
    pub fn usable(&self, at: At<'_>) -> Result<(), Failure> {
        let core = self.core.borrow();
        match (&core.state, &core.fault) {
            (State::Over { text, .. }, _) => Err(Failure::new(ERR_PEER, text.clone())),
            (_, Some(fault)) => Err(Failure::new(ERR_PEER, at.explain(&core, fault, false))),
            _ => Ok(()),
        }
    }

    /// Asks the peer to say when the puts so far are in its memory.
    pub fn flush(&self, at: At<'_>, waiter: Waiter) -> Attempted {
        let sent = self.send(at, |work, _| {
            work.output.append(Frame::Flush { token: work.puts });
            work.flushes.push_back((work.puts, waiter));
            Ok(Outcome::Queued)
        })?;
        self.push(at);
        Ok(sent)
    }
}

impl Core {
    /// The first fault counts.
    pub fn set_fault(&mut self, at: At<'_>, id: LinkId, fault: Fault) {
        if self.fault.is_none() && !matches!(self.state, State::Over { .. }) {
            self.fault = Some(fault);
            at.context.broken.borrow_mut().push_back(id);
            at.context.traffic();
        }
    }

    /// There is no connection any more, if there was one; what waits fails.
    fn close(&mut self, at: At<'_>, state: State) {
        if matches!(self.state, State::Open(_)) {
            at.endpoint.link_closed();
        }
        self.state = state;
        self.fault = None;
        self.said_goodbye = false;
        self.work.fail(ERR_PEER, &mut at.context.finished.borrow_mut());
    }
}

impl At<'_> {
    /// The peer's name for messages.
    fn peer(&self, core: &Core) -> String {
        match core.peer {
            Some(address) => format!("rank {} ({address})", self.endpoint.rank),
            None => format!("rank {}", self.endpoint.rank),
        }
    }

    fn lost(&self, core: &Core, why: &str) -> String {
        format!("the connection to {} broke: {why}", self.peer(core))
    }

    fn explain(&self, core: &Core, fault: &Fault, inside: bool) -> String {
        match fault {
            Fault::Goodbye => format!("{} has closed the connection", self.peer(core)),
            Fault::End if inside => {
                self.lost(core, "it ended in the middle of a message; the process died")
            }
            Fault::End => self.lost(core, "it ended without a goodbye; the process died"),
            Fault::Io(error) => {
                self.lost(core, &format!("{}; the process died or the network failed", error))
            }
            Fault::Unheard(time) => self.lost(
                core,
                &format!(
                    "nothing was heard of it for {} s (btl_tcp_peer_timeout); its node or the \
                     network failed",
                    time.as_secs_f32()
                ),
            ),
            Fault::Lost => {
                self.lost(core, "another one to it broke; the process died or the network failed")
            }
            Fault::Violation(violation) => self.lost(
                core,
                &format!("the peer broke the protocol: {violation}. The connection is closed"),
            ),
            Fault::Withdrawn(violation) => {
                self.lost(core, &format!("memory was withdrawn in the middle of {violation}"))
            }
            Fault::Unreachable(text) => text.clone(),
        }
    }
}
