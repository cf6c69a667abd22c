//! The arguments of an operation, as algorithms read them.

use cairn_framework::abi::comm::{COMM_INTER, Comm, Neighbor};
use cairn_framework::abi::datatype::OP_COMMUTATIVE;
use cairn_framework::frameworks::coll::*;

use crate::data::Data;
use crate::linear;

/// `MPI_IN_PLACE`.
const IN_PLACE: usize = 1;

/// An operation on a communicator.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    /// The communicator.
    pub comm: &'a Comm,
    /// What the MPI function was called with.
    pub args: &'a CollArgs,
}

/// One side of an operation with a block for each rank, or for each neighbor.
#[derive(Clone, Copy)]
pub struct Blocks<'a> {
    side: &'a CollSide,
    kind: Kind,
}

/// How blocks are told.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// All alike, one behind the other.
    Alike,
    /// Counts, and displacements in elements.
    Counts,
    /// Counts, displacements in bytes, types.
    Types,
}

/// The count of a block.
///
/// # Safety
/// The array has an entry for the block.
unsafe fn entry(counts: &CollCounts, block: u32) -> i64 {
    // SAFETY: promised by the caller.
    unsafe {
        if counts.width == 8 {
            *counts.data.cast::<i64>().add(block as usize)
        } else {
            i64::from(*counts.data.cast::<i32>().add(block as usize))
        }
    }
}

impl<'a> Call<'a> {
    /// This rank in the local group.
    pub fn rank(&self) -> u32 {
        self.comm.rank
    }

    /// Ranks of the local group.
    pub fn size(&self) -> u32 {
        self.comm.scope.size
    }

    /// Whether it is between two groups.
    pub fn inter(&self) -> bool {
        self.comm.flags & COMM_INTER != 0
    }

    /// The neighbors that this rank receives from, and those it sends to.
    pub fn neighbors(&self) -> Option<[&'a [Neighbor]; 2]> {
        // SAFETY: the MPI layer vouches for the view.
        unsafe { self.comm.neighbors() }
    }

    /// The rank so many behind this one, around the ring.
    pub fn after(&self, distance: u32) -> u32 {
        ((u64::from(self.rank()) + u64::from(distance)) % u64::from(self.size())) as u32
    }

    /// The rank so many before this one.
    pub fn before(&self, distance: u32) -> u32 {
        self.after(self.size() - distance % self.size())
    }

    /// The rank at a distance from the root, and back.
    pub fn at_distance(&self, relative: u32) -> u32 {
        ((self.args.root as u64 + u64::from(relative)) % u64::from(self.size())) as u32
    }

    /// This rank's distance from the root.
    pub fn relative(&self) -> u32 {
        (self.rank() + self.size() - self.args.root as u32) % self.size()
    }

    /// Whether this rank is the root.
    pub fn is_root(&self) -> bool {
        i64::from(self.args.root) == i64::from(self.rank())
    }

    /// Whether the send buffer is `MPI_IN_PLACE`.
    pub fn send_in_place(&self) -> bool {
        self.args.send.buffer.addr() == IN_PLACE
    }

    /// Whether the receive buffer is `MPI_IN_PLACE`.
    pub fn receive_in_place(&self) -> bool {
        self.args.receive.buffer.addr() == IN_PLACE
    }

    /// Everything in the send buffer of an operation with one count.
    pub fn send(&self) -> Data {
        whole(&self.args.send)
    }

    /// Everything in the receive buffer of an operation with one count.
    pub fn receive(&self) -> Data {
        whole(&self.args.receive)
    }

    /// This rank's part of a reduction.
    pub fn contribution(&self) -> Data {
        let receive = self.receive();
        if self.send_in_place() { receive } else { receive.at(self.args.send.buffer.cast()) }
    }

