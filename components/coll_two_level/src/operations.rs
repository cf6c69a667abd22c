//! The operations, each as operations within nodes and between leaders.
//!
//! What all have lies between the levels as bytes, one rank's block behind the other in the order of
//! [`Layout::order`]. Where that is the order of the ranks and the user's buffer has no holes, it lies there.

use core::ptr::{null, null_mut, without_provenance_mut};

use cairn_framework::abi::datatype::Op;
use cairn_framework::author::Failure;
use cairn_framework::frameworks::coll::*;
use cairn_framework::frameworks::pml::PmlHandle;
use cairn_schedule::told::lost;
use cairn_schedule::{Call, Channel, Data, Temporary};

use crate::layout::Layout;
use crate::levels::Course;

/// How long data may be.
pub struct Limits {
    /// The vector of an allreduce, where ranks are not in the order of the nodes.
    pub allreduce: u64,
    /// All blocks of an allgather, where they are.
    pub allgather: u64,
    /// A rank's block of gather and scatter.
    pub gather: u64,
    /// Of alltoall.
    pub alltoall: u64,
}

/// Whether a call is served, as all processes answer alike.
///
/// Two levels are always worth their while for few bytes, since there are fewer messages. With many it is the
/// bytes that count which leave a node. A ring of all ranks has as few of them where a node's ranks are one behind the
/// other, and Rabenseifner's exchanges where they are far from each other, and neither has leaders for which others
/// wait.
pub fn fits(call: &Call<'_>, layout: &Layout, limits: &Limits) -> bool {
    let bytes = || call.bytes().unwrap_or(0);
    match call.args.operation {
        COLL_BARRIER | COLL_BCAST => true,
        COLL_GATHER | COLL_SCATTER => bytes() <= limits.gather,
        COLL_ALLGATHER => !layout.is_in_order() || bytes() <= limits.allgather,
        COLL_ALLTOALL => bytes() <= limits.alltoall,
        // Nodes reduce what they have before they meet, so where ranks are not in the order of the nodes, operands
        // swap.
        COLL_REDUCE => layout.is_in_order() || call.commutative(),
        COLL_ALLREDUCE => {
            layout.is_in_order() || (call.commutative() && bytes() <= limits.allreduce)
        }
        _ => false,
    }
}

/// Does an operation.
///
/// # Safety
/// The arguments are those of the operation, and `fits` says that it can be done.
pub unsafe fn run(call: &Call<'_>, course: Course<'_>, pml: &PmlHandle) -> Result<(), Failure> {
    let mut work = Work { call, course, pml };
    // SAFETY: promised by the caller.
    unsafe {
        match call.args.operation {
            COLL_BARRIER => work.barrier(),
            COLL_BCAST => work.bcast(),
            COLL_GATHER => work.gather(),
            COLL_SCATTER => work.scatter(),
            COLL_ALLGATHER => work.allgather(),
            COLL_ALLTOALL => work.alltoall(),
            COLL_REDUCE => work.reduce(),
            COLL_ALLREDUCE => work.allreduce(),
            _ => return Err(Failure::declined()),
        }
    }
    work.course.end()
}

/// An operation under way.
struct Work<'a> {
    call: &'a Call<'a>,
    course: Course<'a>,
    pml: &'a PmlHandle,
}

/// A gather or scatter on one rank.
struct Rooted {
    /// Bytes of a rank's block.
    block: u64,
    root: u32,
    /// The root's node, and its number there.
    node: u32,
    number: u32,
    /// Whether this rank is its node's leader.
    leads: bool,
    /// Whether the blocks of all come by here: at the root and its leader.
    has_all: bool,
    /// Room for the blocks of the node, at its leader.
    mates: Temporary,
    /// Room for those of all, where they come by.
    all: Temporary,
}

const NO_COUNTS: CollCounts = CollCounts { data: null(), width: 8, reserved: 0 };

/// No data.
fn none() -> CollSide {
    side(Data::packed(null_mut(), 0))
}

