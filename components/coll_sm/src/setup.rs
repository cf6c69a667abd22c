//! Making the memory that all processes of a communicator share, or agreeing that there is none.
//!
//! ```text
//!   header of the segment │ board, shape │ result │ slots of rank 0 │ slots of rank 1 │ ...
//!   a slot                │ flag │ bytes │ data ...
//! ```

use core::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use cairn_framework::abi::host::LOG_INFO;
use cairn_framework::author::{Failure, HostHandle, wake_sleepers, whole_lines_from};
use cairn_schedule::told::{Told, keep_first, lost};
use cairn_segment::{Backing, CARD_LEN, HEADER, Options, Segment};

use crate::board::Board;
use crate::flag::{Flag, Slots, Turn};

/// What lies at the beginning of the memory.
#[repr(C)]
struct Front {
    board: Board,
    shape: Shape,
}

/// How the memory is laid out and used, as rank 0 says to all before any other has it.
#[repr(C, align(128))]
#[derive(Clone, Copy)]
pub struct Shape {
    /// Bytes of data in a slot, and in the result; 0: there are barriers only.
    pub slot: u64,
    /// Whether each process reads what all others have, since there are few and they run at the same time. Otherwise
    /// the last one that comes does the work.
    pub is_few: u32,
    pub slots: Slots,
    /// Bytes of a broadcast, gather or scatter that few processes copy at a time at least, so that all copy at once.
    /// Here, as the maker's processor may not be that of all.
    pub piece: u64,
}

/// What [`Shape::piece`] is where this process makes it.
fn least_piece() -> u64 {
    const PIECE: u64 = 4096;
    // What is written faster than it is read is not worth as many turns.
    if whole_lines_from().is_some() { 2 * PIECE } else { PIECE }
}

/// The beginning of a slot. Data follow: those of up to 48 bytes are in the same cache line.
#[repr(C, align(16))]
struct Head {
    flag: Flag,
    /// How many bytes the owner's operation has. Written before the flag, read behind it, so Relaxed.
    bytes: AtomicU64,
}

/// Between the beginnings of two slots, and what the result takes.
fn stride(slot: u64) -> usize {
    if slot == 0 { 0 } else { (size_of::<Head>() + slot as usize).next_multiple_of(LINES) }
}

/// What different processes write lies in different pairs of cache lines.
const LINES: usize = 128;

/// Bytes of a segment of this shape.
fn len(slot: u64, slots: Slots, size: u32) -> usize {
    HEADER + size_of::<Front>() + stride(slot) * (1 + slots.number() as usize * size as usize)
}

/// The smallest slot that is worth its while.
const SMALLEST: u64 = 256;

/// The smallest slot among so many processes: `blocks` has a place for each of them in one.
fn smallest(size: u32) -> u64 {
    SMALLEST.max(16 * u64::from(size))
}

/// No slot is larger, whatever is wished for: sizes of segments are far from the end of all numbers.
const LARGEST: u64 = 1 << 40;

/// A communicator with more slots has as few for each process as may be.
const MANY_SLOTS: u32 = 128;

/// Where processes share processors, or are many, all slots together have so many times the wished bytes at most, but
/// each has those at least.
const ALL_SLOTS: u64 = 256;

/// Memory that all processes of the communicator have mapped.
pub struct Shared {
    segment: Segment,
    shape: Shape,
    size: u32,
    /// For the process that made it: bytes of all that it has made.
    made: Option<Arc<AtomicU64>>,
}

impl Drop for Shared {
    fn drop(&mut self) {
        if let Some(made) = &self.made {
            made.fetch_sub(self.segment.front_len() as u64, Ordering::Relaxed);
        }
    }
}

/// What the first process makes the memory from.
pub struct Wish {
    /// Bytes of data in a slot, at most.
    pub slot: u64,
    /// Bytes of all memory that the process makes, at most, but for boards alone.
    pub memory: u64,
    /// Bytes of all that it has made so far.
    pub made: Arc<AtomicU64>,
    pub is_few: bool,
    /// Of any process: it can't go on, so that all fail.
    pub is_lost: bool,
}

