//! The operations, in turns.
//!
//! What has more bytes than a slot takes several turns, of which a process that sends only may be some ahead of those
//! that receive. Where one process has data for all, it says how many bytes, and the others go by that; data that
//! has no room ends no operation before its last turn, because others wait.

use cairn_framework::abi::status::{ERR_ARGUMENT, ERR_TRUNCATED};
use cairn_framework::author::Failure;
use cairn_framework::frameworks::coll::*;
use cairn_schedule::{Data, Link};

use crate::blocks;
use crate::flag::{Kind, Turn};
use crate::turns::{Series, Turns};

/// Of more bytes than that few processes share the work of an allreduce; fewer bytes each reduces itself.
const SPLIT: u64 = 4096;

/// Of more bytes than that those that share processors, or are many, reduce at one process, which broadcasts: each has two
/// turns of a processor, where sharing the work takes one for each piece. Fewer bytes the last one to arrive reduces for
/// all.
const AT_ONE: u64 = 16 << 10;

/// An operation on a communicator.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    pub turns: Turns<'a>,
    pub of: cairn_schedule::Call<'a>,
    /// Bytes of data in a slot.
    pub slot: u64,
    pub limits: Limits,
    /// For blocks that have no room in slots.
    pub link: &'a Link,
}

/// The processes whose data a reduction takes, by rank: from the first one to before the second.
type Ranks = (u32, u32);

/// How long vectors and blocks may be.
#[derive(Clone, Copy)]
pub struct Limits {
    /// Of a broadcast.
    pub bcast: u64,
    /// Of the blocks of a gather or scatter, with blocks of one length or of several.
    pub blocks: u64,
    /// Of a reduction at a root.
    pub reduce: u64,
    /// Of all blocks of an alltoall that go to others.
    pub alltoall: u64,
    /// Of an allgather's blocks.
    pub allgather: u64,
    /// Least bytes of a scan.
    pub scan_from: u64,
    /// Of an allreduce or scan.
    pub vectors: u64,
    /// Of all parts of a reduce-scatter that are for others.
    pub parts: u64,
}

/// Whether an operation is done in shared memory, which all processes answer alike: what a process has for others is
/// within the limits, and some of it has room in a slot. That is the vector of a broadcast, reduction or scan, the blocks
/// of an alltoall or the parts of a reduce-scatter (on average) for all others, and every other operation's longest block. Where a process does not know all blocks it is so whatever their lengths are.
#[inline]
pub fn fits(call: &cairn_schedule::Call<'_>, slot: u64, limits: Limits) -> bool {
    if slot == 0 {
        return call.args.operation == COLL_BARRIER;
    }
    let ranks = u64::from(call.size());
    match call.args.operation {
        COLL_GATHERV | COLL_SCATTERV | COLL_ALLTOALLV | COLL_ALLTOALLW => {
            return blocks::fit(call);
        }
        _ => {}
    }
    let counts = || (0..call.size()).map(|rank| call.part(rank));
    let vector = || (call.receive().bytes(), call.receive().datatype().size);
    let (send, receive) = (|| (call.send().bytes(), 0), || (call.receive().bytes(), 0));
    // How long it is, and what has to have room as a whole.
    let (bytes, element) = match call.args.operation {
        COLL_BARRIER => return true,
        COLL_BCAST => receive(),
        // The blocks are the root's, or those that others have.
        COLL_GATHER if call.is_root() => receive(),
        COLL_SCATTER if !call.is_root() => receive(),
        COLL_ALLGATHER => receive(),
        COLL_GATHER | COLL_SCATTER => send(),
        COLL_ALLTOALL => {
            let side = if call.send_in_place() { call.receive() } else { call.send() };
            (side.bytes().saturating_mul(ranks - 1), 0)
        }
        COLL_ALLGATHERV => (call.receive().of(counts().max().unwrap_or(0)).bytes(), 0),
        // A process's share is a whole number of elements.
        COLL_REDUCE | COLL_SCAN | COLL_EXSCAN => vector(),
        COLL_ALLREDUCE => {
            let (bytes, size) = vector();
            (bytes, size * (ranks + 1))
        }
        COLL_REDUCE_SCATTER_BLOCK => {
            let (bytes, size) = vector();
            (bytes.saturating_mul(ranks - 1), size * ranks)
        }
        COLL_REDUCE_SCATTER => {
            let all = counts().fold(0, u64::saturating_add);
            let vector = call.receive().of(all);
            (vector.bytes() / ranks * (ranks - 1), vector.datatype().size * ranks)
        }
        _ => return false,
    };
    let limit = match call.args.operation {
        COLL_BCAST => limits.bcast,
        COLL_GATHER | COLL_SCATTER => limits.blocks,
        COLL_REDUCE => limits.reduce,
        COLL_ALLTOALL => limits.alltoall,
        COLL_ALLGATHER | COLL_ALLGATHERV => limits.allgather,
        COLL_REDUCE_SCATTER | COLL_REDUCE_SCATTER_BLOCK => limits.parts,
        _ => limits.vectors,
    };
    let least = match call.args.operation {
        COLL_SCAN | COLL_EXSCAN => limits.scan_from,
        _ => 0,
    };
    (least..=limit).contains(&bytes) && element <= slot
}

