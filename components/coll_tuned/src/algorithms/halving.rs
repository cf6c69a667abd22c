//! Recursive halving, the first half of Rabenseifner's algorithms: in each step two processes exchange halves of
//! what they still reduce, until each has one part, reduced. Operands are taken as they come, so the
//! operation has to be commutative.

use cairn_schedule::{Call, Data, Schedule, distances};

use super::reduce::Core;

/// A vector in parts, by the elements with which they begin.
#[derive(Clone, Copy)]
pub struct Parts<'a> {
    begins: Begins<'a>,
}

#[derive(Clone, Copy)]
enum Begins<'a> {
    /// So many elements in so many parts, as even as they get.
    Even(u64, u32),
    /// Of each part, and at the end where all end.
    Listed(&'a [u64]),
}

impl<'a> Parts<'a> {
    pub fn even(count: u64, parts: u32) -> Self {
        Self { begins: Begins::Even(count, parts) }
    }

    pub fn listed(begins: &'a [u64]) -> Self {
        Self { begins: Begins::Listed(begins) }
    }

    /// The element with which a part begins.
    pub fn begin(self, part: u32) -> u64 {
        match self.begins {
            Begins::Even(count, parts) => {
                (u128::from(count) * u128::from(part) / u128::from(parts)) as u64
            }
            Begins::Listed(begins) => begins[part as usize],
        }
    }

    /// So many parts of a vector.
    pub fn of(self, vector: Data, first: u32, parts: u32) -> Data {
        let begin = self.begin(first);
        vector.part(begin, self.begin(first + parts) - begin)
    }
}

/// Leaves the part of the vector that has this process's number in the core, reduced, in `result`. Of `mine`,
/// the vector of this process, nothing is changed unless it is there. Returns the number, which those
/// outside of the core have not: they are through.
pub fn halve(
    call: &Call<'_>,
    schedule: &mut Schedule,
    core: Core,
    mine: Data,
    result: Data,
    parts: Parts<'_>,
) -> Result<Option<u32>, super::Failure> {
    let Some(number) = core.number(call.rank()) else {
        schedule.send(call.rank() + 1, mine);
        schedule.wait();
        return Ok(None);
    };
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
        let kept = parts.of(result, keep, half);
        schedule.receive_some(peer, parts.of(come, keep, half));
        schedule.send_some(peer, parts.of(have, give, half));
        schedule.wait();
        if kept.count > 0 {
            schedule.reduce(parts.of(operand, keep, half), kept);
        }
        (have, first) = (result, keep);
    }
    Ok(Some(number))
}