/// `MPI_IN_PLACE`.
fn in_place() -> CollSide {
    CollSide { buffer: without_provenance_mut(1), ..none() }
}

/// Data, or the first of blocks that lie one behind the other.
fn side(data: Data) -> CollSide {
    CollSide {
        buffer: data.buffer.cast(),
        count: data.count,
        datatype: data.datatype(),
        counts: NO_COUNTS,
        displacements: NO_COUNTS,
        datatypes: null(),
    }
}

/// Bytes in blocks of several sizes, that lie one behind the other.
struct Uneven {
    counts: Vec<i64>,
    displacements: Vec<i64>,
}

impl Uneven {
    fn new(sizes: impl Iterator<Item = u64>) -> Self {
        let counts: Vec<i64> = sizes.map(|size| size as i64).collect();
        let mut end = 0;
        let displacements = counts.iter().map(|count| {
            end += count;
            end - count
        });
        Self { displacements: displacements.collect(), counts }
    }

    fn side(&self, buffer: *mut u8) -> CollSide {
        let counts = |all: &[i64]| CollCounts { data: all.as_ptr().cast(), ..NO_COUNTS };
        CollSide {
            counts: counts(&self.counts),
            displacements: counts(&self.displacements),
            ..side(Data::packed(buffer, 0))
        }
    }
}

fn args(operation: u32, send: CollSide, receive: CollSide, root: u32) -> CollArgs {
    CollArgs {
        struct_size: size_of::<CollArgs>() as u32,
        operation,
        send,
        receive,
        op: null(),
        root: root as i32,
        // The MPI layer says it.
        tag: 0,
        flags: 0,
        reserved: 0,
    }
}

/// The data of a broadcast is in the receive side.
fn bcast(data: Data, root: u32) -> CollArgs {
    args(COLL_BCAST, none(), side(data), root)
}

/// The count and type of a reduction are in the receive side, also where nothing is received.
fn reduction(operation: u32, op: *const Op, send: CollSide, receive: Data, root: u32) -> CollArgs {
    CollArgs { op, ..args(operation, send, side(receive), root) }
}

/// Memory for bytes.
fn room(len: u64) -> Temporary {
    Data::packed(null_mut(), len).temporary()
}

fn at(data: Data, offset: u64) -> *mut u8 {
    data.buffer.wrapping_add(offset as usize)
}

/// Copies between memory of this component's own.
///
/// # Safety
/// Both have so many bytes.
unsafe fn copy(from: *const u8, to: *mut u8, len: u64) {
    // SAFETY: promised by the caller; different memory.
    unsafe { core::ptr::copy_nonoverlapping(from, to, len as usize) };
}

