//! Buffers that overlap: within a group, no data may be sent from where other data is received; what
//! `MPI_IN_PLACE` is for (MPI 5.0, section 6.2.3).
//!
//! Only what overlaps for certain is a mistake: counts and displacements may leave room for each other
//! in one buffer, and so may the gaps of a datatype.

use std::ops::Range;

use cairn_framework::abi::comm::Neighbor;
use cairn_framework::abi::datatype::{DATATYPE_CONTIGUOUS, Datatype as DatatypeView};
use cairn_framework::frameworks::coll::{
    COLL_ALLGATHER, COLL_ALLTOALL, COLL_GATHER, COLL_NEIGHBOR_ALLGATHER, COLL_NEIGHBOR_ALLGATHERV,
    COLL_REDUCE_SCATTER, COLL_REDUCE_SCATTER_BLOCK, COLL_SCATTER, CollArgs, CollCounts, CollSide,
};

use crate::prelude::*;

/// Fails if this process, one of so many, has data in the way of other data. It sends and receives,
/// and nothing of that in place.
#[inline]
pub fn check(args: &CollArgs, rank: usize, ranks: usize) -> Result<()> {
    // SAFETY: the sides that are significant here have counts and types for each rank.
    unsafe { are_apart(&sent(args, ranks), &received(args, rank, ranks)) }
}

/// The same in an operation between neighbors: sources and destinations, and how many blocks there are for
/// those and these.
pub fn check_neighbors(
    args: &CollArgs,
    [sources, destinations]: [&[Neighbor]; 2],
    [received, sent]: [usize; 2],
) -> Result<()> {
    let gathers = matches!(args.operation, COLL_NEIGHBOR_ALLGATHER | COLL_NEIGHBOR_ALLGATHERV);
    // SAFETY: the sides have counts and types for each block.
    unsafe {
        let sent = match gathers {
            true => Layout::Together(args.send.count),
            false => by_neighbor(&args.send, sent),
        };
        let received = by_neighbor(&args.receive, received);
        are_apart(
            &Blocks { side: &args.send, layout: sent, which: Which::Neighbors(destinations) },
            &Blocks { side: &args.receive, layout: received, which: Which::Neighbors(sources) },
        )
    }
}

/// # Safety
/// As for `spans`, for both.
#[inline]
unsafe fn are_apart(sent: &Blocks<'_>, received: &Blocks<'_>) -> Result<()> {
    // SAFETY: promised by the caller.
    unsafe {
        let (Some(from), Some(to)) = (sent.bounds(), received.bounds()) else { return Ok(()) };
        if !meet(&from, &to) {
            return Ok(());
        }
        each_apart(sent, received)
    }
}

/// The same block by block, for sides that reach into each other.
///
/// # Safety
/// As for `spans`, for both.
#[cold]
unsafe fn each_apart(sent: &Blocks<'_>, received: &Blocks<'_>) -> Result<()> {
    // SAFETY: promised by the caller.
    unsafe {
        let in_the_way = |span: Range<usize>| received.spans().any(|other| meet(&span, &other));
        if sent.spans().any(in_the_way) { Err(overlap("sendbuf", "recvbuf")) } else { Ok(()) }
    }
}

/// The same for the operands of a reduction in this process.
pub fn check_operands(
    input: *const c_void,
    inout: *const c_void,
    count: u64,
    datatype: &DatatypeView,
) -> Result<()> {
    match (span(input, 0, count, datatype), span(inout, 0, count, datatype)) {
        (Some(input), Some(inout)) if meet(&input, &inout) => Err(overlap("inbuf", "inoutbuf")),
        _ => Ok(()),
    }
}

/// Two blocks of an operation with counts by block, received from so many ranks, that lie on each other.
pub fn received_twice(args: &CollArgs, ranks: usize) -> Option<[usize; 2]> {
    // SAFETY: the side is significant here, with counts and types for each rank.
    unsafe { met(&received(args, 0, ranks), 0..ranks) }
}

