//! Every operation among one to seventeen systems of one process, against naive models: with few and with many
//! processes as the component sees it, and slots that are shorter and longer than what they hold.
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

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use cairn_framework::abi::peer::PEER_FAILED;
use cairn_framework::abi::status::{
    ERR_ARGUMENT, ERR_DECLINED, ERR_PEER, ERR_TRUNCATED, OK, Status,
};
use cairn_framework::frameworks::coll::*;
use proptest::prelude::*;

use memory::{Operation, operations, types};
use plan::{Kind as Blocks, Plan, Random, Side};
use world::{CROWDED_LIMIT, Kind, LIMIT, MOST, Open, Rank, World, world};

/// What is served.
const OPERATIONS: [u32; 17] = [
    COLL_BARRIER,
    COLL_BCAST,
    COLL_GATHER,
    COLL_SCATTER,
    COLL_ALLGATHER,
    COLL_ALLGATHERV,
    COLL_ALLTOALL,
    COLL_REDUCE,
    COLL_ALLREDUCE,
    COLL_REDUCE_SCATTER_BLOCK,
    COLL_REDUCE_SCATTER,
    COLL_SCAN,
    COLL_EXSCAN,
    COLL_GATHERV,
    COLL_SCATTERV,
    COLL_ALLTOALLV,
    COLL_ALLTOALLW,
];

/// By rank, what each does one after the other.
type Plans = Vec<Vec<Plan>>;

fn push(all: &mut Plans, plans: Vec<Plan>) {
    all.resize(plans.len(), Vec::new());
    all.iter_mut().zip(plans).for_each(|(list, plan)| list.push(plan));
}

/// So many operations.
fn mixed(size: u32, count: usize, operations_of: &[u32], random: &mut Random) -> Plans {
    let mut all = Plans::new();
    for _ in 0..count {
        let operation = random.pick(operations_of);
        let op = operations()[random.below(2) as usize];
        random.next();
        push(&mut all, plans_of(operation, size, op, random));
    }
    all
}

/// Plans of an operation that is served.
fn plans_of(operation: u32, size: u32, op: Operation, random: &mut Random) -> Vec<Plan> {
    loop {
        let plans = intra::plans(operation, size as usize, &types(), op, random);
        let is_declined = matches!(operation, COLL_ALLTOALLV | COLL_ALLTOALLW)
            && plans.iter().any(|plan| plan.send.special.is_some());
        if !is_declined {
            return plans;
        }
    }
}

/// Runs plans one after the other on one communicator; sometimes a rank comes late.
fn check(world: &World, plans: Plans, seed: u64) -> Result<(), String> {
    let plans = Mutex::new(plans);
    let context = world.contexts();
    let results = world.run(move |rank| -> Result<(), String> {
        let mut own = std::mem::take(&mut plans.lock().unwrap()[rank.rank as usize]);
        let open = rank.open(context);
        let mut random = Random(seed ^ u64::from(rank.rank));
        for (number, plan) in own.iter_mut().enumerate() {
            if random.below(40) == 0 {
                std::thread::sleep(Duration::from_millis(random.below(3)));
            }
            plan.run(rank, &open, COLL_BLOCKING, number as u64)
                .map_err(|why| format!("operation {} at {number}: {why}", plan.operation))?;
        }
        // No plan goes before all are through: what was written to a buffer late would be found.
        own.iter().try_for_each(Plan::check)
    });
    for (rank, result) in results.into_iter().enumerate() {
        result.map_err(|why| format!("rank {rank}: {why}"))?;
    }
    if world.is_quiet() { Ok(()) } else { Err("something is still under way".into()) }
}

fn kinds() -> impl Strategy<Value = Kind> {
    let slots = prop_oneof![Just(512), Just(1040), Just(16 << 10)];
    (2..=MOST, any::<bool>(), slots).prop_map(|(size, crowd, slot)| Kind::new(size, crowd, slot))
}

