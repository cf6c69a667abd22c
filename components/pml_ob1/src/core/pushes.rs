//! Messages that come in pieces without having been asked for.
//!
//! ```text
//!              the first piece is matched
//!   nothing ─────────────────────────────► Matched ─ all pieces written ─► nothing
//!      │ a piece is faster, or the receive is not posted      ▲
//!      └──────────────► Early ────────────────────────────────┘
//!                         │ no receive can get it any more
//!                         └─► Dropped ─ all pieces came ─► nothing
//! ```
//!
//! A piece names its message by the sender's number, as the receiver has not said one. Pieces that come
//! before the receive are kept as the first one is. Transports and threads may hand on pieces in any order.

use core::hash::{BuildHasherDefault, Hasher};
use core::sync::atomic::{AtomicU64, Ordering};
use std::collections::HashMap;

use cairn_framework::abi::status::Status;
use cairn_framework::author::CachePadded;

use crate::core::ids::Fragments;
use crate::mode::{Locked, Mode};
use crate::objects::kept::KeptPointer;
use crate::objects::request::ReceiveRequest;
use crate::wire::PushName;

/// All of a process.
#[derive(Default)]
pub struct Pushes {
    /// How many messages this process has pushed.
    sent: CachePadded<AtomicU64>,
    received: CachePadded<Locked<Received>>,
}

/// What became of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece {
    /// It is to be written for this receive; then [`Pushes::written`] is called.
    Write(*mut ReceiveRequest),
    /// It was kept, or no receive can get it.
    Done,
    /// It is none of its message.
    Wrong,
}

/// What came of a message before it was matched.
#[derive(Default)]
pub struct Early {
    /// The pieces but the first.
    pub pieces: Vec<KeptPointer>,
    /// The sender has given up.
    ended: Option<Status>,
}

enum Push {
    Early(Early),
    Matched(Fragments),
    /// So many bytes are to come and go.
    Dropped(u64),
}

/// What is kept of a sender's messages.
#[derive(Default)]
struct Room {
    /// Bytes of pushed messages that wait for a receive; for a moment fewer than none, when one thread
    /// takes a message before another has counted it.
    kept: i64,
    /// It was told not to push.
    stopped: bool,
    /// How often it was told something.
    told: u64,
}

#[derive(Default)]
struct Received {
    open: HashMap<PushName, Push, BuildHasherDefault<Mix>>,
    rooms: HashMap<u32, Room>,
}

/// Mixes numbers that nobody gains by choosing badly.
#[derive(Default)]
struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64((*byte).into()));
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(number.into());
    }

    fn write_u64(&mut self, number: u64) {
        // The fraction of the golden ratio: neighbors end far apart, also in the high bits, of which tables
        // make use.
        let mixed = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 32;
    }
}

impl Pushes {
    /// The number of the next message that this process pushes.
    pub fn number<M: Mode>(&self) -> u64 {
        if M::THREADED {
            return self.sent.fetch_add(1, Ordering::Relaxed);
        }
        let number = self.sent.load(Ordering::Relaxed);
        self.sent.store(number.wrapping_add(1), Ordering::Relaxed);
        number
    }

    /// A message of `length` bytes was matched, of which `first` came with its announcement: what came
    /// before. The caller writes those and its own and calls [`Pushes::written`] for each. `None` if there is
    /// a message of this name already.
    pub fn matched<M: Mode>(
        &self,
        name: PushName,
        request: *mut ReceiveRequest,
        (length, first): (u64, u64),
    ) -> Option<Early> {
        self.received.with::<M, _>(|received| received.matched(name, request, (length, first)))
    }

    /// A piece of a message came; `keep` makes a copy of it.
    pub fn piece<M: Mode>(
        &self,
        name: PushName,
        (offset, len): (u64, u64),
        keep: impl FnOnce() -> KeptPointer,
    ) -> Piece {
        self.received.with::<M, _>(|received| received.piece(name, (offset, len), keep))
    }

    /// A piece was written: the receive and its status, if that was the last.
    pub fn written<M: Mode>(&self, name: PushName) -> Option<(*mut ReceiveRequest, Status)> {
        self.received.with::<M, _>(|received| received.written(name))
    }

    /// What is missing of a message will not come: its receive, if it has one that nobody writes for.
    pub fn broken<M: Mode>(&self, name: PushName, status: Status) -> Option<*mut ReceiveRequest> {
        self.received.with::<M, _>(|received| received.broken(name, status))
    }

    /// No receive can get a message: the pieces that were kept of it.
    pub fn dropped<M: Mode>(
        &self,
        name: PushName,
        (length, first): (u64, u64),
        bytes_of: impl Fn(&KeptPointer) -> u64,
    ) -> Vec<KeptPointer> {
        let missing = length.saturating_sub(first);
        self.received.with::<M, _>(|received| received.dropped(name, missing, bytes_of))
    }

    /// A process is gone: the messages of it that were matched and are not whole, by their names.
    pub fn of_origin<M: Mode>(&self, origin: u32) -> Vec<PushName> {
        self.received.with::<M, _>(|received| received.of_origin(origin))
    }

