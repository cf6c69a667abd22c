//! What goes out: operations when their targets are ready, and the ends of epochs.

use cairn_framework::abi::status::OK;
use cairn_framework::frameworks::issue::{ISSUE_FENCE, ISSUE_LOCK};

use super::State;
use crate::link::Payload;
use crate::operation::Operation;
use crate::outgoing::{End, Hold};
use crate::window::Shared;
use crate::wire::{ANSWER, EXCLUSIVE, HEADER, Header, Kind, LAST_OF_FENCE, SHARED};

/// Packets to a rank that wait for room before no more are made.
const MOST_WAITING: usize = 16;
/// Answers with data that a target may owe.
const MOST_FETCHES: u32 = 16;

impl State {
    /// A packet that is a header alone: to a peer, or to this process itself.
    pub fn tell(&mut self, shared: &Shared, rank: u32, header: Header) {
        if rank == shared.rank {
            self.control(shared, &Header { origin: rank, ..header });
        } else {
            self.send(shared, rank, header, Payload::NONE);
        }
    }

    /// Sends a packet.
    pub(super) fn send(&mut self, shared: &Shared, rank: u32, header: Header, payload: Payload) {
        let held = self.held;
        let out = &mut self.outgoing[rank as usize];
        if out.dead {
            return;
        }
        shared.counters.messages.add_shared(1);
        out.sent += 1;
        let serial = out.sent as u32;
        let header = Header { window: out.port, origin: shared.rank, serial, ..header };
        let (bytes, len) = header.encode();
        let sent = shared.link(rank, &mut out.link).and_then(|link| {
            // SAFETY: the payload is the program's, the window's or `scratch`, and packets are cut for the link.
            unsafe { link.send(held, &bytes[..len], payload) }
        });
        match sent {
            Ok(true) => {}
            Ok(false) if self.stuck.contains(&rank) => {}
            Ok(false) => self.stuck.push(rank),
            Err(failure) => self.not_sent(shared, rank, failure.status),
        }
    }

    /// Sends what may go to a target.
    pub fn pump(&mut self, shared: &Shared, rank: u32) {
        if rank == shared.rank {
            self.pump_here(shared);
        } else {
            self.pump_there(shared, rank);
        }
        self.outgoing[rank as usize].update();
    }

    pub(super) fn pump_there(&mut self, shared: &Shared, rank: u32) {
        let packet = shared.packet(rank, &mut self.outgoing[rank as usize]);
        if !self.ask_or_send_one(shared, rank, packet) {
            return;
        }
        loop {
            let out = &self.outgoing[rank as usize];
            if !out.is_ready() || !out.may_go(self.decision) {
                break;
            }
            if self.is_full(shared, rank) {
                return;
            }
            self.send_part(shared, rank, packet, 0);
        }
        self.send_end(shared, rank);
    }

    /// Whether the next packet to a target has to wait, which is noted.
    pub(super) fn is_full(&mut self, shared: &Shared, rank: u32) -> bool {
        let out = &self.outgoing[rank as usize];
        let fetches = out.queue.front().is_some_and(Operation::fetches);
        let full = out.waiting() >= MOST_WAITING
            || (fetches && out.fetches >= MOST_FETCHES)
            || out.in_flight.is_full(shared.sizes.in_flight);
        if full && !self.blocked.contains(&rank) {
            self.blocked.push(rank);
        }
        full
    }

    /// The end of an epoch whose lock was not asked for. Whether there may be more to do.
    pub(super) fn ask_or_send_one(&mut self, shared: &Shared, rank: u32, packet: usize) -> bool {
        let out = &mut self.outgoing[rank as usize];
        let (Hold::Wanted { shared: is_shared }, Some(End::Unlock)) = (out.hold, out.end) else {
            return true;
        };
        let alone = out.queue.len() == 1;
        match out.queue.front_mut() {
            None => {
                // Nothing was done, so there is nothing to lock.
                out.end = None;
                self.free(shared, rank);
                self.changed = true;
            }
            Some(operation) => {
                operation.describe(shared.window(), packet);
                if !alone || !operation.fits(packet) {
                    // It can't fail: only sums can.
                    let _ = self.begin(shared, rank);
                    return true;
                }
                if !self.is_full(shared, rank) {
                    let lock = if is_shared { SHARED } else { EXCLUSIVE };
                    self.free(shared, rank);
                    self.send_part(shared, rank, packet, lock);
                }
            }
        }
        false
    }

