//! Rules of the operations, whatever synchronization they have.

use super::{all, every_window, neighbours_of, same, windows};
use crate::windows::{Look, MAX, NO_OP, Operation, REPLACE, Rank, SUM, Win};

pub fn requests(rank: &Rank) -> Look {
    every_window(rank, |window| {
        let (next, _) = neighbours_of(rank);
        // With a lock of one and with that of all.
        for round in 0..2 {
            let (first, all_locked) = (1 + 40 * round, round == 1);
            match all_locked {
                true => window.lock_all(0)?,
                false => window.lock(next, true)?,
            }
            let start = |operation: Operation| window.start(&operation, true);
            let numbers: Vec<u64> = (0..10).map(|number| first + number).collect();
            let mut put = start(Operation::put(next, first, &numbers))?;
            put.wait(rank)?;
            // The origin's memory is the program's, whatever the target knows.
            put.spoil();
            let mut added = start(Operation::accumulate(next, first + 10, &[3; 10], &SUM))?;
            added.wait(rank)?;
            added.spoil();
            window.flush(Some(next))?;
            let mut got = start(Operation::get(next, first, 10))?;
            let mut old = start(Operation::get_accumulate(next, first + 10, &[4; 10], &SUM))?;
            // The second first.
            old.wait(rank)?;
            same("what get_accumulate fetched", old.values()?, vec![3; 10])?;
            got.wait(rank)?;
            same("what was got", got.values()?, numbers)?;
            // Requests that nobody waits for, complete or not, and many at a time.
            start(Operation::put(next, first + 20, &[9]))?.forget();
            let mut many = Vec::new();
            for number in 0..50 {
                many.push(start(Operation::accumulate(next, first + 21, &[number], &SUM))?);
            }
            many.iter_mut().rev().try_for_each(|one| one.wait(rank))?;
            match all_locked {
                true => window.unlock_all()?,
                false => window.unlock(next)?,
            }
            let found = window.look(next, first + 10, 12)?;
            same("what was added", &found[..10], &[7; 10])?;
            same("without and with many requests", &found[10..], &[9, (0..50).sum()])?;
            rank.barrier()?;
        }
        Ok(())
    })
}

/// Operations of every kind on no elements, from a place on.
fn of_nothing(target: u32, at: u64) -> [Operation; 5] {
    [
        Operation::put(target, at, &[]),
        Operation::get(target, at, 0),
        Operation::accumulate(target, at, &[], &SUM),
        Operation::get_accumulate(target, at, &[], &SUM),
        Operation::fetch(target, at, 0),
    ]
}

pub fn nothing(rank: &Rank) -> Look {
    every_window(rank, |window| {
        let (next, before) = neighbours_of(rank);
        let run = |target: u32| {
            of_nothing(target, 100).into_iter().try_for_each(|one| window.run(one).map(drop))
        };
        window.fence(0)?;
        all(rank).into_iter().try_for_each(run)?;
        window.fence(0)?;
        // Between others.
        window.run(Operation::put(next, 5, &[1]))?;
        run(next)?;
        window.fence(crate::windows::NO_SUCCEED)?;
        same("an integer beside them", window.own(5), 1)?;
        rank.barrier()?;
        window.post(&[before], 0)?;
        window.begin(&[next], 0)?;
        run(next)?;
        window.complete()?;
        window.wait()?;
        window.lock(next, false)?;
        run(next)?;
        window.unlock(next)?;
        window.lock_all(0)?;
        for target in all(rank) {
            run(target)?;
            for operation in of_nothing(target, 7) {
                window.start(&operation, true)?.wait(rank)?;
            }
            window.flush(Some(target))?;
        }
        window.unlock_all()?;
        let expected: Vec<u64> = (0..100).map(|at| u64::from(at == 5)).collect();
        same("the window", window.look(next, 0, 100)?, expected)?;
        Ok(())
    })?;
    // A window of nothing at all, and ranks without memory beside others.
    windows(
        rank,
        |_| 0,
        |window| {
            window.fence(0)?;
            for operation in of_nothing(rank.size() - 1, 0) {
                window.run(operation)?;
            }
            window.fence(0)?;
            Ok(())
        },
    )?;
    windows(
        rank,
        |of| if of == 0 { 100 } else { 0 },
        |window| {
            window.fence(0)?;
            window.run(Operation::accumulate(0, 99, &[1], &SUM))?;
            window.fence(0)?;
            if rank.number == 0 {
                same("what all have added", window.own(99), rank.size().into())?;
            }
            Ok(())
        },
    )
}

