//! Gather and scatter. Along a tree blocks are packed, and travel together. Where blocks have several sizes only
//! the root knows them, so these go straight.

use cairn_schedule::{Call, Schedule, linear};

use super::tree::Tree;
use super::{Knobs, Result};

/// From each to the root.
pub fn gather_straight(call: &Call<'_>, _: &Knobs, schedule: &mut Schedule) -> Result {
    linear::gather(call, schedule)
}

/// Up a binomial tree: ⌈log2 p⌉ steps, p - 1 messages; each block travels up to log2 p times.
pub fn gather_binomial(call: &Call<'_>, _: &Knobs, schedule: &mut Schedule) -> Result {
    gather(call, schedule, 2)
}

/// Up a k-nomial tree.
pub fn gather_knomial(call: &Call<'_>, knobs: &Knobs, schedule: &mut Schedule) -> Result {
    gather(call, schedule, knobs.radix)
}

fn gather(call: &Call<'_>, schedule: &mut Schedule, radix: u32) -> Result {
    let block = if call.is_root() { call.receive().bytes() } else { call.send().bytes() };
    let (tree, relative) = (Tree::new(call.size(), radix), call.relative());
    let own = tree.below(relative);
    let parent = tree.parent(relative).map(|parent| call.at_distance(parent));
    if let (1, Some(parent)) = (own.len(), parent) {
        schedule.send(parent, call.send());
        return Ok(());
    }
    // The blocks of the processes from this one on, as far as its subtree goes.
    let packed = schedule.packed(own.len() as u64 * block)?;
    let place = |first: u32, blocks: usize| {
        packed.part(u64::from(first - relative) * block, blocks as u64 * block)
    };
    for child in tree.children(relative) {
        schedule.receive(call.at_distance(child.start), place(child.start, child.len()));
    }
    if let Some(parent) = parent {
        schedule.copy(call.send(), place(relative, 1));
        schedule.wait();
        schedule.send(parent, packed);
        return Ok(());
    }
    if !call.send_in_place() {
        schedule.copy(call.send(), call.receive_blocks().block(call.rank()));
    }
    schedule.wait();
    for distance in 1..call.size() {
        let to = call.receive_blocks().block(call.at_distance(distance));
        schedule.copy(place(distance, 1), to);
    }
    Ok(())
}

/// From the root to each.
pub fn scatter_straight(call: &Call<'_>, _: &Knobs, schedule: &mut Schedule) -> Result {
    linear::scatter(call, schedule)
}

/// Down a binomial tree: ⌈log2 p⌉ steps, p - 1 messages; each block travels up to log2 p times.
pub fn scatter_binomial(call: &Call<'_>, _: &Knobs, schedule: &mut Schedule) -> Result {
    scatter(call, schedule, 2)
}

/// Down a k-nomial tree.
pub fn scatter_knomial(call: &Call<'_>, knobs: &Knobs, schedule: &mut Schedule) -> Result {
    scatter(call, schedule, knobs.radix)
}

fn scatter(call: &Call<'_>, schedule: &mut Schedule, radix: u32) -> Result {
    let block = if call.is_root() { call.send().bytes() } else { call.receive().bytes() };
    let (tree, relative) = (Tree::new(call.size(), radix), call.relative());
    let own = tree.below(relative);
    let parent = tree.parent(relative).map(|parent| call.at_distance(parent));
    if let (1, Some(parent)) = (own.len(), parent) {
        schedule.receive(parent, call.receive());
        return Ok(());
    }
    let packed = schedule.packed(own.len() as u64 * block)?;
    let place = |first: u32, blocks: usize| {
        packed.part(u64::from(first - relative) * block, blocks as u64 * block)
    };
    if let Some(parent) = parent {
        schedule.receive(parent, packed);
        schedule.wait();
    } else {
        for distance in 1..call.size() {
            let from = call.send_blocks().block(call.at_distance(distance));
            schedule.copy(from, place(distance, 1));
        }
    }
    for child in tree.children(relative).rev() {
        schedule.send(call.at_distance(child.start), place(child.start, child.len()));
    }
    if parent.is_some() {
        schedule.copy(place(relative, 1), call.receive());
    } else if !call.receive_in_place() {
        schedule.copy(call.send_blocks().block(call.rank()), call.receive());
    }
    Ok(())
}
