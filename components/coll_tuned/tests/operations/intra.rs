//! Every operation within a group: what each rank has, and must have afterwards.

use cairn_framework::frameworks::coll::*;

use super::memory::{Operation, Type};
use super::plan::{Content, Kind, Plan, Random, Side};

fn kind(operation: u32) -> Kind {
    match operation {
        COLL_GATHERV | COLL_SCATTERV | COLL_ALLGATHERV | COLL_ALLTOALLV => Kind::Counts,
        COLL_ALLTOALLW => Kind::Types,
        _ => Kind::Alike,
    }
}

/// Units of the block of each rank: all alike, or not.
pub fn sizes(random: &mut Random, operation: u32, size: usize) -> Vec<usize> {
    let one = random.units();
    let alike = kind(operation) == Kind::Alike;
    (0..size).map(|_| if alike { one } else { random.units() }).collect()
}

/// The plans of all ranks.
pub fn plans(
    operation: u32,
    size: usize,
    types: &[Type],
    op: Operation,
    random: &mut Random,
) -> Vec<Plan> {
    let root = random.below(size as u64) as usize;
    let in_place = random.below(3) == 0;
    let mut random = random.clone();
    let random = &mut random;
    let sides: Vec<(Side, Side)> = match operation {
        COLL_BARRIER => (0..size).map(|_| (Side::none(), Side::none())).collect(),
        COLL_BCAST => {
            let units = random.units();
            let row = random.row(units);
            let side = |rank, random: &mut Random| {
                let content = if rank == root {
                    (Some(row.clone()), None)
                } else {
                    (None, Some(row.clone()))
                };
                (Side::none(), Side::single(random.pick(types), units, content))
            };
            (0..size).map(|rank| side(rank, random)).collect()
        }
        COLL_GATHER | COLL_GATHERV | COLL_SCATTER | COLL_SCATTERV => {
            rooted(operation, size, types, root, in_place, random)
        }
        COLL_ALLGATHER | COLL_ALLGATHERV => {
            let units = sizes(random, operation, size);
            let rows: Vec<Vec<u32>> = units.iter().map(|units| random.row(*units)).collect();
            let side = |rank: usize, random: &mut Random| {
                let contents: Vec<Content> = (0..size)
                    .map(|peer| {
                        let own = in_place && peer == rank;
                        (own.then(|| rows[peer].clone()), Some(rows[peer].clone()))
                    })
                    .collect();
                let send =
                    Side::single(random.pick(types), units[rank], (Some(rows[rank].clone()), None));
                let receive = Side::blocks(random, kind(operation), types, &units, &contents);
                (if in_place { Side::in_place() } else { send }, receive)
            };
            (0..size).map(|rank| side(rank, random)).collect()
        }
        COLL_ALLTOALL | COLL_ALLTOALLV | COLL_ALLTOALLW => {
            all_to_all(operation, size, types, in_place, random)
        }
        _ => return reductions(operation, size, types, op, root, in_place, random),
    };
    let plan = |(send, receive)| Plan { operation, root: root as i32, op: None, send, receive };
    sides.into_iter().map(plan).collect()
}

fn rooted(
    operation: u32,
    size: usize,
    types: &[Type],
    root: usize,
    in_place: bool,
    random: &mut Random,
) -> Vec<(Side, Side)> {
    let gathers = matches!(operation, COLL_GATHER | COLL_GATHERV);
    let units = sizes(random, operation, size);
    let rows: Vec<Vec<u32>> = units.iter().map(|units| random.row(*units)).collect();
    let side = |rank: usize, random: &mut Random| {
        let row = rows[rank].clone();
        let content = if gathers { (Some(row), None) } else { (None, Some(row)) };
        let mut own = Side::single(random.pick(types), units[rank], content);
        let mut all = Side::none();
        if rank == root {
            let contents: Vec<Content> = (0..size)
                .map(|peer| {
                    let row = Some(rows[peer].clone());
                    match gathers {
                        true if in_place && peer == rank => (row, None),
                        true => (None, row),
                        false => (row, None),
                    }
                })
                .collect();
            all = Side::blocks(random, kind(operation), types, &units, &contents);
            if in_place {
                own = Side::in_place();
            }
        }
        if gathers { (own, all) } else { (all, own) }
    };
    (0..size).map(|rank| side(rank, random)).collect()
}

