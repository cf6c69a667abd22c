//! Alltoall, with blocks of one size or of several: straight, a window of peers at a time; tiny
//! blocks among many by Bruck's algorithm; in place by exchanges in pairs.

use cairn_framework::author::Failure;

use super::distances;
use crate::call::Call;
use crate::schedule::Schedule;

/// Among fewer processes, passing blocks on does not save enough messages.
const TREE_PROCESSES: u32 = 8;

pub fn alltoall(call: &Call<'_>, schedule: &mut Schedule) -> Result<(), Failure> {
    if call.send_in_place() {
        return exchange(call, schedule);
    }
    let (send, receive) = (call.send_blocks(), call.receive_blocks());
    if send.alike() {
        let block = call.send().bytes();
        if block > 0 && block <= call.params.alltoall_tree.get() && call.size() >= TREE_PROCESSES {
            return bruck(call, schedule, block);
        }
    }
    schedule.copy(send.block(call.rank()), receive.block(call.rank()));
    let most = call.params.alltoall_window.get() as u32;
    for first in (1..call.size()).step_by(most as usize) {
        let window = first..call.size().min(first.saturating_add(most));
        for distance in window.clone() {
            let block = receive.block(call.before(distance));
            if block.bytes() > 0 {
                schedule.receive(call.before(distance), block);
            }
        }
        for distance in window {
            let block = send.block(call.after(distance));
            if block.bytes() > 0 {
                schedule.send(call.after(distance), block);
            }
        }
        schedule.wait();
    }
    Ok(())
}

/// In turn number t the ranks with the sum t (modulo the size) swap their blocks.
fn exchange(call: &Call<'_>, schedule: &mut Schedule) -> Result<(), Failure> {
    let blocks = call.receive_blocks();
    let (size, rank) = (u64::from(call.size()), u64::from(call.rank()));
    let largest = (0..call.size()).map(|peer| blocks.block(peer).bytes()).max().unwrap_or(0);
    let packed = schedule.packed(largest)?;
    for turn in 0..size {
        let peer = ((turn + size - rank) % size) as u32;
        let block = blocks.block(peer);
        if peer == call.rank() || block.bytes() == 0 {
            continue;
        }
        let gone = packed.of(block.bytes());
        schedule.copy(block, gone);
        schedule.receive(peer, block);
        schedule.send(peer, gone);
        schedule.wait();
    }
    Ok(())
}

/// A block travels along the bits of the distance it has to go.
fn bruck(call: &Call<'_>, schedule: &mut Schedule, block: u64) -> Result<(), Failure> {
    let size = call.size();
    let (send, receive) = (call.send_blocks(), call.receive_blocks());
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