pub fn own_memory(rank: &Rank) -> Look {
    every_window(rank, |window| {
        let me = rank.number;
        let work = |first: u64| {
            window.run(Operation::put(me, first, &[1, 2, 3]))?;
            window.run(Operation::accumulate(me, first + 3, &[1, 2], &SUM))?;
            window.run(Operation::fetch_and_op(me, first + 5, 5, &SUM))
        };
        let is_there = |first: u64| {
            let found: Vec<u64> = (first..first + 6).map(|at| window.own(at)).collect();
            same("own memory", found, vec![1, 2, 3, 1, 2, 5])
        };
        window.fence(0)?;
        let old = work(0)?;
        window.fence(crate::windows::NO_SUCCEED)?;
        same("what was fetched", old.value()?, 0)?;
        is_there(0)?;
        rank.barrier()?;

        window.post(&[me], 0)?;
        window.begin(&[me], 0)?;
        let old = work(10)?;
        window.complete()?;
        window.wait()?;
        same("what was fetched", old.value()?, 0)?;
        is_there(10)?;

        for (first, shared) in [(20, false), (30, true)] {
            window.lock(me, shared)?;
            let old = work(first)?;
            window.flush_local(Some(me))?;
            same("what was fetched", old.value()?, 0)?;
            window.flush(Some(me))?;
            is_there(first)?;
            // Loads and stores of the program's own, which an exclusive lock is for as well.
            let add = Operation::fetch_and_op(me, first + 6, 1, &SUM);
            let mut last = window.start(&add, true)?;
            last.wait(rank)?;
            same("what was fetched", last.value()?, 0)?;
            window.unlock(me)?;
            is_there(first)?;
            same("own memory", window.own(first + 6), 1)?;
        }
        window.lock_all(0)?;
        let old = work(40)?;
        window.unlock_all()?;
        same("what was fetched", old.value()?, 0)?;
        is_there(40)?;
        Ok(())
    })
}

pub fn fetches(rank: &Rank) -> Look {
    every_window(rank, |window| {
        if rank.number == 0 {
            let target = rank.size() - 1;
            let run = |operation: Operation| {
                window.lock(target, true)?;
                let old = window.run(operation)?;
                window.unlock(target)?;
                old.value()
            };
            let there = |at: u64| window.look(target, at, 1).map(|found| found[0]);
            same("before replace", run(Operation::fetch_and_op(target, 99, 7, &REPLACE))?, 0)?;
            same("behind replace", there(99)?, 7)?;
            same("with no_op", run(Operation::fetch(target, 99, 1))?, 7)?;
            same("with no_op", run(Operation::fetch_and_op(target, 99, 55, &NO_OP))?, 7)?;
            same("behind no_op", there(99)?, 7)?;
            same("before max", run(Operation::fetch_and_op(target, 99, 5, &MAX))?, 7)?;
            same("before max", run(Operation::fetch_and_op(target, 99, 8, &MAX))?, 7)?;
            same("behind max", there(99)?, 8)?;
            for (compare, old, then) in [(6, 8, 8), (8, 8, 9), (8, 9, 9)] {
                let swap = Operation::compare_and_swap(target, 99, compare, 9);
                same("before compare_and_swap", run(swap)?, old)?;
                same("behind compare_and_swap", there(99)?, then)?;
            }
            let many: Vec<u64> = (0..50).collect();
            run(Operation::get_accumulate(target, 0, &many, &REPLACE))?;
            same("behind replace", window.look(target, 0, 50)?, many)?;
            same("beside it", window.look(target, 50, 49)?, vec![0; 49])?;
        }
        rank.barrier()?;
        Ok(())
    })
}

