//! Rules of fences, and of start, complete, post and wait.

use super::{all, every_window, neighbours_of, same};
use crate::windows::{Look, NO_CHECK, NO_PRECEDE, NO_SUCCEED, Operation, Rank, SUM, Win};

/// What a rank puts in a round.
fn value(round: u64, from: u32) -> u64 {
    1000 * round + u64::from(from) + 1
}

/// All ranks put ten integers into each, each at a place of its own.
fn put_everywhere(window: &Win<'_>, round: u64) -> Result<(), String> {
    let rank = window.rank;
    for target in all(rank) {
        let values = [value(round, rank.number); 10];
        window.run(Operation::put(target, 10 * u64::from(rank.number), &values))?;
    }
    Ok(())
}

/// Whether what all have put into this rank's memory is there.
fn came(window: &Win<'_>, round: u64) -> Result<(), String> {
    for from in all(window.rank) {
        let first = 10 * u64::from(from);
        for at in first..first + 10 {
            same(&format!("integer {at}"), window.own(at), value(round, from))?;
        }
    }
    Ok(())
}

/// Whether it is there in another's memory, with the epoch that is open and two fences.
fn is_seen(window: &Win<'_>, round: u64, last: u32) -> Result<(), String> {
    let rank = window.rank;
    let (next, _) = neighbours_of(rank);
    let got = all(rank).into_iter().map(|from| {
        let got = window.run(Operation::get(next, 10 * u64::from(from), 10));
        got.map(|got| (from, got))
    });
    let got: Vec<_> = got.collect::<Result<_, _>>()?;
    window.fence(last)?;
    for (from, got) in got {
        same("what was got", got.values()?, vec![value(round, from); 10])?;
    }
    Ok(())
}

pub fn fences(rank: &Rank) -> Look {
    every_window(rank, |window| {
        for round in 0..10 {
            window.fence(0)?;
            put_everywhere(window, round)?;
            window.fence(0)?;
            came(window, round)?;
            is_seen(window, round, 0)?;
            // Fences with nothing between, and an epoch in which one rank alone has an operation.
            window.fence(0)?;
            if rank.number == 0 {
                window.run(Operation::accumulate(rank.size() - 1, 99, &[1], &SUM))?;
            }
            window.fence(0)?;
            if rank.number == rank.size() - 1 {
                same("what one rank has added", window.own(99), round + 1)?;
            }
        }
        Ok(())
    })
}

pub fn fence_assertions(rank: &Rank) -> Look {
    every_window(rank, |window| {
        for round in 0..10 {
            window.fence(NO_PRECEDE)?;
            put_everywhere(window, round)?;
            window.fence(NO_SUCCEED)?;
            came(window, round)?;
            // No epoch is open, so there may be one of another kind.
            let (next, _) = neighbours_of(rank);
            let found = window.look(next, 10 * u64::from(rank.number), 10)?;
            same("what was got", found, vec![value(round, rank.number); 10])?;
            rank.barrier()?;
            window.fence(NO_PRECEDE)?;
            window.fence(0)?;
            is_seen(window, round, NO_SUCCEED)?;
            window.fence(NO_PRECEDE | NO_SUCCEED)?;
            // Others may still look.
            rank.barrier()?;
        }
        Ok(())
    })
}

pub fn neighbours(rank: &Rank) -> Look {
    every_window(rank, |window| {
        let (next, before) = neighbours_of(rank);
        for round in 0..50 {
            window.post(&[before], 0)?;
            window.begin(&[next], 0)?;
            let mut got = None;
            match round % 3 {
                0 => _ = window.run(Operation::put(next, 5, &[value(round, rank.number)]))?,
                1 => got = Some(window.run(Operation::get(next, 5, 1))?),
                // An epoch without an operation.
                _ => {}
            }
            window.complete()?;
            window.wait()?;
            let there = value(round - round % 3, before);
            same("what the neighbour put", window.own(5), there)?;
            if let Some(got) = got {
                same("what was got", got.value()?, value(round - 1, rank.number))?;
            }
        }
        // All at once, to all.
        let ranks = all(rank);
        window.post(&ranks, 0)?;
        window.begin(&ranks, 0)?;
        for target in &ranks {
            window.run(Operation::accumulate(*target, 6, &[1, 2], &SUM))?;
        }
        window.complete()?;
        window.wait()?;
        let size = u64::from(rank.size());
        same("what all have added", [window.own(6), window.own(7)], [size, 2 * size])?;
        // Epochs with no process.
        window.post(&[], 0)?;
        window.begin(&[], 0)?;
        window.complete()?;
        window.wait()?;
        // Several access epochs of an origin, each with an exposure epoch of the target.
        let last = rank.size() - 1;
        for round in 0..5 {
            if rank.number == last {
                window.post(&[0], 0)?;
            }
            if rank.number == 0 {
                window.begin(&[last], 0)?;
                window.run(Operation::put(last, 8 + round, &[round + 1]))?;
                window.complete()?;
            }
            if rank.number == last {
                window.wait()?;
                same("what an epoch put", window.own(8 + round), round + 1)?;
            }
        }
        Ok(())
    })
}

pub fn unchecked(rank: &Rank) -> Look {
    every_window(rank, |window| {
        let (next, before) = neighbours_of(rank);
        for round in 0..10 {
            window.post(&[before], NO_CHECK)?;
            // The program sees to it that all have posted.
            rank.barrier()?;
            window.begin(&[next], NO_CHECK)?;
            if round % 2 == 0 {
                window.run(Operation::put(next, 5, &[value(round, rank.number)]))?;
            }
            window.complete()?;
            window.wait()?;
            same("what the neighbour put", window.own(5), value(round - round % 2, before))?;
            rank.barrier()?;
        }
        Ok(())
    })
}

pub fn tests(rank: &Rank) -> Look {
    every_window(rank, |window| {
        let origins: Vec<u32> = (0..rank.size()).filter(|origin| *origin > 0).collect();
        for round in 0..5 {
            if rank.number == 0 {
                window.post(&origins, 0)?;
                // None has completed, for all wait below.
                for _ in 0..100 {
                    if !origins.is_empty() && window.test()? {
                        return Err(String::from("a test said yes too early").into());
                    }
                }
            } else {
                window.begin(&[0], 0)?;
                let own = u64::from(rank.number);
                window.run(Operation::put(0, own, &[value(round, rank.number)]))?;
            }
            rank.barrier()?;
            if rank.number == 0 {
                let mut said = Ok(false);
                rank.poll("a test that says yes", || {
                    said = window.test();
                    said != Ok(false)
                })?;
                said?;
                for from in &origins {
                    let own = window.own(u64::from(*from));
                    same("what an origin put", own, value(round, *from))?;
                }
            } else {
                window.complete()?;
            }
        }
        Ok(())
    })
}
