//! Rules of windows as wholes, and of their memory.

use std::sync::atomic::{AtomicU64, Ordering};

use cairn_framework::abi::status::{ERR_EXISTS, ERR_NOT_FOUND, OK};
use cairn_framework::frameworks::osc::{WINDOW_DYNAMIC, WINDOW_NONCONTIGUOUS, WINDOW_SHARED};
use cairn_framework::host::forget_reason;

use super::{PLANS, all, every_window, neighbours_of, not_served, same, windows};
use crate::windows::{Look, Operation, Plan, Rank, Reason, SUM, Win};

pub fn lives(rank: &Rank) -> Look {
    let cells = || rank.system().counter_count();
    every_window(rank, |window| {
        let view = window.view();
        if view.base.is_null() || view.unified > 1 {
            return Err(format!("base {:?}, unified {}", view.base, view.unified).into());
        }
        Ok(())
    })?;
    let before = cells();
    for _ in 0..3 {
        every_window(rank, |window| {
            window.fence(0)?;
            Ok(window.fence(0)?)
        })?;
    }
    same("counters, before and after three times as many windows", cells(), before)?;
    // One that nobody has used.
    every_window(rank, |_| Ok(()))
}

pub fn several(rank: &Rank) -> Look {
    let mut open: Vec<Win<'_>> = Vec::new();
    for _ in 0..2 {
        for (flavor, flags, given) in PLANS {
            open.extend(rank.open(Plan { flags, given, ..Plan::of(flavor) })?);
        }
    }
    if open.is_empty() {
        return Err(not_served());
    }
    let (next, before) = neighbours_of(rank);
    // Each in an epoch of another kind, all at once.
    for (kind, window) in open.iter().enumerate() {
        match kind % 4 {
            0 => window.fence(0)?,
            1 => window.lock_all(0)?,
            2 => window.lock(next, kind % 8 == 2)?,
            _ => {
                window.post(&[before], 0)?;
                window.begin(&[next], 0)?;
            }
        }
    }
    for (kind, window) in (0_u64..).zip(&open) {
        window.run(Operation::put(next, 5, &[100 + kind]))?;
        window.run(Operation::accumulate(next, 6, &[kind, 1], &SUM))?;
    }
    for (kind, window) in open.iter().enumerate().rev() {
        match kind % 4 {
            0 => window.fence(0)?,
            1 => window.unlock_all()?,
            2 => window.unlock(next)?,
            _ => window.complete()?,
        }
    }
    for window in open.iter().skip(3).step_by(4) {
        window.wait()?;
    }
    rank.barrier()?;
    for (kind, window) in (0_u64..).zip(&open) {
        let found = [window.own(4), window.own(5), window.own(6), window.own(7), window.own(8)];
        same("what was put into one of several windows", found, [0, 100 + kind, kind, 1, 0])?;
    }
    // In another order than they were opened.
    let rest = open.split_off(open.len() / 2);
    for window in rest.into_iter().chain(open.into_iter().rev()) {
        window.close()?;
    }
    Ok(())
}