pub fn additions(rank: &Rank) -> Look {
    every_window(rank, |window| {
        const TIMES: u64 = 60;
        let others = u64::from(rank.size());
        window.lock_all(0)?;
        for round in 0..TIMES {
            for target in all(rank) {
                // Each way for itself: with a request and without.
                let start = |operation: Operation| -> Result<(), String> {
                    window.run(operation.clone())?;
                    window.start(&operation, true)?.wait(rank)
                };
                start(Operation::accumulate(target, 0, &[1; 100], &SUM))?;
                start(Operation::get_accumulate(target, 3, &[1; 90], &SUM))?;
                start(Operation::fetch_and_op(target, 50, 1, &SUM))?;
            }
            if round % 16 == 0 {
                window.flush(None)?;
            }
        }
        window.unlock_all()?;
        rank.barrier()?;
        let (next, _) = neighbours_of(rank);
        for (at, found) in (0..).zip(window.look(next, 0, 100)?) {
            let each = 2 + 2 * u64::from((3..93).contains(&at)) + 2 * u64::from(at == 50);
            same(&format!("integer {at}"), found, each * TIMES * others)?;
        }
        rank.barrier()?;
        // Every value is fetched once.
        window.lock(0, true)?;
        let tickets: Vec<_> = (0..TIMES)
            .map(|_| window.run(Operation::fetch_and_op(0, 99, 1, &SUM)))
            .collect::<Result<_, _>>()?;
        window.unlock(0)?;
        let mut sum = 0;
        let mut last = None;
        for ticket in &tickets {
            let value = ticket.value()?;
            if last.is_some_and(|last| last >= value) {
                return Err(format!("a counter went from {last:?} to {value}").into());
            }
            (last, sum) = (Some(value), sum + value);
        }
        let (first, count) = (2 * TIMES * others, TIMES * others);
        let all: u64 = rank.share(sum)?.iter().sum();
        same("the sum of all tickets", all, count * first + count * (count - 1) / 2)?;
        Ok(())
    })
}

pub fn order(rank: &Rank) -> Look {
    every_window(rank, |window| {
        let (next, _) = neighbours_of(rank);
        for round in 0..10 {
            window.lock(next, true)?;
            let mut fetched = Vec::new();
            for value in 1..=20 {
                let value = 100 * round + value;
                // Each sees what the one before has left: of 1 and 100 integers.
                window.run(Operation::accumulate(next, 0, &[value; 100], &REPLACE))?;
                fetched.push((value, window.run(Operation::fetch(next, 7, 1))?));
                fetched.push((value, window.run(Operation::fetch_and_op(next, 7, 1, &SUM))?));
                fetched.push((value + 1, window.run(Operation::fetch(next, 7, 1))?));
            }
            window.unlock(next)?;
            for (expected, found) in fetched {
                same("what was fetched in order", found.value()?, expected)?;
            }
            let found = window.look(next, 6, 2)?;
            same("what was there last", found, vec![100 * round + 20, 100 * round + 21])?;
        }
        Ok(())
    })
}

pub fn gaps(rank: &Rank) -> Look {
    every_window(rank, |window| {
        let (next, _) = neighbours_of(rank);
        let numbers: Vec<u64> = (1..=20).collect();
        for (first, gaps, gaps_there) in [(0, true, false), (20, false, true), (60, true, true)] {
            let with = |operation: Operation| {
                let operation = if gaps { operation.gapped() } else { operation };
                if gaps_there { operation.gapped_there() } else { operation }
            };
            window.lock(next, true)?;
            let run = |operation: Operation| window.run(with(operation));
            run(Operation::put(next, first, &numbers))?;
            window.flush(Some(next))?;
            run(Operation::accumulate(next, first, &[1; 20], &SUM))?;
            let old = run(Operation::get_accumulate(next, first, &[1; 20], &SUM))?;
            window.flush(Some(next))?;
            let got = run(Operation::get(next, first, 20))?;
            let mut also = window.start(&with(Operation::get(next, first + 4, 4)), true)?;
            also.wait(rank)?;
            window.unlock(next)?;
            let plus = |more: u64| numbers.iter().map(|number| number + more).collect::<Vec<_>>();
            same("what get_accumulate fetched", old.values()?, plus(1))?;
            same("what was got", got.values()?, plus(2))?;
            let from = if gaps_there { 2 } else { 4 };
            same("what was got", also.values()?, plus(2)[from..from + 4].to_vec())?;
            let step = if gaps_there { 2 } else { 1 };
            let found = window.look(next, first, 20 * step)?;
            for (at, found) in (0..).zip(found) {
                let expected = if at % step == 0 { at / step + 3 } else { 0 };
                same(&format!("integer {}", first + at), found, expected)?;
            }
        }
        Ok(())
    })?;
    rank.barrier()?;
    same("datatypes that are not given back", rank.gapped().users(), 0)?;
    Ok(())
}