impl Wish {
    /// The largest slot for which there is room, and how many of them.
    fn slot(&self, size: u32) -> (u64, Slots) {
        let left = self.memory.saturating_sub(self.made.load(Ordering::Relaxed));
        let mut slot = self.wished(size).min(LARGEST) / 16 * 16;
        let mut slots = self.slots(size);
        while slot >= smallest(size) {
            if len(slot, slots, size) as u64 <= left {
                return (slot, slots);
            }
            match slots.half() {
                Some(half) => slots = half,
                None => slot = slot / 2 / 16 * 16,
            }
        }
        (0, Slots::FEWEST)
    }

    /// Bytes of a slot. Where processes share processors, each turn of all takes its time, so that there are to be few;
    /// but all slots together should have room in the caches.
    fn wished(&self, size: u32) -> u64 {
        if self.is_few {
            return self.slot;
        }
        let all = self.slot.saturating_mul(ALL_SLOTS);
        let slots = u64::from(self.slots(size).number().saturating_mul(size));
        (all / slots).clamp(self.slot, self.slot.saturating_mul(4))
    }

    /// How many slots a process has. Where processes take turns on a processor, one that sends only goes on for as many
    /// of them before it lets others run. Where they run at once more would but take more room in their caches.
    fn slots(&self, size: u32) -> Slots {
        let mut slots = if self.is_few { Slots::FEWEST } else { Slots::MOST };
        while slots.number().saturating_mul(size) > MANY_SLOTS
            && let Some(half) = slots.half()
        {
            slots = half;
        }
        slots
    }
}

impl Shared {
    fn front(&self) -> &Front {
        // SAFETY: the front is long enough, which `attach` checks, it begins with a page and the header keeps the
        // alignment; zero is a board, all of its fields are atomic, and the shape does not change.
        unsafe { &*self.segment.front().add(HEADER).cast::<Front>() }
    }

    pub fn board(&self) -> &Board {
        &self.front().board
    }

    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The data of the result.
    pub fn result(&self) -> *mut u8 {
        // SAFETY: the segment is as long as its shape says. The result has a head of its own, which nobody uses.
        unsafe { self.segment.front().add(HEADER + size_of::<Front>() + size_of::<Head>()) }
    }

    #[inline]
    fn slot(&self, rank: u32, slot: usize) -> *mut u8 {
        debug_assert!(
            rank < self.size && slot < self.shape.slots.number() as usize && self.shape.slot > 0
        );
        let number = 1 + rank as usize * self.shape.slots.number() as usize + slot;
        let offset = HEADER + size_of::<Front>() + number * stride(self.shape.slot);
        // SAFETY: the segment is as long as its shape says.
        unsafe { self.segment.front().add(offset) }
    }

    #[inline]
    fn head(&self, rank: u32, slot: usize) -> &Head {
        // SAFETY: a slot begins with one, aligned to cache lines; all fields are atomic.
        unsafe { &*self.slot(rank, slot).cast::<Head>() }
    }

    /// The flag of a rank in a turn.
    #[inline]
    pub fn flag(&self, rank: u32, turn: Turn) -> &Flag {
        &self.head(rank, turn.slot(self.shape.slots)).flag
    }

    /// How many bytes its operation has.
    #[inline]
    pub fn bytes(&self, rank: u32, turn: Turn) -> &AtomicU64 {
        &self.head(rank, turn.slot(self.shape.slots)).bytes
    }

    /// The data of its slot.
    #[inline]
    pub fn data(&self, rank: u32, turn: Turn) -> *mut u8 {
        // SAFETY: data follow the head.
        unsafe { self.slot(rank, turn.slot(self.shape.slots)).add(size_of::<Head>()) }
    }

    /// All flags.
    pub fn flags(&self) -> impl Iterator<Item = &Flag> {
        let ranks = if self.shape.slot > 0 { self.size } else { 0 };
        (0..ranks)
            .flat_map(move |rank| {
                (0..self.shape.slots.number() as usize).map(move |slot| (rank, slot))
            })
            .map(|(rank, slot)| &self.head(rank, slot).flag)
    }

    /// No process of the communicator is to wait on the board or a flag any more.
    #[cold]
    pub fn break_off(&self) {
        let board = self.board();
        // The board first: whoever goes to sleep on a flag looks at it.
        if board.break_off() {
            wake_sleepers(board.word());
        }
        for flag in self.flags() {
            if flag.break_off() {
                wake_sleepers(flag.word());
            }
        }
    }