/// The same in an operation between neighbors, where the buffer has so many blocks.
pub fn received_twice_along(
    args: &CollArgs,
    sources: &[Neighbor],
    blocks: usize,
) -> Option<[Neighbor; 2]> {
    let side = &args.receive;
    let by_block = |source: &Neighbor| source.block as usize;
    // SAFETY: the side has counts and types for each block.
    let twice = unsafe {
        let layout = by_neighbor(side, blocks);
        let received = Blocks { side, layout, which: Which::Neighbors(sources) };
        met(&received, sources.iter().map(by_block))?
    };
    let of = |block: usize| sources.iter().find(|source| by_block(source) == block).copied();
    Some([of(twice[0])?, of(twice[1])?])
}

/// Two of these blocks that lie on each other.
///
/// # Safety
/// As for `spans`.
unsafe fn met(all: &Blocks<'_>, blocks: impl Iterator<Item = usize>) -> Option<[usize; 2]> {
    // SAFETY: promised by the caller.
    let span = |block| unsafe { Some((all.span(block)?, block)) };
    let mut spans: Vec<(Range<usize>, usize)> = blocks.filter_map(span).collect();
    spans.sort_unstable_by_key(|(span, block)| (span.start, *block));
    let twice = spans.windows(2).find(|pair| meet(&pair[0].0, &pair[1].0))?;
    Some([twice[0].1.min(twice[1].1), twice[0].1.max(twice[1].1)])
}

/// The bytes of data of a block, or of the one that a side without counts has.
///
/// # Safety
/// The side is significant: it has counts and types for each rank, if any, and they are valid.
pub unsafe fn bytes(side: &CollSide, ranks: usize, block: usize) -> u64 {
    // SAFETY: promised by the caller.
    unsafe {
        let count = match side.counts.data.is_null() {
            true => side.count,
            false => array(&side.counts, ranks).at(block) as u64,
        };
        let datatype = match side.datatypes.is_null() {
            true => side.datatype,
            false => *side.datatypes.add(block),
        };
        count.saturating_mul((*datatype).size)
    }
}

#[cold]
fn overlap(one: &str, other: &str) -> Error {
    Error::new(MPI_ERR_BUFFER, format!("{one} and {other} overlap"))
}

/// The data of one side of an operation.
struct Blocks<'a> {
    side: &'a CollSide,
    layout: Layout<'a>,
    which: Which<'a>,
}

enum Layout<'a> {
    /// So many elements from the beginning of the buffer on.
    Together(u64),
    /// So many for each block.
    Each(u64),
    /// Counts and displacements by block.
    Apart(Counts<'a>, Counts<'a>),
}

impl<'a> Layout<'a> {
    /// The data of all its blocks.
    #[inline]
    fn of(self, side: &'a CollSide) -> Blocks<'a> {
        let which = match &self {
            Self::Apart(counts, _) => Which::First(counts.len()),
            _ => Which::First(1),
        };
        Blocks { side, layout: self, which }
    }
}

/// Which of the blocks have data.
enum Which<'a> {
    /// So many from the first one on.
    First(usize),
    /// Those of neighbors.
    Neighbors(&'a [Neighbor]),
}

/// # Safety
/// The arrays of the side have an entry for each rank.
#[inline]
unsafe fn sent(args: &CollArgs, ranks: usize) -> Blocks<'_> {
    let side = &args.send;
    // SAFETY: promised by the caller.
    let layout = unsafe {
        match args.operation {
            COLL_SCATTER | COLL_ALLTOALL | COLL_REDUCE_SCATTER_BLOCK => {
                Layout::Together(side.count.saturating_mul(ranks as u64))
            }
            COLL_REDUCE_SCATTER => {
                let counts = array(&side.counts, ranks);
                Layout::Together(counts.iter().map(|count| count as u64).sum())
            }
            _ => by_rank(side, ranks),
        }
    };
    layout.of(side)
}

