//! Every operation on nodes of several sizes and in several orders, among systems of one process, against naive
//! models; and what becomes of all when one can't go on.
//!
//! Plans and their memory are those of the component that does everything with messages.

#![allow(dead_code, reason = "of what the other component's tests have, not all is needed here")]

#[path = "../../../coll_tuned/tests/operations/intra.rs"]
mod intra;
#[path = "../../../coll_tuned/tests/operations/memory.rs"]
mod memory;
#[path = "../../../coll_tuned/tests/operations/plan.rs"]
mod plan;
#[path = "../../../coll_tuned/tests/operations/pml.rs"]
mod pml;
#[path = "../../../coll_tuned/tests/operations/process.rs"]
mod process;
#[path = "../../../coll_tuned/tests/operations/threads.rs"]
mod threads;
mod world;

use std::sync::Mutex;
use std::sync::atomic::Ordering;

use cairn_framework::abi::status::{ERR_DECLINED, ERR_PEER, OK, Status};
use cairn_framework::frameworks::coll::*;
use proptest::prelude::*;

use memory::{operations, types};
use plan::{Plan, Random};
use world::{LAYOUTS, LOST_IN, Open, Rank, World, world};

/// What is served.
const OPERATIONS: [u32; 8] = [
    COLL_BARRIER,
    COLL_BCAST,
    COLL_GATHER,
    COLL_SCATTER,
    COLL_ALLGATHER,
    COLL_ALLTOALL,
    COLL_REDUCE,
    COLL_ALLREDUCE,
];

/// Those whose results need all.
const OF_ALL: [u32; 4] = [COLL_BARRIER, COLL_ALLGATHER, COLL_ALLTOALL, COLL_ALLREDUCE];

/// By rank, what each does one after the other.
type Plans = Vec<Vec<Plan>>;

/// So many operations. Where ranks are not in the order of the nodes, operands may be swapped.
fn mixed(layout: &[u32], count: usize, operations_of: &[u32], random: &mut Random) -> Plans {
    let mut all = vec![Vec::new(); layout.len()];
    let mut nodes = layout.to_vec();
    nodes.dedup();
    let runs = nodes.len();
    nodes.sort_unstable();
    nodes.dedup();
    let ordered = runs == nodes.len();
    for _ in 0..count {
        let operation = random.pick(operations_of);
        let op = operations()[if ordered { random.below(2) as usize } else { 0 }];
        random.next();
        let plans = intra::plans(operation, layout.len(), &types(), op, random);
        all.iter_mut().zip(plans).for_each(|(list, plan)| list.push(plan));
    }
    all
}

/// Runs plans one after the other on one communicator.
fn check(world: &World, plans: Plans) -> Result<(), String> {
    let plans = Mutex::new(plans);
    let context = world.contexts();
    let results = world.run(move |rank| -> Result<(), String> {
        let mut own = std::mem::take(&mut plans.lock().unwrap()[rank.rank as usize]);
        let open = rank.open(context);
        for (number, plan) in own.iter_mut().enumerate() {
            plan.run(rank, &open, COLL_BLOCKING, number as u64)
                .map_err(|why| format!("operation {} at {number}: {why}", plan.operation))?;
        }
        // What was written to a buffer late would be found.
        own.iter().try_for_each(Plan::check)
    });
    for (rank, result) in results.into_iter().enumerate() {
        result.map_err(|why| format!("rank {rank}: {why}"))?;
    }
    if world.net.is_quiet() { Ok(()) } else { Err("something is still under way".into()) }
}

