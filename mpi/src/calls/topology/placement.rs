//! Which process becomes which rank, where the program lets ranks be reordered: neighbors are placed on
//! the same node as far as the layout of the job lets them.
//!
//! Nodes are filled one after the other, those with the most processes first.
//!
//! * A grid is cut into blocks of one shape, in row-major order, and so are the ranks of each block. A
//!   block has as many ranks as divide the processes of all nodes. Among the shapes that divide the grid
//!   the one with the fewest edges between blocks is taken; the dimensions add to these independently, so
//!   it is found dimension by dimension (compare Gropp, Using node information to implement MPI Cartesian
//!   topologies, EuroMPI 2018).
//! * Of a graph a node gets one rank and then, one after the other, the rank with the heaviest edges to
//!   those that it has (greedy graph growing: Karypis and Kumar, SIAM J. Sci. Comput. 20, 1998). Among
//!   equals, and to begin the next node with, the rank is taken that was reached first.
//!
//! For a grid both are tried, and its row-major order. What is best is used if edges between nodes get
//! fewer (lighter, in a graph with weights). On one node, or with one process on each, the order stays.
//! Every process comes to the same result, so nothing here may depend on anything but the arguments.

#![forbid(unsafe_code)]

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use std::iter::repeat_n;

use super::dims::divisors;
use crate::objects::topology::{Dimension, Grid};

/// By rank in the new communicator the rank in the old one.
pub type Places = Vec<u32>;

/// The first ranks in their order.
pub fn in_order(size: u32) -> Places {
    (0..size).collect()
}

/// Whether the order of ranks matters to where they are: several processes are on one node, and others
/// on another one.
pub fn decides(nodes: &[u32]) -> bool {
    Layout::of(nodes, 0).is_some()
}

/// Places for the ranks of a grid. `nodes` are the nodes of the processes of the old communicator.
pub fn of_grid(grid: &Grid, nodes: &[u32]) -> Places {
    let size = grid.size();
    if size == 0 {
        return Places::new();
    }
    let Some(layout) = Layout::of(nodes, size as usize) else { return in_order(size) };
    let adjacent = adjacent(size, edges(grid));
    let filled = layout.filled();
    let whole = layout.room.iter().fold(0, |all, room| divisor(all, *room as u32));
    let shapes = [vec![1; grid.dims().len()]].into_iter().chain(block(grid.dims(), whole));
    let blocks = shapes.map(|shape| {
        let place = |rank| filled[place_in_blocks(grid, &shape, rank) as usize];
        (0..size).map(place).collect()
    });
    let candidates = blocks.chain([grown(&adjacent, &layout.room)]);
    layout.best(candidates, &adjacent)
}

/// Places for the ranks of a graph with edges (from, to, weight) between them.
pub fn of_graph(
    size: u32,
    edges: impl IntoIterator<Item = (u32, u32, u64)>,
    nodes: &[u32],
) -> Places {
    let Some(layout) = Layout::of(nodes, size as usize) else { return in_order(size) };
    let adjacent = adjacent(size, edges);
    layout.best([grown(&adjacent, &layout.room)], &adjacent)
}

/// The edges of each rank, in both directions.
type Adjacent = Vec<Vec<(usize, u64)>>;

fn adjacent(size: u32, edges: impl IntoIterator<Item = (u32, u32, u64)>) -> Adjacent {
    let mut adjacent: Adjacent = vec![Vec::new(); size as usize];
    for (from, to, weight) in edges.into_iter().filter(|(from, to, _)| from != to) {
        adjacent[from as usize].push((to as usize, weight));
        adjacent[to as usize].push((from as usize, weight));
    }
    adjacent
}

/// The edges of a grid, each once.
fn edges(grid: &Grid) -> impl Iterator<Item = (u32, u32, u64)> {
    (0..grid.size()).flat_map(move |rank| {
        let above = (0..grid.dims().len()).map(move |dim| grid.shift(rank, dim, 1)[1]);
        above.filter_map(move |to| Some((rank, u32::try_from(to).ok()?, 1)))
    })
}

