//! Every operation, in every way and by every algorithm, among up to seventeen systems of one process, against
//! naive models.

mod inter;
mod intra;
mod memory;
mod neighbors;
mod plan;
mod pml;
mod process;
mod threads;
mod world;

use std::sync::Mutex;
use std::sync::atomic::Ordering;

use cairn_framework::abi::status::{ERR_ARGUMENT, ERR_PEER, ERR_TRUNCATED, ERR_UNSUPPORTED};
use cairn_framework::frameworks::coll::*;
use coll_tuned::algorithms::OPERATIONS;
use proptest::prelude::*;

use memory::{operations, types};
use plan::{Plan, Random, Side};
use world::{LOGGED, MOST, Open, Rank, Taste, World, world};

/// Runs a plan on each rank of a group, or of two with a border between, and checks that nothing is left
/// under way.
fn check(world: &World, plans: Vec<Plan>, border: Option<u32>, way: u32) -> Result<(), String> {
    check_on(world, plans, way, move |rank, context| open(rank, context, border))
}

/// The same on a communicator that is opened like this.
fn check_on(
    world: &World,
    plans: Vec<Plan>,
    way: u32,
    open: impl Fn(&Rank, u32) -> Open<'_> + Send + Sync + 'static,
) -> Result<(), String> {
    let plans: Vec<Mutex<Plan>> = plans.into_iter().map(Mutex::new).collect();
    let context = world.contexts();
    let results = world.run(move |rank| {
        let open = open(rank, context);
        let mut plan = plans[rank.rank as usize].lock().unwrap();
        plan.run(rank, &open, way, u64::from(context))
    });
    for (rank, result) in results.into_iter().enumerate() {
        result.map_err(|why| format!("rank {rank}: {why}"))?;
    }
    if world.net.is_quiet() { Ok(()) } else { Err("something is still under way".into()) }
}

fn open(rank: &Rank, context: u32, border: Option<u32>) -> Open<'_> {
    match border {
        Some(border) => rank.open_inter(context, border),
        None => rank.open(context),
    }
}

fn tastes() -> impl Strategy<Value = Taste> {
    prop_oneof![Just(Taste::Default), Just(Taste::Small), Just(Taste::Basic)]
}

fn ways() -> impl Strategy<Value = u32> {
    COLL_BLOCKING..=COLL_PERSISTENT
}

/// Eager limits: nothing, what is small, everything.
fn eager() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), Just(64), Just(u64::MAX)]
}

/// Operations on many sizes are costly to run, and there are many of them.
fn config() -> ProptestConfig {
    ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() }
}

fn within(
    operations_tested: std::ops::RangeInclusive<u32>,
) -> impl Strategy<Value = (u32, u32, Taste, u32, u64, usize, u64)> {
    (operations_tested, 1..=MOST, tastes(), ways(), eager(), 0..2usize, any::<u64>())
}