fn config() -> ProptestConfig {
    ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn operations_follow_each_other(kind in kinds(), seed in any::<u64>()) {
        let plans = mixed(kind.size, 30, &OPERATIONS, &mut Random(seed));
        prop_assert_eq!(check(&world(kind), plans, seed), Ok(()));
    }

    /// Processes that only send are ahead of the others, and slots are used again.
    #[test]
    fn who_only_sends_is_ahead(kind in kinds(), seed in any::<u64>()) {
        let sending = [COLL_BCAST, COLL_REDUCE, COLL_GATHER, COLL_SCATTER, COLL_SCAN, COLL_EXSCAN];
        let plans = mixed(kind.size, 40, &sending, &mut Random(seed));
        prop_assert_eq!(check(&world(kind), plans, seed), Ok(()));
    }

    /// One operation again and again, so that the numbers of turns go round.
    #[test]
    fn an_operation_follows_itself(
        kind in kinds(),
        operation in prop::sample::select(&OPERATIONS[..]),
        seed in any::<u64>(),
    ) {
        let plans = mixed(kind.size, 30, &[operation], &mut Random(seed));
        prop_assert_eq!(check(&world(kind), plans, seed), Ok(()));
    }
}

/// Vectors of every length around what a line, a slot and a part of it holds.
#[test]
fn sizes_around_every_limit() {
    for (size, is_crowded) in [(2, false), (2, true), (3, false), (5, true)] {
        for (slot, units) in [(512, 0..70), (16 << 10, 165..180), (16 << 10, 675..690)] {
            let world = world(Kind::new(size, is_crowded, slot));
            let mut random = Random(7);
            let mut all = Plans::new();
            for units in units {
                for in_place in [false, true] {
                    push(&mut all, allreduce(size as usize, units, in_place, &mut random));
                }
                let root = random.below(size.into()) as usize;
                push(&mut all, bcast(size as usize, root, units, &mut random));
            }
            assert_eq!(check(&world, all, 3), Ok(()));
        }
    }
}

fn allreduce(size: usize, units: usize, in_place: bool, random: &mut Random) -> Vec<Plan> {
    let (datatype, op) = (random.pick(&types()), operations()[1]);
    let rows: Vec<Vec<u32>> = (0..size).map(|_| random.row(units)).collect();
    let plan = |row: &Vec<u32>| {
        let own = |is: bool| Some(row.clone()).filter(|_| is);
        let receive = Side::single(datatype, units, (own(in_place), intra::reduced(&rows, op)));
        let send = Side::single(datatype, units, (own(true), None)).only_address();
        let send = if in_place { Side::in_place() } else { send };
        Plan { operation: COLL_ALLREDUCE, root: 0, op: Some(op), send, receive }
    };
    rows.iter().map(plan).collect()
}

fn bcast(size: usize, root: usize, units: usize, random: &mut Random) -> Vec<Plan> {
    let row = random.row(units);
    let mut plan = |rank: usize| {
        let row = Some(row.clone());
        let content = if rank == root { (row, None) } else { (None, row) };
        let receive = Side::single(random.pick(&types()), units, content);
        Plan { operation: COLL_BCAST, root: root as i32, op: None, send: Side::none(), receive }
    };
    (0..size).map(&mut plan).collect()
}

/// Blocks that take the slots of several turns at once, and more than those. Before and behind them a process that only
/// sends goes on as far as it may.
#[test]
fn blocks_around_what_several_turns_hold() {
    // Fifteen turns of 2 KiB and less, seven, and three.
    let cases = [
        (2, COLL_ALLGATHER, 1272..1288),
        (2, COLL_ALLTOALL, 1272..1288),
        (3, COLL_ALLGATHER, 2550..2565),
        (3, COLL_ALLTOALL, 632..648),
        (5, COLL_ALLGATHER, 1010..1026),
        (5, COLL_ALLTOALL, 505..515),
        (9, COLL_ALLGATHER, 520..532),
        (9, COLL_ALLTOALL, 60..70),
        (17, COLL_ALLGATHER, 235..245),
        (17, COLL_ALLTOALL, 10..20),
    ];
    for (size, operation, units) in cases {
        let world = world(Kind::new(size, true, 512));
        let (mut random, mut all) = (Random(5), Plans::new());
        for units in units.chain([0, 1, 20, 70]) {
            let in_place = random.flip();
            push(&mut all, exchange(operation, size as usize, units, in_place, &mut random));
            let root = random.below(size.into()) as usize;
            for _ in 0..random.below(20) {
                push(&mut all, bcast(size as usize, root, 85, &mut random));
            }
        }
        assert_eq!(check(&world, all, 3), Ok(()), "{size} {operation}");
    }
}

