//! Receiving on a link: from the socket to callbacks and memory.

use std::os::fd::{AsFd, BorrowedFd};

use crate::input::{Body, Failed, Filled, Next};
use crate::link::{Fault, Link, State};
use crate::module::At;
use crate::wire::{Frame, Violation};

/// Reads from one connection before it is the next one's turn.
const READS: u32 = 4;

impl Link {
    /// Receives what there is, for a turn. `ended` says that the kernel told of the connection's
    /// end. Returns the number of events.
    pub fn receive(&self, at: At<'_>, ended: bool) -> u32 {
        // Kept: the end may be behind more than fits into this turn, and is not told again.
        let ended = {
            let mut input = self.input.borrow_mut();
            input.ended |= ended;
            input.ended
        };
        let mut events = 0;
        for _ in 0..READS {
            match self.receive_once(at, &mut events) {
                Ok(Filled::Whole) => {}
                // The end comes behind the bytes.
                Ok(Filled::All) if ended => {}
                Ok(Filled::All) => return events,
                Ok(Filled::End) => {
                    let orderly = self.input.borrow().bye;
                    self.set_fault(at, if orderly { Fault::Goodbye } else { Fault::End });
                    return events + 1;
                }
                Err(Failed::Io(error)) => {
                    self.set_fault(at, Fault::Io(error));
                    return events + 1;
                }
                Err(Failed::Violation(violation)) => {
                    self.set_fault(at, Fault::Violation(violation));
                    return events + 1;
                }
            }
        }
        at.context.again.borrow_mut().push_back(self.id);
        events
    }

    /// Receives what is left of a connection that broke.
    pub fn receive_some(&self, at: At<'_>) -> Result<u32, Failed> {
        let mut events = 0;
        self.receive_once(at, &mut events)?;
        Ok(events)
    }

    fn receive_once(&self, at: At<'_>, events: &mut u32) -> Result<Filled, Failed> {
        // The socket stays open: only progress closes it, which is here.
        let socket = match &self.core.borrow().state {
            // SAFETY: see above.
            State::Open(socket) => unsafe {
                BorrowedFd::borrow_raw(std::os::fd::AsRawFd::as_raw_fd(&socket.as_fd()))
            },
            _ => return Ok(Filled::All),
        };
        let mut input = self.input.borrow_mut();
        let buffers = &at.context.buffers;
        let filled = input.fill(socket, &at.module.registry, buffers)?;
        loop {
            match input.next(&at.module.registry)? {
                Next::Nothing => break,
                Next::Message(tag, data, len) => at.deliver(tag, data, len),
                Next::Complete(Body::Put { .. }) => {}
                Next::Complete(Body::Data { place, .. }) => {
                    self.core.borrow_mut().work.got(place, &mut at.context.finished.borrow_mut());
                }
                Next::Frame(frame) => self.handle(at, frame, &mut input)?,
            }
            *events += 1;
        }
        input.rest(buffers);
        drop(input);
        // Answers.
        if *events > 0 {
            self.push(at);
        }
        Ok(filled)
    }

    fn handle(
        &self,
        at: At<'_>,
        frame: Frame,
        input: &mut crate::input::Input,
    ) -> Result<(), Violation> {
        let work = &mut self.core.borrow_mut().work;
        let may = |write, key, address, len: u32| {
            at.module.registry.hold(key).find(write, key, address, u64::from(len))
        };
        match frame {
            Frame::Put { key, address, len } => {
                may(true, key, address, len)?;
                input.expect(Body::Put { key, address }, len as usize);
            }
            Frame::Get { token, key, address, len } => {
                may(false, key, address, len)?;
                if work.output.is_flooded() {
                    return Err(Violation::TooMany);
                }
                let frame = Frame::Data { token, len };
                work.output.append_exposed(frame, key, address, len as usize);
            }
            Frame::Data { token, len } => {
                let (place, address) = work.answered(token, len)?;
                input.expect(Body::Data { place, address }, len as usize);
            }
            Frame::Flush { token } => {
                if work.output.is_flooded() {
                    return Err(Violation::TooMany);
                }
                work.output.append(Frame::Flushed { token });
            }
            Frame::Flushed { token } => {
                work.flush_done(token, &mut at.context.finished.borrow_mut())?;
            }
            Frame::Bye | Frame::Message { .. } => {}
        }
        Ok(())
    }
}

impl At<'_> {
    /// Hands a message on.
    #[inline]
    fn deliver(self, tag: u8, data: *const u8, len: usize) {
        if self.module.is_closing() {
            return;
        }
        // SAFETY: the input holds so many bytes until the next message is taken out.
        let message = unsafe { std::slice::from_raw_parts(data, len) };
        self.module.deliver(self.context, Some(self.endpoint), tag, message);
    }
}
