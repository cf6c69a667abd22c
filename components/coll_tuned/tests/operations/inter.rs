//! Every operation between two groups.

use cairn_framework::frameworks::coll::*;

use super::intra::{reduced, sizes};
use super::memory::{Operation, Type};
use super::plan::{Content, Kind, Plan, Random, Side, UNIT};

const ROOT: i32 = -4;
const PROC_NULL: i32 = -3;

/// What is offered between groups.
pub const OPERATIONS: [u32; 15] = [
    COLL_BARRIER,
    COLL_BCAST,
    COLL_GATHER,
    COLL_GATHERV,
    COLL_SCATTER,
    COLL_SCATTERV,
    COLL_ALLGATHER,
    COLL_ALLGATHERV,
    COLL_ALLTOALL,
    COLL_ALLTOALLV,
    COLL_ALLTOALLW,
    COLL_REDUCE,
    COLL_ALLREDUCE,
    COLL_REDUCE_SCATTER,
    COLL_REDUCE_SCATTER_BLOCK,
];

/// The plans of all ranks of the job: those below `border` are one group.
pub fn plans(
    operation: u32,
    size: usize,
    border: usize,
    types: &[Type],
    op: Operation,
    random: &mut Random,
) -> Vec<Plan> {
    let groups = [border, size - border];
    let kind = match operation {
        COLL_GATHERV | COLL_SCATTERV | COLL_ALLGATHERV | COLL_ALLTOALLV => Kind::Counts,
        COLL_ALLTOALLW => Kind::Types,
        _ => Kind::Alike,
    };
    // The group of the root, and its rank there.
    let group = random.below(2) as usize;
    let root = random.below(groups[group] as u64) as usize;
    // What each process of each group contributes, or is to get, in the operations with a row each.
    let mut units = groups.map(|size| sizes(random, operation, size));
    // Vectors that are reduced; a whole number of blocks for either group.
    let vector = match operation {
        COLL_REDUCE_SCATTER | COLL_REDUCE_SCATTER_BLOCK => {
            random.units() % 20 * groups[0] * groups[1]
        }
        _ => random.units(),
    };
    let reduces = matches!(
        operation,
        COLL_REDUCE | COLL_ALLREDUCE | COLL_REDUCE_SCATTER | COLL_REDUCE_SCATTER_BLOCK
    );
    if reduces || operation == COLL_BCAST {
        units = groups.map(|size| vec![vector; size]);
    }
    let rows: [Vec<Vec<u32>>; 2] =
        [0, 1].map(|g| units[g].iter().map(|units| random.row(*units)).collect());
    let pairs: Vec<Vec<[usize; 2]>> = (0..groups[0])
        .map(|_| {
            let one = random.units() % 50;
            let pair = |random: &mut Random| {
                if kind == Kind::Alike {
                    [one, one]
                } else {
                    [random.units() % 50, random.units() % 50]
                }
            };
            (0..groups[1]).map(|_| pair(random)).collect()
        })
        .collect();
    // With blocks alike, both directions have blocks of one size everywhere.
    let pair_units = |a: usize, b: usize, from: usize| {
        if kind == Kind::Alike { pairs[0][0][0] } else { pairs[a][b][from] }
    };
    let pair_row = |a: usize, b: usize, from: usize| {
        Random((a * 100 + b * 10 + from) as u64).row(pair_units(a, b, from))
    };
    let datatype = random.pick(types);

    let mut plans = Vec::new();
    for own in [0, 1] {
        let other = 1 - own;
        for rank in 0..groups[own] {
            let is_root = own == group && rank == root;
            let row = || Some(rows[own][rank].clone());
            let mut send = Side::none();
            let mut receive = Side::none();
            let blocks = |receives: bool, random: &mut Random| {
                let content = |row: &Vec<u32>| -> Content {
                    if receives { (None, Some(row.clone())) } else { (Some(row.clone()), None) }
                };
                let contents: Vec<Content> = rows[other].iter().map(content).collect();
                Side::blocks(random, kind, types, &units[other], &contents)
            };
            match operation {
                COLL_BCAST => {
                    let row = Some(rows[group][root].clone());
                    if is_root {
                        receive = Side::single(random.pick(types), vector, (row, None));
                    } else if own != group {
                        receive = Side::single(random.pick(types), vector, (None, row));
                    }
                }
                COLL_GATHER | COLL_GATHERV => {
                    if is_root {
                        receive = blocks(true, random);
                    } else if own != group {
                        send = Side::single(random.pick(types), units[own][rank], (row(), None));
                    }
                }
                COLL_SCATTER | COLL_SCATTERV => {
                    if is_root {
                        send = blocks(false, random);
                    } else if own != group {
                        receive = Side::single(random.pick(types), units[own][rank], (None, row()));
                    }
                }
                COLL_ALLGATHER | COLL_ALLGATHERV => {
                    send = Side::single(random.pick(types), units[own][rank], (row(), None));
                    receive = blocks(true, random);
                }
                COLL_ALLTOALL | COLL_ALLTOALLV | COLL_ALLTOALLW => {
                    let ends = |peer| if own == 0 { (rank, peer) } else { (peer, rank) };
                    let side = |from: usize, random: &mut Random| {
                        let peers = || (0..groups[other]).map(ends);
                        let units: Vec<usize> =
                            peers().map(|(a, b)| pair_units(a, b, from)).collect();
                        let content = |(a, b)| -> Content {
                            let row = Some(pair_row(a, b, from));
                            if from == own { (row, None) } else { (None, row) }
                        };
                        let contents: Vec<Content> = peers().map(content).collect();
                        Side::blocks(random, kind, types, &units, &contents)
                    };
                    send = side(own, random);
                    receive = side(other, random);
                }
                COLL_REDUCE => {
                    let result = reduced(&rows[other], op).filter(|_| is_root);
                    send = Side::single(datatype, vector, (row(), None)).only_address();
                    receive = Side::single(datatype, vector, (None, result));
                }
                COLL_ALLREDUCE => {
                    let result = reduced(&rows[other], op);
                    send = Side::single(datatype, vector, (row(), None)).only_address();
                    receive = Side::single(datatype, vector, (None, result));
                }
                COLL_REDUCE_SCATTER | COLL_REDUCE_SCATTER_BLOCK => {
                    // Uneven parts where they may be: the first takes a little from the last.
                    let mut parts = vec![vector / groups[own]; groups[own]];
                    if operation == COLL_REDUCE_SCATTER && groups[own] > 1 {
                        let moved = parts[0].min(3);
                        parts[0] += moved;
                        parts[groups[own] - 1] -= moved;
                    }
                    let begin: usize = parts[..rank].iter().sum();
                    let result = reduced(&rows[other], op)
                        .map(|row| row[begin * UNIT..(begin + parts[rank]) * UNIT].to_vec());
                    send = Side::single(datatype, vector, (row(), None)).only_address();
                    receive = Side::single(datatype, parts[rank], (None, result));
                    if operation == COLL_REDUCE_SCATTER {
                        let count = |units: usize| (units * UNIT) as i64 / datatype.ints() as i64;
                        receive =
                            receive.with_counts(parts.iter().map(|part| count(*part)).collect());
                    }
                }
                _ => {}
            }
            let root = match (is_root, own == group) {
                (true, _) => ROOT,
                (false, true) => PROC_NULL,
                (false, false) => root as i32,
            };
            plans.push(Plan { operation, root, op: reduces.then_some(op), send, receive });
        }
    }
    plans
}