    fn create(job: &str, size: u32, wish: &Wish) -> Result<Self, cairn_segment::Error> {
        const { assert!(HEADER.is_multiple_of(align_of::<Front>())) };
        const { assert!(size_of::<Head>() == 16 && LINES.is_multiple_of(align_of::<Head>())) };
        let (slot, slots) = wish.slot(size);
        let len = len(slot, slots, size);
        let options = Options {
            name: &format!("{job}-coll"),
            len,
            front: len,
            backing: Backing::Memory,
            peers: size - 1,
        };
        let segment = Segment::create(&options)?;
        let is_few = (wish.is_few && slot > 0).into();
        let shape = Shape { slot, is_few, slots, piece: least_piece() };
        let made = Arc::clone(&wish.made);
        made.fetch_add(segment.front_len() as u64, Ordering::Relaxed);
        // SAFETY: mapped, long enough and aligned as for `front`, and no other process has it yet.
        unsafe {
            let front = segment.front().add(HEADER).cast::<Front>();
            (&raw mut (*front).shape).write(shape);
        }
        let own = Self { segment, shape, size, made: Some(made) };
        own.flags().for_each(|flag| flag.begin(Turn::BEFORE));
        Ok(own)
    }

    fn attach(card: &[u8], size: u32) -> Result<Self, cairn_segment::Error> {
        let segment = Segment::attach(card)?;
        let short = || cairn_segment::Error::Card("it has no room for a board".into());
        if segment.front_len() < len(0, Slots::FEWEST, size) {
            return Err(short());
        }
        // SAFETY: as for `front`. Its maker has written it before it gave the card away.
        let shape = unsafe { (*segment.front().add(HEADER).cast::<Front>()).shape };
        if !shape.slots.is_known()
            || shape.slot % 16 != 0
            || shape.piece == 0
            || (shape.slot == 0 && shape.is_few != 0)
            || (shape.slot != 0 && shape.slot < smallest(size))
            || shape.slot > segment.front_len() as u64
            || segment.front_len() < len(shape.slot, shape.slots, size)
        {
            return Err(short());
        }
        Ok(Self { segment, shape, size, made: None })
    }

    /// All have it: no descriptor is needed any more.
    fn agreed(mut self) -> Self {
        self.segment.close_file();
        self
    }
}

/// What became of a board.
const NONE: u8 = 0;
const ALL_HAVE_IT: u8 = 1;
/// A process has died.
const LOST: u8 = 2;

