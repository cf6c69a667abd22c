//! Messages of our own, and what all messages share on their way to a transport: another rail when one
//! fails, a queue when there is no room.

use cairn_framework::abi::comm::ContextId;
use cairn_framework::abi::pool::Cri;
use cairn_framework::abi::scope::Scope;
use cairn_framework::abi::status::{ERR_PEER, Status};
use cairn_framework::author::Outcome;

use crate::core::Core;
use crate::core::ids::Ended;
use crate::core::pending::Step;
use crate::mode::Mode;
use crate::objects::comm::CommState;
use crate::objects::peer::{Control, Peer, Work};
use crate::objects::rail::{Held, Rail};
use crate::objects::request::Plan;
use crate::wire;

impl Core {
    /// Sends bytes of our own, now or when there is room, over the rail that is held, if one is, or the
    /// best.
    pub fn control<M: Mode>(&self, peer: &Peer, held: Held<'_>, bytes: &[u8]) {
        let rail = held.and_then(|cri| peer.rail_with(cri)).unwrap_or(0);
        let control = Control { bytes, rail, only: false, receive: None };
        self.control_over::<M>(peer, held, control);
    }

    /// Sends bytes of our own, now or when there is room.
    pub fn control_over<M: Mode>(&self, peer: &Peer, held: Held<'_>, control: Control<&[u8]>) {
        if !peer.is_blocked() {
            match self.push_control::<M>(peer, held, control) {
                Ok(Step::Done) => return,
                Err(status) => return self.lost::<M>(control.receive, status, held),
                Ok(Step::Blocked) => {}
            }
        }
        let Control { bytes, rail, only, receive } = control;
        let bytes = bytes.to_vec();
        self.enqueue::<M>(peer, Work::Control(Control { bytes, rail, only, receive }));
    }

    /// One try to send bytes of our own.
    pub fn push_control<M: Mode>(
        &self,
        peer: &Peer,
        held: Held<'_>,
        control: Control<&[u8]>,
    ) -> Result<Step, Status> {
        let Control { bytes, rail, only, receive } = control;
        // SAFETY: with the instance's lock; the maker of such bytes has seen that they fit.
        let push = |rail: &Rail, cri: &Cri| unsafe { rail.push_bytes(cri, bytes) };
        let others = if only { None } else { Some(bytes.len()) };
        let sent = self.push_over::<M>(peer, rail, others, &self.process, held, push);
        match sent {
            // The peer waits for it, so as long as it lives and this process stays, trying goes on.
            Err(status)
                if status != ERR_PEER && receive.is_none() && !self.pending.is_leaving() =>
            {
                Ok(Step::Blocked)
            }
            sent => sent,
        }
    }

    /// Pushes a message over a rail and, where that ends with an error, over the others whose frames have
    /// room for so many bytes: it fails only when no rail is left.
    pub fn push_over<M: Mode>(
        &self,
        peer: &Peer,
        rail: usize,
        others: Option<usize>,
        scope: &Scope,
        held: Held<'_>,
        mut push: impl FnMut(&Rail, &Cri) -> Result<Outcome, Status>,
    ) -> Result<Step, Status> {
        let mut result = Err(ERR_PEER);
        let rest = (0..peer.rails.len()).filter(|other| *other != rail && others.is_some());
        for (tried, place) in core::iter::once(rail).chain(rest).enumerate() {
            let rail = &peer.rails[place];
            if peer.has_failed() {
                return Err(ERR_PEER);
            }
            if tried > 0 && others.is_none_or(|len| len > rail.frame()) {
                continue;
            }
            let number = peer.rank();
            let sent =
                rail.with_any_cri::<M>(self.host, scope, number, held, |cri| push(rail, cri));
            result = match sent {
                Some(Ok(Outcome::Done)) => return Ok(Step::Done),
                Some(Ok(_)) | None => return Ok(Step::Blocked),
                Some(Err(status)) => Err(status),
            };
            self.counters.add::<M>(number, |copy| &copy.refused, 1);
        }
        result
    }

    /// A message that has a number could not be sent, though the peer lives: its receiver is told not to
    /// wait for it.
    pub fn skip<M: Mode>(
        &self,
        state: &CommState,
        rank: u32,
        peer: &Peer,
        tag: i32,
        sequence: u32,
    ) {
        if sequence & wire::UNORDERED == 0 {
            let (source, context) = (state.rank, state.rank(rank).context);
            let ContextId { maker, serial, .. } = context;
            let word = wire::word(wire::kind::SKIP, sequence);
            let bytes = wire::Match { word, source, tag, maker, serial }.bytes().to_vec();
            self.enqueue::<M>(peer, Work::Skip(bytes));
        }
    }

    /// Puts something into a peer's queues.
    #[cold]
    pub fn enqueue<M: Mode>(&self, peer: &Peer, work: Work) {
        self.pending.add::<M>(peer, work);
        self.counters.add::<M>(peer.rank(), |copy| &copy.deferred, 1);
    }

    /// An answer can't be sent: the receive that needs it asks for fragments, or fails.
    pub fn lost<M: Mode>(&self, receive: Option<u64>, status: Status, held: Held<'_>) {
        let Some(id) = receive else { return };
        if let Some(Ended::Receive(request)) = self.ids.end::<M>(id, status) {
            // SAFETY: taken out of the table, so it is ours.
            unsafe {
                match status {
                    ERR_PEER => self.end_receive::<M>(request, status, held),
                    _ if (*request).plan == Plan::Put => self.receive_fragments::<M>(request, held),
                    // The sender waits for an answer.
                    _ => self.give_up::<M>(request, status, held),
                }
            }
        }
    }
}
