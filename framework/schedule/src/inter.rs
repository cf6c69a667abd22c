//! Between two groups: simple ways, because a process reaches only those of the other group.
//!
//! What a whole group is to know travels over the two processes with rank 0, the leaders: from the
//! group to the other's leader, across to the own leader, and back over the other's members.

use cairn_framework::author::Failure;
use cairn_framework::frameworks::coll::*;

use crate::call::Call;
use crate::data::Data;
use crate::linear::parts;
use crate::schedule::Schedule;
use crate::unsupported;

/// `CollArgs::root` of the process that is it.
const ROOT: i32 = -4;
/// `CollArgs::root` of the others in the root's group.
const PROC_NULL: i32 = -3;

/// Writes the steps of an operation between groups.
///
/// # Errors
/// There is no memory, or no such operation between groups.
pub fn write(call: &Call<'_>, schedule: &mut Schedule) -> Result<(), Failure> {
    let others = call.comm.remote_size;
    match call.args.operation {
        COLL_BARRIER => barrier(call, schedule),
        COLL_BCAST => match call.args.root {
            PROC_NULL => {}
            ROOT => (0..others).for_each(|peer| schedule.send_some(peer, call.receive())),
            root => schedule.receive_some(root as u32, call.receive()),
        },
        COLL_GATHER | COLL_GATHERV => match call.args.root {
            PROC_NULL => {}
            ROOT => {
                let blocks = call.receive_blocks();
                (0..others).for_each(|peer| schedule.receive_some(peer, blocks.block(peer)));
            }
            root => schedule.send_some(root as u32, call.send()),
        },
        COLL_SCATTER | COLL_SCATTERV => match call.args.root {
            PROC_NULL => {}
            ROOT => {
                let blocks = call.send_blocks();
                (0..others).for_each(|peer| schedule.send_some(peer, blocks.block(peer)));
            }
            root => schedule.receive_some(root as u32, call.receive()),
        },
        COLL_ALLGATHER | COLL_ALLGATHERV => {
            let blocks = call.receive_blocks();
            (0..others).for_each(|peer| schedule.receive_some(peer, blocks.block(peer)));
            (0..others).for_each(|peer| schedule.send_some(peer, call.send()));
        }
        COLL_ALLTOALL | COLL_ALLTOALLV | COLL_ALLTOALLW => {
            let (from, to) = (call.receive_blocks(), call.send_blocks());
            (0..others).for_each(|peer| schedule.receive_some(peer, from.block(peer)));
            (0..others).for_each(|peer| schedule.send_some(peer, to.block(peer)));
        }
        COLL_REDUCE => match call.args.root {
            PROC_NULL => {}
            ROOT => collect(call, schedule, call.receive(), None)?,
            root => schedule.send_some(root as u32, call.contribution()),
        },
        COLL_ALLREDUCE => allreduce(call, schedule)?,
        COLL_REDUCE_SCATTER | COLL_REDUCE_SCATTER_BLOCK => reduce_scatter(call, schedule)?,
        other => return Err(unsupported(other)),
    }
    Ok(())
}

fn barrier(call: &Call<'_>, schedule: &mut Schedule) {
    let nothing = Data::packed(core::ptr::null_mut(), 0);
    let others = call.comm.remote_size;
    // Each process tells the other leader; the leader then knows of the whole other group.
    schedule.send(0, nothing);
    if call.rank() == 0 {
        (0..others).for_each(|peer| schedule.receive(peer, nothing));
        schedule.wait();
        // Leaders tell each other that they know, and so what the other's group waits to hear.
        schedule.receive(0, nothing);
        schedule.send(0, nothing);
        schedule.wait();
        (1..others).for_each(|peer| schedule.send(peer, nothing));
    } else {
        schedule.receive(0, nothing);
    }
}

/// Reduces what all processes of the other group send here, in the order of their ranks. `mine` goes
/// to the other leader when it is its turn.
fn collect(
    call: &Call<'_>,
    schedule: &mut Schedule,
    result: Data,
    mine: Option<Data>,
) -> Result<(), Failure> {
    if result.bytes() == 0 {
        return Ok(());
    }
    let last = call.comm.remote_size - 1;
    let other = if last > 0 { schedule.temporary(result)? } else { result };
    for peer in (0..=last).rev() {
        schedule.receive(peer, if peer == last { result } else { other });
        if let (0, Some(mine)) = (peer, mine) {
            schedule.send(0, mine);
        }
        schedule.wait();
        if peer != last {
            schedule.reduce(other, result);
        }
    }
    Ok(())
}

/// Each process gets the reduction of the other group: its leader has it, reduced from what all of
/// the other group sent, and members have it from the other leader.
fn allreduce(call: &Call<'_>, schedule: &mut Schedule) -> Result<(), Failure> {
    let result = call.receive();
    if result.bytes() == 0 {
        return Ok(());
    }
    if call.rank() == 0 {
        // The leaders' own parts come last on both sides, so that neither waits for the other.
        collect(call, schedule, result, Some(call.contribution()))?;
        let theirs = schedule.temporary(result)?;
        schedule.receive(0, theirs);
        schedule.send(0, result);
        schedule.wait();
        (1..call.comm.remote_size).for_each(|peer| schedule.send(peer, theirs));
    } else {
        schedule.send(0, call.contribution());
        schedule.receive(0, result);
    }
    Ok(())
}

/// Each process sends the whole vector to the whole other group, where each reduces its part of it:
/// no process knows the counts of the other group, and only the other group could pass parts on.
///
/// In round r the processes r-th from the end send, and all receive from them.
fn reduce_scatter(call: &Call<'_>, schedule: &mut Schedule) -> Result<(), Failure> {
    let (total, _) = parts(call, call.size());
    let (first, count) = parts(call, call.rank());
    let result = call.receive().of(count);
    let vector = call.contribution().of(total);
    if vector.bytes() == 0 {
        return Ok(());
    }
    let (own, others) = (call.size(), call.comm.remote_size);
    let other = schedule.temporary(vector)?;
    for round in 0..own.max(others) {
        if round < others {
            schedule.receive(others - 1 - round, other);
        }
        if round == own - 1 - call.rank() {
            (0..others).for_each(|peer| schedule.send(peer, vector));
        }
        schedule.wait();
        if round == 0 {
            schedule.copy(other.part(first, count), result);
        } else if round < others && count > 0 {
            schedule.reduce(other.part(first, count), result);
        }
    }
    Ok(())
}
