//! Allgather, with blocks of one size or of several: Bruck's algorithm while the result is small, a
//! ring when it is large.

use cairn_framework::author::Failure;

use super::distances;
use crate::call::{Blocks, Call};
use crate::schedule::Schedule;

pub fn allgather(call: &Call<'_>, schedule: &mut Schedule) -> Result<(), Failure> {
    let blocks = call.receive_blocks();
    if !call.send_in_place() {
        schedule.copy(call.send(), blocks.block(call.rank()));
    }
    if call.size() == 1 {
        return Ok(());
    }
    let total: u64 = if blocks.alike() {
        blocks.block(0).bytes() * u64::from(call.size())
    } else {
        (0..call.size()).map(|rank| blocks.block(rank).bytes()).sum()
    };
    if total == 0 {
        return Ok(());
    }
    if call.size() > 2 && total <= call.params.allgather_tree.get() {
        bruck(call, schedule, blocks, total)
    } else {
        ring(call, schedule, blocks);
        Ok(())
    }
}

/// After the step with distance d a process has the blocks of 2d processes, from itself on.
fn bruck(
    call: &Call<'_>,
    schedule: &mut Schedule,
    blocks: Blocks<'_>,
    total: u64,
) -> Result<(), Failure> {
    let size = call.size();
    let packed = schedule.packed(total)?;
    // Where the block of the process at a distance begins, and at the end where all end.
    let mut begins = core::mem::take(&mut schedule.numbers);
    begins.clear();
    let mut end = 0;
    for distance in 0..size {
        begins.push(end);
        end += blocks.block(call.after(distance)).bytes();
    }
    begins.push(end);
    let range = |first: u32, end: u32| {
        let begin = begins[first as usize];
        packed.part(begin, begins[end as usize] - begin)
    };

    schedule.copy(blocks.block(call.rank()), range(0, 1));
    for distance in distances(size) {
        let count = distance.min(size - distance);
        let (come, gone) = (range(distance, distance + count), range(0, count));
        if come.count > 0 {
            schedule.receive(call.after(distance), come);
        }
        if gone.count > 0 {
            schedule.send(call.before(distance), gone);
        }
        schedule.wait();
    }
    for distance in 1..size {
        schedule.copy(range(distance, distance + 1), blocks.block(call.after(distance)));
    }
    schedule.numbers = begins;
    Ok(())
}

/// Each process passes on the block it got last.
fn ring(call: &Call<'_>, schedule: &mut Schedule, blocks: Blocks<'_>) {
    for step in 0..call.size() - 1 {
        let (gone, come) = (blocks.block(call.before(step)), blocks.block(call.before(step + 1)));
        if come.bytes() > 0 {
            schedule.receive(call.before(1), come);
        }
        if gone.bytes() > 0 {
            schedule.send(call.after(1), gone);
        }
        schedule.wait();
    }
}
