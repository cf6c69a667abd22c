//! Windows over a network whose devices reach the memory of peers: one that does what networks may do.

#[path = "common/net/mod.rs"]
mod net;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use cairn_conformance::Outcome;
use cairn_conformance::osc::{RULES, SIZES, look};
use cairn_conformance::ranks::Recipe;
use cairn_conformance::windows::{ALL_ORDERED, Job, Look, MAX, Operation, Plan, REPLACE, SUM, Win};
use cairn_framework::abi::status::{ERR_PEER, OutcomeCode};
use cairn_framework::frameworks::osc::{
    OSC_FLUSH, OSC_LOCK, OSC_UNLOCK, OscSync, WINDOW_ALLOCATE, WINDOW_CREATE,
};
use cairn_framework::host::forget_reason;
use linked as _;

type Mca = &'static [(&'static str, &'static str)];

fn recipe(mca: Mca) -> Recipe {
    let all = Recipe::new(&[("osc", "rdma"), ("btl", "self,net")]);
    mca.iter().fold(all, |all, (name, value)| all.with(name, value))
}

/// Looks at every rule.
fn keeps(mca: Mca) {
    let start = |size| Job::start(&recipe(mca), size).unwrap();
    let jobs: Vec<&'static Job> = SIZES.into_iter().map(start).collect();
    for rule in RULES {
        eprintln!("{mca:?}: {}", rule.text);
        match look(&jobs, rule) {
            Outcome::Passed => {}
            Outcome::Skipped(_) if SKIPPED.contains(&rule.text) => {}
            other => panic!("{mca:?}: {}: {other}", rule.text),
        }
    }
    jobs.iter().for_each(|job| job.close());
}

const SKIPPED: [&str; 2] =
    ["shared memory is where it is said to be", "memory for programs is aligned, and theirs"];

/// Networks that lack something, or do it in another way.
const NETWORKS: [Mca; 20] = [
    &[],
    &[("btl_net_registration", "none"), ("btl_net_seed", "2")],
    &[("btl_net_registration", "all"), ("btl_net_seed", "3")],
    &[("btl_net_order", "none"), ("btl_net_seed", "4"), ("btl_net_cris", "5")],
    &[("btl_net_completes", "reversed"), ("btl_net_arrives", "any"), ("btl_net_cris", "1")],
    &[("btl_net_completes", "in_order"), ("btl_net_registration", "all"), ("btl_net_busy", "0")],
    &[("btl_net_depth", "1"), ("btl_net_lane", "2"), ("btl_net_busy", "50")],
    &[("btl_net_put_limit", "100"), ("btl_net_get_limit", "64"), ("btl_net_get_alignment", "16")],
    &[("btl_net_atomics", "none")],
    &[("btl_net_atomics", "only_64"), ("btl_net_global", "false")],
    &[("btl_net_get", "false"), ("btl_net_registration", "all")],
    &[("btl_net_put", "false"), ("btl_net_seed", "5")],
    &[("btl_net_put", "false"), ("btl_net_get", "false")],
    &[("btl_net_refused", "20"), ("btl_net_refused_late", "30"), ("btl_net_registration", "all")],
    &[("btl_net_refused_late", "100"), ("btl_net_order", "none")],
    &[("btl_net_refused", "100"), ("btl_net_arrives", "any")],
    &[("btl_net_mapped", "odd"), ("btl_net_seed", "6")],
    &[("btl_net_mapped", "all"), ("btl_net_registration", "all")],
    &[("btl_net_mapped", "odd"), ("btl_net_refused_late", "30"), ("osc_rdma_packet", "512")],
    &[("osc_rdma_in_flight", "4096"), ("osc_rdma_packet", "512"), ("btl_net_eager_limit", "256")],
];

#[test]
fn rules_are_kept_over_networks() {
    NETWORKS.into_iter().for_each(keeps);
}

#[test]
fn rules_are_kept_by_each_way() {
    const WAYS: [Mca; 9] = [
        &[("osc_rdma_ways", "none")],
        &[("osc_rdma_ways", "put_get")],
        &[("osc_rdma_ways", "atomics")],
        &[("osc_rdma_ways", "put_get,atomics"), ("btl_net_mapped", "all")],
        &[("osc_rdma_ways", "load_store"), ("btl_net_mapped", "odd")],
        &[("osc_rdma_ways", "load_store,put_get"), ("btl_net_mapped", "odd")],
        &[("osc_rdma_ways", "load_store,atomics"), ("btl_net_mapped", "odd")],
        &[("osc_rdma_ways", "load_store,atomics"), ("btl_net_atomics", "only_64")],
        &[("osc_rdma_ways", "atomics"), ("btl_net_order", "none"), ("btl_net_depth", "2")],
    ];
    WAYS.into_iter().for_each(keeps);
}