/// An allgather or alltoall with blocks of so many units.
fn exchange(
    operation: u32,
    size: usize,
    units: usize,
    in_place: bool,
    random: &mut Random,
) -> Vec<Plan> {
    // By sender and receiver.
    let rows: Vec<Vec<Vec<u32>>> = (0..size)
        .map(|_| match operation {
            COLL_ALLGATHER => vec![random.row(units); size],
            _ => (0..size).map(|_| random.row(units)).collect(),
        })
        .collect();
    let mut plan = |rank: usize| {
        let sends = |to: usize| (Some(rows[rank][to].clone()), None);
        let receives = |from: usize| {
            let is_there = in_place && (operation == COLL_ALLTOALL || from == rank);
            let there = if operation == COLL_ALLTOALL { rank } else { from };
            let before = is_there.then(|| rows[there][from].clone());
            (before, Some(rows[from][rank].clone()))
        };
        let blocks = |random: &mut Random, contents: Vec<_>| {
            Side::blocks(random, Blocks::Alike, &types(), &vec![units; size], &contents)
        };
        let send = match operation {
            _ if in_place => Side::in_place(),
            COLL_ALLGATHER => Side::single(random.pick(&types()), units, sends(rank)),
            _ => blocks(random, (0..size).map(sends).collect()),
        };
        let receive = blocks(random, (0..size).map(receives).collect());
        Plan { operation, root: 0, op: None, send, receive }
    };
    (0..size).map(&mut plan).collect()
}

/// Those whose blocks take other turns are told of it, and so is who comes later.
#[test]
fn blocks_that_take_other_turns_are_an_error_for_all() {
    for operation in [COLL_ALLGATHER, COLL_ALLTOALL] {
        for (units, others) in [(1, 400), (100, 400), (1000, 1600)] {
            let world = world(Kind::new(3, true, 512));
            let context = world.contexts();
            let results = world.run(move |rank| {
                let units = if rank.rank == 1 { others } else { units };
                let mut random = Random(1);
                let mut plans = exchange(operation, 3, units, false, &mut random);
                let open = rank.open(context);
                let first = status(rank, &open, &mut plans[rank.rank as usize], 0);
                let mut next = bcast(3, 0, 1, &mut random);
                (first, status(rank, &open, &mut next[rank.rank as usize], 1))
            });
            for (first, next) in results {
                assert!([ERR_ARGUMENT, ERR_PEER].contains(&first), "{operation} {units} {first}");
                assert_eq!(next, ERR_PEER, "{operation} {units}");
            }
        }
    }
}

/// Whatever comes between them: that decides in which of two ways the next one is done.
#[test]
fn nobody_leaves_a_barrier_before_all_have_come() {
    for (size, is_crowded) in [(2, true), (3, true), (5, true), (3, false), (10, false)] {
        let world = world(Kind::new(size, is_crowded, 1040));
        let (context, come) = (world.contexts(), Arc::new([const { AtomicU32::new(0) }; 90]));
        let results = world.run(move |rank| {
            let open = rank.open(context);
            for (number, come) in come.iter().enumerate() {
                come.fetch_add(1, Ordering::SeqCst);
                let mut random = Random(number as u64);
                let mut barrier = mixed(rank.size, 1, &[COLL_BARRIER], &mut random);
                let own = rank.rank as usize;
                barrier[own][0].run(rank, &open, COLL_BLOCKING, 0)?;
                if come.load(Ordering::SeqCst) != rank.size {
                    return Err(format!("one is missing at {number}"));
                }
                let mut between = match random.below(3) {
                    0 => continue,
                    1 => bcast(rank.size as usize, 0, 5, &mut random),
                    _ => plans_of(COLL_GATHER, rank.size, operations()[0], &mut random),
                };
                let plan = &mut between[own];
                plan.run(rank, &open, COLL_BLOCKING, 0)?;
                plan.check()?;
            }
            Ok(())
        });
        assert_eq!(results, vec![Ok(()); size as usize]);
    }
}

