//! Operations with blocks of several lengths, of which a process knows those that it sends and receives itself.
//!
//! ```text
//!   gatherv                          a slot   head │ bytes, the owner's block
//!   scatterv, alltoallv, alltoallw   a slot   head │ bytes, block for the next rank │ bytes, block for the one behind │ ...
//!
//!   one that sends      put short blocks ─► flag ─► receiver's flag ─► is the board broken? ─┬─► no: a long block in a message
//!                                                                                            └─► yes: an empty one in its place
//!   one that receives   begin to receive long blocks ─► sender's flag ─► copy short ones ─► wait for messages
//! ```
//!
//! So that all have the same turns whatever the lengths are, each operation has one. A block that is long goes in a
//! message, which is said where its bytes would be. So the sender decides, and whoever expects another length waits for
//! no message that does not come, and leaves none behind.
//!
//! **Why nobody waits for ever for a message**, or to be rid of one, when a process dies. One that can't go on since an
//! earlier operation takes no message of this one, so data go only to those that have begun it, as their flags say.
//! A receiver that has begun and can't go on breaks the board, and then looks at the flags once more: from those that are
//! set it takes what is said to come. A sender sets its flag, and then looks at the board. There is a full fence
//! between the two on both sides, so one of them sees the other: either the receiver takes the message, or the sender
//! sends an empty one, which needs no receiver.

use cairn_framework::author::Failure;
use cairn_framework::frameworks::coll::{
    COLL_ALLTOALLV, COLL_ALLTOALLW, COLL_GATHERV, COLL_SCATTERV,
};
use cairn_schedule::{Data, Messages};

use crate::flag::Turn;
use crate::operations::Call;

/// In the place of the number of bytes: the block comes in a message.
const IN_MESSAGE: u64 = u64::MAX;

/// Blocks in a slot begin at multiples of that. A slot has at least as much for each process.
const ALIGNMENT: u64 = 16;

/// In front of each block: its bytes.
const HEAD: u64 = size_of::<u64>() as u64;

/// Bytes between the beginnings of two blocks in a slot.
fn stride(operation: u32, slot: u64, size: u32) -> u64 {
    let blocks = if operation == COLL_GATHERV { 1 } else { u64::from(size - 1) };
    slot / blocks / ALIGNMENT * ALIGNMENT
}

/// Whether such an operation is done here, which all processes answer alike. In place, what a message overwrites would
/// have to be kept for those that get it in another one.
pub fn fit(call: &cairn_schedule::Call<'_>) -> bool {
    !(matches!(call.args.operation, COLL_ALLTOALLV | COLL_ALLTOALLW) && call.send_in_place())
}

/// Does one: whether all had room where they were received. Blocks of more than `most` bytes go in messages.
///
/// # Safety
/// The arguments are those of the operation, which fits.
pub unsafe fn run(call: &Call<'_>, most: u64) -> Result<bool, Failure> {
    let (comm, args) = (call.of.comm, call.of.args);
    let turn = call.turns.begin();
    let stride = stride(args.operation, call.slot, call.turns.size);
    // SAFETY: promised by the caller; no other operation has the tag.
    let messages = unsafe { Messages::new(call.link, comm, args.tag) };
    let most = most.min(stride - HEAD);
    let mut own = Blocks { call, turn, stride, most, messages, long: Vec::new() };
    // SAFETY: promised by the caller.
    let done = unsafe {
        match args.operation {
            COLL_GATHERV => own.gatherv(),
            COLL_SCATTERV => own.scatterv(),
            _ => own.alltoallv(),
        }
    };
    // What is under way leads to memory of the caller's, so it ends in any case.
    let told = own.messages.finish();
    let well = done?;
    told.map(|()| well)
}

/// An operation of one process.
struct Blocks<'a> {
    call: &'a Call<'a>,
    turn: Turn,
    stride: u64,
    /// Bytes of a block in a slot, at most.
    most: u64,
    messages: Messages<'a>,
    /// Those that go in messages.
    long: Vec<(u32, Data)>,
}