#[test]
fn rules_are_kept_with_every_strategy() {
    const STRATEGIES: [Mca; 6] = [
        &[("issue", "lazy")],
        &[("issue", "eager")],
        &[("issue", "adaptive")],
        &[("issue", "lazy"), ("btl_net_mapped", "odd"), ("btl_net_refused_late", "40")],
        &[("issue", "eager"), ("btl_net_mapped", "odd"), ("btl_net_refused_late", "40")],
        &[("issue", "eager"), ("btl_net_order", "none"), ("btl_net_atomics", "none")],
    ];
    STRATEGIES.into_iter().for_each(keeps);
}

/// Networks for the rules below.
const SOME: [Mca; 8] = [
    &[],
    &[("issue", "eager"), ("btl_net_seed", "8"), ("btl_net_cris", "2")],
    &[("btl_net_order", "none"), ("btl_net_registration", "all"), ("btl_net_seed", "7")],
    &[("btl_net_depth", "1"), ("btl_net_busy", "40"), ("btl_net_refused_late", "30")],
    &[("btl_net_depth", "2"), ("btl_net_busy", "60"), ("btl_net_cris", "1")],
    &[("btl_net_atomics", "none"), ("issue", "eager")],
    &[("btl_net_mapped", "odd"), ("issue", "eager")],
    &[("osc_rdma_ways", "atomics"), ("btl_net_completes", "reversed")],
];

/// A rule of three ranks, for a window that the component allocates and for one of the program's memory.
fn each(work: impl Fn(&Win<'_>) -> Look + Send + Sync + Copy + 'static) {
    for mca in SOME {
        each_plan(mca, ALL_ORDERED, work);
    }
}

fn each_plan(
    mca: Mca,
    ordering: u32,
    work: impl Fn(&Win<'_>) -> Look + Send + Sync + Copy + 'static,
) {
    let job = Job::start(&recipe(mca), 3).unwrap();
    let looked = job.run(move |rank| {
        for flavor in [WINDOW_ALLOCATE, WINDOW_CREATE] {
            let plan = Plan { ordering, ..Plan::of(flavor) };
            let window = rank.open(plan)?.expect("it serves it");
            work(&window)?;
            window.close()?;
        }
        Ok(())
    });
    assert_eq!(looked, Ok(()), "{mca:?}, ordering {ordering}");
    job.close();
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: T, expected: T) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{what}: {found:?}, and not {expected:?}")) }
}

/// Does something in several threads of a rank.
fn in_threads(
    count: u64,
    work: impl Fn(u64) -> Result<(), String> + Send + Sync,
) -> Result<(), String> {
    let work = &work;
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..count).map(|thread| scope.spawn(move || work(thread))).collect();
        threads.into_iter().try_for_each(|thread| thread.join().expect("no panic"))
    })
}

#[test]
fn threads_of_all_ranks_change_one_word() {
    const THREADS: u64 = 4;
    const TIMES: u64 = 30;
    for ordering in [ALL_ORDERED, 0] {
        for mca in SOME {
            each_plan(mca, ordering, |window| {
                let rank = window.rank;
                window.lock_all(0)?;
                in_threads(THREADS, |thread| {
                    let mut last = [0_u64; 2];
                    for round in 0..TIMES {
                        let fetched = window.run(Operation::fetch_and_op(1, 0, 1, &SUM))?;
                        window.run(Operation::accumulate(1, 1, &[1], &SUM))?;
                        // Two integers are no atomic's.
                        window.run(Operation::accumulate(1, 1, &[1, 1], &SUM))?;
                        let greatest = Operation::accumulate(1, 3, &[round * 10 + thread], &MAX);
                        window.run(greatest)?;
                        window.flush(Some(1))?;
                        let found = fetched.value()? + 1;
                        if found <= last[0] {
                            return Err(format!("{found} was fetched behind {}", last[0]));
                        }
                        last[0] = found;
                        // A counter by compare and swap.
                        loop {
                            let swap = Operation::compare_and_swap(1, 4, last[1], last[1] + 1);
                            let found = window.run(swap)?;
                            window.flush(Some(1))?;
                            let found = found.value()?;
                            if std::mem::replace(&mut last[1], found) == found {
                                break;
                            }
                        }
                    }
                    Ok(())
                })?;
                window.unlock_all()?;
                rank.barrier()?;
                let all = THREADS * TIMES * u64::from(rank.size());
                let greatest = (TIMES - 1) * 10 + THREADS - 1;
                let expected = vec![all, 2 * all, all, greatest, all];
                same("what all have changed", window.look(1, 0, 5)?, expected)?;
                Ok(())
            });
        }
    }
}