/// Nothing but what makes the memory goes in messages, where slots have room for all blocks of several lengths.
#[test]
fn no_messages_are_sent_when_there_is_memory() {
    let world = World::new(Kind::new(4, false, 64 << 10));
    let mut made = None;
    for operations_of in [&[COLL_BARRIER][..], &OPERATIONS] {
        let before = world.messages();
        let plans = mixed(4, 50, operations_of, &mut Random(5));
        assert_eq!(check(&world, plans, 5), Ok(()));
        let messages = world.messages() - before;
        // A greeting, a card, an answer and what came of it, sent and received.
        assert_eq!(messages, *made.get_or_insert(8 * 3));
    }
}

/// The status of an operation on a rank.
fn status(rank: &Rank, open: &Open<'_>, plan: &mut Plan, number: u64) -> Status {
    let args = plan.args(number);
    // SAFETY: the arguments are those of the operation and stay.
    unsafe { rank.ops.run.unwrap()(rank.instance, &open.comm, open.module, &args) }
}

/// Without memory there are barriers, and all other calls are another component's.
#[test]
fn what_has_no_room_is_declined_by_all() {
    let no_room = Kind { memory: 1 << 10, ..Kind::new(3, false, 16 << 10) };
    let no_slots = Kind::new(3, false, 0);
    for kind in [no_room, no_slots] {
        let world = World::new(kind);
        let plans = mixed(3, 2, &[COLL_BARRIER], &mut Random(1));
        assert_eq!(check(&world, plans, 1), Ok(()));
        for operation in OPERATIONS.into_iter().filter(|operation| *operation != COLL_BARRIER) {
            let plans = mixed(3, 1, &[operation], &mut Random(2));
            let (plans, context) = (Mutex::new(plans), world.contexts());
            let declined = world.run(move |rank| {
                let mut plan = plans.lock().unwrap()[rank.rank as usize].pop().unwrap();
                let open = rank.open(context);
                [0, 1].map(|number| status(rank, &open, &mut plan, number))
            });
            assert_eq!(declined, [[ERR_DECLINED; 2]; 3]);
        }
        assert!(world.is_quiet());
    }
}

/// An operation on so many integers, among five ranks at most.
fn integers(operation: u32, count: u64) -> Plan {
    let side = || {
        let units = 5 * count as usize / plan::UNIT + 1;
        let mut side = Side::single(types()[0], units, (None, None));
        side.count = count;
        side
    };
    let op = Some(operations()[0]);
    Plan { operation, root: 1, op, send: side(), receive: side() }
}

/// Vectors and blocks up to the limit are served, longer ones declined, by all.
#[test]
fn what_is_too_long_is_declined_by_all() {
    for (ranks, is_crowded) in [(3, false), (3, true), (5, true)] {
        let world = world(Kind::new(ranks, is_crowded, 1040));
        let crowded = if is_crowded { CROWDED_LIMIT } else { LIMIT };
        // All that go to others have twice the limit.
        let others = u64::from(ranks - 1);
        let blocks = crowded.min(2 * CROWDED_LIMIT / others).max(LIMIT);
        // By operation: how many of them have the bytes that are limited.
        for (operation, parts, limit) in [
            (COLL_BCAST, 1, crowded),
            (COLL_GATHER, 1, blocks),
            (COLL_SCATTER, 1, blocks),
            (COLL_ALLGATHER, 1, crowded),
            (COLL_ALLTOALL, others, LIMIT),
            (COLL_REDUCE, 1, crowded),
            (COLL_ALLREDUCE, 1, crowded),
            (COLL_REDUCE_SCATTER_BLOCK, others, LIMIT),
            (COLL_SCAN, 1, crowded),
            (COLL_EXSCAN, 1, crowded),
        ] {
            let context = world.contexts();
            let results = world.run(move |rank| {
                let open = rank.open(context);
                [limit, limit + parts * 4].map(|bytes| {
                    status(rank, &open, &mut integers(operation, bytes / 4 / parts), 0)
                })
            });
            assert_eq!(results, vec![[OK, ERR_DECLINED]; ranks as usize], "{operation}");
        }
    }
}