pub fn dynamic(rank: &Rank) -> Look {
    let Some(window) = rank.open(Plan::of(WINDOW_DYNAMIC))? else {
        return Err(Reason::NotHere("it leaves dynamic windows to others".into()));
    };
    let (next, before) = neighbours_of(rank);
    let mut memory = vec![0_u64; 100];
    let base = memory.as_mut_ptr();
    let at = |place: usize| base.wrapping_add(place);
    let attach = |place, integers, expected| {
        let status = window.attach(at(place), integers);
        if status != OK {
            forget_reason();
        }
        same(&format!("attach of {integers} integers from {place} on"), status, expected)
    };
    let detach = |place, expected| {
        let status = window.detach(at(place));
        if status != OK {
            forget_reason();
        }
        same(&format!("detach of what begins at {place}"), status, expected)
    };
    // From 10 to 50, in two parts that touch, and from 60 to 70.
    attach(10, 20, OK)?;
    attach(30, 20, OK)?;
    attach(60, 10, OK)?;
    for (place, integers) in [(10, 20), (0, 11), (29, 1), (45, 20), (0, 100), (69, 31)] {
        attach(place, integers, ERR_EXISTS)?;
    }
    detach(11, ERR_NOT_FOUND)?;
    detach(0, ERR_NOT_FOUND)?;
    let there = rank.share(base.expose_provenance() as u64)?[next as usize];

    let numbers: Vec<u64> = (1..=40).collect();
    window.lock(next, false)?;
    window.run(Operation::put(next, 10, &numbers).from(there))?;
    window.run(Operation::put(next, 69, &[7]).from(there))?;
    window.flush(Some(next))?;
    let got = window.run(Operation::get(next, 20, 20).from(there))?;
    let old = window.run(Operation::fetch_and_op(next, 60, 5, &SUM).from(there))?;
    window.unlock(next)?;
    same("what was got", got.values()?, numbers[10..30].to_vec())?;
    same("what was fetched", old.value()?, 0)?;

    // What is not attached is an error of the operation or of what completes it, and nothing is touched.
    let outside = [(9, 1), (49, 2), (55, 1), (70, 1), (0, 100)];
    for (place, count) in outside {
        for operation in [
            Operation::put(next, place, &vec![9; count]),
            Operation::accumulate(next, place, &vec![9; count], &SUM),
            Operation::get(next, place, count as u64),
        ] {
            window.lock(next, false)?;
            let started = window.run(operation.from(there));
            let ended = window.unlock(next);
            if started.is_ok() && ended.is_ok() {
                let text = format!("{count} integers at {place}, not all attached: no error");
                return Err(text.into());
            }
        }
    }
    // An error is told once, and the window goes on.
    window.lock_all(0)?;
    window.run(Operation::accumulate(next, 60, &[1], &SUM).from(there))?;
    window.unlock_all()?;
    rank.barrier()?;
    // The target's own loads.
    window.lock(rank.number, false)?;
    let word = |place: usize| {
        // SAFETY: inside the memory, which is written to by whole integers.
        unsafe { AtomicU64::from_ptr(at(place)) }.load(Ordering::Acquire)
    };
    for place in 0..100 {
        let expected = match place {
            10..50 => place as u64 - 9,
            60 => 6,
            69 => 7,
            _ => 0,
        };
        same(&format!("integer {place}"), word(place), expected)?;
    }
    window.unlock(rank.number)?;
    rank.barrier()?;

    // What is detached can't be reached any more, and may be attached again.
    detach(30, OK)?;
    detach(30, ERR_NOT_FOUND)?;
    rank.barrier()?;
    window.fence(0)?;
    let started = window.run(Operation::put(next, 30, &[9]).from(there));
    let ended = window.fence(0);
    if started.is_ok() && ended.is_ok() {
        return Err(String::from("memory that was detached is written to without an error").into());
    }
    same("memory that was detached", word(30), 21)?;
    attach(30, 70, ERR_EXISTS)?;
    attach(30, 30, OK)?;
    rank.barrier()?;
    window.post(&[before], 0)?;
    window.begin(&[next], 0)?;
    window.run(Operation::put(next, 59, &[3, 4]).from(there))?;
    window.complete()?;
    window.wait()?;
    same("memory that was attached again", [word(59), word(60)], [3, 4])?;
    rank.barrier()?;
    [10, 30, 60].into_iter().try_for_each(|place| detach(place, OK))?;
    window.close()?;
    drop(memory);
    Ok(())
}

