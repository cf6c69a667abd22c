//! Reduce-scatter: the whole vector by recursive doubling, of which each process keeps its part; or,
//! for large vectors, each part straight to its process.

use cairn_framework::author::Failure;
use cairn_framework::frameworks::coll::COLL_REDUCE_SCATTER;

use super::{commutative, reduce};
use crate::call::Call;
use crate::data::Data;
use crate::schedule::Schedule;

pub fn reduce_scatter(call: &Call<'_>, schedule: &mut Schedule) -> Result<(), Failure> {
    let (total, _) = parts(call, call.size());
    let vector = call.contribution().of(total);
    if vector.bytes() == 0 {
        return Ok(());
    }
    let (first, count) = parts(call, call.rank());
    let result = call.receive().of(count);
    if call.size() == 1 {
        if !call.send_in_place() {
            schedule.copy(vector, result);
        }
        return Ok(());
    }
    if vector.bytes() >= call.params.reduce_scatter_split.get() && commutative(call) {
        return pairwise(call, schedule, vector, result);
    }
    let (mine, other) = (schedule.temporary(vector)?, schedule.temporary(vector)?);
    schedule.copy(vector, mine);
    let reduced = reduce::doubling(call, schedule, mine, other);
    schedule.copy(reduced.part(first, count), result);
    Ok(())
}

/// Where the part of a rank begins, and its elements. Past the last rank, where all parts end.
pub fn parts(call: &Call<'_>, rank: u32) -> (u64, u64) {
    if call.args.operation != COLL_REDUCE_SCATTER {
        let count = call.args.receive.count;
        return (u64::from(rank) * count, count);
    }
    let first = (0..rank).map(|rank| call.part(rank)).sum();
    (first, if rank < call.size() { call.part(rank) } else { 0 })
}

/// At each distance a process sends a part to whose it is, and receives one of its own.
fn pairwise(
    call: &Call<'_>,
    schedule: &mut Schedule,
    vector: Data,
    result: Data,
) -> Result<(), Failure> {
    // In place, the result lies where parts of others wait to be sent.
    let reduced = if call.send_in_place() { schedule.temporary(result)? } else { result };
    let other = schedule.temporary(result)?;
    // Where the part of each rank begins.
    let mut begins = core::mem::take(&mut schedule.numbers);
    begins.clear();
    let mut end = 0;
    for rank in 0..call.size() {
        begins.push(end);
        end += match call.args.operation {
            COLL_REDUCE_SCATTER => call.part(rank),
            _ => result.count,
        };
    }
    begins.push(end);
    let part = |rank: u32| {
        let begin = begins[rank as usize];
        vector.part(begin, begins[rank as usize + 1] - begin)
    };

    schedule.copy(part(call.rank()), reduced);
    for distance in 1..call.size() {
        let gone = part(call.after(distance));
        if result.count > 0 {
            schedule.receive(call.before(distance), other);
        }
        if gone.count > 0 {
            schedule.send(call.after(distance), gone);
        }
        schedule.wait();
        if result.count > 0 {
            schedule.reduce(other, reduced);
        }
    }
    if call.send_in_place() {
        schedule.copy(reduced, result);
    }
    schedule.numbers = begins;
    Ok(())
}