/// # Safety
/// As for `sent`.
#[inline]
unsafe fn received(args: &CollArgs, rank: usize, ranks: usize) -> Blocks<'_> {
    let side = &args.receive;
    // SAFETY: promised by the caller.
    let layout = unsafe {
        match args.operation {
            COLL_GATHER | COLL_ALLGATHER | COLL_ALLTOALL => {
                Layout::Together(side.count.saturating_mul(ranks as u64))
            }
            COLL_REDUCE_SCATTER => Layout::Together(array(&side.counts, ranks).at(rank) as u64),
            _ => by_rank(side, ranks),
        }
    };
    layout.of(side)
}

/// # Safety
/// As for `sent`.
unsafe fn by_rank(side: &CollSide, ranks: usize) -> Layout<'_> {
    if side.counts.data.is_null() {
        return Layout::Together(side.count);
    }
    // SAFETY: promised by the caller.
    unsafe { Layout::Apart(array(&side.counts, ranks), array(&side.displacements, ranks)) }
}

/// # Safety
/// The arrays of the side have an entry for each block.
unsafe fn by_neighbor(side: &CollSide, blocks: usize) -> Layout<'_> {
    // SAFETY: promised by the caller.
    match unsafe { by_rank(side, blocks) } {
        Layout::Together(count) => Layout::Each(count),
        apart => apart,
    }
}

/// An array of counts or displacements.
///
/// # Safety
/// The array has so many elements, as wide as it says.
pub unsafe fn array(counts: &CollCounts, length: usize) -> Counts<'_> {
    // SAFETY: promised by the caller.
    unsafe {
        match counts.width {
            4 => args::counts(counts.data.cast::<c_int>(), length),
            _ => args::counts(counts.data.cast::<Count>(), length),
        }
    }
}

impl Blocks<'_> {
    /// The memory of each block, as far as it is known to be full of data.
    ///
    /// # Safety
    /// The side is significant: its datatypes are valid.
    unsafe fn spans(&self) -> impl Iterator<Item = Range<usize>> {
        let (first, neighbors) = match self.which {
            Which::First(blocks) => (blocks, &[][..]),
            Which::Neighbors(neighbors) => (0, neighbors),
        };
        let blocks = (0..first).chain(neighbors.iter().map(|neighbor| neighbor.block as usize));
        // SAFETY: promised by the caller.
        blocks.filter_map(|block| unsafe { self.span(block) })
    }

    /// # Safety
    /// As for `spans`.
    #[inline]
    unsafe fn span(&self, block: usize) -> Option<Range<usize>> {
        let &CollSide { buffer, datatype, datatypes, .. } = self.side;
        // SAFETY: promised by the caller.
        unsafe {
            match &self.layout {
                Layout::Together(count) => span(buffer, 0, *count, datatype.as_ref()?),
                Layout::Each(count) => {
                    let datatype = datatype.as_ref()?;
                    let elements = (block as Count).wrapping_mul(*count as Count);
                    let displacement = elements.wrapping_mul(datatype.extent as Count);
                    span(buffer, displacement, *count, datatype)
                }
                Layout::Apart(counts, displacements) => {
                    let (count, displacement) = (counts.at(block) as u64, displacements.at(block));
                    if datatypes.is_null() {
                        let datatype = datatype.as_ref()?;
                        span(buffer, displacement * datatype.extent as Count, count, datatype)
                    } else {
                        span(buffer, displacement, count, (*datatypes.add(block)).as_ref()?)
                    }
                }
            }
        }
    }

    /// From the first to the last byte of all.
    ///
    /// # Safety
    /// As for `spans`.
    #[inline]
    unsafe fn bounds(&self) -> Option<Range<usize>> {
        // SAFETY: promised by the caller.
        unsafe {
            match self.which {
                Which::First(1) => self.span(0),
                _ => self.spans().reduce(|all, one| all.start.min(one.start)..all.end.max(one.end)),
            }
        }
    }
}

/// The memory of elements without gaps; none if there is none.
#[inline]
fn span(
    buffer: *const c_void,
    displacement: Count,
    count: u64,
    datatype: &DatatypeView,
) -> Option<Range<usize>> {
    let bytes = count.saturating_mul(datatype.size) as usize;
    let offset = displacement.wrapping_add(datatype.true_lb as Count) as isize;
    let begin = buffer.addr().wrapping_add_signed(offset);
    let full = bytes > 0 && datatype.flags & DATATYPE_CONTIGUOUS != 0;
    full.then(|| begin..begin.saturating_add(bytes))
}