/// The status of an operation on a rank.
fn status(plan: &mut Plan, rank: &Rank, open: &Open<'_>, number: u64) -> Status {
    let args = plan.args(number);
    // SAFETY: the arguments are those of the operation and stay.
    unsafe { rank.ops.run.unwrap()(rank.instance, &open.comm, open.module, &args) }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn operations_follow_each_other(
        layout in 0..LAYOUTS.len(),
        eager in prop_oneof![Just(0), Just(64), Just(u64::MAX)],
        seed in any::<u64>(),
    ) {
        let world = world(layout);
        world.net.eager.store(eager, Ordering::Relaxed);
        let plans = mixed(LAYOUTS[layout], 20, &OPERATIONS, &mut Random(seed));
        prop_assert_eq!(check(&world, plans), Ok(()));
    }

    #[test]
    fn an_operation_follows_itself(
        layout in 0..LAYOUTS.len(),
        operation in prop::sample::select(&OPERATIONS[..]),
        seed in any::<u64>(),
    ) {
        let world = world(layout);
        let plans = mixed(LAYOUTS[layout], 10, &[operation], &mut Random(seed));
        prop_assert_eq!(check(&world, plans), Ok(()));
    }

    /// Wherever one can't go on, all come to an end, and hear of it if what they were to get needs it; then
    /// and in all that follows.
    #[test]
    fn nobody_waits_for_one_that_is_lost(
        layout in 0..LAYOUTS.len(),
        operation in prop::sample::select(&OPERATIONS[..]),
        first in 0..3_u32,
        eager in prop_oneof![Just(0), Just(u64::MAX)],
        seed in any::<u64>(),
    ) {
        let mut random = Random(seed);
        let world = World::new(LAYOUTS[layout]);
        world.net.eager.store(eager, Ordering::Relaxed);
        let lost = random.below(LAYOUTS[layout].len() as u64) as u32;
        let mut plans = mixed(LAYOUTS[layout], 1, &[operation], &mut random);
        for operation in OF_ALL {
            // With data, without which nobody needs another.
            let with_data = |plans: &Plans| plans[0][0].receive.count > 0 || operation == COLL_BARRIER;
            let more = std::iter::repeat_with(|| mixed(LAYOUTS[layout], 1, &[operation], &mut random));
            let more = more.into_iter().find(with_data).unwrap();
            plans.iter_mut().zip(more).for_each(|(list, more)| list.extend(more));
        }
        let plans = Mutex::new(plans);
        let results = world.run(move |rank| {
            let mut own = std::mem::take(&mut plans.lock().unwrap()[rank.rank as usize]);
            let open = rank.open(10);
            let is_lost = rank.rank == lost;
            LOST_IN.set(if is_lost { first } else { u32::MAX });
            let each = own.iter_mut().zip(0..);
            each.map(|(plan, number)| status(plan, rank, &open, number)).collect::<Vec<_>>()
        });
        for (rank, statuses) in results.iter().enumerate() {
            prop_assert!(matches!(statuses[0], OK | ERR_PEER), "rank {}: {:?}", rank, statuses);
            // The third operation on a part may be of the next operation.
            for status in &statuses[3..] {
                prop_assert_eq!(*status, ERR_PEER, "rank {}: {:?}", rank, statuses);
            }
        }
    }
}

/// Operands that may not be swapped are not, and what is too long for two levels is left to others.
#[test]
fn what_gains_nothing_is_declined() {
    let layout = LAYOUTS.iter().position(|layout| *layout == [0, 1, 0, 1]).unwrap();
    let world = world(layout);
    let mut random = Random(5);
    for op in operations() {
        let plans = Mutex::new(intra::plans(COLL_ALLREDUCE, 4, &types(), op, &mut random));
        let context = world.contexts();
        let statuses = world.run(move |rank| {
            let mut plan = plans.lock().unwrap()[rank.rank as usize].clone();
            status(&mut plan, rank, &rank.open(context), 0)
        });
        let is_commutative = std::ptr::eq(op.op, operations()[0].op);
        assert_eq!(statuses, [if is_commutative { OK } else { ERR_DECLINED }; 4]);
    }
}

/// Where there are no two levels, nothing is offered.
#[test]
fn nothing_is_offered_without_two_levels() {
    let layout = LAYOUTS.iter().position(|layout| *layout == [0, 1, 1, 1, 2, 2]).unwrap();
    let world = world(layout);
    let context = world.contexts();
    for (ranks, is_offered) in
        [(&[0, 1, 2][..], true), (&[1, 2, 3], false), (&[0, 1, 4], false), (&[3, 5, 4], true)]
    {
        let offers = world.run(move |rank| {
            if !ranks.contains(&rank.rank) {
                return None;
            }
            let open = rank.open_some(context, ranks);
            let offer = |way| {
                // SAFETY: the module is open.
                unsafe {
                    let offer = rank.ops.offer.unwrap();
                    offer(rank.instance, &open.comm, open.module, COLL_BARRIER, way)
                }
            };
            assert_eq!(offer(COLL_NONBLOCKING), -1);
            Some(offer(COLL_BLOCKING) >= 0)
        });
        assert!(offers.into_iter().flatten().all(|offered| offered == is_offered), "{ranks:?}");
    }
}