/// Where processes share processors a short scan is better done by messages.
#[test]
fn short_scans_of_a_crowd_are_declined_by_all() {
    for (is_crowded, short) in [(false, OK), (true, ERR_DECLINED)] {
        let world = World::new(Kind { scan_from: 100, ..Kind::new(3, is_crowded, 1040) });
        for (operation, short) in [(COLL_SCAN, short), (COLL_EXSCAN, short), (COLL_ALLREDUCE, OK)] {
            let context = world.contexts();
            let results = world.run(move |rank| {
                let open = rank.open(context);
                [96, 100].map(|bytes| status(rank, &open, &mut integers(operation, bytes / 4), 0))
            });
            assert_eq!(results, [[short, OK]; 3], "{operation}");
        }
    }
}

/// What a process takes for its communicators has a bound, and is free again when they are.
#[test]
fn memory_has_a_bound() {
    let size = 2;
    let kind = Kind { memory: 600 << 10, ..Kind::new(size, false, 16 << 10) };
    let world = World::new(kind);
    for _ in 0..3 {
        let contexts: Vec<u32> = (0..12).map(|_| world.contexts()).collect();
        let served = world.run(move |rank| {
            let open: Vec<Open<'_>> = contexts.iter().map(|context| rank.open(*context)).collect();
            let each = |open: &Open<'_>| {
                let mut random = Random(9);
                let mut plans = mixed(size, 1, &[COLL_ALLREDUCE], &mut random);
                let mut plan = plans[rank.rank as usize].pop().unwrap();
                status(rank, open, &mut plan, 0)
            };
            open.iter().map(each).collect::<Vec<Status>>()
        });
        assert_eq!(served[0], served[1]);
        // About 150 KiB each, as long as there is as much; then shorter ones; then none.
        let number = served[0].iter().filter(|status| **status == OK).count();
        assert!((5..12).contains(&number), "{:?}", served[0]);
        assert!(served[0].contains(&ERR_DECLINED));
    }
}

/// Data that has no room is an error where it has none, and what follows is as ever.
#[test]
fn more_data_than_room_is_truncated_and_told() {
    // By operation: what the root has to receive, and the others.
    let cases = [
        (COLL_BCAST, 2, 1),
        (COLL_GATHER, 1, 0),
        (COLL_SCATTER, 2, 1),
        (COLL_ALLGATHER, 1, 2),
        (COLL_ALLTOALL, 1, 2),
    ];
    for (size, is_crowded) in [(2, false), (3, false), (3, true)] {
        let world = world(Kind::new(size, is_crowded, 1040));
        for (operation, at_root, elsewhere) in cases {
            // A block has two units: in one turn, and in several.
            for unit in [plan::UNIT as u64, 20 * plan::UNIT as u64] {
                let context = world.contexts();
                let results = world.run(move |rank| {
                    let is_root = rank.rank == 1;
                    let blocks = rank.size as usize * 2 * unit as usize / plan::UNIT;
                    let side = |units: u64| {
                        let mut side = Side::single(types()[0], blocks, (None, None));
                        side.count = units * unit;
                        side
                    };
                    let receive = side(if is_root { at_root } else { elsewhere });
                    let send = side(2);
                    let mut plan = Plan { operation, root: 1, op: None, send, receive };
                    let open = rank.open(context);
                    let first = status(rank, &open, &mut plan, 0);
                    let mut after =
                        mixed(rank.size, 1, &OPERATIONS, &mut Random(u64::from(operation)));
                    let mut next = after[rank.rank as usize].pop().unwrap();
                    (is_root, first, next.run(rank, &open, COLL_BLOCKING, 1))
                });
                for (is_root, first, next) in results {
                    let room = if is_root { at_root } else { elsewhere };
                    let expected = if room == 1 { ERR_TRUNCATED } else { OK };
                    assert_eq!((first, next), (expected, Ok(())), "{operation} {is_root}");
                }
            }
        }
    }
}

