//! What comes in: operations of peers, their locks, and answers.

use cairn_framework::abi::status::{ERR_PROTOCOL, OK};
use cairn_framework::frameworks::osc::{OSC_ACCUMULATE, OSC_PUT};

use super::State;
use crate::incoming::Place;
use crate::link::Payload;
use crate::lock_queue::Waiting;
use crate::operation::Operation;
use crate::outgoing::Hold;
use crate::window::Shared;
use crate::wire::{
    ANSWER, EXCLUSIVE, Header, Kind, LAST_OF_FENCE, LAST_OF_START, LOST, SHARED, UNLOCK,
};

/// Answers to an origin that wait for room. One that keeps to the rules has fewer.
const MOST_ANSWERS: usize = 1024;

impl State {
    /// A packet has arrived. What a rank sends is handled in the order in which it was sent.
    pub fn receive(&mut self, shared: &Shared, packet: &[u8]) {
        let decoded = Header::decode(packet);
        let own = |header: &Header| header.origin >= shared.size || header.origin == shared.rank;
        let Some((header, data)) = decoded.filter(|(header, _)| !own(header)) else {
            shared.malformed(u32::MAX);
            return;
        };
        let source = header.origin;
        if self.outgoing[source as usize].dead {
            // Its last words may come after the news of its death. What they answer has ended, and its locks are others'.
            return;
        }
        let incoming = &mut self.incoming[source as usize];
        match incoming.turn(header.serial) {
            Some(0) => {}
            Some(_) => return incoming.keep(header.serial, packet),
            None => return shared.malformed(source),
        }
        if self.outgoing[source as usize].waiting() > MOST_ANSWERS {
            return shared.malformed(source);
        }
        self.handle(shared, &header, data);
        while let Some(next) = self.incoming[source as usize].next() {
            if let Some((header, data)) = Header::decode(&next) {
                self.handle(shared, &header, data);
            }
        }
        for rank in core::mem::take(&mut self.blocked) {
            self.pump(shared, rank);
        }
    }

    /// Handles a packet.
    pub(super) fn handle(&mut self, shared: &Shared, header: &Header, data: &[u8]) {
        match header.kind {
            Kind::Operation if header.flags & (SHARED | EXCLUSIVE) != 0 => {
                let shares = header.flags & SHARED != 0;
                let operation = Some((*header, data.into()));
                self.want(shared, Waiting { rank: header.origin, shared: shares, operation });
            }
            Kind::Operation => {
                self.execute(shared, header, data);
                if header.flags & UNLOCK != 0 {
                    self.grant(shared);
                }
            }
            Kind::Reply => self.reply(shared, header, data),
            Kind::Type => self.incoming[header.origin as usize].take_text(header.offset, data),
            _ => self.control(shared, header),
        }
    }

    /// A packet without data.
    pub(super) fn control(&mut self, shared: &Shared, header: &Header) {
        let (source, answers) = (header.origin, header.flags & ANSWER != 0);
        let (out, incoming) =
            (&mut self.outgoing[source as usize], &mut self.incoming[source as usize]);
        match header.kind {
            Kind::Ack => {
                out.hear(header.len);
                // That updates it.
                out.note(header.error());
            }
            Kind::Lock => {
                let shares = header.flags & SHARED != 0;
                self.want(shared, Waiting { rank: source, shared: shares, operation: None });
            }
            Kind::Granted if header.error() != OK => {
                out.give_up(header.error());
                self.order.leave(source);
                self.ask_next(shared);
            }
            Kind::Granted => {
                if let Hold::Asked { shared: is_shared } = out.hold {
                    out.hold = Hold::Held { shared: is_shared };
                    out.set_ready(true);
                    out.measured.is_ready();
                    self.ask_next(shared);
                    self.pump(shared, source);
                } else if !matches!(out.hold, Hold::Held { .. }) {
                    // It was asked for, and given up.
                    self.tell(shared, source, Header::new(Kind::Unlock));
                }
            }
            Kind::Unlock => {
                if !self.locks.leave(shared.lock(), source) {
                    shared.malformed(source);
                }
                if answers {
                    self.acknowledge(shared, header);
                }
                self.grant(shared);
            }
            Kind::Released => {
                if header.flags & LOST != 0 {
                    self.locks.lose(shared.lock());
                }
                self.grant(shared);
            }
            Kind::Flush => {
                if header.flags & LAST_OF_FENCE != 0 {
                    self.fence.arrived += 1;
                }
                if answers {
                    self.acknowledge(shared, header);
                }
            }
            Kind::Post => {
                out.posts += 1;
                self.take_post(shared, source);
            }
            Kind::Complete => {
                incoming.completed += 1;
                if answers {
                    self.acknowledge(shared, header);
                }
            }
            Kind::Operation | Kind::Reply | Kind::Type => {}
        }
        self.changed = true;
    }