pub fn shared(rank: &Rank) -> Look {
    let lens = |of: u32| [3, 0, 1000][of as usize % 3];
    let mut served = false;
    for flags in [0, WINDOW_NONCONTIGUOUS] {
        let plan = Plan { flags, len: lens, ..Plan::of(WINDOW_SHARED) };
        let Some(window) = rank.open(plan)? else { continue };
        served = true;
        let bases: Vec<*mut u64> =
            all(rank).into_iter().map(|of| window.shared(of)).collect::<Result<_, _>>()?;
        same("own memory", bases[rank.number as usize], window.view().base.cast())?;
        for of in 1..rank.size() {
            let behind = bases[of as usize - 1].wrapping_add(lens(of - 1) as usize);
            if flags == 0 {
                same("where a rank's memory begins", bases[of as usize], behind)?;
            }
        }
        let last = rank.size() - 1;
        if lens(last) >= u64::from(rank.size()) {
            let own = bases[last as usize].wrapping_add(rank.number as usize);
            window.fence(0)?;
            // SAFETY: the memory of the last rank, in which each rank has an integer of its own.
            unsafe { AtomicU64::from_ptr(own) }.store(rank.number.into(), Ordering::Relaxed);
            window.fence(0)?;
            let got = window.run(Operation::get(last, 0, rank.size().into()))?;
            window.fence(0)?;
            same("what was stored", got.values()?, (0..rank.size().into()).collect())?;
        }
        window.close()?;
    }
    if !served {
        return Err(Reason::NotHere("it leaves shared windows to others".into()));
    }
    // Of others the memory is there as well, or it is said that it is not.
    windows(
        rank,
        |_| 10,
        |window| {
            window.set_own(3, 100 + u64::from(rank.number));
            window.fence(0)?;
            for of in all(rank) {
                let base = window.shared(of)?;
                // SAFETY: inside of the rank's window.
                let word = unsafe { base.wrapping_add(3).cast::<AtomicU64>().as_ref() };
                if let Some(word) = word.filter(|_| !base.is_null()) {
                    same("a load", word.load(Ordering::Acquire), 100 + u64::from(of))?;
                }
            }
            window.fence(0)?;
            Ok(())
        },
    )
}

pub fn allocated(rank: &Rank) -> Look {
    let mut some = false;
    for alignment in [1, 8, 64, 4096, 1 << 16] {
        for size in [1, 8, 100, 4096, 1 << 20] {
            let two: Vec<_> = (0..2)
                .map(|_| rank.allocate(size, alignment))
                .collect::<Result<Vec<_>, _>>()?
                .into_iter()
                .flatten()
                .collect();
            some |= !two.is_empty();
            for (value, memory) in (1..).zip(&two) {
                // SAFETY: so many bytes of the component's.
                unsafe { memory.cast::<u8>().write_bytes(value, size as usize) };
            }
            for (value, memory) in (1..).zip(&two) {
                // SAFETY: as above.
                let bytes =
                    unsafe { std::slice::from_raw_parts(memory.cast::<u8>(), size as usize) };
                if bytes.iter().any(|byte| *byte != value) {
                    return Err(format!("two pieces of {size} bytes overlap").into());
                }
            }
            // SAFETY: from the component; nothing uses it any more.
            two.into_iter().for_each(|memory| unsafe { rank.free(memory) });
        }
    }
    match rank.allocate(1 << 60, 8) {
        Ok(Some(memory)) => return Err(format!("2^60 bytes of memory at {memory:p}").into()),
        Ok(None) | Err(_) => forget_reason(),
    }
    rank.barrier()?;
    if some { Ok(()) } else { Err(Reason::NotHere("it gives no memory to programs".into())) }
}

pub fn describes(rank: &Rank) -> Look {
    let look = |window: &Win<'_>| crate::describes(|text| window.describe(text));
    let work = |window: &Win<'_>| {
        let (next, _) = neighbours_of(rank);
        look(window)?;
        window.lock(next, true)?;
        window.run(Operation::put(next, 0, &[1]))?;
        look(window)?;
        window.unlock(next)?;
        look(window)
    };
    every_window(rank, |window| Ok(work(window)?))
}