/// Called by all processes of the communicator. All get a board, or none does; all fail, if one of them has
/// died. Of a death that comes when others have heard that all have a board, those learn by the board: it is broken.
///
/// All greet rank 0, since a transport may not notice the death of a process that it had nothing to do with. That makes it
/// and sends its card, an empty one if it can't; the others try and answer; rank 0 tells them what came of it. What became
/// of the memory is the same in answers as in what is told.
pub fn share(
    host: HostHandle,
    operation: &Told<'_>,
    wish: &Wish,
) -> Result<Option<Shared>, Failure> {
    let note = |error: cairn_segment::Error| {
        host.log(LOG_INFO, || format!("collective operations go on with messages: {error}"));
    };
    let (rank, size) = (operation.comm.rank, operation.comm.remote_size);
    if rank != 0 {
        operation.send(0, &[])?;
        let mut card = [0; CARD_LEN];
        operation.receive(0, &mut card)?;
        let own = Shared::attach(&card, size).map_err(note).ok();
        let answer = if wish.is_lost { LOST } else { own.is_some().into() };
        operation.send(0, &[answer])?;
        let mut answer = [NONE];
        operation.receive(0, &mut answer)?;
        return match answer {
            [ALL_HAVE_IT] => Ok(own.map(Shared::agreed)),
            [LOST] => Err(lost()),
            _ => Ok(None),
        };
    }
    // SAFETY: the host keeps the string as long as the process lives.
    let job = unsafe { cairn_framework::text::copy(host.job().id) };
    let own = Shared::create(&job, size, wish).map_err(note).ok();
    let card = own.as_ref().map_or([0; CARD_LEN], |own| *own.segment.card());
    // The others wait for us, whichever of them has died.
    let (mut result, mut agreed) = (Ok(()), own.is_some());
    if wish.is_lost {
        result = Err(lost());
    }
    for peer in 1..size {
        keep_first(&mut result, operation.receive(peer, &mut []));
        keep_first(&mut result, operation.send(peer, &card));
    }
    for peer in 1..size {
        let mut has_it = [0];
        keep_first(&mut result, operation.receive(peer, &mut has_it));
        if has_it == [LOST] {
            keep_first(&mut result, Err(lost()));
        }
        agreed &= has_it == [ALL_HAVE_IT];
    }
    let answer = match (&result, agreed) {
        (Err(_), _) => LOST,
        (Ok(()), true) => ALL_HAVE_IT,
        (Ok(()), false) => NONE,
    };
    for peer in 1..size {
        keep_first(&mut result, operation.send(peer, &[answer]));
    }
    match (result, own) {
        // Whoever has heard the answer uses the board, as this process therefore has to.
        (Err(_), Some(own)) if answer == ALL_HAVE_IT => {
            own.break_off();
            Ok(Some(own.agreed()))
        }
        (result, own) => result.map(|()| own.filter(|_| agreed).map(Shared::agreed)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Offsets within slots are made from the shape, so one that its maker would not write is refused.
    #[test]
    fn a_shape_is_taken_only_if_each_process_has_a_place_in_a_slot() {
        let (size, made) = (20, Arc::default());
        let wish = Wish { slot: 16 << 10, memory: 64 << 20, made, is_few: false, is_lost: false };
        let own = Shared::create("cairn-test", size, &wish).unwrap();
        let well = own.shape();
        for (slot, is_taken) in
            [(well.slot, true), (320, true), (304, false), (16, false), (0, true)]
        {
            // SAFETY: as in `create`; nobody else has it.
            unsafe {
                let front = own.segment.front().add(HEADER).cast::<Front>();
                (&raw mut (*front).shape).write(Shape { slot, ..well });
            }
            assert_eq!(Shared::attach(own.segment.card(), size).is_ok(), is_taken, "{slot}");
        }
        // SAFETY: likewise.
        unsafe {
            let front = own.segment.front().add(HEADER).cast::<Front>();
            (&raw mut (*front).shape).write(Shape { piece: 0, ..well });
        }
        assert!(Shared::attach(own.segment.card(), size).is_err(), "it would be no piece");
    }

    #[test]
    fn no_wish_is_too_large() {
        let most = i64::MAX as u64;
        for size in [2, 3, 1000, 1 << 20] {
            for (slot, memory) in [(most, 64 << 20), (most, most), (16 << 10, most), (most, 0)] {
                let wish =
                    Wish { slot, memory, made: Arc::default(), is_few: false, is_lost: false };
                let (slot, slots) = wish.slot(size);
                assert!(slot <= LARGEST && slot.is_multiple_of(16));
                assert!(slot == 0 || len(slot, slots, size) as u64 <= memory, "{size} {slot}");
            }
        }
        // Shorter slots come behind fewer ones.
        let of = |memory: u64, is_few, size| {
            let made = Arc::default();
            let (slot, slots) =
                Wish { slot: 16 << 10, memory, made, is_few, is_lost: false }.slot(size);
            (slot, slots.number())
        };
        assert_eq!(of(64 << 20, false, 4), (64 << 10, 16));
        assert_eq!(of(64 << 20, false, 8), (32 << 10, 16));
        assert_eq!(of(64 << 20, false, 16), (32 << 10, 8));
        assert_eq!(of(64 << 20, false, 32), (32 << 10, 4));
        assert_eq!(of(64 << 20, true, 4), (16 << 10, 4));
        assert_eq!(of(64 << 20, false, 1000), (16 << 10, 4));
        assert_eq!(of(600 << 10, false, 4), (32 << 10, 4));
        assert_eq!(of(200 << 10, false, 4), (8 << 10, 4));
        // One that has no room as a whole.
        let wish =
            Wish { slot: most, memory: most, made: Arc::default(), is_few: true, is_lost: false };
        assert!(Shared::create("cairn-test", 2, &wish).is_err());
    }
}