    /// A message of that sender is kept, or no more (fewer `bytes`).
    pub fn kept<M: Mode>(&self, origin: u32, bytes: i64) {
        self.received.with::<M, _>(|received| {
            received.rooms.entry(origin).or_default().kept += bytes;
        });
    }

    /// Whether a sender is to be told something: whether it may push, and which message of this kind that
    /// is. It is stopped above `limit` bytes and goes on below half of them.
    pub fn to_tell<M: Mode>(&self, origin: u32, limit: u64) -> Option<(bool, u64)> {
        self.received.with::<M, _>(|received| {
            let room = received.rooms.get_mut(&origin)?;
            let kept = room.kept.max(0) as u64;
            let changed = if room.stopped { kept <= limit / 2 } else { kept > limit };
            if !changed {
                return None;
            }
            room.stopped = !room.stopped;
            room.told += 1;
            Some((!room.stopped, room.told))
        })
    }

    /// How many messages are under way.
    pub fn len<M: Mode>(&self) -> usize {
        self.received.with::<M, _>(|received| received.open.len())
    }

    /// What is kept and will not be used.
    pub fn drain(&mut self) -> Vec<KeptPointer> {
        let open = core::mem::take(&mut self.received.0.get_mut().open);
        let pieces = open.into_values().map(|push| match push {
            Push::Early(early) => early.pieces,
            Push::Matched(_) | Push::Dropped(_) => Vec::new(),
        });
        pieces.flatten().collect()
    }
}

impl Received {
    fn matched(
        &mut self,
        name: PushName,
        request: *mut ReceiveRequest,
        (length, first): (u64, u64),
    ) -> Option<Early> {
        let early = match self.open.remove(&name) {
            None => Early::default(),
            Some(Push::Early(early)) => early,
            Some(other) => {
                self.open.insert(name, other);
                return None;
            }
        };
        let mut fragments = Fragments::new(request, length);
        // The caller writes, so it is not over before the caller says so.
        let begun = fragments.begin(0, first);
        debug_assert!(begun, "the caller has seen that it fits");
        if let Some(status) = early.ended {
            fragments.end(status);
        }
        self.open.insert(name, Push::Matched(fragments));
        Some(early)
    }

    fn piece(
        &mut self,
        name: PushName,
        (offset, len): (u64, u64),
        keep: impl FnOnce() -> KeptPointer,
    ) -> Piece {
        match self.open.get_mut(&name) {
            Some(Push::Matched(fragments)) => {
                if fragments.begin(offset, len) {
                    Piece::Write(fragments.request())
                } else if fragments.has_ended() {
                    Piece::Done
                } else {
                    Piece::Wrong
                }
            }
            Some(Push::Early(early)) => {
                early.pieces.push(keep());
                Piece::Done
            }
            Some(Push::Dropped(missing)) => {
                *missing = missing.saturating_sub(len);
                if *missing == 0 {
                    self.open.remove(&name);
                }
                Piece::Done
            }
            None => {
                let early = Early { pieces: vec![keep()], ended: None };
                self.open.insert(name, Push::Early(early));
                Piece::Done
            }
        }
    }

    fn written(&mut self, name: PushName) -> Option<(*mut ReceiveRequest, Status)> {
        let Some(Push::Matched(fragments)) = self.open.get_mut(&name) else { return None };
        let over = fragments.written()?;
        self.open.remove(&name);
        Some(over)
    }

    fn broken(&mut self, name: PushName, status: Status) -> Option<*mut ReceiveRequest> {
        match self.open.entry(name).or_insert_with(|| Push::Early(Early::default())) {
            Push::Early(early) => {
                early.ended = Some(status);
                return None;
            }
            Push::Matched(fragments) => {
                let request = fragments.request();
                if !fragments.end(status) {
                    return None;
                }
                self.open.remove(&name);
                return Some(request);
            }
            Push::Dropped(_) => {}
        }
        self.open.remove(&name);
        None
    }

    fn dropped(
        &mut self,
        name: PushName,
        missing: u64,
        bytes_of: impl Fn(&KeptPointer) -> u64,
    ) -> Vec<KeptPointer> {
        let early = match self.open.remove(&name) {
            Some(Push::Early(early)) => early,
            Some(other) => {
                self.open.insert(name, other);
                return Vec::new();
            }
            None => Early::default(),
        };
        let came = early.pieces.iter().map(bytes_of).fold(0, u64::saturating_add);
        if came < missing && early.ended.is_none() {
            self.open.insert(name, Push::Dropped(missing - came));
        }
        early.pieces
    }

    fn of_origin(&mut self, origin: u32) -> Vec<PushName> {
        self.open.retain(|name, push| name.origin != origin || !matches!(push, Push::Dropped(_)));
        let ours = |(name, push): (&PushName, &Push)| {
            (name.origin == origin && matches!(push, Push::Matched(_))).then_some(*name)
        };
        self.open.iter().filter_map(ours).collect()
    }
}

