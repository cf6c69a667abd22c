//! Which steps a process does: one file for each kind of operation.
//!
//! Every process comes to its steps by itself, so what decides between algorithms must be known alike
//! to all of them: the size of the group, bytes of data (counts and datatypes may differ where
//! signatures do not), parameters. Of neighbors a process knows only its own, so nothing can be decided.

mod allgather;
mod alltoall;
mod barrier;
mod bcast;
mod gather;
mod halving;
mod inter;
mod neighbors;
mod reduce;
mod reduce_scatter;
mod scan;

use cairn_framework::abi::datatype::OP_COMMUTATIVE;
use cairn_framework::abi::status::ERR_UNSUPPORTED;
use cairn_framework::author::Failure;
use cairn_framework::frameworks::coll::*;

use crate::call::Call;
use crate::schedule::Schedule;

/// Writes the steps of an operation.
pub fn write(call: &Call<'_>, schedule: &mut Schedule) -> Result<(), Failure> {
    if call.inter() {
        return inter::write(call, schedule);
    }
    match call.args.operation {
        COLL_BARRIER => barrier::barrier(call, schedule),
        COLL_BCAST => bcast::bcast(call, schedule),
        COLL_GATHER => gather::gather(call, schedule),
        COLL_GATHERV => gather::gatherv(call, schedule),
        COLL_SCATTER => gather::scatter(call, schedule),
        COLL_SCATTERV => gather::scatterv(call, schedule),
        COLL_ALLGATHER | COLL_ALLGATHERV => allgather::allgather(call, schedule),
        COLL_ALLTOALL | COLL_ALLTOALLV | COLL_ALLTOALLW => alltoall::alltoall(call, schedule),
        COLL_REDUCE => reduce::reduce(call, schedule),
        COLL_ALLREDUCE => reduce::allreduce(call, schedule),
        COLL_REDUCE_SCATTER | COLL_REDUCE_SCATTER_BLOCK => {
            reduce_scatter::reduce_scatter(call, schedule)
        }
        COLL_SCAN => scan::scan(call, schedule),
        COLL_EXSCAN => scan::exscan(call, schedule),
        COLL_NEIGHBOR_ALLGATHER..=COLL_NEIGHBOR_ALLTOALLW => neighbors::exchange(call, schedule),
        other => return Err(unsupported(other)),
    }?;
    schedule.wait();
    Ok(())
}

/// The failure of an operation that was not offered.
fn unsupported(operation: u32) -> Failure {
    Failure::new(
        ERR_UNSUPPORTED,
        format!("coll_basic does not offer the collective operation number {operation} here"),
    )
}

/// Whether operands of the operation may be swapped.
fn commutative(call: &Call<'_>) -> bool {
    // SAFETY: a reduction's operation is valid as long as its call.
    unsafe { (*call.args.op).flags & OP_COMMUTATIVE != 0 }
}

/// The binomial tree: the distances 1, 2, 4... below `size`.
fn distances(size: u32) -> impl DoubleEndedIterator<Item = u32> {
    let count = u32::BITS - size.saturating_sub(1).leading_zeros();
    (0..count).map(|bit| 1 << bit)
}
