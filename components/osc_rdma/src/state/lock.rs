//! Locks: those of targets that operations need, and that of this process's memory.

use cairn_framework::abi::status::ERR_PEER;
use cairn_framework::author::Failure;
use cairn_framework::frameworks::issue::ISSUE_FENCE;
use cairn_framework::frameworks::osc::{OSC_ACCUMULATE, OSC_PUT};

use super::State;
use crate::lock_queue::{Turn, Waiting};
use crate::outgoing::Hold;
use crate::window::Shared;
use crate::wire::{EXCLUSIVE, Header, Kind, LOST, SHARED};

impl State {
    /// Begins what makes a target ready.
    pub fn begin(&mut self, shared: &Shared, rank: u32) -> Result<(), Failure> {
        if self.epoch == ISSUE_FENCE {
            if !self.fence.passed && self.fence.sum.is_none() && self.fence.open {
                self.start_sum(shared, true)?;
            }
            return Ok(());
        }
        if self.order.begin(rank) {
            self.ask_next(shared);
        } else {
            self.ask_for(shared, rank);
        }
        Ok(())
    }

    /// Asks for the next lock, if none that was asked for is missing.
    pub fn ask_next(&mut self, shared: &Shared) {
        if let Some(rank) = self.order.missing(&self.outgoing) {
            self.ask_for(shared, rank);
        }
    }

    /// Asks for the lock of a target, unless that was done.
    pub(super) fn ask_for(&mut self, shared: &Shared, rank: u32) {
        let out = &mut self.outgoing[rank as usize];
        if let Hold::Wanted { shared: is_shared } = out.hold {
            out.hold = Hold::Asked { shared: is_shared };
            out.measured.ask();
            let flags = if is_shared { SHARED } else { EXCLUSIVE };
            self.tell(shared, rank, Header { flags, ..Header::new(Kind::Lock) });
        }
    }

    /// The lock of a target is not held any more, nor wanted.
    pub(super) fn free(&mut self, shared: &Shared, rank: u32) {
        self.outgoing[rank as usize].hold = Hold::Free;
        self.order.leave(rank);
        self.ask_next(shared);
    }

    /// A lock that was taken without its target is free, and somebody waits for it there; or it is `lost`.
    pub fn tell_released(&mut self, shared: &Shared, rank: u32, lost: bool) {
        let flags = if lost { LOST } else { 0 };
        self.tell(shared, rank, Header { flags, ..Header::new(Kind::Released) });
    }

    /// A peer wants the lock of this process's memory.
    pub(super) fn want(&mut self, shared: &Shared, wish: Waiting) {
        let source = wish.rank;
        if !self.locks.enter(wish) {
            shared.malformed(source);
        }
        self.grant(shared);
    }

    pub(super) fn next_turn(&mut self, shared: &Shared) -> Option<Turn> {
        let is_dead = |rank| self.outgoing.get(rank as usize).is_some_and(|out| out.dead);
        self.locks.next(shared.lock(), is_dead)
    }

    /// Gives the lock of this process's memory to those whose turn it is.
    pub fn grant(&mut self, shared: &Shared) {
        while let Some(turn) = self.next_turn(shared) {
            match turn {
                Turn::Granted(Waiting { operation: Some((header, data)), .. }) => {
                    self.execute(shared, &header, &data);
                }
                Turn::Granted(waiting) if waiting.rank == shared.rank => {
                    let out = &mut self.outgoing[shared.rank as usize];
                    out.hold = Hold::Held { shared: waiting.shared };
                    out.set_ready(true);
                    self.changed = true;
                    self.pump(shared, shared.rank);
                }
                Turn::Granted(waiting) => {
                    self.tell(shared, waiting.rank, Header::new(Kind::Granted));
                }
                Turn::Refused(waiting) => self.refuse(shared, &waiting),
            }
        }
    }

    /// Tells a rank that the lock can't be had.
    pub(super) fn refuse(&mut self, shared: &Shared, waiting: &Waiting) {
        let rank = waiting.rank;
        let header = match &waiting.operation {
            None if rank == shared.rank => {
                self.outgoing[rank as usize].give_up(ERR_PEER);
                self.changed = true;
                return;
            }
            None => Header::answer(Kind::Granted, 0, ERR_PEER),
            Some((header, _)) => {
                let fetches = !matches!(u32::from(header.operation), OSC_PUT | OSC_ACCUMULATE);
                let kind = if fetches { Kind::Reply } else { Kind::Ack };
                Header::answer(kind, header.serial, ERR_PEER)
            }
        };
        self.tell(shared, rank, header);
    }
}
