//! Whether each rank is to receive as many bytes from another one as that sends it, where only the two know: by pair of
//! ranks, for operations with counts by block, and by edge, for those between neighbors.
//!
//! ```text
//!   each rank: for each other rank, the bytes of what it sends there ─► that rank, which finds the first difference
//!   each rank: the difference that it found, or none                 ─► all: the same error on every rank
//! ```

use cairn_framework::frameworks::coll::*;

use super::{said, talk};
use crate::calls::coll::apart;
use crate::prelude::*;

/// The bytes of blocks, by rank. Between neighbors a rank has a block for each edge, in the order in which messages
/// along edges between two ranks match.
type ByRank = Vec<Vec<i64>>;

/// A difference that a rank found between what another one sends it and what it expects.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Difference {
    /// The other rank.
    peer: i64,
    /// Which of the blocks between the two, and how many there are.
    block: [i64; 2],
    /// Bytes, or where the numbers of blocks differ, these.
    sent: i64,
    expected: i64,
}

/// As `Difference::peer`, that there is none; as the block, that the numbers of blocks differ.
const NONE: i64 = -1;

/// Compares what is sent with what is received; the ranks of the communicator call the same.
pub fn compare(comm: CommRef, args: &CollArgs) -> Result<()> {
    let by_edge = by_edge(comm, args);
    let has_edges = by_edge.is_some();
    let Some([sent, expected]) = by_edge.or_else(|| by_pair(comm, args)) else { return Ok(()) };
    // How many there are of a pair is known, but not whether both ends of an edge know of it.
    let mut come = expected.clone();
    if has_edges {
        let numbers = |blocks: &ByRank| -> ByRank {
            blocks.iter().map(|blocks| vec![blocks.len() as i64]).collect()
        };
        let mut told = numbers(&expected);
        talk::swap(comm, &numbers(&sent), &mut told)?;
        for (blocks, number) in come.iter_mut().zip(told) {
            blocks.resize(number[0] as usize, 0);
        }
    }
    talk::swap(comm, &sent, &mut come)?;
    let own = difference(&come, &expected);
    let all = talk::everyone(comm, own.words(), None)?;
    for (all, is_other) in all.iter().zip([false, true]) {
        let found = all.iter().map(|words| Difference::of(*words)).enumerate();
        if let Some((rank, found)) = found.into_iter().find(|(_, found)| found.peer != NONE) {
            return Err(found.error(comm, args.operation, rank, is_other));
        }
    }
    Ok(())
}

/// The first difference.
fn difference(come: &ByRank, expected: &ByRank) -> Difference {
    let none = Difference { peer: NONE, block: [NONE; 2], sent: 0, expected: 0 };
    let Some(peer) = (0..come.len()).find(|peer| come[*peer] != expected[*peer]) else {
        return none;
    };
    let (come, expected) = (&come[peer], &expected[peer]);
    let (peer, number) = (peer as i64, expected.len());
    if come.len() != number {
        return Difference { peer, sent: come.len() as i64, expected: number as i64, ..none };
    }
    let block = (0..number).find(|block| come[*block] != expected[*block]).unwrap_or_default();
    let (sent, expected) = (come[block], expected[block]);
    Difference { peer, block: [block as i64, number as i64], sent, expected }
}

impl Difference {
    /// As it travels.
    fn words(self) -> [i64; 5] {
        let Self { peer, block: [block, blocks], sent, expected } = self;
        [peer, block, blocks, sent, expected]
    }

    /// What has come.
    fn of([peer, block, blocks, sent, expected]: [i64; 5]) -> Self {
        Self { peer, block: [block, blocks], sent, expected }
    }

