//! Gather and scatter: small blocks along a binomial tree, packed on the way; large ones, and those
//! whose sizes only the root knows, straight.

use cairn_framework::author::Failure;

use super::distances;
use crate::call::Call;
use crate::schedule::Schedule;

pub fn gather(call: &Call<'_>, schedule: &mut Schedule) -> Result<(), Failure> {
    let block = if call.is_root() { call.receive().bytes() } else { call.send().bytes() };
    if block == 0 {
        return Ok(());
    }
    if call.size() <= 2 || block > call.params.gather_tree.get() {
        return gatherv(call, schedule);
    }
    let (size, relative) = (call.size(), call.relative());
    let reach = reach(relative, size);
    if reach == 1 {
        schedule.send(parent(call), call.send());
        return Ok(());
    }
    // The blocks of the processes from this one on, as far as its subtree goes.
    let own = reach.min(size - relative);
    let packed = schedule.packed(u64::from(own) * block)?;
    for distance in distances(own) {
        let child = relative + distance;
        let blocks = distance.min(size - child);
        let place = packed.part(u64::from(distance) * block, u64::from(blocks) * block);
        schedule.receive(call.at_distance(child), place);
    }
    if relative != 0 {
        schedule.copy(call.send(), packed.of(block));
        schedule.wait();
        schedule.send(parent(call), packed);
        return Ok(());
    }
    if !call.send_in_place() {
        schedule.copy(call.send(), call.receive_blocks().block(call.rank()));
    }
    schedule.wait();
    for distance in 1..size {
        let place = packed.part(u64::from(distance) * block, block);
        schedule.copy(place, call.receive_blocks().block(call.at_distance(distance)));
    }
    Ok(())
}

pub fn gatherv(call: &Call<'_>, schedule: &mut Schedule) -> Result<(), Failure> {
    if !call.is_root() {
        if call.send().bytes() > 0 {
            schedule.send(call.args.root as u32, call.send());
        }
        return Ok(());
    }
    let blocks = call.receive_blocks();
    for distance in 1..call.size() {
        let peer = call.after(distance);
        if blocks.block(peer).bytes() > 0 {
            schedule.receive(peer, blocks.block(peer));
        }
    }
    if !call.send_in_place() {
        schedule.copy(call.send(), blocks.block(call.rank()));
    }
    schedule.wait();
    Ok(())
}

pub fn scatter(call: &Call<'_>, schedule: &mut Schedule) -> Result<(), Failure> {
    let block = if call.is_root() { call.send().bytes() } else { call.receive().bytes() };
    if block == 0 {
        return Ok(());
    }
    if call.size() <= 2 || block > call.params.gather_tree.get() {
        return scatterv(call, schedule);
    }
    let (size, relative) = (call.size(), call.relative());
    let reach = reach(relative, size);
    if reach == 1 {
        schedule.receive(parent(call), call.receive());
        return Ok(());
    }
    let own = reach.min(size - relative);
    let packed = schedule.packed(u64::from(own) * block)?;
    if relative == 0 {
        for distance in 1..size {
            let place = packed.part(u64::from(distance) * block, block);
            schedule.copy(call.send_blocks().block(call.at_distance(distance)), place);
        }
    } else {
        schedule.receive(parent(call), packed);
        schedule.wait();
    }
    for distance in distances(own).rev() {
        let child = relative + distance;
        let blocks = distance.min(size - child);
        let place = packed.part(u64::from(distance) * block, u64::from(blocks) * block);
        schedule.send(call.at_distance(child), place);
    }
    if relative != 0 {
        schedule.copy(packed.of(block), call.receive());
    } else if !call.receive_in_place() {
        schedule.copy(call.send_blocks().block(call.rank()), call.receive());
    }
    schedule.wait();
    Ok(())
}

pub fn scatterv(call: &Call<'_>, schedule: &mut Schedule) -> Result<(), Failure> {
    if !call.is_root() {
        if call.receive().bytes() > 0 {
            schedule.receive(call.args.root as u32, call.receive());
        }
        return Ok(());
    }
    let blocks = call.send_blocks();
    for distance in 1..call.size() {
        let peer = call.after(distance);
        if blocks.block(peer).bytes() > 0 {
            schedule.send(peer, blocks.block(peer));
        }
    }
    if !call.receive_in_place() {
        schedule.copy(blocks.block(call.rank()), call.receive());
    }
    schedule.wait();
    Ok(())
}

/// How many processes the subtree of one spans, if there are that many.
fn reach(relative: u32, size: u32) -> u32 {
    match relative {
        0 => size.next_power_of_two(),
        // The last process has none behind it.
        _ if relative == size - 1 => 1,
        _ => 1 << relative.trailing_zeros(),
    }
}

/// The process above this one in the tree.
fn parent(call: &Call<'_>) -> u32 {
    let relative = call.relative();
    call.at_distance(relative & (relative - 1))
}