#[test]
fn accumulates_keep_their_order_whichever_way_they_go() {
    each(|window| {
        let rank = window.rank;
        let next = (rank.number + 1) % rank.size();
        window.lock(next, true)?;
        for round in 1..60_u64 {
            let value = 1000 * round;
            let run = |operation| window.run(operation);
            let fetch = || run(Operation::fetch(next, 5, 1));
            let mut expected = Vec::new();
            let mut found = Vec::new();
            run(Operation::accumulate(next, 5, &[value], &REPLACE))?;
            found.push(fetch()?);
            expected.push(value);
            if round % 2 == 0 {
                run(Operation::accumulate(next, 5, &[value + 7], &MAX))?;
                found.push(fetch()?);
                expected.push(value + 7);
            }
            if round % 3 == 0 {
                run(Operation::accumulate(next, 5, &[value + 9, 1], &REPLACE))?;
                found.push(run(Operation::fetch_and_op(next, 5, 1, &SUM))?);
                expected.push(value + 9);
                found.push(run(Operation::fetch(next, 5, 2))?);
                expected.push(value + 10);
            }
            let swap = Operation::compare_and_swap(next, 5, *expected.last().expect("one"), 3);
            found.push(run(swap)?);
            run(Operation::accumulate(next, 5, &[4], &SUM))?;
            found.push(fetch()?);
            let before = if round % 3 == 0 { value + 10 } else { expected[expected.len() - 1] };
            expected.extend([before, 7]);
            if round % 5 == 0 {
                window.flush_local(Some(next))?;
            } else {
                window.flush(Some(next))?;
            }
            for (found, expected) in found.into_iter().zip(expected) {
                same("what was fetched in order", found.value()?, expected)?;
            }
        }
        Ok(window.unlock(next)?)
    });
}

#[test]
fn a_flush_ends_while_others_issue_and_what_came_before_is_there() {
    each(|window| {
        let rank = window.rank;
        let next = (rank.number + 1) % rank.size();
        let bases = rank.share(window.view().base.expose_provenance() as u64)?;
        let base = bases[next as usize] as usize;
        let seen = |at: usize| {
            let word = std::ptr::with_exposed_provenance_mut::<u64>(base + 8 * at);
            // SAFETY: of another rank of this process, whose window is open, and written in whole words.
            unsafe { AtomicU64::from_ptr(word) }.load(Ordering::Acquire)
        };
        window.lock_all(0)?;
        let over = AtomicBool::new(false);
        let mine = 10 * u64::from(rank.number);
        in_threads(2, |thread| {
            if thread == 1 {
                for number in 1.. {
                    if over.load(Ordering::Acquire) {
                        break;
                    }
                    window.run(Operation::put(next, mine + 1, &[number]))?;
                    window.run(Operation::accumulate(next, mine + 2, &[1], &SUM))?;
                    // One that is behind the other thread's back, too.
                    match number % 8 {
                        0 => window.flush_local(Some(next))?,
                        4 => window.flush(Some(next))?,
                        _ => {}
                    }
                }
                return Ok(());
            }
            let look = || {
                for round in 1..=40_u64 {
                    window.run(Operation::put(next, mine + 3, &[round]))?;
                    window.run(Operation::accumulate(next, mine + 4, &[1], &SUM))?;
                    window.run(Operation::accumulate(next, mine + 5, &[1, 1], &SUM))?;
                    window.flush(if round % 4 == 0 { None } else { Some(next) })?;
                    let found = [3, 4, 5, 6].map(|at| seen(mine as usize + at));
                    same("what is there after a flush", found, [round; 4])?;
                }
                Ok(())
            };
            let looked = look();
            over.store(true, Ordering::Release);
            looked
        })?;
        window.unlock_all()?;
        Ok(rank.barrier()?)
    });
}

#[test]
fn locks_are_their_owners_by_atomics_and_by_messages() {
    const TIMES: u64 = 40;
    each(|window| {
        let rank = window.rank;
        for target in 0..rank.size() {
            for round in 0..TIMES {
                window.lock(target, false)?;
                let count = window.run(Operation::get(target, 0, 1))?;
                window.flush(Some(target))?;
                window.run(Operation::put(target, 0, &[count.value()? + 1]))?;
                window.run(Operation::put(target, 1, &[count.value()? + 1]))?;
                window.unlock(target)?;
                if round % 3 == u64::from(rank.number) {
                    window.lock(target, true)?;
                    let pair = window.run(Operation::get(target, 0, 2))?;
                    window.unlock(target)?;
                    let pair = pair.values()?;
                    same("two words of one lock", pair[0], pair[1])?;
                }
                if round % 8 == 7 {
                    window.lock_all(0)?;
                    window.run(Operation::accumulate(target, 2, &[1], &SUM))?;
                    window.unlock_all()?;
                }
            }
        }
        rank.barrier()?;
        let (all, few) = (TIMES * u64::from(rank.size()), TIMES / 8 * u64::from(rank.size()));
        same("counters", window.look(rank.number, 0, 3)?, vec![all, all, few])?;
        Ok(rank.barrier()?)
    });
}

