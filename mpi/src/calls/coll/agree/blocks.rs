//! Whether each rank is to receive as many bytes from another one as that sends it, where only the two know: in
//! operations with counts by block.
//!
//! ```text
//!   each rank: for each other rank, the bytes of what it sends there ─► that rank, which finds the first difference
//!   each rank: the difference that it found, or none                 ─► all: the same error on every rank
//! ```

use cairn_framework::frameworks::coll::*;

use super::{said, talk};
use crate::calls::coll::apart;
use crate::prelude::*;

/// The bytes of blocks, by rank; none for a rank's own one.
type ByRank = Vec<Vec<i64>>;

/// A difference that a rank found between what another one sends it and what it expects.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Difference {
    /// The other rank.
    peer: i64,
    /// Bytes.
    sent: i64,
    expected: i64,
}

/// As `Difference::peer`, that there is none.
const NONE: i64 = -1;

/// Compares what is sent with what is received; the ranks of the communicator call the same.
pub fn compare(comm: CommRef, args: &CollArgs) -> Result<()> {
    let Some([sent, expected]) = by_pair(comm, args) else { return Ok(()) };
    let mut come = expected.clone();
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
    let none = Difference { peer: NONE, sent: 0, expected: 0 };
    let Some(peer) = (0..come.len()).find(|peer| come[*peer] != expected[*peer]) else {
        return none;
    };
    Difference { peer: peer as i64, sent: come[peer][0], expected: expected[peer][0] }
}

impl Difference {
    /// As it travels.
    fn words(self) -> [i64; 3] {
        let Self { peer, sent, expected } = self;
        [peer, sent, expected]
    }

    /// What has come.
    fn of([peer, sent, expected]: [i64; 3]) -> Self {
        Self { peer, sent, expected }
    }

    /// What all are told that a rank found, which is of the own group or of the other one.
    fn error(self, comm: CommRef, operation: u32, rank: usize, is_other: bool) -> Error {
        let Self { peer, sent, expected } = self;
        let name = said::name(operation);
        let to = said::rank(comm, rank, is_other);
        let from = said::rank(comm, peer as usize, comm.is_inter() && !is_other);
        let text = format!(
            "the ranks do not call the same (coll_check): in {name} {to} is to receive {expected} bytes from {from}, \
             which sends {sent}"
        );
        Error::new(MPI_ERR_COUNT, text)
    }
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