/// Does an operation.
///
/// # Safety
/// The arguments are those of the operation, and `fits` says that it can be done.
pub unsafe fn run(call: &Call<'_>) -> Result<(), Failure> {
    if !call.turns.is_few() {
        call.turns.member.count().comes(call.kind());
    }
    // SAFETY: promised by the caller.
    let well = unsafe {
        match call.of.args.operation {
            COLL_BARRIER => return call.turns.barrier(call.turns.begin()),
            COLL_BCAST => call.bcast(call.root()),
            COLL_GATHER => call.gather(),
            COLL_SCATTER => call.scatter(),
            COLL_ALLGATHER | COLL_ALLGATHERV => call.allgather(),
            COLL_ALLTOALL => call.alltoall(),
            COLL_REDUCE => call.reduce(call.root()),
            COLL_ALLREDUCE => call.allreduce(),
            COLL_REDUCE_SCATTER | COLL_REDUCE_SCATTER_BLOCK => call.reduce_scatter(),
            COLL_SCAN => call.scan(call.turns.rank + 1),
            COLL_EXSCAN => call.scan(call.turns.rank),
            COLL_GATHERV | COLL_SCATTERV => blocks::run(call, call.limits.blocks),
            COLL_ALLTOALLV | COLL_ALLTOALLW => {
                blocks::run(call, call.limits.alltoall / u64::from(call.turns.size - 1))
            }
            _ => return Err(Failure::declined()),
        }?
    };
    if well { Ok(()) } else { Err(truncated()) }
}

#[cold]
fn truncated() -> Failure {
    Failure::new(ERR_TRUNCATED, "the data of another process has no room in the receive buffer")
}

#[cold]
fn uneven() -> Failure {
    Failure::new(ERR_ARGUMENT, "the processes do not have blocks of one length")
}

/// How many turns `count` takes, of which each does `each`: one at least.
fn turns_for(count: u64, each: u64) -> u64 {
    if count <= each { 1 } else { count.div_ceil(each.max(1)) }
}

