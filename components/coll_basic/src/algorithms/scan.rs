//! Scan and exscan by recursive doubling: a process keeps the reduction of the aligned group of ranks
//! that it has exchanged with, and apart from it that of those before it.

use cairn_framework::author::Failure;

use super::{commutative, distances};
use crate::call::Call;
use crate::schedule::Schedule;

pub fn scan(call: &Call<'_>, schedule: &mut Schedule) -> Result<(), Failure> {
    if !call.send_in_place() && call.receive().bytes() > 0 {
        schedule.copy(call.contribution(), call.receive());
    }
    prefix(call, schedule, true)
}

pub fn exscan(call: &Call<'_>, schedule: &mut Schedule) -> Result<(), Failure> {
    prefix(call, schedule, false)
}

/// `begun`: the result holds this process's part already. Otherwise it gets the reduction of the
/// ranks before; rank 0 has none and leaves it alone.
fn prefix(call: &Call<'_>, schedule: &mut Schedule, mut begun: bool) -> Result<(), Failure> {
    let result = call.receive();
    if call.size() == 1 || result.bytes() == 0 {
        return Ok(());
    }
    let (mut group, mut other) = (schedule.temporary(result)?, schedule.temporary(result)?);
    schedule.copy(call.contribution(), group);
    for distance in distances(call.size()) {
        let peer = call.rank() ^ distance;
        if peer >= call.size() {
            continue;
        }
        schedule.receive(peer, other);
        schedule.send(peer, group);
        schedule.wait();
        if peer < call.rank() {
            if begun {
                schedule.reduce(other, result);
            } else {
                schedule.copy(other, result);
                begun = true;
            }
            schedule.reduce(other, group);
        } else if commutative(call) {
            schedule.reduce(other, group);
        } else {
            schedule.reduce(group, other);
            core::mem::swap(&mut group, &mut other);
        }
    }
    Ok(())
}