fn check_within(
    (operation, size, taste, way, eager, op, seed): (u32, u32, Taste, u32, u64, usize, u64),
) -> Result<(), String> {
    let world = world(size, taste);
    world.net.eager.store(eager, Ordering::Relaxed);
    let op = operations()[op];
    let plans = intra::plans(operation, size as usize, &types(), op, &mut Random(seed));
    check(&world, plans, None, way)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn barrier_and_bcast(case in within(COLL_BARRIER..=COLL_BCAST)) {
        prop_assert_eq!(check_within(case), Ok(()));
    }

    #[test]
    fn gather_and_scatter(case in within(COLL_GATHER..=COLL_SCATTERV)) {
        prop_assert_eq!(check_within(case), Ok(()));
    }

    #[test]
    fn allgather(case in within(COLL_ALLGATHER..=COLL_ALLGATHERV)) {
        prop_assert_eq!(check_within(case), Ok(()));
    }

    #[test]
    fn alltoall(case in within(COLL_ALLTOALL..=COLL_ALLTOALLW)) {
        prop_assert_eq!(check_within(case), Ok(()));
    }

    #[test]
    fn reduce_and_allreduce(case in within(COLL_REDUCE..=COLL_ALLREDUCE)) {
        prop_assert_eq!(check_within(case), Ok(()));
    }

    #[test]
    fn reduce_scatter(case in within(COLL_REDUCE_SCATTER..=COLL_REDUCE_SCATTER_BLOCK)) {
        prop_assert_eq!(check_within(case), Ok(()));
    }

    #[test]
    fn scan_and_exscan(case in within(COLL_SCAN..=COLL_EXSCAN)) {
        prop_assert_eq!(check_within(case), Ok(()));
    }

    #[test]
    fn between_neighbors(case in within(COLL_NEIGHBOR_ALLGATHER..=COLL_NEIGHBOR_ALLTOALLW)) {
        let (operation, size, taste, way, eager, _, seed) = case;
        let world = world(size, taste);
        world.net.eager.store(eager, Ordering::Relaxed);
        let mut random = Random(seed);
        let graph = neighbors::Graph::new(size as usize, &mut random);
        let plans = neighbors::plans(operation, &graph, &types(), &mut random);
        let result = check_on(&world, plans, way, move |rank, context| {
            rank.open_with_neighbors(context, graph.lists[rank.rank as usize].clone())
        });
        prop_assert_eq!(result, Ok(()));
    }

    #[test]
    fn between_groups(
        operation in prop::sample::select(&inter::OPERATIONS[..]),
        (size, border) in (2..=MOST).prop_flat_map(|size| (Just(size), 1..size)),
        taste in tastes(),
        way in ways(),
        eager in eager(),
        op in 0..2usize,
        seed in any::<u64>(),
    ) {
        let world = world(size, taste);
        world.net.eager.store(eager, Ordering::Relaxed);
        let plans = inter::plans(
            operation,
            size as usize,
            border as usize,
            &types(),
            operations()[op],
            &mut Random(seed),
        );
        prop_assert_eq!(check(&world, plans, Some(border), way), Ok(()));
    }

    /// Operations that are under way at the same time on one communicator do not mix, in whatever
    /// order they are waited for; meanwhile a blocking one runs.
    #[test]
    fn many_at_once(size in 1..=MOST, taste in tastes(), eager in eager(), seed in any::<u64>()) {
        let world = world(size, taste);
        world.net.eager.store(eager, Ordering::Relaxed);
        let mut random = Random(seed);
        let mut by_rank: Vec<Vec<Plan>> = vec![Vec::new(); size as usize];
        for _ in 0..6 {
            let operation = random.below(u64::from(COLL_NEIGHBOR_ALLGATHER)) as u32;
            let op = operations()[random.below(2) as usize];
            random.next();
            let plans = intra::plans(operation, size as usize, &types(), op, &mut random);
            for (list, plan) in by_rank.iter_mut().zip(plans) {
                list.push(plan);
            }
        }
        let by_rank = Mutex::new(by_rank);
        let context = world.contexts();
        let results = world.run(move |rank| -> Result<(), String> {
            let open = rank.open(context);
            let mut plans = std::mem::take(&mut by_rank.lock().unwrap()[rank.rank as usize]);
            let mut blocking = plans.pop().unwrap();
            let mut started = Vec::new();
            for (number, plan) in plans.iter_mut().enumerate() {
                started.push(plan.start(rank, &open, number as u64)?);
            }
            blocking.run(rank, &open, COLL_BLOCKING, 5)?;
            let mut order = Random(seed ^ u64::from(rank.rank));
            while !started.is_empty() {
                let next = order.below(started.len() as u64) as usize;
                started.swap_remove(next).finish(rank)?;
            }
            plans.iter().try_for_each(Plan::check)
        });
        prop_assert_eq!(results, vec![Ok(()); size as usize]);
        prop_assert!(world.net.is_quiet());
    }
}

fn sum_plans(operation: u32, size: usize) -> Vec<Plan> {
    let plain = &types()[..1];
    (0..)
        .map(|seed| intra::plans(operation, size, plain, operations()[0], &mut Random(seed)))
        .find(|plans| plans[0].receive.count > 1)
        .unwrap()
}

