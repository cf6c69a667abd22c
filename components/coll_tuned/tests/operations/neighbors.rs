//! Every operation between neighbors, in any graph.

use cairn_framework::abi::comm::Neighbor;
use cairn_framework::frameworks::coll::*;

use super::memory::Type;
use super::plan::{Content, Kind, Plan, Random, Side};

/// Directed edges, of which several may be alike or lead nowhere else.
pub struct Graph {
    edges: Vec<Edge>,
    /// How many blocks each rank has on its two sides; also some of no neighbor.
    blocks: Vec<[usize; 2]>,
    /// The sources and the destinations of each rank.
    pub lists: Vec<[Vec<Neighbor>; 2]>,
}

/// Between two ranks, with its blocks at the one where it ends and the one where it begins.
struct Edge {
    ranks: [usize; 2],
    blocks: [usize; 2],
}

impl Graph {
    pub fn new(size: usize, random: &mut Random) -> Self {
        let number = random.below(3 * size as u64 + 1);
        let mut rank = || random.below(size as u64) as usize;
        let ranks: Vec<[usize; 2]> = (0..number).map(|_| [rank(), rank()]).collect();
        // For each rank and side its blocks in any order, as many as there are edges and some more.
        let mut free: Vec<[Vec<usize>; 2]> = (0..size)
            .map(|rank| {
                [0, 1].map(|side| {
                    let edges = ranks.iter().filter(|ends| ends[side] == rank).count();
                    let mut blocks: Vec<usize> =
                        (0..edges + 1 + random.below(3) as usize).collect();
                    blocks.sort_by_cached_key(|_| random.next());
                    blocks
                })
            })
            .collect();
        let blocks = free.iter().map(|sides| [0, 1].map(|side| sides[side].len())).collect();
        let mut lists = vec![[Vec::new(), Vec::new()]; size];
        let mut edges = Vec::new();
        for ranks in ranks {
            let blocks = [0, 1].map(|side| {
                let block =
                    free[ranks[side]][side].pop().expect("there are more blocks than edges");
                let other = ranks[1 - side] as u32;
                lists[ranks[side]][side].push(Neighbor { rank: other, block: block as u32 });
                block
            });
            edges.push(Edge { ranks, blocks });
        }
        Self { edges, blocks, lists }
    }
}

/// The plans of all ranks.
pub fn plans(operation: u32, graph: &Graph, types: &[Type], random: &mut Random) -> Vec<Plan> {
    let gathers = matches!(operation, COLL_NEIGHBOR_ALLGATHER | COLL_NEIGHBOR_ALLGATHERV);
    let kind = match operation {
        COLL_NEIGHBOR_ALLGATHERV | COLL_NEIGHBOR_ALLTOALLV => Kind::Counts,
        COLL_NEIGHBOR_ALLTOALLW => Kind::Types,
        _ => Kind::Alike,
    };
    let one = random.units() % 50;
    let mut row = || {
        let units = if kind == Kind::Alike { one } else { random.units() % 50 };
        random.row(units)
    };
    // What goes along each edge: the same along all that begin at a rank, or not.
    let by_rank: Vec<Vec<u32>> = graph.lists.iter().map(|_| row()).collect();
    let rows: Vec<Vec<u32>> = graph
        .edges
        .iter()
        .map(|edge| if gathers { by_rank[edge.ranks[1]].clone() } else { row() })
        .collect();
    let mut blocks = |rank: usize, side: usize| {
        let number = graph.blocks[rank][side];
        // A block of no neighbor has room, and does not change.
        let mut units = vec![if kind == Kind::Alike { one } else { 2 }; number];
        let mut contents: Vec<Content> = vec![(None, None); number];
        for (edge, row) in graph.edges.iter().zip(&rows) {
            if edge.ranks[side] == rank {
                units[edge.blocks[side]] = row.len() / super::plan::UNIT;
                let row = Some(row.clone());
                contents[edge.blocks[side]] = if side == 0 { (None, row) } else { (row, None) };
            }
        }
        Side::blocks(random, kind, types, &units, &contents)
    };
    let received: Vec<Side> = (0..graph.lists.len()).map(|rank| blocks(rank, 0)).collect();
    let sent: Vec<Side> = match gathers {
        true => Vec::new(),
        false => (0..graph.lists.len()).map(|rank| blocks(rank, 1)).collect(),
    };
    let mut sent = sent.into_iter();
    let mut own = by_rank.into_iter();
    received
        .into_iter()
        .map(|receive| {
            let row = own.next().expect("each rank has a row");
            let single = |random: &mut Random| {
                let units = row.len() / super::plan::UNIT;
                Side::single(random.pick(types), units, (Some(row), None))
            };
            let send = sent.next().unwrap_or_else(|| single(random));
            Plan { operation, root: 0, op: None, send, receive }
        })
        .collect()
}