#[allow(clippy::missing_safety_doc)] // all are as for `run`
impl Work<'_> {
    fn layout(&self) -> &Layout {
        &self.course.levels.layout
    }

    /// The root's node and its number there.
    fn root(&self) -> (u32, u32) {
        self.layout().place(self.call.args.root as u32)
    }

    /// Whether this rank is on the root's node.
    fn is_at_root(&self) -> bool {
        self.root().0 == self.layout().own()
    }

    /// What this rank gives to a gather or allgather.
    fn own_block(&self) -> Data {
        if self.call.send_in_place() {
            self.call.receive_blocks().block(self.call.rank())
        } else {
            self.call.send()
        }
    }

    /// The bytes of the blocks of this rank's node.
    fn of_node(&self, block: u64) -> u64 {
        self.layout().len(self.layout().own()) * block
    }

    /// The bytes of all.
    fn of_all(&self, block: u64) -> u64 {
        u64::from(self.call.size()) * block
    }

    /// The blocks of each node, where they have so many bytes for each rank.
    fn uneven(&self, block: u64) -> Uneven {
        let layout = self.layout();
        Uneven::new((0..layout.count()).map(|node| layout.len(node) * block))
    }

    /// Blocks of all ranks go to where the user wants them.
    unsafe fn unpack(&self, all: Data, block: u64) {
        if self.course.is_lost() {
            return;
        }
        let blocks = self.call.receive_blocks();
        for (rank, number) in self.layout().order().iter().zip(0..) {
            // SAFETY: promised by the caller. All processes have blocks of one size.
            let _ = unsafe { blocks.block(*rank).write(0, at(all, number * block), block) };
        }
    }

    /// The operation's own messages.
    fn channel(&self) -> Channel {
        Channel { comm: self.call.comm, tag: self.call.args.tag }
    }

    /// Data goes to another process of this node in a message of the operation.
    unsafe fn send(&mut self, peer: u32, data: Data) {
        let data = if self.course.is_lost() { data.of(0) } else { data };
        let send = self.channel().send(peer, data);
        // SAFETY: promised by the caller.
        let sent = unsafe { self.pml.send(&send) };
        self.course.note(sent);
    }

    /// Data comes from one. That nothing comes says that it is lost.
    unsafe fn receive(&mut self, peer: u32, data: Data) {
        let receive = self.channel().receive(peer, data);
        // SAFETY: promised by the caller.
        let received = unsafe { self.pml.recv(&receive) };
        self.course.note(received.and_then(|status| {
            if status.bytes == 0 && data.bytes() > 0 { Err(lost()) } else { Ok(()) }
        }));
    }

    unsafe fn barrier(&mut self) {
        let barrier = args(COLL_BARRIER, none(), none(), 0);
        // SAFETY: there are no data.
        unsafe {
            self.course.in_node(barrier);
            self.course.between(barrier);
            self.course.in_node(barrier);
        }
    }

    unsafe fn bcast(&mut self) {
        let data = self.call.receive();
        let (node, number) = self.root();
        // SAFETY: promised by the caller.
        unsafe {
            // The leader has the data from the root.
            let is_first = self.is_at_root() && number != 0;
            if is_first {
                self.course.in_node(bcast(data, number));
            }
            let longer = self.longer(data);
            self.course.between(bcast(longer.as_ref().map_or(data, |own| own.data), node));
            if !is_first {
                let longer = self.longer(data);
                self.course.in_node(bcast(longer.as_ref().map_or(data, |own| own.data), 0));
            }
        }
    }

    /// What a leader hands on that had no room for all data: a byte more than it has, so that who has as little room
    /// hears of it, too.
    unsafe fn longer(&self, data: Data) -> Option<Temporary> {
        if !(self.course.is_truncated() && self.course.leads()) {
            return None;
        }
        let longer = room(data.bytes() + 1);
        // SAFETY: promised by the caller; there is so much room.
        unsafe {
            longer.data.buffer.write_bytes(0, data.bytes() as usize + 1);
            data.read(0, longer.data.buffer, data.bytes());
        }
        Some(longer)
    }

    /// What a gather or scatter has on this rank.
    fn rooted(&self) -> Rooted {
        let block = self.call.bytes().unwrap_or(0);
        let (node, number) = self.root();
        let leads = self.course.leads();
        let has_all = self.is_at_root() && (leads || self.call.is_root());
        Rooted {
            block,
            root: self.call.args.root as u32,
            node,
            number,
            leads,
            has_all,
            mates: room(if leads { self.of_node(block) } else { 0 }),
            all: room(if has_all { self.of_all(block) } else { 0 }),
        }
    }

    unsafe fn gather(&mut self) {
        let own = self.own_block();
        let Rooted { block, root, node, number, leads, has_all, mates, all } = self.rooted();
        // SAFETY: promised by the caller; memory is as long as the operations say.
        unsafe {
            let each = side(mates.data.of(block));
            self.course.in_node(args(COLL_GATHER, side(own), each, 0));
            let given = if self.course.is_alone() { own } else { mates.data };
            if self.layout().is_even() {
                let each = side(all.data.of(self.of_node(block)));
                self.course.between(args(COLL_GATHER, side(given), each, node));
            } else {
                let uneven = self.uneven(block);
                let to = uneven.side(all.data.buffer);
                self.course.between(args(COLL_GATHERV, side(given), to, node));
            }
            if number != 0 && has_all {
                if leads {
                    self.send(root, all.data);
                } else {
                    self.receive(self.layout().mates()[0], all.data);
                }
            }
            if self.call.is_root() {
                self.unpack(all.data, block);
            }
        }
    }

    unsafe fn scatter(&mut self) {
        let Rooted { block, root, node, number, leads, has_all, mates, all } = self.rooted();
        // Where the root's own block stays.
        let own = if self.call.receive_in_place() { room(block) } else { room(0) };
        let to = if self.call.receive_in_place() { own.data } else { self.call.receive() };
        // SAFETY: promised by the caller; memory is as long as the operations say.
        unsafe {
            if self.call.is_root() {
                let blocks = self.call.send_blocks();
                for (rank, number) in self.layout().order().iter().zip(0..) {
                    blocks.block(*rank).read(0, at(all.data, number * block), block);
                }
            }
            if number != 0 && has_all {
                if leads {
                    self.receive(root, all.data);
                } else {
                    self.send(self.layout().mates()[0], all.data);
                }
            }
            let got = if self.course.is_alone() { to } else { mates.data };
            if self.layout().is_even() {
                let each = side(all.data.of(self.of_node(block)));
                self.course.between(args(COLL_SCATTER, each, side(got), node));
            } else {
                let uneven = self.uneven(block);
                let from = uneven.side(all.data.buffer);
                self.course.between(args(COLL_SCATTERV, from, side(got), node));
            }
            let each = side(mates.data.of(block));
            self.course.in_node(args(COLL_SCATTER, each, side(to), 0));
        }
    }

    unsafe fn allgather(&mut self) {
        let own = self.own_block();
        let block = self.call.receive().bytes();
        let first = self.call.receive_blocks().block(0).flat();
        let direct = first.filter(|_| self.layout().is_in_order());
        let memory = room(if direct.is_some() { 0 } else { self.of_all(block) });
        let all = direct.map_or(memory.data, |first| first.of(self.of_all(block)));
        let mates = Data::packed(
            at(all, self.layout().before(self.layout().own()) * block),
            self.of_node(block),
        );
        let is_there = direct.is_some() && self.call.send_in_place() && self.course.leads();
        // SAFETY: promised by the caller; memory is as long as the operations say.
        unsafe {
            if self.course.is_alone() && !is_there {
                let _ = own.copy_to(&mates);
            }
            let given = if is_there { in_place() } else { side(own) };
            self.course.in_node(args(COLL_GATHER, given, side(mates.of(block)), 0));
            if self.layout().is_even() {
                let each = side(all.of(self.of_node(block)));
                self.course.between(args(COLL_ALLGATHER, in_place(), each, 0));
            } else {
                let uneven = self.uneven(block);
                let to = uneven.side(all.buffer);
                self.course.between(args(COLL_ALLGATHERV, in_place(), to, 0));
            }
            self.course.in_node(bcast(all, 0));
            if direct.is_none() {
                self.unpack(all, block);
            }
        }
    }

    /// A rank's blocks to all go to its leader, which puts together what goes to each node: for each rank of its own
    /// node the blocks to those of the other. What comes has the same order.
    unsafe fn alltoall(&mut self) {
        let block = self.call.bytes().unwrap_or(0);
        let each = self.of_all(block);
        let from = if self.call.send_in_place() {
            self.call.receive_blocks()
        } else {
            self.call.send_blocks()
        };
        let own = room(each);
        let leads = self.course.leads();
        let len = if leads { self.of_node(each) } else { 0 };
        let [mates, out, back] = [(); 3].map(|()| room(len));
        // SAFETY: promised by the caller; memory is as long as the operations say.
        unsafe {
            for (rank, number) in self.layout().order().iter().zip(0..) {
                from.block(*rank).read(0, at(own.data, number * block), block);
            }
            self.course.in_node(args(COLL_GATHER, side(own.data), side(mates.data.of(each)), 0));
            if leads {
                let alone = self.course.is_alone();
                let given = if alone { own.data } else { mates.data };
                self.turn(given, out.data, block, true);
                let own_len = self.layout().len(self.layout().own());
                let uneven = self.uneven(own_len * block);
                let (send, receive) =
                    (uneven.side(out.data.buffer), uneven.side(mates.data.buffer));
                self.course.between(args(COLL_ALLTOALLV, send, receive, 0));
                self.turn(mates.data, back.data, block, false);
                if alone {
                    copy(back.data.buffer, own.data.buffer, each);
                }
            }
            self.course.in_node(args(COLL_SCATTER, side(back.data.of(each)), side(own.data), 0));
            self.unpack(own.data, block);
        }
    }

    /// From blocks by rank of this node, and behind that by rank of all, to blocks by node, and behind that by rank of this
    /// node and by rank of the other; or what came, which is by node, rank of the other and rank of this node, to blocks
    /// by rank of this node and by rank of all.
    unsafe fn turn(&self, from: Data, to: Data, block: u64, goes_out: bool) {
        if self.course.is_lost() {
            return;
        }
        let layout = self.layout();
        let (mates, all) = (layout.len(layout.own()), u64::from(self.call.size()));
        for node in 0..layout.count() {
            let (before, len) = (layout.before(node), layout.len(node));
            for mate in 0..mates {
                let by_rank = (mate * all + before) * block;
                // SAFETY: promised by the caller: both have a block for each rank of this node and each of all.
                unsafe {
                    if goes_out {
                        let by_node = (before * mates + mate * len) * block;
                        copy(at(from, by_rank), at(to, by_node), len * block);
                        continue;
                    }
                    for other in 0..len {
                        let by_node = ((before + other) * mates + mate) * block;
                        copy(at(from, by_node), at(to, by_rank + other * block), block);
                    }
                }
            }
        }
    }

    unsafe fn reduce(&mut self) {
        let (call, op) = (self.call, self.call.args.op);
        let (mine, is_root) = (call.contribution(), call.is_root());
        let (node, number) = self.root();
        let (leads, alone) = (self.course.leads(), self.course.is_alone());
        // What a node's ranks have together.
        let memory = mine.of(if leads && !alone && !is_root { mine.count } else { 0 }).temporary();
        let to = match (is_root, alone) {
            (true, _) => call.receive(),
            (false, true) => mine,
            (false, false) => memory.data.of(mine.count),
        };
        let given = if is_root && call.send_in_place() { in_place() } else { side(mine) };
        // SAFETY: promised by the caller; only leaders receive.
        unsafe {
            let in_node = if leads { given } else { side(mine) };
            self.course.in_node(reduction(COLL_REDUCE, op, in_node, to, 0));
            let between = match (self.is_at_root(), alone) {
                (true, false) => in_place(),
                (true, true) => given,
                (false, _) => side(to),
            };
            self.course.between(reduction(COLL_REDUCE, op, between, to, node));
            if number != 0 && self.is_at_root() {
                if leads {
                    self.send(call.args.root as u32, to);
                } else if is_root {
                    self.receive(self.layout().mates()[0], to);
                }
            }
        }
    }

    unsafe fn allreduce(&mut self) {
        let (call, op) = (self.call, self.call.args.op);
        let (mine, result) = (call.contribution(), call.receive());
        let given = if call.send_in_place() { in_place() } else { side(mine) };
        // SAFETY: promised by the caller; only leaders receive at first.
        unsafe {
            let in_node = if self.course.leads() { given } else { side(mine) };
            self.course.in_node(reduction(COLL_REDUCE, op, in_node, result, 0));
            let between = if self.course.is_alone() { given } else { in_place() };
            self.course.between(reduction(COLL_ALLREDUCE, op, between, result, 0));
            self.course.in_node(bcast(result, 0));
        }
    }
}