#[test]
fn a_message_that_can_not_be_started_fails_the_operation_and_leaves_nothing() {
    let world = world(2, Taste::Default);
    for way in [COLL_BLOCKING, COLL_NONBLOCKING] {
        for operation in [COLL_ALLREDUCE, COLL_ALLTOALL] {
            let plans: Vec<Mutex<Plan>> =
                sum_plans(operation, 2).into_iter().map(Mutex::new).collect();
            let context = world.contexts();
            let allow = |credit| {
                world.net.credit.iter().for_each(|rank| rank.store(credit, Ordering::SeqCst));
            };
            // Both ranks start a receive, which will not be served, because neither can send.
            allow(1);
            let results = world.run(move |rank| {
                let open = rank.open(context);
                let mut plan = plans[rank.rank as usize].lock().unwrap();
                plan.run(rank, &open, way, 0)
            });
            allow(i64::MAX);
            let failed = |result: &Result<(), String>| match result {
                Err(why) if way == COLL_BLOCKING => why.contains("out of credit"),
                Err(why) => *why == format!("status {ERR_PEER}"),
                Ok(()) => false,
            };
            assert!(results.iter().all(failed), "{results:?}");
            assert!(world.net.is_quiet());
        }
    }
}

#[test]
fn more_data_than_room_is_truncated_and_told() {
    for size in [1, 2] {
        let world = world(size, Taste::Default);
        for way in [COLL_BLOCKING, COLL_NONBLOCKING] {
            let context = world.contexts();
            let results = world.run(move |rank| {
                let open = rank.open(context);
                let plain = types()[0];
                let mut plan = Plan {
                    operation: COLL_GATHER,
                    root: 0,
                    op: None,
                    send: Side::single(plain, 4, (None, None)),
                    receive: Side::single(plain, 4 * rank.size as usize, (None, None)),
                };
                plan.receive.count = 12;
                if rank.size > 1 && rank.rank == 0 {
                    // Its own part fits; the message does not.
                    plan.send = Side::in_place();
                }
                plan.run(rank, &open, way, 0)
            });
            let why = results[0].as_ref().unwrap_err();
            if way == COLL_NONBLOCKING {
                assert_eq!(*why, format!("status {ERR_TRUNCATED}"));
            } else {
                assert!(why.contains("96 bytes") || why.contains("did not fit"), "{why}");
            }
            assert!(world.net.is_quiet());
        }
    }
}

#[test]
fn an_operation_that_nobody_waits_for_completes_and_is_freed() {
    let world = world(3, Taste::Default);
    let plans: Vec<Mutex<Plan>> =
        sum_plans(COLL_ALLREDUCE, 3).into_iter().map(Mutex::new).collect();
    let context = world.contexts();
    let results = world.run(move |rank| {
        let open = rank.open(context);
        let mut plan = plans[rank.rank as usize].lock().unwrap();
        plan.start(rank, &open, 0)?.free();
        // When the barrier is through, all have started; then only progress is missing.
        let none = Plan {
            operation: COLL_BARRIER,
            root: 0,
            op: None,
            send: Side::none(),
            receive: Side::none(),
        };
        none.clone().run(rank, &open, COLL_BLOCKING, 1)?;
        while plan.check().is_err() {
            rank.system.progress();
            std::thread::yield_now();
        }
        // And none leaves before all have it.
        none.clone().run(rank, &open, COLL_BLOCKING, 2)
    });
    assert_eq!(results, vec![Ok(()); 3]);
    assert!(world.net.is_quiet());
}

