//! Reduce to one process.
//!
//! Where an operation is not commutative, what a process has is always the reduction of neighbouring
//! ranks, and the part of the lower ranks stands on the left.

use cairn_schedule::{Call, Data, Schedule, distances, linear};

use super::halving::{self, Parts};
use super::tree::Tree;
use super::{Knobs, Result};

/// At the root, one after the other.
pub fn straight(call: &Call<'_>, _: &Knobs, schedule: &mut Schedule) -> Result {
    linear::reduce(call, schedule)
}

/// Up a binomial tree: ⌈log2 p⌉ steps, p - 1 messages (Thakur, Rabenseifner and Gropp 2005, section 4.4).
pub fn binomial(call: &Call<'_>, _: &Knobs, schedule: &mut Schedule) -> Result {
    up(call, schedule, 2)
}

/// Up a k-nomial tree.
pub fn knomial(call: &Call<'_>, knobs: &Knobs, schedule: &mut Schedule) -> Result {
    up(call, schedule, knobs.radix)
}

/// Where the result is made: at the root, but for the order of operands at rank 0, which then sends it there.
struct Line {
    top: u32,
    size: u32,
    /// This process's number, from there on.
    relative: u32,
    /// Whether it is made here and belongs here.
    is_end: bool,
}

impl Line {
    fn of(call: &Call<'_>) -> Self {
        let (top, size) = (if call.commutative() { call.args.root as u32 } else { 0 }, call.size());
        let relative = (call.rank() + size - top) % size;
        Self { top, size, relative, is_end: call.is_root() && relative == 0 }
    }

    fn at(&self, relative: u32) -> u32 {
        ((u64::from(relative) + u64::from(self.top)) % u64::from(self.size)) as u32
    }

    /// Brings what was reduced at the top to the root.
    fn deliver(&self, call: &Call<'_>, schedule: &mut Schedule, reduced: Data) {
        if self.is_end {
            return;
        }
        if self.relative == 0 {
            schedule.send(call.args.root as u32, reduced);
        } else if call.is_root() {
            schedule.receive(self.top, call.receive());
        }
    }
}

fn up(call: &Call<'_>, schedule: &mut Schedule, radix: u32) -> Result {
    let (line, mine, result) = (Line::of(call), call.contribution(), call.receive());
    let tree = Tree::new(line.size, radix);
    let children = tree.children(line.relative).count();
    // What comes from a child is on the right: `reduced = reduced op child` ends up where it came,
    // and the next one comes elsewhere. At the root the last one comes where the result is to be.
    let mut places = [None; 2];
    let mut place = |schedule: &mut Schedule, child: usize| {
        let which = (children - 1 - child) % 2;
        if line.is_end && which == 0 {
            return Ok(result);
        }
        match places[which] {
            Some(place) => Ok(place),
            None => schedule.temporary(mine).inspect(|new| places[which] = Some(*new)),
        }
    };
    let mut reduced = mine;
    if line.is_end && call.send_in_place() && children % 2 == 1 {
        // The first one would come where this process's part is.
        reduced = schedule.temporary(mine)?;
        schedule.copy(mine, reduced);
    }
    for (number, child) in tree.children(line.relative).enumerate() {
        let come = place(schedule, number)?;
        schedule.receive(line.at(child.start), come);
        schedule.wait();
        schedule.reduce(reduced, come);
        reduced = come;
    }
    if let Some(parent) = tree.parent(line.relative) {
        schedule.send(line.at(parent), reduced);
        schedule.wait();
    }
    line.deliver(call, schedule, reduced);
    Ok(())
}

/// Along a chain, in segments: while one is reduced and passed on, the next one comes. p - 2 + s steps for s
/// segments.
pub fn chain(call: &Call<'_>, knobs: &Knobs, schedule: &mut Schedule) -> Result {
    let (line, mine) = (Line::of(call), call.contribution());
    let most = (knobs.segment / mine.datatype().size.max(1)).max(1);
    let segments = mine.count.div_ceil(most);
    let segment =
        |data: Data, number: u64| data.part(number * most, most.min(mine.count - number * most));
    let above = line.relative.checked_sub(1).map(|number| line.at(number));
    if line.relative + 1 == line.size {
        for number in 0..segments {
            if let Some(above) = above {
                schedule.send(above, segment(mine, number));
            }
            schedule.wait();
        }
        line.deliver(call, schedule, mine);
        return Ok(());
    }
    let below = line.at(line.relative + 1);
    // Of two places one is sent while the next segment comes to the other.
    let one = mine.of(most.min(mine.count));
    let places = [schedule.temporary(one)?, schedule.temporary(one)?];
    let place = |number: u64| places[number as usize % 2].of(segment(mine, number).count);
    let reduced = match (line.is_end, above) {
        (true, _) => call.receive(),
        (false, None) => schedule.temporary(mine)?,
        (false, Some(_)) => mine, // it is only passed on
    };
    for number in 0..=segments {
        if number < segments {
            schedule.receive(below, place(number));
        }
        if let Some(above) = above.filter(|_| number > 0) {
            schedule.send(above, place(number - 1));
        }
        schedule.wait();
        if number < segments {
            schedule.reduce(segment(mine, number), place(number));
            if above.is_none() {
                schedule.copy(place(number), segment(reduced, number));
            }
        }
    }
    line.deliver(call, schedule, reduced);
    Ok(())
}

/// Rabenseifner's algorithm: recursive halving, after which each process of the core has reduced a part, and a
/// binomial tree that gathers them. A process sends and receives less than twice the vector, and reduces less
/// than one (Thakur, Rabenseifner and Gropp 2005, section 4.4).
pub fn rabenseifner(call: &Call<'_>, _: &Knobs, schedule: &mut Schedule) -> Result {
    let (core, mine, root) = (Core::of(call), call.contribution(), call.args.root as u32);
    // The process of the core that gets all parts: the root, or its neighbour.
    let end = core.number(root).unwrap_or(root / 2);
    let result = match (call.is_root(), core.number(call.rank())) {
        (true, _) => call.receive(),
        (false, Some(_)) => schedule.temporary(mine)?,
        (false, None) => mine, // it has no part in the making
    };
    let parts = Parts::even(mine.count, core.size);
    let number = halving::halve(call, schedule, core, mine, result, parts)?;
    if let Some(number) = number {
        for count in distances(core.size) {
            let own = number & !(count - 1);
            let peer = core.rank(number ^ count);
            if (number ^ end) & count != 0 {
                schedule.send_some(peer, parts.of(result, own, count));
                schedule.wait();
                break;
            }
            schedule.receive_some(peer, parts.of(result, own ^ count, count));
            schedule.wait();
        }
    }
    if core.number(root).is_none() {
        if call.is_root() {
            schedule.receive(root + 1, result);
        } else if number == Some(end) {
            schedule.send(root, result);
        }
    }
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
    pub fn of(call: &Call<'_>) -> Self {
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

    /// The first of the ranks whose parts the process with a number in the core stands for: its own, and
    /// that of the one outside.
    pub fn first_rank(self, number: u32) -> u32 {
        if number < self.rest { 2 * number } else { number + self.rest }
    }

    /// Whether what a rank has ends up in the other one of two places when it exchanges with all
    /// others of the core: it changes its place in each exchange with a higher one.
    pub fn changes(self, rank: u32) -> bool {
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