/// Blocks of several lengths whose receiver has less room, in slots and in messages. What follows is as ever.
#[test]
fn blocks_of_several_lengths_without_room_are_truncated_and_told() {
    let cases = [
        (COLL_GATHERV, Blocks::Counts),
        (COLL_SCATTERV, Blocks::Counts),
        (COLL_ALLTOALLV, Blocks::Counts),
        (COLL_ALLTOALLW, Blocks::Types),
    ];
    for (size, is_crowded) in [(2, false), (3, true)] {
        let world = world(Kind::new(size, is_crowded, 1040));
        // By units of a block that is sent, and of its room.
        for ((operation, kind), (sent, room)) in cases
            .into_iter()
            .flat_map(|case| [(2, 1), (90, 60), (90, 1), (0, 60)].map(|units| (case, units)))
        {
            let context = world.contexts();
            let results = world.run(move |rank| {
                let (mut random, none) = (Random(u64::from(rank.rank)), (None, None));
                let ranks = rank.size as usize;
                let mut blocks = |units: usize| {
                    let (units, contents) = (vec![units; ranks], vec![none.clone(); ranks]);
                    Side::blocks(&mut random, kind, &types(), &units, &contents)
                };
                let single = |units: usize| Side::single(types()[0], units, (None, None));
                let (send, receive) = match operation {
                    COLL_GATHERV => (single(sent), blocks(room)),
                    COLL_SCATTERV => (blocks(sent), single(room)),
                    _ => (blocks(sent), blocks(room)),
                };
                let mut plan = Plan { operation, root: 1, op: None, send, receive };
                let open = rank.open(context);
                let first = status(rank, &open, &mut plan, 0);
                let mut after = mixed(rank.size, 1, &OPERATIONS, &mut Random(sent as u64));
                let mut next = after[rank.rank as usize].pop().unwrap();
                (rank.rank, first, next.run(rank, &open, COLL_BLOCKING, 1))
            });
            for (rank, first, next) in results {
                let receives = operation != COLL_GATHERV || rank == 1;
                let expected = if receives && sent > room { ERR_TRUNCATED } else { OK };
                assert_eq!((first, next), (expected, Ok(())), "{operation} {sent} {room} {rank}");
            }
        }
    }
}

/// A process that does another operation is a mistake, and what lies in its slot no length: no memory behind that is read.
#[test]
fn what_is_no_length_leads_nowhere() {
    for is_crowded in [false, true] {
        let world = World::new(Kind::new(2, is_crowded, 1040));
        let context = world.contexts();
        let ended = world.run(move |rank| {
            let open = rank.open(context);
            let mut random = Random(11);
            let mut plan = if rank.rank == 1 {
                let side = Side::single(types()[0], 8, (Some(random.row(8)), None));
                let (send, receive) = (Side::none(), side);
                Plan { operation: COLL_BCAST, root: 1, op: None, send, receive }
            } else {
                let (units, none) = ([0, 4000], (None, None));
                let contents = [none.clone(), none.clone()];
                let receive =
                    Side::blocks(&mut random, Blocks::Counts, &types(), &units, &contents);
                let send = Side::single(types()[0], 0, none);
                Plan { operation: COLL_GATHERV, root: 0, op: None, send, receive }
            };
            (status(rank, &open, &mut plan, 0), plan.check())
        });
        assert_eq!(ended, [(ERR_TRUNCATED, Ok(())), (OK, Ok(()))]);
        assert!(world.is_quiet());
    }
}

/// Where the memory of what is sent is overwritten, another component is asked.
#[test]
fn blocks_of_several_lengths_are_declined_in_place() {
    let world = World::new(Kind::new(2, false, 1040));
    for (operation, kind) in [(COLL_ALLTOALLV, Blocks::Counts), (COLL_ALLTOALLW, Blocks::Types)] {
        let context = world.contexts();
        let declined = world.run(move |rank| {
            let contents = [(None, None), (None, None)];
            let receive = Side::blocks(&mut Random(3), kind, &types(), &[1, 1], &contents);
            let send = Side::in_place();
            let mut plan = Plan { operation, root: 0, op: None, send, receive };
            let open = rank.open(context);
            [0, 1].map(|number| status(rank, &open, &mut plan, number))
        });
        assert_eq!(declined, [[ERR_DECLINED; 2]; 2]);
    }
}

