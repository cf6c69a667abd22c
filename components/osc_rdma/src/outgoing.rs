//! What goes to a target: the operations that wait, and what is known of those that were sent.

use std::collections::VecDeque;
use std::time::Instant;

use cairn_framework::abi::status::{ERR_PEER, OK, Status};
use cairn_framework::frameworks::issue::{Decision, IssueHistory};

use crate::direct::Hot;
use crate::link::Link;
use crate::operation::Operation;
use crate::wire::{ANSWER, LAST_OF_FENCE, LAST_OF_START, UNLOCK};

/// How this process holds the lock of a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hold {
    /// Not at all.
    Free,
    /// It is to be asked for when operations go out; shared or not.
    Wanted {
        shared: bool,
    },
    /// It was asked for.
    Asked {
        shared: bool,
    },
    Held {
        shared: bool,
    },
    /// A thread tries to take it without the target.
    Taking {
        shared: bool,
    },
    /// It was taken without the target, and is given back so.
    Taken {
        shared: bool,
    },
    /// The program says that no lock is needed.
    Unchecked,
    /// It can't be had: its holder has died, or the target.
    Refused,
}

/// How an epoch with a target ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The target says that all is done.
    Answer,
    /// The target gets its lock back, and says that all is done.
    Unlock,
    /// The target learns that an access epoch has ended; it says that all is done, if `answered`.
    Complete { answered: bool },
    /// The target learns that nothing more comes before the fence.
    Fence,
}

impl End {
    /// What the last packet of the last operation says.
    pub fn flags(self, fetches: bool) -> u8 {
        let answer = if fetches { 0 } else { ANSWER };
        match self {
            Self::Answer => answer,
            Self::Unlock => UNLOCK | answer,
            Self::Complete { answered: true } => LAST_OF_START | answer,
            Self::Complete { answered: false } => LAST_OF_START,
            Self::Fence => LAST_OF_FENCE,
        }
    }
}

/// Packets that a target has not said it has handled, in bytes. It keeps those that come faster than it handles
/// them, so there is a limit.
#[derive(Default)]
pub struct InFlight {
    bytes: u64,
    /// Those behind the last packet that is answered.
    unasked: u64,
    /// Numbers of packets that are answered, and the bytes up to each since the one before.
    asked: VecDeque<(u64, u64)>,
}

/// What a packet counts at least: to be kept costs more than its bytes.
const LEAST_COUNTED: u64 = 512;

impl InFlight {
    /// Whether there may be no more.
    pub fn is_full(&self, most: u64) -> bool {
        self.bytes >= most
    }

    /// Whether the next packet is to be answered, so that there will be room again.
    pub fn is_to_be_asked(&self, most: u64) -> bool {
        self.unasked >= most / 2
    }

    /// A packet with this number goes out.
    pub fn add(&mut self, number: u64, len: usize, answered: bool) {
        let counted = (len as u64).max(LEAST_COUNTED);
        self.bytes += counted;
        self.unasked += counted;
        if answered {
            self.ask(number);
        }
    }

    /// The packet with this number is answered.
    pub fn ask(&mut self, number: u64) {
        self.asked.push_back((number, core::mem::take(&mut self.unasked)));
    }

    /// All up to this number are handled.
    pub fn answered(&mut self, through: u64) {
        while let Some((number, bytes)) = self.asked.front()
            && *number <= through
        {
            self.bytes -= bytes;
            self.asked.pop_front();
        }
    }
}

/// What goes to a target.
pub struct Outgoing {
    /// Not all of them was sent.
    pub queue: VecDeque<Operation>,
    /// It is in the list of those that are behind.
    pub is_behind: bool,
    /// All of them was asked for.
    pub fetching: VecDeque<Operation>,
    /// Answers with data that are on their way.
    pub fetches: u32,
    /// Number of the last operation.
    pub issued: u64,
    /// Operations up to this number go out, whatever the strategy says.
    pub forced: u64,
    /// What the strategy has said for this epoch.
    pub decision: Decision,
    /// The target is ready for operations.
    ready: bool,
    /// There are accumulates that go by messages, and may not be done.
    pub accumulates: bool,
    /// What threads read without the state.
    hot: *const Hot,
    pub hold: Hold,
    /// The epoch is to end so.
    pub end: Option<End>,
    /// It is a target of the access epoch that `MPI_Win_start` began, and its post is needed.
    pub needs_post: bool,
    /// Posts that no epoch has used.
    pub posts: u64,
    /// Packets so far; number of the last one of an operation, of the last one that is answered, and of the last
    /// one whose answer has come. The lower bits of its number are in a packet.
    pub sent: u64,
    pub last: u64,
    pub asked: u64,
    pub answered: u64,
    pub in_flight: InFlight,
    /// What went wrong at the target and was not told yet.
    pub error: Status,
    /// The target has died.
    pub dead: bool,
    /// What the epoch was like.
    pub measured: Measured,
    /// What the target calls the window.
    pub port: u32,
    /// The way to it, once it was needed.
    pub link: Option<Link>,
    /// The operation with this number, or one behind it, is answered when it is sent; 0: none need be.
    pub answer_at: u64,
    /// Packets that were sent to fetch something, in the order in which their answers come, and the bytes of these.
    pub asked_for: VecDeque<(u32, u32)>,
}