#[allow(clippy::needless_range_loop)] // ranks
fn all_to_all(
    operation: u32,
    size: usize,
    types: &[Type],
    in_place: bool,
    random: &mut Random,
) -> Vec<(Side, Side)> {
    let one = random.units();
    let mut units = vec![vec![one; size]; size];
    if kind(operation) != Kind::Alike {
        for a in 0..size {
            for b in 0..size {
                units[a][b] = random.units() % 50;
                if in_place && b < a {
                    units[a][b] = units[b][a];
                }
            }
        }
    } else {
        units = vec![vec![one % 50; size]; size];
    }
    let rows: Vec<Vec<Vec<u32>>> =
        units.iter().map(|row| row.iter().map(|units| random.row(*units)).collect()).collect();
    let side = |rank: usize, random: &mut Random| {
        let own = |peer: usize| Some(rows[rank][peer].clone());
        let sent: Vec<Content> = (0..size).map(|peer| (own(peer), None)).collect();
        let come: Vec<Content> = (0..size)
            .map(|peer| (in_place.then(|| own(peer)).flatten(), Some(rows[peer][rank].clone())))
            .collect();
        let come_units: Vec<usize> = (0..size).map(|peer| units[peer][rank]).collect();
        let send = Side::blocks(random, kind(operation), types, &units[rank], &sent);
        let receive = Side::blocks(random, kind(operation), types, &come_units, &come);
        (if in_place { Side::in_place() } else { send }, receive)
    };
    (0..size).map(|rank| side(rank, random)).collect()
}

/// The reduction of rows in their order; `None` of no rows.
pub fn reduced(rows: &[Vec<u32>], op: Operation) -> Option<Vec<u32>> {
    let combine = |left: Vec<u32>, right: &Vec<u32>| {
        left.iter().zip(right).map(|(left, right)| (op.combine)(*left, *right)).collect()
    };
    let (first, others) = rows.split_first()?;
    Some(others.iter().fold(first.clone(), combine))
}

fn reductions(
    operation: u32,
    size: usize,
    types: &[Type],
    op: Operation,
    root: usize,
    in_place: bool,
    random: &mut Random,
) -> Vec<Plan> {
    let datatype = random.pick(types);
    let scatters = matches!(operation, COLL_REDUCE_SCATTER | COLL_REDUCE_SCATTER_BLOCK);
    let parts: Vec<usize> = match operation {
        COLL_REDUCE_SCATTER => (0..size).map(|_| random.units()).collect(),
        COLL_REDUCE_SCATTER_BLOCK => vec![random.units(); size],
        _ => vec![random.units()],
    };
    let units = parts.iter().sum();
    let rows: Vec<Vec<u32>> = (0..size).map(|_| random.row(units)).collect();
    let plan = |rank: usize| {
        let all = reduced(&rows, op);
        let (result, place) = match operation {
            COLL_REDUCE => (all.filter(|_| rank == root), in_place && rank == root),
            COLL_SCAN => (reduced(&rows[..=rank], op), in_place),
            COLL_EXSCAN => (reduced(&rows[..rank], op), in_place),
            _ => (all, in_place),
        };
        let row = Some(rows[rank].clone());
        let count = |units: usize| (units * super::plan::UNIT) as u64 / datatype.ints();
        let mut receive;
        if scatters {
            let begin: usize = parts[..rank].iter().sum();
            let part = |row: Vec<u32>| {
                row[begin * super::plan::UNIT..(begin + parts[rank]) * super::plan::UNIT].to_vec()
            };
            let part = result.map(part);
            receive = if place {
                Side::single(datatype, units, (row.clone(), part))
            } else {
                Side::single(datatype, parts[rank], (None, part))
            };
            receive.count = count(parts[rank]);
            if operation == COLL_REDUCE_SCATTER {
                receive =
                    receive.with_counts(parts.iter().map(|part| count(*part) as i64).collect());
            }
        } else {
            receive = Side::single(datatype, units, (row.clone().filter(|_| place), result));
        }
        let send = Side::single(datatype, units, (row, None)).only_address();
        let send = if place { Side::in_place() } else { send };
        Plan { operation, root: root as i32, op: Some(op), send, receive }
    };
    (0..size).map(plan).collect()
}
