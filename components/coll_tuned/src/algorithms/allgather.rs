//! Allgather, with blocks of one size or of several, which all ranks know.

use cairn_schedule::{Blocks, Call, Data, Schedule, distances, linear};

use super::{Knobs, Result};

/// From each to each, all at a time: p - 1 messages of each process.
pub fn straight(call: &Call<'_>, _: &Knobs, schedule: &mut Schedule) -> Result {
    linear::allgather(call, schedule)
}

/// The blocks where they are to be, this rank's own among them.
fn begin<'a>(call: &Call<'a>, schedule: &mut Schedule) -> Blocks<'a> {
    let blocks = call.receive_blocks();
    if !call.send_in_place() {
        schedule.copy(call.send(), blocks.block(call.rank()));
    }
    blocks
}

/// Bruck et al. (1997), section 3: after the step with distance d a process has the blocks of 2d processes, from
/// itself on. ⌈log2 p⌉ steps for any p, and each process receives each block once.
pub fn bruck(call: &Call<'_>, _: &Knobs, schedule: &mut Schedule) -> Result {
    let blocks = begin(call, schedule);
    let size = call.size();
    packed(
        call,
        schedule,
        |distance| call.after(distance),
        |schedule, range| {
            schedule.copy(blocks.block(call.rank()), range(0, 1));
            for distance in distances(size) {
                let count = distance.min(size - distance);
                schedule.receive_some(call.after(distance), range(distance, distance + count));
                schedule.send_some(call.before(distance), range(0, count));
                schedule.wait();
            }
            for distance in 1..size {
                schedule.copy(range(distance, distance + 1), blocks.block(call.after(distance)));
            }
        },
    )
}

/// Each process passes on the block it got last: p - 1 steps of one block each.
pub fn ring(call: &Call<'_>, _: &Knobs, schedule: &mut Schedule) -> Result {
    let blocks = call.receive_blocks();
    let own = blocks.block(call.rank());
    for step in 0..call.size() - 1 {
        let is_copied = step == 0 && !call.send_in_place();
        let data = if is_copied { call.send() } else { blocks.block(call.before(step)) };
        schedule.receive_some(call.before(1), blocks.block(call.before(step + 1)));
        schedule.send_some(call.after(1), data);
        // While messages are under way.
        if is_copied {
            schedule.copy(data, own);
        }
        schedule.wait();
    }
    Ok(())
}

/// Exchanges in pairs of all that a process has, at the distances 1, 2, 4…: log2 p steps, for powers of two
/// (Thakur, Rabenseifner and Gropp 2005, section 4.1).
pub fn doubling(call: &Call<'_>, _: &Knobs, schedule: &mut Schedule) -> Result {
    in_order(call, schedule, |schedule, range| {
        for distance in distances(call.size()) {
            let peer = call.rank() ^ distance;
            let (own, theirs) = (call.rank() & !(distance - 1), peer & !(distance - 1));
            schedule.receive_some(peer, range(theirs, theirs + distance));
            schedule.send_some(peer, range(own, own + distance));
            schedule.wait();
        }
    })
}

/// Chen et al. (2005), "Performance evaluation of allgather algorithms on terascale Linux cluster with fast
/// Ethernet": neighbors in pairs swap what they got from the other side in the step before, two blocks at a
/// time. p / 2 steps, for an even number of processes.
pub fn neighbor_exchange(call: &Call<'_>, _: &Knobs, schedule: &mut Schedule) -> Result {
    in_order(call, schedule, |schedule, range| {
        let (size, rank) = (call.size(), call.rank());
        let even = rank.is_multiple_of(2);
        // The partners in turn, and the first of the two blocks that came last from each.
        let partners =
            if even { [call.after(1), call.before(1)] } else { [call.before(1), call.after(1)] };
        let pair = rank - rank % 2;
        let mut come = [pair; 2];
        let steps = if even { [2, size - 2] } else { [size - 2, 2] };
        schedule.receive_some(partners[0], range(partners[0], partners[0] + 1));
        schedule.send_some(partners[0], range(rank, rank + 1));
        schedule.wait();
        let mut gone = pair;
        for step in 1..size / 2 {
            let turn = step as usize % 2;
            come[turn] = (come[turn] + steps[turn]) % size;
            schedule.receive_some(partners[turn], range(come[turn], come[turn] + 2));
            schedule.send_some(partners[turn], range(gone, gone + 2));
            schedule.wait();
            gone = come[turn];
        }
    })
}

/// Works on the blocks in the order of the ranks, in one piece: where they are to be, or packed.
fn in_order(
    call: &Call<'_>,
    schedule: &mut Schedule,
    work: impl FnOnce(&mut Schedule, &dyn Fn(u32, u32) -> Data),
) -> Result {
    let blocks = begin(call, schedule);
    if blocks.alike() {
        let count = blocks.block(0).count;
        work(schedule, &|first, end| blocks.block(first).of(u64::from(end - first) * count));
        return Ok(());
    }
    let others = || (0..call.size()).filter(|rank| *rank != call.rank());
    packed(
        call,
        schedule,
        |rank| rank,
        |schedule, range| {
            schedule.copy(blocks.block(call.rank()), range(call.rank(), call.rank() + 1));
            work(schedule, range);
            others().for_each(|rank| schedule.copy(range(rank, rank + 1), blocks.block(rank)));
        },
    )
}

/// Works on memory for all blocks, packed: at place i is that of the rank `at(i)`.
fn packed(
    call: &Call<'_>,
    schedule: &mut Schedule,
    at: impl Fn(u32) -> u32,
    work: impl FnOnce(&mut Schedule, &dyn Fn(u32, u32) -> Data),
) -> Result {
    let blocks = call.receive_blocks();
    // Where each begins, and at the end where all end.
    let mut begins = core::mem::take(&mut schedule.numbers);
    begins.clear();
    let mut end = 0;
    for place in 0..call.size() {
        begins.push(end);
        end += blocks.block(at(place)).bytes();
    }
    begins.push(end);
    let all = schedule.packed(end)?;
    work(schedule, &|first, end| {
        let begin = begins[first as usize];
        all.part(begin, begins[end as usize] - begin)
    });
    schedule.numbers = begins;
    Ok(())
}
