//! Each operation within a group in the plainest way: what goes to a process or comes from it goes straight,
//! and reductions are made at one place, in the order of the ranks.
//!
//! A rank sends up to p - 1 messages, one behind the other, so these are for few processes, for comparison,
//! and where only one process knows the sizes.

use cairn_framework::author::Failure;
use cairn_framework::frameworks::coll::*;

use crate::call::Call;
use crate::data::Data;
use crate::schedule::Schedule;
use crate::unsupported;

/// Writes the steps of an operation within a group, whichever it is.
///
/// # Errors
/// There is no memory, or no such operation.
pub fn write(call: &Call<'_>, schedule: &mut Schedule) -> Result<(), Failure> {
    if call.bytes() == Some(0) {
        return Ok(());
    }
    match call.args.operation {
        COLL_BARRIER => barrier(call, schedule),
        COLL_BCAST => bcast(call, schedule),
        COLL_GATHER | COLL_GATHERV => gather(call, schedule),
        COLL_SCATTER | COLL_SCATTERV => scatter(call, schedule),
        COLL_ALLGATHER | COLL_ALLGATHERV => allgather(call, schedule),
        COLL_ALLTOALL | COLL_ALLTOALLV | COLL_ALLTOALLW => alltoall(call, schedule, u32::MAX),
        COLL_REDUCE => reduce(call, schedule),
        COLL_ALLREDUCE => allreduce(call, schedule),
        COLL_REDUCE_SCATTER | COLL_REDUCE_SCATTER_BLOCK => reduce_scatter(call, schedule),
        COLL_SCAN => scan(call, schedule),
        COLL_EXSCAN => exscan(call, schedule),
        other => Err(unsupported(other)),
    }
}

/// All tell rank 0, which tells all.
///
/// # Errors
/// There is no memory.
pub fn barrier(call: &Call<'_>, schedule: &mut Schedule) -> Result<(), Failure> {
    let nothing = Data::packed(core::ptr::null_mut(), 0);
    if call.rank() != 0 {
        schedule.send(0, nothing);
        schedule.receive(0, nothing);
        return Ok(());
    }
    (1..call.size()).for_each(|peer| schedule.receive(peer, nothing));
    schedule.wait();
    (1..call.size()).for_each(|peer| schedule.send(peer, nothing));
    Ok(())
}

/// From the root to each.
///
/// # Errors
/// There is no memory.
pub fn bcast(call: &Call<'_>, schedule: &mut Schedule) -> Result<(), Failure> {
    let data = call.receive();
    if !call.is_root() {
        schedule.receive_some(call.args.root as u32, data);
        return Ok(());
    }
    for distance in 1..call.size() {
        schedule.send_some(call.after(distance), data);
    }
    Ok(())
}

/// From each to the root; also with blocks of several sizes.
///
/// # Errors
/// There is no memory.
pub fn gather(call: &Call<'_>, schedule: &mut Schedule) -> Result<(), Failure> {
    if !call.is_root() {
        schedule.send_some(call.args.root as u32, call.send());
        return Ok(());
    }
    let blocks = call.receive_blocks();
    for distance in 1..call.size() {
        let peer = call.after(distance);
        schedule.receive_some(peer, blocks.block(peer));
    }
    if !call.send_in_place() {
        schedule.copy(call.send(), blocks.block(call.rank()));
    }
    Ok(())
}

/// From the root to each; also with blocks of several sizes.
///
/// # Errors
/// There is no memory.
pub fn scatter(call: &Call<'_>, schedule: &mut Schedule) -> Result<(), Failure> {
    if !call.is_root() {
        schedule.receive_some(call.args.root as u32, call.receive());
        return Ok(());
    }
    let blocks = call.send_blocks();
    for distance in 1..call.size() {
        let peer = call.after(distance);
        schedule.send_some(peer, blocks.block(peer));
    }
    if !call.receive_in_place() {
        schedule.copy(blocks.block(call.rank()), call.receive());
    }
    Ok(())
}