/// The weight of edges between nodes, counted at both ends.
fn between(adjacent: &Adjacent, node_of: &[usize]) -> u64 {
    let outside = |(edges, node): (&Vec<(usize, u64)>, &usize)| {
        let outside = edges.iter().filter(|(to, _)| node_of[*to] != *node);
        outside.map(|(_, weight)| weight).sum::<u64>()
    };
    adjacent.iter().zip(node_of).map(outside).sum()
}

/// Where the processes of the old communicator are.
struct Layout {
    /// The processes of each node, in the order in which the nodes are filled.
    processes: Vec<Vec<u32>>,
    /// By process its place among these nodes.
    node_of: Vec<usize>,
    /// How many ranks each node gets.
    room: Vec<usize>,
}

impl Layout {
    /// For so many ranks of a new communicator; none where every order is as good.
    fn of(nodes: &[u32], size: usize) -> Option<Self> {
        let mut by_node = BTreeMap::<u32, Vec<u32>>::new();
        for (process, node) in (0..).zip(nodes) {
            by_node.entry(*node).or_default().push(process);
        }
        let mut processes: Vec<_> = by_node.into_values().collect();
        if processes.len() <= 1 || processes.iter().all(|all| all.len() == 1) {
            return None;
        }
        processes.sort_by_key(|all| (Reverse(all.len()), all[0]));
        let mut node_of = vec![0; nodes.len()];
        for (place, all) in processes.iter().enumerate() {
            all.iter().for_each(|process| node_of[*process as usize] = place);
        }
        let mut rest = size;
        let room = processes.iter().map(|all| {
            let room = all.len().min(rest);
            rest -= room;
            room
        });
        let room = room.collect();
        Some(Self { processes, node_of, room })
    }

    /// The node of each rank if they were filled in order.
    fn filled(&self) -> Vec<usize> {
        self.room.iter().enumerate().flat_map(|(node, room)| repeat_n(node, *room)).collect()
    }

    /// The places for the best of some distributions of the ranks to nodes, by the edges between nodes.
    fn best(
        &self,
        candidates: impl IntoIterator<Item = Vec<usize>>,
        adjacent: &Adjacent,
    ) -> Places {
        let size = self.room.iter().sum();
        // The first of equals is taken.
        let all = [self.node_of[..size].to_vec()].into_iter().chain(candidates);
        let best = all.min_by_key(|node_of| between(adjacent, node_of)).expect("there is one");
        self.places(&best)
    }

    /// A process for each rank on the node of that rank: the one with the same rank, if it is there.
    fn places(&self, node_of: &[usize]) -> Places {
        let stays = |rank: u32| node_of.get(rank as usize) == Some(&self.node_of[rank as usize]);
        let others = |all: &Vec<u32>| {
            all.iter().copied().filter(|process| !stays(*process)).collect::<VecDeque<u32>>()
        };
        let mut others: Vec<_> = self.processes.iter().map(others).collect();
        let place = |(rank, node): (u32, &usize)| {
            if stays(rank) { Some(rank) } else { others[*node].pop_front() }
        };
        let places = (0..).zip(node_of).map(place);
        places.collect::<Option<_>>().expect("a node gets no more ranks than it has processes")
    }
}

/// The place of a rank if blocks of this shape come one after the other.
fn place_in_blocks(grid: &Grid, shape: &[u32], rank: u32) -> u32 {
    let (mut block, mut within, mut size) = (0, 0, 1);
    for ((at, dim), part) in grid.coords(rank).into_iter().zip(grid.dims()).zip(shape) {
        block = block * (dim.length / part) + at / part;
        within = within * part + at % part;
        size *= part;
    }
    block * size + within
}