    /// The blocks that are sent, of an operation that sends a block to each rank or neighbor.
    pub fn send_blocks(&self) -> Blocks<'a> {
        let kind = match self.args.operation {
            COLL_SCATTERV | COLL_ALLTOALLV | COLL_NEIGHBOR_ALLTOALLV => Kind::Counts,
            COLL_ALLTOALLW | COLL_NEIGHBOR_ALLTOALLW => Kind::Types,
            _ => Kind::Alike,
        };
        Blocks { side: &self.args.send, kind }
    }

    /// The blocks that are received, of an operation that receives one from each rank or neighbor.
    pub fn receive_blocks(&self) -> Blocks<'a> {
        let kind = match self.args.operation {
            COLL_GATHERV | COLL_ALLGATHERV | COLL_ALLTOALLV => Kind::Counts,
            COLL_NEIGHBOR_ALLGATHERV | COLL_NEIGHBOR_ALLTOALLV => Kind::Counts,
            COLL_ALLTOALLW | COLL_NEIGHBOR_ALLTOALLW => Kind::Types,
            _ => Kind::Alike,
        };
        Blocks { side: &self.args.receive, kind }
    }

    /// Whether operands of the reduction may be swapped.
    pub fn commutative(&self) -> bool {
        // SAFETY: a reduction's operation is valid as long as its call.
        unsafe { (*self.args.op).flags & OP_COMMUTATIVE != 0 }
    }

    /// The bytes of data that say how large the operation within a group is, if every rank knows them: of the
    /// vector, of one rank's block (gather, scatter, alltoall), or of all blocks (allgather).
    pub fn bytes(&self) -> Option<u64> {
        let (send, receive) = (self.send(), self.receive());
        match self.args.operation {
            COLL_BCAST | COLL_ALLTOALL => Some(receive.bytes()),
            COLL_GATHER => Some(if self.is_root() { receive.bytes() } else { send.bytes() }),
            COLL_SCATTER => Some(if self.is_root() { send.bytes() } else { receive.bytes() }),
            COLL_ALLGATHER => Some(receive.bytes().saturating_mul(self.size().into())),
            COLL_ALLGATHERV => {
                let blocks = self.receive_blocks();
                let add = |all: u64, rank| all.saturating_add(blocks.block(rank).bytes());
                Some((0..self.size()).fold(0, add))
            }
            COLL_REDUCE | COLL_ALLREDUCE | COLL_SCAN | COLL_EXSCAN => Some(receive.bytes()),
            COLL_REDUCE_SCATTER | COLL_REDUCE_SCATTER_BLOCK => {
                let (total, _) = linear::parts(self, self.size());
                Some(receive.of(total).bytes())
            }
            _ => None,
        }
    }

    /// The count of a rank's part of a reduce-scatter with counts.
    pub fn part(&self, rank: u32) -> u64 {
        // SAFETY: the MPI layer vouches for the arguments; ranks are of the group.
        unsafe { entry(&self.args.receive.counts, rank) as u64 }
    }
}

fn whole(side: &CollSide) -> Data {
    // SAFETY: the MPI layer vouches for the arguments until the operation is complete.
    unsafe { Data::new(side.buffer, side.count, side.datatype) }
}

impl Blocks<'_> {
    /// The block with this number: that of the rank, between neighbors the one that the neighbor says.
    pub fn block(&self, number: u32) -> Data {
        let side = self.side;
        // SAFETY: the MPI layer vouches for the arguments; there is such a block.
        unsafe {
            let count = |counts| entry(counts, number) as u64;
            match self.kind {
                Kind::Alike => whole(side).part(u64::from(number) * side.count, side.count),
                Kind::Counts => {
                    let first = Data::new(side.buffer, count(&side.counts), side.datatype);
                    first.moved(entry(&side.displacements, number) * first.datatype().extent)
                }
                Kind::Types => {
                    let datatype = *side.datatypes.add(number as usize);
                    let first = Data::new(side.buffer, count(&side.counts), datatype);
                    first.moved(entry(&side.displacements, number))
                }
            }
        }
    }

    /// Whether all blocks have one size, as every rank knows.
    pub fn alike(&self) -> bool {
        self.kind == Kind::Alike
    }
}

/// The distances 1, 2, 4... below `size`.
pub fn distances(size: u32) -> impl DoubleEndedIterator<Item = u32> {
    let count = u32::BITS - size.saturating_sub(1).leading_zeros();
    (0..count).map(|bit| 1 << bit)
}