#[test]
fn what_is_not_offered_fails() {
    let world = world(2, Taste::Default);
    let context = world.contexts();
    world.run(move |rank| {
        let mut plan = Plan {
            operation: COLL_NEIGHBOR_ALLTOALLW,
            root: 0,
            op: None,
            send: Side::none(),
            receive: Side::none(),
        };
        let (inside, between) = (rank.open(context), rank.open_inter(context, 1));
        let call = |open: &Open<'_>, args: &CollArgs| {
            // SAFETY: the module is open; the arguments are not looked at.
            unsafe { rank.ops.run.unwrap()(rank.instance, &open.comm, open.module, args) }
        };
        for way in [COLL_BLOCKING, COLL_NONBLOCKING, COLL_PERSISTENT] {
            for operation in COLL_NEIGHBOR_ALLGATHER..COLL_OPERATIONS + 3 {
                plan.operation = operation;
                assert!(plan.run(rank, &inside, way, 0).is_err());
                assert_eq!(call(&inside, &plan.args(0)), ERR_UNSUPPORTED);
                assert!(rank.reason().contains(&format!("number {operation}")));
            }
            for operation in [COLL_SCAN, COLL_EXSCAN] {
                plan.operation = operation;
                assert!(plan.run(rank, &between, way, 0).is_err());
                assert_eq!(call(&between, &plan.args(0)), ERR_UNSUPPORTED);
            }
        }
        plan.operation = COLL_BARRIER;
        let args = CollArgs { tag: 3, ..plan.args(0) };
        assert_eq!(call(&inside, &args), ERR_ARGUMENT);
        assert!(rank.reason().contains("the tag 3"));
    });
}

/// The info that forces an algorithm.
fn forcing(operation: u32, algorithm: &str) -> Vec<(String, String)> {
    let name = OPERATIONS[operation as usize].name;
    vec![(format!("cairn_coll_tuned_{name}_algorithm"), algorithm.to_owned())]
}

/// Runs plans on a communicator on which an algorithm is forced.
fn check_forced(
    world: &World,
    plans: Vec<Plan>,
    way: u32,
    info: Vec<(String, String)>,
) -> Result<(), String> {
    check_on(world, plans, way, move |rank, context| {
        let info: Vec<(&str, &str)> =
            info.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        rank.open_with_info(context, &info).unwrap()
    })
}

/// Those that do not fit a call give way to others, so a few sizes more than fit are tried.
#[test]
fn each_algorithm_does_what_its_operation_does() {
    const CASES: u64 = 36;
    for (number, operation) in (0..).zip(&OPERATIONS) {
        for algorithm in operation.names() {
            for case in 0..CASES {
                let mut random = Random(case << 32 | u64::from(number) << 8);
                random.next();
                // Powers of two, and any others.
                let size = match case % 3 {
                    0 => 1 << random.below(5),
                    _ => 1 + random.below(u64::from(MOST)) as u32,
                };
                let taste = if random.flip() { Taste::Default } else { Taste::Small };
                let way = random.below(3) as u32;
                let op = operations()[random.below(2) as usize];
                let world = world(size, taste);
                world
                    .net
                    .eager
                    .store([0, 64, u64::MAX][random.below(3) as usize], Ordering::Relaxed);
                let plans = intra::plans(number, size as usize, &types(), op, &mut random);
                let result = check_forced(&world, plans, way, forcing(number, algorithm));
                let name = operation.name;
                assert_eq!(
                    result,
                    Ok(()),
                    "{name} {algorithm}, {size} ranks, {taste:?}, case {case}"
                );
            }
        }
    }
}