/// A process that does not come any more, of which one of the others hears, ends what waits for it.
#[test]
fn a_death_ends_operations() {
    for (size, is_crowded) in [(3, false), (3, true)] {
        for operation in
            [COLL_BARRIER, COLL_ALLGATHER, COLL_ALLTOALL, COLL_ALLREDUCE, COLL_ALLTOALLV]
        {
            for (before, sends) in [(1, false), (7, false), (1, true)] {
                // The last rank goes.
                let world = World::new(Kind::new(size, is_crowded, 1040));
                let mut random = Random(before as u64);
                let mut plans = mixed(size, before, &OPERATIONS, &mut random);
                if sends {
                    // What rank 0 sends after a barrier has the next one done in another way.
                    push(&mut plans, plans_of(COLL_BARRIER, size, operations()[0], &mut random));
                    push(&mut plans, bcast(size as usize, 0, 1, &mut random));
                }
                push(
                    &mut plans,
                    mixed(size, 1, &[operation], &mut random).into_iter().flatten().collect(),
                );
                let (plans, context) = (Mutex::new(plans), world.contexts());
                let results = world.run(move |rank| {
                    let mut own = std::mem::take(&mut plans.lock().unwrap()[rank.rank as usize]);
                    let open = std::mem::ManuallyDrop::new(rank.open(context));
                    let mut last = own.pop().unwrap();
                    for (number, plan) in own.iter_mut().enumerate() {
                        plan.run(rank, &open, COLL_BLOCKING, number as u64).unwrap();
                    }
                    if rank.rank == rank.size - 1 {
                        return [ERR_PEER; 2];
                    }
                    if rank.rank == 0 {
                        let dead = rank.peer(rank.size - 1);
                        dead.flags.fetch_or(PEER_FAILED, Ordering::Relaxed);
                    }
                    // The second one doesn't wait for long.
                    [0, 1].map(|number| status(rank, &open, &mut last, 100 + number))
                });
                assert_eq!(results, vec![[ERR_PEER; 2]; size as usize], "{operation}");
            }
        }
    }
}

/// Blocks that go in messages: so many units for those that are to have more, and one for others.
fn long_blocks(operation: u32, rank: &Rank, root: u32, long: impl Fn(u32, u32) -> bool) -> Plan {
    let mut random = Random(u64::from(rank.rank));
    let units = |from, to| if long(from, to) { 500 } else { 1 };
    let kind = if operation == COLL_ALLTOALLW { Blocks::Types } else { Blocks::Counts };
    let (own, none) = (rank.rank, (None, None));
    let mut blocks = |units: Vec<usize>| {
        let contents = vec![none.clone(); units.len()];
        Side::blocks(&mut random, kind, &types(), &units, &contents)
    };
    let mut side = |is_sent: bool| match (operation, is_sent) {
        (COLL_GATHERV, true) => Side::single(types()[0], units(own, root), none.clone()),
        (COLL_SCATTERV, false) => Side::single(types()[0], units(root, own), none.clone()),
        (_, true) => blocks((0..rank.size).map(|to| units(own, to)).collect()),
        (_, false) => blocks((0..rank.size).map(|from| units(from, own)).collect()),
    };
    let (send, receive) = (side(true), side(false));
    Plan { operation, root: root as i32, op: None, send, receive }
}

/// A process that was in an operation before when another one died comes to no later one, and takes no message of it.
#[test]
fn nobody_waits_for_one_that_can_go_on_no_more_to_take_a_message() {
    for is_crowded in [false, true] {
        let world = World::new(Kind::new(3, is_crowded, 1040));
        let context = world.contexts();
        let results = world.run(move |rank| {
            let open = std::mem::ManuallyDrop::new(rank.open(context));
            let mut gather = long_blocks(COLL_GATHERV, rank, 0, |_, _| false);
            let first = status(rank, &open, &mut gather, 0);
            if rank.rank == 2 {
                return [first, ERR_PEER, ERR_PEER];
            }
            // Rank 1 is through with that, and begins to send.
            let mut scatter = long_blocks(COLL_SCATTERV, rank, 1, |_, to| to == 0);
            if rank.rank == 1 {
                return [
                    first,
                    status(rank, &open, &mut gather, 1),
                    status(rank, &open, &mut scatter, 2),
                ];
            }
            let dead = &rank.peer(2).flags;
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    std::thread::sleep(Duration::from_millis(100));
                    dead.fetch_or(PEER_FAILED, Ordering::Relaxed);
                });
                [first, status(rank, &open, &mut gather, 1), status(rank, &open, &mut scatter, 2)]
            })
        });
        assert_eq!(results[..2], [[OK, ERR_PEER, ERR_PEER], [OK, OK, ERR_PEER]]);
    }
}

