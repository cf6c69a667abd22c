//! Alltoall, with blocks of one size or of several.

use cairn_schedule::{Call, Schedule, distances, linear};

use super::{Knobs, Result};

/// From each to each, a window of peers at a time; p - 1 messages of each process.
pub fn straight(call: &Call<'_>, knobs: &Knobs, schedule: &mut Schedule) -> Result {
    linear::alltoall(call, schedule, knobs.window)
}

/// One peer after the other: in step i a process sends to the one i behind it and receives from the one i
/// before it (Thakur, Rabenseifner and Gropp 2005, section 4.3). In place the two of a pair swap their blocks.
pub fn pairwise(call: &Call<'_>, _: &Knobs, schedule: &mut Schedule) -> Result {
    linear::alltoall(call, schedule, 1)
}

/// Bruck et al. (1997), section 2: a block travels along the bits of the distance it has to go. ⌈log2 p⌉ steps,
/// in each of which a process sends up to half of its blocks.
pub fn bruck(call: &Call<'_>, _: &Knobs, schedule: &mut Schedule) -> Result {
    let size = call.size();
    let (send, receive) = (call.send_blocks(), call.receive_blocks());
    let block = call.send().bytes();
    // By the distance the blocks have to go.
    let packed = schedule.packed(u64::from(size) * block)?;
    let gone = schedule.packed(u64::from(size) * block)?;
    let come = schedule.packed(u64::from(size) * block)?;
    let place = |distance: u32| packed.part(u64::from(distance) * block, block);
    for distance in 1..size {
        schedule.copy(send.block(call.after(distance)), place(distance));
    }
    for bit in distances(size) {
        let travelling = || (1..size).filter(move |distance| distance & bit != 0);
        let mut count = 0;
        for distance in travelling() {
            schedule.copy(place(distance), gone.part(count * block, block));
            count += 1;
        }
        schedule.receive(call.before(bit), come.of(count * block));
        schedule.send(call.after(bit), gone.of(count * block));
        schedule.wait();
        for (i, distance) in travelling().enumerate() {
            schedule.copy(come.part(i as u64 * block, block), place(distance));
        }
    }
    schedule.copy(send.block(call.rank()), receive.block(call.rank()));
    for distance in 1..size {
        schedule.copy(place(distance), receive.block(call.before(distance)));
    }
    Ok(())
}