/// The shape of a block of so many ranks that divides a grid with the fewest edges between blocks.
fn block(dims: &[Dimension], size: u32) -> Option<Vec<u32>> {
    let ranks: u64 = dims.iter().map(|dim| u64::from(dim.length)).product();
    // By the size of a block in the dimensions so far.
    let mut best = BTreeMap::from([(1_u32, (0_u64, Vec::new()))]);
    for dim in dims {
        let rows = ranks / u64::from(dim.length);
        let mut wider = BTreeMap::<u32, (u64, Vec<u32>)>::new();
        for (before, (edges, shape)) in &best {
            let fit = divisors(dim.length);
            for part in fit.into_iter().filter(|part| (size / before).is_multiple_of(*part)) {
                let cuts = match dim.length / part {
                    1 => 0,
                    parts => parts - u32::from(!dim.periodic),
                };
                let edges = edges + u64::from(cuts) * rows;
                let known = wider.get(&(before * part));
                if known.is_none_or(|(fewest, _)| edges < *fewest) {
                    wider.insert(before * part, (edges, [&shape[..], &[part]].concat()));
                }
            }
        }
        best = wider;
    }
    best.remove(&size).map(|(_, shape)| shape)
}

/// The greatest common divisor.
fn divisor(mut one: u32, mut other: u32) -> u32 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}