#[test]
fn requests_complete_by_progress() {
    each(|window| {
        let rank = window.rank;
        let next = (rank.number + 1) % rank.size();
        window.lock_all(0)?;
        for round in 1..=20_u64 {
            let start = |operation| window.start(&operation, true);
            let mut put = start(Operation::put(next, 8, &[round; 40]))?;
            put.wait(rank)?;
            put.spoil();
            window.flush(Some(next))?;
            let mut got = start(Operation::get(next, 8, 40))?;
            let mut added = start(Operation::accumulate(next, 50, &[1], &SUM))?;
            let mut fetched = start(Operation::get_accumulate(next, 51, &[1], &SUM))?;
            let mut greatest = start(Operation::get_accumulate(next, 52, &[round; 3], &MAX))?;
            for one in [&mut greatest, &mut added, &mut fetched, &mut got] {
                one.wait(rank)?;
            }
            same("what was got", got.values()?, vec![round; 40])?;
            same("what was fetched", fetched.value()?, round - 1)?;
            same("what was greatest", greatest.values()?, vec![round - 1; 3])?;
        }
        window.unlock_all()?;
        Ok(rank.barrier()?)
    });
}

/// What a rank does that has to do with one that is gone.
fn needs(window: &Win<'_>, what: u32, gone: u32) -> OutcomeCode {
    let sync = |target: u32, kind| {
        window.synchronize(&OscSync { target: target as i32, ..Win::sync_of(kind) })
    };
    // What is refused at once may be refused so, too.
    let ran = |operation| if window.run(operation).is_ok() { 0 } else { ERR_PEER };
    match what {
        // It has locked it.
        0 => ran(Operation::put(gone, 1, &[1])).min(sync(gone, OSC_FLUSH)),
        1 => ran(Operation::fetch_and_op(gone, 1, 1, &SUM)).min(sync(gone, OSC_FLUSH)),
        2 => sync(gone, OSC_UNLOCK),
        // The other one has the lock of the first rank.
        _ => {
            let lock = OscSync { target: 0, shared: what % 2, ..Win::sync_of(OSC_LOCK) };
            match window.synchronize(&lock) {
                0 => ran(Operation::put(0, 1, &[1])).min(sync(0, OSC_UNLOCK)),
                error => error,
            }
        }
    }
}

#[test]
fn what_needs_a_rank_that_is_gone_ends_with_an_error() {
    const GONE: u32 = 2;
    let look = |mca: Mca, what: u32, before: bool| {
        let job = Job::start(&recipe(mca), 3).unwrap();
        let looked = job.run(move |rank| {
            let window = rank.open(Plan::of(WINDOW_ALLOCATE))?.expect("it serves it");
            if what < 3 {
                // Much is under way.
                window.lock(GONE, true)?;
                for at in 0..30 {
                    window.run(Operation::put(GONE, at, &[at]))?;
                    window.run(Operation::accumulate(GONE, at, &[1], &SUM))?;
                }
            } else if rank.number == GONE {
                window.lock(0, false)?;
                window.run(Operation::put(0, 0, &[1]))?;
                window.flush(Some(0))?;
            }
            rank.barrier()?;
            if rank.number == GONE && !before {
                // The others have begun, as far as they can.
                for _ in 0..50 {
                    rank.system().progress();
                }
            }
            if rank.number == GONE {
                net::die(rank.system());
            }
            if before {
                rank.barrier()?;
            }
            if rank.number == 1 || (rank.number == 0 && what < 3) {
                let mut ended = needs(&window, what, GONE);
                while ended == 0 && !before && what < 2 {
                    ended = needs(&window, what, GONE);
                }
                forget_reason();
                same("how it ended", ended, ERR_PEER)?;
            }
            // It can't be closed together any more.
            drop(window);
            Ok(rank.barrier()?)
        });
        assert_eq!(looked, Ok(()), "{mca:?}: {what}, {before}");
    };
    for mca in SOME {
        for what in 0..5 {
            look(mca, what, true);
            // Otherwise it may have been in time.
            if what != 2 {
                look(mca, what, false);
            }
        }
    }
}
