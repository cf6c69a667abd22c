//! Scan and exscan.

use cairn_schedule::{Call, Data, Schedule, distances, linear};

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
/// and apart from it that of those before it. ⌈log2 p⌉ steps; what the lower one of a pair has no use for is not sent.
pub fn scan_doubling(call: &Call<'_>, _: &Knobs, schedule: &mut Schedule) -> Result {
    Prefix::of(call, true).write(schedule)
}

/// The same without a rank's own part.
pub fn exscan_doubling(call: &Call<'_>, _: &Knobs, schedule: &mut Schedule) -> Result {
    Prefix::of(call, false).write(schedule)
}

/// A rank's part of a recursive doubling.
struct Prefix<'a, 'b> {
    call: &'a Call<'b>,
    /// The rank's own part belongs to its result.
    inclusive: bool,
    /// The result has something already.
    begun: bool,
    /// The reduction of the group of ranks that it has exchanged with.
    group: Data,
    /// That is not what the user gave.
    owned: bool,
    /// That is being sent, as nothing was waited for since.
    sending: bool,
    /// Memory that is free.
    spare: Option<Data>,
}

impl<'a, 'b> Prefix<'a, 'b> {
    fn of(call: &'a Call<'b>, inclusive: bool) -> Self {
        let begun = inclusive && call.send_in_place();
        let group = call.contribution();
        Self { call, inclusive, begun, group, owned: false, sending: false, spare: None }
    }

    fn write(mut self, schedule: &mut Schedule) -> Result {
        let (rank, size) = (self.call.rank(), self.call.size());
        // Whether what a rank has exchanged up to a distance comes to a higher one later: from itself, or by way of
        // lower ones.
        let goes_on = |rank: u32, distance: u32| {
            distances(size).filter(|up| *up > distance && rank & up == 0).any(|up| {
                let down = rank & !(up - 1) | rank & (2 * distance - 1);
                (down | up) < size
            })
        };
        for distance in distances(size) {
            let peer = rank ^ distance;
            if rank < peer && peer < size {
                self.with_higher(schedule, peer, goes_on(rank, distance))?;
            } else if peer < size {
                let goes_on = (goes_on(peer, distance), goes_on(rank, distance));
                self.with_lower(schedule, peer, goes_on)?;
            }
        }
        Ok(())
    }

    fn take(&mut self, schedule: &mut Schedule) -> Result<Data> {
        match self.spare.take() {
            Some(spare) => Ok(spare),
            None => schedule.temporary(self.call.receive()),
        }
    }

    fn wait(&mut self, schedule: &mut Schedule) {
        schedule.wait();
        self.sending = false;
    }

    /// What the result has of the rank itself, if it is of use before another part comes.
    fn begin(&mut self, schedule: &mut Schedule) {
        if self.inclusive && !self.begun {
            schedule.copy(self.call.contribution(), self.call.receive());
            self.begun = true;
        }
    }

    /// `goes_on`: whether the group is of use afterwards.
    fn with_higher(&mut self, schedule: &mut Schedule, peer: u32, goes_on: bool) -> Result {
        schedule.send(peer, self.group);
        if !goes_on {
            self.sending = true;
            self.begin(schedule);
            return Ok(());
        }
        let other = self.take(schedule)?;
        schedule.receive(peer, other);
        self.begin(schedule);
        self.wait(schedule);
        schedule.reduce(self.group, other);
        let before = core::mem::replace(&mut self.group, other);
        if core::mem::replace(&mut self.owned, true) {
            self.spare = Some(before);
        }
        Ok(())
    }

    /// `goes_on`: whether the group is of use afterwards at the lower rank, and at this one.
    fn with_lower(
        &mut self,
        schedule: &mut Schedule,
        peer: u32,
        (peer_goes_on, goes_on): (bool, bool),
    ) -> Result {
        let (call, result) = (self.call, self.call.receive());
        // The first part may come where the result is to be, unless this rank's own one is there, or is to be.
        let direct = !self.begun
            && match self.inclusive {
                true => call.commutative() && !goes_on,
                false => !call.send_in_place() || !(goes_on || peer_goes_on || self.sending),
            };
        let other = if direct { result } else { self.take(schedule)? };
        schedule.receive(peer, other);
        if peer_goes_on {
            schedule.send(peer, self.group);
        }
        if !direct {
            self.begin(schedule);
        }
        self.wait(schedule);
        if goes_on {
            if !core::mem::replace(&mut self.owned, true) {
                let copy = schedule.temporary(result)?;
                schedule.copy(self.group, copy);
                self.group = copy;
            }
            schedule.reduce(other, self.group);
        }
        if !direct {
            if self.begun {
                schedule.reduce(other, result);
            } else {
                schedule.copy(other, result);
            }
            self.spare = Some(other);
        } else if self.inclusive {
            schedule.reduce(call.contribution(), result);
        }
        self.begun = true;
        Ok(())
    }
}