/// The same of one that can't go on from the beginning.
#[test]
fn nobody_waits_for_one_that_is_lost_to_take_a_message() {
    for is_crowded in [false, true] {
        for operation in [COLL_GATHERV, COLL_SCATTERV, COLL_ALLTOALLV, COLL_ALLTOALLW] {
            let world = World::new(Kind::new(3, is_crowded, 1040));
            let context = world.contexts();
            let results = world.run(move |rank| {
                let open = std::mem::ManuallyDrop::new(rank.open(context));
                let mut barrier = mixed(rank.size, 1, &[COLL_BARRIER], &mut Random(1));
                assert_eq!(status(rank, &open, &mut barrier[rank.rank as usize][0], 0), OK);
                // Rank 0 is the lost one. The others have long blocks for it alone.
                let root = u32::from(operation == COLL_SCATTERV);
                let mut plan = long_blocks(operation, rank, root, |_, to| to == 0);
                let mut args = plan.args(1);
                args.flags = COLL_PASS_ON;
                if rank.rank == 0 {
                    std::thread::sleep(Duration::from_millis(100));
                    args.flags |= COLL_LOST;
                }
                // SAFETY: the arguments are those of the operation and stay.
                unsafe { rank.ops.run.unwrap()(rank.instance, &open.comm, open.module, &args) }
            });
            // Who gets nothing of it may be through before.
            let last = if operation == COLL_SCATTERV { results[2] } else { ERR_PEER };
            assert_eq!(results, [ERR_PEER, ERR_PEER, last], "{operation}");
        }
    }
}

/// A process dies when it has the memory, before it hears that all have it. Those that have heard that learn of it.
#[test]
fn a_death_while_all_are_told_ends_operations() {
    for is_crowded in [false, true] {
        for operation in [COLL_BARRIER, COLL_ALLGATHER, COLL_ALLREDUCE] {
            let world = World::new(Kind::new(3, is_crowded, 1040));
            // The last rank gets the card and answers; the first one can't tell it what came of that.
            world.limit(2, 3);
            world.limit(0, 7);
            let plans = mixed(3, 1, &[operation], &mut Random(3));
            let (plans, context) = (Mutex::new(plans), world.contexts());
            let results = world.run(move |rank| {
                let mut plan = plans.lock().unwrap()[rank.rank as usize].pop().unwrap();
                let open = std::mem::ManuallyDrop::new(rank.open(context));
                let mut run = |number| status(rank, &open, &mut plan, number);
                let first = run(0);
                // A barrier is over when all have come to make the memory.
                assert!(first == ERR_PEER || operation == COLL_BARRIER && first == OK, "{first}");
                if rank.rank == 2 { ERR_PEER } else { run(1) }
            });
            assert_eq!(results, [ERR_PEER; 3], "{operation}");
        }
    }
}

/// Blocks of several lengths are a mistake. What follows it would be another operation on each process, so there is
/// none any more.
#[test]
fn blocks_of_several_lengths_are_not_gathered_and_nothing_waits_for_ever() {
    for is_crowded in [false, true] {
        let world = World::new(Kind::new(3, is_crowded, 1040));
        let context = world.contexts();
        let results = world.run(move |rank| {
            let open = rank.open(context);
            let units: usize = if rank.rank == 2 { 2 } else { 400 };
            let side = |blocks: usize| Side::single(types()[0], units * blocks, (None, None));
            let (send, mut receive) = (side(1), side(3));
            receive.count /= 3;
            let mut plan = Plan { operation: COLL_GATHER, root: 1, op: None, send, receive };
            let first = status(rank, &open, &mut plan, 0);
            plan.operation = COLL_BARRIER;
            // One turn behind the others, a process may take what they do there for a barrier.
            let _ = status(rank, &open, &mut plan, 1);
            [first, status(rank, &open, &mut plan, 2)]
        });
        assert_eq!(results[1][0], ERR_ARGUMENT);
        assert!(results.iter().all(|[_, last]| *last == ERR_PEER), "{results:?}");
    }
}
