//! Broadcast: straight to a few processes of one node, down a binomial tree, or scattered along it and
//! gathered by all around a ring.

use cairn_framework::author::Failure;

use super::distances;
use crate::call::Call;
use crate::data::Data;
use crate::schedule::Schedule;

/// To so many processes of a node the root sends in less time than it takes a message to go down a
/// tree; and where they share processors, no process waits until one in between has had its turn.
const FEW_PROCESSES: u32 = 8;

pub fn bcast(call: &Call<'_>, schedule: &mut Schedule) -> Result<(), Failure> {
    let data = call.receive();
    if call.size() == 1 || data.bytes() == 0 {
        return Ok(());
    }
    if call.size() > 2 && data.bytes() >= call.params.bcast_split.get() {
        return split(call, schedule, data);
    }
    let few = call.size() <= FEW_PROCESSES && data.bytes() <= call.params.bcast_flat.get();
    if few && call.on_one_node() {
        straight(call, schedule, data);
    } else {
        tree(call, schedule, data);
    }
    Ok(())
}

fn straight(call: &Call<'_>, schedule: &mut Schedule, data: Data) {
    if !call.is_root() {
        schedule.receive(call.args.root as u32, data);
        return;
    }
    for distance in 1..call.size() {
        schedule.send(call.after(distance), data);
    }
}

fn tree(call: &Call<'_>, schedule: &mut Schedule, data: Data) {
    let relative = call.relative();
    // The lowest bit of a distance from the root says which is the parent; the root has none.
    let reach = reach(call);
    if relative != 0 {
        schedule.receive(call.at_distance(relative - reach), data);
        schedule.wait();
    }
    for distance in distances(reach).rev() {
        if relative + distance < call.size() {
            schedule.send(call.at_distance(relative + distance), data);
        }
    }
}

/// Down to which distance this process serves others: its subtree are so many processes from it on.
fn reach(call: &Call<'_>) -> u32 {
    match call.relative() {
        0 => call.size().next_power_of_two(),
        relative => 1 << relative.trailing_zeros(),
    }
}

fn split(call: &Call<'_>, schedule: &mut Schedule, data: Data) -> Result<(), Failure> {
    let (size, relative, bytes) = (call.size(), call.relative(), data.bytes());
    let flat = match data.flat() {
        Some(flat) => flat,
        None => schedule.packed(bytes)?,
    };
    let copied = data.flat().is_none();
    if copied && relative == 0 {
        schedule.copy(data, flat);
    }
    // Process number i from the root gets block i; the last blocks may be short or empty.
    let block = bytes.div_ceil(u64::from(size));
    let blocks = |first: u32, end: u32| {
        let begin = (u64::from(first) * block).min(bytes);
        flat.part(begin, (u64::from(end.min(size)) * block).min(bytes) - begin)
    };

    let reach = reach(call);
    if relative != 0 {
        let mine = blocks(relative, relative + reach);
        if mine.count > 0 {
            schedule.receive(call.at_distance(relative - reach), mine);
            schedule.wait();
        }
    }
    for distance in distances(reach).rev() {
        let child = relative + distance;
        if child < size && blocks(child, child + distance).count > 0 {
            schedule.send(call.at_distance(child), blocks(child, child + distance));
        }
    }
    schedule.wait();

    for step in 0..size - 1 {
        let number = |distance: u32| (relative + size - distance) % size;
        let (gone, come) = (number(step), number(step + 1));
        if blocks(come, come + 1).count > 0 {
            schedule.receive(call.before(1), blocks(come, come + 1));
        }
        if blocks(gone, gone + 1).count > 0 {
            schedule.send(call.after(1), blocks(gone, gone + 1));
        }
        schedule.wait();
    }
    if copied && relative != 0 {
        schedule.copy(flat, data);
    }
    Ok(())
}