    /// Sends the next packet of the first operation.
    pub(super) fn send_part(&mut self, shared: &Shared, rank: u32, packet: usize, lock: u8) {
        let out = &mut self.outgoing[rank as usize];
        let only = out.queue.len() == 1;
        let Some(operation) = out.queue.front_mut() else { return };
        operation.describe(shared.window(), packet);
        if operation.is_new() {
            let measured =
                if self.epoch == ISSUE_LOCK { &mut out.measured } else { &mut self.measured };
            measured.moves();
            measured.waiting = measured.waiting.saturating_sub(1);
            measured.waiting_bytes = measured.waiting_bytes.saturating_sub(operation.len());
            self.fence.went |= self.epoch == ISSUE_FENCE;
            if operation.text_goes_ahead {
                let text = operation.text().to_vec();
                self.send_text(shared, rank, packet, &text);
            }
        }
        let out = &mut self.outgoing[rank as usize];
        let Some(operation) = out.queue.front_mut() else { return };
        let (last, fetches) = (only && operation.is_last(packet), operation.fetches());
        let mut header = operation.header(packet);
        let end = out.end.take_if(|_| last);
        if let Some(end) = end {
            header.flags = end.flags(fetches) | lock;
        }
        // A flush waits for it, or the target is to say how far it is.
        let asks =
            out.answer_at <= operation.ordinal && operation.is_last(packet) && out.answer_at > 0;
        if !fetches && (asks || out.in_flight.is_to_be_asked(shared.sizes.in_flight)) {
            header.flags |= ANSWER;
        }
        let answered = fetches || header.flags & ANSWER != 0;
        let number = out.sent + 1;
        out.last = number;
        if answered {
            out.asked = number;
            (out.answer_at, out.fetches) =
                (if asks { 0 } else { out.answer_at }, out.fetches + u32::from(fetches));
        }
        let mut scratch = core::mem::take(&mut self.scratch);
        scratch.clear();
        let payload = operation.data(&header, &mut scratch);
        let len = payload.as_ref().map_or(0, |payload| payload.len);
        out.in_flight.add(number, HEADER + len, answered);
        if fetches {
            out.asked_for.push_back((number as u32, header.len));
        }
        match payload {
            Ok(payload) => self.send(shared, rank, header, payload),
            Err(failure) => self.lose(failure.status),
        }
        self.scratch = scratch;
        let out = &mut self.outgoing[rank as usize];
        // When a target is found dead its operations are gone.
        if out.queue.front().is_some_and(Operation::is_sent)
            && let Some(operation) = out.queue.pop_front()
        {
            if fetches {
                out.fetching.push_back(operation);
            } else {
                let error = operation.complete(OK);
                out.note(error);
                self.changed = true;
            }
        }
        if end == Some(End::Unlock) && lock == 0 {
            self.free(shared, rank);
        }
    }

    /// The description of a type, in packets of its own.
    pub(super) fn send_text(&mut self, shared: &Shared, rank: u32, packet: usize, text: &[u8]) {
        let mut position = 0;
        for part in text.chunks(packet - HEADER) {
            let header = Header { offset: position, ..Header::new(Kind::Type) };
            self.send(shared, rank, header, Payload::of(part));
            position += part.len() as i64;
        }
    }

    /// The end of an epoch with a target, when no operation is left to say it.
    pub(super) fn send_end(&mut self, shared: &Shared, rank: u32) {
        let out = &mut self.outgoing[rank as usize];
        let ends = out.is_ready() && out.queue.is_empty();
        let Some(end) = out.end.filter(|_| ends) else { return };
        out.end = None;
        let unasked = out.is_unasked();
        let answer = if unasked { ANSWER } else { 0 };
        let (kind, flags) = match end {
            End::Answer if !unasked => {
                self.changed = true;
                return;
            }
            End::Answer => (Kind::Flush, answer),
            End::Unlock => (Kind::Unlock, answer),
            End::Complete { answered: true } => (Kind::Complete, answer),
            End::Complete { answered: false } => (Kind::Complete, 0),
            End::Fence => (Kind::Flush, LAST_OF_FENCE),
        };
        out.count(flags & ANSWER != 0);
        let header = Header { flags, ..Header::new(kind) };
        self.changed = true;
        self.tell(shared, rank, header);
        if end == End::Unlock {
            self.free(shared, rank);
        }
    }

    /// Asks a target whether everything is done.
    pub fn ask(&mut self, shared: &Shared, rank: u32) {
        let out = &mut self.outgoing[rank as usize];
        out.count(true);
        let header = Header { flags: ANSWER, ..Header::new(Kind::Flush) };
        self.tell(shared, rank, header);
    }

    /// Operations on this process's own memory that had to wait.
    pub(super) fn pump_here(&mut self, shared: &Shared) {
        let own = shared.rank as usize;
        while self.outgoing[own].is_ready()
            && let Some(operation) = self.outgoing[own].queue.pop_front()
        {
            // SAFETY: the program keeps what it names until the operation is complete.
            let done = unsafe { self.run_here(shared, &operation.transfer) };
            let error = operation.complete(done.map_or_else(|failure| failure.status, |()| OK));
            self.outgoing[own].note(error);
            self.changed = true;
        }
        let out = &mut self.outgoing[own];
        if !out.is_ready() && out.hold != Hold::Free {
            // It still waits for its lock.
            return;
        }
        let Some(end) = out.end.filter(|_| out.queue.is_empty()) else { return };
        let kind = match end {
            End::Answer | End::Fence => None,
            End::Unlock => Some(Kind::Unlock),
            End::Complete { .. } if !out.is_ready() => return,
            End::Complete { .. } => Some(Kind::Complete),
        };
        out.end = None;
        self.changed = true;
        if let Some(kind) = kind {
            self.tell(shared, shared.rank, Header::new(kind));
        }
        if end == End::Unlock {
            self.free(shared, shared.rank);
        }
    }
}