#[allow(clippy::missing_safety_doc)] // all are as for `run`
impl Call<'_> {
    fn root(&self) -> u32 {
        self.of.args.root as u32
    }

    fn kind(&self) -> Kind {
        match self.of.args.operation {
            COLL_BARRIER => Kind::Barrier,
            COLL_BCAST | COLL_SCATTER | COLL_SCATTERV if self.root() == 0 => Kind::FirstSends,
            _ => Kind::Other,
        }
    }

    pub(crate) fn others(&self) -> impl Iterator<Item = u32> + use<> {
        let own = self.turns.rank;
        (own + 1..self.turns.size).chain(0..own)
    }

    /// Elements where a reduction may read them in place of those in the slot.
    fn readable(&self, data: Data) -> Option<Data> {
        (data.is_flat() && !self.of.send_in_place()).then_some(data)
    }

    unsafe fn bcast(&self, root: u32) -> Result<bool, Failure> {
        let (turns, data) = (&self.turns, self.of.receive());
        let mut at = 0;
        if turns.rank == root {
            let all = data.bytes();
            let piece = self.piece(all);
            loop {
                let turn = turns.begin();
                turns.make_room(turn)?;
                let len = (all - at).min(piece);
                // SAFETY: promised by the caller; a slot has so much room.
                unsafe { turns.put(&data, at, turns.own(turn), len) };
                turns.say_bytes(turn, all);
                turns.set(turn);
                at += len;
                if at == all {
                    return Ok(true);
                }
            }
        }
        let mut well = true;
        loop {
            let turn = turns.begin();
            turns.set(turn);
            turns.wait_for(root, turn)?;
            let all = turns.bytes(root, turn);
            let len = all.saturating_sub(at).min(self.piece(all));
            // SAFETY: as above.
            well &= unsafe { data.write(at, turns.data(root, turn), len) };
            at += len;
            if at >= all {
                return Ok(well);
            }
        }
    }

    /// Bytes of a turn of a block of so many for, or of, one root: where each process has a core, those that read copy a
    /// piece while the next one is written.
    fn piece(&self, all: u64) -> u64 {
        if self.turns.is_few() {
            self.slot.min(self.turns.least_piece().max(all / 4))
        } else {
            self.slot
        }
    }

    /// Where all begin several turns at once, one that needs others would be in another turn from now on, which all see.
    fn stays_alike(&self, needs_the_same: bool) -> Result<(), Failure> {
        if needs_the_same || self.turns.is_few() { Ok(()) } else { Err(uneven()) }
    }

    /// Writes the piece of a rank's block that begins at a byte to its place. Whether there was room.
    unsafe fn take(&self, block: Data, rank: u32, turn: Turn, at: u64, piece: u64) -> bool {
        let len = self.turns.bytes(rank, turn).saturating_sub(at).min(piece);
        // SAFETY: promised by the caller.
        unsafe { block.write(at, self.turns.data(rank, turn), len) }
    }

    unsafe fn gather(&self) -> Result<bool, Failure> {
        let turns = &self.turns;
        if !self.of.is_root() {
            let data = self.of.send();
            let all = data.bytes();
            let piece = self.piece(all);
            for number in 0..turns_for(all, piece) {
                let turn = turns.begin();
                turns.make_room(turn)?;
                let at = number * piece;
                // SAFETY: promised by the caller; a slot has so much room.
                unsafe { turns.put(&data, at, turns.own(turn), (all - at).min(piece)) };
                turns.say_bytes(turn, all);
                turns.set(turn);
            }
            return Ok(true);
        }
        let blocks = self.of.receive_blocks();
        // SAFETY: promised by the caller.
        let mut well =
            self.of.send_in_place() || unsafe { self.of.send().copy_to(&blocks.block(turns.rank)) };
        let (mut number, mut count) = (0, 1);
        while number < count {
            let turn = turns.begin();
            turns.set(turn);
            let mut fewest = u64::MAX;
            for rank in self.others() {
                turns.wait_for(rank, turn)?;
                let all = turns.bytes(rank, turn);
                let piece = self.piece(all);
                // SAFETY: as above.
                well &= unsafe { self.take(blocks.block(rank), rank, turn, number * piece, piece) };
                let needed = turns_for(all, piece);
                (fewest, count) = (fewest.min(needed), count.max(needed));
            }
            // One that is through would be in another turn than the others from now on.
            if fewest < count {
                return Err(uneven());
            }
            number += 1;
        }
        Ok(well)
    }

    /// Where all blocks together have room in the root's slot, they are there; otherwise the root writes
    /// to each process's own.
    unsafe fn scatter(&self) -> Result<bool, Failure> {
        let (turns, ranks) = (&self.turns, u64::from(self.turns.size));
        let is_in_one = |all: u64| all <= self.slot / ranks;
        let in_place = self.of.receive_in_place();
        if self.of.is_root() {
            let blocks = self.of.send_blocks();
            let all = self.of.send().bytes();
            let piece = self.piece(all);
            for number in 0..turns_for(all, piece) {
                let turn = turns.begin();
                turns.make_room(turn)?;
                let at = number * piece;
                let len = (all - at).min(piece);
                for rank in self.others() {
                    let place = match is_in_one(all) {
                        true => turns.own(turn).wrapping_add((u64::from(rank) * all) as usize),
                        false => turns.data(rank, turn),
                    };
                    // SAFETY: promised by the caller. All are through with what was in any slot of the turn, and no
                    // other process writes there in this one.
                    unsafe { turns.put(&blocks.block(rank), at, place, len) };
                }
                turns.say_bytes(turn, all);
                turns.set(turn);
            }
            // SAFETY: promised by the caller.
            return Ok(in_place || unsafe { blocks.block(turns.rank).copy_to(&self.of.receive()) });
        }
        let (mut at, mut well) = (0, true);
        loop {
            let turn = turns.begin();
            turns.set(turn);
            turns.wait_for(self.root(), turn)?;
            let all = turns.bytes(self.root(), turn);
            let len = all.saturating_sub(at).min(self.piece(all));
            let place = match is_in_one(all) {
                true => {
                    let begin = turns.data(self.root(), turn);
                    begin.wrapping_add((u64::from(turns.rank) * all) as usize)
                }
                false => turns.own(turn),
            };
            // SAFETY: as above.
            well &= unsafe { self.of.receive().write(at, place, len) };
            at += len;
            if at >= all {
                return Ok(well);
            }
        }
    }

    /// Where all blocks are as long as their own, and processes are many or share processors, they meet once for as much as
    /// is in the slots of several turns.
    unsafe fn allgather(&self) -> Result<bool, Failure> {
        let turns = &self.turns;
        let blocks = self.of.receive_blocks();
        let own = blocks.block(turns.rank);
        let data = if self.of.send_in_place() { own } else { self.of.send() };
        let all = data.bytes();
        let is_even = self.of.args.operation == COLL_ALLGATHER;
        let most = if is_even { turns.most_in_series() } else { 1 } * self.slot;
        let mut well = true;
        let (mut at, mut end) = (0, all);
        loop {
            let part = |all: u64| all.saturating_sub(at).min(most);
            let series = turns.begin_series(turns_for(part(all), self.slot))?;
            // SAFETY: as above; the slots have so much room.
            unsafe { self.put_in(series, 0, &data, at, part(all)) };
            turns.say_bytes(series.first, all);
            turns.exchange(series.first)?;
            if at == 0 && !self.of.send_in_place() {
                // SAFETY: as above.
                well &= unsafe { data.copy_to(&own) };
            }
            for rank in self.others() {
                let its = turns.bytes(rank, series.first);
                if its != all {
                    self.stays_alike(
                        !is_even || turns_for(its, self.slot) == turns_for(all, self.slot),
                    )?;
                    end = end.max(its);
                }
                // SAFETY: as above.
                well &=
                    unsafe { self.take_from(rank, series, 0, &blocks.block(rank), at, part(its)) };
            }
            turns.end_series(series);
            at += most;
            if at >= end {
                return Ok(well);
            }
        }
    }

    /// Blocks for others lie one behind the other in a slot, or in those of several turns where all meet once for them. If
    /// they are longer than those, a part of each goes at a time.
    unsafe fn alltoall(&self) -> Result<bool, Failure> {
        let (turns, others) = (&self.turns, u64::from(self.turns.size) - 1);
        let come = self.of.receive_blocks();
        let gone = if self.of.send_in_place() { come } else { self.of.send_blocks() };
        let all = gone.block(0).bytes();
        // Of one block.
        let most = turns.most_in_series() * (self.slot / others);
        let slots = |part: u64| turns_for(part * others, self.slot);
        let mut well = true;
        let (mut at, mut end) = (0, all);
        loop {
            let part = |all: u64| all.saturating_sub(at).min(most);
            let series = turns.begin_series(slots(part(all)))?;
            for (place, rank) in (0..others).zip(self.others()) {
                let (block, len) = (gone.block(rank), part(all));
                // SAFETY: as above; the slots have room for a part of each block.
                unsafe { self.put_in(series, place * len, &block, at, len) };
            }
            turns.say_bytes(series.first, all);
            turns.exchange(series.first)?;
            if at == 0 && !self.of.send_in_place() {
                // SAFETY: as above.
                well &= unsafe { gone.block(turns.rank).copy_to(&come.block(turns.rank)) };
            }
            for rank in self.others() {
                let its = turns.bytes(rank, series.first);
                if its != all {
                    let alike = turns_for(its, most) == turns_for(all, most);
                    self.stays_alike(alike && slots(part(its)) == slots(part(all)))?;
                    end = end.max(its);
                }
                let (block, len) = (come.block(rank), part(its));
                // Its others begin behind it.
                let behind = turns.rank + if turns.rank < rank { turns.size } else { 0 } - rank - 1;
                let place = u64::from(behind) * len;
                // SAFETY: as above.
                well &= unsafe { self.take_from(rank, series, place, &block, at, len) };
            }
            turns.end_series(series);
            at += most;
            if at >= end {
                return Ok(well);
            }
        }
    }

    /// Writes bytes of a block, from one of them on, to an offset in this process's slots of a series.
    #[inline]
    unsafe fn put_in(&self, series: Series, offset: u64, block: &Data, at: u64, len: u64) {
        self.spread(series, offset, len, |turn, offset, done, len| {
            let to = self.turns.own(turn).wrapping_add(offset);
            // SAFETY: promised by the caller.
            unsafe { self.turns.put(block, at + done, to, len) };
        });
    }

    /// The other way, from a rank's slots. Whether there was room.
    #[inline]
    unsafe fn take_from(
        &self,
        rank: u32,
        series: Series,
        offset: u64,
        block: &Data,
        at: u64,
        len: u64,
    ) -> bool {
        let mut well = true;
        self.spread(series, offset, len, |turn, offset, done, len| {
            let from = self.turns.data(rank, turn).wrapping_add(offset);
            // SAFETY: promised by the caller.
            well &= unsafe { block.write(at + done, from, len) };
        });
        well
    }

    /// Bytes at an offset in the slots of a series: for those in each slot its turn, their offset there, how many come
    /// before them, and how many they are.
    #[inline]
    fn spread(
        &self,
        series: Series,
        offset: u64,
        len: u64,
        mut each: impl FnMut(Turn, usize, u64, u64),
    ) {
        if offset + len <= self.slot {
            return each(series.first, offset as usize, 0, len);
        }
        let mut done = 0;
        while done < len {
            let (nth, at) = ((offset + done) / self.slot, (offset + done) % self.slot);
            let here = (self.slot - at).min(len - done);
            each(series.turn(nth), at as usize, done, here);
            done += here;
        }
    }

    unsafe fn reduce(&self, root: u32) -> Result<bool, Failure> {
        let turns = &self.turns;
        let is_root = turns.rank == root;
        let result = self.of.receive();
        let mine = self.of.contribution();
        let each = self.slot.checked_div(mine.datatype().size).unwrap_or(mine.count);
        for number in 0..turns_for(mine.count, each) {
            let first = number * each;
            let (part, to) = self.parts(mine, result, first, each);
            let turn = turns.begin();
            let own = self.readable(part).filter(|_| is_root);
            if own.is_none() {
                turns.make_room(turn)?;
                // SAFETY: promised by the caller; a slot has so much room.
                unsafe { turns.put(&part, 0, turns.own(turn), part.bytes()) };
            }
            turns.set(turn);
            if is_root {
                for rank in self.others() {
                    turns.wait_for(rank, turn)?;
                }
                // SAFETY: as above.
                unsafe { self.fold(turn, (0, turns.size), 0, own, to) };
            }
        }
        Ok(true)
    }

    /// The part of a process's vector, and of a result, that begins at an element and has at most so many.
    fn parts(&self, mine: Data, result: Data, first: u64, most: u64) -> (Data, Data) {
        let count = mine.count.saturating_sub(first).min(most);
        (mine.part(first, count), result.part(first, count))
    }

    /// Reduces what processes have in their slots from a byte on; `own` is in place of what is in this process's
    /// slot. The operation takes operands from the right, so that it needs no memory but the result's: the last
    /// rank's comes there first, and `result = operand op result` for each one before.
    unsafe fn fold(&self, turn: Turn, ranks: Ranks, at: u64, own: Option<Data>, result: Data) {
        let (turns, (first, end)) = (&self.turns, ranks);
        if result.count == 0 || first == end {
            return;
        }
        let own_at = |rank: u32| own.filter(|_| rank == turns.rank);
        let place = |rank: u32| turns.data(rank, turn).wrapping_add(at as usize);
        let (datatype, bytes) = (result.datatype(), result.bytes());
        let mut temporary = None;
        // SAFETY: promised by the caller: all slots are there, and the result has room for one vector.
        unsafe {
            let _ = match own_at(end - 1) {
                Some(own) => own.copy_to(&result),
                None => result.write(0, place(end - 1), bytes),
            };
            for rank in (first..end - 1).rev() {
                let operand = match own_at(rank) {
                    Some(own) => own.buffer.cast(),
                    None if result.is_flat() => {
                        place(rank).wrapping_offset(-(datatype.true_lb as isize)).cast()
                    }
                    None => {
                        let own = temporary.get_or_insert_with(|| result.temporary());
                        let _ = own.data.write(0, place(rank), bytes);
                        own.data.buffer.cast()
                    }
                };
                let apply = (*self.of.args.op).apply.unwrap_unchecked();
                apply(self.of.args.op, operand, result.buffer.cast(), result.count, datatype);
            }
        }
    }

    unsafe fn allreduce(&self) -> Result<bool, Failure> {
        let (turns, result) = (&self.turns, self.of.receive());
        let mine = self.of.contribution();
        let is_few = turns.is_few();
        let bytes = mine.bytes();
        // SAFETY: promised by the caller.
        unsafe {
            if is_few && bytes > SPLIT.min(self.slot) {
                return self.allreduce_by_parts(mine, result);
            }
            if !is_few && bytes > AT_ONE.min(self.slot) {
                return Ok(self.reduce(0)? & self.bcast(0)?);
            }
        }
        let each = self.slot.checked_div(mine.datatype().size).unwrap_or(mine.count);
        for number in 0..turns_for(mine.count, each) {
            let (part, to) = self.parts(mine, result, number * each, each);
            let turn = turns.begin();
            turns.make_room(turn)?;
            let bytes = part.bytes();
            // SAFETY: promised by the caller; a slot has so much room, and so has the result, which the last process writes
            // when all have read the one before.
            unsafe {
                turns.put(&part, 0, turns.own(turn), bytes);
                let reduce = || self.fold(turn, (0, turns.size), 0, self.readable(part), to);
                if is_few {
                    turns.exchange(turn)?;
                    reduce();
                    continue;
                }
                let shared = turns.member.shared.result();
                let work = || {
                    reduce();
                    to.read(0, shared, bytes);
                };
                if !turns.meet(turn, work)? {
                    let _ = to.write(0, shared, bytes);
                }
            }
        }
        Ok(true)
    }

    /// Each process reduces its part of a piece, and tells the result in the next turn, with the data of the next
    /// piece.
    unsafe fn allreduce_by_parts(&self, mine: Data, result: Data) -> Result<bool, Failure> {
        let (turns, ranks) = (&self.turns, u64::from(self.turns.size));
        let (count, size) = (mine.count, mine.datatype().size);
        // In a slot there are the data of a piece and the result of one part.
        let most = self.slot / (ranks + 1) / size;
        let pieces = turns_for(count, most * ranks);
        let results = (most * ranks * size) as usize;
        // The last ones may be shorter. All are as long as the first one but the last.
        let part_of = |piece: u64, rank: u32| {
            let begin = piece * most * ranks;
            let here = count.saturating_sub(begin).min(most * ranks);
            let part = here.div_ceil(ranks);
            let first = (u64::from(rank) * part).min(here);
            (begin + first, part.min(here - first))
        };
        for piece in 0..=pieces {
            let turn = turns.begin();
            turns.make_room(turn)?;
            let slot = turns.own(turn);
            // SAFETY: promised by the caller; a slot has room for all of that.
            unsafe {
                if piece < pieces {
                    let (begin, _) = part_of(piece, 0);
                    for rank in 0..turns.size {
                        let (first, count) = part_of(piece, rank);
                        let part = mine.part(first, count);
                        if rank != turns.rank || self.readable(part).is_none() {
                            let at = (first - begin) * size;
                            turns.put(&part, 0, slot.wrapping_add(at as usize), part.bytes());
                        }
                    }
                }
                if piece > 0 {
                    let (first, count) = part_of(piece - 1, turns.rank);
                    turns.put(
                        &result.part(first, count),
                        0,
                        slot.wrapping_add(results),
                        count * size,
                    );
                }
                turns.exchange(turn)?;
                if piece < pieces {
                    let (begin, _) = part_of(piece, 0);
                    let (first, count) = part_of(piece, turns.rank);
                    let own = self.readable(mine.part(first, count));
                    let (at, to) = ((first - begin) * size, result.part(first, count));
                    self.fold(turn, (0, turns.size), at, own, to);
                }
                if piece > 0 {
                    for rank in self.others() {
                        let (first, count) = part_of(piece - 1, rank);
                        let from = turns.data(rank, turn).wrapping_add(results);
                        let _ = result.part(first, count).write(0, from, count * size);
                    }
                }
            }
        }
        Ok(true)
    }

    /// Pieces of all parts at a time. In place, what the result overwrites was told in this turn or
    /// before: a part begins behind those before it.
    unsafe fn reduce_scatter(&self) -> Result<bool, Failure> {
        let (turns, result) = (&self.turns, self.of.receive());
        let counted = self.of.args.operation == COLL_REDUCE_SCATTER;
        let part = |rank: u32| if counted { self.of.part(rank) } else { result.count };
        let size = result.datatype().size;
        let longest = (0..turns.size).map(part).max().unwrap_or(0);
        let each = (self.slot / u64::from(turns.size)).checked_div(size).unwrap_or(longest);
        for number in 0..turns_for(longest, each) {
            let piece = |rank: u32| {
                let first = number * each;
                (first, part(rank).saturating_sub(first).min(each))
            };
            let place = |rank: u32| u64::from(rank) * each * size;
            let turn = turns.begin();
            turns.make_room(turn)?;
            let (mut begin, mut own) = (0, None);
            for rank in 0..turns.size {
                let (first, count) = piece(rank);
                let data = self.of.contribution().part(begin + first, count);
                begin += part(rank);
                if rank == turns.rank {
                    own = self.readable(data);
                    if own.is_some() {
                        continue;
                    }
                }
                let to = turns.own(turn).wrapping_add(place(rank) as usize);
                // SAFETY: as above; a slot has room for a piece of each part.
                unsafe { turns.put(&data, 0, to, data.bytes()) };
            }
            turns.exchange(turn)?;
            let (first, count) = piece(turns.rank);
            let to = result.part(first, count);
            // SAFETY: as above.
            unsafe { self.fold(turn, (0, turns.size), place(turns.rank), own, to) };
        }
        Ok(true)
    }

    /// The reduction of what the ranks before `end` have.
    unsafe fn scan(&self, end: u32) -> Result<bool, Failure> {
        let (turns, result) = (&self.turns, self.of.receive());
        let mine = self.of.contribution();
        let each = self.slot.checked_div(mine.datatype().size).unwrap_or(mine.count);
        for number in 0..turns_for(mine.count, each) {
            let (part, to) = self.parts(mine, result, number * each, each);
            let turn = turns.begin();
            turns.make_room(turn)?;
            // SAFETY: promised by the caller; a slot has so much room.
            unsafe { turns.put(&part, 0, turns.own(turn), part.bytes()) };
            turns.set(turn);
            for rank in (0..turns.rank).rev() {
                turns.wait_for(rank, turn)?;
            }
            // SAFETY: as above.
            unsafe { self.fold(turn, (0, end), 0, self.readable(part), to) };
        }
        Ok(true)
    }
}
