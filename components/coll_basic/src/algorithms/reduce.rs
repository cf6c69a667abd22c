//! Reduce along a binomial tree; allreduce by recursive doubling, or in parts where vectors are large.
//!
//! Where an operation is not commutative, what a process has is always the reduction of neighbouring
//! ranks, and the part of the lower ranks stands on the left.

use cairn_framework::author::Failure;

use super::{commutative, distances, halving};
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
    let (mine, core) = (call.contribution(), Core::of(call));
    if call.size() == 1 {
        if !call.send_in_place() {
            schedule.copy(mine, result);
        }
        return Ok(());
    }
    if halving::suits(call, core, mine, call.params.allreduce_split.get()) {
        return halving::allreduce(call, schedule, core, mine, result);
    }
    // It begins where it has to for ending up in its place.
    let other = schedule.temporary(result)?;
    let (begin, other) = if core.changes(call.rank()) { (other, result) } else { (result, other) };
    if begin.buffer != mine.buffer {
        schedule.copy(mine, begin);
    }
    doubling(call, schedule, begin, other);
    Ok(())
}

/// As many processes as a power of two allows; the others give their part to a neighbour before, and
/// get the result from it afterwards.
#[derive(Clone, Copy)]
pub struct Core {
    /// Processes in the core.
    pub size: u32,
    /// Processes outside: the even ones of the first `2 * rest` ranks.
    pub rest: u32,
}

impl Core {
    fn of(call: &Call<'_>) -> Self {
        let size = 1 << call.size().ilog2();
        Self { size, rest: call.size() - size }
    }

    /// The number of a rank in the core, in the order of the ranks.
    pub fn number(self, rank: u32) -> Option<u32> {
        if rank >= 2 * self.rest {
            Some(rank - self.rest)
        } else {
            (rank % 2 == 1).then_some(rank / 2)
        }
    }

    pub fn rank(self, number: u32) -> u32 {
        if number < self.rest { 2 * number + 1 } else { number + self.rest }
    }

    /// Whether what a rank has ends up in the other one of two places when it exchanges with all
    /// others of the core: it changes its place in each exchange with a higher one.
    fn changes(self, rank: u32) -> bool {
        let lower = |number: u32| self.size.ilog2() - number.count_ones();
        self.number(rank).is_some_and(|number| lower(number) % 2 == 1)
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
pub fn leave(
    call: &Call<'_>,
    schedule: &mut Schedule,
    core: Core,
    number: Option<u32>,
    result: Data,
) {
    match number {
        None => schedule.receive(call.rank() + 1, result),
        Some(number) if number < core.rest => schedule.send(call.rank() - 1, result),
        Some(_) => {}
    }
    schedule.wait();
}

/// Each process exchanges what it has with ever more distant ones. `mine` holds this process's part;
/// returns where the reduction of all is, which is there or in `other`.
///
/// Both of two apply the operation to the same operands in the same order, that of the ranks: also a
/// commutative one, because the result must have the same bits everywhere, and of two zeros or two
/// NaNs a processor may take the first.
pub fn doubling(call: &Call<'_>, schedule: &mut Schedule, mine: Data, other: Data) -> Data {
    let core = Core::of(call);
    let (mut mine, mut other) = (mine, other);
    let number = enter(call, schedule, core, mine, other);
    if let Some(number) = number {
        for distance in distances(core.size) {
            let peer = core.rank(number ^ distance);
            schedule.receive(peer, other);
            schedule.send(peer, mine);
            schedule.wait();
            if number & distance != 0 {
                schedule.reduce(other, mine);
            } else {
                schedule.reduce(mine, other);
                core::mem::swap(&mut mine, &mut other);
            }
        }
    }
    leave(call, schedule, core, number, mine);
    mine
}