impl Outgoing {
    /// One of which threads read `hot`, which stays as long as the window.
    pub fn new(hot: *const Hot) -> Self {
        Self {
            queue: VecDeque::new(),
            is_behind: false,
            fetching: VecDeque::new(),
            fetches: 0,
            issued: 0,
            forced: 0,
            decision: Decision::Hold,
            ready: false,
            accumulates: false,
            hot,
            hold: Hold::Free,
            end: None,
            needs_post: false,
            posts: 0,
            sent: 0,
            last: 0,
            asked: 0,
            answered: 0,
            in_flight: InFlight::default(),
            error: OK,
            dead: false,
            measured: Measured::default(),
            port: 0,
            link: None,
            answer_at: 0,
            asked_for: VecDeque::new(),
        }
    }

    /// Whether the target is ready for operations.
    pub fn is_ready(&self) -> bool {
        self.ready
    }

    /// It is, or not any more.
    pub fn set_ready(&mut self, ready: bool) {
        if ready && !self.ready {
            // What came before is over for both.
            let update = |operation: &Operation| !operation.is_move();
            self.accumulates = self.queue.iter().any(update);
        }
        self.ready = ready;
        self.update();
    }

    /// Tells threads that have not the state how it is: after every change of what this looks at.
    pub fn update(&mut self) {
        let sent = self.queue.is_empty() && self.fetching.is_empty();
        let done = sent && self.answered >= self.last;
        self.accumulates &= !done;
        let busy = !done || !self.is_answered() || self.end.is_some() || self.error != OK;
        let open = self.ready && !self.dead && self.queue.is_empty();
        // SAFETY: it stays as long as the window.
        unsafe { (*self.hot).set(open, !self.accumulates, busy, self.answered) };
    }

    /// Packets that wait for room.
    pub fn waiting(&self) -> usize {
        self.link.as_ref().map_or(0, Link::waiting)
    }

    /// Whether the first operation that waits may go to a target that is ready; `decision` is that for the
    /// whole epoch.
    pub fn may_go(&self, decision: Decision) -> bool {
        let Some(first) = self.queue.front() else { return false };
        let (last, decision) = (self.queue.len() == 1, decision.max(self.decision));
        self.end.is_some()
            || !first.is_new()
            || first.ordinal <= self.forced
            || decision >= Decision::Go
            || (decision >= Decision::GoButLast && !last)
    }

    /// Whether operations have begun that go on when progress is made: they wait for the target, for room, or for
    /// answers.
    pub fn goes_on(&self, decision: Decision) -> bool {
        decision.max(self.decision) >= Decision::Begin
            && !(self.queue.is_empty() && self.fetching.is_empty() && self.waiting() == 0)
    }

    /// Whether the origin's memory of all operations up to one is the program's again.
    pub fn is_local(&self, through: u64) -> bool {
        let after = |operation: Option<&Operation>| {
            operation.is_none_or(|operation| operation.ordinal > through)
        };
        after(self.queue.front()) && after(self.fetching.front())
    }

    /// The next packet is no operation, and maybe answered.
    pub fn count(&mut self, answered: bool) {
        if answered {
            self.asked = self.sent + 1;
            self.in_flight.ask(self.asked);
        }
    }

    /// Whether the target has to be asked whether it has done everything.
    pub fn is_unasked(&self) -> bool {
        self.asked < self.last
    }

    /// The target has been told of the end of an epoch: nothing asks for what came before it.
    pub fn settle(&mut self) {
        self.last = self.asked;
        self.update();
    }