/// The node of each rank of a graph, if each node grows along the heaviest edges.
fn grown(adjacent: &Adjacent, room: &[usize]) -> Vec<usize> {
    const NOWHERE: usize = usize::MAX;
    let mut node_of = vec![NOWHERE; adjacent.len()];
    let mut reached = VecDeque::new();
    // By rank when it was reached, counted from the first one that was.
    let mut since = vec![NOWHERE; adjacent.len()];
    let mut counter = 0;
    // All before are placed.
    let mut lowest = 0..adjacent.len();
    for (node, room) in room.iter().enumerate() {
        let mut weights = BTreeMap::<usize, u64>::new();
        let mut heaviest = BinaryHeap::new();
        for _ in 0..*room {
            let is_free = |rank: &usize| node_of[*rank] == NOWHERE;
            // What is in the heap may be placed by now, or lighter than it has become.
            let next = std::iter::from_fn(|| heaviest.pop().map(|(_, _, rank)| rank)).find(is_free);
            let next = next.or_else(|| std::iter::from_fn(|| reached.pop_front()).find(is_free));
            let next = next.or_else(|| lowest.find(is_free));
            let next = next.expect("there is room for the ranks only");
            node_of[next] = node;
            for &(other, weight) in &adjacent[next] {
                if node_of[other] != NOWHERE {
                    continue;
                }
                if since[other] == NOWHERE {
                    since[other] = counter;
                    counter += 1;
                    reached.push_back(other);
                }
                let all = weights.entry(other).or_default();
                *all = all.saturating_add(weight);
                heaviest.push((*all, Reverse(since[other]), other));
            }
        }
    }
    node_of
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Ranks in turn on so many nodes.
    fn in_turn(processes: u32, nodes: u32) -> Vec<u32> {
        (0..processes).map(|process| process % nodes).collect()
    }

    fn grid(lengths: &[i32], periods: &[i32]) -> Grid {
        Grid::new(lengths, periods, u32::MAX).expect("a grid")
    }

    /// The weight of edges between nodes.
    fn outside(edges: &[(u32, u32, u64)], places: &[u32], nodes: &[u32]) -> u64 {
        let node = |rank: u32| nodes[places[rank as usize] as usize];
        let outside = edges.iter().filter(|(from, to, _)| node(*from) != node(*to));
        outside.map(|(_, _, weight)| weight).sum()
    }

    /// No process has two ranks.
    fn distinct(places: &[u32], processes: usize) -> bool {
        let mut seen = vec![false; processes];
        places.iter().all(|place| !std::mem::replace(&mut seen[*place as usize], true))
    }

    /// Before and after, as a grid and as a graph, for ranks in turn on 4 nodes with 4 processes each.
    #[test]
    fn edges_between_nodes_get_fewer() {
        let nodes = in_turn(16, 4);
        for (lengths, periods, before, after, grown) in [
            (&[4, 4][..], &[0, 0][..], 12, 8, 10),
            (&[4, 4], &[1, 1], 16, 16, 16),
            (&[2, 8], &[0, 0], 14, 6, 6),
            (&[8, 2], &[0, 0], 22, 6, 6),
            (&[16], &[0], 15, 3, 3),
            (&[16], &[1], 16, 4, 4),
            (&[2, 2, 4], &[0, 0, 0], 12, 12, 12),
            (&[4, 2, 2], &[0, 0, 0], 16, 12, 12),
            // One process is left out; no block divides the grid.
            (&[5, 3], &[0, 0], 22, 9, 9),
            (&[3, 4], &[0, 0], 9, 7, 7),
        ] {
            let grid = grid(lengths, periods);
            let edges = edges(&grid).collect::<Vec<_>>();
            let order = in_order(grid.size());
            assert_eq!(outside(&edges, &order, &nodes), before, "{lengths:?}");
            let places = of_grid(&grid, &nodes);
            assert!(distinct(&places, 16));
            assert_eq!(outside(&edges, &places, &nodes), after, "{lengths:?} {places:?}");
            let places = of_graph(grid.size(), edges.clone(), &nodes);
            assert!(distinct(&places, 16));
            assert_eq!(outside(&edges, &places, &nodes), grown, "{lengths:?} {places:?}");
        }
    }

    #[test]
    fn heavy_edges_stay_within_nodes() {
        let nodes = in_turn(16, 4);
        // A ring in which pairs have much to say to each other.
        let weight = |rank: u32| if rank.is_multiple_of(2) { 100 } else { 1 };
        let ring: Vec<_> = (0..16).map(|rank| (rank, (rank + 1) % 16, weight(rank))).collect();
        let places = of_graph(16, ring.clone(), &nodes);
        assert_eq!(outside(&ring, &places, &nodes), 4);
        // A graph without edges, and one of which only some processes are.
        assert_eq!(of_graph(16, [], &nodes), in_order(16));
        let places = of_graph(4, [(0, 1, 1), (1, 2, 1), (2, 3, 1)], &nodes);
        assert!(places.iter().all(|place| nodes[*place as usize] == nodes[places[0] as usize]));
    }

    #[test]
    fn the_order_stays_where_no_other_is_better() {
        let grid = grid(&[4, 4], &[1, 0]);
        let edges = edges(&grid).collect::<Vec<_>>();
        for nodes in [vec![3; 16], (0..16).collect(), vec![1; 20]] {
            assert_eq!(of_grid(&grid, &nodes), in_order(16));
            assert_eq!(of_graph(16, edges.clone(), &nodes), in_order(16));
        }
        let halves: Vec<u32> = (0..16).map(|rank| rank % 4 / 2).collect();
        assert_eq!(of_grid(&grid, &halves), in_order(16));
        assert_eq!(of_graph(16, edges, &halves), in_order(16));
    }

    #[test]
    fn blocks_have_small_surfaces() {
        for (lengths, periods, size, wanted) in [
            (&[8, 8][..], &[0, 0][..], 16, Some(vec![4, 4])),
            (&[6, 6], &[0, 0], 12, Some(vec![2, 6])),
            (&[4, 4, 4], &[0, 0, 0], 8, Some(vec![2, 2, 2])),
            // All of a periodic dimension saves its way around, too.
            (&[4, 4], &[0, 1], 4, Some(vec![1, 4])),
            (&[4, 4], &[0, 0], 5, None),
            (&[], &[], 1, Some(vec![])),
        ] {
            let found = block(grid(lengths, periods).dims(), size);
            assert_eq!(found, wanted, "{lengths:?}");
        }
    }

    proptest! {
        #[test]
        fn edges_between_nodes_never_get_more(
            dims in prop::collection::vec((1..5_i32, 0..2_i32), 0..4),
            nodes in prop::collection::vec(0..5_u32, 64..80),
            more in prop::collection::vec((0..64_u32, 0..64_u32, 0..9_u64), 0..200),
        ) {
            let (lengths, periods): (Vec<_>, Vec<_>) = dims.into_iter().unzip();
            let grid = grid(&lengths, &periods);
            let order = in_order(grid.size());
            let regular = edges(&grid).collect::<Vec<_>>();
            let places = of_grid(&grid, &nodes);
            prop_assert!(distinct(&places, nodes.len()));
            prop_assert!(
                outside(&regular, &places, &nodes) <= outside(&regular, &order, &nodes)
            );
            let places = of_graph(64, more.clone(), &nodes);
            prop_assert!(distinct(&places, nodes.len()));
            prop_assert!(
                outside(&more, &places, &nodes) <= outside(&more, &in_order(64), &nodes)
            );
        }
    }
}