#[cfg(test)]
mod tests {
    use core::ptr::{null_mut, without_provenance_mut};

    use super::*;

    const NAME: PushName = PushName { origin: 3, number: 7 };

    /// A kept piece, told from others by its address.
    fn kept(number: usize) -> KeptPointer {
        KeptPointer(without_provenance_mut(16 * number))
    }

    fn numbers(pieces: &[KeptPointer]) -> Vec<usize> {
        pieces.iter().map(|piece| piece.0.addr() / 16).collect()
    }

    fn never() -> KeptPointer {
        panic!("it was matched")
    }

    #[test]
    fn a_message_is_over_when_all_its_pieces_are_written() {
        let (mut received, request) = (Received::default(), without_provenance_mut(64));
        assert!(received.matched(NAME, request, (30, 10)).unwrap().pieces.is_empty());
        assert!(received.matched(NAME, request, (30, 10)).is_none(), "the name is taken");
        assert_eq!(received.piece(NAME, (20, 11), never), Piece::Wrong, "beyond the end");
        assert_eq!(received.piece(NAME, (20, 10), never), Piece::Write(request));
        assert_eq!(received.written(NAME), None, "two write and a piece is missing");
        assert_eq!(received.piece(NAME, (10, 10), never), Piece::Write(request));
        assert_eq!(received.written(NAME), None);
        assert_eq!(received.written(NAME), Some((request, 0)));
        assert!(received.open.is_empty() && received.written(NAME).is_none());
    }

    #[test]
    fn pieces_that_come_first_are_kept_for_the_receive() {
        let (mut received, request) = (Received::default(), without_provenance_mut(64));
        assert_eq!(received.piece(NAME, (20, 10), || kept(2)), Piece::Done);
        assert_eq!(received.piece(NAME, (10, 10), || kept(1)), Piece::Done);
        assert_eq!(numbers(&received.matched(NAME, request, (30, 10)).unwrap().pieces), [2, 1]);
        for offset in [20, 10] {
            assert_eq!(received.piece(NAME, (offset, 10), never), Piece::Write(request));
            assert_eq!(received.written(NAME), None);
        }
        assert_eq!(received.written(NAME), Some((request, 0)));
        assert!(received.open.is_empty());
    }

    #[test]
    fn a_sender_that_gives_up_ends_the_receive_whenever_it_is_posted() {
        let (mut received, request) = (Received::default(), without_provenance_mut(64));
        assert!(received.broken(NAME, -5).is_none());
        assert!(received.matched(NAME, request, (30, 10)).is_some());
        assert_eq!(received.piece(NAME, (10, 10), never), Piece::Done);
        assert_eq!(received.written(NAME), Some((request, -5)));
        // While nobody writes, and while somebody does.
        assert!(received.matched(NAME, request, (30, 10)).is_some());
        assert_eq!(received.broken(NAME, -5), None);
        assert_eq!(received.written(NAME), Some((request, -5)));
        assert!(received.matched(NAME, request, (30, 10)).is_some());
        assert_eq!(received.written(NAME), None);
        assert_eq!(received.broken(NAME, -5), Some(request));
        assert!(received.open.is_empty());
    }

    #[test]
    fn what_no_receive_can_get_leaves_nothing_behind() {
        let mut received = Received::default();
        let ten = |_: &KeptPointer| 10;
        assert_eq!(received.piece(NAME, (20, 10), || kept(2)), Piece::Done);
        assert_eq!(numbers(&received.dropped(NAME, 20, ten)), [2]);
        assert_eq!(received.piece(NAME, (10, 10), never), Piece::Done);
        assert!(received.open.is_empty());
        // All came before, the sender gave up, or its process is gone.
        received.piece(NAME, (10, 10), || kept(1));
        assert_eq!(numbers(&received.dropped(NAME, 10, ten)), [1]);
        assert!(received.open.is_empty());
        assert!(received.dropped(NAME, 10, ten).is_empty());
        assert_eq!((received.broken(NAME, -5), received.open.len()), (None, 0));
        assert!(received.dropped(NAME, 10, ten).is_empty());
        assert!(received.of_origin(4).is_empty() && received.open.len() == 1);
        assert!(received.of_origin(3).is_empty() && received.open.is_empty());
        received.matched(NAME, null_mut(), (20, 10));
        assert_eq!(received.of_origin(3), [NAME]);
    }

    #[test]
    fn a_sender_is_stopped_above_the_limit_and_goes_on_below_half_of_it() {
        use crate::mode::Single;
        let pushes = Pushes::default();
        let mut heard = Vec::new();
        for bytes in [100, 1, 10, -50, -11, -50, 200] {
            pushes.kept::<Single>(5, bytes);
            heard.push(pushes.to_tell::<Single>(5, 100));
        }
        let (stop, go) = (Some((false, 1)), Some((true, 2)));
        assert_eq!(heard, [None, stop, None, None, go, None, Some((false, 3))]);
        assert_eq!(pushes.to_tell::<Single>(6, 100), None);
    }
}
