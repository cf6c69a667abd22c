//! Allreduce. The result has the same bits on all ranks, whichever algorithm makes it.

use cairn_framework::frameworks::coll::{COLL_BCAST, COLL_REDUCE, CollArgs};
use cairn_schedule::{Call, Schedule, distances, linear};

use super::halving::{self, Parts};
use super::reduce::{self, Core};
use super::{Knobs, Result, bcast};

/// Reduced at rank 0, which sends the result to each.
pub fn straight(call: &Call<'_>, _: &Knobs, schedule: &mut Schedule) -> Result {
    linear::allreduce(call, schedule)
}

/// Up a k-nomial tree to rank 0, and down again: 2(p - 1) messages, the fewest.
pub fn reduce_bcast(call: &Call<'_>, knobs: &Knobs, schedule: &mut Schedule) -> Result {
    let as_if = |operation| CollArgs { operation, root: 0, ..*call.args };
    reduce::knomial(&Call { args: &as_if(COLL_REDUCE), ..*call }, knobs, schedule)?;
    schedule.wait();
    bcast::knomial(&Call { args: &as_if(COLL_BCAST), ..*call }, knobs, schedule)
}

/// Exchanges of the whole vector in pairs, at the distances 1, 2, 4…: log2 p steps, two more if p is no power of
/// two (Thakur, Rabenseifner and Gropp 2005, section 4.5).
pub fn doubling(call: &Call<'_>, _: &Knobs, schedule: &mut Schedule) -> Result {
    let (mine, result, core) = (call.contribution(), call.receive(), Core::of(call));
    // It begins where it has to for ending up in its place.
    let other = schedule.temporary(result)?;
    let (begin, other) = if core.changes(call.rank()) { (other, result) } else { (result, other) };
    if begin.buffer != mine.buffer {
        schedule.copy(mine, begin);
    }
    reduce::doubling(call, schedule, begin, other);
    Ok(())
}

/// Rabenseifner's algorithm: recursive halving, after which each process of the core has reduced a part, and
/// recursive doubling, by which all get all parts. A process of the core sends 2n(p - 1)/p of n bytes in 2 log2 p
/// steps (Rabenseifner 2004; Thakur, Rabenseifner and Gropp 2005, section 4.5).
pub fn rabenseifner(call: &Call<'_>, _: &Knobs, schedule: &mut Schedule) -> Result {
    let (mine, result, core) = (call.contribution(), call.receive(), Core::of(call));
    let parts = Parts::even(result.count, core.size);
    let number = halving::halve(call, schedule, core, mine, result, parts)?;
    if let Some(number) = number {
        let mut first = number;
        for count in distances(core.size) {
            let peer = core.rank(number ^ count);
            let theirs = first ^ count;
            schedule.receive_some(peer, parts.of(result, theirs, count));
            schedule.send_some(peer, parts.of(result, first, count));
            schedule.wait();
            first = first.min(theirs);
        }
    }
    reduce::leave(call, schedule, core, number, result);
    Ok(())
}

/// Around a ring, in p parts: after p - 1 steps each process has reduced one, and after as many again all have
/// all. Each step sends n/p bytes to the same neighbour, 2n(p - 1)/p in all (Patarasuk and Yuan 2009).
pub fn ring(call: &Call<'_>, _: &Knobs, schedule: &mut Schedule) -> Result {
    let (size, mine, result) = (call.size(), call.contribution(), call.receive());
    let parts = Parts::even(result.count, size);
    let part = |number: u32| parts.of(result, number, 1);
    if !call.send_in_place() {
        schedule.copy(mine, result);
    }
    let other = schedule.temporary(result.of(result.count.div_ceil(u64::from(size))))?;
    for step in 0..size - 1 {
        let (gone, come) = (part(call.before(step)), part(call.before(step + 1)));
        let place = other.of(come.count);
        schedule.receive_some(call.before(1), place);
        schedule.send_some(call.after(1), gone);
        schedule.wait();
        if come.count > 0 {
            schedule.reduce(place, come);
        }
    }
    for step in 0..size - 1 {
        let (gone, come) = (part(call.before(step + size - 1)), part(call.before(step)));
        schedule.receive_some(call.before(1), come);
        schedule.send_some(call.after(1), gone);
        schedule.wait();
    }
    Ok(())
}
