//! Broadcasts. Processes are numbered from the root on.

use cairn_schedule::{Call, Data, Schedule, distances, linear};

use super::tree::Tree;
use super::{Knobs, Result};

/// From the root to each: p - 1 messages one behind the other. To a few processes of a node that takes less time
/// than messages take to go down a tree; and where they share processors, no process waits until one in
/// between has had its turn.
pub fn straight(call: &Call<'_>, _: &Knobs, schedule: &mut Schedule) -> Result {
    linear::bcast(call, schedule)
}

/// Down a binomial tree: ⌈log2 p⌉ steps, p - 1 messages (Thakur, Rabenseifner and Gropp 2005, section 4.2).
pub fn binomial(call: &Call<'_>, _: &Knobs, schedule: &mut Schedule) -> Result {
    down(call, schedule, 2)
}

/// Down a k-nomial tree: fewer levels, on each of which a process sends to k - 1 others.
pub fn knomial(call: &Call<'_>, knobs: &Knobs, schedule: &mut Schedule) -> Result {
    down(call, schedule, knobs.radix)
}

fn down(call: &Call<'_>, schedule: &mut Schedule, radix: u32) -> Result {
    let (tree, relative, data) = (Tree::new(call.size(), radix), call.relative(), call.receive());
    if let Some(parent) = tree.parent(relative) {
        schedule.receive(call.at_distance(parent), data);
        schedule.wait();
    }
    for child in tree.children(relative).rev() {
        schedule.send(call.at_distance(child.start), data);
    }
    Ok(())
}

/// Along a chain, in segments: p - 2 + s steps for s segments, so that with many of them each process sends and
/// receives the data once, all at the same time.
pub fn chain(call: &Call<'_>, knobs: &Knobs, schedule: &mut Schedule) -> Result {
    let relative = call.relative();
    pipeline(call, knobs, schedule, relative.checked_sub(1), relative + 1..relative + 2)
}

/// Down a binary tree, in segments: the delay of the first one grows with log2 p only, but a process sends each
/// segment twice.
pub fn binary(call: &Call<'_>, knobs: &Knobs, schedule: &mut Schedule) -> Result {
    let relative = call.relative();
    let parent = relative.checked_sub(1).map(|below| below / 2);
    pipeline(call, knobs, schedule, parent, 2 * relative + 1..2 * relative + 3)
}

/// Receives segment after segment from the parent, and passes each on while the next one comes.
fn pipeline(
    call: &Call<'_>,
    knobs: &Knobs,
    schedule: &mut Schedule,
    parent: Option<u32>,
    children: core::ops::Range<u32>,
) -> Result {
    // Counts and types may differ between processes, so segments are of packed data.
    let flat = Flat::of(call, schedule)?;
    let segments = flat.data.count.div_ceil(knobs.segment);
    let segment = |number: u64| {
        let begin = number * knobs.segment;
        flat.data.part(begin, knobs.segment.min(flat.data.count - begin))
    };
    for number in 0..=segments {
        if let Some(parent) = parent.filter(|_| number < segments) {
            schedule.receive(call.at_distance(parent), segment(number));
        }
        for child in children.clone().filter(|child| number > 0 && *child < call.size()) {
            schedule.send(call.at_distance(child), segment(number - 1));
        }
        schedule.wait();
    }
    flat.finish(call, schedule);
    Ok(())
}

/// Scattered along a binomial tree, then gathered by all around a ring: ⌈log2 p⌉ + p - 1 steps, and a process
/// sends and receives less than twice the data (van de Geijn; Thakur, Rabenseifner and Gropp 2005, section 4.2).
pub fn scatter_ring(call: &Call<'_>, _: &Knobs, schedule: &mut Schedule) -> Result {
    let flat = Flat::of(call, schedule)?;
    scatter(call, schedule, &flat);
    let (size, relative) = (call.size(), call.relative());
    for step in 0..size - 1 {
        let number = |distance: u32| (relative + size - distance) % size;
        let (gone, come) = (number(step), number(step + 1));
        flat.receive(schedule, call.before(1), come, come + 1);
        flat.send(schedule, call.after(1), gone, gone + 1);
        schedule.wait();
    }
    flat.finish(call, schedule);
    Ok(())
}

/// The same with recursive doubling instead of the ring: 2 log2 p steps, for powers of two.
pub fn scatter_doubling(call: &Call<'_>, _: &Knobs, schedule: &mut Schedule) -> Result {
    let flat = Flat::of(call, schedule)?;
    scatter(call, schedule, &flat);
    let relative = call.relative();
    for distance in distances(call.size()) {
        let (own, theirs) = (relative & !(distance - 1), (relative ^ distance) & !(distance - 1));
        let peer = call.at_distance(relative ^ distance);
        flat.receive(schedule, peer, theirs, theirs + distance);
        flat.send(schedule, peer, own, own + distance);
        schedule.wait();
    }
    flat.finish(call, schedule);
    Ok(())
}

/// Leaves block i at process number i.
fn scatter(call: &Call<'_>, schedule: &mut Schedule, flat: &Flat) {
    let (tree, relative) = (Tree::new(call.size(), 2), call.relative());
    if let Some(parent) = tree.parent(relative) {
        let own = tree.below(relative);
        flat.receive(schedule, call.at_distance(parent), own.start, own.end);
        schedule.wait();
    }
    for child in tree.children(relative).rev() {
        flat.send(schedule, call.at_distance(child.start), child.start, child.end);
    }
    schedule.wait();
}

/// The data in one piece, and as a block for each process; the last ones may be short or empty.
struct Flat {
    data: Data,
    block: u64,
    copied: bool,
}

impl Flat {
    fn of(call: &Call<'_>, schedule: &mut Schedule) -> core::result::Result<Self, super::Failure> {
        let data = call.receive();
        let block = data.bytes().div_ceil(u64::from(call.size()));
        if let Some(data) = data.flat() {
            return Ok(Self { data, block, copied: false });
        }
        let packed = schedule.packed(data.bytes())?;
        if call.is_root() {
            schedule.copy(data, packed);
        }
        Ok(Self { data: packed, block, copied: true })
    }

    /// All is there: brings it to where it belongs.
    fn finish(&self, call: &Call<'_>, schedule: &mut Schedule) {
        if self.copied && !call.is_root() {
            schedule.copy(self.data, call.receive());
        }
    }

    fn blocks(&self, first: u32, end: u32) -> Data {
        let all = self.data.count;
        let begin = (u64::from(first) * self.block).min(all);
        self.data.part(begin, (u64::from(end) * self.block).min(all) - begin)
    }

    fn send(&self, schedule: &mut Schedule, to: u32, first: u32, end: u32) {
        schedule.send_some(to, self.blocks(first, end));
    }

    fn receive(&self, schedule: &mut Schedule, from: u32, first: u32, end: u32) {
        schedule.receive_some(from, self.blocks(first, end));
    }
}