/// From each to each; also with blocks of several sizes.
///
/// # Errors
/// There is no memory.
pub fn allgather(call: &Call<'_>, schedule: &mut Schedule) -> Result<(), Failure> {
    let blocks = call.receive_blocks();
    let own = blocks.block(call.rank());
    let data = if call.send_in_place() { own } else { call.send() };
    for distance in 1..call.size() {
        let peer = call.before(distance);
        schedule.receive_some(peer, blocks.block(peer));
    }
    (1..call.size()).for_each(|distance| schedule.send_some(call.after(distance), data));
    // While messages are under way.
    if !call.send_in_place() {
        schedule.copy(data, own);
    }
    Ok(())
}

/// From each to each, `window` peers at a time, in the order of their distance; also with blocks of several
/// sizes. In place by exchanges in pairs.
///
/// # Errors
/// There is no memory.
pub fn alltoall(call: &Call<'_>, schedule: &mut Schedule, window: u32) -> Result<(), Failure> {
    if call.send_in_place() {
        return exchange(call, schedule);
    }
    let (sent, received) = (call.send_blocks(), call.receive_blocks());
    let own = |schedule: &mut Schedule| {
        schedule.copy(sent.block(call.rank()), received.block(call.rank()));
    };
    if call.size() == 1 {
        own(schedule);
    }
    for first in (1..call.size()).step_by(window.max(1) as usize) {
        let peers = first..call.size().min(first.saturating_add(window.max(1)));
        for distance in peers.clone() {
            schedule.receive_some(call.before(distance), received.block(call.before(distance)));
        }
        for distance in peers {
            schedule.send_some(call.after(distance), sent.block(call.after(distance)));
        }
        // While messages are under way.
        if first == 1 {
            own(schedule);
        }
        schedule.wait();
    }
    Ok(())
}

/// In turn number t the ranks with the sum t (modulo the size) swap their blocks.
fn exchange(call: &Call<'_>, schedule: &mut Schedule) -> Result<(), Failure> {
    let blocks = call.receive_blocks();
    let (size, rank) = (u64::from(call.size()), u64::from(call.rank()));
    let largest = (0..call.size()).map(|peer| blocks.block(peer).bytes()).max().unwrap_or(0);
    let packed = schedule.packed(largest)?;
    for turn in 0..size {
        let peer = ((turn + size - rank) % size) as u32;
        let block = blocks.block(peer);
        if peer == call.rank() || block.bytes() == 0 {
            continue;
        }
        let gone = packed.of(block.bytes());
        schedule.copy(block, gone);
        schedule.receive(peer, block);
        schedule.send(peer, gone);
        schedule.wait();
    }
    Ok(())
}

/// At the root, one after the other.
///
/// # Errors
/// There is no memory.
pub fn reduce(call: &Call<'_>, schedule: &mut Schedule) -> Result<(), Failure> {
    reduce_to(call, schedule, call.args.root as u32, call.contribution(), call.receive())
}

/// At rank 0, which sends the result to each.
///
/// # Errors
/// There is no memory.
pub fn allreduce(call: &Call<'_>, schedule: &mut Schedule) -> Result<(), Failure> {
    let result = call.receive();
    reduce_to(call, schedule, 0, call.contribution(), result)?;
    schedule.wait();
    bcast(&Call { args: &CollArgs { root: 0, ..*call.args }, ..*call }, schedule)
}

/// At rank 0, which sends each its part.
///
/// # Errors
/// There is no memory.
pub fn reduce_scatter(call: &Call<'_>, schedule: &mut Schedule) -> Result<(), Failure> {
    let (total, _) = parts(call, call.size());
    let vector = call.contribution().of(total);
    let (first, count) = parts(call, call.rank());
    let result = call.receive().of(count);
    if call.size() == 1 {
        if !call.send_in_place() {
            schedule.copy(vector, result);
        }
        return Ok(());
    }
    if call.rank() != 0 {
        schedule.send_some(0, vector);
        schedule.wait();
        schedule.receive_some(0, result);
        return Ok(());
    }
    let reduced = schedule.temporary(vector)?;
    reduce_to(call, schedule, 0, vector, reduced)?;
    let mut begin = count;
    for peer in 1..call.size() {
        let count = part_of(call, peer);
        schedule.send_some(peer, reduced.part(begin, count));
        begin += count;
    }
    schedule.copy(reduced.part(first, count), result);
    Ok(())
}