fn meet(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::no_data;
    use cairn_framework::frameworks::coll::{COLL_ALLTOALLV, COLL_NEIGHBOR_ALLTOALL, COLL_SCAN};

    /// Ints in a buffer of ints.
    fn side(buffer: &[i32], count: u64) -> CollSide {
        let datatype = std::ptr::from_ref(DatatypeRef::of(MPI_INT).expect("a type").view());
        let buffer = buffer.as_ptr().cast_mut().cast();
        CollSide { buffer, count, datatype, ..no_data(0).send }
    }

    fn overlaps(operation: u32, send: CollSide, receive: CollSide) -> bool {
        check(&CollArgs { send, receive, ..no_data(operation) }, 1, 3).is_err()
    }

    #[test]
    fn blocks_one_behind_the_other() {
        let buffer = [0; 32];
        let at = |place: usize, count| side(&buffer[place..], count);
        assert!(overlaps(COLL_SCAN, at(0, 2), at(1, 2)));
        assert!(!overlaps(COLL_SCAN, at(0, 2), at(2, 2)));
        assert!(!overlaps(COLL_SCAN, at(0, 0), at(0, 0)));
        assert!(overlaps(COLL_ALLGATHER, at(5, 2), at(0, 2)));
        assert!(!overlaps(COLL_ALLGATHER, at(6, 2), at(0, 2)));
        assert!(overlaps(COLL_SCATTER, at(0, 2), at(5, 2)));
        assert!(overlaps(COLL_REDUCE_SCATTER_BLOCK, at(0, 2), at(5, 2)));
        assert!(overlaps(COLL_ALLTOALL, at(6, 1), at(4, 1)));
    }

    /// Blocks that belong to no neighbor may be anywhere.
    #[test]
    fn blocks_of_neighbors() {
        let buffer = [0; 32];
        let at = |place: usize, count| side(&buffer[place..], count);
        let overlaps = |operation, send, receive, neighbors: [&[u32]; 2]| {
            let listed = |blocks: &[u32]| -> Vec<Neighbor> {
                blocks.iter().map(|block| Neighbor { rank: 0, block: *block }).collect()
            };
            let [sources, destinations] = neighbors.map(listed);
            let args = CollArgs { send, receive, ..no_data(operation) };
            check_neighbors(&args, [&sources, &destinations], [4, 4]).is_err()
        };
        let (gather, exchange) = (COLL_NEIGHBOR_ALLGATHER, COLL_NEIGHBOR_ALLTOALL);
        assert!(overlaps(gather, at(7, 2), at(0, 2), [&[3, 1], &[0]]));
        assert!(!overlaps(gather, at(7, 2), at(0, 2), [&[3, 1], &[]]));
        assert!(!overlaps(gather, at(7, 2), at(0, 2), [&[2, 1], &[0]]));
        assert!(overlaps(exchange, at(4, 2), at(0, 2), [&[3], &[1, 0]]));
        assert!(overlaps(exchange, at(4, 2), at(0, 2), [&[3], &[1]]));
        assert!(!overlaps(exchange, at(4, 2), at(0, 2), [&[3], &[0, 2]]));
    }

    #[test]
    fn blocks_between_each_other() {
        let buffer = [0; 32];
        let small = |all: &[c_int]| CollCounts { data: all.as_ptr().cast(), width: 4, reserved: 0 };
        let (counts, even, odd) = ([1, 1, 1], [0, 2, 4], [1, 3, 5]);
        let blocks = |displacements: &[c_int]| CollSide {
            counts: small(&counts),
            displacements: small(displacements),
            ..side(&buffer, 0)
        };
        assert!(!overlaps(COLL_ALLTOALLV, blocks(&even), blocks(&odd)));
        assert!(overlaps(COLL_ALLTOALLV, blocks(&even), blocks(&[1, 3, 4])));
    }
}