/// Without messages to wait for, a tree takes as many messages as it has edges, and dissemination a
/// logarithmic number of rounds.
#[test]
fn algorithms_send_as_many_messages_as_they_should() {
    // Sends and receives.
    for (operation, algorithm, messages) in [
        (COLL_BARRIER, "dissemination", 2 * 8 * 3),
        (COLL_BCAST, "binomial", 2 * 7),
        (COLL_REDUCE, "binomial", 2 * 7),
        (COLL_GATHER, "binomial", 2 * 7),
        (COLL_SCATTER, "linear", 2 * 7),
        (COLL_ALLGATHER, "bruck", 2 * 8 * 3),
        (COLL_ALLGATHER, "ring", 2 * 8 * 7),
        (COLL_ALLTOALL, "bruck", 2 * 8 * 3),
        (COLL_ALLTOALL, "linear", 2 * 8 * 7),
        (COLL_ALLREDUCE, "recursive_doubling", 2 * 8 * 3),
        (COLL_ALLREDUCE, "rabenseifner", 2 * 8 * 6),
        (COLL_REDUCE_SCATTER_BLOCK, "recursive_doubling", 2 * 8 * 3),
        (COLL_REDUCE_SCATTER_BLOCK, "pairwise", 2 * 8 * 7),
    ] {
        let world = world(8, Taste::Default);
        let before = world.net.messages.load(Ordering::SeqCst);
        let plans = (0..)
            .map(|seed| {
                intra::plans(operation, 8, &types()[..1], operations()[0], &mut Random(seed))
            })
            .find(|plans| {
                let some = |side: &Side| side.count > 20;
                let in_place =
                    |plan: &Plan| operation == COLL_ALLTOALL && plan.send.datatype.is_none();
                operation == COLL_BARRIER
                    || plans.iter().any(|plan| some(&plan.receive)) && !plans.iter().any(in_place)
            })
            .unwrap();
        let result = check_forced(&world, plans, COLL_BLOCKING, forcing(operation, algorithm));
        assert_eq!(result, Ok(()));
        let sent = world.net.messages.load(Ordering::SeqCst) - before;
        assert_eq!(sent, messages, "{operation} {algorithm}");
    }
}

/// Calls of one shape run the steps of the one before, with other data; a call of another shape in between
/// does not mislead them.
#[test]
fn calls_that_come_again_are_done_again() {
    for taste in [Taste::Default, Taste::Small, Taste::Basic] {
        let world = world(5, taste);
        for operation in COLL_BARRIER..=COLL_EXSCAN {
            let plans = |seed| {
                let plain = &types()[..1];
                intra::plans(operation, 5, plain, operations()[0], &mut Random(seed))
            };
            let pairs: Vec<Mutex<[Plan; 2]>> =
                plans(21).into_iter().zip(plans(33)).map(|(a, b)| Mutex::new([a, b])).collect();
            let context = world.contexts();
            let results = world.run(move |rank| -> Result<(), String> {
                let open = rank.open(context);
                let mut pair = pairs[rank.rank as usize].lock().unwrap();
                for (number, which) in (0..).zip([0, 0, 0, 1, 0, 1, 1]) {
                    pair[which].reset();
                    pair[which].run(rank, &open, COLL_BLOCKING, number)?;
                }
                Ok(())
            });
            assert_eq!(results, vec![Ok(()); 5], "{operation} {taste:?}");
        }
        assert!(world.net.is_quiet());
    }
}

#[test]
fn an_unknown_algorithm_is_an_error_that_lists_the_known_ones() {
    let world = world(2, Taste::Default);
    let context = world.contexts();
    world.run(move |rank| {
        let info = [("cairn_coll_tuned_scan_algorithm", "recursive_halving")];
        let why = rank.open_with_info(context, &info).err().unwrap();
        assert!(
            why.ends_with(
                "the info key cairn_coll_tuned_scan_algorithm is \"recursive_halving\"; allowed is auto, \
                 recursive_doubling or linear"
            ),
            "{why}"
        );
        let info = [("cairn_coll_tuned_scan_algorithm", "auto"), ("cairn_soup", "tomato")];
        assert!(rank.open_with_info(context, &info).is_ok());
    });
}

/// An algorithm that can't serve a call gives way to one that can, and that is said once.
#[test]
fn an_algorithm_that_does_not_fit_gives_way() {
    let world = world(3, Taste::Default);
    let lines = || {
        let logged = LOGGED.lock().unwrap();
        let about = |line: &&String| {
            line.contains("recursive_doubling of allgather can't be used for a call on test")
                && line.contains("no power of two")
        };
        logged.iter().filter(about).count()
    };
    let info = forcing(COLL_ALLGATHER, "recursive_doubling");
    let before = lines();
    let plans = sum_plans(COLL_ALLGATHER, 3);
    assert_eq!(check_forced(&world, plans, COLL_PERSISTENT, info), Ok(()));
    let more = lines() - before;
    // Other tests log as well, each at most once for a communicator.
    assert!(more >= 1, "{:?}", LOGGED.lock().unwrap());
}
