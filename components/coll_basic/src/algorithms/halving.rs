//! Reductions of large vectors by Rabenseifner's algorithm: recursive halving, after which each process
//! has reduced a part; then all gather the parts by recursive doubling.

use cairn_framework::author::Failure;

use super::reduce::{Core, leave};
use super::{commutative, distances};
use crate::call::Call;
use crate::data::Data;
use crate::schedule::Schedule;

/// Whether a vector is large enough, and may be reduced in the order that comes of halving.
pub fn suits(call: &Call<'_>, core: Core, vector: Data, from: u64) -> bool {
    let large = vector.bytes() >= from && vector.count >= u64::from(core.size);
    large && core.size > 2 && commutative(call)
}

pub fn allreduce(
    call: &Call<'_>,
    schedule: &mut Schedule,
    core: Core,
    mine: Data,
    result: Data,
) -> Result<(), Failure> {
    let number = halve(call, schedule, core, mine, result)?;
    if let Some(number) = number {
        let parts = Parts { count: result.count, size: core.size };
        let mut first = number;
        for count in distances(core.size) {
            let peer = core.rank(number ^ count);
            let theirs = first ^ count;
            schedule.receive(peer, parts.of(result, theirs, count));
            schedule.send(peer, parts.of(result, first, count));
            schedule.wait();
            first = first.min(theirs);
        }
    }
    leave(call, schedule, core, number, result);
    Ok(())
}

/// A vector in as many parts as processes are in the core.
#[derive(Clone, Copy)]
struct Parts {
    /// Elements of the vector.
    count: u64,
    size: u32,
}

impl Parts {
    /// The element with which a part begins.
    fn begin(self, part: u32) -> u64 {
        (u128::from(self.count) * u128::from(part) / u128::from(self.size)) as u64
    }

    /// So many parts of a vector.
    fn of(self, vector: Data, first: u32, parts: u32) -> Data {
        let begin = self.begin(first);
        vector.part(begin, self.begin(first + parts) - begin)
    }
}

/// Leaves the part of the vector that has this process's number, reduced, in `result`. Of `mine`, the
/// vector of this process, nothing is changed unless it is there. Returns the number, which those
/// outside of the core have not: they are through.
fn halve(
    call: &Call<'_>,
    schedule: &mut Schedule,
    core: Core,
    mine: Data,
    result: Data,
) -> Result<Option<u32>, Failure> {
    let Some(number) = core.number(call.rank()) else {
        schedule.send(call.rank() + 1, mine);
        schedule.wait();
        return Ok(None);
    };
    let parts = Parts { count: mine.count, size: core.size };
    let other = schedule.temporary(mine)?;
    // What comes first comes where the result is made, if this process's vector is elsewhere: that
    // saves copying it there.
    let mut have = mine;
    let place = |have: Data| {
        if have.buffer == result.buffer { (other, other) } else { (result, have) }
    };
    if number < core.rest {
        let (come, operand) = place(have);
        schedule.receive(call.rank() - 1, come);
        schedule.wait();
        schedule.reduce(operand, result);
        have = result;
    }
    // The parts that this process still reduces begin at `first`; their number halves.
    let mut first = 0;
    for half in distances(core.size).rev() {
        let peer = core.rank(number ^ half);
        let (keep, give) =
            if number & half == 0 { (first, first + half) } else { (first + half, first) };
        let (come, operand) = place(have);
        schedule.receive(peer, parts.of(come, keep, half));
        schedule.send(peer, parts.of(have, give, half));
        schedule.wait();
        schedule.reduce(parts.of(operand, keep, half), parts.of(result, keep, half));
        (have, first) = (result, keep);
    }
    Ok(Some(number))
}