    /// The post of a target makes it ready, if the access epoch needs it.
    pub fn take_post(&mut self, shared: &Shared, rank: u32) {
        let out = &mut self.outgoing[rank as usize];
        if out.needs_post && out.posts > 0 {
            out.posts -= 1;
            out.needs_post = false;
            out.set_ready(true);
            self.measured.is_ready();
            self.pump(shared, rank);
        }
    }

    /// Tells an origin that what it has sent up to a packet is done, and what went wrong.
    pub(super) fn acknowledge(&mut self, shared: &Shared, header: &Header) {
        let incoming = &mut self.incoming[header.origin as usize];
        let error = core::mem::replace(&mut incoming.error, OK);
        self.tell(shared, header.origin, Header::answer(Kind::Ack, header.serial, error));
    }

    /// Does an operation of a peer, and answers.
    pub(super) fn execute(&mut self, shared: &Shared, header: &Header, data: &[u8]) {
        let source = header.origin;
        let check = |rank| shared.check_rank(rank);
        let place = Place {
            window: shared.window(),
            memory: &self.memory,
            locks: shared.locks(),
            taker: shared.taker(&check),
            packet: shared.sizes.packet,
        };
        let incoming = &mut self.incoming[source as usize];
        let mut scratch = core::mem::take(&mut self.scratch);
        scratch.clear();
        let done = incoming.operate(&place, header, data, &mut scratch);
        if let Err(status) = done {
            shared.refused(source, status);
        }
        if !matches!(u32::from(header.operation), OSC_PUT | OSC_ACCUMULATE) {
            let (status, fetched) = match done {
                Ok(fetched) => (OK, fetched),
                Err(status) => (status, Payload::NONE),
            };
            let reply = Header::answer(Kind::Reply, header.serial, status);
            self.send(shared, source, reply, fetched);
        } else {
            if let Err(status) = done
                && incoming.error == OK
            {
                incoming.error = status;
            }
            if header.flags & ANSWER != 0 {
                self.acknowledge(shared, header);
            }
        }
        self.scratch = scratch;
        let incoming = &mut self.incoming[source as usize];
        if header.flags & LAST_OF_START != 0 {
            incoming.completed += 1;
        }
        if header.flags & LAST_OF_FENCE != 0 {
            self.fence.arrived += 1;
        }
        if header.flags & UNLOCK != 0 && !self.locks.leave(shared.lock(), source) {
            shared.malformed(source);
        }
        self.changed = true;
    }

    /// What an operation has fetched.
    pub(super) fn reply(&mut self, shared: &Shared, header: &Header, data: &[u8]) {
        let source = header.origin;
        let out = &mut self.outgoing[source as usize];
        let list = if out.fetching.is_empty() { &mut out.queue } else { &mut out.fetching };
        let expected = out.asked_for.pop_front().filter(|(number, _)| *number == header.len);
        let fits = |operation: &mut Operation| {
            expected
                .is_some_and(|(_, len)| operation.fetches() && operation.take(header, data, len))
        };
        if !list.front_mut().is_some_and(fits) {
            shared.malformed(source);
            self.lose(ERR_PROTOCOL);
            return;
        }
        out.fetches = out.fetches.saturating_sub(1);
        out.hear(header.len);
        if out.fetching.front().is_some_and(Operation::is_fetched)
            && let Some(operation) = out.fetching.pop_front()
        {
            let error = operation.complete(OK);
            out.note(error);
        }
        self.changed = true;
        self.pump(shared, source);
    }
}