    /// What all are told that a rank found, which is of the own group or of the other one.
    fn error(self, comm: CommRef, operation: u32, rank: usize, is_other: bool) -> Error {
        let Self { peer, block: [block, blocks], sent, expected } = self;
        let name = said::name(operation);
        let to = said::rank(comm, rank, is_other);
        let from = said::rank(comm, peer as usize, comm.is_inter() && !is_other);
        if block == NONE {
            let text = format!(
                "the ranks do not know of the same edges (coll_check): in {name} {expected} of them lead from {from} to \
                 {to} as {to} has it, and {sent} as {from} has it"
            );
            return Error::new(MPI_ERR_TOPOLOGY, text);
        }
        let edge = match blocks {
            1 => String::new(),
            _ => format!(" along edge {} of {blocks} between the two", block + 1),
        };
        let text = format!(
            "the ranks do not call the same (coll_check): in {name} {to} is to receive {expected} bytes from {from}, \
             which sends {sent}{edge}"
        );
        Error::new(MPI_ERR_COUNT, text)
    }
}

/// What is sent and what is expected along edges, in an operation between neighbors.
fn by_edge(comm: CommRef, args: &CollArgs) -> Option<[ByRank; 2]> {
    let gathers = match args.operation {
        COLL_NEIGHBOR_ALLGATHER | COLL_NEIGHBOR_ALLGATHERV => true,
        COLL_NEIGHBOR_ALLTOALL | COLL_NEIGHBOR_ALLTOALLV | COLL_NEIGHBOR_ALLTOALLW => false,
        _ => return None,
    };
    let [sources, destinations] = comm.neighbors()?;
    let blocks = [comm.out_degree(), comm.in_degree()];
    let mut lists = [(); 2].map(|()| vec![Vec::new(); comm.peers()]);
    let [sent, expected] = &mut lists;
    for to in destinations {
        let block = if gathers { 0 } else { to.block as usize };
        // SAFETY: the side has counts and types for each block, or one count for all.
        let bytes = unsafe { apart::bytes(&args.send, blocks[0], block) };
        sent[to.rank as usize].push(bytes as i64);
    }
    for from in sources {
        // SAFETY: as above.
        let bytes = unsafe { apart::bytes(&args.receive, blocks[1], from.block as usize) };
        expected[from.rank as usize].push(bytes as i64);
    }
    Some(lists)
}

/// What is sent and what is expected by each rank that messages go to, in an operation with counts by block. A rank's
/// own block is left out.
fn by_pair(comm: CommRef, args: &CollArgs) -> Option<[ByRank; 2]> {
    let (peers, rank) = (comm.peers(), comm.rank() as usize);
    let at_root = check::at_root(args.root, comm);
    let in_place = args.send.buffer.addr() == MPI_IN_PLACE.addr();
    // SAFETY: sides that are significant on this rank, with counts and types for each rank.
    let bytes = |side: &CollSide, block| unsafe { apart::bytes(side, peers, block) as i64 };
    let pair = |peer: usize| {
        let is_root = i64::from(args.root) == peer as i64;
        let when =
            |significant: bool, side, block| if significant { bytes(side, block) } else { 0 };
        match args.operation {
            COLL_GATHERV => [when(is_root, &args.send, 0), when(at_root, &args.receive, peer)],
            COLL_SCATTERV => [when(at_root, &args.send, peer), when(is_root, &args.receive, 0)],
            COLL_ALLGATHERV => {
                let own = if in_place { bytes(&args.receive, rank) } else { bytes(&args.send, 0) };
                [own, bytes(&args.receive, peer)]
            }
            _ => {
                let side = if in_place { &args.receive } else { &args.send };
                [bytes(side, peer), bytes(&args.receive, peer)]
            }
        }
    };
    let is_by_pair = matches!(
        args.operation,
        COLL_GATHERV | COLL_SCATTERV | COLL_ALLGATHERV | COLL_ALLTOALLV | COLL_ALLTOALLW
    );
    is_by_pair.then(|| {
        let others = |peer: &usize| comm.is_inter() || *peer != rank;
        let pairs = (0..peers).map(|peer| Some(peer).filter(others).map(pair));
        let lists = |pair: Option<[i64; 2]>| match pair {
            Some([sent, expected]) => (vec![sent], vec![expected]),
            None => Default::default(),
        };
        let (sent, expected) = pairs.map(lists).unzip();
        [sent, expected]
    })
}
