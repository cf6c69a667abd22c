//! What the algorithms cost among a thousand ranks: their schedules, without data, are played in one process, and
//! messages, bytes and steps compared with what the literature says.
//!
//! A process sends one message at a time and receives one at a time, each of which takes a step: the model of
//! Thakur, Rabenseifner and Gropp (2005), section 3, without its bandwidth.

use std::collections::{HashMap, VecDeque};
use std::ptr::{null, without_provenance_mut};

use cairn_framework::abi::comm::{Comm, ContextId};
use cairn_framework::abi::datatype::{OP_COMMUTATIVE, Op};
use cairn_framework::abi::scope::{SCOPE_COMMUNICATOR, Scope};
use cairn_framework::author::BYTES;
use cairn_framework::frameworks::coll::*;
use cairn_schedule::{Call, Schedule, Step};
use coll_tuned::algorithms::{Algorithm, Knobs, OPERATIONS};

static SUM: Op = Op {
    struct_size: size_of::<Op>() as u32,
    flags: OP_COMMUTATIVE,
    predefined: 1,
    reserved: 0,
    apply: None,
    object: std::ptr::null_mut(),
};

/// Where buffers are said to be. Nothing is read there.
const SEND: usize = 1 << 40;
const RECEIVE: usize = 1 << 44;

/// What a rank does about others.
enum Event {
    Send(u32, u64),
    Receive(u32, u64),
    Wait,
}

/// What an operation cost.
#[derive(Debug, Default)]
struct Cost {
    /// All messages.
    messages: u64,
    /// All bytes.
    bytes: u64,
    /// The most messages that one rank sent.
    most_messages: u64,
    /// The most bytes that one rank sent.
    most_bytes: u64,
    /// Until the last rank was through.
    steps: u64,
}

