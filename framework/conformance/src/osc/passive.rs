//! Rules of locks and flushes.

use super::{all, every_window, neighbours_of, same};
use crate::windows::{Look, NO_CHECK, Operation, Rank, SUM};

pub fn exclusive(rank: &Rank) -> Look {
    every_window(rank, |window| {
        const ROUNDS: u64 = 30;
        for round in 0..ROUNDS {
            for target in all(rank) {
                window.lock(target, false)?;
                let count = window.run(Operation::get(target, 0, 1))?;
                window.flush(Some(target))?;
                let next = count.value()? + 1;
                // Two words that nobody sees apart.
                window.run(Operation::put(target, 0, &[next]))?;
                window.run(Operation::put(target, 1, &[next]))?;
                window.unlock(target)?;
                if round % 5 == 4 {
                    let found = window.look(target, 0, 2)?;
                    same("two words that are put with one lock", found[0], found[1])?;
                }
            }
        }
        rank.barrier()?;
        for target in all(rank) {
            let count = ROUNDS * u64::from(rank.size());
            same("a counter", window.look(target, 0, 2)?, vec![count; 2])?;
        }
        // Epochs without an operation, several locks at once, and in another order back.
        for target in all(rank) {
            window.lock(target, false)?;
            window.unlock(target)?;
        }
        for target in all(rank) {
            window.lock(target, true)?;
        }
        for target in all(rank).into_iter().rev() {
            window.run(Operation::accumulate(target, 2, &[1], &SUM))?;
            window.unlock(target)?;
        }
        rank.barrier()?;
        same("what all have added", window.look(rank.number, 2, 1)?[0], rank.size().into())?;
        Ok(())
    })
}

pub fn shared(rank: &Rank) -> Look {
    every_window(rank, |window| {
        for target in all(rank) {
            window.lock(target, true)?;
            // It is held for certain once something is done.
            let found = window.run(Operation::get(target, 3, 1))?;
            window.flush(Some(target))?;
            same("a word of nobody", found.value()?, 0)?;
            // All hold it now, or none comes further.
            rank.barrier()?;
            window.run(Operation::accumulate(target, 0, &[1, 10], &SUM))?;
            window.unlock(target)?;
        }
        rank.barrier()?;
        let size = u64::from(rank.size());
        for target in all(rank) {
            same("what all have added", window.look(target, 0, 2)?, vec![size, 10 * size])?;
        }
        Ok(())
    })
}

fn all_locked(rank: &Rank, assertions: u32) -> Look {
    every_window(rank, |window| {
        let (next, before) = neighbours_of(rank);
        let (me, size) = (rank.number, u64::from(rank.size()));
        window.lock_all(assertions)?;
        window.run(Operation::put(next, 5, &[u64::from(me) + 1]))?;
        window.flush(Some(next))?;
        rank.barrier()?;
        // The own copy, as a load sees it.
        window.sync()?;
        same("what the neighbour put", window.own(5), u64::from(before) + 1)?;
        for target in all(rank) {
            window.run(Operation::accumulate(target, 6, &[1], &SUM))?;
            window.run(Operation::put(target, 10 + u64::from(me), &[7]))?;
        }
        window.flush(None)?;
        rank.barrier()?;
        for target in all(rank) {
            let got = window.run(Operation::get(target, 10, rank.size().into()))?;
            let sum = window.run(Operation::fetch(target, 6, 1))?;
            window.flush(None)?;
            same("what was put into all", got.values()?, vec![7; rank.size() as usize])?;
            same("what was added to all", sum.value()?, size)?;
        }
        // Flushes with nothing to complete.
        window.flush(Some(next))?;
        window.flush(None)?;
        window.flush_local(None)?;
        // The unlock completes as well.
        window.run(Operation::put(next, 7, &[u64::from(me) + 1]))?;
        window.unlock_all()?;
        rank.barrier()?;
        same("what was put last", window.look(rank.number, 7, 1)?[0], u64::from(before) + 1)?;
        Ok(())
    })
}

pub fn lock_all(rank: &Rank) -> Look {
    all_locked(rank, 0)
}

pub fn local_flushes(rank: &Rank) -> Look {
    every_window(rank, |window| {
        let (next, _) = neighbours_of(rank);
        for (round, all) in [(0, false), (1, true)] {
            window.lock(next, true)?;
            let mut sent = Vec::new();
            for number in 0..20 {
                sent.push(window.run(Operation::put(next, 20 + number, &[1000 + number]))?);
            }
            let mut added = window.run(Operation::accumulate(next, 60, &[5; 30], &SUM))?;
            let got = window.run(Operation::get(next, 95, 1))?;
            window.flush_local(if all { None } else { Some(next) })?;
            // What was to be sent is the program's again; and what was to be got is there.
            sent.iter_mut().for_each(|sent| sent.spoil());
            added.spoil();
            same("a word of nobody", got.value()?, 0)?;
            window.unlock(next)?;
            rank.barrier()?;
            let expected: Vec<u64> = (0..20).map(|number| 1000 + number).collect();
            same("what was put", window.look(next, 20, 20)?, expected)?;
            let added = 5 * (round + 1);
            same("what was added", window.look(next, 60, 30)?, vec![added; 30])?;
            rank.barrier()?;
        }
        Ok(())
    })
}

pub fn unchecked(rank: &Rank) -> Look {
    all_locked(rank, NO_CHECK)?;
    every_window(rank, |window| {
        let (next, before) = neighbours_of(rank);
        for round in 1..10 {
            // Each rank has another target, so nobody else wants this lock.
            window.lock_with(next, false, NO_CHECK)?;
            window.run(Operation::put(next, 5, &[round]))?;
            window.run(Operation::put(next, 6, &[u64::from(rank.number) + round]))?;
            if round % 3 == 0 {
                window.flush(Some(next))?;
            }
            window.unlock(next)?;
            rank.barrier()?;
            let expected = vec![round, u64::from(before) + round];
            same("what was put", window.look(rank.number, 5, 2)?, expected)?;
            rank.barrier()?;
        }
        Ok(())
    })
}
