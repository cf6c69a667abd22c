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
use std::hash::{BuildHasher, RandomState};

use cairn_framework::abi::status::Status;
use cairn_framework::author::CachePadded;

use crate::core::ids::Fragments;
use crate::mode::{Locked, Mode};
use crate::objects::kept::KeptPointer;
use crate::objects::request::ReceiveRequest;
use crate::wire::PushName;

/// All of a process.
pub struct Pushes {
    /// The number of the next message that this process pushes. It begins anywhere: see [`PushName`].
    next: CachePadded<AtomicU64>,
    received: CachePadded<Locked<Received>>,
}

impl Default for Pushes {
    fn default() -> Self {
        let next = AtomicU64::new(RandomState::new().hash_one(0));
        Self { next: CachePadded(next), received: CachePadded::default() }
    }
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

/// A piece that was kept.
pub struct EarlyPiece {
    /// Its place in the message.
    pub offset: u64,
    len: u64,
    /// Whether it is one of its message: then it is to be written, and [`Pushes::written`] called.
    pub right: bool,
    /// Header and data.
    pub kept: KeptPointer,
}

/// What came of a message before it was matched.
#[derive(Default)]
struct Early {
    /// The pieces but the first.
    pieces: Vec<EarlyPiece>,
    broken: Option<Broken>,
}

/// The sender has given up.
#[derive(Clone, Copy)]
struct Broken {
    status: Status,
    /// Bytes that it has sent.
    sent: u64,
}

struct Matched {
    fragments: Fragments,
    /// Bytes that the sender has sent, if it has given up.
    sent: Option<u64>,
}

impl Matched {
    /// Bytes that are still to come when its receive is over.
    fn left(&self) -> u64 {
        self.sent.map_or(0, |sent| sent.saturating_sub(self.fragments.came()))
    }
}

enum Push {
    Early(Early),
    Matched(Matched),
    Dropped {
        /// Bytes that are to come and go.
        left: u64,
        /// Bytes of the message, as was said.
        length: u64,
    },
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
            return self.next.fetch_add(1, Ordering::Relaxed);
        }
        let number = self.next.load(Ordering::Relaxed);
        self.next.store(number.wrapping_add(1), Ordering::Relaxed);
        number
    }

    /// A message of `length` bytes was matched, of which `first` came with its announcement: the pieces that
    /// came before. The caller writes those that are right, and its own, and calls [`Pushes::written`] for
    /// each. `None` if there is a message of this name already.
    pub fn matched<M: Mode>(
        &self,
        name: PushName,
        request: *mut ReceiveRequest,
        (length, first): (u64, u64),
    ) -> Option<Vec<EarlyPiece>> {
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

    /// Of a piece that is being written, of so many bytes, not all will come. [`Pushes::written`] is called all the same.
    pub fn torn<M: Mode>(&self, name: PushName, len: u64, status: Status) {
        self.received.with::<M, _>(|received| {
            if let Some(Push::Matched(matched)) = received.open.get_mut(&name) {
                matched.fragments.torn(len, status);
                // Other pieces may come all the same, by other ways.
                matched.sent.get_or_insert(matched.fragments.total());
            }
        });
    }

    /// The sender has sent so many bytes of a message and gives up: its receive, if it has one that nobody
    /// writes for.
    pub fn broken<M: Mode>(
        &self,
        name: PushName,
        status: Status,
        sent: u64,
    ) -> Option<*mut ReceiveRequest> {
        self.received.with::<M, _>(|received| received.broken(name, Broken { status, sent }))
    }

    /// The process that has pushed a message is gone: its receive, if it has one that nobody writes for.
    pub fn lost<M: Mode>(&self, name: PushName, status: Status) -> Option<*mut ReceiveRequest> {
        self.received.with::<M, _>(|received| received.end(name, status, None))
    }

    /// No receive can get a message: the pieces that were kept of it.
    pub fn dropped<M: Mode>(&self, name: PushName, (length, first): (u64, u64)) -> Vec<EarlyPiece> {
        self.received.with::<M, _>(|received| received.dropped(name, (length, first)))
    }

    /// A process is gone: the messages of it that were matched and are not whole, by their names. Pieces
    /// whose announcement was not handed on stay: it may wait for its turn.
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
    pub fn drain(&mut self) -> Vec<EarlyPiece> {
        let open = core::mem::take(&mut self.received.0.get_mut().open);
        let pieces = open.into_values().map(|push| match push {
            Push::Early(early) => early.pieces,
            Push::Matched(_) | Push::Dropped { .. } => Vec::new(),
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
    ) -> Option<Vec<EarlyPiece>> {
        let mut early = match self.open.remove(&name) {
            None => Early::default(),
            Some(Push::Early(early)) => early,
            Some(other) => {
                self.open.insert(name, other);
                return None;
            }
        };
        // All of them at once: what has come is received, though the sender may be gone meanwhile.
        let mut fragments = Fragments::new(request, length);
        let begun = fragments.begin(0, first);
        debug_assert!(begun, "the caller has seen that it fits");
        for piece in &mut early.pieces {
            piece.right = fragments.begin(piece.offset, piece.len);
        }
        if let Some(broken) = early.broken {
            fragments.end(broken.status);
        }
        let sent = early.broken.map(|broken| broken.sent);
        self.open.insert(name, Push::Matched(Matched { fragments, sent }));
        Some(early.pieces)
    }

    fn piece(
        &mut self,
        name: PushName,
        (offset, len): (u64, u64),
        keep: impl FnOnce() -> KeptPointer,
    ) -> Piece {
        match self.open.entry(name).or_insert_with(|| Push::Early(Early::default())) {
            Push::Matched(Matched { fragments, sent }) => {
                if fragments.begin(offset, len) {
                    return Piece::Write(fragments.request());
                }
                if !fragments.has_ended() {
                    return Piece::Wrong;
                }
                *sent = sent.map(|sent| sent.saturating_sub(len));
            }
            Push::Early(early) => {
                early.pieces.push(EarlyPiece { offset, len, right: false, kept: keep() });
            }
            Push::Dropped { left, length } => {
                let (left, length) = (left.saturating_sub(len), *length);
                self.leave(name, left, length);
            }
        }
        Piece::Done
    }

    fn written(&mut self, name: PushName) -> Option<(*mut ReceiveRequest, Status)> {
        let Some(Push::Matched(matched)) = self.open.get_mut(&name) else { return None };
        let over = matched.fragments.written()?;
        let left = matched.left();
        self.leave(name, left, left);
        Some(over)
    }

    fn broken(&mut self, name: PushName, broken: Broken) -> Option<*mut ReceiveRequest> {
        match self.open.entry(name).or_insert_with(|| Push::Early(Early::default())) {
            Push::Early(early) => early.broken = Some(broken),
            Push::Matched(_) => return self.end(name, broken.status, Some(broken.sent)),
            Push::Dropped { left, length } => {
                let left = left.saturating_sub(length.saturating_sub(broken.sent));
                self.leave(name, left, broken.sent);
            }
        }
        None
    }

    /// What is missing of a message that was matched will not come.
    fn end(
        &mut self,
        name: PushName,
        status: Status,
        sent: Option<u64>,
    ) -> Option<*mut ReceiveRequest> {
        let Some(Push::Matched(matched)) = self.open.get_mut(&name) else { return None };
        matched.sent = sent;
        if !matched.fragments.end(status) {
            return None;
        }
        let (request, left) = (matched.fragments.request(), matched.left());
        self.leave(name, left, left);
        Some(request)
    }

    fn dropped(&mut self, name: PushName, (length, first): (u64, u64)) -> Vec<EarlyPiece> {
        let early = match self.open.remove(&name) {
            Some(Push::Early(early)) => early,
            Some(other) => {
                self.open.insert(name, other);
                return Vec::new();
            }
            None => Early::default(),
        };
        let came = early.pieces.iter().fold(first, |came, piece| came.saturating_add(piece.len));
        let sent = early.broken.map_or(length, |broken| broken.sent);
        self.leave(name, sent.saturating_sub(came), sent);
        early.pieces
    }

    /// A message is over, of which so many bytes are still to come.
    fn leave(&mut self, name: PushName, left: u64, length: u64) {
        if left > 0 {
            self.open.insert(name, Push::Dropped { left, length });
        } else {
            self.open.remove(&name);
        }
    }

    fn of_origin(&mut self, origin: u32) -> Vec<PushName> {
        self.open
            .retain(|name, push| name.origin != origin || !matches!(push, Push::Dropped { .. }));
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
    use crate::mode::Single;

    const NAME: PushName = PushName { origin: 3, number: 7 };

    /// A kept piece, told from others by its address.
    fn kept(number: usize) -> KeptPointer {
        KeptPointer(without_provenance_mut(16 * number))
    }

    fn numbers(pieces: &[EarlyPiece]) -> Vec<usize> {
        pieces.iter().map(|piece| piece.kept.0.addr() / 16).collect()
    }

    fn broken(received: &mut Received, sent: u64) -> Option<*mut ReceiveRequest> {
        received.broken(NAME, Broken { status: -5, sent })
    }

    fn never() -> KeptPointer {
        panic!("it was matched")
    }

    #[test]
    fn a_message_is_over_when_all_its_pieces_are_written() {
        let (mut received, request) = (Received::default(), without_provenance_mut(64));
        assert!(received.matched(NAME, request, (30, 10)).unwrap().is_empty());
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
        assert_eq!(received.piece(NAME, (25, 10), || kept(3)), Piece::Done);
        let pieces = received.matched(NAME, request, (30, 10)).unwrap();
        assert_eq!(numbers(&pieces), [2, 1, 3]);
        assert_eq!(pieces.iter().map(|piece| piece.right).collect::<Vec<_>>(), [true, true, false]);
        // All has come, whatever becomes of the sender now.
        assert_eq!(received.end(NAME, -7, None), None);
        assert_eq!((received.written(NAME), received.written(NAME)), (None, None));
        assert_eq!(received.written(NAME), Some((request, 0)));
        assert!(received.open.is_empty());
    }

    #[test]
    fn a_piece_that_does_not_come_whole_ends_the_receive() {
        let request = without_provenance_mut(64);
        // The only one of a message, and one of three.
        for (first, others) in [(30, 0), (10, 2)] {
            let pushes = Pushes::default();
            assert!(pushes.matched::<Single>(NAME, request, (30, first)).unwrap().is_empty());
            for offset in [10, 20].into_iter().take(others) {
                let piece = pushes.piece::<Single>(NAME, (offset, 10), never);
                assert_eq!(piece, Piece::Write(request));
            }
            pushes.torn::<Single>(NAME, first, -9);
            for _ in 0..others {
                assert_eq!(pushes.written::<Single>(NAME), None);
            }
            assert_eq!(pushes.written::<Single>(NAME), Some((request, -9)));
            // What comes of it later is not kept, and it is forgotten with its sender.
            assert_eq!(pushes.piece::<Single>(NAME, (0, 1), never), Piece::Done);
            assert!(pushes.of_origin::<Single>(NAME.origin).is_empty());
            assert_eq!(pushes.len::<Single>(), 0);
        }
    }

    #[test]
    fn a_sender_that_gives_up_ends_the_receive_whenever_it_is_posted() {
        let (mut received, request) = (Received::default(), without_provenance_mut(64));
        assert!(broken(&mut received, 10).is_none());
        assert!(received.matched(NAME, request, (30, 10)).is_some());
        assert_eq!(received.written(NAME), Some((request, -5)));
        // While nobody writes, and while somebody does.
        assert!(received.matched(NAME, request, (30, 10)).is_some());
        assert_eq!(broken(&mut received, 10), None);
        assert_eq!(received.written(NAME), Some((request, -5)));
        assert!(received.matched(NAME, request, (30, 10)).is_some());
        assert_eq!(received.written(NAME), None);
        assert_eq!(broken(&mut received, 10), Some(request));
        assert!(received.open.is_empty());
    }

    /// The sender's last word took another way than the pieces before it.
    #[test]
    fn pieces_behind_the_end_of_their_message_are_not_kept() {
        let (mut received, request) = (Received::default(), without_provenance_mut(64));
        received.matched(NAME, request, (40, 10));
        assert_eq!(received.written(NAME), None);
        assert_eq!(broken(&mut received, 30), Some(request));
        assert_eq!(received.piece(NAME, (20, 10), never), Piece::Done);
        assert_eq!(received.piece(NAME, (10, 10), never), Piece::Done);
        assert!(received.open.is_empty());
        // Some come while others are written.
        received.matched(NAME, request, (40, 10));
        assert_eq!(broken(&mut received, 30), None);
        assert_eq!(received.piece(NAME, (10, 10), never), Piece::Done);
        assert_eq!(received.written(NAME), Some((request, -5)));
        assert_eq!(received.piece(NAME, (20, 10), never), Piece::Done);
        assert!(received.open.is_empty());
    }

    #[test]
    fn what_no_receive_can_get_leaves_nothing_behind() {
        let mut received = Received::default();
        assert_eq!(received.piece(NAME, (20, 10), || kept(2)), Piece::Done);
        assert_eq!(numbers(&received.dropped(NAME, (30, 10))), [2]);
        assert_eq!(received.piece(NAME, (10, 10), never), Piece::Done);
        assert!(received.open.is_empty());
        // All came before, or the sender gave up, before or after.
        received.piece(NAME, (10, 10), || kept(1));
        assert_eq!(numbers(&received.dropped(NAME, (20, 10))), [1]);
        assert!(received.open.is_empty());
        assert_eq!(broken(&mut received, 20), None);
        assert!(received.dropped(NAME, (40, 10)).is_empty());
        assert_eq!(received.piece(NAME, (10, 10), never), Piece::Done);
        assert!(received.open.is_empty());
        assert!(received.dropped(NAME, (40, 10)).is_empty());
        assert_eq!(received.piece(NAME, (10, 10), never), Piece::Done);
        assert_eq!((broken(&mut received, 20), received.open.len()), (None, 0));
        // Its process is gone.
        assert!(received.dropped(NAME, (20, 10)).is_empty());
        assert!(received.of_origin(4).is_empty() && received.open.len() == 1);
        assert!(received.of_origin(3).is_empty() && received.open.is_empty());
        received.matched(NAME, null_mut(), (20, 10));
        assert_eq!(received.of_origin(3), [NAME]);
    }

    /// The sweep takes the names, another thread finishes one of them, and the sweep ends it.
    #[test]
    fn a_message_that_was_finished_meanwhile_can_not_be_lost() {
        let (mut received, request) = (Received::default(), without_provenance_mut(64));
        received.matched(NAME, request, (10, 10));
        let names = received.of_origin(3);
        assert_eq!(received.written(NAME), Some((request, 0)));
        names.into_iter().for_each(|name| assert_eq!(received.end(name, -7, None), None));
        assert!(received.open.is_empty());
    }

    #[test]
    fn a_sender_is_stopped_above_the_limit_and_goes_on_below_half_of_it() {
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