/// Calls something with the arguments of a rank: blocks or vectors of so many bytes, the root is rank 0.
fn with_call<R>(
    operation: u32,
    rank: u32,
    size: u32,
    bytes: u64,
    work: impl FnOnce(&Call<'_>) -> R,
) -> R {
    let comm = Comm {
        scope: Scope::new(SCOPE_COMMUNICATOR, 1, size, c"test"),
        rank,
        remote_size: size,
        flags: 0,
        reserved: 0,
        context: ContextId::new(0, 1),
        peers: null(),
        contexts: null(),
        neighbors: null(),
        parts: null(),
    };
    let counts = vec![bytes as i64; size as usize];
    let displacements: Vec<i64> = (0..i64::from(size)).map(|rank| rank * bytes as i64).collect();
    let datatypes = vec![&raw const BYTES; size as usize];
    let array = |list: &Vec<i64>| CollCounts { data: list.as_ptr().cast(), width: 8, reserved: 0 };
    let side = |address| CollSide {
        buffer: without_provenance_mut(address),
        count: bytes,
        datatype: &BYTES,
        counts: array(&counts),
        displacements: array(&displacements),
        datatypes: datatypes.as_ptr(),
    };
    let args = CollArgs {
        struct_size: size_of::<CollArgs>() as u32,
        operation,
        send: side(SEND),
        receive: side(RECEIVE),
        op: &SUM,
        root: 0,
        tag: blocking_tag(0),
        flags: 0,
        reserved: 0,
    };
    work(&Call { comm: &comm, args: &args })
}

/// Messages on their way: when they are there, and their bytes.
struct Wires {
    size: u32,
    wires: Vec<VecDeque<(u64, u64)>>,
}

impl Wires {
    fn between(&mut self, from: u32, to: u32) -> &mut VecDeque<(u64, u64)> {
        &mut self.wires[(from * self.size + to) as usize]
    }
}

/// A rank that plays its schedule.
struct Player {
    events: Vec<Event>,
    position: usize,
    now: u64,
    /// Until when its last send, and its last receive, keep others back.
    sending: u64,
    receiving: u64,
    expected: Vec<(u32, u64)>,
}

fn events(
    algorithm: &Algorithm,
    operation: u32,
    rank: u32,
    size: u32,
    bytes: u64,
    knobs: &Knobs,
) -> Vec<Event> {
    let mut schedule = Schedule::new();
    with_call(operation, rank, size, bytes, |call| {
        assert_eq!(algorithm.unfit(call), None);
        algorithm.write(call, knobs, &mut schedule).unwrap();
    });
    schedule.wait();
    let event = |step: &Step| match *step {
        Step::Send { to, data } => Some(Event::Send(to, data.bytes())),
        Step::Receive { from, data } => Some(Event::Receive(from, data.bytes())),
        Step::Wait => Some(Event::Wait),
        Step::Copy { .. } | Step::Reduce { .. } => None,
    };
    schedule.steps.iter().filter_map(event).collect()
}

/// Plays an algorithm. Messages have to fit the receives in their order, and none is left over.
fn play(operation: u32, name: &str, size: u32, bytes: u64, knobs: &Knobs) -> Cost {
    let algorithms = OPERATIONS[operation as usize].algorithms;
    let algorithm = algorithms.iter().find(|algorithm| algorithm.name == name).unwrap();
    let mut players: Vec<Player> = (0..size)
        .map(|rank| Player {
            events: events(algorithm, operation, rank, size, bytes, knobs),
            position: 0,
            now: 0,
            sending: 0,
            receiving: 0,
            expected: Vec::new(),
        })
        .collect();
    let mut wires = Wires { size, wires: vec![VecDeque::new(); (size * size) as usize] };
    let mut cost = Cost::default();
    let mut moved = true;
    while moved {
        moved = false;
        for rank in 0..size {
            while advance(rank, &mut players[rank as usize], &mut wires) {
                moved = true;
            }
        }
    }
    for (rank, player) in players.iter().enumerate() {
        assert_eq!(player.position, player.events.len(), "{name}: rank {rank} of {size} is stuck");
        let (mut messages, mut sent) = (0, 0);
        for event in &player.events {
            if let Event::Send(_, bytes) = event {
                messages += 1;
                sent += bytes;
            }
        }
        cost.messages += messages;
        cost.bytes += sent;
        cost.most_messages = cost.most_messages.max(messages);
        cost.most_bytes = cost.most_bytes.max(sent);
        cost.steps = cost.steps.max(player.now);
    }
    assert!(wires.wires.iter().all(VecDeque::is_empty), "{name}: a message that nobody receives");
    cost
}

/// Does the next thing, if it can be done.
fn advance(rank: u32, player: &mut Player, wires: &mut Wires) -> bool {
    match player.events.get(player.position) {
        None => return false,
        Some(Event::Send(to, bytes)) => {
            player.sending = player.sending.max(player.now) + 1;
            wires.between(rank, *to).push_back((player.sending, *bytes));
        }
        Some(Event::Receive(from, bytes)) => player.expected.push((*from, *bytes)),
        Some(Event::Wait) => {
            let mut wire = |from: u32| wires.between(from, rank).len();
            let there = if let [(from, _)] = player.expected[..] {
                wire(from) > 0
            } else {
                let mut needed: HashMap<u32, usize> = HashMap::new();
                player.expected.iter().for_each(|(from, _)| *needed.entry(*from).or_default() += 1);
                needed.iter().all(|(from, number)| wire(*from) >= *number)
            };
            if !there {
                return false;
            }
            let mut arrivals = Vec::new();
            for (from, room) in player.expected.drain(..) {
                let (time, bytes) = wires.between(from, rank).pop_front().unwrap();
                assert_eq!(bytes, room, "from {from} to {rank}");
                arrivals.push(time);
            }
            arrivals.sort_unstable();
            for time in arrivals {
                player.receiving = time.max(player.receiving + 1);
                player.now = player.now.max(player.receiving);
            }
            player.now = player.now.max(player.sending);
        }
    }
    player.position += 1;
    true
}

const KNOBS: Knobs = Knobs { radix: 4, segment: 1 << 14, window: 16 };

/// Every algorithm, also one that has no row below: what is sent is received.
#[test]
fn messages_and_receives_fit_each_other() {
    for (number, operation) in (0..).zip(&OPERATIONS) {
        for algorithm in operation.algorithms {
            for size in [2, 3, 5, 16, 60, 64] {
                if with_call(number, 0, size, 40_000, |call| algorithm.unfit(call)).is_none() {
                    for bytes in [1, 40_000] {
                        play(number, algorithm.name, size, bytes, &KNOBS);
                    }
                }
            }
        }
    }
}

#[test]
fn among_a_thousand_ranks_algorithms_cost_what_the_literature_says() {
    // Any number of ranks, and a power of two.
    const P: u64 = 1000;
    const Q: u64 = 1024;
    const LOG: u64 = 10; // of both, upwards
    const LOG4: u64 = 5;
    // A vector; a block; segments of a vector.
    const N: u64 = 1 << 20;
    const B: u64 = 1 << 10;
    const S: u64 = N / (1 << 14);
    // Beyond 512 ranks are 488.
    const REST: u64 = P - 512;

    let expect = |operation, name, size: u64, bytes, messages: u64, steps: u64, most_bytes: u64| {
        let cost = play(operation, name, size as u32, bytes, &KNOBS);
        let what =
            format!("{} {name}, {size} ranks: {cost:?}", OPERATIONS[operation as usize].name);
        assert_eq!(cost.messages, messages, "messages of {what}");
        assert_eq!(cost.steps, steps, "steps of {what}");
        assert_eq!(cost.most_bytes, most_bytes, "bytes of a rank of {what}");
        cost
    };

    expect(COLL_BARRIER, "dissemination", P, 0, P * LOG, LOG, 0);
    expect(COLL_BARRIER, "recursive_doubling", Q, 0, Q * LOG, LOG, 0);
    expect(COLL_BARRIER, "recursive_doubling", P, 0, 512 * 9 + 2 * REST, 9 + 2, 0);
    expect(COLL_BARRIER, "tree", Q, 0, 2 * (Q - 1), 2 * 3 * LOG4, 0);
    expect(COLL_BARRIER, "linear", P, 0, 2 * (P - 1), 2 * (P - 1), 0);

    // The root sends at each level; in a k-nomial tree k - 1 times.
    expect(COLL_BCAST, "binomial", P, N, P - 1, LOG, LOG * N);
    expect(COLL_BCAST, "binomial", Q, N, Q - 1, LOG, LOG * N);
    expect(COLL_BCAST, "knomial", Q, N, Q - 1, 3 * LOG4, 3 * LOG4 * N);
    expect(COLL_BCAST, "linear", P, N, P - 1, P - 1, (P - 1) * N);
    expect(COLL_BCAST, "chain", P, N, (P - 1) * S, P - 2 + S, N);
    let cost =
        expect(COLL_BCAST, "scatter_doubling", Q, N, Q - 1 + Q * LOG, 2 * LOG, 2 * (N - N / Q));
    assert!(cost.bytes < 2 * Q * N);
    expect(COLL_BCAST, "scatter_ring", Q, N, (Q - 1) + Q * (Q - 1), LOG + Q - 1, 2 * (N - N / Q));
    let cost = play(COLL_BCAST, "binary", P as u32, N, &KNOBS);
    assert_eq!((cost.messages, cost.most_bytes), ((P - 1) * S, 2 * N));
    assert!(cost.steps <= 2 * (S + LOG), "{cost:?}");

    // Half of the blocks travel at each level, together; in the root's step by step each one once.
    for (number, root) in [(COLL_GATHER, 0), (COLL_SCATTER, (Q - 1) * B)] {
        let top = if root > 0 { root } else { Q / 2 * B };
        let cost = expect(number, "binomial", Q, B, Q - 1, LOG, top);
        assert_eq!(cost.bytes, LOG * Q / 2 * B);
        let cost = play(number, "knomial", Q as u32, B, &KNOBS);
        assert_eq!((cost.messages, cost.bytes), (Q - 1, LOG4 * Q * 3 / 4 * B));
        assert!(cost.steps <= 3 * LOG4, "{cost:?}");
    }
    for (gather, scatter) in [(COLL_GATHER, COLL_SCATTER), (COLL_GATHERV, COLL_SCATTERV)] {
        expect(gather, "linear", P, B, P - 1, P - 1, B);
        expect(scatter, "linear", P, B, P - 1, P - 1, (P - 1) * B);
    }

    // Whatever the way, each receives p - 1 blocks.
    expect(COLL_ALLGATHER, "ring", P, B, P * (P - 1), P - 1, (P - 1) * B);
    for number in [COLL_ALLGATHER, COLL_ALLGATHERV] {
        expect(number, "bruck", P, B, P * LOG, LOG, (P - 1) * B);
        expect(number, "recursive_doubling", Q, B, Q * LOG, LOG, (Q - 1) * B);
    }
    expect(COLL_ALLGATHER, "neighbor_exchange", P, B, P * P / 2, P / 2, (P - 1) * B);
    expect(COLL_ALLGATHER, "linear", P, B, P * (P - 1), P - 1, (P - 1) * B);

    expect(COLL_ALLTOALL, "pairwise", P, B, P * (P - 1), P - 1, (P - 1) * B);
    expect(COLL_ALLTOALL, "linear", P, B, P * (P - 1), P - 1, (P - 1) * B);
    expect(COLL_ALLTOALL, "bruck", Q, B, Q * LOG, LOG, LOG * Q / 2 * B);

    expect(COLL_REDUCE, "binomial", P, N, P - 1, LOG, N);
    expect(COLL_REDUCE, "knomial", Q, N, Q - 1, 3 * LOG4, N);
    expect(COLL_REDUCE, "linear", P, N, P - 1, P - 1, N);
    expect(COLL_REDUCE, "chain", P, N, (P - 1) * S, P - 2 + S, N);
    let cost = play(COLL_REDUCE, "rabenseifner", Q as u32, N, &KNOBS);
    assert_eq!((cost.messages, cost.steps), (Q * LOG + Q - 1, 2 * LOG));
    assert!(cost.most_bytes < 2 * N, "{cost:?}");

    let split = 2 * (N - N / Q);
    expect(COLL_ALLREDUCE, "recursive_doubling", Q, N, Q * LOG, LOG, LOG * N);
    expect(COLL_ALLREDUCE, "recursive_doubling", P, N, 512 * 9 + 2 * REST, 9 + 2, 10 * N);
    expect(COLL_ALLREDUCE, "rabenseifner", Q, N, 2 * Q * LOG, 2 * LOG, split);
    expect(COLL_ALLREDUCE, "ring", Q, N, 2 * Q * (Q - 1), 2 * (Q - 1), split);
    expect(COLL_ALLREDUCE, "reduce_bcast", Q, N, 2 * (Q - 1), 2 * 3 * LOG4, 3 * LOG4 * N);
    expect(COLL_ALLREDUCE, "linear", P, N, 2 * (P - 1), 2 * (P - 1), (P - 1) * N);

    // A vector of a block for each rank.
    let most = (Q - 1) * B;
    for number in [COLL_REDUCE_SCATTER, COLL_REDUCE_SCATTER_BLOCK] {
        expect(number, "recursive_doubling", Q, B, Q * LOG, LOG, LOG * Q * B);
        expect(number, "recursive_halving", Q, B, Q * LOG, LOG, most);
        expect(number, "linear", P, B, 2 * (P - 1), 2 * (P - 1), P * B);
    }

    expect(COLL_REDUCE_SCATTER_BLOCK, "ring", Q, B, Q * (Q - 1), Q - 1, most);
    expect(COLL_REDUCE_SCATTER_BLOCK, "pairwise", Q, B, Q * (Q - 1), Q - 1, most);

    for number in [COLL_SCAN, COLL_EXSCAN] {
        // Nothing goes down to ranks from which nothing goes up later.
        expect(number, "recursive_doubling", Q, N, Q * LOG - (Q - 1), LOG, LOG * N);
        expect(number, "linear", P, N, P - 1, P - 1, N);
    }
}