#[allow(clippy::missing_safety_doc)] // all are as for `run`
impl Blocks<'_> {
    /// Where a process puts a block for another one.
    fn place(&self, from: u32, to: u32) -> *mut u8 {
        let size = self.call.turns.size;
        let behind =
            if self.call.of.args.operation == COLL_GATHERV { 0 } else { to + size - from - 1 };
        let offset = u64::from(behind % size) * self.stride;
        self.call.turns.data(from, self.turn).wrapping_add(offset as usize)
    }

    /// Puts a block where its receiver takes it from, if it is short.
    unsafe fn put(&mut self, to: u32, block: Data) {
        let (bytes, place) = (block.bytes(), self.place(self.call.turns.rank, to));
        let is_short = bytes <= self.most;
        // SAFETY: promised by the caller. The slot is this process's in this turn. There is room for the head and as
        // many bytes, and the head is aligned, as the slot's data and the stride are.
        unsafe {
            place.cast::<u64>().write(if is_short { bytes } else { IN_MESSAGE });
            if is_short {
                let data = place.wrapping_add(HEAD as usize);
                self.call.turns.put(&block, 0, data, bytes);
            } else {
                self.long.push((to, block));
            }
        }
    }

    /// Others may take what was put, since the flag is set; what was not goes in messages, when its receiver has begun.
    /// `result` is how it is with this process before that.
    unsafe fn send(&mut self, mut result: Result<(), Failure>) -> Result<(), Failure> {
        let turns = &self.call.turns;
        for (to, block) in &self.long {
            if result.is_ok() {
                result = turns.wait_for(*to, self.turn);
            }
            let is_broken = result.is_err() || turns.member.board().is_broken();
            // SAFETY: promised by the caller.
            unsafe { self.messages.send(*to, *block, is_broken) };
        }
        result
    }

    /// Begins to receive a block that is long as far as this process knows.
    unsafe fn expect(&mut self, from: u32, block: Data) {
        if block.bytes() > self.most {
            // SAFETY: promised by the caller.
            unsafe { self.messages.receive(from, block) };
        }
    }

    /// Takes a block whose sender has set its flag. Whether it had room.
    unsafe fn take(&mut self, from: u32, block: Data) -> bool {
        let place = self.place(from, self.call.turns.rank);
        let is_expected = self.messages.expects(from);
        // SAFETY: its sender has written it in this turn, as the flag says; the block is this process's.
        unsafe {
            let bytes = place.cast::<u64>().read();
            if bytes == IN_MESSAGE {
                if !is_expected {
                    self.messages.receive(from, block);
                }
                return true;
            }
            if is_expected {
                self.messages.cancel(from);
            }
            // More than its sender had room for are something else: it does another operation.
            bytes <= self.stride - HEAD && block.write(0, place.wrapping_add(HEAD as usize), bytes)
        }
    }

    /// Waits for the flags of all that send, and takes their blocks. Whether all had room. `result` is how it is with this
    /// process before that.
    unsafe fn collect(
        &mut self,
        mut result: Result<(), Failure>,
        from: impl Iterator<Item = (u32, Data)>,
    ) -> Result<bool, Failure> {
        let turns = &self.call.turns;
        let mut well = true;
        for (rank, block) in from {
            if result.is_ok() {
                result = turns.wait_for(rank, self.turn);
            }
            if result.is_err() {
                turns.member.fail();
            }
            if result.is_ok() || turns.has_come(rank, self.turn) {
                // SAFETY: promised by the caller.
                well &= unsafe { self.take(rank, block) };
            } else {
                self.messages.cancel(rank);
            }
        }
        result.map(|()| well)
    }

    unsafe fn gatherv(&mut self) -> Result<bool, Failure> {
        let Call { turns, of, .. } = self.call;
        if !of.is_root() {
            turns.make_room(self.turn)?;
            // SAFETY: promised by the caller; there is room.
            unsafe {
                self.put(of.args.root as u32, of.send());
                turns.set(self.turn);
                return self.send(Ok(())).map(|()| true);
            }
        }
        let blocks = of.receive_blocks();
        // SAFETY: promised by the caller.
        unsafe {
            self.call.others().for_each(|rank| self.expect(rank, blocks.block(rank)));
            turns.set(self.turn);
            let own = of.send_in_place() || of.send().copy_to(&blocks.block(turns.rank));
            let others = self.call.others().map(|rank| (rank, blocks.block(rank)));
            Ok(self.collect(Ok(()), others)? && own)
        }
    }

    unsafe fn scatterv(&mut self) -> Result<bool, Failure> {
        let Call { turns, of, .. } = self.call;
        if !of.is_root() {
            let (root, block) = (of.args.root as u32, of.receive());
            // SAFETY: promised by the caller.
            return unsafe {
                self.expect(root, block);
                turns.set(self.turn);
                self.collect(Ok(()), core::iter::once((root, block)))
            };
        }
        turns.make_room(self.turn)?;
        let blocks = of.send_blocks();
        // SAFETY: promised by the caller; there is room.
        unsafe {
            self.call.others().for_each(|rank| self.put(rank, blocks.block(rank)));
            turns.set(self.turn);
            // The other blocks come first, because others wait for them.
            let sent = self.send(Ok(()));
            let own = of.receive_in_place() || blocks.block(turns.rank).copy_to(&of.receive());
            sent.map(|()| own)
        }
    }

    unsafe fn alltoallv(&mut self) -> Result<bool, Failure> {
        let Call { turns, of, .. } = self.call;
        let (gone, come) = (of.send_blocks(), of.receive_blocks());
        turns.make_room(self.turn)?;
        // SAFETY: promised by the caller; there is room.
        unsafe {
            for rank in self.call.others() {
                self.expect(rank, come.block(rank));
                self.put(rank, gone.block(rank));
            }
            turns.set(self.turn);
            // Many wait for the last one, and not for each.
            let waited = if turns.is_few() { Ok(()) } else { turns.exchange(self.turn) };
            let sent = self.send(waited);
            let own = gone.block(turns.rank).copy_to(&come.block(turns.rank));
            let others = self.call.others().map(|rank| (rank, come.block(rank)));
            let well = self.collect(sent, others)?;
            turns.member.count().all_have(self.turn);
            Ok(well && own)
        }
    }
}