/// Integers of a long operation.
const LONG: u64 = 40_000;

pub fn long(rank: &Rank) -> Look {
    windows(
        rank,
        |_| 2 * LONG + 1,
        |window| {
            let (next, before) = neighbours_of(rank);
            let value = |from: u32, at: u64| 1_000_000 * (u64::from(from) + 1) + at;
            let numbers = |from: u32| (0..LONG).map(|at| value(from, at)).collect::<Vec<_>>();
            let put = Operation::put(next, 0, &numbers(rank.number));
            let ones = vec![1; LONG as usize];
            window.fence(0)?;
            window.run(put.clone())?;
            window.fence(0)?;
            for at in [0, 1, 8191, 8192, LONG / 2, LONG - 1] {
                same(&format!("integer {at}"), window.own(at), value(before, at))?;
            }
            same("what is behind it", window.own(LONG), 0)?;
            // What comes in the epoch that is open changes what was looked at.
            rank.barrier()?;
            window.run(Operation::accumulate(next, 0, &ones, &SUM))?;
            window.fence(crate::windows::NO_SUCCEED)?;
            rank.barrier()?;
            window.lock(next, true)?;
            let old = window.run(Operation::get_accumulate(next, 0, &ones, &SUM))?;
            window.flush(Some(next))?;
            let got = window.run(Operation::get(next, 0, LONG))?;
            window.unlock(next)?;
            let (old, got) = (old.values()?, got.values()?);
            for at in 0..LONG {
                let was = value(rank.number, at);
                let found = [old[at as usize], got[at as usize]];
                same(&format!("integer {at}"), found, [was + 1, was + 2])?;
            }
            rank.barrier()?;
            // With gaps there, each way.
            window.lock(next, false)?;
            window.run(put.gapped_there())?;
            window.flush(Some(next))?;
            let mut got = window.start(&Operation::get(next, 0, LONG).gapped_there(), true)?;
            got.wait(rank)?;
            window.unlock(next)?;
            if got.values()? != numbers(rank.number) {
                return Err(String::from("long data with gaps is not what was put").into());
            }
            // One long and one short operation in an epoch, in which the end may go with either.
            window.lock(next, false)?;
            window.run(Operation::put(next, 0, &ones))?;
            window.run(Operation::put(next, 2 * LONG, &[5]))?;
            window.unlock(next)?;
            window.lock(next, false)?;
            window.run(Operation::accumulate(next, 0, &ones, &SUM))?;
            window.unlock(next)?;
            rank.barrier()?;
            same("what was put last", window.own(2 * LONG), 5)?;
            same("what was added last", [window.own(0), window.own(LONG - 1)], [2, 2])?;
            Ok(())
        },
    )
}

pub fn threads(rank: &Rank) -> Look {
    const THREADS: u64 = 4;
    const TIMES: u64 = 40;
    every_window(rank, |window| {
        window.lock_all(0)?;
        let work = |window: &Win<'_>, thread: u64| -> Result<(), String> {
            let rank = window.rank;
            let own = 10 + THREADS * u64::from(rank.number) + thread;
            for round in 1..=TIMES {
                for target in all(rank) {
                    window.run(Operation::accumulate(target, 0, &[1, 2], &SUM))?;
                    window.run(Operation::put(target, own, &[round]))?;
                    let add = Operation::fetch_and_op(target, 2, 1, &SUM);
                    if round % 4 == thread {
                        window.start(&add, true)?.wait(rank)?;
                    } else {
                        window.run(add)?;
                    }
                    window.flush(Some(target))?;
                    let got = window.run(Operation::get(target, own, 1))?;
                    window.flush(if round % 2 == 0 { None } else { Some(target) })?;
                    same("what a thread put", got.value()?, round)?;
                }
            }
            Ok(())
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> =
                (0..THREADS).map(|thread| scope.spawn(move || work(window, thread))).collect();
            threads.into_iter().try_for_each(|thread| thread.join().expect("no panic"))
        })?;
        window.unlock_all()?;
        rank.barrier()?;
        let all = THREADS * TIMES * u64::from(rank.size());
        same("what threads have added", window.look(rank.number, 0, 3)?, vec![all, 2 * all, all])?;
        Ok(())
    })
}
