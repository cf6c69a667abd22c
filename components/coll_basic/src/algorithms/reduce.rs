//! Reduce along a binomial tree; allreduce by recursive doubling, or for large vectors by
//! Rabenseifner's recursive halving (each process reduces a part) and doubling (all gather the parts).
//!
//! Where an operation is not commutative, what a process has is always the reduction of neighbouring
//! ranks, and the part of the lower ranks stands on the left.

use cairn_framework::author::Failure;

use super::{commutative, distances};
use crate::call::Call;
use crate::data::Data;
use crate::schedule::Schedule;

pub fn reduce(call: &Call<'_>, schedule: &mut Schedule) -> Result<(), Failure> {
    let size = call.size();
    let mine = call.contribution();
    if mine.bytes() == 0 {
        return Ok(());
    }
    let result = call.receive();
    if size == 1 {
        if !call.send_in_place() {
            schedule.copy(mine, result);
        }
        return Ok(());
    }
    // The tree's root: any, but for the order of operands rank 0, which then sends the result.
    let top = if commutative(call) { call.args.root as u32 } else { 0 };
    let relative = (call.rank() + size - top) % size;
    let at = |relative: u32| (relative + top) % size;
    let reach = match relative {
        0 => size.next_power_of_two(),
        _ => 1 << relative.trailing_zeros(),
    };
    let children = distances(reach).take_while(|distance| relative + distance < size).count();

    // What comes from a child is on the right: `reduced = reduced op child` ends up where it came,
    // and the next one comes elsewhere. At the root the last one comes where the result is to be.
    let is_end = call.is_root() && relative == 0;
    let mut places = [None; 2];
    let mut place = |schedule: &mut Schedule, child: usize| {
        let which = (children - 1 - child) % 2;
        if is_end && which == 0 {
            return Ok(result);
        }
        match places[which] {
            Some(place) => Ok(place),
            None => schedule.temporary(mine).inspect(|new| places[which] = Some(*new)),
        }
    };
    let mut reduced = mine;
    if is_end && call.send_in_place() && children % 2 == 1 {
        // The first one would come where this process's part is.
        reduced = schedule.temporary(mine)?;
        schedule.copy(mine, reduced);
    }
    for (child, distance) in distances(reach).take(children).enumerate() {
        let come = place(schedule, child)?;
        schedule.receive(at(relative + distance), come);
        schedule.wait();
        schedule.reduce(reduced, come);
        reduced = come;
    }
    if relative != 0 {
        schedule.send(at(relative - reach), reduced);
        schedule.wait();
    }
    if top != call.args.root as u32 {
        if relative == 0 {
            schedule.send(call.args.root as u32, reduced);
        } else if call.is_root() {
            schedule.receive(top, result);
        }
    }
    Ok(())
}

pub fn allreduce(call: &Call<'_>, schedule: &mut Schedule) -> Result<(), Failure> {
    let result = call.receive();
    if result.bytes() == 0 {
        return Ok(());
    }
    if !call.send_in_place() {
        schedule.copy(call.contribution(), result);
    }
    let core = Core::of(call);
    let large = result.bytes() >= call.limits.allreduce_split;
    if large && commutative(call) && result.count >= u64::from(core.size) && core.size > 2 {
        rabenseifner(call, schedule, core, result)
    } else {
        let reduced = doubling(call, schedule, result)?;
        if reduced.buffer != result.buffer {
            schedule.copy(reduced, result);
        }
        Ok(())
    }
}

/// As many processes as a power of two allows; the others give their part to a neighbour before, and
/// get the result from it afterwards.
#[derive(Clone, Copy)]
struct Core {
    /// Processes in the core.
    size: u32,
    /// Processes outside: the even ones of the first `2 * rest` ranks.
    rest: u32,
}

impl Core {
    fn of(call: &Call<'_>) -> Self {
        let size = 1 << call.size().ilog2();
        Self { size, rest: call.size() - size }
    }

    /// The number of a rank in the core, in the order of the ranks.
    fn number(self, rank: u32) -> Option<u32> {
        if rank >= 2 * self.rest {
            Some(rank - self.rest)
        } else {
            (rank % 2 == 1).then_some(rank / 2)
        }
    }

    fn rank(self, number: u32) -> u32 {
        if number < self.rest { 2 * number + 1 } else { number + self.rest }
    }
}

/// Brings the parts of those outside into the core. Returns this process's number in it.
fn enter(
    call: &Call<'_>,
    schedule: &mut Schedule,
    core: Core,
    mine: Data,
    other: Data,
) -> Option<u32> {
    let number = core.number(call.rank());
    match number {
        None => schedule.send(call.rank() + 1, mine),
        Some(number) if number < core.rest => {
            schedule.receive(call.rank() - 1, other);
            schedule.wait();
            schedule.reduce(other, mine);
        }
        Some(_) => {}
    }
    schedule.wait();
    number
}

/// Takes the result out to those outside.
fn leave(call: &Call<'_>, schedule: &mut Schedule, core: Core, number: Option<u32>, result: Data) {
    match number {
        None => schedule.receive(call.rank() + 1, result),
        Some(number) if number < core.rest => schedule.send(call.rank() - 1, result),
        Some(_) => {}
    }
    schedule.wait();
}

/// Each process exchanges what it has with ever more distant ones. `data` holds this process's part;
/// returns where the reduction of all is, which is there or in temporary memory.
pub fn doubling(call: &Call<'_>, schedule: &mut Schedule, data: Data) -> Result<Data, Failure> {
    if call.size() == 1 {
        return Ok(data);
    }
    let core = Core::of(call);
    let (mut mine, mut other) = (data, schedule.temporary(data)?);
    let number = enter(call, schedule, core, mine, other);
    if let Some(number) = number {
        for distance in distances(core.size) {
            let peer = core.rank(number ^ distance);
            schedule.receive(peer, other);
            schedule.send(peer, mine);
            schedule.wait();
            if number & distance != 0 || commutative(call) {
                schedule.reduce(other, mine);
            } else {
                schedule.reduce(mine, other);
                core::mem::swap(&mut mine, &mut other);
            }
        }
    }
    leave(call, schedule, core, number, mine);
    Ok(mine)
}

fn rabenseifner(
    call: &Call<'_>,
    schedule: &mut Schedule,
    core: Core,
    result: Data,
) -> Result<(), Failure> {
    let other = schedule.temporary(result)?;
    let number = enter(call, schedule, core, result, other);
    if let Some(number) = number {
        // Where part `i` of the vector begins.
        let begin = |part: u32| {
            (u128::from(result.count) * u128::from(part) / u128::from(core.size)) as u64
        };
        let parts = |data: Data, first: u32, count: u32| {
            data.part(begin(first), begin(first + count) - begin(first))
        };
        // The parts that this process still reduces begin at `first`; their number halves.
        let mut first = 0;
        for half in distances(core.size).rev() {
            let peer = core.rank(number ^ half);
            let (keep, give) =
                if number & half == 0 { (first, first + half) } else { (first + half, first) };
            schedule.receive(peer, parts(other, keep, half));
            schedule.send(peer, parts(result, give, half));
            schedule.wait();
            schedule.reduce(parts(other, keep, half), parts(result, keep, half));
            first = keep;
        }
        for count in distances(core.size) {
            let peer = core.rank(number ^ count);
            let theirs = first ^ count;
            schedule.receive(peer, parts(result, theirs, count));
            schedule.send(peer, parts(result, first, count));
            schedule.wait();
            first = first.min(theirs);
        }
    }
    leave(call, schedule, core, number, result);
    Ok(())
}
