//! Barriers.

use cairn_schedule::{Call, Data, Schedule, distances, linear};

use super::reduce::Core;
use super::tree::Tree;
use super::{Knobs, Result};

fn nothing() -> Data {
    Data::packed(core::ptr::null_mut(), 0)
}

/// To rank 0 and back: 2(p - 1) messages, p - 1 of them one behind the other, twice.
pub fn straight(call: &Call<'_>, _: &Knobs, schedule: &mut Schedule) -> Result {
    linear::barrier(call, schedule)
}

/// Dissemination (Hensgen, Finkel and Manber 1988): after step k a process knows of the 2^k processes before
/// it. ⌈log2 p⌉ steps, p messages in each.
pub fn dissemination(call: &Call<'_>, _: &Knobs, schedule: &mut Schedule) -> Result {
    for distance in distances(call.size()) {
        schedule.receive(call.before(distance), nothing());
        schedule.send(call.after(distance), nothing());
        schedule.wait();
    }
    Ok(())
}

/// Up a k-nomial tree and down again: 2(p - 1) messages in all, the fewest.
pub fn tree(call: &Call<'_>, knobs: &Knobs, schedule: &mut Schedule) -> Result {
    let tree = Tree::new(call.size(), knobs.radix);
    for child in tree.children(call.rank()) {
        schedule.receive(child.start, nothing());
    }
    schedule.wait();
    if let Some(parent) = tree.parent(call.rank()) {
        schedule.send(parent, nothing());
        schedule.receive(parent, nothing());
        schedule.wait();
    }
    for child in tree.children(call.rank()).rev() {
        schedule.send(child.start, nothing());
    }
    Ok(())
}

/// Exchanges in pairs at the distances 1, 2, 4…; those beyond a power of two have a neighbour who does it for
/// them. log2 p steps for powers of two, otherwise two more.
pub fn doubling(call: &Call<'_>, _: &Knobs, schedule: &mut Schedule) -> Result {
    let core = Core::of(call);
    let rank = call.rank();
    let number = core.number(rank);
    match number {
        None => schedule.send(rank + 1, nothing()),
        Some(number) if number < core.rest => schedule.receive(rank - 1, nothing()),
        Some(_) => {}
    }
    schedule.wait();
    if let Some(number) = number {
        for distance in distances(core.size) {
            let peer = core.rank(number ^ distance);
            schedule.receive(peer, nothing());
            schedule.send(peer, nothing());
            schedule.wait();
        }
    }
    super::reduce::leave(call, schedule, core, number, nothing());
    Ok(())
}
