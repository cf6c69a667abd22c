//! Scan and exscan.

use cairn_schedule::{Call, Schedule, distances, linear};

use super::{Knobs, Result};

/// From each rank to the next: p - 1 steps, p - 1 messages in all.
pub fn scan_linear(call: &Call<'_>, _: &Knobs, schedule: &mut Schedule) -> Result {
    linear::scan(call, schedule)
}

/// The same without a rank's own part.
pub fn exscan_linear(call: &Call<'_>, _: &Knobs, schedule: &mut Schedule) -> Result {
    linear::exscan(call, schedule)
}

/// Recursive doubling: a process keeps the reduction of the aligned group of ranks that it has exchanged with,
/// and apart from it that of those before it. ⌈log2 p⌉ steps.
pub fn scan_doubling(call: &Call<'_>, _: &Knobs, schedule: &mut Schedule) -> Result {
    if !call.send_in_place() {
        schedule.copy(call.contribution(), call.receive());
    }
    prefix(call, schedule, true)
}

/// The same without a rank's own part.
pub fn exscan_doubling(call: &Call<'_>, _: &Knobs, schedule: &mut Schedule) -> Result {
    prefix(call, schedule, false)
}

/// `begun`: the result holds this process's part already. Otherwise it gets the reduction of the
/// ranks before; rank 0 has none and leaves it alone.
fn prefix(call: &Call<'_>, schedule: &mut Schedule, mut begun: bool) -> Result {
    let result = call.receive();
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
        } else if call.commutative() {
            schedule.reduce(other, group);
        } else {
            schedule.reduce(group, other);
            core::mem::swap(&mut group, &mut other);
        }
    }
    Ok(())
}