/// From each rank to the next: the reduction of all up to it.
///
/// # Errors
/// There is no memory.
pub fn scan(call: &Call<'_>, schedule: &mut Schedule) -> Result<(), Failure> {
    let (rank, mine, result) = (call.rank(), call.contribution(), call.receive());
    if !call.send_in_place() {
        schedule.copy(mine, result);
    }
    if rank > 0 {
        let before = schedule.temporary(result)?;
        schedule.receive(rank - 1, before);
        schedule.wait();
        schedule.reduce(before, result);
    }
    if rank + 1 < call.size() {
        schedule.send(rank + 1, result);
    }
    Ok(())
}

/// The same, where a rank keeps the reduction of all before it; rank 0 has none and leaves its result alone.
///
/// # Errors
/// There is no memory.
pub fn exscan(call: &Call<'_>, schedule: &mut Schedule) -> Result<(), Failure> {
    let (rank, mine, result) = (call.rank(), call.contribution(), call.receive());
    let is_last = rank + 1 == call.size();
    if rank == 0 {
        if !is_last {
            schedule.send(1, mine);
        }
        return Ok(());
    }
    let up_to = schedule.temporary(result)?;
    if !is_last {
        schedule.copy(mine, up_to);
    }
    schedule.receive(rank - 1, result);
    schedule.wait();
    if !is_last {
        schedule.reduce(result, up_to);
        schedule.send(rank + 1, up_to);
    }
    Ok(())
}

/// Makes the reduction of what all have at one rank, from the last one's on. `result` counts there only.
fn reduce_to(
    call: &Call<'_>,
    schedule: &mut Schedule,
    root: u32,
    mine: Data,
    result: Data,
) -> Result<(), Failure> {
    if call.rank() != root {
        schedule.send_some(root, mine);
        return Ok(());
    }
    let last = call.size() - 1;
    // What is made from the last one's on must not lie where this rank's own part still is.
    let in_place = result.buffer == mine.buffer;
    let reduced = if in_place && root != last { schedule.temporary(mine)? } else { result };
    let other = if last > 0 { schedule.temporary(mine)? } else { mine };
    for peer in (0..=last).rev() {
        match (peer == last, peer == root) {
            (true, true) if in_place => {}
            (true, true) => schedule.copy(mine, reduced),
            (true, false) => schedule.receive(peer, reduced),
            (false, true) => schedule.reduce(mine, reduced),
            (false, false) => {
                schedule.receive(peer, other);
                schedule.wait();
                schedule.reduce(other, reduced);
            }
        }
        schedule.wait();
    }
    if reduced.buffer != result.buffer {
        schedule.copy(reduced, result);
    }
    Ok(())
}

/// Where the part of a rank begins that it gets of a reduce-scatter, and its elements. Past the last rank, where
/// all parts end.
pub fn parts(call: &Call<'_>, rank: u32) -> (u64, u64) {
    if call.args.operation != COLL_REDUCE_SCATTER {
        let count = call.args.receive.count;
        return (u64::from(rank) * count, count);
    }
    let first = (0..rank).map(|rank| call.part(rank)).sum();
    (first, if rank < call.size() { call.part(rank) } else { 0 })
}

/// The elements of the part of a rank of a reduce-scatter.
pub fn part_of(call: &Call<'_>, rank: u32) -> u64 {
    if call.args.operation == COLL_REDUCE_SCATTER {
        call.part(rank)
    } else {
        call.args.receive.count
    }
}