    /// The target has said that it has handled the packets up to this number.
    pub fn hear(&mut self, number: u32) {
        // No more are in flight than have different lower bits.
        let behind = (self.sent as u32).wrapping_sub(number);
        let number = self.sent.saturating_sub(u64::from(behind));
        self.answered = self.answered.max(number.min(self.asked));
        self.in_flight.answered(self.answered);
    }

    /// Whether the target has said that it has done what it was asked about.
    pub fn is_answered(&self) -> bool {
        self.answered >= self.asked
    }

    /// Whether the end of the epoch was sent, and its operations are complete at the origin.
    pub fn has_ended(&self) -> bool {
        self.end.is_none() && self.queue.is_empty() && self.fetching.is_empty()
    }

    /// The epoch is to end so. It has ended if the target can't be reached.
    pub fn finish(&mut self, end: End) {
        if self.dead || self.hold == Hold::Refused {
            self.note(ERR_PEER);
        } else {
            self.end = Some(end);
        }
    }

    /// Nothing comes of what was begun: all operations end with an error, and so does the epoch.
    pub fn give_up(&mut self, error: Status) {
        for operation in self.queue.drain(..).chain(self.fetching.drain(..)) {
            operation.complete(error);
        }
        (self.end, self.fetches, self.needs_post, self.answer_at) = (None, 0, false, 0);
        self.asked_for.clear();
        (self.last, self.answered) = (self.asked, self.asked);
        self.in_flight = InFlight::default();
        if self.hold != Hold::Free {
            (self.hold, self.ready) = (Hold::Refused, false);
        }
        self.note(error);
    }

    /// What went wrong, which is told once.
    pub fn take_error(&mut self) -> Status {
        let error = core::mem::replace(&mut self.error, OK);
        self.update();
        error
    }

    /// Keeps an error to be told.
    pub fn note(&mut self, error: Status) {
        if self.error == OK {
            self.error = error;
        }
        self.update();
    }
}

/// What is measured of an epoch, for the strategy.
#[derive(Default)]
pub struct Measured {
    pub operations: u64,
    pub bytes: u64,
    /// Of operations that wait.
    pub waiting: u64,
    pub waiting_bytes: u64,
    asked: Option<Instant>,
    latency: u64,
    first: Option<Instant>,
}

fn since(begin: Instant) -> u64 {
    begin.elapsed().as_nanos() as u64
}

impl Measured {
    /// The target was asked to be ready.
    pub fn ask(&mut self) {
        self.asked = Some(Instant::now());
    }

    /// It is ready.
    pub fn is_ready(&mut self) {
        if let Some(asked) = self.asked.take() {
            self.latency = since(asked).max(1);
        }
    }

    /// Data moves.
    pub fn moves(&mut self) {
        self.first.get_or_insert_with(Instant::now);
    }

    /// The epoch has ended: what it was like, if it had operations.
    pub fn end(&mut self, epoch: u32) -> Option<IssueHistory> {
        let measured = core::mem::take(self);
        (measured.operations > 0).then(|| IssueHistory {
            struct_size: size_of::<IssueHistory>() as u32,
            epoch,
            operations: measured.operations,
            bytes: measured.bytes,
            latency: measured.latency,
            moved: if measured.first.is_some() { measured.bytes } else { 0 },
            moving: measured.first.map_or(0, |first| since(first).max(1)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_flight_has_a_limit() {
        const MOST: u64 = 10 * LEAST_COUNTED;
        let mut flight = InFlight::default();
        let mut number = 0;
        let mut fill = |flight: &mut InFlight| {
            let before = number;
            while !flight.is_full(MOST) {
                number += 1;
                let answered = flight.is_to_be_asked(MOST);
                flight.add(number, if number % 2 == 0 { 1 } else { 100 }, answered);
            }
            number - before
        };
        assert_eq!(fill(&mut flight), 10);
        // The sixth and none since is answered.
        flight.answered(5);
        assert_eq!(fill(&mut flight), 0);
        flight.answered(6);
        assert_eq!(fill(&mut flight), 6);
        flight.ask(17);
        flight.answered(17);
        assert_eq!(fill(&mut flight), 10);
        // A long one counts its bytes.
        let mut flight = InFlight::default();
        flight.add(1, 5 * LEAST_COUNTED as usize, false);
        assert!(flight.is_to_be_asked(MOST) && !flight.is_full(MOST));
        flight.add(2, 5 * LEAST_COUNTED as usize, true);
        assert!(flight.is_full(MOST));
        flight.answered(2);
        assert!(!flight.is_full(1));
    }
}
