//! Between neighbors: straight, all at a time. A process does not know whom its neighbors wait for, so if it
//! waited for some before it sent to others, processes could wait for each other.

use cairn_framework::abi::comm::Neighbor;
use cairn_framework::author::Failure;
use cairn_framework::frameworks::coll::{COLL_NEIGHBOR_ALLGATHER, COLL_NEIGHBOR_ALLGATHERV};

use crate::call::Call;
use crate::schedule::Schedule;
use crate::unsupported;

/// A block along each edge: the same one along all, or one for each.
///
/// # Errors
/// The communicator has no neighbors.
pub fn write(call: &Call<'_>, schedule: &mut Schedule) -> Result<(), Failure> {
    let operation = call.args.operation;
    let Some([sources, destinations]) = call.neighbors() else {
        return Err(unsupported(operation));
    };
    let gathers = matches!(operation, COLL_NEIGHBOR_ALLGATHER | COLL_NEIGHBOR_ALLGATHERV);
    let (send, receive) = (call.send_blocks(), call.receive_blocks());
    let sent = |to: &Neighbor| if gathers { call.send() } else { send.block(to.block) };
    let received = |from: &Neighbor| receive.block(from.block);
    let is_own = |neighbor: &&Neighbor| neighbor.rank == call.rank();
    // Edges between two processes are in one order on both sides, and so are messages with one tag.
    for (from, to) in sources.iter().filter(is_own).zip(destinations.iter().filter(is_own)) {
        schedule.copy(sent(to), received(from));
    }
    for from in sources.iter().filter(|from| !is_own(from)) {
        schedule.receive_some(from.rank, received(from));
    }
    for to in destinations.iter().filter(|to| !is_own(to)) {
        schedule.send_some(to.rank, sent(to));
    }
    Ok(())
}
