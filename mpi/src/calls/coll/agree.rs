//! Whether the processes of a communicator call the same collective operation (`coll_check`): each says what it calls
//! before it runs a blocking one, and all compare.
//!
//! ```text
//!   each rank: operation, root, bytes, op … ─► each rank: all fit? ─┬─► yes, and blocks of several sizes: bytes by
//!                                                                   │   pair or edge, see `blocks`
//!                                                                   └─► no: the same error on every rank
//! ```
//!
//! What is said goes straight from each to each, so that a rank knows whom it waits for, and says so after a while.
//! Between groups it goes to the other group, which says it back (`talk`), so that all know the calls of both groups and
//! come to the same verdict (`said`). All ranks take all steps, whatever they were called with. A nonblocking operation
//! must not wait for others, so it is only counted, and the next blocking one compares the numbers.

use std::sync::atomic::{AtomicU8, Ordering};

use cairn_framework::frameworks::coll::*;
use cairn_mpi_params as params;

use super::apart;
use crate::prelude::*;
use crate::runtime::runtime;
use said::Said;

mod blocks;
mod said;
mod talk;

/// Whether calls are compared. Asked for each call, so it is looked up once.
#[inline]
pub fn wanted() -> bool {
    /// 0 before that, then 1 for no and 2 for yes.
    static WANTED: AtomicU8 = AtomicU8::new(0);
    match WANTED.load(Ordering::Relaxed) {
        0 => {
            let wanted = params::flag(runtime().system, params::PARAM_COLL_CHECK);
            WANTED.store(1 + u8::from(wanted), Ordering::Relaxed);
            wanted
        }
        known => known == 2,
    }
}

/// Compares a call that is about to be run with those of the other ranks.
#[cold]
pub fn check(comm: CommRef, args: &CollArgs) -> Result<()> {
    let overlap = overlapping(comm, args);
    let own = Said::new(comm, args, overlap.is_err());
    let all = talk::everyone(comm, own.words(), Some(args.operation))?;
    let mut all = all.map(|group| group.into_iter().map(Said::of).collect::<Vec<_>>());
    let overlaps: [Option<usize>; 2] =
        all.each_ref().map(|group| group.iter().position(|said| said.overlaps));
    all.iter_mut().flatten().for_each(|said| said.overlaps = false);
    said::compare(all.each_ref().map(|group| &group[..]))?;
    overlap?;
    for (rank, is_other) in overlaps.into_iter().zip([false, true]) {
        if let Some(rank) = rank {
            let (rank, name) = (said::rank(comm, rank, is_other), said::name(args.operation));
            let text =
                format!("the blocks that {rank} is to receive overlap in {name} (coll_check)");
            return Err(Error::new(MPI_ERR_BUFFER, text));
        }
    }
    blocks::compare(comm, args)
}

/// Whether a block that is received lies on another one.
pub fn overlapping(comm: CommRef, args: &CollArgs) -> Result<()> {
    let twice = match args.operation {
        COLL_GATHERV if !check::at_root(args.root, comm) => None,
        COLL_GATHERV | COLL_ALLGATHERV | COLL_ALLTOALLV | COLL_ALLTOALLW => {
            let twice = apart::received_twice(args, comm.peers());
            twice.map(|[one, other]| {
                format!("what is received from rank {one} and from rank {other} overlaps")
            })
        }
        COLL_NEIGHBOR_ALLGATHERV | COLL_NEIGHBOR_ALLTOALLV | COLL_NEIGHBOR_ALLTOALLW => {
            let sources = comm.neighbors().map_or(&[][..], |[sources, _]| sources);
            let twice = apart::received_twice_along(args, sources, comm.in_degree());
            twice.map(|[one, other]| {
                format!(
                    "what is received in block {} from rank {} and in block {} from rank {} overlaps",
                    one.block, one.rank, other.block, other.rank
                )
            })
        }
        _ => None,
    };
    twice.map_or(Ok(()), |text| Err(Error::new(MPI_ERR_BUFFER, text)))
}
