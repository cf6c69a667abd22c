//! Reduce-scatter, with parts of one size or of several, which all ranks know.

use cairn_schedule::{Call, Data, Schedule, linear};

use super::halving::{self, Parts};
use super::reduce::{self, Core};
use super::{Knobs, Result};

/// Reduced at rank 0, which sends each its part.
pub fn straight(call: &Call<'_>, _: &Knobs, schedule: &mut Schedule) -> Result {
    linear::reduce_scatter(call, schedule)
}

/// This rank's vector, and its part of the result.
fn sides(call: &Call<'_>) -> (Data, Data) {
    let (total, _) = linear::parts(call, call.size());
    let (_, count) = linear::parts(call, call.rank());
    (call.contribution().of(total), call.receive().of(count))
}

/// The whole vector by recursive doubling, of which each process keeps its part: ⌈log2 p⌉ steps.
pub fn doubling(call: &Call<'_>, _: &Knobs, schedule: &mut Schedule) -> Result {
    let (vector, result) = sides(call);
    let (mine, other) = (schedule.temporary(vector)?, schedule.temporary(vector)?);
    schedule.copy(vector, mine);
    let reduced = reduce::doubling(call, schedule, mine, other);
    let (first, count) = linear::parts(call, call.rank());
    schedule.copy(reduced.part(first, count), result);
    Ok(())
}

/// At each distance a process sends a part to whose it is, and receives one of its own: p - 1 steps
/// (Thakur, Rabenseifner and Gropp 2005, section 4.4).
pub fn pairwise(call: &Call<'_>, _: &Knobs, schedule: &mut Schedule) -> Result {
    let (vector, result) = sides(call);
    // In place, the result lies where parts of others wait to be sent.
    let reduced = if call.send_in_place() { schedule.temporary(result)? } else { result };
    let other = schedule.temporary(result)?;
    in_parts(call, schedule, |schedule, parts| {
        let part = |rank: u32| parts.of(vector, rank, 1);
        schedule.copy(part(call.rank()), reduced);
        for distance in 1..call.size() {
            schedule.receive_some(call.before(distance), other);
            schedule.send_some(call.after(distance), part(call.after(distance)));
            schedule.wait();
            if result.count > 0 {
                schedule.reduce(other, reduced);
            }
        }
        Ok(())
    })?;
    if call.send_in_place() {
        schedule.copy(reduced, result);
    }
    Ok(())
}

/// A part goes around the ring to whose it is, and each process on the way adds its own: p - 1 steps, all to one
/// neighbour.
pub fn ring(call: &Call<'_>, _: &Knobs, schedule: &mut Schedule) -> Result {
    let (vector, result) = sides(call);
    in_parts(call, schedule, |schedule, parts| {
        let part = |rank: u32| parts.of(vector, rank, 1);
        let largest = (0..call.size()).map(|rank| part(rank).count).max().unwrap_or(0);
        let places =
            [schedule.temporary(vector.of(largest))?, schedule.temporary(vector.of(largest))?];
        let mut gone = part(call.before(1));
        for step in 1..call.size() {
            let own = part(call.before(step + 1));
            let come = places[step as usize % 2].of(own.count);
            schedule.receive_some(call.before(1), come);
            schedule.send_some(call.after(1), gone);
            schedule.wait();
            if own.count > 0 {
                schedule.reduce(own, come);
            }
            gone = come;
        }
        schedule.copy(gone, result);
        Ok(())
    })
}

/// Recursive halving: log2 p steps, in which a process of the core sends n(p - 1)/p of n bytes; if p is no power
/// of two, two more (Thakur, Rabenseifner and Gropp 2005, section 4.4).
pub fn halving(call: &Call<'_>, _: &Knobs, schedule: &mut Schedule) -> Result {
    let (vector, result) = sides(call);
    let core = Core::of(call);
    let reduced = schedule.temporary(vector)?;
    in_parts(call, schedule, |schedule, parts| {
        let begin = |number: u32| match number {
            number if number == core.size => call.size(),
            number => core.first_rank(number),
        };
        let begins: Vec<u64> = (0..=core.size).map(|number| parts.begin(begin(number))).collect();
        let listed = Parts::listed(&begins);
        let number = halving::halve(call, schedule, core, vector, reduced, listed)?;
        let own = parts.of(reduced, call.rank(), 1);
        match number {
            None => schedule.receive_some(call.rank() + 1, result),
            Some(number) if number < core.rest => {
                let other = parts.of(reduced, call.rank() - 1, 1);
                schedule.send_some(call.rank() - 1, other);
            }
            Some(_) => {}
        }
        if number.is_some() {
            schedule.copy(own, result);
        }
        Ok(())
    })
}

/// Works with the parts of all ranks.
fn in_parts(
    call: &Call<'_>,
    schedule: &mut Schedule,
    work: impl FnOnce(&mut Schedule, Parts<'_>) -> Result,
) -> Result {
    let mut begins = core::mem::take(&mut schedule.numbers);
    begins.clear();
    let mut end = 0;
    for rank in 0..call.size() {
        begins.push(end);
        end += linear::part_of(call, rank);
    }
    begins.push(end);
    let result = work(schedule, Parts::listed(&begins));
    schedule.numbers = begins;
    result
}
